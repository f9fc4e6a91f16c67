"""Places in a spot, as ``b100:c:8h:x``: what was done and which cards were dealt.

A step is an action where somebody acts and a card where one is dealt; `runout.trees.paths` has the
grammar.
"""

from dataclasses import dataclass

from runout.cards.card import format_card, format_cards, parse_card
from runout.errors import CardError, TreeError, quote
from runout.holdem.spot import Spot
from runout.trees.betting import Street
from runout.trees.paths import STREET_SEPARATOR, counts_from_root, find_step, split_path
from runout.trees.postflop_tree import NOT_A_LEAF, PLAYER_NAMES, SHOWDOWN
from runout.views.node import NodeAction, NodeKind


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
        """The steps as text, empty at the root."""
        return STREET_SEPARATOR.join(self.steps)

    @property
    def place(self) -> str:
        """The path as errors name it."""
        return f"after {self.path}" if self.steps else "at the root"

    @property
    def label(self) -> str:
        """Who acts, what is dealt, or how the hand ends."""
        if self.actor is not None:
            return PLAYER_NAMES[self.actor]
        is_over = self.kind != NodeKind.CHANCE
        return self.kind.value if is_over else Street(self.street + 1).label

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

    @property
    def actor(self) -> int | None:
        """Who acts here, None if nobody does."""
        is_decision = self.kind == NodeKind.DECISION
        return int(self.spot.tree.layout.actor[self.node]) if is_decision else None

    @property
    def children(self) -> range:
        """The nodes that the actions lead to, none if nobody acts."""
        is_decision = self.kind == NodeKind.DECISION
        return self.spot.tree.layout.children(self.node) if is_decision else range(0)

    @property
    def invested(self) -> tuple[float, float]:
        """What each player has put in since the root."""
        oop, ip = self.spot.tree.invested[self.node].tolist()
        return oop, ip

    @property
    def stacks(self) -> tuple[float, float]:
        """What each player has left."""
        oop, ip = (self.spot.tree.stakes.stack - self.spot.tree.invested[self.node]).tolist()
        return oop, ip

    def actions(self) -> tuple[NodeAction, ...]:
        """Returns what can be done here."""
        tree = self.spot.tree
        return tuple(
            NodeAction(tree.action_code(child), tree.action_label(child), *tree.action_to(child))
            for child in self.children
        )

    def next_cards(self) -> tuple[int, ...]:
        """Returns the cards that can be dealt here, none where none is."""
        if self.kind != NodeKind.CHANCE:
            return ()
        return tuple(card for card in self.spot.deck if card not in self.board)


def find_position(spot: Spot, path: str) -> SpotPosition:
    """Returns the place that a path leads to; the empty path leads to the root.

    Raises:
        TreeError: naming the first step that is no action, and the actions there are.
        CardError: naming the first step that is no card, or a card that cannot come.
    """
    position, is_total = SpotPosition(spot), counts_from_root(path)
    for number, step in enumerate(split_path(path), start=1):
        where = f"path {quote(path.strip())}, step {number}"
        if position.kind == NodeKind.CHANCE:
            position = _deal(position, step, where)
        else:
            position = _act(position, step, where, is_total)
    return position


def _deal(position: SpotPosition, step: str, where: str) -> SpotPosition:
    street = Street(position.street + 1).label
    try:
        card = parse_card(step)
    except CardError as error:
        problem = f"{error}; the {street} is dealt {position.place}"
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


def _act(position: SpotPosition, step: str, where: str, is_total: bool) -> SpotPosition:
    tree = position.spot.tree
    found = find_step(tree, position.node, step, is_total) if position.children else None
    if found is None:
        codes = ", ".join(tree.action_code(child) for child in position.children)
        allowed = f"use one of {codes}" if codes else "the hand is over"
        raise TreeError(where, f"{quote(step)} is no action {position.place}, {allowed}")
    steps = (*position.steps, tree.action_code(found))
    return SpotPosition(position.spot, steps, found, position.dealt)
