"""Raise sizes before the flop as data, and the language that players write them in.

========== ======================================================================
text       raises to
========== ======================================================================
``2.5bb``  2.5 big blinds
``1.0p``   the opponent's amount and 1.0 times the pot after calling
``3x``     3 times the opponent's amount
``allin``  everything
========== ======================================================================

The sizes of a hand are listed by raise depth: first those of the first raise, then of the re-raise
(the 3-bet), and so on; the last list serves all deeper raises. In one text, commas part sizes and
semicolons part depths: ``2.5bb, 3bb; 3x; allin``.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from runout.errors import TreeError, quote
from runout.trees.bet_sizing import AllInSize, LastBetMultiple, PotFraction

DEPTH_SEPARATOR = ";"
SIZE_SEPARATOR = ","

_LANGUAGE = "write 2.5bb (big blinds), 1.0p (pots), 3x (the last bet) or allin"
_SCALED = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(bb|p|x)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class BigBlindAmount:
    """A raise to a fixed number of big blinds, the blind in it and antes not."""

    amount_bb: float


PreflopSize: TypeAlias = BigBlindAmount | PotFraction | LastBetMultiple | AllInSize

#: Sizes by raise depth; the last entry serves all deeper raises.
SizesByDepth: TypeAlias = tuple[tuple[PreflopSize, ...], ...]

#: What `parse_sizes_by_depth` reads: one text, or for every depth a text or a list of sizes.
SizesByDepthInput: TypeAlias = str | Sequence[str | PreflopSize | Sequence[str | PreflopSize]]


def parse_preflop_size(value: str | PreflopSize, where: str = "raise size") -> PreflopSize:
    """Reads one size in the language of this module; a size is checked and returned.

    Raises:
        TreeError: if it is not a size.
    """
    if isinstance(value, PreflopSize):
        _check_finite(value, where)
        value = format_preflop_size(value)  # for the checks of its text
    if not isinstance(value, str):
        raise TreeError(where, f"{quote(value)} is not a raise size, {_LANGUAGE}")
    text = value.strip().lower()
    if text in ("allin", "all-in", "a"):
        return AllInSize()
    match = _SCALED.fullmatch(text)
    if match is None:
        raise TreeError(where, f"{quote(value)} is not a raise size, {_LANGUAGE}")
    number, unit = float(match[1]), match[2]
    if unit is None:
        raise TreeError(where, f"{quote(value)} has no unit, {_LANGUAGE}")
    if unit == "x":
        if not 1.0 < number < math.inf:
            raise TreeError(where, f"{quote(value)} is not a raise, the factor must be above 1")
        return LastBetMultiple(number)
    if not 0.0 < number < math.inf:
        what = "number of big blinds" if unit == "bb" else "pot fraction"
        raise TreeError(where, f"{quote(value)} is not a positive {what}")
    return BigBlindAmount(number) if unit == "bb" else PotFraction(number)


def parse_sizes_by_depth(values: SizesByDepthInput, where: str = "raise_sizes") -> SizesByDepth:
    """Reads the sizes of all raise depths.

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
    values: str | PreflopSize | Sequence[str | PreflopSize], where: str
) -> tuple[PreflopSize, ...]:
    if isinstance(values, str):
        values = values.split(SIZE_SEPARATOR) if values.strip() else []
    elif not isinstance(values, Sequence):
        return (parse_preflop_size(values, where),)
    return tuple(parse_preflop_size(size, f"{where}[{n}]") for n, size in enumerate(values))


def format_preflop_size(size: PreflopSize) -> str:
    """Writes a size as text that `parse_preflop_size` reads back as exactly the same size."""
    match size:
        case BigBlindAmount(amount_bb):
            return f"{_format_number(amount_bb)}bb"
        case PotFraction(fraction):
            return f"{_format_number(fraction)}p"
        case LastBetMultiple(factor):
            return f"{_format_number(factor)}x"
        case AllInSize():
            return "allin"


def format_sizes_by_depth(sizes: SizesByDepth) -> str:
    """Writes the sizes of all depths in one text, as `parse_sizes_by_depth` reads it."""
    depths = [f"{SIZE_SEPARATOR} ".join(map(format_preflop_size, depth)) for depth in sizes]
    return f"{DEPTH_SEPARATOR} ".join(depths)


def _check_finite(size: PreflopSize, where: str) -> None:
    match size:
        case BigBlindAmount(number) | PotFraction(number) | LastBetMultiple(number):
            if not math.isfinite(number):
                raise TreeError(where, f"{number} is not a raise size, {_LANGUAGE}")


def _format_number(number: float) -> str:
    # Decimal, because a float writes 0.00001 with an exponent and the language has none.
    text = f"{Decimal(repr(float(number))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
