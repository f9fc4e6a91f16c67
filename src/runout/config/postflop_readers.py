"""Readers of the postflop keys that take more than one form.

Each takes a value as YAML has it and returns what the config keeps, or raises the problem with the
path from the key to the part at fault.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from runout.cards.card import format_cards, parse_cards
from runout.cards.flops import canonical_flop
from runout.config.section import as_number, problem_at, show_value
from runout.config.size_choice import SizeChoice, read_sizes
from runout.errors import CardError, ConfigError, quote

#: What a config writes for the ratios of the preflop tree's own flops.
AUTO = "auto"


class AutoSprs(tuple[float, ...]):
    """Stack-to-pot ratios that wait for a preflop tree.

    Whoever looks for a ratio in it gets an error. An empty tuple would let the flops be passed
    over in silence.
    """

    __slots__ = ()

    def _refuse(self, *_: object) -> NoReturn:
        raise ConfigError("postflop_sprs", "auto has no ratios yet, with_sprs sets them")

    __iter__ = __getitem__ = __len__ = _refuse

    def __repr__(self) -> str:
        return "AutoSprs()"


def read_bet_sizes(value: Any) -> SizeChoice:
    """Reads ``bet_sizes``; see `read_sizes`."""
    return read_sizes(value, for_raises=False)


def read_raise_sizes(value: Any) -> SizeChoice | None:
    """Reads ``raise_sizes``; None for the same as the bets."""
    return None if value is None else read_sizes(value, for_raises=True)


def read_sprs(value: Any) -> tuple[float, ...]:
    """Reads ``auto``, a stack-to-pot ratio, or a list of different ones, in their order."""
    if isinstance(value, AutoSprs) or value == AUTO:
        return AutoSprs()
    is_list = isinstance(value, list | tuple)
    ratios: list[float] = []
    for position, entry in enumerate(value if is_list else [value]):
        suffix = f"[{position}]" if is_list else ""
        if entry == AUTO:
            raise problem_at(suffix, f"{AUTO!r} stands alone, write postflop_sprs: {AUTO}")
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


def plain_sprs(value: Sequence[float]) -> list[float] | str:
    """Returns ratios as YAML has them."""
    return AUTO if isinstance(value, AutoSprs) else list(value)


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
            first = text_by_flop[flop]
            problem = f"{quote(entry)} is {first!r} up to suits, each flop may come once"
            raise problem_at(suffix, problem)
        text_by_flop[flop] = format_cards(cards)
    return tuple(text_by_flop.values())
