"""What the grid of the 169 hands can show of a node: values, equities, arrival, by player."""

from enum import StrEnum

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cards.combos import live_combos
from runout.views.node import HandSpace, Node, divide


class Measure(StrEnum):
    """One number for each hand, or what it does."""

    STRATEGY = "strategy"
    EV = "ev"
    EQUITY = "equity"
    EQR = "eqr"
    REACH = "reach"


def hand_values(node: Node, player: int, measure: Measure) -> FloatArray:
    """Returns ``[169]`` a number for each hand of a player, NaN where it has none.

    Args:
        node: where.
        player: whose hands.
        measure: anything but the strategy, which is more than one number.
    """
    match measure:
        case Measure.EV:
            return node.hand_means(node.ev[player], player)
        case Measure.EQUITY:
            return node.hand_means(node.equity[player], player)
        case Measure.EQR:
            shares = node.pot * hand_values(node, player, Measure.EQUITY)
            return divide(hand_values(node, player, Measure.EV), np.nan_to_num(shares))
        case Measure.REACH:
            return hand_reach(node, player)
    raise ValueError(f"{measure} is more than one number for each hand")


def hand_reach(node: Node, player: int) -> FloatArray:
    """Returns ``[169]`` how much of each hand arrives, of the combos that the board leaves.

    NaN for hands that the player cannot hold.
    """
    is_held = node.by_hand(node.is_held[player].astype(np.float64)) > 0.0
    if node.hand_space is HandSpace.HANDS:
        return np.where(is_held, node.weights[player], np.nan)
    live: FloatArray = np.bincount(
        HAND_BY_COMBO[live_combos(node.board)], minlength=NUM_HANDS
    ).astype(np.float64)
    return np.where(is_held, divide(node.by_hand(node.weights[player]), live), np.nan)


def hand_strategy(node: Node) -> FloatArray:
    """Returns ``[A, 169]`` how often the actor's hands take each action, NaN if they never come."""
    return np.array([node.hand_means(row) for row in node.strategy]).reshape(-1, NUM_HANDS)
