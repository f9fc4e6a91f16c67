"""Ranges: how often a player holds each combo, and the text players write them in."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from runout.arrays import FloatArray, IntArray, read_only
from runout.cards.deck import (
    COMBO_HAS_CARD,
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_BY_RANKS,
    HAND_GRID,
    HAND_NAMES,
    HAND_RANKS,
    NUM_COMBOS,
    NUM_HANDS,
    NUM_RANKS,
    RANKS,
    SUITS,
    format_cards,
    format_combo,
    has_ten_in_digits,
    parse_combo,
    require_distinct,
)
from runout.errors import CardError, RangeError, quote

#: Longer texts are cut in the representation of a range.
_MAX_TEXT_IN_REPR = 40
SMALLEST_WEIGHT = 1e-30  #: less counts as 0: 32-bit numbers lose their digits there


class Range:
    """How often a player holds each of the 1,326 combos: an immutable value.

    A range is read from text in any notation in use, or made of ``[1326]`` weights; where groups of
    a text overlap, the earliest wins. Two ranges are equal if all their weights are. ``a | b``
    keeps the larger weight of each combo, ``a & b`` the smaller, ``a - b`` what ``b`` leaves of
    ``a``, and ``~a`` is everything else; ``"AKs" in a`` asks whether ``a`` holds all of some hands.

    >>> import runout
    >>> hands = runout.Range("22+,A2s+,KTo-K8o,AKo:0.5")
    >>> hands
    <Range 22+,A2s+,AKo:0.5,KTo-K8o: 168 combos, 12.67%>
    >>> str(hands - runout.Range("22-99")), "AA" in hands
    ('TT+,A2s+,AKo:0.5,KTo-K8o', True)

    Args:
        hands: text (groups such as ``QQ``, ``AKs``, ``AK``, ``A2s+``, ``KTo-K8o``, ``AhKh``,
            ``20%`` or ``random``, each with a weight such as ``:0.5`` or else 1), another range,
            or ``[1326]`` shares of the time, 0 to 1, that the combo is in the range.

    Raises:
        RangeError: naming the group that cannot be read, or the first combo whose weight is not
            a number from 0 to 1.
    """

    __slots__ = ("_weights",)

    def __init__(self, hands: "str | Range | npt.ArrayLike") -> None:
        if isinstance(hands, Range):
            self._weights = hands.weights
        else:
            self._weights = _read_text(hands) if isinstance(hands, str) else _check(hands)

    @property
    def weights(self) -> FloatArray:
        """``[1326]`` share of the time, 0 to 1, that each combo is in the range; read-only."""
        return self._weights

    @property
    def num_combos(self) -> float:
        """Sum of all weights, 0 to 1,326."""
        return float(self.weights.sum())

    @property
    def percentage(self) -> float:
        """Share of all 1,326 combos that is in the range, 0 to 100."""
        return 100.0 * self.num_combos / NUM_COMBOS

    @property
    def is_empty(self) -> bool:
        """Whether no combo has a positive weight."""
        return not self.weights.any()

    def hand_weights(self) -> FloatArray:
        """Returns ``[169]`` the mean weight of each canonical hand over its 4, 6 or 12 combos."""
        return np.bincount(HAND_BY_COMBO, self.weights) / np.bincount(HAND_BY_COMBO)

    def without_cards(self, dead_cards: Sequence[int]) -> "Range":
        """Returns the range without the combos that hold a dead card; other weights stay."""
        require_distinct(dead_cards)
        return Range(np.where(COMBO_HAS_CARD[:, list(dead_cards)].any(axis=1), 0.0, self.weights))

    def live_on(self, board: Sequence[int], where: str = "range") -> "Range":
        """Returns what a board leaves of the range."""
        if self.is_empty:
            raise RangeError(where, "every weight is 0, no combo is left")
        left = self.without_cards(board)
        if left.is_empty:
            name = format_cards(board)
            shared = format_cards(card for card in self.common_cards() if card in board)
            reason = f"{shared} is on the board {name}" if shared else ""
            raise RangeError(where, reason or f"the board {name} blocks every combo")
        return left

    def common_cards(self) -> tuple[int, ...]:
        """Returns the cards that every combo of the range holds; two for a single combo."""
        held = COMBO_HAS_CARD[self.weights > 0.0].all(axis=0)
        return tuple(np.flatnonzero(held).tolist())

    def __or__(self, other: "Range") -> "Range":
        return Range(np.maximum(self.weights, other.weights))

    def __and__(self, other: "Range") -> "Range":
        return Range(np.minimum(self.weights, other.weights))

    def __sub__(self, other: "Range") -> "Range":
        return Range(np.maximum(self.weights - other.weights, 0.0))

    def __invert__(self) -> "Range":
        return Range(1.0 - self.weights)

    def __contains__(self, hands: "str | Range") -> bool:
        return bool((self.weights >= Range(hands).weights).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __reduce__(self) -> tuple[type["Range"], tuple[FloatArray]]:
        return Range, (self.weights,)

    def __str__(self) -> str:
        return _write_text(self.weights)

    def to_text(self, notation: "Notation") -> str:
        """Writes the range in another notation, with 6 decimals of a weight.

        ``pio`` is hand by hand, ``gto+`` has brackets around weights, ``percent`` is ``AKs@50``,
        and ``weights`` are PioSOLVER's 1,326; ``runout`` is the exact text of `str`.

        >>> import runout
        >>> runout.Range("QQ+,AKs:0.5").to_text("gto+")
        'AA,KK,QQ,[50.0]AKs[/50.0]'
        """
        if notation not in (known := get_args(Notation)):
            raise RangeError("notation", f"{quote(notation)} is not one of {', '.join(known)}")
        return str(self) if notation == "runout" else _write_groups(self.weights, notation)

    def __repr__(self) -> str:
        text = str(self) or "empty"
        if len(text) > _MAX_TEXT_IN_REPR:
            text = text[: _MAX_TEXT_IN_REPR - 3] + "..."
        return f"<Range {text}: {self.num_combos:g} combos, {self.percentage:.2f}%>"

    def _repr_html_(self) -> str:
        """Returns the 13 x 13 grid of hands for a notebook, darker where the weight is larger."""
        weights = [f"{weight:.3g}" for weight in self.hand_weights()]
        colours = [f"rgba(200,60,50,{weight})" for weight in weights]
        return html_grid(f"{self.num_combos:g} combos, {self.percentage:.2f}%", weights, colours)


def html_grid(caption: str, remarks: Sequence[str], backgrounds: Sequence[str]) -> str:
    """Returns the 13 x 13 grid for a notebook, with ``[169]`` a remark and background of a hand."""
    cells = [
        f'<td style="background:{background};padding:4px" title="{name} {remark}">{name}</td>'
        for name, remark, background in zip(HAND_NAMES, remarks, backgrounds, strict=True)
    ]
    rows = (f"<tr>{''.join(cells[hand] for hand in hands)}</tr>" for hands in HAND_GRID)
    style = "border-collapse:collapse;font:11px sans-serif;text-align:center"
    return f'<table style="{style}"><caption>{caption}</caption>{"".join(rows)}</table>'


def _check(weights: npt.ArrayLike) -> FloatArray:
    """Returns a read-only copy of ``[1326]`` weights from 0 to 1."""
    try:
        # Adding zero copies, and turns -0.0 into 0.0 so that equal ranges have equal hashes.
        checked: FloatArray = np.asarray(weights, dtype=np.float64) + 0.0
    except (TypeError, ValueError):
        problem = f"{quote(weights)} is neither text such as 22+,AKs:0.5 nor {NUM_COMBOS:,} weights"
        raise RangeError("range", problem) from None
    if checked.shape != (NUM_COMBOS,):
        raise RangeError("weights", f"shape {checked.shape}, a range needs ({NUM_COMBOS},)")
    outside = np.flatnonzero(~((checked >= 0.0) & (checked <= 1.0)))  # NaN is outside, too
    if outside.size:
        combo, weight = int(outside[0]), checked[outside[0]]
        raise RangeError(format_combo(combo), f"weight {weight} is not a number from 0 to 1")
    return read_only(np.where(checked < SMALLEST_WEIGHT, 0.0, checked))


# Texts of ranges, in every notation in use.
#
# A text is a list of groups, or 1,326 weights. A group of several hands is always a stretch of one
# line of the hand grid. A line is either a row, hands with the same top card (``AKs .. A2s``), or a
# diagonal, hands with the same gap (``AA .. 22``, ``AKs .. 32s``). A dash names both ends of a
# stretch, in either order; a plus names its lower end and runs to the top of the line: the diagonal
# for pairs and connectors, the row for all others. The same lines serve reading and writing.

#: The one word that is a group: every combo.
RANDOM = "random"

#: The canonical hands by falling equity against a random hand.
_BY_EQUITY = Path(__file__).parent / "data" / "hands_by_equity.txt"

#: Whether the hands are suited, for each way to end the name of an unpaired hand.
_SUITED_BY_ENDING = {"s": (True,), "o": (False,), "": (True, False)}

#: Signs of cards and dashes, as pages and other programs write them.
_SPELLINGS = str.maketrans("♠♤♥♡♦♢♣♧\u2013\u2014\u2212", "sshhddcc---", "\ufe0f\ufeff")

#: Spaces that part nothing: around a dash and the sign of a weight, before a plus, behind ``top``.
_NO_GAP = re.compile(r" ?([-:@]) ?| (?=[+%])|(?<=top) (?=[\d.])", re.IGNORECASE)
_TOKEN = re.compile(r"\[[^\[\]]*\]?|[^\s,;\[\]]+|\]")
_BRACKET = re.compile(r"\[ ?(/?) ?([^\s%]*) ?%? ?\]")
_GROUP = re.compile(r"([^:@]*)([:@]?)(.*)")

#: No sign, no ``nan``, no ``1_0``: what `float` reads beyond this is more likely a typo.
_WEIGHT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_TOP = re.compile(r"(?:top)?(\d+(?:\.\d*)?|\.\d+)%", re.ASCII | re.IGNORECASE)

#: Notations of `Range.to_text`, and the decimals of weights in those of other programs.
Notation: TypeAlias = Literal["runout", "pio", "gto+", "percent", "weights"]
_DECIMALS = 6

#: Canonical hands along one line of the grid, highest first.
_Run = tuple[int, ...]

#: The lines of the grid; an unpaired hand is on one row and one diagonal, a pair on a diagonal.
_ROWS: tuple[_Run, ...] = tuple(
    tuple(HAND_BY_RANKS[high, low, is_suited] for low in range(high - 1, -1, -1))
    for is_suited in (True, False)
    for high in range(1, NUM_RANKS)
)
_DIAGONALS: tuple[_Run, ...] = tuple(
    tuple(HAND_BY_RANKS[low + gap, low, is_suited] for low in range(NUM_RANKS - 1 - gap, -1, -1))
    for is_suited in (True, False)
    for gap in range(int(is_suited), NUM_RANKS)
)


def _hands_named_by_plus(hand: int) -> _Run:
    high, low, _ = HAND_RANKS[hand]
    line = next(line for line in (_DIAGONALS if high - low <= 1 else _ROWS) if hand in line)
    return line[: line.index(hand) + 1]


#: For each canonical hand the hands that it names when a plus follows.
_RUN_BY_PLUS: tuple[_Run, ...] = tuple(_hands_named_by_plus(hand) for hand in range(NUM_HANDS))


@lru_cache(maxsize=256)
def _read_text(text: str) -> FloatArray:
    """Returns the ``[1326]`` weights of a text."""
    tokens = _TOKEN.findall(_NO_GAP.sub(r"\1", " ".join(text.translate(_SPELLINGS).split())))
    if not tokens:
        raise RangeError("range", f"empty, write hands such as 22+,AKs:0.5 or {RANDOM} for all")
    if len(tokens) > NUM_HANDS and all(map(_WEIGHT.fullmatch, tokens)):
        return _check(list(map(float, tokens)))
    weights = np.full(NUM_COMBOS, np.nan)
    opened = ""
    for token in tokens:
        try:
            if token[0] in "[]":
                opened = _parse_bracket(token, opened)
                continue
            name, sign, share = _GROUP.fullmatch(token).groups()  # type: ignore[union-attr]
            if sign and opened:
                raise ValueError(f"has a weight, and stands in [{opened}]")
            combos = _parse_combos(name)
            weight = _parse_weight(sign or "@", share if sign else f"{opened or 100}%")
        except (ValueError, CardError) as error:
            raise RangeError(quote(token), str(error)) from None
        weights[combos] = np.where(np.isnan(weights[combos]), weight, weights[combos])
    if opened:
        raise RangeError(f"[{opened}]", f"is not closed, write [/{opened}] after its hands")
    return _check(np.nan_to_num(weights))


def _parse_weight(sign: str, share: str) -> float:
    """Returns the weight that stands behind ``:``, a fraction or percent, or ``@``, percent."""
    number = share.removesuffix("%")
    value = float(number) if _WEIGHT.fullmatch(number) else math.nan
    if sign == "@" and number == share and 0.0 < value < 1.0:
        raise ValueError(f"@ takes percent, write :{share} or @{100.0 * value:g}")
    if sign == "@" or number != share:
        if value <= 100.0:
            return round(value / 100.0, 12)  # 33.3% is 0.333
        raise ValueError(f"weight {quote(share)} is not a percentage from 0 to 100")
    if not value <= 1.0:
        hint = f", write {share}% for percent" if 1.0 < value <= 100.0 else ""
        raise ValueError(f"weight {quote(share)} is not a number from 0 to 1{hint}")
    return value


def _parse_bracket(token: str, opened: str) -> str:
    """Returns the percentage of the bracket that is open after ``[50]`` or ``[/50]``, if any."""
    match = _BRACKET.fullmatch(token)
    if match is None or bool(match[1]) != bool(opened):
        problem = f"stands in [{opened}]; " if opened else ""
        raise ValueError(f"{problem}brackets give a weight in percent: [50]AKs,QQ[/50]")
    number = match[2] or opened
    if _parse_weight("@", f"{number}%") != _parse_weight("@", f"{opened or number}%"):
        raise ValueError(f"closes [{opened}], write [/{opened}]")
    return "" if opened else number


def _parse_combos(name: str) -> IntArray:
    name = name.replace("10", "T") if has_ten_in_digits(name) else name
    if name.lower() == RANDOM:
        return np.arange(NUM_COMBOS)
    if share := _TOP.fullmatch(name):
        return _top_combos(float(share[1]))
    if "-" in name:
        hands = _parse_dash(name)
    elif name.endswith("+"):
        hands = [hand for lowest in _parse_hand(name[:-1]) for hand in _RUN_BY_PLUS[lowest]]
    elif len(name) == 4 and name[1].lower() in SUITS:
        return np.array([parse_combo(name)])
    else:
        hands = _parse_hand(name)
    return np.concatenate([COMBOS_BY_HAND[hand] for hand in hands])


def _top_combos(percentage: float) -> IntArray:
    """Returns the hands that do best against a random one, as many as fit into a percentage."""
    best = [COMBOS_BY_HAND[HAND_NAMES.index(name)] for name in _BY_EQUITY.read_text().split()]
    fits = np.cumsum([*map(len, best)]) <= percentage / 100.0 * NUM_COMBOS + 1e-9
    num_hands = int(fits.sum())
    if percentage > 100.0 or not num_hands:
        raise ValueError("the top hands are 0.46% (AA) to 100%")
    return np.concatenate(best[:num_hands])


def _parse_dash(name: str) -> list[int]:
    """Returns the hands from one end of a dash to the other, both included."""
    left_hands, right_hands = map(_parse_hand, name.split("-", maxsplit=1))
    if len(left_hands) == len(right_hands):
        runs = [_run_between(*ends) for ends in zip(left_hands, right_hands, strict=True)]
        if all(runs):
            return [hand for run in runs for hand in run]
    raise ValueError(
        "a dash joins pairs, or hands of one ending with the same top card or the same gap, "
        "such as QQ-88, KTo-K8o or 87s-54s"
    )


def _run_between(hand_a: int, hand_b: int) -> _Run:
    """Returns the stretch with these ends, or nothing if no line holds both."""
    for line in _ROWS + _DIAGONALS:
        if hand_a in line and hand_b in line:
            first, last = sorted((line.index(hand_a), line.index(hand_b)))
            return line[first : last + 1]
    return ()


def _parse_hand(text: str) -> list[int]:
    """Returns the canonical hand that a name stands for, or both if it has no ending."""
    if len(text) == 2 and text[0].upper() in RANKS and text[1] in SUITS:
        raise ValueError(f"{text} is one card, a combo is two without a space: AhKh")
    if len(text) not in (2, 3):
        raise ValueError(
            f"{quote(text)} is not a hand such as AA, AKs, AKo or AK; commas separate groups"
        )
    for letter in text[:2]:
        if letter.upper() not in RANKS:
            raise ValueError(f"{letter!r} is not a rank, use one of {RANKS}")
    low, high = sorted(RANKS.index(letter.upper()) for letter in text[:2])
    ending = text[2:].lower()
    if high == low and ending:
        raise ValueError(f"a pair has no ending, write {text[:2].upper()}")
    if ending not in _SUITED_BY_ENDING:
        raise ValueError(f"{text[2]!r} is neither s (suited) nor o (offsuit)")
    kinds = (False,) if high == low else _SUITED_BY_ENDING[ending]
    return [HAND_BY_RANKS[high, low, is_suited] for is_suited in kinds]


def _write_groups(weights: FloatArray, notation: Notation) -> str:
    """Returns a text that names hand by hand and combo by combo, as other programs read it."""

    def write(number: float) -> str:
        return f"{number:.{_DECIMALS}f}".rstrip("0").rstrip(".")

    rounded = weights.round(_DECIMALS)
    if notation == "weights":
        return " ".join(map(write, rounded.tolist()))
    groups: list[tuple[str, float]] = []
    for hand, combos in zip(HAND_NAMES, COMBOS_BY_HAND, strict=True):
        held = rounded[combos[::-1]].tolist()
        names = [hand] if len(set(held)) == 1 else map(format_combo, combos[::-1].tolist())
        groups += [group for group in zip(names, held, strict=False) if group[1]]
    texts = []
    for weight, named in groupby(sorted(groups, key=itemgetter(1), reverse=True), itemgetter(1)):
        names, percent = [name for name, _ in named], round(100.0 * weight, _DECIMALS - 2)
        if notation == "gto+" and weight < 1.0:
            texts.append(f"[{percent}]{','.join(names)}[/{percent}]")
            continue
        share = f"@{percent:g}" if percent >= 1.0 else f":{percent:g}%"
        ending = share if notation == "percent" else f":{write(weight)}"
        texts += [name + (ending if weight < 1.0 else "") for name in names]
    return ",".join(texts)


def _write_text(weights: FloatArray) -> str:
    """Returns a short text of ``[1326]`` weights that reads back exactly.

    Pairs come first, then suited hands, offsuit hands, and the combos of the hands whose combos
    differ in weight. Groups never overlap, and equal ranges give equal texts. The empty range
    gives ``""``, which is refused when read: a missing range is more likely a mistake.
    """
    hands_by_weight: dict[float, set[int]] = {}
    single_combos: list[int] = []
    for hand, combos in enumerate(COMBOS_BY_HAND):
        different = set(weights[combos].tolist())
        if len(different) == 1:
            hands_by_weight.setdefault(different.pop(), set()).add(hand)
        else:
            single_combos.extend(reversed(combos.tolist()))
    runs = [(run, weight) for weight, hands in hands_by_weight.items() for run in _split(hands)]
    runs.sort(key=lambda item: item[0][-1])
    groups = [(_format_run(run), weight) for run, weight in runs]
    groups += [(format_combo(combo), float(weights[combo])) for combo in single_combos]
    return ",".join(
        name + ("" if weight == 1.0 else f":{weight!r}") for name, weight in groups if weight
    )


def _split(hands: set[int]) -> list[_Run]:
    """Returns runs that together hold each of these hands once and no other hand.

    Neighbours in a row stay together; hands without one are gathered along the diagonals.
    """
    rows = [run for run in _longest_runs(_ROWS, hands) if len(run) > 1]
    return rows + list(_longest_runs(_DIAGONALS, hands.difference(*rows)))


def _longest_runs(lines: tuple[_Run, ...], hands: set[int]) -> Iterator[_Run]:
    for line in lines:
        for is_held, stretch in groupby(line, key=hands.__contains__):
            if is_held:
                yield tuple(stretch)


def _format_run(run: _Run) -> str:
    lowest = HAND_NAMES[run[-1]]
    if len(run) == 1:
        return lowest
    if run == _RUN_BY_PLUS[run[-1]]:
        return f"{lowest}+"
    return f"{HAND_NAMES[run[0]]}-{lowest}"
