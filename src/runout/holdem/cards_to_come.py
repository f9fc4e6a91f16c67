"""The hands of a spot, the cards that can come, and which of them are the same up to suits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import (
    Float32Array,
    FloatArray,
    Int16Array,
    IntArray,
    Uint8Array,
    read_only,
)
from runout.cards.card import NUM_CARDS, RIVER_SIZE, format_cards
from runout.cards.combos import COMBO_CARDS, NUM_COMBOS, live_combos, permute_combos
from runout.cards.evaluator_tables import evaluator_tables
from runout.cards.isomorphism import SUIT_MAPPINGS, SuitMapping, suit_stabilizer
from runout.equity import equity_kernels
from runout.errors import CardError, RangeError
from runout.holdem.spot import WHOLE_DECK
from runout.holdem.spot_layouts import Deal, Hands, Orders
from runout.ranges.hand_range import HandRange

PLAYER_WORDS = ("oop", "ip")

#: Rows of hands are padded to a multiple of this for SIMD instructions.
ROW_WIDTH = 16

_MAX_HOLDING = NUM_CARDS - 1  # combos with one given card
_MAX_IMAGES = 3  # a card has at most three others of its rank
_NONE = -1

#: A sum that should be zero can miss it by this share of what was added up.
_ROUNDING = 1e-12


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
    def of_range(cls, hand_range: HandRange, board: Sequence[int], player: int) -> "PlayerHands":
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
    """

    board: tuple[int, ...]
    players: tuple[PlayerHands, PlayerHands]
    symmetries: tuple[SuitMapping, ...]
    deals: tuple[Deal, ...]
    runouts: tuple[tuple[tuple[int, ...], ...], ...]

    @classmethod
    def plan(
        cls,
        board: Sequence[int],
        ranges: tuple[HandRange, HandRange],
        merges_suits: bool = True,
        deck: Sequence[int] = WHOLE_DECK,
    ) -> "CardsToCome":
        """Finds the hands and cards of a spot.

        Args:
            board: 3 to 5 cards.
            ranges: of OOP and IP.
            merges_suits: whether cards that differ by suits only are solved once.
            deck: the cards that can come, as far as nobody holds them and the board has none.

        Raises:
            RangeError: if the board leaves nothing of a range, no pair of hands can meet, or
                hands of a range hold unequally many cards of the deck, whose chances would
                then not be the same for all pairs of hands.
            CardError: if the deck has too few cards.
        """
        players = tuple(PlayerHands.of_range(r, board, p) for p, r in enumerate(ranges))
        symmetries = tuple(
            mapping
            for mapping in suit_stabilizer(board)
            if all(_is_symmetric(player, mapping) for player in players)
            and set(mapping.map_cards(deck)) == set(deck)
        )
        if not merges_suits:
            symmetries = (SuitMapping.identity(),)
        stub = tuple(sorted(set(deck) - set(board)))
        num_held = sum(_count_held(stub, player, p) for p, player in enumerate(players))
        deals, runouts = _plan_deals(tuple(board), stub, num_held, symmetries)
        planned = cls(tuple(board), (players[0], players[1]), symmetries, deals, runouts)
        largest = players[0].weights.sum() * players[1].weights.sum()
        if planned.total_weight() <= _ROUNDING * largest:
            problem = "no hand of one range can meet a hand of the other, they share cards"
            raise RangeError("oop and ip", problem)
        return planned

    @property
    def symmetry_numbers(self) -> tuple[int, ...]:
        """The symmetries as numbers of `SUIT_MAPPINGS`, the rows of `Hands.image`."""
        return tuple(SUIT_MAPPINGS.index(mapping) for mapping in self.symmetries)

    def total_weight(self) -> float:
        """Returns the weight of all pairs of hands that can meet."""
        oop, ip = self.players
        cards_oop, cards_ip = (np.zeros(NUM_CARDS) for _ in range(2))
        for player, by_card in ((oop, cards_oop), (ip, cards_ip)):
            for column in COMBO_CARDS[player.combos].T:
                np.add.at(by_card, column, player.weights)
        same = ip.positions()[oop.combos]
        both = np.where(same >= 0, ip.weights[same], 0.0)
        low, high = COMBO_CARDS[oop.combos].T
        met = ip.weights.sum() - cards_ip[low] - cards_ip[high] + both
        return float((oop.weights * met).sum())

    def root_reach(self, player: int) -> Float32Array:
        """Returns ``[O]`` the opponent's weights, as shares of all pairs of hands that can meet.

        With it a hand's value times the hand's weight, summed over hands, is a mean over deals.
        """
        villain = self.players[1 - player]
        reach = np.zeros(villain.width, np.float32)
        reach[: len(villain.combos)] = villain.weights / self.total_weight()
        return reach

    def hands_seen_from(self, player: int) -> Hands:
        """Returns the hands of both players for the kernels."""
        hero, villain = self.players[player], self.players[1 - player]
        same = np.full(hero.width, _NONE, dtype=np.int64)
        same[: len(hero.combos)] = villain.positions()[hero.combos]
        holding = np.full((NUM_CARDS, _MAX_HOLDING), _NONE, dtype=np.int64)
        for card in range(NUM_CARDS):
            held = np.flatnonzero((COMBO_CARDS[villain.combos] == card).any(axis=1))
            holding[card, : len(held)] = held
        return Hands(hero.cards(), villain.cards(), same, holding, self._images(hero))

    def orders_of(self, boards: Sequence[tuple[int, ...]], player: int) -> Orders:
        """Returns the hands possible on each board, seen from a player; by strength on rivers."""
        hero = _order(self.players[player], boards)
        return Orders(*hero, *_order(self.players[1 - player], boards))

    def _images(self, hero: PlayerHands) -> IntArray:
        """Returns ``[24, width]`` the hand whose image under each renaming each hand is."""
        positions = hero.positions()
        images = np.tile(np.arange(hero.width), (len(SUIT_MAPPINGS), 1))
        for number, mapping in enumerate(SUIT_MAPPINGS):
            sources = positions[permute_combos(mapping.inverse().new_suits)[hero.combos]]
            images[number, : len(hero.combos)] = np.where(sources >= 0, sources, 0)
        return images


def _is_symmetric(player: PlayerHands, mapping: SuitMapping) -> bool:
    weights = np.zeros(NUM_COMBOS)
    weights[player.combos] = player.weights
    return np.array_equal(weights[permute_combos(mapping.new_suits)], weights)


def _count_held(stub: tuple[int, ...], hands: PlayerHands, player: int) -> int:
    """Returns how many cards of the rest of a deck each of a player's hands holds."""
    counts = np.unique(np.isin(COMBO_CARDS[hands.combos], stub).sum(axis=1)).tolist()
    if len(counts) > 1:
        found = " and ".join(map(str, counts))
        problem = f"hands hold {found} cards of the deck, all of a range must hold equally many"
        raise RangeError(PLAYER_WORDS[player], problem)
    return int(counts[0])


def _plan_deals(
    board: tuple[int, ...],
    stub: tuple[int, ...],
    num_held: int,
    symmetries: tuple[SuitMapping, ...],
) -> tuple[tuple[Deal, ...], tuple[tuple[tuple[int, ...], ...], ...]]:
    """Returns the deals of all streets after the first, and the runouts that they number.

    Args:
        board: the known cards.
        stub: the cards of the deck that are not on the board.
        num_held: how many of these two hands hold.
        symmetries: the renamings of suits that may merge cards.

    Raises:
        CardError: if two hands leave too few cards to deal.
    """
    num_left = len(stub) - num_held
    if num_left < RIVER_SIZE - len(board):
        problem = f"two hands leave {num_left} cards, {RIVER_SIZE - len(board)} are dealt"
        raise CardError(f"deck {format_cards(stub)}", problem)
    deals: list[Deal] = []
    runouts: list[tuple[tuple[int, ...], ...]] = []
    before: tuple[tuple[int, ...], ...] = ((),)
    for size in range(len(board), RIVER_SIZE):
        cards, images, first, after = [], [], [0], []
        for dealt in before:
            keeping = [m for m in symmetries if m.map_cards(dealt) == dealt]
            for card, others in _classes(stub, dealt, keeping):
                cards.append(card)
                images.append(others)
                after.append((*dealt, card))
            first.append(len(cards))
        if deals:
            deals[-1] = deals[-1]._replace(first_next=np.array(first, dtype=np.int64))
        # What the players hold is gone as well when the card is dealt.
        probability = np.float32(1.0 / (num_left - (size - len(board))))
        deals.append(
            Deal(
                card=np.array(cards, dtype=np.int64),
                order=np.arange(len(cards), dtype=np.int64),
                images=np.array(images, dtype=np.int64),
                first_next=np.zeros(0, dtype=np.int64),
                probability=probability,
            )
        )
        before = tuple(after)
        runouts.append(before)
    return tuple(deals), tuple(runouts)


def _classes(
    stub: tuple[int, ...], dealt: tuple[int, ...], symmetries: list[SuitMapping]
) -> list[tuple[int, list[int]]]:
    """Returns one card of each class, and the numbers of the renamings that lead to the others."""
    classes, done = [], set(dealt)
    for card in stub:
        if card in done:
            continue
        images: dict[int, int] = {}
        for mapping in symmetries:
            images.setdefault(mapping.map_card(card), SUIT_MAPPINGS.index(mapping))
        images.pop(card)
        done.update([card, *images])
        numbers = sorted(images.values())
        classes.append((card, numbers + [_NONE] * (_MAX_IMAGES - len(numbers))))
    return classes


def _order(
    player: PlayerHands, boards: Sequence[tuple[int, ...]]
) -> tuple[Int16Array, Uint8Array, IntArray]:
    """Returns the hands possible on each board in order, their strengths, and their number."""
    num_boards, num_hands = len(boards), len(player.combos)
    if boards and len(boards[0]) == RIVER_SIZE:
        _, ranks = _rank(player.combos, np.array(boards, dtype=np.uint8))
    else:  # before the river nobody shows down: only who is possible matters
        ranks = np.zeros((num_boards, num_hands), dtype=np.uint8)
        for row, cards in zip(ranks, boards, strict=True):
            blocked = np.isin(COMBO_CARDS[player.combos], cards).any(axis=1)
            row[blocked] = equity_kernels.BLOCKED_VILLAIN
    order = np.argsort(ranks, axis=1, kind="stable")
    strength = np.take_along_axis(ranks, order, axis=1)
    num_live = (ranks != equity_kernels.BLOCKED_VILLAIN).sum(axis=1)
    return order.astype(np.int16), strength, num_live


def _rank(combos: IntArray, boards: Uint8Array) -> tuple[Uint8Array, Uint8Array]:
    hero = np.empty((len(boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    return hero, villain
