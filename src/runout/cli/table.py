"""`runout table`: the shipped table of preflop matchups, built again or checked."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from runout.cache import digest_arrays, save_arrays
from runout.cli.console import output, print_json, using_kernels
from runout.cli.options import JsonFlag, OptionError, WorkersOption, read_path, require_positive

app = typer.Typer(no_args_is_help=True, help="Rebuild or verify the shipped preflop table.")


@app.command("rebuild", epilog="Example: runout table rebuild -o matchups.npz")
def rebuild_table(
    workers: WorkersOption = None,
    path: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            parser=read_path,
            help="Default: replace the shipped file.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Count all preflop matchups again and write the table."""
    require_positive("--workers", workers)
    with using_kernels() as on_event:
        from runout.equity.preflop_equity import DIGEST, FILE_NAME
        from runout.equity.preflop_matchups import rebuild_matchups
        from runout.execution.local import count_cores

        arrays = rebuild_matchups(workers or count_cores(), on_event)
    chosen = path or Path(str(files("runout.equity") / "data" / FILE_NAME))
    try:
        save_arrays(chosen, arrays)
    except OSError as error:
        raise OptionError(f"--output {chosen}", error.strerror or str(error)) from None
    digest = digest_arrays(arrays)
    if json:
        print_json({"file": str(chosen), "digest": digest, "is_shipped_table": digest == DIGEST})
        return
    verdict = "the shipped table" if digest == DIGEST else f"NOT the shipped table {DIGEST}"
    output().print(f"{chosen}: digest {digest}, {verdict}", soft_wrap=True, markup=False)


@app.command("verify", epilog="Example: runout table verify")
def verify_table(workers: WorkersOption = None, json: JsonFlag = False) -> None:
    """Count all preflop matchups again and compare them with the shipped table."""
    require_positive("--workers", workers)
    with using_kernels() as on_event:
        from runout.equity.preflop_matchups import verify_matchups
        from runout.execution.local import count_cores

        num_matchups = verify_matchups(workers or count_cores(), on_event)
    if json:
        print_json({"num_matchups": num_matchups, "is_shipped_table": True})
        return
    output().print(f"all {num_matchups:,} matchups agree with the shipped table")
