"""Called all-ins before the river: nothing is left to decide, so what hands win is one product.

How often each hand wins against each over all runouts does not depend on the betting. On streets
that are *settled* so, no card need be dealt for such lines, on which buckets would only blur who
wins.
"""

from collections.abc import Sequence

import numpy as np

from runout import products
from runout.arrays import Float32Array, FloatArray
from runout.cards.card import NUM_CARDS
from runout.cards.combos import live_combos
from runout.equity.board_equity import BoardEquity, compute_board_equity
from runout.holdem.cards_to_come import CardsToCome, PlayerHands
from runout.holdem.rake import Rake
from runout.holdem.spot import WHOLE_DECK
from runout.holdem.street_layout import PlaceKind
from runout.holdem.street_template import StreetTemplate, make_templates, nodes_per_group
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree

#: Turns are settled if two ranges have at most so many pairs of hands: then the matrix of a card
#: stays in the processor's cache, and all of them are small beside the tables.
MOST_PAIRS = 1 << 18


def settled_streets(cards: CardsToCome, deck: Sequence[int] = WHOLE_DECK) -> tuple[Street, ...]:
    """Returns the streets whose called all-ins an exact solve values by products."""
    first = Street(Street.RIVER - len(cards.deals))
    if first == Street.RIVER or len(deck) != NUM_CARDS:
        return ()
    oop, ip = cards.players
    if first == Street.FLOP and oop.width * ip.width <= MOST_PAIRS:
        return (Street.FLOP, Street.TURN)
    return (first,)


def played_templates(
    tree: PostflopTree, rake: Rake, cards: CardsToCome, deck: Sequence[int] = WHOLE_DECK
) -> list[StreetTemplate]:
    """Returns the betting of each street as an exact solve visits it."""
    width = max(player.width for player in cards.players)
    return make_templates(tree, rake, nodes_per_group(width), settled_streets(cards, deck))


def has_products(template: StreetTemplate) -> bool:
    """Returns whether there are all-ins on a street that are valued by products."""
    return template.street != Street.RIVER and bool((template.kind == PlaceKind.SHOWDOWN).any())


def net_wins(
    cards: CardsToCome, boards: Sequence[tuple[int, ...]]
) -> tuple[Float32Array, Float32Array]:
    """Returns, seen from OOP and IP, how much more often hands win than they lose, as panels.

    By board ``[K, P, O, W]``: a matrix ``[O, H]``, by the opponent's hand and hero's, over all
    runouts; 0 where hands share a card with each other or with the board. They are the same
    arrays if both players hold the same hands.
    """
    oop, ip = cards.players
    held = np.union1d(oop.combos, ip.combos)
    among = held if len(held) < len(live_combos(cards.board)) else None
    equities = [compute_board_equity(board, among) for board in boards]
    seen: list[Float32Array] = [
        np.stack([products.pack_panels(_net(equity, *view), np.float32) for equity in equities])
        for view in _views(cards)
    ]
    return seen[0], seen[-1]


def net_win_bytes(cards: CardsToCome, num_boards: int) -> int:
    """Returns what `net_wins` of so many boards take."""
    return num_boards * sum(
        products.panel_bytes((villain.width, hero.width), np.float32)
        for hero, villain in _views(cards)
    )


def _views(cards: CardsToCome) -> list[tuple[PlayerHands, PlayerHands]]:
    """Returns hero and villain as OOP and as IP sees them, once if they hold the same hands."""
    oop, ip = cards.players
    return [(oop, ip)] if np.array_equal(oop.combos, ip.combos) else [(oop, ip), (ip, oop)]


def _net(equity: BoardEquity, hero: PlayerHands, villain: PlayerHands) -> FloatArray:
    """Returns ``[O, H]`` wins less losses of hero's hands on one board, as shares of runouts."""
    matrix = np.zeros((villain.width, hero.width))
    mine, theirs = (np.flatnonzero(np.isin(p.combos, equity.combos)) for p in (hero, villain))
    won = equity.wins_between(hero.combos[mine], villain.combos[theirs]).T.astype(np.float64)
    won -= equity.wins_between(villain.combos[theirs], hero.combos[mine])
    matrix[np.ix_(theirs, mine)] = won / equity.num_runouts
    return matrix
