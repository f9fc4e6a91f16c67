import os
import random
import sys
import tarfile
from pathlib import Path

import pytest

os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # before numba is imported
os.environ["RUNOUT_CACHE_MB"] = "0"  # nothing that a test makes comes from another one

#: What `.ci/run` looks for: there the page must have been tried in a browser.
NO_BROWSER = "browser tests: there is no chromium"

# Terminals, forks and limits of memory are those of POSIX.
collect_ignore_glob = ["chaos/*", "cli/test_main.py", "tools/*"] if sys.platform == "win32" else []

#: Solutions that need no solver: its README says what they are and how they were made.
DATA = Path(__file__).parent / "data"
SAMPLES = DATA / "bundles_86d1cbc"


def unpack(archives, path):
    """Unpacks all archives of a directory."""
    for file in sorted(archives.glob("*.tar.xz")):
        with tarfile.open(file) as archive:
            archive.extractall(path, filter="data")


@pytest.fixture(scope="session")
def samples(tmp_path_factory):
    """A directory with all solutions of `SAMPLES`; not to be written into."""
    path = tmp_path_factory.mktemp("samples")
    unpack(SAMPLES, path)
    return path


def pytest_addoption(parser):
    text = "run the files, and the tests of each, in an order that this number decides"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=text)


@pytest.hookimpl(tryfirst=True)  # pytest then brings together what shares a parameter
def pytest_collection_modifyitems(config, items):
    """No test may need another one before it; what a file's tests share is still made once."""
    seed = config.getoption("shuffle")
    if seed is None:
        return
    rng = random.Random(seed)
    tests_by_file = {}
    for item in items:
        tests_by_file.setdefault(item.path, []).append(item)
    files = rng.sample(list(tests_by_file.values()), len(tests_by_file))
    items[:] = [item for tests in files for item in rng.sample(tests, len(tests))]


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    num_browser = sum(NO_BROWSER in str(report.longrepr) for report in skipped)
    if num_browser:
        terminalreporter.write_line(f"{num_browser} {NO_BROWSER}, they were skipped", yellow=True)
