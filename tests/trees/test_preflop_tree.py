import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.layout import LEAF
from runout.trees.postflop_tree import IP, NO_ACTION, OOP
from runout.trees.preflop_betting import (
    BB,
    SB,
    PreflopRules,
    limp_fold_rules,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)
from runout.trees.preflop_tree import (
    ALL_IN,
    FLOP,
    FOLD_BY_BB,
    FOLD_BY_SB,
    NOT_A_LEAF,
    PreflopTree,
    postflop_position,
)
from tests.trees import preflop_referee

deterministic = settings(derandomize=True, deadline=None, max_examples=100)


def build(sizes, stacks=100.0, **limits):
    return PreflopTree.build(PreflopRules.parse(stacks, sizes, **limits))


def paths(tree):
    return [tree.path(node) for node in range(tree.num_nodes)]


def random_rules(stacks, antes, sizes):
    """Rules of many shapes that the small blind can play."""
    menu = st.lists(st.lists(st.sampled_from(sizes), max_size=2), min_size=1, max_size=3)
    return st.builds(
        lambda stacks, ante, sb, bb, cap, limp, force: PreflopRules.parse(
            stacks,
            {"sb": sb, "bb": bb},
            ante_bb=ante,
            raise_cap=cap,
            allow_limp=limp,
            force_all_in_threshold=force,
        ),
        st.tuples(stacks, stacks),
        antes,
        menu,
        menu,
        st.sampled_from([1, 2, 3, 4]),
        st.booleans(),
        st.sampled_from([0.0, 0.0, 0.2]),
    )


any_rules = random_rules(
    st.floats(0.05, 200.0),
    st.sampled_from([0.0, 0.0, 0.1, 1.2]),
    ["2bb", "2.2bb", "3bb", "7.5bb", "0.3p", "0.75p", "1p", "2.2x", "3x", "allin", "50bb"],
)
#: Floats hold all amounts of these exactly.
exact_rules = random_rules(
    st.integers(1, 160).map(lambda quarters: quarters / 4),
    st.sampled_from([0.0, 0.0, 0.125, 1.5]),
    ["2bb", "2.5bb", "3bb", "7.5bb", "0.5p", "1p", "2.5x", "3x", "allin"],
)


# Trees counted by hand


def test_push_or_fold_has_five_nodes():
    tree = PreflopTree.build(push_fold_rules(10.0))
    assert paths(tree) == ["", "f", "a", "a-f", "a-c"]
    assert tree.layout.actor.tolist() == [SB, LEAF, BB, LEAF, LEAF]
    assert tree.leaf_kind.tolist() == [NOT_A_LEAF, FOLD_BY_SB, NOT_A_LEAF, FOLD_BY_BB, ALL_IN]
    assert tree.invested_bb.tolist() == [[0.5, 1], [0.5, 0.5], [10, 1], [1, 1], [10, 10]]
    assert tree.pot_bb.tolist() == [1.5, 1.0, 11.0, 2.0, 20.0]
    assert tree.leaf_stake_bb.tolist() == [0.0, 0.5, 0.0, 1.0, 10.0]
    assert tree.action_labels(0) == ["fold", "all-in 10"]
    assert tree.action_labels(2) == ["fold", "call"]
    assert tree.counts == ((1, 1), (1, 1), 1, 0)
    assert tree.flop_leaves() == ()


def test_limp_or_fold_has_seven_nodes():
    tree = PreflopTree.build(limp_fold_rules(10.0))
    assert paths(tree) == ["", "f", "c", "c-x", "c-a", "c-a-f", "c-a-c"]
    assert tree.leaf_kind[3:].tolist() == [FLOP, NOT_A_LEAF, FOLD_BY_SB, ALL_IN]
    assert tree.counts == ((2, 1), (2, 0), 1, 1)


def test_a_limp_leaves_the_big_blind_the_option():
    tree = build("3bb", 20.0, raise_cap=1)
    limp = tree.find_node("c")
    assert tree.action_labels(0) == ["fold", "limp", "raise to 3", "all-in 20"]
    assert tree.layout.actor[limp] == BB
    assert tree.action_labels(limp) == ["check", "raise to 3", "all-in 20"]
    assert tree.leaf_kind[tree.find_node("c-x")] == FLOP
    # The small blind answers the raise, and its call is no limp.
    assert tree.action_labels(tree.find_node("c-r3")) == ["fold", "call"]
    assert tree.leaf_kind[tree.find_node("c-r3-c")] == FLOP


def test_a_raise_a_re_raise_and_an_all_in_are_counted_by_hand():
    tree = build("2.5bb; 9bb", 25.0, raise_cap=3, allow_limp=False)
    assert sorted(paths(tree)) == sorted(
        [
            "", "f", "r2.5", "a", "a-f", "a-c",
            "r2.5-f", "r2.5-c", "r2.5-r9", "r2.5-a", "r2.5-a-f", "r2.5-a-c",
            "r2.5-r9-f", "r2.5-r9-c", "r2.5-r9-a", "r2.5-r9-a-f", "r2.5-r9-a-c",
            # 9 bb again at depth 2 is below the minimum of 9 + 6.5.
            "r2.5-r9-r15.5", "r2.5-r9-r15.5-f", "r2.5-r9-r15.5-c",
        ]
    )  # fmt: skip
    assert tree.counts == ((3, 4), (3, 4), 3, 3)


def test_the_actions_of_a_worked_hand_follow_the_minimum_raise():
    tree = build(["2.5bb", "1bb, 7.5bb", "1bb"], 100.0, always_offer_all_in=False, raise_cap=3)
    assert tree.action_labels(tree.find_node("r2.5")) == [
        "fold", "call", "raise to 4", "raise to 7.5",
    ]  # fmt: skip
    assert tree.action_labels(tree.find_node("r2.5-r4"))[2:] == ["raise to 5.5"]
    assert tree.action_labels(tree.find_node("r2.5-r7.5"))[2:] == ["raise to 12.5"]


def test_the_cap_ends_the_raising():
    for cap in range(5):
        tree = build("2x", 100.0, raise_cap=cap)
        raises = [path.count("r") + path.count("a") for path in paths(tree)]
        assert max(raises) == cap
    assert paths(build("2x", raise_cap=0)) == ["", "f", "c", "c-x"]


def test_without_a_cap_the_stacks_end_the_raising():
    tree = build("2x", 16.0, allow_limp=False)
    assert "r2-r4-r8-a-c" in paths(tree)


# Money


def test_flops_have_the_pots_and_stacks_of_a_worked_example():
    tree = PreflopTree.build(standard_rules_100bb())
    by_path = {leaf.path: leaf for leaf in tree.flop_leaves()}
    assert by_path["r2.5-c"][2:] == (5.0, 97.5, 19.5)
    assert by_path["c-x"][2:] == (2.0, 99.0, 49.5)
    assert by_path["r2.5-r9-c"][2:] == pytest.approx((18.0, 91.0, 91 / 18))
    assert by_path["c-r3.5-c"][2:] == pytest.approx((7.0, 96.5, 96.5 / 7))
    for path, leaf in by_path.items():
        assert tree.find_node(path) == leaf.node
        assert tree.spr[leaf.node] == leaf.spr
    assert np.flatnonzero(~np.isnan(tree.spr)).tolist() == [
        leaf.node for leaf in tree.flop_leaves()
    ]
    assert np.array_equal(np.isnan(tree.spr), np.isnan(tree.stack_behind_bb))


def test_a_fold_loses_what_the_folder_has_put_in():
    tree = PreflopTree.build(standard_rules_100bb())
    for path, folder, lost in [
        ("f", SB, 0.5), ("c-a-f", SB, 1.0), ("r2.5-f", BB, 1.0), ("r2.5-r9-f", SB, 2.5),
        ("r2.5-r9-a-f", BB, 9.0),
    ]:  # fmt: skip
        node = tree.find_node(path)
        assert tree.leaf_payoffs_bb(folder, 0.9)[node] == -lost
        assert tree.leaf_payoffs_bb(1 - folder, 0.1)[node] == lost
        assert tree.pot_bb[node] == 2 * lost


def test_a_shared_pot_is_won_by_share():
    tree = PreflopTree.build(standard_rules_100bb())
    all_in, flop = tree.find_node("a-c"), tree.find_node("r2.5-c")
    assert tree.leaf_payoffs_bb(SB, 0.75)[all_in] == 50.0
    assert tree.leaf_payoffs_bb(BB, 0.25)[all_in] == -50.0
    assert tree.leaf_payoffs_bb(SB, 1.0)[all_in] == 100.0
    assert tree.leaf_payoffs_bb(SB, 0.6)[flop] == pytest.approx(0.5)  # 3 of 5 back for 2.5
    assert tree.leaf_payoffs_bb(SB, 2.0)[flop] == 7.5  # the betting on the flop won more


def test_shares_may_differ_by_leaf_and_be_unknown_elsewhere():
    tree = PreflopTree.build(limp_fold_rules(10.0))
    shares = np.full(tree.num_nodes, np.nan)
    shares[[tree.find_node("c-x"), tree.find_node("c-a-c")]] = 0.75, 0.25
    assert tree.leaf_payoffs_bb(SB, shares).tolist() == [0, -0.5, 0, 0.5, 0, -1, -5]


def test_the_uncalled_part_of_a_deeper_stack_comes_back():
    for stacks in [(100.0, 40.0), (40.0, 100.0)]:
        tree = build("2.5bb", stacks, raise_cap=2)
        node = tree.find_node("a-c")
        assert tree.action_label(tree.find_node("a")) == "all-in 40"
        assert tree.invested_bb[node].tolist() == [40.0, 40.0]
        assert tree.leaf_payoffs_bb(SB, 1.0)[node] == 40.0
        assert tree.stack_behind_bb[tree.find_node("r2.5-c")] == 37.5
    same = build("2.5bb", 40.0, raise_cap=2)
    assert np.array_equal(tree.invested_bb, same.invested_bb)


def test_antes_are_dead_money_that_reduces_the_stack():
    tree = build("2.5bb", 25.0, ante_bb=0.125, raise_cap=1)
    assert tree.invested_bb[0].tolist() == [0.625, 1.125]
    assert tree.pot_bb[0] == 1.75
    assert tree.leaf_payoffs_bb(SB, 0.5)[tree.find_node("f")] == -0.625
    assert tree.pot_bb[tree.find_node("r2.5-c")] == 5.25
    assert tree.stack_behind_bb[tree.find_node("r2.5-c")] == 25.0 - 2.625
    assert tree.spr[tree.find_node("c-x")] == (25.0 - 1.125) / 2.25
    assert tree.action_label(tree.find_node("a")) == "all-in 24.875"
    assert tree.invested_bb[tree.find_node("a-c")].tolist() == [25.0, 25.0]


def test_an_all_in_is_the_stack_itself_whatever_the_rounding_of_antes():
    stack, ante = 1.7, 0.12
    assert ante + (stack - ante) != stack
    tree = PreflopTree.build(push_fold_rules(stack, ante_bb=ante))
    assert tree.invested_bb[tree.find_node("a-c")].tolist() == [stack, stack]


def test_positions_turn_around_after_the_flop():
    assert (postflop_position(SB), postflop_position(BB)) == (IP, OOP)


# Stacks as small as the blinds


@pytest.mark.parametrize("stacks", [(1.0, 1.0), (1.0, 50.0), (50.0, 0.75), (0.75, 50.0)])
def test_against_a_big_blind_who_is_all_in_there_is_fold_and_call(stacks):
    tree = build("2.5bb, allin", stacks, allow_limp=False)
    stack = min(stacks)
    assert paths(tree) == ["", "f", "c"]
    assert tree.action_labels(0) == ["fold", "call"]
    assert tree.leaf_kind.tolist() == [NOT_A_LEAF, FOLD_BY_SB, ALL_IN]
    assert tree.invested_bb.tolist() == [[0.5, stack], [0.5, 0.5], [stack, stack]]


@pytest.mark.parametrize(
    ("stacks", "ante"), [((0.5, 20.0), 0.0), ((20.0, 0.25), 0.0), ((5.0, 1.0), 1.0), ((2, 1), 0.7)]
)
def test_posting_can_be_all_there_is(stacks, ante):
    tree = build("2.5bb", stacks, ante_bb=ante)
    assert paths(tree) == [""]
    assert tree.leaf_kind.tolist() == [ALL_IN]
    assert tree.invested_bb.tolist() == [[min(stacks), min(stacks)]]


def test_a_little_more_than_a_blind_can_be_moved_all_in():
    tree = PreflopTree.build(push_fold_rules(1.1))
    assert paths(tree) == ["", "f", "a", "a-f", "a-c"]
    assert tree.pot_bb[4] == 2.2


# Every tree


@deterministic
@given(any_rules)
def test_every_leaf_is_zero_sum_and_nobody_invests_more_than_a_stack(rules):
    tree = PreflopTree.build(rules)
    is_leaf = tree.leaf_kind != NOT_A_LEAF
    won_by_sb, won_by_bb = tree.leaf_payoffs_bb(SB, 0.3), tree.leaf_payoffs_bb(BB, 0.7)
    assert np.allclose(won_by_sb + won_by_bb, 0.0, atol=1e-12)
    assert np.all(tree.invested_bb <= np.array(rules.stacks_bb))
    assert np.all(tree.invested_bb >= 0.0)
    assert np.array_equal(tree.invested_bb[is_leaf, SB], tree.invested_bb[is_leaf, BB])
    for player in (SB, BB):
        folded = tree.leaf_kind == player
        lost = -tree.leaf_payoffs_bb(player, 0.5)[folded]
        assert np.array_equal(lost, tree.invested_bb[tree.layout.parent[folded], player])
    assert np.all(tree.invested_bb[tree.leaf_kind == ALL_IN] == rules.effective_stack_bb)
    assert np.all(tree.stack_behind_bb[tree.leaf_kind == FLOP] > 0.0)


@deterministic
@given(any_rules)
def test_every_action_is_legal_and_offered_once(rules):
    tree = PreflopTree.build(rules)
    for node in np.flatnonzero(tree.leaf_kind == NOT_A_LEAF):
        preflop_referee.check_decision(tree, int(node))


@settings(derandomize=True, deadline=None, max_examples=40)
@given(exact_rules)
def test_an_independent_rules_engine_agrees_with_random_trees(rules):
    # Caps and missing limps are choices of the tree that the engine does not know.
    open_rules = PreflopRules(rules.stacks_bb, rules.raise_sizes, ante_bb=rules.ante_bb)
    try:
        tree = PreflopTree.build(open_rules, max_nodes=130)
    except TreeError:
        return
    preflop_referee.check_at_table(tree)


@pytest.mark.parametrize(
    "rules",
    [
        PreflopRules.parse(100.0, "2.5bb, 3bb; 3x; 2.5x"),
        PreflopRules.parse((7.0, 30.0), "2bb; 2.5x", ante_bb=0.125),
        PreflopRules.parse((30.0, 7.0), "1p; 0.5p", ante_bb=0.5),
        PreflopRules.parse((20.0, 1.5), "2bb"),
        PreflopRules.parse((20.0, 0.75), "2bb"),
        PreflopRules.parse((0.25, 20.0), "2bb"),
    ],
    ids=str,
)
def test_an_independent_rules_engine_agrees(rules):
    preflop_referee.check_at_table(PreflopTree.build(rules))


# Reading a tree


def test_actions_are_read_from_the_rows_of_the_children():
    tree = PreflopTree.build(standard_rules_25bb())
    assert tree.action_kind[0] == NO_ACTION
    assert tree.action_to(tree.find_node("r2-r6")) == Action(ActionKind.RAISE, 6.0)
    assert tree.actions(tree.find_node("r2-r6-a")) == [
        (ActionKind.FOLD, 6.0),
        (ActionKind.CALL, 25.0),
    ]
    assert tree.actions(tree.find_node("f")) == []


def test_a_wrong_step_of_a_path_is_named():
    tree = PreflopTree.build(standard_rules_100bb())
    with pytest.raises(TreeError, match="'r3' is no action at the root, use one of f, c, "):
        tree.find_node("r3-c")


def test_the_presets_have_the_sizes_of_their_docstrings():
    assert PreflopTree.build(standard_rules_25bb()).num_nodes == 34
    assert PreflopTree.build(standard_rules_100bb()).num_nodes == 46
    assert PreflopTree.build(standard_rules_100bb()).counts == ((8, 8), (8, 7), 8, 7)


def test_arrays_are_read_only():
    tree = PreflopTree.build(push_fold_rules(10.0))
    for array in (tree.invested_bb, tree.pot_bb, tree.spr, tree.leaf_kind, tree.leaf_stake_bb):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_small_blind_who_can_only_fold_is_an_error():
    message = "preflop rules: SB can only fold, allow limps, raises or all-in"
    for limits in ({"raise_cap": 0}, {"always_offer_all_in": False}):
        with pytest.raises(TreeError) as caught:
            build("", allow_limp=False, **limits)
        assert str(caught.value) == message


def test_a_tree_that_is_too_large_is_refused():
    rules = PreflopRules.parse(10_000.0, "2x, 3x, 4x")
    with pytest.raises(TreeError, match="tree: more than 1,000 nodes, allow fewer actions"):
        PreflopTree.build(rules, max_nodes=1000)
