"""Tests of `runout.cli.spot`."""

import csv
import io
import json
import shutil

import pytest

from runout.cli.formatting import format_chips
from runout.execution.context import RunContext
from runout.runs.spot import solve_spot
from runout.storage.writer import write_bundle


def test_every_card_that_can_come_is_a_row(run, spot):
    lines = run("spot", "report", spot, "--node", "x:x").stdout.splitlines()
    assert lines[0] == "OOP acts after 48 cards on QsJh2h8c   node x:x:CARD, pot 20"
    headings = "card share check bet 50% (10) OOP EV equity EQR IP EV equity EQR"
    assert lines[2].split() == headings.split()
    assert lines[3].startswith("As ")
    assert any(line.startswith("all ") for line in lines)
    assert "exploitability" in lines[-1] or lines[-1].startswith("! exploitability")


def test_numbers_are_those_of_the_nodes(run, spot):
    report = json.loads(run("spot", "report", spot, "--node", "x:x:8h:x", "--json").stdout)
    assert (report["before"], report["chosen"], report["path"]) == ("x:x", "8h", "x:x:CARD:x")
    row = next(row for row in report["rows"] if row["cards"][0] == "8h")
    node = json.loads(run("spot", "show", spot, "--node", "x:x:8h:x", "--json").stdout)["node"]
    for key in ("path", "actor", "range_ev", "range_equity", "eqr"):
        assert row[key] == node[key]
    frequencies = [action["frequency"] for action in node["actions"]]
    assert [action["frequency"] for action in row["actions"]] == frequencies


def test_means_over_cards_are_the_values_before_them(run, spot):
    report = json.loads(run("spot", "report", spot, "--node", "x:x", "--json").stdout)
    before = json.loads(run("spot", "show", spot, "--node", "x:x", "--json").stdout)["node"]
    assert report["mean"]["ev-oop"] == pytest.approx(before["range_ev"][0], abs=0.01)
    assert report["mean"]["equity-ip"] == pytest.approx(before["range_equity"][1], abs=1e-5)


def test_rows_are_sorted_by_a_column(run, spot, tmp_path):
    for column in ("ev-ip", "x", "share"):
        text = run("spot", "report", spot, "--node", "x:x", "--sort", column, "--csv").stdout
        numbers = [float(row[column]) for row in csv.DictReader(io.StringIO(text))]
        assert numbers == sorted(numbers, reverse=True)
    file = tmp_path / "cards.csv"
    result = run("spot", "report", spot, "-n", "x:x", "--csv", "-o", str(file))
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert result.stderr == f"wrote {file}, {len(rows)} rows\n"
    assert sum(int(row["cards"]) for row in rows) == 48


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--node", "x"], "path 'x': no card is dealt there or on the way"),
        (["--node", "x:x", "--sort", "b99"], "--sort: 'b99' is no column, use one of card, share"),
        (["--node", "x:x", "--json", "--csv"], "--json --csv: cannot be combined"),
        (["--node", "x:x", "-o", "x"], "--output: takes what --json or --csv write"),
        (["--node", "x:x", "--spr", "1"], "--spr: goes with --flop only"),
    ],
)
def test_what_cannot_be_reported_is_one_line(error_line, spot, options, expected):
    assert error_line("spot", "report", spot, *options).startswith(expected)


def test_the_root_is_shown_with_values_actions_and_grid(run, spot):
    lines = run("spot", "show", spot).stdout.splitlines()
    assert lines[0] == "OOP acts on QsJh2h8c   pot 20, 60 behind"
    assert lines[2].split() == ["EV", "of", "the", "pot", "equity", "EQR", "combos"]
    oop, ip = lines[3].split(), lines[4].split()
    assert (oop[0], ip[0]) == ("OOP", "IP")
    assert float(oop[1]) + float(ip[1]) == pytest.approx(20.0, abs=0.02)
    assert [line.split()[0] for line in lines[7:9]] == ["X", "B"]
    assert lines[8].rstrip().endswith("--node b10")
    assert lines[9].startswith("EV of an action: the mean over the hands that take it")
    assert lines[11].split() == list("AKQJT98765432")
    assert lines[26].startswith("exploitability (real game) ")
    assert "% of the pot after 30 iterations in " in lines[26]


@pytest.fixture
def flops(stored):
    """A solved flop at two ratios, as text of its path."""
    return str(stored / "flops")


def test_a_kept_flop_is_shown_in_the_suits_that_are_given(run, flops):
    lines = run("spot", "show", flops, "--flop", "AcKh7d", "--spr", "1", "-n", "x").stdout
    assert lines.startswith("IP acts on AcKh7d   node x, pot 1, 1 behind\n")
    hand = run("spot", "show", flops, "--flop", "AcKh7d", "--spr", "1", "--hand", "AsKs")
    assert hand.stdout.startswith("AsKs of OOP at the root: 1 combo of 1")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "--flop: DIR holds flops, say which one to look at"),
        (("--flop", "AhKd7s"), "--spr: there are several ratios, give one of 1, 2"),
        (("--flop", "AhKd8s", "--spr", "1"), "flop AhKd8s: is not among the 1 solved flop"),
        (("--spr", "1"), "--spr: goes with --flop only"),
    ],
)
def test_what_cannot_be_shown_of_flops_is_one_line(error_line, flops, options, problem):
    assert error_line("spot", "show", flops, *options).startswith(problem.replace("DIR", flops))


def test_a_path_leads_through_actions_and_cards(run, spot):
    chance = run("spot", "show", spot, "--node", "x:x").stdout
    assert "a card is dealt here, go on with --node x:x:CARD" in chance
    river = run("spot", "show", spot, "--node", "x:x:8h").stdout
    assert river.startswith("OOP acts on QsJh2h8c8h   node x:x:8h, pot 20, 60 behind")
    facing = run("spot", "show", spot, "--node", "b10").stdout
    assert facing.startswith("IP acts on QsJh2h8c   node b10, pot 30, 50 and 60 behind")
    end = run("spot", "show", spot, "--node", "b10:f").stdout
    assert "the hand ends here with a fold" in end


def test_one_hand_is_shown_combo_by_combo(run, spot):
    lines = run("spot", "show", spot, "--hand", "JTs").stdout.splitlines()
    assert lines[0] == "JTs of OOP at the root: 3 combos of 3"
    assert [line.split()[0] for line in lines[2:5]] == ["JsTs", "JdTd", "JcTc"]
    lines = run("spot", "show", spot, "--hand", "AhAd").stdout.splitlines()
    assert lines[2].startswith("AhAd   100.00%")
    at_chance = run("spot", "show", spot, "--node", "x:x", "--hand", "KK").stdout
    assert at_chance.startswith("KK of IP at x:x: ")


def test_many_actions_stand_below_each_other(run, stored):
    path = stored / "many_bets"
    lines = run("spot", "show", str(path), "--hand", "KsKh").stdout.splitlines()
    assert lines[1].split() == "hand arrives EV equity action frequency its EV".split()
    assert lines[2].startswith("KsKh   100.00%")
    assert lines[8].split()[:2] == ["all-in", "9000"]
    assert lines[10].startswith("exploitability (real game) ")
    assert not any("…" in line for line in lines)


def test_a_loss_too_small_to_show_is_zero():
    assert format_chips(-1e-6) == "0.00"
    assert format_chips(-0.006) == "-0.01"


def test_a_table_that_was_changed_is_refused(error_line, spot, tmp_path):
    copy = tmp_path / "changed"
    shutil.copytree(spot, copy)
    table = copy / "solution_shares.npy"
    content = bytearray(table.read_bytes())
    content[-1] ^= 0xFF
    table.write_bytes(content)
    assert error_line("spot", "show", str(copy)).startswith(f"{table}: was changed")


def test_one_hand_as_json(run, spot):
    document = json.loads(run("spot", "show", spot, "--hand", "AA", "--json").stdout)
    assert document["path"] == ""
    assert len(document["OOP"]) == 6
    actions = document["OOP"][0]["actions"]
    assert [action["code"] for action in actions] == ["x", "b10"]
    assert sum(action["frequency"] for action in actions) == pytest.approx(1.0)


def test_json_goes_as_deep_as_asked(run, spot, tmp_path):
    flat = json.loads(run("spot", "show", spot, "--json").stdout)
    assert "children" not in flat["node"]
    deep = json.loads(run("spot", "show", spot, "--json", "--depth", "2").stdout)
    assert set(deep["node"]["children"]["x"]["children"]) == {"x", "b10"}
    file = tmp_path / "node.json"
    result = run(
        "spot", "show", spot, "--node", "x:x:8h:x:x", "--json", "--depth", "all", "-o", str(file)
    )
    assert result.stderr == f"wrote {file}, 1 node\n"
    assert json.loads(file.read_text())["node"]["kind"] == "showdown"


def test_csv_has_a_row_for_each_hand(run, spot, tmp_path):
    rows = list(csv.reader(io.StringIO(run("spot", "show", spot, "--csv").stdout)))
    assert rows[0][:4] == ["hand", "weight", "equity", "ev"]
    assert len(rows) == 1 + 12
    file = tmp_path / "node.csv"
    assert run("spot", "show", spot, "--csv", "-o", str(file)).exit_code == 0
    assert list(csv.reader(io.StringIO(file.read_text()))) == rows


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--node", "b11"],
            "path 'b11', step 1: 'b11' is not an action at the root; possible: x",
        ),
        (["--node", "x:x:8c"], "path 'x:x:8c', step 3: 8c is on the board QsJh2h8c already"),
        (["--hand", "KK"], "--hand KK: is not in OOP's range on QsJh2h8c"),
        (["--hand", "QsQh"], "--hand QsQh: is not in OOP's range on QsJh2h8c"),
        (["--hand", "AX"], "--hand AX: is no hand such as AA, AKs, AKo or AhKh (not a "),
        (
            ["--hand", "AhAh"],
            "--hand AhAh: is no hand such as AA, AKs, AKo or AhKh (dealt twice",
        ),
        (["--json", "--csv"], "--json --csv: cannot be combined, give one of them"),
        (["--depth", "1"], "--depth: says how much --json writes, and goes with no other option"),
        (["--json", "--depth", "-1"], "--depth: '-1' is not a whole number from 0 up, or all"),
        (["--range", "22++"], "--range: '22++': "),
        (["--range", "72o"], "--range: leaves nothing of OOP's range at the root"),
        (["--class", "sets,nuts"], "--class: 'nuts' is no class of hands, use some of plays-board"),
        (["--class", "straights"], "--class: leaves nothing of OOP's range at the root"),
        (["--player", "sb"], "--player sb: is nobody there, OOP and IP are"),
        (["--player", "ip", "--show", "strategy"], "--show strategy: IP does not act here, give"),
        (["--show", "odds"], "--show: 'odds' is not "),
        (["--show", "ev", "--json"], "--show --json: cannot be combined, give one of them"),
        (["--hand", "AA", "--range", "AA"], "--hand --range: cannot be combined"),
        (["--compare", "x:x:8c"], "path 'x:x:8c', step 3: 8c is on the board"),
        (["--compare", "x", "--show", "strategy"], "--show strategy: OOP does not act at both"),
        (["--compare", "x", "--csv"], "--compare --csv: cannot be combined"),
        (["-o", "x"], "--output: takes what --json or --csv write of a whole node"),
        (["--csv", "-o", "/dev/null/x"], "--output /dev/null/x: Not a directory"),
    ],
)
def test_what_cannot_be_shown_is_one_line(error_line, spot, options, expected):
    assert error_line("spot", "show", spot, *options).startswith(expected)


def test_what_is_no_spot_is_one_line(error_line, tmp_path, solved):
    missing = str(tmp_path / "none")
    assert error_line("spot", "show", missing) == f"{missing}: does not exist"
    other = error_line("spot", "show", str(solved / "preflop"))
    assert other.endswith("manifest.json: is of kind 'preflop_solution', expected 'spot'")
    later = tmp_path / "later"
    write_bundle(later, kind="spot", schema_version=99, arrays={})
    assert error_line("spot", "show", str(later)).endswith("has schema version 99, expected 1 or 2")


def test_inspect_knows_spots(run, spot):
    text = run("inspect", spot).stdout
    assert f"{spot}: a spot with real cards" in text
    assert f"runout spot show {spot} shows its nodes" in text


@pytest.mark.parametrize(
    "words",
    [
        ("show", "--by", "class"),
        ("show", "--class", "sets", "--show", "ev"),
        ("report", "-n", "x:x"),
    ],
)
def test_showing_a_spot_compiles_nothing(run_program, spot, words):
    result = run_program("spot", words[0], spot, *words[1:], PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    assert not any(line.endswith(" numba") for line in result.stderr.splitlines())


def test_a_spot_without_a_solution_is_opened_by_the_solver(run, tmp_path):
    keys = {"board": "QsJh2h8c", "oop": "AA,QQ", "ip": "KK,T9s", "pot": 20, "stack": 60}
    solution = solve_spot(**keys, max_iterations=3, context=RunContext(1))
    solution.begin_saving(tmp_path / "old")()
    solution.save(tmp_path / "new")
    old, new = (run("spot", "show", str(tmp_path / name)).stdout for name in ("old", "new"))
    assert old.splitlines()[0] == new.splitlines()[0] == "OOP acts on QsJh2h8c   pot 20, 60 behind"
    assert len(old.splitlines()) == len(new.splitlines())


def test_any_node_of_a_joint_run_is_shown(run, samples, error_line):
    path = samples / "joint_compact"
    first = run("spot", "show", str(path)).stdout
    assert first.startswith("SB acts on no board yet   pot 1.5, 5.5 and 5 behind")
    leaf = run("spot", "show", str(path), "--node", "c-x").stdout
    assert "a flop is dealt here, go on with --node c:x:FLOP: QsTs5s" in leaf
    river = run("spot", "show", str(path), "--node", "c-x:QhTh5h:x:x:8c:x:x:2d").stdout
    assert river.startswith(
        "BB acts on QhTh5h8c2d   node c:x:QhTh5h:x:x:8c:x:x:2d, pot 2, 5 behind"
    )
    document = json.loads(run("spot", "show", str(path), "-n", "c-x:QsTs5s:x", "--json").stdout)
    assert document["quality"]["unit"] == "mbb"
    assert (document["node"]["unit"], document["node"]["pot"]) == ("bb", 2.0)
    hand = error_line("spot", "show", str(path), "--hand", "AA")
    assert hand.startswith("--hand AA: goes with a flop")
    other = error_line("spot", "show", str(path), "--player", "oop")
    assert other == "--player oop: is nobody there, SB and BB are"
    compared = error_line("spot", "show", str(path), "--compare", "c-x:QsTs5s")
    assert compared == "--compare: one node is before the flop and the other is after it"
    flops = error_line("spot", "report", str(path), "--node", "c-x")
    assert flops.startswith("path 'c:x': a whole flop is dealt there, and not one card")
    exact = str(samples / "joint")  # buckets on rivers would not be zero-sum
    turns = json.loads(run("spot", "report", exact, "-n", "c-x:QhTh5h:x:x", "--json").stdout)
    assert sum(len(row["cards"]) for row in turns["rows"]) == 49
    assert turns["rows"][0]["cards"] == ["As", "Ad", "Ac"]
    assert turns["mean"]["ev-sb"] + turns["mean"]["ev-bb"] == pytest.approx(2.0, abs=1e-3)


def grid_of(lines):
    """Returns the cells of the grid in some lines, by row."""
    start = next(n for n, line in enumerate(lines) if line.split() == list("AKQJT98765432"))
    return {line[0]: line.split()[1:] for line in lines[start + 1 : start + 14]}


def test_the_other_player_has_a_grid_of_what_arrives(run, spot):
    lines = run("spot", "show", spot, "--player", "ip").stdout.splitlines()
    assert "IP's hands: reach, the % of each hand that gets here" in lines
    assert grid_of(lines)["K"][1] == "100"
    assert grid_of(lines)["A"][0] == "-"


@pytest.mark.parametrize("measure", ["ev", "equity", "eqr", "reach"])
def test_the_grid_shows_what_is_asked_for(run, spot, measure):
    lines = run("spot", "show", spot, "--show", measure).stdout.splitlines()
    document = json.loads(run("spot", "show", spot, "--hand", "AhAd", "--json").stdout)
    (aces,) = document["OOP"]
    cell = float(grid_of(lines)["A"][0])
    if measure == "ev":
        assert cell == pytest.approx(aces["ev"], abs=1.0)
    elif measure == "equity":
        assert cell == pytest.approx(100 * aces["equity"], abs=5.0)
    elif measure == "eqr":
        assert cell == pytest.approx(100 * aces["ev"] / (20 * aces["equity"]), abs=5.0)
    else:
        assert cell == 100.0


def test_a_range_narrows_values_tables_and_files(run, spot):
    lines = run("spot", "show", spot, "--range", "AA,72o").stdout.splitlines()
    assert lines[3].split()[-1] == "6"
    assert "only 6.00 of OOP's 12.00 combos (50.0%)" in lines
    assert grid_of(lines)["Q"][2] == "-"
    node = json.loads(run("spot", "show", spot, "--range", "AA", "--json").stdout)["node"]
    assert len(node["hands"][0]) == 6
    assert len(node["hands"][1]) == 10
    rows = run("spot", "show", spot, "--range", "AA", "--csv").stdout.splitlines()
    assert len(rows) == 1 + 6


def test_classes_narrow_a_range_and_leave_out(run, spot):
    sets = run("spot", "show", spot, "--class", "sets", "--csv").stdout.splitlines()[1:]
    assert {row[:1] + row[2:3] for row in sets} == {"QQ"}
    others = run("spot", "show", spot, "--class", "-sets,!overpair", "--csv").stdout
    assert {row[:1] + row[2:3] for row in others.splitlines()[1:]} == {"JT"}


def test_a_range_is_cut_by_class(run, spot):
    text = run("spot", "show", spot, "--by", "class").stdout
    rows = [line.split() for line in text.splitlines() if line[:4] in ("sets", "over", "midd")]
    assert [row[0] for row in rows] == ["sets", "overpair", "middle-pair"]
    assert [row[1] for row in rows] == ["3", "6", "3"]
    document = json.loads(run("spot", "show", spot, "--by", "class", "--json").stdout)
    assert document["actions"] == ["x", "b10"]
    made = document["parts"]["made hand"]
    assert sum(row["share"] for row in made) == pytest.approx(1.0, abs=1e-5)
    csv_rows = run("spot", "show", spot, "--by", "equity", "--csv").stdout.splitlines()
    assert csv_rows[0] == "cut,part,combos,share,equity,ev,x,b10"
    assert all(row.startswith("equity,") for row in csv_rows[1:])


def test_two_nodes_stand_side_by_side(run, spot):
    lines = run("spot", "show", spot, "-n", "x:x:8h", "--compare", "x:x:3c").stdout.splitlines()
    assert lines[0].startswith("1  OOP acts on QsJh2h8c8h")
    assert lines[1].startswith("2  OOP acts on QsJh2h8c3c")
    first, second, difference = map(float, lines[4].split()[-3:])
    assert difference == pytest.approx(first - second, abs=0.011)
    assert any(line.startswith("check") for line in lines)
    assert any("what is done more at the first node" in line for line in lines)
    texts = {cell for row in grid_of(lines).values() for cell in row}
    assert all(text in "-=" or "+" in text for text in texts)


def test_a_node_beside_itself_differs_by_nothing(run, spot):
    for options in ((), ("--show", "ev"), ("--show", "reach")):
        lines = run("spot", "show", spot, "--compare", "", *options).stdout.splitlines()
        texts = {cell for row in grid_of(lines).values() for cell in row}
        assert texts <= {"-", "=", "0"}
    document = json.loads(run("spot", "show", spot, "--compare", "x", "--json").stdout)
    assert (document["node"]["path"], document["compared"]["path"]) == ("", "x")


def test_a_rough_solution_and_a_rare_node_say_so(run, stored):
    path = stored / "rare_bet"
    root = run("spot", "show", str(path)).stdout
    assert root.splitlines()[0].endswith("60 behind, locked")
    assert "! locked: some hands do here what they were told" in root
    assert "! exploitability is above 1% of the pot: more iterations may" in root
    rare = run("spot", "show", str(path), "--node", "b10").stdout
    assert "! reached in 0.100% of deals, less than 0.5%: play here was hardly learned" in rare
    assert "locked" not in rare


def test_an_action_that_nobody_takes_has_no_value(run, stored):
    path = stored / "no_bet"
    lines = run("spot", "show", str(path)).stdout.splitlines()
    (bet,) = [line for line in lines if line.startswith("B ")]
    assert bet.split()[-4:-2] == ["0.00%", "-"]
