"""Visits of a flop on which some turn and river cards come, played by buckets with real hands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from runout.abstraction.bucket_map import NO_BUCKET, FlopBuckets
from runout.arrays import AnyArray, Float32Array, FloatArray, Int16Array, Int32Array, IntArray
from runout.cache import Arrays
from runout.cards.deck import NUM_COMBOS, live_combos
from runout.cfr.schedules import DiscountWeights
from runout.cfr.team import Team
from runout.flops import flop_kernels
from runout.flops.backend import pack_probabilities, unpack_probabilities
from runout.holdem import visit_kernels
from runout.holdem.cards import Deal
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame, arrive
from runout.holdem.rivers import EXACT_RIVERS
from runout.holdem.street_kernels import HERO_ACTS, LEARNING_AFRESH
from runout.holdem.tables import Precision, make_scratch, part_of, plan_learning
from runout.holdem.visit_kernels import (
    NO_NET_WINS,
    Arrival,
    BothTables,
    DealtStreet,
    TurnScratch,
    TurnStreets,
    TurnTables,
)
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

# What a player has learned in buckets: one row per action of a street, one column per bucket.


@dataclass(frozen=True, eq=False)
class BucketTables:
    """The tables of one player on one street.

    Attributes:
        first_action: ``[D]`` the row of each decision's first action.
        num_actions: ``[D]``.
        regret: ``[A, B]`` discounted regrets.
        strategy_sum: ``[A, B]`` discounted sums of reach times strategy.
        strategy: ``[A, B]`` what is played now.
        average: ``[A, B]`` the average strategy.
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

        Returns:
            How much the average strategy moved, weighted by reach, and the reach itself.
        """
        self.strategy_sum[:] = self.strategy_sum * weights.strategy + reached
        moved = flop_kernels.follow_average(
            self.first_action, self.num_actions, self.strategy_sum, reached, self.average
        )
        return float(moved), float(reached.sum())


# Strategies of buckets: what a combo does is what its bucket on the board does.

_STREETS = ("flop", "turn", "river")


def buckets_on(buckets: FlopBuckets, dealt: tuple[int, ...]) -> Int16Array:
    """Returns ``[1326]`` the bucket of each combo after some cards were dealt."""
    return buckets.bucket_of(Street(len(dealt)), *dealt)


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """Strategies of both players by bucket.

    Attributes:
        buckets: which bucket a combo is in.
        played: for flop, turn and river, for OOP and IP: ``[A, B]`` probabilities.
    """

    buckets: FlopBuckets
    played: tuple[tuple[Float32Array, Float32Array], ...]

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        # A combo that the dealt cards block has bucket -1: it reads the last one and never plays.
        bucket = buckets_on(self.buckets, dealt)[combos]
        rows: Float32Array = self.played[len(dealt)][player][:, bucket]
        return rows

    def to_arrays(self) -> Arrays:
        """Returns the strategies and the buckets in few bytes."""
        kept: dict[str, AnyArray] = {
            "flop_buckets": pack_few_buckets(self.buckets.by_flop),
            "turn_buckets": pack_buckets(self.buckets.by_turn),
            "river_buckets": pack_buckets(self.buckets.by_river[live_combos(self.buckets.flop)]),
        }
        for street, (oop, ip) in zip(_STREETS, self.played, strict=True):
            kept[f"{street}_oop"] = pack_probabilities(oop)
            kept[f"{street}_ip"] = pack_probabilities(ip)
        return kept

    @classmethod
    def from_arrays(cls, kept: Arrays, flop: tuple[int, ...]) -> "BucketStrategy":
        """Returns what `to_arrays` wrote."""
        played = tuple(
            (
                unpack_probabilities(kept[f"{street}_oop"]),
                unpack_probabilities(kept[f"{street}_ip"]),
            )
            for street in _STREETS
        )
        return cls(read_buckets(kept, flop), played)


def pack_few_buckets(buckets: Int16Array) -> AnyArray:
    """Returns buckets of flops in 16 bits.

    One flop may have more buckets than fit into 8 bits and another one, with fewer different
    hands, may not; kept together they must be numbers of one type.
    """
    return buckets.astype(np.uint16)


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
    return FlopBuckets(flop, on_flop, on_turn, by_river, (counts[0], counts[1], counts[2]))


# The kernels of `runout.holdem` learn for hands; what is learned is kept by bucket, elsewhere. So
# the tables of hands are only lent to a visit, which forgets everything older (`LEARNING_AFRESH`).

_FLOP, _TURN, _RIVER = Street.FLOP, Street.TURN, Street.RIVER

LearnedPart = Literal["regret", "strategy_sum"]


class SampledCards(NamedTuple):
    """A turn card and some rivers after it, as numbers of the game's deals."""

    turn: int
    rivers: tuple[int, ...]


class LentTables:
    """Tables of both players' hands on some boards of a street, for one visit at a time."""

    def __init__(self, game: CardGame, buckets: FlopBuckets, street: Street, num: int) -> None:
        """Allocates ``[num, A, H]`` tables of each player."""
        self._game, self._buckets = game, buckets
        self._bucket: list[list[Int16Array]] = []
        self.tables = [
            plan_learning((num, num_actions, width), Precision.SINGLE).build(Learning)
            for num_actions, width in zip(
                game.templates[street].num_actions, game.cards.widths, strict=True
            )
        ]

    def deal(self, boards: Sequence[tuple[int, ...]]) -> None:
        """Takes other boards, each the cards after the flop."""
        self._bucket = [[self._buckets_of(p, dealt) for dealt in boards] for p in (0, 1)]

    def play(self, player: int, played: FloatArray) -> None:
        """Lets every hand play what its bucket plays, ``[A, B]``, in the next visit.

        Kernels play the positive part of regrets, made to sum to one. Of regrets that are
        probabilities that is the probabilities themselves, so these are what is written.
        """
        for board, bucket in enumerate(self._bucket[player]):
            flop_kernels.expand_buckets(played, bucket, self.tables[player].regret[board])

    def collect(
        self, player: int, part: LearnedPart, weight: Float32Array, out: FloatArray
    ) -> None:
        """Adds to ``out[A, B]`` what a visit left with a player's hands, times their weights.

        The regrets of the player who learned are of that visit alone, because what `play` wrote is
        discounted to nothing: what hands would have gained by each action. The strategy sums of the
        other one are the reach of that visit alone.
        """
        tables = getattr(self.tables[player], part)
        for board, bucket in enumerate(self._bucket[player]):
            flop_kernels.collect_buckets(tables[board], bucket, weight, out)

    def seen_from(self, hero: int) -> BothTables:
        """Returns the tables of the hero and of the other player on all boards."""
        return BothTables(self.tables[hero], self.tables[1 - hero])

    def _buckets_of(self, player: int, dealt: tuple[int, ...]) -> Int16Array:
        """Returns ``[H]`` the bucket of each of a player's hands after some cards; -1 for none."""
        hands = self._game.cards.players[player]
        by_hand = np.full(hands.width, -1, dtype=np.int16)
        by_hand[: len(hands.combos)] = buckets_on(self._buckets, dealt)[hands.combos]
        return by_hand


class _Slot:
    """Everything that one turn card of a visit needs, so that several can be visited at once."""

    def __init__(self, game: CardGame, buckets: FlopBuckets, num_rivers: int) -> None:
        self._game = game
        self._cards = SampledCards(0, ())
        cards, templates = game.cards, game.templates
        self.streets = (
            LentTables(game, buckets, _TURN, 1),
            LentTables(game, buckets, _RIVER, num_rivers),
        )
        self._scratch = [
            EXACT_RIVERS.plan_worker(templates, cards, player, Precision.SINGLE).build(TurnScratch)
            for player in range(NUM_PLAYERS)
        ]
        self.value = [
            np.zeros((len(templates[_TURN].root_of), width), np.float32) for width in cards.widths
        ]

    def deal(self, dealt: SampledCards) -> None:
        """Takes other cards."""
        self._cards = dealt
        on_turn, on_river = self._game.cards.runouts
        turn, river = self.streets
        turn.deal([on_turn[dealt.turn]])
        river.deal([on_river[number] for number in dealt.rivers])

    def visit(self, player: int, arrival: Arrival, probability: tuple[float, float]) -> None:
        """Visits the turn card and its rivers; the values are those of the turn's roots."""
        game, dealt = self._game, self._cards
        side = game.side(player)
        turn_deal, river_deal = game.cards.deals
        turn = _deal_of(turn_deal, (dealt.turn,), probability[0])
        turn = turn._replace(first_next=np.array([0, len(dealt.rivers)], dtype=np.int64))
        streets = TurnStreets(
            side.hands,
            DealtStreet(side.forests[_TURN], side.orders[_TURN], turn),
            DealtStreet(
                side.forests[_RIVER],
                side.orders[_RIVER],
                _deal_of(river_deal, dealt.rivers, probability[1]),
            ),
            NO_NET_WINS,
        )
        on_turn, on_river = (street.seen_from(player) for street in self.streets)
        visit_kernels.visit_turns(
            streets,
            np.zeros(1, np.int64),
            TurnTables(on_turn, on_river, 0, 0),
            LEARNING_AFRESH,
            arrival,
            self._scratch[player],
            self.value[player][None],
        )


class SampledVisits:
    """Visits of one flop with sampled turns and rivers."""

    def __init__(
        self,
        game: CardGame,
        buckets: FlopBuckets,
        num_turns: int,
        num_rivers: int,
        team: Team | None = None,
    ) -> None:
        """Allocates room for so many turn cards, and rivers after each; suits are not merged."""
        self._game = game
        self._team = team or Team()
        cards = game.cards
        self._flop = LentTables(game, buckets, _FLOP, 1)
        self._flop.deal([()])
        self._slots = [_Slot(game, buckets, num_rivers) for _ in range(num_turns)]
        self._scratch = [
            make_scratch(game.templates[_FLOP], cards, player, Precision.SINGLE)
            for player in range(NUM_PLAYERS)
        ]
        self._weight = [
            np.pad(hands.weights.astype(np.float32), (0, hands.width - len(hands.combos)))
            for hands in cards.players
        ]
        self._root = [arrive(cards.root_reach(player)) for player in range(NUM_PLAYERS)]
        self._is_held = [(weight > 0.0).astype(np.float32) for weight in self._weight]
        # One card of 49, one of 48, for hands that leave 45 and 44: sampling must not be biased.
        turn_deal, river_deal = cards.deals
        num_all_turns = len(turn_deal.card)
        num_all_rivers = len(river_deal.card) // num_all_turns
        self._probability = (
            float(turn_deal.probability) * num_all_turns / num_turns,
            float(river_deal.probability) * num_all_rivers / num_rivers,
        )
        self._shapes = [
            [
                (template.num_actions[player], number)
                for template, number in zip(game.templates, buckets.num_buckets, strict=True)
            ]
            for player in range(NUM_PLAYERS)
        ]

    def deal(self, dealt: Sequence[SampledCards]) -> None:
        """Takes the cards of the next visits."""
        for slot, cards in zip(self._slots, dealt, strict=True):
            slot.deal(cards)

    def play(self, player: int, played: Sequence[FloatArray]) -> None:
        """Sets what a player's buckets do, ``[A, B]`` for flop, turn and river."""

        def play_later(slot: _Slot) -> None:
            for street, by_bucket in zip(slot.streets, played[1:], strict=True):
                street.play(player, by_bucket)

        self._flop.play(player, played[_FLOP])
        self._team.run(play_later, self._slots)

    def visit(self, player: int) -> tuple[list[FloatArray], list[FloatArray]]:
        """Lets a player learn; what it plays must be set again afterwards.

        Returns:
            By street ``[A, B]``: the regrets of the player's buckets, and how the opponent's
            buckets were reached with each action.
        """
        side = self._game.side(player)
        hero, villain = (part_of(learning, 0) for learning in self._flop.seen_from(player))
        matchups = visit_kernels.meet(side.hands, side.orders[_FLOP], 0)
        forest, scratch = side.forests[_FLOP], self._scratch[player]
        visit_kernels.begin_street(
            forest, side.hands, matchups, villain, LEARNING_AFRESH, self._root[player], scratch
        )
        arrival = Arrival(scratch.reach, forest.chance_row, -1, np.float32(1.0))
        learned = self._empty(player)

        def visit_slot(slot: _Slot) -> tuple[list[FloatArray], list[FloatArray]]:
            slot.visit(player, arrival, self._probability)
            of_slot = self._empty(player)
            for number, street in enumerate(slot.streets, start=1):
                self._collect(player, street, number, of_slot)
            return of_slot

        for of_slot in self._team.run(visit_slot, self._slots):
            for totals, parts in zip(learned, of_slot, strict=True):
                for total, part in zip(totals, parts, strict=True):
                    total += part
        chance_value = np.zeros(self._slots[0].value[player].shape)
        for slot in self._slots:
            chance_value += slot.value[player]
        visit_kernels.end_street(forest, chance_value, hero, LEARNING_AFRESH, scratch)
        self._collect(player, self._flop, _FLOP, learned)
        return learned

    def _collect(
        self,
        player: int,
        street: LentTables,
        number: int,
        out: tuple[list[FloatArray], list[FloatArray]],
    ) -> None:
        """Adds what a player has learned on a street, and how the other one has reached it."""
        regrets, reached = out
        street.collect(player, "regret", self._weight[player], regrets[number])
        other = 1 - player
        street.collect(other, "strategy_sum", self._is_held[other], reached[number])

    def _empty(self, player: int) -> tuple[list[FloatArray], list[FloatArray]]:
        """Returns room for regrets of a player and the reach of the other one, by street."""
        mine, theirs = (
            [np.zeros(shape) for shape in self._shapes[p]] for p in (player, 1 - player)
        )
        return mine, theirs


def _deal_of(deal: Deal, chosen: Sequence[int], probability: float) -> Deal:
    """Returns a deal of some of its cards."""
    numbers: IntArray = np.array(chosen, dtype=np.int64)
    return Deal(
        card=deal.card[numbers],
        order=deal.order[numbers],
        images=deal.images[numbers],
        first_next=np.zeros(0, dtype=np.int64),
        probability=np.float32(probability),
    )
