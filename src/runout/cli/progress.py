"""The progress of long work: bars that move, lines that stay, and the time left.

A flop in work has one bar, whichever worker solves it: it shows the phase that the flop is in, and
goes when the flop is solved, which leaves a line behind.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from runout import events
from runout.cli.formatting import (
    format_bound,
    format_count_of,
    format_percent,
    format_seconds,
    format_time_limit,
)
from runout.events import Event, FlopPlace, FlopSolved, FlopSolving, GameSolving, Phase

#: Pace and fall are those since this share of the steps: early ones are of another kind.
_LOOKING_BACK = 0.25

#: A slower fall of exploitability than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1

#: Phases of less time leave no line.
_SHORT_SECONDS = 0.5

_COMPILING = "Compiling kernels"


class TimeLeft:
    """Estimates when one piece of work ends: the steps left, at the recent pace.

    Attributes:
        is_at_most: whether the last answer counted on all steps, as nothing else was known.
    """

    def __init__(self) -> None:
        self.is_at_most = False
        self._seen: list[tuple[float, float]] = []
        self._measured: list[tuple[int, float]] = []

    def of_steps(self, done: float, last: float, seconds: float) -> float | None:
        """Returns the time left, in seconds; None as long as there is no pace.

        Args:
            done: steps done; a part of a step counts.
            last: the step after which the work is expected to end.
            seconds: time worked so far, without compiling.
        """
        if not self._seen or done > self._seen[-1][0]:
            self._seen.append((done, seconds))
        start, (done, until) = self._seen[0][0], self._seen[-1]
        since = start + _LOOKING_BACK * (done - start)
        first, began = max(seen for seen in self._seen if seen[0] <= since)
        if done == first:
            return None
        return max((last - done) * (until - began) / (done - first), 0.0)

    def of_game(self, now: GameSolving, seconds: float) -> float | None:
        """Returns the time until the first limit of a solve is met, None if it is unknown."""
        measured = now.exploitability
        if measured is not None and (not self._measured or self._measured[-1][1] != measured):
            self._measured.append((now.iteration, measured))
        last = self._last_iteration(now)
        self.is_at_most = last == now.max_iterations
        left = self.of_steps(now.iteration, last, seconds)
        if now.max_seconds is None:
            return left
        most = max(now.max_seconds - now.seconds, 0.0)
        return most if left is None else min(left, most)

    def _last_iteration(self, now: GameSolving) -> float:
        """Returns the iteration at which the target will be reached, or all are done.

        Exploitability falls about like a power of the iterations, a line on logarithmic scales,
        and ends a solve only where it is measured.
        """
        if now.target is None or len(self._measured) < 2:
            return now.max_iterations
        iteration, measured = self._measured[-1]
        before = self._measured[:-1]
        recent = [seen for seen in before if seen[0] >= _LOOKING_BACK * iteration]
        earlier, worse = next(iter(recent or before[-1:]))
        if earlier == iteration or not 0.0 < measured < worse:
            return now.max_iterations
        fall = math.log(worse / measured) / math.log(iteration / earlier)
        if fall < _SLOWEST_FALL:
            return now.max_iterations
        reached = max(iteration * math.pow(measured / now.target, 1.0 / fall), now.iteration)
        between = iteration - before[-1][0]  # iterations from one measurement to the next
        checked = iteration + between * max(math.ceil((reached - iteration) / between), 1)
        return min(checked, now.max_iterations)


def describe_place(place: FlopPlace) -> str:
    """Returns the flop in work: ``[1/2] AhKd7s SPR 3.5``."""
    turn = f"[{place.round}/{place.total_rounds}] " if place.total_rounds > 1 else ""
    return f"{turn}{place.flop}" + ("" if place.spr is None else f" SPR {place.spr:.4g}")


def describe_measures(event: FlopSolving) -> str:
    """Returns how well the solve of a flop goes: ``δ=0.0032, 0.32% of the pot``."""
    pot, delta = event.exploitability_pot, event.strategy_delta
    moved = "" if math.isnan(delta) else f"δ={delta:.4f}"
    measured = "" if pot is None else f"{format_bound(pot, event.is_upper_bound)} of the pot"
    return ", ".join(filter(None, (moved, measured)))


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
            return f"could not save, the solve continues: {where}: {problem}"
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
        key: identifies the bar; its text may change.
        title: the work; the clock of another title begins anew.
        done: steps done.
        total: steps in all; None if that is unknown.
        detail: how well it goes.
        seconds_left: None if that is unknown.
        is_at_most: whether it may end before all steps are done.
        is_flop: whether it is about one flop of many.
    """

    key: str
    title: str
    done: int
    total: int | None
    detail: str = ""
    seconds_left: float | None = None
    is_at_most: bool = False
    is_flop: bool = False


def describe_bar(bar: Bar) -> str:
    """Returns a bar in words: ``Flops: 2/3, worst 0.10% of the pot, about 10 s left``."""
    if bar.total is None:
        return bar.title
    parts = [f"{bar.title.strip()}: {bar.done:,}/{bar.total:,}", bar.detail]
    if bar.seconds_left:
        about = "at most about" if bar.is_at_most else "about"
        parts.append(f"{about} {format_time_limit(bar.seconds_left)} left")
    return ", ".join(filter(None, parts))


class DisplayUpdate(NamedTuple):
    """What changes on a display after an event.

    Attributes:
        bar: a new or moved one.
        ended: keys of bars whose work has ended.
        line: a line that stays when all bars are gone, empty for none.
    """

    bar: Bar | None = None
    ended: tuple[str, ...] = ()
    line: str = ""


@dataclass
class _Batch:
    """Flops that are solved together, those of earlier runs included.

    Attributes:
        title: of the bar.
        num_flops: to solve.
        num_done: solved ones.
        seconds: times of the flops of this run.
        worst: the largest exploitability in words, and as a fraction of the pot.
    """

    title: str
    num_flops: int
    num_done: int = 0
    seconds: list[float] = field(default_factory=list)
    worst: tuple[float, str] = (0.0, "")

    def note(self, event: FlopSolved, is_of_this_run: bool) -> None:
        """Counts a solved flop."""
        share = event.exploitability_pot
        bound = format_bound(share, event.is_upper_bound)
        self.worst = max(self.worst, (share, f"worst {bound} of the pot"))
        self.num_done = event.num_done
        self.seconds += [event.seconds] if is_of_this_run else []

    def describe_end(self, seconds: float) -> str:
        """Returns a line about the whole batch."""
        done = (
            f"{self.title}: {format_count_of(self.num_done, 'flop')} in {format_seconds(seconds)}"
        )
        num_earlier = self.num_done - len(self.seconds)
        earlier = f"{num_earlier:,} of them by an earlier run" if num_earlier else ""
        return ", ".join(filter(None, (done, earlier, self.worst[1])))


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
        self._times: dict[tuple[str, str], TimeLeft] = {}  # by key and title of a bar
        # Flops in work: their start, and the last iteration of each of their solves.
        self._flops: dict[str, tuple[float, dict[float, FlopSolving]]] = {}
        self._num_compiling, self._compiling_since = 0, 0.0
        self._compile_seconds: list[float] = []

    def note(self, event: Event) -> DisplayUpdate:
        """Returns what changes on a display."""
        with self._lock:
            update = self._note(event)
            for known in [known for known in self._times if known[0] in update.ended]:
                del self._times[known]
            return update

    def _note(self, event: Event) -> DisplayUpdate:
        match event:
            case events.KernelCompiling(name):
                return self._note_compiling(name)
            case events.KernelCompiled():
                self._num_compiling -= 1
                is_last = self._num_compiling == 0  # the time of those inside is in it
                took = self._clock() - self._compiling_since
                self._compile_seconds.append(took if is_last else 0.0)
                return DisplayUpdate(ended=(_COMPILING,) if is_last else ())
            case events.PhaseStarted(phase, total, place):
                if phase == Phase.FLOPS:
                    self._batch = _Batch(self._title_of_batch(), total)
                    return DisplayUpdate(self._batch_bar())
                return DisplayUpdate(self._phase_bar(phase, 0, total, place))
            case events.PhaseAdvanced(phase, done, total, place):
                return DisplayUpdate(self._phase_bar(phase, done, total, place))
            case events.PhaseEnded(phase, seconds, place):
                if place is not None:
                    return DisplayUpdate()  # the bar stays for the flop's next phase
                line = f"{phase}: done in {format_seconds(seconds)}"
                if phase == Phase.FLOPS and self._batch is not None:
                    line, self._batch = self._batch.describe_end(seconds), None
                return DisplayUpdate(None, (phase,), line if seconds >= _SHORT_SECONDS else "")
            case FlopSolving():
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
                return self._note_game(Phase.PREFLOP, title, event)
            case events.SpotSolving():
                return self._note_game("spot", "Spot", event)
        return DisplayUpdate(line=describe_event(event))

    def describe_compiled(self) -> str:
        """Returns how long compiling took, nothing if it was not needed."""
        if not self._compile_seconds:
            return ""
        kernels = format_count_of(len(self._compile_seconds), "kernel")
        return f"compiled {kernels} in {format_seconds(sum(self._compile_seconds))}"

    def _worked(self) -> float:
        """Returns the time so far without compiling, which says nothing about what follows."""
        now = self._compiling_since if self._num_compiling else self._clock()
        return now - sum(self._compile_seconds)

    def _note_compiling(self, name: str) -> DisplayUpdate:
        if not self._num_compiling:
            self._compiling_since = self._clock()
        self._num_compiling += 1
        how_often = "first run only" if self._can_cache else "every run"
        # How many there will be is not known, so the bar has no end.
        return DisplayUpdate(Bar(_COMPILING, f"{_COMPILING} ({how_often})", 0, None, name))

    def _title_of_batch(self) -> str:
        if not self._is_preflop_seen:
            return "Flops"
        self._leaf += 1
        return f"Flops, round {self._round + 1}, leaf {self._leaf}"

    def _left(self, key: str, title: str, done: float, total: float) -> float | None:
        time_left = self._times.setdefault((key, title), TimeLeft())
        return time_left.of_steps(done, total, self._worked())

    def _phase_bar(
        self,
        phase: str,
        done: int,
        total: int,
        place: FlopPlace | None,
        solving: FlopSolving | None = None,
    ) -> Bar:
        """Returns the bar of a phase, or of the flop that is in it; ``solving`` is its event."""
        if place is None:
            title = phase[0].upper() + phase[1:]
            return Bar(phase, title, done, total, "", self._left(phase, title, done, total))
        title, detail = f"  {describe_place(place)} {phase}", ""
        _, last_by_spr = self._flops.setdefault(place.flop, (self._worked(), {}))
        if solving is not None:
            detail, last_by_spr[solving.spr] = describe_measures(solving), solving
        # The end of a phase, or of all iterations, says nothing about the end of the flop.
        return Bar(place.flop, title, done, total, detail, is_flop=True)

    def _batch_bar(self) -> Bar:
        """Returns the bar of all flops; those in work count by their age."""
        batch = cast(_Batch, self._batch)
        per_flop = max(sum(batch.seconds) / max(len(batch.seconds), 1), 1e-9)
        ages = [self._worked() - started for started, _ in self._flops.values()]
        begun = sum(min(age / per_flop, 1.0) for age in ages) if batch.seconds else 0.0
        finished = len(batch.seconds)
        total = batch.num_flops - batch.num_done + finished
        left = self._left(Phase.FLOPS, batch.title, finished + begun, total)
        steps = (batch.num_done, batch.num_flops)
        return Bar(Phase.FLOPS, batch.title, *steps, batch.worst[1], left)

    def _note_solved(self, event: FlopSolved) -> DisplayUpdate:
        flop, line = self._flops.pop(event.flop, None), describe_event(event)
        if not line and flop is not None and not self._is_preflop_seen:
            line = describe_solved(event.flop, list(flop[1].values()), event.seconds)
        if self._batch is None:
            return DisplayUpdate(ended=(event.flop,), line=line)
        self._batch.note(event, flop is not None)
        return DisplayUpdate(self._batch_bar(), (event.flop,), line)

    def _note_game(
        self, key: str, title: str, event: events.PreflopSolving | events.SpotSolving
    ) -> DisplayUpdate:
        """Moves the bar of a solve with a target; it fills at the expected end."""
        known = self._times.setdefault((key, title), TimeLeft())
        left, reached, detail = known.of_game(event, self._worked()), event.exploitability, ""
        if isinstance(event, events.SpotSolving) and reached is not None:
            percent = format_percent(reached / event.pot_chips)
            detail = f"{reached:.3g} chips, {percent} of the pot"
        elif reached is not None:
            detail = f"{reached:.3g} mbb/hand"
        steps = (event.iteration, event.max_iterations)
        return DisplayUpdate(Bar(key, title, *steps, detail, left, known.is_at_most))
