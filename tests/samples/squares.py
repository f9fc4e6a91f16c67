"""A small job and a small shard that can travel."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runout.events import KernelCompiled, PhaseAdvanced
from runout.execution.tasks import Task, TaskResult

TASKS = [Task(f"task {number}", number) for number in range(6)]
SQUARES = {number: number * number for number in range(6)}


@dataclass(frozen=True)
class SquareJob:
    """Squares numbers, with some mishaps on the way.

    Attributes:
        failing: items that raise an error.
        killing: items that kill their process, once for each file that is not there yet.
        notes: where these files are.
        endless: items that go on until they are cancelled.
        times: how often an item kills its process.
        is_loud: whether endless items report all the time.
    """

    failing: tuple[int, ...] = ()
    killing: tuple[int, ...] = ()
    notes: Path | None = None
    endless: tuple[int, ...] = ()
    times: int = 1
    is_loud: bool = False

    @property
    def facts(self):
        return {"job": "squares"}

    def run(self, item, worker):
        worker.on_event(PhaseAdvanced("squares", item, 6))
        if item in self.failing:
            raise ZeroDivisionError(item)
        if item in self.killing:
            self._die(item)
        while item in self.endless:
            worker.cancel.raise_if_set()
            if self.is_loud:
                worker.on_event(KernelCompiled("x" * 1000, 0.0))
            time.sleep(0.0 if self.is_loud else 0.01)
        return TaskResult({"number": np.array(item * item)})

    def _die(self, item):
        for number in range(self.times):
            note = self.notes / f"{item}-{number}"
            if not note.exists():
                note.touch()
                os.kill(os.getpid(), signal.SIGKILL)


def with_needs(tasks, memory_bytes):
    return [Task(task.key, task.item, memory_bytes) for task in tasks]


@dataclass(frozen=True)
class CounterJob:
    """Makes counters."""

    def start(self, part, worker):
        return Counter(part)

    def memory_bytes(self, part):
        return 1_000_000


class Counter:
    """Adds up what it is given, from a number on."""

    def __init__(self, start):
        self.total = start

    def add(self, number):
        self.total += number
        return self.total

    def fail(self, after_seconds=0.0):
        time.sleep(after_seconds)
        raise ZeroDivisionError(self.total)

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)
