"""The 169-hand game with its cards really dealt: turn and river are enumerated at chance nodes.

A deal is two combos, a turn and a river card, all distinct and equally likely. Nothing is averaged
beforehand: whenever the betting moves to the next street, the walk goes on once for every card.
Strategies are ``[N, H]``: they do not look at the cards.
"""

from itertools import combinations

import numpy as np

from runout.cards.deck import COMBOS_BY_HAND, combo_cards
from runout.trees.betting import Street
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN
from tests.reference.cfr import match_regrets
from tests.reference.showdowns import strength

NUM_PAIRS = 1176 * 1081
NUM_TURNS, NUM_RIVERS = 45, 44


class RunoutGame:
    """Showdowns between a few hands on every runout of a flop."""

    def __init__(self, flop, hands):
        self.flop = tuple(flop)
        self.hands = list(hands)
        self.deck = [card for card in range(52) if card not in self.flop]
        self._combos = [
            (n, cards)
            for n, hand in enumerate(hands)
            for cards in map(combo_cards, COMBOS_BY_HAND[hand])
            if not set(cards) & set(self.flop)
        ]
        self._payoff = {
            runout: self._count(runout, self._sign(runout)) for runout in combinations(self.deck, 2)
        }
        self._pairs = {cards: self._count(cards) for cards in self._known_cards()}

    def _known_cards(self):
        return [(), *((card,) for card in self.deck), *combinations(self.deck, 2)]

    def _sign(self, runout):
        """Returns ``[combos, combos]`` 1 where the row beats the column, -1 where it loses."""
        values = np.array(
            [
                0 if set(combo) & set(runout) else strength([*combo, *self.flop, *runout])
                for _, combo in self._combos
            ]
        )
        return np.sign(values[:, None] - values)

    def _count(self, dead, by_pair=None):
        """Returns ``[H, H]`` sums over the pairs of combos that share no card and none of dead."""
        total = np.zeros((len(self.hands), len(self.hands)), dtype=np.int64)
        for a, (hand, mine) in enumerate(self._combos):
            for b, (other, theirs) in enumerate(self._combos):
                if len({*mine, *theirs, *dead}) == 4 + len(dead):
                    total[hand, other] += 1 if by_pair is None else by_pair[a, b]
        return total

    def wins_minus_losses(self, runout):
        """Returns ``[H, H]`` for the row against the column on one runout, over combo pairs."""
        return self._payoff[tuple(sorted(runout))]

    def num_pairs(self, known_cards):
        """Returns ``[H, H]`` combo pairs that the flop and the known cards leave possible."""
        return self._pairs[tuple(sorted(known_cards))]

    def runouts(self):
        """Returns the 1,176 unordered runouts."""
        return list(combinations(self.deck, 2))


def chance_of_deal(num_known_cards):
    """Returns the probability of one combo pair and the first turn and river cards known."""
    return 1.0 / NUM_PAIRS / (1, NUM_TURNS, NUM_TURNS * NUM_RIVERS)[num_known_cards]


class RunoutCfr:
    """CFR with alternating updates that walks through the chance nodes."""

    def __init__(self, tree, game):
        self.tree, self.game = tree, game
        shape = (tree.num_nodes, len(game.hands))
        self.regret, self.strategy_sum = np.zeros(shape), np.zeros(shape)

    def average_strategy(self):
        return self._matched(self.strategy_sum)

    def _matched(self, source):
        both = [match_regrets(self.tree.layout, player, source) for player in (0, 1)]
        return np.where(np.isnan(both[0]), both[1], both[0])

    def iterate(self, weights):
        for player in (0, 1):
            strategy = self._matched(self.regret)
            gained, reached = np.zeros_like(self.regret), np.zeros_like(self.regret)
            ones = np.ones(len(self.game.hands))
            self._visit(player, strategy, 0, ones, ones, (), gained, reached)
            decay = np.where(self.regret > 0.0, weights.positive_regret, weights.negative_regret)
            parent = self.tree.layout.parent
            is_own = ((parent >= 0) & (self.tree.layout.actor[parent] == player))[:, None]
            self.regret = np.where(is_own, self.regret * decay + gained, self.regret)
            self.strategy_sum = np.where(
                is_own, self.strategy_sum * weights.strategy + reached, self.strategy_sum
            )

    def root_value(self, player, strategy):
        """Returns ``[H]`` counterfactual values of both playing ``strategy``."""
        ones, unused = np.ones(len(self.game.hands)), np.zeros_like(self.regret)
        return self._visit(player, strategy, 0, ones, ones, (), unused, unused.copy())

    def _visit(self, player, strategy, node, mine, theirs, cards, gained, reached):
        """Returns ``[H]`` values of a node with the turn and river cards dealt so far."""
        if self.tree.leaf_kind[node] != NOT_A_LEAF:
            return self._leaf_value(player, node, theirs, cards)
        if len(cards) < self.tree.street[node] - Street.FLOP:
            rest = [card for card in self.game.deck if card not in cards]
            return sum(
                self._visit(player, strategy, node, mine, theirs, (*cards, card), gained, reached)
                for card in rest
            )
        is_own = self.tree.layout.actor[node] == player
        children, values = list(self.tree.layout.children(node)), []
        for child in children:
            my_reach = mine * strategy[child] if is_own else mine
            their_reach = theirs if is_own else theirs * strategy[child]
            values.append(
                self._visit(player, strategy, child, my_reach, their_reach, cards, gained, reached)
            )
            if is_own:
                reached[child] = my_reach  # the same whatever the cards
        if not is_own:
            return sum(values)
        value = sum(strategy[c] * v for c, v in zip(children, values, strict=True))
        for child, child_value in zip(children, values, strict=True):
            gained[child] += child_value - value
        return value

    def _leaf_value(self, player, node, theirs, cards):
        stake, kind = self.tree.leaf_stake[node], self.tree.leaf_kind[node]
        if kind != SHOWDOWN:
            gain = -stake if kind == player else stake
            pairs = self.game.num_pairs(cards)  # symmetric
            return gain * chance_of_deal(len(cards)) * (pairs @ theirs)
        if len(cards) < 2:  # all-in: the rest is dealt
            rest = [card for card in self.game.deck if card not in cards]
            return sum(self._leaf_value(player, node, theirs, (*cards, card)) for card in rest)
        payoff = self.game.wins_minus_losses(cards)  # antisymmetric, so the same for both players
        return stake * chance_of_deal(2) * (payoff @ theirs)
