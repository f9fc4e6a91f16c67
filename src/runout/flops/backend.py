"""What a postflop backend takes and gives, and what solving flops needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from runout.arrays import (
    AnyArray,
    Arrays,
    Float32Array,
    FloatArray,
    IntArray,
    Uint16Array,
    read_only,
)
from runout.cards.deck import FLOP_SIZE, HAND_BY_COMBO, NUM_HANDS, format_cards, parse_board
from runout.cards.ranges import Range
from runout.cfr.leaves import LeafGroup, MatrixLeaves
from runout.cfr.schedules import SolveOutcome, SolveProgress, StoppingRule
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.equity.board import hand_equity
from runout.equity.matchups import HandEquityTable
from runout.errors import CardError, ExecutionError
from runout.events import BucketEvent, FlopPlace
from runout.execution.pool import available_memory_bytes, format_bytes
from runout.holdem.forest import StreetTemplate
from runout.solutions.values import ExploitabilityMeaning, FlopReport
from runout.trees.betting import BettingRules
from runout.trees.tree import SHOWDOWN, PostflopTree

# What players do on a flop, whatever their strategies look at.

#: Of a probability that is kept, and what it is kept as if it is 1.
KEPT_BYTES = 2
_ONE = 65_535


class FlopStrategy(Protocol):
    """The strategies of both players on a flop, its turns and its rivers."""

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo.

        The template is a street of the solved tree, A are the player's actions there; dealt are the
        cards after the flop, and ``combos[C]`` those that the board leaves possible.
        """

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes, for the backend's `read_strategy`."""


def pack_probabilities(probabilities: Float32Array) -> Uint16Array:
    """Returns probabilities in 16 bits, off by at most 1 in 131,070."""
    packed: Uint16Array = np.rint(probabilities * np.float32(_ONE)).astype(np.uint16)
    return packed


def unpack_probabilities(packed: AnyArray) -> Float32Array:
    """Returns what `pack_probabilities` packed."""
    return packed.astype(np.float32) / np.float32(_ONE)


@dataclass(frozen=True, eq=False)
class HandStrategy:
    """Strategies of the 169 hands, which do not look at suits or at turn and river cards.

    The table ``[N, 169]`` has the probability of the action that leads to each node of the tree.
    """

    table: Float32Array

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        rows: Float32Array = self.table[template.action_node[player]][:, HAND_BY_COMBO[combos]]
        return rows

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes."""
        return {"by_hand": pack_probabilities(self.table)}


# One flop as a game between the 169 hands.

#: Ranges of OOP and IP with all hands.
EVERYONE = (Range("random"), Range("random"))

#: Weight of a hand that is not in a range, relative to one that is.
SMALLEST_RANGE_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class FlopGame:
    """What is dealt on a flop and who wins; the same for all stacks and bet sizes.

    Attributes:
        table: exact counts of every hand against every hand.
        matchup_share: ``[169, 169]`` probability that OOP is dealt the row and IP the column.
        edge: ``[169, 169]`` twice the row's equity minus one, 0 where the hands cannot meet.
        held: ``[2, 169]`` how much of each hand OOP and IP hold, more than 0.
    """

    flop: tuple[int, ...]
    table: HandEquityTable
    matchup_share: FloatArray
    edge: FloatArray
    held: FloatArray

    @classmethod
    def deal(cls, flop: Sequence[int], ranges: FloatArray | None = None) -> "FlopGame":
        """Computes the tables of a flop (tens of milliseconds).

        The ranges are ``[2, 169]`` how much of each hand OOP and IP hold, by default all of them. A
        hand that is not held counts with `SMALLEST_RANGE_WEIGHT`, so that it still learns what to
        do but hardly counts for the opponent.
        """
        if len(flop) != FLOP_SIZE:
            raise CardError(f"flop {format_cards(flop)!r}", f"{len(flop)} cards, a flop has 3")
        table = hand_equity(flop)
        given = np.ones((2, NUM_HANDS)) if ranges is None else ranges
        held = np.maximum(given, SMALLEST_RANGE_WEIGHT)
        deals = table.totals * (held[0][:, None] * held[1])
        edge = np.nan_to_num(2.0 * table.equities() - 1.0)
        return cls(tuple(flop), table, *map(read_only, (deals / deals.sum(), edge, held)))

    def hand_ranges(self) -> tuple[Range, Range]:
        """Returns what OOP and IP hold, combo by combo."""
        oop, ip = (Range(held[HAND_BY_COMBO]) for held in self.held)
        return oop, ip


# The leaves of a postflop tree between the 169 hands: one product for folds, one for showdowns.

#: The group of showdowns, whose payoff is what sampling backends replace.
SHOWDOWN_GROUP = 0


def make_hand_leaves(
    tree: PostflopTree, game: FlopGame, dtype: npt.DTypeLike, team: Team
) -> MatrixLeaves:
    """Returns the leaves of a tree in pots whose strategies do not look at turn and river cards."""
    showdowns, folds = np.flatnonzero(tree.leaf_kind == SHOWDOWN), np.flatnonzero(tree.is_fold)
    groups = [
        LeafGroup(game.matchup_share * game.edge, showdowns, tree.leaf_stake[showdowns]),
        LeafGroup(game.matchup_share, folds, tree.fold_gain[folds]),
    ]
    return MatrixLeaves(tree.layout, groups, dtype, team)


# What a postflop backend takes and gives.

#: Told about every iteration, and about buckets where a backend makes them.
ProgressSink = Callable[[SolveProgress | BucketEvent], None]


def in_round(on_progress: ProgressSink, number: int, total: int) -> ProgressSink:
    """Returns a sink that tells which round everything is about."""

    def report(progress: SolveProgress | BucketEvent) -> None:
        if isinstance(progress, SolveProgress):
            on_progress(replace(progress, round=number, total_rounds=total))
        else:
            on_progress(replace(progress, place=FlopPlace(round=number, total_rounds=total)))

    return report


@dataclass(frozen=True, eq=False)
class FlopSolution:
    """Strategies of a flop at one stack-to-pot ratio, and what they are worth.

    Attributes:
        value_pot: ``[2, 169, 169]`` what a hand gets back against a hand, as a fraction of the
            flop pot, by the hero's position; NaN where they cannot meet.
        make_records: what else is worth keeping, computed when it is kept.
    """

    strategy: FlopStrategy
    value_pot: Float32Array
    report: FlopReport
    make_records: Callable[[], Arrays] = dict

    def to_arrays(self) -> Arrays:
        """Returns what is kept of the flop besides its values."""
        return {**self.strategy.to_arrays(), **self.make_records()}


# What work takes is told before it begins, in the same words to commands, Python and the lab. Times
# are those of one core of a desktop of 2024 if every solve needs all its iterations; most end
# sooner. They are meant to tell a minute from an hour. Memory is counted from shapes where it is
# large, and measured where it does not depend on the tree.


@dataclass(frozen=True)
class Cost:
    """What some work takes, before anything is allocated; ``+`` does one after the other.

    Attributes:
        seconds: time at most, if nothing else keeps the cores busy.
        memory_bytes: at most at one time.
        disk_bytes: of the result.
        shared_bytes: of the result, what it has in common with others of the same flop.
        checkpoint_bytes: of the disk besides, until the result is written.
        savings: what would need less memory, with how much where that is known.
    """

    seconds: float = 0.0
    memory_bytes: int = 0
    disk_bytes: int = 0
    shared_bytes: int = 0
    checkpoint_bytes: int = 0
    savings: Mapping[str, int | None] = field(default_factory=dict)

    def __add__(self, other: "Cost") -> "Cost":
        larger = self if self.memory_bytes >= other.memory_bytes else other
        shared = min(self.shared_bytes, other.shared_bytes)
        return Cost(
            self.seconds + other.seconds,
            larger.memory_bytes,
            self.disk_bytes + other.disk_bytes - shared,
            max(self.shared_bytes, other.shared_bytes),
            self.checkpoint_bytes + other.checkpoint_bytes,
            larger.savings,
        )

    def with_memory(self, of_size: Callable[[int], int]) -> "Cost":
        """Returns the cost with other sizes of memory, those of savings included."""
        savings = {
            change: None if size is None else of_size(size) for change, size in self.savings.items()
        }
        return replace(self, memory_bytes=of_size(self.memory_bytes), savings=savings)

    @property
    def advice(self) -> str:
        """What would need less memory, with numbers where they are known."""
        return "; ".join(
            change if size is None else f"{change} needs {format_bytes(size)}"
            for change, size in self.savings.items()
        )

    def require_memory(self, work: str, place: str = "") -> None:
        """Refuses work that does not fit with an `ExecutionError` that names what needs less.

        A place goes on after the number of bytes.
        """
        available = available_memory_bytes()
        if self.memory_bytes > available:
            needed = f"{work} needs {format_bytes(self.memory_bytes)}{place}"
            problem = f"{needed}, {format_bytes(available)} is available"
            raise ExecutionError("memory", "; ".join(filter(None, (problem, self.advice))))


#: What needs less memory whatever the backend.
FEWER_SIZES: Mapping[str, int | None] = {"give fewer sizes or raises": None}


class PostflopBackend(Protocol):
    """A way to solve a flop."""

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """What the exploitability of its reports is measured against."""

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree in pots, telling every iteration.

        The result does not depend on the number of threads of the team. A solve that is too small
        for all of them takes `Team.for_solve`.
        """

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take with so many threads, before anything is allocated."""

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> FlopStrategy:
        """Returns the strategies that `FlopSolution.to_arrays` kept."""

    @classmethod
    def for_warm_up(cls) -> Sequence["PostflopBackend"]:
        """Returns backends whose solves of a small flop call every kernel as real work does."""


def report_outcome(
    outcome: SolveOutcome, meaning: ExploitabilityMeaning, num_deals: int = 0
) -> FlopReport:
    """Returns the report of a solve whose values are in pots."""
    reached = outcome.exploitability, outcome.strategy_delta
    return FlopReport(outcome.iterations, *reached, outcome.seconds, num_deals, meaning)


def join_rounds(outcomes: Sequence[SolveOutcome]) -> SolveOutcome:
    """Returns the outcome of a solve in rounds: the work of all, and how good the last one is."""
    iterations = sum(outcome.iterations for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    return replace(outcomes[-1], iterations=iterations, seconds=seconds)


def limit_seconds(rule: StoppingRule, seconds_per_iteration: float) -> float:
    """Returns how long a solve takes at most if it needs all iterations."""
    seconds = rule.max_iterations * seconds_per_iteration
    return seconds if rule.max_seconds is None else min(seconds, rule.max_seconds)


#: One iteration, and exploitability looked at, for the solves that compile kernels.
ONCE = StoppingRule(1, exploitability=1e-9, check_every=1)


def solve_small_flop(backend: PostflopBackend) -> FlopSolution:
    """Solves a flop with one bet on each street."""
    tree = PostflopTree.build(BettingRules.of([1.0], 0), 1.0)
    return backend.solve(FlopGame.deal(parse_board("AhKsQd")), tree, ignore_progress, Team())
