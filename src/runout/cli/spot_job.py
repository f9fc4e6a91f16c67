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
from runout.cli.progress import TimeLeft
from runout.cli.solve import measure
from runout.config.spot import SpotConfig
from runout.errors import RunoutError
from runout.events import Event, SpotSolving
from runout.execution.context import RunContext

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
            from runout.runs.spot import solve_spot, spot_keys_from_run

            keys = {**spot_keys_from_run(Path(run), node), "board": board}
            config = SpotConfig.parse(keys)
            if "--estimate" in flags:
                _write(_estimate(config))
            else:
                Path(output).parent.mkdir(parents=True, exist_ok=True)
                context = RunContext(on_event=_Progress(is_told=True).note)
                solve_spot(config, context, directory=Path(output))
    except RunoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USER_ERROR
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def _estimate(config: SpotConfig) -> dict[str, Any]:
    """Returns how large a spot is, and how long it takes, which a short trial tells."""
    from runout.runs.spot import solve_spot

    size, progress = measure(config), _Progress(is_told=False)
    needed = size.memory_bytes[config.precision]
    limits = {"max_iterations": TRIAL_ITERATIONS, "max_seconds": TRIAL_SECONDS}
    solve_spot(config.model_copy(update=limits), RunContext(on_event=progress.note))
    seconds = USUAL_ITERATIONS * progress.seconds_per_iteration
    oop, ip = size.num_hands
    text = (
        f"{size.num_nodes:,} nodes of betting, {oop:,} against {ip:,} combos, "
        f"{format_bytes(needed)} of memory, about {format_time_limit(seconds)} on this machine "
        f"for the usual {USUAL_ITERATIONS} iterations"
    )
    return {"text": text, "memory_bytes": needed, "seconds": seconds}


class _Progress:
    """Follows a solve: where it stands, and how long it goes on if time does not end it."""

    def __init__(self, is_told: bool) -> None:
        """Takes whether each step is written as a line."""
        self._is_told = is_told
        self._time = TimeLeft()
        self._events: list[SpotSolving] = []
        self._measured: set[float] = set()

    def note(self, event: Event) -> None:
        if not isinstance(event, SpotSolving):
            return
        self._events.append(event)
        left = self._time.of_game(replace(event, max_seconds=None), event.seconds)
        chips = event.exploitability
        if chips is not None:
            self._measured.add(chips)
        if self._is_told:
            # Before two measurements there is only the time of all iterations, far too many.
            is_known = len(self._measured) > 1
            _write(
                {
                    "iteration": event.iteration,
                    "exploitability_pot": None if chips is None else chips / event.pot_chips,
                    "seconds_left": left if is_known else None,
                }
            )

    @property
    def seconds_per_iteration(self) -> float:
        """What an iteration takes; the first is not counted if there are others."""
        first, last = self._events[0], self._events[-1]
        if last.iteration == first.iteration:
            return last.seconds / max(last.iteration, 1)
        return (last.seconds - first.seconds) / (last.iteration - first.iteration)


def _write(document: dict[str, Any]) -> None:
    print(json.dumps(document), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
