"""Options that choose which hands of a node are looked at, and what of them."""

from typing import Annotated

import typer

from runout.cli.options import OptionError
from runout.errors import CardError, RangeError
from runout.ranges.notation import parse_range
from runout.views.measures import Measure
from runout.views.node import Node
from runout.views.selection import Part, parse_class_choice

RangeOption = Annotated[
    str | None, typer.Option("--range", metavar="RANGE", help='Only these hands: "22+,A2s+".')
]
ClassOption = Annotated[
    str | None,
    typer.Option(
        "--class",
        metavar="NAMES",
        help="Only hands that are these on the board: sets,flush-draws; without: -top-pair.",
    ),
]
MeasureOption = Annotated[
    Measure | None, typer.Option("--show", help="What the grid shows (default: the strategy).")
]
CompareOption = Annotated[
    str | None,
    typer.Option("--compare", metavar="PATH", help="Another node, to stand beside this one."),
]


def read_part(hands: str | None, classes: str | None) -> Part:
    """Returns which hands are looked at, whoever holds them.

    Raises:
        OptionError: if ``--range`` or ``--class`` cannot be read.
    """
    try:
        hand_range = None if hands is None else parse_range(hands)
    except RangeError as error:
        raise OptionError("--range", str(error)) from error
    try:
        choice = None if classes is None else parse_class_choice(classes)
    except CardError as error:
        raise OptionError("--class", error.problem) from error
    return Part(None, hand_range, choice)


def narrow(node: Node, part: Part) -> Node:
    """Returns a node as a part of a range sees it.

    Raises:
        OptionError: if nothing is left of the range.
    """
    seen = part.of(node)
    player = part.player_at(node)
    if not part.is_whole and not seen.is_held[player].any():
        given = "--range" if part.classes is None else "--class"
        problem = f"leaves nothing of {node.players[player]}'s range at {node.path or 'the root'}"
        raise OptionError(given, problem)
    return seen


def describe_part(whole: Node, seen: Node, player: int) -> str:
    """Returns how much of a player's range is looked at."""
    combos, of_all = seen.combos(player), whole.combos(player)
    share = f" ({100 * combos / of_all:.1f}%)" if of_all > 0.0 else ""
    return f"only {combos:,.2f} of {whole.players[player]}'s {of_all:,.2f} combos{share}"
