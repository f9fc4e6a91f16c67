"""Builds vector instructions as wide as the processor has them.

Vectors hold 16 numbers with AVX-512, 8 with AVX, else 4, by the features for which numba compiles.
Numba keeps compiled code apart by the same features, so that processors can share a cache.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

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
