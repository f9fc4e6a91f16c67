"""The preflop game by pairs of hands: payoffs from the chips in the middle, values by walking."""

import numpy as np

from runout.cards.deck import matchup_weights
from runout.equity.matchups import preflop_table
from runout.trees.betting import BB, SB
from runout.trees.tree import FLOP, SHOWDOWN
from tests.reference import cfr as reference
from tests.reference.pair_cfr import PairGame, best_response_value, pair_value


def make_pair_game(tree, book):
    """Returns the game with what the small blind wins at every leaf, hand against hand."""
    weights = matchup_weights().astype(np.float64)
    equity = preflop_table().equities()
    flops = {leaf.node: leaf for leaf in tree.flop_leaves()}
    payoff = np.zeros((tree.num_nodes, *weights.shape))
    for node in range(tree.num_nodes):
        of_sb, of_bb = tree.invested[node]
        pot = of_sb + of_bb
        match tree.leaf_kind[node]:
            case kind if kind == SB:
                payoff[node] = -of_sb
            case kind if kind == BB:
                payoff[node] = of_bb
            case kind if kind == SHOWDOWN:
                payoff[node] = equity * pot - of_sb
            case kind if kind == FLOP:
                leaf = flops[node]
                payoff[node] = book.at_spr(leaf.spr).share_of_ip * pot - of_sb
    return PairGame(tree.layout, weights / weights.sum(), payoff)


def exploitability(game, strategy):
    """Returns the mean gain of a best response, in big blinds."""
    return sum(best_response_value(game, strategy, player) for player in (SB, BB)) / 2.0


def hand_value(game, strategy, player, node, hand):
    """Returns what a hand wins once a node is reached, NaN if the opponent never comes."""
    ones = np.ones(game.num_hands)
    reach = reference.own_reach(game.tree, 1 - player, strategy, ones, node)
    total, weight = 0.0, 0.0
    for other in range(game.num_hands):
        pair = (hand, other) if player == SB else (other, hand)
        chance = game.dealt[pair] * reach[other]
        gain = pair_value(game, strategy, pair, node)
        total += chance * (gain if player == SB else -gain)
        weight += chance
    return total / weight if weight > 0.0 else np.nan


def action_frequency(game, strategy, node):
    """Returns how often the action to a node is taken, one pair of hands after the other."""
    parent = int(game.tree.parent[node])
    actor = game.tree.actor[parent]
    ones = np.ones(game.num_hands)
    reach = [reference.own_reach(game.tree, p, strategy, ones, parent) for p in (SB, BB)]
    taken, possible = 0.0, 0.0
    for pair in game.pairs():
        chance = game.dealt[pair] * reach[SB][pair[SB]] * reach[BB][pair[BB]]
        possible += chance
        taken += chance * strategy[node, pair[actor]]
    return taken / possible
