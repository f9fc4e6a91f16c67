"""Compiled visits of streets with real cards, and of rivers as bucket games."""

import numpy as np

from runout.arrays import Float32Array, FloatArray, IntArray
from runout.holdem import street_kernels, terminal_kernels, turn_to_river_kernels
from runout.holdem.layouts import (
    Arrival,
    BucketBetting,
    BucketScratch,
    CompactScratch,
    CompactStreets,
    Hands,
    Knowledge,
    Orders,
    RiverSide,
    RiverStreet,
    Terminals,
    TurnArrival,
    TurnScratch,
    TurnStreets,
)
from runout.holdem.street_kernels import LEARN, Forest, Scratch, Step
from runout.holdem.terminal_kernels import Meeting
from runout.jit import inlined, kernel
from runout.simd import lane_kernels, vector_kernels
from runout.simd.decision_kernels import Learning

# --------------------------------------------------------------------------------------------------
# Compiled visits of streets with real cards: a river board, a turn with its rivers.
#
# A visit is three passes, and what lies between a street's last bets and its values is the visit of
# the next street once for every card that can come. Cards that differ only by a renaming of suits
# are visited once; what a hand gets on the others is what its image gets on the visited one.
#
# Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` cards or boards, ``R`` roots.


#: Denormal numbers count as zero: they cost a hundred times a normal one and mean nothing here.
FLUSH_DENORMALS = np.uint32(0x9FC0)
_NOBODY = -1


@kernel
def meet(hands: Hands, orders: Orders, board: int) -> Meeting:
    """Returns who can meet on a board."""
    num_hero, num_villain = orders.num_hero[board], orders.num_villain[board]
    return Meeting(
        hands.hero_cards,
        hands.villain_cards,
        hands.same,
        orders.hero[board][:num_hero],
        orders.hero_sums[board][:num_hero],
        orders.villain[board][:num_villain],
        orders.villain_sums[board][:num_villain],
    )


@kernel
def on_board(learning: Learning, board: int) -> Learning:
    """Returns the tables of one board."""
    return Learning(
        learning.regret[board],
        learning.regret_scale[board],
        learning.strategy_sum[board],
        learning.sum_scale[board],
        learning.lock[board],
    )


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
                if blocked == _NOBODY:
                    break
                arriving[blocked] = np.float32(0.0)


@kernel
def visit_last_street(
    forest: Forest,
    hands: Hands,
    meeting: Meeting,
    knowledge: Knowledge,
    step: Step,
    arrival: Arrival,
    scratch: Scratch,
    out_value: Float32Array,
) -> None:
    """Visits a river board; ``out_value[R, H]`` becomes hero's values of the roots."""
    terminal_kernels.clear_values(scratch.lanes)
    for group in range(forest.group.shape[0]):
        enter_street(arrival, hands, forest, group, scratch.reach)
        street_kernels.push_reach(forest, group, knowledge.villain, step, scratch)
        street_kernels.value_terminals(forest, group, meeting, scratch)
        street_kernels.pull_values(forest, group, knowledge.hero, step, scratch)
        for root in range(forest.group[group, 2], forest.group[group, 3]):
            value, out = scratch.value[forest.root[root]], out_value[root]
            for hand in range(out.shape[0]):
                out[hand] = value[hand]


@kernel
def begin_street(
    forest: Forest,
    hands: Hands,
    meeting: Meeting,
    villain: Learning,
    step: Step,
    arrival: Arrival,
    out_scratch: Scratch,
) -> None:
    """Does what comes before the next card: reach down, folds valued."""
    terminal_kernels.clear_values(out_scratch.lanes)
    enter_street(arrival, hands, forest, 0, out_scratch.reach)
    street_kernels.push_reach(forest, 0, villain, step, out_scratch)
    street_kernels.value_folds(forest, meeting, out_scratch)


@kernel
def add_card(value: Float32Array, image: IntArray, images: IntArray, out_sum: FloatArray) -> None:
    """Adds the values ``[R, H]`` on a card, and on those that are like it, to ``out_sum[R, H]``."""
    for root in range(value.shape[0]):
        on_card, total = value[root], out_sum[root]
        for hand in range(total.shape[0]):
            total[hand] += on_card[hand]
        for i in range(images.shape[0]):
            if images[i] == _NOBODY:
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
    """Does what comes after the next cards were visited: values up.

    Args:
        chance_value: ``[chances, H]`` the sums over the next cards.
    """
    for i in range(forest.chance.shape[0]):
        value, total = out_scratch.value[forest.chance[i]], chance_value[i]
        for hand in range(value.shape[0]):
            value[hand] = np.float32(total[hand])
    street_kernels.pull_values(forest, 0, hero, step, out_scratch)


@kernel
def visit_turn(
    streets: TurnStreets,
    turn_index: int,
    turn_knowledge: Knowledge,
    river_knowledge: Knowledge,
    step: Step,
    arrival: Arrival,
    scratch: TurnScratch,
    out_value: Float32Array,
) -> None:
    """Visits a turn card with all its rivers; ``out_value[R, H]`` becomes hero's values.

    Args:
        streets: the game.
        turn_index: the number of the turn card.
        turn_knowledge: tables of the turn on this card.
        river_knowledge: tables of the river on the boards that can follow this card.
        step: what to do.
        arrival: the opponent's reach on entering the turn.
        scratch: of this worker.
        out_value: one row for each root.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    turn, hands, deal = streets.turn, streets.hands, streets.river_deal
    meeting = meet(hands, streets.turn_orders, streets.turn_deal.order[turn_index])
    begin_street(turn, hands, meeting, turn_knowledge.villain, step, arrival, scratch.turn)
    if turn.showdown.shape[0] > 0:
        net_wins = streets.net_wins[turn_index]
        street_kernels.value_all_ins(turn, net_wins, meeting, scratch.turn)
    first = streets.turn_deal.first_next[turn_index]
    scratch.chance_value[:] = 0.0
    for board in range(first, streets.turn_deal.first_next[turn_index + 1]):
        tables = Knowledge(
            on_board(river_knowledge.hero, board - first),
            on_board(river_knowledge.villain, board - first),
        )
        _visit_river(streets, board, tables, step, scratch)
        add_card(scratch.river_value, hands.image, deal.images[board], scratch.chance_value)
    end_street(turn, scratch.chance_value, turn_knowledge.hero, step, scratch.turn)
    for root in range(out_value.shape[0]):
        value, out = scratch.turn.value[turn.root[root]], out_value[root]
        for hand in range(out.shape[0]):
            out[hand] = value[hand]
    vector_kernels.set_float_mode(old_mode)


@inlined
def _visit_river(
    streets: TurnStreets, board: int, knowledge: Knowledge, step: Step, scratch: TurnScratch
) -> None:
    """Visits one river after the turn whose reach is in the scratch."""
    deal = streets.river_deal
    arrival = Arrival(
        scratch.turn.reach, streets.turn.chance_row, deal.card[board], deal.probability
    )
    meeting = meet(streets.hands, streets.river_orders, deal.order[board])
    visit_last_street(
        streets.river,
        streets.hands,
        meeting,
        knowledge,
        step,
        arrival,
        scratch.river,
        scratch.river_value,
    )


@kernel
def visit_rivers(
    street: RiverStreet,
    boards: IntArray,
    knowledge: Knowledge,
    step: Step,
    arrival: Arrival,
    scratch: Scratch,
    out_value: Float32Array,
) -> None:
    """Visits some river cards after a turn; ``out_value[K, R, H]`` becomes hero's values.

    Args:
        street: the game.
        boards: the numbers of the river cards.
        knowledge: tables of the river, on all its boards.
        step: what to do.
        arrival: the opponent's reach at the end of the turn; its card is ignored.
        scratch: of this worker.
        out_value: of all river cards; only those visited are written.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    deal = street.deal
    for i in range(boards.shape[0]):
        board = boards[i]
        entering = Arrival(arrival.reach, arrival.row, deal.card[board], deal.probability)
        tables = Knowledge(on_board(knowledge.hero, board), on_board(knowledge.villain, board))
        meeting = meet(street.hands, street.orders, deal.order[board])
        visit_last_street(
            street.river,
            street.hands,
            meeting,
            tables,
            step,
            entering,
            scratch,
            out_value[board],
        )
    vector_kernels.set_float_mode(old_mode)


@kernel
def iterate_river(
    sides: tuple[RiverSide, RiverSide],
    tables: tuple[Learning, Learning],
    weights: Float32Array,
    out_values: tuple[Float32Array, Float32Array],
) -> None:
    """Runs iterations of a spot on the river in one call, because calling costs more than one.

    Args:
        sides: the spot seen from OOP and from IP.
        tables: of the two.
        weights: ``[iterations, 3]`` the discounts of positive and negative regrets and of sums.
        out_values: ``[1, H]`` for each player.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    for i in range(weights.shape[0]):
        step = Step(LEARN, weights[i, 0], weights[i, 1], weights[i, 2])
        for player in range(2):
            side = sides[player]
            visit_last_street(
                side.forest,
                side.hands,
                side.meeting,
                Knowledge(tables[player], tables[1 - player]),
                step,
                side.arrival,
                side.scratch,
                out_values[player],
            )
    vector_kernels.set_float_mode(old_mode)


# --------------------------------------------------------------------------------------------------
# Compiled visit of one bucket game: the river with buckets in the place of hands.
#
# The same three passes as on any street (`street_kernels`): the opponent's reach down, terminals,
# hero's values up. A terminal is one product of a row of reach with the matrix of who meets whom.


@kernel
def value_rows(
    terminals: Terminals,
    matrix: Float32Array,
    adds: bool,
    reach: Float32Array,
    out_value: Float32Array,
) -> None:
    """Sets the rows of terminals to payoff times reach times matrix, or adds it."""
    row, node, payoff = terminals
    lane_kernels.multiply(matrix, reach, row, node, payoff, adds, out_value)


@kernel
def play_game(
    river: BucketBetting,
    meets: Float32Array,
    wins: Float32Array,
    knowledge: Knowledge,
    step: Step,
    out_scratch: BucketScratch,
) -> None:
    """Visits one bucket game; the rows of its roots hold the opponent's reach already."""
    reach, value = out_scratch.reach, out_scratch.value
    value_rows(river.roots, meets, False, reach, out_scratch.met)
    street_kernels.push_reach(river.forest, 0, knowledge.villain, step, out_scratch)
    value_rows(river.folds, meets, False, reach, value)
    value_rows(river.showdowns, wins, False, reach, value)
    value_rows(river.rake, meets, True, reach, value)
    street_kernels.pull_values(river.forest, 0, knowledge.hero, step, out_scratch)


# --------------------------------------------------------------------------------------------------
# Compiled visit of a turn card whose rivers are bucket games.


@kernel
def visit_compact_turn(
    streets: CompactStreets,
    turn_index: int,
    turn_knowledge: Knowledge,
    river_knowledge: Knowledge,
    step: Step,
    arrival: Arrival,
    scratch: CompactScratch,
    out_value: Float32Array,
) -> None:
    """Visits a turn card with all its rivers; ``out_value[R, H]`` becomes hero's values.

    Args:
        streets: the game.
        turn_index: the number of the turn card.
        turn_knowledge: tables of the turn on this card.
        river_knowledge: tables of all bucket games.
        step: what to do.
        arrival: the opponent's reach on entering the turn.
        scratch: of this worker.
        out_value: one row for each root.
    """
    old_mode = vector_kernels.set_float_mode(FLUSH_DENORMALS)
    turn, hands, games = streets.turn, streets.hands, streets.games
    crossing, buckets = scratch.crossing, scratch.game
    river, root = streets.river, streets.river.forest.root
    meeting = meet(hands, streets.turn_orders, turn_index)
    begin_street(turn, hands, meeting, turn_knowledge.villain, step, arrival, scratch.turn)
    turn_to_river_kernels.cross_down(
        streets, turn_index, meeting, scratch.turn.lanes, scratch.turn.reach, crossing
    )
    begin, end = games.first_game[turn_index], games.first_game[turn_index + 1]
    for first in range(begin, end, turn_to_river_kernels.GAMES_AT_ONCE):
        last = min(first + turn_to_river_kernels.GAMES_AT_ONCE, end)
        turn_to_river_kernels.enter_games(streets, first, last, crossing)
        for game in range(first, last):
            tables = Knowledge(
                on_board(river_knowledge.hero, game),
                on_board(river_knowledge.villain, game),
            )
            turn_to_river_kernels.enter_rows(river.roots, root, game - first, crossing, buckets)
            play_game(river, games.meets[game], games.wins[game], tables, step, buckets)
            turn_to_river_kernels.leave_rows(river.roots, root, game - first, buckets, crossing)
        turn_to_river_kernels.leave_games(streets, turn_index, first, last, crossing)
    turn_to_river_kernels.cross_up(streets, turn_index, crossing, scratch.turn.value)
    street_kernels.pull_values(turn, 0, turn_knowledge.hero, step, scratch.turn)
    for i in range(out_value.shape[0]):
        value, out = scratch.turn.value[turn.root[i]], out_value[i]
        for hand in range(out.shape[0]):
            out[hand] = value[hand]
    vector_kernels.set_float_mode(old_mode)


@kernel
def visit_turns(
    streets: CompactStreets,
    turn_knowledge: Knowledge,
    river_knowledge: Knowledge,
    step: Step,
    arriving: TurnArrival,
    scratch: CompactScratch,
    out_values: Float32Array,
) -> None:
    """Visits some turn cards; a call from Python takes as long as a tenth of a visit.

    Args:
        streets: the game.
        turn_knowledge: tables of the turn on all cards.
        river_knowledge: tables of all bucket games.
        step: what to do.
        arriving: the cards and the opponent's reach before them.
        scratch: of this worker.
        out_values: ``[T, R, H]`` hero's values; of other cards they are left alone.
    """
    for i in range(arriving.number.shape[0]):
        number = arriving.number[i]
        knowledge = Knowledge(
            on_board(turn_knowledge.hero, number),
            on_board(turn_knowledge.villain, number),
        )
        arrival = Arrival(arriving.reach, arriving.row, arriving.card[number], arriving.probability)
        visit_compact_turn(
            streets, number, knowledge, river_knowledge, step, arrival, scratch, out_values[number]
        )
