"""The compact backend: what it needs, and what it loses with real cards."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import live_combos, parse_board, parse_card, parse_combo
from runout.cfr.schedules import DCFR6, StoppingRule
from runout.cfr.team import Team
from runout.flops.backend import EVERYONE
from runout.flops.cards import CardBackend
from runout.flops.turn_buckets import StrengthBuckets, measure_gains, sort_by_gains
from runout.flops.values import RunoutSample
from runout.holdem.cards import CardsToCome, Spot
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import name_of_table
from runout.solutions.flop_bundles import normalize_sums
from runout.trees.tree import IP, OOP
from tests.samples.judging import judge_strategy
from tests.samples.toy_flops import flop_game, ignore_progress, small_tree

FEW_BOARDS = RunoutSample(num_turns=6, num_rivers=3)
FLOP = "9s6s2s"


def test_it_needs_less_memory_than_exact_flops():
    tree = small_tree()
    compact, exact = (
        CardBackend(StoppingRule(10), rivers).estimate(parse_board("AhKsQd"), tree, 1)
        for rivers in (BucketRivers(), EXACT_RIVERS)
    )
    assert compact.memory_bytes < exact.memory_bytes
    assert compact.savings["compact_precision: 16"] < compact.memory_bytes


def test_turn_buckets_tell_nuts_from_less_and_isomorphic_hands_share_one():
    cards = CardsToCome.plan(parse_board("Ks7s2s"), EVERYONE)
    columns, other = StrengthBuckets(16).sort(cards, Team())
    assert columns is other  # both hold everything
    position, turn = cards.players[0].positions(), cards.runouts[0].index((parse_card("Qc"),))

    def bucket(text):
        return int(columns[turn, position[parse_combo(text)]])

    assert bucket("As5s") == 15
    assert bucket("3d4h") < bucket("AdAh") < bucket("As5s")
    assert bucket("AdKh") == bucket("AhKd")
    again = StrengthBuckets(16).sort(cards, Team(2))[0]
    np.testing.assert_array_equal(columns, again)


def test_a_round_of_gains_loses_less_where_turn_buckets_are_few():
    tree, board, losses = small_tree(), parse_board(FLOP), []
    for rounds in (1, 2):
        rivers = BucketRivers(48, turns=StrengthBuckets(6))
        backend = CardBackend(StoppingRule(60), rivers, schedule=DCFR6, sample=FEW_BOARDS)
        solution = replace(backend, rounds=rounds).solve(
            flop_game(FLOP), tree, ignore_progress, Team()
        )
        losses.append(judge_strategy(board, tree, solution.strategy).exploitability_pot)
        assert solution.report.iterations == (60 if rounds == 1 else 85)
    assert losses[1] < 0.95 * losses[0]


def test_buckets_of_gains_are_the_same_on_any_number_of_threads_for_isomorphic_hands():
    spot, turns = Spot(parse_board("Ks7s2s"), EVERYONE, small_tree()), StrengthBuckets(16)
    found = []
    for number in (1, 2):
        rivers = BucketRivers(16, turns=turns)
        solver = SpotSolver(spot, team=Team(number), rivers=rivers)
        solver.run(3)
        found.append(sort_by_gains(solver, turns))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
    cards, position = solver.game.cards, solver.game.cards.players[0].positions()
    turn = cards.runouts[0].index((parse_card("Qc"),))
    pairs = [("AdKh", "AhKd"), ("7d6h", "7h6d"), ("AsTd", "AsTh")]
    for columns in found[0]:
        for pair in pairs:
            one, other = (columns[turn, position[parse_combo(text)]] for text in pair)
            assert one == other
    assert (found[0][0] != found[0][1]).any()  # players have their own


def test_gains_tell_hands_apart_that_act_differently():
    spot = Spot(parse_board("Ks7s2s"), EVERYONE, small_tree())
    solver = SpotSolver(spot, rivers=BucketRivers(16, turns=StrengthBuckets(16)))
    solver.run(10)
    gains = measure_gains(solver, 0)
    cards = solver.game.cards
    assert gains.shape[:2] == (len(cards.runouts[0]), len(cards.players[0].combos))
    assert 0 < gains.shape[2] <= 32
    assert np.isfinite(gains).all()
    # The cards that are dealt make a hand impossible, and impossible hands gain nothing.
    turn, hand = cards.runouts[0].index((parse_card("Qc"),)), parse_combo("QcJd")
    assert not gains[turn, cards.players[0].positions()[hand]].any()


def test_turn_buckets_lose_more_in_less_memory():
    tree, board = small_tree(), parse_board(FLOP)
    losses, sizes = [], []
    for turns in (None, StrengthBuckets(32), StrengthBuckets(2)):
        backend = CardBackend(
            StoppingRule(60), BucketRivers(48, turns=turns), schedule=DCFR6, sample=FEW_BOARDS
        )
        strategy = backend.solve(flop_game(FLOP), tree, ignore_progress, Team()).strategy
        losses.append(judge_strategy(board, tree, strategy).exploitability_pot)
        sizes.append(backend.estimate(board, tree, 1).memory_bytes)
    assert losses[0] < losses[1] < losses[2]
    assert sizes[0] > sizes[1] > sizes[2]


def test_its_strategies_lose_little_with_real_cards():
    tree = small_tree()
    backend = CardBackend(
        StoppingRule(60), BucketRivers(48, "auto"), schedule=DCFR6, sample=FEW_BOARDS
    )
    solution = backend.solve(flop_game(FLOP), tree, ignore_progress, Team())
    loss = judge_strategy(parse_board(FLOP), tree, solution.strategy)
    assert 0.0 < loss.exploitability_pot < 0.02
    assert solution.report.exploitability_pot < 0.02


@pytest.mark.parametrize("turns", [None, StrengthBuckets(7)])
def test_strategies_that_were_kept_are_read_again(turns):
    tree, flop, rivers = small_tree(), parse_board(FLOP), BucketRivers(16, turns=turns)
    backend = CardBackend(StoppingRule(3), rivers, schedule=DCFR6, sample=FEW_BOARDS)
    strategy = backend.solve(flop_game(FLOP), tree, ignore_progress, Team()).strategy
    read = backend.read_strategy(strategy.to_arrays(), flop, tree)
    cards, combos = strategy.game.cards, live_combos(flop)
    for template, dealt in zip(strategy.game.templates, ((), (0,), (0, 4)), strict=True):
        for player in (OOP, IP):
            kept, found = (s.rows(template, player, dealt, combos) for s in (strategy, read))
            np.testing.assert_allclose(found, kept, atol=1e-4)
    assert read.cards.board == cards.board


def test_strategies_of_the_schema_before_are_converted():
    tree, flop = small_tree(), parse_board(FLOP)
    backend = CardBackend(StoppingRule(2), BucketRivers(16), schedule=DCFR6, sample=FEW_BOARDS)
    strategy = backend.solve(flop_game(FLOP), tree, ignore_progress, Team()).strategy
    old = {
        name_of_table(template.street, player, "strategy"): np.stack(
            [
                np.rint(65535 * normalize_sums(sums, template.decisions_of(player)[1]))
                for sums in learning.strategy_sum
            ]
        ).astype(np.uint16)
        for template, pair in zip(strategy.game.templates, strategy.tables.by_street, strict=True)
        for player, learning in enumerate(pair)
    }
    read = backend.read_strategy(old, flop, tree)
    combos = live_combos(flop)
    for template, dealt in zip(strategy.game.templates, ((), (0,), (0, 4)), strict=True):
        kept, found = (s.rows(template, OOP, dealt, combos) for s in (strategy, read))
        np.testing.assert_allclose(found, kept, atol=1e-4)
