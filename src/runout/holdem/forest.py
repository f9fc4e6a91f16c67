"""The betting of a street as one forest that is the same whatever card comes, for the kernels.

Called all-ins before the river have nothing left to decide, so what hands win there is one product
with how often each hand wins against each over all runouts. On streets that are *settled* so, no
card need be dealt for such lines, on which buckets would only blur who wins.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import Int32Array, IntArray
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
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Forest, Terminals
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

    At most ``nodes_per_group`` nodes of the river, or one root's, make a group.
    """
    key = (StreetTemplate, rake, nodes_per_group, frozenset(settled))
    if key not in tree.derived:
        tree.derived[key] = _build_templates(tree, rake, nodes_per_group, settled)
    templates: list[StreetTemplate] = tree.derived[key]
    return templates


def _build_templates(
    tree: PostflopTree, rake: Rake, nodes_per_group: int, settled: Collection[Street]
) -> list[StreetTemplate]:
    """Cuts streets into groups of roots, of which only rivers have several."""
    templates = []
    for layout in make_layouts(tree, settled):
        bounds, groups, begin = [*layout.root.tolist(), layout.num_nodes], [], 0
        for end in range(1, len(bounds)):
            is_last = end == len(layout.root)
            is_full = not is_last and bounds[end + 1] - bounds[begin] > nodes_per_group
            if is_last or (is_full and layout.street == Street.RIVER):
                groups.append((begin, end, range(bounds[begin], bounds[end])))
                begin = end
        oop, ip = (_see(tree, layout, groups, rake, player) for player in range(NUM_PLAYERS))
        templates.append(StreetTemplate(**vars(layout), forests=(oop, ip)))
    return templates


def _see(
    tree: PostflopTree,
    layout: StreetLayout,
    groups: list[tuple[int, int, range]],
    rake: Rake,
    player: int,
) -> Forest:
    """Returns the forest as a player sees it; groups are of roots from, to, and their nodes."""
    kinds, parent, actor = layout.kind, layout.parent.tolist(), layout.actor.tolist()
    row = np.zeros(layout.num_nodes, dtype=np.int32)
    base = np.zeros(layout.num_nodes, dtype=np.int64)
    ends: tuple[list[int], list[int]] = ([], [])  # folds and showdowns
    group_rows = []
    for begin, end, nodes in groups:
        base[nodes.start : nodes.stop] = nodes.start
        num_rows = 0
        for node in nodes:
            if parent[node] == NO_PARENT or actor[parent[node]] == 1 - player:
                row[node] = num_rows
                num_rows += 1
            else:
                row[node] = row[parent[node]]
        spans = [nodes.start, nodes.stop, begin, end]
        *both, num_shared = _pair_ends(kinds, row, nodes)
        for listed, found in zip(ends, both, strict=True):
            spans += [len(listed), len(listed) + len(found)]
            listed += found
        group_rows.append([*spans, num_rows, num_shared])
    acts = np.full(layout.num_nodes, _ENDS, dtype=np.int32)
    acts[layout.actor == player] = HERO_ACTS
    acts[layout.actor == 1 - player] = VILLAIN_ACTS
    local = (np.arange(layout.num_nodes) - base).astype(np.int32)
    chance = np.flatnonzero(kinds == PlaceKind.CHANCE)
    fold, showdown = (np.array(listed, np.int64) for listed in ends)
    folded, stake = (tree.leaf_stake[layout.tree_node[nodes]] for nodes in (fold, showdown))
    won = np.array([rake.won_by_fold(lost) for lost in folded])
    has_folded = tree.leaf_kind[layout.tree_node[fold]] == player
    half_rake = np.array([rake.half_at_showdown(lost) for lost in stake])
    first_child = layout.first_child - np.where(kinds == PlaceKind.DECISION, base, 0)
    return Forest(
        group=np.array(group_rows, np.int32),
        kind=acts,
        first_child=first_child.astype(np.int32),
        num_children=layout.num_children.astype(np.int32),
        first_action=layout.first_action.astype(np.int32),
        row=row,
        root=local[layout.root],
        folds=Terminals(
            local[fold], row[fold], np.where(has_folded, -folded, won).astype(np.float32)
        ),
        showdowns=Terminals(local[showdown], row[showdown], (stake - half_rake).astype(np.float32)),
        rake=(-half_rake if half_rake.any() else np.zeros(0)).astype(np.float32),
        chance=local[chance],
        chance_row=row[chance],
    )


def _pair_ends(kinds: IntArray, row: Int32Array, nodes: range) -> tuple[list[int], list[int], int]:
    """Returns the folds and showdowns of a group, and how many have the same reach.

    Those come first, in the same order.
    """
    fold_at, showdown_at = (
        {int(row[node]): node for node in nodes if kinds[node] == kind}
        for kind in (PlaceKind.FOLD, PlaceKind.SHOWDOWN)
    )
    shared = dict.fromkeys(number for number in fold_at if number in showdown_at)
    folds, showdowns = (
        [at[number] for number in shared]
        + [node for number, node in at.items() if number not in shared]
        for at in (fold_at, showdown_at)
    )
    return folds, showdowns, len(shared)


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
