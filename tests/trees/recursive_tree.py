"""The slow, obvious twin of the postflop tree: recursion over exact fractions, in pots."""

from fractions import Fraction
from typing import NamedTuple

TOLERANCE = Fraction(1, 1000)


class Leaf(NamedTuple):
    actions: tuple[str, ...]  # one letter each
    ending: str  # "fold by 0", "fold by 1" or "showdown"
    invested: tuple[Fraction, Fraction]


def leaves(stack, sizes, max_raises, street):
    """Every leaf of the tree with pot 1, from ``street`` (0 flop, 2 river) on, in no order."""
    found = []
    _grow(found, stack, sizes, max_raises, street, 0, (Fraction(0),) * 2, 0, Fraction(0), ())
    return found


def _grow(found, stack, sizes, max_raises, street, player, x, bets, increment, actions):
    mine, theirs = x[player], x[1 - player]

    def next_street(letter, level):
        if street == 2 or level == stack:
            found.append(Leaf((*actions, letter), "showdown", (level, level)))
        else:
            _grow(
                found, stack, sizes, max_raises, street + 1, 0, (level, level), 0, Fraction(0),
                (*actions, letter),
            )  # fmt: skip

    if theirs > mine:
        found.append(Leaf((*actions, "f"), f"fold by {player}", x))
        next_street("c", theirs)
    elif player == 0:
        _grow(found, stack, sizes, max_raises, street, 1, x, bets, increment, (*actions, "x"))
    else:
        next_street("x", mine)
    if bets > max_raises or theirs == stack:
        return
    for level in _levels(stack, sizes, theirs, increment):
        y = (level, theirs) if player == 0 else (theirs, level)
        letter = "a" if level == stack else "r" if bets else "b"
        _grow(
            found, stack, sizes, max_raises, street, 1 - player, y, bets + 1, level - theirs,
            (*actions, letter),
        )  # fmt: skip


def _levels(stack, sizes, theirs, increment):
    pot = 1 + 2 * theirs
    levels = [stack]
    for size in sorted(sizes, reverse=True):
        level = theirs + max(size * pot, increment)
        if level >= stack or stack - level <= TOLERANCE * (1 + 2 * level):
            continue
        if levels[-1] - level <= TOLERANCE * (pot + level - theirs):
            continue
        levels.append(level)
    return levels
