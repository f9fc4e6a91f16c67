"""The 13x13 grid of what every hand does at a decision, and its legend.

Folds are blue, checks and calls green, raises warm and the darker the larger. A mixed hand is
filled in proportion, and always says it in letters too: ``R63 C`` raises 63 %, and mostly calls
otherwise. So the grid says the same in a pipe, a log or with ``NO_COLOR``. Of a hand that comes in
part only, the tile is filled in part, and letters are small if that is less than half.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from runout.arrays import BoolArray, FloatArray
from runout.cards.canonical_hands import HAND_NAMES
from runout.cards.card import NUM_RANKS, RANKS
from runout.cli.formatting import format_percent
from runout.cli.grid import HANDS_BY_ROW, fill_caption, filled_width, has_colours, style_of_oklch
from runout.cli.solutions import SMALLEST_REACH
from runout.trees.actions import ActionKind

#: Characters of a tile, wide or narrow. A gap follows, so that mixed hands do not run into each
#: other.
_WIDE_TILE, _NARROW_TILE = 6, 5
_CELL_WIDTH = _NARROW_TILE + 1
_NO_HAND = "-"
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
        if not has_colours(console):
            yield from self._table()
            return
        is_wide = options.max_width >= NUM_RANKS * (_WIDE_TILE + 1)
        yield from self._tiles(_WIDE_TILE if is_wide else _NARROW_TILE)

    def _tiles(self, width: int) -> list[Text]:
        lines = []
        for hands in HANDS_BY_ROW:
            names, mixes = Text(no_wrap=True), Text(no_wrap=True)
            for hand in hands:
                styles = self._fill(hand, width)
                mix = self._mix(hand, if_absent="")
                # The colour says what a hand does that always does the same.
                mix = mix if len(mix) > 1 else ""
                for line, words in ((names, HAND_NAMES[hand]), (mixes, mix)):
                    padded = words.rjust(len(words) + width - _NARROW_TILE).ljust(width)
                    for letter, style in zip(padded, styles, strict=True):
                        line.append(letter, style)
                    line.append(" ")
            lines += [names, mixes]
        return lines

    def _table(self) -> list[Text]:
        ranks = RANKS[::-1]
        lines = [Text(" " + "".join(rank.rjust(_CELL_WIDTH) for rank in ranks))]
        for rank, hands in zip(ranks, HANDS_BY_ROW, strict=True):
            cells = [self._word(hand).rjust(_CELL_WIDTH) for hand in hands]
            lines.append(Text(rank + "".join(cells)))
        return lines

    def _word(self, hand: int) -> str:
        mix = self._mix(hand, _NO_HAND)
        return mix.lower() if self.reach[hand] < _SMALL_LETTERS_BELOW else mix

    def _fill(self, hand: int, width: int) -> list[Style]:
        """Returns the style of each character of a tile, the largest action first."""
        if not self.is_present[hand]:
            return [Style(dim=True)] * width
        filled = filled_width(width, float(self.reach[hand]))
        widths = share_out(filled, self.probability[:, hand])
        styles: list[Style] = []
        for action, share in reversed(list(zip(self.actions, widths, strict=True))):
            styles += [action.style] * share
        return styles + [Style()] * (width - filled)

    def _mix(self, hand: int, if_absent: str) -> str:
        """Returns the likeliest action, and how likely and what else it is unless it is all."""
        if not self.is_present[hand]:
            return if_absent
        probability = self.probability[:, hand]
        order: list[int] = np.argsort(-probability, kind="stable").tolist()
        first, *others = order
        percent = round(100 * float(probability[first]))
        if percent >= 100 or not others:
            return self.actions[first].letter
        return f"{self.actions[first].letter}{percent} {self.actions[others[0]].letter}"


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
