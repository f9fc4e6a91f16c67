"""Where the strategy of each decision lives in a flat table, and what a solve needs in memory.

With one hand space for all streets a table is ``[N, H]``, one row per node (see
`runout.trees.layout`). With another number of hands or buckets on every street the rows differ in
length and are laid end to end: the row of a node belongs to the action that leads to it, and has
one entry for each hand that its player can hold when choosing it.
"""

from dataclasses import dataclass

import numpy as np

from runout.arrays import AnyArray, ArrayT, IntArray, read_only
from runout.errors import TreeError
from runout.trees.betting import Street
from runout.trees.layout import TreeArrays
from runout.trees.postflop_tree import PostflopTree

_FLOAT32_BYTES = 4


@dataclass(frozen=True, eq=False)
class PostflopLayout:
    """The rows of one flat table of numbers per (decision, action, hand).

    Attributes:
        tree: the tree's arrays, N nodes.
        num_hands: by street, flop first: hands or buckets that a player can hold.
        row_start: ``[N + 1]`` the row of node n is ``row_start[n]:row_start[n + 1]``; the root's
            is empty.
    """

    tree: TreeArrays
    num_hands: tuple[int, int, int]
    row_start: IntArray

    @classmethod
    def build(
        cls, tree: PostflopTree, num_flop: int, num_turn: int, num_river: int
    ) -> "PostflopLayout":
        """Lays out the rows for the number of hands or buckets on each street.

        Raises:
            TreeError: if a street has no hands.
        """
        num_hands = (num_flop, num_turn, num_river)
        for street, number in zip(Street, num_hands, strict=True):
            if number < 1:
                raise TreeError(f"num_{street.name.lower()}", f"{number} is not 1 or more hands")
        # An action is chosen on the street of the node before it, not on the one it leads to.
        street_of_choice = tree.street[tree.layout.parent[1:]]
        lengths = np.array(num_hands, dtype=np.int64)[street_of_choice]
        row_start = np.concatenate(([0, 0], np.cumsum(lengths)))
        return cls(tree.layout, num_hands, read_only(row_start))

    @property
    def total_size(self) -> int:
        """Numbers in one table."""
        return int(self.row_start[-1])

    def strategy_of(self, node: int, table: ArrayT) -> ArrayT:
        """Returns a view ``[actions, hands]`` of a decision's part of a flat table.

        Args:
            node: a decision node.
            table: ``[total_size]``.
        """
        children = self.tree.children(node)
        part: AnyArray = table[self.row_start[children.start] : self.row_start[children.stop]]
        return part.reshape(len(children), -1)  # type: ignore[return-value]

    def estimate_memory(
        self, num_tables: int = 4, num_boards: int = 1, bytes_per_number: int = _FLOAT32_BYTES
    ) -> int:
        """Returns the bytes of a solve: the tables on every board, and the tree.

        Args:
            num_tables: tables of this layout that the solver keeps at once. Four are regrets,
                strategy sums, reach probabilities and values.
            num_boards: boards solved side by side.
            bytes_per_number: 4 for float32.
        """
        tree_bytes = sum(array.nbytes for array in self.tree) + self.row_start.nbytes
        return num_tables * num_boards * self.total_size * bytes_per_number + tree_bytes
