"""Buckets of hands on rivers, and who can meet whom, against loops over pairs."""

import numpy as np
import pytest

from runout.cards.deck import COMBO_CARDS, NUM_COMBOS, parse_board, parse_card
from runout.cards.evaluator import evaluator_tables
from runout.holdem import river_kernels as river_game_kernels
from runout.holdem.river_kernels import NUM_STRENGTHS, RiverHands
from tests.reference.poker_rules import value_of_best

BOARD = np.array(parse_board("Kh7h2s9d"), dtype=np.uint8)
#: Four cards of a rank that make no flush; one card that can.
RIVERS = [np.array([parse_card(c) for c in text.split()], np.uint8) for text in ("5c 5d 5s", "Ah")]


def random_hands(num_combos=60, seed=0):
    rng = np.random.default_rng(seed)
    combos = np.sort(rng.choice(NUM_COMBOS, num_combos, replace=False)).astype(np.int64)
    weight = rng.random((2, num_combos))
    weight[0, ::4] = 0.0
    weight[1, 1::4] = 0.0
    weight /= weight.sum(axis=1, keepdims=True)
    return RiverHands(combos, COMBO_CARDS[combos].astype(np.int64), weight)


def ranked(rivers, hands):
    return river_game_kernels.rank_rivers(evaluator_tables(), BOARD, rivers, hands)


@pytest.mark.parametrize("rivers", RIVERS)
def test_strengths_order_hands_as_the_rules_do(rivers):
    hands = random_hands()
    for river, strength in zip(rivers, ranked(rivers, hands), strict=True):
        board = [*BOARD.tolist(), int(river)]
        possible = [i for i, cards in enumerate(hands.cards.tolist()) if not set(cards) & {*board}]
        assert possible == np.flatnonzero(strength).tolist()
        by_rules = [value_of_best([*board, *hands.cards[i].tolist()]) for i in possible]
        order = sorted(range(len(possible)), key=lambda i: by_rules[i])
        assert (np.diff(strength[possible][order].astype(int)) >= 0).all()


def test_strengths_weigh_what_both_ranges_hold():
    hands = random_hands()
    strength = ranked(RIVERS[0], hands)
    weight = np.full(NUM_STRENGTHS, np.nan)
    river_game_kernels.weigh_strengths(strength, hands, weight)
    expected = np.zeros(NUM_STRENGTHS)
    for row in strength:
        np.add.at(expected, row[row > 0], hands.weight.sum(axis=0)[row > 0])
    np.testing.assert_allclose(weight, expected)


@pytest.mark.parametrize("num_cuts", [1, 7, 16, 200])
def test_cuts_keep_the_order_and_use_all_buckets_there_are(num_cuts):
    weight = np.zeros(NUM_STRENGTHS)
    rng = np.random.default_rng(1)
    there = np.sort(rng.choice(np.arange(1, NUM_STRENGTHS), 50, replace=False))
    weight[there] = rng.random(50)
    bucket = np.zeros(NUM_STRENGTHS, np.uint8)
    river_game_kernels.cut_strengths(weight, num_cuts, bucket)
    steps = np.diff(bucket[there].astype(int))
    assert bucket[there[0]] == 0
    assert set(steps) <= {0, 1}
    assert bucket[there[-1]] == min(num_cuts, 50) - 1


def test_cuts_of_equal_weights_are_equal():
    weight = np.zeros(NUM_STRENGTHS)
    weight[1:49] = 1.0
    bucket = np.zeros(NUM_STRENGTHS, np.uint8)
    river_game_kernels.cut_strengths(weight, 16, bucket)
    np.testing.assert_array_equal(np.bincount(bucket[1:49]), np.full(16, 3))


def test_hands_are_placed_by_their_strength_and_impossible_ones_apart():
    hands = random_hands()
    strength = ranked(RIVERS[0], hands)
    bucket_of = np.arange(NUM_STRENGTHS).astype(np.uint8)
    out = np.zeros(len(hands.combos), np.uint8)
    river_game_kernels.place_hands(strength, bucket_of, 255, out)
    for hand, column in enumerate(strength.T):
        possible = column[column > 0]
        assert len(set(possible.tolist())) <= 1
        assert out[hand] == (bucket_of[possible[0]] if len(possible) else 255)


def test_blockers_split_a_bucket_by_how_much_of_the_strongest_tenth_is_blocked():
    hands = random_hands(400)
    strength = ranked(RIVERS[1], hands)
    weight = np.empty(NUM_STRENGTHS)
    river_game_kernels.weigh_strengths(strength, hands, weight)
    bucket_of = np.zeros(NUM_STRENGTHS, np.uint8)
    river_game_kernels.cut_strengths(weight, 4, bucket_of)
    before = np.zeros(len(hands.combos), np.uint8)
    river_game_kernels.place_hands(strength, bucket_of, 8, before)
    after = before.copy()
    river_game_kernels.split_by_blockers(strength, hands, weight, 8, after)
    both = hands.weight.sum(axis=0)
    order = np.argsort(-strength[0].astype(int), kind="stable")
    above = np.cumsum(both[order]) - both[order]
    limit = strength[0][order][above < 0.1 * weight.sum()].min()
    strong = strength[0] >= max(int(limit), 1)
    by_card = np.zeros(52)
    for column in hands.cards.T:
        np.add.at(by_card, column[strong], both[strong])
    score = by_card[hands.cards].sum(axis=1)
    for bucket in range(4):
        inside = before == bucket
        mean = (score * both)[inside].sum() / both[inside].sum()
        np.testing.assert_array_equal(after[inside], 2 * bucket + (score[inside] > mean))
    np.testing.assert_array_equal(after[before == 8], 8)


@pytest.mark.parametrize("rivers", RIVERS)
def test_meetings_are_the_pairs_that_share_no_card(rivers):
    hands = random_hands()
    strength = ranked(rivers, hands)
    bucket = np.random.default_rng(2).integers(0, 5, len(hands.combos)).astype(np.uint8)
    met = np.full((6, 6), np.nan)
    river_game_kernels.count_meetings(strength, hands, bucket, met)
    pairs, apart = np.zeros((6, 6)), np.zeros((6, 6))
    for row in strength:
        live = np.flatnonzero(row)
        for i in live:
            for j in live:
                weight = hands.weight[0, i] * hands.weight[1, j]
                pairs[bucket[i], bucket[j]] += weight
                if not set(hands.cards[i].tolist()) & set(hands.cards[j].tolist()):
                    apart[bucket[i], bucket[j]] += weight
    expected = np.divide(apart, pairs, out=np.zeros((6, 6)), where=pairs > 0.0)
    np.testing.assert_allclose(met, expected, atol=1e-12)


@pytest.mark.parametrize("has_blockers", [False, True])
def test_a_game_is_made_of_its_steps(has_blockers):
    hands, size = random_hands(300), 16
    bucket, met = np.zeros(len(hands.combos), np.uint8), np.zeros((size, size))
    tables = evaluator_tables()
    river_game_kernels.build_game(tables, BOARD, RIVERS[0], hands, has_blockers, bucket, met)
    strength = ranked(RIVERS[0], hands)
    best = strength.max(axis=0).astype(int)
    np.testing.assert_array_equal(bucket == size, best == 0)
    group = bucket // (1 + has_blockers)
    order = np.argsort(best[best > 0], kind="stable")
    assert (np.diff(group[best > 0][order].astype(int)) >= 0).all()
    again = np.zeros((size, size))
    river_game_kernels.count_meetings(strength, hands, bucket, again)
    np.testing.assert_array_equal(met, again)
