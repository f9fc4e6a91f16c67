"""Exact all-in equity of hands and ranges, with card removal, before the flop and on any board."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

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
    disjoint_combos,
    format_cards,
    matchup_weights,
    parse_board,
    permute_combos,
    require_board,
)
from runout.cards.flops import SUIT_MAPPINGS
from runout.cards.ranges import Range
from runout.errors import CardError, RangeError, quote

if TYPE_CHECKING:
    from runout.equity.board import BoardEquity


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


# Up to suits there are 169 hero hands, each with a *representative* combo, and for each of them
# a few hundred classes of villain combos. The shipped file holds one number per class: on how many
# of the 1,712,304 boards the hero wins. Losses are the wins of the opposite matchup, the rest ties.
# `tools/shipped_tables.py` makes the file; nothing here needs a kernel.

NUM_BOARDS = 1_712_304
TABLE_FILE = Path(__file__).parent / "data" / "preflop_matchups.npz"
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
        num_runouts: boards that can come for each pair that can meet.
    """

    wins_of_hand: Uint32Array
    num_runouts: int = NUM_BOARDS

    def wins_between(self, rows: IntArray, columns: IntArray) -> Uint32Array:
        """Returns ``[rows, columns]`` boards on which the row's combo beats the column's."""
        images = SUIT_IMAGES[_TO_REPRESENTATIVE[rows]][:, columns]
        return self.wins_of_hand[HAND_BY_COMBO[rows, None], images]


@cache
def preflop_equity() -> PreflopEquity:
    """Returns the shipped table."""
    wins = cast(Uint32Array, load_arrays(TABLE_FILE, DIGEST)["wins"])
    class_of, _ = matchup_classes()
    return PreflopEquity(read_only(np.where(class_of < 0, np.uint32(0), wins[class_of])))


def preflop_table() -> HandEquityTable:
    """Returns the 169 x 169 counts of preflop all-ins over all boards."""
    by_hand = preflop_equity().wins_of_hand[:, np.concatenate(COMBOS_BY_HAND)].astype(np.int64)
    num_combos = np.bincount(HAND_BY_COMBO)
    # All combos of a hand are alike against a whole hand, so the representative counts for all.
    sums = np.add.reduceat(by_hand, np.cumsum(num_combos) - num_combos, axis=1)
    wins = sums * num_combos[:, None]
    totals = matchup_weights() * NUM_BOARDS
    return HandEquityTable(wins, totals - wins - wins.T, totals)


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


# Range against range.

#: Of this many combos on a board, all pairs are counted faster together with the others.
_MANY_COMBOS = 800


@dataclass(frozen=True, eq=False)
class SideEquity:
    """What one side's combos win against the other side's range.

    Attributes:
        matchups: ``[1326]`` weight of the deals in which the side holds the combo.
        equity: ``[1326]`` the combo's share of the pot, NaN where ``matchups`` is 0.
    """

    matchups: FloatArray
    equity: FloatArray

    def equity_by_hand(self) -> dict[str, float]:
        """Returns the equity of each of the 169 hands that is held, by its name (``AKs``)."""
        won = np.bincount(HAND_BY_COMBO, self.matchups * np.nan_to_num(self.equity), NUM_HANDS)
        held = np.bincount(HAND_BY_COMBO, self.matchups, NUM_HANDS)
        return {HAND_NAMES[hand]: float(won[hand] / held[hand]) for hand in np.flatnonzero(held)}


@dataclass(frozen=True, eq=False, repr=False)
class Equity:
    """The outcome of an all-in between two ranges.

    Attributes:
        win: probability that the hero wins.
        tie: probability of a split pot.
        lose: probability that the villain wins.
        matchups: weight of all deals in which both hold a combo of their range.
        hero: the hero's combos.
        villain: the villain's combos.
    """

    win: float
    tie: float
    lose: float
    matchups: float
    hero: SideEquity
    villain: SideEquity

    @property
    def equity(self) -> float:
        """The hero's share of the pot."""
        return self.win + self.tie / 2

    def __repr__(self) -> str:
        parts = f"win {self.win:.2%}, tie {self.tie:.2%}, lose {self.lose:.2%}"
        return f"<Equity {self.equity:.2%}: {parts}>"


def equity(
    hero: str | Range | FloatArray,
    villain: str | Range | FloatArray,
    board: str | Sequence[int] = "",
) -> Equity:
    """Returns the exact all-in equity of two hands or ranges, with card removal.

    Before the flop a shipped table of all matchups answers; on a board every runout is enumerated.

    >>> import runout
    >>> runout.equity("AA", "KK")
    <Equity 81.95%: win 81.71%, tie 0.46%, lose 17.82%>
    >>> round(runout.equity("22+,AK:0.5", runout.Range("QQ"), "Th9h2c").equity, 4)
    0.352

    Args:
        hero: text such as ``AhKh`` or ``22+,AK:0.5``, a `Range` or its ``[1326]`` weights.
        villain: the same for the opponent.
        board: no cards, or a flop, turn or river.

    Raises:
        CardError: if the board has another number of cards, or repeats one.
        RangeError: if a range cannot be read, the board leaves nothing of it, or no two combos
            of the ranges can be dealt together; a card that is to blame is named.
    """
    cards = parse_board(board) if isinstance(board, str) and board else tuple(map(int, board))
    if cards:
        require_board(cards)
    names = [
        quote(hands) if isinstance(hands, str) else f"{side}'s range"
        for side, hands in (("hero", hero), ("villain", villain))
    ]
    ours, theirs = Range(hero).live_on(cards, names[0]), Range(villain).live_on(cards, names[1])
    rows, columns = (np.flatnonzero(held.weights > 0.0) for held in (ours, theirs))
    can_meet = disjoint_combos(rows, columns).astype(np.float64)
    pair_weight = can_meet * ours.weights[rows, None] * theirs.weights[columns]
    matchups = float(pair_weight.sum())
    if matchups == 0.0:
        shared = set(ours.common_cards()) & set(theirs.common_cards())
        reason = f"both hold {format_cards(sorted(shared, reverse=True))}" if shared else ""
        raise RangeError(
            " and ".join(names), reason or "every combo of one blocks every combo of the other"
        )
    table = _equity_table(cards, np.union1d(rows, columns))
    won = table.wins_between(rows, columns) / table.num_runouts
    lost = table.wins_between(columns, rows).T / table.num_runouts
    hero_share = (1.0 + won - lost) / 2.0
    win, lose = float((pair_weight * won).sum()), float((pair_weight * lost).sum())
    return Equity(
        win=win / matchups,
        tie=max(matchups - win - lose, 0.0) / matchups,  # no rounding error below 0
        lose=lose / matchups,
        matchups=matchups,
        hero=_side(rows, pair_weight, hero_share),
        villain=_side(columns, pair_weight.T, 1.0 - hero_share.T),
    )


def _equity_table(board: Sequence[int], combos: IntArray) -> "BoardEquity | PreflopEquity":
    if not board:
        return preflop_equity()
    # Imported here because only boards need kernels: preflop questions are answered at once.
    from runout.equity.board import compute_board_equity

    # Renaming suits spares runouts, which pays only where there are most combos.
    return compute_board_equity(board, combos if len(combos) < _MANY_COMBOS else None)


def _side(combos: IntArray, pair_weight: FloatArray, share: FloatArray) -> SideEquity:
    matchups = np.zeros(NUM_COMBOS)
    won = np.zeros(NUM_COMBOS)
    matchups[combos] = pair_weight.sum(axis=1)
    won[combos] = (pair_weight * share).sum(axis=1)
    return SideEquity(matchups, divide(won, matchups))
