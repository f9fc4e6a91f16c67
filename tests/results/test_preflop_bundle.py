"""Solutions on disk: the same when read back, refused when anything is wrong."""

import json
import subprocess
import sys

import numpy as np
import pytest

from runout.errors import BundleError
from runout.results.preflop_bundle import KIND, SCHEMA_VERSION, load_solution, save_solution
from runout.results.preflop_solution import (
    FlopLeafSource,
    PreflopReport,
    PreflopSolution,
    RangesRound,
)
from runout.results.solve_report import ExploitabilityMeaning
from runout.results.value_book import ValueSource
from runout.storage.bundle import load_bundle
from runout.storage.writer import write_bundle
from runout.trees.preflop_betting import PreflopRules, limp_fold_rules, standard_rules_100bb
from runout.trees.preflop_tree import PreflopTree
from tests.preflop.games import random_strategy

BOUND = ExploitabilityMeaning.UPPER_BOUND
REPORT = PreflopReport(
    iterations=50,
    exploitability_mbb=0.25,
    seconds=1.5,
    flop_leaves={
        "c-x": FlopLeafSource(ValueSource.SOLVED, "solved at SPR 12"),
        "r2.5-c": FlopLeafSource(ValueSource.EXTRAPOLATED, "SPR 5 is outside"),
    },
    curve_mbb=((25, 3.0), (50, 0.25)),
    ranges_rounds=(
        RangesRound(1, 0.1, 0.3, 0.004, BOUND),
        RangesRound(2, 0.02, 0.25, 0.003, BOUND),
    ),
)
RULES = {
    "100 big blinds": standard_rules_100bb(),
    "limp or fold": limp_fold_rules((10.0, 14.0), ante_bb=0.125),
    "odd numbers": PreflopRules.parse(
        (25.1, 33.3),
        {"sb": ["2.123456789bb, 1.1p", "2.7182818x"], "bb": ["0.3333333333333333p", "allin"]},
        small_blind_bb=0.4,
        raise_cap=3,
        always_offer_all_in=False,
        force_all_in_threshold=0.25,
    ),
}


def make_solution(rules=RULES["limp or fold"]):
    tree = PreflopTree.build(rules)
    ev_bb = np.random.default_rng(1).random((2, tree.num_nodes, 169))
    ev_bb[1, 1] = np.nan  # nobody comes
    earlier = tuple(random_strategy(tree, seed) for seed in (2, 3))
    return PreflopSolution(tree, random_strategy(tree), ev_bb, REPORT, earlier)


@pytest.fixture
def path(tmp_path):
    save_solution(tmp_path / "solved", make_solution(), "iterations: 50\n", "0" * 64)
    return tmp_path / "solved"


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES.keys())
def test_a_solution_reads_back_as_it_was(rules, tmp_path):
    solution = make_solution(rules)
    save_solution(tmp_path / "solved", solution, "a: 1\n", "0" * 64)
    loaded = load_solution(tmp_path / "solved")
    np.testing.assert_array_equal(loaded.strategy, solution.strategy)
    np.testing.assert_array_equal(loaded.ev_bb, solution.ev_bb)
    assert loaded.report == REPORT
    np.testing.assert_array_equal(loaded.earlier_strategies, solution.earlier_strategies)
    assert loaded.tree.rules == rules
    np.testing.assert_array_equal(loaded.tree.invested_bb, solution.tree.invested_bb)


def test_the_config_is_kept_word_for_word(path):
    bundle = load_bundle(path, KIND, SCHEMA_VERSION)
    assert bundle.config_text == "iterations: 50\n"
    assert bundle.manifest.config_digest == "0" * 64


def test_it_opens_without_compiling_a_kernel(path):
    code = (
        "import sys; from runout.results.preflop_bundle import load_solution; "
        f"load_solution({str(path)!r}); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_existing_solution_is_replaced_only_if_asked_for(path):
    with pytest.raises(BundleError, match="exists"):
        save_solution(path, make_solution(), "", "0" * 64)
    save_solution(path, make_solution(), "new: 1\n", "0" * 64, overwrite=True)
    assert load_bundle(path, KIND, SCHEMA_VERSION).config_text == "new: 1\n"


def test_nothing_is_no_solution(tmp_path):
    with pytest.raises(BundleError, match="nowhere"):
        load_solution(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["strategy.npy", "ev_bb.npy", "report.json", "rules.json"])
def test_a_changed_byte_is_noticed(path, name):
    content = bytearray((path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (path / name).write_bytes(bytes(content))
    with pytest.raises(BundleError, match=name):
        load_solution(path)


def test_a_missing_file_is_named(path):
    (path / "ev_bb.npy").unlink()
    with pytest.raises(BundleError, match=r"ev_bb\.npy"):
        load_solution(path)


def test_an_edited_manifest_is_noticed(path):
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps({**manifest, "config_digest": "1" * 64}))
    with pytest.raises(BundleError, match="was edited"):
        load_solution(path)


def write_other(path, version=SCHEMA_VERSION, kind=KIND, **changes):
    """Writes a bundle that is whole, but not what `save_solution` writes."""
    solution = make_solution()
    saved = path.parent / "good"
    save_solution(saved, solution, "", "0" * 64)
    good = load_bundle(saved, KIND, SCHEMA_VERSION)
    write_bundle(
        path,
        kind=kind,
        schema_version=version,
        package_version="0",
        arrays=changes.get("arrays", good.arrays),
        documents={**good.documents, **changes.get("documents", {})},
    )


def test_another_version_is_refused(tmp_path):
    write_other(tmp_path / "a", version=SCHEMA_VERSION + 1)
    with pytest.raises(BundleError, match=f"version {SCHEMA_VERSION + 1}, expected"):
        load_solution(tmp_path / "a")


def test_another_kind_is_refused(tmp_path):
    write_other(tmp_path / "a", kind="postflop_values")
    with pytest.raises(BundleError, match="is of kind 'postflop_values'"):
        load_solution(tmp_path / "a")


def test_a_solution_of_another_tree_is_refused(tmp_path):
    arrays = {"strategy": np.zeros((3, 169)), "ev_bb": np.zeros((2, 3, 169))}
    write_other(tmp_path / "a", arrays=arrays)
    with pytest.raises(BundleError, match=r"strategy is float64 \(3, 169\), this version builds"):
        load_solution(tmp_path / "a")


@pytest.mark.parametrize(
    "documents",
    [
        {"rules": {"stacks_bb": [10.0, 10.0]}},
        {"rules": {}},
        {"rules": {"stacks_bb": [10.0, 10.0], "raise_sizes": ["nonsense"]}},
        {"report": {"iterations": 3}},
        {"report": {**vars(REPORT), "flop_leaves": 3, "ranges_rounds": [], "curve_mbb": []}},
    ],
)
def test_documents_that_make_no_sense_are_refused(tmp_path, documents):
    write_other(tmp_path / "a", documents=documents)
    with pytest.raises(BundleError, match="lacks or garbles"):
        load_solution(tmp_path / "a")
