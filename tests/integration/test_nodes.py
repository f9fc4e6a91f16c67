"""Three nodes in network namespaces that share a directory; one is cut off in the middle.

Needs root, `ip`, and Ray (`make test-ray`); everything that is made is removed in the end.
"""

import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from runout.storage.bundle import read_manifest
from runout.storage.ledger import ENTRY_ENDING

NODES = ("runout-a", "runout-b", "runout-c")
BRIDGE = "runout-br"
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
#: A node counts as gone after a second or two.
QUICK = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "2",
}
ENVIRONMENT = os.environ | QUICK | {"RAY_USAGE_STATS_ENABLED": "0"}


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def run_in(node, *command, **options):
    return subprocess.Popen(["ip", "netns", "exec", node, *command], env=ENVIRONMENT, **options)


@pytest.fixture
def nodes():
    """The addresses of three namespaces that see each other."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("namespaces need root and ip")
    addresses = {}
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("link", "set", BRIDGE, "up")
        for number, node in enumerate(NODES, start=1):
            addresses[node] = f"10.213.7.{number}"
            ip("netns", "add", node)
            ip("link", "add", f"{node}0", "type", "veth", "peer", "name", "eth0", "netns", node)
            ip("link", "set", f"{node}0", "master", BRIDGE, "up")
            ip("-n", node, "address", "add", f"{addresses[node]}/24", "dev", "eth0")
            ip("-n", node, "link", "set", "eth0", "up")
            ip("-n", node, "link", "set", "lo", "up")
        yield addresses
    finally:
        for node in NODES:
            found = subprocess.run(["ip", "netns", "pids", node], capture_output=True, text=True)
            for pid in found.stdout.split():  # ours: nobody else is in there
                with suppress(ProcessLookupError):
                    os.kill(int(pid), 9)
            subprocess.run(["ip", "netns", "delete", node], capture_output=True)
            subprocess.run(["ip", "link", "delete", f"{node}0"], capture_output=True)
        subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True)


def start_ray(nodes):
    """Starts a cluster whose head works on no task, and returns its address."""
    ray = str(Path(sys.executable).with_name("ray"))
    head = f"{nodes[NODES[0]]}:6379"
    for node, address in nodes.items():
        is_head = node == NODES[0]
        where = ["--head", "--port", "6379", "--include-dashboard", "false"]
        where = where if is_head else ["--address", head]
        cores = "0" if is_head else "1"
        size = ["--num-cpus", cores, "--memory", "2000000000", "--object-store-memory", "80000000"]
        started = run_in(node, ray, "start", *where, "--node-ip-address", address, *size)
        assert started.wait(120) == 0
    return head


@pytest.mark.slow
def test_a_node_that_is_cut_off_changes_no_bit_and_loses_nothing(nodes, tmp_path):
    pytest.importorskip("ray", reason="the extra dist is not installed")
    config, alone, shared = tmp_path / "c.yaml", tmp_path / "alone", tmp_path / "shared"
    config.write_text(CONFIG)
    solve = [sys.executable, "-c", PROGRAM, "solve-postflop", "-c", str(config)]
    subprocess.run([*solve, "-w", "1", "-o", str(alone)], check=True, capture_output=True)
    head = start_ray(nodes)
    running = run_in(
        NODES[0],
        *solve,
        *("--executor", f"ray:{head}", "-w", "2", "-o", str(shared)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob(f"shared.checkpoints/*{ENTRY_ENDING}"))) < 2:
        assert time.monotonic() < deadline
        assert running.poll() is None, running.stdout.read()
        time.sleep(0.02)
    ip("-n", NODES[2], "link", "set", "eth0", "down")
    output, _ = running.communicate(timeout=300)
    assert running.returncode == 0, output
    assert "marked dead" in output
    assert read_manifest(shared).content_digest == read_manifest(alone).content_digest
