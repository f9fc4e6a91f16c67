"""Tests of `runout.solutions.preflop`."""

import json
import subprocess
import sys

import numpy as np
import pytest

from runout.cards.deck import matchup_weights, parse_canonical_hand
from runout.equity.matchups import preflop_table
from runout.errors import BundleError
from runout.preflop.solver import BookLeaves, expected_values, play_strategy
from runout.solutions.node import NodeKind
from runout.solutions.preflop import (
    PREFLOP_KIND,
    PREFLOP_SCHEMA_VERSION,
    SOLUTION_FOLDER,
    FlopLeafSource,
    PreflopReport,
    PreflopSolution,
    find_bundle,
    load_solution,
    save_solution,
)
from runout.solutions.values import ValueSource
from runout.storage.bundle import load_bundle
from runout.storage.writer import write_bundle
from runout.trees.betting import BB, SB, PreflopRules
from runout.trees.tree import IP, OOP, PreflopTree
from tests.reference.equity import equity_vs_random
from tests.reference.preflop_game import action_frequency, make_pair_game
from tests.samples.preflop_games import made_up_book, random_strategy, small_tree, solve
from tests.samples.preflop_rules import limp_fold_rules, standard_rules_100bb

# --------------------------------------------------------------------------------------------------
# Solutions on disk: the same when read back, refused when anything is wrong.


REPORT = PreflopReport(
    iterations=50,
    exploitability_mbb=0.25,
    seconds=1.5,
    flop_leaves={
        "c:x": FlopLeafSource(ValueSource.SOLVED, "solved at SPR 12"),
        "r2.5:c": FlopLeafSource(ValueSource.EXTRAPOLATED, "SPR 5 is outside"),
    },
    curve_mbb=((25, 3.0), (50, 0.25)),
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
    assert loaded.tree.rules == rules
    np.testing.assert_array_equal(loaded.tree.invested, solution.tree.invested)


def test_the_config_is_kept_word_for_word(path):
    bundle = load_bundle(path, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)
    assert bundle.config_text == "iterations: 50\n"
    assert bundle.manifest.config_digest == "0" * 64


def test_it_opens_without_compiling_a_kernel(path):
    code = (
        "import sys; from runout.solutions.preflop import load_solution; "
        f"load_solution({str(path)!r}); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_existing_solution_is_replaced_only_if_asked_for(path):
    with pytest.raises(BundleError, match="exists"):
        save_solution(path, make_solution(), "", "0" * 64)
    save_solution(path, make_solution(), "new: 1\n", "0" * 64, overwrite=True)
    assert load_bundle(path, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION).config_text == "new: 1\n"


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


def write_other(path, version=PREFLOP_SCHEMA_VERSION, kind=PREFLOP_KIND, **changes):
    """Writes a bundle that is whole, but not what `save_solution` writes."""
    solution = make_solution()
    saved = path.parent / "good"
    save_solution(saved, solution, "", "0" * 64)
    good = load_bundle(saved, PREFLOP_KIND, PREFLOP_SCHEMA_VERSION)
    write_bundle(
        path,
        kind=kind,
        schema_version=version,
        arrays=changes.get("arrays", good.arrays),
        documents={**good.documents, **changes.get("documents", {})},
    )


def test_another_version_is_refused(tmp_path):
    write_other(tmp_path / "a", version=PREFLOP_SCHEMA_VERSION + 1)
    with pytest.raises(BundleError, match=f"version {PREFLOP_SCHEMA_VERSION + 1}, expected"):
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
        {"report": {**vars(REPORT), "flop_leaves": 3, "curve_mbb": []}},
    ],
)
def test_documents_that_make_no_sense_are_refused(tmp_path, documents):
    write_other(tmp_path / "a", documents=documents)
    with pytest.raises(BundleError, match="missing or invalid entry"):
        load_solution(tmp_path / "a")


# --------------------------------------------------------------------------------------------------
# Questions to a solved preflop game.


TREE, BOOK = small_tree(), made_up_book()
WEIGHTS = matchup_weights()


def play(strategy):
    leaves = BookLeaves(TREE, BOOK)
    ev_bb = expected_values(play_strategy(TREE, leaves, strategy), leaves.matchup_share)
    return PreflopSolution(TREE, strategy, ev_bb, PreflopReport(1, 0.0, 0.0, {}))


def play_at(path, probability):
    """Returns a random strategy in which the action to a node has a fixed probability."""
    strategy = random_strategy(TREE)
    node = TREE.find_node(path)
    others = [n for n in TREE.layout.children(int(TREE.layout.parent[node])) if n != node]
    strategy[others] *= (1.0 - probability) / strategy[others].sum(axis=0)
    strategy[node] = probability
    return play(strategy)


SOLUTION = play(random_strategy(TREE))


def test_the_game_value_is_the_mean_over_all_deals():
    combos = WEIGHTS.sum(axis=1) / WEIGHTS.sum()
    assert SOLUTION.game_value_bb(SB) == pytest.approx(combos @ SOLUTION.ev_bb[SB, 0])
    total = SOLUTION.game_value_bb(SB) + SOLUTION.game_value_bb(BB)
    assert total == pytest.approx(0.0, abs=1e-12)


def test_reach_is_the_product_of_own_actions():
    raised, called = (TREE.find_node(path) for path in ("c-r2.5", "c-r2.5-c"))
    limped = TREE.find_node("c")
    np.testing.assert_allclose(
        SOLUTION.reach(SB)[called], SOLUTION.strategy[limped] * SOLUTION.strategy[called]
    )
    np.testing.assert_array_equal(SOLUTION.reach(BB)[called], SOLUTION.strategy[raised])


def test_the_small_blind_arrives_in_position():
    node = TREE.find_node("r2.5:c")
    ranges = SOLUTION.arriving_ranges(node)
    np.testing.assert_array_equal(ranges[IP], SOLUTION.strategy[TREE.find_node("r2.5")])
    np.testing.assert_array_equal(ranges[OOP], SOLUTION.strategy[node])
    assert ranges.max() <= 1.0


def frequency_of(solution, path):
    """Returns how often the last action of a path is taken."""
    node = solution.tree.find_node(path)
    before = int(solution.tree.layout.parent[node])
    return solution.node_at(before).frequency()[node - solution.tree.layout.children(before).start]


@pytest.mark.parametrize("path", ["a", "a-c", "r2.5:c", "c-r2.5-c"])
def test_frequencies_are_those_of_a_walk_over_all_pairs(path):
    node = TREE.find_node(path)
    expected = action_frequency(make_pair_game(TREE, BOOK), SOLUTION.strategy, node)
    assert frequency_of(SOLUTION, path) == pytest.approx(expected, rel=1e-10)


def test_frequencies_count_card_removal():
    """If only aces are raised, the big blind holds an ace less often than one hand in seven."""
    strategy = random_strategy(TREE)
    first, raised = list(TREE.layout.children(0)), TREE.find_node("r2.5")
    strategy[first] = 0.0
    strategy[TREE.find_node("f")] = 1.0
    strategy[:, 0][first] = 0.0
    strategy[raised, parse_canonical_hand("AA")] = 1.0
    answers = list(TREE.layout.children(raised))
    strategy[answers] = 0.0
    call, fold = TREE.find_node("r2.5:c"), TREE.find_node("r2.5-f")
    strategy[fold] = 1.0
    strategy[call, parse_canonical_hand("AKs")], strategy[fold, parse_canonical_hand("AKs")] = 1, 0
    # 50 cards are left: AKs can be dealt in 2 of 1,225 ways, without card removal in 4 of 1,326.
    assert frequency_of(play(strategy), "r2.5:c") == pytest.approx(2 / 1225)


@pytest.mark.parametrize("probability", [0.0, 0.25, 1.0])
def test_a_frequency_is_a_probability_that_all_hands_share(probability):
    solution = play_at("c-r2.5", probability)
    assert frequency_of(solution, "c-r2.5") == pytest.approx(probability)


def test_an_action_that_nobody_comes_to_has_no_frequency():
    assert np.isnan(frequency_of(play_at("c", 0.0), "c:x"))


# --------------------------------------------------------------------------------------------------
# Where the bundles of a run are.


def test_a_run_has_its_bundles_in_folders(tmp_path):
    inside = tmp_path / SOLUTION_FOLDER
    write_bundle(inside, kind="x", schema_version=1, arrays={})
    assert find_bundle(tmp_path, SOLUTION_FOLDER) == inside
    assert find_bundle(inside, SOLUTION_FOLDER) == inside
    assert find_bundle(tmp_path / "none", SOLUTION_FOLDER) == tmp_path / "none"


# --------------------------------------------------------------------------------------------------
# What a preflop solution says about its nodes.


@pytest.fixture(scope="module")
def view():
    return solve(small_tree(), made_up_book(), max_iterations=100)


def test_every_node_is_found_and_of_its_kind(view):
    kinds = {path: view.node(path).kind for path in ("", "f", "c:x", "a-c")}
    assert kinds == {
        "": NodeKind.DECISION,
        "f": NodeKind.FOLD,
        "c:x": NodeKind.FLOP,
        "a-c": NodeKind.SHOWDOWN,
    }
    assert view.node("r:0:c:x").path == "c:x"


def test_values_of_the_two_ranges_add_up_to_the_pot(view):
    for number in range(view.tree.num_nodes):
        node = view.node_at(number)
        if (node.reach or 0.0) > 1e-3:
            total = node.range_ev(SB) + node.range_ev(BB)
            assert total == pytest.approx(node.pot, abs=1e-6), node.path


def test_folding_is_worth_nothing_from_there_on(view):
    for number in view.decisions():
        node = view.node_at(number)
        for action, values in zip(node.actions, node.action_ev, strict=True):
            if action.code == "f":
                known = ~np.isnan(values)
                assert values[known] == pytest.approx(0.0, abs=1e-9)


def test_means_over_hands_agree_with_the_solution(view):
    root = view.node()
    for player in (SB, BB):
        won = root.range_ev(player) - root.invested[player]
        assert won == pytest.approx(view.game_value_bb(player))
    assert root.reach == pytest.approx(1.0)


def test_equity_is_that_of_an_all_in_against_what_arrives(view):
    aces, root = parse_canonical_hand("AA"), view.node()
    assert root.equity[SB, aces] == pytest.approx(equity_vs_random(preflop_table())[aces])
    for player in (SB, BB):
        assert root.range_equity(player) == pytest.approx(0.5)


def test_the_trail_has_every_decision_on_the_way(view):
    node = view.node("r2.5:c")
    assert [(step.path, step.actor, step.taken) for step in node.trail] == [
        ("", SB, "r2.5"),
        ("r2.5", BB, "c"),
    ]
    for step in node.trail:
        decision = view.node(step.path)
        assert step.label == decision.label
        assert step.actions == decision.actions
        assert step.frequencies == pytest.approx(tuple(decision.frequency()))


def test_words_for_places(view):
    find = view.tree.find_node
    assert view.label(0) == "SB first in"
    assert view.label(find("c")) == "BB versus limp"
    assert view.label(find("c-a")) == "SB after SB limp, BB all-in 12"
    assert view.label(find("r2.5:c")) == "SB raise to 2.5, BB call"


def test_quality_is_that_of_the_report(view):
    quality, report = view.quality, view.report
    assert (quality.exploitability, quality.unit) == (report.exploitability_mbb, "mbb")
    assert quality.meaning == "own game"
    assert quality.manifest is None
