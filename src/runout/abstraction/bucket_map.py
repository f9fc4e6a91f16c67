"""The buckets of one flop, by strength or by what hands earn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from runout.abstraction.clustering import Metric, cluster_features, scale_share
from runout.abstraction.features import NUM_BINS, FlopStrengths, counts_to_cdf
from runout.arrays import Arrays, FloatArray, Int16Array, IntArray, divide, read_only
from runout.cache import digest_sources, load_or_build
from runout.cards import deck
from runout.cards.flops import (
    CanonicalBoard,
    SuitMapping,
    canonical_flop,
    combo_images,
    suit_stabilizer,
)
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import AbstractionError
from runout.events import BucketEventSink, BucketsCapped, Phase, ignore_event, reporting_phase
from runout.simd.products import multiply
from runout.trees.betting import Street

# The buckets of one flop: which bucket a combo is in, on the flop and on every later board.
#
# Turn and river buckets are shared by all cards of the flop: one clustering over every board of the
# street, so that a bucket, and what a strategy does with it, means one thing.

#: Stands where a board blocks a combo: blocked hands have no bucket.
NO_BUCKET = -1

MAX_BUCKETS = int(np.iinfo(np.int16).max)

#: Packages whose code makes strengths and buckets.
SOURCES = ("abstraction", "cards", "equity", "simd")

_PERCENT = 100
#: Where the clustering of a street begins and ends, in percent of the time that all takes, about.
_PERCENT_BY_STREET = {Street.FLOP: (10, 15), Street.TURN: (20, 35), Street.RIVER: (50, _PERCENT)}


class Abstraction(Protocol):
    """Which hands play alike: a board in, the bucket of each of the 1,326 combos out.

    Any function will do. Combos with equal numbers on any boards of a street play alike, so a
    number means one thing on all turn cards, and on all rivers, of a flop:

    >>> import numpy as np
    >>> def by_pairs(board):
    ...     ranks = np.array([(low // 4, high // 4) for high in range(52) for low in range(high)])
    ...     return np.isin(ranks, [card // 4 for card in board]).sum(axis=1)
    >>> np.bincount(by_pairs((50, 45, 21)))  # combos with none, one and two cards of a rank
    array([780, 480,  66])
    """

    def __call__(self, board: tuple[int, ...], /) -> npt.NDArray[np.integer[Any]]:
        """Returns ``[1326]`` buckets, whole numbers from 0 up.

        Combos of two cards are numbered ``high * (high - 1) // 2 + low``; those that the board
        blocks may have any number. A board is three to five cards, ``4 * rank + suit``, the flop
        first; of turn and river the lower card comes first, whichever was dealt first.
        """


@dataclass(frozen=True, eq=False)
class FlopBuckets:
    """Buckets of all combos on a flop and its turns and rivers; `NO_BUCKET` where blocked.

    Attributes:
        flop: the three cards.
        by_flop: ``[1326]`` bucket of each combo on the flop.
        by_turn: ``[52, 1326]`` by turn card; a card of the flop has no bucket at all.
        by_river: ``[1326, 1326]`` by the `combo_index` of turn and river card, whose order does
            not matter, and combo.
        num_buckets: on flop, turn and river; every bucket has a combo on some board.
    """

    flop: tuple[int, ...]
    by_flop: Int16Array
    by_turn: Int16Array
    by_river: Int16Array
    num_buckets: tuple[int, ...]

    @classmethod
    def of(cls, flop: Sequence[int], abstraction: Abstraction) -> "FlopBuckets":
        """Asks an abstraction for all boards of a flop."""
        if isinstance(abstraction, FlopBuckets) and abstraction.flop == tuple(flop):
            return abstraction
        cards = [card for card in range(deck.NUM_CARDS) if card not in flop]
        places: tuple[dict[tuple[int, ...], int], ...] = (
            {(): 0},
            {(card,): card for card in cards},
            {pair: deck.combo_index(*pair) for pair in combinations(cards, 2)},
        )
        tables, counts = [], []
        for rows, num_rows in zip(places, (1, deck.NUM_CARDS, deck.NUM_COMBOS), strict=True):
            asked = np.full((num_rows, deck.NUM_COMBOS), NO_BUCKET, dtype=np.int64)
            for dealt, row in rows.items():
                live = deck.live_combos(board := (*flop, *dealt))
                given, problem = np.asarray(abstraction(board)), ""
                if given.shape != (deck.NUM_COMBOS,) or given.dtype.kind not in "iu":
                    came = f"buckets of shape {given.shape} and type {given.dtype}"
                    problem = f"{came}, [1326] whole numbers are needed"
                elif given[live].min() < 0:
                    combo = int(live[given[live].argmin()])
                    came = f"{deck.format_combo(combo)} has bucket {given[combo]}"
                    problem = f"{came}, numbers from 0 up are needed"
                if problem:
                    raise AbstractionError(f"abstraction on {deck.format_cards(board)}", problem)
                asked[row, live] = given[live]
            used, labels = np.unique(asked, return_inverse=True)
            if len(used) - 1 > MAX_BUCKETS:
                where = f"{len(used) - 1:,} buckets on a street"
                raise AbstractionError(where, f"at most {MAX_BUCKETS:,} are possible")
            # What is blocked comes first, as the smallest number.
            tables.append(read_only((labels.reshape(asked.shape) - 1).astype(np.int16)))
            counts.append(len(used) - 1)
        return cls(tuple(flop), tables[0][0], tables[1], tables[2], tuple(counts))

    @cached_property
    def merges_suits(self) -> bool:
        """Whether hands are together that differ only by suits which the flop has alike."""
        renamed = map(self.rename_suits, suit_stabilizer(self.flop))
        return all(
            np.array_equal(other.by_flop, self.by_flop)
            and np.array_equal(other.by_turn, self.by_turn)
            and np.array_equal(other.by_river, self.by_river)
            for other in renamed
        )

    def rename_suits(self, mapping: SuitMapping | None = None) -> "FlopBuckets":
        """Returns the same buckets with other suits, by default those of the canonical flop."""
        mapping = mapping or CanonicalBoard.from_cards(self.flop).mapping
        back = mapping.inverse()
        combos = deck.permute_combos(back.new_suits)
        cards = list(back.map_cards(range(deck.NUM_CARDS)))
        return replace(
            self,
            flop=tuple(sorted(mapping.map_cards(self.flop), reverse=True)),
            by_flop=self.by_flop[combos],
            by_turn=self.by_turn[cards][:, combos],
            by_river=self.by_river[combos][:, combos],
        )

    def __call__(self, board: Sequence[int], /) -> Int16Array:
        """Returns ``[1326]`` the bucket of each combo on the flop, or a turn or river after it."""
        deck.require_board(board)
        if set(board[: deck.FLOP_SIZE]) != set(self.flop):
            problem = f"not a board of the flop {deck.format_cards(self.flop)}"
            raise AbstractionError(f"board {deck.format_cards(board)}", problem)
        to_come = board[deck.FLOP_SIZE :]
        if not to_come:
            return self.by_flop
        buckets: Int16Array = (
            self.by_turn[to_come[0]]
            if len(to_come) == 1
            else self.by_river[deck.combo_index(*to_come)]
        )
        return buckets

    def flop_labels(self) -> IntArray:
        """Returns ``[1176]`` the flop bucket of each live combo."""
        return self.by_flop[deck.live_combos(self.flop)].astype(np.int64)

    def replace_flop(self, labels: IntArray, num_buckets: int) -> "FlopBuckets":
        """Returns the buckets with others on the flop, by ``[1176]`` labels of live combos."""
        by_flop = np.full(deck.NUM_COMBOS, NO_BUCKET, dtype=np.int16)
        by_flop[deck.live_combos(self.flop)] = labels
        counts = (num_buckets, *self.num_buckets[1:])
        return replace(self, by_flop=read_only(by_flop), num_buckets=counts)


def build_flop_buckets(
    flop: Sequence[int],
    num_buckets: tuple[int, int, int],
    metric: Metric = "emd",
    seed: int = 0,
    on_event: BucketEventSink = ignore_event,
    team: Team | None = None,
) -> FlopBuckets:
    """Clusters all hands of a flop by strength (seconds), or finds it done in the cache.

    Numbers of buckets, on flop, turn and river, are capped where there are fewer different hands.
    Events report progress in percent, and capped buckets. The result does not depend on the team.
    """
    if not all(1 <= number <= MAX_BUCKETS for number in num_buckets):
        raise AbstractionError(f"num_buckets {num_buckets}", f"1 to {MAX_BUCKETS} are possible")
    canonical_flop(flop)  # refuses what is no flop
    name, facts = deck.format_cards(flop), {"num_buckets": num_buckets, "metric": metric}
    with reporting_phase(on_event, Phase.HAND_BUCKETS, _PERCENT) as advance:
        made = load_or_build(
            f"buckets/{name}",
            facts | {"flop": name, "seed": seed, "code": digest_sources(*SOURCES)},
            lambda: _cluster_streets(flop, num_buckets, metric, seed, advance, team or Team()),
        )
        tables = [cast(Int16Array, made[street.label]) for street in Street]
        counts = tuple(int(table.max()) + 1 for table in tables)
        for street, number, count in zip(Street, num_buckets, counts, strict=True):
            if count < number:
                on_event(BucketsCapped(street.label, number, count))
    by_flop, by_turn, by_river = tables
    return FlopBuckets(tuple(flop), by_flop[0], by_turn, by_river, counts)


def _cluster_streets(
    flop: Sequence[int],
    num_buckets: tuple[int, int, int],
    metric: Metric,
    seed: int,
    advance: Callable[[int], None],
    team: Team,
) -> Arrays:
    """Returns by street ``[boards, 1326]`` buckets of strength; tells the percent that are done."""
    strengths = FlopStrengths(flop, team)
    streets = (
        (Street.FLOP, strengths.flop_features, 1),
        (Street.TURN, strengths.turn_features, deck.NUM_CARDS),
        (Street.RIVER, strengths.river_features, deck.NUM_COMBOS),
    )
    tables = {}
    for (street, make_features, num_boards), number in zip(streets, num_buckets, strict=True):
        features = make_features()
        begin, end = _PERCENT_BY_STREET[street]  # features are made before its begin
        advance(begin)
        clustering = cluster_features(
            features.rows,
            number,
            metric,
            seed=_seed_of(seed, street),
            order_key=features.strength,
            on_share=scale_share(lambda done: advance(int(done)), begin, end),
            team=team,
        )
        table = np.full((num_boards, deck.NUM_COMBOS), NO_BUCKET, dtype=np.int16)
        table[features.board_index, features.combo] = clustering.labels
        tables[street.label] = table
    return tables


def _seed_of(seed: int, street: Street) -> int:
    return int(np.random.SeedSequence([seed, street.num_board_cards]).generate_state(1)[0])


# How often one flop bucket beats another when both go all-in: means over real pairs of hands.


def bucket_pair_equity(buckets: FlopBuckets) -> FloatArray:
    """Returns ``[B, B]`` the row bucket's equity against the column's, NaN where none can meet.

    Pairwise, hand against hand: every pair of combos that share no card counts once with its exact
    equity over all runouts. Hands of a bucket meet each other, too, so the diagonal is 1/2.
    """
    equity = compute_board_equity(buckets.flop)
    combos = equity.combos
    can_meet = deck.disjoint_combos(combos, combos).astype(np.float64)
    wins = equity.wins.astype(np.float64)
    share = can_meet / 2.0 + (wins - wins.T) / (2.0 * equity.num_runouts)
    is_member = np.eye(buckets.num_buckets[0])[buckets.by_flop[combos]]
    total = multiply(multiply(is_member.T, share), is_member)
    pairs = multiply(multiply(is_member.T, can_meet), is_member)
    return divide(total, pairs)


# Flop buckets from what hands earn: histograms of expected value against opponent buckets.
#
# Hands that win equally often can earn differently: the nuts are paid by the second nuts, which pay
# the nuts. After a solve, a hand's feature is the distribution of its own expected value over the
# opponent's buckets. It is the hand's value, not its bucket's: a feature of buckets could never
# split one. All hands of a flop share one scale, from losing to winning the whole stack; a scale
# from each hand's smallest to its largest value would make all hands look alike.
#
# Values are centred as in the betting tree: 0 is half of the pot on entering the flop, and the unit
# is that pot. With a stack of S pots they lie between ``-(1/2 + S)`` and ``1/2 + S``.

NUM_POSITIONS = 2

_HANDS_AT_ONCE = 147  # an eighth of a flop, between two reports
_TOLERANCE = 1e-4  # of the scale; values may come in single precision


def build_ev_histograms(
    values: FloatArray,
    weights: FloatArray,
    villain_bucket: IntArray,
    num_buckets: int,
    spr: float,
    on_event: BucketEventSink = ignore_event,
) -> FloatArray:
    """Returns ``[C, 20]`` features: the CDF of expected value when OOP, then when IP.

    A hand's value against a bucket is the weighted mean over the bucket's combos that the hand
    leaves possible, and counts in the histogram with their weight. Both positions play by the
    same buckets, so both belong to the feature.

    Args:
        values: ``[2, C, C]`` by the hero's position, hero's combo and villain's combo, in pots,
            0 for half of the pot; not looked at where the weight is 0.
        weights: ``[C, C]`` or ``[2, C, C]`` chance of the deal times the villain's range, 0 where
            the combos share a card.
        villain_bucket: ``[C]`` 0 to ``num_buckets - 1``.
        num_buckets: buckets of the villain.
        spr: effective stack over pot.
    """
    num_combos = len(villain_bucket)
    shape = (NUM_POSITIONS, num_combos, num_combos)
    masses = np.broadcast_to(weights, shape)
    for position, total in enumerate(masses.sum(axis=2)):
        if len(met_nobody := np.flatnonzero(~(total > 0.0))):
            where = f"combo at {met_nobody[0]}, position {position}"
            raise AbstractionError(where, "has no opponent, so no EV")
    is_member = np.eye(num_buckets)[villain_bucket]
    features = np.empty((num_combos, NUM_POSITIONS * NUM_BINS))
    with reporting_phase(on_event, Phase.EXTRACTING_EV, num_combos) as advance:
        for begin in range(0, num_combos, _HANDS_AT_ONCE):
            hands, both = slice(begin, min(begin + _HANDS_AT_ONCE, num_combos)), []
            for value, mass in zip(values[:, hands], masses[:, hands], strict=True):
                bucket_mass = multiply(mass, is_member)
                total = multiply(np.where(mass > 0.0, mass * value, 0.0), is_member)
                both.append(_histograms(divide(total, bucket_mass), bucket_mass, spr))
            features[hands] = np.concatenate(both, axis=1)
            advance(hands.stop)
    return features


def average_isomorphic_combos(
    features: FloatArray, flop: Sequence[int], combos: IntArray
) -> FloatArray:
    """Returns ``[C, d]`` features in which isomorphic combos have exactly the same row.

    Solves are exact up to rounding or sampling, and either would tell isomorphic hands apart. Of
    those isomorphic to one of ``combos[C]`` all must be there.
    """
    first_image = combo_images(combos, suit_stabilizer(flop)).min(axis=0)
    counts = np.bincount(first_image, minlength=len(combos))
    averaged = np.empty_like(features)
    for column in range(features.shape[1]):
        totals = np.bincount(first_image, features[:, column], len(combos))
        averaged[:, column] = totals[first_image] / counts[first_image]
    return averaged


def _histograms(values: FloatArray, masses: FloatArray, spr: float) -> FloatArray:
    """Returns ``[n, 10]`` CDFs of ``values[n, m]``, each counting with its mass.

    The grid has ten points from the largest loss to the largest gain. A value between two points
    counts for both, the nearer one more, so the mean is kept and no difference is lost.
    """
    largest = 0.5 + spr
    # Values without a mass may be anything, even no number.
    share = np.where(masses > 0.0, (values + largest) / (2.0 * largest), 0.0)
    if not (np.abs(share - 0.5) <= 0.5 + _TOLERANCE).all():  # false for NaN too
        worst = share.ravel()[np.argmax(np.abs(share - 0.5))] * 2.0 * largest - largest
        problem = f"off the scale: -{largest:g} to {largest:g} pots"
        raise AbstractionError(f"expected value {worst:g}", problem)
    place = np.clip(share, 0.0, 1.0) * (NUM_BINS - 1)
    lower = np.minimum(place.astype(np.int64), NUM_BINS - 2)
    to_upper = masses * (place - lower)
    cells = lower + NUM_BINS * np.arange(len(values))[:, None]
    num_cells = NUM_BINS * len(values)
    points = np.bincount(cells.ravel(), (masses - to_upper).ravel(), num_cells)
    points += np.bincount(cells.ravel() + 1, to_upper.ravel(), num_cells)
    return counts_to_cdf(points.reshape(-1, NUM_BINS))
