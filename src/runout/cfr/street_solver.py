"""CFR over one betting street (or a whole game without chance), on several boards at once.

Visiting a street is three passes: reach flows down, the leaves are valued, values flow up. Only
the middle pass knows poker.
"""

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from runout.arrays import RealArray
from runout.cfr import cfr_kernels
from runout.cfr.cfr_kernels import LearningTables, TreeSpan
from runout.cfr.discounting import DiscountWeights
from runout.cfr.leaves import Arrival, Judge, LeafEvaluator, Step, Update
from runout.cfr.parallel import Team, split_tree
from runout.cfr.reach import NUM_PLAYERS, own_reach_rows
from runout.trees.layout import TreeArrays


class _Spans(NamedTuple):
    """Parts of the tree, each with a board: the top comes first on the way down and last up."""

    tops: list[tuple[int, TreeSpan]]
    subtrees: list[tuple[int, TreeSpan]]


class StreetSolver:
    """The learned tables of one street, ``[B, N, H]``, and the passes over them."""

    def __init__(
        self,
        tree: TreeArrays,
        leaves: LeafEvaluator,
        num_boards: int,
        num_hands: int,
        dtype: npt.DTypeLike = np.float64,
        team: Team | None = None,
    ) -> None:
        """Allocates the tables; every player begins with all actions equally likely.

        Args:
            tree: the street's betting.
            leaves: values its leaves.
            num_boards: boards solved side by side.
            num_hands: hands of each player.
            dtype: of the tables; float32 halves memory and time.
            team: threads to share the work.
        """
        self.tree = tree
        self.leaves = leaves
        self._team = team or Team()
        self._num_boards = num_boards
        self._spans_by_number: dict[int, _Spans] = {}
        shape = (num_boards, tree.num_nodes, num_hands)
        self._regret = np.zeros(shape, dtype)
        self._strategy_sum = np.zeros(shape, dtype)
        self._strategy = np.zeros(shape, dtype)
        self._value = np.zeros(shape, dtype)
        self._row = (own_reach_rows(tree, 0), own_reach_rows(tree, 1))
        self._reach = tuple(
            np.zeros((num_boards, 1 + int(row.max()), num_hands), dtype) for row in self._row
        )
        self._is_averaged = False
        self._root_reach: RealArray = np.zeros((num_boards, NUM_PLAYERS, num_hands), dtype)
        self._is_reach_known = [False, False]
        for player in range(NUM_PLAYERS):
            self._match(player, self._regret)

    def visit(self, root_reach: RealArray, player: int, step: Step) -> RealArray:
        """Returns ``[B, H]`` counterfactual values of ``player`` at the root.

        Args:
            root_reach: ``[B, 2, H]`` reach of both players on entering the street. What is known
                of an array that was given before is not computed again: do not change it.
            player: the player whose values are wanted.
            step: what to play, and whether to learn from it.
        """
        self._play(isinstance(step, Judge))
        if root_reach is not self._root_reach:
            self._root_reach = root_reach
            self._is_reach_known = [False, False]
        for who in range(NUM_PLAYERS):
            if not self._is_reach_known[who]:
                self._propagate_reach(who)
        self.leaves.fill_leaf_values(
            Arrival(player, step, (self._reach[0], self._reach[1]), self._row), self._value
        )
        if isinstance(step, Update):
            self._learn(player, step.weights)
        else:
            self._judge(player, step)
        root_value: RealArray = self._value[:, 0].copy()
        return root_value

    def refresh(self, player: int) -> float:
        """Lets ``player`` play what it has learned; returns the largest change of probability."""
        self._play(averages=False)
        return max(self._match(player, self._regret), self.leaves.refresh(player))

    def average_strategy(self) -> RealArray:
        """Returns ``[B, N, H]`` the average strategy, the one that converges to equilibrium."""
        self._play(averages=True)
        return self._strategy.copy()

    def learned(self) -> dict[str, RealArray]:
        """Returns the tables ``[B, N, H]`` themselves, by name; strategies follow from them."""
        return {"regret": self._regret, "strategy_sum": self._strategy_sum}

    def restore(self, learned: Mapping[str, RealArray]) -> None:
        """Goes on with tables that `learned` returned earlier."""
        for name, table in self.learned().items():
            np.copyto(table, learned[name])
        self._is_averaged = False
        for player in range(NUM_PLAYERS):
            self._match(player, self._regret)

    def _play(self, averages: bool) -> None:
        """Puts average or current strategies into the one strategy table."""
        # The table is shared to save memory: a current strategy can be matched again any time.
        if averages != self._is_averaged or averages:
            for player in range(NUM_PLAYERS):
                self._match(player, self._strategy_sum if averages else self._regret)
        self._is_averaged = averages

    def _match(self, player: int, source: RealArray) -> float:
        def match(part: tuple[int, TreeSpan]) -> float:
            board, span = part
            return float(
                cfr_kernels.match_regrets(
                    self.tree, player, source[board], span, self._strategy[board]
                )
            )

        self._is_reach_known[player] = False
        spans = self._divide()
        return max(self._team.run(match, [*spans.tops, *spans.subtrees]))

    def _propagate_reach(self, player: int) -> None:
        self._reach[player][:, 0] = self._root_reach[:, player]

        def propagate(part: tuple[int, TreeSpan]) -> None:
            board, span = part
            cfr_kernels.propagate_reach(
                self.tree,
                player,
                self._row[player],
                self._strategy[board],
                span,
                self._reach[player][board],
            )

        spans = self._divide()
        self._team.run(propagate, spans.tops)
        self._team.run(propagate, spans.subtrees)
        self._is_reach_known[player] = True

    def _learn(self, player: int, weights: DiscountWeights) -> None:
        typed = DiscountWeights(*(self._regret.dtype.type(weight) for weight in weights))

        def learn(part: tuple[int, TreeSpan]) -> None:
            board, span = part
            tables = LearningTables(
                self._regret[board], self._strategy_sum[board], self._strategy[board]
            )
            cfr_kernels.update_tables(
                self.tree,
                player,
                self._row[player],
                self._reach[player][board],
                typed,
                span,
                tables,
                self._value[board],
            )

        spans = self._divide()
        self._team.run(learn, spans.subtrees)
        self._team.run(learn, spans.tops)

    def _judge(self, player: int, judge: Judge) -> None:
        def propagate(part: tuple[int, TreeSpan]) -> None:
            board, span = part
            value = self._value[board]
            if judge is Judge.BEST_RESPOND:
                cfr_kernels.propagate_best_response(self.tree, player, span, value)
            else:
                strategy = self._strategy[board]
                cfr_kernels.propagate_values(self.tree, player, strategy, span, value)

        spans = self._divide()
        self._team.run(propagate, spans.subtrees)
        self._team.run(propagate, spans.tops)

    def _divide(self) -> _Spans:
        """Returns the tree in as many parts as threads are ready to work on it."""
        number = self._team.num_ready
        if number not in self._spans_by_number:
            boards, (top, subtrees) = range(self._num_boards), split_tree(self.tree, number)
            self._spans_by_number[number] = _Spans(
                list(product(boards, top)), list(product(boards, subtrees))
            )
        return self._spans_by_number[number]
