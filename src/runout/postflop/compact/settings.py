"""The config of the compact backend."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from runout.config.postflop import PostflopModelConfig
from runout.config.postflop_keys import SOLVE_TYPE
from runout.config.table_keys import RiverBlockers, RiverBuckets, TablePrecision

if TYPE_CHECKING:
    from runout.postflop.compact.compact import CompactBackend


class CompactConfig(PostflopModelConfig):
    """Strategies that tell all combos apart on flop and turn, and group them on rivers."""

    best_variant: ClassVar[str] = "dcfr6"

    solve_type: Annotated[Literal["compact"], SOLVE_TYPE] = "compact"
    river_buckets: RiverBuckets = 48
    river_blockers: RiverBlockers = "auto"
    compact_precision: TablePrecision = 32
    keep_strategies: Annotated[bool, PostflopModelConfig.about("keep_strategies")] = False

    def make_backend(self) -> "CompactBackend":
        """Returns the backend with these settings."""
        from runout.holdem.tables import Precision
        from runout.postflop.compact.compact import CHECK_EVERY, DEFAULT_SAMPLE, CompactBackend

        return CompactBackend(
            rule=replace(self.stopping_rule(), check_every=CHECK_EVERY),
            schedule=self.schedule(),
            num_buckets=self.river_buckets,
            blockers=self.river_blockers,
            precision=Precision(self.compact_precision),
            sample=replace(DEFAULT_SAMPLE, seed=self.seed),
        )
