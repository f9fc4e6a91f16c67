"""The progress of long work: bars that move, lines that stay, and the time left.

A flop in work has one bar, whichever worker solves it: it shows the phase that the flop is in, and
goes when the flop is solved, which leaves a line behind.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from runout.cli.formatting import format_bound, format_count_of, format_percent, format_seconds
from runout.events import (
    BucketsCapped,
    Event,
    FlopFailed,
    FlopPlace,
    FlopReported,
    FlopSolved,
    FlopSolving,
    GameSolving,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
    PreflopSolving,
    RangesRoundFinished,
    SavingFailed,
    SpotSolving,
    TaskLost,
    TasksShared,
)

# Exploitability falls about like a power of the iterations: a line on logarithmic scales.

#: The line is drawn through what was measured since this share of the iterations.
_LOOKING_BACK = 0.25

#: A slower fall than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1

#: Keys of bars of flops begin with this.
_FLOP_KEY = "flop "


class Forecast:
    """Follows one solve.

    Attributes:
        is_at_most: whether the last answer counted on all iterations, as nothing else was known.
    """

    def __init__(self) -> None:
        self.is_at_most = True
        self._first: GameSolving | None = None
        self._measured: list[tuple[int, float]] = []

    def seconds_left(self, now: GameSolving) -> float:
        """Returns the time until the first limit is met; 0 if nobody knows yet."""
        measured = now.exploitability
        if measured is not None and (not self._measured or self._measured[-1][1] != measured):
            self._measured.append((now.iteration, measured))
        if self._first is None:
            self._first = now  # compiling came before it and says nothing about what follows
            return 0.0
        iterations = now.iteration - self._first.iteration
        seconds = now.seconds - self._first.seconds
        if iterations <= 0 or seconds <= 0.0:
            return 0.0
        last = self._last_iteration(now)
        self.is_at_most = last == now.max_iterations
        left = (last - now.iteration) * seconds / iterations
        if now.max_seconds is not None:
            left = min(left, now.max_seconds - now.seconds)
        return max(left, 0.0) if math.isfinite(left) else 0.0

    def _last_iteration(self, now: GameSolving) -> float:
        """Returns the iteration at which the target will be reached, or all are done."""
        if now.target is None or not self._measured:
            return now.max_iterations
        iteration, measured = self._measured[-1]
        before = self._measured[:-1]
        recent = [seen for seen in before if seen[0] >= _LOOKING_BACK * iteration]
        earlier = next(iter(recent or before[-1:]), None)
        if earlier is None or earlier[0] == iteration or not 0.0 < measured < earlier[1]:
            return now.max_iterations
        fall = math.log(earlier[1] / measured) / math.log(iteration / earlier[0])
        if fall < _SLOWEST_FALL:
            return now.max_iterations
        reached = iteration * math.pow(measured / now.target, 1.0 / fall)
        return min(reached, now.max_iterations)


def describe_place(place: FlopPlace) -> str:
    """Returns which flop is worked on: ``[1/2] AhKd7s SPR 3.5``."""
    rounds = f"[{place.round}/{place.total_rounds}] " if place.total_rounds > 1 else ""
    ratio = "" if place.spr is None else f" SPR {place.spr:.4g}"
    return f"{rounds}{place.flop}{ratio}"


def describe_delta(strategy_delta: float) -> str:
    """Returns how much strategies still move, nothing if nobody looks."""
    return "" if math.isnan(strategy_delta) else f"δ={strategy_delta:.4f}"


def describe_measures(event: FlopSolving) -> str:
    """Returns how well the solve of a flop goes: ``δ=0.0032, 0.32% of the pot``."""
    pot = event.exploitability_pot
    measured = "" if pot is None else f"{format_bound(pot, event.is_upper_bound)} of the pot"
    return ", ".join(part for part in (describe_delta(event.strategy_delta), measured) if part)


def describe_iteration(event: FlopSolving) -> str:
    """Returns where the solve of a flop stands: ``[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032``."""
    rounds = f"[{event.round}/{event.total_rounds}] " if event.total_rounds > 1 else ""
    where = f"{rounds}Flop '{event.flop}' iter {event.iteration}/{event.max_iterations}"
    return f"{where} {describe_measures(event)}".strip()


def describe_solved(flop: str, last: Sequence[FlopSolving], seconds: float) -> str:
    """Returns how a flop was solved: ``AhKd7s converged at iter 38 δ=0.0009 (6.7 s) ✓``.

    Args:
        flop: its cards as they were given.
        last: the last iteration at each stack-to-pot ratio.
        seconds: time that the flop took.
    """
    took = f"({format_seconds(seconds)})"
    if not last:
        return f"{flop} solved {took} ✓"
    num_converged = sum(event.is_converged for event in last)
    mark = " ✓" if num_converged == len(last) else ""
    if len(last) == 1:
        (event,) = last
        how = "converged at" if event.is_converged else "stopped at"
        return f"{flop} {how} iter {event.iteration} {describe_measures(event)} {took}{mark}"
    iterations = sorted(event.iteration for event in last)
    worst = max(event.exploitability_pot or 0.0 for event in last)
    return (
        f"{flop} converged at {num_converged} of {len(last)} SPRs, iter {iterations[0]} to "
        f"{iterations[-1]}, worst {format_bound(worst, last[0].is_upper_bound)} of the pot "
        f"{took}{mark}"
    )


def describe_reported(event: FlopReported) -> str:
    """Returns a row of a report: ``AhKd7s  OOP 30.1, IP 24.9  x 64% b18 36%  0.42% (3.1 s)``."""
    oop, ip = event.ev_chips
    actions = " ".join(f"{code} {format_percent(share, 0)}" for code, share in event.frequencies)
    place = f"{event.line}: " if event.line else ""
    reached = format_percent(event.exploitability_pot)
    evs = f"EV OOP {oop:.2f}, IP {ip:.2f}"
    return f"{event.flop}  {place}{evs}  {actions}  {reached} ({format_seconds(event.seconds)})"


def describe_capped(event: BucketsCapped) -> str:
    """Returns why there are fewer buckets than asked for, as a note."""
    flop = "" if event.place is None else f"{describe_place(event.place)} "
    return (
        f"{flop}{event.name}: {format_count_of(event.available, 'bucket')} instead of "
        f"{event.requested:,}, no more hands are different"
    )


def describe_round(event: RangesRoundFinished) -> str:
    """Returns what a round of arriving ranges has changed, as a line."""
    return (
        f"round {event.round} of at most {event.total_rounds}: actions moved by "
        f"{format_percent(event.change)}, exploitability {event.exploitability_mbb:.3g} mbb/hand"
    )


def describe_failed_saving(event: SavingFailed) -> str:
    """Returns that work could not be saved on the way, and goes on."""
    return f"not saved on the way, the solve goes on: {event.where}: {event.problem}"


def describe_lost_task(event: TaskLost) -> str:
    """Returns that a task has to be done again, or is given up."""
    is_last = event.attempt >= event.max_attempts
    again = "given up" if is_last else f"try {event.attempt + 1} of {event.max_attempts}"
    return f"{event.task}: {event.loss}; {again}"


def describe_shared_tasks(event: TasksShared) -> str:
    """Returns how many tasks each machine has finished, and what got lost."""
    machines = ", ".join(f"{host} {format_count_of(n, 'task')}" for host, n in event.by_host)
    lost = f"; {format_count_of(event.num_lost, 'worker')} lost" if event.num_lost else ""
    return f"done by {machines}{lost}"


#: Events that are a line and move no bar.
_LINE_BY_EVENT: dict[type[Event], Callable[[Any], str]] = {
    RangesRoundFinished: describe_round,
    BucketsCapped: describe_capped,
    SavingFailed: describe_failed_saving,
    TaskLost: describe_lost_task,
    TasksShared: describe_shared_tasks,
}


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
        words: the bar as a line, if that is not `describe_bar`.
    """

    key: str
    title: str
    done: int
    total: int | None
    detail: str = ""
    seconds_left: float | None = None
    is_at_most: bool = False
    words: str = ""


@dataclass(frozen=True)
class News:
    """What changes on a live display after an event: bars to move, and keys of bars to take away.

    Attributes:
        bars: new or moved ones.
        ended: keys of those whose work has ended.
        line: something to keep when all bars are gone, empty for nothing.
        first: what files are told when work begins, which terminals see by the bar.
    """

    bars: tuple[Bar, ...] = ()
    ended: tuple[str, ...] = ()
    line: str = ""
    first: str = ""


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
        self._forecasts: dict[str, Forecast] = {}
        self._started: dict[tuple[str, FlopPlace | None], _Pace] = {}
        self._flops: dict[str, _FlopInWork] = {}

    def note(self, event: Event) -> News:
        """Returns what changes on a live display."""
        if describe := _LINE_BY_EVENT.get(type(event)):
            return News(line=describe(event))
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
                case FlopFailed(flop, problem):
                    self._flops.pop(flop, None)
                    return News(ended=(_key_of(flop),), line=f"{flop} failed: {problem}")
                case PreflopSolving():
                    return self._note_preflop(event)
                case SpotSolving():
                    return self._note_spot(event)
                case _:
                    return News()

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
        bars = (self._phase_bar(phase, 0, event.total, place),)
        if place is not None:
            self._begin(place.flop)
            return News(bars)
        is_told = phase == Phase.PREFLOP or event.total == 1
        return News(
            bars, first="" if is_told else f"{phase}: {format_count_of(event.total, 'step')}"
        )

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
        detail, words = describe_measures(event), describe_iteration(event)
        return News((Bar(_key_of(event.flop), title, done, total, detail, left, True, words),))

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
        if isinstance(event, FlopReported):
            line = describe_reported(event)
        elif flop is not None and not self._is_preflop_seen:
            line = describe_solved(event.flop, list(flop.last_by_spr.values()), now - flop.started)
        if self._batch is None:
            return News(ended=ended, line=line)
        self._batch.note(event, seconds)
        ages = [now - other.started for other in self._flops.values()]
        return News((self._batch.bar(ages),), ended, line)

    def _note_preflop(self, event: PreflopSolving) -> News:
        self._round, self._leaf, self._is_preflop_seen = event.round, 0, True
        title = f"Preflop, round {event.round}" if event.round else "Preflop"
        mbb = event.exploitability
        detail = "" if mbb is None else f"{mbb:.3g} mbb/hand"
        bar = self._game_bar(Phase.PREFLOP, title, event, detail)
        again = f" again, round {event.round}" if event.round else ""
        return News((bar,), first=_first_line(f"preflop{again}", event, event.iteration == 1))

    def _note_spot(self, event: SpotSolving) -> News:
        title, chips = "Spot", event.exploitability
        detail, is_first = "", title not in self._forecasts
        if chips is not None:
            detail = f"{chips:.3g} chips, {format_percent(chips / event.pot_chips)} of the pot"
        bar = self._game_bar("spot", title, event, detail)
        first = _first_line("the spot", event, is_first)
        return News((replace(bar, is_at_most=False),), first=first)

    def _game_bar(self, key: str, title: str, event: GameSolving, detail: str) -> Bar:
        """Returns the bar of a solve that ends at a target, at the time it is expected to."""
        forecast = self._forecasts.setdefault(title, Forecast())
        left = forecast.seconds_left(event) or None
        done, total = event.iteration, event.max_iterations
        return Bar(key, title, done, total, detail, left, forecast.is_at_most)


def _first_line(what: str, event: GameSolving, is_first: bool) -> str:
    at_most = format_count_of(event.max_iterations, "iteration")
    return f"solving {what}, at most {at_most}" if is_first else ""


def _key_of(flop: str) -> str:
    return f"{_FLOP_KEY}{flop}"


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

    def note(self, event: FlopSolved, seconds: float | None) -> None:
        """Counts a solved flop; one of an earlier run has taken no time."""
        self._num_done = event.num_done
        self._worst_pot = max(self._worst_pot, event.exploitability_pot)
        self._is_upper_bound = event.is_upper_bound
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

    def lines(self, event: Event) -> list[str]:
        """Returns the lines to print after an event, most often none."""
        news = self._tracker.note(event)
        lines = [line for line in (news.line, news.first) if line]
        for bar in news.bars:
            is_flop = bar.key.startswith(_FLOP_KEY)
            pause = SECONDS_BETWEEN_LINES_OF_FLOP if is_flop else SECONDS_BETWEEN_LINES
            now = self._clock()
            if now - self._last_line.setdefault(bar.key, now) >= pause:
                self._last_line[bar.key] = now
                lines.append(bar.words or describe_bar(bar))
        for key in news.ended:
            self._last_line.pop(key, None)
        return lines


def describe_bar(bar: Bar) -> str:
    """Returns a bar in words: ``flops: 2/3, worst 0.10% of the pot, about 6.0 s left``."""
    count = f"{bar.done:,}" if bar.total is None else f"{bar.done:,}/{bar.total:,}"
    parts = [f"{bar.title.strip()}: {count}", bar.detail]
    if bar.seconds_left:
        about = "at most about" if bar.is_at_most else "about"
        parts.append(f"{about} {format_seconds(bar.seconds_left)} left")
    return ", ".join(part for part in parts if part)
