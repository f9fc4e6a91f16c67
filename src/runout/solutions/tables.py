"""Parts of ranges; sheets and documents of hands, groups, cards that can come and two nodes."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from runout.arrays import BoolArray, FloatArray, divide
from runout.cards.deck import HAND_NAMES, format_card, format_cards, parse_card
from runout.cards.hand_classes import Draw, MadeHand, classify_hands, parse_hand_classes
from runout.cards.ranges import Range
from runout.errors import CardError, OptionError, RangeError, TreeError, quote
from runout.solutions import sheet as sheets
from runout.solutions.node import (
    HandSpace,
    Node,
    NodeKind,
    Solution,
    Unit,
    hand_reach,
    known_mean,
)
from runout.solutions.node_files import node_summary_to_json
from runout.solutions.preflop import PreflopSolution
from runout.solutions.sheet import Column, Sheet, format_percent, rounded
from runout.solutions.values import ValueSource
from runout.trees.actions import ActionKind, format_amount
from runout.trees.betting import Street
from runout.trees.paths import join_path, read_path

Json = dict[str, Any]

# Parts of a range: only some hands of a player, by range text or by what they are on the board.
#
# A part is a factor for each column of a node, how much of it is looked at. What is derived from
# the node of a part (means, frequencies, combos) is that of the part; the opponent stays as it is.

_EXCLUDING = ("-", "!")


class ClassChoice(NamedTuple):
    """Hand classes: a hand is in one of those included, if there are any, and none excluded."""

    included: tuple[str, ...]
    excluded: tuple[str, ...]


def parse_class_choice(text: str) -> ClassChoice:
    """Reads names of hand classes between commas, with ``-`` or ``!`` those to leave out."""
    included: list[str] = []
    excluded: list[str] = []
    for part in text.split(","):
        name = part.strip()
        names = excluded if name.startswith(_EXCLUDING) else included
        names.extend(parse_hand_classes(name.lstrip("".join(_EXCLUDING))))
    return ClassChoice(tuple(included), tuple(excluded))


def class_factors(node: Node, choice: ClassChoice) -> FloatArray:
    """Returns ``[H]`` 1 for the combos that are in the chosen classes on the board, else 0."""
    if node.hand_space is HandSpace.HANDS:
        raise CardError("hand classes", "hands have none before the flop, choose them by range")
    classes = classify_hands(node.board)
    chosen = classes.mask(choice.included) if choice.included else np.ones(len(classes.made), bool)
    factors: FloatArray = (chosen & ~classes.mask(choice.excluded)).astype(np.float64)
    return factors


def range_factors(node: Node, hand_range: Range) -> FloatArray:
    """Returns ``[H]`` the weights of a range; of hands before the flop, those of their combos."""
    is_preflop = node.hand_space is HandSpace.HANDS
    return hand_range.hand_weights() if is_preflop else hand_range.weights


def select_hands(node: Node, player: int, factors: FloatArray) -> Node:
    """Returns a node as ``factors[H]`` of one player's columns, 0 to 1, see it."""
    is_held, weights = node.is_held.copy(), node.weights.copy()
    is_held[player] &= factors > 0.0
    weights[player] *= factors
    return replace(node, is_held=is_held, weights=weights)


@dataclass(frozen=True)
class Part:
    """The hands of a range that are in some classes; all of them where nothing is chosen.

    They are hands of the named player, by default of the one to act, or of the first where no
    player acts.
    """

    player: str | None = None
    hand_range: Range | None = None
    classes: ClassChoice | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.hand_range is None and self.classes is None

    def player_at(self, node: Node) -> int:
        """Returns the player whose hands they are; refuses a name that no player has."""
        return (node.actor or 0) if self.player is None else node.player_index(self.player)

    def of(self, node: Node) -> Node:
        """Returns a node as this part of a range sees it."""
        player = self.player_at(node)
        if self.hand_range is not None:
            node = select_hands(node, player, range_factors(node, self.hand_range))
        if self.classes is not None:
            node = select_hands(node, player, class_factors(node, self.classes))
        return node


class PartView(Solution):
    """A solution with a part of the hands at every node, and EVs net if that is asked for."""

    def __init__(self, view: Solution, part: Part, is_net: bool = False) -> None:
        self.view, self.part, self.is_net, self.quality = view, part, is_net, view.quality

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        return self._shown(self.view.node(path))

    def looking(self) -> tuple[Callable[[str], Node], Callable[[str], bool]]:
        """Returns `node` for many nodes in turn, and whether the hand is known to end at a path."""
        look, is_end = self.view.looking()
        return lambda path: self._shown(look(path)), is_end

    def _shown(self, node: Node) -> Node:
        part = self.part.of(node)
        return part.net() if self.is_net else part

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt; a part of a range may tell any two apart."""
        return self.view.cards_alike(path) if self.part.is_whole else super().cards_alike(path)


# Single hands.


def ev_form(node: Node) -> Callable[[float], str]:
    """Returns how EVs are written: chips with two decimals, big blinds and pots with three."""
    return partial(sheets.format_chips, decimals=2 if node.unit is Unit.CHIPS else 3)


def choose_hands(node: Node, text: str, player: int | None = None) -> dict[int, list[int]]:
    """Returns the columns of hands such as ``AK``, ``AKs`` or ``AhKh`` in ranges, by player.

    These are hands of a player, by default of the one to act, or of both where no player acts.
    """
    where = f"hand {text}"
    try:
        factors = range_factors(node, Range(text))
    except RangeError as error:
        raise CardError(where, error.problem) from error
    asked = node.actor if player is None else player
    held = {
        one: [column for column in node.held_columns(one).tolist() if factors[column] > 0.0]
        for one in (range(len(node.players)) if asked is None else [asked])
    }
    if not any(held.values()):
        whose = "either" if asked is None else f"{node.players[asked]}'s"
        place = f" on {format_cards(node.board)}" if node.board else ""
        raise CardError(where, f"is not in {whose} range{place}")
    return held


def bucket_mates(node: Node, player: int, held: Sequence[int]) -> str:
    """Returns the hands that arrive and share a bucket with some columns; none without buckets."""
    if node.buckets is None:
        return ""
    of_player = node.buckets[player]
    shared = np.isin(of_player, of_player[list(held)]) & (node.weights[player] > 0.0)
    return str(Range(shared.astype(np.float64)))


def hands_sheet(node: Node, player: int, held: Sequence[int]) -> Sheet:
    """Returns how much of each hand arrives, its value and equity, and its actions if it acts."""
    tables = (node.weights[player], node.ev[player], node.equity[player])
    shown = (
        Column("hand", "hand"),
        Column("arrives", "weight", format_percent),
        Column("EV", "ev", ev_form(node)),
        Column("equity", "equity", format_percent),
        *((Column(None, "actions"),) if player == node.actor else ()),
    )
    sheet = Sheet(shown, to_plain=sheets.json_number)
    for column in held:
        actions = (hand_actions(node, column),) if player == node.actor else ()
        numbers = (float(table[column]) for table in tables)
        sheet.add(node.hand_space.names[column], *numbers, *actions)
    return sheet


def hand_actions(node: Node, column: int) -> Sheet:
    """Returns how often a hand takes each action of the player to act, and its value."""
    shown = (
        Column(None, "code"),
        Column("action", "label"),
        Column("frequency", "frequency", format_percent),
        Column("its EV", "ev", ev_form(node)),
    )
    sheet = Sheet(shown, to_plain=sheets.json_number)
    for action, often, ev in zip(node.actions, node.strategy, node.action_ev, strict=True):
        sheet.add(action.code, action.label, float(often[column]), float(ev[column]))
    return sheet


def trace_sheet(nodes: Sequence[Node], player: int, hand: int) -> Sheet:
    """Returns one of the 169 hands at decisions of a player: its arrival, value and actions."""
    shown = (
        Column(None, "path"),
        Column("decision"),
        Column("arrives", "weight", format_percent),
        Column("EV", "ev", ev_form(nodes[0])),
        Column(None, "invested"),
        Column(None, "actions"),
    )
    sheet = Sheet(shown, to_plain=sheets.json_number)
    for node in nodes:
        numbers = float(node.weights[player, hand]), float(node.ev[player, hand])
        sheet.add(node.path, node.label, *numbers, node.invested[player], hand_actions(node, hand))
    return sheet


#: Of values that nobody solved.
GUESSED_STYLE = "bold yellow"


def leaves_sheet(game: PreflopSolution) -> Sheet:
    """Returns the flops that are seen, and the source of their values; ``!`` marks guesses."""
    shown = (
        Column(),
        Column("node", "path"),
        Column("pot, bb", "pot", format_amount),
        Column("SPR", "spr", format_amount),
        Column("seen", "reach", partial(format_percent, decimals=1)),
        Column("values", "source", wraps=True),
        Column(None, "is_guessed"),
    )
    sheet = Sheet(shown)
    for leaf in game.tree.flop_leaves():
        known, reach = game.report.flop_leaves[leaf.path], game.share_of_deals(leaf.node)
        is_guessed = known.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = known.detail.startswith(known.source)
        words = known.detail if is_named else f"{known.source}, {known.detail}"
        numbers, mark = (leaf.pot_bb, leaf.spr, reach), "!" if is_guessed else ""
        style = GUESSED_STYLE if is_guessed else ""
        sheet.add(mark, leaf.path, *numbers, words, is_guessed, style=style)
    return sheet


def ranges_to_json(node: Node, ranges: Mapping[str, Range]) -> Json:
    """Returns ranges at a node under JSON names, by player, with the money in the node's unit."""
    words = [f"{step.label.split()[0]} {action.label}" for step, action, _ in node.actions_taken()]
    return {
        "node": node.path,
        "description": ", ".join(words),
        f"pot_{node.unit.value}": node.pot,
        f"stack_behind_{node.unit.value}": min(node.stacks),
        "share_of_deals": node.reach,
        "ranges": {
            name: {
                "range": str(held),
                "num_combos": held.num_combos,
                "weight_by_hand": dict(zip(HAND_NAMES, held.hand_weights().tolist(), strict=True)),
            }
            for name, held in ranges.items()
        },
    }


# A range in groups: hand classes, draws or tenths of equity.

Grouping = Literal["class", "equity"]

NO_DRAW = "no-draw"
NUM_BANDS = 10

#: Fewer combos are not worth a row.
_FEWEST_COMBOS = 5e-4


def group_sheets(node: Node, player: int, by: Grouping) -> dict[str, Sheet]:
    """Returns groups of a player's range, the strongest first: actions and values of each.

    There is a sheet of made hands, and one of draws before the river, or one of equity. A hand can
    have several draws.
    """
    found: dict[str, dict[str, BoolArray]]
    if by == "equity":
        equity = np.nan_to_num(node.equity[player], nan=-1.0)
        band = np.minimum(np.floor(equity * NUM_BANDS), NUM_BANDS - 1)
        bands = reversed(range(NUM_BANDS))
        found = {"equity": {f"{10 * n}-{10 * n + 10}": band == n for n in bands}}
    elif node.hand_space is HandSpace.HANDS:
        raise CardError("hand classes", "hands have none before the flop")
    else:
        classes = classify_hands(node.board)
        made_hands = list(MadeHand)[:0:-1]
        found = {"made hand": {made.label: classes.made == made for made in made_hands}}
        if node.street is not Street.RIVER:
            draws = {draw.label: classes.draws[:, draw] for draw in Draw}
            found["draw"] = draws | {NO_DRAW: np.logical_not(classes.draws.any(axis=1))}
    actions = node.actions if player == node.actor else ()
    deals = float(node.deals(player).sum())
    made = {}
    for name, groups in found.items():
        shown = (
            Column(f"{node.players[player]}'s {name}", "name"),
            Column("combos", "combos", sheets.format_count),
            Column("share", "share", format_percent),
            Column("equity", "equity", format_percent),
            Column("EV", "ev", ev_form(node)),
            Column(None, "frequency"),
            *(Column(action.code, form=format_percent) for action in actions),
        )
        made[name] = sheet = Sheet(shown, gap=2)
        for label, is_in in groups.items():
            part = select_hands(node, player, is_in.astype(np.float64))
            combos = part.combos(player)
            if combos >= _FEWEST_COMBOS:
                share = float(part.deals(player).sum()) / deals if deals > 0.0 else math.nan
                means = part.range_equity(player), part.range_ev(player)
                often = part.frequency().tolist() if actions else []
                sheet.add(label, combos, share, *means, list(map(rounded, often)), *often)
    return made


def groups_to_json(node: Node, player: int, by: Grouping) -> Json:
    """Returns groups of a range under JSON names."""
    groups = group_sheets(node, player, by)
    return {
        "path": node.path,
        "player": node.players[player],
        "actions": [action.code for action in node.actions] if player == node.actor else [],
        "parts": {name: sheet.records() for name, sheet in groups.items()},
    }


# All cards that can come at a node, or that could have come last, side by side.

_CARD_LENGTH = 2
BY_CARD = "card"

#: Stands for a card in the path of a line that is looked at with every card.
ANY_CARD = "CARD"
_LOCKED = " locked"

#: With more actions than this the terminal has no room for EQR.
_MOST_ACTIONS = 3


class CardRow(NamedTuple):
    """Cards that differ by suits only, and the node with the first of them."""

    cards: tuple[int, ...]
    node: Node

    @property
    def name(self) -> str:
        """The cards as text, such as ``8s 8d``."""
        return " ".join(map(format_card, self.cards))


@dataclass(frozen=True, eq=False)
class CardReport:
    """The same line with every kind of card, from the node before the card is dealt.

    The chosen card is that of the node that was asked about; None if it is not dealt there yet.
    Later steps are those after the card.
    """

    before: Node
    chosen: int | None
    later: tuple[str, ...]
    rows: tuple[CardRow, ...]

    def shares(self) -> FloatArray:
        """Returns ``[K]`` how often each row comes, of all deals that are played on this line."""
        deals = np.array([len(cards) * float(node.deals(0).sum()) for cards, node in self.rows])
        return deals / deals.sum() if deals.sum() > 0.0 else np.full(len(deals), math.nan)

    def mean(self, values: FloatArray) -> float:
        """Returns the mean over all cards of ``values[K]``, NaN if no deal is played to here."""
        return known_mean(values, np.nan_to_num(self.shares()))

    def path(self, card: str = ANY_CARD) -> str:
        """Returns the path of the line with a card, by default with CARD in its place."""
        return join_path(self.before.path, card, *self.later)


def report_cards(view: Solution, path: str) -> CardReport:
    """Returns a node with each card that can come, or could have come last, in its place.

    Where no card is dealt, there or on the way, that is a `TreeError`.
    """
    before = node = view.node(path)
    chosen: int | None = None
    later: tuple[str, ...] = ()
    if node.kind is NodeKind.FLOP:
        problem = "a whole flop is dealt there, and not one card; go on to a turn or a river"
        raise TreeError(f"path {quote(node.path)}", problem)
    if not node.next_cards:
        is_card = [step.actor is None and len(step.taken) == _CARD_LENGTH for step in node.trail]
        dealt = np.flatnonzero(is_card).tolist()
        if not dealt:
            problem = "no card is dealt there or on the way, give a node where one is"
            raise TreeError(f"path {quote(node.path)}", problem)
        step = node.trail[dealt[-1]]
        before, chosen = view.node(step.path), parse_card(step.taken)
        later = tuple(read_path(node.path).steps[dealt[-1] + 1 :])
    rows = []
    for alike in view.cards_alike(before.path):
        # The highest suit first, but the card that was asked about before others.
        cards = tuple(sorted(alike, key=lambda card: (card == chosen, card), reverse=True))
        path = join_path(before.path, format_card(cards[0]), *later)
        rows.append(CardRow(cards, view.node(path)))
    rows.sort(key=lambda row: max(row.cards), reverse=True)
    return CardReport(before, chosen, later, tuple(rows))


def cards_sheet(report: CardReport) -> Sheet:
    """Returns a row for each kind of card, and as the last row the means over all cards.

    A row has how often the card comes, the actions then, and EV, equity and EQR of both players.
    """
    first = report.rows[0].node
    percent, has_eqr = partial(format_percent, decimals=1), len(first.actions) <= _MOST_ACTIONS
    shown = [Column("card", BY_CARD), Column("share", "share", percent)]
    shown += [Column(action.code, action.code, percent) for action in first.actions]
    for player, name in enumerate(first.players):
        end = name.lower()
        # The equities of both players add up to one.
        shown += [
            Column(f"{name} EV", f"ev-{end}", ev_form(first)),
            Column("equity" if player == 0 else None, f"equity-{end}", percent),
            Column("EQR" if has_eqr else None, f"eqr-{end}", percent),
        ]
    sheet = Sheet(tuple(shown), gap=2)
    table = []
    for row, share in zip(report.rows, report.shares().tolist(), strict=True):
        node = row.node
        values = [(node.range_ev(one), node.range_equity(one), node.eqr(one)) for one in (0, 1)]
        table.append([share, *node.frequency().tolist(), *values[0], *values[1]])
        words = row.name + (_LOCKED if node.is_locked else "")
        sheet.add(words, *table[-1], style="bold" if report.chosen in row.cards else "")
    means = [report.mean(column) for column in np.array(table).T]
    means[0] = 1.0
    for player, place in enumerate((-6, -3)):  # EQR of all cards is that of the means
        won, worth = means[place] + first.ev_offset(player), first.pot * means[place + 1]
        means[place + 2] = won / worth if worth > 0.0 else math.nan
    sheet.add("all", *means, style="dim")
    return sheet


def sort_cards(report: CardReport, key: str) -> CardReport:
    """Returns the rows in the order of a column, the largest number first; cards from aces down."""
    sheet = cards_sheet(report)
    if key not in sheet.keys:
        known = ", ".join(sheet.keys)
        raise OptionError("--sort", f"{quote(key)} is no column, use one of {known}")
    if key == BY_CARD:
        return report
    numbers = [row[sheet.keys.index(key)] for row in sheet.rows[:-1]]
    order = np.argsort(-np.nan_to_num(numbers, nan=-math.inf), kind="stable")
    return replace(report, rows=tuple(report.rows[number] for number in order))


def cards_to_json(report: CardReport) -> Json:
    """Returns a report under JSON names; nodes are without their hands."""
    *records, means = cards_sheet(report).records()
    return {
        "path": report.path(),
        "before": report.before.path,
        "chosen": None if report.chosen is None else format_card(report.chosen),
        "mean": {key: mean for key, mean in means.items() if key != BY_CARD},
        "rows": [
            {"cards": list(map(format_card, cards)), "share": record["share"]}
            | node_summary_to_json(node)
            for (cards, node), record in zip(report.rows, records, strict=True)
        ],
    }


# One node or two side by side: what is shown of each hand.


class Measure(StrEnum):
    """One number for each hand, or what it does."""

    STRATEGY = "strategy"
    EV = "ev"
    EQUITY = "equity"
    EQR = "eqr"
    REACH = "reach"


def hand_values(node: Node, player: int, measure: Measure) -> FloatArray:
    """Returns ``[169]`` a number for each hand of a player, NaN where it has none.

    The strategy is no such measure: it is more than one number.
    """
    match measure:
        case Measure.EV:
            return node.hand_means(node.ev[player], player)
        case Measure.EQUITY:
            return node.hand_means(node.equity[player], player)
        case Measure.EQR:
            shares = node.pot * hand_values(node, player, Measure.EQUITY)
            won = hand_values(node, player, Measure.EV) + node.ev_offset(player)
            return divide(won, np.nan_to_num(shares))
        case Measure.REACH:
            return hand_reach(node, player)
    raise ValueError(f"{measure} is more than one number for each hand")


class SharedAction(NamedTuple):
    """An action that two nodes have in common, and its rows of the strategies at both."""

    kind: ActionKind
    label: str
    rows: tuple[list[int], list[int]]


def choose_measure(nodes: Sequence[Node], player: int, asked: Measure | None) -> Measure:
    """Returns the measure to show of one node or to compare of two.

    By default it is the strategy if the player acts at all nodes, else the reach of hands at one
    node, or EVs at two.
    """
    if nodes[0].players != nodes[-1].players:
        raise OptionError("--compare", "one node is before the flop and the other is after it")
    acts = all(node.actor == player for node in nodes)
    if asked is Measure.STRATEGY and not acts:
        place = "here" if len(nodes) == 1 else "at both nodes"
        problem = f"does not act {place}, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", f"{nodes[0].players[player]} {problem}")
    values = Measure.REACH if len(nodes) == 1 else Measure.EV
    return asked or (Measure.STRATEGY if acts else values)


def shared_actions(first: Node, second: Node) -> list[SharedAction]:
    """Returns actions of two decisions in pairs: one by one if all are the same, else by kind.

    An action that only one of the nodes has comes with no rows of the other.
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


def comparison_sheet(nodes: Sequence[Node]) -> Sheet:
    """Returns values and frequencies of two nodes, and the first minus the second."""
    sheet = Sheet(sheets.columns("", ">1", ">2", ">difference"))
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
        texts.append(sheets.NO_VALUE if math.isnan(number) else text)
    return texts
