"""Facts that long work reports while it runs; what they look like is decided by the console.

A function that takes long accepts ``on_event`` and calls it with these. Counts are whole numbers,
times are seconds. Work is told in phases: each begins with `PhaseStarted` and ends with
`PhaseEnded`, its total never changes, and what is done of it never falls.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Event:
    """A fact that long work reports."""


@dataclass(frozen=True)
class KernelCompiling(Event):
    """A kernel, named by its function, that was not in the cache is being compiled."""

    name: str


@dataclass(frozen=True)
class KernelCompiled(Event):
    """A kernel has been compiled and cached."""

    name: str
    seconds: float


class Phase(StrEnum):
    """Phases of solves; other long work names its phases itself."""

    TREES = "betting trees"
    FLOPS = "flops"
    PREFLOP = "preflop"
    EQUITY_TABLE = "equity table"
    HAND_BUCKETS = "hand buckets"
    LAYOUT = "layout"
    SOLVING = "solving"
    VALUES = "values"
    ESTIMATING_EV = "sampled EVs"
    EXTRACTING_EV = "EV histograms"
    REBUCKETING = "rebucketing"
    REAL_CARDS = "real cards"
    PACKING = "packing strategies"


@dataclass(frozen=True)
class FlopPlace:
    """Which part of which flop's work a phase is; rounds are solves on top of each other."""

    flop: str = ""  # its cards as they were given, such as AhKd7s
    spr: float | None = None  # effective stack over pot; None for what all ratios share
    round: int = 1
    total_rounds: int = 1  # at most


@dataclass(frozen=True)
class PhaseStarted(Event):
    """A part of longer work begins; it has ``total`` steps, at most.

    Its place is the flop that it is about, None if it is about none or about all.
    """

    phase: str
    total: int
    place: FlopPlace | None = None


@dataclass(frozen=True)
class PhaseAdvanced(Event):
    """``done`` of a phase's ``total`` steps are finished."""

    phase: str
    done: int
    total: int
    place: FlopPlace | None = None


@dataclass(frozen=True)
class PhaseEnded(Event):
    """A phase is over, whether or not it took all of its steps."""

    phase: str
    seconds: float
    place: FlopPlace | None = None


PhaseEvent = PhaseStarted | PhaseAdvanced | PhaseEnded


@dataclass(frozen=True)
class FlopSolving(Event):
    """A flop's solve has done another iteration; flop, ratio and rounds are as in `FlopPlace`."""

    flop: str
    spr: float
    iteration: int
    max_iterations: int
    exploitability_pot: float | None  # the last one measured, a fraction of the pot; None before
    strategy_delta: float  # change of strategies in the last iteration: between the 169 hands the
    # largest of a probability; of shared buckets that of averages, weighted by reach; else NaN
    round: int = 1
    total_rounds: int = 1
    is_converged: bool = False  # ends here because it is good enough
    is_upper_bound: bool = False  # the exploitability is not measured, but cannot be larger


@dataclass(frozen=True)
class FlopSolved(Event):
    """A flop has been solved at all stack-to-pot ratios, or found solved by an earlier run."""

    flop: str
    num_done: int  # this flop included
    num_flops: int
    exploitability_pot: float  # the largest over the ratios, as a fraction of the pot
    seconds: float  # that the solves took, in whichever run
    is_upper_bound: bool = False


@dataclass(frozen=True, kw_only=True)
class FlopReported(FlopSolved):
    """A flop of a report is solved, now or by an earlier run, and its row is made."""

    line: str  # the path of the report's first line
    ev_chips: tuple[float, float]  # of OOP and IP there
    frequencies: tuple[tuple[str, float], ...]  # of the actions there, by their codes


@dataclass(frozen=True)
class FlopFailed(Event):
    """A flop could not be solved, for a reason in words; the others go on."""

    flop: str
    problem: str


@dataclass(frozen=True)
class GameSolving(Event):
    """The solve of a whole game has done more iterations; None stands for no limit."""

    iteration: int  # those of earlier sittings included
    max_iterations: int
    exploitability: float | None  # the last one measured; None before
    target: float | None  # exploitability at which it ends, in the same unit
    seconds: float  # since this sitting began
    max_seconds: float | None


@dataclass(frozen=True)
class PreflopSolving(GameSolving):
    """Progress of the preflop solve; exploitability in thousandths of a big blind."""


@dataclass(frozen=True)
class SpotSolving(GameSolving):
    """Progress of the solve of a spot, told a few times a second; exploitability in chips."""

    pot_chips: float  # at the root


@dataclass(frozen=True)
class BucketsCapped(Event):
    """There are fewer different hands than buckets were asked for, so each has its own bucket.

    The name says what is sorted into buckets, such as ``turn``.
    """

    name: str
    requested: int
    available: int
    place: FlopPlace | None = None


@dataclass(frozen=True)
class SavingFailed(Event):
    """Work that goes on could not be saved at a file or directory; it is tried again later."""

    where: str
    problem: str


@dataclass(frozen=True)
class ResultDamaged(Event):
    """A finished task cannot be read from the file of its result, so that it is done again."""

    where: str
    problem: str


@dataclass(frozen=True)
class TaskLost(Event):
    """A task's worker has died, or its result did not arrive; it is tried again, or given up."""

    task: str  # its key, such as AhKd7s
    loss: str  # why, in words
    attempt: int  # the number of the try that was lost
    max_attempts: int


@dataclass(frozen=True)
class TasksShared(Event):
    """Other processes or machines have carried out tasks."""

    by_host: tuple[tuple[str, int], ...]  # machines, and how many tasks each has finished
    num_lost: int  # tries that got lost


#: What making buckets reports.
BucketEvent = BucketsCapped | PhaseEvent
BucketEventSink = Callable[[BucketEvent], None]

EventSink = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The sink of callers that only want the result."""


@contextmanager
def reporting_phase(
    on_event: Callable[[PhaseEvent], None], phase: str, total: int = 1
) -> Iterator[Callable[[int], None]]:
    """Tells that the block is a phase, and yields what to call with the steps done so far.

    The last step need not be told. A phase that fails does not end.
    """
    started = time.perf_counter()
    on_event(PhaseStarted(phase, total))

    def advance(done: int) -> None:
        on_event(PhaseAdvanced(phase, done, total))

    yield advance
    on_event(PhaseEnded(phase, time.perf_counter() - started))
