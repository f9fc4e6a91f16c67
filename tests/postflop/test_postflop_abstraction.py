import numpy as np
import pytest

from runout.cards.card import parse_cards
from runout.cards.combos import live_combos
from runout.cfr.parallel import Team
from runout.config.postflop import PostflopModelConfig
from runout.errors import BundleError
from runout.execution.workplace import Workplace
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.postflop.bucketed.rounds import mean_values
from runout.postflop.flop_game import FlopGame
from runout.postflop.plan import PostflopPlan
from runout.postflop.postflop_abstraction import PostflopAbstraction
from runout.ranges.hand_range import HandRange
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import read_manifest
from tests.postflop.bucketed.small_buckets import make_buckets_once
from tests.postflop.toy_flops import ignore_progress

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


@pytest.mark.slow
def test_a_bucketed_config_gives_the_same_bits_for_one_and_two_workers(monkeypatch):
    make_buckets_once(monkeypatch)
    config = PostflopModelConfig(**TINY)
    one, two = (PostflopAbstraction.build(config, Workplace(n)).values[0] for n in (1, 2))
    np.testing.assert_array_equal(one.value_pot, two.value_pot)
    can_meet = ~np.isnan(one.value_pot[:, 0])
    total = one.value_pot[:, 0] + one.value_pot[:, 1].swapaxes(1, 2)
    assert (total[can_meet] == 1.0).all()
    assert [report.iterations for report in one.reports] == [4, 4]  # of both rounds
    assert all(report.num_deals == 2 * 2 * 4 * 1081 * 990 for report in one.reports)


# --- What is kept ---------------------------------------------------------------------------------

SMALL = {
    "fixed_flops": ["9s6s2s", "AhKd7s"],
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_sprs": [1, 2],
    "postflop_solve_iterations": 3,
}
BUCKETS = {f"num_hand_buckets_{street}": 5 for street in ("flop", "turn", "river")}


BUCKETED = {"solve_type": "bucketed", "rebucket_rounds": 2, "fixed_flops": ["9s6s2s"]} | BUCKETS
COMPACT = {"solve_type": "compact", "fixed_flops": ["9s6s2s"], "postflop_sprs": [1]} | {
    "keep_strategies": True,
    "river_buckets": 16,
}


def solve_and_save(tmp_path, **keys):
    """Returns a solved config, and the same as it comes back from its bundle."""
    solved = PostflopAbstraction.build(PostflopModelConfig(**SMALL | keys), Workplace(1))
    solved.to_bundle().save(tmp_path / "values")
    return solved, PostflopAbstraction.from_bundle(ValueBundle.load(tmp_path / "values"))


@pytest.mark.parametrize("solve_type", ["exhaustive", "mccfr"])
def test_strategies_of_hands_are_kept_to_16_bits(tmp_path, solve_type):
    solved, read = solve_and_save(tmp_path, solve_type=solve_type)
    assert read.config == solved.config
    backend = solved.config.make_backend()
    for spr, tree in enumerate(solved.trees):
        for index, flop in enumerate(solved.flops.flops):
            table = read.strategy(index, spr).table
            fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
            np.testing.assert_allclose(table, fresh.table, atol=1.01 / 131_070)
            np.testing.assert_array_equal(table, solved.strategy(index, spr).table)
    with pytest.raises(BundleError, match=f"{solve_type} has no rounds of buckets"):
        read.rounds(0)


@pytest.mark.slow
def test_buckets_of_every_round_are_kept_with_what_hands_earned(tmp_path, monkeypatch):
    make_buckets_once(monkeypatch)
    _, read = solve_and_save(tmp_path, **BUCKETED)
    backend, (flop,) = read.config.make_backend(), read.flops.flops
    for spr, tree in enumerate(read.trees):
        everyone = HandRange.full()
        game = SpotGame(Spot(flop, (everyone, everyone), tree, merges_suits=False))
        results = list(backend.rounds.solve(game, ignore_progress))
        for record, result in zip(read.rounds(0, spr), results, strict=True):
            assert record.buckets.num_buckets == result.buckets.num_buckets
            for table in ("by_flop", "by_turn", "by_river"):
                kept, fresh = getattr(record.buckets, table), getattr(result.buckets, table)
                np.testing.assert_array_equal(kept, fresh)
            np.testing.assert_array_equal(
                record.mean_values, mean_values(game, result.values).astype(np.float32)
            )
            assert record.exploitability_bound_pot == result.outcome.exploitability
        strategy = read.strategy(0, spr)
        for mine, fresh in zip(strategy.played, results[-1].strategy.played, strict=True):
            np.testing.assert_allclose(mine[0], fresh[0], atol=1e-5)
            np.testing.assert_allclose(mine[1], fresh[1], atol=1e-5)
    names = read_manifest(tmp_path / "values").arrays
    assert "solution_0_river_buckets" in names
    assert "solution_1_river_buckets" not in names  # the same at all ratios


@pytest.mark.slow
def test_exact_strategies_are_kept_on_request(tmp_path):
    keys = {"solve_type": "exact", "fixed_flops": ["9s6s2s"], "postflop_sprs": [1]}
    _, read = solve_and_save(tmp_path, **keys, keep_strategies=True)
    backend, (flop,), (tree,) = read.config.make_backend(), read.flops.flops, read.trees
    fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
    dealt = tuple(parse_cards("AhKd"))
    template, combos = fresh.game.templates[2], live_combos((*flop, *dealt))
    for player in range(2):
        rows = read.strategy(0).rows(template, player, dealt, combos)
        expected = fresh.rows(template, player, dealt, combos)
        np.testing.assert_allclose(rows, expected, atol=1e-4)


def test_nothing_is_kept_if_the_config_says_so(tmp_path):
    solved, read = solve_and_save(tmp_path, solve_type="exhaustive", keep_strategies=False)
    assert solved.solutions == read.solutions == ()
    with pytest.raises(BundleError, match="solve with keep_strategies: true"):
        read.strategy(0)
    assert not any("solution" in name for name in read_manifest(tmp_path / "values").arrays)


@pytest.mark.slow
def test_compact_strategies_are_kept_to_16_bits(tmp_path):
    _, read = solve_and_save(tmp_path, **COMPACT)
    backend, (flop,), (tree,) = read.config.make_backend(), read.flops.flops, read.trees
    fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
    for dealt in ((), tuple(parse_cards("Ah")), tuple(parse_cards("AhKd"))):
        template, combos = fresh.game.templates[len(dealt)], live_combos((*flop, *dealt))
        for player in range(2):
            rows = read.strategy(0).rows(template, player, dealt, combos)
            expected = fresh.rows(template, player, dealt, combos)
            np.testing.assert_allclose(rows, expected, atol=1.01 / 131_070)


@pytest.mark.parametrize(
    "keys",
    [
        {"solve_type": "exhaustive"},
        {"solve_type": "mccfr"},
        pytest.param(COMPACT, marks=pytest.mark.slow),
        pytest.param(BUCKETED, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_how_large_a_bundle_gets_is_told_before(tmp_path, keys, monkeypatch):
    make_buckets_once(monkeypatch)
    told = PostflopPlan.make(PostflopModelConfig(**SMALL | keys)).needs.disk_bytes
    solve_and_save(tmp_path, **keys)
    assert 0.98 * told < read_manifest(tmp_path / "values").size_bytes < 1.02 * told
