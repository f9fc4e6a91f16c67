"""Trees as text for people: a summary, an indented outline, and Graphviz ``dot``.

Outlines and graphs are drawn in one way for every tree; what a tree calls its players, decisions
and leaves is up to its `TreeWords`.
"""

import math
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from runout.trees.actions import format_amount
from runout.trees.betting import BLIND_NAMES, BettingRules, PreflopRules, SizeMenu, Street
from runout.trees.layout import LEAF, TreeArrays, subtree_sizes
from runout.trees.sizes import format_bet_sizes, format_sizes_by_depth
from runout.trees.tree import ALL_IN, FLOP, POSITION_NAMES, SHOWDOWN, PostflopTree, PreflopTree

AnyTree: TypeAlias = PostflopTree | PreflopTree

_INDENT = "  "


class TreeWords(Protocol):
    """What outlines and graphs ask about a tree; nodes are given by number."""

    @property
    def layout(self) -> TreeArrays:
        """The tree as arrays."""

    @property
    def player_names(self) -> tuple[str, str]:
        """The names of players 0 and 1."""

    def action(self, node: int) -> str:
        """Writes the action that leads to a node."""

    def decision(self, node: int) -> str:
        """Writes who acts, and the money."""

    def leaf(self, node: int) -> str:
        """Writes how a leaf ends."""

    def opens_street(self, node: int) -> bool:
        """Whether a decision other than the root is the first of its street."""


def _words_of(tree: AnyTree) -> TreeWords:
    return _PreflopWords(tree) if isinstance(tree, PreflopTree) else _PostflopWords(tree)


def format_tree_summary(tree: AnyTree) -> str:
    """Writes stakes, rules and node counts, one fact a line."""
    return _summarise_preflop(tree) if isinstance(tree, PreflopTree) else _summarise_postflop(tree)


def format_rules(rules: BettingRules | PreflopRules) -> str:
    """Writes the sizes, once if they are the same everywhere, and the limits that are on."""
    if isinstance(rules, PreflopRules):
        return "\n".join(_preflop_rule_lines(rules))
    return "\n".join(_postflop_rule_lines(rules))


def format_tree(tree: AnyTree, max_depth: int | None = None, root: int = 0) -> str:
    """Writes the tree as an outline, one action a line, indented by depth.

    Args:
        tree: the tree.
        max_depth: actions from ``root`` on to show; None for all. What is left out is counted.
        root: the node to start from.
    """
    words = _words_of(tree)
    layout, sizes = tree.layout, subtree_sizes(tree.layout)
    lines = [_format_node(words, root)]
    for node, depth in _walk(layout, root, max_depth):
        if node == root:
            continue
        actor = words.player_names[layout.actor[layout.parent[node]]]
        line = f"{_INDENT * depth}{actor} {words.action(node)}"
        if layout.actor[node] == LEAF or words.opens_street(node):
            line += f" -> {_format_node(words, node)}"
        if depth == max_depth and sizes[node] > 1:
            line += f" ... {_format_hidden(int(sizes[node]) - 1)}"
        lines.append(line)
    return "\n".join(lines)


def format_tree_dot(tree: AnyTree, max_depth: int | None = None, root: int = 0) -> str:
    """Writes the tree in the ``dot`` language of Graphviz.

    Args:
        tree: the tree.
        max_depth: actions from ``root`` on to show; None for all. What is left out is counted.
        root: the node to start from.
    """
    words = _words_of(tree)
    layout, sizes = tree.layout, subtree_sizes(tree.layout)
    lines = ["digraph tree {", f'{_INDENT}node [shape=box, fontname="sans-serif"];']
    for node, depth in _walk(layout, root, max_depth):
        label, style = _format_node(words, node), ""
        if layout.actor[node] == LEAF:
            style = ", shape=plaintext"
        elif depth == max_depth:
            label, style = f"{label}\\n{_format_hidden(int(sizes[node]) - 1)}", ", style=dashed"
        lines.append(f'{_INDENT}{node} [label="{label}"{style}];')
        if node != root:
            edge = f"{layout.parent[node]} -> {node}"
            lines.append(f'{_INDENT}{edge} [label="{words.action(node)}"];')
    return "\n".join([*lines, "}"])


def _walk(layout: TreeArrays, root: int, max_depth: int | None) -> Iterator[tuple[int, int]]:
    """Yields every node to show with its depth, a subtree before its next sibling."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        if depth != max_depth:
            waiting.extend((child, depth + 1) for child in reversed(layout.children(node)))


def _format_node(words: TreeWords, node: int) -> str:
    return words.leaf(node) if words.layout.actor[node] == LEAF else words.decision(node)


def _format_hidden(number: int) -> str:
    return f"{number:,} more {'node' if number == 1 else 'nodes'}"


def _count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _format_sides(numbers: tuple[int, int], names: tuple[str, str]) -> str:
    return f"({numbers[0]:,} {names[0]}, {numbers[1]:,} {names[1]})"


# Trees after the flop


class _PostflopWords:
    """How a `PostflopTree` is told."""

    player_names = POSITION_NAMES

    def __init__(self, tree: PostflopTree) -> None:
        self.tree = tree
        self.layout = tree.layout

    def action(self, node: int) -> str:
        return self.tree.action_label(node)

    def decision(self, node: int) -> str:
        tree = self.tree
        actor = int(tree.layout.actor[node])
        behind = tree.stakes.stack - float(tree.invested[node, actor])
        return (
            f"{_street_name(tree.street[node])}: {self.player_names[actor]} to act, "
            f"pot {format_amount(tree.pot(node))}, {format_amount(behind)} behind"
        )

    def leaf(self, node: int) -> str:
        kind = int(self.tree.leaf_kind[node])
        if kind == SHOWDOWN:
            return f"showdown, pot {format_amount(self.tree.pot(node))}"
        # The winner takes the pot without the uncalled bet: twice what the folder loses.
        pot = 2.0 * float(self.tree.leaf_stake[node])
        return f"{self.player_names[1 - kind]} wins the pot of {format_amount(pot)}"

    def opens_street(self, node: int) -> bool:
        return bool(self.tree.street[node] != self.tree.street[self.layout.parent[node]])


def _summarise_postflop(tree: PostflopTree) -> str:
    stakes, counts = tree.stakes, tree.counts
    unit = "chips" if stakes.is_in_chips else "pots"
    lines = [
        f"{_street_name(tree.first_street)} pot {format_amount(stakes.pot)}, effective stack "
        f"{format_amount(stakes.stack)} ({unit}), SPR {format_amount(stakes.spr)}",
        *_postflop_rule_lines(tree.rules),
        f"{_count_of(tree.num_nodes, 'node')} on {_count_of(tree.layout.num_levels, 'level')}",
    ]
    for street in Street:
        if street >= tree.first_street:
            decisions = _count_of(counts.decisions[street], "decision")
            lines.append(f"{decisions} on the {_street_name(street)}")
    sides = _format_sides(counts.folds, POSITION_NAMES)
    lines.append(f"{_count_of(sum(counts.folds), 'fold')} {sides}")
    lines.append(
        f"{_count_of(counts.showdowns + counts.all_in_showdowns, 'showdown')} "
        f"({counts.all_in_showdowns:,} all-in before the river)"
    )
    return "\n".join(lines)


def _postflop_rule_lines(rules: BettingRules) -> list[str]:
    menus = {menu for by_player in rules.menus for menu in by_player}
    if len(menus) == 1:
        lines = [_format_menu(menus.pop())]
    else:
        lines = [
            f"{_street_name(street)} {name}: {_format_menu(rules.menus[street][player])}"
            for street in Street
            for player, name in enumerate(POSITION_NAMES)
        ]
    lines.append(f"raises per street: {_format_limit(rules.max_raises_per_street)}")
    lines.append(f"all-in added: {_format_add_all_in(rules.add_all_in_threshold)}")
    lines.extend(_force_all_in_lines(rules.force_all_in_threshold))
    if rules.merging_threshold > 0.0:
        percent = format_amount(100 * rules.merging_threshold)
        lines.append(f"sizes merged: at most {percent}% of the pot apart")
    return lines


def _format_limit(limit: int | None) -> str:
    return "no limit" if limit is None else f"at most {limit}"


def _force_all_in_lines(threshold: float) -> list[str]:
    percent = format_amount(100 * threshold)
    return [f"all-in forced: at most {percent}% of the pot behind"] if threshold > 0.0 else []


def _format_add_all_in(threshold: float) -> str:
    if math.isinf(threshold):
        return "always"
    if threshold == 0.0:
        return "never"
    return f"up to {format_amount(100 * threshold)}% of the pot"


def _format_menu(menu: SizeMenu) -> str:
    parts = [f"bets {format_bet_sizes(menu.bets) or 'none'}"]
    parts.append(f"raises {format_bet_sizes(menu.raises) or 'none'}")
    if menu.donks is not None:
        parts.append(f"donk bets {format_bet_sizes(menu.donks) or 'none'}")
    return "; ".join(parts)


def _street_name(street: int) -> str:
    return Street(street).label


# Trees before the flop


class _PreflopWords:
    """How a `PreflopTree` is told."""

    player_names = BLIND_NAMES

    def __init__(self, tree: PreflopTree) -> None:
        self.tree = tree
        self.layout = tree.layout

    def action(self, node: int) -> str:
        return self.tree.action_label(node)

    def decision(self, node: int) -> str:
        tree = self.tree
        actor = int(tree.layout.actor[node])
        behind = tree.rules.effective_stack_bb - float(tree.invested_bb[node, actor])
        return (
            f"preflop: {self.player_names[actor]} to act, "
            f"pot {format_amount(tree.pot_bb[node])}, {format_amount(behind)} behind"
        )

    def leaf(self, node: int) -> str:
        tree, kind = self.tree, int(self.tree.leaf_kind[node])
        pot = format_amount(tree.pot_bb[node])
        if kind == ALL_IN:
            return f"showdown, pot {pot}"
        if kind == FLOP:
            behind, spr = format_amount(tree.stack_behind_bb[node]), format_amount(tree.spr[node])
            return f"flop, pot {pot}, {behind} behind, SPR {spr}"
        return f"{self.player_names[1 - kind]} wins the pot of {pot}"

    def opens_street(self, node: int) -> bool:
        return False


def _summarise_preflop(tree: PreflopTree) -> str:
    rules, counts, names = tree.rules, tree.counts, BLIND_NAMES
    stacks = [format_amount(stack) for stack in rules.stacks_bb]
    blinds = f"blinds {format_amount(rules.small_blind_bb)}/{format_amount(rules.big_blind_bb)}"
    ante = f", ante {format_amount(rules.ante_bb)} each" if rules.ante_bb > 0.0 else ""
    lines = [
        f"{blinds}{ante}, stacks {stacks[0]} {names[0]}, {stacks[1]} {names[1]} (bb)",
        *_preflop_rule_lines(rules),
        f"{_count_of(tree.num_nodes, 'node')} on {_count_of(tree.layout.num_levels, 'level')}",
        f"{_count_of(sum(counts.decisions), 'decision')} {_format_sides(counts.decisions, names)}",
        f"{_count_of(sum(counts.folds), 'fold')} {_format_sides(counts.folds, names)}",
        _count_of(counts.all_ins, "called all-in"),
    ]
    sprs = [leaf.spr for leaf in tree.flop_leaves()]
    between = f", SPR {format_amount(min(sprs))} to {format_amount(max(sprs))}" if sprs else ""
    lines.append(f"{_count_of(counts.flops, 'flop')}{between}")
    return "\n".join(lines)


def _preflop_rule_lines(rules: PreflopRules) -> list[str]:
    menus = [format_sizes_by_depth(by_depth) or "none" for by_depth in rules.raise_sizes]
    if menus[0] == menus[1]:
        lines = [f"raises {menus[0]}"]
    else:
        names = BLIND_NAMES
        lines = [f"{name}: raises {menu}" for name, menu in zip(names, menus, strict=True)]
    lines.append(f"raise cap: {_format_limit(rules.raise_cap)}")
    lines.append(f"limps: {'yes' if rules.allow_limp else 'no'}")
    lines.append(f"all-in added: {'always' if rules.always_offer_all_in else 'never'}")
    lines.extend(_force_all_in_lines(rules.force_all_in_threshold))
    return lines
