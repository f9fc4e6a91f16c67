"""Values of config keys that take more than one form: sizes, ranges, variants, targets.

A reader takes a value as YAML has it and returns what the config keeps, or raises the problem with
the path from the key to the part at fault; its writer returns the value as YAML has it. A `Form`
is both with the words for them.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

from runout.cards.deck import format_cards, parse_board, parse_cards
from runout.cards.flops import canonical_flop
from runout.cards.ranges import RANDOM, parse_range
from runout.cfr.schedules import VARIANTS, DiscountSchedule
from runout.config.section import (
    Form,
    as_number,
    check_keys,
    inside,
    join_path,
    number,
    read_entries,
    read_parts,
    refusal,
    show_value,
    whole,
)
from runout.errors import CardError, ConfigError, RangeError, quote, shorten
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import (
    BEFORE_FLOP,
    DEPTH_SEPARATOR,
    SIZE_SEPARATOR,
    BetSize,
    BigBlindAmount,
    ChipAmount,
    SizesByDepth,
    SizeStyle,
    format_bet_size,
    format_percent,
    parse_bet_size,
    parse_bet_sizes,
)

#: Raises of a street, or before the flop, that a config can ask for: far more than stacks allow.
MOST_RAISES = 100

RAISES = whole(0, MOST_RAISES)
POSITIVE = number("a positive number", lambda x: x > 0.0)
NOT_NEGATIVE = number("0 or a positive number", lambda x: x >= 0.0)
SHARE = number("a number above 0 and up to 1", lambda x: 0.0 < x <= 1.0)
UP_TO_ONE = number("a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)

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
        is_in_chips = isinstance(size, ChipAmount) and not of_spot
        if is_in_chips or isinstance(size, BigBlindAmount):
            unit = "chips" if is_in_chips else "big blinds"
            here = "the stack is in chips" if of_spot else "the pot is 1 here"
            problem = f"{format_bet_size(size)!r} is in {unit}, but {here}: write '50%'"
            raise ConfigError("", problem)
        return format_bet_size(size) if isinstance(entry, str) else float(entry)

    def read_list(given: Any) -> tuple[float | str, ...]:
        if isinstance(given, str):
            given = _split(given, SIZE_SEPARATOR)
        if not isinstance(given, list | tuple):
            raise refusal(given, "a list of bet sizes, write [0.5, 1.0]")
        if not given and not of_spot:
            raise ConfigError("", "empty, give at least one bet size ('a' for all-in only)")
        return tuple(read_entries(given, read_size))

    def read_players(given: Any) -> tuple[float | str, ...] | SizesByPlayer:
        if not isinstance(given, Mapping):
            return read_list(given)
        check_keys(given, PLAYER_KEYS, "give oop and ip")
        return SizesByPlayer(**read_parts(given, PLAYER_KEYS, read_list))

    if isinstance(value, SizeTable):
        value = plain_sizes(value)
    if not isinstance(value, Mapping) or set(value) & set(PLAYER_KEYS):
        return read_players(value)
    may_leave_out = of_spot and set(value) & set(STREET_KEYS)
    check_keys(value, STREET_KEYS, "give flop, turn and river", 0 if may_leave_out else None)
    return SizesByStreet(**read_parts(value, STREET_KEYS, read_players))


def _split(text: str, separator: str) -> list[str]:
    return text.split(separator) if text.strip() else []


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
    """Returns the sizes of every street and player.

    Args:
        rules: the betting.
        names: what bets, raises, and donk bets if there is a third name, are called.
        first_street: where the betting begins.
    """
    return {
        f"{street}.{player}": dict(
            zip(
                names,
                (
                    _as_set(menu.bets),
                    _as_set(menu.raises),
                    _as_set(menu.bets if menu.donks is None else menu.donks),
                ),
                strict=False,
            )
        )
        for street, menus in zip(
            STREET_KEYS[first_street:], rules.menus[first_street:], strict=True
        )
        for player, menu in zip(PLAYER_KEYS, menus, strict=True)
    }


def _as_set(sizes: Sequence[BetSize], *style: SizeStyle) -> list[str]:
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
    check_keys(value, EXPONENTS, "give alpha, beta and gamma")
    exponents = read_parts(value, ("alpha", "beta"), _EXPONENT.parse)
    return DiscountSchedule(**exponents, **read_parts(value, ("gamma",), _GAMMA.parse))


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


# The keys of a spot that take more than one form.


#: Probabilities of a lock may miss a sum of 1 by this much.
SUM_TOLERANCE = 1e-5

_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)
_LOCK_FORM = "write {node: x, strategy: {x: 40%, b60: 60%}}"
_ACTIONS = "a mapping of actions, write {x: 40%, b60: 60%}"


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

    def plain(self) -> dict[str, Any]:
        """Returns the lock as YAML has it."""
        strategy: Mapping[str, Any] = self.by_range()
        if list(strategy) == [RANDOM]:
            strategy = strategy[RANDOM]
        alike = {"locks_alike": True} if self.locks_alike else {}
        return {"node": self.node, "strategy": strategy, **alike}


def _read_board(value: Any) -> str:
    if not isinstance(value, str):
        raise refusal(value, "a board such as QsJh2h")
    try:
        return format_cards(parse_board(value))
    except CardError as error:
        raise refusal(value, f"a board ({error})") from error


def _read_range(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a pair of digits such as 77 is a number in YAML and means the hand
    if not isinstance(value, str):
        return None
    try:
        hand_range = parse_range(value)
    except RangeError as error:
        raise ConfigError("", str(error)) from error
    if hand_range.is_empty:
        raise ConfigError("", "every weight is 0, no hand is left")
    return " ".join(value.split())


def _read_target(value: Any) -> float:
    """Reads a percentage of the pot such as ``0.5%``; returns a fraction."""
    # Options are text, so that numbers without a unit come as text as well.
    has_no_unit = isinstance(value, str) and _percentage(f"{value}%") is not None
    plain = as_number(float(value) if has_no_unit else value)
    share = _percentage(value) if plain is None else plain
    given = shorten(str(value).strip())
    if share == 0.0:
        never = "is never reached, give a percentage such as 0.1%, or null for none"
        raise ConfigError("", f"{given} {never}")
    if plain is not None:
        raise ConfigError("", f"{given} has no unit, write {plain:g}% of the pot")
    if share is None:
        raise refusal(value, "a percentage of the pot such as 0.5%")
    if not 0.0 < share <= 1.0:
        raise ConfigError("", f"{given} is not above 0% and up to 100%")
    return share


def _percentage(value: Any) -> float | None:
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def _read_locks(value: Any) -> tuple[NodeLock, ...]:
    if not isinstance(value, list | tuple):
        raise refusal(value, f"a list of locks, {_LOCK_FORM}")
    return tuple(read_entries(value, _read_lock))


def _read_lock(value: Any) -> NodeLock:
    if isinstance(value, NodeLock):
        return value
    if not isinstance(value, Mapping):
        raise refusal(value, f"a lock, {_LOCK_FORM}")
    check_keys(value, ("node", "strategy", "locks_alike"), _LOCK_FORM, 2)
    node, locks_alike = value["node"], value.get("locks_alike", False)
    with inside(".node"):
        if not isinstance(node, str):
            raise refusal(node, "a path such as x:b60")
    with inside(".locks_alike"):
        if not isinstance(locks_alike, bool):
            raise refusal(locks_alike, "true or false")
    with inside(".strategy"):
        return NodeLock(node.strip(), _read_strategy(value["strategy"]), locks_alike)


def _read_strategy(value: Any) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Reads probabilities by action, for all hands, or by range and action."""
    if not value:
        raise refusal(value, _ACTIONS)
    if not isinstance(value, Mapping) or not any(isinstance(v, Mapping) for v in value.values()):
        return ((RANDOM, _read_probabilities(value)),)
    for key in value:
        try:
            parse_range(str(key))
        except RangeError as error:
            path = f".{join_path('', str(key))}"
            raise ConfigError(path, f"{quote(str(key))} is not a range ({error})") from error
    by_range = read_parts(value, list(value), _read_probabilities)
    return tuple((str(key), probabilities) for key, probabilities in by_range.items())


def _read_probabilities(value: Any) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, Mapping):
        raise refusal(value, _ACTIONS)
    probabilities = read_parts(value, list(value), _PROBABILITY.parse)
    total = sum(probabilities.values())
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise ConfigError("", f"the probabilities sum to {total:g}, not to 1")
    return tuple((str(code).strip(), share) for code, share in probabilities.items())


def _read_probability(value: Any) -> float | None:
    share = _percentage(value) if isinstance(value, str) else as_number(value)
    return share if share is not None and 0.0 <= share <= 1.0 else None


_PROBABILITY = Form("a probability such as 0.4 or 40%", _read_probability)
BOARD = Form("3 to 5 cards such as QsJh2h", _read_board)
RANGE = Form("a range such as 22+,AKs:0.5", _read_range)
TARGET = Form("a percentage above 0% and up to 100%", _read_target, format_percent).or_null()
LOCKS = Form(
    "a list of mappings with node and strategy",
    _read_locks,
    lambda locks: [lock.plain() for lock in locks],
)


# The keys of the preflop game that take more than one form.


POSITION_KEYS = ("sb", "bb")

_MAX_STACK_BB = 100_000  # more than any table has, and far from the limits of float32
_DEPTHS = "write [[2.5bb], [3x], [allin]] or {sb: ..., bb: ...}"


class SizesByPosition(NamedTuple):
    """The raise sizes of both players, by raise depth; the last depth serves all deeper ones."""

    sb: SizesByDepth
    bb: SizesByDepth

    @classmethod
    def parse(cls, value: Any) -> "SizesByPosition":
        """Reads sizes by depth, for both players or as a mapping of ``sb`` and ``bb``."""
        if isinstance(value, SizesByPosition):
            return value
        if not isinstance(value, Mapping):
            both = _read_depths(value)
            return cls(both, both)
        check_keys(value, POSITION_KEYS, "give sb and bb")
        return cls(**read_parts(value, POSITION_KEYS, _read_depths))

    def plain(self) -> Any:
        """Returns the sizes as YAML has them: one list if both players have the same."""
        sb, bb = (
            [[format_bet_size(size, BEFORE_FLOP) for size in depth] for depth in depths]
            for depths in self
        )
        return sb if sb == bb else {"sb": sb, "bb": bb}

    def digest(self) -> dict[str, list[list[str]]]:
        """Returns the sizes such that two choices with the same trees have the same."""
        digests = []
        for depths in self:
            # The last menu serves all deeper raises; without any there are no raises.
            menus = [_as_set(depth, BEFORE_FLOP) for depth in depths] or [[]]
            while len(menus) > 1 and menus[-1] == menus[-2]:
                menus.pop()
            digests.append(menus)
        return dict(zip(POSITION_KEYS, digests, strict=True))


def _read_depths(value: Any) -> SizesByDepth:
    if isinstance(value, str):
        value = _split(value, DEPTH_SEPARATOR)
    if not isinstance(value, list | tuple):
        raise refusal(value, f"a list by raise depth, {_DEPTHS}")
    return tuple(read_entries(value, _read_depth))


def _read_depth(value: Any) -> tuple[BetSize, ...]:
    sizes = _split(value, SIZE_SEPARATOR) if isinstance(value, str) else value
    return tuple(read_entries(sizes, _read_raise_size))


def _read_raise_size(value: Any) -> BetSize:
    if as_number(value) is not None:
        raise ConfigError("", f"{show_value(value)} has no unit, write {value}bb for big blinds")
    if not isinstance(value, str | BetSize):
        raise refusal(value, "a raise size such as 2.5bb")
    size = parse_bet_size(value, "", for_raises=True, style=BEFORE_FLOP)
    if isinstance(size, ChipAmount):
        problem = f"{format_bet_size(size)!r} is in chips, but the game is in big blinds"
        raise ConfigError("", f"{problem}: write 3bb")
    return size


def _read_stack(value: Any) -> float | None:
    stack = as_number(value)
    if stack is not None and stack > _MAX_STACK_BB:
        raise ConfigError("", f"{show_value(value)} is more than {_MAX_STACK_BB:,} big blinds")
    return stack if stack is not None and stack > 0.0 else None


def _read_stacks(value: Any) -> tuple[float, float]:
    if isinstance(value, list | tuple) and len(value) != 2:
        count = f"{len(value)} stack{'' if len(value) == 1 else 's'}"
        raise ConfigError("", f"{count} given, write one number or [sb, bb]")
    stacks = read_entries(value, Form("a positive number of big blinds", _read_stack).parse)
    return stacks[0], stacks[-1]


STACKS = Form(
    "a positive number or a list of two",
    _read_stacks,
    lambda stacks: stacks[0] if stacks[0] == stacks[1] else list(stacks),
)
RAISES_BY_DEPTH = Form(
    "a list by raise depth of lists of sizes such as 2.5bb, 1.0p, 3x and allin",
    SizesByPosition.parse,
    SizesByPosition.plain,
)


# The keys of flops and runs that take more than one form.


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


def _read_spr(value: Any) -> float | None:
    if value == AUTO:
        raise ConfigError("", f"{AUTO!r} stands alone, write postflop_sprs: {AUTO}")
    ratio = as_number(value)
    return ratio if ratio is not None and ratio > 0.0 else None


def _read_sprs(value: Any) -> tuple[float, ...]:
    if isinstance(value, AutoSprs) or value == AUTO:
        return AutoSprs()
    ratios = read_entries(value, Form("a positive stack-to-pot ratio", _read_spr).parse)
    if not ratios:
        raise ConfigError("", "empty, give at least one stack-to-pot ratio such as [3.5]")
    for position, ratio in enumerate(ratios):
        if ratio in ratios[:position]:
            problem = "comes twice, each stack-to-pot ratio may come once"
            raise ConfigError(f"[{position}]", f"{show_value(value[position])} {problem}")
    return tuple(ratios)


def _read_flop(value: Any) -> str:
    if not isinstance(value, str):
        raise refusal(value, "a flop such as AhKd7s")
    try:
        canonical_flop(cards := parse_cards(value))
    except CardError as error:
        raise refusal(value, f"a flop ({error})") from error
    return format_cards(cards)


def _read_flops(value: Any) -> tuple[str, ...]:
    """Reads a list of flops, no two alike up to suits, in their order."""
    if not isinstance(value, list | tuple):
        raise refusal(value, "a list of flops, write [AhKd7s]")
    if not value:
        raise ConfigError("", "empty, give at least one flop such as AhKd7s")
    first_by_flop: dict[tuple[int, ...], str] = {}
    for position, flop in enumerate(read_entries(value, _read_flop)):
        first = first_by_flop.setdefault(canonical_flop(parse_cards(flop)), flop)
        if len(first_by_flop) <= position:
            problem = f"{quote(value[position])} is {first!r} up to suits, each flop may come once"
            raise ConfigError(f"[{position}]", problem)
    return tuple(first_by_flop.values())


def _read_path(value: Any) -> Path | None:
    is_path = isinstance(value, Path) or (isinstance(value, str) and value.strip())
    return Path(value) if is_path else None


SPRS = Form(
    "a positive number, a list of different ones, or auto",
    _read_sprs,
    lambda sprs: AUTO if isinstance(sprs, AutoSprs) else list(sprs),
)
FLOPS = Form(
    "a list of flops such as AhKd7s, no two alike up to suits", _read_flops, list
).or_null()
PATH = Form("a path such as runs/spr", _read_path, str, takes_null=True)
