"""Nodes as JSON."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from runout.arrays import AnyArray, FloatArray
from runout.cards.deck import format_card, format_cards
from runout.errors import TreeError
from runout.solutions.node import Node, NodeAction, Quality, Solution
from runout.solutions.sheet import DECIMALS, plain, rounded
from runout.trees.actions import ActionKind

# A node as JSON, by columns: what the command line prints, files hold and the page is given.

Json = dict[str, Any]


def node_to_json(node: Node) -> Json:
    """Returns a node under JSON names.

    ``hands`` has the names of what each player can hold; every list by hand has one entry for each
    of them, in this order, null where there is no value. Of an action, ``strategy`` and ``evs``
    are by the actor's hands and ``ev`` is the mean over the hands that take it.
    """
    names, held = node.hand_space.names, [node.held_columns(player) for player in (0, 1)]

    def of_held(table: AnyArray) -> list[list[float]]:
        return [row[columns].tolist() for row, columns in zip(table, held, strict=True)]

    def with_digits(table: FloatArray) -> list[list[float]]:  # ratios of small weights matter
        return [[float(f"{weight:.{DECIMALS}g}") for weight in row] for row in of_held(table)]

    summary = node_summary_to_json(node)
    if node.actor is not None:
        own, taken, values = held[node.actor], node.combos_taken(), node.action_values()
        for number, action in enumerate(summary["actions"]):
            strategy, evs = node.strategy[number, own], node.action_ev[number, own]
            parts = {"combos": taken[number], "ev": values[number], "strategy": strategy}
            action |= plain(parts | {"evs": evs})
    money: Json = {"pot": node.pot, "stacks": node.stacks, "invested": node.invested}
    tables = {"equity": of_held(node.equity), "ev": of_held(node.ev)}
    return {
        "path": node.path,
        "label": node.label,
        "kind": node.kind.value,
        "street": node.street_name,
        "board": format_cards(node.board),
        "unit": node.unit.value,
        "players": list(node.players),
        **plain(money),
        "hand_space": node.hand_space.value,
        "hands": [[names[column] for column in columns.tolist()] for columns in held],
        "weights": with_digits(node.weights),
        "met": with_digits(node.met_weights),
        **plain(tables | {"combos": [node.combos(player) for player in (0, 1)]}),
        **({"ev_from": "start"} if node.is_net else {}),
        **summary,
        **({} if node.buckets is None else {"buckets": of_held(node.buckets)}),
        "cards": [format_card(card) for card in node.next_cards],
        "flops": list(node.flops),
        "trail": [
            {
                **{name: getattr(step, name) for name in ("path", "label", "actor", "taken")},
                "actions": _with_frequency(step.actions, step.frequencies),
            }
            for step in node.trail
        ],
    }


def node_summary_to_json(node: Node) -> Json:
    """Returns a node without its hands."""
    means = {"range_ev": node.range_ev, "range_equity": node.range_equity, "eqr": node.eqr}
    return {
        "path": node.path,
        "actor": node.actor,
        "actions": _with_frequency(node.actions, node.frequency().tolist()),
        **plain({name: [mean(player) for player in (0, 1)] for name, mean in means.items()}),
        "locked": node.is_locked,
        "reach": plain(node.reach),
    }


def action_to_json(action: NodeAction) -> Json:
    """Returns an action under JSON names."""
    kind, amount = action.kind.name.lower(), rounded(action.amount)
    return {"code": action.code, "label": action.label, "kind": kind, "amount": amount}


def action_from_json(document: Json) -> NodeAction:
    """Reads what `action_to_json` has written."""
    kind = ActionKind[document["kind"].upper()]
    return NodeAction(document["code"], document["label"], kind, document["amount"])


def _with_frequency(actions: Iterable[NodeAction], frequencies: Iterable[float]) -> list[Json]:
    return [
        action_to_json(action) | {"frequency": rounded(frequency)}
        for action, frequency in zip(actions, frequencies, strict=True)
    ]


# Nodes in a JSON file, written while a solution is walked.

JSON_FORMAT = "runout-solution"
JSON_VERSION = 2


def document_head(quality: Quality | None) -> Json:
    """Returns what stands before the nodes of a JSON document."""
    known = None if quality is None else quality.to_json()
    return {"format": JSON_FORMAT, "version": JSON_VERSION, "quality": known}


def write_json(view: Solution, stream: TextIO, depth: int | None = None, path: str = "") -> int:
    """Writes a node and what follows, one node at a time: memory does not grow with the file.

    The document has ``format``, ``version``, the ``quality`` of the solution and, as ``node``, what
    `node_to_json` says. What follows is in ``children``: by action, or by card at a chance
    node. A depth counts actions and cards below the first node; None is everything. Returns the
    number of nodes written.
    """
    if depth is not None and depth < 0:
        raise TreeError("depth", f"{depth} is not 0 or a positive number of steps")
    look, _ = view.looking()
    first = look(path)
    stream.write(_without_end(document_head(view.quality)) + ', "node": ')
    num_nodes = _write_node(look, stream, first, depth)
    stream.write("}\n")
    return num_nodes


def _write_node(look: Callable[[str], Node], stream: TextIO, node: Node, depth: int | None) -> int:
    """Writes a node with its children; returns how many nodes were written."""
    stream.write(_without_end(node_to_json(node)))
    steps = () if depth == 0 or node.flops else node.steps
    num_nodes = 1
    for number, step in enumerate(steps):
        stream.write((', "children": {\n' if number == 0 else ",\n") + f"{json.dumps(step)}: ")
        child = look(node.path_after(step))
        num_nodes += _write_node(look, stream, child, None if depth is None else depth - 1)
    stream.write("}}" if steps else "}")
    return num_nodes


def _without_end(described: Json) -> str:
    """Returns an object as JSON without its last brace, so that more can follow."""
    return json.dumps(described, allow_nan=False).removesuffix("}")
