from dataclasses import replace

import numpy as np
import pytest

from runout.cfr.discounting import DCFR4, LINEAR
from runout.cfr.stopping import StoppingRule
from runout.config.postflop import PostflopModelConfig
from runout.holdem.tables import Precision
from runout.postflop.bucketed import rounds
from runout.postflop.bucketed.bucketed import BucketedBackend
from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver
from runout.postflop.exact.exact import DEFAULT_SAMPLE, ExactBackend
from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend
from runout.postflop.mccfr.mccfr import MccfrBackend
from runout.postflop.postflop_abstraction import PostflopAbstraction, make_backend
from tests.postflop.bucketed.small_buckets import cached_buckets

TINY = {
    "solve_type": "bucketed",
    "fixed_flops": ["9s6s2s", "2s2h2d"],
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_sprs": 1,
    "postflop_solve_iterations": 2,
    "num_hand_buckets_flop": 5,
    "num_hand_buckets_turn": 5,
    "num_hand_buckets_river": 5,
    "rebucket_rounds": 2,
}


def test_every_solve_type_has_its_backend():
    kinds = {
        "mccfr": MccfrBackend,
        "exhaustive": ExhaustiveBackend,
        "bucketed": BucketedBackend,
        "exact": ExactBackend,
    }
    for solve_type, kind in kinds.items():
        assert isinstance(make_backend(PostflopModelConfig(solve_type=solve_type)), kind)


@pytest.mark.parametrize("preset", ["fast", "medium", "standard", "accurate"])
def test_presets_make_bucketed_backends(preset):
    config = PostflopModelConfig(preset=preset, solve_type="bucketed", rebucket_rounds=2, seed=3)
    rule = StoppingRule(
        config.postflop_solve_iterations, None, config.cfr_exploitability_threshold, 0.001
    )
    plan = BucketPlan(config.num_hand_buckets, "emd", 2, False)
    assert make_backend(config) == BucketedBackend(RoundsSolver(plan, rule, LINEAR, 3))


def test_all_keys_of_buckets_reach_the_backend():
    config = PostflopModelConfig(**TINY, bucket_metric="cramer", rebucket_warm_start=True)
    assert make_backend(config).rounds.plan == BucketPlan((5, 5, 5), "cramer", 2, True)


def test_precision_and_seed_reach_the_exact_backend():
    config = PostflopModelConfig(solve_type="exact", exact_precision=16, seed=7)
    expected = ExactBackend(
        config.stopping_rule(), DCFR4, Precision.HALF, replace(DEFAULT_SAMPLE, seed=7)
    )
    assert make_backend(config) == expected


def test_a_bucketed_config_gives_the_same_bits_for_one_and_two_workers(monkeypatch):
    monkeypatch.setattr(
        rounds,
        "build_flop_buckets",
        lambda flop, number, metric, seed, on_event: cached_buckets(flop, number, metric, seed),
    )
    config = PostflopModelConfig(**TINY)
    one, two = (PostflopAbstraction.build(config, num_workers=n).values[0] for n in (1, 2))
    np.testing.assert_array_equal(one.value_pot, two.value_pot)
    can_meet = ~np.isnan(one.value_pot[:, 0])
    total = one.value_pot[:, 0] + one.value_pot[:, 1].swapaxes(1, 2)
    assert (total[can_meet] == 1.0).all()
    assert [report.iterations for report in one.reports] == [2, 2]
    assert all(report.num_deals == 2 * 2 * 4 * 1081 * 990 for report in one.reports)
