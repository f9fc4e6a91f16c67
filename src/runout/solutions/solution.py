"""What was solved: its quality, where it comes from, and its nodes one by one."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from runout.errors import BundleError, TreeError, quote
from runout.solutions.sheet import write_parquet
from runout.storage.bundle import Manifest
from runout.storage.files import replacing_file
from runout.trees.betting import Street

if TYPE_CHECKING:
    from pandas import DataFrame

    from runout.solutions.node import Node

PREFLOP = "preflop"

_STREETS = (PREFLOP, *(street.label for street in Street))

# How well a solution is solved, in which game that was measured, and where it comes from.


#: Above this share of the pot, or this many thousandths of a big blind, strategies are rough.
NOTABLE_EXPLOITABILITY_POT = 0.01
NOTABLE_EXPLOITABILITY_MBB = 20.0


#: Exploitability by iteration, iterations rising.
Curve = tuple[tuple[int, float], ...]


class ExploitabilityMeaning(StrEnum):
    """What the exploitability of a backend is measured against."""

    OWN_GAME = "own game"
    UPPER_BOUND = "upper bound"
    REAL_GAME = "real game"

    @property
    def explanation(self) -> str:
        """The same in a sentence."""
        return _EXPLANATIONS[self]

    @property
    def is_upper_bound(self) -> bool:
        """Whether it is not measured, but cannot be larger."""
        return self is ExploitabilityMeaning.UPPER_BOUND


_EXPLANATIONS = {
    ExploitabilityMeaning.OWN_GAME: "measured in the backend's own game, without real cards",
    ExploitabilityMeaning.UPPER_BOUND: "an upper bound, in the backend's own game",
    ExploitabilityMeaning.REAL_GAME: "measured in the game with real cards",
}


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
        date = manifest.created_at.isoformat(timespec="seconds")
        processor = None if manifest.machine is None else manifest.machine.processor
        return cls(manifest.config_digest, manifest.package_version, date, processor)


@dataclass(frozen=True)
class Quality:
    """How well a whole solution is solved.

    Attributes:
        exploitability: mean gain of a best response: a fraction of the pot at the root, or
            thousandths of a big blind per hand.
        meaning: in which game that is.
        iterations: done.
        seconds: taken.
        unit: of the exploitability.
        real_exploitability: the same with real cards, if it was measured apart.
        curve: exploitability by iteration, whenever it was measured.
        provenance: where it comes from; None as long as it is not saved.
    """

    exploitability: float
    meaning: ExploitabilityMeaning
    iterations: int
    seconds: float
    unit: ExploitabilityUnit = ExploitabilityUnit.POT
    real_exploitability: float | None = None
    curve: Curve = ()
    provenance: Provenance | None = None

    @property
    def is_rough(self) -> bool:
        """Whether a best response gains so much that strategies may still change much."""
        is_of_pot = self.unit is ExploitabilityUnit.POT
        most = NOTABLE_EXPLOITABILITY_POT if is_of_pot else NOTABLE_EXPLOITABILITY_MBB
        return self.exploitability > most

    def __str__(self) -> str:
        is_of_pot = self.unit is ExploitabilityUnit.POT
        size = (
            f"{self.exploitability:.2%} of the pot"
            if is_of_pot
            else f"{self.exploitability:.3g} mbb"
        )
        return f"exploitability {size} after {self.iterations} iterations"

    def to_json(self) -> dict[str, Any]:
        """Returns the same under JSON names."""
        unsaved = dict.fromkeys(field.name for field in fields(Provenance))
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
            **(unsaved if self.provenance is None else asdict(self.provenance)),
        }


class Solution:
    """What was solved: a spot, a preflop run, a report or values of flops; see `runout.open`.

    Attributes:
        kind: what it is: ``spot``, ``preflop``, ``report`` or ``values``.
        title: what was solved, in a few words.
        quality: how well it is solved, if that is known.
        config_text: the config as it was given; empty for what was not saved.
        note: where it comes from; empty for nothing to note.
    """

    kind: ClassVar[str]
    title: str
    quality: Quality | None
    config_text: str
    note: str = ""

    def node(self, path: str = "") -> "Node":
        """Returns what is known about the node that a path leads to, by default the root.

        See `runout.trees.paths` for the syntax, such as ``x:b59:c:8h``.
        """
        raise BundleError(self.title, f"{self.kind} of flops have no nodes, use to_dataframe")

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that are alike.

        Cards are alike if they differ by suits only, and no range tells these suits apart.
        """
        return tuple((card,) for card in self.node(path).next_cards)

    def nodes(
        self, path: str = "", depth: int | None = None, street: str | None = None
    ) -> Iterator["Node"]:
        """Yields a node and all that follow, one at a time, each before what follows it.

        >>> [node.path for node in solution.nodes(depth=1)]  # doctest: +SKIP
        ['', 'x', 'b59']

        Args:
            path: of the first node.
            depth: at most so many actions and deals below it; None for all.
            street: only nodes of this one: ``preflop``, ``flop``, ``turn`` or ``river``.
        """
        if depth is not None and depth < 0:
            raise TreeError("depth", f"{depth} is not 0 or a positive number of steps")
        if street not in (None, *_STREETS):
            raise TreeError("street", f"{quote(street)} is none of {', '.join(_STREETS)}")
        last = len(_STREETS) if street is None else _STREETS.index(street)
        waiting = [(path, 0)]
        while waiting:
            place, number = waiting.pop()
            node = self.node(place)
            if street in (None, node.street_name):
                yield node
            is_last = node.actor is None and _STREETS.index(node.street_name) >= last
            if not is_last and number != depth:
                steps = node.steps
                waiting += [(node.path_after(step), number + 1) for step in reversed(steps)]

    def to_dataframe(
        self, path: str = "", depth: int | None = None, street: str | None = None
    ) -> "DataFrame":
        """Returns a frame with a row for each decision, hand and action; see `Node.tidy_columns`.

        Nodes are chosen as by `nodes`; of a large solution `to_parquet` takes less memory.
        """
        from pandas import DataFrame, concat

        return concat([*map(DataFrame, self._tidy(path, depth, street))], ignore_index=True)

    def to_parquet(
        self, file: Path | str, path: str = "", depth: int | None = None, street: str | None = None
    ) -> int:
        """Writes the same as `to_dataframe`, node by node, and returns the number of rows.

        Needs pyarrow (``pip install "runout[reports]"``).
        """
        with replacing_file(Path(file)) as part:
            return write_parquet(part, self._tidy(path, depth, street))

    def _tidy(self, *chosen: Any) -> Iterator[dict[str, Any]]:
        nodes = (node for node in self.nodes(*chosen) if node.actor is not None)
        return (node.tidy_columns() for node in nodes)

    def __repr__(self) -> str:
        known = "" if self.quality is None else f", {self.quality}"
        return f"<{type(self).__name__} {self.title}{known}>"
