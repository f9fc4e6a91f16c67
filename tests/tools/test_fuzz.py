"""The short form of `make fuzz`, with a seed of its own, and what the campaign calls a finding."""

import random
import time

import pytest

from runout.errors import RangeError
from tools import fuzz
from tools.bit_flips import every_flip, readers, try_flip
from tools.fuzz import run_campaign
from tools.fuzzing import campaign
from tools.fuzzing.bundle_kinds import desk
from tools.fuzzing.campaign import Kind, make_input, try_inputs
from tools.fuzzing.kinds import all_kinds

SEED = 20
KINDS = {kind.name: kind for kind in all_kinds()}
NUM_INPUTS = {
    **dict.fromkeys(("ranges", "boards", "sizes", "paths"), 1500),
    **{"foreign files": 300, "UPI commands": 500},
    "configs": 250,
    "manifests": 500,
    **dict.fromkeys(("npy files", "json documents", "ledger entries"), 100),
    "command lines": 60,
    "forged bundles": 60,
}


def make_kind(read):
    return Kind("sample", 1.0, lambda rng: rng.random(), read)


@pytest.mark.parametrize("name", KINDS)
def test_every_mutated_input_has_an_answer(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tally = try_inputs(KINDS[name], SEED, range(NUM_INPUTS[name]))
    assert not tally.findings
    assert tally.num_inputs == NUM_INPUTS[name]


def test_all_inputs_are_shared_out():
    assert sum(kind.share for kind in KINDS.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_input_can_be_made_again(kind):
    first = [make_input(kind, SEED, number) for number in range(20)]
    assert first == [make_input(kind, SEED, number) for number in range(20)]
    assert first[1:] != first[:-1]


def test_results_and_errors_of_one_line_are_answers():
    def read(number):
        if number < 0.5:
            raise RangeError("range", "is empty")

    tally = try_inputs(make_kind(read), SEED, range(20))
    assert tally.results > 0
    assert tally.errors["RangeError"] == 20 - tally.results
    assert tally.findings == []


def fail(problem):
    raise problem


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        (lambda number: fail(KeyError("x")), "KeyError: 'x'"),
        (lambda number: fail(RangeError("x" * 5000, "is long")), "an error of 5009 characters"),
        (lambda number: time.sleep(5), "TooSlowError: no answer after 0.1 s"),
        (lambda number: [bytearray(20_000_000)], "took"),
    ],
)
def test_everything_else_is_a_finding(read, problem, monkeypatch):
    monkeypatch.setattr(campaign, "MAX_SECONDS", 0.1)
    if problem == "took":
        monkeypatch.setattr(campaign, "MAX_MEMORY_GROWTH_BYTES", -1)
    (finding,) = try_inputs(make_kind(read), SEED, [7]).findings
    assert finding.number == 7
    assert finding.problem.startswith(problem)


def test_processes_try_every_input_once():
    kinds = [KINDS["boards"], KINDS["ranges"]]
    tallies = run_campaign(kinds, 1500, SEED, num_workers=2)
    assert [tally.num_inputs for tally in tallies.values()] == [750, 750]
    assert tallies["boards"].results == try_inputs(KINDS["boards"], SEED, range(750)).results


def test_mutations_come_from_the_generator_alone():
    random.seed(1)
    first = make_input(KINDS["configs"], SEED, 3)
    random.seed(2)
    assert make_input(KINDS["configs"], SEED, 3) == first


def test_a_process_that_starts_slowly_is_waited_for_and_one_that_hangs_is_not(monkeypatch):
    monkeypatch.setattr(fuzz, "MAX_SILENT_SECONDS", -1.0)
    monkeypatch.setattr(fuzz.Worker, "_start", lambda self: None)
    worker = fuzz.Worker(SEED)
    assert not worker.is_silent()
    worker._begun.value = 3
    assert worker.is_silent()


def test_a_flipped_bit_is_an_error_or_changes_no_answer():
    flips = random.Random(SEED).sample(list(every_flip(SEED, every=3)), 12)
    for name in sorted({flip.sample for flip in flips}):
        answers = readers(desk(name))
        for flip in flips:
            if flip.sample == name:
                assert try_flip(flip, list(answers), answers).total() == len(answers)
