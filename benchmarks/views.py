"""Looking at a saved spot of 700 MB: opening it, its nodes, and the memory of the process."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Row, duration
from runout.config.load import load_config
from runout.config.spot import SpotConfig
from runout.runs.spot import solve_spot

OPENING_GOAL_SECONDS = 1.0
NODE_GOAL_SECONDS = 0.1
MEMORY_GOAL_BYTES = 300e6

SPOT_FILE = Path(__file__).parents[1] / "configs" / "spot_flop.yaml"
#: Lines through all streets: the flop, a turn, a river, and where a card is dealt.
_PATHS = ["r:0", "x:b59", "x:b59:c", "x:b59:c:8h", "x:b59:c:8h:x:x:2c", "x:x:Kd", "x:x:Kd:x:x:3s"]

# In an interpreter of its own, as a user has it: imports count, and so does what they bring along.
# Processor time, as other work on the machine is none of ours; the files are in memory. The peak
# is that of this program: what the system's own count has may be of the one that started it.
_LOOK = """
import json, sys
from time import process_time
started = process_time()
from runout.solutions.flop_bundles import load_spot
imported = process_time()
view = load_spot(sys.argv[1])
opened = process_time()
nodes = []
for path in json.loads(sys.argv[2]):
    begun = process_time()
    view.node(path)
    nodes.append(process_time() - begun)
with open("/proc/self/status") as status:
    (peak,) = [line.split()[1] for line in status if line.startswith("VmHWM")]
print(json.dumps([imported - started, opened - imported, nodes, 1024 * int(peak)]))
"""


def rows() -> list[Row]:
    """Returns what a user waits for, and what the process takes."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "spot"
        # How well it is solved changes nothing about looking at it.
        solve_spot(load_config(SPOT_FILE, SpotConfig, {"max_iterations": 10}), directory=path)
        size = sum(file.stat().st_size for file in path.iterdir())
        runs = [_look(path) for _ in range(3)]
    imported, opened, nodes, peak = min(runs, key=lambda run: max(run[2]))
    name = f"a spot of {size / 1e6:.0f} MB"
    return [
        duration(f"{name}: imports", imported),
        duration(f"{name}: opening", opened, OPENING_GOAL_SECONDS),
        duration(f"{name}: the slowest of {len(nodes)} first looks", max(nodes), NODE_GOAL_SECONDS),
        duration(f"{name}: the mean of them", sum(nodes) / len(nodes), NODE_GOAL_SECONDS),
        Row(
            f"{name}: memory of the process",
            f"{peak / 1e6:.0f} MB",
            "",
            f"{peak / 1e6:.0f} MB",
            f"{MEMORY_GOAL_BYTES / 1e6:.0f} MB",
            peak <= MEMORY_GOAL_BYTES,
        ),
    ]


def _look(path: Path) -> tuple[float, float, list[float], float]:
    command = [sys.executable, "-c", _LOOK, str(path), json.dumps(_PATHS)]
    printed = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    imported, opened, nodes, peak = json.loads(printed)
    return imported, opened, nodes, peak
