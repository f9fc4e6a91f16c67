"""Flops of a joint game with every combo on flop and turn, and rivers as bucket games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runout.arrays import AnyArray, Float32Array
from runout.cards.flops import Flop
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_cards import CompactCards
from runout.holdem.compact_game import ONE_GROUP, CompactGame
from runout.holdem.compact_workspace import Workspace, WorkspaceShape
from runout.holdem.rake import NO_RAKE
from runout.holdem.river_games import RiverBuckets, count_games
from runout.holdem.spot import Spot
from runout.holdem.street_kernels import Step
from runout.holdem.street_template import StreetTemplate, make_templates
from runout.holdem.tables import LearnedTables, Precision, StreetSize, count_table_bytes
from runout.preflop.joint.subgames import Subgame, count_alike
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import PostflopTree

_FLOAT_BYTES = 4


@dataclass(frozen=True)
class CompactEngine:
    """Flop and turn by combo, rivers by buckets of strength.

    Attributes:
        buckets: how hands are grouped on rivers.
        precision: bits of a stored number.
    """

    buckets: RiverBuckets
    precision: Precision = Precision.SINGLE

    @property
    def advice(self) -> str:
        """What of its settings would need less memory."""
        fewer = f", or fewer than {self.buckets.number} river_buckets"
        return fewer if self.precision == Precision.HALF else f", 16 bits{fewer}"

    def make_games(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[CompactGame]]:
        """Returns for each flop one game for each tree; they share the flop's bucket games."""
        everyone = (HandRange.full(), HandRange.full())
        games = []
        for flop in flops:
            cards = CompactCards.plan(flop, everyone, self.buckets, team=team)
            spots = [Spot(flop, everyone, tree) for tree in trees]
            games.append([CompactGame(spot, cards, self.precision) for spot in spots])
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

    def memory_bytes(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
    ) -> int:
        """Returns what the subgames of some flops take together, before they are made."""
        templates = [make_templates(tree, NO_RAKE, ONE_GROUP) for tree in trees]
        if not templates:
            return 0
        total, largest_space = 0, 0
        for cards, number in count_alike(flops):
            total += number * self._bytes_of_cards(cards)
            for streets in templates:
                total += number * count_table_bytes(streets, self._sizes(cards), self.precision)
                space = self._bytes_of_space(cards, streets)
                largest_space = max(largest_space, space)
        return total + num_workers * largest_space

    def _sizes(self, cards: CardsToCome) -> list[StreetSize]:
        oop, ip = cards.players
        widths, buckets = (oop.width, ip.width), self.buckets.number
        return [
            StreetSize(1, widths),
            StreetSize(len(cards.deals[0].card), widths),
            StreetSize(count_games(cards, self.buckets.merges_cards), (buckets, buckets)),
        ]

    def _bytes_of_cards(self, cards: CardsToCome) -> int:
        """Returns what the bucket games of a flop take: buckets of hands, and who meets whom."""
        num_games = count_games(cards, self.buckets.merges_cards)
        of_hands = sum(player.width for player in cards.players)
        return num_games * (of_hands + 2 * _FLOAT_BYTES * self.buckets.number**2)

    def _bytes_of_space(self, cards: CardsToCome, templates: list[StreetTemplate]) -> int:
        oop, ip = cards.players
        num_turns, widths = len(cards.deals[0].card), (oop.width, ip.width)
        return sum(
            WorkspaceShape.of(
                templates, widths, num_turns, self.buckets.number, player, self.precision
            ).num_bytes(1)
            for player in range(NUM_PLAYERS)
        )


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
        self.tables = LearnedTables.allocate(game.templates, game.table_sizes(), game.precision)
        hands = game.cards.players[0]
        self.combos, self.width = hands.combos, hands.width
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach, self._spaces[worker])

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name."""
        return {name: array for name, array in self.tables.named_arrays() if array.size}
