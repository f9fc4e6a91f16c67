"""The shipped flop subsets are as good as the file that holds them says."""

import json

import numpy as np
import pytest

from runout.arrays import FloatArray
from runout.cards.deck import matchup_weights
from runout.cards.flops import SUBSETS_FILE, FlopList, subset_flops
from runout.equity.board import compute_board_equity
from runout.equity.matchups import preflop_table


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
    hands = points.sum(axis=1) / pairs.sum(axis=1) - exact.equity_vs_random()
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


@pytest.mark.parametrize("size", [8, 13, 25])
def test_small_subsets_have_the_stated_errors(size):
    assert measure_errors(subset_flops(size)) == pytest.approx(
        json.loads(SUBSETS_FILE.read_text())[str(size)]["errors"], abs=2e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", [50, 100, 200])
def test_larger_subsets_have_the_stated_errors(size):
    assert measure_errors(subset_flops(size)) == pytest.approx(
        json.loads(SUBSETS_FILE.read_text())[str(size)]["errors"], abs=2e-6
    )
