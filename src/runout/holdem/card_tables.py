"""The hands of a spot and their strength on every board, as the kernels read them."""

from collections.abc import Sequence

import numpy as np

from runout.arrays import Int16Array, IntArray, Uint8Array
from runout.cards.card import NUM_CARDS, RIVER_SIZE
from runout.cards.combos import COMBO_CARDS, permute_combos
from runout.cards.evaluator_tables import evaluator_tables
from runout.cards.isomorphism import SUIT_MAPPINGS
from runout.equity import equity_kernels
from runout.holdem import terminal_kernels
from runout.holdem.cards_to_come import CardsToCome, PlayerHands
from runout.holdem.spot_layouts import Hands, Orders

_MAX_HOLDING = NUM_CARDS - 1  # combos with one given card
_NONE = -1


def hands_seen_from(cards: CardsToCome, player: int) -> Hands:
    """Returns the hands of both players for the kernels."""
    hero, villain = cards.players[player], cards.players[1 - player]
    same = np.full(hero.width, _NONE, dtype=np.int64)
    same[: len(hero.combos)] = villain.positions()[hero.combos]
    holding = np.full((NUM_CARDS, _MAX_HOLDING), _NONE, dtype=np.int64)
    for card in range(NUM_CARDS):
        held = np.flatnonzero((COMBO_CARDS[villain.combos] == card).any(axis=1))
        holding[card, : len(held)] = held
    return Hands(hero.cards(), villain.cards(), same, holding, _images(hero))


def orders_of(cards: CardsToCome, boards: Sequence[tuple[int, ...]], player: int) -> Orders:
    """Returns the hands possible on each board, seen from a player; by strength on rivers."""
    hero, villain = cards.players[player], cards.players[1 - player]
    hero_order, hero_strength, num_hero = _order(hero, boards)
    villain_order, villain_strength, num_villain = _order(villain, boards)
    is_river = len(boards[0]) == RIVER_SIZE
    num_mine, num_theirs = (len(player.combos) if is_river else 0 for player in (hero, villain))
    hero_sums = np.zeros((len(boards), num_mine, terminal_kernels.SUMS_OF_HAND), np.int16)
    villain_sums = np.zeros((len(boards), num_theirs, 2), np.int16)
    if is_river:
        terminal_kernels.find_sums(
            (hero_strength, villain_strength),
            (hero_order, villain_order),
            (num_hero, num_villain),
            (hero.cards(), villain.cards()),
            _first_sums(villain),
            hero_sums,
            villain_sums,
        )
    return Orders(hero_order, hero_sums, num_hero, villain_order, villain_sums, num_villain)


def _first_sums(villain: PlayerHands) -> IntArray:
    """Returns ``[52]`` the row before a card's first running sum; those of all hands are before."""
    num_holding = np.bincount(COMBO_CARDS[villain.combos].ravel(), minlength=NUM_CARDS)
    return villain.width + 1 + np.cumsum(num_holding + 1) - (num_holding + 1)


def _images(hero: PlayerHands) -> IntArray:
    """Returns ``[24, width]`` the hand whose image under each renaming each hand is."""
    positions = hero.positions()
    images = np.tile(np.arange(hero.width), (len(SUIT_MAPPINGS), 1))
    for number, mapping in enumerate(SUIT_MAPPINGS):
        sources = positions[permute_combos(mapping.inverse().new_suits)[hero.combos]]
        images[number, : len(hero.combos)] = np.where(sources >= 0, sources, 0)
    return images


def _order(
    player: PlayerHands, boards: Sequence[tuple[int, ...]]
) -> tuple[Int16Array, Uint8Array, IntArray]:
    """Returns the hands possible on each board in order, their strengths, and their number."""
    num_boards, num_hands = len(boards), len(player.combos)
    if len(boards[0]) == RIVER_SIZE:
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
