import numpy as np

from runout.config.postflop import PostflopModelConfig
from runout.postflop.bucketed import rounds
from runout.postflop.postflop_abstraction import PostflopAbstraction
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
