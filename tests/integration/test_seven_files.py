"""The README's seven files are those that `make solve` runs: each of them executes something."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Runs commands in a process of its own: which functions were called, and which compiled ones. A
# kernel that a compiled function calls makes no call that Python sees; it is found by its name.
WALK = """
import inspect, json, sys, threading
from pathlib import Path

import runout

ROOT = Path(runout.__file__).resolve().parent
called = set()

def hear(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>":
        called.add(frame.f_code.co_filename)

def is_dispatcher(thing):
    return hasattr(thing, "py_func") and hasattr(thing, "overloads")

def kernels():
    for module in list(sys.modules.values()):
        if (getattr(module, "__name__", "")).startswith("runout"):
            yield from (thing for thing in vars(module).values() if is_dispatcher(thing))

def referred(kernel):
    code, names = kernel.py_func.__code__, kernel.py_func.__globals__
    for name in code.co_names:
        thing = names.get(name)
        inside = [getattr(thing, each, None) for each in code.co_names if inspect.ismodule(thing)]
        yield from filter(is_dispatcher, [thing, *inside])

threading.setprofile(hear)
sys.setprofile(hear)
from runout.cli.app import main

for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as end:
        assert not end.code, (arguments, end.code)
sys.setprofile(None)
threading.setprofile(None)

todo = [kernel for kernel in kernels() if kernel.overloads]
seen = set()
while todo:
    kernel = todo.pop()
    if kernel.py_func not in seen:
        seen.add(kernel.py_func)
        todo.extend(referred(kernel))
files = called | {function.__code__.co_filename for function in seen}
inside = [Path(file) for file in files if Path(file).is_relative_to(ROOT)]
print(json.dumps(sorted(path.relative_to(ROOT).as_posix() for path in inside)))
"""


def seven_files():
    text = (ROOT / "README.md").read_text().partition("## The source in five minutes")[2]
    return re.findall(r"^\| \d \| `([\w/.]+)`", text, re.MULTILINE)


def small_smoke(directory):
    """Writes the config of `make solve` with few iterations and flops; returns where."""
    text = (ROOT / "configs" / "smoke.yaml").read_text()
    text = re.sub(r"(?m)^iterations: \d+", "iterations: 2", text)
    text, number = re.subn(r"(?m)^  flop_subset: \d+.*$", "  fixed_flops: [9s6s2s, AhAdAs]", text)
    assert number == 1
    path = directory / "smoke.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    directory = tmp_path_factory.mktemp("seven")
    config, result = small_smoke(directory), str(directory / "smoke")
    commands = [["solve-preflop", "-c", str(config), "-o", result], ["show", result]]
    finished = subprocess.run(
        [sys.executable, "-c", WALK, json.dumps(commands)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


def test_there_are_seven_and_they_exist():
    files = seven_files()
    assert len(files) == 7
    assert [file for file in files if not (ROOT / "src" / "runout" / file).is_file()] == []


def test_each_of_them_executes_something(executed):
    assert [file for file in seven_files() if file not in executed] == []
