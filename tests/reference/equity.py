"""Twins of the equity kernels, with masks and whole matrices instead of bytes and blocks."""

import numpy as np

from runout.arrays import divide
from runout.cards.deck import COMBO_HAS_CARD
from tests.reference.showdowns import doubled_scores_on, strengths_on

BEST = 2 * 990  # the score of beating every villain


def rank_combos(boards, combos):
    """Returns ``[R, C]`` each combo's place among the strengths that occur, 0 if blocked."""
    ranks = np.zeros((len(boards), len(combos)), dtype=np.int64)
    for board, row in zip(boards.tolist(), ranks, strict=True):
        strengths = strengths_on(board)
        occurring = sorted(set(strengths.tolist()) - {0})
        row[:] = [1 + occurring.index(s) if s else 0 for s in strengths[combos].tolist()]
    return ranks


def count_wins(hero, villain, weight):
    """Returns ``[C, C]`` the weight of the boards on which the row's rank is the greater one."""
    beats = hero[:, :, None] > villain[:, None, :]
    return np.einsum("rij,r->ij", beats.astype(np.int64), weight)


def average_over_suits(wins, image):
    """Returns ``[C, C]`` the mean of the matrix over all images of its rows and columns."""
    return np.mean([wins[np.ix_(g, g)] for g in image], axis=0)


def clear_blocked_pairs(combos, wins):
    """Returns the wins with 0 where two combos share a card."""
    shares = (COMBO_HAS_CARD[combos, None] & COMBO_HAS_CARD[combos]).any(axis=2)
    return np.where(shares, 0, wins)


def sum_by_hand(wins, hand_by_combo, num_hands):
    """Returns ``[169, 169]`` sums over the rows and columns of each hand."""
    sums = np.zeros((num_hands, num_hands), dtype=np.int64)
    np.add.at(sums, (hand_by_combo[:, None], hand_by_combo), wins)
    return sums


def add_strengths(boards, weight, combos):
    """Returns the sums ``[2, C]`` of each combo's scores and squared scores over the boards."""
    sums = np.zeros((2, len(combos)), dtype=np.int64)
    for board, board_weight in zip(boards.tolist(), weight.tolist(), strict=True):
        doubled = doubled_scores_on(board)
        for i, combo in enumerate(combos.tolist()):
            d = int(doubled[combo])
            if d >= 0:
                sums[:, i] += board_weight * d, board_weight * d * d
    return sums


def equity_vs_random(table):
    """Returns ``[169]`` equities against a random hand, NaN where the board blocks the hand."""
    won = table.wins.sum(axis=1) + table.ties.sum(axis=1) / 2
    return divide(won, table.totals.sum(axis=1))
