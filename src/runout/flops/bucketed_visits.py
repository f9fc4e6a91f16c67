"""Visits of a flop on which some turn and river cards come, played by buckets with real hands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from runout.abstraction.bucket_map import NO_BUCKET, FlopBuckets
from runout.arrays import AnyArray, Float32Array, FloatArray, Int16Array, Int32Array, IntArray
from runout.cache import Arrays
from runout.cards.deck import NUM_COMBOS, live_combos
from runout.cfr.schedules import DiscountWeights
from runout.cfr.team import Team
from runout.flops import flop_kernels
from runout.flops.backend import pack_probabilities
from runout.holdem.cards import PLAYER_WORDS, Deal
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame
from runout.holdem.street_kernels import HERO_ACTS, LEARNING_AFRESH
from runout.holdem.tables import LearnedTables, Precision
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
        shape = (template.num_actions[player], num_buckets)
        tables = cls(
            forest.first_action[deciding],
            forest.num_children[deciding],
            *(np.zeros(shape) for _ in range(4)),
        )
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
            "flop_buckets": self.buckets.by_flop.astype(np.uint16),
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


def read_buckets(kept: Arrays, flop: tuple[int, ...]) -> FlopBuckets:
    """Returns the buckets of a kept flop, those of its last round."""
    on_flop, on_turn, on_river = (unpack_buckets(kept[f"{street}_buckets"]) for street in _STREETS)
    by_river = np.full((NUM_COMBOS, NUM_COMBOS), NO_BUCKET, dtype=np.int16)
    by_river[live_combos(flop)] = on_river
    counts = tuple(int(labels.max()) + 1 for labels in (on_flop, on_turn, on_river))
    return FlopBuckets(flop, on_flop, on_turn, by_river, counts)


# The kernels of `runout.holdem` learn for hands; what is learned is kept by bucket, elsewhere. So
# the tables of hands are only lent to a visit, which forgets everything older (`LEARNING_AFRESH`).


class SampledVisits:
    """Visits of one flop with sampled turns and rivers: of a game in which only these can come."""

    def __init__(
        self,
        game: CardGame,
        buckets: FlopBuckets,
        num_turns: int,
        num_rivers: int,
        team: Team | None = None,
    ) -> None:
        """Allocates room for so many turn cards, and rivers after each; suits are not merged."""
        self._game, self._buckets, self._team = game, buckets, team or Team()
        self._num_rivers, self._turns = num_rivers, range(num_turns)
        cards = game.cards
        self._weight = [
            np.pad(hands.weights.astype(np.float32), (0, hands.width - len(hands.combos)))
            for hands in cards.players
        ]
        self._is_held = [(weight > 0.0).astype(np.float32) for weight in self._weight]
        # One card of 49, one of 48, for hands that leave 45 and 44: sampling must not be biased.
        turn_deal, river_deal = cards.deals
        num_all_turns = len(turn_deal.card)
        num_all_rivers = len(river_deal.card) // num_all_turns
        self._probability = (
            np.float32(float(turn_deal.probability) * num_all_turns / num_turns),
            np.float32(float(river_deal.probability) * num_all_rivers / num_rivers),
        )
        self.deal({turn: range(num_rivers) for turn in self._turns})
        self._space, sizes = self._sampled.workspace, self._sampled.table_sizes()
        self._tables = LearnedTables.allocate(game.templates, sizes, Precision.SINGLE)

    def deal(self, dealt: Mapping[int, Sequence[int]]) -> None:
        """Takes the cards of the next visits: rivers by turn card, as numbers of the deals."""
        cards, (on_turn, on_river) = self._game.cards, self._probability
        turns, rivers = list(dealt), [river for after in dealt.values() for river in after]
        first_next, (at_turn, at_river) = self._num_rivers * np.arange(len(turns) + 1), cards.deals
        runouts = (
            ((),),
            tuple(cards.runouts[0][turn] for turn in turns),
            tuple(cards.runouts[1][river] for river in rivers),
        )
        deals = (
            Deal._make((*(part[turns] for part in at_turn[:3]), first_next, on_turn)),
            Deal._make((*(part[rivers] for part in at_river[:3]), at_river.first_next, on_river)),
        )
        to_come = replace(cards, deals=deals, runouts=runouts[1:])
        # With a deck of these cards nobody knows who wins an all-in before they have come.
        spot = replace(self._game.spot, deck=tuple({c for dealt in runouts[2] for c in dealt}))
        card_tables = replace(self._game.card_tables, to_come=to_come)
        self._sampled = CardGame(spot, team=self._team, card_tables=card_tables)
        self._bucket = [
            [[self._buckets_of(player, dealt) for dealt in boards] for boards in runouts]
            for player in range(NUM_PLAYERS)
        ]

    def play(self, player: int, played: Sequence[FloatArray]) -> None:
        """Sets what a player's buckets do in the next visit, ``[A, B]`` for flop, turn and river.

        Kernels play the positive part of regrets, made to sum to one. Of regrets that are
        probabilities that is the probabilities themselves, so these are what is written.
        """

        def expand(turn: int) -> None:
            for street, board in self._boards(turn):
                regret = self._tables.by_street[street][player].regret[board]
                bucket = self._bucket[player][street][board]
                flop_kernels.expand_buckets(played[street], bucket, regret)

        self._team.run(expand, self._turns)

    def visit(self, player: int) -> tuple[list[FloatArray], list[FloatArray]]:
        """Lets a player learn; what it plays must be set again afterwards.

        The regrets of the player who learned are of that visit alone, because what `play` wrote is
        discounted to nothing: what hands would have gained by each action. The strategy sums of the
        other one are the reach of that visit alone.

        Returned are, by street ``[A, B]``, the regrets of the player's buckets, and how the
        opponent's buckets were reached with each action.
        """
        reach = self._game.cards.root_reach(player)
        self._sampled.visit(player, LEARNING_AFRESH, self._tables, reach, self._space)
        other = 1 - player

        def collect(turn: int) -> tuple[list[FloatArray], list[FloatArray]]:
            regrets, reached = self._empty(player), self._empty(other)
            for street, board in self._boards(turn):
                mine, theirs = (self._tables.by_street[street][p] for p in (player, other))
                for table, p, weight, out in (
                    (mine.regret, player, self._weight[player], regrets),
                    (theirs.strategy_sum, other, self._is_held[other], reached),
                ):
                    bucket = self._bucket[p][street][board]
                    flop_kernels.collect_buckets(table[board], bucket, weight, out[street])
            return regrets, reached

        regrets, reached = self._empty(player), self._empty(other)
        for gained, arrived in self._team.run(collect, self._turns):
            for total, part in zip(regrets + reached, gained + arrived, strict=True):
                total += part
        return regrets, reached

    def _boards(self, turn: int) -> Iterator[tuple[Street, int]]:
        """Yields the boards that go with a turn card; the flop goes with the first."""
        if turn == 0:
            yield Street.FLOP, 0
        yield Street.TURN, turn
        for river in range(self._num_rivers):
            yield Street.RIVER, turn * self._num_rivers + river

    def _buckets_of(self, player: int, dealt: tuple[int, ...]) -> Int16Array:
        """Returns ``[H]`` the bucket of each of a player's hands after some cards; -1 for none."""
        hands = self._game.cards.players[player]
        by_hand = np.full(hands.width, NO_BUCKET, dtype=np.int16)
        by_hand[: len(hands.combos)] = self._buckets((*self._buckets.flop, *dealt))[hands.combos]
        return by_hand

    def _empty(self, player: int) -> list[FloatArray]:
        streets = zip(self._game.templates, self._buckets.num_buckets, strict=True)
        return [np.zeros((template.num_actions[player], number)) for template, number in streets]
