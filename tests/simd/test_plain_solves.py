"""Solves with plain bodies in place of vector instructions: slower, and the same bits."""

import json
import os
import subprocess
import sys

import pytest

# Prints exploitability, in pots, and a digest of the tables of a river and of a small flop.
SOLVE = """
import hashlib, json
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers
from runout.holdem.solver import SpotSolver
from tests.samples.small_spots import make_spot

found = []
for board, rivers, iterations in (
    ("Ks9d8h4c2c", EXACT_RIVERS, 300),
    ("Kh7h2h", BucketRivers(16), 100),
):
    solver = SpotSolver(make_spot(board, "TT+,AKs", "QQ+,76s", "50%, a", stack=15), rivers=rivers)
    solver.run(iterations)
    digest = hashlib.sha256()
    for _, array in solver.tables.named_arrays():
        digest.update(array.tobytes())
    pot = solver.game.spot.tree.stakes.pot
    found.append((solver.exploitability() / pot, digest.hexdigest()))
print(json.dumps(found))
"""


def solve(simd):
    """Solves in a process of its own."""
    command = [sys.executable, "-c", SOLVE]
    environment = {**os.environ, "RUNOUT_SIMD": simd}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.slow
def test_plain_bodies_solve_a_river_and_a_flop_to_the_same_bits():
    plain = solve("off")
    for exploitability, _ in plain:
        assert 0.0 <= exploitability < 0.02
    assert plain == solve("on")
