"""The commands of the `runout` program, and what happens to errors.

An error that the user can mend is one line on stderr and exit code 2; Ctrl-C is one line and exit
code 130; anything else is a defect of ours and keeps its traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from runout.cli import (
    abstraction,
    diag_buckets,
    equity,
    evaluate,
    explore,
    export,
    export_site,
    flop_equity,
    flops,
    inspect_bundles,
    lab,
    lab_sweep,
    ranges,
    report,
    run_ranges,
    show,
    solve_postflop,
    solve_preflop,
    solve_spot,
    spot_report,
    spot_show,
    strength,
    table,
    trace_hand,
    tree,
    values,
    warmup,
)
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


class _OneLineErrors(TyperGroup):
    """Reads the command line and runs a command, with errors of one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _one_line_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with _one_line_errors():
            return super().invoke(ctx)


app = typer.Typer(
    name="runout",
    cls=_OneLineErrors,
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


app.command("equity", epilog='Example: runout equity "22+,AKs:0.5" KK --board Ah7s2c')(
    equity.show_equity
)
app.command("flop-equity", epilog="Example: runout flop-equity AhKsQd --versus QQ")(
    flop_equity.show_flop_equity
)
# The earliest group wins, so the weight of AKs comes before the group that names AKs as well.
app.command("range", epilog='Example: runout range "AKs:0.5,A2s+,22+,KTo-K8o"')(ranges.show_range)
app.command("flops", epilog="Example: runout flops --random 25 --seed 7 --format csv")(
    flops.list_flops
)
app.command("eval", epilog="Example: runout eval AhKhQhJhTh2c3d")(evaluate.show_strength)
app.command("strength", epilog="Example: runout strength --board AhKsQd --hand JcTc")(
    strength.show_hand_strength
)
app.add_typer(abstraction.app, name="abstraction")
app.command(
    "solve-postflop",
    epilog="Example: runout solve-postflop -c configs/postflop_smoke.yaml -o runs/smoke",
)(solve_postflop.solve_flops)
app.command(
    "solve-preflop",
    epilog="Example: runout solve-preflop -c configs/pushfold_10bb.yaml -o runs/pushfold",
)(solve_preflop.solve_game)
app.command(
    "solve-spot", epilog="Example: runout solve-spot -c configs/spot_river.yaml -o runs/river"
)(solve_spot.solve_spot)
spot_show.app.command(
    "report",
    epilog="Example: runout spot report runs/flop --node x:b59:c ; "
    "runout spot report runs/flop --node x:b59:c:8h:x --sort ev-ip --csv -o turns.csv",
)(spot_report.report_spot)
app.add_typer(spot_show.app, name="spot")
lab.app.command(
    "sweep",
    epilog="Example: runout lab sweep -c configs/sweep_rebucketing.yaml -o runs/rebucketing",
)(lab_sweep.sweep)
app.add_typer(lab.app, name="lab")
app.command(
    "report",
    epilog="Example: runout report -c configs/report_srp.yaml --flops 25 -o runs/srp ; "
    "runout report runs/srp --line x --where suits=monotone --sort b18",
)(report.report_flops)
app.command(
    "show",
    epilog="Example: runout show runs/pushfold --node a ; runout show runs/pushfold --node a "
    '--range "22+,A2s+" --show ev ; runout show runs/smoke --node r2 --compare c',
)(show.show_solution)
app.command("ranges", epilog="Example: runout ranges runs/pushfold --node a-c --player bb")(
    run_ranges.show_ranges
)
app.command("export", epilog="Example: runout export runs/pushfold --format csv -o pushfold.csv")(
    export.export_solution
)
app.command("trace-hand", epilog="Example: runout trace-hand runs/pushfold A5s")(
    trace_hand.trace_hand
)
app.command("values", epilog="Example: runout values runs/smoke --flop AhKsQd --hero AA -v KK")(
    values.show_values
)
app.command(
    "diag-buckets",
    epilog="Example: runout diag-buckets -c configs/postflop_bucketed.yaml --flop AhKd7s",
)(diag_buckets.diagnose_buckets)
app.command("inspect", epilog="Example: runout inspect runs/smoke --flops")(
    inspect_bundles.inspect_bundles
)
app.command("explore", epilog="Example: runout explore runs --no-browser")(explore.explore)
app.command("export-site", epilog="Example: runout export-site runs -o site")(
    export_site.export_site
)
app.add_typer(tree.app, name="tree")
app.add_typer(table.app, name="table")
app.command("warmup", epilog="Example: runout warmup")(warmup.compile_kernels)
