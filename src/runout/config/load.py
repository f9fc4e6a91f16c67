"""Config files: from a path or a text to typed sections; sweeps; and the reference of all keys."""

import ast
import inspect
import itertools
import os.path
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, cast, overload

from runout.config.flops import (
    BACKENDS,
    JOINT_SECTION,
    POSTFLOP_SECTION,
    FlopsConfig,
    JointConfig,
    PotSizesConfig,
)
from runout.config.run import PREFLOP_SECTION, PreflopConfig, RunConfig
from runout.config.section import ConfigSection, Form, Key, PartError, read_list, refusal, whole
from runout.config.spot import SpotConfig
from runout.config.yaml_text import (
    YamlMapping,
    error_at,
    format_yaml,
    join_path,
    parse_yaml,
    show_value,
    suggest,
)
from runout.errors import ConfigError

# Config files: from a path or a text to typed sections.


YAML_SUFFIXES = (".yaml", ".yml")

#: What a config file may describe, each with the command that it is for.
AnyConfig: TypeAlias = RunConfig | FlopsConfig | SpotConfig
ConfigT = TypeVar("ConfigT", RunConfig, FlopsConfig, SpotConfig)
_KINDS: dict[type[AnyConfig], tuple[str, str]] = {
    RunConfig: ("a run", "solve-preflop"),
    FlopsConfig: ("flops", "solve-postflop"),
    SpotConfig: ("a spot", "solve-spot"),
}

#: Larger files are something else, given by mistake; two ranges combo by combo take 50,000.
MAX_BYTES = 1_000_000


@overload
def load_config(path: str | Path) -> AnyConfig: ...
@overload
def load_config(
    path: str | Path, kind: type[ConfigT], given: Mapping[str, Any] | None = None
) -> ConfigT: ...
def load_config(
    path: str | Path, kind: Any = None, given: Mapping[str, Any] | None = None
) -> AnyConfig:
    """Reads a config file of any kind: a run, flops or a spot, told apart by its keys.

    A relative ``postflop_model_path`` counts from the file's directory. A YAML file there is read
    and becomes the run's ``postflop_model``; a directory stays a path and is not looked at.

    Args:
        path: the file.
        kind: the class of the only kind that is allowed.
        given: keys that win over those of the file.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.

    >>> from runout import load_config
    >>> load_config("configs/spot_river.yaml").pot
    100.0
    """
    path = Path(path)
    return _read(load_yaml(path), str(path), kind, given, path.parent)


@overload
def parse_config(text: str) -> AnyConfig: ...
@overload
def parse_config(
    text: str, kind: type[ConfigT], given: Mapping[str, Any] | None = None
) -> ConfigT: ...
def parse_config(text: str, kind: Any = None, given: Mapping[str, Any] | None = None) -> AnyConfig:
    """Reads the text of a config file; see `load_config`.

    >>> from runout import parse_config
    >>> parse_config("preflop: {preset: pushfold, stacks_bb: 8}").preflop.stacks_bb
    (8.0, 8.0)
    """
    return _read(parse_yaml(text), "config", kind, given, Path())


def load_yaml(path: Path) -> YamlMapping:
    """Reads a YAML file whose top is a mapping.

    Raises:
        ConfigError: if the file cannot be read, is not YAML or not a mapping, or repeats a key.
    """
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
    return _read_flops(document, str(path))


def load_spot_config(
    path: Path | None, given: Mapping[str, Any], flop: str | None = None
) -> SpotConfig:
    """Reads the config of a spot from a file, from keys, which win over those of the file, or both.

    The flop is one of many to play the spot on, which then has no board of its own.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    keys = {**given, **({} if flop is None else {"board": flop})}
    if path is None:
        return SpotConfig.parse(keys, document="spot")
    document = load_yaml(path)
    if flop is not None and document.get("board") is not None:
        problem = "a report takes its flops from --flops, leave the board out"
        raise error_at(document, "board", problem)
    return cast(SpotConfig, _read(document, str(path), SpotConfig, keys, path.parent))


def kind_of(document: Mapping[str, Any]) -> type[AnyConfig] | None:
    """Returns the class of what a config describes, by its keys; None if that cannot be told."""
    keys = set(document)
    if PREFLOP_SECTION in keys:
        return RunConfig
    if keys == {POSTFLOP_SECTION}:
        return FlopsConfig
    is_spot = "board" in keys and not keys & {POSTFLOP_SECTION, *RunConfig.model_fields}
    return SpotConfig if is_spot else None


def _read(
    document: YamlMapping,
    name: str,
    kind: type[AnyConfig] | None,
    given: Mapping[str, Any] | None,
    folder: Path,
) -> AnyConfig:
    """Reads a document of a kind, or of any; its name is what errors say that belong to no key."""
    found = kind_of(document)
    if kind is None and found is None:
        allowed = ", ".join(text for text, _ in _KINDS.values())
        raise ConfigError(name, f"is no config of {allowed}: give preflop, postflop_model or board")
    if kind is not None:
        _require_kind(document, name, kind)
    keys = given or {}
    merged = YamlMapping({**document, **keys})
    # What was given beside the file stands on no line of it.
    merged.lines = {p: n for p, n in document.lines.items() if re.split(r"[.\[]", p)[0] not in keys}
    if (kind or found) is RunConfig:
        return _with_model_file(RunConfig.parse(merged, "", name), folder)
    if (kind or found) is FlopsConfig:
        config = _read_flops(merged, name)
        if config.is_auto_sprs:
            section = merged[POSTFLOP_SECTION]
            key = next(key for key in ("postflop_sprs", "postflop_spr") if key in section)
            problem = "'auto' needs the preflop tree of a run config, without one write [3.5]"
            raise error_at(merged, join_path(POSTFLOP_SECTION, key), problem)
        return config
    return SpotConfig.parse(merged, "", name)


def _require_kind(document: Mapping[str, Any], name: str, kind: type[AnyConfig]) -> None:
    """Refuses a config that is for another command; one that is for none is left to its reader."""
    found = kind_of(document)
    if found is not None and found is not kind:
        what, command = _KINDS[found]
        problem = f"is the config of {what}, for runout {command}; here that of {_KINDS[kind][0]}"
        raise ConfigError(name, f"{problem} is read")


def _read_flops(document: YamlMapping, name: str) -> FlopsConfig:
    for key in document:
        if key != POSTFLOP_SECTION:
            raise error_at(document, join_path("", key), _problem_with_section(key))
    if POSTFLOP_SECTION not in document:
        raise ConfigError(name, f"has no section {POSTFLOP_SECTION}")
    return FlopsConfig.parse(document[POSTFLOP_SECTION])


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
    return config.with_postflop_model(model)


def _problem_with_section(key: str) -> str:
    if key in FlopsConfig.all_keys():
        # A key of the section at the top of the file is a forgotten line, not a typing error.
        return f"unknown section, write it below {POSTFLOP_SECTION}:"
    if key in RunConfig.model_fields:
        return f"belongs to the config of a run, here only {POSTFLOP_SECTION} is read"
    return (
        f"unknown section{suggest(key, [POSTFLOP_SECTION]) or f', allowed is {POSTFLOP_SECTION}'}"
    )


# A sweep: the flops of a config solved with every choice of a grid of keys, by several seeds.


_GRID_FORM = "a mapping of keys to lists, write rebucket_rounds: [1, 2]"


def _read_seeds(value: Any) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        value = list(range(value))
    seeds = read_list(value, whole(0).parse, "a list of seeds, or how many", least="seed")
    if len(set(seeds)) < len(seeds):
        raise PartError("", "has a seed twice")
    return seeds


def _read_grid(value: Any) -> list[dict[str, Any]]:
    """Returns every choice of one value for each key; of a list of grids, all of theirs."""
    choices: list[dict[str, Any]] = []
    for grid in value if isinstance(value, list) else [value]:
        if not isinstance(grid, Mapping) or not grid:
            raise refusal(grid, _GRID_FORM)
        lists = [values if isinstance(values, list) else [values] for values in grid.values()]
        if [] in lists:
            raise PartError(f".{list(grid)[lists.index([])]}", "has no value")
        choices += [dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*lists)]
    return choices


class _Sweep(ConfigSection):
    grid: Annotated[list[dict[str, Any]], Form(_GRID_FORM, _read_grid), Key("nothing")]
    seeds: Annotated[tuple[int, ...], Form("seeds", _read_seeds), Key("nothing")] = (0,)


class _SweepFile(ConfigSection):
    sweep: Annotated[_Sweep, Key("nothing")]
    postflop_model: Annotated[dict[str, Any], Key("nothing")]


@dataclass(frozen=True)
class SweepPoint:
    """One choice of the grid.

    Attributes:
        choice: pairs of a key and its value, as text.
        models: the config with these keys, once for each seed; once only if nothing is random.
    """

    choice: tuple[tuple[str, str], ...]
    models: tuple[FlopsConfig, ...]

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return ", ".join(f"{key} {value}" for key, value in self.choice)


def load_sweep_config(source: str | Path | Mapping[str, Any]) -> tuple[SweepPoint, ...]:
    """Reads a file, or a mapping, with the sections ``sweep`` and ``postflop_model``.

    Raises:
        ConfigError: if it cannot be read, or naming the key at fault.
    """
    document = source if isinstance(source, Mapping) else load_yaml(Path(source))
    where = "sweep" if isinstance(source, Mapping) else str(source)
    sweep = _SweepFile.parse(document, "", where).sweep
    base = document[POSTFLOP_SECTION]
    FlopsConfig.parse(base)  # errors of the file itself come first, with their lines
    return tuple(_make_point(base, choice, sweep.seeds) for choice in sweep.grid)


def _make_point(
    base: Mapping[str, Any], choice: Mapping[str, Any], seeds: tuple[int, ...]
) -> SweepPoint:
    keys = {**base, **choice}
    solve_type = keys.get("solve_type")
    if "solve_type" in choice and isinstance(solve_type, str) and solve_type in BACKENDS:
        # Keys of the file that another backend has do not count for this one.
        fields = BACKENDS[solve_type].model_fields
        strange = set(FlopsConfig.all_keys()) - set(fields) - {"preset"}
        keys = {key: v for key, v in keys.items() if key in choice or key not in strange}
    models = []
    for seed in seeds:
        try:
            model = FlopsConfig.parse({**keys, "seed": seed})
        except ConfigError as error:
            label = ", ".join(f"{key}: {show_value(value)}" for key, value in choice.items())
            raise ConfigError("sweep.grid", f"{error} (with {label})") from error
        models.append(model)
        if not model.is_random and model.max_flop_boards is None:
            break
    text = tuple((key, show_value(value).strip("'")) for key, value in choice.items())
    return SweepPoint(text, tuple(models))


# The config reference, made from the typed fields, so that it cannot fall behind them.
#
# ``python -m runout.config.load docs/configuration.md`` renews the part of the page between the
# two marks; the rest is written by hand.


BEGIN_MARK = "<!-- begin: made by python -m runout.config.load -->"
END_MARK = "<!-- end -->"


def format_reference() -> str:
    """Returns the keys and the presets of all sections as Markdown tables."""
    parts = [
        "### Keys of a run",
        _format_keys(RunConfig),
        f"### Keys of `{JOINT_SECTION}`",
        _format_keys(JointConfig),
        "### Keys of `limped`, `raised` and `reraised`",
        _format_keys(PotSizesConfig),
        f"### Keys of `{PREFLOP_SECTION}`",
        _format_keys(PreflopConfig),
        _format_presets(PreflopConfig),
        f"### Keys of `{POSTFLOP_SECTION}`",
        _format_keys(FlopsConfig),
        _format_presets(FlopsConfig),
        *(part for kind in BACKENDS.values() for part in _format_backend(kind)),
        "### Keys of a spot",
        _format_keys(SpotConfig),
    ]
    return "\n\n".join(parts) + "\n"


def renew_reference(page: str) -> str:
    """Returns a page with a fresh reference between its marks.

    Raises:
        ValueError: if the page does not have both marks.
    """
    before, begin, rest = page.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN_MARK} ... {END_MARK}")
    return f"{before}{BEGIN_MARK}\n\n{format_reference()}\n{END_MARK}{after}"


def _format_backend(kind: type[FlopsConfig]) -> list[str]:
    """Returns the keys that a backend adds, and what presets set of them."""
    about = f"{inspect.getdoc(kind)} `cfr_variant: null` is `{kind.best_variant}`."
    heading = f"### More keys with `solve_type: {kind().solve_type}`"
    has_presets = kind.presets is not FlopsConfig.presets
    presets = [_format_presets(kind, kind.own_keys())] if has_presets else []
    return [heading, about, _format_keys(kind, kind.own_keys()), *presets]


def _format_keys(section: type[ConfigSection], keys: Sequence[str] | None = None) -> str:
    defaults = section.model_construct().to_mapping()  # without the keys that must be given
    texts, rows = _descriptions(section), []
    for key in section.model_fields if keys is None else keys:
        default = _inline(defaults[key]) if key in defaults else "must be given"
        unit = section.key(key).unit
        rows.append([f"`{key}`", section.form(key).allowed, default, unit, texts[key]])
    return _format_table(["key", "type and range", "default", "unit", "meaning"], rows)


def _descriptions(section: type[ConfigSection]) -> dict[str, str]:
    """Returns the texts that stand below the keys of a section, on one line each."""
    texts: dict[str, str] = {}
    for kind in section.__mro__[: section.__mro__.index(ConfigSection)]:
        source: Any = ast.parse(inspect.getsource(kind)).body[0]
        for key, text in itertools.pairwise(source.body):
            match key, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(ast.Constant(str(words))):
                    texts.setdefault(name, " ".join(words.split()))
    return texts


def _format_presets(section: type[ConfigSection], keys: Sequence[str] | None = None) -> str:
    mappings = [section.model_validate({"preset": name}).to_mapping() for name in section.presets]
    given = dict.fromkeys(key for preset in section.presets.values() for key in preset)
    shown = [key for key in given if keys is None or key in keys]
    rows = [[f"`{key}`", *(_inline(mapping[key]) for mapping in mappings)] for key in shown]
    return _format_table(["preset", *(f"`{name}`" for name in section.presets)], rows)


def _inline(value: object) -> str:
    # In a list, because YAML ends a scalar that stands alone with "...".
    return f"`{format_yaml([value], is_inline=True).strip()[1:-1]}`"


def _format_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    _page = Path(sys.argv[1])
    _page.write_text(renew_reference(_page.read_text("utf-8")), "utf-8")
