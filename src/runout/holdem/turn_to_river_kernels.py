"""Compiled way from the hands of a turn card to the buckets of its rivers, and back.

Before a river the opponent's reach is added up by bucket. What a bucket then wins for each unit of
reach that it meets goes back to its hands, times the reach that the hand meets itself, which is
exact for every river card: with ``X`` the opponent's reach and n cards in a game, the hand ``cd``
meets on all of them together

    n * mass(cd) - (X with a card of the game) + (X with c and one of them) + (X with d and one)

where mass is what it meets on the turn. Hands that hold a card of the game meet nobody on it.

Ways to enter the river stand side by side for each hand, sixteen to a *block*, so that going from
hands to buckets and back is one vector instruction for each block. Hands that share a bucket in all
games of the turn card (`kin`) take that way together; what they meet differs by their cards only,
and is added up by kin and card. A few games are left together, because fetching kin takes longer
than adding them.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, Int32Array, IntArray, Uint8Array
from runout.holdem import terminal_kernels
from runout.holdem.layouts import (
    BucketGames,
    BucketScratch,
    CompactStreets,
    Crossing,
    Kin,
    Terminals,
)
from runout.holdem.terminal_kernels import Lanes, Meeting
from runout.jit import kernel
from runout.simd import lane_kernels, vector_kernels
from runout.simd.vector_kernels import fused_kernel

_LANES, _NUM_CARDS, _NOBODY = vector_kernels.LANES, 52, -1
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)

#: Nothing is met where less is.
_SMALLEST_MET = np.float32(1e-30)

#: How many games are entered and left together.
GAMES_AT_ONCE = lane_kernels.GAMES_AT_ONCE


class Leaving(NamedTuple):
    """Some games that are left together.

    Attributes:
        cards: ``[g, 4]`` their river cards.
        num_cards: ``[g]`` how many they are.
        bucket: ``[g, H]`` the buckets of hero's hands.
        kin_bucket: ``[g, H]`` the buckets of hero's kin.
        value: ``[g, K + 1, 16]`` what buckets win for each unit of reach that they meet.
    """

    cards: IntArray
    num_cards: IntArray
    bucket: Uint8Array
    kin_bucket: Uint8Array
    value: Float32Array


@kernel
def cross_down(
    streets: CompactStreets,
    turn_index: int,
    meeting: Meeting,
    sums: Lanes,
    reach: Float32Array,
    out_crossing: Crossing,
) -> None:
    """Turns ``reach[rows, O]`` at the end of the turn into lanes; finds what each hand meets.

    Args:
        streets: the game.
        turn_index: the number of the turn card.
        meeting: the hands on the turn's board.
        sums: working space of terminals.
        reach: the opponent's.
        out_crossing: its reach, mass, and sums by card and by kin; nothing is won yet.
    """
    kin, other = streets.games.villain_kin, streets.games.hero_kin
    num_own = other.number[turn_index]
    num_cards = np.int64(other.card_end[turn_index, num_own - 1])
    num_roots, row = streets.turn.chance.shape[0], streets.turn.chance_row
    for first in range(0, num_roots, _LANES):
        block, end = first // _LANES, min(first + _LANES, num_roots)
        lanes = Lanes(
            out_crossing.reach[block],
            out_crossing.mass[block],
            sums.met,
            out_crossing.by_card[block],
            sums.running,
        )
        out_crossing.won[block] = np.float32(0.0)
        out_crossing.kin_share[block][:num_own] = np.float32(0.0)
        out_crossing.kin_won[block][:num_cards] = np.float32(0.0)
        lane_kernels.rows_to_lanes(row[first:end], reach, lanes.reach)
        terminal_kernels.sum_reach(meeting, lanes)
        lane_kernels.sum_by_bucket(
            lanes.reach,
            kin.hands[turn_index],
            kin.end[turn_index][: kin.number[turn_index]],
            out_crossing.kin_reach[block],
        )


@kernel
def enter_games(
    streets: CompactStreets, first_game: int, end_game: int, out_crossing: Crossing
) -> None:
    """Adds the opponent's reach up by bucket: ``entering`` of some games, the mean over cards."""
    games, kin, holding = streets.games, streets.games.villain_kin, streets.hands.holding
    for block in range(_num_blocks(streets)):
        reach, entering = out_crossing.reach[block], out_crossing.entering[block]
        of_kin = out_crossing.kin_reach[block]
        for game in range(first_game, end_game):
            out = entering[game - first_game]
            lane_kernels.sum_by_bucket(of_kin, kin.order[game], kin.bucket_end[game], out)
            if games.num_cards[game] > 1:  # holders of a single card are impossible
                _leave_out_holders(games, game, holding, reach, out)


@kernel
def _num_blocks(streets: CompactStreets) -> int:
    num_roots: int = streets.turn.chance.shape[0]
    return (num_roots + _LANES - 1) // _LANES


@fused_kernel
def _leave_out_holders(
    games: BucketGames,
    game: int,
    holding: IntArray,
    reach: Float32Array,
    out_entering: Float32Array,
) -> None:
    """Counts hands one time less for each of a game's cards that they hold."""
    share, bucket = np.float32(-1.0) / np.float32(games.num_cards[game]), games.villain[game]
    for i in range(games.num_cards[game]):
        holders = holding[games.cards[game, i]]
        for j in range(holders.shape[0]):
            if holders[j] == _NOBODY:
                break
            row, total = reach[holders[j]], out_entering[bucket[holders[j]]]
            for lane in range(_LANES):
                total[lane] += row[lane] * share


@kernel
def enter_rows(
    roots: Terminals,
    root: Int32Array,
    position: int,
    crossing: Crossing,
    out_scratch: BucketScratch,
) -> None:
    """Writes what enters one of the games into the rows of its roots."""
    num_roots = root.shape[0]
    for first in range(0, num_roots, _LANES):
        end = min(first + _LANES, num_roots)
        lane_kernels.lanes_to_rows(
            roots.row[first:end],
            roots.payoff[first:end],
            False,
            crossing.entering[first // _LANES, position],
            out_scratch.reach,
        )


@kernel
def leave_rows(
    roots: Terminals,
    root: Int32Array,
    position: int,
    scratch: BucketScratch,
    out_crossing: Crossing,
) -> None:
    """Reads what each bucket of one of the games wins for each unit of reach that it meets."""
    num_roots = root.shape[0]
    for i in range(num_roots):
        won, met = scratch.value[root[i]], scratch.met[i]
        for bucket in range(met.shape[0]):
            is_met = met[bucket] > _SMALLEST_MET
            share = won[bucket] / (met[bucket] if is_met else _ONE)
            met[bucket] = share if is_met else _ZERO
    for first in range(0, num_roots, _LANES):
        end = min(first + _LANES, num_roots)
        leaving = out_crossing.leaving[first // _LANES, position]
        lane_kernels.rows_to_lanes(roots.node[first:end], scratch.met, leaving)


@kernel
def leave_games(
    streets: CompactStreets,
    turn_index: int,
    first_game: int,
    end_game: int,
    out_crossing: Crossing,
) -> None:
    """Adds what hero's kin win on the cards of some games, less what hands win that hold one."""
    games, held, hands = streets.games, streets.held, streets.hands
    cards, num_cards = games.cards[first_game:end_game], games.num_cards[first_game:end_game]
    bucket, with_card = games.hero[first_game:end_game], out_crossing.with_card
    kin_bucket = games.hero_kin.bucket[first_game:end_game]
    for block in range(_num_blocks(streets)):
        reach, by_card = out_crossing.reach[block], out_crossing.by_card[block]
        mass, won = out_crossing.mass[block], out_crossing.won[block]
        share, by_kin = out_crossing.kin_share[block], out_crossing.kin_won[block]
        leaving = Leaving(cards, num_cards, bucket, kin_bucket, out_crossing.leaving[block])
        _find_blocked(cards, num_cards, held.villain_with, reach, by_card, with_card)
        _add_won(leaving, games.hero_kin, turn_index, with_card, share, by_kin)
        _subtract_held(leaving, held.hero_holding, hands.same, reach, by_card, mass, won)


@kernel
def _find_blocked(
    cards: IntArray,
    num_cards: IntArray,
    villain_with: IntArray,
    reach: Float32Array,
    by_card: Float32Array,
    out_with_card: Float32Array,
) -> None:
    """Adds up the reach that the cards of games block, in all and with each other card.

    What is blocked in all is taken off by halves from each card's, as a hand has two cards.
    """
    for game in range(cards.shape[0]):
        out = out_with_card[game]
        for lane in range(_LANES):
            blocked = np.float32(0.0)
            for i in range(num_cards[game]):
                blocked += by_card[cards[game, i], lane]
            out[0, lane] = np.float32(-0.5) * blocked
        for other in range(1, _NUM_CARDS):
            for lane in range(_LANES):
                out[other, lane] = out[0, lane]
        for i in range(num_cards[game]):
            lane_kernels.add_chosen(reach, villain_with[cards[game, i]], out)


@kernel
def _add_won(
    leaving: Leaving,
    kin: Kin,
    turn_index: int,
    with_card: Float32Array,
    out_share: Float32Array,
    out_won: Float32Array,
) -> None:
    """Adds what kin win on all cards of games, as if their hands held none of them."""
    num_games = leaving.num_cards.shape[0]
    lane_kernels.add_games(
        leaving.kin_bucket,
        kin.card[turn_index],
        kin.card_end[turn_index][: kin.number[turn_index]],
        leaving.value[:num_games],
        with_card[:num_games],
        leaving.num_cards,
        out_share,
        out_won,
    )


@kernel
def _subtract_held(
    leaving: Leaving,
    holding: IntArray,
    same: IntArray,
    reach: Float32Array,
    by_card: Float32Array,
    mass: Float32Array,
    out_won: Float32Array,
) -> None:
    """Takes back what hands were given on cards that they hold."""
    cards, num_cards = leaving.cards, leaving.num_cards
    for game in range(cards.shape[0]):
        if num_cards[game] == 1:  # holders of a single card are impossible
            continue
        for i in range(num_cards[game]):
            lane_kernels.subtract_held(
                mass,
                holding[cards[game, i]],
                leaving.bucket[game],
                leaving.value[game],
                by_card[cards[game, i]],
                reach,
                same,
                out_won,
            )


@fused_kernel
def _add_met(
    crossing: Crossing, block: int, kin: Kin, turn_index: int, out_won: Float32Array
) -> None:
    """Adds to ``out_won[H, 16]`` what hands win of what they meet, and beyond that by card."""
    for hand in range(out_won.shape[0]):
        share = crossing.kin_share[block, kin.of_hand[turn_index, hand]]
        low = crossing.kin_won[block, kin.place[turn_index, hand, 0]]
        high = crossing.kin_won[block, kin.place[turn_index, hand, 1]]
        met, total = crossing.mass[block, hand], out_won[hand]
        for lane in range(_LANES):
            total[lane] = share[lane] * met[lane] + (total[lane] + (low[lane] + high[lane]))


@kernel
def cross_up(
    streets: CompactStreets, turn_index: int, crossing: Crossing, out_value: Float32Array
) -> None:
    """Writes what hands win on all rivers into the rows of the turn's chance nodes."""
    chance, kin = streets.turn.chance, streets.games.hero_kin
    for first in range(0, chance.shape[0], _LANES):
        end, block = min(first + _LANES, chance.shape[0]), first // _LANES
        won = crossing.won[block]
        _add_met(crossing, block, kin, turn_index, won)
        lane_kernels.lanes_to_rows(chance[first:end], streets.probability, False, won, out_value)
