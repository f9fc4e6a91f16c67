"""The `runout` program: its commands as a table, its first screen, and where it starts and ends.

The first screen comes from the table alone. typer, numpy and a command are imported when a command
is run: all of them together take longer than a small answer.
"""

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
_OBJECTS_PER_COLLECTION = 50_000


class Command(NamedTuple):
    """A row of the table of commands."""

    heading: str  # of the group that it belongs to in the list of commands
    is_first: bool  # whether the first screen shows it
    place: str  # module of `runout.cli` and function, whose docstring is the help; or none
    help: str  # its line in the list of commands
    examples: list[str]  # arguments that its help ends with


#: Headings of the list of commands, and below them the commands: a star if it is on the first
#: screen, name, place and help, which a member of a group of commands needs not. Then examples.
_TABLE = """\
Solve
* solve-spot | solve.solve_spot | Solve a flop, turn or river with two ranges.
    -c configs/spot_river.yaml -o runs/river
* solve-preflop | solve.solve_game | Solve a game from the blinds on.
    -c configs/pushfold_10bb.yaml -o runs/pushfold
* report | report.report_flops | Solve one spot on many flops.
    -c configs/report_srp.yaml --flops 25 -o runs/srp
    runs/srp --line x --where suits=monotone --sort b18
  solve-postflop | solve.solve_flops | Solve flops for all hands, keep values.
    -c configs/postflop_smoke.yaml -o runs/smoke
Study
* show | show.show_result | Show strategies, EVs and ranges of a result.
    runs/pushfold
    runs/pushfold --node a --hand AK
    runs/flop --node x:b59:c --range "22+,A2s+" --show ev
* explore | explore.explore | Browse results in a web page.
    runs --no-browser
  drill | study.drill_hands | Play hands against a solution, graded by EV.
    runs/river --node x --hands 20
  export | show.export_solution | Write nodes as JSON, CSV, Parquet, or for other programs.
    runs/pushfold --format csv -o pushfold.csv
  export-site | explore.export_site | Write the web page as static files.
    runs -o site
Tools
* equity | equity.show_equity | Compare two ranges, exactly.
    "22+,AKs:0.5" KK --board Ah7s2c
    random QQ --board AhKsQd --grid
  config | | Write, check and describe config files.
  config init | config.write_starter |
    spot -o spot.yaml
    smoke -o smoke.yaml
  config validate | config.validate |
    spot.yaml
  config schema | config.print_schema |
    spot
  import | config.import_file | Convert files of other solvers to configs.
    tree.txt -o spot.yaml
    hands.phh --pick flop --oop "22+,A2s+" --ip "ATo+,KQ"
  upi | explore.speak_upi | Speak PioSOLVER's text protocol.
    < script.txt
* range | equity.show_range | Show a range as a grid.
    "AKs:0.5,A2s+,22+,KTo-K8o"
    "[50]AKs[/50] top 5%" --notation pio
  flops | equity.list_flops | List flops with their weights.
    --random 25 --seed 7 --format csv
  eval | equity.show_strength | Rank a made hand.
    AhKhQhJhTh2c3d
  strength | equity.show_hand_strength | Show hand strength and potential.
    --board AhKsQd --hand JcTc
  tree | | Show and count betting trees.
  tree show | tools.show_tree |
    -c configs/postflop_smoke.yaml --spr 3.5
    -c runs/river
  warmup | tools.compile_kernels | Compile all kernels now.
    --workers 2
Research
  judge | lab.judge_strategies | Measure the loss of saved strategies with real cards.
    runs/flop
    runs/spr --flop AhKd7s
* lab | | Measure solves in the game with real cards.
  lab exploit | lab.show_exploitability |
    -c configs/lab_exploit.yaml
  lab sweep | lab.sweep |
    -c configs/sweep_rebucketing.yaml -o runs/rebucketing
  abstraction | | Build and examine hand buckets.
  abstraction build | buckets.build_abstraction |
    -o buckets --flop-buckets 1000
  abstraction bucket | buckets.show_bucket |
    buckets --board AhKsQd --hand JcTc
  abstraction cache | buckets.show_cache |
    --clear
"""

#: Commands of earlier versions, and what to type now.
RETIRED = {
    "diag-buckets": "runout judge DIR (what the buckets of a solve lose)",
    "lab judge": "runout judge DIR",
    "spot": "runout show DIR (spot report: runout show DIR --by card)",
    "ranges": "runout show DIR --node PATH --ranges",
    "trace-hand": "runout show DIR --trace HAND",
    "values": "Python: runout.open(DIR).at_spr(3.5).average(0)",
    "inspect": "runout show DIR --check",
    "abstraction inspect": "runout show DIR",
    "flop-equity": "runout equity random HAND --board CARDS --grid",
    "table": "python -m tools.shipped_tables in the source",
}


def _read_table() -> dict[str, Command]:
    """Returns the commands by their names, a group before its members, in the order of the help."""
    commands, name, heading = dict[str, Command](), "", ""
    for line in _TABLE.splitlines():
        match line.split("|"):
            case [marked_name, place, text]:
                name = marked_name[2:].strip()
                is_first = line.startswith("*")
                commands[name] = Command(heading, is_first, place.strip(), text.strip(), [])
            case [words] if words.startswith(" "):
                commands[name].examples.append(words.strip())
            case [heading]:
                pass
    return commands


COMMANDS = _read_table()


def first_screen(shows_all: bool = False) -> str:
    """Returns the help of the program: the commands by groups, the most used ones or all."""
    lines = [
        "Usage: runout COMMAND [OPTIONS]",
        "",
        "Heads-up no-limit hold'em: solve preflop games and spots, study the solutions.",
    ]
    heading = ""
    for name, command in COMMANDS.items():
        if command.heading != heading:
            heading = command.heading
            lines += ["", heading]
        if command.is_first or (shows_all and command.help):
            lines.append(f"  {name:<15}{command.help}")
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
            # Nor do plugins of pydantic, for which it would read all that is installed.
            os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
            from runout.cli.program import app

            app(given, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


@contextmanager
def running_as_program() -> Iterator[None]:
    """Makes other requests to end do what Ctrl-C does, and collects garbage rarely.

    Batch systems and shutdowns send SIGTERM, terminals that are closed SIGHUP, and work is saved.
    With ``RUNOUT_ENDS_WITH_INPUT`` the end of the input does the same: the parent ended.
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
    known = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGBREAK")]
    # nohup ignores SIGHUP.
    heard = [n for n in known if n is not None and signal.getsignal(n) is not signal.SIG_IGN]
    threshold, handlers = gc.get_threshold(), [signal.signal(n, pass_on) for n in heard]
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    if os.environ.pop("RUNOUT_ENDS_WITH_INPUT", None):
        threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        yield
    finally:
        gc.freeze()  # what there is at the end goes with the process
        gc.set_threshold(*threshold)
        for number, handler in zip(heard, handlers, strict=True):
            signal.signal(number, handler)


def _end_with_input() -> None:
    while os.read(0, 1):
        pass
    if hasattr(signal, "pthread_kill"):  # also wakes the thread up
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)
