"""Decisions over rows of numbers, one for each hand: play, learn, mix and respond.

A decision's actions are rows that follow each other, in the tables of what was learned and in the
rows of reach or value. An action is taken in proportion to the positive part of its weight.

Tables have 32 or 16 bits. A 16-bit number is a *code*: times the scale that all actions of its
decision share, it is the number. How often actions are taken depends on ratios only, so codes serve
as they are; what is learned is kept in a working space until its largest number, and with it the
new scale, is known. Codes of a locked hand hold its strategy and never change.

While learning, by far the most is done by two pieces; their LLVM code has everything about a few
hands in registers at once. Rows are padded to a multiple of sixteen.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import AnyArray, Float32Array, Uint8Array
from runout.jit import kernel
from runout.simd.vector_kernels import FLOAT_BYTES, LL, fused_kernel, ir, vectorised

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: The largest code of the two 16-bit types: regrets have a sign, strategy sums do not.
LARGEST_REGRET, LARGEST_SUM = np.float32(32_767.0), np.float32(65_535.0)
_LARGEST_CODE = {"int16": float(LARGEST_REGRET), "uint16": float(LARGEST_SUM)}

#: Rows without a larger number become zero: float32 cannot hold the reciprocal of their unit.
_SMALLEST_LARGEST = np.float32(1e-30)

#: A total below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = np.float32(1.2e-38)

_ZERO, _HALF, _ONE = np.float32(0.0), np.float32(0.5), np.float32(1.0)

#: Numbers of actions that are written out while learning, by far the most common.
_WRITTEN_OUT = (2, 3)

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


@kernel
def _find_inverse(table: AnyArray, decision: Decision, out_inverse: Float32Array) -> None:
    """Sets ``out_inverse[H]`` to 1 / the sum of positive weights, 0 where there are none."""
    out_inverse[:] = _ZERO
    for action in range(decision.number):
        weights = table[decision.first + action]
        for hand in range(out_inverse.shape[0]):
            weight = np.float32(weights[hand])
            out_inverse[hand] += weight if weight > _ZERO else _ZERO
    for hand in range(out_inverse.shape[0]):
        total = out_inverse[hand]
        is_positive = total > _SMALLEST_TOTAL
        inverse = _ONE / (total if is_positive else _ONE)
        out_inverse[hand] = inverse if is_positive else _ZERO


@kernel
def _match(
    table: AnyArray, decision: Decision, action: int, inverse: Float32Array, out_share: Float32Array
) -> None:
    """Sets ``out_share[H]`` to how often an action is taken: regret matching."""
    weights, equal = table[decision.first + action], _ONE / np.float32(decision.number)
    for hand in range(out_share.shape[0]):
        weight = np.float32(weights[hand])
        share = (weight if weight > _ZERO else _ZERO) * inverse[hand]
        out_share[hand] = share if inverse[hand] > _ZERO else equal


@kernel
def play(table: AnyArray, decision: Decision, out_reach: Float32Array) -> None:
    """Divides reach among actions, in proportion to the positive part of weights ``table[A, H]``.

    The decision's row of ``out_reach[n, H]`` holds what arrives.
    """
    inverse, arriving = np.empty(table.shape[1], np.float32), out_reach[decision.row]
    _find_inverse(table, decision, inverse)
    for action in range(decision.number):
        leaving = out_reach[decision.child + action]
        _match(table, decision, action, inverse, leaving)
        for hand in range(leaving.shape[0]):
            leaving[hand] *= arriving[hand]


@fused_kernel
def _add_mean(share: Float32Array, value: Float32Array, out_mean: Float32Array) -> None:
    for hand in range(out_mean.shape[0]):
        out_mean[hand] += share[hand] * value[hand]


@kernel
def mix(table: AnyArray, decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision, in ``out_value[n, H]``, to the mean of its actions.

    They are weighted by the positive part of ``table[A, H]``.
    """
    mean, inverse = out_value[decision.row], np.empty(table.shape[1], np.float32)
    share = np.empty(table.shape[1], np.float32)
    _find_inverse(table, decision, inverse)
    mean[:] = _ZERO
    for action in range(decision.number):
        _match(table, decision, action, inverse, share)
        _add_mean(share, out_value[decision.child + action], mean)


def _each_hand(code, number, row_bytes, write, counts=_WRITTEN_OUT):
    """Calls ``write(count, offset)`` for every vector of a row, some numbers of actions apart."""
    if not counts:
        code.each_vector(row_bytes, lambda offset: write(number, offset))
        return
    is_count = code.builder.icmp_signed("==", number, code.whole(counts[0]))
    with code.builder.if_else(is_count) as (written_out, otherwise):
        with written_out:
            code.each_vector(row_bytes, lambda offset: write(counts[0], offset))
        with otherwise:
            _each_hand(code, number, row_bytes, write, counts[1:])


def _write_add_up(code, decision, value):
    builder, row_bytes = code.builder, code.times(value.shape[-1], FLOAT_BYTES)
    values, out = code.row(value, decision.child), code.row(value, decision.row)

    def some(count, offset):
        slot = code.slot()
        builder.store(code.load(code.at(values, offset)), slot)

        def add(index):
            won = code.load(code.at(values, code.at(code.times(index, row_bytes), offset)))
            builder.store(builder.fadd(builder.load(slot), won), slot)

        code.each(count, add, begin=1)
        code.store(builder.load(slot), code.at(out, offset))

    _each_hand(code, decision.number, row_bytes, some)


@vectorised(_write_add_up)
def add_up(decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision to the sum of its actions' in ``out_value[n, H]``."""
    total = out_value[decision.row]
    first = out_value[decision.child]
    for hand in range(total.shape[0]):
        total[hand] = first[hand]
    for action in range(1, decision.number):
        value = out_value[decision.child + action]
        for hand in range(total.shape[0]):
            total[hand] += value[hand]


@kernel
def take_best(decision: Decision, out_value: Float32Array) -> None:
    """Sets the value of a decision to the largest of its actions' in ``out_value[n, H]``."""
    best = out_value[decision.row]
    first = out_value[decision.child]
    for hand in range(best.shape[0]):
        best[hand] = first[hand]
    for action in range(1, decision.number):
        value = out_value[decision.child + action]
        for hand in range(best.shape[0]):
            best[hand] = value[hand] if value[hand] > best[hand] else best[hand]


@kernel
def keep_locked(hero: Learning, decision: Decision, out_value: Float32Array) -> None:
    """Gives locked hands the value of the strategy that they are bound to, which regrets hold."""
    value = out_value[decision.row]
    before, lock = value.copy(), hero.lock[decision.first]
    mix(hero.regret, decision, out_value)
    for hand in range(value.shape[0]):
        value[hand] = value[hand] if lock[hand] else before[hand]


@kernel
def _encode(
    numbers: Float32Array,
    lock: Uint8Array,
    most: np.float32,
    decision: Decision,
    out_table: AnyArray,
    out_scale: Float32Array,
) -> None:
    """Turns ``numbers[a, H]`` of a decision into codes and their scale, but for locked hands.

    Numbers are 0 where ``lock[1, H]``, which may be empty, is set; ``most`` is the largest code.
    """
    largest, num_hands = _ZERO, out_table.shape[1]
    for action in range(decision.number):
        for hand in range(num_hands):
            size = abs(numbers[action, hand])
            largest = size if size > largest else largest
    out_scale[decision.first] = largest / most
    per_unit = most / largest if largest > _SMALLEST_LARGEST else _ZERO
    for action in range(decision.number):
        codes = out_table[decision.first + action]
        for hand in range(num_hands):
            if lock.shape[0] == 0 or not lock[0, hand]:
                scaled = numbers[action, hand] * per_unit
                codes[hand] = np.int32(scaled + (_HALF if scaled > _ZERO else -_HALF))


@fused_kernel
def _discount(
    table: AnyArray,
    unit: np.float32,
    positive: np.float32,
    negative: np.float32,
    gain: Float32Array,
    out_numbers: Float32Array,
) -> None:
    """Sets ``out_numbers[H]`` to discounted numbers of a table's row plus what is gained."""
    for hand in range(gain.shape[0]):
        weight = np.float32(table[hand])
        decay = positive if weight > _ZERO else negative
        out_numbers[hand] = weight * unit * decay + gain[hand]


@kernel
def add_rows(
    table: AnyArray,
    scale: Float32Array,
    decision: Decision,
    positive: np.float32,
    negative: np.float32,
    largest_code: np.float32,
    gained: Float32Array,
    out_space: Float32Array,
) -> None:
    """Adds what the actions of a decision have gained to a table that is discounted first.

    ``gained[actions, W]`` may be the working space, which 32-bit tables do not need; no column is
    locked.
    """
    has_codes, no_lock = scale.size > 0, np.zeros((0, 0), np.uint8)
    unit = scale[decision.first] if has_codes else _ONE
    for action in range(decision.number):
        old = table[decision.first + action]
        if has_codes:
            _discount(old, unit, positive, negative, gained[action], out_space[action])
        else:
            _discount(old, unit, positive, negative, gained[action], old)
    if has_codes:
        _encode(out_space, no_lock, largest_code, decision, table, scale)


class _Rows:
    """Code for the rows of one decision in a table; offsets are in float32 rows."""

    def __init__(self, code, table, scale, decision, space=None):
        """Finds the rows; only those that are written need a space of as many rows of float32."""
        self.code, self.space = code, space
        self.row_bytes = code.times(table.shape[-1], FLOAT_BYTES)
        self.largest_code = _LARGEST_CODE.get(table.kind.name)
        self.start = code.row(table, decision.first)
        num_bytes = code.times(code.times(*table.shape), table.kind.bitwidth // 8)
        is_small = code.builder.icmp_signed("<=", num_bytes, code.whole(_SMALL_TABLE_BYTES))
        self.ahead, self.behind = (
            code.builder.select(is_small, num_bytes, code.whole(near))
            for near in (_NEAR_BYTES, -_NEAR_BYTES)
        )
        if self.largest_code is not None:
            self.scale = code.at(scale.start, code.times(decision.first, FLOAT_BYTES))
            self.unit = code.spread(code.load(self.scale, LL.FLOAT))
            self.codes = ir.VectorType(LL.SHORT, code.width)
            self.integers = ir.VectorType(LL.INT32, code.width)
            self.largest = code.slot()

    def _place(self, action, offset):
        place = self.code.builder.add(action, offset)
        if self.largest_code is not None:
            place = self.code.builder.lshr(place, self.code.whole(1))
        return self.code.at(self.start, place)

    def weight(self, action, offset):
        """Returns numbers in proportion to an action's, with the same factor for all actions."""
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            return code.load(self._place(action, offset))
        extend = builder.sext if self.largest_code == LARGEST_REGRET else builder.zext
        read = code.load(self._place(action, offset), self.codes, align=2)
        return builder.sitofp(extend(read, self.integers), code.vector)

    def number(self, weight):
        """Returns the numbers of which weights were read."""
        if self.largest_code is None:
            return weight
        return self.code.builder.fmul(weight, self.unit)

    def prefetch(self, action, offset, ahead):
        """Asks for what is some bytes further on in the table."""
        self.code.prefetch(self.code.at(self._place(action, offset), ahead))

    def write(self, numbers, action, offset):
        """Writes an action's numbers."""
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            code.store(numbers, self._place(action, offset))
            return
        size = code.larger(numbers, builder.fsub(code.zero, numbers))
        builder.store(code.larger(size, builder.load(self.largest)), self.largest)
        code.store(numbers, code.at(code.at(self.space.start, action), offset))

    def encode(self, num_actions):
        """Turns what was written into codes, if the table has any; ends the decision."""
        code, builder = self.code, self.code.builder
        if self.largest_code is None:
            return
        largest, most = code.largest_of(builder.load(self.largest)), self.largest_code
        most, none = ir.Constant(LL.FLOAT, most), ir.Constant(LL.FLOAT, 0.0)
        code.store(builder.fdiv(largest, most), self.scale)
        is_large = builder.fcmp_ordered(
            ">", largest, ir.Constant(LL.FLOAT, float(_SMALLEST_LARGEST))
        )
        per_unit = code.spread(builder.select(is_large, builder.fdiv(most, largest), none))

        def encode_some(action, offset):
            number = code.load(code.at(code.at(self.space.start, action), offset))
            scaled = builder.fmul(number, per_unit)
            is_positive = builder.fcmp_ordered(">", scaled, code.zero)
            half = builder.select(is_positive, code.constant(0.5), code.constant(-0.5))
            rounded = builder.fptosi(builder.fadd(scaled, half), self.integers)
            code.store(builder.trunc(rounded, self.codes), self._place(action, offset), align=2)

        def encode_action(index):
            action = code.times(index, self.row_bytes)
            code.each_vector(self.row_bytes, lambda offset: encode_some(action, offset))

        code.each(num_actions, encode_action)


def _each_action(code, count, row_bytes, body):
    """Calls ``body`` with the offset of every action's row."""
    code.each(count, lambda index: body(code.times(index, row_bytes)))


def _write_match(code, rows, count, offset):
    """Returns a function from an action's weight to its probability: regret matching."""
    builder, slot = code.builder, code.slot()

    def add(action):
        weight = code.positive(rows.weight(action, offset))
        builder.store(builder.fadd(builder.load(slot), weight), slot)

    _each_action(code, count, rows.row_bytes, add)
    total, one = builder.load(slot), code.constant(1.0)
    is_positive = builder.fcmp_ordered(">", total, code.constant(_SMALLEST_TOTAL))
    inverse = builder.fdiv(one, builder.select(is_positive, total, one))
    number = builder.sitofp(code.whole(count), LL.FLOAT)
    equal = code.spread(builder.fdiv(ir.Constant(LL.FLOAT, 1.0), number))

    def probability(weight):
        share = builder.fmul(code.positive(weight), inverse)
        return builder.select(is_positive, share, equal)

    return probability


def _write_play_and_add(code, villain, decision, decay, space, reach):
    builder, decay = code.builder, code.spread(decay)
    regrets = _Rows(code, villain.regret, villain.regret_scale, decision)
    sums = _Rows(code, villain.strategy_sum, villain.sum_scale, decision, space)
    arriving, out = code.row(reach, decision.row), code.row(reach, decision.child)

    def some(count, offset):
        probability = _write_match(code, regrets, count, offset)
        reached = code.load(code.at(arriving, offset))

        def one(action):
            leaving = builder.fmul(probability(regrets.weight(action, offset)), reached)
            regrets.prefetch(action, offset, regrets.ahead)
            sums.prefetch(action, offset, regrets.ahead)
            old = sums.number(sums.weight(action, offset))
            code.store(leaving, code.at(code.at(out, action), offset))
            sums.write(code.multiply_add(old, decay, leaving), action, offset)

        _each_action(code, count, regrets.row_bytes, one)

    _each_hand(code, decision.number, regrets.row_bytes, some)
    sums.encode(decision.number)


@vectorised(_write_play_and_add)
def play_and_add(
    villain: Learning,
    decision: Decision,
    decay: np.float32,
    space: Float32Array,
    out_reach: Float32Array,
) -> None:
    """Like `play` by regrets, adding what leaves to strategy sums that are discounted first.

    ``space[actions, H]`` is working space, empty with 32-bit tables.
    """
    play(villain.regret, decision, out_reach)
    sums, scale, first = villain.strategy_sum, villain.sum_scale, decision.child
    leaving = out_reach[first : first + decision.number]
    add_rows(sums, scale, decision, decay, decay, LARGEST_SUM, leaving, space)


def _write_mix_and_learn(code, hero, decision, positive, negative, space, value):
    builder, positive, negative = code.builder, code.spread(positive), code.spread(negative)
    regrets = _Rows(code, hero.regret, hero.regret_scale, decision, space)
    values, out = code.row(value, decision.child), code.row(value, decision.row)

    def some(count, offset):
        probability, slot = _write_match(code, regrets, count, offset), code.slot()

        def add(action):
            share = probability(regrets.weight(action, offset))
            won = code.load(code.at(code.at(values, action), offset))
            builder.store(code.multiply_add(share, won, builder.load(slot)), slot)

        _each_action(code, count, regrets.row_bytes, add)
        mean = builder.load(slot)
        code.store(mean, code.at(out, offset))

        def learn(action):
            regrets.prefetch(action, offset, regrets.behind)
            weight = regrets.weight(action, offset)
            won = code.load(code.at(code.at(values, action), offset))
            is_positive = builder.fcmp_ordered(">", weight, code.zero)
            decay = builder.select(is_positive, positive, negative)
            gain, old = builder.fsub(won, mean), regrets.number(weight)
            regrets.write(code.multiply_add(old, decay, gain), action, offset)

        _each_action(code, count, regrets.row_bytes, learn)

    _each_hand(code, decision.number, regrets.row_bytes, some)
    regrets.encode(decision.number)


@vectorised(_write_mix_and_learn)
def mix_and_learn(
    hero: Learning,
    decision: Decision,
    positive: np.float32,
    negative: np.float32,
    space: Float32Array,
    out_value: Float32Array,
) -> None:
    """Like `mix` by regrets, adding to them what each action wins beyond the decision.

    Positive and negative regrets are discounted first. Those of locked hands hold their strategy
    and stay; only the plain form knows locks. ``space`` is as in `play_and_add`.
    """
    regret, scale, first = hero.regret, hero.regret_scale, decision.first
    mix(regret, decision, out_value)
    lock = hero.lock[first : first + min(hero.lock.shape[0], 1)]
    has_locks, has_codes, mean = lock.shape[0] > 0, scale.size > 0, out_value[decision.row]
    unit = scale[first] if has_codes else _ONE
    learned = np.empty(mean.shape[0], np.float32)
    for action in range(decision.number):
        old, won = regret[first + action], out_value[decision.child + action]
        for hand in range(learned.shape[0]):
            learned[hand] = won[hand] - mean[hand]
        _discount(old, unit, positive, negative, learned, learned)
        out = space[action] if has_codes else learned
        for hand in range(learned.shape[0]):
            if has_codes:
                out[hand] = _ZERO if has_locks and lock[0, hand] else learned[hand]
            elif not (has_locks and lock[0, hand]):
                old[hand] = learned[hand]
    if has_codes:
        _encode(space, lock, LARGEST_REGRET, decision, regret, scale)


#: The form of `mix_and_learn` for decisions of which some hands are locked.
learn_unlocked = mix_and_learn.plain
