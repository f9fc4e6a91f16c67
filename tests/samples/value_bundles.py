"""A small bundle of values, written without solving anything."""

from runout.solutions.values import ValueBundle
from tests.samples.result_samples import random_values

#: Two ratios on AsKhQd, 9s6s2s and 2s2h2d, of multiplicities 24, 4 and 12; the second ratio has
#: a third that nobody can type.
SPRS = (3.5, 17 / 3)


def make_values(sprs=SPRS):
    """Returns random values at each of the ratios."""
    solved = [random_values(spr, seed=number) for number, spr in enumerate(sprs)]
    return ValueBundle(tuple(solved), "solve_type: exhaustive\n", "ab" * 32, seed=7)
