"""The main job: from a config to a solved preflop game. Read this file first.

`RunConfig -> PreflopTree -> flops solved -> ValueBook -> PreflopSolution -> bundles`, or with
``method: joint`` both at once, `RunConfig -> JointGame -> PreflopSolution -> bundles`.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from runout.config.run import RunConfig
from runout.execution.workplace import Workplace
from runout.pipeline.fit import require_own_solution, require_own_values
from runout.pipeline.joint_stage import solve_joint
from runout.pipeline.plan import RunPlan
from runout.pipeline.preflop_stage import PreflopStage
from runout.pipeline.ranges_rounds import refine_with_arriving_ranges
from runout.postflop.postflop_abstraction import PostflopAbstraction
from runout.preflop.joint.flop_strategies import save_flop_strategies
from runout.preflop.joint.joint_leaves import LearningLeaves
from runout.preflop.solver import SnapshotSink, ignore_snapshot
from runout.results.preflop_bundle import load_solution, save_solution
from runout.results.preflop_solution import PreflopSolution
from runout.results.run_folders import FLOPS_FOLDER, SOLUTION_FOLDER, VALUES_FOLDER
from runout.results.value_book import ValueBook
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import has_bundle
from runout.storage.manifest import digest_config


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


def solve_preflop(config: RunConfig, workplace: Workplace | None = None) -> PreflopRun:
    """Solves a preflop game and the flops behind it.

    Args:
        config: what to solve.
        workplace: with what; by default all cores, silently, and without checkpoints, which are
            written as often as the config says.

    Raises:
        RunoutError: if the config asks for something impossible.
    """
    workplace = workplace or Workplace()
    return carry_out(RunPlan.make(config, workplace.num_workers), workplace)


def carry_out(
    plan: RunPlan, workplace: Workplace, on_solution: SnapshotSink = ignore_snapshot
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
