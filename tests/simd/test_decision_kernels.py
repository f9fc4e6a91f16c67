"""Decisions whose outcome is known, in both forms, with tables of 16 and of 32 bits."""

import numpy as np
import pytest

from runout.simd import decision_kernels
from runout.simd.decision_kernels import Decision, Learning
from tests.simd.forms import both_forms, in_form

LARGEST = {np.int16: 32_767, np.uint16: 65_535}
FIRST = 2
NO_SCALE, NOTHING = np.zeros(0, np.float32), np.float32(0.0)
both_types = pytest.mark.parametrize("dtype", [np.int16, np.uint16])
every_number = pytest.mark.parametrize("num_actions", [1, 2, 3, 5])


def learned(regret, regret_scale=NO_SCALE, sums=None, sum_scale=NO_SCALE, lock=None):
    """Returns tables of one board; of sums and locks there may be none."""
    sums = np.zeros((0, regret.shape[1]), np.float32) if sums is None else sums
    lock = np.zeros((0, regret.shape[1]), np.uint8) if lock is None else lock
    return Learning(regret, regret_scale, sums, sum_scale, lock)


def space_for(num_actions, num_hands):
    return np.full((num_actions + 1, num_hands + 16), np.nan, np.float32)


def learn(form, hero, first, values, decay):
    """Learns of ``values[a, H]`` and returns the value of the decision."""
    rows = np.concatenate([np.full_like(values[:1], np.nan), values])
    decision = Decision(first, len(values), 0, 1)
    forms = {
        True: in_form(decision_kernels.learn_unlocked, form),
        False: in_form(decision_kernels.mix_and_learn, form),
    }
    forms[len(hero.lock) > 0](hero, decision, decay, decay, space_for(*values.shape), rows)
    np.testing.assert_array_equal(rows[1:], values)
    return rows[0]


def write(form, dtype, numbers):
    """Writes ``numbers[H]`` into a table; returns it and its scales.

    A player with one action takes it, which adds all reach to strategy sums. Of two actions that
    win as much as the other loses, of which nothing is known, both are regretted as much.
    """
    num_hands, num_actions = len(numbers), 1 if dtype == np.uint16 else 2
    table = np.full((FIRST + num_actions + 2, num_hands), 7, dtype)
    scale = np.full(len(table), 7.0, np.float32)
    table[FIRST : FIRST + num_actions] = 0
    if dtype == np.uint16:
        regrets, units = np.zeros(table.shape, np.int16), np.zeros(len(table), np.float32)
        villain, space = learned(regrets, units, table, scale), space_for(1, num_hands)
        reach = np.stack([numbers, numbers])
        play_and_add = in_form(decision_kernels.play_and_add, form)
        play_and_add(villain, Decision(FIRST, 1, 0, 1), NOTHING, space, reach)
    else:
        learn(form, learned(table, scale), FIRST, np.stack([numbers, -numbers]), NOTHING)
    return table, scale


def random_row(dtype, num_hands, seed, spread=1.0):
    numbers = np.random.default_rng(seed).normal(size=num_hands) * spread
    return (np.abs(numbers) if dtype == np.uint16 else numbers).astype(np.float32)


def random_rows(number, num_hands=48, seed=0):
    return np.random.default_rng(seed).normal(size=(number, num_hands)).astype(np.float32)


def strategy_of(weights):
    """Returns ``[a, H]`` how often actions are taken, in float64."""
    weight = np.maximum(weights, 0.0).astype(np.float64)
    total = weight.sum(axis=0)
    return np.where(total > 0.0, weight / np.where(total > 0.0, total, 1.0), 1.0 / len(weights))


@both_forms
@both_types
@pytest.mark.parametrize("spread", [1e-20, 1e-3, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("num_hands", [16, 48, 1328])
def test_numbers_come_back_within_half_a_unit(num_hands, spread, dtype, form):
    numbers = random_row(dtype, num_hands, seed=num_hands, spread=spread)
    table, scale = write(form, dtype, numbers)
    unit = float(np.abs(numbers).max()) / LARGEST[dtype]
    assert scale[FIRST] == pytest.approx(unit, rel=1e-6)
    found = table[FIRST].astype(np.float64) * float(scale[FIRST])
    # The codes themselves are computed in float32, which adds a hundredth of a unit.
    assert np.abs(found - numbers).max() <= 0.51 * unit


@both_forms
@both_types
def test_rounding_is_to_the_nearest_and_the_same_for_both_signs(dtype, form):
    codes = [0.0, 0.4, 0.6, 1.4, 1.6, 100.49, 100.51, LARGEST[dtype]]
    table, _ = write(form, dtype, np.array(codes * 2, np.float32))
    expected = [0, 0, 1, 1, 2, 100, 101, LARGEST[dtype]]
    np.testing.assert_array_equal(table[FIRST], expected * 2)
    if dtype == np.int16:
        np.testing.assert_array_equal(-table[FIRST + 1], expected * 2)


@both_forms
@both_types
def test_only_the_rows_of_the_decision_and_its_scale_are_written(dtype, form):
    table, scale = write(form, dtype, random_row(dtype, 16, seed=0))
    end = FIRST + len(table) - 4
    for rows in (table[:FIRST], table[end:], scale[:FIRST], scale[FIRST + 1 :]):
        np.testing.assert_array_equal(rows, 7)


@both_forms
@both_types
@pytest.mark.parametrize("number", [0.0, 1e-45, 1e-40, 1e-36, 1e-34])
def test_numbers_too_small_for_a_scale_come_back_as_next_to_nothing(number, dtype, form):
    """The reciprocal of their unit is infinite, and zero times infinity is no number."""
    numbers = np.full(16, number, np.float32)
    numbers[:8] = 0.0
    table, scale = write(form, dtype, numbers)
    found = table[FIRST].astype(np.float64) * float(scale[FIRST])
    np.testing.assert_array_equal(found[:8], 0.0)
    np.testing.assert_allclose(found, numbers, atol=1e-30)


@both_forms
@every_number
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_what_was_learned_is_discounted_and_added_to(dtype, num_actions, form):
    rng = np.random.default_rng(num_actions)
    old = rng.integers(-30_000, 30_000, (num_actions, 48)).astype(dtype)
    scale = np.full(num_actions, 0.5, np.float32) if dtype == np.int16 else NO_SCALE
    before = old * (0.5 if dtype == np.int16 else 1.0)
    values, table = (1e4 * rng.normal(size=old.shape)).astype(np.float32), old.copy()
    out = learn(form, learned(table, scale), 0, values, np.float32(0.25))
    mean = (strategy_of(before) * values).sum(axis=0)
    np.testing.assert_allclose(out, mean, rtol=1e-5, atol=0.02)
    found = table.astype(np.float64) * (scale[0] if dtype == np.int16 else 1.0)
    unit = np.abs(found).max() / LARGEST[np.int16]
    np.testing.assert_allclose(found, 0.25 * before + values - mean, rtol=1e-5, atol=unit)


@both_forms
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_regrets_of_locked_hands_stay_and_others_have_all_bits(dtype, form):
    """However large: what a locked hand does depends on ratios, and no scale is shared with it."""
    table = np.zeros((2, 32), dtype)
    table[:, ::2] = np.array([[30_000], [10_000]])
    scale = np.zeros(2 if dtype == np.int16 else 0, np.float32)
    lock = np.zeros((2, 32), np.uint8)
    lock[0, ::2] = 1
    values = np.stack([random_row(np.int16, 32, 1, 1e-3), random_row(np.int16, 32, 2, 1e-3)])
    values[:, ::2] *= 1e6
    out = learn(form, learned(table, scale, lock=lock), 0, values, np.float32(1.0))
    np.testing.assert_array_equal(table[0, ::2], 30_000)
    np.testing.assert_array_equal(table[1, ::2], 10_000)
    expected = np.where(lock[0], 0.75 * values[0] + 0.25 * values[1], values.mean(axis=0))
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    found = table[:, 1::2].astype(np.float64) * (scale[0] if dtype == np.int16 else 1.0)
    gains = (values - expected)[:, 1::2]
    np.testing.assert_allclose(found, gains, rtol=1e-5, atol=np.abs(gains).max() / 60_000)


@both_forms
@every_number
def test_reach_is_divided_and_added_to_discounted_sums(num_actions, form):
    regrets, sums = random_rows(num_actions + 1), np.abs(random_rows(num_actions + 1, seed=1))
    regrets[:, 5] = -1.0  # nothing is positive: all actions as often
    before, reach = sums.copy(), np.abs(random_rows(num_actions + 2, seed=2))
    villain, decision = learned(regrets, sums=sums), Decision(1, num_actions, 0, 2)
    arriving = reach[0].copy()
    play_and_add = in_form(decision_kernels.play_and_add, form)
    play_and_add(villain, decision, np.float32(0.5), np.zeros((0, 48), np.float32), reach)
    expected = strategy_of(regrets[1:]) * arriving
    np.testing.assert_allclose(reach[2:], expected, rtol=1e-5)
    np.testing.assert_allclose(sums[1:], 0.5 * before[1:] + expected, rtol=1e-5)
    np.testing.assert_array_equal(sums[0], before[0])
    np.testing.assert_array_equal(reach[0], arriving)
    reach[2:] = np.nan
    decision_kernels.play(regrets, decision, reach)
    np.testing.assert_allclose(reach[2:], expected, rtol=1e-5)


@both_forms
@every_number
def test_values_of_actions_are_added_mixed_and_compared(num_actions, form):
    weights, value = random_rows(num_actions + 1), random_rows(num_actions + 2, seed=1)
    before, decision = value.copy(), Decision(1, num_actions, 1, 2)
    lock = np.zeros((2, 48), np.uint8)
    lock[1, ::3] = 1
    mean = (strategy_of(weights[1:]) * before[2:]).sum(axis=0)
    in_form(decision_kernels.add_up, form)(decision, value)
    np.testing.assert_allclose(value[1], before[2:].sum(axis=0), rtol=1e-5, atol=1e-6)
    decision_kernels.mix(weights, decision, value)
    np.testing.assert_allclose(value[1], mean, rtol=1e-5, atol=1e-6)
    decision_kernels.take_best(decision, value)
    best = before[2:].max(axis=0)
    np.testing.assert_array_equal(value[1], best)
    decision_kernels.keep_locked(learned(weights, lock=lock), decision, value)
    np.testing.assert_allclose(value[1], np.where(lock[1], mean, best), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.delete(value, 1, 0), np.delete(before, 1, 0))


@both_types
@every_number
def test_both_forms_have_the_same_bits(num_actions, dtype):
    """Products and sums are in the same order, and rounded as often."""
    found = {}
    for form in ("chosen", "plain"):
        half = dtype == np.int16
        regrets, sums = random_rows(num_actions), np.abs(random_rows(num_actions, seed=1))
        scale = np.full(num_actions, 1e-3, np.float32) if half else NO_SCALE
        if half:
            regrets, sums = (1e4 * regrets).astype(np.int16), (1e4 * sums).astype(np.uint16)
        side = learned(regrets, scale.copy(), sums, scale.copy())
        reach, decision = random_rows(num_actions + 1, seed=2), Decision(0, num_actions, 0, 1)
        space = space_for(num_actions, 48)
        play_and_add = in_form(decision_kernels.play_and_add, form)
        play_and_add(side, decision, np.float32(0.9), space, reach)
        mean = learn(form, side, 0, random_rows(num_actions, seed=3), np.float32(0.7))
        found[form] = [*side, reach, mean]
    for chosen, plain in zip(found["chosen"], found["plain"], strict=True):
        np.testing.assert_array_equal(chosen, plain)


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint16])
def test_what_buckets_have_gained_is_added_to_discounted_rows(dtype):
    rng, decision, shape = np.random.default_rng(5), Decision(FIRST, 3, 0, 0), (FIRST + 4, 6)
    positive, negative = np.float32(0.5), np.float32(0.25)
    # Strategy sums have no sign.
    lowest = 0 if dtype == np.uint16 else -900
    table = rng.integers(lowest, 900, shape).astype(dtype)
    gained = rng.uniform(lowest, 900, (5, 6)).astype(np.float32)
    scale = NO_SCALE if dtype == np.float32 else np.full(len(table), 0.125, np.float32)
    before, largest = table * (0.125 if scale.size else 1.0), np.float32(LARGEST.get(dtype, 1))
    kept = np.where(before > 0.0, positive, negative) * before
    expected, rows, others = kept[FIRST:-1] + gained[:3], slice(FIRST, FIRST + 3), table.copy()
    decision_kernels.add_rows(table, scale, decision, positive, negative, largest, gained, gained)
    unit = float(scale[FIRST]) if scale.size else 1e-3
    found = table[rows] * (unit if scale.size else 1.0)
    np.testing.assert_allclose(found, expected, atol=0.51 * unit)
    others[rows] = table[rows]
    np.testing.assert_array_equal(table, others)
