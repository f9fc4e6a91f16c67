"""Vector instructions as wide as the processor has them; sixteen rows side by side."""

import platform
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

# --------------------------------------------------------------------------------------------------
# Builds vector instructions as wide as the processor has them.
#
# Vectors hold 16 numbers with AVX-512, 8 with AVX, else 4, by the features for which numba
# compiles. Numba keeps compiled code apart by the same features, so that processors can share a
# cache.


# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


FLOAT, INT32, INT64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)
FLOAT_BYTES, INT32_BYTES, ADDRESS_BYTES = 4, 4, 8

#: Called with addresses only: the first parameter of what it decorates is numba's own.
vector_intrinsic: Any = intrinsic


class VectorCode:
    """Builds code with vectors of one width."""

    def __init__(self, context, builder, width=None):
        features = set(context.codegen().magic_tuple()[2].split(","))
        self.has_fma = bool({"+fma", "+avx512f"} & features)
        if width is None:
            width = 16 if "+avx512f" in features else 8 if "+avx" in features else 4
        self.builder, self.width = builder, width
        self.bytes = width * FLOAT_BYTES
        self.vector = ir.VectorType(FLOAT, width)
        self.zero = ir.Constant(self.vector, None)

    def constant(self, value):
        """Returns a vector of one number."""
        return ir.Constant(self.vector, [float(value)] * self.width)

    def at(self, address, offset):
        """Returns an address some bytes further on."""
        if isinstance(offset, int):
            offset = ir.Constant(INT64, offset)
        return self.builder.add(address, offset)

    def load(self, address, kind=None, align=FLOAT_BYTES):
        """Returns what is at an address, by default a vector."""
        kind = kind or self.vector
        return self.builder.load(self.builder.inttoptr(address, kind.as_pointer()), align=align)

    def store(self, value, address, align=FLOAT_BYTES):
        """Writes a value at an address."""
        pointer = self.builder.inttoptr(address, value.type.as_pointer())
        self.builder.store(value, pointer, align=align)

    def prefetch(self, address):
        """Asks for what is at an address to be brought near, whether or not there is anything."""
        of_byte = ir.IntType(8).as_pointer()
        kinds = [of_byte, INT32, INT32, INT32]
        ask = cgutils.get_or_insert_function(
            self.builder.module, ir.FunctionType(ir.VoidType(), kinds), "llvm.prefetch.p0"
        )
        to_read, near, of_data = (ir.Constant(INT32, number) for number in (0, 2, 1))
        self.builder.call(ask, [self.builder.inttoptr(address, of_byte), to_read, near, of_data])

    def spread(self, scalar):
        """Returns a vector of one number that the code computes."""
        nothing = ir.Constant(self.vector, ir.Undefined)
        first = self.builder.insert_element(nothing, scalar, ir.Constant(INT32, 0))
        mask = ir.Constant(ir.VectorType(INT32, self.width), [0] * self.width)
        return self.builder.shuffle_vector(first, nothing, mask)

    def multiply_add(self, x, y, z):
        """Returns ``x * y + z``, rounded once where the processor can."""
        if not self.has_fma:
            return self.builder.fadd(self.builder.fmul(x, y), z)
        of_three = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fma.v{self.width}f32"
        fma = cgutils.get_or_insert_function(self.builder.module, of_three, name)
        return self.builder.call(fma, [x, y, z])

    def positive(self, x):
        """Returns the positive part."""
        return self.larger(x, self.zero)

    def larger(self, x, y):
        """Returns the larger of two vectors, number by number."""
        return self.builder.select(self.builder.fcmp_ordered(">", x, y), x, y)

    def largest_of(self, x):
        """Returns the largest number of a vector, by halves."""
        distance = self.width // 2
        while distance:
            places = [(i + distance) % self.width for i in range(self.width)]
            mask = ir.Constant(ir.VectorType(INT32, self.width), places)
            x = self.larger(x, self.builder.shuffle_vector(x, x, mask))
            distance //= 2
        return self.builder.extract_element(x, ir.Constant(INT32, 0))

    def slot(self):
        """Returns a place for a vector that ends up in a register."""
        return cgutils.alloca_once(self.builder, self.vector)

    def each(self, num_bytes, body):
        """Calls ``body(offset)`` for every vector of a row; the code is a loop."""
        steps = self.builder.udiv(num_bytes, ir.Constant(INT64, self.bytes))
        with cgutils.for_range(self.builder, steps, intp=INT64) as loop:
            body(self.builder.mul(loop.index, ir.Constant(INT64, self.bytes)))

    def each_action(self, count, row_bytes, body):
        """Calls ``body(offset)`` for every action; written out if the count is a Python number."""
        if isinstance(count, int):
            for action in range(count):
                body(self.builder.mul(row_bytes, ir.Constant(INT64, action)))
            return
        with cgutils.for_range(self.builder, count, intp=INT64) as loop:
            body(self.builder.mul(loop.index, row_bytes))


# --------------------------------------------------------------------------------------------------
# Sixteen rows side by side: LLVM vector instructions that plain loops do not become.
#
# A *lane row* holds one number of each of `LANES` terminals, or ways to enter a river: sixteen
# float32, which kernels load, add and store as one value in registers. Long sums are in float64,
# also in registers. Everything here takes addresses of memory and **checks nothing**: callers pass
# rows padded to a multiple of `ROW_BLOCK` hands. `lane_kernels` and `terminal_kernels` are the only
# users; `tests/holdem/test_simd_kernels.py` compares every function with plain loops.


# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


LANES = 16
ROW_BLOCK = 8  # rows that are transposed at once; half of the lanes
LANE_ROW_BYTES = LANES * 4
#: Hands that hold a card.
MAX_LISTED = 51

_FLOAT, _DOUBLE = ir.FloatType(), ir.DoubleType()
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_LANE_ROW = ir.VectorType(_FLOAT, LANES)
_SUM_ROW = ir.VectorType(_DOUBLE, LANES)
_BLOCK = ir.VectorType(_FLOAT, ROW_BLOCK)
_FLOAT_BYTES = 4

_IS_X86 = platform.machine().lower() in {"x86_64", "amd64"}


def _load(builder, address, vector, align):
    return builder.load(builder.inttoptr(address, vector.as_pointer()), align=align)


def _store(builder, value, address, vector, align):
    builder.store(value, builder.inttoptr(address, vector.as_pointer()), align=align)


def _address_at(builder, addresses, i):
    return _load(builder, builder.add(addresses, ir.Constant(_INT64, 8 * i)), _INT64, 8)


def _void(num_addresses):
    return types.void(*([types.int64] * num_addresses))


class _Numbers(types.Type):
    """Numbers of sixteen lanes in registers."""

    def __init__(self, element):
        super().__init__(name=f"lanes of {element}")
        self.vector = ir.VectorType(element, LANES)


@register_model(_Numbers)
class _InRegisters(models.PrimitiveModel):
    def __init__(self, manager, numbers):
        super().__init__(manager, numbers, numbers.vector)


_ROW, _SUM = _Numbers(_FLOAT), _Numbers(_DOUBLE)


@vector_intrinsic
def load(typing_context, address):
    """Returns the lane row at an address."""

    def generate(context, builder, signature, args):
        return _load(builder, args[0], _LANE_ROW, _FLOAT_BYTES)

    return _ROW(types.int64), generate


@vector_intrinsic
def store(typing_context, row, address):
    """Writes a lane row to an address."""

    def generate(context, builder, signature, args):
        _store(builder, args[0], args[1], _LANE_ROW, _FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(_ROW, types.int64), generate


@vector_intrinsic
def zeros(typing_context):
    """Returns a lane row of zeros."""
    return _ROW(), lambda *_: ir.Constant(_LANE_ROW, None)


@vector_intrinsic
def no_sum(typing_context):
    """Returns sums in float64 to which nothing was added yet."""
    return _SUM(), lambda *_: ir.Constant(_SUM_ROW, None)


@vector_intrinsic
def add(typing_context, x, y):
    """Returns ``x + y``, lane by lane."""
    return _ROW(_ROW, _ROW), lambda context, builder, signature, args: builder.fadd(*args)


@vector_intrinsic
def subtract(typing_context, x, y):
    """Returns ``x - y``, lane by lane."""
    return _ROW(_ROW, _ROW), lambda context, builder, signature, args: builder.fsub(*args)


@vector_intrinsic
def add_to_sum(typing_context, sums, row):
    """Returns sums with a lane row added to them in float64."""

    def generate(context, builder, signature, args):
        return builder.fadd(args[0], builder.fpext(args[1], _SUM_ROW))

    return _SUM(_SUM, _ROW), generate


@vector_intrinsic
def rounded(typing_context, sums):
    """Returns sums as a lane row."""

    def generate(context, builder, signature, args):
        return builder.fptrunc(args[0], _LANE_ROW)

    return _ROW(_SUM), generate


def _shuffle(builder, left, right, indices):
    mask = ir.Constant(ir.VectorType(_INT32, ROW_BLOCK), indices)
    return builder.shuffle_vector(left, right, mask)


def transpose_block(builder, rows):
    """Turns eight rows of eight numbers into eight columns, by three rounds of exchanges."""
    pairs = []
    for i in range(0, 8, 2):
        for indices in ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]):
            pairs.append(_shuffle(builder, rows[i], rows[i + 1], indices))
    fours = []
    for i in (0, 1, 4, 5):
        for indices in ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]):
            fours.append(_shuffle(builder, pairs[i], pairs[i + 2], indices))
    low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [
        _shuffle(builder, fours[i], fours[i + 4], indices)
        for indices in (low, high)
        for i in range(4)
    ]


@vector_intrinsic
def rows_to_lanes(typing_context, rows, offset, out):
    """Writes eight hands of eight rows as half lane rows.

    Args:
        rows: address of the eight rows' addresses.
        offset: bytes from the beginning of a row to the first of the eight hands.
        out: address of the first of eight lane rows, or of their second half.
    """

    def generate(context, builder, signature, args):
        rows, offset, out = args
        block = [
            _load(builder, builder.add(_address_at(builder, rows, i), offset), _BLOCK, _FLOAT_BYTES)
            for i in range(ROW_BLOCK)
        ]
        for column in transpose_block(builder, block):
            _store(builder, column, out, _BLOCK, _FLOAT_BYTES)
            out = builder.add(out, ir.Constant(_INT64, LANE_ROW_BYTES))
        return context.get_dummy_value()

    return _void(3), generate


def _make_lanes_to_rows(adds):
    def generate(context, builder, signature, args):
        lanes, rows, offset, scales = args
        block = []
        for _ in range(ROW_BLOCK):
            block.append(_load(builder, lanes, _BLOCK, _FLOAT_BYTES))
            lanes = builder.add(lanes, ir.Constant(_INT64, LANE_ROW_BYTES))
        for i, row in enumerate(transpose_block(builder, block)):
            address = builder.add(scales, ir.Constant(_INT64, _FLOAT_BYTES * i))
            scale = _load(builder, address, _FLOAT, _FLOAT_BYTES)
            undefined = ir.Constant(_BLOCK, ir.Undefined)
            first = builder.insert_element(undefined, scale, ir.Constant(_INT32, 0))
            scaled = builder.fmul(row, _shuffle(builder, first, undefined, [0] * ROW_BLOCK))
            out = builder.add(_address_at(builder, rows, i), offset)
            if adds:
                scaled = builder.fadd(_load(builder, out, _BLOCK, _FLOAT_BYTES), scaled)
            _store(builder, scaled, out, _BLOCK, _FLOAT_BYTES)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def lanes_to_rows(typing_context, lanes, rows, offset, scales):
    """Writes half lane rows of eight hands into eight rows, each times its scale.

    Args:
        lanes: address of the first of eight lane rows, or of their second half.
        rows: address of the eight rows' addresses.
        offset: bytes from the beginning of a row to the first of the eight hands.
        scales: address of eight float32 factors.
    """
    return _void(4), _make_lanes_to_rows(adds=False)


@vector_intrinsic
def add_lanes_to_rows(typing_context, lanes, rows, offset, scales):
    """Like `lanes_to_rows`, adding to what is in the rows."""
    return _void(4), _make_lanes_to_rows(adds=True)


@vector_intrinsic
def set_float_mode(typing_context, mode):
    """Sets the processor's floating-point mode and returns the one before; only x86 has it."""

    def generate(context, builder, signature, args):
        if not _IS_X86:
            return args[0]
        of_pointer = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
        store = cgutils.get_or_insert_function(builder.module, of_pointer, "llvm.x86.sse.stmxcsr")
        load = cgutils.get_or_insert_function(builder.module, of_pointer, "llvm.x86.sse.ldmxcsr")
        slot = cgutils.alloca_once(builder, _INT32)
        pointer = builder.bitcast(slot, ir.IntType(8).as_pointer())
        builder.call(store, [pointer])
        old = builder.load(slot)
        builder.store(args[0], slot)
        builder.call(load, [pointer])
        return old

    return types.uint32(types.uint32), generate
