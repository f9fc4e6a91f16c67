"""Values of config keys that take more than one form: sizes, ranges, variants, targets.

A reader takes a value as YAML has it and returns what the config keeps, or raises the problem with
the path from the key to the part at fault; its writer returns the value as YAML has it.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn, TypeAlias

from runout.cards.deck import format_cards, parse_board, parse_cards
from runout.cards.flops import canonical_flop
from runout.cards.ranges import RANDOM, parse_range
from runout.cfr.schedules import VARIANTS, DiscountSchedule
from runout.config.section import as_number, join_path, problem_at, show_value, suggest
from runout.errors import CardError, ConfigError, RangeError, TreeError, quote, shorten
from runout.trees.sizes import (
    BEFORE_FLOP,
    BetSize,
    BigBlindAmount,
    ChipAmount,
    SizesByDepth,
    format_bet_size,
    format_percent,
    parse_bet_sizes,
    parse_sizes_by_depth,
)

# Bet sizes as a config gives them: one list, or lists by street, by player, or by both.


STREET_KEYS = ("flop", "turn", "river")
PLAYER_KEYS = ("oop", "ip")

#: Raises of a street, or before the flop, that a config can ask for: far more than stacks allow.
MOST_RAISES = 100


class SizeTable(Mapping[str, "SizeChoice"]):
    """Sizes by street or by player, as given; cannot be changed."""

    def __init__(self, choices: "Mapping[str, SizeChoice]") -> None:
        self._choices = dict(choices)

    def __getitem__(self, key: str) -> "SizeChoice":
        return self._choices[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __hash__(self) -> int:
        return hash(frozenset(self._choices.items()))

    def __repr__(self) -> str:
        return repr(self._choices)


SizeChoice: TypeAlias = tuple[float | str, ...] | SizeTable


def read_sizes(
    value: Any, *, for_raises: bool, of_spot: bool = False, suffix: str = ""
) -> SizeChoice:
    """Reads a list of sizes, or a mapping from streets or players to them.

    Args:
        value: as YAML has it; numbers are pot fractions, texts are in the language of
            `runout.trees.sizes`.
        for_raises: whether multiples of the last bet are allowed.
        of_spot: whether they are those of one spot: chips mean something there, nobody has to bet,
            and streets before the board may be left out.
        suffix: path from the key to the value, for errors.

    Raises:
        PydanticCustomError: naming the first part that cannot be read.
    """
    if not isinstance(value, Mapping):
        return _read_list(value, suffix, for_raises=for_raises, of_spot=of_spot)
    keys = STREET_KEYS if not suffix and not set(value) & set(PLAYER_KEYS) else PLAYER_KEYS
    allowed = " and ".join((", ".join(keys[:-1]), keys[-1]))
    for key in value:
        if key not in keys:
            problem = f"unknown key{suggest(key, keys) or f', give {allowed}'}"
            raise problem_at(f"{suffix}.{join_path('', str(key))}", problem)
    given = [key for key in keys if key in value]
    may_leave_out = of_spot and keys == STREET_KEYS and given
    for key in keys:
        if key not in given and not may_leave_out:
            raise problem_at(suffix, f"{key} is missing, give {allowed}")
    children = {}
    for key in given:
        child = value[key]
        if isinstance(child, Mapping) and keys == PLAYER_KEYS:
            problem = f"{show_value(child)} is not a list of bet sizes, write [0.5, 1.0]"
            raise problem_at(f"{suffix}.{key}", problem)
        children[key] = read_sizes(
            child, for_raises=for_raises, of_spot=of_spot, suffix=f"{suffix}.{key}"
        )
    return SizeTable(children)


def _read_list(
    value: Any, suffix: str, *, for_raises: bool, of_spot: bool
) -> tuple[float | str, ...]:
    if isinstance(value, str):
        value = value.split(",") if value.strip() else []
    if not isinstance(value, list | tuple):
        problem = f"{show_value(value)} is not a list of bet sizes, write [0.5, 1.0]"
        raise problem_at(suffix, problem)
    if not value and not of_spot:
        raise problem_at(suffix, "empty, give at least one bet size ('a' for all-in only)")
    for position, entry in enumerate(value):
        if not isinstance(entry, str) and as_number(entry) is None:
            problem = f"{show_value(entry)} is not a positive pot fraction or a text such as '33%'"
            raise problem_at(f"{suffix}[{position}]", problem)
    try:
        sizes = parse_bet_sizes(value, suffix, for_raises=for_raises, allow_empty=of_spot)
    except TreeError as error:
        raise problem_at(error.where, error.problem) from error
    here = "the stack is in chips" if of_spot else "the pot is 1 here"
    for position, size in enumerate(sizes):
        is_in_chips = isinstance(size, ChipAmount) and not of_spot
        if is_in_chips or isinstance(size, BigBlindAmount):
            unit = "chips" if is_in_chips else "big blinds"
            problem = f"{format_bet_size(size)!r} is in {unit}, but {here}: write '50%'"
            raise problem_at(f"{suffix}[{position}]", problem)
    return tuple(
        format_bet_size(size) if isinstance(entry, str) else float(entry)
        for entry, size in zip(value, sizes, strict=True)
    )


def sizes_at(
    choice: SizeChoice, street: str, player: str, *, for_raises: bool
) -> tuple[BetSize, ...]:
    """Returns the sizes of a player (``oop``, ``ip``) on a street (``flop``, ...)."""
    while isinstance(choice, SizeTable):
        choice = choice[street] if street in choice else choice[player]
    return parse_bet_sizes(choice, for_raises=for_raises, allow_empty=True)


def plain_sizes(choice: SizeChoice | None) -> Any:
    """Returns a choice as lists and dictionaries."""
    if isinstance(choice, SizeTable):
        return {key: plain_sizes(child) for key, child in choice.items()}
    return None if choice is None else list(choice)


def all_sizes(choice: SizeChoice | None, path: str = "") -> Iterator[tuple[str, float | str]]:
    """Yields every size with its path from the key."""
    if isinstance(choice, SizeTable):
        for key, child in choice.items():
            yield from all_sizes(child, f"{path}.{key}")
    else:
        for position, size in enumerate(choice or ()):
            yield f"{path}[{position}]", size


# CFR variants as a config gives them: a name, or the three exponents of discounted CFR.


#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0

#: The exponents of a variant that is given as a mapping.
EXPONENTS = ("alpha", "beta", "gamma")

#: What is allowed, as the end of the sentence "X is not ...".
ALLOWED_VARIANTS = f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma"


def read_variant(value: Any) -> str | DiscountSchedule:
    """Reads the name of a CFR variant, or its three exponents."""
    if isinstance(value, DiscountSchedule):
        value = plain_variant(value)
    if not isinstance(value, Mapping):
        if isinstance(value, str) and value in VARIANTS:
            return value
        nearest = suggest(value, VARIANTS)
        raise problem_at("", f"{show_value(value)} is not {ALLOWED_VARIANTS}{nearest}")
    for key in value:
        if key not in EXPONENTS:
            problem = f"unknown key{suggest(key, EXPONENTS) or ', give alpha, beta and gamma'}"
            raise problem_at(f".{join_path('', str(key))}", problem)
    for key in EXPONENTS:
        if key not in value:
            raise problem_at("", f"{key} is missing, give alpha, beta and gamma")
        _check_exponent(key, value[key])
    alpha, beta, gamma = (float(value[key]) for key in EXPONENTS)
    return DiscountSchedule(alpha, beta, gamma)


def read_optional_variant(value: Any) -> str | DiscountSchedule | None:
    """Reads a CFR variant, or nothing: the one that the kind of solve is best at."""
    return None if value is None else read_variant(value)


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


def plain_variant(value: str | DiscountSchedule | None) -> Any:
    """Returns a variant as YAML has it: a name, a mapping, or nothing."""
    if value is None or isinstance(value, str):
        return value
    names = [name for name, schedule in VARIANTS.items() if schedule == value]
    # Exponents say everything unless one of them moves.
    return names[0] if value.num_rising else {name: getattr(value, name) for name in EXPONENTS}


def schedule_of(value: str | DiscountSchedule) -> DiscountSchedule:
    """Returns how a variant weights iterations."""
    return VARIANTS[value] if isinstance(value, str) else value


def digest_variant(value: str | DiscountSchedule) -> dict[str, float | str]:
    """Returns the exponents of a variant as strict JSON, which knows no infinity."""
    schedule = schedule_of(value)
    exponents = {name: getattr(schedule, name) for name in EXPONENTS}
    if schedule.num_rising:
        exponents["num_rising"] = schedule.num_rising
        exponents["first_alpha"] = schedule.first_alpha
    return {name: x if math.isfinite(x) else str(x) for name, x in exponents.items()}


# Readers of the keys of a spot that take more than one form.


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
    return format_percent(fraction)


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


# Readers of the preflop keys that take more than one form.


POSITION_KEYS = ("sb", "bb")

_MAX_STACK_BB = 100_000  # more than any table has, and far from the limits of float32
_FORMS = "write [[2.5bb], [3x], [allin]] or {sb: ..., bb: ...}"


class SizesByPosition(NamedTuple):
    """The raise sizes of both players, by raise depth; the last depth serves all deeper ones."""

    sb: SizesByDepth
    bb: SizesByDepth


def read_stacks(value: Any) -> tuple[float, float]:
    """Reads one stack for both players, or a list of the small and the big blind's."""
    is_list = isinstance(value, list | tuple)
    if is_list and len(value) != 2:
        count = f"{len(value)} stack{'' if len(value) == 1 else 's'}"
        raise problem_at("", f"{count} given, write one number or [sb, bb]")
    stacks = []
    for position, entry in enumerate(value if is_list else [value]):
        stack = as_number(entry)
        if stack is None or stack <= 0.0:
            problem = f"{show_value(entry)} is not a positive number of big blinds"
            raise problem_at(f"[{position}]" if is_list else "", problem)
        if stack > _MAX_STACK_BB:
            problem = f"{show_value(entry)} is more than {_MAX_STACK_BB:,} big blinds"
            raise problem_at(f"[{position}]" if is_list else "", problem)
        stacks.append(stack)
    return stacks[0], stacks[-1]


def plain_stacks(stacks: tuple[float, float]) -> Any:
    """Returns stacks as YAML has them: one number if they are equal."""
    return stacks[0] if stacks[0] == stacks[1] else list(stacks)


def read_position_sizes(value: Any) -> SizesByPosition:
    """Reads raise sizes by depth, for both players or as a mapping of ``sb`` and ``bb``."""
    if isinstance(value, SizesByPosition):
        return value
    if not isinstance(value, Mapping):
        both = _read_depths(value, "")
        return SizesByPosition(both, both)
    for key in value:
        if key not in POSITION_KEYS:
            problem = f"unknown key{suggest(key, POSITION_KEYS) or ', give sb and bb'}"
            raise problem_at(f".{join_path('', str(key))}", problem)
    for key in POSITION_KEYS:
        if key not in value:
            raise problem_at("", f"{key} is missing, give sb and bb")
    return SizesByPosition(*(_read_depths(value[key], f".{key}") for key in POSITION_KEYS))


def _read_depths(value: Any, suffix: str) -> SizesByDepth:
    if not isinstance(value, str | list | tuple):
        raise problem_at(suffix, f"{show_value(value)} is not a list by raise depth, {_FORMS}")
    if not isinstance(value, str):
        for depth, entry in enumerate(value):
            _check_size(entry, f"{suffix}[{depth}]")
    try:
        by_depth = parse_sizes_by_depth(value, suffix)
    except TreeError as error:
        raise problem_at(error.where, error.problem) from error
    for depth, sizes in enumerate(by_depth):
        for position, size in enumerate(sizes):
            if isinstance(size, ChipAmount):
                problem = f"{format_bet_size(size)!r} is in chips, but the game is in big blinds"
                raise problem_at(f"{suffix}[{depth}][{position}]", f"{problem}: write 3bb")
    return by_depth


def _check_size(value: Any, suffix: str, *, is_list_allowed: bool = True) -> None:
    """Refuses what YAML may hold and the language of sizes does not know."""
    if is_list_allowed and isinstance(value, list | tuple):
        for position, entry in enumerate(value):
            _check_size(entry, f"{suffix}[{position}]", is_list_allowed=False)
    elif as_number(value) is not None:
        problem = f"{show_value(value)} has no unit, write {value}bb for big blinds"
        raise problem_at(suffix, problem)
    elif value is None or isinstance(value, bool | float | int | list | tuple | Mapping):
        raise problem_at(suffix, f"{show_value(value)} is not a raise size such as 2.5bb")


def plain_position_sizes(sizes: SizesByPosition) -> Any:
    """Returns raise sizes as YAML has them: one list if both players have the same."""
    if sizes.sb == sizes.bb:
        return _plain_depths(sizes.sb)
    return {"sb": _plain_depths(sizes.sb), "bb": _plain_depths(sizes.bb)}


def digest_position_sizes(sizes: SizesByPosition) -> dict[str, list[list[str]]]:
    """Returns raise sizes such that two choices with the same trees have the same."""
    return {"sb": _digest_depths(sizes.sb), "bb": _digest_depths(sizes.bb)}


def _plain_depths(depths: SizesByDepth) -> list[list[str]]:
    return [[format_bet_size(size, BEFORE_FLOP) for size in depth] for depth in depths]


def _digest_depths(depths: SizesByDepth) -> list[list[str]]:
    # A menu is a set, and the last one serves all deeper raises; without any there are no raises.
    menus = [
        sorted({format_bet_size(size, BEFORE_FLOP) for size in depth}) for depth in depths
    ] or [[]]
    while len(menus) > 1 and menus[-1] == menus[-2]:
        menus.pop()
    return menus


# Readers of the postflop keys that take more than one form.


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
