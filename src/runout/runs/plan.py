"""What a run is about to do, and whether results of before belong to it.

A solution on top of values of another game would be wrong without looking wrong, so nothing is
mixed: a directory holds the results of one config.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from runout.cfr.schedules import SolveProgress, StoppingRule
from runout.cfr.solver import ignore_progress
from runout.config.flops import FlopsConfig
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.errors import BundleError, ConfigError
from runout.execution.pool import count_cores
from runout.flops.backend import Cost
from runout.flops.cards import CardBackend
from runout.flops.settings import make_backend
from runout.flops.solve import PostflopPlan
from runout.preflop.joint import JointGame
from runout.solutions.preflop import PREFLOP_KIND, PREFLOP_SCHEMA_VERSION, PreflopSolution
from runout.solutions.values import SPR_TOLERANCE, ValueBundle
from runout.storage.bundle import has_bundle, load_bundle
from runout.trees.tree import PreflopTree


def solving_facts(
    progress: SolveProgress, rule: StoppingRule, scale: float = 1.0
) -> dict[str, Any]:
    """Returns what a `GameSolving` event says, with exploitabilities times a scale."""
    reached, target = progress.exploitability, rule.exploitability
    return {
        "iteration": progress.iteration,
        "max_iterations": progress.max_iterations,
        "exploitability": None if reached is None else reached * scale,
        "target": None if target is None else target * scale,
        "seconds": progress.seconds,
        "max_seconds": rule.max_seconds,
    }


def merge_sprs(sprs: Sequence[float]) -> list[float]:
    """Returns ascending ratios such that each given one is within 2 % of one of them."""
    groups: list[list[float]] = []
    for spr in sorted(sprs):
        if groups and spr <= groups[-1][0] * (1.0 + SPR_TOLERANCE):
            groups[-1].append(spr)
        else:
            groups.append([spr])
    return [(group[0] + group[-1]) / 2.0 for group in groups]


def postflop_config_for(config: FlopsConfig, tree: PreflopTree) -> FlopsConfig:
    """Returns the postflop config with ``postflop_sprs: auto`` made concrete for a tree."""
    if config.postflop_sprs is not None:
        return config
    return config.with_sprs(merge_sprs([leaf.spr for leaf in tree.flop_leaves()]))


def open_postflop_model(config: RunConfig) -> tuple[ValueBundle | None, FlopsConfig]:
    """Returns solved values if ``postflop_model_path`` has some, and how flops are solved."""
    model, path = config.postflop_model, config.postflop_model_path
    if model is not None:
        return None, model
    if path is None:
        raise ConfigError("postflop_model", "is missing, flops of this tree must be solved")
    if not path.exists():
        raise ConfigError("postflop_model_path", f"{path} does not exist")
    if not path.is_dir():
        return None, load_config(path, FlopsConfig)
    bundle = ValueBundle.load(path)
    sprs = [f"{values.spr:g}" for values in bundle.values if values.ranges is not None]
    if sprs:
        problem = f"SPR {', '.join(sprs)} was solved for given ranges, a game needs all hands"
        raise BundleError(str(path), problem)
    return bundle, bundle.config


def make_joint_game(config: RunConfig, tree: PreflopTree) -> JointGame:
    """Returns the game that a config asks for."""
    model, settings = config.postflop_model, config.joint_settings
    if model is None:
        raise ConfigError("postflop_model", "missing, a joint game needs one")
    backend = make_backend(model.with_preflop())
    assert isinstance(backend, CardBackend)  # or the config had been refused
    return JointGame(
        tree=tree,
        flops=model.flop_list(),
        betting=settings.betting_rules(model),
        backend=replace(backend, runout_subset=settings.runout_subset(model)),
        flops_per_iteration=settings.flops_per_iteration,
        seed=model.seed,
    )


@dataclass(frozen=True, eq=False)
class RunPlan:
    """A run before it begins; what it does without is None.

    ``history_every`` and ``on_iteration`` are those of `solve_preflop`; ``on_solution`` is shown
    the solution before the flop every ``print_every`` iterations of the config.
    """

    config: RunConfig
    tree: PreflopTree
    num_workers: int  # threads in all; the result does not depend on it
    joint: JointGame | None = None  # the game in which preflop and flops are solved together
    model: FlopsConfig | None = None  # how the flops are, or were, solved
    flops: PostflopPlan | None = None  # the flops to solve
    given_values: ValueBundle | None = None  # values that were solved before
    history_every: int | None = None
    on_iteration: Callable[[SolveProgress], None] = ignore_progress
    on_solution: Callable[[PreflopSolution], None] = ignore_progress

    @property
    def rule(self) -> StoppingRule:
        """When the solve before the flop ends."""
        return replace(self.config.stopping_rule(), history_every=self.history_every)

    @classmethod
    def make(cls, config: RunConfig, num_workers: int | None = None) -> "RunPlan":
        """Returns the plan of a config, by default for all cores."""
        tree, workers = config.preflop.tree, num_workers or count_cores()
        if not config.needs_flop_values:
            return cls(config, tree, workers)
        if config.method == "joint":
            return cls(config, tree, workers, make_joint_game(config, tree))
        given, model = open_postflop_model(config)
        flops = None
        if given is None:
            flops = PostflopPlan.make(postflop_config_for(model, tree), workers)
            model = flops.config
        return cls(config, tree, workers, None, model, flops, given)

    @cached_property
    def cost(self) -> Cost | None:
        """Time, memory and disk that flops take; None if none is solved or played."""
        if self.joint is not None:
            keeps_rivers = self.config.joint_settings.keep_rivers
            return self.joint.estimate(self.rule, self.num_workers, keeps_rivers=keeps_rivers)
        return None if self.flops is None else self.flops.cost


def require_own_solution(path: Path, config: RunConfig) -> None:
    """Refuses a solution that belongs to another config; there may be none."""
    if has_bundle(path):
        bundle = load_bundle(path, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)
        found = parse_config(bundle.config_text or "", RunConfig).digest_mapping()
        require_equal(path, found, config.digest_mapping())


def find_finished_values(
    path: Path, config: FlopsConfig | None, *, verify: bool = True
) -> ValueBundle | None:
    """Returns the values of a config's flops if they are at a path, None if nothing is there."""
    if not has_bundle(path):
        return None
    values = ValueBundle.load(path, verify=verify)
    wanted = {} if config is None else config.digest_mapping()
    require_equal(path, values.config.digest_mapping(), wanted)
    return values


def require_equal(
    path: Path,
    found: Mapping[str, Any],
    wanted: Mapping[str, Any],
    problem: str = "belongs to another config",
    known: Sequence[str] = (),
) -> None:
    """Refuses what was found at a path if it is not what was wanted; some differences are known."""
    if differences := [*known, *list_differences(found, wanted)]:
        raise BundleError(str(path), f"{problem}: {'; '.join(differences)}")


def list_differences(
    found: Mapping[str, Any], wanted: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    """Yields the keys whose values differ, with both: ``raise_cap is 3 there and 4 here``."""
    for key in dict.fromkeys([*found, *wanted]):
        there, here = found.get(key, "missing"), wanted.get(key, "missing")
        if isinstance(there, Mapping) and isinstance(here, Mapping):
            yield from list_differences(there, here, f"{where}{key}.")
        elif there != here:
            yield f"{where}{key} is {_in_short(there)} there and {_in_short(here)} here"


def _in_short(value: Any) -> Any:
    if isinstance(value, list) and len(value) > 8:
        return f"a list of {len(value)}"
    return "given" if isinstance(value, Mapping) else value
