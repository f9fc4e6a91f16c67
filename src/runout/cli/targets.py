"""Where long work puts its result, what it will need, and what Ctrl-C says about it."""

import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

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
GO_ON = "interrupted; give the same command again to go on"


class _Savable(Protocol):
    def save(self, path: Path, *, overwrite: bool = False) -> object: ...


Result = TypeVar("Result", bound=_Savable)
Row = TypeVar("Row")

# What building an abstraction takes, in times of a desktop of 2024: a minute told from an hour.
# Boards up to suits, holdings on each, classes of deals, and core seconds for each board.
_NUM_BOARDS = {"flop": 1_755, "turn": 16_432, "river": 134_459}
_NUM_HOLDINGS = {"flop": 1_176, "turn": 1_128}
_NUM_CLASSES = {"flop": 1_286_792, "turn": 13_960_050, "river": 123_156_254}
_SECONDS_PER_BOARD = {"flop": 0.01, "turn": 0.001, "river": 0.00003}
_SECONDS_PER_BOARD_OF_RIVER_TABLE = 0.00015
_SECONDS_TO_CUT_ALL_DEALS = 10.0  # one core, after the boards are done

_SCORE_BYTES = 8
_BUCKET_BYTES = 2
_STATISTICS_BYTES = 5 * 8  # per bucket: boundary, population, lowest, mean, highest
_MEMORY_BYTES = {"exhaustive": 900_000_000, "sampled": 450_000_000}
_MEMORY_BYTES_PER_SAMPLE = 1_000
_MEMORY_BYTES_OF_RIVER_TABLE = 500_000_000


def require_resources(cost: "Cost", work: str, path: Path) -> None:
    """Refuses work, such as "the solve", for which memory, or disk space at a path, is short."""
    cost.require_memory(work)
    require_disk(path, cost.disk_bytes + cost.checkpoint_bytes)


def require_disk(path: Path, needed_bytes: float) -> None:
    """Refuses work for which there is too little disk space where a path is going to be."""
    existing = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < needed_bytes:
        problem = f"needs {format_bytes(needed_bytes)} of disk, {format_bytes(free)} are free"
        raise OptionError(f"--output {path}", problem)


def estimate_build(config: "AbstractionConfig", has_river_table: bool, num_workers: int) -> "Cost":
    """Returns what `build_card_abstraction` will need."""
    from runout.flops.backend import Cost

    is_exhaustive = config.mode.value == "exhaustive"
    num_boards: dict[str, float] = dict(_NUM_BOARDS)
    if not is_exhaustive:
        samples = config.samples_per_street
        # A sampled flop or turn costs nothing if an equal one has been dealt before.
        num_boards = {
            street: count * -math.expm1(-samples / count) for street, count in _NUM_BOARDS.items()
        } | {"river": samples}
    core_seconds = sum(_SECONDS_PER_BOARD[street] * num_boards[street] for street in num_boards)
    bundle_bytes = _STATISTICS_BYTES * (
        config.flop_buckets + config.turn_buckets + min(config.river_buckets, 2_000)
    )
    memory_bytes = _MEMORY_BYTES[config.mode.value]
    if is_exhaustive:
        bundle_bytes += _BUCKET_BYTES * (_NUM_CLASSES["flop"] + _NUM_CLASSES["turn"])
    else:
        memory_bytes += _MEMORY_BYTES_PER_SAMPLE * config.samples_per_street
    if has_river_table:
        core_seconds += _SECONDS_PER_BOARD_OF_RIVER_TABLE * _NUM_BOARDS["river"]
        bundle_bytes += _BUCKET_BYTES * _NUM_CLASSES["river"]
        memory_bytes += _MEMORY_BYTES_OF_RIVER_TABLE
    scores = sum(num_boards[street] * number for street, number in _NUM_HOLDINGS.items())
    return Cost(
        seconds=core_seconds / num_workers + (_SECONDS_TO_CUT_ALL_DEALS if is_exhaustive else 1.0),
        memory_bytes=memory_bytes,
        disk_bytes=bundle_bytes,
        checkpoint_bytes=round(_SCORE_BYTES * scores),
    )


def describe_cost(cost: "Cost") -> str:
    """Returns what a solve takes at most, as one line."""
    until_done = format_bytes(cost.disk_bytes + cost.checkpoint_bytes)
    return f"at most about {_describe_resources(cost)} ({until_done} until done)"


def describe_build(cost: "Cost") -> str:
    """Returns what building an abstraction takes as one line for people."""
    more = format_bytes(cost.checkpoint_bytes)
    return f"needs about {_describe_resources(cost)} ({more} more until done)"


def _describe_resources(cost: "Cost") -> str:
    time, memory = format_time_limit(cost.seconds), format_bytes(cost.memory_bytes)
    return f"{time}, {memory} of memory, {format_bytes(cost.disk_bytes)} of disk"


def require_free(path: Path, kind: str, overwrite: bool) -> None:
    """Finds out before the work whether its result can be written.

    A bundle is replaced only by one of its kind, and if ``overwrite`` says so.
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
    """Yields with what to solve: kernels and events are shown, and Ctrl-C ends all workers.

    Directories for the result that a failed solve has made and left empty are removed.
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
    """Returns the last line of long work: what was written, and how long it took."""
    if is_done_before:
        return f"{what}, was done before"
    return f"wrote {what}, in {format_seconds(seconds)}"


def checkpoints_beside(path: Path, ending: str = "checkpoints") -> Path:
    """Returns where finished parts are until the result is written: in plain sight, next to it."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.{ending}")


def count_checkpoints(directory: Path) -> int:
    """Returns how many finished parts are in a directory, of whichever config."""
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
        path: where the result is going to be.
        checkpoints: the ledger of finished parts until then.
        claim: to the result.
        find: returns the result if it is there; raises if something else is.
        overwrite: whether a result that is there is made again.
        resume: whether finished parts that are there already may be used.
        noun: what a part is.
        kept: says on Ctrl-C where ``{parts}`` are kept, in ``{directory}``.
    """

    path: Path
    checkpoints: Path
    claim: PathLock
    find: Callable[[], Result | None]
    overwrite: bool
    resume: bool = True
    noun: str = "flop"
    kept: str = "{directory} keeps {parts}"

    def find_finished(self) -> Result | None:
        """Returns the result that is there, None if there is none or it is to be made again."""
        found = None if self.overwrite else self.find()
        if found is not None:
            done = "was done before, nothing is left to do; --overwrite does it again"
            print_note(f"{self.path}: {done}")
            remove_checkpoints(self.checkpoints)
        return found

    @contextmanager
    def going_on(self, context: RunContext) -> Iterator[RunContext]:
        """Keeps finished parts until the block ends well, and says on Ctrl-C how to go on.

        Yields the context with the place of finished parts. A block that fails before any part is
        finished leaves nothing behind. Parts that another process still works with are left to it.
        """
        if not self.resume:
            remove_checkpoints(self.checkpoints)
        if parts := self._finished_parts():
            print_note(f"using what fits of {parts} in {self.checkpoints}")
        try:
            yield replace(context, checkpoints=self.checkpoints)
        except BaseException as problem:
            parts = self._finished_parts()
            if not parts and self.claim.is_last():
                with suppress(BundleError):  # the first problem is the one to tell
                    remove_checkpoints(self.checkpoints)
            if not isinstance(problem, KeyboardInterrupt):
                raise
            text = f"interrupted before any {self.noun} was finished, nothing was kept"
            if parts:
                text = f"{GO_ON}, {self.kept.format(directory=self.checkpoints, parts=parts)}"
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
