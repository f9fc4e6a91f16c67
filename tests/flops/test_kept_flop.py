from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import permute_combos
from runout.cards.flops import CanonicalBoard, GivenFlop
from runout.config.flops import FlopsConfig
from runout.errors import BundleError
from runout.execution.context import RunContext
from runout.flops.solve import SolvedFlop, kept_strategy, solve_flops
from tests.samples.judging import judge_strategy

GIVEN = GivenFlop.parse("7dAhKh")


@cache
def solved():
    config = FlopsConfig(
        solve_type="exhaustive",
        bet_sizes=[1.0],
        max_raises_per_street=0,
        postflop_sprs=[1.0],
        fixed_flops=[GIVEN.name],
        postflop_solve_iterations=5,
    )
    return solve_flops(config, RunContext(1))


@cache
def view_of(given):
    return SolvedFlop.load(solved(), given.name).view


def test_a_node_has_the_strategy_that_was_kept():
    root = view_of(GIVEN).node()
    assert (root.board, root.pot) == (GIVEN.cards, 1.0)
    assert [action.code for action in root.actions] == ["x", "a"]
    (tree,), kept = solved().trees, kept_strategy(solved(), 0).table
    for hand in (0, 84, 168):
        expected = kept[tree.layout.children(0).start :][: len(root.actions), hand]
        means = [root.hand_means(row)[hand] for row in root.strategy]
        np.testing.assert_allclose(means, expected, atol=1e-6)


def test_values_are_those_of_the_strategies_with_real_cards():
    (tree,), flop = solved().trees, GIVEN.canonical
    loss = judge_strategy(flop, tree, kept_strategy(solved(), 0))
    root = view_of(GIVEN).node()
    assert root.range_ev(0) == pytest.approx(loss.value[0] + 0.5, abs=1e-5)
    assert root.range_ev(0) + root.range_ev(1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("path", ["", "x", "x:x:8c", "x:x:8c:x:x:2h"])
def test_paths_and_hands_are_in_the_suits_that_are_given(path):
    canonical = GivenFlop(GIVEN.canonical)
    mapping = CanonicalBoard.from_cards(GIVEN.cards).mapping
    steps = [mapping_of_step(mapping, step) for step in path.split(":") if step]
    mine, theirs = view_of(GIVEN).node(path), view_of(canonical).node(":".join(steps))
    image = permute_combos(mapping.new_suits)
    assert mapping.map_cards(mine.board[3:]) == theirs.board[3:]
    np.testing.assert_array_equal(mine.is_held, theirs.is_held[:, image])
    for name in ("weights", "strategy", "ev", "equity"):
        got, expected = getattr(mine, name), getattr(theirs, name)[..., image]
        np.testing.assert_allclose(got, expected, atol=1e-5)


def mapping_of_step(mapping, step):
    is_card = len(step) == 2 and step[1] in "cdhs"
    if not is_card:
        return step
    return step[0] + "cdhs"[mapping.new_suits["cdhs".index(step[1])]]


def test_without_strategies_there_is_nothing_to_look_at():
    bare = replace(solved(), solutions=())
    with pytest.raises(BundleError, match="keep_strategies: true"):
        SolvedFlop.load(bare, GIVEN.name)
