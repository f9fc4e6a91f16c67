"""Tests of `runout.cli.inspect`."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from runout.abstraction import card_abstraction as abstraction_module
from runout.abstraction.card_abstraction import CardAbstraction
from runout.cards.deck import HAND_NAMES, matchup_weights, parse_canonical_hand, parse_cards
from runout.cards.flops import canonical_flop, explicit_flops
from runout.cli import inspect as inspect_bundles
from runout.cli.inspect import nearest_flop
from runout.equity.preflop import preflop_table
from runout.solutions import values as value_bundle
from runout.solutions.values import ValueBundle
from runout.storage.bundle import describe_machine, read_manifest
from runout.storage.writer import write_bundle
from runout.version import __version__
from tests.samples.bucket_boundaries import make_boundaries
from tests.samples.result_samples import random_values
from tests.samples.value_bundles import SPRS, make_values


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


def test_values_say_where_they_come_from_and_how_well_they_are_solved(run, values):
    lines = run("inspect", str(values)).stdout.splitlines()
    words = [line.split() for line in lines]
    assert lines[0] == f"{values}: values of flops"
    assert words[1] == ["kind", "postflop_values,", "version", "2"]
    assert lines[2].rstrip().endswith(f"UTC by runout {__version__}")
    machine = describe_machine()
    assert lines[3].rstrip().split(maxsplit=1) == ["processor", machine.processor]
    assert words[4] == ["libraries", *f"{machine.blas},".split(), *words[4][-4:]]
    assert words[4][-4:-2] == ["numpy", f"{machine.numpy_version},"]
    assert words[5] == ["seed", "7"]
    assert words[6] == ["config", "digest", "ab" * 8]
    assert "all files as they were written" in lines[7]
    assert ["value_pot_1", "float32", *"3 x 2 x 169 x 169".split(), "686", "kB"] in words
    assert ["3.5", "0.100%", "0.200%", "11", "0.8", "s"] in words
    assert lines[-2] == (
        "3 flops at 2 SPRs: exploitability (own game) 0.10% of the pot on average, 0.20% at worst"
    )
    solving = "solving 1.5 s, flops added up"
    assert lines[-1] == f"{solving}; no deals sampled, both players held all hands"


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


def test_a_solution_has_its_report(run, solved):
    text = run("inspect", str(solved / "preflop")).stdout
    assert text.startswith(f"{solved / 'preflop'}: a preflop solution\n")
    assert "seed            none" in text
    for words in ("flops are checked down", "game value ", "mbb/hand after 60 iterations"):
        assert words in text
    assert text.endswith(f"runout show {solved / 'preflop'} shows its decisions\n")


def test_in_the_directory_of_a_run_everything_is_shown(run, whole_run):
    text = run("inspect", str(whole_run)).stdout
    parts = [
        run("inspect", str(whole_run / folder)).stdout.rstrip() for folder in ("preflop", "values")
    ]
    assert text.rstrip() == "\n\n".join(parts)


def test_finished_flops_of_an_interrupted_run_are_counted(run, tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "a.result").touch()
    result = run("inspect", str(tmp_path))
    kept = f"{tmp_path / 'checkpoints'} keeps 1 finished flop of an interrupted run"
    assert result.stdout == f"{kept}\n"
    assert json.loads(run("inspect", str(tmp_path), "--json").stdout)["num_finished_flops"] == 1


def test_values_that_are_not_written_yet_are_told_from_values_that_never_were(error_line, tmp_path):
    path, folder = tmp_path / "flops", tmp_path / "flops.checkpoints"
    assert error_line("inspect", str(path)) == f"{path}: does not exist"
    folder.mkdir(parents=True)
    for name in "ab":
        (folder / f"{name}.result").touch()
    kept = f"{folder} keeps 2 finished flops of an interrupted run"
    assert error_line("inspect", str(path)) == f"{path}: is not written yet, {kept}"


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


def test_buckets_are_for_another_command(run, tmp_path):
    inner, path = np.array([0.25, 0.5]), tmp_path / "buckets"
    CardAbstraction(make_boundaries(inner, inner, inner)).save(path)
    text = run("inspect", str(path)).stdout
    assert text.startswith(f"{path}: buckets of hands\n")
    assert text.endswith(f"runout abstraction inspect {path} shows the buckets\n")


def test_an_unknown_kind_is_described_by_its_manifest(run, tmp_path):
    fields = np.zeros(2, dtype=[("node", "<i4"), ("ev", "<f8")])
    write_bundle(
        tmp_path / "new",
        kind="novelty",
        schema_version=3,
        arrays={"pairs": fields},
    )
    text = run("inspect", str(tmp_path / "new")).stdout
    assert "a bundle of a kind unknown to this version" in text
    assert "novelty, version 3" in text
    assert "config digest   no config" in text
    assert "[('node', '<i4'), ('ev', '<f8')]" in text


def test_flops_of_what_has_none_are_refused(error_line, solved):
    assert error_line("inspect", str(solved), "--flops") == (
        f"--flops: {solved} holds no values of flops"
    )


def test_what_is_no_bundle_is_refused(error_line, tmp_path):
    assert error_line("inspect", str(tmp_path)).endswith(
        "is no bundle, and no directory of a run that holds some"
    )
    (tmp_path / "file").touch()
    assert error_line("inspect", str(tmp_path / "file")).endswith("is a file, not a bundle")


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


def test_inspecting_compiles_nothing(run_program, whole_run):
    result = run_program("inspect", str(whole_run), PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    assert not any(line.endswith(" numba") for line in result.stderr.splitlines())


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


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("--hero AA -v 22 --flop 2c2d2h", "AA against 22: cannot both be dealt on 2c2d2h"),
        ("--hero 22 --spr 3.5 --flop 2c2d2h", "22: cannot be dealt on 2c2d2h"),
        ("--hero AA -v KK --spr 5", "spr 5: was not solved, this bundle has 3.5, 5.66667"),
        ("--hero AA", "--spr: a grid is of one ratio, give one of 3.5, 5.667, or a --villain"),
        ("--hero AA -v KX", "'KX': not a canonical hand such as AA, AKs or AKo"),
        ("--hero AA -v KK --flop AhKsQd2c", "flop 'AhKsQd2c': 4 cards, a flop has 3"),
        ("--hero AA -v KK --flop AhAh2d", "Ah: dealt twice in AhAh2d"),
        ("-v KK", "--hero: is missing, runout values needs --hero HAND"),
    ],
)
def test_what_cannot_be_answered_is_one_line(error_line, saved, arguments, line):
    assert error_line("values", saved, *arguments.split()) == line


def test_a_flop_that_was_not_solved_names_one_that_comes_close(error_line, saved):
    line = error_line("values", saved, "--hero", "AA", "-v", "KK", "--flop", "9c7c2c")
    assert line == (
        "flop 9c7c2c: is not among the 3 solved flops, 9s6s2s comes close; "
        f"`runout inspect {saved} --flops` lists all"
    )


def test_a_pair_that_no_flop_allows_is_one_line(error_line, tmp_path):
    values = random_values(flops=explicit_flops(["2s2h2d"]))
    ValueBundle((values,), "", "ab" * 32, 0).save(tmp_path / "values")
    line = error_line("values", str(tmp_path), "--hero", "22", "-v", "AA")
    assert line == "22 against AA: cannot both be dealt on any solved flop"


def test_the_nearest_flop_has_near_ranks_and_then_the_same_suits():
    flops = [canonical_flop(parse_cards(text)) for text in ("AhKs2d", "9c7c2c", "9h7s2d")]
    assert nearest_flop(canonical_flop(parse_cards("9h6s2d")), flops) == flops[2]
    assert nearest_flop(canonical_flop(parse_cards("9h6h2h")), flops) == flops[1]


def test_a_run_without_flops_has_no_values(error_line, solved):
    line = error_line("values", str(solved), "--hero", "AA")
    assert line == f"{solved}: holds a preflop solution, but no values of flops"


def test_what_holds_no_values_is_refused(error_line, solved, saved, tmp_path):
    hero = ("--hero", "AA")
    assert "does not exist" in error_line("values", str(tmp_path / "x"), *hero)
    assert "this is no bundle" in error_line("values", str(tmp_path), *hero)
    assert "is of kind 'preflop_solution'" in error_line("values", str(solved / "preflop"), *hero)
    shutil.copytree(f"{saved}/values", tmp_path / "values")
    (tmp_path / "values" / "value_pot_0.npy").write_bytes(b"damaged")
    assert "value_pot_0.npy: has 7 bytes" in error_line("values", str(tmp_path), *hero)


def test_looking_values_up_compiles_nothing(run_program, saved):
    result = run_program(
        "values", saved, "--hero", "AA", "--villain", "KK", PYTHONPROFILEIMPORTTIME="1"
    )
    assert result.returncode == 0
    assert not any(line.endswith(" numba") for line in result.stderr.splitlines())
