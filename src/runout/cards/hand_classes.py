"""What a holding is on a board, in the words of players: made hand, kicker, draws, nut rank.

A made hand is named by what the hole cards add; docs/cards.md has the rules. A hand that the board
has by itself is nobody's: on KK7, A7 has middle pair and AQ one overcard, though both are called
more at a showdown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np

from runout.arrays import BoolArray, Int16Array, IntArray, Uint8Array, read_only
from runout.cards.deck import FLOP_SIZE, NUM_COMBOS, NUM_RANKS, NUM_SUITS, RIVER_SIZE, card_rank
from runout.cards.hand_ranking import (
    HIGH_RANK,
    LOW_RANK,
    HandCategory,
    category_of_score,
    deciding_rank,
    held_suited_ranks,
    score_board,
    score_of_board_alone,
    straight_top,
    suited_ranks,
)
from runout.errors import CardError, quote

_ALL_RANKS = (1 << NUM_RANKS) - 1
_NUM_GOOD_KICKERS = 2
_IS_POCKET_PAIR: BoolArray = LOW_RANK == HIGH_RANK
#: ``[13, 13]`` two ranks as a bit set.
_HELD_RANKS: IntArray = np.bitwise_or.outer(1 << np.arange(NUM_RANKS), 1 << np.arange(NUM_RANKS))


class _NamedClass(IntEnum):
    @property
    def label(self) -> str:
        """The name on the command line and on the page, such as ``top-pair``."""
        return self.name.lower().replace("_", "-")


class MadeHand(_NamedClass):
    """What a combo has made, weakest first; each live combo has one."""

    BLOCKED = 0
    PLAYS_BOARD = 1
    NO_OVERCARDS = 2
    ONE_OVERCARD = 3
    TWO_OVERCARDS = 4
    LOW_PAIR = 5
    UNDERPAIR = 6
    MIDDLE_PAIR = 7
    TOP_PAIR = 8
    OVERPAIR = 9
    TWO_PAIR = 10
    TRIPS = 11
    SETS = 12
    STRAIGHTS = 13
    FLUSHES = 14
    FULL_HOUSES = 15
    QUADS = 16
    STRAIGHT_FLUSHES = 17


class Kicker(_NamedClass):
    """How good the other hole card is beside a pair or trips of one hole card."""

    NONE = 0
    WEAK = 1
    GOOD = 2
    TOP = 3


class Draw(_NamedClass):
    """What a combo may still make; it can have several."""

    FLUSH_DRAWS = 0
    NUT_FLUSH_DRAWS = 1
    BACKDOOR_FLUSH_DRAWS = 2
    OPEN_ENDED = 3
    GUTSHOTS = 4
    COMBO_DRAWS = 5


_KICKER_NAMES = {
    f"top-pair-{kicker.label}-kicker": kicker for kicker in (Kicker.TOP, Kicker.GOOD, Kicker.WEAK)
}
_CLASS_BY_NAME: dict[str, MadeHand | Draw] = {
    member.label: member for member in (*list(MadeHand)[1:], *Draw)
}
_GROUPS = {
    "high-card": ("plays-board", "no-overcards", "one-overcard", "two-overcards"),
    "pairs": ("low-pair", "underpair", "middle-pair", "top-pair", "overpair"),
    "straight-draws": ("open-ended", "gutshots"),
    "draws": ("flush-draws", "open-ended", "gutshots"),
}

#: Every name that `parse_hand_classes` knows: made hands, draws, kickers of top pair, groups.
HAND_CLASS_NAMES: tuple[str, ...] = (*_CLASS_BY_NAME, *_KICKER_NAMES, *_GROUPS)


@dataclass(frozen=True, eq=False)
class HandClasses:
    """What every combo is on one board.

    Attributes:
        board: 3 to 5 cards.
        made: ``[1326]`` a `MadeHand`, ``BLOCKED`` for combos that share a card with the board.
        kicker: ``[1326]`` a `Kicker`.
        draws: ``[1326, 6]`` whether the combo has the `Draw`; none on a river.
        nut_rank: ``[1326]`` 1 for the best hand that the board allows now, 2 for the next, and so
            on; equal hands share a rank; 0 where blocked.
    """

    board: tuple[int, ...]
    made: Uint8Array
    kicker: Uint8Array
    draws: BoolArray
    nut_rank: Int16Array

    def mask(self, names: Iterable[str]) -> BoolArray:
        """Returns ``[1326]`` the live combos that are in any of the named classes."""
        mask = np.zeros(NUM_COMBOS, dtype=np.bool_)
        for name in names:
            _require_name(name)
            if name in _GROUPS:
                mask |= self.mask(_GROUPS[name])
            elif name in _KICKER_NAMES:
                mask |= (self.made == MadeHand.TOP_PAIR) & (self.kicker == _KICKER_NAMES[name])
            elif isinstance(member := _CLASS_BY_NAME[name], Draw):
                mask |= self.draws[:, member]
            else:
                mask |= self.made == member
        return mask


def parse_hand_classes(text: str) -> tuple[str, ...]:
    """Reads names of classes between commas, such as ``sets,flush-draws``, each kept once."""
    names = tuple(dict.fromkeys(name.strip().lower() for name in text.split(",")))
    for name in names:
        _require_name(name)
    return names


def classify_hands(board: Sequence[int]) -> HandClasses:
    """Returns what all 1,326 combos are on a flop, turn or river."""
    score = score_board(board)
    board_ranks = sorted({card_rank(card) for card in board}, reverse=True)
    pair_rank = _rank_of_counting_pair(score)
    made = _made_hands(score, score_of_board_alone(board), board_ranks, pair_rank)
    different = np.unique(score[score > 0])
    nut_rank = np.where(score > 0, len(different) - np.searchsorted(different, score), 0)
    return HandClasses(
        board=tuple(board),
        made=read_only(made),
        kicker=read_only(_kickers(score, made, board_ranks, pair_rank)),
        draws=read_only(_draws(board, score)),
        nut_rank=read_only(nut_rank.astype(np.int16)),
    )


def _require_name(name: str) -> None:
    if name not in HAND_CLASS_NAMES:
        what = f"{quote(name)} is no class of hands" if name else "a name is missing"
        raise CardError("hand classes", f"{what}, use some of {', '.join(HAND_CLASS_NAMES)}")


def _is_held(rank: IntArray) -> BoolArray:
    held: BoolArray = (LOW_RANK == rank) | (HIGH_RANK == rank)
    return held


def _rank_of_counting_pair(score: IntArray) -> IntArray:
    """Returns ``[1326]`` the highest pair of a hole card among the best five cards, else -1."""
    category = category_of_score(score)
    first, second = deciding_rank(score, 0), deciding_rank(score, 1)
    is_two_pair = category == HandCategory.TWO_PAIR
    is_first = ((category == HandCategory.PAIR) | is_two_pair) & _is_held(first)
    return np.where(is_first, first, np.where(is_two_pair & _is_held(second), second, -1))


def _made_hands(
    score: IntArray, board_score: int, board_ranks: list[int], pair_rank: IntArray
) -> Uint8Array:
    """Returns ``[1326]`` made hands: the first rule that applies.

    ``board_score`` is of the board alone, 0 before the river; its different ranks fall.
    """
    category = category_of_score(score)
    has_first, has_second = _is_held(deciding_rank(score, 0)), _is_held(deciding_rank(score, 1))
    has_trips = (category == HandCategory.TRIPS) & has_first
    has_two_pair = (category == HandCategory.TWO_PAIR) & has_first & has_second
    has_pair = pair_rank >= 0
    second_rank = board_ranks[1] if len(board_ranks) > 1 else -1
    num_overcards = (LOW_RANK > board_ranks[0]).astype(np.int64) + (HIGH_RANK > board_ranks[0])
    rules = [
        (score == 0, MadeHand.BLOCKED),
        (score == board_score, MadeHand.PLAYS_BOARD),
        (category == HandCategory.STRAIGHT, MadeHand.STRAIGHTS),
        (category == HandCategory.FLUSH, MadeHand.FLUSHES),
        (category == HandCategory.FULL_HOUSE, MadeHand.FULL_HOUSES),
        (category == HandCategory.STRAIGHT_FLUSH, MadeHand.STRAIGHT_FLUSHES),
        ((category == HandCategory.QUADS) & has_first, MadeHand.QUADS),
        (has_trips & _IS_POCKET_PAIR, MadeHand.SETS),
        (has_trips, MadeHand.TRIPS),
        (has_two_pair, MadeHand.TWO_PAIR),
        (has_pair & _IS_POCKET_PAIR & (pair_rank > board_ranks[0]), MadeHand.OVERPAIR),
        (has_pair & _IS_POCKET_PAIR, MadeHand.UNDERPAIR),
        (has_pair & (pair_rank == board_ranks[0]), MadeHand.TOP_PAIR),
        (has_pair & (pair_rank == second_rank), MadeHand.MIDDLE_PAIR),
        (has_pair, MadeHand.LOW_PAIR),
        (num_overcards == 2, MadeHand.TWO_OVERCARDS),
        (num_overcards == 1, MadeHand.ONE_OVERCARD),
    ]
    conditions, hands = zip(*rules, strict=True)
    made: Uint8Array = np.select(conditions, hands, MadeHand.NO_OVERCARDS).astype(np.uint8)
    return made


def _kickers(
    score: IntArray, made: Uint8Array, board_ranks: list[int], pair_rank: IntArray
) -> Uint8Array:
    """Returns ``[1326]`` kickers, ``NONE`` for hands without one."""
    own_rank = np.where(made == MadeHand.TRIPS, deciding_rank(score, 0), pair_rank)
    rank = np.where(LOW_RANK == own_rank, HIGH_RANK, LOW_RANK)
    # Unused places of a score hold zeros; they look like deuces, which are weak in any case.
    counts = np.any([deciding_rank(score, place) == rank for place in (1, 2, 3)], axis=0)
    by_rank = np.full(NUM_RANKS, Kicker.WEAK, dtype=np.int64)
    missing = [rank for rank in range(NUM_RANKS - 1, -1, -1) if rank not in board_ranks]
    by_rank[missing[: 1 + _NUM_GOOD_KICKERS]] = Kicker.GOOD
    by_rank[missing[0]] = Kicker.TOP
    kicker = np.where(counts, by_rank[rank], Kicker.WEAK)
    has_kicker = (made == MadeHand.TRIPS) | ((pair_rank >= 0) & ~_IS_POCKET_PAIR)
    has_kicker &= made != MadeHand.TWO_PAIR
    return np.where(has_kicker, kicker, Kicker.NONE).astype(np.uint8)


def _draws(board: Sequence[int], score: IntArray) -> BoolArray:
    """Returns ``[1326, 6]`` the draws."""
    draws = np.zeros((NUM_COMBOS, len(Draw)), dtype=np.bool_)
    if len(board) == RIVER_SIZE:
        return draws
    for suit in range(NUM_SUITS):
        on_board, held = suited_ranks(board, suit), held_suited_ranks(suit)
        num_suited = np.bitwise_count(on_board | held)
        has_four = (held > 0) & (num_suited == 4)
        highest_missing = (_ALL_RANKS & ~on_board).bit_length() - 1
        draws[:, Draw.FLUSH_DRAWS] |= has_four
        draws[:, Draw.NUT_FLUSH_DRAWS] |= has_four & (held >> highest_missing == 1)
        if len(board) == FLOP_SIZE:
            draws[:, Draw.BACKDOOR_FLUSH_DRAWS] |= (held > 0) & (num_suited == 3)
    num_completing = _num_completing_ranks(board)
    draws[:, Draw.OPEN_ENDED] = num_completing >= 2
    draws[:, Draw.GUTSHOTS] = num_completing == 1
    category = category_of_score(score)
    to_flush = [Draw.FLUSH_DRAWS, Draw.NUT_FLUSH_DRAWS, Draw.BACKDOOR_FLUSH_DRAWS]
    draws[:, to_flush] &= (category < HandCategory.FLUSH)[:, None]
    draws[:, [Draw.OPEN_ENDED, Draw.GUTSHOTS]] &= (category < HandCategory.STRAIGHT)[:, None]
    has_straight_draw = draws[:, Draw.OPEN_ENDED] | draws[:, Draw.GUTSHOTS]
    draws[:, Draw.COMBO_DRAWS] = draws[:, Draw.FLUSH_DRAWS] & has_straight_draw
    draws[score == 0] = False
    return draws


def _num_completing_ranks(board: Sequence[int]) -> IntArray:
    """Returns ``[1326]`` how many ranks make a straight that the board does not have with them."""
    tops = _straight_tops()
    on_board = sum({1 << card_rank(card) for card in board})
    held = on_board | _HELD_RANKS
    num_ranks = np.zeros(held.shape, dtype=np.int64)
    for rank in range(NUM_RANKS):
        num_ranks += tops[held | 1 << rank] > tops[on_board | 1 << rank]
    by_combo: IntArray = num_ranks[HIGH_RANK, LOW_RANK]
    return by_combo


@cache
def _straight_tops() -> IntArray:
    """Returns ``[8192]`` the highest rank of the best straight of every set of ranks, else -1."""
    return read_only(np.array([straight_top(rank_set) for rank_set in range(1 << NUM_RANKS)]))
