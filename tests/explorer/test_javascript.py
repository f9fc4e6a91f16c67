"""The arithmetic of the page, tested by Node where there is one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import runout.explorer
from runout.cards.deck import format_cards
from runout.execution.context import RunContext
from runout.explorer.answers import classes_to_json
from runout.runs.spot import solve_spot
from runout.solutions.node_files import node_to_json
from runout.solutions.tables import (
    Part,
    groups_to_json,
    parse_class_choice,
)

has_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
SCRIPTS = Path(runout.explorer.__file__).parent / "static" / "js"
TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@has_node
@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_pure_modules(file):
    done = subprocess.run(
        ["node", "--test", str(file)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]


PARTS_OF_A_RANGE = """
import { readFileSync } from "node:fs";
const [scripts, file] = process.argv.slice(2);
const { bandRows, drawRows, madeRows } = await import(`${scripts}/breakdown.js`);
const { factorsOf, filtersOf } = await import(`${scripts}/filters.js`);
const { totalsOf } = await import(`${scripts}/node_math.js`);
const { node, classes } = JSON.parse(readFileSync(file, "utf8"));
const number = new Map(classes.hands.map((name, i) => [name, i]));
const pick = (values) => node.hands.map((names) => names.map((name) => values[number.get(name)]));
const here = { ...classes, made: pick(classes.made), draws: pick(classes.draws) };
const filters = filtersOf({ f: "sets,flush-draws", x: "gutshots" });
console.log(JSON.stringify([0, 1].map((player) => ({
  made: madeRows(node, player, here, null),
  draws: drawRows(node, player, here, null),
  bands: bandRows(node, player, null),
  part: totalsOf(node, player, factorsOf(node, player, filters, here)),
}))));
"""


@has_node
def test_the_page_cuts_ranges_as_the_command_line_does(tmp_path):
    keys = {"board": "QhJh2h8c", "oop": "22+,A2s+,KTo", "ip": "55+,K9s+,ATo", "pot": 20}
    solution = solve_spot(**keys, stack=60, max_iterations=3, context=RunContext(1))
    node = solution.view.node("x")
    classes = classes_to_json(format_cards(node.board))
    (tmp_path / "node.json").write_text(
        json.dumps({"node": node_to_json(node), "classes": classes})
    )
    (tmp_path / "cut.mjs").write_text(PARTS_OF_A_RANGE)
    done = subprocess.run(
        ["node", str(tmp_path / "cut.mjs"), str(SCRIPTS), str(tmp_path / "node.json")],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    choice = parse_class_choice("sets,flush-draws,-gutshots")
    for player, page in enumerate(json.loads(done.stdout)):
        ways = {"made": ("class", "made hand"), "draws": ("class", "draw")}
        for name, (by, cut) in {**ways, "bands": ("equity", "equity")}.items():
            rows = groups_to_json(node, player, by)["parts"][cut]
            assert [row["name"] for row in page[name]] == [row["name"] for row in rows]
            for shown, row in zip(page[name], rows, strict=True):
                for key in ("combos", "share", "equity", "ev"):
                    assert shown[key] == pytest.approx(row[key], rel=1e-4, abs=1e-4)
                assert shown["frequencies"] == pytest.approx(row["frequency"], abs=1e-4)
        part = Part(node.players[player], classes=choice).of(node)
        assert page["part"]["combos"] == pytest.approx(part.combos(player), rel=1e-4)
        assert page["part"]["ev"] == pytest.approx(part.range_ev(player), abs=1e-3)
        assert page["part"]["eqr"] == pytest.approx(part.eqr(player), abs=1e-4)
