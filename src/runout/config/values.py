"""Values of config keys that take more than one form: sizes, ranges, variants, targets.

A reader takes a value as YAML has it and returns what the config keeps, or raises the problem with
the path from the key to the part at fault; its writer returns the value as YAML has it. A `Form`
is both with the words for them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from runout.cards.deck import format_cards
from runout.cfr.schedules import VARIANTS, DiscountSchedule
from runout.config.section import (
    Form,
    PartError,
    as_number,
    number,
    read_list,
    read_parts,
    refusal,
    whole,
)
from runout.errors import CardError
from runout.trees.betting import BettingRules, SizeMenu
from runout.trees.sizes import (
    SIZE_SEPARATOR,
    BetSize,
    SizeStyle,
    format_bet_size,
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
        is_in_chips = size.unit == "c" and not of_spot
        if is_in_chips or size.unit == "bb":
            unit = "chips" if is_in_chips else "big blinds"
            here = "the stack is in chips" if of_spot else "the pot is 1 here"
            problem = f"{format_bet_size(size)!r} is in {unit}, but {here}: write '50%'"
            raise PartError("", problem)
        return format_bet_size(size) if isinstance(entry, str) else float(entry)

    def read_sizes_of_all(given: Any) -> tuple[float | str, ...]:
        allowed, least = "a list of bet sizes, write [0.5, 1.0]", "bet size ('a' for all-in only)"
        least = "" if of_spot else least
        return read_list(given, read_size, allowed, separator=SIZE_SEPARATOR, least=least)

    def read_players(given: Any) -> tuple[float | str, ...] | SizesByPlayer:
        if not isinstance(given, Mapping):
            return read_sizes_of_all(given)
        return SizesByPlayer(**read_parts(given, read_sizes_of_all, PLAYER_KEYS, "give oop and ip"))

    if isinstance(value, SizeTable):
        value = plain_sizes(value)
    if not isinstance(value, Mapping) or set(value) & set(PLAYER_KEYS):
        return read_players(value)
    least = 0 if of_spot and set(value) & set(STREET_KEYS) else None
    hint = "give flop, turn and river"
    return SizesByStreet(**read_parts(value, read_players, STREET_KEYS, hint, least))


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
    digest = {}
    for street, menus in list(zip(STREET_KEYS, rules.menus, strict=True))[first_street:]:
        for player, menu in zip(PLAYER_KEYS, menus, strict=True):
            lists = (menu.bets, menu.raises, menu.bets if menu.donks is None else menu.donks)
            digest[f"{street}.{player}"] = dict(zip(names, map(menu_as_set, lists), strict=False))
    return digest


def menu_as_set(sizes: Sequence[BetSize], *style: SizeStyle) -> list[str]:
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
    given = read_parts(value, lambda x: x, EXPONENTS, "give alpha, beta and gamma")
    gamma = read_parts({"gamma": given.pop("gamma")}, _GAMMA.parse)
    return DiscountSchedule(**read_parts(given, _EXPONENT.parse), **gamma)


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


# Cards as a config gives them.


def cards_form(
    noun: str, example: str, parse: Callable[[str], Sequence[int]], allowed: str
) -> Form:
    """Returns the form of cards as text, in the spelling of ours."""

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise refusal(value, f"a {noun} such as {example}")
        try:
            return format_cards(parse(value))
        except CardError as error:
            raise refusal(value, f"a {noun} ({error})") from error

    return Form(allowed, read)
