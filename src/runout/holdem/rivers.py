"""The rivers of a flop as small games between buckets of hands."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, IntArray, Uint8Array, aligned_zeros
from runout.cards.deck import COMBO_CARDS, FLOP_SIZE, NUM_CARDS, format_cards
from runout.cards.evaluator import evaluator_tables
from runout.cards.ranges import HandRange
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem import river_kernels
from runout.holdem.cards import CardsToCome
from runout.holdem.forest import net_wins
from runout.holdem.game import hands_seen_from, orders_of
from runout.holdem.layouts import BucketGames, Hands, HeldCards, Kin, Orders
from runout.holdem.river_kernels import RiverHands
from runout.simd.lane_kernels import ROW_BLOCK
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import IP, OOP

# --------------------------------------------------------------------------------------------------
# Hands after a turn card that share a bucket on every river: what happens to one happens to all.
#
# Most suits cannot make a flush, so most hands have others of the same ranks that are never told
# apart. Reach is added up by kin once for a turn card, and by bucket for each of its games; what a
# bucket wins goes to kin in each game, and to hands once.


def find_kin(
    bucket: Uint8Array, first_game: IntArray, hand_cards: IntArray, num_buckets: int
) -> Kin:
    """Finds the kin among a player's hands.

    Args:
        bucket: ``[G, H]`` the bucket of each hand in each game.
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        hand_cards: ``[H, 2]``.
        num_buckets: K.
    """
    (num_games, num_hands), num_turns = bucket.shape, len(first_game) - 1
    kin = Kin(
        number=np.empty(num_turns, np.int64),
        of_hand=np.empty((num_turns, num_hands), np.uint16),
        hands=np.empty((num_turns, num_hands), np.uint16),
        end=np.zeros((num_turns, num_hands), np.uint16),
        bucket=np.zeros((num_games, num_hands), np.uint8),
        order=np.zeros((num_games, num_hands), np.uint16),
        bucket_end=np.empty((num_games, num_buckets + 1), np.uint16),
        card=np.zeros((num_turns, 2 * num_hands), np.uint8),
        card_end=np.zeros((num_turns, num_hands), np.uint16),
        place=np.empty((num_turns, num_hands, 2), np.uint16),
    )
    for turn in range(num_turns):
        _fill_turn(turn, bucket, slice(*first_game[turn : turn + 2]), hand_cards, kin)
    return kin


def _fill_turn(
    turn: int, bucket: Uint8Array, games: slice, hand_cards: IntArray, out_kin: Kin
) -> None:
    """Fills what depends on one turn card."""
    columns = np.ascontiguousarray(bucket[games].T)
    rows = columns.view(np.dtype((np.void, columns.shape[1])))[:, 0]
    _, first_hand, of_hand = np.unique(rows, return_index=True, return_inverse=True)
    number = len(first_hand)
    out_kin.number[turn] = number
    out_kin.of_hand[turn] = of_hand
    out_kin.hands[turn] = np.argsort(of_hand, kind="stable")
    out_kin.end[turn, :number] = np.cumsum(np.bincount(of_hand))
    num_buckets = out_kin.bucket_end.shape[1]
    for game in range(games.start, games.stop):
        of_kin = bucket[game, first_hand]
        out_kin.bucket[game, :number] = of_kin
        out_kin.order[game, :number] = np.argsort(of_kin, kind="stable")
        out_kin.bucket_end[game] = np.cumsum(np.bincount(of_kin, minlength=num_buckets))
    keys, place = np.unique(of_hand[:, None] * NUM_CARDS + hand_cards, return_inverse=True)
    of_kin, cards = np.divmod(keys, NUM_CARDS)
    out_kin.card[turn, : len(keys)] = cards
    out_kin.card_end[turn, :number] = np.cumsum(np.bincount(of_kin))
    out_kin.place[turn] = place.reshape(hand_cards.shape)


# --------------------------------------------------------------------------------------------------
# The rivers of a flop as small games between buckets of hands.
#
# River cards of one rank share a *bucket game* unless their suit can make a flush: a hand that
# holds none of them has the same strength on all. Everything here depends on cards and ranges only,
# so all betting trees of a flop share it.


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
        river_kernels.build_game(evaluator_tables(), board, cards, hands, has_blockers, bucket, met)
        for player, columns in enumerate(self.columns):
            self.bucket[player][number, : len(columns)] = bucket[columns]
        # Rows are of the opponent's buckets: IP's as OOP sees it.
        self.meets[0][number] = met.T
        self.wins[0][number] = met.T * self.sign
        if self.meets[1] is not self.meets[0]:
            self.meets[1][number] = met
            self.wins[1][number] = met * self.sign


# --------------------------------------------------------------------------------------------------
# The cards of a flop whose rivers are bucket games, for any betting.


_NONE = -1


@dataclass(frozen=True, eq=False)
class CompactCards:
    """The cards of a flop, for any betting.

    Attributes:
        to_come: hands and boards.
        games: the rivers.
        hands: as OOP and IP see them.
        held: likewise.
        flop_orders: likewise.
        turn_orders: likewise.
        net_wins: likewise on the flop, of `all_ins`.
    """

    to_come: CardsToCome
    games: RiverGames
    hands: tuple[Hands, Hands]
    held: tuple[HeldCards, HeldCards]
    flop_orders: tuple[Orders, Orders]
    turn_orders: tuple[Orders, Orders]
    net_wins: tuple[Float32Array, Float32Array]

    @classmethod
    def plan(
        cls,
        board: tuple[int, ...],
        ranges: tuple[HandRange, HandRange],
        buckets: RiverBuckets,
        *,
        merges_suits: bool = True,
        team: Team | None = None,
    ) -> "CompactCards":
        """Finds the hands of a flop and makes the bucket games of its rivers.

        Args:
            board: three cards.
            ranges: of OOP and IP.
            buckets: how hands are grouped on rivers.
            merges_suits: whether turn cards that differ by suits only are solved once.
            team: threads to share the work.

        Raises:
            RangeError: if the board leaves nothing of a range, or no pair of hands can meet.
            ConfigError: if the board is no flop.
        """
        if len(board) != FLOP_SIZE:
            problem = f"compact needs a flop, {format_cards(board)} has {len(board)} cards"
            raise ConfigError("rivers", problem)
        to_come = CardsToCome.plan(board, ranges, merges_suits)
        turns = [board + dealt for dealt in to_come.runouts[0]]
        return cls(
            to_come=to_come,
            games=RiverGames.build(to_come, buckets, team or Team()),
            hands=(hands_seen_from(to_come, OOP), hands_seen_from(to_come, IP)),
            held=(_held_by(to_come, OOP), _held_by(to_come, IP)),
            flop_orders=(orders_of(to_come, [board], OOP), orders_of(to_come, [board], IP)),
            turn_orders=(orders_of(to_come, turns, OOP), orders_of(to_come, turns, IP)),
            net_wins=net_wins(to_come, [board]),
        )

    @property
    def widths(self) -> tuple[int, int]:
        """The lengths of rows of OOP's and IP's hands."""
        return self.to_come.players[0].width, self.to_come.players[1].width


def _held_by(cards: CardsToCome, player: int) -> HeldCards:
    """Returns hands by their cards, as a player sees them."""
    hero, villain = cards.players[player], cards.players[1 - player]
    holding = np.full((NUM_CARDS, NUM_CARDS - 1), _NONE, dtype=np.int64)
    for card in range(NUM_CARDS):
        held = np.flatnonzero((COMBO_CARDS[hero.combos] == card).any(axis=1))
        holding[card, : len(held)] = held
    with_cards = np.full((NUM_CARDS, NUM_CARDS), _NONE, dtype=np.int64)
    low, high = COMBO_CARDS[villain.combos].T
    with_cards[low, high] = with_cards[high, low] = np.arange(len(villain.combos))
    return HeldCards(holding, with_cards)
