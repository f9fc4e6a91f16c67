import numpy as np
import pytest

from runout.cfr.schedules import StoppingRule
from runout.errors import BundleError
from runout.preflop import shards as checkpoint
from tests.samples.joint_games import FLOP_JAM, MONOTONE, make_solver, one_line
from tests.samples.preflop_games import solution_of


def begin_again(**options):
    return make_solver(one_line(), MONOTONE[:1], FLOP_JAM, **options)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """Where a solve stood after three iterations."""
    path = tmp_path_factory.mktemp("joint") / "checkpoint"
    solver = begin_again()
    solver.solve(StoppingRule(3))
    solver.seconds = 12.5
    finish = checkpoint.begin_saving(path, solver, solver.leaves, "digest")
    solver.run(1)  # what is learned while the save is finished is not in it
    finish()
    return path


def test_a_solve_goes_on_with_the_same_bits(interrupted):
    resumed, undisturbed = begin_again(), begin_again()
    checkpoint.restore(interrupted, resumed, resumed.leaves, "digest")
    assert resumed.seconds == 12.5
    after, expected = (solution_of(solver, StoppingRule(6)) for solver in (resumed, undisturbed))
    np.testing.assert_array_equal(after.strategy, expected.strategy)
    np.testing.assert_array_equal(after.ev_bb, expected.ev_bb)
    assert after.report.iterations == 6
    assert dict(after.report.curve_mbb).keys() == {3, 6}
    for name, array in undisturbed.leaves.subgames[0][0].learned().items():
        np.testing.assert_array_equal(array, resumed.leaves.subgames[0][0].learned()[name])


def test_the_checkpoint_of_another_game_is_refused(interrupted):
    solver = begin_again()
    with pytest.raises(BundleError, match="is the checkpoint of another game"):
        checkpoint.restore(interrupted, solver, solver.leaves, "another digest")
