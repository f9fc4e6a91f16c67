"""A saved solution of a spot: any node of it in milliseconds, without a solver.

What is kept: average strategies of all streets, and for every line that ends a street before the
river what both players' hands get from the next card on. So a node takes one walk of its street:
the value of a river takes nothing but its strategies, and that of a flop would take every runout.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from runout.arrays import AnyArray, BoolArray, FloatArray, IntArray
from runout.cards.card import NUM_CARDS, RIVER_SIZE, format_cards
from runout.cards.combos import NUM_COMBOS
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.holdem.cards_to_come import CardsToCome, Runout
from runout.holdem.spot import Spot
from runout.holdem.street_layout import StreetLayout, make_layouts
from runout.trees.betting import Street
from runout.views.codec import EncodedValues, decode_shares, decode_values
from runout.views.node import Unit, divide
from runout.views.quality import Quality
from runout.views.showdowns import Showdowns, runout_margins
from runout.views.spot_nodes import SpotNodes
from runout.views.spot_path import SpotPosition
from runout.views.street_values import StreetPlay

_PLAYERS = (0, 1)
_CARDS_IN_HANDS = 4
_LARGEST_SHARE = 2**16 - 1

#: Boards whose orders of strength are kept: those of a turn have 48 rivers.
_KEPT_BOARDS = 8


@dataclass(frozen=True, eq=False)
class StoredStreet:
    """What is kept of a street; all arrays by board, as the tables were.

    Attributes:
        strategy: of OOP and IP, ``[boards, A, W]`` coded shares, rows as in `StreetLayout`.
        values: of OOP and IP, ``[boards, C, n]`` what hands get from the next card on, by the
            street's `StreetLayout.next_roots`; None on rivers, and where none were kept.
        is_locked: of OOP and IP, ``[boards, A]`` whether hands were told what to do at the decision
            with this first row; None if nobody was told anything.
    """

    strategy: tuple[AnyArray, AnyArray]
    values: tuple[EncodedValues, EncodedValues] | None
    is_locked: tuple[AnyArray, AnyArray] | None = None


@dataclass(frozen=True, eq=False)
class StoredBuckets:
    """How rivers that were solved in buckets are found.

    Attributes:
        game: ``[runouts]`` the game that each runout is part of.
        bucket: of OOP and IP, ``[games, n]`` the bucket of each hand; ``number`` if impossible.
        number: of buckets.
    """

    game: AnyArray
    bucket: tuple[AnyArray, AnyArray]
    number: int


@dataclass(frozen=True, eq=False)
class StoredTables:
    """Everything that is kept of a spot.

    Attributes:
        streets: from the first one on.
        equity: ``[n, m]`` on a flop, what OOP's hands win of a pot against IP's, of 65,535.
        buckets: of compact rivers; None if every hand has a column.
    """

    streets: tuple[StoredStreet, ...]
    equity: AnyArray | None
    buckets: StoredBuckets | None = None


class StoredSpot(SpotNodes):
    """A saved solution of a spot."""

    def __init__(
        self,
        spot: Spot,
        cards: CardsToCome,
        tables: StoredTables,
        quality: Quality | None,
        config: SpotConfig | None = None,
        unit: Unit = Unit.CHIPS,
    ) -> None:
        """Opens a solution.

        Args:
            spot: what was solved.
            cards: its hands and boards.
            tables: what was kept.
            quality: how well it was solved.
            config: what was asked for, if it was solved by itself.
            unit: of the spot's money.
        """
        super().__init__(spot, cards, quality, unit)
        self.config = config
        self.tables = tables
        self.layouts = make_layouts(spot.tree)
        self._row_of = [_rows_by_node(layout, spot.tree.num_nodes) for layout in self.layouts]
        # Several threads may look at once.
        self._ranked = lru_cache(_KEPT_BOARDS)(self._rank)

    def _strategy(self, street: Street, board: int, player: int, children: range) -> FloatArray:
        """Returns ``[A, 1326]`` what is done at a decision, 0 beyond the range."""
        depth = street - self.spot.tree.first_street
        if depth >= len(self.tables.streets):
            name = street.label
            problem = f"strategies of the {name} were not kept, solve with keep_rivers: true"
            raise BundleError(f"board {format_cards(self.spot.board)}", problem)
        first = int(self._row_of[depth][player][children.start])
        rows = slice(first, first + len(children))
        table, buckets = self.tables.streets[depth].strategy[player], self.tables.buckets
        if street != Street.RIVER or buckets is None:
            return self._spread(decode_shares(table[board, rows]), player)
        game = int(buckets.game[board])
        codes = np.asarray(table[game, rows])
        # Hands that hold the river card have no bucket; any column will do.
        column = np.minimum(buckets.bucket[player][game], buckets.number - 1)
        return self._spread(decode_shares(codes)[:, column], player)

    def _values(
        self, position: SpotPosition, runout: Runout, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Returns ``[2, 1326]`` EVs of a node and ``[A, 1326]`` of the actor's actions."""
        is_river = position.street == Street.RIVER
        if not is_river and self.tables.streets[len(position.dealt)].values is None:
            shapes = (2, NUM_COMBOS), (len(position.children), NUM_COMBOS)
            return np.full(shapes[0], np.nan), np.full(shapes[1], np.nan)
        play = StreetPlay(
            tree=self.spot.tree,
            rake=self.spot.rake,
            street=position.street,
            strategy_at=lambda node: self._played(node, runout),
            ev_after=lambda node, player: self._ev_after(node, player, runout),
            showdowns=self._ranked(position.spot.board + runout.dealt)[0] if is_river else None,
        )
        return play.values(position.node, weights)

    def _ev_after(self, node: int, player: int, runout: Runout) -> FloatArray:
        """Returns ``[1326]`` what hands get from the next card on, NaN where they meet nobody."""
        depth = len(runout.dealt)
        values = self.tables.streets[depth].values
        assert values is not None  # where there are none, no value of the street is known
        codes, bounds = values[player]
        row = self._chance_row[depth][node]
        kept = decode_values(EncodedValues(codes[runout.board, row], bounds[runout.board, row]))
        evs = np.full(NUM_COMBOS, np.nan)
        combos = self.cards.players[player].combos
        evs[combos] = kept[: len(combos)]
        return evs

    @cached_property
    def _chance_row(self) -> list[dict[int, int]]:
        return [
            {node: row for row, node in enumerate(layout.next_roots)} for layout in self.layouts
        ]

    def _equity(
        self, runout: Runout, weights: FloatArray, met: FloatArray, is_held: BoolArray
    ) -> FloatArray:
        """Returns ``[2, 1326]`` shares of the pot at a showdown."""
        board = self.spot.board + runout.dealt
        if self.tables.equity is not None and not runout.dealt:
            return self._first_equity(weights, met)
        if len(board) < RIVER_SIZE - 1:
            return np.full((2, NUM_COMBOS), np.nan)
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
        return self.tables.equity.astype(np.float64) / _LARGEST_SHARE

    def _rank(self, board: tuple[int, ...]) -> list[Showdowns]:
        """Returns the combos by strength on a river, or on all rivers of a turn."""
        rivers = [board]
        if len(board) < RIVER_SIZE:
            rivers = [(*board, card) for card in self.spot.deck if card not in board]
        return [Showdowns.on(river) for river in rivers]

    def _is_locked(self, position: SpotPosition, runout: Runout, actor: int) -> bool:
        """Returns whether hands were told what to do at a decision."""
        depth = len(position.dealt)
        locked = self.tables.streets[depth].is_locked
        if locked is None:
            return False
        row = int(self._row_of[depth][actor][position.children.start])
        return bool(locked[actor][runout.board, row])


def _rows_by_node(layout: StreetLayout, num_nodes: int) -> list[IntArray]:
    """Returns for each player ``[N]`` the row of the action that leads to a tree node, else -1."""
    rows = []
    for nodes in layout.action_node:
        of_node = np.full(num_nodes, -1, dtype=np.int64)
        of_node[nodes] = np.arange(len(nodes))
        rows.append(of_node)
    return rows
