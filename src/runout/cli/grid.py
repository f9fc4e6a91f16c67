"""The 13x13 grid of hands: AA top left, suited above the diagonal, coloured by value.

Numbers are always printed, so the grid says the same in a pipe, a log or with ``NO_COLOR``.
Colours run from dark blue to light yellow with evenly rising lightness, so that they keep their
order for colour-blind eyes and in grey.
"""

import math
from collections.abc import Sequence
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

#: From this share on, all of a hand is there.
_WHOLE = 0.95


@dataclass(frozen=True)
class HandGrid:
    """A grid that rich can print: tiles where there are colours, a plain table elsewhere.

    Attributes:
        values: ``[169]`` fractions by canonical hand, shown as percent; NaN means no value, which
            is a tile without colour and number, or a dash in the plain table.
        texts: what stands in the cells instead of percent, at most 5 characters each.
        bounds: the values of the darkest and of the lightest colour, which what is beyond has, too.
        reach: ``[169]`` how much of each hand is there: a tile is filled as far. All by default.
    """

    values: FloatArray
    texts: Sequence[str] | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    reach: FloatArray | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines of the grid, in the way that suits the console."""
        yield from self._tiles() if has_colours(console) else self._table()

    def _tiles(self) -> list[Text]:
        lines = []
        for hands in HANDS_BY_ROW:
            names, numbers = Text(), Text()
            for hand in hands:
                style, filled = self._fill(hand)
                text = self._cell_text(hand, no_value="")
                for line, words in ((names, HAND_NAMES[hand]), (numbers, text)):
                    padded = f" {words}".ljust(_CELL_WIDTH)
                    line.append(padded[:filled], style)
                    line.append(padded[filled:])
            lines += [names, numbers]
        return lines

    def _fill(self, hand: int) -> tuple[Style, int]:
        """Returns the style of a tile, and how many of its characters have it."""
        value, reach = float(self.values[hand]), 1.0 if self.reach is None else self.reach[hand]
        if math.isnan(value):
            return Style(dim=True), _CELL_WIDTH
        low, high = self.bounds
        share = (value - low) / (high - low) if high > low else 0.5
        style = colour_style(round(_NUM_COLOURS * min(max(share, 0.0), 1.0)))
        return style, filled_width(_CELL_WIDTH, float(reach))

    def _table(self) -> list[Text]:
        lines = [Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in _RANKS_FROM_ACE))]
        for rank, hands in zip(_RANKS_FROM_ACE, HANDS_BY_ROW, strict=True):
            cells = [self._cell_text(hand, "-").rjust(_CELL_WIDTH) for hand in hands]
            lines.append(Text(rank + "".join(cells)))
        return lines

    def _cell_text(self, hand: int, no_value: str) -> str:
        if math.isnan(self.values[hand]):
            return no_value
        return format_cell(self.values[hand]) if self.texts is None else self.texts[hand]


def has_colours(console: Console) -> bool:
    """Returns whether backgrounds can be told apart on a console."""
    return console.color_system is not None and not console.no_color


def filled_width(width: int, reach: float) -> int:
    """Returns how many characters of a tile a hand fills: some, but all only if all of it comes."""
    return min(max(round(width * reach), 1), width if reach >= _WHOLE else width - 1)


def fill_caption(reach: FloatArray) -> str:
    """Returns how to read tiles that are filled in part; empty if there are none."""
    is_whole = bool((reach >= _WHOLE).all())
    return "" if is_whole else "a tile is filled as far as its hand gets here"


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
