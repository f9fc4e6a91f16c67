"""Flips a bit in every block of every file of results: an error, or the same answer.

    python -m tools.bit_flips                # every block of every file, all readers
    python -m tools.bit_flips --every 50     # of a fiftieth of the blocks

Nothing is signed anew, so that a flip is what a bad disk or a bad cable makes of a result. Blocks
have 64 KiB, as in the lists of digests, and files at least 16 places. Exit code 1 if any flip
changed an answer.
"""

import argparse
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from runout.storage.bundle import BLOCK_BYTES
from tools.fuzzing.bundle_kinds import Desk, desk, samples

#: These solve or measure: their answers hold times.
_WITH_TIMES = ("lab judge", "solve-spot", "export-site")
_MIN_PLACES = 16


class Flip(NamedTuple):
    """A bit of a file of a sample."""

    sample: str
    path: str
    byte: int
    bit: int


def every_flip(seed: int, every: int = 1) -> Iterator[Flip]:
    """Yields a bit of every block, and of a few parts of small files."""
    rng = random.Random(seed)
    number = 0
    for name, sample in samples().items():
        for path, content in sample.files.items():
            step = max(min(BLOCK_BYTES, len(content) // _MIN_PLACES), 1)
            for begin in range(0, len(content), step):
                end = min(begin + step, len(content))
                flip = Flip(name, path, rng.randrange(begin, end), rng.randrange(8))
                if number % every == 0:
                    yield flip
                number += 1


def try_flip(flip: Flip, openers: list[str], answers: dict[str, tuple[int, str]]) -> Counter[str]:
    """Returns how many readers said the same, and how many that something is wrong.

    Raises:
        AssertionError: naming the reader that gave another answer.
    """
    place, counts = desk(flip.sample), Counter[str]()
    content = bytearray(place.sample.files[flip.path])
    content[flip.byte] ^= 1 << flip.bit
    try:
        place.change({flip.path: bytes(content)})
        for opener in openers:
            status, answer = place.open(opener)
            is_error = status == 2 or status >= 400 or _has_problem(opener, answer)
            assert is_error or (status, answer) == answers[opener], f"{flip}: {opener}: {answer}"
            counts["errors" if is_error else "same"] += 1
    finally:
        place.put_back()
    return counts


def _has_problem(opener: str, answer: str) -> bool:
    """Returns whether a list of solutions says that this one cannot be opened."""
    is_list = opener.removeprefix("GET ") in ("/api/runs", "/api/v1/solutions")
    return is_list and re.search('"problem":"[^"]', answer) is not None


def readers(place: Desk) -> dict[str, tuple[int, str]]:
    """Returns the answers of all readers of a result that nobody has changed."""
    openers = [each for each in place.sample.openers if not each.startswith(_WITH_TIMES)]
    return {opener: place.open(opener) for opener in openers}


def main() -> None:
    """Runs the campaign and prints what came of it, sample by sample."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="take every so many block only")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ResourceWarning)
    answers = {name: readers(desk(name)) for name in samples()}
    flips, counts, changed = Counter[str](), Counter[tuple[str, str]](), list[str]()
    for flip in every_flip(chosen.seed, chosen.every):
        flips[flip.sample] += 1
        try:
            of_flip = try_flip(flip, list(answers[flip.sample]), answers[flip.sample])
        except AssertionError as error:
            changed.append(str(error)[:300])
            continue
        for what, number in of_flip.items():
            counts[flip.sample, what] += number
    print(f"{'result':22}{'flips':>8}{'readers':>9}{'errors':>9}{'the same':>10}")
    for name, number in flips.items():
        row = [number, len(answers[name]), counts[name, "errors"], counts[name, "same"]]
        print(f"{name:22}{row[0]:>8,}{row[1]:>9,}{row[2]:>9,}{row[3]:>10,}")
    print(f"{sum(flips.values()):,} flips, {len(changed)} other answers")
    print("\n".join(changed))
    sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
