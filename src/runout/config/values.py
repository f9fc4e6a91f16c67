"""Values that several sections have: numbers, percentages, bet sizes and CFR variants."""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge, Gt, Le, MultipleOf
from pydantic import AfterValidator, AllowInfNan

from runout.cfr.schedules import VARIANTS, Schedule
from runout.config.section import END, ConfigSection, Read, problem
from runout.config.yaml_text import parse_yaml, show_value
from runout.errors import ConfigError, shorten, suggest
from runout.trees.betting import BettingRules
from runout.trees.sizes import (
    AFTER_FLOP,
    PLAYER_KEYS,
    RAISES_BEFORE_FLOP,
    STREET_KEYS,
    BetSize,
    SizeRules,
    Sizes,
    SizeStyle,
    format_bet_size,
    format_percent,
)

Count: TypeAlias = Annotated[int, Ge(1)]
CountFrom0: TypeAlias = Annotated[int, Ge(0)]
#: Raises of a street, or before the flop: far more than stacks allow.
Raises: TypeAlias = Annotated[int, Ge(0), Le(100)]
Positive: TypeAlias = Annotated[float, Gt(0)]
NotNegative: TypeAlias = Annotated[float, Ge(0)]
Share: TypeAlias = Annotated[float, Gt(0), Le(1)]
UpToOne: TypeAlias = Annotated[float, Ge(0), Le(1)]
Seconds: TypeAlias = Annotated[Positive | None, END]
StrategyDelta: TypeAlias = Annotated[Share | None, END]

# Keys about tables of games with real cards.
Precision: TypeAlias = Literal[32, 16]
RiverBuckets: TypeAlias = Annotated[int, Ge(16), Le(240), MultipleOf(16)]
TurnBuckets: TypeAlias = Annotated[int, Ge(1), Le(1_128)]  # the combos that a turn leaves
RiverBlockers: TypeAlias = Literal["auto", "on", "off"]


GivenPath: TypeAlias = Annotated[
    Path, Read("a path such as runs/spr", lambda text: Path(text) if str(text).strip() else "", str)
]


def as_list(value: Any) -> Any:
    """Returns a list as it is, and anything else as the only entry of one."""
    return value if isinstance(value, list | tuple) else [value]


def different(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns entries of which none comes twice; one that does is an error with its index."""
    for position, entry in enumerate(entries):
        if entry in entries[:position]:
            raise problem(f"{show_value(entry)} is repeated", position)
    return entries


_PERCENT = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*%", re.ASCII)


def read_percentage(value: Any) -> float | None:
    """Returns the fraction that a text such as ``0.5%`` says, None if it is another."""
    match = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else float(Decimal(match[1]) / 100)


def parse_target(value: Any) -> float | None:
    """Returns the fraction of the pot that a text such as ``0.5%`` says; None stays None.

    Raises:
        ConfigError: if it says none.
    """
    given, share = shorten(str(value).strip()), read_percentage(value)
    if value is None or (share is not None and 0.0 < share <= 1.0):
        return share
    number = read_percentage(f"{value}%")
    if share is not None or not number:
        text = (
            f"{given} is not a percentage of the pot such as 0.5%, above 0% and up to 100%, or null"
        )
    else:
        is_small = number < 0.01
        meant = f"{10_000 * number:g}% if this is a fraction of the pot, or " if is_small else ""
        text = f"{given} has no unit, write {meant}{100 * number:g}%"
    raise ConfigError("target", text)


#: A fraction of the pot, written as ``0.5%``, or None.
Target = Annotated[
    float | None,
    Read(
        "a percentage of the pot, or null",
        parse_target,
        lambda target: target and format_percent(target),
        ("string", "number", "null"),
    ),
]

#: Finite discounting exponents stay below it, so that no power of an iteration overflows.
MAX_EXPONENT = 20.0


def _check_exponent(exponent: float) -> float:
    if not (math.isinf(exponent) or abs(exponent) <= MAX_EXPONENT):
        raise ValueError
    return exponent


_Exponent: TypeAlias = Annotated[
    float,
    AllowInfNan(True),
    AfterValidator(_check_exponent),
    Read("a number from -20 to 20, .inf or -.inf", types=("number",)),
]


class Exponents(ConfigSection):
    """A CFR variant by its numbers; `Schedule` says what they mean."""

    alpha: _Exponent
    beta: _Exponent
    gamma: Annotated[float, Ge(0), Le(MAX_EXPONENT)]
    num_rising: CountFrom0 = 0
    first_alpha: Annotated[float, Ge(-MAX_EXPONENT), Le(MAX_EXPONENT)] = 1.0


_VARIANTS = f"one of {', '.join(VARIANTS)}, or a mapping of alpha, beta and gamma"


def _read_variant(value: Any) -> Schedule:
    if isinstance(value, Schedule) and (type(value) is not Schedule or value.function is not None):
        raise problem("is a schedule of your own, which only CfrSolver plays")
    if isinstance(value, Schedule):
        value = {name: getattr(value, name) for name in Exponents.model_fields}
    if isinstance(value, Mapping):
        return Schedule(**dict(Exponents.model_validate(dict(value))))
    if isinstance(value, str) and value in VARIANTS:
        return VARIANTS[value]
    raise problem(f"{show_value(value)} is not {_VARIANTS}{suggest(value, VARIANTS)}")


def _exponents(schedule: Schedule) -> dict[str, float]:
    rising = ("num_rising", "first_alpha") if schedule.num_rising else ()
    return {name: getattr(schedule, name) for name in ("alpha", "beta", "gamma", *rising)}


Variant = Annotated[
    Schedule,
    Read(
        _VARIANTS,
        _read_variant,
        lambda schedule: str(schedule) if schedule in VARIANTS.values() else _exponents(schedule),
        ("string", "object"),
    ),
]


#: What presets set, section by section.
PRESETS = parse_yaml(Path(__file__).with_name("presets.yaml").read_text("utf-8"))


def digest_variant(schedule: Schedule) -> dict[str, float | str]:
    """Returns the exponents of a variant as strict JSON, which knows no infinity."""
    return {name: x if math.isfinite(x) else str(x) for name, x in _exponents(schedule).items()}


_IN_POTS = {
    "c": "is in chips, but the pot is 1 here: write '50%'",
    "bb": "is in big blinds, but the pot is 1 here: write '50%'",
}
_IN_BIG_BLINDS = {"c": "is in chips, but the game is in big blinds: write 3bb"}
_IN_CHIPS = {"bb": "is in big blinds, but the stack is in chips: write '50%'"}


def _sizes(allowed: str, rules: SizeRules) -> Read:
    read: Any = partial(Sizes.parse, rules=rules)
    return Read(allowed, read, Sizes.plain, ("array", "string", "object"))


_BY_DEPTH = "a list by raise depth of lists of sizes such as 2.5bb, 1.0p, 3x and allin"
_LIST = "a list of positive numbers or of texts such as '33%'"
_SPOT_LIST = "a list or text of sizes such as 33%, 2.5x, 100c, e, 2e, 3e200% and a, or a mapping"
_BETS, _RAISES = SizeRules(refused=_IN_POTS), SizeRules(for_raises=True, refused=_IN_POTS)
_BEFORE_FLOP = RAISES_BEFORE_FLOP._replace(refused=_IN_BIG_BLINDS)
BetSizes = Annotated[Sizes, _sizes(_LIST, _BETS)]
RaiseSizes = Annotated[Sizes, _sizes(f"{_LIST} and '2.5x'", _RAISES)]
PreflopSizes = Annotated[Sizes, _sizes(_BY_DEPTH, _BEFORE_FLOP)]
#: Sizes of a spot may be in chips, empty, and without streets before the board.
SpotSizes = Annotated[Sizes, _sizes(_SPOT_LIST, SizeRules(allow_empty=True, refused=_IN_CHIPS))]
SpotRaiseSizes = Annotated[Sizes, _sizes(_SPOT_LIST, SizeRules(AFTER_FLOP, True, True, _IN_CHIPS))]


def digest_menus(
    rules: BettingRules, names: Sequence[str] = ("bets", "raises"), first_street: int = 0
) -> dict[str, dict[str, list[str]]]:
    """Returns the sizes of every street and player under the names of bets, raises and donks."""
    digest = {}
    for street, menus in list(zip(STREET_KEYS, rules.menus, strict=True))[first_street:]:
        for player, menu in zip(PLAYER_KEYS, menus, strict=True):
            lists = (menu.bets, menu.raises, menu.bets if menu.donks is None else menu.donks)
            digest[f"{street}.{player}"] = dict(zip(names, map(menu_as_set, lists), strict=False))
    return digest


def menu_as_set(sizes: Sequence[BetSize], *style: SizeStyle) -> list[str]:
    """Returns a menu as the set that it is: neither order nor repetition changes a tree."""
    return sorted({format_bet_size(size, *style) for size in sizes})
