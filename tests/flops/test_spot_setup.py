import math

from runout.config.spot import SpotConfig
from runout.execution.pool import PROGRAM_BYTES
from runout.flops.spot_setup import measure_spot
from runout.flops.spot_solution import start_solver
from runout.holdem.tables import Precision
from runout.solutions.flop_bundles import build_spot

KEYS = {"board": "QsJh2h8c", "oop": "AA,QQ,JTs", "ip": "KK,T9s", "pot": 20, "stack": 60}


def make_spot(**keys):
    return build_spot(SpotConfig.parse(KEYS | keys))


def test_rake_has_no_cap_unless_one_is_given():
    assert make_spot(rake_rate=0.05).rake.cap == math.inf
    assert make_spot(rake_rate=0.05, rake_cap=2).rake.taken_from(1000) == 2
    assert make_spot().rake.taken_from(1000) == 0


def test_the_size_is_that_of_the_tables():
    size = measure_spot(SpotConfig.parse(KEYS), 1)
    assert size.num_boards[0] == 1
    assert size.num_hands == (3 + 6 + 3, 6 + 4)
    for precision in Precision:
        config = SpotConfig.parse(KEYS | {"precision": int(precision)})
        tables = start_solver(config).tables
        found = sum(a.nbytes for pair in tables.by_street for table in pair for a in table)
        assert size.memory[precision].tables == found
    assert size.memory_bytes[16] < size.memory_bytes[32]
    assert size.memory_bytes[32] - size.memory[Precision.SINGLE].total == PROGRAM_BYTES


def test_locks_take_a_byte_per_regret_of_their_street_and_player():
    config = SpotConfig.parse(KEYS | {"locks": [{"node": "r:0", "strategy": {"x": 1}}]})
    free, locked = measure_spot(SpotConfig.parse(KEYS), 1), measure_spot(config, 1)
    regrets = start_solver(config).tables.by_street[0][0].regret
    added = locked.memory[Precision.SINGLE].tables - free.memory[Precision.SINGLE].tables
    assert added == regrets.size


def test_several_locks_of_a_street_and_player_are_counted_once():
    locks = [{"node": f"x:x:9d:{action}", "strategy": {"x": 1}} for action in ("x", "x")]
    keys = KEYS | {"merges_suits": False}
    free = measure_spot(SpotConfig.parse(keys), 1).memory[Precision.SINGLE]
    config = SpotConfig.parse(keys | {"locks": locks})
    locked = measure_spot(config, 1).memory[Precision.SINGLE]
    assert locked.total - free.total == start_solver(config).tables.by_street[1][1].regret.size
