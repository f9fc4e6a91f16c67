"""A backend that is added as ARCHITECTURE.md says: everybody does the same."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from runout.cfr.schedules import SolveProgress
from runout.config.flops import FlopsConfig
from runout.config.values import CountFrom0
from runout.flops.backend import Cost, FlopSolution, HandStrategy, unpack_probabilities
from runout.flops.values import extract_values
from runout.solutions.values import ExploitabilityMeaning, FlopReport


class ToyConfig(FlopsConfig):
    """Everybody takes the same action."""

    best_variant: ClassVar[str] = "vanilla"

    solve_type: Literal["toy"] = "toy"
    toy_action: CountFrom0 = 0
    """Which action is taken."""


@dataclass(frozen=True)
class ToyBackend:
    action: int

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.OWN_GAME

    def solve(self, game, tree, on_progress, team):
        table = np.zeros((tree.num_nodes, 169), dtype=np.float32)
        for node in range(tree.num_nodes):
            children = tree.layout.children(node)
            table[children[self.action : self.action + 1] or children[-1:]] = 1.0
        on_progress(SolveProgress(1, 1, 0.0, 0.0, None))
        report = FlopReport(1, 0.0, 0.0, 0.1, 0, self.meaning)
        return FlopSolution(HandStrategy(table), extract_values(tree, game, table), report)

    def estimate(self, flop, tree, num_workers):
        return Cost(0.001, 1_000 * tree.num_nodes)

    def read_strategy(self, kept, flop, tree):
        return HandStrategy(unpack_probabilities(kept["by_hand"]))

    @classmethod
    def for_warm_up(cls):
        return [cls(0)]
