"""The progress of long work: bars that move, lines that stay, and the time left.

A flop in work has one bar, whichever worker solves it: it shows the phase that the flop is in, and
goes when the flop is solved, which leaves a line behind.
"""

import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from runout import events
from runout.cli.formatting import (
    format_bound,
    format_count_of,
    format_percent,
    format_seconds,
    format_time_limit,
)
from runout.events import Event, EventSink, FlopPlace, FlopSolved, FlopSolving, GameSolving, Phase

#: Pace and fall are those since this share of the steps: early ones are of another kind.
_LOOKING_BACK = 0.25

#: A slower fall of exploitability than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1

#: Phases of less time leave no line.
_SHORT_SECONDS = 0.5

_COMPILING = "Compiling kernels"


class TimeLeft:
    """Estimates when one piece of work ends: the steps left, at the recent pace."""

    def __init__(self) -> None:
        self.is_at_most = False  # whether the last answer counted on all steps
        self._seen: list[tuple[float, float]] = []
        self._measured: list[tuple[int, float]] = []

    def of_steps(self, done: float, last: float, seconds: float) -> float | None:
        """Returns the seconds left until the last step; None as long as there is no pace.

        A part of a step counts as done; the seconds worked so far are without compiling.
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

    Of the last iterations at all stack-to-pot ratios, the worst one counts.
    """
    took = f"({format_seconds(seconds)})"
    if not last:
        return f"{flop} solved {took} ✓"
    worst = max(last, key=lambda event: (not event.is_converged, event.exploitability_pot or 0.0))
    # Shared buckets end where strategies hardly move any more, which says nothing of their bound.
    is_settled = worst.is_upper_bound and not math.isnan(worst.strategy_delta)
    reached = "settled" if is_settled else "converged"
    how, end = (reached, f"{took} ✓") if worst.is_converged else ("stopped", took)
    place = f" of SPR {worst.spr:.4g}" if len(last) > 1 else ""
    return f"{flop} {how} at iter {worst.iteration}{place} {describe_measures(worst)} {end}"


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
        case events.BucketsCapped(name, requested, available, at):
            flop = "" if at is None else f"{describe_place(at)} "
            buckets = f"{format_count_of(available, 'bucket')} instead of {requested:,}"
            return f"{flop}{name}: {buckets}, no more hands are different"
        case events.SavingFailed(where, problem):
            return f"could not save, the solve continues: {where}: {problem}"
        case events.ResultDamaged(where, problem):
            return f"{where}: {problem}; its task is done again"
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
    """One line of a live display; the clock of another title begins anew."""

    key: str  # identifies the bar, whose text may change
    title: str
    done: int
    total: int | None  # steps in all; None if that is unknown
    detail: str = ""  # how well it goes
    seconds_left: float | None = None
    is_at_most: bool = False  # whether it may end before all steps are done
    is_flop: bool = False  # whether it is about one flop of many

    def words(self) -> list[str]:
        """Returns the bar in words: ``Flops 2/3``, ``worst 0.10% of the pot``, ``10 s left``."""
        count = "" if self.total is None else f" {self.done:,}/{self.total:,}"
        limit = format_time_limit(self.seconds_left) if self.seconds_left else ""
        left = limit and f"{'≤' if self.is_at_most else ''}{limit} left"
        return [text for text in (self.title + count, self.detail, left) if text]


class DisplayUpdate(NamedTuple):
    """What changes on a display after an event."""

    bar: Bar | None = None  # a new or moved one
    ended: tuple[str, ...] = ()  # keys of bars whose work has ended
    line: str = ""  # stays when all bars are gone


@dataclass
class _Batch:
    """Flops that are solved together, those of earlier runs included."""

    title: str
    num_flops: int
    num_done: int = 0
    seconds: list[float] = field(default_factory=list)  # of the flops of this run
    worst: tuple[float, str] = (0.0, "")  # the largest exploitability, of the pot and in words


class SolveTracker:
    """Follows the events of long work, from any thread."""

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, can_cache: bool = True
    ) -> None:
        """Takes a clock, and whether kernels are kept once they are compiled."""
        self._clock, self._can_cache, self._lock = clock, can_cache, threading.Lock()
        self._batch: _Batch | None = None
        self._round_starts: list[float] = []  # when the first flop came to each round of buckets
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
            case events.KernelCompiling() | events.KernelCompiled():
                return self._note_compiling(event)
            case events.PhaseStarted(Phase.FLOPS, total):
                self._batch, self._round_starts = _Batch("Flops", total), []
                return DisplayUpdate(self._batch_bar(self._batch))
            case events.PhaseStarted(phase, total, place):
                header = "" if place is None else self._header_of(place)
                return DisplayUpdate(self._phase_bar(phase, 0, total, place), line=header)
            case events.PhaseAdvanced(phase, done, total, place):
                return DisplayUpdate(self._phase_bar(phase, done, total, place))
            case events.PhaseEnded(phase, seconds, None):
                line = f"{phase}: done in {format_seconds(seconds)}"
                if phase == Phase.FLOPS and (batch := self._batch) is not None:
                    flops = format_count_of(batch.num_done, "flop")
                    num_earlier = batch.num_done - len(batch.seconds)
                    earlier = f"{num_earlier:,} of them by an earlier run" if num_earlier else ""
                    took = f"{batch.title}: {flops} in {format_seconds(seconds)}"
                    line = ", ".join(filter(None, (took, earlier, batch.worst[1])))
                    self._batch = None
                return DisplayUpdate(None, (phase,), line if seconds >= _SHORT_SECONDS else "")
            case events.PhaseEnded():
                return DisplayUpdate()  # the bar stays for the flop's next phase
            case FlopSolving():
                place = FlopPlace(event.flop, event.spr, event.round, event.total_rounds)
                steps = (event.iteration, event.max_iterations)
                return DisplayUpdate(self._phase_bar(Phase.SOLVING, *steps, place, event))
            case FlopSolved():
                return self._note_solved(event)
            case events.FlopFailed(flop, problem):
                self._flops.pop(flop, None)
                return DisplayUpdate(ended=(flop,), line=f"{flop} failed: {problem}")
            case GameSolving():
                return DisplayUpdate(self._game_bar(event))
        return DisplayUpdate(line=describe_event(event))

    def _header_of(self, place: FlopPlace) -> str:
        """Returns the line that begins a round of buckets: ``Phase 2/2: rebucketing (EV)``.

        Flops go through their rounds side by side, so the first that comes to a round counts.
        """
        if place.total_rounds == 1 or place.round <= len(self._round_starts):
            return ""
        self._round_starts.append(self._worked())
        title = f"Phase {place.round}/{place.total_rounds}"
        if place.round == 1:
            return f"{title}: buckets of strength"
        after = format_seconds(self._round_starts[-1] - self._round_starts[0])
        return f"{title}: rebucketing (EV), after {after}"

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

    def _time_left(self, key: str, title: str) -> TimeLeft:
        return self._times.setdefault((key, title), TimeLeft())

    def _note_compiling(
        self, event: events.KernelCompiling | events.KernelCompiled
    ) -> DisplayUpdate:
        if isinstance(event, events.KernelCompiling):
            if not self._num_compiling:
                self._compiling_since = self._clock()
            self._num_compiling += 1
            how_often = "first run only" if self._can_cache else "every run"
            # How many there will be is not known, so the bar has no end.
            title = f"{_COMPILING} ({how_often})"
            return DisplayUpdate(Bar(_COMPILING, title, 0, None, event.name))
        self._num_compiling -= 1
        is_last = self._num_compiling == 0  # the time of those inside is in it
        self._compile_seconds.append(self._clock() - self._compiling_since if is_last else 0.0)
        return DisplayUpdate(ended=(_COMPILING,) if is_last else ())

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
            left = self._time_left(phase, title).of_steps(done, total, self._worked())
            return Bar(phase, title, done, total, "", left)
        title, detail = f"  {describe_place(place)} {phase}", ""
        _, last_by_spr = self._flops.setdefault(place.flop, (self._worked(), {}))
        if solving is not None:
            detail, last_by_spr[solving.spr] = describe_measures(solving), solving
        # The end of a phase, or of all iterations, says nothing about the end of the flop.
        return Bar(place.flop, title, done, total, detail, is_flop=True)

    def _batch_bar(self, batch: _Batch) -> Bar:
        """Returns the bar of all flops; those in work count by their age."""
        finished, now = len(batch.seconds), self._worked()
        per_flop = max(sum(batch.seconds) / max(finished, 1), 1e-9)
        ages = [now - started for started, _ in self._flops.values()]
        begun = sum(min(age / per_flop, 1.0) for age in ages) if finished else 0.0
        total = batch.num_flops - batch.num_done + finished
        time_left = self._time_left(Phase.FLOPS, batch.title)
        left = time_left.of_steps(finished + begun, total, now)
        steps = (batch.num_done, batch.num_flops)
        return Bar(Phase.FLOPS, batch.title, *steps, batch.worst[1], left)

    def _note_solved(self, event: FlopSolved) -> DisplayUpdate:
        flop, line, batch = self._flops.pop(event.flop, None), describe_event(event), self._batch
        if not line and flop is not None:
            line = describe_solved(event.flop, list(flop[1].values()), event.seconds)
        if batch is None:
            return DisplayUpdate(ended=(event.flop,), line=line)
        share = event.exploitability_pot
        worst = f"worst {format_bound(share, event.is_upper_bound)} of the pot"
        batch.worst, batch.num_done = max(batch.worst, (share, worst)), event.num_done
        batch.seconds += [] if flop is None else [event.seconds]
        return DisplayUpdate(self._batch_bar(batch), (event.flop,), line)

    def _game_bar(self, event: GameSolving) -> Bar:
        """Returns the bar of a solve with a target; it fills at the expected end."""
        key, title, detail, reached = "spot", "Spot", "", event.exploitability
        if isinstance(event, events.PreflopSolving):
            key, title = Phase.PREFLOP, "Preflop"
            detail = "" if reached is None else f"{reached:.3g} mbb/hand"
        elif isinstance(event, events.SpotSolving) and reached is not None:
            percent = format_percent(reached / event.pot_chips)
            detail = f"{reached:.3g} chips, {percent} of the pot"
        known = self._time_left(key, title)
        left, steps = known.of_game(event, self._worked()), (event.iteration, event.max_iterations)
        return Bar(key, title, *steps, detail, left, known.is_at_most)


#: Seconds between two lines about a bar in files, and about a flop that takes long.
_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_LINES_OF_FLOP = 30.0


def writing_events(stream: TextIO) -> EventSink:
    """Returns a sink that writes events for programs: one JSON object a line, with seconds left."""
    tracker = SolveTracker()

    def write(event: Event) -> None:
        bar = tracker.note(event).bar
        left = None if bar is None or bar.is_at_most else bar.seconds_left
        facts = {"event": type(event).__name__, **asdict(event), "seconds_left": left}
        known = {key: None if value != value else value for key, value in facts.items()}
        with suppress(OSError):
            print(json.dumps(known), file=stream, flush=True)

    return write


class Display:
    """Shows the events of long work as lines that stay, and the state of the work.

    On a terminal these are bars, which vanish at the end; elsewhere a line now and then.
    """

    def __init__(
        self,
        console: Console,
        can_cache: bool = True,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Takes a clock, and whether kernels are kept once they are compiled."""
        self._console, self._clock = console, clock
        self._tracker = SolveTracker(clock, can_cache)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=12, complete_style="cyan", finished_style="cyan"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[detail]}", style="dim"),
            console=console,
            transient=True,
        )
        self._shown: dict[str, tuple[TaskID, str]] = {}  # task and title by the key of a bar
        self._last_line: dict[str, float] = {}

    def on_event(self, event: Event) -> None:
        """Shows what an event changes."""
        update = self._tracker.note(event)
        lines = [update.line]
        if self._console.is_terminal:
            self._bars.start()
            if update.bar is not None:
                self._move(update.bar)
            for key in self._shown.keys() & set(update.ended):
                self._bars.remove_task(self._shown.pop(key)[0])
        elif update.bar is not None and self._is_due(update.bar):
            lines.append(", ".join(update.bar.words()).strip())
        self._print(*lines)

    def close(self) -> None:
        """Takes the bars away, and says how long compiling took."""
        if self._console.is_terminal:
            self._bars.stop()
        self._print(self._tracker.describe_compiled())

    def _print(self, *lines: str) -> None:
        with suppress(OSError):  # a full disk behind stderr ends no solve
            for line in filter(None, lines):
                self._console.print(Text(line, style="dim"), soft_wrap=True)

    def _is_due(self, bar: Bar) -> bool:
        """Returns whether files get a line about a bar: a new one, and one of long ago."""
        if bar.total == 1:
            return False
        pause = _SECONDS_BETWEEN_LINES_OF_FLOP if bar.is_flop else _SECONDS_BETWEEN_LINES
        now, key = self._clock(), bar.key if bar.is_flop else bar.title
        is_new = key not in self._last_line and not bar.is_flop
        is_late = now - self._last_line.setdefault(key, now) >= pause and bar.total is not None
        if is_new or is_late:
            self._last_line[key] = now
        return is_new or is_late

    def _move(self, bar: Bar) -> None:
        # All at once: the display is drawn at any moment.
        head, *details = bar.words()
        facts: dict[str, Any] = {
            "description": head,
            "completed": bar.done,
            "total": bar.total,
            "detail": ", ".join(details),
        }
        task, title = self._shown.get(bar.key, (None, ""))
        if task is None:
            task = self._bars.add_task(**facts)
        else:  # the time of other work begins now
            move = self._bars.update if title == bar.title else self._bars.reset
            move(task, **facts)
        self._shown[bar.key] = (task, bar.title)
