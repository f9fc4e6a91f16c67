"""`runout warmup`: compiles every kernel now, so that no later command has to.

Kernels compile for the types they are called with, so each one is called by a small real job.
Numba compiles one kernel at a time in a process, so the jobs are shared out to several.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from runout.cache import cache_directory
from runout.cards.card import parse_board, parse_cards
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_count_of, format_seconds
from runout.cli.options import JsonFlag, WorkersOption, require_positive
from runout.errors import TableError
from runout.events import EventSink, reporting_phase

if TYPE_CHECKING:
    from runout.cards.hand_indexer import HandIndexer
    from runout.postflop.backend import PostflopBackend

Job = Callable[[], object]
Task = TypeVar("Task")
Result = TypeVar("Result")


def compile_kernels(workers: WorkersOption = None, json: JsonFlag = False) -> None:
    """Compile and cache all kernels, which takes a while once after each install."""
    require_positive("--workers", workers)
    from runout.execution.local import count_cores
    from runout.jit import CACHE_PROBLEM

    if CACHE_PROBLEM is not None:
        raise TableError(str(cache_directory()), f"cannot be written ({CACHE_PROBLEM})")
    started = time.perf_counter()
    with using_kernels() as on_event:
        num_kernels, num_compiled = run_small_jobs(workers or count_cores(), on_event)
    seconds = time.perf_counter() - started
    if json:
        print_json(
            {
                "num_kernels": num_kernels,
                "num_compiled": num_compiled,
                "seconds": seconds,
                "cache_directory": str(cache_directory()),
            }
        )
        return
    done = f"compiled {num_compiled}" if num_compiled else "nothing to compile, all cached already"
    kernels = format_count_of(num_kernels, "kernel")
    output().print(
        f"{kernels}: {done}, in {format_seconds(seconds)}\ncache: {cache_directory()}",
        soft_wrap=True,
        markup=False,
    )


def run_small_jobs(num_workers: int, on_event: EventSink) -> tuple[int, int]:
    """Runs every job and returns how many kernels there are and how many had to be compiled."""
    from runout.jit import loaded_kernels

    num_jobs = len(small_jobs())  # imports all kernel modules, so that their kernels are counted
    found = (
        map(run_job, range(num_jobs))
        if num_workers == 1
        else run_in_processes(num_workers, run_job, range(num_jobs))
    )
    compiled: set[str] = set()
    with reporting_phase(on_event, "kernels", num_jobs) as advance:
        for done, names in enumerate(found, 1):
            compiled |= names
            advance(done)
    return len(loaded_kernels()), len(compiled)


def run_in_processes(
    num_workers: int, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[Result]:
    """Yields what each task gives as soon as it is done; Ctrl-C ends the processes at once."""
    context = multiprocessing.get_context("spawn")
    die_quietly = (signal.SIGINT, signal.SIG_DFL)
    with ProcessPoolExecutor(num_workers, context, signal.signal, die_quietly) as pool:
        try:
            for future in as_completed([pool.submit(function, task) for task in tasks]):
                yield future.result()
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def run_job(number: int) -> set[str]:
    """Runs one of the small jobs and returns the names of the kernels that were not cached."""
    job = small_jobs()[number]
    before = _cache_misses_by_kernel()
    job()
    return {name for name, misses in _cache_misses_by_kernel().items() if misses > before[name]}


def _cache_misses_by_kernel() -> dict[str, int]:
    from runout.jit import loaded_kernels

    return {
        name: sum(kernel.stats.cache_misses.values()) for name, kernel in loaded_kernels().items()
    }


def small_jobs() -> list[Job]:
    """Returns jobs that together call every kernel with the types that real work uses."""
    from runout.abstraction.build import build_card_abstraction
    from runout.abstraction.clustering import cluster_features
    from runout.abstraction.generator import AbstractionConfig, SurveyMode
    from runout.abstraction.hand_strength import HandStrengthCalculator
    from runout.abstraction.strength_features import FlopStrengths
    from runout.cards.evaluator import evaluate, evaluate_board
    from runout.cards.hand_indexer import HOLE_FLOP, HandIndexer
    from runout.equity.board_equity import compute_board_equity
    from runout.equity.histograms import strength_histograms

    suited_flop, rainbow_river = parse_board("AhKhQh"), parse_board("AhKdQs7c2c")
    queen, jack = parse_cards("QhJh")
    one_deal = AbstractionConfig(samples_per_street=1, mode=SurveyMode.SAMPLED)
    return [
        lambda: evaluate(suited_flop + parse_cards("JhTh")),
        lambda: evaluate_board(rainbow_river),
        lambda: _round_trip(HandIndexer(HOLE_FLOP)),
        lambda: compute_board_equity(suited_flop).wins,
        lambda: compute_board_equity(suited_flop).hand_table(),
        lambda: strength_histograms(rainbow_river),
        lambda: HandStrengthCalculator().calculate(rainbow_river, (queen, jack)),
        lambda: HandStrengthCalculator().calculate_board(rainbow_river),
        lambda: build_card_abstraction(one_deal),
        lambda: FlopStrengths(suited_flop).river_features(),
        lambda: cluster_features(np.eye(2), np.ones(2), 1, seed=0, order_key=np.ones(2)),
        *(job for backend in _backends() for job in backend.warm_up_jobs()),
        _solve_preflop,
        *(
            partial(_solve_spot, board, precision)
            for precision in (32, 16)
            for board in ("AhKdQs7c2c", "AhKdQs7c", "AhKdQs")
        ),
    ]


def _round_trip(indexer: "HandIndexer") -> None:
    classes = np.arange(1)
    indexer.index_many(indexer.unindex_many(classes))
    indexer.multiplicity_many(classes)


def _backends() -> list["PostflopBackend"]:
    from runout.config.backends import BACKENDS
    from runout.config.postflop import PostflopModelConfig

    return [PostflopModelConfig(solve_type=name).make_backend() for name in BACKENDS]


def _solve_preflop() -> None:
    """Solves push or fold, in double precision."""
    from runout.cfr.stopping import StoppingRule
    from runout.preflop.preflop_leaves import value_leaves
    from runout.preflop.solver import PreflopSolver
    from runout.results.value_book import ValueBook
    from runout.trees.preflop_betting import push_fold_rules
    from runout.trees.preflop_tree import PreflopTree

    tree = PreflopTree.build(push_fold_rules(10.0))
    solver = PreflopSolver(tree, value_leaves(tree, ValueBook.raw_equity()))
    solver.solve(StoppingRule(1, exploitability=1e-9, check_every=1))
    solver.cfr.game_value(0)


def _solve_spot(board: str, precision: int) -> None:
    """Solves a board with real cards, three combos each and one bet, in 32 or 16 bits."""
    from runout.execution.workplace import Workplace
    from runout.pipeline.spot import solve_spot

    solution = solve_spot(
        workplace=Workplace(1),
        board=board,
        oop="AA",
        ip="KK",
        pot=2,
        stack=2,
        bet_sizes="a",
        raise_sizes=[],
        max_iterations=1,
        precision=precision,
    )
    solution.view.node()
