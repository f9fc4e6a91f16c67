"""Sixteen rows side by side: transposes and sums.

A *lane row* holds one number of each of sixteen rows, so that what is done to all of them for one
hand is one vector instruction: ``[w, 16]`` instead of ``[16, w]``. Long sums are in float64.

Rows may have two *marks* each, small numbers; rows that share a mark exclude each other.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from runout.arrays import Float32Array, Int16Array, Int32Array, IntArray, Uint8Array, Uint16Array
from runout.simd.vector_kernels import (
    DOUBLE,
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT64,
    LANES,
    lane_vectorised,
)

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: Games whose shares are added at once.
GAMES_AT_ONCE = 4

#: Sums that do not wait for each other.
_SUMS_AT_ONCE = 4

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


class _LaneSums:
    """Writes sums of lane rows."""

    def __init__(self, code):
        self.code, self.wide = code, ir.VectorType(DOUBLE, LANES)
        self.total = code.slot(self.wide)

    def add_to_total(self, row):
        """Adds a lane row in float64."""
        builder = self.code.builder
        total = builder.fadd(builder.load(self.total), builder.fpext(row, self.wide))
        builder.store(total, self.total)

    def rounded_total(self):
        """Returns the total as a lane row."""
        return self.code.builder.fptrunc(self.code.builder.load(self.total), self.code.vector)

    def without(self, total, sums, first, second):
        """Returns a sum without two others."""
        code, builder = self.code, self.code.builder
        for number in (first, second):
            total = builder.fsub(total, code.lane(sums, number))
        return total

    def add_same(self, row, lanes, same):
        """Returns a lane row and the one of a number, if it is one."""
        code, builder = self.code, self.code.builder
        is_row = builder.icmp_signed(">=", same, code.whole(0))
        found = code.lane(lanes, builder.select(is_row, same, code.whole(0)))
        return builder.fadd(row, builder.select(is_row, found, code.zero))


def _write_sum_disjoint(code, lanes, theirs, own, same, by_mark, value):
    builder, sums = code.builder, _LaneSums(code)
    num_bytes = code.times(by_mark.shape[0], LANES * FLOAT_BYTES)
    cgutils.memset(builder, builder.inttoptr(by_mark.start, FLOAT.as_pointer()), num_bytes, 0)

    def marks_of(side, row):
        place = code.times(row, 2)
        return code.number(side.marks, place), code.number(side.marks, code.at(place, 1))

    def add(i):
        hand = code.number(theirs.order, i)
        row = code.lane(lanes, hand)
        sums.add_to_total(row)
        for mark in marks_of(theirs, hand):
            place = code.lane_row(by_mark, mark)
            code.store(builder.fadd(code.load(place), row), place)

    code.each(theirs.order.shape[0], add)
    everything = sums.rounded_total()

    def set_one(i):
        hand = code.number(own.order, i)
        met = sums.without(everything, by_mark, *marks_of(own, hand))
        code.store(sums.add_same(met, lanes, code.number(same, hand)), code.lane_row(value, hand))

    code.each(own.order.shape[0], set_one)


@lane_vectorised(_write_sum_disjoint)
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
    total = np.zeros(LANES)
    out_by_mark[:] = _ZERO
    for i in range(theirs.order.shape[0]):
        hand = theirs.order[i]
        row, low = lanes[hand], out_by_mark[theirs.marks[hand, 0]]
        high = out_by_mark[theirs.marks[hand, 1]]
        for lane in range(LANES):
            total[lane] += row[lane]
            low[lane] += row[lane]
            high[lane] += row[lane]
    for i in range(own.order.shape[0]):
        hand = own.order[i]
        low, high = out_by_mark[own.marks[hand, 0]], out_by_mark[own.marks[hand, 1]]
        value, twin = out_value[hand], lanes[max(same[hand], 0)]
        has_twin = same[hand] >= 0
        for lane in range(LANES):
            met = np.float32(total[lane]) - low[lane] - high[lane]
            value[lane] = met + (twin[lane] if has_twin else _ZERO)


def _write_compare_disjoint(code, lanes, theirs, places, own, finds_met, running, value, met):
    builder, sums = code.builder, _LaneSums(code)

    def add(i):
        row = code.lane(lanes, code.number(theirs, i))
        sums.add_to_total(row)
        code.store(sums.rounded_total(), code.lane_row(running, code.at(i, 1)))
        for side in range(2):
            place = code.lane_row(running, code.number(places, code.at(code.times(i, 2), side)))
            before = code.load(code.at(place, -LANES * FLOAT_BYTES))
            code.store(builder.fadd(before, row), place)

    code.each(theirs.shape[0], add)
    everything = sums.rounded_total()

    def set_one(i):
        hand, first = code.number(own.order, i), code.times(i, 8)
        at = [code.number(own.sums, code.at(first, j)) for j in range(8)]
        below, upto = (code.lane(running, number) for number in at[:2])
        below = sums.without(below, running, at[2], at[4])
        upto = sums.without(upto, running, at[3], at[5])
        anything = sums.without(everything, running, at[6], at[7])
        difference = builder.fsub(builder.fadd(below, upto), anything)
        code.store(difference, code.lane_row(value, hand))
        with builder.if_then(finds_met):
            same = code.number(own.same, hand)
            code.store(sums.add_same(anything, lanes, same), code.lane_row(met, hand))

    code.each(own.order.shape[0], set_one)


@lane_vectorised(_write_compare_disjoint)
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
    total = np.zeros(LANES)
    for i in range(theirs.shape[0]):
        row, everything, low = lanes[theirs[i]], out_running[i + 1], out_running[places[i, 0]]
        high, low_before = out_running[places[i, 1]], out_running[places[i, 0] - 1]
        high_before = out_running[places[i, 1] - 1]
        for lane in range(LANES):
            total[lane] += row[lane]
            everything[lane] = total[lane]
            low[lane] = low_before[lane] + row[lane]
            high[lane] = high_before[lane] + row[lane]
    everything = out_running[theirs.shape[0]]
    for i in range(own.order.shape[0]):
        hand, at = own.order[i], own.sums[i]
        value, met, twin = out_value[hand], out_met[hand], lanes[max(own.same[hand], 0)]
        has_twin = own.same[hand] >= 0
        for lane in range(LANES):
            below = out_running[at[0], lane] - out_running[at[2], lane] - out_running[at[4], lane]
            upto = out_running[at[1], lane] - out_running[at[3], lane] - out_running[at[5], lane]
            anything = everything[lane] - out_running[at[6], lane] - out_running[at[7], lane]
            value[lane] = below + upto - anything
            if finds_met:
                met[lane] = anything + (twin[lane] if has_twin else _ZERO)


def _write_sum_by_bucket(code, lanes, order, ends, out):
    builder, begin = code.builder, code.slot(INT64)
    sums = [code.slot() for _ in range(_SUMS_AT_ONCE)]

    def add(position, total):
        row = code.lane(lanes, code.number(order, position))
        builder.store(builder.fadd(builder.load(total), row), total)

    def add_several(position):
        for number, total in enumerate(sums):
            add(code.at(position, number), total)

    def set_one(bucket):
        for total in sums:
            builder.store(code.zero, total)
        first, end = builder.load(begin), code.number(ends, bucket)
        whole = builder.and_(builder.sub(end, first), code.whole(-_SUMS_AT_ONCE))
        rest = builder.add(first, whole)
        code.each(rest, add_several, first, _SUMS_AT_ONCE)
        code.each(end, lambda position: add(position, sums[0]), rest)
        builder.store(end, begin)
        one, two, three, four = map(builder.load, sums)
        total = builder.fadd(builder.fadd(one, two), builder.fadd(three, four))
        code.store(total, code.lane_row(out, bucket))

    code.each(ends.shape[0], set_one)


@lane_vectorised(_write_sum_by_bucket)
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
    sums, begin = np.empty((_SUMS_AT_ONCE, LANES), np.float32), 0
    for bucket in range(ends.shape[0]):
        sums[:] = _ZERO
        num_hands, total = ends[bucket] - begin, out[bucket]
        whole = num_hands - num_hands % _SUMS_AT_ONCE
        for i in range(num_hands):
            row, part = lanes[order[begin + i]], sums[i % _SUMS_AT_ONCE if i < whole else 0]
            for lane in range(LANES):
                part[lane] += row[lane]
        for lane in range(LANES):
            total[lane] = (sums[0, lane] + sums[1, lane]) + (sums[2, lane] + sums[3, lane])
        begin = ends[bucket]


def _write_add_chosen(code, lanes, numbers, out):
    sums = _LaneSums(code)

    def add(i):
        place = code.lane_row(out, i)
        code.store(sums.add_same(code.load(place), lanes, code.number(numbers, i)), place)

    code.each(numbers.shape[0], add)


@lane_vectorised(_write_add_chosen)
def add_chosen(lanes: Float32Array, numbers: IntArray, out: Float32Array) -> None:
    """Adds the lane row of each of some numbers to the next of ``out[n, 16]``, nothing for -1."""
    for i in range(numbers.shape[0]):
        row, total, is_row = lanes[max(numbers[i], 0)], out[i], numbers[i] >= 0
        for lane in range(LANES):
            total[lane] += row[lane] if is_row else _ZERO


def _each_listed(code, numbers, body):
    """Calls ``body(number)`` for those of a list that are not -1."""

    def one(i):
        number = code.number(numbers, i)
        with code.builder.if_then(code.builder.icmp_signed(">=", number, code.whole(0))):
            body(number)

    code.each(numbers.shape[0], one)


def _write_add_by_bucket(code, lanes, numbers, buckets, share, out):
    factor = code.spread(share)

    def add(hand):
        place = code.lane_row(out, code.number(buckets, hand))
        code.store(code.multiply_add(code.lane(lanes, hand), factor, code.load(place)), place)

    _each_listed(code, numbers, add)


@lane_vectorised(_write_add_by_bucket, fused=True)
def add_by_bucket(
    lanes: Float32Array,
    numbers: IntArray,
    buckets: Uint8Array,
    share: np.float32,
    out: Float32Array,
) -> None:
    """``out[bucket[h]] += share * lanes[h]`` for listed hands, -1 for none."""
    for hand in numbers:
        if hand >= 0:
            row, total = lanes[hand], out[buckets[hand]]
            for lane in range(LANES):
                total[lane] += row[lane] * share


def _write_add_met(code, mass, groups, places, shares, by_card, out):
    builder = code.builder

    def add(hand):
        place, first = code.lane_row(out, hand), code.times(hand, 2)
        low = code.lane(by_card, code.number(places, first))
        high = code.lane(by_card, code.number(places, code.at(first, 1)))
        beyond = builder.fadd(code.load(place), builder.fadd(low, high))
        share = code.lane(shares, code.number(groups, hand))
        code.store(code.multiply_add(share, code.lane(mass, hand), beyond), place)

    code.each(groups.shape[0], add)


@lane_vectorised(_write_add_met, fused=True)
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
        share, met, total = shares[groups[hand]], mass[hand], out[hand]
        low, high = by_card[places[hand, 0]], by_card[places[hand, 1]]
        for lane in range(LANES):
            total[lane] = share[lane] * met[lane] + (total[lane] + (low[lane] + high[lane]))


def _write_subtract_held(code, mass, numbers, buckets, values, blocked, lanes, same, out):
    builder, sums, less = code.builder, _LaneSums(code), code.load(blocked.start)

    def subtract(hand):
        left = builder.fsub(code.lane(mass, hand), less)
        left = sums.add_same(left, lanes, code.number(same, hand))
        value, place = code.lane(values, code.number(buckets, hand)), code.lane_row(out, hand)
        code.store(builder.fsub(code.load(place), builder.fmul(value, left)), place)

    _each_listed(code, numbers, subtract)


@lane_vectorised(_write_subtract_held)
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
        blocked: ``[16]``.
        lanes: ``[., 16]`` theirs.
        same: ``[hands]`` their row of the same hand, -1 if there is none.
        out: ``[hands, 16]``.
    """
    for i in range(numbers.shape[0]):
        hand = numbers[i]
        if hand < 0:
            continue
        met, value, total = mass[hand], values[buckets[hand]], out[hand]
        twin, has_twin = lanes[max(same[hand], 0)], same[hand] >= 0
        for lane in range(LANES):
            left = met[lane] - blocked[lane] + (twin[lane] if has_twin else _ZERO)
            total[lane] -= value[lane] * left


def _write_add_games(code, buckets, cards, ends, values, blocked, num_cards, shares, by_card):
    builder, num_games = code.builder, buckets.shape[0]

    def add(games):
        bucket_of, value_of, blocked_in = (
            [code.part(memory, game) for game in games] for memory in (buckets, values, blocked)
        )
        counts = [code.number(num_cards, game) for game in games]
        times = [code.spread(builder.sitofp(count, FLOAT)) for count in counts]
        begin = code.slot(INT64)

        def add_group(group):
            won = [
                code.lane(value, code.number(bucket, group))
                for value, bucket in zip(value_of, bucket_of, strict=True)
            ]
            place = code.lane_row(shares, group)
            share = code.load(place)
            for each, number in zip(won, times, strict=True):
                share = code.multiply_add(each, number, share)
            code.store(share, place)
            first, end = builder.load(begin), code.number(ends, group)

            def add_card(entry):
                card, place = code.number(cards, entry), code.lane_row(by_card, entry)
                total = code.load(place)
                for each, rows in zip(won, blocked_in, strict=True):
                    total = code.multiply_add(each, code.lane(rows, card), total)
                code.store(total, place)

            code.each(end, add_card, first)
            builder.store(end, begin)

        code.each(ends.shape[0], add_group)

    are_all = builder.icmp_signed("==", num_games, code.whole(GAMES_AT_ONCE))
    with builder.if_else(are_all) as (together, one_by_one):
        with together:
            add([code.whole(game) for game in range(GAMES_AT_ONCE)])
        with one_by_one:
            code.each(num_games, lambda game: add([game]))


@lane_vectorised(_write_add_games, fused=True)
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
    for game in range(buckets.shape[0]):
        number, begin = np.float32(num_cards[game]), 0
        for group in range(ends.shape[0]):
            won, share = values[game, buckets[game, group]], out_shares[group]
            for lane in range(LANES):
                share[lane] += won[lane] * number
            for entry in range(begin, ends[group]):
                met, total = blocked[game, cards[entry]], out_by_card[entry]
                for lane in range(LANES):
                    total[lane] += won[lane] * met[lane]
            begin = ends[group]
