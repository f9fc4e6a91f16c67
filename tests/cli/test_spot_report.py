import csv
import io
import json

import pytest


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
