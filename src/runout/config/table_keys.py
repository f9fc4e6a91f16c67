"""Keys about tables of games with real cards: how precise they are, and how rivers are kept."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from runout.config.section import About

_MULTIPLE, _MOST = 16, 240
_ALLOWED = f"a multiple of {_MULTIPLE} from {_MULTIPLE} to {_MOST}"


def _check_buckets(number: int) -> int:
    if not 0 < number <= _MOST or number % _MULTIPLE:
        raise ValueError(f"{number} is not {_ALLOWED}")
    return number


#: What it is called depends on the section.
TablePrecision = Annotated[
    Literal[32, 16],
    About(
        "Bits of a number in the tables: 16 halves the memory and costs a little accuracy.",
        "one of 32, 16",
        unit="bits",
    ),
]

Rivers = Annotated[
    Literal["exact", "compact"],
    About(
        "How the rivers of a flop are solved: `exact` tells all combos apart, `compact` groups "
        "them by strength and takes a fraction of the time and memory.",
        "one of exact, compact",
        choices=("exact", "compact"),
    ),
]

MergesSuits = Annotated[
    bool,
    About(
        "Whether cards that differ by suits only are solved once. It changes no result.",
        "true or false",
    ),
]

KeepResume = Annotated[
    bool,
    About(
        "Whether a finished solve keeps what it could go on from; without it, what is saved is a "
        "fraction of the size, and can be looked at but not continued.",
        "true or false",
    ),
]

RiverBuckets = Annotated[
    int,
    AfterValidator(_check_buckets),
    About(
        "Into how many buckets of strength hands are grouped on each river.",
        _ALLOWED,
        unit="buckets",
    ),
]

RiverBlockers = Annotated[
    Literal["auto", "on", "off"],
    About(
        "Whether half of the buckets tell apart how many strong hands a hand blocks; `auto` is "
        "on from a stack of 8 pots up.",
        "one of auto, on, off",
        choices=("auto", "on", "off"),
    ),
]
