"""Compilation and its cache, on a package of two tiny kernels that is copied and edited."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import runout
from runout import jit
from runout.arrays import AnyArray
from runout.cards import evaluator_kernels
from runout.equity import equity_kernels
from runout.events import KernelCompiled
from runout.jit import kernel, loaded_kernels, solve_time

COPIED_MODULES = ["arrays.py", "cache.py", "compiler.py", "errors.py", "events.py", "jit.py"]

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
import numpy as np
from runout.jit import loaded_kernels, reporting_compilation
from runout import caller_kernels
events = []
with reporting_compilation(events.append):
    value = caller_kernels.add_two(5)
    caller_kernels.add_two(6)
    caller_kernels.add_two(1.5)
caller_kernels.add_two(np.float32(2.5))  # outside the block
facts = [[type(event).__name__, vars(event)] for event in events]
print(json.dumps({"value": value, "events": facts, "kernels": sorted(loaded_kernels())}))
"""


ARRAY_KERNEL = """
import numpy as np
from runout.jit import kernel

@kernel
def copy_row(out_rows):
    out_rows[1] = out_rows[0]
"""
CALL_ARRAY_KERNEL = """
import json
import numpy as np
from runout import array_kernels
rows = np.arange(6.0).reshape(2, 3)
array_kernels.copy_row(rows)
print(json.dumps({"row": rows[1].tolist()}))
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


def test_kept_code_that_needs_the_runtime_of_numba_finds_it(package):
    """In a process that compiles nothing, it would call what is not there."""
    (package / "array_kernels.py").write_text(ARRAY_KERNEL)
    for _ in range(2):
        assert call_caller(package, CALL_ARRAY_KERNEL) == {"row": [0.0, 1.0, 2.0]}


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
    source = (package / "compiler.py").read_text()
    assert source.count('"error_model": "numpy"') == 1
    edited = source.replace('"error_model": "numpy"', '"error_model": "python"')
    (package / "compiler.py").write_text(edited)
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
    monkeypatch.setattr(jit, "_numba_version", lambda: b"0.0.0")
    assert jit._kernel_sources_digest() != digest


def test_constants_and_variables_share_the_code_of_a_kernel():
    @kernel
    def multiply(x, y):
        return x * y

    @kernel
    def add_products(x):
        return multiply(x, 3) + multiply(x, x) + multiply(x, y=5)

    assert add_products(2) == 20
    assert multiply.num_compiled == 1


def test_loaded_kernels_belong_to_the_module_that_defines_them():
    kernels = loaded_kernels()
    assert (
        kernels["runout.cards.evaluator_kernels.evaluate_board"] is evaluator_kernels.evaluate_board
    )
    assert kernels["runout.equity.equity_kernels.count_wins"] is equity_kernels.count_wins
    assert "runout.cards.evaluator_kernels._strength_of_key" not in kernels  # inlined


def test_a_disk_without_space_costs_no_result(monkeypatch, tmp_path):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit, "_KERNEL_CACHE", tmp_path)
    monkeypatch.setattr(jit, "_save_problems", [])
    monkeypatch.setattr(jit.CompiledCode, "save", refuse)
    assert jit.find_save_problem() is None
    assert ours(add_three)(4) == 7
    assert jit.find_save_problem() == "No space left on device"


def ours(function):
    """Returns a kernel that is kept, as if it stood in the package."""
    compiled = kernel(function)
    compiled.__module__ = "runout.toy_kernels"
    return compiled


def test_copies_of_the_sources_share_compiled_code_and_other_kernels_are_not_kept(
    monkeypatch, tmp_path
):
    """A wheel, a checkout and its copies have one cache: places do not depend on paths."""
    monkeypatch.setattr(jit, "_KERNEL_CACHE", tmp_path)
    assert kernel(add_three)(4) == 7
    assert not list(tmp_path.iterdir())
    assert ours(add_three)(4) == 7
    first, again = [file.name for file in tmp_path.iterdir()], ours(add_three)
    assert first[0].startswith("toy_kernels.add_three-")
    assert again(5) == 8
    assert again.num_compiled == 0
    assert [file.name for file in tmp_path.iterdir()] == first


def test_files_full_of_rubbish_are_compiled_over_and_kept_again(package):
    for rubbish in (b"", b"rubbish", bytes(999), None):
        assert call_caller(package)["value"] == 7
        files = sorted((package.parents[1] / "cache").rglob("*.code"))
        assert len(files) == 3  # for integers, and floats of two sizes
        for file in files:
            content = file.read_bytes()
            file.write_bytes(content[: len(content) // 2] if rubbish is None else rubbish)
        again = call_caller(package)
        assert again["value"] == 7
        assert "add_two" in compiled_names(again)
    last = call_caller(package)
    assert (last["value"], last["events"]) == (7, [])


def test_types_of_arguments_are_told_apart():
    """Wrongly read memory would be another number."""

    class Pair(NamedTuple):
        first: AnyArray
        second: object

    @kernel
    def add_up(pair, factor):
        total = 0.0
        for number in pair.first.ravel():
            total += number
        return (total + pair.second) * factor

    numbers = np.arange(12)
    frozen = numbers.copy()
    frozen.flags.writeable = False
    for kind in (np.int8, np.uint16, np.int64, np.float32, np.float64):
        table = numbers.astype(kind).reshape(3, 4)
        arrays = [table, table.T, table[:, ::2], table.ravel(), table.ravel()[::-3]]
        for array in [*arrays, frozen]:
            for second in (3, 2.5, True, np.float32(0.5), np.uint8(200), np.int64(-1)):
                expected = (float(array.sum()) + float(second)) * 2
                for _ in range(2):
                    assert add_up(Pair(array, second), 2) == expected


def test_code_is_called_with_the_number_of_arguments_that_it_takes():
    compiled = kernel(add_three)
    assert compiled(number=4) == compiled(4) == 7
    with pytest.raises(TypeError):
        compiled(4, 5)


def test_exceptions_of_kernels_are_raised():
    @kernel
    def refuse(number):
        if number > 3:
            raise ValueError("too large")
        return number

    assert refuse(3) == 3
    with pytest.raises(ValueError, match="too large"):
        refuse(4)


def test_arrays_that_a_kernel_makes_are_given_back():
    @kernel
    def use_memory(size):
        total = 0.0
        for i in range(100):
            numbers = np.empty(size)
            numbers[:] = i
            total += numbers[size - 1]
        return total

    assert use_memory(1_000_000) == 4950.0
    with pytest.raises(MemoryError):
        use_memory(1 << 50)


def test_another_numba_calls_kernels_itself(package):
    """Its internals are no interface; where they cannot be used, solves begin later."""
    broken = "from runout import compiler\ncompiler.Entry = None\n" + CALL_CALLER
    happened = call_caller(package, broken)
    assert happened["value"] == 7
    assert not list((package.parents[1] / "cache").rglob("*.code"))


def add_three(number):
    return number + 3


def test_a_compilation_that_began_before_the_block_is_not_reported():
    """Another thread may be in the middle of one when the block is entered."""
    heard = []
    jit._CompileListener(heard.append).on_end()
    assert heard == []


def test_the_clock_stands_still_while_kernels_are_compiled(monkeypatch):
    now, heard = [10.0], []
    monkeypatch.setattr(jit.time, "perf_counter", lambda: now[0])
    listener = jit._CompileListener(heard.append)
    started = listener.time_beside()
    now[0] = 12.0
    assert listener.time_beside() - started == 2.0
    listener.on_start("evaluate_hands")
    now[0] = 15.0
    listener.on_start("evaluate_hands")
    now[0] = 20.0
    listener.on_end()
    now[0] = 21.0
    assert listener.time_beside() - started == 2.0
    listener.on_end()
    assert listener.time_beside() - started == 2.0
    now[0] = 22.5
    assert listener.time_beside() - started == 3.5
    assert [event.seconds for event in heard if isinstance(event, KernelCompiled)] == [5.0, 9.0]


def test_kernels_that_are_compiled_stop_the_clock(monkeypatch):
    now = [0.0]

    def tick():
        now[0] += 1.0
        return now[0]

    add_one = kernel(lambda number: number + 1)
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
        "import runout.compiler\n"
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


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs modes")
def test_code_that_others_could_have_written_is_not_run(package, tmp_path):
    call_caller(package)
    (kept,) = (tmp_path / "cache" / "kernels").iterdir()
    for file in kept.glob("*.code"):
        code = jit.CompiledCode.load(file)
        code._replace(returns="float").save(file)  # of a whole number
    kept.chmod(0o777)
    before = {file: file.stat().st_mtime_ns for file in kept.rglob("*")}
    again = call_caller(package)
    assert again["value"] == 7
    assert again["events"]  # compiled in memory
    assert {file: file.stat().st_mtime_ns for file in kept.rglob("*")} == before
    kept.chmod(0o700)  # the attack works where the owner alone could have made it
    assert 0.0 < call_caller(package)["value"] < 1e-300


def test_code_that_calls_functions_of_numba_is_loaded_with_it(package):
    """Nothing else knows where they are."""
    reshaped = "int(np.ones(6).reshape(2, 3)[1, 0]) + callee_kernels.add_one("
    caller = CALLER.replace("callee_kernels.add_one(callee", f"{reshaped}callee")
    (package / "caller_kernels.py").write_text("import numpy as np" + caller)
    assert call_caller(package)["value"] == 8
    for file in (package.parents[1] / "cache").rglob("*.code"):
        assert jit.CompiledCode.load(file).needs_numba
    again = call_caller(package)
    assert (again["value"], again["events"]) == (8, [])
