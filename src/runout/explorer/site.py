"""The page over files instead of a server: what `runout export-site` writes.

The files of the page are the same; an answer to each question lies in a file of its own. Of large
solutions the nodes that are reached most often are written.
"""

import heapq
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from runout.cards.deck import format_card, format_cards
from runout.errors import BundleError, RunoutError
from runout.explorer.answers import answer, summary_to_json
from runout.explorer.server import INDEX, Explorer, static_files
from runout.explorer.solutions import Json, OpenedRun
from runout.solutions.node import Node
from runout.solutions.preflop import PreflopSolution

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
    _require_free(output)
    writer = _SiteWriter(output)
    writer.write_page()
    summaries, num_nodes, num_left = [], 0, 0
    for found in explorer.library.look().values():
        try:
            opened = explorer.opened.get(found)
        except RunoutError as error:
            summaries.append(summary_to_json(found, None, error.problem))
            continue
        if not found.report:
            summaries.append(summary_to_json(found, opened.run, ""))
        done, left = writer.write_run(opened, max_nodes, on_node)
        num_nodes, num_left = num_nodes + done, num_left + left
    num_runs = sum(not summary["problem"] for summary in summaries)
    if num_runs == 0:
        raise BundleError("export-site", "no solution was found that can be opened")
    writer.write(Path(DATA_FOLDER) / "runs.json", {"runs": summaries})
    return SiteSize(num_runs, num_nodes, num_left, writer.num_bytes)


def _require_free(output: Path) -> None:
    index = output / INDEX
    is_site = index.is_file() and _STATIC_MODE in index.read_text(errors="replace")
    if output.exists() and not is_site and (not output.is_dir() or any(output.iterdir())):
        raise BundleError(str(output), "holds something else, give a new directory")


class _SiteWriter:
    """Writes files and counts their bytes."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self.num_bytes = 0

    def write_page(self) -> None:
        """Writes the files of the page, with names that work in any folder of a server."""
        for name, (content, _, _) in static_files().items():
            if name == INDEX:
                text = content.decode().replace('data-mode="server"', _STATIC_MODE)
                content = text.replace('"/static/', '"./').encode()
            self._write_bytes(Path(name), content)

    def write_run(
        self, opened: OpenedRun, max_nodes: int, on_node: Callable[[str, int], None] | None
    ) -> tuple[int, int]:
        """Writes what is asked about a solution; returns how many nodes, and how many not."""
        self._answer(opened, "facts", "")
        view, num_done = opened.run.view, 0
        if view is None:
            choices = answer(opened, "flops", "", False)["choices"]
            for choice in ("", *(name for name in choices if name != _ROOT_FILE)):
                self._answer(opened, "flops", choice)
            return 0, 0
        if isinstance(view, PreflopSolution):
            self._answer(opened, "lines", "")
        waiting: list[tuple[float, str]] = [(-1.0, "")]
        while waiting and num_done < max_nodes:
            _, path = heapq.heappop(waiting)
            node = view.node(path)
            self._write_node(opened, node)
            num_done += 1
            for step_path, reach in _next_paths(node):
                heapq.heappush(waiting, (-reach, step_path))
            if on_node is not None:
                on_node(opened.found.name, num_done)
        return num_done, len(waiting)

    def _write_node(self, opened: OpenedRun, node: Node) -> None:
        self._answer(opened, "node", node.path)
        if node.board:
            board = format_cards(node.board)
            if not (self._output / _place(opened, "classes", board)).exists():
                self._answer(opened, "classes", board)
        if node.next_cards:
            cards = answer(opened, "cards", node.path, False)
            self.write(_place(opened, "cards", node.path), cards)
            for row in cards["rows"]:
                chosen = {**cards, "chosen": row["card"]}
                self.write(_place(opened, "cards", row["path"]), chosen)
        if node.kind.value == "flop":
            self._answer(opened, "flops", node.path)

    def _answer(self, opened: OpenedRun, question: str, argument: str) -> None:
        document = answer(opened, question, argument, False)
        self.write(_place(opened, question, argument), document)

    def write(self, place: Path, document: Json) -> None:
        """Writes an answer."""
        text = json.dumps(document, allow_nan=False, separators=(",", ":"))
        self._write_bytes(place, text.encode())

    def _write_bytes(self, place: Path, content: bytes) -> None:
        target = self._output / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        self.num_bytes += len(content)


def _place(opened: OpenedRun, question: str, argument: str) -> Path:
    """Returns the file of an answer, as `fileOf` in ``static/js/api.js`` finds it."""
    name = argument.replace(":", "_") or _ROOT_FILE
    return Path(DATA_FOLDER) / opened.found.id / question / f"{name}.json"


def _next_paths(node: Node) -> Iterator[tuple[str, float]]:
    """Yields what can follow, with how often it is reached."""
    reach = 1.0 if node.reach is None else node.reach
    if node.actor is not None:
        shares = node.frequency().tolist()
        for action, share in zip(node.actions, shares, strict=True):
            known = 0.0 if share != share else share
            yield node.path_after(action.code), reach * known
    for card in node.next_cards:
        yield node.path_after(format_card(card)), reach / len(node.next_cards)
