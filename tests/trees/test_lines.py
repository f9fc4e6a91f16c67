"""Tests of lines in `runout.trees.paths`, and of the all-in threshold that is a share of the stack.

`tests/data/formats/pio_25bb_two_sizes.txt` is a script that PioVIEWER wrote, from the package pious
(MIT): the settings of a tree, and the 266 lines that PioVIEWER made of them.
"""

from pathlib import Path

import numpy as np
import pytest

from runout.errors import TreeError
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.paths import Line
from runout.trees.tree import PostflopTree

SCRIPT = Path(__file__).parents[1] / "data" / "formats" / "pio_25bb_two_sizes.txt"
PIO_LINES = [
    line.removeprefix("add_line ")
    for line in SCRIPT.read_text().splitlines()
    if line.startswith("add_line ")
]
NO_SIZES = {"bet_sizes": [], "raise_sizes": [], "add_all_in_threshold": 0.0}
HALF = {"bet_sizes": "50%", "raise_sizes": [], "add_all_in_threshold": 0.0}


def tree_of(street=Street.RIVER, stakes=(40, 230), **keys):
    rules = BettingRules.of(**({"max_raises_per_street": None} | keys))
    return PostflopTree.build(rules, Stakes.in_chips(*stakes), street)


def paths(tree):
    return {tree.path(node) for node in range(tree.num_nodes)}


def assert_same(tree, other):
    assert paths(tree) == paths(other)
    for name in ("invested", "leaf_kind", "leaf_stake", "action_kind", "action_amount"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name))


def test_lines_alone_make_the_tree_that_pioviewers_settings_make():
    assert len(PIO_LINES) == 266
    by_size = tree_of(
        Street.FLOP,
        bet_sizes={"flop": "30%, 60%", "turn": "30%, 60%", "river": "65%, a300%"},
        raise_sizes={"flop": "40%", "turn": "40%", "river": "40%, a300%"},
        add_all_in_threshold=0.0,
        force_all_in_share=0.67,
    )
    assert_same(by_size, tree_of(Street.FLOP, added_lines=PIO_LINES, **NO_SIZES))


def test_without_lines_and_sizes_players_check_down():
    assert paths(tree_of(**NO_SIZES)) == {"", "x", "x:x"}


def test_an_added_line_needs_no_size_and_is_answered_by_fold_and_call():
    tree = tree_of(added_lines=["0 12 38"], **NO_SIZES)
    assert paths(tree) == {
        *("", "x", "x:x", "x:b12", "x:b12:f", "x:b12:c"),
        *("x:b12:r38", "x:b12:r38:f", "x:b12:r38:c"),
    }


def test_amounts_of_lines_count_from_the_root_and_those_of_paths_by_street():
    by_total = tree_of(Street.TURN, added_lines=["20 20 20 50"], **HALF)
    by_street = tree_of(Street.TURN, added_lines=["b20:c:x:b30"], **HALF)
    assert_same(by_total, by_street)
    assert by_total.find_node("b20:c:x:b30:f") > 0
    assert paths(by_total) - paths(tree_of(Street.TURN, **HALF)) == {
        *("b20:c:x:b30", "b20:c:x:b30:f", "b20:c:x:b30:c")
    }


def test_sizes_go_on_below_an_added_bet():
    keys = {"bet_sizes": [], "raise_sizes": "50%", "add_all_in_threshold": 0.0}
    tree = tree_of(added_lines=["20"], max_raises_per_street=1, **keys)
    assert paths(tree) == {
        "",
        "x",
        "x:x",
        "b20",
        "b20:f",
        "b20:c",
        "b20:r60",
        "b20:r60:f",
        "b20:r60:c",
    }


def test_an_added_bet_of_the_whole_stack_is_all_in():
    assert_same(tree_of(added_lines=["230"], **NO_SIZES), tree_of(added_lines=["a"], **NO_SIZES))
    assert "a:c" in paths(tree_of(added_lines=["230"], **NO_SIZES))


def test_what_is_there_is_not_added_again():
    assert_same(tree_of(added_lines=["20", "0 20", "x x"], **HALF), tree_of(**HALF))


def test_a_removed_line_takes_its_last_action_out_with_all_that_follows():
    everything = paths(tree_of(**HALF))
    left = paths(tree_of(removed_lines=["0 20"], **HALF))
    assert everything - left == {"x:b20", "x:b20:f", "x:b20:c"}
    assert left < everything


def test_a_removed_check_makes_a_bet_compulsory():
    tree = tree_of(removed_lines=["0 0"], **HALF)
    assert [action.amount for action in tree.actions(tree.find_node("x"))] == [20.0]


def test_a_bet_without_a_number_is_every_bet_of_a_removed_line():
    keys = HALF | {"bet_sizes": "50%, 75%, a"}
    removed = paths(tree_of(**keys)) - paths(tree_of(removed_lines=["x:b"], **keys))
    assert {path.split(":")[1] for path in removed} == {"b20", "b30", "a"}


def test_lines_below_other_lines_are_removed_on_their_own():
    tree = tree_of(Street.TURN, removed_lines=["20 20 20"], **HALF)
    assert "b20:c:x" not in paths(tree)
    assert "x:b20:c:x" in paths(tree)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"added_lines": ["20 10"]}, "line '20 10': 10 is not an action there"),
        ({"added_lines": ["0 231"]}, "231 is not an action there; the stack is 230"),
        ({"added_lines": ["12.5"]}, "12.5 is not an action there"),
        ({"added_lines": ["0 0 0"]}, "0 comes after the betting is over"),
        ({"added_lines": ["b"], "bet_sizes": []}, "b is not an action there"),
        ({"removed_lines": ["0 21"]}, "line '0 21': is not in the tree, take it out"),
        ({"removed_lines": ["0", "20"]}, "line '20': without it, no action is left there"),
        ({"added_lines": ["x y"]}, "'y' is not an action, write 0 12 38"),
        ({"added_lines": [" "]}, "empty"),
        ({"force_all_in_share": 0.0}, "force_all_in_share: 0 is not a share above 0 and up to 1"),
    ],
)
def test_a_line_that_cannot_be_is_named(keys, message):
    with pytest.raises(TreeError, match=message):
        tree_of(**HALF | keys)


@pytest.mark.parametrize("text", ["0 12 38", "x:b12:r38:c", "r:b", "0 12.5"])
def test_a_line_reads_back_from_its_text(text):
    assert str(Line.parse(text)) == text
    assert Line.parse(str(Line.parse(f" {text.upper()} "))) == Line.parse(text)


@pytest.mark.parametrize(
    ("share", "amounts"), [(1.0, [50, 75, 80]), (0.76, [50, 75, 100]), (0.75, [50, 100])]
)
def test_a_bet_of_the_share_of_the_stack_is_all_in(share, amounts):
    keys = HALF | {"bet_sizes": "50c, 75c, 80c", "merging_threshold": 0.0}
    tree = tree_of(stakes=(40, 100), force_all_in_share=share, **keys)
    assert [action.amount for action in tree.actions(0)[1:]] == amounts


def test_the_share_counts_what_was_put_in_on_earlier_streets():
    keys = HALF | {"bet_sizes": {"turn": "50c", "river": "20c"}}
    tree = tree_of(Street.TURN, stakes=(40, 100), force_all_in_share=0.7, **keys)
    assert "b50:c:a" in paths(tree)
    assert "x:x:b20" in paths(tree)


def test_a_bounded_all_in_is_there_only_where_it_adds_so_little():
    keys = HALF | {"bet_sizes": "50%, a300%", "raise_sizes": "a300%"}
    tree = tree_of(stakes=(40, 230), **keys)
    assert paths(tree) >= {"b20", "b20:a"}  # 210 more are at most three pots of 80
    assert "a" not in paths(tree)  # 230 are more than three pots of 40
