"""Joint games with a weighted subset of the runouts."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from runout.cards.deck import (
    COMBO_CARDS,
    HAND_BY_COMBO,
    disjoint_combos,
    format_card,
    parse_board,
)
from runout.cards.evaluator import evaluate_board
from runout.cards.flops import ALL_RUNOUTS, GivenFlop, RunoutSubset
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.schedules import StoppingRule
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import CardError
from runout.flops.backend import EVERYONE, ONCE
from runout.flops.cards import CardBackend
from runout.flops.spot_solution import TableStrategy
from runout.holdem.cards import CardsToCome
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers
from runout.holdem.tables import Precision
from runout.preflop.joint import count_alike, estimate_subgames
from runout.preflop.shards import save_flop_strategies
from runout.preflop.solver import PreflopSolver
from runout.runs.judge import judge_flops, judge_joint
from runout.solutions.flop_bundles import JointFlops
from runout.trees.betting import BettingRules, Stakes
from runout.trees.tree import PostflopTree
from tests.samples.joint_games import CHECK_DOWN, FLOP_JAM, make_game, one_line
from tests.samples.preflop_games import solution_of

#: Three suits alike, two, and a pair.
FLOPS = ("QsTs5s", "8c5d2h", "KhKd7h")
FEW = RunoutSubset(5, 6)
ONE_BET = PostflopTree.build(BettingRules.of([0.75], 0), Stakes(1.0, 4.0))
NO_BET = PostflopTree.build(CHECK_DOWN, Stakes(1.0, 4.0))


def first_subgame(flop, rivers, subset, tree=ONE_BET):
    """Returns a flop on which nobody has learned anything."""
    backend = CardBackend(ONCE, rivers, runout_subset=subset)
    game = replace(make_game(one_line(), (flop,), FLOP_JAM), backend=backend)
    game.__dict__["flop_trees"] = (tree,)
    return game.play_flops(Team()).subgames[0][0]


def solve(subset, rivers=EXACT_RIVERS, workers=1, iterations=4, precision=Precision.SINGLE):
    """Returns a solver of a joint game on two flops, and its solution."""
    backend = CardBackend(ONCE, rivers, precision, runout_subset=subset)
    game = make_game(one_line(), ("QsTs5s", "9s6s2s"), FLOP_JAM, backend=backend)
    solver = PreflopSolver(game.tree, game.make_leaves(game.play_flops(Team(workers))))
    return solver, solution_of(solver, StoppingRule(iterations))


def reach_of(subgame, seed=1):
    """Returns a range of hands, all suits of a hand alike."""
    reach = np.zeros(subgame.width, np.float32)
    by_hand = np.random.default_rng(seed).random(169) / 1000
    reach[: len(subgame.combos)] = by_hand[HAND_BY_COMBO[subgame.combos]]
    return reach


@pytest.mark.parametrize("flop", FLOPS)
@pytest.mark.parametrize(("rivers", "error"), [(EXACT_RIVERS, 0.002), (BucketRivers(32), 0.05)])
def test_checked_down_flops_are_worth_their_equity(flop, rivers, error):
    subgame = first_subgame(flop, rivers, FEW)
    for template, pair in zip(subgame.game.templates, subgame.tables.by_street, strict=True):
        for player, learning in enumerate(pair):
            learning.strategy_sum[:, template.decisions_of(player)[0]] = (
                1.0  # the first is to check
            )
    equity, reach = compute_board_equity(subgame.game.spot.board), reach_of(subgame)
    edge = (equity.wins.astype(np.float64) - equity.wins.T) / equity.num_runouts
    expected = 0.5 * edge @ reach[: len(edge)]
    for player in (0, 1):
        found = subgame.visit(player, EVALUATING, reach, 0)[: len(edge)]
        assert np.linalg.norm(found - expected) < error * np.linalg.norm(expected)


def test_hands_win_on_drawn_runouts_by_their_chances():
    subgame = first_subgame("8c5d2h", EXACT_RIVERS, FEW, NO_BET)  # no suits are alike
    cards, combos, villain = subgame.game.cards, subgame.combos, 700
    (turns, rivers), missed = cards.deals, subgame.game.card_tables.missed()
    of_turn, of_river = (cards.factors(number, combos) for number in range(2))
    reach, expected = np.zeros(subgame.width, np.float32), np.zeros(len(combos))
    reach[villain] = 1.0
    for turn, boards in enumerate(pairwise(turns.first_next.tolist())):
        for board in range(*boards):
            runout = (int(turns.card[turn]), int(rivers.card[board]))
            strength = evaluate_board(cards.board + runout)[combos].astype(int)
            if strength[villain] == 0:
                continue
            chance = turns.weight[turn] * rivers.weight[board] / (45 * 44)
            for factor in (of_turn[0], of_river[turn]):
                chance = chance * factor * factor[villain]
            expected += chance * np.sign(strength - strength[villain]) * (strength > 0)
    expected *= disjoint_combos(combos, combos[[villain]])[:, 0]
    found = subgame.visit(0, EVALUATING, reach, 0) - 0.5 * missed.unit * missed.codes[0][villain]
    np.testing.assert_allclose(found[: len(combos)], 0.5 * expected, atol=1e-5)


def test_the_chances_of_two_hands_add_up_to_one_on_average():
    cards = CardsToCome.plan(parse_board("QsTs5h"), EVERYONE, subset=RunoutSubset(8, 8))
    combos = cards.players[0].combos
    holds = np.zeros((len(combos), 52))
    holds[np.arange(len(combos))[:, None], COMBO_CARDS[combos]] = 1.0
    can_meet, starts = disjoint_combos(combos, combos), [0, *cards.deals[0].first_next.tolist()]
    for deal, board in ((0, 0), (1, 0), (1, 3)):
        weight, factor = np.zeros(52), cards.factors(deal, combos)[board]
        of_board = range(len(cards.deals[0].card)) if deal == 0 else range(*starts[board + 1 :][:2])
        for number in of_board:
            chance = cards.deals[deal].weight[number] * cards.deals[deal].probability
            weight[cards.deals[deal].cards_like(number)] = chance
        if deal:  # holders of the turn card are not there
            dealt = cards.deals[0].card[board]
            live = holds[:, dealt] == 0.0
            chances = _sum_chances(weight, holds[live], factor[live])[can_meet[np.ix_(live, live)]]
        else:
            chances = _sum_chances(weight, holds, factor)[can_meet]
        assert chances.mean() == pytest.approx(1.0, abs=0.002)
        assert 0.85 < chances.min() < chances.max() < 1.1


def _sum_chances(weight, holds, factor):
    of_hand = holds @ weight
    left = weight.sum() - of_hand - of_hand[:, None]
    assert factor.min() >= 1.0
    return left * factor * factor[:, None]


@pytest.mark.parametrize("rivers", [EXACT_RIVERS, BucketRivers(16)])
def test_with_all_cards_kept_the_bits_are_those_without_a_subset(rivers):
    (_, every), (_, kept) = (
        solve(subset, rivers) for subset in (ALL_RUNOUTS, RunoutSubset(49, 48))
    )
    np.testing.assert_array_equal(every.strategy, kept.strategy)
    np.testing.assert_array_equal(every.ev_bb, kept.ev_bb)


@pytest.mark.parametrize("precision", list(Precision))
def test_any_number_of_workers_finds_the_same_bits(precision):
    one, two = (solve(FEW, BucketRivers(16), each, 3, precision)[1] for each in (1, 2))
    np.testing.assert_array_equal(one.strategy, two.strategy)
    np.testing.assert_array_equal(one.ev_bb, two.ev_bb)


def test_what_both_players_win_adds_up_to_nothing():
    _, solution = solve(FEW, iterations=8)
    deals = np.stack([solution.deals(0, player) for player in (0, 1)])
    won = (deals * solution.ev_bb[:, 0]).sum(axis=1) / deals.sum(axis=1)
    assert won.sum() == pytest.approx(0.0, abs=1e-5)


def test_the_judge_finds_the_loss_in_the_same_runouts(tmp_path):
    solver, solution = solve(FEW)
    save_flop_strategies(tmp_path / "flops", solver.leaves, solution, "")
    saved, subgames = JointFlops.load(tmp_path / "flops"), solver.leaves.subgames
    assert saved.runout_subset == FEW
    game = make_game(
        one_line(), ("QsTs5s", "9s6s2s"), FLOP_JAM, backend=CardBackend(ONCE, runout_subset=FEW)
    )

    def strategy_of(flop, leaf):
        return TableStrategy(subgames[flop][leaf].tables, subgames[flop][leaf].game)

    loss = judge_joint(game, solution, judge_flops(game, range(2), strategy_of, Team()))
    assert loss.exploitability_mbb == pytest.approx(solution.report.exploitability_mbb, rel=1e-4)


def test_a_card_that_was_not_kept_is_refused_in_one_line(tmp_path):
    solver, solution = solve(FEW, BucketRivers(16), iterations=1)
    save_flop_strategies(tmp_path / "flops", solver.leaves, solution, "")
    saved, trees = (
        JointFlops.load(tmp_path / "flops"),
        [solver.leaves.subgames[0][0].game.spot.tree],
    )
    given = GivenFlop.parse("QdTd5d")  # in other suits
    spot = saved.open(given, 0, trees, np.ones((2, 1326)), 1.0)
    node = spot.node("x:x")
    assert 0 < len(node.next_cards) < 49
    assert sum(map(len, spot.cards_alike("x:x"))) == len(node.next_cards)
    spot.node(f"x:x:{format_card(node.next_cards[0])}")
    missing = next(c for c in range(52) if c not in (*node.next_cards, *given.cards))
    with pytest.raises(CardError, match=f"QdTd5d{format_card(missing)}: this turn .* solve-spot"):
        spot.node(f"x:x:{format_card(missing)}")


def test_memory_is_what_is_allocated():
    backend = CardBackend(ONCE, BucketRivers(16), Precision.HALF, runout_subset=FEW)
    game = make_game(one_line(), FLOPS, FLOP_JAM, backend=backend)
    need = estimate_subgames(backend, game.flops.flops, game.flop_trees, 1)
    tables = cards = 0
    for (subgame,) in game.play_flops(Team()).subgames:
        tables += sum(table.nbytes for table in subgame.learned().values())
        plan = backend.plan(subgame.game.spot.board, subgame.game.spot.tree, 1)
        cards += plan.cards.num_bytes
        held = subgame.game.card_tables
        assert plan.cards.arrays["missed.oop"][0] == held.missed().codes[0].shape
        assert plan.cards.arrays["games.oop.bucket"][0] == (held.bucket_games[0].hero.shape)
    assert (need.memory.tables, need.memory.cards) == (tables, cards)
    assert sum(number for _, number in count_alike(game.flops.flops, FEW)) == len(FLOPS)
