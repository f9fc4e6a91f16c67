"""Tests of `runout.holdem.rivers`."""

import numpy as np
import pytest

from runout.cards.deck import format_cards, parse_board
from runout.cards.ranges import Range
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem.cards import CardsToCome
from runout.holdem.rivers import BucketRivers, find_game, group_rivers
from tests.samples.small_spots import random_range

# --------------------------------------------------------------------------------------------------
# Hands that share a bucket in every game of a turn card.


def games_on(flop, ranges, has_blockers=False):
    cards = CardsToCome.plan(parse_board(flop), ranges)
    rivers = BucketRivers(16, "on" if has_blockers else "off")
    return cards, rivers.build_games(cards, Team())


@pytest.mark.parametrize("has_blockers", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_groups_are_the_hands_with_the_same_buckets(player, has_blockers):
    ranges = random_range(300, 1), random_range(200, 2)
    cards, games = games_on("Kh7h2s", ranges, has_blockers)
    groups, bucket = games[player].hero_groups, games[player].hero
    for turn in range(0, len(cards.deals[0].card), 7):
        first, end = games[0].first_game[turn : turn + 2]
        alike = {}
        for hand in range(bucket.shape[1]):
            alike.setdefault(tuple(bucket[first:end, hand]), []).append(hand)
        number = groups.number[turn]
        listed = np.split(groups.hands[turn], groups.end[turn, : number - 1])
        assert sorted(map(list, listed)) == sorted(alike.values())
        for one, hands in enumerate(listed):
            assert (groups.of_hand[turn, hands] == one).all()
            assert (bucket[first:end, hands] == groups.bucket[first:end, [one]]).all()


def test_groups_are_listed_bucket_by_bucket():
    _, games = games_on("Kh7h2s", (random_range(60, 1), random_range(40, 2)))
    groups = games[0].hero_groups
    for turn, number in enumerate(groups.number):
        for game in range(*games[0].first_game[turn : turn + 2]):
            assert groups.bucket_end[game, -1] == number
            parts = np.split(groups.order[game, :number], groups.bucket_end[game, :-1])
            for bucket, members in enumerate(parts):
                expected = np.flatnonzero(groups.bucket[game, :number] == bucket)
                np.testing.assert_array_equal(members, expected)


def test_each_card_of_each_group_has_a_place():
    cards, games = games_on("Kh7h2s", (random_range(60, 1), random_range(40, 2)))
    groups, hand_cards = games[1].hero_groups, cards.players[1].cards()
    for turn, number in enumerate(groups.number):
        first = np.concatenate([[0], groups.card_end[turn, :number]])
        for hand, one in enumerate(groups.of_hand[turn]):
            places = groups.place[turn, hand]
            assert ((first[one] <= places) & (places < first[one + 1])).all()
            np.testing.assert_array_equal(groups.card[turn, places], hand_cards[hand])


def test_suits_do_not_matter_where_no_flush_is_possible():
    _, games = games_on("AsKd7h", (Range("random"), Range("random")))
    # 91 pairs of ranks, and the hands that the turn card makes impossible.
    assert games[0].hero_groups.number.min() <= 92
    assert games[0].hero_groups.number.max() <= 300


# --------------------------------------------------------------------------------------------------
# Which river cards share a bucket game, and what both players see of it.


EVERYONE = Range("random")


def cards_on(flop, oop=EVERYONE, ip=EVERYONE):
    return CardsToCome.plan(parse_board(flop), (oop, ip))


def flatten(games):
    """Returns the arrays of nested tuples."""
    return [
        array for part in games for array in (flatten(part) if isinstance(part, tuple) else [part])
    ]


def test_cards_of_a_rank_share_a_game_unless_their_suit_can_make_a_flush():
    games = [format_cards(cards) for cards in group_rivers(parse_board("Kh7h2s9d"))]
    assert "5c5d5s" in games
    assert "5h" in games
    assert "KcKdKs" in games
    assert sum(len(game) // 2 for game in games) == 48


def test_cards_that_are_not_merged_are_games_of_their_own():
    assert [len(cards) for cards in group_rivers(parse_board("Kh7h2s9d"), False)] == [1] * 48


@pytest.mark.parametrize(("flop", "number"), [("Qh7h2h", 519), ("Th9h6c", 985), ("AsKd7h", 1_033)])
def test_flops_have_the_number_of_games_that_the_design_counted(flop, number):
    assert BucketRivers().table_sizes(cards_on(flop))[-1].num_boards == number


def test_a_river_card_is_found_in_the_game_that_it_shares():
    cards = cards_on("Kh7h2s", random_range(40, 1), random_range(40, 2))
    games, _ = BucketRivers(16).build_games(cards, Team())
    for turn, (dealt,) in enumerate(cards.runouts[0]):
        for river in set(range(52)) - {*cards.board, dealt}:
            game = find_game(games, turn, river)
            assert river in games.cards[game]
            assert games.first_game[turn] <= game < games.first_game[turn + 1]


def test_two_players_see_the_same_pairs_from_both_sides():
    cards = cards_on("Kh7h2s", random_range(60, 1), random_range(40, 2))
    oop, ip = BucketRivers(16).build_games(cards, Team())
    np.testing.assert_array_equal(oop.meets, ip.meets.transpose(0, 2, 1))
    np.testing.assert_array_equal(oop.wins, -ip.wins.transpose(0, 2, 1))
    np.testing.assert_array_equal(oop.hero, ip.villain)
    assert (np.abs(oop.wins) <= oop.meets).all()


def test_threads_make_the_same_games():
    cards = cards_on("Kh7h2s", random_range(60, 1), random_range(40, 2))
    one, two = (BucketRivers(16).build_games(cards, Team(n)) for n in (1, 2))
    for ours, theirs in zip(flatten(one), flatten(two), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("number", [0, 20, 256])
def test_other_numbers_of_buckets_are_refused(number):
    problem = f"river_buckets: {number} is not a multiple of 16 from 16 to 240"
    with pytest.raises(ConfigError, match=problem):
        BucketRivers(number)


def test_blockers_are_told_apart_where_stacks_are_deep():
    assert not BucketRivers(48, "auto").at_depth(5.0).has_blockers
    assert BucketRivers(48, "auto").at_depth(12.0).has_blockers
    assert BucketRivers(48, "on").at_depth(1.0).has_blockers
    assert not BucketRivers(48, "off").at_depth(12.0).has_blockers
