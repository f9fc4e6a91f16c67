"""A spot made ready for the kernels, and visits of it with given tables.

A visit values all hands of one player against the other's whole range. Streets before the last are
visited in three parts, and the cards between them are shared by the threads of a team; what
comes out does not depend on how many they are.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runout.arrays import Float32Array, FloatArray
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem import spot_kernels, street_kernels
from runout.holdem.all_ins import has_products, net_wins, played_templates
from runout.holdem.card_game import (
    NO_CARD,
    Columns,
    SpotTables,
    StreetVisit,
    arrive,
    iterate_visits,
    known_to,
)
from runout.holdem.card_tables import hands_seen_from, orders_of
from runout.holdem.cards_to_come import CardsToCome, Deal
from runout.holdem.spot import Spot
from runout.holdem.spot_layouts import (
    NO_NET_WINS,
    Arrival,
    Hands,
    Orders,
    RiverSide,
    RiverStreet,
    TurnScratch,
    TurnStreets,
)
from runout.holdem.street_kernels import Forest, Scratch, Step
from runout.holdem.street_template import make_templates
from runout.holdem.tables import (
    Precision,
    StreetSize,
    exact_sizes,
    make_scratch,
    make_turn_scratch,
)
from runout.trees.betting import Street


@dataclass(frozen=True, eq=False)
class Side:
    """A spot seen from one player.

    Attributes:
        hands: both players' hands.
        forests: the betting of each street.
        orders: hands by board, for each street.
        scratch: working space of the first street.
        played: the betting as it is visited, without cards after all-ins on settled streets.
    """

    hands: Hands
    forests: tuple[Forest, ...]
    orders: tuple[Orders, ...]
    scratch: Scratch
    played: tuple[Forest, ...]


class SpotGame:
    """The cards and betting of a spot, and working space to visit it.

    Attributes:
        templates: the betting of each street.
        played: the same as it is visited, see `Side`.
    """

    def __init__(
        self, spot: Spot, team: Team | None = None, precision: Precision = Precision.SINGLE
    ) -> None:
        """Finds hands, cards and templates, and allocates working space.

        Args:
            spot: what is played.
            team: threads to share the work.
            precision: of the tables that visits will be given.

        Raises:
            RangeError: if the board leaves nothing of a range, or the deck has no chances that
                are the same for all hands.
        """
        self.spot = spot
        self.team = team or Team()
        self.precision = precision
        self.cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)
        self.templates = make_templates(spot.tree, spot.rake)
        # Visits do without cards after all-ins; who looks at nodes may deal them.
        self.played = played_templates(spot.tree, spot.rake, self.cards, spot.deck)
        self._sides = [self._see(player) for player in range(NUM_PLAYERS)]
        workers = range(self.team.num_workers)
        self._turn_scratch: list[list[TurnScratch]] = [[], []]
        self._river_scratch: list[list[Scratch]] = [[], []]
        for player in range(NUM_PLAYERS):
            if self.first_street == Street.FLOP:
                self._turn_scratch[player] = [
                    make_turn_scratch(self.played, self.cards, player, precision) for _ in workers
                ]
            elif self.first_street == Street.TURN:
                self._river_scratch[player] = [
                    make_scratch(self.played[1], self.cards, player, precision) for _ in workers
                ]

    @cached_property
    def _net_wins(self) -> list[tuple[Float32Array, Float32Array]]:
        """By street before the river, seen from OOP and IP, what `all_ins` need there."""
        before_river = zip(self.played[:-1], self._boards()[:-1], strict=True)
        return [
            net_wins(self.cards, boards) if has_products(template) else (NO_NET_WINS, NO_NET_WINS)
            for template, boards in before_river
        ]

    @cached_property
    def _looking_scratch(self) -> list[TurnScratch]:
        """Working space of who looks at turns and rivers of a flop, seen from OOP and IP."""
        return [
            make_turn_scratch(self.templates, self.cards, player, self.precision)
            for player in range(NUM_PLAYERS)
        ]

    @property
    def first_street(self) -> Street:
        """The street on which the spot begins."""
        return self.spot.tree.first_street

    @property
    def has_exact_rivers(self) -> bool:
        """Always."""
        return True

    def table_sizes(self) -> list[StreetSize]:
        """Returns the sizes of tables with a column for every hand of every board."""
        return exact_sizes(self.cards)

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns the board itself, and one column for each hand."""
        return Columns(board, np.arange(len(self.cards.players[player].combos)))

    def hands(self, player: int) -> Hands:
        """Returns both players' hands as one of them sees them."""
        return self._sides[player].hands

    def side(self, player: int) -> Side:
        """Returns the game as a player sees it."""
        return self._sides[player]

    def visit(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> Float32Array:
        """See `CardGame.visit`."""
        side, root = self._sides[player], arrive(root_reach)
        knowledge = known_to(player, tables.on_board(self.first_street, 0))
        meeting = spot_kernels.meet(side.hands, side.orders[0], 0)
        forest = side.played[0]
        if self.first_street == Street.RIVER:
            out = np.zeros((1, len(side.hands.same)), np.float32)
            spot_kernels.visit_last_street(
                forest, side.hands, meeting, knowledge, step, root, side.scratch, out
            )
            river_root: Float32Array = out[0]
            return river_root
        spot_kernels.begin_street(
            forest, side.hands, meeting, knowledge.villain, step, root, side.scratch
        )
        if len(forest.showdown):
            of_board = self._net_wins[0][player][0]
            street_kernels.value_all_ins(forest, of_board, meeting, side.scratch)
        chance_value = self._visit_cards(player, step, tables)
        spot_kernels.end_street(forest, chance_value, knowledge.hero, step, side.scratch)
        root_value: Float32Array = side.scratch.value[0].copy()
        return root_value

    def iterate(
        self, weights: Float32Array, tables: SpotTables, root_reach: Sequence[Float32Array]
    ) -> None:
        """See `CardGame.iterate`; a river spot iterates in one call."""
        if self.first_street != Street.RIVER:
            iterate_visits(self, weights, tables, root_reach)
            return
        oop_value, ip_value = (
            np.zeros((1, len(side.hands.same)), np.float32) for side in self._sides
        )
        oop_side, ip_side = (
            RiverSide(
                side.forests[0],
                side.hands,
                spot_kernels.meet(side.hands, side.orders[0], 0),
                arrive(reach),
                side.scratch,
            )
            for side, reach in zip(self._sides, root_reach, strict=True)
        )
        on_river = tables.on_board(Street.RIVER, 0)
        spot_kernels.iterate_river((oop_side, ip_side), on_river, weights, (oop_value, ip_value))

    def visit_first_street(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> StreetVisit:
        """See `CardGame.visit_first_street`."""
        self.visit(player, step, tables, root_reach)
        scratch = self._sides[player].scratch
        return StreetVisit(scratch.value.copy(), scratch.reach.copy())

    def visit_turn_card(
        self, player: int, number: int, step: Step, tables: SpotTables, reach: Float32Array
    ) -> StreetVisit:
        """See `CardGame.visit_turn_card`."""
        side, deal = self._sides[player], self.cards.deals[0]
        scratch = self._looking_scratch[player]
        turn = known_to(player, tables.on_board(Street.TURN, number))
        rivers = range(*deal.first_next[number : number + 2])
        river = known_to(player, tables.on_boards(Street.RIVER, rivers))
        row, card = side.forests[0].chance_row, int(deal.card[number])
        arrival = Arrival(reach, row, card, deal.probability)
        out = np.zeros((len(row), len(side.hands.same)), np.float32)
        streets = self._turn_streets(player, side.forests, NO_NET_WINS)
        spot_kernels.visit_turn(streets, number, turn, river, step, arrival, scratch, out)
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
        """See `CardGame.visit_river_card`."""
        side, deal = self._sides[player], self.cards.deals[-1]
        if self.first_street == Street.FLOP:
            scratch = self._looking_scratch[player].river
        else:
            scratch = make_scratch(self.templates[1], self.cards, player, self.precision)
        forest = side.forests[-1]
        chosen = forest._replace(group=forest.group[group : group + 1])
        row, card = side.forests[-2].chance_row, int(deal.card[number])
        arrival = Arrival(reach, row, card, deal.probability)
        knowledge = known_to(player, tables.on_board(Street.RIVER, number))
        meeting = spot_kernels.meet(side.hands, side.orders[-1], int(deal.order[number]))
        out = np.zeros((len(row), len(side.hands.same)), np.float32)
        spot_kernels.visit_last_street(
            chosen, side.hands, meeting, knowledge, step, arrival, scratch, out
        )
        return StreetVisit(scratch.value.copy(), scratch.reach.copy())

    def _visit_cards(self, player: int, step: Step, tables: SpotTables) -> FloatArray:
        """Visits every card after the first street; returns ``[R, H]`` the sums over cards."""
        side, deal = self._sides[player], self.cards.deals[0]
        hero, num_roots = len(side.hands.same), len(side.played[0].chance)
        values = np.zeros((len(deal.card), num_roots, hero), np.float32)
        if self.first_street == Street.TURN:
            self._visit_rivers(player, step, tables, values)
        else:
            self._visit_turns(player, step, tables, values)
        total = np.zeros((num_roots, hero))
        spot_kernels.add_cards(values, side.hands.image, deal.images, total)
        return total

    def _visit_rivers(
        self, player: int, step: Step, tables: SpotTables, out_values: Float32Array
    ) -> None:
        side, deal = self._sides[player], self.cards.deals[0]
        street = RiverStreet(side.hands, side.played[1], side.orders[1], deal)
        boards = range(len(deal.card))
        knowledge = known_to(player, tables.on_boards(Street.RIVER, boards))
        arrival = _after(side.scratch, side.played[0], NO_CARD, deal)

        def visit(worker: int) -> None:
            scratch = self._river_scratch[player][worker]
            mine = np.arange(worker, len(boards), self.team.num_workers)
            spot_kernels.visit_rivers(street, mine, knowledge, step, arrival, scratch, out_values)

        self.team.run(visit, range(self.team.num_workers))

    def _visit_turns(
        self, player: int, step: Step, tables: SpotTables, out_values: Float32Array
    ) -> None:
        side, deal = self._sides[player], self.cards.deals[0]
        streets = self._turn_streets(player, side.played, self._net_wins[1][player])
        # Cards with many rivers first, so that nobody is left with a long one at the end.
        order = np.argsort(-np.diff(deal.first_next), kind="stable").tolist()
        next_in_order = itertools.count()

        def visit(worker: int) -> None:
            scratch = self._turn_scratch[player][worker]
            while (position := next(next_in_order)) < len(order):
                number = order[position]
                arrival = _after(side.scratch, side.played[0], int(deal.card[number]), deal)
                turn = known_to(player, tables.on_board(Street.TURN, number))
                rivers = range(*deal.first_next[number : number + 2])
                river = known_to(player, tables.on_boards(Street.RIVER, rivers))
                spot_kernels.visit_turn(
                    streets, number, turn, river, step, arrival, scratch, out_values[number]
                )

        self.team.run(visit, range(self.team.num_workers))

    def _turn_streets(
        self, player: int, forests: tuple[Forest, ...], net_wins: Float32Array
    ) -> TurnStreets:
        side = self._sides[player]
        _, turn_forest, river_forest = forests
        _, turn_orders, river_orders = side.orders
        turn_deal, river_deal = self.cards.deals
        return TurnStreets(
            side.hands,
            turn_forest,
            river_forest,
            turn_orders,
            river_orders,
            turn_deal,
            river_deal,
            net_wins,
        )

    def _boards(self) -> list[list[tuple[int, ...]]]:
        """Returns the boards of each street."""
        board = self.cards.board
        return [[board], *([board + dealt for dealt in on] for on in self.cards.runouts)]

    def _see(self, player: int) -> Side:
        cards = self.cards
        return Side(
            hands=hands_seen_from(cards, player),
            forests=tuple(template.forests[player] for template in self.templates),
            orders=tuple(orders_of(cards, on_street, player) for on_street in self._boards()),
            scratch=make_scratch(self.templates[0], cards, player, self.precision),
            played=tuple(template.forests[player] for template in self.played),
        )


def _after(scratch: Scratch, forest: Forest, card: int, deal: Deal) -> Arrival:
    """Returns the reach with which the next street is entered."""
    return Arrival(scratch.reach, forest.chance_row, card, deal.probability)
