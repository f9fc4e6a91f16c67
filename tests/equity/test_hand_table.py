import numpy as np
import pytest

from runout.cards.canonical_hands import NUM_HANDS, parse_canonical_hand
from runout.equity.hand_table import HandEquityTable
from runout.errors import CardError

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
    versus_random = table.equity_vs_random()
    assert versus_random[ACES] == (7 + 0.5 + 15 + 3) / 40  # not the mean of 0.75 and 0.6
    assert versus_random[KINGS] == 0.25
    assert np.isnan(versus_random).sum() == NUM_HANDS - 3


def test_hands_that_cannot_meet_have_no_equity(table):
    with pytest.raises(CardError, match="KK against QQ: the board leaves no way to deal both"):
        table.equity(KINGS, QUEENS)
