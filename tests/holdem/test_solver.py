from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import NUM_CARDS, parse_card
from runout.cfr.schedules import CFR_PLUS, DCFR, LINEAR, VANILLA, StoppingRule, StopReason
from runout.cfr.team import Team
from runout.holdem.cards import Rake
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from tests.reference.slow_spot import SlowSpot
from tests.samples.small_spots import (
    decisions_of,
    learned_by,
    make_spot,
    random_range,
    runouts_of,
    weigh,
)

POT = 10.0


def river(**options):
    oop = weigh("AhAd KcQc QhJh 9s9c 7d6d Th9h AhKd", 1)
    ip = weigh("AhAd KsKd QhTd 8s8c JcTc 9h7h", 2)
    return make_spot("Ks9d8h4c2c", oop, ip, "50%, a", stack=20, max_raises=1, **options)


def turn(**options):
    oop = weigh("AhAd KcQc QhJh 9s9c Th9h", 3)
    ip = weigh("AhAd KsKd QhTd 8s8c JhTh", 4)
    return make_spot("Ks9d8h4h", oop, ip, "a", stack=15, **options)


def flop(**options):
    return make_spot("KhTh5h", weigh("AcAd KcQc QhJh", 5), weigh("AcAs TsTd 9h8h", 6), **options)


def assert_same_learning(solver, twin, tolerance):
    """Compares the regrets and strategy sums of every decision on every board that was solved."""
    game, checked = solver.game, 0
    for street, template in enumerate(game.templates):
        for board, runout in enumerate(runouts_of(game, street)):
            for position in decisions_of(game, street):
                found = learned_by(solver, street, board, position)
                expected = twin.tables(int(template.tree_node[position]), runout)
                for numbers, exact in zip(found, expected, strict=True):
                    np.testing.assert_allclose(numbers, exact, rtol=1e-3, atol=tolerance)
                checked += 1
    assert checked == sum(
        len(runouts_of(game, s)) * len(decisions_of(game, s)) for s in range(len(game.templates))
    )


def solve_both(spot, schedule, num_iterations):
    solver, twin = SpotSolver(spot, schedule), SlowSpot(spot)
    solver.run(num_iterations)
    for iteration in range(num_iterations):
        twin.iterate(schedule.weights(iteration))
    return solver, twin


def assert_same_worth(solver, twin):
    for player in (0, 1):
        assert solver.expected_value(player) == pytest.approx(
            twin.expected_value(player), abs=1e-5 * POT
        )
    assert solver.exploitability() == pytest.approx(twin.exploitability(), abs=1e-5 * POT)


@pytest.mark.parametrize("rake", [Rake(), Rake(0.05, 0.6)], ids=["zero-sum", "raked"])
@pytest.mark.parametrize("schedule", [VANILLA, LINEAR, CFR_PLUS, DCFR])
def test_a_river_is_learned_as_its_twin_learns_it(schedule, rake):
    solver, twin = solve_both(river(rake=rake), schedule, 12)
    assert_same_learning(solver, twin, 1e-5)
    assert_same_worth(solver, twin)


@pytest.mark.parametrize("rake", [Rake(), Rake(0.05, 0.6)], ids=["zero-sum", "raked"])
@pytest.mark.parametrize("merges", [True, False])
def test_a_turn_is_learned_as_its_twin_learns_it(merges, rake):
    """For two iterations only: a bet that nobody calls wins exactly what a check wins.

    The two are added up differently, and rounding decides which one is learned.
    """
    solver, twin = solve_both(turn(merges=merges, rake=rake), DCFR, 2)
    assert_same_learning(solver, twin, 1e-5)
    assert_same_worth(solver, twin)


def test_a_flop_is_learned_as_its_twin_learns_it():
    """With the cards from ten to ace, which leaves a tenth of the runouts."""
    oop, ip = weigh("AcAd QhJh", 5), weigh("AcAs TsTd", 6)
    spot = replace(make_spot("KhTh5h", oop, ip), deck=tuple(range(parse_card("Tc"), NUM_CARDS)))
    solver, twin = solve_both(spot, DCFR, 2)
    assert_same_learning(solver, twin, 1e-5)
    assert_same_worth(solver, twin)


@pytest.mark.parametrize("spot", [river(), turn(), flop()], ids=["river", "turn", "flop"])
def test_iterations_in_parts_give_the_bits_of_iterations_at_once(spot):
    at_once, in_parts = SpotSolver(spot), SpotSolver(spot)
    at_once.run(5)
    in_parts.run(2)
    in_parts.run(3)
    assert in_parts.iteration == at_once.iteration == 5
    assert_same_bits(at_once, in_parts)


def assert_same_bits(one, other):
    for ours, theirs in zip(one.tables.by_street, other.tables.by_street, strict=True):
        for learning, their_learning in zip(ours, theirs, strict=True):
            for part, their_part in zip(learning, their_learning, strict=True):
                np.testing.assert_array_equal(part, their_part)
    for player in (0, 1):
        assert one.expected_value(player) == other.expected_value(player)
    assert one.exploitability() == other.exploitability()


@pytest.mark.parametrize("num_workers", [2, 3])
@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("spot", [turn(), flop()], ids=["turn", "flop"])
def test_workers_give_the_bits_of_one(spot, precision, num_workers):
    alone = SpotSolver(spot, precision=precision)
    together = SpotSolver(spot, team=Team(num_workers), precision=precision)
    for solver in (alone, together):
        solver.run(4)
    assert_same_bits(alone, together)


def wide(board, seed, **options):
    """A spot in which IP has three times as many hands as OOP."""
    return make_spot(board, random_range(40, seed), random_range(120, seed + 1), **options)


HALF_SPOTS = {
    "river": wide("Ks9d8h4c2c", 10, sizes="50%, a", stack=30, max_raises=1),
    "turn": wide("Ks9d8h4c", 12, sizes="75%", stack=30),
    "few against many": make_spot("Ks9d8h4c2c", random_range(300, 14), "AA, QJs, 98s"),
}


@pytest.mark.parametrize("name", HALF_SPOTS)
def test_16_bits_come_as_near_to_the_solution_as_32_bits(name):
    single, half = (SpotSolver(HALF_SPOTS[name], precision=precision) for precision in Precision)
    rule = StoppingRule(1_000, exploitability=0.002 * POT, check_every=20)
    outcomes = [solver.solve(rule) for solver in (single, half)]
    assert [outcome.reason for outcome in outcomes] == [StopReason.EXPLOITABILITY] * 2
    # Each value lies within what both best responses gain of the game's.
    close = 2.0 * sum(outcome.exploitability for outcome in outcomes)
    for player in (0, 1):
        difference = half.expected_value(player) - single.expected_value(player)
        assert abs(difference) <= close + 1e-5 * POT


def test_16_bit_tables_take_half_of_the_memory():
    single, half = (SpotSolver(flop(), precision=precision) for precision in Precision)
    bytes_of = [sum(t.regret.nbytes for t in sum(s.tables.by_street, ())) for s in (single, half)]
    assert bytes_of[1] * 2 == bytes_of[0]


@pytest.mark.parametrize("spot", [river(), turn()], ids=["river", "turn"])
def test_without_an_iteration_all_actions_are_equally_likely(spot):
    solver, twin = SpotSolver(spot), SlowSpot(spot)
    assert_same_worth(solver, twin)


def test_a_solve_stops_at_its_target_and_says_what_it_reached():
    solver, seen = SpotSolver(river()), []
    rule = StoppingRule(max_iterations=2_000, exploitability=0.005 * POT)
    outcome = solver.solve(rule, seen.append)
    assert outcome.reason == StopReason.EXPLOITABILITY
    assert outcome.exploitability == solver.exploitability() <= 0.005 * POT
    assert [progress.iteration for progress in seen] == list(range(10, solver.iteration + 1, 10))


@pytest.mark.parametrize("spot", [river(), turn()], ids=["river", "turn"])
def test_a_solve_does_not_go_beyond_its_iterations(spot):
    outcome = SpotSolver(spot).solve(StoppingRule(max_iterations=7))
    assert outcome.reason == StopReason.ITERATIONS
    assert outcome.iterations == 7
