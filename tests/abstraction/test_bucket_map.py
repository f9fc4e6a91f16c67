"""Tests of `runout.abstraction.bucket_map`."""

from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from runout.abstraction import bucket_map
from runout.abstraction.bucket_map import (
    MAX_BUCKETS,
    NO_BUCKET,
    FlopBuckets,
    average_isomorphic_combos,
    bucket_pair_equity,
    build_ev_histograms,
    build_flop_buckets,
)
from runout.abstraction.clustering import cluster_features
from runout.abstraction.features import FlopStrengths
from runout.cache import kept_files
from runout.cards.deck import (
    HAND_BY_COMBO,
    combo_index,
    disjoint_combos,
    live_combos,
    parse_board,
    parse_canonical_hand,
    parse_card,
    parse_cards,
    parse_combo,
    permute_combos,
)
from runout.cards.flops import SuitMapping, combo_images, suit_stabilizer
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import AbstractionError, CardError
from runout.events import BucketsCapped, PhaseAdvanced
from runout.trees.betting import Street
from tests.event_streams import check_stream
from tests.reference.clustering import variance_within
from tests.reference.strength_features import linear_cdf

FLOP = tuple(parse_board("AhKsQd"))


@pytest.fixture(scope="module")
def buckets():
    return build_flop_buckets(FLOP, (12, 2, 2))


def test_equities_of_two_buckets_sum_to_one(buckets):
    equity = bucket_pair_equity(buckets)
    np.testing.assert_allclose(equity + equity.T, 1.0, atol=1e-12)
    np.testing.assert_allclose(np.diag(equity), 0.5)


def test_stronger_buckets_have_more_equity_against_the_weakest(buckets):
    against_weakest = bucket_pair_equity(buckets)[:, 0]
    assert against_weakest[-1] == against_weakest.max()
    assert against_weakest[-1] > 0.9


def test_buckets_that_are_hands_have_the_published_equity_of_hands(buckets):
    combos = live_combos(FLOP)
    hands, labels = np.unique(HAND_BY_COMBO[combos], return_inverse=True)
    by_hand = buckets.replace_flop(labels, len(hands))
    equity = bucket_pair_equity(by_hand)
    row, column = (np.flatnonzero(hands == parse_canonical_hand(text))[0] for text in ("AA", "KK"))
    assert equity[row, column] == pytest.approx(0.9484848, abs=1e-7)
    table = compute_board_equity(FLOP).hand_table().equities()
    np.testing.assert_allclose(equity, table[np.ix_(hands, hands)], atol=1e-12)


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
    on_river = np.flatnonzero(buckets((*buckets.flop, TURN, RIVER)) != NO_BUCKET)
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
        buckets((*buckets.flop, TURN, RIVER)), buckets((*buckets.flop, RIVER, TURN))
    )


def test_buckets_are_looked_up_by_street():
    buckets = buckets_of(RAINBOW)
    assert buckets(buckets.flop) is buckets.by_flop
    np.testing.assert_array_equal(buckets((*buckets.flop, TURN)), buckets.by_turn[TURN])
    np.testing.assert_array_equal(
        buckets((*buckets.flop, TURN, RIVER)), buckets.by_river[combo_index(TURN, RIVER)]
    )
    assert buckets.by_flop[parse_combo("JsTs")] == NUM_BUCKETS[0] - 1
    assert not buckets.by_river.flags.writeable


def test_boards_of_another_flop_are_refused():
    with pytest.raises(AbstractionError, match="board AhKs2d: not a board of the flop AhKsQd"):
        buckets_of(RAINBOW)(parse_board("AhKs2d"))
    with pytest.raises(CardError, match="2 cards, a board has 3"):
        buckets_of(RAINBOW)(parse_cards("AhKs"))


def test_cards_cannot_come_twice():
    with pytest.raises(CardError):
        buckets_of(RAINBOW)((*parse_board(RAINBOW), parse_card("Ah")))
    with pytest.raises(CardError):
        buckets_of(RAINBOW)((*parse_board(RAINBOW), TURN, TURN))


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


def test_kept_buckets_are_those_that_were_made_with_the_same_events(monkeypatch, tmp_path):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path))
    monkeypatch.setenv("RUNOUT_CACHE_MB", "10")
    flop, numbers = parse_board(MONOTONE), (1_176, 2, 1)
    made, events = build_flop_buckets(flop, numbers), []
    (path,) = kept_files()
    monkeypatch.setattr(bucket_map, "FlopStrengths", None)  # nothing is made
    again = build_flop_buckets(flop, numbers, on_event=events.append)
    for table in ("by_flop", "by_turn", "by_river"):
        np.testing.assert_array_equal(getattr(again, table), getattr(made, table))
    assert (again.flop, again.num_buckets) == (made.flop, made.num_buckets)
    capped = [event for event in events if isinstance(event, BucketsCapped)]
    assert capped == [BucketsCapped("flop", 1_176, made.num_buckets[0])]
    check_stream(events)
    assert path.name.startswith(MONOTONE)


@pytest.mark.parametrize("num_buckets", [(0, 1, 1), (1, MAX_BUCKETS + 1, 1), (1, 1, -1)], ids=str)
def test_numbers_of_buckets_must_be_possible(num_buckets):
    with pytest.raises(AbstractionError, match="1 to 32767 are possible"):
        build_flop_buckets(parse_board(RAINBOW), num_buckets)


SPR = 3.5
LARGEST = 0.5 + SPR


def mean_of_cdf(cdf: np.ndarray) -> np.ndarray:
    """The mean of a distribution on the ten points from the largest loss to the largest gain."""
    return np.diff(cdf, axis=-1, prepend=0.0) @ np.linspace(-LARGEST, LARGEST, 10)


def assert_valid_cdf(cdf: np.ndarray) -> None:
    assert cdf.shape == (10,)
    assert (np.diff(cdf, prepend=0.0) >= 0.0).all()
    assert cdf[-1] == 1.0


def ev_histogram(values, spr, weights=None):
    """Returns ``[10]`` the CDF of one hand's values."""
    masses = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    return bucket_map._histograms(np.asarray(values)[None], masses[None], spr)[0]


def test_ev_histogram_produces_valid_cdf():
    assert_valid_cdf(ev_histogram(np.array([0.3, 0.7]), SPR))


def test_ev_histogram_all_same_value():
    cdf = ev_histogram(np.array([0.5, 0.5, 0.5]), SPR)
    assert_valid_cdf(cdf)
    assert mean_of_cdf(cdf) == pytest.approx(0.5)
    # The scale is common: equal values of another size are another feature.
    assert cdf.tolist() != ev_histogram(np.array([0.6, 0.6, 0.6]), SPR).tolist()


def test_ev_histogram_of_nothing_is_an_error():
    with pytest.raises(AbstractionError, match="histogram: has nothing in it"):
        ev_histogram(np.array([0.3]), SPR, weights=np.zeros(1))


def test_ev_histogram_keeps_the_weighted_mean_and_equals_its_twin():
    random = np.random.default_rng(1)
    values = random.uniform(-LARGEST, LARGEST, 50)
    weights = random.integers(1, 5, 50)
    cdf = ev_histogram(values, SPR, weights)
    assert_valid_cdf(cdf)
    assert mean_of_cdf(cdf) == pytest.approx(np.average(values, weights=weights))
    written_out = np.repeat((values + LARGEST) / (2 * LARGEST), weights)
    np.testing.assert_allclose(cdf, linear_cdf(written_out), atol=1e-12)


def test_ends_of_the_scale_are_its_first_and_last_point():
    assert ev_histogram(np.array([-LARGEST]), SPR).tolist() == [1.0] * 10
    assert ev_histogram(np.array([LARGEST]), SPR).tolist() == [0.0] * 9 + [1.0]


def test_differences_smaller_than_a_bin_still_show():
    """The distance of two values is their difference over the distance of two points."""
    width = 2 * LARGEST / 9
    for first, second in ((0.1, 0.101), (-0.2, 0.1), (1.0, 1.5)):
        cdfs = [ev_histogram(np.array([value]), SPR) for value in (first, second)]
        assert np.abs(cdfs[0] - cdfs[1]).sum() == pytest.approx((second - first) / width)


@pytest.mark.parametrize(
    ("values", "spr", "weights", "message"),
    [
        ([4.1], SPR, None, "expected value 4.1: off the scale: -4 to 4 pots"),
        ([-4.1], SPR, None, "expected value -4.1: off the scale"),
        ([np.nan], SPR, None, "expected value nan: off the scale"),
    ],
)
def test_values_without_meaning_are_refused(values, spr, weights, message):
    weights = None if weights is None else np.array(weights)
    with pytest.raises(AbstractionError, match=message):
        ev_histogram(np.array(values), spr, weights)


def random_spot(num_combos=40, num_buckets=6, seed=2):
    """Values, weights and buckets of combos some of which cannot meet; NaN where they cannot."""
    random = np.random.default_rng(seed)
    combos = np.sort(random.choice(1_326, num_combos, replace=False))
    weights = disjoint_combos(combos, combos) * random.uniform(0.1, 1.0, (2, 1, num_combos))
    values = random.uniform(-LARGEST, LARGEST, (2, num_combos, num_combos))
    buckets = np.concatenate([np.arange(num_buckets), random.integers(0, num_buckets, num_combos)])
    return np.where(weights > 0, values, np.nan), weights, buckets[:num_combos]


def test_features_are_histograms_over_the_opponents_buckets():
    values, weights, buckets = random_spot()
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    assert features.shape == (40, 20)
    for hero in range(40):
        for position in range(2):
            means, masses = [], []
            for bucket in range(6):
                met = (buckets == bucket) & (weights[position, hero] > 0)
                if met.any():
                    mass = weights[position, hero, met]
                    means.append(np.average(values[position, hero, met], weights=mass))
                    masses.append(mass.sum())
            expected = ev_histogram(np.array(means), SPR, np.array(masses))
            part = features[hero, 10 * position : 10 * position + 10]
            assert_valid_cdf(part)
            np.testing.assert_allclose(part, expected, atol=1e-12)


def test_features_keep_the_mean_value_of_each_position():
    values, weights, buckets = random_spot()
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    expected = np.nansum(weights * values, axis=2) / weights.sum(axis=2)
    np.testing.assert_allclose(mean_of_cdf(features[:, :10]), expected[0])
    np.testing.assert_allclose(mean_of_cdf(features[:, 10:]), expected[1])


def test_one_table_of_weights_serves_both_positions():
    values, weights, buckets = random_spot()
    both = np.stack([weights[0], weights[0]])
    values = np.where(both > 0, np.nan_to_num(values), np.nan)
    np.testing.assert_array_equal(
        build_ev_histograms(values, weights[0], buckets, 6, SPR),
        build_ev_histograms(values, both, buckets, 6, SPR),
    )


def test_hands_of_one_bucket_have_features_of_their_own():
    """A feature of their bucket would give both the same value and could never part them."""
    weights = np.ones((4, 4)) - np.eye(4)
    values = np.zeros((2, 4, 4))
    values[:, 0, 2] = 2.0  # the nuts are paid by the villain who wins from the second nuts
    values[:, 1, 2] = -2.0
    buckets = np.array([1, 1, 1, 0])
    features = build_ev_histograms(values, weights, buckets, 2, SPR)
    found = cluster_features(features, 3, seed=0, order_key=mean_of_cdf(features[:, :10]))
    assert found.labels.tolist() == [2, 0, 1, 1]


def test_features_of_impossible_input_are_refused():
    values, weights, buckets = random_spot()
    with pytest.raises(AbstractionError, match="off the scale"):
        build_ev_histograms(values, weights, buckets, 6, 0.1)
    weights[1, 7] = 0.0
    with pytest.raises(AbstractionError, match="combo at 7, position 1: has no opponent"):
        build_ev_histograms(values, weights, buckets, 6, SPR)


@pytest.mark.parametrize("metric", ["emd", "cramer"])
def test_reclustering_lowers_the_variance_inside_buckets(metric):
    values, weights, buckets = random_spot(num_combos=120)
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    ev = np.nansum(weights * values, axis=2).T / weights.sum(axis=2).T
    labels = cluster_features(features, 6, metric, seed=1, order_key=ev.mean(axis=1)).labels
    assert set(labels.tolist()) == set(range(6))
    assert adjusted_rand_score(labels, buckets) < 0.5
    assert variance_within(ev, labels) < 0.5 * variance_within(ev, buckets)


@pytest.mark.parametrize("flop", ["9s6s2s", "8h8d3s", "AhKsQd"])
def test_isomorphic_combos_get_exactly_the_same_row(flop):
    board = parse_board(flop)
    combos = live_combos(board)
    features = np.random.default_rng(4).random((len(combos), 3))
    averaged = average_isomorphic_combos(features, board, combos)
    images = combo_images(combos, suit_stabilizer(board))
    for image in images:
        np.testing.assert_array_equal(averaged[image], averaged)
    np.testing.assert_allclose(averaged, features[images].mean(axis=0), atol=1e-12)
    if len(images) == 1:
        np.testing.assert_array_equal(averaged, features)
