import json
import os
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from runout.abstraction import BucketBoundaries, CardAbstraction, HandStrengthCalculator, Street
from runout.cards.card import parse_board, parse_cards
from runout.cli.app import app

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """The directory of a small sampled abstraction."""
    path = tmp_path_factory.mktemp("abstraction") / "buckets"
    counts = ["--flop-buckets", "4", "--turn-buckets", "1", "--river-buckets", "5"]
    options = ["--mode", "sampled", "--samples", "40", "--seed", "7", *counts]
    result = CliRunner().invoke(app, ["abstraction", "build", "-o", str(path), *options])
    assert result.exit_code == 0
    return path


@pytest.fixture
def bare(tmp_path):
    """The directory of an abstraction of boundaries only."""
    inner = np.array([0.25, 0.5])
    path = tmp_path / "bare"
    CardAbstraction.from_boundaries(BucketBoundaries.from_values(inner, inner, inner)).save(path)
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
    assert document["strength"] == HandStrengthCalculator().calculate(cards, holding).ehs2
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
    lines = run("abstraction", "inspect", str(sampled)).stdout.splitlines()
    assert lines[0] == f"{sampled}: ehs2 of 40 sampled deals per street, seed 7"
    assert " written 20" in lines[1]
    rows = {line[:24].strip(): line[24:].split() for line in lines[3:13]}
    assert rows["buckets requested"] == ["4", "1", "5"]
    assert rows["buckets supported"] == ["1", "1", "1"]
    assert rows["buckets are"] == ["computed"] * 3
    assert rows["deals in the median"][:2] == ["10", "40"]
    titles = [line for line in lines if "boundaries" in line]
    assert titles == [
        "flop boundaries, 3 in all",
        "turn boundaries, 0 in all",
        "river boundaries, 4 in all",
    ]
    assert sum(line.count("█") for line in lines) == 4 * (3 + 4)
    assert all(len(line) <= 80 for line in lines[1:])


def test_inspection_as_json_holds_the_boundaries(run, sampled):
    document = json.loads(run("abstraction", "inspect", str(sampled), "--json").stdout)
    abstraction = CardAbstraction.load(sampled)
    assert document["origin"]["mode"] == "sampled"
    assert document["feature"] == "ehs2"
    for street in Street:
        facts = document[street.label]
        inner = abstraction.boundaries.of_street(street)
        np.testing.assert_array_equal(facts["boundaries"], inner)
        assert facts["num_effective"] == len(inner) + 1


def test_boundaries_of_unknown_origin_can_be_inspected(run, bare):
    text = run("abstraction", "inspect", str(bare)).stdout
    assert text.startswith(f"{bare}: ehs2, of unknown origin\n")
    assert "deals in the largest" not in text


def test_tables_that_are_present_are_said_to_be(run, tmp_path, bare):
    given = CardAbstraction.load(bare)
    table = np.zeros(1_286_792, dtype=np.uint16)
    origin = {"mode": "exhaustive", "seed": 0}
    CardAbstraction(given.boundaries, given.feature, {Street.FLOP: table}, {}, origin).save(
        tmp_path / "tables"
    )
    text = run("abstraction", "inspect", str(tmp_path / "tables")).stdout
    assert "ehs2 of every deal" in text
    (row,) = [line for line in text.splitlines() if line.startswith("buckets are")]
    assert " ".join(row.split()) == "buckets are looked up computed computed"


def test_a_picture_is_written_on_demand(run, sampled, tmp_path):
    result = run("abstraction", "inspect", str(sampled), "--png", str(tmp_path / "plot.png"))
    assert result.exit_code == 0
    assert (tmp_path / "plot.png").read_bytes().startswith(PNG_SIGNATURE)


def test_a_picture_that_cannot_be_written_is_named(error_line, sampled, tmp_path):
    line = error_line("abstraction", "inspect", str(sampled), "--png", str(tmp_path))
    assert line == f"--png {tmp_path}: Is a directory"


def test_matplotlib_is_only_loaded_for_a_picture(run_program, sampled):
    result = run_program("abstraction", "inspect", str(sampled), PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    assert "runout.abstraction" in result.stderr
    assert "matplotlib" not in result.stderr


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


@pytest.fixture(params=["bucket", "inspect"])
def refusal(request, error_line, tmp_path):
    """Opens ``tmp_path / "copy"``, which must be refused, and returns the line after the path."""

    def invoke():
        cards = ["-b", "AhKsQd", "--hand", "JcTc"] if request.param == "bucket" else []
        line = error_line("abstraction", request.param, str(tmp_path / "copy"), *cards)
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
