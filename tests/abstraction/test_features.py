from functools import cache

import numpy as np
import pytest

from runout.abstraction.features import (
    NUM_BINS,
    NUM_VILLAIN_GROUPS,
    FlopStrengths,
    StreetFeatures,
    counts_to_cdf,
)
from runout.cards.deck import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    combo_index,
    disjoint_combos,
    live_combos,
    parse_board,
    parse_card,
    parse_combo,
    permute_combos,
)
from runout.cards.evaluator import evaluate_board
from runout.cards.flops import SuitMapping
from runout.equity.board import BEST_SCORE, sum_strengths
from runout.errors import AbstractionError, CardError
from tests.reference.showdowns import doubled_scores_on
from tests.reference.strength_features import linear_cdf

FLOPS = ["AhKsQd", "9s6s2s", "8h8d3s"]
TURN, RIVER = parse_card("4c"), parse_card("Jh")


@cache
def strengths_of(flop: str) -> FlopStrengths:
    return FlopStrengths(parse_board(flop))


@cache
def features_of(flop: str, street: str) -> StreetFeatures:
    return getattr(strengths_of(flop), f"{street}_features")()


def row_of(features: StreetFeatures, combo: int, board_index: int = 0) -> int:
    found = np.flatnonzero((features.combo == combo) & (features.board_index == board_index))
    return int(found.item())


def test_counts_become_shares_of_this_bin_and_those_below():
    assert counts_to_cdf(np.array([1, 0, 2, 1])).tolist() == [0.25, 0.25, 0.75, 1.0]
    assert counts_to_cdf(np.array([[0, 3], [1, 0]])).tolist() == [[0.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("counts", [[], [0, 0], [[1, 2], [0, 0]], [2, -1], [np.nan, 1.0]], ids=str)
def test_a_histogram_of_nothing_has_no_cdf(counts):
    with pytest.raises(AbstractionError, match="histogram: has nothing in it"):
        counts_to_cdf(np.array(counts))


@pytest.mark.parametrize(
    ("street", "num_boards", "num_combos", "num_columns"),
    [("flop", 1, 1_176, NUM_BINS), ("turn", 49, 1_128, NUM_BINS), ("river", 1_176, 1_081, 9)],
)
def test_every_possible_deal_has_one_row(street, num_boards, num_combos, num_columns):
    flop = "8h8d3s"
    features = features_of(flop, street)
    assert features.rows.shape == (num_boards * num_combos, num_columns)
    assert set(np.bincount(features.board_index).tolist()) <= {0, num_combos}
    deals = features.board_index * 1_326 + features.combo
    assert len(np.unique(deals)) == len(deals)
    assert not COMBO_HAS_CARD[features.combo][:, list(parse_board(flop))].any()
    if street == "turn":
        assert not COMBO_HAS_CARD[features.combo, features.board_index].any()
    if street == "river":
        sampled = np.random.default_rng(0).choice(len(deals), 1_000)
        cards = COMBO_CARDS[features.board_index[sampled]]
        assert not (cards[:, :, None] == COMBO_CARDS[features.combo[sampled]][:, None]).any()


@pytest.mark.parametrize("flop", FLOPS)
@pytest.mark.parametrize("street", ["flop", "turn"])
def test_features_are_cdfs_whose_mean_is_the_equity_against_a_random_hand(flop, street):
    features = features_of(flop, street)
    assert (np.diff(features.rows, axis=1, prepend=0.0) >= 0.0).all()
    assert (features.rows[:, -1] == 1.0).all()
    means = 1.0 - features.rows[:, :-1].sum(axis=1) / (NUM_BINS - 1)
    np.testing.assert_allclose(means, features.strength, atol=1e-12)
    board = (*parse_board(flop), *((TURN,) if street == "turn" else ()))
    exact = sum_strengths(board)
    rows = np.flatnonzero(features.board_index == (TURN if street == "turn" else 0))
    np.testing.assert_array_equal(features.combo[rows], exact.combos)
    np.testing.assert_array_equal(features.strength[rows], exact.expected_strength)


def test_turn_features_equal_brute_force():
    board = (*parse_board("9s6s2s"), TURN)
    rest = [card for card in range(52) if card not in board]
    scores = np.array([doubled_scores_on([*board, river]) for river in rest])
    features = features_of("9s6s2s", "turn")
    for combo in np.random.default_rng(1).choice(live_combos(board), 40, replace=False):
        mine = scores[scores[:, combo] >= 0, combo]
        assert len(mine) == 46
        row = features.rows[row_of(features, combo, TURN)]
        np.testing.assert_allclose(row, linear_cdf(mine / BEST_SCORE), atol=1e-12)


def test_flop_features_are_the_mean_of_the_turn_features():
    flop, turn = features_of("8h8d3s", "flop"), features_of("8h8d3s", "turn")
    for combo in flop.combo[::97]:
        turns = turn.rows[turn.combo == combo]
        assert len(turns) == 47
        np.testing.assert_allclose(flop.rows[row_of(flop, combo)], turns.mean(axis=0), atol=1e-12)


def test_a_draw_has_another_feature_than_a_made_hand_of_equal_strength():
    features = features_of("7c6d2s", "flop")
    draw, made = (row_of(features, parse_combo(combo)) for combo in ("9h8h", "3c3d"))
    assert features.strength[draw] < features.strength[made]
    spread = np.abs(features.rows[draw] - features.rows[made]).sum()
    assert spread > 2.0 * (NUM_BINS - 1) * (features.strength[made] - features.strength[draw])


@pytest.mark.parametrize("flop", ["8h8d3s", "AhKsQd"])
def test_river_features_are_strengths_against_everybody_and_each_group(flop):
    features, strengths = features_of(flop, "river"), strengths_of(flop)
    board = (*parse_board(flop), TURN, RIVER)
    ranks = evaluate_board(board).astype(np.int64)
    groups = np.full(1_326, -1)
    groups[strengths.combos] = strengths.villain_groups()
    for combo in np.random.default_rng(2).choice(live_combos(board), 30, replace=False):
        is_met = disjoint_combos(np.array([combo]), np.arange(1_326))[0] & (ranks > 0)
        points = 1 + np.sign(ranks[combo] - ranks)
        row = features.rows[row_of(features, combo, combo_index(TURN, RIVER))]
        assert row[0] == points[is_met].sum() / BEST_SCORE
        for group in range(NUM_VILLAIN_GROUPS):
            members = points[is_met & (groups == group)]
            assert row[1 + group] == members.sum() / (2 * len(members))


def test_river_strengths_lie_between_losing_and_winning():
    features = features_of("AhKsQd", "river")
    assert features.rows.min() == 0.0
    assert features.rows.max() == 1.0
    np.testing.assert_array_equal(features.rows[:, 0], features.strength)
    rainbow = combo_index(TURN, parse_card("2d"))
    nuts = features.rows[row_of(features, parse_combo("JsTs"), rainbow)]
    assert (nuts[1:NUM_VILLAIN_GROUPS] == 1.0).all()
    assert 0.9 < nuts[NUM_VILLAIN_GROUPS] < 1.0  # nine other straights tie


def test_a_group_that_cannot_be_met_counts_as_everybody(monkeypatch):
    strengths = strengths_of("AhKsQd")
    nobody_weak = np.ones(len(strengths.combos), dtype=np.int64)
    monkeypatch.setattr(strengths, "villain_groups", lambda: nobody_weak)
    rows = strengths.river_features().rows
    np.testing.assert_array_equal(rows, np.repeat(rows[:, :1], 9, axis=1))


@pytest.mark.parametrize("flop", [*FLOPS, "AhAsAd", "7h5h2h"])
def test_groups_hold_equally_many_villains_and_never_part_equals(flop):
    groups, features = strengths_of(flop).villain_groups(), features_of(flop, "flop")
    sizes = np.bincount(groups, minlength=NUM_VILLAIN_GROUPS)
    assert len(sizes) == NUM_VILLAIN_GROUPS
    assert sizes.min() > 100
    in_order = groups[np.argsort(features.strength, kind="stable")]
    assert (np.diff(in_order) >= 0).all()
    group_by_strength = dict(zip(features.strength, groups, strict=True))
    assert [group_by_strength[s] for s in features.strength] == groups.tolist()


@pytest.mark.parametrize("street", ["flop", "turn", "river"])
def test_isomorphic_deals_have_exactly_equal_rows(street):
    new_suits = (1, 2, 3, 0)
    mapping = SuitMapping(new_suits)
    dealt = features_of("8h8d3s", street)
    renamed = getattr(FlopStrengths(mapping.map_cards(parse_board("8h8d3s"))), f"{street}_features")
    found = renamed()
    boards = {
        "flop": np.zeros(1, dtype=np.int64),
        "turn": np.array([mapping.map_card(card) for card in range(52)]),
        "river": permute_combos(new_suits),
    }[street]
    keys = boards[dealt.board_index] * 1_326 + permute_combos(new_suits)[dealt.combo]
    order = np.argsort(keys)
    found_order = np.argsort(found.board_index * 1_326 + found.combo)
    np.testing.assert_array_equal(found.rows[found_order], dealt.rows[order])
    np.testing.assert_array_equal(found.strength[found_order], dealt.strength[order])


def test_only_flops_have_turns_and_rivers():
    with pytest.raises(CardError, match="4 cards, a flop has 3"):
        FlopStrengths(parse_board("AhKsQd2c"))
    with pytest.raises(CardError):
        FlopStrengths((0, 1, 1))
