"""A spot: its board, ranges and rake, the cards that can come, and the decisions of its streets."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, IntArray, read_only
from runout.cards.deck import (
    COMBO_CARDS,
    FLOP_SIZE,
    NUM_CARDS,
    NUM_COMBOS,
    RIVER_SIZE,
    format_cards,
    live_combos,
    permute_combos,
    require_board,
    require_distinct,
)
from runout.cards.flops import (
    ALL_RUNOUTS,
    SUIT_MAPPINGS,
    RunoutSubset,
    SuitMapping,
    suit_stabilizer,
)
from runout.cards.ranges import Range
from runout.errors import CardError, ConfigError, RangeError
from runout.trees.betting import Street
from runout.trees.tree import IP, NOT_A_LEAF, OOP, SHOWDOWN, PostflopTree


@dataclass(frozen=True)
class Rake:
    """A share of every pot, up to a cap. A raked game is not zero-sum.

    Attributes:
        rate: fraction of the pot, 0 to 1.
        cap: largest amount taken, in chips; 0 takes nothing.
    """

    rate: float = 0.0
    cap: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate <= 1.0:
            raise ConfigError("rake_rate", f"{self.rate:g} is not a fraction from 0 to 1")
        if not self.cap >= 0.0:
            raise ConfigError("rake_cap", f"{self.cap:g} is not 0 or a positive amount")

    def taken_from(self, pot: float) -> float:
        """Returns the rake of a pot, in its unit."""
        return min(self.rate * pot, self.cap)

    def won_by_fold(self, stake: float) -> float:
        """Returns the gain of the winner where the other player folds and loses a stake."""
        return stake - self.taken_from(2.0 * stake)

    def half_at_showdown(self, stake: float) -> float:
        """Returns half of the rake where each player has staked an amount.

        The winner of a pot P with rake r gets ``P/2 - r``, the loser ``-P/2``, and a tie is
        ``-r/2`` each: that is ``(P - r)/2`` won or lost, and half of the rake paid by both.
        """
        return self.taken_from(2.0 * stake) / 2.0


NO_RAKE = Rake()


WHOLE_DECK = tuple(range(NUM_CARDS))


@dataclass(frozen=True, eq=False)
class Spot:
    """A board, two ranges and the betting that is left.

    Attributes:
        board: 3 to 5 cards.
        ranges: of OOP and IP.
        tree: the betting from the board's street on.
        rake: share of pots that the house takes.
        merges_suits: whether cards that differ by suits only are solved once.
        deck: the cards that can come unless a player holds them; the board may be among them.
        runout_subset: the weighted subset of them that is dealt.
    """

    board: tuple[int, ...]
    ranges: tuple[Range, Range]
    tree: PostflopTree
    rake: Rake = NO_RAKE
    merges_suits: bool = True
    deck: tuple[int, ...] = WHOLE_DECK
    runout_subset: RunoutSubset = ALL_RUNOUTS

    def __post_init__(self) -> None:
        require_board(self.board)
        require_distinct(self.deck)
        if len(self.board) - FLOP_SIZE != self.tree.first_street:
            street = self.tree.first_street.label
            problem = f"{len(self.board)} cards, but the betting begins on the {street}"
            raise CardError(f"board {format_cards(self.board)}", problem)

    def plan_cards(self) -> "CardsToCome":
        """Returns the hands and cards of the spot; raises what `CardsToCome.plan` does."""
        return CardsToCome.plan(
            self.board, self.ranges, self.merges_suits, self.deck, self.runout_subset
        )


# --------------------------------------------------------------------------------------------------
# The hands of a spot, the cards that can come, and which of them are the same up to suits.
#
# Nothing here is compiled: solvers make tables for their kernels of it (`CardTables`), and views
# find the boards of a saved solution with it.

PLAYER_WORDS = ("oop", "ip")

#: Rows of hands are padded to a multiple of this for SIMD instructions.
ROW_WIDTH = 16

_MAX_IMAGES = 3  # a card has at most three others of its rank
_NONE = -1

#: A sum that should be zero can miss it by this share of what was added up.
_ROUNDING = 1e-12


class Deal(NamedTuple):
    """The cards that are dealt before a street.

    Attributes:
        card: ``[K]`` one card of each class that differs by suits only.
        order: ``[K]`` the row of `Orders` of the board with the card.
        images: ``[K, 3]`` the renamings that lead to the other cards of the class, the rest -1.
        weight: ``[K]`` what the probability is times for its cards, 1 if none is left out.
        first_next: ``[K + 1]`` the cards of the next street that can follow each card, numbered
            through; empty before the river.
        probability: of one card for two given hands.
    """

    card: IntArray
    order: IntArray
    images: IntArray
    weight: Float32Array
    first_next: IntArray
    probability: np.float32

    def cards_like(self, number: int) -> list[int]:
        """Returns all cards of a class."""
        card = int(self.card[number])
        return cards_of_class(card, self.images[number].tolist())


def cards_of_class(card: int, images: Sequence[int]) -> list[int]:
    """Returns a card and what some renamings, by number, make of it; -1 is none."""
    return [card, *(SUIT_MAPPINGS[image].map_card(card) for image in images if image >= 0)]


@dataclass(frozen=True, eq=False)
class PlayerHands:
    """The combos that a player can hold.

    Attributes:
        combos: ``[n]`` those of the range that avoid the board, in order.
        weights: ``[n]`` how much of each is held.
    """

    combos: IntArray
    weights: FloatArray

    @classmethod
    def of_range(cls, hand_range: Range, board: Sequence[int], player: int) -> "PlayerHands":
        """Returns what a board leaves of a range.

        Raises:
            RangeError: if that is nothing.
        """
        live = live_combos(board)
        combos = live[hand_range.weights[live] > 0.0]
        if not len(combos):
            problem = f"no hand of the range avoids the board {format_cards(board)}"
            raise RangeError(PLAYER_WORDS[player], problem)
        return cls(read_only(combos), read_only(hand_range.weights[combos]))

    @property
    def width(self) -> int:
        """The length of a row of hands, padding included."""
        return -(-len(self.combos) // ROW_WIDTH) * ROW_WIDTH

    def cards(self) -> IntArray:
        """Returns ``[width, 2]`` the cards of each hand; padding holds cards 0 and 1."""
        cards = np.tile(np.array([0, 1], dtype=np.int64), (self.width, 1))
        cards[: len(self.combos)] = COMBO_CARDS[self.combos]
        return cards

    def positions(self) -> IntArray:
        """Returns ``[1326]`` the number of each combo among the hands, -1 where it is none."""
        positions = np.full(NUM_COMBOS, _NONE, dtype=np.int64)
        positions[self.combos] = np.arange(len(self.combos))
        return positions


@dataclass(frozen=True, eq=False)
class CardsToCome:
    """Everything about cards that a solve needs; nothing about betting.

    Attributes:
        board: the 3 to 5 known cards.
        players: the hands of OOP and IP.
        symmetries: the renamings of suits that change neither the board nor a range.
        deals: the cards that are dealt, one `Deal` for each street after the first.
        runouts: for each deal, the cards dealt so far, class by class.
        held: for each deal ``[boards before, 52]`` the share that each card has of the weight of
            all that can come; empty if none is left out.
    """

    board: tuple[int, ...]
    players: tuple[PlayerHands, PlayerHands]
    symmetries: tuple[SuitMapping, ...]
    deals: tuple[Deal, ...]
    runouts: tuple[tuple[tuple[int, ...], ...], ...]
    held: tuple[FloatArray, ...]

    @classmethod
    def plan(
        cls,
        board: Sequence[int],
        ranges: tuple[Range, Range],
        merges_suits: bool = True,
        deck: Sequence[int] = WHOLE_DECK,
        subset: RunoutSubset = ALL_RUNOUTS,
    ) -> "CardsToCome":
        """Finds the hands and cards of a spot; arguments are as in `Spot`.

        Raises:
            RangeError: if the board leaves nothing of a range, no pair of hands can meet, or
                hands of a range hold unequally many cards of the deck, whose chances would
                then not be the same for all pairs of hands.
            CardError: if the deck has too few cards.
        """
        oop, ip = (PlayerHands.of_range(r, board, p) for p, r in enumerate(ranges))
        weights = np.stack([held.without_cards(board).weights for held in ranges])
        symmetries = tuple(
            mapping
            for mapping in suit_stabilizer(board)
            if np.array_equal(weights[:, permute_combos(mapping.new_suits)], weights)
            and set(mapping.map_cards(deck)) == set(deck)
        )
        if not merges_suits:
            symmetries = (SuitMapping.identity(),)
        stub = tuple(sorted(set(deck) - set(board)))
        num_left = len(stub)
        for player, word in zip((oop, ip), PLAYER_WORDS, strict=True):
            # Not `np.unique`, whose first call imports masked arrays, which takes 10 ms.
            held = sorted({*np.isin(COMBO_CARDS[player.combos], stub).sum(axis=1).tolist()})
            if len(held) > 1:
                found = f"hands hold {' and '.join(map(str, held))} cards of the deck"
                raise RangeError(word, f"{found}, all of a range must hold equally many")
            num_left -= held[0]
        dealt = _plan_deals(tuple(board), stub, num_left, symmetries, subset, (oop, ip))
        planned = cls(tuple(board), (oop, ip), symmetries, *dealt)
        if planned.total_weight() <= _ROUNDING * oop.weights.sum() * ip.weights.sum():
            problem = "no hand of one range can meet a hand of the other, they share cards"
            raise RangeError("oop and ip", problem)
        return planned

    @property
    def widths(self) -> tuple[int, int]:
        """The lengths of rows of OOP's and IP's hands, padding included."""
        return self.players[0].width, self.players[1].width

    @property
    def symmetry_numbers(self) -> tuple[int, ...]:
        """The symmetries as numbers of `SUIT_MAPPINGS`, the rows of `Hands.image`."""
        return tuple(SUIT_MAPPINGS.index(mapping) for mapping in self.symmetries)

    @property
    def is_drawn(self) -> bool:
        """Whether some cards that can come were left out."""
        return any(len(shares) for shares in self.held)

    def factors(self, number: int, combos: IntArray) -> FloatArray:
        """Returns ``[boards before, C]`` what combos count times when a card is dealt.

        With x the share of the drawn weight that a hand holds, a pair of hands meets each card with
        its chance times ``1 / (1 - x)`` of both: that is symmetric, and adds up to 1 but for the
        product of two small shares.
        """
        low, high = COMBO_CARDS[combos].T
        factors: FloatArray = 1.0 / (1.0 - self.held[number][:, low] - self.held[number][:, high])
        return factors

    def total_weight(self) -> float:
        """Returns the weight of all pairs of hands that can meet."""
        oop, ip = self.players
        by_card = np.bincount(COMBO_CARDS[ip.combos].T.ravel(), np.tile(ip.weights, 2), NUM_CARDS)
        same = ip.positions()[oop.combos]
        both = np.where(same >= 0, ip.weights[same], 0.0)
        low, high = COMBO_CARDS[oop.combos].T
        met = ip.weights.sum() - by_card[low] - by_card[high] + both
        return float((oop.weights * met).sum())

    def root_reach(self, player: int) -> Float32Array:
        """Returns ``[O]`` the opponent's weights, as shares of all pairs of hands that can meet.

        With it a hand's value times the hand's weight, summed over hands, is a mean over deals.
        """
        villain = self.players[1 - player]
        reach = np.zeros(villain.width, np.float32)
        reach[: len(villain.combos)] = villain.weights / self.total_weight()
        return reach


def _plan_deals(
    board: tuple[int, ...],
    stub: tuple[int, ...],
    num_left: int,
    symmetries: tuple[SuitMapping, ...],
    subset: RunoutSubset,
    players: tuple[PlayerHands, PlayerHands],
) -> tuple[tuple[Deal, ...], tuple[tuple[tuple[int, ...], ...], ...], tuple[FloatArray, ...]]:
    """Returns deals, runouts and shares of cards of all streets after the first.

    ``stub`` are the cards of the deck that are not on the board; two hands leave ``num_left``.
    """
    if num_left < RIVER_SIZE - len(board):
        problem = f"two hands leave {num_left} cards, {RIVER_SIZE - len(board)} are dealt"
        raise CardError(f"deck {format_cards(stub)}", problem)
    deals: list[Deal] = []
    runouts: list[tuple[tuple[int, ...], ...]] = []
    held: list[FloatArray] = []
    before: tuple[tuple[int, ...], ...] = ((),)
    for size in range(len(board), RIVER_SIZE):
        cards, images, first, after = [], [], [0], []
        weights, shares, num_next = [], [], num_left - (size - len(board))
        for dealt in before:
            keeping = tuple(m for m in symmetries if m.map_cards(dealt) == dealt)
            classes = [each for each in _classes(stub, keeping) if each[0] not in dealt]
            drawn, of_cards = np.ones(len(classes)), np.zeros(NUM_CARDS)
            if subset != ALL_RUNOUTS:
                drawn, of_cards = _draw(subset, (board, dealt), classes, players)
                drawn *= num_next / (len(stub) - len(dealt)) if of_cards.any() else 1.0
            shares.append(of_cards)
            for (card, others), of_class in zip(classes, drawn.tolist(), strict=True):
                if of_class > 0.0:
                    cards.append(card)
                    images.append(others)
                    weights.append(of_class)
                    after.append((*dealt, card))
            first.append(len(cards))
        if deals:
            deals[-1] = deals[-1]._replace(first_next=np.array(first, dtype=np.int64))
        deals.append(
            Deal(
                card=np.array(cards, dtype=np.int64),
                order=np.arange(len(cards), dtype=np.int64),
                images=np.array(images, dtype=np.int64),
                weight=np.array(weights, dtype=np.float32),
                first_next=np.zeros(0, dtype=np.int64),
                # What the players hold is gone as well when the card is dealt.
                probability=np.float32(1.0 / num_next),
            )
        )
        held.append(np.array(shares) if np.any(shares) else np.zeros((0, NUM_CARDS)))
        before = tuple(after)
        runouts.append(before)
    return tuple(deals), tuple(runouts), tuple(held)


def _draw(
    subset: RunoutSubset,
    boards: tuple[tuple[int, ...], tuple[int, ...]],
    classes: Sequence[tuple[int, list[int]]],
    players: tuple[PlayerHands, PlayerHands],
) -> tuple[FloatArray, FloatArray]:
    """Returns the weight of each class, and the share that each card has of all, 0 if all are kept.

    Boards are the first and what was dealt since. Weights are such that chances, with
    `CardsToCome.factors`, add up to 1 on average over pairs of hands, for each pair only nearly.
    """
    (board, dealt), alike, missed = boards, [cards_of_class(*each) for each in classes], []
    weights, shares = subset.draw(board + dealt, alike), np.zeros(NUM_CARDS)
    if (weights == 1.0).all():
        return weights, shares
    for weight, cards in zip(weights, alike, strict=True):
        shares[cards] = weight
    shares /= shares.sum()
    for player in players:
        held = COMBO_CARDS[player.combos]
        of_hand = shares[held[~np.isin(held, dealt).any(axis=1)]].sum(axis=1)
        missed.append(float((of_hand / (1.0 - of_hand)).sum()) / max(len(of_hand), 1))
    return weights / (1.0 - missed[0] * missed[1]), shares


@lru_cache(maxsize=16)  # after most cards only the identity is left
def _classes(
    stub: tuple[int, ...], symmetries: tuple[SuitMapping, ...]
) -> list[tuple[int, list[int]]]:
    """Returns one card of each class, and the numbers of the renamings that lead to the others."""
    numbered = [(SUIT_MAPPINGS.index(mapping), mapping) for mapping in symmetries]
    classes, done = [], set[int]()
    for card in stub:
        if card in done:
            continue
        images: dict[int, int] = {}
        for number, mapping in numbered:
            images.setdefault(mapping.map_card(card), number)
        images.pop(card)
        done.update(images)
        numbers = sorted(images.values())
        classes.append((card, numbers + [_NONE] * (_MAX_IMAGES - len(numbers))))
    return classes


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


@lru_cache(maxsize=4096)  # both players do something on every river of a flop, visit after visit
def find_runout(cards: CardsToCome, dealt: tuple[int, ...]) -> Runout:
    """Returns where the tables keep the cards dealt, or cards that differ by suits only."""
    runout = Runout((), (), SuitMapping.identity())
    for depth, asked in enumerate(dealt):
        keeping = [m for m in cards.symmetries if m.map_cards(runout.dealt) == runout.dealt]
        numbers = range(len(cards.deals[0].card))
        if depth:
            numbers = range(*cards.deals[depth - 1].first_next[runout.board :][:2].tolist())
        number_of = {int(cards.deals[depth].card[number]): number for number in numbers}
        card = runout.mapping.map_card(asked)
        # The identity comes first, so a card that was learned is found as it is.
        step = next((m for m in keeping if m.map_card(card) in number_of), None)
        if step is None:
            street = Street(len(cards.board) + depth - FLOP_SIZE + 1).label
            problem = f"this {street} is not in the runout subset, open it with solve-spot --from"
            raise CardError(f"board {format_cards((*cards.board, *dealt))}", problem)
        known = step.map_card(card)
        runout = Runout(
            (*runout.numbers, number_of[known]), (*runout.dealt, known), runout.mapping.then(step)
        )
    return runout


# --------------------------------------------------------------------------------------------------
# The decisions of a street, numbered: the same rows whatever card comes.
#
# A betting tree runs through all streets. Cut where a card is dealt, it falls into trees that begin
# a street; those of one street together are its layout, and every board of the street has tables
# with the layout's rows. A called all-in has no more decisions: on the streets that remain it is a
# tree of one node that leads to the next card, and to a showdown on the river. On a *settled*
# street it is a showdown at once.

NO_PARENT = -1
NO_PLAYER = -1


class PlaceKind(IntEnum):
    """Kind of a node on a street."""

    FOLD = 0
    SHOWDOWN = 1
    CHANCE = 2
    DECISION = 3


@dataclass(frozen=True, eq=False)
class StreetLayout:
    """All decisions of a street; ``n`` nodes, those that begin it one after the other.

    Attributes:
        street: flop, turn or river.
        tree_node: ``[n]`` the node of the betting tree that each node represents.
        kind: ``[n]`` a `PlaceKind`.
        parent: ``[n]`` the node before it, `NO_PARENT` for those that begin the street.
        first_child: ``[n]`` the first of the nodes that its actions lead to, 0 without any.
        num_children: ``[n]`` the number of actions.
        actor: ``[n]`` the player to act, `NO_PLAYER` without a decision.
        first_action: ``[n]`` the row of a decision's first action in the tables of its player.
        action_node: for each player ``[A]`` the tree node that each row of its tables leads to.
        root: ``[roots]`` the nodes that begin the street.
        next_roots: the tree nodes after which a card is dealt, in the order of the next
            street's roots.
    """

    street: Street
    tree_node: IntArray
    kind: IntArray
    parent: IntArray
    first_child: IntArray
    num_children: IntArray
    actor: IntArray
    first_action: IntArray
    action_node: tuple[IntArray, IntArray]
    root: IntArray
    next_roots: tuple[int, ...]

    @property
    def num_nodes(self) -> int:
        """Nodes of all trees of the street."""
        return len(self.tree_node)

    @property
    def num_actions(self) -> tuple[int, int]:
        """Rows of each player's tables."""
        return len(self.action_node[0]), len(self.action_node[1])

    def decisions_of(self, player: int) -> tuple[IntArray, IntArray]:
        """Returns for each decision of a player the row of its first action and how many it has."""
        is_own = self.actor == player
        return self.first_action[is_own], self.num_children[is_own]


def make_layouts(tree: PostflopTree, settled: Collection[Street] = ()) -> tuple[StreetLayout, ...]:
    """Returns the layout of every street from the tree's first one on.

    Called all-ins end on ``settled`` streets; later ones then have fewer roots. Rows of tables are
    the same.
    """
    key = "layouts", *sorted(settled)
    if key not in tree.derived:
        layouts: list[StreetLayout] = []
        for street in list(Street)[tree.first_street :]:
            roots = layouts[-1].next_roots if layouts else (0,)
            layouts.append(_lay_out(tree, street, roots, street in settled))
        tree.derived[key] = tuple(layouts)
    made: tuple[StreetLayout, ...] = tree.derived[key]
    return made


def _lay_out(
    tree: PostflopTree, street: Street, roots: tuple[int, ...], is_settled: bool
) -> StreetLayout:
    """Numbers the nodes of a street: root by root, breadth-first, so that siblings are together."""
    is_over = street == Street.RIVER or is_settled
    kind_of = np.select(
        [tree.leaf_kind == NOT_A_LEAF, tree.leaf_kind == SHOWDOWN],
        [
            np.where(tree.street == street, PlaceKind.DECISION, PlaceKind.CHANCE),
            PlaceKind.SHOWDOWN if is_over else PlaceKind.CHANCE,
        ],
        PlaceKind.FOLD,
    )
    nodes: list[int] = []
    parent: list[int] = []
    first_child: list[int] = []
    root: list[int] = []
    for begin in roots:
        root.append(len(nodes))
        nodes.append(begin)
        parent.append(NO_PARENT)
        while (number := len(first_child)) < len(nodes):
            is_decision = kind_of[nodes[number]] == PlaceKind.DECISION
            first_child.append(len(nodes) if is_decision else 0)
            if is_decision:
                children = tree.layout.children(nodes[number])
                nodes.extend(children)
                parent += [number] * len(children)
    tree_node = np.array(nodes, dtype=np.int64)
    kind = kind_of[tree_node]
    decides = kind == PlaceKind.DECISION
    actor = np.where(decides, tree.layout.actor[tree_node], NO_PLAYER)
    num_children = np.where(decides, tree.layout.num_children[tree_node], 0)
    first_action, action_node = np.zeros(len(tree_node), dtype=np.int64), []
    for player in (OOP, IP):
        own = np.where(actor == player, num_children, 0)
        first_action += np.where(actor == player, own.cumsum() - own, 0)
        deciding = tree_node[actor == player]
        led_to = [child for node in deciding for child in tree.layout.children(node)]
        action_node.append(read_only(np.array(led_to, dtype=np.int64)))
    return StreetLayout(
        street=street,
        tree_node=read_only(tree_node),
        kind=read_only(kind),
        parent=read_only(np.array(parent, dtype=np.int64)),
        first_child=read_only(np.array(first_child, dtype=np.int64)),
        num_children=read_only(num_children),
        actor=read_only(actor),
        first_action=read_only(first_action),
        action_node=(action_node[0], action_node[1]),
        root=read_only(np.array(root, dtype=np.int64)),
        next_roots=tuple(tree_node[kind == PlaceKind.CHANCE].tolist()),
    )
