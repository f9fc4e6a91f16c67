"""What flops are worth at any stack-to-pot ratio, and where that comes from."""

from math import log

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.cards.flops import explicit_flops
from runout.equity.preflop_equity import preflop_table
from runout.results.value_book import (
    LeafValues,
    ValueBook,
    ValueSource,
    average_share,
)
from runout.trees.postflop_tree import IP
from tests.results.samples import random_values

EQUITY = preflop_table().equities()


def level_book(*sprs):
    """Returns a book in which every hand gets the same share: 0 at the first ratio, then 1, 2."""
    return ValueBook(sprs, tuple(np.full((169, 169), float(n)) for n in range(len(sprs))), {})


def test_without_solved_ratios_flops_are_checked_down():
    values = ValueBook.raw_equity().at_spr(3.0)
    assert (values.source, values.detail) == (ValueSource.RAW_EQUITY, "checked down")
    np.testing.assert_array_equal(values.share_of_ip, EQUITY)


def test_a_solved_ratio_answers_itself():
    values = level_book(2.0, 8.0).at_spr(8.0)
    assert (values.source, values.detail) == (ValueSource.SOLVED, "solved at SPR 8")
    assert (values.share_of_ip == 1.0).all()


@pytest.mark.parametrize("off_by", [-0.0199, -0.01, 0.01, 0.0199])
def test_a_ratio_within_two_percent_counts_as_solved(off_by):
    assert level_book(4.0).at_spr(4.0 * (1 + off_by)).source is ValueSource.SOLVED


@pytest.mark.parametrize("off_by", [-0.0201, 0.0201])
def test_a_ratio_further_away_does_not(off_by):
    assert level_book(4.0).at_spr(4.0 * (1 + off_by)).source is ValueSource.EXTRAPOLATED


def test_of_two_solved_ratios_within_reach_the_closer_one_answers():
    values = level_book(4.0, 4.05).at_spr(4.05)
    assert values.detail == "solved at SPR 4.05"
    assert (values.share_of_ip == 1.0).all()


@pytest.mark.parametrize("spr", [2.5, 4.0, 7.5])
def test_between_two_ratios_values_are_linear_in_the_logarithm(spr):
    values = level_book(2.0, 8.0).at_spr(spr)
    assert (values.source, values.detail) == (ValueSource.INTERPOLATED, "between SPR 2 and 8")
    np.testing.assert_allclose(values.share_of_ip, log(spr / 2.0) / log(8.0 / 2.0), rtol=1e-12)


def test_the_geometric_middle_is_the_mean_of_its_neighbours():
    assert level_book(1.0, 3.0, 12.0).at_spr(6.0).share_of_ip[0, 0] == pytest.approx(1.5)


@pytest.mark.parametrize(("spr", "level", "nearest"), [(0.5, 0.0, "1"), (20.0, 2.0, "9")])
def test_outside_of_all_ratios_the_nearest_is_taken_and_named(spr, level, nearest):
    values = level_book(1.0, 3.0, 9.0).at_spr(spr)
    assert values.source is ValueSource.EXTRAPOLATED
    assert values.detail == f"SPR {spr:g} is outside, taken from SPR {nearest}"
    assert (values.share_of_ip == level).all()


def test_a_leaf_of_its_own_comes_before_any_ratio():
    own = LeafValues(np.zeros((169, 169)), ValueSource.SOLVED, "by itself")
    book = level_book(2.0).with_leaves({"r2.5-c": own})
    assert book.at_leaf("r2.5-c", 2.0) is own
    assert book.at_leaf("c-x", 2.0).detail == "solved at SPR 2"
    assert level_book(2.0).leaves == {}


def test_a_book_is_in_the_order_of_its_ratios():
    deep, shallow = random_values(spr=9.0, seed=1), random_values(spr=2.0, seed=2)
    book = ValueBook.from_values([deep, shallow])
    assert book.sprs == (2.0, 9.0)
    np.testing.assert_array_equal(book.shares[1], average_share(deep))


def test_the_share_is_that_of_the_player_in_position():
    values = random_values()
    share, mean = average_share(values), values.average(IP)
    is_known = ~np.isnan(mean)
    np.testing.assert_array_equal(share[is_known], mean[is_known])
    assert not np.allclose(share, values.average(1 - IP), equal_nan=True)
    assert not share.flags.writeable


def test_hands_that_no_flop_allows_together_get_their_raw_equity():
    flops = explicit_flops(["AhAsAd"])
    share = average_share(random_values(flops=flops))
    is_missing = matchup_weights(flops.flops[0]) == 0
    aces, kings = parse_canonical_hand("AA"), parse_canonical_hand("KK")
    assert is_missing[aces, kings]
    assert share[aces, kings] == pytest.approx(0.819461, abs=1e-6)
    np.testing.assert_array_equal(share[is_missing], EQUITY[is_missing])
    assert not (share[~is_missing] == EQUITY[~is_missing]).any()


def test_averages_over_flops_count_the_ways_to_deal_a_pair():
    values = random_values()
    share = average_share(values)
    hero, villain = parse_canonical_hand("AKs"), parse_canonical_hand("99")
    total = weight = 0.0
    for index, flop in enumerate(values.flops.flops):
        joint = values.flops.weights[index] * matchup_weights(flop)[hero, villain]
        total += joint * float(values.value_pot[index, IP, hero, villain])
        weight += joint
    assert share[hero, villain] == pytest.approx(total / weight, rel=1e-12)
