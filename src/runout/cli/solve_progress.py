"""What the events of a solve say about its progress, as bars for terminals and lines for files."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from runout.cli.formatting import format_count_of, format_percent, format_seconds
from runout.cli.spot_forecast import SpotForecast
from runout.events import (
    BucketEvent,
    BucketsCapped,
    ExtractingEv,
    FlopSolved,
    FlopSolving,
    PreflopSolving,
    RangesRoundFinished,
    Rebucketing,
    SpotSolving,
)

SolveEvent = (
    FlopSolving | FlopSolved | PreflopSolving | RangesRoundFinished | SpotSolving | BucketEvent
)

#: Files get a line so often.
SECONDS_BETWEEN_LINES = 10.0

#: And about a flop that takes long, so often.
SECONDS_BETWEEN_LINES_OF_FLOP = 30.0


@dataclass(frozen=True)
class Bar:
    """One line of a live display.

    Attributes:
        key: tells the bar from others; its text may change.
        title: what is being done.
        done: steps done.
        total: steps in all, None while unknown.
        detail: how well it goes.
        seconds_left: time left; None lets the display estimate it, 0 says that nobody knows.
    """

    key: str
    title: str
    done: int
    total: int | None
    detail: str = ""
    seconds_left: float | None = None


@dataclass(frozen=True)
class News:
    """What changes on a live display after an event: bars to move, and keys of bars to take away.

    Attributes:
        bars: new or moved ones.
        ended: keys of those whose work has ended.
        line: something to keep when all bars are gone, empty for nothing.
    """

    bars: tuple[Bar, ...] = ()
    ended: tuple[str, ...] = ()
    line: str = ""


class SolveTracker:
    """Follows the events of a solve, from any thread.

    Flops are solved in one batch, or in one batch per flop leaf of the preflop tree and round.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._round = 0
        self._leaf = 0
        self._is_preflop_seen = False
        self._batch: _Batch | None = None
        self._spot = SpotForecast()
        self._flop_by_worker: dict[str, str] = {}

    def note(self, event: SolveEvent) -> News:
        """Returns what changes on a live display."""
        with self._lock:
            match event:
                case FlopSolving():
                    return self._note_solving(event)
                case FlopSolved():
                    return self._note_solved(event)
                case PreflopSolving():
                    return self._note_preflop(event)
                case RangesRoundFinished():
                    return News(ended=(_PREFLOP,), line=describe_round(event))
                case SpotSolving():
                    return self._note_spot(event)
                case BucketsCapped():
                    return News(line=describe_capped(event))
                case ExtractingEv(done, total):
                    return News((self._worker_bar("EV histograms", done, total),))
                case Rebucketing():
                    return News((self._worker_bar(describe_rebucketing(event), 0, None),))

    def _note_solving(self, event: FlopSolving) -> News:
        is_first = self._batch is None
        batch = self._open_batch()
        batch.begun.add(event.flop)
        detail = describe_delta(event)
        if event.exploitability_pot is not None:
            detail = [f"{format_percent(event.exploitability_pot)} of the pot", *detail]
        worker = _this_worker()
        batch.workers.add(worker)
        self._flop_by_worker[worker] = event.flop
        title = f"  {describe_flop(event)} at SPR {event.spr:.4g}"
        done, total = event.iteration, event.max_iterations
        bar = Bar(worker, title, done, total, ", ".join(detail), 0.0)
        if not is_first:
            return News((bar,))
        return News((batch.bar(None), bar), ended=(_PREFLOP,))

    def _worker_bar(self, work: str, done: int, total: int | None) -> Bar:
        worker = _this_worker()
        flop = self._flop_by_worker.get(worker, "")
        return Bar(worker, f"  Flop '{flop}' {work}", done, total, "", 0.0)

    def _note_solved(self, event: FlopSolved) -> News:
        batch = self._open_batch()
        batch.note(event)
        if event.num_done < event.num_flops:
            return News((batch.bar(self._clock()),))
        self._batch = None
        return News(ended=(_FLOPS, *batch.workers))

    def _note_preflop(self, event: PreflopSolving) -> News:
        self._round, self._leaf, self._is_preflop_seen = event.round, 0, True
        title = f"Preflop, round {event.round}" if event.round else "Preflop"
        mbb = event.exploitability_mbb
        detail = "" if mbb is None else f"{mbb:.3g} mbb/hand"
        return News((Bar(_PREFLOP, title, event.iteration, event.max_iterations, detail),))

    def _note_spot(self, event: SpotSolving) -> News:
        chips = event.exploitability_chips
        detail = ""
        if chips is not None:
            detail = f"{chips:.3g} chips, {format_percent(chips / event.pot_chips)} of the pot"
        left = self._spot.seconds_left(event)
        return News((Bar("spot", "Spot", event.iteration, event.max_iterations, detail, left),))

    def _open_batch(self) -> "_Batch":
        if self._batch is None:
            title = "Flops"
            if self._is_preflop_seen:
                self._leaf += 1
                title = f"Flops, round {self._round + 1}, leaf {self._leaf}"
            self._batch = _Batch(title, self._clock())
        return self._batch


_FLOPS = "flops"
_PREFLOP = "preflop"


class _Batch:
    """Flops that are solved together."""

    def __init__(self, title: str, started: float) -> None:
        self.title = title
        self.begun: set[str] = set()
        self.workers: set[str] = set()
        self._started = started
        self._num_done = 0
        self._num_flops: int | None = None
        self._num_solved_now = 0
        self._worst_pot = 0.0

    def note(self, event: FlopSolved) -> None:
        self._num_done, self._num_flops = event.num_done, event.num_flops
        self._worst_pot = max(self._worst_pot, event.exploitability_pot)
        # A flop of an earlier run takes no time, so it says nothing about those to come.
        self._num_solved_now += event.flop in self.begun

    def bar(self, now: float | None) -> Bar:
        detail = f"worst {format_percent(self._worst_pot)} of the pot" if self._num_done else ""
        left = None if now is None else self.seconds_left(now)
        return Bar(_FLOPS, self.title, self._num_done, self._num_flops, detail, left or 0.0)

    def seconds_left(self, now: float) -> float | None:
        if not self._num_solved_now or self._num_flops is None:
            return None
        per_flop = (now - self._started) / self._num_solved_now
        return per_flop * (self._num_flops - self._num_done)


def _this_worker() -> str:
    """Returns the key of a bar: a thread solves one flop after another, so threads have bars."""
    return f"worker {threading.get_ident()}"


def describe_flop(event: FlopSolving) -> str:
    """Returns which flop is solved, and in which round if there are several."""
    rounds = f"[{event.round}/{event.total_rounds}] " if event.total_rounds > 1 else ""
    return f"{rounds}Flop '{event.flop}'"


def describe_delta(event: FlopSolving) -> list[str]:
    """Returns how much strategies still move, nothing if nobody looks."""
    return [] if math.isnan(event.strategy_delta) else [f"δ={event.strategy_delta:.4f}"]


def describe_iteration(event: FlopSolving) -> str:
    """Returns where the solve of a flop stands: ``[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032``."""
    where = f"{describe_flop(event)} iter {event.iteration}/{event.max_iterations}"
    return " ".join([where, *describe_delta(event)])


def describe_rebucketing(event: Rebucketing) -> str:
    """Returns which round's buckets are made."""
    return f"Rebucketing (round {event.round}/{event.total_rounds})"


def describe_capped(event: BucketsCapped) -> str:
    """Returns why there are fewer buckets than asked for, as a note."""
    return (
        f"{event.name}: {format_count_of(event.available, 'bucket')} instead of "
        f"{event.requested:,}, no more hands are different"
    )


def describe_round(event: RangesRoundFinished) -> str:
    """Returns what a round of arriving ranges has changed, as a line."""
    return (
        f"round {event.round} of at most {event.total_rounds}: actions moved by "
        f"{format_percent(event.change)}, exploitability {event.exploitability_mbb:.3g} mbb/hand"
    )


class SolveLines:
    """Turns the events of a solve into a line now and then, for files and pipes."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._tracker = SolveTracker(clock)
        self._last_line = clock()
        self._last_line_of_flop: dict[str, float] = {}
        self._is_spot_seen = False

    def lines(self, event: SolveEvent) -> list[str]:
        """Returns the lines to print after an event, most often none."""
        news = self._tracker.note(event)
        if news.line:
            return [news.line]
        if isinstance(event, PreflopSolving) and event.iteration == 1:
            again = f" again, round {event.round}" if event.round else ""
            at_most = format_count_of(event.max_iterations, "iteration")
            return [f"solving preflop{again}, at most {at_most}"]
        if isinstance(event, SpotSolving) and not self._is_spot_seen:
            self._is_spot_seen = True
            return [
                f"solving the spot, at most {format_count_of(event.max_iterations, 'iteration')}"
            ]
        if isinstance(event, FlopSolving):
            return self._lines_of_flop(event)
        if isinstance(event, Rebucketing):
            return [bar.title.strip() for bar in news.bars]
        if self._clock() - self._last_line < self._pause(event) or isinstance(event, ExtractingEv):
            return []
        self._last_line = self._clock()
        if isinstance(event, FlopSolved) and event.num_done == event.num_flops:
            return [f"{format_count_of(event.num_flops, 'flop')} done"]
        return [_describe_bar(bar) for bar in news.bars]

    def _lines_of_flop(self, event: FlopSolving) -> list[str]:
        """Returns a line about a flop that takes long, however many are solved at a time."""
        now = self._clock()
        if (
            now - self._last_line_of_flop.setdefault(event.flop, now)
            < SECONDS_BETWEEN_LINES_OF_FLOP
        ):
            return []
        self._last_line_of_flop[event.flop] = now
        return [describe_iteration(event)]

    def _pause(self, event: SolveEvent) -> float:
        is_last = isinstance(event, FlopSolved) and event.num_done == event.num_flops
        return 0.0 if is_last else SECONDS_BETWEEN_LINES


def _describe_bar(bar: Bar) -> str:
    parts = [f"{bar.title.strip().lower()}: {bar.done:,}/{bar.total:,}", bar.detail]
    if bar.seconds_left:
        parts.append(f"about {format_seconds(bar.seconds_left)} left")
    return ", ".join(part for part in parts if part)
