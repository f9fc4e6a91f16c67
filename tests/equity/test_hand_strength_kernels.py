"""Every kernel against its twin; arguments have the types that the package calls them with."""

import numpy as np
import pytest

from runout.cards.deck import COMBO_CARDS, combo_cards, disjoint_combos, live_combos, parse_board
from runout.cards.evaluator import evaluate_board, evaluator_tables
from runout.equity import equity_kernels as hand_strength_kernels
from runout.equity.board import compute_board_equity
from runout.equity.equity_kernels import AHEAD, BEHIND, NUM_OUTCOMES, TIED
from tests.reference import hand_strength as reference

BOARDS = ["2s8sTcQd", "9s6s2sKs", "KdKcQsQc", "AsKsQsJs9d", "AhKhQhJhTh"]


def test_outcomes_are_numbered_as_in_the_twins():
    assert (BEHIND, TIED, AHEAD) == (reference.BEHIND, reference.TIED, reference.AHEAD)
    assert NUM_OUTCOMES == 3


@pytest.mark.parametrize("board", BOARDS)
def test_count_transitions_equals_dealing_every_runout(board):
    cards = parse_board(board)
    equity = compute_board_equity(cards)
    out_counts = np.full((len(equity.combos), 3, 3), 77)
    hand_strength_kernels.count_transitions(
        evaluate_board(cards)[equity.combos],
        equity.wins,
        COMBO_CARDS[equity.combos],
        equity.num_runouts,
        out_counts,
    )
    expected = reference.count_transitions(cards).counts[equity.combos]
    np.testing.assert_array_equal(out_counts, expected)


@pytest.mark.parametrize("num_combos", [1, 2, 30])
def test_count_transitions_of_any_wins_adds_up(num_combos):
    """Random wins, of which the kernel knows nothing but that each pair has 990 runouts."""
    rng = np.random.default_rng(num_combos)
    combos = np.sort(rng.choice(1_326, num_combos, replace=False))
    now = rng.integers(1, 4, num_combos).astype(np.uint16)
    wins = rng.integers(0, 496, (num_combos, num_combos)).astype(np.uint32)
    out_counts = np.full((num_combos, 3, 3), 77)
    hand_strength_kernels.count_transitions(now, wins, COMBO_CARDS[combos], 990, out_counts)
    meets = disjoint_combos(combos, combos)
    lost = wins.T.astype(np.int64)
    for row in range(num_combos):
        for outcome in range(3):
            chosen = meets[row] & (1 + np.sign(int(now[row]) - now.astype(np.int64)) == outcome)
            won_here, lost_here = int(wins[row, chosen].sum()), int(lost[row, chosen].sum())
            expected = [lost_here, 990 * int(chosen.sum()) - won_here - lost_here, won_here]
            assert out_counts[row, outcome].tolist() == expected


@pytest.mark.parametrize("board", BOARDS)
def test_count_transitions_of_holding_equals_dealing_every_runout(board):
    cards = parse_board(board)
    twin = reference.count_transitions(cards)
    strengths = reference.strengths_on(cards)
    rng = np.random.default_rng(0)
    for holding in rng.choice(live_combos(cards), 10, replace=False).tolist():
        dead = {*cards, *combo_cards(holding)}
        rest = [card for card in range(52) if card not in dead]
        runouts = [(*cards, card) for card in rest] if len(cards) == 4 else [cards]
        villains = live_combos(dead)
        now = 1 + np.sign(strengths[holding] - strengths[villains])
        group_start = np.array([0, *np.cumsum([(now == outcome).sum() for outcome in range(3)])])
        out_counts = np.full((3, 3), 77)
        squared_scores = hand_strength_kernels.count_transitions_of_holding(
            evaluator_tables(),
            np.array(runouts, dtype=np.uint8),
            holding,
            villains[np.argsort(now, kind="stable")],
            group_start,
            out_counts,
        )
        assert out_counts.tolist() == twin.counts[holding].tolist()
        assert squared_scores == twin.squared_scores[holding]
        assert len(runouts) == twin.num_runouts[holding]


def test_count_transitions_of_holding_without_villains_counts_nothing():
    out_counts = np.full((3, 3), 77)
    squared_scores = hand_strength_kernels.count_transitions_of_holding(
        evaluator_tables(),
        np.array([parse_board("AsKsQsJs9d")], dtype=np.uint8),
        0,
        np.empty(0, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
        out_counts,
    )
    assert squared_scores == 0
    assert not out_counts.any()
