"""What players call a flop, for reports."""

from typing import Any

from runout.cards.card import RANKS
from runout.cards.flops import describe_texture

Json = dict[str, Any]


def texture_to_json(flop: tuple[int, ...]) -> Json:
    """Returns what players call a flop, under the names by which the page groups flops."""
    texture = describe_texture(flop)
    return {
        "high": f"{RANKS[texture.high_rank]} high",
        "suits": texture.suits.value,
        "pairing": texture.ranks.value,
        "connected": "connected" if texture.is_connected else "disconnected",
    }
