"""A solve that the explorer has started: its progress as one JSON object per line.

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
from runout.config.spot import SpotConfig
from runout.errors import RunoutError
from runout.events import Event, EventSink, SpotSolving
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

            config = SpotConfig.parse({**spot_keys_from_run(Path(run), node), "board": board})
            if "--estimate" in flags:
                print(json.dumps(_estimate(config)), flush=True)
            else:
                Path(output).parent.mkdir(parents=True, exist_ok=True)
                context = RunContext(on_event=_printing_progress())
                solve_spot(config, context, directory=Path(output))
    except RunoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USER_ERROR
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return 0


def _estimate(config: SpotConfig) -> dict[str, Any]:
    """Returns how large a spot is, and how long it takes, which a short trial tells."""
    from runout.flops.spot_setup import measure_spot
    from runout.runs.spot import solve_spot

    size, told = measure_spot(config), list[Event]()
    needed = size.memory_bytes[config.precision]
    limits = {"max_iterations": TRIAL_ITERATIONS, "max_seconds": TRIAL_SECONDS}
    solve_spot(config.model_copy(update=limits), RunContext(on_event=told.append))
    steps = [(event.iteration, event.seconds) for event in told if isinstance(event, SpotSolving)]
    (first, began), (last, ended) = steps[0], steps[-1]
    if first == last:  # the first is not counted if there are others
        first, began = 0, 0.0
    seconds = USUAL_ITERATIONS * (ended - began) / max(last - first, 1)
    text = (
        f"{size}, {format_bytes(needed)} of memory, about {format_time_limit(seconds)} on this "
        f"machine for the usual {USUAL_ITERATIONS} iterations"
    )
    return {"text": text, "memory_bytes": needed, "seconds": seconds}


def _printing_progress() -> EventSink:
    """Returns a sink that prints the progress of a solve, and its time left where known."""
    time_left, measured = TimeLeft(), set[float | None]()

    def print_progress(event: Event) -> None:
        if isinstance(event, SpotSolving):
            left = time_left.of_game(replace(event, max_seconds=None), event.seconds)
            chips = event.exploitability
            measured.add(chips)
            # Before two measurements there is only the time of all iterations, far too many.
            document = {
                "iteration": event.iteration,
                "exploitability_pot": None if chips is None else chips / event.pot_chips,
                "seconds_left": left if len(measured - {None}) > 1 else None,
            }
            print(json.dumps(document), flush=True)

    return print_progress


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
