"""Saving and opening postflop values; opening needs no solver and no kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from runout.arrays import FloatArray
from runout.cache import Arrays
from runout.cards.card import parse_cards
from runout.cards.flops import FlopList, GivenFlop, canonical_flop
from runout.errors import BundleError
from runout.results.kept_solutions import join_solutions, split_solutions
from runout.results.postflop_values import PostflopValues
from runout.results.solve_report import reports_from_array, reports_to_array
from runout.storage.bundle import load_bundle, reading_contents
from runout.storage.writer import BundleWriter
from runout.version import __version__

KIND = "postflop_values"
SCHEMA_VERSION = 2


@dataclass(frozen=True, eq=False)
class ValueBundle:
    """Values at several stack-to-pot ratios on the same flops, and the config they came from.

    Attributes:
        values: one for each ratio.
        config_text: the YAML of the postflop model.
        config_digest: names everything in it that changes results.
        seed: of the run.
        solutions: by ratio and flop, what the backend has kept of its strategies; none if it was
            told to keep none.
    """

    values: tuple[PostflopValues, ...]
    config_text: str
    config_digest: str
    seed: int
    solutions: tuple[tuple[Arrays, ...], ...] = ()

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the bundle, all of it or nothing.

        Raises:
            BundleError: if it cannot be written, or exists and is not to be overwritten.
        """
        flops = self.values[0].flops
        with BundleWriter(
            path,
            kind=KIND,
            schema_version=SCHEMA_VERSION,
            package_version=__version__,
            seed=self.seed,
            config_text=self.config_text,
            config_digest=self.config_digest,
            overwrite=overwrite,
        ) as writer:
            writer.add_array("flops", np.array(flops.flops, dtype=np.uint8))
            writer.add_array("flop_weights", flops.weights)
            given = np.array([parse_cards(name) for name in flops.names], dtype=np.uint8)
            if not np.array_equal(given, np.array(flops.flops)):
                writer.add_array("flops_as_given", given)
            writer.add_array("sprs", np.array([values.spr for values in self.values]))
            for number, values in enumerate(self.values):
                writer.add_array(f"value_pot_{number}", values.value_pot)
                writer.add_array(f"reports_{number}", reports_to_array(list(values.reports)))
                if values.ranges is not None:
                    writer.add_array(f"ranges_{number}", values.ranges)
            join_solutions(self.solutions, writer.create_array)
            writer.commit()

    @classmethod
    def load(cls, path: Path | str, *, verify: bool = True) -> "ValueBundle":
        """Opens a bundle; values stay on disk until they are used.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        bundle = load_bundle(path, KIND, SCHEMA_VERSION, verify=verify)
        with reading_contents(path):
            flops = _flop_list(bundle.arrays)
            values = tuple(
                PostflopValues(
                    flops,
                    float(cast(Any, spr)),
                    cast(npt.NDArray[np.float32], bundle.arrays[f"value_pot_{number}"]),
                    tuple(reports_from_array(cast(FloatArray, bundle.arrays[f"reports_{number}"]))),
                    cast(FloatArray | None, bundle.arrays.get(f"ranges_{number}")),
                )
                for number, spr in enumerate(bundle.arrays["sprs"])
            )
            solutions = split_solutions(bundle.arrays, len(values), len(flops.flops))
        manifest = bundle.manifest
        return cls(
            values,
            bundle.config_text or "",
            manifest.config_digest or "",
            manifest.seed or 0,
            solutions,
        )

    def at_spr(self, spr: float) -> PostflopValues:
        """Returns the values of one of the solved ratios.

        Raises:
            BundleError: if it was not solved.
        """
        for values in self.values:
            if np.isclose(values.spr, spr, rtol=1e-9):
                return values
        solved = ", ".join(f"{values.spr:g}" for values in self.values)
        raise BundleError(f"spr {spr:g}", f"was not solved, this bundle has {solved}")


def _flop_list(arrays: Arrays) -> FlopList:
    """Returns the flops of a bundle, which has other names for them if others were given."""
    flops: Sequence[Sequence[int]] = arrays["flops"].tolist()
    given: Sequence[Sequence[int]] = arrays.get("flops_as_given", arrays["flops"]).tolist()
    names = tuple(GivenFlop(tuple(cards)).name for cards in given)
    if [canonical_flop(cards) for cards in given] != [tuple(flop) for flop in flops]:
        raise ValueError("flops_as_given that are other flops")
    weights = np.array(cast(FloatArray, arrays["flop_weights"]))
    return FlopList(tuple((a, b, c) for a, b, c in flops), weights, names)
