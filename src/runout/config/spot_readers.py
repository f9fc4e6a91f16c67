"""Readers of the keys of a spot that take more than one form.

Each takes a value as YAML has it and returns what the config keeps, or raises the problem with the
path from the key to the part at fault.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from runout.cards.card import format_cards, parse_board
from runout.config.section import as_number, problem_at, show_value, suggest
from runout.config.size_choice import SizeChoice, read_sizes
from runout.config.yaml_text import join_path
from runout.errors import CardError, RangeError, quote, shorten
from runout.ranges.notation import RANDOM, parse_range

#: Probabilities of a lock may miss a sum of 1 by this much.
SUM_TOLERANCE = 1e-5

_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)
_LOCK_KEYS = ("node", "strategy", "locks_alike")
_LOCK_FORM = "write {node: x, strategy: {x: 40%, b60: 60%}}"


@dataclass(frozen=True)
class NodeLock:
    """A decision whose strategy is given and not learned.

    Attributes:
        node: path of the decision.
        strategy: pairs of a range and what it does, as pairs of an action's code and its
            probability; of ranges that overlap the first wins, and other hands stay free.
        locks_alike: whether cards that differ by suits only are locked alike.
    """

    node: str
    strategy: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    locks_alike: bool = False

    def by_range(self) -> dict[str, dict[str, float]]:
        """Returns the probabilities by range and action."""
        return {hands: dict(probabilities) for hands, probabilities in self.strategy}


def read_board(value: Any) -> str:
    """Reads 3, 4 or 5 distinct cards."""
    if not isinstance(value, str):
        raise problem_at("", f"{show_value(value)} is not a board such as QsJh2h")
    try:
        return format_cards(parse_board(value))
    except CardError as error:
        raise problem_at("", f"{show_value(value)} is not a board ({error})") from error


def read_range(value: Any) -> str:
    """Reads a range; a pair of digits such as 77 is a number in YAML and means the hand."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise problem_at("", f"{show_value(value)} is not a range such as 22+,AKs:0.5")
    try:
        hand_range = parse_range(value)
    except RangeError as error:
        raise problem_at("", str(error)) from error
    if hand_range.is_empty:
        raise problem_at("", "every weight is 0, no hand is left")
    return " ".join(value.split())


def read_spot_bets(value: Any) -> SizeChoice:
    """Reads ``bet_sizes``; see `read_sizes`."""
    return read_sizes(value, for_raises=False, of_spot=True)


def read_spot_raises(value: Any) -> SizeChoice:
    """Reads ``raise_sizes``; see `read_sizes`."""
    return read_sizes(value, for_raises=True, of_spot=True)


def read_spot_donks(value: Any) -> SizeChoice | None:
    """Reads ``donk_sizes``; None for the same as the bets."""
    return None if value is None else read_spot_bets(value)


def read_target(value: Any) -> float | None:
    """Reads a percentage of the pot such as ``0.5%``, or nothing; returns a fraction.

    Options are text, so that numbers without a unit and ``null`` come as text as well.
    """
    if value is None or value == "null":
        return None
    number = as_number(float(value) if _is_plain_number(value) else value)
    if number is not None:
        given = shorten(str(value))
        if number == 0.0:
            raise problem_at("", _never(given))
        raise problem_at("", f"{given} has no unit, write {number:g}% of the pot")
    fraction = _percentage(value)
    if fraction is None:
        raise problem_at("", f"{show_value(value)} is not a percentage of the pot such as 0.5%")
    if fraction == 0.0:
        raise problem_at("", _never(shorten(value.strip())))
    if not 0.0 < fraction <= 1.0:
        raise problem_at("", f"{shorten(value.strip())} is not above 0% and up to 100%")
    return fraction


def plain_target(fraction: float | None) -> str | None:
    """Returns a target as YAML has it."""
    if fraction is None:
        return None
    text = f"{Decimal(repr(fraction)) * 100:f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def _never(text: str) -> str:
    return f"{text} is never reached, give a percentage such as 0.1%, or null for none"


def _is_plain_number(value: Any) -> bool:
    return isinstance(value, str) and _percentage(f"{value}%") is not None


def _percentage(value: Any) -> float | None:
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def read_locks(value: Any) -> tuple[NodeLock, ...]:
    """Reads a list of decisions with their strategies."""
    if not isinstance(value, list | tuple):
        raise problem_at("", f"{show_value(value)} is not a list of locks, {_LOCK_FORM}")
    locks = [
        entry if isinstance(entry, NodeLock) else _read_lock(entry, f"[{position}]")
        for position, entry in enumerate(value)
    ]
    return tuple(locks)


def _read_lock(value: Any, suffix: str) -> NodeLock:
    if not isinstance(value, Mapping):
        raise problem_at(suffix, f"{show_value(value)} is not a lock, {_LOCK_FORM}")
    for key in value:
        if key not in _LOCK_KEYS:
            problem = f"unknown key{suggest(key, _LOCK_KEYS) or f', {_LOCK_FORM}'}"
            raise problem_at(f"{suffix}.{join_path('', str(key))}", problem)
    for key in _LOCK_KEYS[:2]:
        if key not in value:
            raise problem_at(suffix, f"{key} is missing, {_LOCK_FORM}")
    node, locks_alike = value["node"], value.get("locks_alike", False)
    if not isinstance(node, str):
        raise problem_at(f"{suffix}.node", f"{show_value(node)} is not a path such as x:b60")
    if not isinstance(locks_alike, bool):
        problem = f"{show_value(locks_alike)} is not true or false"
        raise problem_at(f"{suffix}.locks_alike", problem)
    strategy = _read_strategy(value["strategy"], f"{suffix}.strategy")
    return NodeLock(node.strip(), strategy, locks_alike)


def _read_strategy(
    value: Any, suffix: str
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Reads probabilities by action, for all hands, or by range and action."""
    if not isinstance(value, Mapping) or not value:
        problem = f"{show_value(value)} is not a mapping of actions, write {{x: 40%, b60: 60%}}"
        raise problem_at(suffix, problem)
    if not any(isinstance(entry, Mapping) for entry in value.values()):
        return ((RANDOM, _read_probabilities(value, suffix)),)
    by_range = []
    for key, entry in value.items():
        path = f"{suffix}.{join_path('', str(key))}"
        try:
            parse_range(str(key))
        except RangeError as error:
            raise problem_at(path, f"{quote(str(key))} is not a range ({error})") from error
        if not isinstance(entry, Mapping):
            problem = f"{show_value(entry)} is not a mapping of actions, write {{x: 40%, b60: 60%}}"
            raise problem_at(path, problem)
        by_range.append((str(key), _read_probabilities(entry, path)))
    return tuple(by_range)


def _read_probabilities(value: Mapping[Any, Any], suffix: str) -> tuple[tuple[str, float], ...]:
    probabilities = []
    for code, entry in value.items():
        number = _percentage(entry) if isinstance(entry, str) else as_number(entry)
        if number is None or not 0.0 <= number <= 1.0:
            problem = f"{show_value(entry)} is not a probability such as 0.4 or 40%"
            raise problem_at(f"{suffix}.{join_path('', str(code))}", problem)
        probabilities.append((str(code).strip(), number))
    total = sum(number for _, number in probabilities)
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise problem_at(suffix, f"the probabilities sum to {total:g}, not to 1")
    return tuple(probabilities)


def plain_locks(locks: tuple[NodeLock, ...]) -> list[dict[str, Any]]:
    """Returns locks as YAML has them."""
    plain = []
    for lock in locks:
        strategy: dict[str, Any] = lock.by_range()
        entry = {"node": lock.node, "strategy": strategy.get(RANDOM, strategy)}
        if len(strategy) > 1:
            entry["strategy"] = strategy
        plain.append(entry | ({"locks_alike": True} if lock.locks_alike else {}))
    return plain
