"""A published game of two streets through the engine of real cards."""

import numpy as np
import pytest

from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.schedules import DCFR4, VANILLA, StoppingRule, StopReason
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from tests.games.leduc import GAME_VALUE, UNIFORM_NASH_CONV
from tests.samples.card_leduc import DECK, OtherLeduc, leduc_cards, leduc_spot, rows_by_node
from tests.samples.small_spots import fill_with_noise

every_way = pytest.mark.parametrize("merges_suits", [True, False], ids=["merged", "apart"])


def test_strengths_are_those_of_leduc():
    """A pair beats everything, then the higher rank wins, and equal ranks share."""
    game = SpotSolver(leduc_spot(merges_suits=False)).game
    hands, orders = np.array(leduc_cards(game, 0)), game.card_tables.orders[-1][0]
    for board, river in enumerate(game.cards.deals[0].card.tolist()):
        order = orders.hero[board][: orders.num_hero[board]]
        held = hands[order]
        assert sorted(held) == [number for number, card in enumerate(DECK) if card != river]
        wanted = np.where(held // 2 == DECK.index(river) // 2, 10, held // 2)
        # Both players hold the same cards: below a hand are those that it beats.
        for one in range(len(order)):
            below, upto = orders.hero_sums[board][one][:2]
            assert below == (wanted < wanted[one]).sum()
            assert upto == (wanted <= wanted[one]).sum()


def test_the_river_is_one_of_the_four_cards_that_nobody_holds():
    game = SpotSolver(leduc_spot(merges_suits=False)).game
    (deal,) = game.cards.deals
    assert deal.card.tolist() == sorted(DECK)
    assert deal.probability == 0.25
    assert game.cards.total_weight() == 30.0


@every_way
def test_uniform_play_has_the_published_nash_conv(merges_suits):
    solver = SpotSolver(leduc_spot(merges_suits))
    assert 2.0 * solver.exploitability() == pytest.approx(UNIFORM_NASH_CONV, abs=1e-5)


@every_way
@pytest.mark.parametrize("precision", list(Precision))
def test_leduc_reaches_its_published_value(precision, merges_suits):
    solver = SpotSolver(leduc_spot(merges_suits), DCFR4, precision=precision)
    outcome = solver.solve(StoppingRule(5_000, exploitability=2e-3, check_every=50))
    assert outcome.reason == StopReason.EXPLOITABILITY
    # A value is off by at most what both best responses gain, and 32 bits round it.
    close = 2.0 * outcome.exploitability + 1e-5
    assert solver.value_of(0, EVALUATING) == pytest.approx(GAME_VALUE, abs=close)
    assert solver.value_of(1, EVALUATING) == pytest.approx(-GAME_VALUE, abs=close)


def test_the_solver_of_single_streets_values_what_was_learned_the_same():
    spot = leduc_spot(merges_suits=False)
    solver, other = SpotSolver(spot), OtherLeduc(spot, VANILLA)
    for num_iterations in (1, 20, 100):
        solver.run(num_iterations)
        other.take(solver)
        expected = other.solver.game_value(player=0)
        assert solver.value_of(0, EVALUATING) == pytest.approx(expected, abs=1e-5)
        expected = other.solver.exploitability()
        assert solver.exploitability() == pytest.approx(expected, abs=1e-5)


def test_iterations_learn_what_the_solver_of_single_streets_learns():
    """From random tables, so that no two actions are alike and rounding decides nothing."""
    spot = leduc_spot(merges_suits=False)
    solver, other = SpotSolver(spot, VANILLA), OtherLeduc(spot, VANILLA)
    fill_with_noise(solver.tables)
    other.take(solver)
    solver.iteration = other.solver.iteration = 1  # the first would discount the noise to nothing
    before = rows_by_node(solver, "regret")
    solver.run(3)
    other.solver.run(3)
    found, expected = rows_by_node(solver, "regret"), other.regrets()
    assert found.keys() == expected.keys()
    for node, row in found.items():
        np.testing.assert_allclose(row, expected[node], atol=1e-5)
    assert sum(np.abs(found[node] - before[node]).max() > 0.01 for node in found) > 70
