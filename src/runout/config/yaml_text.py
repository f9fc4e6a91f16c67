"""Config files as text: YAML in which every value knows its line, and the words of errors.

Scalars are read by the core rules of YAML 1.2: ``1e-3`` is a number, and ``on``, ``010`` and
``2024-01-01`` are text. Keys are text, and a key that comes twice is an error.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from runout.errors import ConfigError, quote, shorten
from runout.trees.sizes import Place, format_place

_MAX_SHOWN_ENTRIES = 5

#: Aliases of aliases of aliases grow beyond any memory; no config needs so many.
MAX_VALUES = 100_000

# Tag, pattern, and the characters that such a scalar can begin with.
_CORE_SCALARS = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9_]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:[0-9][0-9_]*\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?[0-9]+[eE][-+]?[0-9]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
)


class Document(dict[str, Any]):
    """The mapping of a config file, with the lines of places such as ``("model", "sizes", 1)``."""

    lines: Mapping[Place, int] = {}

    def line_of(self, place: Place) -> int | None:
        """Returns the line, from 1, of a place or of the nearest part that has one."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)

    def with_keys(self, keys: Mapping[str, Any]) -> "Document":
        """Returns the document with other values of some keys, which stand on no line."""
        merged = Document({**self, **keys})
        merged.lines = {place: line for place, line in self.lines.items() if place[0] not in keys}
        return merged


class _Loader(yaml.SafeLoader):
    """Reads scalars by the rules above, and not by those of the library."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Loader.yaml_implicit_resolvers = {}
_Dumper.yaml_implicit_resolvers = {}
for _tag, _pattern, _first_characters in _CORE_SCALARS:
    for _resolver in (_Loader, _Dumper):
        _resolver.add_implicit_resolver(
            f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first_characters
        )


def parse_yaml(text: str, where: str = "config") -> Document:
    """Reads a YAML document whose top is a mapping.

    Raises:
        ConfigError: if it is not YAML, not a mapping, or has a key that is repeated or no text;
            ``where`` is what errors name that belong to no key, such as the file.
    """
    lines: dict[Place, int] = {}
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            came = "is empty" if root is None else "is a list or a single value"
            glued = re.search(r"^\s*[A-Za-z_]\w*:[^\s:]", text, re.MULTILINE)
            hint = f"; write a space after the colon of {glued[0].strip()[:-2]}" if glued else ""
            raise ConfigError(where, f"{came}, expected a mapping of keys to values{hint}")
        _collect_lines(root, (), lines, where, ())
        document = Document(loader.construct_document(root))
    except yaml.MarkedYAMLError as error:
        raise ConfigError(where, _describe_syntax(error, text)) from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # Beyond its own errors the library lets several slip through, as for `!!bool maybe`.
        raise ConfigError(where, f"is not YAML: {shorten(' '.join(str(error).split()))}") from error
    document.lines = lines
    return document


#: What is wrong and what to write, by a part of what the library says; ``{}`` is the line's text.
_SYNTAX = {
    "'\\t'": "a tab begins the line, indent with spaces",
    "could not find expected ':'": "{} has no colon, write key: value",
    "mapping values are not allowed here": "{} has two colons or is indented more than its key",
    "cannot start any token": "{} begins a value with a sign of YAML's own, put it in quotes",
    "undefined alias": "{} begins a value with a star, put it in quotes",
    "but got '<stream end>'": "a bracket is never closed",
    "found '<stream end>'": "a bracket is never closed",
    "expected ',' or": "a bracket is not closed before {}",
    "unexpected end of stream": "a quote is never closed",
}


def _describe_syntax(error: yaml.MarkedYAMLError, text: str) -> str:
    said, mark = str(error.problem), error.problem_mark
    problem = next((ours for part, ours in _SYNTAX.items() if part in said), shorten(said))
    if mark is None:
        return f"is not YAML: {problem}"
    is_before = "could not find expected ':'" in said or "end of stream" in said
    line = error.context_mark.line if is_before and error.context_mark else mark.line
    shown = quote("".join(text.split("\n")[line : line + 1]).strip())
    return f"is not YAML: {problem.replace('{}', shown)} (line {line + 1})"


def _collect_lines(
    node: yaml.Node,
    place: Place,
    lines: dict[Place, int],
    document: str,
    around: tuple[yaml.Node, ...],
) -> None:
    """Notes the line of every value by its place, and refuses keys that are repeated or no text.

    Aliases are spelled out, except inside themselves: ``around`` are the values that hold a node.
    """
    if len(lines) > MAX_VALUES:
        raise ConfigError(document, f"has more than {MAX_VALUES:,} values, aliases spelled out")
    if node in around or not isinstance(node, yaml.CollectionNode):
        return
    for position, entry in enumerate(node.value):
        key, child = entry if isinstance(entry, tuple) else (None, entry)
        line = (key or child).start_mark.line + 1
        inner = (*place, position if key is None else str(key.value))
        if key is not None and key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
            shown = quote(key.value) if isinstance(key, yaml.ScalarNode) else "in brackets"
            where = format_place(place) or document
            raise ConfigError(where, f"the key {shown} is not text (line {line})")
        if (first := lines.get(inner)) is not None:
            where = f"line {line}" if first == line else f"lines {first} and {line}"
            raise ConfigError(format_place(inner), f"duplicate key ({where})")
        lines[inner] = line
        _collect_lines(child, inner, lines, document, (*around, node))


def format_yaml(value: Any, *, is_inline: bool = False) -> str:
    """Writes plain values as YAML, on one line or, unless inline, only the innermost lists so."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=True if is_inline else None,
        sort_keys=False,
        width=math.inf if is_inline else 96,
        allow_unicode=True,
    )
    return text


def show_value(value: Any) -> str:
    """Writes a value for an error: as YAML spells it, short, and on one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value:+}".replace("+", "").replace("inf", ".inf").replace("nan", ".nan")
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        is_flat = not any(isinstance(entry, Mapping | list | tuple) for entry in value)
        if is_flat and len(value) <= _MAX_SHOWN_ENTRIES:
            return f"[{', '.join(map(show_value, value))}]"
        return f"a list of {len(value)} values"
    return quote(value)
