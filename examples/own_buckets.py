"""What own buckets of hands lose with real cards.

Hands of a bucket play alike. Here a bucket is how many cards of a hand pair the board, and whether
it is a pocket pair: no straights, no flushes, no kickers. The second number is what an opponent
who sees every card wins on average.

Prints:

    <SolvedFlop AhKd7s, pot 1, stack 1: 100 iterations, 2.15% of the pot (upper bound)>
    with real cards 8.1% of the pot
"""

import numpy as np

import runout

RANKS = np.array([(low // 4, high // 4) for high in range(52) for low in range(high)])


def by_pairs(board: tuple[int, ...]) -> "np.typing.NDArray[np.int64]":
    """Returns ``[1326]`` buckets."""
    paired = np.isin(RANKS, [card // 4 for card in board]).sum(axis=1)
    return np.asarray(3 * (RANKS[:, 0] == RANKS[:, 1]) + paired, dtype=np.int64)


solved = runout.solve_flop("AhKd7s", abstraction=by_pairs, spr=1, bet_sizes="a", max_iterations=100)
print(solved)
print(f"with real cards {runout.exploitability(solved):.1%} of the pot")
