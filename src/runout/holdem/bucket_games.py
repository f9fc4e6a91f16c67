"""Rivers of a flop as small games between buckets of hands.

River cards of one rank share a *bucket game* unless their suit can make a flush: a hand that holds
none of them has the same strength on all. Most suits cannot make a flush, so most hands also have
others of the same ranks that are never told apart. Reach is added up by such kin once for a turn
card, and by bucket for each of its games; what a bucket wins goes to kin in each game, and to hands
once. Bucket games depend on cards and ranges only, so all betting trees of a flop share them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runout.arrays import Float32Array, IntArray, Uint8Array
from runout.cards.deck import COMBO_CARDS, NUM_CARDS
from runout.cards.evaluator import evaluator_tables
from runout.cfr.team import Team
from runout.holdem import river_kernels
from runout.holdem.cards import PLAYER_WORDS, CardsToCome
from runout.holdem.layouts import BucketGames, HeldCards, Kin
from runout.holdem.river_kernels import RiverHands
from runout.holdem.tables import Plan, assemble, holding_cards
from runout.trees.layout import NUM_PLAYERS

_NUM_SUITS = 4
_NO_CARD = -1
#: A flush needs three of five; a river card can bring it if two are there.
_CAN_MAKE_FLUSH = 2


def plan_kin(num_turns: int, num_games: int, num_hands: int, num_buckets: int) -> Plan:
    """Returns the plan of a player's `Kin`."""
    return Plan(
        {
            "number": ((num_turns,), np.int64),
            "of_hand": ((num_turns, num_hands), np.uint16),
            "hands": ((num_turns, num_hands), np.uint16),
            "end": ((num_turns, num_hands), np.uint16),
            "bucket": ((num_games, num_hands), np.uint8),
            "order": ((num_games, num_hands), np.uint16),
            "bucket_end": ((num_games, num_buckets + 1), np.uint16),
            "card": ((num_turns, 2 * num_hands), np.uint8),
            "card_end": ((num_turns, num_hands), np.uint16),
            "place": ((num_turns, num_hands, 2), np.uint16),
        }
    )


def fill_kin(bucket: Uint8Array, first_game: IntArray, hand_cards: IntArray, out_kin: Kin) -> None:
    """Finds the kin among a player's hands.

    Args:
        bucket: ``[G, H]`` the bucket of each hand in each game.
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        hand_cards: ``[H, 2]``.
        out_kin: what is found.
    """
    for turn in range(len(first_game) - 1):
        _fill_turn(turn, bucket, slice(*first_game[turn : turn + 2]), hand_cards, out_kin)


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


def plan_games(cards: CardsToCome, num_games: int, num_buckets: int) -> Plan:
    """Returns the plan of `RiverGames`."""
    num_turns, size = len(cards.deals[0].card), num_buckets
    arrays: dict[str, tuple[tuple[int, ...], npt.DTypeLike]] = {
        "first_game": ((num_turns + 1,), np.int64),
        "cards": ((num_games, _NUM_SUITS), np.int64),
        "num_cards": ((num_games,), np.int64),
    }
    for player, word in enumerate(PLAYER_WORDS):
        width = cards.widths[player]
        arrays[f"{word}.bucket"] = ((num_games, width), np.uint8)
        kin = Plan.join({f"{word}.kin": plan_kin(num_turns, num_games, width, size)})
        arrays |= kin.arrays
        arrays[f"{word}.held.hero_holding"] = ((NUM_CARDS, NUM_CARDS - 1), np.int64)
        arrays[f"{word}.held.villain_with"] = ((NUM_CARDS, NUM_CARDS), np.int64)
    for word in PLAYER_WORDS[: 1 if holds_the_same(cards) else NUM_PLAYERS]:
        arrays[f"{word}.meets"] = arrays[f"{word}.wins"] = ((num_games, size, size), np.float32)
    return Plan(arrays)


@dataclass(frozen=True, eq=False)
class RiverGames:
    """All bucket games of a flop; ``T`` turn cards, ``G`` games, ``K`` buckets.

    Attributes:
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        cards: ``[G, 4]`` the river cards of a game, the rest -1.
        num_cards: ``[G]`` how many they are.
        bucket: of OOP and IP, ``[G, width]`` the bucket of each hand; ``K`` if impossible.
        kin: of OOP and IP, hands that share buckets.
        held: hands by their cards, as OOP and IP see them.
        meets: seen from OOP and IP, ``[G, K, K]`` as in `BucketGames`; the same array if both hold
            the same hands.
        wins: likewise.
    """

    first_game: IntArray
    cards: IntArray
    num_cards: IntArray
    bucket: tuple[Uint8Array, Uint8Array]
    kin: tuple[Kin, Kin]
    held: tuple[HeldCards, HeldCards]
    meets: tuple[Float32Array, Float32Array]
    wins: tuple[Float32Array, Float32Array]

    @classmethod
    def build(
        cls,
        cards: CardsToCome,
        grouped: list[list[list[int]]],
        num_buckets: int,
        has_blockers: bool,
        team: Team,
    ) -> "RiverGames":
        """Makes the games of all turn cards of a flop.

        Args:
            cards: hands and boards.
            grouped: for each turn card the river cards of each game.
            num_buckets: K.
            has_blockers: whether each strength is split by how many strong hands a hand blocks.
            team: threads to share the work.
        """
        arrays = plan_games(cards, sum(map(len, grouped)), num_buckets).allocate()
        oop, ip = PLAYER_WORDS
        games = cls(
            first_game=arrays["first_game"],
            cards=arrays["cards"],
            num_cards=arrays["num_cards"],
            bucket=(arrays[f"{oop}.bucket"], arrays[f"{ip}.bucket"]),
            kin=(assemble(Kin, arrays, f"{oop}.kin."), assemble(Kin, arrays, f"{ip}.kin.")),
            held=(
                assemble(HeldCards, arrays, f"{oop}.held."),
                assemble(HeldCards, arrays, f"{ip}.held."),
            ),
            # Both see the same if they hold the same hands.
            meets=(arrays[f"{oop}.meets"], arrays.get(f"{ip}.meets", arrays[f"{oop}.meets"])),
            wins=(arrays[f"{oop}.wins"], arrays.get(f"{ip}.wins", arrays[f"{oop}.wins"])),
        )
        games._fill(cards, grouped, has_blockers, team)
        return games

    def _fill(
        self,
        cards: CardsToCome,
        grouped: list[list[list[int]]],
        has_blockers: bool,
        team: Team,
    ) -> None:
        self.first_game[1:] = np.cumsum([len(games) for games in grouped])
        self.cards[:] = _NO_CARD
        every_game = (game for games in grouped for game in games)
        for number, of_game in enumerate(every_game):
            self.cards[number, : len(of_game)] = of_game
            self.num_cards[number] = len(of_game)
        hands, columns = _hands_of_both(cards)
        for bucket in self.bucket:
            bucket[:] = self.meets[0].shape[1]  # impossible

        def build_turn(turn: int) -> None:
            board = np.array(cards.board + cards.runouts[0][turn], dtype=np.uint8)
            for number, rivers in enumerate(grouped[turn], start=int(self.first_game[turn])):
                self._fill_game(number, (board, rivers), hands, columns, has_blockers)

        team.run(build_turn, range(len(grouped)))
        for player, hero in enumerate(cards.players):
            fill_kin(self.bucket[player], self.first_game, hero.cards(), self.kin[player])
            _fill_held(cards, player, self.held[player])

    def _fill_game(
        self,
        number: int,
        boards: tuple[Uint8Array, list[int]],
        hands: RiverHands,
        columns: Sequence[IntArray],
        has_blockers: bool,
    ) -> None:
        (board, rivers), size = boards, self.meets[0].shape[1]
        bucket, met = np.empty(len(hands.combos), np.uint8), np.empty((size, size))
        river_kernels.build_game(
            evaluator_tables(),
            board,
            np.array(rivers, dtype=np.uint8),
            hands,
            has_blockers,
            bucket,
            met,
        )
        for player, of_player in enumerate(columns):
            self.bucket[player][number, : len(of_player)] = bucket[of_player]
        rank = np.arange(size) // (1 + has_blockers)
        sign = np.sign(rank - rank[:, None]).astype(np.float32)
        # Rows are of the opponent's buckets: IP's as OOP sees it.
        self.meets[0][number] = met.T
        self.wins[0][number] = met.T * sign
        if self.meets[1] is not self.meets[0]:
            self.meets[1][number] = met
            self.wins[1][number] = met * sign

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


def holds_the_same(cards: CardsToCome) -> bool:
    """Returns whether both players hold the same hands with the same weights."""
    oop, ip = cards.players
    return np.array_equal(oop.combos, ip.combos) and np.array_equal(oop.weights, ip.weights)


def _hands_of_both(cards: CardsToCome) -> tuple[RiverHands, list[IntArray]]:
    """Returns the hands that somebody holds, and where each player's are among them."""
    oop, ip = cards.players
    combos = np.union1d(oop.combos, ip.combos)
    weight, columns = np.zeros((NUM_PLAYERS, len(combos))), []
    for player, held in enumerate(cards.players):
        columns.append(np.searchsorted(combos, held.combos))
        weight[player, columns[-1]] = held.weights / held.weights.sum()
    return RiverHands(combos, COMBO_CARDS[combos].astype(np.int64), weight), columns


def _fill_held(cards: CardsToCome, player: int, out_held: HeldCards) -> None:
    """Finds hands by their cards, as a player sees them."""
    villain = cards.players[1 - player]
    out_held.hero_holding[:] = holding_cards(cards.players[player])
    out_held.villain_with[:] = _NO_CARD
    low, high = COMBO_CARDS[villain.combos].T
    numbers = np.arange(len(villain.combos))
    out_held.villain_with[low, high] = out_held.villain_with[high, low] = numbers
