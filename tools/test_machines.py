"""Runs the numerical tests as other machines would: other processors, libraries' threads, load.

Every machine first computes the results of `tests/integration/small_results.py`. Machines whose
kernels multiply and add with one rounding must agree in every bit; others (a generic x86-64) in
what a player wins, within what best responses gain. Then each runs the numerical tests.

``--short`` is what CI runs after `make test`: few machines, as different as can be, and a
selection of tests.
"""

import argparse
import importlib
import os
import platform
import re
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
_VALUE = " value"  # ends the names of what a player wins, as small results are saved

#: Everything that computes with fractions.
NUMERICAL_TESTS = (
    "tests/abstraction",
    "tests/cfr",
    "tests/equity",
    "tests/holdem",
    "tests/simd",
    "tests/runs",
    "tests/flops",
    "tests/preflop",
    "tests/integration",
)

#: What libraries compute a part of, which is little: products and clusters are our own.
LIBRARY_TESTS = (
    "tests/simd/test_products.py",
    "tests/abstraction",
    "tests/cfr",
    "tests/equity",
    "tests/preflop",
    "tests/integration/test_same_bits.py",
    "tests/flops/test_hands.py",
)

#: The vector instructions, products, and what failed on another machine once.
SHORT_TESTS = (
    "tests/simd/test_products.py",
    "tests/simd/test_product_kernels.py",
    "tests/cfr/test_leaves.py",
    "tests/simd/test_vector_kernels.py",
    "tests/holdem/test_terminal_kernels.py",
    "tests/flops/test_hands.py",
)

#: The same where every kernel has to be compiled first.
KERNEL_TESTS = (
    "tests/simd/test_product_kernels.py",
    "tests/cfr/test_cfr_kernels.py",
    "tests/simd/test_vector_kernels.py",
    "tests/holdem/test_terminal_kernels.py",
)

#: Small results: all but the dear ones, and those that need few kernels.
SHORT_RESULTS = (
    "exhaustive",
    "public_chance",
    "external",
    "preflop",
    "push_fold",
    "turn",
    "turn_of_16_bits",
    "compact_flop",
    "clusters",
)
KERNEL_RESULTS = ("exhaustive", "push_fold")


@dataclass(frozen=True)
class Machine:
    """A machine that this one can pretend to be.

    Attributes:
        name: what it is.
        environment: what makes libraries take it for that.
        tests: files and folders of tests that it runs.
        results: names of the small results that it computes, all if there are none.
        has_own_kernels: whether kernels are compiled for it, into a cache of its own.
        rounds_once: whether its kernels multiply and add with one rounding.
        is_busy: whether every core has something else to do.
        is_x86: whether instructions that only x86 has are used.
        num_workers: processes that share its tests; none to run them where it is pretended.
    """

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    tests: Sequence[str] = NUMERICAL_TESTS
    results: Sequence[str] = ()
    has_own_kernels: bool = False
    rounds_once: bool = True
    is_busy: bool = False
    is_x86: bool = True
    num_workers: int = 2


def machines() -> list[Machine]:
    """Returns this machine, whose tests `make test` runs, and all that it can pretend to be."""
    chosen = [
        Machine("this one", tests=()),
        *(_other_libraries(f"{n} BLAS threads", {"OPENBLAS_NUM_THREADS": str(n)}) for n in (1, 2)),
        Machine("both cores busy", is_busy=True),
    ]
    if not _is_x86():
        return chosen
    core_types = ["Haswell", "Sandybridge", *(["SkylakeX"] if _wide_features() else [])]
    return [
        *chosen,
        *(
            _other_libraries(f"OpenBLAS for {name}", {"OPENBLAS_CORETYPE": name})
            for name in core_types
        ),
        _other_libraries("numpy without AVX-512", _numpy_without(_wide_features())),
        _other_libraries("numpy without AVX2", _numpy_without(_vector_features())),
        Machine("kernels for Haswell", _numba("haswell", _OF_HASWELL), has_own_kernels=True),
        Machine(
            "kernels for any x86-64", _numba("x86-64"), has_own_kernels=True, rounds_once=False
        ),
        Machine("no instructions of x86", has_own_kernels=True, is_x86=False, num_workers=0),
    ]


def short_machines() -> list[Machine]:
    """Returns few machines; the tests of this one are those that `make test` has run before."""
    this_one = Machine("this one", tests=(), results=SHORT_RESULTS)
    two_threads = {"OPENBLAS_NUM_THREADS": "2"}
    busy = Machine("both cores busy", two_threads, SHORT_TESTS, SHORT_RESULTS, is_busy=True)
    if not _is_x86():
        return [this_one, busy]
    old = {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1"}
    old |= _numpy_without(_vector_features())
    return [
        this_one,
        Machine("older libraries", old, SHORT_TESTS, SHORT_RESULTS),
        busy,
        Machine(
            "kernels for any x86-64",
            _numba("x86-64"),
            KERNEL_TESTS,
            KERNEL_RESULTS,
            has_own_kernels=True,
            rounds_once=False,
        ),
    ]


def _other_libraries(name: str, environment: dict[str, str]) -> Machine:
    return Machine(name, environment, LIBRARY_TESTS)


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


#: Kernels are as wide as the features that numba names, whatever a processor of the name has.
_OF_HASWELL = "+sse4.2,+avx,+avx2,+fma,+f16c,+bmi,+bmi2"


def _numba(name: str, features: str = "") -> dict[str, str]:
    return {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}


def _wide_features() -> list[str]:
    return _numpy_features("AVX512", "X86_V4")


def _vector_features() -> list[str]:
    return _numpy_features("AVX512", "X86_V4", "AVX2", "FMA3", "X86_V3")


def _numpy_features(*prefixes: str) -> list[str]:
    """Returns what numpy chooses by the processor, has chosen here, and is called so."""
    internals = importlib.import_module("numpy._core._multiarray_umath")
    is_there: dict[str, bool] = internals.__cpu_features__
    return [n for n in internals.__cpu_dispatch__ if n.startswith(prefixes) and is_there.get(n)]


def _numpy_without(features: Sequence[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}


def main(arguments: Sequence[str]) -> int:
    """Prints one line for each machine; returns 1 if one of them fails or no test passes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="few machines, in minutes")
    parser.add_argument("--only", metavar="WORDS", help="machines whose name holds these words")
    options = parser.parse_args(arguments)
    first, *others = short_machines() if options.short else machines()
    chosen = [first, *(m for m in others if options.only is None or options.only in m.name)]
    started = time.perf_counter()
    num_failed = num_tests = 0
    expected: Results = {}
    for machine in chosen:
        began = time.perf_counter()
        problem, results, num_passed = _visit(machine, expected)
        expected = expected or results
        num_failed += bool(problem)
        num_tests += num_passed
        num_results = sum(not name.endswith(_VALUE) for name in results)
        verdict = "FAILED" if problem else f"{num_results} results, {num_passed} tests passed"
        print(f"{machine.name:24} {verdict} in {time.perf_counter() - began:.0f} s", flush=True)
        if problem:
            print(problem, flush=True)
    seconds = time.perf_counter() - started
    failures = f"{num_failed} failed, " if num_failed else ""
    print(f"{len(chosen)} machines: {failures}{num_tests} passed in {seconds:.0f} s", flush=True)
    return 1 if num_failed or not num_tests else 0


def _visit(machine: Machine, expected: Results) -> tuple[str, Results, int]:
    """Returns what went wrong on a machine, or nothing, its results and how many tests passed."""
    with tempfile.TemporaryDirectory() as folder, _busy_cores(machine.is_busy):
        problem, results = _compute(machine, Path(folder) / "results.npz")
        problem = problem or _compare(machine, expected, results)
        if problem or not machine.tests:
            return problem, results, 0
        problem, num_passed = _run_tests(machine)
        return problem, results, num_passed


def _compute(machine: Machine, path: Path) -> tuple[str, Results]:
    """Returns what went wrong, or nothing, and the results of a machine."""
    call = f"main({str(path)!r}, *{tuple(machine.results)!r})"
    done = _run(machine, "from tests.samples.small_results import main", call)
    if done.returncode:
        return _end_of(done), {}
    with np.load(path) as arrays:
        return "", dict(arrays)


def _compare(machine: Machine, expected: Results, got: Results) -> str:
    """Returns which results differ more than they may; with nothing to compare, none does."""
    problems = []
    for name in expected.keys() & got.keys():
        numbers, others = expected[name], got[name]
        if name.endswith(_VALUE):
            (value, gain), (other_value, other_gain) = numbers, others
            # A value lies within the gains of best responses of the game's.
            if abs(value - other_value) > gain + other_gain + _FLOAT32_ROUNDING:
                problems.append(f"{name} is {other_value}, not {value} +- {gain + other_gain}")
        elif machine.rounds_once and numbers.tobytes() != others.tobytes():
            problems.append(f"{name}: bits differ")
    return "\n".join(sorted(problems))


def _run_tests(machine: Machine) -> tuple[str, int]:
    """Returns what went wrong, or nothing, and how many tests passed."""
    processes = ["-n", str(machine.num_workers), "--dist", "worksteal"]
    arguments = ["-q", *processes, "-x", "-p", "no:cacheprovider", *machine.tests]
    done = _run(machine, "import sys, pytest", f"sys.exit(pytest.main({arguments!r}))")
    passed = re.search(r"^(\d+) passed", done.stdout, re.MULTILINE)
    if done.returncode or passed is None:
        return _end_of(done), 0
    return "", int(passed[1])


def _run(machine: Machine, *statements: str) -> subprocess.CompletedProcess[str]:
    """Runs statements on a machine."""
    prelude = ["import numba, platform", "platform.machine = lambda: 'aarch64'"]
    code = "\n".join([*([] if machine.is_x86 else prelude), *statements])
    environment = {**os.environ, **machine.environment}
    if machine.has_own_kernels:
        cache = cache_directory() / "machines" / machine.name.replace(" ", "-")
        environment["RUNOUT_CACHE"] = str(cache)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, env=environment, capture_output=True, text=True
    )


def _end_of(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stdout + done.stderr)[-4_000:] or f"exit code {done.returncode}, nothing printed"


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
