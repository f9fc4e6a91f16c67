"""Solves what the tests of commands look at, and packs it: `python -m tests.data.cli.make`.

The tests only read these, so that they need no solver; tests of solvers are elsewhere. Whoever
changes a sample runs this and commits the archives. `two_rounds` stays as commit b019a2b wrote it:
its flops were solved twice more with the ranges that arrive, which later versions do not do.
"""

import tarfile
import tempfile
from pathlib import Path

from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.execution.context import RunContext
from runout.flops.solve import solve_flops
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot
from tests.samples.solve_configs import RAW_EQUITY

_RIVER = {"board": "QsJh2h8c3d", "oop": "AA,54s", "ip": "KK", "pot": 20, "stack": 60}
SPOTS = {
    # A turn with a bet and a raise.
    "turn": {
        "board": "QsJh2h8c",
        "oop": "AA,QQ,JTs",
        "ip": "KK,T9s",
        "pot": 20,
        "stack": 60,
        "bet_sizes": "50%",
        "max_raises_per_street": 1,
        "max_iterations": 30,
    },
    "many_bets": {
        "board": "As2h2d7c3c",
        "oop": "KK",
        "ip": "AK,JJ",
        "pot": 100,
        "stack": 9000,
        "bet_sizes": "10%,33%,75%,150%,400%,a",
        "max_iterations": 3,
    },
    # Roughly solved, with a bet that is hardly ever made.
    "rare_bet": _RIVER
    | {
        "bet_sizes": "50%",
        "add_all_in_threshold": 0,
        "max_iterations": 1,
        "locks": [{"node": "r:0", "strategy": {"x": 0.999, "b10": 0.001}}],
    },
    "no_bet": _RIVER
    | {
        "bet_sizes": "50%",
        "max_iterations": 3,
        "locks": [{"node": "r:0", "strategy": {"x": 1}}],
    },
}
RUNS = {
    # Limps, two raise sizes and a 3-bet, checked down.
    "raw_equity": RAW_EQUITY,
}
#: A solved flop at two ratios.
FLOPS = {
    "solve_type": "exhaustive",
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_sprs": [1.0, 2.0],
    "fixed_flops": ["7dAhKs"],
    "postflop_solve_iterations": 2,
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        for name, keys in SPOTS.items():
            solve_spot(**keys, context=RunContext(1), directory=path / name)
        for name, text in RUNS.items():
            solve_preflop(parse_config(text, RunConfig), RunContext(1)).save(path / name)
        solved = solve_flops(FlopsConfig(**FLOPS), RunContext(1))
        solved.save(path / "flops")
        for name in (*SPOTS, *(f"{run}/preflop" for run in RUNS), "flops"):
            archive = Path(__file__).with_name(f"{name.removesuffix('/preflop')}.tar.xz")
            with tarfile.open(archive, "w:xz") as packed:
                packed.add(path / name, name)


if __name__ == "__main__":
    main()
