"""CFR on a flop: an iteration against what it replaces and against the least it must do.

``python -m benchmarks.cfr --flops`` solves 100 random flops instead and extrapolates to all 1,755.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass

import numpy as np

from benchmarks import pair_kernels
from benchmarks.pair_kernels import PairTables
from benchmarks.timing import (
    Row,
    best_seconds,
    best_seconds_of_two,
    format_rows,
    format_seconds,
    speedup,
)
from runout.cards.deck import NUM_HANDS, parse_board
from runout.cards.flops import NUM_CANONICAL_FLOPS, FlopList, random_flops
from runout.cfr.schedules import (
    DCFR,
    DCFR_PLUS,
    VARIANTS,
    DiscountWeights,
    Schedule,
    StoppingRule,
)
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.execution.context import RunContext
from runout.execution.pool import count_cores
from runout.flops.backend import FlopGame, make_hand_leaves
from runout.flops.hands import HandBackend
from runout.flops.solve import PostflopPlan, solve_each
from runout.simd import product_kernels
from runout.simd.products import make_product_rows, pack_panels
from runout.trees.betting import BettingRules
from runout.trees.layout import NUM_PLAYERS, own_reach_rows
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN, PostflopTree

PAIRS_GOAL = 100.0
PRODUCTS_GOAL = 1 / 2.5
WITHIN_GOAL = 1.6
NOT_SLOWER = 0.95
ACROSS_GOAL = 1.8
ALL_FLOPS_GOAL_SECONDS = 20 * 60.0
ALL_FLOPS_GOAL_GIB = 3.0

_FLOP = "AhKsQd"
_NUM_SAMPLED_HANDS = 4
_ITERATIONS_AT_ONCE = 10
_NUM_FLOPS = 16
_ITERATIONS_PER_FLOP = 100
_TARGET_POT = 0.005
_MAX_ITERATIONS = 3_000


@dataclass(frozen=True)
class WeightedAndDiscounted(Schedule):
    """The scheme first planned: an iteration is weighted by t *and* what came before is discounted.

    Adding t times an iteration is, up to a common factor, discounting by t / (t + 1) once more.
    """

    def weights(self, completed_iterations: int) -> DiscountWeights:
        """Returns the multipliers to apply after ``completed_iterations`` iterations."""
        again = completed_iterations / (completed_iterations + 1.0)
        return DiscountWeights(*(again * w for w in super().weights(completed_iterations)))


PLANNED_SCHEME = WeightedAndDiscounted(DCFR.alpha, DCFR.beta, DCFR.gamma)


def rows() -> list[Row]:
    """Returns ratios of one run; the trees are small (SPR 3.5) and large (SPR 20)."""
    small, large = _small_tree(), _large_tree()
    game = FlopGame.deal(parse_board(_FLOP))
    return [
        _against_pairs("SPR 3.5", game, small),
        _against_pairs("SPR 20", game, large),
        _against_products("SPR 3.5", game, small),
        _against_products("SPR 20", game, large),
        _two_threads_within("SPR 20", game, large, WITHIN_GOAL),
        _two_threads_within("SPR 3.5", game, small, NOT_SLOWER),
        _two_workers_across(small),
        *(
            _against_planned_scheme(f"alternating {name}", schedule, False, game, small)
            for name, schedule in VARIANTS.items()
        ),
        _against_planned_scheme("simultaneous DCFR", DCFR, True, game, small),
    ]


def main(arguments: list[str]) -> None:
    """Prints the table, or with ``--flops`` what 100 random flops take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flops", action="store_true", help="solve 100 random flops to 0.1 %%")
    parser.add_argument("--workers", type=int, default=count_cores())
    options = parser.parse_args(arguments)
    print(format_rows(_many_flops(100, options.workers) if options.flops else rows()))


def _small_tree() -> PostflopTree:
    return PostflopTree.build(BettingRules.of([0.5, 1.0], 1), 3.5)


def _large_tree() -> PostflopTree:
    return PostflopTree.build(BettingRules.of([0.5, 1.0, 2.0], 3), 20.0)


def _solver(
    game: FlopGame,
    tree: PostflopTree,
    team: Team | None = None,
    schedule: Schedule = DCFR_PLUS,
    is_simultaneous: bool = False,
) -> CfrSolver:
    team = team or Team()
    leaves = make_hand_leaves(tree, game, np.float32, team)
    street = StreetSolver(tree.layout, leaves, NUM_HANDS, np.float32, team)
    return CfrSolver(street, schedule, is_simultaneous=is_simultaneous)


def _against_pairs(name: str, game: FlopGame, tree: PostflopTree) -> Row:
    """An iteration against one pair of hands after the other, timed on a sample of hands."""
    solver = _solver(game, tree)
    solver.run(5)
    strategy = solver.root.average_strategy()
    tables = PairTables(strategy, np.zeros_like(strategy), np.zeros_like(strategy))
    stake = tree.leaf_stake.astype(np.float32)
    ours, sampled = best_seconds_of_two(
        lambda: solver.run(_ITERATIONS_AT_ONCE),
        lambda: pair_kernels.traverse_pairs(
            tree.layout, tree.leaf_kind, stake, game.edge, _NUM_SAMPLED_HANDS, tables
        ),
    )
    ours /= _ITERATIONS_AT_ONCE
    pairs = sampled * NUM_HANDS / _NUM_SAMPLED_HANDS
    return speedup(f"an iteration, {name}", ours, pairs, "pair by pair", PAIRS_GOAL)


def _against_products(name: str, game: FlopGame, tree: PostflopTree) -> Row:
    """An iteration against its matrix products alone, in one thread: leaf reach times payoff."""
    solver = _solver(game, tree)
    panels = pack_panels(game.matchup_share, np.float32)
    groups = [
        tree.leaf_kind == SHOWDOWN,
        (tree.leaf_kind != SHOWDOWN) & (tree.leaf_kind != NOT_A_LEAF),
    ]
    rng = np.random.default_rng(1)
    reaches = [
        rng.random((len(np.unique(own_reach_rows(tree.layout, player)[group])), NUM_HANDS))
        for player in range(NUM_PLAYERS)
        for group in groups
    ]
    inputs = [reach.astype(np.float32) for reach in reaches]
    outputs = [make_product_rows(len(reach), panels) for reach in inputs]
    rows = [np.arange(len(reach)) for reach in inputs]

    def multiply() -> None:
        for _ in range(_ITERATIONS_AT_ONCE):
            for reach, row, out in zip(inputs, rows, outputs, strict=True):
                product_kernels.multiply_rows(reach, row, panels, out)

    ours, products = (
        seconds / _ITERATIONS_AT_ONCE
        for seconds in best_seconds_of_two(lambda: solver.run(_ITERATIONS_AT_ONCE), multiply)
    )
    return speedup(f"an iteration, {name}", ours, products, "its products", PRODUCTS_GOAL)


def _two_threads_within(name: str, game: FlopGame, tree: PostflopTree, goal: float) -> Row:
    """Two workers inside one flop, as many as are worthwhile, against one."""
    num_used = Team(2).for_solve(tree.num_nodes * NUM_HANDS).num_workers
    two, one = _solver(game, tree, Team(num_used)), _solver(game, tree)
    ours, alone = best_seconds_of_two(lambda: two.run(5), lambda: one.run(5), repeats=9)
    return speedup(
        f"5 iterations with 2 workers ({num_used} used), {name}", ours, alone, "one", goal
    )


def _plan(flops: FlopList, tree: PostflopTree, backend: HandBackend) -> PostflopPlan:
    return PostflopPlan(FlopsConfig(keep_strategies=False), flops, (tree,), backend, 1)


def _two_workers_across(tree: PostflopTree) -> Row:
    flops = random_flops(_NUM_FLOPS, seed=1)
    backend = HandBackend(StoppingRule(_ITERATIONS_PER_FLOP))

    def solve(num_workers: int) -> None:
        for _ in solve_each(_plan(flops, tree, backend), RunContext(num_workers)):
            pass

    two, one = best_seconds_of_two(lambda: solve(2), lambda: solve(1), repeats=3)
    name = f"{_NUM_FLOPS} flops, {_ITERATIONS_PER_FLOP} iterations, two workers"
    return speedup(name, two, one, "one worker", ACROSS_GOAL)


def _against_planned_scheme(
    name: str,
    schedule: Schedule,
    is_simultaneous: bool,
    game: FlopGame,
    tree: PostflopTree,
) -> Row:
    """Iterations to half a percent of the pot, against the scheme first planned."""
    ours = _solver(game, tree, None, schedule, is_simultaneous)
    planned = _solver(game, tree, None, PLANNED_SCHEME, is_simultaneous=True)
    rule = StoppingRule(_MAX_ITERATIONS, exploitability=_TARGET_POT, check_every=5)
    mine, theirs = ours.solve(rule), planned.solve(rule)
    is_reached = theirs.exploitability <= _TARGET_POT
    reached = "" if is_reached else f", then at {theirs.exploitability:.1%}"
    return Row(
        f"iterations to 0.5 % of the pot, {name}",
        f"{mine.iterations}",
        f"planned scheme {theirs.iterations}{reached}",
        f"{theirs.iterations / mine.iterations:.1f}x",
    )


def _many_flops(num_flops: int, num_workers: int) -> list[Row]:
    """Random flops at SPR 3.5 to 0.1 % of the pot, and what all flops would take."""
    flops = random_flops(num_flops, seed=1)
    backend = HandBackend(StoppingRule(2_000, exploitability=0.001))
    one_flop = _plan(random_flops(1, seed=1), _small_tree(), backend)
    best_seconds(lambda: list(solve_each(one_flop, RunContext(1))), 1)  # compile
    plan, started = _plan(flops, _small_tree(), backend), time.perf_counter()
    reports = [result.reports[0] for result in solve_each(plan, RunContext(num_workers))]
    seconds = time.perf_counter() - started
    everything = seconds * NUM_CANONICAL_FLOPS / num_flops
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    iterations = [report.iterations for report in reports]
    worst = max(report.exploitability_pot for report in reports)
    minutes = f"{everything / 60:.1f} min"
    return [
        Row(
            f"{num_flops} flops to 0.1 %, {num_workers} workers",
            format_seconds(seconds),
            f"iterations {min(iterations)} to {max(iterations)}, worst {worst:.3%}",
            f"{seconds / num_flops * 1e3:.0f} ms each",
        ),
        Row(
            f"all {NUM_CANONICAL_FLOPS:,} flops, extrapolated",
            minutes,
            "",
            minutes,
            f"< {ALL_FLOPS_GOAL_SECONDS / 60:.0f} min",
            everything < ALL_FLOPS_GOAL_SECONDS,
        ),
        Row(
            "peak memory",
            f"{gib:.2f} GiB",
            "",
            f"{gib:.2f} GiB",
            f"< {ALL_FLOPS_GOAL_GIB:g} GiB",
            gib < ALL_FLOPS_GOAL_GIB,
        ),
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
