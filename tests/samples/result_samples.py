"""Values that the tests look up, average and save."""

import numpy as np

from runout.cards.deck import matchup_weights
from runout.cards.flops import explicit_flops
from runout.equity.board import compute_board_equity
from runout.solutions.values import ExploitabilityMeaning, FlopReport, PostflopValues

#: Multiplicities 24, 4 and 12; on the last one deuces are all gone.
FLOPS = explicit_flops(["AhKsQd", "9s6s2s", "2s2h2d"])


def random_values(spr=3.5, seed=0, flops=FLOPS):
    """Returns random values that sum to 1, NaN where hands cannot meet."""
    rng = np.random.default_rng(seed)
    value_pot = np.empty((len(flops), 2, 169, 169), np.float32)
    for index, flop in enumerate(flops.flops):
        larger = (0.5 + rng.random((169, 169))).astype(np.float32)
        larger[matchup_weights(flop) == 0] = np.nan
        value_pot[index] = larger, (1 - larger).T
    reports = [
        FlopReport(10 + index, 0.001 * index, 0.5, 0.25, 0, ExploitabilityMeaning.OWN_GAME)
        for index in range(len(flops))
    ]
    return PostflopValues(flops, spr, value_pot, tuple(reports))


def check_down_values(flops=FLOPS):
    """Returns what hands get if nobody ever bets: their equity."""
    tables = [compute_board_equity(flop).hand_table() for flop in flops.flops]
    equity = np.array([[table.equities()] * 2 for table in tables], np.float32)
    reports = (FlopReport(1, 0.0, 0.0, 0.0, 0, ExploitabilityMeaning.OWN_GAME),) * len(flops)
    return PostflopValues(flops, 1.0, equity, reports), tables
