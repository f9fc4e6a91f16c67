import io

import numpy as np
from rich.console import Console

from runout.cli.plots import ExploitabilityCurve, curve_columns, draw_bars


def test_the_highest_bar_fills_all_lines_and_others_are_in_proportion():
    assert draw_bars(np.array([0, 1, 2, 4, 8]), 2, " ▄█") == ["    █", " ▄▄██"]


def test_bars_of_nothing_are_empty():
    assert draw_bars(np.zeros(3, dtype=np.int64), 2, " █") == ["   ", "   "]


def test_a_single_boundary_is_seen_next_to_thousands():
    assert draw_bars(np.array([1, 5000]), 2, " ▄█") == [" █", "▄█"]


def plotted(points, encoding="utf-8"):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=file, width=100, color_system=None).print(ExploitabilityCurve(points))
    file.flush()
    return raw.getvalue().decode(encoding).splitlines()


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


def test_terminals_without_block_characters_get_ascii():
    assert "#" in plotted([(25, 60.0), (1000, 0.2)], encoding="ascii")[-2]
