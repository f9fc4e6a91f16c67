"""What the page asks, as JSON, of solutions that are opened once; many viewers cost one answer."""

import gzip
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from runout.cards.deck import parse_board
from runout.cards.flops import FlopList, describe_texture
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import BundleError, RunoutError, TreeError, quote
from runout.explorer.library import FoundRun, RunKind
from runout.explorer.study import spot_keys
from runout.solutions import flop_bundles
from runout.solutions.node import HandSpace, Node, Solution, Unit
from runout.solutions.node_files import node_summary_to_json, node_to_json
from runout.solutions.preflop import FLOPS_FOLDER, PreflopSolution, load_solution
from runout.solutions.reports import Column, FlopsReport, LineTable, load_report
from runout.solutions.sheet import plain, rounded
from runout.solutions.tables import cards_to_json, leaves_sheet, report_cards
from runout.solutions.values import PostflopValues, ValueBundle, ValueSource
from runout.storage.bundle import load_bundle, read_manifest, reading_contents
from runout.trees.actions import format_amount
from runout.trees.betting import BLIND_NAMES
from runout.trees.tree import POSITION_NAMES
from runout.version import __version__

Json = dict[str, Any]

#: What the page can ask of a solution: the parts of an address.
QUESTIONS = ("facts", "node", "classes", "cards", "lines", "flops")

#: Answers that are kept of each open solution, compressed; most take 10 to 100 kB.
MAX_KEPT_ANSWERS = 64
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


def open_found(found: FoundRun, has_nodes: bool = True) -> Solution:
    """Opens a solution; without nodes, spots are not looked at beyond their documents."""
    match found.kind:
        case RunKind.SPOT:
            facts = open_facts(found.bundle)
            return flop_bundles.load_spot(found.bundle) if has_nodes else facts
        case RunKind.VALUES:
            return ValueBundle.load(found.bundle, verify=False)
        case RunKind.REPORT:
            return load_report(found.bundle)
    if (flops := found.path / FLOPS_FOLDER).is_symlink():
        raise BundleError(str(flops), "is a symbolic link, which is not followed")
    return load_solution(found.path)


def open_facts(path: Path) -> Solution:
    """Opens the documents of a spot, which is refused as long as it is unfinished."""
    bundle = load_bundle(path, flop_bundles.SPOT_KIND, flop_bundles.SPOT_SCHEMAS, verify=False)
    found = Solution()
    with reading_contents(path):
        found.config_text, report = bundle.config_text or "", bundle.documents[flop_bundles.REPORT]
        config = parse_config(found.config_text, SpotConfig)
        found.quality = flop_bundles.quality_of(config, report, bundle.manifest)
    if not flop_bundles.has_solution(path):
        raise BundleError(str(path), "is unfinished; rerun its command to resume")
    pot, stack = format_amount(config.pot), format_amount(config.stack)
    found.title = f"{config.board}, pot {pot}, stack {stack}"
    return found


def flops_of(game: PreflopSolution) -> FlopList | None:
    """Returns the flops that stand for all in a preflop game, None if it has none."""
    try:
        model = parse_config(game.config_text, RunConfig).postflop_model
    except RunoutError:  # an older version wrote it, which hides nothing else
        return None
    return None if model is None else model.flop_list()


def title_of(solution: Solution) -> str:
    """Returns what was solved, in a few words."""
    match solution:
        case FlopsReport(rows=rows, title=title):
            return f"{len(rows):,} flops, {title}"
        case PreflopSolution(title=title) as game:
            if (flops := flops_of(game)) is not None:
                return f"{title}, {len(flops)} flop{'s' if len(flops) > 1 else ''}"
            sources = {leaf.source for leaf in game.report.flop_leaves.values()}
            if sources <= {ValueSource.RAW_EQUITY}:
                return f"{title}, {'flops checked down' if sources else 'no flops'}"
    return solution.title


class OpenedRun:
    """A solution, and digest and stamps of the files that it was read from.

    Attributes:
        get_answer: returns what `answer` says, encoded; the last answers are kept.
    """

    def __init__(
        self, found: FoundRun, digest: str = "", stamps: Sequence[tuple[int, int, int]] = ()
    ) -> None:
        self.found, self.digest, self.stamps = found, digest, stamps
        with reading_contents(found.path):
            self.solution = open_found(found)
        self.get_answer = computed_once(self._answer)

    def _answer(self, question: str, argument: str, can_solve: bool) -> "Encoded":
        etag = make_etag(self.digest, self.found.id, question, argument, str(can_solve))
        return encode(json_bytes(answer(self, question, argument, can_solve)), etag)


def computed_once(compute: "Callable[..., Encoded]") -> "Callable[..., Encoded]":
    """Returns a function that keeps the last answers, and computes none twice at a time."""
    kept, locks = lru_cache(MAX_KEPT_ANSWERS)(compute), WeakValueDictionary[Any, Any]()

    def get(*question: Any) -> Encoded:
        with locks.setdefault(question, threading.Lock()):  # one thread computes, the others wait
            return kept(*question)

    return get


class OpenedRuns:
    """Opens what is asked about, once, and again if its files change."""

    def __init__(self) -> None:
        self._opened: OrderedDict[str, OpenedRun] = OrderedDict()
        self._summaries: dict[str, tuple[str, Json]] = {}
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
                digest = "".join(manifest.digest[:16] for manifest in manifests)
                known = OpenedRun(found, digest, stamps)
        with self._lock:
            self._opened[found.id] = known
            self._opened.move_to_end(found.id)
            while len(self._opened) > MAX_OPEN:
                self._opened.popitem(last=False)
        return known

    def summarize(self, found: FoundRun) -> Json:
        """Returns what the list of solutions says about one, which keeps no files open."""
        digest = "" if found.manifest is None else found.manifest.digest
        known = self._summaries.get(found.id)
        if known is None or known[0] != digest:
            with reading_contents(found.path):
                row = summary_to_json(found, open_found(found, has_nodes=False))
                json_bytes(row)  # refuses what is no JSON, before it spoils the whole list
            known = digest, row
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


def answer(opened: OpenedRun, question: str, argument: str, can_solve: bool) -> Json:
    """Returns what is known.

    Args:
        opened: the solution.
        question: one of `QUESTIONS`.
        argument: the path of a node; for ``classes`` a board, for values a stack-to-pot ratio.
        can_solve: whether the server may start jobs.
    """
    found = opened.found
    match question, opened.solution:
        case "facts", solution:
            game = solution if isinstance(solution, PreflopSolution) else None
            flops = None if game is None else flops_of(game)
            shares = zip(flops.names, flops.weights.tolist(), strict=True) if flops else ()
            return {
                **summary_to_json(found, solution),
                "path": found.given,
                "config": solution.config_text,
                "note": solution.note,
                "verified": "" if found.manifest is None else found.manifest.verified_unit,
                "flops": [{"flop": flop, "share": share} for flop, share in shares],
                "leaves": [] if game is None else leaves_sheet(game).records(),
                "can_solve": can_solve and game is not None,
                "spot": _spot_of(solution) if found.kind is RunKind.SPOT else None,
            }
        case "classes", _:
            return classes_to_json(argument)
        case "node" | "cards", FlopsReport() | ValueBundle():
            raise BundleError("node", "values and reports of flops have no nodes, ask for flops")
        case "node", view:
            return node_to_json(view.node(argument))
        case "cards", view:
            view.node(argument)
            try:
                return cards_to_json(report_cards(view, argument))
            except TreeError as error:  # no card is dealt there or on the way
                return {"chosen": None, "rows": [], "note": error.problem}
        case "lines", PreflopSolution() as game:
            return list_lines(game)
        case "flops", PreflopSolution() | FlopsReport() | ValueBundle():
            return flops_to_json(opened, argument)
    raise BundleError(found.name, f"a {found.kind.value} solution has no {question}")


def _size_of(path: Path) -> int:
    """Returns the bytes of all files below a directory, some of which may go away meanwhile."""
    total = 0
    for place in path.rglob("*"):
        with suppress(OSError):
            total += place.lstat().st_size
    return total


def _spot_of(solution: Solution) -> Json | None:
    """Returns the keys of a spot, for another one like it."""
    try:
        return spot_keys(parse_config(solution.config_text, SpotConfig))
    except RunoutError:  # an older version wrote it
        return None


def summary_to_json(found: FoundRun, solution: Solution | None, problem: str = "") -> Json:
    """Returns a line of the list of solutions; there is a problem if it cannot be opened."""
    manifest, quality = found.manifest, None if solution is None else solution.quality
    spot = _spot_of(solution) if solution and found.kind is RunKind.SPOT else None
    return {
        "id": found.id,
        "name": found.name,
        "kind": found.kind.value,
        "title": "" if solution is None else title_of(solution),
        "quality": None if quality is None else quality.to_json(),
        "date": "" if manifest is None else manifest.created_at.isoformat(timespec="seconds"),
        "size_bytes": _size_of(found.path),
        "board": "" if spot is None else spot["board"],
        "num_locks": 0 if spot is None else len(spot["locks"]),
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


def list_lines(game: PreflopSolution) -> Json:
    """Returns every line of a preflop game in the order of a walk, with its reach and its EVs."""
    rows, waiting = list[Json](), [0]
    smallest = SMALLEST_REACH if game.tree.num_nodes > MAX_LINES else 0.0
    while waiting:
        number = waiting.pop()
        node, label, frequency = game.node_at(number), "start", None
        if number > 0 and (node.reach or 0.0) < smallest:
            continue
        for step, action, often in node.actions_taken()[-1:]:
            label, frequency = f"{node.players[step.actor or 0]} {action.label}", rounded(often)
        rows.append(
            {
                "path": node.path,
                "label": label,
                "depth": len(node.trail),
                "kind": node.kind,
                "frequency": frequency,
                "reach": plain(node.reach),
                "pot": rounded(node.pot),
                "ev": [rounded(node.range_ev(player)) for player in (0, 1)],
            }
        )
        waiting += reversed(game.tree.layout.children(number))
    return {"players": BLIND_NAMES, "unit": Unit.BIG_BLINDS, "rows": rows}


# Tables of flops: of a preflop game behind a line, of a report at a line, of values at a ratio.


def flops_to_json(opened: OpenedRun, choice: str) -> Json:
    """Returns a row for each flop: what is done first there, and what it is worth to whom.

    Args:
        opened: of a kind that has flops.
        choice: a node, the name of a line, or a stack-to-pot ratio; by default the first.
    """
    table: Json = {"choices": [], "choice": "", "more": [], "players": POSITION_NAMES}
    match opened.solution:
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
            rows = [_row_of_report(of_line, number, opened.found.spots, more) for number in flops]
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
