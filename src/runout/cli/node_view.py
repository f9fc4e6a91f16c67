"""A decision of a preflop solution for people: a title, a legend and the grid of all hands."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from runout.cli.formatting import format_bb, format_percent
from runout.cli.grid import HandGrid
from runout.cli.strategy_grid import StrategyGrid, grid_actions, legend
from runout.trees.actions import format_amount
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.node import Node
from runout.views.preflop_view import PreflopView

#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80


def print_decisions(console: Console, nodes: PreflopView, decisions: Sequence[int]) -> None:
    """Prints the grids of some decisions, one below the other."""
    for number, node in enumerate(decisions):
        if number > 0:
            console.print()
        print_decision(console, nodes, node)


def print_decision(console: Console, nodes: PreflopView, node: int) -> None:
    """Prints who decides after what, how often each action is taken, and the grid."""
    found = nodes.node_at(node)
    console.print(_title(nodes, node, found), soft_wrap=True)
    actions = grid_actions(
        [action.kind for action in found.actions], [action.label for action in found.actions]
    )
    console.print(legend(console, actions, found.frequency().tolist()))
    console.print(_combos_line(found), style="dim")
    console.print()
    grid = StrategyGrid(actions, found.strategy, found.weights[found.actor or 0])
    console.print(grid)
    if caption := grid.caption(console):
        console.print(caption, style="dim")


def print_range(console: Console, nodes: PreflopView, node: int, player: int) -> None:
    """Prints how much of each hand a player brings to a node."""
    found = nodes.node_at(node)
    title = _title(nodes, node, found)
    title.append(f"\n{PLAYER_NAMES[player]}'s range there: % of each hand that plays to this point")
    console.print(title, soft_wrap=True)
    console.print()
    console.print(HandGrid(found.weights[player].clip(0.0, 1.0)))


def _combos_line(node: Node) -> str:
    """Returns the actions' shares of combos, and how to read a cell."""
    held = node.combos(node.actor or 0)
    shares = [
        format_percent(taken / held, 1) if held > 0.0 else "-"
        for taken in node.combos_taken().tolist()
    ]
    return f"of combos, as charts count: {' / '.join(shares)}   a cell R62 C: R 62 %, then mostly C"


def _title(nodes: PreflopView, number: int, node: Node) -> Text:
    title = Text(nodes.describe_decision(number), style="bold")
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
