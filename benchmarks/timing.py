"""Timing of callables, and the rows of the one table that the benchmarks print."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

Job = Callable[[], object]

#: A kernel of ours may take at most this many times as long as its prototype.
PROTOTYPE_FLOOR = 1.2

_HEADINGS = ("benchmark", "ours", "against", "result", "goal", "")


class Row(NamedTuple):
    """One line of the table; everything is text but the verdict.

    Attributes:
        name: what was measured.
        ours: time of our code.
        against: time and name of what it is compared with.
        result: the ratio, or the time itself.
        goal: what was promised, empty if nothing was.
        is_met: whether the result keeps the promise, None without one.
    """

    name: str
    ours: str
    against: str
    result: str
    goal: str = ""
    is_met: bool | None = None


def best_seconds(job: Job, repeats: int = 5) -> float:
    """Returns the shortest of several runs, after one that is not counted."""
    job()
    return min(_seconds(job) for _ in range(repeats))


def best_seconds_of_two(ours: Job, baseline: Job, repeats: int = 5) -> tuple[float, float]:
    """Returns the shortest run of each; they take turns, so that both meet the same machine."""
    ours()
    baseline()
    runs = [(_seconds(ours), _seconds(baseline)) for _ in range(repeats)]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def speedup(name: str, ours: float, baseline: float, baseline_name: str, goal: float) -> Row:
    """Returns the row of a comparison.

    Args:
        name: what was measured.
        ours: seconds of our code.
        baseline: seconds of the other code for the same work.
        baseline_name: what the other code is.
        goal: how many times as fast ours should be.
    """
    ratio = baseline / ours
    against = f"{baseline_name} {format_seconds(baseline)}"
    result = f"{ratio:,.2f}x" if ratio < 10 else f"{ratio:,.0f}x"
    return Row(name, format_seconds(ours), against, result, f">= {goal:.3g}x", ratio >= goal)


def against_prototype(name: str, ours: float, prototype: float) -> Row:
    """Returns the row of a kernel and its prototype."""
    return speedup(name, ours, prototype, "prototype", 1 / PROTOTYPE_FLOOR)


def duration(name: str, seconds: float, goal_seconds: float | None = None) -> Row:
    """Returns the row of a time that is compared with a limit, or only reported."""
    text = format_seconds(seconds)
    if goal_seconds is None:
        return Row(name, text, "", text)
    return Row(name, text, "", text, f"< {format_seconds(goal_seconds)}", seconds < goal_seconds)


def format_seconds(seconds: float) -> str:
    """Returns a time with three digits and a unit, such as ``8.53 ns``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds:.0f} s"
    return f"{seconds / 1e-9:.3g} ns"


def format_rows(rows: Sequence[Row]) -> str:
    """Returns the table as text."""
    lines = [_HEADINGS, *((*row[:5], _verdict(row)) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    padded = [
        [cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines
    ]
    return "\n".join("  ".join(cells).rstrip() for cells in padded)


def _verdict(row: Row) -> str:
    return {True: "met", False: "MISSED", None: ""}[row.is_met]


def _seconds(job: Job) -> float:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started
