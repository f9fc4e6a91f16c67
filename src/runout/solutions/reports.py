"""One spot on many flops: rows, tables, means by true weights; as a bundle, CSV and Parquet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runout.arrays import BoolArray, FloatArray, divide
from runout.cards.deck import live_combos, parse_cards
from runout.cards.flops import LABELS, TextureKind, describe_texture
from runout.cards.hand_classes import classify_hands
from runout.errors import RunoutError, quote
from runout.solutions.node import Node, NodeAction, Provenance, Quality, Solution, known_mean
from runout.solutions.node_files import action_from_json, action_to_json
from runout.solutions.sheet import Column as SheetColumn
from runout.solutions.sheet import Sheet, json_number
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.actions import format_amount
from runout.trees.paths import join_path, read_path
from runout.trees.tree import POSITION_NAMES

if TYPE_CHECKING:
    from pandas import DataFrame

# One spot on many flops: what each flop says about the chosen lines, as numbers.
#
# A row is made of the nodes of a solved flop and needs nothing else, so whoever has solved a flop
# can make it, and the table of all flops is put together from rows.


Json = dict[str, Any]

#: The best made hands that a flop allows: so large a share of all combos are its nuts.
NUT_SHARE = 0.05

_PLAYERS = (0, 1)
_NUM_FIXED = 7  # numbers of a line whatever can be done there: deals, and three of each player


@dataclass(frozen=True)
class ReportLine:
    """A node that is looked at on every flop.

    Attributes:
        path: the actions that lead to it, empty at the root.
        label: who acts, or what happens, in words.
        pot: what is in the middle.
        actor: who acts; None where nobody does.
        actions: what the actor can do.
    """

    path: str
    label: str
    pot: float
    actor: int | None
    actions: tuple[NodeAction, ...]

    @classmethod
    def of(cls, node: Node) -> "ReportLine":
        """Returns the line of a node."""
        return cls(node.path, node.label, node.pot, node.actor, node.actions)

    def to_json(self) -> Json:
        """Returns the same under JSON names."""
        actions = [action_to_json(action) | {"amount": action.amount} for action in self.actions]
        return {**vars(self), "actions": actions}

    @classmethod
    def from_json(cls, document: Json) -> "ReportLine":
        """Reads what `to_json` has written."""
        return cls(**document | {"actions": tuple(map(action_from_json, document["actions"]))})


class FlopRow(NamedTuple):
    """The solve of one flop.

    Attributes:
        flop: its cards as they were given, such as ``AhKd7s``.
        share: of all 22,100 flops, what it stands for.
        deals: weight of the pairs of combos that it leaves the two ranges.
        exploitability_pot: of the solve, as a fraction of the pot.
        iterations: done.
        seconds: taken, further solves for costs of sizes included.
        lines: what `line_values` says of the chosen lines, in their order.
    """

    flop: str
    share: float
    deals: float
    exploitability_pot: float
    iterations: float
    seconds: float
    lines: tuple[FloatArray, ...]


def line_values(node: Node, size_cost: Sequence[float] = ()) -> FloatArray:
    """Returns ``[7 + 2 A]`` or, with costs of sizes, ``[7 + 3 A]`` what a node on a flop says.

    `split_values` tells what the numbers are. ``size_cost`` is what the actor loses in the whole
    game if a bet is its only size on the flop, in chips, NaN for what is no bet.
    """
    is_nuts = nut_hands(node.board).astype(np.float64)
    has_actor = node.actor is not None
    return np.array(
        [
            float(node.deals(0).sum()),
            *(node.range_ev(player) for player in _PLAYERS),
            *(node.range_equity(player) for player in _PLAYERS),
            *(known_mean(is_nuts, node.deals(player)) for player in _PLAYERS),
            *(node.frequency().tolist() if has_actor else ()),
            *(range_costs(node) if has_actor else ()),
            *size_cost,
        ]
    )


def split_values(numbers: FloatArray, num_actions: int) -> dict[str, FloatArray]:
    """Splits the last axis of `line_values` by what the numbers are.

    ``deals``: weight of the pairs of combos that are played to the line. ``ev`` of OOP and IP in
    chips, ``equity`` of both as a share of the pot, ``nuts``: share of each range among the best
    made hands. Of each action ``frequency``, ``cost``: what the actor's range loses if all of it
    takes the action, and, where asked for, ``size_cost``. NaN where the ranges do not meet.
    """
    num_sizes = numbers.shape[-1] - _NUM_FIXED - 2 * num_actions
    if num_sizes not in (0, num_actions):
        raise ValueError(f"a line of {num_actions} actions has no {numbers.shape[-1]} numbers")
    ends = np.cumsum([1, 2, 2, 2, num_actions, num_actions])
    names = ("deals", "ev", "equity", "nuts", "frequency", "cost", "size_cost")
    return dict(zip(names, np.split(numbers, ends, axis=-1), strict=True))


def range_costs(node: Node) -> tuple[float, ...]:
    """Returns what each action costs the actor's range if every hand takes it, in chips.

    The opponent does not adapt, and hands go on as the solution has them go on: for hands that
    never take the action that is an estimate.
    """
    assert node.actor is not None
    deals = node.deals(node.actor)
    now = node.range_ev(node.actor)
    return tuple(now - known_mean(values, deals) for values in node.action_ev)


def nut_hands(board: Sequence[int]) -> BoolArray:
    """Returns ``[1326]`` the combos that are among the best made hands of a board.

    These are the best twentieth of the combos that the board leaves, and all that are as good as
    the last of them.
    """
    classes = classify_hands(tuple(board))
    live = live_combos(board)
    ranks = np.sort(classes.nut_rank[live])
    worst = ranks[math.ceil(NUT_SHARE * len(live)) - 1]
    is_nuts: BoolArray = (classes.nut_rank > 0) & (classes.nut_rank <= worst)
    return is_nuts


# The table of a report over flops: columns of a line, means by true weights, groups, filters.
#
# A flop counts as often as it comes between the two ranges: its share of all flops, times the pairs
# of combos that are played to the line on it. So the mean over all 1,755 flops is what the line is
# worth before the flop is dealt.


ROOT = "root"
DEFAULT_LINES = (ROOT, "x")
FLOP_KEY = "flop"
WEIGHT_KEY = "weight"


class FilterError(RunoutError):
    """A filter or an order of flops that says nothing about them."""


class Form(StrEnum):
    """What a number of a column is."""

    SHARE = "share"
    CHIPS = "chips"
    COUNT = "count"
    SECONDS = "seconds"

    def write(self, value: float) -> str:
        """Returns a number as people read it, shares as percent."""
        return f"{100.0 * value:.1f}" if self is Form.SHARE else f"{value:,.2f}"


@dataclass(frozen=True, eq=False)
class Column:
    """One number of every flop.

    Attributes:
        key: its name in files and for sorting.
        heading: in tables.
        form: what it is.
        values: ``[F]``.
        weights: ``[F]`` how much each counts in a mean; None for what is summed up.
    """

    key: str
    heading: str
    form: Form
    values: FloatArray
    weights: FloatArray | None = None

    def mean(self, chosen: BoolArray) -> float:
        """Returns the mean, or the sum, over a choice of flops: ``[F]`` whether each is in it."""
        if self.weights is None:
            return float(self.values[chosen].sum())
        return known_mean(self.values, np.where(chosen, self.weights, 0.0))


@dataclass(frozen=True, eq=False)
class FlopsReport(Solution):
    """One spot on many flops.

    Attributes:
        title: the spot, in a few words.
        lines: the nodes that were looked at.
        rows: the flops that are finished.
        num_flops: how many there are to be.
        meaning: in which game the exploitability of each flop is.
        has_strategies: whether the solution of each flop was kept.
        config_text: the config of the spot, of a saved report.
        provenance: where it comes from; None as long as it is not saved.
        quality: how well the worst flop is solved.
    """

    kind = "report"

    title: str
    lines: tuple[ReportLine, ...]
    rows: tuple[FlopRow, ...]
    num_flops: int
    meaning: ExploitabilityMeaning
    has_strategies: bool = False
    config_text: str = ""
    provenance: Provenance | None = None
    quality: Quality = field(init=False)

    def __post_init__(self) -> None:
        quality = Quality(
            max((row.exploitability_pot for row in self.rows), default=0.0),
            self.meaning,
            max((int(row.iterations) for row in self.rows), default=0),
            sum(row.seconds for row in self.rows),
            provenance=self.provenance,
        )
        self.__dict__.update(quality=quality)

    def table(self, path: str = ROOT) -> "LineTable":
        """Returns the table of a line; a `FilterError` names those there are."""
        wanted = "" if path == ROOT else join_path(*read_path(path).steps)
        for number, line in enumerate(self.lines):
            if line.path == wanted:
                return LineTable(
                    line, self.rows, np.array([row.lines[number] for row in self.rows])
                )
        names = ", ".join(name_of_line(line.path) for line in self.lines)
        raise FilterError(f"line {quote(path)}", f"is not in this report, it has {names}")

    def to_dataframe(self, path: str = ROOT, *_: Any) -> "DataFrame":
        """Returns all columns of a line, a row for each flop; needs pandas (``runout[frames]``)."""
        from pandas import DataFrame  # an extra

        return DataFrame(self.table(path).to_columns())

    def __repr__(self) -> str:
        lines = ", ".join(name_of_line(line.path) for line in self.lines)
        done = f"{len(self.rows)} of {self.num_flops} flops"
        return f"<FlopsReport {done}, lines {lines}, {self.quality}>"


@dataclass(frozen=True, eq=False)
class LineTable:
    """A line on every flop: the node, the flops, and ``[F, n]`` `line_values` of each."""

    line: ReportLine
    rows: tuple[FlopRow, ...]
    numbers: FloatArray

    @cached_property
    def values(self) -> dict[str, FloatArray]:
        """``[F, k]`` what `split_values` says of every flop."""
        num_actions = len(self.line.actions)
        width = _NUM_FIXED + 2 * num_actions
        return split_values(self.numbers if self.rows else np.zeros((0, width)), num_actions)

    @cached_property
    def weights(self) -> FloatArray:
        """``[F]`` how often each flop comes on this line, of all flops of the table."""
        played = self._played
        return played / played.sum() if played.sum() > 0.0 else np.zeros(len(played))

    @cached_property
    def _played(self) -> FloatArray:
        return self._of_rows("share") * self.values["deals"][:, 0]

    @cached_property
    def _dealt(self) -> FloatArray:
        return self._of_rows("share") * self._of_rows("deals")

    def _of_rows(self, name: str) -> FloatArray:
        return np.array([getattr(row, name) for row in self.rows], dtype=np.float64)

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """What each flop is called."""
        return [describe_texture(parse_cards(row.flop)) for row in self.rows]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All numbers, in the order of tables and files."""
        played, dealt, pot = self._played, self._dealt, self.line.pot
        found = [
            Column("share", "share", Form.SHARE, self._of_rows("share")),
            Column(WEIGHT_KEY, "weight", Form.SHARE, self.weights),
            Column("reach", "reach", Form.SHARE, divide(played, dealt), dealt),
        ]
        for player, name in enumerate(POSITION_NAMES):
            end = name.lower()
            ev, equity, nuts = (self.values[what][:, player] for what in ("ev", "equity", "nuts"))
            share = pot * equity
            found += [
                Column(f"equity_{end}", f"{name} EQ", Form.SHARE, equity, played),
                Column(f"ev_{end}", f"{name} EV", Form.CHIPS, ev, played),
                # The mean of the EVs as a part of what the mean equity would give.
                Column(f"eqr_{end}", f"{name} EQR", Form.SHARE, divide(ev, share), played * share),
                Column(f"nuts_{end}", f"{name} nuts", Form.SHARE, nuts, played),
            ]
        found += self._action_columns()
        for key, heading, form, weights in (
            ("exploitability_pot", "expl.", Form.SHARE, dealt),
            ("iterations", "iterations", Form.COUNT, None),
            ("seconds", "time", Form.SECONDS, None),
        ):
            found.append(
                Column(key.removesuffix("_pot"), heading, form, self._of_rows(key), weights)
            )
        return tuple(found)

    def _action_columns(self) -> list[Column]:
        columns = []
        for what, key, word in (
            ("frequency", "freq", ""),
            ("cost", "cost", "all "),
            ("size_cost", "only", "only "),
        ):
            form = Form.SHARE if what == "frequency" else Form.CHIPS
            for action, values in zip(self.line.actions, self.values[what].T, strict=False):
                if what != "size_cost" or not np.isnan(values).all():
                    name, heading = f"{key}_{action.code}", f"{word}{action.code}"
                    columns.append(Column(name, heading, form, values, self._played))
        return columns

    def to_columns(self) -> dict[str, list[Any]]:
        """Returns all columns by name: the flop, its textures, and numbers."""
        columns: dict[str, list[Any]] = {FLOP_KEY: [row.flop for row in self.rows]}
        columns |= {kind.value: [names[kind] for names in self.labels] for kind in TextureKind}
        for column in self.columns:
            is_count = column.form is Form.COUNT
            columns[column.key] = column.values.astype(np.int64 if is_count else float).tolist()
        return columns

    def column(self, key: str) -> Column:
        """Returns a column by its key, with ``-`` for ``_``, or by an action's code."""
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

    def labelled(self, kind: TextureKind, labels: Sequence[str]) -> BoolArray:
        """Returns ``[F]`` the flops that have one of the labels of a kind."""
        return np.array([names[kind] in labels for names in self.labels], dtype=np.bool_)

    def groups(self, kind: TextureKind, chosen: BoolArray) -> list[tuple[str, BoolArray]]:
        """Returns the labels of a kind that some chosen flops have, with these flops."""
        found = [(label, chosen & self.labelled(kind, [label])) for label in LABELS[kind]]
        return [(label, is_in) for label, is_in in found if is_in.any()]


def name_of_line(path: str) -> str:
    """Returns what a line is called: its path, or ``root``."""
    return path or ROOT


def choose_flops(table: LineTable, filters: Sequence[str]) -> BoolArray:
    """Returns ``[F]`` the flops that meet all filters, such as ``suits=monotone,rainbow``."""
    chosen = table.everything()
    for text in filters:
        chosen &= table.labelled(*_read_filter(text))
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


# What of a report is shown, as a table for people or as JSON.


OVERALL, FILTERED = "overall", "filtered"


@dataclass(frozen=True)
class TableChoice:
    """What of a report is shown.

    Attributes:
        lines: names of the lines; none for all.
        filters: textures, such as ``suits=monotone``.
        sort: key of the column that orders flops.
        by: kinds of texture that flops are grouped by.
        num_rows: single flops that are shown, the first of the order.
    """

    lines: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    sort: str = WEIGHT_KEY
    by: tuple[TextureKind, ...] = tuple(TextureKind)
    num_rows: int = 20

    def tables(self, report: FlopsReport) -> list["ChosenTable"]:
        """Returns the tables of the chosen lines.

        Raises:
            FilterError: if there is no such line, column or texture.
        """
        names = self.lines or tuple(name_of_line(line.path) for line in report.lines)
        return [self._choose(report.table(name.strip())) for name in names]

    def _choose(self, table: LineTable) -> "ChosenTable":
        chosen = choose_flops(table, self.filters)
        return ChosenTable(table, chosen, [n for n in table.order(self.sort) if chosen[n]])


class ChosenTable(NamedTuple):
    """A line of a report, and which flops of it are shown.

    Attributes:
        table: the line on all flops.
        chosen: ``[F]`` whether a flop is shown.
        order: the numbers of these flops, in their order.
    """

    table: LineTable
    chosen: BoolArray
    order: list[int]

    def heading(self, gap: str) -> str:
        """Returns who acts where, with a gap between the two."""
        line = self.table.line
        who = line.label if line.actor is None else f"{POSITION_NAMES[line.actor]} acts"
        return f"{who}{gap}line {name_of_line(line.path)}, pot {format_amount(line.pot)}"


def line_sheet(shown: ChosenTable, choice: TableChoice) -> Sheet:
    """Returns groups, flops and means; what says the same on every flop is left to files."""
    table, chosen, order = shown
    hidden = {"share", "iterations", "seconds"} | (set() if table.line.path else {"reach"})
    columns = [column for column in table.columns if column.key not in hidden]
    numbers = (SheetColumn(column.heading, form=column.form.write) for column in columns)
    sheet = Sheet((SheetColumn(), SheetColumn("flops", form="{:,}".format), *numbers))

    def add_mean(label: str, is_in: BoolArray, style: str = "") -> None:
        means = (column.mean(is_in) for column in columns)
        sheet.add(label, int(is_in.sum()), *means, style=style)

    for kind in choice.by:
        for label, is_in in table.groups(kind, chosen):
            add_mean(label, is_in)
        sheet.add()
    for number in order[: choice.num_rows]:
        values = (float(column.values[number]) for column in columns)
        sheet.add(table.rows[number].flop, "", *values)
    left_out = len(order) - choice.num_rows
    if choice.num_rows and left_out > 0:
        sheet.add(f"... {left_out:,} more", style="dim")
    if choice.num_rows:
        sheet.add()
    if choice.filters:
        add_mean(FILTERED, chosen, "bold")
    add_mean(OVERALL, table.everything(), "bold")
    return sheet


def flops_report_to_json(report: FlopsReport, choice: TableChoice) -> Json:
    """Returns the chosen lines by columns, with means, under JSON names."""
    lines = [
        {
            **table.line.to_json(),
            "columns": {
                name: [None if cells[n] != cells[n] else cells[n] for n in order]
                for name, cells in table.to_columns().items()
            },
            OVERALL: _means(table, table.everything()),
            FILTERED: _means(table, chosen),
        }
        for table, chosen, order in choice.tables(report)
    ]
    return {
        "title": report.title,
        "num_flops": report.num_flops,
        "num_finished": len(report.rows),
        "exploitability_meaning": report.meaning.value,
        "sorted_by": choice.sort or FLOP_KEY,
        "lines": lines,
    }


def _means(table: LineTable, chosen: BoolArray) -> Json:
    return {"flops": int(chosen.sum())} | {
        c.key: json_number(c.mean(chosen)) for c in table.columns
    }
