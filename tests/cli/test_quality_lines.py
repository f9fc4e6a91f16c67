"""What is said below every solution."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from runout.cli.quality_lines import describe_quality, print_quality, print_warnings
from runout.results.solve_report import ExploitabilityMeaning
from runout.views.quality import ExploitabilityUnit, Quality
from tests.views.test_node import decision

GOOD = Quality(0.004, ExploitabilityUnit.POT, ExploitabilityMeaning.REAL_GAME, None, 100, 2.5)


def printed(show, *arguments):
    """Returns the lines that a function prints."""
    file = io.StringIO()
    show(Console(file=file, width=60, color_system=None), *arguments)
    return file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "exploitability (real game) 0.40% of the pot after 100 iterations in 2.5 s"),
        (
            {"meaning": ExploitabilityMeaning.UPPER_BOUND},
            "exploitability (upper bound) \u22640.40% of the pot after 100 iterations in 2.5 s",
        ),
        (
            {"unit": ExploitabilityUnit.MBB, "meaning": ExploitabilityMeaning.OWN_GAME},
            "exploitability (own game) 0.004 mbb/hand after 100 iterations in 2.5 s",
        ),
    ],
)
def test_exploitability_is_told_with_its_game(changes, text):
    assert describe_quality(replace(GOOD, **changes)) == text


def test_a_warning_stands_only_below_rough_solutions():
    assert len(printed(print_quality, GOOD)) == 1
    assert printed(print_quality, None) == []
    _, warning = printed(print_quality, replace(GOOD, exploitability=0.35))
    assert warning.startswith("! exploitability is above 1% of the pot: more iterations")
    joint = replace(
        GOOD, exploitability=21.0, unit=ExploitabilityUnit.MBB, real_exploitability=60.0
    )
    _, real, warning = printed(print_quality, joint)
    assert real == "with real cards, on its flops: 60 mbb/hand"
    assert warning.startswith("! exploitability is above 20 mbb/hand: ")


def test_nodes_say_what_is_not_to_be_trusted():
    assert printed(print_warnings, decision(reach=0.005)) == []
    (rare,) = printed(print_warnings, decision(reach=0.0049))
    assert rare.startswith("! reached in 0.490% of deals, less than 0.5%")
    (locked,) = printed(print_warnings, decision(is_locked=True))
    assert locked.startswith("! locked: ")
    (empty,) = printed(print_warnings, decision(ev=np.full((2, 1326), np.nan)))
    assert empty.startswith("! no EVs were kept")
