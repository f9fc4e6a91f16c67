"""Hands in buckets on each turn card: by strength."""

from dataclasses import dataclass

import numpy as np

from runout.abstraction.clustering import cluster_features
from runout.abstraction.features import FlopStrengths
from runout.arrays import Uint16Array
from runout.cfr.team import Team
from runout.holdem.cards import CardsToCome, PlayerHands
from runout.holdem.rivers import TurnColumns


@dataclass(frozen=True)
class StrengthBuckets:
    """Sorts the hands of each turn card by the distribution of their strength on rivers.

    Attributes:
        number: buckets of a turn card, at most.
        seed: of the draws of centres.
    """

    number: int
    seed: int = 0

    def sort(self, cards: CardsToCome, team: Team) -> TurnColumns:
        """Returns the bucket of each hand; isomorphic hands share one."""
        features = FlopStrengths(cards.board, team).turn_features()

        def sort_player(player: PlayerHands) -> Uint16Array:
            columns = np.zeros((len(cards.runouts[0]), player.width), np.uint16)
            positions = player.positions()

            def sort_turn(turn: int) -> None:
                (card,) = cards.runouts[0][turn]
                rows = np.flatnonzero(
                    (features.board_index == card) & (positions[features.combo] >= 0)
                )
                if not len(rows):
                    return
                found = cluster_features(
                    features.rows[rows],
                    self.number,
                    "cramer",
                    seed=self.seed,
                    order_key=features.strength[rows],
                )
                columns[turn, positions[features.combo[rows]]] = found.labels

            team.run(sort_turn, range(len(columns)))
            return columns

        oop, ip = cards.players
        of_oop = sort_player(oop)
        is_same = np.array_equal(oop.combos, ip.combos)
        return of_oop, of_oop if is_same else sort_player(ip)
