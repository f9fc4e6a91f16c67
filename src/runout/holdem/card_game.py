"""What a game with real cards offers, however its rivers are kept."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from runout.arrays import Float32Array, IntArray
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.spot import Spot
from runout.holdem.spot_layouts import Arrival, Hands, Knowledge
from runout.holdem.street_kernels import LEARN, Step
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.tables import Precision, StreetSize
from runout.trees.betting import Street

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
