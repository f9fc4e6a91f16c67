"""What decides the values of a config's flops, and nothing else: the basis of its digest."""

from typing import Any

from runout.cards.card import format_cards
from runout.cards.flops import FlopList
from runout.cfr.discounting import DiscountSchedule
from runout.config.backend_keys import BackendKeys
from runout.config.postflop_readers import plain_sprs
from runout.config.size_choice import PLAYER_KEYS, STREET_KEYS
from runout.config.variant import digest_variant
from runout.trees.bet_sizing import format_bet_size
from runout.trees.betting import BettingRules

_WEIGHT_DIGITS = 10

#: What a backend reads besides the keys of all of them.
_KEYS_OF_BACKEND: dict[str, tuple[str, ...]] = {
    "exhaustive": (),
    "mccfr": ("mccfr_sampling", "mccfr_sample_pct", "value_extraction_samples", "seed"),
    "bucketed": (
        "num_hand_buckets_flop",
        "num_hand_buckets_turn",
        "num_hand_buckets_river",
        "bucket_metric",
        "rebucket_rounds",
        "rebucket_delta_threshold",
        "seed",
    ),
    "exact": ("exact_precision", "seed"),
}


def digest_postflop(
    config: BackendKeys, rules: BettingRules, variant: DiscountSchedule, flops: FlopList
) -> dict[str, Any]:
    """Returns everything that decides the results, as strict JSON.

    Args:
        config: the keys as given.
        rules: the betting that they mean.
        variant: how iterations are weighted.
        flops: the flops that they mean, with weights.
    """
    mapping = {
        "solve_type": config.solve_type,
        "sizes": _digest_sizes(rules),
        "max_raises_per_street": config.max_raises_per_street,
        "postflop_sprs": plain_sprs(config.postflop_sprs),
        "postflop_solve_iterations": config.postflop_solve_iterations,
        "cfr_exploitability_threshold": config.cfr_exploitability_threshold,
        "cfr_strategy_delta_threshold": config.cfr_strategy_delta_threshold,
        "cfr_max_seconds_per_flop": config.cfr_max_seconds_per_flop,
        "cfr_variant": digest_variant(variant),
        "cfr_updates": config.cfr_updates,
        # Rounded, because the last bits of a sum may differ between machines.
        "flops": [
            [format_cards(flop), round(float(weight), _WEIGHT_DIGITS)]
            for flop, weight in zip(flops.flops, flops.weights, strict=True)
        ],
    }
    for key in _KEYS_OF_BACKEND[config.solve_type]:
        mapping[key] = getattr(config, key)
    if config.solve_type == "bucketed" and config.rebucket_rounds > 1:
        mapping["rebucket_warm_start"] = config.rebucket_warm_start
    return mapping


def _digest_sizes(rules: BettingRules) -> dict[str, dict[str, list[str]]]:
    """Returns the sizes of every street and player; order and repetition change no tree."""
    return {
        f"{street}.{player}": {
            "bets": sorted({format_bet_size(size) for size in menu.bets}),
            "raises": sorted({format_bet_size(size) for size in menu.raises}),
        }
        for street, menus in zip(STREET_KEYS, rules.menus, strict=True)
        for player, menu in zip(PLAYER_KEYS, menus, strict=True)
    }
