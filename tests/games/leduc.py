"""Leduc poker: two streets and a board, solved by nesting one street in the other."""

from dataclasses import dataclass, replace

import numpy as np

from runout.cfr.schedules import DiscountSchedule
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
    """Values the final leaves; the board axis is the public card."""

    def __init__(self, states):
        self._leaves = [(node, state) for node, state in enumerate(states) if state.is_over]
        self._compatible = np.array([_CARDS != board for board in _CARDS], dtype=float)
        strength = [np.where(_CARDS // 2 == board // 2, 10, _CARDS // 2) for board in _CARDS]
        self._beats = np.array([np.sign(s[:, None] - s[None, :]) for s in strength])

    def fill_leaf_values(self, arrival, out_value):
        for node, state in self._leaves:
            reach = arrival.reach_of(arrival.opponent, node)
            for board in _CARDS:
                mask = self._compatible[board]
                pairs = mask[:, None] * mask[None, :]
                if state.folder is None:
                    payoff = state.paid[0] * self._beats[board] * _DEALT * pairs
                    out_value[board, node] = reach[board] @ payoff.T
                else:
                    out_value[board, node] = _fold_value(state, arrival.player, reach[board], pairs)

    def refresh(self, player):
        return 0.0


class FirstStreet:
    """Values folds directly and everything else by visiting the second street."""

    def __init__(self, states, dtype):
        self._leaves = [(node, state) for node, state in enumerate(states) if state.is_over]
        self._mask = np.array([_CARDS != board for board in _CARDS], dtype=float)
        self.next_streets = {}
        for node, state in self._leaves:
            if state.folder is None:
                tree, final = betting_round(state.paid, bet=4)
                self.next_streets[node] = StreetSolver(tree, SecondStreet(final), 6, 6, dtype)

    def fill_leaf_values(self, arrival, out_value):
        for node, state in self._leaves:
            if state.folder is not None:
                reach = arrival.reach_of(arrival.opponent, node)[0]
                out_value[0, node] = _fold_value(state, arrival.player, reach, 1.0)
                continue
            both = np.stack([arrival.reach_of(player, node)[0] for player in (0, 1)])
            entering = both * self._mask[:, None, :]  # [board, 2, hand]
            values = self.next_streets[node].visit(entering, arrival.player, arrival.step)
            out_value[0, node] = (values * self._mask).sum(axis=0) / _NUM_BOARDS_LEFT

    def refresh(self, player):
        return max(street.refresh(player) for street in self.next_streets.values())


def leduc_solver(
    schedule: DiscountSchedule, dtype=np.float64, is_simultaneous: bool = False
) -> CfrSolver:
    tree, states = betting_round(paid=(1, 1), bet=2)
    street = StreetSolver(tree, FirstStreet(states, dtype), 1, 6, dtype)
    return CfrSolver(street, np.ones((1, 2, 6)), schedule, is_simultaneous)
