"""A saved solution of a spot: any node of it in milliseconds, without a solver."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from runout.arrays import AnyArray, BoolArray, FloatArray, IntArray, divide, read_only
from runout.cards.deck import (
    COMBO_CARDS,
    NUM_CARDS,
    NUM_COMBOS,
    RIVER_SIZE,
    format_card,
    format_cards,
    live_combos,
    parse_card,
    permute_combos,
)
from runout.cards.flops import SuitMapping
from runout.cards.hand_ranking import score_board
from runout.config.spot import SpotConfig
from runout.errors import BundleError, CardError
from runout.holdem.cards import (
    CardsToCome,
    Rake,
    Runout,
    Spot,
    find_runout,
    make_layouts,
)
from runout.solutions.node import (
    HandSpace,
    Node,
    NodeAction,
    NodeKind,
    Quality,
    TrailStep,
    Unit,
    actions_of,
    known_mean,
    weight_met,
)
from runout.solutions.solution import Solution
from runout.solutions.stored import StoredTables
from runout.trees.actions import format_amount
from runout.trees.betting import Street
from runout.trees.paths import PathSteps, join_path, read_path
from runout.trees.tree import NOT_A_LEAF, POSITION_NAMES, SHOWDOWN, PostflopTree

_PLAYERS = (0, 1)

# Places in a spot, as ``b100:c:8h:x``: what was done and which cards were dealt.
#
# A step is an action where somebody acts and a card where one is dealt; `runout.trees.paths` has
# the grammar.


@dataclass(frozen=True)
class SpotPosition:
    """A place in a spot.

    Attributes:
        spot: what is played.
        steps: the actions and cards that lead here.
        node: the node of the betting tree; where a card is dealt, the node after it.
        dealt: the cards that were dealt on the way.
    """

    spot: Spot
    steps: tuple[str, ...] = ()
    node: int = 0
    dealt: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        """The steps as text, empty at the root."""
        return join_path(*self.steps)

    @property
    def place(self) -> str:
        """The path as errors name it."""
        return f"after {self.path}" if self.steps else "at the root"

    @property
    def label(self) -> str:
        """Who acts, what is dealt, or how the hand ends."""
        if self.actor is not None:
            return POSITION_NAMES[self.actor]
        is_over = self.kind != NodeKind.CHANCE
        return self.kind.value if is_over else Street(self.street + 1).label

    @property
    def board(self) -> tuple[int, ...]:
        """All cards on the table."""
        return self.spot.board + self.dealt

    @property
    def street(self) -> Street:
        """The street that the board is on."""
        return Street(self.spot.tree.first_street + len(self.dealt))

    @property
    def kind(self) -> NodeKind:
        """What happens here."""
        tree, leaf = self.spot.tree, int(self.spot.tree.leaf_kind[self.node])
        if leaf == NOT_A_LEAF:
            is_decision = tree.street[self.node] == self.street
            return NodeKind.DECISION if is_decision else NodeKind.CHANCE
        if leaf == SHOWDOWN:  # a called all-in before the river is dealt out first
            return NodeKind.SHOWDOWN if self.street == Street.RIVER else NodeKind.CHANCE
        return NodeKind.FOLD

    @property
    def actor(self) -> int | None:
        """Who acts here, None if nobody does."""
        return int(self.spot.tree.layout.actor[self.node]) if self.children else None

    @property
    def children(self) -> range:
        """The nodes that the actions lead to, none if nobody acts."""
        is_decision = self.kind == NodeKind.DECISION
        return self.spot.tree.layout.children(self.node) if is_decision else range(0)

    def actions(self) -> tuple[NodeAction, ...]:
        """Returns what can be done here."""
        return actions_of(self.spot.tree, self.children)

    def next_cards(self) -> tuple[int, ...]:
        """Returns the cards that can be dealt here, none where none is."""
        deck = self.spot.deck if self.kind == NodeKind.CHANCE else ()
        return tuple(card for card in deck if card not in self.board)


def find_position(spot: Spot, path: str) -> SpotPosition:
    """Returns the place that a path leads to; the empty path leads to the root.

    Raises:
        TreeError: naming the first step that is no action, and the actions there are.
        CardError: naming the first step that is no card, or a card that cannot come.
    """
    position, given = SpotPosition(spot), read_path(path)
    for number, step in enumerate(given.steps):
        if position.kind == NodeKind.CHANCE:
            position = _deal(position, step, given.where(number))
        else:
            position = _act(position, given, number)
    return position


def _deal(position: SpotPosition, step: str, where: str) -> SpotPosition:
    street = Street(position.street + 1).label
    try:
        card = parse_card(step)
    except CardError as error:
        problem = f"{error}; the {street} is dealt {position.place}"
        raise CardError(where, problem) from None
    if card in position.board:
        board = format_cards(position.board)
        problem = f"{format_card(card)} is on the board {board} already, deal another card"
        raise CardError(where, problem)
    if card not in position.spot.deck:
        deck = format_cards(position.spot.deck)
        raise CardError(where, f"{format_card(card)} is not in the deck, deal one of {deck}")
    steps, dealt = (*position.steps, format_card(card)), (*position.dealt, card)
    return SpotPosition(position.spot, steps, position.node, dealt)


def _act(position: SpotPosition, given: PathSteps, number: int) -> SpotPosition:
    tree = position.spot.tree
    found = given.follow(tree, position.node, number)
    steps = (*position.steps, tree.action_code(found))
    return SpotPosition(position.spot, steps, found, position.dealt)


# The way to a node of a spot: which hands arrive, and what was done instead by others.


def walk_to(
    position: SpotPosition, weights: FloatArray, strategy_at: Callable[[int], FloatArray]
) -> tuple[tuple[TrailStep, ...], float]:
    """Follows a path from the root on, on the board of its end.

    Args:
        position: the end of the path.
        weights: ``[2, 1326]`` both ranges, 0 for combos that the board blocks; then what arrives.
        strategy_at: returns ``[A, 1326]`` what is done at a decision, by tree node.

    Returns:
        The decisions and cards on the way, and the share of the deals that are played to its end.
    """
    tree, trail = position.spot.tree, []
    deals = _count_deals(weights)
    here = SpotPosition(position.spot)
    for step in position.steps:
        if here.actor is None:  # a card
            trail.append(TrailStep(here.path, here.label, None, (), (), step))
            dealt = position.dealt[: len(here.dealt) + 1]
            here = replace(here, steps=(*here.steps, step), dealt=dealt)
            continue
        played = strategy_at(here.node)
        held = weights[here.actor] * weight_met(weights[1 - here.actor])
        frequencies = tuple(known_mean(row, held) for row in played)
        actions = here.actions()
        trail.append(TrailStep(here.path, here.label, here.actor, actions, frequencies, step))
        child = next(child for child in here.children if tree.action_code(child) == step)
        weights[here.actor] *= played[child - here.children.start]
        here = replace(here, steps=(*here.steps, step), node=child)
    return tuple(trail), _count_deals(weights) / deals if deals > 0.0 else math.nan


def _count_deals(weights: FloatArray) -> float:
    return float((weights[0] * weight_met(weights[1])).sum())


# Who wins at a showdown against a range, in numpy: for looking, without a kernel.
#
# A hand's margin against a range is the weight that it beats minus the weight that beats it. A
# range is summed up by strength, once for all hands and once for those that hold each card; what a
# hand beats is then a difference of running sums, less what shares a card with it.


#: ``[3, 1326]`` to which sums a combo belongs: those of its cards, and that of all combos.
_SUMS: IntArray = read_only(
    np.stack([*COMBO_CARDS.T.astype(np.int64), np.full(NUM_COMBOS, NUM_CARDS)])
)


@dataclass(frozen=True, eq=False)
class Showdowns:
    """All combos on a river board, by strength.

    Attributes:
        rank: ``[1326]`` how strong a combo is, of the different strengths that there are; 0 for
            those that the board blocks.
        is_live: ``[1326]`` 1 for combos that the board leaves possible, 0 for others.
    """

    rank: IntArray
    is_live: FloatArray

    @classmethod
    def on(cls, board: Sequence[int]) -> "Showdowns":
        """Ranks all combos on a board of five cards."""
        score = score_board(board)
        _, rank = np.unique(score, return_inverse=True)
        return cls(rank, (score > 0).astype(np.float64))

    def margins(self, weights: FloatArray) -> FloatArray:
        """Returns ``[R, 1326]`` the margins of all combos against ranges ``weights[R, 1326]``.

        They are 0 for combos that the board blocks; blocked combos of a range do not count.
        """
        num_ranks = int(self.rank.max()) + 1
        place = _SUMS * num_ranks + self.rank
        size = (NUM_CARDS + 1) * num_ranks
        total: FloatArray = np.zeros(weights.shape)
        for out, live in zip(total, weights * self.is_live, strict=True):
            by_rank = np.bincount(place.ravel(), np.tile(live, len(_SUMS)), size)
            upto = np.cumsum(by_rank.reshape(-1, num_ranks), axis=1)
            # What a rank is ahead of, less what is ahead of it: ties are in neither.
            ahead = 2.0 * upto - by_rank.reshape(-1, num_ranks) - upto[:, -1:]
            low, high, everyone = ahead.ravel()[place]
            out[:] = (everyone - low - high) * self.is_live
        return total


def runout_margins(showdowns: Sequence[Showdowns], weights: FloatArray) -> FloatArray:
    """Returns ``[R, 1326]`` margins against ranges ``weights[R, 1326]``, summed over rivers."""
    total = np.zeros(weights.shape)
    for board in showdowns:
        total += board.margins(weights)
    return total


# What hands win on one street, in numpy: reach flows down, leaves are valued, values flow up.
#
# On a river everything is known: folds, and showdowns by strength. On a street before it, what
# comes after the next card is given.


@dataclass(frozen=True, eq=False)
class StreetPlay:
    """The betting of a street on one board, and what both players do there.

    Attributes:
        tree: the betting.
        rake: what the house takes.
        street: which one.
        strategy_at: returns ``[A, 1326]`` what is done at a decision, by tree node.
        ev_after: returns ``[1326]`` what a hand of a player gets from the next card on, by tree
            node and player: chips back minus chips put in, NaN where it meets nobody.
        showdowns: on a river, who wins.
    """

    tree: PostflopTree
    rake: Rake
    street: Street
    strategy_at: Callable[[int], FloatArray]
    ev_after: Callable[[int, int], FloatArray]
    showdowns: Showdowns | None

    def values(self, node: int, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node, and ``[A, 1326]`` those of the actor's actions.

        Args:
            node: of the tree, on the street.
            weights: ``[2, 1326]`` what both players arrive with.
        """
        reach, played = self._flow_down(node, weights)
        won = self._value_leaves([place for place in reach if place not in played], reach)
        for place in reversed(played):
            mover, after = int(self.tree.layout.actor[place]), self._children(place)
            of_actions = np.stack([won[child] for child in after])
            won[place] = of_actions.sum(axis=0)
            won[place][mover] = (played[place] * of_actions[:, mover]).sum(axis=0)
        children = self._children(node)
        actor = int(self.tree.layout.actor[node])
        evs = np.stack([self._ev(node, player, won[node], weights) for player in _PLAYERS])
        action_evs = [self._ev(node, actor, won[child], weights) for child in children]
        return evs, np.stack(action_evs) if action_evs else np.zeros((0, NUM_COMBOS))

    def _children(self, node: int) -> range:
        """Returns what actions lead to on this street."""
        is_decision = self.tree.leaf_kind[node] == NOT_A_LEAF
        is_here = is_decision and self.tree.street[node] == self.street
        return self.tree.layout.children(node) if is_here else range(0)

    def _flow_down(
        self, node: int, weights: FloatArray
    ) -> tuple[dict[int, FloatArray], dict[int, FloatArray]]:
        """Returns what both players arrive with at a node and below, and do at decisions there."""
        reach, played, queue = {node: weights}, {}, [node]
        for place in queue:
            children = self._children(place)
            if not children:
                continue
            actor = int(self.tree.layout.actor[place])
            played[place] = self.strategy_at(place)
            for child, row in zip(children, played[place], strict=True):
                arriving = reach[place].copy()
                arriving[actor] *= row
                reach[child] = arriving
            queue.extend(children)
        return reach, played

    def _value_leaves(
        self, leaves: list[int], reach: dict[int, FloatArray]
    ) -> dict[int, FloatArray]:
        """Returns ``[2, 1326]`` what hands win where the betting of the street ends.

        What is won is counted as in `PostflopTree`, each player's half of the first pot included,
        and times the opponent's weight that a hand meets.
        """
        arriving = np.stack([reach[place] for place in leaves])
        met = np.stack([weight_met(arriving[:, 1 - player]) for player in _PLAYERS], axis=1)
        won = np.zeros_like(arriving)
        if self.showdowns is not None:
            for player in _PLAYERS:
                won[:, player] = self.showdowns.margins(arriving[:, 1 - player])
        return {
            place: self._value_leaf(place, met[number], won[number])
            for number, place in enumerate(leaves)
        }

    def _value_leaf(self, leaf: int, met: FloatArray, margins: FloatArray) -> FloatArray:
        kind, stake = int(self.tree.leaf_kind[leaf]), float(self.tree.leaf_stake[leaf])
        if kind == SHOWDOWN and self.showdowns is not None:
            half_rake = self.rake.half_at_showdown(stake)
            return (stake - half_rake) * margins - half_rake * met
        if kind in _PLAYERS:  # a fold
            gains = np.full((2, 1), self.rake.won_by_fold(stake))
            gains[kind] = -stake
            return gains * met
        values = [self.ev_after(leaf, player) - self._sunk(leaf, player) for player in _PLAYERS]
        return np.nan_to_num(np.stack(values)) * met

    def _sunk(self, node: int, player: int) -> float:
        """Returns what a player has in the pot."""
        return self.tree.stakes.pot / 2.0 + float(self.tree.invested[node, player])

    def _ev(self, node: int, player: int, won: FloatArray, weights: FloatArray) -> FloatArray:
        met = weight_met(weights[1 - player])
        return divide(won[player], met) + self._sunk(node, player)


# A solution of a spot, stored or as a solver knows it now: any node of it, without a solver.
#
# What is known: average strategies of all streets, and for every line that ends a street before the
# river what both players' hands get from the next card on. So a node takes one walk of its street:
# the value of a river takes nothing but its strategies, and that of a flop would take every runout.
#
# Cards that differ by suits only are solved once: what is asked about the others is answered with
# the suits renamed.


_CARDS_IN_HANDS = 4

#: Boards whose orders of strength are kept: those of a turn have 48 rivers.
_KEPT_BOARDS = 8


class StoredSpot(Solution):
    """A solution of a spot."""

    kind = "spot"

    def __init__(
        self,
        spot: Spot,
        cards: CardsToCome,
        tables: StoredTables,
        quality: Quality | None,
        config: SpotConfig | None = None,
        unit: Unit = Unit.CHIPS,
        suits: SuitMapping | None = None,
    ) -> None:
        """Opens a solution.

        Args:
            spot: what was solved.
            cards: its hands and boards.
            tables: strategies and values.
            quality: how well it was solved, if that is known.
            config: what was asked for, if it was solved by itself.
            unit: of the spot's money.
            suits: the renaming that leads from the suits of the spot to those of the cards.
        """
        self.spot = spot
        self.cards = cards
        self.tables = tables
        self.quality = quality
        self.config, self.config_text = config, ""
        self.note = config.origin.describe() if config and config.origin else ""
        self.unit = unit
        pot, stack = map(format_amount, (spot.tree.stakes.pot, spot.tree.stakes.stack))
        self.title = f"{format_cards(spot.board)}, pot {pot}, stack {stack}"
        self._suits = suits or SuitMapping.identity()
        self.layouts = make_layouts(spot.tree)
        #: By street: rows of OOP's and IP's actions, by the node that they lead to, and of values.
        self._row_of = [
            [{node: row for row, node in enumerate(nodes)} for nodes in (*rows, layout.next_roots)]
            for layout in self.layouts
            for rows in [[nodes.tolist() for nodes in layout.action_node]]
        ]
        # Several threads may look at once.
        self._ranked = lru_cache(_KEPT_BOARDS)(self._rank)

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        position = find_position(self.spot, path)
        runout = self._find_runout(position.dealt)
        tree, actor = self.spot.tree, position.actor
        is_held = np.stack([self._held(player, runout) for player in _PLAYERS])
        weights = np.stack([self._spread(p.weights, i) for i, p in enumerate(self.cards.players)])
        weights[~is_held] = 0.0
        trail, reach = walk_to(position, weights, lambda node: self._strategy(node, runout))
        met_weights = weight_met(weights[::-1])
        ev, action_ev = self._values(position, runout, weights)
        ev = np.where(is_held, ev, np.nan)
        strategy = np.zeros((0, NUM_COMBOS))
        if actor is not None:
            strategy = np.where(is_held[actor], self._strategy(position.node, runout), np.nan)
            action_ev = np.where(is_held[actor], action_ev, np.nan)
        equity = np.where(is_held, self._equity(runout, weights, met_weights), np.nan)
        stack, (oop, ip) = tree.stakes.stack, tree.invested[position.node].tolist()
        # Everything so far is in the suits of the tables.
        image = permute_combos(runout.mapping.new_suits)
        return Node(
            path=position.path,
            label=position.label,
            kind=position.kind,
            street=position.street,
            board=position.board,
            unit=self.unit,
            pot=tree.pot(position.node),
            stacks=(stack - oop, stack - ip),
            invested=(oop, ip),
            players=POSITION_NAMES,
            actor=actor,
            actions=position.actions(),
            next_cards=position.next_cards(),
            hand_space=HandSpace.COMBOS,
            is_held=is_held[:, image],
            weights=weights[:, image],
            met_weights=met_weights[:, image],
            strategy=strategy[:, image],
            ev=ev[:, image],
            action_ev=action_ev[:, image],
            equity=equity[:, image],
            is_locked=actor is not None and self._is_locked(position, runout, actor),
            reach=reach,
            trail=trail,
        )

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that share their tables."""
        position = find_position(self.spot, path)
        alike: dict[int, list[int]] = {}
        for card in position.next_cards():
            board = self._find_runout((*position.dealt, card)).board
            alike.setdefault(board, []).append(card)
        return tuple(map(tuple, alike.values()))

    def _find_runout(self, dealt: tuple[int, ...]) -> Runout:
        runout = find_runout(self.cards, self._suits.map_cards(dealt))
        return runout._replace(mapping=self._suits.then(runout.mapping))

    def _held(self, player: int, runout: Runout) -> BoolArray:
        """Returns ``[1326]`` the combos that a player can hold."""
        held: BoolArray = np.zeros(NUM_COMBOS, dtype=bool)
        hands = self.cards.players[player]
        combos = hands.combos[hands.weights > 0.0]
        held[combos[np.isin(combos, live_combos(runout.dealt))]] = True
        return held

    def _spread(self, rows: AnyArray, player: int, beyond: float = 0.0) -> FloatArray:
        """Returns ``[.., 1326]`` numbers of a player's hands, another one for other combos."""
        combos = self.cards.players[player].combos
        spread = np.full((*rows.shape[:-1], NUM_COMBOS), beyond)
        spread[..., combos] = rows[..., : len(combos)]
        return spread

    def _strategy(self, node: int, runout: Runout) -> FloatArray:
        """Returns ``[A, 1326]`` what is done at a decision along a runout, 0 beyond the range."""
        tree = self.spot.tree
        street, player = Street(tree.street[node]), int(tree.layout.actor[node])
        depth, children = street - tree.first_street, tree.layout.children(node)
        if depth >= len(self.tables.strategy):
            problem = (
                f"strategies of the {street.label} were not kept, solve with keep_rivers: true"
            )
            raise BundleError(f"board {format_cards(self.spot.board)}", problem)
        board = runout.numbers[depth - 1] if depth > 0 else 0
        first = self._row_of[depth][player][children.start]
        played = self.tables.strategy[depth][player][board, slice(first, first + len(children))]
        return self._spread(played, player)

    def _values(
        self, position: SpotPosition, runout: Runout, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node and ``[A, 1326]`` of the actor's actions.

        Args:
            position: the node.
            runout: where its cards are.
            weights: ``[2, 1326]`` what arrives there.
        """
        is_river = position.street == Street.RIVER
        play = StreetPlay(
            tree=self.spot.tree,
            rake=self.spot.rake,
            street=position.street,
            strategy_at=lambda node: self._strategy(node, runout),
            ev_after=lambda node, player: self._ev_after(node, player, runout),
            showdowns=self._ranked(self.cards.board + runout.dealt)[0] if is_river else None,
        )
        return play.values(position.node, weights)

    def _ev_after(self, node: int, player: int, runout: Runout) -> FloatArray:
        """Returns ``[1326]`` what hands get from the next card on, NaN where they meet nobody."""
        depth = len(runout.dealt)
        kept = self.tables.values[depth][player][runout.board, self._row_of[depth][2][node]]
        return self._spread(kept, player, beyond=np.nan)

    def _equity(self, runout: Runout, weights: FloatArray, met: FloatArray) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""
        board = self.cards.board + runout.dealt
        if self.tables.equity is not None and not runout.dealt:
            return self._first_equity(weights, met)
        ranked = self._ranked(board)
        num_runouts = NUM_CARDS - len(board) - _CARDS_IN_HANDS if len(ranked) > 1 else 1
        margins = runout_margins(ranked, weights[::-1])  # each against the other's range
        return (1.0 + divide(margins, num_runouts * met)) / 2.0

    def _first_equity(self, weights: FloatArray, met: FloatArray) -> FloatArray:
        oop, ip = (player.combos for player in self.cards.players)
        won = np.zeros((2, NUM_COMBOS))
        won[0, oop] = (self._shares * weights[1, ip]).sum(axis=1)
        # What the opponent of a combo does not win, the combo wins.
        won[1, ip] = met[1, ip] - (weights[0, oop, None] * self._shares).sum(axis=0)
        return divide(won, met)

    @cached_property
    def _shares(self) -> FloatArray:
        assert self.tables.equity is not None
        return self.tables.equity()

    def _rank(self, board: tuple[int, ...]) -> list[Showdowns]:
        """Returns the combos by strength on a river, or on all rivers of a turn."""
        rivers = [board]
        if len(board) < RIVER_SIZE:
            rivers = [(*board, card) for card in self.spot.deck if card not in board]
        return [Showdowns.on(river) for river in rivers]

    def _is_locked(self, position: SpotPosition, runout: Runout, actor: int) -> bool:
        """Returns whether hands were told what to do at a decision."""
        depth = len(position.dealt)
        row = self._row_of[depth][actor][position.children.start]
        locked = self.tables.locked
        return locked is not None and bool(locked[depth][actor][runout.board, row])
