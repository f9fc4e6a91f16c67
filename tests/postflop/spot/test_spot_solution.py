import json

import numpy as np
import pytest

from runout.cfr.stopping import SolveOutcome, StopReason
from runout.config.load import load_spot_config
from runout.errors import BundleError
from runout.postflop.spot.locking import lock_node
from runout.postflop.spot.spot_solution import (
    KIND,
    SCHEMA_VERSION,
    SpotSolution,
    load_spot_facts,
    start_solver,
)
from runout.storage.writer import write_bundle

KEYS = {"oop": "AA,QQ,JTs", "ip": "KK,T9s", "pot": 20, "stack": 60, "max_raises_per_street": 1}


def make_config(board="QsJh2h8c", **keys):
    return load_spot_config(None, {**KEYS, "board": board, **keys})


def solve(config, iterations):
    solver = start_solver(config)
    for lock in config.locks:
        lock_node(solver, lock.node, lock.by_range())
    solver.run(iterations)
    return SpotSolution(config, solver, outcome_of(solver))


def outcome_of(solver):
    exploitability = solver.exploitability()
    return SolveOutcome(StopReason.ITERATIONS, solver.iteration, 1.5, np.nan, exploitability)


def arrays_of(solver):
    return [part for pair in solver.tables.by_street for learning in pair for part in learning]


def assert_same_bits(one, other):
    for a, b in zip(arrays_of(one), arrays_of(other), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()


LOCK = [{"node": "r:0", "strategy": {"x": 1}}]


@pytest.mark.parametrize("board", ["QsJh2h8c3d", "QsJh2h8c", "QsJh2h"])
@pytest.mark.parametrize("precision", [32, 16])
def test_a_solve_that_was_saved_goes_on_with_the_same_bits(tmp_path, board, precision):
    config = make_config(board, precision=precision)
    whole, half = solve(config, 4), solve(config, 2)
    half.save(tmp_path / "spot")
    again = SpotSolution.load(tmp_path / "spot")
    assert again.config == config
    assert again.solver.iteration == 2
    assert_same_bits(again.solver, half.solver)
    again.solver.run(2)
    assert_same_bits(again.solver, whole.solver)


def test_locks_come_back(tmp_path):
    whole, half = solve(make_config(locks=LOCK), 6), solve(make_config(locks=LOCK), 2)
    half.save(tmp_path / "spot")
    again = SpotSolution.load(tmp_path / "spot")
    again.solver.run(4)
    assert_same_bits(again.solver, whole.solver)
    assert np.nanmin(again.view.node().strategy[0]) == 1.0


def test_what_is_learned_after_loading_stays_in_memory(tmp_path):
    solve(make_config(), 3).save(tmp_path / "spot")
    first = SpotSolution.load(tmp_path / "spot")
    before = first.outcome
    first.solver.run(2)
    second = SpotSolution.load(tmp_path / "spot")
    assert second.outcome.exploitability == before.exploitability
    assert second.solver.exploitability() == before.exploitability
    assert first.solver.exploitability() != before.exploitability


def test_a_bundle_says_what_was_solved_and_how_well(tmp_path):
    solution = solve(make_config(), 3)
    solution.save(tmp_path / "spot")
    config, outcome, _ = load_spot_facts(tmp_path / "spot")
    assert config == solution.config
    assert (outcome.reason, outcome.iterations) == (StopReason.ITERATIONS, 3)
    assert outcome.exploitability == solution.outcome.exploitability
    assert solution.exploitability_pot == solution.outcome.exploitability / 20
    assert not solution.is_interrupted


def test_a_bundle_is_replaced_only_on_request(tmp_path):
    solution = solve(make_config(), 1)
    solution.save(tmp_path / "spot")
    with pytest.raises(BundleError, match="exists"):
        solution.save(tmp_path / "spot")
    solution.save(tmp_path / "spot", overwrite=True)


@pytest.mark.parametrize(
    ("kind", "version", "problem"),
    [
        ("other", SCHEMA_VERSION, "is of kind 'other', expected 'spot'"),
        (KIND, SCHEMA_VERSION + 1, f"has schema version 2, expected {SCHEMA_VERSION}"),
        (KIND, SCHEMA_VERSION, "lacks or garbles config: is empty"),
    ],
)
def test_other_kinds_and_versions_are_refused(tmp_path, kind, version, problem):
    path = tmp_path / "spot"
    write_bundle(path, kind=kind, schema_version=version, package_version="0", arrays={})
    with pytest.raises(BundleError, match=problem):
        SpotSolution.load(path)
    with pytest.raises(BundleError, match=problem):
        load_spot_facts(path)


def rewrite(path, config, arrays):
    report = json.loads((path / "report.json").read_text())
    write_bundle(
        path,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        package_version="0",
        arrays=arrays,
        documents={"report": report},
        config_text=config.to_yaml(),
        overwrite=True,
    )


def test_tables_of_another_shape_are_refused(tmp_path):
    path, config = tmp_path / "spot", make_config("QsJh2h8c3d")
    solve(config, 1).save(path)
    arrays = {file.stem: np.load(file) for file in path.glob("*.npy")}
    rewrite(path, config, {name: a for name, a in arrays.items() if name != "river_ip_regret"})
    with pytest.raises(BundleError, match="has no array river_ip_regret"):
        SpotSolution.load(path)
    rewrite(path, config, arrays | {"river_ip_regret": np.zeros((1, 2, 16), np.float32)})
    with pytest.raises(BundleError, match=r"river_ip_regret is float32 \(1, 2, 16\), this version"):
        SpotSolution.load(path)
    rewrite(path, config, arrays | {"river_oop_lock": np.zeros((1, 2, 16), np.uint8)})
    with pytest.raises(BundleError, match=r"river_oop_lock is uint8 \(1, 2, 16\), this version"):
        SpotSolution.load(path)
