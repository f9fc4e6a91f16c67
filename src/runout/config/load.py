"""Config files of all kinds: from a path or a text to typed sections, and sweeps."""

import itertools
import os.path
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from annotated_types import Len
from pydantic import AfterValidator, PrivateAttr, model_validator
from typing_extensions import TypeVar

from runout.config.flops import POSTFLOP_SECTION, FlopsConfig, FlopsFile
from runout.config.run import RunConfig
from runout.config.section import ConfigSection, Read, problem
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.values import CountFrom0, different
from runout.config.yaml_text import Document, parse_yaml, show_value
from runout.errors import ConfigError

YAML_SUFFIXES = (".yaml", ".yml")

#: Larger files are something else, given by mistake; two ranges combo by combo take 50,000.
MAX_BYTES = 1_000_000

#: How files of other programs that `runout import` converts begin, or a line of theirs.
_FOREIGN = re.compile(
    r"""\A\s*\{\s*"(version|name|player)"|^[ \t]*#(Pot|Range[01])#"""
    r"""|^[ \t]*(set_(pot|board|effective_stack) |variant *= *["'])""",
    re.MULTILINE,
)


def _read_grid(value: Any) -> list[dict[str, Any]]:
    """Returns every choice of one value for each key; of a list of grids, all of theirs."""
    choices: list[dict[str, Any]] = []
    for grid in value if isinstance(value, list) else [value]:
        if not isinstance(grid, Mapping) or not grid:
            raise ValueError
        lists = [values if isinstance(values, list) else [values] for values in grid.values()]
        if [] in lists:
            raise problem("has no value", list(grid)[lists.index([])])
        if "seed" in grid:
            raise problem("is repeated for every choice, write seeds beside grid", "seed")
        choices += [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*lists)]
    return choices


_GRID = "a mapping of keys to lists, write rebucket_rounds: [1, 2]"


class _Sweep(ConfigSection):
    grid: Annotated[tuple[dict[str, Any], ...], Read(_GRID, _read_grid, types=("object", "array"))]
    """Values to try by key of `postflop_model`, in all combinations; or a list of such grids."""
    seeds: Annotated[
        tuple[CountFrom0, ...],
        Len(1),
        AfterValidator(different),
        Read(
            "a number of seeds, or a list of them",
            lambda value: list(range(value)) if type(value) is int else value,
            types=("integer", "array"),
        ),
    ] = (0,)
    """Seeds of the solves, or how many."""


class SweepConfig(FlopsFile):
    """A sweep: the flops of a config solved with every choice of a grid of keys."""

    sweep: _Sweep
    """The choices, and the seeds of each."""
    _models: dict[tuple[tuple[str, str], ...], FlopsConfig] = PrivateAttr(default_factory=dict)

    @property
    def models(self) -> dict[tuple[tuple[str, str], ...], FlopsConfig]:
        """How flops are solved, by choice: pairs of a key and its value, as text."""
        return self._models

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, data: Any, read: Callable[[Any], Self]) -> Self:
        config = read(data)
        for each in config.sweep.grid:
            choice = tuple((key, show_value(value).strip("'")) for key, value in each.items())
            label = ", ".join(map(" ".join, choice))
            try:
                config._models[choice] = FlopsConfig.choose(data[POSTFLOP_SECTION], each, label)
            except ConfigError as error:
                raise problem(str(error), "sweep", "grid") from error
        return config


AnyConfig: TypeAlias = RunConfig | FlopsConfig | SpotConfig | ReportConfig | SweepConfig
ConfigT = TypeVar("ConfigT", bound=AnyConfig, default=AnyConfig)

#: What a file describes and the command that it is for, by its class.
KINDS: Mapping[type[AnyConfig], tuple[str, str]] = {
    FlopsConfig: ("flops", "solve-postflop"),
    RunConfig: ("a run", "solve-preflop"),
    SweepConfig: ("a sweep", "lab sweep"),
    SpotConfig: ("a spot", "solve-spot"),
    ReportConfig: ("a report", "report"),
}


def load_config(
    path: str | Path | None,
    kind: type[ConfigT] | None = None,
    given: Mapping[str, Any] | None = None,
) -> ConfigT:
    """Reads a config file of any kind, a run, flops, a spot, a report or a sweep.

    A relative ``postflop_model_path`` counts from the file's directory. A YAML file there is read
    and becomes the run's ``postflop_model``; a directory stays a path and is not looked at.

    Args:
        path: the file; None if there are only given keys.
        kind: the class of the only kind that is allowed.
        given: keys that win over those of the file.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.

    >>> from runout import load_config
    >>> load_config("configs/spot_river.yaml").stack
    910.0
    """
    file = Path(path or "config")
    config: ConfigT = _read(load_yaml(file) if path else Document(), file, kind, given or {})
    return config


def parse_config(
    text: str, kind: type[ConfigT] | None = None, given: Mapping[str, Any] | None = None
) -> ConfigT:
    """Reads the text of a config file; see `load_config`.

    >>> from runout import parse_config
    >>> parse_config("preflop: {preset: pushfold, stacks_bb: 8}").preflop.stacks_bb
    (8.0, 8.0)
    """
    if text.lower().endswith(YAML_SUFFIXES) and "\n" not in text and ": " not in text:
        raise ConfigError("config", f"{show_value(text)} is a path, read it with load_config")
    config: ConfigT = _read(parse_yaml(text), Path("config"), kind, given or {})
    return config


def load_yaml(path: Path) -> Document:
    """Reads a YAML file whose top is a mapping; what is none raises `ConfigError`."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), f"is not UTF-8 text ({error.reason})") from error
    except FileNotFoundError as error:
        raise ConfigError(str(path), "no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(str(path), f"cannot be read ({reason})") from error
    if len(content) > MAX_BYTES:
        raise ConfigError(str(path), f"has more than {MAX_BYTES:,} bytes, so it is no config")
    if _FOREIGN.search(text):
        text = f"is a file of another program, convert it: runout import {path} -o spot.yaml"
        raise ConfigError(str(path), text)
    return parse_yaml(text, where=str(path))


def kind_of(document: Mapping[str, Any]) -> type[AnyConfig] | None:
    """Returns the class of what a config describes: the one that knows most of its keys, if any.

    Of several, it is the one with the fewest keys of its own.
    """
    known: dict[type[AnyConfig], tuple[int, int]] = {}
    for kind in KINDS:
        keys = (FlopsFile if kind is FlopsConfig else kind).key_names()
        known[kind] = len({*document} & {*keys}), -len(keys)
    best = max(known, key=known.__getitem__)
    return best if known[best][0] else None


def _read(document: Document, file: Path, kind: Any, given: Mapping[str, Any]) -> Any:
    """Reads a document of a kind, or of any."""
    document, name = document.with_keys(given), str(file)
    found = kind_of(document)
    if found is kind is None:
        kinds = "preflop (a run), postflop_model (flops), board (a spot) or oop and ip"
        raise ConfigError(name, f"has no key of a config, give {kinds} (a report)")
    if found is not None and kind not in (found, None):
        (what, command), (wanted, _) = KINDS[found], KINDS[kind]
        text = f"is the config of {what}, for runout {command}; here that of {wanted} is read"
        raise ConfigError(name, text)
    kind = kind or found
    if kind is FlopsConfig:
        return FlopsFile.parse(document, name).postflop_model
    parsed = kind.parse(document, name)
    return _with_model_file(parsed, file.parent) if kind is RunConfig else parsed


def _with_model_file(config: RunConfig, folder: Path) -> RunConfig:
    """Returns a run with the postflop model that its path names, if that is a file."""
    if config.postflop_model_path is None:
        return config
    path = folder / config.postflop_model_path
    config = config.model_copy(update={"postflop_model_path": path})
    is_file = path.suffix.lower() in YAML_SUFFIXES or os.path.isfile(path)
    if not config.needs_flop_values or not is_file:
        return config
    try:
        model = load_config(path, FlopsConfig)
    except ConfigError as error:
        # Not the path in this file alone: the line is one of the other file.
        file = "" if error.where == str(path) else f"{path}: "
        raise ConfigError("postflop_model_path", f"{file}{error}") from error
    keys = {"postflop_model": model.to_mapping(), "postflop_model_path": None}
    return RunConfig.parse(config.to_mapping() | keys, str(path))
