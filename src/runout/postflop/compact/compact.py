"""The compact backend: every combo on flop and turn, buckets of strength on rivers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from runout.cache import Arrays
from runout.cfr.discounting import DCFR6, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_cards import CompactCards
from runout.holdem.compact_game import ONE_GROUP, CompactGame
from runout.holdem.compact_memory import compact_sizes, estimate_compact_memory
from runout.holdem.rake import NO_RAKE
from runout.holdem.river_games import RiverBuckets, choose_buckets
from runout.holdem.spot import Spot
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_template import StreetTemplate, make_templates
from runout.holdem.tables import Precision, StreetSize
from runout.postflop.backend import FlopNeeds, FlopSolution, ProgressSink
from runout.postflop.card_solve import held_bytes, solve_with_cards
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_strategy import KEPT_BYTES
from runout.postflop.needs import limit_seconds
from runout.postflop.pair_values import RunoutSample
from runout.postflop.table_strategy import TableStrategy
from runout.postflop.warm_up import ONCE, solving_a_small_flop
from runout.ranges.hand_range import HandRange
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree

#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

#: Iterations between two measurements of exploitability, each of which takes as long as two.
CHECK_EVERY = 20

#: Time of an iteration on one core, for each number of a table on the turn or in a bucket game.
SECONDS_PER_CELL = 5e-9
_SECONDS_TO_TAKE_VALUES = 2.0


@dataclass(frozen=True)
class CompactBackend:
    """Solves a flop with all combos on flop and turn, and bucket games on rivers.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, in the game whose rivers
            are bucket games.
        schedule: the CFR variant.
        num_buckets: of each river.
        blockers: whether buckets tell blockers apart: ``on``, ``off``, or ``auto``.
        precision: bits of a stored number.
        sample: boards from which values are taken.
    """

    rule: StoppingRule
    schedule: DiscountSchedule = DCFR6
    num_buckets: int = 48
    blockers: str = "auto"
    precision: Precision = Precision.SINGLE
    sample: RunoutSample = DEFAULT_SAMPLE

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.OWN_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""

        def make_solver() -> SpotSolver:
            spot = Spot(game.flop, game.hand_ranges(), tree)
            return SpotSolver(spot, self.schedule, team, self.precision, self._buckets(tree))

        return solve_with_cards(
            make_solver, self.rule, self.sample, self.meaning, on_progress, team
        )

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take."""
        everyone = HandRange.full()
        cards = CardsToCome.plan(flop, (everyone, everyone))
        templates = make_templates(tree, NO_RAKE, ONE_GROUP)
        buckets = self._buckets(tree)
        memory = {}
        for precision in Precision:
            need = estimate_compact_memory(templates, cards, buckets, num_workers, precision)
            memory[precision] = held_bytes(need, templates, cards)
        streets = list(zip(templates, compact_sizes(cards, buckets), strict=True))
        cells = sum(_count_cells(*pair) for pair in streets[Street.TURN :])
        is_smallest = self.precision == Precision.HALF
        return FlopNeeds(
            limit_seconds(self.rule, SECONDS_PER_CELL * cells) + _SECONDS_TO_TAKE_VALUES,
            memory[self.precision],
            kept_bytes=KEPT_BYTES * sum(_count_cells(*pair) for pair in streets),
            savings={} if is_smallest else {"compact_precision: 16": memory[Precision.HALF]},
            advice="give fewer sizes or raises, or fewer river_buckets",
        )

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> TableStrategy:
        """Returns the strategies that were kept; the bucket games are made again."""
        everyone = (HandRange.full(), HandRange.full())
        cards = CompactCards.plan(flop, everyone, self._buckets(tree))
        game = CompactGame(Spot(flop, everyone, tree), cards, self.precision)
        return TableStrategy.from_arrays(kept, game)

    def _buckets(self, tree: PostflopTree) -> RiverBuckets:
        stakes = tree.stakes
        return choose_buckets(self.num_buckets, self.blockers, stakes.stack / stakes.pot)

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns solves of a small flop with tables of each precision."""
        return [
            solving_a_small_flop(cls(ONCE, num_buckets=16, precision=precision))
            for precision in Precision
        ]


def _count_cells(template: StreetTemplate, size: StreetSize) -> int:
    """Returns how many probabilities the tables of a street hold."""
    return size.num_boards * sum(
        actions * width for actions, width in zip(template.num_actions, size.widths, strict=True)
    )
