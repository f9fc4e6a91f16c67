from itertools import combinations

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.combos import disjoint_combos, live_combos, parse_combo, permute_combos
from runout.cards.isomorphism import SuitMapping
from runout.equity.board_equity import compute_board_equity
from runout.equity.histograms import (
    BEST_SCORE,
    StrengthHistograms,
    strength_histograms,
    sum_strengths,
)
from runout.errors import CardError
from tests.reference.showdowns import doubled_scores_on

BOARDS = ["AhKsQd", "9s6s2s", "5c5d5h", "2s8sTcQd", "9s6s2sKs", "AsKsQsJs9d", "8h8d3s3c2c"]


def histograms_of(board: str, num_bins: int = 10) -> StrengthHistograms:
    return strength_histograms(parse_board(board), num_bins)


def row_of(histograms: StrengthHistograms, combo: str) -> int:
    return int(np.searchsorted(histograms.combos, parse_combo(combo)))


@pytest.mark.parametrize(
    ("board", "combo", "expected"),
    [
        ("2s8sTcQd", "As5s", 0.51558),
        ("7c6d2s", "9h8h", 0.49498),
        ("AsKsQsJs9d", "7h2c", 0.07778),
        ("KdKcQsQc", "5d2c", 0.182),
    ],
)
def test_expected_strength_is_that_of_the_mathematics(board, combo, expected):
    histograms = histograms_of(board)
    found = histograms.expected_strength[row_of(histograms, combo)]
    assert found == pytest.approx(expected, abs=0.000_006 if expected != 0.182 else 0.0005)


@pytest.mark.parametrize("board", BOARDS)
def test_expected_strength_is_exactly_the_equity_against_a_random_hand(board):
    histograms = histograms_of(board)
    equity = compute_board_equity(parse_board(board))
    np.testing.assert_array_equal(histograms.combos, equity.combos)
    wins = equity.wins.astype(np.int64)
    num_pairs = disjoint_combos(equity.combos, equity.combos).sum(axis=1) * equity.num_runouts
    doubled = num_pairs + wins.sum(axis=1) - wins.sum(axis=0)  # 2 wins + ties
    np.testing.assert_array_equal(histograms.expected_strength, doubled / (2 * num_pairs))


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("num_bins", [1, 10, 50])
def test_counts_add_up_to_the_runouts_of_a_hand(board, num_bins):
    histograms = histograms_of(board, num_bins)
    assert histograms.counts.shape == (len(live_combos(parse_board(board))), num_bins)
    num_runouts = {6: 1_081, 8: 46, 10: 1}[len(board)]
    assert (histograms.counts.sum(axis=1) == num_runouts).all()


@pytest.mark.parametrize("board", ["2s8sTcQd", "9s6s2sKs", "8h8d3s3c", "AsKsQsJs9d", "8h8d3s3c2c"])
def test_histograms_equal_brute_force(board):
    """The twin deals every river and counts beaten and tied villains of every combo."""
    cards = parse_board(board)
    histograms = strength_histograms(cards, num_bins=7)
    rest = [card for card in range(52) if card not in cards]
    runouts = combinations(rest, 5 - len(cards))
    scores = np.array([doubled_scores_on([*cards, *runout]) for runout in runouts])
    assert BEST_SCORE == 2 * 990
    for row, combo in enumerate(histograms.combos):
        mine = scores[scores[:, combo] >= 0, combo]
        assert histograms.expected_strength[row] == pytest.approx(mine.mean() / BEST_SCORE)
        squares = (mine / BEST_SCORE) ** 2
        assert histograms.expected_squared_strength[row] == pytest.approx(squares.mean())
        bins = np.minimum(mine * 7 // BEST_SCORE, 6)
        assert histograms.counts[row].tolist() == np.bincount(bins, minlength=7).tolist()


@pytest.mark.parametrize("board", BOARDS)
def test_strength_sums_are_the_whole_numbers_behind_the_histograms(board):
    sums, histograms = sum_strengths(parse_board(board), num_bins=10), histograms_of(board)
    np.testing.assert_array_equal(sums.combos, histograms.combos)
    np.testing.assert_array_equal(sums.histogram, histograms.counts)
    assert sums.num_runouts == {6: 1_081, 8: 46, 10: 1}[len(board)]
    best = sums.num_runouts * BEST_SCORE
    np.testing.assert_array_equal(sums.score / best, histograms.expected_strength)
    squares = sums.squared_score / (best * BEST_SCORE)
    np.testing.assert_array_equal(squares, histograms.expected_squared_strength)


def test_bins_hold_their_lower_bound_and_the_last_one_both():
    nuts, nothing = histograms_of("AhKhQhJh2c"), histograms_of("AhKhQhJhTh")
    assert nuts.expected_strength[row_of(nuts, "Th3c")] == 1.0
    assert nuts.counts[row_of(nuts, "Th3c")].tolist() == [0] * 9 + [1]
    # Everybody ties on a royal board: strength one half is the lower bound of the sixth bin.
    assert (nothing.expected_strength == 0.5).all()
    assert (nothing.counts[:, 5] == 1).all()


def test_squared_strength_tells_draws_from_made_hands():
    histograms = histograms_of("7c6d2s")
    mean, squared = histograms.expected_strength, histograms.expected_squared_strength
    assert (squared >= mean**2 - 1e-12).all()
    assert (squared <= mean + 1e-12).all()
    draw, made = row_of(histograms, "9h8h"), row_of(histograms, "3c3d")
    assert mean[draw] < mean[made]
    assert squared[draw] > squared[made] + 0.1
    river = histograms_of("AsKsQsJs9d")
    np.testing.assert_allclose(river.expected_squared_strength, river.expected_strength**2)


@pytest.mark.parametrize("new_suits", [(1, 2, 0, 3), (0, 2, 3, 1), (1, 2, 3, 0)], ids=str)
@pytest.mark.parametrize("board", ["9s6s2s", "5c5d5h", "2s8sTcQd"])
def test_boards_with_renamed_suits_give_permuted_histograms(board, new_suits):
    dealt = histograms_of(board)
    renamed = strength_histograms(SuitMapping(new_suits).map_cards(parse_board(board)))
    rows = np.searchsorted(renamed.combos, permute_combos(new_suits)[dealt.combos])
    np.testing.assert_array_equal(renamed.counts[rows], dealt.counts)
    np.testing.assert_array_equal(renamed.expected_strength[rows], dealt.expected_strength)
    np.testing.assert_array_equal(
        renamed.expected_squared_strength[rows], dealt.expected_squared_strength
    )


def test_cdf_rises_to_one():
    histograms = histograms_of("2s8sTcQd")
    cdf = histograms.cdf()
    assert (cdf[:, -1] == 1.0).all()
    np.testing.assert_allclose(np.diff(cdf, axis=1, prepend=0.0), histograms.counts / 46)


def test_results_cannot_be_written():
    histograms = histograms_of("AsKsQsJs9d")
    assert not histograms.counts.flags.writeable
    assert not histograms.expected_strength.flags.writeable
    assert not histograms.expected_squared_strength.flags.writeable


@pytest.mark.parametrize("num_bins", [0, -1])
def test_number_of_bins_must_be_positive(num_bins):
    with pytest.raises(ValueError, match=f"num_bins: {num_bins} is not a positive number of bins"):
        histograms_of("AhKsQd", num_bins)


@pytest.mark.parametrize("board", [(), (0, 1), (0, 1, 1)], ids=str)
def test_impossible_boards_are_refused(board):
    with pytest.raises(CardError):
        strength_histograms(board)
