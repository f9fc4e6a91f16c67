"""What a preflop solution says about its nodes."""

import numpy as np
import pytest

from runout.cards.canonical_hands import parse_canonical_hand
from runout.equity.preflop_equity import preflop_table
from runout.errors import TreeError
from runout.trees.preflop_betting import BB, SB
from runout.views.node import NodeKind
from runout.views.preflop_view import PreflopView
from tests.preflop.games import made_up_book, small_tree, solve


@pytest.fixture(scope="module")
def view():
    return PreflopView(solve(small_tree(), made_up_book(), max_iterations=100))


def test_every_node_is_found_and_of_its_kind(view):
    kinds = {path: view.node(path).kind for path in ("", "f", "c-x", "a-c")}
    assert kinds == {
        "": NodeKind.DECISION,
        "f": NodeKind.FOLD,
        "c-x": NodeKind.FLOP,
        "a-c": NodeKind.SHOWDOWN,
    }
    assert view.node("r:0:c:x").path == "c-x"


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
    solution = view.solution
    for number in view.decisions():
        children = view.tree.layout.children(number)
        expected = [solution.action_frequency(child) for child in children]
        assert view.node_at(number).frequency() == pytest.approx(expected, nan_ok=True)
    root = view.node()
    for player in (SB, BB):
        won = root.range_ev(player) - root.invested[player]
        assert won == pytest.approx(solution.game_value_bb(player))
    assert root.reach == pytest.approx(1.0)


def test_equity_is_that_of_an_all_in_against_what_arrives(view):
    aces, root = parse_canonical_hand("AA"), view.node()
    assert root.equity[SB, aces] == pytest.approx(preflop_table().equity_vs_random()[aces])
    for player in (SB, BB):
        assert root.range_equity(player) == pytest.approx(0.5)


def test_the_trail_has_every_decision_on_the_way(view):
    node = view.node("r2.5-c")
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
    assert view.describe_decision(0) == "SB first in"
    assert view.describe_decision(find("c")) == "BB versus limp"
    assert view.describe_decision(find("c-a")) == "SB after SB limp, BB all-in 12"
    assert view.describe_path(find("r2.5-c")) == "SB raise to 2.5, BB call"


def test_where_the_betting_is_over_nobody_decides(view):
    with pytest.raises(TreeError, match="path 'c-x': the betting is over after SB limp, BB check"):
        view.find_decision("c-x")


def test_quality_is_that_of_the_report(view):
    quality, report = view.quality, view.solution.report
    assert (quality.exploitability, quality.unit) == (report.exploitability_mbb, "mbb")
    assert quality.meaning == "own game"
    assert quality.provenance is None
