"""The exact backend: every combo on every turn and river card, no abstraction at all."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from runout.arrays import Float32Array, IntArray
from runout.cards.combos import NUM_COMBOS, permute_combos
from runout.cfr.discounting import DCFR4, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE
from runout.holdem.spot import Spot
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.street_template import StreetTemplate, make_templates
from runout.holdem.tables import LearnedTables, Precision, count_boards, estimate_memory
from runout.postflop.backend import FlopNeeds, FlopSolution, ProgressSink, report_outcome
from runout.postflop.flop_game import FlopGame
from runout.postflop.needs import limit_seconds
from runout.postflop.pair_values import TAKING_VALUES_BYTES, RunoutSample, extract_pair_values
from runout.ranges.hand_range import HandRange
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.postflop_tree import PostflopTree

#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

_SECONDS_PER_NODE = 4e-6  # of an iteration, on one river board
_SECONDS_TO_TAKE_VALUES = 5.0

_NUM_RUNOUTS = 1_176  # at most, without the order of turn and river


@dataclass(frozen=True, eq=False)
class ExactStrategy:
    """Average strategies of a solved spot, combo by combo and board by board.

    Attributes:
        tables: what was learned.
        cards: the hands and boards of the tables.
    """

    tables: LearnedTables
    cards: CardsToCome
    _board_number: list[dict[tuple[int, ...], int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers: list[dict[tuple[int, ...], int]] = [{(): 0}]
        numbers += [{dealt: i for i, dealt in enumerate(street)} for street in self.cards.runouts]
        object.__setattr__(self, "_board_number", numbers)

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo.

        A board that was not solved because it differs by suits only is looked up under the names
        of the one that was.
        """
        numbers = self._board_number[len(dealt)]
        mapping = next(m for m in self.cards.symmetries if m.map_cards(dealt) in numbers)
        board = numbers[mapping.map_cards(dealt)]
        hands = self.cards.players[player].positions()[permute_combos(mapping.new_suits)[combos]]
        learning = self.tables.on_board(template.street, board)[player]
        sums = learning.strategy_sum.astype(np.float32)[:, hands]
        return _normalized(template, player, sums)


def _normalized(template: StreetTemplate, player: int, sums: Float32Array) -> Float32Array:
    """Divides sums ``[A, C]`` by their total over the actions of each decision."""
    forest = template.forests[player]
    first = forest.first_action[forest.kind == HERO_ACTS]
    counts = forest.num_children[forest.kind == HERO_ACTS]
    if len(first) == 0:
        return sums
    totals = np.repeat(np.add.reduceat(sums, first, axis=0), counts, axis=0)
    equal = np.repeat(1.0 / counts, counts).astype(np.float32)[:, None]
    shares: Float32Array = np.where(totals > 0.0, sums / np.where(totals > 0.0, totals, 1.0), equal)
    return shares


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
    schedule: DiscountSchedule = DCFR4
    precision: Precision = Precision.SINGLE
    sample: RunoutSample = DEFAULT_SAMPLE

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.REAL_GAME
    cells_per_node: ClassVar[int] = _NUM_RUNOUTS * NUM_COMBOS

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        spot = Spot(game.flop, game.hand_ranges(), tree)
        solver = SpotSolver(spot, self.schedule, team, self.precision)
        outcome = solver.solve(self.rule, on_progress)
        strategy = ExactStrategy(solver.tables, solver.game.cards)
        values = extract_pair_values(solver.game, strategy, self.sample)
        return FlopSolution(strategy, values.by_hand(), report_outcome(outcome, self.meaning))

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take; suits that the flop does not tell apart count once."""
        everyone = HandRange.full()
        cards = CardsToCome.plan(flop, (everyone, everyone))
        templates = make_templates(tree, NO_RAKE)
        memory = {}
        for precision in Precision:
            need = estimate_memory(templates, cards, num_workers, precision)
            memory[precision] = need.total + need.working_space + TAKING_VALUES_BYTES
        per_iteration = _SECONDS_PER_NODE * tree.num_nodes * count_boards(cards)[-1]
        is_smallest = self.precision == Precision.HALF
        return FlopNeeds(
            limit_seconds(self.rule, per_iteration) + _SECONDS_TO_TAKE_VALUES,
            memory[self.precision],
            {} if is_smallest else {"exact_precision: 16": memory[Precision.HALF]},
            "give fewer sizes or raises, or solve_type: bucketed",
        )

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns nothing: its kernels are those of spots and of other backends' values."""
        return []
