"""Tests of `runout.equity.hand_strength`."""

import pickle

import numpy as np
import pytest

from runout.abstraction import (
    AbstractionError,
    AbstractionLoadError,
    BoardHandStrengths,
    DuplicateCardError,
    HandStrength,
    HandStrengthCalculator,
    InvalidBoardSizeError,
    InvalidBoundariesError,
    SerializationError,
    Street,
)
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
from runout.equity.board import strength_histograms
from runout.equity.hand_strength import require_deal, street_of_board
from runout.errors import RunoutError
from tests.reference import hand_strength as reference

ERRORS = [
    InvalidBoardSizeError("board", "2 cards"),
    DuplicateCardError("As", "this card is dealt twice"),
    AbstractionLoadError("here", "is damaged"),
    InvalidBoundariesError("flop boundaries", "contain NaN"),
    SerializationError("there", "cannot be written"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_of_the_family_can_be_caught_as_one(error):
    assert isinstance(error, AbstractionError)
    assert isinstance(error, RunoutError)
    assert str(error) == f"{error.where}: {error.problem}"


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_the_way_from_another_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_notes_survive_the_way_from_another_process():
    error = DuplicateCardError("As", "this card is dealt twice")
    error.add_note("while working on task 3")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["while working on task 3"]


CALCULATOR = HandStrengthCalculator()
FIELDS = ("ehs", "ppot", "npot", "ehs2", "ehs_squared")

FLOPS = ["7c6d2s", "9s6s2s", "5c5d5h", "AhAd7d"]  # rainbow, monotone, trips, paired
TURNS = ["2s8sTcQd", "9s6s2sKs", "8h8d3s3c", "KdKcQsQc", "5c5d5h5s"]
RIVERS = ["AsKsQsJs9d", "8h8d3s3c2c", "AhKhQhJhTh", "9s6s2sKs3s"]


def strength_of(board: str, holding: str) -> HandStrength:
    card_a, card_b = parse_cards(holding)
    return CALCULATOR.calculate(parse_board(board), (card_a, card_b))


def random_boards(street: Street, num_boards: int, seed: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng([seed, street.num_board_cards])
    return [
        tuple(rng.permutation(52)[: street.num_board_cards].tolist()) for _ in range(num_boards)
    ]  # not sorted: boards come in the order they are dealt


def exact_equity(board) -> np.ndarray:
    """Returns the all-in equity of all live combos versus a random hand, by counting scores."""
    return strength_histograms(board).expected_strength


def row_of(strengths: BoardHandStrengths, card_a: int, card_b: int) -> HandStrength:
    row = strengths.combos.tolist().index(combo_index(card_a, card_b))
    names = ("ehs", "ppot", "npot", "ehs2", "ehs_squared")
    return HandStrength(*(float(getattr(strengths, name)[row]) for name in names))


def assert_parts_make_ehs2(strengths: HandStrength | BoardHandStrengths) -> None:
    together = (
        strengths.ehs + (1.0 - strengths.ehs) * strengths.ppot - strengths.ehs * strengths.npot
    )
    np.testing.assert_allclose(together, strengths.ehs2, rtol=0.0, atol=1e-14)


# Worked values.


def test_river_ehs_of_the_nut_flush_is_near_one():
    strength = CALCULATOR.calculate_river(parse_board("2s5s8sTcQd"), parse_cards("AsKs"))
    assert strength.ehs > 0.90
    assert strength.ehs == 1.0  # nothing beats it and nobody else can hold it


def test_river_ehs_of_a_weak_hand_is_low():
    strength = CALCULATOR.calculate_river(parse_board("AsKsQsJs9d"), parse_cards("7h2c"))
    assert strength.ehs < 0.30
    assert strength.ehs == pytest.approx(0.07778, abs=0.000_005)


def test_turn_ehs2_of_a_flush_draw_is_higher_than_its_ehs():
    strength = CALCULATOR.calculate_turn(parse_board("2s8sTcQd"), parse_cards("As5s"))
    assert strength.ppot > 0.1
    assert strength.ehs2 > strength.ehs
    found = (strength.ehs, strength.ppot, strength.npot, strength.ehs2)
    assert found == pytest.approx((0.41787, 0.27161, 0.14456, 0.51558), abs=0.000_005)


def test_turn_ehs2_of_a_made_hand_has_negative_potential():
    strength = CALCULATOR.calculate_turn(parse_board("As8s7s2d"), parse_cards("AhKc"))
    assert strength.npot > 0.05
    assert strength.ehs2 < strength.ehs


def test_flop_ehs2_of_an_open_ended_straight_draw():
    strength = CALCULATOR.calculate_flop(parse_board("7c6d2s"), parse_cards("9h8h"))
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
    strengths = CALCULATOR.calculate_board(parse_board("AhKhQhJhTh"))
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
        strengths = CALCULATOR.calculate_board(board)
        np.testing.assert_array_equal(strengths.ehs2, exact_equity(board))
        assert_parts_make_ehs2(strengths)
        num_situations += len(strengths.combos)
    assert num_situations == num_boards * (1_176, 1_128, 1_081)[street]


def assert_single_ehs2_is_exact(street: Street, num_boards: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for board in random_boards(street, num_boards, seed):
        equity = exact_equity(board)
        row = int(rng.integers(len(equity)))
        strength = CALCULATOR.calculate(board, combo_cards(live_combos(board)[row]))
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
    strengths = CALCULATOR.calculate_board(board)
    twin = reference.count_transitions(board)
    assert strengths.combos.tolist() == live_combos(board).tolist()
    for row, combo in enumerate(strengths.combos):
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
    strengths = CALCULATOR.calculate_board(cards)
    rng = np.random.default_rng(len(board))
    for combo in rng.choice(strengths.combos, 12, replace=False):
        card_a, card_b = combo_cards(combo)
        assert CALCULATOR.calculate(cards, (card_a, card_b)) == row_of(strengths, card_a, card_b)
        assert CALCULATOR.calculate(cards, (card_b, card_a)) == row_of(strengths, card_b, card_a)


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_average_strength_of_a_board_is_one_half(board):
    """Whoever wins, somebody loses: the two sides of all matchups share one pot each."""
    strengths = CALCULATOR.calculate_board(parse_board(board))
    assert strengths.ehs.mean() == pytest.approx(0.5, abs=1e-14)
    assert strengths.ehs2.mean() == pytest.approx(0.5, abs=1e-14)


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_squared_strength_lies_between_the_square_and_the_mean(board):
    strengths = CALCULATOR.calculate_board(parse_board(board))
    assert (strengths.ehs_squared >= strengths.ehs2**2 - 1e-14).all()
    assert (strengths.ehs_squared <= strengths.ehs2 + 1e-14).all()
    if len(parse_board(board)) == Street.RIVER.num_board_cards:
        np.testing.assert_allclose(strengths.ehs_squared, strengths.ehs2**2, rtol=1e-15)


def test_squared_strength_tells_a_draw_from_a_made_hand_of_equal_equity():
    strengths = CALCULATOR.calculate_board(parse_board("7c6d2s"))
    draw = row_of(strengths, *parse_cards("9h8h"))
    distance = np.abs(strengths.ehs2 - draw.ehs2) + (strengths.ehs < 0.5)  # ahead now
    made = row_of(strengths, *COMBO_CARDS[strengths.combos[np.argmin(distance)]].tolist())
    assert made.ehs2 == pytest.approx(draw.ehs2, abs=0.005)
    assert draw.ehs_squared > made.ehs_squared + 0.02


@pytest.mark.parametrize("board", ["9s6s2s", "AhAd7d", "8h8d3s3c", "9s6s2sKs3s"])
def test_renaming_suits_changes_no_strength(board):
    """All 24 renamings; cycles of three show a mapping used the wrong way round."""
    cards = parse_board(board)
    dealt = CALCULATOR.calculate_board(cards)
    for mapping in SUIT_MAPPINGS:
        renamed = CALCULATOR.calculate_board(mapping.map_cards(cards))
        rows = np.searchsorted(renamed.combos, permute_combos(mapping.new_suits)[dealt.combos])
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(renamed, field)[rows], getattr(dealt, field))


def test_order_of_the_board_does_not_matter():
    holding = parse_cards("9h8h")
    flop = parse_board("7c6d2s")
    assert CALCULATOR.calculate(flop, holding) == CALCULATOR.calculate(flop[::-1], holding)


def test_a_turn_is_the_average_of_its_rivers():
    board, holding = parse_board("2s8sTcQd"), parse_cards("As5s")
    rest = [card for card in range(52) if card not in (*board, *holding)]
    rivers = [CALCULATOR.calculate_river((*board, card), holding) for card in rest]
    turn = CALCULATOR.calculate_turn(board, holding)
    assert turn.ehs2 == pytest.approx(np.mean([river.ehs for river in rivers]), abs=1e-14)
    squares = np.mean([river.ehs**2 for river in rivers])
    assert turn.ehs_squared == pytest.approx(squares, abs=1e-14)


# Errors.


@pytest.mark.parametrize(
    ("method", "board", "problem"),
    [
        ("calculate_flop", "AsKsQhJd", "board AsKsQhJd: 4 cards, a flop has 3"),
        ("calculate_turn", "AsKsQh", "board AsKsQh: 3 cards, a turn has 4"),
        ("calculate_river", "AsKsQhJd", "board AsKsQhJd: 4 cards, a river has 5"),
        ("calculate_river", "As", "board: 1 cards, a board has 3 .flop., 4 .turn. or 5 .river."),
        ("calculate", "AsKs", "board: 2 cards, a board has 3 .flop., 4 .turn. or 5 .river."),
    ],
)
def test_boards_of_another_size_are_refused(method, board, problem):
    with pytest.raises(AbstractionError, match=f"^{problem}$"):
        getattr(CALCULATOR, method)(parse_cards(board), parse_cards("2c2d"))


def test_a_board_of_no_street_has_no_strengths():
    with pytest.raises(InvalidBoardSizeError):
        CALCULATOR.calculate_board(parse_cards("AsKs"))


@pytest.mark.parametrize("method", ["calculate", "calculate_flop"])
def test_a_card_that_is_dealt_twice_is_named(method):
    with pytest.raises(DuplicateCardError, match=r"^Ks: this card is dealt twice$"):
        getattr(CALCULATOR, method)(parse_cards("AsKsQh"), parse_cards("Ks2d"))


def test_a_board_that_repeats_a_card_is_refused():
    card, other = parse_cards("As2d")
    with pytest.raises(DuplicateCardError, match=r"^As: this card is dealt twice$"):
        CALCULATOR.calculate_board((card, other, card))


@pytest.mark.parametrize(
    ("num_cards", "street"), [(3, Street.FLOP), (4, Street.TURN), (5, Street.RIVER)]
)
def test_street_is_known_from_the_length_of_the_board(num_cards, street):
    assert street_of_board(num_cards) is street


@pytest.mark.parametrize("num_cards", [-1, 0, 1, 2, 6, 7])
def test_boards_of_other_lengths_are_refused_with_what_came_and_what_is_allowed(num_cards):
    with pytest.raises(InvalidBoardSizeError) as raised:
        street_of_board(num_cards)
    allowed = "a board has 3 (flop), 4 (turn) or 5 (river)"
    assert str(raised.value) == f"board: {num_cards} cards, {allowed}"


def test_streets_come_in_order_and_have_labels_and_boards():
    assert list(Street) == [0, 1, 2]
    assert [street.label for street in Street] == ["flop", "turn", "river"]
    assert [street.num_board_cards for street in Street] == [3, 4, 5]


def test_a_deal_without_repetition_has_the_street_of_its_board():
    assert require_deal(parse_cards("AsKsQh"), parse_cards("2c2d")) is Street.FLOP
    assert require_deal(parse_cards("AsKsQhJd2c"), ()) is Street.RIVER
    assert require_deal(np.array(parse_cards("AsKsQhJd")), parse_cards("2c2d")) is Street.TURN


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
    with pytest.raises(DuplicateCardError, match=f"^{card}: this card is dealt twice$"):
        require_deal([*map(parse_card, board)], [*map(parse_card, holding)])


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_numbers_that_are_no_cards_are_refused(card):
    with pytest.raises(AbstractionError, match=f"^card {card}: card ids are 0 to 51$"):
        require_deal(parse_cards("AsKsQh"), (card, 0))
