"""A node of a solved spot for people: who is where, what is done, and the grid of all hands."""

import math
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runout.cards.card import format_cards
from runout.cards.combos import format_combo
from runout.cli.formatting import Json, format_count, format_percent, json_number
from runout.cli.grid import has_colours
from runout.cli.measure_grid import print_measure
from runout.cli.options import OptionError
from runout.cli.strategy_grid import GridAction, StrategyGrid, grid_actions
from runout.trees.actions import format_amount
from runout.views.measures import Measure, hand_reach, hand_strategy
from runout.views.node import Node, NodeKind

_NO_VALUE = "-"
_ACTION_EV = "EV of an action: the mean over the hands that take it, - where nobody does"

#: Actions that are taken less often are shown as 0.00 %, which is by nobody.
_NOBODY = 5e-5

#: No table needs as many columns, and a measured width is at most that of the console.
_WIDER_THAN_TABLES = 10_000


def print_node(
    console: Console, node: Node, player: int | None = None, measure: Measure | None = None
) -> None:
    """Prints both players' values, the actions, and the grid of a player's hands.

    Args:
        console: where.
        node: what is shown.
        player: whose hands; by default who acts, and where nobody does there is no grid.
        measure: what of them; by default what they do, or how much of them arrives if the player
            does not act.

    Raises:
        OptionError: if the player does not act, and strategies are asked for.
    """
    shown = (node.actor or 0) if player is None else player
    acts = node.actor == shown
    if measure is Measure.STRATEGY and not acts:
        problem = f"{node.players[shown]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    print_facts(console, node)
    if measure is None and player is None and not acts:
        return
    console.print()
    if acts and measure in (None, Measure.STRATEGY):
        _print_strategies(console, node)
    else:
        print_measure(console, node, shown, measure or Measure.REACH)


def print_facts(console: Console, node: Node) -> None:
    """Prints where a node is, both players' values, and the actions or what happens."""
    console.print(_title(node), soft_wrap=True)
    console.print()
    console.print(_players_table(node))
    console.print()
    if node.actor is None:
        console.print(_describe_end(node), style="dim")
    else:
        console.print(_actions_table(console, node, _looks(node)))
        console.print(_ACTION_EV, style="dim")


def print_titles(console: Console, nodes: tuple[Node, Node]) -> None:
    """Prints where two nodes are that are compared."""
    for number, node in enumerate(nodes, start=1):
        console.print(Text(f"{number}  ").append_text(_title(node)), soft_wrap=True)
    console.print()


def _print_strategies(console: Console, node: Node) -> None:
    played, reach = hand_strategy(node), hand_reach(node, node.actor or 0)
    # Who meets nobody does nothing.
    reach = np.where(np.isnan(played).any(axis=0), 0.0, reach)
    grid = StrategyGrid(_looks(node), np.nan_to_num(played), reach)
    console.print(grid)
    if caption := grid.caption(console):
        console.print(caption, style="dim")


def _looks(node: Node) -> list[GridAction]:
    return grid_actions(
        [action.kind for action in node.actions], [action.label for action in node.actions]
    )


def _title(node: Node) -> Text:
    board = format_cards(node.board) if node.board else "no board yet"
    who = f"{node.players[node.actor]} acts on {board}" if node.actor is not None else board
    low, high = sorted(map(format_amount, node.stacks), key=float)
    behind = low if low == high else " and ".join(map(format_amount, node.stacks))
    place = f"node {node.path}, " if node.path else ""
    locked = ", locked" if node.is_locked else ""
    facts = f"   {place}pot {format_amount(node.pot)}, {behind} behind{locked}"
    return Text(who, style="bold").append(facts, "not bold")


def _describe_end(node: Node) -> str:
    if node.next_cards:
        return f"a card is dealt here, go on with --node {node.path_after('CARD')}"
    if node.kind is NodeKind.FLOP:
        kept = f"go on with --node {node.path_after('FLOP')}: {' '.join(node.flops)}"
        return f"a flop is dealt here, {kept}" if node.flops else "a flop is dealt here"
    return f"the hand ends here with a {node.kind}"


def _players_table(node: Node) -> Table:
    table = plain_table("", right=("EV", "of the pot", "equity", "EQR", "combos"))
    for player, name in enumerate(node.players):
        value = node.range_ev(player)
        table.add_row(
            name,
            format_chips(value),
            format_share(value / node.pot),
            format_share(node.range_equity(player)),
            format_share(node.eqr(player)),
            format_count(node.combos(player)),
        )
    return table


def _actions_table(console: Console, node: Node, actions: list[GridAction]) -> Table:
    table = plain_table("", "action", right=("frequency", "EV"))
    table.add_column("what follows", no_wrap=True, style="dim")
    values = node.action_values().tolist()
    rows = zip(actions, node.actions, node.frequency().tolist(), values, strict=True)
    for look, action, frequency, value in rows:
        swatch = (f" {look.letter} ", look.style) if has_colours(console) else look.letter
        path = f"--node {node.path_after(action.code)}"
        table.add_row(
            Text.assemble(swatch),
            action.label,
            format_share(frequency),
            format_chips(value) if frequency >= _NOBODY else _NO_VALUE,
            path,
        )
    return table


def print_hands(console: Console, node: Node, player: int, combos: list[int]) -> None:
    """Prints of each combo how much of it arrives, what it does and is worth.

    Actions stand side by side if the console is wide enough for them, else below each other.
    """
    table = _hands_side_by_side(node, player, combos)
    anywhere = console.options.update_width(_WIDER_THAN_TABLES)
    if console.measure(table, options=anywhere).maximum > console.width:
        table = _hands_below_each_other(node, player, combos)
    elif player == node.actor:
        table.caption = "at an action: how often (EV in chips)"
        table.caption_justify = "left"
    console.print(table)


def _hands_side_by_side(node: Node, player: int, combos: list[int]) -> Table:
    actions = node.actions if player == node.actor else ()
    labels = tuple(action.label for action in actions)
    table = plain_table("hand", right=("arrives", "EV", "equity", *labels))
    for combo in combos:
        cells = [" ".join(_action_cells(node, n, combo, "({})")) for n in range(len(actions))]
        table.add_row(*_hand_cells(node, player, combo), *cells)
    return table


def _hands_below_each_other(node: Node, player: int, combos: list[int]) -> Table:
    table = plain_table("hand", right=("arrives", "EV", "equity"))
    table.add_column("action", no_wrap=True)
    table.add_column("frequency", justify="right", no_wrap=True)
    table.add_column("its EV", justify="right", no_wrap=True)
    for combo in combos:
        cells = _hand_cells(node, player, combo)
        for number, action in enumerate(node.actions):
            table.add_row(*cells, action.label, *_action_cells(node, number, combo))
            cells = [""] * len(cells)
    return table


def _hand_cells(node: Node, player: int, combo: int) -> list[str]:
    return [
        format_combo(combo),
        format_share(float(node.weights[player, combo])),
        format_chips(float(node.ev[player, combo])),
        format_share(float(node.equity[player, combo])),
    ]


def _action_cells(node: Node, number: int, combo: int, value_form: str = "{}") -> tuple[str, str]:
    """Returns how often an action is taken, and its value."""
    value = format_chips(float(node.action_ev[number, combo]))
    return format_share(float(node.strategy[number, combo])), value_form.format(value)


def hand_to_json(node: Node, player: int, combo: int) -> Json:
    """Returns what one combo does and is worth, under JSON names."""
    document: dict[str, Any] = {
        "hand": format_combo(combo),
        "weight": float(node.weights[player, combo]),
        "ev": json_number(float(node.ev[player, combo])),
        "equity": json_number(float(node.equity[player, combo])),
    }
    if player == node.actor:
        document["actions"] = [
            {
                "code": action.code,
                "label": action.label,
                "frequency": json_number(float(node.strategy[number, combo])),
                "ev": json_number(float(node.action_ev[number, combo])),
            }
            for number, action in enumerate(node.actions)
        ]
    return document


def print_wide(console: Console, table: Table) -> None:
    """Prints a table in full, also where the console is narrower."""
    anywhere = console.options.update_width(_WIDER_THAN_TABLES)
    table.width = console.measure(table, options=anywhere).maximum
    console.print(table, soft_wrap=True)


def format_chips(amount: float) -> str:
    """Returns an amount with two decimals, a dash where there is none."""
    # Adding 0 turns the -0 of a small loss into 0.
    return _NO_VALUE if math.isnan(amount) else f"{round(amount, 2) + 0.0:,.2f}"


def format_share(share: float) -> str:
    """Returns a share as percent, a dash where there is none."""
    return _NO_VALUE if math.isnan(share) else format_percent(round(share, 4) + 0.0)


def plain_table(*left: str, right: tuple[str, ...]) -> Table:
    """Returns a table without lines: columns of words, then columns of numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in left:
        table.add_column(heading, no_wrap=True)
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
