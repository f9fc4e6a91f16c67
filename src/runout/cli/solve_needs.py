"""What solving flops will need, told before it begins.

Times are those of a desktop of 2024 if every solve needs all its iterations; most end sooner. They
are meant to tell a minute from an hour.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runout.cards.canonical_hands import NUM_HANDS
from runout.cli.build_needs import require_disk, require_memory
from runout.cli.console import print_note
from runout.cli.formatting import format_bytes, format_count_of
from runout.config.postflop import PostflopModelConfig

if TYPE_CHECKING:
    from runout.trees.postflop_tree import PostflopTree

#: Bytes per node and hand while a flop is solved, measured: tables, and reach when values are
#: extracted.
_BYTES_PER_CELL = {"exhaustive": 64, "public_chance": 64, "external": 72}
#: Seconds per iteration, node and hand on one core, measured with exploitability looked at.
_SECONDS_PER_CELL = {"exhaustive": 25e-9, "public_chance": 25e-9, "external": 60e-9}
_SECONDS_PER_FLOP = 0.1  # exact equities, and values by matrix products
_PROGRAM_BYTES = 200_000_000
_VALUE_BYTES = 4
_NUM_POSITIONS = 2


@dataclass(frozen=True)
class SolveNeeds:
    """What the solve of a config's flops needs.

    Attributes:
        num_flops: flops to solve.
        num_sprs: ratios to solve each of them at.
        seconds: time at most, if nothing else keeps the cores busy.
        memory_bytes: at most at one time.
        bundle_bytes: disk space of the result.
    """

    num_flops: int
    num_sprs: int
    seconds: float
    memory_bytes: int
    bundle_bytes: int

    def describe(self) -> str:
        """Returns the needs as two lines for people: the work, and what it takes."""
        flops, sprs = format_count_of(self.num_flops, "flop"), format_count_of(self.num_sprs, "SPR")
        memory, disk = format_bytes(self.memory_bytes), format_bytes(self.bundle_bytes)
        return (
            f"{flops} at {sprs}\nat most about {_round_up(self.seconds)}, {memory} of memory, "
            f"{disk} of disk (twice that until done)"
        )

    def require_resources(self, path: Path) -> None:
        """Raises `OptionError` if there is too little memory, or disk space where ``path`` is."""
        require_memory(self.memory_bytes, "the solve")
        require_disk(path, 2 * self.bundle_bytes)


def estimate_solve(
    config: PostflopModelConfig, trees: Sequence["PostflopTree"], num_workers: int
) -> SolveNeeds:
    """Returns what solving all flops of a config will need.

    Args:
        config: what is solved.
        trees: its betting tree at each stack-to-pot ratio.
        num_workers: threads in all.
    """
    num_flops = len(config.flop_list().flops)
    # With fewer flops than workers all cores share a flop, which takes no further tables.
    num_at_once = min(num_flops, num_workers)
    memory = num_at_once * max(solve_bytes(config, tree) for tree in trees)
    values = num_flops * len(trees) * _NUM_POSITIONS * NUM_HANDS**2 * _VALUE_BYTES
    seconds = num_flops * (sum(_solve_seconds(config, tree) for tree in trees) + _SECONDS_PER_FLOP)
    return SolveNeeds(
        num_flops=num_flops,
        num_sprs=len(trees),
        seconds=seconds / num_workers,
        # Values of all flops are in memory twice when they are put together.
        memory_bytes=_PROGRAM_BYTES + memory + 2 * values,
        bundle_bytes=values,
    )


def tell_solve_needs(
    file: Path, config: PostflopModelConfig, path: Path, num_workers: int, max_rounds: int = 0
) -> None:
    """Says what flops of a config file have to be solved and what that needs.

    Args:
        file: the config file.
        config: what is solved.
        path: where the result is going to be.
        num_workers: threads in all.
        max_rounds: how often, at most, they are solved again.

    Raises:
        OptionError: if the machine does not have it.
    """
    from runout.postflop.postflop_abstraction import build_trees

    needs = estimate_solve(config, build_trees(config), num_workers)
    needs.require_resources(path)
    print_note(f"{file}: {needs.describe()}")
    if max_rounds:
        rounds = format_count_of(max_rounds, "round")
        print_note(f"and as much time again in each of at most {rounds}")


def solve_bytes(config: PostflopModelConfig, tree: "PostflopTree") -> int:
    """Returns the memory of solving one flop at one stack-to-pot ratio, in bytes."""
    return _BYTES_PER_CELL[_method(config)] * tree.num_nodes * NUM_HANDS


def _solve_seconds(config: PostflopModelConfig, tree: "PostflopTree") -> float:
    per_iteration = _SECONDS_PER_CELL[_method(config)] * tree.num_nodes * NUM_HANDS
    seconds = config.postflop_solve_iterations * per_iteration
    limit = config.cfr_max_seconds_per_flop
    return seconds if limit is None else min(seconds, limit)


def _method(config: PostflopModelConfig) -> str:
    return config.mccfr_sampling if config.solve_type == "mccfr" else config.solve_type


def _round_up(seconds: float) -> str:
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"
