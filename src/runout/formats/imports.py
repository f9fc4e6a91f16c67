"""Files of other programs as ours: which program wrote a file, and what the file says.

A file has spots, as keys of our config, or ranges. What no key of ours says, and what a file lacks,
such as the ranges of a hand history, is listed line by line.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runout.cards.deck import NUM_COMBOS
from runout.cards.ranges import Range
from runout.errors import FormatError, RangeError, RunoutError
from runout.formats import pio, solvers
from runout.formats.hands import read_hands
from runout.formats.solvers import RANGE, Item, read_number

#: What reading a damaged file may raise; the deepest JSON raises the last.
_UNREADABLE = LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError
#: Larger files are something else; a thousand hands take half of it.
MAX_BYTES = 10_000_000


def read_path(path: Path) -> tuple[str, Sequence[Item]]:
    """Returns the program of a file, and the spots or ranges in it; of a save, of its end.

    Raises:
        FormatError: if no known program writes such files, or it cannot be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if path.suffix.lower() == ".cfr" or b"\0" in content:
            return read_text(pio.read_tail(path), str(path))
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FormatError(str(path), f"cannot be read ({reason})") from None
    if len(content) > MAX_BYTES:
        raise FormatError(str(path), f"has more than {MAX_BYTES:,} bytes")
    return read_text(text, str(path))


def read_text(text: str, where: str) -> tuple[str, Sequence[Item]]:
    """Does the same with the text of a file; ``where`` is how errors name it."""
    for program, pattern, read in _PROGRAMS:
        if not pattern.search(text):
            continue
        try:
            items = read(text, where)
        except FormatError:
            raise
        except KeyError as error:
            raise FormatError(where, f"lacks {error}, for a file of {program}") from None
        except (RunoutError, *_UNREADABLE) as error:
            raise FormatError(where, f"is not a file of {program}: {error}") from None
        if not items:
            raise FormatError(where, f"is a file of {program} without a spot or a range")
        return program, items
    try:
        return "a range", [Item(RANGE, {RANGE: str(Range(text))})]
    except RangeError as error:
        known = ", ".join(program for program, _, _ in _PROGRAMS)
        raise FormatError(where, f"is a file of none of {known}, and no range: {error}") from None


def _read_json(text: str, where: str) -> Sequence[Item]:
    document = json.loads(text)
    return (_read_hrc if "hands" in document else solvers.read_postflop)(document, where)


def _read_hrc(document: Mapping[str, Any], where: str) -> Sequence[Item]:
    """Returns the range that arrives at a node of HRC, and that of each action."""
    words, actions = {"F": "fold", "C": "call", "R": "raise"}, document["actions"]
    names = ["all", *(f"{words[each['type']]} {each['amount']:g}" for each in actions)]
    weights = np.zeros((len(names), NUM_COMBOS))
    for name, hand in document["hands"].items():
        weight, *played = (
            min(read_number(x, name), 1e6) for x in (hand["weight"], *hand["played"])
        )
        weights[:, Range(name).weights > 0.0] = weight * np.array([[1.0, *played]]).T
    ranges = (weights / max(1.0, float(weights.max()))).clip(0.0, 1.0).round(6)
    return [Item(n, {RANGE: str(Range(r))}) for n, r in zip(names, ranges, strict=True) if r.any()]


def _read_phh(text: str, where: str) -> Sequence[Item]:
    return read_hands(tomllib.loads(text), where)


#: Programs, how their files are recognized, and how they are read; the first that fits counts.
_PROGRAMS: tuple[tuple[str, re.Pattern[str], Callable[[str, str], Sequence[Item]]], ...] = (
    ("PioSOLVER", re.compile(r"^[ \t]*#(Pot|EffectiveStacks)#", re.MULTILINE), pio.read_tree),
    ("TexasSolver", re.compile(r"^[ \t]*set_effective_stack\b", re.MULTILINE), solvers.read_texas),
    ("WASM Postflop or HRC", re.compile(r"\A\s*\{"), _read_json),
    ("PHH", re.compile(r"^[ \t]*variant[ \t]*=", re.MULTILINE), _read_phh),
)
