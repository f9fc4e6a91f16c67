from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.arrays import IntArray, Uint8Array
from runout.cards.deck import COMBO_CARDS, HAND_BY_COMBO, parse_cards
from runout.cards.flops import SUIT_MAPPINGS, CanonicalBoard
from runout.cards.hand_indexer import (
    FLOP_BOARD,
    HOLE,
    HOLE_FLOP,
    HOLE_FLOP_TURN,
    HOLE_FLOP_TURN_RIVER,
    HOLE_RIVER,
    HOLE_TURN,
    RIVER_BOARD,
    TURN_BOARD,
    HandIndexer,
)
from runout.errors import CardError
from tests.reference.hand_isomorphism import canonical_deal, count_deals_by_class

# The numbers of Waugh (2013) where he gives them.
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
SMALL = [HOLE, FLOP_BOARD, TURN_BOARD, RIVER_BOARD, HOLE_FLOP]
LARGE = [HOLE_TURN, HOLE_RIVER, HOLE_FLOP_TURN, HOLE_FLOP_TURN_RIVER]


def sample_deals(num_deals: int, num_cards: int, seed: int) -> Uint8Array:
    """Returns ``[n, k]`` random cards, half of them of two suits so that suits often tie."""
    generator = np.random.default_rng(seed)
    deals = generator.random((num_deals, 52)).argsort(axis=1)[:, :num_cards]
    clubs_and_hearts = 2 * generator.random((num_deals, 26)).argsort(axis=1)[:, :num_cards]
    deals[::2] = clubs_and_hearts[::2]
    return deals.astype(np.uint8)


def sample_indices(indexer: HandIndexer, seed: int) -> IntArray:
    """Returns the first and last 1,000 indices and 100,000 random ones."""
    drawn = np.random.default_rng(seed).integers(indexer.size, size=100_000)
    ends = np.arange(1_000)
    return np.concatenate([ends, indexer.size - 1 - ends, drawn])


def rename_suits(cards: Uint8Array, new_suits: tuple[int, ...]) -> Uint8Array:
    return cards // 4 * 4 + np.array(new_suits, dtype=np.uint8)[cards % 4]


@pytest.mark.parametrize(("rounds", "size"), SIZES.items(), ids=str)
def test_indexer_has_the_published_size(rounds, size):
    assert INDEXERS[rounds].size == size


@pytest.mark.parametrize("rounds", SMALL, ids=str)
def test_every_class_of_a_small_indexer_comes_back(rounds):
    indexer = INDEXERS[rounds]
    indices = np.arange(indexer.size)
    np.testing.assert_array_equal(indexer.index_many(indexer.unindex_many(indices)), indices)


@pytest.mark.parametrize("rounds", LARGE, ids=str)
def test_sampled_classes_of_a_large_indexer_come_back(rounds):
    indexer = INDEXERS[rounds]
    indices = sample_indices(indexer, seed=1)
    np.testing.assert_array_equal(indexer.index_many(indexer.unindex_many(indices)), indices)


@pytest.mark.slow
def test_every_hole_and_turn_class_comes_back():
    indexer = INDEXERS[HOLE_TURN]
    indices = np.arange(indexer.size)
    np.testing.assert_array_equal(indexer.index_many(indexer.unindex_many(indices)), indices)
    assert indexer.multiplicities().sum() == comb(52, 2) * comb(50, 4)


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


@pytest.mark.parametrize("rounds", SIZES, ids=str)
def test_the_canonical_deal_belongs_to_the_class_of_the_dealt_one(rounds):
    indexer = INDEXERS[rounds]
    deals = sample_deals(500, indexer.num_cards, seed=6)
    representatives = indexer.unindex_many(indexer.index_many(deals))
    for deal, representative in zip(deals.tolist(), representatives.tolist(), strict=True):
        assert canonical_deal(deal, rounds) == canonical_deal(representative, rounds)


@pytest.mark.parametrize("rounds", [HOLE, FLOP_BOARD], ids=str)
def test_classes_and_multiplicities_match_brute_force_exhaustively(rounds):
    indexer = INDEXERS[rounds]
    expected = count_deals_by_class(rounds)
    representatives = indexer.unindex_many(np.arange(indexer.size)).tolist()
    forms = [canonical_deal(deal, rounds) for deal in representatives]
    assert dict(zip(forms, indexer.multiplicities().tolist(), strict=True)) == expected


@pytest.mark.parametrize("rounds", SMALL, ids=str)
def test_multiplicities_sum_to_all_deals(rounds):
    num_deals, num_left = 1, 52
    for count in rounds:
        num_deals *= comb(num_left, count)
        num_left -= count
    multiplicities = INDEXERS[rounds].multiplicities()
    assert multiplicities.sum() == num_deals
    assert set(multiplicities.tolist()) <= {1, 3, 4, 6, 8, 12, 24}


@pytest.mark.parametrize(
    ("rounds", "deal_all"), [(TURN_BOARD, combinations), ((1, 1, 1), permutations)], ids=str
)
def test_multiplicities_agree_with_counting_every_deal(rounds, deal_all):
    indexer = HandIndexer(rounds)
    deals = np.array(list(deal_all(range(52), indexer.num_cards)), dtype=np.uint8)
    counts = np.bincount(indexer.index_many(deals))
    np.testing.assert_array_equal(indexer.multiplicities(), counts)


@pytest.mark.parametrize("rounds", LARGE, ids=str)
def test_average_multiplicity_of_deals_matches_the_number_of_classes(rounds):
    # A random deal lies in a class of multiplicity m with 1 / m classes per deal.
    indexer = INDEXERS[rounds]
    num_deals, num_left = 1, 52
    for count in rounds:
        num_deals *= comb(num_left, count)
        num_left -= count
    generator = np.random.default_rng(7)
    order = generator.random((50_000, 52)).argsort(axis=1)
    deals = order[:, : indexer.num_cards].astype(np.uint8)
    multiplicities = indexer.multiplicity_many(indexer.index_many(deals))
    assert num_deals * np.mean(1 / multiplicities) == pytest.approx(indexer.size, rel=0.01)


def test_hole_classes_are_the_canonical_hands():
    indices = INDEXERS[HOLE].index_many(COMBO_CARDS)
    assert len(set(zip(indices.tolist(), HAND_BY_COMBO.tolist(), strict=True))) == 169


@pytest.mark.parametrize("rounds", [FLOP_BOARD, TURN_BOARD, RIVER_BOARD], ids=str)
def test_boards_are_dealt_as_canonical_boards(rounds):
    indexer = INDEXERS[rounds]
    step = max(1, indexer.size // 4_000)
    for board in indexer.unindex_many(np.arange(0, indexer.size, step)).tolist():
        assert CanonicalBoard.from_cards(board).cards == tuple(board)


@settings(derandomize=True, deadline=None)
@given(st.permutations(range(52)), st.sampled_from(list(SIZES)))
def test_joint_canonical_form_and_index_agree_on_what_is_the_same(cards, rounds):
    indexer = INDEXERS[rounds]
    deal = cards[: indexer.num_cards]
    representative = indexer.unindex(indexer.index(deal))
    assert indexer.index(representative) == indexer.index(deal)
    if rounds in (HOLE_FLOP, HOLE_TURN, HOLE_RIVER):
        dealt = CanonicalBoard.from_cards(deal[2:])
        other = CanonicalBoard.from_cards(representative[2:])
        assert dealt.cards == other.cards
        assert dealt.canonicalize_holding(*deal[:2]) == other.canonicalize_holding(
            *representative[:2]
        )


def test_no_deals_and_no_indices_give_empty_arrays():
    indexer = INDEXERS[HOLE_FLOP]
    assert indexer.index_many(np.empty((0, 5), dtype=np.uint8)).shape == (0,)
    assert indexer.unindex_many(np.empty(0, dtype=np.int64)).shape == (0, 5)


@pytest.mark.parametrize("index", [-1, 1_286_792, 2**40])
def test_indices_out_of_range_are_refused(index):
    indexer = INDEXERS[HOLE_FLOP]
    problem = rf"^hand index {index}: HandIndexer\(\(2, 3\)\) has indices 0 to 1286791$"
    for call in (indexer.unindex_many, indexer.multiplicity_many):
        with pytest.raises(CardError, match=problem):
            call(np.array([0, index]))
    with pytest.raises(CardError, match=problem):
        indexer.unindex(index)


@pytest.mark.parametrize(
    ("cards", "problem"),
    [
        ((0, 1, 2), r"^cards '2c2d2h': 3 cards, rounds of \(2, 3\) have 5$"),
        ((0, 1, 2, 3, 0), "^2c: comes twice in 2c2d2h2s2c$"),
        ((0, 1, 2, 3, 52), "^card 52: card ids are 0 to 51$"),
    ],
)
def test_impossible_deals_are_refused(cards, problem):
    with pytest.raises(CardError, match=problem):
        INDEXERS[HOLE_FLOP].index(cards)


def test_impossible_rows_are_refused_by_number():
    indexer = INDEXERS[HOLE_FLOP]
    good = [0, 1, 2, 3, 4]
    with pytest.raises(CardError, match=r"^row 1 '2c2d2h2s2d': a card comes twice$"):
        indexer.index_many(np.array([good, [0, 1, 2, 3, 1]], dtype=np.uint8))
    with pytest.raises(CardError, match=r"^row 1 \[0, 1, 2, 3, 300\]: card ids are 0 to 51$"):
        indexer.index_many(np.array([good, [0, 1, 2, 3, 300]]))  # not wrapped to a byte
    with pytest.raises(CardError, match=r"^cards of shape \(5,\): rounds of \(2, 3\) need rows"):
        indexer.index_many(np.array(good, dtype=np.uint8))


@pytest.mark.parametrize("rounds", [(), (0,), (2, 0, 1), (4, 4), (-1, 3)])
def test_impossible_rounds_are_refused(rounds):
    with pytest.raises(CardError, match="at least 1 card and all together at most 7"):
        HandIndexer(rounds)
