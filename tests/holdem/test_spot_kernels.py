"""Visits with random strategies against the twin that deals every card."""

from functools import cache

import numpy as np
import pytest

from runout.cfr.discounting import DCFR
from runout.holdem import spot_kernels
from runout.holdem.card_game import arrive
from runout.holdem.spot_game import SpotGame
from runout.holdem.spot_layouts import (
    NO_NET_WINS,
    Arrival,
    Knowledge,
    RiverSide,
    RiverStreet,
    TurnStreets,
)
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_kernels import EVALUATE, LEARN, RESPOND, VILLAIN_ACTS, Step
from runout.holdem.tables import Precision, make_scratch, make_turn_scratch
from runout.trees.betting import Street
from tests.holdem.small_spots import (
    decisions_of,
    fill_with_noise,
    learned_by,
    make_spot,
    random_range,
    runouts_of,
    weigh,
)
from tests.reference import street_forest
from tests.reference.slow_spot import Learned, SlowSpot, Visit

ZERO = np.float32(0.0)
JUDGING = [(EVALUATE, "evaluate"), (RESPOND, "respond")]
POT = 10.0

both_players = pytest.mark.parametrize("player", [0, 1])
both_judges = pytest.mark.parametrize(("mode", "word"), JUDGING)


def step_in(mode):
    return Step(mode, ZERO, ZERO, ZERO)


@cache
def noisy(street):
    """Returns a solver whose tables are random, and a twin that plays the same strategies."""
    spot = {
        Street.RIVER: make_spot(
            "Ks9d8h4c2c", random_range(30, 1), random_range(20, 2), "50%, a", stack=30, max_raises=1
        ),
        Street.TURN: make_spot("Ks9d8h4h", random_range(20, 3), random_range(9, 4), stack=15),
        Street.FLOP: make_spot(
            "KhTh5h", weigh("AcAd KcQc QhJh 2s2d", 5), weigh("AcAs TsTd 9h8h", 6), merges=False
        ),
    }[street]
    solver, twin = SpotSolver(spot), SlowSpot(spot)
    fill_with_noise(solver.tables)
    for depth, template in enumerate(solver.game.templates):
        for board, runout in enumerate(runouts_of(solver.game, depth)):
            for position in decisions_of(solver.game, depth):
                node = int(template.tree_node[position])
                twin.learned[node, runout] = Learned(*learned_by(solver, depth, board, position))
    return solver, twin


def known_to(player, tables):
    return Knowledge(tables[player], tables[1 - player])


def random_arrival(game, player, rows, card, probability):
    """Returns reach with which the opponent enters the next street, one row for each root."""
    width, num_hands = (
        game.side(1 - player).hands.hero_cards.shape[0],
        num_hands_of(game, 1 - player),
    )
    reach = np.zeros((int(rows.max()) + 1, width), np.float32)
    reach[:, :num_hands] = np.random.default_rng(7).random((len(reach), num_hands))
    return Arrival(reach, rows, card, np.float32(probability))


def root_of(game, player):
    return arrive(game.cards.root_reach(player))


def num_hands_of(game, player):
    return len(game.cards.players[player].combos)


def assert_same(found, expected):
    """Compares rows of hands; what comes after them is padding."""
    np.testing.assert_allclose(found[: len(expected)], expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found[len(expected) :], 0.0)


@both_players
def test_those_who_meet_are_the_possible_hands_of_the_board(player):
    side = noisy(Street.TURN)[0].game.side(player)
    hands, orders = side.hands, side.orders[1]
    for board in (0, 17, len(orders.hero) - 1):
        meeting = spot_kernels.meet(hands, orders, board)
        num_hero, num_villain = orders.num_hero[board], orders.num_villain[board]
        np.testing.assert_array_equal(meeting.hero_order, orders.hero[board, :num_hero])
        np.testing.assert_array_equal(meeting.hero_sums, orders.hero_sums[board, :num_hero])
        np.testing.assert_array_equal(meeting.villain_order, orders.villain[board, :num_villain])
        np.testing.assert_array_equal(
            meeting.villain_sums, orders.villain_sums[board, :num_villain]
        )
        np.testing.assert_array_equal(meeting.hero_cards, hands.hero_cards)
        np.testing.assert_array_equal(meeting.villain_cards, hands.villain_cards)
        np.testing.assert_array_equal(meeting.same, hands.same)


@both_players
@pytest.mark.parametrize("card", [-1, 0, 33])
def test_a_street_is_entered_without_the_hands_that_hold_its_card(card, player):
    game = noisy(Street.TURN)[0].game
    side = game.side(player)
    forest = side.forests[1]
    arrival = random_arrival(game, player, side.forests[0].chance_row, card, 0.25)
    out = np.full((int(forest.group[:, 8].max()), arrival.reach.shape[1]), np.nan, np.float32)
    for group, (begin, _, first, last, *_) in enumerate(forest.group.tolist()):
        spot_kernels.enter_street(arrival, side.hands, forest, group, out)
        for root in range(first, last):
            entered = out[forest.row[begin + forest.root[root]]]
            holds = (side.hands.villain_cards == card).any(axis=1)
            holds[num_hands_of(game, 1 - player) :] = False
            expected = np.where(holds, 0.0, arrival.reach[arrival.row[root]] * 0.25)
            np.testing.assert_array_equal(entered, expected)


@both_judges
@both_players
def test_a_river_is_worth_what_its_twin_finds(player, mode, word):
    solver, twin = noisy(Street.RIVER)
    side = solver.game.side(player)
    meeting = spot_kernels.meet(side.hands, side.orders[0], 0)
    knowledge = known_to(player, solver.tables.on_board(Street.RIVER, 0))
    out = np.full((1, len(side.hands.same)), np.nan, np.float32)
    spot_kernels.visit_last_street(
        side.forests[0],
        side.hands,
        meeting,
        knowledge,
        step_in(mode),
        root_of(solver.game, player),
        side.scratch,
        out,
    )
    assert_same(out[0], twin.root_values(Visit(player, word)))


@both_players
def test_a_street_begins_with_reach_and_folds_and_ends_with_the_values_of_cards(player):
    solver, twin = noisy(Street.TURN)
    side = solver.game.side(player)
    forest, scratch = side.forests[0], side.scratch
    knowledge = known_to(player, solver.tables.on_board(Street.TURN, 0))
    meeting = spot_kernels.meet(side.hands, side.orders[0], 0)
    step = step_in(EVALUATE)
    scratch.value[:] = 0.0
    spot_kernels.begin_street(
        forest, side.hands, meeting, knowledge.villain, step, root_of(solver.game, player), scratch
    )
    weights = knowledge.villain.strategy_sum.astype(np.float64)
    reach = street_forest.push_reach(forest, 0, weights, root_of(solver.game, player).reach)
    np.testing.assert_allclose(scratch.reach[forest.row], reach, rtol=1e-5, atol=1e-8)
    folds = scratch.value[forest.fold].copy()
    for node, value in zip(forest.fold, folds, strict=True):
        leaf = int(solver.game.templates[0].tree_node[node])
        theirs = reach[node][: num_hands_of(solver.game, 1 - player)]
        assert_same(value, twin.value(Visit(player, "evaluate"), leaf, (), theirs))
    chance_value = np.random.default_rng(8).normal(size=(len(forest.chance), folds.shape[1]))
    spot_kernels.end_street(forest, chance_value, knowledge.hero, step, scratch)
    leaf_value = np.zeros(scratch.value.shape)
    leaf_value[forest.fold], leaf_value[forest.chance] = folds, chance_value
    sums = knowledge.hero.strategy_sum.astype(np.float64)
    expected = street_forest.pull_values(forest, 0, sums, leaf_value)
    np.testing.assert_allclose(scratch.value, expected, rtol=1e-4, atol=1e-5)
    assert (forest.kind == VILLAIN_ACTS).any()


def random_images(num_hands, num_cards, seed):
    rng = np.random.default_rng(seed)
    image = np.array([rng.permutation(num_hands) for _ in range(24)])
    images = np.full((num_cards, 3), -1)
    for row in images:
        count = rng.integers(0, 4)
        row[:count] = rng.choice(24, count, replace=False)
    return image, images


def test_cards_of_a_class_are_added_through_the_images_of_hands():
    values = np.random.default_rng(9).normal(size=(6, 3, 32)).astype(np.float32)
    image, images = random_images(32, 6, seed=10)
    assert set((images >= 0).sum(axis=1)) >= {0, 2, 3}
    expected = np.zeros((3, 32))
    for value, numbers in zip(values, images, strict=True):
        total = np.ones((3, 32))
        one = value.astype(np.float64)
        for number in numbers[numbers >= 0]:
            one = one + value[:, image[number]]
        spot_kernels.add_card(value, image, numbers, total)
        np.testing.assert_allclose(total, one + 1.0, atol=1e-12)
        expected += one
    found = np.full((3, 32), np.nan)
    spot_kernels.add_cards(values, image, images, found)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@both_judges
@both_players
def test_turn_cards_are_worth_what_their_twin_finds(player, mode, word):
    solver, twin = noisy(Street.FLOP)
    game, side = solver.game, solver.game.side(player)
    turn_deal, river_deal = game.cards.deals
    streets = TurnStreets(
        side.hands, *side.forests[1:], *side.orders[1:], turn_deal, river_deal, NO_NET_WINS
    )
    scratch = make_turn_scratch(game.templates, game.cards, player, Precision.SINGLE)
    for number in (0, 30):
        card = int(turn_deal.card[number])
        rivers = range(*turn_deal.first_next[number : number + 2])
        turn, river = (
            known_to(player, solver.tables.on_board(Street.TURN, number)),
            known_to(player, solver.tables.on_boards(Street.RIVER, rivers)),
        )
        arrival = random_arrival(game, player, side.forests[0].chance_row, card, 1.0 / 45.0)
        out = np.full((len(arrival.row), len(side.hands.same)), np.nan, np.float32)
        spot_kernels.visit_turn(streets, number, turn, river, step_in(mode), arrival, scratch, out)
        for root, node in enumerate(game.templates[1].root_of):
            theirs = entering(game, 1 - player, arrival, root)
            assert_same(out[root], twin.value(Visit(player, word), node, (card,), theirs))


def entering(game, villain, arrival, root):
    """Returns the reach of a root after its card, without padding."""
    reach = arrival.reach[arrival.row[root]][: num_hands_of(game, villain)].astype(np.float64)
    cards = game.cards.players[villain].cards()[: len(reach)]
    return reach * float(arrival.probability) * ~(cards == arrival.card).any(axis=1)


@both_judges
@both_players
def test_river_cards_are_worth_what_their_twin_finds(player, mode, word):
    solver, twin = noisy(Street.TURN)
    game, side = solver.game, solver.game.side(player)
    (deal,) = game.cards.deals
    street = RiverStreet(side.hands, side.forests[1], side.orders[1], deal)
    knowledge = known_to(player, solver.tables.by_street[1])
    scratch = make_scratch(game.templates[1], game.cards, player, Precision.SINGLE)
    rows = side.forests[0].chance_row
    arrival = random_arrival(game, player, rows, -1, deal.probability)
    out = np.full((len(deal.card), len(rows), len(side.hands.same)), np.nan, np.float32)
    boards = np.array([0, 5, len(deal.card) - 1])
    spot_kernels.visit_rivers(street, boards, knowledge, step_in(mode), arrival, scratch, out)
    for board in boards:
        card = int(deal.card[board])
        for root, node in enumerate(game.templates[1].root_of):
            theirs = entering(game, 1 - player, arrival._replace(card=card), root)
            assert_same(out[board, root], twin.value(Visit(player, word), node, (card,), theirs))
    others = np.setdiff1d(np.arange(len(deal.card)), boards)
    assert np.isnan(out[others]).all()


def test_iterations_of_a_river_in_one_call_are_visits_in_turn():
    spot = noisy(Street.RIVER)[0].game.spot
    by_visits, at_once = SpotSolver(spot), SpotSolver(spot)
    weights = np.array([DCFR.weights(t) for t in range(4)], np.float32)
    for row in weights:
        for player in (0, 1):
            reach = by_visits.root_reach[player]
            by_visits.game.visit(player, Step(LEARN, *row), by_visits.tables, reach)
    sides = [river_side(at_once.game, player) for player in (0, 1)]
    outs = tuple(np.zeros((1, len(side.hands.same)), np.float32) for side in sides)
    tables = at_once.tables.on_board(Street.RIVER, 0)
    spot_kernels.iterate_river(tuple(sides), tables, weights, outs)
    for ours, theirs in zip(
        by_visits.tables.by_street[0], at_once.tables.by_street[0], strict=True
    ):
        np.testing.assert_array_equal(ours.regret, theirs.regret)
        np.testing.assert_array_equal(ours.strategy_sum, theirs.strategy_sum)


def river_side(game: SpotGame, player):
    side = game.side(player)
    meeting = spot_kernels.meet(side.hands, side.orders[0], 0)
    return RiverSide(side.forests[0], side.hands, meeting, root_of(game, player), side.scratch)
