"""Fifty viewers of one spot of 700 MB on loopback: how long answers take, and whether memory grows.

The server is the program itself, in a process of its own; so are the viewers.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlsplit

from benchmarks.timing import Row, duration
from benchmarks.views import SPOT_FILE
from runout.config.load import load_config
from runout.config.spot import SpotConfig
from runout.runs.spot import solve_spot

NUM_VIEWERS = 50
NUM_REQUESTS = 10_000
#: A viewer looks at a node before it asks for the next one.
PAUSE_SECONDS = 0.5
ANSWER_GOAL_SECONDS = 0.2
#: Answers are kept up to 64 MB; beyond that nothing may grow.
GROWTH_GOAL_BYTES = 80e6

_PROGRAM = "from runout.cli.app import main; main()"


def rows() -> list[Row]:
    """Returns how long answers take, and by how much the server grows."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "spot"
        solve_spot(load_config(SPOT_FILE, SpotConfig, {"max_iterations": 10}), directory=path)
        arguments = ["explore", directory, "--port", "0", "--no-browser"]
        with subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *arguments], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            address = urlsplit(server.stdout.readline().strip()).netloc
            try:
                return _measure(address, server.pid)
            finally:
                server.terminate()


def _measure(address: str, process: int) -> list[Row]:
    paths = _paths(address)
    # What is kept at most is there after a part of the requests.
    first = _ask_all(address, paths, NUM_REQUESTS // 4)
    before = _resident_bytes(process)
    times = _ask_all(address, paths, NUM_REQUESTS)
    growth = _resident_bytes(process) - before
    name = f"{NUM_VIEWERS} viewers of a spot"
    return [
        duration(f"{name}: median of {len(first):,} first answers", median(first)),
        duration(f"{name}: median answer", median(times), ANSWER_GOAL_SECONDS),
        duration(f"{name}: 95 of 100 answers within", sorted(times)[int(0.95 * len(times))]),
        Row(
            f"{name}: growth over {NUM_REQUESTS:,} requests",
            f"{growth / 1e6:.0f} MB",
            "",
            f"{growth / 1e6:.0f} MB",
            f"{GROWTH_GOAL_BYTES / 1e6:.0f} MB",
            growth <= GROWTH_GOAL_BYTES,
        ),
        Row(f"{name}: memory of the server", f"{(before + growth) / 1e6:.0f} MB", "", ""),
    ]


def _paths(address: str) -> list[str]:
    """Returns several hundred nodes on all streets, in a fixed order."""
    chance = _get(HTTPConnection(address), "x:x")
    turns = [f"x:x:{card}" for card in chance["cards"]]
    rivers = []
    for turn in turns[::4]:
        cards = _get(HTTPConnection(address), f"{turn}:x:x")["cards"]
        rivers += [f"{turn}:x:x:{card}" for card in cards]
    found = ["", "x", "x:x", *turns, *(f"{turn}:x" for turn in turns), *rivers]
    random.Random(1).shuffle(found)
    return found


def _ask_all(address: str, paths: list[str], num_requests: int) -> list[float]:
    times: list[float] = []
    started = time.perf_counter()

    def view(number: int) -> None:
        chooser, connection = random.Random(number), HTTPConnection(address)
        time.sleep(PAUSE_SECONDS * number / NUM_VIEWERS)
        for _ in range(num_requests // NUM_VIEWERS):
            begun = time.perf_counter()
            _get(connection, chooser.choice(paths), is_read=False)
            times.append(time.perf_counter() - begun)
            time.sleep(PAUSE_SECONDS)

    viewers = [threading.Thread(target=view, args=(number,)) for number in range(NUM_VIEWERS)]
    for viewer in viewers:
        viewer.start()
    for viewer in viewers:
        viewer.join()
    print(f"{num_requests:,} requests in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return times


def _get(connection: HTTPConnection, path: str, is_read: bool = True) -> dict[str, list[str]]:
    headers = {} if is_read else {"Accept-Encoding": "gzip"}
    connection.request("GET", f"/api/node/spot?n={quote(path)}", headers=headers)
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}")
    return json.loads(content) if is_read else {}


def _resident_bytes(process: int) -> int:
    """Returns the memory of a process that is its own: mapped files do not count."""
    pages = Path(f"/proc/{process}/statm").read_text().split()
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")
