"""Hand strengths of a flop and bucket lookups; with ``--build`` a whole abstraction too.

An exhaustive build takes about a minute, so it is measured only when asked for.
"""

import argparse
import resource
import sys
import time

import numpy as np

from benchmarks.timing import (
    Row,
    best_seconds,
    best_seconds_of_two,
    duration,
    format_rows,
    speedup,
)
from runout.abstraction.card_abstraction import (
    AbstractionConfig,
    BucketBoundaries,
    CardAbstraction,
    build_card_abstraction,
)
from runout.abstraction.survey import StrengthFeature, deal_indexer, deal_random
from runout.arrays import Uint8Array
from runout.cards.deck import combo_cards, live_combos, parse_board
from runout.equity.board import board_strengths, hand_strength
from runout.execution.context import RunContext
from runout.execution.pool import count_cores
from runout.trees.betting import Street

FLOP = "7c6d2s"
NUM_SINGLE_CALLS = 50
NUM_LOOKUPS = 2_000
NUM_BULK_DEALS = 200_000
BATCH_GOAL = 30.0
SINGLE_STRENGTH_GOAL_SECONDS = 0.005
SINGLE_BUCKET_GOAL_SECONDS = 200e-6
BULK_BUCKET_GOAL_SECONDS = 20e-6
BUILD_GOAL_SECONDS = 600.0
MEMORY_GOAL_GIB = 4.0


def main(arguments: list[str] | None = None) -> None:
    """Prints the table of this module alone."""
    parser = argparse.ArgumentParser(description="Speed of the card abstraction.")
    parser.add_argument("--build", action="store_true", help="also build an abstraction")
    chosen = parser.parse_args(arguments)
    print(format_rows(rows() + (build_rows() if chosen.build else [])))


def rows() -> list[Row]:
    """Returns strengths with and without sharing the work, and lookups with tables."""
    return [*strength_rows(), *lookup_rows()]


def strength_rows() -> list[Row]:
    """Returns one flop holding, and all of them against as many single calls."""
    board = parse_board(FLOP)
    combos = live_combos(board).tolist()
    chosen = [combo_cards(combo) for combo in combos[:: len(combos) // NUM_SINGLE_CALLS]]
    together, one_by_one = best_seconds_of_two(
        lambda: board_strengths(board),
        lambda: [hand_strength(board, holding) for holding in chosen],
    )
    single = one_by_one / len(chosen)
    return [
        speedup(
            f"strength of all {len(combos):,} holdings of a flop",
            together,
            single * len(combos),
            "single calls",
            BATCH_GOAL,
        ),
        duration("strength of one flop holding", single, SINGLE_STRENGTH_GOAL_SECONDS),
    ]


def lookup_rows() -> list[Row]:
    """Returns the time of one bucket by single and by vectorised calls."""
    abstraction = _abstraction_with_tables()
    rng = np.random.default_rng(0)
    found = []
    for street in abstraction.tables:
        single, bulk = _lookup_seconds(abstraction, deal_random(street, NUM_BULK_DEALS, rng))
        name = f"with the {street.label} table"
        found += [
            duration(f"get_bucket {name}", single, SINGLE_BUCKET_GOAL_SECONDS),
            duration(f"get_buckets {name}, per deal", bulk, BULK_BUCKET_GOAL_SECONDS),
        ]
    return found


def _lookup_seconds(abstraction: CardAbstraction, deals: Uint8Array) -> tuple[float, float]:
    """Returns seconds per deal, one by one and all at once."""
    chosen = [(deal[2:], (deal[0], deal[1])) for deal in deals[:NUM_LOOKUPS].tolist()]
    single = best_seconds(lambda: [abstraction.get_bucket(*deal) for deal in chosen])
    bulk = best_seconds(lambda: abstraction.get_buckets(deals))
    return single / len(chosen), bulk / len(deals)


def build_rows() -> list[Row]:
    """Returns time and peak memory of a default build, and the sizes of its buckets."""
    context = RunContext(count_cores())
    started = time.perf_counter()
    built = build_card_abstraction(AbstractionConfig(), context=context)
    seconds = time.perf_counter() - started
    # Linux counts in KiB, macOS in bytes. The other measurements of this process are in it too.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_gib = peak * (1 if sys.platform == "darwin" else 1024) / (1 << 30)
    found = [
        duration("exhaustive build", seconds, BUILD_GOAL_SECONDS),
        Row(
            "peak memory of the build",
            f"{peak_gib:.2f} GiB",
            "",
            f"{peak_gib:.2f} GiB",
            f"< {MEMORY_GOAL_GIB:g} GiB",
            peak_gib < MEMORY_GOAL_GIB,
        ),
    ]
    for street, statistics in built.statistics.items():
        population = statistics.population
        sizes = f"{population.min():,} to {population.max():,} deals each"
        found.append(Row(f"{street.label} buckets", f"{len(population):,}", "", sizes))
    return found


def _abstraction_with_tables() -> CardAbstraction:
    """Returns an abstraction whose tables have the real size and made-up contents."""
    boundaries = np.arange(1, 5_000) / 5_000
    rng = np.random.default_rng(0)
    tables = {
        street: rng.integers(5_000, size=deal_indexer(street).size, dtype=np.uint16)
        for street in (Street.FLOP, Street.TURN)
    }
    return CardAbstraction(
        BucketBoundaries((boundaries,) * 3, (5_000,) * 3),
        StrengthFeature.EHS2,
        tables,
        {},
        {},
    )


if __name__ == "__main__":
    main()
