"""Saved preflop solutions: opening them, and the options that name their nodes."""

from pathlib import Path
from typing import Annotated

import typer

from runout.cli.options import read_path

#: A hand that plays towards a node less often than this is not shown there.
SMALLEST_REACH = 5e-4

SolutionArgument = Annotated[
    Path, typer.Argument(metavar="DIR", parser=read_path, help="What `runout solve-preflop` wrote.")
]
NodeOption = Annotated[
    str | None,
    typer.Option("--node", "-n", metavar="PATH", help="Actions from the start, such as r2.5-c."),
]
