"""`runout ranges`: the ranges that arrive at any node of a preflop solution."""

import csv
import io
from enum import StrEnum
from typing import Annotated

import numpy as np
import typer

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_BY_COMBO, HAND_NAMES
from runout.cli.console import output, print_json
from runout.cli.formatting import format_count_of, format_percent
from runout.cli.options import JsonFlag, OptionError
from runout.cli.show import Player
from runout.cli.solutions import SolutionArgument
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import format_range
from runout.results.preflop_solution import PreflopSolution
from runout.trees.paths import PATH_SEPARATOR
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.preflop_view import PreflopView
from runout.views.run_view import open_run

#: Hands that come less often than this are left out unless they are asked for.
SMALLEST_WEIGHT = 0.005
#: Digits of a weight in range text.
_WEIGHT_DIGITS = 2


class RangeFormat(StrEnum):
    """How ranges are written."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


def show_ranges(
    path: SolutionArgument,
    node: Annotated[
        str, typer.Option("--node", "-n", metavar="PATH", help="Actions from the start: r2-c.")
    ] = "",
    after: Annotated[
        str, typer.Option("--after", "-a", metavar="PATH", help="More actions after the node: c.")
    ] = "",
    player: Annotated[
        Player | None, typer.Option("--player", "-p", help="Only this one's, as bare text.")
    ] = None,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round", help="Of a run with ranges_rounds: of this round, 0 for the one before."
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Keep hands below 0.5 %, and all digits of weights.")
    ] = False,
    layout: Annotated[
        RangeFormat, typer.Option("--format", "-f", help="How to write them.")
    ] = RangeFormat.TEXT,
    json: JsonFlag = False,
) -> None:
    """Print both players' ranges at a node, also where the betting is over.

    A weight says how often a hand plays to the node; what --player prints is read by --oop and --ip
    of solve-spot.
    """
    if json and layout is RangeFormat.CSV:
        raise OptionError("--json", "is another format than --format csv, give one of them")
    nodes: PreflopView = open_run(path)
    if round_number is not None:
        nodes = _at_round(nodes.solution, round_number)
    number = nodes.tree.find_node(PATH_SEPARATOR.join(filter(None, (node.strip(), after.strip()))))
    weights = {
        who: _weights_at(nodes.solution.range_at(number, index), exact)
        for index, who in enumerate(PLAYER_NAMES)
        if player is None or player.value == who.lower()
    }
    if json or layout is RangeFormat.JSON:
        _print_as_json(nodes, number, weights)
    elif layout is RangeFormat.CSV:
        print(_as_csv(weights), end="")
    elif player is not None:
        (only,) = weights.values()
        print(_format(only))
    else:
        _print_both(nodes, number, weights)


def _at_round(solution: PreflopSolution, number: int) -> PreflopView:
    """Returns the nodes as a round left them.

    Raises:
        OptionError: if the run has no such round.
    """
    last = solution.num_rounds
    if not (last and 0 <= number <= last):
        allowed = f"it has 0 to {last}" if last else "its flops were not solved again in rounds"
        raise OptionError("--round", f"{number} is no round of this run, {allowed}")
    return PreflopView(solution.of_round(number))


def _weights_at(held: HandRange, exact: bool) -> FloatArray:
    """Returns ``[169]`` how much of each hand is in a range, to be shown."""
    weights = held.hand_weights()
    if exact:
        return weights
    return np.where(weights < SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))


def _format(weights: FloatArray) -> str:
    return format_range(HandRange(weights[HAND_BY_COMBO]))


def _print_both(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> None:
    console = output()
    place = nodes.describe_path(node) or "before the first decision"
    console.print(f"{place}: pot {nodes.tree.pot_bb[node]:g} bb", style="bold", soft_wrap=True)
    for who, of_player in weights.items():
        held = HandRange(of_player[HAND_BY_COMBO])
        combos = format_count_of(round(held.num_combos, 1), "combo")
        console.print(f"\n{who}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
        console.print(_format(of_player) or "nothing", soft_wrap=True, markup=False)


def _print_as_json(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> None:
    tree = nodes.tree
    print_json(
        {
            "node": tree.path(node),
            "description": nodes.describe_path(node),
            "pot_bb": float(tree.pot_bb[node]),
            "stack_behind_bb": float(tree.rules.effective_stack_bb - tree.invested_bb[node].max()),
            "share_of_deals": nodes.share_of_deals(node),
            "ranges": {
                who: {
                    "range": _format(of_player),
                    "num_combos": HandRange(of_player[HAND_BY_COMBO]).num_combos,
                    "weight_by_hand": dict(zip(HAND_NAMES, of_player.tolist(), strict=True)),
                }
                for who, of_player in weights.items()
            },
        }
    )


def _as_csv(weights: dict[str, FloatArray]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["hand", *(who.lower() for who in weights)])
    for hand, name in enumerate(HAND_NAMES):
        writer.writerow([name, *(float(of_player[hand]) for of_player in weights.values())])
    return stream.getvalue()
