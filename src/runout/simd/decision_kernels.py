"""Decisions in registers: tables of 32 or 16 bits; play, learn, mix and respond in one pass."""

from functools import partial
from typing import NamedTuple

from llvmlite import ir
from numba.core import cgutils, types

from runout.arrays import AnyArray, Float32Array, Uint8Array
from runout.simd.vector_kernels import (
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT64,
    VectorCode,
    vector_intrinsic,
)

# --------------------------------------------------------------------------------------------------
# Learned tables in 32 or in 16 bits, read and written in registers.
#
# A 16-bit number is a *code*: times the scale that all actions of its decision share, it is the
# number. How often actions are taken depends on ratios only, so codes serve as they are; what is
# learned is kept in a working space until its largest number, and with it the new scale, is
# known. Codes of a locked hand hold its strategy and never change.


# `Rows` builds LLVM code and has llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


_INT16 = ir.IntType(16)

#: The largest code of the two 16-bit types: regrets have a sign, strategy sums do not.
_LARGEST_CODE = {types.int16: 32_767.0, types.uint16: 65_535.0}

#: Rows without a larger number become zero: float32 cannot hold the reciprocal of their unit.
_SMALLEST_LARGEST = 1e-30


class Learning(NamedTuple):
    """What a player has learned on a street: one row per action, one column per hand.

    With a leading axis for boards everywhere, or of one board.

    Attributes:
        regret: ``[A, H]`` discounted regrets; float32, or int16 with a scale.
        regret_scale: ``[A]`` in the row of a decision's first action; empty for float32.
        strategy_sum: ``[A, H]`` discounted sums of reach times strategy; float32, or uint16.
        sum_scale: ``[A]`` like ``regret_scale``.
        lock: ``[A, H]`` in the row of a decision's first action, 1 where the hand's strategy is
            fixed (its regrets then are in proportion to it); empty if no decision is locked.
    """

    regret: AnyArray
    regret_scale: Float32Array
    strategy_sum: AnyArray
    sum_scale: Float32Array
    lock: Uint8Array


class Rows:
    """Code for the rows of one decision in a table; offsets are those of float32 rows."""

    def __init__(self, code, context, kinds, arrays, first, row_bytes, space=None):
        """Finds the rows.

        Args:
            code: builds the instructions.
            context: numba's.
            kinds: numba's types of the table and of its scales.
            arrays: the table ``[A, H]`` and its scales ``[A]``, of one board.
            first: the row of the decision's first action.
            row_bytes: of a row of float32.
            space: address of as many rows of float32; only rows that are written need it.
        """
        self.code, self.row_bytes, self.space = code, row_bytes, space
        builder, table = code.builder, kinds[0].dtype
        starts = [
            builder.ptrtoint(context.make_array(kind)(context, builder, array).data, INT64)
            for kind, array in zip(kinds, arrays, strict=True)
        ]
        self.largest_code = _LARGEST_CODE.get(table)
        self.start = builder.add(starts[0], self._in_table(builder.mul(first, row_bytes)))
        if self.largest_code is not None:
            self.scale = builder.add(starts[1], builder.mul(first, ir.Constant(INT64, FLOAT_BYTES)))
            self.unit = code.spread(code.load(self.scale, FLOAT))
            self.codes = ir.VectorType(_INT16, code.width)
            self.integers = ir.VectorType(INT32, code.width)
            self.largest = code.slot()
            builder.store(code.zero, self.largest)

    def _in_table(self, num_bytes):
        """Returns the bytes in the table of some bytes of float32."""
        if self.largest_code is None:
            return num_bytes
        return self.code.builder.lshr(num_bytes, ir.Constant(INT64, 1))

    def _place(self, action, offset):
        return self.code.at(self.start, self._in_table(self.code.builder.add(action, offset)))

    def weight(self, action, offset):
        """Returns numbers in proportion to an action's, with the same factor for all actions."""
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            return code.load(self._place(action, offset))
        extend = builder.sext if self.largest_code == _LARGEST_CODE[types.int16] else builder.zext
        read = code.load(self._place(action, offset), self.codes, align=2)
        return builder.sitofp(extend(read, self.integers), code.vector)

    def number(self, weight):
        """Returns the numbers of which weights were read."""
        if self.largest_code is None:
            return weight
        return self.code.builder.fmul(weight, self.unit)

    def prefetch(self, action, offset, ahead):
        """Asks for what is some bytes further on in the table."""
        self.code.prefetch(self.code.at(self._place(action, offset), ahead))

    def write(self, numbers, action, offset, old_weight, is_locked=None):
        """Writes an action's numbers, but for locked hands, whose old weights stay."""
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            if is_locked is not None:
                numbers = builder.select(is_locked, old_weight, numbers)
            code.store(numbers, self._place(action, offset))
            return
        if is_locked is not None:
            numbers = builder.select(is_locked, code.zero, numbers)
        size = code.larger(numbers, builder.fsub(code.zero, numbers))
        builder.store(code.larger(size, builder.load(self.largest)), self.largest)
        code.store(numbers, code.at(code.at(self.space, action), offset))

    def encode(self, num_actions, find_locked=None):
        """Turns what was written into codes, if the table has any; ends the decision.

        Args:
            num_actions: how many there are.
            find_locked: a function from an offset to which hands are locked, None if none is.
        """
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            return
        largest, codes = code.largest_of(builder.load(self.largest)), self.codes
        most, none = ir.Constant(FLOAT, self.largest_code), ir.Constant(FLOAT, 0.0)
        builder.store(builder.fdiv(largest, most), builder.inttoptr(self.scale, FLOAT.as_pointer()))
        is_large = builder.fcmp_ordered(">", largest, ir.Constant(FLOAT, _SMALLEST_LARGEST))
        per_unit = code.spread(builder.select(is_large, builder.fdiv(most, largest), none))

        def encode_some(action, offset):
            scaled = builder.fmul(code.load(code.at(code.at(self.space, action), offset)), per_unit)
            is_positive = builder.fcmp_ordered(">", scaled, code.zero)
            half = builder.select(is_positive, code.constant(0.5), code.constant(-0.5))
            rounded = builder.fptosi(builder.fadd(scaled, half), self.integers)
            new, place = builder.trunc(rounded, codes), self._place(action, offset)
            if find_locked is not None:
                old = code.load(place, codes, align=2)
                new = builder.select(find_locked(offset), old, new)
            code.store(new, place, align=2)

        with cgutils.for_range(builder, num_actions, intp=INT64) as loop:
            action = builder.mul(loop.index, self.row_bytes)
            code.each(self.row_bytes, lambda offset: encode_some(action, offset))


# --------------------------------------------------------------------------------------------------
# Vector instructions for decisions: play, learn, mix, respond, in one pass over rows.
#
# The passes of `street_kernels` use them for rows of hands and of buckets alike. Everything about a
# few hands is in registers at once. Addresses only, nothing is checked: rows are padded to a
# multiple of sixteen. `tests/holdem/test_street_kernels.py` compares them with plain sums.


# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


#: A total below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = 1.2e-38

#: Numbers of actions that are written out while learning, by far the most common.
_WRITTEN_OUT = (2, 3)


class _Decision:
    """Code for the actions of one decision; rows of actions follow each other."""

    def __init__(self, code, count, row_bytes, ahead):
        """Prepares the share of each action where no weight is positive.

        Args:
            code: builds the instructions.
            count: number of actions, as a Python number or as one that the code computes.
            row_bytes: of a row.
            ahead: bytes from a number in a table to one that is read soon, or None.
        """
        self.code, self.count, self.row_bytes, self.ahead = code, count, row_bytes, ahead
        if isinstance(count, int):
            self.equal = code.constant(1.0 / count)
        else:
            number = code.builder.sitofp(count, FLOAT)
            one = ir.Constant(FLOAT, 1.0)
            self.equal = code.spread(code.builder.fdiv(one, number))

    def each(self, body):
        """Calls ``body(offset)`` for every action."""
        self.code.each_action(self.count, self.row_bytes, body)

    def match(self, rows, offset):
        """Returns a function from an action's weight to its probability: regret matching."""
        code, builder, slot = self.code, self.code.builder, self.code.slot()
        builder.store(code.zero, slot)

        def add(action):
            weight = code.positive(rows.weight(action, offset))
            builder.store(builder.fadd(builder.load(slot), weight), slot)

        self.each(add)
        total = builder.load(slot)
        is_positive = builder.fcmp_ordered(">", total, code.constant(_SMALLEST_TOTAL))
        one = code.constant(1.0)
        inverse = builder.fdiv(one, builder.select(is_positive, total, one))

        def probability(weight):
            share = builder.fmul(code.positive(weight), inverse)
            return builder.select(is_positive, share, self.equal)

        return probability


def _choose(builder, number, counts, with_actions):
    """Builds the code for each of some numbers of actions, and for any other."""
    if not counts:
        with_actions(number)
        return
    is_count = builder.icmp_signed("==", number, ir.Constant(number.type, counts[0]))
    with builder.if_else(is_count) as (written_out, otherwise):
        with written_out:
            with_actions(counts[0])
        with otherwise:
            _choose(builder, number, counts[1:], with_actions)


def _decide(
    generate_decision,
    tables,
    num_addresses,
    num_scalars=0,
    learns=False,
    locks=False,
    counts=_WRITTEN_OUT,
):
    """Returns what an intrinsic needs that does something to a decision.

    Its arguments are tables with their scales, and the decision's first row in them; addresses;
    float32 scalars; if it learns, the address of a working space and the bytes to what is read
    soon; then the bytes of a row and the number of actions.

    Args:
        generate_decision: builds the code for some hands, from rows, addresses and scalars.
        tables: numba's types of tables and scales.
        num_addresses: how many there are.
        num_scalars: likewise.
        learns: whether the last table is written to.
        locks: whether the last address is that of locks.
        counts: numbers of actions that are written out.
    """
    num_tables = len(tables)

    def generate(context, builder, _, args):
        code = VectorCode(context, builder)
        values = iter(args)
        arrays = [next(values) for _ in range(num_tables)]
        first = next(values) if tables else None
        addresses = [next(values) for _ in range(num_addresses)]
        scalars = [code.spread(next(values)) for _ in range(num_scalars)]
        space, ahead = (next(values), next(values)) if learns else (None, None)
        row_bytes, number = values
        rows = [
            Rows(code, context, tables[i : i + 2], arrays[i : i + 2], first, row_bytes, space)
            for i in range(0, num_tables, 2)
        ]

        def with_actions(count):
            decision = _Decision(code, count, row_bytes, ahead)
            code.each(
                row_bytes,
                lambda offset: generate_decision(decision, rows, addresses, scalars, offset),
            )

        _choose(builder, number, counts, with_actions)
        if learns:
            find_locked = partial(_is_locked, code, addresses[-1]) if locks else None
            rows[-1].encode(number, find_locked)
        return context.get_dummy_value()

    first = [types.int64] * (num_tables > 0)
    floats = [types.float32] * num_scalars
    numbers = [types.int64] * (2 + 2 * learns)
    return types.void(*tables, *first, *[types.int64] * num_addresses, *floats, *numbers), generate


def _play(decision, rows, addresses, scalars, offset):
    (table,), (arriving, out) = rows, addresses
    code, builder = decision.code, decision.code.builder
    probability = decision.match(table, offset)
    reach = code.load(code.at(arriving, offset))

    def one(action):
        leaving = builder.fmul(probability(table.weight(action, offset)), reach)
        code.store(leaving, code.at(code.at(out, action), offset))

    decision.each(one)


def _play_and_add(decision, rows, addresses, scalars, offset):
    (regrets, sums), (arriving, out), (decay,) = rows, addresses, scalars
    code, builder = decision.code, decision.code.builder
    probability = decision.match(regrets, offset)
    reach = code.load(code.at(arriving, offset))

    def one(action):
        leaving = builder.fmul(probability(regrets.weight(action, offset)), reach)
        regrets.prefetch(action, offset, decision.ahead)
        sums.prefetch(action, offset, decision.ahead)
        old = sums.weight(action, offset)
        code.store(leaving, code.at(code.at(out, action), offset))
        sums.write(code.multiply_add(sums.number(old), decay, leaving), action, offset, old)

    decision.each(one)


def _mean(decision, table, values, offset):
    """Returns the mean of the actions' values, by the positive part of weights."""
    code, builder, slot = decision.code, decision.code.builder, decision.code.slot()
    probability = decision.match(table, offset)
    builder.store(code.zero, slot)

    def one(action):
        share = probability(table.weight(action, offset))
        value = code.load(code.at(code.at(values, action), offset))
        builder.store(code.multiply_add(share, value, builder.load(slot)), slot)

    decision.each(one)
    return builder.load(slot)


def _mix(decision, rows, addresses, scalars, offset):
    (table,), (values, out) = rows, addresses
    decision.code.store(_mean(decision, table, values, offset), decision.code.at(out, offset))


def _mix_and_learn(decision, rows, addresses, scalars, offset):
    (regrets,), (values, out, *lock), (positive, negative) = rows, addresses, scalars
    code, builder = decision.code, decision.code.builder
    mean = _mean(decision, regrets, values, offset)
    code.store(mean, code.at(out, offset))
    is_locked = _is_locked(code, lock[0], offset) if lock else None

    def one(action):
        regrets.prefetch(action, offset, decision.ahead)
        weight, value = (
            regrets.weight(action, offset),
            code.load(code.at(code.at(values, action), offset)),
        )
        decay = builder.select(builder.fcmp_ordered(">", weight, code.zero), positive, negative)
        gain = builder.fsub(value, mean)
        learned = code.multiply_add(regrets.number(weight), decay, gain)
        regrets.write(learned, action, offset, weight, is_locked)

    decision.each(one)


def _is_locked(code, lock, offset):
    """Returns which hands of a vector are locked; the row has one byte for each hand."""
    bytes_of = ir.VectorType(ir.IntType(8), code.width)
    of_byte = code.builder.udiv(offset, ir.Constant(offset.type, FLOAT_BYTES))
    flags = code.load(code.at(lock, of_byte), bytes_of)
    return code.builder.icmp_unsigned("!=", flags, ir.Constant(bytes_of, None))


def _keep_locked(decision, rows, addresses, scalars, offset):
    (table,), (values, out, lock) = rows, addresses
    code, place = decision.code, decision.code.at(out, offset)
    mean = _mean(decision, table, values, offset)
    is_locked = _is_locked(code, lock, offset)
    code.store(code.builder.select(is_locked, mean, code.load(place)), place)


def _combine(join):
    """Returns code that joins the values of all actions."""

    def generate(decision, rows, addresses, scalars, offset):
        values, out = addresses
        code, builder, slot = decision.code, decision.code.builder, decision.code.slot()
        builder.store(code.load(code.at(values, offset)), slot)

        def one(action):
            value = code.load(code.at(code.at(values, action), offset))
            builder.store(join(code, builder.load(slot), value), slot)

        # The first action is joined with the rest, not with itself.
        rest = decision.count - 1 if isinstance(decision.count, int) else None
        if rest is None:
            rest = builder.sub(decision.count, ir.Constant(decision.count.type, 1))
        code.each_action(
            rest, decision.row_bytes, lambda a: one(builder.add(a, decision.row_bytes))
        )
        code.store(builder.load(slot), code.at(out, offset))

    return generate


@vector_intrinsic
def play(typing_context, table, scale, first, arriving, out, row_bytes, num_actions):
    """Divides arriving reach among the actions, in proportion to positive weights."""
    return _decide(_play, (table, scale), 2, counts=())


@vector_intrinsic
def play_and_add(
    typing_context,
    regrets,
    regret_scale,
    sums,
    sum_scale,
    first,
    arriving,
    out,
    decay,
    space,
    ahead,
    row_bytes,
    num_actions,
):
    """Like `play`, adding what leaves to strategy sums that are discounted first."""
    tables = regrets, regret_scale, sums, sum_scale
    return _decide(_play_and_add, tables, 2, 1, learns=True)


@vector_intrinsic
def mix(typing_context, table, scale, first, values, out, row_bytes, num_actions):
    """Sets the value of a decision to the mean of its actions, by the positive part of weights."""
    return _decide(_mix, (table, scale), 2, counts=())


@vector_intrinsic
def mix_and_learn(
    typing_context,
    regrets,
    scale,
    first,
    values,
    out,
    positive,
    negative,
    space,
    ahead,
    row_bytes,
    num_actions,
):
    """Like `mix`, adding to discounted regrets what each action wins beyond the decision."""
    return _decide(_mix_and_learn, (regrets, scale), 2, 2, learns=True)


@vector_intrinsic
def mix_and_learn_unlocked(
    typing_context,
    regrets,
    scale,
    first,
    values,
    out,
    lock,
    positive,
    negative,
    space,
    ahead,
    row_bytes,
    num_actions,
):
    """Like `mix_and_learn`; regrets of locked hands hold their strategy and stay."""
    return _decide(_mix_and_learn, (regrets, scale), 3, 2, learns=True, locks=True, counts=())


@vector_intrinsic
def keep_locked(typing_context, regrets, scale, first, values, out, lock, row_bytes, num_actions):
    """Gives locked hands the value of the strategy that they are bound to, which regrets hold."""
    return _decide(_keep_locked, (regrets, scale), 3, counts=())


@vector_intrinsic
def add_up(typing_context, values, out, row_bytes, num_actions):
    """Sets a row to the sum of rows that follow each other."""
    return _decide(_combine(lambda code, x, y: code.builder.fadd(x, y)), (), 2)


@vector_intrinsic
def take_best(typing_context, values, out, row_bytes, num_actions):
    """Sets a row to the largest of rows that follow each other."""
    return _decide(_combine(lambda code, x, y: code.larger(y, x)), (), 2, counts=())
