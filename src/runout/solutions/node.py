"""What was solved: its quality and its nodes, the same before and after the flop."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from runout.arrays import BoolArray, FloatArray, IntArray, divide, read_only
from runout.cards import deck
from runout.cards.ranges import Range, html_grid
from runout.errors import BundleError, TreeError, quote
from runout.solutions.sheet import write_parquet
from runout.storage.bundle import Manifest
from runout.storage.files import replacing_file
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.betting import Street
from runout.trees.paths import join_path
from runout.trees.tree import POSITION_NAMES, BettingTree

if TYPE_CHECKING:
    from pandas import DataFrame

PREFLOP = "preflop"

_STREETS = (PREFLOP, *(street.label for street in Street))

# How well a solution is solved, in which game that was measured, and where it comes from.

#: Above this share of the pot, or this many thousandths of a big blind, strategies are rough.
NOTABLE_EXPLOITABILITY_POT = 0.01
NOTABLE_EXPLOITABILITY_MBB = 20.0

#: Exploitability by iteration, iterations rising.
Curve = tuple[tuple[int, float], ...]


class ExploitabilityMeaning(StrEnum):
    """What the exploitability of a backend is measured against."""

    OWN_GAME = "own game"
    UPPER_BOUND = "upper bound"
    REAL_GAME = "real game"

    @property
    def explanation(self) -> str:
        """The same in a sentence."""
        return _EXPLANATIONS[self]

    @property
    def is_upper_bound(self) -> bool:
        """Whether it is not measured, but cannot be larger."""
        return self is ExploitabilityMeaning.UPPER_BOUND


_EXPLANATIONS = {
    ExploitabilityMeaning.OWN_GAME: "measured in the backend's own game, without real cards",
    ExploitabilityMeaning.UPPER_BOUND: "an upper bound, in the backend's own game",
    ExploitabilityMeaning.REAL_GAME: "measured in the game with real cards",
}


class ExploitabilityUnit(StrEnum):
    """In what exploitability is counted."""

    POT = "pot"
    MBB = "mbb"


@dataclass(frozen=True)
class Quality:
    """How well a whole solution is solved.

    Attributes:
        exploitability: mean gain of a best response: a fraction of the pot at the root, or
            thousandths of a big blind per hand.
        meaning: in which game that is.
        unit: of the exploitability.
        real_exploitability: the same with real cards, if it was measured apart; see `real`.
        curve: exploitability by iteration, whenever it was measured.
        manifest: of its bundle; None as long as it is not saved.
    """

    exploitability: float
    meaning: ExploitabilityMeaning
    iterations: int
    seconds: float
    unit: ExploitabilityUnit = ExploitabilityUnit.POT
    real_exploitability: float | None = None
    curve: Curve = ()
    manifest: Manifest | None = None

    @property
    def real(self) -> float | None:
        """The exploitability with real cards, if that is known."""
        is_real = self.meaning is ExploitabilityMeaning.REAL_GAME
        return self.exploitability if is_real else self.real_exploitability

    @property
    def is_rough(self) -> bool:
        """Whether a best response gains so much that strategies may still change much.

        With real cards, if that was measured.
        """
        is_of_pot, real = self.unit is ExploitabilityUnit.POT, self.real
        most = NOTABLE_EXPLOITABILITY_POT if is_of_pot else NOTABLE_EXPLOITABILITY_MBB
        return (self.exploitability if real is None else real) > most

    @property
    def is_trusted(self) -> bool:
        """Whether it was measured with real cards that a best response gains little."""
        return self.real is not None and not self.is_rough

    def __str__(self) -> str:
        is_of_pot, real = self.unit is ExploitabilityUnit.POT, self.real
        form = "{:.2%} of the pot" if is_of_pot else "{:.3g} mbb"
        own = f"{form.format(self.exploitability)} ({self.meaning})"
        if self.meaning is not ExploitabilityMeaning.REAL_GAME and real is not None:
            own = f"{form.format(real)} with real cards, {own}"
        return f"{self.iterations} iterations, {own}"

    def to_json(self) -> dict[str, Any]:
        """Returns the same under JSON names."""
        made = self.manifest
        machine = None if made is None else made.machine
        return {
            "exploitability": self.exploitability,
            "unit": self.unit.value,
            "meaning": self.meaning.value,
            "explanation": self.meaning.explanation,
            "real_exploitability": self.real,
            "rough": self.is_rough,
            "trusted": self.is_trusted,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "curve": [list(point) for point in self.curve],
            "config_digest": made and made.config_digest,
            "version": made and made.package_version,
            "date": made and made.created_at.isoformat(timespec="seconds"),
            "processor": machine and machine.processor,
        }


# What a node says.
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
        return deck.HAND_NAMES if self is HandSpace.HANDS else _COMBO_NAMES

    @property
    def num_combos(self) -> IntArray:
        """How many combos each column stands for."""
        return _COMBOS_PER_HAND if self is HandSpace.HANDS else _ONE_COMBO


class Unit(StrEnum):
    """In what money is counted at a node."""

    CHIPS = "chips"
    BIG_BLINDS = "bb"
    POTS = "pots"


_COMBO_NAMES = tuple(map(deck.format_combo, range(deck.NUM_COMBOS)))
_COMBOS_PER_HAND: IntArray = read_only(np.array([len(combos) for combos in deck.COMBOS_BY_HAND]))
_ONE_COMBO: IntArray = read_only(np.ones(deck.NUM_COMBOS, dtype=np.int64))


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
        buckets: ``[2, H]`` where hands share strategies, the bucket of each column that is held, -1
            for others; None where all hands are apart.
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
    buckets: IntArray | None = None

    @property
    def street_name(self) -> str:
        """The street in words."""
        return PREFLOP if self.street is None else self.street.label

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions, cards or flops that can follow, as steps of a path."""
        cards = map(deck.format_card, self.next_cards)
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

    def actions_taken(self) -> list[tuple[TrailStep, NodeAction, float]]:
        """Returns the decisions on the way, each with the action that was taken, and how often."""
        return [
            (step, action, often)
            for step in self.trail
            for action, often in zip(step.actions, step.frequencies, strict=True)
            if action.code == step.taken
        ]

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

    def range_of(self, player: int) -> Range:
        """Returns what a player arrives with, each combo by its weight."""
        weights = self.weights[player].clip(0.0, 1.0)
        is_preflop = self.hand_space is HandSpace.HANDS
        return Range(weights[deck.HAND_BY_COMBO] if is_preflop else weights)

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
        return np.bincount(deck.HAND_BY_COMBO, values, deck.NUM_HANDS).astype(np.float64)

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
            "board": repeat([deck.format_cards(self.board)]),
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
        whose, labels, rows = self.actor or 0, ["arrives"], np.ones((1, deck.NUM_HANDS))
        if self.actor is not None:
            labels, rows = [action.label for action in self.actions], hand_strategy(self)
        colours = action_colours(self.actions) or [_HTML_COLOURS["arrives"]]
        reach = np.nan_to_num(hand_reach(self, whose)).clip(0.0, 1.0)
        remarks, backgrounds = [], []
        for row, height in zip(np.nan_to_num(rows).T, reach.tolist(), strict=True):
            shares = zip(labels, row, strict=True)
            remarks.append(", ".join(f"{label} {share:.1%}" for label, share in shares))
            backgrounds.append(_html_background(row, colours, height))
        keys = "&ensp;".join(
            f'<span style="color:{colour}">&#9632;</span> {label}'
            for colour, label in zip(colours, labels, strict=True)
        )
        caption = f"{self.players[whose]}: {repr(self)[1:-1]}<br>{keys}"
        return html_grid(caption, remarks, backgrounds)

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


def _html_background(row: FloatArray, colours: Sequence[str], height: float) -> str:
    """Returns the fill of a cell, by ``row[A]`` from the left, as high as its hand arrives."""
    ends = np.cumsum(row) * 100.0
    stops = [
        f"{colour} {end - 100.0 * share:.1f}% {end:.1f}%"
        for colour, end, share in zip(colours, ends.tolist(), row.tolist(), strict=True)
    ]
    fill = f"linear-gradient(to right,{','.join(stops)})" if row.sum() > 0.0 else "none"
    return f"{fill} bottom/100% {100.0 * height:.1f}% no-repeat #8883"


def weight_met(weights: FloatArray) -> FloatArray:
    """Returns ``[.., 1326]`` how much of ``weights[.., 1326]`` shares no card with each combo."""
    by_card = weights[..., deck.COMBOS_BY_CARD].sum(axis=-1)
    low, high = deck.COMBO_CARDS.T
    total = weights.sum(axis=-1, keepdims=True)
    met = total - by_card[..., low] - by_card[..., high] + weights
    return np.where(met > _SMALLEST_SHARE * total, met, 0.0)


def known_mean(values: FloatArray, weights: FloatArray) -> float:
    """Returns the weighted mean of the values that are no NaN; NaN if they have no weight."""
    known = np.where(np.isnan(values), 0.0, weights)
    total = float(known.sum())
    return float((known * np.nan_to_num(values)).sum()) / total if total > 0.0 else float("nan")


# What the grid of the 169 hands shows of a node: arrival and strategy.


def hand_reach(node: Node, player: int) -> FloatArray:
    """Returns ``[169]`` how much of each hand arrives, of the combos that the board leaves.

    NaN for hands that the player cannot hold.
    """
    is_held = node.by_hand(node.is_held[player].astype(np.float64)) > 0.0
    if node.hand_space is HandSpace.HANDS:
        return np.where(is_held, node.weights[player], np.nan)
    live: FloatArray = np.bincount(
        deck.HAND_BY_COMBO[deck.live_combos(node.board)], minlength=deck.NUM_HANDS
    ).astype(np.float64)
    return np.where(is_held, divide(node.by_hand(node.weights[player]), live), np.nan)


def hand_strategy(node: Node) -> FloatArray:
    """Returns ``[A, 169]`` how often the actor's hands take each action, NaN if they never come."""
    return np.array([node.hand_means(row) for row in node.strategy]).reshape(-1, deck.NUM_HANDS)


# What was solved.


class Solution:
    """What was solved: a spot, a preflop run, a report or values of flops; see `runout.open`.

    Attributes:
        kind: what it is: ``spot``, ``preflop``, ``report``, ``values`` or ``buckets``.
        title: what was solved, in a few words.
        quality: how well it is solved, if that is known.
        config_text: the config as it was given; empty for what was not saved.
        note: where it comes from; empty for nothing to note.
    """

    kind: ClassVar[str]
    title: str
    quality: Quality | None
    config_text: str
    note: str = ""

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root.

        See `runout.trees.paths` for the syntax, such as ``x:b59:c:8h``.
        """
        raise BundleError(self.title, "has no nodes")

    @property
    def history(self) -> Curve:
        """Exploitability by iteration, wherever it was measured, in the unit of the `quality`."""
        return () if self.quality is None else self.quality.curve

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that are alike.

        Cards are alike if they differ by suits only, and no range tells these suits apart.
        """
        return tuple((card,) for card in self.node(path).next_cards)

    def nodes(
        self, path: str = "", depth: int | None = None, street: str | None = None
    ) -> Iterator[Node]:
        """Yields a node and all that follow, one at a time, each before what follows it.

        >>> [node.path for node in solution.nodes(depth=1)]  # doctest: +SKIP
        ['', 'x', 'b59']

        Args:
            path: of the first node.
            depth: at most so many actions and deals below it; None for all.
            street: only nodes of this one: ``preflop``, ``flop``, ``turn`` or ``river``.
        """
        return self._nodes(path, depth, street)

    def _nodes(
        self, path: str, depth: int | None, street: str | None, *, has_ends: bool = True
    ) -> Iterator[Node]:
        if depth is not None and depth < 0:
            raise TreeError("depth", f"{depth} is not 0 or a positive number of steps")
        if street not in (None, *_STREETS):
            raise TreeError("street", f"{quote(street)} is none of {', '.join(_STREETS)}")
        last = len(_STREETS) if street is None else _STREETS.index(street)
        (look, is_end), waiting = self.looking(), [(path, 0)]
        while waiting:
            place, number = waiting.pop()
            if not has_ends and is_end(place):
                continue
            node = look(place)
            if street in (None, node.street_name):
                yield node
            is_last = node.actor is None and _STREETS.index(node.street_name) >= last
            if not is_last and number != depth:
                steps = node.steps
                waiting += [(node.path_after(step), number + 1) for step in reversed(steps)]

    def looking(self) -> tuple[Callable[[str], Node], Callable[[str], bool]]:
        """Returns `node` for many nodes in turn, and whether the hand is known to end at a path."""
        return self.node, lambda path: False

    def to_dataframe(
        self, path: str = "", depth: int | None = None, street: str | None = None
    ) -> "DataFrame":
        """Returns a frame with a row for each decision, hand and action; see `Node.tidy_columns`.

        Nodes are chosen as by `nodes`; of a large solution `to_parquet` takes less memory.
        """
        from pandas import DataFrame

        parts = list(self._tidy(path, depth, street))
        names = parts[0] if parts else {}
        return DataFrame({name: np.concatenate([each[name] for each in parts]) for name in names})

    def to_parquet(
        self, file: Path | str, path: str = "", depth: int | None = None, street: str | None = None
    ) -> int:
        """Writes the same as `to_dataframe`, node by node, and returns the number of rows.

        Needs pyarrow (``pip install "runout[reports]"``).
        """
        with replacing_file(Path(file)) as part:
            return write_parquet(part, self._tidy(path, depth, street))

    def _tidy(self, *chosen: Any) -> Iterator[dict[str, Any]]:
        nodes = self._nodes(*chosen, has_ends=False)
        return (node.tidy_columns() for node in nodes if node.actor is not None)

    def __repr__(self) -> str:
        known = "" if self.quality is None else f": {self.quality}"
        return f"<{type(self).__name__} {self.title}{known}>"

    def _repr_html_(self) -> str | None:
        """Returns the grid of the root; None for reports and values, which have none."""
        return None if type(self).node is Solution.node else self.node()._repr_html_()
