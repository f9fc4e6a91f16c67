"""What solving flops will need, told before it begins."""

from pathlib import Path
from typing import TYPE_CHECKING

from runout.cli.build_needs import require_disk, require_memory
from runout.cli.console import print_note
from runout.cli.formatting import format_bytes, format_count_of, format_time_limit

if TYPE_CHECKING:
    from runout.postflop.needs import Needs
    from runout.postflop.plan import PostflopPlan
    from runout.preflop.joint.joint_game import JointGame


def describe_plan(plan: "PostflopPlan") -> str:
    """Returns a plan as two lines for people: the work, and what it takes."""
    flops = format_count_of(len(plan.flops.flops), "flop")
    sprs = format_count_of(len(plan.trees), "SPR")
    return f"{flops} at {sprs}\n{describe_needs(plan.needs)}"


def describe_joint_game(game: "JointGame", needs: "Needs") -> str:
    """Returns a joint game as two lines for people: its size, and what it takes."""
    flops = format_count_of(len(game.flops), "flop")
    leaves = format_count_of(len(game.flop_trees), "way")
    nodes = format_count_of(sum(tree.num_nodes for tree in game.flop_trees), "node")
    work = f"one game, {leaves} to see {flops}, {nodes} of betting after each"
    return f"{work}\n{describe_needs(needs)}"


def describe_needs(needs: "Needs") -> str:
    """Returns what a solve takes as one line for people."""
    memory, disk = format_bytes(needs.memory_bytes), format_bytes(needs.disk_bytes)
    return (
        f"at most about {format_time_limit(needs.seconds)}, {memory} of memory, {disk} of disk "
        f"({format_bytes(needs.disk_bytes_until_done)} until done)"
    )


def describe_savings(needs: "Needs") -> str:
    """Returns what would need less memory, with numbers where they are known."""
    numbers = [f"{change} needs {format_bytes(size)}" for change, size in needs.savings]
    return "; ".join([*numbers, needs.advice])


def require_resources(needs: "Needs", path: Path) -> None:
    """Raises `OptionError` if there is too little memory, or disk space where ``path`` is."""
    require_memory(needs.memory_bytes, "the solve", describe_savings(needs))
    require_disk(path, needs.disk_bytes_until_done)


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
