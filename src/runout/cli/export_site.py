"""`runout export-site`: the explorer as files, for any web server."""

from pathlib import Path
from typing import Annotated

import typer

from runout.cli.console import messages, output
from runout.cli.explore import require_explorer
from runout.cli.formatting import format_bytes, format_count_of
from runout.cli.options import read_path, require_positive


def export_site(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", parser=read_path, help="What to look through."),
    ],
    site: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", parser=read_path, help="Where to write."),
    ],
    max_nodes: Annotated[
        int,
        typer.Option("--max-nodes", metavar="N", help="Of each solution, most reached first."),
    ] = 300,
) -> None:
    """Write the page of `runout explore` as files that any web server can serve."""
    require_positive("--max-nodes", max_nodes)
    require_explorer()
    from runout.explorer.library import Library
    from runout.explorer.open_run import RunOpener
    from runout.explorer.server import Explorer
    from runout.explorer.site import export_site as write_site

    explorer = Explorer.of(Library(directories), RunOpener())
    with messages().status("writing") as status:

        def tell(name: str, num_nodes: int) -> None:
            status.update(f"{name}: {format_count_of(num_nodes, 'node')}")

        size = write_site(explorer, site, max_nodes, tell)
    solutions = format_count_of(size.num_runs, "solution")
    nodes, written = format_count_of(size.num_nodes, "node"), format_bytes(size.num_bytes)
    console = output()
    console.print(f"wrote {site}: {solutions}, {nodes}, {written}", soft_wrap=True, markup=False)
    if size.num_left_out:
        console.print(f"{size.num_left_out:,} more were left out, --max-nodes says how many go in")
    console.print(
        f"serve it by any web server: python -m http.server -d {site}", soft_wrap=True, markup=False
    )
