"""Twins of hand strength and percentile buckets: count with another evaluator, divide exactly."""

from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from runout.cards.deck import COMBO_HAS_CARD
from tests.reference.showdowns import strengths_on

BEHIND, TIED, AHEAD = range(3)


class Strength(NamedTuple):
    """What `HandStrength` holds, as exact fractions."""

    ehs: Fraction
    ppot: Fraction
    npot: Fraction
    ehs2: Fraction
    ehs_squared: Fraction


class Transitions(NamedTuple):
    """Counts of one board's matchups.

    Attributes:
        counts: ``[1326, 3, 3]`` (villain, runout) pairs by outcome now and in the end.
        squared_scores: ``[1326]`` sum over runouts of the squared score.
        num_runouts: ``[1326]`` runouts that leave the combo its cards.
    """

    counts: np.ndarray
    squared_scores: np.ndarray
    num_runouts: np.ndarray


@cache
def count_transitions(board: tuple[int, ...]) -> Transitions:
    """Deals every runout and compares every combo with every other one, before and after."""
    meets = ~(COMBO_HAS_CARD[:, None] & COMBO_HAS_CARD).any(axis=2)
    now = outcomes(strengths_on(board), meets)
    counts = np.zeros((len(meets), 3, 3), dtype=np.int64)
    squared_scores = np.zeros(len(meets), dtype=np.int64)
    num_runouts = np.zeros(len(meets), dtype=np.int64)
    rest = [card for card in range(52) if card not in board]
    for runout in combinations(rest, 5 - len(board)):
        strengths = strengths_on([*board, *runout])
        end = outcomes(strengths, meets)
        cells = np.where(end >= 0, 3 * now + end, 9)
        per_combo = cells + 10 * np.arange(len(cells))[:, None]
        part = np.bincount(per_combo.ravel(), minlength=10 * len(cells)).reshape(-1, 10)[:, :9]
        part = part.reshape(-1, 3, 3)
        counts += part
        score = (part[:, :, TIED] + 2 * part[:, :, AHEAD]).sum(axis=1)
        squared_scores += score**2
        num_runouts += strengths > 0
    return Transitions(counts, squared_scores, num_runouts)


def outcomes(strengths: np.ndarray, meets: np.ndarray) -> np.ndarray:
    """Returns ``[C, C]`` how the row stands against the column, -1 where they cannot meet."""
    live = strengths > 0
    versus = 1 + np.sign(strengths[:, None].astype(np.int64) - strengths)
    return np.where(meets & live[:, None] & live, versus, -1).astype(np.int8)


def strength_of_counts(counts: np.ndarray, squared_scores: int, num_runouts: int) -> Strength:
    """Returns the definitions of docs/abstraction.md word for word; every tie is half a point."""
    (bb, bt, ba), (tb, tt, ta), (ab, at, aa) = counts.tolist()
    half = Fraction(1, 2)
    behind, tied, ahead = bb + bt + ba, tb + tt + ta, ab + at + aa
    total = behind + tied + ahead
    ehs = (ahead + half * tied) / total
    ppot = (ba + half * bt + half * ta) / (behind + half * tied) if behind + tied else Fraction(0)
    npot = (ab + half * at + half * tb) / (ahead + half * tied) if ahead + tied else Fraction(0)
    equity = (ba + ta + aa + half * (bt + tt + at)) / total
    assert ehs + (1 - ehs) * ppot - ehs * npot == equity  # exactly, because ties are halves
    return Strength(ehs, ppot, npot, equity, Fraction(squared_scores, num_runouts * 1980**2))


def ehs2_without_half_ties(counts: np.ndarray) -> Fraction:
    """Returns what EHS2 must not be: a tie is a full catch-up, tied villains never move."""
    (bb, bt, ba), tied, (ab, at, aa) = counts.tolist()
    behind, ahead = bb + bt + ba, ab + at + aa
    ehs = (ahead + Fraction(sum(tied), 2)) / (behind + sum(tied) + ahead)
    ppot = Fraction(ba + bt, behind) if behind else Fraction(0)
    npot = Fraction(ab, ahead) if ahead else Fraction(0)
    return ehs + (1 - ehs) * ppot - ehs * npot


def percentile_boundaries(values, weights, num_buckets):
    """Writes every deal down, sorts the list, and reads off the last deal of each bucket."""
    deals = sorted(
        value for value, weight in zip(values, weights, strict=True) for _ in range(weight)
    )
    last = [deals[-(-i * len(deals) // num_buckets) - 1] for i in range(1, num_buckets)]
    return sorted(set(last) - {deals[-1]})
