"""The `runout` program: its commands, and what happens to errors.

An error that the user can mend is one line on stderr and exit code 2; Ctrl-C is one line and exit
code 130; anything else is a defect of ours and keeps its traceback.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from runout import __version__
from runout.cli import equity, evaluate, flop_equity, flops, ranges, table, warmup
from runout.cli.console import print_error, print_note
from runout.errors import RunoutError

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130


class _OneLineErrors(TyperGroup):
    """Runs a command and turns what the user caused into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except RunoutError as error:
            print_error(str(error))
            raise typer.Exit(EXIT_USER_ERROR) from None
        except KeyboardInterrupt:
            print_note("interrupted")
            raise typer.Exit(EXIT_INTERRUPTED) from None


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
    """Heads-up no-limit hold'em: exact equities, ranges and flops."""


app.command("equity", epilog='Example: runout equity "22+,AKs:0.5" KK --board Ah7s2c')(
    equity.show_equity
)
app.command("flop-equity", epilog="Example: runout flop-equity AhKsQd --versus QQ")(
    flop_equity.show_flop_equity
)
app.command("range", epilog='Example: runout range "22+,A2s+,KTo-K8o,AKs:0.5"')(ranges.show_range)
app.command("flops", epilog="Example: runout flops --random 25 --seed 7 --format csv")(
    flops.list_flops
)
app.command("eval", epilog="Example: runout eval AhKhQhJhTh2c3d")(evaluate.show_strength)
app.add_typer(table.app, name="table")
app.command("warmup", epilog="Example: runout warmup")(warmup.compile_kernels)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program and exits.

    Args:
        arguments: what follows the program's name; by default what the shell passed.
    """
    app(arguments, prog_name="runout")
