"""The `runout` program: its commands as a table, its first screen, and where it starts and ends.

The first screen comes from the table alone. typer, numpy and a command are imported when a command
is run: all of them together take longer than a small answer.
"""

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from runout.version import __version__

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130

#: New objects until Python looks for garbage again: most of what a start makes are modules, which
#: stay, and to look through them every 700 objects takes a sixth of the time of a small answer.
_OBJECTS_PER_COLLECTION = 10_000


class Command(NamedTuple):
    """A row of the table of commands."""

    place: str  # module of `runout.cli`, and a function, whose docstring is the help, or typer app
    help: str  # its line in the list of commands


#: The commands by groups, in the order of the help.
GROUPS = {
    "Solve": {
        "solve-spot": Command("solve.solve_spot", "Solve a flop, turn or river with two ranges."),
        "solve-preflop": Command("solve.solve_game", "Solve a game from the blinds on."),
        "report": Command("report.report_flops", "Solve one spot on many flops."),
        "solve-postflop": Command("solve.solve_flops", "Solve flops for all hands, keep values."),
    },
    "Study": {
        "show": Command("show.show_result", "Show strategies, EVs and ranges of a result."),
        "explore": Command("explore.explore", "Browse results in a web page."),
        "export": Command("show.export_solution", "Write nodes as JSON, CSV or Parquet."),
        "export-site": Command("explore.export_site", "Write the web page as static files."),
    },
    "Tools": {
        "equity": Command("equity.show_equity", "Compare two ranges, exactly."),
        "config": Command("config.app", "Write, check and describe config files."),
        "range": Command("equity.show_range", "Show a range as a grid."),
        "flop-equity": Command("equity.show_flop_equity", "Show every hand's equity on a flop."),
        "flops": Command("equity.list_flops", "List flops with their weights."),
        "eval": Command("equity.show_strength", "Rank a made hand."),
        "strength": Command("equity.show_hand_strength", "Show hand strength and potential."),
        "tree": Command("tools.tree_app", "Show and count betting trees."),
        "warmup": Command("tools.compile_kernels", "Compile all kernels now."),
    },
    "Research": {
        "lab": Command("lab.app", "Measure solves in the game with real cards."),
        "abstraction": Command("buckets.app", "Build and examine hand buckets."),
        "diag-buckets": Command("buckets.diagnose_buckets", "Diagnose the buckets of a solve."),
    },
}
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}

#: The commands of the first screen.
FIRST = "solve-spot solve-preflop report show explore equity range lab".split()

#: Arguments of the example that the help of a command ends with.
EXAMPLES = {
    "solve-spot": "-c configs/spot_river.yaml -o runs/river",
    "solve-preflop": "-c configs/pushfold_10bb.yaml -o runs/pushfold",
    "report": "-c configs/report_srp.yaml --flops 25 -o runs/srp ; "
    "runout report runs/srp --line x --where suits=monotone --sort b18",
    "solve-postflop": "-c configs/postflop_smoke.yaml -o runs/smoke",
    "show": "runs/pushfold ; runout show runs/pushfold --node a --hand AK ; "
    'runout show runs/flop --node x:b59:c --range "22+,A2s+" --show ev ; '
    "runout show runs/flop --node x:b59:c --by card ; runout show runs/smoke --trace A5s",
    "explore": "runs --no-browser",
    "export": "runs/pushfold --format csv -o pushfold.csv",
    "export-site": "runs -o site",
    "equity": '"22+,AKs:0.5" KK --board Ah7s2c',
    # The earliest group wins, so the weight of AKs comes before the group that names AKs as well.
    "range": '"AKs:0.5,A2s+,22+,KTo-K8o"',
    "flop-equity": "AhKsQd --versus QQ",
    "flops": "--random 25 --seed 7 --format csv",
    "eval": "AhKhQhJhTh2c3d",
    "strength": "--board AhKsQd --hand JcTc",
    "diag-buckets": "-c configs/postflop_bucketed.yaml --flop AhKd7s",
}

#: Commands of earlier versions, and what to type now.
RETIRED = {
    "spot": "runout show DIR (spot report: runout show DIR --by card)",
    "ranges": "runout show DIR --node PATH --ranges",
    "trace-hand": "runout show DIR --trace HAND",
    "values": "Python: runout.open(DIR).at_spr(3.5).average(0)",
    "inspect": "runout show DIR --check",
}


def first_screen(shows_all: bool = False) -> str:
    """Returns the help of the program: the commands by groups, the most used ones or all."""
    lines = [
        "Usage: runout COMMAND [OPTIONS]",
        "",
        "Heads-up no-limit hold'em: solve preflop games and spots, study the solutions.",
    ]
    for group, commands in GROUPS.items():
        shown = (name for name in commands if shows_all or name in FIRST)
        lines += ["", group, *(f"  {name:<15}{commands[name].help}" for name in shown)]
    if shows_all:
        more = "runout --install-completion   Complete commands and options in this shell."
    else:
        more = "runout help --all         All commands."
    lines += ["", "runout COMMAND --help     Options of a command, with an example.", more]
    return "\n".join([*lines, "", "Example: runout equity AA KK"])


def answer_at_once(arguments: Sequence[str]) -> str | None:
    """Returns what needs no command, the first screen or the version; None for anything else."""
    match list(arguments):
        case [] | ["help"] | ["--help"] | ["-h"] | ["help", "--help"]:
            return first_screen()
        case ["help", "--all"] | ["--help", "--all"] | ["help", "all"]:
            return first_screen(shows_all=True)
        case ["--version", *_]:
            return f"runout {__version__}"
    return None


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program with arguments, by default those of the shell, and exits."""
    atexit.register(gc.freeze)  # what there is at the end goes with the process
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if (answer := answer_at_once(given)) is not None:
            try:
                print(answer, flush=True)
                sys.exit()
            except OSError:  # a full disk, a closed pipe: the program below has words for it
                pass
        with running_as_program():
            # Threads of linear algebra, which nothing here needs, spin while modules are imported.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            from runout.cli.program import app

            app(given, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


@contextmanager
def running_as_program() -> Iterator[None]:
    """Makes SIGTERM do what Ctrl-C does, and collects garbage rarely.

    Batch systems and shutdowns send SIGTERM, and work is saved.
    """

    def pass_on(signal_number: int, frame: Any) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal_number, frame)
        else:  # a shell's background job is deaf to Ctrl-C
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    threshold, handler = gc.get_threshold(), signal.signal(signal.SIGTERM, pass_on)
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        signal.signal(signal.SIGTERM, handler)
