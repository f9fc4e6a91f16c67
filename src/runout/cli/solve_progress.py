"""What events say about the progress of long work: bars that move, and lines that stay.

A flop in work has one bar, whoever works on it: it shows the phase that the flop is in, and goes
when the flop is solved, which leaves a line behind.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from runout.cli.forecast import Forecast, Standing
from runout.cli.formatting import (
    format_bound,
    format_count_of,
    format_percent,
    format_seconds,
)
from runout.cli.progress_text import (
    describe_capped,
    describe_measures,
    describe_place,
    describe_reported,
    describe_round,
    describe_solved,
)
from runout.events import (
    BucketsCapped,
    FlopFailed,
    FlopPlace,
    FlopReported,
    FlopSolved,
    FlopSolving,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseEvent,
    PhaseStarted,
    PreflopSolving,
    RangesRoundFinished,
    SpotSolving,
)

SolveEvent = (
    PhaseEvent
    | FlopSolving
    | FlopSolved
    | FlopReported
    | FlopFailed
    | PreflopSolving
    | RangesRoundFinished
    | SpotSolving
    | BucketsCapped
)


@dataclass(frozen=True)
class Bar:
    """One line of a live display.

    Attributes:
        key: tells the bar from others; its text may change.
        title: what is being done; the clock of another title begins anew.
        done: steps done.
        total: steps in all; None if nobody knows.
        detail: how well it goes.
        seconds_left: time left; None as long as nobody knows.
        is_at_most: whether it may end before all steps are done.
    """

    key: str
    title: str
    done: int
    total: int | None
    detail: str = ""
    seconds_left: float | None = None
    is_at_most: bool = False


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


@dataclass
class _Pace:
    """When a phase began, and at which step: a resumed one begins in the middle."""

    started: float
    num_steps: int
    first: int | None = None

    def seconds_left(self, now: float, done: int, total: int) -> float | None:
        if self.first is None:
            self.first = 0 if done <= 1 else done
            if self.first:
                self.started = now
        if done <= self.first:
            return None
        return (now - self.started) * (total - done) / (done - self.first)


@dataclass
class _FlopInWork:
    """A flop that is being solved: since when, and how each of its solves has ended so far."""

    started: float
    last_by_spr: dict[float, FlopSolving] = field(default_factory=dict)


class SolveTracker:
    """Follows the events of long work, from any thread.

    Flops are solved in one batch, or in one batch per flop leaf of the preflop tree and round.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._round = 0
        self._leaf = 0
        self._is_preflop_seen = False
        self._batch: _Batch | None = None
        self._spot = Forecast()
        self._preflop = Forecast()
        self._started: dict[tuple[str, FlopPlace | None], _Pace] = {}
        self._flops: dict[str, _FlopInWork] = {}

    def note(self, event: SolveEvent) -> News:
        """Returns what changes on a live display."""
        with self._lock:
            match event:
                case PhaseStarted():
                    return self._note_started(event)
                case PhaseAdvanced(phase, done, total, place):
                    return News((self._phase_bar(phase, done, total, place),))
                case PhaseEnded():
                    return self._note_ended(event)
                case FlopSolving():
                    return self._note_solving(event)
                case FlopSolved():
                    return self._note_solved(event)
                case FlopReported():
                    return self._note_reported(event)
                case FlopFailed(flop, problem):
                    self._flops.pop(flop, None)
                    return News(ended=(_key_of(flop),), line=f"{flop} failed: {problem}")
                case PreflopSolving():
                    return self._note_preflop(event)
                case RangesRoundFinished():
                    return News(line=describe_round(event))
                case SpotSolving():
                    return self._note_spot(event)
                case BucketsCapped():
                    return News(line=describe_capped(event))

    def _note_started(self, event: PhaseStarted) -> News:
        phase, place = event.phase, event.place
        self._started[phase, place] = _Pace(self._clock(), event.total)
        if phase == Phase.FLOPS:
            title = "Flops"
            if self._is_preflop_seen:
                self._leaf += 1
                title = f"Flops, round {self._round + 1}, leaf {self._leaf}"
            self._batch = _Batch(title, event.total)
            return News((self._batch.bar([]),), line=f"{title}: {event.total:,} to solve")
        if place is not None:
            self._begin(place.flop)
        return News((self._phase_bar(phase, 0, event.total, place),))

    def _note_ended(self, event: PhaseEnded) -> News:
        phase, seconds = event.phase, event.seconds
        pace = self._started.pop((phase, event.place), None)
        if event.place is not None:
            return News()  # the bar stays for the flop's next phase
        if phase == Phase.FLOPS and self._batch is not None:
            batch, self._batch = self._batch, None
            return News(ended=(phase,), line=batch.describe_end(seconds))
        is_short = pace is not None and pace.num_steps == 1  # a single step is not worth a line
        line = "" if is_short else f"{phase}: done in {format_seconds(seconds)}"
        return News(ended=(phase,), line=line)

    def _phase_bar(self, phase: str, done: int, total: int, place: FlopPlace | None) -> Bar:
        left = self._seconds_left(phase, place, done, total)
        if place is None:
            return Bar(phase, phase[0].upper() + phase[1:], done, total, "", left)
        title = f"  {describe_place(place)} {phase}"
        return Bar(_key_of(place.flop), title, done, total, "", left)

    def _seconds_left(
        self, phase: str, place: FlopPlace | None, done: int, total: int
    ) -> float | None:
        """Returns how long the other steps take if they take as long as those done."""
        pace = self._started.get((phase, place))
        return None if pace is None else pace.seconds_left(self._clock(), done, total)

    def _note_solving(self, event: FlopSolving) -> News:
        flop = self._begin(event.flop)
        flop.last_by_spr[event.spr] = event
        place = FlopPlace(event.flop, event.spr, event.round, event.total_rounds)
        done, total = event.iteration, event.max_iterations
        left = self._seconds_left(Phase.SOLVING, place, done, total)
        title = f"  {describe_place(place)} {Phase.SOLVING}"
        detail = describe_measures(event)
        return News((Bar(_key_of(event.flop), title, done, total, detail, left, is_at_most=True),))

    def _begin(self, flop: str) -> _FlopInWork:
        """Returns what is known of a flop in work, from its first event on."""
        known = self._flops.setdefault(flop, _FlopInWork(self._clock()))
        if self._batch is not None:
            self._batch.most_at_once = max(self._batch.most_at_once, len(self._flops))
        return known

    def _note_solved(self, event: FlopSolved) -> News:
        flop, now = self._flops.pop(event.flop, None), self._clock()
        ended = (_key_of(event.flop),)
        seconds = None if flop is None else now - flop.started
        line = ""
        if flop is not None and seconds is not None and not self._is_preflop_seen:
            line = describe_solved(event.flop, list(flop.last_by_spr.values()), seconds)
        if self._batch is None:
            return News(ended=ended, line=line)
        self._batch.note(event, seconds)
        ages = [now - other.started for other in self._flops.values()]
        return News((self._batch.bar(ages),), ended, line)

    def _note_reported(self, event: FlopReported) -> News:
        flop, now = self._flops.pop(event.flop, None), self._clock()
        ended, line = (_key_of(event.flop),), describe_reported(event)
        if self._batch is None:
            return News(ended=ended, line=line)
        seconds = None if flop is None else now - flop.started
        self._batch.note(event, seconds)
        ages = [now - other.started for other in self._flops.values()]
        return News((self._batch.bar(ages),), ended, line)

    def _note_preflop(self, event: PreflopSolving) -> News:
        if event.round != self._round:
            self._preflop = Forecast()
        self._round, self._leaf, self._is_preflop_seen = event.round, 0, True
        title = f"Preflop, round {event.round}" if event.round else "Preflop"
        mbb = event.exploitability_mbb
        detail = "" if mbb is None else f"{mbb:.3g} mbb/hand"
        done, total = event.iteration, event.max_iterations
        standing = Standing(done, total, mbb, event.target_mbb, event.seconds, event.max_seconds)
        left = self._preflop.seconds_left(standing) or None
        is_at_most = self._preflop.is_at_most
        return News((Bar(Phase.PREFLOP, title, done, total, detail, left, is_at_most=is_at_most),))

    def _note_spot(self, event: SpotSolving) -> News:
        chips = event.exploitability_chips
        detail = ""
        if chips is not None:
            detail = f"{chips:.3g} chips, {format_percent(chips / event.pot_chips)} of the pot"
        standing = Standing(
            event.iteration,
            event.max_iterations,
            chips,
            event.target_chips,
            event.seconds,
            event.max_seconds,
        )
        left = self._spot.seconds_left(standing) or None
        return News((Bar("spot", "Spot", event.iteration, event.max_iterations, detail, left),))


def _key_of(flop: str) -> str:
    return f"flop {flop}"


class _Batch:
    """Flops that are solved together.

    Attributes:
        most_at_once: flops that were in work at the same time, at most.
    """

    def __init__(self, title: str, num_flops: int) -> None:
        self.most_at_once = 1
        self._title = title
        self._num_done = 0
        self._num_flops = num_flops
        self._seconds: list[float] = []
        self._worst_pot = 0.0
        self._is_upper_bound = False

    def note(self, event: FlopSolved | FlopReported, seconds: float | None) -> None:
        """Counts a solved flop; one of an earlier run has taken no time."""
        self._num_done = event.num_done
        self._worst_pot = max(self._worst_pot, event.exploitability_pot)
        self._is_upper_bound = isinstance(event, FlopSolved) and event.is_upper_bound
        if seconds is not None:
            self._seconds.append(seconds)

    def bar(self, ages: Sequence[float]) -> Bar:
        """Returns the bar, for flops in work that were begun so many seconds ago."""
        detail = self._describe_worst() if self._num_done else ""
        left = self._seconds_left(ages)
        return Bar(Phase.FLOPS, self._title, self._num_done, self._num_flops, detail, left)

    def describe_end(self, seconds: float) -> str:
        """Returns a line about the whole batch."""
        done = f"{format_count_of(self._num_done, 'flop')} in {format_seconds(seconds)}"
        num_earlier = self._num_done - len(self._seconds)
        earlier = f", {num_earlier:,} of them by an earlier run" if num_earlier else ""
        return f"{self._title}: {done}{earlier}, {self._describe_worst()}"

    def _describe_worst(self) -> str:
        return f"worst {format_bound(self._worst_pot, self._is_upper_bound)} of the pot"

    def _seconds_left(self, ages: Sequence[float]) -> float | None:
        """Returns how long it takes if the other flops take as long as those solved."""
        if not self._seconds:
            return None
        # The first flops may have waited for kernels to be compiled.
        typical = self._seconds[self.most_at_once :] or self._seconds
        per_flop = sum(typical) / len(typical)
        of_begun = [max(per_flop - age, 0.0) for age in ages]
        num_waiting = self._num_flops - self._num_done - len(ages)
        work = sum(of_begun) + num_waiting * per_flop
        return max(work / self.most_at_once, *of_begun, 0.0)
