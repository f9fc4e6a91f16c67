"""How long a re-raised pot takes to 0.1 % of the pot, again and again with ranges nearly the same.

One solve says little: weights that differ in the seventh digit decide between actions that are
worth the same, and iterations to a target differ by a third. ``python -m benchmarks.reraised 8``
solves it eight times, the first with the ranges as they are. To compare with another commit, put
the `src` of a clone on ``PYTHONPATH``.
"""

import sys
import time

import numpy as np

from benchmarks.schedules import CASES, make_spot
from runout.arrays import Float32Array
from runout.cfr.schedules import StoppingRule
from runout.holdem.solver import SpotSolver

TARGET_POT = 0.001
MOST_ITERATIONS = 2_000
SOLVES = 4
_CHANGE = 1e-6


def main(arguments: list[str]) -> None:
    """Prints iterations and seconds of processor time of each solve, and the means."""
    case, number = CASES[-1], int(arguments[0]) if arguments else SOLVES
    spot = make_spot(case)
    SpotSolver(spot).run(1)  # compiles, or loads what was compiled
    found = []
    for seed in range(number):
        solver = SpotSolver(spot)
        rng = np.random.default_rng(seed)
        if seed > 0:
            solver.root_reach = [_change(reach, rng) for reach in solver.root_reach]
        started = time.process_time()
        outcome = solver.solve(StoppingRule(MOST_ITERATIONS, exploitability=TARGET_POT * case.pot))
        found.append((outcome.iterations, time.process_time() - started))
        print(f"{seed}: {found[-1][0]} iterations, {found[-1][1]:.1f} s", flush=True)
    iterations, seconds = np.mean(found, axis=0)
    print(f"mean: {iterations:.0f} iterations, {seconds:.1f} s")


def _change(reach: Float32Array, rng: np.random.Generator) -> Float32Array:
    """Returns the opponent's reach with every weight changed a little."""
    changed: Float32Array = (reach * (1.0 + _CHANGE * rng.standard_normal(reach.shape))).astype(
        np.float32
    )
    return changed


if __name__ == "__main__":
    main(sys.argv[1:])
