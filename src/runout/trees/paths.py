"""Paths name nodes by the steps that lead there, as ``r2.5-r9-a-c`` or ``x:b59:c:8h``.

A step is an action where somebody acts and a card where one is dealt; a flop is three cards. Steps
are written with ``-`` between them before the flop and ``:`` after it, and read with either. An
action is understood as the tree writes it; a ``c`` also where only a check is possible, and the
letters of a bet, a raise and an all-in of the same size are interchangeable. A path with ``r:0`` in
front is PioSOLVER's, whose bets are what the player has put in on all streets together.
"""

import re

#: Between the actions before the flop.
PATH_SEPARATOR = "-"

#: Between the steps from the flop on.
STREET_SEPARATOR = ":"

_SEPARATORS = re.compile(f"[{PATH_SEPARATOR}{STREET_SEPARATOR}]")
_ROOT_STEPS = ["r", "0"]


def split_path(path: str) -> list[str]:
    """Returns the steps of a path, none of the empty one."""
    if not path.strip():
        return []
    steps = _split(path)
    return steps[len(_ROOT_STEPS) :] if counts_from_root(path) else steps


def counts_from_root(path: str) -> bool:
    """Returns whether the bets of a path are totals of all streets, as PioSOLVER writes them."""
    return [step.lower() for step in _split(path)[: len(_ROOT_STEPS)]] == _ROOT_STEPS


def _split(path: str) -> list[str]:
    return [step.strip() for step in _SEPARATORS.split(path)]
