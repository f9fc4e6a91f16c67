"""A range cut into hand classes or bands of equity, with what each part does and is worth."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import BoolArray, FloatArray
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.errors import CardError
from runout.views.node import HandSpace, Node
from runout.views.selection import select_hands

NO_DRAW = "no-draw"
NUM_BANDS = 10

#: Fewer combos are not worth a row.
_FEWEST_COMBOS = 5e-4


@dataclass(frozen=True, eq=False)
class BreakdownRow:
    """A part of a range.

    Attributes:
        name: the class, or the band of equity in percent.
        combos: how many arrive, by weight.
        share: of the deals in which the range comes.
        equity: mean share of the pot at a showdown.
        ev: mean value.
        frequency: ``[A]`` how often the part takes each action; empty if the player does not act.
    """

    name: str
    combos: float
    share: float
    equity: float
    ev: float
    frequency: FloatArray


def made_hand_rows(node: Node, player: int) -> list[BreakdownRow]:
    """Returns a row for each made hand that a player holds, the best one first.

    Raises:
        CardError: if there is no board.
    """
    classes = classify_hands(_board(node))
    made_hands = list(MadeHand)[:0:-1]
    return _rows(node, player, {made.label: classes.made == made for made in made_hands})


def draw_rows(node: Node, player: int) -> list[BreakdownRow]:
    """Returns a row for each draw, a hand can be in several, and one for hands without.

    Raises:
        CardError: if there is no board.
    """
    classes = classify_hands(_board(node))
    parts = {draw.label: classes.draws[:, draw] for draw in Draw}
    has_none: BoolArray = np.logical_not(classes.draws.any(axis=1))
    return _rows(node, player, parts | {NO_DRAW: has_none})


def equity_rows(node: Node, player: int) -> list[BreakdownRow]:
    """Returns a row for each tenth of equity, the highest one first."""
    equity = np.nan_to_num(node.equity[player], nan=-1.0)
    band = np.minimum(np.floor(equity * NUM_BANDS), NUM_BANDS - 1)
    step = 100 // NUM_BANDS
    parts = {
        f"{step * number}-{step * (number + 1)}": band == number
        for number in reversed(range(NUM_BANDS))
    }
    return _rows(node, player, parts)


def _board(node: Node) -> tuple[int, ...]:
    if node.hand_space is HandSpace.HANDS:
        raise CardError("hand classes", "hands have none before the flop")
    return node.board


def _rows(node: Node, player: int, parts: dict[str, BoolArray]) -> list[BreakdownRow]:
    deals = float(node.deals(player).sum())
    rows = []
    for name, is_in in parts.items():
        part = select_hands(node, player, is_in.astype(np.float64))
        combos = part.combos(player)
        if combos < _FEWEST_COMBOS:
            continue
        row = BreakdownRow(
            name=name,
            combos=combos,
            share=float(part.deals(player).sum()) / deals if deals > 0.0 else float("nan"),
            equity=part.range_equity(player),
            ev=part.range_ev(player),
            frequency=part.frequency() if player == node.actor else np.zeros(0),
        )
        rows.append(row)
    return rows
