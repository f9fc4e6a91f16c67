"""Tests of `tools.shipped_tables`."""

import numpy as np
import pytest

from runout.cache import digest_arrays, load_arrays
from runout.cards import evaluator
from runout.cards.evaluator import HAND_SIZES, evaluator_tables
from runout.cards.evaluator_kernels import ROW_BITS
from runout.cards.hand_ranking import rank_multisets, score_ranks
from runout.equity import matchups
from runout.equity.matchups import matchup_classes
from runout.errors import ExecutionError
from tools.shipped_tables import (
    RANK_KEYS,
    ShippedTable,
    build_evaluator_tables,
    count_matchups,
    renew,
    strength_of_score,
)

NUM_CLASSES = 93_769


@pytest.mark.parametrize("size", HAND_SIZES)
def test_sums_of_rank_keys_are_unique(size):
    sums = {sum(RANK_KEYS[rank] for rank in ranks) for ranks in rank_multisets(size)}
    assert len(sums) == len(rank_multisets(size))


def test_largest_key_sum_fits_below_the_suit_counters():
    assert 7 * max(RANK_KEYS) < 1 << 32


@pytest.mark.parametrize("size", HAND_SIZES)
def test_every_rank_multiset_is_found_in_the_packed_table(size):
    tables = evaluator_tables()
    row_start = tables.row_start[size - HAND_SIZES[0]]
    for ranks in rank_multisets(size):
        key = sum(RANK_KEYS[rank] for rank in ranks)
        cell = row_start[key >> ROW_BITS] + (key & ((1 << ROW_BITS) - 1))
        assert tables.strength[cell] == strength_of_score(score_ranks(ranks))


def test_the_rules_of_poker_give_the_shipped_tables():
    assert digest_arrays(build_evaluator_tables()) == evaluator.DIGEST


def test_counting_all_boards_gives_the_shipped_table():
    arrays = count_matchups(num_workers=2)
    assert digest_arrays(arrays) == matchups.DIGEST
    assert len(arrays["wins"]) == matchup_classes()[1] == NUM_CLASSES


@pytest.mark.slow
@pytest.mark.parametrize("num_workers", [1, 3])
def test_number_of_workers_does_not_matter(num_workers):
    assert digest_arrays(count_matchups(num_workers)) == matchups.DIGEST


def test_worker_count_must_be_positive():
    with pytest.raises(ExecutionError, match="workers: 0"):
        count_matchups(num_workers=0)


def test_only_a_table_that_differs_is_written(tmp_path, capsys):
    arrays = {"wins": np.arange(5, dtype=np.uint32)}
    digest, file = digest_arrays(arrays), tmp_path / "wins.npz"
    assert renew(ShippedTable(file, digest, lambda: arrays), writes=True)
    assert not renew(ShippedTable(file, "0" * 64, lambda: arrays), writes=False)
    assert not file.exists()
    assert not renew(ShippedTable(file, "0" * 64, lambda: arrays), writes=True)
    np.testing.assert_array_equal(load_arrays(file, digest)["wins"], arrays["wins"])
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == f"wins.npz: {digest} is the shipped table"
    assert last == f"wins.npz: {digest} is NOT the shipped table {'0' * 64}"
