"""Compiled values of folds and showdowns against a whole range, with card removal.

All terminals of a board share the order of strengths, so sixteen of them are valued at once as SIMD
lanes. Going up through the opponent's hands in order of strength, *running sums* are kept: of all
hands so far, and for each card of those that hold it. What a hand beats is the running sum before
the hands that it ties with, less those of its two cards; what it does not lose to is the same
after them; what it meets is the same at the end. Where a hand finds its sums depends on the board
only (`find_sums`), so that nothing is compared and no branch is taken while reach is added.

A fold pays the same against every hand. Where hero can fold or call, both are worth what follows
from one set of sums.

**Rounding.** The sum of all hands is in float64, those of a card, at most 51 hands, in float32.
With ``B`` the reach that holds one of a hand's cards and ``T`` all reach, what a hand meets, beats
or loses to is wrong by at most ``2**-24 * (50 * B + 4 * T)``, and what it wins by three times that.
A hand that ties with all hands wins exactly nothing.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``n`` nodes.
"""

from typing import Annotated, NamedTuple

import numpy as np

from runout.arrays import Float32Array, Int16Array, IntArray, Uint8Array
from runout.holdem.street_kernels import Forest, Lanes, Scratch, Terminals
from runout.jit import inlined, kernel
from runout.simd import lane_kernels, product_kernels, vector_kernels
from runout.simd.lane_kernels import load_or_nothing
from runout.simd.vector_kernels import load, narrow, spread, store, widen

_LANES = vector_kernels.LANES
_ZERO = np.float32(0.0)


class Hands(NamedTuple):
    """The hands of both players, numbered apart; rows are padded to a multiple of sixteen.

    Attributes:
        hero_cards: the cards of hero's hands.
        villain_cards: the cards of the opponent's hands.
        same: the opponent's hand of the same two cards, or -1.
        holding: the opponent's hands that hold a card, the rest -1.
        image: the hero's hand that each renaming of suits takes to each hand.
    """

    hero_cards: Annotated[IntArray, "H", 2]
    villain_cards: Annotated[IntArray, "O", 2]
    same: Annotated[IntArray, "H"]
    holding: Annotated[IntArray, 52, 51]
    image: Annotated[IntArray, 24, "H"]


class Matchups(NamedTuple):
    """The hands that can meet on a board, and their order of strength.

    Attributes:
        hands: all hands.
        hero_order: hero's hands that the board leaves possible, weakest first.
        hero_sums: ``[., 8]`` the rows of `Lanes.running` that each needs: of all hands, of its
            first card, of its second, each before the hands that it ties with and after them; then
            those of its cards at the end; empty before the river.
        villain_order: the opponent's hands that the board leaves possible, weakest first.
        villain_sums: ``[., 2]`` the rows of the sums by card that each makes; empty before the
            river.
    """

    hands: Hands
    hero_order: Int16Array
    hero_sums: Int16Array
    villain_order: Int16Array
    villain_sums: Int16Array


@kernel
def find_sums(
    strengths: tuple[Uint8Array, Uint8Array],
    orders: tuple[Int16Array, Int16Array],
    numbers: tuple[IntArray, IntArray],
    cards: tuple[IntArray, IntArray],
    first_sum: IntArray,
    out_hero: Int16Array,
    out_villain: Int16Array,
) -> None:
    """Finds the running sums of `Matchups` that hands make and need on each of ``K`` boards.

    Pairs are of hero and the opponent: strengths ``[K, .]`` of hands in order, the hands, the
    numbers ``[K]`` of possible ones, and the cards ``[H, 2]`` of all. ``first_sum[52]`` is the row
    before the first running sum of each card; outputs are ``[K, ., 8]`` and ``[K, ., 2]``.
    """
    hero_cards, villain_cards = cards
    for board in range(numbers[0].shape[0]):
        num_hero, num_villain = numbers[0][board], numbers[1][board]
        hero, villain = orders[0][board], orders[1][board]
        hero_strength, villain_strength = strengths[0][board], strengths[1][board]
        last = first_sum.copy()
        for i in range(num_villain):
            for side in range(2):
                card = villain_cards[villain[i], side]
                last[card] += 1
                out_villain[board, i, side] = last[card]
        below, upto = first_sum.copy(), first_sum.copy()
        num_below, num_upto = 0, 0
        for i in range(num_hero):
            while num_below < num_villain and villain_strength[num_below] < hero_strength[i]:
                for side in range(2):
                    below[villain_cards[villain[num_below], side]] += 1
                num_below += 1
            while num_upto < num_villain and villain_strength[num_upto] <= hero_strength[i]:
                for side in range(2):
                    upto[villain_cards[villain[num_upto], side]] += 1
                num_upto += 1
            sums = out_hero[board, i]
            sums[0], sums[1] = num_below, num_upto
            for side in range(2):
                card = hero_cards[hero[i], side]
                sums[2 + 2 * side], sums[3 + 2 * side] = below[card], upto[card]
                sums[6 + side] = last[card]


@kernel
def clear_values(out_lanes: Lanes) -> None:
    """Sets the values of all hands to 0, also of those that the next board blocks."""
    out_lanes.value[:] = np.float32(0.0)
    out_lanes.met[:] = np.float32(0.0)


@inlined
def value_folds(folds: Terminals, adds: bool, matchups: Matchups, out_scratch: Scratch) -> None:
    """Writes winnings that do not depend on the opponent's hand, as at folds, into rows, or adds.

    Lanes of ``out_scratch`` are cleared once for a board.
    """
    lanes = out_scratch.lanes
    for begin in range(0, folds.node.shape[0], _LANES):
        end = min(begin + _LANES, folds.node.shape[0])
        lane_kernels.rows_to_lanes(folds.row[begin:end], out_scratch.reach, lanes.reach)
        sum_reach(matchups, lanes)
        node, payoff = folds.node[begin:end], folds.payoff[begin:end]
        lane_kernels.lanes_to_rows(node, payoff, adds, lanes.value, out_scratch.value)


@inlined
def _part_of(terminals: Terminals, begin: int, end: int) -> Terminals:
    node, row, payoff = terminals
    return Terminals(node[begin:end], row[begin:end], payoff[begin:end])


@kernel
def value_all_ins(
    forest: Forest, net_wins: Float32Array, matchups: Matchups, out_scratch: Scratch
) -> None:
    """Values the showdowns of a settled street by the ``net_wins[P, O, W]`` of its board."""
    node, row, stake = forest.showdowns
    won = np.empty((node.shape[0], net_wins.shape[0] * net_wins.shape[2]), np.float32)
    product_kernels.multiply_rows(out_scratch.reach, row, net_wins, won)
    for i in range(node.shape[0]):
        of_hands, value = won[i], out_scratch.value[node[i]]
        for hand in range(value.shape[0]):
            value[hand] = stake[i] * of_hands[hand]
    if forest.rake.size > 0:
        value_folds(Terminals(node, row, forest.rake), True, matchups, out_scratch)


@inlined
def value_terminals(forest: Forest, group: int, matchups: Matchups, out_scratch: Scratch) -> None:
    """Values the folds and showdowns of a group of a river."""
    bounds = forest.group[group]
    middle, begin, end = bounds[4] + bounds[9], bounds[6], bounds[7]
    showdowns = _part_of(forest.showdowns, begin, end)
    with_reach = _part_of(forest.folds, bounds[4], middle)
    value_showdowns(showdowns, forest.rake[begin:end], with_reach, matchups, out_scratch)
    value_folds(_part_of(forest.folds, middle, bounds[5]), False, matchups, out_scratch)


@inlined
def value_showdowns(
    showdowns: Terminals,
    rake: Float32Array,
    folds: Terminals,
    matchups: Matchups,
    out_scratch: Scratch,
) -> None:
    """Writes winnings at showdowns, and instead by folding, into their rows.

    Args:
        rake: ``[k]`` hero's gain there whichever hand wins; empty without rake.
        folds: nodes with the same reach as the first of the showdowns, one after the other.
    """
    num_showdowns, num_folds, is_raked = showdowns.node.shape[0], folds.node.shape[0], rake.size > 0
    lanes, value = out_scratch.lanes, out_scratch.value
    for begin in range(0, num_showdowns, _LANES):
        end, last_fold = min(begin + _LANES, num_showdowns), min(begin + _LANES, num_folds)
        lane_kernels.rows_to_lanes(showdowns.row[begin:end], out_scratch.reach, lanes.reach)
        compare_hands(matchups, is_raked or begin < last_fold, lanes)
        node, payoff = showdowns.node[begin:end], showdowns.payoff[begin:end]
        lane_kernels.lanes_to_rows(node, payoff, False, lanes.value, value)
        if is_raked:
            lane_kernels.lanes_to_rows(node, rake[begin:end], True, lanes.met, value)
        if begin < last_fold:
            node, payoff = folds.node[begin:last_fold], folds.payoff[begin:last_fold]
            lane_kernels.lanes_to_rows(node, payoff, False, lanes.met, value)


@kernel
def sum_reach(matchups: Matchups, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach of all opposing hands that it can meet."""
    hands, reach, by_card = matchups.hands, out_lanes.reach, out_lanes.by_card
    cards = hands.villain_cards
    nothing = spread(_ZERO)
    total = widen(nothing)
    for card in range(by_card.shape[0]):
        store(nothing, by_card, card)
    for hand in matchups.villain_order:
        row, low, high = load(reach, hand), cards[hand, 0], cards[hand, 1]
        total = total + widen(row)
        store(load(by_card, low) + row, by_card, low)
        store(load(by_card, high) + row, by_card, high)
    everything, cards = narrow(total), hands.hero_cards
    for hand in matchups.hero_order:
        met = everything - load(by_card, cards[hand, 0]) - load(by_card, cards[hand, 1])
        # Both subtract the hand of the same two cards.
        store(met + load_or_nothing(reach, hands.same[hand]), out_lanes.value, hand)


@kernel
def compare_hands(matchups: Matchups, finds_met: bool, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach that it beats less the reach that beats it.

    ``finds_met`` sets `Lanes.met`, too.
    """
    reach, running, places = out_lanes.reach, out_lanes.running, matchups.villain_sums
    total = widen(spread(_ZERO))
    for i in range(matchups.villain_order.shape[0]):
        row = load(reach, matchups.villain_order[i])
        total = total + widen(row)
        store(narrow(total), running, i + 1)
        for side in range(2):
            store(load(running, places[i, side] - 1) + row, running, places[i, side])
    everything = narrow(total)
    for i in range(matchups.hero_order.shape[0]):
        hand, at = matchups.hero_order[i], matchups.hero_sums[i]
        below = load(running, at[0]) - load(running, at[2]) - load(running, at[4])
        upto = load(running, at[1]) - load(running, at[3]) - load(running, at[5])
        met = everything - load(running, at[6]) - load(running, at[7])
        store(below + upto - met, out_lanes.value, hand)
        if finds_met:
            store(met + load_or_nothing(reach, matchups.hands.same[hand]), out_lanes.met, hand)
