"""Bet and raise sizes as data, and the language that players write them in."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from runout.errors import TreeError, quote

# --------------------------------------------------------------------------------------------------
# Bet sizes as data, and the language that players write them in.
#
# ========== =====================================================================
# text       adds to the opponent's amount (a bet: to nothing)
# ========== =====================================================================
# ``33%``    a fraction of the pot after calling; the number ``0.33`` means the same
# ``2.5x``   so much that the amount is 2.5 times the opponent's; raises only
# ``100c``   100 chips; only in trees that are built in chips
# ``e``      the fraction of the pot that, repeated on every street left, ends all-in
# ``2e``     the same over 2 streets
# ``3e200%`` the same over 3 streets, but at most 200 % of the pot
# ``a``      everything
# ========== =====================================================================


#: A plain number from here on is taken for a forgotten percent sign; text says what it means.
MAX_PLAIN_FRACTION = 10.0

_LANGUAGE = "write 0.5 or 50% (of the pot), 2.5x (the last bet), 100c (chips), e, 2e, 3e200%, a"
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_SCALED = re.compile(rf"({_NUMBER})([%xc])", re.ASCII)
_GEOMETRIC = re.compile(rf"(\d{{0,3}})e(?:({_NUMBER})%)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PotFraction:
    """A fraction of the pot after calling: 0.5 is half the pot."""

    fraction: float


@dataclass(frozen=True, slots=True)
class LastBetMultiple:
    """A raise to ``factor`` times the opponent's amount on this street."""

    factor: float


@dataclass(frozen=True, slots=True)
class ChipAmount:
    """A bet of, or a raise by, a fixed number of chips."""

    chips: float


@dataclass(frozen=True, slots=True)
class GeometricSize:
    """The pot fraction that ends all-in when it is bet and called a number of times.

    Attributes:
        num_streets: how many times; None for every street that is left, counting this one. Every
            raise made on this street before counts as a street that is gone.
        max_fraction: upper bound in pots; None for no bound.
    """

    num_streets: int | None = None
    max_fraction: float | None = None


@dataclass(frozen=True, slots=True)
class AllInSize:
    """The whole effective stack."""


BetSize: TypeAlias = PotFraction | LastBetMultiple | ChipAmount | GeometricSize | AllInSize


def geometric_fraction(stack_to_pot: float, num_streets: int) -> float:
    """Returns the pot fraction that ends all-in if it is bet and called ``num_streets`` times.

    Every such bet multiplies the pot by 1 + 2f, and the last pot is 1 + 2 ``stack_to_pot``.

    Args:
        stack_to_pot: effective stack over pot, both after calling.
        num_streets: number of bets, at least 1.
    """
    return float(((1.0 + 2.0 * stack_to_pot) ** (1.0 / num_streets) - 1.0) / 2.0)


def parse_bet_sizes(
    values: str | Sequence[BetSize | float | str],
    where: str = "bet_sizes",
    *,
    for_raises: bool = False,
    allow_empty: bool = False,
) -> tuple[BetSize, ...]:
    """Reads a list of sizes, or a text of sizes with commas between them.

    Args:
        values: numbers (pot fractions), texts in the language of this module, or sizes.
        where: what errors name, with the position in the list after it.
        for_raises: whether multiples of the last bet are allowed.
        allow_empty: whether the list may be empty.

    Raises:
        TreeError: naming the first size that cannot be read, as ``bet_sizes[1]``.
    """
    if isinstance(values, str):
        values = values.split(",") if values.strip() else []
    elif not isinstance(values, Sequence):
        raise TreeError(where, f"{quote(values)} is not a list of bet sizes, write [0.5, 1.0]")
    if not values and not allow_empty:
        raise TreeError(where, "empty, give at least one bet size")
    return tuple(
        parse_bet_size(value, f"{where}[{position}]", for_raises=for_raises)
        for position, value in enumerate(values)
    )


def parse_bet_size(
    value: BetSize | float | str, where: str = "bet size", *, for_raises: bool = False
) -> BetSize:
    """Reads one size: a number is a pot fraction, a text is in the language of this module.

    Raises:
        TreeError: if it is not a size, or a multiple of the last bet where there is no bet.
    """
    if isinstance(value, str):
        size = _parse_text(value.strip().lower(), where)
    elif isinstance(value, BetSize):
        size = _parse_text(format_bet_size(value), where)  # for its checks
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size = _parse_number(float(value), where)
    else:
        raise TreeError(where, f"{quote(value)} is not a bet size, {_LANGUAGE}")
    if isinstance(size, LastBetMultiple) and not for_raises:
        text = quote(format_bet_size(size))
        raise TreeError(where, f"{text} multiplies a bet, but there is none yet: for raises only")
    return size


def _parse_number(fraction: float, where: str) -> PotFraction:
    if not (fraction > 0.0 and math.isfinite(fraction)):
        raise TreeError(where, f"{fraction:g} is not a positive pot fraction")
    if fraction >= MAX_PLAIN_FRACTION:
        raise TreeError(
            where,
            f"{fraction:g} is {fraction:g} times the pot, write {fraction / 100:g} or "
            f"'{fraction:g}%' for a percentage, '{100 * fraction:g}%' if it is meant",
        )
    return PotFraction(fraction)


def _parse_text(text: str, where: str) -> BetSize:
    if text == "a":
        return AllInSize()
    if match := _SCALED.fullmatch(text):
        return _parse_scaled(match[1], match[2], where)
    if match := _GEOMETRIC.fullmatch(text):
        num_streets = int(match[1]) if match[1] else None
        if num_streets == 0:
            raise TreeError(where, f"{quote(text)} is geometric over 0 streets, use 1 or more")
        if match[2] is None:
            return GeometricSize(num_streets)
        return GeometricSize(num_streets, _parse_percent(match[2], where))
    if re.fullmatch(_NUMBER, text):
        raise TreeError(where, f"{quote(text)} has no unit, {_LANGUAGE}")
    raise TreeError(where, f"{quote(text)} is not a bet size, {_LANGUAGE}")


def _parse_scaled(number: str, unit: str, where: str) -> BetSize:
    value = Decimal(number)
    if unit == "%":
        return PotFraction(_parse_percent(number, where))
    if unit == "x":
        if value <= 1:
            raise TreeError(
                where, f"{quote(number + unit)} is not a raise, the factor must be above 1"
            )
        return LastBetMultiple(_finite(number, where))
    if value <= 0:
        raise TreeError(where, f"{quote(number + unit)} is not a positive number of chips")
    return ChipAmount(_finite(number, where))


def _parse_percent(number: str, where: str) -> float:
    if Decimal(number) <= 0:
        raise TreeError(where, f"{quote(number + '%')} is not a positive pot fraction")
    _finite(number, where)
    return float(Decimal(number) / 100)


def _finite(number: str, where: str) -> float:
    value = float(number)
    if not 0.0 < value < math.inf:
        raise TreeError(where, f"{quote(number)} is more than a number can be")
    return value


def format_bet_size(size: BetSize) -> str:
    """Writes a size as text that `parse_bet_size` reads back as exactly the same size."""
    match size:
        case PotFraction(fraction):
            return _format_percent(fraction)
        case LastBetMultiple(factor):
            return f"{_format_decimal(Decimal(repr(factor)))}x"
        case ChipAmount(chips):
            return f"{_format_decimal(Decimal(repr(chips)))}c"
        case GeometricSize(num_streets, max_fraction):
            streets = "" if num_streets is None else str(num_streets)
            bound = "" if max_fraction is None else _format_percent(max_fraction)
            return f"{streets}e{bound}"
        case AllInSize():
            return "a"


def format_bet_sizes(sizes: Sequence[BetSize]) -> str:
    """Writes a list of sizes with commas, as `parse_bet_sizes` reads it."""
    return ", ".join(format_bet_size(size) for size in sizes)


def _format_percent(fraction: float) -> str:
    # Decimal arithmetic, because 100 * 0.07 is not 7 and the text must read back exactly.
    return f"{_format_decimal(Decimal(repr(fraction)) * 100)}%"


def _format_decimal(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# --------------------------------------------------------------------------------------------------
# Raise sizes before the flop as data, and the language that players write them in.
#
# ========== ======================================================================
# text       raises to
# ========== ======================================================================
# ``2.5bb``  2.5 big blinds
# ``1.0p``   the opponent's amount and 1.0 times the pot after calling
# ``3x``     3 times the opponent's amount
# ``allin``  everything
# ========== ======================================================================
#
# The sizes of a hand are listed by raise depth: first those of the first raise, then of the re-
# raise (the 3-bet), and so on; the last list serves all deeper raises. In one text, commas part
# sizes and semicolons part depths: ``2.5bb, 3bb; 3x; allin``.


DEPTH_SEPARATOR = ";"
SIZE_SEPARATOR = ","

_RAISE_LANGUAGE = "write 2.5bb (big blinds), 1.0p (pots), 3x (the last bet) or allin"
_SCALED_RAISE = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(bb|p|x)?", re.ASCII)


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
        raise TreeError(where, f"{quote(value)} is not a raise size, {_RAISE_LANGUAGE}")
    text = value.strip().lower()
    if text in ("allin", "all-in", "a"):
        return AllInSize()
    match = _SCALED_RAISE.fullmatch(text)
    if match is None:
        raise TreeError(where, f"{quote(value)} is not a raise size, {_RAISE_LANGUAGE}")
    number, unit = float(match[1]), match[2]
    if unit is None:
        raise TreeError(where, f"{quote(value)} has no unit, {_RAISE_LANGUAGE}")
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
                raise TreeError(where, f"{number} is not a raise size, {_RAISE_LANGUAGE}")


def _format_number(number: float) -> str:
    # Decimal, because a float writes 0.00001 with an exponent and the language has none.
    text = f"{Decimal(repr(float(number))):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
