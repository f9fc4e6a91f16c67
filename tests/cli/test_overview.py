"""Tests of `runout.cli.overview`."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from runout.abstraction import card_abstraction as abstraction_module
from runout.cli import overview
from runout.cli.overview import curve_sheet
from runout.solutions import values as value_bundle
from runout.solutions.values import ValueBundle
from runout.storage.bundle import read_manifest
from runout.storage.writer import write_bundle
from tests.cli.retired import modern_arguments
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
    assert overview.ABSTRACTION_KIND == abstraction_module.KIND
    assert overview.ABSTRACTION_SCHEMA_VERSION == abstraction_module.SCHEMA_VERSION


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
    assert "1.2e+05" in text
    assert "both players held only a part of the hands" in text
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
    assert f"{file}: was changed: " in error_line("inspect", str(whole_run))


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


# The curve of a solve.


def test_a_curve_has_its_last_point_and_earlier_ones_at_half_the_iterations():
    points = tuple((iteration, 1000.0 / iteration) for iteration in range(10, 101, 10))
    assert curve_sheet(points).rows == [(10, 100.0), (20, 50.0), (50, 20.0), (100, 10.0)]
    assert curve_sheet(((25, 0.0),)).rows == [(25, 0.0)]
