"""Tests of `runout.holdem.visit_kernels`."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from runout.cfr.cfr_kernels import EVALUATE, EVALUATING, LEARN, RESPOND, RESPONDING, Step
from runout.cfr.schedules import DCFR
from runout.holdem import bucket_kernels, street_kernels, visit_kernels
from runout.holdem.game import CardGame, arrive
from runout.holdem.solver import SpotSolver
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Scratch
from runout.holdem.tables import Precision, plan_scratch
from runout.holdem.visit_kernels import (
    NO_NET_WINS,
    Arrival,
    BothTables,
    RiverSide,
    TurnStreets,
    TurnTables,
)
from runout.simd.decision_kernels import Learning
from runout.simd.product_kernels import multiply_buckets
from runout.trees.betting import Street
from tests.reference import slow_compact, street_forest
from tests.reference.slow_spot import Learned, SlowSpot, Visit
from tests.samples.small_compact import (
    NUM_BUCKETS,
    random_learning,
    random_tables,
    scratch_of,
    small_game,
    streets_of,
)
from tests.samples.small_spots import (
    decisions_of,
    fill_with_noise,
    learned_by,
    make_spot,
    random_range,
    runouts_of,
    weigh,
)
from tests.simd.forms import in_form

# --------------------------------------------------------------------------------------------------
# Visits of one bucket game against products and sums in float64.


GAME = 7
both_players = pytest.mark.parametrize("player", [0, 1])
every_mode = pytest.mark.parametrize("mode", [LEARN, RESPOND, EVALUATE])


def in_mode(mode):
    return Step(mode, np.float32(0.75), np.float32(0.5), np.float32(0.9))


def played(learning, mode):
    return (learning.regret if mode == LEARN else learning.strategy_sum).astype(np.float64)


def copy_of(learning):
    return Learning(*(part.copy() for part in learning))


def enter(player, has_rake=False):
    """Returns what kernels read, a space whose roots are reached at random, and the reach."""
    game = small_game(has_rake)
    streets, space = streets_of(game, player), scratch_of(game, player).game
    forest = streets.river
    root_reach = np.random.default_rng(3).random((len(forest.root), NUM_BUCKETS))
    root_reach = root_reach.astype(np.float32)
    space.reach[:] = np.nan
    space.reach[forest.row[forest.root]] = root_reach
    return streets, space, root_reach


def test_rivers_of_the_tests_have_decisions_of_every_kind():
    forest = small_game().templates[2].forests[0]
    assert {2, 3, 4} <= set(forest.num_children.tolist())


@every_mode
@both_players
def test_reach_and_sums_match_their_twin(player, mode):
    streets, space, root_reach = enter(player)
    forest = streets.river
    villain = random_tables(small_game(), player).villain
    before = copy_of(villain)
    step = in_mode(mode)
    street_kernels.push_reach(forest, 0, villain, step, space)
    reach = street_forest.push_reach(forest, 0, played(before, mode), root_reach)
    np.testing.assert_allclose(space.reach[forest.row], reach, rtol=1e-5, atol=1e-7)
    expected = before.strategy_sum.astype(np.float64)
    if mode == LEARN:
        for node in street_forest.nodes_of(forest, 0, VILLAIN_ACTS):
            children, actions = street_forest.actions_of(forest, 0, node)
            expected[actions] = expected[actions] * step.strategy + reach[children]
    np.testing.assert_allclose(villain.strategy_sum, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(villain.regret, before.regret)


@every_mode
@both_players
def test_values_and_regrets_match_their_twin(player, mode):
    streets, space, _ = enter(player)
    forest = streets.river
    hero = random_tables(small_game(), player).hero
    before, step = copy_of(hero), in_mode(mode)
    leaves = np.random.default_rng(4).normal(size=space.value.shape).astype(np.float32)
    space.value[:] = leaves
    street_kernels.pull_values(forest, 0, hero, step, space)
    weights = None if mode == RESPOND else played(before, mode)
    value = street_forest.pull_values(forest, 0, weights, leaves)
    np.testing.assert_allclose(space.value, value, rtol=1e-4, atol=1e-5)
    expected = before.regret.astype(np.float64)
    if mode == LEARN:
        for node in street_forest.nodes_of(forest, 0, HERO_ACTS):
            children, actions = street_forest.actions_of(forest, 0, node)
            old = expected[actions]
            decay = np.where(old > 0.0, step.positive_regret, step.negative_regret)
            expected[actions] = old * decay + value[children] - value[node]
    np.testing.assert_allclose(hero.regret, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(hero.strategy_sum, before.strategy_sum)


@both_players
def test_rows_of_terminals_are_products_with_a_matrix(player):
    streets, space, _ = enter(player)
    rng = np.random.default_rng(5)
    space.reach[:] = rng.random(space.reach.shape)
    matrix = rng.normal(size=(NUM_BUCKETS, NUM_BUCKETS)).astype(np.float32)
    folds, nodes = streets.river.folds, small_game().templates[2].forests[player].folds.node
    space.value[:] = 1.0
    expected = np.ones(space.value.shape)
    multiply = in_form(multiply_buckets, "chosen")
    multiply(matrix, space.reach, folds, False, space.value)
    for node, row, payoff in zip(*folds, strict=True):
        expected[node] = payoff * (space.reach[row].astype(np.float64) @ matrix)
    np.testing.assert_allclose(space.value, expected, rtol=1e-4, atol=1e-4)
    once = folds._replace(payoff=np.where(np.arange(len(folds.row)) < len(nodes), folds.payoff, 0))
    multiply(matrix, space.reach, once, True, space.value)
    expected[nodes] *= 2.0
    np.testing.assert_allclose(space.value, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_rake", [False, True])
@every_mode
@both_players
def test_a_game_is_worth_what_its_twin_finds(player, mode, has_rake):
    streets, space, root_reach = enter(player, has_rake)
    meets, wins = streets.games.meets[GAME], streets.games.wins[GAME]
    both = random_tables(small_game(has_rake), player)
    weights = [played(copy_of(side), mode) for side in both]
    bucket_kernels.play_game(streets.river, streets.roots, meets, wins, both, in_mode(mode), space)
    expected = slow_compact.value_game(
        small_game(has_rake).templates[2].forests[player],
        meets.astype(np.float64),
        wins.astype(np.float64),
        root_reach,
        weights[1],
        None if mode == RESPOND else weights[0],
    )
    found = space.value[streets.river.root]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    met = space.met[: len(root_reach)]
    np.testing.assert_allclose(met, root_reach @ meets, rtol=1e-4, atol=1e-5)


# --------------------------------------------------------------------------------------------------
# The visit of a turn card against its definition, river card by river card.


TURN = 4


def stack(learnings):
    return Learning(*(np.stack(parts) for parts in zip(*learnings, strict=True)))


def tables_of(game, player):
    """Returns tables of the turn and of all games, as a player sees them."""
    widths = [game.cards.players[who].width for who in (player, 1 - player)]
    first, end = game.card_tables.games[0].first_game[TURN : TURN + 2]
    turn, river = [], []
    for number, who in enumerate((player, 1 - player)):
        turn.append(random_learning(game.templates[1].num_actions[who], widths[number], number))
        actions = game.templates[2].num_actions[who]
        river.append(
            stack(
                [
                    # Games before the turn card's are not looked at.
                    random_learning(actions, NUM_BUCKETS, 99 * max(g, first) + who)
                    for g in range(end)
                ]
            )
        )
    return BothTables(*turn), BothTables(*river)


def expected_chances(game, player, river, lanes, mode):
    """Returns ``[lanes, H]`` what hands win on all rivers."""
    streets = streets_of(game, player)
    games, hands = streets.games, streets.hands
    first, end = games.first_game[TURN : TURN + 2]
    total = np.zeros((len(lanes), len(hands.hero_cards)))
    for number in range(first, end):
        cards = games.cards[number, : games.num_cards[number]].tolist()
        entering = slow_compact.enter_game(
            cards, games.villain[number], hands.villain_cards, lanes, NUM_BUCKETS
        )
        villain, hero = (
            side.strategy_sum[number].astype(np.float64) for side in (river.villain, river.hero)
        )
        forest = streets.river
        weights = None if mode == RESPOND else hero
        meets, wins = games.meets[number], games.wins[number]
        won = slow_compact.value_game(forest, meets, wins, entering, villain, weights)
        met = entering @ meets
        per_unit = np.divide(won, met, out=np.zeros_like(won), where=met > 1e-9)
        total += slow_compact.leave_game(
            cards, games.hero[number], hands.hero_cards, hands.villain_cards, lanes, per_unit
        )
    return total


@pytest.mark.parametrize(("mode", "step"), [(EVALUATE, EVALUATING), (RESPOND, RESPONDING)])
@pytest.mark.parametrize("player", [0, 1])
def test_a_turn_card_is_worth_what_its_rivers_are_worth(player, mode, step):
    game = small_game()
    streets, scratch, hands = streets_of(game, player), scratch_of(game, player), game.hands(player)
    turn, river = tables_of(game, player)
    deal = game.cards.deals[0]
    chance_row = game.templates[0].forests[player].chance_row
    num_hands = len(game.cards.players[1 - player].combos)
    reach = np.zeros((int(chance_row.max()) + 1, len(hands.villain_cards)), np.float32)
    reach[:, :num_hands] = np.random.default_rng(6).random((len(reach), num_hands))
    arrival = Arrival(reach, chance_row, int(deal.card[TURN]), deal.probability)
    outs = np.zeros((len(deal.card), len(chance_row), len(hands.hero_cards)), np.float32)
    tables = TurnTables(BothTables(*(stack([side]) for side in turn)), river, TURN, 0)
    before, number = arrival._replace(card=-1), np.array([TURN])
    bucket_kernels.visit_turns(streets, number, tables, step, before, scratch, outs)
    out = outs[TURN]

    entering = reach[chance_row].astype(np.float64) * deal.probability
    entering[:, (hands.villain_cards == arrival.card).any(axis=1)] = 0.0
    forest = streets.turn.forest
    down = street_forest.push_reach(
        forest, 0, turn.villain.strategy_sum.astype(np.float64), entering
    )
    value = np.zeros((len(forest.kind), len(hands.hero_cards)))
    is_live = ~(hands.hero_cards == arrival.card).any(axis=1)
    for node, gain in zip(forest.folds.node, forest.folds.payoff, strict=True):
        for hand in np.flatnonzero(is_live):
            cards = hands.hero_cards[hand].tolist()
            met = slow_compact.met_by(cards, hands.villain_cards, down[node][None], -1)
            value[node, hand] = gain * met[0]
    lanes = down[forest.chance] * float(game.cards.deals[1].probability)
    value[forest.chance] = expected_chances(game, player, river, lanes, mode)
    weights = None if mode == RESPOND else turn.hero.strategy_sum.astype(np.float64)
    expected = street_forest.pull_values(forest, 0, weights, value)[forest.root]
    real = len(game.cards.players[player].combos)
    np.testing.assert_allclose(out[:, :real], expected[:, :real], rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("player", [0, 1])
def test_turn_cards_are_visited_one_after_the_other_and_others_left_alone(player):
    game = small_game()
    streets, scratch, hands = streets_of(game, player), scratch_of(game, player), game.hands(player)
    turn, river = tables_of(game, player)
    deal, row = game.cards.deals[0], game.templates[0].forests[player].chance_row
    on_every_card = BothTables(*(stack([side] * len(deal.card)) for side in turn))
    reach = np.ones((int(row.max()) + 1, len(hands.villain_cards)), np.float32)
    numbers = np.array([TURN, 0])
    out = np.full((len(deal.card), len(row), len(hands.hero_cards)), -7.0, np.float32)
    arrival = Arrival(reach, row, -1, deal.probability)
    tables = TurnTables(on_every_card, river, 0, 0)
    bucket_kernels.visit_turns(streets, numbers, tables, EVALUATING, arrival, scratch, out)
    for number in range(len(deal.card)):
        alone = np.full_like(out, -7.0)
        if number in numbers:
            one = np.array([number])
            bucket_kernels.visit_turns(streets, one, tables, EVALUATING, arrival, scratch, alone)
        np.testing.assert_array_equal(out[number], alone[number])


def test_the_tables_of_one_board_are_a_part_of_all():
    hero, villain = (
        stack([random_learning(3, 16, seed) for seed in seeds]) for seeds in ((0, 1, 2), (3, 4, 5))
    )
    part = visit_kernels.on_board(BothTables(hero, villain), 2)
    for one, every in zip((*part.hero, *part.villain), (*hero, *villain), strict=True):
        np.testing.assert_array_equal(one, every[2])


@pytest.mark.parametrize("player", [0, 1])
def test_a_turn_begins_with_the_card_of_its_number(player):
    game = small_game()
    streets, scratch = streets_of(game, player), scratch_of(game, player).turn
    forest, hands = streets.turn.forest, streets.hands
    deal, row = game.cards.deals[0], game.templates[0].forests[player].chance_row
    reach = np.ones((int(row.max()) + 1, len(hands.villain_cards)), np.float32)
    villain = tables_of(game, player)[0].villain
    before = Arrival(reach, row, -1, np.float32(1.0))
    begun = visit_kernels.begin_turn(
        hands, streets.turn, TURN, villain, EVALUATING, before, scratch
    )
    found = scratch.reach.copy(), scratch.value[forest.folds.node].copy()
    matchups = visit_kernels.meet(hands, streets.turn.orders, TURN)
    dealt = Arrival(reach, row, int(deal.card[TURN]), deal.probability)
    visit_kernels.begin_street(forest, matchups, villain, EVALUATING, dealt, scratch)
    np.testing.assert_array_equal(found[0], scratch.reach)
    np.testing.assert_array_equal(found[1], scratch.value[forest.folds.node])
    np.testing.assert_array_equal(begun.hero_order, matchups.hero_order)


def test_what_roots_are_worth_leaves_a_street():
    forest = small_game().templates[1].forests[0]
    value = np.random.default_rng(1).random((len(forest.kind), 16)).astype(np.float32)
    out = np.zeros((len(forest.root), 16), np.float32)
    visit_kernels.leave_street(forest, 0, value, out)
    np.testing.assert_array_equal(out, value[forest.root])


# --------------------------------------------------------------------------------------------------
# Visits with random strategies against the twin that deals every card.


ZERO = np.float32(0.0)
JUDGING = [(EVALUATE, "evaluate"), (RESPOND, "respond")]
POT = 10.0

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


def seen_from(player, tables):
    return BothTables(tables[player], tables[1 - player])


def random_arrival(game, player, rows, card, probability):
    """Returns reach with which the opponent enters the next street, one row for each root."""
    width, num_hands = (
        game.hands(1 - player).hero_cards.shape[0],
        num_hands_of(game, 1 - player),
    )
    reach = np.zeros((int(rows.max()) + 1, width), np.float32)
    reach[:, :num_hands] = np.random.default_rng(7).random((len(reach), num_hands))
    return Arrival(reach, rows, card, np.float32(probability))


def side_of(game, player):
    """Returns hands, forests and orders as a player sees them."""
    return SimpleNamespace(
        hands=game.hands(player),
        forests=[template.forests[player] for template in game.templates],
        orders=[both[player] for both in game.card_tables.orders],
    )


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
    side = side_of(noisy(Street.TURN)[0].game, player)
    hands, orders = side.hands, side.orders[1]
    for board in (0, 17, len(orders.hero) - 1):
        matchups = visit_kernels.meet(hands, orders, board)
        num_hero, num_villain = orders.num_hero[board], orders.num_villain[board]
        np.testing.assert_array_equal(matchups.hero_order, orders.hero[board, :num_hero])
        np.testing.assert_array_equal(matchups.hero_sums, orders.hero_sums[board, :num_hero])
        np.testing.assert_array_equal(matchups.villain_order, orders.villain[board, :num_villain])
        np.testing.assert_array_equal(
            matchups.villain_sums, orders.villain_sums[board, :num_villain]
        )
        np.testing.assert_array_equal(matchups.hands.hero_cards, hands.hero_cards)
        np.testing.assert_array_equal(matchups.hands.villain_cards, hands.villain_cards)
        np.testing.assert_array_equal(matchups.hands.same, hands.same)


@both_players
@pytest.mark.parametrize("card", [-1, 0, 33])
def test_a_street_is_entered_without_the_hands_that_hold_its_card(card, player):
    game = noisy(Street.TURN)[0].game
    side = side_of(game, player)
    forest = side.forests[1]
    arrival = random_arrival(game, player, side.forests[0].chance_row, card, 0.25)
    out = np.full((int(forest.group[:, 8].max()), arrival.reach.shape[1]), np.nan, np.float32)
    for group, (begin, _, first, last, *_) in enumerate(forest.group.tolist()):
        visit_kernels.enter_street(arrival, side.hands, forest, group, out)
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
    side = side_of(solver.game, player)
    both = seen_from(player, solver.tables.on_board(Street.RIVER, 0))
    out = np.full((1, len(side.hands.same)), np.nan, np.float32)
    on_river = river_side(solver.game, player)
    visit_kernels.visit_last_street(on_river, both, step_in(mode), out)
    assert_same(out[0], twin.root_values(Visit(player, word)))


@both_players
def test_a_street_begins_with_reach_and_folds_and_ends_with_the_values_of_cards(player):
    solver, twin = noisy(Street.TURN)
    side = side_of(solver.game, player)
    forest, scratch = side.forests[0], solver.game.workspace.sides[player].first
    both = seen_from(player, solver.tables.on_board(Street.TURN, 0))
    matchups = visit_kernels.meet(side.hands, side.orders[0], 0)
    step = step_in(EVALUATE)
    scratch.value[:] = 0.0
    visit_kernels.begin_street(
        forest, matchups, both.villain, step, root_of(solver.game, player), scratch
    )
    weights = both.villain.strategy_sum.astype(np.float64)
    reach = street_forest.push_reach(forest, 0, weights, root_of(solver.game, player).reach)
    np.testing.assert_allclose(scratch.reach[forest.row], reach, rtol=1e-5, atol=1e-8)
    folds = scratch.value[forest.folds.node].copy()
    for node, value in zip(forest.folds.node, folds, strict=True):
        leaf = int(solver.game.templates[0].tree_node[node])
        theirs = reach[node][: num_hands_of(solver.game, 1 - player)]
        assert_same(value, twin.value(Visit(player, "evaluate"), leaf, (), theirs))
    chance_value = np.random.default_rng(8).normal(size=(len(forest.chance), folds.shape[1]))
    visit_kernels.end_street(forest, chance_value, both.hero, step, scratch)
    leaf_value = np.zeros(scratch.value.shape)
    leaf_value[forest.folds.node], leaf_value[forest.chance] = folds, chance_value
    sums = both.hero.strategy_sum.astype(np.float64)
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
        visit_kernels.add_card(value, image, numbers, total)
        np.testing.assert_allclose(total, one + 1.0, atol=1e-12)
        expected += one
    found = np.full((3, 32), np.nan)
    visit_kernels.add_cards(values, image, images, found)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@both_judges
@both_players
def test_turn_cards_are_worth_what_their_twin_finds(player, mode, word):
    solver, twin = noisy(Street.FLOP)
    game, side = solver.game, side_of(solver.game, player)
    turn_deal, _ = game.cards.deals
    turn, river = (
        game.card_tables.deal_street(game.templates, street, player)
        for street in (Street.TURN, Street.RIVER)
    )
    streets = TurnStreets(side.hands, turn, river, NO_NET_WINS)
    scratch = game.workspace.sides[player].workers[0]
    for number in (0, 30):
        card = int(turn_deal.card[number])
        rivers = range(*turn_deal.first_next[number : number + 2])
        tables = TurnTables(
            seen_from(player, solver.tables.on_boards(Street.TURN, range(number, number + 1))),
            seen_from(player, solver.tables.on_boards(Street.RIVER, rivers)),
            number,
            rivers.start,
        )
        arrival = random_arrival(game, player, side.forests[0].chance_row, card, 1.0 / 45.0)
        shape = (len(turn_deal.card), len(arrival.row), len(side.hands.same))
        out, one = np.full(shape, np.nan, np.float32), np.array([number])
        visit_kernels.visit_turns(streets, one, tables, step_in(mode), arrival, scratch, out)
        for root, node in enumerate(game.templates[0].next_roots):
            theirs = entering(game, 1 - player, arrival, root)
            assert_same(out[number, root], twin.value(Visit(player, word), node, (card,), theirs))


def entering(game, villain, arrival, root):
    """Returns the reach of a root after its card, without padding."""
    reach = arrival.reach[arrival.row[root]][: num_hands_of(game, villain)].astype(np.float64)
    cards = game.cards.players[villain].cards()[: len(reach)]
    return reach * float(arrival.probability) * ~(cards == arrival.card).any(axis=1)


@both_judges
@both_players
def test_river_cards_are_worth_what_their_twin_finds(player, mode, word):
    solver, twin = noisy(Street.TURN)
    game, side = solver.game, side_of(solver.game, player)
    (deal,) = game.cards.deals
    street = game.card_tables.deal_street(game.templates, 1, player)
    both = seen_from(player, solver.tables.by_street[1])
    scratch = plan_scratch(game.templates[1], game.cards.widths, player, Precision.SINGLE).build(
        Scratch
    )
    rows = side.forests[0].chance_row
    arrival = random_arrival(game, player, rows, -1, deal.probability)
    out = np.full((len(deal.card), len(rows), len(side.hands.same)), np.nan, np.float32)
    boards = np.array([0, 5, len(deal.card) - 1])
    visit_kernels.visit_rivers(
        side.hands, street, boards, both, step_in(mode), arrival, scratch, out
    )
    for board in boards:
        card = int(deal.card[board])
        for root, node in enumerate(game.templates[0].next_roots):
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
    outs = tuple(np.zeros((1, len(side.matchups.hands.same)), np.float32) for side in sides)
    tables = at_once.tables.on_board(Street.RIVER, 0)
    visit_kernels.iterate_river(tuple(sides), tables, LEARN, weights, 2, outs)
    for ours, theirs in zip(
        by_visits.tables.by_street[0], at_once.tables.by_street[0], strict=True
    ):
        np.testing.assert_array_equal(ours.regret, theirs.regret)
        np.testing.assert_array_equal(ours.strategy_sum, theirs.strategy_sum)


def river_side(game: CardGame, player):
    side = side_of(game, player)
    scratch = game.workspace.sides[player].first
    matchups = visit_kernels.meet(side.hands, side.orders[0], 0)
    return RiverSide(side.forests[0], matchups, root_of(game, player), scratch)


def test_rows_are_multiplied_by_the_factors_of_a_board():
    rng = np.random.default_rng(3)
    factors, rows = rng.random((3, 32)).astype(np.float32), rng.random((4, 32))
    expected = rows * factors[2]
    visit_kernels.scale_rows(factors, 2, rows)
    np.testing.assert_allclose(rows, expected)
    visit_kernels.scale_rows(np.zeros((0, 32), np.float32), 2, rows)  # all cards are there
    np.testing.assert_allclose(rows, expected)


def test_what_the_drawn_cards_miss_is_added_as_a_product():
    rng = np.random.default_rng(4)
    codes = rng.integers(-127, 128, (48, 32)).astype(np.int8)
    reach, row = rng.random((5, 48)).astype(np.float32), np.array([3, 0, 3], np.int32)
    stake, found = np.array([1.0, 2.5, 0.5], np.float32), rng.random((3, 32))
    expected = found + stake[:, None] * reach[row] @ codes.astype(np.float64)
    visit_kernels.add_missed(codes, row, stake, reach, found)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
