"""The two consoles: results go to stdout, while progress, notes and errors go to stderr."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from runout.cache import cache_directory
from runout.cli.formatting import Json, format_json, print_sheet
from runout.cli.progress import Display, writing_events
from runout.errors import OptionError, one_line
from runout.events import EventSink
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

    Kernels that are compiled now will not have to be compiled again if they can be cached. With
    ``RUNOUT_EVENTS=json`` events are lines of JSON, for programs that start this one.
    """
    if os.environ.get("RUNOUT_EVENTS") == "json":
        yield writing_events(sys.stderr)
        return
    display = Display(messages(), can_cache)
    try:
        yield display.on_event
    finally:
        display.close()


@contextmanager
def using_kernels() -> Iterator[EventSink]:
    """Does the same, and also shows which kernels the block compiles.

    Only commands that are going to run a kernel enter it, and they import the modules that hold
    kernels inside the block, which takes longer than many answers do.
    """
    from runout import jit

    def tell(problem: str | None, consequence: str) -> None:
        if problem is not None:
            place = f"{cache_directory()}: cannot be used ({problem})"
            print_note(f"{place}, choose another by $RUNOUT_CACHE: {consequence}")

    tell(jit.CACHE_PROBLEM, "kernels are compiled in every run")
    try:
        with showing_events(jit.CACHE_PROBLEM is None) as sink, jit.reporting_compilation(sink):
            yield sink
    finally:
        tell(jit.find_save_problem(), "some kernels were not kept")
        consequence = "kernels are compiled without vector instructions, solves are slow"
        for problem in jit.compile_problems:
            print_note(f"{problem}: {consequence}")


@contextmanager
def writing(file: Path | None) -> Iterator[TextIO]:
    """Yields a stream into the file of ``--output``, or stdout if there is none."""
    if file is None:
        yield sys.stdout
        return
    with (
        replacing("--output", file) as part,
        part.open("w", newline="") as stream,
    ):
        yield stream


@contextmanager
def replacing(option: str, file: Path) -> Iterator[Path]:
    """Yields where to write a file; an error names the option."""
    try:
        with replacing_file(file) as part:
            yield part
    except OSError as error:
        raise OptionError(f"{option} {file}", error.strerror or str(error)) from None
