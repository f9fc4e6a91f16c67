import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights
from runout.errors import BundleError
from runout.explorer.values_run import ValuesRun


@pytest.fixture(scope="module")
def values(runs):
    return ValuesRun.open(runs / "flop_values")


def test_a_flop_is_worth_the_mean_over_all_deals(values):
    solved = values.bundle.values[0]
    row = values.report("")["flops"][1]
    total = deals = 0.0
    weights = matchup_weights(solved.flops.flops[1])
    for hero, villain in np.argwhere(weights > 0):
        total += weights[hero, villain] * solved.value_pot[1, 0, hero, villain]
        deals += weights[hero, villain]
    assert row["ev"][0] == pytest.approx(total / deals, abs=2e-6)


def test_both_players_share_the_pot(values):
    for row in values.report("")["flops"]:
        assert sum(row["ev"]) == pytest.approx(1.0, abs=1e-4)


def test_the_worst_flop_says_how_well_all_are_solved(values):
    reports = [report for solved in values.bundle.values for report in solved.reports]
    assert values.quality.exploitability == max(report.exploitability_pot for report in reports)


def test_a_ratio_that_was_not_solved_is_refused(values):
    with pytest.raises(BundleError, match="was not solved"):
        values.report("7")
