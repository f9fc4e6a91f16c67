"""Matrices of the smoke game that a player recognises as poker: properties, with margins."""

from pathlib import Path

import pytest

from runout.cards.deck import parse_canonical_hand
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.execution.context import RunContext
from runout.runs.preflop import check_directory, solve_preflop

SMOKE = Path(__file__).parents[2] / "configs" / "smoke.yaml"
ALL_FLOPS = "flop_subset: 50"
#: A monotone and a rainbow one: enough for what does not hang on the flops.
TWO_FLOPS = "fixed_flops: [As9s4s, KsTh8d]"

BEST = ("AA", "KK")
SUITED_CONNECTORS = ("JTs", "T9s", "98s", "87s", "76s", "65s")


def solve_smoke(flops, iterations):
    text = SMOKE.read_text()
    assert ALL_FLOPS in text
    config = parse_config(text.replace(ALL_FLOPS, flops), RunConfig)
    return solve_preflop(config.model_copy(update={"iterations": iterations})).solution


@pytest.fixture(scope="module")
def on_two_flops():
    return solve_smoke(TWO_FLOPS, 30)


def probability(solution, path, hand):
    return float(solution.strategy[solution.tree.find_node(path), parse_canonical_hand(hand)])


def check_first_decisions(solution):
    for hand in BEST:
        for path in ("f", "r2-f", "a-f"):
            assert probability(solution, path, hand) < 0.001
        for answer in ("r3", "a"):
            folds = probability(solution, f"c-{answer}-f", hand)
            assert probability(solution, "c", hand) * folds < 0.01
    for hand in SUITED_CONNECTORS:
        assert probability(solution, "f", hand) < 0.1
        assert probability(solution, "r2-f", hand) < 0.2
    assert probability(solution, "r2-f", "72o") > 0.8


def test_the_best_hands_never_fold_and_suited_connectors_are_played(on_two_flops):
    check_first_decisions(on_two_flops)


def test_better_hands_of_a_kind_win_more(on_two_flops):
    ev = on_two_flops.ev_bb[0, 0]
    for better, worse in (("AA", "KK"), ("KK", "99"), ("AKs", "AKo"), ("AKo", "72o")):
        assert ev[parse_canonical_hand(better)] > ev[parse_canonical_hand(worse)]


@pytest.mark.slow
def test_the_game_that_a_newcomer_solves_first_is_poker(tmp_path):
    """The big blind defends about four fifths against a minimum raise."""
    run = solve_preflop(
        parse_config(SMOKE, RunConfig), RunContext(2, checkpoints=tmp_path / "checkpoints")
    )
    run.save(tmp_path)
    check_directory(tmp_path, run.plan)
    solution = run.solution
    assert solution.report.exploitability_mbb < 20.0
    assert 0.12 < solution.node("r2").frequency()[0] < 0.32
    assert solution.node().frequency()[0] < 0.3
    check_first_decisions(solution)
