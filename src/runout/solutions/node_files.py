"""Nodes as JSON."""

import json
from collections.abc import Iterable
from typing import Any, TextIO

from runout.arrays import FloatArray
from runout.cards.deck import format_card, format_cards
from runout.errors import TreeError
from runout.solutions.node import Node, NodeAction, Quality, Solution
from runout.solutions.sheet import DECIMALS, rounded
from runout.trees.actions import ActionKind

# A node as JSON, by columns: what the command line prints, files hold and the page is given.

Json = dict[str, Any]


def node_to_json(node: Node) -> Json:
    """Returns a node under JSON names.

    ``hands`` has the names of what each player can hold; every list by hand has one entry for each
    of them, in this order, null where there is no value. Of an action, ``strategy`` and ``evs``
    are by the actor's hands and ``ev`` is the mean over the hands that take it.
    """
    names, players = node.hand_space.names, (0, 1)
    columns = [node.held_columns(player) for player in players]
    summary = node_summary_to_json(node)
    document: Json = {
        "path": node.path,
        "label": node.label,
        "kind": node.kind.value,
        "street": node.street_name,
        "board": format_cards(node.board),
        "unit": node.unit.value,
        "pot": rounded(node.pot),
        "stacks": list(map(rounded, node.stacks)),
        "invested": list(map(rounded, node.invested)),
        "players": list(node.players),
        "actor": node.actor,
        "hand_space": node.hand_space.value,
        "hands": [[names[column] for column in of_player.tolist()] for of_player in columns],
    }
    for name, table in {"weights": node.weights, "met": node.met_weights}.items():
        # Ratios of small weights matter.
        rows = [table[player, columns[player]].tolist() for player in players]
        document[name] = [[float(f"{weight:.{DECIMALS}g}") for weight in row] for row in rows]
    for name, table in {"equity": node.equity, "ev": node.ev}.items():
        document[name] = [_numbers(table[player, columns[player]]) for player in players]
    if node.actor is not None:
        held = columns[node.actor]
        taken, values = _numbers(node.combos_taken()), _numbers(node.action_values())
        for number, action in enumerate(summary["actions"]):
            action |= {
                "combos": taken[number],
                "ev": values[number],
                "strategy": _numbers(node.strategy[number, held]),
                "evs": _numbers(node.action_ev[number, held]),
            }
    return document | {
        **({"ev_from": "start"} if node.is_net else {}),
        **{name: summary[name] for name in ("range_ev", "range_equity", "eqr")},
        "combos": [rounded(node.combos(player)) for player in players],
        "actions": summary["actions"],
        "cards": [format_card(card) for card in node.next_cards],
        "flops": list(node.flops),
        "locked": node.is_locked,
        "reach": summary["reach"],
        "trail": [
            {
                **{name: getattr(step, name) for name in ("path", "label", "actor")},
                "actions": _with_frequency(step.actions, step.frequencies),
                "taken": step.taken,
            }
            for step in node.trail
        ],
    }


def node_summary_to_json(node: Node) -> Json:
    """Returns a node without its hands."""
    frequency = [] if node.actor is None else node.frequency().tolist()
    means = {"range_ev": node.range_ev, "range_equity": node.range_equity, "eqr": node.eqr}
    return {
        "path": node.path,
        "actor": node.actor,
        "actions": _with_frequency(node.actions, frequency),
        **{name: [rounded(mean(player)) for player in (0, 1)] for name, mean in means.items()},
        "locked": node.is_locked,
        "reach": None if node.reach is None else rounded(node.reach),
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


def _numbers(values: FloatArray) -> list[float | None]:
    return [rounded(value) for value in values.tolist()]


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
    first = view.node(path)
    stream.write(_without_end(document_head(view.quality)) + ', "node": ')
    num_nodes = _write_node(view, stream, first, depth)
    stream.write("}\n")
    return num_nodes


def _write_node(view: Solution, stream: TextIO, node: Node, depth: int | None) -> int:
    """Writes a node with its children; returns how many nodes were written."""
    stream.write(_without_end(node_to_json(node)))
    steps = () if depth == 0 or node.flops else node.steps
    num_nodes = 1
    for number, step in enumerate(steps):
        stream.write((', "children": {\n' if number == 0 else ",\n") + f"{json.dumps(step)}: ")
        child = view.node(node.path_after(step))
        num_nodes += _write_node(view, stream, child, None if depth is None else depth - 1)
    stream.write("}}" if steps else "}")
    return num_nodes


def _without_end(described: Json) -> str:
    """Returns an object as JSON without its last brace, so that more can follow."""
    return json.dumps(described, allow_nan=False).removesuffix("}")
