"""Average strategies of a joint solve at every flop leaf on every flop, saved to be opened later.

`runout.views.joint_bundle` has the layout, and opens them without a solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, Uint8Array
from runout.cards.canonical_hands import HAND_BY_COMBO
from runout.cards.card import format_cards
from runout.cards.flops import Flop
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.card_game import CardGame
from runout.holdem.compact_game import CompactGame
from runout.holdem.spot_solver import average_rows
from runout.holdem.street_layout import make_layouts
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.tables import LearnedTables, count_boards
from runout.postflop.spot.solution_arrays import encode_equities, runout_games
from runout.postflop.spot.spot_view import SpotView
from runout.preflop.joint.joint_leaves import LearningLeaves
from runout.preflop.joint.subgames import Subgame, count_alike
from runout.results.preflop_solution import PreflopSolution
from runout.storage.manifest import digest_config
from runout.storage.writer import BundleWriter
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree
from runout.version import __version__
from runout.views.codec import encode_values, shares_of
from runout.views.joint_bundle import (
    KIND,
    LAYOUT,
    SCHEMA_VERSION,
    JointFlops,
    bucket_names,
    equity_name,
    name_of,
    place_lines,
    value_names,
)

#: Of a probability that is kept, of a value, and of a row of values.
KEPT_BYTES_PER_CELL = 1
_VALUE_BYTES = 2
_BOUNDS_BYTES = 8

_LARGEST = 255


def save_flop_strategies(
    path: Path,
    leaves: LearningLeaves,
    solution: PreflopSolution,
    config_text: str,
    *,
    keep_rivers: bool = True,
    overwrite: bool = False,
) -> None:
    """Writes what was learned after the flop as a bundle, all of it or nothing.

    Args:
        path: the bundle.
        leaves: of the solved game.
        solution: what is done before the flop, and so what arrives there.
        config_text: of the run.
        keep_rivers: whether rivers are kept, and not only flops and turns.
        overwrite: whether to replace a bundle that is at ``path``.

    Raises:
        BundleError: if it cannot be written, or exists and is not to be overwritten.
    """
    last_street = Street.RIVER if keep_rivers else Street.TURN
    arriving = [solution.arriving_ranges(leaf.node) for leaf in leaves.flop_leaves]
    with BundleWriter(
        path,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        package_version=__version__,
        config_text=config_text,
        config_digest=digest_config(config_text),
        overwrite=overwrite,
    ) as writer:
        bucket_numbers: list[int] = []
        for flop, subgames in enumerate(leaves.subgames):
            for leaf, subgame in enumerate(subgames):
                _add_shares(writer, flop, leaf, subgame, last_street)
            if subgames:
                _add_values(writer, flop, subgames, arriving)
                combos = subgames[0].combos
                board = leaves.deals.flops.flops[flop]
                writer.add_array(equity_name(flop), encode_equities(board, combos, combos))
                if keep_rivers:
                    games = [subgame.game for subgame in subgames]
                    bucket_numbers = _add_buckets(writer, flop, games)
        layout = {
            "flops": [format_cards(flop) for flop in leaves.deals.flops.flops],
            "weights": leaves.deals.flops.weights.tolist(),
            "leaves": [leaf.path for leaf in leaves.flop_leaves],
            "last_street": last_street.label,
            "bucket_numbers": bucket_numbers,
        }
        writer.add_document(LAYOUT, layout)
        writer.commit()


def _add_shares(
    writer: BundleWriter, flop: int, leaf: int, subgame: Subgame, last_street: Street
) -> None:
    for template, pair in zip(subgame.game.templates, subgame.tables.by_street, strict=True):
        for player, learning in enumerate(pair):
            if template.street <= last_street and learning.strategy_sum.size:
                shares = quantize_sums(template, player, learning.strategy_sum)
                writer.add_array(name_of(flop, leaf, template.street, player), shares)


def _add_values(
    writer: BundleWriter, flop: int, subgames: Sequence[Subgame], arriving: Sequence[FloatArray]
) -> None:
    """Writes what hands get from the next card on, in pots, where flop and turn end."""
    cards = subgames[0].game.cards
    layouts = [subgame.game.templates for subgame in subgames]
    places = place_lines(layouts, count_boards(cards))
    values_name, bounds_name = value_names(flop)
    codes = writer.create_array(values_name, (places.total, len(cards.players[0].combos)), np.int16)
    bounds = writer.create_array(bounds_name, (places.total, 2), np.float32)
    for leaf, subgame in enumerate(subgames):
        view = SpotView(PlayedSubgame.of(subgame, arriving[leaf]))
        for depth, template in enumerate(subgame.game.templates[:-1]):
            runouts = cards.runouts[depth - 1] if depth > 0 else ((),)
            for board, dealt in enumerate(runouts):
                for player, values in enumerate(view.chance_evs(depth, dealt)):
                    begin = places.begin[leaf, template.street, player] + board * len(values)
                    lines = slice(begin, begin + len(values))
                    codes[lines], bounds[lines] = encode_values(values)


def _add_buckets(writer: BundleWriter, flop: int, games: Sequence[CardGame]) -> list[int]:
    """Writes the buckets of a flop's rivers; returns of each leaf which of them it uses."""
    ways: list[object] = []
    numbers = []
    for game in games:
        if not isinstance(game, CompactGame):
            return []
        if game.river_games not in ways:
            ways.append(game.river_games)
            of_runouts, buckets = bucket_names(flop, len(ways) - 1)
            writer.add_array(of_runouts, runout_games(game))
            num_hands = len(game.cards.players[0].combos)  # both players hold everything
            writer.add_array(
                buckets, np.ascontiguousarray(game.river_games.bucket[0][:, :num_hands])
            )
        numbers.append(ways.index(game.river_games))
    return numbers


@dataclass
class PlayedSubgame:
    """What a view needs to know of a subgame; see `PlayedSpot`."""

    game: CardGame
    tables: LearnedTables
    root_reach: list[Float32Array]
    iteration: int = 0
    num_lock_changes: int = 0

    @classmethod
    def of(cls, subgame: Subgame, arriving: FloatArray) -> "PlayedSubgame":
        """Returns a subgame with what ``arriving[2, 169]`` OOP and IP bring."""
        reach = []
        for player in range(NUM_PLAYERS):
            brought = arriving[1 - player][HAND_BY_COMBO[subgame.combos]]
            row = np.zeros(subgame.width, np.float32)
            # Only ratios matter, and the largest should not be a tiny number.
            row[: len(brought)] = brought / (brought.max() or 1.0)
            reach.append(row)
        return cls(subgame.game, subgame.tables, reach)

    def average_strategy(self, street: Street, board: int, player: int, rows: range) -> FloatArray:
        """Returns ``[A, n]`` what a player's hands do on average at a decision."""
        place = self.game.find_columns(street, board, player)
        learning = self.tables.on_board(street, place.board)[player]
        return average_rows(learning, rows)[:, place.of_hands]


def count_value_bytes(flops: Sequence[Flop], trees: Sequence[PostflopTree]) -> int:
    """Returns what values, and equities, of some flops take on the disk."""
    total = 0
    layouts = [make_layouts(tree) for tree in trees]
    for cards, number in count_alike(flops):
        num_hands = len(cards.players[0].combos)
        lines = place_lines(layouts, count_boards(cards)).total
        of_values = lines * (_VALUE_BYTES * num_hands + _BOUNDS_BYTES)
        total += number * (of_values + _VALUE_BYTES * num_hands**2)
    return total


def quantize_sums(template: StreetTemplate, player: int, sums: AnyArray) -> Uint8Array:
    """Returns ``[boards, A, W]`` the shares of actions as whole numbers of 0 to 255.

    Where a hand never came, all of them are 0.

    Args:
        template: the betting of the street.
        player: whose sums they are.
        sums: ``[boards, A, W]`` strategy sums, in any scale that the actions of a decision share.
    """
    first, counts = template.decisions_of(player)
    shares = np.zeros(sums.shape, np.uint8)
    for board, of_board in enumerate(sums):
        shares[board] = np.rint(_LARGEST * shares_of(of_board, first, counts))
    return shares


def read_tables(
    saved: JointFlops, flop: int, leaf: int, templates: list[StreetTemplate]
) -> LearnedTables:
    """Returns tables of players who do not learn any more, with shares as sums.

    Args:
        saved: what was kept.
        flop: the number of the flop.
        leaf: the number of the leaf.
        templates: the betting of the leaf.
    """
    by_street = []
    for template in templates:
        oop, ip = (
            _fixed(saved.arrays.get(name_of(flop, leaf, template.street, player)))
            for player in range(NUM_PLAYERS)
        )
        by_street.append((oop, ip))
    return LearnedTables(by_street, templates[0].street)


def _fixed(shares: AnyArray | None) -> Learning:
    sums = np.zeros((0, 0, 0), np.uint8) if shares is None else shares
    num_boards = len(sums)
    return Learning(
        regret=np.zeros((num_boards, 0, 0), np.float32),
        regret_scale=np.zeros((num_boards, 0), np.float32),
        strategy_sum=sums,
        sum_scale=np.zeros((num_boards, 0), np.float32),
        lock=np.zeros((num_boards, 0, 0), np.uint8),
    )
