"""A node of a solution for people: quality, hands, parts of ranges, and two nodes side by side.

Tables fit 80 columns; paths stand at the end of their own line, which is never cut or wrapped.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from textwrap import fill

import numpy as np
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import format_cards
from runout.cli import formatting, grids
from runout.cli.console import Shown
from runout.cli.formatting import MAX_COLUMNS, bold, dim, format_count_of, format_percent
from runout.solutions import tables
from runout.solutions.node import (
    NOTABLE_EXPLOITABILITY_MBB,
    NOTABLE_EXPLOITABILITY_POT,
    SMALLEST_REACH,
    ExploitabilityMeaning,
    ExploitabilityUnit,
    Node,
    NodeKind,
    Quality,
    Unit,
    hand_reach,
    hand_strategy,
)
from runout.solutions.sheet import Column, Sheet, columns
from runout.solutions.tables import Measure, hand_values
from runout.trees.actions import format_amount

#: A node that is reached in a smaller share of the deals is hardly learned.
RARE_REACH = 0.005

#: The EV convention, by whether EVs are net.
EV_WORDS = {
    False: "EV: won from here on, folding is 0 (--ev net: since the start)",
    True: "EV: net since the start, folding loses the chips put in before",
}

#: Actions that are taken less often are shown as 0.00 %.
_NEVER = 5e-5

#: Moves of less than half a percent are none.
_SMALLEST_MOVE = 0.005

#: The meaning of the numbers in a grid of a measure; of the strategy at two nodes.
_MEANINGS = {
    Measure.STRATEGY: "% that an action is more frequent at the first",
    Measure.EV: "EV in {unit}{net}",
    Measure.EQUITY: "equity in %",
    Measure.EQR: "EQR, the EV in % of the pot times equity",
    Measure.REACH: "reach, the % of each hand that arrives",
}


def quality_lines(quality: Quality | None, *nodes: Node) -> list[Text]:
    """Returns how well a solution is solved, and warnings about it and about nodes.

    That is the gain of a best response, in which game it is measured, and the work done.
    """
    lines = []
    if quality is not None:
        is_of_pot, real = quality.unit is ExploitabilityUnit.POT, quality.real

        def amount(number: float, is_bound: bool = False) -> str:
            if is_of_pot:
                return f"{formatting.format_bound(number, is_bound)} of the pot"
            return f"{formatting.format_mbb(number)} mbb/hand"

        if quality.meaning is not ExploitabilityMeaning.REAL_GAME:
            what = "exploitability with real cards" + ("" if is_of_pot else ", on its flops")
            lines.append(Text(f"{what}: {'not measured' if real is None else amount(real)}"))
        iterations = format_count_of(quality.iterations, "iteration")
        work = f"after {iterations} in {formatting.format_seconds(quality.seconds)}"
        reached = amount(quality.exploitability, quality.meaning.is_upper_bound)
        lines.append(Text(f"exploitability ({quality.meaning.value}) {reached} {work}"))
        lines += roughness(quality)
    return lines + [line for node in nodes for line in node_warnings(node)]


def roughness(quality: Quality) -> list[Text]:
    """Returns a warning if a solution is rough."""
    most = f"{formatting.format_mbb(NOTABLE_EXPLOITABILITY_MBB)} mbb/hand"
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
    if node.buckets is not None:
        street, number = node.street_name, len(np.unique(node.buckets[node.weights > 0.0]))
        alike = f"hands of one of {number} buckets play alike (--hand lists them)"
        warnings.append(f"{street} in buckets: {alike}")
    if node.is_locked:
        warnings.append("locked: some hands play a fixed strategy here")
    if bool(node.met_weights.any()) and bool(np.isnan(node.ev).all()):
        warnings.append("no EVs were kept with this solution, solve it again to have them")
    return list(map(_warning, warnings))


def _warning(text: str) -> Text:
    return Text(f"! {text}", style="yellow")


def title(node: Node, mark: str = "") -> Text:
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
    who = fill(mark + (who or "the start"), MAX_COLUMNS)
    gap = "   " if len(who) + 3 + len(text) <= MAX_COLUMNS else "\n"
    path = f"\nnode {node.path}" if node.path else ""
    return bold(who).append(f"{gap}{text}{path}", "not bold")


def node_parts(
    node: Node, player: int | None = None, measure: Measure | None = None
) -> list[Shown]:
    """Returns the values of both players, the actions, and the grid of a player's hands.

    By default this is the strategy of the player to act; where no player acts there is no grid.
    """
    if measure is None and player is None and node.actor is None:
        return fact_parts(node)
    shown = (node.actor or 0) if player is None else player
    return [*fact_parts(node), "", *grid_parts([node], shown, measure)]


def decision_parts(nodes: Iterable[Node], measure: Measure | None = None) -> list[Shown]:
    """Returns decisions one after another."""
    parts = (("", *node_parts(node, None, measure)) for node in nodes)
    return list(chain.from_iterable(parts))[1:]


def fact_parts(node: Node) -> list[Shown]:
    """Returns the place of a node, the values of both players, and its actions.

    Of an action there is how often it is taken, by deals and by combos, and the step to it.
    """
    form = tables.ev_form(node)
    shares = [Column(heading, form=format_percent) for heading in ("of the pot", "equity", "EQR")]
    ev, combos = Column("EV", form=form), Column("combos", form=formatting.format_count)
    players = Sheet((Column(), ev, *shares, combos))
    for player, name in enumerate(node.players):
        value, equity = node.range_ev(player), node.range_equity(player)
        share = (value + node.ev_offset(player)) / node.pot
        players.add(name, value, share, equity, node.eqr(player), node.combos(player))
    parts: list[Shown] = [title(node), "", players, ""]
    if node.actor is None:
        is_flop = node.kind is NodeKind.FLOP
        end = "a flop is dealt here" if is_flop else f"the hand ends here with a {node.kind}"
        if node.next_cards:
            end = f"a card is dealt here, go on with\n--node {node.path_after('CARD')}"
        elif is_flop and node.flops:
            listed = fill(" ".join(node.flops), MAX_COLUMNS)
            end += f", go on with\n--node {node.path_after('FLOP')}\n{listed}"
        return [*parts, dim(end)]
    shares = [Column(heading, form=format_percent) for heading in ("frequency", "of combos")]
    step = Column("--node ...:" if node.path else "--node", style="dim")
    actions = Sheet((*columns("", "action"), *shares, Column("EV", form=form), step))
    held = node.combos(node.actor)
    taken = node.combos_taken() / held if held > 0.0 else np.full(len(node.actions), math.nan)
    numbers = zip(node.frequency(), taken, node.action_values(), strict=True)
    looks = grids.grid_actions([action.kind for action in node.actions])
    for look, action, row in zip(looks, node.actions, numbers, strict=True):
        often, of_combos, value = map(float, row)
        worth = value if often >= _NEVER else math.nan
        actions.add(look.swatch(), action.label, often, of_combos, worth, action.code)
    return [*parts, actions, dim(EV_WORDS[node.is_net])]


def grid_parts(nodes: Sequence[Node], player: int, asked: Measure | None) -> list[Shown]:
    """Returns the grid of a player's hands at a node, or of the differences between two nodes."""
    first, measure = nodes[0], tables.choose_measure(nodes, player, asked)
    reach = np.fmin.reduce([np.nan_to_num(hand_reach(node, player)) for node in nodes])
    meaning = _MEANINGS[measure].format(unit=first.unit, net=", net" if first.is_net else "")
    head = f"{first.players[player]}'s hands: {meaning}"
    if measure is Measure.STRATEGY:
        if len(nodes) == 1:
            looks = grids.grid_actions([action.kind for action in first.actions])
            return [grids.strategy_grid(looks, hand_strategy(first), reach)]
        moves, texts = strategy_moves(nodes)
        return [bold(head), grids.value_grid(moves, texts, reach=reach)]
    values = np.subtract.reduce([hand_values(node, player, measure) for node in nodes])
    if measure is not Measure.REACH:
        values = np.where(reach >= SMALLEST_REACH, values, np.nan)
    form = grids.format_amount_cell if measure is Measure.EV else grids.format_cell
    texts = [form(value) for value in values.tolist()]
    known = values[~np.isnan(values)].tolist() or [0.0, 1.0]
    low, high = min(known), max(known)
    if len(nodes) > 1:
        head = f"difference, {head}"
        texts = [_signed(value, form(abs(value))) for value in values.tolist()]
        low, high = -max(-low, high), max(-low, high)
    elif measure in (Measure.EQUITY, Measure.REACH):
        low, high = 0.0, 1.0
    return [bold(head), grids.value_grid(values, texts, (low, high), reach)]


def _signed(difference: float, text: str) -> str:
    """Returns the text of a difference with its sign."""
    if not text or float(text.removesuffix("k")) == 0.0:
        return text and "0"
    return ("+" if difference > 0.0 else "-") + text


def strategy_moves(nodes: Sequence[Node]) -> tuple[FloatArray, list[str]]:
    """Returns ``[169]`` how much more a hand takes its most favoured action, and that in letters.

    NaN where the hand does not arrive at both nodes.
    """
    shared = tables.shared_actions(*nodes)
    one, other = map(hand_strategy, nodes)
    gains = np.stack(
        [one[mine].sum(axis=0) - other[theirs].sum(axis=0) for *_, (mine, theirs) in shared]
    )
    for node in nodes:
        gains[:, ~(hand_reach(node, node.actor or 0) >= SMALLEST_REACH)] = math.nan
    letters = [look.letter for look in grids.grid_actions([action.kind for action in shared])]
    moves, texts = gains.max(axis=0), []
    for hand, move in enumerate(moves.tolist()):
        if math.isnan(move) or move < _SMALLEST_MOVE:
            texts.append("" if math.isnan(move) else "=")
        else:
            texts.append(f"{letters[int(gains[:, hand].argmax())]}+{round(100 * move)}")
    return moves, texts


def action_parts(node: Node, hands: Sheet) -> list[Shown]:
    """Returns hands with their actions, which are in the last cells, side by side."""
    form = tables.ev_form(node)
    sheet = Sheet((*hands.columns, *columns(*(f">{action.label}" for action in node.actions))))
    for row in hands.rows:
        actions = row[-1].rows
        sheet.add(*row, *(f"{format_percent(often)} ({form(ev)})" for *_, often, ev in actions))
    return [sheet, dim(f"at an action: frequency (EV)\n{EV_WORDS[node.is_net]}")]
