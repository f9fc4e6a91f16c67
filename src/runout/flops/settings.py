"""The config classes of the backends."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from runout.config.postflop import (
    SOLVE_TYPE,
    PostflopModelConfig,
    RiverBlockers,
    RiverBuckets,
    Share,
    StrategyDeltaThreshold,
    TablePrecision,
)
from runout.config.section import About

if TYPE_CHECKING:
    from runout.flops.bucketed import BucketedBackend
    from runout.flops.cards import CardBackend
    from runout.flops.hands import HandBackend


class _HandConfig(PostflopModelConfig):
    """The keys of both backends between the 169 hands."""

    cfr_strategy_delta_threshold: StrategyDeltaThreshold = None

    @property
    def delta_limit(self) -> float | None:
        """How little strategies may change in an iteration to end a solve."""
        return self.cfr_strategy_delta_threshold


class MccfrConfig(_HandConfig):
    """Strategies of the 169 hands that do not look at turn and river, from sampled cards."""

    best_variant: ClassVar[str] = "linear"  # averages the noise of sampling out

    solve_type: Annotated[Literal["mccfr"], SOLVE_TYPE] = "mccfr"
    mccfr_sampling: Annotated[
        Literal["external", "public_chance"],
        About(
            "What is sampled: by `external` also the hands and the opponent's actions, by "
            "`public_chance` the turn and the river.",
            "one of external, public_chance",
            choices=("external", "public_chance"),
        ),
    ] = "public_chance"
    mccfr_sample_pct: Annotated[
        Share,
        About(
            "How much of all (hand pair, turn, river) one iteration samples. Despite its name a "
            "fraction: 0.01 is one percent.",
            "a number above 0 and up to 1",
            unit="fraction",
        ),
    ] = 0.01
    value_extraction_samples: Annotated[
        int,
        Field(ge=0),
        About(
            "Deals with which the values of a solved flop are estimated; 0 computes them exactly.",
            "a whole number from 0 up",
            unit="deals",
        ),
    ] = 0

    def make_backend(self) -> "HandBackend":
        """Returns the backend with these settings."""
        from runout.flops.hands import HandBackend, Sampling

        sampling = Sampling(
            self.mccfr_sampling, self.mccfr_sample_pct, self.value_extraction_samples, self.seed
        )
        return HandBackend(self.stopping_rule(), self.schedule(), sampling)


class ExhaustiveConfig(_HandConfig):
    """Strategies of the 169 hands that do not look at turn and river, with exact equities."""

    best_variant: ClassVar[str] = "dcfr+"
    is_random: ClassVar[bool] = False

    solve_type: Annotated[Literal["exhaustive"], SOLVE_TYPE] = "exhaustive"
    cfr_updates: Annotated[
        Literal["alternating", "simultaneous"],
        About(
            "Whether a player's update sees the other's update of the same iteration.",
            "one of alternating, simultaneous",
            choices=("alternating", "simultaneous"),
        ),
    ] = "alternating"

    def make_backend(self) -> "HandBackend":
        """Returns the backend with these settings."""
        from runout.flops.hands import HandBackend

        return HandBackend(
            self.stopping_rule(),
            self.schedule(),
            is_simultaneous=self.cfr_updates == "simultaneous",
        )


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
        from runout.flops.bucketed import BucketedBackend

        return BucketedBackend(
            self.num_hand_buckets,
            self.stopping_rule(),
            self.schedule(),
            self.bucket_metric,
            self.rebucket_rounds,
            self.rebucket_warm_start,
            self.seed,
        )


class ExactConfig(PostflopModelConfig):
    """Strategies that tell all combos apart on all boards."""

    best_variant: ClassVar[str] = "dcfr-spot"

    solve_type: Annotated[Literal["exact"], SOLVE_TYPE] = "exact"
    exact_precision: Annotated[
        Literal[32, 16],
        About(
            "Bits of a number in the tables: 16 takes half the memory.",
            "one of 32, 16",
            unit="bits",
        ),
    ] = 32

    keep_strategies: Annotated[bool, PostflopModelConfig.about("keep_strategies")] = False

    def make_backend(self) -> "CardBackend":
        """Returns the backend with these settings."""
        from runout.flops.cards import DEFAULT_SAMPLE, CardBackend
        from runout.holdem.tables import Precision

        return CardBackend(
            self.stopping_rule(),
            precision=Precision(self.exact_precision),
            schedule=self.schedule(),
            sample=replace(DEFAULT_SAMPLE, seed=self.seed),
        )


class CompactConfig(PostflopModelConfig):
    """Strategies that tell all combos apart on flop and turn, and group them on rivers."""

    best_variant: ClassVar[str] = "dcfr6"

    solve_type: Annotated[Literal["compact"], SOLVE_TYPE] = "compact"
    river_buckets: RiverBuckets = 48
    river_blockers: RiverBlockers = "auto"
    compact_precision: TablePrecision = 32
    keep_strategies: Annotated[bool, PostflopModelConfig.about("keep_strategies")] = False

    def make_backend(self) -> "CardBackend":
        """Returns the backend with these settings."""
        from runout.flops.cards import CHECK_EVERY, DEFAULT_SAMPLE, CardBackend
        from runout.holdem.rivers import BucketRivers
        from runout.holdem.tables import Precision

        return CardBackend(
            rule=replace(self.stopping_rule(), check_every=CHECK_EVERY),
            rivers=BucketRivers(self.river_buckets, self.river_blockers),
            precision=Precision(self.compact_precision),
            schedule=self.schedule(),
            sample=replace(DEFAULT_SAMPLE, seed=self.seed),
        )
