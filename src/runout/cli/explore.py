"""`runout explore`, `export-site` and `upi`: a web page over everything solved, and a protocol."""

import secrets
import sys
import threading
import webbrowser
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

from runout.cli.console import messages, print_note, print_parts
from runout.cli.formatting import format_bytes, format_count_of
from runout.cli.options import argument, flag, option, positive
from runout.errors import OptionError

_EXTRA = "pip install 'runout[explorer]'"
_MAX_PORT = 65535
_DIRECTORIES = "What to look through; default: here."
_HOST = "Beyond loopback a token is needed."
_MAX_NODES = "Of each solution, most reached first."


def explore(
    directories: Annotated[list[Path] | None, argument("[DIR]...", _DIRECTORIES)] = None,
    port: Annotated[int | None, option("--port", "N", "Default: the first free from 8417.")] = None,
    host: Annotated[str, option("--host", "NAME", _HOST)] = "127.0.0.1",
    browser: Annotated[bool, flag("--browser/--no-browser", "Whether to open the page.")] = True,
) -> None:
    """Serve a page over all solutions below some directories."""
    if port is not None and not 0 <= port <= _MAX_PORT:
        raise OptionError("--port", f"{port} is not a port, use 1 to {_MAX_PORT}")
    require_explorer()
    from runout.explorer.jobs import Jobs
    from runout.explorer.library import Library
    from runout.explorer.server import Explorer, Guard, listen, make_app, run_until_stopped

    library = Library(directories or [Path()])
    listener = listen(host, port)
    token = "" if listener.is_loopback else secrets.token_urlsafe(24)
    program = [sys.executable, "-c", "from runout.cli.app import main; main()"]
    jobs = Jobs([*program, "solve-spot"]) if listener.is_loopback else None
    app = make_app(Explorer(library, jobs), Guard(listener.names, token))
    url = listener.url(token)
    print_parts(url)
    print_note(f"{format_count_of(len(library.runs), 'solution')} found; Ctrl-C ends it")
    if browser:
        threading.Timer(0.5, webbrowser.open, [url]).start()
    try:
        run_until_stopped(app, listener)
    finally:
        if jobs is not None:
            jobs.stop_all()


def require_explorer() -> None:
    """Raises `OptionError` without the extra packages, saying how to install them."""
    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:
            raise OptionError("explore", f"needs {package}, {_EXTRA}")


def export_site(
    directories: Annotated[list[Path], argument("DIR...", "What to look through.")],
    site: Annotated[Path, option("--output -o", "DIR", "Where to write.")],
    max_nodes: Annotated[int, option("--max-nodes", "N", _MAX_NODES, positive)] = 300,
) -> None:
    """Write the page of `runout explore` as static files."""
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
    print_parts(f"wrote {site}: {solutions}, {nodes}, {written}")
    if size.num_left_out:
        print_parts(f"{size.num_left_out:,} more were left out, --max-nodes says how many go in")
    print_parts(f"serve it by any web server: python -m http.server -d {site}")


def speak_upi() -> None:
    """Speak PioSOLVER's text protocol (UPI) on stdin and stdout.

    Scripts and programs that drive PioSOLVER build trees, solve and read strategies with it.
    """
    from runout.formats.upi import UpiServer

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    UpiServer(write).serve(sys.stdin)
