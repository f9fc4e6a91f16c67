"""What hands win on one street, in numpy: reach flows down, leaves are valued, values flow up.

On a river everything is known: folds, and showdowns by strength. On a street before it, what comes
after the next card is given.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cards.combos import NUM_COMBOS
from runout.holdem.rake import Rake
from runout.trees.betting import Street
from runout.trees.postflop_tree import NOT_A_LEAF, SHOWDOWN, PostflopTree
from runout.views.node import divide, weight_met
from runout.views.showdowns import Showdowns

_PLAYERS = (0, 1)


@dataclass(frozen=True, eq=False)
class StreetPlay:
    """The betting of a street on one board, and what both players do there.

    Attributes:
        tree: the betting.
        rake: what the house takes.
        street: which one.
        strategy_at: returns ``[A, 1326]`` what is done at a decision, by tree node.
        ev_after: returns ``[1326]`` what a hand of a player gets from the next card on, by tree
            node and player: chips back minus chips put in, NaN where it meets nobody.
        showdowns: on a river, who wins.
    """

    tree: PostflopTree
    rake: Rake
    street: Street
    strategy_at: Callable[[int], FloatArray]
    ev_after: Callable[[int, int], FloatArray]
    showdowns: Showdowns | None

    def values(self, node: int, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node, and ``[A, 1326]`` those of the actor's actions.

        Args:
            node: of the tree, on the street.
            weights: ``[2, 1326]`` what both players arrive with.
        """
        reach, played = self._flow_down(node, weights)
        won = self._value_leaves([place for place in reach if place not in played], reach)
        for place in reversed(played):
            won[place] = self._combine(place, played[place], won)
        children = self._children(node)
        actor = int(self.tree.layout.actor[node])
        evs = np.stack([self._ev(node, player, won[node], weights) for player in _PLAYERS])
        action_evs = [self._ev(node, actor, won[child], weights) for child in children]
        return evs, np.stack(action_evs) if action_evs else np.zeros((0, NUM_COMBOS))

    def _children(self, node: int) -> range:
        """Returns what actions lead to on this street."""
        is_decision = self.tree.leaf_kind[node] == NOT_A_LEAF
        is_here = is_decision and self.tree.street[node] == self.street
        return self.tree.layout.children(node) if is_here else range(0)

    def _flow_down(
        self, node: int, weights: FloatArray
    ) -> tuple[dict[int, FloatArray], dict[int, FloatArray]]:
        """Returns what both players arrive with at a node and below, and do at decisions there."""
        reach, played, queue = {node: weights}, {}, [node]
        for place in queue:
            children = self._children(place)
            if not children:
                continue
            actor = int(self.tree.layout.actor[place])
            played[place] = self.strategy_at(place)
            for child, row in zip(children, played[place], strict=True):
                arriving = reach[place].copy()
                arriving[actor] *= row
                reach[child] = arriving
            queue.extend(children)
        return reach, played

    def _value_leaves(
        self, leaves: list[int], reach: dict[int, FloatArray]
    ) -> dict[int, FloatArray]:
        """Returns ``[2, 1326]`` what hands win where the betting of the street ends.

        What is won is counted as in `PostflopTree`, each player's half of the first pot included,
        and times the opponent's weight that a hand meets.
        """
        arriving = np.stack([reach[place] for place in leaves])
        met = np.stack([weight_met(arriving[:, 1 - player]) for player in _PLAYERS], axis=1)
        won = np.zeros_like(arriving)
        if self.showdowns is not None:
            for player in _PLAYERS:
                won[:, player] = self.showdowns.margins(arriving[:, 1 - player])
        return {
            place: self._value_leaf(place, met[number], won[number])
            for number, place in enumerate(leaves)
        }

    def _value_leaf(self, leaf: int, met: FloatArray, margins: FloatArray) -> FloatArray:
        kind, stake = int(self.tree.leaf_kind[leaf]), float(self.tree.leaf_stake[leaf])
        if kind == SHOWDOWN and self.showdowns is not None:
            half_rake = self.rake.half_at_showdown(stake)
            return (stake - half_rake) * margins - half_rake * met
        if kind in _PLAYERS:  # a fold
            gains = np.full((2, 1), self.rake.won_by_fold(stake))
            gains[kind] = -stake
            return gains * met
        values = [self.ev_after(leaf, player) - self._sunk(leaf, player) for player in _PLAYERS]
        return np.nan_to_num(np.stack(values)) * met

    def _combine(self, node: int, played: FloatArray, won: dict[int, FloatArray]) -> FloatArray:
        """Returns what hands win at a decision, of what they win after its actions."""
        children, actor = self._children(node), int(self.tree.layout.actor[node])
        total = np.zeros((2, NUM_COMBOS))
        for child, row in zip(children, played, strict=True):
            total[actor] += row * won[child][actor]
            total[1 - actor] += won[child][1 - actor]
        return total

    def _sunk(self, node: int, player: int) -> float:
        """Returns what a player has in the pot."""
        return self.tree.stakes.pot / 2.0 + float(self.tree.invested[node, player])

    def _ev(self, node: int, player: int, won: FloatArray, weights: FloatArray) -> FloatArray:
        met = weight_met(weights[1 - player])
        return divide(won[player], met) + self._sunk(node, player)
