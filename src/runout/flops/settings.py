"""The backends that configs describe: the one place where a backend is added to `flops`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from runout.abstraction.bucket_map import Abstraction
from runout.abstraction.card_abstraction import PercentileBuckets
from runout.config import flops as configs
from runout.errors import ConfigError
from runout.flops.backend import PostflopBackend
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CHECK_EVERY, DEFAULT_SAMPLE, CardBackend
from runout.flops.hands import HandBackend, Sampling
from runout.flops.turn_buckets import StrengthBuckets
from runout.holdem.rivers import BucketRivers
from runout.holdem.tables import Precision


def _make_hands(config: configs.MccfrConfig | configs.ExhaustiveConfig) -> HandBackend:
    backend = HandBackend(config.stopping_rule(), config.schedule())
    if isinstance(config, configs.ExhaustiveConfig):
        return replace(backend, is_simultaneous=config.cfr_updates == "simultaneous")
    kind, fraction = config.mccfr_sampling, config.mccfr_sample_fraction
    sampling = Sampling(kind, fraction, config.value_extraction_samples, config.seed)
    return replace(backend, sampling=sampling)


def _make_bucketed(config: configs.BucketedConfig) -> BucketedBackend | CardBackend:
    if not config.shares_buckets:
        backend = _make_buckets_of_boards(config, config.turn_buckets, "auto")
        rounds, iterations = config.rebucket_rounds, config.rebucket_iterations
        return replace(backend, rounds=rounds, first_iterations=iterations)
    percentiles = None
    if config.bucket_source == "percentile":
        numbers, place = config.num_hand_buckets, config.bucket_directory
        percentiles = PercentileBuckets(numbers, config.seed, place)
    return BucketedBackend(
        config.num_hand_buckets,
        config.stopping_rule(),
        config.schedule(),
        config.bucket_metric or "emd",
        config.rebucket_rounds,
        config.rebucket_warm_start,
        config.seed,
        abstraction=percentiles,
    )


def _make_exact(config: configs.ExactConfig) -> CardBackend:
    sample = replace(DEFAULT_SAMPLE, seed=config.seed)
    precision = Precision(config.exact_precision)
    return CardBackend(
        config.stopping_rule(), precision=precision, schedule=config.schedule(), sample=sample
    )


def _make_compact(config: configs.CompactConfig) -> CardBackend:
    backend = _make_buckets_of_boards(config, config.turn_buckets, config.river_blockers)
    return replace(backend, precision=Precision(config.compact_precision or 32))


def _make_buckets_of_boards(
    config: configs.BucketedConfig | configs.CompactConfig, number: int | None, blockers: str
) -> CardBackend:
    turns = None if number is None else StrengthBuckets(number, config.seed)
    return CardBackend(
        replace(config.stopping_rule(), check_every=CHECK_EVERY),
        BucketRivers(config.river_buckets, blockers, turns=turns),
        schedule=config.schedule(),
        sample=replace(DEFAULT_SAMPLE, seed=config.seed),
    )


#: How the backend of each ``solve_type`` is made of its config.
MAKERS: dict[str, Callable[[Any], PostflopBackend]] = {
    "mccfr": _make_hands,
    "exhaustive": _make_hands,
    "bucketed": _make_bucketed,
    "exact": _make_exact,
    "compact": _make_compact,
}


def make_backend(
    config: configs.FlopsConfig, abstraction: Abstraction | None = None
) -> PostflopBackend:
    """Returns the backend that a config describes; an abstraction takes the place of its buckets.

    A `ConfigError` refuses an abstraction where the backend plays no buckets of hands.
    """
    if abstraction is not None and getattr(config, "bucket_scope", "") is None:
        config = config.model_copy(update={"bucket_scope": "street"})
    backend = MAKERS[config.solve_type](config)
    if abstraction is None:
        return backend
    if not isinstance(backend, BucketedBackend):
        scope = " with bucket_scope: street"
        problem = f"solve_type {config.solve_type} has no buckets of hands, use bucketed{scope}"
        raise ConfigError("abstraction", problem)
    return replace(backend, abstraction=abstraction)
