"""A flop whose strategies were kept, to be looked at like a spot; nothing is solved again."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, FloatArray, IntArray
from runout.cache import Arrays
from runout.cards.deck import HAND_BY_COMBO, permute_combos
from runout.cards.flops import CanonicalBoard, GivenFlop, SuitMapping
from runout.cards.ranges import HandRange
from runout.cfr.team import Team
from runout.flops.backend import FlopStrategy
from runout.flops.solve import PostflopAbstraction
from runout.holdem.cards import Spot
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import BothFixed, FixedTables, SpotGame
from runout.solutions.node import ExploitabilityUnit, Quality
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS


@dataclass(frozen=True, eq=False)
class RenamedStrategy:
    """Strategies of a canonical flop, asked in the suits in which the flop was given.

    Attributes:
        strategy: on the canonical flop.
        mapping: leads from the given suits to the canonical ones.
    """

    strategy: FlopStrategy
    mapping: SuitMapping

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        renamed = permute_combos(self.mapping.new_suits)[combos]
        return self.strategy.rows(template, player, self.mapping.map_cards(dealt), renamed)

    def to_arrays(self) -> Arrays:
        """Returns the strategies of the canonical flop."""
        return self.strategy.to_arrays()


class KeptFlop:
    """What was kept of a flop, for a `SpotView`; amounts are in flop pots.

    Values are those of the strategies with real cards, whatever the backend looked at.
    """

    num_lock_changes = 0

    def __init__(
        self,
        solved: PostflopAbstraction,
        given: GivenFlop,
        spr_index: int = 0,
        team: Team | None = None,
    ) -> None:
        """Opens a flop.

        Args:
            solved: with strategies that were kept.
            given: one of its flops, in any suits; paths and hands are in these.
            spr_index: the place of the stack-to-pot ratio in the config.
            team: threads to share the evaluation.

        Raises:
            BundleError: if strategies were not kept.
            ValueError: if the flop was not solved.
        """
        index = solved.flops.flops.index(given.canonical)
        mapping = CanonicalBoard.from_cards(given.cards).mapping
        strategy = RenamedStrategy(solved.strategy(index, spr_index), mapping)
        values = solved.values[spr_index]
        ranges = _hand_ranges(values.ranges)
        self.game = SpotGame(Spot(given.cards, ranges, solved.trees[spr_index]), team)
        oop, ip = (
            FixedTables(self.game.templates, self.game.cards, player, strategy.rows)
            for player in range(NUM_PLAYERS)
        )
        self.tables = BothFixed(oop, ip)
        report = values.reports[index]
        self.iteration = report.iterations
        self.quality = Quality(
            exploitability=report.exploitability_pot,
            unit=ExploitabilityUnit.POT,
            meaning=report.meaning,
            real_exploitability=None,
            iterations=report.iterations,
            seconds=report.seconds,
        )
        self.root_reach = [self.game.cards.root_reach(player) for player in range(NUM_PLAYERS)]

    def average_strategy(self, street: Street, board: int, player: int, rows: range) -> FloatArray:
        """Returns ``[A, n]`` what a player's hands do at a decision."""
        played = self.tables.on_board(street, board)[player].strategy_sum
        found: FloatArray = played[rows.start : rows.stop].astype(np.float64)
        return found


def _hand_ranges(ranges: FloatArray | None) -> tuple[HandRange, HandRange]:
    if ranges is None:
        return HandRange.full(), HandRange.full()
    oop, ip = (HandRange(weights[HAND_BY_COMBO]) for weights in ranges)
    return oop, ip
