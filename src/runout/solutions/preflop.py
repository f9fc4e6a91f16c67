"""A solved preflop game: strategies, expected values, its bundle, and what its nodes say."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray, divide
from runout.cards import deck
from runout.cards.flops import GivenFlop
from runout.errors import CardError, TreeError, quote
from runout.solutions import values
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import JointFlops
from runout.solutions.node import (
    ExploitabilityMeaning,
    ExploitabilityUnit,
    HandSpace,
    Node,
    NodeKind,
    Quality,
    Solution,
    TrailStep,
    Unit,
    actions_of,
    known_mean,
)
from runout.solutions.sheet import json_number
from runout.storage.bundle import (
    MANIFEST_FILE,
    Manifest,
    has_bundle,
    load_bundle,
    reading_contents,
    require_number,
)
from runout.storage.writer import write_bundle
from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, SB, PreflopRules
from runout.trees.layout import LEAF, NO_NODE, NUM_PLAYERS, own_reach
from runout.trees.paths import join_path, read_path
from runout.trees.sizes import format_sizes_by_depth
from runout.trees.tree import (
    FLOP,
    NOT_A_LEAF,
    POSITION_NAMES,
    SHOWDOWN,
    PreflopTree,
    postflop_position,
)

# The folders of the bundles in the directory of a run, or of a report over flops.

SOLUTION_FOLDER = "preflop"
VALUES_FOLDER = "values"
FLOPS_FOLDER = "flops"
CHECKPOINT_FOLDER = "checkpoints"

LEDGER_FOLDER = "ledger"
REPORT_FOLDER = "report"
LINES_FOLDER = "lines"
SPOTS_FOLDER = "spots"


def find_bundle(path: Path, folder: str) -> Path:
    """Returns the folder's bundle in a run's directory, or the path itself."""
    inside = path / folder
    is_run = (inside / MANIFEST_FILE).exists() and not (path / MANIFEST_FILE).exists()
    return inside if is_run else path


#: In the folder of checkpoints, where an unfinished joint solve stands.
JOINT_FOLDER = "joint"

# A solved preflop game: strategies, expected values, and where its numbers come from.

MBB_PER_BB = 1000.0

#: Flops that stay open.
_KEPT_FLOPS = 8

_KINDS = {NOT_A_LEAF: NodeKind.DECISION, SHOWDOWN: NodeKind.SHOWDOWN, FLOP: NodeKind.FLOP}

_matchups = cache(deck.matchup_weights)


@dataclass(frozen=True)
class FlopLeafSource:
    """Where the values of one flop leaf came from."""

    source: values.ValueSource
    detail: str


@dataclass(frozen=True)
class PreflopReport:
    """How a preflop solve went.

    Attributes:
        exploitability_mbb: mean gain of a best response, in thousandths of a big blind per hand.
        seconds: time taken by the preflop solve alone.
        flop_leaves: where the values of each flop leaf came from, by path.
        curve_mbb: exploitability whenever it was measured, by iteration.
        real_exploitability_mbb: the same gain against a player who tells all combos apart on all
            boards after the flop; None as long as ``lab exploit`` has not measured it.
    """

    iterations: int
    exploitability_mbb: float
    seconds: float
    flop_leaves: Mapping[str, FlopLeafSource]
    curve_mbb: tuple[tuple[int, float], ...] = ()
    real_exploitability_mbb: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PreflopSolution(Solution):
    """Average strategies of a preflop tree, what they are worth, and any node of them.

    Flops that were solved jointly can be opened as well, as ``r2:c:Td9d6h:x:b50:c:8h``.

    Attributes:
        tree: the betting.
        strategy: ``[N, 169]`` probability of the action that leads to a node, by the hand of the
            player who takes it; row 0 is unused.
        ev_bb: ``[2, N, 169]`` what each player's hand wins on average once a node is reached,
            blinds included, in big blinds; NaN where the opponent never comes.
        report: how the solve went.
        manifest: of its bundle; None as long as it is not saved.
        flops_path: the bundle of the flops, if any were kept.
    """

    kind = "preflop"

    tree: PreflopTree
    strategy: FloatArray
    ev_bb: FloatArray
    report: PreflopReport
    config_text: str = ""
    manifest: Manifest | None = None
    flops_path: Path | None = None
    title: str = field(init=False)
    quality: Quality = field(init=False)

    def __post_init__(self) -> None:
        stacks, report = map(format_amount, self.tree.rules.stacks_bb), self.report
        # Flops are played in the solver's own game, or their values are given.
        has_flops = bool(report.flop_leaves)
        quality = Quality(
            report.exploitability_mbb,
            ExploitabilityMeaning.OWN_GAME if has_flops else ExploitabilityMeaning.REAL_GAME,
            report.iterations,
            report.seconds,
            ExploitabilityUnit.MBB,
            report.real_exploitability_mbb,
            report.curve_mbb,
            self.manifest,
        )
        self.__dict__.update(title=f"{' and '.join(sorted(set(stacks)))} bb", quality=quality)

    @cached_property
    def flops(self) -> JointFlops | None:
        """What was kept of the flops, None if nothing was."""
        return None if self.flops_path is None else JointFlops.load(self.flops_path)

    def game_value_bb(self, player: int) -> float:
        """Returns what a player wins per hand, in big blinds."""
        return known_mean(self.ev_bb[player, 0], self.deals(0, player))

    def summary_to_json(self) -> dict[str, Any]:
        """Returns the value of the game and how the solve went, under JSON names."""
        facts, value = asdict(self.report), json_number(self.game_value_bb(SB))
        return {"game_value_bb": value, "preflop_seconds": facts.pop("seconds"), **facts}

    def reach(self, player: int) -> FloatArray:
        """Returns ``[N, 169]`` the probability that a player's hand plays towards each node."""
        return self._reach[player]

    @cached_property
    def _reach(self) -> list[FloatArray]:
        return [own_reach(self.tree.layout, self.strategy, player) for player in (SB, BB)]

    def arriving_ranges(self, node: int) -> FloatArray:
        """Returns ``[2, 169]`` how much of each hand OOP and IP bring to a node, at most 1."""
        return np.stack([self.reach(player)[node] for player in map(postflop_position, (0, 1))])

    def deals(self, node: int, player: int) -> FloatArray:
        """Returns ``[169]`` how many deals bring a player to a node with each hand."""
        met = (_matchups() * self.reach(1 - player)[node]).sum(axis=1)
        deals: FloatArray = self.reach(player)[node] * met
        return deals

    def share_of_deals(self, node: int) -> float:
        """Returns how often a node is reached, of all deals."""
        return float(self.deals(node, SB).sum() / _matchups().sum())

    def actor(self, node: int) -> int:
        """Returns who acts at a decision."""
        return int(self.tree.layout.actor[node])

    def decisions(self) -> list[int]:
        """Returns all decisions, in the order of the nodes."""
        return np.flatnonzero(self.tree.layout.actor != LEAF).tolist()

    def standard_nodes(self) -> list[int]:
        """Returns the first decision, and the big blind's answers to a limp and to each raise."""
        parent = self.tree.layout.parent
        return [node for node in self.decisions() if node == 0 or parent[node] == 0]

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        if (place := self._find_flop(path)) is not None:
            before, flop, spot, below = place
            return _join(before, flop, spot.node(below))
        found = self.node_at(self.tree.find_node(path))
        if found.kind is NodeKind.FLOP and self.flops is not None:
            return replace(found, flops=self.flops.flops.names)
        return found

    def node_at(self, node: int) -> Node:
        """Returns what is known about a node of the tree, by its number."""
        tree, layout = self.tree, self.tree.layout
        children = layout.children(node)
        invested = tree.invested[node]
        actor = self.actor(node) if layout.actor[node] != LEAF else None
        weights = np.stack([self.reach(player)[node] for player in (SB, BB)])
        pairs = _matchups() * weights[::-1, None]  # of each hand with each that the opponent brings
        met = pairs.sum(axis=2)
        rows, whose = slice(children.start, children.stop), actor or 0  # no rows without an actor
        left = (tree.rules.effective_stack_bb - invested).tolist()
        return Node(
            path=tree.path(node),
            label=self.label(node),
            kind=_KINDS.get(int(tree.leaf_kind[node]), NodeKind.FOLD),
            street=None,
            board=(),
            unit=Unit.BIG_BLINDS,
            pot=tree.pot(node),
            stacks=(left[SB], left[BB]),
            invested=(float(invested[SB]), float(invested[BB])),
            players=BLIND_NAMES,
            actor=actor,
            actions=actions_of(tree, children),
            next_cards=(),
            hand_space=HandSpace.HANDS,
            is_held=np.ones((2, deck.NUM_HANDS), dtype=bool),
            weights=weights,
            met_weights=met / HandSpace.HANDS.num_combos,
            strategy=self.strategy[rows],
            ev=self.ev_bb[:, node] + invested[:, None],
            action_ev=self.ev_bb[whose, rows] + invested[whose],
            equity=divide((pairs * values.raw_equity()).sum(axis=2), met),
            reach=self.share_of_deals(node),
            trail=tuple(self._step(parent, child) for parent, child in self._way_to(node)),
        )

    def label(self, node: int) -> str:
        """Returns who decides after what, or how the betting ended.

        Such as ``SB first in``, ``BB versus limp``, ``SB raise to 2.5, BB call``.
        """
        way = [
            f"{BLIND_NAMES[self.actor(parent)]} {self.tree.action_label(child)}"
            for parent, child in self._way_to(node)
        ]
        if self.tree.layout.actor[node] == LEAF:
            return ", ".join(way)
        name = BLIND_NAMES[self.actor(node)]
        if len(way) == 1:
            return f"{name} versus {self.tree.action_label(node)}"
        return f"{name} after {', '.join(way)}" if way else f"{name} first in"

    def _way_to(self, node: int) -> list[tuple[int, int]]:
        """Returns the decisions on the way to a node, each with the node that follows."""
        way: list[tuple[int, int]] = []
        while (parent := int(self.tree.layout.parent[node])) != NO_NODE:
            way.append((parent, node))
            node = parent
        return way[::-1]

    def _step(self, node: int, child: int) -> TrailStep:
        """Returns a decision on the way to a node."""
        tree, children = self.tree, self.tree.layout.children(node)
        deals = self.deals(node, self.actor(node))
        return TrailStep(
            path=tree.path(node),
            label=self.label(node),
            actor=self.actor(node),
            actions=actions_of(tree, children),
            frequencies=tuple(known_mean(self.strategy[other], deals) for other in children),
            taken=tree.action_code(child),
        )

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that share their tables."""
        if (place := self._find_flop(path)) is None:
            return ()
        *_, spot, below = place
        return spot.cards_alike(below)

    def _find_flop(self, path: str) -> tuple[Node, str, StoredSpot, str] | None:
        """Returns where a flop is dealt, the flop, its spot and the path there; None before it."""
        given, node = read_path(path), 0
        for number, step in enumerate(given.steps):
            if self.tree.leaf_kind[node] == FLOP:
                before, where = self.node_at(node), f"path {quote(path)}"
                if self.flops is None:
                    problem = f"no flops were kept after {before.path}"
                    raise TreeError(where, f"{problem}, solve the spot of a flop instead")
                try:
                    flop = GivenFlop.parse(step)
                except CardError as error:
                    problem = f"{quote(step)} is no flop such as Td9d6h ({error})"
                    raise CardError(where, problem) from None
                below = join_path(*given.steps[number + 1 :])
                return before, flop.name, self._opened(node, flop), below
            node = given.follow(self.tree, node, number)
        return None

    @cached_property
    def _opened(self) -> Callable[[int, GivenFlop], StoredSpot]:
        """Opens a flop at a flop leaf, by its node; several threads may ask."""
        assert self.flops is not None
        flops, leaves, trees = self.flops, self.tree.flop_leaves(), self.flops.trees(self.tree)
        number_of = {leaf.node: number for number, leaf in enumerate(leaves)}

        @lru_cache(_KEPT_FLOPS)
        def open_flop(node: int, given: GivenFlop) -> StoredSpot:
            weights = self.arriving_ranges(node)[:, deck.HAND_BY_COMBO]
            number = number_of[node]
            return flops.open(given, number, trees, weights, leaves[number].pot_bb)

        return open_flop


def _join(before: Node, flop: str, node: Node) -> Node:
    """Returns a node after a flop as one of the whole hand."""
    root = join_path(before.path, flop)
    names = before.players[::-1]  # the big blind is out of position
    called = dict(zip(POSITION_NAMES, names, strict=True))
    dealt = TrailStep(before.path, "flop", None, (), (), flop)
    trail = tuple(
        replace(step, path=join_path(root, step.path), label=called.get(step.label, step.label))
        for step in node.trail
    )
    blinds = before.invested[0]  # equal: the flop is seen when both have put in the same
    oop, ip = (blinds + amount for amount in node.invested)
    return replace(
        node,
        path=join_path(root, node.path),
        label=called.get(node.label, node.label),
        players=(names[0], names[1]),
        invested=(oop, ip),
        reach=None if node.reach is None else (before.reach or 0.0) * node.reach,
        trail=(*before.trail, dealt, *trail),
    )


# Saving and opening preflop solutions; opening needs no solver and no kernel.

PREFLOP_KIND = "preflop_solution"
PREFLOP_SCHEMA_VERSION = 1


def save_solution(
    path: Path | str,
    solution: PreflopSolution,
    config_text: str,
    config_digest: str,
    *,
    overwrite: bool = False,
) -> None:
    """Writes a solution as a bundle, all of it or nothing."""
    arrays = {"strategy": solution.strategy, "ev_bb": solution.ev_bb}
    rules = solution.tree.rules
    sb, bb = (format_sizes_by_depth(rules.sizes_of(player)) for player in (SB, BB))
    known = {"stacks_bb": list(rules.stacks_bb), "raise_sizes": {"sb": sb, "bb": bb}}
    write_bundle(
        path,
        kind=PREFLOP_KIND,
        schema_version=PREFLOP_SCHEMA_VERSION,
        arrays=arrays,
        documents={"rules": asdict(rules) | known, "report": asdict(solution.report)},
        config_text=config_text,
        config_digest=config_digest,
        measured=["report"],
        overwrite=overwrite,
    )


def note_real_exploitability(path: Path | str, mbb: float) -> None:
    """Adds to a saved solution what it loses in the real game, and changes nothing else."""
    solution = load_solution(path)
    noted = replace(solution, report=replace(solution.report, real_exploitability_mbb=mbb))
    digest = solution.manifest.config_digest if solution.manifest else None
    save_solution(path, noted, solution.config_text, digest or "", overwrite=True)


def load_solution(path: Path | str) -> PreflopSolution:
    """Opens the solution of a run's directory, with its flops, or of the bundle alone."""
    place = find_bundle(Path(path), SOLUTION_FOLDER)
    kept = place.parent / FLOPS_FOLDER
    bundle = load_bundle(place, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)

    def read(name: str, *shape: int, may_be_nan: bool = False) -> Any:
        where, types = str(bundle.path), [np.float64]
        return values.require_array(where, bundle.arrays, name, types, shape, may_be_nan=may_be_nan)

    with reading_contents(bundle.path):
        rules = bundle.documents["rules"]
        known = rules | {"stacks_bb": tuple(rules["stacks_bb"])}
        tree = PreflopTree.build(PreflopRules.parse(**known))
        report = _report_from_mapping(bundle.documents["report"])
        size = (tree.num_nodes, deck.NUM_HANDS)
        return PreflopSolution(
            tree=tree,
            strategy=read("strategy", *size),
            ev_bb=read("ev_bb", NUM_PLAYERS, *size, may_be_nan=True),
            report=report,
            config_text=bundle.config_text or "",
            manifest=bundle.manifest,
            flops_path=kept if place != Path(path) and has_bundle(kept) else None,
        )


def _report_from_mapping(facts: dict[str, Any]) -> PreflopReport:
    leaves = {  # older ones have dashes in their paths
        join_path(*read_path(path).steps): FlopLeafSource(
            values.ValueSource(leaf["source"]), leaf["detail"]
        )
        for path, leaf in facts["flop_leaves"].items()
    }
    curve = tuple(
        (int(require_number(iteration)), require_number(mbb))
        for iteration, mbb in facts["curve_mbb"]
    )
    known: dict[str, Any] = {"flop_leaves": leaves, "curve_mbb": curve}
    facts.pop("ranges_rounds", None)  # of older ones
    for name, value in facts.items():
        if name not in known and value is not None:
            known[name] = (
                int(require_number(value)) if name == "iterations" else require_number(value)
            )
    return PreflopReport(**known)
