"""`runout show`: what a saved preflop solution does at its decisions."""

from enum import StrEnum
from typing import Annotated

import typer

from runout.cli.console import output, print_json
from runout.cli.export import solution_to_json
from runout.cli.node_view import print_decisions, print_range
from runout.cli.options import JsonFlag
from runout.cli.preflop_report import print_report
from runout.cli.solutions import NodeOption, SolutionArgument
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.run_view import open_run


class Player(StrEnum):
    """The two players, as on the command line."""

    SB = "sb"
    BB = "bb"


def show_solution(
    path: SolutionArgument,
    node: NodeOption = None,
    player: Annotated[
        Player | None,
        typer.Option(
            "--player", "-p", help="Only this one's decisions; with --node, or its range there."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show a solution: the first decision and the answers to it, or any node."""
    nodes = open_run(path)
    wanted = None if player is None else [p.value for p in Player].index(player.value)
    console = output()
    if node is None:
        decisions = [
            decision
            for decision in nodes.standard_nodes()
            if wanted is None or nodes.actor(decision) == wanted
        ]
    else:
        decisions = [nodes.find_decision(node)]
    if json:
        print_json(solution_to_json(nodes, decisions))
        return
    if node is not None and wanted is not None and nodes.actor(decisions[0]) != wanted:
        print_range(console, nodes, decisions[0], wanted)
        return
    print_decisions(console, nodes, decisions)
    if node is None:
        console.print()
        print_report(console, nodes)
        return
    further = [
        f"--node {nodes.tree.path(child)} ({nodes.tree.action_label(child)})"
        for child in nodes.tree.layout.children(decisions[0])
        if nodes.tree.layout.num_children[child]
    ]
    if further:
        answering = PLAYER_NAMES[1 - nodes.actor(decisions[0])]
        console.print(f"\n{answering} answers at {', '.join(further)}", style="dim")
