"""A solve that the explorer has started: what it has done so far, as one JSON object per line.

``python -m runout.cli.spot_job RUN NODE BOARD OUTPUT [--estimate]``. It is a process of its own, so
that the server imports no solver and stays quick; SIGTERM ends it as Ctrl-C would, and what
is learned until then is saved.
"""

import json
import signal
import sys
from pathlib import Path
from typing import Any

from runout.cli.exit_codes import EXIT_INTERRUPTED, EXIT_USER_ERROR
from runout.cli.solve_progress import SolveTracker
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.errors import RunoutError
from runout.events import Event, SpotSolving

_BYTES_PER_GB = 1e9


def main(arguments: list[str]) -> int:
    """Solves, or says what it takes; returns the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    run, node, board, output, *flags = arguments
    try:
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
    from runout.pipeline.spot_from_run import spot_keys_from_run

    return load_spot_config(None, {**spot_keys_from_run(run, node), "board": board})


def _estimate(config: SpotConfig) -> dict[str, Any]:
    from runout.execution.local import count_cores
    from runout.postflop.spot.spot_setup import measure_spot, river_buckets
    from runout.views.spot_bundle import build_spot

    size = measure_spot(build_spot(config), count_cores(), config.locks, river_buckets(config))
    need = next(need for bits, need in size.memory.items() if bits == config.precision)
    oop, ip = size.num_hands
    text = (
        f"{size.num_nodes:,} nodes of betting, {oop:,} against {ip:,} combos, "
        f"{need.total / _BYTES_PER_GB:.1f} GB of memory"
    )
    return {"text": text, "memory_bytes": need.total, "num_nodes": size.num_nodes}


def _solve(config: SpotConfig, output: Path) -> None:
    from runout.execution.local import count_cores
    from runout.pipeline.spot import solve_spot
    from runout.pipeline.workplace import Workplace

    tracker = SolveTracker()

    def tell(event: Event) -> None:
        if isinstance(event, SpotSolving):
            bars = tracker.note(event).bars
            left = bars[-1].seconds_left if bars else None
            chips = event.exploitability_chips
            share = None if chips is None else chips / event.pot_chips
            _write(
                {
                    "iteration": event.iteration,
                    "exploitability_pot": share,
                    "seconds_left": left,
                }
            )

    output.parent.mkdir(parents=True, exist_ok=True)
    solve_spot(config, Workplace(count_cores(), tell), directory=output)


def _write(document: dict[str, Any]) -> None:
    print(json.dumps(document), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
