"""Working space and memory of compact games."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, aligned_zeros
from runout.cards.deck import NUM_CARDS
from runout.cfr.team import Team
from runout.holdem.cards import CardsToCome
from runout.holdem.forest import StreetTemplate, net_win_bytes
from runout.holdem.layouts import BucketScratch, CompactScratch, Crossing
from runout.holdem.rivers import RiverBuckets, count_games, holds_the_same
from runout.holdem.street_kernels import Scratch
from runout.holdem.tables import (
    MemoryNeed,
    Precision,
    ScratchShape,
    StreetSize,
    count_table_bytes,
    make_shaped_scratch,
    scratch_bytes,
)
from runout.holdem.turn_to_river_kernels import GAMES_AT_ONCE
from runout.simd.vector_kernels import LANES
from runout.trees.layout import NUM_PLAYERS

# --------------------------------------------------------------------------------------------------
# Working space for visits of compact games, shared by games of as many hands.


class WorkspaceShape(NamedTuple):
    """How much working space visits need, seen from a player.

    Attributes:
        flop: of the flop.
        turn: of a turn card.
        game: of a bucket game; its rows are as long as there are buckets.
        num_blocks: of ways to enter the river, sixteen to a block.
        num_cells: numbers that come back from all turn cards.
        num_sums: numbers that they are added up to.
    """

    flop: ScratchShape
    turn: ScratchShape
    game: ScratchShape
    num_blocks: int
    num_cells: int
    num_sums: int

    @classmethod
    def of(
        cls,
        templates: list[StreetTemplate],
        widths: tuple[int, int],
        num_turns: int,
        num_buckets: int,
        player: int,
        precision: Precision,
    ) -> "WorkspaceShape":
        """Returns what one game needs.

        Args:
            templates: the betting of flop, turn and river.
            widths: of rows of OOP's and IP's hands.
            num_turns: turn cards that are visited.
            num_buckets: of a bucket game.
            player: whose hands are valued.
            precision: of the tables.
        """
        flop, turn, river = templates
        entering = len(turn.root_of) * widths[player]
        return cls(
            flop=ScratchShape.of(flop, widths, player, precision),
            turn=ScratchShape.of(turn, widths, player, precision),
            game=ScratchShape.of(river, (num_buckets, num_buckets), player, precision),
            num_blocks=-(-len(river.root_of) // LANES),
            num_cells=num_turns * entering,
            num_sums=entering,
        )

    def num_bytes(self, num_workers: int) -> int:
        """Returns what working space of this shape takes."""
        hero, villain, buckets = self.turn.hero, self.turn.villain, self.game.hero
        num_lanes = self.num_blocks * LANES
        lane_rows = self.num_blocks * (2 * villain + 5 * hero + NUM_CARDS)
        lane_rows += self.num_blocks * GAMES_AT_ONCE * 2 * (buckets + 1)
        lane_rows += GAMES_AT_ONCE * NUM_CARDS
        crossing = 4 * LANES * lane_rows
        game_rows = self.game.num_rows + self.game.num_nodes + self.game.num_decoded
        game = 4 * buckets * (game_rows + num_lanes)
        of_worker = scratch_bytes(self.turn) + crossing + game
        shared = scratch_bytes(self.flop) + 4 * self.num_cells + 8 * self.num_sums
        return shared + num_workers * of_worker


class SideSpace(NamedTuple):
    """Working space for visits of one player.

    Attributes:
        flop: of the flop.
        turns: one for each worker of the team.
        cells: what comes back from all turn cards.
        sums: what they are added up to.
    """

    flop: Scratch
    turns: list[CompactScratch]
    cells: Float32Array
    sums: FloatArray


class Workspace:
    """Working space for one visit at a time, with as many threads as the team has."""

    def __init__(
        self, shapes: Sequence[tuple[WorkspaceShape, WorkspaceShape]], team: Team | None = None
    ) -> None:
        """Allocates space that is large enough for all of some games.

        Args:
            shapes: of the games, seen from OOP and from IP; rows must be as long in all of them.
            team: threads to share a visit.
        """
        self.team = team or Team()
        self.sides = tuple(
            _make_side(_largest([pair[player] for pair in shapes]), self.team.num_workers)
            for player in range(NUM_PLAYERS)
        )


def _largest(shapes: Sequence[WorkspaceShape]) -> WorkspaceShape:
    """Returns a shape in which all of some fit."""
    lengths = {(s.turn.hero, s.turn.villain, s.game.hero) for s in shapes}
    if len(lengths) != 1:
        raise ValueError(f"games of different hands or buckets share no space: {sorted(lengths)}")
    flop, turn, game = (
        ScratchShape(*map(max, zip(*(getattr(shape, street) for shape in shapes), strict=True)))
        for street in ("flop", "turn", "game")
    )
    numbers = (max(column) for column in zip(*(shape[3:] for shape in shapes), strict=True))
    return WorkspaceShape(flop, turn, game, *numbers)


def _make_side(shape: WorkspaceShape, num_workers: int) -> SideSpace:
    return SideSpace(
        flop=make_shaped_scratch(shape.flop),
        turns=[_make_turn(shape) for _ in range(num_workers)],
        cells=np.zeros(shape.num_cells, np.float32),
        sums=np.zeros(shape.num_sums),
    )


def _make_turn(shape: WorkspaceShape) -> CompactScratch:
    blocks, buckets = shape.num_blocks, shape.game.hero
    hero, villain = shape.turn.hero, shape.turn.villain
    return CompactScratch(
        turn=make_shaped_scratch(shape.turn),
        crossing=Crossing(
            reach=_zeros(blocks, villain, LANES),
            mass=_zeros(blocks, hero, LANES),
            won=_zeros(blocks, hero, LANES),
            kin_reach=_zeros(blocks, villain, LANES),
            kin_share=_zeros(blocks, hero, LANES),
            kin_won=_zeros(blocks, 2 * hero, LANES),
            by_card=_zeros(blocks, NUM_CARDS, LANES),
            with_card=_zeros(GAMES_AT_ONCE, NUM_CARDS, LANES),
            entering=_zeros(blocks, GAMES_AT_ONCE, buckets + 1, LANES),
            leaving=_zeros(blocks, GAMES_AT_ONCE, buckets + 1, LANES),
        ),
        game=BucketScratch(
            reach=_zeros(shape.game.num_rows, buckets),
            value=_zeros(shape.game.num_nodes, buckets),
            met=_zeros(blocks * LANES, buckets),
            rows=_zeros(shape.game.num_decoded, buckets),
        ),
    )


def _zeros(*shape: int) -> Float32Array:
    return aligned_zeros(shape, np.float32)


# --------------------------------------------------------------------------------------------------
# What a compact game takes in memory, before anything is allocated.


_FLOAT_BYTES = 4
_GAME_NUMBER_BYTES = 4  # of a runout
_KIN_OF_GAME_BYTES = 1 + 2  # of a hand: the bucket of its kin, and kin in the order of buckets
_KIN_OF_TURN_BYTES = 2 * (1 + 1 + 1 + 1 + 2) + 2  # of a hand: see `Kin`
_END_BYTES = 2  # of a bucket
_NUMBER_BYTES = 8
_CARDS_AND_COUNT_BYTES = 5 * 8  # of a game
_PER_HAND_AND_SYMMETRY_BYTES = 24 * 8
_HANDS_BY_CARD_BYTES = 8 * 52 * (51 + 51 + 52)


def compact_sizes(cards: CardsToCome, buckets: RiverBuckets) -> list[StreetSize]:
    """Returns the sizes of tables with every hand on flop and turn, and buckets on rivers."""
    oop, ip = cards.players
    num_games = count_games(cards, buckets.merges_cards)
    return [
        StreetSize(1, (oop.width, ip.width)),
        StreetSize(len(cards.deals[0].card), (oop.width, ip.width)),
        StreetSize(num_games, (buckets.number, buckets.number)),
    ]


def river_map_bytes(cards: CardsToCome, buckets: RiverBuckets) -> int:
    """Returns what keeping the bucket of each hand, the same for both players, takes on a flop."""
    games = count_games(cards, buckets.merges_cards) * len(cards.players[0].combos)
    return games + _GAME_NUMBER_BYTES * len(cards.deals[1].card)


def compact_card_bytes(cards: CardsToCome, buckets: RiverBuckets) -> int:
    """Returns what the bucket games and the orders of hands of a flop take."""
    num_games, num_turns = count_games(cards, buckets.merges_cards), len(cards.deals[0].card)
    widths = sum(player.width for player in cards.players)
    num_hands = sum(len(player.combos) for player in cards.players)
    num_views = 1 if holds_the_same(cards) else NUM_PLAYERS
    matrices = num_views * 2 * _FLOAT_BYTES * buckets.number**2
    lists = _KIN_OF_GAME_BYTES * widths + _END_BYTES * NUM_PLAYERS * (buckets.number + 1)
    games = num_games * (widths + lists + matrices + _CARDS_AND_COUNT_BYTES)
    games += num_turns * (_KIN_OF_TURN_BYTES * widths + NUM_PLAYERS * _NUMBER_BYTES)
    orders = NUM_PLAYERS * (1 + num_turns) * (2 * num_hands + 16)
    by_hand = _PER_HAND_AND_SYMMETRY_BYTES * widths + NUM_PLAYERS * _HANDS_BY_CARD_BYTES
    return games + orders + by_hand + net_win_bytes(cards, 1)


def estimate_compact_memory(
    templates: list[StreetTemplate],
    cards: CardsToCome,
    buckets: RiverBuckets,
    num_workers: int,
    precision: Precision,
) -> MemoryNeed:
    """Returns what a solve will allocate.

    Args:
        templates: the betting, rivers in one group.
        cards: hands and boards.
        buckets: how hands are grouped on rivers.
        num_workers: threads that share a visit.
        precision: of the tables.
    """
    widths = cards.players[0].width, cards.players[1].width
    num_turns = len(cards.deals[0].card)
    return MemoryNeed(
        tables=count_table_bytes(templates, compact_sizes(cards, buckets), precision),
        working_space=sum(
            WorkspaceShape.of(
                templates, widths, num_turns, buckets.number, player, precision
            ).num_bytes(num_workers)
            for player in range(NUM_PLAYERS)
        ),
        cards=compact_card_bytes(cards, buckets),
    )
