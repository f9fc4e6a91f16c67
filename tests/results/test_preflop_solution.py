"""Questions to a solved preflop game."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.preflop.expected_values import expected_values
from runout.preflop.preflop_leaves import value_leaves
from runout.results.preflop_solution import PreflopReport, PreflopSolution
from runout.trees.postflop_tree import IP, OOP
from runout.trees.preflop_betting import BB, SB
from tests.preflop.games import made_up_book, random_strategy, small_tree
from tests.reference.preflop_game import action_frequency, make_pair_game

TREE, BOOK = small_tree(), made_up_book()
WEIGHTS = matchup_weights()


def play(strategy):
    ev_bb = expected_values(TREE, value_leaves(TREE, BOOK), strategy)
    return PreflopSolution(TREE, strategy, ev_bb, PreflopReport(1, 0.0, 0.0, {}))


def play_at(path, probability):
    """Returns a random strategy in which the action to a node has a fixed probability."""
    strategy = random_strategy(TREE)
    node = TREE.find_node(path)
    others = [n for n in TREE.layout.children(int(TREE.layout.parent[node])) if n != node]
    strategy[others] *= (1.0 - probability) / strategy[others].sum(axis=0)
    strategy[node] = probability
    return play(strategy)


SOLUTION = play(random_strategy(TREE))


def test_the_game_value_is_the_mean_over_all_deals():
    combos = WEIGHTS.sum(axis=1) / WEIGHTS.sum()
    assert SOLUTION.game_value_bb(SB) == pytest.approx(combos @ SOLUTION.ev_bb[SB, 0])
    total = SOLUTION.game_value_bb(SB) + SOLUTION.game_value_bb(BB)
    assert total == pytest.approx(0.0, abs=1e-12)


def test_reach_is_the_product_of_own_actions():
    raised, called = (TREE.find_node(path) for path in ("c-r2.5", "c-r2.5-c"))
    limped = TREE.find_node("c")
    np.testing.assert_allclose(
        SOLUTION.reach(SB)[called], SOLUTION.strategy[limped] * SOLUTION.strategy[called]
    )
    np.testing.assert_array_equal(SOLUTION.reach(BB)[called], SOLUTION.strategy[raised])


def test_a_round_has_the_strategies_it_was_left_with_and_no_values_but_the_last():
    first, second = random_strategy(TREE, 1), random_strategy(TREE, 2)
    solution = replace(SOLUTION, earlier_strategies=(first, second))
    np.testing.assert_array_equal(solution.of_round(1).strategy, second)
    assert np.isnan(solution.of_round(0).ev_bb).all()
    assert solution.of_round(2) is solution


def test_the_small_blind_arrives_in_position():
    node = TREE.find_node("r2.5-c")
    ranges = SOLUTION.arriving_ranges(node)
    np.testing.assert_array_equal(ranges[IP], SOLUTION.strategy[TREE.find_node("r2.5")])
    np.testing.assert_array_equal(ranges[OOP], SOLUTION.strategy[node])
    assert ranges.max() <= 1.0


@pytest.mark.parametrize("path", ["a", "a-c", "r2.5-c", "c-r2.5-c"])
def test_frequencies_are_those_of_a_walk_over_all_pairs(path):
    node = TREE.find_node(path)
    expected = action_frequency(make_pair_game(TREE, BOOK), SOLUTION.strategy, node)
    assert SOLUTION.action_frequency(node) == pytest.approx(expected, rel=1e-10)


def test_frequencies_count_card_removal():
    """If only aces are raised, the big blind holds an ace less often than one hand in seven."""
    strategy = random_strategy(TREE)
    first, raised = list(TREE.layout.children(0)), TREE.find_node("r2.5")
    strategy[first] = 0.0
    strategy[TREE.find_node("f")] = 1.0
    strategy[:, 0][first] = 0.0
    strategy[raised, parse_canonical_hand("AA")] = 1.0
    answers = list(TREE.layout.children(raised))
    strategy[answers] = 0.0
    call, fold = TREE.find_node("r2.5-c"), TREE.find_node("r2.5-f")
    strategy[fold] = 1.0
    strategy[call, parse_canonical_hand("AKs")], strategy[fold, parse_canonical_hand("AKs")] = 1, 0
    # 50 cards are left: AKs can be dealt in 2 of 1,225 ways, without card removal in 4 of 1,326.
    assert play(strategy).action_frequency(call) == pytest.approx(2 / 1225)


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_a_frequency_is_a_probability_that_all_hands_share(probability):
    solution = play_at("c-r2.5", probability)
    assert solution.action_frequency(TREE.find_node("c-r2.5")) == pytest.approx(probability)


def test_an_action_that_nobody_comes_to_has_no_frequency():
    assert np.isnan(play_at("c", 0.0).action_frequency(TREE.find_node("c-x")))


def test_nothing_changes_from_itself():
    assert SOLUTION.change_from(SOLUTION) == 0.0


def test_the_change_is_the_probability_that_moved():
    """A quarter of all probability moves at one decision; the others count, too."""
    before, after = play_at("f", 0.5), play_at("f", 0.75)
    arrivals = 0.0
    for node in np.flatnonzero(TREE.layout.num_children > 0):
        ranges = after.arriving_ranges(int(node))
        arrivals += ranges[IP] @ WEIGHTS @ ranges[OOP]
    assert after.change_from(before) == pytest.approx(0.25 * WEIGHTS.sum() / arrivals)


def test_the_change_back_is_of_the_same_size():
    """Each way is weighted by where it leads, so they agree if hands arrive alike."""
    one, other = play_at("a-c", 0.3), play_at("a-c", 0.6)
    there, back = one.change_from(other), other.change_from(one)
    assert there == pytest.approx(back)
    assert 0.0 < there < 0.3
    strategy = np.random.default_rng(5).permuted(SOLUTION.strategy, axis=1)
    shuffled = replace(SOLUTION, strategy=strategy)
    ratio = SOLUTION.change_from(shuffled) / shuffled.change_from(SOLUTION)
    assert 0.5 < ratio < 2.0


def test_decisions_that_are_never_reached_do_not_count_as_change():
    before, after = play_at("c", 0.0), play_at("c", 0.0)
    below = list(TREE.layout.children(TREE.find_node("c")))
    after.strategy[below] = after.strategy[below[::-1]]
    assert after.change_from(before) == 0.0
