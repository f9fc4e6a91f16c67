"""Spots that several tests solve, and how to read what was learned in them."""

from functools import cache

import numpy as np

from runout.cards.deck import NUM_COMBOS, parse_board, parse_combo, permute_combos
from runout.cards.ranges import Range
from runout.holdem.cards import NO_RAKE, Spot
from runout.trees.betting import BettingRules, SizeMenu, Stakes, Street
from runout.trees.tree import PostflopTree
from tests.reference.slow_spot import probabilities
from tests.samples.menus import menu_of

NO_BETS = SizeMenu((), ())
JAM = menu_of("a", "a")


def make_rules(menus, max_raises=0):
    """Returns rules with the given ``(oop, ip)`` menus of each street, all-in only if named."""
    return BettingRules(tuple(menus), max_raises, add_all_in_threshold=0.0)


@cache
def make_tree(sizes, pot, stack, first_street, max_raises=0):
    """Returns a tree in which all bets and raises of every street are of the given sizes."""
    menu = menu_of(sizes, sizes) if sizes else NO_BETS
    rules = make_rules(((menu, menu),) * len(Street), max_raises)
    return PostflopTree.build(rules, Stakes.in_chips(pot, stack), first_street)


def make_spot(board, oop, ip, sizes="a", pot=10, stack=10, max_raises=0, rake=NO_RAKE, merges=True):
    """Returns a spot; ranges are text or `Range`."""
    cards = parse_board(board)
    ranges = tuple(Range(r) if isinstance(r, str) else r for r in (oop, ip))
    tree = make_tree(sizes, pot, stack, Street(len(cards) - 3), max_raises)
    return Spot(cards, ranges, tree, rake, merges)


def weigh(text, seed):
    """Returns a range of named combos with random weights."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(NUM_COMBOS)
    for combo in text.split():
        weights[parse_combo(combo)] = rng.uniform(0.2, 1.0)
    return Range(weights)


def random_range(num_combos, seed):
    """Returns a range of random combos with random weights."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(NUM_COMBOS)
    weights[rng.choice(NUM_COMBOS, num_combos, replace=False)] = rng.uniform(0.1, 1.0, num_combos)
    return Range(weights)


def rename_range(hand_range, new_suits):
    """Returns the range with suit s turned into ``new_suits[s]``."""
    weights = np.zeros(NUM_COMBOS)
    weights[permute_combos(new_suits)] = hand_range.weights
    return Range(weights)


def decode(table, scale, first, end):
    """Returns rows of a 32- or 16-bit table as float64."""
    unit = scale[first] if len(scale) else 1.0
    return table[first:end].astype(np.float64) * float(unit)


def rows_of(game, street, position):
    """Returns the player who acts at a node of a template and the rows of its actions."""
    template = game.templates[street]
    player = int(game.spot.tree.layout.actor[template.tree_node[position]])
    first = int(template.first_action[position])
    return player, first, first + int(template.forests[0].num_children[position])


def decisions_of(game, street):
    """Returns the positions of a template's decisions."""
    return np.flatnonzero(game.templates[street].forests[0].num_children)


def runouts_of(game, street):
    """Returns the cards dealt on each board of a street, counted from the spot's first street."""
    return ((),) if street == 0 else game.cards.runouts[street - 1]


def learned_by(solver, street, board, position):
    """Returns the regrets and strategy sums ``[actions, hands]`` of a decision in float64."""
    player, first, end = rows_of(solver.game, street, position)
    table = solver.tables.by_street[street][player]
    num_hands = len(solver.game.cards.players[player].combos)
    regret = decode(table.regret[board], table.regret_scale[board], first, end)
    sums = decode(table.strategy_sum[board], table.sum_scale[board], first, end)
    return regret[:, :num_hands], sums[:, :num_hands]


def average_strategy(solver, node):
    """Returns ``[actions, hands]`` of a decision of the first street, a node of the tree."""
    (position,) = np.flatnonzero(solver.game.templates[0].tree_node == node)
    return probabilities(learned_by(solver, 0, 0, position)[1])


def fill_with_noise(tables, seed=0):
    """Writes random regrets and strategy sums into 32-bit tables, padding included."""
    rng = np.random.default_rng(seed)
    for pair in tables.by_street:
        for learning in pair:
            learning.regret[:] = rng.normal(size=learning.regret.shape)
            learning.strategy_sum[:] = rng.random(learning.strategy_sum.shape)
