"""The same digests from threads, processes and Ray, whoever is killed on the way."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from runout.cards.flops import explicit_flops
from runout.cfr.schedules import StoppingRule
from runout.events import FlopSolved
from runout.execution.context import RunContext, opening_executor
from runout.flops.hands import HandBackend
from runout.flops.solve import solve_each
from runout.storage.ledger import Ledger
from tests.samples.toy_flops import make_plan, small_tree

FLOPS = explicit_flops(["AsKhQd", "Kd7h2c", "Td9d2s", "9s6s2s", "5s5h5d", "Jc8c7d"])

CONFIG = """\
postflop_model:
  solve_type: exhaustive
  flop_subset: 13
  postflop_sprs: [2.0]
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 60
"""
PROGRAM = "from runout.cli.app import main; main()"


def solve(directory, executor, on_event=lambda event: None, iterations=20):
    """Returns the digest of every flop."""
    plan = make_plan(FLOPS, [small_tree()], HandBackend(StoppingRule(iterations)))
    context = RunContext(1, on_event, directory, executor=executor)
    assert len(list(solve_each(plan, context))) == len(FLOPS)
    return {entry.id: entry.sha256 for entry in Ledger(directory).entries()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return solve(tmp_path_factory.mktemp("alone"), None)


def test_threads_and_processes_find_the_same_digests(expected, tmp_path):
    for name in ("threads", "processes"):
        with opening_executor(name, 2) as executor:
            assert solve(tmp_path / name, executor) == expected


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills as on POSIX")
def test_processes_that_are_killed_at_random_change_no_digest(tmp_path):
    expected = solve(tmp_path / "alone", None, iterations=300)
    rng, is_over = random.Random(7), threading.Event()
    with opening_executor("processes", 2) as executor:

        def kill():
            for _ in range(5):
                if is_over.wait(rng.uniform(0.5, 3.0)):
                    return
                pids = [child.pid for child in executor.children]
                for pid in rng.sample(pids, min(1, len(pids))):
                    os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            assert solve(tmp_path / "killed", executor, iterations=300) == expected
        finally:
            is_over.set()
            killer.join()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_finds_the_same_digests_though_workers_die_and_a_machine_is_removed(expected, tmp_path):
    ray = pytest.importorskip("ray", reason="the extra dist is not installed")
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "memory": 2_000_000_000, "object_store_memory": 80_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    lost_node = cluster.add_node(**node)
    cluster.add_node(**node)
    cluster.wait_for_nodes()
    try:
        for num_workers in (1, 3):
            with opening_executor(f"ray:{cluster.address}", num_workers) as executor:
                assert solve(tmp_path / str(num_workers), executor) == expected
        rng = random.Random(7)

        def disturb(event):
            """Kills the workers of the cluster and takes a machine away when a flop is done."""
            if isinstance(event, FlopSolved) and event.num_done == 1:
                for pid in rng.sample(worker_pids(), 1):
                    os.kill(pid, signal.SIGKILL)
                cluster.remove_node(lost_node)

        with opening_executor(f"ray:{cluster.address}", 3) as executor:
            assert solve(tmp_path / "disturbed", executor, disturb) == expected
    finally:
        ray.shutdown()
        cluster.shutdown()


def worker_pids():
    """Returns the workers of Ray that carry out one of our tasks."""
    found = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    lines = [line.split(None, 1) for line in found.stdout.splitlines()]
    return [int(pid) for pid, name in lines if name.startswith("ray::_carry_out")]


@pytest.mark.slow
def test_two_commands_on_one_directory_share_the_flops(tmp_path):
    (tmp_path / "flops.yaml").write_text(CONFIG)

    def start(name):
        words = ["solve-postflop", "-c", str(tmp_path / "flops.yaml"), "-o", str(tmp_path / name)]
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words, "--workers", "1", "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    first = start("shared")
    time.sleep(1.0)
    second = start("shared")
    ends = [child.communicate(timeout=600) for child in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), ends
    alone = start("alone")
    alone.communicate(timeout=600)
    arrays = [
        {
            name: entry["sha256"]
            for name, entry in json.loads((tmp_path / place / "manifest.json").read_text())[
                "arrays"
            ].items()
            if not name.startswith("reports")
        }
        for place in ("shared", "alone")
    ]
    assert arrays[0] == arrays[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["alone", "flops.yaml", "shared"]
