"""The progress of long work as a line now and then, for files and pipes."""

import time
from collections.abc import Callable

from runout.cli.formatting import format_count_of, format_seconds
from runout.cli.progress_text import describe_iteration
from runout.cli.solve_progress import Bar, SolveEvent, SolveTracker
from runout.events import (
    FlopSolving,
    Phase,
    PhaseStarted,
    PreflopSolving,
    SpotSolving,
)

#: Files get a line about each bar so often.
SECONDS_BETWEEN_LINES = 10.0

#: And about a flop that takes long, so often.
SECONDS_BETWEEN_LINES_OF_FLOP = 30.0


class SolveLines:
    """Turns the events of long work into lines."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._tracker = SolveTracker(clock)
        self._last_line: dict[str, float] = {}
        self._is_spot_seen = False

    def lines(self, event: SolveEvent) -> list[str]:
        """Returns the lines to print after an event, most often none."""
        news = self._tracker.note(event)
        lines = [news.line] if news.line else []
        lines += self._first_lines(event)
        for bar in news.bars:
            is_flop = bar.key.startswith("flop ")
            pause = SECONDS_BETWEEN_LINES_OF_FLOP if is_flop else SECONDS_BETWEEN_LINES
            now = self._clock()
            if now - self._last_line.setdefault(bar.key, now) >= pause:
                self._last_line[bar.key] = now
                lines.append(_describe(event, bar))
        for key in news.ended:
            self._last_line.pop(key, None)
        return lines

    def _first_lines(self, event: SolveEvent) -> list[str]:
        """Returns what is told once, when work begins."""
        if isinstance(event, PhaseStarted) and event.place is None:
            is_told = event.phase in (Phase.FLOPS, Phase.PREFLOP) or event.total == 1
            return [] if is_told else [f"{event.phase}: {format_count_of(event.total, 'step')}"]
        if isinstance(event, PreflopSolving) and event.iteration == 1:
            again = f" again, round {event.round}" if event.round else ""
            at_most = format_count_of(event.max_iterations, "iteration")
            return [f"solving preflop{again}, at most {at_most}"]
        if isinstance(event, SpotSolving) and not self._is_spot_seen:
            self._is_spot_seen = True
            at_most = format_count_of(event.max_iterations, "iteration")
            return [f"solving the spot, at most {at_most}"]
        return []


def _describe(event: SolveEvent, bar: Bar) -> str:
    return describe_iteration(event) if isinstance(event, FlopSolving) else describe_bar(bar)


def describe_bar(bar: Bar) -> str:
    """Returns a bar in words: ``flops: 2/3, worst 0.10% of the pot, about 6.0 s left``."""
    count = f"{bar.done:,}" if bar.total is None else f"{bar.done:,}/{bar.total:,}"
    parts = [f"{bar.title.strip()}: {count}", bar.detail]
    if bar.seconds_left:
        about = "at most about" if bar.is_at_most else "about"
        parts.append(f"{about} {format_seconds(bar.seconds_left)} left")
    return ", ".join(part for part in parts if part)
