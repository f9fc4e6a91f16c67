"""Leduc poker: two streets and a board, solved by nesting one street in the other."""

from dataclasses import dataclass, replace

import numpy as np

from runout.cfr.schedules import Schedule
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.trees.layout import LEAF, layout_tree

UNIFORM_NASH_CONV = 4.747222222222222  # OpenSpiel, exploitability_test.py
GAME_VALUE = -0.0856064

_CARDS = np.arange(6)  # rank = card // 2
_DEALT = (_CARDS[:, None] != _CARDS[None, :]) / 30.0
_NUM_BOARDS_LEFT = 4
_MAX_RAISES = 2


@dataclass(frozen=True)
class State:
    """A point of a betting round; ``folder`` is set when it is over by a fold."""

    paid: tuple[int, int]
    actor: int = 0
    num_raises: int = 0
    has_acted: bool = False
    is_over: bool = False
    folder: int | None = None


def _expand(state: State, bet: int):
    if state.is_over:
        return LEAF, []
    actor, other = state.actor, 1 - state.actor
    is_facing = state.paid[other] > state.paid[actor]
    level = max(state.paid)
    children = []
    if is_facing:
        children.append(replace(state, is_over=True, folder=actor))
    called = replace(state, paid=(level, level), actor=other, has_acted=True)
    children.append(replace(called, is_over=is_facing or state.has_acted))
    if state.num_raises < _MAX_RAISES:
        paid = [level, level]
        paid[actor] += bet
        children.append(replace(called, paid=tuple(paid), num_raises=state.num_raises + 1))
    return actor, children


def betting_round(paid: tuple[int, int], bet: int):
    """Returns the round's tree and the states of its nodes, the first player acting first."""
    return layout_tree(State(paid), lambda state: _expand(state, bet))


def _fold_value(state, player, opponent_reach, compatible):
    gain = -state.paid[player] if state.folder == player else state.paid[1 - player]
    return gain * (opponent_reach @ (_DEALT * compatible).T)


class SecondStreet:
    """Values the final leaves after one public card."""

    def __init__(self, states, board):
        self._leaves = [(node, state) for node, state in enumerate(states) if state.is_over]
        mask = (_CARDS != board).astype(float)
        self._pairs = mask[:, None] * mask[None, :]
        strength = np.where(_CARDS // 2 == board // 2, 10, _CARDS // 2)
        self._beats = np.sign(strength[:, None] - strength[None, :])

    def fill_leaf_values(self, arrival, out_value):
        for node, state in self._leaves:
            reach = arrival.reach_of(arrival.opponent, node)
            if state.folder is None:
                out_value[node] = reach @ (state.paid[0] * self._beats * _DEALT * self._pairs).T
            else:
                out_value[node] = _fold_value(state, arrival.player, reach, self._pairs)

    def refresh(self, player):
        return 0.0


class FirstStreet:
    """Values folds directly and everything else by visiting the second street on every board."""

    def __init__(self, states, dtype):
        self._leaves = [(node, state) for node, state in enumerate(states) if state.is_over]
        self.next_streets = {}
        for node, state in self._leaves:
            if state.folder is None:
                tree, final = betting_round(state.paid, bet=4)
                self.next_streets[node] = [
                    StreetSolver(tree, SecondStreet(final, board), 6, dtype) for board in _CARDS
                ]

    def fill_leaf_values(self, arrival, out_value):
        for node, state in self._leaves:
            if state.folder is not None:
                reach = arrival.reach_of(arrival.opponent, node)
                out_value[node] = _fold_value(state, arrival.player, reach, 1.0)
                continue
            both = np.stack([arrival.reach_of(player, node) for player in (0, 1)])
            out_value[node] = 0.0
            for board, street in enumerate(self.next_streets[node]):
                mask = _CARDS != board
                value = street.visit(both * mask, arrival.player, arrival.step)
                out_value[node] += value * mask / _NUM_BOARDS_LEFT

    def refresh(self, player):
        streets = [street for by_board in self.next_streets.values() for street in by_board]
        return max(street.refresh(player) for street in streets)


def leduc_solver(schedule: Schedule, dtype=np.float64, is_simultaneous: bool = False) -> CfrSolver:
    tree, states = betting_round(paid=(1, 1), bet=2)
    street = StreetSolver(tree, FirstStreet(states, dtype), 6, dtype)
    return CfrSolver(street, schedule, is_simultaneous=is_simultaneous)
