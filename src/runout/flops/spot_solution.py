"""A spot that was solved, or is being solved: looking into it, and keeping it."""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from runout.arrays import (
    AnyArray,
    BoolArray,
    Float32Array,
    FloatArray,
    Int32Array,
    IntArray,
    Uint16Array,
)
from runout.cards.deck import NUM_COMBOS, disjoint_combos
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.cfr.team import Team
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.equity.board import compute_board_equity
from runout.errors import BundleError
from runout.flops.spot_setup import decision_rows, river_buckets, settle_locks
from runout.holdem.cards import Runout, find_runout
from runout.holdem.compact_game import CompactGame
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame, SpotTables, StreetVisit
from runout.holdem.solver import SpotSolver
from runout.holdem.street_kernels import EVALUATE, Step
from runout.holdem.tables import LearnedTables, Precision, name_of_table
from runout.simd.decision_kernels import Learning
from runout.solutions.flop import SpotNodes, SpotPosition, encode_shares, encode_values
from runout.solutions.flop_bundles import (
    BOUNDS,
    BUCKET,
    EQUITY,
    LOCKED,
    REPORT,
    RIVER_GAME,
    SPOT_KIND,
    SPOT_SCHEMA_VERSION,
    STRATEGY,
    VALUES,
    build_spot,
    meaning_of,
    name_of_spot,
    quality_of,
)
from runout.solutions.node import Curve, Node, Provenance, Quality, Unit, divide, weight_met
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import digest_config, load_bundle, reading_contents
from runout.storage.writer import BundleWriter, Finish
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.version import __version__

# --------------------------------------------------------------------------------------------------
# Looking into a solved spot: what every combo does, is worth and wins at any node.
#
# Values are those of the average strategies. They are found by visiting the street in question
# with the ranges that arrive there, and the last visits are kept, so that walking around is quick.
# Cards that differ by suits only are solved once: what is asked about the others is answered with
# the suits renamed.


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


# --------------------------------------------------------------------------------------------------
# What is kept of a spot to be looked at: strategies, and values where streets end.
#
# A value takes evaluating visits of the whole spot, so saving takes about as long as two
# iterations.


_LARGEST_SHARE = 2**16 - 1


def add_solution(writer: BundleWriter, solver: SpotSolver) -> None:
    """Writes the solution of a spot into a bundle in the making."""
    settle_locks(solver.game.templates, solver.tables)
    for template, pair in zip(solver.game.templates, solver.tables.by_street, strict=True):
        for player, learning in enumerate(pair):
            _add_strategy(writer, solver, template, player, learning)
        if any(learning.lock.size for learning in pair):
            for player, learning in enumerate(pair):
                shape = learning.regret.shape[:2]
                locked = np.zeros(shape, np.uint8)
                if learning.lock.size:
                    locked[:] = learning.lock.any(axis=2)
                writer.add_array(name_of_spot(template.street, player, LOCKED), locked)
    view = SpotView(solver)
    for depth, template in enumerate(solver.game.templates[:-1]):
        _add_values(writer, view, depth, template)
    if isinstance(solver.game, CompactGame):
        _add_buckets(writer, solver.game)
    if solver.game.first_street == Street.FLOP:
        oop, ip = (player.combos for player in solver.game.cards.players)
        writer.add_array(EQUITY, encode_equities(solver.game.spot.board, oop, ip))


def _add_strategy(
    writer: BundleWriter,
    solver: SpotSolver,
    template: StreetTemplate,
    player: int,
    learning: Learning,
) -> None:
    _, counts = template.decisions_of(player)
    sums = learning.strategy_sum
    num_hands = len(solver.game.cards.players[player].combos)
    width = min(sums.shape[2], num_hands) if solver.game.has_exact_rivers else sums.shape[2]
    if template.street != Street.RIVER:
        width = num_hands
    name = name_of_spot(template.street, player, STRATEGY)
    rows = (encode_shares(of_board[:, :width], counts) for of_board in sums)
    writer.add_rows(name, (*sums.shape[:2], width), np.uint16, rows)


def _add_values(writer: BundleWriter, view: SpotView, depth: int, template: StreetTemplate) -> None:
    cards = view.cards
    runouts = cards.runouts[depth - 1] if depth > 0 else ((),)
    lines = (len(runouts), len(template.next_roots))
    arrays: list[tuple[Any, Any]] = [
        (
            writer.create_array(
                name_of_spot(template.street, player, VALUES),
                (*lines, len(cards.players[player].combos)),
                np.int16,
            ),
            writer.create_array(
                name_of_spot(template.street, player, BOUNDS), (*lines, 2), np.float32
            ),
        )
        for player in range(NUM_PLAYERS)
    ]
    for board, dealt in enumerate(runouts):
        for (codes, bounds), values in zip(arrays, view.chance_evs(depth, dealt), strict=True):
            codes[board], bounds[board] = encode_values(values)


def _add_buckets(writer: BundleWriter, game: CompactGame) -> None:
    writer.add_array(RIVER_GAME, runout_games(game))
    for player, hands in enumerate(game.cards.players):
        bucket = game.river_games.bucket[player][:, : len(hands.combos)]
        writer.add_array(name_of_spot(Street.RIVER, player, BUCKET), np.ascontiguousarray(bucket))


def runout_games(game: CompactGame) -> Int32Array:
    """Returns ``[runouts]`` the bucket game that each runout is part of."""
    runouts = range(len(game.cards.deals[1].card))
    numbers = [game.find_columns(Street.RIVER, runout, 0).board for runout in runouts]
    return np.array(numbers, dtype=np.int32)


def encode_equities(board: Sequence[int], oop: IntArray, ip: IntArray) -> Uint16Array:
    """Returns ``[n, m]`` what OOP's combos win of a pot against IP's, of 65,535."""
    table = compute_board_equity(board)
    ahead = table.wins_between(oop, ip).astype(np.float64) - table.wins_between(ip, oop).T
    shares = (1.0 + ahead / table.num_runouts) / 2.0
    shares[~disjoint_combos(oop, ip)] = 0.0
    codes: Uint16Array = np.rint(_LARGEST_SHARE * shares).astype(np.uint16)
    return codes


# --------------------------------------------------------------------------------------------------
# A spot that was solved, or is being solved, in memory and as a bundle.
#
# The bundle holds everything that learning goes on from, so a solve that is opened and continued
# has the same bits as one that was never interrupted: arrays named ``STREET_PLAYER_PART``, such as
# ``turn_ip_regret``, whose parts are those of `Learning`; empty ones are left out. Beside it stands
# the solution, which `runout.solutions.flop_bundles` opens without a solver.


@dataclass(frozen=True, eq=False)
class SpotSolution:
    """What the solve of a spot has come to.

    Attributes:
        config: what was asked for.
        solver: the learned tables; more iterations change them.
        outcome: why the solve ended and what it reached, in chips; seconds of all sittings.
        curve_chips: exploitability by iteration, whenever it was measured.
        provenance: of the bundle that it was opened from, if it was.
    """

    config: SpotConfig
    solver: SpotSolver
    outcome: SolveOutcome
    curve_chips: Curve = ()
    provenance: Provenance | None = None

    @cached_property
    def view(self) -> SpotView:
        """Strategies, values and equities at any node."""
        return SpotView(self.solver, self.quality)

    @property
    def quality(self) -> Quality:
        """How well it is solved."""
        return quality_of(self.config, self._report(), self.provenance)

    @property
    def is_interrupted(self) -> bool:
        """Whether the solve was stopped before any of its limits was met."""
        return self.outcome.reason == StopReason.INTERRUPTED

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """In which game the exploitability is: rivers in buckets are another game."""
        return meaning_of(self.config)

    @property
    def exploitability_pot(self) -> float:
        """The exploitability as a fraction of the pot."""
        return self.outcome.exploitability / self.config.pot

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the solve as a bundle, all of it or nothing.

        Raises:
            BundleError: if it cannot be written, or exists and is not to be overwritten.
        """
        self.begin_saving(path, overwrite=overwrite, has_solution=True)()

    def begin_saving(
        self, path: Path | str, *, overwrite: bool = False, has_solution: bool = False
    ) -> Finish:
        """Copies the tables into files and returns what makes a bundle of them.

        Learning may go on before that is called, by whichever thread.

        Args:
            path: the bundle's directory.
            overwrite: whether to replace a bundle that is there.
            has_solution: whether it can be looked at without a solver, which takes the time of two
                iterations.

        Raises:
            BundleError: if they cannot be written, or exist and are not to be overwritten.
        """
        with ExitStack() as stack:
            writer = stack.enter_context(
                BundleWriter(
                    path,
                    kind=SPOT_KIND,
                    schema_version=SPOT_SCHEMA_VERSION,
                    package_version=__version__,
                    config_text=self.config.to_yaml(),
                    config_digest=digest_config(self.config.game_mapping()),
                    overwrite=overwrite,
                )
            )
            if has_solution:
                add_solution(writer, self.solver)
            if self.config.keep_resume or self.is_interrupted or not has_solution:
                for name, array in self.solver.tables.named_arrays():
                    writer.add_array(name, array)
            writer.add_document(REPORT, self._report())
            begun = stack.pop_all()

        def finish() -> None:
            with begun:
                writer.commit()

        return finish

    @classmethod
    def load(
        cls, path: Path | str, *, team: Team | None = None, verify: bool = True
    ) -> "SpotSolution":
        """Opens a saved solve; tables stay on the disk until they are looked at.

        Learning may go on: what changes is kept in memory, and the files stay as they are.

        Args:
            path: the bundle's directory.
            team: threads to share further work.
            verify: whether to compute the digests of all tables.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMA_VERSION, verify=verify, is_writable=True)
        if bundle.arrays and all(name.startswith("solution_") for name in bundle.arrays):
            problem = "keeps nothing to go on from (keep_resume: false), it can only be looked at"
            raise BundleError(str(path), problem)
        with reading_contents(path):
            config = load_spot_config(bundle.config_text or "")
            report = bundle.documents[REPORT]
            outcome, curve = _outcome_from(report), _curve_from(report)
            solver = start_solver(config, team)
        solver.tables = _fill(str(path), solver.tables, bundle.arrays)
        solver.iteration = outcome.iterations
        return cls(config, solver, outcome, curve, Provenance.of(bundle.manifest))

    def _report(self) -> dict[str, Any]:
        outcome = self.outcome
        return {
            "reason": outcome.reason.name.lower(),
            "iterations": outcome.iterations,
            "seconds": outcome.seconds,
            "exploitability_chips": outcome.exploitability,
            "curve_chips": [list(point) for point in self.curve_chips],
        }


def start_solver(config: SpotConfig, team: Team | None = None) -> SpotSolver:
    """Returns a solver that has learned nothing, and has no locks.

    Raises:
        TreeError: if the betting tree is too large.
    """
    precision = Precision(config.precision)
    spot, rivers = build_spot(config), river_buckets(config)
    return SpotSolver(spot, config.schedule(), team, precision, rivers)


class SpotFacts(NamedTuple):
    """What was solved, how it ended, and exploitability in chips by iteration."""

    config: SpotConfig
    outcome: SolveOutcome
    curve_chips: Curve


def load_spot_facts(path: Path | str) -> SpotFacts:
    """Reads what was solved and how well, without looking at the tables.

    Raises:
        BundleError: if it is missing, or of another kind or version.
    """
    bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMA_VERSION, verify=False)
    with reading_contents(path):
        config = load_spot_config(bundle.config_text or "")
        report = bundle.documents[REPORT]
        return SpotFacts(config, _outcome_from(report), _curve_from(report))


def _curve_from(report: Mapping[str, Any]) -> Curve:
    return tuple(map(tuple, report.get("curve_chips", ())))


def _outcome_from(report: Mapping[str, Any]) -> SolveOutcome:
    return SolveOutcome(
        reason=StopReason[report["reason"].upper()],
        iterations=int(report["iterations"]),
        seconds=float(report["seconds"]),
        strategy_delta=math.nan,
        exploitability=float(report["exploitability_chips"]),
    )


def _fill(where: str, empty: LearnedTables, arrays: Mapping[str, AnyArray]) -> LearnedTables:
    """Returns tables like the empty ones that hold the arrays of a bundle."""
    by_street = []
    for number, pair in enumerate(empty.by_street):
        street = Street(empty.first_street + number)
        oop, ip = (
            Learning(
                *(
                    _choose(where, name_of_table(street, player, part), learning, part, arrays)
                    for part in Learning._fields
                )
            )
            for player, learning in enumerate(pair)
        )
        by_street.append((oop, ip))
    return LearnedTables(by_street, empty.first_street)


def _choose(
    where: str, name: str, empty: Learning, part: str, arrays: Mapping[str, AnyArray]
) -> Any:
    """Returns the array of a bundle that belongs to a part of empty tables."""
    expected = getattr(empty, part)
    # The locks of empty tables have no size yet.
    shape = empty.regret.shape if part == "lock" else expected.shape
    if name not in arrays:
        if expected.size:
            raise BundleError(where, f"has no array {name}")
        return expected
    array = arrays[name]
    if (array.dtype, array.shape) != (expected.dtype, shape):
        came, wanted = f"{array.dtype} {array.shape}", f"{expected.dtype} {shape}"
        raise BundleError(where, f"{name} is {came}, this version builds {wanted}")
    return array
