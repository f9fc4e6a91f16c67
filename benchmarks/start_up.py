"""What a user waits for before anything is computed: start-up, and the first compilation."""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.timing import Row, best_seconds, duration

WARM_GOAL_SECONDS = 1.0
COLD_GOAL_SECONDS = 25.0

# Compiles what cards and equities need, then all the rest, and prints when each was done. Importing
# is included in the first time, as it is for a user.
_COLD_START = """
import json, time
started = time.perf_counter()
from runout.cards.deck import parse_board
from runout.cards.evaluator import evaluate_board, evaluate
from runout.cards.hand_indexer import HandIndexer
from runout.equity.board import compute_board_equity
from runout.equity.board import sum_strengths
flop, river = parse_board("AhKhQh"), parse_board("AhKdQs7c2c")
evaluate(river)
evaluate_board(river)
compute_board_equity(flop).hand_table()
sum_strengths(river)
HandIndexer((5,)).index(river)
cards_done = time.perf_counter() - started
from runout.cli.tools import run_small_jobs
from runout.execution.context import RunContext
num_kernels, _ = run_small_jobs(RunContext(1))
print(json.dumps([cards_done, time.perf_counter() - started, num_kernels]))
"""


def rows() -> list[Row]:
    """Returns the warm start of a command, and the time to compile into an empty cache."""
    program = Path(sysconfig.get_path("scripts")) / "runout"
    preflop = best_seconds(lambda: _run(str(program), "equity", "AA", "KK"))
    on_flop = best_seconds(lambda: _run(str(program), "equity", "AA", "KK", "--board", "9s6s2s"))
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "RUNOUT_CACHE": cache}
        printed = _run(sys.executable, "-c", _COLD_START, environment=environment)
    cards, everything, num_kernels = json.loads(printed)
    return [
        duration("warm `runout equity AA KK`", preflop, WARM_GOAL_SECONDS),
        duration("warm `runout equity AA KK --board 9s6s2s`", on_flop),
        duration("cold compile, cards and equity", cards, COLD_GOAL_SECONDS),
        duration(f"cold compile, all {num_kernels} kernels of `runout warmup`", everything),
    ]


def _run(*command: str, environment: dict[str, str] | None = None) -> str:
    return subprocess.run(
        command, env=environment, check=True, text=True, stdout=subprocess.PIPE
    ).stdout
