"""A section of a config file: typed keys, and errors that name the path in the file.

Pydantic checks types and ranges; what a user reads is one line made here, from what the field says
about itself: ``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.
"""

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from runout.config.yaml_text import YamlMapping, join_path
from runout.errors import ConfigError, quote

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
