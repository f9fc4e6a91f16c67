"""Runs the numerical tests as other machines would: other processors, libraries' threads, load.

Every machine first computes the results of `tests/integration/small_results.py`. Machines whose
kernels multiply and add with one rounding must agree in every bit; others (a generic x86-64) in
what a player wins, within what best responses gain. Then each runs the numerical tests.

``--short`` runs a selection that takes minutes.
"""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from runout.arrays import FloatArray
from runout.cache import cache_directory

Results = dict[str, FloatArray]

_ROOT = Path(__file__).parents[1]
_FLOAT32_ROUNDING = 1e-5

#: Everything that computes with fractions.
NUMERICAL_TESTS = (
    "tests/test_products.py tests/test_product_kernels.py tests/abstraction tests/cfr tests/equity "
    "tests/holdem tests/lab tests/pipeline tests/postflop tests/preflop tests/integration"
).split()

#: A kernel of each kind, the vector instructions, and what failed on another machine once.
SHORT_TESTS = (
    "tests/test_products.py tests/test_product_kernels.py tests/cfr/test_matrix_leaves.py "
    "tests/holdem/test_simd_kernels.py tests/holdem/test_terminal_kernels.py "
    "tests/postflop/exhaustive/test_exhaustive.py"
).split()


@dataclass(frozen=True)
class Machine:
    """A machine that this one can pretend to be.

    Attributes:
        name: what it is.
        environment: what makes libraries take it for that.
        has_own_kernels: whether kernels are compiled for it, into a cache of its own.
        rounds_once: whether its kernels multiply and add with one rounding.
        is_busy: whether every core has something else to do.
        is_x86: whether instructions that only x86 has are used.
    """

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    has_own_kernels: bool = False
    rounds_once: bool = True
    is_busy: bool = False
    is_x86: bool = True


def machines() -> list[Machine]:
    """Returns this machine as it is, and all the others that it can pretend to be."""
    has_wide_registers = bool(_numpy_features("AVX512", "X86_V4"))
    core_types = ["Haswell", "Sandybridge", *(["SkylakeX"] if has_wide_registers else [])]
    without_512 = " ".join(_numpy_features("AVX512", "X86_V4"))
    without_256 = " ".join(_numpy_features("AVX512", "X86_V4", "AVX2", "FMA3", "X86_V3"))
    return [
        Machine("this one"),
        *(Machine(f"OpenBLAS for {name}", {"OPENBLAS_CORETYPE": name}) for name in core_types),
        *(Machine(f"{n} BLAS threads", {"OPENBLAS_NUM_THREADS": str(n)}) for n in (1, 2)),
        Machine("numpy without AVX-512", {"NPY_DISABLE_CPU_FEATURES": without_512}),
        Machine("numpy without AVX2", {"NPY_DISABLE_CPU_FEATURES": without_256}),
        Machine("both cores busy", is_busy=True),
        Machine("kernels for Haswell", _numba("haswell"), has_own_kernels=True),
        Machine(
            "kernels for any x86-64", _numba("x86-64"), has_own_kernels=True, rounds_once=False
        ),
        Machine("no instructions of x86", has_own_kernels=True, is_x86=False),
    ]


def _numba(name: str) -> dict[str, str]:
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}


def _numpy_features(*prefixes: str) -> list[str]:
    """Returns what numpy chooses by the processor, has chosen here, and is called so."""
    internals = importlib.import_module("numpy._core._multiarray_umath")
    is_there: dict[str, bool] = internals.__cpu_features__
    return [n for n in internals.__cpu_dispatch__ if n.startswith(prefixes) and is_there.get(n)]


def main(arguments: Sequence[str]) -> int:
    """Prints one line for each machine; returns 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a selection, in minutes")
    parser.add_argument("--only", metavar="WORDS", help="machines whose name holds these words")
    options = parser.parse_args(arguments)
    tests = SHORT_TESTS if options.short else NUMERICAL_TESTS
    first, *others = machines()
    chosen = [first, *(m for m in others if options.only is None or options.only in m.name)]
    failed = 0
    expected: Results = {}
    for machine in chosen:
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder, _busy_cores(machine.is_busy):
            problem, results = _compute(machine, Path(folder) / "results.npz")
            expected = expected or results
            problem = problem or _compare(machine, expected, results) or _run_tests(machine, tests)
        failed += bool(problem)
        verdict = "FAILED" if problem else "passed"
        print(f"{machine.name:24} {verdict} in {time.perf_counter() - started:5.0f} s", flush=True)
        if problem:
            print(problem, flush=True)
    return 1 if failed else 0


def _compute(machine: Machine, path: Path) -> tuple[str, Results]:
    """Returns what went wrong, or nothing, and the results of a machine."""
    problem = _run(
        machine, "from tests.integration.small_results import main", f"main({str(path)!r})"
    )
    if problem:
        return problem, {}
    with np.load(path) as arrays:
        return "", dict(arrays)


def _compare(machine: Machine, expected: Results, got: Results) -> str:
    """Returns which results differ more than they may."""
    problems = []
    for name, numbers in expected.items():
        if name.endswith(" value"):
            (value, gain), (other_value, other_gain) = numbers, got[name]
            # A value lies within the gains of best responses of the game's.
            if abs(value - other_value) > gain + other_gain + _FLOAT32_ROUNDING:
                problems.append(f"{name} is {other_value}, not {value} +- {gain + other_gain}")
        elif machine.rounds_once and numbers.tobytes() != got[name].tobytes():
            problems.append(f"{name}: bits differ")
    return "\n".join(problems)


def _run_tests(machine: Machine, tests: Sequence[str]) -> str:
    arguments = ["-q", "-n", "0", "-x", "-p", "no:cacheprovider", *tests]
    return _run(machine, "import sys, pytest", f"sys.exit(pytest.main({arguments!r}))")


def _run(machine: Machine, *statements: str) -> str:
    """Runs statements on a machine and returns the end of what they print if they fail."""
    prelude = ["import numba, platform", "platform.machine = lambda: 'aarch64'"]
    code = "\n".join([*([] if machine.is_x86 else prelude), *statements])
    environment = {**os.environ, **machine.environment}
    if machine.has_own_kernels:
        cache = cache_directory() / "machines" / machine.name.replace(" ", "-")
        environment["RUNOUT_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, env=environment, capture_output=True, text=True
    )
    return (done.stdout + done.stderr)[-4_000:] if done.returncode else ""


@contextmanager
def _busy_cores(is_wanted: bool) -> Iterator[None]:
    """Keeps every core busy inside the block."""
    count = (os.cpu_count() or 1) if is_wanted else 0
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
