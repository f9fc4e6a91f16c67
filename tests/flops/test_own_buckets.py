"""Own buckets of hands: solved like built-in ones, and judged with real cards."""

from functools import cache

import numpy as np
import pytest

import runout
from runout.abstraction.bucket_map import FlopBuckets, build_flop_buckets
from runout.abstraction.card_abstraction import AbstractionConfig, build_card_abstraction
from runout.cards.deck import NUM_COMBOS, combo_index, parse_board, permute_combos
from runout.cards.flops import CanonicalBoard
from runout.cfr.schedules import LINEAR
from runout.errors import AbstractionError, ConfigError, ExecutionError, RangeError
from runout.events import FlopSolving
from runout.execution.context import RunContext
from runout.flops.bucketed_solver import BucketedSolver
from runout.flops.solve import PostflopPlan
from runout.holdem.solver import SpotSolver
from runout.runs.judge import judge_spot
from runout.trees.betting import Street
from tests.flops.test_bucketed import ALL_CARDS, all_combos, tiny_game
from tests.samples.judging import judge_strategy

FLOP = "9s9h4d"
CARDS = parse_board(FLOP)
NUM_BUCKETS = (9, 8, 7)
SMALL = {"spr": 1, "bet_sizes": "a", "max_raises_per_street": 0, "max_iterations": 4}
RANKS = np.array([(low // 4, high // 4) for high in range(52) for low in range(high)])
SUITS = np.array([(low % 4, high % 4) for high in range(52) for low in range(high)])


def by_pairs(board):
    return np.isin(RANKS, [card // 4 for card in board]).sum(axis=1)


def by_spades(board):
    return (SUITS == 3).sum(axis=1)


@cache
def built_in():
    return build_flop_buckets(CARDS, NUM_BUCKETS)


def solve(**keys):
    return runout.solve_flop(FLOP, context=RunContext(1), **SMALL | keys)


def test_the_partition_decides_and_not_who_made_it_nor_the_names_of_its_buckets():
    def renamed(board):
        return 1_000 - built_in()(board)

    expected = solve(num_buckets=NUM_BUCKETS)
    for abstraction in (built_in(), renamed):
        found = solve(abstraction=abstraction)
        np.testing.assert_array_equal(found.value_pot, expected.value_pot)
        np.testing.assert_array_equal(found.node("x").strategy, expected.node("x").strategy)
    assert runout.exploitability(found) == runout.exploitability(expected)


def test_what_a_lossless_partition_loses_is_what_the_exact_solve_loses():
    """All cards in two iterations: see `test_bucketed`, where each is that of the exact solver."""
    game = tiny_game({Street.FLOP, Street.TURN})
    number = np.full(NUM_COMBOS, 12)
    number[all_combos(game)] = np.arange(12)

    def lossless(board):
        place = combo_index(*board[3:]) if len(board) == 5 else sum(board[3:])
        return 13 * place + number

    exact = SpotSolver(game.spot, LINEAR)
    bucketed = BucketedSolver(
        game, FlopBuckets.of(game.cards.board, lossless), LINEAR, sampled=ALL_CARDS
    )
    exact.run(2)
    bucketed.run(2)
    loss = judge_spot(game.spot, bucketed.strategy())
    assert loss.exploitability_pot == pytest.approx(exact.exploitability() / 2.0, rel=1e-3)


def test_with_real_cards_a_coarse_partition_loses_more_than_a_fine_one():
    coarse = solve(abstraction=lambda board: np.zeros(1326, int), max_iterations=100)
    fine = solve(abstraction=built_in(), max_iterations=100)
    assert runout.exploitability(coarse) > runout.exploitability(fine) + 0.01


def test_the_exact_backend_is_judged_as_it_judges_itself():
    solved = solve(solve_type="exact", oop="99+,AK", ip="77+,AQs+")
    own = solved.report.exploitability_pot
    assert runout.exploitability(solved) == pytest.approx(own, rel=1e-4)


def test_spots_are_judged_with_real_cards():
    keys = {"board": FLOP, "oop": "88+,AK", "ip": "66+,AQs+", "pot": 10, "stack": 10}
    few = {
        "bet_sizes": "a",
        "max_iterations": 100,
        "rake_rate": 0.05,
        "context": RunContext(1),
        "target": None,
    }
    exact = runout.solve_spot(**keys, **few)
    assert runout.exploitability(exact) == pytest.approx(exact.exploitability_pot)
    compact = runout.solve_spot(**keys, **few, rivers="compact", river_buckets=16)
    real = runout.exploitability(compact)
    assert real > compact.exploitability_pot > 0.0
    exact.solver.run(50)
    assert runout.exploitability(exact) < exact.exploitability_pot


def test_anything_else_is_refused():
    with pytest.raises(ExecutionError, match="a int: not a solution of solve_spot or solve_flop"):
        runout.exploitability(3)


def test_buckets_that_tell_suits_apart_are_judged_so():
    buckets = FlopBuckets.of(CARDS, by_spades)
    assert not buckets.merges_suits
    assert built_in().merges_suits
    assert FlopBuckets.of(CARDS, by_pairs).merges_suits
    solved = solve(abstraction=buckets)
    assert not solved.spot.merges_suits
    tree = solved.spot.tree
    apart = judge_strategy(CARDS, tree, solved.strategy, merges_suits=False).exploitability_pot
    assert judge_strategy(CARDS, tree, solved.strategy).exploitability_pot == apart
    assert runout.exploitability(solved) == apart


def test_buckets_of_a_flop_are_an_abstraction_of_it():
    again = FlopBuckets.of(CARDS, lambda board: np.maximum(built_in()(board), 0))
    for table in ("by_flop", "by_turn", "by_river"):
        np.testing.assert_array_equal(getattr(again, table), getattr(built_in(), table))
    assert again.num_buckets == built_in().num_buckets
    assert FlopBuckets.of(CARDS, built_in()) is built_in()
    with pytest.raises(AbstractionError, match="AhKd7s: not a board of the flop 9s9h4d"):
        FlopBuckets.of(parse_board("AhKd7s"), built_in())


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (lambda board: np.zeros(1_325, int), r"shape \(1325,\).*\[1326\] whole numbers are needed"),
        (lambda board: np.zeros(1_326), "type float64"),
        (lambda board: np.full(1_326, -1), "2d2c has bucket -1, numbers from 0 up are needed"),
        (
            lambda board: np.arange(1_326) + 1_326 * sum(board[3:]),
            "buckets on a street: at most 32,767 are possible",
        ),
    ],
)
def test_what_is_no_partition_is_refused(wrong, problem):
    with pytest.raises(AbstractionError, match=problem):
        solve(abstraction=wrong)


PERCENTILES = {"solve_type": "bucketed", "bucket_source": "percentile"}
FEW = {f"num_hand_buckets_{street.label}": 9 - street for street in Street}


@cache
def percentiles():
    return build_card_abstraction(AbstractionConfig(9, 8, 7, 90), seed=0)


def test_percentile_buckets_solve_a_flop_and_have_a_real_loss(tmp_path):
    """Built on the way, of a directory and given in Python they are the same."""
    path = tmp_path / "buckets"
    percentiles().save(path)
    configs = [runout.FlopsConfig(**PERCENTILES, **FEW)]
    configs += [runout.FlopsConfig(**PERCENTILES, bucket_directory=path)]
    expected = solve(abstraction=percentiles())
    for config in configs:
        found = solve(config=config)
        np.testing.assert_array_equal(found.value_pot, expected.value_pot)
        np.testing.assert_array_equal(found.node("x").strategy, expected.node("x").strategy)
    assert found.strategy.buckets.num_buckets <= (9, 8, 7)
    loss = runout.exploitability(found)
    assert 0.0 < loss < 1.0
    assert loss == runout.exploitability(expected)
    assert found.report.exploitability_pot > 0.0


def test_percentile_buckets_are_swept_and_resumed(tmp_path):
    keys = {"fixed_flops": [FLOP], "postflop_sprs": [1], "postflop_solve_iterations": 4}
    keys |= {"solve_type": "bucketed", "bet_sizes": ["a"], "max_raises_per_street": 0, **FEW}
    sources = ["histogram", "percentile"]
    config = {"sweep": {"seeds": 1, "grid": {"bucket_source": sources}}, "postflop_model": keys}
    checkpoints = RunContext(1, checkpoints=tmp_path / "ledger")
    found = runout.sweep(config, context=checkpoints)
    losses = found.to_dataframe().set_index("choice")["real"]
    assert set(losses.index) == {f"bucket_source {source}" for source in sources}
    assert losses.between(0.0, 1.0, inclusive="neither").all()
    assert losses.nunique() == 2
    model = runout.FlopsConfig(**keys | {"bucket_source": "percentile"})
    first = runout.solve_flops(model, RunContext(1, checkpoints=tmp_path / "flops"))
    again = runout.solve_flops(model, RunContext(1, checkpoints=tmp_path / "flops"))
    np.testing.assert_array_equal(first.values[0].value_pot, again.values[0].value_pot)


def test_other_percentiles_in_a_directory_are_another_solve(tmp_path):
    path = tmp_path / "buckets"
    config = runout.FlopsConfig(**PERCENTILES, bucket_directory=path)
    plan = PostflopPlan.make(config)
    percentiles().save(path)
    facts = plan.facts
    build_card_abstraction(AbstractionConfig(9, 8, 7, 80)).save(path, overwrite=True)
    assert plan.facts != facts


def test_percentiles_that_are_not_there_are_one_line(tmp_path):
    config = runout.FlopsConfig(**PERCENTILES, bucket_directory=tmp_path / "no")
    with pytest.raises(AbstractionError, match=r"bucket_directory: .*no has none, `runout abstr"):
        solve(config=config)


@pytest.mark.parametrize("solve_type", ["exhaustive", "mccfr", "exact", "compact"])
def test_backends_without_buckets_of_hands_refuse_an_abstraction(solve_type):
    with pytest.raises(ConfigError, match=f"abstraction: solve_type {solve_type} has no buckets"):
        solve(abstraction=built_in(), solve_type=solve_type)


def test_what_a_backend_cannot_play_is_refused():
    config = runout.FlopsConfig(solve_type="bucketed", rebucket_rounds=2)
    with pytest.raises(ConfigError, match="rebucket_rounds: 2 would replace the flop buckets"):
        runout.solve_flop(FLOP, config, abstraction=built_in())
    with pytest.raises(ConfigError, match="rebucket_rounds: 2 would replace the flop buckets"):
        runout.solve_flop(FLOP, runout.FlopsConfig(**PERCENTILES, rebucket_rounds=2))
    with pytest.raises(ConfigError, match="bucket_directory: needs bucket_source: percentile"):
        runout.FlopsConfig.parse({"solve_type": "bucketed", "bucket_directory": "buckets"})
    with pytest.raises(RangeError, match="oop: tells suits of a hand apart"):
        solve(oop="AhKh,QQ")
    with pytest.raises(ConfigError, match=r"num_hand_buckets_flop: needs solve_type: bucketed"):
        solve(solve_type="exact", num_buckets=NUM_BUCKETS)
    with pytest.raises(ConfigError, match=r"cfr_updates: needs solve_type: exhaustive"):
        runout.FlopsConfig.parse({"solve_type": "mccfr", "cfr_updates": "simultaneous"})


@pytest.mark.parametrize("solve_type", ["exhaustive", "mccfr"])
def test_a_flop_tells_its_iterations_and_keeps_a_history(solve_type):
    seen, events = [], []
    solved = runout.solve_flop(
        FLOP,
        **SMALL | {"solve_type": solve_type, "max_iterations": 6},
        context=RunContext(1, events.append),
        history_every=2,
        on_iteration=seen.append,
    )
    assert [progress.iteration for progress in seen] == [1, 2, 3, 4, 5, 6]
    assert [iteration for iteration, _ in solved.history] == [2, 4, 6]
    assert solved.history[-1][1] == solved.report.exploitability_pot
    assert sum(isinstance(event, FlopSolving) for event in events) == 6
    assert repr(solved).startswith("<SolvedFlop 9s9h4d, pot 1, stack 1: 6 iterations, ")


def test_flops_of_a_config_take_an_abstraction():
    config = runout.FlopsConfig(
        solve_type="bucketed",
        fixed_flops=[FLOP],
        bet_sizes=["a"],
        max_raises_per_street=0,
        postflop_sprs=[1.0],
        postflop_solve_iterations=4,
    )
    values = runout.solve_flops(config, RunContext(1), abstraction=by_pairs)
    np.testing.assert_array_equal(
        values.values[0].value_pot[0],
        runout.solve_flop(values.flops.flops[0], config, abstraction=by_pairs).value_pot,
    )
    assert repr(values).startswith("<ValueBundle 1 flops at SPR 1: 4 iterations, ")
    with pytest.raises(ConfigError, match="checkpoints: results of an own abstraction"):
        runout.solve_flops(config, RunContext(1, checkpoints="x"), abstraction=by_pairs)


@pytest.mark.parametrize("flop", [FLOP, "9h9d4c"])
@pytest.mark.parametrize(
    "keys",
    [
        {"abstraction": by_spades, "oop": "88+,AK"},
        {"solve_type": "exhaustive"},
        {"solve_type": "exact", "oop": "99+", "ip": "99+,A4s"},
    ],
)
def test_a_flop_is_saved_and_loaded_with_its_strategies(tmp_path, flop, keys):
    solved = runout.solve_flop(flop, context=RunContext(1), **SMALL | keys)
    solved.save(str(tmp_path / "flop"))
    again = type(solved).load(tmp_path / "flop")
    assert runout.exploitability(again) == pytest.approx(runout.exploitability(solved), abs=1e-4)
    for path in ("", "x", "x:x:2s"):
        found, expected = again.node(path), solved.node(path)
        assert found.board == expected.board
        np.testing.assert_allclose(found.strategy, expected.strategy, atol=1e-4)
        np.testing.assert_allclose(found.ev, expected.ev, atol=1e-3)
    frame = runout.open(tmp_path / "flop").to_dataframe()
    assert frame.flop.tolist() == [flop]
    assert len(again.to_dataframe(depth=1)) == len(solved.to_dataframe(depth=1)) > 0


def test_own_buckets_are_asked_about_the_flop_in_its_suits():
    as_given, canonical = parse_board("9h9d4c"), CARDS
    mapping = CanonicalBoard.from_cards(as_given).mapping
    image = permute_combos(mapping.new_suits)
    there = FlopBuckets.of(as_given, by_spades).rename_suits(mapping)
    assert there.flop == canonical
    turn = 3
    np.testing.assert_array_equal(
        there((*canonical, mapping.map_card(turn)))[image],
        FlopBuckets.of(as_given, by_spades)((*as_given, turn)),
    )
