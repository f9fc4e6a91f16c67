"""Strategies that a solver or a backend knows, read and kept like a stored flop.

A live look is a `StoredSpot` whose tables are computed when they are asked for. What hands get from
the next card on takes an evaluating visit of the rest of the spot, so keeping a whole spot takes
about as long as two iterations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from runout.arrays import Float32Array, FloatArray, divide
from runout.cards.deck import NUM_COMBOS, disjoint_combos, live_combos
from runout.cards.flops import CanonicalBoard, GivenFlop
from runout.cfr.team import Team
from runout.config.spot import SpotConfig
from runout.equity.board import compute_board_equity
from runout.flops.backend import FlopStrategy
from runout.flops.spot_setup import settle_locks
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from runout.holdem.rivers import SpotTables
from runout.holdem.solver import SpotSolver, average_rows
from runout.holdem.street_kernels import EVALUATING
from runout.holdem.tables import FixedTables, LearnedTables
from runout.solutions.flop import StoredSpot, StoredTables
from runout.solutions.flop_bundles import (
    BOUNDS,
    BUCKETS,
    EQUITY,
    LOCKED,
    RIVER_GAME,
    SHARES,
    VALUES,
    StoredLayout,
    encode_equities,
    encode_shares,
    encode_values,
)
from runout.solutions.node import Curve, Quality, Unit, weight_met
from runout.solutions.values import CreateArray, FlopReport
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

#: Boards whose tables or values are kept.
_KEPT_BOARDS = 64


class LiveSpot:
    """Tables of a game as they are now, and what hands get from the next card on with them."""

    def __init__(
        self,
        game: CardGame,
        tables: SpotTables,
        root_reach: Sequence[Float32Array],
        state: Callable[[], object] = lambda: None,
    ) -> None:
        """Takes ``[O]`` the opponent's range of each player; `state` changes with the tables."""
        self.game, self.tables, self._state = game, tables, state
        self._seen: object = self
        self._first_visits = lru_cache(1)(
            lambda: [
                game.visit_first_street(player, EVALUATING, tables, reach)
                for player, reach in enumerate(root_reach)
            ]
        )
        self._evs = lru_cache(_KEPT_BOARDS)(self._find_evs)
        self._on_board = lru_cache(_KEPT_BOARDS)(tables.on_board)

    def stored(self) -> StoredTables:
        """Returns the tables as a `StoredSpot` reads them."""
        depths = range(len(self.game.templates))
        strategy, values, locked = (
            [(_LiveTable(lookup, depth, 0), _LiveTable(lookup, depth, 1)) for depth in depths]
            for lookup in (
                self.strategy,
                lambda depth, player, board, row: self.evs(depth, board)[player][row],
                self._is_locked,
            )
        )
        is_flop = self.game.first_street == Street.FLOP
        return StoredTables(strategy, values[:-1], locked, self.equities if is_flop else None)

    def equities(self) -> FloatArray:
        """Returns ``[n, m]`` what OOP wins of a pot, checked down; 0 for hands that cannot meet."""
        oop, ip = (player.combos for player in self.game.cards.players)
        table = compute_board_equity(self.game.spot.board)
        ahead = table.wins_between(oop, ip).astype(np.float64) - table.wins_between(ip, oop).T
        shares = (1.0 + ahead / table.num_runouts) / 2.0
        shares[~disjoint_combos(oop, ip)] = 0.0
        return shares

    def strategy(self, depth: int, player: int, board: int, rows: slice) -> FloatArray:
        """Returns ``[A, n]`` what hands do on average at a decision, on a street from 0 on."""
        self._look_again_if_changed()
        street = Street(self.game.first_street + depth)
        place = self.game.find_columns(street, board, player)
        learning = self._on_board(street, place.board)[player]
        return average_rows(learning, range(rows.start, rows.stop))[:, place.of_hands]

    def evs(self, depth: int, board: int) -> list[FloatArray]:
        """Returns for each player ``[C, n]`` what hands get from the next card on.

        Rows are as in `StreetLayout.next_roots`, values chips back minus chips put in; NaN where a
        hand cannot be held or meets nobody. Streets count from 0.
        """
        self._look_again_if_changed()
        return self._evs(depth, board)

    def _is_locked(self, depth: int, player: int, board: int, row: int) -> Any:
        if not isinstance(self.tables, LearnedTables):
            return False
        lock = self.tables.by_street[depth][player].lock
        return lock.size and lock[board, row].any()

    def _look_again_if_changed(self) -> None:
        state = self._state()
        if state == self._seen:
            return
        if isinstance(self.tables, LearnedTables):  # only these can be locked
            settle_locks(self.game.templates, self.tables)
        for known in (self._first_visits, self._evs, self._on_board):
            known.cache_clear()
        self._seen = state

    def _find_evs(self, depth: int, board: int) -> list[FloatArray]:
        cards, tree, template = self.game.cards, self.game.spot.tree, self.game.templates[depth]
        dealt = cards.runouts[depth - 1][board] if depth > 0 else ()
        nodes, live, found = list(template.next_roots), live_combos(dealt), []
        for player, visit in enumerate(self._first_visits()):
            if depth > 0:
                # Lines that are almost never played keep their precision: only ratios matter.
                largest = visit.reach.max(axis=1, keepdims=True)
                reached = (visit.reach / np.where(largest > 0.0, largest, 1.0)).astype(np.float32)
                visit = self.game.visit_turn_card(player, board, EVALUATING, self.tables, reached)
            forest, hands = template.forests[player], cards.players[player]
            others = cards.players[1 - player].combos
            reach = np.zeros((len(nodes), NUM_COMBOS))
            reach[:, others] = visit.reach[forest.chance_row][:, : len(others)]
            is_held = (hands.weights > 0.0) & np.isin(hands.combos, live)
            met = np.where(is_held, weight_met(reach)[:, hands.combos], 0.0)
            values = visit.value[forest.chance][:, : len(is_held)].astype(np.float64)
            sunk = tree.stakes.pot / 2.0 + tree.invested[nodes, player]
            found.append(divide(values, met) + sunk[:, None])
        return found


@dataclass(frozen=True)
class _LiveTable:
    """One of the tables of a player on a street; see `runout.solutions.flop.Table`."""

    lookup: Callable[[int, int, int, Any], Any]
    depth: int
    player: int

    def __getitem__(self, place: tuple[int, Any]) -> Any:
        return self.lookup(self.depth, self.player, *place)


def look_at(
    solver: SpotSolver, quality: Quality | None = None, config: SpotConfig | None = None
) -> StoredSpot:
    """Returns what a solver has learned as a spot; later looks see what it learns meanwhile."""
    game, state = solver.game, lambda: (solver.iteration, solver.num_lock_changes)
    live = LiveSpot(game, solver.tables, solver.root_reach, state)
    unit = Unit.CHIPS if game.spot.tree.stakes.is_in_chips else Unit.POTS
    return StoredSpot(game.spot, game.cards, live.stored(), quality, config, unit)


def look_at_strategy(
    spot: Spot,
    strategy: FlopStrategy,
    report: FlopReport,
    given: GivenFlop | None = None,
    team: Team | None = None,
    curve: Curve = (),
) -> StoredSpot:
    """Returns what a backend's strategies do on a flop; amounts are in flop pots.

    Values are those of the strategies with real cards, whatever the backend looked at. A canonical
    flop may have been given in other suits, in which it is then shown.
    """
    game = CardGame(spot, team=team)
    root_reach = [game.cards.root_reach(player) for player in range(NUM_PLAYERS)]
    live = LiveSpot(game, FixedTables(game.templates, game.cards, strategy.rows), root_reach)
    reached, meaning = report.exploitability_pot, report.meaning
    quality = Quality(reached, meaning, report.iterations, report.seconds, curve=curve)
    suits = None
    if given is not None:
        suits = CanonicalBoard.from_cards(given.cards).mapping
        spot = replace(spot, board=given.cards)
    return StoredSpot(spot, game.cards, live.stored(), quality, unit=Unit.POTS, suits=suits)


def store_shares(
    create: CreateArray,
    game: CardGame,
    tables: LearnedTables,
    names: Mapping[str, str],
    last_street: Street = Street.RIVER,
    dtype: npt.DTypeLike = np.uint16,
) -> StoredLayout:
    """Writes average strategies, and the buckets of rivers; see `runout.solutions.flop_bundles`.

    Parts that `names` does not name are not written, nor are streets after the last one; `dtype`
    is that of shares.
    """
    streets = [template for template in game.templates if template.street <= last_street]
    in_buckets = streets[-1].street == Street.RIVER and not game.rivers.is_exact
    columns = tables.by_street[-1][0].strategy_sum.shape
    layout = StoredLayout(streets, game.cards, (columns[0], columns[2]) if in_buckets else None)
    codes = layout.split(SHARES, create(names[SHARES], (layout.size(SHARES),), np.dtype(dtype)))
    for template, pair, of_street in zip(streets, tables.by_street, codes, strict=False):
        for player, learning in enumerate(pair):
            counts = template.decisions_of(player)[1]
            for board, sums in enumerate(learning.strategy_sum):
                of_street[player][board] = encode_shares(sums, counts, dtype)
    if in_buckets and RIVER_GAME in names:
        runouts = range(len(game.cards.deals[1].card))
        games = [game.find_columns(Street.RIVER, runout, 0).board for runout in runouts]
        create(names[RIVER_GAME], (len(games),), np.dtype(np.int32))[:] = games
        # Both players of a joint flop hold everything, and so have one array.
        for part, player in {names[part]: player for player, part in enumerate(BUCKETS)}.items():
            num_hands = len(game.cards.players[player].combos)
            bucket = game.card_tables.bucket_games[player].hero[:, :num_hands]
            create(part, bucket.shape, np.dtype(np.uint8))[:] = bucket
    return layout


def store_spot(
    create: CreateArray,
    live: LiveSpot,
    names: Mapping[str, str],
    last_street: Street = Street.RIVER,
    dtype: npt.DTypeLike = np.uint16,
) -> None:
    """Writes everything that is kept of a solved board; see `store_shares` for the arguments."""
    game, tables = live.game, live.tables
    assert isinstance(tables, LearnedTables)
    layout = store_shares(create, game, tables, names, last_street, dtype)
    new: list[list[tuple[Any, Any]]] = [
        layout.split(part, create(names[part], (layout.size(part),), np.dtype(kind)))
        for part, kind in ((VALUES, np.int16), (BOUNDS, np.float32))
        if layout.size(part)
    ]
    for depth, (of_codes, of_bounds) in enumerate(zip(*new, strict=True)):
        for board in range(len(of_codes[0])):
            for player, values in enumerate(live.evs(depth, board)):
                encoded = encode_values(values)
                of_codes[player][board] = encoded.codes
                of_bounds[player][board] = encoded.bounds
    if LOCKED in names and any(oop.lock.size or ip.lock.size for oop, ip in tables.by_street):
        is_locked = create(names[LOCKED], (layout.size(LOCKED),), np.dtype(np.uint8))
        for pair, of_street in zip(tables.by_street, layout.split(LOCKED, is_locked), strict=True):
            for learning, locked in zip(pair, of_street, strict=True):
                locked[:] = learning.lock.any(axis=2) if learning.lock.size else 0
    if EQUITY in names and game.first_street == Street.FLOP:
        equities = encode_equities(live.equities())
        create(names[EQUITY], equities.shape, equities.dtype)[:] = equities
