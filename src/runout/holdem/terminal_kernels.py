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
A hand that ties with everybody wins exactly nothing.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``n`` nodes.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, Int16Array, Int32Array, IntArray, Uint8Array
from runout.jit import kernel
from runout.simd import lane_kernels, product_kernels, vector_kernels
from runout.simd.lane_kernels import Marked, Ranked

_LANES = vector_kernels.LANES

#: Running sums that a hand needs: of all hands, of its first card, of its second, each before the
#: hands that it ties with and after them; then those of its cards at the end.
SUMS_OF_HAND = 8


class Meeting(NamedTuple):
    """Who can meet on a board, and who wins.

    Attributes:
        hero_cards: ``[H, 2]`` the cards of each hand.
        villain_cards: ``[O, 2]`` likewise.
        same: ``[H]`` the opponent's hand of the same two cards, -1 if it has none.
        hero_order: hero's hands that the board leaves possible, weakest first.
        hero_sums: ``[., 8]`` the rows of `Lanes.running` that each needs; empty before the river.
        villain_order: the opponent's hands that the board leaves possible, weakest first.
        villain_sums: ``[., 2]`` the rows of the sums by card that each makes; empty before the
            river.
    """

    hero_cards: IntArray
    villain_cards: IntArray
    same: IntArray
    hero_order: Int16Array
    hero_sums: Int16Array
    villain_order: Int16Array
    villain_sums: Int16Array


class Lanes(NamedTuple):
    """Working space of sixteen terminals.

    Attributes:
        reach: ``[O, 16]`` the opponent's reach.
        value: ``[H, 16]`` sums of reach; hands that the board blocks are 0.
        met: ``[H, 16]`` the reach that hands meet at showdowns; blocked hands are 0.
        by_card: ``[52, 16]`` the reach that holds a card.
        running: ``[3 O + 53, 16]`` running sums of all hands and of each card, whose
            first rows stay 0; one such row before the river.
    """

    reach: Float32Array
    value: Float32Array
    met: Float32Array
    by_card: Float32Array
    running: Float32Array


class Ends(NamedTuple):
    """Folds, or showdowns.

    Attributes:
        node: ``[k]`` the nodes.
        row: ``[k]`` the row of each one's reach.
        payoff: ``[k]`` what hero wins at the fold, or can win at the showdown.
    """

    node: Int32Array
    row: Int32Array
    payoff: Float32Array


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
    """Finds the running sums that hands make and need on each of ``K`` boards.

    Args:
        strengths: ``[K, .]`` of hero's and the opponent's hands, in order.
        orders: ``[K, .]`` the hands.
        numbers: ``[K]`` how many are possible.
        cards: ``[H, 2]`` and ``[O, 2]``.
        first_sum: ``[52]`` the row before the first running sum of each card.
        out_hero: ``[K, ., 8]`` as in `Meeting`.
        out_villain: ``[K, ., 2]`` as in `Meeting`.
    """
    for board in range(numbers[0].shape[0]):
        num_hero, num_villain = numbers[0][board], numbers[1][board]
        _find_sums_on_board(
            (strengths[0][board][:num_hero], strengths[1][board][:num_villain]),
            (orders[0][board][:num_hero], orders[1][board][:num_villain]),
            cards,
            first_sum,
            out_hero[board],
            out_villain[board],
        )


@kernel
def _find_sums_on_board(
    strengths: tuple[Uint8Array, Uint8Array],
    orders: tuple[Int16Array, Int16Array],
    cards: tuple[IntArray, IntArray],
    first_sum: IntArray,
    out_hero: Int16Array,
    out_villain: Int16Array,
) -> None:
    hero_strength, villain_strength = strengths
    hero, villain = orders
    hero_cards, villain_cards = cards
    last = first_sum.copy()
    for i in range(villain.shape[0]):
        for side in range(2):
            card = villain_cards[villain[i], side]
            last[card] += 1
            out_villain[i, side] = last[card]
    below, upto = first_sum.copy(), first_sum.copy()
    num_below, num_upto = 0, 0
    for i in range(hero.shape[0]):
        while num_below < villain.shape[0] and villain_strength[num_below] < hero_strength[i]:
            for side in range(2):
                below[villain_cards[villain[num_below], side]] += 1
            num_below += 1
        while num_upto < villain.shape[0] and villain_strength[num_upto] <= hero_strength[i]:
            for side in range(2):
                upto[villain_cards[villain[num_upto], side]] += 1
            num_upto += 1
        out_hero[i, 0], out_hero[i, 1] = num_below, num_upto
        for side in range(2):
            card = hero_cards[hero[i], side]
            out_hero[i, 2 + 2 * side], out_hero[i, 3 + 2 * side] = below[card], upto[card]
            out_hero[i, 6 + side] = last[card]


@kernel
def clear_values(out_lanes: Lanes) -> None:
    """Sets the values of all hands to 0, also of those that the next board blocks."""
    out_lanes.value[:] = np.float32(0.0)
    out_lanes.met[:] = np.float32(0.0)


@kernel
def value_folds(
    folds: Ends,
    adds: bool,
    meeting: Meeting,
    reach: Float32Array,
    lanes: Lanes,
    out_value: Float32Array,
) -> None:
    """Writes what hero's hands win whatever the opponent holds, as at folds, into rows.

    Args:
        folds: the nodes.
        adds: whether it is added to what is there.
        meeting: the hands on this board.
        reach: ``[rows, O]`` the opponent's reach.
        lanes: working space, cleared once for a board.
        out_value: ``[n, H]``.
    """
    for begin in range(0, folds.node.shape[0], _LANES):
        end = min(begin + _LANES, folds.node.shape[0])
        lane_kernels.rows_to_lanes(folds.row[begin:end], reach, lanes.reach)
        sum_reach(meeting, lanes)
        node, payoff = folds.node[begin:end], folds.payoff[begin:end]
        lane_kernels.lanes_to_rows(node, payoff, adds, lanes.value, out_value)


@kernel
def value_all_ins(
    showdowns: Ends,
    rake: Float32Array,
    net_wins: Float32Array,
    meeting: Meeting,
    reach: Float32Array,
    lanes: Lanes,
    out_value: Float32Array,
) -> None:
    """Writes what hero's hands win at showdowns before the river into their rows.

    Args:
        showdowns: the nodes.
        rake: ``[k]`` what hero gains there whoever wins; empty without rake.
        net_wins: ``[P, O, W]`` by the opponent's hand and hero's, as panels.
        meeting: the hands on this board.
        reach: ``[rows, O]`` the opponent's reach.
        lanes: working space, cleared once for a board.
        out_value: ``[n, H]``.
    """
    num_showdowns = showdowns.node.shape[0]
    won = np.empty((num_showdowns, net_wins.shape[0] * net_wins.shape[2]), np.float32)
    product_kernels.multiply_rows(reach, showdowns.row, net_wins, won)
    for i in range(num_showdowns):
        of_hands, value, stake = won[i], out_value[showdowns.node[i]], showdowns.payoff[i]
        for hand in range(value.shape[0]):
            value[hand] = stake * of_hands[hand]
    if rake.size > 0:
        value_folds(
            Ends(showdowns.node, showdowns.row, rake), True, meeting, reach, lanes, out_value
        )


@kernel
def value_showdowns(
    showdowns: Ends,
    rake: Float32Array,
    folds: Ends,
    meeting: Meeting,
    reach: Float32Array,
    lanes: Lanes,
    out_value: Float32Array,
) -> None:
    """Writes what hero's hands win at showdowns, and instead by folding, into their rows.

    Args:
        showdowns: the nodes.
        rake: ``[k]`` what hero gains there whoever wins; empty without rake.
        folds: nodes with the same reach as the first of the showdowns, one after the other.
        meeting: the hands on this board.
        reach: ``[rows, O]`` the opponent's reach.
        lanes: working space, cleared once for a board.
        out_value: ``[n, H]``.
    """
    num_showdowns, num_folds, is_raked = showdowns.node.shape[0], folds.node.shape[0], rake.size > 0
    for begin in range(0, num_showdowns, _LANES):
        end, last_fold = min(begin + _LANES, num_showdowns), min(begin + _LANES, num_folds)
        lane_kernels.rows_to_lanes(showdowns.row[begin:end], reach, lanes.reach)
        _compare_strengths(meeting, is_raked or begin < last_fold, lanes)
        node, payoff = showdowns.node[begin:end], showdowns.payoff[begin:end]
        lane_kernels.lanes_to_rows(node, payoff, False, lanes.value, out_value)
        if is_raked:
            lane_kernels.lanes_to_rows(node, rake[begin:end], True, lanes.met, out_value)
        if begin < last_fold:
            node, payoff = folds.node[begin:last_fold], folds.payoff[begin:last_fold]
            lane_kernels.lanes_to_rows(node, payoff, False, lanes.met, out_value)


@kernel
def _compare_strengths(meeting: Meeting, finds_met: bool, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach that it beats minus the reach that beats it.

    Args:
        meeting: the hands on this board.
        finds_met: whether ``met`` is set, too.
        out_lanes: value, met, and running sums.
    """
    lane_kernels.compare_disjoint(
        out_lanes.reach,
        meeting.villain_order,
        meeting.villain_sums,
        Ranked(meeting.hero_order, meeting.hero_sums, meeting.same),
        finds_met,
        out_lanes.running,
        out_lanes.value,
        out_lanes.met,
    )


@kernel
def sum_reach(meeting: Meeting, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach of all opposing hands that it can meet."""
    lane_kernels.sum_disjoint(
        out_lanes.reach,
        Marked(meeting.villain_order, meeting.villain_cards),
        Marked(meeting.hero_order, meeting.hero_cards),
        meeting.same,
        out_lanes.by_card,
        out_lanes.value,
    )
