"""The keys of ``postflop_model`` that one backend reads and the others do not look at."""

from typing import Annotated, Literal

from pydantic import Field

from runout.config.postflop_keys import FlopKeys
from runout.config.section import About

#: A bucket is stored as a 16-bit number.
MAX_BUCKETS = 32_767

_Share = Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)]
_BucketCount = Annotated[int, Field(ge=1, le=MAX_BUCKETS)]
_ALLOWED_COUNT = f"a whole number from 1 to {MAX_BUCKETS}"


class BackendKeys(FlopKeys):
    """How `mccfr`, `bucketed` and `exact` do their work."""

    mccfr_sampling: Annotated[
        Literal["external", "public_chance"],
        About(
            "What `mccfr` samples: `external` also the hands and the opponent's actions, "
            "`public_chance` the turn and the river.",
            "one of external, public_chance",
            choices=("external", "public_chance"),
        ),
    ] = "public_chance"
    mccfr_sample_pct: Annotated[
        _Share,
        About(
            "How much of all (hand pair, turn, river) one iteration of `mccfr` samples. Despite "
            "its name a fraction: 0.01 is one percent.",
            "a number above 0 and up to 1",
            unit="fraction",
        ),
    ] = 0.01
    value_extraction_samples: Annotated[
        int,
        Field(ge=0),
        About(
            "Deals with which `mccfr` estimates the values of a solved flop; 0 computes them "
            "exactly.",
            "a whole number from 0 up",
            unit="deals",
        ),
    ] = 0
    num_hand_buckets_flop: Annotated[
        _BucketCount,
        About(
            "Into how many buckets `bucketed` sorts the 1,176 combos of a flop; capped, with a "
            "note, where fewer are different.",
            _ALLOWED_COUNT,
            unit="buckets",
        ),
    ] = 200
    num_hand_buckets_turn: Annotated[
        _BucketCount,
        About(
            "The same on the turn, for all turn cards of a flop together.",
            _ALLOWED_COUNT,
            unit="buckets",
        ),
    ] = 200
    num_hand_buckets_river: Annotated[
        _BucketCount,
        About(
            "The same on the river, for all runouts of a flop together.",
            _ALLOWED_COUNT,
            unit="buckets",
        ),
    ] = 200
    bucket_metric: Annotated[
        Literal["emd", "cramer"],
        About(
            "How far hands are apart for `bucketed`: `emd` is the earth mover's distance, L1 of "
            "CDFs; `cramer` is L2 of CDFs.",
            "one of emd, cramer",
            choices=("emd", "cramer"),
        ),
    ] = "emd"
    rebucket_rounds: Annotated[
        int,
        Field(ge=1),
        About(
            "How often `bucketed` solves a flop: 1 with buckets of strength only, each further "
            "time with flop buckets of what hands earned in the time before.",
            "a whole number from 1 up",
            unit="rounds",
        ),
    ] = 1
    rebucket_delta_threshold: Annotated[
        _Share | None,
        About(
            "A round of `bucketed` ends when its average strategies move by less than this in an "
            "iteration, actions added up and decisions weighted by how often they are reached; "
            "`null` is off.",
            "a number above 0 and up to 1, or null",
            unit="probability",
        ),
    ] = 0.001
    rebucket_warm_start: Annotated[
        bool,
        About(
            "Whether a further round begins with the regrets of the round before.",
            "true or false",
        ),
    ] = False
    exact_precision: Annotated[
        Literal[32, 16],
        About(
            "Bits of a number in the tables of `exact`: 16 takes half the memory.",
            "one of 32, 16",
            unit="bits",
        ),
    ] = 32
