"""Probabilities and values of 16 bits: what comes back, and how far off it can be."""

import numpy as np
import pytest

from runout.views.codec import (
    EncodedValues,
    decode_shares,
    decode_values,
    encode_shares,
    encode_values,
)

FIRST, COUNTS = np.array([0, 3]), np.array([3, 2])


def test_probabilities_come_back_within_their_step():
    sums = np.random.default_rng(0).random((5, 400)) ** 4
    codes = encode_shares(sums, FIRST, COUNTS)
    for rows in (slice(0, 3), slice(3, 5)):
        exact = sums[rows] / sums[rows].sum(axis=0)
        found = decode_shares(codes[rows])
        assert np.abs(found - exact).max() < 2e-5
        np.testing.assert_allclose(found.sum(axis=0), 1.0)


def test_what_is_hardly_ever_done_is_not_forgotten():
    sums = np.array([[1.0, 1.0], [1e-7, 1e-9]])
    found = decode_shares(encode_shares(sums, np.array([0]), np.array([2])))
    assert found[1] == pytest.approx([1e-7, 1e-9], rel=0.3)


def test_where_nothing_was_ever_done_all_actions_are_alike():
    codes = encode_shares(np.zeros((5, 2)), FIRST, COUNTS)
    assert not codes.any()
    assert decode_shares(codes[:3]).tolist() == [[1 / 3] * 2] * 3


def test_eight_bits_are_shares_of_255():
    found = decode_shares(np.array([[51, 0], [204, 0]], dtype=np.uint8))
    assert found.tolist() == [[0.2, 0.5], [0.8, 0.5]]


def test_values_come_back_within_half_a_step_of_their_row():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(6, 300)) * 10.0 ** np.arange(-2, 4)[:, None]
    values[rng.random(values.shape) < 0.1] = np.nan
    found = decode_values(encode_values(values))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    spread = np.nanmax(values, axis=1) - np.nanmin(values, axis=1)
    assert (np.nanmax(np.abs(found - values), axis=1) <= spread / 100_000).all()


@pytest.mark.parametrize("row", [[np.nan, np.nan], [3.5, 3.5], [np.nan, -2.0]])
def test_rows_of_one_value_or_none(row):
    found = decode_values(encode_values(np.array([row])))
    np.testing.assert_array_equal(found, [row])


def test_single_rows_are_decoded_alone():
    encoded = encode_values(np.arange(12.0).reshape(3, 4))
    alone = decode_values(EncodedValues(encoded.codes[1], encoded.bounds[1]))
    np.testing.assert_array_equal(alone, decode_values(encoded)[1])
