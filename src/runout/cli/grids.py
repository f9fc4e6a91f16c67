"""The 13x13 grid of hands: AA top left, suited above the diagonal, of values or of strategies.

Cells say everything in letters and numbers, so that the grid reads the same in a pipe, a log or
with ``NO_COLOR``. The tile of a hand that arrives in part is filled in part.

Colours of values run from dark blue to light yellow with rising lightness, so that they keep their
order for colour-blind eyes and in grey. Of strategies, folds are blue, checks and calls green,
raises warm and the darker the larger. A mixed hand is filled in proportion: ``R63 C`` raises 63 %
and mostly calls otherwise; letters are small if less than half of the hand arrives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import HAND_GRID, HAND_NAMES, NUM_HANDS, RANKS
from runout.cli.console import output
from runout.cli.formatting import NO_VALUE
from runout.solutions.node import SMALLEST_REACH
from runout.trees.actions import ActionKind

#: Characters of a cell; a mixed tile leaves one of them free.
_CELL_WIDTH = 6

#: From this share on, all of a hand is there.
_WHOLE = 0.95
_SMALL_LETTERS_BELOW = 0.5

#: Evenly spaced backgrounds, between which colours are blended: of the values from 0 to 1, of
#: raises by size, and of single actions. Any two actions of a decision differ in lightness.
_VALUES = ("#2f2667", "#005592", "#0087a3", "#00b497", "#81d673", "#f6ea4d")
_RAISES = ("#f7c243", "#f08600", "#dd4300")
_FOLD, _PASSIVE, _ALL_IN = ("#2863ab",), ("#4ac06c",), ("#90101a",)
#: White and black text are equally readable on a background of this luminance.
_DARK_TEXT_FROM = 0.179


@lru_cache
def blend_style(scale: tuple[str, ...], share: float) -> Style:
    """Returns a background of a scale, and black or white text that is readable on it."""
    anchors = np.array([Color.parse(colour).get_truecolor() for colour in scale])
    places = np.linspace(0.0, 1.0, len(scale))
    rgb = np.array([np.interp(share, places, channel) for channel in anchors.T]).round()
    luminance = (np.array([0.2126, 0.7152, 0.0722]) * (rgb / 255.0) ** 2.2).sum()
    text = "#000000" if luminance >= _DARK_TEXT_FROM else "#ffffff"
    return Style(color=text, bgcolor=Color.from_rgb(*rgb))


def value_style(share: float) -> Style:
    """Returns the style of a value in whole percent from 0, the darkest, to 1, or beyond."""
    return blend_style(_VALUES, round(min(max(share, 0.0), 1.0), 2))


def has_colours(console: Console) -> bool:
    """Returns whether backgrounds can be told apart on a console."""
    return console.color_system is not None and not console.no_color


class Cell(NamedTuple):
    """One hand of a grid: a word for the plain table, and one below its name in its tile.

    Colours of the tile are from the right, with their shares; none for a hand without values. The
    tile is filled as far as the hand is there.
    """

    word: str = NO_VALUE
    tile_word: str = ""
    colours: Sequence[tuple[Style, float]] = ()
    reach: float = 1.0

    def runs(self, width: int) -> list[tuple[Style, int]]:
        """Returns the styles of a tile from the left, with the characters that each takes.

        Some of it is filled whatever arrives, and all of it only if all of the hand does.
        """
        if not self.colours:
            return [(Style(dim=True), width)]
        most = width if self.reach >= _WHOLE else width - 1
        filled = min(max(round(width * self.reach), 1), most)
        styles, shares = zip(*reversed(self.colours), strict=True)
        ends = np.rint(filled * np.cumsum(shares) / sum(shares)).astype(int)
        sizes = np.diff(ends, prepend=0, append=width).tolist()
        return list(zip((*styles, Style()), sizes, strict=True))


@dataclass(frozen=True)
class HandGrid:
    """A grid that rich can print: tiles where there are colours, a plain table elsewhere.

    A line below it explains hands that arrive in part. Cells are by canonical hand. A gap keeps
    mixed tiles apart, which have several colours.
    """

    cells: Sequence[Cell]
    is_mixed: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines of the grid, in the form that suits the console."""
        if has_colours(console):
            for hands in HAND_GRID:
                yield self._tile_line(hands, [HAND_NAMES[hand] for hand in hands])
                yield self._tile_line(hands, [self.cells[hand].tile_word for hand in hands])
        else:
            ranks = RANKS[::-1]
            yield Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in ranks))
            for rank, hands in zip(ranks, HAND_GRID, strict=True):
                words = [self.cells[hand].word.rjust(_CELL_WIDTH) for hand in hands]
                yield Text(rank + "".join(words))
        if caption := self.caption(has_colours(console)):
            yield Text(caption, style="dim")

    def _tile_line(self, hands: Sequence[int], words: Sequence[str]) -> Text:
        """Returns the names of a row of hands, or the words below them, on their colours."""
        line, gap = Text(no_wrap=True), " " * self.is_mixed
        for hand, word in zip(hands, words, strict=True):
            padded = word.ljust(_CELL_WIDTH - 1) if self.is_mixed else f" {word}".ljust(_CELL_WIDTH)
            for style, size in self.cells[hand].runs(len(padded)):
                line.append(padded[:size], style)
                padded = padded[size:]
            line.append(gap)
        return line

    def caption(self, is_coloured: bool) -> str:
        """Returns how to read hands that arrive in part; empty if there are none."""
        least = min((cell.reach for cell in self.cells if cell.colours), default=1.0)
        if is_coloured:
            return "a tile is filled as far as its hand arrives" if least < _WHOLE else ""
        is_small = self.is_mixed and least < _SMALL_LETTERS_BELOW
        return "small letters: less than half of the hand arrives" if is_small else ""


def value_grid(
    values: FloatArray,
    texts: Sequence[str] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    reach: FloatArray | None = None,
) -> HandGrid:
    """Returns a grid of ``values[169]`` by canonical hand, as percent or texts of 5 characters.

    NaN means no value: a tile without colour and number, or a dash in the plain table. The bounds
    are the values of the darkest and of the lightest colour. ``reach[169]`` is how much of each
    hand is there; all by default.
    """
    low, high = bounds
    cells = [Cell()] * NUM_HANDS
    for hand in np.flatnonzero(~np.isnan(values)).tolist():
        value = float(values[hand])
        style = value_style((value - low) / (high - low) if high > low else 0.5)
        text = format_cell(value) if texts is None else texts[hand]
        is_there = 1.0 if reach is None else float(reach[hand])
        cells[hand] = Cell(text, text, [(style, 1.0)], is_there)
    return HandGrid(cells)


_LETTERS = {
    ActionKind.FOLD: ("F", _FOLD),
    ActionKind.CHECK: ("X", _PASSIVE),
    ActionKind.CALL: ("C", _PASSIVE),
    ActionKind.ALL_IN: ("A", _ALL_IN),
}
_SIZED_LETTERS = {ActionKind.BET: "BDEGHI", ActionKind.RAISE: "RSTUVW"}


class GridAction(NamedTuple):
    """The look of an action: the letter that stands for it in cells, and its colour."""

    letter: str
    style: Style

    def swatch(self) -> Text:
        """Returns the letter on its colour, if there are colours."""
        is_coloured = has_colours(output())
        return Text(f" {self.letter} ", self.style) if is_coloured else Text(self.letter)


def grid_actions(kinds: Sequence[ActionKind]) -> list[GridAction]:
    """Returns letters and colours for the actions of a decision, bets or raises by rising size."""
    num_raises = sum(kind in _SIZED_LETTERS for kind in kinds)
    actions: list[GridAction] = []
    rank = 0
    for kind in kinds:
        if letters := _SIZED_LETTERS.get(kind):
            share = rank / (num_raises - 1) if num_raises > 1 else 0.4
            letter, style = letters[min(rank, len(letters) - 1)], blend_style(_RAISES, share)
            rank += 1
        else:
            letter, colour = _LETTERS[kind]
            style = blend_style(colour, 0.0)
        actions.append(GridAction(letter, style))
    return actions


def strategy_grid(
    actions: Sequence[GridAction], probability: FloatArray, reach: FloatArray
) -> HandGrid:
    """Returns a grid of strategies: the likeliest action, how likely, and the second likeliest.

    Both ``probability[A, 169]`` and ``reach[169]``, how much of a hand arrives at the decision, are
    by canonical hand; hands that never arrive, or NaN, are blank.
    """
    cells = []
    for hand, is_there in enumerate(reach.tolist()):
        played = probability[:, hand]
        if not is_there >= SMALLEST_REACH or np.isnan(played).any():
            cells.append(Cell())
            continue
        first, *others = np.argsort(-played, kind="stable").tolist()
        percent = round(100 * float(played[first]))
        mix = actions[first].letter
        if percent < 100 and others:
            mix = f"{mix}{percent} {actions[others[0]].letter}"
        colours = list(zip((action.style for action in actions), played.tolist(), strict=True))
        word = mix.lower() if is_there < _SMALL_LETTERS_BELOW else mix
        # The colour alone says what a pure hand does.
        cells.append(Cell(word, mix if len(mix) > 1 else "", colours, is_there))
    return HandGrid(cells, is_mixed=True)


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
