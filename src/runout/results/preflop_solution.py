"""A solved preflop game: strategies, expected values, and where its numbers come from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_BY_COMBO, matchup_weights
from runout.cfr.reach import NUM_PLAYERS, own_reach
from runout.ranges.hand_range import HandRange
from runout.results.solve_report import ExploitabilityMeaning
from runout.results.value_book import ValueSource
from runout.trees.preflop_tree import PreflopTree, postflop_position

MBB_PER_BB = 1000.0


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
        deals = matchup_weights().sum(axis=1)
        return float((deals * self.ev_bb[player, 0]).sum() / deals.sum())

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
        return own_reach(self.tree.layout, self.strategy, player)

    def arriving_ranges(self, node: int) -> FloatArray:
        """Returns ``[2, 169]`` how much of each hand OOP and IP bring to a node, at most 1."""
        ranges = np.empty((NUM_PLAYERS, self.strategy.shape[1]))
        for player in range(NUM_PLAYERS):
            ranges[postflop_position(player)] = self.reach(player)[node]
        return ranges

    def range_at(self, node: int, player: int) -> HandRange:
        """Returns what a player, `SB` or `BB`, brings to a node, wherever it is.

        A combo's weight is how likely its player acts towards the node with it.
        """
        return HandRange(self.reach(player)[node].clip(0.0, 1.0)[HAND_BY_COMBO])

    def change_from(self, earlier: "PreflopSolution") -> float:
        """Returns the mean absolute change of action probabilities since an earlier solution.

        A decision counts as often as hands arrive at it, in this solution.
        """
        layout, weights = self.tree.layout, matchup_weights().astype(np.float64)
        reach = [self.reach(player) for player in range(NUM_PLAYERS)]
        total, weight = 0.0, 0.0
        for node in np.flatnonzero(layout.num_children > 0):
            actor = int(layout.actor[node])
            arriving = reach[actor][node] * (weights * reach[1 - actor][node]).sum(axis=1)
            children = layout.children(int(node))
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
        actor = int(self.tree.layout.actor[parent])
        mine, other = self.reach(actor)[parent], self.reach(1 - actor)[parent]
        arriving = mine * (matchup_weights() * other).sum(axis=1)
        total = float(arriving.sum())
        return float((arriving * self.strategy[node]).sum()) / total if total > 0.0 else np.nan
