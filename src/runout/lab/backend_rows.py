"""What backends have reached on flops, row by row and on average."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, FloatArray
from runout.cards.canonical_hands import matchup_weights
from runout.results.postflop_values import NUM_POSITIONS
from runout.results.solve_report import ExploitabilityMeaning


@dataclass(frozen=True)
class BackendRow:
    """What one backend has reached on one flop at one stack-to-pot ratio.

    Attributes:
        label: of the backend.
        flop: its cards as they were given.
        spr: effective stack over pot.
        iterations: of the solve, of all rounds together.
        own_exploitability_pot: what the backend says.
        own_meaning: in which game that is, and whether it is a bound.
        real_exploitability_pot: the mean gain of a best response in the real game.
        real_gains_pot: what OOP and IP gain there by answering best.
        seconds: from the dealt flop to its values.
        judging_seconds: time of the best responses.
        hand_error_pot: RMS over hands of their value against all hands, minus the exact one; None
            for the exact backend, or without it.
        pair_error_pot: the same for hands against hands.
    """

    label: str
    flop: str
    spr: float
    iterations: int
    own_exploitability_pot: float
    own_meaning: ExploitabilityMeaning
    real_exploitability_pot: float
    real_gains_pot: tuple[float, float]
    seconds: float
    judging_seconds: float
    hand_error_pot: float | None = None
    pair_error_pot: float | None = None


@dataclass(frozen=True)
class BackendMean:
    """The means of a backend's rows; attributes are as in `BackendRow`.

    Attributes:
        num_rows: over how many.
    """

    label: str
    num_rows: int
    own_exploitability_pot: float
    own_meaning: ExploitabilityMeaning
    real_exploitability_pot: float
    real_gains_pot: tuple[float, float]
    seconds: float
    hand_error_pot: float | None
    pair_error_pot: float | None


def value_errors(
    flop: tuple[int, ...], value_pot: Float32Array, exact_pot: Float32Array
) -> tuple[float, float]:
    """Returns how far values are from the exact ones: RMS over hands, and over pairs of hands.

    Both positions count, hands by how often they are dealt, and a hand's value is its mean over
    the hands that it can meet.

    Args:
        flop: three cards.
        value_pot: ``[2, 169, 169]`` values as in `PostflopValues`.
        exact_pot: the same from the exact backend.
    """
    weights = matchup_weights(flop).astype(np.float64)
    difference = np.where(weights > 0.0, value_pot.astype(np.float64) - exact_pot, 0.0)
    dealt = weights.sum(axis=1)
    by_hand: FloatArray = (weights * difference).sum(axis=2) / np.maximum(dealt, 1.0)
    num_deals = NUM_POSITIONS * dealt.sum()
    over_hands = (dealt * by_hand**2).sum() / num_deals
    over_pairs = (weights * difference**2).sum() / num_deals
    return float(np.sqrt(over_hands)), float(np.sqrt(over_pairs))


def mean_by_backend(rows: Sequence[BackendRow]) -> list[BackendMean]:
    """Returns the means of each backend over its flops and ratios, in the order of the rows."""
    means = []
    for label in dict.fromkeys(row.label for row in rows):
        mine = [row for row in rows if row.label == label]
        means.append(
            BackendMean(
                label=label,
                num_rows=len(mine),
                own_exploitability_pot=_mean([row.own_exploitability_pot for row in mine]),
                own_meaning=mine[0].own_meaning,
                real_exploitability_pot=_mean([row.real_exploitability_pot for row in mine]),
                real_gains_pot=(
                    _mean([row.real_gains_pot[0] for row in mine]),
                    _mean([row.real_gains_pot[1] for row in mine]),
                ),
                seconds=_mean([row.seconds for row in mine]),
                hand_error_pot=_known_mean([row.hand_error_pot for row in mine]),
                pair_error_pot=_known_mean([row.pair_error_pot for row in mine]),
            )
        )
    return means


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _known_mean(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return _mean(known) if known else None
