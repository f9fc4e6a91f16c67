"""What the page asks, as JSON, kept so that many viewers of one node cost one computation."""

import gzip
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from runout.cards.deck import NUM_COMBOS, format_card, format_combo, parse_board
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.errors import BundleError, TreeError
from runout.explorer.library import FoundRun
from runout.explorer.solutions import Json, OpenedRun, Run, list_leaves, list_lines
from runout.solutions.flop import StoredSpot
from runout.solutions.node_files import node_summary_to_json, node_to_json
from runout.solutions.preflop import PreflopSolution
from runout.solutions.tables import report_cards
from runout.version import __version__

#: Bytes of all kept answers together, compressed.
MAX_KEPT_BYTES = 64 * 1024 * 1024

#: Higher levels take several times as long and save little.
_GZIP_LEVEL = 4

#: What the page can ask of a solution: the parts of an address.
QUESTIONS = ("facts", "node", "classes", "cards", "lines", "flops")

_NUM_BOARDS_KEPT = 64
_COMBO_NAMES = [format_combo(combo) for combo in range(NUM_COMBOS)]


@dataclass(frozen=True)
class Encoded:
    """An answer: JSON by gzip, and the etag that names what it says."""

    compressed: bytes
    etag: str

    def plain(self) -> bytes:
        """Returns the JSON as it is."""
        return gzip.decompress(self.compressed)


def make_etag(*parts: str) -> str:
    """Returns the name of an answer: it follows from what was asked, and of which contents."""
    text = "\0".join((__version__, *parts))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def encode(document: Any, etag: str) -> Encoded:
    """Returns a document as it goes over the wire."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return Encoded(gzip.compress(text.encode(), _GZIP_LEVEL, mtime=0), etag)


class AnswerCache:
    """The last answers, by what names them."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Encoded] = OrderedDict()
        self._num_bytes = 0
        self._lock = threading.Lock()

    @property
    def num_bytes(self) -> int:
        """The size of all kept answers."""
        return self._num_bytes

    def get(self, etag: str, make: Callable[[], Any]) -> Encoded:
        """Returns a kept answer, or makes and keeps it."""
        with self._lock:
            known = self._kept.get(etag)
            if known is not None:
                self._kept.move_to_end(etag)
                return known
        made = encode(make(), etag)
        with self._lock:
            if etag not in self._kept:
                self._kept[etag] = made
                self._num_bytes += len(made.compressed)
            while self._num_bytes > self._max_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._num_bytes -= len(dropped.compressed)
        return made


def answer(opened: OpenedRun, question: str, argument: str, can_solve: bool) -> Json:
    """Returns what is known.

    Args:
        opened: the solution.
        question: one of `QUESTIONS`.
        argument: the path of a node; for ``classes`` a board, for values a stack-to-pot ratio.
        can_solve: whether the server may start jobs.
    """
    run = opened.run
    match question:
        case "facts":
            return facts_to_json(opened.found, run, can_solve)
        case "node":
            return node_to_json(_require_nodes(run).node(argument))
        case "classes":
            return classes_to_json(argument)
        case "cards":
            return cards_to_json(_require_nodes(run), argument)
        case "lines" if isinstance(run.view, PreflopSolution):
            return list_lines(run.view)
        case "flops" if run.flops is not None:
            return run.flops(argument)
    raise BundleError(opened.found.name, f"a {opened.found.kind.value} solution has no {question}")


def _require_nodes(run: Run) -> PreflopSolution | StoredSpot:
    if run.view is None:
        raise BundleError("node", "values and reports of flops have no nodes, ask for flops")
    return run.view


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


def facts_to_json(found: FoundRun, run: Run, can_solve: bool) -> Json:
    """Returns everything about a solution that does not depend on a node."""
    game = run.view if isinstance(run.view, PreflopSolution) else None
    return {
        **summary_to_json(found, run, ""),
        "path": found.given,
        "config": run.config_text,
        "note": run.note,
        "flops": [{"flop": flop, "share": share} for flop, share in run.shares.items()],
        "leaves": [] if game is None else list_leaves(game),
        "can_solve": can_solve and game is not None,
    }


@lru_cache(maxsize=_NUM_BOARDS_KEPT)
def classes_to_json(board: str) -> Json:
    """Returns the made hand and the draws of every combo on a board.

    Raises:
        CardError: if it is no flop, turn or river.
    """
    classes = classify_hands(parse_board(board))
    bits = (classes.draws * (1 << np.arange(len(Draw)))).sum(axis=1)
    return {
        "board": board,
        "hands": _COMBO_NAMES,
        "made_names": [made.label for made in MadeHand],
        "draw_names": [draw.label for draw in Draw],
        "made": classes.made.tolist(),
        "draws": bits.tolist(),
        "nut_rank": classes.nut_rank.tolist(),
    }


def cards_to_json(view: PreflopSolution | StoredSpot, path: str) -> Json:
    """Returns the node with each card that can come, or could have come last, in its place."""
    view.node(path)
    try:
        report = report_cards(view, path)
    except TreeError as error:  # no card is dealt there or on the way
        return {"chosen": "", "rows": [], "note": error.problem}
    rows = []
    for row in report.rows:
        later = row.node.path.removeprefix(report.before.path_after(format_card(row.cards[0])))
        summary = node_summary_to_json(row.node)
        for name in map(format_card, row.cards):
            place = report.before.path_after(name) + later
            rows.append({**summary, "card": name, "path": place})
    chosen = "" if report.chosen is None else format_card(report.chosen)
    return {"chosen": chosen, "rows": rows, "note": ""}
