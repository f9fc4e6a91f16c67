"""Flops of a joint game with every combo on flop and turn, and rivers as bucket games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runout.arrays import AnyArray, Float32Array
from runout.cards.flops import Flop
from runout.cfr.parallel import Team
from runout.holdem.compact_cards import CompactCards
from runout.holdem.compact_game import ONE_GROUP, CompactGame
from runout.holdem.compact_memory import (
    compact_sizes,
    estimate_compact_memory,
    river_map_bytes,
)
from runout.holdem.compact_workspace import Workspace
from runout.holdem.rake import NO_RAKE
from runout.holdem.river_games import RiverBuckets, choose_buckets
from runout.holdem.spot import Spot
from runout.holdem.street_kernels import Step
from runout.holdem.street_template import make_templates
from runout.holdem.tables import LearnedTables, MemoryNeed, Precision
from runout.postflop.compact.compact import SECONDS_PER_CELL
from runout.preflop.joint.subgames import (
    Engine,
    EngineNeeds,
    Subgame,
    count_alike,
    count_cells,
)
from runout.ranges.hand_range import HandRange
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree


@dataclass(frozen=True)
class CompactEngine:
    """Flop and turn by combo, rivers by buckets of strength.

    Attributes:
        num_buckets: of each river.
        blockers: whether buckets tell blockers apart: ``on``, ``off``, or ``auto``, which is on at
            leaves with deep stacks.
        precision: bits of a stored number.
    """

    num_buckets: int
    blockers: str = "off"
    precision: Precision = Precision.SINGLE

    @property
    def seconds_per_cell(self) -> float:
        """Time of an iteration on one core, for each probability that its tables hold."""
        return SECONDS_PER_CELL

    @property
    def savings(self) -> Mapping[str, Engine]:
        """Engines that need less memory, by what to write in a config."""
        if self.precision == Precision.HALF:
            return {}
        return {"compact_precision: 16": replace(self, precision=Precision.HALF)}

    @property
    def advice(self) -> str:
        """What else would, in words."""
        return "fewer river_buckets"

    def make_games(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[CompactGame]]:
        """Returns for each flop one game for each tree; they share the flop's bucket games."""
        everyone = (HandRange.full(), HandRange.full())
        games = []
        for flop in flops:
            cards = {
                buckets: CompactCards.plan(flop, everyone, buckets, team=team)
                for buckets in self._distinct_buckets(trees)
            }
            games.append(
                [
                    CompactGame(
                        Spot(flop, everyone, tree), cards[self._buckets(tree)], self.precision
                    )
                    for tree in trees
                ]
            )
        return games

    def play(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[Subgame]]:
        """Returns for each flop one subgame for each tree.

        All of them share one working space for each worker.
        """
        games = self.make_games(flops, trees, team)
        shapes = [game.workspace_shapes() for of_flop in games for game in of_flop]
        spaces = [Workspace(shapes) for _ in range(team.num_workers)] if shapes else []
        return [[CompactSubgame(game, spaces) for game in of_flop] for of_flop in games]

    def estimate(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
    ) -> EngineNeeds:
        """Returns what the subgames of some flops take together, before they are made.

        The trees of a flop share cards, and all of them the working space of the workers.
        """
        templates = [make_templates(tree, NO_RAKE, ONE_GROUP) for tree in trees]
        cells, tables, of_cards, largest_space = np.zeros(len(Street), np.int64), 0, 0, 0
        maps = 0
        for cards, number in count_alike(flops):
            card_bytes: dict[RiverBuckets, int] = {}
            for tree, streets in zip(trees, templates, strict=True):
                buckets = self._buckets(tree)
                need = estimate_compact_memory(streets, cards, buckets, 1, self.precision)
                tables += number * need.tables
                card_bytes[buckets] = number * need.cards
                largest_space = max(largest_space, need.working_space)
                cells += number * count_cells(streets, compact_sizes(cards, buckets))
            of_cards += sum(card_bytes.values())
            maps += number * sum(river_map_bytes(cards, buckets) for buckets in card_bytes)
        memory = MemoryNeed(tables, num_workers * largest_space, of_cards)
        return EngineNeeds(memory, cells, maps)

    def _buckets(self, tree: PostflopTree) -> RiverBuckets:
        return choose_buckets(self.num_buckets, self.blockers, tree.stakes.spr)

    def _distinct_buckets(self, trees: Sequence[PostflopTree]) -> list[RiverBuckets]:
        return list(dict.fromkeys(self._buckets(tree) for tree in trees))


class CompactSubgame:
    """A flop leaf on one flop whose rivers are bucket games."""

    def __init__(self, game: CompactGame, spaces: Sequence[Workspace]) -> None:
        """Allocates the tables; both players begin with all actions equally likely.

        Args:
            game: the cards and the betting.
            spaces: one for each worker, shared with other subgames.
        """
        self.game = game
        self._spaces = spaces
        game.workspace = spaces[0]  # for looks from outside, one at a time
        self.tables = LearnedTables.allocate(game.templates, game.table_sizes(), game.precision)
        hands = game.cards.players[0]
        self.combos, self.width = hands.combos, hands.width
        self.is_zero_sum = False  # hands of a bucket do not meet quite the same hands
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach, self._spaces[worker])

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name."""
        return dict(self.tables.named_arrays())
