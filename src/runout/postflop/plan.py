"""What a solve of flops is about to do: made once, shown to whoever wants to know, carried out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runout.arrays import FloatArray
from runout.cards.flops import FlopList
from runout.config.postflop import PostflopModelConfig
from runout.execution.local import count_cores
from runout.postflop.backend import PostflopBackend
from runout.postflop.needs import Needs, estimate_needs
from runout.trees.postflop_tree import PostflopTree


@dataclass(frozen=True, eq=False)
class PostflopPlan:
    """The flops, trees and backend of a config.

    Attributes:
        config: what is asked for.
        flops: to solve, with their weights.
        trees: the betting at each stack-to-pot ratio of the config.
        backend: how each flop is solved with each tree.
        num_workers: threads in all; the result does not depend on it.
    """

    config: PostflopModelConfig
    flops: FlopList
    trees: tuple[PostflopTree, ...]
    backend: PostflopBackend
    num_workers: int

    @classmethod
    def make(cls, config: PostflopModelConfig, num_workers: int | None = None) -> "PostflopPlan":
        """Returns the plan of a config.

        Args:
            config: what to solve; its stack-to-pot ratios are given.
            num_workers: threads in all, by default the number of cores.

        Raises:
            TreeError: if a betting tree is too large.
        """
        rules = config.betting_rules()
        trees = [PostflopTree.build_with_spr(rules, spr) for spr in config.postflop_sprs]
        workers = num_workers or count_cores()
        return cls(config, config.flop_list(), tuple(trees), config.make_backend(), workers)

    @property
    def num_solves(self) -> int:
        """Flops times stack-to-pot ratios."""
        return len(self.flops.flops) * len(self.trees)

    def facts(self, ranges: FloatArray | None = None) -> dict[str, Any]:
        """Returns everything that decides what is found about a flop.

        Args:
            ranges: ``[2, 169]`` how much of each hand OOP and IP hold; None for all of them.
        """
        return {
            "postflop_model": self.config.digest_mapping(),
            "keep_strategies": self.config.keep_strategies,
            "ranges": None if ranges is None else ranges.tolist(),
        }

    @cached_property
    def needs(self) -> Needs:
        """Time, memory and disk that it takes."""
        return estimate_needs(
            self.backend,
            self.flops.flops,
            self.trees,
            self.num_workers,
            keeps_strategies=self.config.keep_strategies,
        )
