from functools import cache

import numpy as np
import pytest

from runout.abstraction.bucket_map import compare_partitions
from runout.cards.deck import live_combos, parse_board, parse_combo
from runout.cards.flops import GivenFlop
from runout.flops.bucketed import ev_features, pack_rounds, read_records
from runout.runs.diagnose import diagnose_flop, worst_buckets
from tests.samples.small_buckets import (
    MONOTONE,
    NUM_BUCKETS,
    TWO_ROUNDS,
    betting_tree,
    full_game,
    solved_rounds,
)


@cache
def diagnosis():
    results = solved_rounds(MONOTONE)
    kept = {**results[-1].strategy.to_arrays(), **pack_rounds(full_game(MONOTONE), results)}
    records = read_records(kept, parse_board(MONOTONE))
    return diagnose_flop(GivenFlop.parse(MONOTONE), betting_tree().stakes.spr, records)


@cache
def rounds():
    return diagnosis()[0].records()


def combos_of(contents):
    return [parse_combo(name) for name in contents["combos"]]


def test_rounds_are_told_with_what_they_reached():
    first, second = rounds()
    results = solved_rounds(MONOTONE)
    for number, (entry, result) in enumerate(zip((first, second), results, strict=True), start=1):
        assert entry["round"] == number
        assert tuple(entry["num_buckets"].values()) == NUM_BUCKETS
        iterations = TWO_ROUNDS.rule.max_iterations
        assert entry["iterations"] == result.outcome.iterations == iterations
        assert entry["final_delta"] == result.outcome.strategy_delta
        assert entry["exploitability_bound_pot"] == result.outcome.exploitability
        assert np.shape(entry["pair_equity"]) == (NUM_BUCKETS[0], NUM_BUCKETS[0])
    assert first["adjusted_rand_index"] is None
    labels = [result.buckets.flop_labels() for result in results]
    assert second["adjusted_rand_index"] == compare_partitions(*labels) < 1.0
    assert 0.0 < second["ev_variance"] < first["ev_variance"]


def test_every_live_combo_is_in_one_bucket_and_weaker_ones_come_first():
    for entry, result in zip(rounds(), solved_rounds(MONOTONE), strict=True):
        members = [combo for contents in entry["buckets"] for combo in combos_of(contents)]
        np.testing.assert_array_equal(np.sort(members), live_combos(parse_board(MONOTONE)))
        for bucket, contents in enumerate(entry["buckets"]):
            assert (result.buckets.by_flop[combos_of(contents)] == bucket).all()
            for spread in (contents["strength"], contents["ev_pot"]):
                assert spread["lowest"] <= spread["mean"] + 1e-12
                assert spread["mean"] <= spread["highest"] + 1e-12
    strengths = [contents["strength"]["mean"] for contents in rounds()[0]["buckets"]]
    assert strengths == sorted(strengths)


def test_the_worst_pair_of_a_bucket_is_the_one_farthest_apart():
    entry, result = rounds()[0], solved_rounds(MONOTONE)[0]
    features = ev_features(full_game(MONOTONE), result)
    position = {combo: i for i, combo in enumerate(result.values.combos.tolist())}
    for contents in entry["buckets"][::7]:
        rows = features[[position[combo] for combo in combos_of(contents)]]
        distances = np.abs(rows[:, None] - rows).sum(axis=2)
        pots = distances.max() * (1.0 + 2.0 * 3.5) / 9.0 / 2.0  # a grid of ten points, twice
        if len(rows) == 1:
            assert contents["worst_pair"] is None
            continue
        assert contents["worst_pair"]["distance_pot"] == pytest.approx(pots)
        assert set(contents["worst_pair"]["combos"]) <= set(contents["combos"])


def test_buckets_with_the_worst_pairs_are_chosen():
    for buckets, entry in zip(diagnosis()[1], rounds(), strict=True):
        apart = [
            (contents["worst_pair"] or {"distance_pot": 0.0})["distance_pot"]
            for contents in entry["buckets"]
        ]
        farthest = np.argsort(-np.array(apart), kind="stable")[:5]
        assert [row[0] for row in worst_buckets(buckets, 5).rows] == farthest.tolist()
