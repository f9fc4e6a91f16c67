import math

import numpy as np
import pytest

from runout.config.load import load_run_config, load_spot_config
from runout.errors import TreeError
from runout.pipeline.run import solve_preflop
from runout.pipeline.spot_from_run import spot_keys_from_run
from runout.results.preflop_bundle import load_solution
from tests.cli.solve_configs import LIMPS


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "limps"
    solve_preflop(load_run_config(LIMPS)).save(path)
    return path


def spot_of(directory, node):
    return load_spot_config(None, {**spot_keys_from_run(directory, node), "board": "Td9d6h"})


def test_money_and_sizes_are_carried_over(directory):
    spot = spot_of(directory, "c-x")
    assert (spot.pot, spot.stack) == (200, 900)
    assert spot.bet_sizes == spot.raise_sizes == (1.0,)
    assert spot.max_raises_per_street == 0
    assert math.isinf(spot.add_all_in_threshold)


def test_the_big_blind_is_out_of_position_with_the_range_that_arrives(directory):
    spot = spot_of(directory, "c-x")
    solution = load_solution(directory / "preflop")
    node = solution.tree.find_node("c-x")
    for player, held in zip((1, 0), spot.ranges(), strict=True):
        reach = solution.reach(player)[node]
        np.testing.assert_allclose(held.hand_weights(), reach, atol=0.0051)


def test_the_spot_remembers_where_it_comes_from_and_what_was_counted_with(directory):
    origin = spot_of(directory, "c-x").origin
    assert (origin.run, origin.node) == (str(directory), "c-x")
    # What both get is the pot: the money before the flop is neither lost nor made.
    assert origin.oop_ev + origin.ip_ev == pytest.approx(200, abs=1e-6)


def test_a_spot_with_an_origin_reads_back(directory):
    spot = spot_of(directory, "c-x")
    assert load_spot_config(spot.to_yaml()) == spot


def test_a_node_without_a_flop_is_refused_with_those_that_have_one(directory):
    with pytest.raises(TreeError, match="leads to no flop, use one of c-x, "):
        spot_keys_from_run(directory, "r2")


def test_a_node_that_nobody_plays_to_is_refused(directory):
    with pytest.raises(TreeError, match=r"is never reached, .* has no hand there"):
        spot_keys_from_run(directory, "r2-c")
