import numpy as np
import pytest

from runout.abstraction import strength_feature_kernels
from runout.cards.card import parse_board
from runout.cards.combos import COMBO_CARDS, live_combos
from runout.cards.evaluator_tables import evaluator_tables
from tests.reference.strength_features import scores_against_groups


def score(boards, combos, groups, num_groups):
    shape = (len(boards), len(combos), num_groups)
    scores, best = np.full(shape, 77, dtype=np.uint16), np.full(shape, 77, dtype=np.uint16)
    strength_feature_kernels.score_against_groups(
        evaluator_tables(),
        np.array(boards, dtype=np.uint8),
        combos,
        COMBO_CARDS[combos],
        groups,
        scores,
        best,
    )
    return scores, best


@pytest.mark.parametrize("num_groups", [1, 8])
@pytest.mark.parametrize("rivers", [("AsKsQsJs9d", "AsKsQs2c2d"), ("8h8d3s3c2c",), ("AhKhQhJhTh",)])
def test_scores_equal_comparing_with_every_villain(rivers, num_groups):
    boards = [parse_board(river) for river in rivers]
    combos = live_combos(boards[0][:3])
    all_groups = np.random.default_rng(num_groups).integers(0, num_groups, 1_326)
    scores, best = score(boards, combos, all_groups[combos], num_groups)
    for i, board in enumerate(boards):
        expected_scores, expected_best = scores_against_groups(board, all_groups, num_groups)
        np.testing.assert_array_equal(scores[i], expected_scores[combos])
        np.testing.assert_array_equal(best[i], expected_best[combos])


def test_groups_without_villains_have_no_best_score():
    board = parse_board("AsKsQsJs9d")
    combos = live_combos(board[:3])
    scores, best = score([board], combos, np.ones(len(combos), dtype=np.int64), 3)
    assert not scores[0, :, [0, 2]].any()
    assert not best[0, :, [0, 2]].any()
    is_live = np.isin(combos, live_combos(board))
    assert (best[0, is_live, 1] == 2 * 990).all()
    assert not best[0, ~is_live].any()
