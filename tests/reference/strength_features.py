"""Twins of strength features: compare every hand with every villain on every board."""

from collections.abc import Sequence

import numpy as np

from runout.cards.deck import COMBO_HAS_CARD
from tests.reference.hand_strength import AHEAD, TIED, outcomes
from tests.reference.showdowns import strengths_on


def scores_against_groups(
    board: Sequence[int], groups: np.ndarray, num_groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns ``[1326, G]`` 2 per beaten and 1 per tied villain of a group, and twice all of them.

    Args:
        board: five cards.
        groups: ``[1326]`` the group of each villain.
        num_groups: G.
    """
    meets = ~(COMBO_HAS_CARD[:, None] & COMBO_HAS_CARD).any(axis=2)
    versus = outcomes(strengths_on(board), meets)
    scores = np.empty((len(versus), num_groups), dtype=np.int64)
    best = np.empty_like(scores)
    for group in range(num_groups):
        members = versus[:, groups == group]
        scores[:, group] = 2 * (members == AHEAD).sum(axis=1) + (members == TIED).sum(axis=1)
        best[:, group] = 2 * (members >= 0).sum(axis=1)
    return scores, best


def linear_cdf(strengths: Sequence[float], num_points: int = 10) -> np.ndarray:
    """Returns the CDF of values in 0 to 1, each shared by the two points of the grid around it."""
    points = np.linspace(0.0, 1.0, num_points)
    shares = [np.interp(strengths, points, unit) for unit in np.eye(num_points)]
    return np.cumsum(np.mean(shares, axis=1))
