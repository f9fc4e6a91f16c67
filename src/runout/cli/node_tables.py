"""A node of a solution for people: quality, hands, parts of ranges, and two nodes side by side."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import COMBOS_BY_HAND, format_cards, parse_canonical_hand, parse_combo
from runout.cli.console import Shown, output
from runout.cli.formatting import (
    NO_VALUE,
    Json,
    bold,
    dim,
    format_chips,
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
    grid_actions,
    grid_parts,
    measure_parts,
    node_actions,
    value_grid,
)
from runout.cli.options import SMALLEST_REACH
from runout.cli.sheets import full_width, sheet_table
from runout.errors import CardError, OptionError
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
from runout.solutions.sheet import Column, Sheet, columns
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


def quality_lines(quality: Quality | None, *nodes: Node) -> list[Text]:
    """Returns how well the whole is solved, and what is not to be trusted of it and of nodes."""
    lines = []
    if quality is not None:
        lines.append(Text(describe_quality(quality)))
        if quality.real_exploitability is not None:
            real = format_mbb(quality.real_exploitability)
            lines.append(Text(f"with real cards, on its flops: {real} mbb/hand"))
        lines += roughness(quality)
    return lines + [line for node in nodes for line in node_warnings(node)]


def roughness(quality: Quality) -> list[Text]:
    """Returns a warning if a solution is solved roughly only."""
    most = f"{format_mbb(NOTABLE_EXPLOITABILITY_MBB)} mbb/hand"
    if quality.unit is ExploitabilityUnit.POT:
        most = f"{format_percent(NOTABLE_EXPLOITABILITY_POT, 0)} of the pot"
    text = f"exploitability is above {most}: more iterations may change much of this"
    return [_warning(text)] if quality.is_rough else []


def node_warnings(node: Node) -> list[Text]:
    """Returns what is not to be trusted about a node by itself."""
    warnings = []
    if node.reach is not None and node.reach < RARE_REACH:
        often, least = format_percent(node.reach, 3), format_percent(RARE_REACH, 1)
        what = f"reached in {often} of deals, less than {least}"
        warnings.append(f"{what}: play here was hardly learned")
    if node.is_locked:
        warnings.append("locked: some hands do here what they were told, whatever would be better")
    if bool(node.met_weights.any()) and bool(np.isnan(node.ev).all()):
        warnings.append("no EVs were kept with this solution, solve it again to have them")
    return list(map(_warning, warnings))


def _warning(text: str) -> Text:
    return Text(f"! {text}", style="yellow")


def node_parts(
    node: Node, player: int | None = None, measure: Measure | None = None
) -> list[Shown]:
    """Returns both players' values, the actions, and the grid of a player's hands.

    By default these are what the actor's hands do; where nobody acts there is no grid.
    """
    shown = (node.actor or 0) if player is None else player
    require_acting(node, shown, measure)
    if measure is None and player is None and node.actor is None:
        return fact_parts(node)
    return [*fact_parts(node), "", *grid_parts(node, shown, measure)]


def require_acting(node: Node, player: int, measure: Measure | None) -> None:
    """Raises `OptionError` if strategies are asked for of a player who does not act."""
    if measure is Measure.STRATEGY and node.actor != player:
        problem = f"{node.players[player]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)


def fact_parts(node: Node) -> list[Shown]:
    """Returns where a node is, both players' values, and the actions or what happens."""
    head: list[Shown] = [title(node), "", _players_sheet(node), ""]
    if node.actor is None:
        return [*head, dim(_describe_end(node))]
    return [*head, _actions_sheet(node), dim(_ACTION_EV)]


def title(node: Node) -> Text:
    """Returns who acts, on which board, where and for how much."""
    board = format_cards(node.board) if node.board else "no board yet"
    who = f"{node.players[node.actor]} acts on {board}" if node.actor is not None else board
    low, high = sorted(map(format_amount, node.stacks), key=float)
    behind = low if low == high else " and ".join(map(format_amount, node.stacks))
    place = f"node {node.path}, " if node.path else ""
    locked = ", locked" if node.is_locked else ""
    facts = f"   {place}pot {format_amount(node.pot)}, {behind} behind{locked}"
    return bold(who).append(facts, "not bold")


def _describe_end(node: Node) -> str:
    if node.next_cards:
        return f"a card is dealt here, go on with --node {node.path_after('CARD')}"
    if node.kind is NodeKind.FLOP:
        kept = f"go on with --node {node.path_after('FLOP')}: {' '.join(node.flops)}"
        return f"a flop is dealt here, {kept}" if node.flops else "a flop is dealt here"
    return f"the hand ends here with a {node.kind}"


def _players_sheet(node: Node) -> Sheet:
    shares = [Column(heading, form=format_percent) for heading in ("of the pot", "equity", "EQR")]
    ev, combos = Column("EV", form=format_chips), Column("combos", form=format_count)
    sheet = Sheet((Column(), ev, *shares, combos))
    for player, name in enumerate(node.players):
        value, equity = node.range_ev(player), node.range_equity(player)
        sheet.add(name, value, value / node.pot, equity, node.eqr(player), node.combos(player))
    return sheet


def _actions_sheet(node: Node) -> Sheet:
    numbers = Column("frequency", form=format_percent), Column("EV", form=format_chips)
    sheet = Sheet((*columns("", "action"), *numbers, Column("what follows", style="dim")))
    values = zip(node.frequency().tolist(), node.action_values().tolist(), strict=True)
    for look, action, (often, value) in zip(node_actions(node), node.actions, values, strict=True):
        worth = value if often >= _NOBODY else math.nan
        path = f"--node {node.path_after(action.code)}"
        sheet.add(look.swatch(), action.label, often, worth, path)
    return sheet


def read_hand(text: str) -> list[int]:
    """Returns the combos of a class such as ``AKs``, or the one of two cards."""
    if len(text) == _COMBO_LENGTH:
        return [parse_combo(text)]
    return [int(combo) for combo in COMBOS_BY_HAND[parse_canonical_hand(text)]]


class ChosenHands(NamedTuple):
    """What ``--hand`` asks about at a node: its text, and the combos in the range of players."""

    text: str
    held: dict[int, list[int]]


def choose_hands(node: Node, text: str, player: int | None) -> ChosenHands:
    """Returns the hands that a player, the one to act, or else either can hold."""
    option = f"--hand {text}"
    try:
        combos = read_hand(text)
    except CardError as error:
        problem = f"is no hand such as AA, AKs, AKo or AhKh ({error.problem})"
        raise OptionError(option, problem) from error
    if node.hand_space is HandSpace.HANDS:
        raise OptionError(option, "goes with a flop, `runout trace-hand` comes before it")
    asked = node.actor if player is None else player
    held = {
        one: [combo for combo in reversed(combos) if node.is_held[one, combo]]
        for one in (range(len(node.players)) if asked is None else [asked])
    }
    if not any(held.values()):
        whose = "either" if asked is None else f"{node.players[asked]}'s"
        raise OptionError(option, f"is not in {whose} range on {format_cards(node.board)}")
    return ChosenHands(text, held)


def hands_to_json(node: Node, chosen: ChosenHands) -> Json:
    """Returns what combos do and are worth, under JSON names."""
    document: dict[str, Any] = {"path": node.path, "board": format_cards(node.board)}
    for player, combos in chosen.held.items():
        records = _hands_sheet(node, player, combos).records()
        if player == node.actor:
            for combo, record in zip(combos, records, strict=True):
                record["actions"] = combo_actions(node, combo).records()
        document[node.players[player]] = records
    return document


def hand_parts(node: Node, chosen: ChosenHands) -> list[Shown]:
    """Returns of each combo how much of it arrives, what it does and is worth.

    Actions stand side by side if the console is wide enough for them, else below each other.
    """
    parts: list[Shown] = []
    for player, combos in chosen.held.items():
        if not combos:
            continue
        arriving = format_count_of(float(np.sum(node.weights[player, combos])), "combo")
        place = f"at {node.path}" if node.path else "at the root"
        head = f"{chosen.text} of {node.players[player]} {place}: {arriving} of {len(combos)}"
        hands, actions = _hands_sheet(node, player, combos), node.actions
        if player != node.actor:
            parts += [bold(head), hands]
            continue
        beside = Sheet((*hands.columns, *columns(*(f">{action.label}" for action in actions))))
        below = Sheet((*hands.columns, *_ACTION_COLUMNS))
        for combo, row in zip(combos, hands.rows, strict=True):
            done = combo_actions(node, combo).rows
            texts = (f"{format_percent(often)} ({format_chips(ev)})" for *_, often, ev in done)
            beside.add(*row, *texts)
            for number, action in enumerate(done):
                below.add(*(row if number == 0 else [""] * len(row)), *action)
        console = output()
        if full_width(console, sheet_table(beside)) <= console.width:
            parts += [bold(head), beside, dim("at an action: how often (EV in chips)")]
        else:
            parts += [bold(head), below]
    return parts


_HAND_COLUMNS = (
    Column("hand", "hand"),
    Column("arrives", "weight", format_percent),
    Column("EV", "ev", format_chips),
    Column("equity", "equity", format_percent),
)
_ACTION_COLUMNS = (
    Column(None, "code"),
    Column("action", "label"),
    Column("frequency", "frequency", format_percent),
    Column("its EV", "ev", format_chips),
)


def _hands_sheet(node: Node, player: int, combos: list[int]) -> Sheet:
    tables = (node.weights[player], node.ev[player], node.equity[player])
    rows = [
        (node.hand_space.names[combo], *(float(table[combo]) for table in tables))
        for combo in combos
    ]
    return Sheet(_HAND_COLUMNS, list(rows), to_plain=json_number)


def combo_actions(node: Node, column: int) -> Sheet:
    """Returns how often a combo or hand takes each action of the actor, and what it is worth."""
    rows = [
        (action.code, action.label, *map(float, (often[column], ev[column])))
        for action, often, ev in zip(node.actions, node.strategy, node.action_ev, strict=True)
    ]
    return Sheet(_ACTION_COLUMNS, list(rows), to_plain=json_number)


#: Into what a range is cut.
Cut = Literal["class", "equity"]


def cut_range(node: Node, player: int, cut: Cut) -> dict[str, Sheet]:
    """Returns the parts of a player's range, with what each does and is worth."""
    if cut == "equity":
        parts = {"equity": equity_rows(node, player)}
    else:
        parts = {"made hand": made_hand_rows(node, player)}
        if node.street is not Street.RIVER:
            parts["draw"] = draw_rows(node, player)
    return {name: _cut_sheet(node, player, name, rows) for name, rows in parts.items()}


def _cut_sheet(node: Node, player: int, name: str, rows: list[BreakdownRow]) -> Sheet:
    actions = node.actions if player == node.actor else ()
    shown = (
        Column(None, "cut"),
        Column(f"{node.players[player]}'s {name}", "part"),
        Column("combos", "combos", format_count),
        Column("of the range", "share", format_percent),
        Column("equity", "equity", format_percent),
        Column("EV", "ev", format_chips),
        *(Column(action.label, action.code, format_percent) for action in actions),
    )
    cells = [
        (name, row.name, row.combos, row.share, row.equity, row.ev, *row.frequency.tolist())
        for row in rows
    ]
    return Sheet(shown, list(cells))


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


def all_cuts(node: Node, player: int, cut: Cut) -> Sheet:
    """Returns the rows of all ways to cut as one sheet."""
    first, *others = cut_range(node, player, cut).values()
    return replace(first, rows=[row for sheet in (first, *others) for row in sheet.rows])


class SharedAction(NamedTuple):
    """An action that two nodes have in common, and its rows of the strategies at both."""

    kind: ActionKind
    label: str
    rows: tuple[list[int], list[int]]


def choose_measure(nodes: Sequence[Node], player: int, asked: Measure | None) -> Measure:
    """Returns what of two nodes is compared: strategies if the player acts at both, else EVs."""
    if nodes[0].players != nodes[1].players:
        raise OptionError("--compare", "one node is before the flop and the other is after it")
    acts = all(node.actor == player for node in nodes)
    if asked is Measure.STRATEGY and not acts:
        name = nodes[0].players[player]
        problem = f"{name} does not act at both nodes, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    return asked or (Measure.STRATEGY if acts else Measure.EV)


def comparison_parts(
    nodes: Sequence[Node], titles: Sequence[Text], player: int, asked: Measure | None
) -> list[Shown]:
    """Returns two nodes with their titles: values, frequencies, and how a player's hands differ."""
    measure = choose_measure(nodes, player, asked)
    heads = [Text(f"{number}  ").append_text(text) for number, text in enumerate(titles, start=1)]
    net = f"; EVs {NET}" if nodes[0].is_net else ""
    remark = dim(f"difference: the first node minus the second{net}")
    parts: list[Shown] = [*heads, "", _comparison_sheet(nodes), remark, ""]
    if measure is not Measure.STRATEGY:
        return [*parts, *measure_parts(nodes[0], player, measure, nodes[1])]
    moves, texts = strategy_moves(nodes, shared_actions(*nodes))
    reach = np.fmin(*(np.nan_to_num(hand_reach(node, player)) for node in nodes))
    name = nodes[0].players[player]
    head = f"difference, {name}'s hands: what is done more at the first node, and by how many %"
    return [*parts, bold(head), value_grid(moves, texts, reach=reach)]


def shared_actions(first: Node, second: Node) -> list[SharedAction]:
    """Returns actions of two decisions pair by pair: one by one if all are the same, else by kind.

    What only one of the nodes has is there with no rows of the other.
    """
    is_same = [action.code for action in first.actions] == [a.code for a in second.actions]
    shared: dict[str, SharedAction] = {}
    for place, node in enumerate((first, second)):
        for number, action in enumerate(node.actions):
            kind = action.kind.name.lower().replace("_", "-")
            key, label = (action.code, action.label) if is_same else (kind, kind)
            shared.setdefault(key, SharedAction(action.kind, label, ([], [])))
            shared[key].rows[place].append(number)
    return list(shared.values())


def strategy_moves(
    nodes: Sequence[Node], shared: Sequence[SharedAction]
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
    for node in nodes:
        gains[:, ~(hand_reach(node, node.actor or 0) >= SMALLEST_REACH)] = math.nan
    kinds, labels = zip(*((action.kind, action.label) for action in shared), strict=True)
    letters = [look.letter for look in grid_actions(kinds, labels)]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def _comparison_sheet(nodes: Sequence[Node]) -> Sheet:
    sheet = Sheet(columns("", *(f">{node.path or 'root'}" for node in nodes), ">difference"))
    measures = {"EV": Node.range_ev, "equity": Node.range_equity, "EQR": Node.eqr}
    for word, measure in measures.items():
        for player, name in enumerate(nodes[0].players):
            values = [measure(node, player) for node in nodes]
            sheet.add(f"{word} {name}", *_compare(word != "EV", *values))
    if nodes[0].actor is None or nodes[0].actor != nodes[1].actor:
        return sheet
    frequency = [node.frequency() for node in nodes]
    for action in shared_actions(*nodes):
        shares = [
            float(row[rows].sum()) if rows else math.nan
            for row, rows in zip(frequency, action.rows, strict=True)
        ]
        sheet.add(action.label, *_compare(True, *shares))
    return sheet


def _compare(is_share: bool, first: float, second: float) -> list[str]:
    """Returns two numbers and their difference as text: percent and points, or amounts."""
    scale, decimals, unit = (100, 2, "%") if is_share else (1, 3, "")
    texts = []
    for number, sign, end in ((first, "", unit), (second, "", unit), (first - second, "+", "")):
        # Adding 0 turns the -0 of a small loss into 0.
        text = f"{round(scale * number, decimals) + 0.0:{sign}.{decimals}f}{end}"
        texts.append(NO_VALUE if math.isnan(number) else text)
    return texts
