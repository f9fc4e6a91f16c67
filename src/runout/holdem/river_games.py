"""The rivers of a flop as small games between buckets of hands.

River cards of one rank share a *bucket game* unless their suit can make a flush: a hand that holds
none of them has the same strength on all. Everything here depends on cards and ranges only, so all
betting trees of a flop share it.
"""

from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, IntArray, Uint8Array, aligned_zeros
from runout.cards.card import NUM_CARDS
from runout.cards.combos import COMBO_CARDS
from runout.cards.evaluator_tables import evaluator_tables
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.errors import ConfigError
from runout.holdem import river_game_kernels
from runout.holdem.bucket_simd_kernels import ROW_BLOCK
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_layouts import BucketGames, Kin
from runout.holdem.kin import find_kin
from runout.holdem.river_game_kernels import RiverHands

_NUM_SUITS = 4
_NO_CARD = -1
#: A flush needs three of five; a river card can bring it if two are there.
_CAN_MAKE_FLUSH = 2
_MAX_BUCKETS = 240
#: From so many pots up, which strong hands a hand blocks decides much.
_DEEP_STACK_POTS = 8.0


@dataclass(frozen=True)
class RiverBuckets:
    """How hands are grouped on rivers.

    Attributes:
        number: buckets of a game, a multiple of 16 up to 240.
        has_blockers: whether each strength is split by how many strong hands a hand blocks.
        merges_cards: whether river cards that make no flush share a game with their rank.
    """

    number: int = 48
    has_blockers: bool = False
    merges_cards: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.number <= _MAX_BUCKETS or self.number % ROW_BLOCK:
            problem = f"{self.number} is not a multiple of {ROW_BLOCK} from {ROW_BLOCK} to "
            raise ConfigError("river_buckets", problem + str(_MAX_BUCKETS))


def choose_buckets(number: int, blockers: str, stack_to_pot: float) -> RiverBuckets:
    """Returns the buckets that a config asks for.

    Args:
        number: of a game.
        blockers: ``on``, ``off``, or ``auto``, which is on where stacks are deep.
        stack_to_pot: the stack at the beginning, in pots.
    """
    is_deep = stack_to_pot >= _DEEP_STACK_POTS
    return RiverBuckets(number, blockers == "on" or (blockers == "auto" and is_deep))


@dataclass(frozen=True, eq=False)
class RiverGames:
    """All bucket games of a flop; ``T`` turn cards, ``G`` games, ``K`` buckets.

    Attributes:
        buckets: how hands are grouped.
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        cards: ``[G, 4]`` the river cards of a game, the rest -1.
        num_cards: ``[G]`` how many they are.
        bucket: of OOP and IP, ``[G, width]`` the bucket of each hand; ``K`` if impossible.
        kin: of OOP and IP, hands that share buckets.
        meets: seen from OOP and IP, ``[G, K, K]`` as in `BucketGames`; the same array if both hold
            the same hands.
        wins: likewise.
    """

    buckets: RiverBuckets
    first_game: IntArray
    cards: IntArray
    num_cards: IntArray
    bucket: tuple[Uint8Array, Uint8Array]
    kin: tuple[Kin, Kin]
    meets: tuple[Float32Array, Float32Array]
    wins: tuple[Float32Array, Float32Array]

    @classmethod
    def build(cls, cards: CardsToCome, buckets: RiverBuckets, team: Team) -> "RiverGames":
        """Makes the games of all turn cards of a flop."""
        grouped = [
            group_rivers(cards.board + dealt, buckets.merges_cards) for dealt in cards.runouts[0]
        ]
        every_game = [game for games in grouped for game in games]
        first_game = np.cumsum([0, *map(len, grouped)], dtype=np.int64)
        parts = _Parts.allocate(cards, buckets, len(every_game))

        def build_turn(turn: int) -> None:
            board = np.array(cards.board + cards.runouts[0][turn], dtype=np.uint8)
            for number, rivers in enumerate(grouped[turn], start=int(first_game[turn])):
                parts.build_game(number, board, rivers)

        team.run(build_turn, range(len(grouped)))
        game_cards = np.full((len(every_game), _NUM_SUITS), _NO_CARD, dtype=np.int64)
        for row, of_game in zip(game_cards, every_game, strict=True):
            row[: len(of_game)] = of_game
        oop, ip = (
            find_kin(bucket, first_game, player.cards(), buckets.number)
            for bucket, player in zip(parts.bucket, cards.players, strict=True)
        )
        return cls(
            buckets=buckets,
            first_game=first_game,
            cards=game_cards,
            num_cards=np.array([len(of_game) for of_game in every_game]),
            bucket=parts.bucket,
            kin=(oop, ip),
            meets=parts.meets,
            wins=parts.wins,
        )

    def seen_from(self, player: int) -> BucketGames:
        """Returns the games for the kernels."""
        return BucketGames(
            self.first_game,
            self.cards,
            self.num_cards,
            self.bucket[player],
            self.bucket[1 - player],
            self.kin[player],
            self.kin[1 - player],
            self.meets[player],
            self.wins[player],
        )

    def find(self, turn: int, river_card: int) -> int:
        """Returns the game of a river card after the turn card of a number."""
        first, end = self.first_game[turn : turn + 2]
        is_there = (self.cards[first:end] == river_card).any(axis=1)
        return int(first + np.flatnonzero(is_there)[0])

    @property
    def num_games(self) -> int:
        """Games of all turn cards together."""
        return len(self.cards)


def group_rivers(board: tuple[int, ...], merges_cards: bool = True) -> list[list[int]]:
    """Returns the river cards after four board cards, divided into those that share a game."""
    suits = np.bincount([card % _NUM_SUITS for card in board], minlength=_NUM_SUITS)
    games: dict[tuple[int, int], list[int]] = {}
    for card in range(NUM_CARDS):
        if card not in board:
            rank, suit = divmod(card, _NUM_SUITS)
            is_apart = not merges_cards or suits[suit] >= _CAN_MAKE_FLUSH
            games.setdefault((rank, suit if is_apart else -1), []).append(card)
    return list(games.values())


def count_games(cards: CardsToCome, merges_cards: bool = True) -> int:
    """Returns how many bucket games a flop has."""
    return sum(len(group_rivers(cards.board + d, merges_cards)) for d in cards.runouts[0])


def holds_the_same(cards: CardsToCome) -> bool:
    """Returns whether both players hold the same hands with the same weights."""
    oop, ip = cards.players
    return np.array_equal(oop.combos, ip.combos) and np.array_equal(oop.weights, ip.weights)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Bucket games while they are made; the arrays are those of `RiverGames`."""

    buckets: RiverBuckets
    hands: RiverHands
    columns: tuple[IntArray, IntArray]
    sign: Float32Array
    bucket: tuple[Uint8Array, Uint8Array]
    meets: tuple[Float32Array, Float32Array]
    wins: tuple[Float32Array, Float32Array]

    @classmethod
    def allocate(cls, cards: CardsToCome, buckets: RiverBuckets, num_games: int) -> "_Parts":
        oop, ip = cards.players
        combos = np.union1d(oop.combos, ip.combos)
        weight = np.zeros((NUM_PLAYERS, len(combos)))
        columns = []
        for player, held in enumerate(cards.players):
            columns.append(np.searchsorted(combos, held.combos))
            weight[player, columns[-1]] = held.weights / held.weights.sum()
        shape = (num_games, buckets.number, buckets.number)
        meets, wins = (aligned_zeros(shape, np.float32) for _ in range(2))
        is_shared = holds_the_same(cards)
        others = meets, wins
        if not is_shared:
            others = aligned_zeros(shape, np.float32), aligned_zeros(shape, np.float32)
        rank = np.arange(buckets.number) // (1 + buckets.has_blockers)
        impossible = buckets.number
        return cls(
            buckets=buckets,
            hands=RiverHands(combos, COMBO_CARDS[combos].astype(np.int64), weight),
            columns=(columns[0], columns[1]),
            sign=np.sign(rank - rank[:, None]).astype(np.float32),
            bucket=(
                np.full((num_games, oop.width), impossible, np.uint8),
                np.full((num_games, ip.width), impossible, np.uint8),
            ),
            meets=(meets, others[0]),
            wins=(wins, others[1]),
        )

    def build_game(self, number: int, board: Uint8Array, rivers: list[int]) -> None:
        """Fills one game."""
        hands, size, has_blockers = self.hands, self.buckets.number, self.buckets.has_blockers
        bucket, met = np.empty(len(hands.combos), np.uint8), np.empty((size, size))
        cards = np.array(rivers, dtype=np.uint8)
        river_game_kernels.build_game(
            evaluator_tables(), board, cards, hands, has_blockers, bucket, met
        )
        for player, columns in enumerate(self.columns):
            self.bucket[player][number, : len(columns)] = bucket[columns]
        # Rows are of the opponent's buckets: IP's as OOP sees it.
        self.meets[0][number] = met.T
        self.wins[0][number] = met.T * self.sign
        if self.meets[1] is not self.meets[0]:
            self.meets[1][number] = met
            self.wins[1][number] = met * self.sign
