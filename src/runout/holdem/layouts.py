"""What the kernels read: hands, boards, cards to come, bucket games, and working space."""

from typing import NamedTuple

import numpy as np

from runout.arrays import (
    Float32Array,
    FloatArray,
    Int16Array,
    Int32Array,
    IntArray,
    Uint8Array,
    Uint16Array,
)
from runout.holdem.cards import Deal
from runout.holdem.street_kernels import Forest, Scratch
from runout.holdem.terminal_kernels import Meeting
from runout.simd.decision_kernels import Learning

# --------------------------------------------------------------------------------------------------
# What the kernels of a spot read: hands, boards, cards to come, and working space.
#
# Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` cards or boards, ``R`` roots.


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


# --------------------------------------------------------------------------------------------------
# What the kernels of compact rivers read: bucket games, terminals, and working space.
#
# Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` buckets, ``G`` bucket games, ``T``
# turn cards, ``L`` ways to enter the river, ``n`` nodes.


class Kin(NamedTuple):
    """A player's hands after each turn card, those together that share a bucket in all its games.

    Where no flush is possible, suits do not matter: 1,128 hands are 92 kin. Lists are as long as
    if every hand were alone.

    Attributes:
        number: ``[T]`` of kin.
        of_hand: ``[T, H]`` the kin of each hand.
        hands: ``[T, H]`` hands, kin by kin.
        end: ``[T, H]`` where each one's part of them ends.
        bucket: ``[G, H]`` the bucket of each kin; ``K`` where it is impossible.
        order: ``[G, H]`` kin, bucket by bucket.
        bucket_end: ``[G, K + 1]`` where each bucket's part of them ends.
        card: ``[T, 2 H]`` the cards that hands of each kin hold, kin by kin.
        card_end: ``[T, H]`` where each one's part of them ends.
        place: ``[T, H, 2]`` where the two cards of each hand are among them.
    """

    number: IntArray
    of_hand: Uint16Array
    hands: Uint16Array
    end: Uint16Array
    bucket: Uint8Array
    order: Uint16Array
    bucket_end: Uint16Array
    card: Uint8Array
    card_end: Uint16Array
    place: Uint16Array


class BucketGames(NamedTuple):
    """The bucket games of all rivers of a flop, seen from one player.

    Attributes:
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        cards: ``[G, 4]`` the river cards that share a game, the rest -1.
        num_cards: ``[G]`` how many they are.
        hero: ``[G, H]`` the bucket of each of hero's hands; ``K`` where it is impossible.
        villain: ``[G, O]`` likewise of the opponent's.
        hero_kin: hero's hands that share buckets.
        villain_kin: likewise of the opponent's.
        meets: ``[G, K, K]`` the share of pairs that share no card, by the opponent's bucket and
            hero's.
        wins: ``[G, K, K]`` the same, negative where the opponent's bucket is the stronger one and 0
            where they tie.
    """

    first_game: IntArray
    cards: IntArray
    num_cards: IntArray
    hero: Uint8Array
    villain: Uint8Array
    hero_kin: Kin
    villain_kin: Kin
    meets: Float32Array
    wins: Float32Array


class HeldCards(NamedTuple):
    """Hands by their cards.

    Attributes:
        hero_holding: ``[52, 51]`` hero's hands that hold a card, the rest -1.
        villain_with: ``[52, 52]`` the opponent's hand of two cards, -1 for none.
    """

    hero_holding: IntArray
    villain_with: IntArray


class Terminals(NamedTuple):
    """Nodes that are valued by a product of reach with a matrix, in blocks of eight.

    The last entry is repeated to fill a block: setting a row twice to the same changes nothing.

    Attributes:
        row: ``[m]`` the rows of reach.
        node: ``[m]`` the nodes.
        payoff: ``[m]`` what the product is multiplied with.
    """

    row: Int32Array
    node: Int32Array
    payoff: Float32Array


class BucketBetting(NamedTuple):
    """The betting of the river, seen from one player.

    Attributes:
        forest: its nodes, in one group.
        roots: ways to enter it; nodes are numbers of roots.
        folds: what hero wins at folds.
        showdowns: what is won or lost at showdowns.
        rake: what hero pays at showdowns, whoever wins; empty without rake, 0 in repeated entries.
    """

    forest: Forest
    roots: Terminals
    folds: Terminals
    showdowns: Terminals
    rake: Terminals


class CompactStreets(NamedTuple):
    """What the visit of a turn card needs to know about the game.

    Attributes:
        hands: both players' hands.
        held: hands by their cards.
        turn: the betting of the turn.
        river: the betting of the river.
        turn_orders: hands by turn card.
        games: the bucket games of all rivers.
        probability: ``[16]`` of a river card for two given hands, the same for each lane.
    """

    hands: Hands
    held: HeldCards
    turn: Forest
    river: BucketBetting
    turn_orders: Orders
    games: BucketGames
    probability: Float32Array


class TurnArrival(NamedTuple):
    """Turn cards, and the opponent's reach when they are dealt.

    Attributes:
        number: ``[t]`` of the cards that are visited.
        card: ``[T]`` all of them.
        reach: ``[rows, O]`` on the flop.
        row: ``[R]`` the row of each root of the turn.
        probability: of a card.
    """

    number: IntArray
    card: IntArray
    reach: Float32Array
    row: Int32Array
    probability: np.float32


class Crossing(NamedTuple):
    """Working space between the hands of a turn card and the buckets of its rivers.

    Ways to enter the river are in blocks of sixteen lanes; ``B`` blocks, ``g`` games at once.

    Attributes:
        reach: ``[B, O, 16]`` the opponent's reach on entering the river.
        mass: ``[B, H, 16]`` how much of it each possible hand can meet, whatever the river card.
        won: ``[B, H, 16]`` the sum over rivers of what a hand wins.
        kin_reach: ``[B, O, 16]`` the opponent's reach by kin.
        kin_share: ``[B, H, 16]`` what kin win on all rivers for each unit of mass.
        kin_won: ``[B, 2 H, 16]`` what they win beyond that, by their cards.
        by_card: ``[B, 52, 16]`` the opponent's reach with each card.
        with_card: ``[g, 52, 16]`` the opponent's reach with each card and a river card of a game,
            minus half of all that the river cards block.
        entering: ``[B, g, K + 1, 16]`` the reach of buckets; the last row is of impossible hands.
        leaving: ``[B, g, K + 1, 16]`` what buckets win for each unit of reach that they meet;
            nothing in the last row.
    """

    reach: Float32Array
    mass: Float32Array
    won: Float32Array
    kin_reach: Float32Array
    kin_share: Float32Array
    kin_won: Float32Array
    by_card: Float32Array
    with_card: Float32Array
    entering: Float32Array
    leaving: Float32Array


class BucketScratch(NamedTuple):
    """Working space of one bucket game.

    Attributes:
        reach: ``[rows, K]`` the opponent's reach.
        value: ``[n, K]`` hero's counterfactual values.
        met: ``[L, K]`` the reach that each bucket meets on entering.
        rows: ``[actions, K]`` what becomes 16-bit numbers; empty with 32-bit tables.
    """

    reach: Float32Array
    value: Float32Array
    met: Float32Array
    rows: Float32Array


class CompactScratch(NamedTuple):
    """Working space of a worker that visits turn cards.

    Attributes:
        turn: of the turn.
        crossing: between turn and rivers.
        game: of a bucket game.
    """

    turn: Scratch
    crossing: Crossing
    game: BucketScratch
