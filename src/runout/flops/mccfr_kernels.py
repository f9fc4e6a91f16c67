"""Compiled parts of MCCFR: random numbers, deals, external-sampling traversals, sampled showdowns.

Random numbers come from SplitMix64 (Steele, Lea & Flood 2014): a counter and a hash of it. Its
state is one 64-bit word that the caller passes in, so a stream is whatever the caller says it is.

Shape letters: ``N`` nodes, ``H`` hands, ``D`` deals, ``R`` runouts, ``C`` combos. The tables here
are ``[H, N]``, unlike those of `runout.cfr`: a deal touches one hand of each player, many nodes.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint8Array, Uint64Array
from runout.cfr.cfr_kernels import Step
from runout.jit import inlined, kernel
from runout.trees.layout import TreeArrays

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_LEAF = -1
_BLOCKED_HERO = 0  # as in `equity_kernels`: weaker than everything
_MAX_BYTE_COUNT = 255  # boards that a one-byte counter can hold


class Deals(NamedTuple):
    """Sampled hands ``[D, 2]``, and ``[D]`` 1 if player 0 wins the showdown, 0 for a tie, or -1."""

    hands: IntArray
    outcome: FloatArray


class SampledTables(NamedTuple):
    """Discounted sums ``[H, N]`` of sampled regrets, and of strategies played at visited nodes.

    An entry belongs to the action that leads to the node.
    """

    regret: FloatArray
    strategy_sum: FloatArray


@inlined
def _next_uniform(state):  # type: ignore[no-untyped-def]
    """Advances ``state[1]`` and returns a number from 0 up to but not including 1."""
    state[0] += _STEP
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_A
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_B
    bits ^= bits >> np.uint64(31)
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def deal_cards(deck: Uint8Array, out_state: Uint64Array, out_cards: Uint8Array) -> None:
    """Deals each row of ``out_cards[D, n]`` from a freshly shuffled deck, without replacement."""
    left = deck.copy()
    num_cards = out_cards.shape[1]
    for deal in range(out_cards.shape[0]):
        for i in range(num_cards):
            # Whatever order earlier deals left the deck in, this one draws uniformly from it.
            chosen = i + int(_next_uniform(out_state) * (left.shape[0] - i))
            left[i], left[chosen] = left[chosen], left[i]
            out_cards[deal, i] = left[i]


@kernel
def discount_tables(tree: TreeArrays, player: int, step: Step, out_tables: SampledTables) -> None:
    """Scales what `traverse_deals` adds to: the player's regrets and the opponent's strategies."""
    for hand in range(out_tables.regret.shape[0]):
        regret, strategy_sum = out_tables.regret[hand], out_tables.strategy_sum[hand]
        for node in range(1, tree.parent.shape[0]):
            if tree.actor[tree.parent[node]] != player:
                strategy_sum[node] *= step.strategy
            elif regret[node] > 0.0:
                regret[node] *= step.positive_regret
            else:
                regret[node] *= step.negative_regret


@kernel
def traverse_deals(
    tree: TreeArrays,
    payoff: tuple[FloatArray, FloatArray],
    player: int,
    deals: Deals,
    out_state: Uint64Array,
    out_tables: SampledTables,
) -> None:
    """Walks the tree once per deal: all actions of ``player``, one sampled action of the opponent.

    A node is visited with the probability that chance and the opponent lead to it, which is the
    weight of its counterfactual values, so sampled regrets are added as they are. The opponent's
    own nodes are visited with its own reach, so its strategy is added there as it is, too. Each
    deal plays what the deals before it taught. The payoff is, ``[N]``, what player 0 wins at folds,
    and what winners of showdowns win; 0 elsewhere.
    """
    fold_gain, showdown_stake = payoff
    visited = np.empty(tree.actor.shape[0], dtype=np.int64)
    chosen = np.empty(tree.actor.shape[0], dtype=np.int64)
    value = np.empty(tree.actor.shape[0])
    played = np.empty(max(tree.num_children.max(), 1))
    sign = 1.0 if player == 0 else -1.0
    for deal in range(deals.outcome.shape[0]):
        outcome = deals.outcome[deal]
        mine, theirs = deals.hands[deal, player], deals.hands[deal, 1 - player]
        regret, their_regret = out_tables.regret[mine], out_tables.regret[theirs]
        their_sum = out_tables.strategy_sum[theirs]
        visited[0] = 0
        done, end = 0, 1
        while done < end:  # down: parents come before children
            node = visited[done]
            done += 1
            first, num_actions = tree.first_child[node], tree.num_children[node]
            if tree.actor[node] == player:
                for child in range(first, first + num_actions):
                    visited[end] = child
                    end += 1
            elif tree.actor[node] != _LEAF:
                _match_regrets(their_regret, first, num_actions, played)
                for action in range(num_actions):
                    their_sum[first + action] += played[action]
                chosen[node] = first + _sample(played, num_actions, _next_uniform(out_state))
                visited[end] = chosen[node]
                end += 1
        for position in range(end - 1, -1, -1):  # up: children come before parents
            node = visited[position]
            first, num_actions = tree.first_child[node], tree.num_children[node]
            if tree.actor[node] == player:
                _match_regrets(regret, first, num_actions, played)
                mean = 0.0
                for action in range(num_actions):
                    mean += played[action] * value[first + action]
                for action in range(num_actions):
                    regret[first + action] += value[first + action] - mean
                value[node] = mean
            elif tree.actor[node] != _LEAF:
                value[node] = value[chosen[node]]
            else:
                value[node] = sign * (fold_gain[node] + showdown_stake[node] * outcome)


@kernel
def _match_regrets(
    regret: FloatArray, first: int, num_actions: int, out_played: FloatArray
) -> None:
    """Sets the probabilities of a node's actions in proportion to their positive regrets."""
    total = 0.0
    for action in range(num_actions):
        out_played[action] = max(regret[first + action], 0.0)
        total += out_played[action]
    for action in range(num_actions):
        out_played[action] = out_played[action] / total if total > 0.0 else 1.0 / num_actions


@kernel
def _sample(played: FloatArray, num_actions: int, uniform: float) -> int:
    """Returns the action whose stretch of the probabilities, laid end to end, holds ``uniform``."""
    action = 0
    uniform -= played[0]
    while uniform >= 0.0 and action + 1 < num_actions:
        action += 1
        uniform -= played[action]
    while played[action] == 0.0:  # only rounding leads here
        action -= 1
    return action


@kernel
def count_wins_by_hand(
    hero: Uint8Array,
    villain: Uint8Array,
    runouts: IntArray,
    start: IntArray,
    blocked: IntArray,
    hands: tuple[int, int],
    out_wins: IntArray,
) -> None:
    """Counts the disjoint combo pairs and runouts in which the row's hand beats the column's.

    Args:
        hero, villain: ``[R, C]`` from `equity.board.rank_combos`, combos of a hand side by side.
        runouts: ``[n]`` the rows of ranks to count, none of them twice.
        start: ``[H + 1]`` the combos of hand h are ``start[h]:start[h + 1]``.
        blocked: ``[C, 95]`` the combos that share a card with each, itself included.
        hands: the first row of ``out_wins`` to fill, and the one after the last.
        out_wins: ``[H, H]``; the chosen rows are overwritten.
    """
    counts = np.empty(hero.shape[1], dtype=np.uint8)
    total = np.empty(hero.shape[1], dtype=np.uint32)
    for hand in range(hands[0], hands[1]):
        total[:] = 0
        for row in range(start[hand], start[hand + 1]):
            for begin in range(0, runouts.shape[0], _MAX_BYTE_COUNT):
                counts[:] = 0
                for i in range(begin, min(begin + _MAX_BYTE_COUNT, runouts.shape[0])):
                    rank, ranks = hero[runouts[i], row], villain[runouts[i]]
                    if rank != _BLOCKED_HERO:
                        for column in range(counts.shape[0]):
                            counts[column] += np.uint8(rank > ranks[column])
                for i in range(blocked.shape[1]):
                    counts[blocked[row, i]] = 0
                for column in range(counts.shape[0]):
                    total[column] += np.uint32(counts[column])
        wins = out_wins[hand]
        for other in range(start.shape[0] - 1):
            wins[other] = 0
            for column in range(start[other], start[other + 1]):
                wins[other] += np.int64(total[column])
