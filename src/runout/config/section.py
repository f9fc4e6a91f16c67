"""Sections of a config file: typed keys, what they decide, and errors that name path and line.

A section is a pydantic model. pydantic checks types and ranges, finds all errors with their places,
and describes the keys as JSON Schema. A user reads one line for each error:
``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.
"""

import ast
import inspect
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from runout.config.yaml_text import Document, format_yaml, show_value
from runout.errors import ConfigError, RunoutError, suggest
from runout.trees.sizes import Place, format_place

#: Keyword of our own in JSON Schema, which editors pass over: the end of "X is not ...".
ALLOWED = "x-allowed"

Schema: TypeAlias = dict[str, Any]

#: Notes of fields: the key decides when iterations end, or none of the results. One without a note
#: decides the game.
END, NOTHING = "end", "nothing"

#: Note of keys that came later: their defaults leave the digests of earlier configs as they are.
LATER = "later"

#: The type of errors whose texts are ours.
_OURS = "config"


@dataclass(frozen=True, eq=False)
class Read:
    """How a value is read that YAML can give in several forms, and how it is written.

    Attributes:
        allowed: the end of the sentence "X is not ...".
        read: returns a value for the type of the field, by which pydantic checks it; raises
            `problem`, a `RunoutError`, or a ValueError if the value is not what is allowed.
        write: returns what a config keeps as YAML has it.
        types: of the value in JSON Schema; if only text is allowed, nothing else is read.
    """

    allowed: str
    read: Callable[[Any], Any] = lambda value: value
    write: Callable[[Any], Any] = lambda value: value
    types: tuple[str, ...] = ("string",)

    def __call__(self, value: Any, check: Callable[[Any], Any]) -> Any:
        """Returns what a config keeps of a value, or raises all that is wrong with it."""
        try:
            if isinstance(value, str | Path) or self.types != ("string",):
                given = self.read(value)
                return check(tuple(given) if isinstance(given, list) else given)
        except RunoutError as error:
            text = error.problem if isinstance(error, ConfigError) else str(error)
            raise problems(getattr(error, "parts", [((), text)])) from error
        except ValidationError as error:
            if isinstance(value, list | tuple) or error.errors()[0]["type"] == _OURS:
                raise
        except ValueError:
            pass
        raise problem(f"{show_value(value)} is not {self.allowed}")

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        written = core_schema.plain_serializer_function_ser_schema(self.write)
        return core_schema.no_info_wrap_validator_function(
            self, handler(source), serialization=written
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Schema:
        return {"type": list(self.types), ALLOWED: self.allowed}


def problem(text: str, *place: str | int) -> ValidationError:
    """Returns the error of a value, or of the part of it at a place."""
    return problems([(place, text)])


def problems(found: Iterable[tuple[Place, str]]) -> ValidationError:
    """Returns several errors of a value as one exception, which pydantic adds to the others."""
    details = [
        InitErrorDetails(type=PydanticCustomError(_OURS, "{text}", {"text": t}), loc=p, input=0)
        for p, t in found
    ]
    return ValidationError.from_exception_data(_OURS, details)


class AllConfigErrors(ConfigError):  # noqa: N818
    """Everything that is wrong with a config; as text the first error and how many more."""

    errors: tuple[ConfigError, ...] = ()


class ConfigSection(BaseModel):
    """Base of all sections: values are taken as they are, and unknown keys are errors.

    In Python a section takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `parse` raises `AllConfigErrors` with paths and lines. ``presets`` is what
    each value of the key ``preset`` sets, and ``choices`` are keys of which one is given: with it,
    a preset sets none of the others.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        ser_json_inf_nan="constants",
        defer_build=True,  # until the first config is read: commands read one kind, or none
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    choices: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def parse(cls, raw: Any, document: str = "config") -> Self:
        """Reads a section as it stands in a file; a `Document` lets errors name their lines.

        Raises:
            AllConfigErrors: with all errors, by line; ``document`` is what those are named by that
                belong to no key, such as the file.
        """
        if not isinstance(raw, Mapping):
            raise ConfigError(document, f"{show_value(raw)} is not a mapping of keys to values")
        try:
            return cls.model_validate(dict(raw))
        except ValidationError as error:
            found = []
            for place, text in tell(error):
                line = raw.line_of(place) if isinstance(raw, Document) else None
                is_of_top = len(place) > 1 and place[-1] in cls.key_names()
                if is_of_top and text.startswith("unknown key"):
                    text = "unknown key, write it at the top of the file"
                text += "" if line is None else f" (line {line})"
                where = format_place(place) or document
                found.append((line or math.inf, ConfigError(where, text)))
            errors = [each for _, each in sorted(found, key=operator.itemgetter(0))]
            others = f"; {len(errors) - 1} more error{'s' if len(errors) > 2 else ''}"
            text = errors[0].problem + (others if len(errors) > 1 else "")
            all_errors = AllConfigErrors(errors[0].where, text)
            all_errors.errors = tuple(errors)
            raise all_errors from error

    @classmethod
    def key_names(cls) -> tuple[str, ...]:
        """Returns the names of all keys, other names of a key included."""
        names = ["preset"] if cls.presets else []
        for name, field in cls.model_fields.items():
            names += [name, *getattr(field.validation_alias, "choices", ())]
        return tuple(dict.fromkeys(names))

    @classmethod
    def about(cls) -> dict[str, str]:
        """Returns the texts below the fields of the class, by key."""
        sections = [each for each in cls.__mro__[::-1] if issubclass(each, ConfigSection)]
        texts = [_read_texts(each.__module__).get(each.__qualname__, {}) for each in sections]
        return {key: text for of_class in texts for key, text in of_class.items()}

    @classmethod
    def keys_with(cls, note: str) -> list[str]:
        """Returns the keys that have a note."""
        return [name for name, field in cls.model_fields.items() if note in field.metadata]

    def to_mapping(self) -> dict[str, Any]:
        """Returns every key with its value as YAML has it; presets and defaults are filled in."""
        return self.model_dump(mode="json")

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Returns the keys that differ from their defaults, as YAML has them."""
        plain, keys = self.to_mapping(), type(self).model_fields
        return [(name, plain[name]) for name in keys if getattr(self, name) != keys[name].default]

    def to_yaml(self) -> str:
        """Returns a config file that reads back as the same config."""
        return format_yaml(self.to_mapping())

    def digest_mapping(self, *, ends: bool = True) -> dict[str, Any]:
        """Returns what decides the results, for `runout.storage.bundle.digest_config`.

        Two configs that mean the same have the same mapping: sizes are spelled out for every street
        and player, names stand for their numbers and selections for their flops. Without ``ends``,
        when iterations end does not count.
        """
        ignored, digest = (NOTHING,) if ends else (NOTHING, END), self.to_mapping()
        for name, field in type(self).model_fields.items():
            is_as_before = LATER in field.metadata and getattr(self, name) == field.default
            if is_as_before or any(note in ignored for note in field.metadata):
                del digest[name]
        self._spell_out(digest)
        return digest

    def game_mapping(self) -> dict[str, Any]:
        """Returns what decides an iteration: a solve can go on under any config with the same."""
        return self.digest_mapping(ends=False)

    def _spell_out(self, digest: dict[str, Any]) -> None:
        """Puts what is meant, as strict JSON, in the place of keys that can say it in many ways."""

    def _faults(self) -> Iterator[tuple[Place, str]]:
        """Yields places of keys that do not go together, although each is right by itself."""
        yield from ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if found := list(self._faults()):
            raise problems(found)
        return self

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, data: Any, read: Callable[[Any], Self]) -> Self:
        """Fills in a preset, and lets errors say what is allowed."""
        if isinstance(data, Mapping):
            data = {str(key): value for key, value in data.items()}
            if cls.presets and "preset" in data:
                data = cls._preset_of(data.pop("preset"), data) | data
        try:
            return read(data)
        except ValidationError as error:
            raise problems(tell(error, cls._about_unknown)) from error

    @classmethod
    def _preset_of(cls, name: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        if name not in (names := tuple(cls.presets)):
            raise problem(not_one_of(name, names), "preset")
        known = set(cls.key_names())
        if any(key in given for key in cls.choices):
            known -= set(cls.choices)
        return {key: value for key, value in cls.presets[name].items() if key in known}

    @classmethod
    def _about_unknown(cls, key: str) -> str:
        """Returns where an unknown key belongs, which key may be meant, or which are allowed."""
        if key in (names := cls.key_names()):
            return "given together with its other name, give only one of them"
        homes = [
            f"below {name}:"
            for name, field in cls.model_fields.items()
            if any(key in section.key_names() for section in _sections(field.annotation))
        ]
        if homes:
            return f"unknown key, write it {' or '.join(homes)}"
        return f"unknown key{suggest(key, names) or ', allowed are ' + ', '.join(names)}"

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Schema:
        described: Schema = handler.resolve_ref_schema(handler(schema))
        keys = described["properties"]
        for name, field in cls.model_fields.items():
            keys[name].setdefault("description", cls.about().get(name))
            keys |= dict.fromkeys(getattr(field.validation_alias, "choices", ()), keys[name])
        if cls.presets:
            about = "Values for keys that are not given."
            keys["preset"] = {"enum": list(cls.presets), "description": about}
        return described


@cache
def _read_texts(module: str) -> dict[str, dict[str, str]]:
    """Returns the texts below fields by class and field; pydantic reads them at each start."""
    source = Path(str(sys.modules[module].__file__)).read_text()
    return {
        node.name: {
            field.target.id: inspect.cleandoc(text.value.value)
            for field, text in pairwise(node.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            if isinstance(text.value.value, str)
        }
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


def _sections(kind: Any) -> Iterator[type[ConfigSection]]:
    """Yields the sections that a value of a type may be."""
    if isinstance(kind, type) and issubclass(kind, ConfigSection):
        yield kind
    for inner in get_args(kind):
        yield from _sections(inner)


#: What a value is not, by pydantic's name of the error.
_TYPES = {
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "tuple_type": "a list",
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}


def tell(
    error: ValidationError, about_unknown: Callable[[str], str] = str
) -> Iterator[tuple[Place, str]]:
    """Yields the place of each error, and what came and what is allowed."""
    # Unknown keys come first: one that is misspelled is missing as well.
    details = error.errors(include_url=False)
    for detail in sorted(details, key=lambda detail: detail["type"] != "extra_forbidden"):
        place, kind, given = detail["loc"], detail["type"], detail["input"]
        if kind == _OURS:
            yield place, detail["ctx"]["text"]
        elif kind == "missing":
            yield place[:-1], f"{place[-1]} is missing"
        elif kind == "extra_forbidden":
            yield place, about_unknown(str(place[-1]))
        elif kind == "literal_error":
            words = detail["ctx"]["expected"].replace("'", "")
            yield place, not_one_of(given, re.split(", | or ", words))
        elif kind in _TYPES:
            yield place, f"{show_value(given)} is not {_TYPES[kind]}"
        elif kind != "too_short":
            yield place, detail["msg"].replace("Input", show_value(given))
        elif not given:  # or each entry has an error of its own
            yield place, "empty, give a list of at least one value"


def not_one_of(value: Any, words: Sequence[str]) -> str:
    """Returns what is wrong with a value that is no word of some."""
    return f"{show_value(value)} is not one of {', '.join(words)}{suggest(value, words)}"
