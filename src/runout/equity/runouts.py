"""The boards that can still come, one representative for each class of suit-isomorphic ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from runout.arrays import IntArray, Uint8Array
from runout.cards.card import NUM_CARDS, NUM_SUITS, RIVER_SIZE
from runout.cards.combos import NUM_COMBOS, permute_combos
from runout.cards.isomorphism import SuitMapping, suit_stabilizer


@dataclass(frozen=True)
class Runouts:
    """Completions of a board to five cards, up to the suit permutations that keep the board.

    Attributes:
        boards: ``[R, 5]`` representative complete boards, those of equal weight together.
        weight: ``[R]`` number of completions each stands for.
        symmetries: the suit permutations that keep the board.
    """

    boards: Uint8Array
    weight: IntArray
    symmetries: tuple[SuitMapping, ...]


def enumerate_runouts(board: Sequence[int], *, merges_suits: bool = True) -> Runouts:
    """Returns all completions of a flop (1,176), turn (48) or river (1), merged by isomorphism.

    Args:
        board: the known cards.
        merges_suits: whether they are merged.
    """
    symmetries = suit_stabilizer(board) if merges_suits else (SuitMapping.identity(),)
    rest = [card for card in range(NUM_CARDS) if card not in board]
    num_missing = RIVER_SIZE - len(board)
    runouts = np.array(list(combinations(rest, num_missing)), dtype=np.int64)
    codes = np.min([_code(runouts, mapping) for mapping in symmetries], axis=0)
    _, first, weight = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(weight, kind="stable")
    known = np.tile(np.array(board, dtype=np.uint8), (len(first), 1))
    chosen = runouts[first[order]].astype(np.uint8)
    return Runouts(np.concatenate([known, chosen], axis=1), weight[order], symmetries)


def combo_images(combos: IntArray, symmetries: Sequence[SuitMapping]) -> IntArray:
    """Returns ``[G, C]`` the position in ``combos`` to which each symmetry moves each combo."""
    position = np.empty(NUM_COMBOS, dtype=np.int64)
    position[combos] = np.arange(len(combos))
    return np.stack([position[permute_combos(m.new_suits)[combos]] for m in symmetries])


def _code(runouts: IntArray, mapping: SuitMapping) -> IntArray:
    """Returns one integer per runout that names its set of cards after the mapping."""
    moved = runouts - runouts % NUM_SUITS + np.array(mapping.new_suits)[runouts % NUM_SUITS]
    code = np.zeros(len(runouts), dtype=np.int64)
    for cards in np.sort(moved, axis=1).T:
        code = code * NUM_CARDS + cards
    return code
