"""PioSOLVER: the settings of a tree, as PioVIEWER copies them and saves end with them.

Each setting is one line ``#Key#value``. A save (``.cfr``) is binary, but the settings of its tree
stand at its end in clear text.
"""

import re
from pathlib import Path

from runout.errors import FormatError

#: Bytes at the end of a save in which the settings stand: two ranges combo by combo take 50,000.
MAX_TAIL_BYTES = 1_000_000

_SETTING = re.compile(r"^[ \t]*#([A-Za-z][\w.]*)#(.*?)[ \t]*$", re.MULTILINE)


def read_settings(text: str) -> dict[str, str]:
    """Returns the settings in a text by their keys; of a key that is repeated, the last counts."""
    return {key: value.strip() for key, value in _SETTING.findall(text.replace("\r", "\n"))}


def read_tail(path: Path) -> str:
    """Returns the clear text at the end of a save; bytes before it are not read.

    Raises:
        FormatError: if no settings stand there.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - MAX_TAIL_BYTES, 0))
        tail = file.read().decode("latin-1")
    if not read_settings(tail):
        raise FormatError(str(path), "no settings of a tree, such as #Pot#180, at its end")
    return tail
