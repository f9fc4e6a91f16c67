"""What each hand gets back after the flop against each hand, on every solved flop."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_NAMES, NUM_HANDS, matchup_weights
from runout.cards.card import format_cards
from runout.cards.flops import FlopList
from runout.errors import CardError
from runout.results.solve_report import FlopReport

NUM_POSITIONS = 2


@dataclass(frozen=True, eq=False)
class PostflopValues:
    """Values of all hand pairs at one stack-to-pot ratio.

    A value is what a hand gets back from the pot minus what it puts in after the flop, as a
    fraction of the flop pot: ``value_pot[f, 0, i, j] + value_pot[f, 1, j, i] == 1``.

    Attributes:
        flops: the solved flops and the share of all flops that each stands for.
        spr: effective stack over pot on entering the flop.
        value_pot: ``[F, 2, 169, 169]`` by flop, hero's position (OOP, IP), hero's and villain's
            hand; NaN where the flop leaves no way to deal both.
        reports: how each flop's solve went.
        ranges: ``[2, 169]`` how much of each hand OOP and IP held when it was solved, None if
            both held all hands.
    """

    flops: FlopList
    spr: float
    value_pot: npt.NDArray[np.float32]
    reports: tuple[FlopReport, ...]
    ranges: FloatArray | None = None

    def __post_init__(self) -> None:
        shape = (len(self.flops.flops), NUM_POSITIONS, NUM_HANDS, NUM_HANDS)
        if self.value_pot.shape != shape or len(self.reports) != shape[0]:
            raise ValueError(
                f"value_pot of shape {self.value_pot.shape} with {len(self.reports)} reports, "
                f"{shape[0]} flops need {shape}"
            )

    def get_by_flop(
        self, flop_index: int, hero_position: int, hero_hand: int, opponent_hand: int
    ) -> float:
        """Returns what a hand gets against a hand on one flop.

        Raises:
            CardError: if the flop leaves no way to deal both.
            IndexError: if there is no such flop, position or hand.
        """
        if min(flop_index, hero_position, hero_hand, opponent_hand) < 0:
            raise IndexError("flop, position and hands count from 0")
        value = float(self.value_pot[flop_index, hero_position, hero_hand, opponent_hand])
        if np.isnan(value):
            raise CardError(
                f"{HAND_NAMES[hero_hand]} against {HAND_NAMES[opponent_hand]}",
                f"cannot both be dealt on {format_cards(self.flops.flops[flop_index])}",
            )
        return value

    def average(self, hero_position: int) -> FloatArray:
        """Returns ``[169, 169]`` mean values over the flops, NaN where no flop allows the pair.

        A flop counts by its own weight and the number of ways it leaves to deal the two hands.

        Raises:
            IndexError: if there is no such position.
            ValueError: if a pair that can meet on a flop has no value there.
        """
        if hero_position not in range(NUM_POSITIONS):
            raise IndexError(f"position {hero_position}, there are OOP = 0 and IP = 1")
        total = np.zeros((NUM_HANDS, NUM_HANDS))
        weight = np.zeros((NUM_HANDS, NUM_HANDS))
        for flop, share, value in zip(
            self.flops.flops, self.flops.weights, self.value_pot[:, hero_position], strict=True
        ):
            joint = share * matchup_weights(flop)
            if np.isnan(value[joint > 0.0]).any():  # must not pass for 0
                raise ValueError(f"{format_cards(flop)}: hands that can meet have no value")
            total += joint * np.nan_to_num(value)
            weight += joint
        mean: FloatArray = np.divide(
            total, weight, out=np.full_like(total, np.nan), where=weight > 0.0
        )
        return mean
