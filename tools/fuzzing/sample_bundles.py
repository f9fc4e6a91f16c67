"""One small bundle of each kind, as files in memory."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from runout.abstraction.card_abstraction import BucketBoundaries, CardAbstraction
from runout.cards.flops import explicit_flops
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.flops.spot_solution import SpotSolution, load_outcome, start_solver
from runout.solutions.preflop import (
    FlopLeafSource,
    PreflopReport,
    PreflopSolution,
    load_solution,
    save_solution,
)
from runout.solutions.values import (
    ExploitabilityMeaning,
    FlopReport,
    PostflopValues,
    ValueBundle,
    ValueSource,
)
from runout.storage.bundle import MANIFEST_FILE
from runout.trees.betting import PreflopRules
from runout.trees.tree import PreflopTree

_CONFIG = "preflop: {stacks_bb: 5}\n"
_DIGEST = "ab" * 32
_RIVER_SPOT = """\
{board: QsJh2h7c2d, oop: "AA,KK", ip: "QQ,JJ", pot: 180, stack: 910, bet_sizes: 50%}
"""


@dataclass(frozen=True)
class SampleBundle:
    """A bundle that its reader opens.

    Attributes:
        files: the contents, by path below the directory.
        read: opens the bundle in a directory.
    """

    files: Mapping[str, bytes]
    read: Callable[[Path], object]

    def named(self, ending: str) -> list[str]:
        """Returns the paths of files with an ending, manifests left out."""
        paths = (path for path in self.files if path.endswith(ending))
        return [path for path in paths if not path.endswith(MANIFEST_FILE)]

    @property
    def manifest_path(self) -> str:
        """Where the manifest is."""
        return next(path for path in self.files if path.endswith(MANIFEST_FILE))


@cache
def sample_bundles() -> Sequence[SampleBundle]:
    """Returns one small bundle of each kind, some for two ways of opening them."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        save_solution(root / "preflop", _preflop_solution(), _CONFIG, _DIGEST)
        ValueBundle((_values(),), "solve_type: mccfr\n", _DIGEST, seed=7).save(root / "values")
        _spot().save(root / "spot")
        cuts = np.array([0.3, 0.6])
        boundaries = BucketBoundaries((cuts,) * 3, (len(cuts) + 1,) * 3)
        CardAbstraction(boundaries).save(root / "buckets")
        return [
            _sample(root / "preflop", load_solution),
            _sample(root / "values", ValueBundle.load),
            _sample(root / "spot", load_outcome),
            _sample(root / "spot", SpotSolution.load),
            _sample(root / "buckets", CardAbstraction.load),
        ]


def _sample(directory: Path, read: Callable[[Path], object]) -> SampleBundle:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    contents = {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}
    return SampleBundle(contents, read)


def _preflop_solution() -> PreflopSolution:
    tree = PreflopTree.build(PreflopRules.parse(5.0, "2bb;allin", raise_cap=2))
    leaves = {leaf.path: FlopLeafSource(ValueSource.SOLVED, "") for leaf in tree.flop_leaves()}
    report = PreflopReport(10, 2.5, 0.5, leaves, ((5, 10.0), (10, 2.5)))
    strategy = np.full((tree.num_nodes, 169), 0.5)
    return PreflopSolution(tree, strategy, np.zeros((2, tree.num_nodes, 169)), report)


def _values() -> PostflopValues:
    flops = explicit_flops(["AhKsQd"])
    reports = (FlopReport(10, 0.001, 0.5, 0.25, 0, ExploitabilityMeaning.OWN_GAME),)
    return PostflopValues(flops, 3.5, np.full((1, 2, 169, 169), 0.5, np.float32), reports)


def _spot() -> SpotSolution:
    config = parse_config(_RIVER_SPOT, SpotConfig)
    outcome = SolveOutcome(StopReason.ITERATIONS, 10, 0.5, 0.1, 1.5)
    return SpotSolution(config, start_solver(config), outcome)
