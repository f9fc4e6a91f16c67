import math

import pytest

from runout.cards.combos import combo_cards
from runout.cards.flops import all_flops, explicit_flops
from runout.errors import ConfigError, FlopListError, TreeError
from runout.pipeline.report_plan import ReportPlan, count_deals
from runout.ranges.notation import parse_range
from tests.views.small_reports import KEYS

FLOPS = explicit_flops(["AhKd7s", "Th9h6c"])


def make(paths=("root",), flops=FLOPS, source=None, has_size_costs=False, **keys):
    return ReportPlan.make(source, KEYS | keys, flops, paths, has_size_costs=has_size_costs)


@pytest.mark.parametrize(("oop", "ip"), [("AA", "KK"), ("22+,AKs:0.5", "A2s+,KQo")])
def test_pairs_of_combos_on_all_flops_are_those_before_the_flop(oop, ip):
    """Two hands of four cards leave 48 for a flop, whatever they are."""
    ranges = parse_range(oop), parse_range(ip)
    flops = all_flops()
    mean = float((flops.weights * count_deals(flops.names, ranges)).sum())
    before = sum(
        float(weight) * float(other)
        for first, weight in enumerate(ranges[0].weights)
        if weight
        for second, other in enumerate(ranges[1].weights)
        if other and not set(combo_cards(first)) & set(combo_cards(second))
    )
    assert mean == pytest.approx(before * math.comb(48, 3) / math.comb(52, 3), rel=1e-12)


def test_lines_are_found_on_the_tree():
    plan = make(["root", "x", "x:b10", "x-x", ""])
    assert [line.path for line in plan.lines] == ["", "x", "x:b10", "x:x"]
    assert [line.pot for line in plan.lines] == [20.0, 20.0, 30.0, 20.0]
    assert [line.actor for line in plan.lines] == [0, 1, 0, None]
    assert [action.code for action in plan.lines[2].actions] == ["f", "c"]


def test_hands_may_have_any_weight():
    assert make(oop="AKo:0.123,KJs:0.7,99:0.3").spot.oop == "AKo:0.123,KJs:0.7,99:0.3"


def test_flops_on_which_ranges_never_meet_are_left_out():
    plan = make(flops=explicit_flops(["AhAdAs", "AhAd7s", "Th9h6c"]), oop="AA", ip="AA,KK")
    assert plan.flops.names == ("AhAd7s", "Th9h6c")
    assert plan.spot.board == "AhAd7s"


@pytest.mark.parametrize(
    ("keys", "error", "problem"),
    [
        ({"paths": ["x:b99"]}, TreeError, "'b99' is no action after x"),
        ({"paths": ["x:x:8h"]}, TreeError, "has cards in it, a report stays on the flop"),
        ({"paths": ["x:b10:f"]}, TreeError, "ends with a fold"),
        ({"oop": "AhKh"}, ConfigError, "oop: tells suits apart"),
        ({"oop": "A3x"}, ConfigError, "oop"),
        ({"pot": -1}, ConfigError, "pot: -1 is not a positive number"),
        ({"oop": "AA", "ip": "AA", "flops": explicit_flops(["AhAd7s"])}, FlopListError, "on none"),
        ({"has_size_costs": True}, TreeError, "no line has two sizes"),
    ],
)
def test_what_cannot_be_reported_is_refused(keys, error, problem):
    with pytest.raises(error, match=problem):
        make(**keys)


def test_a_spot_with_a_board_is_refused(tmp_path):
    file = tmp_path / "spot.yaml"
    file.write_text("oop: AA\nboard: AhKd7s\nip: KK\npot: 20\nstack: 20\n")
    with pytest.raises(ConfigError, match=r"board: a report takes its flops from .* \(line 2\)"):
        make(source=file)


def test_each_size_is_tried_alone():
    plan = make(
        ["root", "x"],
        has_size_costs=True,
        bet_sizes={"flop": "33%, 100%", "turn": "50%", "river": "50%"},
    )
    assert [(v.player, v.code) for v in plan.variants] == [(0, "b7"), (0, "a"), (1, "b7"), (1, "a")]
    by_player = plan.variants[0].bet_sizes["flop"]
    assert by_player == {"oop": ["33%"], "ip": ["33%", "100%"]}


def test_the_digest_says_what_is_solved_and_not_where():
    plan = make()
    assert plan.spot_digest == make(flops=explicit_flops(["Th9h6c"])).spot_digest
    assert plan.spot_digest == make(["x"], ip="T9s,QQ").spot_digest
    assert plan.spot_digest != make(pot=21).spot_digest
    assert plan.spot_digest != make(max_iterations=21).spot_digest
