"""Presets of the sections, as data."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

#: Of the postflop model, from a look in minutes to a run over night: what each sets; a backend's
#: settings add keys of its own, and everything else keeps its default.
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

#: Of the preflop game: what each sets; everything else keeps its default.
PREFLOP_PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "hu_25bb": {
            "stacks_bb": 25,
            "raise_sizes": {"sb": ["2bb", "3x", "allin"], "bb": ["3bb", "3x", "allin"]},
            "raise_cap": 4,
        },
        "hu_100bb": {
            "stacks_bb": 100,
            "raise_sizes": {
                "sb": ["2.5bb", "3x", "2.4x", "allin"],
                "bb": ["3.5bb", "3.6x", "2.4x", "allin"],
            },
            "raise_cap": 5,
        },
        "pushfold": {
            "stacks_bb": 10,
            "raise_sizes": ["allin"],
            "raise_cap": None,
            "allow_limp": False,
        },
        "limpfold": {
            "stacks_bb": 10,
            "raise_sizes": {"sb": [], "bb": ["allin"]},
            "raise_cap": 1,
            "always_offer_all_in": False,
        },
    }
)
