"""Our kernels against the prototypes that proved the algorithms, where those are at hand.

``$RUNOUT_PROTOTYPES`` names their directory, by default ``../shared/prototypes`` next to the
repository. They take no validation, cover fewer cases and share our card numbers.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks import loop_kernels
from benchmarks.evaluation import random_hands
from benchmarks.flop_tables import FLOPS
from benchmarks.timing import Row, against_prototype, best_seconds_of_two
from runout.cards import evaluator_kernels
from runout.cards.deck import NUM_CARDS, NUM_COMBOS, parse_board
from runout.cards.evaluator import evaluator_tables
from runout.equity.board import compute_board_equity, sum_strengths

NUM_HANDS = 1_000_000
NUM_BOARDS = 2_000
NUM_BINS = 10

_DEFAULT_DIRECTORY = Path(__file__).parents[2] / "shared" / "prototypes"


def prototype_directory() -> Path:
    """Returns where the prototypes are, if they are anywhere."""
    return Path(os.environ.get("RUNOUT_PROTOTYPES", _DEFAULT_DIRECTORY))


def rows() -> list[Row]:
    """Returns a row for each kernel that has a prototype, none where there are no prototypes."""
    directory = prototype_directory()
    if not (directory / "evalnb.py").is_file():
        print(f"prototypes: none in {directory}", file=sys.stderr)
        return []
    sys.dont_write_bytecode = True  # the directory is not ours
    sys.path.insert(0, str(directory))
    evaluator, flop_equity, histograms = map(importlib.import_module, ("evalnb", "flopeq", "ehs"))
    return [
        _compare_hands(evaluator),
        _compare_boards(evaluator),
        *(
            _compare_tables(flop_equity, pattern, parse_board(flop))
            for pattern, flop in FLOPS.items()
        ),
        _compare_histograms(flop_equity, histograms),
    ]


def _compare_hands(evaluator: Any) -> Row:
    hands = random_hands(NUM_HANDS)
    strength = np.empty(NUM_HANDS, dtype=np.uint16)
    tables = _tables_of(evaluator)
    ours, prototype = best_seconds_of_two(
        lambda: evaluator_kernels.evaluate_hands(evaluator_tables(), hands, strength),
        lambda: evaluator.eval7_many(hands, *tables, strength),
        repeats=9,
    )
    return against_prototype("one 7-card hand", ours / NUM_HANDS, prototype / NUM_HANDS)


def _compare_boards(evaluator: Any) -> Row:
    boards = random_hands(NUM_BOARDS)[:, :5].copy()
    wide_boards = boards.astype(np.int64)
    strength = np.empty(NUM_COMBOS, dtype=np.uint16)
    scratch = np.empty((13, NUM_CARDS), dtype=np.uint16)
    arguments = (*_tables_of(evaluator), strength, np.zeros((13, 13), dtype=np.uint16))
    board_ranks = evaluator.board_ranks

    @numba.njit
    def rank_boards(boards, arguments):  # type: ignore[no-untyped-def]
        for board in range(boards.shape[0]):
            board_ranks(boards[board], *arguments)

    ours, prototype = best_seconds_of_two(
        lambda: loop_kernels.evaluate_boards(evaluator_tables(), boards, scratch, strength),
        lambda: rank_boards(wide_boards, arguments),
        repeats=9,
    )
    return against_prototype("all combos of a river", ours / NUM_BOARDS, prototype / NUM_BOARDS)


def _compare_tables(flop_equity: Any, pattern: str, flop: tuple[int, ...]) -> Row:
    enumerate_runouts = flop_equity.flop_info
    known = enumerate_runouts(list(flop))
    flop_equity.flop_info = lambda _: known  # slow plain Python, which would flatter us
    try:
        ours, prototype = best_seconds_of_two(
            lambda: compute_board_equity(flop).hand_table(),
            lambda: flop_equity.flop_table(flop),
            repeats=9,
        )
    finally:
        flop_equity.flop_info = enumerate_runouts
    return against_prototype(f"169 x 169 table, {pattern} flop", ours, prototype)


def _compare_histograms(flop_equity: Any, histograms: Any) -> Row:
    flop = parse_board(FLOPS["rainbow"])
    _, runouts, weights, live = flop_equity.flop_info(list(flop))
    counts = np.zeros((len(live), NUM_BINS), dtype=np.int64)
    squares = np.zeros(len(live))
    cards = (flop_equity.C1, flop_equity.C2)
    tables = _tables_of(histograms.E)
    span = (0, len(runouts), live)
    flop_cards = np.array(flop, dtype=np.int64)
    ours, prototype = best_seconds_of_two(
        lambda: sum_strengths(flop),
        lambda: histograms.hist_range(
            flop_cards, runouts, weights, *span, *cards, *tables, counts, squares, NUM_BINS
        ),
        repeats=9,
    )
    return against_prototype("strengths, rainbow flop (prototype: histograms)", ours, prototype)


def _tables_of(evaluator: Any) -> tuple[Any, ...]:
    return evaluator.CARD_KEY, evaluator.CARD_MASK, evaluator.OFF, evaluator.TAB, evaluator.FV
