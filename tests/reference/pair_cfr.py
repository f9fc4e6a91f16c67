"""CFR as the textbooks write it: walk the tree for one pair of hands after the other.

Works on any two-player zero-sum tree without chance in it, given what every leaf pays to every
pair of hands. Strategies are ``[N, H]`` with an action in the row of the child that it leads to.
"""

from typing import NamedTuple

import numpy as np

from runout.trees.layout import TreeArrays
from tests.reference import cfr as reference


class PairGame(NamedTuple):
    """A game by its pairs of hands.

    Attributes:
        tree: who acts where.
        dealt: ``[H, H]`` probability that player 0 holds the row and player 1 the column.
        payoff: ``[N, H, H]`` what player 0 wins at a leaf.
    """

    tree: TreeArrays
    dealt: np.ndarray
    payoff: np.ndarray

    @property
    def num_hands(self):
        return len(self.dealt)

    def pairs(self):
        """Returns the pairs that can be dealt."""
        return [tuple(pair) for pair in np.argwhere(self.dealt > 0.0).tolist()]


def pair_value(game, strategy, pair, node=0):
    """Returns what player 0 wins from a node on with a pair of hands, nobody looking at both."""
    children = game.tree.children(node)
    if not children:
        return game.payoff[node, pair[0], pair[1]]
    hand = pair[game.tree.actor[node]]
    return sum(
        strategy[child, hand] * pair_value(game, strategy, pair, child) for child in children
    )


def game_value(game, strategy):
    """Returns what player 0 wins on average."""
    return sum(game.dealt[pair] * pair_value(game, strategy, pair) for pair in game.pairs())


def best_response_value(game, strategy, player):
    """Returns what ``player`` wins by the best action with every hand, not with every pair."""
    return sum(
        _best_with_hand(game, strategy, player, hand, _weights_against(game, player, hand), 0)
        for hand in range(game.num_hands)
    )


def _weights_against(game, player, hand):
    return game.dealt[hand] if player == 0 else game.dealt[:, hand]


def _best_with_hand(game, strategy, player, hand, weights, node):
    """The best sum over the opponent's hands, which arrive with ``weights``."""
    children = game.tree.children(node)
    if not children:
        wins = game.payoff[node, hand] if player == 0 else -game.payoff[node, :, hand]
        return weights @ wins
    if game.tree.actor[node] == player:
        return max(_best_with_hand(game, strategy, player, hand, weights, c) for c in children)
    return sum(
        _best_with_hand(game, strategy, player, hand, weights * strategy[c], c) for c in children
    )


def clairvoyant_value(game, strategy, player):
    """Returns what ``player`` would win by the best action with every *pair*: a known mistake."""

    def best(pair, node):
        children = game.tree.children(node)
        if not children:
            return game.payoff[(node, *pair)] * (1 if player == 0 else -1)
        if game.tree.actor[node] == player:
            return max(best(pair, child) for child in children)
        return sum(strategy[child, pair[1 - player]] * best(pair, child) for child in children)

    return sum(game.dealt[pair] * best(pair, 0) for pair in game.pairs())


class PairCfr:
    """Regrets and strategy sums of both players, learned pair by pair."""

    def __init__(self, game, is_simultaneous=False):
        self.game = game
        self.is_simultaneous = is_simultaneous
        shape = (game.tree.num_nodes, game.num_hands)
        self.regret, self.strategy_sum = np.zeros(shape), np.zeros(shape)
        self.strategy_delta = 1.0

    def current_strategy(self):
        return self._matched(self.regret)

    def average_strategy(self):
        return self._matched(self.strategy_sum)

    def _matched(self, source):
        of_player_0, of_player_1 = (
            reference.match_regrets(self.game.tree, player, source) for player in (0, 1)
        )
        return np.where(np.isnan(of_player_0), of_player_1, of_player_0)

    def nash_conv(self):
        average = self.average_strategy()
        return sum(best_response_value(self.game, average, player) for player in (0, 1))

    def iterate(self, weights, factor=1.0):
        """Discounts both tables by ``weights`` and adds ``factor`` times one iteration."""
        before = self.current_strategy()
        for player in (0, 1):
            played = before if self.is_simultaneous else self.current_strategy()
            is_positive = self.regret > 0.0
            decay = np.where(is_positive, weights.positive_regret, weights.negative_regret)
            is_own = self._is_action_of(player)[:, None]
            self.regret *= np.where(is_own, decay, 1.0)
            self.strategy_sum *= np.where(is_own, weights.strategy, 1.0)
            for pair in self.game.pairs():
                self._add_regrets(player, pair, played, factor * self.game.dealt[pair], 0)
            for hand in range(self.game.num_hands):
                self._add_strategy(player, hand, played, factor, 0)
        change = np.abs(self.current_strategy() - before)
        self.strategy_delta = np.nanmax(change)

    def _is_action_of(self, player):
        parent = self.game.tree.parent
        return (parent >= 0) & (self.game.tree.actor[parent] == player)

    def _add_regrets(self, player, pair, strategy, reach, node):
        """Adds the regrets of a pair; ``reach`` is the chance of the deal and the opponent's."""
        tree = self.game.tree
        for child in tree.children(node):
            actor = tree.actor[node]
            if actor == player:
                gain = pair_value(self.game, strategy, pair, child) - pair_value(
                    self.game, strategy, pair, node
                )
                self.regret[child, pair[player]] += reach * (gain if player == 0 else -gain)
            reach_of_child = reach * (1.0 if actor == player else strategy[child, pair[actor]])
            self._add_regrets(player, pair, strategy, reach_of_child, child)

    def _add_strategy(self, player, hand, strategy, reach, node):
        """Adds the strategy of a hand; ``reach`` is the player's own."""
        tree = self.game.tree
        for child in tree.children(node):
            reach_of_child = reach
            if tree.actor[node] == player:
                reach_of_child = reach * strategy[child, hand]
                self.strategy_sum[child, hand] += reach_of_child
            self._add_strategy(player, hand, strategy, reach_of_child, child)
