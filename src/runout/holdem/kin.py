"""Hands after a turn card that share a bucket on every river: what happens to one happens to all.

Most suits cannot make a flush, so most hands have others of the same ranks that are never told
apart. Reach is added up by kin once for a turn card, and by bucket for each of its games; what a
bucket wins goes to kin in each game, and to hands once.
"""

import numpy as np

from runout.arrays import IntArray, Uint8Array
from runout.cards.card import NUM_CARDS
from runout.holdem.compact_layouts import Kin


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
