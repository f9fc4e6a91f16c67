"""Long work: where its result goes, its cost, and what Ctrl-C says about it."""

import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from runout.cli.console import print_note, using_kernels
from runout.cli.formatting import format_bytes, format_count_of, format_seconds, format_time_limit
from runout.errors import BundleError, OptionError, RunoutError
from runout.events import reporting_phase
from runout.execution.context import RunContext, opening_executor
from runout.execution.tasks import CancelledError, ThreadExecutor, cancelling_on_interrupt
from runout.solutions.preflop import JOINT_FOLDER
from runout.storage.bundle import MANIFEST_FILE, has_bundle, read_manifest
from runout.storage.files import PathLock, StagingDirectory, reporting_os_errors
from runout.storage.ledger import ENTRY_ENDING, Ledger

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import AbstractionConfig
    from runout.flops.backend import Cost

#: What Ctrl-C says where finished work is kept.
GO_ON = "interrupted; rerun the command to resume"
COMPLETE = "already complete"


class _Savable(Protocol):
    def save(self, path: Path, *, overwrite: bool = False) -> object: ...


Result = TypeVar("Result", bound=_Savable)
Row = TypeVar("Row")

# What building an abstraction takes, in times of a desktop of 2024: a minute told from an hour.


class _StreetWork(NamedTuple):
    """Boards up to suits, holdings to score on each, classes of deals, core seconds per board."""

    num_boards: int
    num_holdings: int
    num_classes: int
    seconds_per_board: float


_WORK = {
    "flop": _StreetWork(1_755, 1_176, 1_286_792, 0.01),
    "turn": _StreetWork(16_432, 1_128, 13_960_050, 0.001),
    "river": _StreetWork(134_459, 0, 123_156_254, 0.00003),
}
_SECONDS_PER_BOARD_OF_RIVER_TABLE = 0.00015
_SECONDS_TO_CUT_ALL_DEALS = 10.0  # one core, after the boards are done

_SCORE_BYTES, _BUCKET_BYTES = 8, 2
_STATISTICS_BYTES = 5 * 8  # per bucket: boundary, population, lowest, mean, highest
_MEMORY_BYTES = {"exhaustive": 900_000_000, "sampled": 450_000_000}
_MEMORY_BYTES_PER_SAMPLE = 1_000
_MEMORY_BYTES_OF_RIVER_TABLE = 500_000_000


def require_resources(cost: "Cost", work: str, path: Path) -> None:
    """Refuses work, such as "the solve", that memory, or the disk at a path, is too small for."""
    cost.require_memory(work)
    require_disk(path, cost.disk_bytes + cost.checkpoint_bytes)


def require_disk(path: Path, needed_bytes: float) -> None:
    """Refuses work that the disk at a path is too small for."""
    existing = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < needed_bytes:
        needed, available = format_bytes(needed_bytes), format_bytes(free)
        problem = f"needs {needed} of disk, but only {available} is available"
        raise OptionError(f"--output {path}", problem)


def estimate_build(config: "AbstractionConfig", has_river_table: bool, num_workers: int) -> "Cost":
    """Returns the cost of `build_card_abstraction`."""
    from runout.flops.backend import Cost

    is_exhaustive, samples = config.mode.value == "exhaustive", config.samples_per_street
    num_boards: dict[str, float] = {street: work.num_boards for street, work in _WORK.items()}
    if not is_exhaustive:  # a flop or turn that was dealt before costs nothing
        num_boards = {
            street: count * -math.expm1(-samples / count) for street, count in num_boards.items()
        } | {"river": samples}
    core_seconds = sum(work.seconds_per_board * num_boards[s] for s, work in _WORK.items())
    disk_bytes = _STATISTICS_BYTES * (
        config.flop_buckets + config.turn_buckets + min(config.river_buckets, 2_000)
    )
    memory_bytes = _MEMORY_BYTES[config.mode.value]
    if is_exhaustive:
        disk_bytes += _BUCKET_BYTES * (_WORK["flop"].num_classes + _WORK["turn"].num_classes)
    else:
        memory_bytes += _MEMORY_BYTES_PER_SAMPLE * samples
    if has_river_table:
        core_seconds += _SECONDS_PER_BOARD_OF_RIVER_TABLE * _WORK["river"].num_boards
        disk_bytes += _BUCKET_BYTES * _WORK["river"].num_classes
        memory_bytes += _MEMORY_BYTES_OF_RIVER_TABLE
    num_scores = sum(work.num_holdings * num_boards[s] for s, work in _WORK.items())
    return Cost(
        seconds=core_seconds / num_workers + (_SECONDS_TO_CUT_ALL_DEALS if is_exhaustive else 1.0),
        memory_bytes=memory_bytes,
        disk_bytes=disk_bytes,
        checkpoint_bytes=round(_SCORE_BYTES * num_scores),
    )


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
    """Returns the rows that are finished before Ctrl-C, and whether these are all."""
    found: list[Row] = []
    try:
        for row in rows:
            found.append(row)
    except (KeyboardInterrupt, CancelledError):
        return found, False
    return found, True


def describe_end(what: str, seconds: float, is_done_before: bool) -> str:
    """Returns the last line of long work: the result, and how long it took."""
    return (
        f"{what}, {COMPLETE}" if is_done_before else f"wrote {what}, in {format_seconds(seconds)}"
    )


def checkpoints_beside(path: Path, ending: str = "checkpoints") -> Path:
    """Returns the place of finished parts until the result is written, beside it."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.{ending}")


def count_checkpoints(directory: Path) -> int:
    """Returns the number of finished parts in a directory, of any config."""
    return sum(1 for _ in directory.glob(f"*{ENTRY_ENDING}"))


def remove_checkpoints(directory: Path) -> None:
    """Removes finished parts, and the directory if nothing else is in it."""
    if not directory.is_dir():
        return
    with reporting_os_errors(directory, "removed"):
        if (directory / JOINT_FOLDER).is_dir():
            shutil.rmtree(directory / JOINT_FOLDER)
    Ledger(directory).remove()


@dataclass(frozen=True)
class LongWork(Generic[Result]):
    """Work whose result is a directory; it can be interrupted, and processes may share it.

    Attributes:
        path: of the result.
        checkpoints: the ledger of finished parts until then.
        claim: to the result.
        find: returns the result if it is there; raises if something else is.
        overwrite: whether an existing result is made again.
        resume: whether existing finished parts may be used.
        noun: for one part.
    """

    path: Path
    checkpoints: Path
    claim: PathLock
    find: Callable[[], Result | None]
    overwrite: bool
    resume: bool = True
    noun: str = "flop"

    def find_finished(self) -> Result | None:
        """Returns the existing result, None if there is none or it is made again."""
        found = None if self.overwrite else self.find()
        if found is not None:
            print_note(f"{self.path}: {COMPLETE}; use --overwrite to solve again")
            remove_checkpoints(self.checkpoints)
        return found

    @contextmanager
    def going_on(self, context: RunContext) -> Iterator[RunContext]:
        """Keeps finished parts until the block ends well; says on Ctrl-C how to resume.

        Yields the context with the place of finished parts. A block that fails before any part is
        finished leaves nothing behind. Parts that another process still works with are left to it.
        """
        if not self.resume:
            remove_checkpoints(self.checkpoints)
        if parts := self._finished_parts():
            print_note(f"resuming from {parts} in {self.checkpoints}, as far as they fit")
        try:
            yield replace(context, checkpoints=self.checkpoints)
        except BaseException as problem:
            parts = self._finished_parts()
            if not parts and self.claim.is_last():
                with suppress(BundleError):  # the first problem is the one to tell
                    remove_checkpoints(self.checkpoints)
            if not isinstance(problem, KeyboardInterrupt):
                raise
            kept = f"{GO_ON} ({parts} kept in {self.checkpoints})"
            text = kept if parts else f"interrupted before any {self.noun} was finished"
            # A solve that has saved itself says so.
            raise KeyboardInterrupt(str(problem) or text) from None
        if self.claim.is_last():
            remove_checkpoints(self.checkpoints)

    def save(self, result: Result, context: RunContext) -> None:
        """Writes the result; another process that shared the work may have been first."""
        with reporting_phase(context.on_event, "writing"):
            try:
                result.save(self.path, overwrite=self.overwrite)
            except RunoutError:
                if self.overwrite or self.find() is None:
                    raise

    def _finished_parts(self) -> str:
        number = count_checkpoints(self.checkpoints)
        return format_count_of(number, f"finished {self.noun}") if number else ""
