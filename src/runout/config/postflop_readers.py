"""Readers of the postflop keys that take more than one form.

Each takes a value as YAML has it and returns what the config keeps, or raises the problem with the
path from the key to the part at fault.
"""

import math
from collections.abc import Mapping
from typing import Any

from runout.cards.card import format_cards, parse_cards
from runout.cards.flops import canonical_flop
from runout.cfr.discounting import VARIANTS, DiscountSchedule
from runout.config.section import as_number, problem_at, show_value, suggest
from runout.config.size_choice import SizeChoice, read_sizes
from runout.config.yaml_text import join_path
from runout.errors import CardError

#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0

#: The exponents of a variant that is given as a mapping.
EXPONENTS = ("alpha", "beta", "gamma")


def read_bet_sizes(value: Any) -> SizeChoice:
    """Reads ``bet_sizes``; see `read_sizes`."""
    return read_sizes(value, for_raises=False)


def read_raise_sizes(value: Any) -> SizeChoice | None:
    """Reads ``raise_sizes``; None for the same as the bets."""
    return None if value is None else read_sizes(value, for_raises=True)


def read_sprs(value: Any) -> tuple[float, ...]:
    """Reads a stack-to-pot ratio or a list of different ones, in their order."""
    is_list = isinstance(value, list | tuple)
    ratios: list[float] = []
    for position, entry in enumerate(value if is_list else [value]):
        suffix = f"[{position}]" if is_list else ""
        if entry == "auto":
            problem = "'auto' is not available yet, it needs the preflop tree: write [3.5]"
            raise problem_at(suffix, problem)
        ratio = as_number(entry)
        if ratio is None or ratio <= 0.0:
            raise problem_at(suffix, f"{show_value(entry)} is not a positive stack-to-pot ratio")
        if ratio in ratios:
            problem = f"{show_value(entry)} comes twice, each stack-to-pot ratio may come once"
            raise problem_at(suffix, problem)
        ratios.append(ratio)
    if not ratios:
        raise problem_at("", "empty, give at least one stack-to-pot ratio such as [3.5]")
    return tuple(ratios)


def read_flops(value: Any) -> tuple[str, ...] | None:
    """Reads a list of flops, no two alike up to suits, in their order."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise problem_at("", f"{show_value(value)} is not a list of flops, write [AhKd7s]")
    if not value:
        raise problem_at("", "empty, give at least one flop such as AhKd7s")
    text_by_flop: dict[tuple[int, int, int], str] = {}
    for position, entry in enumerate(value):
        suffix = f"[{position}]"
        if not isinstance(entry, str):
            raise problem_at(suffix, f"{show_value(entry)} is not a flop such as AhKd7s")
        try:
            cards = parse_cards(entry)
            flop = canonical_flop(cards)
        except CardError as error:
            raise problem_at(suffix, f"{show_value(entry)} is not a flop ({error})") from error
        if flop in text_by_flop:
            problem = f"{entry!r} is {text_by_flop[flop]!r} up to suits, each flop may come once"
            raise problem_at(suffix, problem)
        text_by_flop[flop] = format_cards(cards)
    return tuple(text_by_flop.values())


def read_variant(value: Any) -> str | DiscountSchedule:
    """Reads the name of a CFR variant, or its three exponents."""
    if isinstance(value, DiscountSchedule):
        value = plain_variant(value)
    if not isinstance(value, Mapping):
        if isinstance(value, str) and value in VARIANTS:
            return value
        allowed = f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma"
        raise problem_at("", f"{show_value(value)} is not {allowed}{suggest(value, VARIANTS)}")
    for key in value:
        if key not in EXPONENTS:
            problem = f"unknown key{suggest(key, EXPONENTS) or ', give alpha, beta and gamma'}"
            raise problem_at(f".{join_path('', str(key))}", problem)
    for key in EXPONENTS:
        if key not in value:
            raise problem_at("", f"{key} is missing, give alpha, beta and gamma")
        _check_exponent(key, value[key])
    return DiscountSchedule(*(float(value[key]) for key in EXPONENTS))


def _check_exponent(name: str, value: Any) -> None:
    number = as_number(value)
    if name == "gamma":
        if number is None or not 0.0 <= number <= MAX_EXPONENT:
            allowed = f"a number from 0 to {MAX_EXPONENT:g}"
            raise problem_at(f".{name}", f"{show_value(value)} is not {allowed}")
    elif number is None or abs(number) > MAX_EXPONENT:
        if not (isinstance(value, float) and math.isinf(value)):
            allowed = f"a number from -{MAX_EXPONENT:g} to {MAX_EXPONENT:g}, .inf or -.inf"
            raise problem_at(f".{name}", f"{show_value(value)} is not {allowed}")


def plain_variant(value: str | DiscountSchedule) -> Any:
    """Returns a variant as YAML has it: a name or a mapping."""
    if isinstance(value, str):
        return value
    return {name: getattr(value, name) for name in EXPONENTS}
