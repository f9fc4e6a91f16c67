"""A flop with every hand on flop and turn, and rivers as bucket games.

Flop and turn are visited as in `spot_game`, with the same kernels and tables; there are only 1 + 49
boards of them. What lies below a turn card is `compact_kernels.visit_turn`. Cards do not depend on
the betting, so all trees of a flop can share them, and any number of games one working space.
"""

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int32Array, IntArray
from runout.cards.deck import NUM_CARDS
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem import street_kernels, visit_kernels
from runout.holdem.cards import Spot
from runout.holdem.forest import StreetTemplate, make_templates
from runout.holdem.game import (
    Columns,
    SpotTables,
    StreetVisit,
    arrive,
    iterate_visits,
    known_to,
    orders_of,
)
from runout.holdem.layouts import (
    Arrival,
    BucketBetting,
    CompactScratch,
    CompactStreets,
    Hands,
    Terminals,
    TurnArrival,
)
from runout.holdem.rivers import CompactCards, RiverBuckets
from runout.holdem.street_kernels import Forest, Step
from runout.holdem.tables import Precision, StreetSize, make_scratch
from runout.holdem.workspace import Workspace, WorkspaceShape, compact_sizes
from runout.simd.decision_kernels import Learning
from runout.simd.lane_kernels import PRODUCT_BLOCK
from runout.simd.vector_kernels import LANES
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

#: Rows of buckets are short: all nodes of a river are one group.
ONE_GROUP = 1 << 30

#: Turn cards that a thread takes at once.
_TURNS_AT_ONCE = 3


class CompactGame:
    """The cards and betting of a flop whose rivers are bucket games."""

    def __init__(
        self,
        spot: Spot,
        cards: CompactCards,
        precision: Precision = Precision.SINGLE,
        workspace: Workspace | None = None,
    ) -> None:
        """Prepares the betting.

        Args:
            spot: what is played.
            cards: of the spot's board and ranges; games of other bettings may share them.
            precision: of the tables that visits will be given.
            workspace: to visit in, unless visits bring their own; made when first needed.
        """
        self.spot = spot
        self.cards, self.river_games = cards.to_come, cards.games
        self.precision = precision
        self.templates = make_templates(spot.tree, spot.rake, ONE_GROUP)
        played = make_templates(spot.tree, spot.rake, ONE_GROUP, settled=(Street.FLOP,))
        self._cards = cards
        if workspace is not None:
            self.workspace = workspace
        players = range(NUM_PLAYERS)
        # Visits do without cards after all-ins on the flop; who looks at nodes may deal them.
        self._played = [self._see(player, played) for player in players]
        # Cards with many games first, so that nobody is left with a long one at the end.
        sizes = np.diff(cards.games.first_game)
        self._turn_order = np.argsort(-sizes, kind="stable")

    @classmethod
    def plan(
        cls,
        spot: Spot,
        buckets: RiverBuckets,
        team: Team | None = None,
        precision: Precision = Precision.SINGLE,
    ) -> "CompactGame":
        """Returns the game of a spot with cards and working space of its own.

        Raises:
            RangeError: if the board leaves nothing of a range.
            ConfigError: if the spot is no flop, or its deck is not whole.
        """
        if len(spot.deck) != NUM_CARDS:
            problem = f"compact needs a whole deck, this one has {len(spot.deck)} cards"
            raise ConfigError("rivers", problem)
        cards = CompactCards.plan(
            spot.board, spot.ranges, buckets, merges_suits=spot.merges_suits, team=team
        )
        game = cls(spot, cards, precision)
        game.workspace = Workspace([game.workspace_shapes()], team)
        return game

    @cached_property
    def workspace(self) -> Workspace:
        """Where visits work that do not bring a space of their own."""
        return Workspace([self.workspace_shapes()])

    @cached_property
    def _looked_at(self) -> list["_Betting"]:
        """The betting with cards after all-ins on the flop, seen from OOP and IP."""
        return [self._see(player, self.templates) for player in range(NUM_PLAYERS)]

    @property
    def first_street(self) -> Street:
        """The flop."""
        return Street.FLOP

    @property
    def has_exact_rivers(self) -> bool:
        """Never."""
        return False

    def workspace_shapes(self) -> tuple[WorkspaceShape, WorkspaceShape]:
        """Returns how much working space visits need, seen from OOP and from IP."""
        num_turns, buckets = len(self.cards.deals[0].card), self.river_games.buckets.number
        oop, ip = (
            WorkspaceShape.of(
                self.templates, self._cards.widths, num_turns, buckets, player, self.precision
            )
            for player in range(NUM_PLAYERS)
        )
        return oop, ip

    def table_sizes(self) -> list[StreetSize]:
        """Returns the sizes of tables with every hand on flop and turn, and buckets on rivers."""
        return compact_sizes(self.cards, self.river_games.buckets)

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns where tables keep a board; on a river, hands of a bucket share a column."""
        num_hands = len(self.cards.players[player].combos)
        if street != Street.RIVER:
            return Columns(board, np.arange(num_hands))
        turn = int(np.searchsorted(self.cards.deals[0].first_next, board, side="right")) - 1
        number = self.river_games.find(turn, int(self.cards.deals[1].card[board]))
        bucket = self.river_games.bucket[player][number, :num_hands].astype(np.int64)
        # Hands that hold the river card have no bucket; any column will do.
        return Columns(number, np.minimum(bucket, self.river_games.buckets.number - 1))

    def hands(self, player: int) -> Hands:
        """Returns both players' hands as one of them sees them."""
        return self._cards.hands[player]

    def visit(
        self,
        player: int,
        step: Step,
        tables: SpotTables,
        root_reach: Float32Array,
        workspace: Workspace | None = None,
    ) -> Float32Array:
        """See `CardGame.visit`; in a workspace of the caller's, or else in the game's own."""
        space = workspace or self.workspace
        scratch = space.sides[player].flop
        flop, hands = self._played[player].flop, self._cards.hands[player]
        knowledge = known_to(player, tables.on_board(Street.FLOP, 0))
        meeting = visit_kernels.meet(hands, self._cards.flop_orders[player], 0)
        visit_kernels.begin_street(
            flop, hands, meeting, knowledge.villain, step, arrive(root_reach), scratch
        )
        street_kernels.value_all_ins(flop, self._cards.net_wins[player][0], meeting, scratch)
        chance_value = self._visit_turns(player, step, tables, space)
        visit_kernels.end_street(flop, chance_value, knowledge.hero, step, scratch)
        root_value: Float32Array = scratch.value[0].copy()
        return root_value

    def iterate(
        self, weights: Float32Array, tables: SpotTables, root_reach: Sequence[Float32Array]
    ) -> None:
        """See `CardGame.iterate`."""
        iterate_visits(self, weights, tables, root_reach)

    def visit_first_street(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> StreetVisit:
        """See `CardGame.visit_first_street`."""
        self.visit(player, step, tables, root_reach)
        scratch = self.workspace.sides[player].flop
        return StreetVisit(scratch.value.copy(), scratch.reach.copy())

    def visit_turn_card(
        self, player: int, number: int, step: Step, tables: SpotTables, reach: Float32Array
    ) -> StreetVisit:
        """See `CardGame.visit_turn_card`."""
        scratch, betting = self.workspace.sides[player].turns[0], self._looked_at[player]
        shape = (
            len(self.cards.deals[0].card),
            len(betting.flop.chance),
            self._cards.widths[player],
        )
        out, numbers = np.zeros(shape, np.float32), np.array([number])
        self._visit_cards(numbers, betting, player, step, tables, reach, scratch, out)
        return StreetVisit(scratch.turn.value.copy(), scratch.turn.reach.copy())

    def visit_river_card(
        self,
        player: int,
        number: int,
        group: int,
        step: Step,
        tables: SpotTables,
        reach: Float32Array,
    ) -> StreetVisit:
        """See `CardGame.visit_river_card`: what buckets do, played by their hands."""
        deal, river = self.cards.deals[1], self.templates[Street.RIVER]
        both = tuple(self._spread(tables, number, which) for which in range(NUM_PLAYERS))
        row = self.templates[Street.TURN].forests[player].chance_row
        arrival = Arrival(reach, row, int(deal.card[number]), deal.probability)
        board = self.cards.board + self.cards.runouts[1][number]
        orders = orders_of(self.cards, [board], player)
        hands = self._cards.hands[player]
        scratch = make_scratch(river, self.cards, player, Precision.SINGLE)
        out = np.zeros((len(row), self._cards.widths[player]), np.float32)
        visit_kernels.visit_last_street(
            river.forests[player],
            hands,
            visit_kernels.meet(hands, orders, 0),
            known_to(player, (both[0], both[1])),
            step,
            arrival,
            scratch,
            out,
        )
        return StreetVisit(scratch.value, scratch.reach)

    def _spread(self, tables: SpotTables, runout: int, player: int) -> Learning:
        """Returns tables in which each hand does what its bucket does; they cannot learn."""
        place = self.find_columns(Street.RIVER, runout, player)
        learning = tables.on_board(Street.RIVER, place.board)[player]
        shape = (learning.strategy_sum.shape[0], self._cards.widths[player])
        played = np.zeros(shape, np.float32)
        # The actions of a decision share one scale, which does not change their shares.
        played[:, : len(place.of_hands)] = learning.strategy_sum[:, place.of_hands]
        nothing, unscaled = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)
        return Learning(nothing, unscaled, played, unscaled, np.zeros((0, 0), np.uint8))

    def _visit_turns(
        self, player: int, step: Step, tables: SpotTables, space: Workspace
    ) -> FloatArray:
        """Visits every turn card; returns ``[R, H]`` the sums over cards."""
        side, deal, hands = space.sides[player], self.cards.deals[0], self._cards.hands[player]
        betting = self._played[player]
        shape = (len(betting.flop.chance), self._cards.widths[player])
        num_sums = shape[0] * shape[1]
        num_cells = len(deal.card) * num_sums
        values = side.cells[:num_cells].reshape(len(deal.card), *shape)
        total = side.sums[:num_sums].reshape(shape)
        num_workers = space.team.num_workers
        # One call for all if nobody shares them, else small parts: whoever is free takes the next.
        part_size = len(deal.card) if num_workers == 1 else _TURNS_AT_ONCE
        parts = np.split(self._turn_order, range(part_size, len(deal.card), part_size))
        next_part = itertools.count()

        def work(worker: int) -> None:
            while (part := next(next_part)) < len(parts):
                scratch, reach = side.turns[worker], side.flop.reach
                self._visit_cards(
                    parts[part], betting, player, step, tables, reach, scratch, values
                )

        space.team.run(work, range(num_workers))
        visit_kernels.add_cards(values, hands.image, deal.images, total)
        return total

    def _visit_cards(
        self,
        numbers: IntArray,
        betting: "_Betting",
        player: int,
        step: Step,
        tables: SpotTables,
        reach: Float32Array,
        scratch: CompactScratch,
        out_values: Float32Array,
    ) -> None:
        """Visits some turn cards with the opponent's ``reach[rows, O]`` on the flop."""
        deal, num_games = self.cards.deals[0], self.river_games.num_games
        visit_kernels.visit_turns(
            betting.streets,
            known_to(player, tables.on_boards(Street.TURN, range(len(deal.card)))),
            known_to(player, tables.on_boards(Street.RIVER, range(num_games))),
            step,
            TurnArrival(numbers, deal.card, reach, betting.flop.chance_row, deal.probability),
            scratch,
            out_values,
        )

    def _see(self, player: int, templates: list[StreetTemplate]) -> "_Betting":
        cards = self._cards
        flop, turn, river = (template.forests[player] for template in templates)
        streets = CompactStreets(
            hands=cards.hands[player],
            held=cards.held[player],
            turn=turn,
            river=bucket_betting(river),
            turn_orders=cards.turn_orders[player],
            games=cards.games.seen_from(player),
            probability=np.full(LANES, self.cards.deals[1].probability, np.float32),
        )
        return _Betting(flop, streets)


class _Betting(NamedTuple):
    """The betting of all streets, seen from one player."""

    flop: Forest
    streets: CompactStreets


def bucket_betting(river: Forest) -> BucketBetting:
    """Returns the betting of a river in one group, its terminals in blocks."""
    num_roots, raked = len(river.root), len(river.showdown_rake)
    rake = _pad(river.showdown_row[:raked], river.showdown[:raked], river.showdown_rake)
    rake.payoff[raked:] = 0.0
    return BucketBetting(
        forest=river,
        roots=_pad(
            river.row[river.root], np.arange(num_roots), np.ones(num_roots, dtype=np.float32)
        ),
        folds=_pad(river.fold_row, river.fold, river.fold_gain),
        showdowns=_pad(river.showdown_row, river.showdown, river.showdown_stake),
        rake=rake,
    )


def _pad(row: Int32Array, node: IntArray | Int32Array, payoff: Float32Array) -> Terminals:
    """Repeats the last entry of lists until they fill whole blocks."""
    missing = -len(row) % PRODUCT_BLOCK
    padded = [
        np.pad(numbers, (0, missing), mode="edge") if missing else numbers.copy()
        for numbers in (row, node, payoff)
    ]
    return Terminals(
        padded[0].astype(np.int32), padded[1].astype(np.int32), padded[2].astype(np.float32)
    )
