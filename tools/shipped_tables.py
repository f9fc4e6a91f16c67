"""Builds the tables that the package ships, from the rules of poker and by counting all boards.

    python -m tools.shipped_tables            compares them with the files of the package
    python -m tools.shipped_tables --write    writes the files that differ, too

They hold whole numbers and nothing is random, so every machine makes the same ones. Takes seconds.
"""

import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np

from runout.arrays import AnyArray, Arrays, IntArray
from runout.cache import digest_arrays
from runout.cards import evaluator
from runout.cards.deck import NUM_CARDS, NUM_COMBOS, NUM_RANKS, RIVER_SIZE, card_rank, card_suit
from runout.cards.evaluator import HAND_SIZES
from runout.cards.evaluator_kernels import ROW_BITS
from runout.cards.hand_indexer import canonical_boards
from runout.cards.hand_ranking import (
    CARDS_THAT_COUNT,
    five_card_scores,
    rank_multisets,
    score_flush,
    score_ranks,
)
from runout.equity import equity_kernels, matchups
from runout.equity.board import rank_combos
from runout.equity.matchups import REPRESENTATIVES, SUIT_IMAGES, matchup_classes
from runout.execution.pool import WorkerPool, count_cores


def strength_of_score(score: int) -> int:
    """Returns the strength, 1 to 7462, of a score."""
    return 1 + bisect_left(five_card_scores(), score)


class ShippedTable(NamedTuple):
    """A file of the package, the digest that its arrays have, and what makes them."""

    file: Path
    digest: str
    build: Callable[[], Arrays]


def main(writes: bool) -> int:
    """Builds all tables and says which are not the shipped ones; returns how many."""
    tables = [
        ShippedTable(evaluator.TABLE_FILE, evaluator.DIGEST, build_evaluator_tables),
        ShippedTable(matchups.TABLE_FILE, matchups.DIGEST, lambda: count_matchups(count_cores())),
    ]
    return sum(not renew(table, writes) for table in tables)


def renew(table: ShippedTable, writes: bool) -> bool:
    """Builds a table, writes it if it is to be and differs; returns whether it is the shipped one.

    The digest of one that differs belongs into the source.
    """
    arrays = table.build()
    digest = digest_arrays(arrays)
    is_shipped = digest == table.digest
    verdict = "is the shipped table" if is_shipped else f"is NOT the shipped table {table.digest}"
    print(f"{table.file.name}: {digest} {verdict}")
    if writes and not is_shipped:
        np.savez_compressed(table.file, allow_pickle=False, **dict(arrays))
    return is_shipped


# The evaluator's tables, see docs/cards.md.

#: Sums of these over a hand's ranks are unique for hands of one size.
RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)

_NUM_RANK_SETS = 1 << NUM_RANKS


def build_evaluator_tables() -> Arrays:
    """Returns the arrays of `EvaluatorTables`."""
    flush_strength = np.zeros(_NUM_RANK_SETS, dtype=np.uint16)
    for rank_set in range(_NUM_RANK_SETS):
        if rank_set.bit_count() >= CARDS_THAT_COUNT:
            flush_strength[rank_set] = strength_of_score(score_flush(rank_set))
    by_rank_key = [
        {
            sum(RANK_KEYS[rank] for rank in ranks): strength_of_score(score_ranks(ranks))
            for ranks in rank_multisets(size)
        }
        for size in HAND_SIZES
    ]
    row_start, strength = _pack_rows(by_rank_key)
    cards = range(NUM_CARDS)
    return {
        "card_key": np.array(
            [RANK_KEYS[card_rank(c)] | 1 << (32 + 4 * card_suit(c)) for c in cards], dtype=np.uint64
        ),
        "card_bit": np.array(
            [1 << (16 * card_suit(c) + card_rank(c)) for c in cards], dtype=np.uint64
        ),
        "row_start": row_start,
        "strength": strength,
        "flush_strength": flush_strength,
    }


def _pack_rows(values_by_key: Sequence[dict[int, int]]) -> tuple[AnyArray, AnyArray]:
    """Packs sparse tables into one array: rows, fullest first, go to the first place that is free.

    There is one table per hand size; a key's high bits are its row. Returns ``[sizes, rows]`` the
    start of each row (it may be negative: only start + column counts), and the packed values.
    """
    rows: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for table, values in enumerate(values_by_key):
        for key, value in values.items():
            rows[table, key >> ROW_BITS][key & ((1 << ROW_BITS) - 1)] = value
    row_start = np.zeros((len(values_by_key), 1 + max(row for _, row in rows)), dtype=np.int32)
    packed: dict[int, int] = {}
    taken = 0  # bit i: cell i of the packed array is in use
    for place, row in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        first_column = min(row)
        # Bit d of `clashes` says that sliding the row's first cell to d hits a taken cell.
        clashes = 0
        for column in row:
            clashes |= taken >> (column - first_column)
        start = (~clashes & (clashes + 1)).bit_length() - 1 - first_column
        row_start[place] = start
        for column, value in row.items():
            taken |= 1 << (start + column)
            packed[start + column] = value
    strength = np.zeros(max(packed) + 1, dtype=np.uint16)
    strength[list(packed)] = list(packed.values())
    return row_start, strength


# The preflop matchups, see docs/equity.md.
#
# The 2,598,960 boards are 134,459 up to suits. Each representative ranks all 1,326 combos once;
# wins counted on representatives are then averaged over the renamings of suits, which gives exactly
# the wins over all boards.

_BOARDS_PER_TASK = 8 * 255


def count_matchups(num_workers: int) -> Arrays:
    """Returns ``wins``: on how many boards a hand's representative beats a combo, by class."""
    boards, weight = canonical_boards(RIVER_SIZE)
    order = np.argsort(weight, kind="stable")  # boards of equal weight are counted together
    parts = [order[i : i + _BOARDS_PER_TASK] for i in range(0, len(order), _BOARDS_PER_TASK)]

    total, adding = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.uint32), Lock()

    def count_part(part: IntArray) -> None:
        wins = np.zeros_like(total)
        ranks = rank_combos(boards[part], np.arange(NUM_COMBOS))
        equity_kernels.count_wins(*ranks, weight[part], wins)
        with adding:
            np.add(total, wins, out=total)

    with closing(WorkerPool(num_workers)) as pool:
        pool.share(count_part, parts, num_workers)
    class_of, num_classes = matchup_classes()
    of_class = np.empty(num_classes, dtype=np.uint32)
    for hand, representative in enumerate(REPRESENTATIVES):
        can_meet, mine = class_of[hand] >= 0, SUIT_IMAGES[:, representative]
        sums = total[mine[:, None], SUIT_IMAGES[:, can_meet]].sum(axis=0, dtype=np.int64)
        of_class[class_of[hand, can_meet]] = sums // len(SUIT_IMAGES)
    return {"wins": of_class}


if __name__ == "__main__":
    sys.exit(main(writes="--write" in sys.argv[1:]))
