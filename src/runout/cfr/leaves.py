"""What a game must supply to be solved: the value of its leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from runout.arrays import FloatArray, IntArray, RealArray
from runout.cfr import cfr_kernels
from runout.cfr.cfr_kernels import Step
from runout.cfr.team import Team
from runout.simd import product_kernels
from runout.simd.products import fill_panels, make_product_rows, pack_panels
from runout.trees.layout import NUM_PLAYERS, TreeArrays, own_reach_rows


@dataclass(frozen=True)
class StreetReach:
    """Both players' reach of every node of a street."""

    player: int  # the player whose values are wanted
    step: Step  # what is played, and whether to learn from it
    reach: tuple[RealArray, RealArray]  # for each player [R, H] the distinct rows of its own reach
    row: tuple[IntArray, IntArray]  # for each player [N] the row of a node in the reach

    @property
    def opponent(self) -> int:
        """The player whose reach weights the values."""
        return 1 - self.player

    def reach_of(self, player: int, node: int) -> RealArray:
        """Returns ``[H]`` a player's own reach of a node."""
        reach: RealArray = self.reach[player][self.row[player][node]]
        return reach


class LeafEvaluator(Protocol):
    """The poker part of a solve.

    A street that leads to another street values its leaves by visiting that street, so a game of
    several streets is leaf evaluators nested in one another (`examples/leaf_evaluator.py`).

    >>> from runout import BettingTree, CfrSolver
    >>> class NobodyWins:
    ...     def fill_leaf_values(self, arrival, out_value):
    ...         out_value[:] = 0.0
    ...
    ...     def refresh(self, player):
    ...         return 0.0
    >>> tree = BettingTree.of("100%", stack=1, street="river")
    >>> CfrSolver(tree, leaves=NobodyWins(), hands=10).nash_conv()
    0.0
    """

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows.

        A hand's counterfactual value sums over the opponent's hands: the opponent's reach, times
        the chance of the deal, times what is won. Leaf rows of ``out_value[N, H]`` are overwritten.
        """

    def refresh(self, player: int) -> float:
        """Lets later streets play what ``player`` has learned; returns the largest change.

        A game of one street returns 0.
        """


# Leaves valued by matrix products: what two hands win from each other is a matrix times a stake.
#
# Leaves of a group share one payoff matrix and differ in stake. Leaves that the opponent reaches
# alike share a row of the product as well, so a group costs one product per visit, however many
# leaves it has.

#: Rows of one matrix product: parts for workers that stay in the cache of a core.
_ROWS_PER_BLOCK = 256


@dataclass(frozen=True, eq=False)
class LeafGroup:
    """Leaves that share a payoff matrix.

    The payoff ``[H, H]`` is what player 0 wins with the row against the column at a stake of 1,
    times the probability that the two hands are dealt.
    """

    payoff: FloatArray
    node: IntArray  # [l] the leaves
    stake: FloatArray  # [l] multiplies the payoff; negative where player 0 loses it


@dataclass(frozen=True, eq=False)
class _Block:
    """Some rows of the opponent's reach and the leaves that they lead to."""

    payoff: RealArray  # [P, opponent, W] factor of reach, the hero's hands as panels; shared
    rows: IntArray  # [n] rows of the opponent's reach
    position: IntArray  # [l] the row, among these, of each leaf
    node: IntArray  # [l] the leaves
    scale: RealArray  # [l] the stake of each leaf for the hero
    product: RealArray  # [n, P * W] working space: what the rows are worth


class MatrixLeaves:
    """Values the leaves of a zero-sum tree that has no chance in it."""

    def __init__(
        self,
        layout: TreeArrays,
        groups: Sequence[LeafGroup],
        dtype: npt.DTypeLike = np.float64,
        team: Team | None = None,
    ) -> None:
        """Prepares the products; they have the dtype of the solver's tables."""
        self._team = team or Team()
        # Reach rows are multiplied from the left, so payoffs are [opponent, hero].
        self._payoffs = [
            (pack_panels(group.payoff.T, dtype), pack_panels(group.payoff, dtype))
            for group in groups
        ]
        self._blocks = [
            [
                block
                for group, payoffs in zip(groups, self._payoffs, strict=True)
                for block in _make_blocks(layout, player, group, payoffs[player])
            ]
            for player in range(NUM_PLAYERS)
        ]

    def replace_payoff(self, group_index: int, payoff: FloatArray) -> None:
        """Changes the payoff matrix of a group, for games whose chance is sampled."""
        of_player_0, of_player_1 = self._payoffs[group_index]
        fill_panels(payoff.T, of_player_0)
        fill_panels(payoff, of_player_1)

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows."""
        reach = arrival.reach[arrival.opponent]

        def fill(block: _Block) -> None:
            product_kernels.multiply_rows(reach, block.rows, block.payoff, block.product)
            cfr_kernels.scatter_scaled_rows(
                block.product, block.position, block.scale, block.node, out_value
            )

        self._team.run(fill, self._blocks[arrival.player])

    def refresh(self, player: int) -> float:
        """Has nothing to learn: there is no later street."""
        return 0.0


def _make_blocks(
    layout: TreeArrays, player: int, group: LeafGroup, payoff: RealArray
) -> list[_Block]:
    """Divides a group's leaves by the opponent's reach rows, of which each block has some."""
    opponent_row = own_reach_rows(layout, 1 - player)[group.node]
    rows, position = np.unique(opponent_row, return_inverse=True)
    stake = group.stake if player == 0 else -group.stake
    blocks = []
    for begin in range(0, len(rows), _ROWS_PER_BLOCK):
        block_rows = rows[begin : begin + _ROWS_PER_BLOCK]
        leaves = np.flatnonzero((position >= begin) & (position < begin + _ROWS_PER_BLOCK))
        blocks.append(
            _Block(
                payoff=payoff,
                rows=block_rows,
                position=position[leaves] - begin,
                node=group.node[leaves],
                scale=stake[leaves].astype(payoff.dtype),
                product=make_product_rows(len(block_rows), payoff),
            )
        )
    return blocks
