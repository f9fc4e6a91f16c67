from collections import Counter

import pytest

from runout.cards.card import parse_board
from runout.cards.flops import all_flops, flop_multiplicity
from runout.cards.textures import (
    LABELS,
    FlopTexture,
    RankPattern,
    SuitPattern,
    TextureKind,
    describe_texture,
)


@pytest.mark.parametrize(
    ("text", "texture"),
    [
        ("AhKd7c", FlopTexture(SuitPattern.RAINBOW, RankPattern.UNPAIRED, False, 12)),
        ("AhKhTc", FlopTexture(SuitPattern.TWO_TONE, RankPattern.UNPAIRED, True, 12)),
        ("Ah2h5h", FlopTexture(SuitPattern.MONOTONE, RankPattern.UNPAIRED, True, 12)),
        ("6h2d3c", FlopTexture(SuitPattern.RAINBOW, RankPattern.UNPAIRED, True, 4)),
        ("7h2d3c", FlopTexture(SuitPattern.RAINBOW, RankPattern.UNPAIRED, False, 5)),
        ("Ah2d6c", FlopTexture(SuitPattern.RAINBOW, RankPattern.UNPAIRED, False, 12)),
        ("KhAd2c", FlopTexture(SuitPattern.RAINBOW, RankPattern.UNPAIRED, False, 12)),
        ("JhJdTd", FlopTexture(SuitPattern.TWO_TONE, RankPattern.PAIRED, False, 9)),
        ("8h8d8c", FlopTexture(SuitPattern.RAINBOW, RankPattern.TRIPS, False, 6)),
    ],
)
def test_textures_are_what_players_call_them(text, texture):
    assert describe_texture(parse_board(text)) == texture


def test_textures_have_their_exact_shares():
    shares: Counter[str] = Counter()
    flops = all_flops()
    for flop in flops.flops:
        texture = describe_texture(flop)
        for label in (texture.suits, texture.ranks, f"connected {texture.is_connected}"):
            shares[label] += flop_multiplicity(flop)
    assert shares["monotone"] == 4 * 286
    assert shares["two-tone"] == 12 * (3 * 286 + 156)
    assert shares["rainbow"] == 24 * 286 + 12 * 156 + 4 * 13
    assert (shares["unpaired"], shares["paired"], shares["trips"]) == (18_304, 3_744, 52)
    # Ranks within a span of five: 6 triples with each lowest rank A..T, 3 with J, 1 with Q.
    assert shares["connected True"] == 64 * 64


def count_labels(weigh):
    """Returns the weight of all flops with each label."""
    counts: Counter[str] = Counter()
    for flop in all_flops().flops:
        for label in describe_texture(flop).labels().values():
            counts[label] += weigh(flop)
    return counts


def test_every_flop_has_one_label_of_each_kind():
    for flop in all_flops().flops:
        labels = describe_texture(flop).labels()
        assert list(labels) == list(TextureKind)
        assert all(label in LABELS[kind] for kind, label in labels.items())


def test_the_1755_flops_are_counted_by_suits_pairs_and_straights():
    """Three different ranks have 286 forms, a pair and a kicker 156, trips 13.

    Three ranks come in one suit, in two in three ways, or in three; a pair and a kicker in two or
    three; trips in three. Straights take ranks within five: 64 of the 286 forms, in 5 ways each.
    """
    counts = count_labels(lambda flop: 1)
    assert counts["monotone"] == 286
    assert counts["two-tone"] == 3 * 286 + 156 == 1_014
    assert counts["rainbow"] == 286 + 156 + 13 == 455
    assert (counts["unpaired"], counts["paired"], counts["trips"]) == (5 * 286, 2 * 156, 13)
    assert counts["connected"] == 5 * 64
    assert counts["disconnected"] == 1_755 - 5 * 64


def test_high_cards_have_their_share_of_all_deals():
    """Flops whose highest rank is r are those of the cards up to r less those below it."""
    counts = count_labels(flop_multiplicity)
    for rank, label in enumerate(reversed(LABELS[TextureKind.HIGH])):
        up_to, below = 4 * (rank + 1), 4 * rank
        assert counts[label] == choose_three(up_to) - choose_three(below)
    assert counts["A high"] == 4_804


def choose_three(number):
    return number * (number - 1) * (number - 2) // 6
