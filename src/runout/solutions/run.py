"""A run: its preflop solution, and the flops below it if it was solved jointly with them."""

from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from runout.cards.deck import HAND_BY_COMBO, format_cards, parse_cards
from runout.cards.flops import GivenFlop
from runout.errors import BundleError, CardError, TreeError, quote
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND, JointFlops, load_spot
from runout.solutions.node import Node, NodeKind, Provenance, TrailStep
from runout.solutions.preflop import (
    CHECKPOINT_FOLDER,
    FLOPS_FOLDER,
    LEDGER_FOLDER,
    PREFLOP_KIND,
    PREFLOP_SCHEMA_VERSION,
    REPORT_FOLDER,
    SOLUTION_FOLDER,
    PreflopSolution,
    PreflopView,
    find_bundle,
    read_solution,
)
from runout.solutions.report_files import REPORT_KIND, load_report
from runout.solutions.solution import Solution
from runout.solutions.values import VALUES_KIND, ValueBundle
from runout.storage.bundle import MANIFEST_FILE, has_bundle, load_bundle, read_manifest
from runout.storage.files import reporting_os_errors
from runout.trees.paths import PathSteps, join_path, read_path
from runout.trees.tree import FLOP, POSITION_NAMES, PostflopTree

_FLOP_LABEL = "flop"

#: Flops that stay open.
_KEPT_FLOPS = 8

_CONFIGS = (".yaml", ".yml")
_ARCHIVES = (".zip", ".gz", ".xz", ".tar", ".tgz", ".7z")
_MAX_NAMES = 8


class _Place(NamedTuple):
    """A place after a flop: the node where it is dealt, the flop, its spot, and the path there."""

    before: Node
    given: GivenFlop
    spot: StoredSpot
    below: str


class RunView(PreflopView):
    """A preflop solution whose flops can be opened as well, as ``r2:c:Td9d6h:x:b50:c:8h``."""

    def __init__(
        self,
        solution: PreflopSolution,
        provenance: Provenance | None = None,
        flops_path: Path | None = None,
    ) -> None:
        """Opens nothing yet; flops are in a bundle, if any were kept."""
        super().__init__(solution, provenance)
        self._flops_path = flops_path
        # Several threads may look at once.
        self._opened = lru_cache(_KEPT_FLOPS)(self._open)

    @cached_property
    def flops(self) -> JointFlops | None:
        """What was kept of the flops, None if nothing was."""
        return None if self._flops_path is None else JointFlops.load(self._flops_path)

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        place = self._find_flop(path)
        if place is None:
            found = super().node(path)
            is_flop = found.kind is NodeKind.FLOP
            names = self.flops.flops if is_flop and self.flops is not None else ()
            return replace(found, flops=names)
        return _join(place.before, place.given, place.spot.node(place.below))

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that share their tables."""
        place = self._find_flop(path)
        return () if place is None else place.spot.cards_alike(place.below)

    def _find_flop(self, path: str) -> _Place | None:
        """Returns the flop that a path leads to and what follows; None before the flop."""
        given_path = read_path(path)
        steps, number = given_path.steps, self._count_preflop(given_path)
        if number == len(steps):
            return None
        before = super().node(join_path(*steps[:number]))
        given = self._read_flop(before, steps[number], path)
        spot = self._opened(self.tree.find_node(before.path), given)
        return _Place(before, given, spot, join_path(*steps[number + 1 :]))

    def _count_preflop(self, path: PathSteps) -> int:
        """Returns how many steps come before the flop."""
        node = 0
        for number in range(len(path.steps)):
            if self.tree.leaf_kind[node] == FLOP:
                return number
            node = path.follow(self.tree, node, number)
        return len(path.steps)

    def _read_flop(self, before: Node, step: str, path: str) -> GivenFlop:
        """Returns a flop as it was given, if it is among those that are kept."""
        where = f"path {quote(path)}"
        if self.flops is None:
            problem = f"no flops were kept after {before.path}, solve the spot of a flop instead"
            raise TreeError(where, problem)
        try:
            given = GivenFlop(tuple(parse_cards(step)))
            is_kept = given.canonical in self.flops.number_of
        except (CardError, ValueError) as error:
            problem = f"{quote(step)} is no flop such as Td9d6h ({error})"
            raise CardError(where, problem) from None
        if not is_kept:
            flops = ", ".join(self.flops.flops)
            raise CardError(where, f"{quote(step)} is not among the flops that are kept: {flops}")
        return given

    def _open(self, node: int, given: GivenFlop) -> StoredSpot:
        """Opens a flop at a flop leaf, by its node."""
        assert self.flops is not None
        leaves = self.tree.flop_leaves()
        number = next(number for number, leaf in enumerate(leaves) if leaf.node == node)
        weights = self.solution.arriving_ranges(node)[:, HAND_BY_COMBO]
        return self.flops.open(given, number, self._flop_trees, weights, leaves[number].pot_bb)

    @cached_property
    def _flop_trees(self) -> tuple[PostflopTree, ...]:
        assert self.flops is not None
        return self.flops.trees(self.tree)


def open_run(path: Path | str) -> RunView:
    """Opens the solution of a run's directory, or of the bundle itself."""
    directory = Path(path)
    bundle = find_bundle(directory, SOLUTION_FOLDER)
    kept = bundle.parent / FLOPS_FOLDER
    flops_path = kept if bundle != directory and has_bundle(kept) else None
    opened = load_bundle(bundle, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)
    view = RunView(read_solution(opened), Provenance.of(opened.manifest), flops_path)
    view.config_text = opened.config_text or ""
    return view


def _join(before: Node, given: GivenFlop, node: Node) -> Node:
    """Returns a node after a flop as one of the whole hand."""
    root = join_path(before.path, format_cards(given.cards))

    def below(path: str) -> str:
        return join_path(root, path)

    dealt = TrailStep(before.path, _FLOP_LABEL, None, (), (), format_cards(given.cards))
    names = before.players[::-1]  # the big blind is out of position
    called = dict(zip(POSITION_NAMES, names, strict=True))
    trail = tuple(
        replace(step, path=below(step.path), label=called.get(step.label, step.label))
        for step in node.trail
    )
    blinds = before.invested[0]  # equal: the flop is seen when both have put in the same
    oop, ip = (blinds + amount for amount in node.invested)
    return replace(
        node,
        path=below(node.path),
        label=called.get(node.label, node.label),
        players=(names[0], names[1]),
        invested=(oop, ip),
        reach=None if node.reach is None else (before.reach or 0.0) * node.reach,
        trail=(*before.trail, dealt, *trail),
    )


# Anything that was saved, by its path.


def open(path: str | Path) -> Solution:
    """Opens what was saved, without a solver: a spot, a preflop run, a report or values of flops.

    >>> import runout, tempfile
    >>> spot = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}
    >>> folder = tempfile.mkdtemp() + "/river"
    >>> runout.solve_spot(**spot, max_iterations=20).save(folder)
    >>> runout.open(folder).node("x").players
    ('OOP', 'IP')

    Args:
        path: the directory that a command or `save` wrote.
    """
    kind, bundle = find_result(Path(path))
    if kind == SPOT_KIND:
        return load_spot(bundle)
    if kind in (PREFLOP_KIND, FLOPS_KIND):
        return open_run(bundle.parent if bundle.name in (SOLUTION_FOLDER, FLOPS_FOLDER) else bundle)
    if kind == VALUES_KIND:
        return ValueBundle.load(bundle)
    if kind == REPORT_KIND:
        return load_report(bundle)
    held = kind.replace("_", " ")
    raise BundleError(str(path), f"holds a {held}, expected a spot, preflop run, report or values")


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
