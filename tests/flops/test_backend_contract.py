"""What every backend promises, whatever it does inside."""

from functools import cache

import numpy as np
import pytest

from runout.cards.deck import COMBO_HAS_CARD, live_combos
from runout.cfr.schedules import DCFR6, LINEAR, SolveProgress, StoppingRule
from runout.cfr.team import Team
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CardBackend
from runout.flops.hands import HandBackend, Sampling
from runout.flops.values import RunoutSample
from runout.holdem.cards import NO_RAKE
from runout.holdem.forest import make_templates
from runout.holdem.rivers import BucketRivers
from runout.trees.tree import IP, OOP
from tests.reference.postflop_values import exploitability, fold_probability, pair_gains
from tests.samples.small_buckets import make_buckets_once
from tests.samples.toy_flops import flop_game, ignore_progress, make_tree, small_tree

FEW_BOARDS = RunoutSample(num_turns=6, num_rivers=3)

# A name, and a function from a number of iterations to the backend: first those whose strategies
# are the 169 hands', then those that play combos on boards.
HAND_BACKENDS = {
    "exhaustive": lambda n: HandBackend(StoppingRule(n)),
    "mccfr public chance": lambda n: HandBackend(
        StoppingRule(n), LINEAR, Sampling("public_chance")
    ),
    "mccfr external": lambda n: HandBackend(StoppingRule(n), LINEAR, Sampling("external")),
}
CARD_BACKENDS = {
    "bucketed": lambda n: BucketedBackend(
        (5, 5, 5), StoppingRule(n // 2), rounds=2, sample=FEW_BOARDS
    ),
    "exact": lambda n: CardBackend(StoppingRule(n), sample=FEW_BOARDS),
    "compact": lambda n: CardBackend(
        StoppingRule(n), BucketRivers(16), schedule=DCFR6, sample=FEW_BOARDS
    ),
}
FLOPS = ["AhKsQd", "9s6s2s", "2s2h2d"]

every_hand_backend = pytest.mark.parametrize(
    "make_backend", HAND_BACKENDS.values(), ids=HAND_BACKENDS
)
every_card_backend = pytest.mark.parametrize(
    "make_backend", CARD_BACKENDS.values(), ids=CARD_BACKENDS
)
every_flop = pytest.mark.parametrize("flop", FLOPS)


@pytest.fixture(autouse=True)
def buckets_made_once(monkeypatch):
    """Buckets take longer than the solves of them."""
    make_buckets_once(monkeypatch)


def tiny_tree():
    """Returns a tree in which the only bet is all-in, for backends that play every board."""
    return make_tree(1.0, (1.0,), 0)


def solve(backend, flop="AhKsQd", tree=None, num_workers=1, on_progress=ignore_progress):
    return backend.solve(flop_game(flop), tree or small_tree(), on_progress, Team(num_workers))


@cache
def solved(make_backend, num_iterations, flop="AhKsQd", is_tiny=False):
    """Returns a solve that several tests look at and none changes."""
    return solve(make_backend(num_iterations), flop, tiny_tree() if is_tiny else small_tree())


def assert_values_of_the_contract(values, flop):
    assert values.shape == (2, 169, 169)
    assert values.dtype == np.float32
    can_meet = flop_game(flop).table.totals > 0
    assert ((values[OOP] + values[IP].T)[can_meet] == 1.0).all()
    assert np.isnan(values[OOP][~can_meet]).all()
    assert np.isnan(values[IP].T[~can_meet]).all()


@every_hand_backend
@every_flop
def test_both_players_values_sum_to_exactly_one(make_backend, flop):
    assert_values_of_the_contract(solved(make_backend, 10, flop).value_pot, flop)


@every_hand_backend
@every_flop
def test_strategies_are_probabilities(make_backend, flop):
    tree = small_tree()
    strategy = solved(make_backend, 10, flop).strategy.table
    assert strategy.shape == (tree.num_nodes, 169)
    assert strategy.dtype == np.float32
    for node in range(tree.num_nodes):
        children = list(tree.layout.children(node))
        if children:
            assert (strategy[children] >= 0.0).all()
            np.testing.assert_allclose(strategy[children].sum(axis=0), 1.0, atol=1e-6)


@every_hand_backend
def test_values_are_those_of_the_strategies(make_backend):
    solution = solved(make_backend, 20)
    gains = pair_gains(
        small_tree(), flop_game("AhKsQd"), solution.strategy.table.astype(np.float64)
    )
    can_meet = flop_game("AhKsQd").table.totals > 0
    np.testing.assert_allclose(solution.value_pot[OOP][can_meet], 0.5 + gains[can_meet], atol=1e-6)


@every_hand_backend
def test_exploitability_is_true_and_falls(make_backend):
    history = []
    for num_iterations in (2, 20, 200):
        solution = solved(make_backend, num_iterations)
        assert solution.report.iterations == num_iterations
        expected = exploitability(small_tree(), flop_game("AhKsQd"), solution.strategy.table)
        assert solution.report.exploitability_pot == pytest.approx(expected, abs=5e-6)
        history.append(solution.report.exploitability_pot)
    assert history[0] > history[1] > history[2] > 0.0


@every_hand_backend
def test_a_part_of_the_hands_folds(make_backend):
    strategy = solved(make_backend, 200).strategy.table
    assert fold_probability(small_tree(), flop_game("AhKsQd"), strategy) > 0.2


@every_hand_backend
@pytest.mark.parametrize(("flop", "renamed"), [("9s6s2s", "9h6h2h"), ("AhKsQd", "AsKdQh")])
def test_renaming_suits_changes_nothing(make_backend, flop, renamed):
    one, other = solved(make_backend, 10, flop), solve(make_backend(10), renamed)
    np.testing.assert_array_equal(one.value_pot, other.value_pot)
    np.testing.assert_array_equal(one.strategy.table, other.strategy.table)


@every_hand_backend
def test_solving_again_gives_the_same_bits(make_backend):
    one, other = solved(make_backend, 10), solve(make_backend(10))
    np.testing.assert_array_equal(one.value_pot, other.value_pot)
    np.testing.assert_array_equal(one.strategy.table, other.strategy.table)


@every_hand_backend
@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit(make_backend, num_workers):
    tree = make_tree(6.0)  # large enough for several matrix products per visit
    alone = solve(make_backend(5), "9s6s2s", tree)
    together = solve(make_backend(5), "9s6s2s", tree, num_workers)
    np.testing.assert_array_equal(alone.strategy.table, together.strategy.table)
    np.testing.assert_array_equal(alone.value_pot, together.value_pot)
    assert alone.report.exploitability_pot == together.report.exploitability_pot
    assert alone.report.strategy_delta == together.report.strategy_delta


@every_hand_backend
def test_progress_is_told_after_every_iteration(make_backend):
    seen = []
    solution = solve(make_backend(6), on_progress=seen.append)
    progress = [event for event in seen if isinstance(event, SolveProgress)]
    assert [event.iteration for event in progress] == [1, 2, 3, 4, 5, 6]
    assert progress[-1].strategy_delta == solution.report.strategy_delta


# --- Backends that play combos on boards. Suits keep their names in their random streams, so only
# --- canonical flops are solved twice alike; the flops of a config are canonical.


def rows_on_some_boards(strategy, flop, tree):
    """Yields what both players do on the flop, two turns and a river, with all combos."""
    board = flop_game(flop).flop
    for dealt in ((), (12,), (13,), (13, 12)):
        template = make_templates(tree, NO_RAKE)[len(dealt)]
        combos = live_combos(board)
        combos = combos[~COMBO_HAS_CARD[combos][:, list(dealt)].any(axis=1)]
        for player in (OOP, IP):
            yield template, player, strategy.rows(template, player, dealt, combos)


@every_card_backend
@pytest.mark.parametrize("flop", ["9s6s2s", "2s2h2d"])
def test_both_players_values_sum_to_exactly_one_with_cards(make_backend, flop):
    solution = solved(make_backend, 4, flop, is_tiny=True)
    assert_values_of_the_contract(solution.value_pot, flop)


@every_card_backend
def test_strategies_of_combos_are_probabilities(make_backend):
    tree = tiny_tree()
    strategy = solved(make_backend, 4, "9s6s2s", is_tiny=True).strategy
    for template, player, rows in rows_on_some_boards(strategy, "9s6s2s", tree):
        assert (rows >= 0.0).all()
        parents = tree.layout.parent[template.action_node[player]]
        for parent in np.unique(parents):
            np.testing.assert_allclose(rows[parents == parent].sum(axis=0), 1.0, atol=1e-6)


@every_card_backend
@pytest.mark.parametrize("num_workers", [2])
def test_neither_another_solve_nor_a_second_worker_changes_a_bit(make_backend, num_workers):
    tree = tiny_tree()
    one = solved(make_backend, 4, "9s6s2s", is_tiny=True)
    other = solve(make_backend(4), "9s6s2s", tree, num_workers)
    np.testing.assert_array_equal(one.value_pot, other.value_pot)
    pairs = zip(
        *(rows_on_some_boards(s.strategy, "9s6s2s", tree) for s in (one, other)), strict=True
    )
    for (*_, rows), (*_, other_rows) in pairs:
        np.testing.assert_array_equal(rows, other_rows)
    assert one.report.exploitability_pot == other.report.exploitability_pot


@every_card_backend
def test_progress_with_cards_is_told_after_every_iteration(make_backend):
    seen = []
    solution = solve(make_backend(6), "9s6s2s", tiny_tree(), on_progress=seen.append)
    progress = [event for event in seen if isinstance(event, SolveProgress)]
    num_rounds = progress[-1].total_rounds
    last = 6 // num_rounds
    assert [event.iteration for event in progress] == list(range(1, last + 1)) * num_rounds
    assert solution.report.iterations == last * num_rounds
