"""How well a solution is solved, in which game that was measured, and where it comes from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from runout.results.solve_report import ExploitabilityMeaning
from runout.storage.manifest import Manifest

#: Above this share of the pot, or this many thousandths of a big blind, strategies are rough.
NOTABLE_EXPLOITABILITY_POT = 0.01
NOTABLE_EXPLOITABILITY_MBB = 20.0


#: Exploitability by iteration, iterations rising.
Curve = tuple[tuple[int, float], ...]


class ExploitabilityUnit(StrEnum):
    """In what exploitability is counted."""

    POT = "pot"
    MBB = "mbb"


@dataclass(frozen=True)
class Provenance:
    """Which program made a solution, of what, when and on what.

    Attributes:
        config_digest: names what was solved.
        version: of `runout`.
        date: when it was saved, in UTC.
        processor: what computed it; None in old bundles.
    """

    config_digest: str | None
    version: str
    date: str
    processor: str | None

    @classmethod
    def of(cls, manifest: Manifest) -> "Provenance":
        """Returns what the manifest of a bundle says."""
        return cls(
            config_digest=manifest.config_digest,
            version=manifest.package_version,
            date=manifest.created_at.isoformat(timespec="seconds"),
            processor=None if manifest.machine is None else manifest.machine.processor,
        )


@dataclass(frozen=True)
class Quality:
    """How well a whole solution is solved.

    Attributes:
        exploitability: mean gain of a best response: a fraction of the pot at the root, or
            thousandths of a big blind per hand.
        unit: which of the two.
        meaning: in which game that is.
        real_exploitability: the same with real cards, if it was measured apart.
        iterations: done.
        seconds: taken.
        curve: exploitability by iteration, whenever it was measured.
        provenance: where it comes from; None as long as it is not saved.
    """

    exploitability: float
    unit: ExploitabilityUnit
    meaning: ExploitabilityMeaning
    real_exploitability: float | None
    iterations: int
    seconds: float
    curve: Curve = ()
    provenance: Provenance | None = None

    @property
    def is_rough(self) -> bool:
        """Whether a best response gains so much that strategies may still change much."""
        is_of_pot = self.unit is ExploitabilityUnit.POT
        most = NOTABLE_EXPLOITABILITY_POT if is_of_pot else NOTABLE_EXPLOITABILITY_MBB
        return self.exploitability > most

    def to_json(self) -> dict[str, Any]:
        """Returns the same under JSON names."""
        origin = self.provenance
        return {
            "exploitability": self.exploitability,
            "unit": self.unit.value,
            "meaning": self.meaning.value,
            "explanation": self.meaning.explanation,
            "real_exploitability": self.real_exploitability,
            "rough": self.is_rough,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "curve": [list(point) for point in self.curve],
            "config_digest": None if origin is None else origin.config_digest,
            "version": None if origin is None else origin.version,
            "date": None if origin is None else origin.date,
            "processor": None if origin is None else origin.processor,
        }
