"""Vector instructions for lane rows of float32: sums by bucket, and the way back.

As in `simd_kernels`, everything takes addresses and **checks nothing**. `crossing_kernels`
and `terminal_kernels` are the only users; `tests/holdem/test_lane_simd_kernels.py` compares every
function with plain sums.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from llvmlite import ir
from numba.core import cgutils, types

from runout.holdem.simd_kernels import LANE_ROW_BYTES, LANES, MAX_LISTED
from runout.holdem.vector_kernels import VectorCode, vector_intrinsic

NUM_CARDS = 52

_FLOAT, _BYTE, _SHORT = ir.FloatType(), ir.IntType(8), ir.IntType(16)
_INT64 = ir.IntType(64)

#: Sums that do not wait for each other.
_SUMS_AT_ONCE = 4


def _of_addresses(number):
    return types.void(*[types.int64] * number)


def _lane_row_of(code, base, numbers, i, kind):
    """Returns the address of the lane row whose number stands in the i-th place of a list."""
    size = code.builder.mul(i, ir.Constant(_INT64, kind.width // 8))
    number = code.load(code.builder.add(numbers, size), kind)
    if kind != _INT64:
        number = code.builder.zext(number, _INT64)
    return _lane_row(code, base, number)


def _each_listed(code, numbers, body):
    """Calls ``body(number)`` for the int64 numbers of a list, until -1; the code is a loop."""
    builder = code.builder
    with cgutils.for_range(builder, ir.Constant(_INT64, MAX_LISTED), intp=_INT64) as loop:
        number = code.load(code.at(numbers, builder.shl(loop.index, _of_int64(3))), _INT64)
        with builder.if_then(builder.icmp_signed("<", number, _of_int64(0))):
            loop.do_break()
        body(number)


def _of_int64(number):
    return ir.Constant(_INT64, number)


def _lane_row(code, base, number):
    """Returns the address of the lane row of a number."""
    shift = _of_int64(LANE_ROW_BYTES.bit_length() - 1)
    return code.builder.add(base, code.builder.shl(number, shift))


@vector_intrinsic
def sum_by_bucket(typing_context, out, lanes, order, ends, num_buckets):
    """Sets the lane row of each bucket to the sum of those of its hands.

    Args:
        out: address of ``[buckets, 16]``.
        lanes: address of ``[hands, 16]``.
        order: address of ``[hands]`` uint16, their numbers, bucket by bucket.
        ends: address of ``[buckets]`` uint16, where each bucket's part of the order ends.
        num_buckets: how many there are.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, order, ends, num_buckets = args
        sums = [code.slot() for _ in range(_SUMS_AT_ONCE)]
        begin = cgutils.alloca_once_value(builder, _of_int64(0))

        def add(position, total):
            hand = builder.zext(
                code.load(code.at(order, builder.shl(position, _of_int64(1))), _SHORT), _INT64
            )
            row = code.load(_lane_row(code, lanes, hand))
            builder.store(builder.fadd(builder.load(total), row), total)

        with cgutils.for_range(builder, num_buckets, intp=_INT64) as bucket:
            for total in sums:
                builder.store(code.zero, total)
            first = builder.load(begin)
            place = code.at(ends, builder.shl(bucket.index, _of_int64(1)))
            end = builder.zext(code.load(place, _SHORT), _INT64)
            whole = builder.and_(builder.sub(end, first), _of_int64(-_SUMS_AT_ONCE))
            rest = builder.add(first, whole)
            step = _of_int64(_SUMS_AT_ONCE)
            with cgutils.for_range_slice(builder, first, rest, step, _INT64) as (position, _):
                for number, total in enumerate(sums):
                    add(builder.add(position, _of_int64(number)), total)
            with cgutils.for_range_slice(builder, rest, end, _of_int64(1), _INT64) as (position, _):
                add(position, sums[0])
            builder.store(end, begin)
            values = [builder.load(total) for total in sums]
            while len(values) > 1:
                values = [
                    builder.fadd(x, y) for x, y in zip(values[::2], values[1::2], strict=True)
                ]
            code.store(values[0], _lane_row(code, out, bucket.index))
        return context.get_dummy_value()

    return _of_addresses(5), generate


@vector_intrinsic
def add_listed_by_bucket(typing_context, out, lanes, numbers, buckets, share):
    """``out[bucket[h]] += lanes[h] * share`` for the hands of a list, until -1.

    Args:
        out: address of ``[buckets, 16]``.
        lanes: address of ``[hands, 16]``.
        numbers: address of the hands' int64 numbers.
        buckets: address of ``[hands]`` uint8.
        share: float32.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, numbers, buckets, share = args
        factor = code.spread(share)

        def add(hand):
            place = _lane_row_of(code, out, buckets, hand, _BYTE)
            row = code.load(_lane_row(code, lanes, hand))
            code.store(code.multiply_add(row, factor, code.load(place)), place)

        _each_listed(code, numbers, add)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4, types.float32), generate


@vector_intrinsic
def add_with_card(typing_context, out, lanes, numbers):
    """Adds the lane row of the hand with each of 52 cards to that of the card, -1 for no hand.

    Args:
        out: address of ``[52, 16]``.
        lanes: address of ``[hands, 16]``.
        numbers: address of ``[52]`` int64, the hands.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, numbers = args
        with cgutils.for_range(builder, _of_int64(NUM_CARDS), intp=_INT64) as card:
            hand = code.load(code.at(numbers, builder.shl(card.index, _of_int64(3))), _INT64)
            is_hand = builder.icmp_signed(">=", hand, _of_int64(0))
            place = _lane_row(code, out, card.index)
            # No hand reads what is there already, and adds nothing.
            source = builder.select(is_hand, _lane_row(code, lanes, hand), place)
            row = builder.select(is_hand, code.load(source), code.zero)
            code.store(builder.fadd(code.load(place), row), place)
        return context.get_dummy_value()

    return _of_addresses(3), generate


def _make_add_kin(num_games):
    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        shares, by_card, num_kin, buckets, cards, ends, values, blocked, num_cards = args[:9]
        row_bytes, game_bytes = args[9:]
        games = [_of_int64(i) for i in range(num_games)]
        lists = [builder.add(buckets, builder.mul(row_bytes, i)) for i in games]
        value_of = [builder.add(values, builder.mul(game_bytes, i)) for i in games]
        card_bytes = _of_int64(NUM_CARDS * LANE_ROW_BYTES)
        of_card = [builder.add(blocked, builder.mul(card_bytes, i)) for i in games]
        counts = [code.load(code.at(num_cards, 8 * i), _INT64) for i in range(num_games)]
        times = [code.spread(builder.sitofp(count, _FLOAT)) for count in counts]
        begin = cgutils.alloca_once_value(builder, _of_int64(0))
        with cgutils.for_range(builder, num_kin, intp=_INT64) as kin:
            won = [
                code.load(_lane_row_of(code, value_of[i], lists[i], kin.index, _BYTE))
                for i in range(num_games)
            ]
            place = _lane_row(code, shares, kin.index)
            share = code.load(place)
            for i in range(num_games):
                share = code.multiply_add(won[i], times[i], share)
            code.store(share, place)
            end_place = code.at(ends, builder.shl(kin.index, _of_int64(1)))
            end = builder.zext(code.load(end_place, _SHORT), _INT64)
            first = builder.load(begin)
            with cgutils.for_range_slice(builder, first, end, _of_int64(1), _INT64) as (entry, _):
                number = builder.zext(code.load(code.at(cards, entry), _BYTE), _INT64)
                place = _lane_row(code, by_card, entry)
                total = code.load(place)
                for i in range(num_games):
                    met = code.load(_lane_row(code, of_card[i], number))
                    total = code.multiply_add(won[i], met, total)
                code.store(total, place)
            builder.store(end, begin)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def add_kin_1(
    typing_context,
    shares,
    by_card,
    num_kin,
    buckets,
    cards,
    ends,
    values,
    blocked,
    num_cards,
    row_bytes,
    game_bytes,
):
    """Adds what kin win in a game: for each unit that they meet, and beyond that by card.

    ``shares[k] += num_cards * values[bucket[k]]``, and ``by_card[e] += values[bucket[k]] *
    blocked[card[e]]`` for each of the cards e of kin k.

    Args:
        shares: address of ``[kin, 16]``.
        by_card: address of ``[cards of kin, 16]``.
        num_kin: how many there are.
        buckets: address of ``[kin]`` uint8.
        cards: address of ``[cards of kin]`` uint8, kin by kin.
        ends: address of ``[kin]`` uint16, where each one's cards end.
        values: address of ``[buckets, 16]``.
        blocked: address of ``[52, 16]``.
        num_cards: address of an int64.
        row_bytes: from the buckets of one game to those of the next.
        game_bytes: likewise of values.
    """
    return _of_addresses(11), _make_add_kin(1)


@vector_intrinsic
def add_kin_4(
    typing_context,
    shares,
    by_card,
    num_kin,
    buckets,
    cards,
    ends,
    values,
    blocked,
    num_cards,
    row_bytes,
    game_bytes,
):
    """Like `add_kin_1` with the buckets, values, cards of four games, one after the other."""
    return _of_addresses(11), _make_add_kin(4)


@vector_intrinsic
def add_met(typing_context, out, num_hands, mass, kin, places, shares, by_card):
    """``out[h] += mass[h] * shares[kin[h]] + by_card[place[h, 0]] + by_card[place[h, 1]]``.

    Args:
        out: address of ``[hands, 16]``.
        num_hands: how many there are.
        mass: address of ``[hands, 16]``.
        kin: address of ``[hands]`` uint16.
        places: address of ``[hands, 2]`` uint16.
        shares: address of ``[kin, 16]``.
        by_card: address of ``[cards of kin, 16]``.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, num_hands, mass, kin, places, shares, by_card = args
        with cgutils.for_range(builder, num_hands, intp=_INT64) as hand:
            place = _lane_row(code, out, hand.index)
            met = code.load(_lane_row(code, mass, hand.index))
            share = code.load(_lane_row_of(code, shares, kin, hand.index, _SHORT))
            first = builder.shl(hand.index, _of_int64(1))
            second = builder.add(first, _of_int64(1))
            with_low = code.load(_lane_row_of(code, by_card, places, first, _SHORT))
            with_high = code.load(_lane_row_of(code, by_card, places, second, _SHORT))
            beyond = builder.fadd(code.load(place), builder.fadd(with_low, with_high))
            code.store(code.multiply_add(share, met, beyond), place)
        return context.get_dummy_value()

    return _of_addresses(7), generate


@vector_intrinsic
def clear(typing_context, address, num_bytes):
    """Sets memory to zero."""

    def generate(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], _BYTE.as_pointer())
        cgutils.memset(builder, pointer, args[1], 0)
        return context.get_dummy_value()

    return _of_addresses(2), generate


@vector_intrinsic
def subtract_held(
    typing_context, out, mass, numbers, buckets, values, blocked, lanes, same, nothing
):
    """``out[h] -= values[bucket[h]] * (mass[h] - blocked + lanes[same[h]])`` for listed hands.

    Args:
        out: address of ``[hands, 16]``.
        mass: address of ``[hands, 16]``.
        numbers: address of the hands' int64 numbers, until -1.
        buckets: address of ``[hands]`` uint8.
        values: address of ``[buckets, 16]``.
        blocked: address of a lane row.
        lanes: address of the opponent's ``[hands, 16]``.
        same: address of ``[hands]`` int64, the same hand of the opponent, -1 for none.
        nothing: address of a lane row of zeros.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, mass, numbers, buckets, values, blocked, lanes, same, nothing = args
        less = code.load(blocked)

        def subtract(hand):
            theirs = code.load(code.at(same, builder.shl(hand, _of_int64(3))), _INT64)
            is_hand = builder.icmp_signed(">=", theirs, _of_int64(0))
            own = code.load(builder.select(is_hand, _lane_row(code, lanes, theirs), nothing))
            met = builder.fadd(builder.fsub(code.load(_lane_row(code, mass, hand)), less), own)
            value = code.load(_lane_row_of(code, values, buckets, hand, _BYTE))
            place = _lane_row(code, out, hand)
            code.store(builder.fsub(code.load(place), builder.fmul(value, met)), place)

        _each_listed(code, numbers, subtract)
        return context.get_dummy_value()

    return _of_addresses(9), generate
