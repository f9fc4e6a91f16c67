"""What is said below every solution: how well it is solved, and what is not to be trusted."""

import numpy as np
from rich.console import Console

from runout.cli.formatting import (
    format_count_of,
    format_exploitability,
    format_mbb,
    format_percent,
    format_seconds,
)
from runout.views.node import Node
from runout.views.quality import (
    NOTABLE_EXPLOITABILITY_MBB,
    NOTABLE_EXPLOITABILITY_POT,
    ExploitabilityUnit,
    Quality,
)

#: A node that is reached in a smaller share of the deals was hardly learned.
RARE_REACH = 0.005

_WARNING = "yellow"


def describe_quality(quality: Quality) -> str:
    """Returns what a best response gains, in which game, after how much work."""
    if quality.unit is ExploitabilityUnit.POT:
        share = format_exploitability(quality.exploitability, quality.meaning)
        amount = f"{share} of the pot"
    else:
        amount = f"{format_mbb(quality.exploitability)} mbb/hand"
    iterations = format_count_of(quality.iterations, "iteration")
    work = f"after {iterations} in {format_seconds(quality.seconds)}"
    return f"exploitability ({quality.meaning.value}) {amount} {work}"


def print_quality(console: Console, quality: Quality | None) -> None:
    """Prints how well the whole is solved, with a warning if that is roughly only."""
    if quality is None:
        return
    console.print(describe_quality(quality), soft_wrap=True)
    if quality.real_exploitability is not None:
        real = format_mbb(quality.real_exploitability)
        console.print(f"with real cards, on its flops: {real} mbb/hand")
    print_roughness(console, quality)


def print_roughness(console: Console, quality: Quality) -> None:
    """Prints a warning if a solution is solved roughly only."""
    if not quality.is_rough:
        return
    most = f"{format_mbb(NOTABLE_EXPLOITABILITY_MBB)} mbb/hand"
    if quality.unit is ExploitabilityUnit.POT:
        most = f"{format_percent(NOTABLE_EXPLOITABILITY_POT, 0)} of the pot"
    _warn(console, f"exploitability is above {most}: more iterations may change much of this")


def print_warnings(console: Console, node: Node) -> None:
    """Prints what is not to be trusted about a node by itself."""
    if node.reach is not None and node.reach < RARE_REACH:
        often = format_percent(node.reach, 3)
        least = format_percent(RARE_REACH, 1)
        what = f"reached in {often} of deals, less than {least}: play here was hardly learned"
        _warn(console, what)
    if node.is_locked:
        _warn(console, "locked: some hands do here what they were told, whatever would be better")
    if bool(node.met_weights.any()) and bool(np.isnan(node.ev).all()):
        _warn(console, "no EVs were kept with this solution, solve it again to have them")


def _warn(console: Console, text: str) -> None:
    console.print(f"! {text}", style=_WARNING, soft_wrap=True, markup=False)
