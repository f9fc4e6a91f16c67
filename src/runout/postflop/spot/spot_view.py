"""Looking into a solved spot: what every combo does, is worth and wins at any node.

Values are those of the average strategies. They are found by visiting the street in question
with the ranges that arrive there, and the last visits are kept, so that walking around is quick.
Cards that differ by suits only are solved once: what is asked about the others is answered with
the suits renamed.
"""

from collections import OrderedDict
from typing import Protocol

import numpy as np

from runout.arrays import BoolArray, Float32Array, FloatArray, IntArray
from runout.cards.combos import NUM_COMBOS, disjoint_combos
from runout.cfr.reach import NUM_PLAYERS
from runout.equity.board_equity import compute_board_equity
from runout.holdem.card_game import CardGame, SpotTables, StreetVisit
from runout.holdem.cards_to_come import Runout, find_runout
from runout.holdem.street_kernels import EVALUATE, Step
from runout.holdem.tables import LearnedTables
from runout.postflop.spot.locking import decision_rows, settle_locks
from runout.trees.betting import Street
from runout.views.node import Node, Unit, divide, weight_met
from runout.views.quality import Quality
from runout.views.spot_nodes import SpotNodes
from runout.views.spot_path import SpotPosition

_ZERO = np.float32(0.0)
_EVALUATE = Step(EVALUATE, _ZERO, _ZERO, _ZERO)

#: Boards of later streets whose visits are kept, and boards whose equities are.
_KEPT_VISITS = 16
_KEPT_EQUITIES = 4


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


class SpotView(SpotNodes):
    """A way to look at strategies in a spot while they are learned."""

    def __init__(self, solver: PlayedSpot, quality: Quality | None = None) -> None:
        """Looks at nothing yet.

        Args:
            solver: may go on; the next look sees what it has learned meanwhile.
            quality: how well it was solved, if that is known.
        """
        unit = Unit.CHIPS if solver.game.spot.tree.stakes.is_in_chips else Unit.POTS
        super().__init__(solver.game.spot, solver.game.cards, quality, unit)
        self.solver = solver
        self._seen = (-1, -1)
        self._visits: OrderedDict[tuple[int, ...], tuple[StreetVisit, ...]] = OrderedDict()
        self._equities: OrderedDict[tuple[int, ...], FloatArray] = OrderedDict()

    def node(self, path: str = "") -> Node:
        """See `SpotNodes.node`."""
        self._look_again_if_changed()
        return super().node(path)

    def chance_evs(self, depth: int, dealt: tuple[int, ...]) -> list[FloatArray]:
        """Returns for each player ``[C, n]`` what hands get from the next card on.

        Args:
            depth: the number of the street, 0 the first; not the river.
            dealt: the cards on its board that were dealt.

        Returns:
            Rows as in `StreetLayout.next_roots`, chips back minus chips put in; NaN where a hand
            cannot be held or meets nobody.
        """
        self._look_again_if_changed()
        runout, template = find_runout(self.cards, dealt), self.solver.game.templates[depth]
        nodes, found = np.array(template.next_roots, dtype=np.int64), []
        for player, visit in enumerate(self._visit(depth, runout, 0)):
            forest, hands = template.forests[player], self.cards.players[player].combos
            met = weight_met(self._spread(visit.reach[forest.chance_row], 1 - player))
            met[:, ~self._held(player, runout)] = 0.0
            values = visit.value[forest.chance][:, : len(hands)].astype(np.float64)
            found.append(divide(values, met[:, hands]) + self._sunk(nodes, player)[:, None])
        return found

    def _look_again_if_changed(self) -> None:
        state = (self.solver.iteration, self.solver.num_lock_changes)
        if state != self._seen:
            if isinstance(self.solver.tables, LearnedTables):  # only these can be locked
                settle_locks(self.solver.game.templates, self.solver.tables)
            self._visits.clear()
            self._seen = state

    def _strategy(self, street: Street, board: int, player: int, children: range) -> FloatArray:
        """Returns ``[A, 1326]`` the average strategy of a decision, 0 beyond the range."""
        template = self.solver.game.templates[street - self.spot.tree.first_street]
        rows = decision_rows(template, player, children)
        played = self.solver.average_strategy(street, board, player, rows)
        return self._spread(played, player)

    def _is_locked(self, position: SpotPosition, runout: Runout, actor: int) -> bool:
        """Returns whether hands were told what to do at a decision."""
        tables = self.solver.tables
        if not isinstance(tables, LearnedTables):
            return False
        depth = len(position.dealt)
        lock = tables.by_street[depth][actor].lock
        template = self.solver.game.templates[depth]
        row = decision_rows(template, actor, position.children).start
        return bool(lock.size and lock[runout.board, row].any())

    def _values(
        self, position: SpotPosition, runout: Runout, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of the node and ``[A, 1326]`` of the actor's actions."""
        depth = len(position.dealt)
        template = self.solver.game.templates[depth]
        node = int(np.flatnonzero(template.tree_node == position.node)[0])
        bounds = template.forests[0].group[:, 0]
        group = int(np.searchsorted(bounds, node, side="right")) - 1
        visits = self._visit(depth, runout, group)
        node_evs, action_evs = [], np.zeros((0, NUM_COMBOS))
        for player, visit in enumerate(visits):
            forest = template.forests[player]
            first = int(forest.first_child[node])
            is_actor = player == position.actor
            acting = range(first, first + int(forest.num_children[node]) * is_actor)
            rows = [node - int(bounds[group]), *acting]
            values = self._spread(visit.value[rows], player)
            met = weight_met(self._spread(visit.reach[forest.row[node]], 1 - player))
            evs = divide(values, np.broadcast_to(met, values.shape))
            evs += self._sunk(np.array([position.node]), player)
            node_evs.append(evs[0])
            action_evs = evs[1:] if is_actor else action_evs
        return np.stack(node_evs), action_evs

    def _sunk(self, nodes: IntArray, player: int) -> FloatArray:
        """Returns what a player has in the pot at tree nodes."""
        sunk: FloatArray = self.spot.tree.stakes.pot / 2.0 + self.spot.tree.invested[nodes, player]
        return sunk

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
        if self.spot.tree.first_street + depth == Street.TURN:
            return game.visit_turn_card(player, number, _EVALUATE, tables, reach)
        return game.visit_river_card(player, number, group, _EVALUATE, tables, reach)

    def _equity(
        self, runout: Runout, weights: FloatArray, met: FloatArray, is_held: BoolArray
    ) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""
        oop, ip = (np.flatnonzero(held) for held in is_held)
        won = np.zeros((NUM_PLAYERS, NUM_COMBOS))
        shares = self._shares(self.spot.board + runout.dealt, oop, ip)
        won[0, oop] = (shares * weights[1, ip]).sum(axis=1)
        # What the opponent of a combo does not win, the combo wins.
        won[1, ip] = met[1, ip] - (weights[0, oop, None] * shares).sum(axis=0)
        return divide(won, met)

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
