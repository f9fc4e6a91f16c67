from dataclasses import replace

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.cards.flops import FlopList, all_flops, explicit_flops, flop_multiplicity
from runout.equity.preflop_equity import preflop_table
from runout.errors import CardError
from tests.results.samples import FLOPS, check_down_values, random_values

OOP, IP = 0, 1
AA, DEUCES = parse_canonical_hand("AA"), parse_canonical_hand("22")


def test_values_are_found_by_flop_position_and_hands():
    values = random_values()
    for index in [(0, 0, 3, 5), (2, 1, 168, 0), (1, 1, 90, 91)]:
        assert values.get_by_flop(*index) == values.value_pot[index]
    one = values.get_by_flop(1, OOP, 7, 11) + values.get_by_flop(1, IP, 11, 7)
    assert one == pytest.approx(1.0, abs=1e-7)


def test_hands_that_cannot_meet_are_an_error_that_names_them_and_the_flop():
    with pytest.raises(CardError, match="AA against 22: cannot both be dealt on 2s2h2d"):
        random_values().get_by_flop(2, OOP, AA, DEUCES)


@pytest.mark.parametrize(
    "index",
    [(3, 0, 0, 1), (0, 2, 0, 1), (0, 0, 169, 1), (0, 0, 0, 169),
     (-1, 0, 0, 1), (0, -1, 0, 1), (0, 0, -1, 1), (0, 0, 0, -1)],
)  # fmt: skip
def test_what_does_not_exist_is_an_error_and_not_a_number(index):
    with pytest.raises(IndexError):
        random_values().get_by_flop(*index)


@pytest.mark.parametrize("position", [-1, 2])
def test_there_is_no_average_of_a_third_position(position):
    with pytest.raises(IndexError, match="OOP = 0 and IP = 1"):
        random_values().average(position)


@pytest.mark.parametrize("position", [OOP, IP])
def test_averages_weight_a_flop_by_its_share_times_the_ways_to_deal_both_hands(position):
    values = random_values()
    found = values.average(position)
    for hero, villain in [(0, 1), (0, 0), (13, 91), (DEUCES, 0), (168, 12), (40, 140)]:
        total = weight = 0.0
        for index, flop in enumerate(FLOPS.flops):
            joint = flop_multiplicity(flop) * int(matchup_weights(flop)[hero, villain])
            if joint:
                total += joint * values.get_by_flop(index, position, hero, villain)
                weight += joint
        assert found[hero, villain] == pytest.approx(total / weight, rel=1e-12)


def test_the_share_alone_would_be_another_average():
    values = random_values()
    naive = np.einsum("f,fij->ij", FLOPS.weights, np.nan_to_num(values.value_pot[:, OOP]))
    assert np.nanmax(np.abs(values.average(OOP) - naive)) > 0.05


def test_averages_of_both_players_sum_to_one():
    values = random_values()
    total = values.average(OOP) + values.average(IP).T
    np.testing.assert_allclose(total[~np.isnan(total)], 1.0, atol=1e-7)


def test_a_pair_that_no_flop_allows_has_no_average():
    only = explicit_flops(["2s2h2d"])
    average = random_values(flops=only).average(OOP)
    np.testing.assert_array_equal(np.isnan(average), matchup_weights(only.flops[0]) == 0)


def test_a_missing_value_of_hands_that_can_meet_is_an_error():
    values = random_values()
    values.value_pot[1, OOP, 0, 1] = np.nan
    with pytest.raises(ValueError, match="9s6s2s: hands that can meet have no value"):
        values.average(OOP)
    assert np.isfinite(values.average(IP)[0, 1])


def test_checking_down_is_worth_the_equity_over_all_deals_of_the_flops():
    values, tables = check_down_values()
    multiplicities = [flop_multiplicity(flop) for flop in FLOPS.flops]
    won = sum(
        m * (table.wins + table.ties / 2) for m, table in zip(multiplicities, tables, strict=True)
    )
    dealt = sum(m * table.totals for m, table in zip(multiplicities, tables, strict=True))
    for position in (OOP, IP):
        np.testing.assert_allclose(values.average(position), won / dealt, atol=1e-7)


@pytest.mark.slow
def test_checking_down_on_every_flop_is_worth_the_preflop_equity():
    flops = all_flops()
    share, total = np.zeros((169, 169)), np.zeros((169, 169))
    for begin in range(0, len(flops), 195):  # in nine parts, to save memory
        part = slice(begin, begin + 195)
        weights = flops.weights[part]
        some = FlopList(flops.flops[part], weights)
        joint = sum(w * matchup_weights(f) for f, w in zip(some.flops, weights, strict=True))
        share += joint * np.nan_to_num(check_down_values(some)[0].average(OOP))
        total += joint
    np.testing.assert_allclose(share / total, preflop_table().equities(), atol=1e-7)


@pytest.mark.parametrize("shape", [(2, 2, 169, 169), (3, 1, 169, 169), (3, 2, 169, 168)])
def test_values_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match="3 flops need"):
        replace(random_values(), value_pot=np.zeros(shape, np.float32))


def test_every_flop_needs_a_report():
    values = random_values()
    with pytest.raises(ValueError, match="with 2 reports"):
        replace(values, reports=values.reports[:2])
