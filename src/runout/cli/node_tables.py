"""A node of a solution for people: quality, hands, parts of ranges, and two nodes side by side."""

import csv
import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TextIO

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import (
    COMBOS_BY_HAND,
    format_cards,
    format_combo,
    parse_canonical_hand,
    parse_combo,
)
from runout.cli.console import output, print_json
from runout.cli.formatting import (
    Json,
    format_count,
    format_count_of,
    format_exploitability,
    format_mbb,
    format_percent,
    format_seconds,
    json_number,
)
from runout.cli.grids import (
    NET,
    GridAction,
    HandGrid,
    StrategyGrid,
    grid_actions,
    has_colours,
    print_measure,
    print_measure_difference,
    range_ev,
)
from runout.cli.options import SMALLEST_REACH, OptionError
from runout.errors import CardError
from runout.solutions.breakdown import BreakdownRow, draw_rows, equity_rows, made_hand_rows
from runout.solutions.node import (
    NOTABLE_EXPLOITABILITY_MBB,
    NOTABLE_EXPLOITABILITY_POT,
    ExploitabilityUnit,
    HandSpace,
    Measure,
    Node,
    NodeKind,
    Quality,
    hand_reach,
    hand_strategy,
)
from runout.solutions.node_files import rounded
from runout.trees.actions import ActionKind, format_amount
from runout.trees.betting import Street
from runout.trees.tree import POSITION_NAMES

# --------------------------------------------------------------------------------------------------
# What is said below every solution: how well it is solved, and what is not to be trusted.


#: A node that is reached in a smaller share of the deals was hardly learned.
RARE_REACH = 0.005

_WARNING = "yellow"


def describe_quality(quality: Quality) -> str:
    """Returns what a best response gains, in which game, after how much work."""
    if quality.unit is ExploitabilityUnit.POT:
        share = format_exploitability(quality.exploitability, quality.meaning)
        amount = f"{share} of the pot"
    else:
        amount = f"{format_mbb(quality.exploitability)} mbb/hand"
    iterations = format_count_of(quality.iterations, "iteration")
    work = f"after {iterations} in {format_seconds(quality.seconds)}"
    return f"exploitability ({quality.meaning.value}) {amount} {work}"


def print_quality(console: Console, quality: Quality | None) -> None:
    """Prints how well the whole is solved, with a warning if that is roughly only."""
    if quality is None:
        return
    console.print(describe_quality(quality), soft_wrap=True)
    if quality.real_exploitability is not None:
        real = format_mbb(quality.real_exploitability)
        console.print(f"with real cards, on its flops: {real} mbb/hand")
    print_roughness(console, quality)


def print_roughness(console: Console, quality: Quality) -> None:
    """Prints a warning if a solution is solved roughly only."""
    if not quality.is_rough:
        return
    most = f"{format_mbb(NOTABLE_EXPLOITABILITY_MBB)} mbb/hand"
    if quality.unit is ExploitabilityUnit.POT:
        most = f"{format_percent(NOTABLE_EXPLOITABILITY_POT, 0)} of the pot"
    _warn(console, f"exploitability is above {most}: more iterations may change much of this")


def print_warnings(console: Console, node: Node) -> None:
    """Prints what is not to be trusted about a node by itself."""
    if node.reach is not None and node.reach < RARE_REACH:
        often = format_percent(node.reach, 3)
        least = format_percent(RARE_REACH, 1)
        what = f"reached in {often} of deals, less than {least}: play here was hardly learned"
        _warn(console, what)
    if node.is_locked:
        _warn(console, "locked: some hands do here what they were told, whatever would be better")
    if bool(node.met_weights.any()) and bool(np.isnan(node.ev).all()):
        _warn(console, "no EVs were kept with this solution, solve it again to have them")


def _warn(console: Console, text: str) -> None:
    console.print(f"! {text}", style=_WARNING, soft_wrap=True, markup=False)


# --------------------------------------------------------------------------------------------------
# A node of a solved spot for people: who is where, what is done, and the grid of all hands.


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


# --------------------------------------------------------------------------------------------------
# One hand of a solved spot, combo by combo.


_COMBO_LENGTH = 4


def read_hand(text: str) -> list[int]:
    """Returns the combos of a class such as ``AKs``, or the one of two cards.

    Raises:
        OptionError: if it is neither.
    """
    try:
        if len(text) == _COMBO_LENGTH:
            return [parse_combo(text)]
        return [int(combo) for combo in COMBOS_BY_HAND[parse_canonical_hand(text)]]
    except CardError as error:
        problem = f"is no hand such as AA, AKs, AKo or AhKh ({error.problem})"
        raise OptionError(f"--hand {text}", problem) from error


def show_hands(node: Node, hand: str, combos: list[int], player: int | None, json: bool) -> None:
    """Prints what the hands do that a player, the one to act, or else either can hold.

    Raises:
        OptionError: if nobody can hold them here.
    """
    if node.hand_space is HandSpace.HANDS:
        raise OptionError(f"--hand {hand}", "goes with a flop, `runout trace-hand` comes before it")
    asked = node.actor if player is None else player
    players = range(len(POSITION_NAMES)) if asked is None else [asked]
    held = {
        player: [combo for combo in reversed(combos) if node.is_held[player, combo]]
        for player in players
    }
    if not any(held.values()):
        whose = "either" if asked is None else f"{POSITION_NAMES[asked]}'s"
        problem = f"is not in {whose} range on {format_cards(node.board)}"
        raise OptionError(f"--hand {hand}", problem)
    if json:
        documents = {
            POSITION_NAMES[player]: [hand_to_json(node, player, combo) for combo in found]
            for player, found in held.items()
        }
        print_json({"path": node.path, "board": format_cards(node.board), **documents})
        return
    console = output()
    for player, found in held.items():
        if found:
            arriving = float(np.sum(node.weights[player, found]))
            combos_there = format_count_of(arriving, "combo")
            place = f"at {node.path}" if node.path else "at the root"
            head = f"{hand} of {POSITION_NAMES[player]} {place}"
            console.print(f"{head}: {combos_there} of {len(found)}", style="bold", soft_wrap=True)
            print_hands(console, node, player, found)


# --------------------------------------------------------------------------------------------------
# A range cut into parts, as tables, JSON and CSV.


class Cut(StrEnum):
    """Into what a range is cut."""

    CLASS = "class"
    EQUITY = "equity"


def cut_range(node: Node, player: int, cut: Cut) -> dict[str, list[BreakdownRow]]:
    """Returns the parts of a player's range, by what they are called.

    Raises:
        CardError: if hands are to be cut by class before the flop.
    """
    if cut is Cut.EQUITY:
        return {"equity": equity_rows(node, player)}
    made = {"made hand": made_hand_rows(node, player)}
    return made if node.street is Street.RIVER else made | {"draw": draw_rows(node, player)}


def print_cuts(console: Console, node: Node, player: int, cut: Cut) -> None:
    """Prints a table for each way to cut, with a row for each part."""
    labels = tuple(action.label for action in node.actions) if player == node.actor else ()
    headings = ("combos", "of the range", "equity", "EV", *labels)
    for number, (name, rows) in enumerate(cut_range(node, player, cut).items()):
        table = plain_table(f"{node.players[player]}'s {name}", right=headings)
        for row in rows:
            table.add_row(
                row.name,
                format_count(row.combos),
                format_share(row.share),
                format_share(row.equity),
                format_chips(row.ev),
                *map(format_share, row.frequency.tolist()),
            )
        if number > 0:
            console.print()
        print_wide(console, table)


def cuts_to_json(node: Node, player: int, cut: Cut) -> Json:
    """Returns the parts of a range under JSON names."""
    return {
        "path": node.path,
        "player": node.players[player],
        "actions": [action.code for action in node.actions] if player == node.actor else [],
        "parts": {
            name: [_row_to_json(row) for row in rows]
            for name, rows in cut_range(node, player, cut).items()
        },
    }


def _row_to_json(row: BreakdownRow) -> Json:
    return {
        "name": row.name,
        "combos": rounded(row.combos),
        "share": rounded(row.share),
        "equity": rounded(row.equity),
        "ev": rounded(row.ev),
        "frequency": [rounded(share) for share in row.frequency.tolist()],
    }


def write_cuts_csv(node: Node, player: int, cut: Cut, stream: TextIO) -> int:
    """Writes a row for each part, and returns how many there are."""
    codes = [action.code for action in node.actions] if player == node.actor else []
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["cut", "part", "combos", "share", "equity", "ev", *codes])
    num_rows = 0
    for name, rows in cut_range(node, player, cut).items():
        for row in rows:
            numbers = [row.combos, row.share, row.equity, row.ev, *row.frequency.tolist()]
            cells = ["" if math.isnan(number) else rounded(number) for number in numbers]
            writer.writerow([name, row.name, *cells])
            num_rows += 1
    return num_rows


# --------------------------------------------------------------------------------------------------
# Two nodes side by side: what is done and worth at each, and what differs by hand.


#: Moves of less than half a percent are none.
_SMALLEST_MOVE = 0.005


class SharedAction(NamedTuple):
    """An action that two nodes have in common, or all of a kind if their sizes differ.

    Attributes:
        kind: what it is.
        label: in words.
        rows: of the strategies at the first node and at the second.
    """

    kind: ActionKind
    label: str
    rows: tuple[list[int], list[int]]


def choose_measure(nodes: tuple[Node, Node], player: int, asked: Measure | None) -> Measure:
    """Returns what of two nodes is compared: strategies if the player acts at both, else EVs.

    Raises:
        OptionError: if strategies are asked for, and the player does not act at both, or one node
            is before the flop and the other is not.
    """
    if nodes[0].players != nodes[1].players:
        raise OptionError("--compare", "one node is before the flop and the other is after it")
    acts = all(node.actor == player for node in nodes)
    if asked is Measure.STRATEGY and not acts:
        name = nodes[0].players[player]
        problem = f"{name} does not act at both nodes, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    return asked or (Measure.STRATEGY if acts else Measure.EV)


def print_comparison(
    console: Console, nodes: tuple[Node, Node], player: int, measure: Measure
) -> None:
    """Prints values and frequencies of two nodes, and the grid of how a player's hands differ."""
    console.print(_table(nodes))
    net = f"; EVs {NET}" if nodes[0].street is None else ""
    console.print(f"difference: the first node minus the second{net}", style="dim")
    console.print()
    if measure is not Measure.STRATEGY:
        print_measure_difference(console, nodes, player, measure)
        return
    shared = shared_actions(*nodes)
    moves, texts = strategy_moves(nodes, shared)
    reach = np.fmin(*(np.nan_to_num(hand_reach(node, player)) for node in nodes))
    name = nodes[0].players[player]
    head = f"difference, {name}'s hands: what is done more at the first node, and by how many %"
    console.print(head, style="bold", soft_wrap=True)
    console.print(HandGrid(moves, texts, reach=reach))


def shared_actions(first: Node, second: Node) -> list[SharedAction]:
    """Returns actions of two decisions pair by pair: one by one if all are the same, else by kind.

    What only one of the nodes has is there with no rows of the other.
    """
    if [action.code for action in first.actions] == [action.code for action in second.actions]:
        return [
            SharedAction(action.kind, action.label, ([number], [number]))
            for number, action in enumerate(first.actions)
        ]
    kinds = list(dict.fromkeys(action.kind for action in (*first.actions, *second.actions)))
    return [
        SharedAction(
            kind, kind.name.lower().replace("_", "-"), (_rows(first, kind), _rows(second, kind))
        )
        for kind in kinds
    ]


def _rows(node: Node, kind: ActionKind) -> list[int]:
    return [number for number, action in enumerate(node.actions) if action.kind is kind]


def strategy_moves(
    nodes: tuple[Node, Node], shared: Sequence[SharedAction]
) -> tuple[FloatArray, list[str]]:
    """Returns ``[169]`` how much more a hand takes its most favoured action, and that in letters.

    NaN where the hand does not get to both nodes.
    """
    played = [hand_strategy(node) for node in nodes]
    gains = np.stack(
        [
            played[0][action.rows[0]].sum(axis=0) - played[1][action.rows[1]].sum(axis=0)
            for action in shared
        ]
    )
    is_there = np.all(
        [hand_reach(node, node.actor or 0) >= SMALLEST_REACH for node in nodes], axis=0
    )
    gains[:, ~is_there] = math.nan
    letters = [look.letter for look in grid_actions(*_differing_looks(shared))]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def _differing_looks(shared: Sequence[SharedAction]) -> tuple[list[ActionKind], list[str]]:
    return [action.kind for action in shared], [action.label for action in shared]


def _table(nodes: tuple[Node, Node]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in (*(node.path or "root" for node in nodes), "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    for player, name in enumerate(nodes[0].players):
        _add_amounts(table, f"EV {name}", *(range_ev(node, player) for node in nodes))
    for player, name in enumerate(nodes[0].players):
        _add_shares(table, f"equity {name}", *(node.range_equity(player) for node in nodes))
    for player, name in enumerate(nodes[0].players):
        _add_shares(table, f"EQR {name}", *(node.eqr(player) for node in nodes))
    if nodes[0].actor is None or nodes[0].actor != nodes[1].actor:
        return table
    frequency = [node.frequency() for node in nodes]
    for action in shared_actions(*nodes):
        shares = [
            float(row[rows].sum()) if rows else math.nan
            for row, rows in zip(frequency, action.rows, strict=True)
        ]
        _add_shares(table, action.label, *shares)
    return table


def _add_amounts(table: Table, name: str, first: float, second: float) -> None:
    table.add_row(
        name, *(_number(value, ".3f") for value in (first, second)), _number(first - second, "+.3f")
    )


def _add_shares(table: Table, name: str, first: float, second: float) -> None:
    difference = first - second
    points = _NO_VALUE if math.isnan(difference) else f"{100 * difference:+.2f}"
    table.add_row(name, *map(_share, (first, second)), points)


def _number(value: float, form: str) -> str:
    return _NO_VALUE if math.isnan(value) else f"{round(value, 3) + 0.0:{form}}"


def _share(value: float) -> str:
    return _NO_VALUE if math.isnan(value) else format_percent(value)
