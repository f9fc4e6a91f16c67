"""Where and with what a run works: cores, checkpoints, and who is told."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from runout.cache import Arrays, Recall, compute_always
from runout.errors import BundleError
from runout.events import EventSink, ignore_event
from runout.preflop.solver import ignore_snapshot
from runout.results.preflop_solution import PreflopSolution
from runout.storage.checkpoint import CheckpointDirectory
from runout.storage.manifest import digest_config
from runout.version import __version__


@dataclass(frozen=True)
class Workplace:
    """How a run is carried out; nothing in here changes its result.

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: told about progress.
        checkpoints: directory of finished parts, None to keep none.
        checkpoint_every: finished pieces that are written together; 1 writes each at once.
        on_solution: shown the preflop solution every ``print_every`` iterations of the config.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    checkpoints: Path | None = None
    checkpoint_every: int = 1
    on_solution: Callable[[PreflopSolution], None] = ignore_snapshot

    @contextmanager
    def recalling(self, part: str, facts: Mapping[str, Any]) -> Iterator[Recall]:
        """Yields how finished pieces of a part are kept and found again.

        All of them are written when the block ends, however it ends.

        Args:
            part: names the part's folder.
            facts: everything that the pieces depend on.

        Raises:
            BundleError: if the folder cannot be written.
        """
        if self.checkpoints is None:
            yield compute_always
            return
        digest = digest_config({"version": __version__, "facts": dict(facts)})
        # The digest is part of the name: another config keeps its pieces elsewhere.
        folder = CheckpointDirectory(self.checkpoints / f"{part}-{digest[:12]}", digest)
        pieces = _Pieces(folder, self.checkpoint_every)
        try:
            yield pieces.recall
        finally:
            pieces.write()


class _Pieces:
    """Finished pieces on their way to a folder, some at a time; threads may share it."""

    def __init__(self, folder: CheckpointDirectory, write_every: int) -> None:
        self._folder = folder
        self._write_every = write_every
        self._waiting: dict[str, Arrays] = {}
        self._lock = Lock()

    def recall(self, key: str, compute: Callable[[], Arrays]) -> Arrays:
        """Returns a piece from the folder, or computes it and writes it when others have come."""
        try:
            return self._folder.load(key)
        except BundleError:  # missing, or damaged: as if it had never been written
            arrays = compute()
        with self._lock:
            self._waiting[key] = arrays
            is_due = len(self._waiting) >= self._write_every
        if is_due:
            self.write()
        return arrays

    def write(self) -> None:
        """Writes the pieces that wait."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for key, arrays in waiting.items():
            self._folder.save(key, arrays)
