"""The exact backend: every combo on every turn and river card, no abstraction at all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from runout.cache import Arrays
from runout.cfr.discounting import DCFR_SPOT, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.holdem.all_ins import played_templates
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.tables import Precision, count_boards, estimate_memory
from runout.postflop.backend import FlopNeeds, FlopSolution, ProgressSink
from runout.postflop.card_solve import held_bytes, solve_with_cards
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_strategy import KEPT_BYTES
from runout.postflop.needs import limit_seconds
from runout.postflop.pair_values import RunoutSample
from runout.postflop.table_strategy import TableStrategy
from runout.ranges.hand_range import HandRange
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.postflop_tree import PostflopTree

#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

_SECONDS_PER_NODE = 4e-6  # of an iteration, on one river board
_SECONDS_TO_TAKE_VALUES = 5.0

_BYTES_OF_A_CELL = 8  # regret and sum, in single precision


@dataclass(frozen=True)
class ExactBackend:
    """Solves a flop without abstraction.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, in the real game.
        schedule: the CFR variant.
        precision: bits of a stored number.
        sample: boards from which values are taken.
    """

    rule: StoppingRule
    schedule: DiscountSchedule = DCFR_SPOT
    precision: Precision = Precision.SINGLE
    sample: RunoutSample = DEFAULT_SAMPLE

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.REAL_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""

        def make_solver() -> SpotSolver:
            spot = Spot(game.flop, game.hand_ranges(), tree)
            return SpotSolver(spot, self.schedule, team, self.precision)

        return solve_with_cards(
            make_solver, self.rule, self.sample, self.meaning, on_progress, team
        )

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take; suits that the flop does not tell apart count once."""
        everyone = HandRange.full()
        cards = CardsToCome.plan(flop, (everyone, everyone))
        templates = played_templates(tree, NO_RAKE, cards)
        memory, tables = {}, {}
        for precision in Precision:
            need = estimate_memory(templates, cards, num_workers, precision)
            tables[precision] = need.tables
            memory[precision] = held_bytes(need, templates, cards)
        per_iteration = _SECONDS_PER_NODE * tree.num_nodes * count_boards(cards)[-1]
        is_smallest = self.precision == Precision.HALF
        return FlopNeeds(
            limit_seconds(self.rule, per_iteration) + _SECONDS_TO_TAKE_VALUES,
            memory[self.precision],
            kept_bytes=KEPT_BYTES * tables[Precision.SINGLE] // _BYTES_OF_A_CELL,
            savings={} if is_smallest else {"exact_precision: 16": memory[Precision.HALF]},
            advice="give fewer sizes or raises, or solve_type: bucketed",
        )

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> TableStrategy:
        """Returns the strategies that were kept."""
        everyone = HandRange.full()
        return TableStrategy.from_arrays(kept, SpotGame(Spot(flop, (everyone, everyone), tree)))

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns nothing: its kernels are those of spots and of other backends' values."""
        return []
