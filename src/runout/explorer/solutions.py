"""Solutions for the page: preflop games, spots, reports over flops and values, each as a `Run`."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from runout.cards.flops import describe_texture
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import BundleError, RunoutError, quote
from runout.explorer.library import FoundRun, RunKind, require_plain_files
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import (
    REPORT,
    SPOT_KIND,
    SPOT_SCHEMAS,
    has_solution,
    load_spot,
    quality_of,
)
from runout.solutions.node import Provenance, Quality, Unit
from runout.solutions.node_files import node_summary_to_json
from runout.solutions.preflop import FLOPS_FOLDER, PreflopSolution, load_solution
from runout.solutions.reports import (
    Column,
    FilterError,
    FlopsReport,
    LineTable,
    load_report,
)
from runout.solutions.sheet import rounded
from runout.solutions.values import PostflopValues, ValueBundle, ValueSource
from runout.storage.bundle import MANIFEST_FILE, load_bundle, read_manifest, reading_contents
from runout.trees.actions import format_amount
from runout.trees.betting import BLIND_NAMES
from runout.trees.layout import NO_NODE
from runout.trees.tree import POSITION_NAMES

Json = dict[str, Any]

#: Of trees with more nodes only lines that are played at least this often are listed.
MAX_LINES = 600
SMALLEST_REACH = 1e-4
#: Solutions that are open at the same time; the one that was asked about longest ago is closed.
MAX_OPEN = 12

_GUESSED = (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
#: Columns of reports that the page shows besides those of every table of flops.
_MORE = ("reach", "nuts_", "cost_", "only_")

#: Sizes, times and numbers of files.
Stamp = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, eq=False)
class Run:
    """A solution of any kind; several threads may ask it.

    Attributes:
        title: what was solved, in a few words.
        quality: how well it is solved; the worst flop of several.
        config_text: the config as it was given.
        note: where it comes from, or what is missing; empty for nothing to note.
        view: the nodes; None for reports and values, and for summaries.
        flops: returns the table of flops at a line, node or stack-to-pot ratio; None if there
            is none.
        shares: of a preflop game, the flops that stand for all, each with its share.
    """

    title: str
    quality: Quality
    config_text: str
    note: str = ""
    view: PreflopSolution | StoredSpot | None = None
    flops: Callable[[str], Json] | None = None
    shares: Mapping[str, float] = field(default_factory=dict)


def open_found(found: FoundRun, has_nodes: bool = True) -> Run:
    """Opens a solution; without nodes, spots are not looked at beyond their documents."""
    match found.kind:
        case RunKind.SPOT:
            return open_spot(found.bundle, has_nodes)
        case RunKind.VALUES:
            return _open_values(found.bundle)
        case RunKind.REPORT:
            return _open_report(found)
    return make_game(load_solution(found.path))


class OpenedRun(NamedTuple):
    """A solution, and digest and stamp of the files that it was read from."""

    found: FoundRun
    run: Run
    digest: str
    stamp: Stamp


class OpenedRuns:
    """Opens what is asked about, once, and again if its files change."""

    def __init__(self) -> None:
        self._opened: OrderedDict[str, OpenedRun] = OrderedDict()
        self._summaries: dict[str, tuple[str, Run]] = {}
        self._lock = threading.Lock()
        self._lock_by_id: dict[str, threading.Lock] = {}

    def get(self, found: FoundRun) -> OpenedRun:
        """Returns an open solution."""
        with self._lock:
            own_lock = self._lock_by_id.setdefault(found.id, threading.Lock())
        with own_lock:  # one thread opens, the others wait for it
            stamp = _stamp(found)
            known = self._opened.get(found.id)
            if known is None or known.stamp != stamp:
                known = _open(found, stamp)
        with self._lock:
            self._opened[found.id] = known
            self._opened.move_to_end(found.id)
            while len(self._opened) > MAX_OPEN:
                self._opened.popitem(last=False)
        return known

    def summarize(self, found: FoundRun) -> Run:
        """Returns what the list of solutions says about one, without what keeps files open."""
        digest = "" if found.manifest is None else found.manifest.digest
        known = self._summaries.get(found.id)
        if known is None or known[0] != digest:
            known = digest, replace(open_found(found, has_nodes=False), view=None, flops=None)
            self._summaries[found.id] = known
        return known[1]


def _open(found: FoundRun, stamp: Stamp) -> OpenedRun:
    for bundle in _bundles_of(found):
        require_plain_files(bundle, [MANIFEST_FILE, *read_manifest(bundle).files])
    digest = "".join(read_manifest(bundle).digest[:16] for bundle in _bundles_of(found))
    return OpenedRun(found, open_found(found), digest, stamp)


def _bundles_of(found: FoundRun) -> list[Path]:
    """Returns the bundles that a solution is read from."""
    flops = found.path / FLOPS_FOLDER
    return [found.bundle, flops] if found.kind is RunKind.JOINT else [found.bundle]


def _stamp(found: FoundRun) -> Stamp:
    """Returns sizes, times and numbers of all files of a solution.

    A file that is cut short while it is mapped would end the process when it is read; so files are
    looked at before every answer, which takes microseconds.
    """
    stamps = []
    for bundle in _bundles_of(found):
        try:
            for place in sorted(bundle.iterdir()):
                status = place.stat()
                stamps.append((status.st_size, status.st_mtime_ns, status.st_ino))
        except OSError as error:
            raise BundleError(str(bundle), "is gone or cannot be read") from error
    return tuple(stamps)


def _flop_table(path: str, title: str, unit: Unit, rows: list[Json], **known: Any) -> Json:
    """Returns a table of flops for the page, by default without choices and more columns."""
    return {
        "path": path,
        "choices": [],
        "choice": "",
        "more": [],
        "title": title,
        "unit": unit.value,
        "players": list(POSITION_NAMES),
        "flops": rows,
        **known,
    }


def _flop_row(flop: str, **known: Any) -> Json:
    """Returns a row of such a table."""
    unknown: Json = {"path": None, "run": None, "pot": 1.0, "more": {}, "actions": []}
    unknown |= {"equity": [None, None], "eqr": [None, None], "exploitability": None}
    return {"flop": flop, **unknown, **known}


# Preflop games.


def make_game(view: PreflopSolution) -> Run:
    """Returns a preflop game; a config that cannot be read any more hides nothing else."""
    config: RunConfig | None
    try:
        config = parse_config(view.config_text, RunConfig)
    except RunoutError:  # an older version wrote it
        config = None
    model = None if config is None else config.postflop_model
    flops = None if model is None else model.flop_list()
    title = view.title
    shares: dict[str, float] = {}
    if flops is not None:
        shares = dict(zip(flops.names, flops.weights.tolist(), strict=True))
        title += ", 1 flop" if len(flops) == 1 else f", {len(flops)} flops"
    elif config is not None:
        title += ", flops checked down" if view.tree.flop_leaves() else ", no flops"
    table = partial(_table_of_game, view, shares)
    return Run(title, view.quality, view.config_text, view=view, flops=table, shares=shares)


def _table_of_game(view: PreflopSolution, shares: Mapping[str, float], path: str) -> Json:
    """Returns one row per flop that was kept, with what is done first behind a line."""
    node = view.node(path)
    rows = []
    for flop in node.flops:
        first = view.node(node.path_after(flop))
        summary = node_summary_to_json(first)
        rows.append(
            _flop_row(
                flop,
                path=first.path,
                pot=rounded(first.pot),
                share=shares.get(flop, 1.0 / len(node.flops)),
                **describe_texture(first.board),
                actions=summary["actions"],
                ev=summary["range_ev"],
                equity=summary["range_equity"],
                eqr=summary["eqr"],
            )
        )
    players = list(node.players[::-1])  # the big blind acts first on a flop
    return _flop_table(node.path, node.label, node.unit, rows, players=players)


def list_leaves(view: PreflopSolution) -> list[Json]:
    """Returns where the values of each flop leaf of a preflop game come from."""
    sources = view.report.flop_leaves
    return [
        {
            "path": leaf.path,
            "pot": rounded(leaf.pot_bb),
            "spr": rounded(leaf.spr),
            "reach": rounded(view.share_of_deals(leaf.node)),
            "source": f"{sources[leaf.path].source.value}, {sources[leaf.path].detail}",
            "is_guessed": sources[leaf.path].source in _GUESSED,
        }
        for leaf in view.tree.flop_leaves()
    ]


def list_lines(view: PreflopSolution) -> Json:
    """Returns every line of a preflop game in the order of a walk, with its reach and its EVs."""
    smallest = SMALLEST_REACH if view.tree.num_nodes > MAX_LINES else 0.0
    rows: list[Json] = []
    _add_lines(view, 0, 0, smallest, rows)
    return {"players": list(BLIND_NAMES), "unit": Unit.BIG_BLINDS.value, "rows": rows}


def _add_lines(
    view: PreflopSolution, node: int, depth: int, smallest: float, rows: list[Json]
) -> None:
    reach = view.share_of_deals(node)
    if depth > 0 and reach < smallest:
        return
    tree = view.tree
    seen, parent = view.node_at(node), int(tree.layout.parent[node])
    actor = "" if parent == NO_NODE else f"{BLIND_NAMES[view.actor(parent)]} "
    rows.append(
        {
            "path": seen.path,
            "label": f"{actor}{tree.action_label(node)}" if actor else "start",
            "depth": depth,
            "kind": seen.kind.value,
            "frequency": rounded(view.action_frequency(node)) if actor else None,
            "reach": rounded(reach),
            "pot": rounded(seen.pot),
            "ev": [rounded(seen.range_ev(player)) for player in range(len(BLIND_NAMES))],
        }
    )
    for child in tree.layout.children(node):
        _add_lines(view, child, depth + 1, smallest, rows)


# Spots.


def open_spot(path: Path, has_nodes: bool = True) -> Run:
    """Opens a bundle of a spot."""
    bundle = load_bundle(path, SPOT_KIND, SPOT_SCHEMAS, verify=False)
    with reading_contents(path):
        config_text = bundle.config_text or ""
        config = parse_config(config_text, SpotConfig)
        quality = quality_of(config, bundle.documents[REPORT], Provenance.of(bundle.manifest))
    if not has_solution(path):
        problem = "is unfinished; rerun its command to resume"
        raise BundleError(str(path), problem)
    title = f"{config.board}, pot {format_amount(config.pot)}, stack {format_amount(config.stack)}"
    note = "" if config.origin is None else config.origin.describe()
    return Run(title, quality, config_text, note, load_spot(path) if has_nodes else None)


# Reports over flops: one row for each flop at a line, by texture.


def _open_report(found: FoundRun) -> Run:
    report = load_report(found.bundle)
    done, total = len(report.rows), report.num_flops
    return Run(
        title=f"{done:,} flops, {report.title}",
        quality=report.quality,
        config_text=report.config_text,
        note="" if done == total else f"{done:,} of {total:,} flops are solved",
        flops=partial(_table_of_report, report, found.spots),
    )


def _table_of_report(report: FlopsReport, spots: Mapping[str, str], choice: str) -> Json:
    """Returns one row per flop at a line; by default the first.

    Args:
        report: what was solved.
        spots: the ids of the flops whose solutions were kept.
        choice: the name of a line.
    """
    names = [line.name for line in report.lines]
    try:
        table = report.table(choice or names[0])
    except FilterError as error:
        raise BundleError(f"line {quote(choice)}", error.problem) from None
    line = table.line
    # Every deal gets to the root.
    more = [
        column
        for column in table.columns
        if column.key.startswith(_MORE) and (line.path or column.key != "reach")
    ]
    who = line.label if line.actor is None else f"{POSITION_NAMES[line.actor]} acts"
    return _flop_table(
        line.name,
        f"{who}, line {line.name}",
        Unit.CHIPS,
        [_row_of_report(table, number, spots, more) for number in range(len(table.rows))],
        choices=names,
        choice="line",
        more=[{"key": c.key, "label": c.heading, "form": c.form.value} for c in more],
    )


def _row_of_report(
    table: LineTable, number: int, spots: Mapping[str, str], more: list[Column]
) -> Json:
    row, line = table.rows[number], table.line
    values = {name: numbers[number].tolist() for name, numbers in table.values.items()}
    eqrs = [table.column(f"eqr_{name.lower()}").values[number] for name in POSITION_NAMES]
    actions = zip(line.to_json()["actions"], values["frequency"], strict=True)
    return _flop_row(
        row.flop,
        path=line.path,
        run=spots.get(row.flop),
        pot=rounded(line.pot),
        share=float(table.weights[number]),
        **table.labels[number],
        actions=[{**action, "frequency": rounded(frequency)} for action, frequency in actions],
        ev=[rounded(value) for value in values["ev"]],
        equity=[rounded(value) for value in values["equity"]],
        eqr=[rounded(float(value)) for value in eqrs],
        more={column.key: rounded(float(column.values[number])) for column in more},
        exploitability=row.exploitability_pot,
    )


# Values of flops: what each flop is worth to both players, by texture.


def _open_values(path: Path) -> Run:
    """Opens a bundle; its arrays stay on the disk until they are asked about."""
    bundle = ValueBundle.load(path, verify=False)
    by_spr = {f"{values.spr:g}": values for values in bundle.values}
    return Run(
        bundle.title, bundle.quality, bundle.config_text, flops=partial(_table_of_values, by_spr)
    )


def _table_of_values(by_spr: Mapping[str, PostflopValues], choice: str) -> Json:
    """Returns one row per flop at a stack-to-pot ratio; by default the first."""
    choices = list(by_spr)
    chosen = choice or choices[0]
    if chosen not in by_spr:
        solved = ", ".join(choices)
        raise BundleError(f"SPR {quote(choice)}", f"was not solved, this bundle has {solved}")
    rows = _rows_of_values(by_spr[chosen])
    return _flop_table(chosen, f"SPR {chosen}", Unit.POTS, rows, choices=choices, choice="SPR")


def _rows_of_values(values: PostflopValues) -> list[Json]:
    """Returns what each flop is worth to the ranges that it was solved for."""
    flops, rows = values.flops, []
    for number, (flop, share) in enumerate(zip(flops.flops, flops.weights.tolist(), strict=True)):
        rows.append(
            _flop_row(
                flops.names[number],
                share=share,
                **describe_texture(flop),
                ev=[rounded(mean) for mean in values.range_evs(number)],
                exploitability=values.reports[number].exploitability_pot,
            )
        )
    return rows
