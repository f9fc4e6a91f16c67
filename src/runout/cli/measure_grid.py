"""The grid of one number for each hand: EV, equity, realized equity or reach."""

import math

import numpy as np
from rich.console import Console

from runout.arrays import FloatArray
from runout.cli.formatting import format_cell
from runout.cli.grid import HandGrid, fill_caption, has_colours
from runout.cli.solutions import SMALLEST_REACH
from runout.views.measures import Measure, hand_reach, hand_values
from runout.views.node import Node

#: How EVs are counted before the flop.
NET = "all in all, blinds included"

_WORDS = {
    Measure.EV: "EV in {unit}",
    Measure.EQUITY: "equity in %",
    Measure.EQR: "EQR, the EV in % of what equity would give",
    Measure.REACH: "reach, the % of each hand that gets here",
}


def print_measure(console: Console, node: Node, player: int, measure: Measure) -> None:
    """Prints what the grid shows, and the grid of a player's hands."""
    values = measured(node, player, measure)
    what = describe_measure(node, measure)
    console.print(f"{node.players[player]}'s hands: {what}", style="bold", soft_wrap=True)
    reach = np.nan_to_num(hand_reach(node, player))
    write = format_amount_cell if measure is Measure.EV else format_share_cell
    texts = [write(value) for value in values.tolist()]
    is_share = measure in (Measure.EQUITY, Measure.REACH)
    bounds = (0.0, 1.0) if is_share else _bounds(values)
    console.print(HandGrid(values, texts, bounds, reach))
    caption = fill_caption(reach[~np.isnan(values)])
    if caption and has_colours(console):
        console.print(caption, style="dim")


def print_measure_difference(
    console: Console, nodes: tuple[Node, Node], player: int, measure: Measure
) -> None:
    """Prints the grid of what hands have more at the first of two nodes."""
    values = np.subtract(*(measured(node, player, measure) for node in nodes))
    what = describe_measure(nodes[0], measure)
    console.print(f"difference, {nodes[0].players[player]}'s hands: {what}", style="bold")
    is_ev = measure is Measure.EV
    texts = [_signed(value, is_ev) for value in values.tolist()]
    largest = max(map(abs, _bounds(values)))
    reach = np.fmin(*(np.nan_to_num(hand_reach(node, player)) for node in nodes))
    console.print(HandGrid(values, texts, (-largest, largest), reach))


def describe_measure(node: Node, measure: Measure) -> str:
    """Returns what the grid of a measure shows, with its unit."""
    words = _WORDS[measure].format(unit=node.unit.value)
    is_net = measure is Measure.EV and node.street is None
    return f"{words}, {NET}" if is_net else words


def range_ev(node: Node, player: int) -> float:
    """Returns the EV of a range; before the flop what it wins all in all, as `show` counts."""
    return node.range_ev(player) - (node.invested[player] if node.street is None else 0.0)


def measured(node: Node, player: int, measure: Measure) -> FloatArray:
    """Returns ``[169]`` a measure of the hands that arrive; of those that do not, nothing."""
    values = hand_values(node, player, measure)
    if measure is Measure.REACH:
        return values
    if measure is Measure.EV and node.street is None:
        values = values - node.invested[player]
    return np.where(hand_reach(node, player) >= SMALLEST_REACH, values, np.nan)


def _bounds(values: FloatArray) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def format_share_cell(share: float) -> str:
    """Returns a share as percent in at most five characters."""
    return "" if math.isnan(share) else format_cell(min(share, 99.99))


def format_amount_cell(amount: float) -> str:
    """Returns an amount in at most five characters: ``-0.31``, ``106.0``, ``1234``, ``12k``."""
    if math.isnan(amount):
        return ""
    for decimals, limit in ((2, 9.995), (1, 99.95), (0, 9999.5)):
        if abs(amount) < limit:
            return f"{round(amount, decimals) + 0.0:.{decimals}f}"
    return f"{amount / 1000:.0f}k"


def _signed(difference: float, is_amount: bool) -> str:
    if math.isnan(difference):
        return ""
    text = format_amount_cell(abs(difference)) if is_amount else format_cell(abs(difference))
    if float(text.removesuffix("k")) == 0.0:
        return "0"
    return ("+" if difference > 0.0 else "-") + text
