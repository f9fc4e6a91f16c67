"""Compiled loops around kernels, so that a benchmark does not measure calls from Python."""

from runout.arrays import Uint8Array, Uint16Array
from runout.cards import evaluator_kernels
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.jit import kernel


@kernel
def evaluate_boards(
    tables: EvaluatorTables, boards: Uint8Array, scratch: Uint16Array, out_strength: Uint16Array
) -> None:
    """Evaluates every row of ``boards[n, 5]``; ``out_strength[1326]`` keeps the last one."""
    for board in range(boards.shape[0]):
        evaluator_kernels.evaluate_board(tables, boards[board], scratch, out_strength)
