"""A solved spot for the page: what it is, how well it is solved, and its nodes."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.storage.bundle import load_bundle, reading_contents
from runout.trees.actions import format_amount
from runout.views.card_report import CardReport, report_cards
from runout.views.node import Node
from runout.views.quality import Provenance, Quality
from runout.views.spot_bundle import (
    KIND,
    REPORT,
    SCHEMA_VERSION,
    has_solution,
    load_spot,
    quality_of,
)
from runout.views.stored_spot import StoredSpot


@dataclass(frozen=True, eq=False)
class SpotSummary:
    """What is known about a spot without looking at its strategies.

    Attributes:
        config: what was solved.
        quality: how well it is solved.
        config_text: the config as it is kept.
    """

    config: SpotConfig
    quality: Quality
    config_text: str

    @classmethod
    def open(cls, path: Path) -> "SpotSummary":
        """Reads the documents of a bundle.

        Raises:
            BundleError: if it is missing, damaged, of another kind, or has no solution.
        """
        bundle = load_bundle(path, KIND, SCHEMA_VERSION, verify=False)
        with reading_contents(path):
            config = load_spot_config(bundle.config_text or "")
            provenance = Provenance.of(bundle.manifest)
            quality = quality_of(config, bundle.documents[REPORT], provenance)
        if not has_solution(path):
            problem = "has only what a solver goes on from; give its solve-spot command again"
            raise BundleError(str(path), problem)
        return cls(config, quality, bundle.config_text or "")

    @property
    def title(self) -> str:
        """The board and the money."""
        pot, stack = format_amount(self.config.pot), format_amount(self.config.stack)
        return f"{self.config.board}, pot {pot}, stack {stack}"

    @property
    def note(self) -> str:
        """Where it comes from, if a preflop solution has led to it."""
        return "" if self.config.origin is None else self.config.origin.describe()


@dataclass(frozen=True, eq=False)
class SpotRun:
    """A spot that is open.

    Attributes:
        summary: what it is.
        stored: what answers, one thread at a time: it keeps what it has looked at last.
    """

    summary: SpotSummary
    stored: StoredSpot
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, path: Path) -> "SpotRun":
        """Opens a bundle.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        return cls(SpotSummary.open(path), load_spot(path))

    @property
    def title(self) -> str:
        """The board and the money."""
        return self.summary.title

    @property
    def quality(self) -> Quality:
        """How well it is solved."""
        return self.summary.quality

    @property
    def config_text(self) -> str:
        """The config as it is kept."""
        return self.summary.config_text

    @property
    def note(self) -> str:
        """Where it comes from, if a preflop solution has led to it."""
        return self.summary.note

    def node(self, path: str) -> Node:
        """Returns what is known about a node.

        Raises:
            RunoutError: naming the first step that is no action or card.
        """
        with self._lock:
            return self.stored.node(path)

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last.

        Raises:
            RunoutError: if there is no such node, or no card is dealt on the way.
        """
        with self._lock:
            return report_cards(self.stored, path)
