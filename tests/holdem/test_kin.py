"""Hands that share a bucket in every game of a turn card."""

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cfr.parallel import Team
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.river_games import RiverBuckets, RiverGames
from runout.ranges.hand_range import HandRange
from tests.holdem.small_spots import random_range


def games_on(flop, ranges, has_blockers=False):
    cards = CardsToCome.plan(parse_board(flop), ranges)
    return cards, RiverGames.build(cards, RiverBuckets(16, has_blockers), Team())


@pytest.mark.parametrize("has_blockers", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_kin_are_the_hands_with_the_same_buckets(player, has_blockers):
    ranges = random_range(300, 1), random_range(200, 2)
    cards, games = games_on("Kh7h2s", ranges, has_blockers)
    kin, bucket = games.kin[player], games.bucket[player]
    for turn in range(0, len(cards.deals[0].card), 7):
        first, end = games.first_game[turn : turn + 2]
        groups = {}
        for hand in range(bucket.shape[1]):
            groups.setdefault(tuple(bucket[first:end, hand]), []).append(hand)
        number = kin.number[turn]
        listed = np.split(kin.hands[turn], kin.end[turn, : number - 1])
        assert sorted(map(list, listed)) == sorted(groups.values())
        for one, hands in enumerate(listed):
            assert (kin.of_hand[turn, hands] == one).all()
            assert (bucket[first:end, hands] == kin.bucket[first:end, [one]]).all()


def test_kin_are_listed_bucket_by_bucket():
    _, games = games_on("Kh7h2s", (random_range(60, 1), random_range(40, 2)))
    kin = games.kin[0]
    for turn, number in enumerate(kin.number):
        for game in range(*games.first_game[turn : turn + 2]):
            assert kin.bucket_end[game, -1] == number
            parts = np.split(kin.order[game, :number], kin.bucket_end[game, :-1])
            for bucket, members in enumerate(parts):
                expected = np.flatnonzero(kin.bucket[game, :number] == bucket)
                np.testing.assert_array_equal(members, expected)


def test_each_card_of_each_kin_has_a_place():
    cards, games = games_on("Kh7h2s", (random_range(60, 1), random_range(40, 2)))
    kin, hand_cards = games.kin[1], cards.players[1].cards()
    for turn, number in enumerate(kin.number):
        first = np.concatenate([[0], kin.card_end[turn, :number]])
        for hand, one in enumerate(kin.of_hand[turn]):
            places = kin.place[turn, hand]
            assert ((first[one] <= places) & (places < first[one + 1])).all()
            np.testing.assert_array_equal(kin.card[turn, places], hand_cards[hand])


def test_suits_do_not_matter_where_no_flush_is_possible():
    _, games = games_on("AsKd7h", (HandRange.full(), HandRange.full()))
    # 91 pairs of ranks, and the hands that the turn card makes impossible.
    assert games.kin[0].number.min() <= 92
    assert games.kin[0].number.max() <= 300
