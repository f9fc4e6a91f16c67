"""A decision of a preflop solution for people: a title, a legend and the grid of all hands."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from runout.cli.formatting import format_bb, format_percent
from runout.cli.grid import HandGrid
from runout.cli.measure_grid import print_measure
from runout.cli.strategy_grid import StrategyGrid, grid_actions, legend
from runout.trees.actions import format_amount
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.measures import Measure
from runout.views.node import Node

#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80


def print_decisions(
    console: Console, nodes: Sequence[Node], measure: Measure | None = None
) -> None:
    """Prints the grids of some decisions, one below the other."""
    for number, node in enumerate(nodes):
        if number > 0:
            console.print()
        print_decision(console, node, measure)


def print_decision(console: Console, node: Node, measure: Measure | None = None) -> None:
    """Prints who decides after what, how often each action is taken, and the grid.

    Args:
        console: where.
        node: a decision before the flop.
        measure: what the grid shows of the hands; by default what they do.
    """
    actor = node.actor or 0
    print_title(console, node)
    actions = grid_actions(
        [action.kind for action in node.actions], [action.label for action in node.actions]
    )
    console.print(legend(console, actions, node.frequency().tolist()))
    console.print(_combos_line(node), style="dim")
    console.print()
    if measure not in (None, Measure.STRATEGY):
        print_measure(console, node, actor, measure)
        return
    grid = StrategyGrid(actions, node.strategy, node.weights[actor])
    console.print(grid)
    if caption := grid.caption(console):
        console.print(caption, style="dim")


def print_range(console: Console, node: Node, player: int) -> None:
    """Prints how much of each hand a player brings to a node."""
    print_title(console, node)
    what = f"{PLAYER_NAMES[player]}'s range there: % of each hand that plays to this point"
    console.print(what, soft_wrap=True)
    console.print()
    console.print(HandGrid(node.weights[player].clip(0.0, 1.0)))


def print_title(console: Console, node: Node, mark: str = "") -> None:
    """Prints who decides after what, how often, and for how much."""
    console.print(Text(mark).append_text(_title(node)), soft_wrap=True)


def _combos_line(node: Node) -> str:
    """Returns the actions' shares of combos, and how to read a cell."""
    held = node.combos(node.actor or 0)
    shares = [
        format_percent(taken / held, 1) if held > 0.0 else "-"
        for taken in node.combos_taken().tolist()
    ]
    return f"of combos, as charts count: {' / '.join(shares)}   a cell R62 C: R 62 %, then mostly C"


def _title(node: Node) -> Text:
    title = Text(node.label, style="bold")
    facts = [f"pot {format_amount(node.pot)} bb"]
    if node.path:
        seen = format_percent(node.reach or 0.0, 1)
        facts = [f"node {node.path}", f"{seen} of deals", *facts]
    actor = node.actor or 0
    value = node.range_ev(actor) - node.invested[actor]  # what is won, blinds included
    facts.append("never reached" if math.isnan(value) else f"EV {format_bb(value)} bb")
    text = ", ".join(facts)
    gap = "   " if len(title) + 3 + len(text) <= MAX_TITLE_COLUMNS else "\n"
    return title.append(f"{gap}{text}", "not bold")
