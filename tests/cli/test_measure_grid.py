"""Numbers that fit the cells of the grid."""

import io

import numpy as np
import pytest
from rich.console import Console

from runout.cards.canonical_hands import HAND_NAMES
from runout.cli.measure_grid import (
    describe_measure,
    format_amount_cell,
    format_share_cell,
    print_measure,
    print_measure_difference,
)
from runout.views.measures import Measure, hand_values
from tests.views.test_node import decision


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "0.00"),
        (-0.001, "0.00"),
        (-9.876, "-9.88"),
        (9.999, "10.0"),
        (-99.94, "-99.9"),
        (161.36, "161"),
        (9999.4, "9999"),
        (-123456.0, "-123k"),
        (float("nan"), ""),
    ],
)
def test_amounts_take_five_characters(amount, text):
    assert format_amount_cell(amount) == text
    assert len(text) <= 5


def test_shares_take_five_characters():
    texts = [format_share_cell(share) for share in (0.0, 0.123, 1.0, 1.254, 5e6, float("nan"))]
    assert texts == ["0", "12.3", "100", "125", "9999", ""]


def printed(show, *arguments):
    """Returns the lines that a function prints."""
    file = io.StringIO()
    show(Console(file=file, width=100, color_system=None), *arguments)
    return file.getvalue().splitlines()


def cell(lines, hand):
    """Returns the cell of a pair."""
    row = next(line for line in lines[2:] if line[0] == hand[0])
    return row.split()[1 + "AKQJT98765432".index(hand[0])]


@pytest.mark.parametrize("measure", [Measure.EV, Measure.EQUITY, Measure.EQR, Measure.REACH])
def test_the_grid_has_the_values_of_hands(measure):
    node = decision()
    lines = printed(print_measure, node, 0, measure)
    assert lines[0] == f"OOP's hands: {describe_measure(node, measure)}"
    value = hand_values(node, 0, measure)[HAND_NAMES.index("KK")]
    shown = value if measure is Measure.EV else 100 * value
    assert float(cell(lines, "KK")) == pytest.approx(shown, rel=0.05)
    assert cell(lines, "99") == "-"


def test_differences_have_signs():
    node = decision()
    more = decision(ev=node.ev + 1.0)
    lines = printed(print_measure_difference, (more, node), 1, Measure.EV)
    assert lines[0] == "difference, IP's hands: EV in chips"
    assert cell(lines, "KK") == "+1.00"
    assert cell(printed(print_measure_difference, (node, more), 1, Measure.EV), "KK") == "-1.00"
    same = printed(print_measure_difference, (node, node), 1, Measure.EQUITY)
    assert cell(same, "KK") == "0"
    nothing = decision(ev=np.full_like(node.ev, np.nan))
    assert cell(printed(print_measure_difference, (nothing, node), 1, Measure.EV), "KK") == "-"


def test_tiles_that_are_filled_in_part_are_explained():
    file = io.StringIO()
    console = Console(file=file, width=100, color_system="truecolor", force_terminal=True)
    print_measure(console, decision(), 0, Measure.EV)
    assert "a tile is filled as far as its hand gets here" in file.getvalue()
