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
========== =======================================================================

Only a number without a unit depends on the place: it is a pot fraction after the flop and an error
before it. A `SizeStyle` says how a place names and writes its sizes.

Raises can be listed by depth: first the sizes of the first raise, then of the re-raise (the 3-bet),
and so on; the last list serves all deeper raises. In one text, commas part sizes and semicolons
part depths: ``2.5bb, 3bb; 3x; allin``.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from runout.errors import TreeError, quote

DEPTH_SEPARATOR = ";"
SIZE_SEPARATOR = ","

#: A plain number from here on is taken for a forgotten percent sign; text says what it means.
MAX_PLAIN_FRACTION = 10.0

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_SCALED = re.compile(rf"({_NUMBER})(%|x|c|p|bb)", re.ASCII)
_GEOMETRIC = re.compile(rf"(\d{{0,3}})e(?:({_NUMBER})%)?", re.ASCII)
_MAX_CACHED_TEXTS = 4096


class SizeStyle(NamedTuple):
    """How sizes are called and written in one place; how they are read does not depend on it.

    Attributes:
        noun: what errors call a size.
        hint: what errors advise to write.
        takes_numbers: whether a plain number is a size, a fraction of the pot.
        pot_unit: ``%`` or ``p``, the unit in which fractions of the pot are written.
        all_in: the text of the whole stack.
    """

    noun: str
    hint: str
    takes_numbers: bool
    pot_unit: str
    all_in: str


AFTER_FLOP = SizeStyle(
    "bet size",
    "write 0.5 or 50% (of the pot), 2.5x (the last bet), 100c (chips), e, 2e, 3e200%, a",
    takes_numbers=True,
    pot_unit="%",
    all_in="a",
)
BEFORE_FLOP = SizeStyle(
    "raise size",
    "write 2.5bb (big blinds), 1.0p (pots), 3x (the last bet) or allin",
    takes_numbers=False,
    pot_unit="p",
    all_in="allin",
)


@dataclass(frozen=True, slots=True)
class BetSize:
    """One size of the table above.

    Attributes:
        unit: ``%`` (also of ``p``), ``x``, ``bb``, ``c``, ``e`` or ``a``.
        number: in the unit, for ``%`` a fraction of the pot: 0.5 is half of it. Of ``e`` it is how
            many times the size is bet and called; 0 for every street that is left, counting this
            one, and every raise made on this street before counts as a street that is gone.
        max_fraction: upper bound of ``e``, in pots.
    """

    unit: str
    number: float = 0.0
    max_fraction: float = math.inf


#: Sizes by raise depth; the last entry serves all deeper raises.
SizesByDepth: TypeAlias = tuple[tuple[BetSize, ...], ...]

#: What `parse_bet_sizes` reads: one text, or a list of numbers, texts and sizes.
SizesInput: TypeAlias = str | Sequence[BetSize | float | str]

#: What `parse_sizes_by_depth` reads: one text, or for every depth a text or a list of sizes.
SizesByDepthInput: TypeAlias = str | Sequence[str | BetSize | Sequence[str | BetSize]]

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

    Every such bet multiplies the pot by 1 + 2f, and the last pot is 1 + 2 ``stack_to_pot``.

    Args:
        stack_to_pot: effective stack over pot, both after calling.
        num_streets: number of bets, at least 1.
    """
    return float(((1.0 + 2.0 * stack_to_pot) ** (1.0 / num_streets) - 1.0) / 2.0)


def parse_bet_sizes(
    values: SizesInput,
    where: str = "bet_sizes",
    *,
    for_raises: bool = False,
    allow_empty: bool = False,
    style: SizeStyle = AFTER_FLOP,
) -> tuple[BetSize, ...]:
    """Reads a list of sizes, or a text of sizes with commas between them.

    Args:
        values: numbers (pot fractions), texts in the language of this module, or sizes.
        where: what errors name, with the position in the list after it.
        for_raises: whether multiples of the last bet are allowed.
        allow_empty: whether the list may be empty.
        style: how the place of the sizes names them.

    Raises:
        TreeError: naming the first size that cannot be read, as ``bet_sizes[1]``.
    """
    if isinstance(values, str):
        values = values.split(SIZE_SEPARATOR) if values.strip() else []
    elif not isinstance(values, Sequence):
        raise TreeError(where, f"{quote(values)} is not a list of bet sizes, write [0.5, 1.0]")
    if not values and not allow_empty:
        raise TreeError(where, "empty, give at least one bet size")
    return tuple(
        parse_bet_size(value, f"{where}[{position}]", for_raises=for_raises, style=style)
        for position, value in enumerate(values)
    )


def parse_sizes_by_depth(values: SizesByDepthInput, where: str = "raise_sizes") -> SizesByDepth:
    """Reads the sizes of all raise depths before the flop.

    Args:
        values: one text with semicolons between depths, or a list with a size, a text or a list
            of sizes for each depth. A depth may be empty: no sized raises there.
        where: what errors name, with the depth and the position in its list after it.

    Raises:
        TreeError: naming the first size that cannot be read, as ``raise_sizes[1][0]``.
    """
    if isinstance(values, str):
        values = values.split(DEPTH_SEPARATOR) if values.strip() else []
    elif not isinstance(values, Sequence):
        raise TreeError(where, f"{quote(values)} is not a list by raise depth, write [2.5bb, 3x]")
    return tuple(_parse_depth(depth, f"{where}[{n}]") for n, depth in enumerate(values))


def _parse_depth(
    values: str | BetSize | Sequence[str | BetSize], where: str
) -> tuple[BetSize, ...]:
    if isinstance(values, Sequence):
        return parse_bet_sizes(values, where, for_raises=True, allow_empty=True, style=BEFORE_FLOP)
    return (parse_bet_size(values, where, for_raises=True, style=BEFORE_FLOP),)


def parse_bet_size(
    value: BetSize | float | str,
    where: str = "bet size",
    *,
    for_raises: bool = False,
    style: SizeStyle = AFTER_FLOP,
) -> BetSize:
    """Reads one size: a text in the language of this module, a number, or a size to be checked.

    Raises:
        TreeError: if it is not a size, or a multiple of the last bet where there is no bet.
    """
    if isinstance(value, BetSize):
        value = format_bet_size(value, style)  # for the checks of its text
    try:
        if isinstance(value, str):
            size = read_size_text(value.strip().lower(), style)
        elif style.takes_numbers and isinstance(value, int | float) and type(value) is not bool:
            size = _read_number(float(value))
        elif isinstance(value, int | float) and type(value) is not bool:
            raise TreeError("", f"{value:g} has no unit, {_ways_to_write(value, style)}")
        else:
            raise TreeError("", f"{quote(value)} is not a {style.noun}, {style.hint}")
    except TreeError as error:
        raise TreeError(where, error.problem) from None
    if size.unit == "x" and not for_raises:
        text = quote(format_bet_size(size))
        raise TreeError(where, f"{text} multiplies a bet, but there is none yet: for raises only")
    return size


def _read_number(fraction: float) -> BetSize:
    if not (fraction > 0.0 and math.isfinite(fraction)):
        raise TreeError("", f"{fraction:g} is not a positive pot fraction")
    if fraction >= MAX_PLAIN_FRACTION:
        raise TreeError(
            "",
            f"{fraction:g} is {fraction:g} times the pot, write {fraction / 100:g} or "
            f"'{fraction:g}%' for a percentage, '{100 * fraction:g}%' if it is meant",
        )
    return BetSize("%", fraction)


@lru_cache(maxsize=_MAX_CACHED_TEXTS)
def read_size_text(text: str, style: SizeStyle) -> BetSize:
    """Reads one size in lower case; each distinct text is read once.

    Raises:
        TreeError: naming no place, which only the caller knows.
    """
    if text in ("a", "allin", "all-in"):
        return BetSize("a")
    if match := _SCALED.fullmatch(text):
        return BetSize(match[2].replace("p", "%"), _read_positive(match[1], match[2]))
    if match := _GEOMETRIC.fullmatch(text):
        if match[1] and not int(match[1]):
            raise TreeError("", f"{quote(text)} is geometric over 0 streets, use 1 or more")
        bound = math.inf if match[2] is None else _read_positive(match[2], "%")
        return BetSize("e", int(match[1] or 0), bound)
    if re.fullmatch(_NUMBER, text, re.ASCII):
        raise TreeError("", f"{quote(text)} has no unit, {_ways_to_write(float(text), style)}")
    raise TreeError("", f"{quote(text)} is not a {style.noun}, {style.hint}")


def _ways_to_write(number: float, style: SizeStyle) -> str:
    """Returns what a number without a unit may mean, as it is written."""
    if not style.takes_numbers:
        return f"write {number:g}bb for big blinds, {number:g}p for pots"
    pots = f"{100 * number:g}%" if number < MAX_PLAIN_FRACTION else f"{number:g}%"
    factor = f", {number:g}x the last bet" if number > 1.0 else ""
    return f"write {pots} of the pot{factor} or {number:g}c for chips"


def _read_positive(number: str, unit: str) -> float:
    value = Decimal(number)
    if unit == "x" and value <= 1:
        raise TreeError("", f"{quote(number + unit)} is not a raise, the factor must be above 1")
    if value <= 0:
        raise TreeError("", f"{quote(number + unit)} is not a positive {_NOUNS[unit]}")
    if not 0.0 < float(value) < math.inf:
        raise TreeError("", f"{quote(number)} is more than a number can be")
    return float(value / 100 if unit == "%" else value)


def format_bet_size(size: BetSize, style: SizeStyle = AFTER_FLOP) -> str:
    """Writes a size as text that `parse_bet_size` reads back as exactly the same size."""
    match size.unit:
        case "%":
            # Decimal arithmetic, because 100 * 0.07 is not 7 and the text must read back exactly.
            factor = 100 if style.pot_unit == "%" else 1
            return _format_number(size.number, factor) + style.pot_unit
        case "e":
            bound = "" if size.max_fraction == math.inf else format_percent(size.max_fraction)
            return f"{int(size.number) or ''}e{bound}"
        case "a":
            return style.all_in
        case unit:
            return _format_number(size.number) + unit


def format_bet_sizes(sizes: Sequence[BetSize], style: SizeStyle = AFTER_FLOP) -> str:
    """Writes a list of sizes with commas, as `parse_bet_sizes` reads it."""
    return f"{SIZE_SEPARATOR} ".join(format_bet_size(size, style) for size in sizes)


def format_sizes_by_depth(sizes: SizesByDepth) -> str:
    """Writes the sizes of all depths in one text, as `parse_sizes_by_depth` reads it."""
    return f"{DEPTH_SEPARATOR} ".join(format_bet_sizes(depth, BEFORE_FLOP) for depth in sizes)


def format_percent(fraction: float) -> str:
    """Writes a fraction as a percentage that reads back as exactly the same fraction."""
    return f"{_format_number(fraction, 100)}%"


def _format_number(number: float, factor: int = 1) -> str:
    # Decimal also because a float writes 0.00001 with an exponent, which the language has not.
    text = f"{Decimal(repr(float(number))) * factor:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
