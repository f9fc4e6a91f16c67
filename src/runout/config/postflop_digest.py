"""What decides the values of a config's flops, and nothing else: the basis of its digest."""

from typing import Any

from runout.cards.card import format_cards
from runout.cards.flops import FlopList
from runout.cfr.discounting import DiscountSchedule
from runout.config.postflop_keys import FlopKeys
from runout.config.postflop_readers import plain_sprs
from runout.config.size_choice import PLAYER_KEYS, STREET_KEYS
from runout.config.variant import digest_variant
from runout.trees.bet_sizing import format_bet_size
from runout.trees.betting import BettingRules

_WEIGHT_DIGITS = 10


def digest_postflop(
    config: FlopKeys, rules: BettingRules, variant: DiscountSchedule, flops: FlopList
) -> dict[str, Any]:
    """Returns what decides the results with every backend, as strict JSON.

    Args:
        config: the keys as given.
        rules: the betting that they mean.
        variant: how iterations are weighted.
        flops: the flops that they mean, with weights.
    """
    return {
        "solve_type": config.solve_type,
        "sizes": digest_sizes(rules),
        "max_raises_per_street": config.max_raises_per_street,
        "postflop_sprs": plain_sprs(config.postflop_sprs),
        "postflop_solve_iterations": config.postflop_solve_iterations,
        "cfr_exploitability_threshold": config.cfr_exploitability_threshold,
        "cfr_max_seconds_per_flop": config.cfr_max_seconds_per_flop,
        "cfr_variant": digest_variant(variant),
        # Rounded, because the last bits of a sum may differ between machines.
        "flops": [
            [format_cards(flop), round(float(weight), _WEIGHT_DIGITS)]
            for flop, weight in zip(flops.flops, flops.weights, strict=True)
        ],
    }


def digest_sizes(rules: BettingRules) -> dict[str, dict[str, list[str]]]:
    """Returns the sizes of every street and player; order and repetition change no tree."""
    return {
        f"{street}.{player}": {
            "bets": sorted({format_bet_size(size) for size in menu.bets}),
            "raises": sorted({format_bet_size(size) for size in menu.raises}),
        }
        for street, menus in zip(STREET_KEYS, rules.menus, strict=True)
        for player, menu in zip(PLAYER_KEYS, menus, strict=True)
    }
