"""Sums over boards of what combos win from each other, a few rows and boards at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runout import product_kernels
from runout.arrays import Float32Array, FloatArray, Int16Array, IntArray
from runout.cfr.parallel import Team
from runout.postflop import pair_kernels
from runout.products import make_product_rows, multiply, pack_panels

#: Rows of OOP's combos whose products and sums stay near the processor.
_ROWS_AT_ONCE = 48


class Product:
    """``[C, C]`` the sum over terminals of the products of both players' rows, row by row."""

    def __init__(self, parts: Sequence[tuple[Float32Array, Float32Array]]) -> None:
        """Takes for each group of terminals OOP's and IP's ``[terminals, C]``."""
        self._mine = np.ascontiguousarray(np.concatenate([part[0] for part in parts]).T)
        theirs = np.concatenate([part[1] for part in parts])
        self._panels = pack_panels(theirs, np.float32)

    def rows(self, rows: slice) -> Float32Array:
        """Returns some rows, padded; threads may ask for different ones at a time."""
        numbers = np.arange(rows.start, rows.stop)
        product: Float32Array = make_product_rows(len(numbers), self._panels)
        product_kernels.multiply_rows(self._mine, numbers, self._panels, product)
        return product


@dataclass(frozen=True, eq=False)
class PlayedBoard:
    """What strategies do on a board.

    Attributes:
        weight: ``[C]`` how many boards it stands for, 0 where it makes a combo impossible.
        folds: what OOP wins by folds.
        showdowns: what is played for at showdowns; None before the river.
        ranks: ``[C]`` the strengths of combos; None before the river.
    """

    weight: Float32Array
    folds: Product
    showdowns: Product | None = None
    ranks: Float32Array | None = None


class PairSums:
    """Sums over boards of one street, by OOP's and IP's combos."""

    def __init__(self, num_combos: int, symmetries: IntArray, has_showdowns: bool) -> None:
        """Begins with no boards.

        Args:
            num_combos: C.
            symmetries: ``[s, C]`` the combo that each combo becomes under each renaming of suits by
                which boards were merged.
            has_showdowns: whether the street is the river.
        """
        shape = (num_combos, num_combos)
        self.gain: FloatArray = np.zeros(shape)
        self._symmetries = symmetries
        self._weights: list[Float32Array] = []
        if has_showdowns:
            self.stake: FloatArray = np.zeros(shape)
            #: How many boards are won more than lost; there are 2,352 at most.
            self.outcome: Int16Array = np.zeros(shape, np.int16)

    def add_boards(self, boards: Sequence[PlayedBoard], team: Team) -> None:
        """Adds some boards; a team shares the rows."""
        self._weights += [board.weight for board in boards]

        def add_rows(rows: slice) -> None:
            for part in parts_of(rows):
                for board in boards:
                    self._add(part, board)

        team.run(add_rows, [slice(*bounds) for bounds in team.split(len(self.gain))])

    def _add(self, rows: slice, board: PlayedBoard) -> None:
        folds = board.folds.rows(rows)
        pair_kernels.add_folds(rows.start, board.weight, folds, self.gain)
        if board.showdowns is not None and board.ranks is not None:
            stakes = board.showdowns.rows(rows)
            pair_kernels.add_showdowns(
                rows.start, board.weight, board.ranks, stakes, self.gain, self.stake, self.outcome
            )

    def weights(self) -> Float32Array:
        """Returns ``[C, C]`` on how many boards both combos are possible."""
        weight = np.stack(self._weights)
        return np.asarray(multiply((weight > 0.0).astype(np.float32).T, weight))

    def spread(self, total: Float32Array | FloatArray | Int16Array, rows: slice) -> FloatArray:
        """Returns some rows of sums over all boards that the added ones stand for."""
        spread = np.zeros((rows.stop - rows.start, total.shape[1]))
        for image in self._symmetries:
            spread += total[np.ix_(image[rows], image)]
        return spread


def parts_of(rows: slice) -> Iterator[slice]:
    """Yields rows in parts that are worked on at once."""
    for first in range(rows.start, rows.stop, _ROWS_AT_ONCE):
        yield slice(first, min(first + _ROWS_AT_ONCE, rows.stop))
