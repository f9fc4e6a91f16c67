"""The config of the exact backend."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import SOLVE_TYPE
from runout.config.section import About

if TYPE_CHECKING:
    from runout.postflop.exact.exact import ExactBackend


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

    def make_backend(self) -> "ExactBackend":
        """Returns the backend with these settings."""
        from runout.holdem.tables import Precision
        from runout.postflop.exact.exact import DEFAULT_SAMPLE, ExactBackend

        return ExactBackend(
            self.stopping_rule(),
            self.schedule(),
            Precision(self.exact_precision),
            replace(DEFAULT_SAMPLE, seed=self.seed),
        )
