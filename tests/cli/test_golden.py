"""The names in `--json` documents stay: each is compared with the one that was written before.

Documents of stored samples are compared with their numbers. Of commands that solve, whose numbers
depend on the processor, names and types are compared.

`python -m tests.cli.test_golden` writes the file anew; a name that changes goes to CHANGELOG.md.
"""

import json
import os
import shlex
import tempfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from runout.cli.program import app
from tests.cli.retired import modern_arguments
from tests.conftest import DATA, unpack
from tests.integration.test_old_bundles import find_differences

GOLDEN = DATA / "cli" / "golden.json"
CONFIGS = Path(__file__).parents[2] / "configs"

#: Entries of a list that are kept; the others have the same names.
_KEPT = 3

COMMANDS = """\
equity AA KK
equity "22+,AKs:0.5" KK --board Ah7s2c
range "AKs:0.5,A2s+,22+"
flops --random 5 --seed 7
flops --subset 8
eval AhKhQhJhTh2c3d
strength --board AhKsQd --hand JcTc
tree show -c CONFIGS/pushfold_10bb.yaml
tree show -c CONFIGS/spot_river.yaml
tree show -c CONFIGS/postflop_smoke.yaml --spr 3.5
show raw_equity
show raw_equity --player bb
show raw_equity --node r2 --range 22+
show raw_equity --node r2 --compare r3
export raw_equity --node c
trace-hand raw_equity AKs
ranges raw_equity --node r2-c
ranges two_rounds --node c-x --player sb
spot show turn
spot show turn --node x:x
spot show turn --node x:x:8h:x --player ip
spot show turn --depth 1
spot show turn --hand AhAd
spot show turn --node x:x --hand QQ
spot show turn --by class
spot show turn --by equity --player ip
spot show turn --compare x
spot show turn --class sets
spot report turn --node x:x
spot report turn --node x:x:8h:x
inspect turn
inspect raw_equity
inspect flops --flops
""".splitlines()

_MODEL = "fixed_flops: [AhKs7d], postflop_sprs: [1], bet_sizes: [a], max_raises_per_street: 0"
_BUCKETS = ", ".join(f"num_hand_buckets_{street}: 5" for street in ("flop", "turn", "river"))
_BUCKETED = f"{{solve_type: bucketed, {_MODEL}, {_BUCKETS}, postflop_solve_iterations: 5"
_SWEEP = "{grid: {num_hand_buckets_flop: [5, 6]}, seeds: 2}"
FILES = {
    "hands.yaml": f"postflop_model: {{solve_type: exhaustive, {_MODEL}}}",
    "buckets.yaml": f"postflop_model: {_BUCKETED}, rebucket_rounds: 2}}",
    "sweep.yaml": f"sweep: {_SWEEP}\npostflop_model: {_BUCKETED}}}",
    "spot.yaml": "{oop: 'AA,72o', ip: KK, pot: 10, stack: 10, bet_sizes: a, max_iterations: 20}",
}

#: In this order: some show what those before them have solved.
SOLVING = """\
solve-spot -c spot.yaml --board QsJh2h8c3d -o spot
solve-spot -c spot.yaml --board QsJh2h8c3d --estimate
solve-preflop -c CONFIGS/pushfold_10bb.yaml -o pushfold
solve-postflop -c hands.yaml -o hands
report -c spot.yaml --flops AhKs7d -o report
lab exploit -c hands.yaml --solve-type exhaustive
lab sweep -c sweep.yaml -o sweep
solve-postflop -c buckets.yaml -o kept
abstraction build -o buckets --samples 9000 --flop-buckets 3
abstraction inspect buckets
abstraction bucket buckets --board AhKs7d --hand QsQd
""".splitlines()


def shorten(document):
    """Returns a document with the first entries of its lists, and floats with few digits."""
    if isinstance(document, float):
        return float(f"{document:.6g}")
    if isinstance(document, list):
        left_out = [f"and {len(document) - _KEPT} more"] if len(document) > _KEPT else []
        return [shorten(item) for item in document[:_KEPT]] + left_out
    if isinstance(document, dict):
        return {key: shorten(item) for key, item in document.items()}
    return document


def write_document(command):
    """Returns what a command prints, in a directory with the stored samples."""
    old_words = [word.replace("CONFIGS", str(CONFIGS)) for word in shlex.split(command)]
    words = modern_arguments(old_words)
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code == 0, f"{command}: {result.stderr or result.exception!r}"
    return shorten(json.loads(result.stdout))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_document_keeps_its_names(command, stored, monkeypatch):
    monkeypatch.chdir(stored)
    golden = json.loads(GOLDEN.read_text())
    assert not list(find_differences(write_document(command), golden[command]))


def outline(document):
    """Returns the names of a document with the types of their values; lists are their first."""
    if isinstance(document, list):
        return [outline(item) for item in document[:1]]
    if isinstance(document, dict):
        return {key: outline(item) for key, item in document.items()}
    return "number" if type(document) in (int, float) else type(document).__name__


def write_outlines(folder):
    """Yields each command that solves with the outline of its document."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for command in SOLVING:
        yield command, outline(write_document(command))


def test_documents_of_solves_keep_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden = json.loads(GOLDEN.read_text())
    for command, found in write_outlines(tmp_path):
        assert found == golden[command], command


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        unpack(DATA / "cli", Path(folder))
        os.chdir(folder)
        documents = {command: write_document(command) for command in COMMANDS}
        documents |= dict(write_outlines(Path(folder)))
        lines = (f"{json.dumps(c)}: {json.dumps(found)}" for c, found in documents.items())
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
