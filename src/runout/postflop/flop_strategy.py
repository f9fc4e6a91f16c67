"""What players do on a flop, whatever their strategies look at."""

from dataclasses import dataclass
from typing import Protocol

from runout.arrays import Float32Array, IntArray
from runout.cards.canonical_hands import HAND_BY_COMBO
from runout.holdem.street_template import StreetTemplate


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
