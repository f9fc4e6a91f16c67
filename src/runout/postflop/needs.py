"""What solving flops takes, told before it begins; the same for commands, Python and the lab.

Times are those of one core of a desktop of 2024 if every solve needs all its iterations; most end
sooner. They are meant to tell a minute from an hour. Memory is counted from shapes where it is
large, and measured where it does not depend on the tree.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.isomorphism import suit_stabilizer
from runout.cfr.stopping import StoppingRule
from runout.execution.memory import PROGRAM_BYTES
from runout.postflop.backend import PostflopBackend
from runout.results.postflop_values import NUM_POSITIONS
from runout.trees.postflop_tree import PostflopTree

_VALUE_BYTES = 4
_SECONDS_PER_FLOP = 0.1  # exact equities, and values by matrix products


class Saving(NamedTuple):
    """A change that needs less memory.

    Attributes:
        change: what to write instead.
        memory_bytes: what it needs then, of all flops at once.
    """

    change: str
    memory_bytes: int


@dataclass(frozen=True)
class Needs:
    """What the solve of flops takes.

    Attributes:
        seconds: time at most, if nothing else keeps the cores busy.
        memory_bytes: at most at one time.
        disk_bytes: of the result.
        disk_bytes_until_done: at most before that, checkpoints included.
        savings: what would need less memory.
        advice: what else would, in words.
    """

    seconds: float
    memory_bytes: int
    disk_bytes: int
    disk_bytes_until_done: int
    savings: tuple[Saving, ...] = ()
    advice: str = ""


def estimate_needs(
    backend: PostflopBackend,
    flops: Sequence[tuple[int, ...]],
    trees: Sequence[PostflopTree],
    num_workers: int,
    *,
    keeps_strategies: bool = False,
) -> Needs:
    """Returns what solving all flops with all trees takes.

    Args:
        backend: how they are solved.
        flops: three cards each; those with the same number of suits to merge count alike.
        trees: the betting at each stack-to-pot ratio.
        num_workers: threads in all.
        keeps_strategies: whether strategies are kept with the values.
    """
    # With fewer flops than workers all cores share a flop, which takes hardly any further tables.
    num_at_once = min(len(flops), num_workers)
    num_within = max(1, num_workers // num_at_once)
    alike = {len(suit_stabilizer(flop)): flop for flop in flops}
    counts = Counter(len(suit_stabilizer(flop)) for flop in flops)
    needs = {
        number: [backend.estimate(flop, tree, num_within) for tree in trees]
        for number, flop in alike.items()
    }
    values = len(flops) * len(trees) * NUM_POSITIONS * NUM_HANDS**2 * _VALUE_BYTES
    kept = sum(
        counts[number] * (kind[0].kept_once_bytes + sum(need.kept_bytes for need in kind))
        for number, kind in needs.items()
    )
    result = values + (kept if keeps_strategies else 0)
    # Values of all flops are in memory twice when they are put together.
    fixed = PROGRAM_BYTES + values + result
    hardest = max((need for kind in needs.values() for need in kind), key=lambda n: n.memory_bytes)
    seconds = sum(
        counts[number] * (_SECONDS_PER_FLOP + sum(need.seconds for need in kind))
        for number, kind in needs.items()
    )
    savings = [
        Saving(change, fixed + num_at_once * size) for change, size in hardest.savings.items()
    ]
    if num_at_once > 1:
        savings.append(Saving("--workers 1", fixed + hardest.memory_bytes))
    return Needs(
        seconds=seconds / num_workers,
        memory_bytes=fixed + num_at_once * hardest.memory_bytes,
        disk_bytes=result,
        disk_bytes_until_done=2 * result,
        savings=tuple(savings),
        advice=hardest.advice,
    )


def limit_seconds(rule: StoppingRule, seconds_per_iteration: float) -> float:
    """Returns how long a solve takes at most if it needs all iterations."""
    seconds = rule.max_iterations * seconds_per_iteration
    return seconds if rule.max_seconds is None else min(seconds, rule.max_seconds)
