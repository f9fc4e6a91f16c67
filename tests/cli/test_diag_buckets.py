import json

import pytest

from runout.cards.deck import format_cards
from runout.flops import bucketed as rounds
from runout.solutions.values import ValueBundle


@pytest.fixture
def kept(samples):
    """The directory of a flop with two rounds of 9 buckets."""
    return str(samples / "values_bucketed")


def test_rounds_and_worst_buckets_are_shown_to_people(run, kept):
    result = run("diag-buckets", kept, "--top", "2")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1].split() == "round buckets iterations δ bound EV variance ARI".split()
    rounds = [line.split() for line in lines[2:4]]
    assert [(cells[0], cells[1].split("/")[0]) for cells in rounds] == [("1", "9"), ("2", "9")]
    assert rounds[0][-1] == "-"
    headings = [number for number, line in enumerate(lines) if "worst pairs" in line]
    assert len(headings) == 2
    for number in headings:
        assert " 2 of 9 buckets" in lines[number]
        first, second = (float(line.split()[5]) for line in lines[number + 2 : number + 4])
        assert first >= second
        assert lines[number + 4] == ""
    assert max(map(len, lines)) <= 80


def test_json_has_every_bucket_of_every_round(run, kept):
    document = json.loads(run("diag-buckets", kept, "--json").stdout)
    (flop,) = document["flops"]
    (values,) = ValueBundle.load(kept).values
    assert (flop["flop"], flop["spr"]) == (format_cards(values.flops.flops[0]), values.spr)
    first, second = flop["rounds"]
    assert first["adjusted_rand_index"] is None
    assert second["adjusted_rand_index"] <= 1.0
    for entry in (first, second):
        assert entry["num_buckets"]["flop"] == len(entry["buckets"]) == 9
        assert sum(len(bucket["combos"]) for bucket in entry["buckets"]) == 1176
        for bucket in entry["buckets"]:
            assert bucket["strength"]["lowest"] <= bucket["strength"]["highest"]
            assert len(bucket["worst_pair"]["combos"]) == 2
            assert bucket["worst_pair"]["distance_pot"] >= 0.0


def test_people_see_flop_and_hands_in_the_suits_they_have_given(run, kept):
    (flop,) = ValueBundle.load(kept).values[0].flops.flops
    renamed = format_cards(flop).translate(str.maketrans("shdc", "cdhs"))

    def lines_of(flop):
        command = ("diag-buckets", kept, "--flop", flop)
        return run(*command).stdout.splitlines()

    canonical, given = lines_of(format_cards(flop)), lines_of(renamed)
    assert given[0].startswith(f"{renamed} at SPR ")
    for line, other in zip(canonical[1:-3], given[1:-3], strict=True):
        assert other[:50] == line[:50]
        assert len(other) == len(line)
    hands = [
        hand for line in given for hand in line.split() if len(hand) == 4 and hand[1] in "shdc"
    ]
    board = {renamed[:2], renamed[2:4], renamed[4:]}
    assert hands
    assert not any({hand[:2], hand[2:]} & board for hand in hands)


def test_a_directory_is_diagnosed_without_solving_it_again(run, kept, monkeypatch):
    monkeypatch.delattr(rounds.BucketedBackend, "solve_rounds")
    document = json.loads(run("diag-buckets", kept, "--json").stdout)
    (first, second) = document["flops"][0]["rounds"]
    (report,) = ValueBundle.load(kept).values[0].reports
    assert second["final_delta"] == report.strategy_delta
    assert second["exploitability_bound_pot"] == report.exploitability_pot
    assert first["iterations"] + second["iterations"] == report.iterations


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "DIR: is missing, runout diag-buckets needs DIR"),
        (("KEPT", "--spr", "7"), "spr 7: was not solved, this bundle has 1"),
        (("KEPT", "--top", "0"), "--top: 0 is not a positive number"),
        (("KEPT", "--flop", "AhKd"), "AhKd"),
        (("KEPT", "--flop", "AhKd2c"), "flop AhKd2c: is not among the 1 solved flops"),
        (("OTHER",), "postflop_model: exhaustive has no rounds of buckets"),
    ],
)
def test_mistakes_are_one_line(error_line, kept, samples, options, problem):
    places = {"KEPT": kept, "OTHER": str(samples / "values")}
    assert problem in error_line("diag-buckets", *(places.get(o, o) for o in options))
