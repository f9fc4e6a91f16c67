"""Called all-ins on the flop: nothing is left to decide, so what hands win there is one product.

The matrix of what each hand wins against each over all runouts does not depend on the betting. No
river need be entered for such lines, on which buckets would only blur who wins.
"""

from dataclasses import dataclass

import numpy as np

from runout import product_kernels, products
from runout.arrays import Float32Array, FloatArray, IntArray, RealArray
from runout.cards.card import NUM_CARDS
from runout.equity.board_equity import compute_board_equity
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import Rake
from runout.holdem.spot_layouts import Hands
from runout.holdem.street_template import StreetTemplate, showdown_stakes
from runout.trees.postflop_tree import SHOWDOWN, PostflopTree


def net_wins(cards: CardsToCome) -> tuple[RealArray, RealArray]:
    """Returns, seen from OOP and IP, how much more often hands win than they lose, as panels.

    A matrix is ``[O, H]``, by the opponent's hand and hero's, over all runouts; 0 where hands
    share a card. It is the same one if both players hold the same hands.
    """
    equity = compute_board_equity(cards.board)
    panels: list[RealArray] = []
    for hero, villain in (cards.players, cards.players[::-1]):
        won = equity.wins_between(hero.combos, villain.combos).T.astype(np.float64)
        won -= equity.wins_between(villain.combos, hero.combos)
        matrix = np.zeros((villain.width, hero.width))
        matrix[: len(villain.combos), : len(hero.combos)] = won / equity.num_runouts
        panels.append(products.pack_panels(matrix, np.float32))
        if np.array_equal(hero.combos, villain.combos):
            return panels[0], panels[0]
    return panels[0], panels[1]


@dataclass(frozen=True, eq=False)
class AllIns:
    """The called all-ins of a flop's betting, seen from one player.

    Attributes:
        node: ``[m]`` their nodes in the flop's forest.
        row: ``[m]`` the rows of the opponent's reach there.
        stake: ``[m]`` what is won or lost.
        rake: ``[m]`` what is paid whoever wins, negative; empty without rake.
    """

    node: IntArray
    row: IntArray
    stake: Float32Array
    rake: Float32Array

    @classmethod
    def find(cls, tree: PostflopTree, flop: StreetTemplate, rake: Rake, player: int) -> "AllIns":
        """Returns those of a betting tree as a player sees them."""
        node = np.flatnonzero(tree.leaf_kind[flop.tree_node] == SHOWDOWN)
        stake, raked = showdown_stakes(tree, flop.tree_node[node], rake)
        return cls(node, flop.forests[player].row[node].astype(np.int64), stake, raked)

    def value(
        self, panels: RealArray, hands: Hands, reach: Float32Array, out_value: Float32Array
    ) -> None:
        """Sets the rows of the nodes in ``out_value[n, H]``.

        Args:
            panels: of `net_wins`, seen from the player.
            hands: both players', seen from the player.
            reach: ``[rows, O]`` the opponent's on the flop.
            out_value: counterfactual values.
        """
        if not len(self.node):
            return
        product = products.make_product_rows(len(self.node), panels)
        product_kernels.multiply_rows(reach, self.row, panels, product)
        out_value[self.node] = self.stake[:, None] * product[:, : out_value.shape[1]]
        if len(self.rake):
            out_value[self.node] += self.rake[:, None] * _met(hands, reach[self.row])


def _met(hands: Hands, reach: Float32Array) -> FloatArray:
    """Returns ``[m, H]`` how much of the opponent's ``reach[m, O]`` each hand can meet."""
    num_hands = len(hands.villain_cards)
    holds = np.zeros((num_hands, NUM_CARDS))
    holds[np.arange(num_hands)[:, None], hands.villain_cards] = 1.0
    weights = reach[:, :num_hands].astype(np.float64)
    by_card = products.multiply(weights, holds)
    same = np.where(hands.same >= 0, weights[:, hands.same], 0.0)
    low, high = hands.hero_cards.T
    met: FloatArray = weights.sum(axis=1)[:, None] - by_card[:, low] - by_card[:, high] + same
    return met
