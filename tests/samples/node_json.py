"""Reads nodes back from their JSON, for tests that compare."""

import math

import numpy as np

from runout.cards.deck import parse_cards
from runout.solutions.node import PREFLOP, HandSpace, Node, NodeKind, TrailStep, Unit
from runout.solutions.node_files import action_from_json
from runout.trees.betting import Street


def node_from_json(document):
    """Returns the node that `node_to_json` wrote, with the digits that it kept."""
    space = HandSpace(document["hand_space"])
    index = {name: column for column, name in enumerate(space.names)}
    columns = [[index[name] for name in names] for names in document["hands"]]
    is_held = np.zeros((2, len(space.names)), dtype=bool)
    for player, of_player in enumerate(columns):
        is_held[player, of_player] = True

    def spread(rows, of_rows, fill):
        table = np.full((len(rows), len(space.names)), fill)
        for row, numbers, places in zip(table, rows, of_rows, strict=True):
            row[places] = np.array(numbers, dtype=np.float64)  # None becomes NaN
        return table

    actor, actions = document["actor"], document["actions"]
    of_actor = [] if actor is None else [columns[actor]] * len(actions)
    street = document["street"]
    same = {name: document[name] for name in ("path", "label", "pot", "actor", "reach")}
    pairs = {name: tuple(document[name]) for name in ("stacks", "invested", "players", "flops")}
    return Node(
        **same | pairs,
        kind=NodeKind(document["kind"]),
        street=None if street == PREFLOP else Street[street.upper()],
        board=parse_cards(document["board"]) if document["board"] else (),
        unit=Unit(document["unit"]),
        is_net="ev_from" in document,
        actions=tuple(map(action_from_json, actions)),
        next_cards=tuple(card for text in document["cards"] for card in parse_cards(text)),
        hand_space=space,
        is_held=is_held,
        weights=spread(document["weights"], columns, 0.0),
        met_weights=spread(document["met"], columns, 0.0),
        strategy=spread([action["strategy"] for action in actions], of_actor, math.nan),
        ev=spread(document["ev"], columns, math.nan),
        action_ev=spread([action["evs"] for action in actions], of_actor, math.nan),
        equity=spread(document["equity"], columns, math.nan),
        is_locked=document["locked"],
        trail=tuple(map(_step_from_json, document["trail"])),
    )


def _step_from_json(document):
    actions = document["actions"]
    shares = (action["frequency"] for action in actions)
    known = {
        "actions": tuple(map(action_from_json, actions)),
        "frequencies": tuple(math.nan if share is None else share for share in shares),
    }
    return TrailStep(**document | known)
