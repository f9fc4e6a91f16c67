"""The backends that configs describe: the one place where a backend is added to `flops`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from runout.abstraction.bucket_map import Abstraction
from runout.config.flops import (
    BucketedConfig,
    CompactConfig,
    ExactConfig,
    ExhaustiveConfig,
    FlopsConfig,
    MccfrConfig,
)
from runout.errors import ConfigError
from runout.flops.backend import PostflopBackend
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CHECK_EVERY, DEFAULT_SAMPLE, CardBackend
from runout.flops.hands import HandBackend, Sampling
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers, Rivers
from runout.holdem.tables import Precision


def _make_mccfr(config: MccfrConfig) -> HandBackend:
    sampling = Sampling(
        config.mccfr_sampling,
        config.mccfr_sample_fraction,
        config.value_extraction_samples,
        config.seed,
    )
    return HandBackend(config.stopping_rule(), config.schedule(), sampling)


def _make_exhaustive(config: ExhaustiveConfig) -> HandBackend:
    is_simultaneous = config.cfr_updates == "simultaneous"
    return HandBackend(config.stopping_rule(), config.schedule(), is_simultaneous=is_simultaneous)


def make_bucketed(config: BucketedConfig) -> BucketedBackend:
    """Returns the backend of buckets that a config describes."""
    return BucketedBackend(
        config.num_hand_buckets,
        config.stopping_rule(),
        config.schedule(),
        config.bucket_metric,
        config.rebucket_rounds,
        config.rebucket_warm_start,
        config.seed,
    )


def _make_cards(config: ExactConfig | CompactConfig) -> CardBackend:
    rule, rivers = config.stopping_rule(), cast(Rivers, EXACT_RIVERS)
    if isinstance(config, CompactConfig):
        rule, bits = replace(rule, check_every=CHECK_EVERY), config.compact_precision
        rivers = BucketRivers(config.river_buckets, config.river_blockers)
    else:
        bits = config.exact_precision
    sample = replace(DEFAULT_SAMPLE, seed=config.seed)
    return CardBackend(rule, rivers, Precision(bits), config.schedule(), sample)


#: How the backend of each ``solve_type`` is made of its config.
MAKERS: dict[str, Callable[[Any], PostflopBackend]] = {
    "mccfr": _make_mccfr,
    "exhaustive": _make_exhaustive,
    "bucketed": make_bucketed,
    "exact": _make_cards,
    "compact": _make_cards,
}


def make_backend(config: FlopsConfig, abstraction: Abstraction | None = None) -> PostflopBackend:
    """Returns the backend that a config describes; an abstraction takes the place of its buckets.

    Raises:
        ConfigError: if there is an abstraction and the backend plays no buckets of hands.
    """
    backend = MAKERS[config.solve_type](config)
    if abstraction is None:
        return backend
    if not isinstance(backend, BucketedBackend):
        problem = f"solve_type {config.solve_type} has no buckets of hands, use bucketed"
        raise ConfigError("abstraction", problem)
    return replace(backend, abstraction=abstraction)
