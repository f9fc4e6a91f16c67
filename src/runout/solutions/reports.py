"""One spot on many flops: rows, tables, means by true weights; as a bundle, CSV and Parquet."""

import csv
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from runout.arrays import BoolArray, FloatArray, divide
from runout.cards.deck import format_card, live_combos, parse_cards
from runout.cards.flops import LABELS, TextureKind, describe_texture
from runout.cards.hand_classes import classify_hands
from runout.errors import RunoutError, quote
from runout.solutions.node import Node, NodeAction, Provenance, Quality, known_mean
from runout.solutions.node_files import action_from_json, action_to_json
from runout.solutions.preflop import LINES_FOLDER, REPORT_FOLDER, find_bundle
from runout.solutions.sheet import has_parquet, write_csv, write_parquet
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import Bundle, Manifest, load_bundle, reading_contents
from runout.storage.files import replacing_file, reporting_os_errors
from runout.storage.writer import write_bundle
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.paths import join_path, read_path
from runout.trees.tree import POSITION_NAMES

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


@dataclass(frozen=True)
class LineValues:
    """What a line is on one flop; NaN where the ranges do not meet.

    Attributes:
        deals: weight of the pairs of combos that are played to here.
        ev: what OOP and IP get of the pot, in chips.
        equity: what they would get at a showdown, as a share of the pot.
        nuts: share of each range that is among the best made hands of the flop.
        frequency: how often each action is taken.
        cost: what the actor's range loses if all of it takes the action, in chips; the opponent
            plays on as it is.
        size_cost: what the actor loses in the whole game if this bet is its only size on the flop,
            in chips; both learn anew. NaN for what is no bet, none where it was not asked for.
    """

    deals: float
    ev: tuple[float, ...]
    equity: tuple[float, ...]
    nuts: tuple[float, ...]
    frequency: tuple[float, ...]
    cost: tuple[float, ...]
    size_cost: tuple[float, ...] = ()

    def to_array(self) -> FloatArray:
        """Returns ``[7 + 2 A]`` or, with costs of sizes, ``[7 + 3 A]`` all numbers in a row."""
        parts = (self.ev, self.equity, self.nuts, self.frequency, self.cost, self.size_cost)
        return np.array([self.deals, *itertools.chain.from_iterable(parts)])

    @classmethod
    def from_array(cls, numbers: FloatArray, num_actions: int) -> "LineValues":
        """Reads what `to_array` has written."""
        values = iter(numbers.tolist())
        num_sizes = len(numbers) - _NUM_FIXED - 2 * num_actions
        if num_sizes not in (0, num_actions):
            raise ValueError(f"a line of {num_actions} actions has no {len(numbers)} numbers")
        lengths = (2, 2, 2, num_actions, num_actions, num_sizes)
        deals = next(values)
        return cls(deals, *(tuple(itertools.islice(values, number)) for number in lengths))


@dataclass(frozen=True)
class FlopRow:
    """What the solve of one flop has come to.

    Attributes:
        flop: its cards as they were given, such as ``AhKd7s``.
        share: of all 22,100 flops, what it stands for.
        deals: weight of the pairs of combos that it leaves the two ranges.
        exploitability_pot: of the solve, as a fraction of the pot.
        iterations: done.
        seconds: taken, further solves for costs of sizes included.
        lines: the chosen lines, in their order.
    """

    flop: str
    share: float
    deals: float
    exploitability_pot: float
    iterations: int
    seconds: float
    lines: tuple[LineValues, ...]


def line_values(node: Node, size_cost: tuple[float, ...] = ()) -> LineValues:
    """Returns what a node on a flop says, as numbers."""
    is_nuts = nut_hands(node.board)
    has_actor = node.actor is not None
    return LineValues(
        deals=float(node.deals(0).sum()),
        ev=tuple(node.range_ev(player) for player in _PLAYERS),
        equity=tuple(node.range_equity(player) for player in _PLAYERS),
        nuts=tuple(
            known_mean(is_nuts.astype(np.float64), node.deals(player)) for player in _PLAYERS
        ),
        frequency=tuple(node.frequency().tolist()) if has_actor else (),
        cost=range_costs(node) if has_actor else (),
        size_cost=size_cost,
    )


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
        """Returns the table of a line; a `FilterError` names those there are."""
        wanted = "" if path == ROOT else join_path(*read_path(path).steps)
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
        pairs = zip(self.rows, self.values, strict=True)
        return np.array([row.share * line.deals for row, line in pairs])

    @cached_property
    def _dealt(self) -> FloatArray:
        return np.array([row.share * row.deals for row in self.rows])

    @cached_property
    def labels(self) -> list[dict[str, str]]:
        """What each flop is called."""
        return [describe_texture(parse_cards(row.flop)) for row in self.rows]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All numbers, in the order of tables and files."""
        rows, played, dealt, pot = self.rows, self._played, self._dealt, self.line.pot
        found = [
            Column("share", "share", Form.SHARE, np.array([row.share for row in rows])),
            Column(WEIGHT_KEY, "weight", Form.SHARE, self.weights),
            Column("reach", "reach", Form.SHARE, divide(played, dealt), dealt),
        ]
        for player, name in enumerate(POSITION_NAMES):
            end = name.lower()
            ev, equity, nuts = (
                np.array([getattr(line, what)[player] for line in self.values])
                for what in ("ev", "equity", "nuts")
            )
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
            values = np.array([getattr(row, key) for row in rows], dtype=np.float64)
            found.append(Column(key.removesuffix("_pot"), heading, form, values, weights))
        return tuple(found)

    def _action_columns(self) -> list[Column]:
        columns = []
        for what, key, word in (
            ("frequency", "freq", ""),
            ("cost", "cost", "all "),
            ("size_cost", "only", "only "),
        ):
            known = [numbers for line in self.values if (numbers := getattr(line, what))]
            form = Form.SHARE if what == "frequency" else Form.CHIPS
            for number, action in enumerate(
                self.line.actions if len(known) == len(self.rows) else ()
            ):
                values = np.array([numbers[number] for numbers in known])
                if what != "size_cost" or not np.isnan(values).all():
                    name, heading = f"{key}_{action.code}", f"{word}{action.code}"
                    columns.append(Column(name, heading, form, values, self._played))
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


# A report over flops as a bundle: one array of numbers for each line, a row for each flop.


REPORT_KIND = "flop_report"
REPORT_SCHEMA_VERSION = 1

_DOCUMENT = "report"
_FACTS = "facts"
_NUM_FACTS = 5


def save_report(
    directory: Path, report: FlopsReport, config_text: str, config_digest: str
) -> Manifest:
    """Writes the report of a directory, in place of an earlier one.

    The config is the spot without its board; its digest also names how well it is solved.
    """
    facts = [
        [row.share, row.deals, row.exploitability_pot, row.iterations, row.seconds]
        for row in report.rows
    ]
    lines = {
        f"line{number}": np.array([row.lines[number].to_array() for row in report.rows])
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


def load_report(path: Path) -> tuple[FlopsReport, Bundle]:
    """Opens the report of a directory, or the bundle itself."""
    place = find_bundle(path, REPORT_FOLDER)
    bundle = load_bundle(place, REPORT_KIND, REPORT_SCHEMA_VERSION)
    with reading_contents(place):
        return _read(bundle.documents[_DOCUMENT], bundle.arrays), bundle


def _read(document: Mapping[str, Any], arrays: Mapping[str, Any]) -> FlopsReport:
    lines = tuple(map(ReportLine.from_json, document["lines"]))
    flops, facts = document["flops"], arrays[_FACTS]
    tables: list[FloatArray] = [arrays[f"line{number}"] for number in range(len(lines))]
    if facts.shape != (len(flops), _NUM_FACTS) or any(len(t) != len(flops) for t in tables):
        raise ValueError("there are not as many rows as flops")
    rows = []
    for number, (flop, known) in enumerate(zip(flops, facts.tolist(), strict=True)):
        share, deals, exploitability, iterations, seconds = known
        values = tuple(
            LineValues.from_array(table[number], len(line.actions))
            for line, table in zip(lines, tables, strict=True)
        )
        rows.append(FlopRow(flop, share, deals, exploitability, int(iterations), seconds, values))
    return FlopsReport(
        title=document["title"],
        lines=lines,
        rows=tuple(rows),
        num_flops=int(document["num_flops"]),
        meaning=ExploitabilityMeaning(document["meaning"]),
        has_strategies=bool(document["has_strategies"]),
    )


def quality_of_report(report: FlopsReport, provenance: Provenance | None = None) -> Quality:
    """Returns how well the worst flop is solved."""
    return Quality(
        max((row.exploitability_pot for row in report.rows), default=0.0),
        report.meaning,
        max((row.iterations for row in report.rows), default=0),
        sum(row.seconds for row in report.rows),
        provenance=provenance,
    )


# A report over flops as files that other programs read: CSV as PioSOLVER writes it, CSV, Parquet.
#
# Each line of play has a directory: ``report.csv`` with PioSOLVER's columns and percentages,
# ``table.csv`` and ``table.parquet`` with all numbers as fractions and chips.


PIO_FILE, TABLE_FILE, PARQUET_FILE = "report.csv", "table.csv", "table.parquet"

#: The last row of PioSOLVER's file, the mean by weights.
_MEAN = "All"
_PERCENT_DIGITS, _CHIP_DIGITS = 3, 4


def write_files(directory: Path, report: FlopsReport) -> list[Path]:
    """Writes the files of all lines, and returns their directories."""
    folders = []
    for line in report.lines:
        name = name_of_line(line.path)
        # In letters that every system has.
        folder, table = directory / LINES_FOLDER / name.replace(":", "-"), report.table(name)
        with reporting_os_errors(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            for file, write in ((PIO_FILE, write_pio), (TABLE_FILE, write_table)):
                with replacing_file(folder / file) as part, part.open("w", newline="") as stream:
                    write(report, table, stream)
            if has_parquet():
                with replacing_file(folder / PARQUET_FILE) as part:
                    write_parquet(part, [table_columns(table)])
        folders.append(folder)
    return folders


def write_pio(report: FlopsReport, table: LineTable, stream: TextIO) -> None:
    """Writes what PioSOLVER's reports have: three lines of text, then percentages and chips."""
    writer = csv.writer(stream, lineterminator="\n")
    path = ":".join(filter(None, ("r:0", table.line.path.replace("x", "c"))))
    writer.writerow([f"runout report, {report.title}"])
    writer.writerow([f"line {path}, pot {format_amount(table.line.pot)}"])
    writer.writerow([f"{len(report.rows)} of {report.num_flops} flops, the last row is the mean"])
    # In PioSOLVER's order: the largest bet first, fold last.
    actions = sorted(
        table.line.actions, key=lambda a: (a.kind in AGGRESSIVE_KINDS, a.amount, a.kind)
    )[::-1]
    kinds = [f"{name} {kind}" for name in POSITION_NAMES for kind in ("Equity", "EV", "EQR")]
    frequencies = [f"{_pio_name(action, table.line.actions)} freq" for action in actions]
    writer.writerow(["Flop", "Global %", *kinds, *frequencies])
    keys = ["_".join(reversed(kind.lower().split())) for kind in kinds]
    keys = ["reach", *keys, *(f"freq_{action.code}" for action in actions)]
    columns = [table.column(key) for key in keys]
    for number, row in enumerate(table.rows):
        cells = [_pio_number(float(c.values[number]), c.form) for c in columns]
        cards = " ".join(map(format_card, parse_cards(row.flop)))
        writer.writerow([cards, *cells])
    everything = table.everything()
    writer.writerow([_MEAN, *(_pio_number(c.mean(everything), c.form) for c in columns)])


def write_table(report: FlopsReport, table: LineTable, stream: TextIO) -> None:
    """Writes all columns, a row for each flop; nothing where there is no value."""
    columns = table_columns(table)
    write_csv(columns, zip(*columns.values(), strict=True), stream)


def table_columns(table: LineTable) -> dict[str, list[Any]]:
    """Returns all columns by name: the flop, its textures, and numbers."""
    columns: dict[str, list[Any]] = {FLOP_KEY: [row.flop for row in table.rows]}
    columns |= {kind.value: [names[kind] for names in table.labels] for kind in TextureKind}
    for column in table.columns:
        is_count = column.form is Form.COUNT
        columns[column.key] = column.values.astype(np.int64 if is_count else np.float64).tolist()
    return columns


def _pio_name(action: NodeAction, actions: Sequence[NodeAction]) -> str:
    if action.kind not in AGGRESSIVE_KINDS:
        return action.kind.name
    faces_bet = any(other.kind is ActionKind.FOLD for other in actions)
    return f"{'RAISE' if faces_bet else 'BET'} {format_amount(action.amount)}"


def _pio_number(value: float, form: Form) -> str:
    if math.isnan(value):
        return ""
    if form is Form.SHARE:
        return f"{100.0 * value:.{_PERCENT_DIGITS}f}"
    return f"{value:.{_CHIP_DIGITS}f}"
