"""The compact backend: what it needs, and what it loses with real cards."""

from runout.cards.card import parse_board
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.lab.real_game import judge_strategy
from runout.postflop.compact.compact import CompactBackend
from runout.postflop.exact.exact import ExactBackend
from runout.postflop.pair_values import RunoutSample
from tests.postflop.toy_flops import flop_game, ignore_progress, small_tree

FEW_BOARDS = RunoutSample(num_turns=6, num_rivers=3)
FLOP = "9s6s2s"


def test_it_needs_less_memory_than_exact_flops():
    tree = small_tree()
    compact, exact = (
        backend(StoppingRule(10)).estimate(parse_board("AhKsQd"), tree, 1).memory_bytes
        for backend in (CompactBackend, ExactBackend)
    )
    assert compact < exact
    half = CompactBackend(StoppingRule(10)).estimate(parse_board("AhKsQd"), tree, 1).savings
    assert half["compact_precision: 16"] < compact


def test_its_strategies_lose_little_with_real_cards():
    tree = small_tree()
    backend = CompactBackend(StoppingRule(60), sample=FEW_BOARDS)
    solution = backend.solve(flop_game(FLOP), tree, ignore_progress, Team())
    loss = judge_strategy(parse_board(FLOP), tree, solution.strategy)
    assert 0.0 < loss.exploitability_pot < 0.02
    assert solution.report.exploitability_pot < 0.02
