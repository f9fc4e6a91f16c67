"""The 13x13 grid of hands: AA top left, suited above the diagonal, coloured by value.

Numbers are always printed, so the grid says the same in a pipe, a log or with ``NO_COLOR``.
Colours run from dark blue to light yellow with evenly rising lightness, so that they keep their
order for colour-blind eyes and in grey.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_NAMES, NUM_HANDS, grid_position
from runout.cards.card import NUM_RANKS, RANKS
from runout.cli.formatting import format_cell

#: Canonical hands by row of the grid, from left to right.
HANDS_BY_ROW = [
    sorted((hand for hand in range(NUM_HANDS) if grid_position(hand)[0] == row), key=grid_position)
    for row in range(NUM_RANKS)
]
_RANKS_FROM_ACE = RANKS[::-1]
_CELL_WIDTH = 6

# Lightness, chroma and hue (degrees) of the values 0 and 1 in the OKLCH colour space, where equal
# steps look equally large.
_DARKEST = (0.32, 0.11, 285.0)
_LIGHTEST = (0.92, 0.17, 105.0)
_DARK_TEXT_FROM_LIGHTNESS = 0.55
_NUM_COLOURS = 100


@dataclass(frozen=True)
class HandGrid:
    """A grid that rich can print: tiles where there are colours, a plain table elsewhere.

    Attributes:
        values: ``[169]`` fractions by canonical hand, shown as percent; NaN means no value, which
            is a tile without colour and number, or a dash in the plain table. What is below 0 or
            above 1 has the darkest or the lightest colour.
    """

    values: FloatArray

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines of the grid, in the way that suits the console."""
        has_colours = console.color_system is not None and not console.no_color
        yield from self._tiles() if has_colours else self._table()

    def _tiles(self) -> list[Text]:
        lines = []
        for hands in HANDS_BY_ROW:
            names, numbers = Text(), Text()
            for hand in hands:
                style = _cell_style(self.values[hand])
                names.append(f" {HAND_NAMES[hand]}".ljust(_CELL_WIDTH), style)
                number = _cell_text(self.values[hand], no_value="")
                numbers.append(f" {number}".ljust(_CELL_WIDTH), style)
            lines += [names, numbers]
        return lines

    def _table(self) -> list[Text]:
        lines = [Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in _RANKS_FROM_ACE))]
        for rank, hands in zip(_RANKS_FROM_ACE, HANDS_BY_ROW, strict=True):
            cells = [_cell_text(self.values[hand], "-").rjust(_CELL_WIDTH) for hand in hands]
            lines.append(Text(rank + "".join(cells)))
        return lines


def _cell_text(value: float, no_value: str) -> str:
    return no_value if math.isnan(value) else format_cell(value)


def _cell_style(value: float) -> Style:
    if math.isnan(value):
        return Style(dim=True)
    return colour_style(round(_NUM_COLOURS * min(max(value, 0.0), 1.0)))


@lru_cache
def colour_style(step: int) -> Style:
    """Returns the style of one of the evenly spaced colours from darkest to lightest."""
    share = step / _NUM_COLOURS
    lightness, chroma, hue = (
        low + share * (high - low) for low, high in zip(_DARKEST, _LIGHTEST, strict=True)
    )
    return style_of_oklch(lightness, chroma, hue)


@lru_cache
def style_of_oklch(lightness: float, chroma: float, hue: float) -> Style:
    """Returns a background of the OKLCH colour space, and black or white text to read on it."""
    red, green, blue = _srgb_of_oklch(lightness, chroma, hue)
    text = "#000000" if lightness >= _DARK_TEXT_FROM_LIGHTNESS else "#ffffff"
    return Style(color=text, bgcolor=f"rgb({red},{green},{blue})")


def _srgb_of_oklch(lightness: float, chroma: float, hue: float) -> tuple[int, int, int]:
    """Converts a colour as defined by Ottosson (2020), clipping what a screen cannot show."""
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _gamma_byte(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _gamma_byte(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _gamma_byte(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _gamma_byte(linear: float) -> int:
    clipped = min(max(linear, 0.0), 1.0)
    encoded = 12.92 * clipped if clipped <= 0.0031308 else 1.055 * clipped ** (1 / 2.4) - 0.055
    return round(255 * encoded)
