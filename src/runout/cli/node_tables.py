"""A node of a solution for people: quality, hands, parts of ranges, and two nodes side by side.

Tables fit 80 columns; paths stand at the end of their own line, which is never cut or wrapped.
"""

import math
from collections.abc import Sequence
from textwrap import fill

import numpy as np
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import format_cards
from runout.cli.console import Shown, output
from runout.cli.formatting import (
    bold,
    dim,
    format_count,
    format_count_of,
    format_exploitability,
    format_mbb,
    format_percent,
    format_seconds,
)
from runout.cli.grids import grid_actions, grid_parts, measure_parts, value_grid
from runout.cli.sheets import full_width, sheet_table
from runout.errors import OptionError
from runout.solutions.breakdown import CardReport
from runout.solutions.node import (
    NOTABLE_EXPLOITABILITY_MBB,
    NOTABLE_EXPLOITABILITY_POT,
    ExploitabilityUnit,
    Measure,
    Node,
    NodeKind,
    Quality,
    Unit,
    hand_reach,
)
from runout.solutions.sheet import Column, Sheet, columns
from runout.solutions.tables import (
    HeldHands,
    cards_sheet,
    choose_measure,
    comparison_sheet,
    ev_form,
    hand_actions,
    hands_sheet,
    line_of_cards,
    shared_actions,
    strategy_gains,
)
from runout.trees.actions import format_amount

#: A node that is reached in a smaller share of the deals is hardly learned.
RARE_REACH = 0.005

#: Terminals are as wide, or wider.
MAX_COLUMNS = 80

#: The EV convention, by whether EVs are net.
EV_WORDS = {
    False: "EV: won from here on, folding is 0 (--ev net: since the start)",
    True: "EV: net since the start, folding loses the chips put in before",
}

#: Actions that are taken less often are shown as 0.00 %.
_NEVER = 5e-5

#: Longer paths are shortened in the heading of steps; the title has them in full.
_LONG_PATH = 12

#: Moves of less than half a percent are none.
_SMALLEST_MOVE = 0.005


def describe_quality(quality: Quality) -> str:
    """Returns the gain of a best response, in which game it is measured, and the work done."""
    if quality.unit is ExploitabilityUnit.POT:
        share = format_exploitability(quality.exploitability, quality.meaning)
        amount = f"{share} of the pot"
    else:
        amount = f"{format_mbb(quality.exploitability)} mbb/hand"
    iterations = format_count_of(quality.iterations, "iteration")
    work = f"after {iterations} in {format_seconds(quality.seconds)}"
    return f"exploitability ({quality.meaning.value}) {amount} {work}"


def quality_lines(quality: Quality | None, *nodes: Node) -> list[Text]:
    """Returns how well a solution is solved, and warnings about it and about nodes."""
    lines = []
    if quality is not None:
        lines.append(Text(describe_quality(quality)))
        if quality.real_exploitability is not None:
            real = format_mbb(quality.real_exploitability)
            lines.append(Text(f"with real cards, on its flops: {real} mbb/hand"))
        lines += roughness(quality)
    return lines + [line for node in nodes for line in node_warnings(node)]


def roughness(quality: Quality) -> list[Text]:
    """Returns a warning if a solution is rough."""
    most = f"{format_mbb(NOTABLE_EXPLOITABILITY_MBB)} mbb/hand"
    if quality.unit is ExploitabilityUnit.POT:
        most = f"{format_percent(NOTABLE_EXPLOITABILITY_POT, 0)} of the pot"
    text = f"exploitability is above {most}: more iterations may change much of this"
    return [_warning(text)] if quality.is_rough else []


def node_warnings(node: Node) -> list[Text]:
    """Returns the reasons not to trust a node."""
    warnings = []
    if node.reach is not None and node.reach < RARE_REACH:
        often, least = format_percent(node.reach, 3), format_percent(RARE_REACH, 1)
        warnings.append(f"reached in {often} of deals, less than {least}: play is hardly learned")
    if node.is_locked:
        warnings.append("locked: some hands play a fixed strategy here")
    if bool(node.met_weights.any()) and bool(np.isnan(node.ev).all()):
        warnings.append("no EVs were kept with this solution, solve it again to have them")
    return list(map(_warning, warnings))


def _warning(text: str) -> Text:
    return Text(f"! {text}", style="yellow")


def node_parts(
    node: Node, player: int | None = None, measure: Measure | None = None
) -> list[Shown]:
    """Returns the values of both players, the actions, and the grid of a player's hands.

    By default this is the strategy of the player to act; where no player acts there is no grid.
    """
    shown = (node.actor or 0) if player is None else player
    if measure is Measure.STRATEGY and node.actor != shown:
        problem = f"{node.players[shown]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    if measure is None and player is None and node.actor is None:
        return fact_parts(node)
    return [*fact_parts(node), "", *grid_parts(node, shown, measure)]


def fact_parts(node: Node) -> list[Shown]:
    """Returns the place of a node, the values of both players, and its actions."""
    head: list[Shown] = [title(node), "", _players_sheet(node), ""]
    if node.actor is None:
        return [*head, dim(_describe_end(node))]
    return [*head, _actions_sheet(node), dim(EV_WORDS[node.is_net])]


def title(node: Node) -> Text:
    """Returns the player to act, the board and the money, and below it the path."""
    board = format_cards(node.board)
    acts = board if node.actor is None else f"{node.players[node.actor]} acts on {board}"
    who = node.label if node.street is None else acts
    unit = " bb" if node.unit is Unit.BIG_BLINDS else ""
    behind = dict.fromkeys(map(format_amount, node.stacks))
    facts = [f"pot {format_amount(node.pot)}{unit}", f"{' and '.join(behind)} behind"]
    if node.path and node.reach is not None:
        facts.append(f"{format_percent(node.reach, 1)} of deals")
    text = ", ".join([*facts, "locked"] if node.is_locked else facts)
    gap = "   " if len(who) + 3 + len(text) <= MAX_COLUMNS else "\n"
    path = f"\nnode {node.path}" if node.path else ""
    return bold(who or "the start").append(f"{gap}{text}{path}", "not bold")


def _describe_end(node: Node) -> str:
    if node.next_cards:
        return f"a card is dealt here, go on with\n--node {node.path_after('CARD')}"
    if node.kind is NodeKind.FLOP and node.flops:
        listed = fill(" ".join(node.flops), MAX_COLUMNS)
        return f"a flop is dealt here, go on with\n--node {node.path_after('FLOP')}\n{listed}"
    is_flop = node.kind is NodeKind.FLOP
    return "a flop is dealt here" if is_flop else f"the hand ends here with a {node.kind}"


def _players_sheet(node: Node) -> Sheet:
    shares = [Column(heading, form=format_percent) for heading in ("of the pot", "equity", "EQR")]
    ev, combos = Column("EV", form=ev_form(node)), Column("combos", form=format_count)
    sheet = Sheet((Column(), ev, *shares, combos))
    for player, name in enumerate(node.players):
        value, equity = node.range_ev(player), node.range_equity(player)
        share = (value + node.ev_offset(player)) / node.pot
        sheet.add(name, value, share, equity, node.eqr(player), node.combos(player))
    return sheet


def _actions_sheet(node: Node) -> Sheet:
    """Returns how often each action is taken, by deals and by combos, and the step to it."""
    shares = [Column(heading, form=format_percent) for heading in ("frequency", "of combos")]
    ev, step = Column("EV", form=ev_form(node)), Column(f"--node {_stem(node)}", style="dim")
    sheet = Sheet((*columns("", "action"), *shares, ev, step))
    held = node.combos(node.actor or 0)
    taken = node.combos_taken() / held if held > 0.0 else np.full(len(node.actions), math.nan)
    numbers = zip(node.frequency(), taken, node.action_values(), strict=True)
    looks = grid_actions([action.kind for action in node.actions])
    for look, action, row in zip(looks, node.actions, numbers, strict=True):
        often, combos, value = map(float, row)
        worth = value if often >= _NEVER else math.nan
        sheet.add(look.swatch(), action.label, often, combos, worth, action.code)
    return sheet


def _stem(node: Node) -> str:
    """Returns the path in front of a next step, short if it is long."""
    return f"{node.path if len(node.path) < _LONG_PATH else '...'}:" if node.path else ""


def hand_parts(node: Node, chosen: HeldHands, text: str) -> list[Shown]:
    """Returns how much of each hand arrives, its actions and its value.

    Actions stand side by side if the console is wide enough for them, else below each other.
    """
    parts: list[Shown] = [title(node)]
    for player, held in chosen.items():
        if not held:
            continue
        num_combos = node.hand_space.num_combos[held]
        arriving = format_count_of(float((node.weights[player, held] * num_combos).sum()), "combo")
        head = f"{text} of {node.players[player]}: {arriving} of {num_combos.sum()}"
        hands, actions = hands_sheet(node, player, held), node.actions
        if player != node.actor:
            parts += ["", bold(head), hands]
            continue
        beside = Sheet((*hands.columns, *columns(*(f">{action.label}" for action in actions))))
        below = Sheet((*hands.columns, *hand_actions(node, held[0]).columns))
        form = ev_form(node)
        for column, row in zip(held, hands.rows, strict=True):
            done = hand_actions(node, column).rows
            texts = (f"{format_percent(often)} ({form(ev)})" for *_, often, ev in done)
            beside.add(*row, *texts)
            for number, action in enumerate(done):
                below.add(*(row if number == 0 else [""] * len(row)), *action)
        console = output()
        is_wide = full_width(console, sheet_table(beside)) <= console.width
        remark = "at an action: frequency (EV)\n" if is_wide else ""
        parts += ["", bold(head), beside if is_wide else below]
        parts.append(dim(remark + EV_WORDS[node.is_net]))
    return parts


def comparison_parts(nodes: Sequence[Node], player: int, asked: Measure | None) -> list[Shown]:
    """Returns two nodes: values, frequencies, and the difference between a player's hands."""
    measure = choose_measure(nodes, player, asked)
    heads = [Text(f"{n}  ").append_text(title(node)) for n, node in enumerate(nodes, start=1)]
    remark = dim(f"difference: the first node minus the second\n{EV_WORDS[nodes[0].is_net]}")
    parts: list[Shown] = [*heads, "", comparison_sheet(nodes), remark, ""]
    if measure is not Measure.STRATEGY:
        return [*parts, *measure_parts(nodes[0], player, measure, nodes[1])]
    moves, texts = strategy_moves(nodes)
    reach = np.fmin(*(np.nan_to_num(hand_reach(node, player)) for node in nodes))
    head = f"{nodes[0].players[player]}'s hands: % that an action is more frequent at the first"
    return [*parts, bold(head), value_grid(moves, texts, reach=reach)]


def strategy_moves(nodes: Sequence[Node]) -> tuple[FloatArray, list[str]]:
    """Returns ``[169]`` how much more a hand takes its most favoured action, and that in letters.

    NaN where the hand does not arrive at both nodes.
    """
    shared = shared_actions(*nodes)
    gains = strategy_gains(nodes, shared)
    letters = [look.letter for look in grid_actions([action.kind for action in shared])]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def cards_parts(report: CardReport) -> list[Shown]:
    """Returns a row for each kind of card that can come, and their means."""
    first = report.rows[0].node
    who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
    cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
    head = bold(f"{who} after {cards} on {format_cards(report.before.board)}")
    facts = f"   pot {format_amount(first.pot)}\nnode {line_of_cards(report)}"
    sheet, means = cards_sheet(report)
    sheet.add(None, None, None, "all", *means, style="dim")
    shares = "share: how often the card comes on this line; all: the mean over cards"
    return [head.append(facts, "not bold"), "", sheet, dim(f"{shares}\n{EV_WORDS[first.is_net]}")]
