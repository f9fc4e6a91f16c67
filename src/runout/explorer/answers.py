"""What the page asks, as JSON, of solutions that are opened once; many viewers cost one answer."""

import gzip
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runout.cards.deck import format_card, parse_board
from runout.cards.flops import describe_texture
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import BundleError, RunoutError, TreeError, quote
from runout.explorer.library import FoundRun, RunKind, require_plain_files
from runout.solutions import flop_bundles
from runout.solutions.node import HandSpace, Node, Provenance, Quality, Solution, Unit
from runout.solutions.node_files import node_summary_to_json, node_to_json
from runout.solutions.preflop import FLOPS_FOLDER, PreflopSolution, load_solution
from runout.solutions.reports import Column, FlopsReport, LineTable, load_report
from runout.solutions.sheet import plain, rounded
from runout.solutions.tables import leaves_sheet, report_cards
from runout.solutions.values import PostflopValues, ValueBundle
from runout.storage.bundle import MANIFEST_FILE, load_bundle, read_manifest, reading_contents
from runout.trees.actions import format_amount
from runout.trees.betting import BLIND_NAMES
from runout.trees.tree import POSITION_NAMES
from runout.version import __version__

Json = dict[str, Any]

#: What the page can ask of a solution: the parts of an address.
QUESTIONS = ("facts", "node", "classes", "cards", "lines", "flops")

#: Bytes of all kept answers together, compressed.
MAX_KEPT_BYTES = 64 * 1024 * 1024
#: Of trees with more nodes only lines that are played at least this often are listed.
MAX_LINES = 600
SMALLEST_REACH = 1e-4
#: Solutions that are open at the same time; the one that was asked about longest ago is closed.
MAX_OPEN = 12

#: Higher levels take several times as long and save little.
_GZIP_LEVEL = 4
_NUM_BOARDS_KEPT = 64
#: Columns of reports that the page shows besides those of every table of flops.
_MORE = ("reach", "nuts_", "cost_", "only_")

# Solutions that are open.


@dataclass(frozen=True, eq=False)
class Run:
    """A solution of any kind as the page shows it; several threads may ask it.

    Attributes:
        title: what was solved, in a few words.
        quality: how well it is solved; the worst flop of several.
        config_text: the config as it was given.
        note: where it comes from, or what is missing; empty for nothing to note.
        solution: what was opened; None for summaries.
        shares: of a preflop game, the flops that stand for all, each with its share.
        spots: of a report, the ids of the flops whose solutions were kept, by flop.
    """

    title: str
    quality: Quality
    config_text: str
    note: str = ""
    solution: Solution | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    spots: Mapping[str, str] = field(default_factory=dict)


def open_found(found: FoundRun, has_nodes: bool = True) -> Run:
    """Opens a solution; without nodes, spots are not looked at beyond their documents."""
    match found.kind:
        case RunKind.SPOT:
            return open_spot(found.bundle, has_nodes)
        case RunKind.VALUES:
            values = ValueBundle.load(found.bundle, verify=False)
            return Run(values.title, values.quality, values.config_text, solution=values)
        case RunKind.REPORT:
            report = load_report(found.bundle)
            done, total, text = len(report.rows), report.num_flops, report.config_text
            note = "" if done == total else f"{done:,} of {total:,} flops are solved"
            title = f"{done:,} flops, {report.title}"
            return Run(title, report.quality, text, note, report, spots=found.spots)
    return make_game(load_solution(found.path))


def open_spot(path: Path, has_nodes: bool = True) -> Run:
    """Opens a bundle of a spot."""
    bundle = load_bundle(path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, verify=False)
    with reading_contents(path):
        text, report = bundle.config_text or "", bundle.documents[flop_bundles.REPORT]
        config = parse_config(text, SpotConfig)
        quality = flop_bundles.quality_of(config, report, Provenance.of(bundle.manifest))
    if not flop_bundles.has_solution(path):
        raise BundleError(str(path), "is unfinished; rerun its command to resume")
    title = f"{config.board}, pot {format_amount(config.pot)}, stack {format_amount(config.stack)}"
    note = "" if config.origin is None else config.origin.describe()
    return Run(title, quality, text, note, flop_bundles.load_spot(path) if has_nodes else None)


def make_game(solution: PreflopSolution) -> Run:
    """Returns a preflop game; a config that cannot be read any more hides nothing else."""
    title, text, shares = solution.title, solution.config_text, {}
    try:
        model = parse_config(text, RunConfig).postflop_model
    except RunoutError:  # an older version wrote it
        return Run(title, solution.quality, text, solution=solution)
    if (flops := None if model is None else model.flop_list()) is not None:
        shares = dict(zip(flops.names, flops.weights.tolist(), strict=True))
        title += ", 1 flop" if len(flops) == 1 else f", {len(flops)} flops"
    else:
        title += ", flops checked down" if solution.tree.flop_leaves() else ", no flops"
    return Run(title, solution.quality, text, solution=solution, shares=shares)


class OpenedRun(NamedTuple):
    """A solution, and digest and stamps of the files that it was read from."""

    found: FoundRun
    run: Run
    digest: str
    stamps: list[tuple[int, int, int]]


class OpenedRuns:
    """Opens what is asked about, once, and again if its files change."""

    def __init__(self) -> None:
        self._opened: OrderedDict[str, OpenedRun] = OrderedDict()
        self._summaries: dict[str, tuple[str, Run]] = {}
        self._lock = threading.Lock()
        self._lock_by_id: dict[str, threading.Lock] = {}

    def get(self, found: FoundRun) -> OpenedRun:
        """Returns an open solution."""
        flops = [found.path / FLOPS_FOLDER] if found.kind is RunKind.JOINT else []
        bundles = [found.bundle, *flops]
        with self._lock:
            own_lock = self._lock_by_id.setdefault(found.id, threading.Lock())
        with own_lock:  # one thread opens, the others wait for it
            stamps = [stamp for bundle in bundles for stamp in _stamp_files(bundle)]
            known = self._opened.get(found.id)
            if known is None or known.stamps != stamps:
                manifests = [read_manifest(bundle) for bundle in bundles]
                for bundle, manifest in zip(bundles, manifests, strict=True):
                    require_plain_files(bundle, [MANIFEST_FILE, *manifest.files])
                digest = "".join(manifest.digest[:16] for manifest in manifests)
                known = OpenedRun(found, open_found(found), digest, stamps)
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
            known = digest, replace(open_found(found, has_nodes=False), solution=None)
            self._summaries[found.id] = known
        return known[1]


def _stamp_files(bundle: Path) -> list[tuple[int, int, int]]:
    """Returns sizes, times and numbers of all files of a bundle.

    A file that is cut short while it is mapped would end the process when it is read; so files are
    looked at before every answer, which takes microseconds.
    """
    try:
        files = [place.stat() for place in sorted(bundle.iterdir())]
    except OSError as error:
        raise BundleError(str(bundle), "is gone or cannot be read") from error
    return [(status.st_size, status.st_mtime_ns, status.st_ino) for status in files]


# Answers.


@dataclass(frozen=True)
class Encoded:
    """An answer or a file by gzip, its type, and the etag that names what it says."""

    compressed: bytes
    etag: str
    media_type: str

    def plain(self) -> bytes:
        """Returns the content as it is."""
        return gzip.decompress(self.compressed)


def make_etag(*parts: str) -> str:
    """Returns the name of an answer: it follows from what was asked, and of which contents."""
    text = "\0".join((__version__, *parts))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def encode(content: bytes, etag: str = "", media_type: str = "application/json") -> Encoded:
    """Returns what goes over the wire; by default the content itself is its name."""
    etag = etag or make_etag(hashlib.sha256(content).hexdigest())
    return Encoded(gzip.compress(content, _GZIP_LEVEL, mtime=0), etag, media_type)


def json_bytes(document: Any) -> bytes:
    """Returns a document as JSON."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


class AnswerCache:
    """The last answers, by what names them; `num_bytes` is the size of all."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self.num_bytes = 0
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Encoded] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, etag: str, make: Callable[[], Any]) -> Encoded:
        """Returns a kept answer, or makes and keeps it."""
        with self._lock:
            known = self._kept.get(etag)
            if known is not None:
                self._kept.move_to_end(etag)
                return known
        made = encode(json_bytes(make()), etag)
        with self._lock:
            if etag not in self._kept:
                self._kept[etag] = made
                self.num_bytes += len(made.compressed)
            while self.num_bytes > self._max_bytes:
                _, dropped = self._kept.popitem(last=False)
                self.num_bytes -= len(dropped.compressed)
        return made


def answer(opened: OpenedRun, question: str, argument: str, can_solve: bool) -> Json:
    """Returns what is known.

    Args:
        opened: the solution.
        question: one of `QUESTIONS`.
        argument: the path of a node; for ``classes`` a board, for values a stack-to-pot ratio.
        can_solve: whether the server may start jobs.
    """
    found, run = opened.found, opened.run
    match question, run.solution:
        case "facts", solution:
            game = solution if isinstance(solution, PreflopSolution) else None
            return {
                **summary_to_json(found, run, ""),
                "path": found.given,
                "config": run.config_text,
                "note": run.note,
                "flops": [{"flop": flop, "share": share} for flop, share in run.shares.items()],
                "leaves": [] if game is None else leaves_sheet(game).records(),
                "can_solve": can_solve and game is not None,
            }
        case "classes", _:
            return classes_to_json(argument)
        case "node" | "cards", FlopsReport() | ValueBundle():
            raise BundleError("node", "values and reports of flops have no nodes, ask for flops")
        case "node", Solution() as view:
            return node_to_json(view.node(argument))
        case "cards", Solution() as view:
            return cards_to_json(view, argument)
        case "lines", PreflopSolution() as game:
            return list_lines(game)
        case "flops", PreflopSolution() | FlopsReport() | ValueBundle():
            return flops_to_json(run, argument)
    raise BundleError(found.name, f"a {found.kind.value} solution has no {question}")


def summary_to_json(found: FoundRun, run: Run | None, problem: str) -> Json:
    """Returns a line of the list of solutions; ``run`` is None for one that cannot be opened."""
    manifest = found.manifest
    return {
        "id": found.id,
        "name": found.name,
        "kind": found.kind.value,
        "title": "" if run is None else run.title,
        "quality": None if run is None else run.quality.to_json(),
        "date": "" if manifest is None else manifest.created_at.isoformat(timespec="seconds"),
        "size_bytes": 0 if manifest is None else manifest.size_bytes,
        "problem": problem,
    }


@lru_cache(maxsize=_NUM_BOARDS_KEPT)
def classes_to_json(board: str) -> Json:
    """Returns the made hand and the draws of every combo on a flop, turn or river."""
    classes = classify_hands(parse_board(board))
    bits = (classes.draws * (1 << np.arange(len(Draw)))).sum(axis=1)
    return {
        "board": board,
        "hands": HandSpace.COMBOS.names,
        "made_names": [made.label for made in MadeHand],
        "draw_names": [draw.label for draw in Draw],
        "made": classes.made.tolist(),
        "draws": bits.tolist(),
        "nut_rank": classes.nut_rank.tolist(),
    }


def cards_to_json(view: Solution, path: str) -> Json:
    """Returns the node with each card that can come, or could have come last, in its place."""
    view.node(path)
    try:
        report = report_cards(view, path)
    except TreeError as error:  # no card is dealt there or on the way
        return {"chosen": "", "rows": [], "note": error.problem}
    rows = []
    for row in report.rows:
        summary, names = node_summary_to_json(row.node), map(format_card, row.cards)
        rows += [{**summary, "card": name, "path": report.path(name)} for name in names]
    chosen = "" if report.chosen is None else format_card(report.chosen)
    return {"chosen": chosen, "rows": rows, "note": ""}


def list_lines(game: PreflopSolution) -> Json:
    """Returns every line of a preflop game in the order of a walk, with its reach and its EVs."""
    tree, rows, waiting = game.tree, [], [0]
    smallest = SMALLEST_REACH if tree.num_nodes > MAX_LINES else 0.0
    while waiting:
        number = waiting.pop()
        reach = game.share_of_deals(number)
        if number > 0 and reach < smallest:
            continue
        node, label, frequency = game.node_at(number), "start", None
        if number > 0:
            actor = game.actor(int(tree.layout.parent[number]))
            label = f"{BLIND_NAMES[actor]} {tree.action_label(number)}"
            frequency = rounded(game.action_frequency(number))
        rows.append(
            {
                "path": node.path,
                "label": label,
                "depth": len(node.trail),
                "kind": node.kind,
                "frequency": frequency,
                "reach": rounded(reach),
                "pot": rounded(node.pot),
                "ev": [rounded(node.range_ev(player)) for player in (0, 1)],
            }
        )
        waiting += reversed(tree.layout.children(number))
    return {"players": BLIND_NAMES, "unit": Unit.BIG_BLINDS, "rows": rows}


# Tables of flops: of a preflop game behind a line, of a report at a line, of values at a ratio.


def flops_to_json(run: Run, choice: str) -> Json:
    """Returns a row for each flop: what is done first there, and what it is worth to whom.

    Args:
        run: of a kind that has flops.
        choice: a node, the name of a line, or a stack-to-pot ratio; by default the first.
    """
    table: Json = {"choices": [], "choice": "", "more": [], "players": POSITION_NAMES}
    match run.solution:
        case PreflopSolution() as game:
            node = game.node(choice)
            table |= {"path": node.path, "title": node.label, "unit": node.unit}
            table["players"] = node.players[::-1]  # the big blind acts first on a flop
            shares = game.flops.flops.weights.tolist() if game.flops and node.flops else []
            behind = [game.node(node.path_after(flop)) for flop in node.flops]
            rows = [_row_of_game(*each) for each in zip(behind, node.flops, shares, strict=True)]
        case FlopsReport() as report:
            names = [line.name for line in report.lines]
            of_line = report.table(choice or names[0])
            line, flops = of_line.line, range(len(of_line.rows))
            # Every deal gets to the root.
            keys = tuple(key for key in _MORE if line.path or key != "reach")
            more = [column for column in of_line.columns if column.key.startswith(keys)]
            table |= {"path": line.name, "title": line.heading(", "), "unit": Unit.CHIPS}
            table |= {"choices": names, "choice": "line"}
            table["more"] = [{"key": c.key, "label": c.heading, "form": c.form} for c in more]
            rows = [_row_of_report(of_line, number, run.spots, more) for number in flops]
        case ValueBundle() as bundle:
            by_spr = {f"{values.spr:g}": values for values in bundle.values}
            chosen = choice or next(iter(by_spr))
            if chosen not in by_spr:
                problem = f"was not solved, this bundle has {', '.join(by_spr)}"
                raise BundleError(f"SPR {quote(choice)}", problem)
            table |= {"path": chosen, "title": f"SPR {chosen}", "unit": Unit.POTS}
            table |= {"choices": list(by_spr), "choice": "SPR"}
            values = by_spr[chosen]
            rows = [_row_of_values(values, number) for number in range(len(values.flops))]
    return {**table, "flops": rows}


def _flop_row(
    flop: str,
    texture: Mapping[str, str],
    share: float,
    exploitability: float | None = None,
    **known: Any,
) -> Json:
    """Returns a row of a table of flops; of a share, which is added up, all digits count."""
    row: Json = {"flop": flop, "share": share, "exploitability": exploitability, **texture}
    unknown: Json = {"path": None, "run": None, "pot": 1.0, "more": {}, "actions": []}
    return {**row, **unknown, "equity": [None, None], "eqr": [None, None], **plain(known)}


def _row_of_game(node: Node, flop: str, share: float) -> Json:
    """Returns a flop that was kept, with the first decision behind a line."""
    summary = node_summary_to_json(node)
    return _flop_row(
        flop,
        describe_texture(node.board),
        share,
        path=node.path,
        pot=node.pot,
        actions=summary["actions"],
        ev=summary["range_ev"],
        equity=summary["range_equity"],
        eqr=summary["eqr"],
    )


def _row_of_report(
    table: LineTable, number: int, spots: Mapping[str, str], more: list[Column]
) -> Json:
    row, line = table.rows[number], table.line
    values = {name: numbers[number] for name, numbers in table.values.items()}
    actions = zip(line.to_json()["actions"], values["frequency"].tolist(), strict=True)
    return _flop_row(
        row.flop,
        table.labels[number],
        float(table.weights[number]),
        row.exploitability_pot,
        path=line.path,
        run=spots.get(row.flop),
        pot=line.pot,
        actions=[action | {"frequency": frequency} for action, frequency in actions],
        ev=values["ev"],
        equity=values["equity"],
        eqr=[table.column(f"eqr_{name}").values[number] for name in POSITION_NAMES],
        more={column.key: column.values[number] for column in more},
    )


def _row_of_values(values: PostflopValues, number: int) -> Json:
    flops, reached = values.flops, values.reports[number].exploitability_pot
    texture, share = describe_texture(flops.flops[number]), float(flops.weights[number])
    return _flop_row(flops.names[number], texture, share, reached, ev=values.range_evs(number))
