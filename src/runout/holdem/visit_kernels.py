"""Compiled visits of streets with real cards: a river board, a turn with its rivers.

A visit is three passes, and what lies between a street's last bets and its values is the visit of
the next street once for every card that can come. Cards that differ only by a renaming of suits
are visited once; what a hand gets on the others is what its image gets on the visited one.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` cards or boards, ``R`` roots.
"""

from typing import Annotated, NamedTuple

import numpy as np

from runout.arrays import (
    AnyArray,
    Float32Array,
    FloatArray,
    Int8Array,
    Int16Array,
    Int32Array,
    IntArray,
)
from runout.cfr.cfr_kernels import Step
from runout.holdem import street_kernels, terminal_kernels
from runout.holdem.cards import Deal
from runout.holdem.street_kernels import Forest, Scratch
from runout.holdem.terminal_kernels import Hands, Matchups
from runout.jit import inlined, kernel
from runout.simd import vector_kernels
from runout.simd.decision_kernels import Learning
from runout.simd.vector_kernels import fused_kernel

#: Denormal numbers count as zero: they cost a hundred times a normal one and mean nothing here.
FLUSH_DENORMALS = np.uint32(0x9FC0)
_NONE = -1


class Orders(NamedTuple):
    """Hands that a board leaves possible, weakest first, by board.

    Attributes:
        hero: hero's hands.
        hero_sums: the running sums that they need; none before the river.
        num_hero: their number.
        villain: the opponent's hands.
        villain_sums: the running sums that they make; none before the river.
        num_villain: their number.
    """

    hero: Annotated[Int16Array, "K", "H"]
    hero_sums: Annotated[Int16Array, "K", "H ranked", 8]
    num_hero: Annotated[IntArray, "K"]
    villain: Annotated[Int16Array, "K", "O"]
    villain_sums: Annotated[Int16Array, "K", "O ranked", 2]
    num_villain: Annotated[IntArray, "K"]


class DealtStreet(NamedTuple):
    """A street that begins with a card.

    Attributes:
        forest: its betting.
        orders: the hands by board.
        deal: the cards.
        hero_factor: ``[boards before, H]`` of `CardsToCome.factors`; none if all cards are there.
        villain_factor: ``[boards before, O]``.
    """

    forest: Forest
    orders: Orders
    deal: Deal
    hero_factor: Float32Array
    villain_factor: Float32Array


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


class BothTables(NamedTuple):
    """The tables of both players on one street: of one board, or with an axis for boards."""

    hero: Learning
    villain: Learning


class TurnTables(NamedTuple):
    """The tables of consecutive turn cards and of the rivers after them.

    Attributes:
        turn: with an axis for turn cards.
        river: with an axis for boards, or for bucket games.
        first_turn: the number of the first turn card.
        first_river: the number of the first board or game.
    """

    turn: BothTables
    river: BothTables
    first_turn: int
    first_river: int


class TurnStreets(NamedTuple):
    """What visits of turn cards need to know about a game whose rivers tell all hands apart.

    Attributes:
        hands: both players' hands.
        turn: its ``first_next`` numbers the rivers after each card.
        river: all rivers.
        net_wins: ``[K, P, O, W]`` by turn card, of `tables.net_wins`; empty unless settled.
    """

    hands: Hands
    turn: DealtStreet
    river: DealtStreet
    net_wins: Float32Array


#: Where turns are not settled.
NO_NET_WINS: Float32Array = np.zeros((0, 0, 0, 0), np.float32)


class TurnScratch(NamedTuple):
    """Working space of a worker that visits turn cards.

    Attributes:
        turn: of the turn.
        river: of the rivers.
        river_value: values of one river.
        chance_value: the sum over rivers.
    """

    turn: Scratch
    river: Scratch
    river_value: Annotated[Float32Array, "R", "H"]
    chance_value: Annotated[FloatArray, "R", "H"]


class RiverSide(NamedTuple):
    """A river board seen from one player, and the working space of a visit."""

    forest: Forest
    matchups: Matchups
    arrival: Arrival
    scratch: Scratch


@inlined
def meet(hands: Hands, orders: Orders, board: int) -> Matchups:
    """Returns the hands that can meet on a board."""
    num_hero, num_villain = orders.num_hero[board], orders.num_villain[board]
    return Matchups(
        hands,
        orders.hero[board][:num_hero],
        orders.hero_sums[board][:num_hero],
        orders.villain[board][:num_villain],
        orders.villain_sums[board][:num_villain],
    )


@inlined
def _of_board(learning: Learning, board: int) -> Learning:
    return Learning(
        learning.regret[board],
        learning.regret_scale[board],
        learning.strategy_sum[board],
        learning.sum_scale[board],
        learning.lock[board],
    )


@inlined
def on_board(tables: BothTables, board: int) -> BothTables:
    """Returns the tables of one board."""
    return BothTables(_of_board(tables.hero, board), _of_board(tables.villain, board))


@inlined
def _deal_card(
    hands: Hands, street: DealtStreet, number: int, arrival: Arrival
) -> tuple[Matchups, Arrival]:
    """Returns the hands that can meet with one of a street's cards, and how it is entered."""
    orders, deal = street.orders, street.deal
    chance = deal.probability * deal.weight[number]
    entering = Arrival(arrival.reach, arrival.row, deal.card[number], chance)
    return meet(hands, orders, deal.order[number]), entering


@kernel
def enter_street(
    arrival: Arrival, hands: Hands, forest: Forest, group: int, out_reach: Float32Array
) -> None:
    """Sets the rows of a group's roots."""
    probability = arrival.probability
    begin, end = forest.group[group, 2], forest.group[group, 3]
    for root in range(begin, end):
        source = arrival.reach[arrival.row[root]]
        arriving = out_reach[forest.row[forest.group[group, 0] + forest.root[root]]]
        for hand in range(arriving.shape[0]):
            arriving[hand] = source[hand] * probability
        if arrival.card >= 0:
            for i in range(hands.holding.shape[1]):
                blocked = hands.holding[arrival.card, i]
                if blocked == _NONE:
                    break
                arriving[blocked] = np.float32(0.0)


@inlined
def leave_street(forest: Forest, group: int, value: Float32Array, out_value: Float32Array) -> None:
    """Sets the rows ``out_value[R, H]`` of a group's roots to their values."""
    for root in range(forest.group[group, 2], forest.group[group, 3]):
        found, out = value[forest.root[root]], out_value[root]
        for hand in range(out.shape[0]):
            out[hand] = found[hand]


@kernel
def visit_last_street(
    side: RiverSide, tables: BothTables, step: Step, out_value: Float32Array
) -> None:
    """Visits a river board; ``out_value[R, H]`` becomes hero's values of the roots."""
    forest, matchups, arrival, scratch = side
    terminal_kernels.clear_values(scratch.lanes)
    for group in range(forest.group.shape[0]):
        enter_street(arrival, matchups.hands, forest, group, scratch.reach)
        street_kernels.push_reach(forest, group, tables.villain, step, scratch)
        terminal_kernels.value_terminals(forest, group, matchups, scratch)
        street_kernels.pull_values(forest, group, tables.hero, step, scratch)
        leave_street(forest, group, scratch.value, out_value)


@kernel
def begin_street(
    forest: Forest,
    matchups: Matchups,
    villain: Learning,
    step: Step,
    arrival: Arrival,
    out_scratch: Scratch,
) -> None:
    """Begins a street, up to the next card: reach down, folds valued."""
    terminal_kernels.clear_values(out_scratch.lanes)
    enter_street(arrival, matchups.hands, forest, 0, out_scratch.reach)
    street_kernels.push_reach(forest, 0, villain, step, out_scratch)
    terminal_kernels.value_folds(forest.folds, False, matchups, out_scratch)


@kernel
def add_card(value: Float32Array, image: IntArray, images: IntArray, out_sum: FloatArray) -> None:
    """Adds the values ``[R, H]`` on a card, and on those that are like it, to ``out_sum[R, H]``."""
    for root in range(value.shape[0]):
        on_card, total = value[root], out_sum[root]
        for hand in range(total.shape[0]):
            total[hand] += on_card[hand]
        for i in range(images.shape[0]):
            if images[i] == _NONE:
                break
            source = image[images[i]]
            for hand in range(total.shape[0]):
                total[hand] += on_card[source[hand]]


@kernel
def add_cards(values: Float32Array, image: IntArray, images: IntArray, out_sum: FloatArray) -> None:
    """Sets ``out_sum[R, H]`` to the sum over all cards of ``values[K, R, H]``."""
    out_sum[:] = 0.0
    for card in range(values.shape[0]):
        add_card(values[card], image, images[card], out_sum)


@kernel
def end_street(
    forest: Forest, chance_value: FloatArray, hero: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Ends a street with ``chance_value[R, H]``, the sums over the next cards: values up."""
    for i in range(forest.chance.shape[0]):
        value, total = out_scratch.value[forest.chance[i]], chance_value[i]
        for hand in range(value.shape[0]):
            value[hand] = np.float32(total[hand])
    street_kernels.pull_values(forest, 0, hero, step, out_scratch)


@kernel
def scale_rows(factors: Float32Array, board: int, out_rows: AnyArray) -> None:
    """Multiplies rows of hands by their factors on a board, if there are factors."""
    if factors.shape[0] == 0:
        return
    factor = factors[board]
    for number in range(out_rows.shape[0]):
        row = out_rows[number]
        for hand in range(row.shape[0]):
            row[hand] *= factor[hand]


@inlined
def begin_rivers(factors: Float32Array, turn: int, forest: Forest, out_scratch: Scratch) -> None:
    """Makes the reach at the end of a turn that of entering its rivers."""
    scale_rows(factors, turn, out_scratch.reach[: forest.group[0, 8]])


@kernel
def add_missed(
    codes: Int8Array, rows: Int32Array, stake: Float32Array, reach: Float32Array, out: FloatArray
) -> None:
    """Adds to ``out[n, H]`` what checked-down hands win beyond the drawn cards; see `MissedWins`.

    ``codes[O, H]`` are whole numbers in the unit of ``stake[n]``, reach is in ``rows[n]``.
    """
    won = np.zeros((rows.shape[0], codes.shape[1]), np.float32)
    for other in range(codes.shape[0]):
        for i in range(rows.shape[0]):
            factor = reach[rows[i], other] * stake[i]
            if factor != np.float32(0.0):
                _add_codes(factor, codes[other], won[i])
    for i in range(won.shape[0]):
        for hand in range(won.shape[1]):
            out[i, hand] += won[i, hand]


@fused_kernel
def _add_codes(factor: np.float32, codes: Int8Array, out_sum: Float32Array) -> None:
    for hand in range(codes.shape[0]):
        out_sum[hand] += factor * np.float32(codes[hand])


@kernel
def begin_turn(
    hands: Hands,
    turn: DealtStreet,
    number: int,
    villain: Learning,
    step: Step,
    arrival: Arrival,
    out_scratch: Scratch,
) -> Matchups:
    """Begins the turn with the card of a number; returns the hands that can meet."""
    matchups: Matchups
    matchups, entering = _deal_card(hands, turn, number, arrival)
    begin_street(turn.forest, matchups, villain, step, entering, out_scratch)
    return matchups


@kernel
def visit_turns(
    streets: TurnStreets,
    numbers: IntArray,
    tables: TurnTables,
    step: Step,
    arrival: Arrival,
    scratch: TurnScratch,
    out_values: Float32Array,
) -> None:
    """Visits the turn cards of some numbers with all their rivers.

    ``arrival`` is before a card is dealt; values of other cards in ``out_values[T, R, H]`` stay.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    hands, turn, forest = streets.hands, streets.turn, streets.turn.forest
    num_roots = forest.chance.shape[0]
    value, total = scratch.river_value[:num_roots], scratch.chance_value[:num_roots]
    for number in numbers:
        both = on_board(tables.turn, number - tables.first_turn)
        matchups = begin_turn(hands, turn, number, both.villain, step, arrival, scratch.turn)
        if forest.showdowns.node.shape[0] > 0:
            net_wins = streets.net_wins[number]
            terminal_kernels.value_all_ins(forest, net_wins, matchups, scratch.turn)
        begin_rivers(streets.river.villain_factor, number, forest, scratch.turn)
        total[:] = 0.0
        after = Arrival(scratch.turn.reach, forest.chance_row, _NONE, np.float32(1.0))
        for board in range(turn.deal.first_next[number], turn.deal.first_next[number + 1]):
            on_river = on_board(tables.river, board - tables.first_river)
            _visit_river(hands, streets.river, board, on_river, step, after, scratch.river, value)
            add_card(value, hands.image, streets.river.deal.images[board], total)
        scale_rows(streets.river.hero_factor, number, total)
        end_street(forest, total, both.hero, step, scratch.turn)
        leave_street(forest, 0, scratch.turn.value, out_values[number])
    vector_kernels.set_float_mode(old_mode)


@inlined
def _visit_river(
    hands: Hands,
    river: DealtStreet,
    board: int,
    tables: BothTables,
    step: Step,
    arrival: Arrival,
    scratch: Scratch,
    out_value: Float32Array,
) -> None:
    """Visits the river card of a number; ``arrival`` is before it, ``out_value`` ``[R, H]``."""
    matchups, entering = _deal_card(hands, river, board, arrival)
    visit_last_street(RiverSide(river.forest, matchups, entering, scratch), tables, step, out_value)


@kernel
def visit_rivers(
    hands: Hands,
    river: DealtStreet,
    boards: IntArray,
    tables: BothTables,
    step: Step,
    arrival: Arrival,
    scratch: Scratch,
    out_value: Float32Array,
) -> None:
    """Visits the river cards of some numbers after a turn, and writes their ``out_value[K, R, H]``.

    Tables are of all river cards; ``arrival`` is the reach at the end of the turn.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    for board in boards:
        both = on_board(tables, board)
        _visit_river(hands, river, board, both, step, arrival, scratch, out_value[board])
    vector_kernels.set_float_mode(old_mode)


@kernel
def iterate_river(
    sides: tuple[RiverSide, RiverSide],
    tables: tuple[Learning, Learning],
    mode: int,
    weights: Float32Array,
    num_players: int,
    out_values: tuple[Float32Array, Float32Array],
) -> None:
    """Visits a spot on the river in one call, because calling costs more than a visit.

    The first ``num_players`` are visited in turn; ``weights[visits of each, 3]`` are discounts of
    positive and negative regrets and of sums, ``out_values`` ``[1, H]`` of each player.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    for i in range(weights.shape[0]):
        step = Step(mode, weights[i, 0], weights[i, 1], weights[i, 2])
        for player in range(num_players):
            both = BothTables(tables[player], tables[1 - player])
            visit_last_street(sides[player], both, step, out_values[player])
    vector_kernels.set_float_mode(old_mode)
