import json
import os

import numpy as np
import pytest

from runout.abstraction import (
    AbstractionConfig,
    CardAbstraction,
    Street,
    StrengthFeature,
    SurveyMode,
    build,
    strength_survey,
)
from runout.cli.abstraction_build import (
    Feature,
    Mode,
    checkpoint_directory,
)
from runout.storage.ledger import Ledger

FEW_DEALS = ["--mode", "sampled", "--samples", "40", "--flop-buckets", "4", "--workers", "1"]


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
    assert f"{path}:\nneeds about " in result.stderr
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
    Ledger(tmp_path / "buckets.checkpoint")  # of a kill in the last moment
    request.getfixturevalue("no_work")
    result = build_in()
    assert result.exit_code == 0
    assert "was done before, nothing is left to do" in result.stderr
    assert result.stdout.splitlines()[-1].endswith(", was done before")
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
        (["--mode", "foo"], "--mode: 'foo' is not one of 'exhaustive', 'sampled'"),
        (["--feature", "foo"], "--feature: 'foo' is not one of 'ehs2', 'ehs_squared'"),
        (["--flop-buckets", "0"], "--flop-buckets: 0, allowed are 1 to 65536"),
        (["--turn-buckets", "-3"], "--turn-buckets: -3, allowed are 1 to 65536"),
        (["--river-buckets", "70000"], "--river-buckets: 70000, allowed are 1 to 65536"),
        (["--samples", "10"], "--samples: goes with --mode sampled only"),
        (
            ["--samples", "0", "--mode", "sampled"],
            "--samples: 0 is not a positive number of deals",
        ),
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


SUM_STRENGTHS = strength_survey.sum_strengths


class Counter:
    """Stands in for `sum_strengths`, counts boards and can be interrupted at one."""

    def __init__(self, interrupt_at=None):
        self.num_boards = 0
        self.interrupt_at = interrupt_at

    def __call__(self, board):
        if self.num_boards == self.interrupt_at:
            raise KeyboardInterrupt
        self.num_boards += 1
        return SUM_STRENGTHS(board)


def test_an_interrupted_build_says_how_to_go_on_and_does(build_in, tmp_path, monkeypatch):
    whole = Counter()
    monkeypatch.setattr(strength_survey, "sum_strengths", whole)
    build_in()
    expected = CardAbstraction.load(tmp_path / "buckets")
    os.rename(tmp_path / "buckets", tmp_path / "expected")

    # Parts of 16 flops: the second ends before the interrupt, the turn's only part does not.
    interrupted = Counter(interrupt_at=whole.num_boards - 5)
    monkeypatch.setattr(strength_survey, "sum_strengths", interrupted)
    result = build_in()
    assert result.exit_code == 130
    checkpoint = tmp_path / "buckets.checkpoint"
    assert result.stderr.splitlines()[-1] == (
        f"interrupted; give the same command again to go on, finished parts are in {checkpoint}"
    )
    assert result.stdout == ""
    assert not (tmp_path / "buckets").exists()
    assert checkpoint.is_dir()

    resumed = Counter()
    monkeypatch.setattr(strength_survey, "sum_strengths", resumed)
    result = build_in()
    assert result.exit_code == 0
    assert f"using what fits of 3 finished parts in {checkpoint}" in result.stderr
    assert 0 < resumed.num_boards <= 40  # the flops were all done
    assert not checkpoint.exists()
    found = CardAbstraction.load(tmp_path / "buckets")
    for street in Street:
        boundaries = found.boundaries.of_street(street)
        np.testing.assert_array_equal(boundaries, expected.boundaries.of_street(street))


def test_parts_of_other_boards_are_not_used(build_in, tmp_path, monkeypatch):
    whole = Counter()
    monkeypatch.setattr(strength_survey, "sum_strengths", whole)
    build_in("--seed", "2")
    os.rename(tmp_path / "buckets", tmp_path / "expected")
    monkeypatch.setattr(strength_survey, "sum_strengths", Counter(interrupt_at=30))
    build_in("--seed", "1")
    assert (tmp_path / "buckets.checkpoint").exists()
    again = Counter()
    monkeypatch.setattr(strength_survey, "sum_strengths", again)
    build_in("--seed", "2")
    assert again.num_boards == whole.num_boards
    assert not (tmp_path / "buckets.checkpoint").exists()


def test_finished_parts_lie_next_to_the_result(tmp_path, monkeypatch):
    assert checkpoint_directory(tmp_path / "a") == tmp_path / "a.checkpoint"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert checkpoint_directory(tmp_path / "link") == tmp_path / "a.checkpoint"
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert checkpoint_directory(os.path.curdir) == tmp_path / "work.checkpoint"


def test_options_offer_what_the_abstraction_knows():
    assert [mode.value for mode in Mode] == [mode.value for mode in SurveyMode]
    assert [feature.value for feature in Feature] == [feature.value for feature in StrengthFeature]


def test_help_tells_the_defaults_of_the_config(run):
    text = " ".join(run("abstraction", "build", "--help").stdout.replace("│", " ").split())
    config = AbstractionConfig()
    assert text.count(f"Default {config.flop_buckets:,}.") == 2
    assert config.turn_buckets == config.flop_buckets
    assert f"Default {config.river_buckets:,}." in text
    assert f"default {config.samples_per_street:,}." in text
    assert f"[default: {config.mode.value}]" in text
    assert f"[default: {config.feature.value}]" in text
