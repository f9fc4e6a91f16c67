"""Presets of the postflop model, as data: from a look in minutes to a run over night."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

#: What each preset sets; everything else keeps its default.
PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "fast": {
            "flop_subset": 25,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 200,
            "cfr_exploitability_threshold": 0.005,
        },
        "medium": {
            "flop_subset": 50,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 300,
            "cfr_exploitability_threshold": 0.002,
        },
        "standard": {
            "flop_subset": 100,
            "bet_sizes": (0.5, 1.0),
            "max_raises_per_street": 1,
            "postflop_solve_iterations": 500,
            "cfr_exploitability_threshold": 0.001,
        },
        "accurate": {
            "flop_subset": 200,
            "bet_sizes": (0.33, 0.75, 1.5),
            "max_raises_per_street": 2,
            "postflop_solve_iterations": 1000,
            "cfr_exploitability_threshold": 0.001,
        },
    }
)
