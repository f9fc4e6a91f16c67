"""The names in `--json` documents stay: each is compared with the one that was written before.

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
flop-equity AhKsQd --versus QQ
flop-equity AhKsQd
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
ranges two_rounds --node c-x --round 0 --player sb
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
values flops --hero AA --spr 1
values flops --hero AA --villain KK
values flops --hero AA --villain KK --flop AhKs7d --position ip
inspect turn
inspect raw_equity
inspect flops --flops
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        unpack(DATA / "cli", Path(folder))
        os.chdir(folder)
        documents = (f"{json.dumps(c)}: {json.dumps(write_document(c))}" for c in COMMANDS)
        GOLDEN.write_text("{\n" + ",\n".join(documents) + "\n}\n")
