"""A solved spot for the page: what it is, how well it is solved, and its nodes."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.explorer.library import SPOT_KIND
from runout.results.solve_report import ExploitabilityMeaning
from runout.storage.bundle import load_bundle, read_manifest, reading_contents
from runout.trees.actions import format_amount
from runout.views.node import Node
from runout.views.quality import ExploitabilityUnit, Provenance, Quality


class SpotNodes(Protocol):
    """What answers about the nodes of a spot."""

    def node(self, path: str = "") -> Node:
        """Returns what is known about a node."""


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
            BundleError: if it is missing, damaged, or of another kind.
        """
        manifest = read_manifest(path)
        bundle = load_bundle(path, SPOT_KIND, manifest.schema_version, verify=False)
        with reading_contents(path):
            config = load_spot_config(bundle.config_text or "")
            report = bundle.documents["report"]
            is_exact = config.rivers == "exact"
            real, own = ExploitabilityMeaning.REAL_GAME, ExploitabilityMeaning.OWN_GAME
            quality = Quality(
                exploitability=float(report["exploitability_chips"]) / config.pot,
                unit=ExploitabilityUnit.POT,
                meaning=real if is_exact else own,
                real_exploitability=None,
                iterations=int(report["iterations"]),
                seconds=float(report["seconds"]),
                provenance=Provenance.of(manifest),
            )
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
        nodes: what answers.
    """

    summary: SpotSummary
    nodes: SpotNodes

    @classmethod
    def open(cls, path: Path, open_nodes: Callable[[Path], SpotNodes]) -> "SpotRun":
        """Opens a bundle.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        return cls(SpotSummary.open(path), open_nodes(path))

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
        return self.nodes.node(path)
