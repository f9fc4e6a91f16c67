"""Flops with compact rivers: an iteration against the prototype's, in one process.

The prototype uses our kernels for flop and turn, under the names that they had when it was
written, so that what is compared is the way to the rivers, their games, and the way back.
"""

import importlib
import sys
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.prototypes import prototype_directory
from benchmarks.timing import Row, best_seconds_of_two, speedup
from runout.cards.deck import parse_board
from runout.cards.ranges import HandRange
from runout.holdem import tables as card_tables
from runout.holdem.cards import CardsToCome, Spot
from runout.holdem.rivers import BucketRivers
from runout.holdem.solver import SpotSolver
from runout.solutions.stored import normalize_sums
from runout.trees.betting import BettingRules
from runout.trees.tree import PostflopTree

NUM_BUCKETS = 48
CASES = (("Qh7h2h", 2.0), ("AsKd7h", 5.0))

_MOVED = (
    "cards_to_come",
    "rake",
    "simd_kernels",
    "spot_kernels",
    "spot_layouts",
    "street_kernels",
    "street_template",
    "tables",
)


def _normalized(template: Any, player: int, sums: Any) -> Any:
    return normalize_sums(sums, template.decisions_of(player)[1])


def rows() -> list[Row]:
    """Returns a row for each case, none where there is no prototype."""
    directory = prototype_directory() / "real_cards"
    if not (directory / "hybrid.py").is_file():
        print(f"compact: no prototype in {directory}", file=sys.stderr)
        return []
    prototype = _load_prototype(directory)
    return [_compare(prototype, flop, stack_to_pot) for flop, stack_to_pot in CASES]


def _load_prototype(directory: Path) -> Any:
    """Imports the prototype; it knows parts of ours by the names that they had before."""
    old_package = importlib.import_module("runout.flops")
    for name in _MOVED:
        module = importlib.import_module(f"runout.holdem.{name}")
        sys.modules[f"runout.flops.{name}"] = module
        setattr(old_package, name, module)
    renamed: list[tuple[Any, str, Any]] = [
        (importlib.import_module("runout.flops"), "_normalized", _normalized),
        (CardsToCome, "hands_seen_from", card_tables.hands_seen_from),
        (CardsToCome, "orders_of", card_tables.orders_of),
    ]
    for owner, name, part in renamed:
        setattr(owner, name, part)
    sys.dont_write_bytecode = True  # the directory is not ours
    sys.path.insert(0, str(directory))
    return importlib.import_module("hybrid")


def _compare(prototype: Any, flop: str, stack_to_pot: float) -> Row:
    board, everything = tuple(parse_board(flop)), HandRange.full()
    tree = PostflopTree.build(BettingRules.uniform([0.75], 1), stack_to_pot)
    spot = Spot(board, (everything, everything), tree)
    ours = SpotSolver(spot, rivers=BucketRivers(NUM_BUCKETS))
    theirs = prototype.HybridSolver(board, tree, K=NUM_BUCKETS)
    seconds, baseline = best_seconds_of_two(partial(ours.run, 1), partial(theirs.run, 1), 25)
    name = f"iteration of {flop}, stack {stack_to_pot:g} pots"
    return speedup(name, seconds, baseline, "prototype", 1.0)
