"""Vector instructions for decisions: play, learn, mix, respond, in one pass over rows.

The passes of `street_kernels` use them for rows of hands and of buckets alike. Everything about a
few hands is in registers at once. Addresses only, nothing is checked: rows are padded to a multiple
of sixteen. `tests/holdem/test_street_kernels.py` compares them with plain sums.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from llvmlite import ir
from numba.core import types

from runout.holdem.vector_kernels import FLOAT, FLOAT_BYTES, VectorCode, vector_intrinsic

#: A total below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = 1.2e-38

#: Numbers of actions that are written out, by far the most common; any other is a loop.
_WRITTEN_OUT = (2, 3)


class _Decision:
    """Code for the actions of one decision; rows of actions follow each other."""

    def __init__(self, code, count, row_bytes, ahead):
        """Prepares the share of each action where no weight is positive.

        Args:
            code: builds the instructions.
            count: number of actions, as a Python number or as one that the code computes.
            row_bytes: of a row.
            ahead: bytes from a number in a table to one that is read soon, or None.
        """
        self.code, self.count, self.row_bytes, self.ahead = code, count, row_bytes, ahead
        if isinstance(count, int):
            self.equal = code.constant(1.0 / count)
        else:
            number = code.builder.sitofp(count, FLOAT)
            one = ir.Constant(FLOAT, 1.0)
            self.equal = code.spread(code.builder.fdiv(one, number))

    def each(self, body):
        """Calls ``body(offset)`` for every action."""
        self.code.each_action(self.count, self.row_bytes, body)

    def match(self, weights, offset):
        """Returns a function from an action's offset to its probability: regret matching."""
        code, builder, slot = self.code, self.code.builder, self.code.slot()
        builder.store(code.zero, slot)

        def add(action):
            weight = code.load(code.at(code.at(weights, action), offset))
            builder.store(builder.fadd(builder.load(slot), code.positive(weight)), slot)

        self.each(add)
        total = builder.load(slot)
        is_positive = builder.fcmp_ordered(">", total, code.constant(_SMALLEST_TOTAL))
        one = code.constant(1.0)
        inverse = builder.fdiv(one, builder.select(is_positive, total, one))

        def probability(weight):
            share = builder.fmul(code.positive(weight), inverse)
            return builder.select(is_positive, share, self.equal)

        return probability


def _decide(num_addresses, num_scalars, generate_decision, looks_ahead=False):
    """Returns what an intrinsic needs that does something to a decision.

    Arguments are addresses, float32 scalars, bytes of a row, bytes to what is read soon if the code
    looks ahead, and the number of actions.
    """

    def generate(context, builder, _, args):
        code = VectorCode(context, builder)
        addresses = args[:num_addresses]
        scalars = [code.spread(s) for s in args[num_addresses : num_addresses + num_scalars]]
        row_bytes, *others, number = args[num_addresses + num_scalars :]
        ahead = others[0] if looks_ahead else None

        def with_actions(count):
            decision = _Decision(code, count, row_bytes, ahead)
            code.each(
                row_bytes, lambda offset: generate_decision(decision, addresses, scalars, offset)
            )

        def choose(counts):
            if not counts:
                with_actions(number)
                return
            is_count = builder.icmp_signed("==", number, ir.Constant(number.type, counts[0]))
            with builder.if_else(is_count) as (written_out, otherwise):
                with written_out:
                    with_actions(counts[0])
                with otherwise:
                    choose(counts[1:])

        choose(_WRITTEN_OUT)
        return context.get_dummy_value()

    numbers = [types.int64] * (2 + looks_ahead)
    fixed = [types.int64] * num_addresses + [types.float32] * num_scalars
    return types.void(*fixed, *numbers), generate


def _play(decision, addresses, scalars, offset):
    weights, arriving, out = addresses
    code, builder = decision.code, decision.code.builder
    probability = decision.match(weights, offset)
    reach = code.load(code.at(arriving, offset))

    def one(action):
        weight = code.load(code.at(code.at(weights, action), offset))
        leaving = builder.fmul(probability(weight), reach)
        code.store(leaving, code.at(code.at(out, action), offset))

    decision.each(one)


def _play_and_add(decision, addresses, scalars, offset):
    weights, arriving, out, sums = addresses
    code, builder, (decay,) = decision.code, decision.code.builder, scalars
    probability = decision.match(weights, offset)
    reach = code.load(code.at(arriving, offset))

    def one(action):
        weight = code.load(code.at(code.at(weights, action), offset))
        leaving = builder.fmul(probability(weight), reach)
        place = code.at(code.at(sums, action), offset)
        code.prefetch(code.at(code.at(code.at(weights, action), offset), decision.ahead))
        code.prefetch(code.at(place, decision.ahead))
        added = code.multiply_add(code.load(place), decay, leaving)
        code.store(leaving, code.at(code.at(out, action), offset))
        code.store(added, place)

    decision.each(one)


def _mean(decision, weights, values, offset):
    """Returns the mean of the actions' values, by the positive part of weights."""
    code, builder, slot = decision.code, decision.code.builder, decision.code.slot()
    probability = decision.match(weights, offset)
    builder.store(code.zero, slot)

    def one(action):
        weight = code.load(code.at(code.at(weights, action), offset))
        value = code.load(code.at(code.at(values, action), offset))
        mean = code.multiply_add(probability(weight), value, builder.load(slot))
        builder.store(mean, slot)

    decision.each(one)
    return builder.load(slot)


def _mix(decision, addresses, scalars, offset):
    weights, values, out = addresses
    mean = _mean(decision, weights, values, offset)
    decision.code.store(mean, decision.code.at(out, offset))


def _mix_and_learn(decision, addresses, scalars, offset):
    regrets, values, out = addresses
    code, builder, (positive, negative) = decision.code, decision.code.builder, scalars
    mean = _mean(decision, regrets, values, offset)
    code.store(mean, code.at(out, offset))

    def one(action):
        place = code.at(code.at(regrets, action), offset)
        code.prefetch(code.at(place, decision.ahead))
        old, value = code.load(place), code.load(code.at(code.at(values, action), offset))
        decay = builder.select(builder.fcmp_ordered(">", old, code.zero), positive, negative)
        code.store(code.multiply_add(old, decay, builder.fsub(value, mean)), place)

    decision.each(one)


def _is_locked(code, lock, offset):
    """Returns which hands of a vector are locked; the row has one byte for each hand."""
    bytes_of = ir.VectorType(ir.IntType(8), code.width)
    of_byte = code.builder.udiv(offset, ir.Constant(offset.type, FLOAT_BYTES))
    flags = code.load(code.at(lock, of_byte), bytes_of)
    return code.builder.icmp_unsigned("!=", flags, ir.Constant(bytes_of, None))


def _mix_and_learn_unlocked(decision, addresses, scalars, offset):
    regrets, values, out, lock = addresses
    code, builder, (positive, negative) = decision.code, decision.code.builder, scalars
    mean = _mean(decision, regrets, values, offset)
    code.store(mean, code.at(out, offset))
    is_locked = _is_locked(code, lock, offset)

    def one(action):
        place = code.at(code.at(regrets, action), offset)
        old, value = code.load(place), code.load(code.at(code.at(values, action), offset))
        decay = builder.select(builder.fcmp_ordered(">", old, code.zero), positive, negative)
        learned = code.multiply_add(old, decay, builder.fsub(value, mean))
        code.store(builder.select(is_locked, old, learned), place)

    decision.each(one)


def _keep_locked(decision, addresses, scalars, offset):
    weights, values, out, lock = addresses
    code, place = decision.code, decision.code.at(out, offset)
    mean = _mean(decision, weights, values, offset)
    is_locked = _is_locked(code, lock, offset)
    code.store(code.builder.select(is_locked, mean, code.load(place)), place)


def _combine(join):
    """Returns code that joins the values of all actions."""

    def generate(decision, addresses, scalars, offset):
        values, out = addresses
        code, builder, slot = decision.code, decision.code.builder, decision.code.slot()
        builder.store(code.load(code.at(values, offset)), slot)

        def one(action):
            value = code.load(code.at(code.at(values, action), offset))
            builder.store(join(code, builder.load(slot), value), slot)

        # The first action is joined with the rest, not with itself.
        rest = decision.count - 1 if isinstance(decision.count, int) else None
        if rest is None:
            rest = builder.sub(decision.count, ir.Constant(decision.count.type, 1))
        code.each_action(
            rest, decision.row_bytes, lambda a: one(builder.add(a, decision.row_bytes))
        )
        code.store(builder.load(slot), code.at(out, offset))

    return generate


@vector_intrinsic
def play(typing_context, weights, arriving, out, row_bytes, num_actions):
    """Divides arriving reach among the actions, in proportion to positive weights."""
    return _decide(3, 0, _play)


@vector_intrinsic
def play_and_add(
    typing_context, weights, arriving, out, sums, decay, row_bytes, ahead, num_actions
):
    """Like `play`, adding what leaves to strategy sums that are discounted first."""
    return _decide(4, 1, _play_and_add, looks_ahead=True)


@vector_intrinsic
def mix(typing_context, weights, values, out, row_bytes, num_actions):
    """Sets the value of a decision to the mean of its actions, by the positive part of weights."""
    return _decide(3, 0, _mix)


@vector_intrinsic
def mix_and_learn(
    typing_context, regrets, values, out, positive, negative, row_bytes, ahead, num_actions
):
    """Like `mix`, adding to discounted regrets what each action wins beyond the decision."""
    return _decide(3, 2, _mix_and_learn, looks_ahead=True)


@vector_intrinsic
def mix_and_learn_unlocked(
    typing_context, regrets, values, out, lock, positive, negative, row_bytes, num_actions
):
    """Like `mix_and_learn`; regrets of locked hands hold their strategy and stay."""
    return _decide(4, 2, _mix_and_learn_unlocked)


@vector_intrinsic
def keep_locked(typing_context, regrets, values, out, lock, row_bytes, num_actions):
    """Gives locked hands the value of the strategy that they are bound to, which regrets hold."""
    return _decide(4, 0, _keep_locked)


@vector_intrinsic
def add_up(typing_context, values, out, row_bytes, num_actions):
    """Sets a row to the sum of rows that follow each other."""
    return _decide(2, 0, _combine(lambda code, x, y: code.builder.fadd(x, y)))


@vector_intrinsic
def take_best(typing_context, values, out, row_bytes, num_actions):
    """Sets a row to the largest of rows that follow each other."""
    return _decide(2, 0, _combine(lambda code, x, y: code.larger(y, x)))
