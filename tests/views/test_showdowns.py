"""Who wins against a range, compared with all pairs one by one."""

import numpy as np
import pytest

from runout.cards.board_scores import score_board
from runout.cards.card import parse_board
from runout.cards.combos import NUM_COMBOS, disjoint_combos
from runout.equity.board_equity import compute_board_equity
from runout.views.showdowns import Showdowns, runout_margins

BOARDS = ["QsJh2h8c3d", "AsKsQsJsTs", "7s7h7d7c2c", "2c3c4c5c9c"]
ALL = np.arange(NUM_COMBOS)


@pytest.mark.parametrize("text", BOARDS)
def test_margins_are_what_is_beaten_less_what_beats(text):
    score = score_board(parse_board(text))
    weights = np.random.default_rng(2).random((3, NUM_COMBOS))
    is_live = score > 0
    sign = np.sign(score[:, None] - score) * disjoint_combos(ALL, ALL)
    sign = sign * is_live * is_live[:, None]
    expected = (sign[None] * weights[:, None]).sum(axis=2)
    found = Showdowns.on(parse_board(text)).margins(weights)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_margins_of_all_rivers_are_the_equity_of_a_turn():
    board = parse_board("QsJh2h8c")
    rivers = [Showdowns.on((*board, card)) for card in range(52) if card not in board]
    table = compute_board_equity(board)
    weights = np.zeros(NUM_COMBOS)
    weights[table.combos] = np.random.default_rng(3).random(len(table.combos))
    wins = table.wins.astype(np.float64)
    expected = ((wins - wins.T) * weights[table.combos]).sum(axis=1)
    (found,) = runout_margins(rivers, weights[None])
    np.testing.assert_allclose(found[table.combos], expected, atol=1e-7)
