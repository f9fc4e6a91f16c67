"""A game with real cards: a spot made ready for the kernels, and visits of it with given tables."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int16Array, IntArray, Uint8Array
from runout.cards.deck import COMBO_CARDS, NUM_CARDS, RIVER_SIZE, permute_combos
from runout.cards.evaluator import evaluator_tables
from runout.cards.flops import SUIT_MAPPINGS
from runout.cfr.team import Team
from runout.equity import equity_kernels
from runout.holdem import street_kernels, terminal_kernels, visit_kernels
from runout.holdem.cards import CardsToCome, Deal, PlayerHands, Spot
from runout.holdem.forest import (
    StreetTemplate,
    has_products,
    make_templates,
    net_wins,
    played_templates,
)
from runout.holdem.layouts import (
    NO_NET_WINS,
    Arrival,
    Hands,
    Knowledge,
    Orders,
    RiverSide,
    RiverStreet,
    TurnScratch,
    TurnStreets,
)
from runout.holdem.street_kernels import LEARN, Forest, Scratch, Step
from runout.holdem.tables import (
    Precision,
    StreetSize,
    exact_sizes,
    make_scratch,
    make_turn_scratch,
    part_of,
)
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

# --------------------------------------------------------------------------------------------------
# The hands of a spot and their strength on every board, as the kernels read them.


_MAX_HOLDING = NUM_CARDS - 1  # combos with one given card
_NONE = -1


def hands_seen_from(cards: CardsToCome, player: int) -> Hands:
    """Returns the hands of both players for the kernels."""
    hero, villain = cards.players[player], cards.players[1 - player]
    same = np.full(hero.width, _NONE, dtype=np.int64)
    same[: len(hero.combos)] = villain.positions()[hero.combos]
    holding = np.full((NUM_CARDS, _MAX_HOLDING), _NONE, dtype=np.int64)
    for card in range(NUM_CARDS):
        held = np.flatnonzero((COMBO_CARDS[villain.combos] == card).any(axis=1))
        holding[card, : len(held)] = held
    return Hands(hero.cards(), villain.cards(), same, holding, _images(hero))


def orders_of(cards: CardsToCome, boards: Sequence[tuple[int, ...]], player: int) -> Orders:
    """Returns the hands possible on each board, seen from a player; by strength on rivers."""
    hero, villain = cards.players[player], cards.players[1 - player]
    hero_order, hero_strength, num_hero = _order(hero, boards)
    villain_order, villain_strength, num_villain = _order(villain, boards)
    is_river = len(boards[0]) == RIVER_SIZE
    num_mine, num_theirs = (len(player.combos) if is_river else 0 for player in (hero, villain))
    hero_sums = np.zeros((len(boards), num_mine, terminal_kernels.SUMS_OF_HAND), np.int16)
    villain_sums = np.zeros((len(boards), num_theirs, 2), np.int16)
    if is_river:
        terminal_kernels.find_sums(
            (hero_strength, villain_strength),
            (hero_order, villain_order),
            (num_hero, num_villain),
            (hero.cards(), villain.cards()),
            _first_sums(villain),
            hero_sums,
            villain_sums,
        )
    return Orders(hero_order, hero_sums, num_hero, villain_order, villain_sums, num_villain)


def _first_sums(villain: PlayerHands) -> IntArray:
    """Returns ``[52]`` the row before a card's first running sum; those of all hands are before."""
    num_holding = np.bincount(COMBO_CARDS[villain.combos].ravel(), minlength=NUM_CARDS)
    return villain.width + 1 + np.cumsum(num_holding + 1) - (num_holding + 1)


def _images(hero: PlayerHands) -> IntArray:
    """Returns ``[24, width]`` the hand whose image under each renaming each hand is."""
    positions = hero.positions()
    images = np.tile(np.arange(hero.width), (len(SUIT_MAPPINGS), 1))
    for number, mapping in enumerate(SUIT_MAPPINGS):
        sources = positions[permute_combos(mapping.inverse().new_suits)[hero.combos]]
        images[number, : len(hero.combos)] = np.where(sources >= 0, sources, 0)
    return images


def _order(
    player: PlayerHands, boards: Sequence[tuple[int, ...]]
) -> tuple[Int16Array, Uint8Array, IntArray]:
    """Returns the hands possible on each board in order, their strengths, and their number."""
    num_boards, num_hands = len(boards), len(player.combos)
    if len(boards[0]) == RIVER_SIZE:
        _, ranks = _rank(player.combos, np.array(boards, dtype=np.uint8))
    else:  # before the river nobody shows down: only who is possible matters
        ranks = np.zeros((num_boards, num_hands), dtype=np.uint8)
        for row, cards in zip(ranks, boards, strict=True):
            blocked = np.isin(COMBO_CARDS[player.combos], cards).any(axis=1)
            row[blocked] = equity_kernels.BLOCKED_VILLAIN
    order = np.argsort(ranks, axis=1, kind="stable")
    strength = np.take_along_axis(ranks, order, axis=1)
    num_live = (ranks != equity_kernels.BLOCKED_VILLAIN).sum(axis=1)
    return order.astype(np.int16), strength, num_live


def _rank(combos: IntArray, boards: Uint8Array) -> tuple[Uint8Array, Uint8Array]:
    hero = np.empty((len(boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    return hero, villain


# --------------------------------------------------------------------------------------------------
# What a game with real cards offers, however its rivers are kept.


NO_CARD = -1

#: Tables of OOP and IP.
BothPlayers = tuple[Learning, Learning]


class SpotTables(Protocol):
    """Where visits find the tables of both players; boards are numbered as they are dealt."""

    def on_board(self, street: Street, board: int) -> BothPlayers:
        """Returns the tables of one board."""

    def on_boards(self, street: Street, boards: range) -> BothPlayers:
        """Returns the tables of some boards, with an axis for them."""


class StreetVisit(NamedTuple):
    """What a visit found on one board of a street, seen from one player.

    Attributes:
        value: ``[n, H]`` the values of the nodes; on the river, of the nodes of one group.
        reach: ``[rows, O]`` the opponent's reach.
    """

    value: Float32Array
    reach: Float32Array


class Columns(NamedTuple):
    """Where tables keep a board.

    Attributes:
        board: the number in the tables.
        of_hands: ``[n]`` the column of each of a player's hands.
    """

    board: int
    of_hands: IntArray


class CardGame(Protocol):
    """The cards and betting of a spot, and visits of it with given tables.

    Attributes:
        spot: what is played.
        cards: hands and boards.
        templates: the betting of each street.
        precision: of the tables that visits are given.
    """

    spot: Spot
    cards: CardsToCome
    templates: list[StreetTemplate]
    precision: Precision

    @property
    def first_street(self) -> Street:
        """The street on which the spot begins."""

    @property
    def has_exact_rivers(self) -> bool:
        """Whether every hand of every river has a column of its own."""

    def table_sizes(self) -> list[StreetSize]:
        """Returns the sizes of the tables that visits need, by street."""

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns where tables keep a board, by its number in `cards`."""

    def hands(self, player: int) -> Hands:
        """Returns both players' hands as one of them sees them."""

    def visit(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> Float32Array:
        """Returns ``[H]`` the counterfactual values of a player's hands at the root.

        With `CardsToCome.root_reach`, a hand's value times its own weight, summed over hands, is
        what the player wins in chips.

        Args:
            player: whose hands are valued.
            step: what to do.
            tables: of both players on every street; learned from and added to, or only read.
            root_reach: ``[O]`` the opponent's reach on entering the spot, in any scale.
        """

    def iterate(
        self, weights: Float32Array, tables: SpotTables, root_reach: Sequence[Float32Array]
    ) -> None:
        """Runs one learning iteration, of both players in turn, for each row of weights.

        Args:
            weights: ``[iterations, 3]`` discounts of positive and negative regrets and of sums.
            tables: of both players.
            root_reach: the opponent's reach as each player meets it.
        """

    def visit_first_street(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> StreetVisit:
        """Visits the whole spot; returns copies of what was found on its first street."""

    def visit_turn_card(
        self, player: int, number: int, step: Step, tables: SpotTables, reach: Float32Array
    ) -> StreetVisit:
        """Visits one turn card of a flop with all its rivers.

        Args:
            player: whose hands are valued.
            number: the number of the card.
            step: what to do.
            tables: as for `visit`.
            reach: ``[rows, O]`` the opponent's reach on the flop, in any scale.
        """

    def visit_river_card(
        self,
        player: int,
        number: int,
        group: int,
        step: Step,
        tables: SpotTables,
        reach: Float32Array,
    ) -> StreetVisit:
        """Visits one group of the ways to enter the river on one runout, with every hand.

        Args:
            player: whose hands are valued.
            number: the number of the runout.
            group: the number of the group in `Forest.group`.
            step: what to do.
            tables: as for `visit`.
            reach: ``[rows, O]`` the opponent's reach on the turn, in any scale.
        """


def iterate_visits(
    game: CardGame,
    weights: Float32Array,
    tables: SpotTables,
    root_reach: Sequence[Float32Array],
) -> None:
    """Does what `CardGame.iterate` asks for, by visits."""
    for row in weights:
        for player in range(NUM_PLAYERS):
            game.visit(player, Step(LEARN, *row), tables, root_reach[player])


def arrive(root_reach: Float32Array) -> Arrival:
    """Returns the opponent's reach ``[O]`` as what enters a first street, which has one root."""
    return Arrival(root_reach[None, :], np.zeros(1, np.int32), NO_CARD, np.float32(1.0))


def known_to(player: int, both: BothPlayers) -> Knowledge:
    """Returns the tables of both players as one of them sees them."""
    return Knowledge(both[player], both[1 - player])


# --------------------------------------------------------------------------------------------------
# Tables of a player who does not learn: filled board by board from given strategies.
#
# All boards together can need more memory than there is; a visit looks at the boards of one turn
# card at a time.


#: Returns ``[A, C]`` what a player does on a street with given cards dealt and given combos.
RowsOf = Callable[[StreetTemplate, int, tuple[int, ...], IntArray], Float32Array]


@dataclass(frozen=True, eq=False)
class FixedTables:
    """What one player does, for visits in which the other one responds.

    Attributes:
        templates: the streets of the spot.
        cards: its hands and cards.
        player: whose strategies they are; the other player has no tables.
        rows_of: the strategies.
    """

    templates: list[StreetTemplate]
    cards: CardsToCome
    player: int
    rows_of: RowsOf

    def on_board(self, street: Street, board: int) -> tuple[Learning, Learning]:
        """Returns the tables of one board."""
        oop, ip = self.on_boards(street, range(board, board + 1))
        return part_of(oop, 0), part_of(ip, 0)

    def on_boards(self, street: Street, boards: range) -> tuple[Learning, Learning]:
        """Returns the tables of consecutive boards."""
        number = street - self.templates[0].street
        template, hands = self.templates[number], self.cards.players[self.player]
        shape = (len(boards), template.num_actions[self.player], hands.width)
        played = np.zeros(shape, np.float32)
        for position, board in enumerate(boards):
            dealt = self.cards.runouts[number - 1][board] if number > 0 else ()
            known = self.rows_of(template, self.player, dealt, hands.combos)
            played[position, :, : len(hands.combos)] = known
        mine, nobody = _learning(played), _learning(np.zeros((len(boards), 0, 0), np.float32))
        return (mine, nobody) if self.player == 0 else (nobody, mine)


@dataclass(frozen=True, eq=False)
class BothFixed:
    """The tables of two players neither of whom learns or responds."""

    oop: FixedTables
    ip: FixedTables

    def on_board(self, street: Street, board: int) -> BothPlayers:
        """Returns the tables of one board."""
        return self.oop.on_board(street, board)[0], self.ip.on_board(street, board)[1]

    def on_boards(self, street: Street, boards: range) -> BothPlayers:
        """Returns the tables of some boards, with an axis for them."""
        return self.oop.on_boards(street, boards)[0], self.ip.on_boards(street, boards)[1]


def _learning(played: Float32Array) -> Learning:
    num_boards = len(played)
    return Learning(
        regret=np.zeros((num_boards, 0, 0), np.float32),
        regret_scale=np.zeros((num_boards, 0), np.float32),
        strategy_sum=played,
        sum_scale=np.zeros((num_boards, 0), np.float32),
        lock=np.zeros((num_boards, 0, 0), np.uint8),
    )


# --------------------------------------------------------------------------------------------------
# A spot made ready for the kernels, and visits of it with given tables.
#
# A visit values all hands of one player against the other's whole range. Streets before the last
# are visited in three parts, and the cards between them are shared by the threads of a team; what
# comes out does not depend on how many they are.


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
        meeting = visit_kernels.meet(side.hands, side.orders[0], 0)
        forest = side.played[0]
        if self.first_street == Street.RIVER:
            out = np.zeros((1, len(side.hands.same)), np.float32)
            visit_kernels.visit_last_street(
                forest, side.hands, meeting, knowledge, step, root, side.scratch, out
            )
            river_root: Float32Array = out[0]
            return river_root
        visit_kernels.begin_street(
            forest, side.hands, meeting, knowledge.villain, step, root, side.scratch
        )
        if len(forest.showdown):
            of_board = self._net_wins[0][player][0]
            street_kernels.value_all_ins(forest, of_board, meeting, side.scratch)
        chance_value = self._visit_cards(player, step, tables)
        visit_kernels.end_street(forest, chance_value, knowledge.hero, step, side.scratch)
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
                visit_kernels.meet(side.hands, side.orders[0], 0),
                arrive(reach),
                side.scratch,
            )
            for side, reach in zip(self._sides, root_reach, strict=True)
        )
        on_river = tables.on_board(Street.RIVER, 0)
        visit_kernels.iterate_river((oop_side, ip_side), on_river, weights, (oop_value, ip_value))

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
        visit_kernels.visit_turn(streets, number, turn, river, step, arrival, scratch, out)
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
        meeting = visit_kernels.meet(side.hands, side.orders[-1], int(deal.order[number]))
        out = np.zeros((len(row), len(side.hands.same)), np.float32)
        visit_kernels.visit_last_street(
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
        visit_kernels.add_cards(values, side.hands.image, deal.images, total)
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
            visit_kernels.visit_rivers(street, mine, knowledge, step, arrival, scratch, out_values)

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
                visit_kernels.visit_turn(
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
