"""The main job: from a config to a solved preflop game. Read this file first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from runout.arrays import FloatArray
from runout.config.run import RunConfig
from runout.events import RangesRoundFinished
from runout.execution.context import RunContext
from runout.flops.solve import PostflopAbstraction, PostflopPlan
from runout.preflop.joint import LearningLeaves, save_flop_strategies
from runout.preflop.solver import SnapshotSink, ignore_snapshot
from runout.runs.joint import PreflopStage, solve_joint
from runout.runs.plan import RunPlan, require_own_solution, require_own_values
from runout.solutions.preflop import (
    FLOPS_FOLDER,
    SOLUTION_FOLDER,
    VALUES_FOLDER,
    PreflopSolution,
    RangesRound,
    load_solution,
    save_solution,
)
from runout.solutions.values import (
    ExploitabilityMeaning,
    LeafValues,
    ValueBook,
    ValueBundle,
    ValueSource,
    average_share,
)
from runout.storage.bundle import digest_config, has_bundle
from runout.trees.tree import FlopLeaf

# Rounds in which flops are solved with the ranges that really arrive there.
#
# A flop solved for all hands lets hands play that would never come; its values are those of another
# game. Each round takes both players' reach of every flop leaf from the preflop solution, solves
# the flops at that leaf with these ranges, and solves preflop again. Ranges are damped, because a
# new preflop strategy changes the ranges that it was computed from, and more so in later rounds:
# with a constant share strategies go in circles.

#: A leaf that neither hand reaches this often keeps the ranges it had.
_NEVER = 1e-9


@dataclass(frozen=True, eq=False)
class _SolvedLeaf:
    values: LeafValues
    exploitability_pot: float
    meaning: ExploitabilityMeaning


def refine_with_arriving_ranges(
    stage: PreflopStage,
    book: ValueBook,
    plans: Mapping[str, PostflopPlan],
    solution: PreflopSolution,
) -> PreflopSolution:
    """Returns the solution of the last round.

    Args:
        stage: solves preflop.
        book: values of flops solved for all hands, which the first round starts from.
        plans: the flops of each leaf, by path.
        solution: the preflop solution on top of ``book``.
    """
    config = stage.config
    ranges: dict[str, FloatArray] = {}
    rounds: list[RangesRound] = []
    for number in range(1, config.ranges_rounds + 1):
        leaves: dict[str, _SolvedLeaf] = {}
        share = share_of_new_ranges(config.ranges_damping, number)
        for leaf in stage.tree.flop_leaves():
            ranges[leaf.path] = _damp(
                ranges.get(leaf.path), solution.arriving_ranges(leaf.node), share
            )
            leaves[leaf.path] = _solve_leaf(
                stage, plans[leaf.path], leaf, ranges[leaf.path], number
            )
        refined = stage.solve(
            book.with_leaves({path: solved.values for path, solved in leaves.items()}), number
        )
        rounds.append(
            RangesRound(
                number,
                refined.change_from(solution),
                refined.report.exploitability_mbb,
                max(solved.exploitability_pot for solved in leaves.values()),
                next(iter(leaves.values())).meaning,
            )
        )
        solution = replace(
            refined,
            report=replace(refined.report, ranges_rounds=tuple(rounds)),
            earlier_strategies=(*solution.earlier_strategies, solution.strategy),
        )
        stage.workplace.on_event(
            RangesRoundFinished(
                number, config.ranges_rounds, rounds[-1].change, rounds[-1].exploitability_mbb
            )
        )
        if rounds[-1].change < config.ranges_tolerance:
            break
    return solution


def share_of_new_ranges(damping: float, number: int) -> float:
    """Returns the share of the ranges that arrive in a round: 1/2, 1/3, 1/4, ... from 1/2 on.

    From 1 on it is 1, 1/2, 1/3, ...: the mean of all ranges that have arrived so far.
    """
    return damping / (1.0 + damping * (number - 1))


def _damp(earlier: FloatArray | None, arriving: FloatArray, share: float) -> FloatArray:
    """Returns ``[2, 169]`` ranges, the largest weight being 1, moved towards those arriving."""
    held = np.ones_like(arriving) if earlier is None else earlier
    largest = arriving.max(axis=1, keepdims=True)
    scaled = np.where(largest > _NEVER, arriving / np.maximum(largest, _NEVER), held)
    damped: FloatArray = share * scaled + (1.0 - share) * held
    return damped


def _solve_leaf(
    stage: PreflopStage,
    plan: PostflopPlan,
    leaf: FlopLeaf,
    ranges: FloatArray,
    number: int,
) -> _SolvedLeaf:
    solved = PostflopAbstraction.carry_out(plan, stage.workplace, ranges).values[0]
    detail = f"solved at SPR {leaf.spr:g} with the ranges of round {number}"
    return _SolvedLeaf(
        LeafValues(average_share(solved), ValueSource.SOLVED, detail),
        max(report.exploitability_pot for report in solved.reports),
        plan.backend.meaning,
    )


# `RunConfig -> PreflopTree -> flops solved -> ValueBook -> PreflopSolution -> bundles`, or with
# ``method: joint`` both at once, `RunConfig -> JointGame -> PreflopSolution -> bundles`.


@dataclass(frozen=True, eq=False)
class PreflopRun:
    """Everything that a run found.

    Attributes:
        plan: what was done.
        solution: the preflop strategies, of the last round.
        values: the postflop values behind the first round, None if there were no flops to solve.
        leaves: what a joint solve has learned after the flop; None if there was none, or if it
            was not done just now.
    """

    plan: RunPlan
    solution: PreflopSolution
    values: ValueBundle | None
    leaves: LearningLeaves | None = None

    @property
    def config(self) -> RunConfig:
        """What was asked for."""
        return self.plan.config

    def save(self, directory: Path, *, overwrite: bool = False) -> None:
        """Writes the solution, and the values behind it, as bundles in a directory.

        Values without a solution are what an interrupted save of this run left behind, and are
        replaced in any case.

        Raises:
            BundleError: if one cannot be written, or if a solution, or values of another config,
                exist and are not to be overwritten.
        """
        if not overwrite:
            check_directory(directory, self.plan)
        directory.mkdir(parents=True, exist_ok=True)
        if self.values is not None:
            is_left_over = not has_bundle(directory / SOLUTION_FOLDER)
            self.values.save(directory / VALUES_FOLDER, overwrite=overwrite or is_left_over)
        if self.leaves is not None:
            save_flop_strategies(
                directory / FLOPS_FOLDER,
                self.leaves,
                self.solution,
                self.config.to_yaml(),
                keep_rivers=self.config.joint_settings.keep_rivers,
                overwrite=overwrite or not has_bundle(directory / SOLUTION_FOLDER),
            )
        save_solution(
            directory / SOLUTION_FOLDER,
            self.solution,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            overwrite=overwrite,
        )


def check_directory(directory: Path, plan: RunPlan) -> None:
    """Refuses a directory with results of another config; what is not there is no problem.

    Raises:
        BundleError: naming every key that differs, with both values, or if something there cannot
            be opened.
    """
    require_own_solution(directory / SOLUTION_FOLDER, plan.config)
    require_own_values(directory / VALUES_FOLDER, plan)


def find_finished_run(directory: Path, plan: RunPlan) -> PreflopRun | None:
    """Returns the run of a plan if a directory holds all of it, None if something is missing.

    Raises:
        BundleError: if the directory holds results of another config, or some cannot be opened.
    """
    check_directory(directory, plan)
    if not has_bundle(directory / SOLUTION_FOLDER):
        return None
    values = None
    if has_bundle(directory / VALUES_FOLDER):
        values = ValueBundle.load(directory / VALUES_FOLDER)
    return PreflopRun(plan, load_solution(directory / SOLUTION_FOLDER), values)


def solve_preflop(config: RunConfig, workplace: RunContext | None = None) -> PreflopRun:
    """Solves a preflop game and the flops behind it.

    Args:
        config: what to solve.
        workplace: with what; by default all cores, silently, and without checkpoints, which are
            written as often as the config says.

    Raises:
        RunoutError: if the config asks for something impossible.
    """
    workplace = workplace or RunContext()
    return carry_out(RunPlan.make(config, workplace.num_workers), workplace)


def carry_out(
    plan: RunPlan, workplace: RunContext, on_solution: SnapshotSink = ignore_snapshot
) -> PreflopRun:
    """Solves what a plan says; checkpoints are written as often as its config says.

    Args:
        plan: what to solve.
        workplace: with what.
        on_solution: shown the preflop solution every ``print_every`` iterations of the config.
    """
    config = plan.config
    workplace = replace(workplace, checkpoint_every=config.checkpoint_every)
    if plan.joint is not None:
        solution, learned = solve_joint(config, plan.joint, workplace, on_solution)
        return PreflopRun(plan, solution, None, learned)
    values = plan.given_values
    if plan.flops is not None:
        values = PostflopAbstraction.carry_out(plan.flops, workplace).to_bundle()
    book = ValueBook.raw_equity() if values is None else ValueBook.from_values(values.values)
    stage = PreflopStage(config, plan.tree, workplace, on_solution)
    solution = stage.solve(book)
    if plan.leaves:
        solution = refine_with_arriving_ranges(stage, book, plan.leaves, solution)
    return PreflopRun(plan, solution, values)
