import numpy as np
import pytest

from runout.cards.deck import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    combo_cards,
    disjoint_combos,
    parse_board,
    parse_canonical_hand,
    parse_cards,
    parse_combo,
)
from runout.equity.board import compute_board_equity, sum_strengths
from runout.equity.matchups import equity, preflop_table
from runout.errors import CardError, RangeError
from tests.reference.equity import equity_vs_random
from tests.reference.showdowns import count_outcomes

EVERYTHING = np.ones(NUM_COMBOS)
BOARDS = ["", "AhKsQd", "9s6s2s", "2s8sTcQd", "8h8d3s3c2c"]


def weights_of(**weight_by_name: float) -> np.ndarray:
    """Returns the weights of combos (``AhKd``) and canonical hands (``AKs``)."""
    weights = np.zeros(NUM_COMBOS)
    for name, weight in weight_by_name.items():
        is_combo = len(name) == 4
        combos = parse_combo(name) if is_combo else COMBOS_BY_HAND[parse_canonical_hand(name)]
        weights[combos] = weight
    return weights


def random_weights(seed: int) -> np.ndarray:
    """Returns weights of which half are zero."""
    generator = np.random.default_rng(seed)
    return generator.random(NUM_COMBOS) * (generator.random(NUM_COMBOS) < 0.5)


@pytest.mark.parametrize("board", BOARDS[1:])
def test_combo_against_combo_equals_brute_force(board):
    cards = parse_board(board)
    generator = np.random.default_rng(len(board))
    rest = [card for card in range(52) if card not in cards]
    for _ in range(5):
        dealt = generator.choice(rest, 4, replace=False).tolist()
        hero, villain = dealt[:2], dealt[2:]
        expected = count_outcomes(hero, villain, cards)
        hero_weights, villain_weights = np.zeros((2, NUM_COMBOS))
        hero_weights[[combo_cards(c) == tuple(sorted(hero)) for c in range(NUM_COMBOS)]] = 1.0
        villain_weights[[combo_cards(c) == tuple(sorted(villain)) for c in range(NUM_COMBOS)]] = 1.0
        found = equity(hero_weights, villain_weights, cards)
        num_runouts = sum(expected)
        assert found.matchups == 1.0
        assert found.win == expected.wins / num_runouts
        assert found.lose == expected.losses / num_runouts
        assert found.tie == pytest.approx(expected.ties / num_runouts, abs=1e-15)
        assert found.equity == pytest.approx(found.win + found.tie / 2)


@pytest.mark.parametrize("hands", [("AA", "KK"), ("AKs", "QQ"), ("72o", "32o"), ("AKo", "AKo")])
@pytest.mark.parametrize("board", BOARDS)
def test_hand_against_hand_equals_the_hand_table(board, hands):
    cards = parse_cards(board)
    table = compute_board_equity(cards).hand_table() if cards else preflop_table()
    i, j = map(parse_canonical_hand, hands)
    found = equity(weights_of(**{hands[0]: 1.0}), weights_of(**{hands[1]: 1.0}), cards)
    assert found.equity == pytest.approx(table.equity(i, j), abs=1e-14)
    assert found.win == pytest.approx(table.wins[i, j] / table.totals[i, j], abs=1e-14)


@pytest.mark.parametrize("board", BOARDS)
def test_range_against_range_is_the_weighted_mean_of_combo_pairs(board):
    cards = parse_cards(board)
    hero_weights, villain_weights = random_weights(1), random_weights(2)
    found = equity(hero_weights, villain_weights, cards)
    generator = np.random.default_rng(3)
    held = np.flatnonzero(found.hero.matchups)
    for combo in generator.choice(held, 5, replace=False):
        alone = np.zeros(NUM_COMBOS)
        alone[combo] = hero_weights[combo]
        single = equity(alone, villain_weights, cards)
        assert found.hero.matchups[combo] == pytest.approx(single.matchups)
        assert found.hero.equity[combo] == pytest.approx(single.equity)
    won = np.nansum(found.hero.matchups * found.hero.equity)
    assert found.equity == pytest.approx(won / found.hero.matchups.sum())
    assert found.matchups == pytest.approx(found.hero.matchups.sum())
    assert found.win + found.tie + found.lose == pytest.approx(1.0)


@pytest.mark.parametrize("board", BOARDS)
def test_swapping_the_ranges_swaps_the_outcome(board):
    cards = parse_cards(board)
    there = equity(random_weights(4), random_weights(5), cards)
    back = equity(random_weights(5), random_weights(4), cards)
    assert (there.win, there.lose) == pytest.approx((back.lose, back.win))
    assert there.equity + back.equity == pytest.approx(1.0)
    np.testing.assert_allclose(there.hero.equity, back.villain.equity)
    np.testing.assert_allclose(there.villain.matchups, back.hero.matchups)


@pytest.mark.parametrize("board", BOARDS)
def test_two_equal_ranges_win_half_the_pot(board):
    weights = random_weights(6)
    assert equity(weights, weights, parse_cards(board)).equity == pytest.approx(0.5)


@pytest.mark.parametrize("scale", [0.25, 0.9])
def test_scaling_a_range_changes_only_the_weight_of_the_deals(scale):
    hero, villain = random_weights(7), random_weights(8)
    plain = equity(hero, villain, parse_board("9s6s2s"))
    scaled = equity(scale * hero, villain, parse_board("9s6s2s"))
    assert scaled.equity == pytest.approx(plain.equity)
    assert scaled.matchups == pytest.approx(scale * plain.matchups)


def test_weights_count_combos_by_how_often_they_are_held():
    kings = weights_of(KK=1.0)
    aces, sevens = weights_of(AA=1.0), weights_of(**{"72o": 0.25})
    mixed = equity(aces + sevens, kings)
    parts = [equity(part, kings) for part in (aces, sevens)]
    assert [part.matchups for part in parts] == [36.0, 12 * 6 * 0.25]
    expected = sum(part.matchups * part.equity for part in parts) / (36.0 + 18.0)
    assert mixed.equity == pytest.approx(expected)
    assert mixed.matchups == 54.0


def test_blocked_combos_are_dealt_less_often():
    """The ace of hearts leaves three of six ace pairs and all six king pairs."""
    found = equity(weights_of(AhQh=1.0), weights_of(AA=1.0, KK=1.0))
    assert found.matchups == 9.0
    aces, kings = (parse_canonical_hand(hand) for hand in ("AA", "KK"))
    by_hand = np.bincount(HAND_BY_COMBO, found.villain.matchups)
    assert (by_hand[aces], by_hand[kings]) == (3.0, 6.0)
    assert found.villain.matchups[parse_combo("AhAs")] == 0.0
    assert np.isnan(found.villain.equity[parse_combo("AhAs")])


def test_board_blocks_combos():
    board = parse_board("AhKsQd")
    found = equity(weights_of(AA=1.0), weights_of(KK=1.0), board)
    assert found.matchups == 9.0
    assert np.flatnonzero(found.hero.matchups).tolist() == sorted(
        map(parse_combo, ["AcAd", "AcAs", "AdAs"])
    )


@pytest.mark.parametrize("board", BOARDS[1:])
def test_everything_against_everything_is_the_expected_strength(board):
    cards = parse_board(board)
    sums = sum_strengths(cards)
    found = equity(EVERYTHING, EVERYTHING, cards)
    assert found.equity == pytest.approx(0.5)
    np.testing.assert_allclose(found.hero.equity[sums.combos], sums.expected_strength, rtol=1e-12)


def test_equity_by_hand_weighs_combos_by_their_matchups():
    found = equity(random_weights(9), random_weights(10), parse_board("9s6s2s"))
    by_hand = found.hero.equity_by_hand()
    for hand, combos in enumerate(COMBOS_BY_HAND):
        matchups = found.hero.matchups[combos]
        if matchups.any():
            expected = np.average(np.nan_to_num(found.hero.equity[combos]), weights=matchups)
            assert by_hand[HAND_NAMES[hand]] == pytest.approx(expected)
        else:
            assert HAND_NAMES[hand] not in by_hand


def test_equity_by_hand_before_the_flop_is_the_published_table():
    found = equity(EVERYTHING, EVERYTHING)
    np.testing.assert_allclose(
        list(found.hero.equity_by_hand().values()), equity_vs_random(preflop_table()), rtol=1e-12
    )
    disjoint = disjoint_combos(np.arange(NUM_COMBOS), np.arange(NUM_COMBOS))
    assert found.matchups == disjoint.sum() == 1_624_350


@pytest.mark.parametrize(
    ("hero", "villain", "board", "message"),
    [
        ({}, {"AA": 1.0}, "", "hero's range: every weight is 0"),
        ({"AA": 1.0}, {}, "", "villain's range: every weight is 0"),
        ({"AhKd": 1.0}, {"QQ": 1.0}, "Ah7s2c", "hero's range: Ah is on the board Ah7s2c"),
        ({"QQ": 1.0}, {"AhKd": 1.0}, "7sKd2c", "villain's range: Kd is on the board 7sKd2c"),
        ({"AhKd": 1.0}, {"AhQd": 1.0}, "", "hero's range and villain's range: both hold Ah"),
    ],
)
def test_ranges_that_cannot_be_dealt_say_which(hero, villain, board, message):
    with pytest.raises(RangeError) as caught:
        equity(weights_of(**hero), weights_of(**villain), parse_cards(board))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("board", ["Ah", "AhKd", "2c3c4c5c6c7c"])
def test_boards_of_another_size_are_refused(board):
    with pytest.raises(CardError, match="a board has 3"):
        equity(EVERYTHING, EVERYTHING, parse_cards(board))
