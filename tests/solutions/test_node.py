"""Tests of `runout.solutions.node`."""

import json

import numpy as np
import pytest

from runout.arrays import divide
from runout.cards.deck import (
    HAND_BY_COMBO,
    NUM_COMBOS,
    NUM_HANDS,
    disjoint_combos,
    parse_canonical_hand,
    parse_cards,
    parse_combo,
)
from runout.cards.ranges import Range
from runout.errors import TreeError
from runout.solutions.node import (
    ExploitabilityUnit,
    HandSpace,
    Node,
    NodeAction,
    NodeKind,
    Quality,
    Unit,
    hand_reach,
    hand_strategy,
    known_mean,
    weight_met,
)
from runout.solutions.tables import Measure, hand_values, range_factors, select_hands
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.writer import write_bundle
from runout.trees.actions import ActionKind
from runout.trees.betting import Street

# --------------------------------------------------------------------------------------------------
# What is derived from the columns of a node.


ALL = np.arange(NUM_COMBOS)


def decision(**changes):
    """Returns a decision of the second player, who holds aces, kings and queens."""
    rng = np.random.default_rng(7)
    weights = np.zeros((2, NUM_COMBOS))
    held = np.isin(HAND_BY_COMBO, [parse_canonical_hand(name) for name in ("AA", "KK", "QQ")])
    weights[:, held] = rng.random((2, held.sum()))
    bet = rng.random(NUM_COMBOS)
    facts = {
        "path": "x",
        "label": "IP",
        "kind": NodeKind.DECISION,
        "street": Street.RIVER,
        "board": (0, 5, 10, 15, 20),
        "unit": Unit.CHIPS,
        "pot": 10.0,
        "stacks": (20.0, 20.0),
        "invested": (0.0, 0.0),
        "players": ("OOP", "IP"),
        "actor": 1,
        "actions": (
            NodeAction("x", "check", ActionKind.CHECK, 0.0),
            NodeAction("b10", "bet 10", ActionKind.BET, 10.0),
        ),
        "next_cards": (),
        "hand_space": HandSpace.COMBOS,
        "is_held": np.stack([held, held]),
        "weights": weights,
        "met_weights": np.stack([weight_met(weights[1]), weight_met(weights[0])]),
        "strategy": np.where(held, np.stack([1.0 - bet, bet]), np.nan),
        "ev": np.where(held, rng.random((2, NUM_COMBOS)), np.nan),
        "action_ev": np.where(held, rng.random((2, NUM_COMBOS)), np.nan),
        "equity": np.where(held, rng.random((2, NUM_COMBOS)), np.nan),
    }
    return Node(**{**facts, **changes})


def test_the_weight_met_leaves_out_cards_in_common():
    weights = np.random.default_rng(1).random(NUM_COMBOS)
    expected = (disjoint_combos(ALL, ALL) * weights).sum(axis=1)
    np.testing.assert_allclose(weight_met(weights), expected)
    only_aces = np.where(parse_combo("AhAs") == ALL, 1.0, 0.0)
    assert weight_met(only_aces)[parse_combo("AhKs")] == 0.0


def test_frequencies_are_means_over_deals():
    node = decision()
    meets = disjoint_combos(ALL, ALL)
    deals = node.weights[1] * (meets * node.weights[0]).sum(axis=1)
    bets = np.nansum(deals * node.strategy[1]) / deals.sum()
    assert node.frequency() == pytest.approx([1.0 - bets, bets])
    assert node.range_ev(1) == pytest.approx(np.nansum(deals * node.ev[1]) / deals.sum())


def test_combos_taken_add_up_to_the_combos_that_arrive():
    node = decision()
    assert node.combos_taken().sum() == pytest.approx(node.combos(1))
    assert node.combos(1) == pytest.approx(node.weights[1].sum())


def test_an_action_that_nobody_takes_has_no_value():
    held = decision().is_held[1]
    node = decision(strategy=np.where(held, np.stack([held * 1.0, held * 0.0]), np.nan))
    check, bet = node.action_values()
    assert np.isnan(bet)
    deals = node.deals(1)
    assert check == pytest.approx(np.nansum(deals * node.action_ev[0]) / deals.sum())


def test_realized_equity_is_what_a_range_gets_of_its_share():
    node = decision(pot=4.0)
    expected = node.range_ev(0) / (4.0 * node.range_equity(0))
    assert node.eqr(0) == pytest.approx(expected)
    assert np.isnan(decision(equity=np.zeros((2, NUM_COMBOS))).eqr(0))


def test_net_evs_count_what_was_put_in_before():
    node = decision(invested=(3.0, 7.0))
    net = node.net()
    for player, spent in enumerate((3.0, 7.0)):
        assert net.range_ev(player) == pytest.approx(node.range_ev(player) - spent)
        assert net.eqr(player) == pytest.approx(node.eqr(player))
        measured = hand_values(net, player, Measure.EQR), hand_values(node, player, Measure.EQR)
        np.testing.assert_allclose(*measured)
    np.testing.assert_allclose(net.action_values(), node.action_values() - 7.0)
    assert net.net() is net


@pytest.mark.parametrize(
    ("street", "players", "name", "number"),
    [
        (None, ("SB", "BB"), "bb", 1),
        (None, ("SB", "BB"), "oop", 1),
        (Street.FLOP, ("BB", "SB"), "bb", 0),
        (Street.FLOP, ("BB", "SB"), "IP", 1),
        (Street.RIVER, ("OOP", "IP"), "ip", 1),
    ],
)
def test_players_are_found_by_blind_and_by_position(street, players, name, number):
    assert decision(street=street, players=players).player_index(name) == number


def test_a_name_of_no_player_is_refused():
    with pytest.raises(TreeError, match="player: 'sb' is none of OOP, IP"):
        decision().player_index("sb")


def test_ranges_that_do_not_meet_have_no_means():
    node = decision(weights=np.zeros((2, NUM_COMBOS)))
    assert np.isnan([node.range_ev(0), node.range_equity(1), *node.frequency()]).all()


def test_hand_means_weight_combos_by_deals():
    node = decision()
    aces = np.flatnonzero(parse_canonical_hand("AA") == HAND_BY_COMBO)
    deals = node.deals(1)[aces]
    means = node.hand_means(node.ev[1])
    expected = (deals * node.ev[1, aces]).sum() / deals.sum()
    assert means[parse_canonical_hand("AA")] == pytest.approx(expected)
    assert np.isnan(means[parse_canonical_hand("72o")])


def test_columns_may_be_the_hands_themselves():
    ones = np.ones((2, NUM_HANDS))
    node = decision(hand_space=HandSpace.HANDS, weights=ones, met_weights=ones)
    assert node.combos(0) == NUM_COMBOS
    assert node.deals(1).tolist() == HandSpace.HANDS.num_combos.tolist()
    assert (node.hand_means(ones[0]) == 1.0).all()


def test_what_has_no_weight_has_no_share():
    np.testing.assert_array_equal(divide(np.ones(2), np.array([0.0, 2.0])), [np.nan, 0.5])


def test_a_mean_skips_what_is_not_known():
    values = np.array([1.0, np.nan, 4.0])
    assert known_mean(values, np.array([2.0, 5.0, 1.0])) == 2.0
    assert np.isnan(known_mean(values, np.array([0.0, 5.0, 0.0])))


def test_paths_go_on_with_a_step():
    assert decision().path_after("b10") == "x:b10"
    assert decision(path="", label="OOP").path_after("x") == "x"
    flop = decision(street=None, path="r2:c", kind=NodeKind.FLOP)
    assert flop.path_after("Td9d6h") == "r2:c:Td9d6h"


def test_a_node_as_a_frame_has_a_row_for_each_hand_and_action():
    pytest.importorskip("pandas")
    node = decision()
    frame = node.to_dataframe()
    facts = ["node", "actor", "action", "label", "hand", "weight", "frequency"]
    assert list(frame.columns) == [*facts, "action_ev_chips", "ev_chips", "equity", "board"]
    assert len(frame) == 2 * node.is_held[1].sum()
    (row,) = frame[(frame.hand == "AsAh") & (frame.action == "b10")].to_dict("records")
    aces = parse_combo("AhAs")
    assert (row["node"], row["actor"]) == ("x", "IP")
    assert row["frequency"] == node.strategy[1, aces]
    assert row["action_ev_chips"] == node.action_ev[1, aces]
    shares = frame.groupby("hand").frequency.sum()
    np.testing.assert_allclose(shares, 1.0)


def test_a_frame_of_a_player_who_does_not_act_has_a_row_for_each_hand():
    node = decision()
    frame = node.to_dataframe(player=0)
    assert set(frame.action) == {""}
    assert frame.hand.is_unique
    assert len(frame) == node.is_held[0].sum()
    over = decision(actor=None, actions=(), strategy=np.zeros((0, NUM_COMBOS)))
    assert set(over.to_dataframe().actor) == {"OOP", "IP"}


def test_a_node_says_in_a_line_what_is_done():
    text = repr(decision())
    assert text.startswith("<Node x: IP; pot ")
    assert "bet 10 " in text
    assert len(text) < 120


def test_a_notebook_shows_the_grid_in_the_colours_of_actions():
    text = decision()._repr_html_()
    assert text.count("<td") == NUM_HANDS
    assert text.count("<tr") == 13
    assert text.index(">AA<") < text.index(">AKs<") < text.index(">AKo<") < text.index(">KK<")
    assert "hsl(0 70%" in text
    over = decision(actor=None, actions=(), strategy=np.zeros((0, NUM_COMBOS)))
    assert over._repr_html_().count("<td") == NUM_HANDS


# --------------------------------------------------------------------------------------------------
# The numbers that the grid of the 169 hands shows.


KINGS, QUEENS = parse_canonical_hand("KK"), parse_canonical_hand("QQ")


def test_values_of_hands_are_means_over_their_deals():
    node = decision()
    kings = HAND_BY_COMBO == KINGS
    deals = np.where(kings, node.deals(1), 0.0)
    ev = hand_values(node, 1, Measure.EV)
    assert ev[KINGS] == pytest.approx(np.nansum(deals * node.ev[1]) / deals.sum())
    assert np.isnan(ev[parse_canonical_hand("72o")])


def test_realized_equity_is_what_is_got_of_what_equity_gives():
    node = decision()
    ev, equity, eqr = (hand_values(node, 0, m) for m in (Measure.EV, Measure.EQUITY, Measure.EQR))
    assert eqr[KINGS] == pytest.approx(ev[KINGS] / (10.0 * equity[KINGS]))


def test_reach_is_a_share_of_the_combos_that_the_board_leaves():
    node = decision(board=parse_cards("Qs7h2h"), street=Street.FLOP)
    weights = node.weights[1, HAND_BY_COMBO == QUEENS]
    node.weights[1, HAND_BY_COMBO == QUEENS] = np.where(weights == weights.max(), 1.0, 0.0)
    assert hand_reach(node, 1)[QUEENS] == pytest.approx(1 / 3)
    assert np.isnan(hand_reach(node, 1)[parse_canonical_hand("72o")])
    part = select_hands(node, 1, range_factors(node, Range("KK")))
    assert np.isnan(hand_values(part, 1, Measure.REACH)[QUEENS])


def test_what_hands_do_adds_up_to_one():
    played = hand_strategy(decision())
    assert played[:, KINGS].sum() == pytest.approx(1.0)
    assert np.isnan(played[:, parse_canonical_hand("72o")]).all()


def test_a_strategy_is_no_single_number():
    with pytest.raises(ValueError, match="more than one number"):
        hand_values(decision(), 1, Measure.STRATEGY)


# --------------------------------------------------------------------------------------------------
# How well something is solved, as JSON and from a manifest.


def test_quality_says_in_which_game_it_was_measured(tmp_path):
    manifest = write_bundle(tmp_path / "b", kind="x", schema_version=1, arrays={}, config_text="a")
    meaning = ExploitabilityMeaning.OWN_GAME
    quality = Quality(0.01, meaning, 5, 2.0, curve=((1, 0.5),), manifest=manifest)
    document = json.loads(json.dumps(quality.to_json()))
    assert document["meaning"] == "own game"
    assert document["explanation"] == meaning.explanation
    assert document["version"] == manifest.package_version
    assert document["processor"] == manifest.machine.processor
    assert document["config_digest"] == manifest.config_digest
    assert document["curve"] == [[1, 0.5]]


def test_what_is_not_saved_comes_from_nowhere():
    quality = Quality(1.0, ExploitabilityMeaning.OWN_GAME, 5, 2.0, ExploitabilityUnit.MBB, 2.0)
    document = quality.to_json()
    assert (document["date"], document["version"]) == (None, None)
    assert document["real_exploitability"] == 2.0


@pytest.mark.parametrize(
    ("exploitability", "unit", "is_rough"),
    [
        (0.0099, ExploitabilityUnit.POT, False),
        (0.0101, ExploitabilityUnit.POT, True),
        (19.0, ExploitabilityUnit.MBB, False),
        (21.0, ExploitabilityUnit.MBB, True),
    ],
)
def test_above_a_hundredth_of_the_pot_a_solution_is_rough(exploitability, unit, is_rough):
    quality = Quality(exploitability, ExploitabilityMeaning.OWN_GAME, 5, 2.0, unit)
    assert quality.is_rough is is_rough
    assert quality.to_json()["rough"] is is_rough
