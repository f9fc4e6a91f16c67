"""Paths through a spot, as ``r:0:b100:c:8h:x``: what is done and which cards are dealt.

A step is an action where somebody acts and a card where one is dealt. Actions are written as
`PostflopTree.action_code` writes them; a ``c`` is understood where only a check is possible, and
the letters of a bet, a raise and an all-in of the same size are interchangeable.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from runout.cards.card import format_card, format_cards, parse_card
from runout.cards.isomorphism import SuitMapping
from runout.errors import CardError, TreeError, quote
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.spot import Spot
from runout.trees.actions import ActionKind, format_amount, format_percentage
from runout.trees.betting import Street
from runout.trees.postflop_tree import NOT_A_LEAF, SHOWDOWN, PostflopTree

SEPARATOR = ":"
ROOT = "r:0"

_ROOT_STEPS = ROOT.split(SEPARATOR)


class NodeKind(StrEnum):
    """What happens at a node."""

    DECISION = "decision"
    CHANCE = "chance"
    FOLD = "fold"
    SHOWDOWN = "showdown"


@dataclass(frozen=True)
class SpotPosition:
    """A place in a spot.

    Attributes:
        spot: what is played.
        steps: the actions and cards that lead here.
        node: the node of the betting tree; where a card is dealt, the node after it.
        dealt: the cards that were dealt on the way.
    """

    spot: Spot
    steps: tuple[str, ...] = ()
    node: int = 0
    dealt: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        """The steps as text, ``r:0`` at the root."""
        return SEPARATOR.join((ROOT, *self.steps))

    @property
    def board(self) -> tuple[int, ...]:
        """All cards on the table."""
        return self.spot.board + self.dealt

    @property
    def street(self) -> Street:
        """The street that the board is on."""
        return Street(self.spot.tree.first_street + len(self.dealt))

    @property
    def kind(self) -> NodeKind:
        """What happens here."""
        tree, leaf = self.spot.tree, int(self.spot.tree.leaf_kind[self.node])
        if leaf == NOT_A_LEAF:
            is_decision = tree.street[self.node] == self.street
            return NodeKind.DECISION if is_decision else NodeKind.CHANCE
        if leaf == SHOWDOWN:  # a called all-in before the river is dealt out first
            return NodeKind.SHOWDOWN if self.street == Street.RIVER else NodeKind.CHANCE
        return NodeKind.FOLD

    def next_cards(self) -> tuple[int, ...]:
        """Returns the cards that can be dealt here, none where none is."""
        if self.kind != NodeKind.CHANCE:
            return ()
        return tuple(card for card in self.spot.deck if card not in self.board)


def find_position(spot: Spot, path: str) -> SpotPosition:
    """Returns the place that a path leads to; the empty path and ``r:0`` lead to the root.

    Raises:
        TreeError: naming the first step that is no action, and the actions there are.
        CardError: naming the first step that is no card, or a card that cannot come.
    """
    position = SpotPosition(spot)
    for number, step in enumerate(_split(path), start=1):
        where = f"path {quote(path.strip())}, step {number}"
        if position.kind == NodeKind.CHANCE:
            position = _deal(position, step, where)
        else:
            position = _act(position, step, where)
    return position


def _split(path: str) -> list[str]:
    if not path.strip():
        return []
    steps = [step.strip() for step in path.split(SEPARATOR)]
    is_rooted = [step.lower() for step in steps[: len(_ROOT_STEPS)]] == _ROOT_STEPS
    return steps[len(_ROOT_STEPS) :] if is_rooted else steps


def _deal(position: SpotPosition, step: str, where: str) -> SpotPosition:
    street = Street(position.street + 1).name.lower()
    try:
        card = parse_card(step)
    except CardError as error:
        problem = f"{error}; the {street} is dealt after {position.path}"
        raise CardError(where, problem) from None
    if card in position.board:
        board = format_cards(position.board)
        problem = f"{format_card(card)} is on the board {board} already, deal another card"
        raise CardError(where, problem)
    if card not in position.spot.deck:
        deck = format_cards(position.spot.deck)
        raise CardError(where, f"{format_card(card)} is not in the deck, deal one of {deck}")
    steps, dealt = (*position.steps, format_card(card)), (*position.dealt, card)
    return SpotPosition(position.spot, steps, position.node, dealt)


def _act(position: SpotPosition, step: str, where: str) -> SpotPosition:
    tree = position.spot.tree
    children = tree.layout.children(position.node) if position.kind == NodeKind.DECISION else ()
    codes = {tree.action_code(child): child for child in children}
    text = step.lower()
    found = [codes[text]] if text in codes else []
    found = found or [child for child in children if text in _other_codes(tree, child)]
    if len(found) != 1:
        allowed = f"use one of {', '.join(codes)}" if codes else "the hand is over"
        raise TreeError(where, f"{quote(step)} is no action after {position.path}, {allowed}")
    steps = (*position.steps, tree.action_code(found[0]))
    return SpotPosition(position.spot, steps, found[0], position.dealt)


def _other_codes(tree: PostflopTree, node: int) -> set[str]:
    """Returns what else people write for the action that leads to a node."""
    action, code = tree.action_to(node), tree.action_code(node)
    match action.kind:
        case ActionKind.CHECK:
            return {"c"}
        case ActionKind.BET | ActionKind.RAISE:
            return {"b" + code[1:], "r" + code[1:]}
        case ActionKind.ALL_IN:
            is_in_chips = tree.stakes.is_in_chips
            fraction = format_percentage(tree.action_fraction(node))
            size = format_amount(action.amount) if is_in_chips else fraction
            return {"b" + size, "r" + size}
        case _:
            return set()


class Runout(NamedTuple):
    """Where the tables keep a runout.

    Attributes:
        numbers: the number of the board on each street after the first.
        dealt: the cards that the tables were learned with.
        mapping: the renaming of suits that leads from the asked cards to those.
    """

    numbers: tuple[int, ...]
    dealt: tuple[int, ...]
    mapping: SuitMapping

    @property
    def board(self) -> int:
        """The number of the last board, 0 before a card is dealt."""
        return self.numbers[-1] if self.numbers else 0


def find_runout(cards: CardsToCome, dealt: tuple[int, ...]) -> Runout:
    """Returns where the tables keep the cards dealt, or cards that differ by suits only."""
    runout = Runout((), (), SuitMapping.identity())
    for depth, asked in enumerate(dealt):
        keeping = [m for m in cards.symmetries if m.map_cards(runout.dealt) == runout.dealt]
        numbers = _following(cards, depth, runout)
        number_of = {int(cards.deals[depth].card[number]): number for number in numbers}
        card = runout.mapping.map_card(asked)
        # The identity comes first, so a card that was learned is found as it is.
        step = next(m for m in keeping if m.map_card(card) in number_of)
        known = step.map_card(card)
        runout = Runout(
            (*runout.numbers, number_of[known]), (*runout.dealt, known), runout.mapping.then(step)
        )
    return runout


def _following(cards: CardsToCome, depth: int, runout: Runout) -> range:
    """Returns the numbers of the boards that can follow a runout."""
    if depth == 0:
        return range(len(cards.deals[0].card))
    first, end = cards.deals[depth - 1].first_next[runout.board : runout.board + 2].tolist()
    return range(first, end)
