"""Opens anything that was saved, by its path; what a solve returns reads alike."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from runout.errors import BundleError
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND, load_spot
from runout.solutions.node import Node, Quality, Solution
from runout.solutions.preflop import (
    CHECKPOINT_FOLDER,
    FLOPS_FOLDER,
    LEDGER_FOLDER,
    PREFLOP_KIND,
    REPORT_FOLDER,
    SOLUTION_FOLDER,
    load_solution,
)
from runout.solutions.reports import REPORT_KIND, load_report
from runout.solutions.values import VALUES_KIND, ValueBundle
from runout.storage.bundle import MANIFEST_FILE, has_bundle, read_manifest
from runout.storage.files import local_path, reporting_os_errors

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import CardAbstraction

#: What buckets are saved as, as in `runout.abstraction.card_abstraction`, which imports numba.
ABSTRACTION_KIND = "card_abstraction"

_CONFIGS = (".yaml", ".yml")
_ARCHIVES = (".zip", ".gz", ".xz", ".tar", ".tgz", ".7z")
_MAX_NAMES = 8


def open(path: str | Path) -> Solution:
    """Opens what was saved, without a solver: a spot, a preflop run, a report, values or buckets.

    >>> import runout, tempfile
    >>> spot = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}
    >>> folder = tempfile.mkdtemp() + "/river"
    >>> runout.solve_spot(**spot, max_iterations=20).save(folder)
    >>> runout.open(folder).node("x").players
    ('OOP', 'IP')

    Args:
        path: the directory that a command or `save` wrote.
    """
    kind, bundle = find_result(local_path(path))
    if kind == SPOT_KIND:
        return load_spot(bundle)
    if kind in (PREFLOP_KIND, FLOPS_KIND):
        return load_solution(
            bundle.parent if bundle.name in (SOLUTION_FOLDER, FLOPS_FOLDER) else bundle
        )
    if kind == VALUES_KIND:
        return ValueBundle.load(bundle)
    if kind == REPORT_KIND:
        return load_report(bundle)
    if kind == ABSTRACTION_KIND:
        return Buckets(bundle)
    held, known = kind.replace("_", " "), "a spot, preflop run, report, values or buckets"
    raise BundleError(str(path), f"holds a {held}, expected {known}")


def find_result(path: Path) -> tuple[str, Path]:
    """Returns the kind and the place of the main bundle of a directory.

    Raises:
        BundleError: saying what the path is instead.
    """
    for folder in ("", SOLUTION_FOLDER, REPORT_FOLDER):
        if not has_bundle(bundle := path / folder):
            continue
        try:
            return read_manifest(bundle).kind, bundle
        except BundleError as error:
            if "Field required" not in error.problem:
                raise
            problem = f"{MANIFEST_FILE} belongs to another program than runout"
            raise BundleError(str(bundle), problem) from None
    raise BundleError(str(path), _describe_absence(path))


def _describe_absence(path: Path) -> str:
    """Returns what a path is that holds no result."""
    if not path.exists():
        unfinished = path.with_name(f"{path.name}.{CHECKPOINT_FOLDER}").exists()
        return "is unfinished; rerun its command to resume" if unfinished else "does not exist"
    if not path.is_dir():
        is_config = path.suffix.lower() in _CONFIGS
        what = "a config, solve it first" if is_config else "a file"
        packed = "an archive, unpack it first" if path.suffix.lower() in _ARCHIVES else what
        return f"is {packed}; give the directory that a solve wrote"
    with reporting_os_errors(path, "read"):
        inside = list(path.iterdir())
    if any(folder.name in (CHECKPOINT_FOLDER, LEDGER_FOLDER) for folder in inside):
        return "is unfinished; rerun its command to resume"
    found = [*path.glob(f"*/{MANIFEST_FILE}"), *path.glob(f"*/*/{MANIFEST_FILE}")]
    if names := sorted({place.relative_to(path).parts[0] for place in found}):
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        listed = ", ".join(names[:_MAX_NAMES])
        return f"holds solutions, give one of {listed}{more}"
    what = "has no solution" if inside else "is empty"
    return f"{what}; give the directory that a solve wrote"


class Buckets(Solution):
    """Hands in buckets, as ``runout abstraction build`` leaves them; no solution has them."""

    kind, title, quality, config_text = "buckets", "buckets of hands", None, ""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def abstraction(self) -> "CardAbstraction":
        """The buckets; looking one up takes kernels, which opening does not."""
        from runout.abstraction.card_abstraction import CardAbstraction

        return CardAbstraction.load(self._path)


class SolveResult(Solution):
    """What a solve returns: everything that `Solution` offers, answered by its `view`."""

    config_text = ""

    @cached_property
    def view(self) -> Solution:
        """Strategies, values and equities at any node."""
        raise NotImplementedError

    @cached_property
    def title(self) -> str:  # type: ignore[override]  # computed when it is asked for
        """What was solved, in a few words."""
        return self.view.title

    @cached_property
    def quality(self) -> Quality:  # type: ignore[override]
        """How well it is solved."""
        assert self.view.quality is not None
        return self.view.quality

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        return self.view.node(path)

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that are alike."""
        return self.view.cards_alike(path)
