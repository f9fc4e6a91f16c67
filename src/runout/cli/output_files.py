"""Documents and rows that a command writes to stdout, or to the file of ``--output``."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from runout.cli.console import print_note
from runout.cli.formatting import Json, format_count_of, format_json
from runout.cli.options import OptionError
from runout.storage.files import replacing_file


def write_document(document: Json, stream: TextIO) -> int:
    """Writes one JSON document; returns that it is one."""
    stream.write(format_json(document) + "\n")
    return 1


def write_to(file: Path | None, noun: str, write: Callable[[TextIO], int]) -> None:
    """Writes to a file, or to stdout."""
    if file is None:
        write(sys.stdout)
        return
    try:
        with replacing_file(file) as part, part.open("w", newline="") as stream:
            number = write(stream)
    except OSError as error:
        raise OptionError(f"--output {file}", error.strerror or str(error)) from None
    print_note(f"wrote {file}, {format_count_of(number, noun)}")
