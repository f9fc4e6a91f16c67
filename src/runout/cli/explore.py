"""`runout explore` and `export-site`: a web page over everything solved."""

import secrets
import sys
import threading
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from runout.cli.console import messages, output, print_note
from runout.cli.formatting import format_bytes, format_count_of
from runout.cli.options import OptionError, option, positive, read_path

_EXTRA = "pip install 'runout[explorer]'"
_MAX_PORT = 65535


def explore(
    directories: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR]...", parser=read_path, help="What to look through; default: here."
        ),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="Default: the first free from 8417.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Beyond loopback a token is needed.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open the page.")
    ] = True,
) -> None:
    """Serve a page over all solutions below some directories, and open it in the browser."""
    if port is not None and not 0 <= port <= _MAX_PORT:
        raise OptionError("--port", f"{port} is not a port, use 1 to {_MAX_PORT}")
    require_explorer()
    from runout.explorer.jobs import Jobs
    from runout.explorer.library import Library
    from runout.explorer.server import Explorer, Guard, listen, make_app, run_until_stopped

    library = Library(directories or [Path()])
    listener = listen(host, port)
    token = "" if listener.is_loopback else secrets.token_urlsafe(24)
    command = [sys.executable, "-m", "runout.cli.spot_job"]
    jobs = Jobs(command) if listener.is_loopback else None
    app = make_app(Explorer(library, jobs), Guard(listener.names, token))
    url = listener.url(token)
    output().print(url, soft_wrap=True, markup=False)
    print_note(f"{format_count_of(len(library.runs), 'solution')} found; Ctrl-C ends it")
    if browser:
        threading.Timer(0.5, webbrowser.open, [url]).start()
    try:
        run_until_stopped(app, listener)
    finally:
        if jobs is not None:
            jobs.stop_all()


def require_explorer() -> None:
    """Refuses to go on without the extra packages.

    Raises:
        OptionError: saying how to install them.
    """
    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise OptionError("explore", f"needs {package}, {_EXTRA}")


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
        int, option("--max-nodes", "N", "Of each solution, most reached first.", positive)
    ] = 300,
) -> None:
    """Write the page of `runout explore` as files that any web server can serve."""
    require_explorer()
    from runout.explorer.library import Library
    from runout.explorer.server import Explorer
    from runout.explorer.site import export_site as write_site

    explorer = Explorer(Library(directories))
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
