"""The betting of a street as one forest that is the same whatever card comes.

A betting tree runs through all streets. Cut where a card is dealt, it falls into trees that begin a
street; those of one street together are its template, and every board of the street has tables
with the template's rows. A called all-in has no more decisions: on the streets that remain it is a
tree of one node that leads to the next card, and to a showdown on the river.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from runout.arrays import Float32Array, Int32Array, IntArray, read_only
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.rake import Rake
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Forest
from runout.trees.betting import Street
from runout.trees.postflop_tree import NOT_A_LEAF, SHOWDOWN, PostflopTree

#: Nodes of a group of roots: few enough for reach and values to stay in the processor's cache.
NODES_PER_GROUP = 200

_ENDS = 2  # the kind of a terminal in `Forest.kind`
_FOLD, _SHOWDOWN, _CHANCE, _DECISION = range(4)


@dataclass(frozen=True, eq=False)
class StreetTemplate:
    """All decisions of a street.

    Attributes:
        street: which one.
        forests: the template seen from OOP and from IP.
        tree_node: ``[n]`` the node of the betting tree that each node stands for.
        first_action: ``[n]`` the row of a decision's first action in the tables of its player.
        action_node: for each player ``[A]`` the tree node that each row of its tables leads to.
        root_of: ``[roots]`` the tree nodes that begin the street.
        next_roots: the tree nodes after which a card is dealt, in the order of the next
            street's roots.
    """

    street: Street
    forests: tuple[Forest, Forest]
    tree_node: IntArray
    first_action: IntArray
    action_node: tuple[IntArray, IntArray]
    root_of: tuple[int, ...]
    next_roots: tuple[int, ...]

    @property
    def num_nodes(self) -> int:
        """Nodes of the whole forest."""
        return len(self.tree_node)

    @property
    def num_actions(self) -> tuple[int, int]:
        """Rows of each player's tables."""
        return len(self.action_node[0]), len(self.action_node[1])


@dataclass
class _Draft:
    """A template while it grows; node numbers run through the whole forest."""

    tree_node: list[int] = field(default_factory=list)
    what: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    root: list[int] = field(default_factory=list)

    def add(self, tree_node: int, what: int, parent: int) -> int:
        self.tree_node.append(tree_node)
        self.what.append(what)
        self.first_child.append(0)
        self.parent.append(parent)
        return len(self.tree_node) - 1


def make_templates(
    tree: PostflopTree, rake: Rake, nodes_per_group: int = NODES_PER_GROUP
) -> list[StreetTemplate]:
    """Returns the template of every street from the tree's first one on.

    Args:
        tree: the betting.
        rake: what the house takes.
        nodes_per_group: at most so many nodes of the river, or one root's, make a group.
    """
    templates = []
    roots: tuple[int, ...] = (0,)
    for street in list(Street)[tree.first_street :]:
        draft = _draft(tree, street, roots)
        groups = _group_roots(draft, street, nodes_per_group)
        templates.append(_finish(tree, street, roots, draft, groups, rake))
        roots = templates[-1].next_roots
    return templates


def _what(tree: PostflopTree, street: Street, node: int) -> int:
    """Returns what a tree node is on a street."""
    kind = int(tree.leaf_kind[node])
    if kind == NOT_A_LEAF:
        return _DECISION if tree.street[node] == street else _CHANCE
    if kind == SHOWDOWN:
        return _SHOWDOWN if street == Street.RIVER else _CHANCE
    return _FOLD


def _draft(tree: PostflopTree, street: Street, roots: tuple[int, ...]) -> _Draft:
    """Numbers the nodes of a street: root by root, breadth-first, so that siblings are together."""
    draft = _Draft()
    for root in roots:
        draft.root.append(draft.add(root, _what(tree, street, root), -1))
        queue = deque([draft.root[-1]])
        while queue:
            node = queue.popleft()
            if draft.what[node] != _DECISION:
                continue
            draft.first_child[node] = len(draft.tree_node)
            for child in tree.layout.children(draft.tree_node[node]):
                queue.append(draft.add(child, _what(tree, street, child), node))
    return draft


def _finish(
    tree: PostflopTree,
    street: Street,
    roots: tuple[int, ...],
    draft: _Draft,
    groups: list[tuple[int, int]],
    rake: Rake,
) -> StreetTemplate:
    tree_node = np.array(draft.tree_node, dtype=np.int64)
    what = np.array(draft.what)
    is_decision = what == _DECISION
    actor = np.where(is_decision, tree.layout.actor[tree_node], -1)
    num_children = np.where(is_decision, tree.layout.num_children[tree_node], 0)
    first_action = np.zeros(len(tree_node), dtype=np.int64)
    action_node = []
    for player in range(NUM_PLAYERS):
        own = np.where(actor == player, num_children, 0)
        first_action += np.where(actor == player, own.cumsum() - own, 0)
        deciding = tree_node[actor == player]
        children = [child for node in deciding for child in tree.layout.children(node)]
        action_node.append(read_only(np.array(children, dtype=np.int64)))
    arrays = _Arrays(tree_node, what, actor, num_children, first_action)
    forests = [_see(tree, draft, arrays, groups, rake, player) for player in range(NUM_PLAYERS)]
    return StreetTemplate(
        street=street,
        forests=(forests[0], forests[1]),
        tree_node=read_only(tree_node),
        first_action=read_only(first_action),
        action_node=(action_node[0], action_node[1]),
        root_of=roots,
        next_roots=tuple(tree_node[what == _CHANCE].tolist()),
    )


@dataclass(frozen=True)
class _Arrays:
    """What is the same for both players, one entry per node of the forest."""

    tree_node: IntArray
    what: IntArray
    actor: IntArray
    num_children: IntArray
    first_action: IntArray


def _group_roots(draft: _Draft, street: Street, nodes_per_group: int) -> list[tuple[int, int]]:
    """Returns the beginning and end of each group of roots; only rivers are cut into groups."""
    num_roots = len(draft.root)
    bounds = [*draft.root, len(draft.tree_node)]
    groups, begin = [], 0
    for end in range(1, num_roots + 1):
        is_last = end == num_roots
        is_full = not is_last and bounds[end + 1] - bounds[begin] > nodes_per_group
        if is_last or (is_full and street == Street.RIVER):
            groups.append((begin, end))
            begin = end
    return groups


def _see(
    tree: PostflopTree,
    draft: _Draft,
    arrays: _Arrays,
    groups: list[tuple[int, int]],
    rake: Rake,
    player: int,
) -> Forest:
    """Returns the forest as a player sees it."""
    bounds = [*draft.root, len(draft.tree_node)]
    what = arrays.what
    row = np.zeros(len(what), dtype=np.int32)
    base = np.zeros(len(what), dtype=np.int64)
    group_rows = []
    for begin, end in groups:
        nodes = range(bounds[begin], bounds[end])
        base[nodes.start : nodes.stop] = nodes.start
        num_rows = 0
        for node in nodes:
            parent = draft.parent[node]
            if parent < 0 or arrays.actor[parent] == 1 - player:
                row[node] = num_rows
                num_rows += 1
            else:
                row[node] = row[parent]
        spans = [nodes.start, nodes.stop, begin, end]
        for wanted in (_FOLD, _SHOWDOWN):
            found = np.flatnonzero(what == wanted)
            spans += np.searchsorted(found, [nodes.start, nodes.stop]).tolist()
        group_rows.append([*spans, num_rows])
    kind = np.full(len(what), _ENDS, dtype=np.int32)
    kind[arrays.actor == player] = HERO_ACTS
    kind[arrays.actor == 1 - player] = VILLAIN_ACTS
    local = np.arange(len(what)) - base
    fold, showdown, chance = (np.flatnonzero(what == k) for k in (_FOLD, _SHOWDOWN, _CHANCE))
    stake, raked = _showdown_stakes(tree, arrays.tree_node[showdown], rake)
    return Forest(
        group=_int32(group_rows),
        kind=kind,
        first_child=_int32(np.array(draft.first_child) - np.where(what == _DECISION, base, 0)),
        num_children=_int32(arrays.num_children),
        first_action=_int32(arrays.first_action),
        row=row,
        root=_int32(local[draft.root]),
        fold=_int32(local[fold]),
        fold_row=row[fold],
        fold_gain=_fold_gains(tree, arrays.tree_node[fold], rake, player),
        showdown=_int32(local[showdown]),
        showdown_row=row[showdown],
        showdown_stake=stake,
        showdown_rake=raked,
        chance=_int32(local[chance]),
        chance_row=row[chance],
    )


def _fold_gains(tree: PostflopTree, nodes: IntArray, rake: Rake, player: int) -> Float32Array:
    """Returns what a player wins where somebody folds: the winner pays the rake."""
    lost = tree.leaf_stake[nodes]
    won = lost - [rake.taken_from(2.0 * stake) for stake in lost]
    return np.where(tree.leaf_kind[nodes] == player, -lost, won).astype(np.float32)


def _showdown_stakes(
    tree: PostflopTree, nodes: IntArray, rake: Rake
) -> tuple[Float32Array, Float32Array]:
    """Returns what is won or lost at showdowns, and what each player pays on top whoever wins.

    The winner of a pot P with rake r gets ``P/2 - r``, the loser ``-P/2``, and a tie is ``-r/2``
    each: that is ``(P - r)/2`` won or lost, and half of the rake paid by both.
    """
    stake = tree.leaf_stake[nodes]
    half_rake = np.array([rake.taken_from(2.0 * lost) for lost in stake]) / 2.0
    raked = -half_rake if half_rake.any() else np.zeros(0)
    return (stake - half_rake).astype(np.float32), raked.astype(np.float32)


def _int32(values: object) -> Int32Array:
    return np.ascontiguousarray(values, dtype=np.int32)
