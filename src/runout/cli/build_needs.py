"""What building an abstraction will need, told before it begins.

Times are those of a desktop of 2024; they are meant to tell a minute from an hour.
"""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runout.cli.formatting import format_bytes, format_time_limit
from runout.cli.options import OptionError
from runout.execution.memory import available_memory_bytes

if TYPE_CHECKING:
    from runout.abstraction.generator import AbstractionConfig

# Boards up to suits, holdings on each, classes of deals, and core seconds for each board.
_NUM_BOARDS = {"flop": 1_755, "turn": 16_432, "river": 134_459}
_NUM_HOLDINGS = {"flop": 1_176, "turn": 1_128}
_NUM_CLASSES = {"flop": 1_286_792, "turn": 13_960_050, "river": 123_156_254}
_SECONDS_PER_BOARD = {"flop": 0.01, "turn": 0.001, "river": 0.00003}
_SECONDS_PER_BOARD_OF_RIVER_TABLE = 0.00015
_SECONDS_TO_CUT_ALL_DEALS = 10.0  # one core, after the boards are done

_SCORE_BYTES = 8
_BUCKET_BYTES = 2
_STATISTICS_BYTES = 5 * 8  # per bucket: boundary, population, lowest, mean, highest
_MEMORY_BYTES = {"exhaustive": 900_000_000, "sampled": 450_000_000}
_MEMORY_BYTES_PER_SAMPLE = 1_000
_MEMORY_BYTES_OF_RIVER_TABLE = 500_000_000


@dataclass(frozen=True)
class BuildNeeds:
    """What a build needs.

    Attributes:
        seconds: time, if nothing else keeps the cores busy.
        memory_bytes: at most at one time.
        bundle_bytes: disk space of the result.
        checkpoint_bytes: disk space of finished parts, until the result is written.
    """

    seconds: float
    memory_bytes: int
    bundle_bytes: int
    checkpoint_bytes: int

    def describe(self) -> str:
        """Returns the needs as one line for people."""
        return (
            f"needs about {format_time_limit(self.seconds)}, "
            f"{format_bytes(self.memory_bytes)} of memory, "
            f"{format_bytes(self.bundle_bytes)} of disk "
            f"({format_bytes(self.checkpoint_bytes)} more until done)"
        )

    def require_resources(self, path: Path) -> None:
        """Raises `OptionError` if there is too little memory, or disk space where ``path`` is."""
        require_memory(self.memory_bytes, "the build")
        require_disk(path, self.bundle_bytes + self.checkpoint_bytes)


def require_memory(needed_bytes: float, work: str, advice: str = "") -> None:
    """Raises `OptionError` if less memory is free than some work needs.

    Args:
        needed_bytes: what is needed.
        work: what needs it.
        advice: what would need less, for the error.
    """
    free = available_memory_bytes()
    if free < needed_bytes:
        less = f"; {advice}" if advice else ""
        problem = f"{work} needs {format_bytes(needed_bytes)}, {format_bytes(free)} are free{less}"
        raise OptionError("memory", problem)


def require_disk(path: Path, needed_bytes: float) -> None:
    """Raises `OptionError` if there is too little disk space where ``path`` is going to be."""
    existing = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(existing).free
    if free < needed_bytes:
        problem = f"needs {format_bytes(needed_bytes)} of disk, {format_bytes(free)} are free"
        raise OptionError(f"--output {path}", problem)


def estimate_needs(
    config: "AbstractionConfig", has_river_table: bool, num_workers: int
) -> BuildNeeds:
    """Returns what `build_card_abstraction` will need."""
    is_exhaustive = config.mode.value == "exhaustive"
    num_boards: dict[str, float] = dict(_NUM_BOARDS)
    if not is_exhaustive:
        samples = config.samples_per_street
        # A sampled flop or turn costs nothing if an equal one has been dealt before.
        num_boards = {
            street: count * -math.expm1(-samples / count) for street, count in _NUM_BOARDS.items()
        } | {"river": samples}
    core_seconds = sum(_SECONDS_PER_BOARD[street] * num_boards[street] for street in num_boards)
    bundle_bytes = _STATISTICS_BYTES * (
        config.flop_buckets + config.turn_buckets + min(config.river_buckets, 2_000)
    )
    memory_bytes = _MEMORY_BYTES[config.mode.value]
    if is_exhaustive:
        bundle_bytes += _BUCKET_BYTES * (_NUM_CLASSES["flop"] + _NUM_CLASSES["turn"])
    else:
        memory_bytes += _MEMORY_BYTES_PER_SAMPLE * config.samples_per_street
    if has_river_table:
        core_seconds += _SECONDS_PER_BOARD_OF_RIVER_TABLE * _NUM_BOARDS["river"]
        bundle_bytes += _BUCKET_BYTES * _NUM_CLASSES["river"]
        memory_bytes += _MEMORY_BYTES_OF_RIVER_TABLE
    return BuildNeeds(
        seconds=core_seconds / num_workers + (_SECONDS_TO_CUT_ALL_DEALS if is_exhaustive else 1.0),
        memory_bytes=memory_bytes,
        bundle_bytes=bundle_bytes,
        checkpoint_bytes=round(
            sum(
                _SCORE_BYTES * num_boards[street] * num_holdings
                for street, num_holdings in _NUM_HOLDINGS.items()
            )
        ),
    )
