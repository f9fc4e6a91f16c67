"""Solutions for the page: preflop games, spots, reports over flops and values."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runout.cards.deck import matchup_weights
from runout.cards.flops import describe_texture
from runout.config.load import load_run_config, load_spot_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import BundleError, RunoutError, quote
from runout.explorer.library import FoundRun, RunKind, RunSummary
from runout.solutions.breakdown import CardReport, report_cards
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import (
    REPORT,
    SPOT_KIND,
    SPOT_SCHEMA_VERSION,
    has_solution,
    load_spot,
    quality_of,
)
from runout.solutions.node import ExploitabilityUnit, Node, Provenance, Quality, Unit
from runout.solutions.node_files import node_summary_to_json, rounded
from runout.solutions.preflop import (
    PREFLOP_KIND,
    PREFLOP_SCHEMA_VERSION,
    SOLUTION_FOLDER,
    PreflopSolution,
    find_bundle,
)
from runout.solutions.report_files import load_report, quality_of_report
from runout.solutions.reports import Column, FilterError, FlopsReport, LineTable, name_of_line
from runout.solutions.run import RunView, open_run
from runout.solutions.values import NUM_POSITIONS, PostflopValues, ValueBundle, ValueSource
from runout.storage.bundle import load_bundle, read_manifest, reading_contents
from runout.trees.actions import format_amount
from runout.trees.betting import BLIND_NAMES
from runout.trees.layout import NO_NODE
from runout.trees.tree import POSITION_NAMES

# A preflop solution for the page: its nodes, all its lines, and where its flops come from.


Json = dict[str, Any]

#: Of trees with more nodes only lines that are played at least this often are listed.
MAX_LINES = 600
SMALLEST_REACH = 1e-4

_GUESSED = (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)


def _flop_table(path: str, title: str, unit: Unit, rows: list[Json]) -> Json:
    """Returns a table of flops for the page, without choices and more columns."""
    return {
        "path": path,
        "choices": [],
        "choice": "",
        "more": [],
        "title": title,
        "unit": unit.value,
        "players": list(POSITION_NAMES),
        "flops": rows,
    }


def _flop_row(flop: str, **known: Any) -> Json:
    """Returns a row of such a table."""
    unknown: Json = {"path": None, "run": None, "pot": 1.0, "more": {}, "actions": []}
    unknown |= {"equity": [None, None], "eqr": [None, None], "exploitability": None}
    return {"flop": flop, **unknown, **known}


@dataclass(frozen=True, eq=False)
class GameRun:
    """A preflop solution that is open.

    Attributes:
        view: what answers; several threads may ask.
        config_text: the config as it was given.
    """

    view: RunView
    config_text: str

    @classmethod
    def open(cls, path: Path) -> "GameRun":
        """Opens the directory of a run, or the bundle itself.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        bundle = load_bundle(
            find_bundle(path, SOLUTION_FOLDER), PREFLOP_KIND, PREFLOP_SCHEMA_VERSION
        )
        return cls(open_run(path), bundle.config_text or "")

    @property
    def solution(self) -> PreflopSolution:
        """What was solved."""
        return self.view.solution

    @property
    def title(self) -> str:
        """The stacks, and how flops were solved."""
        stacks = sorted({format_amount(stack) for stack in self.solution.tree.rules.stacks_bb})
        config = self.config
        if config is None:
            return f"{' and '.join(stacks)} bb"
        model = config.postflop_model
        is_played = bool(self.solution.tree.flop_leaves())
        unsolved = "flops checked down" if is_played else "no flops"
        number = 0 if model is None else len(model.flop_list())
        solved = "1 flop" if number == 1 else f"{number} flops"
        flops = unsolved if model is None else solved
        return f"{' and '.join(stacks)} bb, {flops}"

    @cached_property
    def config(self) -> RunConfig | None:
        """The config, None if an older version wrote it and it cannot be read any more."""
        try:
            return load_run_config(self.config_text)
        except RunoutError:
            return None

    @property
    def quality(self) -> Quality:
        """How well it is solved."""
        return self.view.quality

    def node(self, path: str) -> Node:
        """Returns what is known about a node, before the flop or on one that was kept.

        Raises:
            RunoutError: naming the first step that is no action, flop or card.
        """
        return self.view.node(path)

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last.

        Raises:
            RunoutError: if there is no such node, or no card is dealt on the way.
        """
        return report_cards(self.view, path)

    def flops(self) -> list[Json]:
        """Returns the flops that stand for all, with the share of each."""
        model = None if self.config is None else self.config.postflop_model
        if model is None:
            return []
        flops = model.flop_list()
        shares = flops.weights.tolist()
        return [
            {"flop": name, "share": share} for name, share in zip(flops.names, shares, strict=True)
        ]

    def flop_report(self, path: str) -> Json:
        """Returns one row per flop that was kept, with what is done first behind a line.

        Raises:
            RunoutError: if there is no such node, or what was kept is damaged.
        """
        node = self.node(path)
        shares = {row["flop"]: row["share"] for row in self.flops()}
        rows = []
        for flop in node.flops:
            first = self.node(node.path_after(flop))
            rows.append(
                _flop_row(
                    flop,
                    path=first.path,
                    pot=rounded(first.pot),
                    share=shares.get(flop, 1.0 / len(node.flops)),
                    **describe_texture(first.board).labels(),
                    actions=node_summary_to_json(first)["actions"],
                    ev=[rounded(first.range_ev(player)) for player in (0, 1)],
                    equity=[rounded(first.range_equity(player)) for player in (0, 1)],
                    eqr=[rounded(first.eqr(player)) for player in (0, 1)],
                )
            )
        return _flop_table(node.path, node.label, node.unit, rows)

    def leaves(self) -> list[Json]:
        """Returns where the values of each flop leaf come from."""
        sources = self.solution.report.flop_leaves
        return [
            {
                "path": leaf.path,
                "pot": rounded(leaf.pot_bb),
                "spr": rounded(leaf.spr),
                "reach": rounded(self.view.share_of_deals(leaf.node)),
                "source": f"{sources[leaf.path].source.value}, {sources[leaf.path].detail}",
                "is_guessed": sources[leaf.path].source in _GUESSED,
            }
            for leaf in self.solution.tree.flop_leaves()
        ]

    def lines(self) -> Json:
        """Returns every line in the order of a walk, with its reach and what it is worth."""
        rows: list[Json] = []
        is_large = self.view.tree.num_nodes > MAX_LINES
        self._add_lines(0, 0, SMALLEST_REACH if is_large else 0.0, rows)
        return {"players": list(BLIND_NAMES), "unit": Unit.BIG_BLINDS.value, "rows": rows}

    def _add_lines(self, node: int, depth: int, smallest: float, rows: list[Json]) -> None:
        reach = self.view.share_of_deals(node)
        if depth > 0 and reach < smallest:
            return
        tree = self.view.tree
        seen, parent = self.view.node_at(node), int(tree.layout.parent[node])
        actor = "" if parent == NO_NODE else f"{BLIND_NAMES[self.view.actor(parent)]} "
        rows.append(
            {
                "path": seen.path,
                "label": f"{actor}{tree.action_label(node)}" if actor else "start",
                "depth": depth,
                "kind": seen.kind.value,
                "frequency": rounded(self.solution.action_frequency(node)) if actor else None,
                "reach": rounded(reach),
                "pot": rounded(seen.pot),
                "ev": [rounded(seen.range_ev(player)) for player in range(len(BLIND_NAMES))],
            }
        )
        for child in tree.layout.children(node):
            self._add_lines(child, depth + 1, smallest, rows)


# A solved spot for the page: what it is, how well it is solved, and its nodes.


@dataclass(frozen=True, eq=False)
class SpotSummary:
    """What is known about a spot without looking at its strategies.

    Attributes:
        config: what was solved.
        quality: how well it is solved.
        config_text: the config as it is kept.
    """

    config: SpotConfig
    quality: Quality
    config_text: str

    @classmethod
    def open(cls, path: Path) -> "SpotSummary":
        """Reads the documents of a bundle.

        Raises:
            BundleError: if it is missing, damaged, of another kind, or has no solution.
        """
        bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMA_VERSION, verify=False)
        with reading_contents(path):
            config = load_spot_config(bundle.config_text or "")
            provenance = Provenance.of(bundle.manifest)
            quality = quality_of(config, bundle.documents[REPORT], provenance)
        if not has_solution(path):
            problem = "has only what a solver goes on from; give its solve-spot command again"
            raise BundleError(str(path), problem)
        return cls(config, quality, bundle.config_text or "")

    @property
    def title(self) -> str:
        """The board and the money."""
        pot, stack = format_amount(self.config.pot), format_amount(self.config.stack)
        return f"{self.config.board}, pot {pot}, stack {stack}"

    @property
    def note(self) -> str:
        """Where it comes from, if a preflop solution has led to it."""
        return "" if self.config.origin is None else self.config.origin.describe()


@dataclass(frozen=True, eq=False)
class SpotRun(SpotSummary):
    """A spot that is open.

    Attributes:
        stored: what answers; several threads may ask.
    """

    stored: StoredSpot

    @classmethod
    def open(cls, path: Path) -> "SpotRun":
        """Opens a bundle.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        summary = SpotSummary.open(path)
        return cls(summary.config, summary.quality, summary.config_text, load_spot(path))

    def node(self, path: str) -> Node:
        """Returns what is known about a node.

        Raises:
            RunoutError: naming the first step that is no action or card.
        """
        return self.stored.node(path)

    def cards(self, path: str) -> CardReport:
        """Returns the node with each card that can come, or could have come last.

        Raises:
            RunoutError: if there is no such node, or no card is dealt on the way.
        """
        return report_cards(self.stored, path)


# A report over flops for the page: one row for each flop at a line, by texture.


#: Columns that the page shows besides those of every table of flops.
_MORE = ("reach", "nuts_oop", "nuts_ip")
_MORE_BEGINNINGS = ("cost_", "only_")


@dataclass(frozen=True, eq=False)
class ReportRun:
    """A report that is open.

    Attributes:
        flops: the report.
        quality: how well the worst flop is solved.
        config_text: the spot without its board.
        spots: the ids of the flops whose solutions were kept.
    """

    flops: FlopsReport
    quality: Quality
    config_text: str
    spots: Mapping[str, str]

    @classmethod
    def open(cls, found: FoundRun) -> "ReportRun":
        """Opens a report.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        report, bundle = load_report(found.bundle)
        quality = quality_of_report(report, Provenance.of(bundle.manifest))
        return cls(report, quality, bundle.config_text or "", found.spots)

    @property
    def title(self) -> str:
        """How many flops, and the spot."""
        return f"{len(self.flops.rows):,} flops, {self.flops.title}"

    @property
    def note(self) -> str:
        """Whether some flops are missing."""
        done, total = len(self.flops.rows), self.flops.num_flops
        return "" if done == total else f"{done:,} of {total:,} flops are solved"

    def report(self, choice: str) -> Json:
        """Returns one row per flop at a line; by default the first.

        Raises:
            BundleError: if it was not looked at.
        """
        names = [name_of_line(line.path) for line in self.flops.lines]
        chosen = choice or names[0]
        try:
            table = self.flops.table(chosen)
        except FilterError as error:
            raise BundleError(f"line {quote(choice)}", error.problem) from None
        line = table.line
        # Every deal gets to the root.
        more = [c for c in table.columns if _is_more(c) and (line.path or c.key != "reach")]
        who = line.label if line.actor is None else f"{POSITION_NAMES[line.actor]} acts"
        name = name_of_line(line.path)
        rows = [self._row(table, number, more) for number in range(len(table.rows))]
        return _flop_table(name, f"{who}, line {name}", Unit.CHIPS, rows) | {
            "choices": names,
            "choice": "line",
            "more": [{"key": c.key, "label": c.heading, "form": c.form.value} for c in more],
        }

    def _row(self, table: LineTable, number: int, more: list[Column]) -> Json:
        row, values, line = table.rows[number], table.values[number], table.line
        eqrs = [table.column(f"eqr_{name.lower()}").values[number] for name in POSITION_NAMES]
        return _flop_row(
            row.flop,
            path=line.path,
            run=self.spots.get(row.flop),
            pot=rounded(line.pot),
            share=float(table.weights[number]),
            **table.labels[number],
            actions=[
                {**action, "frequency": rounded(frequency)}
                for action, frequency in zip(
                    line.to_json()["actions"], values.frequency, strict=True
                )
            ],
            ev=[rounded(value) for value in values.ev],
            equity=[rounded(value) for value in values.equity],
            eqr=[rounded(float(value)) for value in eqrs],
            more={column.key: rounded(float(column.values[number])) for column in more},
            exploitability=row.exploitability_pot,
        )


def _is_more(column: Column) -> bool:
    return column.key in _MORE or column.key.startswith(_MORE_BEGINNINGS)


# Values of flops for the page: what each flop is worth to both players, by texture.


@dataclass(frozen=True, eq=False)
class ValuesRun:
    """A bundle of values that is open.

    Attributes:
        bundle: the values.
        provenance: where it comes from.
    """

    bundle: ValueBundle
    provenance: Provenance

    @classmethod
    def open(cls, path: Path) -> "ValuesRun":
        """Opens a bundle; its arrays stay on the disk until they are asked about.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        return cls(ValueBundle.load(path, verify=False), Provenance.of(read_manifest(path)))

    @property
    def config_text(self) -> str:
        """The config as it was given."""
        return self.bundle.config_text

    @property
    def title(self) -> str:
        """How many flops, at which ratios."""
        sprs = ", ".join(self.choices)
        return f"{len(self.bundle.values[0].flops)} flops at SPR {sprs}"

    @property
    def choices(self) -> list[str]:
        """The stack-to-pot ratios as text."""
        return [f"{values.spr:g}" for values in self.bundle.values]

    @property
    def quality(self) -> Quality:
        """How well the worst flop is solved."""
        reports = [report for values in self.bundle.values for report in values.reports]
        worst = max(reports, key=lambda report: report.exploitability_pot)
        return Quality(
            exploitability=worst.exploitability_pot,
            unit=ExploitabilityUnit.POT,
            meaning=worst.meaning,
            real_exploitability=None,
            iterations=max(report.iterations for report in reports),
            seconds=sum(report.seconds for report in reports),
            provenance=self.provenance,
        )

    def report(self, choice: str) -> Json:
        """Returns one row per flop at a stack-to-pot ratio; by default the first.

        Raises:
            BundleError: if it was not solved.
        """
        chosen = choice or self.choices[0]
        if chosen not in self.choices:
            solved = ", ".join(self.choices)
            raise BundleError(f"SPR {quote(choice)}", f"was not solved, this bundle has {solved}")
        rows = self._rows[self.choices.index(chosen)]
        table = _flop_table(chosen, f"SPR {chosen}", Unit.POTS, rows)
        return table | {"choices": self.choices, "choice": "SPR"}

    @cached_property
    def _rows(self) -> list[list[Json]]:
        return [_rows_of(values) for values in self.bundle.values]


def _rows_of(values: PostflopValues) -> list[Json]:
    """Returns what each flop is worth to the ranges that it was solved for."""
    flops, rows = values.flops, []
    for number, (flop, share) in enumerate(zip(flops.flops, flops.weights.tolist(), strict=True)):
        joint = matchup_weights(flop).astype(np.float64)
        if values.ranges is not None:
            joint *= values.ranges[0][:, None] * values.ranges[1][None, :]
        means = [
            (np.nan_to_num(values.value_pot[number, position]) * weights).sum() / joint.sum()
            for position, weights in zip(range(NUM_POSITIONS), (joint, joint.T), strict=True)
        ]
        rows.append(
            _flop_row(
                flops.names[number],
                share=share,
                **describe_texture(flop).labels(),
                ev=[rounded(float(mean)) for mean in means],
                exploitability=values.reports[number].exploitability_pot,
            )
        )
    return rows


# From what was found to what answers, by kind.


@dataclass(frozen=True)
class _Summary:
    """A summary that keeps no file open."""

    title: str
    quality: Quality
    config_text: str


class RunOpener:
    """Opens solutions of all kinds, and tells about them without opening them."""

    def __init__(self) -> None:
        self._summaries: dict[tuple[str, str], RunSummary] = {}

    def open(self, found: FoundRun) -> RunSummary:
        """Opens a solution.

        Raises:
            BundleError: if it is missing, damaged, or of a version that cannot be read.
        """
        match found.kind:
            case RunKind.SPOT:
                return SpotRun.open(found.bundle)
            case RunKind.VALUES:
                return ValuesRun.open(found.bundle)
            case RunKind.REPORT:
                return ReportRun.open(found)
            case _:
                return GameRun.open(found.path)

    def summarize(self, found: FoundRun) -> RunSummary:
        """Returns what the list of solutions says about one; read once for each contents.

        Raises:
            BundleError: like `open`.
        """
        digest = "" if found.manifest is None else found.manifest.digest
        key = found.id, digest
        if key not in self._summaries:
            is_spot = found.kind is RunKind.SPOT
            summary = SpotSummary.open(found.bundle) if is_spot else self.open(found)
            self._summaries = {k: v for k, v in self._summaries.items() if k[0] != found.id}
            self._summaries[key] = _Summary(summary.title, summary.quality, summary.config_text)
        return self._summaries[key]
