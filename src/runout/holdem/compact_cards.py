"""The cards of a flop whose rivers are bucket games, for any betting."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import Float32Array
from runout.cards.card import FLOP_SIZE, NUM_CARDS, format_cards
from runout.cards.combos import COMBO_CARDS
from runout.cfr.parallel import Team
from runout.errors import ConfigError
from runout.holdem.all_ins import net_wins
from runout.holdem.card_tables import hands_seen_from, orders_of
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_layouts import HeldCards
from runout.holdem.river_games import RiverBuckets, RiverGames
from runout.holdem.spot_layouts import Hands, Orders
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import IP, OOP

_NONE = -1


@dataclass(frozen=True, eq=False)
class CompactCards:
    """The cards of a flop, for any betting.

    Attributes:
        to_come: hands and boards.
        games: the rivers.
        hands: as OOP and IP see them.
        held: likewise.
        flop_orders: likewise.
        turn_orders: likewise.
        net_wins: likewise on the flop, of `all_ins`.
    """

    to_come: CardsToCome
    games: RiverGames
    hands: tuple[Hands, Hands]
    held: tuple[HeldCards, HeldCards]
    flop_orders: tuple[Orders, Orders]
    turn_orders: tuple[Orders, Orders]
    net_wins: tuple[Float32Array, Float32Array]

    @classmethod
    def plan(
        cls,
        board: tuple[int, ...],
        ranges: tuple[HandRange, HandRange],
        buckets: RiverBuckets,
        *,
        merges_suits: bool = True,
        team: Team | None = None,
    ) -> "CompactCards":
        """Finds the hands of a flop and makes the bucket games of its rivers.

        Args:
            board: three cards.
            ranges: of OOP and IP.
            buckets: how hands are grouped on rivers.
            merges_suits: whether turn cards that differ by suits only are solved once.
            team: threads to share the work.

        Raises:
            RangeError: if the board leaves nothing of a range, or no pair of hands can meet.
            ConfigError: if the board is no flop.
        """
        if len(board) != FLOP_SIZE:
            problem = f"compact needs a flop, {format_cards(board)} has {len(board)} cards"
            raise ConfigError("rivers", problem)
        to_come = CardsToCome.plan(board, ranges, merges_suits)
        turns = [board + dealt for dealt in to_come.runouts[0]]
        return cls(
            to_come=to_come,
            games=RiverGames.build(to_come, buckets, team or Team()),
            hands=(hands_seen_from(to_come, OOP), hands_seen_from(to_come, IP)),
            held=(_held_by(to_come, OOP), _held_by(to_come, IP)),
            flop_orders=(orders_of(to_come, [board], OOP), orders_of(to_come, [board], IP)),
            turn_orders=(orders_of(to_come, turns, OOP), orders_of(to_come, turns, IP)),
            net_wins=net_wins(to_come, [board]),
        )

    @property
    def widths(self) -> tuple[int, int]:
        """The lengths of rows of OOP's and IP's hands."""
        return self.to_come.players[0].width, self.to_come.players[1].width


def _held_by(cards: CardsToCome, player: int) -> HeldCards:
    """Returns hands by their cards, as a player sees them."""
    hero, villain = cards.players[player], cards.players[1 - player]
    holding = np.full((NUM_CARDS, NUM_CARDS - 1), _NONE, dtype=np.int64)
    for card in range(NUM_CARDS):
        held = np.flatnonzero((COMBO_CARDS[hero.combos] == card).any(axis=1))
        holding[card, : len(held)] = held
    with_cards = np.full((NUM_CARDS, NUM_CARDS), _NONE, dtype=np.int64)
    low, high = COMBO_CARDS[villain.combos].T
    with_cards[low, high] = with_cards[high, low] = np.arange(len(villain.combos))
    return HeldCards(holding, with_cards)
