"""Two threads against one, over the tables of random flops.

On a shared machine there may be only one core to have. The control says so: it runs two processes
that need nothing from each other, at the same time of day. Threads cannot gain more than it does.
"""

import subprocess
import sys
from contextlib import closing

from benchmarks.timing import Row, best_seconds_of_two, format_seconds, speedup
from runout.cards.flops import Flop, random_flops
from runout.equity.board import compute_board_equity
from runout.equity.matchups import HandEquityTable
from runout.execution.pool import WorkerPool

NUM_FLOPS = 24
GOAL = 1.7

# Counts what it gets of a core, so that the work is the same however often it is interrupted.
_SPIN = "import time\nwhile time.process_time() < 0.5: pass"


def rows() -> list[Row]:
    """Returns the time of all flops, and what two processes gain."""
    flops = random_flops(NUM_FLOPS, seed=1).flops
    two, one = best_seconds_of_two(lambda: _solve(flops, 2), lambda: _solve(flops, 1))
    together, single = best_seconds_of_two(lambda: _spin(2), lambda: _spin(1), 3)
    return [
        speedup(f"{NUM_FLOPS} flop tables, two threads", two, one, "one thread", GOAL),
        Row(
            "control: the work of two processes",
            format_seconds(together),
            f"one after the other {format_seconds(2 * single)}",
            f"{2 * single / together:.2f}x",
        ),
    ]


def _solve(flops: tuple[Flop, ...], num_workers: int) -> list[HandEquityTable]:
    with closing(WorkerPool(num_workers)) as pool:
        return pool.share(_table, flops, num_workers)


def _table(flop: Flop) -> HandEquityTable:
    return compute_board_equity(flop).hand_table()


def _spin(num_processes: int) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(num_processes)]
    for process in processes:
        process.wait()
