"""Heads-up no-limit hold'em solver.

From Python, a solve is two lines (`docs/preflop.md`, `examples/solve_push_fold.py`):

    config = runout.load_config("configs/smoke.yaml")
    run = runout.solve_preflop(config)

A board with two ranges is one (`docs/spot.md`, `examples/solve_spot.py`):

    solution = runout.solve_spot(board="QsJh2h", oop="22+", ip="ATo+", pot=180, stack=910)

What was saved is looked at without the solver (`docs/views.md`):

    node = runout.open("runs/river").node("x:b59")
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from runout.errors import RunoutError as RunoutError
from runout.version import __version__ as __version__

if TYPE_CHECKING:  # "as" because checkers re-export nothing else
    from runout.abstraction.bucket_map import Abstraction as Abstraction
    from runout.cards.deck import parse_board as parse_board
    from runout.cards.evaluator import evaluate as evaluate
    from runout.cards.flops import flops as flops
    from runout.cards.ranges import Range as Range
    from runout.cfr import games as games
    from runout.cfr.leaves import LeafEvaluator as LeafEvaluator
    from runout.cfr.schedules import Schedule as Schedule
    from runout.cfr.schedules import StoppingRule as StoppingRule
    from runout.cfr.solver import CfrSolver as CfrSolver
    from runout.config.flops import FlopsConfig as FlopsConfig
    from runout.config.load import load_config as load_config
    from runout.config.load import parse_config as parse_config
    from runout.config.run import RunConfig as RunConfig
    from runout.config.spot import SpotConfig as SpotConfig
    from runout.equity.matchups import equity as equity
    from runout.execution.context import RunContext as RunContext
    from runout.flops.solve import solve_flop as solve_flop
    from runout.flops.solve import solve_flops as solve_flops
    from runout.runs.judge import exploitability as exploitability
    from runout.runs.preflop import solve_preflop as solve_preflop
    from runout.runs.report import report as report
    from runout.runs.spot import solve_spot as solve_spot
    from runout.runs.sweep import sweep as sweep
    from runout.solutions.node import Node as Node
    from runout.solutions.run import open as open
    from runout.trees.tree import BettingTree as BettingTree

# Imported when they are first used: `import runout` takes a millisecond, the solver a second.
_MODULE_BY_NAME = {
    "Range": "runout.cards.ranges",
    "equity": "runout.equity.matchups",
    "evaluate": "runout.cards.evaluator",
    "flops": "runout.cards.flops",
    "parse_board": "runout.cards.deck",
    "BettingTree": "runout.trees.tree",
    "CfrSolver": "runout.cfr.solver",
    "LeafEvaluator": "runout.cfr.leaves",
    "Schedule": "runout.cfr.schedules",
    "StoppingRule": "runout.cfr.schedules",
    "games": "runout.cfr",
    "FlopsConfig": "runout.config.flops",
    "RunConfig": "runout.config.run",
    "SpotConfig": "runout.config.spot",
    "load_config": "runout.config.load",
    "parse_config": "runout.config.load",
    "Node": "runout.solutions.node",
    "open": "runout.solutions.run",
    "Abstraction": "runout.abstraction.bucket_map",
    "exploitability": "runout.runs.judge",
    "solve_flop": "runout.flops.solve",
    "solve_flops": "runout.flops.solve",
    "solve_preflop": "runout.runs.preflop",
    "solve_spot": "runout.runs.spot",
    "report": "runout.runs.report",
    "sweep": "runout.runs.sweep",
    "RunContext": "runout.execution.context",
    "RunoutError": "runout.errors",
}
__all__ = [*_MODULE_BY_NAME, "__version__"]

_REPLACED = {
    "Workplace": "RunContext",
    "load_run_config": "load_config(path, runout.RunConfig)",
    "open_solution": "open",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_BY_NAME:
        now = f", it was replaced by runout.{_REPLACED[name]}" if name in _REPLACED else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{now}")
    # By fromlist, which imports games, a module of runout.cfr.
    return getattr(__import__(_MODULE_BY_NAME[name], fromlist=[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Keeps `runout.equity` and `runout.flops` functions: subpackages have the same names.

    Importing a subpackage sets an attribute of the package, which would hide the function.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULE_BY_NAME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
