from collections import Counter
from math import comb

import numpy as np
import pytest

from runout.abstraction import survey as survey_module
from runout.abstraction.survey import (
    StrengthFeature,
    deal_indexer,
    deal_random,
    river_strengths,
    split_boards,
    survey_all,
    survey_sample,
)
from runout.cards.deck import combo_index, parse_board
from runout.cards.hand_indexer import canonical_boards
from runout.equity.board import hand_strength, score_rivers, sum_strengths
from runout.events import PhaseAdvanced, PhaseStarted
from runout.execution.context import RunContext
from runout.trees.betting import Street
from tests.event_streams import check_stream
from tests.reference.hand_isomorphism import canonical_deal
from tests.reference.showdowns import doubled_scores_on
from tests.samples.few_boards import (
    BOARDS,
    board_classes,
    deals_of,
    deals_on,
    pretend_few_boards,
    survey_few,
)

EHS2, EHS_SQUARED = StrengthFeature.EHS2, StrengthFeature.EHS_SQUARED
EARLY_STREETS = [Street.FLOP, Street.TURN]
BEST_SCORE = 1_980


def by_label(street: Street) -> str:
    return street.label


def distinct_boards(street: Street, num_boards: int, seed: int = 0) -> np.ndarray:
    """Returns one random deal on each of so many different boards."""
    boards, _ = canonical_boards(street.num_board_cards)
    rng = np.random.default_rng(seed)
    boards = rng.choice(boards, num_boards, replace=False)
    deals = [rng.permutation(np.setdiff1d(np.arange(52), board))[:2] for board in boards]
    return np.concatenate([deals, boards], axis=1).astype(np.uint8)


# Scores.


@pytest.mark.parametrize("board", ["AsKsQsJs9d", "8h8d3s3c2c", "AhKhQhJhTh", "2c3d4h5s7c"])
def test_river_scores_equal_brute_force(board):
    cards = parse_board(board)
    found = score_rivers(np.array([cards], dtype=np.uint8), np.arange(1_326))[0]
    np.testing.assert_array_equal(found, doubled_scores_on(cards))


def test_river_boards_are_scored_row_by_row():
    boards = np.array([parse_board("AsKsQsJs9d"), parse_board("2c3d4h5s7c")], dtype=np.uint8)
    together = score_rivers(boards, np.arange(1_326))
    for row in range(2):
        np.testing.assert_array_equal(
            together[row], score_rivers(boards[row : row + 1], np.arange(1_326))[0]
        )


def test_river_strengths_are_the_scores_over_the_best_one():
    assert len(river_strengths(EHS2)) == BEST_SCORE + 1
    assert river_strengths(EHS2)[[0, 990, BEST_SCORE]].tolist() == [0.0, 0.5, 1.0]
    assert river_strengths(EHS_SQUARED)[[0, 990, BEST_SCORE]].tolist() == [0.0, 0.25, 1.0]


@pytest.mark.parametrize("feature", StrengthFeature)
@pytest.mark.parametrize("street", Street, ids=by_label)
def test_sampled_deals_have_the_strength_that_is_computed_one_by_one(street, feature):
    deals = deal_random(street, 25, np.random.default_rng(3))
    survey = survey_sample(street, feature, deals, RunContext(1))
    assert survey.street is street
    assert survey.weights.tolist() == [1] * len(deals)
    for deal, value in zip(deals.tolist(), survey.values, strict=True):
        strength = hand_strength(deal[2:], (deal[0], deal[1]))
        assert value == (strength.ehs2 if feature is EHS2 else strength.ehs_squared)


@pytest.mark.parametrize("street", Street, ids=by_label)
def test_no_deals_have_no_strengths(street):
    none = np.empty((0, 2 + street.num_board_cards), dtype=np.uint8)
    assert not len(survey_sample(street, EHS2, none, RunContext(1)).values)


@pytest.mark.parametrize("feature", StrengthFeature)
@pytest.mark.parametrize("street", EARLY_STREETS, ids=by_label)
def test_every_class_of_a_board_gets_the_score_of_its_holdings(street, feature):
    """The board is dealt in other suits and another order than the class has it."""
    few = board_classes(street)
    scores, _ = survey_module._score_classes(street, feature, few, RunContext(1))
    for text in BOARDS[street]:
        board = parse_board(text)[::-1]
        sums = sum_strengths(board)
        expected = sums.score if feature is EHS2 else sums.squared_score
        found = scores[deal_indexer(street).index_many(deals_on([board]))]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("street", EARLY_STREETS, ids=by_label)
def test_weights_of_the_classes_on_a_board_count_its_deals(street):
    survey = survey_few(street, EHS2)
    num_boards = canonical_boards(street.num_board_cards)[1][board_classes(street)].sum()
    assert survey.weights.sum() == num_boards * comb(52 - street.num_board_cards, 2)


@pytest.mark.parametrize("street", EARLY_STREETS, ids=by_label)
def test_mean_strength_is_exactly_one_half_on_every_board(street):
    """By symmetry: each matchup's pot goes to one side or the other, weighted by multiplicity."""
    indexer = deal_indexer(street)
    few = board_classes(street)
    scores, counts = survey_module._score_classes(street, EHS2, few, RunContext(1))
    classes = np.unique(indexer.index_many(deals_of(street)))
    weights = counts[classes]
    best = survey_module._RUNOUTS[street] * BEST_SCORE
    assert 2 * int((scores[classes] * weights).sum()) == best * int(weights.sum())


# Surveys of everything, on all rivers and on the first boards of the other streets.


@pytest.fixture(scope="module")
def all_rivers():
    return survey_all(Street.RIVER, EHS2, RunContext(num_workers=2))


def test_river_survey_counts_every_deal(all_rivers):
    assert all_rivers.weights.sum() == comb(52, 2) * comb(50, 5) == 2_809_475_760
    assert len(all_rivers.values) == BEST_SCORE + 1


def test_mean_river_strength_is_exactly_one_half(all_rivers):
    scores = np.arange(BEST_SCORE + 1)
    assert 2 * int((scores * all_rivers.weights).sum()) == BEST_SCORE * 2_809_475_760


def test_rivers_have_1950_strengths_from_nothing_to_everything(all_rivers):
    assert (all_rivers.weights > 0).sum() == 1_950
    assert all_rivers.weights[0] > 0  # the only holding that loses to all others
    assert all_rivers.weights[-1] > 0  # the only holding of the nuts


def test_river_counts_of_a_few_boards_equal_brute_force(monkeypatch):
    """Boards stand for all boards of their class: their deals are counted that many times."""
    num_boards = 4
    boards = canonical_boards(5)[0][:num_boards].tolist()
    expected = Counter()
    for board in boards:
        orbit = {canonical_renaming(board, seed) for seed in range(200)}
        for score in doubled_scores_on(board).tolist():
            expected[score] += len(orbit)
    del expected[-1]
    pretend_few_boards(monkeypatch, num_boards)
    survey = survey_all(Street.RIVER, EHS2, RunContext(1))
    found = {score: count for score, count in enumerate(survey.weights.tolist()) if count}
    assert found == expected


def canonical_renaming(board, seed):
    """Returns a random renaming of a board's suits, as a set of cards; 200 of them reach all 24."""
    new_suits = np.random.default_rng(seed).permutation(4)
    renamed = frozenset(int(card // 4 * 4 + new_suits[card % 4]) for card in board)
    assert canonical_deal(sorted(renamed), (5,)) == canonical_deal(board, (5,))
    return renamed


@pytest.mark.parametrize(
    ("street", "feature"),
    [(Street.FLOP, EHS2), (Street.FLOP, EHS_SQUARED), (Street.TURN, EHS2)],
    ids=["flop", "flop squared", "turn"],
)
def test_survey_has_one_value_per_class_weighted_by_its_deals(street, feature, monkeypatch):
    pretend_few_boards(monkeypatch, num_boards=3)
    survey = survey_all(street, feature, RunContext(1))
    indexer = deal_indexer(street)
    assert len(survey.values) == len(survey.weights) == indexer.size
    boards, counts = canonical_boards(street.num_board_cards)
    num_deals = counts[:3].sum() * comb(52 - street.num_board_cards, 2)
    assert survey.weights.sum() == num_deals
    board = boards[2].tolist()
    sums = sum_strengths(board)
    expected = (
        sums.score / (sums.num_runouts * BEST_SCORE)
        if feature is EHS2
        else sums.squared_score / (sums.num_runouts * BEST_SCORE**2)
    )
    found = survey.values[indexer.index_many(deals_on([board]))]
    np.testing.assert_array_equal(found, expected)


# How a survey is carried out.


@pytest.fixture
def small_parts(monkeypatch):
    """Makes parts of four boards, so that twelve boards are three parts."""
    for street in EARLY_STREETS:
        monkeypatch.setitem(survey_module._BOARDS_PER_TASK, street, 4)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("street", EARLY_STREETS, ids=by_label)
def test_number_of_workers_does_not_matter(street):
    deals = distinct_boards(street, 30)
    alone = survey_sample(street, EHS2, deals, RunContext(num_workers=1))
    together = survey_sample(street, EHS2, deals, RunContext(num_workers=3))
    np.testing.assert_array_equal(alone.values, together.values)


def test_number_of_workers_does_not_matter_to_a_survey_of_rivers(monkeypatch):
    pretend_few_boards(monkeypatch, num_boards=5_000)
    alone, together = (
        survey_all(Street.RIVER, EHS2, RunContext(num_workers)) for num_workers in (1, 3)
    )
    np.testing.assert_array_equal(alone.weights, together.weights)


def test_parts_hold_every_board_once_in_order():
    for street in Street:
        parts = list(split_boards(street, np.arange(1_755)))
        assert np.concatenate(parts).tolist() == list(range(1_755))
        assert len({len(part) for part in parts[:-1]}) <= 1
    assert not list(split_boards(Street.FLOP, np.arange(0)))


def test_progress_is_told_in_boards():
    events = []
    deals = distinct_boards(Street.FLOP, 20)
    survey_sample(Street.FLOP, EHS2, deals, RunContext(1, events.append))
    phase = "flop strengths"
    assert events[:-1] == [
        PhaseStarted(phase, 20),
        PhaseAdvanced(phase, 16, 20),
        PhaseAdvanced(phase, 20, 20),
    ]
    check_stream(events)


def test_progress_of_sampled_rivers_is_told_in_deals():
    events = []
    deals = deal_random(Street.RIVER, 300, np.random.default_rng(1))
    survey_sample(Street.RIVER, EHS2, deals, RunContext(1, events.append))
    assert events[0] == PhaseStarted("river strengths", 300)
    assert events[-2] == PhaseAdvanced("river strengths", 300, 300)
    check_stream(events)


# Random deals.


@pytest.mark.parametrize("street", Street, ids=by_label)
def test_random_deals_are_distinct_cards_and_uniform(street):
    num_deals = 20_000
    deals = deal_random(street, num_deals, np.random.default_rng(0))
    assert deals.shape == (num_deals, 2 + street.num_board_cards)
    assert deals.dtype == np.uint8
    ordered = np.sort(deals, axis=1)
    assert (ordered[:, 1:] > ordered[:, :-1]).all()
    assert ordered.max() == 51
    expected = num_deals / 52
    for position in deals.T:  # each hole and board card is any of the 52, equally often
        counts = np.bincount(position, minlength=52)
        assert ((counts - expected) ** 2 / expected).sum() < 90  # chi-square of 51, p < 0.001
    holdings = [combo_index(*pair) for pair in deals[:, :2].tolist()]
    assert len(set(holdings)) == 1_326


def test_random_deals_are_the_same_on_every_machine():
    """`argpartition` sorts the lowest numbers on some CPUs (those with AVX2) and not on others."""
    deals = deal_random(Street.FLOP, 3, np.random.default_rng(1))
    numbers = np.random.default_rng(1).random((3, 52))
    expected = [sorted(range(52), key=row.__getitem__)[:5] for row in numbers]
    assert deals.tolist() == expected
