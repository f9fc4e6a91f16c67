"""How a solve went."""

from dataclasses import dataclass, fields

import numpy as np

from runout.arrays import FloatArray


@dataclass(frozen=True)
class FlopReport:
    """The end of one flop's solve.

    Attributes:
        iterations: iterations done, each updating both players.
        exploitability_pot: mean gain of a best response, as a fraction of the flop pot, in the
            game between the 169 hands.
        strategy_delta: largest change of an action's probability in the last iteration.
        seconds: time taken.
        num_deals: deals that were sampled, 0 if all were enumerated.
    """

    iterations: int
    exploitability_pot: float
    strategy_delta: float
    seconds: float
    num_deals: int


def reports_to_array(reports: list[FlopReport]) -> FloatArray:
    """Returns ``[n, fields]`` the numbers of reports, for saving."""
    names = [field.name for field in fields(FlopReport)]
    return np.array([[float(getattr(report, name)) for name in names] for report in reports])


def reports_from_array(numbers: FloatArray) -> list[FlopReport]:
    """Returns the reports that `reports_to_array` wrote."""
    return [
        FlopReport(int(iterations), exploitability, delta, seconds, int(num_deals))
        for iterations, exploitability, delta, seconds, num_deals in numbers.tolist()
    ]
