"""Runs mutated inputs against readers, and notes every answer that is none.

An input has a number, and the seed, its kind and its number decide all of it, so that any finding
can be tried again alone. A result and a `RunoutError` of one line are answers. Findings are other
exceptions, answers that take too long, and memory that grows too much.
"""

import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from runout.errors import RunoutError

#: Of processor time; by the clock it may take longer where other work shares the processor.
MAX_SECONDS = 10.0
BUSY_FACTOR = 10.0
MAX_MEMORY_GROWTH_BYTES = 512 * 2**20
MAX_ERROR_CHARACTERS = 1000
MAX_ADDRESS_SPACE_BYTES = 6 * 2**30

_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    Attributes:
        name: for people.
        share: of all inputs of a campaign, 0 to 1.
        make: draws an input.
        read: gives it to what is tested; whatever it returns is a result.
    """

    name: str
    share: float
    make: Callable[[random.Random], Any]
    read: Callable[[Any], object]


@dataclass(frozen=True)
class Finding:
    """An input without an answer.

    Attributes:
        kind: its kind.
        number: its number.
        problem: one line.
        details: the input and the traceback.
    """

    kind: str
    number: int
    problem: str
    details: str


@dataclass
class Tally:
    """What became of the inputs of one kind."""

    results: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    slowest_seconds: float = 0.0
    slowest_number: int = 0

    @property
    def num_inputs(self) -> int:
        """All inputs that were tried."""
        return self.results + self.errors.total() + len(self.findings)

    def add(self, other: "Tally") -> None:
        """Adds what became of more inputs."""
        self.results += other.results
        self.errors += other.errors
        self.findings += other.findings
        if other.slowest_seconds > self.slowest_seconds:
            self.slowest_seconds = other.slowest_seconds
            self.slowest_number = other.slowest_number


class TooSlowError(BaseException):
    """Ends a reader that hangs; no reader can take it for an error of its own."""


def make_input(kind: Kind, seed: int, number: int) -> Any:
    """Returns an input again, whatever was tried before it."""
    return kind.make(random.Random(f"{seed} {kind.name} {number}"))


def try_inputs(
    kind: Kind, seed: int, numbers: Iterable[int], on_begin: Callable[[int], None] = lambda _: None
) -> Tally:
    """Tries inputs of one kind in this process.

    Args:
        kind: what to try.
        seed: of the campaign.
        numbers: which inputs.
        on_begin: is told the number of every input before it is tried.
    """
    tally = Tally()
    for number in numbers:
        on_begin(number)
        given = make_input(kind, seed, number)
        before_bytes, started = _peak_memory_bytes(), time.perf_counter()
        problem, details, refusal = "", "", ""
        try:
            with _time_limit(MAX_SECONDS):
                kind.read(given)
        except RunoutError as error:
            problem, refusal = _problem_with_error(error), type(error).__name__
        except (Exception, TooSlowError) as error:
            problem = f"{type(error).__name__}: {error}"[:300]
            details = traceback.format_exc()
        growth = _peak_memory_bytes() - before_bytes
        if growth > MAX_MEMORY_GROWTH_BYTES:
            problem = f"took {growth / 2**20:.0f} MiB"
        if problem:
            shown = f"{given!r}\n{details}"
            tally.findings.append(Finding(kind.name, number, " ".join(problem.split()), shown))
        elif refusal:
            tally.errors[refusal] += 1
        else:
            tally.results += 1
        seconds = time.perf_counter() - started
        if seconds > tally.slowest_seconds:
            tally.slowest_seconds, tally.slowest_number = seconds, number
    return tally


def limit_memory() -> None:
    """Lets this process fail rather than the machine, if an input asks for too much."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE_BYTES, hard))


def _problem_with_error(error: RunoutError) -> str:
    text = str(error)
    if not text.isprintable():
        return f"an error that is not one printable line: {text!r}"[:300]
    if len(text) > MAX_ERROR_CHARACTERS:
        return f"an error of {len(text)} characters: {text[:200]}"
    return ""


def _peak_memory_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT_BYTES


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Ends a block after so much processor time, and one that waits after a few times as much."""

    def stop(signal_number: int, frame: Any) -> None:
        raise TooSlowError(f"no answer after {seconds:g} s")

    limits = (
        (signal.ITIMER_PROF, signal.SIGPROF, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, BUSY_FACTOR * seconds),
    )
    earlier = [signal.signal(number, stop) for _, number, _ in limits]
    for timer, _, limit in limits:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(limits, earlier, strict=True):
            signal.setitimer(timer, 0.0)
            signal.signal(number, handler)
