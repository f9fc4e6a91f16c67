"""Gives mutated inputs to everything that reads what users write: ``make fuzz``.

    python -m tools.fuzz                                # 1,000,000 inputs, two processes
    python -m tools.fuzz --count 20000 --kind configs   # some of one kind
    python -m tools.fuzz --kind configs --number 817    # one of them again, with its traceback

Every input must be answered by a result or by an error of one line, in 10 seconds and without much
memory. A process that hangs where Python cannot end it, or dies, is noted and replaced. Ctrl-C
shows what was tried so far.
"""

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import Synchronized

from tools.fuzzing.campaign import (
    BUSY_FACTOR,
    MAX_SECONDS,
    Finding,
    Kind,
    Tally,
    limit_memory,
    make_input,
    try_inputs,
)
from tools.fuzzing.kinds import all_kinds

DEFAULT_COUNT = 1_000_000
BATCH_SIZE = 500
MAX_SHOWN_FINDINGS = 20

#: A worker without news for so long hangs where no signal reaches it.
MAX_SILENT_SECONDS = 3 * BUSY_FACTOR * MAX_SECONDS

_SPAWN = multiprocessing.get_context("spawn")

Batch = tuple[str, int, int]


class Worker:
    """A process that tries one batch after another, and the batch it is at."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.batch: Batch | None = None
        self.connection: Connection
        self._process: SpawnProcess
        self._begun = _SPAWN.Value("q", -1)
        self._seen = (-1, time.monotonic())
        self._start()

    def _start(self) -> None:
        self.connection, theirs = _SPAWN.Pipe()
        arguments = (self._seed, theirs, self._begun)
        self._process = _SPAWN.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def give(self, batch: Batch) -> None:
        """Gives the worker its next batch."""
        self.batch = batch
        self._begun.value = -1
        self._seen = (-1, time.monotonic())
        self.connection.send(batch)

    def replace(self, problem: str) -> tuple[Finding, Batch]:
        """Ends a process that gives no answer; returns what it was at, and what is left to do."""
        assert self.batch is not None
        kind, first, last = self.batch
        number = max(int(self._begun.value), first)
        self._process.kill()
        self._process.join()
        self._start()
        return Finding(kind, number, problem, ""), (kind, number + 1, last)

    def is_silent(self) -> bool:
        """Returns whether an input was begun, and no other one for too long.

        Before its first input a process is starting, which takes minutes on a busy machine.
        """
        begun = int(self._begun.value)
        if begun != self._seen[0]:
            self._seen = (begun, time.monotonic())
        return begun >= 0 and time.monotonic() - self._seen[1] > MAX_SILENT_SECONDS

    def end(self) -> None:
        """Lets the process end."""
        self.connection.close()
        if self.batch is not None:
            self._process.kill()
        self._process.join()


def _work(seed: int, connection: Connection, begun: "Synchronized[int]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory()
    warnings.simplefilter("error")
    kinds = {kind.name: kind for kind in all_kinds()}
    with tempfile.TemporaryDirectory(prefix="runout-fuzz-") as scratch:
        os.chdir(scratch)  # where a mutated command line may write

        def note(number: int) -> None:
            begun.value = number

        while True:
            try:
                name, first, last = connection.recv()
            except EOFError:
                break
            connection.send(try_inputs(kinds[name], seed, range(first, last), note))
        os.chdir("/")
    warnings.simplefilter("ignore")  # samples are removed with the process


def run_campaign(
    kinds: Sequence[Kind], count: int, seed: int, num_workers: int
) -> dict[str, Tally]:
    """Tries ``count`` inputs, shared out among the kinds, and returns what became of them."""
    total_share = sum(kind.share for kind in kinds)
    batches: list[Batch] = []
    for kind in kinds:
        number = round(count * kind.share / total_share)
        batches += [
            (kind.name, first, min(first + BATCH_SIZE, number))
            for first in range(0, number, BATCH_SIZE)
        ]
    random.Random(seed).shuffle(batches)  # so that Ctrl-C leaves some of every kind
    tallies = {kind.name: Tally() for kind in kinds}
    workers = [Worker(seed) for _ in range(num_workers)]
    with suppress(KeyboardInterrupt):
        while batches or any(worker.batch for worker in workers):
            for worker in workers:
                if worker.batch is None and batches:
                    worker.give(batches.pop())
            ready = wait([worker.connection for worker in workers if worker.batch], timeout=1.0)
            for worker in workers:
                _take_answer(worker, worker.connection in ready, tallies, batches)
            _show_progress(tallies, count)
    for worker in workers:
        worker.end()
    return tallies


def _take_answer(
    worker: Worker, is_ready: bool, tallies: dict[str, Tally], batches: list[Batch]
) -> None:
    """Adds what a worker has to say, or replaces it; the rest of its batch is then left to do."""
    if worker.batch is None:
        return
    problem = "hangs" if worker.is_silent() else ""
    if is_ready:
        try:
            tallies[worker.batch[0]].add(worker.connection.recv())
        except (EOFError, ConnectionError):
            problem = "ends the process"
        else:
            worker.batch = None
            return
    if problem:
        finding, rest = worker.replace(problem)
        tallies[finding.kind].findings.append(finding)
        worker.batch = None
        batches.append(rest)


def _show_progress(tallies: dict[str, Tally], count: int) -> None:
    if sys.stderr.isatty():
        done = sum(tally.num_inputs for tally in tallies.values())
        print(f"\r{done:,} of {count:,}", end="", file=sys.stderr)


def print_tallies(tallies: dict[str, Tally], seconds: float) -> None:
    """Prints a row for each kind, and the first findings."""
    print(f"{'kind':<16}{'inputs':>10}{'results':>10}{'errors':>10}{'findings':>10}{'slowest':>10}")
    total = Tally()
    for name, tally in tallies.items():
        total.add(tally)
        _print_row(name, tally)
    _print_row("all", total)
    print(f"in {seconds:.0f} s")
    for finding in total.findings[:MAX_SHOWN_FINDINGS]:
        print(f"{finding.kind} {finding.number}: {finding.problem}")


def _print_row(name: str, tally: Tally) -> None:
    numbers = (tally.num_inputs, tally.results, tally.errors.total(), len(tally.findings))
    cells = "".join(f"{number:>10,}" for number in numbers)
    print(f"{name:<16}{cells}{tally.slowest_seconds:>8.2f} s")


def main() -> None:
    """Runs what the command line asks for; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="inputs to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--kind", choices=[kind.name for kind in all_kinds()])
    parser.add_argument("--number", type=int, help="of the one input of --kind to try again")
    chosen = parser.parse_args()
    kinds = [kind for kind in all_kinds() if chosen.kind in (None, kind.name)]
    if chosen.number is not None:
        (kind,) = kinds
        given = make_input(kind, chosen.seed, chosen.number)
        print(repr(given))
        print(kind.read(given))
        return
    started = time.perf_counter()
    tallies = run_campaign(kinds, chosen.count, chosen.seed, chosen.workers)
    print_tallies(tallies, time.perf_counter() - started)
    sys.exit(1 if any(tally.findings for tally in tallies.values()) else 0)


if __name__ == "__main__":
    main()
