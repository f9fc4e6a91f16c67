"""Spots whose solutions can be worked out on paper."""

import numpy as np
import pytest

from runout.cards.deck import format_combo
from runout.cards.ranges import Range
from runout.cfr.schedules import StoppingRule, StopReason
from runout.holdem.cards import Rake
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from tests.samples.small_spots import average_strategy, make_spot

POT = 10
DRY_RIVER = "2s3d7h8cTs"


def solve(spot, target=0.0002, precision=Precision.SINGLE):
    """Returns a solver whose exploitability is at most ``target`` pots."""
    solver = SpotSolver(spot, precision=precision)
    rule = StoppingRule(max_iterations=20_000, exploitability=target * POT, check_every=20)
    assert solver.solve(rule).reason == StopReason.EXPLOITABILITY
    return solver


def what_best_responses_gain(solver):
    """Returns how far from the game's a value can be, in chips, with the rounding of 32 bits."""
    return 2.0 * solver.exploitability() + 1e-5 * POT


def expected_values(solver):
    return [solver.expected_value(player) for player in (0, 1)]


def assert_worth(solver, values):
    """Strategies of a zero-sum game win what it is worth but for what best responses gain."""
    assert expected_values(solver) == pytest.approx(values, abs=what_best_responses_gain(solver))


def hands_of_rank(solver, player, rank):
    combos = solver.game.cards.players[player].combos
    return np.array([format_combo(combo)[0] == rank for combo in combos])


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("stack", [5, 10, 20])
def test_a_polarised_player_bluffs_and_is_called_as_often_as_the_pot_odds_say(stack, precision):
    """AA always bets, so many QQ that KK gains nothing by calling, and calls make QQ indifferent.

    Bluffs are S/(P+S) of the value bets, calls P/(P+S); AA wins P + S P/(P+S), QQ nothing. Who
    bluffs a share d too seldom loses d P/2 to a player who never calls, who bluffs it too often
    d S/2 to one who always does, and the caller likewise. Aces that check lose S for each call.
    """
    solver = solve(make_spot(DRY_RIVER, "AA, QQ", "KK", stack=stack), precision=precision)
    gain, calling = what_best_responses_gain(solver), POT / (POT + stack)
    close = 2.0 * gain / min(POT, stack)
    close += 2.0 * gain / ((calling - close) * stack)
    root = solver.game.spot.tree.layout.children(0)
    _, bets = average_strategy(solver, 0)
    assert bets[hands_of_rank(solver, 0, "A")].mean() == pytest.approx(1.0, abs=close)
    bluffs = bets[hands_of_rank(solver, 0, "Q")].mean()
    assert bluffs == pytest.approx(stack / (POT + stack), abs=close)
    _, calls = average_strategy(solver, root[1])
    assert calls.mean() == pytest.approx(calling, abs=close)
    value_of_aces = POT + stack * calling
    assert_worth(solver, [value_of_aces / 2.0, POT - value_of_aces / 2.0])


def test_a_polarised_player_in_position_wins_the_same():
    """The bluff catcher can only check: whatever it bet, better hands alone would call."""
    assert_worth(solve(make_spot(DRY_RIVER, "KK", "AA, QQ", stack=10)), [2.5, 7.5])


STREETS = [("AdAc7h7s2c", 0.001), ("AdAc7h7s", 0.005), ("AdAc7h", 0.01)]


@pytest.mark.parametrize(("board", "target"), STREETS)
def test_a_hand_that_always_wins_gets_the_whole_pot(board, target):
    assert_worth(solve(make_spot(board, "AhAs", "KK, QJs"), target), [POT, 0.0])


@pytest.mark.parametrize(("board", "target"), STREETS)
def test_a_hand_that_always_loses_gets_nothing(board, target):
    assert_worth(solve(make_spot(board, "KK, QJs", "AhAs"), target), [0.0, POT])


def test_where_the_board_plays_everybody_gets_half():
    solver = solve(make_spot("AhKhQhJhTh", "AA, 22, 98s", "KK, 72o"), 0.001)
    assert_worth(solver, [POT / 2, POT / 2])


@pytest.mark.parametrize("board", ["AdAc7h7s2c", "Ks9d8h4h", "QsJh2h", "7s7h7d"])
def test_two_whole_decks_that_cannot_bet_share_the_pot(board):
    everything = Range("random")
    solver = SpotSolver(make_spot(board, everything, everything, sizes=""))
    assert expected_values(solver) == pytest.approx([POT / 2, POT / 2], abs=1e-5 * POT)
    assert solver.exploitability() == pytest.approx(0.0, abs=1e-5 * POT)


@pytest.mark.parametrize(
    ("rate", "cap", "taken"), [(0.05, 3.0, 0.5), (0.05, 0.3, 0.3), (0.1, 0, 0)]
)
@pytest.mark.parametrize("board", ["AdAc7h7s2c", "Ks9d8h4h", "QsJh2h"])
def test_what_the_house_takes_is_missing_from_both_halves(board, rate, cap, taken):
    everything = Range("random")
    spot = make_spot(board, everything, everything, sizes="", rake=Rake(rate, cap))
    solver = SpotSolver(spot)
    assert expected_values(solver) == pytest.approx([(POT - taken) / 2] * 2, abs=1e-5 * POT)
    assert solver.exploitability() == pytest.approx(0.0, abs=1e-5 * POT)


def test_the_winner_pays_the_rake_of_a_pot_that_nobody_calls():
    """IP never wins and folds; 5 % of 10 is 0.5."""
    assert_worth(solve(make_spot("AdAc7h7s2c", "AhAs", "KK", rake=Rake(0.05, 3.0))), [9.5, 0.0])


def test_calling_is_not_worth_more_than_the_rake_leaves():
    """Both have the nuts and 10 behind: the pot is shared, and 10 % of whatever it is gone.

    Half of 10 is 5, of 30 it is 15 with 10 put in: betting gains nothing and costs 0.5 to 1.5, but
    folding to a bet would cost all 5. So a check wins 4.5, and whoever faces a bet calls for 3.5.
    A bet loses 1, but for the 5.5 that each fold to it gains, and such a fold loses 3.5.
    """
    spot = make_spot("AhKhQhJhTh", "AA", "KK", rake=Rake(0.1, 100.0))
    solver = solve(spot)
    gain = what_best_responses_gain(solver)
    _, after_a_bet = spot.tree.layout.children(0)
    bets, folds = (
        average_strategy(solver, node)[action].mean() for node, action in ((0, 1), (after_a_bet, 0))
    )
    assert bets * folds * 3.5 <= gain
    assert bets <= gain + 5.5 * gain / 3.5
    # Of each player's bets what is called takes 1 from both, and what is folded to at most 4.5.
    assert expected_values(solver) == pytest.approx([4.5, 4.5], abs=2 * (1.0 + 10.0 / 3.5) * gain)


OOP, IP = "77+, ATs+, KTs+, QTs+, J9s+, 98s, AJo+", "22-JJ, A2s+, K9s+, T8s+, 97s, 87s, KQo"
SPOTS = {
    "river": make_spot("Ks9d8h4c2c", OOP, IP, "50%, 100%, a", stack=40, max_raises=2),
    "turn": make_spot("Ks9d8h4h", OOP, IP, "75%", stack=30, max_raises=1),
    "flop": make_spot("QsJh2h", "AA, KJs, T9s, AQo", "KQs, JJ, 98s, A5s"),
}


@pytest.mark.parametrize(("name", "target"), [("river", 0.001), ("turn", 0.001), ("flop", 0.01)])
def test_a_target_is_reached_and_values_sum_to_the_pot(name, target):
    solver = SpotSolver(SPOTS[name])
    rule = StoppingRule(max_iterations=3_000, exploitability=target * POT, check_every=20)
    outcome = solver.solve(rule)
    assert outcome.reason == StopReason.EXPLOITABILITY
    assert 0.0 <= outcome.exploitability <= target * POT
    assert sum(expected_values(solver)) == pytest.approx(POT, abs=1e-5 * POT)


@pytest.mark.parametrize("name", SPOTS)
def test_values_sum_to_the_pot_whatever_is_played(name):
    solver = SpotSolver(SPOTS[name])
    for _ in range(3):
        assert sum(expected_values(solver)) == pytest.approx(POT, abs=1e-5 * POT)
        solver.run(1)


def test_a_best_response_wins_at_least_what_the_average_wins():
    solver = SpotSolver(SPOTS["turn"])
    for _ in range(4):
        assert solver.exploitability() > 0.0
        solver.run(2)
