"""Kinds of pots, by what happened before the flop, and the betting after it."""

from collections.abc import Mapping
from enum import StrEnum

from runout.trees.betting import BettingRules
from runout.trees.postflop_tree import PostflopTree
from runout.trees.preflop_tree import PreflopTree


class PotType(StrEnum):
    """What happened before the flop, as players call the pot."""

    LIMPED = "limped"
    RAISED = "raised"
    RERAISED = "reraised"


def pot_type_of(tree: PreflopTree, leaf: int) -> PotType:
    """Returns the type of the pot at a flop leaf: by the number of raises that led to it."""
    num_raises, node = 0, leaf
    while node > 0:
        num_raises += tree.action_to(node).is_aggressive
        node = int(tree.layout.parent[node])
    return list(PotType)[min(num_raises, len(PotType) - 1)]


def build_flop_trees(
    tree: PreflopTree, betting: Mapping[PotType, BettingRules]
) -> tuple[PostflopTree, ...]:
    """Returns the betting after the flop at each flop leaf, in pots.

    Raises:
        TreeError: if one is too large.
    """
    return tuple(
        PostflopTree.build_with_spr(betting[pot_type_of(tree, leaf.node)], leaf.spr)
        for leaf in tree.flop_leaves()
    )
