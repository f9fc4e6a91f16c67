"""Runs the benchmarks, all or those named on the command line, and prints one table.

A missed goal is printed and nothing more: the speed of a shared machine is no test.
"""

import importlib
import os
import sys
import time

from benchmarks.timing import Row, format_rows
from runout.execution.pool import count_cores

#: Modules of this package, in the order in which they run. One with ``rows()`` adds to the table;
#: one with ``main(arguments)`` only prints a report of its own.
BENCHMARKS = [
    "evaluation",
    "boards",
    "flop_tables",
    "threads",
    "prototypes",
    "start_up",
    "abstraction",
    "cfr",
    "spots",
    "schedules",
    "reraised",
    "compact",
    "views",
    "explorer",
]


def main() -> None:
    """Prints the table, and on stderr what is running."""
    names = sys.argv[1:] or BENCHMARKS
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"{unknown[0]}: not a benchmark, there are {', '.join(BENCHMARKS)}")
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    rows: list[Row] = []
    for name in names:
        started = time.perf_counter()
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "rows"):
            rows += module.rows()
        else:
            module.main([])
        print(f"{name}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)
    print(f"\n{count_cores()} cores, Python {sys.version.split()[0]}{load}")
    if rows:
        print(f"\n{format_rows(rows)}")


if __name__ == "__main__":
    main()
