import numpy as np

from runout.cfr.leaves import Arrival, Judge


def test_an_arrival_finds_both_players_reach_of_a_node():
    reach = (np.arange(12.0).reshape(2, 2, 3), np.arange(18.0).reshape(2, 3, 3))
    row = (np.array([0, 0, 1]), np.array([0, 2, 1]))
    arrival = Arrival(1, Judge.EVALUATE, reach, row)
    assert arrival.opponent == 0
    np.testing.assert_array_equal(arrival.reach_of(0, 2), [[3, 4, 5], [9, 10, 11]])
    np.testing.assert_array_equal(arrival.reach_of(1, 1), [[6, 7, 8], [15, 16, 17]])
