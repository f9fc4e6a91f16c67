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


Event = KernelCompiling | KernelCompiled | StageStarted | StageAdvanced
EventSink = Callable[[Event], None]


def ignore_event(event: Event) -> None:
    """The sink of callers who do not want to know."""
