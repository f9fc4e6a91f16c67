import io

import numpy as np
from rich.console import Console

from runout.cli.preflop_report import ExploitabilityCurve, curve_columns


def plotted(points, **options):
    file = io.StringIO()
    Console(file=file, width=100, color_system=None, **options).print(ExploitabilityCurve(points))
    return file.getvalue().splitlines()


def test_a_straight_line_in_logarithms_stays_one():
    logs = curve_columns([(10, 100.0), (100, 10.0), (1000, 1.0)], 5)
    np.testing.assert_allclose(logs, [2.0, 1.5, 1.0, 0.5, 0.0], atol=1e-12)


def test_the_curve_falls_between_powers_of_ten_over_the_iterations():
    lines = plotted([(25, 60.0), (100, 5.0), (1000, 0.2)])
    assert lines[0].startswith("100 ")
    assert lines[-2].startswith("0.1 ")
    assert lines[-1].split() == ["25", "1,000"]
    lengths = [len(line) for line in lines[:-1]]
    assert lengths == sorted(lengths)
    assert max(map(len, lines)) <= 100


def test_a_game_that_is_solved_exactly_can_be_drawn():
    assert plotted([(25, 1.0), (50, 0.0)])
    assert plotted([(25, 1.0), (50, 1.0)])
