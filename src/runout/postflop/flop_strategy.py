"""What players do on a flop, whatever their strategies look at."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray, Uint16Array
from runout.cache import Arrays
from runout.cards.canonical_hands import HAND_BY_COMBO
from runout.holdem.street_template import StreetTemplate

#: Of a probability that is kept, and what it is kept as if it is 1.
KEPT_BYTES = 2
_ONE = 65_535


class FlopStrategy(Protocol):
    """The strategies of both players on a flop, its turns and its rivers."""

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo.

        Args:
            template: a street of the betting tree that was solved; A are the player's actions.
            player: who acts.
            dealt: the cards after the flop, none, the turn, or turn and river.
            combos: ``[C]`` combos that the board leaves possible.
        """

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes, for the backend's `read_strategy`."""


def pack_probabilities(probabilities: Float32Array) -> Uint16Array:
    """Returns probabilities in 16 bits, off by at most 1 in 131,070."""
    packed: Uint16Array = np.rint(probabilities * np.float32(_ONE)).astype(np.uint16)
    return packed


def unpack_probabilities(packed: AnyArray) -> Float32Array:
    """Returns what `pack_probabilities` packed."""
    return packed.astype(np.float32) / np.float32(_ONE)


@dataclass(frozen=True, eq=False)
class HandStrategy:
    """Strategies of the 169 hands, which do not look at suits or at turn and river cards.

    Attributes:
        table: ``[N, 169]`` probability of the action that leads to each node of the tree.
    """

    table: Float32Array

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        rows: Float32Array = self.table[template.action_node[player]][:, HAND_BY_COMBO[combos]]
        return rows

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes."""
        return {"by_hand": pack_probabilities(self.table)}

    @classmethod
    def from_arrays(cls, kept: Arrays) -> "HandStrategy":
        """Returns what `to_arrays` wrote."""
        return cls(unpack_probabilities(kept["by_hand"]))
