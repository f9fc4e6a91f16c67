import inspect

import numpy as np
import pytest

from runout.cfr.cfr_kernels import EVALUATE, LEARN, RESPOND, Step
from runout.holdem import street_kernels, terminal_kernels
from runout.holdem import visit_kernels as spot_kernels
from runout.holdem.cards import NO_RAKE, CardsToCome, Rake
from runout.holdem.forest import make_templates
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Scratch
from runout.holdem.tables import Precision, hands_seen_from, orders_of, plan_scratch
from runout.jit import kernel
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street
from tests.reference import street_forest as reference
from tests.reference.showdowns import strengths_on
from tests.reference.terminals import value_of_fold, value_of_showdown
from tests.samples.small_spots import make_tree, random_range

#: Inside a kernel it is compiled, and alone it is not.
value_terminals = kernel(inspect.unwrap(terminal_kernels.value_terminals))

TREE = make_tree("50%, 100%, a", 10, 100, Street.TURN, 2)
MOST_NODES = 200
TEMPLATES = make_templates(TREE, NO_RAKE, MOST_NODES)
BOARD = (0, 13, 26, 39, 51)
CARDS = CardsToCome.plan(BOARD[:4], (random_range(20, 1), random_range(40, 2)))
#: The turn is one group, the river several.
PLACES = [(0, 0), (1, 0), (1, 1), (1, len(TEMPLATES[1].forests[0].group) - 1)]
STEP = Step(LEARN, np.float32(0.75), np.float32(0.5), np.float32(0.8))

every_place = pytest.mark.parametrize(("street", "group"), PLACES)
both_players = pytest.mark.parametrize("player", [0, 1])
both_modes = pytest.mark.parametrize("mode", [LEARN, EVALUATE])


def in_mode(mode):
    return STEP._replace(mode=mode)


def random_learning(street, player, seed=0, has_locks=False):
    """Returns tables of one board; a tenth of the decisions has no positive regret at all."""
    rng = np.random.default_rng(seed)
    shape = (TEMPLATES[street].num_actions[player], CARDS.players[player].width)
    regret = rng.normal(size=shape).astype(np.float32)
    regret[:, ::10] = -1.0
    strategy_sum = rng.random(shape).astype(np.float32)
    strategy_sum[:, ::10] = 0.0
    empty = np.zeros(0, np.float32)
    lock = rng.integers(0, 2, shape if has_locks else (0, 0)).astype(np.uint8)
    return Learning(regret, empty, strategy_sum, empty, lock)


def copy_of(learning):
    return Learning(*(part.copy() for part in learning))


def played(learning, mode):
    return (learning.regret if mode == LEARN else learning.strategy_sum).astype(np.float64)


def push(street, group, player, learning, step):
    """Pushes random reach down; returns the forest, the reach at roots and the working space."""
    forest = TEMPLATES[street].forests[player]
    scratch = plan_scratch(TEMPLATES[street], CARDS.widths, player, Precision.SINGLE).build(Scratch)
    begin, _, first, last = forest.group[group, :4]
    rng = np.random.default_rng(1)
    root_reach = rng.random((last - first, scratch.reach.shape[1])).astype(np.float32)
    scratch.reach[:] = np.nan
    for root, reach in zip(forest.root[first:last], root_reach, strict=True):
        scratch.reach[forest.row[begin + root]] = reach
    street_kernels.push_reach(forest, group, learning, step, scratch)
    return forest, root_reach, scratch


def test_rivers_of_the_tests_are_cut_into_groups():
    assert len(TEMPLATES[0].forests[0].group) == 1
    assert len(TEMPLATES[1].forests[0].group) > 3


@both_modes
@both_players
@every_place
def test_reach_matches_its_twin(street, group, player, mode):
    learning = random_learning(street, 1 - player)
    weights = played(learning, mode)
    forest, root_reach, scratch = push(street, group, player, learning, in_mode(mode))
    expected = reference.push_reach(forest, group, weights, root_reach)
    begin, end = forest.group[group, :2]
    found = scratch.reach[forest.row[begin:end]]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@both_players
@every_place
def test_sums_of_strategies_are_discounted_before_reach_is_added(street, group, player):
    learning = random_learning(street, 1 - player)
    before = copy_of(learning)
    forest, root_reach, _ = push(street, group, player, learning, STEP)
    reach = reference.push_reach(forest, group, before.regret.astype(np.float64), root_reach)
    expected = before.strategy_sum.astype(np.float64)
    for node in reference.nodes_of(forest, group, VILLAIN_ACTS):
        children, actions = reference.actions_of(forest, group, node)
        expected[actions] = expected[actions] * STEP.strategy + reach[children]
    np.testing.assert_allclose(learning.strategy_sum, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(learning.regret, before.regret)


@pytest.mark.parametrize("mode", [RESPOND, EVALUATE])
def test_judging_learns_nothing(mode):
    for player in (0, 1):
        villain, hero = random_learning(1, 1 - player), random_learning(1, player)
        before = copy_of(villain), copy_of(hero)
        forest, _, scratch = push(1, 0, player, villain, in_mode(mode))
        street_kernels.pull_values(forest, 0, hero, in_mode(mode), scratch)
        for now, then in zip((*villain, *hero), (*before[0], *before[1]), strict=True):
            np.testing.assert_array_equal(now, then)


def pull(street, group, player, learning, step):
    """Pulls random values up; returns the forest, the values of terminals and of all nodes."""
    forest = TEMPLATES[street].forests[player]
    scratch = plan_scratch(TEMPLATES[street], CARDS.widths, player, Precision.SINGLE).build(Scratch)
    begin, end = forest.group[group, :2]
    value = np.random.default_rng(2).normal(size=scratch.value.shape).astype(np.float32)
    scratch.value[:] = value
    street_kernels.pull_values(forest, group, learning, step, scratch)
    return forest, value[: end - begin], scratch.value[: end - begin]


@pytest.mark.parametrize("mode", [LEARN, RESPOND, EVALUATE])
@both_players
@every_place
def test_values_match_their_twin(street, group, player, mode):
    learning = random_learning(street, player)
    weights = None if mode == RESPOND else played(learning, mode)
    forest, terminal_value, value = pull(street, group, player, learning, in_mode(mode))
    expected = reference.pull_values(forest, group, weights, terminal_value)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-4)


def regrets_after(forest, group, before, value):
    """Returns the regrets of a group's decisions as the papers write them."""
    expected = before.astype(np.float64)
    for node in reference.nodes_of(forest, group, HERO_ACTS):
        children, actions = reference.actions_of(forest, group, node)
        old = expected[actions]
        decay = np.where(old > 0.0, STEP.positive_regret, STEP.negative_regret)
        expected[actions] = old * decay + value[children] - value[node]
    return expected


@both_players
@every_place
def test_regrets_are_discounted_before_gains_are_added(street, group, player):
    learning = random_learning(street, player)
    before = copy_of(learning)
    forest, terminal_value, _ = pull(street, group, player, learning, STEP)
    weights = before.regret.astype(np.float64)
    value = reference.pull_values(forest, group, weights, terminal_value)
    expected = regrets_after(forest, group, before.regret, value)
    np.testing.assert_allclose(learning.regret, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(learning.strategy_sum, before.strategy_sum)


@both_players
def test_locked_hands_keep_their_regrets_and_others_learn(player):
    learning = random_learning(1, player, has_locks=True)
    before = copy_of(learning)
    forest, _, value = pull(1, 0, player, learning, STEP)
    free = regrets_after(forest, 0, before.regret, value.astype(np.float64))
    for node in reference.nodes_of(forest, 0, HERO_ACTS):
        _, actions = reference.actions_of(forest, 0, node)
        is_locked = before.lock[actions.start] == 1
        expected = np.where(is_locked, before.regret[actions], free[actions])
        np.testing.assert_allclose(learning.regret[actions], expected, rtol=1e-4, atol=1e-4)


@both_players
def test_locked_hands_do_not_respond_as_well_as_possible(player):
    learning = random_learning(1, player, has_locks=True)
    regret = np.abs(learning.regret)
    forest = TEMPLATES[1].forests[player]
    for node in reference.nodes_of(forest, 0, HERO_ACTS):
        _, actions = reference.actions_of(forest, 0, node)
        regret[actions] /= regret[actions].sum(axis=0)
    learning = learning._replace(regret=regret)
    _, _, value = pull(1, 0, player, learning, in_mode(RESPOND))
    for node in reference.nodes_of(forest, 0, HERO_ACTS):
        children, actions = reference.actions_of(forest, 0, node)
        mixed = (regret[actions] * value[children]).sum(axis=0)
        best = value[children].max(axis=0)
        expected = np.where(learning.lock[actions.start] == 1, mixed, best)
        np.testing.assert_allclose(value[node], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rake", [NO_RAKE, Rake(0.05, 2.0)])
@both_players
@pytest.mark.parametrize("group", [0, 2])
def test_terminals_of_a_group_match_their_twin(group, player, rake):
    template = make_templates(TREE, rake, MOST_NODES)[1]
    forest = template.forests[player]
    scratch = plan_scratch(template, CARDS.widths, player, Precision.SINGLE).build(Scratch)
    orders = orders_of(CARDS, [BOARD], player)
    matchups = spot_kernels.meet(hands_seen_from(CARDS, player), orders, 0)
    live, exact = matchups.villain_order, strengths_on(BOARD)
    strengths = [
        exact[CARDS.players[side].combos[order]]
        for side, order in ((player, matchups.hero_order), (1 - player, live))
    ]
    rng = np.random.default_rng(3)
    scratch.reach[:, live] = rng.random((len(scratch.reach), len(live)))
    terminal_kernels.clear_values(scratch.lanes)
    value_terminals(forest, group, matchups, scratch)
    begin, end, *_ = forest.group[group]
    checked = 0
    for node in range(end - begin):
        if forest.num_children[begin + node]:
            continue
        leaf = template.tree_node[begin + node]
        reach = scratch.reach[forest.row[begin + node]]
        met = value_of_fold(matchups, reach)
        won = value_of_showdown(matchups, strengths, reach)
        expected = value_of_leaf(rake, player, leaf, met, won)
        close = 1e-6 * np.abs(expected).max()
        np.testing.assert_allclose(scratch.value[node], expected, rtol=1e-4, atol=close)
        checked += 1
    assert checked > 50


def value_of_leaf(rake, player, leaf, met, won):
    """Returns ``[H]`` from the chips in the pot: all to the winner, half to each in a tie."""
    lost, kind = TREE.leaf_stake[leaf], TREE.leaf_kind[leaf]
    taken = min(rake.rate * 2.0 * lost, rake.cap)
    if kind in (0, 1):
        return met * (-lost if kind == player else lost - taken)
    # won - lost, and won + lost + tied: so half of the rake is paid in all three cases.
    return won * (lost - taken / 2.0) - met * taken / 2.0
