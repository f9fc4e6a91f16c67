"""Two judges of preflop trees: the rules in plain words, and an independent engine, pokerkit."""

from fractions import Fraction

from pokerkit import Automation, NoLimitTexasHoldem

from runout.trees.actions import ActionKind
from runout.trees.tree import FLOP, NOT_A_LEAF, SHOWDOWN

AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_DEALING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)

#: In pokerkit, heads-up: player 0 posts the big blind, player 1 has the button.
SEAT = {0: 1, 1: 0}


def play(tree, node):
    """Returns the table after the actions that lead to a node; pokerkit refuses illegal ones."""
    rules = tree.rules
    table = NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        True,
        Fraction(rules.ante_bb),
        (Fraction(rules.small_blind_bb), Fraction(rules.big_blind_bb)),
        Fraction(rules.big_blind_bb),
        tuple(map(Fraction, reversed(rules.stacks_bb))),
        2,
    )
    for number in nodes_on_the_way(tree, node):
        player = tree.layout.actor[tree.layout.parent[number]]
        assert table.actor_index == SEAT[player]
        _act(table, tree.action_to(number))
    return table


def nodes_on_the_way(tree, node):
    nodes = []
    while node:
        nodes.append(node)
        node = tree.layout.parent[node]
    return nodes[::-1]


def _act(table, action):
    match action.kind:
        case ActionKind.FOLD:
            table.fold()
        case ActionKind.CHECK:
            assert table.checking_or_calling_amount == 0
            table.check_or_call()
        case ActionKind.CALL:
            assert table.checking_or_calling_amount > 0
            table.check_or_call()
        case ActionKind.RAISE:
            table.complete_bet_or_raise_to(Fraction(action.amount))
        case ActionKind.ALL_IN:
            # Whoever has more than the effective stack may bet it: the rest comes back.
            table.complete_bet_or_raise_to(table.max_completion_betting_or_raising_to_amount)


def check_at_table(tree):
    """Plays every node at a table of pokerkit: who acts, may there be a raise, pots and payoffs.

    Amounts become exact fractions, so trees must have amounts that floats hold exactly.
    """
    for node in range(tree.num_nodes):
        table, kind = play(tree, node), tree.leaf_kind[node]
        if kind == NOT_A_LEAF:
            assert table.actor_index == SEAT[tree.layout.actor[node]]
            can_raise = any(action.is_aggressive for action in tree.actions(node))
            assert can_raise == table.can_complete_bet_or_raise_to()
        elif kind in (SHOWDOWN, FLOP):
            assert table.all_in_status == (kind == SHOWDOWN)
            assert table.total_pot_amount == Fraction(tree.pot(node))
            if kind == FLOP:
                assert table.street_index == 1
                assert min(table.stacks) == Fraction(tree.stack_behind(node))
        else:
            won = [Fraction(tree.leaf_payoffs(player, 0.5)[node]) for player in (0, 1)]
            assert [table.payoffs[SEAT[player]] for player in (0, 1)] == won


def check_decision(tree, node):
    """Checks the actions of a decision by the amounts at its node and on the way to it."""
    rules, actions, actor = tree.rules, tree.actions(node), int(tree.layout.actor[node])
    ante, stack = tree.stakes.ante, tree.stakes.betting_stack
    mine, theirs = (tree.invested[node, player] - ante for player in (actor, 1 - actor))
    kinds = [action.kind for action in actions]
    amounts = [action.amount for action in actions if action.is_aggressive]
    codes = [tree.action_code(child) for child in tree.layout.children(node)]
    assert len(set(codes)) == len(codes)
    assert len({tree.action_label(child) for child in tree.layout.children(node)}) == len(codes)
    assert amounts == sorted(amounts)
    if node == 0 and ActionKind.CALL not in kinds:
        assert not rules.allow_limp
    elif theirs > mine + 1e-9:
        assert kinds[:2] == [ActionKind.FOLD, ActionKind.CALL]
    else:
        assert kinds[0] == ActionKind.CHECK
        assert tree.path(node) == "c"
    num_raises = sum(code[0] in "ra" for code in tree.path(node).split(":") if code)
    is_open = num_raises < rules.raise_cap and theirs < stack - 0.001 * 2 * (ante + theirs) - 1e-9
    assert kinds.count(ActionKind.ALL_IN) == is_open
    for action in actions:
        if action.kind == ActionKind.RAISE:
            assert theirs + last_increment(tree, node) <= action.amount + 1e-9
            assert action.amount < stack
        if action.kind == ActionKind.ALL_IN:
            assert action.amount == stack


def last_increment(tree, node):
    """By how much the last raise before a node went beyond the amount before it."""
    while node and not tree.action_to(node).is_aggressive:
        node = int(tree.layout.parent[node])
    if node == 0:
        return tree.rules.big_blind_bb
    parent = int(tree.layout.parent[node])
    opponent = 1 - int(tree.layout.actor[parent])
    return tree.action_amount[node] - (tree.invested[parent, opponent] - tree.stakes.ante)
