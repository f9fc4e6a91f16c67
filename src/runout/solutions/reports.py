"""One spot on many flops: rows, tables, means by true weights; as a bundle, CSV and Parquet.

The bundle has an array of numbers for each line, with a row for each flop. Each line of play has a
directory as well: ``report.csv`` with PioSOLVER's columns and percentages, ``table.csv`` and
``table.parquet`` with all numbers as fractions and chips.
"""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import numpy as np

from runout.arrays import BoolArray, FloatArray, divide
from runout.cards.deck import format_card, live_combos, parse_cards
from runout.cards.flops import LABELS, TextureKind, describe_texture
from runout.cards.hand_classes import classify_hands
from runout.errors import RunoutError, quote
from runout.solutions import sheet as sheets
from runout.solutions.node import Node, NodeAction, Quality, Solution, known_mean
from runout.solutions.node_files import action_from_json, action_to_json
from runout.solutions.preflop import LINES_FOLDER, REPORT_FOLDER, find_bundle
from runout.solutions.values import ExploitabilityMeaning, require_array
from runout.storage.bundle import Manifest, load_bundle, reading_contents
from runout.storage.files import replacing_file, reporting_os_errors
from runout.storage.writer import write_bundle
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.paths import join_path, read_path
from runout.trees.tree import POSITION_NAMES

if TYPE_CHECKING:
    from pandas import DataFrame

# What each flop says about the chosen lines, as numbers. A row needs only the nodes of its solved
# flop, so it is made where the flop is solved.

Json = dict[str, Any]

#: The best made hands that a flop allows: so large a share of all combos are its nuts.
NUT_SHARE = 0.05

_PLAYERS = (0, 1)
_NUM_FIXED = 7  # numbers of a line with any actions: deals, and three of each player

ROOT = "root"
DEFAULT_LINES = (ROOT, "x")


@dataclass(frozen=True)
class ReportLine:
    """A node that is looked at on every flop: its path, its pot, and the player who acts, if any.

    The label is the player to act, or what happens, in words.
    """

    path: str
    label: str
    pot: float
    actor: int | None
    actions: tuple[NodeAction, ...]

    @property
    def name(self) -> str:
        """The path, or ``root``."""
        return self.path or ROOT

    def heading(self, gap: str) -> str:
        """Returns who acts where, with a gap between the two."""
        who = self.label if self.actor is None else f"{POSITION_NAMES[self.actor]} acts"
        return f"{who}{gap}line {self.name}, pot {format_amount(self.pot)}"

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
    return np.array(
        [
            float(node.deals(0).sum()),
            *(node.range_ev(player) for player in _PLAYERS),
            *(node.range_equity(player) for player in _PLAYERS),
            *(known_mean(is_nuts, node.deals(player)) for player in _PLAYERS),
            *node.frequency(),
            *range_costs(node),
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

    There is none where nobody acts. The opponent does not adapt, and hands go on as the solution
    has them go on: for hands that never take the action that is an estimate.
    """
    deals, now = node.deals(node.actor or 0), node.range_ev(node.actor or 0)
    return tuple(now - known_mean(values, deals) for values in node.action_ev)


def nut_hands(board: Sequence[int]) -> BoolArray:
    """Returns ``[1326]`` the combos that are among the best made hands of a board.

    These are the best twentieth of the combos that the board leaves, and all that are as good as
    the last of them.
    """
    nut_rank, live = classify_hands(tuple(board)).nut_rank, live_combos(board)
    worst = np.sort(nut_rank[live])[math.ceil(NUT_SHARE * len(live)) - 1]
    is_nuts: BoolArray = (nut_rank > 0) & (nut_rank <= worst)
    return is_nuts


# The table of a line: columns, means by true weights, groups, filters.
#
# A flop counts as often as it comes between the two ranges: its share of all flops, times the pairs
# of combos that are played to the line on it. So the mean over all 1,755 flops is what the line is
# worth before the flop is dealt.

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
    """One number of every flop, by the name that it has in files and for sorting.

    Attributes:
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
        played = self._of_rows("share") * self.values["deals"][:, 0]
        return played / played.sum() if played.sum() > 0.0 else np.zeros(len(played))

    def _of_rows(self, name: str) -> FloatArray:
        return np.array([getattr(row, name) for row in self.rows], dtype=np.float64)

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """The texture of each flop, by kind."""
        return [describe_texture(parse_cards(row.flop)) for row in self.rows]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All numbers, in the order of tables and files."""
        share, values = self._of_rows("share"), self.values
        played, dealt = share * values["deals"][:, 0], share * self._of_rows("deals")
        found = [
            Column("share", "share", Form.SHARE, share),
            Column(WEIGHT_KEY, "weight", Form.SHARE, self.weights),
            Column("reach", "reach", Form.SHARE, divide(played, dealt), dealt),
        ]
        for player, name in enumerate(POSITION_NAMES):
            end = name.lower()
            ev, equity, nuts = (values[what][:, player] for what in ("ev", "equity", "nuts"))
            worth = self.line.pot * equity
            found += [
                Column(f"equity_{end}", f"{name} EQ", Form.SHARE, equity, played),
                Column(f"ev_{end}", f"{name} EV", Form.CHIPS, ev, played),
                # The mean of the EVs as a part of what the mean equity would give.
                Column(f"eqr_{end}", f"{name} EQR", Form.SHARE, divide(ev, worth), played * worth),
                Column(f"nuts_{end}", f"{name} nuts", Form.SHARE, nuts, played),
            ]
        for what, key, word, form in (
            ("frequency", "freq", "", Form.SHARE),
            ("cost", "cost", "all ", Form.CHIPS),
            ("size_cost", "only", "only ", Form.CHIPS),
        ):
            found += [
                Column(f"{key}_{action.code}", f"{word}{action.code}", form, numbers, played)
                for action, numbers in zip(self.line.actions, values[what].T, strict=False)
                if what != "size_cost" or not np.isnan(numbers).all()
            ]
        reached, seconds = self._of_rows("exploitability_pot"), self._of_rows("seconds")
        return (
            *found,
            Column("exploitability", "expl.", Form.SHARE, reached, dealt),
            Column("iterations", "iterations", Form.COUNT, self._of_rows("iterations")),
            Column("seconds", "time", Form.SECONDS, seconds),
        )

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
        is_turned, name = key.startswith("-"), key.removeprefix("-")
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

    def means(self, chosen: BoolArray) -> Json:
        """Returns the number of some flops and the means over them, by column."""
        means = {column.key: sheets.json_number(column.mean(chosen)) for column in self.columns}
        return {"flops": int(chosen.sum()), **means}


def choose_flops(table: LineTable, filters: Sequence[str]) -> BoolArray:
    """Returns ``[F]`` the flops that meet all filters, such as ``suits=monotone,rainbow``."""
    chosen = table.everything()
    for text in filters:
        name, separator, value = (part.strip() for part in text.partition("="))
        where, kinds = f"where {quote(text)}", ", ".join(TextureKind)
        if not separator or not value:
            raise FilterError(where, f"is no filter, write suits=monotone; there are {kinds}")
        if name not in list(TextureKind):
            raise FilterError(where, f"{quote(name)} is none of {kinds}")
        kind = TextureKind(name)
        # A high card is written as ``A`` or as ``A high``.
        end = " high" if kind is TextureKind.HIGH else ""
        known = {label.removesuffix(end).lower(): label for label in LABELS[kind]}
        labels = []
        for part in map(str.strip, value.split(",")):
            label = known.get(part.lower().removesuffix(end))
            if label is None:
                allowed = ", ".join(label.removesuffix(end) for label in LABELS[kind])
                problem = f"{quote(part)} is no value of {kind}, use some of {allowed}"
                raise FilterError(where, problem)
            labels.append(label)
        chosen &= table.labelled(kind, labels)
    return chosen


@dataclass(frozen=True, eq=False)
class FlopsReport(Solution):
    """One spot on many flops: the chosen lines, and rows for the flops that are finished.

    Attributes:
        num_flops: finished or not.
        meaning: in which game the exploitability of each flop is.
        has_strategies: whether the solution of each flop was kept.
        manifest: of its bundle; None as long as it is not saved.
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
    manifest: Manifest | None = None
    quality: Quality = field(init=False)

    def __post_init__(self) -> None:
        quality = Quality(
            max((row.exploitability_pot for row in self.rows), default=0.0),
            self.meaning,
            max((int(row.iterations) for row in self.rows), default=0),
            sum(row.seconds for row in self.rows),
            manifest=self.manifest,
        )
        done, total = len(self.rows), self.num_flops
        note = "" if done == total else f"{done:,} of {total:,} flops are solved"
        self.__dict__.update(quality=quality, note=note)

    def table(self, path: str = ROOT) -> LineTable:
        """Returns the table of a line; a `FilterError` names those there are."""
        wanted = "" if path == ROOT else join_path(*read_path(path).steps)
        for number, line in enumerate(self.lines):
            if line.path == wanted:
                numbers = np.array([row.lines[number] for row in self.rows])
                return LineTable(line, self.rows, numbers)
        names = ", ".join(line.name for line in self.lines)
        raise FilterError(f"line {quote(path)}", f"is not in this report, it has {names}")

    def to_dataframe(self, path: str = ROOT, *_: Any) -> "DataFrame":
        """Returns all columns of a line, a row for each flop; needs pandas (``runout[frames]``)."""
        from pandas import DataFrame  # an extra

        return DataFrame(self.table(path).to_columns())

    def __repr__(self) -> str:
        lines = ", ".join(line.name for line in self.lines)
        done = f"{len(self.rows)} of {self.num_flops} flops"
        return f"<FlopsReport {done}, lines {lines}, {self.quality}>"


# What of a report is shown, as a table for people or as JSON.

OVERALL, FILTERED = "overall", "filtered"

#: A line on all flops, ``[F]`` whether a flop is shown, and the shown flops in their order.
ChosenTable = tuple[LineTable, BoolArray, list[int]]


@dataclass(frozen=True)
class TableChoice:
    """What of a report is shown: lines by name, or all; flops that meet filters.

    Flops are grouped by kinds of texture; single ones, as many as asked for, are sorted by the key
    of a column.
    """

    lines: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    sort: str = WEIGHT_KEY
    by: tuple[TextureKind, ...] = tuple(TextureKind)
    num_rows: int = 20

    def tables(self, report: FlopsReport) -> list[ChosenTable]:
        """Returns the chosen lines; a `FilterError` says that a line, column or texture is none."""
        found: list[ChosenTable] = []
        for name in self.lines or [line.name for line in report.lines]:
            table = report.table(name.strip())
            chosen = choose_flops(table, self.filters)
            found.append((table, chosen, [n for n in table.order(self.sort) if chosen[n]]))
        return found


def line_sheet(shown: ChosenTable, choice: TableChoice) -> sheets.Sheet:
    """Returns groups, flops and means; what says the same on every flop is left to files."""
    table, chosen, order = shown
    hidden = {"share", "iterations", "seconds"} | (set() if table.line.path else {"reach"})
    columns = [column for column in table.columns if column.key not in hidden]
    numbers = (sheets.Column(column.heading, form=column.form.write) for column in columns)
    sheet = sheets.Sheet((sheets.Column(), sheets.Column("flops", form="{:,}".format), *numbers))

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
            OVERALL: table.means(table.everything()),
            FILTERED: table.means(chosen),
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


# A report on disk: a bundle, and files that other programs read.

REPORT_KIND = "flop_report"
REPORT_SCHEMA_VERSION = 1

_DOCUMENT = "report"
_FACTS = "facts"
_NUM_FACTS = 5

PIO_FILE, TABLE_FILE, PARQUET_FILE = "report.csv", "table.csv", "table.parquet"


def save_report(
    directory: Path, report: FlopsReport, config_text: str, config_digest: str
) -> Manifest:
    """Writes the report of a directory, in place of an earlier one.

    The config is the spot without its board; its digest also names how well it is solved.
    """
    facts = [row[1 : 1 + _NUM_FACTS] for row in report.rows]
    lines = {
        f"line{number}": np.array([row.lines[number] for row in report.rows])
        for number in range(len(report.lines))
    }
    document = {
        "title": report.title,
        "lines": [line.to_json() for line in report.lines],
        "flops": [row.flop for row in report.rows],
        "num_flops": report.num_flops,
        "meaning": report.meaning.value,
        "has_strategies": report.has_strategies,
    }
    return write_bundle(
        directory / REPORT_FOLDER,
        kind=REPORT_KIND,
        schema_version=REPORT_SCHEMA_VERSION,
        arrays={_FACTS: np.array(facts, dtype=np.float64), **lines},
        documents={_DOCUMENT: document},
        config_text=config_text,
        config_digest=config_digest,
        measured=[_FACTS],
        overwrite=True,
    )


def load_report(path: Path) -> FlopsReport:
    """Opens the report of a directory, or the bundle itself."""
    place = find_bundle(path, REPORT_FOLDER)
    bundle = load_bundle(place, REPORT_KIND, REPORT_SCHEMA_VERSION)
    with reading_contents(place):
        document, where = bundle.documents[_DOCUMENT], str(place)
        arrays = {
            name: require_array(
                where, bundle.arrays, name, [np.float64], (None, None), may_be_nan=True
            )
            for name in bundle.arrays
        }
        lines = tuple(map(ReportLine.from_json, document["lines"]))
        flops, facts = document["flops"], arrays[_FACTS]
        tables: list[Any] = [arrays[f"line{number}"] for number in range(len(lines))]
        if facts.shape != (len(flops), _NUM_FACTS) or any(len(t) != len(flops) for t in tables):
            raise ValueError("there are not as many rows as flops")
        for line, table in zip(lines, tables, strict=True):
            split_values(table, len(line.actions))  # refuses the numbers of another line
        rows = [
            FlopRow._make([*known, tuple(table[number] for table in tables)])
            for number, known in enumerate(zip(flops, *facts.T.tolist(), strict=True))
        ]
        return FlopsReport(
            title=document["title"],
            lines=lines,
            rows=tuple(rows),
            num_flops=int(document["num_flops"]),
            meaning=ExploitabilityMeaning(document["meaning"]),
            has_strategies=bool(document["has_strategies"]),
            config_text=bundle.config_text or "",
            manifest=bundle.manifest,
        )


def write_files(directory: Path, report: FlopsReport) -> list[Path]:
    """Writes the files of all lines, and returns their directories."""
    folders = []
    for line in report.lines:
        # In letters that every system has.
        folder = directory / LINES_FOLDER / line.name.replace(":", "-")
        table = report.table(line.name)
        columns = table.to_columns()
        with reporting_os_errors(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            with (
                replacing_file(folder / PIO_FILE) as part,
                part.open("w", newline="") as stream,
            ):
                write_pio(report, table, stream)
            with (
                replacing_file(folder / TABLE_FILE) as part,
                part.open("w", newline="") as stream,
            ):
                sheets.write_csv(columns, zip(*columns.values(), strict=True), stream)
            if sheets.has_parquet():
                with replacing_file(folder / PARQUET_FILE) as part:
                    sheets.write_parquet(part, [columns])
        folders.append(folder)
    return folders


def write_pio(report: FlopsReport, table: LineTable, stream: TextIO) -> None:
    """Writes what PioSOLVER's reports have: three lines of text, then percentages and chips."""
    line, writer = table.line, csv.writer(stream, lineterminator="\n")
    path = ":".join(filter(None, ("r:0", line.path.replace("x", "c"))))
    writer.writerow([f"runout report, {report.title}"])
    writer.writerow([f"line {path}, pot {format_amount(line.pot)}"])
    writer.writerow([f"{len(report.rows)} of {report.num_flops} flops, the last row is the mean"])
    columns = {"Global %": table.column("reach")}
    for name, kind in product(POSITION_NAMES, ("Equity", "EV", "EQR")):
        columns[f"{name} {kind}"] = table.column(f"{kind}_{name}")
    for name, number in action_names(line.actions).items():
        columns[f"{name} freq"] = table.column(f"freq_{line.actions[number].code}")
    writer.writerow(["Flop", *columns])

    def write(first: str, numbers: Iterable[float]) -> None:
        texts = [
            f"{100.0 * number:.3f}" if column.form is Form.SHARE else f"{number:.4f}"
            for column, number in zip(columns.values(), numbers, strict=True)
        ]
        writer.writerow([first, *("" if text == "nan" else text for text in texts)])

    for number, row in enumerate(table.rows):
        cards = " ".join(map(format_card, parse_cards(row.flop)))
        write(cards, (float(column.values[number]) for column in columns.values()))
    write("All", (column.mean(table.everything()) for column in columns.values()))


def action_names(actions: Sequence[NodeAction]) -> dict[str, int]:
    """Returns actions by PioSOLVER's names in its order: the largest bet first, fold last."""
    order = sorted(actions, key=lambda a: (a.kind in AGGRESSIVE_KINDS, a.amount, a.kind))
    bet = "RAISE" if any(action.kind is ActionKind.FOLD for action in actions) else "BET"
    return {
        f"{bet} {format_amount(a.amount)}" if a.kind in AGGRESSIVE_KINDS else a.kind.name: (
            actions.index(a)
        )
        for a in reversed(order)
    }
