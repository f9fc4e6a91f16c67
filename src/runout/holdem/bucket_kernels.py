"""Compiled visits of turn cards whose rivers are games between buckets of hands.

Before a river the opponent's reach is added up by bucket. What a bucket then wins for each unit of
reach that it meets goes back to its hands, times the reach that the hand meets itself, which is
exact for every river card: with ``X`` the opponent's reach and n cards in a game, the hand ``cd``
meets on all of them together

    n * mass(cd) - (X with a card of the game) + (X with c and one of them) + (X with d and one)

where mass is what it meets on the turn. Hands that hold a card of the game meet nobody on it.

Ways to enter the river stand side by side for each hand, sixteen to a *block*, so that going from
hands to buckets and back is one vector instruction for each block. Hands that share a bucket in all
games of the turn card (`HandGroups`) take that way together; what they meet differs by their cards
only, and is added up by group and card. A few games are left together, because fetching groups
takes longer than adding them.

A game itself is visited like any street (`street_kernels`), with buckets in the place of hands; a
terminal is one product of a row of reach with the matrix of who meets whom.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` buckets, ``G`` bucket games, ``T``
turn cards, ``L`` ways to enter the river, ``n`` nodes.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, IntArray, Uint8Array, Uint16Array
from runout.holdem import street_kernels, terminal_kernels, visit_kernels
from runout.holdem.street_kernels import Forest, Lanes, Scratch, Step
from runout.holdem.terminal_kernels import Matchups, Terminals
from runout.holdem.visit_kernels import Arrival, BothTables, DealtStreet, Hands, TurnTables
from runout.jit import kernel
from runout.simd import lane_kernels, product_kernels, vector_kernels

_LANES, _NUM_CARDS = vector_kernels.LANES, 52
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)

#: Nothing is met where less is.
_SMALLEST_MET = np.float32(1e-30)

#: How many games are entered and left together.
GAMES_AT_ONCE = lane_kernels.GAMES_AT_ONCE


class HandGroups(NamedTuple):
    """A player's hands after each turn card, those together that share a bucket in all its games.

    Where no flush is possible, suits do not matter: 1,128 hands are 92 groups. Lists are as long
    as if every hand were alone.

    Attributes:
        number: ``[T]`` of groups.
        of_hand: ``[T, H]`` the group of each hand.
        hands: ``[T, H]`` hands, group by group.
        end: ``[T, H]`` where each one's part of them ends.
        bucket: ``[G, H]`` the bucket of each group; ``K`` where it is impossible.
        order: ``[G, H]`` groups, bucket by bucket.
        bucket_end: ``[G, K + 1]`` where each bucket's part of them ends.
        card: ``[T, 2 H]`` the cards that hands of each group hold, group by group.
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
        hero_groups: hero's hands that share buckets.
        villain_groups: likewise of the opponent's.
        hero_holding: ``[52, 51]`` hero's hands that hold a card, the rest -1.
        villain_with: ``[52, 52]`` the opponent's hand of two cards, -1 for none.
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
    hero_groups: HandGroups
    villain_groups: HandGroups
    hero_holding: IntArray
    villain_with: IntArray
    meets: Float32Array
    wins: Float32Array


class BucketStreets(NamedTuple):
    """What visits of turn cards need to know about a game whose rivers are bucket games.

    Lists of what is multiplied are in blocks of eight. The last entry is repeated to fill a block:
    setting a row twice to the same changes nothing.

    Attributes:
        hands: both players' hands.
        turn: the betting of the turn, hands by turn card, and the cards.
        river: the betting of the river, in one group; folds and showdowns fill whole blocks.
        roots: ways to enter the river, in whole blocks; nodes are numbers of roots.
        games: the bucket games of all rivers.
        probability: ``[16]`` of a river card for two given hands, the same for each lane.
    """

    hands: Hands
    turn: DealtStreet
    river: Forest
    roots: Terminals
    games: BucketGames
    probability: Float32Array


class TurnToRiver(NamedTuple):
    """Working space between the hands of a turn card and the buckets of its rivers.

    Ways to enter the river are in blocks of sixteen lanes; ``B`` blocks, ``g`` games at once.

    Attributes:
        reach: ``[B, O, 16]`` the opponent's reach on entering the river.
        mass: ``[B, H, 16]`` how much of it each possible hand can meet, whatever the river card.
        won: ``[B, H, 16]`` the sum over rivers of what a hand wins.
        group_reach: ``[B, O, 16]`` the opponent's reach by group.
        group_share: ``[B, H, 16]`` what groups win on all rivers for each unit of mass.
        group_won: ``[B, 2 H, 16]`` what they win beyond that, by their cards.
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
    group_reach: Float32Array
    group_share: Float32Array
    group_won: Float32Array
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


class BucketTurnScratch(NamedTuple):
    """Working space of a worker that visits turn cards: of the turn, of a game, and between."""

    turn: Scratch
    between: TurnToRiver
    game: BucketScratch


@kernel
def value_rows(
    terminals: Terminals,
    matrix: Float32Array,
    adds: bool,
    reach: Float32Array,
    out_value: Float32Array,
) -> None:
    """Sets the rows of terminals to payoff times reach times matrix, or adds it."""
    node, row, payoff = terminals
    product_kernels.multiply_buckets(matrix, reach, row, node, payoff, adds, out_value)


@kernel
def play_game(
    river: Forest,
    roots: Terminals,
    meets: Float32Array,
    wins: Float32Array,
    tables: BothTables,
    step: Step,
    out_scratch: BucketScratch,
) -> None:
    """Visits one bucket game; the rows of its roots hold the opponent's reach already."""
    reach, value = out_scratch.reach, out_scratch.value
    node, row, num_raked = river.showdown, river.showdown_row, river.showdown_rake.shape[0]
    value_rows(roots, meets, False, reach, out_scratch.met)
    street_kernels.push_reach(river, 0, tables.villain, step, out_scratch)
    folds = Terminals(river.fold, river.fold_row, river.fold_gain)
    value_rows(folds, meets, False, reach, value)
    value_rows(Terminals(node, row, river.showdown_stake), wins, False, reach, value)
    rake = Terminals(node[:num_raked], row[:num_raked], river.showdown_rake)
    value_rows(rake, meets, True, reach, value)
    street_kernels.pull_values(river, 0, tables.hero, step, out_scratch)


@kernel
def visit_turns(
    streets: BucketStreets,
    numbers: IntArray,
    tables: TurnTables,
    step: Step,
    arrival: Arrival,
    scratch: BucketTurnScratch,
    out_values: Float32Array,
) -> None:
    """Visits turn cards with all their rivers; see `visit_kernels.visit_turns`."""
    old_mode = vector_kernels.set_float_mode(visit_kernels.FLUSH_DENORMALS)
    hands, turn, games = streets.hands, streets.turn, streets.games
    river, roots, between = streets.river, streets.roots, scratch.between
    for number in numbers:
        both = visit_kernels.on_board(tables.turn, number - tables.first_turn)
        matchups = visit_kernels.begin_turn(
            hands, turn, number, both.villain, step, arrival, scratch.turn
        )
        cross_down(streets, number, matchups, scratch.turn.lanes, scratch.turn.reach, between)
        begin, end = games.first_game[number], games.first_game[number + 1]
        for first in range(begin, end, GAMES_AT_ONCE):
            last = min(first + GAMES_AT_ONCE, end)
            enter_games(streets, first, last, between)
            for game in range(first, last):
                on_river = visit_kernels.on_board(tables.river, game - tables.first_river)
                meets, wins = games.meets[game], games.wins[game]
                enter_rows(streets, game - first, between, scratch.game)
                play_game(river, roots, meets, wins, on_river, step, scratch.game)
                leave_rows(streets, game - first, scratch.game, between)
            leave_games(streets, number, first, last, between)
        cross_up(streets, number, between, scratch.turn.value)
        street_kernels.pull_values(turn.forest, 0, both.hero, step, scratch.turn)
        visit_kernels.leave_street(turn.forest, 0, scratch.turn.value, out_values[number])
    vector_kernels.set_float_mode(old_mode)


@kernel
def cross_down(
    streets: BucketStreets,
    turn_index: int,
    matchups: Matchups,
    sums: Lanes,
    reach: Float32Array,
    out_between: TurnToRiver,
) -> None:
    """Turns ``reach[rows, O]`` at the end of the turn into lanes; finds what each hand meets.

    Args:
        streets: the game.
        turn_index: the number of the turn card.
        matchups: the hands on the turn's board.
        sums: working space of terminals.
        reach: the opponent's.
        out_between: its reach, mass, and sums by card and by group; nothing is won yet.
    """
    theirs, own = streets.games.villain_groups, streets.games.hero_groups
    num_own = own.number[turn_index]
    num_cards = np.int64(own.card_end[turn_index, num_own - 1])
    row = streets.turn.forest.chance_row
    for block in range(_num_blocks(streets)):
        first, end = block * _LANES, min((block + 1) * _LANES, row.shape[0])
        lanes = Lanes(
            out_between.reach[block],
            out_between.mass[block],
            sums.met,
            out_between.by_card[block],
            sums.running,
        )
        out_between.won[block] = _ZERO
        out_between.group_share[block][:num_own] = _ZERO
        out_between.group_won[block][:num_cards] = _ZERO
        lane_kernels.rows_to_lanes(row[first:end], reach, lanes.reach)
        terminal_kernels.sum_reach(matchups, lanes)
        lane_kernels.sum_by_bucket(
            lanes.reach,
            theirs.hands[turn_index],
            theirs.end[turn_index][: theirs.number[turn_index]],
            out_between.group_reach[block],
        )


@kernel
def _num_blocks(streets: BucketStreets) -> int:
    num_roots: int = streets.turn.forest.chance.shape[0]
    return (num_roots + _LANES - 1) // _LANES


@kernel
def enter_games(
    streets: BucketStreets, first_game: int, end_game: int, out_between: TurnToRiver
) -> None:
    """Adds the opponent's reach up by bucket: ``entering`` of some games, the mean over cards."""
    games, groups, holding = streets.games, streets.games.villain_groups, streets.hands.holding
    for block in range(_num_blocks(streets)):
        reach, of_groups = out_between.reach[block], out_between.group_reach[block]
        for game in range(first_game, end_game):
            out, num_cards = out_between.entering[block, game - first_game], games.num_cards[game]
            lane_kernels.sum_by_bucket(of_groups, groups.order[game], groups.bucket_end[game], out)
            if num_cards > 1:  # holders of a single card are impossible
                # Hands count one time less for each of a game's cards that they hold.
                share = -_ONE / np.float32(num_cards)
                for card in games.cards[game, :num_cards]:
                    lane_kernels.add_by_bucket(
                        reach, holding[card], games.villain[game], share, out
                    )


@kernel
def enter_rows(
    streets: BucketStreets, position: int, between: TurnToRiver, out_scratch: BucketScratch
) -> None:
    """Writes what enters one of the games into the rows of its roots."""
    num_roots, roots = streets.river.root.shape[0], streets.roots
    for block in range(_num_blocks(streets)):
        lanes = slice(block * _LANES, min((block + 1) * _LANES, num_roots))
        entering = between.entering[block, position]
        lane_kernels.lanes_to_rows(
            roots.row[lanes], roots.payoff[lanes], False, entering, out_scratch.reach
        )


@kernel
def leave_rows(
    streets: BucketStreets, position: int, scratch: BucketScratch, out_between: TurnToRiver
) -> None:
    """Reads what each bucket of one of the games wins for each unit of reach that it meets."""
    root, node = streets.river.root, streets.roots.node
    for i in range(root.shape[0]):
        won, met = scratch.value[root[i]], scratch.met[i]
        for bucket in range(met.shape[0]):
            is_met = met[bucket] > _SMALLEST_MET
            share = won[bucket] / (met[bucket] if is_met else _ONE)
            met[bucket] = share if is_met else _ZERO
    for block in range(_num_blocks(streets)):
        lanes = slice(block * _LANES, min((block + 1) * _LANES, root.shape[0]))
        lane_kernels.rows_to_lanes(node[lanes], scratch.met, out_between.leaving[block, position])


@kernel
def leave_games(
    streets: BucketStreets,
    turn_index: int,
    first_game: int,
    end_game: int,
    out_between: TurnToRiver,
) -> None:
    """Adds what hero's groups win on the cards of some games, less what hands win that hold one."""
    games, groups, num_games = streets.games, streets.games.hero_groups, end_game - first_game
    with_card = out_between.with_card[:num_games]
    for block in range(_num_blocks(streets)):
        reach, by_card = out_between.reach[block], out_between.by_card[block]
        value = out_between.leaving[block][:num_games]
        for game in range(num_games):
            _find_blocked(games, first_game + game, reach, by_card, with_card[game])
        # As if hands held none of the cards.
        lane_kernels.add_games(
            groups.bucket[first_game:end_game],
            groups.card[turn_index],
            groups.card_end[turn_index][: groups.number[turn_index]],
            value,
            with_card,
            games.num_cards[first_game:end_game],
            out_between.group_share[block],
            out_between.group_won[block],
        )
        for game in range(first_game, end_game):
            if games.num_cards[game] == 1:  # holders of a single card are impossible
                continue
            for card in games.cards[game, : games.num_cards[game]]:
                lane_kernels.subtract_held(
                    out_between.mass[block],
                    games.hero_holding[card],
                    games.hero[game],
                    value[game - first_game],
                    by_card[card : card + 1],
                    reach,
                    streets.hands.same,
                    out_between.won[block],
                )


@kernel
def _find_blocked(
    games: BucketGames,
    game: int,
    reach: Float32Array,
    by_card: Float32Array,
    out_with_card: Float32Array,
) -> None:
    """Adds up the reach that the cards of a game block, in all and with each other card.

    What is blocked in all is taken off by halves from each card's, as a hand has two cards.
    """
    cards = games.cards[game, : games.num_cards[game]]
    for lane in range(_LANES):
        blocked = _ZERO
        for card in cards:
            blocked += by_card[card, lane]
        out_with_card[0, lane] = np.float32(-0.5) * blocked
    for other in range(1, _NUM_CARDS):
        for lane in range(_LANES):
            out_with_card[other, lane] = out_with_card[0, lane]
    for card in cards:
        lane_kernels.add_chosen(reach, games.villain_with[card], out_with_card)


@kernel
def cross_up(
    streets: BucketStreets, turn_index: int, between: TurnToRiver, out_value: Float32Array
) -> None:
    """Writes what hands win on all rivers into the rows of the turn's chance nodes."""
    chance, groups = streets.turn.forest.chance, streets.games.hero_groups
    for block in range(_num_blocks(streets)):
        first, end, won = (
            block * _LANES,
            min((block + 1) * _LANES, chance.shape[0]),
            between.won[block],
        )
        lane_kernels.add_met(
            between.mass[block],
            groups.of_hand[turn_index],
            groups.place[turn_index],
            between.group_share[block],
            between.group_won[block],
            won,
        )
        lane_kernels.lanes_to_rows(chance[first:end], streets.probability, False, won, out_value)
