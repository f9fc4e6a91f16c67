import numpy as np
import pytest

from runout.cache import digest_arrays
from runout.cards import evaluator_tables as module
from runout.cards.evaluator_kernels import ROW_BITS
from runout.cards.evaluator_tables import HAND_SIZES, RANK_KEYS, evaluator_tables
from runout.cards.hand_ranking import rank_multisets, score_ranks, strength_of_score


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


def test_tables_are_read_only_and_shared():
    assert evaluator_tables() is evaluator_tables()
    assert not any(table.flags.writeable for table in evaluator_tables())


def test_building_again_gives_the_promised_tables():
    assert digest_arrays(module._build()) == module._DIGEST


def test_flush_table_knows_five_to_seven_and_more_cards():
    flush_strength = evaluator_tables().flush_strength
    num_suited = np.array([mask.bit_count() for mask in range(1 << 13)])
    assert (flush_strength[num_suited < 5] == 0).all()
    assert (flush_strength[num_suited >= 5] > 0).all()
    assert flush_strength[0b1_1111_0000_0000] == 7_462  # T J Q K A
