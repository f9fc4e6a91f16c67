"""A solved spot as JSON, written while it is walked, and a node as CSV."""

import csv
import json
import math
from collections.abc import Iterator
from typing import TextIO

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.card import format_card, format_cards
from runout.cards.combos import format_combo
from runout.errors import TreeError
from runout.holdem.cards_to_come import PLAYER_WORDS
from runout.postflop.spot.spot_path import SEPARATOR, NodeKind
from runout.postflop.spot.spot_view import SpotNode, SpotView

JSON_FORMAT = "runout-spot"
JSON_VERSION = 1

#: Decimals of a number in a file; more would be noise of float32.
_DECIMALS = 6


def write_json(view: SpotView, stream: TextIO, depth: int | None = None, path: str = "") -> int:
    """Writes a node and what follows, one node at a time: memory does not grow with the file.

    The head has the board, the stakes and, as ``combos``, the hands of both players; every list of
    numbers has one entry for each of a player's hands, null where there is no value. A node
    has its path, board, kind, pot, stacks, who acts, ``weights``, ``equity`` and ``ev`` of both
    players, and a decision its actions with their frequency, ``strategy`` and ``ev``. What
    follows is in ``children``: by action, or by card at a chance node, where all ``cards`` that
    can come are listed whether or not the depth reaches them.

    Args:
        view: what to write.
        stream: a text file.
        depth: actions and cards below the first node; None for everything.
        path: the first node, by default the root of the spot.

    Returns:
        The number of nodes written.

    Raises:
        TreeError: if the depth is negative, or the path leads nowhere.
        CardError: if the path deals a card that cannot come.
    """
    if depth is not None and depth < 0:
        raise TreeError("depth", f"{depth} is not 0 or a positive number of steps")
    spot = view.solver.game.spot
    hands = tuple(player.combos for player in view.solver.game.cards.players)
    first = view.node(path)
    head = {
        "format": JSON_FORMAT,
        "version": JSON_VERSION,
        "board": format_cards(spot.board),
        "pot": _rounded(spot.tree.stakes.pot),
        "stack": _rounded(spot.tree.stakes.stack),
        "iterations": view.solver.iteration,
        "players": list(PLAYER_WORDS),
        "combos": [[format_combo(combo) for combo in combos.tolist()] for combos in hands],
    }
    stream.write(_without_end(head) + ', "root": ')
    num_nodes = _write_node(view, stream, first, depth, hands)
    stream.write("}\n")
    return num_nodes


def _write_node(
    view: SpotView,
    stream: TextIO,
    node: SpotNode,
    depth: int | None,
    hands: tuple[IntArray, ...],
) -> int:
    """Writes a node with its children; returns how many nodes were written."""
    stream.write(_without_end(_describe(node, hands)))
    steps = list(_steps(node)) if depth is None or depth > 0 else []
    num_nodes = 1
    for number, step in enumerate(steps):
        stream.write((', "children": {\n' if number == 0 else ",\n") + f"{json.dumps(step)}: ")
        child = view.node(node.path + SEPARATOR + step)
        below = None if depth is None else depth - 1
        num_nodes += _write_node(view, stream, child, below, hands)
    stream.write("}}" if steps else "}")
    return num_nodes


def _steps(node: SpotNode) -> Iterator[str]:
    yield from (action.code for action in node.actions)
    yield from map(format_card, node.next_cards)


def _describe(node: SpotNode, hands: tuple[IntArray, ...]) -> dict[str, object]:
    """Returns a node without its children."""
    described: dict[str, object] = {
        "path": node.path,
        "board": format_cards(node.board),
        "street": node.street.name.lower(),
        "kind": str(node.kind),
        "pot": _rounded(node.pot_chips),
        "stacks": [_rounded(stack) for stack in node.stacks_chips],
        "actor": None if node.actor is None else PLAYER_WORDS[node.actor],
    }
    tables = {"weights": node.weights, "equity": node.equity, "ev": node.ev_chips}
    for name, table in tables.items():
        described[name] = [_numbers(row[combos]) for row, combos in zip(table, hands, strict=True)]
    if node.actor is not None:
        frequency = _numbers(node.frequency())
        described["actions"] = [
            {
                "code": action.code,
                "label": action.label,
                "amount": _rounded(action.amount_chips),
                "frequency": frequency[number],
                "strategy": _numbers(node.strategy[number, hands[node.actor]]),
                "ev": _numbers(node.action_ev_chips[number, hands[node.actor]]),
            }
            for number, action in enumerate(node.actions)
        ]
    if node.kind == NodeKind.CHANCE:
        described["cards"] = [format_card(card) for card in node.next_cards]
    return described


def _without_end(described: dict[str, object]) -> str:
    """Returns an object as JSON without its last brace, so that more can follow."""
    return json.dumps(described, allow_nan=False).removesuffix("}")


def _numbers(values: FloatArray) -> list[float | None]:
    return [_rounded(value) for value in values.tolist()]


def _rounded(value: float) -> float | None:
    """Returns a number with few decimals and without a negative zero, None where there is none."""
    return None if math.isnan(value) else round(value, _DECIMALS) + 0.0


def write_node_csv(node: SpotNode, stream: TextIO, player: int | None = None) -> int:
    """Writes the hands that a player can hold at a node, one per line, cells empty without value.

    Columns are ``combo, weight, equity, ev`` and, for the actor, ``frequency`` and ``ev`` of each
    action with its code, as ``b60 frequency, b60 ev``.

    Args:
        node: what to write.
        stream: a text file, opened with ``newline=""``.
        player: whose hands; the actor by default, OOP where nobody acts.

    Returns:
        The number of hands written.
    """
    whose = (node.actor or 0) if player is None else player
    actions = node.actions if whose == node.actor else ()
    columns = [node.weights[whose], node.equity[whose], node.ev_chips[whose]]
    names = ["combo", "weight", "equity", "ev"]
    for number, action in enumerate(actions):
        columns += [node.strategy[number], node.action_ev_chips[number]]
        names += [f"{action.code} frequency", f"{action.code} ev"]
    combos = np.flatnonzero(node.is_held[whose])
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    for combo in combos[::-1].tolist():  # the highest cards first
        cells = [_rounded(float(column[combo])) for column in columns]
        writer.writerow([format_combo(combo), *("" if cell is None else cell for cell in cells)])
    return len(combos)
