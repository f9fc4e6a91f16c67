"""`runout show`: what a saved preflop solution does at its decisions."""

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from runout.cli.console import output, print_json
from runout.cli.export import solution_to_json
from runout.cli.measure_grid import print_measure
from runout.cli.node_compare import choose_measure, print_comparison
from runout.cli.node_view import print_decision, print_decisions, print_range, print_title
from runout.cli.options import JsonFlag, OptionError, require_at_most_one
from runout.cli.part_options import (
    CompareOption,
    MeasureOption,
    RangeOption,
    describe_part,
    narrow,
    read_part,
)
from runout.cli.preflop_report import print_report
from runout.cli.quality_lines import print_quality, print_warnings
from runout.cli.solutions import NodeOption, SolutionArgument
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.measures import Measure
from runout.views.node import Node
from runout.views.preflop_view import PreflopView
from runout.views.run_view import open_run
from runout.views.selection import Part


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
    hands: RangeOption = None,
    measure: MeasureOption = None,
    compare: CompareOption = None,
    json: JsonFlag = False,
) -> None:
    """Show a solution: the first decision and the answers to it, or any node."""
    require_at_most_one({"--show": measure is not None, "--json": json})
    nodes = open_run(path)
    wanted = None if player is None else [p.value for p in Player].index(player.value)
    part = replace(read_part(hands, None), player=wanted)
    if compare is not None:
        _compare(nodes, (node or "", compare), part, measure, json)
        return
    if node is None:
        decisions = [
            decision
            for decision in nodes.standard_nodes()
            if wanted is None or nodes.actor(decision) == wanted
        ]
    else:
        decisions = [nodes.find_decision(node)]
    if json:
        print_json(solution_to_json(nodes, decisions, part))
        return
    found = [narrow(nodes.node_at(decision), part) for decision in decisions]
    if node is None:
        print_decisions(output(), found, measure)
        output().print()
        print_report(output(), nodes)
        return
    _print_node(nodes, found[0], part, measure)


def _print_node(nodes: PreflopView, node: Node, part: Part, measure: Measure | None) -> None:
    console, player = output(), part.player_at(node)
    if player == node.actor:
        print_decision(console, node, measure)
    elif measure is Measure.STRATEGY:
        problem = f"{node.players[player]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    elif measure is None:
        print_range(console, node, player)
    else:
        print_title(console, node)
        console.print()
        print_measure(console, node, player, measure)
    if not part.is_whole:
        console.print(describe_part(nodes.node(node.path), node, player), style="dim")
    console.print()
    print_quality(console, nodes.quality)
    print_warnings(console, node)
    further = [
        f"--node {node.path_after(action.code)} ({action.label})"
        for action in node.actions
        if nodes.node(node.path_after(action.code)).actor is not None
    ]
    if further and player == node.actor:
        answering = PLAYER_NAMES[1 - node.actor]
        console.print(f"{answering} answers at {', '.join(further)}", style="dim", soft_wrap=True)


def _compare(
    nodes: PreflopView, paths: tuple[str, str], part: Part, asked: Measure | None, json: bool
) -> None:
    """Prints two decisions side by side."""
    numbers = [nodes.find_decision(path) for path in paths]
    if json:
        print_json(solution_to_json(nodes, numbers, part))
        return
    whole = nodes.node_at(numbers[0])
    part = replace(part, player=part.player_at(whole))
    first, second = (narrow(nodes.node_at(number), part) for number in numbers)
    player = part.player_at(first)
    measure = choose_measure((first, second), player, asked)
    console = output()
    for number, node in enumerate((first, second), start=1):
        print_title(console, node, f"{number}  ")
    console.print()
    print_comparison(console, (first, second), player, measure)
    console.print()
    print_quality(console, nodes.quality)
    for node in (first, second):
        print_warnings(console, node)
