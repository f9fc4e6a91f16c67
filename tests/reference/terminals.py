"""Values of folds and showdowns against a range, one pair of hands after the other."""

from itertools import product

import numpy as np


def value_of_fold(matchups, reach):
    """Returns ``[H]`` how much of the hands that arrive with ``reach[O]`` each of hero's meets."""
    values = np.zeros(len(matchups.hands.hero_cards))
    for hand, other in product(matchups.hero_order, matchups.villain_order):
        values[hand] += _is_possible(matchups, hand, other) * float(reach[other])
    return values


def value_of_showdown(matchups, strengths, reach):
    """Returns ``[H]`` what hero's hands win or lose; strengths are of both orders of hands."""
    values = np.zeros(len(matchups.hands.hero_cards))
    mine, theirs = (np.asarray(strength, dtype=int) for strength in strengths)
    for (i, hand), (j, other) in product(
        enumerate(matchups.hero_order), enumerate(matchups.villain_order)
    ):
        sign = np.sign(mine[i] - theirs[j]) * _is_possible(matchups, hand, other)
        values[hand] += sign * float(reach[other])
    return values


def _is_possible(matchups, hand, other):
    return not set(matchups.hands.hero_cards[hand]) & set(matchups.hands.villain_cards[other])
