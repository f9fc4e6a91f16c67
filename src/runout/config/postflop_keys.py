"""The keys of ``postflop_model`` that every backend reads: trees, flops, and when a solve ends.

A key of one backend stands in the settings of its package; what several of them share is below.
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator

from runout.cards.flops import NUM_CANONICAL_FLOPS
from runout.cfr.discounting import DiscountSchedule
from runout.config.backends import BACKENDS, DEFAULT_BACKEND
from runout.config.postflop_readers import (
    plain_sprs,
    read_bet_sizes,
    read_flops,
    read_raise_sizes,
    read_sprs,
)
from runout.config.section import About, ConfigSection
from runout.config.size_choice import MOST_RAISES, SizeChoice, plain_sizes
from runout.config.variant import ALLOWED_VARIANTS, plain_variant, read_optional_variant

Share = Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
_FlopCount = Annotated[int, Field(ge=1, le=NUM_CANONICAL_FLOPS)]

SOLVE_TYPE = About(
    "The backend. Each has keys of its own, which are errors with another one.",
    f"one of {', '.join(BACKENDS)}",
    choices=tuple(BACKENDS),
)

#: A key of the backends whose strategies can settle.
StrategyDeltaThreshold = Annotated[
    Share | None,
    About(
        "A flop's solve ends when no probability of an action changes by more than this from "
        "one iteration to the next; `null` is off.",
        "a number above 0 and up to 1, or null",
        unit="probability",
    ),
]


class FlopKeys(ConfigSection):
    """What is solved and how well, whichever the backend."""

    solve_type: Annotated[str, SOLVE_TYPE] = DEFAULT_BACKEND
    bet_sizes: Annotated[
        SizeChoice,
        PlainValidator(read_bet_sizes),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a first bet; all-in is always offered as well. A list for everybody, or a "
            "mapping (see below).",
            "a list of positive numbers or of texts such as '33%'",
            unit="fraction of the pot",
        ),
    ] = (0.5, 1.0)
    raise_sizes: Annotated[
        SizeChoice | None,
        PlainValidator(read_raise_sizes),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a raise, in the same forms; `null` means the bet sizes.",
            "a list of positive numbers or of texts such as '33%' and '2.5x', or null",
            unit="fraction of the pot after calling",
        ),
    ] = None
    max_raises_per_street: Annotated[
        int,
        Field(ge=0, le=MOST_RAISES),
        About(
            "Raises after the first bet of a street, all-in raises included.",
            f"a whole number from 0 to {MOST_RAISES}",
            unit="raises",
        ),
    ] = 1
    postflop_sprs: Annotated[
        tuple[float, ...],
        PlainValidator(read_sprs),
        PlainSerializer(plain_sprs),
        About(
            "Stack-to-pot ratios on entering the flop, each solved by itself; the first is the "
            "primary one. A single number is a list of one. `auto`, in a run config only: those "
            "of the flops in the preflop tree. Also written `postflop_spr`.",
            "a positive number, a list of different ones, or auto",
            unit="flop pots",
        ),
    ] = (3.5,)
    postflop_solve_iterations: Annotated[
        int,
        Field(ge=1),
        About(
            "A flop's solve ends after so many iterations at the latest.",
            "a whole number from 1 up",
            unit="iterations",
        ),
    ] = 500
    cfr_exploitability_threshold: Annotated[
        Share | None,
        About(
            "A flop's solve ends when its exploitability is at most this: 0.001 is 0.1 % of the "
            "pot; `null` is off. What is measured, in which game, depends on the backend.",
            "a number above 0 and up to 1, or null",
            unit="fraction of the flop pot",
        ),
    ] = 0.001
    cfr_max_seconds_per_flop: Annotated[
        _Seconds | None,
        About(
            "A flop's solve ends after this time; results then depend on the machine. `null` is "
            "off.",
            "a positive number, or null",
            unit="seconds",
        ),
    ] = None
    cfr_variant: Annotated[
        str | DiscountSchedule | None,
        PlainValidator(read_optional_variant),
        PlainSerializer(plain_variant),
        About(
            "How iterations are weighted: a name, or the three exponents of discounted CFR; `null` "
            "is what was measured to be best for the backend.",
            f"{ALLOWED_VARIANTS}, or null",
        ),
    ] = None
    max_flop_boards: Annotated[
        _FlopCount | None,
        About(
            "Solve so many random flops, drawn once with `seed`.",
            f"a whole number from 1 to {NUM_CANONICAL_FLOPS}, or null",
            unit="flops",
        ),
    ] = None
    fixed_flops: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(read_flops),
        About(
            "Solve these flops, in this order.",
            "a list of flops such as AhKd7s, no two alike up to suits, or null",
        ),
    ] = None
    flop_subset: Annotated[
        Literal[8, 13, 25, 50, 100, 200] | None,
        About(
            "Solve a shipped weighted subset of this size, chosen to stand for all flops.",
            "one of 8, 13, 25, 50, 100, 200, or null",
            unit="flops",
        ),
    ] = None
    keep_strategies: Annotated[
        bool,
        About(
            "Whether strategies, and buckets where there are some, are kept with the values, in 16 "
            "bits; how much disk that takes is told before.",
            "true or false",
        ),
    ] = True
    seed: Annotated[
        int,
        Field(ge=0),
        About("Seed of everything that is random.", "a whole number from 0 up"),
    ] = 0
