"""Long work: where its result goes, its cost, and what Ctrl-C says about it."""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from runout.cli.console import print_note, using_kernels
from runout.cli.formatting import format_bytes, format_count_of, format_seconds, format_time_limit
from runout.errors import BundleError, OptionError, RunoutError
from runout.events import reporting_phase
from runout.execution.context import RunContext, opening_executor
from runout.execution.tasks import CancelledError, ThreadExecutor, cancelling_on_interrupt
from runout.solutions.preflop import CHECKPOINT_FOLDER, JOINT_FOLDER
from runout.storage.bundle import MANIFEST_FILE, digest_config, has_bundle, read_manifest
from runout.storage.files import StagingDirectory, reporting_os_errors
from runout.storage.ledger import ENTRY_ENDING, Ledger, claiming

if TYPE_CHECKING:
    from runout.flops.backend import Cost

#: What Ctrl-C says where finished work is kept.
GO_ON = "interrupted; rerun the command to resume"
NOTHING_KEPT = "interrupted before any part was finished"


class _Savable(Protocol):
    def save(self, path: Path, *, overwrite: bool = False) -> object: ...


Result = TypeVar("Result", bound=_Savable)
Row = TypeVar("Row")


def announce(work: str, cost: "Cost | None", path: Path, noun: str = "the solve") -> None:
    """Says what will be done and what that takes; refuses it if memory or disk is too small."""
    if cost is not None:
        cost.require_memory(noun)
        require_disk(path, cost.disk_bytes + cost.checkpoint_bytes)
        work = f"{work}\n{describe_cost(cost)}"
    print_note(work)


def require_disk(path: Path, needed_bytes: float) -> None:
    """Refuses work that the disk at a path is too small for."""
    existing = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < needed_bytes:
        needed, available = format_bytes(needed_bytes), format_bytes(free)
        problem = f"needs {needed} of disk, but only {available} is available"
        raise OptionError(f"--output {path}", problem)


def describe_cost(cost: "Cost") -> str:
    """Returns what work takes at most, as one line."""
    time, memory = format_time_limit(cost.seconds), format_bytes(cost.memory_bytes)
    disk, until_done = cost.disk_bytes, cost.disk_bytes + cost.checkpoint_bytes
    more = f"{format_bytes(disk)} of disk ({format_bytes(until_done)} until done)"
    return f"at most about {time}, {memory} of memory, {more}"


def require_free(path: Path, kind: str, overwrite: bool) -> None:
    """Checks before the work that its result can be written.

    A bundle is replaced only by one of its kind, and only with ``overwrite``.
    """
    try:
        found = read_manifest(path).kind
    except BundleError:  # nothing there, or nothing that can be read
        found = None
    if found not in (None, kind):
        raise OptionError(str(path), f"is a bundle of kind {found}, will not be overwritten")
    if not overwrite and has_bundle(path):
        raise OptionError(str(path), "exists already, give --overwrite to replace it")
    with _leaving_no_empty_directories(path):
        StagingDirectory(path, MANIFEST_FILE, overwrite).close()


@contextmanager
def solving_into(
    path: Path | None, workers: int | None, executor: str = ThreadExecutor.name
) -> Iterator[RunContext]:
    """Yields the context of a solve: kernels and events are shown, and Ctrl-C ends all workers.

    Empty directories that a failed solve has made for its result are removed.
    """
    with (
        nullcontext() if path is None else _leaving_no_empty_directories(path),
        using_kernels() as on_event,
        cancelling_on_interrupt() as cancel,
        opening_executor(executor, workers) as chosen,
    ):
        yield RunContext(workers, on_event, executor=chosen, cancel=cancel)


@contextmanager
def _leaving_no_empty_directories(path: Path) -> Iterator[None]:
    """Removes what the block has made of a path and its parents, as far as it is empty."""
    target = Path(os.path.realpath(path))
    missing = list(takewhile(lambda place: not os.path.lexists(place), (target, *target.parents)))
    try:
        yield
    finally:
        for directory in missing:
            with suppress(OSError):  # not made, or something of value is in it
                directory.rmdir()


def collect(rows: Iterable[Row]) -> tuple[list[Row], bool]:
    """Returns the rows that are finished before Ctrl-C, at least one, and whether these are all."""
    found: list[Row] = []
    try:
        for row in rows:
            found.append(row)
    except (KeyboardInterrupt, CancelledError):
        if not found:
            raise KeyboardInterrupt(NOTHING_KEPT) from None
        return found, False
    return found, True


class End(NamedTuple):
    """How long work has ended."""

    seconds: float
    is_done_before: bool

    def describe(self, what: str) -> str:
        """Returns the last line: the result, and how long it took."""
        if self.is_done_before:
            return f"{what}, already complete"
        return f"wrote {what}, in {format_seconds(self.seconds)}"


def checkpoints_beside(path: Path) -> Path:
    """Returns the place of finished parts until the result is written, beside it."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.{CHECKPOINT_FOLDER}")


def count_checkpoints(directory: Path) -> int:
    """Returns the number of finished parts in a directory, of any config."""
    return sum(1 for _ in directory.glob(f"*{ENTRY_ENDING}"))


def describe_checkpoints(directory: Path) -> str:
    """Returns how many finished parts are in a directory, "" for none."""
    number = count_checkpoints(directory)
    return f"{format_count_of(number, 'finished part')} kept in {directory}" if number else ""


def remove_checkpoints(directory: Path) -> None:
    """Removes finished parts, and the directory if nothing else is in it."""
    if not directory.is_dir():
        return
    with reporting_os_errors(directory, "removed"):
        if (directory / JOINT_FOLDER).is_dir():
            shutil.rmtree(directory / JOINT_FOLDER)
    Ledger(directory).remove()


@dataclass
class LongWork(Generic[Result]):
    """Work whose result is a directory; it can be interrupted, and processes may share it."""

    path: Path  # of the result
    find: Callable[[], Result | None]  # returns the result; raises if something else is there
    facts: Mapping[str, Any] | None  # processes with the same share the work; None for one process
    can_resume: bool  # whether existing finished parts may be used
    overwrite: bool  # whether an existing result is made again
    checkpoints: Path | None = None  # of finished parts until then, by default beside the result
    end: End = field(init=False)

    @contextmanager
    def going_on(self) -> Iterator[Result | None]:
        """Yields the result if it is there, None if the block has to make and `save` it.

        Finished parts are kept until the block ends well; Ctrl-C says how to resume. A block that
        fails before any part is finished leaves nothing behind, and parts of other processes are
        left to them.
        """
        started, place = time.perf_counter(), self._place()
        digest = digest_config(self.facts) if self.facts is not None and self.can_resume else None
        with claiming(self.path, digest) as claim:
            found = None if self.overwrite else self.find()
            if found is not None:
                print_note(f"{self.path}: already complete; use --overwrite to solve again")
            try:
                yield found
            except BaseException as problem:
                parts = describe_checkpoints(place)
                if not parts and claim.is_last():
                    with suppress(BundleError):  # the first problem is the one to tell
                        remove_checkpoints(place)
                if not isinstance(problem, KeyboardInterrupt):
                    raise
                text = f"{GO_ON} ({parts})" if parts else NOTHING_KEPT
                # A solve that has saved itself says so.
                raise KeyboardInterrupt(str(problem) or text) from None
            if found is not None or claim.is_last():
                remove_checkpoints(place)
        self.end = End(time.perf_counter() - started, found is not None)

    def resume(self, context: RunContext) -> RunContext:
        """Returns the context with finished parts, which are removed if they may not be used."""
        place = self._place()
        if not self.can_resume:
            remove_checkpoints(place)
        if parts := describe_checkpoints(place):
            print_note(f"resuming from {parts}, as far as they fit")
        return replace(context, checkpoints=place)

    def save(self, result: Result, context: RunContext) -> Result:
        """Writes the result; another process that shared the work may have been first."""
        with reporting_phase(context.on_event, "writing"):
            try:
                result.save(self.path, overwrite=self.overwrite)
            except RunoutError:
                if self.overwrite or self.find() is None:
                    raise
        return result

    def _place(self) -> Path:
        return self.checkpoints or checkpoints_beside(self.path)
