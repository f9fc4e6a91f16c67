"""Compiled visits of turn cards whose rivers are games between buckets of hands.

Before a river the opponent's reach is added up by bucket. What a bucket then wins for each unit of
reach that it meets goes back to its hands, times the reach that the hand meets itself, which is
exact for every river card: with ``X`` the opponent's reach and n cards in a game, the hand ``cd``
meets on all of them together

    n * mass(cd) - (X with a card of the game) + (X with c and one of them) + (X with d and one)

where mass is the reach that it meets on the turn. Hands that hold a card of the game meet none.

Ways to enter the river stand side by side for each hand, sixteen to a *block*, so that going from
hands to buckets and back is one vector instruction for each block. Hands that share a bucket in all
games of the turn card (`HandGroups`) take that way together; what they meet differs by their cards
only, and is added up by group and card. A few games are left together, because fetching groups
takes longer than adding them.

A game itself is visited like any street (`street_kernels`), with buckets in the place of hands; a
terminal is one product of a row of reach with the matrix of pairs that can meet.

Turn cards can have buckets, too. Then the tables of a card's buckets are lent to its hands, which
the kernels visit as always, and what hands gain is added up by bucket.

Shape letters: ``H`` hero's hands, ``O`` the opponent's, ``K`` buckets, ``G`` bucket games, ``T``
turn cards, ``L`` ways to enter the river, ``n`` nodes, ``A`` actions, ``B`` buckets of a turn card.
"""

from typing import Annotated, NamedTuple

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray, Uint8Array, Uint16Array
from runout.cfr.cfr_kernels import LEARN, Step
from runout.holdem import street_kernels, terminal_kernels, visit_kernels
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Forest, Lanes, Scratch, Terminals
from runout.holdem.terminal_kernels import Hands, Matchups
from runout.holdem.visit_kernels import Arrival, BothTables, DealtStreet, TurnTables
from runout.jit import inlined, kernel
from runout.simd import decision_kernels, lane_kernels, product_kernels, vector_kernels
from runout.simd.decision_kernels import LARGEST_REGRET, LARGEST_SUM, Decision, Learning
from runout.simd.lane_kernels import load_or_nothing
from runout.simd.vector_kernels import load, multiply_add, spread, store

_LANES, _NUM_CARDS = vector_kernels.LANES, 52
_ZERO, _ONE, _HALF = np.float32(0.0), np.float32(1.0), np.float32(0.5)

#: Nothing is met where less is.
_SMALLEST_MET = np.float32(1e-30)

#: How many games are entered and left together.
GAMES_AT_ONCE = 4


class HandGroups(NamedTuple):
    """A player's hands after each turn card, those together that share a bucket in all its games.

    Where no flush is possible, suits do not matter: 1,128 hands are 92 groups. Lists are as long
    as if every hand were alone.

    Attributes:
        number: of groups.
        of_hand: the group of each hand.
        hands: hands, group by group.
        end: where each group's part of them ends.
        bucket: the bucket of each group; ``K`` where it is impossible.
        order: groups, bucket by bucket.
        bucket_end: where each bucket's part of them ends.
        card: the cards that hands of each group hold, group by group.
        card_end: where each group's part of them ends.
        place: where the two cards of each hand are among them.
    """

    number: Annotated[IntArray, "T"]
    of_hand: Annotated[Uint16Array, "T", "H"]
    hands: Annotated[Uint16Array, "T", "H"]
    end: Annotated[Uint16Array, "T", "H"]
    bucket: Annotated[Uint8Array, "G", "H"]
    order: Annotated[Uint16Array, "G", "H"]
    bucket_end: Annotated[Uint16Array, "G", "K + 1"]
    card: Annotated[Uint8Array, "T", "2 H"]
    card_end: Annotated[Uint16Array, "T", "H"]
    place: Annotated[Uint16Array, "T", "H", 2]


class BucketGames(NamedTuple):
    """The bucket games of all rivers of a flop, seen from one player.

    Attributes:
        first_game: ``[T + 1]`` the games of each turn card, numbered through.
        cards: ``[G, 4]`` the river cards that share a game, the rest -1.
        num_cards: ``[G]`` how many they are.
        weight: ``[G]`` what a game counts, 1 if no river is left out.
        hero: ``[G, H]`` the bucket of each of hero's hands; ``K`` where it is impossible.
        villain: ``[G, O]`` the bucket of each of the opponent's hands.
        hero_groups: hero's hands that share buckets.
        villain_groups: the opponent's hands that share buckets.
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
    weight: Float32Array
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
        hero_factor: ``[T, H]`` of `CardsToCome.factors`; none if all rivers are there.
        villain_factor: ``[T, O]``.
    """

    hands: Hands
    turn: DealtStreet
    river: Forest
    roots: Terminals
    games: BucketGames
    probability: Float32Array
    hero_factor: Float32Array
    villain_factor: Float32Array


class TurnToRiver(NamedTuple):
    """Working space between the hands of a turn card and the buckets of its rivers.

    Ways to enter the river are in blocks of sixteen lanes; ``B`` blocks, ``g`` games at once.

    Attributes:
        reach: the opponent's reach on entering the river.
        mass: how much of it each possible hand can meet, whatever the river card.
        won: the sum over rivers of a hand's winnings.
        group_reach: the opponent's reach by group.
        group_share: winnings of groups on all rivers for each unit of mass.
        group_won: their winnings beyond that, by their cards.
        by_card: the opponent's reach with each card.
        with_card: the opponent's reach with each card and a river card of a game, minus half of all
            that the river cards block.
        entering: the reach of buckets; the last row is of impossible hands.
        leaving: winnings of buckets for each unit of reach that they meet; the last row is 0.
    """

    reach: Annotated[Float32Array, "B", "O", 16]
    mass: Annotated[Float32Array, "B", "H", 16]
    won: Annotated[Float32Array, "B", "H", 16]
    group_reach: Annotated[Float32Array, "B", "O", 16]
    group_share: Annotated[Float32Array, "B", "H", 16]
    group_won: Annotated[Float32Array, "B", "2 H", 16]
    by_card: Annotated[Float32Array, "B", 52, 16]
    with_card: Annotated[Float32Array, "g", 52, 16]
    entering: Annotated[Float32Array, "B", "g", "K + 1", 16]
    leaving: Annotated[Float32Array, "B", "g", "K + 1", 16]


class BucketScratch(NamedTuple):
    """Working space of one bucket game.

    Attributes:
        reach: the opponent's reach.
        value: hero's counterfactual values.
        met: the reach that each bucket meets on entering, in whole blocks.
        rows: as in `Scratch`.
    """

    reach: Annotated[Float32Array, "rows", "K"]
    value: Annotated[Float32Array, "n", "K"]
    met: Annotated[Float32Array, "L", "K"]
    rows: Annotated[Float32Array, "actions", "K"]


class BucketTurnScratch(NamedTuple):
    """Working space of a worker that visits turn cards: of the turn, of a game, and between."""

    turn: Scratch
    between: TurnToRiver
    game: BucketScratch


class BucketedTurnStreets(NamedTuple):
    """What visits of turn cards need to know if hands share columns there as well.

    Attributes:
        streets: turn and rivers.
        hero: the column of each of hero's hands; any where the card makes it impossible.
        villain: the column of each of the opponent's hands.
        hero_weight: how much what a hand gains counts, 0 for padding.
        villain_weight: 1 for each of the opponent's hands, whose reach is weighted already.
    """

    streets: BucketStreets
    hero: Annotated[Uint16Array, "T", "H"]
    villain: Annotated[Uint16Array, "T", "O"]
    hero_weight: Annotated[Float32Array, "H"]
    villain_weight: Annotated[Float32Array, "O"]


class LentTables(NamedTuple):
    """Working space: tables of hands that those of a turn card's buckets are lent to.

    Attributes:
        hero: hero's regrets, or strategy sums where nothing is learned.
        villain: the opponent's regrets.
        sums: the opponent's strategy sums.
        gained: what the buckets of a decision have gained.
    """

    hero: Annotated[Float32Array, "hero actions", "H"]
    villain: Annotated[Float32Array, "villain actions", "O"]
    sums: Annotated[Float32Array, "villain actions", "O"]
    gained: Annotated[Float32Array, "most actions", "columns"]


class BucketedTurnScratch(NamedTuple):
    """Working space of a worker that visits turn cards in buckets; see `BucketTurnScratch`."""

    turn: Scratch
    between: TurnToRiver
    game: BucketScratch
    lent: LentTables


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
    reach, value, (node, row, stake) = out_scratch.reach, out_scratch.value, river.showdowns
    product_kernels.multiply_buckets(meets, reach, roots, False, out_scratch.met)
    street_kernels.push_reach(river, 0, tables.villain, step, out_scratch)
    product_kernels.multiply_buckets(meets, reach, river.folds, False, value)
    product_kernels.multiply_buckets(wins, reach, Terminals(node, row, stake), False, value)
    if river.rake.shape[0] > 0:
        product_kernels.multiply_buckets(
            meets, reach, Terminals(node, row, river.rake), True, value
        )
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
    for number in numbers:
        both = visit_kernels.on_board(tables.turn, number - tables.first_turn)
        matchups = visit_kernels.begin_turn(
            streets.hands, streets.turn, number, both.villain, step, arrival, scratch.turn
        )
        _visit_games(streets, number, matchups, tables, step, scratch)
        street_kernels.pull_values(streets.turn.forest, 0, both.hero, step, scratch.turn)
        visit_kernels.leave_street(streets.turn.forest, 0, scratch.turn.value, out_values[number])
    vector_kernels.set_float_mode(old_mode)


@inlined
def _visit_games(
    streets: BucketStreets,
    number: int,
    matchups: Matchups,
    tables: TurnTables,
    step: Step,
    scratch: BucketTurnScratch,
) -> None:
    """Visits all bucket games of a turn card that has begun; sets values of its chance nodes."""
    games, river, roots, between = streets.games, streets.river, streets.roots, scratch.between
    forest = streets.turn.forest
    visit_kernels.begin_rivers(streets.villain_factor, number, forest, scratch.turn)
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
            leave_rows(streets, game, game - first, scratch.game, between)
        leave_games(streets, number, first, last, between)
    cross_up(streets, number, between, scratch.turn.value)
    for node in forest.chance:
        value = scratch.turn.value[node : node + 1]
        visit_kernels.scale_rows(streets.hero_factor, number, value)


@kernel
def visit_turns_in_buckets(
    streets: BucketedTurnStreets,
    numbers: IntArray,
    tables: TurnTables,
    step: Step,
    arrival: Arrival,
    scratch: BucketedTurnScratch,
    out_values: Float32Array,
) -> None:
    """Visits turn cards whose hands share columns; see `visit_kernels.visit_turns`.

    Best responses tell all hands apart on the turn.
    """
    old_mode = vector_kernels.set_float_mode(visit_kernels.FLUSH_DENORMALS)
    later, turn, lent = streets.streets, streets.streets.turn, scratch.lent
    of_games = BucketTurnScratch(scratch.turn, scratch.between, scratch.game)
    # Lent tables are left with what a visit adds itself.
    afresh = Step(step.mode, _ZERO, _ZERO, _ZERO)
    hero, villain = _without_scales(lent.hero, lent.hero), _without_scales(lent.villain, lent.sums)
    for number in numbers:
        both = visit_kernels.on_board(tables.turn, number - tables.first_turn)
        own, theirs = streets.hero[number], streets.villain[number]
        if step.mode == LEARN:
            _lend(both.hero.regret, own, lent.hero)
            _lend(both.villain.regret, theirs, lent.villain)
        else:
            _lend(both.hero.strategy_sum, own, lent.hero)
            _lend(both.villain.strategy_sum, theirs, lent.sums)
        matchups = visit_kernels.begin_turn(
            later.hands, turn, number, villain, afresh, arrival, scratch.turn
        )
        _visit_games(later, number, matchups, tables, step, of_games)
        street_kernels.pull_values(turn.forest, 0, hero, afresh, scratch.turn)
        visit_kernels.leave_street(turn.forest, 0, scratch.turn.value, out_values[number])
        if step.mode == LEARN:
            _take_back(turn.forest, streets, number, both, step, lent)
    vector_kernels.set_float_mode(old_mode)


@inlined
def _without_scales(regret: Float32Array, strategy_sum: Float32Array) -> Learning:
    nothing, no_lock = np.zeros(0, np.float32), np.zeros((0, 0), np.uint8)
    return Learning(regret, nothing, strategy_sum, nothing, no_lock)


@kernel
def _lend(table: AnyArray, column: Uint16Array, out_by_hand: Float32Array) -> None:
    """Gives every hand what its column of a ``table[A, B]`` has, in ``out_by_hand[A, H]``.

    Codes of 16 bits serve as they are: only ratios within a decision matter.
    """
    for action in range(table.shape[0]):
        source, target = table[action], out_by_hand[action]
        for hand in range(column.shape[0]):
            target[hand] = np.float32(source[column[hand]])


@kernel
def _take_back(
    forest: Forest,
    streets: BucketedTurnStreets,
    number: int,
    tables: BothTables,
    step: Step,
    lent: LentTables,
) -> None:
    """Adds what hands have gained on a turn card, by bucket, to tables that are discounted."""
    hero, villain, gained = tables.hero, tables.villain, lent.gained
    for node in range(forest.kind.shape[0]):
        first, count = int(forest.first_action[node]), int(forest.num_children[node])
        decision = Decision(first, count, 0, 0)
        if forest.kind[node] == HERO_ACTS:
            _add_up(lent.hero, decision, streets.hero[number], streets.hero_weight, gained)
            positive, negative = step.positive_regret, step.negative_regret
            table, scale = hero.regret, hero.regret_scale
            decision_kernels.add_rows(
                table, scale, decision, positive, negative, LARGEST_REGRET, gained, gained
            )
        elif forest.kind[node] == VILLAIN_ACTS:
            _add_up(lent.sums, decision, streets.villain[number], streets.villain_weight, gained)
            table, scale, decay = villain.strategy_sum, villain.sum_scale, step.strategy
            decision_kernels.add_rows(
                table, scale, decision, decay, decay, LARGEST_SUM, gained, gained
            )


@kernel
def _add_up(
    by_hand: Float32Array,
    decision: Decision,
    column: Uint16Array,
    weight: Float32Array,
    out_gained: Float32Array,
) -> None:
    """Sets rows ``out_gained[., B]`` of a decision to the weighted sums of ``by_hand[A, H]``."""
    for action in range(decision.number):
        source, total = by_hand[decision.first + action], out_gained[action]
        total[:] = _ZERO
        for hand in range(column.shape[0]):
            total[column[hand]] += source[hand] * weight[hand]


@kernel
def cross_down(
    streets: BucketStreets,
    turn_index: int,
    matchups: Matchups,
    sums: Lanes,
    reach: Float32Array,
    out_between: TurnToRiver,
) -> None:
    """Turns ``reach[rows, O]`` at the end of a turn into lanes; finds what each hand meets.

    Sets reach, mass, and sums by card and by group of ``out_between``; nothing is won yet.
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
            if num_cards == 1:  # holders of a single card are impossible
                continue
            # Hands count one time less for each of a game's cards that they hold.
            share = spread(-_ONE / np.float32(num_cards))
            for card in games.cards[game, :num_cards]:
                for hand in holding[card]:
                    if hand >= 0:
                        bucket = games.villain[game, hand]
                        store(
                            multiply_add(load(reach, hand), share, load(out, bucket)), out, bucket
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
    streets: BucketStreets,
    game: int,
    position: int,
    scratch: BucketScratch,
    out_between: TurnToRiver,
) -> None:
    """Reads what each bucket of a game wins for each unit of reach that it meets, times its weight.

    The ``position`` is that of the game among those that are left together.
    """
    root, node, weight = streets.river.root, streets.roots.node, streets.games.weight[game]
    for i in range(root.shape[0]):
        won, met = scratch.value[root[i]], scratch.met[i]
        for bucket in range(met.shape[0]):
            is_met = met[bucket] > _SMALLEST_MET
            share = won[bucket] / (met[bucket] if is_met else _ONE)
            met[bucket] = weight * share if is_met else _ZERO
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
    games = streets.games
    for block in range(_num_blocks(streets)):
        reach, by_card = out_between.reach[block], out_between.by_card[block]
        mass, won = out_between.mass[block], out_between.won[block]
        for game in range(first_game, end_game):
            _find_blocked(games, game, reach, by_card, out_between.with_card[game - first_game])
        _add_groups(streets, turn_index, first_game, end_game, block, out_between)
        for game in range(first_game, end_game):
            if games.num_cards[game] == 1:  # holders of a single card are impossible
                continue
            value, bucket = out_between.leaving[block, game - first_game], games.hero[game]
            for card in games.cards[game, : games.num_cards[game]]:
                blocked = load(by_card, card)
                for hand in games.hero_holding[card]:
                    if hand >= 0:
                        same = load_or_nothing(reach, streets.hands.same[hand])
                        left = load(mass, hand) - blocked + same
                        store(load(won, hand) - load(value, bucket[hand]) * left, won, hand)


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
    cards, blocked = games.cards[game, : games.num_cards[game]], spread(_ZERO)
    for card in cards:
        blocked = blocked + load(by_card, card)
    off = blocked * spread(-_HALF)
    for other in range(_NUM_CARDS):
        total = off
        for card in cards:
            total = total + load_or_nothing(reach, games.villain_with[card, other])
        store(total, out_with_card, other)


@kernel
def _add_groups(
    streets: BucketStreets,
    turn_index: int,
    first_game: int,
    end_game: int,
    block: int,
    out_between: TurnToRiver,
) -> None:
    """Adds what groups win in some games as if hands held none of the cards.

    That is for each unit of mass the value of their bucket for each of the cards, and beyond that
    the value times what each of their cards blocks. The values of four games stay in registers; of
    games that are missing at the end nothing is added.
    """
    groups, value, last = streets.games.hero_groups, out_between.leaving[block], end_game - 1
    shares, won = out_between.group_share[block], out_between.group_won[block]
    bucket, blocked, cards = groups.bucket, out_between.with_card, groups.card[turn_index]
    times, begin = np.zeros(GAMES_AT_ONCE, np.float32), np.int64(0)
    for game in range(end_game - first_game):
        times[game] = streets.games.num_cards[first_game + game]
    blocked[end_game - first_game :] = _ZERO
    for group in range(groups.number[turn_index]):
        one = load(value[0], bucket[first_game, group])
        two = load(value[1], bucket[min(first_game + 1, last), group])
        three = load(value[2], bucket[min(first_game + 2, last), group])
        four = load(value[3], bucket[min(first_game + 3, last), group])
        share = multiply_add(one, spread(times[0]), load(shares, group))
        share = multiply_add(two, spread(times[1]), share)
        share = multiply_add(three, spread(times[2]), share)
        store(multiply_add(four, spread(times[3]), share), shares, group)
        end = np.int64(groups.card_end[turn_index, group])
        for entry in range(begin, end):
            card, total = cards[entry], load(won, entry)
            total = multiply_add(one, load(blocked[0], card), total)
            total = multiply_add(two, load(blocked[1], card), total)
            total = multiply_add(three, load(blocked[2], card), total)
            store(multiply_add(four, load(blocked[3], card), total), won, entry)
        begin = end


@kernel
def cross_up(
    streets: BucketStreets, turn_index: int, between: TurnToRiver, out_value: Float32Array
) -> None:
    """Writes what hands win on all rivers into the rows of the turn's chance nodes."""
    chance, groups = streets.turn.forest.chance, streets.games.hero_groups
    group, place = groups.of_hand[turn_index], groups.place[turn_index]
    for block in range(_num_blocks(streets)):
        first, end = block * _LANES, min((block + 1) * _LANES, chance.shape[0])
        won, by_card = between.won[block], between.group_won[block]
        for hand in range(group.shape[0]):
            of_cards = load(by_card, place[hand, 0]) + load(by_card, place[hand, 1])
            share, mass = (
                load(between.group_share[block], group[hand]),
                load(between.mass[block], hand),
            )
            store(multiply_add(share, mass, load(won, hand) + of_cards), won, hand)
        lane_kernels.lanes_to_rows(chance[first:end], streets.probability, False, won, out_value)
