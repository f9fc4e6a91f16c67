"""The page over files instead of a server: what `runout export-site` writes.

The files of the page are the same; an answer to each question lies in a file of its own. Of large
solutions the nodes that are reached most often are written.
"""

import heapq
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from runout.cards.deck import format_cards
from runout.errors import BundleError, RunoutError
from runout.explorer.answers import Json, OpenedRun, answer, json_bytes, summary_to_json
from runout.explorer.library import RunKind
from runout.explorer.server import INDEX, Explorer, static_files
from runout.solutions.node import Node, NodeKind
from runout.solutions.tables import ANY_CARD

DATA_FOLDER = "data"
#: How the page of a site is told from that of a server.
_STATIC_MODE = 'data-mode="static"'
_ROOT_FILE = "root"


class SiteSize(NamedTuple):
    """What was written; nodes that were seen but not written are left out."""

    num_runs: int
    num_nodes: int
    num_left_out: int
    num_bytes: int


def export_site(
    explorer: Explorer,
    output: Path,
    max_nodes: int,
    on_node: Callable[[str, int], None] | None = None,
) -> SiteSize:
    """Writes a site over all solutions that were found and can be opened.

    Args:
        explorer: what answers.
        output: a new or empty directory, or an earlier site, whose files are replaced.
        max_nodes: of each solution.
        on_node: told the name of a solution and how many of its nodes are written.
    """
    index = output / INDEX
    is_site = index.is_file() and _STATIC_MODE in index.read_text(errors="replace")
    if output.exists() and not is_site and (not output.is_dir() or any(output.iterdir())):
        raise BundleError(str(output), "holds something else, give a new directory")
    writer, summaries = _SiteWriter(output), []
    for name, file in static_files().items():
        content = file.plain()
        if name == INDEX:  # with names that work in any folder of a server
            text = content.decode().replace('data-mode="server"', _STATIC_MODE)
            content = text.replace('"/static/', '"./').encode()
        writer.write_bytes(Path(name), content)
    for found in explorer.library.look().values():
        try:
            opened = explorer.opened.get(found)
        except RunoutError as error:
            summaries.append(summary_to_json(found, None, error.problem))
            continue
        if not found.report:
            summaries.append(summary_to_json(found, opened.solution))
        writer.write_run(opened, max_nodes, on_node)
    num_runs = sum(not summary["problem"] for summary in summaries)
    if num_runs == 0:
        raise BundleError("export-site", "no solution was found that can be opened")
    writer.write(Path(DATA_FOLDER) / "runs.json", {"runs": summaries})
    return SiteSize(num_runs, writer.num_nodes, writer.num_left_out, writer.num_bytes)


class _SiteWriter:
    """Writes files, and counts their bytes and the nodes."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self.num_nodes = self.num_left_out = self.num_bytes = 0

    def write_run(
        self, opened: OpenedRun, max_nodes: int, on_node: Callable[[str, int], None] | None
    ) -> None:
        """Writes what is asked about a solution, of the nodes those that are reached most often."""
        self.answer(opened, "facts")
        if opened.found.kind in (RunKind.VALUES, RunKind.REPORT):
            choices = self.answer(opened, "flops")["choices"]
            for choice in choices:
                if choice != _ROOT_FILE:
                    self.answer(opened, "flops", choice)
            return
        if opened.found.kind is not RunKind.SPOT:
            self.answer(opened, "lines")
        waiting, num_done = [(-1.0, "")], 0
        while waiting and num_done < max_nodes:
            _, path = heapq.heappop(waiting)
            node = opened.solution.node(path)
            self._write_node(opened, node)
            num_done += 1
            reach = 1.0 if node.reach is None else node.reach
            shares = np.nan_to_num(node.frequency()).tolist()
            shares += [1.0 / len(node.next_cards) for _ in node.next_cards]
            for step, share in zip(node.steps, shares, strict=False):  # flops stay out
                heapq.heappush(waiting, (-reach * share, node.path_after(step)))
            if on_node is not None:
                on_node(opened.found.name, num_done)
        self.num_nodes += num_done
        self.num_left_out += len(waiting)

    def _write_node(self, opened: OpenedRun, node: Node) -> None:
        self.answer(opened, "node", node.path)
        if node.board:
            board = format_cards(node.board)
            if not (self._output / _place(opened, "classes", board)).exists():
                self.answer(opened, "classes", board)
        if node.next_cards:
            cards = self.answer(opened, "cards", node.path)
            for card in chain.from_iterable(row["cards"] for row in cards["rows"]):
                path = cards["path"].replace(ANY_CARD, card)
                self.write(_place(opened, "cards", path), {**cards, "chosen": card})
        if node.kind is NodeKind.FLOP:
            self.answer(opened, "flops", node.path)

    def answer(self, opened: OpenedRun, question: str, argument: str = "") -> Json:
        """Writes and returns an answer."""
        document = answer(opened, question, argument, False)
        self.write(_place(opened, question, argument), document)
        return document

    def write(self, place: Path, document: Json) -> None:
        """Writes a document."""
        self.write_bytes(place, json_bytes(document))

    def write_bytes(self, place: Path, content: bytes) -> None:
        """Writes a file."""
        target = self._output / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        self.num_bytes += len(content)


def _place(opened: OpenedRun, question: str, argument: str) -> Path:
    """Returns the file of an answer, as `fileOf` in ``static/js/api.js`` finds it."""
    name = argument.replace(":", "_") or _ROOT_FILE
    return Path(DATA_FOLDER) / opened.found.id / question / f"{name}.json"
