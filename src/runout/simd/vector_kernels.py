"""Pieces in two forms: a plain body, and vector instructions that do the same faster.

A *piece* is a function decorated with `vectorised`. Its body is plain Python, which numba compiles
as it stands; beside it stands a function that writes LLVM code for the same. Kernels call the
LLVM code, unless ``RUNOUT_SIMD`` is ``off``, nothing is compiled at all (``NUMBA_DISABLE_JIT``), or
numba's internals, which are no interface, are not what the LLVM code needs; that is found out when
a kernel is compiled. The plain bodies then cost time and nothing else.
Both add and multiply in the same order and round as often.

Vectors hold 16 numbers with AVX-512, 8 with AVX, else 4, by the features for which numba
compiles. Numba keeps compiled code apart by the same features, so that processors can share a
cache. Arrays must lie in memory without gaps; nothing else is checked.
"""

import inspect
import operator
import os
import platform
from collections.abc import Callable
from functools import cached_property, partial
from inspect import Parameter, Signature
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray
from runout.jit import Kernel, LazyModule, compile_problems, kernel

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: Numbers that stand side by side in a *lane row*, one for each of as many rows.
LANES = 16

FLOAT_BYTES = 4

#: Lets LLVM round a product and a sum once.
_FUSED = ("contract",)

_IS_X86 = platform.machine().lower() in {"x86_64", "amd64"}

# Only what compiles a kernel needs them.
ir: Any = LazyModule("llvmlite.ir")
cgutils: Any = LazyModule("numba.core.cgutils")
types: Any = LazyModule("numba.core.types")
extending: Any = LazyModule("numba.extending")
_compiler: Any = LazyModule("runout.compiler")


class _Kinds:
    """LLVM's types of numbers, and numba's types of lane rows, made when the first is asked for."""

    def __getattr__(self, name: str) -> Any:
        if not name.isupper():
            raise AttributeError(name)
        bits = {"BYTE": 8, "SHORT": 16, "INT32": 32, "INT64": 64}
        found = {each: ir.IntType(number) for each, number in bits.items()}
        found |= {"FLOAT": ir.FloatType(), "DOUBLE": ir.DoubleType()}
        vars(self).update(found | _make_lane_rows(found["FLOAT"], found["DOUBLE"]))
        return vars(self)[name]


LL: Any = _Kinds()


def _make_lane_rows(float_type, double_type):
    """Returns numba's types of lane rows that are values, vectors of `LANES` numbers of a type."""

    class LaneRowType(types.Type):
        def __init__(self, kind):
            self.kind = kind
            super().__init__(name=f"LaneRow({kind})")

    @extending.register_model(LaneRowType)
    class LaneRowModel(extending.models.PrimitiveModel):
        def __init__(self, manager, row):
            number = float_type if row.kind == types.float32 else double_type
            super().__init__(manager, row, ir.VectorType(number, LANES))

    for symbol, instruction in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul")):
        _add_operator(LaneRowType, getattr(operator, symbol), instruction)
    return {
        "LANE_ROW": LaneRowType(types.float32),
        "WIDE_LANE_ROW": LaneRowType(types.float64),
    }


def _add_operator(of_type, symbol, instruction):
    """Lets kernels write an operator between lane rows."""

    def type_call(typing_context, left, right):
        def generate(context, builder, signature, args):
            return getattr(builder, instruction)(*args)

        return left(left, right), generate

    compute: Any = extending.intrinsic(type_call)

    @extending.overload(symbol)
    def compute_rows(left, right):
        if isinstance(left, of_type) and left == right:
            return lambda left, right: compute(left, right)
        return None


class Memory(NamedTuple):
    """An array that LLVM code was called with: address, lengths and numba's type of its numbers."""

    start: Any
    shape: Any
    kind: Any


class VectorCode:
    """Writes code with vectors of one width."""

    def __init__(self, context, builder, width=None):
        features = set(context.codegen().magic_tuple()[2].split(","))
        self.has_fma = bool({"+fma", "+avx512f"} & features)
        widest = 16 if "+avx512f" in features else 8 if "+avx" in features else 4
        self.context, self.builder, self.width = context, builder, width or widest
        self.bytes = self.width * FLOAT_BYTES
        self.vector = ir.VectorType(LL.FLOAT, self.width)
        self.zero = ir.Constant(self.vector, None)

    def read(self, kind, value):
        """Returns an argument: arrays as `Memory`, whole numbers as int64, NamedTuples of these."""
        if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
            parts = cgutils.unpack_tuple(self.builder, value)
            return kind.instance_class(
                *(self.read(*pair) for pair in zip(kind, parts, strict=True))
            )
        if isinstance(kind, types.Array):
            array = self.context.make_array(kind)(self.context, self.builder, value)
            shape = cgutils.unpack_tuple(self.builder, array.shape)
            return Memory(self.builder.ptrtoint(array.data, LL.INT64), shape, kind.dtype)
        if isinstance(kind, types.Integer):
            return self.context.cast(self.builder, value, kind, types.int64)
        return value

    def whole(self, number):
        """Returns a whole number, of Python's or one that the code computes, as an int64."""
        return ir.Constant(LL.INT64, number) if isinstance(number, int) else number

    def constant(self, value):
        """Returns a vector of one number."""
        return ir.Constant(self.vector, [float(value)] * self.width)

    def at(self, address, offset):
        """Returns an address some bytes further on."""
        return self.builder.add(address, self.whole(offset))

    def times(self, number, size):
        """Returns the product of two integers."""
        return self.builder.mul(self.whole(number), self.whole(size))

    def load(self, address, kind=None, align=FLOAT_BYTES):
        """Returns what is at an address, by default a vector."""
        kind = kind or self.vector
        return self.builder.load(self.builder.inttoptr(address, kind.as_pointer()), align=align)

    def store(self, value, address, align=FLOAT_BYTES):
        """Writes a value at an address."""
        pointer = self.builder.inttoptr(address, value.type.as_pointer())
        self.builder.store(value, pointer, align=align)

    def number(self, memory, index):
        """Returns one of an array's numbers, whole ones as an int64."""
        kind = self.context.get_data_type(memory.kind)
        size = memory.kind.bitwidth // 8
        found = self.load(self.at(memory.start, self.times(index, size)), kind, align=size)
        if not isinstance(memory.kind, types.Integer) or size == LL.INT64.width // 8:
            return found
        extend = self.builder.sext if "u" not in memory.kind.name else self.builder.zext
        return extend(found, LL.INT64)

    def row(self, memory, index):
        """Returns the address of a row of an array whose last axis is the row's."""
        size = self.times(memory.shape[-1], memory.kind.bitwidth // 8)
        return self.builder.add(memory.start, self.times(index, size))

    def lane_row(self, memory, index):
        """Returns the address of a lane row; its length is known."""
        return self.builder.add(memory.start, self.times(index, LANES * FLOAT_BYTES))

    def numbers_from(self, first, number, end):
        """Returns consecutive whole numbers, the last one before an end repeated."""
        builder, last = self.builder, self.at(end, -1)
        numbers = [self.at(first, i) for i in range(number)]
        return [builder.select(builder.icmp_signed("<", i, last), i, last) for i in numbers]

    def either(self, condition, body):
        """Calls ``body(True)`` where a condition holds, else ``body(False)``."""
        with self.builder.if_else(condition) as (then, otherwise):
            with then:
                body(True)
            with otherwise:
                body(False)

    def prefetch(self, address):
        """Asks for what is at an address to be brought near, whether or not there is anything."""
        of_byte = LL.BYTE.as_pointer()
        kinds = [of_byte, LL.INT32, LL.INT32, LL.INT32]
        numbers = [ir.Constant(LL.INT32, number) for number in (0, 2, 1)]  # to read, near, data
        self.call("llvm.prefetch.p0", kinds, [self.builder.inttoptr(address, of_byte), *numbers])

    def call(self, name, kinds, args, returned=None):
        """Calls a function of LLVM's."""
        kind = ir.FunctionType(returned or ir.VoidType(), kinds)
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, args)

    def spread(self, scalar, vector=None):
        """Returns a vector of one number that the code computes."""
        vector = vector or self.vector
        nothing = ir.Constant(vector, ir.Undefined)
        first = self.builder.insert_element(nothing, scalar, ir.Constant(LL.INT32, 0))
        mask = ir.Constant(ir.VectorType(LL.INT32, vector.count), [0] * vector.count)
        return self.builder.shuffle_vector(first, nothing, mask)

    def multiply_add(self, x, y, z):
        """Returns ``x * y + z``, rounded once where the processor can."""
        if not self.has_fma:
            return self.builder.fadd(self.builder.fmul(x, y, flags=_FUSED), z, flags=_FUSED)
        name = f"llvm.fma.v{x.type.count}f{64 if x.type.element == LL.DOUBLE else 32}"
        return self.call(name, [x.type] * 3, [x, y, z], x.type)

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
            mask = ir.Constant(ir.VectorType(LL.INT32, self.width), places)
            x = self.larger(x, self.builder.shuffle_vector(x, x, mask))
            distance //= 2
        return self.builder.extract_element(x, ir.Constant(LL.INT32, 0))

    def slot(self, kind=None):
        """Returns a place for a vector, zero at first, that ends up in a register."""
        kind = kind or self.vector
        slot = cgutils.alloca_once(self.builder, kind)
        self.builder.store(ir.Constant(kind, None), slot)
        return slot

    def each(self, count, body, begin=0, step=1):
        """Calls ``body(index)`` from a beginning to an end; written out for a Python number."""
        if isinstance(count, int):
            for index in range(begin, count, step):
                body(self.whole(index))
            return
        bounds = self.whole(begin), count, self.whole(step)
        with cgutils.for_range_slice(self.builder, *bounds, intp=LL.INT64) as (index, _):
            body(index)

    def each_vector(self, num_bytes, body):
        """Calls ``body(offset)`` for every vector of a row; the code is a loop."""
        self.each(num_bytes, body, step=self.bytes)


class _Piece:
    """What kernels call where LLVM code is used: `write` in the place of a plain body."""

    def __init__(self, write, plain, width=None, returns="void"):
        self._write, self._width, self._returns = write, width, returns
        self.plain = plain

    @property
    def _numba_type_(self):
        return self.plain._numba_type_ if compile_problems else self._vector_type

    @cached_property
    def _vector_type(self):
        returns = getattr(LL if "LANE" in self._returns else types, self._returns)

        def type_call(typing_context, *kinds):
            kinds = tuple(_widen(kind) for kind in kinds)

            def generate(context, builder, signature, args):
                code = VectorCode(context, builder, self._width)
                read = (code.read(*pair) for pair in zip(kinds, args, strict=True))
                result = self._write(code, *read)
                return context.get_dummy_value() if result is None else result

            return returns(*kinds), generate

        # Numba asks for names: its own first parameter, then those of the plain body.
        context = Parameter("typing_context", Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(self.plain).parameters.values()
        type_call.__signature__ = Signature([context, *parameters])  # type: ignore[attr-defined]
        type_call.__name__, type_call.__doc__ = self.plain.__name__, self.plain.__doc__
        return _compiler.type_of_intrinsic(extending.intrinsic(type_call))


def _widen(kind):
    """Returns the type with which LLVM code takes an argument."""
    if isinstance(kind, types.Array):
        assert kind.layout == "C", f"{kind} has gaps"
    elif isinstance(kind, types.Integer):
        return types.int64
    elif isinstance(kind, types.Float):
        return types.float32
    return kind


def _find_choice() -> str | None:
    """Returns why plain bodies were asked for, None if they were not."""
    if os.environ.get("RUNOUT_SIMD", "").lower() == "off":
        return "RUNOUT_SIMD is off"
    return None if isinstance(kernel(len), Kernel) else "NUMBA_DISABLE_JIT is set"


#: Why kernels are always compiled from plain bodies, None if they contain LLVM code.
SIMD_PROBLEM = _find_choice()


def vectorised(
    write: Callable[..., Any],
    width: int | None = None,
    fused: bool = False,
    returns: str = "void",
) -> Callable[[Callable[..., Any]], Any]:
    """Makes a function a piece: ``write(code, *arguments)`` writes LLVM code for its body.

    Vectors have ``width`` numbers, None for as many as the processor's hold; ``fused`` lets the
    plain body round products and sums once where the processor can; ``returns`` is numba's type.
    """

    def choose(plain: Callable[..., Any]) -> Any:
        compiled = kernel(plain, fused=fused)
        if SIMD_PROBLEM is not None:
            compiled.plain = compiled
            return compiled
        return _Piece(write, compiled, width, returns)

    return choose


#: A kernel that rounds a product and a sum once where the processor can.
fused_kernel = partial(kernel, fused=True)

#: A piece whose lane rows are one vector each.
lane_vectorised = partial(vectorised, width=LANES)


def _write_float_mode(code, mode):
    mode = code.builder.trunc(mode, LL.INT32)
    if not _IS_X86:
        return mode
    pointer, slot = LL.BYTE.as_pointer(), cgutils.alloca_once(code.builder, LL.INT32)
    place = code.builder.bitcast(slot, pointer)
    code.call("llvm.x86.sse.stmxcsr", [pointer], [place])
    old = code.builder.load(slot)
    code.builder.store(mode, slot)
    code.call("llvm.x86.sse.ldmxcsr", [pointer], [place])
    return old


@vectorised(_write_float_mode, returns="uint32")
def set_float_mode(mode: np.uint32) -> np.uint32:
    """Sets the processor's floating-point mode and returns the one before; only x86 has it.

    Plain code cannot, and computes with denormal numbers.
    """
    return mode


# --------------------------------------------------------------------------------------------------
# Lane rows as values: kernels load them, compute with ``+``, ``-`` and ``*``, and store them. Plain
# bodies compute with arrays of sixteen numbers.


@lane_vectorised(
    lambda code, lanes, index: code.load(code.lane_row(lanes, index)), returns="LANE_ROW"
)
def load(lanes: Float32Array, index: int) -> Float32Array:
    """Returns one of the lane rows ``[n, 16]``."""
    row: Float32Array = lanes[index].copy()
    return row


@lane_vectorised(lambda code, row, lanes, index: code.store(row, code.lane_row(lanes, index)))
def store(row: Float32Array, lanes: Float32Array, index: int) -> None:
    """Sets one of the lane rows ``[n, 16]``."""
    lanes[index] = row


@lane_vectorised(lambda code, number: code.spread(number), returns="LANE_ROW")
def spread(number: np.float32) -> Float32Array:
    """Returns a lane row of one number."""
    return np.full(LANES, number, np.float32)


@lane_vectorised(lambda code, *args: code.builder.select(*args), returns="LANE_ROW")
def choose(is_first: bool, first: Float32Array, second: Float32Array) -> Float32Array:
    """Returns one of two lane rows."""
    return first if is_first else second


@lane_vectorised(lambda code, *rows: code.multiply_add(*rows), fused=True, returns="LANE_ROW")
def multiply_add(x: Float32Array, y: Float32Array, z: Float32Array) -> Float32Array:
    """Returns ``x * y + z``, rounded once where the processor can."""
    result = np.empty(LANES, np.float32)
    for lane in range(LANES):
        result[lane] = x[lane] * y[lane] + z[lane]
    return result


def _write_wide(code, row):
    return code.builder.fpext(row, ir.VectorType(LL.DOUBLE, LANES))


@lane_vectorised(_write_wide, returns="WIDE_LANE_ROW")
def widen(row: Float32Array) -> FloatArray:
    """Returns a lane row in float64."""
    return row.astype(np.float64)


@lane_vectorised(lambda code, row: code.builder.fptrunc(row, code.vector), returns="LANE_ROW")
def narrow(row: FloatArray) -> Float32Array:
    """Returns a lane row in float32."""
    return row.astype(np.float32)
