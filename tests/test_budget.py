"""The size of the source: lines and modules per package, which may only fall.

A feature brings its lines from somewhere else. Lower these numbers whenever the source gets
smaller. An issue may grant lines: what is used of them stands in `GRANTED`.
"""

from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "runout"

#: Lines and modules of each package; "top" are the modules of `runout` itself.
BUDGET = {
    "abstraction": (1_685, 7),
    "cards": (2_249, 10),
    "cfr": (1_460, 7),
    "cli": (4_568, 24),
    "config": (1_941, 8),
    "equity": (942, 4),
    "execution": (1_297, 6),
    "explorer": (1_348, 8),
    "flops": (3_864, 14),
    "formats": (0, 8),
    "holdem": (3_883, 12),
    "preflop": (886, 4),
    "runs": (2_157, 9),
    "simd": (1_363, 6),
    "solutions": (4_421, 11),
    "storage": (1_481, 5),
    "top": (963, 8),
    "trees": (1_926, 8),
}

#: Lines that an issue may add, and what each package has used of them.
GRANTS = {26: 300, 27: 700, 28: 1_800, 29: 1_000, 30: 600, 31: 300}
GRANTED: dict[int, dict[str, int]] = {
    26: {"flops": 70, "top": 3},
    27: {
        "cards": 44,
        "cfr": 4,
        "cli": 54,
        "equity": 1,
        "flops": 128,
        "holdem": 340,
        "preflop": 33,
        "runs": 28,
        "solutions": 60,
        "top": 6,
    },
    28: {
        "cards": 97,
        "explorer": 110,
        "formats": 1_337,
        "solutions": 8,
        "top": 8,
        "trees": 240,
    },
    29: {"cli": 164, "config": 30, "explorer": 500, "runs": 250, "solutions": 50, "top": 6},
    31: {
        "abstraction": -83,
        "cfr": 1,
        "cli": 1,
        "config": 28,
        "equity": 4,
        "execution": -56,
        "flops": -59,
        "holdem": 10,
        "preflop": 3,
        "simd": -17,
        "top": 468,
    },
    30: {
        "abstraction": 4,
        "cli": 21,
        "execution": 65,
        "explorer": 69,
        "solutions": 61,
        "storage": 323,
        "top": 57,
    },
}


def package_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "top"


def lines_of(name: str) -> int:
    return BUDGET[name][0] + sum(used.get(name, 0) for used in GRANTED.values())


MODULES = sorted(PACKAGE.rglob("*.py"))
LINES = Counter[str]()
NUM_MODULES = Counter(package_of(path) for path in MODULES)
for path in MODULES:
    LINES[package_of(path)] += len(path.read_text().splitlines())


def test_every_package_has_a_budget():
    assert NUM_MODULES.keys() == BUDGET.keys()


def test_no_package_grows():
    too_large = [
        f"{name}: {LINES[name]} of {lines_of(name)} lines, {NUM_MODULES[name]} of {modules} modules"
        for name, (_, modules) in BUDGET.items()
        if LINES[name] > lines_of(name) or NUM_MODULES[name] > modules
    ]
    assert not too_large, "\n".join(too_large)


def test_no_issue_uses_more_than_its_grant():
    assert all(sum(used.values()) <= GRANTS[issue] for issue, used in GRANTED.items())
