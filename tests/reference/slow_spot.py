"""A spot solved the slow way: every card is dealt, every pair of hands is looked at, in float64.

The walk is recursive over the betting tree; no two cards are merged, nothing is sorted, and what a
pair of hands wins on a board is an entry of a matrix. Learned numbers are kept for each
decision and runout under ``(node, cards)``.
"""

from typing import NamedTuple

import numpy as np

from runout.cards.deck import combo_cards
from runout.trees.betting import Street
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN
from tests.reference.showdowns import strength

LEARN, RESPOND, EVALUATE = "learn", "respond", "evaluate"
NO_WEIGHTS = (1.0, 1.0, 1.0)


class Visit(NamedTuple):
    """What a walk does: whose hands it values, how, and with which discounts."""

    player: int
    mode: str
    weights: tuple[float, float, float] = NO_WEIGHTS


class Learned(NamedTuple):
    """``[actions, hands]`` of one decision on one runout."""

    regret: np.ndarray
    strategy_sum: np.ndarray


def probabilities(weights):
    """Returns the positive part of ``[actions, hands]`` over its sum; equal where there is none."""
    positive = np.maximum(weights, 0.0)
    total = positive.sum(axis=0)
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), 1.0 / len(weights))


class SlowSpot:
    """Alternating CFR; a player's average is learned while the other player's hands are valued."""

    def __init__(self, spot):
        self.spot, self.tree = spot, spot.tree
        self.deck = [card for card in spot.deck if card not in spot.board]
        self.combos, self.weights = [], []
        for hand_range in spot.ranges:
            held = [
                (combo_cards(combo), weight)
                for combo, weight in enumerate(hand_range.weights)
                if weight > 0.0 and not set(combo_cards(combo)) & set(spot.board)
            ]
            self.combos.append([cards for cards, _ in held])
            self.weights.append(np.array([weight for _, weight in held]))
        self.meets = np.array(
            [[not set(a) & set(b) for b in self.combos[1]] for a in self.combos[0]]
        )
        self.total_weight = self.weights[0] @ self.meets @ self.weights[1]
        self.lacks = [
            np.array([[card not in combo for combo in combos] for card in range(52)])
            for combos in self.combos
        ]
        self.learned = {}
        self._outcomes = {}

    def tables(self, node, cards):
        """Returns what is known about a decision on a runout, at first nothing."""
        if (node, cards) not in self.learned:
            player = self.tree.layout.actor[node]
            shape = (self.tree.layout.num_children[node], len(self.combos[player]))
            self.learned[node, cards] = Learned(np.zeros(shape), np.zeros(shape))
        return self.learned[node, cards]

    def iterate(self, weights):
        """Discounts what both players have learned and adds one iteration."""
        for player in (0, 1):
            self.root_values(Visit(player, LEARN, tuple(weights)))

    def root_values(self, visit):
        """Returns ``[H]`` counterfactual values of a player's hands."""
        villain = 1 - visit.player
        return self.value(visit, 0, (), self.weights[villain] / self.total_weight)

    def winnings(self, player, mode):
        """Returns what a player wins beyond its half of the pot."""
        return self.weights[player] @ self.root_values(Visit(player, mode))

    def expected_value(self, player):
        """Returns what a player gets back from the pot at the average strategies."""
        return self.tree.stakes.pot / 2.0 + self.winnings(player, EVALUATE)

    def exploitability(self):
        """Returns the mean gain of a best response."""
        return 0.5 * sum(self.winnings(p, RESPOND) - self.winnings(p, EVALUATE) for p in (0, 1))

    def value(self, visit, node, cards, theirs):
        """Returns ``[H]`` values of a node when the opponent arrives with ``theirs``."""
        if self._waits_for_a_card(node, len(cards)):
            left = [card for card in self.deck if card not in cards]
            return sum(self._value_of_card(visit, node, (*cards, card), theirs) for card in left)
        if self.tree.leaf_kind[node] != NOT_A_LEAF:
            is_possible = self.lacks[visit.player][list(cards)].all(axis=0)
            return is_possible * self._value_of_leaf(visit.player, node, cards, theirs)
        if self.tree.layout.actor[node] == visit.player:
            return self._value_of_own_decision(visit, node, cards, theirs)
        return self._value_of_their_decision(visit, node, cards, theirs)

    def _waits_for_a_card(self, node, num_dealt):
        kind = self.tree.leaf_kind[node]
        street = Street.RIVER if kind == SHOWDOWN else self.tree.street[node]
        return num_dealt < street - self.tree.first_street

    def _value_of_card(self, visit, node, cards, theirs):
        # Two hands, all of their cards from the deck, are known as well when a card comes.
        probability = 1.0 / (len(self.deck) - 4 - len(cards) + 1)
        possible = self.lacks[1 - visit.player][cards[-1]]
        return self.value(visit, node, cards, theirs * possible * probability)

    def _value_of_own_decision(self, visit, node, cards, theirs):
        children = self.tree.layout.children(node)
        actions = np.array([self.value(visit, child, cards, theirs) for child in children])
        if visit.mode == RESPOND:
            return actions.max(axis=0)
        regret, strategy_sum = self.tables(node, cards)
        source = regret if visit.mode == LEARN else strategy_sum
        value = (probabilities(source) * actions).sum(axis=0)
        if visit.mode == LEARN:
            regret *= np.where(regret > 0.0, visit.weights[0], visit.weights[1])
            regret += actions - value
        return value

    def _value_of_their_decision(self, visit, node, cards, theirs):
        regret, strategy_sum = self.tables(node, cards)
        source = regret if visit.mode == LEARN else strategy_sum
        reach = probabilities(source) * theirs
        if visit.mode == LEARN:
            strategy_sum *= visit.weights[2]
            strategy_sum += reach
        children = self.tree.layout.children(node)
        return sum(self.value(visit, c, cards, r) for c, r in zip(children, reach, strict=True))

    def _value_of_leaf(self, player, node, cards, theirs):
        lost, kind = self.tree.leaf_stake[node], self.tree.leaf_kind[node]
        rake = min(self.spot.rake.rate * 2.0 * lost, self.spot.rake.cap)
        if kind != SHOWDOWN:
            meets = self.meets if player == 0 else self.meets.T
            return meets @ theirs * (-lost if kind == player else lost - rake)
        beaten, tied, beating = (pairs @ theirs for pairs in self._outcome(cards)[player])
        return beaten * (lost - rake) - tied * rake / 2.0 - beating * lost

    def _outcome(self, cards):
        """Returns for each player ``[3, H, O]`` which pairs it wins, ties and loses."""
        key = tuple(sorted(cards))
        if key not in self._outcomes:
            board = [*self.spot.board, *cards]
            strengths = [
                np.array([0 if set(c) & set(board) else strength([*c, *board]) for c in combos])
                for combos in self.combos
            ]
            ahead = np.sign(strengths[0][:, None] - strengths[1])
            oop = [self.meets * (ahead == sign) * 1.0 for sign in (1, 0, -1)]
            self._outcomes[key] = oop, [pairs.T for pairs in reversed(oop)]
        return self._outcomes[key]
