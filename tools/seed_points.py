"""The table of docs/history.md: where each point of the founding documents is met.

``tests/data/seeds.json`` has the points with the tests and pages that meet them.
``python -m tools.seed_points docs/history.md`` renews the part of the page between the two marks.
"""

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
POINTS = ROOT / "tests" / "data" / "seeds.json"
BEGIN_MARK = "<!-- begin: made by python -m tools.seed_points -->"
END_MARK = "<!-- end -->"

#: The documents by their numbers.
TITLES = {
    "000": "Plan of EV rebucketing",
    "001": "Design of EV rebucketing",
    "002": "Canonical 169 hands",
    "003": "Parallel CFR within a flop",
    "004": "Plan of card abstraction",
    "02": "What was asked of the backends later",
}
_SIGNS = {"works": "as written", "better": "differs", "partly": "partly"}


def read_points() -> list[dict[str, Any]]:
    """Returns the points: document, point, what, status and where it is met."""
    points: list[dict[str, Any]] = json.loads(POINTS.read_text("utf-8"))
    return points


def format_points() -> str:
    """Returns a table for each document, in Markdown."""
    parts = []
    for document, points in groupby(read_points(), lambda point: point["document"]):
        lines = [f"### {TITLES[document]}", "", "| | point | here | met in |", "|---|---|---|---|"]
        for point in points:
            places = ", ".join(map(_link, point["met"]))
            cells = [str(point["point"]), point["what"], _SIGNS[point["status"]], places]
            lines.append(f"| {' | '.join(cells)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def renew_points(page: str) -> str:
    """Returns a page with fresh tables between its marks."""
    before, _, rest = page.partition(BEGIN_MARK)
    after = rest.partition(END_MARK)[2]
    return f"{before}{BEGIN_MARK}\n\n{format_points()}\n{END_MARK}{after}"


def _link(place: str) -> str:
    """Returns a test or page as a link from the folder of the page."""
    file, _, test = place.partition("::")
    if test:
        return f"[{test.removeprefix('test_')}](../{file})"
    name = Path(file.partition("#")[0]).name
    is_near = file.startswith("docs/")
    return f"[{name}]({file.removeprefix('docs/') if is_near else f'../{file}'})"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renew_points(path.read_text("utf-8")), "utf-8")
