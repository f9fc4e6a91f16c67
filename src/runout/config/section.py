"""Sections of a config file: YAML with line numbers, typed keys, and errors that name the path."""

import difflib
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import no_info_plain_validator_function

from runout.errors import ConfigError, TreeError, quote, shorten

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
        _collect_lines(root, "", loader.lines, where, ())
        return loader.construct_document(root)  # type: ignore[no-any-return]
    except yaml.MarkedYAMLError as error:
        place = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise ConfigError(where, f"is not YAML: {shorten(str(error.problem))}{place}") from error
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, RecursionError) as error:
        # Beyond its own errors the library lets several slip through, as for `!!bool maybe`.
        raise ConfigError(where, f"is not YAML: {shorten(' '.join(str(error).split()))}") from error


def _collect_lines(
    node: yaml.Node, path: str, lines: dict[str, int], document: str, around: tuple[yaml.Node, ...]
) -> None:
    """Notes the line of every value by its path, and refuses keys that are repeated or no text.

    Aliases are spelled out, except inside themselves: ``around`` are the values that hold a node.
    """
    if len(lines) > MAX_VALUES:
        raise ConfigError(document, f"has more than {MAX_VALUES:,} values, aliases spelled out")
    if node in around or not isinstance(node, yaml.CollectionNode):
        return
    keys: set[str] = set()
    for position, entry in enumerate(node.value):
        key, child = entry if isinstance(entry, tuple) else (None, entry)
        line = (key or child).start_mark.line + 1
        child_path = join_path(path, position if key is None else str(key.value))
        if key is not None:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                shown = quote(key.value) if isinstance(key, yaml.ScalarNode) else "in brackets"
                raise ConfigError(path or document, f"the key {shown} is not text (line {line})")
            if key.value in keys:
                first = lines[child_path]
                place = f"line {line}" if first == line else f"lines {first} and {line}"
                raise ConfigError(child_path, f"comes twice, a key may come once ({place})")
            keys.add(key.value)
        lines[child_path] = line
        _collect_lines(child, child_path, lines, document, (*around, node))


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
# What a user reads is one line made here, from what the key says about itself:
# ``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.


_MAX_SHOWN_ENTRIES = 5
_NEAREST_CUTOFF = 0.5

#: What a key decides: ``game`` what an iteration does; ``alone`` the same, but nothing where flops
#: and preflop are one game; ``end`` when iterations end; ``nothing`` none of the results.
Decides: TypeAlias = Literal["game", "alone", "end", "nothing"]


@dataclass(frozen=True)
class Key:
    """What a key is for; its description is the text below it, which the reference takes.

    Attributes:
        decides: what depends on it.
        unit: of its numbers, empty if they have none.
        means: the entry of `ConfigSection.meanings` that digests have instead of its value.
    """

    decides: Decides
    unit: str = ""
    means: str = ""


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Form:
    """What a key may hold, and how that is read and written.

    Attributes:
        allowed: the values that it may have, as the end of the sentence "X is not ...".
        read: returns what a config keeps of a value as YAML has it, None if it is not allowed; or
            raises a `PartError`. Without it pydantic checks the type.
        write: returns what a config keeps as YAML has it.
        takes_null: whether there may be no value.
        choices: all allowed words, if it is one of a few.
    """

    allowed: str
    read: Callable[[Any], Any] = _as_it_is
    write: Callable[[Any], Any] = _as_it_is
    takes_null: bool = False
    choices: tuple[str, ...] = ()

    def or_null(self) -> "Form":
        """Returns the form of a key that may also have no value."""
        return replace(self, allowed=f"{self.allowed}, or null", takes_null=True)

    def refusal(self, value: Any) -> "PartError":
        """Returns the error of a value that is not allowed."""
        return refusal(value, f"{self.allowed}{suggest(value, self.choices)}")

    def plain(self, value: Any) -> Any:
        """Returns a value as YAML has it."""
        return None if value is None else self.write(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        if self.read is _as_it_is:
            return handler(source)
        return no_info_plain_validator_function(self.parse)

    def parse(self, value: Any) -> Any:
        """Returns what a config keeps of a value as YAML has it, or raises a `PartError`."""
        if self.takes_null and (value is None or value == "null"):  # options are text
            return None
        kept = self.read(value)
        if kept is None:
            raise self.refusal(value)
        return kept


def whole(low: int, high: int | None = None) -> Form:
    """Returns the form of whole numbers in a range."""
    most = math.inf if high is None else high

    def read(value: Any) -> int | None:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return value if is_whole and low <= value <= most else None

    return Form(f"a whole number from {low} {'up' if high is None else f'to {high}'}", read)


def number(
    allowed: str, is_allowed: Callable[[float], bool], *, takes_infinity: bool = False
) -> Form:
    """Returns the form of numbers that fulfil a condition, finite ones unless said otherwise."""

    def read(value: Any) -> float | None:
        is_infinite = takes_infinity and isinstance(value, float) and math.isinf(value)
        given = value if is_infinite else as_number(value)
        return given if given is not None and is_allowed(given) else None

    return Form(allowed, read)


def _form_of(annotation: Any) -> Form:
    """Returns the form of a type that pydantic checks: words, true or false, a section."""
    parts = get_args(annotation)
    if get_origin(annotation) is Literal:
        words = tuple(word for word in parts if isinstance(word, str))
        return Form(f"one of {', '.join(map(str, parts))}", choices=words)
    if parts and get_origin(parts[0]) is Literal:
        return _form_of(parts[0]).or_null()
    return Form("true or false" if annotation is bool else "a mapping of keys to values")


class ConfigSection(BaseModel):
    """Base of all sections: values are taken as they are, and unknown keys are errors.

    A field is annotated with a `Key` and, unless its type says all, a `Form`. The value of a key
    may be a section itself. In Python a section takes the same keys and forms as in YAML and raises
    pydantic's `ValidationError`; `parse` raises `ConfigError` with the path in the file.

    Attributes:
        aliases: key by its other name.
        presets: what each value of the key ``preset`` sets; without any there is no such key.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    aliases: ClassVar[Mapping[str, str]] = {}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

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
        try:
            return cls.model_validate(dict(raw))
        except ValidationError as error:
            details = error.errors(include_url=False)
            places = [cls._place(detail, raw, where) for detail in details]
            _, path, problem = min(places, key=operator.itemgetter(0))
            others = len(places) - 1
            notes = [f"{others} more error{'s' if others > 1 else ''}"] if others else []
            found = error_at(raw, path, problem, *notes)
            raise ConfigError(path or document, found.problem) from error

    @classmethod
    def key(cls, name: str) -> Key:
        """Returns what a key is for."""
        return next(note for note in cls.model_fields[name].metadata if isinstance(note, Key))

    @classmethod
    def form(cls, name: str) -> Form:
        """Returns what a key may hold."""
        field = cls.model_fields[name]
        forms = (note for note in field.metadata if isinstance(note, Form))
        return next(forms, None) or _form_of(field.annotation)

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

    @classmethod
    def known_keys(cls) -> list[str]:
        """Returns every key that a file may have, and other names of keys."""
        return [*(["preset"] if cls.presets else []), *cls.model_fields, *cls.aliases]

    def values(self) -> dict[str, Any]:
        """Returns what is kept of every key."""
        return {key: self.__dict__[key] for key in type(self).model_fields if key in self.__dict__}

    def to_mapping(self) -> dict[str, Any]:
        """Returns every key with its value as YAML has it; presets and defaults are filled in."""
        return {
            key: value.to_mapping()
            if isinstance(value, ConfigSection)
            else self.form(key).plain(value)
            for key, value in self.values().items()
        }

    def to_yaml(self) -> str:
        """Returns a config file that reads back as the same config."""
        return format_yaml(self.to_mapping())

    def meanings(self) -> dict[str, Any]:
        """Returns, as strict JSON, what stands in digests for keys that can be said in many ways.

        A key that says ``means`` counts as that entry, and not at all where there is none.
        """
        return {}

    def digest_mapping(self, *decides: Decides) -> dict[str, Any]:
        """Returns what decides the results, for `runout.storage.bundle.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops.

        Args:
            decides: which keys count, those that decide one of these; all that decide something
                unless it is given.
        """
        meanings, mapping = self.meanings(), {}
        for name, value in self.values().items():
            key = self.key(name)
            if key.decides not in (decides or ("game", "alone", "end")):
                continue
            if not key.means:
                mapping[name] = self.form(name).plain(value)
            elif key.means in meanings:
                mapping[key.means] = meanings[key.means]
        return mapping

    def game_mapping(self) -> dict[str, Any]:
        """Returns what decides an iteration, and not when they end.

        A solve can go on under any config with the same mapping.
        """
        return self.digest_mapping("game")

    @model_validator(mode="before")
    @classmethod
    def _read_keys(cls, data: Any) -> Any:
        return cls.complete(dict(data)) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        self.check()
        return self

    @classmethod
    def complete(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Replaces other names of keys, and ``preset`` by what it sets and was not given."""
        for alias, key in cls.aliases.items():
            if alias in given and key in given:
                raise PartError(f".{alias}", f"given together with {key}, use only {key}")
            if alias in given:
                given[key] = given.pop(alias)
        if not cls.presets or "preset" not in given:
            return given
        name, names = given.pop("preset"), list(cls.presets)
        if name not in names:
            with inside(".preset"):
                raise refusal(name, f"one of {', '.join(names)}{suggest(name, names)}")
        return {**cls.presets[name], **given}

    def check(self) -> None:
        """Raises a `PartError` if keys do not go together."""

    @classmethod
    def _place(
        cls, detail: ErrorDetails, raw: Mapping[str, Any], where: str
    ) -> tuple[tuple[int, ...], str, str]:
        """Returns where an error of pydantic stands in what was given for this section.

        Returns:
            Positions of its key, and of the sections around it, in the order of the file; its path
            in the file; and what came and what is allowed.
        """
        section, path, keys = cls.kind_of(raw), where, list(detail["loc"])
        ranks: tuple[int, ...] = ()
        while keys:
            if detail["type"] == "missing" and len(keys) == 1:
                # Last, since the key may be there with a typing error.
                return (*ranks, len(raw)), path, f"{keys[0]} is missing"
            if detail["type"] == "invalid_key" and len(keys) == 1:
                return ranks, path, f"the key {show_value(keys[0])} is not text"
            name = str(keys.pop(0))
            key = next((a for a, k in section.aliases.items() if k == name and a in raw), name)
            ranks = (*ranks, list(raw).index(key) if key in raw else -1)
            path = join_path(path, key)
            inner = section.section_of(name)
            if inner is None or not keys:
                break
            raw = raw[key]
            section = inner.kind_of(raw)
        if isinstance(found := detail.get("ctx", {}).get("error"), PartError):
            return ranks, (path + found.where).lstrip("."), found.problem
        if detail["type"] == "extra_forbidden":
            return ranks, path, section._problem_with_key(key)
        return ranks, path, section.form(name).refusal(detail["input"]).problem

    @classmethod
    def _problem_with_key(cls, key: str) -> str:
        keys = cls.known_keys()
        return f"unknown key{suggest(key, keys) or ', allowed are ' + ', '.join(keys)}"


class PartError(ConfigError, ValueError):
    """What is wrong with a value: pydantic collects it, and `where` is the path to the part.

    Such a path begins with a dot or a bracket, ``.flop[1]``, or is empty for the whole value.
    """


@contextmanager
def inside(suffix: str) -> Iterator[None]:
    """Puts the path to a part before the path from it to what is at fault."""
    try:
        yield
    except (ConfigError, TreeError) as error:
        raise PartError(f"{suffix}{error.where}", error.problem) from error


def refusal(value: Any, allowed: str) -> PartError:
    """Returns the error that a value is not what is allowed."""
    return PartError("", f"{show_value(value)} is not {allowed}")


def read_entries(value: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Reads every entry of a list, or a value that stands for a list of one."""
    if not isinstance(value, list | tuple):
        with inside(""):
            return [read(value)]
    entries = []
    for position, entry in enumerate(value):
        with inside(f"[{position}]"):
            entries.append(read(entry))
    return entries


def read_list(
    value: Any, read: Callable[[Any], Any], allowed: str, *, separator: str = "", least: str = ""
) -> tuple[Any, ...]:
    """Reads every entry of a list.

    Args:
        value: the list, or a text with separators if there is one.
        read: reads an entry.
        allowed: what the list is, for the end of the sentence "X is not ...".
        separator: between the entries of a text.
        least: what must be given, if the list may not be empty.
    """
    if separator and isinstance(value, str):
        value = value.split(separator) if value.strip() else []
    if not isinstance(value, list | tuple):
        raise refusal(value, allowed)
    if least and not value:
        raise PartError("", f"empty, give at least one {least}")
    return tuple(read_entries(value, read))


def error_at(raw: Mapping[str, Any], path: str, problem: str, *notes: str) -> ConfigError:
    """Returns an error with the line of its path, if that is known, and with notes in brackets."""
    line = raw.line_of(path) if isinstance(raw, YamlMapping) else None
    remarks = "; ".join([*([] if line is None else [f"line {line}"]), *notes])
    return ConfigError(path, f"{problem} ({remarks})" if remarks else problem)


def read_parts(
    value: Mapping[Any, Any],
    read: Callable[[Any], Any],
    keys: Sequence[str] = (),
    hint: str = "",
    least: int | None = None,
) -> dict[Any, Any]:
    """Reads every value of a mapping.

    Args:
        value: the mapping.
        read: reads a value.
        keys: the allowed keys, in the order of the result; none if any key is allowed.
        hint: what to give or write instead of another key or a missing one.
        least: how many of the allowed keys, from the first on, must be given; None for all.
    """
    for key in value:
        if keys and key not in keys:
            problem = f"unknown key{suggest(key, keys) or f', {hint}'}"
            raise PartError(f".{join_path('', str(key))}", problem)
    for key in keys[:least]:
        if key not in value:
            raise PartError("", f"{key} is missing, {hint}")
    parts = {}
    for key in keys or value:
        if key in value:
            with inside(f".{join_path('', str(key))}"):
                parts[key] = read(value[key])
    return parts


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
