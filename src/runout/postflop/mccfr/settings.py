"""The config of the MCCFR backend."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import SOLVE_TYPE, Share, StrategyDeltaThreshold
from runout.config.section import About

if TYPE_CHECKING:
    from runout.postflop.mccfr.mccfr import MccfrBackend


class MccfrConfig(PostflopModelConfig):
    """Strategies of the 169 hands that do not look at turn and river, from sampled cards."""

    best_variant: ClassVar[str] = "linear"  # averages the noise of sampling out

    solve_type: Annotated[Literal["mccfr"], SOLVE_TYPE] = "mccfr"
    cfr_strategy_delta_threshold: StrategyDeltaThreshold = None
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

    @property
    def delta_limit(self) -> float | None:
        """How little strategies may change in an iteration to end a solve."""
        return self.cfr_strategy_delta_threshold

    def make_backend(self) -> "MccfrBackend":
        """Returns the backend with these settings."""
        from runout.postflop.mccfr.mccfr import MccfrBackend

        return MccfrBackend(
            self.stopping_rule(),
            self.schedule(),
            self.mccfr_sampling,
            self.mccfr_sample_pct,
            self.value_extraction_samples,
            self.seed,
        )
