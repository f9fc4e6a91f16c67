"""The size of the source: lines and modules per package, which may only fall.

A feature brings its lines from somewhere else. Lower these numbers whenever the source gets
smaller; raise them only where an issue grants lines.
"""

from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "runout"

#: Lines and modules of each package; "top" are the modules of `runout` itself.
BUDGET = {
    "abstraction": (2_146, 7),
    "cards": (2_662, 10),
    "cfr": (1_288, 6),
    "cli": (9_275, 24),
    "config": (3_240, 8),
    "equity": (1_288, 6),
    "execution": (1_773, 6),
    "explorer": (2_045, 7),
    "flops": (5_132, 14),
    "holdem": (5_008, 15),
    "preflop": (1_791, 5),
    "runs": (2_873, 10),
    "simd": (1_626, 6),
    "solutions": (4_543, 12),
    "storage": (1_835, 5),
    "top": (923, 7),
    "trees": (2_354, 8),
}


def package_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "top"


MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = Counter[str]()
NUM_MODULES = Counter(package_of(path) for path in MODULES)
for path in MODULES:
    LINES[package_of(path)] += len(path.read_text().splitlines())


def test_every_package_has_a_budget():
    assert NUM_MODULES.keys() == BUDGET.keys()


def test_no_package_grows():
    too_large = [
        f"{name}: {LINES[name]} of {lines} lines, {NUM_MODULES[name]} of {modules} modules"
        for name, (lines, modules) in BUDGET.items()
        if LINES[name] > lines or NUM_MODULES[name] > modules
    ]
    assert not too_large, "\n".join(too_large)
