"""Speed of the card abstraction: strengths, bucket lookups and, with ``--build``, a whole build.

Run ``python -m benchmarks.abstraction``; every line states its goal.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from runout.abstraction import (
    AbstractionConfig,
    BucketBoundaries,
    CardAbstraction,
    HandStrengthCalculator,
    Street,
    StrengthFeature,
    SurveyRun,
    build_card_abstraction,
)
from runout.abstraction.strength_survey import deal_indexer, deal_random
from runout.arrays import Uint8Array
from runout.cards.card import parse_board
from runout.cards.combos import combo_cards, live_combos
from runout.execution.local import count_cores

FLOP = "7c6d2s"
NUM_SINGLE_CALLS = 50
NUM_LOOKUPS = 2_000
NUM_BULK_DEALS = 200_000
NUM_REPEATS = 5
MICROSECONDS = 1e6
GIBIBYTE = 1 << 30


def main(arguments: list[str] | None = None) -> None:
    """Prints every measurement; builds an abstraction of all deals only with ``--build``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", action="store_true", help="build everything, about a minute")
    chosen = parser.parse_args(arguments)
    measure_strengths()
    measure_lookups(with_equal_buckets())
    if chosen.build:
        measure_build()


def measure_strengths() -> None:
    """Prints one flop holding, all 1,176 of them, and what sharing the work gains."""
    calculator = HandStrengthCalculator()
    board = parse_board(FLOP)
    combos = live_combos(board)
    chosen = [combo_cards(int(combo)) for combo in combos[:: len(combos) // NUM_SINGLE_CALLS]]

    def calculate_chosen() -> None:
        for holding in chosen:
            calculator.calculate_flop(board, holding)

    single = best_seconds(calculate_chosen) / len(chosen)
    batch = best_seconds(lambda: calculator.calculate_board(board))
    report("one flop holding, warm", f"{1e3 * single:.2f} ms", "< 5 ms")
    report(f"all {len(combos):,} holdings of a flop", f"{1e3 * batch:.1f} ms")
    ratio = single * len(combos) / batch
    report(f"the same by {len(combos):,} single calls", f"{ratio:.0f} x as long", ">= 30 x")


def measure_lookups(abstraction: CardAbstraction) -> None:
    """Prints the time of a bucket from the table, one at a time and in bulk."""
    rng = np.random.default_rng(0)
    for street in abstraction.tables:
        deals = deal_random(street, NUM_BULK_DEALS, rng)
        report_lookups(abstraction, street, deals)


def report_lookups(abstraction: CardAbstraction, street: Street, deals: Uint8Array) -> None:
    """Prints single and bulk lookups of the given deals."""
    chosen = [(deal[2:], (deal[0], deal[1])) for deal in deals[:NUM_LOOKUPS].tolist()]

    def look_up_one_by_one() -> None:
        for board, holding in chosen:
            abstraction.get_bucket(board, holding)

    single = best_seconds(look_up_one_by_one) / len(chosen)
    bulk = best_seconds(lambda: abstraction.get_buckets(deals)) / len(deals)
    label = street.label
    report(f"get_bucket, {label} table", f"{MICROSECONDS * single:.1f} us", "< 200 us")
    report(f"get_buckets, {label} table", f"{MICROSECONDS * bulk:.2f} us per deal", "< 20 us")


def with_equal_buckets() -> CardAbstraction:
    """Returns an abstraction with tables of the real size; what is in them takes no time."""
    boundaries = np.arange(1, 5_000) / 5_000
    tables = {
        street: np.random.default_rng(0)
        .integers(5_000, size=deal_indexer(street).size)
        .astype("u2")
        for street in (Street.FLOP, Street.TURN)
    }
    return CardAbstraction(
        BucketBoundaries.from_values(boundaries, boundaries, boundaries),
        StrengthFeature.EHS2,
        tables,
        {},
        {},
    )


def measure_build() -> None:
    """Prints time, peak memory of this process, and sizes of the buckets of a default build."""
    num_workers = count_cores()
    begin = time.perf_counter()
    abstraction = build_card_abstraction(
        AbstractionConfig(), run=SurveyRun(num_workers=num_workers)
    )
    seconds = time.perf_counter() - begin
    # Linux counts in KiB, macOS in bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_gib = peak * (1 if sys.platform == "darwin" else 1024) / GIBIBYTE
    report(f"exhaustive build, {num_workers} workers", f"{seconds:.0f} s", "< 600 s")
    report("peak memory", f"{peak_gib:.2f} GiB", "< 4 GiB")
    for street in Street:
        population = abstraction.statistics[street].population
        report(
            f"{street.label}: {abstraction.num_buckets(street):,} buckets hold",
            f"{population.min():,} to {population.max():,} deals",
        )


def best_seconds(function: Callable[[], object]) -> float:
    """Returns the shortest of some runs, after one that compiles and loads what it needs."""
    function()
    times = []
    for _ in range(NUM_REPEATS):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def report(what: str, measured: str, goal: str = "") -> None:
    """Prints one line of the report."""
    print(f"{what:42}{measured:>28}" + (f"   goal {goal}" if goal else ""), flush=True)


if __name__ == "__main__":
    main()
