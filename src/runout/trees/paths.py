"""Paths name nodes by the steps that lead there, as ``r2.5-r9-a-c`` or ``x:b59:c:8h``.

A step is an action where somebody acts and a card where one is dealt; a flop is three cards. Steps
are written with ``-`` between them before the flop and ``:`` after it, and read with either,
with or without the ``r:0`` in front that PioSOLVER writes. An action is understood as the tree
writes it; a ``c`` also where only a check is possible, and the letters of a bet, a raise and an
all-in of the same size are interchangeable.
"""

import re
from typing import Protocol

from runout.errors import TreeError, quote
from runout.trees.actions import Action, ActionKind
from runout.trees.layout import NO_NODE, TreeArrays

#: Between the actions before the flop.
PATH_SEPARATOR = "-"

#: Between the steps from the flop on.
STREET_SEPARATOR = ":"

_SEPARATORS = re.compile(f"[{PATH_SEPARATOR}{STREET_SEPARATOR}]")
_ROOT_STEPS = ["r", "0"]


class TreeWithCodes(Protocol):
    """A tree whose actions have short texts, different ones at one decision."""

    @property
    def layout(self) -> TreeArrays:
        """The tree as arrays."""

    def action_to(self, node: int) -> Action:
        """Returns the action that leads to a node other than the root."""

    def action_code(self, node: int) -> str:
        """Writes the action that leads to a node as one step of a path."""

    def action_size(self, node: int) -> str:
        """Writes the size of the action that leads to a node, as codes of bets have it."""


def split_path(path: str) -> list[str]:
    """Returns the steps of a path, none of the empty one."""
    if not path.strip():
        return []
    steps = [step.strip() for step in _SEPARATORS.split(path)]
    is_rooted = [step.lower() for step in steps[: len(_ROOT_STEPS)]] == _ROOT_STEPS
    return steps[len(_ROOT_STEPS) :] if is_rooted else steps


def format_path(tree: TreeWithCodes, node: int) -> str:
    """Writes the actions from the root to a node; empty at the root."""
    codes = []
    while tree.layout.parent[node] != NO_NODE:
        codes.append(tree.action_code(node))
        node = int(tree.layout.parent[node])
    return PATH_SEPARATOR.join(reversed(codes))


def parse_path(tree: TreeWithCodes, path: str) -> int:
    """Returns the node that a path of actions leads to; the empty path leads to the root.

    Raises:
        TreeError: naming the first step that is not an action, and the actions there are.
    """
    node, steps = 0, split_path(path)
    for position, step in enumerate(steps):
        found = find_step(tree, node, step)
        if found is None:
            before = PATH_SEPARATOR.join(steps[:position])
            place = f"after {quote(before)}" if before else "at the root"
            codes = ", ".join(tree.action_code(child) for child in tree.layout.children(node))
            allowed = f"use one of {codes}" if codes else "the betting is over"
            raise TreeError(f"path {quote(path)}", f"{quote(step)} is no action {place}, {allowed}")
        node = found
    return node


def find_step(tree: TreeWithCodes, node: int, step: str) -> int | None:
    """Returns the node that an action leads to, None if there is no such action."""
    children, text = tree.layout.children(node), step.lower()
    for child in children:
        if tree.action_code(child) == text:
            return child
    found = [child for child in children if text in _other_codes(tree, child)]
    return found[0] if len(found) == 1 else None


def _other_codes(tree: TreeWithCodes, node: int) -> set[str]:
    """Returns what else people write for the action that leads to a node."""
    match tree.action_to(node).kind:
        case ActionKind.CHECK:
            return {"c"}
        case ActionKind.BET | ActionKind.RAISE | ActionKind.ALL_IN:
            size = tree.action_size(node)
            return {"b" + size, "r" + size}
        case _:
            return set()
