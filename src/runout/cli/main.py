"""Where the `runout` program starts.

Importing the commands takes a noticeable moment, so it happens where Ctrl-C is already handled.
"""

import sys
from collections.abc import Sequence

from runout.cli.exit_codes import EXIT_INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program and exits.

    Args:
        arguments: what follows the program's name; by default what the shell passed.
    """
    try:
        from runout.cli.app import app

        app(arguments, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
