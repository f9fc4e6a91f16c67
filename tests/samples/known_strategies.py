"""Strategies that need no solve: fixed preferences, and noise that looks at every card."""

from dataclasses import dataclass

import numpy as np

from runout.cards.deck import NUM_COMBOS, NUM_HANDS
from runout.flops.backend import HandStrategy
from runout.trees.actions import ActionKind
from runout.trees.tree import PostflopTree

CHECK_OR_FOLD = (ActionKind.CHECK, ActionKind.FOLD)
JAM_OR_CALL = (ActionKind.ALL_IN, ActionKind.CALL)


def prefer(tree, oop, ip):
    """Returns strategies that take the first kind of action on a list, whatever the hand."""
    table = np.zeros((tree.num_nodes, NUM_HANDS), np.float32)
    for node in range(tree.num_nodes):
        kinds = [tree.action_to(child).kind for child in tree.layout.children(node)]
        if kinds:
            wanted = next(kind for kind in (oop, ip)[tree.layout.actor[node]] if kind in kinds)
            table[tree.layout.children(node)[kinds.index(wanted)]] = 1.0
    return HandStrategy(table)


@dataclass(frozen=True)
class NoisyStrategy:
    """Random probabilities of every combo on every board, different for each order of cards."""

    tree: PostflopTree
    seed: int

    def rows(self, template, player, dealt, combos):
        nodes = template.action_node[player]
        random = np.random.default_rng([self.seed, player, *dealt])
        rows = random.random((len(nodes), NUM_COMBOS))[:, combos] ** 3
        parents = self.tree.layout.parent[nodes]
        for parent in np.unique(parents):
            rows[parents == parent] /= rows[parents == parent].sum(axis=0)
        return rows.astype(np.float32)
