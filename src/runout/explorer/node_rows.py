"""Nodes and flops in one row each, for reports."""

from typing import Any

from runout.cards.card import RANKS
from runout.cards.flops import describe_texture
from runout.views.node import Node
from runout.views.node_json import rounded

Json = dict[str, Any]


def texture_to_json(flop: tuple[int, ...]) -> Json:
    """Returns what players call a flop, under the names by which the page groups flops."""
    texture = describe_texture(flop)
    return {
        "high": f"{RANKS[texture.high_rank]} high",
        "suits": texture.suits.value,
        "pairing": texture.ranks.value,
        "connected": "connected" if texture.is_connected else "disconnected",
    }


def actions_to_json(node: Node) -> list[Json]:
    """Returns the actions of a node with how often each is taken."""
    frequency = [] if node.actor is None else node.frequency().tolist()
    return [
        {
            "code": action.code,
            "label": action.label,
            "kind": action.kind.name.lower(),
            "amount": rounded(action.amount),
            "frequency": rounded(share),
        }
        for action, share in zip(node.actions, frequency, strict=True)
    ]


def summarize_node(node: Node) -> Json:
    """Returns a node without its hands."""
    return {
        "path": node.path,
        "actor": node.actor,
        "actions": actions_to_json(node),
        "range_ev": [rounded(node.range_ev(player)) for player in (0, 1)],
        "range_equity": [rounded(node.range_equity(player)) for player in (0, 1)],
        "eqr": [rounded(node.eqr(player)) for player in (0, 1)],
    }
