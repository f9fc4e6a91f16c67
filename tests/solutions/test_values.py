"""Tests of `runout.solutions.values`."""

import json
import os
from dataclasses import replace
from math import log

import numpy as np
import pytest

from runout.cards.deck import matchup_weights, parse_canonical_hand
from runout.cards.flops import FlopList, GivenFlop, all_flops, explicit_flops, flop_multiplicity
from runout.equity.matchups import preflop_table
from runout.errors import BundleError, CardError
from runout.solutions import values as value_bundle
from runout.solutions.values import (
    ExploitabilityMeaning,
    FlopReport,
    ValueBook,
    ValueBundle,
    ValueSource,
    average_share,
    join_solutions,
    reports_from_array,
    reports_to_array,
    split_solutions,
)
from runout.storage.bundle import read_manifest
from runout.storage.writer import write_bundle
from runout.trees.tree import IP
from tests.samples.result_samples import FLOPS, check_down_values, random_values


def make_solutions(num_ratios=2, num_flops=3):
    """Returns arrays of which one differs by flop and ratio, and one by flop only."""
    random = np.random.default_rng(5)
    shared = [random.integers(0, 9, (4, flop + 1)).astype(np.uint8) for flop in range(num_flops)]
    return tuple(
        tuple(
            {
                "table": random.integers(0, 65536, (flop + 2, 3)).astype(np.uint16),
                "buckets": shared[flop],
            }
            for flop in range(num_flops)
        )
        for _ in range(num_ratios)
    )


def join(solutions):
    """Returns the arrays that are written."""
    joined = {}

    def create(name, shape, dtype):
        joined[name] = np.zeros(shape, dtype)
        return joined[name]

    join_solutions(solutions, create)
    return joined


def test_solutions_survive_and_what_ratios_share_is_there_once():
    solutions = make_solutions()
    joined = join(solutions)
    assert "solution_0_buckets" in joined
    assert "solution_1_buckets" not in joined
    read = split_solutions(joined | {"flops": np.zeros(3)}, 2, 3)
    for of_flops, expected in zip(read, solutions, strict=True):
        for arrays, wanted in zip(of_flops, expected, strict=True):
            assert arrays.keys() == wanted.keys()
            for name, array in wanted.items():
                np.testing.assert_array_equal(arrays[name], array)
                assert arrays[name].dtype == array.dtype


def test_numbers_of_several_types_are_not_mixed():
    (first, *others) = make_solutions()[0]
    mixed = ({**first, "buckets": first["buckets"].astype(np.uint16)}, *others)
    with pytest.raises(BundleError, match="buckets was kept by several versions"):
        join((mixed,))


def test_nothing_is_kept_of_nothing():
    assert join(()) == {}
    assert split_solutions({"flops": np.zeros(3)}, 2, 3) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"solution_0_table": np.zeros(5, np.uint16)},
        {"solution_shape_0_table": np.zeros((2, 2), np.int64)},
        {"solution_shape_0_table": np.full((3, 2), -1)},
        {"solution_shape_0_table": np.zeros(3, np.int64)},
    ],
)
def test_shapes_that_do_not_fit_are_refused(change):
    joined = join(make_solutions()) | change
    with pytest.raises(ValueError, match="solutions"):
        split_solutions(joined, 2, 3)


OOP, IP_TEST_POSTFLOP_VALUES = 0, 1
AA, DEUCES = parse_canonical_hand("AA"), parse_canonical_hand("22")


@pytest.mark.parametrize("position", [-1, 2])
def test_there_is_no_average_of_a_third_position(position):
    with pytest.raises(IndexError, match="OOP = 0 and IP = 1"):
        random_values().average(position)


@pytest.mark.parametrize("position", [OOP, IP_TEST_POSTFLOP_VALUES])
def test_averages_weight_a_flop_by_its_share_times_the_ways_to_deal_both_hands(position):
    values = random_values()
    found = values.average(position)
    for hero, villain in [(0, 1), (0, 0), (13, 91), (DEUCES, 0), (168, 12), (40, 140)]:
        total = weight = 0.0
        for index, flop in enumerate(FLOPS.flops):
            joint = flop_multiplicity(flop) * int(matchup_weights(flop)[hero, villain])
            if joint:
                total += joint * float(values.value_pot[index, position, hero, villain])
                weight += joint
        assert found[hero, villain] == pytest.approx(total / weight, rel=1e-12)


def test_a_hand_is_worth_its_mean_over_all_deals():
    values = random_values()
    found = values.hand_avg_values
    assert found.shape == (2, 169)
    for position in (OOP, IP_TEST_POSTFLOP_VALUES):
        for hero in (0, DEUCES, 13, 91, 168):
            total = weight = 0.0
            for index, flop in enumerate(FLOPS.flops):
                for villain, ways in enumerate(matchup_weights(flop)[hero].tolist()):
                    if ways:
                        joint = flop_multiplicity(flop) * ways
                        total += joint * values.get_by_flop(index, position, hero, villain)
                        weight += joint
            assert found[position, hero] == pytest.approx(total / weight, rel=1e-12)


def test_one_value_is_that_of_the_array_and_errors_name_the_flop_as_given():
    values = random_values(flops=explicit_flops(["2h2c2d", "AhKd7s"]))
    value = values.value_pot[1, OOP, AA, DEUCES]
    assert values.get_by_flop(1, OOP, AA, DEUCES) == value
    flat = 1 * 2 * 169**2 + OOP * 169**2 + AA * 169 + DEUCES
    assert values.value_pot.ravel()[flat] == value
    with pytest.raises(CardError, match="AA against 22: cannot both be dealt on 2h2c2d"):
        values.get_by_flop(0, OOP, AA, DEUCES)


def test_the_share_alone_would_be_another_average():
    values = random_values()
    naive = np.einsum("f,fij->ij", FLOPS.weights, np.nan_to_num(values.value_pot[:, OOP]))
    assert np.nanmax(np.abs(values.average(OOP) - naive)) > 0.05


def test_averages_of_both_players_sum_to_one():
    values = random_values()
    total = values.average(OOP) + values.average(IP_TEST_POSTFLOP_VALUES).T
    np.testing.assert_allclose(total[~np.isnan(total)], 1.0, atol=1e-7)


def test_a_pair_that_no_flop_allows_has_no_average():
    only = explicit_flops(["2s2h2d"])
    average = random_values(flops=only).average(OOP)
    np.testing.assert_array_equal(np.isnan(average), matchup_weights(only.flops[0]) == 0)


def test_a_missing_value_of_hands_that_can_meet_is_an_error():
    values = random_values()
    values.value_pot[1, OOP, 0, 1] = np.nan
    with pytest.raises(BundleError, match="9s6s2s: hands that can meet have no value"):
        values.average(OOP)
    assert np.isfinite(values.average(IP_TEST_POSTFLOP_VALUES)[0, 1])


def test_checking_down_is_worth_the_equity_over_all_deals_of_the_flops():
    values, tables = check_down_values()
    multiplicities = [flop_multiplicity(flop) for flop in FLOPS.flops]
    won = sum(
        m * (table.wins + table.ties / 2) for m, table in zip(multiplicities, tables, strict=True)
    )
    dealt = sum(m * table.totals for m, table in zip(multiplicities, tables, strict=True))
    for position in (OOP, IP_TEST_POSTFLOP_VALUES):
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


REPORTS = [
    FlopReport(240, 0.00096, 0.088, 0.69, 0, ExploitabilityMeaning.OWN_GAME),
    FlopReport(1, 1.25, 1.0, 1e-6, 12_345_678_901, ExploitabilityMeaning.UPPER_BOUND),
]


def test_reports_survive_as_numbers():
    numbers = reports_to_array(REPORTS)
    assert numbers.shape == (2, 6)
    assert numbers.dtype == np.float64
    assert reports_from_array(numbers) == REPORTS


def test_counts_come_back_as_whole_numbers():
    (report,) = reports_from_array(reports_to_array(REPORTS[:1]))
    assert type(report.iterations) is int
    assert type(report.num_deals) is int


@pytest.mark.parametrize("number", [-1.0, 3.0, 0.5, np.nan])
def test_a_meaning_that_nobody_wrote_is_refused(number):
    numbers = reports_to_array(REPORTS)
    numbers[0, -1] = number
    with pytest.raises(ValueError, match="is no meaning"):
        reports_from_array(numbers)


@pytest.mark.parametrize("meaning", ExploitabilityMeaning)
def test_every_meaning_is_explained_in_a_line(meaning):
    assert 10 < len(meaning.explanation) < 80


# --------------------------------------------------------------------------------------------------
# What flops are worth at any stack-to-pot ratio, and where that comes from.


EQUITY = preflop_table().equities()


def level_book(*sprs):
    """Returns a book in which every hand gets the same share: 0 at the first ratio, then 1, 2."""
    return ValueBook(sprs, tuple(np.full((169, 169), float(n)) for n in range(len(sprs))))


def test_without_solved_ratios_flops_are_checked_down():
    values = ValueBook().at_spr(3.0)
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


CONFIG = "solve_type: exhaustive  # ours\n"
FILES = ["flops", "flop_weights", "sprs", "value_pot_0", "value_pot_1", "reports_0"]


def make_bundle():
    return ValueBundle((random_values(3.5), random_values(6.0, seed=1)), CONFIG, "ab" * 32, seed=7)


@pytest.fixture
def path(tmp_path):
    make_bundle().save(tmp_path / "values")
    return tmp_path / "values"


@pytest.mark.parametrize("verify", [True, False])
def test_everything_comes_back(path, verify):
    found, expected = ValueBundle.load(path, verify=verify), make_bundle()
    assert (found.config_text, found.config_digest, found.seed) == (CONFIG, "ab" * 32, 7)
    assert len(found.values) == 2
    for mine, theirs in zip(found.values, expected.values, strict=True):
        assert mine.flops == theirs.flops
        assert mine.spr == theirs.spr
        assert mine.reports == theirs.reports
        assert mine.ranges is None
        assert mine.value_pot.dtype == np.float32
        np.testing.assert_array_equal(mine.value_pot, theirs.value_pot)
        np.testing.assert_array_equal(mine.average(1), theirs.average(1))


def test_flops_keep_the_names_that_were_given(tmp_path):
    flops = explicit_flops(["7dAhKs", "9c6c2c"])
    ValueBundle((random_values(flops=flops),), CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    found = ValueBundle.load(tmp_path / "values").values[0].flops
    assert found.names == ("7dAhKs", "9c6c2c")
    assert found == flops


def test_canonical_names_take_no_file(tmp_path):
    flops = explicit_flops(["AsKh7d"])
    ValueBundle((random_values(flops=flops),), CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    assert "flops_as_given" not in read_manifest(tmp_path / "values").arrays
    assert ValueBundle.load(tmp_path / "values").values[0].flops.names == ("AsKh7d",)


def test_ranges_come_back_too(tmp_path):
    ranges = np.random.default_rng(0).random((2, 169))
    values = (replace(random_values(), ranges=ranges), random_values(6.0))
    ValueBundle(values, CONFIG, "ab" * 32, 7).save(tmp_path / "values")
    found = ValueBundle.load(tmp_path / "values").values
    np.testing.assert_array_equal(found[0].ranges, ranges)
    assert found[1].ranges is None


def test_values_stay_on_disk_and_cannot_be_changed(path):
    with pytest.raises(ValueError, match="read-only"):
        ValueBundle.load(path).values[0].value_pot[0, 0, 0, 1] = 1.0


def test_values_are_found_by_ratio(path):
    bundle = ValueBundle.load(path)
    assert bundle.at_spr(6.0).spr == 6.0
    assert bundle.at_spr(3.5 * (1 + 1e-12)).spr == 3.5


def test_a_ratio_that_was_not_solved_is_an_error_that_lists_the_others(path):
    with pytest.raises(BundleError, match=r"spr 4: was not solved, this bundle has 3\.5, 6"):
        ValueBundle.load(path).at_spr(4.0)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_bit_is_refused(path, name):
    file = path / f"{name}.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(BundleError, match=f"{name}.npy: was changed"):
        ValueBundle.load(path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("verify", [True, False])
def test_a_truncated_or_missing_file_is_refused(path, name, verify):
    file = path / f"{name}.npy"
    os.truncate(file, file.stat().st_size - 1)
    with pytest.raises(BundleError, match=f"{name}.npy: has"):
        ValueBundle.load(path, verify=verify)
    file.unlink()
    with pytest.raises(BundleError, match=f"{name}.npy: is missing"):
        ValueBundle.load(path, verify=verify)


def test_an_edited_manifest_or_config_is_refused(path):
    manifest = path / "manifest.json"
    sound = manifest.read_text()
    raw = json.loads(sound)
    raw["seed"] = 8
    manifest.write_text(json.dumps(raw))
    with pytest.raises(BundleError, match=r"manifest\.json: was edited"):
        ValueBundle.load(path)
    manifest.write_text(sound)
    (path / "config.yaml").write_text(CONFIG.replace("exhaustive", "mccfr     "))
    with pytest.raises(BundleError, match=r"config\.yaml: was changed"):
        ValueBundle.load(path)


def test_a_bundle_of_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(
        value_bundle, "VALUES_SCHEMA_VERSION", value_bundle.VALUES_SCHEMA_VERSION + 1
    )
    make_bundle().save(tmp_path / "values")
    monkeypatch.undo()
    with pytest.raises(BundleError, match="has schema version"):
        ValueBundle.load(tmp_path / "values")


def test_a_bundle_of_another_kind_is_refused(tmp_path):
    write_bundle(tmp_path / "a", kind="book", schema_version=1, arrays={})
    with pytest.raises(BundleError, match="is of kind 'book', expected 'postflop_values'"):
        ValueBundle.load(tmp_path / "a")


@pytest.mark.parametrize(
    "change",
    [
        {"sprs": None},
        {"reports_0": None},
        {"value_pot_0": np.zeros((2, 2, 169, 169), np.float32)},
        {"reports_0": np.zeros((3, 4))},
        {"flops": np.zeros((3, 2), np.uint8)},
        {"flop_weights": np.array([0.5, np.inf, 0.5])},
        {"sprs": np.array([3])},
    ],
    ids=[
        "no ratios",
        "no reports",
        "too few flops",
        "short reports",
        "short flops",
        "endless weights",
        "whole ratios",
    ],
)
def test_a_sound_bundle_with_other_contents_is_refused(tmp_path, change):
    """The digests are right, so somebody wrote something else under our name."""
    values = random_values()
    arrays = {
        "flops": np.array(FLOPS.flops, np.uint8),
        "flop_weights": FLOPS.weights,
        "sprs": np.array([3.5]),
        "value_pot_0": values.value_pot,
        "reports_0": np.ones((3, 6)),
    }
    facts = {"kind": value_bundle.VALUES_KIND, "schema_version": value_bundle.VALUES_SCHEMA_VERSION}
    write_bundle(tmp_path / "sound", **facts, arrays=arrays)
    assert ValueBundle.load(tmp_path / "sound").values[0].spr == 3.5
    changed = {k: v for k, v in (arrays | change).items() if v is not None}
    write_bundle(tmp_path / "other", **facts, arrays=changed)
    problem = "missing or invalid entry|has no array|not finite|this version builds"
    with pytest.raises(BundleError, match=problem):
        ValueBundle.load(tmp_path / "other")


def test_a_bundle_is_not_overwritten_by_accident(path):
    with pytest.raises(BundleError):
        make_bundle().save(path)
    replace(make_bundle(), seed=8).save(path, overwrite=True)
    assert ValueBundle.load(path).seed == 8


def test_a_bundle_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(BundleError, match="does not exist"):
        ValueBundle.load(tmp_path / "nothing")


@pytest.mark.parametrize(("flop", "closest"), [("9h6s2d", "9h7s2d"), ("9h6h2h", "9c7c2c")])
def test_the_nearest_flop_has_near_ranks_and_then_the_same_suits(flop, closest):
    values = random_values(flops=explicit_flops(["AhKs2d", "9c7c2c", "9h7s2d"]))
    with pytest.raises(CardError, match=f"the closest is {closest}"):
        values.flops.find(GivenFlop.parse(flop))
