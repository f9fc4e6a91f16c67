"""Config files: from a path or a text to typed sections."""

import os.path
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from runout.config.postflop import SECTION, PostflopModelConfig
from runout.config.preflop import SECTION as PREFLOP_SECTION
from runout.config.run import RunConfig
from runout.config.section import suggest
from runout.config.spot import SpotConfig
from runout.config.yaml_text import YamlMapping, join_path, parse_yaml
from runout.errors import ConfigError

YAML_SUFFIXES = (".yaml", ".yml")


class ConfigKind(NamedTuple):
    """What a config file describes, and the command that it is for."""

    what: str
    command: str


RUN = ConfigKind("a run", "solve-preflop")
FLOPS = ConfigKind("flops", "solve-postflop")
SPOT = ConfigKind("a spot", "solve-spot")

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
    mapping: Mapping[str, Any], where: str = SECTION, *, allow_auto_sprs: bool = False
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
        raise _error_at(mapping, join_path(where, key), problem)
    return config


def load_postflop_config(
    source: Path | str, *, allow_auto_sprs: bool = False
) -> PostflopModelConfig:
    """Reads a config file (a `Path`) or its text (a `str`) with the section ``postflop_model``.

    Args:
        source: the file or the text.
        allow_auto_sprs: whether there is a preflop tree for ``postflop_sprs: auto`` to look at.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document = load_yaml(source)
    _require_kind(document, source, FLOPS)
    for key in document:
        if key != SECTION:
            raise _error_at(document, join_path("", key), _problem_with_section(key))
    if SECTION not in document:
        raise ConfigError(_name_of(source), f"has no section {SECTION}")
    return parse_postflop_config(document[SECTION], SECTION, allow_auto_sprs=allow_auto_sprs)


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
    if not config.needs_flop_values or not _is_yaml_file(path):
        return config
    try:
        model = load_postflop_config(path, allow_auto_sprs=True)
    except ConfigError as error:
        # Not the path in this file alone: the line is one of the other file.
        file = "" if error.where == str(path) else f"{path}: "
        raise ConfigError("postflop_model_path", f"{file}{error}") from error
    return config.with_postflop_model(model)


def load_spot_config(
    source: Path | str | None, given: Mapping[str, Any] | None = None
) -> SpotConfig:
    """Reads the config of a spot from a file (a `Path`) or from its text (a `str`).

    Args:
        source: the file or the text, None if there is none.
        given: keys that win over those of the source.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document = YamlMapping() if source is None else load_yaml(source)
    if source is not None:
        _require_kind(document, source, SPOT)
    lines = {} if source is None else document.lines
    merged = YamlMapping(document)
    merged.update(given or {})
    # What was given beside the source stands on no line of it.
    merged.lines = {
        path: line for path, line in lines.items() if _first_key(path) not in (given or {})
    }
    return SpotConfig.parse(merged, "", "spot" if source is None else _name_of(source))


def load_flop_spot_config(source: Path | None, given: Mapping[str, Any], board: str) -> SpotConfig:
    """Reads a spot that is to be played on many flops, and puts it on one of them.

    Args:
        source: the file, None if there is none.
        given: keys that win over those of the source.
        board: a flop.

    Raises:
        ConfigError: like `load_spot_config`, or if the spot has a board already.
    """
    if source is not None:
        document = load_yaml(source)
        if document.get("board") is not None:
            problem = "a report takes its flops from --flops, leave the board out"
            raise _error_at(document, "board", problem)
    return load_spot_config(source, {**given, "board": board})


def kind_of(document: Mapping[str, Any]) -> ConfigKind | None:
    """Returns what a config describes, by its keys; None if that cannot be told."""
    keys = set(document)
    if PREFLOP_SECTION in keys:
        return RUN
    if keys == {SECTION}:
        return FLOPS
    is_spot = "board" in keys and not keys & {SECTION, *RunConfig.model_fields}
    return SPOT if is_spot else None


def _require_kind(document: Mapping[str, Any], source: Path | str, wanted: ConfigKind) -> None:
    """Refuses a config that is for another command; one that is for none is left to its reader."""
    found = kind_of(document)
    if found is not None and found != wanted:
        problem = f"is the config of {found.what}, for runout {found.command}"
        raise ConfigError(_name_of(source), f"{problem}; here that of {wanted.what} is read")


def _first_key(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _name_of(source: Path | str) -> str:
    """Returns what errors name that belong to no key: the file, if there is one."""
    return str(source) if isinstance(source, Path) else "config"


def _is_yaml_file(path: Path) -> bool:
    return path.suffix.lower() in YAML_SUFFIXES or os.path.isfile(path)


def _problem_with_section(key: str) -> str:
    if key in PostflopModelConfig.all_keys():
        # A key of the section at the top of the file is a forgotten line, not a typing error.
        return f"unknown section, write it below {SECTION}:"
    if key in RunConfig.model_fields:
        return f"belongs to the config of a run, here only {SECTION} is read"
    return f"unknown section{suggest(key, [SECTION]) or f', allowed is {SECTION}'}"


def _error_at(mapping: Mapping[str, Any], path: str, problem: str) -> ConfigError:
    line = mapping.line_of(path) if isinstance(mapping, YamlMapping) else None
    return ConfigError(path, problem + (f" (line {line})" if line is not None else ""))
