"""Config files: from a path or a text to typed sections."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runout.config.postflop import SECTION, PostflopModelConfig
from runout.config.section import suggest
from runout.config.yaml_text import YamlMapping, join_path, parse_yaml
from runout.errors import ConfigError


def load_yaml(source: Path | str) -> YamlMapping:
    """Reads YAML from a file (a `Path`) or from text (a `str`); the top must be a mapping.

    Raises:
        ConfigError: if the file cannot be read, is not YAML or not a mapping, or repeats a key.
    """
    if isinstance(source, str):
        return parse_yaml(source)
    try:
        text = source.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(str(source), f"is not UTF-8 text ({error.reason})") from error
    except FileNotFoundError as error:
        raise ConfigError(str(source), "no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(str(source), f"cannot be read ({reason})") from error
    return parse_yaml(text, where=str(source))


def parse_postflop_config(mapping: Mapping[str, Any], where: str = SECTION) -> PostflopModelConfig:
    """Reads the contents of the section ``postflop_model``.

    Args:
        mapping: the keys; a mapping from `load_yaml` lets errors name the line.
        where: path of the section in its file, empty if it is the whole file.

    Raises:
        ConfigError: naming the path of the first key or value that is not allowed.
    """
    return PostflopModelConfig.parse(mapping, where)


def load_postflop_config(source: Path | str) -> PostflopModelConfig:
    """Reads a config file (a `Path`) or its text (a `str`) with the section ``postflop_model``.

    Raises:
        ConfigError: if it cannot be read, or naming the path of the first error in it.
    """
    document = load_yaml(source)
    for key in document:
        if key != SECTION:
            path = join_path("", key)
            # A key of the section at the top of the file is a forgotten line, not a typing error.
            keys = {*PostflopModelConfig.model_fields, *PostflopModelConfig.aliases, "preset"}
            hint = f", write it below {SECTION}:" if key in keys else suggest(key, [SECTION])
            problem = f"unknown section{hint or f', allowed is {SECTION}'}"
            raise ConfigError(path, f"{problem} (line {document.line_of(path)})")
    if SECTION not in document:
        where = str(source) if isinstance(source, Path) else "config"
        raise ConfigError(where, f"has no section {SECTION}")
    return parse_postflop_config(document[SECTION], SECTION)
