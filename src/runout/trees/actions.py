"""What a player can do at a decision, and how people read it.

The amount of an action is what its player will have put in **on this street**, all in all: a bet
of 40 and a raise to 100 have amounts 40 and 100, a call has the amount that it matches, and
checks and folds leave the amount as it was. Its unit is that of the tree (see
`runout.trees.betting.Stakes`).
"""

from enum import IntEnum
from typing import NamedTuple


class ActionKind(IntEnum):
    """The six kinds of action; a bet or raise of the whole stack is always `ALL_IN`."""

    FOLD = 0
    CHECK = 1
    CALL = 2
    BET = 3
    RAISE = 4
    ALL_IN = 5


#: The kinds that put in more than the opponent has.
AGGRESSIVE_KINDS = frozenset({ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN})

#: The letters of the kinds in paths, in the order of the kinds.
ACTION_LETTERS = "fxcbra"


class Action(NamedTuple):
    """One action.

    Attributes:
        kind: what the player does.
        amount: what the player has then put in on this street, in the unit of the tree.
    """

    kind: ActionKind
    amount: float

    @property
    def is_aggressive(self) -> bool:
        """Whether the opponent has to answer a new amount."""
        return self.kind in AGGRESSIVE_KINDS


def format_action(action: Action, fraction: float | None = None) -> str:
    """Writes an action for people: ``check``, ``bet 50% (0.5)``, ``raise to 3.2 (75%)``.

    Args:
        action: the action.
        fraction: what a bet or raise adds to the opponent's amount, over the pot after calling;
            left out of the text if not given.
    """
    amount = format_amount(action.amount)
    percent = "" if fraction is None else f"{format_percentage(fraction)}%"
    match action.kind:
        case ActionKind.BET:
            return f"bet {percent} ({amount})" if percent else f"bet {amount}"
        case ActionKind.RAISE:
            return f"raise to {amount} ({percent})" if percent else f"raise to {amount}"
        case ActionKind.ALL_IN:
            return f"all-in {amount}"
        case _:
            return action.kind.name.lower()


def format_amount(amount: float) -> str:
    """Writes an amount with at most three decimals and no trailing zeros: ``0.5``, ``910``."""
    return f"{amount:.3f}".rstrip("0").rstrip(".")


def format_percentage(fraction: float) -> str:
    """Writes a fraction as a percentage with at most one decimal, without the sign: ``33.3``.

    Sizes closer than 0.1 % of the pot are one action, so siblings never share a text.
    """
    return f"{100 * fraction:.1f}".removesuffix(".0")
