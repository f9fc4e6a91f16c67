"""CFR in buckets on one flop: what is learned, what is played, and visits with sampled cards."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from runout.abstraction.bucket_map import NO_BUCKET, FlopBuckets
from runout.arrays import (
    AnyArray,
    Arrays,
    Float32Array,
    FloatArray,
    Int16Array,
    Int32Array,
    IntArray,
)
from runout.cards.deck import NUM_COMBOS, live_combos
from runout.cfr.cfr_kernels import LEARNING_AFRESH
from runout.cfr.schedules import LINEAR, DiscountWeights, Schedule
from runout.cfr.solver import IterativeSolver
from runout.cfr.team import Team
from runout.flops import flop_kernels
from runout.flops.backend import pack_probabilities, unpack_probabilities
from runout.holdem.cards import PLAYER_WORDS, Deal
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.tables import LearnedTables, Precision
from runout.simd.products import multiply
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

# What a player has learned in buckets: one row per action of a street, one column per bucket.


@dataclass(frozen=True, eq=False)
class BucketTables:
    """The tables of one player on one street, ``[A, B]``; sums are discounted.

    Attributes:
        first_action: ``[D]`` the row of each decision's first action.
        num_actions: ``[D]``.
        strategy_sum: reach times strategy.
        strategy: what is played now.
        average: the average strategy.
    """

    first_action: Int32Array
    num_actions: Int32Array
    regret: FloatArray
    strategy_sum: FloatArray
    strategy: FloatArray
    average: FloatArray

    @classmethod
    def of_street(cls, template: StreetTemplate, player: int, num_buckets: int) -> "BucketTables":
        """Returns the tables of a player who plays all actions equally often."""
        forest = template.forests[player]
        deciding = forest.kind == HERO_ACTS
        rows = forest.first_action[deciding], forest.num_children[deciding]
        tables = cls(*rows, *np.zeros((4, template.num_actions[player], num_buckets)))
        tables.refresh()
        tables.average[:] = tables.strategy
        return tables

    def add_regrets(self, weights: DiscountWeights, gained: FloatArray) -> None:
        """Discounts regrets and adds those of an iteration."""
        decay = np.where(self.regret > 0.0, weights.positive_regret, weights.negative_regret)
        self.regret[:] = self.regret * decay + gained
        self.refresh()

    def refresh(self) -> None:
        """Plays what was learned."""
        flop_kernels.match_decisions(
            self.first_action, self.num_actions, self.regret, self.strategy
        )

    def add_strategy(self, weights: DiscountWeights, reached: FloatArray) -> tuple[float, float]:
        """Discounts strategy sums and adds those of an iteration.

        Returns how much the average strategy moved, weighted by reach, and the reach itself.
        """
        self.strategy_sum[:] = self.strategy_sum * weights.strategy + reached
        rows, before = (self.first_action, self.num_actions), self.average.copy()
        flop_kernels.match_decisions(*rows, self.strategy_sum, self.average)
        moved = flop_kernels.measure_movement(*rows, before, self.average, reached)
        return float(moved), float(reached.sum())


# Strategies of buckets: what a combo does is what its bucket on the board does.

_STREETS = ("flop", "turn", "river")

#: An array that only flops with shared buckets keep.
SHARED_BUCKETS = "flop_buckets"


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """Strategies of both players by bucket.

    Played are, for flop, turn and river, for OOP and IP, ``[A, B]`` probabilities.
    """

    buckets: FlopBuckets
    played: tuple[tuple[Float32Array, ...], ...]

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        # A combo that the dealt cards block has bucket -1: it reads the last one and never plays.
        bucket = self.buckets((*self.buckets.flop, *dealt))[combos]
        rows: Float32Array = self.played[len(dealt)][player][:, bucket]
        return rows

    def to_arrays(self) -> Arrays:
        """Returns the strategies and the buckets in few bytes."""
        kept: dict[str, AnyArray] = {
            # Another flop may have fewer buckets, and kept together they have one type.
            SHARED_BUCKETS: self.buckets.by_flop.astype(np.uint16),
            "turn_buckets": pack_buckets(self.buckets.by_turn),
            "river_buckets": pack_buckets(self.buckets.by_river[live_combos(self.buckets.flop)]),
        }
        for street, of_players in zip(_STREETS, self.played, strict=True):
            for word, probabilities in zip(PLAYER_WORDS, of_players, strict=True):
                kept[f"{street}_{word}"] = pack_probabilities(probabilities)
        return kept


def pack_buckets(buckets: Int16Array) -> AnyArray:
    """Returns buckets in 8 bits if they fit, else in 16; the largest number is `NO_BUCKET`."""
    is_small = int(buckets.max()) < np.iinfo(np.uint8).max
    return buckets.astype(np.uint8 if is_small else np.uint16)


def unpack_buckets(packed: AnyArray) -> Int16Array:
    """Returns what `pack_buckets` packed."""
    is_none = packed == np.iinfo(cast(Any, packed.dtype)).max
    return np.where(is_none, NO_BUCKET, packed.astype(np.int32)).astype(np.int16)


def read_strategy(kept: Arrays, flop: tuple[int, ...]) -> BucketStrategy:
    """Returns the strategies of a kept flop, with the buckets of the last round."""
    streets = [[f"{street}_{word}" for word in PLAYER_WORDS] for street in _STREETS]
    played = [tuple(unpack_probabilities(kept[name]) for name in names) for names in streets]
    on_flop, on_turn, on_river = (unpack_buckets(kept[f"{street}_buckets"]) for street in _STREETS)
    by_river = np.full((NUM_COMBOS, NUM_COMBOS), NO_BUCKET, dtype=np.int16)
    by_river[live_combos(flop)] = on_river
    counts = tuple(int(labels.max()) + 1 for labels in (on_flop, on_turn, on_river))
    return BucketStrategy(FlopBuckets(flop, on_flop, on_turn, by_river, counts), tuple(played))


# CFR in buckets on one flop: public cards are sampled, hands are real.
#
# Every iteration deals a few turn cards and a few rivers after each, lets every hand meet every
# hand on them, and adds what hands have learned to their buckets (Johanson et al., "Efficient Nash
# Equilibrium Approximation through Monte Carlo CFR", 2012: public chance sampling).
#
# How far a solve has settled is told by its average strategies: `strategy_delta` is how much they
# moved in the last iteration, actions added up, decisions weighted by how often they are reached.
# What is *played* under sampled cards never settles.

#: Turn cards of an iteration, and river cards after each; chosen by measurement (docs/bucketed.md).
NUM_TURNS, NUM_RIVERS = 4, 1


class BucketedSolver(IterativeSolver):
    """What both players have learned in buckets on one flop.

    The kernels of `runout.holdem` learn for hands; what is learned is kept by bucket. So the tables
    of hands are only lent to a visit, which forgets everything older (`LEARNING_AFRESH`).
    """

    def __init__(
        self,
        game: CardGame,
        buckets: FlopBuckets,
        schedule: Schedule = LINEAR,
        seed: int = 0,
        team: Team | None = None,
        sampled: tuple[int, int] = (NUM_TURNS, NUM_RIVERS),
    ) -> None:
        """Begins with all actions equally likely, on a flop whose cards are not merged by suits.

        Sampled are turn cards in an iteration, and river cards after each.
        """
        self.game, self.buckets, self.schedule = game, buckets, schedule
        self.strategy_delta = math.inf
        self._seed, self._sampled, self._team = seed, sampled, team or Team()
        streets = list(zip(game.templates, buckets.num_buckets, strict=True))
        self.tables = [
            [BucketTables.of_street(template, player, number) for template, number in streets]
            for player in range(NUM_PLAYERS)
        ]
        self._weight = [
            np.pad(hands.weights.astype(np.float32), (0, hands.width - len(hands.combos)))
            for hands in game.cards.players
        ]
        self._is_held = [(weight > 0.0).astype(np.float32) for weight in self._weight]
        # One card of 49, one of 48, for hands that leave 45 and 44: sampling must not be biased.
        (num_turns, num_rivers), (turn_deal, river_deal) = sampled, game.cards.deals
        num_all_turns = len(turn_deal.card)
        num_all_rivers = len(river_deal.card) // num_all_turns
        self._probability = (
            np.float32(float(turn_deal.probability) * num_all_turns / num_turns),
            np.float32(float(river_deal.probability) * num_all_rivers / num_rivers),
        )
        self.deal({turn: range(num_rivers) for turn in range(num_turns)})
        self._space, sizes = self._sampled_game.workspace, self._sampled_game.table_sizes()
        self._by_hand = LearnedTables.allocate(game.templates, sizes, Precision.SINGLE)

    def begin_with(self, other: "BucketedSolver") -> None:
        """Takes what another solver of the same flop has learned; its turns and rivers must fit.

        A flop bucket begins with the mean regret of its hands' buckets there. Averages begin anew.
        """
        # By old and new flop bucket, the share of the new one's hands.
        before, now = other.buckets.by_flop, self.buckets.by_flop
        counts = np.zeros((other.buckets.num_buckets[0], self.buckets.num_buckets[0]))
        np.add.at(counts, (before[now >= 0], now[now >= 0]), 1.0)
        shares = counts / counts.sum(axis=0)
        for mine, theirs in zip(self.tables, other.tables, strict=True):
            for street, old in zip(mine, theirs, strict=True):
                is_flop = street is mine[0]
                street.regret[:] = multiply(old.regret, shares) if is_flop else old.regret
                street.refresh()

    def run(self, num_iterations: int) -> None:
        """Runs more iterations, each updating both players."""
        for _ in range(num_iterations):
            weights = self.schedule.weights(self.iteration)
            self.deal(self._sample())
            for player in range(NUM_PLAYERS):
                self.play(player)
            moved, arrived = 0.0, 0.0
            for player in range(NUM_PLAYERS):
                regrets, reached = self.visit(player)
                for street, gained in zip(self.tables[player], regrets, strict=True):
                    street.add_regrets(weights, gained)
                for street, reach in zip(self.tables[1 - player], reached, strict=True):
                    change, weight = street.add_strategy(weights, reach)
                    moved, arrived = moved + change, arrived + weight
                if player == 0:
                    self.play(player)
            self.strategy_delta = moved / arrived
            self.iteration += 1

    def exploitability(self) -> float:
        """Returns an upper bound of what a best response in the same buckets gains.

        It is the mean of positive regrets, over both players, and known without another visit; it
        is a bound where players remember their earlier buckets.
        """
        regret = total = 0.0
        for street in (*self.tables[0], *self.tables[1]):
            gained = np.maximum(street.regret, 0.0)
            regret += float(np.maximum.reduceat(gained, street.first_action, axis=0).sum())
        for iteration in range(self.iteration):  # the weights with which iterations are in tables
            total = total * self.schedule.weights(iteration).positive_regret + 1.0
        return regret / max(total, 1.0) / NUM_PLAYERS

    def strategy(self) -> BucketStrategy:
        """Returns the average strategies."""
        played = tuple(
            (oop.average.astype(np.float32), ip.average.astype(np.float32))
            for oop, ip in zip(*self.tables, strict=True)
        )
        return BucketStrategy(self.buckets, played)

    def _sample(self) -> dict[int, list[int]]:
        """Deals the cards of an iteration, rivers by turn card, from a stream of its own."""
        random = np.random.default_rng([self._seed, *self.buckets.flop, self.iteration])
        (num_turns, num_rivers), bounds = self._sampled, self.game.cards.deals[0].first_next
        dealt = {}
        for turn in random.choice(len(bounds) - 1, num_turns, replace=False).tolist():
            after = np.arange(bounds[turn], bounds[turn + 1])
            dealt[turn] = random.choice(after, num_rivers, replace=False).tolist()
        return dealt

    def deal(self, dealt: Mapping[int, Sequence[int]]) -> None:
        """Takes the cards of the next visits: rivers by turn card, as numbers of the deals."""
        cards, (on_turn, on_river) = self.game.cards, self._probability
        turns, rivers = list(dealt), [river for after in dealt.values() for river in after]
        first_next, (at_turn, at_river) = self._sampled[1] * np.arange(len(turns) + 1), cards.deals
        runouts = (
            ((),),
            tuple(cards.runouts[0][turn] for turn in turns),
            tuple(cards.runouts[1][river] for river in rivers),
        )
        deals = (
            Deal._make((*(part[turns] for part in at_turn[:4]), first_next, on_turn)),
            Deal._make((*(part[rivers] for part in at_river[:4]), at_river.first_next, on_river)),
        )
        to_come = replace(cards, deals=deals, runouts=runouts[1:])
        # With a deck of these cards nobody knows who wins an all-in before they have come.
        spot = replace(self.game.spot, deck=tuple({c for dealt in runouts[2] for c in dealt}))
        card_tables = replace(self.game.card_tables, to_come=to_come)
        self._sampled_game = CardGame(spot, team=self._team, card_tables=card_tables)
        #: ``[H]`` the bucket of each hand of a player, by street and board; -1 for none.
        self._bucket: list[list[list[Int16Array]]] = [[[], [], []] for _ in range(NUM_PLAYERS)]
        for street, boards in enumerate(runouts):
            for bucket in (self.buckets((*self.buckets.flop, *dealt)) for dealt in boards):
                for of_player, hands in zip(self._bucket, cards.players, strict=True):
                    by_hand = np.full(hands.width, NO_BUCKET, dtype=np.int16)
                    by_hand[: len(hands.combos)] = bucket[hands.combos]
                    of_player[street].append(by_hand)

    def play(self, player: int) -> None:
        """Sets what a player's hands do in the next visit, which is what their buckets do.

        Kernels play the positive part of regrets, made to sum to one. Of regrets that are
        probabilities that is the probabilities themselves, so these are what is written.
        """

        def expand(turn: int) -> None:
            for street, board in self._boards(turn):
                regret = self._by_hand.by_street[street][player].regret[board]
                bucket = self._bucket[player][street][board]
                played = self.tables[player][street].strategy
                flop_kernels.expand_buckets(played, bucket, regret)

        self._team.run(expand, range(self._sampled[0]))

    def visit(self, player: int) -> tuple[list[FloatArray], list[FloatArray]]:
        """Lets a player learn; what it plays must be set again afterwards.

        The regrets of the player who learned are of that visit alone, because what `play` wrote is
        discounted to nothing: what hands would have gained by each action. The strategy sums of the
        other one are the reach of that visit alone.

        Returned are, by street ``[A, B]``, the regrets of the player's buckets, and how the
        opponent's buckets were reached with each action.
        """
        reach = self.game.cards.root_reach(player)
        self._sampled_game.visit(player, LEARNING_AFRESH, self._by_hand, reach, self._space)
        other = 1 - player

        def empty(player: int) -> list[FloatArray]:
            return [np.zeros_like(street.regret) for street in self.tables[player]]

        def collect(turn: int) -> tuple[list[FloatArray], list[FloatArray]]:
            regrets, reached = empty(player), empty(other)
            for street, board in self._boards(turn):
                mine, theirs = (self._by_hand.by_street[street][p] for p in (player, other))
                for table, p, weight, out in (
                    (mine.regret, player, self._weight[player], regrets),
                    (theirs.strategy_sum, other, self._is_held[other], reached),
                ):
                    bucket = self._bucket[p][street][board]
                    flop_kernels.collect_buckets(table[board], bucket, weight, out[street])
            return regrets, reached

        regrets, reached = empty(player), empty(other)
        for gained, arrived in self._team.run(collect, range(self._sampled[0])):
            for total, part in zip(regrets + reached, gained + arrived, strict=True):
                total += part
        return regrets, reached

    def _boards(self, turn: int) -> Iterator[tuple[Street, int]]:
        """Yields the boards that go with a turn card; the flop goes with the first."""
        if turn == 0:
            yield Street.FLOP, 0
        yield Street.TURN, turn
        for river in range(self._sampled[1]):
            yield Street.RIVER, turn * self._sampled[1] + river
