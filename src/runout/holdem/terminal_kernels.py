"""Compiled values of folds and showdowns against a whole range, with card removal.

All terminals of a board share the order of strengths, so sixteen of them are swept at once as SIMD
lanes. Going up through the hands in order of strength, the opponent's hands that are passed are
added to a total and to a sum per card; what a hand beats is the total without the two sums of
its own cards. Going down gives what beats it. Rows are those of `Scratch`, padded for SIMD.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``n`` nodes.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int16Array, Int32Array, IntArray, Uint8Array
from runout.holdem import lane_kernels
from runout.holdem import lane_simd_kernels as lane_simd
from runout.holdem import simd_kernels as simd
from runout.holdem.lane_kernels import Transfer
from runout.jit import kernel

_LANES = simd.LANES
_LANE_ROW = simd.LANE_ROW_BYTES
_SUM_ROW = simd.SUM_ROW_BYTES
_NUM_CARDS = lane_simd.NUM_CARDS

#: What `value_nodes` computes.
FOLDS, SHOWDOWNS, RAKE = 0, 1, 2


class Meeting(NamedTuple):
    """Who can meet on a board, and who wins.

    Attributes:
        hero_cards: ``[H, 2]`` the cards of each hand.
        villain_cards: ``[O, 2]`` likewise.
        same: ``[H]`` the opponent's hand of the same two cards, -1 if it has none.
        holding: ``[52, 51]`` the opponent's hands that hold a card, the rest -1.
        hero_order: hero's hands that the board leaves possible, weakest first.
        hero_strength: their strengths.
        villain_order: the opponent's hands that the board leaves possible, weakest first.
        villain_strength: their strengths.
    """

    hero_cards: IntArray
    villain_cards: IntArray
    same: IntArray
    holding: IntArray
    hero_order: Int16Array
    hero_strength: Uint8Array
    villain_order: Int16Array
    villain_strength: Uint8Array


class Lanes(NamedTuple):
    """Working space of sixteen terminals.

    Attributes:
        reach: ``[O, 16]`` the opponent's reach.
        value: ``[H, 16]`` sums of reach; hands that the board blocks are 0.
        total: ``[16]`` float64.
        by_card: ``[52, 16]`` float64.
        transfer: from rows and back.
    """

    reach: Float32Array
    value: Float32Array
    total: FloatArray
    by_card: FloatArray
    transfer: Transfer


@kernel
def clear_values(out_lanes: Lanes) -> None:
    """Sets the values of all hands to 0, also of those that the next board blocks."""
    lane_simd.clear(np.int64(out_lanes.value.ctypes.data), out_lanes.value.nbytes)


@kernel
def value_nodes(
    what: int,
    nodes: Int32Array,
    reach_row: Int32Array,
    payoff: Float32Array,
    meeting: Meeting,
    reach: Float32Array,
    lanes: Lanes,
    out_value: Float32Array,
) -> None:
    """Writes the counterfactual values of terminals into their rows.

    Args:
        what: `FOLDS`, `SHOWDOWNS`, or `RAKE`, which adds to the values of showdowns.
        nodes: ``[k]`` the terminals.
        reach_row: ``[k]`` the row of each one's reach.
        payoff: ``[k]`` what hero wins at the fold, can win at the showdown, or pays whoever wins.
        meeting: the hands on this board.
        reach: ``[rows, O]`` the opponent's reach.
        lanes: working space, cleared once for a board.
        out_value: ``[n, H]``.
    """
    for begin in range(0, nodes.shape[0], _LANES):
        end = min(begin + _LANES, nodes.shape[0])
        lane_kernels.rows_to_lanes(reach_row[begin:end], reach, lanes.transfer, lanes.reach)
        if what == SHOWDOWNS:
            _compare_strengths(meeting, lanes)
        else:
            sum_reach(meeting, lanes)
        lane_kernels.lanes_to_rows(
            nodes[begin:end],
            payoff[begin:end],
            what == RAKE,
            lanes.value,
            lanes.transfer,
            out_value,
        )


@kernel
def _clear_sums(lanes: Lanes) -> None:
    simd.clear_sum(np.int64(lanes.total.ctypes.data))
    by_card = np.int64(lanes.by_card.ctypes.data)
    for card in range(_NUM_CARDS):
        simd.clear_sum(by_card + card * _SUM_ROW)


@kernel
def _compare_strengths(meeting: Meeting, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach that it beats minus the reach that beats it."""
    reach, value = np.int64(out_lanes.reach.ctypes.data), np.int64(out_lanes.value.ctypes.data)
    total, by_card = np.int64(out_lanes.total.ctypes.data), np.int64(out_lanes.by_card.ctypes.data)
    hero_cards, villain_cards = meeting.hero_cards, meeting.villain_cards
    hero_order, hero_strength = meeting.hero_order, meeting.hero_strength
    villain_order, villain_strength = meeting.villain_order, meeting.villain_strength
    num_hero, num_villain = hero_order.shape[0], villain_order.shape[0]
    _clear_sums(out_lanes)
    passed = 0
    for i in range(num_hero):
        while passed < num_villain and villain_strength[passed] < hero_strength[i]:
            other = np.int64(villain_order[passed])
            first = by_card + villain_cards[other, 0] * _SUM_ROW
            second = by_card + villain_cards[other, 1] * _SUM_ROW
            simd.add_hand(reach + other * _LANE_ROW, total, first, second)
            passed += 1
        hand = np.int64(hero_order[i])
        first = by_card + hero_cards[hand, 0] * _SUM_ROW
        second = by_card + hero_cards[hand, 1] * _SUM_ROW
        simd.set_unblocked(value + hand * _LANE_ROW, total, first, second)
    _clear_sums(out_lanes)
    passed = num_villain - 1
    for i in range(num_hero - 1, -1, -1):
        while passed >= 0 and villain_strength[passed] > hero_strength[i]:
            other = np.int64(villain_order[passed])
            first = by_card + villain_cards[other, 0] * _SUM_ROW
            second = by_card + villain_cards[other, 1] * _SUM_ROW
            simd.add_hand(reach + other * _LANE_ROW, total, first, second)
            passed -= 1
        hand = np.int64(hero_order[i])
        first = by_card + hero_cards[hand, 0] * _SUM_ROW
        second = by_card + hero_cards[hand, 1] * _SUM_ROW
        simd.subtract_unblocked(value + hand * _LANE_ROW, total, first, second)


@kernel
def sum_reach(meeting: Meeting, out_lanes: Lanes) -> None:
    """Sets each hand's value to the reach of all opposing hands that it can meet."""
    reach, value = np.int64(out_lanes.reach.ctypes.data), np.int64(out_lanes.value.ctypes.data)
    total, by_card = np.int64(out_lanes.total.ctypes.data), np.int64(out_lanes.by_card.ctypes.data)
    hero_cards, same, hero_order = meeting.hero_cards, meeting.same, meeting.hero_order
    holding, list_bytes = np.int64(meeting.holding.ctypes.data), meeting.holding[0].nbytes
    for card in range(_NUM_CARDS):
        simd.sum_listed(by_card + card * _SUM_ROW, reach, holding + card * list_bytes)
    simd.sum_halves(total, by_card, _NUM_CARDS)  # a hand has two cards
    for i in range(hero_order.shape[0]):
        hand = np.int64(hero_order[i])
        first = by_card + hero_cards[hand, 0] * _SUM_ROW
        second = by_card + hero_cards[hand, 1] * _SUM_ROW
        out = value + hand * _LANE_ROW
        if same[hand] >= 0:
            simd.set_unblocked_but_same(out, total, first, second, reach + same[hand] * _LANE_ROW)
        else:
            simd.set_unblocked(out, total, first, second)
