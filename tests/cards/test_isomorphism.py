from collections import Counter
from itertools import combinations, permutations

import pytest

from runout.cards.card import SUITS, format_cards, parse_board, parse_card, parse_cards
from runout.cards.isomorphism import (
    SUIT_MAPPINGS,
    CanonicalBoard,
    SuitMapping,
    suit_stabilizer,
)
from runout.errors import CardError

CLUBS, DIAMONDS, HEARTS, SPADES = range(len(SUITS))

BOARDS = [
    "AhKd7c",  # rainbow
    "AhKh7c",  # two-tone
    "AhKh7h",  # monotone
    "AhAd7c",  # paired, rainbow
    "AhAd7d",  # paired, two-tone
    "8h8d8c",  # trips
    "AhKd7c2s",
    "AhKh7c2c",  # two suits of two cards
    "AhAd7h7d",
    "8h8d8c8s",
    "AhKd7c2s2c",
    "Th9h8h7h6h",
    "QhQdQcJhJd",
    "KhKd5h5d3c",
]


def canonical(text: str) -> CanonicalBoard:
    return CanonicalBoard.from_cards(parse_board(text))


# Examples by hand.


def test_identity_mapping_preserves_suits():
    assert [SuitMapping.identity().map_suit(suit) for suit in range(4)] == [0, 1, 2, 3]


def test_identity_mapping_preserves_cards():
    assert SuitMapping.identity().map_card(parse_card("Ah")) == parse_card("Ah")


def test_rainbow_flop_orders_suits_by_highest_card():
    assert format_cards(canonical("AhKd7c").cards) == "AsKh7d"


def test_monotone_flop_becomes_spades():
    assert format_cards(canonical("AhKh7h").cards) == "AsKs7s"


def test_two_tone_flop_makes_the_common_suit_spades():
    assert format_cards(canonical("AhKh7c").cards) == "AsKs7h"


def test_isomorphic_boards_have_the_same_canonical_board():
    assert canonical("AhKd7c").cards == canonical("AsKh7d").cards


def test_holding_is_mapped_consistently_with_the_board():
    holding = canonical("AhKd7c").canonicalize_holding(*parse_cards("QhJh"))
    assert format_cards(holding) == "QsJs"


# All boards, and what holds for any.


def test_most_common_suit_becomes_spades_even_with_low_cards():
    assert format_cards(canonical("Ac7d2d").cards) == "Ah7s2s"


def test_equal_counts_are_ordered_by_the_second_rank_too():
    assert format_cards(canonical("AcAd9c8d").cards) == "AsAh9s8h"
    assert format_cards(canonical("AcAd8c9d").cards) == "AsAh9s8h"


@pytest.mark.parametrize("text", BOARDS)
def test_suits_and_dealing_order_do_not_change_the_canonical_board(text):
    board = parse_board(text)
    expected = canonical(text).cards
    for mapping in SUIT_MAPPINGS:
        for dealt in permutations(mapping.map_cards(board)):
            assert CanonicalBoard.from_cards(dealt).cards == expected


@pytest.mark.parametrize("text", BOARDS)
def test_every_mapping_leads_to_the_canonical_board(text):
    board = parse_board(text)
    result = canonical(text)
    assert result.mapping in result.mappings
    assert len(set(result.mappings)) == len(suit_stabilizer(board))
    for mapping in result.mappings:
        assert tuple(sorted(mapping.map_cards(board), reverse=True)) == result.cards


@pytest.mark.parametrize("text", BOARDS)
def test_canonical_board_is_its_own_canonical_board(text):
    again = CanonicalBoard.from_cards(canonical(text).cards)
    assert again.cards == canonical(text).cards
    assert again.mapping == SuitMapping.identity()


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.parametrize("holding_text", ["QsJs", "5c4s", "6d6s", "As2d", "9c3h"])
def test_suits_and_order_do_not_change_the_canonical_holding(text, holding_text):
    board, (card_a, card_b) = parse_board(text), parse_cards(holding_text)
    if {card_a, card_b} & set(board):
        pytest.skip("the board holds the card")
    expected = canonical(text).canonicalize_holding(card_a, card_b)
    for mapping in SUIT_MAPPINGS:
        a, b = mapping.map_cards((card_a, card_b))
        dealt = CanonicalBoard.from_cards(mapping.map_cards(reversed(board)))
        assert dealt.canonicalize_holding(a, b) == expected
        assert dealt.canonicalize_holding(b, a) == expected


def count_holdings(flop: tuple[int, ...]) -> int:
    """Returns the orbits of holdings under the flop's symmetries, by Burnside's lemma."""
    stabilizer = suit_stabilizer(flop)
    live = [card for card in range(52) if card not in flop]
    num_fixed = 0
    for mapping in stabilizer:
        num_kept = sum(mapping.map_card(card) == card for card in live)
        is_swap = mapping.then(mapping) == SuitMapping.identity()
        num_swaps = (len(live) - num_kept) // 2 if is_swap else 0
        num_fixed += num_kept * (num_kept - 1) // 2 + num_swaps
    return num_fixed // len(stabilizer)


@pytest.mark.parametrize(
    ("text", "num_classes"),
    [("AhKd7c", 1176), ("AhKh7c", None), ("AhKh7h", 344), ("AhAd7c", None), ("8h8d8c", None)],
)
def test_holdings_fall_into_as_many_classes_as_the_symmetries_leave(text, num_classes):
    board = parse_board(text)
    live = [card for card in range(52) if card not in board]
    classes = {canonical(text).canonicalize_holding(*pair) for pair in combinations(live, 2)}
    assert len(classes) == count_holdings(board)
    assert num_classes is None or len(classes) == num_classes


def test_flops_fall_into_1755_classes_whose_sizes_are_the_orbits_of_suits():
    sizes = Counter(CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3))
    assert len(sizes) == 1755
    assert sum(sizes.values()) == 22_100
    for flop, size in sizes.items():
        assert size == 24 // len(suit_stabilizer(flop))


def test_holding_and_flop_classes_number_1286792():
    flops = {CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3)}
    assert sum(map(count_holdings, flops)) == 1_286_792


@pytest.mark.parametrize("mapping", SUIT_MAPPINGS, ids=lambda mapping: str(mapping.new_suits))
def test_inverse_undoes_every_mapping(mapping):
    cards = tuple(range(52))
    assert mapping.inverse().map_cards(mapping.map_cards(cards)) == cards
    assert mapping.then(mapping.inverse()) == SuitMapping.identity()
    assert mapping.inverse().then(mapping) == SuitMapping.identity()


def test_a_cycle_of_three_suits_is_not_its_own_inverse():
    cycle = SuitMapping((DIAMONDS, HEARTS, CLUBS, SPADES))
    assert cycle.map_suit(CLUBS) == DIAMONDS
    assert cycle.inverse().map_suit(DIAMONDS) == CLUBS
    assert cycle.inverse() == cycle.then(cycle) != cycle


def test_composition_applies_the_left_mapping_first():
    for first in SUIT_MAPPINGS:
        for second in SUIT_MAPPINGS:
            expected = [second.map_suit(first.map_suit(suit)) for suit in range(4)]
            assert list(first.then(second).new_suits) == expected


@pytest.mark.parametrize(
    ("cards", "size"),
    [("", 24), ("As", 6), ("AsKs", 6), ("AsKh", 2), ("AsAh", 4), ("AsAhAd", 6), ("AsKhQd", 1)],
)
def test_stabilizer_has_the_permutations_that_keep_the_cards(cards, size):
    stabilizer = suit_stabilizer(parse_cards(cards))
    assert len(stabilizer) == size
    assert stabilizer[0] == SuitMapping.identity()


@pytest.mark.parametrize(
    ("board", "problem"),
    [
        ((), "0 cards, a board has 3"),
        ((0, 1), "2 cards, a board has 3"),
        ((0, 1, 2, 3, 4, 5), "6 cards, a board has 3"),
        ((0, 1, 0), "2c: comes twice"),
        ((0, 1, 52), "card 52: card ids are 0 to 51"),
    ],
)
def test_invalid_boards_are_refused(board, problem):
    with pytest.raises(CardError, match=problem):
        CanonicalBoard.from_cards(board)


def test_holdings_that_collide_are_refused_in_the_dealt_suits():
    board = canonical("AhKd7c")
    with pytest.raises(CardError, match=r"^Kd: comes twice"):
        board.canonicalize_holding(*parse_cards("KdQd"))
    with pytest.raises(CardError, match=r"^Qd: comes twice"):
        board.canonicalize_holding(parse_card("Qd"), parse_card("Qd"))


def test_mappings_that_are_no_permutation_are_refused():
    with pytest.raises(CardError, match="not a permutation"):
        SuitMapping((0, 0, 1, 2))
