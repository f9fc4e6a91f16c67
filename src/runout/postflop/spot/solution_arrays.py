"""What is kept of a spot to be looked at: strategies, and values where streets end.

A value takes evaluating visits of the whole spot, so saving takes about as long as two iterations.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from runout.arrays import Int32Array, IntArray, Uint16Array
from runout.cards.combos import disjoint_combos
from runout.cfr.reach import NUM_PLAYERS
from runout.equity.board_equity import compute_board_equity
from runout.holdem.compact_game import CompactGame
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.postflop.spot.locking import settle_locks
from runout.postflop.spot.spot_view import SpotView
from runout.storage.writer import BundleWriter
from runout.trees.betting import Street
from runout.views.codec import encode_shares, encode_values
from runout.views.spot_bundle import (
    BOUNDS,
    BUCKET,
    EQUITY,
    LOCKED,
    RIVER_GAME,
    STRATEGY,
    VALUES,
    name_of,
)

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
                writer.add_array(name_of(template.street, player, LOCKED), locked)
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
    first, counts = template.decisions_of(player)
    sums = learning.strategy_sum
    num_hands = len(solver.game.cards.players[player].combos)
    width = min(sums.shape[2], num_hands) if solver.game.has_exact_rivers else sums.shape[2]
    if template.street != Street.RIVER:
        width = num_hands
    name = name_of(template.street, player, STRATEGY)
    nothing = np.zeros((sums.shape[1], width), np.uint16)
    rows = (
        encode_shares(of_board[:, :width], first, counts) if len(first) else nothing
        for of_board in sums
    )
    writer.add_rows(name, (*sums.shape[:2], width), np.uint16, rows)


def _add_values(writer: BundleWriter, view: SpotView, depth: int, template: StreetTemplate) -> None:
    cards = view.cards
    runouts = cards.runouts[depth - 1] if depth > 0 else ((),)
    lines = (len(runouts), len(template.next_roots))
    arrays: list[tuple[Any, Any]] = [
        (
            writer.create_array(
                name_of(template.street, player, VALUES),
                (*lines, len(cards.players[player].combos)),
                np.int16,
            ),
            writer.create_array(name_of(template.street, player, BOUNDS), (*lines, 2), np.float32),
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
        writer.add_array(name_of(Street.RIVER, player, BUCKET), np.ascontiguousarray(bucket))


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
