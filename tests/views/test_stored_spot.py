"""A saved solution says what the solver says that it was saved from, up to rounding."""

import mmap
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from runout.config.load import load_spot_config
from runout.errors import BundleError
from runout.execution.workplace import Workplace
from runout.pipeline.spot import solve_spot
from runout.views.spot_bundle import has_solution, load_spot

FLOP = {
    "board": "QsJh2h",
    "oop": "AA,QQ,JTs,54s,A5s:0.5",
    "ip": "KK,T9s,AQo,76s",
    "pot": 20,
    "stack": 60,
    "bet_sizes": "50%",
    "max_raises_per_street": 1,
    "max_iterations": 15,
}
TURN = FLOP | {"board": "QsJh2h8c"}
RIVER = FLOP | {"board": "QsJh2h8c3d"}
LOCKS = [
    {"node": "r:0", "strategy": {"x": 0.25, "b10": 0.75}},
    {"node": "x:b10", "strategy": {"QQ": {"c": 1}}},
]
SPOTS = {
    "flop": FLOP,
    "flop, 16 bits": FLOP | {"precision": 16},
    "flop, compact": FLOP | {"rivers": "compact", "river_buckets": 16},
    "flop, compact, 16 bits": FLOP | {"rivers": "compact", "river_buckets": 16, "precision": 16},
    "flop, all suits apart": FLOP | {"merges_suits": False, "ip": "KK,T9s"},
    "flop, raked and locked": FLOP | {"rake_rate": 0.05, "rake_cap": 3, "locks": LOCKS},
    "turn, raked": TURN | {"rake_rate": 0.05},
    "turn, locked": TURN | {"locks": LOCKS},
    "river, raked": RIVER | {"rake_rate": 0.1, "rake_cap": 2},
}
#: Lines on the first street, and what follows the cards after it; decisions, ends and all-ins.
LINES = [
    "",
    "x",
    "b10",
    "x:b10",
    "x:b10:f",
    "x:b10:c",
    "x:x",
    "b10:r25:c",
    "b10:r25",
    "b10:a:c",
    "b10:a",
]
CARDS = ["8h", "Kc", "2s"]


def paths(config):
    """Yields paths to nodes of every kind on every street."""
    num_cards = 5 - len(config["board"]) // 2
    yield from LINES
    if num_cards:
        for card in CARDS:
            if card in config["board"]:
                continue
            for before in ("x:x", "b10:c"):
                for after in ("", ":x", ":x:x"):
                    yield f"{before}:{card}{after}"
        if num_cards == 2:
            for river in ("7h", "3c"):
                for after in ("", ":x", ":x:x"):
                    yield f"x:b10:c:8h:x:x:{river}{after}"


def rounding(node):
    """Returns how far means against a range can be off.

    A weight is off by 2e-5 for each of a few decisions: the less of a range arrives, the more.
    """
    arriving = min(node.combos(player) / node.is_held[player].sum() for player in (0, 1))
    return 1e-4 + 1e-4 / max(arriving, 1e-9)


@pytest.fixture(scope="module", params=SPOTS, ids=SPOTS)
def both(request, tmp_path_factory):
    """Returns the keys, the view of the solver and that of the files."""
    path = tmp_path_factory.mktemp("spot") / "spot"
    keys = SPOTS[request.param]
    solution = solve_spot(load_spot_config(None, keys), Workplace(1), directory=path)
    return keys, solution.view, load_spot(path)


def test_every_kind_of_node_says_the_same(both):
    keys, live, stored = both
    for path in paths(keys):
        one, other = live.node(path), stored.node(path)
        assert (one.path, one.kind, one.actions, one.actor) == (
            other.path,
            other.kind,
            other.actions,
            other.actor,
        )
        loose = rounding(one)
        close = (1e-4 + loose) * one.pot
        assert one.is_locked == other.is_locked
        assert (one.pot, one.stacks, one.next_cards) == (other.pot, other.stacks, other.next_cards)
        np.testing.assert_array_equal(one.is_held, other.is_held)
        np.testing.assert_allclose(other.strategy, one.strategy, atol=4e-5, err_msg=path)
        np.testing.assert_allclose(other.weights, one.weights, atol=1e-4, err_msg=path)
        np.testing.assert_allclose(other.equity, one.equity, atol=loose, err_msg=path)
        np.testing.assert_allclose(other.ev, one.ev, atol=close, err_msg=path)
        np.testing.assert_allclose(other.action_ev, one.action_ev, atol=close, err_msg=path)
        assert other.reach == pytest.approx(one.reach, abs=1e-4)
        assert [step.taken for step in other.trail] == [step.taken for step in one.trail]
        for player in (0, 1):
            assert other.range_ev(player) == pytest.approx(one.range_ev(player), abs=close), path


def test_quality_is_that_of_the_solve(both):
    _, live, stored = both
    assert stored.quality.exploitability == pytest.approx(live.quality.exploitability)
    assert stored.quality.meaning == live.quality.meaning
    assert stored.quality.curve == live.quality.curve
    assert stored.quality.curve[0][0] == 10
    assert stored.quality.curve[-1] == (stored.quality.iterations, stored.quality.exploitability)
    assert stored.quality.provenance.config_digest


def test_tables_stay_in_their_files(both):
    _, _, stored = both
    for street in stored.tables.streets:
        for table in street.strategy:
            while isinstance(table, np.ndarray):
                assert not table.flags.owndata
                table = table.base
            assert isinstance(table, memoryview | mmap.mmap)


def test_a_solve_without_its_resume_part_can_only_be_looked_at(tmp_path):
    keys = TURN | {"keep_resume": False}
    solution = solve_spot(load_spot_config(None, keys), Workplace(1), directory=tmp_path / "small")
    solve_spot(load_spot_config(None, TURN), Workplace(1), directory=tmp_path / "whole")
    small, whole = (
        sum(file.stat().st_size for file in (tmp_path / name).glob("*.npy"))
        for name in ("small", "whole")
    )
    assert small < whole / 3
    found = load_spot(tmp_path / "small").node("b10")
    assert found.frequency() == pytest.approx(solution.view.node("b10").frequency(), abs=1e-4)
    with pytest.raises(BundleError, match="keeps nothing to go on from"):
        solve_spot(
            load_spot_config(None, keys | {"max_iterations": 50}),
            Workplace(1),
            directory=tmp_path / "small",
        )


def test_what_was_saved_on_the_way_has_no_solution(tmp_path):
    solution = solve_spot(load_spot_config(None, RIVER), Workplace(1))
    solution.begin_saving(tmp_path / "spot")()
    assert not has_solution(tmp_path / "spot")
    with pytest.raises(BundleError, match="has no array solution_river_oop_strategy"):
        load_spot(tmp_path / "spot")


@pytest.mark.parametrize("part", ["strategy", "values", "bounds"])
def test_a_damaged_solution_is_refused(tmp_path, part):
    path = tmp_path / "spot"
    solve_spot(load_spot_config(None, TURN), Workplace(1), directory=path)
    file = path / f"solution_turn_ip_{part}.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(BundleError, match=f"solution_turn_ip_{part}.npy: was changed"):
        load_spot(path)
    file.write_bytes(content[:-8])
    with pytest.raises(BundleError, match="bytes, the manifest says"):
        load_spot(path)


def test_looking_takes_no_numba(tmp_path):
    path = tmp_path / "spot"
    solve_spot(load_spot_config(None, TURN), Workplace(1), directory=path)
    code = f"""
import sys
from concurrent.futures import ThreadPoolExecutor
from runout.views.spot_bundle import load_spot
view = load_spot({str(path)!r})
nodes = [view.node(path) for path in ("", "x:x", "b10:c:8h:x", "x:b10:f")]
print("numba" in sys.modules, len(nodes))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "4"]


def test_threads_may_look_at_once(tmp_path):
    solve_spot(load_spot_config(None, TURN), Workplace(1), directory=tmp_path / "spot")
    stored = load_spot(tmp_path / "spot")
    asked = [path for path in paths(TURN) for _ in range(2)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stored.node, asked))
    for path, node in zip(asked, found, strict=True):
        np.testing.assert_array_equal(node.ev, stored.node(path).ev)
