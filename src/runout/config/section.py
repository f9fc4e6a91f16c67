"""Sections of a config file: YAML with line numbers, typed keys, and errors that name the path."""

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from runout.errors import ConfigError, quote, shorten

# YAML as config files need it: the line of every value is known, and nothing is guessed.
#
# Scalars are read by the core rules of YAML 1.2: ``1e-3`` is a number, and ``on``, ``010`` and
# ``2024-01-01`` are text. Keys are text, and a key that comes twice is an error.


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


# A section of a config file: typed keys, and errors that name the path in the file.
#
# Pydantic checks types and ranges; what a user reads is one line made here, from what the field
# says about itself: ``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.


_MAX_SHOWN_ENTRIES = 5
_NEAREST_CUTOFF = 0.5
_LOCATED = "located_problem"


@dataclass(frozen=True)
class About:
    """What a field says about itself, to the reference and in errors.

    Attributes:
        description: what the key decides.
        allowed: the values that it may have, as the end of the sentence "X is not ...".
        unit: of its numbers, empty if they have none.
        choices: all allowed words, if it is one of a few.
        later: words that will be allowed one day.
    """

    description: str
    allowed: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    later: tuple[str, ...] = ()

    def problem_with(self, value: Any) -> str:
        """Returns what came and what is allowed."""
        if value in self.later:
            return f"{show_value(value)} is not available yet, use {self.allowed}"
        return f"{show_value(value)} is not {self.allowed}{suggest(value, self.choices)}"


class _Place(NamedTuple):
    """An error in a file.

    Attributes:
        ranks: positions of its key, and of the sections around it, in the order of the file.
        path: its path in the file.
        problem: what came and what is allowed.
    """

    ranks: tuple[int, ...]
    path: str
    problem: str


class ConfigSection(BaseModel):
    """Base of all sections: values are taken as they are, and unknown keys are errors.

    The value of a key may be a section itself.

    Attributes:
        aliases: key by its other name.
        extra_keys: keys that `complete` replaces by others.
        later_keys: what to say of keys that are known but do not exist yet.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    aliases: ClassVar[Mapping[str, str]] = {}
    extra_keys: ClassVar[tuple[str, ...]] = ()
    later_keys: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def parse(cls, raw: Any, where: str, document: str = "config") -> Self:
        """Reads a section as it stands in a file.

        Args:
            raw: the mapping; one from `parse_yaml` lets errors name the line.
            where: path of the section in the file, put before the path of what is at fault.
            document: what errors name that belong to no key, such as the file.

        Raises:
            ConfigError: naming the first error in the order of the file, and how many more.
        """
        if not isinstance(raw, Mapping):
            problem = f"{show_value(raw)} is not a mapping of keys to values"
            raise ConfigError(where or document, problem)
        cls._check_that_keys_are_text(raw, where, document)
        try:
            return cls.model_validate(dict(raw))
        except ValidationError as error:
            raise cls._config_error(error, raw, where, document) from error

    @classmethod
    def about(cls, key: str) -> About:
        """Returns what a field says about itself."""
        return next(note for note in cls.model_fields[key].metadata if isinstance(note, About))

    @classmethod
    def section_of(cls, key: str) -> "type[ConfigSection] | None":
        """Returns the section that a key holds, None if it holds a value."""
        annotation = cls.model_fields[key].annotation if key in cls.model_fields else None
        for kind in (annotation, *get_args(annotation)):
            if isinstance(kind, type) and issubclass(kind, ConfigSection):
                return kind
        return None

    @classmethod
    def kind_of(cls, raw: Mapping[str, Any]) -> "type[ConfigSection]":
        """Returns the class that reads given keys: this one, or one that they choose."""
        return cls

    def to_mapping(self) -> dict[str, Any]:
        """Returns every key with its value as YAML has it; presets and defaults are filled in."""
        mapping: dict[str, Any] = {}
        for key, value in self.model_dump().items():
            field = getattr(self, key)
            if isinstance(field, ConfigSection):
                mapping[key] = field.to_mapping()
            else:
                mapping[key] = list(value) if isinstance(value, tuple) else value
        return mapping

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Returns the keys as given, with everything added that they imply."""
        return given

    @model_validator(mode="before")
    @classmethod
    def _read_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        given = dict(data)
        for alias, key in cls.aliases.items():
            if alias in given and key in given:
                raise problem_at(f".{alias}", f"given together with {key}, use only {key}")
            if alias in given:
                given[key] = given.pop(alias)
        return cls.complete(given)

    @classmethod
    def _check_that_keys_are_text(cls, raw: Mapping[Any, Any], where: str, document: str) -> None:
        for key, value in raw.items():
            if not isinstance(key, str):
                raise ConfigError(where or document, f"the key {show_value(key)} is not text")
            section = cls.section_of(key)
            if section is not None and isinstance(value, Mapping):
                section._check_that_keys_are_text(value, join_path(where, key), document)

    @classmethod
    def _config_error(
        cls, error: ValidationError, raw: Mapping[str, Any], where: str, document: str
    ) -> ConfigError:
        details = error.errors(include_url=False)
        kind = cls.kind_of(raw)
        places = [kind._place(detail, detail["loc"], raw, where) for detail in details]
        first = min(places, key=lambda place: place.ranks)
        line = raw.line_of(first.path) if isinstance(raw, YamlMapping) else None
        notes = [f"line {line}"] if line is not None else []
        if len(places) > 1:
            notes.append(f"{len(places) - 1} more error{'s' if len(places) > 2 else ''}")
        remark = f" ({'; '.join(notes)})" if notes else ""
        return ConfigError(first.path or document, first.problem + remark)

    @classmethod
    def _place(
        cls, detail: ErrorDetails, keys: Sequence[int | str], raw: Mapping[str, Any], where: str
    ) -> "_Place":
        """Returns where an error stands.

        Args:
            detail: the error.
            keys: path from this section to it, as pydantic has it.
            raw: what was given for this section.
            where: path of this section in the file.
        """
        if not keys:
            suffix, problem = detail["ctx"]["suffix"], detail["ctx"]["problem"]
            return _Place((), (where + suffix).lstrip("."), problem)
        if detail["type"] == "missing":  # last, since the key may be there with a typing error
            return _Place((len(raw),), where, f"{keys[0]} is missing")
        field = str(keys[0])
        key = next((a for a, k in cls.aliases.items() if k == field and a in raw), field)
        ranks = (list(raw).index(key) if key in raw else -1,)
        path = join_path(where, key)
        section = cls.section_of(field)
        if section is not None and len(keys) > 1:
            kind = section.kind_of(raw[key]) if isinstance(raw[key], Mapping) else section
            inner = kind._place(detail, keys[1:], raw[key], path)
            return inner._replace(ranks=ranks + inner.ranks)
        if detail["type"] == _LOCATED:
            return _Place(ranks, path + detail["ctx"]["suffix"], detail["ctx"]["problem"])
        if detail["type"] == "extra_forbidden":
            return _Place(ranks, path, cls._problem_with_key(key))
        return _Place(ranks, path, cls.about(field).problem_with(detail["input"]))

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        if key in cls.later_keys:
            return cls.later_keys[key]
        keys = (*cls.extra_keys, *cls.model_fields, *cls.aliases)
        return f"unknown key{suggest(key, keys) or ', allowed are ' + ', '.join(keys)}"


def problem_at(suffix: str, problem: str) -> PydanticCustomError:
    """Returns an error for validators to raise, about a part of what they look at.

    Args:
        suffix: path from there to the part, such as ``.flop[1]``; empty for all of it.
        problem: what came and what is allowed.
    """
    return PydanticCustomError(
        _LOCATED, "{suffix} {problem}", {"suffix": suffix, "problem": problem}
    )


def take_preset(given: dict[str, Any], *presets: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Removes the key ``preset`` and returns what it sets, nothing if it is not given.

    Args:
        given: the keys.
        presets: what each name sets; the first has all names, others add to it.
    """
    if "preset" not in given:
        return {}
    name = given.pop("preset")
    names = presets[0]
    if not isinstance(name, str) or name not in names:
        problem = f"{show_value(name)} is not one of {', '.join(names)}"
        raise problem_at(".preset", problem + suggest(name, names))
    return {key: value for part in presets for key, value in part.get(name, {}).items()}


def suggest(word: Any, choices: Iterable[str]) -> str:
    """Returns ``, did you mean ...?`` with the choice nearest to a word, empty if none is near."""
    if not isinstance(word, str):
        return ""
    options, lower = list(choices), word.lower()
    # A part of a name comes first: "sprs" means postflop_sprs, though "preset" looks more like it.
    matches = sorted((o for o in options if lower in o and len(lower) > 2), key=len)
    matches = matches or difflib.get_close_matches(lower, options, 1, _NEAREST_CUTOFF)
    return f", did you mean {matches[0]}?" if matches else ""


def as_number(value: Any) -> float | None:
    """Returns a finite number as float, None for everything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def show_value(value: Any) -> str:
    """Writes a value for an error: as YAML spells it, short, and on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        if len(value) <= _MAX_SHOWN_ENTRIES and not any(_is_collection(entry) for entry in value):
            return f"[{', '.join(map(show_value, value))}]"
        return f"a list of {len(value)} values"
    return quote(value)


def _is_collection(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


# What two configs differ in, for the refusal to mix their results.


_LONGEST_SHOWN_LIST = 8
_NOTHING = "missing"


def list_differences(
    found: Mapping[str, Any], wanted: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    """Yields the keys whose values differ, with both: ``raise_cap is 3 there and 4 here``."""
    for key in [*found, *(key for key in wanted if key not in found)]:
        there, here = found.get(key, _NOTHING), wanted.get(key, _NOTHING)
        if isinstance(there, Mapping) and isinstance(here, Mapping):
            yield from list_differences(there, here, f"{where}{key}.")
        elif there != here:
            yield f"{where}{key} is {_show(there)} there and {_show(here)} here"


def _show(value: Any) -> str:
    if isinstance(value, list) and len(value) > _LONGEST_SHOWN_LIST:
        return f"a list of {len(value)}"
    if isinstance(value, Mapping):
        return "given"
    return str(value)
