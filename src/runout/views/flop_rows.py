"""One spot on many flops: what each flop says about the chosen lines, as numbers.

A row is made of the nodes of a solved flop and needs nothing else, so whoever has solved a flop
can make it, and the table of all flops is put together from rows.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runout.arrays import BoolArray, FloatArray
from runout.cards.combos import live_combos
from runout.cards.hand_classes import classify_hands
from runout.trees.actions import ActionKind
from runout.views.node import Node, NodeAction, mean

Json = dict[str, Any]

#: The best made hands that a flop allows: so large a share of all combos are its nuts.
NUT_SHARE = 0.05

_PLAYERS = (0, 1)
_NUM_FIXED = 7  # numbers of a line whatever can be done there: deals, and three of each player


@dataclass(frozen=True)
class ReportLine:
    """A node that is looked at on every flop.

    Attributes:
        path: the actions that lead to it, empty at the root.
        label: who acts, or what happens, in words.
        pot: what is in the middle.
        actor: who acts; None where nobody does.
        actions: what the actor can do.
    """

    path: str
    label: str
    pot: float
    actor: int | None
    actions: tuple[NodeAction, ...]

    @classmethod
    def of(cls, node: Node) -> "ReportLine":
        """Returns the line of a node."""
        return cls(node.path, node.label, node.pot, node.actor, node.actions)

    def to_json(self) -> Json:
        """Returns the same under JSON names."""
        actions = [
            {"code": a.code, "label": a.label, "kind": a.kind.name.lower(), "amount": a.amount}
            for a in self.actions
        ]
        facts = {"path": self.path, "label": self.label, "pot": self.pot, "actor": self.actor}
        return {**facts, "actions": actions}

    @classmethod
    def from_json(cls, document: Json) -> "ReportLine":
        """Reads what `to_json` has written."""
        actions = tuple(
            NodeAction(a["code"], a["label"], ActionKind[a["kind"].upper()], a["amount"])
            for a in document["actions"]
        )
        return cls(document["path"], document["label"], document["pot"], document["actor"], actions)


@dataclass(frozen=True)
class LineValues:
    """What a line is on one flop; NaN where the ranges do not meet.

    Attributes:
        deals: weight of the pairs of combos that are played to here.
        ev: what OOP and IP get of the pot, in chips.
        equity: what they would get at a showdown, as a share of the pot.
        nuts: share of each range that is among the best made hands of the flop.
        frequency: how often each action is taken.
        cost: what the actor's range loses if all of it takes the action, in chips; the opponent
            plays on as it is.
        size_cost: what the actor loses in the whole game if this bet is its only size on the flop,
            in chips; both learn anew. NaN for what is no bet, none where it was not asked for.
    """

    deals: float
    ev: tuple[float, ...]
    equity: tuple[float, ...]
    nuts: tuple[float, ...]
    frequency: tuple[float, ...]
    cost: tuple[float, ...]
    size_cost: tuple[float, ...] = ()

    def to_array(self) -> FloatArray:
        """Returns ``[7 + 2 A]`` or, with costs of sizes, ``[7 + 3 A]`` all numbers in a row."""
        parts = (self.ev, self.equity, self.nuts, self.frequency, self.cost, self.size_cost)
        return np.array([self.deals, *itertools.chain.from_iterable(parts)])

    @classmethod
    def from_array(cls, numbers: FloatArray, num_actions: int) -> "LineValues":
        """Reads what `to_array` has written.

        Raises:
            ValueError: if there are not as many numbers as a line has.
        """
        values = iter(numbers.tolist())
        num_sizes = len(numbers) - _NUM_FIXED - 2 * num_actions
        if num_sizes not in (0, num_actions):
            raise ValueError(f"a line of {num_actions} actions has no {len(numbers)} numbers")
        lengths = (2, 2, 2, num_actions, num_actions, num_sizes)
        deals = next(values)
        return cls(deals, *(tuple(itertools.islice(values, number)) for number in lengths))


@dataclass(frozen=True)
class FlopRow:
    """What the solve of one flop has come to.

    Attributes:
        flop: its cards as they were given, such as ``AhKd7s``.
        share: of all 22,100 flops, what it stands for.
        deals: weight of the pairs of combos that it leaves the two ranges.
        exploitability_pot: of the solve, as a fraction of the pot.
        iterations: done.
        seconds: taken, further solves for costs of sizes included.
        lines: the chosen lines, in their order.
    """

    flop: str
    share: float
    deals: float
    exploitability_pot: float
    iterations: int
    seconds: float
    lines: tuple[LineValues, ...]


def line_values(node: Node, size_cost: tuple[float, ...] = ()) -> LineValues:
    """Returns what a node on a flop says, as numbers."""
    is_nuts = nut_hands(node.board)
    has_actor = node.actor is not None
    return LineValues(
        deals=float(node.deals(0).sum()),
        ev=tuple(node.range_ev(player) for player in _PLAYERS),
        equity=tuple(node.range_equity(player) for player in _PLAYERS),
        nuts=tuple(mean(is_nuts.astype(np.float64), node.deals(player)) for player in _PLAYERS),
        frequency=tuple(node.frequency().tolist()) if has_actor else (),
        cost=range_costs(node) if has_actor else (),
        size_cost=size_cost,
    )


def range_costs(node: Node) -> tuple[float, ...]:
    """Returns what each action costs the actor's range if every hand takes it, in chips.

    The opponent does not adapt, and hands go on as the solution has them go on: for hands that
    never take the action that is an estimate.
    """
    assert node.actor is not None
    deals = node.deals(node.actor)
    now = node.range_ev(node.actor)
    return tuple(now - mean(values, deals) for values in node.action_ev)


def nut_hands(board: Sequence[int]) -> BoolArray:
    """Returns ``[1326]`` the combos that are among the best made hands of a board.

    These are the best twentieth of the combos that the board leaves, and all that are as good as
    the last of them.
    """
    classes = classify_hands(tuple(board))
    live = live_combos(board)
    ranks = np.sort(classes.nut_rank[live])
    worst = ranks[math.ceil(NUT_SHARE * len(live)) - 1]
    is_nuts: BoolArray = (classes.nut_rank > 0) & (classes.nut_rank <= worst)
    return is_nuts
