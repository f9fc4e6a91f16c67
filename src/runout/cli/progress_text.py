"""Words for the progress of flops, buckets and rounds."""

import math
from collections.abc import Sequence

from runout.cli.formatting import format_bound, format_count_of, format_percent, format_seconds
from runout.events import (
    BucketsCapped,
    FlopPlace,
    FlopReported,
    FlopSolving,
    RangesRoundFinished,
)


def describe_place(place: FlopPlace) -> str:
    """Returns which flop is worked on: ``[1/2] AhKd7s SPR 3.5``."""
    rounds = f"[{place.round}/{place.total_rounds}] " if place.total_rounds > 1 else ""
    ratio = "" if place.spr is None else f" SPR {place.spr:.4g}"
    return f"{rounds}{place.flop}{ratio}"


def describe_delta(strategy_delta: float) -> str:
    """Returns how much strategies still move, nothing if nobody looks."""
    return "" if math.isnan(strategy_delta) else f"δ={strategy_delta:.4f}"


def describe_measures(event: FlopSolving) -> str:
    """Returns how well the solve of a flop goes: ``δ=0.0032, 0.32% of the pot``."""
    pot = event.exploitability_pot
    measured = "" if pot is None else f"{format_bound(pot, event.is_upper_bound)} of the pot"
    return ", ".join(part for part in (describe_delta(event.strategy_delta), measured) if part)


def describe_iteration(event: FlopSolving) -> str:
    """Returns where the solve of a flop stands: ``[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032``."""
    rounds = f"[{event.round}/{event.total_rounds}] " if event.total_rounds > 1 else ""
    where = f"{rounds}Flop '{event.flop}' iter {event.iteration}/{event.max_iterations}"
    return f"{where} {describe_measures(event)}".strip()


def describe_solved(flop: str, last: Sequence[FlopSolving], seconds: float) -> str:
    """Returns how a flop was solved: ``AhKd7s converged at iter 38 δ=0.0009 (6.7 s) ✓``.

    Args:
        flop: its cards as they were given.
        last: the last iteration at each stack-to-pot ratio.
        seconds: time that the flop took.
    """
    took = f"({format_seconds(seconds)})"
    if not last:
        return f"{flop} solved {took} ✓"
    num_converged = sum(event.is_converged for event in last)
    mark = " ✓" if num_converged == len(last) else ""
    if len(last) == 1:
        (event,) = last
        how = "converged at" if event.is_converged else "stopped at"
        return f"{flop} {how} iter {event.iteration} {describe_measures(event)} {took}{mark}"
    iterations = sorted(event.iteration for event in last)
    worst = max(event.exploitability_pot or 0.0 for event in last)
    return (
        f"{flop} converged at {num_converged} of {len(last)} SPRs, iter {iterations[0]} to "
        f"{iterations[-1]}, worst {format_bound(worst, last[0].is_upper_bound)} of the pot "
        f"{took}{mark}"
    )


def describe_reported(event: FlopReported) -> str:
    """Returns a row of a report: ``AhKd7s  OOP 30.1, IP 24.9  x 64% b18 36%  0.42% (3.1 s)``."""
    oop, ip = event.ev_chips
    actions = " ".join(f"{code} {format_percent(share, 0)}" for code, share in event.frequencies)
    place = f"{event.line}: " if event.line else ""
    reached = format_percent(event.exploitability_pot)
    evs = f"EV OOP {oop:.2f}, IP {ip:.2f}"
    return f"{event.flop}  {place}{evs}  {actions}  {reached} ({format_seconds(event.seconds)})"


def describe_capped(event: BucketsCapped) -> str:
    """Returns why there are fewer buckets than asked for, as a note."""
    flop = "" if event.place is None else f"{describe_place(event.place)} "
    return (
        f"{flop}{event.name}: {format_count_of(event.available, 'bucket')} instead of "
        f"{event.requested:,}, no more hands are different"
    )


def describe_round(event: RangesRoundFinished) -> str:
    """Returns what a round of arriving ranges has changed, as a line."""
    return (
        f"round {event.round} of at most {event.total_rounds}: actions moved by "
        f"{format_percent(event.change)}, exploitability {event.exploitability_mbb:.3g} mbb/hand"
    )
