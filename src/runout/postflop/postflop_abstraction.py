"""`PostflopAbstraction`: from a config to the values of all its flops and stack-to-pot ratios."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cache import Recall, compute_always
from runout.cards.canonical_hands import NUM_HANDS
from runout.config.postflop import PostflopModelConfig
from runout.events import EventSink, Phase, ignore_event, reporting_phase
from runout.postflop.flop_tasks import SolveRun, solve_flops
from runout.postflop.plan import PostflopPlan
from runout.results.postflop_values import NUM_POSITIONS, PostflopValues
from runout.results.solve_report import FlopReport
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
    """

    config: PostflopModelConfig
    trees: tuple[PostflopTree, ...]
    values: tuple[PostflopValues, ...]

    @classmethod
    def build(
        cls,
        config: PostflopModelConfig,
        on_event: EventSink = ignore_event,
        *,
        num_workers: int | None = None,
        recall: Recall = compute_always,
        ranges: FloatArray | None = None,
    ) -> "PostflopAbstraction":
        """Solves every flop of a config at every stack-to-pot ratio.

        Args:
            config: what to solve.
            on_event: told about progress.
            num_workers: threads to use in all, by default the number of cores; the result does
                not depend on it.
            recall: returns an earlier result of a flop, or computes it.
            ranges: ``[2, 169]`` how much of each hand OOP and IP hold; by default all of them.

        Raises:
            TreeError: if a betting tree cannot be built.
        """
        with reporting_phase(on_event, Phase.TREES):
            plan = PostflopPlan.make(config, num_workers)
        return cls.carry_out(plan, on_event, recall=recall, ranges=ranges)

    @classmethod
    def carry_out(
        cls,
        plan: PostflopPlan,
        on_event: EventSink = ignore_event,
        *,
        recall: Recall = compute_always,
        ranges: FloatArray | None = None,
    ) -> "PostflopAbstraction":
        """Solves every flop of a plan with every tree; arguments are those of `build`."""
        config, trees, flops = plan.config, plan.trees, plan.flops
        run = SolveRun(plan.num_workers, on_event, recall)
        results = solve_flops(flops, trees, plan.backend, run, ranges)
        shape = (len(trees), len(flops.flops), NUM_POSITIONS, NUM_HANDS, NUM_HANDS)
        value_pot = np.empty(shape, dtype=np.float32)
        reports: dict[int, list[FlopReport]] = {}
        for result in results:
            value_pot[:, result.flop_index] = result.value_pot
            reports[result.flop_index] = result.reports
        in_order = [reports[flop_index] for flop_index in range(len(flops))]
        values = [
            PostflopValues(
                flops, spr, value_pot[number], tuple(r[number] for r in in_order), ranges
            )
            for number, spr in enumerate(config.postflop_sprs)
        ]
        return cls(config, trees, tuple(values))

    def to_bundle(self) -> ValueBundle:
        """Returns what is worth saving."""
        return ValueBundle(
            self.values,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            self.config.seed,
        )
