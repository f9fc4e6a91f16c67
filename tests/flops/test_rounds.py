from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runout.abstraction.clustering import cluster_features
from runout.cards.deck import format_cards, parse_board, parse_combo
from runout.cards.flops import random_flops
from runout.cfr.schedules import SolveProgress, StoppingRule, StopReason
from runout.events import Phase, PhaseAdvanced
from runout.flops.bucketed import BucketedBackend, ev_features, mean_values
from runout.flops.bucketed_solver import BucketedSolver
from runout.flops.solve import progress_sink
from runout.flops.values import extract_pair_values
from tests.event_streams import check_stream
from tests.reference.clustering import variance_within
from tests.samples.small_buckets import (
    FEW_BOARDS,
    MONOTONE,
    NUM_BUCKETS,
    PAIRED,
    STRAIGHT,
    TWO_ROUNDS,
    cached_buckets,
    full_game,
    make_buckets_once,
    solved_rounds,
)
from tests.samples.toy_flops import ignore_progress

QUICK = BucketedBackend(NUM_BUCKETS, StoppingRule(5), sample=FEW_BOARDS)


@pytest.fixture(autouse=True)
def buckets_made_once(monkeypatch):
    """Buckets of strength take longer than everything else here."""
    make_buckets_once(monkeypatch)


def variance(flop, earner, sorter):
    """Returns how much what hands earned in one round varies within the buckets of another."""
    earned, labels = mean_values(full_game(flop), earner.values), sorter.buckets.flop_labels()
    return variance_within(earned, labels)


def assert_same_bits(one, other):
    np.testing.assert_array_equal(one.values.gain_of_oop, other.values.gain_of_oop)
    np.testing.assert_array_equal(one.buckets.by_flop, other.buckets.by_flop)
    for street, other_street in zip(one.strategy.played, other.strategy.played, strict=True):
        for played, other_played in zip(street, other_street, strict=True):
            np.testing.assert_array_equal(played, other_played)


def test_one_round_is_the_solve_without_rebucketing_bit_by_bit():
    game, seen = full_game(PAIRED), []
    (result,) = QUICK.solve_rounds(game, seen.append)
    phases = {event.phase for event in seen if isinstance(event, PhaseAdvanced)}
    assert phases.isdisjoint({Phase.EXTRACTING_EV, Phase.REBUCKETING})
    buckets = cached_buckets(parse_board(PAIRED), NUM_BUCKETS, "emd", 0)
    seed = int(np.random.SeedSequence([0, 1]).generate_state(1)[0])
    solver = BucketedSolver(game, buckets, seed=seed)
    solver.run(5)
    values = extract_pair_values(game, solver.strategy(), FEW_BOARDS)
    assert_same_bits(result, replace(result, strategy=solver.strategy(), values=values))
    assert result.buckets is buckets


def test_the_first_of_two_rounds_is_the_only_one_of_one():
    one_round = replace(QUICK, rule=TWO_ROUNDS.rule)
    (alone,) = one_round.solve_rounds(full_game(STRAIGHT), ignore_progress)
    assert_same_bits(alone, solved_rounds(STRAIGHT)[0])


def test_two_rounds_change_the_partition_of_the_flop_and_of_nothing_else():
    for flop in (PAIRED, STRAIGHT, MONOTONE):
        first, second = solved_rounds(flop)
        labels = [result.buckets.flop_labels() for result in (first, second)]
        assert 0.0 < adjusted_rand_score(*labels) < 1.0
        assert second.buckets.by_turn is first.buckets.by_turn
        assert second.buckets.by_river is first.buckets.by_river
        assert second.buckets.num_buckets == first.buckets.num_buckets == NUM_BUCKETS


@pytest.mark.parametrize(
    ("flop", "best", "second_best"),
    [
        # Paired: kings full of sevens, the best full house, and sevens full of kings.
        (PAIRED, "Kc7c", "7s7h"),
        # Four to a straight cannot lie on a flop; this one makes straights at once. The nuts are
        # jack-high, the second nuts ten-high.
        (STRAIGHT, "JsTs", "Ts6s"),
        # Monotone, where only combos tell: the nut flush and the next one (the king lies there).
        (MONOTONE, "AsQs", "QsJs"),
    ],
)
def test_nuts_and_second_nuts_share_a_bucket_of_strength_but_not_of_value(flop, best, second_best):
    """With as many buckets as hands; with fewer, the draw of centres decides who shares one.

    Both play as their bucket does, whatever that is, so only what they meet makes the difference.
    """
    game, result = full_game(flop), solved_rounds(flop)[0]
    pair = np.searchsorted(result.values.combos, [parse_combo(best), parse_combo(second_best)])
    strongest = np.flatnonzero(result.buckets.flop_labels() == NUM_BUCKETS[0] - 1)
    assert set(pair) <= set(strongest)
    worth = mean_values(game, result.values).mean(axis=1)
    features, key = ev_features(game, result)[strongest], worth[strongest]
    by_value = cluster_features(features, len(strongest), seed=0, order_key=key).labels
    first, second = by_value[np.searchsorted(strongest, pair)]
    assert first > second
    assert worth[pair[0]] > worth[pair[1]] + 0.05


@pytest.mark.parametrize("flop", [PAIRED, STRAIGHT, MONOTONE])
def test_values_vary_less_within_the_buckets_of_the_second_round(flop):
    first, second = solved_rounds(flop)
    assert variance(flop, first, second) < variance(flop, first, first)


@pytest.mark.slow
def test_values_vary_less_on_random_flops():
    for cards in random_flops(10, seed=6).flops:
        flop = format_cards(cards)
        first, second = TWO_ROUNDS.solve_rounds(full_game(flop), ignore_progress)
        assert first.buckets.num_buckets == second.buckets.num_buckets
        assert variance(flop, first, second) < variance(flop, first, first)


def test_events_tell_rounds_values_and_new_buckets_in_their_order():
    seen = []
    solver = replace(QUICK, rounds=2)
    list(solver.solve_rounds(full_game(PAIRED), seen.append))
    progress = [event for event in seen if isinstance(event, SolveProgress)]
    assert [(event.round, event.total_rounds) for event in progress] == [(1, 2)] * 5 + [(2, 2)] * 5
    events = []
    sink = progress_sink("5h5c2d", 2.0, events.append)
    for event in seen:
        sink(event)
    of_round = [Phase.LAYOUT, Phase.SOLVING, Phase.VALUES]
    assert check_stream(events).phases_of("5h5c2d") == [
        *((phase, 1) for phase in of_round),
        (Phase.EXTRACTING_EV, 2),
        (Phase.REBUCKETING, 2),
        *((phase, 2) for phase in of_round),
    ]


def test_every_long_phase_of_a_round_tells_its_steps():
    seen = []
    solver = replace(QUICK, rounds=2)
    list(solver.solve_rounds(full_game(PAIRED), seen.append))
    for phase in (Phase.VALUES, Phase.EXTRACTING_EV, Phase.REBUCKETING):
        steps = [e.done for e in seen if isinstance(e, PhaseAdvanced) and e.phase == phase]
        assert len(steps) >= 5, phase


def test_a_solve_stops_early_when_strategies_have_settled_and_not_before():
    settled = replace(QUICK, rule=StoppingRule(30, strategy_delta=0.1))
    (result,) = settled.solve_rounds(full_game(PAIRED), ignore_progress)
    assert result.outcome.reason == StopReason.STRATEGY_DELTA
    assert 0.0 < result.outcome.strategy_delta <= 0.1
    assert result.outcome.iterations < 30
    restless = replace(QUICK, rule=StoppingRule(result.outcome.iterations, strategy_delta=1e-6))
    (result,) = restless.solve_rounds(full_game(PAIRED), ignore_progress)
    assert result.outcome.reason == StopReason.ITERATIONS
    assert result.outcome.strategy_delta > 1e-6


def test_a_warm_start_changes_only_rounds_after_the_first():
    cold = replace(QUICK, rounds=2)
    warm = replace(cold, is_warm_started=True)
    (first, second), (warm_first, warm_second) = (
        list(solver.solve_rounds(full_game(PAIRED), ignore_progress)) for solver in (cold, warm)
    )
    assert_same_bits(first, warm_first)
    np.testing.assert_array_equal(second.buckets.by_flop, warm_second.buckets.by_flop)
    assert not np.array_equal(second.strategy.played[0][0], warm_second.strategy.played[0][0])


def test_features_of_values_are_cdfs_for_both_positions():
    flop = STRAIGHT
    features = ev_features(full_game(flop), solved_rounds(flop)[0])
    assert features.shape == (1176, 20)
    for cdfs in (features[:, :10], features[:, 10:]):
        assert (np.diff(cdfs, axis=1, prepend=0.0) >= -1e-12).all()
        np.testing.assert_allclose(cdfs[:, -1], 1.0)
