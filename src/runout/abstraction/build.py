"""Building a whole abstraction: survey, boundaries, tables, statistics."""

from dataclasses import asdict
from typing import Any

from runout.abstraction.boundaries import BucketAssigner, BucketBoundaries
from runout.abstraction.bucket_statistics import BucketStatistics
from runout.abstraction.card_abstraction import CardAbstraction
from runout.abstraction.generator import AbstractionConfig, BoundaryGenerator, SurveyMode
from runout.abstraction.strength_survey import bucket_river_deals, river_strengths
from runout.arrays import Uint16Array
from runout.events import reporting_phase
from runout.execution.workplace import Workplace
from runout.trees.betting import Street


def build_card_abstraction(
    config: AbstractionConfig,
    seed: int = 0,
    workplace: Workplace | None = None,
    with_river_table: bool = False,
) -> CardAbstraction:
    """Returns a new abstraction.

    A survey of every deal also gives the tables of flop and turn; it takes about a minute on two
    cores and 1 GB of memory. A sample gives boundaries only, and buckets are computed when asked.

    Args:
        config: what to build.
        seed: decides which deals are sampled.
        workplace: with what; by default one thread, silently.
        with_river_table: whether to store the bucket of all 123,156,254 river deals (246 MB).
    """
    workplace = workplace or Workplace(1)
    generator = BoundaryGenerator(config, workplace)
    surveys = {street: generator.survey(street, seed) for street in Street}
    with reporting_phase(workplace.on_event, "bucket boundaries"):
        boundaries = generator.cut(surveys)
    assigner = BucketAssigner(boundaries)
    tables: dict[Street, Uint16Array] = {}
    if config.mode is SurveyMode.EXHAUSTIVE:
        dealt = (Street.FLOP, Street.TURN)
        with reporting_phase(workplace.on_event, "bucket tables", len(dealt)) as advance:
            for street in dealt:
                tables[street] = assigner.get_buckets(street, surveys[street].values)
                advance(len(tables))
    if with_river_table:
        bucket_by_score = assigner.get_buckets(Street.RIVER, river_strengths(config.feature))
        tables[Street.RIVER] = bucket_river_deals(bucket_by_score, workplace)
    statistics: dict[Street, BucketStatistics] = {}
    with reporting_phase(workplace.on_event, "bucket statistics", len(Street)) as advance:
        for street in Street:
            statistics[street] = BucketStatistics.of_survey(surveys[street], boundaries)
            advance(len(statistics))
    return CardAbstraction(
        boundaries, config.feature, tables, statistics, _describe(config, seed, boundaries)
    )


def _describe(config: AbstractionConfig, seed: int, boundaries: BucketBoundaries) -> dict[str, Any]:
    return {
        **asdict(config),
        "seed": seed,
        "supported": {street.label: config.num_supported(street) for street in Street},
        "effective": {street.label: boundaries.num_effective(street) for street in Street},
    }
