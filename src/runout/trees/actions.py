"""What a player can do at a decision, and how people read it.

The amount of an action is what its player will have put in **on this street**, all in all: a bet
of 40 and a raise to 100 have amounts 40 and 100, a call has the amount that it matches, and
checks and folds leave the amount as it was. Its unit is that of the tree (see
`runout.trees.betting.Stakes`).
"""

from dataclasses import dataclass, field
from enum import IntEnum

from runout.trees.sizes import AFTER_FLOP, BetSize, SizeStyle, format_bet_size


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


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    Attributes:
        kind: what the player does.
        amount: what the player has then put in on this street, in the unit of the tree.
        size: the size that was asked for; None if there is none, or the rules of the game made
            another amount of it. Actions of the same amount are equal, whatever was asked for.
    """

    kind: ActionKind
    amount: float
    size: BetSize | None = field(default=None, compare=False)

    @property
    def is_aggressive(self) -> bool:
        """Whether the opponent has to answer a new amount."""
        return self.kind in AGGRESSIVE_KINDS


def format_action(action: Action, style: SizeStyle = AFTER_FLOP) -> str:
    """Writes an action for people: ``check``, ``bet 33% (59)``, ``raise 3x (to 177)``.

    The size comes as it was asked for, the amount second; a size that is an amount comes once.
    """
    if not action.is_aggressive:
        return action.kind.name.lower()
    amount = format_amount(action.amount)
    if action.kind == ActionKind.ALL_IN:
        return f"all-in {amount}"
    size, is_bet = action.size, action.kind == ActionKind.BET
    if size is None or (size.unit in ("bb", "c") and format_amount(size.number) == amount):
        return f"bet {amount}" if is_bet else f"raise to {amount}"
    text = format_bet_size(size, style)
    return f"bet {text} ({amount})" if is_bet else f"raise {text} (to {amount})"


def format_amount(amount: float) -> str:
    """Writes an amount with at most three decimals and no trailing zeros: ``0.5``, ``910``."""
    return f"{amount:.3f}".rstrip("0").rstrip(".")


def format_percentage(fraction: float) -> str:
    """Writes a fraction as a percentage with at most one decimal, without the sign: ``33.3``.

    Sizes closer than 0.1 % of the pot are one action, so siblings never share a text.
    """
    return f"{100 * fraction:.1f}".removesuffix(".0")
