"""Twins of the MCCFR kernels: whole numbers without limits, recursion, one deal at a time."""

from collections.abc import Callable, Sequence

import numpy as np

from runout.trees.layout import LEAF, TreeArrays
from tests.reference import equity as equity_reference

_WORD = 2**64


class SplitMix64:
    """Steele, Lea & Flood (2014), with Python's integers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next_word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % _WORD
        word = self.state
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % _WORD
        return word ^ (word >> 31)

    def uniform(self) -> float:
        return (self.next_word() >> 11) / 2**53


def deal_cards(deck: Sequence[int], uniform: Callable[[], float], num_deals: int, num_cards: int):
    """Returns rows of cards; a drawn card changes places with the first one not yet drawn."""
    left = list(deck)
    deals = []
    for _ in range(num_deals):
        for i in range(num_cards):
            chosen = i + int(uniform() * (len(left) - i))
            left[i], left[chosen] = left[chosen], left[i]
        deals.append(left[:num_cards])
    return np.array(deals)


def matched(regrets: Sequence[float]) -> list[float]:
    """Returns probabilities in proportion to positive regrets, equal ones if there are none."""
    positive = [max(regret, 0.0) for regret in regrets]
    total = sum(positive)
    if total == 0.0:
        return [1.0 / len(regrets)] * len(regrets)
    return [regret / total for regret in positive]


class Traversal:
    """One walk of external sampling, as the paper tells it: a recursion over one deal.

    Tables are ``[H, N]``. The opponent's choices are made beforehand, in the order in which nodes
    are numbered, because that is the order in which the kernel draws its random numbers.
    """

    def __init__(self, tree: TreeArrays, player: int, hands, leaf_value, regret, strategy_sum):
        self.tree = tree
        self.player = player
        self.mine, self.theirs = hands[player], hands[1 - player]
        self.leaf_value = leaf_value
        self.regret = regret
        self.strategy_sum = strategy_sum
        self.choice: dict[int, int] = {}

    def run(self, uniform: Callable[[], float]) -> float:
        reached = {0}
        for node in range(self.tree.num_nodes):
            if node not in reached or self.tree.actor[node] == LEAF:
                continue
            children = list(self.tree.children(node))
            if self.tree.actor[node] == self.player:
                reached |= set(children)
            else:
                played = matched(self.regret[self.theirs, children])
                ends = np.cumsum(played)
                position = min(int(np.sum(ends <= uniform())), len(children) - 1)
                self.choice[node] = children[position]
                reached.add(children[position])
        return self.value(0)

    def value(self, node: int) -> float:
        if self.tree.actor[node] == LEAF:
            return self.leaf_value(node)
        children = list(self.tree.children(node))
        if self.tree.actor[node] != self.player:
            self.strategy_sum[self.theirs, children] += matched(self.regret[self.theirs, children])
            return self.value(self.choice[node])
        played = matched(self.regret[self.mine, children])
        values = np.array([self.value(child) for child in children])
        mean = float(np.dot(played, values))
        self.regret[self.mine, children] += values - mean
        return mean


def discount_tables(tree: TreeArrays, player: int, weights, regret, strategy_sum):
    """Returns both tables after scaling the player's regrets and the opponent's strategies."""
    regret, strategy_sum = regret.copy(), strategy_sum.copy()
    for hand in range(len(regret)):
        for node in range(tree.num_nodes):
            for child in tree.children(node):
                if tree.actor[node] != player:
                    strategy_sum[hand, child] *= weights.strategy
                elif regret[hand, child] > 0:
                    regret[hand, child] *= weights.positive_regret
                else:
                    regret[hand, child] *= weights.negative_regret
    return regret, strategy_sum


def count_wins_by_hand(hero, villain, runouts, combos, hand_by_combo, num_hands):
    """Returns ``[H, H]`` wins over the chosen runouts, with whole matrices of combos."""
    wins = np.zeros((len(combos), len(combos)), dtype=np.int64)
    for runout in runouts:
        wins += hero[runout][:, None] > villain[runout]
    disjoint_wins = equity_reference.clear_blocked_pairs(combos, wins)
    return equity_reference.sum_by_hand(disjoint_wins, hand_by_combo, num_hands)
