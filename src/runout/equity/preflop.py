"""Exact all-in equity before the flop, from a shipped table of all matchups."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint32Array, divide, read_only
from runout.cache import load_arrays
from runout.cards.deck import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    matchup_weights,
    permute_combos,
)
from runout.cards.flops import SUIT_MAPPINGS
from runout.errors import CardError


@dataclass(frozen=True)
class HandEquityTable:
    """Exact counts of (combo pair, complete board) for the row hand against the column hand.

    Attributes:
        wins: ``[169, 169]`` the row wins.
        ties: ``[169, 169]`` the pot is split.
        totals: ``[169, 169]`` everything that can be dealt; 0 where the hands cannot meet.
    """

    wins: IntArray
    ties: IntArray
    totals: IntArray

    def equity(self, hand: int, opponent: int) -> float:
        """Returns the share of the pot that ``hand`` wins against ``opponent``.

        Raises:
            CardError: if the two hands cannot be dealt together on this board.
        """
        total = int(self.totals[hand, opponent])
        if total == 0:
            raise CardError(
                f"{HAND_NAMES[hand]} against {HAND_NAMES[opponent]}",
                "the board leaves no way to deal both",
            )
        return (int(self.wins[hand, opponent]) + int(self.ties[hand, opponent]) / 2) / total

    def equities(self) -> FloatArray:
        """Returns ``[169, 169]`` equities, NaN where the hands cannot meet."""
        return divide(self.wins + self.ties / 2, self.totals)

    def equity_vs_random(self) -> FloatArray:
        """Returns ``[169]`` equities against a random hand, NaN where the board blocks the hand."""
        won = self.wins.sum(axis=1) + self.ties.sum(axis=1) / 2
        return divide(won, self.totals.sum(axis=1))


# Up to suits there are 169 hero hands, each with a *representative* combo, and for each of them
# a few hundred classes of villain combos. The shipped file holds one number per class: on how many
# of the 1,712,304 boards the hero wins. Losses are the wins of the opposite matchup, the rest ties.
# `tools/shipped_tables.py` makes the file; nothing here needs a kernel.

NUM_BOARDS = 1_712_304
MATCHUPS_FILE = Path(__file__).parent / "data" / "preflop_matchups.npz"
DIGEST = "7cdb721ae2e162a9f3b157a7ac044399a6879f79cee8596ed43b5acc39d51ae3"

#: ``[169]`` the combo that stands for each hand.
REPRESENTATIVES: IntArray = read_only(np.array([combos[0] for combos in COMBOS_BY_HAND]))

#: ``[24, 1326]`` where each renaming of suits sends each combo.
SUIT_IMAGES: IntArray = read_only(
    np.stack([permute_combos(mapping.new_suits) for mapping in SUIT_MAPPINGS])
)

#: ``[1326]`` the renaming, out of 24, that turns a combo into its hand's representative.
_TO_REPRESENTATIVE: IntArray = read_only(
    (SUIT_IMAGES == REPRESENTATIVES[HAND_BY_COMBO]).argmax(axis=0)
)


@dataclass(frozen=True)
class PreflopEquity:
    """Wins of every combo against every combo over all boards.

    Attributes:
        wins_of_hand: ``[169, 1326]`` boards on which a hand's representative beats each combo, 0
            where they share a card.
    """

    wins_of_hand: Uint32Array

    @property
    def num_runouts(self) -> int:
        """Boards that can come for each pair that can meet."""
        return NUM_BOARDS

    def wins_between(self, rows: IntArray, columns: IntArray) -> Uint32Array:
        """Returns ``[rows, columns]`` boards on which the row's combo beats the column's."""
        images = SUIT_IMAGES[_TO_REPRESENTATIVE[rows]][:, columns]
        return self.wins_of_hand[HAND_BY_COMBO[rows, None], images]

    def hand_table(self) -> HandEquityTable:
        """Returns the counts added up over the combos of the 169 hands."""
        by_hand = self.wins_of_hand[:, np.concatenate(COMBOS_BY_HAND)].astype(np.int64)
        num_combos = np.bincount(HAND_BY_COMBO)
        # All combos of a hand are alike against a whole hand, so the representative counts for all.
        sums = np.add.reduceat(by_hand, np.cumsum(num_combos) - num_combos, axis=1)
        wins = sums * num_combos[:, None]
        totals = matchup_weights() * NUM_BOARDS
        return HandEquityTable(wins, totals - wins - wins.T, totals)


@cache
def preflop_equity() -> PreflopEquity:
    """Returns the shipped table."""
    wins = cast(Uint32Array, load_arrays(MATCHUPS_FILE, DIGEST)["wins"])
    class_of, _ = matchup_classes()
    return PreflopEquity(read_only(np.where(class_of < 0, np.uint32(0), wins[class_of])))


def preflop_table() -> HandEquityTable:
    """Returns the 169 x 169 counts of preflop all-ins over all boards."""
    return preflop_equity().hand_table()


@cache
def matchup_classes() -> tuple[IntArray, int]:
    """Numbers the classes of matchups that are equal up to suits.

    Returns:
        ``[169, 1326]`` the class of a hand's representative against a combo, -1 where they share
        a card; and the number of classes.
    """
    class_of = np.full((NUM_HANDS, NUM_COMBOS), -1, dtype=np.int64)
    num_classes = 0
    for hand, representative in enumerate(REPRESENTATIVES):
        images = SUIT_IMAGES[SUIT_IMAGES[:, representative] == representative]
        smallest_image = images.min(axis=0)
        can_meet = ~COMBO_HAS_CARD[:, COMBO_CARDS[representative]].any(axis=1)
        distinct, number = np.unique(smallest_image[can_meet], return_inverse=True)
        class_of[hand, can_meet] = num_classes + number
        num_classes += len(distinct)
    return read_only(class_of), num_classes
