"""Strategies that a solver or a backend knows, and the solution of a spot, live and as a bundle.

A live look is a `StoredSpot` whose tables are computed when they are asked for. What hands get from
the next card on takes an evaluating visit of the rest of the spot, so keeping a whole spot takes
about as long as two iterations.

The bundle of a spot holds everything that learning goes on from, so a solve that is opened and
continued has the same bits as one that was never interrupted: arrays named ``STREET_PLAYER_PART``,
such as ``turn_ip_regret``, whose parts are those of `Learning`; empty ones are left out. Beside it
stands the solution, which `runout.solutions.flop_bundles` opens without a solver.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Arrays, Float32Array, FloatArray, IntArray, divide
from runout.cards.deck import NUM_COMBOS, disjoint_combos, live_combos, permute_combos
from runout.cards.flops import CanonicalBoard, GivenFlop
from runout.cfr.cfr_kernels import EVALUATING, RESPONDING
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.cfr.team import Team
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.equity.board import compute_board_equity
from runout.errors import BundleError
from runout.flops.backend import FlopStrategy
from runout.flops.spot_setup import river_buckets, settle_locks
from runout.holdem.cards import CardsToCome, Spot, find_runout
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame
from runout.holdem.solver import SpotSolver, average_rows
from runout.holdem.tables import (
    FixedTables,
    LearnedTables,
    Precision,
    SpotTables,
    name_of_table,
    only_strategy,
)
from runout.simd.decision_kernels import Learning
from runout.solutions import flop_bundles
from runout.solutions.flop import StoredSpot, StoredTables
from runout.solutions.flop_bundles import LOCKED, SHARES, RealGameLoss, StoredLayout
from runout.solutions.node import Curve, Quality, Unit, weight_met
from runout.solutions.run import SolveResult
from runout.solutions.values import CreateArray, ExploitabilityMeaning, FlopReport
from runout.storage.bundle import (
    Bundle,
    Manifest,
    digest_config,
    load_bundle,
    reading_contents,
    require_number,
)
from runout.storage.writer import BundleWriter, Finish, begin_bundles
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import IP, OOP

#: What arrays of strategies alone are called.
KEPT_NAMES = {
    part: part
    for part in (
        flop_bundles.SHARES,
        flop_bundles.RIVER_GAME,
        *flop_bundles.BUCKETS,
        *flop_bundles.TURN_BUCKETS,
    )
}

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
        self._first_visit = lru_cache(NUM_PLAYERS)(
            lambda player: game.visit_first_street(player, EVALUATING, tables, root_reach[player])
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
        equities = self.equities if is_flop else None
        return StoredTables(strategy, values[:-1], locked, equities, self.buckets)

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

    def buckets(self, depth: int, player: int, board: int) -> IntArray | None:
        """Returns ``[n]`` the column of each hand on a street in buckets; None where all differ."""
        street, cards = Street(self.game.first_street + depth), self.game.card_tables
        is_river = street == Street.RIVER and cards.games is not None
        if not is_river and (street != Street.TURN or cards.turn_columns is None):
            return None
        return self.game.find_columns(street, board, player).of_hands

    def evs(self, depth: int, board: int) -> list[FloatArray]:
        """Returns for each player ``[C, n]`` what hands get from the next card on.

        Rows are as in `StreetLayout.next_roots`, values chips back minus chips put in; NaN where a
        hand cannot be held or meets nobody. Streets count from 0.
        """
        self._look_again_if_changed()
        return self._evs(depth, board)

    def root_values(self, player: int) -> Float32Array:
        """Returns ``[H]`` counterfactual values of a player's hands at the root."""
        self._look_again_if_changed()
        values, _ = self._first_visit(player)
        return values

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
        for known in (self._first_visit, self._evs, self._on_board):
            known.cache_clear()
        self._seen = state

    def _find_evs(self, depth: int, board: int) -> list[FloatArray]:
        cards, tree, template = self.game.cards, self.game.spot.tree, self.game.templates[depth]
        dealt = cards.runouts[depth - 1][board] if depth > 0 else ()
        nodes, live, found = list(template.next_roots), live_combos(dealt), []
        for player in range(NUM_PLAYERS):
            _, visit = self._first_visit(player)
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
    real = RealCards(spot, strategy, team)
    reached, meaning = report.exploitability_pot, report.meaning
    quality = Quality(reached, meaning, report.iterations, report.seconds, curve=curve)
    suits = None
    if given is not None:
        suits = CanonicalBoard.from_cards(given.cards).mapping
        spot = replace(spot, board=given.cards)
    tables = real.live.stored()
    return StoredSpot(spot, real.game.cards, tables, quality, unit=Unit.POTS, suits=suits)


def store_shares(
    create: CreateArray,
    game: CardGame,
    tables: LearnedTables,
    names: Mapping[str, str],
    last_street: Street = Street.RIVER,
    dtype: npt.DTypeLike = np.uint16,
) -> StoredLayout:
    """Writes average strategies, and buckets; see `runout.solutions.flop_bundles`.

    Parts that `names` does not name are not written, nor are streets after the last one; `dtype`
    is that of shares.
    """
    streets = [template for template in game.templates if template.street <= last_street]
    has_games = streets[-1].street == Street.RIVER and not game.rivers.is_exact
    in_buckets = _store_turns(create, game, names)
    if has_games:
        num_games, _, width = tables.by_street[-1][0].strategy_sum.shape
        in_buckets[Street.RIVER] = num_games, (width, width)
    layout = StoredLayout(streets, game.cards, in_buckets)
    codes = layout.split(SHARES, create(names[SHARES], (layout.size(SHARES),), np.dtype(dtype)))
    for template, pair, of_street in zip(streets, tables.by_street, codes, strict=False):
        for player, learning in enumerate(pair):
            counts = template.decisions_of(player)[1]
            for board, sums in enumerate(learning.strategy_sum):
                kept = of_street[player][board]
                # Buckets that no hand is in are not kept.
                kept[:] = flop_bundles.encode_shares(sums[:, : kept.shape[1]], counts, dtype)
    if has_games and flop_bundles.RIVER_GAME in names:
        runouts = range(len(game.cards.deals[1].card))
        games = [game.find_columns(Street.RIVER, runout, 0).board for runout in runouts]
        create(names[flop_bundles.RIVER_GAME], (len(games),), np.dtype(np.int32))[:] = games
        # Both players of a joint flop hold everything, and so have one array.
        parts = {names[part]: player for player, part in enumerate(flop_bundles.BUCKETS)}
        for part, player in parts.items():
            num_hands = len(game.cards.players[player].combos)
            bucket = game.card_tables.bucket_games[player].hero[:, :num_hands]
            create(part, bucket.shape, np.dtype(np.uint8))[:] = bucket
    return layout


def _store_turns(
    create: CreateArray, game: CardGame, names: Mapping[str, str]
) -> dict[Street, tuple[int, tuple[int, int]]]:
    """Writes the buckets of turns, unless that is done; see `StoredLayout` for what is returned."""
    if game.card_tables.turn_columns is None:
        return {}
    oop, ip = (
        columns[:, : len(hands.combos)]
        for columns, hands in zip(game.card_tables.turn_columns, game.cards.players, strict=True)
    )
    parts = {
        names[part]: columns
        for part, columns in zip(flop_bundles.TURN_BUCKETS, (oop, ip), strict=True)
        if part in names
    }
    for name, columns in parts.items():
        create(name, columns.shape, np.dtype(np.uint16))[:] = columns
    return {Street.TURN: (len(oop), (int(oop.max()) + 1, int(ip.max()) + 1))}


def store_spot(
    create: CreateArray,
    live: LiveSpot,
    names: Mapping[str, str],
    last_street: Street = Street.RIVER,
    dtype: npt.DTypeLike = np.uint16,
    real: LiveSpot | None = None,
) -> None:
    """Writes everything that is kept of a solved board; see `store_shares` for the arguments.

    Values are those with real cards, if these are given.
    """
    game, tables = live.game, live.tables
    assert isinstance(tables, LearnedTables)
    layout = store_shares(create, game, tables, names, last_street, dtype)
    store_values(create, layout, real or live, names)
    if LOCKED in names and any(oop.lock.size or ip.lock.size for oop, ip in tables.by_street):
        is_locked = create(names[LOCKED], (layout.size(LOCKED),), np.dtype(np.uint8))
        for pair, of_street in zip(tables.by_street, layout.split(LOCKED, is_locked), strict=True):
            for learning, locked in zip(pair, of_street, strict=True):
                locked[:] = learning.lock.any(axis=2) if learning.lock.size else 0
    if flop_bundles.EQUITY in names and game.first_street == Street.FLOP:
        equities = flop_bundles.encode_equities(live.equities())
        create(names[flop_bundles.EQUITY], equities.shape, equities.dtype)[:] = equities


def store_values(
    create: CreateArray, layout: StoredLayout, live: LiveSpot, names: Mapping[str, str]
) -> None:
    """Writes what hands get from the next card on."""
    new: list[list[tuple[Any, Any]]] = [
        layout.split(part, create(names[part], (layout.size(part),), np.dtype(kind)))
        for part, kind in ((flop_bundles.VALUES, np.int16), (flop_bundles.BOUNDS, np.float32))
        if layout.size(part)
    ]
    for depth, (of_codes, of_bounds) in enumerate(zip(*new, strict=True)):
        for board in range(len(of_codes[0])):
            for player, values in enumerate(live.evs(depth, board)):
                encoded = flop_bundles.encode_values(values)
                of_codes[player][board] = encoded.codes
                of_bounds[player][board] = encoded.bounds


@dataclass(frozen=True, eq=False)
class TableStrategy:
    """Average strategies of a solved game, combo by combo and board by board."""

    tables: LearnedTables
    game: CardGame

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        runout, hands = find_hands(self.game.cards, player, dealt, combos)
        place = self.game.find_columns(template.street, runout, player)
        # Hands of a bucket share a column, so columns are fewer than hands.
        return self._shares(template, player, place.board)[:, place.of_hands[hands]]

    @cached_property
    def _shares(self) -> Callable[[StreetTemplate, int, int], Float32Array]:
        """Shares of the last boards: rivers that share a game follow each other."""

        def normalize(template: StreetTemplate, player: int, board: int) -> Float32Array:
            learning = self.tables.on_board(template.street, board)[player]
            sums = learning.strategy_sum.astype(np.float32)
            return flop_bundles.normalize_sums(sums, template.decisions_of(player)[1])

        return lru_cache(2 * NUM_PLAYERS)(normalize)

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes: a quarter of tables of single precision."""
        kept: dict[str, AnyArray] = {}

        def create(name: str, shape: Sequence[int], dtype: np.dtype[Any]) -> AnyArray:
            kept[name] = np.empty(shape, dtype)
            return kept[name]

        store_shares(create, self.game, self.tables, KEPT_NAMES)
        return kept


def strategy_of_sums(sums: Sequence[tuple[AnyArray, AnyArray]], game: CardGame) -> TableStrategy:
    """Returns strategies from sums ``[boards, A, W]`` of OOP and IP, street by street."""
    pairs = [(only_strategy(oop), only_strategy(ip)) for oop, ip in sums]
    return TableStrategy(LearnedTables(pairs, game.first_street), game)


@dataclass(frozen=True, eq=False)
class StoredStrategy:
    """Average strategies that were kept, by street, of OOP and IP, and the arrays they are in."""

    shares: Sequence[tuple[flop_bundles.EncodedShares, flop_bundles.EncodedShares]]
    cards: CardsToCome
    kept: Arrays = field(default_factory=dict)

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        board, hands = find_hands(self.cards, player, dealt, combos)
        counts = template.decisions_of(player)[1]
        return self.shares[len(dealt)][player].on_board(board, counts)[:, hands]

    def to_arrays(self) -> Arrays:
        """Returns the arrays that they were read from."""
        return self.kept


def find_hands(
    cards: CardsToCome, player: int, dealt: tuple[int, ...], combos: IntArray
) -> tuple[int, IntArray]:
    """Returns the number of a board, and ``[C]`` of a player's combos on it, as tables have them.

    A board that was not solved because it differs by suits only is looked up under the names of the
    one that was.
    """
    runout = find_runout(cards, dealt)
    renamed = permute_combos(runout.mapping.new_suits)[combos]
    return runout.board, cards.players[player].positions()[renamed]


# Strategies of a board, however hands were grouped, in the game with real cards.


class RealCards:
    """Strategies of a spot evaluated with every combo on every turn and river card.

    Attributes:
        game: the spot with exact rivers.
        live: what hands get, for looks and bundles.
    """

    def __init__(
        self,
        spot: Spot,
        strategy: FlopStrategy,
        team: Team | None = None,
    ) -> None:
        """Nothing is evaluated before it is asked for."""
        self.game = game = CardGame(spot, team=team)
        self._strategy = strategy
        tables = FixedTables(game.templates, game.cards, strategy.rows)
        reach = [game.cards.root_reach(player) for player in range(NUM_PLAYERS)]
        self.live = LiveSpot(game, tables, reach)

    def measure(self) -> RealGameLoss:
        """Returns what the strategies win, and best responses to them."""
        spot = self.game.spot
        oop, pot = self._add_up(OOP, self.live.root_values(OOP)), spot.tree.stakes.pot
        is_raked = spot.rake.taken_from(pot) > 0.0
        ip = self._add_up(IP, self.live.root_values(IP)) if is_raked else -oop
        best = self._respond(OOP), self._respond(IP)
        return RealGameLoss(best, (oop, ip), pot)

    def _respond(self, player: int) -> float:
        game = self.game
        tables = FixedTables(game.templates, game.cards, self._strategy.rows, (1 - player,))
        reach = game.cards.root_reach(player)
        return self._add_up(player, game.visit(player, RESPONDING, tables, reach))

    def _add_up(self, player: int, values: Float32Array) -> float:
        """Returns what a player wins with all its hands, beyond half the pot."""
        self.game.team.cancel.raise_if_set()
        hands = self.game.cards.players[player]
        return float((hands.weights * values[: len(hands.combos)].astype(np.float64)).sum())


def store_evaluation(path: Path, spot: StoredSpot, live: LiveSpot, loss: RealGameLoss) -> None:
    """Writes a saved spot again with its values with real cards, and what its strategies lose."""
    bundle = load_bundle(path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS)
    config, report = parse_config(bundle.config_text or "", SpotConfig), bundle.documents
    names = flop_bundles.SPOT_NAMES
    new = names[flop_bundles.VALUES], names[flop_bundles.BOUNDS]
    with spot_writer(path, config, bundle.config_text or "", overwrite=True) as writer:
        for name, array in flop_bundles.arrays_of_spot(bundle, spot.layouts, spot.cards).items():
            if name not in new:
                writer.add_array(name, array)
        store_values(writer.create_array, StoredLayout(spot.layouts, spot.cards), live, names)
        noted = {**report[flop_bundles.REPORT], **loss.to_report()}
        writer.add_document(flop_bundles.REPORT, noted)
        writer.commit()


def spot_writer(
    path: Path | str, config: SpotConfig, config_text: str, *, overwrite: bool
) -> BundleWriter:
    """Returns what writes the bundle of a spot."""
    return BundleWriter(
        path,
        kind=flop_bundles.SPOT_KIND,
        schema_version=flop_bundles.SPOT_SCHEMA_VERSION,
        config_text=config_text,
        config_digest=digest_config(config.game_mapping()),
        measured=[flop_bundles.REPORT],
        overwrite=overwrite,
    )


@dataclass(frozen=True, eq=False, repr=False)
class SpotSolution(SolveResult):
    """What the solve of a spot has come to.

    Attributes:
        config: what was asked for.
        solver: the learned tables; more iterations change them.
        outcome: why the solve ended and what it reached in all sittings, in chips.
        real: the strategies with real cards, of which EVs are then taken; None where rivers are
            exact, and as long as nothing was measured.
        loss: what they lose there.
    """

    kind = "spot"

    config: SpotConfig
    solver: SpotSolver
    outcome: SolveOutcome
    manifest: Manifest | None = None
    real: RealCards | None = None
    loss: RealGameLoss | None = None

    @cached_property
    def view(self) -> StoredSpot:
        """Strategies, values and equities at any node."""
        quality = flop_bundles.quality_of(self.config, self._report(), self.manifest)
        seen = look_at(self.solver, quality, self.config)
        if self.real is not None:
            seen.tables = replace(seen.tables, values=self.real.live.stored().values)
        return seen

    def with_real_cards(self, team: Team, loss: RealGameLoss | None = None) -> "SpotSolution":
        """Returns the solution with its strategies as they are now, evaluated with real cards.

        A loss that was measured before need not be measured again.
        """
        game, tables = self.solver.game, self.solver.tables
        settle_locks(game.templates, tables)
        real = RealCards(game.spot, TableStrategy(tables, game), team)
        return replace(self, real=real, loss=loss or real.measure())

    @property
    def is_interrupted(self) -> bool:
        """Whether the solve was stopped before any of its limits was met."""
        return self.outcome.reason == StopReason.INTERRUPTED

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """In which game the exploitability is: rivers in buckets are another game."""
        return flop_bundles.meaning_of(self.config)

    @property
    def exploitability_pot(self) -> float:
        """The exploitability as a fraction of the pot."""
        return self.outcome.exploitability / self.config.pot

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the solve as a bundle, all of it or nothing."""
        self.begin_saving(path, overwrite=overwrite, has_solution=True)()

    def begin_saving(
        self, path: Path | str, *, overwrite: bool = False, has_solution: bool = False
    ) -> Finish:
        """Copies the tables into files and returns what makes a bundle of them.

        Learning may continue before that is called. A solution takes the time of two iterations.
        """
        writer = spot_writer(path, self.config, self.config.to_yaml(), overwrite=overwrite)

        def fill(writer: BundleWriter) -> None:
            if has_solution:
                settle_locks(self.solver.game.templates, self.solver.tables)
                live = LiveSpot(self.solver.game, self.solver.tables, self.solver.root_reach)
                real = None if self.real is None else self.real.live
                store_spot(writer.create_array, live, flop_bundles.SPOT_NAMES, real=real)
            if self.config.keep_resume or self.is_interrupted or not has_solution:
                for name, array in self.solver.tables.named_arrays():
                    writer.add_array(name, array)
            writer.add_document(flop_bundles.REPORT, self._report())

        return begin_bundles([(writer, fill)])

    @classmethod
    def load(cls, path: Path | str, *, team: Team | None = None) -> "SpotSolution":
        """Opens a saved solve; tables stay on the disk until they are looked at.

        Learning may go on, shared by the threads of a team: what changes is kept in memory, and the
        files stay as they are. Digests of all tables are computed to verify them.
        """
        bundle = load_bundle(
            path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, is_writable=True
        )
        if bundle.arrays and all(name.startswith("solution_") for name in bundle.arrays):
            problem = "keeps nothing to go on from (keep_resume: false), it can only be shown"
            raise BundleError(str(path), problem)
        with reading_contents(path):
            config, outcome = _read_outcome(bundle)
            solver = start_solver(config, team)
        solver.tables = _fill(str(path), solver.tables, bundle.arrays)
        solver.iteration, solver.seconds = outcome.iterations, outcome.seconds
        solver.history = outcome.history
        loaded = cls(config, solver, outcome, bundle.manifest)
        loss = RealGameLoss.of_report(bundle.documents[flop_bundles.REPORT], config.pot)
        return loaded if loss is None else loaded.with_real_cards(solver.game.team, loss)

    def _report(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "reason": outcome.reason.name.lower(),
            "iterations": outcome.iterations,
            "seconds": outcome.seconds,
            "exploitability_chips": outcome.exploitability,
            "curve_chips": [list(point) for point in outcome.history],
            **({} if self.loss is None else self.loss.to_report()),
        }


def start_solver(config: SpotConfig, team: Team | None = None) -> SpotSolver:
    """Returns a solver that has learned nothing, and has no locks."""
    precision = Precision(config.precision)
    spot, rivers = flop_bundles.build_spot(config), river_buckets(config)
    return SpotSolver(spot, config.cfr_variant, team, precision, rivers)


def load_outcome(path: Path | str) -> tuple[SpotConfig, SolveOutcome]:
    """Reads what was solved and what was reached, without looking at the tables."""
    bundle = load_bundle(path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, verify=False)
    with reading_contents(path):
        return _read_outcome(bundle)


def _read_outcome(bundle: Bundle) -> tuple[SpotConfig, SolveOutcome]:
    config = parse_config(bundle.config_text or "", SpotConfig)
    report = bundle.documents[flop_bundles.REPORT]
    reason, exploitability = (
        report["reason"].upper(),
        require_number(report["exploitability_chips"]),
    )
    lasted = int(require_number(report["iterations"])), require_number(report["seconds"])
    curve = report.get("curve_chips", ())
    history = tuple((int(require_number(n)), require_number(chips)) for n, chips in curve)
    return config, SolveOutcome(StopReason[reason], *lasted, math.nan, exploitability, history)


def _fill(where: str, empty: LearnedTables, arrays: Mapping[str, AnyArray]) -> LearnedTables:
    """Returns tables like the empty ones that hold the arrays of a bundle."""

    def saved(street: int, player: int, learning: Learning) -> Learning:
        found: dict[str, Any] = {}
        for part, expected in learning._asdict().items():
            name = name_of_table(Street(street), player, part)
            # The locks of empty tables have no size yet.
            shape = learning.regret.shape if part == "lock" else expected.shape
            if name in arrays:
                found[part] = array = arrays[name]
                if (array.dtype, array.shape) != (expected.dtype, shape):
                    came, wanted = f"{array.dtype} {array.shape}", f"{expected.dtype} {shape}"
                    raise BundleError(where, f"{name} is {came}, this version builds {wanted}")
            elif expected.size:
                raise BundleError(where, f"has no array {name}")
        return learning._replace(**found)

    first = empty.first_street
    by_street = [
        (saved(street, 0, oop), saved(street, 1, ip))
        for street, (oop, ip) in enumerate(empty.by_street, start=first)
    ]
    return LearnedTables(by_street, first)
