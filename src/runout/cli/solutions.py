"""Saved preflop solutions: opening them, and what is said about their nodes."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from runout.arrays import FloatArray
from runout.cards.canonical_hands import COMBOS_BY_HAND, matchup_weights
from runout.cli.options import OptionError, read_path
from runout.errors import quote
from runout.results.preflop_bundle import load_solution
from runout.results.preflop_solution import PreflopSolution
from runout.storage.manifest import MANIFEST_FILE
from runout.trees.actions import Action, ActionKind
from runout.trees.layout import LEAF, NO_NODE
from runout.trees.preflop_betting import BB, PLAYER_NAMES, SB
from runout.trees.preflop_tree import PreflopTree

#: The folders of the bundles in the directory of a run, as in `runout.pipeline.run`, which takes
#: numba to import.
SOLUTION_FOLDER = "preflop"

_COMBOS_PER_HAND = np.array([len(combos) for combos in COMBOS_BY_HAND])
VALUES_FOLDER = "values"

#: A hand that plays towards a node less often than this is not shown there.
SMALLEST_REACH = 5e-4

SolutionArgument = Annotated[
    Path, typer.Argument(metavar="DIR", parser=read_path, help="What `runout solve-preflop` wrote.")
]
NodeOption = Annotated[
    str | None,
    typer.Option("--node", "-n", metavar="PATH", help="Actions from the start, such as r2.5-c."),
]


def open_solution(path: Path) -> "SolvedNodes":
    """Opens the solution of a run's directory, or of the bundle itself.

    Raises:
        BundleError: if it is missing, damaged, or of another kind or version.
    """
    return SolvedNodes(load_solution(find_bundle(path, SOLUTION_FOLDER)))


def find_bundle(path: Path, folder: str) -> Path:
    """Returns where the bundle of a folder is, if the path is a run's directory, or else the path.

    Whether there is a bundle at all is found out when it is opened.
    """
    inside = path / folder
    is_run = (inside / MANIFEST_FILE).exists() and not (path / MANIFEST_FILE).exists()
    return inside if is_run else path


@dataclass(frozen=True, eq=False)
class SolvedNodes:
    """A solution and what it says about single nodes."""

    solution: PreflopSolution

    @property
    def tree(self) -> PreflopTree:
        """The betting."""
        return self.solution.tree

    @cached_property
    def reach(self) -> tuple[FloatArray, FloatArray]:
        """``[N, 169]`` for each player, the probability that a hand plays towards each node."""
        return self.solution.reach(SB), self.solution.reach(BB)

    def actor(self, node: int) -> int:
        """Returns who acts at a decision."""
        return int(self.tree.layout.actor[node])

    def find_decision(self, path: str) -> int:
        """Returns the decision that a path leads to.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are.
            OptionError: if the betting is over there.
        """
        node = self.tree.find_node(path)
        if self.tree.layout.actor[node] == LEAF:
            problem = f"the betting is over after {self.describe_path(node)}, nobody acts"
            raise OptionError(f"path {quote(path)}", problem)
        return node

    def decisions(self) -> list[int]:
        """Returns all decisions, in the order of the nodes."""
        return [int(node) for node in np.flatnonzero(self.tree.layout.actor != LEAF)]

    def standard_nodes(self) -> list[int]:
        """Returns the first decision, and the big blind's answers to a limp and to each raise."""
        if self.tree.layout.actor[0] == LEAF:
            return []
        answers = self.tree.layout.children(0)
        return [0, *(node for node in answers if self.tree.layout.actor[node] != LEAF)]

    def actions(self, node: int) -> list[Action]:
        """Returns the actions of a decision."""
        return self.tree.actions(node)

    def probability(self, node: int) -> FloatArray:
        """Returns ``[A, 169]`` the probability of each action of a decision, by hand."""
        children = self.tree.layout.children(node)
        return self.solution.strategy[children.start : children.stop]

    def arriving(self, node: int, player: int) -> FloatArray:
        """Returns ``[169]`` how often a player holds each hand at a node, card removal included."""
        mine, other = self.reach[player][node], self.reach[1 - player][node]
        arriving: FloatArray = mine * (matchup_weights() * other).sum(axis=1)
        return arriving

    def share_of_deals(self, node: int) -> float:
        """Returns how often a node is reached, of all deals."""
        return float(self.arriving(node, SB).sum() / matchup_weights().sum())

    def frequencies(self, node: int) -> list[float | None]:
        """Returns how often each action of a decision is taken; None if nobody gets there."""
        arriving = self.arriving(node, self.actor(node))
        total = arriving.sum()
        if total <= 0.0:
            return [None] * int(self.tree.layout.num_children[node])
        return [float(share) for share in (self.probability(node) * arriving).sum(axis=1) / total]

    def shares_of_combos(self, node: int) -> list[float | None]:
        """Returns how much of the actor's range takes each action, as charts count it.

        Unlike `frequencies` it does not ask which hands the opponent's cards make rarer.
        """
        held = self.reach[self.actor(node)][node] * _COMBOS_PER_HAND
        if held.sum() <= 0.0:
            return [None] * int(self.tree.layout.num_children[node])
        return [float(share) for share in (self.probability(node) * held).sum(axis=1) / held.sum()]

    def mean_ev_bb(self, node: int, player: int) -> float | None:
        """Returns what a player wins on average once a node is reached; None if it never is."""
        arriving = self.arriving(node, player)
        if arriving.sum() <= 0.0:
            return None
        ev = np.nan_to_num(self.solution.ev_bb[player, node])
        return float((arriving * ev).sum() / arriving.sum())

    def describe_path(self, node: int) -> str:
        """Writes the actions that lead to a node: ``SB raise to 2.5, BB call``."""
        steps: list[str] = []
        while self.tree.layout.parent[node] != NO_NODE:
            parent = int(self.tree.layout.parent[node])
            steps.append(f"{PLAYER_NAMES[self.actor(parent)]} {self.tree.action_label(node)}")
            node = parent
        return ", ".join(reversed(steps))

    def describe_decision(self, node: int) -> str:
        """Writes who decides after what: ``SB first in``, ``BB versus limp``."""
        name = PLAYER_NAMES[self.actor(node)]
        parent = int(self.tree.layout.parent[node])
        if parent == NO_NODE:
            return f"{name} first in"
        if parent == 0:
            return f"{name} versus {self.tree.action_label(node)}"
        return f"{name} after {self.describe_path(node)}"

    def action_kinds(self, node: int) -> list[ActionKind]:
        """Returns the kinds of the actions of a decision."""
        return [action.kind for action in self.actions(node)]
