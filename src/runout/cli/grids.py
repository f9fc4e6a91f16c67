"""The 13x13 grid of hands: AA top left, suited above the diagonal, of values or of strategies.

Cells always say everything in letters and numbers, so that the grid says the same in a pipe, a log
or with ``NO_COLOR``. Of a hand that comes in part only, the tile is filled in part.

Colours of values run from dark blue to light yellow with evenly rising lightness, so that they keep
their order for colour-blind eyes and in grey. Of strategies, folds are blue, checks and calls
green, raises warm and the darker the larger. A mixed hand is filled in proportion: ``R63 C`` raises
63 %, and mostly calls otherwise; letters are small if less than half of the hand gets there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import HAND_NAMES, NUM_HANDS, NUM_RANKS, RANKS, grid_position
from runout.cli.console import output
from runout.cli.formatting import NO_VALUE, bold, format_percent
from runout.cli.options import SMALLEST_REACH
from runout.solutions.node import Measure, Node, hand_reach, hand_strategy, hand_values
from runout.trees.actions import ActionKind

#: Canonical hands by row of the grid, from left to right.
HANDS_BY_ROW = np.array(sorted(range(NUM_HANDS), key=grid_position)).reshape(NUM_RANKS, -1).tolist()

#: Characters of a tile, wide or narrow, and of a cell of the plain table.
_WIDE_TILE, _NARROW_TILE = 6, 5
_CELL_WIDTH = 6

#: From this share on, all of a hand is there.
_WHOLE = 0.95
_SMALL_LETTERS_BELOW = 0.5

# Lightness, chroma and hue (degrees) in the OKLCH colour space, where equal steps look equally
# large: of the values 0 and 1, and of actions. Lightness differs between any two actions that meet
# at a decision, so that colour-blind eyes tell them apart.
_Colour = tuple[float, float, float]
_DARKEST, _LIGHTEST = (0.32, 0.11, 285.0), (0.92, 0.17, 105.0)
_FOLD, _PASSIVE, _ALL_IN = (0.50, 0.13, 255.0), (0.72, 0.16, 150.0), (0.42, 0.16, 25.0)
_SMALLEST_RAISE, _LARGEST_RAISE = (0.84, 0.15, 85.0), (0.60, 0.20, 38.0)
_DARK_TEXT_FROM_LIGHTNESS = 0.55
_NUM_COLOURS = 100

# From OKLab to cones and from these to linear sRGB (Ottosson, 2020).
_CONES_OF_LAB = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_RGB_OF_CONES = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


@lru_cache
def blend_style(low: _Colour, high: _Colour, share: float) -> Style:
    """Returns a background between two OKLCH colours, and black or white text to read on it."""
    lightness, chroma, hue = np.array(low) + share * (np.array(high) - np.array(low))
    lab = lightness, chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))
    # What a screen cannot show is clipped.
    cones = (_CONES_OF_LAB * lab).sum(axis=1) ** 3
    linear = np.clip((_RGB_OF_CONES * cones).sum(axis=1), 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(255 * encoded).astype(int)
    text = "#000000" if lightness >= _DARK_TEXT_FROM_LIGHTNESS else "#ffffff"
    return Style(color=text, bgcolor=f"rgb({red},{green},{blue})")


def colour_style(step: int) -> Style:
    """Returns the style of one of the 101 evenly spaced colours from darkest to lightest."""
    return blend_style(_DARKEST, _LIGHTEST, step / _NUM_COLOURS)


def has_colours(console: Console | None = None) -> bool:
    """Returns whether backgrounds can be told apart on a console, by default that of results."""
    console = console or output()
    return console.color_system is not None and not console.no_color


class Cell(NamedTuple):
    """One hand of a grid.

    Attributes:
        word: in the plain table.
        tile_word: below the name of the hand in its tile.
        colours: of the tile from the right, with their shares; none for a hand without values.
        reach: how much of the hand is there: the tile is filled as far.
    """

    word: str = NO_VALUE
    tile_word: str = ""
    colours: Sequence[tuple[Style, float]] = ()
    reach: float = 1.0

    def styles(self, width: int) -> list[Style]:
        """Returns the style of each character of a tile."""
        if not self.colours:
            return [Style(dim=True)] * width
        filled = filled_width(width, self.reach)
        widths = share_out(filled, np.array([share for _, share in self.colours]))
        runs = reversed(list(zip(self.colours, widths, strict=True)))
        styles = [style for (style, _), length in runs for _ in range(length)]
        return styles + [Style()] * (width - filled)


def filled_width(width: int, reach: float) -> int:
    """Returns how many characters of a tile a hand fills: some, but all only if all of it comes."""
    return min(max(round(width * reach), 1), width if reach >= _WHOLE else width - 1)


def share_out(width: int, shares: FloatArray) -> list[int]:
    """Returns whole widths in proportion to shares, which add up to ``width``."""
    exact = width * shares / shares.sum()
    widths = np.floor(exact).astype(int)
    widths[np.argsort(widths - exact, kind="stable")[: width - widths.sum()]] += 1
    return [int(w) for w in widths]


@dataclass(frozen=True)
class HandGrid:
    """A grid that rich can print: tiles where there are colours, a plain table elsewhere.

    Below it stands how to read hands that are there in part.

    Attributes:
        cells: by canonical hand.
        is_mixed: whether tiles have several colours: a gap keeps them apart, and they are narrower
            if the console is.
    """

    cells: Sequence[Cell]
    is_mixed: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines of the grid, in the way that suits the console."""
        if has_colours(console):
            is_wide = not self.is_mixed or options.max_width >= NUM_RANKS * (_WIDE_TILE + 1)
            yield from self._tile_lines(_WIDE_TILE if is_wide else _NARROW_TILE)
        else:
            ranks = RANKS[::-1]
            yield Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in ranks))
            for rank, hands in zip(ranks, HANDS_BY_ROW, strict=True):
                words = (self.cells[hand].word.rjust(_CELL_WIDTH) for hand in hands)
                yield Text(rank + "".join(words))
        if caption := self.caption(has_colours(console)):
            yield Text(caption, style="dim")

    def _tile_lines(self, width: int) -> RenderResult:
        for hands in HANDS_BY_ROW:
            names, words = Text(no_wrap=True), Text(no_wrap=True)
            for hand in hands:
                styles = self.cells[hand].styles(width)
                for line, text in ((names, HAND_NAMES[hand]), (words, self.cells[hand].tile_word)):
                    padded = (" " * (width - _NARROW_TILE) + text).ljust(width)
                    runs = groupby(zip(styles, padded, strict=True), lambda pair: pair[0])
                    for style, run in runs:
                        line.append("".join(letter for _, letter in run), style)
                    line.append(" " * self.is_mixed)
            yield from (names, words)

    def caption(self, is_coloured: bool) -> str:
        """Returns how to read hands that come in part only; empty if there are none."""
        least = min((cell.reach for cell in self.cells if cell.colours), default=1.0)
        if is_coloured:
            return "a tile is filled as far as its hand gets here" if least < _WHOLE else ""
        is_small = self.is_mixed and least < _SMALL_LETTERS_BELOW
        return "small letters: less than half of the hand gets here" if is_small else ""


def value_grid(
    values: FloatArray,
    texts: Sequence[str] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    reach: FloatArray | None = None,
) -> HandGrid:
    """Returns a grid of numbers.

    Args:
        values: ``[169]`` fractions by canonical hand, shown as percent; NaN means no value, which
            is a tile without colour and number, or a dash in the plain table.
        texts: what stands in the cells instead of percent, at most 5 characters each.
        bounds: the values of the darkest and of the lightest colour, which what is beyond has, too.
        reach: ``[169]`` how much of each hand is there; all by default.
    """
    low, high = bounds
    cells = []
    for hand, value in enumerate(values.tolist()):
        if math.isnan(value):
            cells.append(Cell())
            continue
        share = (value - low) / (high - low) if high > low else 0.5
        style = colour_style(round(_NUM_COLOURS * min(max(share, 0.0), 1.0)))
        text = format_cell(value) if texts is None else texts[hand]
        is_there = 1.0 if reach is None else float(reach[hand])
        cells.append(Cell(text, text, [(style, 1.0)], is_there))
    return HandGrid(cells)


_LETTERS = {
    ActionKind.FOLD: "F",
    ActionKind.CHECK: "X",
    ActionKind.CALL: "C",
    ActionKind.ALL_IN: "A",
}
_SIZED_LETTERS = {ActionKind.BET: "BDEGHI", ActionKind.RAISE: "RSTUVW"}


class GridAction(NamedTuple):
    """How an action looks: the letter that stands for it in cells, its words, and its colour."""

    letter: str
    label: str
    style: Style

    def swatch(self) -> Text:
        """Returns the letter on its colour, if there are colours."""
        return Text(f" {self.letter} ", self.style) if has_colours() else Text(self.letter)


def grid_actions(kinds: Sequence[ActionKind], labels: Sequence[str]) -> list[GridAction]:
    """Returns letters and colours for the actions of a decision, bets or raises by rising size."""
    raises = [number for number, kind in enumerate(kinds) if kind in _SIZED_LETTERS]
    actions = []
    for number, (kind, label) in enumerate(zip(kinds, labels, strict=True)):
        if number in raises:
            rank, letters = raises.index(number), _SIZED_LETTERS[kind]
            share = rank / (len(raises) - 1) if len(raises) > 1 else 0.4
            style = blend_style(_SMALLEST_RAISE, _LARGEST_RAISE, share)
            actions.append(GridAction(letters[min(rank, len(letters) - 1)], label, style))
        else:
            colour = {ActionKind.FOLD: _FOLD, ActionKind.ALL_IN: _ALL_IN}.get(kind, _PASSIVE)
            actions.append(GridAction(_LETTERS[kind], label, blend_style(colour, colour, 0.0)))
    return actions


def node_actions(node: Node) -> list[GridAction]:
    """Returns letters and colours of a node's actions."""
    return grid_actions(
        [action.kind for action in node.actions], [action.label for action in node.actions]
    )


def strategy_grid(
    actions: Sequence[GridAction], probability: FloatArray, reach: FloatArray
) -> HandGrid:
    """Returns a grid of what hands do: the likeliest action, how likely, and what else mostly.

    Both ``probability[A, 169]`` and ``reach[169]``, how much of a hand gets to the decision, are by
    canonical hand; hands that never do, or NaN, are blank.
    """
    cells = []
    for hand, is_there in enumerate(reach.tolist()):
        if not is_there >= SMALLEST_REACH:
            cells.append(Cell())
            continue
        played = probability[:, hand]
        first, *others = np.argsort(-played, kind="stable").tolist()
        percent = round(100 * float(played[first]))
        mix = actions[first].letter
        if percent < 100 and others:
            mix = f"{mix}{percent} {actions[others[0]].letter}"
        styles = [action.style for action in actions]
        colours = list(zip(styles, played.tolist(), strict=True))
        word = mix.lower() if is_there < _SMALL_LETTERS_BELOW else mix
        # The colour says what a hand does that always does the same.
        cells.append(Cell(word, mix if len(mix) > 1 else "", colours, is_there))
    return HandGrid(cells, is_mixed=True)


def legend(actions: Sequence[GridAction], frequencies: Sequence[float]) -> Text:
    """Returns a line with letter, words and frequency of every action, NaN if it is never seen."""
    parts = []
    for action, frequency in zip(actions, frequencies, strict=True):
        often = "never seen" if math.isnan(frequency) else format_percent(frequency, 1)
        parts.append(Text.assemble(action.swatch(), f" {action.label} {often}"))
    return Text("   ").join(parts)


#: How EVs are counted before the flop.
NET = "since the start, what was put in counts as spent"

_WORDS = {
    Measure.EV: "EV in {unit}",
    Measure.EQUITY: "equity in %",
    Measure.EQR: "EQR, the EV in % of what equity would give",
    Measure.REACH: "reach, the % of each hand that gets here",
}


def grid_parts(node: Node, player: int, measure: Measure | None) -> list[RenderableType]:
    """Returns the grid of a player's hands: by default what they do, or how much arrives."""
    if node.actor != player or measure not in (None, Measure.STRATEGY):
        return measure_parts(node, player, measure or Measure.REACH)
    played = hand_strategy(node)
    # Hands that meet no hand do nothing.
    reach = np.where(np.isnan(played).any(axis=0), 0.0, hand_reach(node, player))
    return [strategy_grid(node_actions(node), np.nan_to_num(played), reach)]


def measure_parts(
    node: Node, player: int, measure: Measure, other: Node | None = None
) -> list[RenderableType]:
    """Returns what the grid of a player's hands shows, less the values of another node, and it."""
    what = f"{node.players[player]}'s hands: {describe_measure(node, measure)}"
    values, reach = measured(node, player, measure), np.nan_to_num(hand_reach(node, player))
    is_amount = measure is Measure.EV
    if other is not None:
        values = values - measured(other, player, measure)
        texts = [_signed(value, is_amount) for value in values.tolist()]
        largest = max(map(abs, _bounds(values)))
        reach = np.fmin(reach, np.nan_to_num(hand_reach(other, player)))
        grid = value_grid(values, texts, (-largest, largest), reach)
        return [bold(f"difference, {what}"), grid]
    is_share = measure in (Measure.EQUITY, Measure.REACH)
    texts = list(map(format_amount_cell if is_amount else format_cell, values.tolist()))
    bounds = (0.0, 1.0) if is_share else _bounds(values)
    return [bold(what), value_grid(values, texts, bounds, reach)]


def describe_measure(node: Node, measure: Measure) -> str:
    """Returns what the grid of a measure shows, with its unit."""
    words = _WORDS[measure].format(unit=node.unit.value)
    is_net = measure is Measure.EV and node.is_net
    return f"{words}, {NET}" if is_net else words


def measured(node: Node, player: int, measure: Measure) -> FloatArray:
    """Returns ``[169]`` a measure of the hands that arrive, NaN for others."""
    values = hand_values(node, player, measure)
    if measure is Measure.REACH:
        return values
    return np.where(hand_reach(node, player) >= SMALLEST_REACH, values, np.nan)


def _bounds(values: FloatArray) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def format_cell(share: float) -> str:
    """Returns a share as percent in at most five characters: ``82.0``, ``100``, ``9999``."""
    if math.isnan(share):
        return ""
    percent = 100 * min(share, 99.99)
    return f"{percent:.1f}" if 0.0 < share < 1.0 else f"{round(percent)}"


def format_amount_cell(amount: float) -> str:
    """Returns an amount in at most five characters: ``-0.31``, ``106.0``, ``1234``, ``12k``."""
    if math.isnan(amount):
        return ""
    for decimals, limit in ((2, 9.995), (1, 99.95), (0, 9999.5)):
        if abs(amount) < limit:
            return f"{round(amount, decimals) + 0.0:.{decimals}f}"
    return f"{amount / 1000:.0f}k"


def _signed(difference: float, is_amount: bool) -> str:
    if math.isnan(difference):
        return ""
    text = format_amount_cell(abs(difference)) if is_amount else format_cell(abs(difference))
    if float(text.removesuffix("k")) == 0.0:
        return "0"
    return ("+" if difference > 0.0 else "-") + text
