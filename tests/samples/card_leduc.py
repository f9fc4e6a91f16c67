"""Leduc poker as a spot: hands of two real cards, a turn and a river, and a deck of six.

A card of Leduc is a jack, queen or king of hearts or spades, held together with a small card of its
own suit that never plays: the board's ace, nine and eight are higher, and neither pairs, straights
nor flushes come of it. The river is dealt from the six, so it pairs a hand or leaves it high.
"""

import numpy as np

from runout.cards.deck import COMBO_CARDS, NUM_COMBOS, parse_board, parse_cards, parse_combo
from runout.cards.ranges import Range
from runout.holdem.cards import Spot
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree
from tests.games.leduc import leduc_solver
from tests.samples.menus import menu_of
from tests.samples.small_spots import NO_BETS

#: The six cards in the order of `tests.games.leduc`.
DECK = parse_cards("JhJsQhQsKhKs")
BOARD = parse_board("Ad9c8d2c")
RANGE = Range(
    np.isin(np.arange(NUM_COMBOS), [*map(parse_combo, "Jh3h Js3s Qh4h Qs4s Kh5h Ks5s".split())])
)

_ANTE, _TURN_BET, _RIVER_BET = 1, 2, 4
_MAX_RAISES = 1  # of a bet: two bets a round
_DEEP = 100  # nobody is ever all-in


def leduc_tree() -> PostflopTree:
    """Returns the betting: the first player acts first in both rounds."""
    turn, river = (menu_of(f"{bet}c", f"{bet}c") for bet in (_TURN_BET, _RIVER_BET))
    menus = ((NO_BETS, NO_BETS), (turn, turn), (river, river))
    rules = BettingRules(menus, _MAX_RAISES, add_all_in_threshold=0.0)
    return PostflopTree.build(rules, Stakes.in_chips(2 * _ANTE, _DEEP), Street.TURN)


def leduc_spot(merges_suits=True) -> Spot:
    """Returns the game; what a player wins beyond its half of the pot is what it wins in Leduc."""
    return Spot(BOARD, (RANGE, RANGE), leduc_tree(), merges_suits=merges_suits, deck=DECK)


def leduc_cards(game, player):
    """Returns ``[6]`` the number in `DECK` of each of a player's hands."""
    cards = COMBO_CARDS[game.cards.players[player].combos]
    return [DECK.index(card) for pair in cards for card in pair if card in DECK]


class OtherLeduc:
    """The same game through the solver of single streets in float64, with the same tables."""

    def __init__(self, spot, schedule):
        self.solver = leduc_solver(schedule)
        first = self.solver.root
        nodes = _follow(spot.tree, 0, first.tree)
        #: Streets, the nodes of the spot's tree that theirs are, and how much larger regrets are:
        #: the chance of the river is counted after the second street, not before.
        self.streets = [([first], nodes, 1.0)]
        for node, street in first.leaves.next_streets.items():
            self.streets.append((street, _follow(spot.tree, nodes[node], street[0].tree), 4.0))

    def take(self, spot_solver):
        """Takes over the tables of a spot's solver whose suits are not merged."""
        for part in ("regret", "strategy_sum"):
            rows = rows_by_node(spot_solver, part)
            for street, nodes, scale in self.streets:
                for board, solver in enumerate(street):
                    table = solver.learned()[part]
                    for row, node in enumerate(nodes[1:], start=1):
                        table[row] = scale * rows[node][board]
        for street, _, _ in self.streets:
            for solver in street:
                solver.restore(solver.learned())

    def regrets(self):
        """Returns what `rows_by_node` returns of a spot."""
        return {
            node: np.stack([solver.learned()["regret"][row] for solver in street]) / scale
            for street, nodes, scale in self.streets
            for row, node in enumerate(nodes[1:], start=1)
        }


def _follow(tree, root, layout):
    """Returns the nodes of a spot's tree from a root on as another layout numbers them."""
    nodes = [root]
    for node in range(layout.num_nodes):  # breadth-first: parents come before their children
        if layout.num_children[node]:
            children = tree.layout.children(nodes[node])
            assert len(children) == layout.num_children[node]
            nodes += children
    return nodes


def rows_by_node(solver, part):
    """Returns ``[boards, 6]`` rows of 32-bit tables, by the tree node that their action leads to.

    Args:
        solver: of a spot whose suits are not merged.
        part: ``regret`` or ``strategy_sum``.
    """
    game, rows = solver.game, {}
    river_order = np.argsort([DECK.index(card) for card in game.cards.deals[0].card])
    for template, tables in zip(game.templates, solver.tables.by_street, strict=True):
        boards = [0] if template.street == Street.TURN else river_order
        for player, nodes in enumerate(template.action_node):
            table = getattr(tables[player], part)
            hands = np.argsort(leduc_cards(game, player))
            for row, node in enumerate(nodes.tolist()):
                rows[node] = table[boards, row][:, hands].astype(np.float64)
    return rows
