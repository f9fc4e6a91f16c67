"""Tests of `runout.formats.exports`: files have our numbers, and other programs read them.

Files are held against the schemas in `docs/schemas`, and against readers: of `pious` for HRC, our
own for settings of PioSOLVER and HRC.
"""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pious.hrc.hand import HRCSim

import runout
from runout.cards.deck import format_card
from runout.cli.config import spot_text
from runout.config.load import parse_config
from runout.errors import FormatError
from runout.formats import exports
from runout.formats.imports import read_path, read_text
from runout.solutions import node_files
from runout.solutions.node import NodeKind
from tests.samples.solve_configs import RAW_EQUITY

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
TURN = {
    **{"board": "QsJh2h8c", "oop": "QQ:0.5,TT,AQs", "ip": "KK,KQs,T9s", "pot": 100, "stack": 200},
    **{"bet_sizes": "50%,a", "raise_sizes": "a", "max_iterations": 30},
}


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("exports") / "turn"
    runout.solve_spot(directory=path, **TURN)
    return path


@pytest.fixture(scope="module")
def turn(saved):
    return runout.open(saved)


@pytest.fixture(scope="module")
def preflop():
    return runout.solve_preflop(parse_config(RAW_EQUITY, runout.RunConfig)).view


def written(write, *given):
    stream = io.StringIO()
    number = write(*given[:1], stream, *given[1:])
    return stream.getvalue(), number


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("path", ["", "x", "x:x", "b50:c:As", "b50:a"])
def test_nodes_are_counted_without_a_look(turn, path, depth):
    nodes = list(turn.nodes(path, depth))
    decisions = [node for node in nodes if node.actor is not None]
    assert exports.count_nodes(turn, path, depth) == (len(nodes), len(decisions))


@pytest.mark.parametrize("depth", [0, 2, None])
def test_nodes_before_the_flop_are_counted(preflop, depth):
    nodes = list(preflop.nodes("", depth))
    decisions = [node for node in nodes if node.actor is not None]
    assert exports.count_nodes(preflop, "", depth) == (len(nodes), len(decisions))


# TexasSolver


def look_up(document, view, path=""):
    """Compares a tree of TexasSolver with our nodes, and returns how many nodes it has."""
    node = view.node(path)
    if document["node_type"] == "chance_node":
        assert document["deal_number"] == len(node.next_cards)
        assert document["dealcards"].keys() == set(map(format_card, node.next_cards))
        children = {card: card for card in document["dealcards"]}
    else:
        assert document["player"] == 1 - node.actor
        names = document["actions"]
        amounts = [float(name.split()[1]) for name in names if " " in name]
        assert amounts == [a.amount for a in node.actions if a.code[0] in "bra"]
        raised = {name.split()[0] for name in names if " " in name}
        assert raised <= ({"RAISE"} if "FOLD" in names else {"BET"})
        order = node.hand_space.names
        for hand, row in document["strategy"]["strategy"].items():
            expected = node.strategy[:, order.index(hand)]
            assert row == pytest.approx(np.nan_to_num(expected), abs=1e-6)
        assert len(document["strategy"]["strategy"]) == node.is_held[node.actor].sum()
        children = dict(zip(names, [a.code for a in node.actions], strict=True))
    below = document.get("childrens", document.get("dealcards", {}))
    return 1 + sum(look_up(b, view, node.path_after(children[name])) for name, b in below.items())


@pytest.mark.parametrize("path", ["x:b50", "x:x:As"])
def test_texassolver_has_every_decision_and_its_strategy(turn, path):
    text, number = written(exports.write_texas, turn, path)
    document = json.loads(text)
    validator("texassolver").validate(document)
    assert look_up(document, turn, path) == number
    _, decisions = exports.count_nodes(turn, path, None)
    chances = [n for n in turn.nodes(path, 1) if n.kind is NodeKind.CHANCE and min(n.stacks) > 0]
    assert number == decisions + len(chances)


def test_texassolver_stops_at_a_depth_and_has_no_preflop(turn, preflop):
    document = json.loads(written(exports.write_texas, turn, "x", 0)[0])
    assert "childrens" not in document
    document = json.loads(written(exports.write_texas, turn, "x:x", 1)[0])
    validator("texassolver").validate(document)
    assert document["dealcards"]["As"]["actions"] == ["CHECK", "BET 50.000000", "BET 200.000000"]
    for view, path in ((preflop, ""), (turn, "b50:f")):
        with pytest.raises(FormatError, match="nodes after the flop only"):
            written(exports.write_texas, view, path)


# HRC


@pytest.mark.parametrize("kind", ["turn", "preflop"])
def test_pious_reads_nodes_of_hrc(kind, request, tmp_path):
    view = request.getfixturevalue(kind)
    number = exports.write_hrc(view, tmp_path / "out")
    sim = HRCSim(str(tmp_path / "out"))
    assert len(sim.nodes) == number
    root = view.node()
    scale = 1000 if kind == "preflop" else 1
    put = [round(scale * (s + i)) for s, i in zip(root.stacks, root.invested, strict=True)]
    assert sim.settings.hand_data.stacks == put
    check = validator("hrc-node")
    visited = []

    def visit(theirs, path):
        node = view.node(path)
        check.validate(theirs.as_json())
        visited.append(path)
        assert (theirs.player, theirs.children) == (node.actor, len(node.actions))
        assert len(theirs.sequence) == len(node.trail)
        order = node.hand_space.names
        for name, hand in theirs.get_hands().items():
            column = order.index(name)
            assert hand.weight == pytest.approx(node.weights[node.actor, column], abs=1e-6)
            expected = np.nan_to_num(node.strategy[:, column])
            assert hand.played == pytest.approx(expected, abs=1e-6)
            expected = np.nan_to_num(node.action_ev[:, column])
            assert hand.evs == pytest.approx(expected, abs=1e-6)
        for place, action in enumerate(node.actions):
            after = theirs.take_action(place)
            amount = theirs.get_actions()[place].amount
            if action.code[0] in "bra":
                assert amount == round(scale * action.amount)
            elif action.code == "c":
                to_call = max(node.invested) - node.invested[node.actor]
                assert amount == round(scale * to_call)
            else:
                assert amount == 0
            if after is not None:
                visit(after, node.path_after(action.code))

    visit(sim.get_node(0), "")
    assert len(visited) == number
    streets = {view.node().street_name}
    decisions = [n for n in view.nodes("", 6) if n.actor is not None and n.street_name in streets]
    assert number == len(decisions)


def test_our_import_reads_the_ranges_of_an_hrc_export_back(turn, tmp_path):
    exports.write_hrc(turn, tmp_path / "out", "x", 0)
    items = {item.name: item for item in read_path(tmp_path / "out" / "nodes" / "0.json")[1]}
    node = turn.node("x")
    held = runout.Range(items["all"].keys["range"])
    assert held.weights == pytest.approx(node.weights[1] / node.weights[1].max(), abs=2e-6)
    assert list(items) == ["all", "call 0", "raise 50", "raise 200"]


def test_a_directory_that_is_there_is_not_replaced_and_half_a_one_not_left(
    turn, tmp_path, monkeypatch
):
    exports.write_hrc(turn, tmp_path / "out")
    with pytest.raises(runout.RunoutError, match="exists"):
        exports.write_hrc(turn, tmp_path / "out")
    with pytest.raises(FormatError, match="no player acts there"):
        exports.write_hrc(turn, tmp_path / "other", "x:x")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(exports, "_hrc_settings", fail)
    with pytest.raises(KeyboardInterrupt):
        exports.write_hrc(turn, tmp_path / "third")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# PioSOLVER


@pytest.mark.parametrize("path", ["", "b50:c", "x:x:As:x", "b50:c:2d"])
def test_settings_of_pio_make_the_spot_again(turn, path):
    text, _ = written(exports.write_settings, turn, path)
    program, (item,) = read_text(text, "file")
    assert program == "PioSOLVER"
    config = parse_config(spot_text(item, {})[0])
    node = turn.node(path)
    assert config.board_cards == node.board
    assert (config.pot, config.stack) == (node.pot, min(node.stacks))
    for player, held in enumerate(config.ranges()):
        assert held.weights == pytest.approx(node.weights[player], abs=1e-6)


def test_settings_of_pio_begin_where_no_bet_is_open(turn, preflop):
    with pytest.raises(FormatError, match="a bet is not called there yet"):
        written(exports.write_settings, turn, "b50")
    line = next(node.path for node in preflop.nodes() if node.kind is NodeKind.FLOP)
    text, _ = written(exports.write_settings, preflop, line)
    node = preflop.node(line)
    config = parse_config(spot_text(read_text(text, "file")[1][0], {})[0])
    assert config.pot == pytest.approx(100 * node.pot)
    oop, ip = config.ranges()
    assert oop.hand_weights() == pytest.approx(node.weights[1], abs=1e-6)
    assert ip.hand_weights() == pytest.approx(node.weights[0], abs=1e-6)


def test_a_report_over_cards_has_the_columns_of_pio_and_our_numbers(turn):
    text, _ = written(exports.write_card_report, turn, "x:x")
    rows = list(csv.reader(io.StringIO(text)))
    head, *cards, mean = rows[3:]
    assert head[:4] == ["Flop", "Turn", "River", "Global %"]
    assert head[4:10] == [
        f"{who} {kind}" for who in ("OOP", "IP") for kind in ("Equity", "EV", "EQR")
    ]
    assert head[10:] == ["BET 200 freq", "BET 50 freq", "CHECK freq"]
    assert len(cards) == 48
    assert sum(float(row[3]) for row in cards) == pytest.approx(100.0, abs=0.01)
    for row in cards:
        assert row[:2] == ["Qs Jh 2h", "8c"]
        node = turn.node(f"x:x:{row[2]}")
        assert float(row[4]) == pytest.approx(100 * node.range_equity(0), abs=0.01)
        assert float(row[5]) == pytest.approx(node.range_ev(0), abs=0.01)
        assert float(row[12]) == pytest.approx(100 * node.frequency()[0], abs=0.01)
    weights = [float(row[3]) for row in cards]
    assert float(mean[5]) == pytest.approx(
        np.average([float(row[5]) for row in cards], weights=weights), abs=0.01
    )
    assert mean[:4] == ["All", "", "", "100.0000"]


# Our own documents


@pytest.mark.parametrize(("kind", "path"), [("turn", ""), ("turn", "x:x"), ("preflop", "")])
def test_our_documents_follow_the_schema(kind, path, request):
    view = request.getfixturevalue(kind)
    check = validator("solution")
    stream = io.StringIO()
    node_files.write_json(view, stream, 2, path)
    document = json.loads(stream.getvalue())
    check.validate(document)
    stream = io.StringIO()
    head = node_files.document_head(view.quality)
    check.validate({**head, "node": node_files.node_to_json(view.node(path).net())})
    broken = {**document, "node": {**document["node"], "unit": "euros"}}
    assert not check.is_valid(broken)
    assert not check.is_valid(head)
