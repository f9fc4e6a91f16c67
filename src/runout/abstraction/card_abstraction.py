"""Percentile buckets: boundaries, statistics, building, and the bucket of a holding on a board."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from threading import Lock
from typing import Any, cast

import numpy as np

from runout.abstraction import survey
from runout.abstraction.bucket_map import SOURCES
from runout.abstraction.survey import StreetSurvey, StrengthFeature
from runout.arrays import Arrays, FloatArray, IntArray, Uint8Array, Uint16Array, read_only
from runout.cache import digest_sources, load_or_build
from runout.cards.deck import BOARD_SIZES, NUM_COMBOS, require_board, require_distinct
from runout.equity.board import hand_strength, sum_strengths
from runout.errors import AbstractionError
from runout.events import BucketEventSink, EventSink, ignore_event, reporting_phase
from runout.execution.context import RunContext
from runout.storage.bundle import has_bundle, load_bundle, read_manifest, reading_contents
from runout.storage.writer import write_bundle
from runout.trees.betting import Street

# Percentile buckets: boundaries that give every bucket the same number of deals.
#
# A boundary belongs to the bucket below it: bucket i holds strengths above boundary i - 1 and up to
# boundary i. Equal strengths never part, so where a strength is more common than a bucket is large,
# boundaries coincide; they are kept once and there are fewer buckets than were asked for.

#: Bucket numbers are stored in 16 bits.
MAX_PERCENTILE_BUCKETS = 1 << 16


@dataclass(frozen=True)
class BucketBoundaries:
    """Ascending strengths in [0, 1], one fewer than there are buckets, on flop, turn and river.

    Requested are the numbers of buckets asked for.
    """

    by_street: tuple[FloatArray, ...]
    requested: tuple[int, ...]

    def __post_init__(self) -> None:
        for street in Street:
            inner, problem = self.by_street[street], ""
            if len(inner) >= MAX_PERCENTILE_BUCKETS:
                most = f"at most {MAX_PERCENTILE_BUCKETS} fit a bucket number"
                problem = f"{len(inner) + 1} buckets, {most}"
            elif np.isnan(inner).any():
                problem = "contain NaN, strengths are 0 to 1"
            elif len(inner) and (inner[0] < 0.0 or inner[-1] > 1.0):
                problem = f"run from {inner[0]} to {inner[-1]}, strengths are 0 to 1"
            elif (np.diff(inner) <= 0.0).any():
                problem = "are not in strictly ascending order"
            if problem:
                raise AbstractionError(f"{street.label} boundaries", problem)

    def num_buckets(self, street: Street) -> int:
        """Returns how many buckets there are, at most as many as were asked for."""
        return len(self.by_street[street]) + 1

    def buckets_of(self, street: Street, strengths: FloatArray | float) -> Uint16Array:
        """Returns the bucket (0 the weakest) of each strength, in the shape of ``strengths``."""
        found = np.searchsorted(self.by_street[street], strengths, side="left")
        return np.asarray(found, dtype=np.uint16)


def percentile_boundaries(values: FloatArray, weights: IntArray, num_buckets: int) -> FloatArray:
    """Returns ascending boundaries that cut weighted values into parts as equal as ties allow.

    Values are strengths in any order, weights how many deals each stands for, 0 if it does not
    count. Coinciding boundaries are dropped, so there may be fewer buckets than asked for.
    """
    order = np.argsort(values, kind="stable")
    cumulative = weights[order].cumsum()
    if not len(cumulative) or cumulative[-1] <= 0:
        raise AbstractionError("samples", "there is nothing to cut into buckets")
    total = int(cumulative[-1])
    # The i-th boundary is the first value that, with everything below, fills i buckets.
    needed = np.array([-(-i * total // num_buckets) for i in range(1, num_buckets)], dtype=np.int64)
    ordered = values[order]
    boundaries = np.unique(ordered[np.searchsorted(cumulative, needed, side="left")])
    largest = ordered[np.searchsorted(cumulative, total, side="left")]
    return read_only(boundaries[boundaries < largest])  # nothing lies above the largest value


# What is in the buckets of a street: how many deals, and how far their strengths spread.


@dataclass(frozen=True)
class BucketStatistics:
    """Deals in each of K buckets: how many, and their weakest, mean and strongest strength."""

    population: IntArray
    lowest: FloatArray
    mean: FloatArray
    highest: FloatArray

    def __post_init__(self) -> None:
        strengths = np.stack([self.lowest, self.mean, self.highest])
        if not ((strengths >= 0.0) & (strengths <= 1.0)).all() or (self.population < 1).any():
            raise ValueError("statistics of buckets that are no strengths from 0 to 1")

    @classmethod
    def of_survey(cls, survey: StreetSurvey, boundaries: BucketBoundaries) -> "BucketStatistics":
        """Returns the statistics of surveyed deals under boundaries that leave no bucket empty."""
        num_buckets = boundaries.num_buckets(survey.street)
        buckets = boundaries.buckets_of(survey.street, survey.values)
        # Sums of strengths stay floats: they only serve the mean.
        population = np.bincount(buckets, survey.weights, num_buckets).astype(np.int64)
        totals = np.bincount(buckets, survey.weights * survey.values, num_buckets)
        occurring = np.unique(survey.values[survey.weights > 0])
        inner = boundaries.by_street[survey.street]
        first = np.concatenate([[0], np.searchsorted(occurring, inner, side="right")])
        last = np.concatenate([first[1:], [len(occurring)]]) - 1
        return cls(population, occurring[first], totals / population, occurring[last])

    def summary(self) -> dict[str, Any]:
        """Returns the sizes of buckets, and their strongest minus weakest strength."""
        sizes, spread = self.population, self.highest - self.lowest
        mean = float(np.average(spread, weights=sizes))
        return {
            "deals_in_bucket": {
                "smallest": int(sizes.min()),
                "median": float(np.median(sizes)),
                "largest": int(sizes.max()),
            },
            "strength_spread_in_bucket": {"mean": mean, "max": float(spread.max())},
        }


# `CardAbstraction`: the bucket of a holding on a board.
#
# With a table of a street, a bucket is looked up by the number of the deal up to suits; without one
# the strength is computed. Both give the same bucket.

KIND = "card_abstraction"
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class CardAbstraction:
    """Buckets of equal size by hand strength, on every street.

    Tables have for some streets the bucket of every deal up to suits, statistics what is in each
    bucket. The origin is how the boundaries were made, in words and numbers; empty if unknown.
    """

    boundaries: BucketBoundaries
    feature: StrengthFeature = StrengthFeature.EHS2
    tables: Mapping[Street, Uint16Array] = field(default_factory=dict)
    statistics: Mapping[Street, BucketStatistics] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | str) -> "CardAbstraction":
        """Opens a saved abstraction; its tables stay on disk until they are used."""
        bundle = load_bundle(path, KIND, SCHEMA_VERSION)
        tables: dict[Street, Any] = {}
        statistics = {}
        with reading_contents(path):
            facts, arrays = bundle.documents["abstraction"], bundle.arrays
            for street in Street:
                if f"{street.label}_table" in arrays:
                    table = tables[street] = arrays[f"{street.label}_table"]
                    if table.shape != (survey.deal_indexer(street).size,):
                        raise ValueError(f"{street.label}_table of shape {np.shape(table)}")
                if f"{street.label}_population" in arrays:
                    names = [field.name for field in fields(BucketStatistics)]
                    parts: list[Any] = [arrays[f"{street.label}_{name}"] for name in names]
                    statistics[street] = BucketStatistics(*parts)
            cuts: Any = tuple(arrays[f"{street.label}_boundaries"] for street in Street)
            num_flop, num_turn, num_river = (int(count) for count in facts["requested"])
            boundaries = BucketBoundaries(cuts, (num_flop, num_turn, num_river))
            feature = StrengthFeature(facts["feature"])
            return cls(boundaries, feature, tables, statistics, facts["origin"])

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the abstraction as a bundle, all of it or nothing."""
        arrays: dict[str, Any] = {}
        for street in Street:
            arrays[f"{street.label}_boundaries"] = self.boundaries.by_street[street]
            if street in self.tables:
                arrays[f"{street.label}_table"] = self.tables[street]
            if street in self.statistics:
                parts = vars(self.statistics[street])
                arrays |= {f"{street.label}_{name}": part for name, part in parts.items()}
        facts = {
            "requested": list(self.boundaries.requested),
            "feature": self.feature.value,
            "origin": dict(self.origin),
        }
        write_bundle(
            path,
            kind=KIND,
            schema_version=SCHEMA_VERSION,
            arrays=arrays,
            documents={"abstraction": facts},
            seed=self.origin.get("seed"),
            overwrite=overwrite,
        )

    def get_bucket(self, board: Sequence[int], holding: tuple[int, int]) -> int:
        """Returns the bucket of a holding, 0 being the weakest."""
        require_board(board)
        require_distinct((*holding, *board))
        street = survey.street_of_board(len(board))
        if street in self.tables:
            return int(self.tables[street][survey.deal_indexer(street).index((*holding, *board))])
        strength: float = getattr(hand_strength(board, holding), self.feature.value)
        return int(self.boundaries.buckets_of(street, strength))

    def get_buckets(self, deals: Uint8Array) -> Uint16Array:
        """Returns ``[n]`` the bucket of each deal, a row of two hole cards and the board."""
        if deals.ndim != 2 or deals.shape[1] - survey.NUM_HOLE_CARDS not in BOARD_SIZES:
            problem = "a row is 2 hole cards and 3, 4 or 5 board cards"
            raise AbstractionError(f"deals of shape {deals.shape}", problem)
        street = survey.street_of_board(deals.shape[1] - survey.NUM_HOLE_CARDS)
        classes = survey.deal_indexer(street).index_many(deals)
        if street in self.tables:
            return self.tables[street][classes]
        strengths = survey.survey_sample(street, self.feature, deals).values
        return self.boundaries.buckets_of(street, strengths)

    def __call__(self, board: Sequence[int], /) -> Uint16Array:
        """Returns ``[1326]`` the bucket of each combo on a board, 0 for those that it blocks.

        This makes it an `Abstraction`. Strengths are computed, with or without tables: a flop, its
        turns and its rivers take a fifth of a second together.
        """
        street, dealt = survey.street_of_board(len(board)), sum_strengths(board)
        is_equity = self.feature is StrengthFeature.EHS2
        strengths = dealt.expected_strength if is_equity else dealt.expected_squared_strength
        buckets = np.zeros(NUM_COMBOS, dtype=np.uint16)
        buckets[dealt.combos] = self.boundaries.buckets_of(street, strengths)
        return buckets

    def num_buckets(self, street: Street) -> int:
        """Returns the number of buckets of a street."""
        return self.boundaries.num_buckets(street)

    def summaries(self) -> dict[str, dict[str, Any]]:
        """Returns the facts of flop, turn and river under JSON names.

        Requested are the buckets asked for, effective those there are (fewer where equal strengths
        fill more than one), supported those whose size the surveyed deals can tell. Deals are the
        ones that the boundaries were cut from.
        """
        contents = {street: part.summary() for street, part in self.statistics.items()}
        unknown = {"deals_in_bucket": None, "strength_spread_in_bucket": None}
        return {
            street.label: {
                "num_requested": self.boundaries.requested[street],
                "num_effective": self.num_buckets(street),
                "num_supported": self.origin.get("supported", {}).get(street.label),
                "has_table": street in self.tables,
                **contents.get(street, unknown),
            }
            for street in Street
        }

    def describe_origin(self) -> str:
        """Returns in words what the boundaries were cut from."""
        origin, deals = self.origin, ", of unknown origin"
        if origin.get("mode") == "exhaustive":
            deals = " of every deal"
        elif origin.get("mode") == "sampled":
            number = f"{origin['samples_per_street']:,} sampled deals per street"
            deals = f" of {number}, seed {origin['seed']}"
        return f"{self.feature.value}{deals}"


# Boundaries from every deal there is, or from a seeded sample.

#: With so many sampled deals in a bucket its true share is known to about 10 % of itself.
DEALS_TO_SUPPORT_A_BUCKET = 100


@dataclass(frozen=True)
class AbstractionConfig:
    """What to build: buckets asked for, 1 to 65,536; at most 1,981 strengths exist on the river.

    Attributes:
        samples_per_street: deals to draw on each street; None for every deal there is.
        feature: the strength by which hands are ordered.
    """

    flop_buckets: int = 5_000
    turn_buckets: int = 5_000
    river_buckets: int = 20_000
    samples_per_street: int | None = None
    feature: StrengthFeature = StrengthFeature.EHS2

    def __post_init__(self) -> None:
        if self.feature not in (members := list[str](StrengthFeature)):
            problem = f"{self.feature!r}, allowed are {', '.join(members)}"
            raise AbstractionError("feature", problem)
        # Plain text is welcome; kept as text it would be no member of its enumeration.
        object.__setattr__(self, "feature", StrengthFeature(self.feature))
        for street in Street:
            count = self.num_buckets(street)
            if not 1 <= count <= MAX_PERCENTILE_BUCKETS:
                problem = f"{count}, allowed are 1 to {MAX_PERCENTILE_BUCKETS}"
                raise AbstractionError(f"{street.label}_buckets", problem)
        if (size := self.samples_per_street) is not None and size < 1:
            problem = f"{size} is not a positive number of deals"
            raise AbstractionError("samples_per_street", problem)

    @property
    def facts(self) -> dict[str, Any]:
        """What is built, as an origin has it."""
        mode = "exhaustive" if self.samples_per_street is None else "sampled"
        return asdict(self) | {"mode": mode}

    def num_buckets(self, street: Street) -> int:
        """Returns the number of buckets asked for on a street."""
        number: int = getattr(self, f"{street.label}_buckets")
        return number

    def num_supported(self, street: Street) -> int:
        """Returns how many buckets the surveyed deals can tell the sizes of, at most those asked.

        Every deal supports any number; a sample needs about 100 deals in each bucket.
        """
        asked = self.num_buckets(street)
        if self.samples_per_street is None:
            return asked
        return min(asked, max(1, self.samples_per_street // DEALS_TO_SUPPORT_A_BUCKET))


# Building a whole abstraction: survey, boundaries, tables, statistics.


def build_card_abstraction(
    config: AbstractionConfig,
    seed: int = 0,
    context: RunContext | None = None,
) -> CardAbstraction:
    """Returns a new abstraction; by default it is built in one thread, silently.

    A survey of every deal also gives the tables of flop and turn; it takes about a minute on two
    cores and 1 GB of memory. A sample, which the seed decides, gives boundaries only, and buckets
    are computed when asked, as those of rivers always are.
    """
    context = context or RunContext(1)
    surveys = {street: survey_street(config, street, seed, context) for street in Street}
    with reporting_phase(context.on_event, "bucket boundaries"):
        boundaries = cut_surveys(config, surveys)
    tables: dict[Street, Uint16Array] = {}
    if config.samples_per_street is None:
        dealt = (Street.FLOP, Street.TURN)
        with reporting_phase(context.on_event, "bucket tables", len(dealt)) as advance:
            for street in dealt:
                tables[street] = boundaries.buckets_of(street, surveys[street].values)
                advance(len(tables))
    statistics: dict[Street, BucketStatistics] = {}
    with reporting_phase(context.on_event, "bucket statistics", len(Street)) as advance:
        for street in Street:
            statistics[street] = BucketStatistics.of_survey(surveys[street], boundaries)
            advance(len(statistics))
    origin = {
        **config.facts,
        "seed": seed,
        "supported": {street.label: config.num_supported(street) for street in Street},
        "effective": {street.label: boundaries.num_buckets(street) for street in Street},
    }
    return CardAbstraction(boundaries, config.feature, tables, statistics, origin)


def survey_street(
    config: AbstractionConfig, street: Street, seed: int, context: RunContext
) -> StreetSurvey:
    """Returns the strengths that a street's boundaries are cut from."""
    if config.samples_per_street is None:
        return survey.survey_all(street, config.feature, context)
    if seed < 0:
        raise AbstractionError("seed", f"{seed}, allowed are whole numbers from 0")
    # Each street has a stream of its own, so that its sample depends on nothing else.
    rng = np.random.default_rng([seed, street.num_board_cards])
    deals = survey.deal_random(street, config.samples_per_street, rng)
    return survey.survey_sample(street, config.feature, deals, context)


def cut_surveys(
    config: AbstractionConfig, surveys: Mapping[Street, StreetSurvey]
) -> BucketBoundaries:
    """Returns the boundaries of surveyed streets."""
    asked = tuple(config.num_buckets(street) for street in Street)
    found = [surveys[street] for street in Street]
    cuts = [
        percentile_boundaries(each.values, each.weights, number)
        for each, number in zip(found, asked, strict=True)
    ]
    return BucketBoundaries(tuple(cuts), asked)


# The percentile buckets of a config: opened, or built on the way.

#: Deals that are sampled on each street for a bucket that is built on the way.
DEALS_PER_BUCKET = 10


@dataclass(frozen=True)
class PercentileBuckets:
    """Percentile buckets for a solver, opened or built when they are first asked; an `Abstraction`.

    Building takes seconds, which `open` reports, and its boundaries stay in the cache.

    Attributes:
        num_buckets: on flop, turn and river, for all hands on all boards; if they are built.
        seed: decides which deals are sampled to build them.
        directory: what `CardAbstraction.save` wrote; None to build them.
    """

    num_buckets: tuple[int, int, int]
    seed: int = 0
    directory: Path | None = None
    _opened: list[CardAbstraction] = field(default_factory=list, repr=False, compare=False)
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __call__(self, board: Sequence[int], /) -> Uint16Array:
        """Returns ``[1326]`` the bucket of each combo on a board, 0 for those that it blocks."""
        return self.open()(board)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leaves it to a process that gets it to open its own."""
        return type(self), (self.num_buckets, self.seed, self.directory)

    @property
    def digest(self) -> str | None:
        """What the directory holds; None if buckets are built, which the config decides."""
        if self.directory is None:
            return None
        return read_manifest(self.directory).content_digest

    def open(self, on_event: BucketEventSink = ignore_event) -> CardAbstraction:
        """Returns the abstraction itself; phases of building it are told once."""
        with self._lock:
            if not self._opened:
                self._opened.append(self._make(on_event))
        return self._opened[0]

    def _make(self, on_event: BucketEventSink) -> CardAbstraction:
        if self.directory is not None:
            if not has_bundle(self.directory):
                problem = f"{self.directory} has none, `runout abstraction build` writes them"
                raise AbstractionError("bucket_directory", problem)
            return CardAbstraction.load(self.directory)
        config = AbstractionConfig(*self.num_buckets, DEALS_PER_BUCKET * max(self.num_buckets))

        def cut() -> Arrays:
            context = RunContext(1, cast(EventSink, on_event))  # all its events are phases
            built = build_card_abstraction(config, self.seed, context).boundaries
            return {street.label: built.by_street[street] for street in Street}

        facts = asdict(config) | {"seed": self.seed, "code": digest_sources(*SOURCES)}
        cuts = load_or_build("percentiles/sample", facts, cut)
        by_street = tuple(cast(FloatArray, cuts[street.label]) for street in Street)
        return CardAbstraction(BucketBoundaries(by_street, self.num_buckets), config.feature)
