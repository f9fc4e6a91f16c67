"""Bet and raise sizes as data, and the language that players write them in, on all four streets.

========== =======================================================================
text       the player's amount on this street becomes the opponent's (0 before a bet) and
========== =======================================================================
``33%``    a fraction of the pot after calling; ``0.33p`` means the same
``2.5x``   so much that it is 2.5 times the opponent's; raises only
``3bb``    so much that it is 3 big blinds; only where the tree knows the big blind
``100c``   100 chips; only in trees that are built in chips
``e``      the fraction of the pot that, repeated on every street left, ends all-in
``2e``     the same over 2 streets
``3e200%`` the same over 3 streets, but at most 200 % of the pot
``a``      everything; ``allin`` and ``all-in`` mean the same
``a300%``  everything, where that adds at most 300 % of the pot after calling
========== =======================================================================

Only a number without a unit depends on the place: it is a pot fraction after the flop and an error
before it. A `SizeStyle` says how a place names and writes its sizes.

Raises can be listed by depth: first the sizes of the first raise, then of the re-raise (the 3-bet),
and so on; the last list serves all deeper raises. In one text, commas part sizes and semicolons
part depths: ``2.5bb, 3bb; 3x; allin``.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeAlias

from runout.errors import TreeError, quote, shorten, suggest

DEPTH_SEPARATOR = ";"
SIZE_SEPARATOR = ","

#: Keys of mappings of sizes.
STREET_KEYS = ("flop", "turn", "river")
PLAYER_KEYS = ("oop", "ip")
BLIND_KEYS = ("sb", "bb")

#: A plain number from here on is taken for a forgotten percent sign; text says what it means.
MAX_PLAIN_FRACTION = 10.0

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_SCALED = re.compile(rf"({_NUMBER})(%|x|c|p|bb)", re.ASCII)
_BOUNDED = re.compile(rf"(?:a|all-?in)({_NUMBER})%", re.ASCII)
_GEOMETRIC = re.compile(rf"(\d{{0,3}})e(?:({_NUMBER})%)?", re.ASCII)
_MAX_CACHED_TEXTS = 4096


class SizeStyle(NamedTuple):
    """How sizes are called, listed and written in one place; one is read alike everywhere.

    Attributes:
        noun: what errors call a size; ``hint`` is what they advise to write, ``lists`` a list.
        takes_numbers: whether a plain number is a size, a fraction of the pot.
        pot_unit: ``%`` or ``p``, the unit in which fractions of the pot are written.
        all_in: the text of the whole stack.
        is_by_depth: whether a list has the sizes of each raise depth.
        groups: the keys that a mapping of lists may have.
    """

    noun: str
    hint: str
    takes_numbers: bool
    pot_unit: str
    all_in: str
    lists: str
    is_by_depth: bool
    groups: tuple[tuple[str, ...], ...]


AFTER_FLOP = SizeStyle(
    "bet size",
    "write 0.5 or 50% (of the pot), 2.5x (the last bet), 100c (chips), e, 2e, 3e200%, a",
    takes_numbers=True,
    pot_unit="%",
    all_in="a",
    lists="a list of bet sizes, write [0.5, 1.0] or [33%, 75%]",
    is_by_depth=False,
    groups=(PLAYER_KEYS, STREET_KEYS),
)
BEFORE_FLOP = SizeStyle(
    "raise size",
    "write 2.5bb (big blinds), 1.0p (pots), 3x (the last bet) or allin",
    takes_numbers=False,
    pot_unit="p",
    all_in="allin",
    lists="a list by raise depth, write [2.5bb, 3x]",
    is_by_depth=True,
    groups=(BLIND_KEYS,),
)


@dataclass(frozen=True, slots=True)
class BetSize:
    """One size of the table above.

    Attributes:
        unit: ``%`` (also of ``p``), ``x``, ``bb``, ``c``, ``e`` or ``a``.
        number: in the unit, for ``%`` a fraction of the pot: 0.5 is half of it. Of ``e`` it is how
            many times the size is bet and called; 0 for every street that is left, counting this
            one, and every raise made on this street before counts as a street that is gone.
        max_fraction: upper bound of ``e``, in pots; an ``a`` that adds more is left out.
    """

    unit: str
    number: float = 0.0
    max_fraction: float = math.inf


#: Sizes by raise depth; the last entry serves all deeper raises.
SizesByDepth: TypeAlias = tuple[tuple[BetSize, ...], ...]

#: Keys of mappings and positions in lists that lead to a part of a value.
Place: TypeAlias = tuple[str | int, ...]


def format_place(place: Place) -> str:
    """Writes a place as a path, short: ``("a", "b", 1)`` is ``a.b[1]``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return shorten("".join(parts).removeprefix("."))


#: One text of sizes, or a list of numbers, texts and sizes.
SizesInput: TypeAlias = str | Sequence[BetSize | float | str]

#: What the number of a unit is called.
_NOUNS = {
    "%": "pot fraction",
    "p": "pot fraction",
    "x": "factor",
    "bb": "number of big blinds",
    "c": "number of chips",
}


def geometric_fraction(stack_to_pot: float, num_streets: int) -> float:
    """Returns the pot fraction that ends all-in if it is bet and called ``num_streets`` times.

    Every such bet multiplies the pot by 1 + 2f, and the last pot is 1 + 2 ``stack_to_pot``, the
    effective stack over the pot, both after calling.
    """
    return float(((1.0 + 2.0 * stack_to_pot) ** (1.0 / num_streets) - 1.0) / 2.0)


class SizesError(TreeError):
    """Sizes that cannot be read; ``parts`` has all errors, with their places in the value."""

    parts: tuple[tuple[Place, str], ...] = ()


class SizeRules(NamedTuple):
    """Which sizes one key may have.

    Attributes:
        for_raises: whether multiples of the last bet are allowed.
        allow_empty: whether a list may be empty, and a mapping by street may leave some out.
        refused: units without a meaning, with the reason.
    """

    style: SizeStyle = AFTER_FLOP
    for_raises: bool = False
    allow_empty: bool = False
    refused: Mapping[str, str] = {}


_ANY_BET = SizeRules()
RAISES_BEFORE_FLOP = SizeRules(BEFORE_FLOP, for_raises=True, allow_empty=True)


@dataclass(frozen=True)
class Sizes:
    """Sizes for everybody, or by street, by player, or by both.

    Attributes:
        rows: pairs of what sizes are for, and the sizes; before the flop, sizes by raise depth.
            ``()`` stands for everybody; others are such as ``("ip",)`` and ``("turn", "oop")``.
    """

    rows: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]

    @classmethod
    def parse(cls, value: Any, rules: SizeRules = _ANY_BET, where: str = "bet_sizes") -> Self:
        """Reads a list or a text of sizes, or a mapping of such by street, by player or by both.

        Raises:
            SizesError: with all errors; ``where`` is the name of the whole.
        """
        given, reader = value.plain() if isinstance(value, Sizes) else value, _Reader(rules)
        rows = tuple(reader.read_table(given, (), rules.style.groups))
        if reader.errors:
            place, problem = reader.errors[0]
            error = SizesError(format_place((where, *place)), problem)
            error.parts = tuple(reader.errors)
            raise error
        if rules.style.is_by_depth and len({row for _, row in rows}) == 1:
            rows = (((), rows[0][1]),)
        return cls(rows)

    def plain(self) -> Any:
        """Returns the sizes as YAML has them."""
        mapping: dict[str, Any] = {}
        for path, row in self.rows:
            texts, inner = list(map(_plain_size, row)), mapping
            if not path:
                return texts
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = texts
        return mapping

    def __str__(self) -> str:
        return "; ".join(" ".join([*path, format_bet_sizes(row)]) for path, row in self.rows)

    def at(self, *keys: str) -> tuple[Any, ...] | None:
        """Returns the sizes of a street and player, or of a blind; None if they are left out."""
        return next((row for path, row in self.rows if set(path) <= {*keys}), None)


def _plain_size(size: BetSize | tuple[BetSize, ...]) -> str | list[str]:
    if isinstance(size, BetSize):
        return format_bet_size(size)
    return [format_bet_size(each, BEFORE_FLOP) for each in size]


class _Reader:
    """Reads tables and lists of sizes, and notes all errors with their places."""

    def __init__(self, rules: SizeRules) -> None:
        self.rules = rules
        self.errors: list[tuple[Place, str]] = []

    def read_table(
        self, value: Any, path: tuple[str, ...], groups: tuple[tuple[str, ...], ...]
    ) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...]]]:
        """Yields what sizes are for, and the sizes; a mapping may have the keys of one group."""
        if not isinstance(value, Mapping) or not groups:
            yield path, self.read_list(value, path, self.rules.style.is_by_depth)
            return
        names = next((group for group in groups if set(group) & set(value)), groups[-1])
        hint = f"give {', '.join(names[:-1])} and {names[-1]}"
        is_optional = self.rules.allow_empty and names is STREET_KEYS and set(names) & set(value)
        for name in value:
            if name not in names:
                text = f"unknown key{suggest(name, names) or f', {hint}'}"
                self.errors.append(((*path, str(name)), text))
        for name in names:
            if name in value:
                inner = (PLAYER_KEYS,) if names is STREET_KEYS else ()
                yield from self.read_table(value[name], (*path, name), inner)
            elif not is_optional:
                self.errors.append((path, f"{name} is missing, {hint}"))

    def read_list(self, value: Any, place: Place, is_by_depth: bool) -> tuple[Any, ...]:
        """Returns a list of sizes, or of such lists by raise depth; without what is wrong."""
        if isinstance(value, str):
            separator = DEPTH_SEPARATOR if is_by_depth else SIZE_SEPARATOR
            value = value.split(separator) if value.strip() else []
        if not isinstance(value, list | tuple):
            self.errors.append((place, f"{quote(value)} is not {self.rules.style.lists}"))
            return ()
        if not value and not self.rules.allow_empty:
            self.errors.append((place, "empty, give at least one bet size ('a' for all-in only)"))
        row: list[Any] = []
        for position, entry in enumerate(value):
            here = (*place, position)
            if is_by_depth and isinstance(entry, str | list | tuple):
                row.append(self.read_list(entry, here, is_by_depth=False))
                continue
            try:
                size = parse_bet_size(entry, self.rules)
                row.append((size,) if is_by_depth else size)
            except TreeError as error:
                self.errors.append((here, error.problem))
        return tuple(row)


def parse_bet_size(value: BetSize | float | str, rules: SizeRules = _ANY_BET) -> BetSize:
    """Reads one size: a text in the language of this module, a number, or a size to be checked.

    Raises:
        TreeError: if it is not a size, or one that the rules refuse.
    """
    style = rules.style
    if isinstance(value, BetSize):
        value = format_bet_size(value, style)  # for the checks of its text
    if isinstance(value, str):
        size = read_size_text(value.strip().lower(), style)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise TreeError(style.noun, f"{quote(value)} is not a {style.noun}, {style.hint}")
    elif not style.takes_numbers:
        ways = _ways_to_write(value, style)
        raise TreeError(style.noun, f"{value:g} has no unit, {ways}")
    elif not 0.0 < value < 1e300:
        raise TreeError(style.noun, f"{quote(value)} is not a positive pot fraction")
    elif value >= MAX_PLAIN_FRACTION:
        meant = f"'{value:g}%' for a percentage, '{100 * value:g}%' if it is meant"
        text = f"{value:g} is {value:g} times the pot, write {value / 100:g} or {meant}"
        raise TreeError(style.noun, text)
    else:
        size = BetSize("%", float(value))
    why = rules.refused.get(size.unit)
    if size.unit == "x" and not rules.for_raises:
        why = "multiplies a bet, but there is none yet: for raises only"
    if why is not None:
        raise TreeError(style.noun, f"{quote(format_bet_size(size, style))} {why}")
    return size


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def read_size_text(text: str, style: SizeStyle) -> BetSize:
    """Reads one size in lower case; each distinct text is read once."""
    noun = style.noun
    if text in ("a", "allin", "all-in"):
        return BetSize("a")
    if match := _BOUNDED.fullmatch(text):
        return BetSize("a", 0.0, _read_positive(match[1], "%", noun))
    if match := _SCALED.fullmatch(text):
        return BetSize(match[2].replace("p", "%"), _read_positive(match[1], match[2], noun))
    if match := _GEOMETRIC.fullmatch(text):
        if match[1] and not int(match[1]):
            raise TreeError(noun, f"{quote(text)} is geometric over 0 streets, use 1 or more")
        bound = math.inf if match[2] is None else _read_positive(match[2], "%", noun)
        return BetSize("e", int(match[1] or 0), bound)
    if re.fullmatch(_NUMBER, text, re.ASCII):
        raise TreeError(noun, f"{quote(text)} has no unit, {_ways_to_write(float(text), style)}")
    raise TreeError(noun, f"{quote(text)} is not a {style.noun}, {style.hint}")


def _ways_to_write(number: float, style: SizeStyle) -> str:
    """Returns what a number without a unit may mean, as it is written."""
    if not style.takes_numbers:
        return f"write {number:g}bb for big blinds, {number:g}p for pots"
    pots = f"{100 * number:g}%" if number < MAX_PLAIN_FRACTION else f"{number:g}%"
    factor = f", {number:g}x the last bet" if number > 1.0 else ""
    return f"write {pots} of the pot{factor} or {number:g}c for chips"


def _read_positive(number: str, unit: str, noun: str) -> float:
    value = Decimal(number)
    if unit == "x" and value <= 1:
        raise TreeError(noun, f"{quote(number + unit)} is not a raise, the factor must be above 1")
    if value <= 0:
        raise TreeError(noun, f"{quote(number + unit)} is not a positive {_NOUNS[unit]}")
    if not 0.0 < float(value) < math.inf:
        raise TreeError(noun, f"{quote(number)} is more than a number can be")
    return float(value / 100 if unit == "%" else value)


def format_bet_size(size: BetSize, style: SizeStyle = AFTER_FLOP) -> str:
    """Writes a size as text that `parse_bet_size` reads back as exactly the same size."""
    bound = "" if size.max_fraction == math.inf else format_percent(size.max_fraction)
    match size.unit:
        case "%":
            # Decimal arithmetic, because 100 * 0.07 is not 7 and the text must read back exactly.
            factor = 100 if style.pot_unit == "%" else 1
            return _format_number(size.number, factor) + style.pot_unit
        case "e":
            return f"{int(size.number) or ''}e{bound}"
        case "a":
            return style.all_in + bound
        case unit:
            return _format_number(size.number) + unit


def format_bet_sizes(sizes: Sequence[BetSize], style: SizeStyle = AFTER_FLOP) -> str:
    """Writes a list of sizes with commas, as `Sizes.parse` reads it."""
    return f"{SIZE_SEPARATOR} ".join(format_bet_size(size, style) for size in sizes)


def format_sizes_by_depth(sizes: SizesByDepth) -> str:
    """Writes the sizes of all depths in one text, as `Sizes.parse` reads it."""
    return f"{DEPTH_SEPARATOR} ".join(format_bet_sizes(depth, BEFORE_FLOP) for depth in sizes)


def format_percent(fraction: float) -> str:
    """Writes a fraction as a percentage that reads back as exactly the same fraction."""
    return f"{_format_number(fraction, 100)}%"


def _format_number(number: float, factor: int = 1) -> str:
    # Decimal also because a float writes 0.00001 with an exponent, which the language has not.
    text = f"{Decimal(repr(float(number))) * factor:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
