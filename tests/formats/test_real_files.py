"""Files that PioSOLVER and HRC wrote themselves, as the package `pious` brings them."""

import csv
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import runout
from runout.cards.ranges import Range
from runout.cli.config import spot_text
from runout.config.load import parse_config
from runout.formats import exports
from runout.formats.imports import read_path

PIOUS = Path(str(files("pious")))
SAVES = sorted((PIOUS / "pio" / "resources").glob("*/*.cfr"))
NODES = sorted((PIOUS / "hrc" / "resources" / "sims").glob("*/nodes/*.json"))
REPORT = PIOUS / "pio" / "resources" / "aggregation" / "Root" / "report.csv"


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_saves_of_piosolver_become_spots(path):
    program, (item,) = read_path(path)
    text, left_out = spot_text(item, {})
    config = parse_config(text)
    assert (program, left_out) == ("PioSOLVER", [])
    assert (config.pot, config.stack) == (300, 850 if path.stem == "Kh7h2c" else 300)
    assert (config.rake_rate, config.rake_cap, config.force_all_in_share) == (0.045, 1.5, 0.67)
    tree = config.tree()
    paths = {tree.path(node) for node in range(tree.num_nodes)}
    # Bets of the whole pot of 300; more than two thirds of the stack are all-in.
    assert {"b300", "a"} & paths == ({"b300", "a"} if config.stack > 450 else {"a"})


def test_there_are_saves_and_nodes():
    assert len(SAVES) == 9
    assert len(NODES) == 325


def test_every_node_of_an_export_of_hrc_is_read():
    for path in NODES:
        document = json.loads(path.read_text())
        program, items = read_path(path)
        assert program == "WASM Postflop or HRC"
        weights = {hand: each["weight"] for hand, each in document["hands"].items()}
        reached = any(weights.values())
        assert items[0].name == ("all" if reached else items[0].name)
        held = Range(items[0].keys["range"]).hand_weights()
        for hand, weight in weights.items():
            column = int(np.flatnonzero(Range(hand).hand_weights())[0])
            assert held[column] == pytest.approx(weight, abs=1e-5)


def test_our_nodes_have_the_keys_of_hrc(tmp_path):
    spot = {"board": "QsJh2h8c3d", "oop": "AA", "ip": "KK", "pot": 10, "stack": 10}
    view = runout.solve_spot(**spot, max_iterations=5).view
    exports.write_hrc(view, tmp_path / "out")
    ours = json.loads((tmp_path / "out" / "nodes" / "0.json").read_text())
    theirs = json.loads(NODES[0].read_text())
    assert ours.keys() == theirs.keys()
    hands = [next(iter(each["hands"].values())).keys() for each in (ours, theirs)]
    assert hands[0] == hands[1]
    settings = NODES[0].parents[1] / "settings.json"
    theirs = json.loads(settings.read_text())
    ours = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert {key: set(ours[key]) for key in ours} == {key: set(theirs[key]) for key in theirs}


def test_reports_over_cards_have_the_columns_of_pioviewer(tmp_path):
    spot = {"board": "QsJh2h8c", "oop": "AA,KT", "ip": "KK,AQ", "pot": 10, "stack": 30}
    view = runout.solve_spot(**spot, bet_sizes="100%", max_iterations=5).view
    with (tmp_path / "report.csv").open("w", newline="") as stream:
        exports.write_card_report(view, stream, "x:x")
    ours, theirs = (
        list(csv.reader(path.read_text().splitlines()))[3:]
        for path in (tmp_path / "report.csv", REPORT)
    )
    assert [name for name in ours[0] if name not in ("Turn", "River") and "freq" not in name] == [
        name for name in theirs[0] if "freq" not in name
    ]
    assert [name.split()[0] for name in theirs[0][-2:]] == ["BET", "CHECK"]
    assert [name.split()[0] for name in ours[0][-2:]] == ["BET", "CHECK"]
    # Columns have the same units: both EQRs are percent of what equity would give.
    for rows, pot in ((ours, 10), (theirs, 300)):
        column = {name: rows[0].index(name) for name in ("OOP Equity", "OOP EV", "OOP EQR")}
        for row in rows[1:-1]:
            equity, ev, eqr = (float(row[place]) for place in column.values())
            assert eqr == pytest.approx(100 * ev / (pot * equity / 100), rel=2e-3)
