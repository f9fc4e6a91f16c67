"""Showdowns the obvious way: deal every runout, ask another program's evaluator, compare."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from phevaluator import evaluate_cards

from runout.cards.deck import COMBO_CARDS, card_rank, card_suit

NUM_STRENGTHS = 7462

_DISJOINT = ~(COMBO_CARDS[:, None, :, None] == COMBO_CARDS[:, None, :]).any(axis=(2, 3))


class Outcomes(NamedTuple):
    """Runouts on which the first hand wins, splits and loses."""

    wins: int
    ties: int
    losses: int


def strength(cards: Sequence[int]) -> int:
    """Returns 1 for the weakest hand up to 7462; phevaluator counts the other way round."""
    return NUM_STRENGTHS + 1 - evaluate_cards(*cards)


def count_outcomes(hero: Sequence[int], villain: Sequence[int], board: Sequence[int]) -> Outcomes:
    """Deals every completion of the board for two hands that share no card."""
    dead = {*hero, *villain, *board}
    rest = [card for card in range(52) if card not in dead]
    wins = ties = losses = 0
    for runout in combinations(rest, 5 - len(board)):
        mine, theirs = strength([*hero, *board, *runout]), strength([*villain, *board, *runout])
        wins += mine > theirs
        ties += mine == theirs
        losses += mine < theirs
    return Outcomes(wins, ties, losses)


def strengths_on(board: Sequence[int]) -> np.ndarray:
    """Returns ``[1326]`` the strength of every combo on a board, 0 where it is blocked."""
    return np.array(
        [0 if set(combo) & set(board) else strength([*combo, *board]) for combo in combos()]
    )


def combos() -> list[tuple[int, int]]:
    """Returns the 1,326 combos in our numbering."""
    return [(low, high) for high in range(52) for low in range(high)]


def doubled_scores_on(board: Sequence[int]) -> np.ndarray:
    """Returns ``[1326]`` 2 per beaten and 1 per tied villain on a complete board, -1 if blocked."""
    strengths = strengths_on(board)
    is_live = strengths > 0
    beaten = (strengths[:, None] > strengths) & is_live & _DISJOINT
    tied = (strengths[:, None] == strengths) & is_live & _DISJOINT
    return np.where(is_live, 2 * beaten.sum(axis=1) + tied.sum(axis=1), -1)


def rename(cards: Sequence[int], new_suits: Sequence[int]) -> tuple[int, ...]:
    """Returns the cards with suit ``s`` turned into ``new_suits[s]``."""
    return tuple(4 * card_rank(card) + new_suits[card_suit(card)] for card in cards)
