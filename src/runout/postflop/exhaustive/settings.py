"""The config of the exhaustive backend."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import SOLVE_TYPE, StrategyDeltaThreshold
from runout.config.section import About

if TYPE_CHECKING:
    from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend


class ExhaustiveConfig(PostflopModelConfig):
    """Strategies of the 169 hands that do not look at turn and river, with exact equities."""

    best_variant: ClassVar[str] = "dcfr+"
    is_random: ClassVar[bool] = False

    solve_type: Annotated[Literal["exhaustive"], SOLVE_TYPE] = "exhaustive"
    cfr_strategy_delta_threshold: StrategyDeltaThreshold = None
    cfr_updates: Annotated[
        Literal["alternating", "simultaneous"],
        About(
            "Whether a player's update sees the other's update of the same iteration.",
            "one of alternating, simultaneous",
            choices=("alternating", "simultaneous"),
        ),
    ] = "alternating"

    @property
    def delta_limit(self) -> float | None:
        """How little strategies may change in an iteration to end a solve."""
        return self.cfr_strategy_delta_threshold

    def make_backend(self) -> "ExhaustiveBackend":
        """Returns the backend with these settings."""
        from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend

        is_simultaneous = self.cfr_updates == "simultaneous"
        return ExhaustiveBackend(self.stopping_rule(), self.schedule(), is_simultaneous)
