"""Where long work puts its result and its finished parts, and what Ctrl-C says about them."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from runout.cli.console import print_note, using_kernels
from runout.cli.formatting import format_count_of, format_seconds
from runout.cli.options import OptionError, read_path
from runout.errors import BundleError
from runout.execution.cancel import cancelling_on_interrupt
from runout.execution.choice import opening_executor
from runout.execution.threads import ThreadExecutor
from runout.execution.workplace import Workplace
from runout.results.run_folders import JOINT_FOLDER
from runout.storage.bundle import has_bundle, read_manifest
from runout.storage.claim import Claim
from runout.storage.files import reporting_os_errors
from runout.storage.ledger import ENTRY_ENDING, Ledger
from runout.storage.manifest import MANIFEST_FILE
from runout.storage.staging import StagingDirectory

OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="DIR", parser=read_path, help="Directory to write."),
]
OverwriteFlag = Annotated[bool, typer.Option("--overwrite", help="Replace what is in DIR.")]
ResumeFlag = Annotated[
    bool,
    typer.Option("--resume/--no-resume", help="Use what an interrupted run has finished, or not."),
]


def require_free(path: Path, kind: str, overwrite: bool) -> None:
    """Finds out before the work whether its result can be written.

    Args:
        path: where a bundle is going to be.
        kind: its kind; no bundle of another kind is ever replaced.
        overwrite: whether one of the same kind may be replaced.

    Raises:
        RunoutError: if something is in the way that may not be replaced, or nothing can be written.
    """
    try:
        found = read_manifest(path).kind
    except BundleError:  # nothing there, or nothing that can be read
        found = None
    if found not in (None, kind):
        raise OptionError(str(path), f"is a bundle of kind {found}, will not be overwritten")
    if not overwrite and has_bundle(path):
        raise OptionError(str(path), "exists already, give --overwrite to replace it")
    missing = _missing_directories(path)
    try:
        StagingDirectory(path, MANIFEST_FILE, overwrite).close()
    finally:
        _remove_empty(missing)


@contextmanager
def solving_into(
    path: Path, workers: int | None, executor: str = ThreadExecutor.name
) -> Iterator[Workplace]:
    """Yields with what to solve: events are shown, and Ctrl-C ends all workers.

    Directories that a failed solve has made and left empty are removed.

    Args:
        path: where the result is going to be.
        workers: as given on the command line.
        executor: as given on the command line.
    """
    missing = _missing_directories(path)
    try:
        with working_with(workers, executor) as workplace:
            yield workplace
    except BaseException:
        _remove_empty(missing)
        raise


@contextmanager
def working_with(workers: int | None, executor: str = ThreadExecutor.name) -> Iterator[Workplace]:
    """Yields with what to work: kernels and events are shown, and Ctrl-C ends all workers."""
    with (
        using_kernels() as on_event,
        cancelling_on_interrupt() as cancel,
        opening_executor(executor, workers) as chosen,
    ):
        yield Workplace(workers, on_event, executor=chosen, cancel=cancel)


def _missing_directories(path: Path) -> list[Path]:
    """Returns what has to be made for a directory to exist, itself first, then its parents."""
    target = Path(os.path.realpath(path))
    return list(takewhile(lambda place: not os.path.lexists(place), (target, *target.parents)))


def _remove_empty(directories: Sequence[Path]) -> None:
    for directory in directories:
        with suppress(OSError):  # not made, or something of value is in it
            directory.rmdir()


def note_done_before(path: Path) -> None:
    """Says that a finished run was given again and that nothing is left to do."""
    print_note(f"{path}: was done before, nothing is left to do; --overwrite does it again")


def describe_end(what: str, seconds: float, is_done_before: bool) -> str:
    """Returns the last line of long work: what was written, and how long it took."""
    if is_done_before:
        return f"{what}, was done before"
    return f"wrote {what}, in {format_seconds(seconds)}"


def count_checkpoints(directory: Path) -> int:
    """Returns how many finished parts are in a directory, of whichever config."""
    return sum(1 for _ in directory.glob(f"*{ENTRY_ENDING}"))


def remove_checkpoints(directory: Path) -> None:
    """Removes finished parts, and the directory if nothing else is in it.

    Raises:
        BundleError: if the system refuses.
    """
    if not directory.is_dir():
        return
    with reporting_os_errors(directory, "removed"):
        if (directory / JOINT_FOLDER).is_dir():
            shutil.rmtree(directory / JOINT_FOLDER)
    Ledger(directory).remove()


@contextmanager
def keeping_checkpoints(directory: Path, resume: bool, claim: Claim) -> Iterator[None]:
    """Keeps finished parts until the block ends well, and says on Ctrl-C how to go on.

    A block that fails before any part is finished leaves nothing behind. Parts that another
    process still works with are left to it.

    Args:
        directory: the ledger of the run.
        resume: whether parts that are there already may be used; they are removed otherwise.
        claim: to the result.
    """
    if not resume:
        remove_checkpoints(directory)
    num_finished = count_checkpoints(directory)
    if num_finished:
        print_note(f"using what fits of {describe_parts(num_finished)} in {directory}")
    try:
        yield
    except KeyboardInterrupt as interrupt:
        # A solve that has saved itself says so.
        raise KeyboardInterrupt(
            str(interrupt) or _describe_interruption(directory, claim)
        ) from None
    except BaseException:
        if count_checkpoints(directory) == 0 and claim.is_last():
            with suppress(BundleError):  # the first problem is the one to tell
                remove_checkpoints(directory)
        raise
    if claim.is_last():
        remove_checkpoints(directory)


def _describe_interruption(directory: Path, claim: Claim) -> str:
    num_finished = count_checkpoints(directory)
    if num_finished == 0:
        if claim.is_last():
            remove_checkpoints(directory)
        return "interrupted before any flop was finished, nothing was kept"
    kept = describe_parts(num_finished)
    return f"interrupted; give the same command again to go on, {directory} keeps {kept}"


def describe_parts(number: int) -> str:
    """Returns in words how many flops are finished."""
    return format_count_of(number, "finished flop")
