import pytest

from runout.errors import TreeError
from runout.trees.betting import BettingRules, PreflopRules, Stakes
from runout.trees.paths import find_action, format_pio_id, join_path, read_path
from runout.trees.tree import PostflopTree, PreflopTree
from tests.samples.preflop_rules import standard_rules_25bb

PREFLOP = PreflopTree.build(standard_rules_25bb())
IN_POTS = PostflopTree.build(BettingRules.of([0.5], 1), 2.0)
#: Half-way sizes in whole chips: 33% of 180 is 59.4, and 3 times 59 is 177.
IN_CHIPS = PostflopTree.build(BettingRules.of("33%, 75%", 2, "3x, 2e"), Stakes.in_chips(180, 910))
TREES = {"preflop": PREFLOP, "pots": IN_POTS, "chips": IN_CHIPS}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_every_node_is_found_by_its_own_path(tree):
    paths = [tree.path(node) for node in range(min(tree.num_nodes, 2000))]
    assert [tree.find_node(path) for path in paths] == list(range(len(paths)))
    assert not any(set(path) & set("-, ") for path in paths)


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_every_action_is_found_by_its_label(tree):
    for node in range(1, min(tree.num_nodes, 500)):
        parent = int(tree.layout.parent[node])
        given = read_path(f"{tree.action_label(node)}")
        assert len(given.steps) == 1
        assert find_action(tree, parent, given.steps[0]) == node, tree.action_label(node)


def test_the_root_is_the_empty_path():
    assert PREFLOP.path(0) == ""
    assert PREFLOP.find_node("  ") == 0
    assert PREFLOP.find_node("r:0") == 0


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (" R2-C ", "r2:c"),
        ("r2 c", "r2:c"),
        ("raise 2bb, call", "r2:c"),
        ("raise to 2bb:call", "r2:c"),
        ("Raise 2 - Call", "r2:c"),
        ("limp check", "c:x"),
        ("limp:raise 2bb", "c:r2"),
        ("r2:r3x:all-in", "r2:r6:a"),
        ("r2:raise 3x (to 6):All In call", "r2:r6:a:c"),
        ("raise", "r2"),
        ("jam fold", "a:f"),
        ("r10", "a"),
        ("r:0:r2:c", "r2:c"),
    ],
)
def test_paths_before_the_flop_are_read_generously(text, path):
    tree = PreflopTree.build(PreflopRules.parse(10.0, "2bb; 3x"))
    assert tree.path(tree.find_node(text)) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("x:b59:c", "x:b59:c"),
        ("check b33% call", "x:b59:c"),
        ("Check, Bet 33%, Call", "x:b59:c"),
        ("b32.8%", "b59"),  # what it is after rounding
        ("bet 59 raise 3x", "b59:r177"),
        ("bet 33% (59)-raise 3x (to 177)-fold", "b59:r177:f"),
        ("b0.33p:c", "b59:c"),
        ("b59c:c", "b59:c"),
        ("r59:b177", "b59:r177"),
        ("b910", "a"),
        ("b59:raise 2e:c", "b59:r296:c"),
        ("c:c:b59", "x:x:b59"),
        ("r:0:b59:c:c:b157", "b59:c:x:b98"),
        ("all-in 910 c", "a:c"),
    ],
)
def test_paths_after_the_flop_are_read_generously(text, path):
    rules = BettingRules.of("33%, 75%", 2, "3x, 2e")
    tree = PostflopTree.build(rules, Stakes.in_chips(180, 910))
    assert tree.path(tree.find_node(text)) == path


@pytest.mark.parametrize(
    ("path", "pio_id"),
    [
        ("", "r:0"),
        ("x:b59:c", "r:0:c:b59:c"),
        ("b59:c:8h:x:b98:r294:c:As:x", "r:0:b59:c:8h:c:b157:b353:c:As:c"),
        ("b59:r177:f", "r:0:b59:b177:f"),
        ("x:a:c", "r:0:c:b910:c"),
    ],
)
def test_a_path_is_written_as_the_id_of_piosolver(path, pio_id):
    assert format_pio_id(IN_CHIPS, path) == pio_id


def test_a_path_that_leads_nowhere_has_no_id():
    with pytest.raises(TreeError, match="step 1: 'b60' is not an action at the root"):
        format_pio_id(IN_CHIPS, "b60")


@pytest.mark.parametrize("tree", [PREFLOP, IN_CHIPS])
def test_every_node_is_found_by_its_pio_id(tree):
    for node in range(min(tree.num_nodes, 1000)):
        assert tree.find_node(format_pio_id(tree, tree.path(node))) == node


def test_cards_and_flops_are_steps():
    assert read_path("c:x:Td9d6h:x").steps == ("c", "x", "Td9d6h", "x")
    assert read_path("c x Td 9d 6h x").steps == ("c", "x", "Td9d6h", "x")
    assert read_path("a:c:8h:2c").steps == ("a", "c", "8h", "2c")
    assert join_path("c:x", "", "Td9d6h", "x") == "c:x:Td9d6h:x"


@pytest.mark.parametrize(
    ("tree", "path", "problem"),
    [
        ("preflop", "x", "step 1: 'x' is not an action at the root; possible: f, c, r2, a"),
        (
            "preflop",
            "r2:r7",
            "step 2: 'r7' is not an action after 'r2'; possible: f, c, r6 (3x), a",
        ),
        ("preflop", "f c", "step 2: 'c' is not an action after 'f'; the betting is over"),
        ("preflop", "r2--c", "step 2: '' is not an action after 'r2'; possible: f, c, r6 (3x), a"),
        ("chips", "b50%", "step 1: 'b50%' is not an action at the root; possible: x, b59 (33%), "),
        ("chips", "bet", "step 1: 'bet' is not an action at the root; possible: x, b59 (33%), "),
        ("chips", "b59:f2", "step 2: 'f2' is not an action after 'b59'; possible: f, c, r177 (3x)"),
        ("chips", "b2x", "step 1: 'b2x' is not an action at the root; "),
        ("chips", "b3bb", "step 1: 'b3bb' is not an action at the root; "),
        ("pots", "b59c", "step 1: 'b59c' is not an action at the root; possible: x, b50 (50%), a"),
    ],
)
def test_a_wrong_step_is_named_with_the_possible_actions(tree, path, problem):
    with pytest.raises(TreeError) as caught:
        TREES[tree].find_node(path)
    assert str(caught.value).startswith(f"path {path!r}, {problem}")
