"""Trees of a few dozen rules are those of commit 86d1cbc: stored bundles number their nodes so."""

import hashlib
import json
from pathlib import Path

import pytest

from runout.trees.betting import BettingRules, PreflopRules, Stakes, Street
from runout.trees.tree import PostflopTree, PreflopTree
from tests.samples.menus import menu_of

#: Made by the two betting engines that there were; each entry has a rule, the number of nodes and
#: the digest of the tree. Never made again: a digest that differs is a bundle that cannot be read.
TABLE = json.loads(Path(__file__).with_name("trees_of_86d1cbc.json").read_text())


def build(rule):
    keys = {key: value for key, value in rule.items() if key != "kind"}
    if rule["kind"] == "preflop":
        stacks, sizes = tuple(keys.pop("stacks_bb")), keys.pop("raise_sizes")
        return PreflopTree.build(PreflopRules.parse(stacks, sizes, **keys))
    stakes, street = keys.pop("stakes"), Street(keys.pop("street"))
    menus = [[menu_of(*menu) for menu in by_player] for by_player in keys.pop("menus")]
    keys["add_all_in_threshold"] = float(keys["add_all_in_threshold"])
    rules = BettingRules(tuple(map(tuple, menus)), **keys)
    unit = Stakes.in_pots if len(stakes) == 1 else Stakes.in_chips
    return PostflopTree.build(rules, unit(*stakes), street)


def digest(layout, *columns):
    """The order of the nodes and what is in them; amounts to 9 digits, the same on all machines."""
    arrays = [*(getattr(layout, name) for name in layout._fields), *columns]
    texts = [" ".join(f"{value:.9g}" for value in array.ravel().tolist()) for array in arrays]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_a_tree_has_the_nodes_that_stored_bundles_have(number):
    rule, num_nodes, expected = TABLE[number]
    tree = build(rule)
    columns = (tree.leaf_kind, tree.action_kind, tree.action_amount, tree.invested, tree.leaf_stake)
    assert tree.num_nodes == num_nodes
    assert digest(tree.layout, *columns) == expected


def test_the_table_covers_both_kinds_of_trees_and_their_rules():
    preflop = [rule for rule, _, _ in TABLE if rule["kind"] == "preflop"]
    postflop = [rule for rule, _, _ in TABLE if rule["kind"] == "postflop"]
    assert len(preflop) >= 25
    assert len(postflop) >= 25
    assert {rule["allow_limp"] for rule in preflop} == {True, False}
    assert len({rule["ante_bb"] for rule in preflop}) > 4
    assert {len(rule["stakes"]) for rule in postflop} == {1, 2}
    assert {rule["street"] for rule in postflop} == {0, 1, 2}
