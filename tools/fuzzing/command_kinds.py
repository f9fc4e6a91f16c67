"""Whole command lines, run in this process: exit code 0 or 2, and no other exception.

Commands that solve are left out, except for what they say before they begin.
"""

import random
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from typer.testing import CliRunner

from runout.cli.program import app
from tools.fuzzing.campaign import Kind
from tools.fuzzing.config_kinds import CONFIGS
from tools.fuzzing.mutations import EXTREME_NUMBERS, ODD_TEXTS, mutate_text
from tools.fuzzing.sample_bundles import sample_bundles
from tools.fuzzing.text_kinds import BET_SIZES, BOARDS, FLOP_LISTS, PREFLOP_PATHS, RANGES

#: Valid command lines; DIRECTORY and CONFIG stand for a bundle and a config file.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("range", RANGES[0]),
    ("range", RANGES[2], "--json"),
    ("eval", "AhKhQhJhTh2c3d"),
    ("flops", "--flops", FLOP_LISTS[0], "--format", "csv"),
    ("flops", "--random", "5", "--seed", "7", "--json"),
    ("flops", "--subset", "25"),
    ("equity", "AA", "KK"),
    ("tree", "show", "-c", "CONFIG"),
    ("tree", "show", "--config", "CONFIG", "--json"),
    ("solve-spot", "-c", "CONFIG", "--estimate", "--pot", "100", "--stack", "250"),
    (
        *("solve-spot", "--estimate", "-b", BOARDS[2], "--oop", RANGES[0], "--ip", "AA,KQs:0.5"),
        *("--pot", "5.5", "--stack", "97.5", "--bets", BET_SIZES[0], "--rake", "0.05"),
    ),
    ("show", "DIRECTORY", "--node", PREFLOP_PATHS[0]),
    ("show", "DIRECTORY", "--player", "bb", "--json"),
    ("export", "DIRECTORY", "--format", "csv", "--node", ""),
    ("show", "DIRECTORY", "--trace", "A5s"),
    ("show", "DIRECTORY", "--flop", "AhKsQd", "--hand", "AA"),
    ("show", "DIRECTORY", "--check", "--flops"),
    ("--version",),
)
_WORDS = tuple({word for command in COMMANDS for word in command})


def command_kinds() -> list[Kind]:
    """Returns the kind of command lines, an input being a list of arguments."""
    return [Kind("command lines", 0.003, _make, _read)]


def _make(rng: random.Random) -> list[str]:
    words = [_fill_in(rng, word) for word in rng.choice(COMMANDS)]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(words) + 1)
        match rng.randrange(6):
            case 0:
                words = words[:at] + words[at + 1 :]
            case 1:
                words = [*words[:at], _fill_in(rng, rng.choice(_WORDS)), *words[at:]]
            case 2:
                words = [*words[:at], rng.choice((*EXTREME_NUMBERS, *ODD_TEXTS)), *words[at + 1 :]]
            case _ if at < len(words):
                words = [*words[:at], mutate_text(rng, words[at], _WORDS), *words[at + 1 :]]
            case _:
                words = [*words, words[rng.randrange(len(words))]] if words else ["--help"]
    return words


def _fill_in(rng: random.Random, word: str) -> str:
    """Returns a word, or the number of the file that it stands for."""
    if word == "CONFIG":
        return f"CONFIG{rng.randrange(len(CONFIGS))}"
    if word == "DIRECTORY":
        return f"DIRECTORY{rng.randrange(len(sample_bundles()))}"
    return word


def _read(words: Sequence[str]) -> object:
    arguments = [_locate(word) for word in words]
    # A path that was mutated may name a file to write: it stays below the scratch directory.
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 2), f"exit code {result.exit_code}"
    lines = result.stderr.splitlines()
    if result.exit_code == 2 and not _is_help(result.output):
        assert lines, "exit code 2 without a word"
        assert lines[-1].startswith("error: "), f"ends with {lines[-1]!r}"
        # What the work would take may have been told before, in a few lines.
        assert len(lines) <= 6, f"{len(lines)} lines before an error"
        assert sum(line.startswith("error: ") for line in lines) == 1, "more errors than one"
    return result.exit_code


def _is_help(output: str) -> bool:
    return "Usage: " in output


def _locate(word: str) -> str:
    """Returns the path of a file that a word stands for, or the word."""
    if word.startswith("CONFIG") and word[6:].isdecimal():
        path = _configs()
        return str(path / f"{word[6:]}.yaml")
    if word.startswith("DIRECTORY") and word[9:].isdecimal():
        return str(_bundles() / word[9:])
    return word


@cache
def _scratch_root() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="runout-fuzz-")


@cache
def _configs() -> Path:
    directory = Path(_scratch_root().name) / "configs"
    directory.mkdir()
    for number, text in enumerate(CONFIGS):
        (directory / f"{number}.yaml").write_text(text)
    return directory


@cache
def _bundles() -> Path:
    directory = Path(_scratch_root().name) / "bundles"
    for number, bundle in enumerate(sample_bundles()):
        for path, content in bundle.files.items():
            file = directory / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return directory
