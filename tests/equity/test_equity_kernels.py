"""Every kernel against its twin; arguments have the types that the package calls them with."""

import numpy as np
import pytest

from runout.arrays import read_only
from runout.cards.deck import (
    COMBO_CARDS,
    HAND_BY_COMBO,
    NUM_COMBOS,
    NUM_HANDS,
    live_combos,
    parse_board,
)
from runout.cards.evaluator import evaluate_board, evaluator_tables
from runout.cards.flops import combo_images, suit_stabilizer
from runout.equity import equity_kernels
from runout.equity.board import BoardEquity, score_rivers
from runout.equity.equity_kernels import BLOCKED_HERO, BLOCKED_SCORE, BLOCKED_VILLAIN
from tests.reference import equity as reference
from tests.reference.showdowns import doubled_scores_on
from tests.reference.strength_features import scores_against_groups


def random_boards(num_boards: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    boards = generator.random((num_boards, 52)).argsort(axis=1)[:, :5].astype(np.uint8)
    boards[0] = parse_board("AhKhQhJhTh")  # one strength for everybody
    boards[1] = parse_board("9s6s2sKs3d")
    return boards


def random_wins(num_combos: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.integers(0, 10_000, (num_combos, num_combos)).astype(np.uint32)


def test_rank_combos_numbers_strengths_and_marks_blocked_combos():
    boards = random_boards(12, seed=0)
    combos = np.sort(np.random.default_rng(1).choice(NUM_COMBOS, 300, replace=False))
    out_hero = np.full((len(boards), len(combos)), 77, dtype=np.uint8)
    out_villain = out_hero.copy()
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, out_hero, out_villain)
    expected = reference.rank_combos(boards, combos)
    np.testing.assert_array_equal(out_hero, expected)
    assert BLOCKED_HERO == 0
    np.testing.assert_array_equal(out_villain, np.where(expected == 0, BLOCKED_VILLAIN, expected))


@pytest.mark.parametrize("board", ["AhKhQhJhTh", "2c3d4h5s7c", "AhAdAcAsKd", "9s6s2sKs3d"])
def test_rank_strengths_numbers_what_occurs_from_one(board):
    strength = evaluate_board(parse_board(board))
    out_rank = np.full(7_464, 99, dtype=np.uint8)
    num_strengths = equity_kernels.rank_strengths(strength, out_rank)
    distinct = np.unique(strength)
    assert distinct[0] == 0  # blocked combos
    assert num_strengths == len(distinct) - 1
    assert out_rank[distinct].tolist() == list(range(num_strengths + 1))


# Blocks hold at most 255 boards of equal weight and are worked off in pairs of boards; rows are
# taken four at a time.
@pytest.mark.parametrize("num_boards", [1, 2, 3, 254, 255, 256, 511, 600])
@pytest.mark.parametrize("num_combos", [1, 3, 4, 5, 9])
def test_count_wins_compares_every_pair_on_every_board(num_boards, num_combos):
    generator = np.random.default_rng(num_boards + num_combos)
    hero = generator.integers(0, 5, (num_boards, num_combos)).astype(np.uint8)
    villain = np.where(hero == BLOCKED_HERO, BLOCKED_VILLAIN, hero).astype(np.uint8)
    weight = np.sort(generator.choice([1, 3, 6], num_boards, p=[0.1, 0.85, 0.05]))
    before = random_wins(num_combos, seed=2)
    out_wins = before.copy()
    equity_kernels.count_wins(hero, villain, weight, out_wins)
    np.testing.assert_array_equal(out_wins, before + reference.count_wins(hero, villain, weight))


def test_count_wins_does_not_need_sorted_weights():
    generator = np.random.default_rng(3)
    hero = generator.integers(0, 255, (40, 6)).astype(np.uint8)
    villain = np.where(hero == BLOCKED_HERO, BLOCKED_VILLAIN, hero).astype(np.uint8)
    weight = generator.integers(1, 4, 40)
    out_wins = np.zeros((6, 6), dtype=np.uint32)
    equity_kernels.count_wins(hero, villain, weight, out_wins)
    np.testing.assert_array_equal(out_wins, reference.count_wins(hero, villain, weight))


def test_count_wins_can_win_on_every_board_of_a_full_block():
    """A one-byte counter must not overflow at 255."""
    hero = np.full((510, 2), 9, dtype=np.uint8)
    hero[:, 1] = 1
    out_wins = np.zeros((2, 2), dtype=np.uint32)
    equity_kernels.count_wins(hero, hero, np.full(510, 24), out_wins)
    assert out_wins.tolist() == [[0, 510 * 24], [0, 0]]


def test_count_wins_of_blocked_combos_are_none():
    hero = np.array([[BLOCKED_HERO, 1, 254]], dtype=np.uint8)
    villain = np.array([[BLOCKED_VILLAIN, 1, 254]], dtype=np.uint8)
    out_wins = np.zeros((3, 3), dtype=np.uint32)
    equity_kernels.count_wins(hero, villain, np.ones(1, dtype=np.int64), out_wins)
    assert out_wins.tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("board", ["9s6s2s", "AhKh7c", "AhAdAcAs"])
def test_wins_are_the_mean_over_images(board):
    cards = parse_board(board)
    combos = live_combos(cards)
    image = combo_images(combos, suit_stabilizer(cards))
    assert len(image) > 1
    wins = random_wins(len(combos), seed=4) * np.uint32(len(image))  # so that means are whole
    found = BoardEquity(cards, combos, 1, wins, suit_stabilizer(cards)).wins
    np.testing.assert_array_equal(found, reference.average_over_suits(wins, image))


@pytest.mark.parametrize("num_combos", [1, 2, 200, NUM_COMBOS])
def test_clear_blocked_pairs_zeroes_pairs_that_share_a_card(num_combos):
    generator = np.random.default_rng(num_combos)
    combos = np.sort(generator.choice(NUM_COMBOS, num_combos, replace=False))
    wins = random_wins(num_combos, seed=5) + np.uint32(1)
    out_wins = wins.copy()
    equity_kernels.clear_blocked_pairs(COMBO_CARDS[combos], out_wins)
    np.testing.assert_array_equal(out_wins, reference.clear_blocked_pairs(combos, wins))


def test_sum_by_hand_adds_rows_and_columns():
    combos = live_combos(parse_board("AhKsQd"))
    wins = read_only(random_wins(len(combos), seed=6))
    out_wins = np.ones((NUM_HANDS, NUM_HANDS), dtype=np.int64)
    equity_kernels.sum_by_hand(wins, HAND_BY_COMBO[combos], out_wins)
    expected = 1 + reference.sum_by_hand(wins, HAND_BY_COMBO[combos], NUM_HANDS)
    np.testing.assert_array_equal(out_wins, expected)


def test_score_boards_counts_beaten_and_tied_villains():
    boards = random_boards(6, seed=8)
    combos = np.arange(NUM_COMBOS)
    assert BLOCKED_SCORE == -1
    for board, scores in zip(boards.tolist(), score_rivers(boards, combos), strict=True):
        np.testing.assert_array_equal(scores, doubled_scores_on(board))


def test_add_strengths_adds_scores_by_weight():
    boards = random_boards(5, seed=7)
    weight = np.array([1, 24, 3, 6, 12])
    combos = np.arange(NUM_COMBOS)
    sums, tables = np.ones((2, NUM_COMBOS), dtype=np.int64), evaluator_tables()
    equity_kernels.add_strengths(tables, boards, weight, combos, COMBO_CARDS[combos], *sums)
    np.testing.assert_array_equal(sums, 1 + reference.add_strengths(boards, weight, combos))


def score(boards, combos, groups, num_groups):
    shape = (len(boards), num_groups, len(combos))
    scores, best = np.full(shape, 77, dtype=np.int32), np.full(shape, 77, dtype=np.int32)
    equity_kernels.score_boards(
        evaluator_tables(),
        np.array(boards, dtype=np.uint8),
        combos,
        COMBO_CARDS[combos],
        groups,
        scores,
        best,
    )
    return scores.swapaxes(1, 2), best.swapaxes(1, 2)


@pytest.mark.parametrize("num_groups", [1, 8])
@pytest.mark.parametrize("rivers", [("AsKsQsJs9d", "AsKsQs2c2d"), ("8h8d3s3c2c",), ("AhKhQhJhTh",)])
def test_scores_equal_comparing_with_every_villain(rivers, num_groups):
    boards = [parse_board(river) for river in rivers]
    combos = live_combos(boards[0][:3])
    all_groups = np.random.default_rng(num_groups).integers(0, num_groups, 1_326)
    scores, best = score(boards, combos, all_groups[combos], num_groups)
    for i, board in enumerate(boards):
        expected_scores, expected_best = scores_against_groups(board, all_groups, num_groups)
        is_live = np.isin(combos, live_combos(board))
        live = combos[is_live]
        np.testing.assert_array_equal(scores[i, is_live], expected_scores[live])
        np.testing.assert_array_equal(best[i, is_live], expected_best[live])
        assert (scores[i, ~is_live] == BLOCKED_SCORE).all()


def test_groups_without_villains_have_no_best_score():
    board = parse_board("AsKsQsJs9d")
    combos = live_combos(board[:3])
    scores, best = score([board], combos, np.ones(len(combos), dtype=np.int64), 3)
    is_live = np.isin(combos, live_combos(board))
    assert not scores[0, is_live][:, [0, 2]].any()
    assert not best[0, is_live][:, [0, 2]].any()
    assert (best[0, is_live, 1] == 2 * 990).all()
