"""Kuhn poker through the production solver: the smallest game with a known answer."""

import numpy as np

from runout.cfr.schedules import Schedule
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.trees.layout import LEAF, layout_tree

GAME_VALUE = -1 / 18
UNIFORM_NASH_CONV = 11 / 12

# A node is its history of actions: p passes (or folds), b bets (or calls).
_ACTOR = {"": 0, "p": 1, "b": 1, "pb": 0}
TREE, _HISTORIES = layout_tree(
    "",
    lambda history: (
        (_ACTOR[history], [history + "p", history + "b"]) if history in _ACTOR else (LEAF, [])
    ),
)
NODE = {history: node for node, history in enumerate(_HISTORIES)}

_SHOWDOWN_STAKE = {"pp": 1.0, "bb": 2.0, "pbb": 2.0}
_FOLD_GAIN_OF_PLAYER_0 = {"bp": 1.0, "pbp": -1.0}
_CARDS = np.arange(3)
_DEALT = (_CARDS[:, None] != _CARDS[None, :]) / 6.0
_BEATS = np.sign(_CARDS[:, None] - _CARDS[None, :])


class KuhnLeaves:
    def fill_leaf_values(self, arrival, out_value):
        sign = 1.0 if arrival.player == 0 else -1.0
        for history, stake in _SHOWDOWN_STAKE.items():
            reach = arrival.reach_of(arrival.opponent, NODE[history])
            out_value[NODE[history]] = reach @ (stake * _BEATS * _DEALT).T
        for history, gain in _FOLD_GAIN_OF_PLAYER_0.items():
            reach = arrival.reach_of(arrival.opponent, NODE[history])
            out_value[NODE[history]] = reach @ (sign * gain * _DEALT).T

    def refresh(self, player):
        return 0.0


def kuhn_solver(
    schedule: Schedule, dtype=np.float64, is_simultaneous=False, team=None
) -> CfrSolver:
    street = StreetSolver(TREE, KuhnLeaves(), 3, dtype, team)
    return CfrSolver(street, schedule, is_simultaneous=is_simultaneous)
