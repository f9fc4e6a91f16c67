"""Values of flops for the page: what each flop is worth to both players, by texture."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runout.cards.canonical_hands import matchup_weights
from runout.cards.textures import describe_texture
from runout.errors import BundleError, quote
from runout.results.postflop_values import NUM_POSITIONS, PostflopValues
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import read_manifest
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.node import Unit
from runout.views.node_json import rounded
from runout.views.quality import ExploitabilityUnit, Provenance, Quality

Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ValuesRun:
    """A bundle of values that is open.

    Attributes:
        bundle: the values.
        provenance: where it comes from.
    """

    bundle: ValueBundle
    provenance: Provenance

    @classmethod
    def open(cls, path: Path) -> "ValuesRun":
        """Opens a bundle; its arrays stay on the disk until they are asked about.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        return cls(ValueBundle.load(path, verify=False), Provenance.of(read_manifest(path)))

    @property
    def config_text(self) -> str:
        """The config as it was given."""
        return self.bundle.config_text

    @property
    def title(self) -> str:
        """How many flops, at which ratios."""
        sprs = ", ".join(self.choices)
        return f"{len(self.bundle.values[0].flops)} flops at SPR {sprs}"

    @property
    def choices(self) -> list[str]:
        """The stack-to-pot ratios as text."""
        return [f"{values.spr:g}" for values in self.bundle.values]

    @property
    def quality(self) -> Quality:
        """How well the worst flop is solved."""
        reports = [report for values in self.bundle.values for report in values.reports]
        worst = max(reports, key=lambda report: report.exploitability_pot)
        return Quality(
            exploitability=worst.exploitability_pot,
            unit=ExploitabilityUnit.POT,
            meaning=worst.meaning,
            real_exploitability=None,
            iterations=max(report.iterations for report in reports),
            seconds=sum(report.seconds for report in reports),
            provenance=self.provenance,
        )

    def report(self, choice: str) -> Json:
        """Returns one row per flop at a stack-to-pot ratio; by default the first.

        Raises:
            BundleError: if it was not solved.
        """
        chosen = choice or self.choices[0]
        if chosen not in self.choices:
            solved = ", ".join(self.choices)
            raise BundleError(f"SPR {quote(choice)}", f"was not solved, this bundle has {solved}")
        rows = self._rows[self.choices.index(chosen)]
        return {
            "path": chosen,
            "choices": self.choices,
            "choice": "SPR",
            "title": f"SPR {chosen}",
            "more": [],
            "unit": Unit.POTS.value,
            "players": list(PLAYER_NAMES),
            "flops": rows,
        }

    @cached_property
    def _rows(self) -> list[list[Json]]:
        return [_rows_of(values) for values in self.bundle.values]


def _rows_of(values: PostflopValues) -> list[Json]:
    """Returns what each flop is worth to the ranges that it was solved for."""
    flops, rows = values.flops, []
    for number, (flop, share) in enumerate(zip(flops.flops, flops.weights.tolist(), strict=True)):
        joint = matchup_weights(flop).astype(np.float64)
        if values.ranges is not None:
            joint *= values.ranges[0][:, None] * values.ranges[1][None, :]
        means = [
            (np.nan_to_num(values.value_pot[number, position]) * weights).sum() / joint.sum()
            for position, weights in zip(range(NUM_POSITIONS), (joint, joint.T), strict=True)
        ]
        rows.append(
            {
                "flop": flops.names[number],
                "path": None,
                "run": None,
                "pot": 1.0,
                "more": {},
                "share": share,
                **describe_texture(flop).labels(),
                "actions": [],
                "ev": [rounded(float(mean)) for mean in means],
                "equity": [None, None],
                "eqr": [None, None],
                "exploitability": values.reports[number].exploitability_pot,
            }
        )
    return rows
