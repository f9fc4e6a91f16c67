"""Range against range, before the flop or on any board, exactly and with card removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runout.arrays import FloatArray, IntArray, divide
from runout.cards.deck import (
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    disjoint_combos,
    format_cards,
    parse_board,
    require_board,
)
from runout.cards.ranges import Range
from runout.equity.preflop import PreflopEquity, preflop_equity
from runout.errors import RangeError, quote

if TYPE_CHECKING:
    from runout.equity.board import BoardEquity


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
    table = _equity_table(cards)
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


def _equity_table(board: Sequence[int]) -> "BoardEquity | PreflopEquity":
    if not board:
        return preflop_equity()
    # Imported here because only boards need kernels: preflop questions are answered at once.
    from runout.equity.board import compute_board_equity

    return compute_board_equity(board)


def _side(combos: IntArray, pair_weight: FloatArray, share: FloatArray) -> SideEquity:
    matchups = np.zeros(NUM_COMBOS)
    won = np.zeros(NUM_COMBOS)
    matchups[combos] = pair_weight.sum(axis=1)
    won[combos] = (pair_weight * share).sum(axis=1)
    return SideEquity(matchups, divide(won, matchups))
