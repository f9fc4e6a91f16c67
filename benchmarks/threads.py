"""Two threads against one, over the tables of random flops."""

from benchmarks.timing import Row, best_seconds_of_two, speedup
from runout.cards.flops import Flop, random_flops
from runout.equity.board_equity import compute_board_equity
from runout.equity.hand_table import HandEquityTable
from runout.execution.local import map_tasks

NUM_FLOPS = 24
GOAL = 1.7


def rows() -> list[Row]:
    """Returns the time of all flops."""
    flops = random_flops(NUM_FLOPS, seed=1).flops
    two, one = best_seconds_of_two(lambda: _solve(flops, 2), lambda: _solve(flops, 1))
    return [speedup(f"{NUM_FLOPS} flop tables, two threads", two, one, "one thread", GOAL)]


def _solve(flops: tuple[Flop, ...], num_workers: int) -> list[HandEquityTable]:
    return list(map_tasks(_table, flops, num_workers))


def _table(flop: Flop) -> HandEquityTable:
    return compute_board_equity(flop).hand_table()
