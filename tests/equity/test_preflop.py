"""Tests of `runout.equity.matchups`."""

import numpy as np
import pytest

from runout.cards.deck import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    disjoint_combos,
    format_card,
    format_combo,
    matchup_weights,
    parse_canonical_hand,
    parse_combo,
    permute_combos,
)
from runout.cards.evaluator import evaluator_tables
from runout.cards.flops import SUIT_MAPPINGS, enumerate_runouts
from runout.cards.hand_indexer import canonical_boards
from runout.equity import equity_kernels
from runout.equity import matchups as module
from runout.equity.board import compute_board_equity
from runout.equity.matchups import (
    NUM_BOARDS,
    HandEquityTable,
    matchup_classes,
    preflop_equity,
    preflop_table,
)
from runout.errors import CardError, TableError
from tests.reference.equity import equity_vs_random
from tests.reference.eval7_showdowns import count_preflop_outcomes
from tests.reference.showdowns import Outcomes, count_outcomes

ACES, KINGS, QUEENS = map(parse_canonical_hand, ("AA", "KK", "QQ"))


@pytest.fixture
def table() -> HandEquityTable:
    """Aces meet kings 10 times and queens 30 times; nothing else can be dealt."""
    wins, ties, totals = np.zeros((3, NUM_HANDS, NUM_HANDS), dtype=np.int64)
    wins[ACES, KINGS], wins[KINGS, ACES], ties[ACES, KINGS], totals[ACES, KINGS] = 7, 2, 1, 10
    wins[ACES, QUEENS], wins[QUEENS, ACES], ties[ACES, QUEENS], totals[ACES, QUEENS] = 15, 9, 6, 30
    return HandEquityTable(wins, ties + ties.T, totals + totals.T)


def test_equity_is_wins_and_half_the_ties(table):
    assert table.equity(ACES, KINGS) == 0.75
    assert table.equity(KINGS, ACES) == 0.25
    assert table.equity(QUEENS, ACES) == 0.4


def test_equities_hold_all_pairs_and_nan_where_hands_cannot_meet(table):
    equities = table.equities()
    assert equities[ACES, KINGS] == 0.75
    assert equities[QUEENS, ACES] == 0.4
    assert np.count_nonzero(~np.isnan(equities)) == 4


def test_equity_against_a_random_hand_weighs_by_matchups(table):
    versus_random = equity_vs_random(table)
    assert versus_random[ACES] == (7 + 0.5 + 15 + 3) / 40  # not the mean of 0.75 and 0.6
    assert versus_random[KINGS] == 0.25
    assert np.isnan(versus_random).sum() == NUM_HANDS - 3


def test_hands_that_cannot_meet_have_no_equity(table):
    with pytest.raises(CardError, match="KK against QQ: the board leaves no way to deal both"):
        table.equity(KINGS, QUEENS)


EVERY_COMBO = np.arange(NUM_COMBOS)


def outcomes(hero: str, villain: str) -> Outcomes:
    rows, columns = np.array([parse_combo(hero)]), np.array([parse_combo(villain)])
    wins = int(preflop_equity().wins_between(rows, columns)[0, 0])
    losses = int(preflop_equity().wins_between(columns, rows)[0, 0])
    return Outcomes(wins, NUM_BOARDS - wins - losses, losses)


@pytest.mark.parametrize(
    ("hand", "opponent", "equity"),
    [("AA", "KK", 0.819461), ("AKs", "QQ", 0.460485), ("72o", "32o", 0.651923)],
)
def test_equities_are_those_of_the_mathematics(hand, opponent, equity):
    found = preflop_table().equity(parse_canonical_hand(hand), parse_canonical_hand(opponent))
    assert round(found, 6) == equity


# Per cent against a random hand, as printed in many places.
VERSUS_RANDOM = {
    **{"AA": 85.20, "KK": 82.40, "QQ": 79.93, "JJ": 77.47, "TT": 75.01, "99": 72.06},
    **{"88": 69.16, "77": 66.24, "66": 63.28, "55": 60.32, "44": 57.02, "33": 53.69},
    **{"22": 50.33, "AKs": 67.04, "AKo": 65.32, "72o": 34.58, "32o": 32.30},
}


@pytest.mark.parametrize(("hand", "percentage"), VERSUS_RANDOM.items())
def test_equities_against_a_random_hand_are_the_published_ones(hand, percentage):
    versus_random = equity_vs_random(preflop_table())
    found = 100.0 * versus_random[parse_canonical_hand(hand)]
    assert found == pytest.approx(percentage, abs=0.006)


def test_aces_are_the_best_hand_and_three_deuce_offsuit_the_worst():
    versus_random = equity_vs_random(preflop_table())
    assert HAND_NAMES[versus_random.argmax()] == "AA"
    assert HAND_NAMES[versus_random.argmin()] == "32o"


def test_aces_against_kings_have_the_published_counts():
    """As printed by PokerStove, over all 36 combo pairs and for two of them."""
    table = preflop_table()
    aces, kings = parse_canonical_hand("AA"), parse_canonical_hand("KK")
    assert table.wins[aces, kings] == 50_371_344
    assert table.wins[kings, aces] == 10_986_372
    assert table.ties[aces, kings] == 285_228
    assert outcomes("AsAh", "KsKh") == (1_410_336, 9_308, 292_660)
    assert outcomes("AsAh", "KdKc") == (1_388_072, 6_538, 317_694)


def test_two_hands_share_the_whole_pot():
    table = preflop_table()
    np.testing.assert_array_equal(table.wins + table.ties + table.wins.T, table.totals)
    np.testing.assert_array_equal(table.totals, matchup_weights() * NUM_BOARDS)
    np.testing.assert_array_equal(table.ties, table.ties.T)
    assert (table.ties >= 0).all()
    equities = table.equities()
    np.testing.assert_allclose(equities + equities.T, 1.0, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(np.diag(equities), 0.5, rtol=0.0, atol=1e-15)


def test_hand_table_adds_up_all_combo_pairs():
    wins = preflop_equity().wins_between(EVERY_COMBO, EVERY_COMBO)
    table = preflop_table()
    for hand, combos in enumerate(COMBOS_BY_HAND):
        for opponent in (0, 20, 90, 130, hand):
            cell = wins[np.ix_(combos, COMBOS_BY_HAND[opponent])].sum(dtype=np.int64)
            assert table.wins[hand, opponent] == cell


def test_names_of_suits_do_not_matter():
    wins = preflop_equity().wins_between(EVERY_COMBO, EVERY_COMBO)
    for mapping in SUIT_MAPPINGS:
        moved = permute_combos(mapping.new_suits)
        np.testing.assert_array_equal(wins[np.ix_(moved, moved)], wins)


def test_wins_of_both_sides_fit_into_the_boards():
    wins = preflop_equity().wins_between(EVERY_COMBO, EVERY_COMBO).astype(np.int64)
    can_meet = disjoint_combos(EVERY_COMBO, EVERY_COMBO)
    assert (wins[can_meet] > 0).all()
    assert (wins + wins.T <= NUM_BOARDS).all()
    assert not wins[~can_meet].any()


def test_wins_between_two_lists_are_a_part_of_the_whole():
    rows, columns = np.array([1325, 0, 77, 700]), np.array([3, 1300, 700])
    whole = preflop_equity().wins_between(EVERY_COMBO, EVERY_COMBO)
    found = preflop_equity().wins_between(rows, columns)
    np.testing.assert_array_equal(found, whole[np.ix_(rows, columns)])


def test_there_are_47008_matchups_up_to_suits():
    """The published number does not tell the two players apart; our classes do."""
    class_of, num_classes = matchup_classes()
    assert set(class_of.ravel().tolist()) == {-1, *range(num_classes)}
    ids = module.PreflopEquity(class_of.astype(np.uint32)).wins_between(EVERY_COMBO, EVERY_COMBO)
    rows, columns = np.nonzero(disjoint_combos(EVERY_COMBO, EVERY_COMBO))
    there, back = ids[rows, columns].astype(np.int64), ids[columns, rows].astype(np.int64)
    unordered = np.minimum(there, back) * num_classes + np.maximum(there, back)
    assert len(np.unique(unordered)) == 47_008


def test_one_matchup_equals_dealing_every_board_with_eval7():
    hero, villain = "9h8h", "KhQd"  # suited and offsuit, with one suit in common
    assert outcomes(hero, villain) == count_preflop_outcomes(hero, villain)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_matchups_equal_dealing_every_board_with_phevaluator(seed):
    cards = np.random.default_rng(seed).choice(52, 4, replace=False).tolist()
    hero, villain = cards[:2], cards[2:]
    expected = count_outcomes(hero, villain, board=())
    texts = ["".join(map(format_card, hand)) for hand in (hero, villain)]
    assert outcomes(*texts) == expected


@pytest.mark.slow
def test_wins_of_a_few_hands_on_all_flops_add_up_to_ten_times_the_wins_before_the_flop():
    """The same identity for whole hands, straight from the kernels: suits need no averaging."""
    hands = [parse_canonical_hand(name) for name in ("QQ", "AKs", "72o")]
    combos = np.concatenate([COMBOS_BY_HAND[hand] for hand in hands])
    boards, multiplicities = canonical_boards(3)
    wins = np.zeros((len(combos), len(combos)), dtype=np.uint32)
    for board, multiplicity in zip(boards.tolist(), multiplicities.tolist(), strict=True):
        runouts = enumerate_runouts(board)
        hero = np.empty((len(runouts.boards), len(combos)), dtype=np.uint8)
        villain = np.empty_like(hero)
        equity_kernels.rank_combos(evaluator_tables(), runouts.boards, combos, hero, villain)
        equity_kernels.count_wins(hero, villain, multiplicity * runouts.weight, wins)
    wins[~disjoint_combos(combos, combos)] = 0
    for hand in hands:
        for opponent in hands:
            is_cell = np.ix_(HAND_BY_COMBO[combos] == hand, HAND_BY_COMBO[combos] == opponent)
            assert wins[is_cell].sum(dtype=np.int64) == 10 * preflop_table().wins[hand, opponent]


@pytest.mark.slow
def test_wins_of_all_flops_add_up_to_ten_times_the_wins_before_the_flop():
    """Every board of five cards contains C(5, 3) = 10 flops, so all 169 x 169 cells must agree.

    This is the identity of docs/equity.md in whole numbers: flops are weighted by multiplicity
    and matchups, and their equities average to the preflop equity.
    """
    boards, multiplicities = canonical_boards(3)
    wins, ties, totals = np.zeros((3, NUM_HANDS, NUM_HANDS), dtype=np.int64)
    for board, multiplicity in zip(boards.tolist(), multiplicities.tolist(), strict=True):
        table = compute_board_equity(board).hand_table()
        wins += multiplicity * table.wins
        ties += multiplicity * table.ties
        totals += multiplicity * table.totals
    expected = preflop_table()
    np.testing.assert_array_equal(wins, 10 * expected.wins)
    np.testing.assert_array_equal(ties, 10 * expected.ties)
    np.testing.assert_array_equal(totals, 10 * expected.totals)


def test_combos_of_one_hand_differ_only_by_suits():
    """A suited hand wins alike in every suit, but not against every combo of one hand."""
    assert outcomes("AhKh", "QsQd") == outcomes("AdKd", "QcQs")
    assert outcomes("AhKh", "QsQd") != outcomes("AhKh", "QhQd")
    assert format_combo(parse_combo("KhAh")) == "AhKh"


def test_damaged_table_is_a_table_error(monkeypatch):
    monkeypatch.setattr(module, "DIGEST", "0" * 64)
    preflop_equity.cache_clear()
    try:
        with pytest.raises(TableError, match=r"preflop_matchups\.npz: has digest"):
            preflop_equity()
    finally:
        preflop_equity.cache_clear()
