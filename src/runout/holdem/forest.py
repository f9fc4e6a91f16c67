"""The betting of a street as one forest that is the same whatever card comes, for the kernels.

Called all-ins before the river have nothing left to decide, so what hands win there is one product
with how often each hand wins against each over all runouts. On streets that are *settled* so, no
card need be dealt for such lines, on which buckets would only blur who wins.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, Int32Array, IntArray
from runout.cards.deck import NUM_CARDS
from runout.holdem.cards import (
    NO_PARENT,
    WHOLE_DECK,
    CardsToCome,
    PlaceKind,
    Rake,
    StreetLayout,
    make_layouts,
)
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Forest
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree

#: What the values of a group of roots take: they stay in the processor's cache, and there are
#: enough showdowns to fill lanes.
_GROUP_BYTES = 3 << 19
_FLOAT_BYTES = 4

_ENDS = 2  # the kind of a terminal in `Forest.kind`


def nodes_per_group(width: int) -> int:
    """Returns how many nodes, with rows of a width, make a group."""
    return max(1, _GROUP_BYTES // (_FLOAT_BYTES * width))


#: Nodes of a group whose rows have every hand.
NODES_PER_GROUP = nodes_per_group(1184)

#: Rows of buckets are short: all nodes of a river are one group.
ONE_GROUP = 1 << 30


@dataclass(frozen=True, eq=False)
class StreetTemplate(StreetLayout):
    """All decisions of a street, as kernels read them.

    Attributes:
        forests: the layout seen from OOP and from IP.
    """

    forests: tuple[Forest, Forest]


def make_templates(
    tree: PostflopTree,
    rake: Rake,
    nodes_per_group: int = NODES_PER_GROUP,
    settled: Collection[Street] = (),
) -> list[StreetTemplate]:
    """Returns the template of every street from the tree's first one on, made once.

    Args:
        tree: the betting.
        rake: what the house takes.
        nodes_per_group: at most so many nodes of the river, or one root's, make a group.
        settled: as in `make_layouts`.
    """
    key = (StreetTemplate, rake, nodes_per_group, frozenset(settled))
    if key not in tree.derived:
        tree.derived[key] = _build_templates(tree, rake, nodes_per_group, settled)
    templates: list[StreetTemplate] = tree.derived[key]
    return templates


def _build_templates(
    tree: PostflopTree, rake: Rake, nodes_per_group: int, settled: Collection[Street]
) -> list[StreetTemplate]:
    templates = []
    for layout in make_layouts(tree, settled):
        groups = _group_roots(layout, nodes_per_group)
        oop, ip = (_see(tree, layout, groups, rake, player) for player in range(NUM_PLAYERS))
        templates.append(StreetTemplate(**vars(layout), forests=(oop, ip)))
    return templates


def _bounds(layout: StreetLayout) -> list[int]:
    """Returns where the nodes of each root begin, and where the last end."""
    return [*layout.root.tolist(), layout.num_nodes]


def _group_roots(layout: StreetLayout, nodes_per_group: int) -> list[tuple[int, int]]:
    """Returns the beginning and end of each group of roots; only rivers are cut into groups."""
    num_roots, bounds = len(layout.root), _bounds(layout)
    groups, begin = [], 0
    for end in range(1, num_roots + 1):
        is_last = end == num_roots
        is_full = not is_last and bounds[end + 1] - bounds[begin] > nodes_per_group
        if is_last or (is_full and layout.street == Street.RIVER):
            groups.append((begin, end))
            begin = end
    return groups


def _see(
    tree: PostflopTree,
    layout: StreetLayout,
    groups: list[tuple[int, int]],
    rake: Rake,
    player: int,
) -> Forest:
    """Returns the forest as a player sees it."""
    bounds, kinds = _bounds(layout), layout.kind
    parent, actor = layout.parent.tolist(), layout.actor.tolist()
    row = np.zeros(layout.num_nodes, dtype=np.int32)
    base = np.zeros(layout.num_nodes, dtype=np.int64)
    group_rows = []
    for begin, end in groups:
        nodes = range(bounds[begin], bounds[end])
        base[nodes.start : nodes.stop] = nodes.start
        num_rows = 0
        for node in nodes:
            if parent[node] == NO_PARENT or actor[parent[node]] == 1 - player:
                row[node] = num_rows
                num_rows += 1
            else:
                row[node] = row[parent[node]]
        spans = [nodes.start, nodes.stop, begin, end]
        for wanted in (PlaceKind.FOLD, PlaceKind.SHOWDOWN):
            found = np.flatnonzero(kinds == wanted)
            spans += np.searchsorted(found, [nodes.start, nodes.stop]).tolist()
        group_rows.append([*spans, num_rows])
    kind = np.full(layout.num_nodes, _ENDS, dtype=np.int32)
    kind[layout.actor == player] = HERO_ACTS
    kind[layout.actor == 1 - player] = VILLAIN_ACTS
    local = np.arange(layout.num_nodes) - base
    chance = np.flatnonzero(kinds == PlaceKind.CHANCE)
    fold, showdown, shared = _pair_ends(kinds, row, [bounds[end] for _, end in groups])
    stake, raked = _showdown_stakes(tree, layout.tree_node[showdown], rake)
    is_decision = kinds == PlaceKind.DECISION
    return Forest(
        group=_int32([[*rows, number] for rows, number in zip(group_rows, shared, strict=True)]),
        kind=kind,
        first_child=_int32(layout.first_child - np.where(is_decision, base, 0)),
        num_children=_int32(layout.num_children),
        first_action=_int32(layout.first_action),
        row=row,
        root=_int32(local[layout.root]),
        fold=_int32(local[fold]),
        fold_row=row[fold],
        fold_gain=_fold_gains(tree, layout.tree_node[fold], rake, player),
        showdown=_int32(local[showdown]),
        showdown_row=row[showdown],
        showdown_stake=stake,
        showdown_rake=raked,
        chance=_int32(local[chance]),
        chance_row=row[chance],
    )


def _pair_ends(
    kinds: IntArray, row: Int32Array, group_ends: list[int]
) -> tuple[IntArray, IntArray, list[int]]:
    """Returns folds and showdowns group by group, and how many of a group have the same reach.

    Those come first, in the same order.
    """
    folds: list[int] = []
    showdowns: list[int] = []
    shared, begin = [], 0
    for end in group_ends:
        fold_at, showdown_at = (
            {int(row[node]): node for node in range(begin, end) if kinds[node] == wanted}
            for wanted in (PlaceKind.FOLD, PlaceKind.SHOWDOWN)
        )
        both = {number: None for number in fold_at if number in showdown_at}
        for at, nodes in ((fold_at, folds), (showdown_at, showdowns)):
            nodes += [at[number] for number in both]
            nodes += [node for number, node in at.items() if number not in both]
        shared.append(len(both))
        begin = end
    return np.array(folds, np.int64), np.array(showdowns, np.int64), shared


def _fold_gains(tree: PostflopTree, nodes: IntArray, rake: Rake, player: int) -> Float32Array:
    """Returns what a player wins where somebody folds."""
    lost = tree.leaf_stake[nodes]
    won = np.array([rake.won_by_fold(stake) for stake in lost])
    return np.where(tree.leaf_kind[nodes] == player, -lost, won).astype(np.float32)


def _showdown_stakes(
    tree: PostflopTree, nodes: IntArray, rake: Rake
) -> tuple[Float32Array, Float32Array]:
    """Returns what is won or lost at showdowns, and what each player pays on top whoever wins."""
    stake = tree.leaf_stake[nodes]
    half_rake = np.array([rake.half_at_showdown(lost) for lost in stake])
    raked = -half_rake if half_rake.any() else np.zeros(0)
    return (stake - half_rake).astype(np.float32), raked.astype(np.float32)


def _int32(values: object) -> Int32Array:
    return np.ascontiguousarray(values, dtype=np.int32)


#: Turns are settled if two ranges have at most so many pairs of hands: then the matrix of a card
#: stays in the processor's cache, and all of them are small beside the tables.
MOST_PAIRS = 1 << 18


def settled_streets(cards: CardsToCome, deck: Sequence[int] = WHOLE_DECK) -> tuple[Street, ...]:
    """Returns the streets whose called all-ins an exact solve values by products."""
    first = Street(Street.RIVER - len(cards.deals))
    if first == Street.RIVER or len(deck) != NUM_CARDS:
        return ()
    oop, ip = cards.players
    if first == Street.FLOP and oop.width * ip.width <= MOST_PAIRS:
        return (Street.FLOP, Street.TURN)
    return (first,)


def has_products(template: StreetTemplate) -> bool:
    """Returns whether there are all-ins on a street that are valued by products."""
    return template.street != Street.RIVER and bool((template.kind == PlaceKind.SHOWDOWN).any())
