"""Compiled visit of a turn card whose rivers are bucket games."""

from runout.arrays import Float32Array
from runout.holdem import (
    bucket_game_kernels,
    crossing_kernels,
    simd_kernels,
    spot_kernels,
    street_kernels,
)
from runout.holdem.compact_layouts import CompactScratch, CompactStreets, TurnArrival
from runout.holdem.spot_layouts import Arrival, Knowledge
from runout.holdem.street_kernels import Step
from runout.jit import kernel


@kernel
def visit_turn(
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
    old_mode = simd_kernels.set_float_mode(spot_kernels.FLUSH_DENORMALS)
    turn, hands, games = streets.turn, streets.hands, streets.games
    crossing, buckets = scratch.crossing, scratch.game
    river, root = streets.river, streets.river.forest.root
    meeting = spot_kernels.meet(hands, streets.turn_orders, turn_index)
    spot_kernels.begin_street(
        turn, hands, meeting, turn_knowledge.villain, step, arrival, scratch.turn
    )
    crossing_kernels.cross_down(
        streets, turn_index, meeting, scratch.turn.lanes, scratch.turn.reach, crossing
    )
    begin, end = games.first_game[turn_index], games.first_game[turn_index + 1]
    for first in range(begin, end, crossing_kernels.GAMES_AT_ONCE):
        last = min(first + crossing_kernels.GAMES_AT_ONCE, end)
        crossing_kernels.enter_games(streets, first, last, crossing)
        for game in range(first, last):
            tables = Knowledge(
                spot_kernels.on_board(river_knowledge.hero, game),
                spot_kernels.on_board(river_knowledge.villain, game),
            )
            crossing_kernels.enter_rows(river.roots, root, game - first, crossing, buckets)
            bucket_game_kernels.play_game(
                river, games.meets[game], games.wins[game], tables, step, buckets
            )
            crossing_kernels.leave_rows(river.roots, root, game - first, buckets, crossing)
        crossing_kernels.leave_games(streets, turn_index, first, last, crossing)
    crossing_kernels.cross_up(streets, turn_index, crossing, scratch.turn.value)
    street_kernels.pull_values(turn, 0, turn_knowledge.hero, step, scratch.turn)
    for i in range(out_value.shape[0]):
        value, out = scratch.turn.value[turn.root[i]], out_value[i]
        for hand in range(out.shape[0]):
            out[hand] = value[hand]
    simd_kernels.set_float_mode(old_mode)


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
            spot_kernels.on_board(turn_knowledge.hero, number),
            spot_kernels.on_board(turn_knowledge.villain, number),
        )
        arrival = Arrival(arriving.reach, arriving.row, arriving.card[number], arriving.probability)
        visit_turn(
            streets, number, knowledge, river_knowledge, step, arrival, scratch, out_values[number]
        )
