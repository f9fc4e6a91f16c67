"""Sections of a config file: typed keys, what they decide, and errors that name path and line.

A section is a pydantic model. pydantic checks types and ranges, finds all errors with their places,
and describes the keys as JSON Schema; what a user reads is one line for each error, made here from
that schema: ``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.
"""

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from runout.config.yaml_text import Document, format_yaml, join_path, show_value
from runout.errors import ConfigError, suggest

#: Keyword of our own in JSON Schema, which editors pass over: what a value may be, as the end of
#: the sentence "X is not ...".
ALLOWED = "x-allowed"

Place: TypeAlias = tuple[str | int, ...]
Schema: TypeAlias = dict[str, Any]


class Decides(Enum):
    """What a key decides; one without a note decides the game."""

    GAME = "what an iteration does"
    END = "when iterations end"
    NOTHING = "none of the results"


END, NOTHING = Decides.END, Decides.NOTHING


@dataclass(frozen=True, eq=False)
class Read:
    """How a value is read that YAML can give in several forms, and how it is written.

    Attributes:
        read: returns what a config keeps; raises `problem`, or a ValueError if the value is not
            what is allowed.
        allowed: the end of the sentence "X is not ...".
        write: returns what a config keeps as YAML has it.
        types: of the value in JSON Schema.
        keys: of the value, if it may be a mapping.
    """

    read: Callable[[Any], Any]
    allowed: str
    write: Callable[[Any], Any] = lambda value: value
    types: tuple[str, ...] = ("string",)
    keys: "type[ConfigSection] | None" = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        written = core_schema.plain_serializer_function_ser_schema(self.write)
        return core_schema.no_info_plain_validator_function(self.read, serialization=written)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        keys = {} if self.keys is None else self.keys.json_schema()["properties"]
        return {"type": list(self.types), "properties": keys, ALLOWED: self.allowed}


def problem(text: str, *place: str | int) -> ValidationError:
    """Returns the error of a value, or of the part of it at a place."""
    return problems([(place, text)])


def problems(found: Iterable[tuple[Place, str]]) -> ValidationError:
    """Returns several errors of a value as one exception, which pydantic adds to the others."""
    details = [
        InitErrorDetails(type=PydanticCustomError("config", "{text}", {"text": t}), loc=p, input=0)
        for p, t in found
    ]
    return ValidationError.from_exception_data("config", details)


class AllConfigErrors(ConfigError):  # noqa: N818
    """Everything that is wrong with a config; as text the first error and how many more."""

    errors: tuple[ConfigError, ...] = ()


class ConfigSection(BaseModel):
    """Base of all sections: values are taken as they are, and unknown keys are errors.

    In Python a section takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `parse` raises `AllConfigErrors` with paths and lines.

    Attributes:
        presets: what each value of the key ``preset`` sets; without any there is no such key.
        choices: keys of which one is given; with it, a preset sets none of the others.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        ser_json_inf_nan="constants",
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    choices: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def parse(cls, raw: Any, document: str = "config") -> Self:
        """Reads a section as it stands in a file; a `Document` lets errors name their lines.

        Args:
            raw: the keys and values.
            document: what errors name that belong to no key, such as the file.

        Raises:
            AllConfigErrors: if a key or value is not allowed.
        """
        if not isinstance(raw, Mapping):
            raise ConfigError(document, f"{show_value(raw)} is not a mapping of keys to values")
        try:
            return cls.model_validate(dict(raw))
        except ValidationError as error:
            found = list(_describe_errors(error, cls.json_schema(), raw, document))
            first, line = found[0]
            others = f"{len(found) - 1} more error{'s' if len(found) > 2 else ''}"
            all_errors = AllConfigErrors(
                first.where, _with_notes(first.problem, line, others if len(found) > 1 else "")
            )
            all_errors.errors = tuple(
                ConfigError(each.where, _with_notes(each.problem, at)) for each, at in found
            )
            raise all_errors from error

    @classmethod
    def json_schema(cls) -> Schema:
        """Returns JSON Schema of the keys; its defaults are as YAML has them."""
        return cls.model_json_schema(schema_generator=_SchemaGenerator)

    @classmethod
    def decides(cls, name: str) -> Decides:
        """Returns what a key decides."""
        notes = (note for note in cls.model_fields[name].metadata if isinstance(note, Decides))
        return next(notes, Decides.GAME)

    def to_mapping(self) -> dict[str, Any]:
        """Returns every key with its value as YAML has it; presets and defaults are filled in."""
        return self.model_dump(mode="json")

    def to_yaml(self) -> str:
        """Returns a config file that reads back as the same config."""
        return format_yaml(self.to_mapping())

    def digest_mapping(self, *, ends: bool = True) -> dict[str, Any]:
        """Returns what decides the results, for `runout.storage.bundle.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops. Without ``ends``,
        when iterations end does not count.
        """
        counts = (Decides.GAME, END) if ends else (Decides.GAME,)
        plain = self.to_mapping().items()
        digest = {name: value for name, value in plain if self.decides(name) in counts}
        self._spell_out(digest)
        return digest

    def game_mapping(self) -> dict[str, Any]:
        """Returns what decides an iteration: a solve can go on under any config with the same."""
        return self.digest_mapping(ends=False)

    def _spell_out(self, digest: dict[str, Any]) -> None:
        """Puts what is meant, as strict JSON, in the place of keys that can say it in many ways."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in_preset(cls, data: Any) -> Any:
        if not cls.presets or not isinstance(data, Mapping) or "preset" not in data:
            return data
        given, names = dict(data), tuple(cls.presets)
        if (name := given.pop("preset")) not in names:
            allowed = f"one of {', '.join(names)}{suggest(name, names)}"
            raise problem(f"{show_value(name)} is not {allowed}", "preset")
        passed_over = cls.choices if any(key in given for key in cls.choices) else ()
        return {k: v for k, v in cls.presets[name].items() if k not in passed_over} | given

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Schema:
        described: Schema = handler.resolve_ref_schema(handler(schema))
        plain = cls.model_construct().model_dump(mode="json", warnings=False)
        preset = {"enum": list(cls.presets), "description": "Values for keys that are not given."}
        keys = {"preset": preset} if cls.presets else {}
        for name, key in described.get("properties", {}).items():
            inherited = getattr(cls.__base__, "model_fields", {}).get(name)
            if "description" not in key and inherited is not None:
                key["description"] = inherited.description
            default = {"default": plain[name]} if name in plain else {}
            keys[name] = {k: v for k, v in key.items() if k not in ("title", "default")} | default
            alias: Any = cls.model_fields[name].validation_alias
            keys |= dict.fromkeys(getattr(alias, "choices", ()), keys[name])
        described["properties"] = keys
        return described


class _SchemaGenerator(GenerateJsonSchema):
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


# From pydantic's errors to lines for users.


def _with_notes(text: str, line: int | None, *notes: str) -> str:
    remarks = "; ".join(filter(None, ["" if line is None else f"line {line}", *notes]))
    return f"{text} ({remarks})" if remarks else text


def _describe_errors(
    error: ValidationError, schema: Schema, raw: Mapping[str, Any], document: str
) -> Iterator[tuple[ConfigError, int | None]]:
    """Yields each error with its line, in the order of the file."""
    details = [  # a list of which every entry is wrong is not too short as well
        detail
        for detail in error.errors(include_url=False)
        if detail["type"] != "too_short" or not detail["input"]
    ]
    places = dict.fromkeys(_Locator(schema, raw).locate(detail) for detail in details)
    for _, path, text in sorted(places, key=operator.itemgetter(0)):
        line = raw.line_of(path) if isinstance(raw, Document) else None
        yield ConfigError(path or document, text), line


class _Locator:
    """Follows the place of an error through what a file has and through the schema of its keys."""

    def __init__(self, schema: Schema, raw: Mapping[str, Any]) -> None:
        self._definitions = schema.get("$defs", {})
        self._here = self._root = self._siblings = list(self._variants(schema))
        self._value: Any = raw
        self._ranks: tuple[int, ...] = ()
        self._path = ""

    def locate(self, detail: Any) -> tuple[tuple[int, ...], str, str]:
        """Returns where an error stands: its rank in the file, its path, and what is wrong."""
        kind, place, came = detail["type"], list(detail["loc"]), detail["input"]
        last = place.pop() if kind in ("missing", "extra_forbidden", "invalid_key") else ""
        for part in place:
            self._enter(part)
        words = [word for variant in self._here for word in _words(variant)]
        match kind:
            case "missing":  # ranked last, since the key may be there with a typing error
                return (*self._ranks, len(self._value)), self._path, f"{last} is missing"
            case "invalid_key":
                text = f"the key {show_value(last)} is not text"
            case "extra_forbidden":
                text = self._problem_with_key(str(last))
                self._enter(str(last))
            case "union_tag_invalid":
                tags, came = [word for v in self._here for word in _words(_tag(v))], detail["ctx"]
                near = suggest(came["tag"], tags)
                text = f"{show_value(came['tag'])} is not one of {', '.join(tags)}{near}"
                self._path = join_path(self._path, "solve_type")
            case "config":
                text = detail["ctx"]["text"]
            case "too_short":
                text = f"empty, give {self._allowed()}"
            case _:
                text = f"{show_value(came)} is not {self._allowed()}{suggest(came, words)}"
        return self._ranks, self._path, text

    def _enter(self, part: str | int) -> None:
        """Goes on to a key or an entry of a list; chooses a variant if the part is its tag."""
        value, rank = self._value, -1  # of a key of which the default is at fault
        if isinstance(value, Mapping) and part in value:
            rank, self._value = list(value).index(part), value[part]
        elif isinstance(part, int) and isinstance(value, list | tuple | str):
            rank, self._value = part, value if isinstance(value, str) else value[part]
        elif isinstance(part, int):  # a value that stands for a list of one
            return
        elif not any(part in _keys(variant) for variant in self._here):
            chosen = [variant for variant in self._here if part in _words(_tag(variant))]
            self._siblings, self._here = self._here, chosen or self._here
            return
        self._ranks, self._path = (*self._ranks, rank), join_path(self._path, part)
        inner = [
            v.get("items") if isinstance(part, int) else _keys(v).get(part) for v in self._here
        ]
        self._here = [each for schema in inner if schema for each in self._variants(schema)]
        self._siblings = self._here

    def _variants(self, schema: Schema) -> Iterator[Schema]:
        choices = schema.get("anyOf") or schema.get("oneOf") or ()
        if "$ref" in schema:
            choices = [self._definitions[schema["$ref"].rpartition("/")[2]]]
        if not choices:
            yield schema
        for choice in choices:
            yield from self._variants(choice)

    def _allowed(self) -> str:
        return ", or ".join(dict.fromkeys(map(allowed_by, self._here))) or "allowed here"

    def _problem_with_key(self, key: str) -> str:
        """Returns where an unknown key belongs, which key may be meant, or which are allowed."""
        if any(key in _keys(variant) for variant in self._here):
            return "given together with its other name, give only one of them"
        others = [variant for variant in self._siblings if key in _keys(variant)]
        if backends := [word for variant in others for word in _words(_tag(variant))]:
            return f"needs solve_type: {' or '.join(backends)}"
        top = {name: part for variant in self._root for name, part in _keys(variant).items()}
        homes = [
            f"below {name}:"
            for name, part in top.items()
            if not self._path and any(key in _keys(v) for v in self._variants(part))
        ]
        if self._path and key in top:
            homes = ["at the top of the file"]
        if homes:
            return f"unknown key, write it {' or '.join(homes)}"
        known = dict.fromkeys(key for variant in self._here for key in _keys(variant))
        return f"unknown key{suggest(key, known) or ', allowed are ' + ', '.join(known)}"


def _keys(schema: Schema) -> Schema:
    keys: Schema = schema.get("properties", {})
    return keys


def _tag(schema: Schema) -> Schema:
    tag: Schema = _keys(schema).get("solve_type", {})
    return tag


def _words(schema: Mapping[str, Any]) -> list[str]:
    return [str(schema["const"])] if "const" in schema else list(map(str, schema.get("enum", ())))


_NOUNS = {
    "boolean": "true or false",
    "object": "a mapping of keys to values",
    "array": "a list",
    "string": "a text",
}


def allowed_by(schema: Mapping[str, Any]) -> str:
    """Returns what JSON Schema allows, as the end of the sentence "X is not ..."."""
    if ALLOWED in schema:
        return str(schema[ALLOWED])
    if words := _words(schema):
        return f"one of {', '.join(words)}"
    low, high, above = map(schema.get, ("minimum", "maximum", "exclusiveMinimum"))
    match schema.get("type"):
        case "integer":
            step = schema.get("multipleOf")
            noun = "whole number" if step is None else f"multiple of {step}"
            return f"a {noun} from {low} {'up' if high is None else f'to {high}'}"
        case "number" if high is not None:
            start = f"above {above} and up" if low is None else f"from {low:,g}"
            return f"a number {start} to {high:,.10g}"
        case "number" if low is above is None:
            return "a number"
        case "number":
            return "a positive number" if low is None else "0 or a positive number"
        case kind:
            return _NOUNS.get(str(kind), str(kind))
