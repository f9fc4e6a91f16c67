"""Plays every node of a preflop tree at the table of an independent rules engine, pokerkit.

Amounts become exact fractions, so trees must have amounts that floats hold exactly.
"""

from fractions import Fraction

from pokerkit import Automation, NoLimitTexasHoldem

from runout.trees.actions import ActionKind
from runout.trees.preflop_tree import ALL_IN, FLOP, NOT_A_LEAF

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
    for number in ways_to(tree, node):
        player = tree.layout.actor[tree.layout.parent[number]]
        assert table.actor_index == SEAT[player]
        _act(table, tree.action_to(number))
    return table


def ways_to(tree, node):
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


def check(tree):
    """Compares all nodes with the table: who acts, whether a raise is legal, pots and payoffs."""
    for node in range(tree.num_nodes):
        table, kind = play(tree, node), tree.leaf_kind[node]
        if kind == NOT_A_LEAF:
            assert table.actor_index == SEAT[tree.layout.actor[node]]
            can_raise = any(action.is_aggressive for action in tree.actions(node))
            assert can_raise == table.can_complete_bet_or_raise_to()
        elif kind in (ALL_IN, FLOP):
            assert table.all_in_status == (kind == ALL_IN)
            assert table.total_pot_amount == Fraction(tree.pot_bb[node])
            if kind == FLOP:
                assert table.street_index == 1
                assert min(table.stacks) == Fraction(tree.stack_behind_bb[node])
        else:
            won = [Fraction(tree.leaf_payoffs_bb(player, 0.5)[node]) for player in (0, 1)]
            assert [table.payoffs[SEAT[player]] for player in (0, 1)] == won
