"""Compilation and its cache, on a package of two tiny kernels that is copied and edited."""

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

import runout
from runout import jit
from runout.cards import evaluator_kernels
from runout.equity import equity_kernels
from runout.events import KernelCompiled
from runout.jit import kernel, loaded_kernels, solve_time

COPIED_MODULES = ["arrays.py", "cache.py", "errors.py", "events.py", "jit.py"]

CALLEE = """
from runout.jit import inlined, kernel

@inlined
def add_nothing(number):
    return number + 0

@kernel
def add_one(number):
    return add_nothing(number) + 1
"""
CALLER = """
from runout import callee_kernels
from runout.jit import kernel

@kernel
def add_two(number):
    return callee_kernels.add_one(callee_kernels.add_one(number))
"""
CALL_CALLER = """
import json
from runout.jit import loaded_kernels, reporting_compilation
from runout import caller_kernels
events = []
with reporting_compilation(events.append):
    value = caller_kernels.add_two(5)
    caller_kernels.add_two(6)
    caller_kernels.add_two(1.5)
caller_kernels.add_two(2j)  # outside the block
facts = [[type(event).__name__, vars(event)] for event in events]
print(json.dumps({"value": value, "events": facts, "kernels": sorted(loaded_kernels())}))
"""


@pytest.fixture
def package(tmp_path) -> Path:
    """The package with its own kernels only, in a folder of its own."""
    root = tmp_path / "source" / "runout"
    root.mkdir(parents=True)
    (root / "__init__.py").touch()
    for name in COPIED_MODULES:
        shutil.copy(Path(runout.__file__).parent / name, root)
    (root / "callee_kernels.py").write_text(CALLEE)
    (root / "caller_kernels.py").write_text(CALLER)
    return root


def call_caller(package: Path, script: str = CALL_CALLER) -> dict:
    """Calls the outer kernel in a new process and returns what happened there."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "RUNOUT_CACHE": str(package.parents[1] / "cache"),
    }
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def compiled_names(happened: dict) -> list[str]:
    return [facts["name"] for kind, facts in happened["events"] if kind == "KernelCompiled"]


def test_compilation_is_reported_once_and_cached_kernels_load_silently(package):
    first = call_caller(package)
    assert first["value"] == 7
    assert [(kind, facts["name"]) for kind, facts in first["events"]] == [
        ("KernelCompiling", "add_two"),  # for integers
        ("KernelCompiling", "add_one"),
        ("KernelCompiled", "add_one"),
        ("KernelCompiled", "add_two"),
        ("KernelCompiling", "add_two"),  # for floats
        ("KernelCompiling", "add_one"),
        ("KernelCompiled", "add_one"),
        ("KernelCompiled", "add_two"),
    ]
    for kind, facts in first["events"]:
        assert kind == "KernelCompiling" or facts["seconds"] > 0.0
    assert first["kernels"] == ["runout.callee_kernels.add_one", "runout.caller_kernels.add_two"]
    second = call_caller(package)
    assert (second["value"], second["events"]) == (7, [])


def test_edited_kernel_recompiles_its_callers_in_other_files(package):
    assert call_caller(package)["value"] == 7
    (package / "callee_kernels.py").write_text(CALLEE.replace("+ 1", "+ 10"))
    edited = call_caller(package)
    assert edited["value"] == 25
    assert compiled_names(edited) == 2 * ["add_one", "add_two"]


def test_reordered_fields_of_an_argument_recompile_the_kernel(package):
    """Numba knows a NamedTuple by name and field types and would read the wrong field."""
    fields = ["    first: int", "    second: int"]
    head = "from typing import NamedTuple\n\nclass Pair(NamedTuple):"
    (package / "layout.py").write_text("\n".join([head, *fields]))
    (package / "caller_kernels.py").write_text(
        CALLER.replace("add_two(number)", "add_two(pair: Pair)")
        .replace("add_one(number)", "add_one(pair.first)")
        .replace("from runout.jit", "from runout.layout import Pair\nfrom runout.jit")
    )
    call = CALL_CALLER.replace("import json", "import json\nfrom runout.layout import Pair")
    call = re.sub(r"add_two\((.*)\)", r"add_two(Pair(first=\1, second=90))", call)
    assert call_caller(package, call)["value"] == 7
    (package / "layout.py").write_text("\n".join([head, *reversed(fields)]))
    assert call_caller(package, call)["value"] == 7


def test_edited_compile_options_recompile_everything(package):
    call_caller(package)
    source = (package / "jit.py").read_text()
    assert source.count('error_model="numpy"') == 2
    (package / "jit.py").write_text(source.replace('error_model="numpy"', 'error_model="python"'))
    assert compiled_names(call_caller(package)) == 2 * ["add_one", "add_two"]


def test_digest_changes_with_every_kernel_file_and_with_nothing_else(monkeypatch, package):
    monkeypatch.setattr(jit, "_PACKAGE_ROOT", package)
    digests = [jit._kernel_sources_digest()]
    (package / "caller_kernels.py").write_text(CALLER + "\n# edited\n")
    digests.append(jit._kernel_sources_digest())
    (package / "deep").mkdir()
    (package / "deep" / "new_kernels.py").write_text(CALLEE)
    digests.append(jit._kernel_sources_digest())
    assert len(set(digests)) == len(digests)
    (package / "events.py").write_text("")
    assert jit._kernel_sources_digest() == digests[-1]


def test_digest_changes_with_the_numba_version(monkeypatch):
    digest = jit._kernel_sources_digest()
    monkeypatch.setattr(jit.numba, "__version__", "0.0.0")
    assert jit._kernel_sources_digest() != digest


def test_constants_and_variables_share_the_code_of_a_kernel():
    @kernel
    def multiply(x, y):
        return x * y

    @kernel
    def add_products(x):
        return multiply(x, 3) + multiply(x, x) + multiply(x, y=5)

    assert add_products(2) == 20
    assert len(multiply.signatures) == 1


def test_loaded_kernels_belong_to_the_module_that_defines_them():
    kernels = loaded_kernels()
    assert (
        kernels["runout.cards.evaluator_kernels.evaluate_board"] is evaluator_kernels.evaluate_board
    )
    assert kernels["runout.equity.equity_kernels.count_wins"] is equity_kernels.count_wins
    assert "runout.cards.evaluator_kernels._strength_of_key" not in kernels  # inlined


class Interrupts:
    """Counts what Ctrl-C would do."""

    def __init__(self):
        self.number = 0
        self.earlier = signal.signal(signal.SIGINT, self.count)

    def count(self, *_):
        self.number += 1


@pytest.fixture
def interrupts():
    counted = Interrupts()
    yield counted
    signal.signal(signal.SIGINT, counted.earlier)


def test_ctrl_c_waits_for_the_end_of_the_kernel_that_compiles(interrupts):
    guard = jit._InterruptGuard()
    guard.on_start(None)
    guard.on_start(None)
    signal.raise_signal(signal.SIGINT)
    assert interrupts.number == 0
    guard.on_end(None)
    assert interrupts.number == 1
    guard.on_end(None)
    assert interrupts.number == 1
    signal.raise_signal(signal.SIGINT)
    assert interrupts.number == 2


def test_a_second_ctrl_c_does_not_wait(interrupts):
    guard = jit._InterruptGuard()
    guard.on_start(None)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    assert interrupts.number == 1
    guard.on_end(None)
    assert signal.getsignal(signal.SIGINT) == interrupts.count


def test_a_disk_without_space_costs_no_result(monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit, "_save_problems", [])
    monkeypatch.setattr(jit.FunctionCache, "save_overload", refuse)
    assert jit.find_save_problem() is None
    assert jit.kernel(add_three)(4) == 7
    assert jit.find_save_problem() == "No space left on device"


def test_compiled_code_is_kept_by_one_process_at_a_time(monkeypatch):
    """Numba itself would let two processes write the code of two types into one file."""
    held, seen = [], []

    @contextmanager
    def hold(directory):
        held.append(directory)
        yield
        held.pop()

    monkeypatch.setattr(jit, "only_writer", hold)
    monkeypatch.setattr(jit.FunctionCache, "save_overload", lambda *_: seen.append([*held]))
    jit.kernel(add_three)(4)
    assert seen == [[jit._KERNEL_CACHE]]


def test_copies_of_the_sources_share_compiled_code(monkeypatch):
    """A wheel, a checkout and its copies have one cache; other kernels keep places by path."""
    monkeypatch.setattr(jit, "_PACKAGE_ROOT", Path(__file__).parent)
    place = jit._KernelFiles(add_three).locator
    assert place.get_cache_path() == str(jit._KERNEL_CACHE / "tests")
    assert place.get_source_stamp() == jit.KERNEL_SOURCES_DIGEST
    monkeypatch.undo()
    assert "add_three" in jit._KernelFiles(add_three).filename_base
    assert not isinstance(jit._KernelFiles(add_three).locator, jit._KernelPlace)


def test_rubbish_in_the_cache_is_compiled_over(monkeypatch):
    def mistake(*_):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(jit.FunctionCache, "load_overload", mistake)
    assert jit.kernel(add_three)(4.0) == 7.0


def test_files_full_of_rubbish_are_compiled_over_and_kept_again(package):
    """Lists of what is kept, and what is kept, in turn with every kind of rubbish."""
    assert call_caller(package)["value"] == 7
    for offset in range(2):
        for ending in ("nbi", "nbc"):
            files = sorted((package.parents[1] / "cache").rglob(f"*.{ending}"))
            assert len(files) >= 2
            for number, file in enumerate(files):
                content = file.read_bytes()
                rubbish = (b"", content[: len(content) // 2], b"rubbish", bytes(999))
                file.write_bytes(rubbish[(2 * number + offset) % len(rubbish)])
        again = call_caller(package)
        assert again["value"] == 7
        assert "add_two" in compiled_names(again)
    last = call_caller(package)
    assert (last["value"], last["events"]) == (7, [])


def add_three(number):
    return number + 3


#: What numba tells of a kernel that is compiled.
COMPILING = SimpleNamespace(
    data={"dispatcher": SimpleNamespace(py_func=evaluator_kernels.evaluate_hands.py_func)}
)


def test_a_compilation_that_began_before_the_block_is_not_reported():
    """Another thread may be in the middle of one when the block is entered."""
    heard = []
    jit._CompileListener(heard.append).on_end(COMPILING)
    assert heard == []


def test_the_clock_stands_still_while_kernels_are_compiled(monkeypatch):
    now, heard = [10.0], []
    monkeypatch.setattr(jit.time, "perf_counter", lambda: now[0])
    listener = jit._CompileListener(heard.append)
    started = listener.time_beside()
    now[0] = 12.0
    assert listener.time_beside() - started == 2.0
    listener.on_start(COMPILING)
    now[0] = 15.0
    listener.on_start(COMPILING)
    now[0] = 20.0
    listener.on_end(COMPILING)
    now[0] = 21.0
    assert listener.time_beside() - started == 2.0
    listener.on_end(COMPILING)
    assert listener.time_beside() - started == 2.0
    now[0] = 22.5
    assert listener.time_beside() - started == 3.5
    assert [event.seconds for event in heard if isinstance(event, KernelCompiled)] == [5.0, 9.0]


def test_kernels_that_are_compiled_stop_the_clock(monkeypatch):
    now = [0.0]

    def tick():
        now[0] += 1.0
        return now[0]

    add_one = numba.njit(lambda number: number + 1)
    add_one.py_func.__module__ = "runout.toy"  # only kernels of ours are told
    monkeypatch.setattr(jit.time, "perf_counter", tick)
    started = solve_time()
    add_one(1)
    compiled = now[0]
    assert solve_time() - started < compiled
    first = solve_time()
    add_one(1)  # compiled already
    assert solve_time() - first == 1.0


def test_numba_brings_no_linear_algebra_and_no_coverage_along():
    """Others may import them afterwards, and what was imported before stays."""
    code = (
        "import sys\n"
        "from runout.cards.evaluator import evaluate\n"
        "from runout.cards.deck import parse_cards\n"
        "evaluate(parse_cards('AhKhQhJhTh'))\n"
        "print({'scipy', 'coverage'} & set(sys.modules))\n"
        "import coverage, scipy.linalg\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert found.stdout == "set()\n"


def test_kernels_are_plain_functions_where_numba_compiles_nothing():
    code = (
        "import numpy as np; "
        "from runout.equity.equity_kernels import rank_strengths; "
        "print(type(rank_strengths).__name__, rank_strengths(np.array([0, 9, 4], np.uint16), "
        "np.zeros(7464, np.uint8)))"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["function", "2"]


class Attack:
    """What a stranger writes into a cache: reading it runs a command."""

    def __init__(self, victim):
        self.victim = victim

    def __reduce__(self):
        return os.mkdir, (str(self.victim),)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs modes")
def test_code_that_others_could_have_written_is_not_run(package, tmp_path):
    call_caller(package)
    (kept,) = (tmp_path / "cache" / "numba").iterdir()
    stated = b"".join(pickle.dumps(fact) for fact in [numba.__version__])
    for file in kept.rglob("*.nbi"):
        file.write_bytes(stated + pickle.dumps(Attack(tmp_path / "attacked")))
    kept.chmod(0o777)
    before = {file: file.stat().st_mtime_ns for file in kept.rglob("*")}
    again = call_caller(package)
    assert again["value"] == 7
    assert again["events"]  # compiled in memory
    assert not (tmp_path / "attacked").exists()
    assert {file: file.stat().st_mtime_ns for file in kept.rglob("*")} == before
    kept.chmod(0o700)  # the attack works where the owner alone could have made it
    call_caller(package)
    assert (tmp_path / "attacked").exists()
