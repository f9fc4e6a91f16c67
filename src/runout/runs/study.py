"""What a player does with a solution: changes a strategy to lock it, and practises against it.

It reads solutions only; no solver is imported.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import BoolArray, FloatArray
from runout.cards import deck
from runout.cards.flops import SUIT_MAPPINGS, SuitMapping
from runout.cards.ranges import Range
from runout.config.spot import lock_keys
from runout.errors import OptionError, RangeError, quote
from runout.solutions.node import HandSpace, Node, NodeKind, Solution, known_mean, weight_met
from runout.storage.files import replacing_file
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind

# Locks: changes of the strategy at one node, as players say them.

_EDIT = re.compile(
    r"(?P<first>[^=+\-<>]+)(?:>(?P<second>[^=+\-<>]+))?(?P<sign>[+\-]?)=(?P<value>.+)"
)
_SYNTAX = "write ACTION=40%, ACTION+=10%, ACTION-=10%, FROM>TO=10% or pure"
_ROOT = ("root", "r", "r:0")

#: Actions by the words for their kinds; a bet and a raise include all-ins.
_KINDS: dict[str, frozenset[ActionKind]] = {
    "fold": frozenset({ActionKind.FOLD}),
    "check": frozenset({ActionKind.CHECK}),
    "call": frozenset({ActionKind.CALL}),
    "bet": AGGRESSIVE_KINDS,
    "raise": AGGRESSIVE_KINDS,
    "all-in": frozenset({ActionKind.ALL_IN}),
    "allin": frozenset({ActionKind.ALL_IN}),
}


def edited_lock(solution: Solution, text: str) -> dict[str, Any]:
    """Returns the keys of a lock: the strategy of a solution at a node, with changes.

    >>> edited_lock(solution, "x:b33% raise=0")  # doctest: +SKIP
    >>> edited_lock(solution, "x:b33% fold+=10% AA,KK: call=1")  # doctest: +SKIP

    The first word is the path (``root`` for the first decision), the others change it in turn;
    a range with a colon says whose strategy the following ones change. Hands outside all ranges
    stay free if every change has a range.

    Raises:
        OptionError: saying what cannot be read or done.
    """
    path, *edits = text.split()
    node = solution.node("" if path.lower() in _ROOT else path)
    where = f"--lock {quote(text)}"
    if node.kind != NodeKind.DECISION or node.hand_space is not HandSpace.COMBOS:
        raise OptionError(where, f"{path} is no decision after the flop")
    if not edits:
        raise OptionError(where, f"has no change, {_SYNTAX}")
    known = np.logical_not(np.isnan(node.strategy).any(axis=0))
    chosen, touched, strategy = known, np.zeros_like(known), node.strategy.copy()
    for edit in edits:
        if edit.endswith(":"):
            try:
                chosen = np.logical_and(known, Range(edit[:-1]).weights > 0.0)
            except RangeError as error:
                raise OptionError(where, str(error)) from error
            if not chosen.any():
                raise OptionError(where, f"no hand of {edit[:-1]} comes to {path}")
            continue
        _change(node, strategy, chosen, edit, where)
        touched |= chosen
    codes = [action.code for action in node.actions]
    return lock_keys(node.path, codes, np.where(touched, strategy, np.nan))


def _change(node: Node, strategy: FloatArray, chosen: BoolArray, edit: str, where: str) -> None:
    """Carries out one change for the chosen hands."""
    if edit.lower() == "pure":
        best = strategy[:, chosen].argmax(axis=0)
        strategy[:, chosen] = np.arange(len(strategy))[:, None] == best
        return
    if (parts := _EDIT.fullmatch(edit)) is None:
        raise OptionError(where, f"{quote(edit)} is not a change, {_SYNTAX}")
    amount = _read_share(parts["value"], edit, where)
    rows = _rows_of(node, parts["first"], where)
    deals = np.where(chosen, node.deals(node.actor or 0), 0.0)
    if (second := parts["second"]) is not None:
        to = _rows_of(node, second, where)
        if parts["sign"] or (rows & to).any():
            raise OptionError(where, f"{quote(edit)} is not a change, {_SYNTAX}")
        taken = strategy[rows].sum(axis=0)
        moved = taken * _share(amount, known_mean(taken, deals), edit, where)
        _scale(strategy, rows, chosen, taken - moved)
        _scale(strategy, to, chosen, strategy[to].sum(axis=0) + moved)
        return
    share = strategy[rows].sum(axis=0)
    mean = known_mean(share, deals)
    if parts["sign"] == "+":
        share = share + (1.0 - share) * _share(amount, 1.0 - mean, edit, where)
    elif parts["sign"] == "-":
        share = share * (1.0 - _share(amount, mean, edit, where))
    else:
        share = np.full_like(share, amount)
    _scale(strategy, rows, chosen, share)
    _scale(strategy, ~rows, chosen, 1.0 - share)


def _scale(strategy: FloatArray, rows: BoolArray, chosen: BoolArray, total: FloatArray) -> None:
    """Gives some actions another share of the chosen hands, in proportion or, from 0, equally."""
    now = strategy[rows].sum(axis=0)
    even = np.full_like(strategy[rows], 1.0 / max(int(rows.sum()), 1))
    part = np.divide(strategy[rows], now, out=even, where=now > 0.0)
    strategy[rows] = np.where(chosen, part * total, strategy[rows])


def _share(amount: float, whole: float, edit: str, where: str) -> float:
    if amount > whole + 1e-9:
        raise OptionError(where, f"{quote(edit)} moves more than there is, {whole:.1%}")
    return min(amount / whole, 1.0) if whole > 0.0 else 0.0


def _read_share(text: str, edit: str, where: str) -> float:
    number, is_percent = text.removesuffix("%"), text.endswith("%")
    try:
        share = float(number) / (100.0 if is_percent else 1.0)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        problem = f"{text!r} in {quote(edit)} is not a share such as 0.1 or 10%"
        raise OptionError(where, problem)
    return share


def _rows_of(node: Node, word: str, where: str) -> BoolArray:
    """Returns ``[A]`` which actions a word means: a code, a size such as ``b33%``, or a kind."""
    name, actions = word.lower(), node.actions
    found = [action.code == name for action in actions]
    if not any(found) and (size := re.fullmatch(r"[br]([\d.]+(?:%|x))", name)):
        found = [f" {size[1]} (" in action.label for action in actions]
    if not any(found):
        found = [action.kind in _KINDS.get(name, ()) for action in actions]
    if not any(found):
        there = ", ".join(action.code for action in actions)
        raise OptionError(
            where, f"{quote(word)} is not an action at {node.path or 'root'}, use {there}"
        )
    return np.array(found)


# Practice: hands dealt at the frequencies of the game, graded by what a choice loses.

#: Losses below this share of the pot are no mistakes: the solution itself is no better.
FREE_LOSS_POT = 0.002
#: An action that is taken at least so often is part of the solution.
MIXED = 0.05


@dataclass(frozen=True)
class Question:
    """A decision that the player has to make.

    Attributes:
        node: where it is.
        combo: what the player holds.
        suits: how suits are shown, so that nobody learns a board by its suits.
    """

    node: Node
    combo: int
    suits: SuitMapping

    def show(self, cards: Iterable[int]) -> str:
        """Writes cards in the suits of this question."""
        return deck.format_cards(self.suits.map_cards(cards))

    def grade(self, action: int) -> "Grade":
        """Returns what an action loses with this hand."""
        column = _column(self.node, self.combo)
        values, played = self.node.action_ev[:, column], self.node.strategy[:, column]
        best = int(np.nanargmax(values))
        return Grade(self, action, best, float(values[best] - values[action]), played.tolist())


@dataclass(frozen=True)
class Grade:
    """An answer: what it lost against the best action, in the unit of the node."""

    question: Question
    action: int
    best: int
    lost: float
    played: list[float]

    @property
    def lost_pot(self) -> float:
        """The loss as a fraction of the pot."""
        return self.lost / self.question.node.pot

    @property
    def is_mistake(self) -> bool:
        """Whether it loses what matters; an action that the solution mixes in is never wrong."""
        return self.lost_pot > FREE_LOSS_POT and self.played[self.action] < MIXED

    def to_json(self) -> dict[str, Any]:
        """Returns the answer as data."""
        node = self.question.node
        codes = [action.code for action in node.actions]
        return {
            "node": node.path,
            "board": deck.format_cards(node.board),
            "hand": deck.format_combo(self.question.combo),
            "answer": codes[self.action],
            "best": codes[self.best],
            f"lost_{node.unit.value}": self.lost,
            "lost_pot": self.lost_pot,
            "is_mistake": self.is_mistake,
            "frequencies": dict(zip(codes, self.played, strict=True)),
        }


class Missed:
    """The decisions that were missed, and when each comes again; a small file of the user's.

    A hand that was missed comes again after 2 questions, then after 4, 8, 16 and 32 while it is
    answered well, and is then forgotten.
    """

    _BOXES = 5

    def __init__(self, file: Path | None = None):
        self.file, self.count = file, 0
        self.due_by_key: dict[str, tuple[int, int]] = {}
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            found = json.loads(file.read_text("utf-8")) if file is not None else {"missed": {}}
            boxes = {str(k): (int(box), int(due)) for k, (box, due) in found["missed"].items()}
            self.due_by_key, self.count = boxes, int(found.get("count", 0))

    def save(self) -> None:
        """Writes the file, if there is one."""
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with replacing_file(self.file) as part:
                document = {"count": self.count, "missed": self.due_by_key}
                part.write_text(json.dumps(document), "utf-8")

    def next_due(self, title: str) -> tuple[str, int] | None:
        """Returns the path and combo of a decision of a solution that is due."""
        for key, (_, due) in self.due_by_key.items():
            name, path, combo = key.split("|")
            if name == title and due <= self.count:
                return path, deck.parse_combo(combo)
        return None

    def note(self, title: str, grade: Grade) -> None:
        """Remembers how a decision was answered."""
        self.count += 1
        question = grade.question
        key = f"{title}|{question.node.path}|{deck.format_combo(question.combo)}"
        box = 0 if grade.is_mistake else self.due_by_key.pop(key, (self._BOXES, 0))[0] + 1
        if box < self._BOXES:
            self.due_by_key[key] = (box, self.count + 2 ** (box + 1))


def drill(
    solution: Solution,
    ask: Callable[[Question], int | None],
    *,
    path: str = "",
    player: int | None = None,
    num_hands: int = 10,
    seed: int = 0,
    missed: Missed | None = None,
) -> Iterator[Grade]:
    """Deals hands from a node on and yields how each decision of the player was answered.

    The opponent and the cards follow the solution. A hand goes on until it ends or leaves what was
    solved. Decisions that were missed before come again.

    Args:
        solution: what is practised: a spot or a preflop run.
        ask: returns the number of an action, None to stop.
        path: where hands begin.
        player: whose decisions are asked for; by default of the player who acts there.
        num_hands: hands at most.
        seed: decides all that is random.
        missed: decisions to repeat; kept up to date.
    """
    rng, missed, first = np.random.default_rng(seed), missed or Missed(), solution.node(path)
    whose = first.actor if player is None else player
    if whose is None:
        raise OptionError("--node", f"{path or 'the root'} is not a decision")
    for _ in range(num_hands):
        suits = SUIT_MAPPINGS[rng.integers(len(SUIT_MAPPINGS))]
        again = missed.next_due(solution.title)
        # Players are known by name: their numbers change with the flop.
        if again is None:
            here, hero = first, first.players[whose]
            held = {first.players[each]: combo for each, combo in _deal(first, whose, rng).items()}
        else:
            here = solution.node(again[0])
            hero = here.players[here.actor or 0]
            held = {hero: again[1]}
        while True:
            if here.actor is not None and here.players[here.actor] == hero:
                answer = ask(question := Question(here, held[hero], suits))
                if answer is None:
                    return
                missed.note(solution.title, grade := question.grade(answer))
                yield grade
                step: str | None = here.actions[answer].code
            else:
                step = _follow(here, held, rng)
            if again is not None or step is None:
                break
            here = solution.node(here.path_after(step))


def _follow(node: Node, held: Mapping[str, int], rng: np.random.Generator) -> str | None:
    """Returns what the opponent does or which cards come; None where a hand ends."""
    if node.actor is None:
        cards = {card for combo in held.values() for card in deck.combo_cards(combo)}
        steps = [deck.format_card(card) for card in node.next_cards if card not in cards]
        steps += [flop for flop in node.flops if not cards & {*deck.parse_board(flop)}]
        return steps[rng.integers(len(steps))] if steps else None
    shares = np.nan_to_num(node.strategy[:, _column(node, held[node.players[node.actor]])])
    even = np.full(len(shares), 1.0 / len(shares))
    chances = shares / shares.sum() if shares.sum() > 0.0 else even
    return node.actions[rng.choice(len(chances), p=chances)].code


def _deal(node: Node, player: int, rng: np.random.Generator) -> dict[int, int]:
    """Deals a combo to each player at the frequencies of a node."""
    weights = node.weights
    if node.hand_space is HandSpace.HANDS:
        weights = weights[:, deck.HAND_BY_COMBO]
    chances = weights[player] * weight_met(weights[1 - player])
    if not chances.sum() > 0.0:
        raise OptionError("--node", f"no hands of both players meet at {node.path or 'the root'}")
    mine = int(rng.choice(deck.NUM_COMBOS, p=chances / chances.sum()))
    theirs = np.zeros(deck.NUM_COMBOS)
    free = deck.live_combos(deck.combo_cards(mine))
    theirs[free] = weights[1 - player, free]
    other = int(rng.choice(deck.NUM_COMBOS, p=theirs / theirs.sum()))
    return {player: mine, 1 - player: other}


def _column(node: Node, combo: int) -> int:
    return int(deck.HAND_BY_COMBO[combo]) if node.hand_space is HandSpace.HANDS else combo
