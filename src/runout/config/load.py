"""Config files of all kinds: from a path or a text to typed sections, and sweeps."""

import itertools
import os.path
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from annotated_types import Len
from pydantic import BeforeValidator, Strict
from typing_extensions import TypeVar

from runout.config.flops import BACKENDS, POSTFLOP_SECTION, FlopsConfig, FlopsFile
from runout.config.run import RunConfig
from runout.config.section import ConfigSection, Read, problem
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.values import CountFrom0
from runout.config.yaml_text import Document, format_place, parse_yaml, show_value
from runout.errors import ConfigError

YAML_SUFFIXES = (".yaml", ".yml")

#: Larger files are something else, given by mistake; two ranges combo by combo take 50,000.
MAX_BYTES = 1_000_000


def _read_seeds(value: Any) -> Any:
    seeds = list(range(value)) if isinstance(value, int) and type(value) is not bool else value
    if isinstance(seeds, list | tuple) and len({*map(str, seeds)}) < len(seeds):
        raise problem("has a seed twice")
    return seeds


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
    grid: Annotated[list[dict[str, Any]], Read(_read_grid, _GRID, types=("object", "array"))]
    """Values to try by key of `postflop_model`, in all combinations; or a list of such grids."""
    seeds: Annotated[
        tuple[CountFrom0, ...], Strict(False), Len(1), BeforeValidator(_read_seeds)
    ] = (0,)
    """Seeds of the solves, or how many."""


class SweepConfig(FlopsFile):
    """A sweep: the flops of a config solved with every choice of a grid of keys."""

    sweep: _Sweep
    """The choices, and the seeds of each."""


@dataclass(frozen=True)
class SweepPoint:
    """One choice of the grid: pairs of a key and its value, as text.

    Its models are the config with these keys, once for each seed; once only if nothing is random.
    An abstraction has own buckets of hands, see `runout.Abstraction`.
    """

    choice: tuple[tuple[str, str], ...]
    models: tuple[FlopsConfig, ...]
    abstraction: Callable[..., Any] | None = None

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return ", ".join(f"{key} {value}" for key, value in self.choice)


def load_sweep_config(source: str | Path | Mapping[str, Any]) -> tuple[SweepPoint, ...]:
    """Reads a file, or a mapping, with the sections ``sweep`` and ``postflop_model``."""
    document, name = source, "sweep"
    if not isinstance(document, Mapping):
        document, name = load_yaml(Path(document)), str(source)
    sweep = SweepConfig.parse(document, name).sweep
    return tuple(_make_point(document[POSTFLOP_SECTION], each, sweep.seeds) for each in sweep.grid)


def _make_point(
    base: Mapping[str, Any], choice: Mapping[str, Any], seeds: tuple[int, ...]
) -> SweepPoint:
    keys = {**base, **choice}
    if "solve_type" in choice and keys["solve_type"] in BACKENDS:
        # Keys of the file that another backend has do not count for this one.
        others = {key for kind in BACKENDS.values() for key in kind.model_fields}
        others -= set(BACKENDS[keys["solve_type"]].model_fields)
        keys = {key: value for key, value in keys.items() if key in choice or key not in others}
    models: list[FlopsConfig] = []
    for seed in seeds:
        try:
            models.append(FlopsConfig.parse({**keys, "seed": seed}))
        except ConfigError as error:
            label = ", ".join(f"{key}: {show_value(value)}" for key, value in choice.items())
            raise ConfigError("sweep.grid", f"{error} (with {label})") from error
        if not models[0].is_random and models[0].max_flop_boards is None:
            break
    text = tuple((key, show_value(value).strip("'")) for key, value in choice.items())
    return SweepPoint(text, tuple(models))


AnyConfig: TypeAlias = RunConfig | FlopsConfig | SpotConfig | ReportConfig | SweepConfig
ConfigT = TypeVar("ConfigT", bound=AnyConfig, default=AnyConfig)

#: What a file describes, the command that it is for, and the keys that tell, by its class.
KINDS: Mapping[type[AnyConfig], tuple[str, str, set[str]]] = {
    SweepConfig: ("a sweep", "lab sweep", {"sweep"}),
    RunConfig: ("a run", "solve-preflop", {"preflop"}),
    FlopsConfig: ("flops", "solve-postflop", {POSTFLOP_SECTION}),
    SpotConfig: ("a spot", "solve-spot", {"board"}),
    ReportConfig: ("a report", "report", {"oop", "ip"}),
}


def load_config(
    path: str | Path, kind: type[ConfigT] | None = None, given: Mapping[str, Any] | None = None
) -> ConfigT:
    """Reads a config file of any kind, a run, flops, a spot, a report or a sweep.

    A relative ``postflop_model_path`` counts from the file's directory. A YAML file there is read
    and becomes the run's ``postflop_model``; a directory stays a path and is not looked at.

    Args:
        path: the file.
        kind: the class of the only kind that is allowed.
        given: keys that win over those of the file.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.

    >>> from runout import load_config
    >>> load_config("configs/spot_river.yaml").stack
    910.0
    """
    name, folder = str(path), Path(path).parent
    config: ConfigT = _read(load_yaml(Path(path)), name, kind, given or {}, folder)
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
    config: ConfigT = _read(parse_yaml(text), "config", kind, given or {}, Path())
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
    return parse_yaml(text, where=str(path))


def load_model_file(path: Path) -> FlopsConfig:
    """Reads the file that a run's ``postflop_model_path`` names, which may leave ratios to it."""
    document = load_yaml(path)
    _require_kind(document, str(path), FlopsConfig)
    return FlopsFile.parse(document, str(path)).postflop_model


def load_spot_config(
    path: Path | None, given: Mapping[str, Any], flop: str | None = None
) -> SpotConfig:
    """Reads a spot from a file, from keys, which win over those of the file, or both.

    With a flop, the file is that of a report, which has no board of its own.
    """
    keys = {**given, **({} if flop is None else {"board": flop})}
    if path is None:
        return SpotConfig.parse(keys, "spot")
    if flop is not None and (document := load_yaml(path)).get("board") is not None:
        line = document.line_of(("board",))
        text = f"a report takes its flops from --flops, leave the board out (line {line})"
        raise ConfigError("board", text)
    return load_config(path, SpotConfig, keys)


def kind_of(document: Mapping[str, Any]) -> type[AnyConfig] | None:
    """Returns the class of what a config describes, by its keys; None if that cannot be told."""
    keys = set(document)
    if POSTFLOP_SECTION in keys and not keys & {"sweep", "preflop"}:
        return FlopsConfig if len(keys) == 1 else None
    return next((kind for kind, (_, _, marks) in KINDS.items() if marks & keys), None)


def _require_kind(document: Mapping[str, Any], name: str, kind: type[AnyConfig]) -> None:
    """Refuses a config that is for another command; one that is for none is left to its reader."""
    if (found := kind_of(document)) not in (kind, None):
        what, command, _ = KINDS[found]
        text = f"is the config of {what}, for runout {command}; here that of {KINDS[kind][0]}"
        raise ConfigError(name, f"{text} is read")


def _read(
    document: Document,
    name: str,
    kind: Any,
    given: Mapping[str, Any],
    folder: Path,
) -> Any:
    """Reads a document of a kind, or of any; its name is what errors say that belong to no key."""
    document = document.with_keys(given)
    if kind is None and (kind := kind_of(document)) is None:
        known = {each: len(set(document) & set(each.model_fields)) for each in KINDS}
        kind = max(known, key=known.__getitem__)  # its errors say what is wrong
        if not known[kind]:
            kinds = "preflop (a run), postflop_model (flops), board (a spot) or oop and ip"
            raise ConfigError(name, f"has no key of a config, give {kinds} (a report)")
    _require_kind(document, name, kind)
    if kind is FlopsConfig:
        config = FlopsFile.parse(document, name).postflop_model
        if config.is_auto_sprs:
            place = (
                POSTFLOP_SECTION,
                next(key for key in document[POSTFLOP_SECTION] if "spr" in key),
            )
            text = "'auto' needs the preflop tree of a run config, without one write [3.5]"
            raise ConfigError(format_place(place), f"{text} (line {document.line_of(place)})")
        return config
    parsed = kind.parse(document, name)
    if isinstance(parsed, SweepConfig):
        load_sweep_config(document)  # each choice is checked as well
    return _with_model_file(parsed, folder) if isinstance(parsed, RunConfig) else parsed


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
        model = load_model_file(path)
    except ConfigError as error:
        # Not the path in this file alone: the line is one of the other file.
        file = "" if error.where == str(path) else f"{path}: "
        raise ConfigError("postflop_model_path", f"{file}{error}") from error
    return config.model_copy(update={"postflop_model": model, "postflop_model_path": None})
