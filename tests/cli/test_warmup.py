import json
import multiprocessing
import os
import re
from pathlib import Path

import pytest

import runout
from runout.cards.card import parse_cards
from runout.cards.evaluator import evaluate
from runout.cli import warmup
from tests.cli.solve_configs import LIMPS, SAMPLED_FLOPS, write_config

PACKAGE = Path(runout.__file__).parent
WARM_UP_AND_LIST_KERNELS = """
import json
from runout.cli.warmup import run_small_jobs
from runout.events import ignore_event
from runout.jit import loaded_kernels
run_small_jobs(1, ignore_event)
print(json.dumps({name: len(kernel.signatures) for name, kernel in loaded_kernels().items()}))
"""

needs_jit = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"
)


def test_every_kernel_module_is_imported(run_python):
    code = "import sys; from runout.cli.warmup import small_jobs; small_jobs(); print(*sys.modules)"
    imported = run_python(code).stdout.split()
    for path in PACKAGE.rglob("*_kernels.py"):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        is_imported = module in imported
        assert is_imported, f"add a job that calls the kernels of {module} to `small_jobs`"


@needs_jit
def test_every_kernel_is_called_by_a_job_or_a_kernel(run_python):
    """A cached kernel brings the kernels that it calls along, which then have no signature."""
    num_signatures = json.loads(run_python(WARM_UP_AND_LIST_KERNELS).stdout)
    assert num_signatures
    source = "".join(path.read_text() for path in PACKAGE.rglob("*_kernels.py"))
    for name, count in num_signatures.items():
        calls = re.findall(rf"(?<!def )\b{name.rpartition('.')[2]}\(", source)
        assert count or calls, f"add a job that calls {name} to `small_jobs`"


@needs_jit
@pytest.mark.slow
def test_a_fresh_cache_is_filled_once_and_by_every_kernel(run_program, run_python, tmp_path):
    """One test for one fresh cache, which two processes take minutes to fill."""
    first = run_program("warmup", "-w", "2", "--json", RUNOUT_CACHE=str(tmp_path))
    document = json.loads(first.stdout)
    assert document["num_compiled"] == document["num_kernels"] > 50
    assert document["cache_directory"] == str(tmp_path)
    assert first.stderr.splitlines()[0].startswith("kernels: ")

    second = run_program("warmup", "-w", "1", "--json", RUNOUT_CACHE=str(tmp_path))
    assert "compiling" not in second.stderr
    assert json.loads(second.stdout)["num_compiled"] == 0

    # The longest real work there is; the small jobs must have met the types that it uses.
    external = SAMPLED_FLOPS + "  mccfr_sampling: external\n  value_extraction_samples: 9\n"
    configs = {"sampled": SAMPLED_FLOPS, "external": external, "limps": LIMPS}
    for name, text in configs.items():
        write_config(tmp_path, text, name)
    for work in (
        "table verify",
        f"abstraction build -o {tmp_path}/buckets --river-table",
        f"solve-postflop -c {tmp_path}/sampled -o {tmp_path}/values",
        f"solve-postflop -c {tmp_path}/external -o {tmp_path}/values --overwrite",
        f"solve-preflop -c {tmp_path}/limps -o {tmp_path}/run",
        *(
            f"solve-spot -b {board} --oop AA,QQ,JTs --ip KK,T9s --pot 20 --stack 60 --max-raises 1 "
            f"--rake 0.01 --max-iterations 20 -o {tmp_path}/{board}"
            for board in ("QsJh2h8c3d", "QsJh2h8c", "QsJh2h")
        ),
        f"spot show {tmp_path}/QsJh2h --node x:x:8h:x:x:8c",
    ):
        result = run_program(*work.split(), RUNOUT_CACHE=str(tmp_path))
        assert result.returncode == 0
        assert "compiling" not in result.stderr


@needs_jit
def test_a_second_run_says_that_all_was_cached(run, monkeypatch):
    one_job = [lambda: evaluate(parse_cards("AhKhQhJhTh"))]
    monkeypatch.setattr(warmup, "small_jobs", lambda: one_job)
    run("warmup", "-w", "1")
    assert "all cached already" in run("warmup", "-w", "1").stdout


def process_and_square(number):
    return os.getpid(), number**2


def test_jobs_are_shared_out_to_processes():
    found = list(warmup.run_in_processes(2, process_and_square, range(6)))
    assert sorted(square for _, square in found) == [0, 1, 4, 9, 16, 25]
    processes = {process for process, _ in found}
    assert 1 <= len(processes - {os.getpid()}) == len(processes) <= 2


def test_a_job_that_fails_is_told_and_leaves_no_process_behind():
    with pytest.raises(TypeError, match="unsupported"):
        list(warmup.run_in_processes(2, process_and_square, ["two", *range(9)]))
    assert not multiprocessing.active_children()


def test_a_cache_that_cannot_be_written_is_an_error(run_program):
    result = run_program("warmup", RUNOUT_CACHE="/dev/null/cache")
    assert result.returncode == 2
    assert result.stderr == "error: /dev/null/cache: cannot be written (Not a directory)\n"
