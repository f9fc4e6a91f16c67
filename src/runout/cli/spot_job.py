"""A solve that the explorer has started: what it has done so far, as one JSON object per line.

``python -m runout.cli.spot_job RUN NODE BOARD OUTPUT [--estimate]``. It is a process of its own, so
that the server imports no solver and stays quick; SIGTERM ends it as Ctrl-C would, and what
is learned until then is saved.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from runout.cli.app import EXIT_INTERRUPTED, EXIT_USER_ERROR, running_as_program
from runout.cli.formatting import format_bytes, format_time_limit
from runout.cli.progress import SolveTracker
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.errors import RunoutError
from runout.events import Event, SpotSolving

#: An estimate of time comes from so many iterations, or from so many seconds of them.
TRIAL_ITERATIONS = 6
TRIAL_SECONDS = 20.0
#: Spots need 70 to 200 iterations to 0.5 % of the pot.
USUAL_ITERATIONS = 150


def main(arguments: list[str]) -> int:
    """Solves, or says what it takes; returns the exit code."""
    run, node, board, output, *flags = arguments
    try:
        with running_as_program():
            config = _read(Path(run), node, board)
            if "--estimate" in flags:
                _write(_estimate(config))
            else:
                _solve(config, Path(output))
    except RunoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USER_ERROR
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def _read(run: Path, node: str, board: str) -> SpotConfig:
    from runout.runs.spot import spot_keys_from_run

    return load_spot_config(None, {**spot_keys_from_run(run, node), "board": board})


def _estimate(config: SpotConfig) -> dict[str, Any]:
    """Returns how large a spot is, and how long it takes, which a short trial tells."""
    from runout.execution.context import RunContext
    from runout.execution.pool import count_cores
    from runout.flops.spot_setup import measure_spot
    from runout.runs.spot import solve_spot

    size = measure_spot(config, count_cores())
    needed = size.memory_bytes[config.precision]
    trial = config.model_copy(
        update={"max_iterations": TRIAL_ITERATIONS, "max_seconds": TRIAL_SECONDS}
    )
    progress = _Progress()
    solve_spot(trial, RunContext(count_cores(), progress.note))
    seconds = USUAL_ITERATIONS * progress.seconds_per_iteration
    oop, ip = size.num_hands
    text = (
        f"{size.num_nodes:,} nodes of betting, {oop:,} against {ip:,} combos, "
        f"{format_bytes(needed)} of memory, about {format_time_limit(seconds)} on this machine "
        f"for the usual {USUAL_ITERATIONS} iterations"
    )
    return {"text": text, "memory_bytes": needed, "seconds": seconds}


def _solve(config: SpotConfig, output: Path) -> None:
    from runout.execution.context import RunContext
    from runout.execution.pool import count_cores
    from runout.runs.spot import solve_spot

    progress = _Progress()

    def tell(event: Event) -> None:
        progress.note(event)
        if isinstance(event, SpotSolving):
            _write(
                {
                    "iteration": event.iteration,
                    "exploitability_pot": progress.exploitability_pot,
                    "seconds_left": progress.seconds_left,
                }
            )

    output.parent.mkdir(parents=True, exist_ok=True)
    solve_spot(config, RunContext(count_cores(), tell), directory=output)


class _Progress:
    """Where a solve stands, and how long it goes on if time does not end it.

    Attributes:
        exploitability_pot: the last one measured, as a fraction of the pot; None before.
        seconds_left: until it meets its target; None if nobody knows.
    """

    def __init__(self) -> None:
        self._tracker = SolveTracker()
        self._passed: list[tuple[int, float]] = []
        self._measured: set[float | None] = set()
        self.exploitability_pot: float | None = None
        self.seconds_left: float | None = None

    def note(self, event: Event) -> None:
        if not isinstance(event, SpotSolving):
            return
        bars = self._tracker.note(replace(event, max_seconds=None)).bars
        chips = event.exploitability
        self.exploitability_pot = None if chips is None else chips / event.pot_chips
        self._measured.add(chips)
        # Before two measurements there is only the time of all iterations, far too many.
        is_known = len(self._measured - {None}) > 1
        self.seconds_left = bars[-1].seconds_left if is_known else None
        self._passed.append((event.iteration, event.seconds))

    @property
    def seconds_per_iteration(self) -> float:
        """What an iteration takes; the first is not counted if there are others."""
        (first, began), (last, ended) = self._passed[0], self._passed[-1]
        return (ended - began) / (last - first) if last > first else ended / max(last, 1)


def _write(document: dict[str, Any]) -> None:
    print(json.dumps(document), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
