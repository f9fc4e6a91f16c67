"""Paths name nodes by the steps that lead there, as ``r2.5-r9-a-c`` or ``x:b59:c:8h``.

A step is an action where somebody acts and a card where one is dealt; a flop is three cards. Steps
are written with ``-`` between them before the flop and ``:`` after it, and read with either. An
action is understood as the tree writes it; a ``c`` also where only a check is possible, and the
letters of a bet, a raise and an all-in of the same size are interchangeable. A path with ``r:0`` in
front is PioSOLVER's, whose bets are what the player has put in on all streets together.
"""

import re
from typing import TYPE_CHECKING

from runout.errors import TreeError, quote
from runout.trees.actions import ActionKind
from runout.trees.layout import NO_NODE

if TYPE_CHECKING:
    from runout.trees.tree import BettingTree

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


def format_path(tree: "BettingTree", node: int) -> str:
    """Writes the actions from the root to a node; empty at the root."""
    codes = []
    while tree.layout.parent[node] != NO_NODE:
        codes.append(tree.action_code(node))
        node = int(tree.layout.parent[node])
    return PATH_SEPARATOR.join(reversed(codes))


def parse_path(tree: "BettingTree", path: str) -> int:
    """Returns the node that a path of actions leads to; the empty path leads to the root.

    Raises:
        TreeError: naming the first step that is not an action, and the actions there are.
    """
    node, steps, is_total = 0, split_path(path), counts_from_root(path)
    for position, step in enumerate(steps):
        found = find_step(tree, node, step, is_total)
        if found is None:
            before = PATH_SEPARATOR.join(steps[:position])
            place = f"after {quote(before)}" if before else "at the root"
            codes = ", ".join(tree.action_code(child) for child in tree.layout.children(node))
            allowed = f"use one of {codes}" if codes else "the betting is over"
            raise TreeError(f"path {quote(path)}", f"{quote(step)} is no action {place}, {allowed}")
        node = found
    return node


def find_step(tree: "BettingTree", node: int, step: str, is_total: bool = False) -> int | None:
    """Returns the node that an action leads to, None if there is no such action.

    Args:
        tree: the betting.
        node: where the action is taken.
        step: the action.
        is_total: whether the amount of a bet is what was put in on all streets; one that no bet
            comes to is read as always.
    """
    children, text = tree.layout.children(node), step.lower()
    if is_total:
        for child in children:
            is_bet = tree.action_to(child).is_aggressive
            if is_bet and text in _bets_of(tree.action_total(child)):
                return child
    for child in children:
        if tree.action_code(child) == text:
            return child
    found = [child for child in children if text in _other_codes(tree, child)]
    return found[0] if len(found) == 1 else None


def _other_codes(tree: "BettingTree", node: int) -> set[str]:
    """Returns what else people write for the action that leads to a node."""
    match tree.action_to(node).kind:
        case ActionKind.CHECK:
            return {"c"}
        case ActionKind.BET | ActionKind.RAISE | ActionKind.ALL_IN:
            return _bets_of(tree.action_size(node))
        case _:
            return set()


def _bets_of(size: str) -> set[str]:
    return {"b" + size, "r" + size}
