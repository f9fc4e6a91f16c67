"""Vector instructions for lane rows of float32: sums by bucket, and the way back.

As in `simd_kernels`, everything takes addresses and **checks nothing**. `crossing_kernels`
and `terminal_kernels` are the only users; `tests/holdem/test_lane_simd_kernels.py` compares every
function with plain sums.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from llvmlite import ir
from numba.core import cgutils, types

from runout.holdem.simd_kernels import LANE_ROW_BYTES, LANES
from runout.holdem.vector_kernels import VectorCode, vector_intrinsic

NUM_CARDS = 52

_FLOAT, _BYTE, _INT64 = ir.FloatType(), ir.IntType(8), ir.IntType(64)


def _of_addresses(number):
    return types.void(*[types.int64] * number)


def _lane_row_of(code, base, numbers, i, kind):
    """Returns the address of the lane row whose number stands in the i-th place of a list."""
    size = code.builder.mul(i, ir.Constant(_INT64, kind.width // 8))
    number = code.load(code.builder.add(numbers, size), kind)
    if kind != _INT64:
        number = code.builder.zext(number, _INT64)
    row = code.builder.shl(number, ir.Constant(_INT64, LANE_ROW_BYTES.bit_length() - 1))
    return code.builder.add(base, row)


def _lanewise(num_rows, num_scalars, compute):
    """Returns what an intrinsic needs that sets a lane row from rows and float32 scalars.

    The first address is the row that is set.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        loaded = [code.load(row) for row in args[:num_rows]]
        factors = [code.spread(scalar) for scalar in args[num_rows:]]
        code.store(compute(code, *loaded, *factors), args[0])
        return context.get_dummy_value()

    return types.void(*[types.int64] * num_rows, *[types.float32] * num_scalars), generate


@vector_intrinsic
def add(typing_context, out, row):
    """``out += row``."""
    return _lanewise(2, 0, lambda code, out, row: code.builder.fadd(out, row))


@vector_intrinsic
def add_scaled(typing_context, out, row, scale):
    """``out += row * scale``."""
    return _lanewise(2, 1, lambda code, out, row, scale: code.multiply_add(row, scale, out))


def _make_add_by_bucket(num_games):
    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        lanes, num_hands, buckets, sums, game_bytes = args
        step = [ir.Constant(_INT64, i) for i in range(num_games)]
        lists = [builder.add(buckets, builder.mul(num_hands, i)) for i in step]
        bases = [builder.add(sums, builder.mul(game_bytes, i)) for i in step]
        with cgutils.for_range(builder, num_hands, intp=_INT64) as loop:
            size = ir.Constant(_INT64, LANE_ROW_BYTES)
            row = code.load(builder.add(lanes, builder.mul(loop.index, size)))
            for numbers, base in zip(lists, bases, strict=True):
                out = _lane_row_of(code, base, numbers, loop.index, _BYTE)
                code.store(builder.fadd(code.load(out), row), out)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def add_by_bucket_1(typing_context, lanes, num_hands, buckets, sums, game_bytes):
    """Adds the lane row of each hand to the one of its bucket.

    Args:
        lanes: address of ``[hands, 16]``.
        num_hands: how many there are.
        buckets: address of ``[hands]`` uint8.
        sums: address of ``[buckets, 16]``.
        game_bytes: from the sums of one game to those of the next.
    """
    return _of_addresses(5), _make_add_by_bucket(1)


@vector_intrinsic
def add_by_bucket_4(typing_context, lanes, num_hands, buckets, sums, game_bytes):
    """Like `add_by_bucket_1` with the buckets and sums of four games, one after the other."""
    return _of_addresses(5), _make_add_by_bucket(4)


def _make_add_met(num_games):
    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, mass, num_hands, buckets, cards, values, by_card, num_cards, game_bytes = args
        games = [ir.Constant(_INT64, i) for i in range(num_games)]
        lists = [builder.add(buckets, builder.mul(num_hands, i)) for i in games]
        value_of = [builder.add(values, builder.mul(game_bytes, i)) for i in games]
        card_bytes = ir.Constant(_INT64, NUM_CARDS * LANE_ROW_BYTES)
        of_card = [builder.add(by_card, builder.mul(card_bytes, i)) for i in games]
        counts = [code.load(code.at(num_cards, 8 * i), _INT64) for i in range(num_games)]
        times = [code.spread(builder.sitofp(count, _FLOAT)) for count in counts]
        zero, second = ir.Constant(_INT64, 0), ir.Constant(_INT64, 8)
        with cgutils.for_range(builder, num_hands, intp=_INT64) as loop:
            offset = builder.mul(loop.index, ir.Constant(_INT64, LANE_ROW_BYTES))
            pair = builder.add(cards, builder.mul(loop.index, ir.Constant(_INT64, 16)))
            low = _lane_row_of(code, zero, pair, zero, _INT64)
            high = _lane_row_of(code, zero, builder.add(pair, second), zero, _INT64)
            place, met_on_turn = builder.add(out, offset), code.load(builder.add(mass, offset))
            won = code.load(place)
            for i in range(num_games):
                with_low = code.load(builder.add(of_card[i], low))
                with_high = code.load(builder.add(of_card[i], high))
                met = code.multiply_add(met_on_turn, times[i], builder.fadd(with_low, with_high))
                value = code.load(_lane_row_of(code, value_of[i], lists[i], loop.index, _BYTE))
                won = code.multiply_add(value, met, won)
            code.store(won, place)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def add_met_1(
    typing_context, out, mass, num_hands, buckets, cards, values, by_card, num_cards, game_bytes
):
    """``out[h] += values[bucket[h]] * (num_cards * mass[h] + by_card[c] + by_card[d])``.

    Args:
        out: address of ``[hands, 16]``.
        mass: address of ``[hands, 16]``.
        num_hands: how many there are.
        buckets: address of ``[hands]`` uint8.
        cards: address of ``[hands, 2]`` int64.
        values: address of ``[buckets, 16]``.
        by_card: address of ``[52, 16]``.
        num_cards: address of an int64.
        game_bytes: from the values of one game to those of the next.
    """
    return _of_addresses(9), _make_add_met(1)


@vector_intrinsic
def add_met_4(
    typing_context, out, mass, num_hands, buckets, cards, values, by_card, num_cards, game_bytes
):
    """Like `add_met_1` with the buckets, values, cards of four games, one after the other."""
    return _of_addresses(9), _make_add_met(4)


@vector_intrinsic
def clear(typing_context, address, num_bytes):
    """Sets memory to zero."""

    def generate(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], _BYTE.as_pointer())
        cgutils.memset(builder, pointer, args[1], 0)
        return context.get_dummy_value()

    return _of_addresses(2), generate


@vector_intrinsic
def subtract_met(typing_context, out, value, mass, blocked, same):
    """``out -= value * (mass - blocked + same)``."""

    def compute(code, out, value, mass, blocked, same):
        met = code.builder.fadd(code.builder.fsub(mass, blocked), same)
        return code.builder.fsub(out, code.builder.fmul(value, met))

    return _lanewise(5, 0, compute)
