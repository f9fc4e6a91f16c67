import io

import numpy as np
import pytest
from rich.console import Console

from runout.abstraction.card_abstraction import CardAbstraction
from runout.cli.plots import BoundaryPlot, draw_bars, write_png
from runout.errors import OptionError
from tests.samples.bucket_boundaries import make_boundaries

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def printed(boundaries, width=80, encoding="utf-8"):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    Console(file=file, width=width, color_system=None).print(BoundaryPlot(boundaries))
    file.flush()
    return raw.getvalue().decode(encoding).splitlines()


def test_the_highest_bar_fills_all_lines_and_others_are_in_proportion():
    assert draw_bars(np.array([0, 1, 2, 4, 8]), 2, " ▄█") == ["    █", " ▄▄██"]


def test_bars_of_nothing_are_empty():
    assert draw_bars(np.zeros(3, dtype=np.int64), 2, " █") == ["   ", "   "]


def test_a_single_boundary_is_seen_next_to_thousands():
    assert draw_bars(np.array([1, 5000]), 2, " ▄█") == [" █", "▄█"]


def test_boundaries_are_drawn_where_they_are():
    *bars, axis = printed(np.array([0.25, 0.75]), width=40)
    assert all(line.rstrip() == " " * 10 + "█" + " " * 19 + "█" for line in bars)
    assert axis.split() == ["0%", "strength", "100%"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_plot_fits_the_terminal_and_eighty_columns(width):
    lines = printed(np.linspace(0.001, 0.999, 5000), width)
    assert {len(line) for line in lines} == {min(width, 80)}


def test_terminals_without_block_characters_get_ascii():
    lines = printed(np.linspace(0.1, 0.9, 50), encoding="ascii")
    assert "#" in lines[0]


def test_no_boundaries_are_an_empty_plot():
    *bars, axis = printed(np.array([]))
    assert not "".join(bars).strip()
    assert axis.startswith("0%")


@pytest.fixture
def abstraction():
    inner = np.array([0.25, 0.5])
    return CardAbstraction(make_boundaries(inner, inner, inner))


def test_a_png_is_written_even_without_statistics(tmp_path, abstraction):
    write_png(tmp_path / "plot.any", abstraction, "title")
    assert (tmp_path / "plot.any").read_bytes().startswith(PNG_SIGNATURE)


def test_a_png_that_cannot_be_written_is_an_error_that_names_it(tmp_path, abstraction):
    with pytest.raises(OptionError, match=r"--png .*/absent/plot\.png: No such file"):
        write_png(tmp_path / "absent/plot.png", abstraction, "title")
