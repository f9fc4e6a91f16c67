"""Looking into a solved spot: what every combo does, is worth and wins at any node.

Values are those of the average strategies. They are found by visiting the street in question
with the ranges that arrive there, and the last visits are kept, so that walking around is quick.
Cards that differ by suits only are solved once: what is asked about the others is answered with
the suits renamed.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from runout.arrays import BoolArray, Float32Array, FloatArray, IntArray
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cards.card import NUM_CARDS
from runout.cards.combos import (
    COMBO_CARDS,
    NUM_COMBOS,
    disjoint_combos,
    live_combos,
    permute_combos,
)
from runout.cfr.reach import NUM_PLAYERS
from runout.equity.board_equity import compute_board_equity
from runout.holdem.card_game import CardGame, SpotTables, StreetVisit
from runout.holdem.street_kernels import EVALUATE, Step
from runout.holdem.tables import LearnedTables
from runout.postflop.spot.locking import decision_rows, settle_locks
from runout.postflop.spot.spot_path import (
    NodeKind,
    Runout,
    SpotPosition,
    find_position,
    find_runout,
)
from runout.trees.betting import Street
from runout.trees.layout import NO_NODE

_ZERO = np.float32(0.0)
_EVALUATE = Step(EVALUATE, _ZERO, _ZERO, _ZERO)

#: A smaller share of the opponent's range is a rounding error, and counts as nobody.
_SMALLEST_SHARE = 1e-9

#: Boards of later streets whose visits are kept, and boards whose equities are.
_KEPT_VISITS = 16
_KEPT_EQUITIES = 4


@dataclass(frozen=True)
class SpotAction:
    """One action of a decision.

    Attributes:
        code: as one step of a path.
        label: for people.
        amount_chips: what the player has then put in on this street.
    """

    code: str
    label: str
    amount_chips: float


@dataclass(frozen=True, eq=False)
class SpotNode:
    """Everything about one node; combos are numbered 0 to 1,325, players are OOP 0 and IP 1.

    Attributes:
        path: the steps that lead here, ``r:0`` at the root.
        board: the cards on the table.
        street: the street that they are on.
        kind: decision, chance, fold or showdown.
        pot_chips: what is in the middle, uncalled bets included.
        stacks_chips: what each player has left of the effective stack.
        actor: who acts; None where nobody does.
        actions: what the actor can do.
        next_cards: the cards that can be dealt; none where none is.
        is_held: ``[2, 1326]`` whether the combo is in the range and avoids the board.
        weights: ``[2, 1326]`` how much of each combo arrives: its weight in the range times its own
            strategy on the way.
        met_weights: ``[2, 1326]`` the opponent's weight that each combo can meet.
        strategy: ``[A, 1326]`` how often the actor takes each action, NaN where it cannot hold the
            combo.
        ev_chips: ``[2, 1326]`` chips back from the pot minus chips put in from here on: folding is
            0, and the two players' range EVs sum to the pot, less rake. NaN where the combo
            cannot be held or meets nobody.
        action_ev_chips: ``[A, 1326]`` the same for each action of the actor.
        equity: ``[2, 1326]`` share of the pot at a showdown over all runouts against what the
            opponent arrives with; NaN like ``ev_chips``.
    """

    path: str
    board: tuple[int, ...]
    street: Street
    kind: NodeKind
    pot_chips: float
    stacks_chips: tuple[float, float]
    actor: int | None
    actions: tuple[SpotAction, ...]
    next_cards: tuple[int, ...]
    is_held: BoolArray
    weights: FloatArray
    met_weights: FloatArray
    strategy: FloatArray
    ev_chips: FloatArray
    action_ev_chips: FloatArray
    equity: FloatArray

    def range_ev(self, player: int) -> float:
        """Returns the mean `ev_chips` of a player's range; NaN if the ranges do not meet."""
        return _mean(self.ev_chips[player], self._deals(player))

    def range_equity(self, player: int) -> float:
        """Returns the mean `equity` of a player's range; NaN if the ranges do not meet."""
        return _mean(self.equity[player], self._deals(player))

    def frequency(self) -> FloatArray:
        """Returns ``[A]`` how often the actor takes each action; NaN if the ranges do not meet."""
        deals = self._deals(self.actor or 0)
        return np.array([_mean(row, deals) for row in self.strategy])

    def hand_means(self, values: FloatArray, player: int | None = None) -> FloatArray:
        """Returns ``[169]`` means of the canonical hands, NaN for those that do not arrive.

        Args:
            values: ``[1326]`` one of the rows above.
            player: whose values they are; the actor by default, OOP where nobody acts.
        """
        deals = self._deals((self.actor or 0) if player is None else player)
        deals = np.where(np.isnan(values), 0.0, deals)
        weighted = deals * np.nan_to_num(values)
        return _divide(_sum_by_hand(weighted), _sum_by_hand(deals))

    def _deals(self, player: int) -> FloatArray:
        """Returns ``[1326]`` the weight of the deals in which a player has each combo."""
        deals: FloatArray = self.weights[player] * self.met_weights[player]
        return deals


class PlayedSpot(Protocol):
    """Strategies of both players in a spot: learned so far by a solver, or kept by an earlier one.

    Attributes:
        iteration: how often they were improved.
        num_lock_changes: how often others were put in their place.
        root_reach: ``[O]`` the opponent's range as each player meets it.
    """

    iteration: int
    num_lock_changes: int
    root_reach: list[Float32Array]

    @property
    def game(self) -> CardGame:
        """The cards and betting."""

    @property
    def tables(self) -> SpotTables:
        """What visits read."""

    def average_strategy(self, street: Street, board: int, player: int, rows: range) -> FloatArray:
        """Returns ``[A, n]`` what a player's hands do on average at a decision."""


class SpotView:
    """A way to look at strategies in a spot."""

    def __init__(self, solver: PlayedSpot) -> None:
        """Looks at nothing yet.

        Args:
            solver: may go on; the next look sees what it has learned meanwhile.
        """
        self.solver = solver
        self._spot, self._cards = solver.game.spot, solver.game.cards
        self._seen = (-1, -1)
        self._visits: OrderedDict[tuple[int, ...], tuple[StreetVisit, ...]] = OrderedDict()
        self._equities: OrderedDict[tuple[int, ...], FloatArray] = OrderedDict()

    def node(self, path: str = "") -> SpotNode:
        """Returns what is known about the node that a path leads to, by default the root.

        Raises:
            TreeError: naming the first step that is no action, and the actions there are.
            CardError: naming the first step that is no card, or a card that is on the board.
        """
        self._look_again_if_changed()
        position = find_position(self._spot, path)
        runout = find_runout(self._cards, position.dealt)
        tree, node = self._spot.tree, position.node
        is_decision = position.kind == NodeKind.DECISION
        actor = int(tree.layout.actor[node]) if is_decision else None
        children = tree.layout.children(node) if is_decision else range(0)
        is_held = np.stack([self._held(player, runout) for player in range(NUM_PLAYERS)])
        weights = self._arriving(position, runout, is_held)
        ev_chips, action_ev_chips = self._values(position, runout, actor, is_held)
        strategy = np.zeros((0, NUM_COMBOS))
        if actor is not None:
            strategy = self._strategy(position.street, runout.board, actor, children)
            strategy[:, ~is_held[actor]] = np.nan
        met_weights = np.stack([weight_met(weights[1 - player]) for player in range(NUM_PLAYERS)])
        equity = self._equity(runout, weights, met_weights, is_held)
        # Everything so far is in the suits of the tables.
        image = permute_combos(runout.mapping.new_suits)
        left = (tree.stakes.stack - tree.invested[node]).tolist()
        return SpotNode(
            path=position.path,
            board=position.board,
            street=position.street,
            kind=position.kind,
            pot_chips=tree.pot(node),
            stacks_chips=(left[0], left[1]),
            actor=actor,
            actions=tuple(self._action(child) for child in children),
            next_cards=position.next_cards(),
            is_held=is_held[:, image],
            weights=weights[:, image],
            met_weights=met_weights[:, image],
            strategy=strategy[:, image],
            ev_chips=ev_chips[:, image],
            action_ev_chips=action_ev_chips[:, image],
            equity=equity[:, image],
        )

    def _look_again_if_changed(self) -> None:
        state = (self.solver.iteration, self.solver.num_lock_changes)
        if state != self._seen:
            if isinstance(self.solver.tables, LearnedTables):  # only these can be locked
                settle_locks(self.solver.game.templates, self.solver.tables)
            self._visits.clear()
            self._seen = state

    def _action(self, child: int) -> SpotAction:
        tree = self._spot.tree
        amount = float(tree.action_amount[child])
        return SpotAction(tree.action_code(child), tree.action_label(child), amount)

    def _held(self, player: int, runout: Runout) -> BoolArray:
        """Returns ``[1326]`` the combos that a player can hold."""
        held: BoolArray = np.zeros(NUM_COMBOS, dtype=bool)
        combos = self._cards.players[player].combos
        held[combos[np.isin(combos, live_combos(runout.dealt))]] = True
        return held

    def _strategy(self, street: Street, board: int, player: int, children: range) -> FloatArray:
        """Returns ``[A, 1326]`` the average strategy of a decision, 0 beyond the range."""
        template = self.solver.game.templates[street - self._spot.tree.first_street]
        rows = decision_rows(template, player, children)
        played = self.solver.average_strategy(street, board, player, rows)
        return self._spread(played, player)

    def _spread(self, rows: FloatArray | Float32Array, player: int) -> FloatArray:
        """Returns ``[.., 1326]`` numbers of a player's hands, 0 for other combos."""
        combos = self._cards.players[player].combos
        spread = np.zeros((*rows.shape[:-1], NUM_COMBOS))
        spread[..., combos] = rows[..., : len(combos)]
        return spread

    def _arriving(self, position: SpotPosition, runout: Runout, is_held: BoolArray) -> FloatArray:
        """Returns ``[2, 1326]`` the weight with which combos arrive."""
        tree = self._spot.tree
        weights = np.stack([self._spread(p.weights, i) for i, p in enumerate(self._cards.players)])
        weights[~is_held] = 0.0
        child = position.node
        while (node := int(tree.layout.parent[child])) != NO_NODE:
            street, player = Street(tree.street[node]), int(tree.layout.actor[node])
            depth = street - tree.first_street
            board = runout.numbers[depth - 1] if depth > 0 else 0
            children = tree.layout.children(node)
            played = self._strategy(street, board, player, children)
            weights[player] *= played[child - children.start]
            child = node
        return weights

    def _values(
        self, position: SpotPosition, runout: Runout, actor: int | None, is_held: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of the node and ``[A, 1326]`` of the actor's actions."""
        depth, tree = len(position.dealt), self._spot.tree
        template = self.solver.game.templates[depth]
        node = int(np.flatnonzero(template.tree_node == position.node)[0])
        bounds = template.forests[0].group[:, 0]
        group = int(np.searchsorted(bounds, node, side="right")) - 1
        visits = self._visit(depth, runout, group)
        node_evs, action_evs = [], np.zeros((0, NUM_COMBOS))
        for player, visit in enumerate(visits):
            forest = template.forests[player]
            first = int(forest.first_child[node])
            acting = range(first, first + int(forest.num_children[node]) * (player == actor))
            rows = [node - int(bounds[group]), *acting]
            values = self._spread(visit.value[rows], player)
            reach = self._spread(visit.reach[forest.row[node]], 1 - player)
            met = np.where(is_held[player], weight_met(reach), 0.0)
            sunk = tree.stakes.pot / 2.0 + float(tree.invested[position.node, player])
            evs = _divide(values, np.broadcast_to(met, values.shape)) + sunk
            node_evs.append(evs[0])
            action_evs = evs[1:] if player == actor else action_evs
        return np.stack(node_evs), action_evs

    def _visit(self, depth: int, runout: Runout, group: int) -> tuple[StreetVisit, ...]:
        """Returns what the last visit of a board found, seen from each player."""
        key = (depth, runout.numbers[depth - 1] if depth > 0 else 0, group)
        if key not in self._visits:
            before = self._visit(depth - 1, runout, 0) if depth > 0 else ()
            found = [self._find(depth, key, before, player) for player in range(NUM_PLAYERS)]
            if len(self._visits) > _KEPT_VISITS:
                self._visits.popitem(last=False)
            self._visits[key] = tuple(found)
        self._visits.move_to_end(key)
        return self._visits[key]

    def _find(
        self, depth: int, key: tuple[int, ...], before: tuple[StreetVisit, ...], player: int
    ) -> StreetVisit:
        """Visits a board."""
        game, tables = self.solver.game, self.solver.tables
        if depth == 0:
            root_reach = self.solver.root_reach[player]
            return game.visit_first_street(player, _EVALUATE, tables, root_reach)
        _, number, group = key
        # Lines that are almost never played keep their precision: only ratios matter.
        largest = before[player].reach.max(axis=1, keepdims=True)
        scaled = before[player].reach / np.where(largest > 0.0, largest, 1.0)
        reach = scaled.astype(np.float32)
        if self._spot.tree.first_street + depth == Street.TURN:
            return game.visit_turn_card(player, number, _EVALUATE, tables, reach)
        return game.visit_river_card(player, number, group, _EVALUATE, tables, reach)

    def _equity(
        self, runout: Runout, weights: FloatArray, met: FloatArray, is_held: BoolArray
    ) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""
        oop, ip = (np.flatnonzero(held) for held in is_held)
        won = np.zeros((NUM_PLAYERS, NUM_COMBOS))
        shares = self._shares(self._spot.board + runout.dealt, oop, ip)
        won[0, oop] = (shares * weights[1, ip]).sum(axis=1)
        # What the opponent of a combo does not win, the combo wins.
        won[1, ip] = met[1, ip] - (weights[0, oop, None] * shares).sum(axis=0)
        return _divide(won, np.where(is_held, met, 0.0))

    def _shares(self, board: tuple[int, ...], oop: IntArray, ip: IntArray) -> FloatArray:
        """Returns ``[n, m]`` what OOP's combos win of a pot against IP's; 0 if they cannot meet."""
        if board not in self._equities:
            table = compute_board_equity(board)
            beaten = table.wins_between(ip, oop).T
            ahead = table.wins_between(oop, ip).astype(np.float64) - beaten
            shares = (1.0 + ahead / table.num_runouts) / 2.0
            shares[~disjoint_combos(oop, ip)] = 0.0
            if len(self._equities) >= _KEPT_EQUITIES:
                self._equities.popitem(last=False)
            self._equities[board] = shares
        self._equities.move_to_end(board)
        return self._equities[board]


def weight_met(weights: FloatArray) -> FloatArray:
    """Returns ``[1326]`` how much of ``weights[1326]`` shares no card with each combo."""
    by_card = np.bincount(COMBO_CARDS.ravel(), np.repeat(weights, 2), NUM_CARDS)
    low, high = COMBO_CARDS.T
    total = weights.sum()
    met = total - by_card[low] - by_card[high] + weights
    return np.where(met > _SMALLEST_SHARE * total, met, 0.0)


def _sum_by_hand(values: FloatArray) -> FloatArray:
    return np.bincount(HAND_BY_COMBO, values, NUM_HANDS).astype(np.float64)


def _divide(amount: FloatArray, weight: FloatArray) -> FloatArray:
    share: FloatArray = np.divide(
        amount, weight, out=np.full(weight.shape, np.nan), where=weight > 0.0
    )
    return share


def _mean(values: FloatArray, deals: FloatArray) -> float:
    """Returns the mean of values that exist, NaN if nothing has a weight."""
    known = np.where(np.isnan(values), 0.0, deals)
    total = float(known.sum())
    return float((known * np.nan_to_num(values)).sum()) / total if total > 0.0 else float("nan")
