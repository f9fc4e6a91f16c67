"""Game-agnostic counterfactual regret minimization; knows trees, reach and values, but no cards.

Private by place: `runout.CfrSolver`, `Schedule`, `StoppingRule`, `LeafEvaluator` and `games` are
public.
"""

from importlib import import_module
from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name != "games":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("runout.cfr.games")
