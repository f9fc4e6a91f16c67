"""What solving flops will need, told before it begins."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from runout.cli.build_needs import require_disk, require_memory
from runout.cli.console import print_note
from runout.cli.formatting import format_bytes, format_count_of

if TYPE_CHECKING:
    from runout.postflop.needs import Needs
    from runout.postflop.plan import PostflopPlan


def describe_plan(plan: "PostflopPlan") -> str:
    """Returns a plan as two lines for people: the work, and what it takes."""
    needs = plan.needs
    flops = format_count_of(len(plan.flops.flops), "flop")
    sprs = format_count_of(len(plan.trees), "SPR")
    memory, disk = format_bytes(needs.memory_bytes), format_bytes(needs.disk_bytes)
    return (
        f"{flops} at {sprs}\nat most about {_round_up(needs.seconds)}, {memory} of memory, "
        f"{disk} of disk (twice that until done)"
    )


def describe_savings(needs: "Needs") -> str:
    """Returns what would need less memory, with numbers where they are known."""
    numbers = [f"{change} needs {format_bytes(size)}" for change, size in needs.savings]
    return "; ".join([*numbers, needs.advice])


def require_resources(needs: "Needs", path: Path) -> None:
    """Raises `OptionError` if there is too little memory, or disk space where ``path`` is."""
    require_memory(needs.memory_bytes, "the solve", describe_savings(needs))
    require_disk(path, 2 * needs.disk_bytes)


def tell_plan(file: Path, plan: "PostflopPlan", path: Path, max_rounds: int = 0) -> None:
    """Says what flops have to be solved and what that needs.

    Args:
        file: the config file.
        plan: what is going to be solved.
        path: where the result is going to be.
        max_rounds: how often, at most, they are solved again.

    Raises:
        OptionError: if the machine does not have it.
    """
    require_resources(plan.needs, path)
    print_note(f"{file}: {describe_plan(plan)}")
    if max_rounds:
        rounds = format_count_of(max_rounds, "round")
        print_note(f"and as much time again in each of at most {rounds}")


def _round_up(seconds: float) -> str:
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"
