"""Tables of 16 and of 32 bits, written to by decisions whose outcome is known."""

import numpy as np
import pytest

from runout.jit import kernel
from runout.simd import decision_kernels

LARGEST = {np.int16: 32_767, np.uint16: 65_535}
FIRST = 2
both_types = pytest.mark.parametrize("dtype", [np.int16, np.uint16])


@kernel
def add_reach(tables, scales, first, reach, out, decay, space):
    row_bytes = np.int64(reach.shape[0] * 4)
    decision_kernels.play_and_add(
        tables[0],
        scales[0],
        tables[1],
        scales[1],
        first,
        np.int64(reach.ctypes.data),
        np.int64(out.ctypes.data),
        decay,
        np.int64(space.ctypes.data),
        0,
        row_bytes,
        np.int64(out.shape[0]),
    )


@kernel
def learn(table, scale, first, values, out, decay, space):
    row_bytes = np.int64(values.shape[1] * 4)
    decision_kernels.mix_and_learn(
        table,
        scale,
        first,
        np.int64(values.ctypes.data),
        np.int64(out.ctypes.data),
        decay,
        decay,
        np.int64(space.ctypes.data),
        0,
        row_bytes,
        np.int64(values.shape[0]),
    )


@kernel
def learn_unlocked(table, scale, first, values, out, lock, decay, space):
    row_bytes = np.int64(values.shape[1] * 4)
    decision_kernels.mix_and_learn_unlocked(
        table,
        scale,
        first,
        np.int64(values.ctypes.data),
        np.int64(out.ctypes.data),
        np.int64(lock.ctypes.data),
        decay,
        decay,
        np.int64(space.ctypes.data),
        0,
        row_bytes,
        np.int64(values.shape[0]),
    )


def space_for(num_actions, num_hands):
    return np.full((num_actions + 1, num_hands + 16), np.nan, np.float32)


def write(dtype, numbers):
    """Writes ``numbers[H]`` into a table; returns it and its scales.

    A player with one action takes it, which adds all reach to strategy sums. Of two actions that
    win as much as the other loses, of which nothing is known, both are regretted as much.
    """
    num_hands, nothing = len(numbers), np.float32(0.0)
    num_actions = 1 if dtype == np.uint16 else 2
    table = np.full((FIRST + num_actions + 2, num_hands), 7, dtype)
    scale = np.full(len(table), 7.0, np.float32)
    table[FIRST : FIRST + num_actions] = 0
    out = np.zeros((num_actions, num_hands), np.float32)
    space = space_for(num_actions, num_hands)
    if dtype == np.uint16:
        regrets, units = np.zeros(table.shape, np.int16), np.zeros(len(table), np.float32)
        add_reach((regrets, table), (units, scale), FIRST, numbers, out, nothing, space)
    else:
        values = np.stack([numbers, -numbers])
        learn(table, scale, FIRST, values, out, nothing, space)
    return table, scale


def random_row(dtype, num_hands, seed, spread=1.0):
    numbers = np.random.default_rng(seed).normal(size=num_hands) * spread
    return (np.abs(numbers) if dtype == np.uint16 else numbers).astype(np.float32)


@both_types
@pytest.mark.parametrize("spread", [1e-20, 1e-3, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("num_hands", [16, 48, 1328])
def test_numbers_come_back_within_half_a_unit(num_hands, spread, dtype):
    numbers = random_row(dtype, num_hands, seed=num_hands, spread=spread)
    table, scale = write(dtype, numbers)
    unit = float(np.abs(numbers).max()) / LARGEST[dtype]
    assert scale[FIRST] == pytest.approx(unit, rel=1e-6)
    found = table[FIRST].astype(np.float64) * float(scale[FIRST])
    # The codes themselves are computed in float32, which adds a hundredth of a unit.
    assert np.abs(found - numbers).max() <= 0.51 * unit


@both_types
def test_rounding_is_to_the_nearest_and_the_same_for_both_signs(dtype):
    codes = [0.0, 0.4, 0.6, 1.4, 1.6, 100.49, 100.51, LARGEST[dtype]]
    table, _ = write(dtype, np.array(codes * 2, np.float32))
    expected = [0, 0, 1, 1, 2, 100, 101, LARGEST[dtype]]
    np.testing.assert_array_equal(table[FIRST], expected * 2)
    if dtype == np.int16:
        np.testing.assert_array_equal(-table[FIRST + 1], expected * 2)


@both_types
def test_only_the_rows_of_the_decision_and_its_scale_are_written(dtype):
    table, scale = write(dtype, random_row(dtype, 16, seed=0))
    end = FIRST + len(table) - 4
    for rows in (table[:FIRST], table[end:], scale[:FIRST], scale[FIRST + 1 :]):
        np.testing.assert_array_equal(rows, 7)


@both_types
@pytest.mark.parametrize("number", [0.0, 1e-45, 1e-40, 1e-36, 1e-34])
def test_numbers_too_small_for_a_scale_come_back_as_next_to_nothing(number, dtype):
    """The reciprocal of their unit is infinite, and zero times infinity is no number."""
    numbers = np.full(16, number, np.float32)
    numbers[:8] = 0.0
    table, scale = write(dtype, numbers)
    found = table[FIRST].astype(np.float64) * float(scale[FIRST])
    np.testing.assert_array_equal(found[:8], 0.0)
    np.testing.assert_allclose(found, numbers, atol=1e-30)


@pytest.mark.parametrize("num_actions", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_what_was_learned_is_discounted_and_added_to(dtype, num_actions):
    rng = np.random.default_rng(num_actions)
    old = rng.integers(-30_000, 30_000, (num_actions, 48)).astype(dtype)
    scale = np.full(num_actions, 0.5, np.float32) if dtype == np.int16 else np.zeros(0, np.float32)
    before = old * (0.5 if dtype == np.int16 else 1.0)
    values = (1e4 * rng.normal(size=old.shape)).astype(np.float32)
    out, table = np.zeros(48, np.float32), old.copy()
    learn(table, scale, 0, values, out, np.float32(0.25), space_for(num_actions, 48))
    weight = np.maximum(before, 0.0).astype(np.float64)
    total = weight.sum(axis=0)
    strategy = np.where(total > 0.0, weight / np.where(total > 0.0, total, 1.0), 1.0 / num_actions)
    mean = (strategy * values).sum(axis=0)
    np.testing.assert_allclose(out, mean, rtol=1e-5, atol=0.02)
    found = table.astype(np.float64) * (scale[0] if dtype == np.int16 else 1.0)
    unit = np.abs(found).max() / LARGEST[np.int16]
    np.testing.assert_allclose(found, 0.25 * before + values - mean, rtol=1e-5, atol=unit)


@pytest.mark.parametrize("dtype", [np.int16, np.float32])
def test_regrets_of_locked_hands_stay_and_others_have_all_bits(dtype):
    """However large: what a locked hand does depends on ratios, and no scale is shared with it."""
    table = np.zeros((2, 32), dtype)
    table[:, ::2] = np.array([[30_000], [10_000]])
    scale = np.zeros(2 if dtype == np.int16 else 0, np.float32)
    lock = np.zeros((2, 32), np.uint8)
    lock[0, ::2] = 1
    values = np.stack([random_row(np.int16, 32, 1, 1e-3), random_row(np.int16, 32, 2, 1e-3)])
    values[:, ::2] *= 1e6
    out, space = np.zeros(32, np.float32), space_for(2, 32)
    learn_unlocked(table, scale, 0, values, out, lock, np.float32(1.0), space)
    np.testing.assert_array_equal(table[0, ::2], 30_000)
    np.testing.assert_array_equal(table[1, ::2], 10_000)
    expected = np.where(lock[0], 0.75 * values[0] + 0.25 * values[1], values.mean(axis=0))
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    found = table[:, 1::2].astype(np.float64) * (scale[0] if dtype == np.int16 else 1.0)
    gains = (values - expected)[:, 1::2]
    np.testing.assert_allclose(found, gains, rtol=1e-5, atol=np.abs(gains).max() / 60_000)
