"""Trees as text for people: a summary and an indented outline."""

import math
from collections.abc import Iterator
from itertools import chain

from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, PREFLOP, SB, BettingRules, PreflopRules, Street
from runout.trees.layout import LEAF, subtree_sizes
from runout.trees.sizes import format_bet_sizes, format_sizes_by_depth
from runout.trees.tree import (
    FLOP,
    NOT_A_LEAF,
    POSITION_NAMES,
    SHOWDOWN,
    BettingTree,
    PostflopTree,
    PreflopTree,
)

_INDENT = "  "


def format_tree_summary(tree: PostflopTree | PreflopTree) -> str:
    """Writes stakes, rules and node counts, one fact a line."""
    counts, all_ins = tree.counts, tree.counts.all_in_showdowns
    size = f"{_count_of(tree.num_nodes, 'node')} on {_count_of(tree.layout.num_levels, 'level')}"
    folds = _count_by_player(tree, counts.folds, "fold")
    if isinstance(tree, PreflopTree):
        sprs = [leaf.spr for leaf in tree.flop_leaves()]
        between = f", SPR {format_amount(min(sprs))} to {format_amount(max(sprs))}" if sprs else ""
        decisions = [_count_by_player(tree, counts.decisions, "decision")]
        ends = [_count_of(all_ins, "called all-in"), f"{_count_of(counts.flops, 'flop')}{between}"]
    else:
        by_street = tree.decisions_by_street().items()
        decisions = [f"{_count_of(number, 'decision')} on the {name}" for name, number in by_street]
        showdowns = _count_of(counts.showdowns + all_ins, "showdown")
        ends = [f"{showdowns} ({all_ins:,} all-in before the river)"]
    facts = [_format_stakes(tree), format_rules(tree.rules), size, *decisions, folds, *ends]
    return "\n".join(facts)


def _format_stakes(tree: PostflopTree | PreflopTree) -> str:
    if isinstance(tree, PostflopTree):
        stakes, street = tree.stakes, tree.first_street.label
        pot, stack, spr = map(format_amount, (stakes.pot, stakes.stack, stakes.spr))
        unit = "chips" if stakes.is_in_chips else "pots"
        return f"{street} pot {pot}, effective stack {stack} ({unit}), SPR {spr}"
    rules = tree.rules
    blinds = f"{format_amount(rules.small_blind_bb)}/{format_amount(rules.big_blind_bb)}"
    ante = f", ante {format_amount(rules.ante_bb)} each" if rules.ante_bb > 0.0 else ""
    sb, bb = map(format_amount, rules.stacks_bb)
    return f"blinds {blinds}{ante}, stacks {sb} SB, {bb} BB (bb)"


def format_rules(rules: BettingRules | PreflopRules) -> str:
    """Writes the sizes, once if they are the same everywhere, and the limits that are on."""
    if isinstance(rules, PreflopRules):
        betting, places = rules.betting, list(BLIND_NAMES)
        sizes = [format_sizes_by_depth(rules.sizes_of(player)) for player in (SB, BB)]
        menus = [f"raises {text or 'none'}" for text in sizes]
        limit_name, more = "raise cap", [f"limps: {'yes' if rules.allow_limp else 'no'}"]
    else:
        betting, menus, more, limit_name = rules, [], [], "raises per street"
        places = [f"{street.label} {name}" for street in Street for name in POSITION_NAMES]
        for menu in chain(*rules.menus):
            lists = {"bets": menu.bets, "raises": menu.raises, "donk bets": menu.donks}
            given = {name: sizes for name, sizes in lists.items() if sizes is not None}
            parts = [f"{name} {format_bet_sizes(part) or 'none'}" for name, part in given.items()]
            menus.append("; ".join(parts))
    lines = [f"{place}: {menu}" for place, menu in zip(places, menus, strict=True)]
    limit = betting.max_raises_per_street
    up_to = f"up to {format_amount(100 * betting.add_all_in_threshold)}% of the pot"
    added = {math.inf: "always", 0.0: "never"}.get(betting.add_all_in_threshold, up_to)
    lines = [
        *(menus[:1] if len(set(menus)) == 1 else lines),
        f"{limit_name}: {'no limit' if limit is None else f'at most {limit}'}",
        *more,
        f"all-in added: {added}",
    ]
    if betting.force_all_in_threshold > 0.0:
        percent = format_amount(100 * betting.force_all_in_threshold)
        lines.append(f"all-in forced: at most {percent}% of the pot behind")
    if betting.merging_threshold > 0.0:
        percent = format_amount(100 * betting.merging_threshold)
        lines.append(f"sizes merged: at most {percent}% of the pot apart")
    return "\n".join(lines)


def format_tree(tree: BettingTree, max_depth: int | None = None) -> str:
    """Writes the tree as an outline, one action a line, indented by depth.

    Args:
        tree: the tree.
        max_depth: actions to show; None for all. What is left out is counted.
    """
    layout, lines = tree.layout, [format_node(tree, 0)]
    for node, depth, hidden in _walk(tree, max_depth):
        if node == 0:
            continue
        actor = tree.player_names[layout.actor[layout.parent[node]]]
        line = f"{_INDENT * depth}{actor} {tree.action_label(node)}"
        if layout.actor[node] == LEAF or tree.street[node] != tree.street[layout.parent[node]]:
            line += f" -> {format_node(tree, node)}"
        lines.append(f"{line} ... {hidden}" if hidden else line)
    return "\n".join(lines)


def _walk(tree: BettingTree, max_depth: int | None) -> Iterator[tuple[int, int, str]]:
    """Yields nodes depth first, with their depth and a count of what is not shown below them."""
    sizes, waiting = subtree_sizes(tree.layout), [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        is_cut = depth == max_depth and sizes[node] > 1
        yield node, depth, _count_of(int(sizes[node]) - 1, "more node") if is_cut else ""
        if depth != max_depth:
            waiting.extend((child, depth + 1) for child in reversed(tree.layout.children(node)))


def format_node(tree: BettingTree, node: int) -> str:
    """Writes who acts at a decision and for what, or how a leaf ends."""
    names, kind = tree.player_names, int(tree.leaf_kind[node])
    pot = format_amount(tree.pot(node))
    if kind == SHOWDOWN:
        return f"showdown, pot {pot}"
    if kind == FLOP:
        behind = tree.stack_behind(node)
        spr = format_amount(behind / tree.pot(node))
        return f"flop, pot {pot}, {format_amount(behind)} behind, SPR {spr}"
    if kind != NOT_A_LEAF:
        # The winner takes the pot without the uncalled bet: twice what the folder loses.
        pot = format_amount(2.0 * float(tree.leaf_stake[node]))
        return f"{names[1 - kind]} wins the pot of {pot}"
    actor = int(tree.layout.actor[node])
    behind = tree.stakes.stack - float(tree.invested[node, actor])
    number = int(tree.street[node])
    street = "preflop" if number == PREFLOP else Street(number).label
    return f"{street}: {names[actor]} to act, pot {pot}, {format_amount(behind)} behind"


def _count_by_player(tree: BettingTree, numbers: tuple[int, int], noun: str) -> str:
    both = zip(numbers, tree.player_names, strict=True)
    return f"{_count_of(sum(numbers), noun)} ({', '.join(f'{n:,} {name}' for n, name in both)})"


def _count_of(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
