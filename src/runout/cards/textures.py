"""Textures: what players call a flop, by its high card, suits, pairs and straights."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from runout.cards.card import NUM_RANKS, RANKS, card_rank, card_suit
from runout.cards.flops import canonical_flop


class TextureKind(StrEnum):
    """By what flops are told apart; every flop has one label of each kind."""

    HIGH = "high"
    SUITS = "suits"
    PAIRING = "pairing"
    CONNECTED = "connected"


class SuitPattern(StrEnum):
    """How many suits a flop has."""

    RAINBOW = "rainbow"
    TWO_TONE = "two-tone"
    MONOTONE = "monotone"


class RankPattern(StrEnum):
    """How many ranks a flop has."""

    UNPAIRED = "unpaired"
    PAIRED = "paired"
    TRIPS = "trips"


CONNECTED, DISCONNECTED = "connected", "disconnected"

#: Every label of a kind, the highest card and the most suits first.
LABELS: dict[TextureKind, tuple[str, ...]] = {
    TextureKind.HIGH: tuple(f"{rank} high" for rank in reversed(RANKS)),
    TextureKind.SUITS: tuple(pattern.value for pattern in SuitPattern),
    TextureKind.PAIRING: tuple(pattern.value for pattern in RankPattern),
    TextureKind.CONNECTED: (CONNECTED, DISCONNECTED),
}


@dataclass(frozen=True)
class FlopTexture:
    """What players call a flop.

    Attributes:
        suits: rainbow, two-tone or monotone.
        ranks: unpaired, paired or trips.
        is_connected: whether two hole cards can make a straight with it.
        high_rank: rank of the highest card, 0 deuce .. 12 ace.
    """

    suits: SuitPattern
    ranks: RankPattern
    is_connected: bool
    high_rank: int

    def labels(self) -> dict[str, str]:
        """Returns what the flop is called, by kind."""
        return {
            TextureKind.HIGH: f"{RANKS[self.high_rank]} high",
            TextureKind.SUITS: self.suits.value,
            TextureKind.PAIRING: self.ranks.value,
            TextureKind.CONNECTED: CONNECTED if self.is_connected else DISCONNECTED,
        }


def describe_texture(flop: Sequence[int]) -> FlopTexture:
    """Returns the texture of a flop, canonical or not.

    Raises:
        CardError: if it is not three different cards.
    """
    cards = canonical_flop(flop)
    suits = {card_suit(card) for card in cards}
    ranks = {card_rank(card) for card in cards}
    ranks_with_low_ace = {(rank + 1) % NUM_RANKS for rank in ranks}
    return FlopTexture(
        suits=(SuitPattern.MONOTONE, SuitPattern.TWO_TONE, SuitPattern.RAINBOW)[len(suits) - 1],
        ranks=(RankPattern.TRIPS, RankPattern.PAIRED, RankPattern.UNPAIRED)[len(ranks) - 1],
        is_connected=_fits_a_straight(ranks) or _fits_a_straight(ranks_with_low_ace),
        high_rank=max(ranks),
    )


def _fits_a_straight(ranks: set[int]) -> bool:
    return len(ranks) == 3 and max(ranks) - min(ranks) <= 4
