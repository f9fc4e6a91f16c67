"""Nodes in files: JSON, written while a solution is walked, and a node as CSV."""

import csv
import json
from collections.abc import Iterator
from typing import Any, Protocol, TextIO

from runout.cards.card import format_card
from runout.errors import TreeError
from runout.views.node import Node
from runout.views.node_json import held_columns, node_to_json, rounded
from runout.views.quality import Quality

JSON_FORMAT = "runout-solution"
JSON_VERSION = 2


class View(Protocol):
    """A solution whose nodes can be looked at."""

    @property
    def quality(self) -> Quality | None:
        """How well the whole is solved, if that is known."""

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""


def document_head(quality: Quality | None) -> dict[str, Any]:
    """Returns what stands before the nodes of a JSON document."""
    known = None if quality is None else quality.to_json()
    return {"format": JSON_FORMAT, "version": JSON_VERSION, "quality": known}


def write_json(view: View, stream: TextIO, depth: int | None = None, path: str = "") -> int:
    """Writes a node and what follows, one node at a time: memory does not grow with the file.

    The document has ``format``, ``version``, the ``quality`` of the solution and, as ``node``, what
    `node_to_json` says. What follows is in ``children``: by action, or by card at a chance
    node.

    Args:
        view: what to write.
        stream: a text file.
        depth: actions and cards below the first node; None for everything.
        path: the first node, by default the root.

    Returns:
        The number of nodes written.

    Raises:
        TreeError: if the depth is negative, or the path leads nowhere.
        CardError: if the path deals a card that cannot come.
    """
    if depth is not None and depth < 0:
        raise TreeError("depth", f"{depth} is not 0 or a positive number of steps")
    first = view.node(path)
    stream.write(_without_end(document_head(view.quality)) + ', "node": ')
    num_nodes = _write_node(view, stream, first, depth)
    stream.write("}\n")
    return num_nodes


def _write_node(view: View, stream: TextIO, node: Node, depth: int | None) -> int:
    """Writes a node with its children; returns how many nodes were written."""
    stream.write(_without_end(node_to_json(node)))
    steps = list(_steps(node)) if depth is None or depth > 0 else []
    num_nodes = 1
    for number, step in enumerate(steps):
        stream.write((', "children": {\n' if number == 0 else ",\n") + f"{json.dumps(step)}: ")
        child = view.node(node.path_after(step))
        num_nodes += _write_node(view, stream, child, None if depth is None else depth - 1)
    stream.write("}}" if steps else "}")
    return num_nodes


def _steps(node: Node) -> Iterator[str]:
    yield from (action.code for action in node.actions)
    yield from map(format_card, node.next_cards)


def _without_end(described: dict[str, Any]) -> str:
    """Returns an object as JSON without its last brace, so that more can follow."""
    return json.dumps(described, allow_nan=False).removesuffix("}")


def write_node_csv(node: Node, stream: TextIO, player: int | None = None) -> int:
    """Writes the hands that a player can hold at a node, one per line, cells empty without value.

    Columns are ``hand, weight, equity, ev`` and, for the actor, ``frequency`` and ``ev`` of each
    action with its code, as ``b60 frequency, b60 ev``.

    Args:
        node: what to write.
        stream: a text file, opened with ``newline=""``.
        player: whose hands; the actor by default, the first player where nobody acts.

    Returns:
        The number of hands written.
    """
    whose = (node.actor or 0) if player is None else player
    actions = node.actions if whose == node.actor else ()
    columns = [node.weights[whose], node.equity[whose], node.ev[whose]]
    names = ["hand", "weight", "equity", "ev"]
    for number, action in enumerate(actions):
        columns += [node.strategy[number], node.action_ev[number]]
        names += [f"{action.code} frequency", f"{action.code} ev"]
    held = held_columns(node, whose).tolist()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    for hand in held:
        cells = [rounded(float(column[hand])) for column in columns]
        name = node.hand_space.names[hand]
        writer.writerow([name, *("" if cell is None else cell for cell in cells)])
    return len(held)
