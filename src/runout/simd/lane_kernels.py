"""Sixteen rows side by side: transposes and sums.

A *lane row* holds one number of each of sixteen rows, so that what is done to all of them for one
hand is one vector instruction: ``[w, 16]`` instead of ``[16, w]``. Long sums are in float64.

Rows may have two *marks* each, small numbers; rows that share a mark exclude each other.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from llvmlite import ir

from runout.arrays import Float32Array, Int16Array, Int32Array, IntArray, Uint8Array, Uint16Array
from runout.jit import inlined, kernel
from runout.simd.vector_kernels import (
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT64,
    LANES,
    choose,
    lane_vectorised,
    load,
    multiply_add,
    narrow,
    spread,
    store,
    widen,
)

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: Games whose shares are added at once.
GAMES_AT_ONCE = 4

#: Rows that are transposed at once, half of the lanes.
_TRANSPOSED = 8
_BLOCK = ir.VectorType(FLOAT, _TRANSPOSED)

_ZERO = np.float32(0.0)


class Marked(NamedTuple):
    """Some of the rows with two marks each.

    Attributes:
        order: their numbers.
        marks: ``[n, 2]`` the marks of all rows.
    """

    order: Int16Array
    marks: IntArray


class Ranked(NamedTuple):
    """Some of the rows, and the running sums that each needs.

    Attributes:
        order: their numbers.
        sums: ``[., 8]`` the numbers of the sums: of all rows, those with the first mark, those with
            the second, each below the row and up to it; then those of its marks at the end.
        same: ``[n]`` the other side's row with the same marks, -1 if there is none.
    """

    order: Int16Array
    sums: Int16Array
    same: IntArray


def _shuffle(code, left, right, indices):
    mask = ir.Constant(ir.VectorType(INT32, _TRANSPOSED), indices)
    return code.builder.shuffle_vector(left, right, mask)


def _transpose(code, rows):
    """Turns eight rows of eight numbers into eight columns, by three rounds of exchanges."""
    pairs = []
    for i in range(0, 8, 2):
        for indices in ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]):
            pairs.append(_shuffle(code, rows[i], rows[i + 1], indices))
    fours = []
    for i in (0, 1, 4, 5):
        for indices in ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]):
            fours.append(_shuffle(code, pairs[i], pairs[i + 2], indices))
    low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [
        _shuffle(code, fours[i], fours[i + 4], indices) for indices in (low, high) for i in range(4)
    ]


def _each_block(code, numbers, rows, lanes, body):
    """Calls ``body(first, addresses, offset, block)`` for eight numbers of up to eight rows.

    ``first`` counts lanes; the addresses are those of the rows, the last of which is repeated;
    ``block`` is the address of the half lane row of the first number.
    """
    row_bytes = code.times(rows.shape[-1], FLOAT_BYTES)

    def half(first):
        known = code.numbers_from(first, _TRANSPOSED, numbers.shape[0])
        addresses = [code.row(rows, code.number(numbers, i)) for i in known]
        start = code.at(lanes.start, code.times(first, FLOAT_BYTES))

        def each(offset):
            body(first, addresses, offset, code.at(start, code.times(offset, LANES)))

        code.each(row_bytes, each, step=_TRANSPOSED * FLOAT_BYTES)

    code.each(numbers.shape[0], half, step=_TRANSPOSED)


def _write_rows_to_lanes(code, numbers, rows, lanes):
    def transpose(first, addresses, offset, block):
        found = [code.load(code.at(row, offset), _BLOCK) for row in addresses]
        for i, column in enumerate(_transpose(code, found)):
            code.store(column, code.at(block, i * LANES * FLOAT_BYTES))

    _each_block(code, numbers, rows, lanes, transpose)


@lane_vectorised(_write_rows_to_lanes)
def rows_to_lanes(numbers: Int32Array, rows: Float32Array, out_lanes: Float32Array) -> None:
    """Transposes up to sixteen of ``rows[n, w]`` into ``out_lanes[w, 16]``.

    Lanes that are not used hold anything afterwards.
    """
    for lane in range(numbers.shape[0]):
        row = rows[numbers[lane]]
        for i in range(row.shape[0]):
            out_lanes[i, lane] = row[i]


def _write_lanes_to_rows(code, numbers, scales, adds, lanes, rows):
    builder, nowhere = code.builder, code.builder.ptrtoint(code.slot(_BLOCK), INT64)
    halves = [i * LANES * FLOAT_BYTES for i in range(_TRANSPOSED)]

    def transpose(is_added, first, addresses, offset, block):
        found = [code.load(code.at(block, half), _BLOCK) for half in halves]
        for i, row in enumerate(_transpose(code, found)):
            lane = code.at(first, i)
            is_used = builder.icmp_signed("<", lane, numbers.shape[0])
            scale = code.number(scales, builder.select(is_used, lane, code.whole(0)))
            scaled = builder.fmul(row, code.spread(scale, _BLOCK))
            out = builder.select(is_used, code.at(addresses[i], offset), nowhere)
            if is_added:
                scaled = builder.fadd(code.load(out, _BLOCK), scaled)
            code.store(scaled, out)

    code.either(
        adds,
        lambda is_added: _each_block(code, numbers, rows, lanes, partial(transpose, is_added)),
    )


@lane_vectorised(_write_lanes_to_rows)
def lanes_to_rows(
    numbers: Int32Array,
    scales: Float32Array,
    adds: bool,
    lanes: Float32Array,
    out_rows: Float32Array,
) -> None:
    """Transposes ``lanes[w, 16]`` into up to sixteen of ``out_rows[n, w]``, each times its scale.

    Args:
        numbers: of the rows.
        scales: of the rows.
        adds: whether rows are added to rather than set.
        lanes: what is transposed.
        out_rows: all other rows are left alone.
    """
    for lane in range(numbers.shape[0]):
        row, scale = out_rows[numbers[lane]], scales[lane]
        for i in range(row.shape[0]):
            scaled = lanes[i, lane] * scale
            row[i] = row[i] + scaled if adds else scaled


@inlined
def _load_or_nothing(lanes: Float32Array, number: int) -> Float32Array:
    """Returns the lane row of a number, zero for -1."""
    row: Float32Array = choose(number >= 0, load(lanes, max(number, 0)), spread(_ZERO))
    return row


@kernel
def sum_disjoint(
    lanes: Float32Array,
    theirs: Marked,
    own: Marked,
    same: IntArray,
    out_by_mark: Float32Array,
    out_value: Float32Array,
) -> None:
    """Sets the lane row of each of our rows to the sum of theirs that share no mark with it.

    Args:
        lanes: ``[O, 16]`` theirs.
        theirs: of which some are added up.
        own: of which some are set.
        same: ``[H]`` their row with the same marks, which both subtract, -1 if there is none.
        out_by_mark: ``[52, 16]`` the sum of theirs that have each mark.
        out_value: ``[H, 16]``.
    """
    nothing = spread(_ZERO)
    total = widen(nothing)
    for mark in range(out_by_mark.shape[0]):
        store(nothing, out_by_mark, mark)
    for i in range(theirs.order.shape[0]):
        hand = theirs.order[i]
        row, low, high = load(lanes, hand), theirs.marks[hand, 0], theirs.marks[hand, 1]
        total = total + widen(row)
        store(load(out_by_mark, low) + row, out_by_mark, low)
        store(load(out_by_mark, high) + row, out_by_mark, high)
    everything = narrow(total)
    for i in range(own.order.shape[0]):
        hand = own.order[i]
        low, high = load(out_by_mark, own.marks[hand, 0]), load(out_by_mark, own.marks[hand, 1])
        met = everything - low - high
        store(met + _load_or_nothing(lanes, same[hand]), out_value, hand)


@kernel
def compare_disjoint(
    lanes: Float32Array,
    theirs: Int16Array,
    places: Int16Array,
    own: Ranked,
    finds_met: bool,
    out_running: Float32Array,
    out_value: Float32Array,
    out_met: Float32Array,
) -> None:
    """Sets our rows to the sum of theirs below less that of theirs above, of those without a mark.

    Args:
        lanes: ``[O, 16]`` theirs.
        theirs: the numbers of some of them, lowest first.
        places: ``[., 2]`` the running sum that each makes of its marks, after the one before.
        own: our rows.
        finds_met: whether ``out_met`` is set, too.
        out_running: ``[3 O + 53, 16]`` running sums of all rows, then of each mark, of which the
            first is 0.
        out_value: ``[H, 16]``.
        out_met: ``[H, 16]`` the sum of all theirs without a mark.
    """
    total = widen(spread(_ZERO))
    for i in range(theirs.shape[0]):
        row = load(lanes, theirs[i])
        total = total + widen(row)
        store(narrow(total), out_running, i + 1)
        for side in range(2):
            store(load(out_running, places[i, side] - 1) + row, out_running, places[i, side])
    everything = narrow(total)
    for i in range(own.order.shape[0]):
        hand, at = own.order[i], own.sums[i]
        below = load(out_running, at[0]) - load(out_running, at[2]) - load(out_running, at[4])
        upto = load(out_running, at[1]) - load(out_running, at[3]) - load(out_running, at[5])
        anything = everything - load(out_running, at[6]) - load(out_running, at[7])
        store(below + upto - anything, out_value, hand)
        if finds_met:
            store(anything + _load_or_nothing(lanes, own.same[hand]), out_met, hand)


@kernel
def sum_by_bucket(
    lanes: Float32Array, order: Uint16Array, ends: Uint16Array, out: Float32Array
) -> None:
    """Sets the lane row of each bucket to the sum of those of its hands.

    Args:
        lanes: ``[hands, 16]``.
        order: ``[hands]`` their numbers, bucket by bucket.
        ends: ``[buckets]`` where each bucket's part of the order ends.
        out: ``[buckets, 16]``.
    """
    nothing, begin = spread(_ZERO), np.int64(0)
    for bucket in range(ends.shape[0]):
        one, two, three, four = nothing, nothing, nothing, nothing  # do not wait for each other
        end = np.int64(ends[bucket])
        rest = begin + ((end - begin) & -4)
        for i in range(begin, rest, 4):
            one, two = one + load(lanes, order[i]), two + load(lanes, order[i + 1])
            three, four = three + load(lanes, order[i + 2]), four + load(lanes, order[i + 3])
        for i in range(rest, end):
            one = one + load(lanes, order[i])
        store((one + two) + (three + four), out, bucket)
        begin = end


@kernel
def add_chosen(lanes: Float32Array, numbers: IntArray, out: Float32Array) -> None:
    """Adds the lane row of each of some numbers to the next of ``out[n, 16]``, nothing for -1."""
    for i in range(numbers.shape[0]):
        store(load(out, i) + _load_or_nothing(lanes, numbers[i]), out, i)


@kernel
def add_by_bucket(
    lanes: Float32Array,
    numbers: IntArray,
    buckets: Uint8Array,
    share: np.float32,
    out: Float32Array,
) -> None:
    """``out[bucket[h]] += share * lanes[h]`` for listed hands, -1 for none."""
    factor = spread(share)
    for hand in numbers:
        if hand >= 0:
            bucket = buckets[hand]
            store(multiply_add(load(lanes, hand), factor, load(out, bucket)), out, bucket)


@kernel
def add_met(
    mass: Float32Array,
    groups: Uint16Array,
    places: Uint16Array,
    shares: Float32Array,
    by_card: Float32Array,
    out: Float32Array,
) -> None:
    """``out[h] += shares[group[h]] * mass[h] + by_card[place[h, 0]] + by_card[place[h, 1]]``."""
    for hand in range(groups.shape[0]):
        low, high = load(by_card, places[hand, 0]), load(by_card, places[hand, 1])
        beyond = load(out, hand) + (low + high)
        store(multiply_add(load(shares, groups[hand]), load(mass, hand), beyond), out, hand)


@kernel
def subtract_held(
    mass: Float32Array,
    numbers: IntArray,
    buckets: Uint8Array,
    values: Float32Array,
    blocked: Float32Array,
    lanes: Float32Array,
    same: IntArray,
    out: Float32Array,
) -> None:
    """``out[h] -= values[bucket[h]] * (mass[h] - blocked + lanes[same[h]])`` for listed hands.

    Args:
        mass: ``[hands, 16]``.
        numbers: the hands', -1 for none.
        buckets: ``[hands]``.
        values: ``[buckets, 16]``.
        blocked: ``[1, 16]``.
        lanes: ``[., 16]`` theirs.
        same: ``[hands]`` their row of the same hand, -1 if there is none.
        out: ``[hands, 16]``.
    """
    less = load(blocked, 0)
    for hand in numbers:
        if hand >= 0:
            left = load(mass, hand) - less + _load_or_nothing(lanes, same[hand])
            store(load(out, hand) - load(values, buckets[hand]) * left, out, hand)


@kernel
def add_games(
    buckets: Uint8Array,
    cards: Uint8Array,
    ends: Uint16Array,
    values: Float32Array,
    blocked: Float32Array,
    num_cards: IntArray,
    out_shares: Float32Array,
    out_by_card: Float32Array,
) -> None:
    """Adds what groups win in some games: for each unit that they meet, and beyond that by card.

    ``shares[k] += num_cards * values[bucket[k]]``, and ``by_card[e] += values[bucket[k]] *
    blocked[card[e]]`` for each of the cards e of group k, game by game.

    Args:
        buckets: ``[games, groups]``.
        cards: the cards of groups, group by group.
        ends: ``[groups]`` where each one's cards end.
        values: ``[games, buckets, 16]``.
        blocked: ``[games, 52, 16]``.
        num_cards: ``[games]``.
        out_shares: ``[groups, 16]``.
        out_by_card: ``[cards of groups, 16]``.
    """
    if buckets.shape[0] == GAMES_AT_ONCE:
        _add_four_games(buckets, cards, ends, values, blocked, num_cards, out_shares, out_by_card)
        return
    for game in range(buckets.shape[0]):
        number, begin = spread(np.float32(num_cards[game])), np.int64(0)
        for group in range(ends.shape[0]):
            won, end = load(values[game], buckets[game, group]), np.int64(ends[group])
            store(multiply_add(won, number, load(out_shares, group)), out_shares, group)
            for entry in range(begin, end):
                met = load(blocked[game], cards[entry])
                store(multiply_add(won, met, load(out_by_card, entry)), out_by_card, entry)
            begin = end


@kernel
def _add_four_games(
    buckets: Uint8Array,
    cards: Uint8Array,
    ends: Uint16Array,
    values: Float32Array,
    blocked: Float32Array,
    num_cards: IntArray,
    out_shares: Float32Array,
    out_by_card: Float32Array,
) -> None:
    """Adds games whose values stay in registers."""
    times = num_cards.astype(np.float32)
    begin = np.int64(0)
    for group in range(ends.shape[0]):
        one, two = load(values[0], buckets[0, group]), load(values[1], buckets[1, group])
        three, four = load(values[2], buckets[2, group]), load(values[3], buckets[3, group])
        share = multiply_add(one, spread(times[0]), load(out_shares, group))
        share = multiply_add(two, spread(times[1]), share)
        share = multiply_add(three, spread(times[2]), share)
        store(multiply_add(four, spread(times[3]), share), out_shares, group)
        end = np.int64(ends[group])
        for entry in range(begin, end):
            card, total = cards[entry], load(out_by_card, entry)
            total = multiply_add(one, load(blocked[0], card), total)
            total = multiply_add(two, load(blocked[1], card), total)
            total = multiply_add(three, load(blocked[2], card), total)
            store(multiply_add(four, load(blocked[3], card), total), out_by_card, entry)
        begin = end
