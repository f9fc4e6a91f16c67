"""A node of a solution for people: quality, hands, parts of ranges, and two nodes side by side."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple, TextIO

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import (
    COMBOS_BY_HAND,
    format_cards,
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
    range_ev,
)
from runout.cli.options import SMALLEST_REACH, OptionError
from runout.cli.sheets import (
    NO_VALUE,
    Column,
    Sheet,
    columns_of,
    fits,
    format_chips,
    format_share,
)
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
from runout.trees.actions import ActionKind, format_amount
from runout.trees.betting import Street

#: A node that is reached in a smaller share of the deals was hardly learned.
RARE_REACH = 0.005

_ACTION_EV = "EV of an action: the mean over the hands that take it, - where nobody does"

#: Actions that are taken less often are shown as 0.00 %, which is by nobody.
_NOBODY = 5e-5

#: Moves of less than half a percent are none.
_SMALLEST_MOVE = 0.005

_COMBO_LENGTH = 4


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


def print_quality(console: Console, quality: Quality | None, *nodes: Node) -> None:
    """Prints how well the whole is solved, and what is not to be trusted of it and of nodes."""
    if quality is not None:
        console.print(describe_quality(quality), soft_wrap=True)
        if quality.real_exploitability is not None:
            real = format_mbb(quality.real_exploitability)
            console.print(f"with real cards, on its flops: {real} mbb/hand")
        print_roughness(console, quality)
    for node in nodes:
        print_warnings(console, node)


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
    console.print(f"! {text}", style="yellow", soft_wrap=True, markup=False)


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
    require_acting(node, shown, measure)
    print_facts(console, node)
    if measure is None and player is None and node.actor is None:
        return
    console.print()
    print_grid(console, node, shown, measure)


def require_acting(node: Node, player: int, measure: Measure | None) -> None:
    """Raises `OptionError` if strategies are asked for of a player who does not act."""
    if measure is Measure.STRATEGY and node.actor != player:
        problem = f"{node.players[player]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)


def print_grid(console: Console, node: Node, player: int, measure: Measure | None) -> None:
    """Prints the grid of a player's hands: by default what they do, or how much arrives."""
    if node.actor != player or measure not in (None, Measure.STRATEGY):
        print_measure(console, node, player, measure or Measure.REACH)
        return
    played, reach = hand_strategy(node), hand_reach(node, player)
    # Who meets nobody does nothing.
    reach = np.where(np.isnan(played).any(axis=0), 0.0, reach)
    grid = StrategyGrid(looks(node), np.nan_to_num(played), reach)
    console.print(grid)
    if caption := grid.caption(console):
        console.print(caption, style="dim")


def print_facts(console: Console, node: Node) -> None:
    """Prints where a node is, both players' values, and the actions or what happens."""
    console.print(title(node), soft_wrap=True)
    console.print()
    console.print(_players_table(node))
    console.print()
    if node.actor is None:
        console.print(_describe_end(node), style="dim")
    else:
        console.print(_actions_table(console, node))
        console.print(_ACTION_EV, style="dim")


def looks(node: Node) -> list[GridAction]:
    """Returns letters and colours of a node's actions."""
    return grid_actions(
        [action.kind for action in node.actions], [action.label for action in node.actions]
    )


def title(node: Node) -> Text:
    """Returns who acts, on which board, where and for how much."""
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
    shares = columns_of(format_share, "of the pot", "equity", "EQR")
    columns = (Column(), Column("EV", form=format_chips), *shares)
    sheet = Sheet((*columns, Column("combos", form=format_count)))
    for player, name in enumerate(node.players):
        value, equity = node.range_ev(player), node.range_equity(player)
        sheet.add(name, value, value / node.pot, equity, node.eqr(player), node.combos(player))
    return sheet.table()


def _actions_table(console: Console, node: Node) -> Table:
    numbers = Column("frequency", form=format_share), Column("EV", form=format_chips)
    what_follows = Column("what follows", style="dim")
    sheet = Sheet((*columns_of(None, "", "action"), *numbers, what_follows))
    rows = zip(looks(node), node.actions, node.frequency().tolist(), strict=True)
    for (look, action, often), value in zip(rows, node.action_values().tolist(), strict=True):
        swatch = (f" {look.letter} ", look.style) if has_colours(console) else look.letter
        worth = value if often >= _NOBODY else math.nan
        path = f"--node {node.path_after(action.code)}"
        sheet.add(Text.assemble(swatch), action.label, often, worth, path)
    return sheet.table()


def read_hand(text: str) -> list[int]:
    """Returns the combos of a class such as ``AKs``, or the one of two cards.

    Raises:
        CardError: if it is neither.
    """
    if len(text) == _COMBO_LENGTH:
        return [parse_combo(text)]
    return [int(combo) for combo in COMBOS_BY_HAND[parse_canonical_hand(text)]]


def read_hand_option(text: str) -> list[int]:
    """Returns the combos of a ``--hand``.

    Raises:
        OptionError: if it is neither a class nor two cards.
    """
    try:
        return read_hand(text)
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
    players = range(len(node.players)) if asked is None else [asked]
    held = {
        player: [combo for combo in reversed(combos) if node.is_held[player, combo]]
        for player in players
    }
    if not any(held.values()):
        whose = "either" if asked is None else f"{node.players[asked]}'s"
        problem = f"is not in {whose} range on {format_cards(node.board)}"
        raise OptionError(f"--hand {hand}", problem)
    if json:
        documents = {
            node.players[player]: hands_to_json(node, player, found)
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
            head = f"{hand} of {node.players[player]} {place}"
            console.print(f"{head}: {combos_there} of {len(found)}", style="bold", soft_wrap=True)
            print_hands(console, node, player, found)


def print_hands(console: Console, node: Node, player: int, combos: list[int]) -> None:
    """Prints of each combo how much of it arrives, what it does and is worth.

    Actions stand side by side if the console is wide enough for them, else below each other.
    """
    hands, actions = (
        _hands_sheet(node, player, combos),
        node.actions if player == node.actor else (),
    )
    beside = Sheet((*hands.columns, *columns_of(str, *(action.label for action in actions))))
    below = Sheet((*hands.columns, *_ACTION_COLUMNS))
    for combo, row in zip(combos, hands.rows, strict=True):
        done = actions_sheet(node, combo).rows if actions else []
        beside.add(*row, *(f"{format_share(often)} ({format_chips(ev)})" for *_, often, ev in done))
        for number, action in enumerate(done):
            below.add(*(row if number == 0 else [""] * len(row)), *action)
    table = beside.table()
    if not fits(console, table):
        table = below.table()
    elif actions:
        table.caption = "at an action: how often (EV in chips)"
        table.caption_justify = "left"
    console.print(table)


_HAND_COLUMNS = (
    Column("hand", "hand"),
    Column("arrives", "weight", format_share),
    Column("EV", "ev", format_chips),
    Column("equity", "equity", format_share),
)
_ACTION_COLUMNS = (
    Column(None, "code"),
    Column("action", "label"),
    Column("frequency", "frequency", format_share),
    Column("its EV", "ev", format_chips),
)


def _hands_sheet(node: Node, player: int, combos: list[int]) -> Sheet:
    tables = (node.weights[player], node.ev[player], node.equity[player])
    rows = [
        (node.hand_space.names[combo], *(float(table[combo]) for table in tables))
        for combo in combos
    ]
    return Sheet(_HAND_COLUMNS, rows, to_plain=json_number)


def actions_sheet(node: Node, column: int) -> Sheet:
    """Returns how often a combo or hand takes each action of the actor, and what it is worth."""
    rows = [
        (action.code, action.label, *map(float, (often[column], ev[column])))
        for action, often, ev in zip(node.actions, node.strategy, node.action_ev, strict=True)
    ]
    return Sheet(_ACTION_COLUMNS, rows, to_plain=json_number)


def hands_to_json(node: Node, player: int, combos: list[int]) -> list[Json]:
    """Returns what combos do and are worth, under JSON names."""
    records = zip(combos, _hands_sheet(node, player, combos).records(), strict=True)
    if player != node.actor:
        return [record for _, record in records]
    return [
        {**record, "actions": actions_sheet(node, combo).records()} for combo, record in records
    ]


class Cut(StrEnum):
    """Into what a range is cut."""

    CLASS = "class"
    EQUITY = "equity"


def cut_range(node: Node, player: int, cut: Cut) -> dict[str, Sheet]:
    """Returns the parts of a player's range, with what each does and is worth.

    Raises:
        CardError: if hands are to be cut by class before the flop.
    """
    if cut is Cut.EQUITY:
        parts = {"equity": equity_rows(node, player)}
    else:
        parts = {"made hand": made_hand_rows(node, player)}
        if node.street is not Street.RIVER:
            parts["draw"] = draw_rows(node, player)
    return {name: _cut_sheet(node, player, name, rows) for name, rows in parts.items()}


def _cut_sheet(node: Node, player: int, name: str, rows: list[BreakdownRow]) -> Sheet:
    actions = node.actions if player == node.actor else ()
    columns = (
        Column(None, "cut"),
        Column(f"{node.players[player]}'s {name}", "part"),
        Column("combos", "combos", format_count),
        Column("of the range", "share", format_share),
        Column("equity", "equity", format_share),
        Column("EV", "ev", format_chips),
        *(Column(action.label, action.code, format_share) for action in actions),
    )
    cells = [
        (name, row.name, row.combos, row.share, row.equity, row.ev, *row.frequency.tolist())
        for row in rows
    ]
    return Sheet(columns, cells)


def print_cuts(console: Console, node: Node, player: int, cut: Cut) -> None:
    """Prints a table for each way to cut, with a row for each part."""
    for number, sheet in enumerate(cut_range(node, player, cut).values()):
        if number > 0:
            console.print()
        sheet.print_in_full(console)


def cuts_to_json(node: Node, player: int, cut: Cut) -> Json:
    """Returns the parts of a range under JSON names."""
    names = ("name", "combos", "share", "equity", "ev")
    return {
        "path": node.path,
        "player": node.players[player],
        "actions": [action.code for action in node.actions] if player == node.actor else [],
        "parts": {
            cut_name: [
                {**dict(zip(names, cells, strict=False)), "frequency": cells[len(names) :]}
                for _, *cells in sheet.plain_rows()
            ]
            for cut_name, sheet in cut_range(node, player, cut).items()
        },
    }


def write_cuts_csv(node: Node, player: int, cut: Cut, stream: TextIO) -> int:
    """Writes a row for each part, and returns how many there are."""
    first, *others = cut_range(node, player, cut).values()
    rows = [row for sheet in (first, *others) for row in sheet.rows]
    return replace(first, rows=rows).write_csv(stream)


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
    console: Console,
    nodes: tuple[Node, Node],
    player: int,
    asked: Measure | None,
    title_of: Callable[[Node], Text] = title,
) -> None:
    """Prints two nodes: their values and frequencies, and the grid of how hands differ.

    Args:
        console: where.
        nodes: what is shown.
        player: whose hands.
        asked: what of them, see `choose_measure`.
        title_of: says where a node is.

    Raises:
        OptionError: if this cannot be compared.
    """
    measure = choose_measure(nodes, player, asked)
    for number, node in enumerate(nodes, start=1):
        console.print(Text(f"{number}  ").append_text(title_of(node)), soft_wrap=True)
    console.print()
    console.print(_comparison_table(nodes))
    net = f"; EVs {NET}" if nodes[0].street is None else ""
    console.print(f"difference: the first node minus the second{net}", style="dim")
    console.print()
    if measure is not Measure.STRATEGY:
        print_measure(console, nodes[0], player, measure, nodes[1])
        return
    moves, texts = strategy_moves(nodes, shared_actions(*nodes))
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

    def rows(node: Node, kind: ActionKind) -> list[int]:
        return [number for number, action in enumerate(node.actions) if action.kind is kind]

    kinds = dict.fromkeys(action.kind for action in (*first.actions, *second.actions))
    return [
        SharedAction(
            kind, kind.name.lower().replace("_", "-"), (rows(first, kind), rows(second, kind))
        )
        for kind in kinds
    ]


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
    kinds, labels = zip(*((action.kind, action.label) for action in shared), strict=True)
    letters = [look.letter for look in grid_actions(kinds, labels)]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def _comparison_table(nodes: tuple[Node, Node]) -> Table:
    paths = [node.path or "root" for node in nodes]
    sheet = Sheet((Column(), *columns_of(str, *paths, "difference")))
    measures = {"EV": range_ev, "equity": Node.range_equity, "EQR": Node.eqr}
    for word, measure in measures.items():
        for player, name in enumerate(nodes[0].players):
            values = [measure(node, player) for node in nodes]
            sheet.add(f"{word} {name}", *_compare(word != "EV", *values))
    if nodes[0].actor is None or nodes[0].actor != nodes[1].actor:
        return sheet.table()
    frequency = [node.frequency() for node in nodes]
    for action in shared_actions(*nodes):
        shares = [
            float(row[rows].sum()) if rows else math.nan
            for row, rows in zip(frequency, action.rows, strict=True)
        ]
        sheet.add(action.label, *_compare(True, *shares))
    return sheet.table()


def _compare(is_share: bool, first: float, second: float) -> list[str]:
    """Returns two numbers and their difference as text: percent and points, or amounts."""
    numbers = (first, second, first - second)
    if is_share:
        texts = [format_percent(first), format_percent(second), f"{100 * (first - second):+.2f}"]
    else:
        # Adding 0 turns the -0 of a small loss into 0.
        forms = zip(numbers, (".3f", ".3f", "+.3f"), strict=True)
        texts = [f"{round(number, 3) + 0.0:{form}}" for number, form in forms]
    known = zip(numbers, texts, strict=True)
    return [NO_VALUE if math.isnan(number) else text for number, text in known]
