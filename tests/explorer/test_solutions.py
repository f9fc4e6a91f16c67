"""Tests of `runout.explorer.answers`."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import matchup_weights
from runout.errors import BundleError, RunoutError, TreeError
from runout.explorer.answers import (
    flops_of,
    flops_to_json,
    list_lines,
    open_facts,
    title_of,
)
from runout.runs.spot import solve_spot
from runout.solutions.flop_bundles import load_spot
from runout.solutions.tables import leaves_sheet
from runout.solutions.values import ValueBundle


@pytest.fixture(scope="module")
def open_by_name(explorer, ids):
    return lambda name: explorer.opened.get(explorer.library.get(ids[name]))


@pytest.fixture(scope="module")
def game(open_by_name):
    return open_by_name("preflop_game")


def test_lines_are_all_nodes_in_the_order_of_a_walk(game):
    rows = list_lines(game.solution)["rows"]
    assert len(rows) == game.solution.tree.num_nodes
    assert (rows[0]["path"], rows[0]["depth"], rows[0]["reach"]) == ("", 0, 1.0)
    for before, row in itertools.pairwise(rows):
        assert row["depth"] <= before["depth"] + 1


def test_reach_of_what_follows_adds_up_to_that_of_a_decision(game):
    rows = {row["path"]: row for row in list_lines(game.solution)["rows"]}
    first = [row for row in rows.values() if row["depth"] == 1]
    assert sum(row["reach"] for row in first) == pytest.approx(1.0, abs=1e-5)
    assert sum(row["frequency"] for row in first) == pytest.approx(1.0, abs=1e-5)


def test_both_players_share_the_pot(game):
    for row in list_lines(game.solution)["rows"]:
        if row["reach"] > 0.01:
            assert sum(row["ev"]) == pytest.approx(row["pot"], abs=0.01)


def test_sources_of_flops_are_told_and_guesses_marked(game):
    leaves = leaves_sheet(game.solution).records()
    assert {leaf["source"] for leaf in leaves} == {"raw equity, checked down"}
    assert all(leaf["is_guessed"] for leaf in leaves)


def test_the_title_says_how_flops_were_solved(game, open_by_name):
    assert title_of(game.solution) == "10 bb, flops checked down"
    assert title_of(open_by_name("joint_game").solution) == "6 bb, 1 flop"


def test_a_config_that_cannot_be_read_any_more_hides_nothing_else(game):
    odd = replace(game.solution, config_text="colour: green\n")
    assert title_of(odd) == game.solution.title + ", flops checked down"
    assert flops_of(odd) is None


def test_a_line_without_flops_has_an_empty_report(game):
    assert flops_to_json(game, "r2-c")["flops"] == []
    with pytest.raises(TreeError):
        flops_to_json(game, "nowhere")


@pytest.fixture
def report(open_by_name):
    return open_by_name("flop_report")


def test_a_row_has_what_the_page_shows(report):
    answer = flops_to_json(report, "")
    assert (answer["path"], answer["choices"]) == ("root", ["root", "x:x"])
    row = answer["flops"][0]
    assert (row["flop"], row["share"], row["high"]) == ("AhKd7s", pytest.approx(0.5), "A high")
    assert [action["frequency"] for action in row["actions"]] == [0.2, 0.3, 0.5]
    assert (row["ev"], row["equity"], row["eqr"]) == ([12.0, 8.0], [0.5, 0.5], [1.2, 0.8])
    assert row["more"] == {
        "nuts_oop": 0.25,
        "nuts_ip": 0.125,
        "cost_x": 0.5,
        "cost_b10": 1.0,
        "cost_b20": 2.0,
    }


def test_a_line_without_values_has_none(report):
    row = flops_to_json(report, "x:x")["flops"][2]
    assert (row["ev"], row["share"], row["actions"]) == ([None, None], 0.0, [])
    assert flops_to_json(report, "x:x")["flops"][1]["more"]["reach"] == 0.25


def test_a_kept_flop_is_linked(report, ids):
    links = [row["run"] for row in flops_to_json(report, "")["flops"]]
    assert links == [None, None, ids["Td9d6h"]]


def test_it_says_how_much_is_solved(report):
    assert title_of(report.solution) == "3 flops, a spot"
    assert report.solution.note == "3 of 4 flops are solved"
    assert report.solution.quality.exploitability == 0.004


def test_a_line_that_was_not_looked_at_is_refused(report):
    with pytest.raises(RunoutError, match="is not in this report, it has root, x:x"):
        flops_to_json(report, "b10")


KEYS = {"board": "QsJh2h8c3d", "oop": "AA,KK", "ip": "QQ,JJ", "pot": 20, "stack": 40}


def test_a_spot_says_what_it_is_and_how_well_it_is_solved(runs):
    facts, spot = open_facts(runs / "river"), load_spot(runs / "river")
    assert facts.title == spot.title == "QsJh2h8c3d, pot 180, stack 910"
    assert facts.note == spot.note == ""
    assert facts.quality == spot.quality


def test_a_spot_without_a_solution_says_how_to_get_one_and_then_has_it(tmp_path):
    path = tmp_path / "spot"
    solution = solve_spot(**KEYS)
    solution.begin_saving(path)()
    with pytest.raises(BundleError, match="is unfinished; rerun its command to resume"):
        open_facts(path)
    solve_spot(directory=path, **KEYS)
    assert open_facts(path).quality.iterations > 0


@pytest.fixture(scope="module")
def values(open_by_name):
    return open_by_name("flop_values")


def test_a_flop_is_worth_the_mean_over_all_deals(values, runs):
    solved = ValueBundle.load(runs / "flop_values").values[0]
    row = flops_to_json(values, "")["flops"][1]
    total = deals = 0.0
    weights = matchup_weights(solved.flops.flops[1])
    for hero, villain in np.argwhere(weights > 0):
        total += weights[hero, villain] * solved.value_pot[1, 0, hero, villain]
        deals += weights[hero, villain]
    assert row["ev"][0] == pytest.approx(total / deals, abs=2e-6)


def test_both_players_share_the_pot_of_test_values_run(values):
    for row in flops_to_json(values, "")["flops"]:
        assert sum(row["ev"]) == pytest.approx(1.0, abs=1e-4)


def test_the_worst_flop_says_how_well_all_are_solved(values, runs):
    bundle = ValueBundle.load(runs / "flop_values")
    reports = [report for solved in bundle.values for report in solved.reports]
    assert values.solution.quality.exploitability == max(
        report.exploitability_pot for report in reports
    )


def test_a_ratio_that_was_not_solved_is_refused(values):
    with pytest.raises(BundleError, match="was not solved"):
        flops_to_json(values, "7")
