"""A sweep: the flops of a config solved with every choice of a grid of keys, by several seeds."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runout.config.backends import BACKENDS, load_config_class
from runout.config.load import load_yaml, parse_postflop_config
from runout.config.postflop import SECTION as POSTFLOP_SECTION
from runout.config.postflop import PostflopModelConfig
from runout.config.section import show_value, suggest
from runout.errors import ConfigError

SECTION = "sweep"

_KEYS = ("grid", "seeds")
_FORM = "write rebucket_rounds: [1, 2]"


@dataclass(frozen=True)
class SweepPoint:
    """One choice of the grid.

    Attributes:
        choice: pairs of a key and its value, as text.
        models: the config with these keys, once for each seed; once only if nothing is random.
    """

    choice: tuple[tuple[str, str], ...]
    models: tuple[PostflopModelConfig, ...]

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return ", ".join(f"{key} {value}" for key, value in self.choice)


def load_sweep_config(path: Path) -> tuple[SweepPoint, ...]:
    """Reads a file with the sections ``sweep`` and ``postflop_model``.

    Raises:
        ConfigError: if it cannot be read, or naming the key at fault.
    """
    document = load_yaml(path)
    for key in (SECTION, POSTFLOP_SECTION):
        if not isinstance(document.get(key), Mapping):
            problem = f"has no section {key}, a sweep needs {SECTION} and {POSTFLOP_SECTION}"
            raise ConfigError(str(path), problem)
    for key in document:
        if key not in (SECTION, POSTFLOP_SECTION):
            raise ConfigError(key, f"unknown section, allowed are {SECTION}, {POSTFLOP_SECTION}")
    sweep, base = document[SECTION], document[POSTFLOP_SECTION]
    for key in sweep:
        if key not in _KEYS:
            hint = suggest(key, _KEYS) or f", allowed are {', '.join(_KEYS)}"
            raise ConfigError(f"{SECTION}.{key}", f"unknown key{hint}")
    seeds = _read_seeds(sweep.get("seeds", [0]))
    parse_postflop_config(base)  # errors of the file itself come first, with their lines
    return tuple(_make_point(base, choice, seeds) for choice in _read_grid(sweep.get("grid")))


def _read_seeds(value: Any) -> tuple[int, ...]:
    where = f"{SECTION}.seeds"
    if isinstance(value, int) and not isinstance(value, bool):
        value = list(range(value))  # so many
    if not isinstance(value, list) or not value:
        raise ConfigError(where, f"{show_value(value)} is no list of seeds, nor how many")
    for seed in value:
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise ConfigError(where, f"{show_value(seed)} is no seed, which is 0 or larger")
    if len(set(value)) < len(value):
        raise ConfigError(where, "has a seed twice")
    return tuple(value)


def _read_grid(value: Any) -> list[dict[str, Any]]:
    """Returns every choice of one value for each key; of a list of grids, all of theirs."""
    where = f"{SECTION}.grid"
    grids = value if isinstance(value, list) else [value]
    choices: list[dict[str, Any]] = []
    for grid in grids:
        if not isinstance(grid, Mapping) or not grid:
            raise ConfigError(where, f"{show_value(grid)} is no mapping of keys to lists, {_FORM}")
        for key, values in grid.items():
            if values == []:
                raise ConfigError(f"{where}.{key}", f"has no value, {_FORM}")
        lists = [values if isinstance(values, list) else [values] for values in grid.values()]
        choices += [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*lists)]
    return choices


def _make_point(
    base: Mapping[str, Any], choice: Mapping[str, Any], seeds: tuple[int, ...]
) -> SweepPoint:
    keys = {**base, **choice}
    solve_type = keys.get("solve_type")
    if "solve_type" in choice and isinstance(solve_type, str) and solve_type in BACKENDS:
        # Keys of the file that another backend has do not count for this one.
        fields = load_config_class(solve_type).model_fields
        strange = set(PostflopModelConfig.all_keys()) - set(fields) - {"preset"}
        keys = {key: v for key, v in keys.items() if key in choice or key not in strange}
    models = []
    for seed in seeds:
        try:
            model = parse_postflop_config({**keys, "seed": seed})
        except ConfigError as error:
            label = ", ".join(f"{key}: {show_value(value)}" for key, value in choice.items())
            raise ConfigError(f"{SECTION}.grid", f"{error} (with {label})") from error
        models.append(model)
        if not model.is_random and model.max_flop_boards is None:
            break
    text = tuple((key, _plain(value)) for key, value in choice.items())
    return SweepPoint(text, tuple(models))


def _plain(value: Any) -> str:
    return show_value(value).strip("'")
