from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.arrays import Uint8Array
from runout.cards.deck import COMBO_CARDS, HAND_BY_COMBO, live_combos, parse_cards
from runout.cards.flops import SUIT_MAPPINGS, CanonicalBoard
from runout.cards.hand_indexer import HandIndexer, canonical_boards
from runout.errors import CardError
from tests.reference.hand_isomorphism import (
    canonical_deal,
    canonicalize_holding,
    count_deals_by_class,
)

# The numbers of Waugh (2013) where he gives them.
HOLE = (2,)
HOLE_FLOP = (2, 3)
HOLE_TURN = (2, 4)
HOLE_RIVER = (2, 5)
HOLE_FLOP_TURN = (2, 3, 1)
HOLE_FLOP_TURN_RIVER = (2, 3, 1, 1)
FLOP_BOARD = (3,)
TURN_BOARD = (4,)
RIVER_BOARD = (5,)

SIZES = {
    HOLE: 169,
    FLOP_BOARD: 1_755,
    TURN_BOARD: 16_432,
    RIVER_BOARD: 134_459,
    HOLE_FLOP: 1_286_792,
    HOLE_TURN: 13_960_050,
    HOLE_RIVER: 123_156_254,
    HOLE_FLOP_TURN: 55_190_538,
    HOLE_FLOP_TURN_RIVER: 2_428_287_420,
}
INDEXERS = {rounds: HandIndexer(rounds) for rounds in SIZES}


def sample_deals(num_deals: int, num_cards: int, seed: int) -> Uint8Array:
    """Returns ``[n, k]`` random cards, half of them of two suits so that suits often tie."""
    generator = np.random.default_rng(seed)
    deals = generator.random((num_deals, 52)).argsort(axis=1)[:, :num_cards]
    clubs_and_hearts = 2 * generator.random((num_deals, 26)).argsort(axis=1)[:, :num_cards]
    deals[::2] = clubs_and_hearts[::2]
    return deals.astype(np.uint8)


def rename_suits(cards: Uint8Array, new_suits: tuple[int, ...]) -> Uint8Array:
    return cards // 4 * 4 + np.array(new_suits, dtype=np.uint8)[cards % 4]


@pytest.mark.parametrize(("rounds", "size"), SIZES.items(), ids=str)
def test_indexer_has_the_published_size(rounds, size):
    assert INDEXERS[rounds].size == size


@pytest.mark.parametrize("rounds", [FLOP_BOARD, TURN_BOARD, RIVER_BOARD], ids=str)
def test_boards_of_every_class_are_listed_in_order_with_their_number(rounds):
    indexer = INDEXERS[rounds]
    boards, counts = canonical_boards(*rounds)
    np.testing.assert_array_equal(indexer.index_many(boards), np.arange(indexer.size))
    assert counts.sum() == comb(52, *rounds)
    assert set(counts.tolist()) <= {1, 3, 4, 6, 8, 12, 24}


def test_every_hole_class_has_a_number():
    indices = INDEXERS[HOLE].index_many(COMBO_CARDS)
    np.testing.assert_array_equal(np.unique(indices), np.arange(169))


@pytest.mark.parametrize("rounds", [HOLE_FLOP, pytest.param(HOLE_TURN, marks=pytest.mark.slow)])
def test_every_number_is_that_of_a_holding_on_a_board(rounds):
    indexer = INDEXERS[rounds]
    is_found = np.zeros(indexer.size, dtype=np.bool_)
    for board in canonical_boards(rounds[1])[0]:
        holdings = COMBO_CARDS[live_combos(board.tolist())]
        deals = np.concatenate([holdings, np.tile(board, (len(holdings), 1))], axis=1)
        is_found[indexer.index_many(deals)] = True
    assert is_found.all()


@pytest.mark.parametrize("rounds", SIZES, ids=str)
def test_renaming_suits_does_not_change_the_index(rounds):
    indexer = INDEXERS[rounds]
    deals = sample_deals(2_000, indexer.num_cards, seed=2)
    expected = indexer.index_many(deals)
    for mapping in SUIT_MAPPINGS:
        renamed = rename_suits(deals, mapping.new_suits)
        np.testing.assert_array_equal(indexer.index_many(renamed), expected)


@pytest.mark.parametrize("rounds", SIZES, ids=str)
def test_order_within_a_round_does_not_change_the_index(rounds):
    indexer = INDEXERS[rounds]
    deals = sample_deals(2_000, indexer.num_cards, seed=3)
    generator = np.random.default_rng(4)
    shuffled = deals.copy()
    begin = 0
    for count in rounds:
        part = shuffled[:, begin : begin + count]
        shuffled[:, begin : begin + count] = generator.permuted(part, axis=1)
        begin += count
    np.testing.assert_array_equal(indexer.index_many(shuffled), indexer.index_many(deals))


def test_order_of_rounds_matters():
    flop_then_turn = INDEXERS[HOLE_FLOP_TURN]
    one_way = flop_then_turn.index(parse_cards("AsAh KsQs2d 3c"))
    other_way = flop_then_turn.index(parse_cards("AsAh KsQs3c 2d"))
    assert one_way != other_way
    as_sets = INDEXERS[HOLE_TURN]
    assert as_sets.index(parse_cards("AsAh KsQs2d 3c")) == as_sets.index(
        parse_cards("AsAh KsQs3c 2d")
    )


@pytest.mark.parametrize("rounds", SIZES, ids=str)
def test_indices_are_equal_exactly_if_the_brute_force_forms_are(rounds):
    indexer = INDEXERS[rounds]
    # Few ranks, so that many of the sampled deals are isomorphic.
    deals = sample_deals(3_000, indexer.num_cards, seed=5)
    deals[1_000:] %= 16 if indexer.num_cards > 4 else 8
    deals = deals[[len(set(row)) == indexer.num_cards for row in deals.tolist()]]
    indices = indexer.index_many(deals).tolist()
    forms = [canonical_deal(row, rounds) for row in deals.tolist()]
    assert len(set(indices)) == len(set(forms)) == len(set(zip(indices, forms, strict=True)))
    assert len(set(forms)) < len(forms)


def test_boards_and_their_numbers_match_brute_force_exhaustively():
    boards, counts = canonical_boards(3)
    forms = [canonical_deal(board, FLOP_BOARD) for board in boards.tolist()]
    assert dict(zip(forms, counts.tolist(), strict=True)) == count_deals_by_class(FLOP_BOARD)


def test_hole_classes_are_the_canonical_hands():
    indices = INDEXERS[HOLE].index_many(COMBO_CARDS)
    assert len(set(zip(indices.tolist(), HAND_BY_COMBO.tolist(), strict=True))) == 169


@settings(derandomize=True, deadline=None)
@given(st.permutations(range(52)), st.sampled_from([HOLE_FLOP, HOLE_TURN, HOLE_RIVER]))
def test_joint_canonical_form_and_index_agree_on_what_is_the_same(cards, rounds):
    indexer = INDEXERS[rounds]
    deal = cards[: indexer.num_cards]
    dealt = CanonicalBoard.from_cards(deal[2:])
    canonical = (*canonicalize_holding(dealt, *deal[:2]), *dealt.cards)
    assert indexer.index(canonical) == indexer.index(deal)


def test_no_deals_give_empty_arrays():
    assert INDEXERS[HOLE_FLOP].index_many(np.empty((0, 5), dtype=np.uint8)).shape == (0,)


@pytest.mark.parametrize(
    ("cards", "problem"),
    [
        ((0, 1, 2), r"^cards '2c2d2h': 3 cards, rounds of \(2, 3\) have 5$"),
        ((0, 1, 2, 3, 0), "^2c: dealt twice in 2c2d2h2s2c$"),
        ((0, 1, 2, 3, 52), "^card 52: card ids are 0 to 51$"),
    ],
)
def test_impossible_deals_are_refused(cards, problem):
    with pytest.raises(CardError, match=problem):
        INDEXERS[HOLE_FLOP].index(cards)


def test_impossible_rows_are_refused_by_number():
    indexer = INDEXERS[HOLE_FLOP]
    good = [0, 1, 2, 3, 4]
    with pytest.raises(CardError, match=r"^row 1 '2c2d2h2s2d': dealt twice$"):
        indexer.index_many(np.array([good, [0, 1, 2, 3, 1]], dtype=np.uint8))
    with pytest.raises(CardError, match=r"^row 1 \[0, 1, 2, 3, 300\]: card ids are 0 to 51$"):
        indexer.index_many(np.array([good, [0, 1, 2, 3, 300]]))  # not wrapped to a byte
    with pytest.raises(CardError, match=r"^cards of shape \(5,\): rounds of \(2, 3\) need rows"):
        indexer.index_many(np.array(good, dtype=np.uint8))


@pytest.mark.parametrize("rounds", [(), (0,), (2, 0, 1), (4, 4), (-1, 3)])
def test_impossible_rounds_are_refused(rounds):
    with pytest.raises(CardError, match="at least 1 card and all together at most 7"):
        HandIndexer(rounds)
