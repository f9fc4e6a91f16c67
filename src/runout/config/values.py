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
    join_path,
    number,
    problem_at,
    show_value,
    whole,
)
from runout.errors import CardError, ConfigError, RangeError, TreeError, quote, shorten
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import (
    BEFORE_FLOP,
    BetSize,
    BigBlindAmount,
    ChipAmount,
    SizesByDepth,
    SizeStyle,
    format_bet_size,
    format_percent,
    parse_bet_sizes,
    parse_sizes_by_depth,
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
    if isinstance(value, SizeTable):
        value = plain_sizes(value)
    if not isinstance(value, Mapping):
        return _read_list(value, suffix, for_raises=for_raises, of_spot=of_spot)
    if suffix or set(value) & set(PLAYER_KEYS):
        check_keys(value, PLAYER_KEYS, "give oop and ip", suffix)
        lists = [
            _read_list(value[key], f"{suffix}.{key}", for_raises=for_raises, of_spot=of_spot)
            for key in PLAYER_KEYS
        ]
        return SizesByPlayer(*lists)
    may_leave_out = of_spot and set(value) & set(STREET_KEYS)
    check_keys(value, STREET_KEYS, "give flop, turn and river", least=0 if may_leave_out else 3)
    children: dict[str, Any] = {
        key: read_sizes(value[key], for_raises=for_raises, of_spot=of_spot, suffix=f".{key}")
        for key in STREET_KEYS
        if key in value
    }
    return SizesByStreet(**children)


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


def _read_variant(value: Any) -> str | DiscountSchedule | None:
    if isinstance(value, DiscountSchedule):
        value = _plain_variant(value)
    if not isinstance(value, Mapping):
        return value if isinstance(value, str) and value in VARIANTS else None
    check_keys(value, EXPONENTS, "give alpha, beta and gamma")
    for key in EXPONENTS:
        least, allowed = -MAX_EXPONENT, f"from -{MAX_EXPONENT:g} to {MAX_EXPONENT:g}, .inf or -.inf"
        if key == "gamma":
            least, allowed = 0.0, f"from 0 to {MAX_EXPONENT:g}"
        elif isinstance(value[key], float) and math.isinf(value[key]):
            continue
        exponent = as_number(value[key])
        if exponent is None or not least <= exponent <= MAX_EXPONENT:
            raise problem_at(f".{key}", f"{show_value(value[key])} is not a number {allowed}")
    alpha, beta, gamma = (float(value[key]) for key in EXPONENTS)
    return DiscountSchedule(alpha, beta, gamma)


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
        raise problem_at("", f"{show_value(value)} is not a board such as QsJh2h")
    try:
        return format_cards(parse_board(value))
    except CardError as error:
        raise problem_at("", f"{show_value(value)} is not a board ({error})") from error


def _read_range(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # a pair of digits such as 77 is a number in YAML and means the hand
    if not isinstance(value, str):
        return None
    try:
        hand_range = parse_range(value)
    except RangeError as error:
        raise problem_at("", str(error)) from error
    if hand_range.is_empty:
        raise problem_at("", "every weight is 0, no hand is left")
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
        raise problem_at("", f"{given} {never}")
    if plain is not None:
        raise problem_at("", f"{given} has no unit, write {plain:g}% of the pot")
    if share is None:
        raise problem_at("", f"{show_value(value)} is not a percentage of the pot such as 0.5%")
    if not 0.0 < share <= 1.0:
        raise problem_at("", f"{given} is not above 0% and up to 100%")
    return share


def _percentage(value: Any) -> float | None:
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def _read_locks(value: Any) -> tuple[NodeLock, ...]:
    if not isinstance(value, list | tuple):
        raise problem_at("", f"{show_value(value)} is not a list of locks, {_LOCK_FORM}")
    return tuple(
        entry if isinstance(entry, NodeLock) else _read_lock(entry, f"[{position}]")
        for position, entry in enumerate(value)
    )


def _read_lock(value: Any, suffix: str) -> NodeLock:
    if not isinstance(value, Mapping):
        raise problem_at(suffix, f"{show_value(value)} is not a lock, {_LOCK_FORM}")
    check_keys(value, ("node", "strategy", "locks_alike"), _LOCK_FORM, suffix, least=2)
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
    if not isinstance(value, Mapping) or not any(isinstance(v, Mapping) for v in value.values()):
        return ((RANDOM, _read_probabilities(value, suffix)),)
    by_range = []
    for key, entry in value.items():
        path = f"{suffix}.{join_path('', str(key))}"
        try:
            parse_range(str(key))
        except RangeError as error:
            raise problem_at(path, f"{quote(str(key))} is not a range ({error})") from error
        by_range.append((str(key), _read_probabilities(entry, path)))
    return tuple(by_range)


def _read_probabilities(value: Any, suffix: str) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, Mapping) or (not value and suffix.endswith(".strategy")):
        problem = f"{show_value(value)} is not a mapping of actions, write {{x: 40%, b60: 60%}}"
        raise problem_at(suffix, problem)
    probabilities = []
    for code, entry in value.items():
        share = _percentage(entry) if isinstance(entry, str) else as_number(entry)
        if share is None or not 0.0 <= share <= 1.0:
            problem = f"{show_value(entry)} is not a probability such as 0.4 or 40%"
            raise problem_at(f"{suffix}.{join_path('', str(code))}", problem)
        probabilities.append((str(code).strip(), share))
    total = sum(share for _, share in probabilities)
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise problem_at(suffix, f"the probabilities sum to {total:g}, not to 1")
    return tuple(probabilities)


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
            both = _read_depths(value, "")
            return cls(both, both)
        check_keys(value, POSITION_KEYS, "give sb and bb")
        return cls(*(_read_depths(value[key], f".{key}") for key in POSITION_KEYS))

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


def _read_depths(value: Any, suffix: str) -> SizesByDepth:
    if not isinstance(value, str | list | tuple):
        raise problem_at(suffix, f"{show_value(value)} is not a list by raise depth, {_DEPTHS}")
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


def _read_stacks(value: Any) -> tuple[float, float]:
    is_list = isinstance(value, list | tuple)
    if is_list and len(value) != 2:
        count = f"{len(value)} stack{'' if len(value) == 1 else 's'}"
        raise problem_at("", f"{count} given, write one number or [sb, bb]")
    stacks = []
    for position, entry in enumerate(value if is_list else [value]):
        stack, suffix = as_number(entry), f"[{position}]" if is_list else ""
        if stack is None or stack <= 0.0:
            problem = f"{show_value(entry)} is not a positive number of big blinds"
            raise problem_at(suffix, problem)
        if stack > _MAX_STACK_BB:
            problem = f"{show_value(entry)} is more than {_MAX_STACK_BB:,} big blinds"
            raise problem_at(suffix, problem)
        stacks.append(stack)
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


def _read_sprs(value: Any) -> tuple[float, ...]:
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


def _read_flops(value: Any) -> tuple[str, ...]:
    """Reads a list of flops, no two alike up to suits, in their order."""
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
