"""What a node of a solution says, the same before and after the flop."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from runout.arrays import BoolArray, FloatArray, IntArray, divide, read_only
from runout.cards.deck import (
    COMBO_CARDS,
    COMBOS_BY_CARD,
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    NUM_RANKS,
    format_card,
    format_cards,
    format_combo,
    grid_position,
    live_combos,
)
from runout.errors import TreeError, quote
from runout.solutions.solution import NOTABLE_EXPLOITABILITY_MBB as NOTABLE_EXPLOITABILITY_MBB
from runout.solutions.solution import NOTABLE_EXPLOITABILITY_POT as NOTABLE_EXPLOITABILITY_POT
from runout.solutions.solution import PREFLOP as PREFLOP
from runout.solutions.solution import Curve as Curve
from runout.solutions.solution import ExploitabilityUnit as ExploitabilityUnit
from runout.solutions.solution import Provenance as Provenance
from runout.solutions.solution import Quality as Quality
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.betting import Street
from runout.trees.paths import join_path
from runout.trees.tree import POSITION_NAMES, BettingTree

if TYPE_CHECKING:
    from pandas import DataFrame


# What a node of a solution says, the same before and after the flop.
#
# Before the flop a column is one of the 169 hands, after it one of the 1,326 combos. Everything
# that is derived from columns (means over ranges, frequencies, realized equity) is a method here,
# so that tables, files and pages show the same numbers.


#: A smaller share of the opponent's range is a rounding error, and counts as nobody.
_SMALLEST_SHARE = 1e-9

_HTML_COLOURS = {"FOLD": "#5b9bd5", "CHECK": "#70ad47", "CALL": "#70ad47", "arrives": "#e0a800"}

#: A hand that plays towards a node less often than this is not shown there.
SMALLEST_REACH = 5e-4


class NodeKind(StrEnum):
    """What happens at a node."""

    DECISION = "decision"
    CHANCE = "chance"
    FOLD = "fold"
    SHOWDOWN = "showdown"
    FLOP = "flop"


class HandSpace(StrEnum):
    """What the columns of a node are: the 1,326 combos, or the 169 hands."""

    COMBOS = "combos"
    HANDS = "hands"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each column."""
        return HAND_NAMES if self is HandSpace.HANDS else _COMBO_NAMES

    @property
    def num_combos(self) -> IntArray:
        """How many combos each column stands for."""
        return _COMBOS_PER_HAND if self is HandSpace.HANDS else _ONE_COMBO


class Unit(StrEnum):
    """In what money is counted at a node."""

    CHIPS = "chips"
    BIG_BLINDS = "bb"
    POTS = "pots"


_COMBO_NAMES = tuple(map(format_combo, range(NUM_COMBOS)))
_COMBOS_PER_HAND: IntArray = read_only(np.array([len(combos) for combos in COMBOS_BY_HAND]))
_ONE_COMBO: IntArray = read_only(np.ones(NUM_COMBOS, dtype=np.int64))


@dataclass(frozen=True)
class NodeAction:
    """One action: as a step of a path, for people, its kind, and the amount.

    The amount is what the player has then put in on this street, in the unit of the node.
    """

    code: str
    label: str
    kind: ActionKind
    amount: float


def actions_of(tree: BettingTree, children: Iterable[int]) -> tuple[NodeAction, ...]:
    """Returns the actions that lead to some nodes of a tree."""
    return tuple(
        NodeAction(tree.action_code(child), tree.action_label(child), action.kind, action.amount)
        for child, action in ((child, tree.action_to(child)) for child in children)
    )


@dataclass(frozen=True)
class TrailStep:
    """A decision or a card on the way to a node.

    Attributes:
        path: of the decision, or of the place where the card is dealt.
        label: who acts, or what is dealt.
        actor: who acts, None where cards are dealt.
        actions: what could be done there.
        frequencies: how often each is done; NaN if nobody gets there.
        taken: the step that leads on.
    """

    path: str
    label: str
    actor: int | None
    actions: tuple[NodeAction, ...]
    frequencies: tuple[float, ...]
    taken: str


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """Everything about one node; ``H`` columns are combos or hands, players are 0 and 1.

    >>> import runout
    >>> spot = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}
    >>> node = runout.solve_spot(**spot, max_iterations=20).node()
    >>> node.pot, node.players[node.actor], node.actions[0].label
    (10.0, 'OOP', 'check')
    >>> node.to_dataframe().columns[:3].tolist()
    ['node', 'actor', 'action']

    Attributes:
        path: the steps that lead here, empty at the root.
        label: who acts, or what happens, in words.
        kind: what happens here.
        street: the street that the board is on; None before the flop.
        board: the cards on the table.
        unit: in what money is counted.
        pot: what is in the middle, uncalled bets included.
        stacks: what each player has left of the effective stack.
        invested: what each player has put in since the root, blinds and antes included.
        players: what the two are called.
        actor: who acts; None where nobody does.
        actions: what the actor can do.
        next_cards: the cards that can be dealt; none where none is.
        hand_space: what the columns are.
        is_held: ``[2, H]`` whether the column is in the range and avoids the board.
        weights: ``[2, H]`` how much of each combo arrives: its weight in the range times its own
            strategy on the way.
        met_weights: ``[2, H]`` the combos of the opponent that each combo can meet, by weight.
        strategy: ``[A, H]`` how often the actor takes each action, NaN where it cannot hold it.
        ev: ``[2, H]`` what comes back from the pot minus what is put in from here on: folding is
            0, and the two players' range EVs sum to the pot, less rake. NaN where the combo
            cannot be held or meets nobody.
        action_ev: ``[A, H]`` the same for each action of the actor.
        equity: ``[2, H]`` share of the pot at a showdown over all runouts against what the
            opponent arrives with; NaN like ``ev``.
        is_net: whether EVs count from the start of the hand or spot; see `net`.
        is_locked: whether some hands do here what they were told.
        reach: share of the deals that the board allows that are played to here; None if unknown.
        trail: the decisions and cards on the way.
        flops: where a flop is dealt, those that can be looked at.
    """

    path: str
    label: str
    kind: NodeKind
    street: Street | None
    board: tuple[int, ...]
    unit: Unit
    pot: float
    stacks: tuple[float, float]
    invested: tuple[float, float]
    players: tuple[str, str]
    actor: int | None
    actions: tuple[NodeAction, ...]
    next_cards: tuple[int, ...]
    hand_space: HandSpace
    is_held: BoolArray
    weights: FloatArray
    met_weights: FloatArray
    strategy: FloatArray
    ev: FloatArray
    action_ev: FloatArray
    equity: FloatArray
    is_net: bool = False
    is_locked: bool = False
    reach: float | None = None
    trail: tuple[TrailStep, ...] = ()
    flops: tuple[str, ...] = ()

    @property
    def street_name(self) -> str:
        """The street in words."""
        return PREFLOP if self.street is None else self.street.label

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions, cards or flops that can follow, as steps of a path."""
        cards = map(format_card, self.next_cards)
        return (*(action.code for action in self.actions), *cards, *self.flops)

    def path_after(self, step: str) -> str:
        """Returns the path of what follows an action or a card."""
        return join_path(self.path, step)

    def net(self) -> "Node":
        """Returns the node with EVs since the start of the hand or spot: folding costs `invested`.

        >>> node.range_ev(0), node.net().range_ev(0)  # doctest: +SKIP
        (0.51, 0.01)
        """
        if self.is_net:
            return self
        spent = np.array(self.invested)
        action_ev = self.action_ev - spent[self.actor or 0]
        return replace(self, ev=self.ev - spent[:, None], action_ev=action_ev, is_net=True)

    def player_index(self, name: str) -> int:
        """Returns the number of a player by name: ``SB``, ``BB``, or ``OOP`` and ``IP``.

        A `TreeError` says which names there are.
        """
        positions = POSITION_NAMES if self.street is not None else POSITION_NAMES[::-1]
        for names in (self.players, positions):
            if name.upper() in names:
                return names.index(name.upper())
        raise TreeError("player", f"{quote(name)} is none of {', '.join(self.players)}")

    def range_ev(self, player: int) -> float:
        """Returns the mean `ev` of a player's range; NaN if the ranges do not meet."""
        return known_mean(self.ev[player], self.deals(player))

    def range_equity(self, player: int) -> float:
        """Returns the mean `equity` of a player's range; NaN if the ranges do not meet."""
        return known_mean(self.equity[player], self.deals(player))

    def eqr(self, player: int) -> float:
        """Returns the realized equity: what a range gets of what its equity would give it."""
        share = self.pot * self.range_equity(player)
        won = self.range_ev(player) + self.ev_offset(player)
        return won / share if share > 0.0 else float("nan")

    def ev_offset(self, player: int) -> float:
        """Returns what is missing to EVs that count from this node on: 0 unless they are `net`."""
        return self.invested[player] if self.is_net else 0.0

    def combos(self, player: int) -> float:
        """Returns how many combos a player arrives with, by weight."""
        return float((self.weights[player] * self.hand_space.num_combos).sum())

    def frequency(self) -> FloatArray:
        """Returns ``[A]`` how often the actor takes each action; NaN if the ranges do not meet."""
        deals = self.deals(self.actor or 0)
        return np.array([known_mean(row, deals) for row in self.strategy])

    def combos_taken(self) -> FloatArray:
        """Returns ``[A]`` how many combos of the actor take each action.

        Unlike `frequency` it does not ask which hands the opponent's cards make rarer.
        """
        held = self.weights[self.actor or 0] * self.hand_space.num_combos
        taken: FloatArray = (np.nan_to_num(self.strategy) * held).sum(axis=1)
        return taken

    def action_values(self) -> FloatArray:
        """Returns ``[A]`` what each action is worth to the hands that take it.

        It is the mean of `action_ev` over these hands, NaN if nobody takes the action; so it says
        how good the hands are that do it, and not what the range would get by doing it.
        """
        deals = self.deals(self.actor or 0)
        rows = zip(self.strategy, self.action_ev, strict=True)
        return np.array([known_mean(worth, np.nan_to_num(deals * row)) for row, worth in rows])

    def hand_means(self, values: FloatArray, player: int | None = None) -> FloatArray:
        """Returns ``[169]`` means of the canonical hands, NaN for those that do not arrive.

        Args:
            values: ``[H]`` one of the rows above.
            player: whose values they are; the actor by default, the first where nobody acts.
        """
        deals = self.deals((self.actor or 0) if player is None else player)
        deals = np.where(np.isnan(values), 0.0, deals)
        return divide(self.by_hand(deals * np.nan_to_num(values)), self.by_hand(deals))

    def by_hand(self, values: FloatArray) -> FloatArray:
        """Returns ``[169]`` sums of ``values[H]`` by canonical hand."""
        if self.hand_space is HandSpace.HANDS:
            return values
        return np.bincount(HAND_BY_COMBO, values, NUM_HANDS).astype(np.float64)

    def columns(self, player: int | None = None) -> dict[str, FloatArray]:
        """Returns ``[H]`` columns of a player: weight, equity, ev; of the actor also what it does.

        Args:
            player: the actor by default, the first player where nobody acts.
        """
        whose = (self.actor or 0) if player is None else player
        found = {"weight": self.weights[whose], "equity": self.equity[whose], "ev": self.ev[whose]}
        for number, action in enumerate(self.actions if whose == self.actor else ()):
            found[f"{action.code} frequency"] = self.strategy[number]
            found[f"{action.code} ev"] = self.action_ev[number]
        return found

    def tidy_columns(self, player: int | None = None) -> dict[str, Any]:
        """Returns columns of a frame, a row for each hand and action of the actor.

        Money is in the unit of the node, which names its columns: ``ev_bb``. Of a player who does
        not act there is a row for each hand, without action.

        Args:
            player: the actor by default, both players where nobody acts.
        """
        if player is None and self.actor is None:
            both = [self.tidy_columns(one) for one in (0, 1)]
            return {name: np.concatenate([part[name] for part in both]) for name in both[0]}
        whose = (self.actor or 0) if player is None else player
        held, unit = self.held_columns(whose), self.unit.value
        played = worth = np.full((1, len(held)), np.nan)
        codes = labels = [""]
        if whose == self.actor:
            played, worth = self.strategy[:, held], self.action_ev[:, held]
            codes, labels = [a.code for a in self.actions], [a.label for a in self.actions]
        number = len(codes)

        def repeat(texts: list[str]) -> Any:
            return np.repeat(np.array(texts, dtype=object), played.size // len(texts))

        return {
            "node": repeat([self.path]),
            "actor": repeat([self.players[whose]]),
            "action": repeat(codes),
            "label": repeat(labels),
            "hand": np.tile(np.array(self.hand_space.names, dtype=object)[held], number),
            "weight": np.tile(self.weights[whose, held], number),
            "frequency": played.ravel(),
            f"action_ev_{unit}": worth.ravel(),
            f"ev_{unit}": np.tile(self.ev[whose, held], number),
            "equity": np.tile(self.equity[whose, held], number),
            "board": repeat([format_cards(self.board)]),
        }

    def to_dataframe(self, player: int | None = None) -> "DataFrame":
        """Returns `tidy_columns` as a frame of pandas (``pip install "runout[frames]"``).

        >>> frame = runout.open("runs/river").node("x").to_dataframe()  # doctest: +SKIP
        >>> frame[frame.action == "b59"].nlargest(5, "frequency")  # doctest: +SKIP
        """
        from pandas import DataFrame  # an extra: most never need it

        return DataFrame(self.tidy_columns(player))

    def held_columns(self, player: int) -> IntArray:
        """Returns the columns that a player can hold, the highest cards first."""
        columns = np.flatnonzero(self.is_held[player])
        return columns if self.hand_space is HandSpace.HANDS else columns[::-1]

    def __repr__(self) -> str:
        facts = [self.label, f"pot {format_amount(self.pot)} {self.unit.value}"]
        if self.actor is not None:
            shares = zip(self.actions, np.nan_to_num(self.frequency()).tolist(), strict=True)
            facts.append(", ".join(f"{action.label} {share:.1%}" for action, share in shares))
        return f"<Node {self.path or 'root'}: {'; '.join(facts)}>"

    def _repr_html_(self) -> str:
        """Returns the grid of the 169 hands, coloured by what the actor does with them.

        Cells are filled as far as hands arrive; where nobody acts, in one colour.
        """
        whose, labels, rows = self.actor or 0, ["arrives"], np.ones((1, NUM_HANDS))
        if self.actor is not None:
            labels, rows = [action.label for action in self.actions], hand_strategy(self)
        colours = action_colours(self.actions) or [_HTML_COLOURS["arrives"]]
        reach = np.nan_to_num(hand_reach(self, whose)).clip(0.0, 1.0)
        cells = [
            _html_cell(name, row, colours, labels, float(height))
            for name, row, height in zip(HAND_NAMES, np.nan_to_num(rows).T, reach, strict=True)
        ]
        order = np.array(sorted(range(NUM_HANDS), key=grid_position)).reshape(NUM_RANKS, -1)
        table = "".join(f"<tr>{''.join(cells[hand] for hand in row)}</tr>" for row in order)
        keys = "&ensp;".join(
            f'<span style="color:{colour}">&#9632;</span> {label}'
            for colour, label in zip(colours, labels, strict=True)
        )
        head = f"{self.players[whose]}: {repr(self)[1:-1]}"
        style = "border-collapse:collapse;font:11px sans-serif;text-align:center"
        return f'<div>{head}</div><table style="{style}">{table}</table><div>{keys}</div>'

    def deals(self, player: int) -> FloatArray:
        """Returns ``[H]`` the weight of the deals in which a player has each column."""
        held = self.weights[player] * self.hand_space.num_combos
        deals: FloatArray = held * self.met_weights[player]
        return deals


def action_colours(actions: Sequence[NodeAction]) -> list[str]:
    """Returns a colour for each action: folds blue, calls green, bets red, larger ones darker."""
    bets = [action for action in actions if action.kind in AGGRESSIVE_KINDS]
    shades = {action: 65 - 35 * (n + 1) // len(bets) for n, action in enumerate(bets)}
    return [
        f"hsl(0 70% {shades[action]}%)" if action in shades else _HTML_COLOURS[action.kind.name]
        for action in actions
    ]


def _html_cell(
    name: str, row: FloatArray, colours: Sequence[str], labels: Sequence[str], height: float
) -> str:
    """Returns a cell, filled from below as far as its hand arrives, by ``row[A]`` from the left."""
    ends = np.cumsum(row) * 100.0
    stops = [
        f"{colour} {end - 100.0 * share:.1f}% {end:.1f}%"
        for colour, end, share in zip(colours, ends.tolist(), row.tolist(), strict=True)
    ]
    fill = f"linear-gradient(to right,{','.join(stops)})" if row.sum() > 0.0 else "none"
    words = ", ".join(f"{label} {share:.1%}" for label, share in zip(labels, row, strict=True))
    style = f"background:{fill} bottom/100% {100.0 * height:.1f}% no-repeat #8883;padding:4px"
    return f'<td style="{style}" title="{name}: {words}">{name}</td>'


def weight_met(weights: FloatArray) -> FloatArray:
    """Returns ``[.., 1326]`` how much of ``weights[.., 1326]`` shares no card with each combo."""
    by_card = weights[..., COMBOS_BY_CARD].sum(axis=-1)
    low, high = COMBO_CARDS.T
    total = weights.sum(axis=-1, keepdims=True)
    met = total - by_card[..., low] - by_card[..., high] + weights
    return np.where(met > _SMALLEST_SHARE * total, met, 0.0)


def known_mean(values: FloatArray, weights: FloatArray) -> float:
    """Returns the weighted mean of the values that are no NaN; NaN if they have no weight."""
    known = np.where(np.isnan(values), 0.0, weights)
    total = float(known.sum())
    return float((known * np.nan_to_num(values)).sum()) / total if total > 0.0 else float("nan")


# What the grid of the 169 hands can show of a node: values, equities, arrival, by player.


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


def hand_reach(node: Node, player: int) -> FloatArray:
    """Returns ``[169]`` how much of each hand arrives, of the combos that the board leaves.

    NaN for hands that the player cannot hold.
    """
    is_held = node.by_hand(node.is_held[player].astype(np.float64)) > 0.0
    if node.hand_space is HandSpace.HANDS:
        return np.where(is_held, node.weights[player], np.nan)
    live: FloatArray = np.bincount(
        HAND_BY_COMBO[live_combos(node.board)], minlength=NUM_HANDS
    ).astype(np.float64)
    return np.where(is_held, divide(node.by_hand(node.weights[player]), live), np.nan)


def hand_strategy(node: Node) -> FloatArray:
    """Returns ``[A, 169]`` how often the actor's hands take each action, NaN if they never come."""
    return np.array([node.hand_means(row) for row in node.strategy]).reshape(-1, NUM_HANDS)
