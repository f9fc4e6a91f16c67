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
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from runout.arrays import BoolArray, FloatArray
from runout.cards.deck import HAND_NAMES, NUM_HANDS, NUM_RANKS, RANKS, grid_position
from runout.cli.formatting import format_cell, format_percent
from runout.cli.options import SMALLEST_REACH
from runout.solutions.node import Measure, Node, hand_reach, hand_values
from runout.trees.actions import ActionKind

#: Canonical hands by row of the grid, from left to right.
HANDS_BY_ROW = [
    sorted((hand for hand in range(NUM_HANDS) if grid_position(hand)[0] == row), key=grid_position)
    for row in range(NUM_RANKS)
]
#: Characters of a tile, wide or narrow, and of a cell of the plain table.
_WIDE_TILE, _NARROW_TILE = 6, 5
_CELL_WIDTH = 6

# Lightness, chroma and hue (degrees) of the values 0 and 1 in the OKLCH colour space, where equal
# steps look equally large.
_DARKEST = (0.32, 0.11, 285.0)
_LIGHTEST = (0.92, 0.17, 105.0)
_DARK_TEXT_FROM_LIGHTNESS = 0.55
_NUM_COLOURS = 100

#: From this share on, all of a hand is there.
_WHOLE = 0.95
_NO_VALUE = "-"


class _Cell(NamedTuple):
    """One hand of a grid.

    Attributes:
        word: in the plain table.
        tile_word: below the name of the hand in its tile.
        colours: of the tile from the right, with their shares; none for a hand without values.
        reach: how far the tile is filled.
    """

    word: str
    tile_word: str
    colours: Sequence[tuple[Style, float]]
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


def _plain_lines(cells: Sequence[_Cell]) -> list[Text]:
    ranks = RANKS[::-1]
    lines = [Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in ranks))]
    for rank, hands in zip(ranks, HANDS_BY_ROW, strict=True):
        lines.append(Text(rank + "".join(cells[hand].word.rjust(_CELL_WIDTH) for hand in hands)))
    return lines


def _tile_lines(cells: Sequence[_Cell], width: int, gap: str) -> list[Text]:
    lines = []
    for hands in HANDS_BY_ROW:
        names, words = Text(no_wrap=True), Text(no_wrap=True)
        for hand in hands:
            styles = cells[hand].styles(width)
            for line, text in ((names, HAND_NAMES[hand]), (words, cells[hand].tile_word)):
                padded = (" " * (width - _NARROW_TILE) + text).ljust(width)
                for style, run in groupby(zip(styles, padded, strict=True), lambda pair: pair[0]):
                    line.append("".join(letter for _, letter in run), style)
                line.append(gap)
        lines += [names, words]
    return lines


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
        cells = [self._cell(hand) for hand in range(NUM_HANDS)]
        is_tiled = has_colours(console)
        yield from _tile_lines(cells, _WIDE_TILE, "") if is_tiled else _plain_lines(cells)

    def _cell(self, hand: int) -> _Cell:
        value = float(self.values[hand])
        if math.isnan(value):
            return _Cell(_NO_VALUE, "", ())
        low, high = self.bounds
        share = (value - low) / (high - low) if high > low else 0.5
        style = colour_style(round(_NUM_COLOURS * min(max(share, 0.0), 1.0)))
        text = format_cell(value) if self.texts is None else self.texts[hand]
        reach = 1.0 if self.reach is None else float(self.reach[hand])
        return _Cell(text, text, [(style, 1.0)], reach)


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


#: How EVs are counted before the flop.
NET = "all in all, blinds included"

_WORDS = {
    Measure.EV: "EV in {unit}",
    Measure.EQUITY: "equity in %",
    Measure.EQR: "EQR, the EV in % of what equity would give",
    Measure.REACH: "reach, the % of each hand that gets here",
}


def print_measure(
    console: Console, node: Node, player: int, measure: Measure, other: Node | None = None
) -> None:
    """Prints what the grid shows, and the grid of a player's hands.

    Args:
        console: where.
        node: what is shown.
        player: whose hands.
        measure: what of them.
        other: a node whose values are subtracted.
    """
    what = f"{node.players[player]}'s hands: {describe_measure(node, measure)}"
    values, reach = measured(node, player, measure), np.nan_to_num(hand_reach(node, player))
    write = format_amount_cell if measure is Measure.EV else format_share_cell
    if other is not None:
        console.print(f"difference, {what}", style="bold")
        values = values - measured(other, player, measure)
        texts = [_signed(value, measure is Measure.EV) for value in values.tolist()]
        largest = max(map(abs, _bounds(values)))
        reach = np.fmin(reach, np.nan_to_num(hand_reach(other, player)))
        console.print(HandGrid(values, texts, (-largest, largest), reach))
        return
    console.print(what, style="bold", soft_wrap=True)
    is_share = measure in (Measure.EQUITY, Measure.REACH)
    bounds = (0.0, 1.0) if is_share else _bounds(values)
    console.print(HandGrid(values, [write(value) for value in values.tolist()], bounds, reach))
    caption = fill_caption(reach[~np.isnan(values)])
    if caption and has_colours(console):
        console.print(caption, style="dim")


def describe_measure(node: Node, measure: Measure) -> str:
    """Returns what the grid of a measure shows, with its unit."""
    words = _WORDS[measure].format(unit=node.unit.value)
    is_net = measure is Measure.EV and node.street is None
    return f"{words}, {NET}" if is_net else words


def range_ev(node: Node, player: int) -> float:
    """Returns the EV of a range; before the flop what it wins all in all, as `show` counts."""
    return node.range_ev(player) - (node.invested[player] if node.street is None else 0.0)


def measured(node: Node, player: int, measure: Measure) -> FloatArray:
    """Returns ``[169]`` a measure of the hands that arrive; of those that do not, nothing."""
    values = hand_values(node, player, measure)
    if measure is Measure.REACH:
        return values
    if measure is Measure.EV and node.street is None:
        values = values - node.invested[player]
    return np.where(hand_reach(node, player) >= SMALLEST_REACH, values, np.nan)


def _bounds(values: FloatArray) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def format_share_cell(share: float) -> str:
    """Returns a share as percent in at most five characters."""
    return "" if math.isnan(share) else format_cell(min(share, 99.99))


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


_SMALL_LETTERS_BELOW = 0.5
_LETTERS = {
    ActionKind.FOLD: "F",
    ActionKind.CHECK: "X",
    ActionKind.CALL: "C",
    ActionKind.ALL_IN: "A",
}
_SIZED_LETTERS = {ActionKind.BET: "BDEGHI", ActionKind.RAISE: "RSTUVW"}

# Lightness, chroma and hue in the OKLCH colour space. Lightness differs between any two that meet
# at a decision, so that colour-blind eyes tell them apart.
_FOLD = (0.50, 0.13, 255.0)
_PASSIVE = (0.72, 0.16, 150.0)
_SMALLEST_RAISE = (0.84, 0.15, 85.0)
_LARGEST_RAISE = (0.60, 0.20, 38.0)
_ALL_IN = (0.42, 0.16, 25.0)


@dataclass(frozen=True)
class GridAction:
    """How an action looks.

    Attributes:
        letter: stands for it in cells.
        label: in words.
        colour: lightness, chroma and hue.
    """

    letter: str
    label: str
    colour: tuple[float, float, float]

    @property
    def style(self) -> Style:
        """Text and background of cells where it is taken."""
        return style_of_oklch(*self.colour)


def grid_actions(kinds: Sequence[ActionKind], labels: Sequence[str]) -> list[GridAction]:
    """Returns letters and colours for the actions of a decision, bets or raises by rising size.

    Args:
        kinds: what they are.
        labels: how they read.
    """
    raises = [number for number, kind in enumerate(kinds) if kind in _SIZED_LETTERS]
    actions = []
    for number, (kind, label) in enumerate(zip(kinds, labels, strict=True)):
        if number in raises:
            rank = raises.index(number)
            letters = _SIZED_LETTERS[kind]
            letter = letters[min(rank, len(letters) - 1)]
            actions.append(GridAction(letter, label, _raise_colour(rank, len(raises))))
        else:
            colour = {ActionKind.FOLD: _FOLD, ActionKind.ALL_IN: _ALL_IN}.get(kind, _PASSIVE)
            actions.append(GridAction(_LETTERS[kind], label, colour))
    return actions


def _raise_colour(rank: int, num_raises: int) -> tuple[float, float, float]:
    share = rank / (num_raises - 1) if num_raises > 1 else 0.4
    low, high = np.array(_SMALLEST_RAISE), np.array(_LARGEST_RAISE)
    lightness, chroma, hue = (low + share * (high - low)).tolist()
    return lightness, chroma, hue


@dataclass(frozen=True, eq=False)
class StrategyGrid:
    """A grid that rich can print: tiles where there are colours, a plain table elsewhere.

    Attributes:
        actions: of the decision.
        probability: ``[A, 169]`` of each action by canonical hand.
        reach: ``[169]`` how much of each hand gets to the decision; those that never do are blank.
    """

    actions: Sequence[GridAction]
    probability: FloatArray
    reach: FloatArray

    @property
    def is_present(self) -> BoolArray:
        """``[169]`` whether a hand ever gets to the decision."""
        return self.reach >= SMALLEST_REACH  # not where it is NaN

    def caption(self, console: Console) -> str:
        """Returns how to read hands that come in part only; empty if there are none."""
        reach = self.reach[self.is_present]
        if has_colours(console):
            return fill_caption(reach)
        is_rare = bool((reach < _SMALL_LETTERS_BELOW).any())
        return "small letters: less than half of the hand gets here" if is_rare else ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines of the grid, in the way that suits the console."""
        cells = [self._cell(hand) for hand in range(NUM_HANDS)]
        if not has_colours(console):
            yield from _plain_lines(cells)
            return
        # A gap follows each tile, so that mixed hands do not run into each other.
        is_wide = options.max_width >= NUM_RANKS * (_WIDE_TILE + 1)
        yield from _tile_lines(cells, _WIDE_TILE if is_wide else _NARROW_TILE, " ")

    def _cell(self, hand: int) -> _Cell:
        """Returns the likeliest action, and how likely and what else it is unless it is all."""
        if not self.is_present[hand]:
            return _Cell(_NO_VALUE, "", ())
        probability, reach = self.probability[:, hand], float(self.reach[hand])
        first, *others = np.argsort(-probability, kind="stable").tolist()
        percent = round(100 * float(probability[first]))
        mix = self.actions[first].letter
        if percent < 100 and others:
            mix = f"{mix}{percent} {self.actions[others[0]].letter}"
        styles = [action.style for action in self.actions]
        colours = list(zip(styles, probability.tolist(), strict=True))
        word = mix.lower() if reach < _SMALL_LETTERS_BELOW else mix
        # The colour says what a hand does that always does the same.
        return _Cell(word, mix if len(mix) > 1 else "", colours, reach)


def legend(console: Console, actions: Sequence[GridAction], frequencies: Sequence[float]) -> Text:
    """Returns a line with letter, words and frequency of every action.

    Args:
        console: where it is printed; without colours letters have no background.
        actions: of a decision.
        frequencies: how often each is taken; NaN where nobody ever gets there.
    """
    parts = []
    for action, frequency in zip(actions, frequencies, strict=True):
        often = "never seen" if math.isnan(frequency) else format_percent(frequency, 1)
        swatch = (f" {action.letter} ", action.style) if has_colours(console) else action.letter
        parts.append(Text.assemble(swatch, f" {action.label} {often}"))
    return Text("   ").join(parts)


def share_out(width: int, shares: FloatArray) -> list[int]:
    """Returns whole widths in proportion to shares, which add up to ``width``."""
    exact = width * shares / shares.sum()
    widths = np.floor(exact).astype(int)
    for number in np.argsort(widths - exact, kind="stable")[: width - widths.sum()]:
        widths[number] += 1
    return [int(w) for w in widths]
