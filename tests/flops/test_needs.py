import tracemalloc

import pytest

from runout.cards.deck import parse_board
from runout.cfr.schedules import LINEAR, StoppingRule
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.flops.backend import FlopGame
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CardBackend
from runout.flops.hands import HandBackend, Sampling
from runout.flops.solve import PostflopPlan
from runout.flops.values import RunoutSample
from runout.holdem.rivers import BucketRivers
from runout.holdem.tables import Precision
from tests.samples.solve_configs import FLOPS
from tests.samples.toy_flops import ignore_progress, make_tree

FLOP = parse_board("9s6s2s")
SAMPLE = RunoutSample(num_turns=6, num_rivers=3)
ONE = StoppingRule(1)


def estimate(text, num_workers):
    return PostflopPlan.make(parse_config(text, FlopsConfig), num_workers).cost


@pytest.mark.parametrize(
    "backend",
    [
        BucketedBackend((20, 20, 20), ONE, rounds=2, sample=SAMPLE),
        CardBackend(ONE, sample=SAMPLE),
        CardBackend(ONE, BucketRivers(16), sample=SAMPLE),
    ],
)
def test_what_is_told_before_a_solve_is_held_and_not_far_from_the_truth(backend):
    game, tree = FlopGame.deal(FLOP), make_tree(1.0, (1.0,), 0)
    told = backend.estimate(FLOP, tree, 1).memory_bytes
    backend.solve(game, tree, ignore_progress, Team())  # compiles, which takes memory of its own
    tracemalloc.start()
    try:
        backend.solve(game, tree, ignore_progress, Team())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.5 * told < peak <= told


def test_more_of_everything_needs_more():
    small, large = make_tree(1.0, (1.0,), 0), make_tree(3.5, (1.0,), 1)
    few, many = (BucketedBackend((20, 20, on_river), ONE, rounds=2) for on_river in (20, 50_000))
    sizes = [
        b.estimate(FLOP, t, 1).memory_bytes for b, t in ((few, small), (few, large), (many, large))
    ]
    assert sizes == sorted(set(sizes))
    one, two = (CardBackend(ONE).estimate(FLOP, large, n) for n in (1, 2))
    assert one.memory_bytes < two.memory_bytes
    half = CardBackend(ONE, precision=Precision.HALF).estimate(FLOP, large, 1)
    assert half.memory_bytes == one.savings["exact_precision: 16"] < 0.7 * one.memory_bytes
    assert list(half.savings.values()) == [None]


def test_a_bundle_holds_two_positions_of_all_pairs_on_every_flop_and_ratio():
    values_bytes = 2 * 2 * 2 * 169 * 169 * 4
    assert estimate(FLOPS + "  keep_strategies: false\n", 2).disk_bytes == values_bytes
    assert estimate(FLOPS, 2).disk_bytes > values_bytes


def test_more_workers_need_more_memory_and_less_time():
    one, two = estimate(FLOPS, 1), estimate(FLOPS, 2)
    assert two.memory_bytes > one.memory_bytes
    assert two.seconds == pytest.approx(one.seconds / 2)
    assert one.savings == {"give fewer sizes or raises": None}
    assert two.savings == {"--workers 1": one.memory_bytes, "give fewer sizes or raises": None}


def test_workers_beyond_the_flops_need_no_more_memory():
    assert estimate(FLOPS, 8).memory_bytes == estimate(FLOPS, 2).memory_bytes


def test_external_sampling_needs_more_than_the_others():
    tree = make_tree(1.0, (1.0,), 0)
    plain, sampled, external = (
        backend.estimate(FLOP, tree, 1)
        for backend in (
            HandBackend(ONE),
            HandBackend(ONE, LINEAR, Sampling()),
            HandBackend(ONE, LINEAR, Sampling("external")),
        )
    )
    assert plain.memory_bytes == sampled.memory_bytes < external.memory_bytes
    assert sampled.seconds < external.seconds


def test_sampled_values_take_their_time():
    tree = make_tree(1.0, (1.0,), 0)
    none, many = (
        HandBackend(ONE, LINEAR, Sampling(value_deals=n)).estimate(FLOP, tree, 1).seconds
        for n in (0, 20_000_000)
    )
    assert none + 1.0 < many


def test_a_limit_of_time_limits_the_estimate():
    limited = FLOPS.replace("iterations: 4", "iterations: 1000000")
    limited += "  cfr_max_seconds_per_flop: 0.5\n"
    assert estimate(limited, 1).seconds == pytest.approx(2 * (2 * 0.5 + 0.1))


def test_rounds_need_more_memory_and_time():
    bucketed = FLOPS.replace("exhaustive", "bucketed")
    one, three = estimate(bucketed, 1), estimate(bucketed + "  rebucket_rounds: 3\n", 1)
    assert three.seconds > one.seconds
    shared = bucketed + "  bucket_scope: street\n"
    one, three = estimate(shared, 1), estimate(shared + "  rebucket_rounds: 3\n", 1)
    assert three.memory_bytes > one.memory_bytes
    assert three.seconds > 1.3 * one.seconds


def test_an_exact_solve_needs_all_boards_and_half_of_it_in_half_precision():
    exact = FLOPS.replace("exhaustive", "exact")
    whole = estimate(exact, 2)
    assert whole.memory_bytes > 1e9  # two flops of 2,352 boards
    changes = whole.savings
    half = estimate(exact + "  exact_precision: 16\n", 2).memory_bytes
    assert 0.4 * whole.memory_bytes < changes["exact_precision: 16"] == half
    assert changes["--workers 1"] < whole.memory_bytes
    assert list(changes)[-1] == "give fewer sizes or raises, or solve_type: bucketed"
    monotone = estimate(exact.replace("AhKsQd, 2c3h4d", "9s6s2s, 2s2h2d"), 2)
    assert monotone.memory_bytes < 0.6 * whole.memory_bytes
    assert monotone.seconds < whole.seconds
    mixed = estimate(exact.replace("AhKsQd, 2c3h4d", "9s6s2s, AhKsQd"), 2)
    assert monotone.seconds < mixed.seconds < whole.seconds
    assert mixed.memory_bytes == whole.memory_bytes
