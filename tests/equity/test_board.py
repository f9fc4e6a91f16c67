"""Tests of `runout.equity.board`."""

from itertools import combinations, islice

import numpy as np
import pytest

from runout.cache import kept_files
from runout.cards.deck import (
    HAND_BY_COMBO,
    NUM_COMBOS,
    combo_cards,
    disjoint_combos,
    format_cards,
    live_combos,
    matchup_weights,
    parse_board,
    parse_canonical_hand,
    parse_combo,
    permute_combos,
)
from runout.cards.evaluator import evaluator_tables
from runout.cards.flops import SuitMapping
from runout.equity import equity_kernels
from runout.equity.board import (
    BEST_SCORE,
    BoardEquity,
    StrengthSums,
    compute_board_equity,
    hand_equity,
    sum_strengths,
)
from runout.errors import CardError
from tests.reference.showdowns import count_outcomes, doubled_scores_on

RAINBOW, TWO_TONE, MONOTONE = "AhKsQd", "AhKh7c", "9s6s2s"
PAIRED, TRIPS = "8h8d3s", "5c5d5h"
FLOPS = [RAINBOW, TWO_TONE, MONOTONE, PAIRED, TRIPS]
TURNS = ["2s8sTcQd", "9s6s2sKs", "8h8d3s3c"]
RIVERS = ["AsKsQsJs9d", "8h8d3s3c2c"]

THREE_CYCLES = [SuitMapping((1, 2, 0, 3)), SuitMapping((2, 0, 1, 3)), SuitMapping((0, 2, 3, 1))]
OTHER_MAPPINGS = [SuitMapping((1, 0, 2, 3)), SuitMapping((3, 2, 1, 0)), SuitMapping((1, 2, 3, 0))]


def spread(equity: BoardEquity) -> np.ndarray:
    """Returns ``[1326, 1326]`` wins, 0 for combos that the board blocks."""
    wins = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.int64)
    wins[np.ix_(equity.combos, equity.combos)] = equity.wins
    return wins


def all_wins(board: str) -> np.ndarray:
    return spread(compute_board_equity(parse_board(board)))


@pytest.mark.parametrize(
    ("board", "hand", "opponent", "equity"),
    [
        ("AhKsQd", "AA", "KK", 0.9484848),
        ("AhKsQd", "AA", "72o", 0.9919192),
        ("AhKsQd", "AKs", "QQ", 0.1982323),
        ("AhKsQd", "JTs", "22", 0.9671717),
        ("2c3h4d", "AA", "KK", 0.9121212),
        ("9s6s2s", "AA", "KK", 0.8422980),
    ],
)
def test_flop_equities_are_those_of_the_mathematics(board, hand, opponent, equity):
    table = compute_board_equity(parse_board(board)).hand_table()
    found = table.equity(parse_canonical_hand(hand), parse_canonical_hand(opponent))
    assert round(found, 7) == equity


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_two_hands_share_the_whole_pot(board):
    table = compute_board_equity(parse_board(board)).hand_table()
    assert (table.ties >= 0).all()
    np.testing.assert_array_equal(table.wins + table.ties + table.wins.T, table.totals)
    np.testing.assert_array_equal(table.ties, table.ties.T)
    equities = table.equities()
    can_meet = table.totals > 0
    np.testing.assert_allclose((equities + equities.T)[can_meet], 1.0, rtol=0.0, atol=1e-15)
    assert np.isnan(equities[~can_meet]).all()


@pytest.mark.parametrize(
    ("board", "num_runouts"), [(RAINBOW, 990), (MONOTONE, 990), (TURNS[0], 44), (RIVERS[0], 1)]
)
def test_totals_are_matchups_times_runouts(board, num_runouts):
    equity = compute_board_equity(parse_board(board))
    assert equity.num_runouts == num_runouts
    expected = num_runouts * matchup_weights(parse_board(board))
    np.testing.assert_array_equal(equity.hand_table().totals, expected)


@pytest.mark.parametrize("board", FLOPS + TURNS + RIVERS)
def test_random_matchups_equal_brute_force(board):
    cards = parse_board(board)
    equity = compute_board_equity(cards)
    generator = np.random.default_rng(0)
    pairs = (generator.choice(equity.combos, 2, replace=False) for _ in range(1_000))
    can_meet = (pair for pair in pairs if disjoint_combos(pair[:1], pair[1:])[0, 0])
    for hero, villain in islice(can_meet, 25):
        expected = count_outcomes(combo_cards(hero), combo_cards(villain), cards)
        wins = int(equity.wins_between(np.array([hero]), np.array([villain]))[0, 0])
        losses = int(equity.wins_between(np.array([villain]), np.array([hero]))[0, 0])
        ties = equity.num_runouts - wins - losses
        assert (wins, ties, losses) == expected


@pytest.mark.parametrize("board", FLOPS[:3] + TURNS[:2] + RIVERS[:1])
def test_some_combos_win_among_themselves_what_they_win_among_all(board):
    cards = parse_board(board)
    everybody = compute_board_equity(cards)
    asked = np.random.default_rng(1).choice(1326, 90, replace=False)
    some = compute_board_equity(cards, asked)
    assert some.combos.tolist() == sorted(set(asked.tolist()) & set(everybody.combos.tolist()))
    assert some.num_runouts == everybody.num_runouts
    np.testing.assert_array_equal(some.wins, everybody.wins_between(some.combos, some.combos))


def test_matchups_solved_in_the_head_come_out():
    board = parse_board("AhKhQh")
    equity = compute_board_equity(board)
    royal, quads_draw, dead = (np.array([parse_combo(text)]) for text in ("JhTh", "AcAd", "2c2d"))
    assert equity.wins_between(royal, quads_draw) == equity.wins_between(royal, dead) == 990
    assert equity.wins_between(dead, royal) == 0
    on_a_royal_board = compute_board_equity(parse_board("AhKhQhJhTh"))
    assert not on_a_royal_board.wins.any()  # everybody ties


@pytest.mark.parametrize("board", [RAINBOW, MONOTONE, RIVERS[0]])
def test_pairs_that_share_a_card_win_nothing(board):
    equity = compute_board_equity(parse_board(board))
    assert not equity.wins[~disjoint_combos(equity.combos, equity.combos)].any()


@pytest.mark.parametrize("mapping", THREE_CYCLES + OTHER_MAPPINGS, ids=lambda m: str(m.new_suits))
@pytest.mark.parametrize("board", [MONOTONE, TWO_TONE, RAINBOW, TRIPS, "9s6s2sKs"])
def test_boards_with_renamed_suits_give_permuted_equities(board, mapping):
    renamed_board = mapping.map_cards(parse_board(board))
    moved = permute_combos(mapping.new_suits)
    expected = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.int64)
    expected[np.ix_(moved, moved)] = all_wins(board)
    np.testing.assert_array_equal(all_wins(format_cards(renamed_board)), expected)


@pytest.mark.parametrize("board", ["9s2s6s", "2s9s6s"])
def test_order_of_the_board_does_not_matter(board):
    np.testing.assert_array_equal(all_wins(board), all_wins("9s6s2s"))


@pytest.mark.parametrize("board", FLOPS + TURNS)
def test_merging_isomorphic_runouts_changes_nothing(board):
    """The twin deals all 1,176 (48 on a turn) runouts one by one."""
    cards = parse_board(board)
    merged = compute_board_equity(cards)
    rest = sorted(set(range(52)) - set(cards))
    boards = np.array([[*cards, *new] for new in combinations(rest, 5 - len(cards))], np.uint8)
    combos = live_combos(cards)
    hero = np.empty((len(boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    wins = np.zeros((len(combos), len(combos)), dtype=np.uint32)
    equity_kernels.count_wins(hero, villain, np.ones(len(boards), dtype=np.int64), wins)
    wins[~disjoint_combos(combos, combos)] = 0
    np.testing.assert_array_equal(merged.wins, wins)


@pytest.mark.parametrize("board", [MONOTONE, RAINBOW])
def test_wins_of_all_turns_add_up_to_twice_the_wins_of_the_flop(board):
    """A runout of two cards is met through either of them."""
    cards = parse_board(board)
    turns = (card for card in range(52) if card not in cards)
    total = sum(spread(compute_board_equity((*cards, turn))) for turn in turns)
    np.testing.assert_array_equal(total, 2 * all_wins(board))


def test_wins_of_all_rivers_add_up_to_the_wins_of_the_turn():
    cards = parse_board("9s6s2sKd")
    rivers = (card for card in range(52) if card not in cards)
    total = sum(spread(compute_board_equity((*cards, river))) for river in rivers)
    np.testing.assert_array_equal(total, all_wins("9s6s2sKd"))


@pytest.mark.parametrize("board", ["AhKd7s", "9s6s2s4h", "AhKd7s2c2d"])
def test_a_kept_table_of_hands_is_that_of_the_board(monkeypatch, tmp_path, board):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path))
    monkeypatch.setenv("RUNOUT_CACHE_MB", "10")
    expected = compute_board_equity(parse_board(board)).hand_table()
    for _ in range(2):
        found = hand_equity(parse_board(board))
        for name, table in vars(expected).items():
            np.testing.assert_array_equal(getattr(found, name), table)
    assert len(kept_files()) == 1


def test_hand_table_adds_up_combos():
    equity = compute_board_equity(parse_board(MONOTONE))
    table = equity.hand_table()
    hands = HAND_BY_COMBO[equity.combos]
    for hand, opponent in [("AA", "KK"), ("AKs", "72o"), ("66", "66"), ("T9s", "T9s")]:
        i, j = parse_canonical_hand(hand), parse_canonical_hand(opponent)
        assert table.wins[i, j] == equity.wins[np.ix_(hands == i, hands == j)].sum()


def test_wins_cannot_be_written():
    assert not compute_board_equity(parse_board(RIVERS[0])).wins.flags.writeable


def test_board_is_kept_as_it_was_dealt():
    assert compute_board_equity(list(parse_board("9s2s6s"))).board == parse_board("9s2s6s")


@pytest.mark.parametrize("board", [(), (0, 1), (0, 1, 1), (0, 1, 52), (0, 1, 2, 3, 4, 5)], ids=str)
def test_impossible_boards_are_refused(board):
    with pytest.raises(CardError):
        compute_board_equity(board)


BOARDS = ["AhKsQd", "9s6s2s", "5c5d5h", "2s8sTcQd", "9s6s2sKs", "AsKsQsJs9d", "8h8d3s3c2c"]


def sums_of(board: str) -> StrengthSums:
    return sum_strengths(parse_board(board))


def row_of(sums: StrengthSums, combo: str) -> int:
    return int(np.searchsorted(sums.combos, parse_combo(combo)))


@pytest.mark.parametrize(
    ("board", "combo", "expected"),
    [
        ("2s8sTcQd", "As5s", 0.51558),
        ("7c6d2s", "9h8h", 0.49498),
        ("AsKsQsJs9d", "7h2c", 0.07778),
        ("KdKcQsQc", "5d2c", 0.182),
    ],
)
def test_expected_strength_is_that_of_the_mathematics(board, combo, expected):
    sums = sums_of(board)
    found = sums.expected_strength[row_of(sums, combo)]
    assert found == pytest.approx(expected, abs=0.000_006 if expected != 0.182 else 0.0005)


@pytest.mark.parametrize("board", BOARDS)
def test_expected_strength_is_exactly_the_equity_against_a_random_hand(board):
    sums = sums_of(board)
    equity = compute_board_equity(parse_board(board))
    np.testing.assert_array_equal(sums.combos, equity.combos)
    wins = equity.wins.astype(np.int64)
    num_pairs = disjoint_combos(equity.combos, equity.combos).sum(axis=1) * equity.num_runouts
    doubled = num_pairs + wins.sum(axis=1) - wins.sum(axis=0)  # 2 wins + ties
    np.testing.assert_array_equal(sums.expected_strength, doubled / (2 * num_pairs))


@pytest.mark.parametrize("board", ["2s8sTcQd", "9s6s2sKs", "8h8d3s3c", "AsKsQsJs9d", "8h8d3s3c2c"])
def test_strengths_equal_brute_force(board):
    """The twin deals every river and counts beaten and tied villains of every combo."""
    cards = parse_board(board)
    sums = sum_strengths(cards)
    rest = [card for card in range(52) if card not in cards]
    runouts = combinations(rest, 5 - len(cards))
    scores = np.array([doubled_scores_on([*cards, *runout]) for runout in runouts])
    assert BEST_SCORE == 2 * 990
    for row, combo in enumerate(sums.combos):
        mine = scores[scores[:, combo] >= 0, combo]
        assert sums.expected_strength[row] == pytest.approx(mine.mean() / BEST_SCORE)
        squares = (mine / BEST_SCORE) ** 2
        assert sums.expected_squared_strength[row] == pytest.approx(squares.mean())


@pytest.mark.parametrize("board", BOARDS)
def test_strengths_are_whole_numbers_until_they_are_divided(board):
    sums = sums_of(board)
    assert sums.num_runouts == {6: 1_081, 8: 46, 10: 1}[len(board)]
    best = sums.num_runouts * BEST_SCORE
    np.testing.assert_array_equal(sums.score / best, sums.expected_strength)
    squares = sums.squared_score / (best * BEST_SCORE)
    np.testing.assert_array_equal(squares, sums.expected_squared_strength)


def test_the_nuts_beat_everybody_and_a_royal_board_nobody():
    nuts, nothing = sums_of("AhKhQhJh2c"), sums_of("AhKhQhJhTh")
    assert nuts.expected_strength[row_of(nuts, "Th3c")] == 1.0
    assert (nothing.expected_strength == 0.5).all()


def test_squared_strength_tells_draws_from_made_hands():
    sums = sums_of("7c6d2s")
    mean, squared = sums.expected_strength, sums.expected_squared_strength
    assert (squared >= mean**2 - 1e-12).all()
    assert (squared <= mean + 1e-12).all()
    draw, made = row_of(sums, "9h8h"), row_of(sums, "3c3d")
    assert mean[draw] < mean[made]
    assert squared[draw] > squared[made] + 0.1
    river = sums_of("AsKsQsJs9d")
    np.testing.assert_allclose(river.expected_squared_strength, river.expected_strength**2)


@pytest.mark.parametrize("new_suits", [(1, 2, 0, 3), (0, 2, 3, 1), (1, 2, 3, 0)], ids=str)
@pytest.mark.parametrize("board", ["9s6s2s", "5c5d5h", "2s8sTcQd"])
def test_boards_with_renamed_suits_give_permuted_strengths(board, new_suits):
    dealt = sums_of(board)
    renamed = sum_strengths(SuitMapping(new_suits).map_cards(parse_board(board)))
    rows = np.searchsorted(renamed.combos, permute_combos(new_suits)[dealt.combos])
    np.testing.assert_array_equal(renamed.expected_strength[rows], dealt.expected_strength)
    np.testing.assert_array_equal(
        renamed.expected_squared_strength[rows], dealt.expected_squared_strength
    )


def test_results_cannot_be_written():
    sums = sums_of("AsKsQsJs9d")
    assert not sums.expected_strength.flags.writeable
    assert not sums.expected_squared_strength.flags.writeable


@pytest.mark.parametrize("board", [(), (0, 1), (0, 1, 1)], ids=str)
def test_impossible_boards_are_refused_of_strengths(board):
    with pytest.raises(CardError):
        sum_strengths(board)
