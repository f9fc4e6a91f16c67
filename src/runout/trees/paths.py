"""The one syntax of paths, and lines: a node is named by its steps, as ``x:b59:c:Ah:x``.

A step is an action at a decision and a card where one is dealt; a flop is three cards in one step.
Steps are written with ``:`` between them, before the flop (``r2.5:c``) and after it. The number of
a bet or raise is what the player has then put in on this street, in chips or big blinds; in trees
in pots it is a percentage of the pot.

Reading is generous. Steps may be parted by ``:``, ``-``, commas or spaces, in any case, and an
action may be written as

========================== ================================================================
``x``, ``check``           check
``c``, ``call``, ``limp``  call; also a check where nothing is to be called
``f``, ``fold``            fold
``a``, ``all-in``          all-in
``b59``, ``bet 59``        to this amount; ``b`` and ``r`` mean the same, also for an all-in
``b33%``, ``bet 33%``      of this size, as it was asked for or as it is after rounding
``r3x``, ``raise 3x``      likewise a multiple of the last bet, big blinds (``2.5bb``), pots
                           (``1p``), chips (``100c``) or a geometric size (``2e``)
``bet``, ``raise``         the only one there is
========================== ================================================================

A path with ``r:0`` in front is PioSOLVER's, whose bets are what the player has put in on all
streets together.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from runout.errors import TreeError, quote
from runout.trees.actions import (
    ACTION_LETTERS,
    Action,
    ActionKind,
    format_amount,
    format_percentage,
)
from runout.trees.sizes import AFTER_FLOP, BEFORE_FLOP, format_bet_size

if TYPE_CHECKING:
    from runout.trees.betting import BettingState, Stakes
    from runout.trees.tree import BettingTree

#: Between the steps of a path as it is written.
SEPARATOR = ":"

_SPLIT = re.compile(r"\s*[:,-]\s*|\s+")
_ALL_IN = re.compile(r"\ball[\s-]?in\b(\s+[\d.]+(?=$|[\s:,-]))?", re.IGNORECASE)
_SIZED = re.compile(r"\b(bet|raise)(\s+to)?\s+(?=[\d.])", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_CARD = re.compile(r"[2-9tjqka][cdhs]", re.IGNORECASE)
_CARDS = re.compile(rf"(?:{_CARD.pattern}){{1,3}}", re.IGNORECASE)
_ROOT_STEPS = ("r", "0")
_NUM_FLOP_CARDS = 3

#: The letter of each word for an action.
_LETTERS = {letter: letter for letter in ACTION_LETTERS} | {
    **{"fold": "f", "check": "x", "call": "c", "limp": "c", "bet": "b", "raise": "r"},
    **{"allin": "a", "jam": "a", "shove": "a"},
}

_WORD = "|".join(sorted(_LETTERS, key=len, reverse=True))
_SIZE = r"(\d+(?:\.\d*)?|\.\d+)(%|x|bb|c|p)?|\d*e[\d.%]*"
_ACTION = re.compile(rf"({_WORD})({_SIZE})?", re.ASCII)

#: The kinds that a letter without a number can mean, where they are more than its own.
_ALSO = {"c": "cx", "b": "br", "r": "br"}


class PathSteps(NamedTuple):
    """A path as it was given, and its steps, actions and cards.

    If ``is_total``, the number of a bet is the sum of all streets, as PioSOLVER writes it.
    """

    text: str
    steps: tuple[str, ...]
    is_total: bool = False

    def where(self, number: int) -> str:
        """Returns how errors name a step, by its number from 0."""
        return f"path {quote(self.text)}, step {number + 1}"

    def place(self, number: int) -> str:
        """Returns how errors name the node at which a step begins."""
        before = SEPARATOR.join(self.steps[:number])
        return f"after {quote(before)}" if before else "at the root"

    def follow(self, tree: "BettingTree", node: int, number: int) -> int:
        """Returns the node that a step leads to from a node of the tree.

        Raises:
            TreeError: if it is not an action there, with the actions that are possible.
        """
        step = self.steps[number]
        found = find_action(tree, node, step, self.is_total)
        if found is None:
            codes = ", ".join(_describe(tree, child) for child in tree.layout.children(node))
            possible = f"possible: {codes}" if codes else "the betting is over"
            problem = f"{quote(step)} is not an action {self.place(number)}; {possible}"
            raise TreeError(self.where(number), problem)
        return found


def read_path(text: str) -> PathSteps:
    """Splits a path into its steps; `find_node` and `PathSteps.follow` say what they mean.

    >>> read_path("x b33% call Ah").steps
    ('x', 'b33%', 'call', 'Ah')
    """
    plain = _SIZED.sub(r"\1", _ALL_IN.sub("a", _IN_BRACKETS.sub("", text.strip())))
    steps: list[str] = []
    cards = 0
    for step in _SPLIT.split(plain) if plain else []:
        steps.append(step)
        cards = cards + 1 if _CARD.fullmatch(step) else 0
        if cards == _NUM_FLOP_CARDS:  # in one step; a turn and a river are no more than two cards
            steps[-_NUM_FLOP_CARDS:] = ["".join(steps[-_NUM_FLOP_CARDS:])]
            cards = 0
    is_total = tuple(step.lower() for step in steps[: len(_ROOT_STEPS)]) == _ROOT_STEPS
    return PathSteps(text.strip(), tuple(steps[len(_ROOT_STEPS) * is_total :]), is_total)


def join_path(*parts: str) -> str:
    """Writes steps or paths one after another as one path; empty ones are left out."""
    return SEPARATOR.join(filter(None, parts))


def find_node(tree: "BettingTree", path: str) -> int:
    """Returns the node of a tree without cards that a path leads to; the empty one to the root.

    Raises:
        TreeError: naming the first step that is not an action, and the possible actions.
    """
    given, node = read_path(path), 0
    for number in range(len(given.steps)):
        node = given.follow(tree, node, number)
    return node


def format_pio_id(tree: "BettingTree", path: str) -> str:
    """Returns PioSOLVER's id of a node: ``x:b59:c:Ah`` is ``r:0:c:b59:c:Ah``.

    A check is a ``c``, and ``b`` and a number is what the player has put in since the root.

    Raises:
        TreeError: naming the first step that is not an action, and the possible actions.
    """
    given, node, parts = read_path(path), 0, [*_ROOT_STEPS]
    for number, step in enumerate(given.steps):
        if _CARDS.fullmatch(step):
            parts.append(step)
            continue
        node = given.follow(tree, node, number)
        parts.append(pio_step(tree, node))
    return SEPARATOR.join(parts)


def pio_step(tree: "BettingTree", node: int) -> str:
    """Returns the action that leads to a node as PioSOLVER writes it."""
    letter, amount = ACTION_LETTERS[tree.action_kind[node]], f"b{format_amount(_total(tree, node))}"
    return {"x": "c", "c": "c", "f": "f"}.get(letter, amount)


def find_action(tree: "BettingTree", node: int, step: str, is_total: bool = False) -> int | None:
    """Returns the node that an action leads to, None if no action or more than one is meant.

    If ``is_total``, a number is what was put in on all streets, antes not counted; one that no bet
    comes to is read as always.
    """
    match = _ACTION.fullmatch(step.lower())
    if match is None:
        return None
    letter, children = _LETTERS[match[1]], tree.layout.children(node)
    if match[2] is None:
        kinds = _ALSO.get(letter, letter)
        found = [c for c in children if ACTION_LETTERS[tree.action_kind[c]] in kinds]
    elif letter in "bra":
        bets = [child for child in children if tree.action_to(child).is_aggressive]
        found = _bets_of_size(tree, bets, match, is_total)
    else:
        return None
    return found[0] if len(found) == 1 else None


def _bets_of_size(
    tree: "BettingTree", bets: list[int], match: re.Match[str], is_total: bool
) -> list[int]:
    """Returns the bets that a size means: as a total, as asked for, or as it came out."""
    _, size, number, unit = match.groups()
    if number is not None and unit is None:
        value = float(number)
        if is_total:
            amount = format_amount(value)
            if found := [c for c in bets if format_amount(_total(tree, c)) == amount]:
                return found
        is_amount = tree.stakes.is_in_chips or tree.stakes.is_in_big_blinds
        text = format_amount(value) if is_amount else format_percentage(value / 100.0)
        return [child for child in bets if tree.action_size(child) == text]
    asked = []
    for child in bets:
        requested = tree.requested[child]
        texts = [format_bet_size(requested, s) for s in (AFTER_FLOP, BEFORE_FLOP) if requested]
        if size in texts:
            asked.append(child)
    if asked or number is None:
        return asked
    decimals = len(number.partition(".")[2])
    return [c for c in bets if round(_measure(tree, c, unit), decimals) == float(number)]


def _total(tree: "BettingTree", node: int) -> float:
    actor = tree.layout.actor[tree.layout.parent[node]]
    return float(tree.invested[node, actor]) - tree.stakes.ante


def _measure(tree: "BettingTree", node: int, unit: str) -> float:
    """Returns the size of a bet in a unit of sizes, NaN where it has no meaning."""
    if unit in "%p":
        return (100.0 if unit == "%" else 1.0) * tree.action_fraction(node)
    chips = 1.0 if tree.stakes.is_in_chips else 0.0
    one = {"x": tree.opponent_amount(node), "bb": tree.stakes.big_blind, "c": chips}[unit]
    return float(tree.action_amount[node]) / one if one > 0.0 else float("nan")


def _describe(tree: "BettingTree", node: int) -> str:
    """Writes an action for the list of an error: ``x``, ``b59 (33%)``, ``a``."""
    code, size = tree.action_code(node), tree.requested[node]
    is_sized = code[0] in "br" and size is not None and size.unit not in ("bb", "c")
    return f"{code} ({format_bet_size(size)})" if is_sized and size is not None else code


# Lines that a tree has besides those that sizes give, and lines that are taken out.
#
# A line is a sequence of actions from the root. As in PioSOLVER's ``add_line`` it has one number
# for each action, what its player has then put in since the root; a check and a call repeat a
# number, a fold has none. ``0 12 38`` is a check, a bet of 12 and a raise to 38. Or else it is a
# path such as ``x:b12:r38``, whose numbers count by street; in a line that is removed, a ``b`` or
# ``r`` without a number is every bet or raise.
#
# Along an added line, each bet is added to its decision, whatever the sizes are; checks, calls and
# folds are everywhere. Of a removed line, the last action goes, with everything that follows.

_LINE_SPLIT = re.compile(r"[\s:,]+")
_LINE_NUMBER = re.compile(r"\d+(?:\.\d*)?", re.ASCII)
_LINE_STEP = re.compile(r"([xcfabr])(\d+(?:\.\d*)?)?", re.ASCII)

#: The kinds of action that a letter stands for; a call where nothing is to be called is a check.
_KINDS = {
    "x": {ActionKind.CHECK},
    "c": {ActionKind.CALL, ActionKind.CHECK},
    "f": {ActionKind.FOLD},
    "a": {ActionKind.ALL_IN},
    "b": {ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN},
    "r": {ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN},
}

#: Amounts closer than this are one amount.
_SAME = 1e-6

_HOW = "write 0 12 38 (put in since the root, an amount for each action) or x:b12:r38"


class _Step(NamedTuple):
    """One action: its letter, empty for an amount that counts from the root, and its amount."""

    letter: str
    amount: float | None

    def __str__(self) -> str:
        return self.letter + ("" if self.amount is None else format_amount(self.amount))

    def is_taken_by(self, action: Action, state: "BettingState") -> bool:
        if action.kind == ActionKind.FOLD and not self.letter:
            return False
        if self.letter and action.kind not in _KINDS[self.letter]:
            return False
        total = action.amount if self.letter else state.street_base + action.amount
        return self.amount is None or abs(total - self.amount) < _SAME

    def bet(self, state: "BettingState", stakes: "Stakes") -> Action | None:
        """Returns the bet or raise that the step asks for; None if it asks for none."""
        stack = stakes.betting_stack - state.street_base
        amount = (
            self.amount if self.letter or self.amount is None else self.amount - state.street_base
        )
        if self.letter == "a":
            amount = stack
        if amount is None or amount <= state.opponent_amount + _SAME or amount > stack + _SAME:
            return None
        if abs(amount - stack) < _SAME:
            return Action(ActionKind.ALL_IN, stack)
        is_whole = abs(stakes.rounded(amount) - amount) < _SAME
        kind = ActionKind.RAISE if state.num_bets else ActionKind.BET
        return Action(kind, stakes.rounded(amount)) if is_whole else None


@dataclass(frozen=True, slots=True)
class Line:
    """One line; its text is as short as it can be, and equal lines have equal texts.

    Attributes:
        text: as it was given, for errors.
        steps: the actions that are still to come.
    """

    text: str
    steps: tuple[_Step, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads a line.

        Raises:
            TreeError: naming the step that cannot be read.
        """
        words = [word for word in _LINE_SPLIT.split(text.strip().lower()) if word]
        steps = []
        for word in words:
            match = _LINE_STEP.fullmatch(word)
            if _LINE_NUMBER.fullmatch(word) and len(word) < 20:
                steps.append(_Step("", float(word)))
            elif match and (match[2] is None or match[1] in "br") and len(word) < 20:
                steps.append(_Step(match[1], None if match[2] is None else float(match[2])))
            else:
                raise TreeError(f"line {quote(text)}", f"{quote(word)} is not an action, {_HOW}")
        if not steps:
            raise TreeError(f"line {quote(text)}", f"empty, {_HOW}")
        return cls(text.strip(), tuple(steps))

    def __str__(self) -> str:
        is_path = any(step.letter for step in self.steps)
        return (":" if is_path else " ").join(map(str, self.steps))


@dataclass(frozen=True, slots=True)
class Lines:
    """The added and the removed lines of a tree, or what is left of them below a node."""

    added: tuple[Line, ...] = ()
    removed: tuple[Line, ...] = ()

    @classmethod
    def parse(cls, added: Iterable[str] = (), removed: Iterable[str] = ()) -> Self:
        """Reads the lines; the first that cannot be read raises `TreeError`."""
        return cls(*(tuple(map(Line.parse, lines)) for lines in (added, removed)))

    def apply(
        self, actions: list[Action], state: "BettingState", stakes: "Stakes", out_used: set[str]
    ) -> list[Action]:
        """Returns the actions of a decision, with those that lines add and without the removed.

        The texts of lines that removed an action are put into ``out_used``.

        Raises:
            TreeError: if a line has an action that the game does not allow, or none is left.
        """
        if not self.added and not self.removed:
            return actions
        known = list(actions)
        for line in self.added:
            if any(line.steps[0].is_taken_by(action, state) for action in known):
                continue
            bet = line.steps[0].bet(state, stakes)
            if bet is None:
                stack = format_amount(stakes.betting_stack)
                text = f"{line.steps[0]} is not an action there; the stack is {stack}"
                raise TreeError(f"line {quote(line.text)}", text)
            known.append(bet)
        left = known
        for line in self.removed:
            if len(line.steps) == 1:
                kept = [action for action in left if not line.steps[0].is_taken_by(action, state)]
                out_used |= {line.text} if len(kept) < len(left) else set()
                left = kept
            if not left:
                raise TreeError(f"line {quote(line.text)}", "without it, no action is left there")
        # Passive actions come first, as they are; the others by rising amount.
        return sorted(left, key=lambda action: action.amount if action.is_aggressive else -1.0)

    def end(self) -> None:
        """Raises `TreeError` if an added line goes on where the betting is over."""
        for line in self.added:
            text = f"{line.steps[0]} comes after the betting is over"
            raise TreeError(f"line {quote(line.text)}", text)

    def check_used(self, used: set[str]) -> None:
        """Raises `TreeError` naming the first removed line that removed nothing."""
        for line in self.removed:
            if line.text not in used:
                raise TreeError(f"line {quote(line.text)}", "is not in the tree, take it out")

    def after(self, action: Action, state: "BettingState") -> "Lines":
        """Returns what is left of the lines below an action."""

        def rest(lines: tuple[Line, ...]) -> tuple[Line, ...]:
            return tuple(
                Line(line.text, line.steps[1:])
                for line in lines
                if len(line.steps) > 1 and line.steps[0].is_taken_by(action, state)
            )

        return Lines(rest(self.added), rest(self.removed))


NO_LINES = Lines()
