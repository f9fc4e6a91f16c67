"""`PostflopAbstraction`: from a config to the values of all its flops and stack-to-pot ratios."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cache import Arrays
from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.flops import FlopList
from runout.config.load import load_postflop_config
from runout.config.postflop import PostflopModelConfig
from runout.errors import BundleError
from runout.events import Phase, reporting_phase
from runout.execution.workplace import Workplace
from runout.postflop.backend import PostflopBackend
from runout.postflop.bucketed.round_records import RoundRecord, has_records, read_records
from runout.postflop.flop_strategy import FlopStrategy
from runout.postflop.flop_tasks import FlopJob, FlopResult, solve_flops
from runout.postflop.plan import PostflopPlan
from runout.results.postflop_values import NUM_POSITIONS, PostflopValues
from runout.results.value_bundle import ValueBundle
from runout.storage.manifest import digest_config
from runout.trees.postflop_tree import PostflopTree


@dataclass(frozen=True, eq=False)
class PostflopAbstraction:
    """Solved postflop games of a config.

    Attributes:
        config: what was solved.
        trees: the betting at each stack-to-pot ratio of the config.
        values: what hands get at each of them.
        solutions: what is kept besides at each of them on each flop; empty if nothing is.
    """

    config: PostflopModelConfig
    trees: tuple[PostflopTree, ...]
    values: tuple[PostflopValues, ...]
    solutions: tuple[tuple[Arrays, ...], ...] = ()

    @classmethod
    def build(
        cls, config: PostflopModelConfig, workplace: Workplace | None = None
    ) -> "PostflopAbstraction":
        """Solves every flop of a config at every stack-to-pot ratio.

        Args:
            config: what to solve.
            workplace: with what; by default all cores, silently, and without checkpoints.

        Raises:
            TreeError: if a betting tree cannot be built.
        """
        workplace = workplace or Workplace()
        with reporting_phase(workplace.on_event, Phase.TREES):
            plan = PostflopPlan.make(config, workplace.num_workers)
        return cls.carry_out(plan, workplace)

    @classmethod
    def carry_out(
        cls, plan: PostflopPlan, workplace: Workplace, ranges: FloatArray | None = None
    ) -> "PostflopAbstraction":
        """Solves every flop of a plan with every tree, or finds what an earlier run has finished.

        Args:
            plan: what to solve.
            workplace: with what.
            ranges: ``[2, 169]`` how much of each hand OOP and IP hold; by default all of them.
        """
        config, trees, flops = plan.config, plan.trees, plan.flops
        job = FlopJob(trees, plan.backend, ranges, config.keep_strategies, plan.facts(ranges))
        shape = (len(trees), len(flops.flops), NUM_POSITIONS, NUM_HANDS, NUM_HANDS)
        value_pot = np.empty(shape, dtype=np.float32)
        by_flop: dict[int, FlopResult] = {}
        for result in solve_flops(flops, job, workplace):
            value_pot[:, result.flop_index] = result.value_pot
            by_flop[result.flop_index] = result
        in_order = [by_flop[flop_index] for flop_index in range(len(flops))]
        values = [
            PostflopValues(
                flops, spr, value_pot[number], tuple(r.reports[number] for r in in_order), ranges
            )
            for number, spr in enumerate(config.postflop_sprs)
        ]
        solutions = tuple(
            tuple(result.kept[number] for result in in_order)
            for number in range(len(trees) if config.keep_strategies else 0)
        )
        return cls(config, trees, tuple(values), solutions)

    @classmethod
    def from_bundle(cls, bundle: ValueBundle) -> "PostflopAbstraction":
        """Returns what `to_bundle` saved; trees are built again.

        Raises:
            ConfigError: if the bundle's config is none that this version reads.
        """
        plan = PostflopPlan.make(load_postflop_config(bundle.config_text), num_workers=1)
        return cls(plan.config, plan.trees, bundle.values, bundle.solutions)

    @property
    def flops(self) -> FlopList:
        """The flops that were solved."""
        return self.values[0].flops

    def strategy(self, flop_index: int, spr_index: int = 0) -> FlopStrategy:
        """Returns what both players do on a flop.

        Args:
            flop_index: the flop's place in `flops`.
            spr_index: the place of the stack-to-pot ratio in the config.

        Raises:
            BundleError: if strategies were not kept.
        """
        kept, flop = self._kept(flop_index, spr_index), self.flops.flops[flop_index]
        backend: PostflopBackend = self.config.make_backend()
        return backend.read_strategy(kept, flop, self.trees[spr_index])

    def rounds(self, flop_index: int, spr_index: int = 0) -> list[RoundRecord]:
        """Returns the buckets of a flop, and what hands earned with them, round by round.

        Raises:
            BundleError: if they were not kept, or the backend has no buckets.
        """
        kept = self._kept(flop_index, spr_index)
        if not has_records(kept):
            raise BundleError(
                "postflop_model", f"{self.config.solve_type} has no rounds of buckets"
            )
        return read_records(kept, self.flops.flops[flop_index])

    def _kept(self, flop_index: int, spr_index: int) -> Arrays:
        if not self.solutions:
            problem = "strategies were not kept, solve with keep_strategies: true"
            raise BundleError("postflop_model", problem)
        return self.solutions[spr_index][flop_index]

    def to_bundle(self) -> ValueBundle:
        """Returns what is worth saving."""
        return ValueBundle(
            self.values,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            self.config.seed,
            self.solutions,
        )
