"""The progress of long work: bars that move, lines that stay, and the time left.

A flop in work has one bar, whichever worker solves it: it shows the phase that the flop is in, and
goes when the flop is solved, which leaves a line behind.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from runout import events
from runout.cache import cache_directory
from runout.cli.formatting import format_bound, format_count_of, format_percent, format_seconds
from runout.events import Event, FlopPlace, FlopSolved, FlopSolving, GameSolving, Phase

# Exploitability falls about like a power of the iterations: a line on logarithmic scales.

#: The line is drawn through what was measured since this share of the iterations.
_LOOKING_BACK = 0.25

#: A slower fall than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1

_COMPILING = "Compiling kernels"


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
    ratio = "" if place.spr is None else f" SPR {place.spr:.4g}"
    return f"{_describe_round(place)}{place.flop}{ratio}"


def _describe_round(place: FlopPlace | FlopSolving) -> str:
    return f"[{place.round}/{place.total_rounds}] " if place.total_rounds > 1 else ""


def describe_measures(event: FlopSolving) -> str:
    """Returns how well the solve of a flop goes: ``δ=0.0032, 0.32% of the pot``."""
    pot, delta = event.exploitability_pot, event.strategy_delta
    moved = "" if math.isnan(delta) else f"δ={delta:.4f}"
    measured = "" if pot is None else f"{format_bound(pot, event.is_upper_bound)} of the pot"
    return ", ".join(filter(None, (moved, measured)))


def describe_iteration(event: FlopSolving) -> str:
    """Returns where the solve of a flop stands: ``[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032``."""
    where = f"Flop '{event.flop}' iter {event.iteration}/{event.max_iterations}"
    return f"{_describe_round(event)}{where} {describe_measures(event)}".strip()


def describe_solved(flop: str, last: Sequence[FlopSolving], seconds: float) -> str:
    """Returns how a flop was solved: ``AhKd7s converged at iter 38 δ=0.0009 (6.7 s) ✓``.

    Args:
        flop: its cards as they were given.
        last: the last iteration at each stack-to-pot ratio.
        seconds: time that the flop took.
    """
    num_converged = sum(event.is_converged for event in last)
    took = f"({format_seconds(seconds)})" + (" ✓" if num_converged == len(last) else "")
    if not last:
        return f"{flop} solved {took}"
    if len(last) == 1:
        (event,) = last
        how = "converged at" if event.is_converged else "stopped at"
        return f"{flop} {how} iter {event.iteration} {describe_measures(event)} {took}"
    iterations = sorted(event.iteration for event in last)
    worst = max(event.exploitability_pot or 0.0 for event in last)
    return (
        f"{flop} converged at {num_converged} of {len(last)} SPRs, iter {iterations[0]} to "
        f"{iterations[-1]}, worst {format_bound(worst, last[0].is_upper_bound)} of the pot {took}"
    )


def describe_event(event: Event) -> str:
    """Returns the line of an event that moves no bar, or of a row of a report; else nothing.

    A row is ``AhKd7s  EV OOP 30.10, IP 24.90  x 64% b18 36%  0.42% (3.1 s)``.
    """
    match event:
        case events.FlopReported(ev_chips=(oop, ip), frequencies=shares):
            actions = " ".join(f"{code} {format_percent(share, 0)}" for code, share in shares)
            place = f"{event.line}: " if event.line else ""
            evs = f"{place}EV OOP {oop:.2f}, IP {ip:.2f}"
            reached = format_percent(event.exploitability_pot)
            return f"{event.flop}  {evs}  {actions}  {reached} ({format_seconds(event.seconds)})"
        case events.RangesRoundFinished(number, total, change, mbb):
            moved = f"actions moved by {format_percent(change)}"
            return f"round {number} of at most {total}: {moved}, exploitability {mbb:.3g} mbb/hand"
        case events.BucketsCapped(name, requested, available, at):
            flop = "" if at is None else f"{describe_place(at)} "
            buckets = f"{format_count_of(available, 'bucket')} instead of {requested:,}"
            return f"{flop}{name}: {buckets}, no more hands are different"
        case events.SavingFailed(where, problem):
            return f"not saved on the way, the solve goes on: {where}: {problem}"
        case events.TaskLost(task, loss, attempt, most):
            again = "given up" if attempt >= most else f"try {attempt + 1} of {most}"
            return f"{task}: {loss}; {again}"
        case events.TasksShared(by_host, num_lost):
            machines = ", ".join(f"{host} {format_count_of(n, 'task')}" for host, n in by_host)
            lost = f"; {format_count_of(num_lost, 'worker')} lost" if num_lost else ""
            return f"done by {machines}{lost}"
    return ""


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
        is_flop: whether it is about one flop of many.
    """

    key: str
    title: str
    done: int
    total: int | None
    detail: str = ""
    seconds_left: float | None = None
    is_at_most: bool = False
    words: str = ""
    is_flop: bool = False


def describe_bar(bar: Bar) -> str:
    """Returns a bar in words: ``flops: 2/3, worst 0.10% of the pot, about 6.0 s left``."""
    parts = [f"{bar.title.strip()}: {bar.done:,}/{bar.total:,}", bar.detail]
    if bar.seconds_left:
        about = "at most about" if bar.is_at_most else "about"
        parts.append(f"{about} {format_seconds(bar.seconds_left)} left")
    return ", ".join(filter(None, parts))


@dataclass(frozen=True)
class DisplayUpdate:
    """What changes on a display after an event.

    Attributes:
        bar: a new or moved one.
        ended: keys of bars whose work has ended.
        line: something to keep when all bars are gone, empty for nothing.
        first: what files are told when work begins, which terminals see by the bar.
    """

    bar: Bar | None = None
    ended: tuple[str, ...] = ()
    line: str = ""
    first: str = ""


@dataclass
class _PhaseTime:
    """When a phase began, and at which step: a resumed one begins in the middle."""

    started: float
    num_steps: int
    first: int | None = None

    def seconds_left(self, now: float, done: int, total: int) -> float | None:
        """Returns how long the other steps take if they take as long as those done."""
        if self.first is None:
            self.first = 0 if done <= 1 else done
            if self.first:
                self.started = now
        if done <= self.first:
            return None
        return (now - self.started) * (total - done) / (done - self.first)


class _FlopInWork(NamedTuple):
    """A flop that is being solved: since when, and the last iteration of each of its solves."""

    started: float
    last_by_spr: dict[float, FlopSolving]


class SolveTracker:
    """Follows the events of long work, from any thread.

    Flops are solved in one batch, or in one batch per flop leaf of the preflop tree and round.
    """

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, can_cache: bool = True
    ) -> None:
        """Takes a clock, and whether kernels are kept once they are compiled."""
        self._clock, self._can_cache, self._lock = clock, can_cache, threading.Lock()
        self._round, self._leaf, self._is_preflop_seen = 0, 0, False
        self._batch: _Batch | None = None
        self._forecasts: dict[str, Forecast] = {}
        self._phases: dict[tuple[str, FlopPlace | None], _PhaseTime] = {}
        self._flops: dict[str, _FlopInWork] = {}
        self._num_compiling = 0
        self._compile_seconds: list[float] = []

    def note(self, event: Event) -> DisplayUpdate:
        """Returns what changes on a display."""
        with self._lock:
            match event:
                case events.KernelCompiling(name):
                    return self._note_compiling(name)
                case events.KernelCompiled(_, seconds):
                    self._num_compiling -= 1
                    is_last = self._num_compiling == 0  # the time of those inside is in it
                    self._compile_seconds.append(seconds if is_last else 0.0)
                    return DisplayUpdate(ended=(_COMPILING,) if is_last else ())
                case events.PhaseStarted():
                    return self._note_started(event)
                case events.PhaseAdvanced(phase, done, total, place):
                    return DisplayUpdate(self._phase_bar(phase, done, total, place))
                case events.PhaseEnded():
                    return self._note_ended(event)
                case FlopSolving():
                    self._begin(event.flop).last_by_spr[event.spr] = event
                    place = FlopPlace(event.flop, event.spr, event.round, event.total_rounds)
                    steps = (event.iteration, event.max_iterations)
                    return DisplayUpdate(self._phase_bar(Phase.SOLVING, *steps, place, event))
                case FlopSolved():
                    return self._note_solved(event)
                case events.FlopFailed(flop, problem):
                    self._flops.pop(flop, None)
                    return DisplayUpdate(ended=(flop,), line=f"{flop} failed: {problem}")
                case events.PreflopSolving(round=number):
                    self._round, self._leaf, self._is_preflop_seen = number, 0, True
                    title = f"Preflop, round {number}" if number else "Preflop"
                    again = f" again, round {number}" if number else ""
                    return self._note_game(Phase.PREFLOP, title, f"preflop{again}", event)
                case events.SpotSolving():
                    return self._note_game("spot", "Spot", "the spot", event)
                case _:
                    return DisplayUpdate(line=describe_event(event))

    def describe_compiled(self) -> str:
        """Returns how long compiling took, nothing if it was not needed."""
        if not self._compile_seconds:
            return ""
        kernels = format_count_of(len(self._compile_seconds), "kernel")
        return f"compiled {kernels} in {format_seconds(sum(self._compile_seconds))}"

    def _note_compiling(self, name: str) -> DisplayUpdate:
        is_first = not self._num_compiling and not self._compile_seconds
        self._num_compiling += 1
        how_often = "first run only" if self._can_cache else "every run"
        # How many there will be is not known, so the bar has no end.
        bar = Bar(_COMPILING, f"{_COMPILING} ({how_often})", 0, None, name)
        cached = f", first run only; cached in {cache_directory()}" if self._can_cache else ""
        return DisplayUpdate(bar, first=f"compiling kernels{cached}" if is_first else "")

    def _note_started(self, event: events.PhaseStarted) -> DisplayUpdate:
        phase, total, place = event.phase, event.total, event.place
        self._phases[phase, place] = _PhaseTime(self._clock(), total)
        if phase == Phase.FLOPS:
            title = "Flops"
            if self._is_preflop_seen:
                self._leaf += 1
                title = f"Flops, round {self._round + 1}, leaf {self._leaf}"
            self._batch = _Batch(title, total)
            return DisplayUpdate(self._batch.bar([]), line=f"{title}: {total:,} to solve")
        if place is not None:
            self._begin(place.flop)
        is_told = place is None and phase != Phase.PREFLOP and total != 1
        first = f"{phase}: {format_count_of(total, 'step')}" if is_told else ""
        return DisplayUpdate(self._phase_bar(phase, 0, total, place), first=first)

    def _note_ended(self, event: events.PhaseEnded) -> DisplayUpdate:
        phase, seconds = event.phase, event.seconds
        known = self._phases.pop((phase, event.place), None)
        if event.place is not None:
            return DisplayUpdate()  # the bar stays for the flop's next phase
        if phase == Phase.FLOPS and self._batch is not None:
            batch, self._batch = self._batch, None
            return DisplayUpdate(ended=(phase,), line=batch.describe_end(seconds))
        is_short = known is not None and known.num_steps == 1  # not worth a line
        line = "" if is_short else f"{phase}: done in {format_seconds(seconds)}"
        return DisplayUpdate(ended=(phase,), line=line)

    def _phase_bar(
        self,
        phase: str,
        done: int,
        total: int,
        place: FlopPlace | None,
        solving: FlopSolving | None = None,
    ) -> Bar:
        """Returns the bar of a phase, or of the flop that is in it; ``solving`` is its event."""
        known = self._phases.get((phase, place))
        left = None if known is None else known.seconds_left(self._clock(), done, total)
        if place is None:
            return Bar(phase, phase[0].upper() + phase[1:], done, total, "", left)
        title, detail, words = f"  {describe_place(place)} {phase}", "", ""
        if solving is not None:
            detail, words = describe_measures(solving), describe_iteration(solving)
        is_at_most = solving is not None
        return Bar(place.flop, title, done, total, detail, left, is_at_most, words, is_flop=True)

    def _begin(self, flop: str) -> _FlopInWork:
        """Returns what is known of a flop in work, from its first event on."""
        known = self._flops.setdefault(flop, _FlopInWork(self._clock(), {}))
        if self._batch is not None:
            self._batch.most_at_once = max(self._batch.most_at_once, len(self._flops))
        return known

    def _note_solved(self, event: FlopSolved) -> DisplayUpdate:
        flop, now = self._flops.pop(event.flop, None), self._clock()
        line = describe_event(event)
        if not line and flop is not None and not self._is_preflop_seen:
            line = describe_solved(event.flop, list(flop.last_by_spr.values()), now - flop.started)
        if self._batch is None:
            return DisplayUpdate(ended=(event.flop,), line=line)
        self._batch.note(event, None if flop is None else now - flop.started)
        ages = [now - other.started for other in self._flops.values()]
        return DisplayUpdate(self._batch.bar(ages), (event.flop,), line)

    def _note_game(
        self, key: str, title: str, what: str, event: events.PreflopSolving | events.SpotSolving
    ) -> DisplayUpdate:
        """Moves the bar of a solve that ends at a target, at the time it is expected to."""
        is_first = title not in self._forecasts
        forecast = self._forecasts.setdefault(title, Forecast())
        left = forecast.seconds_left(event) or None
        reached, is_at_most, detail = event.exploitability, forecast.is_at_most, ""
        if isinstance(event, events.SpotSolving):
            is_at_most = False
            if reached is not None:
                percent = format_percent(reached / event.pot_chips)
                detail = f"{reached:.3g} chips, {percent} of the pot"
        elif reached is not None:
            detail = f"{reached:.3g} mbb/hand"
        at_most = format_count_of(event.max_iterations, "iteration")
        return DisplayUpdate(
            Bar(key, title, event.iteration, event.max_iterations, detail, left, is_at_most),
            first=f"solving {what}, at most {at_most}" if is_first else "",
        )


@dataclass
class _Batch:
    """Flops that are solved together.

    Attributes:
        title: of the bar.
        num_flops: to solve.
        most_at_once: flops that were in work at the same time, at most.
        num_done: those of earlier runs included.
        seconds: what flops of this run took.
        worst: the largest exploitability, as a fraction of the pot.
        is_upper_bound: whether that is not measured, but cannot be larger.
    """

    title: str
    num_flops: int
    most_at_once: int = 1
    num_done: int = 0
    seconds: list[float] = field(default_factory=list)
    worst: float = 0.0
    is_upper_bound: bool = False

    def note(self, event: FlopSolved, seconds: float | None) -> None:
        """Counts a solved flop; one of an earlier run has taken no time."""
        self.num_done, self.is_upper_bound = event.num_done, event.is_upper_bound
        self.worst = max(self.worst, event.exploitability_pot)
        if seconds is not None:
            self.seconds.append(seconds)

    def bar(self, ages: Sequence[float]) -> Bar:
        """Returns the bar, for flops in work that were begun so many seconds ago."""
        detail = self._describe_worst() if self.num_done else ""
        left = self._seconds_left(ages)
        return Bar(Phase.FLOPS, self.title, self.num_done, self.num_flops, detail, left)

    def describe_end(self, seconds: float) -> str:
        """Returns a line about the whole batch."""
        done = f"{format_count_of(self.num_done, 'flop')} in {format_seconds(seconds)}"
        num_earlier = self.num_done - len(self.seconds)
        earlier = f", {num_earlier:,} of them by an earlier run" if num_earlier else ""
        return f"{self.title}: {done}{earlier}, {self._describe_worst()}"

    def _describe_worst(self) -> str:
        return f"worst {format_bound(self.worst, self.is_upper_bound)} of the pot"

    def _seconds_left(self, ages: Sequence[float]) -> float | None:
        """Returns how long it takes if the other flops take as long as those solved."""
        if not self.seconds:
            return None
        # The first flops may have waited for kernels to be compiled.
        typical = self.seconds[self.most_at_once :] or self.seconds
        per_flop = sum(typical) / len(typical)
        of_begun = [max(per_flop - age, 0.0) for age in ages]
        num_waiting = self.num_flops - self.num_done - len(ages)
        work = sum(of_begun) + num_waiting * per_flop
        return max(work / self.most_at_once, *of_begun, 0.0)
