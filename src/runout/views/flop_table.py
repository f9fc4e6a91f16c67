"""The table of a report over flops: columns of a line, means by true weights, groups, filters.

A flop counts as often as it comes between the two ranges: its share of all flops, times the pairs
of combos that are played to the line on it. So the mean over all 1,755 flops is what the line is
worth before the flop is dealt.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial

import numpy as np

from runout.arrays import BoolArray, FloatArray
from runout.cards.card import parse_cards
from runout.cards.textures import LABELS, TextureKind, describe_texture
from runout.errors import RunoutError, quote
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.paths import STREET_SEPARATOR, split_path
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_rows import FlopRow, LineValues, ReportLine

ROOT = "root"
FLOP_KEY = "flop"
WEIGHT_KEY = "weight"


class FilterError(RunoutError):
    """A filter or an order of flops that says nothing about them."""


class Form(StrEnum):
    """What a number of a column is."""

    SHARE = "share"
    CHIPS = "chips"
    RATIO = "ratio"
    COUNT = "count"
    SECONDS = "seconds"


@dataclass(frozen=True, eq=False)
class Column:
    """One number of every flop.

    Attributes:
        key: its name in files and for sorting.
        heading: in tables.
        form: what it is.
        values: ``[F]``.
        mean: over a choice of flops, given as ``[F]`` whether each is in it.
    """

    key: str
    heading: str
    form: Form
    values: FloatArray
    mean: Callable[[BoolArray], float]


@dataclass(frozen=True, eq=False)
class FlopsReport:
    """One spot on many flops.

    Attributes:
        title: the spot, in a few words.
        lines: the nodes that were looked at.
        rows: the flops that are finished.
        num_flops: how many there are to be.
        meaning: in which game the exploitability of each flop is.
        has_strategies: whether the solution of each flop was kept.
    """

    title: str
    lines: tuple[ReportLine, ...]
    rows: tuple[FlopRow, ...]
    num_flops: int
    meaning: ExploitabilityMeaning
    has_strategies: bool = False

    def table(self, path: str = ROOT) -> "LineTable":
        """Returns the table of a line.

        Raises:
            FilterError: if it was not looked at.
        """
        wanted = "" if path == ROOT else STREET_SEPARATOR.join(split_path(path))
        for number, line in enumerate(self.lines):
            if line.path == wanted:
                return LineTable(line, self.rows, tuple(row.lines[number] for row in self.rows))
        names = ", ".join(name_of_line(line.path) for line in self.lines)
        raise FilterError(f"line {quote(path)}", f"is not in this report, it has {names}")


@dataclass(frozen=True, eq=False)
class LineTable:
    """A line on every flop.

    Attributes:
        line: the node.
        rows: the flops.
        values: what the line is on each of them.
    """

    line: ReportLine
    rows: tuple[FlopRow, ...]
    values: tuple[LineValues, ...]

    @cached_property
    def weights(self) -> FloatArray:
        """``[F]`` how often each flop comes on this line, of all flops of the table."""
        played = self._played
        return played / played.sum() if played.sum() > 0.0 else np.zeros(len(played))

    @cached_property
    def _played(self) -> FloatArray:
        return np.array([row.share * line.deals for row, line in self._pairs()])

    @cached_property
    def _dealt(self) -> FloatArray:
        return np.array([row.share * row.deals for row in self.rows])

    def _pairs(self) -> list[tuple[FlopRow, LineValues]]:
        return list(zip(self.rows, self.values, strict=True))

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """What each flop is called."""
        return [describe_texture(parse_cards(row.flop)).labels() for row in self.rows]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All numbers, in the order of tables and files."""
        return (*self._money_columns(), *self._action_columns(), *self._solve_columns())

    def column(self, key: str) -> Column:
        """Returns a column by its key, in which ``-`` may stand for ``_``, or by an action's code.

        Raises:
            FilterError: if there is none.
        """
        by_key = {column.key: column for column in self.columns}
        tidy = key.strip().lower().replace("-", "_")
        found = by_key.get(tidy) or by_key.get(f"freq_{key.strip()}")
        if found is None:
            known = ", ".join([FLOP_KEY, *by_key])
            raise FilterError("sort", f"{quote(key)} is no column, use one of {known}")
        return found

    def order(self, key: str) -> list[int]:
        """Returns the flops in the order of a column, the largest first; ``flop`` from aces down.

        A ``-`` in front turns it around.

        Raises:
            FilterError: if there is no such column.
        """
        is_turned = key.startswith("-")
        name = key.removeprefix("-")
        if name == FLOP_KEY:
            cards = [sorted(parse_cards(row.flop), reverse=True) for row in self.rows]
            order = sorted(range(len(cards)), key=lambda number: cards[number], reverse=True)
            return order[::-1] if is_turned else order
        values = self.column(name).values
        keyed = np.nan_to_num(values if is_turned else -values, nan=math.inf)
        return [int(number) for number in np.argsort(keyed, kind="stable")]

    def everything(self) -> BoolArray:
        """Returns ``[F]`` the choice of all flops."""
        return np.ones(len(self.rows), dtype=np.bool_)

    def mean(self, values: FloatArray, chosen: BoolArray) -> float:
        """Returns the mean of ``values[F]`` over some flops by how often they come."""
        return _weighted(values, np.where(chosen, self._played, 0.0))

    def groups(self, kind: TextureKind, chosen: BoolArray) -> list[tuple[str, BoolArray]]:
        """Returns the labels of a kind that some chosen flops have, with these flops."""
        found = []
        for label in LABELS[kind]:
            is_in = chosen & np.array(
                [names[kind] == label for names in self.labels], dtype=np.bool_
            )
            if is_in.any():
                found.append((label, is_in))
        return found

    def _money_columns(self) -> list[Column]:
        columns = [
            self._column("share", "share", Form.SHARE, [r.share for r in self.rows], _total),
            Column(WEIGHT_KEY, "weight", Form.SHARE, self.weights, self._weight_of),
            Column("reach", "reach", Form.SHARE, self._reach, self._reach_of),
        ]
        pot = self.line.pot
        for player, name in enumerate(PLAYER_NAMES):
            end = name.lower()
            ev = np.array([line.ev[player] for line in self.values])
            equity = np.array([line.equity[player] for line in self.values])
            nuts = [line.nuts[player] for line in self.values]
            columns += [
                self._column(f"equity_{end}", f"{name} EQ", Form.SHARE, equity),
                self._column(f"ev_{end}", f"{name} EV", Form.CHIPS, ev),
                replace(
                    self._column(f"eqr_{end}", f"{name} EQR", Form.SHARE, _ratio(ev, pot * equity)),
                    mean=partial(self._mean_eqr, ev, equity),
                ),
                self._column(f"nuts_{end}", f"{name} nuts", Form.SHARE, nuts),
            ]
        return columns

    def _mean_eqr(self, ev: FloatArray, equity: FloatArray, chosen: BoolArray) -> float:
        share = self.line.pot * self.mean(equity, chosen)
        return self.mean(ev, chosen) / share if share > 0.0 else math.nan

    def _action_columns(self) -> list[Column]:
        columns = []
        for number, action in enumerate(self.line.actions):
            frequency = [line.frequency[number] for line in self.values]
            columns.append(self._column(f"freq_{action.code}", action.code, Form.SHARE, frequency))
        for number, action in enumerate(self.line.actions):
            cost = [line.cost[number] for line in self.values]
            heading = f"all {action.code}"
            columns.append(self._column(f"cost_{action.code}", heading, Form.CHIPS, cost))
        for number, action in enumerate(self.line.actions):
            sizes = [line.size_cost[number] for line in self.values if line.size_cost]
            if len(sizes) == len(self.rows) and not np.isnan(sizes).all():
                heading = f"only {action.code}"
                columns.append(self._column(f"only_{action.code}", heading, Form.CHIPS, sizes))
        return columns

    def _solve_columns(self) -> list[Column]:
        reached = np.array([row.exploitability_pot for row in self.rows])
        dealt = self._dealt
        return [
            replace(
                self._column("exploitability", "expl.", Form.SHARE, reached),
                mean=lambda chosen: _weighted(reached, np.where(chosen, dealt, 0.0)),
            ),
            self._column(
                "iterations", "iterations", Form.COUNT, [r.iterations for r in self.rows], _total
            ),
            self._column("seconds", "time", Form.SECONDS, [r.seconds for r in self.rows], _total),
        ]

    def _column(
        self,
        key: str,
        heading: str,
        form: Form,
        values: Sequence[float] | FloatArray,
        mean: Callable[[FloatArray, BoolArray], float] | None = None,
    ) -> Column:
        numbers = np.array(values, dtype=np.float64)
        how = mean or self.mean
        return Column(key, heading, form, numbers, lambda chosen: how(numbers, chosen))

    def _weight_of(self, chosen: BoolArray) -> float:
        return float(self.weights[chosen].sum())

    @cached_property
    def _reach(self) -> FloatArray:
        return _ratio(self._played, self._dealt)

    def _reach_of(self, chosen: BoolArray) -> float:
        dealt = float(self._dealt[chosen].sum())
        return float(self._played[chosen].sum()) / dealt if dealt > 0.0 else math.nan


def name_of_line(path: str) -> str:
    """Returns what a line is called: its path, or ``root``."""
    return path or ROOT


def choose_flops(table: LineTable, filters: Sequence[str]) -> BoolArray:
    """Returns ``[F]`` the flops that meet all filters, such as ``suits=monotone`` and ``high=A,K``.

    Raises:
        FilterError: naming the filter that is none, with what there is.
    """
    chosen = table.everything()
    for text in filters:
        kind, labels = _read_filter(text)
        chosen &= np.array([names[kind] in labels for names in table.labels], dtype=np.bool_)
    return chosen


def _read_filter(text: str) -> tuple[TextureKind, list[str]]:
    name, separator, value = (part.strip() for part in text.partition("="))
    kinds = ", ".join(TextureKind)
    if not separator or not value:
        problem = f"is no filter, write suits=monotone; there are {kinds}"
        raise FilterError(f"where {quote(text)}", problem)
    if name not in list(TextureKind):
        raise FilterError(f"where {quote(text)}", f"{quote(name)} is none of {kinds}")
    kind = TextureKind(name)
    known = {_short(kind, label).lower(): label for label in LABELS[kind]}
    labels = []
    for part in map(str.strip, value.split(",")):
        short = _short(kind, part).lower()
        if short not in known:
            allowed = ", ".join(_short(kind, label) for label in LABELS[kind])
            problem = f"{quote(part)} is no value of {kind}, use some of {allowed}"
            raise FilterError(f"where {quote(text)}", problem)
        labels.append(known[short])
    return kind, labels


def _short(kind: TextureKind, label: str) -> str:
    """Returns a label as filters write it: ``A`` for ``A high``."""
    return label.removesuffix(" high") if kind is TextureKind.HIGH else label


def _weighted(values: FloatArray, weights: FloatArray) -> float:
    known = np.where(np.isnan(values), 0.0, weights)
    total = float(known.sum())
    return float((known * np.nan_to_num(values)).sum()) / total if total > 0.0 else math.nan


def _total(values: FloatArray, chosen: BoolArray) -> float:
    return float(values[chosen].sum())


def _ratio(amount: FloatArray, weight: FloatArray) -> FloatArray:
    ratio: FloatArray = np.divide(
        amount, weight, out=np.full(len(weight), np.nan), where=weight > 0.0
    )
    return ratio
