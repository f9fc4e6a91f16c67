"""The shipped flop subsets are as good as the file that holds them says."""

import json

import numpy as np
import pytest

from runout.arrays import FloatArray
from runout.cards.deck import matchup_weights
from runout.cards.flops import SHIPPED_SUBSETS, SUBSETS_FILE, FlopList, subset_flops
from runout.equity.board import compute_board_equity
from runout.equity.matchups import preflop_table
from tests.reference.equity import equity_vs_random


def root_mean_square(errors: FloatArray, weights: FloatArray) -> float:
    return float(np.sqrt(np.average(errors**2, weights=weights)))


def measure_errors(flops: FlopList) -> dict[str, float]:
    points, pairs = np.zeros((169, 169)), np.zeros((169, 169))
    for flop, weight in zip(flops.flops, flops.weights.tolist(), strict=True):
        table = compute_board_equity(flop).hand_table()
        points += weight * (table.wins + table.ties / 2)
        pairs += weight * table.totals
    assert pairs.min() > 0, "every two hands meet on some flop of the subset"
    exact = preflop_table()
    matchups = points / pairs - exact.equities()
    hands = points.sum(axis=1) / pairs.sum(axis=1) - equity_vs_random(exact)
    weights = matchup_weights().astype(np.float64)
    deals = pairs.sum(axis=1) / pairs.sum() * weights.sum() / weights.sum(axis=1) - 1.0
    return {
        "matchup_rms": root_mean_square(matchups, weights),
        "matchup_max": float(np.abs(matchups).max()),
        "hand_rms": root_mean_square(hands, weights.sum(axis=1)),
        "hand_max": float(np.abs(hands).max()),
        "deal_rms": root_mean_square(deals, weights.sum(axis=1)),
        "deal_max": float(np.abs(deals).max()),
    }


def stated_errors(size: int, draw: int) -> dict[str, float]:
    name = f"{size}/{draw}" if draw else str(size)
    errors: dict[str, float] = json.loads(SUBSETS_FILE.read_text())[name]["errors"]
    return errors


@pytest.mark.parametrize(("size", "draw"), [(8, 0), (13, 0), (25, 0), (25, 1)])
def test_small_subsets_have_the_stated_errors(size, draw):
    errors = measure_errors(subset_flops(size, draw))
    assert errors == pytest.approx(stated_errors(size, draw), abs=4e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "draw"), [(s, d) for s, d in SHIPPED_SUBSETS if s > 25])
def test_larger_subsets_have_the_stated_errors(size, draw):
    errors = measure_errors(subset_flops(size, draw))
    assert errors == pytest.approx(stated_errors(size, draw), abs=4e-6)
