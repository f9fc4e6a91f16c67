"""How a solve went."""

from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np

from runout.arrays import FloatArray


class ExploitabilityMeaning(StrEnum):
    """What the exploitability of a backend is measured against."""

    OWN_GAME = "own game"
    UPPER_BOUND = "upper bound"
    REAL_GAME = "real game"

    @property
    def explanation(self) -> str:
        """The same in a sentence."""
        return _EXPLANATIONS[self]

    @property
    def is_upper_bound(self) -> bool:
        """Whether it is not measured, but cannot be larger."""
        return self is ExploitabilityMeaning.UPPER_BOUND


_EXPLANATIONS = {
    ExploitabilityMeaning.OWN_GAME: "measured in the backend's own game, without real cards",
    ExploitabilityMeaning.UPPER_BOUND: "an upper bound, in the backend's own game",
    ExploitabilityMeaning.REAL_GAME: "measured in the game with real cards",
}
_MEANINGS = tuple(ExploitabilityMeaning)


@dataclass(frozen=True)
class FlopReport:
    """The end of one flop's solve.

    Attributes:
        iterations: iterations done, each updating both players; those of all rounds together.
        exploitability_pot: mean gain of a best response, as a fraction of the flop pot.
        strategy_delta: largest change of an action's probability in the last iteration.
        seconds: time that iterating took, on however many cores; of all rounds together.
        num_deals: deals that were sampled, 0 if all were enumerated.
        meaning: in which game the exploitability is, and whether it is a bound.
    """

    iterations: int
    exploitability_pot: float
    strategy_delta: float
    seconds: float
    num_deals: int
    meaning: ExploitabilityMeaning


def reports_to_array(reports: list[FlopReport]) -> FloatArray:
    """Returns ``[n, fields]`` the numbers of reports, for saving."""
    *names, _ = [field.name for field in fields(FlopReport)]
    return np.array(
        [
            [*(float(getattr(report, name)) for name in names), _MEANINGS.index(report.meaning)]
            for report in reports
        ]
    )


def reports_from_array(numbers: FloatArray) -> list[FlopReport]:
    """Returns the reports that `reports_to_array` wrote.

    Raises:
        ValueError: if it did not write them.
    """
    return [
        FlopReport(
            int(iterations), exploitability, delta, seconds, int(deals), _meaning_of(meaning)
        )
        for iterations, exploitability, delta, seconds, deals, meaning in numbers.tolist()
    ]


def _meaning_of(number: float) -> ExploitabilityMeaning:
    if number not in range(len(_MEANINGS)):
        raise ValueError(f"{number:g} is no meaning of an exploitability")
    return _MEANINGS[int(number)]
