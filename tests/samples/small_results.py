"""A small result of every way to compute one; the same bits whoever asks, on one machine.

`main` saves them, for `tools/test_machines.py`.
"""

from dataclasses import dataclass

import numpy as np

from runout.abstraction.clustering import cluster_features
from runout.cards.flops import explicit_flops
from runout.cfr.schedules import LINEAR, StoppingRule
from runout.execution.context import RunContext
from runout.flops.bucketed import BucketedBackend
from runout.flops.hands import HandBackend, Sampling
from runout.flops.solve import solve_each
from runout.flops.values import RunoutSample
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot
from runout.trees.betting import SB
from runout.trees.tree import PreflopTree
from tests.samples.preflop_games import raw_solver, solution_of
from tests.samples.preflop_rules import push_fold_rules
from tests.samples.small_runs import run_config
from tests.samples.toy_flops import flop_game, make_plan, small_tree

FLOPS = explicit_flops(["AhKs7d", "Td9d4c"])
SPOT = {"oop": "AA,QJs,87s,54s", "ip": "KK,AQs,T9s,65s", "pot": 20, "stack": 60}


@dataclass(frozen=True, eq=False)
class SmallResult:
    """What was computed.

    Attributes:
        numbers: whose bits must not change.
        value: what a player wins, in pots or big blinds.
        gain: what best responses of both players win beyond that; nothing is said of a value
            whose gain is NaN.
    """

    numbers: np.ndarray
    value: float = np.nan
    gain: float = np.nan


def _flops(backend, num_workers):
    plan = make_plan(FLOPS, [small_tree()], backend)
    results = list(solve_each(plan, RunContext(num_workers)))
    results.sort(key=lambda result: result.flop_index)  # they come as they are finished
    return np.stack([result.value_pot for result in results]), results


def exhaustive(num_workers):
    rule = StoppingRule(100)
    values, results = _flops(HandBackend(rule), num_workers)
    won = float(np.nansum(flop_game("AhKs7d").matchup_share * values[0, 0, 0]))
    return SmallResult(values, won, 2.0 * results[0].reports[0].exploitability_pot)


def public_chance(num_workers):
    backend = HandBackend(StoppingRule(20), LINEAR, Sampling("public_chance"))
    return SmallResult(_flops(backend, num_workers)[0])


def external(num_workers):
    backend = HandBackend(StoppingRule(5), LINEAR, Sampling("external", value_deals=50))
    return SmallResult(_flops(backend, num_workers)[0])


def bucketed(num_workers):
    sample = RunoutSample(6, 3)
    backend = BucketedBackend((9, 5, 5), StoppingRule(10), rounds=2, sample=sample)
    return SmallResult(_flops(backend, num_workers)[0])


def preflop(num_workers):
    solution = solve_preflop(run_config(), RunContext(num_workers=num_workers)).solution
    return SmallResult(np.concatenate([solution.strategy, *solution.ev_bb]))


def push_fold(num_workers):
    solver = raw_solver(PreflopTree.build(push_fold_rules(10.0)))
    solution = solution_of(solver, StoppingRule(300))
    gain = 2.0 * solution.report.exploitability_mbb / 1_000.0
    return SmallResult(solution.strategy, solution.game_value_bb(SB), gain)


def _spot(num_workers, **keys):
    solution = solve_spot(context=RunContext(num_workers), max_iterations=50, **SPOT, **keys)
    node = solution.view.node()
    numbers = np.concatenate([node.strategy.ravel(), node.ev.ravel()])
    pot = SPOT["pot"]
    return SmallResult(numbers, node.range_ev(0) / pot, 2.0 * solution.exploitability_pot)


def turn(num_workers):
    return _spot(num_workers, board="Qs8h7h2c")


def turn_of_16_bits(num_workers):
    return _spot(num_workers, board="Qs8h7h2c", precision=16)


def compact_flop(num_workers):
    keys = {"rivers": "compact", "river_buckets": 16, "bet_sizes": "a", "raise_sizes": []}
    return _spot(num_workers, board="Qs8h7h", **keys)


def clusters(num_workers):
    rows = np.random.default_rng(0).random((2_000, 10)).cumsum(axis=1)
    found = [
        cluster_features(rows, 30, metric, seed=0, order_key=rows[:, 0]).centers
        for metric in ("emd", "cramer")
    ]
    return SmallResult(np.stack(found))


RESULTS = {
    function.__name__: function
    for function in (
        exhaustive,
        public_chance,
        external,
        bucketed,
        preflop,
        push_fold,
        turn,
        turn_of_16_bits,
        compact_flop,
        clusters,
    )
}


def main(path, *names):
    """Saves the numbers of some results, of all by default, with their values and gains."""
    saved = {}
    for name in names or RESULTS:
        result = RESULTS[name](1)
        saved[name] = result.numbers
        saved[f"{name} value"] = np.array([result.value, result.gain])
    np.savez(path, **saved)
