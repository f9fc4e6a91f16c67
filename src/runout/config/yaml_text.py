"""YAML as config files need it: the line of every value is known, and nothing is guessed.

Scalars are read by the core rules of YAML 1.2: ``1e-3`` is a number, and ``on``, ``010`` and
``2024-01-01`` are text. Keys are text, and a key that comes twice is an error.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from runout.errors import ConfigError, quote, shorten

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_MAX_KEY_CHARACTERS = 40
_MAX_BRACKETS = 50

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


class YamlMapping(dict[str, Any]):
    """A mapping read from YAML that knows where its values stand.

    Attributes:
        lines: line, counted from 1, by path in the document, such as ``model.bet_sizes[1]``; all
            mappings of a document share one.
    """

    lines: Mapping[str, int]

    def line_of(self, path: str) -> int | None:
        """Returns the line of a path in the document, or of the nearest part that has one."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return None


class _Loader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lines: dict[str, int] = {}

    def fetch_flow_collection_start(self, token_class: Any) -> None:
        # The library's time grows with the square of the depth, and its recursion ends somewhere.
        if self.flow_level >= _MAX_BRACKETS:
            problem = f"more than {_MAX_BRACKETS} brackets inside each other"
            raise yaml.scanner.ScannerError(None, None, problem, self.get_mark())
        super().fetch_flow_collection_start(token_class)

    def construct_located_mapping(self, node: yaml.MappingNode) -> Iterator[YamlMapping]:
        mapping = YamlMapping()
        mapping.lines = self.lines
        yield mapping  # before its values exist, for they may refer to it
        mapping.update(self.construct_mapping(node))  # type: ignore[arg-type]


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Loader.add_constructor("tag:yaml.org,2002:map", _Loader.construct_located_mapping)
_Loader.yaml_implicit_resolvers = {}
_Dumper.yaml_implicit_resolvers = {}
for _tag, _pattern, _first_characters in _CORE_SCALARS:
    for _resolver in (_Loader, _Dumper):
        _resolver.add_implicit_resolver(
            f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first_characters
        )


def join_path(path: str, key: str | int) -> str:
    """Returns the path of an entry: ``a`` and ``b`` are ``a.b``, ``a`` and 1 are ``a[1]``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if len(key) > _MAX_KEY_CHARACTERS or not _PLAIN_KEY.fullmatch(key):
        key = quote(key)
    return f"{path}.{key}" if path else key


def parse_yaml(text: str, where: str = "config") -> YamlMapping:
    """Reads a YAML document whose top is a mapping.

    Args:
        text: the document.
        where: what errors name that belong to no key, such as the file.

    Raises:
        ConfigError: if it is not YAML, not a mapping, or has a key that is repeated or no text.
    """
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            came = "empty" if root is None else "a list or a single value"
            raise ConfigError(where, f"is {came}, expected a mapping of keys to values")
        if _count_values(root, {}) > MAX_VALUES:
            raise ConfigError(where, f"has more than {MAX_VALUES:,} values, aliases spelled out")
        _collect_lines(root, "", loader.lines, where, set())
        return loader.construct_document(root)  # type: ignore[no-any-return]
    except yaml.MarkedYAMLError as error:
        place = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise ConfigError(where, f"is not YAML: {shorten(str(error.problem))}{place}") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # Beyond its own errors the library lets several slip through, as for `!!bool maybe`.
        raise ConfigError(where, f"is not YAML: {shorten(' '.join(str(error).split()))}") from error


def _count_values(node: yaml.Node, counts: dict[int, int]) -> int:
    """Returns how many values a node has if every alias and merge in it is spelled out."""
    if id(node) not in counts:
        counts[id(node)] = 1  # for a node that holds itself
        children = node.value if isinstance(node, yaml.CollectionNode) else []
        values = (child[1] if isinstance(child, tuple) else child for child in children)
        counts[id(node)] += sum(_count_values(child, counts) for child in values)
    return counts[id(node)]


def _collect_lines(
    node: yaml.Node, path: str, lines: dict[str, int], document: str, seen: set[int]
) -> None:
    """Notes the line of every value, and refuses keys that are repeated or no text."""
    if id(node) in seen:  # an alias: its lines are those of its anchor
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for position, child in enumerate(node.value):
            lines[join_path(path, position)] = child.start_mark.line + 1
            _collect_lines(child, join_path(path, position), lines, document, seen)
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, child in node.value:
            line = key.start_mark.line + 1
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                is_scalar = isinstance(key, yaml.ScalarNode)
                shown = quote(key.value) if is_scalar else "in brackets"
                raise ConfigError(path or document, f"the key {shown} is not text (line {line})")
            child_path = join_path(path, key.value)
            if key.value in keys:
                first = lines[child_path]
                place = f"line {line}" if first == line else f"lines {first} and {line}"
                raise ConfigError(child_path, f"comes twice, a key may come once ({place})")
            keys.add(key.value)
            lines[child_path] = line
            _collect_lines(child, child_path, lines, document, seen)


def format_yaml(value: Any, *, is_inline: bool = False) -> str:
    """Writes plain values as YAML that `parse_yaml` reads back.

    Args:
        value: of mappings, lists and scalars.
        is_inline: whether everything stands on one line, and not only the innermost lists.
    """
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=True if is_inline else None,
        sort_keys=False,
        width=math.inf if is_inline else 96,
        allow_unicode=True,
    )
    return text
