"""The ways to solve a flop, by name: the one place where a backend is added.

A backend is a package. Its config class is found here by name and loaded when a config asks for
it, so that this package imports nothing from above and a config is read without a solver.
"""

from importlib import import_module
from typing import Any

#: The config class of each backend; ARCHITECTURE.md says what else its package has.
BACKENDS: dict[str, str] = {
    "mccfr": "runout.postflop.mccfr.settings.MccfrConfig",
    "exhaustive": "runout.postflop.exhaustive.settings.ExhaustiveConfig",
    "bucketed": "runout.postflop.bucketed.settings.BucketedConfig",
    "exact": "runout.postflop.exact.settings.ExactConfig",
    "compact": "runout.postflop.compact.settings.CompactConfig",
}

#: What a config without ``solve_type`` asks for.
DEFAULT_BACKEND = "mccfr"


def load_config_class(solve_type: str) -> type[Any]:
    """Returns the config class of a backend.

    Raises:
        KeyError: if there is no such backend.
    """
    module, _, name = BACKENDS[solve_type].rpartition(".")
    config_class: type[Any] = getattr(import_module(module), name)
    return config_class
