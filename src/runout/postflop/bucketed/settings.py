"""The config of the bucketed backend."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import SOLVE_TYPE, Share
from runout.config.section import About

if TYPE_CHECKING:
    from runout.postflop.bucketed.bucketed import BucketedBackend

#: A bucket is stored as a 16-bit number.
MAX_BUCKETS = 32_767

_BucketCount = Annotated[int, Field(ge=1, le=MAX_BUCKETS)]
_ALLOWED_COUNT = f"a whole number from 1 to {MAX_BUCKETS}"


def _buckets(flop: int, turn: int, river: int) -> Mapping[str, int]:
    streets = {"flop": flop, "turn": turn, "river": river}
    return {f"num_hand_buckets_{street}": number for street, number in streets.items()}


class BucketedConfig(PostflopModelConfig):
    """Strategies of buckets of hands on real boards."""

    best_variant: ClassVar[str] = "linear"  # averages the noise of sampled boards out
    label_key: ClassVar[str | None] = "rebucket_rounds"
    label_values: ClassVar[tuple[int, ...]] = (1, 2)
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
        {
            "fast": _buckets(50, 100, 100),
            "medium": _buckets(100, 200, 200),
            "standard": _buckets(200, 200, 200),
            "accurate": _buckets(200, 500, 500),
        }
    )

    solve_type: Annotated[Literal["bucketed"], SOLVE_TYPE] = "bucketed"
    num_hand_buckets_flop: Annotated[
        _BucketCount,
        About(
            "Into how many buckets the 1,176 combos of a flop are sorted; capped, with a note, "
            "where fewer are different.",
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
            "How far hands are apart: `emd` is the earth mover's distance, L1 of CDFs; `cramer` is "
            "L2 of CDFs.",
            "one of emd, cramer",
            choices=("emd", "cramer"),
        ),
    ] = "emd"
    rebucket_rounds: Annotated[
        int,
        Field(ge=1),
        About(
            "How often a flop is solved: 1 with buckets of strength only, each further time with "
            "flop buckets of what hands earned in the time before.",
            "a whole number from 1 up",
            unit="rounds",
        ),
    ] = 1
    rebucket_delta_threshold: Annotated[
        Share | None,
        About(
            "A round ends when its average strategies move by less than this in an iteration, "
            "actions added up and decisions weighted by how often they are reached; `null` is off. "
            "The upper bound that `cfr_exploitability_threshold` looks at falls slowly, so this "
            "ends most rounds.",
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

    @property
    def num_hand_buckets(self) -> tuple[int, int, int]:
        """Buckets on flop, turn and river."""
        return (
            self.num_hand_buckets_flop,
            self.num_hand_buckets_turn,
            self.num_hand_buckets_river,
        )

    @property
    def delta_limit(self) -> float | None:
        """How little average strategies may move in an iteration to end a round."""
        return self.rebucket_delta_threshold

    def digest_own_keys(self) -> dict[str, Any]:
        """Returns what decides the results besides the keys of all backends."""
        mapping = super().digest_own_keys()
        if self.rebucket_rounds == 1:
            del mapping["rebucket_warm_start"]  # there is no further round
        return mapping

    def make_backend(self) -> "BucketedBackend":
        """Returns the backend with these settings."""
        from runout.postflop.bucketed.bucketed import BucketedBackend
        from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver

        plan = BucketPlan(
            self.num_hand_buckets,
            self.bucket_metric,
            self.rebucket_rounds,
            self.rebucket_warm_start,
        )
        return BucketedBackend(RoundsSolver(plan, self.stopping_rule(), self.schedule(), self.seed))
