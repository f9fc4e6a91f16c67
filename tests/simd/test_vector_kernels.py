"""Which form kernels call, and the processor's mode."""

import json
import os
import platform
import subprocess
import sys

import numba
import numpy as np
import pytest

from runout.jit import kernel
from runout.simd import vector_kernels
from runout.simd.vector_kernels import LANES

FLUSH_DENORMALS, ROUND_TO_NEAREST = np.uint32(0x9FC0), np.uint32(0x1F80)
needs_simd = pytest.mark.skipif(
    vector_kernels.SIMD_PROBLEM is not None, reason="plain bodies are used"
)

DESCRIBE = """
import json
from runout.simd import decision_kernels, vector_kernels
piece = decision_kernels.play_and_add
print(json.dumps([vector_kernels.SIMD_PROBLEM, piece.plain is not piece]))
"""
ADD_UP = """
import json
import numpy as np
from runout import jit
from runout.simd import vector_kernels

def add(numbers, row):
    vector_kernels.store(vector_kernels.load(numbers, 0) + vector_kernels.spread(row), numbers, 0)

numbers = np.zeros((1, vector_kernels.LANES), np.float32)
jit.kernel(add)(numbers, np.float32(1.0))
print(json.dumps([jit.compile_problems, int(numbers.sum())]))
"""
BREAK_NUMBA = """
from llvmlite import ir
def refuse(self):
    raise NotImplementedError("pointers have no type")
ir.VectorType.as_pointer = refuse
"""


def describe(script=DESCRIBE, **environment):
    """Returns why plain bodies are used in a new process, and whether there is another form."""
    command = [sys.executable, "-c", script]
    run = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@pytest.mark.parametrize(("name", "value"), [("RUNOUT_SIMD", "off"), ("NUMBA_DISABLE_JIT", "1")])
def test_plain_bodies_can_be_chosen(name, value):
    problem, has_forms = describe(**{name: value})
    assert name in problem
    assert not has_forms


@needs_simd
def test_another_numba_costs_time_and_no_more(tmp_path):
    problems, num_added = describe(BREAK_NUMBA + ADD_UP, RUNOUT_CACHE=str(tmp_path))
    assert [problem.startswith("numba's internals") for problem in problems] == [True]
    assert num_added == LANES


@kernel
def set_float_mode(mode):
    return vector_kernels.set_float_mode(mode)


@kernel
def multiply(left, right, out_product):
    for i in range(left.shape[0]):
        out_product[i] = left[i] * right[i]


@needs_simd
@pytest.mark.skipif(platform.machine().lower() not in {"x86_64", "amd64"}, reason="x86 only")
def test_the_float_mode_flushes_denormals_until_it_is_set_back():
    small, product = np.full(LANES, 1e-20, np.float32), np.zeros(LANES, np.float32)
    multiply(small, small, product)
    assert (product > 0.0).all()
    before = set_float_mode(FLUSH_DENORMALS)
    try:
        multiply(small, small, product)
    finally:
        flushing = set_float_mode(np.uint32(before))
    np.testing.assert_array_equal(product, 0.0)
    # The low six bits say which exceptions have happened.
    assert np.uint32(flushing) & ~np.uint32(0x3F) == FLUSH_DENORMALS
    assert np.uint32(before) & ~np.uint32(0x3F) == ROUND_TO_NEAREST
    multiply(small, small, product)
    assert (product > 0.0).all()


@needs_simd
def test_processors_without_a_float_mode_keep_denormals(monkeypatch):
    monkeypatch.setattr(vector_kernels, "_IS_X86", False)

    @numba.njit  # compiled here and now, and not kept
    def set_no_mode(mode):
        return vector_kernels.set_float_mode(mode)

    assert set_no_mode(FLUSH_DENORMALS) == FLUSH_DENORMALS
    small, product = np.full(LANES, 1e-20, np.float32), np.zeros(LANES, np.float32)
    multiply(small, small, product)
    assert (product > 0.0).all()


COMPUTE = """
import json
import numba
import numpy as np
from runout.simd import vector_kernels

@numba.njit(error_model="numpy")
def compute(lanes, out):
    first, second = vector_kernels.load(lanes, 0), vector_kernels.load(lanes, 1)
    three = vector_kernels.spread(np.float32(3.0))
    vector_kernels.store(first + second, out, 0)
    vector_kernels.store(first - second * three, out, 1)
    vector_kernels.store(vector_kernels.multiply_add(first, second, three), out, 2)
    vector_kernels.store(vector_kernels.choose(lanes.shape[0] > 1, second, first), out, 3)
    total = vector_kernels.widen(first) + vector_kernels.widen(second)
    vector_kernels.store(vector_kernels.narrow(total), out, 4)

lanes = np.arange(32, dtype=np.float32).reshape(2, 16) / 7
out = np.zeros((5, 16), np.float32)
compute(lanes, out)
print(json.dumps(out.astype(float).tolist()))
"""


@pytest.mark.parametrize("simd", ["on", "off"])
def test_lane_rows_are_values_in_both_forms(simd):
    first, second = np.arange(32).reshape(2, 16) / 7
    expected = [first + second, first - 3 * second, first * second + 3, second, first + second]
    np.testing.assert_allclose(describe(COMPUTE, RUNOUT_SIMD=simd), expected, rtol=1e-6)
