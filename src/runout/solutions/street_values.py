"""What hands win on one street, in numpy, without a kernel."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, IntArray, divide, read_only
from runout.cards.deck import COMBO_CARDS, COMBOS_BY_CARD, NUM_COMBOS
from runout.cards.hand_ranking import score_board
from runout.holdem.cards import Rake
from runout.solutions.node import weight_met
from runout.trees.betting import Street
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN, PostflopTree

# Who wins at a showdown against a range, in numpy: for looking, without a kernel.
#
# A hand's margin against a range is the weight that it beats minus the weight that beats it. Hands
# are sorted by strength once for each board; what a hand beats is then a difference of running
# sums, less what shares a card with it, of which there is another running sum for each card.


_CARDS: IntArray = read_only(COMBO_CARDS.astype(np.int64))

#: ``[1326, 2]`` where a combo stands among those that hold its lower and its higher card.
_PLACE_BY_CARD: IntArray = read_only(
    np.array(
        [[np.searchsorted(COMBOS_BY_CARD[c], i) for c in cards] for i, cards in enumerate(_CARDS)]
    )
)


@dataclass(frozen=True, eq=False)
class Showdowns:
    """All combos on a river board, by strength.

    Attributes:
        order: ``[1326]`` the combos, weakest first; those that the board blocks come first.
        below: ``[1326]`` for each combo, how many in order are weaker.
        upto: ``[1326]`` for each combo, how many in order are not stronger.
        order_by_card: ``[52, 51]`` the combos that hold a card, weakest first.
        below_by_card: ``[1326, 2]`` for each combo and card of it, how many that hold the card are
            weaker.
        upto_by_card: ``[1326, 2]`` likewise, not stronger.
        is_live: ``[1326]`` 1 for combos that the board leaves possible, 0 for others.
    """

    order: IntArray
    below: IntArray
    upto: IntArray
    order_by_card: IntArray
    below_by_card: IntArray
    upto_by_card: IntArray
    is_live: FloatArray

    @classmethod
    def on(cls, board: Sequence[int]) -> "Showdowns":
        """Ranks all combos on a board of five cards."""
        score = score_board(board)
        order, below, upto = _rank(score[None])
        of_cards, below_by_card, upto_by_card = _rank(score[COMBOS_BY_CARD])
        return cls(
            order=order[0],
            below=below[0],
            upto=upto[0],
            order_by_card=np.take_along_axis(COMBOS_BY_CARD, of_cards, axis=1),
            below_by_card=below_by_card[_CARDS, _PLACE_BY_CARD],
            upto_by_card=upto_by_card[_CARDS, _PLACE_BY_CARD],
            is_live=(score > 0).astype(np.float64),
        )

    def margins(self, weights: FloatArray) -> FloatArray:
        """Returns ``[R, 1326]`` the margins of all combos against ranges ``weights[R, 1326]``.

        They are 0 for combos that the board blocks; blocked combos of a range do not count.
        """
        live = weights * self.is_live
        sums = _running(live[:, self.order])
        ahead = sums[:, self.below] + sums[:, self.upto] - sums[:, -1:]
        by_card = _running(live[:, self.order_by_card])
        for side, cards in enumerate(_CARDS.T):
            of_card = by_card[:, cards, self.below_by_card[:, side]]
            of_card = of_card + by_card[:, cards, self.upto_by_card[:, side]]
            ahead -= of_card - by_card[:, cards, -1]
        margins: FloatArray = ahead * self.is_live
        return margins


def _rank(scores: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns for rows of scores the order, and of each how many are lower and not higher."""
    order = np.argsort(scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    place = np.arange(scores.shape[1])
    is_first = np.ones(scores.shape, dtype=bool)
    is_first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    begin = np.maximum.accumulate(np.where(is_first, place, 0), axis=1)
    is_last = np.ones(scores.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    ends = np.where(is_last, place + 1, scores.shape[1])[:, ::-1]
    end = np.minimum.accumulate(ends, axis=1)[:, ::-1]
    below, upto = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(below, order, begin, axis=1)
    np.put_along_axis(upto, order, end, axis=1)
    return order, below, upto


def _running(values: FloatArray) -> FloatArray:
    """Returns running sums along the last axis, the first of them 0."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def runout_margins(showdowns: Sequence[Showdowns], weights: FloatArray) -> FloatArray:
    """Returns ``[R, 1326]`` margins against ranges ``weights[R, 1326]``, summed over rivers."""
    total = np.zeros(weights.shape)
    for board in showdowns:
        total += board.margins(weights)
    return total


# What hands win on one street, in numpy: reach flows down, leaves are valued, values flow up.
#
# On a river everything is known: folds, and showdowns by strength. On a street before it, what
# comes after the next card is given.


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
