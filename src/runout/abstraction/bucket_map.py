"""The buckets of one flop: which bucket a combo is in, on the flop and on every later board.

Turn and river buckets are shared by all cards of the flop: one clustering over every board of the
street, so that a bucket, and what a strategy does with it, means one thing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runout.abstraction.clustering import Metric, ShareSink, cluster_features
from runout.abstraction.errors import AbstractionError
from runout.abstraction.street import require_deal
from runout.abstraction.strength_features import FlopStrengths, StreetFeatures
from runout.arrays import Int16Array, IntArray, read_only
from runout.cards.card import NUM_CARDS, format_cards
from runout.cards.combos import NUM_COMBOS, combo_index, live_combos
from runout.cfr.parallel import Team
from runout.events import BucketEventSink, Phase, ignore_event, reporting_phase
from runout.trees.betting import Street

#: Stands where a board blocks a combo: blocked hands have no bucket.
NO_BUCKET = -1

MAX_BUCKETS = int(np.iinfo(np.int16).max)

_PERCENT = 100
#: Where the clustering of a street begins and ends, in percent of the time that all takes, about.
_PERCENT_BY_STREET = {Street.FLOP: (10, 15), Street.TURN: (20, 35), Street.RIVER: (50, _PERCENT)}


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
    num_buckets: tuple[int, int, int]

    def bucket_of(
        self, street: Street, turn: int | None = None, river: int | None = None
    ) -> Int16Array:
        """Returns ``[1326]`` the bucket of each combo on a board.

        Args:
            street: flop, turn or river.
            turn: the turn card, from the turn on.
            river: the river card, on the river.

        Raises:
            AbstractionError: if the cards do not make a board of that street.
        """
        to_come = [card for card in (turn, river) if card is not None]
        if require_deal((*self.flop, *to_come), ()) is not street or (turn is None and to_come):
            raise AbstractionError(
                f"{street.label} on {format_cards(self.flop)}", f"{len(to_come)} cards to it"
            )
        if turn is None:
            return self.by_flop
        buckets: Int16Array = (
            self.by_turn[turn] if river is None else self.by_river[combo_index(turn, river)]
        )
        return buckets

    def replace_flop(self, labels: IntArray, num_buckets: int) -> "FlopBuckets":
        """Returns the buckets with others on the flop.

        Args:
            labels: ``[1176]`` bucket of each live combo, in order.
            num_buckets: each of which must be used.

        Raises:
            AbstractionError: if a label is no bucket, or a bucket has no combo.
        """
        combos = live_combos(self.flop)
        if labels.shape != combos.shape or set(labels.tolist()) != set(range(num_buckets)):
            raise AbstractionError(
                f"labels of shape {labels.shape}",
                f"{len(combos)} labels 0 to {num_buckets - 1} are needed, all of them used",
            )
        by_flop = np.full(NUM_COMBOS, NO_BUCKET, dtype=np.int16)
        by_flop[combos] = labels
        _, turn, river = self.num_buckets
        return replace(self, by_flop=read_only(by_flop), num_buckets=(num_buckets, turn, river))


def build_flop_buckets(
    flop: Sequence[int],
    num_buckets: tuple[int, int, int],
    metric: Metric = "emd",
    seed: int = 0,
    on_event: BucketEventSink = ignore_event,
    team: Team | None = None,
) -> FlopBuckets:
    """Clusters all hands of a flop by strength, street by street (seconds).

    Args:
        flop: three cards.
        num_buckets: on flop, turn and river, capped where there are fewer different hands.
        metric: ``emd`` or ``cramer``, see `cluster_features`.
        seed: decides the draws of centres; streets draw from streams of their own.
        on_event: told about progress, in percent, and about capped buckets.
        team: threads to share the work; the buckets do not depend on how many.

    Raises:
        AbstractionError: if the cards are no flop or a number of buckets has no meaning.
    """
    if not all(1 <= number <= MAX_BUCKETS for number in num_buckets):
        raise AbstractionError(f"num_buckets {num_buckets}", f"1 to {MAX_BUCKETS} are possible")
    strengths = FlopStrengths(flop, team)
    streets = (
        (Street.FLOP, strengths.flop_features, 1),
        (Street.TURN, strengths.turn_features, NUM_CARDS),
        (Street.RIVER, strengths.river_features, NUM_COMBOS),
    )
    tables, counts = [], []
    with reporting_phase(on_event, Phase.HAND_BUCKETS, _PERCENT) as advance:
        for (street, make_features, num_boards), number in zip(streets, num_buckets, strict=True):
            features = make_features()
            report_share = _report_street(advance, street)
            report_share(0.0)
            clustering = cluster_features(
                features.rows,
                np.ones(len(features.rows)),
                number,
                metric,
                seed=_seed_of(seed, street),
                order_key=features.strength,
                name=street.label,
                on_event=on_event,
                on_share=report_share,
                team=team,
            )
            tables.append(_fill_table(features, clustering.labels, num_boards))
            counts.append(clustering.num_buckets)
    by_flop, by_turn, by_river = tables
    flop_count, turn_count, river_count = counts
    return FlopBuckets(
        tuple(flop), by_flop[0], by_turn, by_river, (flop_count, turn_count, river_count)
    )


def _report_street(advance: Callable[[int], None], street: Street) -> ShareSink:
    """Returns what turns the share of a street that is done into percent of all three."""
    begin, end = _PERCENT_BY_STREET[street]  # features are made before its begin
    return lambda share: advance(int(begin + (end - begin) * share))


def _seed_of(seed: int, street: Street) -> int:
    return int(np.random.SeedSequence([seed, street.num_board_cards]).generate_state(1)[0])


def _fill_table(features: StreetFeatures, labels: IntArray, num_boards: int) -> Int16Array:
    table = np.full((num_boards, NUM_COMBOS), NO_BUCKET, dtype=np.int16)
    table[features.board_index, features.combo] = labels
    return read_only(table)


def compare_partitions(labels_a: IntArray, labels_b: IntArray) -> float:
    """Returns the adjusted Rand index: 1 for equal partitions, about 0 for unrelated ones.

    Names of buckets do not matter (Hubert and Arabie, "Comparing partitions", 1985).

    Args:
        labels_a: ``[n]`` bucket of each hand, without blocked hands.
        labels_b: ``[n]`` bucket of the same hands in the other partition.

    Raises:
        AbstractionError: if the partitions are not of the same hands, or there are none.
    """
    if labels_a.shape != labels_b.shape or labels_a.ndim != 1 or labels_a.size == 0:
        raise AbstractionError(
            f"partitions of {labels_a.shape} and {labels_b.shape}", "the same hands are needed"
        )
    _, a = np.unique(labels_a, return_inverse=True)
    _, b = np.unique(labels_b, return_inverse=True)
    _, both = np.unique(a * (b.max() + 1) + b, return_inverse=True)
    together, in_a, in_b = (_count_pairs(np.bincount(part)) for part in (both, a, b))
    num_pairs = _count_pairs(np.array([a.size]))
    if in_a == in_b == together:  # equal, and the index below may be 0 / 0
        return 1.0
    expected = in_a * in_b / num_pairs
    return (together - expected) / ((in_a + in_b) / 2 - expected)


def _count_pairs(sizes: IntArray) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
