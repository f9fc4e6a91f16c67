"""A spot that was solved, or is being solved, in memory and as a bundle.

The bundle holds everything that learning goes on from, so a solve that is opened and continued has
the same bits as one that was never interrupted: arrays named ``STREET_PLAYER_PART``, such as
``turn_ip_regret``, whose parts are those of `Learning`; empty ones are left out. Beside it stands
the solution, which `runout.solutions.flop_bundles` opens without a solver.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from runout.arrays import AnyArray
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.cfr.team import Team
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.flops.live_spot import LiveSpot, look_at, store_spot
from runout.flops.spot_setup import river_buckets, settle_locks
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import LearnedTables, Precision, name_of_table
from runout.simd.decision_kernels import Learning
from runout.solutions import flop_bundles
from runout.solutions.flop import StoredSpot
from runout.solutions.node import Curve, Provenance
from runout.solutions.run import SolveResult
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import Bundle, digest_config, load_bundle, reading_contents
from runout.storage.writer import BundleWriter, Finish, begin_bundles
from runout.trees.betting import Street


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution(SolveResult):
    """What the solve of a spot has come to.

    Attributes:
        config: what was asked for.
        solver: the learned tables; more iterations change them.
        outcome: why the solve ended and what it reached, in chips; seconds of all sittings.
        curve_chips: exploitability by iteration, whenever it was measured.
    """

    kind = "spot"

    config: SpotConfig
    solver: SpotSolver
    outcome: SolveOutcome
    curve_chips: Curve = ()
    provenance: Provenance | None = None

    @cached_property
    def view(self) -> StoredSpot:
        """Strategies, values and equities at any node."""
        quality = flop_bundles.quality_of(self.config, self._report(), self.provenance)
        return look_at(self.solver, quality, self.config)

    @property
    def is_interrupted(self) -> bool:
        """Whether the solve was stopped before any of its limits was met."""
        return self.outcome.reason == StopReason.INTERRUPTED

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """In which game the exploitability is: rivers in buckets are another game."""
        return flop_bundles.meaning_of(self.config)

    @property
    def exploitability_pot(self) -> float:
        """The exploitability as a fraction of the pot."""
        return self.outcome.exploitability / self.config.pot

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the solve as a bundle, all of it or nothing."""
        self.begin_saving(path, overwrite=overwrite, has_solution=True)()

    def begin_saving(
        self, path: Path | str, *, overwrite: bool = False, has_solution: bool = False
    ) -> Finish:
        """Copies the tables into files and returns what makes a bundle of them.

        Learning may continue before that is called. A solution takes the time of two iterations.
        """
        writer = BundleWriter(
            path,
            kind=flop_bundles.SPOT_KIND,
            schema_version=flop_bundles.SPOT_SCHEMA_VERSION,
            config_text=self.config.to_yaml(),
            config_digest=digest_config(self.config.game_mapping()),
            measured=[flop_bundles.REPORT],
            overwrite=overwrite,
        )

        def fill(writer: BundleWriter) -> None:
            if has_solution:
                settle_locks(self.solver.game.templates, self.solver.tables)
                live = LiveSpot(self.solver.game, self.solver.tables, self.solver.root_reach)
                store_spot(writer.create_array, live, flop_bundles.SPOT_NAMES)
            if self.config.keep_resume or self.is_interrupted or not has_solution:
                for name, array in self.solver.tables.named_arrays():
                    writer.add_array(name, array)
            writer.add_document(flop_bundles.REPORT, self._report())

        return begin_bundles([(writer, fill)])

    @classmethod
    def load(
        cls, path: Path | str, *, team: Team | None = None, verify: bool = True
    ) -> "SpotSolution":
        """Opens a saved solve; tables stay on the disk until they are looked at.

        Learning may go on, shared by the threads of a team: what changes is kept in memory, and the
        files stay as they are. Digests of all tables are computed to verify them.
        """
        bundle = load_bundle(
            path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, verify=verify, is_writable=True
        )
        if bundle.arrays and all(name.startswith("solution_") for name in bundle.arrays):
            problem = "keeps nothing to go on from (keep_resume: false), it can only be shown"
            raise BundleError(str(path), problem)
        with reading_contents(path):
            facts = _read_facts(bundle)
            solver = start_solver(facts.config, team)
        solver.tables = _fill(str(path), solver.tables, bundle.arrays)
        solver.iteration = facts.outcome.iterations
        return cls(facts.config, solver, *facts[1:], Provenance.of(bundle.manifest))

    def _report(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "reason": outcome.reason.name.lower(),
            "iterations": outcome.iterations,
            "seconds": outcome.seconds,
            "exploitability_chips": outcome.exploitability,
            "curve_chips": [list(point) for point in self.curve_chips],
        }


def start_solver(config: SpotConfig, team: Team | None = None) -> SpotSolver:
    """Returns a solver that has learned nothing, and has no locks."""
    precision = Precision(config.precision)
    spot, rivers = flop_bundles.build_spot(config), river_buckets(config)
    return SpotSolver(spot, config.schedule(), team, precision, rivers)


class SpotFacts(NamedTuple):
    """What was solved, how it ended, and exploitability in chips by iteration."""

    config: SpotConfig
    outcome: SolveOutcome
    curve_chips: Curve


def load_spot_facts(path: Path | str) -> SpotFacts:
    """Reads what was solved and how well, without looking at the tables."""
    bundle = load_bundle(path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, verify=False)
    with reading_contents(path):
        return _read_facts(bundle)


def _read_facts(bundle: Bundle) -> SpotFacts:
    config, report = (
        parse_config(bundle.config_text or "", SpotConfig),
        bundle.documents[flop_bundles.REPORT],
    )
    reason, exploitability = report["reason"].upper(), float(report["exploitability_chips"])
    lasted = int(report["iterations"]), float(report["seconds"])
    outcome = SolveOutcome(StopReason[reason], *lasted, math.nan, exploitability)
    return SpotFacts(config, outcome, tuple(map(tuple, report.get("curve_chips", ()))))


def _fill(where: str, empty: LearnedTables, arrays: Mapping[str, AnyArray]) -> LearnedTables:
    """Returns tables like the empty ones that hold the arrays of a bundle."""

    def saved(street: int, player: int, learning: Learning) -> Learning:
        found: dict[str, Any] = {}
        for part, expected in learning._asdict().items():
            name = name_of_table(Street(street), player, part)
            # The locks of empty tables have no size yet.
            shape = learning.regret.shape if part == "lock" else expected.shape
            if name in arrays:
                found[part] = array = arrays[name]
                if (array.dtype, array.shape) != (expected.dtype, shape):
                    came, wanted = f"{array.dtype} {array.shape}", f"{expected.dtype} {shape}"
                    raise BundleError(where, f"{name} is {came}, this version builds {wanted}")
            elif expected.size:
                raise BundleError(where, f"has no array {name}")
        return learning._replace(**found)

    first = empty.first_street
    by_street = [
        (saved(street, 0, oop), saved(street, 1, ip))
        for street, (oop, ip) in enumerate(empty.by_street, start=first)
    ]
    return LearnedTables(by_street, first)
