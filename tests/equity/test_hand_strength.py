"""Tests of `runout.equity.board`."""

import numpy as np
import pytest

from runout.cards.deck import (
    COMBO_CARDS,
    combo_cards,
    combo_index,
    live_combos,
    parse_board,
    parse_card,
    parse_cards,
    permute_combos,
)
from runout.cards.flops import SUIT_MAPPINGS
from runout.equity.board import HandStrength, board_strengths, hand_strength, sum_strengths
from runout.errors import CardError
from runout.trees.betting import Street
from tests.reference import hand_strength as reference

FIELDS = ("ehs", "ppot", "npot", "ehs2", "ehs_squared")

FLOPS = ["7c6d2s", "9s6s2s", "5c5d5h", "AhAd7d"]  # rainbow, monotone, trips, paired
TURNS = ["2s8sTcQd", "9s6s2sKs", "8h8d3s3c", "KdKcQsQc", "5c5d5h5s"]
RIVERS = ["AsKsQsJs9d", "8h8d3s3c2c", "AhKhQhJhTh", "9s6s2sKs3s"]


def strength_of(board: str, holding: str) -> HandStrength:
    card_a, card_b = parse_cards(holding)
    return hand_strength(parse_board(board), (card_a, card_b))


def random_boards(street: Street, num_boards: int, seed: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng([seed, street.num_board_cards])
    return [
        tuple(rng.permutation(52)[: street.num_board_cards].tolist()) for _ in range(num_boards)
    ]  # not sorted: boards come in the order they are dealt


def exact_equity(board) -> np.ndarray:
    """Returns the all-in equity of all live combos versus a random hand, by counting scores."""
    return sum_strengths(board).expected_strength


def row_of(board, strengths: HandStrength, card_a: int, card_b: int) -> HandStrength:
    row = live_combos(board).tolist().index(combo_index(card_a, card_b))
    names = ("ehs", "ppot", "npot", "ehs2", "ehs_squared")
    return HandStrength(*(float(getattr(strengths, name)[row]) for name in names))


def assert_parts_make_ehs2(strengths: HandStrength) -> None:
    together = (
        strengths.ehs + (1.0 - strengths.ehs) * strengths.ppot - strengths.ehs * strengths.npot
    )
    np.testing.assert_allclose(together, strengths.ehs2, rtol=0.0, atol=1e-14)


# Worked values.


def test_river_ehs_of_the_nut_flush_is_near_one():
    strength = hand_strength(parse_board("2s5s8sTcQd"), parse_cards("AsKs"))
    assert strength.ehs > 0.90
    assert strength.ehs == 1.0  # nothing beats it and nobody else can hold it


def test_river_ehs_of_a_weak_hand_is_low():
    strength = hand_strength(parse_board("AsKsQsJs9d"), parse_cards("7h2c"))
    assert strength.ehs < 0.30
    assert strength.ehs == pytest.approx(0.07778, abs=0.000_005)


def test_turn_ehs2_of_a_flush_draw_is_higher_than_its_ehs():
    strength = hand_strength(parse_board("2s8sTcQd"), parse_cards("As5s"))
    assert strength.ppot > 0.1
    assert strength.ehs2 > strength.ehs
    found = (strength.ehs, strength.ppot, strength.npot, strength.ehs2)
    assert found == pytest.approx((0.41787, 0.27161, 0.14456, 0.51558), abs=0.000_005)


def test_turn_ehs2_of_a_made_hand_has_negative_potential():
    strength = hand_strength(parse_board("As8s7s2d"), parse_cards("AhKc"))
    assert strength.npot > 0.05
    assert strength.ehs2 < strength.ehs


def test_flop_ehs2_of_an_open_ended_straight_draw():
    strength = hand_strength(parse_board("7c6d2s"), parse_cards("9h8h"))
    assert strength.ppot > 0.15
    assert strength.ehs2 > strength.ehs
    assert (strength.ehs, strength.ehs2) == pytest.approx((0.11517, 0.49498), abs=0.000_005)


# Ties.


def test_a_tie_is_half_a_win_and_no_catch_up():
    """Two pair on the board counterfeit 52: without half ties a chopped pot is a full win."""
    counts = reference.count_transitions(parse_board("KdKcQsQc"))
    holding = combo_index(*parse_cards("5d2c"))
    assert float(reference.ehs2_without_half_ties(counts.counts[holding])) == pytest.approx(
        0.342, abs=0.0005
    )
    assert strength_of("KdKcQsQc", "5d2c").ehs2 == pytest.approx(0.182, abs=0.0005)


def test_everybody_ties_on_a_royal_board():
    strengths = board_strengths(parse_board("AhKhQhJhTh"))
    for field in ("ehs", "ehs2"):
        assert (getattr(strengths, field) == 0.5).all()
    assert (strengths.ppot == 0.0).all()
    assert (strengths.npot == 0.0).all()
    assert (strengths.ehs_squared == 0.25).all()


def test_quads_on_the_board_leave_only_the_kicker():
    strength = strength_of("5c5d5h5sKd", "AcAd")
    num_aces_against = 45 - 2  # villains that hold one of the two other aces, or both
    assert strength.ehs == 1 - (2 * num_aces_against + 1) / 2 / 990


def test_a_hand_that_cannot_be_behind_has_no_positive_potential():
    strength = strength_of("AhKhQh", "JhTh")
    assert strength == HandStrength(1.0, 0.0, 0.0, 1.0, 1.0)


def test_a_hand_that_is_never_ahead_has_no_negative_potential():
    """On four aces with a king, every holding plays the board; none is ahead or behind."""
    strength = strength_of("AcAdAhAsKc", "2c2d")
    assert strength == HandStrength(0.5, 0.0, 0.0, 0.5, 0.25)


# EHS2 is the all-in equity.


@pytest.mark.parametrize(
    ("street", "num_boards"), [(Street.FLOP, 6), (Street.TURN, 30), (Street.RIVER, 40)]
)
def test_ehs2_of_every_holding_is_exactly_its_equity_versus_a_random_hand(street, num_boards):
    """More than 84,000 situations, by two ways of counting that share no code but the evaluator."""
    num_situations = 0
    for board in random_boards(street, num_boards, seed=0):
        strengths = board_strengths(board)
        np.testing.assert_array_equal(strengths.ehs2, exact_equity(board))
        assert_parts_make_ehs2(strengths)
        num_situations += len(strengths.ehs)
    assert num_situations == num_boards * (1_176, 1_128, 1_081)[street]


def assert_single_ehs2_is_exact(street: Street, num_boards: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for board in random_boards(street, num_boards, seed):
        equity = exact_equity(board)
        row = int(rng.integers(len(equity)))
        strength = hand_strength(board, combo_cards(live_combos(board)[row]))
        assert strength.ehs2 == equity[row]
        assert_parts_make_ehs2(strength)


@pytest.mark.parametrize(
    ("street", "num_boards"), [(Street.FLOP, 30), (Street.TURN, 400), (Street.RIVER, 600)]
)
def test_ehs2_of_one_holding_is_exactly_its_equity_versus_a_random_hand(street, num_boards):
    assert_single_ehs2_is_exact(street, num_boards, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("street", "num_boards"), [(Street.FLOP, 1_500), (Street.TURN, 4_000), (Street.RIVER, 5_000)]
)
def test_ehs2_is_exact_on_more_than_ten_thousand_boards(street, num_boards):
    assert_single_ehs2_is_exact(street, num_boards, seed=2)


@pytest.mark.parametrize("board", TURNS + RIVERS)
def test_all_strengths_of_a_board_equal_brute_force_with_another_evaluator(board):
    assert_equals_brute_force(parse_board(board))


@pytest.mark.slow
def test_all_strengths_of_a_flop_equal_brute_force_with_another_evaluator():
    assert_equals_brute_force(parse_board("9s6s2s"))


def assert_equals_brute_force(board: tuple[int, ...]) -> None:
    strengths = board_strengths(board)
    twin = reference.count_transitions(board)
    for row, combo in enumerate(live_combos(board)):
        expected = reference.strength_of_counts(
            twin.counts[combo], int(twin.squared_scores[combo]), int(twin.num_runouts[combo])
        )
        for field in FIELDS:
            # One division of whole numbers, so the nearest float and not one next to it.
            assert getattr(strengths, field)[row] == float(getattr(expected, field)), field


# One holding and all holdings of a board.


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_batch_equals_single_in_every_digit(board):
    cards = parse_board(board)
    strengths = board_strengths(cards)
    rng = np.random.default_rng(len(board))
    for combo in rng.choice(live_combos(cards), 12, replace=False):
        card_a, card_b = combo_cards(combo)
        assert hand_strength(cards, (card_a, card_b)) == row_of(cards, strengths, card_a, card_b)
        assert hand_strength(cards, (card_b, card_a)) == row_of(cards, strengths, card_b, card_a)


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_average_strength_of_a_board_is_one_half(board):
    """Whoever wins, somebody loses: the two sides of all matchups share one pot each."""
    strengths = board_strengths(parse_board(board))
    assert strengths.ehs.mean() == pytest.approx(0.5, abs=1e-14)
    assert strengths.ehs2.mean() == pytest.approx(0.5, abs=1e-14)


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_squared_strength_lies_between_the_square_and_the_mean(board):
    strengths = board_strengths(parse_board(board))
    assert (strengths.ehs_squared >= strengths.ehs2**2 - 1e-14).all()
    assert (strengths.ehs_squared <= strengths.ehs2 + 1e-14).all()
    if len(parse_board(board)) == Street.RIVER.num_board_cards:
        np.testing.assert_allclose(strengths.ehs_squared, strengths.ehs2**2, rtol=1e-15)


def test_squared_strength_tells_a_draw_from_a_made_hand_of_equal_equity():
    board = parse_board("7c6d2s")
    strengths = board_strengths(board)
    draw = row_of(board, strengths, *parse_cards("9h8h"))
    distance = np.abs(strengths.ehs2 - draw.ehs2) + (strengths.ehs < 0.5)  # ahead now
    made = row_of(board, strengths, *COMBO_CARDS[live_combos(board)[np.argmin(distance)]].tolist())
    assert made.ehs2 == pytest.approx(draw.ehs2, abs=0.005)
    assert draw.ehs_squared > made.ehs_squared + 0.02


@pytest.mark.parametrize("board", ["9s6s2s", "AhAd7d", "8h8d3s3c", "9s6s2sKs3s"])
def test_renaming_suits_changes_no_strength(board):
    """All 24 renamings; cycles of three show a mapping used the wrong way round."""
    cards = parse_board(board)
    dealt = board_strengths(cards)
    for mapping in SUIT_MAPPINGS:
        renamed = board_strengths(mapping.map_cards(cards))
        moved = permute_combos(mapping.new_suits)[live_combos(cards)]
        rows = np.searchsorted(live_combos(mapping.map_cards(cards)), moved)
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(renamed, field)[rows], getattr(dealt, field))


def test_order_of_the_board_does_not_matter():
    holding = parse_cards("9h8h")
    flop = parse_board("7c6d2s")
    assert hand_strength(flop, holding) == hand_strength(flop[::-1], holding)


def test_a_turn_is_the_average_of_its_rivers():
    board, holding = parse_board("2s8sTcQd"), parse_cards("As5s")
    rest = [card for card in range(52) if card not in (*board, *holding)]
    rivers = [hand_strength((*board, card), holding) for card in rest]
    turn = hand_strength(board, holding)
    assert turn.ehs2 == pytest.approx(np.mean([river.ehs for river in rivers]), abs=1e-14)
    squares = np.mean([river.ehs**2 for river in rivers])
    assert turn.ehs_squared == pytest.approx(squares, abs=1e-14)


# Errors.


@pytest.mark.parametrize("board", ["As", "AsKs", "AsKsQhJd7d8d"])
def test_boards_of_another_size_are_refused(board):
    problem = r"cards, a board has 3 \(flop\), 4 \(turn\) or 5 \(river\)"
    with pytest.raises(CardError, match=problem):
        hand_strength(parse_cards(board), parse_cards("2c2d"))
    with pytest.raises(CardError, match=problem):
        board_strengths(parse_cards(board))


@pytest.mark.parametrize(
    ("board", "holding", "card"),
    [
        (["As", "Ks", "As"], ["2c", "2d"], "As"),
        (["As", "Ks", "Qh"], ["2c", "Ks"], "Ks"),
        (["As", "Ks", "Qh"], ["Qh", "2c"], "Qh"),
        (["As", "Ks", "Qh"], ["7d", "7d"], "7d"),
    ],
)
def test_the_card_that_is_dealt_twice_is_named(board, holding, card):
    with pytest.raises(CardError, match=f"^{card}: dealt twice"):
        hand_strength([*map(parse_card, board)], tuple(map(parse_card, holding)))


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_numbers_that_are_no_cards_are_refused(card):
    with pytest.raises(CardError, match=f"^card {card}: card ids are 0 to 51$"):
        hand_strength(parse_cards("AsKsQh"), (card, 0))


def test_streets_come_in_order_and_have_labels_and_boards():
    assert list(Street) == [0, 1, 2]
    assert [street.label for street in Street] == ["flop", "turn", "river"]
    assert [street.num_board_cards for street in Street] == [3, 4, 5]
