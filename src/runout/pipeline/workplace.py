"""Where and with what a run works: cores, checkpoints, and who is told."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runout import __version__
from runout.cache import Recall, compute_always
from runout.events import EventSink, ignore_event
from runout.storage.checkpoint import CheckpointDirectory
from runout.storage.manifest import digest_config


@dataclass(frozen=True)
class Workplace:
    """How a run is carried out; nothing in here changes its result.

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: told about progress.
        checkpoints: directory of finished parts, None to keep none.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    checkpoints: Path | None = None

    def recall(self, part: str, facts: Mapping[str, Any]) -> Recall:
        """Returns how finished pieces of a part are kept and found again.

        Args:
            part: names the part's folder.
            facts: everything that the pieces depend on.

        Raises:
            BundleError: if the folder cannot be written.
        """
        if self.checkpoints is None:
            return compute_always
        digest = digest_config({"version": __version__, "facts": dict(facts)})
        # The digest is part of the name: another config keeps its pieces elsewhere.
        folder = self.checkpoints / f"{part}-{digest[:12]}"
        return CheckpointDirectory(folder, digest).recall
