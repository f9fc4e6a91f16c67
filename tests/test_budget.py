"""The size of the source: lines and modules per package, which may only fall.

A feature brings its lines from somewhere else. Lower these numbers whenever the source gets
smaller; raise them only where an issue grants lines.
"""

from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "runout"

#: Lines and modules of each package; "top" are the modules of `runout` itself.
BUDGET = {
    "abstraction": (1_685, 7),
    "cards": (2_249, 10),
    "cfr": (1_460, 7),
    "cli": (4_604, 20),
    "config": (2_027, 8),
    "equity": (942, 4),
    "execution": (1_297, 6),
    "explorer": (1_398, 6),
    "flops": (3_867, 14),
    "holdem": (3_883, 12),
    "preflop": (886, 4),
    "runs": (2_239, 9),
    "simd": (1_363, 6),
    "solutions": (4_473, 11),
    "storage": (1_481, 5),
    "top": (975, 7),
    "trees": (1_941, 8),
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
