"""In one run every distinct spot, range, tree, forest and size is built once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.walk import small_smoke

ROOT = Path(__file__).parents[2]

#: Functions that build something, and the arguments that decide what.
BUILDERS = {
    "range": ("cards/ranges.py:_read_text", ["text"]),
    "spot": ("solutions/flop_bundles.py:_make_spot", ["board", "ranges", "stakes", "rake"]),
    "tree": ("trees/tree.py:PostflopTree.build", ["rules", "stakes", "first_street"]),
    "size": ("trees/sizes.py:read_size_text", ["text", "style"]),
    "forest": ("holdem/forest.py:_build_templates", ["tree", "rake", "nodes_per_group", "settled"]),
}

# Runs a command in a process of its own, and counts calls of functions by their arguments. What is
# found in a cache makes no call.
COUNT = """
import json, sys, threading
from collections import Counter
from pathlib import Path

import runout

ROOT = Path(runout.__file__).resolve().parent
builders, arguments = json.loads(sys.argv[1])
counts = {name: Counter() for name in builders}
kept = []  # an address stands for an object only as long as that lives

def text_of(value):
    kept.append(value)
    text = repr(value)
    return text if len(text) < 2000 else f"{type(value).__name__} at {id(value)}"

def hear(frame, event, argument):
    if event != "call":
        return
    code = frame.f_code
    for name, (place, keys) in builders.items():
        file, _, function = place.partition(":")
        if code.co_qualname == function and code.co_filename.endswith(file):
            found = {key: text_of(frame.f_locals.get(key)) for key in keys}
            counts[name][json.dumps(found)] += 1

threading.setprofile(hear)
sys.setprofile(hear)
from runout.cli.app import main

try:
    main(arguments)
except SystemExit as end:
    assert not end.code, end.code
sys.setprofile(None)
print(json.dumps(counts))
"""


def count_builds(arguments):
    finished = subprocess.run(
        [sys.executable, "-c", COUNT, json.dumps([BUILDERS, list(map(str, arguments))])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    directory = tmp_path_factory.mktemp("built")
    config, river = small_smoke(directory), ROOT / "configs" / "spot_river.yaml"
    return {
        "preflop": count_builds(["solve-preflop", "-c", config, "-o", directory / "smoke"]),
        "river": count_builds(["solve-spot", "-c", river, "-o", directory / "river"]),
    }


@pytest.mark.parametrize("builder", BUILDERS)
@pytest.mark.parametrize("run", ["preflop", "river"])
def test_nothing_is_built_twice(counts, run, builder):
    again = {what: number for what, number in counts[run][builder].items() if number > 1}
    assert again == {}


@pytest.mark.parametrize(
    ("run", "builder"),
    [
        *(("river", builder) for builder in BUILDERS),
        *(("preflop", builder) for builder in ("tree", "size", "forest")),
    ],
)
def test_builders_are_counted(counts, run, builder):
    assert counts[run][builder]
