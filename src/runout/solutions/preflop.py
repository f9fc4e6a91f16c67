"""A solved preflop game: strategies, expected values, its bundle, and what its nodes say."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray, divide
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, matchup_weights
from runout.cards.ranges import Range
from runout.equity.preflop import preflop_table
from runout.errors import TreeError, quote
from runout.solutions.node import (
    ExploitabilityUnit,
    HandSpace,
    Node,
    NodeKind,
    Provenance,
    Quality,
    TrailStep,
    Unit,
    actions_of,
    known_mean,
)
from runout.solutions.solution import Solution
from runout.solutions.values import ExploitabilityMeaning, ValueSource, require_array
from runout.storage.bundle import MANIFEST_FILE, Bundle, load_bundle, reading_contents
from runout.storage.writer import write_bundle
from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, SB, PreflopRules
from runout.trees.layout import LEAF, NO_NODE, NUM_PLAYERS, own_reach
from runout.trees.paths import join_path, read_path
from runout.trees.sizes import format_sizes_by_depth
from runout.trees.tree import FLOP, NOT_A_LEAF, SHOWDOWN, PreflopTree, postflop_position

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

_matchups = cache(matchup_weights)


@dataclass(frozen=True)
class FlopLeafSource:
    """Where the values of one flop leaf came from."""

    source: ValueSource
    detail: str


@dataclass(frozen=True)
class RangesRound:
    """One re-solve of the flops with the ranges that arrive there.

    Attributes:
        number: 1 for the first round after the solve against all hands.
        change: mean absolute change of preflop action probabilities since the round before,
            weighted by how often hands arrive at the decisions.
        exploitability_mbb: of the preflop strategies of this round, in thousandths of a big blind.
        flop_exploitability_pot: the largest of any flop solve, as a fraction of the pot.
        flop_exploitability_meaning: in which game that is, and whether it is a bound.
    """

    number: int
    change: float
    exploitability_mbb: float
    flop_exploitability_pot: float
    flop_exploitability_meaning: ExploitabilityMeaning


@dataclass(frozen=True)
class PreflopReport:
    """How a preflop solve went.

    Attributes:
        iterations: iterations done.
        exploitability_mbb: mean gain of a best response, in thousandths of a big blind per hand.
        seconds: time taken by the preflop solve alone.
        flop_leaves: where the values of each flop leaf came from, by path.
        curve_mbb: exploitability whenever it was measured, by iteration.
        ranges_rounds: the re-solves with arriving ranges, if there were any.
        real_exploitability_mbb: the same gain against a player who tells all combos apart on all
            boards after the flop; None as long as ``lab exploit`` has not measured it.
    """

    iterations: int
    exploitability_mbb: float
    seconds: float
    flop_leaves: Mapping[str, FlopLeafSource]
    curve_mbb: tuple[tuple[int, float], ...] = ()
    ranges_rounds: tuple[RangesRound, ...] = ()
    real_exploitability_mbb: float | None = None


@dataclass(frozen=True, eq=False)
class PreflopSolution:
    """Average strategies of a preflop tree and what they are worth.

    Attributes:
        tree: the betting.
        strategy: ``[N, 169]`` probability of the action that leads to a node, by the hand of the
            player who takes it; row 0 is unused.
        ev_bb: ``[2, N, 169]`` what each player's hand wins on average once a node is reached,
            blinds included, in big blinds; NaN where the opponent never comes.
        report: how the solve went.
        earlier_strategies: the strategies before the last of the report's rounds, first those on
            top of flops solved for all hands; none without rounds.
    """

    tree: PreflopTree
    strategy: FloatArray
    ev_bb: FloatArray
    report: PreflopReport
    earlier_strategies: tuple[FloatArray, ...] = ()

    def game_value_bb(self, player: int) -> float:
        """Returns what a player wins per hand, in big blinds."""
        deals = _matchups().sum(axis=1)
        return float((deals * self.ev_bb[player, 0]).sum() / deals.sum())

    def summary_to_json(self) -> dict[str, Any]:
        """Returns the value of the game and how the solve went, under JSON names."""
        report = self.report
        return {
            "game_value_bb": self.game_value_bb(SB),
            "exploitability_mbb": report.exploitability_mbb,
            "real_exploitability_mbb": report.real_exploitability_mbb,
            "iterations": report.iterations,
            "preflop_seconds": report.seconds,
            "flop_leaves": {path: asdict(leaf) for path, leaf in report.flop_leaves.items()},
            "ranges_rounds": [asdict(done) for done in report.ranges_rounds],
            "curve_mbb": [list(point) for point in report.curve_mbb],
        }

    @property
    def num_rounds(self) -> int:
        """Rounds in which flops were solved again with the ranges that arrive."""
        return len(self.earlier_strategies)

    def of_round(self, number: int) -> "PreflopSolution":
        """Returns the strategies of a round, from 0 to `num_rounds`; earlier EVs are not known."""
        if number == self.num_rounds:
            return self
        unknown = np.full_like(self.ev_bb, np.nan)
        return replace(self, strategy=self.earlier_strategies[number], ev_bb=unknown)

    def reach(self, player: int) -> FloatArray:
        """Returns ``[N, 169]`` the probability that a player's hand plays towards each node."""
        return self._reach[player]

    @cached_property
    def _reach(self) -> tuple[FloatArray, FloatArray]:
        sb, bb = (own_reach(self.tree.layout, self.strategy, player) for player in (SB, BB))
        return sb, bb

    def arriving_ranges(self, node: int) -> FloatArray:
        """Returns ``[2, 169]`` how much of each hand OOP and IP bring to a node, at most 1."""
        return np.stack([self.reach(player)[node] for player in map(postflop_position, (0, 1))])

    def deals(self, node: int, player: int) -> FloatArray:
        """Returns ``[169]`` how many deals bring a player to a node with each hand."""
        met = (_matchups() * self.reach(1 - player)[node]).sum(axis=1)
        deals: FloatArray = self.reach(player)[node] * met
        return deals

    def range_at(self, node: int, player: int) -> Range:
        """Returns what a player, `SB` or `BB`, brings to a node, each combo by its reach."""
        return Range(self.reach(player)[node].clip(0.0, 1.0)[HAND_BY_COMBO])

    def change_from(self, earlier: "PreflopSolution") -> float:
        """Returns the mean absolute change of action probabilities since an earlier solution.

        A decision counts as often as hands arrive at it, in this solution.
        """
        layout, total, weight = self.tree.layout, 0.0, 0.0
        for node in np.flatnonzero(layout.num_children > 0).tolist():
            arriving = self.deals(node, int(layout.actor[node]))
            children = layout.children(node)
            rows = slice(children.start, children.stop)
            moved = np.abs(self.strategy[rows] - earlier.strategy[rows]).sum(axis=0) / 2.0
            total += float((arriving * moved).sum())
            weight += float(arriving.sum())
        return total / weight if weight > 0.0 else 0.0

    def action_frequency(self, node: int) -> float:
        """Returns how often the action that leads to a node is taken when it can be.

        Both players' hands count as often as they arrive there, with card removal; NaN if they
        never do.
        """
        parent = int(self.tree.layout.parent[node])
        return known_mean(
            self.strategy[node], self.deals(parent, int(self.tree.layout.actor[parent]))
        )


# Saving and opening preflop solutions; opening needs no solver and no kernel.


PREFLOP_KIND = "preflop_solution"
PREFLOP_SCHEMA_VERSION = 1

_EARLIER = "earlier_strategies"


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
    if solution.earlier_strategies:
        arrays[_EARLIER] = np.stack(solution.earlier_strategies)
    write_bundle(
        path,
        kind=PREFLOP_KIND,
        schema_version=PREFLOP_SCHEMA_VERSION,
        arrays=arrays,
        documents={
            "rules": _rules_to_mapping(solution.tree.rules),
            "report": asdict(solution.report),
        },
        config_text=config_text,
        config_digest=config_digest,
        measured=["report"],
        overwrite=overwrite,
    )


def note_real_exploitability(path: Path | str, mbb: float) -> None:
    """Adds to a saved solution what it loses in the real game, and changes nothing else."""
    bundle = load_bundle(path, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)
    solution = read_solution(bundle)
    noted = replace(solution, report=replace(solution.report, real_exploitability_mbb=mbb))
    digest = bundle.manifest.config_digest or ""
    save_solution(path, noted, bundle.config_text or "", digest, overwrite=True)


def load_solution(path: Path | str) -> PreflopSolution:
    """Opens a saved solution."""
    return read_solution(load_bundle(path, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION))


def read_solution(bundle: Bundle) -> PreflopSolution:
    """Returns the solution of a bundle."""
    where = str(bundle.path)

    def read(name: str, shape: tuple[int, ...], *, may_be_nan: bool = False) -> Any:
        dtypes = [np.float64]
        return require_array(where, bundle.arrays, name, dtypes, shape, may_be_nan=may_be_nan)

    with reading_contents(where):
        tree = PreflopTree.build(_rules_from_mapping(bundle.documents["rules"]))
        size = (tree.num_nodes, NUM_HANDS)
        report = _report_from_mapping(bundle.documents["report"])
        earlier: tuple[FloatArray, ...] = ()
        if _EARLIER in bundle.arrays:
            of_rounds = (len(report.ranges_rounds), *size)
            earlier = tuple(read(_EARLIER, of_rounds))
        return PreflopSolution(
            tree=tree,
            strategy=read("strategy", size),
            ev_bb=read("ev_bb", (NUM_PLAYERS, *size), may_be_nan=True),
            report=report,
            earlier_strategies=earlier,
        )


def _rules_to_mapping(rules: PreflopRules) -> dict[str, Any]:
    sb, bb = map(format_sizes_by_depth, rules.raise_sizes)
    known = {"stacks_bb": list(rules.stacks_bb), "raise_sizes": {"sb": sb, "bb": bb}}
    return {field.name: getattr(rules, field.name) for field in fields(rules)} | known


def _rules_from_mapping(facts: dict[str, Any]) -> PreflopRules:
    return PreflopRules.parse(**facts | {"stacks_bb": tuple(facts["stacks_bb"])})


def _report_from_mapping(facts: dict[str, Any]) -> PreflopReport:
    meaning = "flop_exploitability_meaning"
    return PreflopReport(
        **facts
        | {
            "flop_leaves": {
                join_path(*read_path(path).steps): FlopLeafSource(
                    ValueSource(leaf["source"]), leaf["detail"]
                )
                for path, leaf in facts["flop_leaves"].items()  # older ones have dashes in them
            },
            "curve_mbb": tuple((int(iteration), mbb) for iteration, mbb in facts["curve_mbb"]),
            "ranges_rounds": tuple(
                RangesRound(**of_round | {meaning: ExploitabilityMeaning(of_round[meaning])})
                for of_round in facts["ranges_rounds"]
            ),
        }
    )


# A way to look at a preflop solution: what is said about its nodes.


_KINDS = {NOT_A_LEAF: NodeKind.DECISION, SHOWDOWN: NodeKind.SHOWDOWN, FLOP: NodeKind.FLOP}


class PreflopView(Solution):
    """A preflop solution and what it says about single nodes."""

    kind = "preflop"

    def __init__(self, solution: PreflopSolution, provenance: Provenance | None = None) -> None:
        """Looks at nothing yet; what is not saved has no provenance."""
        self.solution = solution
        self.tree = solution.tree
        self.config_text = ""
        report = solution.report
        # Flops are played in the solver's own game, or their values are given.
        has_flops = bool(report.flop_leaves)
        meaning = ExploitabilityMeaning.OWN_GAME if has_flops else ExploitabilityMeaning.REAL_GAME
        self.quality: Quality = Quality(
            report.exploitability_mbb,
            meaning,
            report.iterations,
            report.seconds,
            ExploitabilityUnit.MBB,
            report.real_exploitability_mbb,
            report.curve_mbb,
            provenance,
        )
        stacks = {format_amount(stack) for stack in self.tree.rules.stacks_bb}
        self.title = f"{' and '.join(sorted(stacks))} bb"

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        return self.node_at(self.tree.find_node(path))

    def node_at(self, node: int) -> Node:
        """Returns what is known about a node of the tree, by its number."""
        tree, layout = self.tree, self.tree.layout
        children = layout.children(node)
        invested = tree.invested[node]
        actor = self.actor(node) if layout.actor[node] != LEAF else None
        weights = np.stack([self.solution.reach(player)[node] for player in (SB, BB)])
        met_weights, equity = self._met_by(weights)
        rows, whose = slice(children.start, children.stop), actor or 0  # no rows without an actor
        left = (tree.rules.effective_stack_bb - invested).tolist()
        return Node(
            path=tree.path(node),
            label=self.describe_path(node) if actor is None else self.describe_decision(node),
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
            is_held=np.ones((2, NUM_HANDS), dtype=bool),
            weights=weights,
            met_weights=met_weights,
            strategy=self.solution.strategy[rows],
            ev=self.solution.ev_bb[:, node] + invested[:, None],
            action_ev=self.solution.ev_bb[whose, rows] + invested[whose],
            equity=equity,
            reach=self.share_of_deals(node),
            trail=self._trail(node),
        )

    def actor(self, node: int) -> int:
        """Returns who acts at a decision."""
        return int(self.tree.layout.actor[node])

    def find_decision(self, path: str) -> int:
        """Returns the decision that a path leads to; that the betting is over there is an error."""
        node = self.tree.find_node(path)
        if self.tree.layout.actor[node] == LEAF:
            problem = f"the betting is over after {self.describe_path(node)}"
            raise TreeError(f"path {quote(path)}", problem)
        return node

    def decisions(self) -> list[int]:
        """Returns all decisions, in the order of the nodes."""
        return [int(node) for node in np.flatnonzero(self.tree.layout.actor != LEAF)]

    def standard_nodes(self) -> list[int]:
        """Returns the first decision, and the big blind's answers to a limp and to each raise."""
        if self.tree.layout.actor[0] == LEAF:
            return []
        answers = self.tree.layout.children(0)
        return [0, *(node for node in answers if self.tree.layout.actor[node] != LEAF)]

    def share_of_deals(self, node: int) -> float:
        """Returns how often a node is reached, of all deals."""
        return float(self.solution.deals(node, SB).sum() / _matchups().sum())

    def describe_path(self, node: int) -> str:
        """Writes the actions that lead to a node: ``SB raise to 2.5, BB call``."""
        labels = [
            f"{BLIND_NAMES[self.actor(parent)]} {self.tree.action_label(child)}"
            for parent, child in self._way_to(node)
        ]
        return ", ".join(labels)

    def describe_decision(self, node: int) -> str:
        """Writes who decides after what: ``SB first in``, ``BB versus limp``."""
        name = BLIND_NAMES[self.actor(node)]
        parent = int(self.tree.layout.parent[node])
        if parent == NO_NODE:
            return f"{name} first in"
        if parent == 0:
            return f"{name} versus {self.tree.action_label(node)}"
        return f"{name} after {self.describe_path(node)}"

    def _way_to(self, node: int) -> list[tuple[int, int]]:
        """Returns the decisions on the way to a node, each with the node that follows."""
        way: list[tuple[int, int]] = []
        while (parent := int(self.tree.layout.parent[node])) != NO_NODE:
            way.append((parent, node))
            node = parent
        return way[::-1]

    def _trail(self, node: int) -> tuple[TrailStep, ...]:
        steps = []
        for parent, child in self._way_to(node):
            actor, children = self.actor(parent), self.tree.layout.children(parent)
            played = self.solution.strategy[children.start : children.stop]
            deals = self.solution.deals(parent, actor)
            frequencies = tuple(known_mean(row, deals) for row in played)
            path, taken = self.tree.path(parent), self.tree.action_code(child)
            label = self.describe_decision(parent)
            actions = actions_of(self.tree, children)
            steps.append(TrailStep(path, label, actor, actions, frequencies, taken))
        return tuple(steps)

    def _met_by(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 169]`` the combos of the opponent that a combo meets, and its equity."""
        met, equity = np.zeros_like(weights), np.zeros_like(weights)
        for player in (SB, BB):
            pairs = _matchups() * weights[1 - player]
            met[player] = pairs.sum(axis=1) / HandSpace.HANDS.num_combos
            equity[player] = divide((pairs * self._equities).sum(axis=1), pairs.sum(axis=1))
        return met, equity

    @cached_property
    def _equities(self) -> FloatArray:
        return preflop_table().equities()
