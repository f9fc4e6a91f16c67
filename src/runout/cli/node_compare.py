"""Two nodes side by side: what is done and worth at each, and what differs by hand."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from runout.arrays import FloatArray
from runout.cli.formatting import format_percent
from runout.cli.grid import HandGrid
from runout.cli.measure_grid import NET, print_measure_difference, range_ev
from runout.cli.options import OptionError
from runout.cli.solutions import SMALLEST_REACH
from runout.cli.strategy_grid import grid_actions
from runout.trees.actions import ActionKind
from runout.views.measures import Measure, hand_reach, hand_strategy
from runout.views.node import Node

#: Moves of less than half a percent are none.
_SMALLEST_MOVE = 0.005

_NO_VALUE = "-"


class SharedAction(NamedTuple):
    """An action that two nodes have in common, or all of a kind if their sizes differ.

    Attributes:
        kind: what it is.
        label: in words.
        rows: of the strategies at the first node and at the second.
    """

    kind: ActionKind
    label: str
    rows: tuple[list[int], list[int]]


def choose_measure(nodes: tuple[Node, Node], player: int, asked: Measure | None) -> Measure:
    """Returns what of two nodes is compared: strategies if the player acts at both, else EVs.

    Raises:
        OptionError: if strategies are asked for, and the player does not act at both, or one node
            is before the flop and the other is not.
    """
    if nodes[0].players != nodes[1].players:
        raise OptionError("--compare", "one node is before the flop and the other is after it")
    acts = all(node.actor == player for node in nodes)
    if asked is Measure.STRATEGY and not acts:
        name = nodes[0].players[player]
        problem = f"{name} does not act at both nodes, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    return asked or (Measure.STRATEGY if acts else Measure.EV)


def print_comparison(
    console: Console, nodes: tuple[Node, Node], player: int, measure: Measure
) -> None:
    """Prints values and frequencies of two nodes, and the grid of how a player's hands differ."""
    console.print(_table(nodes))
    net = f"; EVs {NET}" if nodes[0].street is None else ""
    console.print(f"difference: the first node minus the second{net}", style="dim")
    console.print()
    if measure is not Measure.STRATEGY:
        print_measure_difference(console, nodes, player, measure)
        return
    shared = shared_actions(*nodes)
    moves, texts = strategy_moves(nodes, shared)
    reach = np.fmin(*(np.nan_to_num(hand_reach(node, player)) for node in nodes))
    name = nodes[0].players[player]
    head = f"difference, {name}'s hands: what is done more at the first node, and by how many %"
    console.print(head, style="bold", soft_wrap=True)
    console.print(HandGrid(moves, texts, reach=reach))


def shared_actions(first: Node, second: Node) -> list[SharedAction]:
    """Returns actions of two decisions pair by pair: one by one if all are the same, else by kind.

    What only one of the nodes has is there with no rows of the other.
    """
    if [action.code for action in first.actions] == [action.code for action in second.actions]:
        return [
            SharedAction(action.kind, action.label, ([number], [number]))
            for number, action in enumerate(first.actions)
        ]
    kinds = list(dict.fromkeys(action.kind for action in (*first.actions, *second.actions)))
    return [
        SharedAction(
            kind, kind.name.lower().replace("_", "-"), (_rows(first, kind), _rows(second, kind))
        )
        for kind in kinds
    ]


def _rows(node: Node, kind: ActionKind) -> list[int]:
    return [number for number, action in enumerate(node.actions) if action.kind is kind]


def strategy_moves(
    nodes: tuple[Node, Node], shared: Sequence[SharedAction]
) -> tuple[FloatArray, list[str]]:
    """Returns ``[169]`` how much more a hand takes its most favoured action, and that in letters.

    NaN where the hand does not get to both nodes.
    """
    played = [hand_strategy(node) for node in nodes]
    gains = np.stack(
        [
            played[0][action.rows[0]].sum(axis=0) - played[1][action.rows[1]].sum(axis=0)
            for action in shared
        ]
    )
    is_there = np.all(
        [hand_reach(node, node.actor or 0) >= SMALLEST_REACH for node in nodes], axis=0
    )
    gains[:, ~is_there] = math.nan
    letters = [look.letter for look in grid_actions(*_looks(shared))]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def _looks(shared: Sequence[SharedAction]) -> tuple[list[ActionKind], list[str]]:
    return [action.kind for action in shared], [action.label for action in shared]


def _table(nodes: tuple[Node, Node]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in (*(node.path or "root" for node in nodes), "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    for player, name in enumerate(nodes[0].players):
        _add_amounts(table, f"EV {name}", *(range_ev(node, player) for node in nodes))
    for player, name in enumerate(nodes[0].players):
        _add_shares(table, f"equity {name}", *(node.range_equity(player) for node in nodes))
    for player, name in enumerate(nodes[0].players):
        _add_shares(table, f"EQR {name}", *(node.eqr(player) for node in nodes))
    if nodes[0].actor is None or nodes[0].actor != nodes[1].actor:
        return table
    frequency = [node.frequency() for node in nodes]
    for action in shared_actions(*nodes):
        shares = [
            float(row[rows].sum()) if rows else math.nan
            for row, rows in zip(frequency, action.rows, strict=True)
        ]
        _add_shares(table, action.label, *shares)
    return table


def _add_amounts(table: Table, name: str, first: float, second: float) -> None:
    table.add_row(
        name, *(_number(value, ".3f") for value in (first, second)), _number(first - second, "+.3f")
    )


def _add_shares(table: Table, name: str, first: float, second: float) -> None:
    difference = first - second
    points = _NO_VALUE if math.isnan(difference) else f"{100 * difference:+.2f}"
    table.add_row(name, *map(_share, (first, second)), points)


def _number(value: float, form: str) -> str:
    return _NO_VALUE if math.isnan(value) else f"{round(value, 3) + 0.0:{form}}"


def _share(value: float) -> str:
    return _NO_VALUE if math.isnan(value) else format_percent(value)
