"""Tables of a player who does not learn: filled board by board from given strategies.

All boards together can need more memory than there is; a visit looks at the boards of one turn
card at a time.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array, IntArray
from runout.holdem.card_game import BothPlayers
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.tables import part_of
from runout.trees.betting import Street

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
