"""Visits of a spot with reaches that arrive from outside."""

import numpy as np
import pytest

from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_kernels import EVALUATING
from tests.holdem.small_spots import make_spot


@pytest.fixture(scope="module")
def solver():
    solver = SpotSolver(make_spot("Ks9d8h4h", "AA,KQs,76s", "TT+,AKs", stack=15))
    solver.run(3)
    return solver


def test_values_grow_with_the_reach_that_arrives(solver):
    reach = solver.root_reach[0]
    once = solver.game.visit(0, EVALUATING, solver.tables, reach)
    fourfold = solver.game.visit(0, EVALUATING, solver.tables, np.float32(4.0) * reach)
    assert once.any()
    np.testing.assert_array_equal(fourfold, np.float32(4.0) * once)


def test_nobody_who_arrives_is_worth_nothing(solver):
    nobody = np.zeros_like(solver.root_reach[1])
    assert not solver.game.visit(1, EVALUATING, solver.tables, nobody).any()
