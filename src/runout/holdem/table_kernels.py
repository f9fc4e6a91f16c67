"""Learned tables in 32 or in 16 bits, read and written in registers.

A 16-bit number is a *code*: times the scale that all actions of its decision share, it is the
number. How often actions are taken depends on ratios only, so codes serve as they are; what is
learned is kept in a working space until its largest number, and with it the new scale, is
known. Codes of a locked hand hold its strategy and never change.
"""

# `Rows` builds LLVM code and has llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from typing import NamedTuple

from llvmlite import ir
from numba.core import cgutils, types

from runout.arrays import AnyArray, Float32Array, Uint8Array
from runout.holdem.vector_kernels import FLOAT, FLOAT_BYTES, INT32, INT64

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
