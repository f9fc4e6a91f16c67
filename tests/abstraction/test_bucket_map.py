from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runout.abstraction import bucket_map
from runout.abstraction.bucket_map import (
    MAX_BUCKETS,
    NO_BUCKET,
    FlopBuckets,
    build_flop_buckets,
    compare_partitions,
)
from runout.abstraction.errors import AbstractionError, DuplicateCardError
from runout.abstraction.strength_features import FlopStrengths
from runout.cards.card import parse_board, parse_card
from runout.cards.combos import combo_index, live_combos, parse_combo, permute_combos
from runout.cards.isomorphism import SuitMapping, suit_stabilizer
from runout.cfr.parallel import Team
from runout.events import BucketsCapped, PhaseAdvanced
from runout.trees.betting import Street
from tests.event_streams import check_stream
from tests.reference.clustering import adjusted_rand_index

MONOTONE, PAIRED, RAINBOW = "9s6s2s", "8h8d3s", "AhKsQd"
FLOPS = [MONOTONE, PAIRED, RAINBOW]
NUM_BUCKETS = (12, 15, 10)
TURN, RIVER = parse_card("4c"), parse_card("Jh")


@cache
def buckets_of(flop: str) -> FlopBuckets:
    return build_flop_buckets(parse_board(flop), NUM_BUCKETS, seed=3)


def test_workers_change_no_bucket():
    flop = FLOPS[0]
    alone = buckets_of(flop)
    together = build_flop_buckets(parse_board(flop), NUM_BUCKETS, seed=3, team=Team(3))
    for street in ("by_flop", "by_turn", "by_river"):
        np.testing.assert_array_equal(getattr(together, street), getattr(alone, street))


def test_seeds_of_streets_are_those_that_saved_buckets_were_made_with():
    seeds = [bucket_map._seed_of(5, street) for street in Street]
    assert seeds == [727168946, 278233753, 1608096988]


def assert_renamed(renamed: FlopBuckets, dealt: FlopBuckets, mapping: SuitMapping) -> None:
    """Checks that a deal has the bucket of its image on the flop with other suits."""
    combos = permute_combos(mapping.new_suits)
    cards = np.array([mapping.map_card(card) for card in range(52)])
    np.testing.assert_array_equal(renamed.by_flop[combos], dealt.by_flop)
    np.testing.assert_array_equal(renamed.by_turn[cards[:, None], combos], dealt.by_turn)
    np.testing.assert_array_equal(renamed.by_river[combos[:, None], combos], dealt.by_river)


@pytest.mark.parametrize("flop", FLOPS)
def test_isomorphic_hands_share_a_bucket(flop):
    buckets, symmetries = buckets_of(flop), suit_stabilizer(parse_board(flop))
    assert len(symmetries) == {MONOTONE: 6, PAIRED: 2, RAINBOW: 1}[flop]
    for symmetry in symmetries:
        assert_renamed(buckets, buckets, symmetry)


@pytest.mark.parametrize("flop", [MONOTONE, PAIRED])
def test_renamed_suits_give_the_same_buckets(flop):
    mapping = SuitMapping((1, 2, 3, 0))
    renamed = build_flop_buckets(mapping.map_cards(parse_board(flop)), NUM_BUCKETS, seed=3)
    assert_renamed(renamed, buckets_of(flop), mapping)


@pytest.mark.parametrize("flop", FLOPS)
def test_blocked_hands_have_no_bucket_and_all_others_have_one(flop):
    board, buckets = parse_board(flop), buckets_of(flop)
    assert np.flatnonzero(buckets.by_flop != NO_BUCKET).tolist() == live_combos(board).tolist()
    for turn in range(52):
        has_bucket = buckets.by_turn[turn] != NO_BUCKET
        expected = [] if turn in board else live_combos((*board, turn)).tolist()
        assert np.flatnonzero(has_bucket).tolist() == expected
    assert (buckets.by_river != NO_BUCKET).sum() == 1_176 * 1_081
    on_river = np.flatnonzero(buckets.bucket_of(Street.RIVER, TURN, RIVER) != NO_BUCKET)
    assert on_river.tolist() == live_combos((*board, TURN, RIVER)).tolist()


@pytest.mark.parametrize("flop", [MONOTONE, PAIRED])
def test_every_bucket_is_used_and_stronger_ones_have_higher_numbers(flop):
    buckets, strengths = buckets_of(flop), FlopStrengths(parse_board(flop))
    assert buckets.num_buckets == NUM_BUCKETS
    streets = (
        (strengths.flop_features(), buckets.by_flop[None]),
        (strengths.turn_features(), buckets.by_turn),
        (strengths.river_features(), buckets.by_river),
    )
    for (features, table), number in zip(streets, NUM_BUCKETS, strict=True):
        labels = table[features.board_index, features.combo]
        population = np.bincount(labels, minlength=number)
        assert len(population) == number
        assert population.min() > 0
        assert (np.diff(np.bincount(labels, features.strength) / population) > 0.0).all()


def test_the_order_of_turn_and_river_does_not_matter():
    buckets = buckets_of(RAINBOW)
    np.testing.assert_array_equal(
        buckets.bucket_of(Street.RIVER, TURN, RIVER), buckets.bucket_of(Street.RIVER, RIVER, TURN)
    )


def test_buckets_are_looked_up_by_street():
    buckets = buckets_of(RAINBOW)
    assert buckets.bucket_of(Street.FLOP) is buckets.by_flop
    np.testing.assert_array_equal(buckets.bucket_of(Street.TURN, TURN), buckets.by_turn[TURN])
    np.testing.assert_array_equal(
        buckets.bucket_of(Street.RIVER, TURN, RIVER), buckets.by_river[combo_index(TURN, RIVER)]
    )
    assert buckets.by_flop[parse_combo("JsTs")] == NUM_BUCKETS[0] - 1
    assert not buckets.by_river.flags.writeable


@pytest.mark.parametrize(
    ("street", "cards"),
    [(Street.FLOP, (TURN,)), (Street.TURN, ()), (Street.RIVER, (TURN,)), (Street.TURN, (None, 7))],
    ids=str,
)
def test_cards_that_do_not_make_the_street_are_refused(street, cards):
    with pytest.raises(AbstractionError, match=f"{street.label} on AhKsQd"):
        buckets_of(RAINBOW).bucket_of(street, *cards)


def test_cards_cannot_come_twice():
    with pytest.raises(DuplicateCardError):
        buckets_of(RAINBOW).bucket_of(Street.TURN, parse_card("Ah"))
    with pytest.raises(DuplicateCardError):
        buckets_of(RAINBOW).bucket_of(Street.RIVER, TURN, TURN)


def test_other_flop_buckets_leave_turn_and_river_alone():
    buckets = buckets_of(RAINBOW)
    labels = np.arange(1_176) % 4
    replaced = buckets.replace_flop(labels, 4)
    assert replaced.num_buckets == (4, *NUM_BUCKETS[1:])
    assert replaced.by_flop[live_combos(buckets.flop)].tolist() == labels.tolist()
    assert (replaced.by_flop == NO_BUCKET).sum() == 150
    assert replaced.by_turn is buckets.by_turn
    assert replaced.by_river is buckets.by_river
    same = buckets.replace_flop(buckets.by_flop[live_combos(buckets.flop)], NUM_BUCKETS[0])
    np.testing.assert_array_equal(same.by_flop, buckets.by_flop)


@pytest.mark.parametrize(
    "labels", [np.zeros(1_326, dtype=int), np.zeros(1_176, dtype=int), np.arange(1_176) % 4 - 1]
)
def test_flop_buckets_must_be_of_live_combos_and_all_used(labels):
    with pytest.raises(AbstractionError, match="1176 labels 0 to 2 are needed, all of them used"):
        buckets_of(RAINBOW).replace_flop(labels, 3)


def test_as_many_buckets_as_hands_are_one_bucket_per_different_hand_on_the_flop():
    events = []
    buckets = build_flop_buckets(
        parse_board(MONOTONE), (1_176, 2, 1), "cramer", seed=1, on_event=events.append
    )
    (event,) = [event for event in events if isinstance(event, BucketsCapped)]
    assert event == BucketsCapped("flop", 1_176, buckets.num_buckets[0])
    check_stream(events)
    assert len({e.done for e in events if isinstance(e, PhaseAdvanced)}) > 8
    rows = FlopStrengths(parse_board(MONOTONE)).flop_features().rows
    assert buckets.num_buckets == (len(np.unique(rows, axis=0)), 2, 1)


@pytest.mark.parametrize("num_buckets", [(0, 1, 1), (1, MAX_BUCKETS + 1, 1), (1, 1, -1)], ids=str)
def test_numbers_of_buckets_must_be_possible(num_buckets):
    with pytest.raises(AbstractionError, match="1 to 32767 are possible"):
        build_flop_buckets(parse_board(RAINBOW), num_buckets)


def test_partitions_are_compared_whatever_buckets_are_called():
    labels = np.random.default_rng(1).integers(0, 5, 100)
    assert compare_partitions(labels, labels) == 1.0
    assert compare_partitions(labels, np.array([7, -1, 3, 0, 2])[labels]) == 1.0
    assert compare_partitions(labels, np.zeros(100, dtype=int)) == 0.0
    assert compare_partitions(np.zeros(4, dtype=int), np.ones(4, dtype=int)) == 1.0
    assert compare_partitions(np.arange(4), np.arange(4)[::-1].copy()) == 1.0
    other = np.random.default_rng(2).integers(0, 5, 100)
    assert abs(compare_partitions(labels, other)) < 0.1


@pytest.mark.parametrize("seed", range(5))
def test_partitions_are_compared_as_by_hand_and_by_scikit_learn(seed):
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 3 + seed, 60), random.integers(0, 4, 60)
    b[:30] = a[:30]
    found = compare_partitions(a, b)
    assert found == pytest.approx(adjusted_rand_score(a, b))
    assert found == pytest.approx(adjusted_rand_index(a.tolist(), b.tolist()))


@pytest.mark.parametrize(("num_a", "num_b"), [(3, 4), (0, 0)])
def test_partitions_must_be_of_the_same_hands(num_a, num_b):
    with pytest.raises(AbstractionError, match="the same hands are needed"):
        compare_partitions(np.arange(num_a), np.arange(num_b))
