"""Runs of a second or less, and ways to watch and to interrupt them."""

from collections import Counter
from functools import cache

from runout.config.run import RunConfig
from runout.events import FlopSolved, FlopSolving
from runout.execution.context import RunContext
from runout.runs.preflop import solve_preflop

FLOPS = ("AhKs7d", "Td9d4c", "6h6s2c")
MODEL = {
    "solve_type": "exhaustive",
    "postflop_sprs": "auto",
    "fixed_flops": FLOPS,
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_solve_iterations": 20,
    "cfr_exploitability_threshold": None,
}


def run_config(*, model=None, preflop=None, **keys):
    """Returns limp, raise to 2.5 or all-in with 12 big blinds, on three flops."""
    return RunConfig(
        **{
            "preflop": {
                "stacks_bb": 12,
                "raise_sizes": ["2.5bb", "allin"],
                "raise_cap": 2,
                **(preflop or {}),
            },
            "iterations": 200,
            "postflop_model": {**MODEL, **(model or {})},
            **keys,
        }
    )


@cache
def solved_run():
    """Returns the plain run, solved once for all tests."""
    return solve_preflop(run_config(), RunContext(num_workers=1))


class Watch:
    """Remembers events; raises after a number of finished flops."""

    def __init__(self, fail_after=None):
        self.events = []
        self.fail_after = fail_after

    def __call__(self, event):
        self.events.append(event)
        if isinstance(event, FlopSolved) and self.fail_after is not None:
            self.fail_after -= 1
            if self.fail_after < 0:
                raise ConnectionAbortedError("the plug was pulled")

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def solved(self):
        """Returns how often each flop was really solved, at any ratio."""
        return Counter(e.flop for e in self.of(FlopSolving) if e.iteration == 1)
