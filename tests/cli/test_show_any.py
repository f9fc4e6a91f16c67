"""`runout show` of results of every kind, and what it says of what is none."""

import csv
import io
import json
import shutil

import numpy as np
import pytest

from runout.cli.app import RETIRED
from runout.solutions.node import SMALLEST_REACH
from runout.solutions.preflop import load_solution
from runout.solutions.tables import PartView
from runout.storage.writer import write_bundle
from tests.samples.value_bundles import make_values

DEEP = "c:x:QhTh5h:x:x:8c:x:x:2d"


def grid_of(lines):
    """Returns the cells of the first grid in some lines, by row."""
    start = next(n for n, line in enumerate(lines) if line.split() == list("AKQJT98765432"))
    return {line[0]: line.split()[1:] for line in lines[start + 1 : start + 14]}


def row_of(lines, start):
    (line,) = [line for line in lines if line.startswith(start)]
    return line.split()


# A node: both players, actions, the grid, and the answers.


def test_the_first_decisions_of_a_run_are_shown_from_the_run_or_the_bundle(run, solved):
    of_run, of_bundle = run("show", str(solved)), run("show", str(solved / "preflop"))
    assert of_run.stdout == of_bundle.stdout
    titles = [line for line in of_run.stdout.splitlines() if " behind" in line]
    starts = ("SB first in", "BB versus limp", "BB versus raise to 2", "BB versus raise to 3")
    for title, start in zip(titles, (*starts, "BB versus all-in 10"), strict=True):
        assert title.startswith(start)
    assert "game value " in of_run.stdout


def test_a_decision_has_values_frequencies_steps_and_answers(run, solved):
    node = load_solution(solved).node("r2")
    lines = run("show", str(solved), "--node", "r2").stdout.splitlines()
    assert lines[0] == "BB versus raise to 2   pot 3 bb, 8 and 9 behind, 0.0% of deals"
    assert lines[1] == "node r2"
    assert row_of(lines, "BB  ")[1] == f"{node.range_ev(1):.3f}"
    of_combos = node.combos_taken() / node.combos(1)
    often, combos, ev, step = row_of(lines, "C  ")[2:]
    assert often == f"{100 * node.frequency()[1]:.2f}%"
    assert combos == f"{100 * of_combos[1]:.2f}%"
    assert (ev, step) == (f"{node.action_values()[1]:.3f}", "c")
    assert row_of(lines, "F  ")[4] == "0.000"  # folding is 0
    assert row_of(lines, "a  ")[:2] == ["a", "SB"]  # what the small blind answers to an all-in


def test_ev_can_count_from_the_start_of_the_hand(run, solved):
    command = ("show", str(solved), "--node", "r2")
    from_here, net = (run(*command, "--ev", ev).stdout.splitlines() for ev in ("from-here", "net"))
    assert run(*command).stdout.splitlines() == from_here
    assert float(row_of(from_here, "BB  ")[1]) - float(row_of(net, "BB  ")[1]) == 1.0
    assert row_of(net, "F  ")[4] == "-1.000"
    assert row_of(net, "BB  ")[2:] == row_of(from_here, "BB  ")[2:]  # equity and EQR stay
    (node,) = json.loads(run(*command, "--ev", "net", "--json").stdout)["nodes"]
    assert node["ev_from"] == "start"


@pytest.mark.parametrize("options", [(), ("--hand", "T8"), ("--by", "class"), ("--compare", DEEP)])
def test_deep_nodes_fit_eighty_columns_and_paths_are_whole(run, samples, options, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("show", str(samples / "joint_compact"), "-n", DEEP, *options).stdout.splitlines()
    assert f"node {DEEP}" in lines
    assert max(map(len, lines)) <= 80
    assert lines[0].removeprefix("1  ").startswith("BB acts on QhTh5h8c2d   pot 2 bb, 5 behind")


@pytest.mark.parametrize("path", ["x x", "check,check", "X-X", "r:0:c:c"])
def test_paths_are_read_in_many_ways(run, spot, path):
    assert "node x:x\n" in run("show", spot, "-n", path).stdout


def test_where_a_card_or_flop_is_dealt_it_is_said_how_to_go_on(run, spot, samples):
    assert (
        "a card is dealt here, go on with\n--node x:x:CARD" in run("show", spot, "-n", "x:x").stdout
    )
    flop = run("show", str(samples / "joint_compact"), "-n", "c:x").stdout
    assert "a flop is dealt here, go on with\n--node c:x:FLOP\nQsTs5s\n" in flop


def test_players_keep_their_blinds_on_the_flop_and_are_found_by_position(run, samples):
    command = ("show", str(samples / "joint"), "-n", "c:x:QsTs5s", "--ranges", "--player")
    assert run(*command, "sb").stdout == run(*command, "ip").stdout
    assert run(*command, "bb").stdout == run(*command, "oop").stdout != run(*command, "sb").stdout


def test_every_hand_of_a_name_is_shown(run, solved, spot):
    lines = run("show", str(solved), "--hand", "AK").stdout.splitlines()
    start = lines.index("AK of SB: 16 combos of 16")
    assert [line[:3] for line in lines[start + 2 : start + 4]] == ["AKs", "AKo"]
    assert "JTs of OOP: 3 combos of 3" in run("show", spot, "--hand", "JTs").stdout
    document = json.loads(run("show", spot, "-n", "x:x", "--hand", "AhAd", "--json").stdout)
    assert [record["hand"] for record in document["OOP"]] == ["AhAd"]


def test_many_actions_stand_in_parts_below_each_other(run, stored, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("show", str(stored / "many_bets"), "--hand", "KK").stdout.splitlines()
    headings = [line.split("   ") for line in lines if line.startswith("hand ")]
    assert [heading.count("hand") for heading in headings] == [1, 1, 1]
    assert sum(line.startswith("KsKh ") for line in lines) == 3


def test_a_trace_follows_hands_with_fold_as_0(run, solved):
    lines = run("show", str(solved), "--trace", "AK").stdout.splitlines()
    assert [line for line in lines if " as " in line] == [
        *("AKs as SB", "AKs as BB", "AKo as SB", "AKo as BB")
    ]
    assert lines[1].split() == ["how", "often", "EV,", "bb"]
    assert lines[2].split()[:4] == ["SB", "first", "in", "100.0%"]
    assert lines[3].split() == ["fold", "0.0%", "0.000"]
    net = run("show", str(solved), "--trace", "AKs", "--ev", "net").stdout.splitlines()
    assert net[3].split() == ["fold", "0.0%", "-0.500"]
    assert "where it never arrives" in run("show", str(solved), "--trace", "72o").stdout


def test_both_ranges_stand_under_a_title(run, solved):
    text = run("show", str(solved), "-n", "r2:c", "--ranges").stdout
    assert text.startswith("SB raise to 2, BB call   pot 4 bb")
    assert "\nSB, " in text
    assert "\nBB, " in text


def test_a_range_narrows_the_table_and_a_class_the_export(run, spot):
    lines = run("show", spot, "--range", "AA,72o").stdout.splitlines()
    assert row_of(lines, "OOP  ")[-1] == "6"
    assert "only 6.00 of OOP's 12.00 combos (50.0%)" in lines
    assert grid_of(lines)["Q"][2] == "-"
    rows = run("export", spot, "--class", "-sets,!overpair", "--format", "csv").stdout
    assert {row["hand"][::2] for row in csv.DictReader(io.StringIO(rows))} == {"JT"}


def test_groups_and_cards_are_tables(run, spot):
    lines = run("show", spot, "--by", "class").stdout.splitlines()
    assert row_of(lines, "sets")[:3] == ["sets", "3", "25.64%"]
    cards = run("show", spot, "-n", "x:x", "--by", "card").stdout.splitlines()
    assert cards[:2] == ["OOP acts after 48 cards on QsJh2h8c   pot 20", "node x:x:CARD"]
    assert cards[3].split() == "card share x b10 OOP EV equity EQR IP EV EQR".split()
    assert cards[4].startswith("As ")
    assert max(map(len, cards)) <= 80


@pytest.mark.parametrize("column", ["ev-ip", "x", "share"])
def test_cards_are_sorted_by_a_column(run, spot, column):
    command = ("show", spot, "-n", "x:x", "--by", "card", "--sort", column, "--json")
    rows = json.loads(run(*command).stdout)["rows"]
    numbers = {
        "ev-ip": [row["range_ev"][1] for row in rows],
        "x": [row["actions"][0]["frequency"] for row in rows],
        "share": [row["share"] for row in rows],
    }[column]
    assert numbers == sorted(numbers, reverse=True)


def test_two_nodes_stand_side_by_side_with_their_paths(run, spot):
    lines = run("show", spot, "-n", "x:x:8h", "--compare", "x:x:3c").stdout.splitlines()
    assert lines[0].startswith("1  OOP acts on QsJh2h8c8h")
    assert (lines[1], lines[3]) == ("node x:x:8h", "node x:x:3c")
    first, second, difference = map(float, row_of(lines, "EV OOP")[2:])
    assert difference == pytest.approx(first - second, abs=0.0011)
    assert all(cell in "-=" or "+" in cell for row in grid_of(lines).values() for cell in row)


def test_warnings_say_what_is_not_to_be_trusted(run, stored):
    root = run("show", str(stored / "rare_bet")).stdout
    assert root.splitlines()[0].endswith("60 behind, locked")
    assert "! locked: some hands play a fixed strategy here" in root
    rare = run("show", str(stored / "rare_bet"), "--node", "b10").stdout
    assert "! reached in 0.100% of deals, less than 0.5%: play is hardly learned" in rare
    lines = run("show", str(stored / "no_bet")).stdout.splitlines()
    assert row_of(lines, "B  ")[-2] == "-"  # an action that no hand takes has no value


# Files of many nodes.


@pytest.mark.parametrize("layout", ["json", "csv"])
def test_an_export_says_what_it_wrote(run, solved, tmp_path, layout):
    file = tmp_path / "c"
    result = run("export", str(solved), "-n", "c", "-f", layout, "-o", str(file))
    what = "1 node" if layout == "json" else "676 rows"
    assert (result.stdout, result.stderr) == ("", f"wrote {file}, {what}\n")


def test_parquet_has_the_rows_of_csv(run, spot, tmp_path, error_line):
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "turn.parquet"
    run("export", spot, "--depth", "1", "-f", "parquet", "-o", str(file))
    table = parquet.read_table(file)
    rows = list(
        csv.DictReader(io.StringIO(run("export", spot, "--depth", "1", "-f", "csv").stdout))
    )
    assert table.column_names == list(rows[0])
    assert table.column("hand").to_pylist() == [row["hand"] for row in rows]
    assert {row["node"] for row in rows} == {"", "x", "b10"}
    assert error_line("export", spot, "-f", "parquet").startswith("--output: is missing")


@pytest.mark.parametrize("layout", ["json", "texassolver"])
def test_an_export_of_many_nodes_says_how_many_before(run, spot, tmp_path, layout):
    file = tmp_path / "nodes.json"
    result = run("export", spot, "-n", "x:b10", "--depth", "1", "-f", layout, "-o", str(file))
    told, wrote = result.stderr.splitlines()
    assert told.startswith("writing 5 nodes, 3 decisions, about ")
    written = json.loads(file.read_text())
    number = {"json": 5, "texassolver": 4}[layout]
    assert wrote == f"wrote {file}, {number} nodes"
    assert (written["node"]["path"] if layout == "json" else written["player"]) in ("x:b10", 1)


@pytest.mark.parametrize("layout", ["json", "csv", "parquet", "texassolver", "hrc"])
def test_an_interrupted_export_leaves_what_was_there(run, spot, tmp_path, monkeypatch, layout):
    look, seen = PartView.node, []

    def interrupt(self, path=""):
        seen.append(path)
        if len(seen) > 4:
            raise KeyboardInterrupt
        return look(self, path)

    file = tmp_path / "export"
    if layout != "hrc":
        file.write_text("old")
    monkeypatch.setattr(PartView, "node", interrupt)
    monkeypatch.setattr(
        PartView, "looking", lambda self: (lambda path: self.node(path), lambda path: False)
    )
    result = run("export", spot, "--depth", "all", "-f", layout, "-o", str(file))
    assert result.exit_code == 130
    assert len(seen) > 4
    assert [path.name for path in tmp_path.iterdir()] == ([] if layout == "hrc" else ["export"])
    assert layout == "hrc" or file.read_text() == "old"


def test_exports_for_other_programs_are_files_of_theirs(run, spot, tmp_path, error_line):
    assert run("export", spot, "-f", "pio").stdout.startswith("#Type#NoLimit\n#Range0#")
    assert json.loads(run("export", spot, "-f", "texassolver").stdout)["player"] == 1
    assert run("export", spot, "-n", "x:x", "-f", "pio-report").stdout.startswith('"runout report,')
    run("export", spot, "-f", "hrc", "-o", str(tmp_path / "hrc"))
    assert sorted(path.name for path in (tmp_path / "hrc").iterdir()) == ["nodes", "settings.json"]
    assert error_line("export", spot, "-f", "hrc").startswith("--output: is missing, hrc needs")
    again = error_line("export", spot, "-f", "hrc", "-o", str(tmp_path / "hrc"))
    assert "exists" in again
    assert "no card is dealt there" in error_line("export", spot, "-f", "pio-report")


@pytest.mark.parametrize("layout", ["csv", "parquet"])
def test_a_node_where_no_player_acts_has_no_rows(error_line, spot, tmp_path, layout):
    command = ("export", spot, "-n", "x:x", "-f", layout, "-o", str(tmp_path / "rows"))
    assert error_line(*command).startswith("--node: no player acts there, choose a decision")


def test_documents_go_as_deep_as_asked(run, spot):
    node = json.loads(run("export", spot, "--depth", "1").stdout)["node"]
    assert list(node["children"]) == ["x", "b10"]
    assert "children" not in json.loads(run("export", spot).stdout)["node"]


# Other results, and what is none.


def test_results_without_nodes_are_shown(run, samples, tmp_path):
    assert "OOP acts   line root, pot 20" in run("show", str(samples / "report")).stdout
    assert "buckets effective" in run("show", str(samples / "buckets")).stdout
    make_values().save(tmp_path / "flops")
    text = run("show", str(tmp_path / "flops")).stdout
    assert "0.100%" in text
    assert "3 flops at SPR " in text
    assert f'runout.open("{tmp_path / "flops"}").at_spr(3.5).average(0)' in text


def test_a_check_knows_every_bundle_of_a_run(run, samples):
    text = run("show", str(samples / "joint_compact"), "--check").stdout
    assert f"{samples / 'joint_compact' / 'flops'}: the flops of a run\n" in text
    assert f"{samples / 'joint_compact' / 'preflop'}: a preflop solution\n" in text
    assert text.count("all files verified") == 2
    assert "unknown" not in text


def test_what_holds_no_result_is_one_helpful_line(error_line, samples, tmp_path):
    give = "give the directory that a solve wrote"
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    for name in ("notes/a.txt", "x.zip", "x.yaml", "x.txt"):
        (tmp_path / name).touch()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"name": "an extension"}')
    (tmp_path / "new.checkpoints").mkdir()
    shutil.copytree(samples / "river", tmp_path / "runs" / "river")
    expected = {
        "nowhere": "does not exist",
        "empty": f"is empty; {give}",
        "notes": f"has no solution; {give}",
        "x.zip": f"is an archive, unpack it first; {give}",
        "x.yaml": f"is a config, solve it first; {give}",
        "x.txt": f"is a file; {give}",
        "other": "manifest.json belongs to another program than runout",
        "new": "is unfinished; rerun its command to resume",
        "runs": "holds solutions, give one of river",
    }
    for name, problem in expected.items():
        for options in ([], ["--check"]):
            assert (
                error_line("show", str(tmp_path / name), *options)
                == f"{tmp_path / name}: {problem}"
            )


def test_a_bundle_of_a_later_version_is_refused(error_line, tmp_path):
    write_bundle(tmp_path / "later", kind="spot", schema_version=99, arrays={})
    assert "has schema version 99" in error_line("show", str(tmp_path / "later"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--hand", "KK"], "hand KK: is not in OOP's range on QsJh2h8c"),
        (["--hand", "AX"], "hand AX: 'X' is not a rank"),
        (["--hand", "AA", "--by", "class"], "--hand --by: cannot be combined"),
        (["--show", "ev", "--by", "class"], "--show --by: cannot be combined"),
        (["--player", "sb"], "player: 'sb' is none of OOP, IP"),
        (["--trace", "AA"], "--trace: follows hands before the flop, give --hand instead"),
        (["--spr", "2"], "--spr: goes with --flop"),
        (["--check", "--flops"], "--flops: DIR holds no values of flops"),
        (["--by", "card"], "path '': no card is dealt there or on the way"),
        (["--by", "card", "-n", "x:x", "--sort", "y"], "--sort: 'y' is no column"),
    ],
)
def test_what_cannot_be_shown_is_one_line(error_line, spot, options, expected):
    line = error_line("show", spot, *options).replace(spot, "DIR")
    assert line.startswith(expected)


@pytest.mark.parametrize("name", RETIRED)
def test_a_retired_command_says_what_to_type_now(error_line, name):
    line = error_line(*name.split(), "x")
    assert line == f"{name}: was replaced, use {RETIRED[name]}"


@pytest.mark.parametrize(
    "options",
    [["turn"], ["turn", "--by", "class"], ["turn", "-n", "x:x", "--by", "card"], ["raw_equity"]],
)
def test_a_look_needs_no_numba(run_program, stored, options):
    name, *rest = options
    result = run_program("show", str(stored / name), *rest, PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    assert not any(line.endswith(" numba") for line in result.stderr.splitlines())


def test_hands_that_hardly_arrive_are_dashes(run, solved):
    node = load_solution(solved).node("c:a")
    absent = np.count_nonzero(node.weights[node.actor] < SMALLEST_REACH)
    grid = grid_of(run("show", str(solved), "--node", "c:a").stdout.splitlines())
    assert sum(row.count("-") for row in grid.values()) == absent > 0
