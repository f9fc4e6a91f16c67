"""Trees as text for people: a summary, an indented outline, and Graphviz ``dot``."""

import math
from collections.abc import Iterator

from runout.trees.actions import format_amount
from runout.trees.bet_sizing import format_bet_sizes
from runout.trees.betting import BettingRules, SizeMenu, Street
from runout.trees.layout import subtree_sizes
from runout.trees.postflop_tree import (
    NOT_A_LEAF,
    PLAYER_NAMES,
    SHOWDOWN,
    PostflopTree,
)

_INDENT = "  "


def format_tree_summary(tree: PostflopTree) -> str:
    """Writes stakes, rules and node counts, one fact a line."""
    stakes, counts = tree.stakes, tree.counts
    unit = "chips" if stakes.is_in_chips else "pots"
    lines = [
        f"{_street_name(tree.first_street)} pot {format_amount(stakes.pot)}, effective stack "
        f"{format_amount(stakes.stack)} ({unit}), SPR {format_amount(stakes.spr)}",
        *format_rules(tree.rules).splitlines(),
        f"{tree.num_nodes:,} nodes on {tree.layout.num_levels} levels",
    ]
    for street in Street:
        if street >= tree.first_street:
            lines.append(f"{counts.decisions[street]:,} decisions on the {_street_name(street)}")
    lines.append(f"{sum(counts.folds):,} folds ({counts.folds[0]:,} OOP, {counts.folds[1]:,} IP)")
    lines.append(
        f"{counts.showdowns + counts.all_in_showdowns:,} showdowns "
        f"({counts.all_in_showdowns:,} all-in before the river)"
    )
    return "\n".join(lines)


def format_rules(rules: BettingRules) -> str:
    """Writes the sizes, once if they are the same everywhere, and the limits that are on."""
    menus = {menu for by_player in rules.menus for menu in by_player}
    if len(menus) == 1:
        lines = [_format_menu(menus.pop())]
    else:
        lines = [
            f"{_street_name(street)} {name}: {_format_menu(rules.menus[street][player])}"
            for street in Street
            for player, name in enumerate(PLAYER_NAMES)
        ]
    limit = rules.max_raises_per_street
    lines.append(f"raises per street: {'no limit' if limit is None else f'at most {limit}'}")
    lines.append(f"all-in added: {_format_add_all_in(rules.add_all_in_threshold)}")
    if rules.force_all_in_threshold > 0.0:
        percent = format_amount(100 * rules.force_all_in_threshold)
        lines.append(f"all-in forced: at most {percent}% of the pot behind")
    if rules.merging_threshold > 0.0:
        percent = format_amount(100 * rules.merging_threshold)
        lines.append(f"sizes merged: at most {percent}% of the pot apart")
    return "\n".join(lines)


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


def format_tree(tree: PostflopTree, max_depth: int | None = None, root: int = 0) -> str:
    """Writes the tree as an outline, one action a line, indented by depth.

    Args:
        tree: the tree.
        max_depth: actions from ``root`` on to show; None for all. What is left out is counted.
        root: the node to start from.
    """
    sizes = subtree_sizes(tree.layout)
    lines = [_format_decision(tree, root)]
    for node, depth in _walk(tree, root, max_depth):
        if node == root:
            continue
        actor = PLAYER_NAMES[tree.layout.actor[tree.layout.parent[node]]]
        line = f"{_INDENT * depth}{actor} {tree.action_label(node)}"
        if tree.leaf_kind[node] != NOT_A_LEAF:
            line += f" -> {_format_leaf(tree, node)}"
        elif tree.street[node] != tree.street[tree.layout.parent[node]]:
            line += f" -> {_format_decision(tree, node)}"
        if depth == max_depth and sizes[node] > 1:
            line += f" ... {_format_hidden(int(sizes[node]) - 1)}"
        lines.append(line)
    return "\n".join(lines)


def format_tree_dot(tree: PostflopTree, max_depth: int | None = None, root: int = 0) -> str:
    """Writes the tree in the ``dot`` language of Graphviz.

    Args:
        tree: the tree.
        max_depth: actions from ``root`` on to show; None for all. What is left out is counted.
        root: the node to start from.
    """
    sizes = subtree_sizes(tree.layout)
    lines = ["digraph tree {", f'{_INDENT}node [shape=box, fontname="sans-serif"];']
    for node, depth in _walk(tree, root, max_depth):
        if tree.leaf_kind[node] != NOT_A_LEAF:
            label, style = _format_leaf(tree, node), ", shape=plaintext"
        else:
            label, style = _format_decision(tree, node), ""
            if depth == max_depth:
                label, style = f"{label}\\n{_format_hidden(int(sizes[node]) - 1)}", ", style=dashed"
        lines.append(f'{_INDENT}{node} [label="{label}"{style}];')
        if node != root:
            parent = tree.layout.parent[node]
            lines.append(f'{_INDENT}{parent} -> {node} [label="{tree.action_label(node)}"];')
    return "\n".join([*lines, "}"])


def _walk(tree: PostflopTree, root: int, max_depth: int | None) -> Iterator[tuple[int, int]]:
    """Yields every node to show with its depth, a subtree before its next sibling."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        if depth != max_depth:
            waiting.extend((child, depth + 1) for child in reversed(tree.layout.children(node)))


def _format_decision(tree: PostflopTree, node: int) -> str:
    """Writes street, actor, pot and what the actor has left, or how a leaf ends."""
    if tree.leaf_kind[node] != NOT_A_LEAF:
        return _format_leaf(tree, node)
    actor = int(tree.layout.actor[node])
    behind = tree.stakes.stack - float(tree.invested[node, actor])
    return (
        f"{_street_name(tree.street[node])}: {PLAYER_NAMES[actor]} to act, "
        f"pot {format_amount(tree.pot(node))}, {format_amount(behind)} behind"
    )


def _format_leaf(tree: PostflopTree, node: int) -> str:
    """Writes who wins what at a fold, or the pot of a showdown."""
    kind = int(tree.leaf_kind[node])
    if kind == SHOWDOWN:
        return f"showdown, pot {format_amount(tree.pot(node))}"
    # The winner takes the pot without the uncalled bet: twice what the folder loses.
    pot = 2.0 * float(tree.leaf_stake[node])
    return f"{PLAYER_NAMES[1 - kind]} wins the pot of {format_amount(pot)}"


def _format_hidden(number: int) -> str:
    return f"{number:,} more {'node' if number == 1 else 'nodes'}"


def _street_name(street: int) -> str:
    return Street(street).name.lower()
