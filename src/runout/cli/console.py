"""The two consoles: results go to stdout, while progress, notes and errors go to stderr.

Work reports events (`runout.events`). On a terminal they are shown as live bars that vanish when
their work ends, and as lines that stay; elsewhere as lines only.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.text import Text

from runout.cache import cache_directory
from runout.cli.formatting import Json, format_count_of, format_json, print_sheet
from runout.cli.progress import Bar, SolveTracker, describe_bar
from runout.errors import OptionError, one_line
from runout.events import Event, EventSink
from runout.solutions.sheet import Sheet
from runout.storage.files import replacing_file

#: What can be shown to people.
Shown = RenderableType | Sheet

#: A result, as a document for programs and in parts for people.
Answer = tuple[Json, list[Shown]]


def output() -> Console:
    """Returns the console of results, stdout.

    Consoles are made when they are needed, so that redirected streams are always seen. They turn
    nothing into pictures: the ``:x:`` of a path is two steps and a check.
    """
    return Console(highlight=False, emoji=False)


def messages() -> Console:
    """Returns the console of progress, notes and errors, stderr."""
    return Console(stderr=True, highlight=False, emoji=False)


def print_json(document: Json) -> None:
    """Prints a result as the one JSON document of stdout."""
    print(format_json(document))


def show(json: bool, document: Json, *parts: Shown) -> None:
    """Prints a result: its document for programs, or its parts for people."""
    if json:
        print_json(document)
    else:
        print_parts(*parts)


def print_parts(*parts: Shown) -> None:
    """Prints texts unwrapped, sheets in full, and whatever else rich can print."""
    console = output()
    for part in parts:
        if isinstance(part, Sheet):
            print_sheet(console, part)
        else:
            console.print(part, soft_wrap=isinstance(part, str | Text), markup=False)


def print_note(text: str) -> None:
    """Prints a line, or a few, on stderr, never wrapped."""
    with suppress(OSError):  # a full disk behind stderr ends no solve
        messages().print(Text(text, style="dim"), soft_wrap=True)


def print_error(text: str) -> None:
    """Prints ``error: text`` as one line on stderr, never wrapped."""
    with suppress(OSError):
        messages().print(Text.assemble(("error: ", "bold red"), one_line(text)), soft_wrap=True)


@contextmanager
def showing_events(can_cache: bool = True) -> Iterator[EventSink]:
    """Yields the sink that shows events, and cleans up however the block ends.

    Kernels that are compiled now will not have to be compiled again if they can be cached.
    """
    console = messages()
    is_live = console.is_terminal
    display = LiveDisplay(console, can_cache) if is_live else PlainDisplay(can_cache)
    try:
        yield display.on_event
    finally:
        display.close()


@contextmanager
def using_kernels() -> Iterator[EventSink]:
    """Does the same, and also shows which kernels the block compiles.

    This imports numba, which takes longer than many answers do: only commands that are going to
    run a kernel enter it, and they import the modules that hold kernels inside the block.
    """
    from runout import jit

    def tell(problem: str | None, consequence: str) -> None:
        if problem is not None:
            place = f"{cache_directory()}: cannot be written ({problem})"
            print_note(f"{place}, choose another by $RUNOUT_CACHE: {consequence}")

    tell(jit.CACHE_PROBLEM, "kernels are compiled in every run")
    try:
        with showing_events(jit.CACHE_PROBLEM is None) as sink, jit.reporting_compilation(sink):
            yield sink
    finally:
        tell(jit.find_save_problem(), "some kernels were not kept")
        consequence = "kernels are compiled without vector instructions, solves are slow"
        for problem in filter(None, jit.compile_variants.values()):
            print_note(f"{problem}: {consequence}")


#: Files get a line about each bar so often, and about a flop that takes long, in seconds.
_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_LINES_OF_FLOP = 30.0


class PlainDisplay:
    """Shows events as plain lines, for files and pipes."""

    def __init__(
        self, can_cache: bool = True, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock, self._tracker = clock, SolveTracker(clock, can_cache)
        self._last_line: dict[str, float] = {}

    def on_event(self, event: Event) -> None:
        """Prints a line when work starts and when it ends, and now and then between."""
        for line in self.lines(event):
            print_note(line)

    def lines(self, event: Event) -> list[str]:
        """Returns the lines to print after an event, most often none."""
        update, lines = self._tracker.note(event), []
        if (bar := update.bar) is not None and bar.total != 1:
            pause = _SECONDS_BETWEEN_LINES_OF_FLOP if bar.is_flop else _SECONDS_BETWEEN_LINES
            now, key = self._clock(), bar.key if bar.is_flop else bar.title
            is_new = key not in self._last_line and not bar.is_flop
            is_late = now - self._last_line.setdefault(key, now) >= pause
            if is_new or (is_late and bar.total is not None):
                self._last_line[key] = now
                lines.append(describe_bar(bar))
        return [line for line in (update.line, *lines) if line]

    def close(self) -> None:
        """Says how long compiling took, if it was needed."""
        if text := self._tracker.describe_compiled():
            print_note(text)


class LiveDisplay:
    """Shows events as bars with times; they appear with the first event and vanish at the end."""

    def __init__(self, console: Console, can_cache: bool = True) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=12, complete_style="cyan", finished_style="cyan"),
            TextColumn("{task.fields[count]}"),
            _TimesColumn(),
            TextColumn("{task.fields[detail]}", style="dim"),
            console=console,
            transient=True,
        )
        self._shown: dict[str, tuple[TaskID, str]] = {}  # task and title by the key of a bar
        self._tracker = SolveTracker(can_cache=can_cache)

    def on_event(self, event: Event) -> None:
        """Adds or moves the bar that the event is about."""
        self._progress.start()
        update = self._tracker.note(event)
        if update.bar is not None:
            self._move_bar(update.bar)
        for key in update.ended:
            if key in self._shown:
                self._progress.remove_task(self._shown.pop(key)[0])
        if update.line:
            self._progress.console.print(Text(update.line, style="dim"), soft_wrap=True)

    def close(self) -> None:
        """Takes the bars away and gives the cursor back."""
        self._progress.stop()

    def _move_bar(self, bar: Bar) -> None:
        left = bar.seconds_left
        # All at once: the display is drawn at any moment.
        facts: dict[str, Any] = {
            "description": bar.title,
            "completed": bar.done,
            "total": bar.total,
            "count": "" if bar.total is None else f"{bar.done:,}/{bar.total:,}",
            "detail": bar.detail,
            "ends_at": None if left is None else self._progress.get_time() + left,
            "is_at_most": bar.is_at_most,
        }
        task, title = self._shown.get(bar.key, (None, ""))
        if task is None:
            task = self._progress.add_task(**facts)
        else:  # the time of other work begins now
            move = self._progress.update if title == bar.title else self._progress.reset
            move(task, **facts)
        self._shown[bar.key] = (task, bar.title)


class _TimesColumn(ProgressColumn):
    """Time since the start, and time left once it can be told."""

    def render(self, task: Task) -> Text:
        elapsed = _clock((task.finished_time if task.finished else task.elapsed) or 0.0)
        ends_at, at_most = task.fields["ends_at"], "≤" if task.fields["is_at_most"] else ""
        # No time is left where a step takes longer than those before it.
        if ends_at is None or task.finished or (left := ends_at - task.get_time()) < 0.0:
            return Text(elapsed)
        return Text(f"{elapsed}, {at_most}{_clock(left)} left")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours = f"{minutes // 60}:" if minutes >= 60 else ""
    return f"{hours}{minutes % 60:0{2 if hours else 1}d}:{rest:02d}"


def write_document(document: Json, stream: TextIO) -> int:
    """Writes one JSON document; returns that it is one."""
    stream.write(format_json(document) + "\n")
    return 1


def write_to(file: Path | None, noun: str, write: Callable[[TextIO], int]) -> None:
    """Writes to a file, with a note of the number of items in it, or to stdout."""
    if file is None:
        write(sys.stdout)
        return
    with naming_file("--output", file), replacing_file(file) as part:
        with part.open("w", newline="") as stream:
            number = write(stream)
    print_note(f"wrote {file}, {format_count_of(number, noun)}")


@contextmanager
def naming_file(option: str, file: Path) -> Iterator[None]:
    """Turns what the system refuses about a file into an error about the option that names it."""
    try:
        yield
    except OSError as error:
        raise OptionError(f"{option} {file}", error.strerror or str(error)) from None
