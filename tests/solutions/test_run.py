"""Tests of `runout.solutions.run`."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas
import pytest

import runout
from runout.abstraction.card_abstraction import CardAbstraction
from runout.cards.deck import HAND_BY_COMBO, parse_cards, parse_combo
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import BundleError, CardError, RunoutError, TreeError
from runout.execution.context import RunContext
from runout.holdem.cards import PlayerHands
from runout.preflop.shards import live_subgame
from runout.runs.preflop import solve_preflop
from runout.solutions.flop import StoredSpot
from runout.solutions.node import NodeKind, Unit
from runout.solutions.preflop import load_solution
from runout.storage.writer import write_bundle
from runout.trees.betting import BB, SB
from tests.samples.solve_configs import JOINT

# --------------------------------------------------------------------------------------------------
# Whatever was solved is opened by its directory.


RIVER = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}


@pytest.mark.parametrize(
    ("name", "kind", "title"),
    [
        ("river", "spot", "QsJh2h8c3d, pot "),
        ("flop_exact", "spot", ""),
        ("pushfold", "preflop", "10 bb"),
        ("pushfold/preflop", "preflop", "10 bb"),
        ("joint", "preflop", ""),
        ("joint/flops", "preflop", ""),
        ("report", "report", ""),
        ("values", "values", ""),
        ("two_phase", "preflop", ""),
    ],
)
def test_anything_is_opened_by_its_directory(samples, name, kind, title):
    for path in (samples / name, str(samples / name)):
        found = runout.open(path)
        assert found.kind == kind
        assert found.title.startswith(title)
        assert found.quality.iterations > 0
        assert found.config_text
        assert found.note == ""
        assert f"{found.quality.iterations} iterations, " in repr(found)


def test_what_is_no_solution_is_refused_in_a_line(samples, tmp_path):
    def problem(path):
        with pytest.raises(BundleError) as caught:
            runout.open(path)
        return caught.value.problem

    assert problem(tmp_path / "none") == "does not exist"
    assert problem(tmp_path) == "is empty; give the directory that a solve wrote"
    file = tmp_path / "notes.txt"
    file.write_text("")
    assert problem(file) == "is a file; give the directory that a solve wrote"
    assert problem(file.with_suffix(".zip").absolute()) == "does not exist"
    file.rename(file.with_suffix(".zip"))
    assert "unpack it first" in problem(file.with_suffix(".zip"))
    assert "holds solutions, give one of buckets, flop_compact, " in problem(samples)
    write_bundle(tmp_path / "other", kind="joint_checkpoint", schema_version=1, arrays={})
    assert problem(tmp_path / "other").startswith("holds a joint checkpoint, expected a spot")
    (tmp_path / "run" / "ledger").mkdir(parents=True)
    assert problem(tmp_path / "run") == "is unfinished; rerun its command to resume"


def test_buckets_are_opened_and_found(samples):
    buckets = runout.open(samples / "buckets")
    assert (buckets.kind, buckets.quality) == ("buckets", None)
    board, holding = parse_cards("AhKsQd"), parse_cards("JcTc")
    found = buckets.abstraction.get_bucket(board, holding)
    assert found == CardAbstraction.load(samples / "buckets").get_bucket(board, holding)
    with pytest.raises(BundleError, match="buckets of hands: has no nodes"):
        buckets.node()


# --------------------------------------------------------------------------------------------------
# All nodes, as an iteration, a frame and Parquet.


def test_nodes_come_before_those_that_follow(samples):
    spot = runout.open(samples / "river")
    paths = [node.path for node in spot.nodes()]
    assert len(paths) == len(set(paths)) == spot.spot.tree.num_nodes
    assert paths[0] == ""
    for path in paths[1:]:
        assert paths.index(path.rpartition(":")[0]) < paths.index(path)
    first = [node.path for node in spot.nodes(depth=1)]
    assert first == ["", *(action.code for action in spot.node().actions)]


def test_nodes_of_a_street_alone(samples):
    run = runout.open(samples / "joint")
    preflop = list(run.nodes(street="preflop"))
    assert len(preflop) == run.tree.num_nodes
    flop = list(run.nodes(path=run.tree.flop_leaves()[0].path, street="flop", depth=2))
    assert {node.street_name for node in flop} == {"flop"}
    assert flop[0].players == ("BB", "SB")
    with pytest.raises(TreeError, match="street: 'fifth' is none of preflop, flop, turn, river"):
        list(run.nodes(street="fifth"))
    with pytest.raises(TreeError, match="depth: -1"):
        list(run.nodes(depth=-1))


def test_a_solution_is_a_frame_and_the_same_in_parquet(samples, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    spot = runout.open(samples / "river")
    frame = spot.to_dataframe()
    decisions = [node for node in spot.nodes() if node.actor is not None]
    assert frame.node.nunique() == len(decisions)
    rows = sum(len(node.actions) * node.is_held[node.actor].sum() for node in decisions)
    assert spot.to_parquet(tmp_path / "all.parquet") == rows == len(frame)
    read = pandas.read_parquet(tmp_path / "all.parquet")
    pandas.testing.assert_frame_equal(read, frame, check_dtype=False)


def test_reports_and_values_are_frames_of_flops(samples):
    pytest.importorskip("pandas")
    report = runout.open(samples / "report")
    frame = report.to_dataframe()
    assert len(frame) == len(report.rows)
    assert {"flop", "suits", "ev_oop"} <= set(frame.columns)
    values = runout.open(samples / "values")
    frame = values.to_dataframe()
    assert len(frame) == len(values.values) * len(values.values[0].flops)
    np.testing.assert_allclose(frame.ev_oop_pot + frame.ev_ip_pot, 1.0, atol=1e-5)


# --------------------------------------------------------------------------------------------------
# A run with the flops below it, compared with what its own games say.


COMPACT = """
preflop: {stacks_bb: 8, raise_sizes: ["2bb"], raise_cap: 1}
method: joint
iterations: 4
postflop_model:
  solve_type: compact
  river_buckets: 16
  fixed_flops: [9s6s2s, QsTh5d]
  bet_sizes: [0.5]
  max_raises_per_street: 0
"""


@pytest.fixture(scope="module", params=[JOINT, COMPACT], ids=["exact", "compact"])
def both(request, tmp_path_factory):
    """Returns a run as it was solved, and as it was saved."""
    path = tmp_path_factory.mktemp("joint") / "run"
    run = solve_preflop(parse_config(request.param, RunConfig), RunContext(1))
    run.save(path)
    return run, load_solution(path), path


def live_view(run, flop, leaf):
    subgame = run.leaves.subgames[flop][leaf]
    arriving = run.solution.arriving_ranges(run.leaves.flop_leaves[leaf].node)
    game = subgame.game
    live = live_subgame(subgame, arriving)
    hands = [
        PlayerHands(player.combos, weights[HAND_BY_COMBO[player.combos]])
        for player, weights in zip(game.cards.players, arriving, strict=True)
    ]
    cards = replace(game.cards, players=tuple(hands))
    return StoredSpot(game.spot, cards, live.stored(), None, unit=Unit.POTS)


def first_flop(run):
    return run.leaves.flop_leaves[0], run.leaves.flops


def test_before_the_flop_nodes_are_those_of_the_solution(both):
    run, view, _ = both
    leaf, flops = first_flop(run)
    node = view.node(leaf.path)
    assert node.kind is NodeKind.FLOP
    assert len(node.flops) == len(flops)
    assert view.node().flops == ()


def test_what_arrives_at_a_flop_is_what_preflop_leads_there(both):
    run, view, _ = both
    leaf, _ = first_flop(run)
    flop = view.node(leaf.path).flops[0]
    root = view.node(f"{leaf.path}:{flop}")
    assert root.path == f"{leaf.path}:{flop}"
    assert root.pot == pytest.approx(leaf.pot_bb)
    assert root.stacks == pytest.approx((leaf.stack_behind_bb,) * 2)
    assert root.invested == pytest.approx((leaf.pot_bb / 2,) * 2)
    assert (root.players, root.label) == (("BB", "SB"), "BB")
    assert view.node(f"{root.path}:x").trail[-1].label == "BB"
    held = run.solution.node_at(leaf.node).range_of(BB).weights
    live = root.is_held[0]
    np.testing.assert_allclose(root.weights[0, live], held[live])
    assert [step.taken for step in root.trail][-1] == flop
    assert root.reach == pytest.approx(view.share_of_deals(leaf.node))
    total = root.range_ev(0) + root.range_ev(1)
    assert total == pytest.approx(root.pot, rel=1e-2)  # buckets are not quite zero-sum


@pytest.mark.parametrize(
    "line", ["", "x", "x:x", "x:x:8h", "x:x:8h:x", "x:x:8h:x:x", "x:x:8h:x:x:3d", "x:x:8h:x:x:3d:x"]
)
def test_values_are_those_of_the_games_that_were_solved(both, line):
    run, view, _ = both
    leaf, _ = first_flop(run)
    flop = view.node(leaf.path).flops[0]
    expected = live_view(run, 0, 0).node(line)
    found = view.node(f"{leaf.path}:{flop}:{line}".rstrip(":"))
    assert [action.code for action in found.actions] == [a.code for a in expected.actions]
    assert found.pot == pytest.approx(expected.pot * leaf.pot_bb)
    for player in (0, 1):
        known = found.is_held[player] & ~np.isnan(expected.ev[player])
        assert known.any()
        evs = expected.ev[player, known] * leaf.pot_bb
        # Shares of 8 bits: what hands do is off by up to half of 1/255.
        assert np.abs(found.ev[player, known] - evs).max() < 0.02 * found.pot
    if found.actor is not None:
        held = found.is_held[found.actor]
        np.testing.assert_allclose(
            found.strategy[:, held], expected.strategy[:, held], atol=1.5 / 255
        )


def test_reach_below_a_flop_is_the_preflop_reach_times_the_frequencies_since(both):
    run, view, _ = both
    for leaf in run.leaves.flop_leaves:
        before = view.share_of_deals(leaf.node)
        assert 0.0 < before < 0.5
        root = view.node(f"{leaf.path}:{view.node(leaf.path).flops[0]}")
        for number, action in enumerate(root.actions):
            below = view.node(f"{root.path}:{action.code}")
            assert below.reach == pytest.approx(before * root.frequency()[number])
            assert 0.0 < below.reach < before
            further = view.node(f"{below.path}:{below.actions[0].code}")
            assert further.reach == pytest.approx(below.reach * below.frequency()[0])


def test_a_flop_may_be_asked_for_in_any_suits(both):
    run, view, _ = both
    leaf, _ = first_flop(run)
    flop = view.node(leaf.path).flops[0]
    swap = str.maketrans("shdc", "hsdc")
    other = flop.translate(swap)
    one = view.node(f"{leaf.path}:{flop}:x:x:8c")
    same = view.node(f"{leaf.path}:{other}:x:x:8c")
    assert same.path == f"{leaf.path}:{other}:x:x:8c"
    assert same.board == tuple(same.board)
    ace, swapped = parse_combo("AsKs"), parse_combo("AhKh")
    if one.is_held[0, ace]:
        assert same.ev[0, swapped] == pytest.approx(one.ev[0, ace], nan_ok=True)
        assert same.equity[0, swapped] == pytest.approx(one.equity[0, ace], nan_ok=True)
    assert same.frequency() == pytest.approx(one.frequency(), nan_ok=True)


def test_what_is_no_flop_or_not_kept_is_told(both):
    run, view, _ = both
    leaf, _ = first_flop(run)
    with pytest.raises(CardError, match="'8h' is no flop such as Td9d6h"):
        view.node(f"{leaf.path}:8h")
    with pytest.raises(CardError, match="flop AsAhAd: is not among the"):
        view.node(f"{leaf.path}:AsAhAd")
    with pytest.raises(TreeError, match="'r77' is not an action at the root"):
        view.node("r77")
    flop = view.node(leaf.path).flops[0]
    with pytest.raises(RunoutError):
        view.node(f"{leaf.path}:{flop}:r77")


def test_looking_takes_no_numba(both):
    run, _, path = both
    leaf, _ = first_flop(run)
    code = f"""
import sys, runout
view = runout.open({str(path)!r})
flop = view.node({leaf.path!r}).flops[0]
view.node({leaf.path!r} + ":" + flop + ":x:x:8h")
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_run_without_flops_says_so(both, tmp_path):
    run, _, path = both
    leaf, _ = first_flop(run)
    alone = load_solution(path / "preflop")
    assert alone.node(leaf.path).flops == ()
    with pytest.raises(TreeError, match="no flops were kept"):
        alone.node(f"{leaf.path}:9s6s2s")
    assert alone.reach(SB).shape == run.solution.strategy.shape


def test_arrays_of_another_shape_are_refused(both):
    run, view, path = both
    leaf, _ = first_flop(run)
    flop = view.node(leaf.path).flops[0]
    for part, dtype in {"shares": np.uint8, "values": np.int16, "bounds": np.float32}.items():
        array = {f"flop0_leaf0_{part}": np.zeros(7, dtype)}
        damaged = load_solution(path)
        flops = replace(damaged.flops, arrays={**damaged.flops.arrays, **array})
        damaged.__dict__["flops"] = flops
        with pytest.raises(BundleError, match=rf"flop0_leaf0_{part} is {np.dtype(dtype)} \(7,\)"):
            damaged.node(f"{leaf.path}:{flop}")


def test_what_is_kept_takes_the_room_that_was_estimated(both):
    run, view, _ = both
    kept = sum(np.asarray(array).nbytes for array in view.flops.arrays.values())
    # The last columns of rows are padding, which the estimate counts as well.
    assert run.plan.cost.disk_bytes == pytest.approx(kept, rel=1e-3)


def test_nodes_in_turn_are_those_that_are_asked_for_one_by_one(samples):
    flop = runout.open(samples / "flop_exact")
    first = next(node.path for node in flop.nodes(depth=4) if node.board[3:])
    seen = list(flop.nodes(first, depth=5))
    assert len(seen) > 200
    for node in seen[::7]:
        alone = flop.node(node.path)
        assert alone.trail == node.trail
        for name in ("weights", "strategy", "ev", "action_ev", "equity"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(node, name))
    decisions = [node for node in seen if node.actor is not None]
    frame = flop.to_dataframe(first, depth=5)
    assert frame.node.unique().tolist() == [node.path for node in decisions]
    assert len(frame) == sum(len(node.to_dataframe()) for node in decisions)


@pytest.mark.slow
def test_a_whole_flop_is_a_file_and_a_frame_within_minutes(samples, tmp_path):
    flop = runout.open(samples / "flop_exact")
    num_rows = flop.to_parquet(tmp_path / "flop.parquet")
    frame = pandas.read_parquet(tmp_path / "flop.parquet")
    assert len(frame) == num_rows > 200_000
    assert frame.groupby(["node", "hand"]).frequency.sum().to_numpy() == pytest.approx(
        1.0, abs=1e-4
    )
