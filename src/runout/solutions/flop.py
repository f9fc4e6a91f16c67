"""A saved solution of a spot: any node of it in milliseconds, without a solver."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from runout.arrays import AnyArray, BoolArray, FloatArray, IntArray, divide, read_only
from runout.cards import deck
from runout.cards.flops import SuitMapping
from runout.cards.hand_ranking import score_board
from runout.config.spot import SpotConfig
from runout.errors import BundleError, CardError
from runout.holdem.cards import CardsToCome, Runout, Spot, find_runout, make_layouts
from runout.solutions.node import (
    HandSpace,
    Node,
    NodeAction,
    NodeKind,
    Quality,
    Solution,
    TrailStep,
    Unit,
    actions_of,
    known_mean,
    weight_met,
)
from runout.trees.actions import format_amount
from runout.trees.betting import Street
from runout.trees.paths import join_path, read_path
from runout.trees.tree import NOT_A_LEAF, POSITION_NAMES, SHOWDOWN

_PLAYERS = (0, 1)

# Places in a spot, as ``b100:c:8h:x``: what was done and which cards were dealt.
#
# A step is an action where somebody acts and a card where one is dealt; `runout.trees.paths` has
# the grammar.


class SpotPosition:
    """A place in a spot.

    Attributes:
        spot: what is played.
        steps: the actions and cards that lead here, and ``path`` the same as text.
        node: the node of the betting tree; where a card is dealt, the node after it.
        dealt: the cards that were dealt on the way.
        before: the place one step before, None at the root.
        board: all cards on the table.
        street: the street that the board is on.
        kind: what happens here.
        children: the nodes that the actions lead to, none if nobody acts.
        actor: who acts here, None if nobody does.
        label: who acts, what is dealt, or how the hand ends.
    """

    def __init__(
        self,
        spot: Spot,
        steps: tuple[str, ...] = (),
        node: int = 0,
        dealt: tuple[int, ...] = (),
        before: "SpotPosition | None" = None,
    ) -> None:
        self.spot, self.steps, self.node, self.dealt = spot, steps, node, dealt
        self.before, self.path, self.board = before, join_path(*steps), spot.board + dealt
        tree, leaf = spot.tree, int(spot.tree.leaf_kind[node])
        self.street = Street(tree.first_street + len(dealt))
        is_over = leaf not in (NOT_A_LEAF, SHOWDOWN)
        self.kind = NodeKind.FOLD if is_over else NodeKind.CHANCE
        if leaf == NOT_A_LEAF and tree.street[node] == self.street:
            self.kind = NodeKind.DECISION
        elif leaf == SHOWDOWN and self.street == Street.RIVER:
            self.kind = NodeKind.SHOWDOWN  # a called all-in before the river is dealt out first
        is_decision = self.kind == NodeKind.DECISION
        self.children = tree.layout.children(node) if is_decision else range(0)
        self.actor = int(tree.layout.actor[node]) if is_decision else None
        self.label = self.kind.value if self.actor is None else POSITION_NAMES[self.actor]
        if self.kind == NodeKind.CHANCE:
            self.label = Street(self.street + 1).label

    @property
    def place(self) -> str:
        """The path as errors name it."""
        return f"after {self.path}" if self.steps else "at the root"

    def actions(self) -> tuple[NodeAction, ...]:
        """Returns what can be done here."""
        return actions_of(self.spot.tree, self.children)

    def next_cards(self) -> tuple[int, ...]:
        """Returns the cards that can be dealt here, none where none is."""
        left = self.spot.deck if self.kind == NodeKind.CHANCE else ()
        return tuple(card for card in left if card not in self.board)


def find_position(spot: Spot, path: str, known: dict[Any, Any] | None = None) -> SpotPosition:
    """Returns the place that a path leads to; the empty path leads to the root.

    Places on the way are looked up in ``known`` and added to it.

    Raises:
        TreeError: naming the first step that is no action, and the actions there are.
        CardError: naming the first step that is no card, or a card that cannot come.
    """
    known = {} if known is None else known
    before, _, last = path.rpartition(":")
    here, given = known.get(before), read_path(last)
    if here is None or not last:
        here, given = SpotPosition(spot), read_path(path)
    known[here.path] = here
    for number, step in enumerate(given.steps):
        node, dealt = here.node, here.dealt
        if here.kind == NodeKind.CHANCE:
            card = _read_card(here, step, given.where(number))
            code, dealt = deck.format_card(card), (*dealt, card)
        else:
            node = given.follow(spot.tree, node, number)
            code = spot.tree.action_code(node)
        here = SpotPosition(spot, (*here.steps, code), node, dealt, here)
        known[here.path] = here
    return here


def _read_card(position: SpotPosition, step: str, where: str) -> int:
    """Returns the card that a step deals, if it can come."""
    try:
        card = deck.parse_card(step)
    except CardError as error:
        street = Street(position.street + 1).label
        raise CardError(where, f"{error}; the {street} is dealt {position.place}") from None
    if card in position.board:
        board = deck.format_cards(position.board)
        problem = f"{deck.format_card(card)} is on the board {board} already, deal another card"
        raise CardError(where, problem)
    return card


def walk_to(
    position: SpotPosition,
    walks: dict[tuple[str, ...], tuple[FloatArray, tuple[TrailStep, ...]]],
    strategy_at: Callable[[int], FloatArray],
) -> tuple[FloatArray, tuple[TrailStep, ...]]:
    """Follows a path from the root on, on the board of its end.

    Args:
        position: the end of the path.
        walks: what was found at other places, to which it adds; at the root both ranges, 0 for
            combos that the board blocks.
        strategy_at: returns ``[A, 1326]`` what is done at a decision, by tree node.

    Returns:
        ``[2, 1326]`` what arrives, and the decisions and cards on the way.
    """
    before = position.before
    if before is None or position.steps in walks:
        return walks[position.steps]
    weights, trail = walk_to(before, walks, strategy_at)
    actor, frequencies = before.actor, []
    if actor is not None:
        played = strategy_at(before.node)
        held = weights[actor] * weight_met(weights[1 - actor])
        frequencies = [known_mean(row, held) for row in played]
        weights = weights.copy()
        weights[actor] *= played[position.node - before.children.start]
    options = before.actions(), tuple(frequencies)
    step = TrailStep(before.path, before.label, actor, *options, position.steps[-1])
    walks[position.steps] = weights, (*trail, step)
    return walks[position.steps]


# Who wins at a showdown against a range, in numpy: for looking, without a kernel.
#
# A hand's margin against a range is the weight that it beats minus the weight that beats it. A
# range is summed up by strength, once for all hands and once for those that hold each card; what a
# hand beats is then a difference of running sums, less what shares a card with it.

#: ``[3, 1326]`` to which sums a combo belongs: those of its cards, and that of all combos.
_SUMS: IntArray = read_only(
    np.stack([*deck.COMBO_CARDS.T.astype(np.int64), np.full(deck.NUM_COMBOS, deck.NUM_CARDS)])
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
        """Returns ``[.., 1326]`` the margins of all combos against ranges ``weights[.., 1326]``.

        They are 0 for combos that the board blocks; blocked combos of a range do not count.
        """
        num_ranks = int(self.rank.max()) + 1
        place = _SUMS * num_ranks + self.rank
        size = (deck.NUM_CARDS + 1) * num_ranks
        total: FloatArray = np.zeros(weights.shape)
        for index in np.ndindex(weights.shape[:-1]):
            live = np.tile(weights[index] * self.is_live, len(_SUMS))
            by_rank = np.bincount(place.ravel(), live, size).reshape(-1, num_ranks)
            upto = np.cumsum(by_rank, axis=1)
            # What a rank is ahead of, less what is ahead of it: ties are in neither.
            ahead = 2.0 * upto - by_rank - upto[:, -1:]
            low, high, everyone = ahead.ravel()[place]
            total[index] = (everyone - low - high) * self.is_live
        return total


# A solution of a spot, stored or as a solver knows it now: any node of it, without a solver.
#
# What is known: average strategies of all streets, and for every line that ends a street before the
# river what both players' hands get from the next card on. So a node takes one walk of its street:
# the value of a river takes nothing but its strategies, and that of a flop would take every runout.
#
# Cards that differ by suits only are solved once: what is asked about the others is answered with
# the suits renamed.

#: By street, of OOP and IP: numbers that are decoded or computed when they are asked for, by board
#: and rows; the last axis is by hand.
Tables = Sequence[tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class StoredTables:
    """Everything that is known of a spot.

    Attributes:
        strategy: ``[boards, A, n]`` probabilities, rows as in `StreetLayout`.
        values: before rivers ``[boards, C, n]`` what hands get from the next card on, by the
            street's `StreetLayout.next_roots`.
        locked: ``[boards, A]`` whether hands were told what to do at the decision with this first
            row; None if nobody was told anything.
        equity: returns ``[n, m]`` on a flop what OOP's hands win of a pot against IP's; None on
            other streets.
        buckets: returns ``[n]`` the bucket of a player's hands on a board, by street from 0 on,
            player and board; None where all hands are apart.
    """

    strategy: Tables
    values: Tables
    locked: Tables | None
    equity: Callable[[], FloatArray] | None
    buckets: Callable[[int, int, int], IntArray | None] = lambda depth, player, board: None


_CARDS_IN_HANDS = 4

#: Boards whose orders of strength are kept: those of a turn have 48 rivers.
_KEPT_BOARDS = 8

#: Places that are remembered while nodes are looked at in turn.
_KEPT_PLACES = 512


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
        config_text: str = "",
    ) -> None:
        """Opens a solution of a spot in a unit, or of a flop of a game, which has no config.

        The quality may be unknown. ``suits`` lead from the suits of the spot to those of the cards.
        """
        self.spot, self.cards, self.tables, self.unit = spot, cards, tables, unit
        self.quality, self.config, self.config_text = quality, config, config_text
        self.note = config.origin.describe() if config and config.origin else ""
        pot, stack = map(format_amount, (spot.tree.stakes.pot, spot.tree.stakes.stack))
        self.title = f"{deck.format_cards(spot.board)}, pot {pot}, stack {stack}"
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
        return self._look(path, {})

    def looking(self) -> tuple[Callable[[str], Node], Callable[[str], bool]]:
        """Remembers the way to the node before: most of it is the way to the next."""
        known: dict[Any, Any] = {}

        def look(path: str) -> Node:
            if len(known) > _KEPT_PLACES:
                known.clear()
            return self._look(path, known)

        def is_end(path: str) -> bool:
            return find_position(self.spot, path, known).kind in (NodeKind.FOLD, NodeKind.SHOWDOWN)

        return look, is_end

    def _look(self, path: str, known: dict[Any, Any]) -> Node:
        position = find_position(self.spot, path, known)
        runout = self._find_runout(position.dealt)
        tree, actor = self.spot.tree, position.actor
        walks = known.setdefault(runout.dealt, {})
        if () not in walks:
            start, live = np.zeros((2, deck.NUM_COMBOS)), deck.live_combos(runout.dealt)
            for player, hands in enumerate(self.cards.players):
                held = np.isin(hands.combos, live)
                start[player, hands.combos[held]] = hands.weights[held]
            walks[()] = start, ()
        start, _ = walks[()]
        weights, trail = walk_to(position, walks, lambda node: self._strategy(node, runout))
        is_held = start > 0.0
        num_deals, arriving = (float((w[0] * weight_met(w[1])).sum()) for w in (start, weights))
        reach = arriving / num_deals if num_deals > 0.0 else math.nan
        met_weights = weight_met(weights[::-1])
        won = known.setdefault((runout.dealt, "won"), {})
        ev, action_ev = self._values(position, runout, (weights, met_weights), won)
        strategy, is_locked = np.zeros((0, deck.NUM_COMBOS)), False
        if actor is not None:
            if self.tables.locked is not None:
                depth = len(position.dealt)
                row = self._row_of[depth][actor][position.children.start]
                is_locked = bool(self.tables.locked[depth][actor][runout.board, row])
            strategy = np.where(is_held[actor], self._strategy(position.node, runout), np.nan)
            action_ev = np.where(is_held[actor], action_ev, np.nan)
        equity = self._equity(runout, weights, met_weights)
        stack, (oop, ip) = tree.stakes.stack, tree.invested[position.node].tolist()
        # Everything so far is in the suits of the tables.
        image = deck.permute_combos(runout.mapping.new_suits)
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
            next_cards=self._kept_cards(position),
            hand_space=HandSpace.COMBOS,
            is_held=is_held[:, image],
            weights=weights[:, image],
            met_weights=met_weights[:, image],
            strategy=strategy[:, image],
            ev=np.where(is_held, ev, np.nan)[:, image],
            action_ev=action_ev[:, image],
            equity=np.where(is_held, equity, np.nan)[:, image],
            is_locked=is_locked,
            reach=reach,
            trail=trail,
            buckets=self._buckets(runout, is_held, image),
        )

    def _buckets(self, runout: Runout, is_held: BoolArray, image: IntArray) -> IntArray | None:
        """Returns ``[2, 1326]`` the buckets of hands that are held, -1 for others."""
        depth = len(runout.dealt)
        if depth >= len(self.tables.strategy):
            return None
        spread = []
        for player in _PLAYERS:
            found = self.tables.buckets(depth, player, runout.board)
            if found is None:
                return None
            spread.append(self._spread(found, player, beyond=-1.0))
        return np.where(is_held, spread, -1.0).astype(np.int64)[:, image]

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that share their tables."""
        position = find_position(self.spot, path)
        alike: dict[int, list[int]] = {}
        for card in self._kept_cards(position):
            board = self._find_runout((*position.dealt, card)).board
            alike.setdefault(board, []).append(card)
        return tuple(map(tuple, alike.values()))

    def _kept_cards(self, position: SpotPosition) -> tuple[int, ...]:
        """Returns the cards that can be dealt at a position, as far as the solution has them."""

        def is_kept(card: int) -> bool:
            try:
                return bool(self._find_runout((*position.dealt, card)))
            except CardError:
                return False

        cards = position.next_cards()
        return tuple(filter(is_kept, cards)) if self.cards.is_drawn else cards

    def _find_runout(self, dealt: tuple[int, ...]) -> Runout:
        try:
            runout = find_runout(self.cards, self._suits.map_cards(dealt))
        except CardError as error:  # in the suits that were asked for
            raise CardError(
                f"board {deck.format_cards(self.spot.board + dealt)}", error.problem
            ) from None
        return runout._replace(mapping=self._suits.then(runout.mapping))

    def _spread(self, rows: AnyArray, player: int, beyond: float) -> FloatArray:
        """Returns ``[.., 1326]`` numbers of a player's hands, another one for other combos."""
        combos = self.cards.players[player].combos
        spread = np.full((*rows.shape[:-1], deck.NUM_COMBOS), beyond)
        spread[..., combos] = rows[..., : len(combos)]
        return spread

    def _strategy(self, node: int, runout: Runout) -> FloatArray:
        """Returns ``[A, 1326]`` what is done at a decision along a runout, 0 beyond the range."""
        tree = self.spot.tree
        street, player = Street(tree.street[node]), int(tree.layout.actor[node])
        depth, children = street - tree.first_street, tree.layout.children(node)
        if depth >= len(self.tables.strategy):
            problem = f"the {street.label} was not kept, solve with keep_rivers: true"
            raise BundleError(f"board {deck.format_cards(self.spot.board)}", problem)
        board = runout.numbers[depth - 1] if depth > 0 else 0
        first = self._row_of[depth][player][children.start]
        played = self.tables.strategy[depth][player][board, slice(first, first + len(children))]
        return self._spread(played, player, beyond=0.0)

    def _values(
        self,
        position: SpotPosition,
        runout: Runout,
        arriving: tuple[FloatArray, FloatArray],
        won: dict[int, FloatArray],
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node and ``[A, 1326]`` of the actor's actions.

        Reach flows down the street, the ends of its betting are valued, and values flow up.

        Args:
            position: the node.
            runout: where its cards are.
            arriving: ``[2, 1326]`` what arrives there, and how much of the opponent's it meets.
            won: ``[2, 1326]`` what hands win, times the opponent's weight, by node; those below are
                added unless they are known from a node before.
        """
        tree, root, (weights, met) = self.spot.tree, position.node, arriving

        def children(node: int) -> range:
            is_decision = tree.leaf_kind[node] == NOT_A_LEAF
            is_here = is_decision and tree.street[node] == position.street
            return tree.layout.children(node) if is_here else range(0)

        reach, played, queue = {root: weights}, {}, [] if root in won else [root]
        for place in queue:
            if not (after := children(place)):
                continue
            played[place] = self._strategy(place, runout)
            for child, row in zip(after, played[place], strict=True):
                reach[child] = reach[place].copy()
                reach[child][int(tree.layout.actor[place])] *= row
            queue.extend(after)
        if queue:
            leaves = {place: reach[place] for place in reach if place not in played}
            won |= self._value_leaves(leaves, runout)
        for place in reversed(played):
            mover = int(tree.layout.actor[place])
            of_actions = np.stack([won[child] for child in children(place)])
            won[place] = of_actions.sum(axis=0)
            won[place][mover] = (played[place] * of_actions[:, mover]).sum(axis=0)
        spent, actor = self._spent(root), int(tree.layout.actor[root])
        by_action = [divide(won[child][actor], met[actor]) for child in children(root)]
        action_ev = np.reshape(by_action, (-1, deck.NUM_COMBOS)) + spent[actor]
        return divide(won[root], met) + spent, action_ev

    def _value_leaves(
        self, reach: Mapping[int, FloatArray], runout: Runout
    ) -> dict[int, FloatArray]:
        """Returns ``[2, 1326]`` what hands win where the betting of a street ends, by node.

        What is won is counted as in `PostflopTree`, each player's half of the first pot included,
        and times the opponent's weight that a hand meets.

        Args:
            reach: ``[2, 1326]`` what both players arrive with, by node.
            runout: the cards that were dealt.
        """
        tree, board, won = self.spot.tree, self.cards.board + runout.dealt, {}
        against = np.stack(list(reach.values()))[:, ::-1]
        met = weight_met(against)
        is_river = len(board) == deck.RIVER_SIZE
        if is_river:
            margins = self._ranked(board)[0].margins(against)
        for number, leaf in enumerate(reach):
            kind, stake = int(tree.leaf_kind[leaf]), float(tree.leaf_stake[leaf])
            if kind == SHOWDOWN and is_river:
                half_rake = self.spot.rake.half_at_showdown(stake)
                won[leaf] = (stake - half_rake) * margins[number] - half_rake * met[number]
            elif kind in _PLAYERS:  # a fold
                gains = np.full((2, 1), self.spot.rake.won_by_fold(stake))
                gains[kind] = -stake
                won[leaf] = gains * met[number]
            else:  # what hands get from the next card on, NaN where they meet nobody
                depth = len(runout.dealt)
                row, values = self._row_of[depth][2][leaf], self.tables.values[depth]
                later = [
                    self._spread(values[player][runout.board, row], player, beyond=np.nan)
                    for player in _PLAYERS
                ]
                won[leaf] = np.nan_to_num(np.stack(later) - self._spent(leaf)) * met[number]
        return won

    def _spent(self, node: int) -> FloatArray:
        """Returns ``[2, 1]`` what the players have in the pot."""
        tree = self.spot.tree
        spent: FloatArray = tree.stakes.pot / 2.0 + tree.invested[node][:, None]
        return spent

    def _equity(self, runout: Runout, weights: FloatArray, met: FloatArray) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""
        board = self.cards.board + runout.dealt
        if runout.dealt or self._shares is None:
            ranked = self._ranked(board)
            num_runouts = deck.NUM_CARDS - len(board) - _CARDS_IN_HANDS if len(ranked) > 1 else 1
            # Each against the other's range.
            margins = np.sum([river.margins(weights[::-1]) for river in ranked], axis=0)
            return (1.0 + divide(margins, num_runouts * met)) / 2.0
        oop, ip = (player.combos for player in self.cards.players)
        won = np.zeros((2, deck.NUM_COMBOS))
        won[0, oop] = (self._shares * weights[1, ip]).sum(axis=1)
        # What the opponent of a combo does not win, the combo wins.
        won[1, ip] = met[1, ip] - (weights[0, oop, None] * self._shares).sum(axis=0)
        return divide(won, met)

    @cached_property
    def _shares(self) -> FloatArray | None:
        return None if self.tables.equity is None else self.tables.equity()

    def _rank(self, board: tuple[int, ...]) -> list[Showdowns]:
        """Returns the combos by strength on a river, or on all rivers of a turn."""
        rivers = [board]
        if len(board) < deck.RIVER_SIZE:
            rivers = [(*board, card) for card in self.spot.deck if card not in board]
        return [Showdowns.on(river) for river in rivers]
