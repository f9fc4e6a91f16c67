"""Solutions that are open: each stays as it was opened until its files change."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from runout.errors import BundleError
from runout.explorer.library import FoundRun, RunKind, require_plain_files
from runout.results.run_folders import FLOPS_FOLDER
from runout.storage.bundle import read_manifest
from runout.storage.manifest import MANIFEST_FILE
from runout.views.card_report import CardReport
from runout.views.node import Node
from runout.views.quality import Quality

#: Solutions that are open at the same time; the one that was asked about longest ago is closed.
MAX_OPEN = 12


class RunSummary(Protocol):
    """What the list of solutions says about one."""

    @property
    def title(self) -> str:
        """What was solved, in a few words."""

    @property
    def quality(self) -> Quality:
        """How well it is solved."""

    @property
    def config_text(self) -> str:
        """The config as it was given."""


class RunWithNodes(RunSummary, Protocol):
    """What the page asks of a solution that has nodes."""

    def node(self, path: str) -> Node:
        """Returns what is known about a node."""

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last."""


class OpenedRun(NamedTuple):
    """A solution and the files it was read from.

    Attributes:
        found: where it is.
        run: what answers.
        digest: names exactly these contents.
        stamp: sizes and times of its files, to see that they are replaced or damaged.
    """

    found: FoundRun
    run: RunSummary
    digest: str
    stamp: tuple[tuple[int, int, int], ...]


class OpenedRuns:
    """Opens what is asked about, once, and again if its files change."""

    def __init__(self, open_run: Callable[[FoundRun], RunSummary]) -> None:
        self._open_run = open_run
        self._opened: OrderedDict[str, OpenedRun] = OrderedDict()
        self._lock = threading.Lock()
        self._lock_by_id: dict[str, threading.Lock] = {}

    def get(self, found: FoundRun) -> OpenedRun:
        """Returns an open solution.

        Raises:
            BundleError: if it is gone or damaged.
        """
        with self._lock:
            own_lock = self._lock_by_id.setdefault(found.id, threading.Lock())
        with own_lock:  # one thread opens, the others wait for it
            stamp = _stamp(found)
            known = self._opened.get(found.id)
            if known is None or known.stamp != stamp:
                known = self._open(found, stamp)
        with self._lock:
            self._opened[found.id] = known
            self._opened.move_to_end(found.id)
            while len(self._opened) > MAX_OPEN:
                self._opened.popitem(last=False)
        return known

    def _open(self, found: FoundRun, stamp: tuple[tuple[int, int, int], ...]) -> OpenedRun:
        for bundle in _bundles_of(found):
            require_plain_files(bundle, [MANIFEST_FILE, *read_manifest(bundle).files])
        digest = "".join(read_manifest(bundle).digest[:16] for bundle in _bundles_of(found))
        return OpenedRun(found, self._open_run(found), digest, stamp)


def _bundles_of(found: FoundRun) -> list[Path]:
    """Returns the bundles that a solution is read from."""
    flops = found.path / FLOPS_FOLDER
    return [found.bundle, flops] if found.kind is RunKind.JOINT else [found.bundle]


def _stamp(found: FoundRun) -> tuple[tuple[int, int, int], ...]:
    """Returns sizes, times and numbers of all files of a solution.

    A file that is cut short while it is mapped would end the process when it is read; so files are
    looked at before every answer, which takes microseconds.

    Raises:
        BundleError: if one is gone.
    """
    stamps = []
    for bundle in _bundles_of(found):
        try:
            for place in sorted(bundle.iterdir()):
                status = place.stat()
                stamps.append((status.st_size, status.st_mtime_ns, status.st_ino))
        except OSError as error:
            raise BundleError(str(bundle), "is gone or cannot be read") from error
    return tuple(stamps)
