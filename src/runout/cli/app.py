"""The commands of the `runout` program, and what happens to errors.

A command is imported when it is asked for: all of them together take longer than a small answer.

An error that the user can mend is one line on stderr and exit code 2; Ctrl-C is one line and exit
code 130; anything else is a defect of ours and keeps its traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group

from runout.cli.console import print_error, print_note
from runout.cli.exit_codes import EXIT_INTERRUPTED, EXIT_USER_ERROR
from runout.cli.system_errors import (
    describe_memory_error,
    describe_system_error,
    flush_output,
    is_broken_pipe,
)
from runout.cli.usage_errors import USAGE_ERROR, describe_usage_error, is_call_for_help
from runout.errors import RunoutError
from runout.version import __version__


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turns what the user caused into one line and an exit code."""
    try:
        yield
        flush_output()
    except RunoutError as error:
        print_error(str(error))
        raise typer.Exit(EXIT_USER_ERROR) from None
    except USAGE_ERROR as error:
        if is_call_for_help(error):
            raise
        print_error(describe_usage_error(error))
        raise typer.Exit(EXIT_USER_ERROR) from None
    except MemoryError as error:
        print_error(describe_memory_error(error))
        raise typer.Exit(EXIT_USER_ERROR) from None
    except OSError as error:
        if is_broken_pipe(error):
            raise  # typer ends without a word
        print_error(describe_system_error(error))
        raise typer.Exit(EXIT_USER_ERROR) from None
    except KeyboardInterrupt as interrupt:
        print_note(str(interrupt) or "interrupted")
        raise typer.Exit(EXIT_INTERRUPTED) from None


class _Command(NamedTuple):
    """Where a command is.

    Attributes:
        module: of `runout.cli`.
        function: what does it; its docstring is the help.
        example: what its help ends with.
    """

    module: str
    function: str
    example: str


_COMMANDS = {
    "equity": _Command("equity", "show_equity", 'runout equity "22+,AKs:0.5" KK --board Ah7s2c'),
    "flop-equity": _Command(
        "flop_equity", "show_flop_equity", "runout flop-equity AhKsQd --versus QQ"
    ),
    # The earliest group wins, so the weight of AKs comes before the group that names AKs as well.
    "range": _Command("ranges", "show_range", 'runout range "AKs:0.5,A2s+,22+,KTo-K8o"'),
    "flops": _Command("flops", "list_flops", "runout flops --random 25 --seed 7 --format csv"),
    "eval": _Command("evaluate", "show_strength", "runout eval AhKhQhJhTh2c3d"),
    "strength": _Command(
        "strength", "show_hand_strength", "runout strength --board AhKsQd --hand JcTc"
    ),
    "solve-postflop": _Command(
        "solve_postflop",
        "solve_flops",
        "runout solve-postflop -c configs/postflop_smoke.yaml -o runs/smoke",
    ),
    "solve-preflop": _Command(
        "solve_preflop",
        "solve_game",
        "runout solve-preflop -c configs/pushfold_10bb.yaml -o runs/pushfold",
    ),
    "solve-spot": _Command(
        "solve_spot", "solve_spot", "runout solve-spot -c configs/spot_river.yaml -o runs/river"
    ),
    "report": _Command(
        "report",
        "report_flops",
        "runout report -c configs/report_srp.yaml --flops 25 -o runs/srp ; "
        "runout report runs/srp --line x --where suits=monotone --sort b18",
    ),
    "show": _Command(
        "show",
        "show_solution",
        "runout show runs/pushfold --node a ; runout show runs/pushfold --node a "
        '--range "22+,A2s+" --show ev ; runout show runs/smoke --node r2 --compare c',
    ),
    "ranges": _Command(
        "run_ranges", "show_ranges", "runout ranges runs/pushfold --node a-c --player bb"
    ),
    "export": _Command(
        "export", "export_solution", "runout export runs/pushfold --format csv -o pushfold.csv"
    ),
    "trace-hand": _Command("trace_hand", "trace_hand", "runout trace-hand runs/pushfold A5s"),
    "values": _Command(
        "values", "show_values", "runout values runs/smoke --flop AhKsQd --hero AA -v KK"
    ),
    "diag-buckets": _Command(
        "diag_buckets",
        "diagnose_buckets",
        "runout diag-buckets -c configs/postflop_bucketed.yaml --flop AhKd7s",
    ),
    "inspect": _Command("inspect_bundles", "inspect_bundles", "runout inspect runs/smoke --flops"),
    "explore": _Command("explore", "explore", "runout explore runs --no-browser"),
    "export-site": _Command("export_site", "export_site", "runout export-site runs -o site"),
    "warmup": _Command("warmup", "compile_kernels", "runout warmup"),
}
#: Groups of commands, each the `app` of the module of this name.
_GROUPS = ("abstraction", "spot", "lab", "tree", "table")


def _load_command(name: str) -> Any:
    """Imports a command or a group of commands."""
    holder = typer.Typer()
    if name in _GROUPS:
        holder.add_typer(import_module(f"runout.cli.{name}").app, name=name)
    else:
        command = _COMMANDS[name]
        function = getattr(import_module(f"runout.cli.{command.module}"), command.function)
        holder.command(name, epilog=f"Example: {command.example}")(function)
    return get_group(holder).commands[name]


class _Program(TyperGroup):
    """Reads the command line, imports a command and runs it, with errors of one line."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_COMMANDS, *_GROUPS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _load_command(cmd_name)
        return self.commands[cmd_name]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _one_line_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _one_line_errors():
            return super().invoke(ctx)


app = typer.Typer(
    name="runout",
    cls=_Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: runout equity AA KK",
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"runout {__version__}")
        raise typer.Exit


@app.callback()
def describe_program(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Heads-up no-limit hold'em: exact equities, ranges, flops, buckets and solved games."""
