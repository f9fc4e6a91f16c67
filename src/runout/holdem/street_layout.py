"""The decisions of a street, numbered: the same rows whatever card comes.

A betting tree runs through all streets. Cut where a card is dealt, it falls into trees that begin a
street; those of one street together are its layout, and every board of the street has tables with
the layout's rows. A called all-in has no more decisions: on the streets that remain it is a tree
of one node that leads to the next card, and to a showdown on the river. On a *settled* street it
ends at once, a showdown before the river.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from runout.arrays import IntArray, read_only
from runout.trees.betting import Street
from runout.trees.postflop_tree import IP, NOT_A_LEAF, OOP, SHOWDOWN, PostflopTree

NO_PARENT = -1
NOBODY = -1


class PlaceKind(IntEnum):
    """What a node is on a street."""

    FOLD = 0
    SHOWDOWN = 1
    CHANCE = 2
    DECISION = 3


@dataclass(frozen=True, eq=False)
class StreetLayout:
    """All decisions of a street; ``n`` nodes, those that begin it one after the other.

    Attributes:
        street: which one.
        tree_node: ``[n]`` the node of the betting tree that each node stands for.
        kind: ``[n]`` what it is, a `PlaceKind`.
        parent: ``[n]`` the node before it, `NO_PARENT` for those that begin the street.
        first_child: ``[n]`` the first of the nodes that its actions lead to, 0 without any.
        num_children: ``[n]`` how many there are.
        actor: ``[n]`` who acts, `NOBODY` without a decision.
        first_action: ``[n]`` the row of a decision's first action in the tables of its player.
        action_node: for each player ``[A]`` the tree node that each row of its tables leads to.
        root: ``[roots]`` the nodes that begin the street.
        next_roots: the tree nodes after which a card is dealt, in the order of the next
            street's roots.
    """

    street: Street
    tree_node: IntArray
    kind: IntArray
    parent: IntArray
    first_child: IntArray
    num_children: IntArray
    actor: IntArray
    first_action: IntArray
    action_node: tuple[IntArray, IntArray]
    root: IntArray
    next_roots: tuple[int, ...]

    @property
    def num_nodes(self) -> int:
        """Nodes of all trees of the street."""
        return len(self.tree_node)

    @property
    def num_actions(self) -> tuple[int, int]:
        """Rows of each player's tables."""
        return len(self.action_node[0]), len(self.action_node[1])

    @property
    def root_of(self) -> tuple[int, ...]:
        """The tree nodes that begin the street."""
        return tuple(self.tree_node[self.root].tolist())

    def decisions_of(self, player: int) -> tuple[IntArray, IntArray]:
        """Returns for each decision of a player the row of its first action and how many it has."""
        is_own = self.actor == player
        return self.first_action[is_own], self.num_children[is_own]


@dataclass
class _Draft:
    """A layout while it grows."""

    tree_node: list[int] = field(default_factory=list)
    kind: list[PlaceKind] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)

    def add(self, tree_node: int, kind: PlaceKind, parent: int) -> int:
        self.tree_node.append(tree_node)
        self.kind.append(kind)
        self.first_child.append(0)
        self.parent.append(parent)
        return len(self.tree_node) - 1


def make_layouts(tree: PostflopTree, settled: Collection[Street] = ()) -> list[StreetLayout]:
    """Returns the layout of every street from the tree's first one on.

    Args:
        tree: the betting.
        settled: streets on which called all-ins end; later ones then have fewer roots. Rows of
            tables are the same.
    """
    layouts = []
    roots: tuple[int, ...] = (0,)
    for street in list(Street)[tree.first_street :]:
        layouts.append(_finish(tree, street, _draft(tree, street, roots, street in settled)))
        roots = layouts[-1].next_roots
    return layouts


def _kind_on(tree: PostflopTree, street: Street, node: int, is_settled: bool) -> PlaceKind:
    """Returns what a tree node is on a street."""
    leaf = int(tree.leaf_kind[node])
    if leaf == NOT_A_LEAF:
        return PlaceKind.DECISION if tree.street[node] == street else PlaceKind.CHANCE
    if leaf == SHOWDOWN:
        is_over = street == Street.RIVER or is_settled
        return PlaceKind.SHOWDOWN if is_over else PlaceKind.CHANCE
    return PlaceKind.FOLD


def _draft(tree: PostflopTree, street: Street, roots: tuple[int, ...], is_settled: bool) -> _Draft:
    """Numbers the nodes of a street: root by root, breadth-first, so that siblings are together."""
    draft = _Draft()
    for root in roots:
        draft.root.append(draft.add(root, _kind_on(tree, street, root, is_settled), NO_PARENT))
        queue = deque([draft.root[-1]])
        while queue:
            node = queue.popleft()
            if draft.kind[node] != PlaceKind.DECISION:
                continue
            draft.first_child[node] = len(draft.tree_node)
            for child in tree.layout.children(draft.tree_node[node]):
                kind = _kind_on(tree, street, child, is_settled)
                queue.append(draft.add(child, kind, node))
    return draft


def _finish(tree: PostflopTree, street: Street, draft: _Draft) -> StreetLayout:
    tree_node = np.array(draft.tree_node, dtype=np.int64)
    kind = np.array(draft.kind, dtype=np.int64)
    is_decision = kind == PlaceKind.DECISION
    actor = np.where(is_decision, tree.layout.actor[tree_node], NOBODY)
    num_children = np.where(is_decision, tree.layout.num_children[tree_node], 0)
    first_action = np.zeros(len(tree_node), dtype=np.int64)
    action_node = []
    for player in (OOP, IP):
        own = np.where(actor == player, num_children, 0)
        first_action += np.where(actor == player, own.cumsum() - own, 0)
        deciding = tree_node[actor == player]
        children = [child for node in deciding for child in tree.layout.children(node)]
        action_node.append(read_only(np.array(children, dtype=np.int64)))
    return StreetLayout(
        street=street,
        tree_node=read_only(tree_node),
        kind=read_only(kind),
        parent=read_only(np.array(draft.parent, dtype=np.int64)),
        first_child=read_only(np.array(draft.first_child, dtype=np.int64)),
        num_children=read_only(num_children),
        actor=read_only(actor),
        first_action=read_only(first_action),
        action_node=(action_node[0], action_node[1]),
        root=read_only(np.array(draft.root, dtype=np.int64)),
        next_roots=tuple(tree_node[kind == PlaceKind.CHANCE].tolist()),
    )
