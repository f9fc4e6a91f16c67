"""Hands in buckets on each turn card: by strength, and by what they gain by each action.

Strength is the distribution of strength over rivers. It merges hands that win equally often and
play differently: what such a hand gains by each action, beyond what it gets at the decision, tells
them apart, once strategies are roughly known. Both features together are better than either.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from runout.abstraction.features import FlopStrengths
from runout.arrays import BoolArray, FloatArray, IntArray, Uint16Array
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.team import Team
from runout.holdem.cards import CardsToCome, PlayerHands
from runout.holdem.game import CardGame
from runout.holdem.rivers import TurnColumns
from runout.holdem.solver import SpotSolver
from runout.holdem.street_kernels import HERO_ACTS
from runout.trees.betting import Street

#: How much gains count beside strength (docs/bucketed.md).
_WEIGHT_OF_GAINS = 1.5
#: Restarts on a turn card: so many centres in all, because few buckets depend more on the seed.
_NUM_CENTRES, _FEWEST_RESTARTS, _MOST_RESTARTS = 192, 3, 12
#: Actions whose gains are looked at, and turn cards on which they are chosen.
_MOST_ACTIONS, _NUM_TURNS_TO_CHOOSE_BY = 32, 4


@dataclass(frozen=True, eq=False)
class TurnFeatures:
    """What a player's hands are told apart by on each turn card.

    Attributes:
        rows: ``[T, H, d]``.
        strength: ``[T, H]`` equity against a random hand.
        is_possible: ``[T, H]`` whether the card leaves the hand possible.
    """

    rows: FloatArray
    strength: FloatArray
    is_possible: BoolArray

    @classmethod
    def of_strength(
        cls, cards: CardsToCome, player: PlayerHands, strengths: FlopStrengths
    ) -> "TurnFeatures":
        """Returns the distributions of a player's strength; isomorphic hands have equal rows."""
        found, positions = strengths.turn_features(), player.positions()
        shape = len(cards.runouts[0]), len(player.combos)
        rows = np.zeros((*shape, found.rows.shape[1]))
        strength, is_possible = np.zeros(shape), np.zeros(shape, np.bool_)
        for turn, (card,) in enumerate(cards.runouts[0]):
            of_card = np.flatnonzero(found.board_index == card)
            of_card = of_card[positions[found.combo[of_card]] >= 0]
            hands = positions[found.combo[of_card]]
            rows[turn, hands], strength[turn, hands] = found.rows[of_card], found.strength[of_card]
            is_possible[turn, hands] = True
        return cls(rows, strength, is_possible)

    def scaled(self) -> FloatArray:
        """Returns rows of possible hands around 0, whose squares add up to 1 on average."""
        possible = self.rows[self.is_possible]
        mean = possible.mean(axis=0)
        spread = np.sqrt(((possible - mean) ** 2).sum(axis=1).mean())
        scaled: FloatArray = (self.rows - mean) / (spread or 1.0)
        return scaled


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
        strengths, (oop, ip) = FlopStrengths(cards.board, team), cards.players

        def sort_player(player: PlayerHands) -> Uint16Array:
            features = TurnFeatures.of_strength(cards, player, strengths)
            num_restarts = min(_NUM_CENTRES // self.number, _MOST_RESTARTS)
            return self.cluster(features, player.width, team, num_restarts)

        of_oop = sort_player(oop)
        return of_oop, of_oop if np.array_equal(oop.combos, ip.combos) else sort_player(ip)

    def cluster(
        self, features: TurnFeatures, width: int, team: Team, num_restarts: int = _FEWEST_RESTARTS
    ) -> Uint16Array:
        """Returns ``[T, width]`` the bucket of each hand by k-means, 0 where it is impossible."""
        from runout.abstraction.clustering import cluster_features  # exact rivers have no clusters

        columns = np.zeros((len(features.rows), width), np.uint16)

        def sort_turn(turn: int) -> None:
            hands = np.flatnonzero(features.is_possible[turn])
            if len(hands):
                columns[turn, hands] = cluster_features(
                    features.rows[turn, hands],
                    self.number,
                    "cramer",
                    seed=self.seed,
                    order_key=features.strength[turn, hands],
                    num_restarts=max(num_restarts, _FEWEST_RESTARTS),
                ).labels

        team.run(sort_turn, range(len(columns)))
        return columns


def sort_by_gains(solver: SpotSolver, buckets: StrengthBuckets) -> TurnColumns:
    """Returns buckets of strength and of what hands gain by actions under average strategies.

    Both players have their own.
    """
    game, team = solver.game, solver.game.team
    strengths = FlopStrengths(game.cards.board, team)
    sorted_hands = []
    for player, hands in enumerate(game.cards.players):
        strength = TurnFeatures.of_strength(game.cards, hands, strengths)
        gained = replace(strength, rows=measure_gains(solver, player))
        rows = np.concatenate([strength.scaled(), _WEIGHT_OF_GAINS * gained.scaled()], axis=2)
        for turn, alike in enumerate(_alike_hands(game, player)):
            rows[turn] = rows[turn, alike]
        sorted_hands.append(buckets.cluster(replace(strength, rows=rows), hands.width, team))
    oop, ip = sorted_hands
    return oop, ip


def measure_gains(solver: SpotSolver, player: int) -> FloatArray:
    """Returns ``[T, H, d]`` what a player's hands gain by actions on each turn card.

    It is the value of an action beyond its decision's, both under average strategies, of which the
    root is taken and the sign kept. Actions that gain least, on a few cards, are left out.
    """
    game, root_reach = solver.game, solver.root_reach[player]
    forest = game.templates[Street.TURN].forests[player]
    _, visit = game.visit_first_street(player, EVALUATING, solver.tables, root_reach)
    reach = visit.reach
    decisions = np.flatnonzero(forest.kind == HERO_ACTS)
    children = [forest.first_child[d] + np.arange(forest.num_children[d]) for d in decisions]
    action = np.concatenate([np.zeros(0, np.int64), *children]).astype(np.int64)
    decision = np.repeat(decisions, forest.num_children[decisions])
    num_turns, num_hands = len(game.cards.deals[0].card), len(game.cards.players[player].combos)

    def gains_on(turn: int) -> FloatArray:
        visited = game.visit_turn_card(player, turn, EVALUATING, solver.tables, reach)
        value = visited.value[:, :num_hands].astype(np.float64)
        gained = value[action] - value[decision]
        roots: FloatArray = np.sign(gained) * np.sqrt(np.abs(gained))
        return roots

    few = np.unique(np.linspace(0, num_turns - 1, _NUM_TURNS_TO_CHOOSE_BY).astype(np.int64))
    size = np.sum([np.abs(gains_on(turn)).sum(axis=1) for turn in few.tolist()], axis=0)
    chosen = np.argsort(-size, kind="stable")[:_MOST_ACTIONS]
    return np.stack([gains_on(turn)[chosen].T for turn in range(num_turns)])


def _alike_hands(game: CardGame, player: int) -> Iterator[IntArray]:
    """Yields for each turn card ``[H]`` the first hand that is isomorphic to each one."""
    cards, image = game.cards, game.hands(player).image
    number = len(cards.players[player].combos)
    for dealt in cards.runouts[0]:
        renamings = zip(cards.symmetries, cards.symmetry_numbers, strict=True)
        kept = [image[i, :number] for mapping, i in renamings if mapping.map_cards(dealt) == dealt]
        yield np.min(kept, axis=0)
