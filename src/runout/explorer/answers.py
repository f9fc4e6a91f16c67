"""What the page asks, as JSON: found solutions, facts, nodes, hand classes, next cards, flops."""

from functools import lru_cache
from typing import Any

import numpy as np

from runout.cards.card import format_card, parse_board
from runout.cards.combos import NUM_COMBOS, format_combo
from runout.cards.hand_classes import Draw, MadeHand, classify_hands
from runout.errors import BundleError, TreeError
from runout.explorer.library import FoundRun
from runout.explorer.opened import OpenedRun, RunSummary, RunWithNodes
from runout.explorer.preflop_run import PreflopRun
from runout.explorer.report_run import ReportRun
from runout.explorer.spot_run import SpotRun
from runout.explorer.values_run import ValuesRun
from runout.views.node_json import node_summary_to_json, node_to_json

Json = dict[str, Any]

#: What the page can ask of a solution: the parts of an address.
QUESTIONS = ("facts", "node", "classes", "cards", "lines", "flops")

_NUM_BOARDS_KEPT = 64
_COMBO_NAMES = [format_combo(combo) for combo in range(NUM_COMBOS)]


def answer(opened: OpenedRun, question: str, argument: str, can_solve: bool) -> Json:
    """Returns what is known.

    Args:
        opened: the solution.
        question: one of `QUESTIONS`.
        argument: the path of a node; for ``classes`` a board, for values a stack-to-pot ratio.
        can_solve: whether the server may start jobs.

    Raises:
        RunoutError: if there is no such node, board or ratio, or the solution has no such thing.
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
        case "lines" if isinstance(run, PreflopRun):
            return run.lines()
        case "flops" if isinstance(run, ValuesRun | ReportRun):
            return run.report(argument)
        case "flops" if isinstance(run, PreflopRun):
            return run.flop_report(argument)
    raise BundleError(opened.found.name, f"a {opened.found.kind.value} solution has no {question}")


def _require_nodes(run: RunSummary) -> RunWithNodes:
    if not isinstance(run, PreflopRun | SpotRun):
        raise BundleError("node", "values and reports of flops have no nodes, ask for flops")
    return run


def summary_to_json(found: FoundRun, run: RunSummary | None, problem: str) -> Json:
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


def facts_to_json(found: FoundRun, run: RunSummary, can_solve: bool) -> Json:
    """Returns everything about a solution that does not depend on a node."""
    is_preflop = isinstance(run, PreflopRun)
    return {
        **summary_to_json(found, run, ""),
        "path": found.given,
        "config": run.config_text,
        "note": run.note if isinstance(run, SpotRun | ReportRun) else "",
        "flops": run.flops() if isinstance(run, PreflopRun) else [],
        "leaves": run.leaves() if isinstance(run, PreflopRun) else [],
        "can_solve": can_solve and is_preflop,
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


def cards_to_json(run: RunWithNodes, path: str) -> Json:
    """Returns the node with each card that can come, or could have come last, in its place.

    Raises:
        RunoutError: if there is no such node.
    """
    run.node(path)
    try:
        report = run.cards(path)
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
