"""Tests of `runout.cli.inspect`."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from runout.abstraction import card_abstraction as abstraction_module
from runout.cards.deck import HAND_NAMES, matchup_weights, parse_canonical_hand, parse_cards
from runout.cards.flops import GivenFlop, explicit_flops
from runout.cli import inspect as inspect_bundles
from runout.equity.preflop import preflop_table
from runout.errors import CardError
from runout.solutions import values as value_bundle
from runout.solutions.values import ValueBundle
from runout.storage.bundle import read_manifest
from runout.storage.writer import write_bundle
from tests.cli.retired import modern_arguments
from tests.samples.result_samples import random_values
from tests.samples.value_bundles import SPRS, make_values


@pytest.fixture
def run(run):
    """Runs what to type now for a command of an earlier version."""
    return lambda *words: run(*modern_arguments(words))


@pytest.fixture
def whole_run(tmp_path, solved):
    """The directory of a run with a solution and values."""
    path = tmp_path / "run"
    shutil.copytree(solved, path)
    make_values().save(path / "values")
    return path


@pytest.fixture
def values(tmp_path):
    """The directory of values alone."""
    make_values().save(tmp_path / "flops")
    return tmp_path / "flops"


def test_kinds_are_those_of_the_modules_that_take_numba_to_import():
    assert inspect_bundles.ABSTRACTION_KIND == abstraction_module.KIND
    assert inspect_bundles.ABSTRACTION_SCHEMA_VERSION == abstraction_module.SCHEMA_VERSION


def test_a_delta_that_nobody_measured_is_null_in_json(run, tmp_path):
    (solved,) = make_values((3.5,)).values
    reports = tuple(replace(report, strategy_delta=math.nan) for report in solved.reports)
    ValueBundle((replace(solved, reports=reports),), "", "ab" * 32, 7).save(tmp_path / "flops")
    document = json.loads(run("inspect", str(tmp_path / "flops"), "--flops", "--json").stdout)
    (bundle,) = document["bundles"]
    assert bundle["sprs"][0]["flops"][0]["strategy_delta"] is None


def test_flops_are_listed_with_how_each_went(run, values):
    assert "9s6s2s" not in run("inspect", str(values)).stdout
    lines = run("inspect", str(values), "--flops").stdout.splitlines()
    start = lines.index("3 flops at SPR 5.667")
    rows = [line.split() for line in lines[start + 1 : start + 5]]
    assert rows == [
        ["flop", "weight", "iterations", "exploitability", "solving"],
        ["AhKsQd", "75.000%", "10", "0.000%", "0.2", "s"],
        ["9s6s2s", "12.500%", "11", "0.100%", "0.2", "s"],
        ["2s2h2d", "12.500%", "12", "0.200%", "0.2", "s"],
    ]


def test_sampled_deals_and_ranges_are_told(run, tmp_path):
    bundle = make_values([2.0])
    reports = tuple(replace(report, num_deals=40_000) for report in bundle.values[0].reports)
    sampled = replace(bundle.values[0], reports=reports, ranges=np.full((2, 169), 0.5))
    ValueBundle((sampled,), "", "ab" * 32, 7).save(tmp_path / "flops")
    text = run("inspect", str(tmp_path / "flops"), "--flops").stdout
    assert "1.2e+05 deals sampled, both players held only a part of the hands" in text
    assert text.count("4e+04") == 3


def test_in_the_directory_of_a_run_everything_is_shown(run, whole_run):
    text = run("inspect", str(whole_run)).stdout
    parts = [
        run("inspect", str(whole_run / folder)).stdout.rstrip() for folder in ("preflop", "values")
    ]
    assert text.rstrip() == "\n\n".join(parts)


def test_json_has_the_same_facts(run, whole_run):
    document = json.loads(run("inspect", str(whole_run), "--flops", "--json").stdout)
    preflop, flops = document["bundles"]
    manifest = read_manifest(whole_run / "values")
    assert (preflop["kind"], preflop["iterations"]) == ("preflop_solution", 60)
    assert preflop["flop_leaves"]["c:x"]["source"] == "raw equity"
    assert flops["path"] == str(whole_run / "values")
    assert (flops["seed"], flops["config_digest"]) == (7, "ab" * 32)
    assert flops["size_bytes"] == manifest.size_bytes
    assert flops["arrays"]["value_pot_0"]["shape"] == [3, 2, 169, 169]
    assert [summary["spr"] for summary in flops["sprs"]] == list(SPRS)
    (_, second, _) = flops["sprs"][0]["flops"]
    assert (second["flop"], second["weight_fraction"]) == ("9s6s2s", 0.125)
    assert (second["iterations"], second["exploitability_pot"]) == (11, 0.001)
    without = json.loads(run("inspect", str(whole_run), "--json").stdout)["bundles"][1]
    assert "flops" not in without["sprs"][0]
    assert (without["num_flops"], without["has_ranges"]) == (3, False)


def test_flops_of_what_has_none_are_refused(error_line, solved):
    assert error_line("inspect", str(solved), "--flops") == (
        f"--flops: {solved} holds no values of flops"
    )


@pytest.mark.parametrize("folder", ["preflop", "values"])
def test_a_damaged_bundle_of_a_run_is_refused_before_anything_is_shown(
    error_line, whole_run, folder
):
    file = next((whole_run / folder).glob("*.npy"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    assert f"{file}: was changed: its sha256 is " in error_line("inspect", str(whole_run))


def test_an_edited_manifest_is_refused(error_line, values):
    file = values / "manifest.json"
    file.write_text(file.read_text().replace('"seed": 7', '"seed": 8'))
    assert "was edited" in error_line("inspect", str(values))


@pytest.mark.parametrize("kind", ["postflop_values", "preflop_solution", "card_abstraction"])
def test_another_version_is_refused(error_line, tmp_path, kind):
    version = value_bundle.VALUES_SCHEMA_VERSION + 1
    write_bundle(
        tmp_path / "new",
        kind=kind,
        schema_version=version,
        arrays={"flops": np.zeros(3)},
    )
    line = error_line("inspect", str(tmp_path / "new"))
    assert f"has schema version {version}, expected " in line


AA, KK, DEUCES = (parse_canonical_hand(name) for name in ("AA", "KK", "22"))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The directory of a run that holds values only."""
    path = tmp_path_factory.mktemp("values") / "run"
    path.mkdir()
    make_values().save(path / "values")
    return str(path)


@pytest.fixture
def document(run):
    """Runs the command with --json and returns what it prints."""
    return lambda *arguments: json.loads(run("values", *arguments, "--json").stdout)


def test_a_pair_on_a_flop_has_its_value_at_each_ratio_in_both_positions(run, saved):
    result = run("values", saved, "--flop", "AhKsQd", "--hero", "AA", "--villain", "KK")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert result.stdout.startswith("AA against KK on AhKsQd\n")
    assert lines[2] == ["SPR", "AA", "value", "v"]
    for number, values in enumerate(make_values().values):
        oop, ip = (values.value_pot[0, position, AA, KK] for position in (0, 1))
        spr = ("3.5", "5.667")[number]
        assert lines[3 + 2 * number] == [spr, "OOP", f"{oop:.3f}", f"{oop - 0.5:+.3f}"]
        assert lines[4 + 2 * number] == ["IP", f"{ip:.3f}", f"{ip - 0.5:+.3f}"]
    assert "runout flop-equity AhKsQd --versus KK" in result.stdout


def test_suits_do_not_matter(run, saved):
    arguments = ("--hero", "AA", "-v", "KK", "--spr", "3.5")
    texts = {
        run("values", saved, "--flop", flop, *arguments).stdout.replace(shown, "")
        for flop, shown in (("AhKsQd", "AhKsQd"), ("QcKdAh", "QcKdAh"), ("ac kh qs", "AcKhQs"))
    }
    assert len(texts) == 1


def test_documents_name_flops_in_canonical_suits(document, saved):
    found = document(saved, "--flop", "QcKdAh", "--hero", "AA", "--villain", "KK")
    assert found["flop"] == "AsKhQd"


def test_without_a_flop_it_is_the_weighted_average(document, run, saved):
    found = document(saved, "--hero", "AA", "--villain", "KK")
    assert (found["flop"], found["num_flops"]) == (None, 3)
    for values, at_spr in zip(make_values().values, found["sprs"], strict=True):
        for position, name in enumerate(("oop", "ip")):
            expected = values.average(position)[AA, KK]
            assert at_spr[name]["value_pot"] == pytest.approx(expected, rel=1e-12)
            assert at_spr[name]["v_pot"] == at_spr[name]["value_pot"] - 0.5
    text = run("values", saved, "--hero", "AA", "--villain", "KK").stdout
    assert text.startswith("AA against KK on average over 3 flops\n")
    assert "all-in equity before the flop 81.95%" in text


def test_what_one_player_gets_the_other_does_not(document, saved):
    mine = document(saved, "--hero", "AA", "--villain", "KK")["sprs"]
    theirs = document(saved, "--hero", "KK", "--villain", "AA")["sprs"]
    for one, other in zip(mine, theirs, strict=True):
        assert one["oop"]["v_pot"] == pytest.approx(-other["ip"]["v_pot"], abs=1e-7)


@pytest.mark.parametrize("position", [0, 1])
def test_without_a_villain_the_averages_against_all_hands_are_those_of_the_values(
    document, saved, position
):
    name = ("oop", "ip")[position]
    found = document(saved, "--hero", "22", "--spr", "3.5", "--position", name)
    (at_spr,) = found["sprs"]
    assert list(at_spr) == ["spr", name]
    expected = make_values().values[0].average(position)[DEUCES]
    np.testing.assert_allclose(at_spr[name]["value_pot"], expected, rtol=1e-12)
    assert found["hands"] == list(HAND_NAMES)
    assert found["preflop_equity_fraction"][KK] == preflop_table().equity(DEUCES, KK)


def test_without_a_villain_there_is_a_grid_for_each_position(run, saved):
    arguments = ("--flop", "2c2d2h", "--hero", "AA", "--spr", "3.5")
    text = run("values", saved, *arguments).stdout
    oop, ip = text.split("\n\nAA IP against each hand on 2c2d2h, SPR 3.5\n")
    assert oop.startswith("AA OOP against each hand on 2c2d2h, SPR 3.5\n")
    assert run("values", saved, *arguments, "-p", "oop").stdout.rstrip() == oop.rstrip()
    row = make_values().values[0].value_pot[2, 0, AA]
    last = oop.splitlines()[-1].split()
    assert last[0] == "2"
    assert last[-1] == "-"  # no deuces are left
    assert len(ip.splitlines()) == 16
    weights = matchup_weights(parse_cards("2s2h2d"))[AA]
    mean = np.nansum(weights * row) / weights.sum()
    assert f"value in % of the flop pot, {100 * mean:.1f}% against a random hand" in oop


def test_a_ratio_may_be_typed_as_it_is_shown(document, saved):
    arguments = (saved, "--hero", "AA", "--villain", "KK", "--spr")
    assert document(*arguments, "5.667")["sprs"][0]["spr"] == SPRS[1]
    assert document(*arguments, "5.66667")["sprs"][0]["spr"] == SPRS[1]


def test_the_bundle_itself_answers_like_its_run(run, saved):
    arguments = ("--hero", "AKs", "--villain", "QQ")
    of_run, of_bundle = (run("values", path, *arguments) for path in (saved, f"{saved}/values"))
    assert of_run.stdout == of_bundle.stdout != ""


def test_one_ratio_needs_no_choice(run, tmp_path):
    make_values([2.0]).save(tmp_path / "values")
    assert "SPR 2\n" in run("values", str(tmp_path), "--hero", "72o").stdout


def test_a_pair_that_no_flop_allows_is_one_line(error_line, tmp_path):
    values = random_values(flops=explicit_flops(["2s2h2d"]))
    ValueBundle((values,), "", "ab" * 32, 0).save(tmp_path / "values")
    line = error_line("values", str(tmp_path), "--hero", "22", "-v", "AA")
    assert line == "22 against AA: cannot both be dealt on any solved flop"


@pytest.mark.parametrize(("flop", "closest"), [("9h6s2d", "9h7s2d"), ("9h6h2h", "9c7c2c")])
def test_the_nearest_flop_has_near_ranks_and_then_the_same_suits(flop, closest):
    values = random_values(flops=explicit_flops(["AhKs2d", "9c7c2c", "9h7s2d"]))
    with pytest.raises(CardError, match=f"the closest is {closest}"):
        values.find_flop(GivenFlop.parse(flop))
