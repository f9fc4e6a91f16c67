"""Bundles that the tests write, and a child process that can be killed while it does."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from runout.storage.bundle import load_bundle
from runout.storage.writer import write_bundle

KIND = "sample"
VERSION = 3
CONFIG = "seed: 7  # ours\nstacks: [20, 100]\n"
REPORT = {"iterations": 200, "exploitability": 0.25, "flops": ["AhKd7s", None]}


def sample_arrays(fill=1.0):
    return {
        "values": np.full((4, 169, 5), fill, np.float32),
        "flops": np.arange(12, dtype=np.uint8).reshape(4, 3),
    }


def write_sample(path, fill=1.0, **changes):
    arguments = {
        "kind": KIND,
        "schema_version": VERSION,
        "arrays": sample_arrays(fill),
        "documents": {"report": REPORT},
        "seed": 7,
        "config_text": CONFIG,
    }
    return write_bundle(path, **(arguments | changes))


def load_sample(path, **options):
    return load_bundle(path, KIND, VERSION, **options)


def fill_of(bundle):
    """The number that all values of a sample are, proof that it is one bundle and not two."""
    (fill,) = np.unique(bundle.arrays["values"])
    return float(fill)


def leftovers(parent):
    return sorted(path.name for path in Path(parent).iterdir() if path.name.startswith("."))


def run_until_killed(code, *arguments):
    """Runs Python code in a child that is expected to kill itself with SIGKILL."""
    process = start_child(code, *arguments)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == -signal.SIGKILL, errors


def start_child(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
