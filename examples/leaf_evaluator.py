"""A leaf evaluator of your own: ten numbers instead of cards, and the higher one wins.

Prints:

    OOP wins -0.038 pots, NashConv 0.0000
"""

import numpy as np

import runout

WINS = np.sign(np.subtract.outer(np.arange(10), np.arange(10)))
TREE = runout.BettingTree.of("100%", stack=1, street="river", max_raises=0)


class _HigherNumber:
    # Every number meets ten others alike: one pair in a hundred.
    def fill_leaf_values(self, arrival, out_value):
        for node in np.flatnonzero(TREE.leaf_kind >= 0):
            folded = (1 - 2 * arrival.player) * TREE.fold_gain[node]
            won = folded + (TREE.leaf_stake[node] * WINS if folded == 0.0 else 0.0 * WINS)
            out_value[node] = won @ arrival.reach_of(arrival.opponent, node) / 100

    def refresh(self, player):
        return 0.0  # no later street learns


solver = runout.CfrSolver(TREE, leaves=_HigherNumber(), hands=10)
solver.run(1_000)
print(f"OOP wins {solver.game_value(0):+.3f} pots, NashConv {solver.nash_conv():.4f}")
