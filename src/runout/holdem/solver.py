"""CFR of a spot with real cards: iterate, judge, stop."""

import math

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
from runout.cfr.cfr_kernels import EVALUATING, RESPONDING, Step
from runout.cfr.schedules import DCFR_SPOT, Schedule
from runout.cfr.solver import IterativeSolver
from runout.cfr.team import Team
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from runout.holdem.rivers import EXACT_RIVERS, CardTables, Rivers
from runout.holdem.tables import LearnedTables, Precision
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS


class SpotSolver(IterativeSolver):
    """The learned tables of a spot and the iterations that fill them; exploitability in chips."""

    def __init__(
        self,
        spot: Spot,
        schedule: Schedule = DCFR_SPOT,
        team: Team | None = None,
        precision: Precision = Precision.SINGLE,
        rivers: Rivers = EXACT_RIVERS,
        card_tables: CardTables | None = None,
    ) -> None:
        """Allocates the tables; both players begin with all actions equally likely.

        The tables of cards are made if they are not given.

        Raises:
            RangeError: if the board leaves nothing of a range.
            ConfigError: if hands are to be grouped on the rivers of a spot that is no flop.
        """
        self.game = CardGame(spot, rivers, precision, team, card_tables)
        self.schedule = schedule
        self.has_short_iterations = self.game.first_street == Street.RIVER
        self.strategy_delta = math.nan  # strategies are never stored, so not compared either
        self.num_lock_changes = 0  # views look at it to know when to look again
        self.tables = LearnedTables.allocate(
            self.game.templates, self.game.table_sizes(), precision
        )
        #: ``[O]`` the opponent's range as each player meets it.
        self.root_reach = [self.game.cards.root_reach(player) for player in range(NUM_PLAYERS)]

    def run(self, num_iterations: int) -> None:
        """Runs more iterations, each updating both players."""
        numbers = range(self.iteration, self.iteration + num_iterations)
        weights = np.array([self.schedule.weights(number) for number in numbers], np.float32)
        self.game.iterate(weights, self.tables, self.root_reach)
        self.iteration += num_iterations

    def exploitability(self) -> float:
        """Returns the mean gain of a best response over what the average strategies win, in chips.

        Where the two players' winnings sum to zero they need not be evaluated.
        """
        gain = sum(self.value_of(player, RESPONDING) for player in range(NUM_PLAYERS))
        is_raked = self.game.spot.rake.taken_from(self.game.spot.tree.stakes.pot) > 0.0
        # Hands of a bucket are worth their bucket's mean, from either side, which is not one sum.
        if is_raked or not self.game.rivers.is_exact:
            gain -= sum(self.value_of(player, EVALUATING) for player in range(NUM_PLAYERS))
        return gain / NUM_PLAYERS

    def expected_value(self, player: int) -> float:
        """Returns what a player gets back from the pot at the average strategies, in chips."""
        return self.value_of(player, EVALUATING) + self.game.spot.tree.stakes.pot / 2.0

    def value_of(self, player: int, step: Step) -> float:
        """Returns what a player wins beyond its half of the pot, in chips."""
        hands = self.game.cards.players[player]
        visited = self.game.visit(player, step, self.tables, self.root_reach[player])
        values = visited[: len(hands.combos)]
        weighted: FloatArray = hands.weights * values.astype(np.float64)
        return float(weighted.sum())


def average_rows(learning: Learning, rows: range) -> FloatArray:
    """Returns ``[A, columns]`` the average strategy at a decision, on one board."""
    sums = decode_rows(learning.strategy_sum, learning.sum_scale, rows)
    if learning.lock.size:  # a hand that never comes here has no sums, but may be locked
        fixed = learning.regret[rows.start : rows.stop].astype(np.float64)
        sums = np.where(learning.lock[rows.start] > 0, fixed, sums)
    total = sums.sum(axis=0)
    is_known = total > np.finfo(np.float32).tiny
    return np.where(is_known, sums / np.where(is_known, total, 1.0), 1.0 / len(rows))


def decode_rows(table: AnyArray, scale: Float32Array, rows: range) -> FloatArray:
    """Returns ``[rows, H]`` rows of one decision's table as numbers, whatever its precision."""
    numbers: FloatArray = table[rows.start : rows.stop].astype(np.float64)
    return numbers * float(scale[rows.start]) if scale.size else numbers
