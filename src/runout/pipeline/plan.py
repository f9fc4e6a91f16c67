"""What a run is about to do: made once, shown by the command line, carried out by the pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from runout.config.load import load_postflop_config
from runout.config.postflop import PostflopModelConfig
from runout.config.run import RunConfig
from runout.errors import ConfigError
from runout.execution.local import count_cores
from runout.pipeline.joint_stage import make_joint_game
from runout.pipeline.postflop_stage import open_postflop_model, postflop_config_for
from runout.postflop.needs import Needs
from runout.postflop.plan import PostflopPlan
from runout.preflop.joint.joint_game import JointGame
from runout.results.value_bundle import ValueBundle
from runout.trees.preflop_tree import PreflopTree


@dataclass(frozen=True, eq=False)
class RunPlan:
    """A run before it begins.

    Attributes:
        config: what is asked for.
        tree: the preflop betting.
        num_workers: threads in all; the result does not depend on it.
        joint: the game in which flops are played while preflop is solved, so that none is solved
            before; None if they are not.
        model: how the flops are, or were, solved; None if none is solved.
        flops: the flops to solve, None if there are none or they were solved before.
        given_values: values that were solved before, None if there are none.
        leaves: the flops of each leaf, by path, that are solved again with the ranges that
            arrive there; none without rounds.
    """

    config: RunConfig
    tree: PreflopTree
    num_workers: int
    joint: JointGame | None
    model: PostflopModelConfig | None
    flops: PostflopPlan | None
    given_values: ValueBundle | None
    leaves: Mapping[str, PostflopPlan]

    @classmethod
    def make(cls, config: RunConfig, num_workers: int | None = None) -> "RunPlan":
        """Returns the plan of a config.

        Args:
            config: what to solve.
            num_workers: threads in all, by default the number of cores.

        Raises:
            BundleError: if given values cannot be opened.
            ConfigError: if a given model cannot be read, or cannot be played with preflop.
            TreeError: if a betting tree is too large.
        """
        tree = config.preflop.tree
        workers = num_workers or count_cores()
        if not config.needs_flop_values:
            return cls(config, tree, workers, None, None, None, None, {})
        if config.method == "joint":
            return cls(config, tree, workers, make_joint_game(config, tree), None, None, None, {})
        given, model = _open_model(config)
        flops = None
        if given is None:
            flops = PostflopPlan.make(postflop_config_for(model, tree), workers)
            model = flops.config
        again = model.model_copy(update={"keep_strategies": False})
        leaves = {
            leaf.path: PostflopPlan.make(again.with_sprs([leaf.spr]), workers)
            for leaf in (tree.flop_leaves() if config.ranges_rounds else [])
        }
        return cls(config, tree, workers, None, model, flops, given, leaves)

    @cached_property
    def needs(self) -> Needs | None:
        """Time, memory and disk that flops take; None if none is solved or played."""
        if self.joint is not None:
            keeps_rivers = self.config.joint_settings.keep_rivers
            rule = self.config.stopping_rule()
            return self.joint.estimate(rule, self.num_workers, keeps_rivers=keeps_rivers)
        return None if self.flops is None else self.flops.needs


def _open_model(config: RunConfig) -> tuple[ValueBundle | None, PostflopModelConfig]:
    """Returns solved values if there are some, and how flops are or were solved."""
    if config.postflop_model is not None:
        return None, config.postflop_model
    if config.postflop_model_path is None:
        raise ConfigError("postflop_model", "is missing, flops of this tree must be solved")
    opened = open_postflop_model(config.postflop_model_path)
    if isinstance(opened, PostflopModelConfig):
        return None, opened
    return opened, load_postflop_config(opened.config_text)
