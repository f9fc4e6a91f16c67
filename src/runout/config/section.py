"""Sections of a config file: typed keys, what they may hold, and errors that name the path."""

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails
from pydantic_core.core_schema import no_info_plain_validator_function

from runout.cards.deck import format_cards
from runout.cfr.schedules import VARIANTS, DiscountSchedule
from runout.config.yaml_text import error_at, format_yaml, join_path, show_value, suggest
from runout.errors import CardError, ConfigError, TreeError
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import (
    SIZE_SEPARATOR,
    BetSize,
    SizeStyle,
    format_bet_size,
    parse_bet_size,
    parse_bet_sizes,
)

# A section of a config file: typed keys, and errors that name the path in the file.
#
# What a user reads is one line made here, from what the key says about itself:
# ``postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction (line 7)``.


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
        usual_place: the key of a file that has the section, empty if the section is the file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    aliases: ClassVar[Mapping[str, str]] = {}
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    usual_place: ClassVar[str] = ""

    @classmethod
    def parse(cls, raw: Any, where: str | None = None, document: str = "config") -> Self:
        """Reads a section as it stands in a file.

        Args:
            raw: the mapping; one from `parse_yaml` lets errors name the line.
            where: path of the section in the file, put before the path of what is at fault; by
                default where it usually stands.
            document: what errors name that belong to no key, such as the file.

        Raises:
            ConfigError: naming the first error in the order of the file, and how many more.
        """
        where = cls.usual_place if where is None else where
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
        and player, names stand for their numbers and selections for their flops. Only
        keys count that decide one of the given things, or anything if none is given.
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
        """Returns where an error of pydantic stands: rank in the file, path, and the problem."""
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


def read_list(
    value: Any, read: Callable[[Any], Any], allowed: str = "", separator: str = "", least: str = ""
) -> tuple[Any, ...]:
    """Reads every entry of a list, or of a text with separators if there is one.

    Another value is not what is ``allowed``; if that is empty, it stands for a list of one. If
    ``least`` says what must be given, the list may not be empty.
    """
    if separator and isinstance(value, str):
        value = value.split(separator) if value.strip() else []
    if not isinstance(value, list | tuple):
        with inside(""):
            if allowed:
                raise refusal(value, allowed)
            return (read(value),)
    if least and not value:
        raise PartError("", f"empty, give at least one {least}")
    entries = []
    for position, entry in enumerate(value):
        with inside(f"[{position}]"):
            entries.append(read(entry))
    return tuple(entries)


def read_parts(
    value: Mapping[Any, Any],
    read: Callable[[Any], Any],
    keys: Sequence[str] = (),
    hint: str = "",
    least: int | None = None,
) -> dict[Any, Any]:
    """Reads every value of a mapping.

    If there are ``keys``, others are unknown, and the first ``least`` of them, or all, must be
    given; ``hint`` says what to write instead.
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


def as_number(value: Any) -> float | None:
    """Returns a finite number as float, None for everything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


# Values that several sections have: numbers, sizes, variants, cards.


#: Raises of a street, or before the flop, that a config can ask for: far more than stacks allow.
MOST_RAISES = 100

RAISES = whole(0, MOST_RAISES)
POSITIVE = number("a positive number", lambda x: x > 0.0)
NOT_NEGATIVE = number("0 or a positive number", lambda x: x >= 0.0)
SHARE = number("a number above 0 and up to 1", lambda x: 0.0 < x <= 1.0)
UP_TO_ONE = number("a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
Seconds = Annotated[float | None, POSITIVE.or_null(), Key("end", "seconds")]
StrategyDelta = Annotated[float | None, SHARE.or_null(), Key("end", "probability")]

# Bet sizes as a config gives them: one list, or lists by street, by player, or by both.


STREET_KEYS = ("flop", "turn", "river")
PLAYER_KEYS = ("oop", "ip")


class SizesByPlayer(NamedTuple):
    """Sizes of both players, as given."""

    oop: tuple[float | str, ...]
    ip: tuple[float | str, ...]


class SizesByStreet(NamedTuple):
    """Sizes by street, as given; None on a street before the board."""

    flop: tuple[float | str, ...] | SizesByPlayer | None = None
    turn: tuple[float | str, ...] | SizesByPlayer | None = None
    river: tuple[float | str, ...] | SizesByPlayer | None = None


SizeTable = (SizesByStreet, SizesByPlayer)
SizeChoice: TypeAlias = tuple[float | str, ...] | SizesByStreet | SizesByPlayer


def read_sizes(value: Any, *, for_raises: bool, of_spot: bool = False) -> SizeChoice:
    """Reads a list of sizes, or a mapping from streets or players to them.

    Args:
        value: as YAML has it; numbers are pot fractions, texts are in the language of
            `runout.trees.sizes`.
        for_raises: whether multiples of the last bet are allowed.
        of_spot: whether they are those of one spot: chips mean something there, nobody has to bet,
            and streets before the board may be left out.
    """

    def read_size(entry: Any) -> float | str:
        if not isinstance(entry, str) and as_number(entry) is None:
            raise refusal(entry, "a positive pot fraction or a text such as '33%'")
        size = parse_bet_size(entry, "", for_raises=for_raises)
        is_in_chips = size.unit == "c" and not of_spot
        if is_in_chips or size.unit == "bb":
            unit = "chips" if is_in_chips else "big blinds"
            here = "the stack is in chips" if of_spot else "the pot is 1 here"
            problem = f"{format_bet_size(size)!r} is in {unit}, but {here}: write '50%'"
            raise PartError("", problem)
        return format_bet_size(size) if isinstance(entry, str) else float(entry)

    def read_sizes_of_all(given: Any) -> tuple[float | str, ...]:
        allowed, least = "a list of bet sizes, write [0.5, 1.0]", "bet size ('a' for all-in only)"
        least = "" if of_spot else least
        return read_list(given, read_size, allowed, separator=SIZE_SEPARATOR, least=least)

    def read_players(given: Any) -> tuple[float | str, ...] | SizesByPlayer:
        if not isinstance(given, Mapping):
            return read_sizes_of_all(given)
        return SizesByPlayer(**read_parts(given, read_sizes_of_all, PLAYER_KEYS, "give oop and ip"))

    if isinstance(value, SizeTable):
        value = plain_sizes(value)
    if not isinstance(value, Mapping) or set(value) & set(PLAYER_KEYS):
        return read_players(value)
    least = 0 if of_spot and set(value) & set(STREET_KEYS) else None
    hint = "give flop, turn and river"
    return SizesByStreet(**read_parts(value, read_players, STREET_KEYS, hint, least))


def plain_sizes(choice: SizeChoice) -> Any:
    """Returns a choice as lists and dictionaries."""
    if isinstance(choice, SizeTable):
        given = {key: child for key, child in choice._asdict().items() if child is not None}
        return {key: plain_sizes(child) for key, child in given.items()}
    return list(choice)


def sizes_form(allowed: str, *, for_raises: bool, of_spot: bool = False) -> Form:
    """Returns the form of sizes; see `read_sizes`."""
    return Form(
        allowed,
        lambda value: read_sizes(value, for_raises=for_raises, of_spot=of_spot),
        plain_sizes,
    )


def sizes_at(
    choice: SizeChoice, street: str, player: str, *, for_raises: bool
) -> tuple[BetSize, ...]:
    """Returns the sizes of a player (``oop``, ``ip``) on a street (``flop``, ...)."""
    sizes: Any = getattr(choice, street) if isinstance(choice, SizesByStreet) else choice
    if isinstance(sizes, SizesByPlayer):
        sizes = getattr(sizes, player)
    return parse_bet_sizes(sizes, for_raises=for_raises, allow_empty=True)


def all_sizes(plain: Any, path: str = "") -> Iterator[tuple[str, float | str]]:
    """Yields every size of lists and dictionaries with its path from the key."""
    if isinstance(plain, Mapping):
        for key, child in plain.items():
            yield from all_sizes(child, f"{path}.{key}")
    else:
        for position, size in enumerate(plain or ()):
            yield f"{path}[{position}]", size


def make_menus(
    bets: SizeChoice, raises: SizeChoice, donks: SizeChoice | None = None, first_street: int = 0
) -> tuple[tuple[SizeMenu, SizeMenu], ...]:
    """Returns the menus of all streets; those before the first one are like the first."""

    def menu(street: str, player: str) -> SizeMenu:
        return SizeMenu(
            bets=sizes_at(bets, street, player, for_raises=False),
            raises=sizes_at(raises, street, player, for_raises=True),
            donks=None if donks is None else sizes_at(donks, street, player, for_raises=False),
        )

    streets = [STREET_KEYS[max(street, first_street)] for street in range(len(STREET_KEYS))]
    return tuple((menu(street, "oop"), menu(street, "ip")) for street in streets)


def digest_menus(
    rules: BettingRules, names: Sequence[str] = ("bets", "raises"), first_street: int = 0
) -> dict[str, dict[str, list[str]]]:
    """Returns the sizes of every street and player under the names of bets, raises and donks."""
    digest = {}
    for street, menus in list(zip(STREET_KEYS, rules.menus, strict=True))[first_street:]:
        for player, menu in zip(PLAYER_KEYS, menus, strict=True):
            lists = (menu.bets, menu.raises, menu.bets if menu.donks is None else menu.donks)
            digest[f"{street}.{player}"] = dict(zip(names, map(menu_as_set, lists), strict=False))
    return digest


def menu_as_set(sizes: Sequence[BetSize], *style: SizeStyle) -> list[str]:
    """Returns a menu as the set that it is: neither order nor repetition changes a tree."""
    return sorted({format_bet_size(size, *style) for size in sizes})


# CFR variants as a config gives them: a name, or the three exponents of discounted CFR.


#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0

#: The exponents of a variant that is given as a mapping.
EXPONENTS = ("alpha", "beta", "gamma")

_GAMMA = number(f"a number from 0 to {MAX_EXPONENT:g}", lambda x: 0.0 <= x <= MAX_EXPONENT)
_EXPONENT = number(
    f"a number from -{MAX_EXPONENT:g} to {MAX_EXPONENT:g}, .inf or -.inf",
    lambda x: abs(x) <= MAX_EXPONENT or math.isinf(x),
    takes_infinity=True,
)


def _read_variant(value: Any) -> str | DiscountSchedule | None:
    if isinstance(value, DiscountSchedule):
        value = _plain_variant(value)
    if not isinstance(value, Mapping):
        return value if isinstance(value, str) and value in VARIANTS else None
    given = read_parts(value, lambda x: x, EXPONENTS, "give alpha, beta and gamma")
    gamma = read_parts({"gamma": given.pop("gamma")}, _GAMMA.parse)
    return DiscountSchedule(**read_parts(given, _EXPONENT.parse), **gamma)


def _plain_variant(value: str | DiscountSchedule) -> Any:
    if isinstance(value, str):
        return value
    names = [name for name, schedule in VARIANTS.items() if schedule == value]
    # Exponents say everything unless one of them moves.
    return names[0] if value.num_rising else {name: getattr(value, name) for name in EXPONENTS}


VARIANT = Form(
    f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma",
    _read_variant,
    _plain_variant,
    choices=tuple(VARIANTS),
)


def schedule_of(value: str | DiscountSchedule) -> DiscountSchedule:
    """Returns how a variant weights iterations."""
    return VARIANTS[value] if isinstance(value, str) else value


def digest_variant(schedule: DiscountSchedule) -> dict[str, float | str]:
    """Returns the exponents of a variant as strict JSON, which knows no infinity."""
    rising = ("num_rising", "first_alpha") if schedule.num_rising else ()
    exponents = {name: getattr(schedule, name) for name in (*EXPONENTS, *rising)}
    return {name: x if math.isfinite(x) else str(x) for name, x in exponents.items()}


# Cards as a config gives them.


def cards_form(
    noun: str, example: str, parse: Callable[[str], Sequence[int]], allowed: str
) -> Form:
    """Returns the form of cards as text, in the spelling of ours."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise refusal(value, f"a {noun} such as {example}")
        try:
            return format_cards(parse(value))
        except CardError as error:
            raise refusal(value, f"a {noun} ({error})") from error

    return Form(allowed, read)
