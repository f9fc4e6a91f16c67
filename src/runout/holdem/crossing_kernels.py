"""Compiled way from the hands of a turn card to the buckets of its rivers, and back.

Before a river the opponent's reach is added up by bucket. What a bucket then wins for each unit of
reach that it meets goes back to its hands, times the reach that the hand meets itself, which is
exact for every river card: with ``X`` the opponent's reach and n cards in a game, the hand ``cd``
meets on all of them together

    n * mass(cd) - (X with a card of the game) + (X with c and one of them) + (X with d and one)

where mass is what it meets on the turn. Hands that hold a card of the game meet nobody on it.

Ways to enter the river stand side by side for each hand, as *lanes*, so that going from hands to
buckets and back is one vector addition for a hand and game.
"""

import numpy as np

from runout.arrays import Float32Array, IntArray
from runout.holdem import bucket_simd_kernels as simd
from runout.holdem.compact_layouts import BucketScratch, CompactStreets, Crossing
from runout.jit import kernel

_FLOAT_BYTES, _ADDRESS_BYTES = 4, 8
_BLOCK_BYTES = simd.LANE_BLOCK * _FLOAT_BYTES
_NUM_CARDS = 52
_NOBODY = -1


@kernel
def _used_bytes(streets: CompactStreets) -> int:
    """Returns how much of a lane row is in use: whole blocks."""
    num_roots: int = streets.turn.chance.shape[0]
    return (num_roots + simd.LANE_BLOCK - 1) // simd.LANE_BLOCK * _BLOCK_BYTES


@kernel
def _read_rows(
    used: int, addresses: IntArray, row_bytes: int, scale: np.float32, out_lanes: Float32Array
) -> None:
    """Transposes rows into lanes, times a scale."""
    lane_bytes = np.int64(out_lanes.shape[1] * _FLOAT_BYTES)
    lanes, rows = np.int64(out_lanes.ctypes.data), np.int64(addresses.ctypes.data)
    for column in range(0, used, _BLOCK_BYTES):
        of_block = rows + column // _FLOAT_BYTES * _ADDRESS_BYTES
        for offset in range(0, row_bytes, _BLOCK_BYTES):
            out = lanes + column + offset // _FLOAT_BYTES * lane_bytes
            simd.rows_to_lanes(of_block, np.int64(offset), out, lane_bytes, scale)


@kernel
def _write_rows(used: int, lanes: Float32Array, row_bytes: int, addresses: IntArray) -> None:
    """Transposes lanes into the rows that begin at some addresses."""
    lane_bytes = np.int64(lanes.shape[1] * _FLOAT_BYTES)
    start, rows = np.int64(lanes.ctypes.data), np.int64(addresses.ctypes.data)
    for column in range(0, used, _BLOCK_BYTES):
        of_block = rows + column // _FLOAT_BYTES * _ADDRESS_BYTES
        for offset in range(0, row_bytes, _BLOCK_BYTES):
            block = start + column + offset // _FLOAT_BYTES * lane_bytes
            simd.lanes_to_rows(block, lane_bytes, of_block, np.int64(offset))


@kernel
def cross_down(streets: CompactStreets, reach: Float32Array, out_crossing: Crossing) -> None:
    """Turns ``reach[rows, O]`` at the end of the turn into lanes; finds what each hand meets."""
    row, addresses, used = streets.turn.chance_row, out_crossing.addresses, _used_bytes(streets)
    start, row_bytes = np.int64(reach.ctypes.data), reach.shape[1] * _FLOAT_BYTES
    for lane in range(used // _FLOAT_BYTES):
        addresses[lane] = start + row[min(lane, row.shape[0] - 1)] * row_bytes
    _read_rows(used, addresses, row_bytes, streets.probability, out_crossing.reach)
    out_crossing.by_card[:] = np.float32(0.0)
    out_crossing.total[:] = np.float32(0.0)
    out_crossing.won[:] = np.float32(0.0)
    lane_bytes = np.int64(out_crossing.reach.shape[1] * _FLOAT_BYTES)
    lanes, mass = np.int64(out_crossing.reach.ctypes.data), np.int64(out_crossing.mass.ctypes.data)
    by_card = np.int64(out_crossing.by_card.ctypes.data)
    total = np.int64(out_crossing.total.ctypes.data)
    cards = streets.hands.villain_cards
    for hand in range(cards.shape[0]):
        low, high = by_card + cards[hand, 0] * lane_bytes, by_card + cards[hand, 1] * lane_bytes
        simd.add_hand(total, low, high, lanes + hand * lane_bytes, used)
    cards, same = streets.hands.hero_cards, streets.hands.same
    for hand in range(cards.shape[0]):
        low, high = by_card + cards[hand, 0] * lane_bytes, by_card + cards[hand, 1] * lane_bytes
        simd.set_unblocked(mass + hand * lane_bytes, total, low, high, used)
        if same[hand] != _NOBODY:
            simd.add(mass + hand * lane_bytes, lanes + same[hand] * lane_bytes, used)


@kernel
def enter_game(
    streets: CompactStreets, game: int, crossing: Crossing, out_scratch: BucketScratch
) -> None:
    """Adds the opponent's reach up by bucket, into the rows of a game's roots."""
    games, used = streets.games, _used_bytes(streets)
    num_cards, bucket = games.num_cards[game], games.villain[game]
    lane_bytes = np.int64(crossing.reach.shape[1] * _FLOAT_BYTES)
    sums, lanes = np.int64(crossing.entering.ctypes.data), np.int64(crossing.reach.ctypes.data)
    crossing.entering[:] = np.float32(0.0)
    for hand in range(bucket.shape[0]):
        simd.add(sums + np.int64(bucket[hand]) * lane_bytes, lanes + hand * lane_bytes, used)
    if num_cards > 1:  # a hand is there one time less for each card that it holds
        share = np.float32(-1.0) / np.float32(num_cards)
        for i in range(num_cards):
            holding = streets.hands.holding[games.cards[game, i]]
            for j in range(holding.shape[0]):
                hand = holding[j]
                if hand == _NOBODY:
                    break
                out = sums + np.int64(bucket[hand]) * lane_bytes
                simd.add_scaled(out, lanes + hand * lane_bytes, share, used)
    reach, row, addresses = out_scratch.reach, streets.river.roots.row, crossing.addresses
    start, row_bytes = np.int64(reach.ctypes.data), reach.shape[1] * _FLOAT_BYTES
    num_roots, nowhere = streets.turn.chance.shape[0], np.int64(crossing.nowhere.ctypes.data)
    for lane in range(used // _FLOAT_BYTES):
        is_used = lane < num_roots
        addresses[lane] = start + row[lane] * row_bytes if is_used else nowhere
    _write_rows(used, crossing.entering, row_bytes, addresses)


@kernel
def leave_game(
    streets: CompactStreets, game: int, scratch: BucketScratch, out_crossing: Crossing
) -> None:
    """Adds what each of hero's hands wins on the cards of a game."""
    root, num_roots = streets.river.forest.root, streets.turn.chance.shape[0]
    used, addresses = _used_bytes(streets), out_crossing.addresses
    row_bytes = scratch.value.shape[1] * _FLOAT_BYTES
    values, met = np.int64(scratch.value.ctypes.data), np.int64(scratch.met.ctypes.data)
    for i in range(num_roots):
        simd.divide(met + i * row_bytes, values + root[i] * row_bytes, row_bytes)
    for lane in range(used // _FLOAT_BYTES):
        addresses[lane] = met + min(lane, num_roots - 1) * row_bytes
    _read_rows(used, addresses, row_bytes, np.float32(1.0), out_crossing.leaving)
    _find_blocked(streets, game, out_crossing)
    cards, bucket = streets.hands.hero_cards, streets.games.hero[game]
    lane_bytes = np.int64(out_crossing.won.shape[1] * _FLOAT_BYTES)
    won, mass = np.int64(out_crossing.won.ctypes.data), np.int64(out_crossing.mass.ctypes.data)
    leaving = np.int64(out_crossing.leaving.ctypes.data)
    with_card = np.int64(out_crossing.with_card.ctypes.data)
    times = np.float32(streets.games.num_cards[game])
    for hand in range(bucket.shape[0]):
        value, offset = leaving + np.int64(bucket[hand]) * lane_bytes, hand * lane_bytes
        low = with_card + cards[hand, 0] * lane_bytes
        high = with_card + cards[hand, 1] * lane_bytes
        simd.add_met(won + offset, value, mass + offset, low, high, times, used)
    if streets.games.num_cards[game] > 1:  # else holders of the card are among the impossible
        _subtract_held(streets, game, out_crossing)


@kernel
def _find_blocked(streets: CompactStreets, game: int, out_crossing: Crossing) -> None:
    """Adds up the opponent's reach that a game's cards block, in all and with each other card.

    What is blocked in all is taken off by halves from each card's, as a hand has two cards.
    """
    games, used = streets.games, _used_bytes(streets)
    lane_bytes = np.int64(out_crossing.with_card.shape[1] * _FLOAT_BYTES)
    lanes = np.int64(out_crossing.reach.ctypes.data)
    with_card = np.int64(out_crossing.with_card.ctypes.data)
    by_card = np.int64(out_crossing.by_card.ctypes.data)
    blocked = np.int64(out_crossing.blocked.ctypes.data)
    out_crossing.with_card[:] = np.float32(0.0)
    out_crossing.blocked[:] = np.float32(0.0)
    for i in range(games.num_cards[game]):
        simd.add(blocked, by_card + games.cards[game, i] * lane_bytes, used)
    for other in range(_NUM_CARDS):
        simd.add_scaled(with_card + other * lane_bytes, blocked, np.float32(-0.5), used)
    for i in range(games.num_cards[game]):
        card = games.cards[game, i]
        for other in range(_NUM_CARDS):
            hand = streets.held.villain_with[card, other]
            if hand != _NOBODY:
                simd.add(with_card + other * lane_bytes, lanes + hand * lane_bytes, used)


@kernel
def _subtract_held(streets: CompactStreets, game: int, out_crossing: Crossing) -> None:
    """Takes back what hands were given on cards that they hold."""
    games, used, same = streets.games, _used_bytes(streets), streets.hands.same
    bucket, holding = games.hero[game], streets.held.hero_holding
    lane_bytes = np.int64(out_crossing.won.shape[1] * _FLOAT_BYTES)
    won, mass = np.int64(out_crossing.won.ctypes.data), np.int64(out_crossing.mass.ctypes.data)
    leaving = np.int64(out_crossing.leaving.ctypes.data)
    by_card = np.int64(out_crossing.by_card.ctypes.data)
    lanes, none = np.int64(out_crossing.reach.ctypes.data), np.int64(out_crossing.none.ctypes.data)
    for i in range(games.num_cards[game]):
        card = games.cards[game, i]
        of_card = by_card + card * lane_bytes
        for j in range(holding.shape[1]):
            hand = holding[card, j]
            if hand == _NOBODY:
                break
            value, offset = leaving + np.int64(bucket[hand]) * lane_bytes, hand * lane_bytes
            theirs = lanes + same[hand] * lane_bytes if same[hand] != _NOBODY else none
            simd.subtract_met(won + offset, value, mass + offset, of_card, theirs, used)


@kernel
def cross_up(streets: CompactStreets, crossing: Crossing, out_value: Float32Array) -> None:
    """Writes what hands win on all rivers into the rows of the turn's chance nodes."""
    chance, addresses, used = streets.turn.chance, crossing.addresses, _used_bytes(streets)
    start, row_bytes = np.int64(out_value.ctypes.data), out_value.shape[1] * _FLOAT_BYTES
    nowhere = np.int64(crossing.nowhere.ctypes.data)
    for lane in range(used // _FLOAT_BYTES):
        is_used = lane < chance.shape[0]
        addresses[lane] = start + chance[lane] * row_bytes if is_used else nowhere
    _write_rows(used, crossing.won, row_bytes, addresses)
