import math

from runout.cli.progress_text import (
    describe_capped,
    describe_iteration,
    describe_measures,
    describe_place,
    describe_round,
    describe_solved,
)
from runout.events import BucketsCapped, FlopPlace, FlopSolving, RangesRoundFinished


def solving(iteration, delta=0.0032, spr=3.5, pot=None, round=1, total_rounds=1, **rest):
    return FlopSolving("AhKd7s", spr, iteration, 200, pot, delta, round, total_rounds, **rest)


def test_a_place_names_round_flop_and_ratio_as_far_as_there_are_any():
    assert describe_place(FlopPlace("AhKd7s", 3.5, 1, 2)) == "[1/2] AhKd7s SPR 3.5"
    assert describe_place(FlopPlace("AhKd7s", 3.5)) == "AhKd7s SPR 3.5"
    assert describe_place(FlopPlace("AhKd7s")) == "AhKd7s"


def test_the_line_of_a_flop_names_its_round_iteration_and_delta():
    assert describe_iteration(solving(45, total_rounds=2)) == (
        "[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032"
    )
    assert describe_iteration(solving(45, 0.05)) == "Flop 'AhKd7s' iter 45/200 δ=0.0500"


def test_a_backend_that_compares_no_strategies_tells_no_delta():
    assert describe_iteration(solving(3, math.nan)) == "Flop 'AhKd7s' iter 3/200"
    assert describe_measures(solving(3, math.nan)) == ""
    assert describe_measures(solving(3, pot=0.0032)) == "δ=0.0032, 0.32% of the pot"


def test_bounds_are_marked_wherever_they_are_told():
    bound = solving(200, pot=0.5261, is_upper_bound=True)
    assert describe_measures(bound) == "δ=0.0032, ≤52.61% of the pot"
    assert "≤52.61% of the pot" in describe_iteration(bound)
    assert "≤52.61% of the pot" in describe_solved("AhKd7s", [bound], 1.0)
    assert "worst ≤52.61% of the pot" in describe_solved("AhKd7s", [bound, bound], 1.0)


def test_a_solved_flop_leaves_the_line_of_the_design():
    last = solving(38, 0.0009, is_converged=True)
    assert describe_solved("AhKd7s", [last], 6.7) == (
        "AhKd7s converged at iter 38 δ=0.0009 (6.7 s) ✓"
    )


def test_a_flop_that_ran_out_of_iterations_has_not_converged():
    line = describe_solved("AhKd7s", [solving(200, pot=0.0042)], 8.2)
    assert line == "AhKd7s stopped at iter 200 δ=0.0032, 0.42% of the pot (8.2 s)"


def test_several_ratios_are_told_in_one_line():
    last = [
        solving(38, spr=1.0, pot=0.001, is_converged=True),
        solving(200, spr=9.0, pot=0.004),
    ]
    assert describe_solved("AhKd7s", last, 8.2) == (
        "AhKd7s converged at 1 of 2 SPRs, iter 38 to 200, worst 0.40% of the pot (8.2 s)"
    )


def test_capped_buckets_name_their_flop_as_it_was_given():
    assert describe_capped(BucketsCapped("flop", 1400, 249, FlopPlace("9s8s7s", 3.5, 2, 2))) == (
        "[2/2] 9s8s7s SPR 3.5 flop: 249 buckets instead of 1,400, no more hands are different"
    )


def test_a_round_tells_how_far_actions_moved():
    assert describe_round(RangesRoundFinished(1, 3, 0.0123, 0.456)) == (
        "round 1 of at most 3: actions moved by 1.23%, exploitability 0.456 mbb/hand"
    )
