"""Paths name the nodes of a tree by the actions that lead there, as ``r2.5-r9-a-c``."""

from typing import Protocol

from runout.errors import TreeError, quote
from runout.trees.layout import NO_NODE, TreeArrays

PATH_SEPARATOR = "-"


class TreeWithCodes(Protocol):
    """A tree whose actions have short texts, different ones at one decision."""

    @property
    def layout(self) -> TreeArrays:
        """The tree as arrays."""

    def action_code(self, node: int) -> str:
        """Writes the action that leads to a node as one step of a path."""


def format_path(tree: TreeWithCodes, node: int) -> str:
    """Writes the actions from the root to a node; empty at the root."""
    codes = []
    while tree.layout.parent[node] != NO_NODE:
        codes.append(tree.action_code(node))
        node = int(tree.layout.parent[node])
    return PATH_SEPARATOR.join(reversed(codes))


def parse_path(tree: TreeWithCodes, path: str) -> int:
    """Returns the node that a path leads to; the empty path leads to the root.

    Raises:
        TreeError: naming the first step that is not an action, and the actions there are.
    """
    node = 0
    steps = path.strip().lower().split(PATH_SEPARATOR) if path.strip() else []
    for position, step in enumerate(steps):
        codes = {tree.action_code(child): child for child in tree.layout.children(node)}
        if step not in codes:
            before = PATH_SEPARATOR.join(steps[:position])
            place = f"after {quote(before)}" if before else "at the root"
            allowed = f"use one of {', '.join(codes)}" if codes else "the betting is over"
            raise TreeError(f"path {quote(path)}", f"{quote(step)} is no action {place}, {allowed}")
        node = codes[step]
    return node
