from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from runout.cards.card import format_cards, parse_board, parse_cards
from runout.cards.combos import COMBO_CARDS, live_combos
from runout.cards.flops import (
    NUM_FLOPS,
    SHIPPED_SUBSET_SIZES,
    GivenFlop,
    all_flops,
    canonical_flop,
    explicit_flops,
    flop_multiplicity,
    random_flops,
    subset_errors,
    subset_flops,
)
from runout.cards.isomorphism import SUIT_MAPPINGS, CanonicalBoard
from runout.cards.textures import describe_texture
from runout.errors import CardError, FlopListError


def test_all_flops_are_the_1755_classes_with_their_share_of_22100():
    counts = Counter(CanonicalBoard.from_cards(flop).cards for flop in combinations(range(52), 3))
    flops = all_flops()
    assert len(flops) == 1_755
    assert dict(zip(flops.flops, flops.weights * NUM_FLOPS, strict=True)) == pytest.approx(counts)
    assert flops.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("text", ["AhKd7s", "7s Kd Ah", "9c6c2c", "2h2d2c", "KdKc7d"])
def test_combos_of_a_canonical_flop_are_renamed_back_to_the_flop_that_was_given(text):
    given = GivenFlop.parse(text)
    assert given.name == text.replace(" ", "")
    assert given.canonical == canonical_flop(parse_cards(text))
    renamed = [given.rename_back(combo) for combo in live_combos(given.canonical)]
    assert sorted(renamed) == live_combos(given.cards).tolist()
    for combo, back in zip(live_combos(given.canonical), renamed, strict=True):
        deal = (*given.cards, *COMBO_CARDS[back].tolist())
        same = any(
            {*m.map_cards(deal[:3])} == {*given.canonical}
            and {*m.map_cards(deal[3:])} == {*COMBO_CARDS[combo].tolist()}
            for m in SUIT_MAPPINGS
        )
        assert same


def test_a_given_flop_is_three_different_cards():
    for text in ("AhKd", "AhAh2d"):
        with pytest.raises(CardError):
            GivenFlop.parse(text)


def test_all_flops_fall_from_aces_to_deuces():
    flops = all_flops().flops
    assert [format_cards(flop) for flop in flops[:3]] == ["AsAhAd", "AsAhKs", "AsAhKd"]
    assert format_cards(flops[-1]) == "2s2h2d"
    assert list(flops) == sorted(flops, reverse=True)


def test_weights_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        all_flops().weights[0] = 1


def test_explicit_flops_keep_their_order_and_get_true_proportions():
    flops = explicit_flops(["7c Kd Ah", parse_cards("2h2d2c"), "9d8d7d", "QhQd4h"])
    assert [format_cards(flop) for flop in flops.flops] == ["AsKh7d", "2s2h2d", "9s8s7s", "QsQh4s"]
    np.testing.assert_allclose(flops.weights, np.array([24, 4, 4, 12]) / 44)


def test_one_explicit_flop_has_all_the_weight():
    flops = explicit_flops(["AhKd7c"])
    assert len(flops) == 1
    assert flops.weights.tolist() == [1.0]
    assert flops == explicit_flops([parse_board("AsKh7d")])
    assert flops != explicit_flops(["AhKd7d"])


def test_flops_that_coincide_are_refused_in_both_spellings():
    with pytest.raises(FlopListError, match=r"'Ah Kd 7c' and 'AsKh7d': both are AsKh7d up to"):
        explicit_flops(["Ah Kd 7c", "2c2d2h", "AsKh7d"])
    with pytest.raises(FlopListError, match=r"'AhKd7c' and '7dAcKh'"):
        explicit_flops([parse_cards("AhKd7c"), parse_cards("7dAcKh")])


def test_empty_lists_are_refused():
    with pytest.raises(FlopListError, match=r"^flops: the list is empty$"):
        explicit_flops([])


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("AhKd", "2 cards, a flop has 3"),
        ("AhKd7c2s", "4 cards, a flop has 3"),
        ("AhKdAh", "Ah: comes twice"),
        ("AhKdXx", "'X' is not a rank"),
        ((0, 1, 60), "card 60: card ids are"),
    ],
)
def test_entries_that_are_no_flops_are_refused(entry, problem):
    with pytest.raises(CardError, match=problem):
        explicit_flops(["2s2h2d", entry])


@pytest.mark.parametrize("count", [1, 25, 920, 921, 1_300, 1_700, 1_754, 1_755])
def test_random_flops_are_different_and_their_weights_sum_to_one(count):
    flops = random_flops(count, seed=1)
    assert len(flops) == len(set(flops.flops)) == count
    assert set(flops.flops) <= set(all_flops().flops)
    assert list(flops.flops) == sorted(flops.flops, reverse=True)
    assert flops.weights.min() > 0
    assert flops.weights.sum() == pytest.approx(1)


def test_random_flops_depend_on_the_seed_only():
    assert random_flops(50, seed=7) == random_flops(50, seed=7)
    assert random_flops(50, seed=7) != random_flops(50, seed=8)


def test_drawing_all_flops_gives_all_flops():
    flops = random_flops(1_755, seed=3)
    assert flops.flops == all_flops().flops
    np.testing.assert_allclose(flops.weights, all_flops().weights)


@pytest.mark.parametrize("count", [30, 1_200])
def test_random_weights_are_unbiased(count):
    # The mean weight over seeds (0 where not drawn) is the flop's true share.
    num_seeds = 1_000
    index_by_flop = {flop: index for index, flop in enumerate(all_flops().flops)}
    mean = np.zeros(1_755)
    for seed in range(num_seeds):
        flops = random_flops(count, seed)
        mean[[index_by_flop[flop] for flop in flops.flops]] += flops.weights / num_seeds
    shares = all_flops().weights
    # 1 / count per draw at most: a draw is binary, so its variance is below share * 24 / 22100.
    largest_weight = max(1 / count, 24 / NUM_FLOPS)
    standard_errors = np.sqrt(shares * largest_weight / num_seeds)
    assert np.abs(mean - shares).max() < 5 * standard_errors.max()
    for multiplicity in (4, 12, 24):
        group = np.rint(shares * NUM_FLOPS) == multiplicity
        assert mean[group].sum() == pytest.approx(shares[group].sum(), rel=0.03)


@pytest.mark.parametrize("count", [0, -1, 1_756])
def test_impossible_sample_sizes_are_refused(count):
    with pytest.raises(FlopListError, match=f"^{count} random flops: between 1 and 1755"):
        random_flops(count, seed=0)


@pytest.mark.parametrize("size", SHIPPED_SUBSET_SIZES)
def test_shipped_subsets_hold_different_canonical_flops(size):
    flops = subset_flops(size)
    assert len(flops) == len(set(flops.flops)) == size
    assert set(flops.flops) <= set(all_flops().flops)
    assert flops.weights.min() > 0
    assert flops.weights.sum() == pytest.approx(1)
    assert not flops.weights.flags.writeable


def test_larger_subsets_have_smaller_errors():
    errors = [subset_errors(size) for size in SHIPPED_SUBSET_SIZES]
    for name in ("matchup_rms", "matchup_max", "hand_rms", "hand_max", "deal_rms"):
        values = [error[name] for error in errors]
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("size", SHIPPED_SUBSET_SIZES)
def test_shipped_subsets_have_nearly_the_true_share_of_each_suit_pattern(size):
    flops = subset_flops(size)
    largest_error = 0.02 if size >= 25 else 0.5 / size  # a flop cannot be halved
    for pattern, share in [("rainbow", 0.3976), ("two-tone", 0.5506), ("monotone", 0.0518)]:
        is_pattern = [describe_texture(flop).suits == pattern for flop in flops.flops]
        assert flops.weights[is_pattern].sum() == pytest.approx(share, abs=largest_error)


def test_unknown_subset_sizes_are_refused():
    with pytest.raises(
        FlopListError,
        match=r"^flop subset of 30: the shipped subsets have 8, 13, 25, 50, 100, 200 flops$",
    ):
        subset_flops(30)


@pytest.mark.parametrize(
    ("text", "multiplicity"),
    [("AhKd7c", 24), ("AhKh7c", 12), ("AhKh7h", 4), ("AhAd7c", 12), ("AhAd7d", 12), ("8h8d8c", 4)],
)
def test_multiplicity_counts_the_flops_that_are_the_same(text, multiplicity):
    assert flop_multiplicity(parse_board(text)) == multiplicity


def test_canonical_flop_refuses_other_boards():
    with pytest.raises(CardError, match="4 cards, a flop has 3"):
        canonical_flop(parse_cards("AhKd7c2s"))


def test_flops_keep_the_names_that_they_were_given():
    listed = explicit_flops(["7s Ah Kd", parse_cards("Tc9h2d")])
    assert listed.names == ("7sAhKd", "Tc9h2d")
    assert [format_cards(flop) for flop in listed.flops] == ["AsKh7d", "Ts9h2d"]
    assert listed == explicit_flops(["AsKh7d", "Ts9h2d"])


def test_flops_that_nobody_named_are_called_by_their_canonical_cards():
    listed = subset_flops(SHIPPED_SUBSET_SIZES[0])
    assert listed.names == tuple(map(format_cards, listed.flops))
