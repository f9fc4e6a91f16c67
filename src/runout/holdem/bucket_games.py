"""Rivers of a flop as small games between buckets of hands.

River cards of one rank share a *bucket game* unless their suit can make a flush: a hand that holds
none of them has the same strength on all. Most suits cannot make a flush, so most hands also have
others of the same ranks that are never told apart. Reach is added up by such groups once for a
turn card, and by bucket for each of its games; what a bucket wins goes to groups in each game, and
to hands once. Bucket games depend on cards and ranges only, so all betting trees of a flop share
them.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from runout.arrays import IntArray, Uint8Array
from runout.cards.deck import COMBO_CARDS, NUM_CARDS
from runout.cards.evaluator import evaluator_tables
from runout.cfr.team import Team
from runout.holdem import river_kernels
from runout.holdem.bucket_kernels import BucketGames, HandGroups
from runout.holdem.cards import PLAYER_WORDS, CardsToCome
from runout.holdem.river_kernels import RiverHands
from runout.holdem.tables import Plan, assemble, holding_cards
from runout.trees.layout import NUM_PLAYERS

_NUM_SUITS = 4
_NO_CARD = -1
#: A flush needs three of five; a river card can bring it if two are there.
_CAN_MAKE_FLUSH = 2


def fill_groups(
    bucket: Uint8Array, first_game: IntArray, hand_cards: IntArray, out_groups: HandGroups
) -> None:
    """Finds the groups of a player's hands.

    Args:
        bucket: ``[G, H]`` the bucket of each hand in each game.
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        hand_cards: ``[H, 2]``.
        out_groups: what is found.
    """
    for turn, (first, end) in enumerate(pairwise(first_game.tolist())):
        columns = np.ascontiguousarray(bucket[first:end].T)
        rows = columns.view(np.dtype((np.void, columns.shape[1])))[:, 0]
        _, first_hand, of_hand = np.unique(rows, return_index=True, return_inverse=True)
        number = len(first_hand)
        out_groups.number[turn] = number
        out_groups.of_hand[turn] = of_hand
        out_groups.hands[turn] = np.argsort(of_hand, kind="stable")
        out_groups.end[turn, :number] = np.cumsum(np.bincount(of_hand))
        num_buckets = out_groups.bucket_end.shape[1]
        for game in range(first, end):
            of_group = bucket[game, first_hand]
            out_groups.bucket[game, :number] = of_group
            out_groups.order[game, :number] = np.argsort(of_group, kind="stable")
            ends = np.cumsum(np.bincount(of_group, minlength=num_buckets))
            out_groups.bucket_end[game] = ends
        keys, place = np.unique(of_hand[:, None] * NUM_CARDS + hand_cards, return_inverse=True)
        of_group, cards = np.divmod(keys, NUM_CARDS)
        out_groups.card[turn, : len(keys)] = cards
        out_groups.card_end[turn, :number] = np.cumsum(np.bincount(of_group))
        out_groups.place[turn] = place.reshape(hand_cards.shape)


def plan_games(cards: CardsToCome, num_games: int, num_buckets: int) -> Plan:
    """Returns the plan of the games that `build_games` makes; the players share arrays."""
    num_turns, size = len(cards.deals[0].card), num_buckets
    arrays: dict[str, tuple[tuple[int, ...], npt.DTypeLike]] = {
        "first_game": ((num_turns + 1,), np.int64),
        "cards": ((num_games, _NUM_SUITS), np.int64),
        "num_cards": ((num_games,), np.int64),
    }
    for word, width in zip(PLAYER_WORDS, cards.widths, strict=True):
        lengths = {"T": num_turns, "G": num_games, "H": width, "2 H": 2 * width, "K + 1": size + 1}
        arrays |= Plan.join({f"{word}.groups": Plan.of(HandGroups, lengths)}).arrays
        arrays[f"{word}.bucket"] = ((num_games, width), np.uint8)
        arrays[f"{word}.holding"] = ((NUM_CARDS, NUM_CARDS - 1), np.int64)
        arrays[f"{word}.with"] = ((NUM_CARDS, NUM_CARDS), np.int64)
    for word in PLAYER_WORDS[: 1 if holds_the_same(cards) else NUM_PLAYERS]:
        arrays[f"{word}.meets"] = arrays[f"{word}.wins"] = ((num_games, size, size), np.float32)
    return Plan(arrays)


def build_games(
    cards: CardsToCome,
    grouped: list[list[list[int]]],
    num_buckets: int,
    has_blockers: bool,
    team: Team,
) -> tuple[BucketGames, BucketGames]:
    """Makes the bucket games of all rivers of a flop, seen from OOP and IP.

    Args:
        cards: hands and boards.
        grouped: for each turn card the river cards of each game.
        num_buckets: of a game.
        has_blockers: whether buckets are split by blockers.
        team: threads to share the turn cards.
    """
    arrays = plan_games(cards, sum(map(len, grouped)), num_buckets).allocate()
    oop, ip = (_see_games(arrays, player) for player in range(NUM_PLAYERS))
    oop.first_game[1:] = np.cumsum([len(games) for games in grouped])
    oop.cards[:] = _NO_CARD
    for number, of_game in enumerate(game for games in grouped for game in games):
        oop.cards[number, : len(of_game)] = of_game
        oop.num_cards[number] = len(of_game)
    for games in (oop, ip):
        games.hero[:] = num_buckets  # impossible
    hands, columns = _hands_of_both(cards)

    def build_turn(turn: int) -> None:
        board = np.array(cards.board + cards.runouts[0][turn], dtype=np.uint8)
        for number, rivers in enumerate(grouped[turn], start=int(oop.first_game[turn])):
            bucket = np.empty(len(hands.combos), np.uint8)
            met = np.empty((num_buckets, num_buckets))
            river = np.array(rivers, dtype=np.uint8)
            river_kernels.build_game(
                evaluator_tables(), board, river, hands, has_blockers, bucket, met
            )
            rank = np.arange(num_buckets) // (1 + has_blockers)
            sign = np.sign(rank - rank[:, None]).astype(np.float32)
            # Rows are of the opponent's buckets; both may share the arrays: OOP comes last.
            for games, of_player, seen in ((ip, columns[1], met), (oop, columns[0], met.T)):
                games.hero[number, : len(of_player)] = bucket[of_player]
                games.meets[number], games.wins[number] = seen, seen * sign

    team.run(build_turn, range(len(grouped)))
    for games, hero, villain in zip((oop, ip), cards.players, cards.players[::-1], strict=True):
        fill_groups(games.hero, games.first_game, hero.cards(), games.hero_groups)
        games.hero_holding[:] = holding_cards(hero)
        games.villain_with[:] = _NO_CARD
        low, high = COMBO_CARDS[villain.combos].T
        numbers = np.arange(len(villain.combos))
        games.villain_with[low, high] = games.villain_with[high, low] = numbers
    return oop, ip


def _see_games(arrays: Mapping[str, npt.NDArray[Any]], player: int) -> BucketGames:
    """Returns planned arrays as a player sees them; both see the same if they hold the same."""
    hero, villain = PLAYER_WORDS[player], PLAYER_WORDS[1 - player]
    return BucketGames(
        first_game=arrays["first_game"],
        cards=arrays["cards"],
        num_cards=arrays["num_cards"],
        hero=arrays[f"{hero}.bucket"],
        villain=arrays[f"{villain}.bucket"],
        hero_groups=assemble(HandGroups, arrays, f"{hero}.groups."),
        villain_groups=assemble(HandGroups, arrays, f"{villain}.groups."),
        hero_holding=arrays[f"{hero}.holding"],
        villain_with=arrays[f"{hero}.with"],
        meets=arrays.get(f"{hero}.meets", arrays[f"{PLAYER_WORDS[0]}.meets"]),
        wins=arrays.get(f"{hero}.wins", arrays[f"{PLAYER_WORDS[0]}.wins"]),
    )


def find_game(games: BucketGames, turn: int, river_card: int) -> int:
    """Returns the game of a river card after the turn card of a number."""
    first, end = games.first_game[turn : turn + 2]
    is_there = (games.cards[first:end] == river_card).any(axis=1)
    return int(first + np.flatnonzero(is_there)[0])


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
