"""The main job: from a config to a solved preflop game. Read this file first.

`RunConfig -> PreflopTree -> flops solved -> ValueBook -> PreflopSolution -> bundles`, or with
``method: joint`` both at once, `RunConfig -> JointGame -> PreflopSolution -> bundles`.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from runout.config.run import RunConfig
from runout.pipeline.fit import require_own_solution, require_own_values
from runout.pipeline.joint_stage import solve_joint
from runout.pipeline.postflop_stage import make_value_book
from runout.pipeline.preflop_stage import PreflopStage
from runout.pipeline.ranges_rounds import refine_with_arriving_ranges
from runout.pipeline.workplace import Workplace
from runout.results.preflop_bundle import load_solution, save_solution
from runout.results.preflop_solution import PreflopSolution
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import has_bundle
from runout.storage.manifest import digest_config
from runout.trees.preflop_tree import PreflopTree

SOLUTION_FOLDER = "preflop"
VALUES_FOLDER = "values"
CHECKPOINT_FOLDER = "checkpoints"


@dataclass(frozen=True, eq=False)
class PreflopRun:
    """Everything that a run found.

    Attributes:
        config: what was asked for.
        solution: the preflop strategies, of the last round.
        values: the postflop values behind the first round, None if there were no flops to solve.
    """

    config: RunConfig
    solution: PreflopSolution
    values: ValueBundle | None

    def save(self, directory: Path, *, overwrite: bool = False) -> None:
        """Writes the solution, and the values behind it, as bundles in a directory.

        Values without a solution are what an interrupted save of this run left behind, and are
        replaced in any case.

        Raises:
            BundleError: if one cannot be written, or if a solution, or values of another config,
                exist and are not to be overwritten.
        """
        if not overwrite:
            check_directory(directory, self.config)
        directory.mkdir(parents=True, exist_ok=True)
        if self.values is not None:
            is_left_over = not has_bundle(directory / SOLUTION_FOLDER)
            self.values.save(directory / VALUES_FOLDER, overwrite=overwrite or is_left_over)
        save_solution(
            directory / SOLUTION_FOLDER,
            self.solution,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            overwrite=overwrite,
        )


def check_directory(directory: Path, config: RunConfig) -> None:
    """Refuses a directory with results of another config; what is not there is no problem.

    Raises:
        BundleError: naming every key that differs, with both values, or if something there cannot
            be opened.
    """
    require_own_solution(directory / SOLUTION_FOLDER, config)
    require_own_values(directory / VALUES_FOLDER, config)


def find_finished_run(directory: Path, config: RunConfig) -> PreflopRun | None:
    """Returns the run of a config if a directory holds all of it, None if something is missing.

    Raises:
        BundleError: if the directory holds results of another config, or some cannot be opened.
    """
    check_directory(directory, config)
    if not has_bundle(directory / SOLUTION_FOLDER):
        return None
    values = None
    if has_bundle(directory / VALUES_FOLDER):
        values = ValueBundle.load(directory / VALUES_FOLDER)
    return PreflopRun(config, load_solution(directory / SOLUTION_FOLDER), values)


def solve_preflop(config: RunConfig, workplace: Workplace | None = None) -> PreflopRun:
    """Solves a preflop game and the flops behind it.

    Args:
        config: what to solve.
        workplace: with what; by default all cores, silently, and without checkpoints, which are
            written as often as the config says.

    Raises:
        RunoutError: if the config asks for something impossible.
    """
    workplace = replace(workplace or Workplace(), checkpoint_every=config.checkpoint_every)
    tree = PreflopTree.build(config.preflop.rules())
    if config.method == "joint" and tree.counts.flops:
        return PreflopRun(config, solve_joint(config, tree, workplace).solution, None)
    book, values = make_value_book(config, tree, workplace)
    stage = PreflopStage(config, tree, workplace)
    solution = stage.solve(book)
    if config.ranges_rounds and values is not None:
        solution = refine_with_arriving_ranges(stage, book, values, solution)
    return PreflopRun(config, solution, values)
