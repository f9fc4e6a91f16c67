"""Leaves of a game between the 169 hands, all valued by two matrix products.

At a leaf, what a hand wins against each opponent hand is the leaf's stake times one matrix that
all leaves of a kind share: the weight of the matchup at folds, the weight times twice the equity
minus one at showdowns. Leaves that the opponent reaches alike share a row of the product.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runout.arrays import BoolArray, FloatArray, IntArray, RealArray
from runout.cfr.leaves import Arrival
from runout.cfr.parallel import Team
from runout.cfr.street_solver import NUM_PLAYERS, own_reach_rows
from runout.postflop import leaf_kernels
from runout.trees.postflop_tree import NOT_A_LEAF, SHOWDOWN, PostflopTree

#: Rows of one matrix product. Fixed, because a product's last bits depend on its size and must
#: not depend on how many workers share it.
_ROWS_PER_BLOCK = 256


@dataclass(frozen=True)
class _Block:
    """Some rows of the opponent's reach and the leaves that they lead to.

    Attributes:
        payoff: ``[H, H]`` what the row of a product is multiplied with.
        rows: ``[n]`` rows of the opponent's reach.
        position: ``[l]`` the row, among ``rows``, of each leaf.
        node: ``[l]`` the leaves.
        scale: ``[l]`` stake of each leaf, negative where the valued player folds.
    """

    payoff: RealArray
    rows: IntArray
    position: IntArray
    node: IntArray
    scale: RealArray


class HandLeaves:
    """Values the leaves of a postflop tree for hands that do not look at turn and river."""

    def __init__(
        self,
        tree: PostflopTree,
        matchup_share: FloatArray,
        edge: FloatArray,
        dtype: npt.DTypeLike = np.float32,
        team: Team | None = None,
    ) -> None:
        """Prepares the products.

        Args:
            tree: whose leaves to value.
            matchup_share: ``[H, H]`` probability that the two hands are dealt.
            edge: ``[H, H]`` twice the row's equity minus one; anything where the share is 0.
            dtype: of the products.
            team: threads to share the work.
        """
        self._team = team or Team()
        self._dtype = np.dtype(dtype)
        # Row vectors are multiplied from the left, so matrices are [opponent, hero].
        at_fold = np.ascontiguousarray(matchup_share.T, dtype)
        at_showdown = np.ascontiguousarray((matchup_share * edge).T, dtype)
        self._blocks = [
            [
                *_make_blocks(tree, player, tree.leaf_kind == SHOWDOWN, at_showdown),
                *_make_blocks(tree, player, _is_fold(tree), at_fold),
            ]
            for player in range(NUM_PLAYERS)
        ]

    def fill_leaf_values(self, arrival: Arrival, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows."""
        for board in range(len(out_value)):
            reach, value = arrival.reach[arrival.opponent][board], out_value[board]

            def fill(block: _Block, reach: RealArray = reach, value: RealArray = value) -> None:
                gathered = np.empty((len(block.rows), reach.shape[1]), self._dtype)
                leaf_kernels.gather_rows(reach, block.rows, gathered)
                product = gathered @ block.payoff
                leaf_kernels.scatter_scaled_rows(
                    product, block.position, block.scale, block.node, value
                )

            self._team.run(fill, self._blocks[arrival.player])

    def refresh(self, player: int) -> float:
        """Has nothing to learn: all streets are in one tree."""
        return 0.0


def _is_fold(tree: PostflopTree) -> BoolArray:
    is_fold: BoolArray = (tree.leaf_kind != SHOWDOWN) & (tree.leaf_kind != NOT_A_LEAF)
    return is_fold


def _make_blocks(
    tree: PostflopTree, player: int, is_chosen: BoolArray, payoff: RealArray
) -> list[_Block]:
    """Groups the chosen leaves by the opponent's reach row, in blocks of rows."""
    nodes = np.flatnonzero(is_chosen)
    opponent_row = own_reach_rows(tree.layout, 1 - player)[nodes]
    rows, position = np.unique(opponent_row, return_inverse=True)
    order = np.argsort(position, kind="stable")
    stake = np.where(tree.leaf_kind == player, -tree.leaf_stake, tree.leaf_stake)
    blocks = []
    for begin in range(0, len(rows), _ROWS_PER_BLOCK):
        block_rows = rows[begin : begin + _ROWS_PER_BLOCK]
        leaves = order[slice(*np.searchsorted(position[order], [begin, begin + len(block_rows)]))]
        blocks.append(
            _Block(
                payoff=payoff,
                rows=block_rows,
                position=position[leaves] - begin,
                node=nodes[leaves],
                scale=stake[nodes[leaves]].astype(payoff.dtype),
            )
        )
    return blocks
