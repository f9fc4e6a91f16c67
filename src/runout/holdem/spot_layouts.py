"""What the kernels of a spot read: hands, boards, cards to come, and working space.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` cards or boards, ``R`` roots.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int16Array, Int32Array, IntArray
from runout.holdem.cards_to_come import Deal
from runout.holdem.street_kernels import Forest, Scratch
from runout.holdem.table_kernels import Learning
from runout.holdem.terminal_kernels import Meeting


class Hands(NamedTuple):
    """The hands of both players, numbered apart; rows are padded to a multiple of sixteen.

    Attributes:
        hero_cards: ``[H, 2]``.
        villain_cards: ``[O, 2]``.
        same: ``[H]`` the opponent's hand of the same two cards, or -1.
        holding: ``[52, 51]`` the opponent's hands that hold a card, the rest -1.
        image: ``[P, H]`` the hero's hand that each renaming of suits takes to each hand.
    """

    hero_cards: IntArray
    villain_cards: IntArray
    same: IntArray
    holding: IntArray
    image: IntArray


class Orders(NamedTuple):
    """Hands that a board leaves possible, weakest first, by board.

    Attributes:
        hero: ``[K, H]`` hero's hands.
        hero_sums: ``[K, H, 8]`` the running sums that they need; empty before the river.
        num_hero: ``[K]`` how many there are.
        villain: ``[K, O]`` the opponent's hands.
        villain_sums: ``[K, O, 2]`` the running sums that they make; empty before the river.
        num_villain: ``[K]`` how many there are.
    """

    hero: Int16Array
    hero_sums: Int16Array
    num_hero: IntArray
    villain: Int16Array
    villain_sums: Int16Array
    num_villain: IntArray


class Arrival(NamedTuple):
    """The opponent's reach on entering a street.

    Attributes:
        reach: ``[rows, O]``.
        row: ``[R]`` the row of each root.
        card: the card just dealt, -1 for none.
        probability: of the card.
    """

    reach: Float32Array
    row: Int32Array
    card: int
    probability: np.float32


class Knowledge(NamedTuple):
    """The tables of both players on one street, on all its boards."""

    hero: Learning
    villain: Learning


class TurnStreets(NamedTuple):
    """What the visit of a turn card needs to know about the game.

    Attributes:
        hands: both players' hands.
        turn: the betting of the turn.
        river: the betting of the river.
        turn_orders: hands by turn card.
        river_orders: hands by runout.
        turn_deal: the turn cards.
        river_deal: the river cards after each of them.
        net_wins: ``[K, P, O, W]`` of `all_ins`, by turn card; empty unless the turn is settled.
    """

    hands: Hands
    turn: Forest
    river: Forest
    turn_orders: Orders
    river_orders: Orders
    turn_deal: Deal
    river_deal: Deal
    net_wins: Float32Array


#: Where turns are not settled.
NO_NET_WINS: Float32Array = np.zeros((0, 0, 0, 0), np.float32)


class TurnScratch(NamedTuple):
    """Working space of a worker that visits turn cards.

    Attributes:
        turn: of the turn.
        river: of the rivers.
        river_value: ``[R, H]`` what one river is worth.
        chance_value: ``[R, H]`` float64, the sum over rivers.
    """

    turn: Scratch
    river: Scratch
    river_value: Float32Array
    chance_value: FloatArray


class RiverStreet(NamedTuple):
    """What the visits of river boards need to know about the game."""

    hands: Hands
    river: Forest
    orders: Orders
    deal: Deal


class RiverSide(NamedTuple):
    """A river spot seen from one player: everything that a visit needs."""

    forest: Forest
    hands: Hands
    meeting: Meeting
    arrival: Arrival
    scratch: Scratch
