import json
import shutil

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES, matchup_weights, parse_canonical_hand
from runout.cards.card import parse_cards
from runout.cards.flops import canonical_flop, explicit_flops
from runout.cli.values import nearest_flop
from runout.equity.preflop_equity import preflop_table
from runout.results.value_bundle import ValueBundle
from tests.cli.value_bundles import SPRS, make_values
from tests.results.samples import random_values

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
        oop, ip = (values.get_by_flop(0, position, AA, KK) for position in (0, 1))
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
        ("--hero AA -v KK --flop AhAh2d", "Ah: comes twice in AhAh2d"),
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
