"""A way to look at a preflop solution: what is said about its nodes."""

from functools import cached_property

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.canonical_hands import NUM_HANDS, matchup_weights
from runout.equity.preflop_equity import preflop_table
from runout.errors import TreeError, quote
from runout.results.preflop_solution import PreflopSolution
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.layout import LEAF, NO_NODE
from runout.trees.preflop_betting import BB, PLAYER_NAMES, SB
from runout.trees.preflop_tree import ALL_IN, FLOP, NOT_A_LEAF, PreflopTree
from runout.views.node import HandSpace, Node, NodeAction, NodeKind, TrailStep, Unit, divide, mean
from runout.views.quality import ExploitabilityUnit, Provenance, Quality

_KINDS = {NOT_A_LEAF: NodeKind.DECISION, ALL_IN: NodeKind.SHOWDOWN, FLOP: NodeKind.FLOP}


class PreflopView:
    """A preflop solution and what it says about single nodes."""

    def __init__(self, solution: PreflopSolution, provenance: Provenance | None = None) -> None:
        """Looks at nothing yet.

        Args:
            solution: what was solved.
            provenance: where it comes from; None as long as it is not saved.
        """
        self.solution = solution
        self.provenance = provenance

    @property
    def tree(self) -> PreflopTree:
        """The betting."""
        return self.solution.tree

    @property
    def quality(self) -> Quality:
        """How well the whole is solved."""
        report = self.solution.report
        # Flops are played in the solver's own game, or their values are given.
        has_flops = bool(report.flop_leaves)
        meaning = ExploitabilityMeaning.OWN_GAME if has_flops else ExploitabilityMeaning.REAL_GAME
        return Quality(
            exploitability=report.exploitability_mbb,
            unit=ExploitabilityUnit.MBB,
            meaning=meaning,
            real_exploitability=report.real_exploitability_mbb,
            iterations=report.iterations,
            seconds=report.seconds,
            curve=report.curve_mbb,
            provenance=self.provenance,
        )

    @cached_property
    def reach(self) -> tuple[FloatArray, FloatArray]:
        """``[N, 169]`` for each player, the probability that a hand plays towards each node."""
        return self.solution.reach(SB), self.solution.reach(BB)

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are.
        """
        return self.node_at(self.tree.find_node(path))

    def node_at(self, node: int) -> Node:
        """Returns what is known about a node of the tree, by its number."""
        tree, layout = self.tree, self.tree.layout
        children = layout.children(node)
        invested = tree.invested_bb[node]
        is_decision = layout.actor[node] != LEAF
        actor = self.actor(node) if is_decision else None
        weights = np.stack([self.reach[player][node] for player in (SB, BB)])
        action_ev = np.zeros((0, NUM_HANDS))
        if actor is not None:
            rows = slice(children.start, children.stop)
            action_ev = self.solution.ev_bb[actor, rows] + invested[actor]
        left = (tree.rules.effective_stack_bb - invested).tolist()
        return Node(
            path=tree.path(node),
            label=self.describe_decision(node) if is_decision else self.describe_path(node),
            kind=_KINDS.get(int(tree.leaf_kind[node]), NodeKind.FOLD),
            street=None,
            board=(),
            unit=Unit.BIG_BLINDS,
            pot=float(tree.pot_bb[node]),
            stacks=(left[SB], left[BB]),
            invested=(float(invested[SB]), float(invested[BB])),
            players=PLAYER_NAMES,
            actor=actor,
            actions=self._actions(node),
            next_cards=(),
            hand_space=HandSpace.HANDS,
            is_held=np.ones((2, NUM_HANDS), dtype=bool),
            weights=weights,
            met_weights=np.stack([self._met(weights[1 - player]) for player in (SB, BB)]),
            strategy=self.solution.strategy[children.start : children.stop],
            ev=self.solution.ev_bb[:, node] + invested[:, None],
            action_ev=action_ev,
            equity=np.stack([self._equity(weights[1 - player]) for player in (SB, BB)]),
            reach=self.share_of_deals(node),
            trail=self._trail(node),
        )

    def actor(self, node: int) -> int:
        """Returns who acts at a decision."""
        return int(self.tree.layout.actor[node])

    def find_decision(self, path: str) -> int:
        """Returns the decision that a path leads to.

        Raises:
            TreeError: naming the first step that is not an action, and the actions there are, or
                if the betting is over there.
        """
        node = self.tree.find_node(path)
        if self.tree.layout.actor[node] == LEAF:
            problem = f"the betting is over after {self.describe_path(node)}, nobody acts"
            raise TreeError(f"path {quote(path)}", problem)
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

    def share_of_deals(self, node: int) -> float:
        """Returns how often a node is reached, of all deals."""
        return float(self._deals(node, SB).sum() / self._matchups.sum())

    def describe_path(self, node: int) -> str:
        """Writes the actions that lead to a node: ``SB raise to 2.5, BB call``."""
        labels = [
            f"{PLAYER_NAMES[self.actor(parent)]} {self.tree.action_label(child)}"
            for parent, child in self._way_to(node)
        ]
        return ", ".join(labels)

    def describe_decision(self, node: int) -> str:
        """Writes who decides after what: ``SB first in``, ``BB versus limp``."""
        name = PLAYER_NAMES[self.actor(node)]
        parent = int(self.tree.layout.parent[node])
        if parent == NO_NODE:
            return f"{name} first in"
        if parent == 0:
            return f"{name} versus {self.tree.action_label(node)}"
        return f"{name} after {self.describe_path(node)}"

    def _way_to(self, node: int) -> list[tuple[int, int]]:
        """Returns the decisions on the way to a node, each with the node that follows."""
        way: list[tuple[int, int]] = []
        while (parent := int(self.tree.layout.parent[node])) != NO_NODE:
            way.append((parent, node))
            node = parent
        return way[::-1]

    def _actions(self, node: int) -> tuple[NodeAction, ...]:
        tree = self.tree
        return tuple(
            NodeAction(tree.action_code(child), tree.action_label(child), *tree.action_to(child))
            for child in tree.layout.children(node)
        )

    def _trail(self, node: int) -> tuple[TrailStep, ...]:
        steps = []
        for parent, child in self._way_to(node):
            actor, children = self.actor(parent), self.tree.layout.children(parent)
            played = self.solution.strategy[children.start : children.stop]
            deals = self._deals(parent, actor)
            frequencies = tuple(mean(row, deals) for row in played)
            path, taken = self.tree.path(parent), self.tree.action_code(child)
            label = self.describe_decision(parent)
            steps.append(TrailStep(path, label, actor, self._actions(parent), frequencies, taken))
        return tuple(steps)

    def _equity(self, opponent: FloatArray) -> FloatArray:
        """Returns ``[169]`` the all-in equity of each hand against what the opponent brings."""
        met = self._matchups * opponent
        return divide((met * self._equities).sum(axis=1), met.sum(axis=1))

    def _met(self, opponent: FloatArray) -> FloatArray:
        """Returns ``[169]`` the combos of the opponent that a combo of each hand can meet."""
        met: FloatArray = (self._matchups * opponent).sum(axis=1) / HandSpace.HANDS.num_combos
        return met

    def _deals(self, node: int, player: int) -> FloatArray:
        """Returns ``[169]`` how many deals bring a player to a node with each hand."""
        met = (self._matchups * self.reach[1 - player][node]).sum(axis=1)
        deals: FloatArray = self.reach[player][node] * met
        return deals

    @cached_property
    def _matchups(self) -> IntArray:
        return matchup_weights()

    @cached_property
    def _equities(self) -> FloatArray:
        return preflop_table().equities()
