"""Tests of `runout.cli.buckets`."""

import io
import json
import os
import shutil
from typing import get_args

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from runout.abstraction import card_abstraction as build
from runout.abstraction import survey as strength_survey
from runout.abstraction.card_abstraction import (
    AbstractionConfig,
    BucketBoundaries,
    BucketStatistics,
    CardAbstraction,
)
from runout.abstraction.survey import StrengthFeature
from runout.cache import kept_files, load_or_build
from runout.cards.deck import parse_board, parse_cards
from runout.cli.buckets import Feature, summary_sheet
from runout.cli.formatting import print_sheet
from runout.cli.program import app
from runout.equity.board import hand_strength, sum_strengths
from runout.storage.ledger import Ledger
from runout.trees.betting import Street
from tests.samples.bucket_boundaries import make_boundaries


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """The directory of a small sampled abstraction."""
    path = tmp_path_factory.mktemp("abstraction") / "buckets"
    counts = ["--flop-buckets", "4", "--turn-buckets", "1", "--river-buckets", "5"]
    options = ["--samples", "40", "--seed", "7", *counts]
    result = CliRunner().invoke(app, ["abstraction", "build", "-o", str(path), *options])
    assert result.exit_code == 0
    return path


@pytest.fixture
def bare(tmp_path):
    """The directory of an abstraction of boundaries only."""
    inner = np.array([0.25, 0.5])
    path = tmp_path / "bare"
    CardAbstraction(make_boundaries(inner, inner, inner)).save(path)
    return path


@pytest.mark.parametrize(
    ("board", "hand", "street"),
    [
        ("AhKsQd", "JcTc", Street.FLOP),
        ("AhKsQd2c", "JcTc", Street.TURN),
        ("AhKsQd2c3d", "7s4s", Street.RIVER),
    ],
)
def test_a_hand_lies_in_its_bucket(run, sampled, board, hand, street):
    arguments = ("abstraction", "bucket", str(sampled), "--board", board, "--hand", hand)
    document = json.loads(run(*arguments, "--json").stdout)
    abstraction = CardAbstraction.load(sampled)
    cards, holding = parse_board(board), tuple(parse_cards(hand))
    assert document["street"] == street.label
    assert document["bucket"] == abstraction.get_bucket(cards, holding)
    assert document["num_buckets"] == abstraction.num_buckets(street)
    assert document["strength"] == hand_strength(cards, holding).ehs2
    above = -1.0 if document["strength_above"] is None else document["strength_above"]
    assert above < document["strength"] <= document["strength_up_to"]
    population = abstraction.statistics[street].population
    assert document["num_deals"] == population[document["bucket"]]


def test_the_strongest_and_the_weakest_bucket_end_at_all_and_nothing(run, sampled):
    arguments = ("abstraction", "bucket", str(sampled), "--board", "AhKhQh2c3d", "--hand")
    strongest = json.loads(run(*arguments, "JhTh", "--json").stdout)
    assert strongest["bucket"] == strongest["num_buckets"] - 1
    assert strongest["strength_up_to"] == 1.0
    weakest = json.loads(run(*arguments, "4s6s", "--json").stdout)
    assert weakest["bucket"] == 0
    assert weakest["strength_above"] is None


def test_a_bucket_is_described_in_words(run, bare):
    result = run("abstraction", "bucket", str(bare), "-b", "AhKhQh2c3d", "--hand", "ThJh")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines == [
        "JhTh on the river AhKhQh2c3d",
        "bucket          2 of 0 (weakest) to 2",
        "strength        100.0000% (ehs2)",
        "in the bucket   above 50.0000%, up to 100.0000%",
        "deals in it     unknown",
    ]


def test_inspection_shows_counts_contents_and_origin(run, sampled):
    lines = run("show", str(sampled)).stdout.splitlines()
    assert lines[0] == f"{sampled}: ehs2 of 40 sampled deals per street, seed 7"
    assert " written 20" in lines[1]
    rows = {line[:24].strip(): line[24:].split() for line in lines[3:13]}
    assert rows["buckets requested"] == ["4", "1", "5"]
    assert rows["buckets supported"] == ["1", "1", "1"]
    assert rows["buckets are"] == ["computed"] * 3
    assert rows["deals in the median"][:2] == ["10", "40"]
    assert all(len(line) <= 80 for line in lines[1:])


def test_inspection_as_json_holds_the_boundaries(run, sampled):
    document = json.loads(run("show", str(sampled), "--json").stdout)
    abstraction = CardAbstraction.load(sampled)
    assert document["origin"]["mode"] == "sampled"
    assert document["feature"] == "ehs2"
    for street in Street:
        facts = document[street.label]
        inner = abstraction.boundaries.by_street[street]
        np.testing.assert_array_equal(facts["boundaries"], inner)
        assert facts["num_effective"] == len(inner) + 1


def test_boundaries_of_unknown_origin_can_be_inspected(run, bare):
    text = run("show", str(bare)).stdout
    assert text.startswith(f"{bare}: ehs2, of unknown origin\n")
    assert "deals in the largest" not in text


def test_tables_that_are_present_are_said_to_be(run, tmp_path, bare):
    given = CardAbstraction.load(bare)
    table = np.zeros(1_286_792, dtype=np.uint16)
    origin = {"mode": "exhaustive", "seed": 0}
    CardAbstraction(given.boundaries, given.feature, {Street.FLOP: table}, {}, origin).save(
        tmp_path / "tables"
    )
    text = run("show", str(tmp_path / "tables")).stdout
    assert "ehs2 of every deal" in text
    (row,) = [line for line in text.splitlines() if line.startswith("buckets are")]
    assert " ".join(row.split()) == "buckets are looked up computed computed"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["-b", "AhKs", "--hand", "JcTc"], "board 'AhKs': 2 cards, a board has 3"),
        (["-b", "AhKsQd", "--hand", "AhTc"], "Ah: is on the board AhKsQd already"),
        (["-b", "AhKsQd", "--hand", "JcT"], "'JcT': "),
        (["-b", "AhKsQd"], "--hand: is missing, runout abstraction bucket needs --hand CARDS"),
    ],
)
def test_bad_cards_are_named(error_line, sampled, options, line):
    assert error_line("abstraction", "bucket", str(sampled), *options).startswith(line)


@pytest.fixture
def refusal(error_line, tmp_path):
    """Opens ``tmp_path / "copy"``, which must be refused, and returns the line after the path."""

    def invoke():
        cards = "-b", "AhKsQd", "--hand", "JcTc"
        line = error_line("abstraction", "bucket", str(tmp_path / "copy"), *cards)
        return line.removeprefix(f"{tmp_path}/copy")

    return invoke


def test_a_directory_that_is_not_there_is_refused(refusal):
    assert refusal() == ": does not exist"


def test_a_directory_that_is_no_bundle_is_refused(refusal, tmp_path):
    (tmp_path / "copy").mkdir()
    assert refusal() == "/manifest.json: is missing, so this is no bundle"


def test_a_truncated_file_is_refused(refusal, sampled, tmp_path):
    shutil.copytree(sampled, tmp_path / "copy")
    os.truncate(tmp_path / "copy/flop_boundaries.npy", 100)
    assert refusal().startswith("/flop_boundaries.npy: has 100 bytes, the manifest says ")


def test_an_edited_file_is_refused(refusal, sampled, tmp_path):
    shutil.copytree(sampled, tmp_path / "copy")
    facts = tmp_path / "copy/abstraction.json"
    facts.write_text(facts.read_text().replace("ehs2", "ehs3"))
    assert refusal().startswith("/abstraction.json: was changed")


def test_a_bundle_of_a_later_version_is_refused(refusal, sampled, tmp_path):
    shutil.copytree(sampled, tmp_path / "copy")
    manifest = tmp_path / "copy/manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"schema_version": 1', '"schema_version": 2'))
    assert refusal() == "/manifest.json: has schema version 2, expected 1"


FEW_DEALS = ["--samples", "40", "--flop-buckets", "4", "--workers", "1"]


@pytest.fixture
def build_in(run, tmp_path):
    """Runs a small build into ``tmp_path / "buckets"``."""

    def invoke(*options):
        return run("abstraction", "build", "-o", str(tmp_path / "buckets"), *FEW_DEALS, *options)

    return invoke


@pytest.fixture
def no_work(monkeypatch):
    """Fails the test if anything is built."""
    monkeypatch.setattr(build, "build_card_abstraction", lambda *_: pytest.fail("work was begun"))


def test_a_build_says_what_it_needs_and_what_came_of_it(build_in, tmp_path):
    result = build_in()
    assert result.exit_code == 0
    path = tmp_path / "buckets"
    assert f"{path}:\nat most about " in result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["flop", "turn", "river"]
    rows = {line[:24].strip(): line[24:].split() for line in lines[1:-1]}
    assert rows["buckets requested"] == ["4", "5,000", "20,000"]
    assert rows["buckets effective"][0] == "4"
    assert rows["deals in the smallest"][0] == rows["deals in the largest"][0] == "10"
    assert lines[-1].startswith(f"wrote {path}, ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["buckets"]


def test_json_counts_what_the_bundle_holds(build_in, tmp_path):
    document = json.loads(build_in("--json", "--seed", "3").stdout)
    abstraction = CardAbstraction.load(document["path"])
    assert abstraction.origin["seed"] == 3
    for street in Street:
        facts = document[street.label]
        assert facts["num_effective"] == abstraction.num_buckets(street)
        population = abstraction.statistics[street].population
        assert facts["deals_in_bucket"]["largest"] == population.max()
        assert facts["num_supported"] == 1
        assert facts["has_table"] is False
    files = (tmp_path / "buckets").iterdir()
    sizes = {file.name: file.stat().st_size for file in files}
    assert document["size_bytes"] == sum(sizes.values()) - sizes["manifest.json"]


def test_the_feature_is_the_one_that_was_chosen(build_in, tmp_path):
    build_in("--feature", "ehs_squared")
    assert CardAbstraction.load(tmp_path / "buckets").feature is StrengthFeature.EHS_SQUARED


def test_a_finished_build_given_again_is_a_note_and_no_work(build_in, tmp_path, request):
    build_in()
    Ledger(tmp_path / "buckets.checkpoints")  # of a kill in the last moment
    request.getfixturevalue("no_work")
    result = build_in()
    assert result.exit_code == 0
    assert "already complete; use --overwrite" in result.stderr
    assert result.stdout.splitlines()[-1].endswith(", already complete")
    assert [entry.name for entry in tmp_path.iterdir()] == ["buckets"]


def test_another_abstraction_is_refused_with_the_difference(build_in, tmp_path, request):
    build_in()
    request.getfixturevalue("no_work")
    result = build_in("--feature", "ehs_squared")
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: {tmp_path}/buckets: is another abstraction, give --overwrite to replace it: "
        "feature is ehs2 there and ehs_squared here\n"
    )


def test_overwriting_replaces_an_abstraction_even_a_damaged_one(build_in, tmp_path):
    (tmp_path / "buckets").mkdir()
    (tmp_path / "buckets/manifest.json").write_text("damaged")
    assert build_in("--overwrite").exit_code == 0
    assert CardAbstraction.load(tmp_path / "buckets").num_buckets(Street.FLOP) == 4


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--feature", "foo"], "--feature: 'foo' is not one of 'ehs2', 'ehs_squared'"),
        (["--flop-buckets", "0"], "--flop-buckets: 0, allowed are 1 to 65536"),
        (["--turn-buckets", "-3"], "--turn-buckets: -3, allowed are 1 to 65536"),
        (["--river-buckets", "70000"], "--river-buckets: 70000, allowed are 1 to 65536"),
        (["--samples", "0"], "--samples: 0 is not a positive number of deals"),
        (["--seed", "-1"], "--seed: -1 is negative, seeds start at 0"),
        (["--workers", "0"], "--workers: 0 is not a positive number"),
    ],
)
def test_impossible_options_are_named_before_any_work(error_line, tmp_path, no_work, options, line):
    found = error_line("abstraction", "build", "-o", str(tmp_path / "new/buckets"), *options)
    assert found == line
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named_before_any_work(error_line, no_work):
    line = error_line("abstraction", "build", "-o", "/dev/null/buckets")
    assert line.startswith("/dev/null/buckets: cannot be written (")


def test_an_interrupted_build_leaves_nothing(build_in, tmp_path, monkeypatch):
    calls = iter(range(6))

    def sum_or_interrupt(board):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return sum_strengths(board)

    monkeypatch.setattr(strength_survey, "sum_strengths", sum_or_interrupt)
    result = build_in()
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1] == "interrupted before any part was finished"
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_options_offer_what_the_abstraction_knows():
    assert list(get_args(Feature)) == [feature.value for feature in StrengthFeature]


def test_help_tells_the_defaults_of_the_config(run):
    text = " ".join(run("abstraction", "build", "--help").stdout.replace("│", " ").split())
    config = AbstractionConfig()
    assert text.count(f"[default: {config.flop_buckets}]") == 2
    assert config.turn_buckets == config.flop_buckets
    assert f"[default: {config.river_buckets}]" in text
    assert f"[default: {config.feature.value}]" in text


FLOP_STATISTICS = BucketStatistics(
    population=np.array([10, 30, 20]),
    lowest=np.array([0.1, 0.3, 0.6]),
    mean=np.array([0.15, 0.4, 0.7]),
    highest=np.array([0.2, 0.5, 0.6]),
)


@pytest.fixture
def summaries():
    inner = np.array([0.25, 0.5])
    abstraction = CardAbstraction(
        BucketBoundaries((inner, inner, inner[:1]), (3, 4, 5)),
        StrengthFeature.EHS2,
        {Street.TURN: np.zeros(13_960_050, dtype=np.uint16)},
        {Street.FLOP: FLOP_STATISTICS},
        {"supported": {"flop": 2}},
    )
    return abstraction.summaries()


def test_counts_are_those_of_each_street(summaries):
    def facts(key):
        return [summary[key] for summary in summaries.values()]

    assert list(summaries) == ["flop", "turn", "river"]
    assert facts("num_requested") == [3, 4, 5]
    assert facts("num_effective") == [3, 3, 2]
    assert facts("num_supported") == [2, None, None]
    assert facts("has_table") == [False, True, False]


def test_contents_are_summed_up(summaries):
    flop = summaries["flop"]
    assert flop["deals_in_bucket"] == {"smallest": 10, "median": 20.0, "largest": 30}
    assert flop["strength_spread_in_bucket"]["max"] == pytest.approx(0.2)
    mean = (10 * 0.1 + 30 * 0.2 + 20 * 0.0) / 60
    assert flop["strength_spread_in_bucket"]["mean"] == pytest.approx(mean)
    assert summaries["turn"]["deals_in_bucket"] is None
    assert summaries["river"]["strength_spread_in_bucket"] is None


def test_the_table_has_a_column_for_each_street(summaries):
    file = io.StringIO()
    print_sheet(Console(file=file, width=80), summary_sheet(summaries))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert lines[0].split() == ["flop", "turn", "river"]
    cells = {line[:24].strip(): line[24:].split() for line in lines[1:]}
    assert cells["buckets requested"] == ["3", "4", "5"]
    assert cells["buckets supported"] == ["2", "-", "-"]
    assert cells["deals in the largest"] == ["30", "-", "-"]
    assert cells["spread of strength, max"] == ["20.000%", "-", "-"]


def test_what_is_kept_for_later_solves_is_shown_and_cleared(monkeypatch, tmp_path, run):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path))
    monkeypatch.setenv("RUNOUT_CACHE_MB", "10")
    empty = run("abstraction", "cache").stdout.splitlines()
    assert empty == [f"{tmp_path / 'kept'}: 0 B of at most 10 MB"]
    for name in ("buckets/AhKd7s", "buckets/9s6s2s", "equity/AhKd7s"):
        load_or_build(name, {}, lambda: {"numbers": np.arange(100)})
    document = json.loads(run("abstraction", "cache", "--json").stdout)
    sizes = document["kinds"]
    assert {name: kind["num_files"] for name, kind in sizes.items()} == {"buckets": 2, "equity": 1}
    assert sum(kind["size_bytes"] for kind in sizes.values()) == sum(
        file.st_size for file in kept_files().values()
    )
    assert document["limit_bytes"] == 10**7
    lines = run("abstraction", "cache", "--clear").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["buckets", "2"], ["equity", "1"]]
    assert "cleared" in lines[-1]
    assert kept_files() == {}
