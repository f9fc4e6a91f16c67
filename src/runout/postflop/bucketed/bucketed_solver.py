"""CFR in buckets on one flop: public cards are sampled, hands are real.

Every iteration deals a few turn cards and a few rivers after each, lets every hand meet every hand
on them, and adds what hands have learned to their buckets (Johanson et al., "Efficient Nash
Equilibrium Approximation through Monte Carlo CFR", 2012: public chance sampling).

How far a solve has settled is told by its average strategies: `strategy_delta` is how much they
moved in the last iteration, actions added up, decisions weighted by how often they are reached.
What is *played* under sampled cards never settles.
"""

import math
from collections.abc import Callable

import numpy as np

from runout.abstraction.bucket_map import FlopBuckets
from runout.arrays import FloatArray
from runout.cfr.discounting import LINEAR, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.cfr.solver import ignore_progress, iterate_until
from runout.cfr.stopping import SolveOutcome, SolveProgress, StoppingRule
from runout.execution.cancel import CancelToken
from runout.holdem.spot_game import SpotGame
from runout.postflop.bucketed.bucket_strategy import BucketStrategy
from runout.postflop.bucketed.bucket_tables import BucketTables
from runout.postflop.bucketed.sampled_visit import SampledCards, SampledVisits
from runout.products import multiply

#: Turn cards of an iteration, and river cards after each; chosen by measurement (docs/bucketed.md).
NUM_TURNS, NUM_RIVERS = 4, 1


class BucketedSolver:
    """What both players have learned in buckets on one flop."""

    def __init__(
        self,
        game: SpotGame,
        buckets: FlopBuckets,
        schedule: DiscountSchedule = LINEAR,
        seed: int = 0,
        team: Team | None = None,
        sampled: tuple[int, int] = (NUM_TURNS, NUM_RIVERS),
    ) -> None:
        """Begins with all actions equally likely.

        Args:
            game: the flop, its cards not merged by suits.
            buckets: of its hands.
            schedule: the CFR variant.
            seed: of the cards that are dealt.
            team: threads to share the work.
            sampled: turn cards of an iteration, and river cards after each.
        """
        self.game = game
        self.buckets = buckets
        self.schedule = schedule
        self.iteration = 0
        self.strategy_delta = math.inf
        self._seed = seed
        self._sampled = sampled
        self._visits = SampledVisits(game, buckets, *sampled, team)
        self.tables = [
            [
                BucketTables.of_street(template, player, number)
                for template, number in zip(game.templates, buckets.num_buckets, strict=True)
            ]
            for player in range(NUM_PLAYERS)
        ]

    def begin_with(self, other: "BucketedSolver") -> None:
        """Takes what another solver of the same flop has learned; its turns and rivers must fit.

        A flop bucket begins with the mean regret of its hands' buckets there. Averages begin anew.
        """
        for player in range(NUM_PLAYERS):
            flop, *later = self.tables[player]
            old_flop, *old_later = other.tables[player]
            flop.regret[:] = multiply(old_flop.regret, _shares(other.buckets, self.buckets))
            for street, old in zip(later, old_later, strict=True):
                street.regret[:] = old.regret
            for street in self.tables[player]:
                street.refresh()

    def run(self, num_iterations: int) -> None:
        """Runs more iterations, each updating both players."""
        for _ in range(num_iterations):
            self._iterate()

    def solve(
        self,
        rule: StoppingRule,
        on_progress: Callable[[SolveProgress], None] = ignore_progress,
        cancel: CancelToken | None = None,
    ) -> SolveOutcome:
        """Iterates until a limit of the rule is met; exploitability is in flop pots.

        Raises:
            CancelledError: after an iteration, if the token was set.
        """
        return iterate_until(self, rule, on_progress, cancel or CancelToken())

    def worst_exploitability(self) -> float:
        """Returns an upper bound of what a best response in the same buckets gains.

        It is the mean of positive regrets, over both players, and known without another visit; it
        is a bound where players remember their earlier buckets.
        """
        total = self._total_weight()
        regret = 0.0
        for tables in self.tables:
            for street in tables:
                regret += float(
                    np.maximum.reduceat(
                        np.maximum(street.regret, 0.0), street.first_action, axis=0
                    ).sum()
                )
        return regret / total / NUM_PLAYERS

    def strategy(self) -> BucketStrategy:
        """Returns the average strategies."""
        oop, ip = ([street.average for street in tables] for tables in self.tables)
        played = tuple(
            (a.astype(np.float32), b.astype(np.float32)) for a, b in zip(oop, ip, strict=True)
        )
        return BucketStrategy(self.buckets, played)

    def _iterate(self) -> None:
        weights = self.schedule.weights(self.iteration)
        self._visits.deal(self._sample())
        for player in range(NUM_PLAYERS):
            self._visits.play(player, self._played(player))
        moved, arrived = 0.0, 0.0
        for player in range(NUM_PLAYERS):
            regrets, reached = self._visits.visit(player)
            for street, gained in zip(self.tables[player], regrets, strict=True):
                street.add_regrets(weights, gained)
            for street, reach in zip(self.tables[1 - player], reached, strict=True):
                change, weight = street.add_strategy(weights, reach)
                moved, arrived = moved + change, arrived + weight
            if player == 0:
                self._visits.play(player, self._played(player))
        self.strategy_delta = moved / arrived
        self.iteration += 1

    def _played(self, player: int) -> list[FloatArray]:
        return [street.strategy for street in self.tables[player]]

    def _total_weight(self) -> float:
        """Returns the sum of the weights with which iterations are in the tables."""
        total = 0.0
        for iteration in range(self.iteration):
            total = total * self.schedule.weights(iteration).positive_regret + 1.0
        return max(total, 1.0)

    def _sample(self) -> list[SampledCards]:
        """Deals the cards of an iteration, from a stream of its own."""
        random = np.random.default_rng([self._seed, *self.buckets.flop, self.iteration])
        num_turns, num_rivers = self._sampled
        first_next = self.game.cards.deals[0].first_next
        turns = random.choice(len(first_next) - 1, num_turns, replace=False)
        dealt = []
        for turn in turns.tolist():
            after = np.arange(first_next[turn], first_next[turn + 1])
            rivers = random.choice(after, num_rivers, replace=False)
            dealt.append(SampledCards(turn, tuple(rivers.tolist())))
        return dealt


def _shares(old: FlopBuckets, new: FlopBuckets) -> FloatArray:
    """Returns ``[old, new]`` the share of each new flop bucket's hands by their old bucket."""
    is_live = new.by_flop >= 0
    counts = np.zeros((old.num_buckets[0], new.num_buckets[0]))
    np.add.at(counts, (old.by_flop[is_live], new.by_flop[is_live]), 1.0)
    shares: FloatArray = counts / counts.sum(axis=0)
    return shares
