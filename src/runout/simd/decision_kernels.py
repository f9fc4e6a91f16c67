"""Decisions over rows of numbers, one for each hand: play, learn, mix and respond.

A decision's actions are rows that follow each other, in the tables of what was learned and in the
rows of reach or value. An action is taken in proportion to the positive part of its weight.

Tables have 32 or 16 bits. A 16-bit number is a *code*: times the scale that all actions of its
decision share, it is the number. How often actions are taken depends on ratios only, so codes serve
as they are; what is learned is kept in a working space until its largest number, and with it the
new scale, is known. Codes of a locked hand hold its strategy and never change.

Sixteen hands are taken at once, with everything about them in registers; rows are padded to a
multiple of sixteen. What is learned with two and three actions, by far the most common numbers, is
compiled apart.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import AnyArray, Float32Array, Uint8Array
from runout.jit import inlined, kernel
from runout.simd.vector_kernels import (
    LANES,
    has_codes,
    larger,
    largest_of,
    load_part,
    multiply_add,
    prefetch_part,
    spread,
    store_part,
    where_above,
)

# The instructions have numba's types, which are not annotated.
# mypy: disable-error-code="no-any-return"

#: The largest code of the two 16-bit types: regrets have a sign, strategy sums do not.
_LARGEST_REGRET, _LARGEST_SUM = np.float32(32_767.0), np.float32(65_535.0)

#: Rows without a larger number become zero: float32 cannot hold the reciprocal of their unit.
_SMALLEST_LARGEST = np.float32(1e-30)

#: A total below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = np.float32(1.2e-38)

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)

#: How far ahead of its use a number of a table is fetched, in bytes: from a small table it is the
#: same place in the next board's table, which follows.
_NEAR_BYTES, _SMALL_TABLE_BYTES = 8_192, 65_536


class Learning(NamedTuple):
    """What a player has learned on a street: one row per action, one column per hand.

    With a leading axis for boards everywhere, or of one board.

    Attributes:
        regret: ``[A, H]`` discounted regrets; float32, or int16 with a scale.
        regret_scale: ``[A]`` in the row of a decision's first action; empty for float32.
        strategy_sum: ``[A, H]`` discounted sums of reach times strategy; float32, or uint16.
        sum_scale: ``[A]`` like ``regret_scale``.
        lock: ``[A, H]`` in the row of a decision's first action, 1 where the hand's strategy is
            fixed (its regrets then are in proportion to it); empty if no decision is locked.
    """

    regret: AnyArray
    regret_scale: Float32Array
    strategy_sum: AnyArray
    sum_scale: Float32Array
    lock: Uint8Array


class Decision(NamedTuple):
    """Where a decision finds its numbers.

    Attributes:
        first: the row of its first action in the tables.
        number: of actions.
        row: its own row of reach or of values.
        child: the row of its first action's.
    """

    first: int
    number: int
    row: int
    child: int


class Discounts(NamedTuple):
    """What regrets are multiplied with before they are added to.

    Attributes:
        positive: of positive regrets.
        negative: of negative regrets.
    """

    positive: np.float32
    negative: np.float32


@inlined
def _add_weights(table: AnyArray, decision: Decision, num_actions: int, begin: int) -> Float32Array:
    """Returns the sum of positive weights."""
    total = spread(_ZERO)
    for action in range(num_actions):
        weight = load_part(table, decision.first + action, begin)
        total = total + larger(weight, spread(_ZERO))
    return total


@inlined
def _invert(total: Float32Array) -> Float32Array:
    return spread(_ONE) / where_above(total, spread(_SMALLEST_TOTAL), total, spread(_ONE))


@inlined
def _match(
    weight: Float32Array, total: Float32Array, inverse: Float32Array, num_actions: int
) -> Float32Array:
    """Returns how often an action is taken: regret matching."""
    share, equal = larger(weight, spread(_ZERO)) * inverse, spread(_ONE / np.float32(num_actions))
    return where_above(total, spread(_SMALLEST_TOTAL), share, equal)


@kernel
def play(table: AnyArray, decision: Decision, out_reach: Float32Array) -> None:
    """Divides arriving reach among the actions, in proportion to positive weights.

    Args:
        table: ``[A, H]`` weights.
        decision: whose row of ``out_reach`` holds what arrives.
        out_reach: ``[n, H]``.
    """
    for begin in range(0, table.shape[1], LANES):
        total, arriving = (
            _add_weights(table, decision, decision.number, begin),
            load_part(out_reach, decision.row, begin),
        )
        inverse = _invert(total)
        for action in range(decision.number):
            weight = load_part(table, decision.first + action, begin)
            share = _match(weight, total, inverse, decision.number)
            store_part(share * arriving, out_reach, decision.child + action, begin)


@inlined
def _mean(
    table: AnyArray, decision: Decision, num_actions: int, begin: int, value: Float32Array
) -> Float32Array:
    """Returns the mean of the actions' values, by the positive part of weights."""
    total, mean = _add_weights(table, decision, num_actions, begin), spread(_ZERO)
    inverse = _invert(total)
    for action in range(num_actions):
        weight = load_part(table, decision.first + action, begin)
        share = _match(weight, total, inverse, num_actions)
        mean = multiply_add(share, load_part(value, decision.child + action, begin), mean)
    return mean


@kernel
def mix(table: AnyArray, decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision to the mean of its actions, by the positive part of weights.

    Args:
        table: ``[A, H]`` weights.
        decision: whose row is set.
        out_value: ``[n, H]``.
    """
    for begin in range(0, table.shape[1], LANES):
        mean = _mean(table, decision, decision.number, begin, out_value)
        store_part(mean, out_value, decision.row, begin)


@inlined
def _add_some(decision: Decision, num_actions: int, out_value: Float32Array) -> None:
    for begin in range(0, out_value.shape[1], LANES):
        total = load_part(out_value, decision.child, begin)
        for action in range(1, num_actions):
            total = total + load_part(out_value, decision.child + action, begin)
        store_part(total, out_value, decision.row, begin)


@kernel
def add_up(decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision to the sum of its actions' in ``out_value[n, H]``."""
    if decision.number == 2:
        _add_some(decision, 2, out_value)
    elif decision.number == 3:
        _add_some(decision, 3, out_value)
    else:
        _add_some(decision, decision.number, out_value)


@kernel
def take_best(decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision to the largest of its actions' in ``out_value[n, H]``."""
    for begin in range(0, out_value.shape[1], LANES):
        best = load_part(out_value, decision.child, begin)
        for action in range(1, decision.number):
            best = larger(load_part(out_value, decision.child + action, begin), best)
        store_part(best, out_value, decision.row, begin)


@kernel
def keep_locked(hero: Learning, decision: Decision, out_value: Float32Array) -> None:
    """Gives locked hands the value of the strategy that they are bound to, which regrets hold."""
    for begin in range(0, out_value.shape[1], LANES):
        mean = _mean(hero.regret, decision, decision.number, begin, out_value)
        locked, value = (
            load_part(hero.lock, decision.first, begin),
            load_part(out_value, decision.row, begin),
        )
        kept = where_above(locked, spread(_ZERO), mean, value)
        store_part(kept, out_value, decision.row, begin)


@kernel
def _encode(
    space: Float32Array,
    lock: Uint8Array,
    largest: np.float32,
    most: np.float32,
    decision: Decision,
    out_table: AnyArray,
    out_scale: Float32Array,
) -> None:
    """Turns ``space[a, H]`` of a decision into codes and their scale, but for locked hands.

    Args:
        space: the numbers of each action.
        lock: ``[A, H]``, or empty.
        largest: of the numbers, without their sign.
        most: the largest code.
        decision: where they go.
        out_table: ``[A, H]`` codes.
        out_scale: ``[A]``.
    """
    first, zero = decision.first, spread(_ZERO)
    out_scale[first] = largest / most
    per_unit = spread(most / largest if largest > _SMALLEST_LARGEST else _ZERO)
    for action in range(decision.number):
        for begin in range(0, out_table.shape[1], LANES):
            scaled = load_part(space, action, begin) * per_unit
            if lock.shape[0] > 0:
                kept = load_part(out_table, first + action, begin)
                scaled = where_above(load_part(lock, first, begin), zero, kept, scaled)
            store_part(scaled, out_table, first + action, begin)


@inlined
def _look_ahead(table: AnyArray, near: int) -> int:
    """Returns how far ahead of its use a number of a table is fetched, in bytes."""
    num_bytes = table.size * table.itemsize
    return num_bytes if num_bytes <= _SMALL_TABLE_BYTES else near


@inlined
def _play_some(
    villain: Learning,
    decision: Decision,
    num_actions: int,
    decay: np.float32,
    space: Float32Array,
    out_reach: Float32Array,
) -> np.float32:
    """Plays and adds with a number of actions; returns the largest sum."""
    regret, sums, first = villain.regret, villain.strategy_sum, decision.first
    unit = spread(villain.sum_scale[first] if has_codes(sums) else _ONE)
    ahead, largest, discount = _look_ahead(regret, _NEAR_BYTES), spread(_ZERO), spread(decay)
    for begin in range(0, regret.shape[1], LANES):
        total, arriving = (
            _add_weights(regret, decision, num_actions, begin),
            load_part(out_reach, decision.row, begin),
        )
        inverse = _invert(total)
        for action in range(num_actions):
            weight = load_part(regret, first + action, begin)
            leaving = _match(weight, total, inverse, num_actions) * arriving
            prefetch_part(regret, first + action, begin, ahead)
            prefetch_part(sums, first + action, begin, ahead)
            old = load_part(sums, first + action, begin) * unit
            store_part(leaving, out_reach, decision.child + action, begin)
            added = multiply_add(old, discount, leaving)
            if has_codes(sums):
                store_part(added, space, action, begin)
                largest = larger(added, largest)
            else:
                store_part(added, sums, first + action, begin)
    return largest_of(largest)


@kernel
def play_and_add(
    villain: Learning,
    decision: Decision,
    decay: np.float32,
    space: Float32Array,
    out_reach: Float32Array,
) -> None:
    """Like `play` by regrets, adding what leaves to strategy sums that are discounted first.

    Args:
        villain: tables of one board, of which the sums are added to.
        decision: whose row of ``out_reach`` holds what arrives.
        decay: the discount of the sums.
        space: ``[actions, H]`` working space; empty with 32-bit tables.
        out_reach: ``[n, H]``.
    """
    sums, scale = villain.strategy_sum, villain.sum_scale
    if decision.number == 2:
        largest = _play_some(villain, decision, 2, decay, space, out_reach)
    elif decision.number == 3:
        largest = _play_some(villain, decision, 3, decay, space, out_reach)
    else:
        largest = _play_some(villain, decision, decision.number, decay, space, out_reach)
    if has_codes(sums):
        _encode(space, villain.lock[:0], largest, _LARGEST_SUM, decision, sums, scale)


@inlined
def _learn_some(
    hero: Learning,
    decision: Decision,
    num_actions: int,
    has_locks: bool,
    discounts: Discounts,
    space: Float32Array,
    out_value: Float32Array,
) -> np.float32:
    """Mixes and learns with a number of actions; returns the largest regret without its sign."""
    regret, first, zero = hero.regret, decision.first, spread(_ZERO)
    unit = spread(hero.regret_scale[first] if has_codes(regret) else _ONE)
    positive, negative = spread(discounts.positive), spread(discounts.negative)
    behind, largest = _look_ahead(regret, -_NEAR_BYTES), zero
    for begin in range(0, regret.shape[1], LANES):
        mean = _mean(regret, decision, num_actions, begin, out_value)
        store_part(mean, out_value, decision.row, begin)
        for action in range(num_actions):
            prefetch_part(regret, first + action, begin, behind)
            weight = load_part(regret, first + action, begin)
            won = load_part(out_value, decision.child + action, begin)
            decay = where_above(weight, zero, positive, negative)
            learned = multiply_add(weight * unit, decay, won - mean)
            if has_locks:
                kept = zero if has_codes(regret) else weight
                learned = where_above(load_part(hero.lock, first, begin), zero, kept, learned)
            if has_codes(regret):
                store_part(learned, space, action, begin)
                largest = larger(larger(learned, zero - learned), largest)
            else:
                store_part(learned, regret, first + action, begin)
    return largest_of(largest)


@kernel
def mix_and_learn(
    hero: Learning,
    decision: Decision,
    discounts: Discounts,
    space: Float32Array,
    out_value: Float32Array,
) -> None:
    """Like `mix` by regrets, adding to them what each action wins beyond the decision.

    Regrets of locked hands hold their strategy and stay.

    Args:
        hero: tables of one board, of which the regrets are discounted and added to.
        decision: whose row of ``out_value`` is set.
        discounts: of the regrets.
        space: ``[actions, H]`` working space; empty with 32-bit tables.
        out_value: ``[n, H]``.
    """
    number = decision.number
    if hero.lock.shape[0] > 0:
        largest = _learn_some(hero, decision, number, True, discounts, space, out_value)
    elif number == 2:
        largest = _learn_some(hero, decision, 2, False, discounts, space, out_value)
    elif number == 3:
        largest = _learn_some(hero, decision, 3, False, discounts, space, out_value)
    else:
        largest = _learn_some(hero, decision, number, False, discounts, space, out_value)
    if has_codes(hero.regret):
        regret, scale = hero.regret, hero.regret_scale
        _encode(space, hero.lock, largest, _LARGEST_REGRET, decision, regret, scale)
