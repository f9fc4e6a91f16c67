import itertools

import pytest

from runout.errors import TreeError
from runout.explorer.preflop_run import PreflopRun


@pytest.fixture(scope="module")
def game(runs):
    return PreflopRun.open(runs / "preflop_game")


def test_lines_are_all_nodes_in_the_order_of_a_walk(game):
    rows = game.lines()["rows"]
    assert len(rows) == game.view.tree.num_nodes
    assert (rows[0]["path"], rows[0]["depth"], rows[0]["reach"]) == ("", 0, 1.0)
    for before, row in itertools.pairwise(rows):
        assert row["depth"] <= before["depth"] + 1


def test_reach_of_what_follows_adds_up_to_that_of_a_decision(game):
    rows = {row["path"]: row for row in game.lines()["rows"]}
    first = [row for row in rows.values() if row["depth"] == 1]
    assert sum(row["reach"] for row in first) == pytest.approx(1.0, abs=1e-5)
    assert sum(row["frequency"] for row in first) == pytest.approx(1.0, abs=1e-5)


def test_both_players_share_the_pot(game):
    for row in game.lines()["rows"]:
        if row["reach"] > 0.01:
            assert sum(row["ev"]) == pytest.approx(row["pot"], abs=0.01)


def test_sources_of_flops_are_told_and_guesses_marked(game):
    leaves = game.leaves()
    assert {leaf["source"] for leaf in leaves} == {"raw equity, checked down"}
    assert all(leaf["is_guessed"] for leaf in leaves)


def test_the_title_says_how_flops_were_solved(game, runs):
    assert game.title == "10 bb, flops checked down"
    assert PreflopRun.open(runs / "joint_game").title == "6 bb, 1 flop"


def test_a_config_that_cannot_be_read_any_more_hides_nothing_else(game):
    odd = PreflopRun(game.view, "colour: green\n")
    assert odd.title == "10 bb"
    assert odd.flops() == []


def test_a_line_without_flops_has_an_empty_report(game):
    assert game.flop_report("r2-c")["flops"] == []
    with pytest.raises(TreeError):
        game.flop_report("nowhere")
