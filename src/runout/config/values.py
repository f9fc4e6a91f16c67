"""Values that several sections have: numbers, cards, percentages, bet sizes and CFR variants."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from annotated_types import Ge, Gt, Le, MultipleOf
from pydantic import ValidationError

from runout.cards.deck import format_cards
from runout.cfr.schedules import VARIANTS, Schedule
from runout.config.section import ALLOWED, END, ConfigSection, Read, problem, problems
from runout.config.yaml_text import show_value
from runout.errors import CardError, ConfigError, TreeError, shorten, suggest
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import (
    SIZE_SEPARATOR,
    BetSize,
    SizeStyle,
    format_bet_size,
    format_percent,
    parse_bet_size,
)

# Numbers.


Count: TypeAlias = Annotated[int, Ge(1)]
CountFrom0: TypeAlias = Annotated[int, Ge(0)]
#: Raises of a street, or before the flop: far more than stacks allow.
Raises: TypeAlias = Annotated[int, Ge(0), Le(100)]
Positive: TypeAlias = Annotated[float, Gt(0)]
NotNegative: TypeAlias = Annotated[float, Ge(0)]
Share: TypeAlias = Annotated[float, Gt(0), Le(1)]
UpToOne: TypeAlias = Annotated[float, Ge(0), Le(1)]
Seconds: TypeAlias = Annotated[Positive | None, END]
StrategyDelta: TypeAlias = Annotated[Share | None, END]

# Keys about tables of games with real cards.
Precision: TypeAlias = Literal[32, 16]
RiverBuckets: TypeAlias = Annotated[int, Ge(16), Le(240), MultipleOf(16)]
RiverBlockers: TypeAlias = Literal["auto", "on", "off"]


def as_number(value: Any) -> float | None:
    """Returns a finite number as float, None for everything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def read_cards(noun: str, parse: Callable[[str], Sequence[int]], value: Any) -> str:
    """Returns cards as text in the spelling of ours; refuses what is not a board, or a flop."""
    if not isinstance(value, str):
        raise ValueError
    try:
        return format_cards(parse(value))
    except CardError as error:
        raise problem(f"{show_value(value)} is not a {noun} ({error})") from error


# Percentages.


_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)


def read_percentage(value: Any) -> float | None:
    """Returns the fraction that a text such as ``0.5%`` says, None if it is another."""
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def _read_target(value: Any) -> float:
    # Options are text, so that numbers without a unit come as text as well.
    is_plain = isinstance(value, str) and read_percentage(f"{value}%") is not None
    plain, given = as_number(float(value) if is_plain else value), shorten(str(value).strip())
    share = read_percentage(value) if plain is None else plain
    if share == 0.0:
        raise problem(f"{given} is never reached, give a percentage such as 0.1%, or null for none")
    if plain is not None:
        ways = (
            f"write {100 * plain:g}% if this is a fraction of the pot, {plain:g}% if a percentage"
        )
        raise problem(
            f"{given} has no unit, {ways}"
            if plain < 1
            else f"{given} has no unit, write {plain:g}%"
        )
    if share is None:
        raise ValueError
    if not 0.0 < share <= 1.0:
        raise problem(f"{given} is not above 0% and up to 100%")
    return share


def read_target_text(text: str) -> float:
    """Returns the fraction of the pot that a text such as ``0.5%`` says.

    Raises:
        ConfigError: if it says none.
    """
    try:
        return _read_target(text)
    except ValidationError as error:
        raise ConfigError("target", error.errors()[0]["ctx"]["text"]) from error
    except ValueError as error:
        text = f"{show_value(text)} is not a percentage of the pot such as 0.5%"
        raise ConfigError("target", text) from error


#: A fraction of the pot, written as ``0.5%``.
Target = Annotated[
    float, Read(_read_target, "a percentage of the pot such as 0.5%", format_percent)
]

# CFR variants: a name, or the exponents of discounted CFR.

#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0


def _check_exponent(value: Any) -> float:
    is_infinite = isinstance(value, float) and math.isinf(value)
    exponent = value if is_infinite else as_number(value)
    if exponent is None or not (is_infinite or abs(exponent) <= MAX_EXPONENT):
        raise ValueError
    return float(exponent)


_ALLOWED_EXPONENTS = f"a number from -{MAX_EXPONENT:g} to {MAX_EXPONENT:g}, .inf or -.inf"
_Exponent: TypeAlias = Annotated[
    float, Read(_check_exponent, _ALLOWED_EXPONENTS, types=("number",))
]


class Exponents(ConfigSection):
    """A CFR variant by its numbers, with the names of `Schedule`."""

    alpha: _Exponent
    """Positive regrets are scaled by `t^alpha / (t^alpha + 1)` after iteration t."""
    beta: _Exponent
    """Negative regrets likewise."""
    gamma: Annotated[float, Ge(0), Le(MAX_EXPONENT)]
    """The strategy sum is scaled by `(t / (t + 1))^gamma`."""
    num_rising: CountFrom0 = 0
    """In so many iterations `alpha` rises from `first_alpha`, and `beta` from 0."""
    first_alpha: Annotated[float, Ge(-MAX_EXPONENT), Le(MAX_EXPONENT)] = 1.0
    """Where `alpha` begins, if it rises."""


def _read_variant(value: Any) -> str | Schedule:
    if isinstance(value, Schedule):
        if type(value) is not Schedule or value.function is not None:
            raise problem("is a schedule of your own, which only CfrSolver plays")
        value = {name: getattr(value, name) for name in Exponents.model_fields}
    if isinstance(value, Mapping):
        return Schedule(**dict(Exponents.model_validate(dict(value))))
    if isinstance(value, str) and value in VARIANTS:
        return value
    allowed = f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma"
    raise problem(f"{show_value(value)} is not {allowed}{suggest(value, VARIANTS)}")


def _plain_variant(value: str | Schedule) -> Any:
    if isinstance(value, str):
        return value
    rising = ("num_rising", "first_alpha") if value.num_rising else ()
    return {name: getattr(value, name) for name in ("alpha", "beta", "gamma", *rising)}


Variant = Annotated[
    str | Schedule,
    Read(
        _read_variant,
        f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma",
        _plain_variant,
        ("string", "object"),
        Exponents,
    ),
]


def schedule_of(value: str | Schedule) -> Schedule:
    """Returns how a variant weights iterations."""
    return VARIANTS[value] if isinstance(value, str) else value


def digest_variant(schedule: Schedule) -> dict[str, float | str]:
    """Returns the exponents of a variant as strict JSON, which knows no infinity."""
    plain = _plain_variant(schedule)
    return {name: x if math.isfinite(x) else str(x) for name, x in plain.items()}


# Bet sizes: one list, or lists by street, by player, or by both.


STREET_KEYS = ("flop", "turn", "river")
PLAYER_KEYS = ("oop", "ip")

_Place = tuple[str | int, ...]
_Row = tuple[float | str, ...]


@dataclass(frozen=True)
class Sizes:
    """Bet sizes for everybody, by street, by player, or by both.

    A number is a fraction of the pot, a text is in the language of `runout.trees.sizes`.

    Attributes:
        rows: sizes as they were given, by what they are for: ``()`` everybody, ``("ip",)``,
            ``("turn",)`` or ``("turn", "oop")``.
    """

    rows: tuple[tuple[tuple[str, ...], _Row], ...]

    for_raises: ClassVar[bool] = False
    of_spot: ClassVar[bool] = False
    allowed: ClassVar[str] = "a list of positive numbers or of texts such as '33%'"

    @classmethod
    def parse(cls, value: Any) -> Self:
        """Reads a list or a text of sizes, or a mapping by street, by player or by both.

        Those of a spot may be in chips, empty, and leave out streets before the board.

        Raises:
            ValidationError: with all errors and their places.
        """
        if isinstance(value, Sizes):
            value = value.plain()
        errors: list[tuple[_Place, str]] = []
        rows = list(cls._read(value, (), (PLAYER_KEYS, STREET_KEYS), errors))
        if errors:
            raise problems(errors)
        return cls(tuple(rows))

    def plain(self) -> Any:
        """Returns the sizes as YAML has them."""
        if not self.rows[0][0]:
            return list(self.rows[0][1])
        mapping: dict[str, Any] = {}
        for path, row in self.rows:
            inner = mapping
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = list(row)
        return mapping

    def __str__(self) -> str:
        texts = (" ".join([*path, ", ".join(map(str, row))]) for path, row in self.rows)
        return "; ".join(texts)

    def at(self, street: str, player: str) -> tuple[BetSize, ...] | None:
        """Returns the sizes of a player (``oop``, ``ip``) on a street; None if it is left out."""
        for path, row in self.rows:
            if set(path) <= {street, player}:
                return tuple(parse_bet_size(size, for_raises=True) for size in row)
        return None

    def places(self) -> Iterator[tuple[_Place, BetSize]]:
        """Yields every size with its place."""
        for path, row in self.rows:
            for position, size in enumerate(row):
                yield (*path, position), parse_bet_size(size, for_raises=True)

    @classmethod
    def _read(
        cls,
        value: Any,
        path: tuple[str, ...],
        groups: tuple[tuple[str, ...], ...],
        errors: list[tuple[_Place, str]],
    ) -> Iterator[tuple[tuple[str, ...], _Row]]:
        """Yields what is for whom; ``groups`` are the keys that a mapping may have here."""
        if not isinstance(value, Mapping) or not groups:
            yield path, cls._read_row(value, path, errors)
            return
        names = next((group for group in groups if set(group) & set(value)), groups[-1])
        hint = f"give {', '.join(names[:-1])} and {names[-1]}"
        is_optional = cls.of_spot and names is STREET_KEYS and bool(set(names) & set(value))
        for name in value:
            if name not in names:
                errors.append(((*path, name), f"unknown key{suggest(name, names) or f', {hint}'}"))
        for name in names:
            if name in value:
                inner = (PLAYER_KEYS,) if names is STREET_KEYS else ()
                yield from cls._read(value[name], (*path, name), inner, errors)
            elif not is_optional:
                errors.append((path, f"{name} is missing, {hint}"))

    @classmethod
    def _read_row(cls, value: Any, path: _Place, errors: list[tuple[_Place, str]]) -> _Row:
        if isinstance(value, str):
            value = value.split(SIZE_SEPARATOR) if value.strip() else []
        if not isinstance(value, list | tuple):
            text = f"{show_value(value)} is not a list of bet sizes, write [0.5, 1.0] or [33%, 75%]"
            errors.append((path, text))
            return ()
        if not value and not cls.of_spot:
            errors.append((path, "empty, give at least one bet size ('a' for all-in only)"))
        row = []
        for position, entry in enumerate(value):
            try:
                row.append(cls._read_size(entry))
            except TreeError as error:
                errors.append(((*path, position), error.problem))
        return tuple(row)

    @classmethod
    def _read_size(cls, entry: Any) -> float | str:
        if not isinstance(entry, str) and as_number(entry) is None:
            allowed = "a positive pot fraction or a text such as '33%'"
            raise TreeError("", f"{show_value(entry)} is not {allowed}")
        size = parse_bet_size(entry, "", for_raises=cls.for_raises)
        is_in_chips = size.unit == "c" and not cls.of_spot
        if is_in_chips or size.unit == "bb":
            unit = "chips" if is_in_chips else "big blinds"
            here = "the stack is in chips" if cls.of_spot else "the pot is 1 here"
            text = f"{format_bet_size(size)!r} is in {unit}, but {here}: write '50%'"
            raise TreeError("", text)
        return format_bet_size(size) if isinstance(entry, str) else float(entry)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return Read(cls.parse, "", Sizes.plain).__get_pydantic_core_schema__(source, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        names: dict[str, Any] = {key: {} for key in (*STREET_KEYS, *PLAYER_KEYS)}
        types = ["array", "string", "object"]
        return {"type": types, "properties": names, ALLOWED: cls.allowed}


class RaiseSizes(Sizes):
    """Raise sizes, which may be multiples of the last bet."""

    for_raises: ClassVar[bool] = True
    allowed: ClassVar[str] = f"{Sizes.allowed} and '2.5x'"


class SpotSizes(Sizes):
    """Bet sizes of a spot, which may be in chips, empty, and without streets before the board."""

    of_spot: ClassVar[bool] = True
    allowed: ClassVar[str] = (
        "a list or text of sizes such as 33%, 2.5x, 100c, e, 2e, 3e200% and a, or a mapping"
    )


class SpotRaiseSizes(SpotSizes):
    """Raise sizes of a spot."""

    for_raises: ClassVar[bool] = True


def make_menus(
    bets: Sizes, raises: Sizes, donks: Sizes | None = None, first_street: int = 0
) -> tuple[tuple[SizeMenu, SizeMenu], ...]:
    """Returns the menus of all streets; those before the first one are like the first."""

    def menu(street: str, player: str) -> SizeMenu:
        return SizeMenu(
            bets=bets.at(street, player) or (),
            raises=raises.at(street, player) or (),
            donks=None if donks is None else donks.at(street, player) or (),
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
