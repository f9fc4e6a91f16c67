"""Facts that long work reports while it runs; what they look like is decided by the console.

A function that takes long accepts ``on_event`` and calls it with these. Counts are whole numbers,
times are seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class KernelCompiling:
    """A kernel that was not in the cache is being compiled.

    Attributes:
        name: the kernel's function name.
        num_compiled: kernels compiled before it in this process.
        num_loaded: kernels in all imported modules, the most that may have to be compiled.
    """

    name: str
    num_compiled: int
    num_loaded: int


@dataclass(frozen=True)
class KernelCompiled:
    """A kernel has been compiled and cached."""

    name: str
    seconds: float


@dataclass(frozen=True)
class StageStarted:
    """A named part of a longer job begins; it has ``total`` steps."""

    stage: str
    total: int


@dataclass(frozen=True)
class StageAdvanced:
    """``done`` of the stage's ``total`` steps are finished."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class FlopSolving:
    """A flop's solve has done another iteration.

    Attributes:
        flop: its cards, such as ``AsKhQd``.
        spr: effective stack over pot.
        iteration: iterations done.
        max_iterations: where it ends at the latest.
        exploitability_pot: the last one measured, as a fraction of the pot; None before.
        strategy_delta: largest change of an action's probability in the last iteration.
        round: which of the backend's solves on top of each other it is, 1 for the first.
        total_rounds: how many there will be at most.
    """

    flop: str
    spr: float
    iteration: int
    max_iterations: int
    exploitability_pot: float | None
    strategy_delta: float
    round: int = 1
    total_rounds: int = 1


@dataclass(frozen=True)
class FlopSolved:
    """A flop has been solved at all stack-to-pot ratios, or found solved by an earlier run.

    Attributes:
        flop: its cards.
        num_done: flops finished, this one included.
        num_flops: flops to solve.
        exploitability_pot: the largest over the ratios, as a fraction of the pot.
        seconds: time that the solves took, in whichever run.
    """

    flop: str
    num_done: int
    num_flops: int
    exploitability_pot: float
    seconds: float


@dataclass(frozen=True)
class PreflopSolving:
    """The preflop solve has done another iteration.

    Attributes:
        round: 0 for the solve against all hands, then the round of arriving ranges.
        iteration: iterations done.
        max_iterations: where it ends at the latest.
        exploitability_mbb: the last one measured, in thousandths of a big blind; None before.
    """

    round: int
    iteration: int
    max_iterations: int
    exploitability_mbb: float | None


@dataclass(frozen=True)
class RangesRoundFinished:
    """The flops were solved again with the ranges that arrive there, and preflop on top.

    Attributes:
        round: 1 for the first.
        total_rounds: how many there will be at most.
        change: mean absolute change of preflop action probabilities since the round before.
        exploitability_mbb: of the new preflop strategies, in thousandths of a big blind.
    """

    round: int
    total_rounds: int
    change: float
    exploitability_mbb: float


@dataclass(frozen=True)
class SpotSolving:
    """The solve of a spot has done more iterations; told a few times a second.

    Attributes:
        iteration: iterations done, those of earlier sittings included.
        max_iterations: where it ends at the latest.
        exploitability_chips: the last one measured; None before.
        target_chips: where it ends; None if it does not look at exploitability.
        pot_chips: the pot at the root.
        seconds: since this sitting began.
        max_seconds: when it ends at the latest; None for never.
    """

    iteration: int
    max_iterations: int
    exploitability_chips: float | None
    target_chips: float | None
    pot_chips: float
    seconds: float
    max_seconds: float | None


@dataclass(frozen=True)
class BucketsCapped:
    """There are fewer different hands than buckets were asked for.

    Attributes:
        name: what is sorted into buckets, such as ``AsKhQd turn``.
        requested: buckets asked for.
        available: buckets there will be, one for each different hand.
    """

    name: str
    requested: int
    available: int


@dataclass(frozen=True)
class ExtractingEv:
    """``done`` of ``total`` hands have their expected values against every opponent's bucket."""

    done: int
    total: int


@dataclass(frozen=True)
class Rebucketing:
    """Flop buckets are made anew from the expected values of a solve.

    Attributes:
        round: the round of solving that they are for, 2 for the first that has them.
        total_rounds: how many there will be at most.
    """

    round: int
    total_rounds: int


@dataclass(frozen=True)
class SavingFailed:
    """Work that goes on could not be saved on the way; it is tried again later.

    Attributes:
        where: the file or directory at fault.
        problem: what is wrong with it.
    """

    where: str
    problem: str


#: What making buckets reports.
BucketEvent = BucketsCapped | ExtractingEv | Rebucketing
BucketEventSink = Callable[[BucketEvent], None]

Event = (
    KernelCompiling
    | KernelCompiled
    | StageStarted
    | StageAdvanced
    | FlopSolving
    | FlopSolved
    | PreflopSolving
    | RangesRoundFinished
    | SpotSolving
    | SavingFailed
    | BucketEvent
)
EventSink = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The sink of callers who do not want to know."""
