"""A game with real cards: a spot made ready for the kernels, and visits of it with given tables.

A visit values all hands of one player against the other's whole range. Streets before the last are
visited in three parts, and the cards between them are shared by the threads of a team; what comes
out does not depend on how many they are. Cards do not depend on the betting, so all trees of a flop
can share them, and any number of games one working space.
"""

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, IntArray, RealArray
from runout.cfr.cfr_kernels import LEARN, Step
from runout.cfr.team import Team
from runout.holdem import terminal_kernels, visit_kernels
from runout.holdem.cards import PLAYER_WORDS, CardsToCome, Spot
from runout.holdem.forest import StreetTemplate, make_templates
from runout.holdem.rivers import EXACT_RIVERS, CardTables, Columns, Rivers
from runout.holdem.street_kernels import Scratch
from runout.holdem.tables import (
    BothPlayers,
    MemoryNeed,
    Plan,
    Precision,
    SpotTables,
    StreetSize,
    assemble,
    plan_scratch,
    plan_tables,
)
from runout.holdem.terminal_kernels import Hands, Matchups
from runout.holdem.visit_kernels import Arrival, BothTables, RiverSide, TurnTables
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

NO_CARD = -1

#: Numbers of a player's rivers after a turn card that are worth waking another thread.
_WORTH_SHARING = 1_000_000


class StreetVisit(NamedTuple):
    """Values ``[n, H]`` and the opponent's reach ``[rows, O]`` on one board, seen from one player.

    On the river the nodes are those of one group.
    """

    value: Float32Array
    reach: Float32Array


class SideSpace(NamedTuple):
    """Working space for visits of one player.

    Attributes:
        first: of the first street.
        workers: of later streets, one for each worker of the team; see `Rivers.plan_worker`.
        cells: values of all cards after the first street.
        sums: their sums over cards.
    """

    first: Scratch
    workers: list[Any]
    cells: Float32Array
    sums: FloatArray


class Workspace:
    """Working space for one visit at a time, with as many threads as the team has."""

    def __init__(self, plan: Plan, worker_space: type[Any], team: Team | None = None) -> None:
        """Allocates the space of a plan of `plan_workspace`, or one that covers several.

        ``worker_space`` is that of the rivers; the team has as many threads as the plan.
        """
        self.team = team or Team()
        arrays = plan.allocate()
        self.sides = tuple(
            SideSpace(
                assemble(Scratch, arrays, f"{word}.first."),
                [
                    assemble(worker_space, arrays, f"{word}.worker{number}.")
                    for number in range(self.team.num_workers)
                    if len(arrays[f"{word}.sums"])  # a river has no cards to share
                ],
                arrays[f"{word}.cells"],
                arrays[f"{word}.sums"],
            )
            for word in PLAYER_WORDS
        )


def plan_workspace(
    betting: Sequence[Sequence[StreetTemplate]],
    cards: CardsToCome,
    rivers: Rivers,
    precision: Precision,
    num_workers: int,
) -> Plan:
    """Returns the plan of the working space of one game, whose betting is of `make_betting`."""
    parts, templates = {}, betting[0]
    # Rivers without some of their lines are cut into other groups, which may be larger.
    cuts = betting if rivers.is_exact else betting[:1]
    for player, word in enumerate(PLAYER_WORDS):
        width = cards.widths[player]
        entering = len(templates[1].root) * width if cards.deals else 0
        num_cards = len(cards.deals[0].card) if cards.deals else 0
        of_worker = Plan.covering([rivers.plan_worker(c, cards, player, precision) for c in cuts])
        parts[f"{word}.first"] = plan_scratch(templates[0], cards.widths, player, precision)
        parts |= {f"{word}.worker{number}": of_worker for number in range(num_workers)}
        cells = ((num_cards * entering,), np.float32)
        parts[word] = Plan({"cells": cells, "sums": ((entering,), np.float64)})
    return Plan.join(parts)


def make_betting(
    spot: Spot, rivers: Rivers, cards: CardsToCome
) -> tuple[list[StreetTemplate], list[StreetTemplate]]:
    """Returns the streets of a spot: with cards after all-ins, and as they are visited."""
    nodes, settled = rivers.cut_streets(spot, cards)
    return (
        make_templates(spot.tree, spot.rake, nodes),
        make_templates(spot.tree, spot.rake, nodes, settled),
    )


class GamePlan(NamedTuple):
    """The arrays that a solve will allocate, and what they follow from.

    Attributes:
        hands: hands and boards.
        templates: the streets.
        tables: regrets and strategy sums on all boards.
        working_space: of all workers.
        cards: hands, orders of strength, bucket games and what hands win all-in.
    """

    hands: CardsToCome
    templates: list[StreetTemplate]
    tables: Plan
    working_space: Plan
    cards: Plan

    @property
    def memory(self) -> MemoryNeed:
        """Bytes of all arrays."""
        return MemoryNeed(self.tables.num_bytes, self.working_space.num_bytes, self.cards.num_bytes)

    def count_cells(self) -> IntArray:
        """Returns ``[streets]`` the number of probabilities in the tables."""
        cells = dict.fromkeys((each.street.label for each in self.templates), 0)
        for name, (shape, _) in self.tables.arrays.items():
            if name.endswith(".strategy_sum"):
                cells[name.split("_")[0]] += int(np.prod(shape))
        return np.array(list(cells.values()))


def plan_game(
    spot: Spot,
    rivers: Rivers = EXACT_RIVERS,
    precision: Precision = Precision.SINGLE,
    num_workers: int = 1,
    hands: CardsToCome | None = None,
) -> GamePlan:
    """Returns the plan of a solve, before anything is allocated; ``hands`` saves finding them."""
    rivers = rivers.at_depth(spot.tree.stakes.spr)
    rivers.check(spot)
    cards = hands or spot.plan_cards()
    templates, played = betting = make_betting(spot, rivers, cards)
    return GamePlan(
        hands=cards,
        templates=templates,
        tables=plan_tables(templates, rivers.table_sizes(cards), precision),
        working_space=plan_workspace(betting, cards, rivers, precision, num_workers),
        cards=CardTables.plan(cards, rivers, played),
    )


class CardGame:
    """The cards and betting of a spot, and visits of it with given tables.

    Attributes:
        spot: board, ranges and betting.
        rivers: exact or in buckets, at the spot's depth.
        precision: of the tables that visits are given.
        team: threads that share a visit.
        card_tables: hands and boards for the kernels.
        cards: hands and boards.
        templates: the betting of each street, with cards after all-ins.
        played: the same as it is visited, without cards after all-ins on settled streets.
    """

    def __init__(
        self,
        spot: Spot,
        rivers: Rivers = EXACT_RIVERS,
        precision: Precision = Precision.SINGLE,
        team: Team | None = None,
        card_tables: CardTables | None = None,
    ) -> None:
        """Finds hands, cards and templates; working space is allocated when it is needed.

        Games of other bettings on the same board with the same ranges can share ``card_tables``.

        Raises:
            RangeError: if the board leaves nothing of a range, or the deck has no chances that
                are the same for all hands.
            ConfigError: if the spot cannot have such rivers.
        """
        self.spot = spot
        self.rivers = rivers.at_depth(spot.tree.stakes.spr)
        self.precision = precision
        self.team = team or Team()
        self.card_tables = card_tables or CardTables.build(spot, self.rivers, team)
        self.cards = self.card_tables.to_come
        self.templates, self.played = make_betting(spot, self.rivers, self.cards)

    @cached_property
    def workspace(self) -> Workspace:
        """Where visits work that do not bring a space of their own."""
        kind = self.rivers.worker_space if self.first_street == Street.FLOP else Scratch
        return Workspace(self.plan_workspace(self.team.num_workers), kind, self.team)

    def plan_workspace(self, num_workers: int = 1) -> Plan:
        """Returns the plan of the working space that visits need."""
        betting = self.templates, self.played
        return plan_workspace(betting, self.cards, self.rivers, self.precision, num_workers)

    @property
    def first_street(self) -> Street:
        """The street on which the spot begins."""
        return self.spot.tree.first_street

    def table_sizes(self) -> list[StreetSize]:
        """Returns the sizes of the tables that visits need, by street."""
        return self.rivers.table_sizes(self.cards)

    def find_columns(self, street: Street, board: int, player: int) -> Columns:
        """Returns where tables keep a board, by its number in `cards`."""
        return self.card_tables.find_columns(street, board, player)

    def hands(self, player: int) -> Hands:
        """Returns both players' hands as one of them sees them."""
        return self.card_tables.hands[player]

    @cached_property
    def _matchups(self) -> list[Matchups]:
        """Hands that can meet on the first board, as OOP and IP see it."""
        pairs = zip(self.card_tables.hands, self.card_tables.orders[0], strict=True)
        return [visit_kernels.meet(hands, orders, 0) for hands, orders in pairs]

    @cached_property
    def _turns(self) -> list[Any]:
        """Arguments of visits of turn cards, seen from OOP and IP."""
        return [self.rivers.see_turns(self.card_tables, self.played, p) for p in range(NUM_PLAYERS)]

    def visit(
        self,
        player: int,
        step: Step,
        tables: SpotTables,
        root_reach: Float32Array,
        workspace: Workspace | None = None,
    ) -> Float32Array:
        """Returns ``[H]`` the counterfactual values of a player's hands at the root.

        With `CardsToCome.root_reach`, a hand's value times its own weight, summed over hands, is
        the player's winnings in chips.

        Tables are learned from and added to, or only read; ``root_reach[O]`` is the opponent's on
        entering the spot, in any scale; ``workspace`` is the caller's, by default the game's own.
        """
        space, root = workspace or self.workspace, arrive(root_reach)
        scratch, forest = space.sides[player].first, self.played[0].forests[player]
        both = seen_from(player, tables.on_board(self.first_street, 0))
        matchups = self._matchups[player]
        if self.first_street == Street.RIVER:
            on_river = RiverSide(forest, matchups, root, scratch)
            return _iterate_river([on_river], tuple(both), step.mode, np.array([step[1:]]))[0]
        visit_kernels.begin_street(forest, matchups, both.villain, step, root, scratch)
        if len(forest.showdowns.node):
            of_board = self.card_tables.net_wins(0)[player][0]
            terminal_kernels.value_all_ins(forest, of_board, matchups, scratch)
        chance_value = self._visit_cards(player, step, tables, space)
        visit_kernels.end_street(forest, chance_value, both.hero, step, scratch)
        root_value: Float32Array = scratch.value[0].copy()
        return root_value

    def iterate(
        self, weights: Float32Array, tables: SpotTables, root_reach: Sequence[Float32Array]
    ) -> None:
        """Runs one learning iteration, of both players in turn, for each row of weights.

        ``weights[iterations, 3]`` are discounts of positive and negative regrets and of sums,
        ``root_reach`` the opponent's reach against each player.
        """
        if self.first_street != Street.RIVER:
            for row in weights:
                for player in range(NUM_PLAYERS):
                    self.visit(player, Step(LEARN, *row), tables, root_reach[player])
            return
        forests, spaces = self.templates[0].forests, self.workspace.sides
        sides = [
            RiverSide(forest, matchups, arrive(reach), space.first)
            for forest, matchups, reach, space in zip(
                forests, self._matchups, root_reach, spaces, strict=True
            )
        ]
        _iterate_river(sides, tables.on_board(Street.RIVER, 0), LEARN, weights)

    def visit_first_street(
        self, player: int, step: Step, tables: SpotTables, root_reach: Float32Array
    ) -> tuple[Float32Array, StreetVisit]:
        """Visits the whole spot; returns what `visit` does, and copies of its first street."""
        root_value = self.visit(player, step, tables, root_reach)
        scratch = self.workspace.sides[player].first
        return root_value, StreetVisit(scratch.value.copy(), scratch.reach.copy())

    def visit_turn_card(
        self, player: int, number: int, step: Step, tables: SpotTables, reach: Float32Array
    ) -> StreetVisit:
        """Visits one turn card of a flop with all its rivers, also after all-ins.

        ``reach[rows, O]`` is the opponent's on the flop, in any scale.
        """
        scratch, deal = self.workspace.sides[player].workers[0], self.cards.deals[0]
        row = self.templates[0].forests[player].chance_row
        arrival = Arrival(reach, row, NO_CARD, deal.probability)
        out = np.zeros((len(deal.card), len(row), self.cards.widths[player]), np.float32)
        streets = self.rivers.see_turns(self.card_tables, self.templates, player)
        numbers = np.array([number])
        both = self._tables_of(player, numbers, tables)
        self.rivers.visit_turns(streets, numbers, both, step, arrival, scratch, out)
        entering = scratch.turn.reach.copy()
        if len(factors := self.card_tables.factors[1][1 - player]):
            entering /= factors[number]
        return StreetVisit(scratch.turn.value.copy(), entering)

    def _tables_of(self, player: int, numbers: IntArray, tables: SpotTables) -> TurnTables:
        """Returns the tables that visits of some turn cards need, and of cards between them."""
        first, end = int(numbers.min()), int(numbers.max()) + 1
        rivers = range(*self.card_tables.first_rivers[[first, end]].tolist())
        return TurnTables(
            seen_from(player, tables.on_boards(Street.TURN, range(first, end))),
            seen_from(player, tables.on_boards(Street.RIVER, rivers)),
            first,
            rivers.start,
        )

    def _visit_cards(
        self, player: int, step: Step, tables: SpotTables, space: Workspace
    ) -> FloatArray:
        """Visits every card after the first street; returns ``[R, H]`` the sums over cards."""
        deal, mine, hands = self.cards.deals[0], space.sides[player], self.hands(player)
        forest, num_workers = self.played[0].forests[player], space.team.num_workers
        shape = len(forest.chance), len(hands.same)
        num_cards, num_sums = len(deal.card), shape[0] * shape[1]
        values = mine.cells[: num_cards * num_sums].reshape(num_cards, *shape)
        reach, factors = mine.first.reach, self.card_tables.factors[0]
        if len(factors[1 - player]):
            reach = reach * factors[1 - player]
        arrival = Arrival(reach, forest.chance_row, NO_CARD, deal.probability)
        if self.first_street == Street.TURN:
            street = self.card_tables.deal_street(self.played, 1, player)
            both = seen_from(player, tables.on_boards(Street.RIVER, range(num_cards)))
            num_workers = num_workers if both.hero.regret.size > _WORTH_SHARING else 1

            def visit(worker: int) -> None:
                own, scratch = np.arange(worker, num_cards, num_workers), mine.workers[worker]
                visit_kernels.visit_rivers(hands, street, own, both, step, arrival, scratch, values)

        else:
            # Cards with many rivers first, so that no thread is left with a long one at the end.
            order = np.argsort(-np.diff(self.card_tables.first_rivers), kind="stable")
            # One call for all if no threads share them; else the next few go to the free thread.
            is_alone = num_workers == 1 and tables.is_whole
            part_size = num_cards if is_alone else self.rivers.turns_at_once
            parts = np.split(order, range(part_size, num_cards, part_size))
            streets, next_part = self._turns[player], itertools.count()

            def visit(worker: int) -> None:
                scratch = mine.workers[worker]
                while (number := next(next_part)) < len(parts):
                    part = parts[number]
                    on_turns = self._tables_of(player, part, tables)
                    self.rivers.visit_turns(streets, part, on_turns, step, arrival, scratch, values)

        if num_workers == 1:  # a team of one is not worth a detour, see tests/integration/walk.py
            visit(0)
        else:
            space.team.run(visit, range(num_workers))
        total = mine.sums[:num_sums].reshape(shape)
        visit_kernels.add_cards(values, hands.image, deal.images, total)
        visit_kernels.scale_rows(factors[player], 0, total)
        if (missed := self.card_tables.missed()) is not None:
            stakes, codes = self._chance_stakes * np.float32(missed.unit), missed.codes[player]
            visit_kernels.add_missed(codes, forest.chance_row, stakes, mine.first.reach, total)
        return total

    @cached_property
    def _chance_stakes(self) -> Float32Array:
        """``[R]`` what the winner gets where a card is dealt and nobody bets any more."""
        tree, rake = self.spot.tree, self.spot.rake
        nodes = self.played[0].tree_node[self.played[0].forests[0].chance]
        stakes = (tree.stakes.pot + tree.invested[nodes].sum(axis=1)) / 2.0
        won = [stake - rake.half_at_showdown(stake) for stake in stakes.tolist()]
        return np.array(won, dtype=np.float32)


def seen_from(player: int, both: BothPlayers) -> BothTables:
    """Returns the tables of both players as one of them sees them."""
    return BothTables(both[player], both[1 - player])


def arrive(root_reach: Float32Array) -> Arrival:
    """Returns the opponent's reach ``[O]`` as what enters a first street, which has one root."""
    return Arrival(root_reach[None, :], np.zeros(1, np.int32), NO_CARD, np.float32(1.0))


def _iterate_river(
    sides: Sequence[RiverSide], tables: tuple[Learning, ...], mode: int, weights: RealArray
) -> list[Float32Array]:
    """Visits a river as its players in turn, once for each row of weights; returns last values."""
    out = [np.zeros((1, side.scratch.value.shape[1]), np.float32) for side in sides]
    visit_kernels.iterate_river(
        (sides[0], sides[-1]),
        tables,
        mode,
        weights.astype(np.float32),
        len(sides),
        (out[0], out[-1]),
    )
    return [values[0] for values in out]
