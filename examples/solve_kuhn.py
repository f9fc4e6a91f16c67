"""Kuhn poker through the solver's CFR: a game is a tree, a hand space and a value for its leaves.

Two players ante 1 and are dealt one of three cards. Each may pass or bet 1; a bet may be called.
The first player loses 1/18 = 0.0556 a deal in equilibrium.

Prints:

    first player wins -0.0556 a deal
    a best response gains 0.0001
    second player bets a king after a pass: 100%
    second player bluffs a jack after a pass: 33%
"""

import numpy as np

from runout.arrays import RealArray
from runout.cfr.leaves import StreetReach
from runout.cfr.schedules import DCFR
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.trees.layout import LEAF, layout_tree

# A node is its history: p passes or folds, b bets or calls.
ACTOR = {"": 0, "p": 1, "b": 1, "pb": 0}
SHOWDOWN_STAKE = {"pp": 1.0, "bb": 2.0, "pbb": 2.0}
FOLD_GAIN = {"bp": 1.0, "pbp": -1.0}  # of the first player

CARDS = np.arange(3)
DEALT = (CARDS[:, None] != CARDS) / 6.0  # the chance of two different cards
WINS = np.sign(CARDS[:, None] - CARDS)


def expand(history: str) -> tuple[int, list[str]]:
    """Returns who acts after a history, and the histories that can follow."""
    return (ACTOR[history], [history + "p", history + "b"]) if history in ACTOR else (LEAF, [])


tree, histories = layout_tree("", expand)


class KuhnLeaves:
    """Values the leaves: the opponent's reach times the chance of the deal times what is won."""

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows."""
        sign = 1.0 if arrival.player == 0 else -1.0
        for node, history in enumerate(histories):
            reach = arrival.reach_of(arrival.opponent, node)
            if history in SHOWDOWN_STAKE:
                out_value[:, node] = reach @ (SHOWDOWN_STAKE[history] * WINS * DEALT).T
            elif history in FOLD_GAIN:
                out_value[:, node] = reach @ (sign * FOLD_GAIN[history] * DEALT).T

    def refresh(self, player: int) -> float:
        """There is no later street."""
        return 0.0


street = StreetSolver(tree, KuhnLeaves(), num_boards=1, num_hands=len(CARDS))
solver = CfrSolver(street, np.ones((1, 2, len(CARDS))), DCFR)
solver.run(1_000)
print(f"first player wins {solver.game_value(0)[0]:.4f} a deal")
print(f"a best response gains {solver.exploitability()[0]:.4f}")

# What belongs to an action is in the row of the node that it leads to.
strategy = street.average_strategy()[0]
print(f"second player bets a king after a pass: {strategy[histories.index('pb'), 2]:.0%}")
print(f"second player bluffs a jack after a pass: {strategy[histories.index('pb'), 0]:.0%}")
