"""Boundaries from every deal there is, or from a seeded sample."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

from runout.abstraction.boundaries import MAX_BUCKETS, BucketBoundaries
from runout.abstraction.errors import AbstractionError
from runout.abstraction.strength_survey import (
    StreetSurvey,
    StrengthFeature,
    deal_random,
    survey_all,
    survey_sample,
)
from runout.execution.workplace import Workplace
from runout.trees.betting import Street

Member = TypeVar("Member", bound=StrEnum)

#: With so many sampled deals in a bucket its true share is known to about 10 % of itself.
DEALS_TO_SUPPORT_A_BUCKET = 100


DEFAULT_SAMPLES_PER_STREET = 100_000

_NOT_GIVEN: Any = None  # `AbstractionConfig` puts a default in its place


class SurveyMode(StrEnum):
    """Which deals boundaries are cut from."""

    EXHAUSTIVE = "exhaustive"
    SAMPLED = "sampled"


@dataclass(frozen=True)
class AbstractionConfig:
    """What to build.

    Attributes:
        flop_buckets: buckets asked for on the flop, 1 to 65,536.
        turn_buckets: likewise on the turn.
        river_buckets: likewise on the river, where at most 1,981 strengths exist.
        samples_per_street: deals to draw on each street, by default 100,000; used by the mode
            ``sampled`` only.
        mode: every deal, or a sample; by default a sample if its size is given.
        feature: the strength by which hands are ordered.
    """

    flop_buckets: int = 5_000
    turn_buckets: int = 5_000
    river_buckets: int = 20_000
    samples_per_street: int = _NOT_GIVEN
    mode: SurveyMode = _NOT_GIVEN
    feature: StrengthFeature = StrengthFeature.EHS2

    def __post_init__(self) -> None:
        is_size_given = self.samples_per_street is not None
        if self.mode is None:
            by_default = SurveyMode.SAMPLED if is_size_given else SurveyMode.EXHAUSTIVE
            object.__setattr__(self, "mode", by_default)
        if not is_size_given:
            object.__setattr__(self, "samples_per_street", DEFAULT_SAMPLES_PER_STREET)
        # Plain text is welcome; kept as text it would be no member of its enumeration.
        object.__setattr__(self, "mode", _require_member("mode", self.mode, SurveyMode))
        object.__setattr__(
            self, "feature", _require_member("feature", self.feature, StrengthFeature)
        )
        for street in Street:
            count = self.num_buckets(street)
            if not 1 <= count <= MAX_BUCKETS:
                raise AbstractionError(
                    f"{street.label}_buckets", f"{count}, allowed are 1 to {MAX_BUCKETS}"
                )
        if self.samples_per_street < 1:
            raise AbstractionError(
                "samples_per_street", f"{self.samples_per_street} is not a positive number of deals"
            )

    def num_buckets(self, street: Street) -> int:
        """Returns the number of buckets asked for on a street."""
        by_street = {
            Street.FLOP: self.flop_buckets,
            Street.TURN: self.turn_buckets,
            Street.RIVER: self.river_buckets,
        }
        return by_street[street]

    def num_supported(self, street: Street) -> int:
        """Returns how many buckets the surveyed deals can tell the sizes of, at most those asked.

        Every deal supports any number; a sample needs about 100 deals in each bucket.
        """
        asked = self.num_buckets(street)
        if self.mode is SurveyMode.EXHAUSTIVE:
            return asked
        return min(asked, max(1, self.samples_per_street // DEALS_TO_SUPPORT_A_BUCKET))


class BoundaryGenerator:
    """Surveys the deals of each street and cuts their strengths into equal parts."""

    def __init__(self, config: AbstractionConfig, workplace: Workplace | None = None) -> None:
        self.config = config
        self._workplace = workplace or Workplace(1)

    def generate(self, seed: int) -> BucketBoundaries:
        """Returns the boundaries; the seed matters to the mode ``sampled`` only."""
        return self.cut({street: self.survey(street, seed) for street in Street})

    def survey(self, street: Street, seed: int) -> StreetSurvey:
        """Returns the strengths that a street's boundaries are cut from.

        Raises:
            AbstractionError: if a sample is asked for with a negative seed.
        """
        if self.config.mode is SurveyMode.EXHAUSTIVE:
            return survey_all(street, self.config.feature, self._workplace)
        if seed < 0:
            raise AbstractionError("seed", f"{seed}, allowed are whole numbers from 0")
        # Each street has a stream of its own, so that its sample depends on nothing else.
        rng = np.random.default_rng([seed, street.num_board_cards])
        deals = deal_random(street, self.config.samples_per_street, rng)
        return survey_sample(street, self.config.feature, deals, self._workplace)

    def cut(self, surveys: dict[Street, StreetSurvey]) -> BucketBoundaries:
        """Returns the boundaries of surveyed streets."""
        flop, turn, river = ((surveys[street].values, surveys[street].weights) for street in Street)
        num_flop, num_turn, num_river = (self.config.num_buckets(street) for street in Street)
        return BucketBoundaries.from_samples(flop, turn, river, (num_flop, num_turn, num_river))


def _require_member(where: str, value: str, members: type[Member]) -> Member:
    try:
        return members(value)
    except ValueError:
        allowed = ", ".join(members)
        raise AbstractionError(where, f"{value!r}, allowed are {allowed}") from None
