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
from typing import Annotated, Any

from runout.config.postflop import (
    BACKENDS,
    JOINT_SECTION,
    POSTFLOP_SECTION,
    JointConfig,
    PostflopModelConfig,
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
RUN, FLOPS, SPOT = "a run", "flops", "a spot"
_COMMANDS = {RUN: "solve-preflop", FLOPS: "solve-postflop", SPOT: "solve-spot"}

#: Larger files are something else, given by mistake; two ranges combo by combo take 50,000.
MAX_BYTES = 1_000_000


def load_yaml(source: Path | str) -> YamlMapping:
    """Reads YAML from a file (a `Path`) or from text (a `str`); the top must be a mapping.

    Raises:
        ConfigError: if the file cannot be read, is not YAML or not a mapping, or repeats a key.
    """
    if isinstance(source, str):
        return parse_yaml(source)
    try:
        with source.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(str(source), f"is not UTF-8 text ({error.reason})") from error
    except FileNotFoundError as error:
        raise ConfigError(str(source), "no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(str(source), f"cannot be read ({reason})") from error
    if len(content) > MAX_BYTES:
        raise ConfigError(str(source), f"has more than {MAX_BYTES:,} bytes, so it is no config")
    return parse_yaml(text, where=_name_of(source))


def parse_postflop_config(
    mapping: Mapping[str, Any], where: str = POSTFLOP_SECTION, *, allow_auto_sprs: bool = False
) -> PostflopModelConfig:
    """Reads the contents of the section ``postflop_model``.

    Args:
        mapping: the keys; a mapping from `load_yaml` lets errors name the line.
        where: path of the section in its file, empty if it is the whole file.
        allow_auto_sprs: whether there is a preflop tree for ``postflop_sprs: auto`` to look at.

    Raises:
        ConfigError: naming the path of the first key or value that is not allowed.
    """
    config = PostflopModelConfig.parse(mapping, where)
    if config.is_auto_sprs and not allow_auto_sprs:
        key = next(key for key in ("postflop_sprs", "postflop_spr") if key in mapping)
        problem = "'auto' needs the preflop tree of a run config, without one write [3.5]"
        raise error_at(mapping, join_path(where, key), problem)
    return config


def load_postflop_config(
    source: Path | str, *, allow_auto_sprs: bool = False
) -> PostflopModelConfig:
    """Reads a config file (a `Path`) or its text (a `str`) with the section ``postflop_model``.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document = load_yaml(source)
    _require_kind(document, source, FLOPS)
    for key in document:
        if key != POSTFLOP_SECTION:
            raise error_at(document, join_path("", key), _problem_with_section(key))
    if POSTFLOP_SECTION not in document:
        raise ConfigError(_name_of(source), f"has no section {POSTFLOP_SECTION}")
    return parse_postflop_config(
        document[POSTFLOP_SECTION], POSTFLOP_SECTION, allow_auto_sprs=allow_auto_sprs
    )


def load_run_config(source: Path | str) -> RunConfig:
    """Reads the config of a run from a file (a `Path`) or from its text (a `str`).

    A relative ``postflop_model_path`` counts from the file's directory, that of a text from the
    current one. A YAML file there is read and becomes the run's ``postflop_model``; a directory
    stays a path and is not looked at.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document = load_yaml(source)
    _require_kind(document, source, RUN)
    config = RunConfig.parse(document, "", _name_of(source))
    path = config.postflop_model_path
    if path is None:
        return config
    if isinstance(source, Path):
        path = source.parent / path
        config = config.model_copy(update={"postflop_model_path": path})
    is_file = path.suffix.lower() in YAML_SUFFIXES or os.path.isfile(path)
    if not config.needs_flop_values or not is_file:
        return config
    try:
        model = load_postflop_config(path, allow_auto_sprs=True)
    except ConfigError as error:
        # Not the path in this file alone: the line is one of the other file.
        file = "" if error.where == str(path) else f"{path}: "
        raise ConfigError("postflop_model_path", f"{file}{error}") from error
    return config.with_postflop_model(model)


def load_spot_config(
    source: Path | str | None, given: Mapping[str, Any] | None = None, flop: str | None = None
) -> SpotConfig:
    """Reads the config of a spot from a file (a `Path`) or from its text (a `str`).

    Args:
        source: the file or the text, None if there is none.
        given: keys that win over those of the source.
        flop: one of many flops to play the spot on, which then has no board of its own.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document, keys = YamlMapping(), {**(given or {}), **({} if flop is None else {"board": flop})}
    document.lines = {}
    if source is not None:
        document = load_yaml(source)
        if flop is not None and document.get("board") is not None:
            problem = "a report takes its flops from --flops, leave the board out"
            raise error_at(document, "board", problem)
        _require_kind(document, source, SPOT)
    merged = YamlMapping({**document, **keys})
    # What was given beside the source stands on no line of it.
    merged.lines = {p: n for p, n in document.lines.items() if re.split(r"[.\[]", p)[0] not in keys}
    return SpotConfig.parse(merged, "", "spot" if source is None else _name_of(source))


def kind_of(document: Mapping[str, Any]) -> str | None:
    """Returns what a config describes, by its keys; None if that cannot be told."""
    keys = set(document)
    if PREFLOP_SECTION in keys:
        return RUN
    if keys == {POSTFLOP_SECTION}:
        return FLOPS
    is_spot = "board" in keys and not keys & {POSTFLOP_SECTION, *RunConfig.model_fields}
    return SPOT if is_spot else None


def _require_kind(document: Mapping[str, Any], source: Path | str, wanted: str) -> None:
    """Refuses a config that is for another command; one that is for none is left to its reader."""
    found = kind_of(document)
    if found is not None and found != wanted:
        problem = f"is the config of {found}, for runout {_COMMANDS[found]}"
        raise ConfigError(_name_of(source), f"{problem}; here that of {wanted} is read")


def _name_of(source: Path | str) -> str:
    """Returns what errors name that belong to no key: the file, if there is one."""
    return str(source) if isinstance(source, Path) else "config"


def _problem_with_section(key: str) -> str:
    if key in PostflopModelConfig.all_keys():
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
    sweep = _SweepFile.parse(document, "", str(path)).sweep
    base = document[POSTFLOP_SECTION]
    parse_postflop_config(base)  # errors of the file itself come first, with their lines
    return tuple(_make_point(base, choice, sweep.seeds) for choice in sweep.grid)


def _make_point(
    base: Mapping[str, Any], choice: Mapping[str, Any], seeds: tuple[int, ...]
) -> SweepPoint:
    keys = {**base, **choice}
    solve_type = keys.get("solve_type")
    if "solve_type" in choice and isinstance(solve_type, str) and solve_type in BACKENDS:
        # Keys of the file that another backend has do not count for this one.
        fields = BACKENDS[solve_type].model_fields
        strange = set(PostflopModelConfig.all_keys()) - set(fields) - {"preset"}
        keys = {key: v for key, v in keys.items() if key in choice or key not in strange}
    models = []
    for seed in seeds:
        try:
            model = parse_postflop_config({**keys, "seed": seed})
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
        _format_keys(PostflopModelConfig),
        _format_presets(PostflopModelConfig),
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


def _format_backend(kind: type[PostflopModelConfig]) -> list[str]:
    """Returns the keys that a backend adds, and what presets set of them."""
    about = f"{inspect.getdoc(kind)} `cfr_variant: null` is `{kind.best_variant}`."
    heading = f"### More keys with `solve_type: {kind().solve_type}`"
    has_presets = kind.presets is not PostflopModelConfig.presets
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
