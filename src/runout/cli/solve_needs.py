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
from runout.cards.isomorphism import suit_stabilizer
from runout.cli.build_needs import require_disk, require_memory
from runout.cli.console import print_note
from runout.cli.formatting import format_bytes, format_count_of
from runout.config.postflop import PostflopModelConfig
from runout.postflop.bucketed.settings import BucketedConfig
from runout.postflop.exact.settings import ExactConfig
from runout.postflop.mccfr.settings import MccfrConfig

if TYPE_CHECKING:
    from runout.trees.postflop_tree import PostflopTree

#: Bytes per node and hand while a flop is solved, measured: tables, and reach when values are
#: extracted.
_BYTES_PER_CELL = {"exhaustive": 64, "public_chance": 64, "external": 72}
#: Seconds per iteration, node and hand on one core, measured with exploitability looked at.
_SECONDS_PER_CELL = {"exhaustive": 25e-9, "public_chance": 25e-9, "external": 60e-9}
_SECONDS_PER_FLOP = 0.1  # exact equities, and values by matrix products
#: The same with real cards: a node of a bucketed iteration, or of one river board of an exact one.
_SECONDS_PER_NODE = {"bucketed": 50e-6, "exact": 4e-6}
_SECONDS_TO_TAKE_VALUES = {"bucketed": 1.5, "exact": 5.0}
_SECONDS_TO_MAKE_BUCKETS = 3.0
_PROGRAM_BYTES = 200_000_000
_VALUE_BYTES = 4
_NUM_POSITIONS = 2
_NUM_RIVER_BOARDS = 49 * 48
_LOWEST_PRECISION = 16


@dataclass(frozen=True)
class SolveNeeds:
    """What the solve of a config's flops needs.

    Attributes:
        num_flops: flops to solve.
        num_sprs: ratios to solve each of them at.
        seconds: time at most, if nothing else keeps the cores busy.
        memory_bytes: at most at one time.
        bundle_bytes: disk space of the result.
        advice: what would need less memory, empty if there is nothing to say.
    """

    num_flops: int
    num_sprs: int
    seconds: float
    memory_bytes: int
    bundle_bytes: int
    advice: str = ""

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
        require_memory(self.memory_bytes, "the solve", self.advice)
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
    values = num_flops * len(trees) * _NUM_POSITIONS * NUM_HANDS**2 * _VALUE_BYTES
    # Values of all flops are in memory twice when they are put together.
    fixed = _PROGRAM_BYTES + 2 * values
    # With fewer flops than workers all cores share a flop, which takes hardly any further tables.
    num_at_once = min(num_flops, num_workers)
    num_within = max(1, num_workers // num_at_once)
    flop_bytes = max(solve_bytes(config, tree, num_within) for tree in trees)
    seconds = num_flops * (sum(_solve_seconds(config, tree) for tree in trees) + _SECONDS_PER_FLOP)
    return SolveNeeds(
        num_flops=num_flops,
        num_sprs=len(trees),
        seconds=seconds / num_workers,
        memory_bytes=fixed + num_at_once * flop_bytes,
        bundle_bytes=values,
        advice=_advise(config, trees, fixed, num_at_once),
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


def solve_bytes(config: PostflopModelConfig, tree: "PostflopTree", num_workers: int = 1) -> int:
    """Returns the memory of solving one flop at one stack-to-pot ratio, in bytes.

    Args:
        config: what is solved; of its flops, one that needs most.
        tree: the betting.
        num_workers: threads inside the solve.
    """
    if config.solve_type in _BYTES_PER_CELL or config.solve_type == "mccfr":
        return _BYTES_PER_CELL[_method(config)] * tree.num_nodes * NUM_HANDS
    from runout.holdem.tables import Precision
    from runout.postflop.solve_memory import estimate_bucketed_bytes, estimate_exact_bytes

    flop = _hardest_flop(config)
    if isinstance(config, BucketedConfig):
        plan = config.make_backend().rounds.plan
        return estimate_bucketed_bytes(flop, tree, plan, num_workers)
    assert isinstance(config, ExactConfig)
    return estimate_exact_bytes(flop, tree, Precision(config.exact_precision), num_workers)


def _advise(
    config: PostflopModelConfig, trees: Sequence["PostflopTree"], fixed: int, num_at_once: int
) -> str:
    """Returns what would need less memory, with numbers."""
    less = []
    if isinstance(config, ExactConfig) and config.exact_precision != _LOWEST_PRECISION:
        half = config.model_copy(update={"exact_precision": _LOWEST_PRECISION})
        size = fixed + num_at_once * max(solve_bytes(half, tree) for tree in trees)
        less.append(f"exact_precision: 16 needs {format_bytes(size)}")
    if config.solve_type in ("exact", "bucketed") and num_at_once > 1:
        size = fixed + max(solve_bytes(config, tree) for tree in trees)
        less.append(f"--workers 1 needs {format_bytes(size)}")
    if config.solve_type == "exact":
        less.append("give fewer sizes or raises, or solve_type: bucketed")
    return "; ".join(less)


def _hardest_flop(config: PostflopModelConfig) -> tuple[int, ...]:
    """Returns a flop of a config of which suits leave the least to merge."""
    return min(config.flop_list().flops, key=lambda flop: len(suit_stabilizer(flop)))


def _solve_seconds(config: PostflopModelConfig, tree: "PostflopTree") -> float:
    seconds = config.postflop_solve_iterations * _iteration_seconds(config, tree)
    limit = config.cfr_max_seconds_per_flop
    seconds = seconds if limit is None else min(seconds, limit)
    if isinstance(config, BucketedConfig):
        per_round = seconds + _SECONDS_TO_TAKE_VALUES["bucketed"]
        return _SECONDS_TO_MAKE_BUCKETS + config.rebucket_rounds * per_round
    return seconds + _SECONDS_TO_TAKE_VALUES.get(config.solve_type, 0.0)


def _iteration_seconds(config: PostflopModelConfig, tree: "PostflopTree") -> float:
    if config.solve_type == "bucketed":
        return _SECONDS_PER_NODE["bucketed"] * tree.num_nodes
    if config.solve_type == "exact":
        num_boards = _NUM_RIVER_BOARDS / len(suit_stabilizer(_hardest_flop(config)))
        return _SECONDS_PER_NODE["exact"] * tree.num_nodes * num_boards
    return _SECONDS_PER_CELL[_method(config)] * tree.num_nodes * NUM_HANDS


def _method(config: PostflopModelConfig) -> str:
    return config.mccfr_sampling if isinstance(config, MccfrConfig) else config.solve_type


def _round_up(seconds: float) -> str:
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"
