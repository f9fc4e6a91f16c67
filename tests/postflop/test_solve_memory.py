import tracemalloc

import pytest

from runout.cards.card import parse_board
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.holdem.tables import Precision
from runout.postflop.bucketed.bucketed import BucketedBackend
from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver
from runout.postflop.exact.exact import ExactBackend
from runout.postflop.flop_game import FlopGame
from runout.postflop.pair_values import RunoutSample
from runout.postflop.solve_memory import estimate_bucketed_bytes, estimate_exact_bytes
from tests.postflop.toy_flops import ignore_progress, make_tree

FLOP = parse_board("9s6s2s")
SAMPLE = RunoutSample(num_turns=6, num_rivers=3)
PLAN = BucketPlan((20, 20, 20), rounds=2)


def backends():
    rule = StoppingRule(1)
    tree = make_tree(1.0, (1.0,), 0)
    return {
        "bucketed": (
            BucketedBackend(RoundsSolver(PLAN, rule, sample=SAMPLE)),
            estimate_bucketed_bytes(FLOP, tree, PLAN),
        ),
        "exact": (
            ExactBackend(rule, sample=SAMPLE),
            estimate_exact_bytes(FLOP, tree, Precision.SINGLE),
        ),
    }


@pytest.mark.parametrize("name", ["bucketed", "exact"])
def test_what_is_told_before_a_solve_is_held_and_not_far_from_the_truth(name):
    backend, told = backends()[name]
    game, tree = FlopGame.deal(FLOP), make_tree(1.0, (1.0,), 0)
    tracemalloc.start()
    try:
        backend.solve(game, tree, ignore_progress, Team())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.5 * told < peak <= told


def test_more_of_everything_needs_more():
    small, large = make_tree(1.0, (1.0,), 0), make_tree(3.5, (1.0,), 1)
    more = BucketPlan((20, 20, 5000), rounds=2)
    assert estimate_bucketed_bytes(FLOP, small, PLAN) < estimate_bucketed_bytes(FLOP, large, PLAN)
    assert estimate_bucketed_bytes(FLOP, large, PLAN) < estimate_bucketed_bytes(FLOP, large, more)
    one, two = (estimate_exact_bytes(FLOP, large, Precision.SINGLE, n) for n in (1, 2))
    assert one < two
    assert estimate_exact_bytes(FLOP, large, Precision.HALF) < 0.7 * one
