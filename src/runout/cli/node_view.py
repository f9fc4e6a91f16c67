"""A decision of a preflop solution for people: a title, a legend and the grid of all hands."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from runout.cli.formatting import format_bb, format_percent
from runout.cli.grid import HandGrid
from runout.cli.solutions import SMALLEST_REACH, SolvedNodes
from runout.cli.strategy_grid import StrategyGrid, grid_actions, legend
from runout.trees.actions import format_amount
from runout.trees.preflop_betting import PLAYER_NAMES

#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80


def print_decisions(console: Console, nodes: SolvedNodes, decisions: Sequence[int]) -> None:
    """Prints the grids of some decisions, one below the other."""
    for number, node in enumerate(decisions):
        if number > 0:
            console.print()
        print_decision(console, nodes, node)


def print_decision(console: Console, nodes: SolvedNodes, node: int) -> None:
    """Prints who decides after what, how often each action is taken, and the grid."""
    console.print(_title(nodes, node), soft_wrap=True)
    actions = grid_actions(nodes.action_kinds(node), nodes.tree.action_labels(node))
    console.print(legend(console, actions, nodes.frequencies(node)))
    console.print(_combos_line(nodes, node), style="dim")
    console.print()
    is_present = nodes.reach[nodes.actor(node)][node] >= SMALLEST_REACH
    console.print(StrategyGrid(actions, nodes.probability(node), is_present))


def print_range(console: Console, nodes: SolvedNodes, node: int, player: int) -> None:
    """Prints how much of each hand a player brings to a node."""
    reach = nodes.reach[player][node]
    title = _title(nodes, node)
    title.append(f"\n{PLAYER_NAMES[player]}'s range there: % of each hand that plays to this point")
    console.print(title, soft_wrap=True)
    console.print()
    console.print(HandGrid(reach.clip(0.0, 1.0)))


def _combos_line(nodes: SolvedNodes, node: int) -> str:
    """Returns the actions' shares of combos, and how to read a cell."""
    shares = [
        "-" if share is None else format_percent(share, 1) for share in nodes.shares_of_combos(node)
    ]
    return f"of combos, as charts count: {' / '.join(shares)}   a cell R62 C: R 62 %, then mostly C"


def _title(nodes: SolvedNodes, node: int) -> Text:
    tree, actor = nodes.tree, nodes.actor(node)
    title = Text(nodes.describe_decision(node), style="bold")
    facts = [f"pot {format_amount(tree.pot_bb[node])} bb"]
    if node:
        seen = format_percent(nodes.share_of_deals(node), 1)
        facts = [f"node {tree.path(node)}", f"{seen} of deals", *facts]
    value = nodes.mean_ev_bb(node, actor)
    facts.append("never reached" if value is None else f"EV {format_bb(value)} bb")
    text = ", ".join(facts)
    gap = "   " if len(title) + 3 + len(text) <= MAX_TITLE_COLUMNS else "\n"
    return title.append(f"{gap}{text}", "not bold")
