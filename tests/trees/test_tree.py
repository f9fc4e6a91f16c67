"""Tests of `runout.trees.tree`."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.betting import (
    BB,
    SB,
    BettingRules,
    PreflopRules,
    Stakes,
    Street,
)
from runout.trees.layout import LEAF, NO_NODE
from runout.trees.tree import (
    FLOP,
    IP,
    NO_ACTION,
    NOT_A_LEAF,
    OOP,
    SHOWDOWN,
    PostflopTree,
    PotType,
    PreflopTree,
    build_flop_trees,
    postflop_position,
    pot_type_of,
)
from tests.samples.menus import menu_of
from tests.samples.preflop_rules import (
    limp_fold_rules,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)
from tests.trees import preflop_referee
from tests.trees.recursive_tree import leaves as twin_leaves

deterministic = settings(derandomize=True, deadline=None, max_examples=30)

FOLD, CHECK, CALL, BET, RAISE, ALL_IN_TEST_POSTFLOP_TREE = ActionKind


def action_labels(tree, node):
    return [tree.action_label(child) for child in tree.layout.children(node)]


def build(spr, sizes, max_raises, street=Street.FLOP, **limits):
    return PostflopTree.build(BettingRules.of(sizes, max_raises, **limits), spr, street)


def trees_in_pots():
    """Small trees of many shapes, as (tree, SPR)."""
    return st.builds(
        lambda spr, sizes, raises, street: build(spr, sizes, raises, street),
        st.floats(0.1, 12.0),
        st.lists(st.sampled_from([0.1, 0.25, 0.33, 0.5, 0.75, 1.0, 2.0]), min_size=1, max_size=2),
        st.integers(0, 2),
        st.sampled_from(Street),
    )


@pytest.fixture(scope="module")
def kernels_tree():
    """The tree of kernels.md: SPR 6, half pot and pot and all-in, two raises per street."""
    return build(6, [0.5, 1.0], 2)


# Trees counted by hand


def test_a_river_with_only_all_in_has_nine_nodes():
    # root | x, a | xx, xa, af, ac | xaf, xac
    tree = build(1, [1.0], 1, Street.RIVER)
    assert [tree.path(node) for node in range(tree.num_nodes)] == [
        "", "x", "a", "x:x", "x:a", "a:f", "a:c", "x:a:f", "x:a:c",
    ]  # fmt: skip
    assert tree.layout.actor.tolist() == [OOP, IP, IP, LEAF, OOP, LEAF, LEAF, LEAF, LEAF]
    assert tree.leaf_kind.tolist() == [
        *[NOT_A_LEAF] * 3, SHOWDOWN, NOT_A_LEAF, IP, SHOWDOWN, OOP, SHOWDOWN,
    ]  # fmt: skip
    assert tree.leaf_stake.tolist() == [0, 0, 0, 0.5, 0, 0.5, 1.5, 0.5, 1.5]
    assert tree.invested.tolist() == [
        [0, 0], [0, 0], [1, 0], [0, 0], [0, 1], [1, 0], [1, 1], [0, 1], [1, 1],
    ]  # fmt: skip


def test_a_call_and_two_checks_lead_to_the_next_street():
    # Only all-in: every street is the nine nodes above, and check-check opens the next one.
    assert [build(1, [1.0], 1, street).num_nodes for street in Street] == [25, 17, 9]


def test_half_pot_at_a_stack_of_one_pot_is_counted_by_hand():
    # River: after b50 come f, c and all-in with f, c: 6 nodes. After a come f, c: 3 nodes.
    # root 1 + (x 1 + xx 1 + 6 + 3) + 6 + 3 = 21.
    # Turn: xx leads to those 21 nodes; both ways to call b50 lead to a river with pot 2 and 0.5
    # behind, 9 nodes. 21 + 20 + 8 + 8 = 57. Flop: 21 + 56 + 2 * (17 - 1) = 109.
    assert [build(1, [0.5], 1, street).num_nodes for street in Street] == [109, 57, 21]
    tree = build(1, [0.5], 1)
    assert tree.decisions_by_street() == {"flop": 8, "turn": 16, "river": 24}
    assert tree.counts[1:] == ((15, 15), 19, 12, 0)


def test_the_tree_of_the_kernel_measurements_has_2233_nodes(kernels_tree):
    assert kernels_tree.num_nodes == 2233
    assert kernels_tree.decisions_by_street() == {"flop": 36, "turn": 212, "river": 644}


def test_raises_are_counted_after_the_first_bet(kernels_tree):
    assert kernels_tree.find_node("b50:r50:r50")
    three = kernels_tree.layout.children(kernels_tree.find_node("b50:r50:r50"))
    assert [kernels_tree.action_to(child).kind for child in three] == [FOLD, CALL]


@pytest.mark.parametrize(
    ("street", "template_nodes"),
    [(Street.RIVER, [27]), (Street.TURN, [51, 152]), (Street.FLOP, [27, 139, 304])],
)
def test_the_spot_of_the_exact_solver_has_the_street_templates_of_kernels_md(
    street, template_nodes
):
    plain = menu_of("60%, e, a", "2.5x")
    river = menu_of("60%, e, a", "2.5x", "50%")
    rules = BettingRules(
        menus=((plain, plain), (plain, plain), (river, river)),
        max_raises_per_street=None,
        add_all_in_threshold=1.5,
        force_all_in_threshold=0.15,
        merging_threshold=0.1,
    )
    tree = PostflopTree.build(rules, Stakes.in_chips(200, 900), street)
    on_street = [int(np.sum(tree.street == s)) for s in Street]
    # A template also has a chance leaf per way to the next street, and carries all-ins along.
    parent_street = tree.street[tree.layout.parent[1:]]
    openings = [int(np.sum((tree.street[1:] == s) & (parent_street < s))) for s in Street]
    all_ins = [int(np.sum((tree.leaf_kind == SHOWDOWN) & (tree.street == s))) for s in Street]
    counted = [
        on_street[s] + (openings[s + 1] if s < Street.RIVER else 0) + sum(all_ins[:s])
        for s in Street
        if s >= street
    ]
    assert counted == template_nodes
    # kernels.md: 7,347 nodes on the turn are the turn's template and 48 rivers.
    if street == Street.TURN:
        assert counted[0] + 48 * counted[1] == 7347


# Payoffs


def test_a_fold_loses_half_the_pot_and_what_was_put_in():
    tree = build(6, [0.5], 1)
    node = tree.find_node("b50:r50:f")  # OOP has put in 0.5
    assert tree.leaf_payoffs(OOP, equity=0.9)[node] == -(0.5 + 0.5)
    assert tree.leaf_payoffs(IP, equity=0.1)[node] == 0.5 + 0.5


def test_a_showdown_shares_the_final_pot():
    tree = build(6, [0.5], 1)
    node = tree.find_node("b50:c:x:x:x:x")
    assert tree.leaf_payoffs(OOP, 0.7)[node] == pytest.approx((0.7 - 0.5) * (1 + 2 * 0.5))
    all_in = tree.find_node("a:c")
    assert tree.leaf_payoffs(IP, 0.25)[all_in] == pytest.approx((0.25 - 0.5) * (1 + 2 * 6))


@deterministic
@given(trees_in_pots(), st.floats(0.0, 1.0))
def test_every_leaf_is_zero_sum_and_follows_the_formulas(tree, equity):
    payoffs = [tree.leaf_payoffs(OOP, equity), tree.leaf_payoffs(IP, 1.0 - equity)]
    np.testing.assert_allclose(payoffs[0] + payoffs[1], 0.0, atol=1e-12)
    equities = (equity, 1.0 - equity)
    for node in np.flatnonzero(tree.leaf_kind != NOT_A_LEAF):
        x = tree.invested[node]
        kind = tree.leaf_kind[node]
        for player in (OOP, IP):
            if kind == SHOWDOWN:
                assert x[0] == x[1]
                expected = (equities[player] - 0.5) * (1 + 2 * x[0])
            else:
                expected = (-1 if kind == player else 1) * (0.5 + x[kind])
            assert payoffs[player][node] == pytest.approx(expected, abs=1e-12)


@deterministic
@given(trees_in_pots())
def test_without_equity_folding_to_a_bet_is_strictly_better_than_calling_it_down(tree):
    for player in (OOP, IP):
        values = tree.leaf_payoffs(player, equity=0.0)
        for node in np.flatnonzero(tree.layout.actor == player):
            children = tree.layout.children(node)
            if tree.action_to(children[0]).kind == FOLD:
                called = children[1]
                while tree.leaf_kind[called] == NOT_A_LEAF:  # check or call to the end
                    actions = tree.actions(called)
                    kinds = [action.kind for action in actions]
                    called = tree.layout.children(called)[1 if kinds[0] == FOLD else 0]
                assert values[children[0]] > values[called]


def test_a_fold_is_not_worth_the_all_in_showdown_of_the_trap():
    tree = build(6, [0.5, 1.0], 2)
    is_fold = (tree.leaf_kind == OOP) | (tree.leaf_kind == IP)
    for equity in (0.0, 0.3, 1.0):
        trap = (1 + 2 * 6) * (equity - 0.5)
        assert not np.any(np.isclose(tree.leaf_payoffs(OOP, equity)[is_fold], trap))
    assert tree.leaf_stake[is_fold].min() == 0.5
    assert tree.leaf_stake[is_fold].max() < 0.5 + 6


def test_decisions_pay_nothing(kernels_tree):
    is_decision = kernels_tree.leaf_kind == NOT_A_LEAF
    assert not kernels_tree.leaf_payoffs(OOP, 0.8)[is_decision].any()


# Structure


@deterministic
@given(trees_in_pots())
def test_nodes_are_breadth_first_with_contiguous_children(tree):
    layout = tree.layout
    level = np.zeros(tree.num_nodes, dtype=int)
    level[1:] = -1
    for node in range(1, tree.num_nodes):
        level[node] = level[layout.parent[node]] + 1
    assert np.all(np.diff(level) >= 0)
    assert np.searchsorted(level, range(level[-1] + 2)).tolist() == layout.level_start.tolist()
    assert [child for node in range(tree.num_nodes) for child in layout.children(node)] == list(
        range(1, tree.num_nodes)
    )
    for node in range(tree.num_nodes):
        assert all(layout.parent[child] == node for child in layout.children(node))
    assert np.array_equal(layout.actor == LEAF, layout.num_children == 0)
    assert np.array_equal(layout.actor == LEAF, tree.leaf_kind != NOT_A_LEAF)
    assert layout.parent[0] == NO_NODE


@deterministic
@given(trees_in_pots())
def test_nobody_puts_in_more_than_the_stack_and_raises_are_legal_everywhere(tree):
    stack = tree.stakes.stack
    assert tree.invested.min() >= 0.0
    assert tree.invested.max() <= stack
    for node in range(1, tree.num_nodes):
        parent = int(tree.layout.parent[node])
        actor = int(tree.layout.actor[parent])
        action = tree.action_to(node)
        to_call = tree.invested[parent, 1 - actor] - tree.invested[parent, actor]
        if action.kind == RAISE:
            increment = tree.invested[node, actor] - tree.invested[parent, 1 - actor]
            assert increment >= to_call * (1 - 1e-9)
        assert (action.kind in (FOLD, CALL)) == (to_call > 0 and not action.is_aggressive)
        if action.kind == ALL_IN_TEST_POSTFLOP_TREE:
            assert tree.invested[node, actor] == stack


@deterministic
@given(trees_in_pots())
def test_all_in_is_offered_wherever_a_bet_or_raise_is_allowed(tree):
    limit = tree.rules.max_raises_per_street
    for node in np.flatnonzero(tree.layout.actor != LEAF):
        actor = int(tree.layout.actor[node])
        kinds = [action.kind for action in tree.actions(node)]
        is_opponent_all_in = tree.invested[node, 1 - actor] == tree.stakes.stack
        num_bets, above = 0, int(node)
        while above and tree.street[tree.layout.parent[above]] == tree.street[node]:
            num_bets += tree.action_to(above).is_aggressive
            above = int(tree.layout.parent[above])
        assert (ALL_IN_TEST_POSTFLOP_TREE in kinds) == (
            num_bets <= limit and not is_opponent_all_in
        )


@deterministic
@given(trees_in_pots())
def test_out_of_position_acts_first_on_every_street(tree):
    for node in range(1, tree.num_nodes):
        if tree.street[node] != tree.street[tree.layout.parent[node]]:
            assert tree.street[node] == tree.street[tree.layout.parent[node]] + 1
            assert tree.layout.actor[node] == OOP
            assert tree.invested[node, 0] == tree.invested[node, 1]
            assert tree.invested[node, 0] < tree.stakes.stack


@deterministic
@given(
    st.fractions(Fraction(1, 8), 12, max_denominator=16),
    st.lists(st.fractions(Fraction(1, 16), 3, max_denominator=16), min_size=1, max_size=3),
    st.integers(0, 2),
    st.sampled_from([Street.TURN, Street.RIVER]),
)
def test_the_tree_agrees_with_a_recursion_over_exact_fractions(spr, sizes, max_raises, street):
    tree = build(float(spr), [float(size) for size in sizes], max_raises, street)
    endings = {OOP: "fold by 0", IP: "fold by 1", SHOWDOWN: "showdown"}

    def rounded(actions, ending, invested):
        return actions, ending, tuple(round(float(x), 6) for x in invested)

    found = Counter(
        rounded(
            tuple(step[0] for step in tree.path(node).split(":")),
            endings[int(tree.leaf_kind[node])],
            tree.invested[node],
        )
        for node in np.flatnonzero(tree.leaf_kind != NOT_A_LEAF).tolist()
    )
    assert found == Counter(
        rounded(*leaf) for leaf in twin_leaves(spr, sizes, max_raises, int(street))
    )


def test_arrays_have_one_row_per_node_and_cannot_be_written(kernels_tree):
    for name in ("street", "leaf_kind", "action_kind"):
        assert getattr(kernels_tree, name).dtype == np.int32
    for name in (
        "street", "invested", "leaf_kind", "leaf_stake", "action_kind", "action_amount",
    ):  # fmt: skip
        array = getattr(kernels_tree, name)
        assert len(array) == kernels_tree.num_nodes
        assert not array.flags.writeable
    assert kernels_tree.action_kind[0] == NO_ACTION
    assert kernels_tree.action_amount[0] == 0.0


def test_building_twice_gives_the_same_arrays(kernels_tree):
    again = build(6, [0.5, 1.0], 2)
    for mine, theirs in zip(kernels_tree.layout, again.layout, strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(kernels_tree.invested, again.invested)


# Sizes in a tree


@pytest.mark.parametrize("spr", [0.7, 3.5, 13.0, 20.0])
def test_geometric_bets_reach_all_in_exactly_on_the_last_street(spr):
    tree = build(spr, ["e"], 0, add_all_in_threshold=0.0)
    node, kinds = 0, []
    for _ in Street:
        node = tree.layout.children(node)[1]
        kinds.append(tree.action_to(node).kind)
        node = tree.layout.children(node)[1]
    assert kinds == [BET, BET, ALL_IN_TEST_POSTFLOP_TREE]
    assert tree.leaf_kind[node] == SHOWDOWN
    assert tree.invested[node].tolist() == [spr, spr]


def test_geometric_bets_in_chips_reach_all_in_despite_rounding():
    rules = BettingRules.of("e", 0, add_all_in_threshold=0.0)
    tree = PostflopTree.build(rules, Stakes.in_chips(137, 911))
    node = 0
    for _ in range(6):
        node = tree.layout.children(node)[1]
    assert tree.leaf_kind[node] == SHOWDOWN
    assert tree.invested[node].tolist() == [911, 911]


def test_chips_and_pots_give_the_same_tree_when_nothing_needs_rounding():
    rules = BettingRules.of([0.5, 1.0], 2)
    in_pots = PostflopTree.build(rules, 6)
    in_chips = PostflopTree.build(rules, Stakes.in_chips(1024, 6144))
    assert np.array_equal(in_pots.layout.parent, in_chips.layout.parent)
    assert np.array_equal(in_pots.action_kind, in_chips.action_kind)
    np.testing.assert_allclose(in_chips.invested, 1024 * in_pots.invested)
    np.testing.assert_allclose(in_chips.leaf_stake, 1024 * in_pots.leaf_stake)


def test_donk_sizes_are_used_after_out_of_position_calls_and_only_then():
    tree = build(6, [0.5], 1, donk_sizes=[0.25])
    first_bets = {
        path: tree.actions(tree.find_node(path))[1].amount / tree.pot(tree.find_node(path))
        for path in ("", "x:b50:c", "x:x", "b50:c", "x:b50:c:x", "x:b50:c:x:x")
    }
    assert first_bets == {
        "": 0.5, "x:b50:c": 0.25, "x:x": 0.5, "b50:c": 0.5, "x:b50:c:x": 0.5, "x:b50:c:x:x": 0.5,
    }  # fmt: skip


# Paths


def test_every_node_is_found_by_its_path(kernels_tree):
    paths = [kernels_tree.path(node) for node in range(kernels_tree.num_nodes)]
    assert len(set(paths)) == kernels_tree.num_nodes
    assert [kernels_tree.find_node(path) for path in paths] == list(range(kernels_tree.num_nodes))


def test_paths_in_pots_are_percentages_and_in_chips_amounts(kernels_tree):
    node = kernels_tree.find_node("b50:c:x:b100:r50")
    assert kernels_tree.action_label(node) == "raise 50% (to 5)"
    assert kernels_tree.action_to(node) == Action(RAISE, 5.0)
    assert kernels_tree.action_fraction(node) == pytest.approx(0.5)
    assert kernels_tree.pot(node) == pytest.approx(2 + 2 + 5)
    tree = PostflopTree.build(BettingRules.of("100c", 1, "2.5x"), Stakes.in_chips(180, 910))
    assert tree.path(tree.find_node("b100:r250:c:x:a")) == "b100:r250:c:x:a"
    assert tree.find_node(" B100-C ") == tree.find_node("b100:c")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("b33", "1: 'b33' is not an action at the root; possible: x, b50 (50%), b100 (100%), a"),
        (
            "x-b50-x",
            "3: 'x' is not an action after 'x:b50'; possible: f, c, r50 (50%), r100 (100%), a",
        ),
        ("b50:f:x", "3: 'x' is not an action after 'b50:f'; the betting is over"),
        ("x--x", "2: '' is not an action after 'x'; possible: x, b50 (50%), b100 (100%), a"),
    ],
)
def test_a_wrong_path_says_which_step_and_what_is_allowed(kernels_tree, path, message):
    with pytest.raises(TreeError) as caught:
        kernels_tree.find_node(path)
    assert str(caught.value) == f"path {path!r}, step {message}"


# Errors


def test_chips_need_a_tree_in_chips():
    with pytest.raises(TreeError, match=r"^bet sizes: '100c' is in chips, but the pot is not$"):
        build(6, ["50%", "100c"], 1)


def test_a_stack_to_pot_ratio_of_zero_is_refused():
    with pytest.raises(TreeError, match=r"^stack: 0 is not a positive amount$"):
        build(0, [0.5], 1)


def test_a_tree_that_is_too_large_is_refused():
    rules = BettingRules.of([0.1, 0.2, 0.3], max_raises_per_street=None)
    with pytest.raises(TreeError, match=r"^tree: more than 5,000 nodes"):
        PostflopTree.build(rules, Stakes.in_pots(100), max_nodes=5000)


# --------------------------------------------------------------------------------------------------
# Pots by what happened before the flop, and the betting after it.


TREE = PreflopTree.build(standard_rules_25bb())


@pytest.mark.parametrize(
    ("path", "expected"),
    [("c:x", PotType.LIMPED), ("r2:c", PotType.RAISED), ("r2:r6:c", PotType.RERAISED)],
)
def test_a_pot_is_named_by_its_raises(path, expected):
    assert pot_type_of(TREE, TREE.find_node(path)) is expected


def test_every_flop_leaf_has_the_betting_of_its_pot():
    betting = {pot: BettingRules.of([0.5], number) for number, pot in enumerate(PotType)}
    trees = build_flop_trees(TREE, betting)
    for leaf, tree in zip(TREE.flop_leaves(), trees, strict=True):
        assert tree.stakes.spr == pytest.approx(leaf.spr)
        assert tree.rules is betting[pot_type_of(TREE, leaf.node)]


deterministic_of_test_preflop_tree = settings(derandomize=True, deadline=None, max_examples=100)


def build_of_test_preflop_tree(sizes, stacks=100.0, **limits):
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
    assert paths(tree) == ["", "f", "a", "a:f", "a:c"]
    assert tree.layout.actor.tolist() == [SB, LEAF, BB, LEAF, LEAF]
    assert tree.leaf_kind.tolist() == [NOT_A_LEAF, SB, NOT_A_LEAF, BB, SHOWDOWN]
    assert tree.invested.tolist() == [[0.5, 1], [0.5, 0.5], [10, 1], [1, 1], [10, 10]]
    assert list(map(tree.pot, range(5))) == [1.5, 1.0, 11.0, 2.0, 20.0]
    assert tree.leaf_stake.tolist() == [0.0, 0.5, 0.0, 1.0, 10.0]
    assert action_labels(tree, 0) == ["fold", "all-in 10"]
    assert action_labels(tree, 2) == ["fold", "call"]
    assert tree.counts == ((1, 1), (1, 1), 0, 1, 0)
    assert tree.flop_leaves() == ()


def test_limp_or_fold_has_seven_nodes():
    tree = PreflopTree.build(limp_fold_rules(10.0))
    assert paths(tree) == ["", "f", "c", "c:x", "c:a", "c:a:f", "c:a:c"]
    assert tree.leaf_kind[3:].tolist() == [FLOP, NOT_A_LEAF, SB, SHOWDOWN]
    assert tree.counts == ((2, 1), (2, 0), 0, 1, 1)


def test_a_limp_leaves_the_big_blind_the_option():
    tree = build_of_test_preflop_tree("3bb", 20.0, raise_cap=1)
    limp = tree.find_node("c")
    assert action_labels(tree, 0) == ["fold", "limp", "raise to 3", "all-in 20"]
    assert tree.layout.actor[limp] == BB
    assert action_labels(tree, limp) == ["check", "raise to 3", "all-in 20"]
    assert tree.leaf_kind[tree.find_node("c:x")] == FLOP
    # The small blind answers the raise, and its call is no limp.
    assert action_labels(tree, tree.find_node("c:r3")) == ["fold", "call"]
    assert tree.leaf_kind[tree.find_node("c:r3:c")] == FLOP


def test_a_raise_a_re_raise_and_an_all_in_are_counted_by_hand():
    tree = build_of_test_preflop_tree("2.5bb; 9bb", 25.0, raise_cap=3, allow_limp=False)
    assert sorted(paths(tree)) == sorted(
        [
            "", "f", "r2.5", "a", "a:f", "a:c",
            "r2.5:f", "r2.5:c", "r2.5:r9", "r2.5:a", "r2.5:a:f", "r2.5:a:c",
            "r2.5:r9:f", "r2.5:r9:c", "r2.5:r9:a", "r2.5:r9:a:f", "r2.5:r9:a:c",
            # 9 bb again at depth 2 is below the minimum of 9 + 6.5.
            "r2.5:r9:r15.5", "r2.5:r9:r15.5:f", "r2.5:r9:r15.5:c",
        ]
    )  # fmt: skip
    assert tree.counts == ((3, 4), (3, 4), 0, 3, 3)


def test_the_actions_of_a_worked_hand_follow_the_minimum_raise():
    tree = build_of_test_preflop_tree(
        ["2.5bb", "1bb, 7.5bb", "1bb"], 100.0, always_offer_all_in=False, raise_cap=3
    )
    assert action_labels(tree, tree.find_node("r2.5")) == [
        "fold", "call", "raise to 4", "raise to 7.5",
    ]  # fmt: skip
    assert action_labels(tree, tree.find_node("r2.5:r4"))[2:] == ["raise to 5.5"]
    assert action_labels(tree, tree.find_node("r2.5:r7.5"))[2:] == ["raise to 12.5"]


def test_the_cap_ends_the_raising():
    for cap in range(5):
        tree = build_of_test_preflop_tree("2x", 100.0, raise_cap=cap)
        raises = [path.count("r") + path.count("a") for path in paths(tree)]
        assert max(raises) == cap
    assert paths(build_of_test_preflop_tree("2x", raise_cap=0)) == ["", "f", "c", "c:x"]


def test_without_a_cap_the_stacks_end_the_raising():
    tree = build_of_test_preflop_tree("2x", 16.0, allow_limp=False)
    assert "r2:r4:r8:a:c" in paths(tree)


# Money


def test_flops_have_the_pots_and_stacks_of_a_worked_example():
    tree = PreflopTree.build(standard_rules_100bb())
    by_path = {leaf.path: leaf for leaf in tree.flop_leaves()}
    assert by_path["r2.5:c"][2:] == (5.0, 97.5, 19.5)
    assert by_path["c:x"][2:] == (2.0, 99.0, 49.5)
    assert by_path["r2.5:r9:c"][2:] == pytest.approx((18.0, 91.0, 91 / 18))
    assert by_path["c:r3.5:c"][2:] == pytest.approx((7.0, 96.5, 96.5 / 7))
    for path, leaf in by_path.items():
        assert tree.find_node(path) == leaf.node
        assert tree.pot(leaf.node) == leaf.pot_bb
        assert tree.stack_behind(leaf.node) == leaf.stack_behind_bb
        assert leaf.spr == leaf.stack_behind_bb / leaf.pot_bb
    nodes = np.flatnonzero(tree.leaf_kind == FLOP)
    assert nodes.tolist() == [leaf.node for leaf in tree.flop_leaves()]


def test_a_fold_loses_what_the_folder_has_put_in():
    tree = PreflopTree.build(standard_rules_100bb())
    for path, folder, lost in [
        ("f", SB, 0.5), ("c:a:f", SB, 1.0), ("r2.5:f", BB, 1.0), ("r2.5:r9:f", SB, 2.5),
        ("r2.5:r9:a:f", BB, 9.0),
    ]:  # fmt: skip
        node = tree.find_node(path)
        assert tree.leaf_payoffs(folder, 0.9)[node] == -lost
        assert tree.leaf_payoffs(1 - folder, 0.1)[node] == lost
        assert tree.pot(node) == 2 * lost


def test_a_shared_pot_is_won_by_share():
    tree = PreflopTree.build(standard_rules_100bb())
    all_in, flop = tree.find_node("a:c"), tree.find_node("r2.5:c")
    assert tree.leaf_payoffs(SB, 0.75)[all_in] == 50.0
    assert tree.leaf_payoffs(BB, 0.25)[all_in] == -50.0
    assert tree.leaf_payoffs(SB, 1.0)[all_in] == 100.0
    assert tree.leaf_payoffs(SB, 0.6)[flop] == pytest.approx(0.5)  # 3 of 5 back for 2.5
    assert tree.leaf_payoffs(SB, 2.0)[flop] == 7.5  # the betting on the flop won more


def test_shares_may_differ_by_leaf_and_be_unknown_elsewhere():
    tree = PreflopTree.build(limp_fold_rules(10.0))
    shares = np.full(tree.num_nodes, np.nan)
    shares[[tree.find_node("c:x"), tree.find_node("c:a:c")]] = 0.75, 0.25
    assert tree.leaf_payoffs(SB, shares).tolist() == [0, -0.5, 0, 0.5, 0, -1, -5]


def test_the_uncalled_part_of_a_deeper_stack_comes_back():
    for stacks in [(100.0, 40.0), (40.0, 100.0)]:
        tree = build_of_test_preflop_tree("2.5bb", stacks, raise_cap=2)
        node = tree.find_node("a:c")
        assert tree.action_label(tree.find_node("a")) == "all-in 40"
        assert tree.invested[node].tolist() == [40.0, 40.0]
        assert tree.leaf_payoffs(SB, 1.0)[node] == 40.0
        assert tree.stack_behind(tree.find_node("r2.5:c")) == 37.5
    same = build_of_test_preflop_tree("2.5bb", 40.0, raise_cap=2)
    assert np.array_equal(tree.invested, same.invested)


def test_antes_are_dead_money_that_reduces_the_stack():
    tree = build_of_test_preflop_tree("2.5bb", 25.0, ante_bb=0.125, raise_cap=1)
    assert tree.invested[0].tolist() == [0.625, 1.125]
    assert tree.pot(0) == 1.75
    assert tree.leaf_payoffs(SB, 0.5)[tree.find_node("f")] == -0.625
    assert tree.pot(tree.find_node("r2.5:c")) == 5.25
    assert tree.stack_behind(tree.find_node("r2.5:c")) == 25.0 - 2.625
    assert tree.flop_leaves()[0].spr == (25.0 - 1.125) / 2.25
    assert tree.action_label(tree.find_node("a")) == "all-in 24.875"
    assert tree.invested[tree.find_node("a:c")].tolist() == [25.0, 25.0]


def test_an_all_in_is_the_stack_itself_whatever_the_rounding_of_antes():
    stack, ante = 1.7, 0.12
    assert ante + (stack - ante) != stack
    tree = PreflopTree.build(push_fold_rules(stack, ante_bb=ante))
    assert tree.invested[tree.find_node("a:c")].tolist() == [stack, stack]


def test_positions_turn_around_after_the_flop():
    assert (postflop_position(SB), postflop_position(BB)) == (IP, OOP)


# Stacks as small as the blinds


@pytest.mark.parametrize("stacks", [(1.0, 1.0), (1.0, 50.0), (50.0, 0.75), (0.75, 50.0)])
def test_against_a_big_blind_who_is_all_in_there_is_fold_and_call(stacks):
    tree = build_of_test_preflop_tree("2.5bb, allin", stacks, allow_limp=False)
    stack = min(stacks)
    assert paths(tree) == ["", "f", "c"]
    assert action_labels(tree, 0) == ["fold", "call"]
    assert tree.leaf_kind.tolist() == [NOT_A_LEAF, SB, SHOWDOWN]
    assert tree.invested.tolist() == [[0.5, stack], [0.5, 0.5], [stack, stack]]


@pytest.mark.parametrize(
    ("stacks", "ante"), [((0.5, 20.0), 0.0), ((20.0, 0.25), 0.0), ((5.0, 1.0), 1.0), ((2, 1), 0.7)]
)
def test_posting_can_be_all_there_is(stacks, ante):
    tree = build_of_test_preflop_tree("2.5bb", stacks, ante_bb=ante)
    assert paths(tree) == [""]
    assert tree.leaf_kind.tolist() == [SHOWDOWN]
    assert tree.invested.tolist() == [[min(stacks), min(stacks)]]


def test_a_little_more_than_a_blind_can_be_moved_all_in():
    tree = PreflopTree.build(push_fold_rules(1.1))
    assert paths(tree) == ["", "f", "a", "a:f", "a:c"]
    assert tree.pot(4) == 2.2


# Every tree


@deterministic_of_test_preflop_tree
@given(any_rules)
def test_every_leaf_is_zero_sum_and_nobody_invests_more_than_a_stack(rules):
    tree = PreflopTree.build(rules)
    is_leaf = tree.leaf_kind != NOT_A_LEAF
    won_by_sb, won_by_bb = tree.leaf_payoffs(SB, 0.3), tree.leaf_payoffs(BB, 0.7)
    assert np.allclose(won_by_sb + won_by_bb, 0.0, atol=1e-12)
    assert np.all(tree.invested <= np.array(rules.stacks_bb))
    assert np.all(tree.invested >= 0.0)
    assert np.array_equal(tree.invested[is_leaf, SB], tree.invested[is_leaf, BB])
    for player in (SB, BB):
        folded = tree.leaf_kind == player
        lost = -tree.leaf_payoffs(player, 0.5)[folded]
        assert np.array_equal(lost, tree.invested[tree.layout.parent[folded], player])
    assert np.all(tree.invested[tree.leaf_kind == SHOWDOWN] == rules.effective_stack_bb)
    assert all(leaf.stack_behind_bb > 0.0 for leaf in tree.flop_leaves())


@deterministic_of_test_preflop_tree
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
    assert tree.action_to(tree.find_node("r2:r6")) == Action(ActionKind.RAISE, 6.0)
    assert tree.actions(tree.find_node("r2:r6:a")) == [
        Action(ActionKind.FOLD, 6.0),
        Action(ActionKind.CALL, 25.0),
    ]
    assert tree.actions(tree.find_node("f")) == []


def test_a_wrong_step_of_a_path_is_named():
    tree = PreflopTree.build(standard_rules_100bb())
    with pytest.raises(TreeError, match="'r3' is not an action at the root; possible: f, c, "):
        tree.find_node("r3:c")


def test_the_presets_have_the_sizes_of_their_docstrings():
    assert PreflopTree.build(standard_rules_25bb()).num_nodes == 34
    assert PreflopTree.build(standard_rules_100bb()).num_nodes == 46
    assert PreflopTree.build(standard_rules_100bb()).counts == ((8, 8), (8, 7), 0, 8, 7)


def test_arrays_are_read_only():
    tree = PreflopTree.build(push_fold_rules(10.0))
    for array in (tree.invested, tree.leaf_kind, tree.leaf_stake):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_small_blind_who_can_only_fold_is_an_error():
    message = "preflop rules: SB can only fold, allow limps, raises or all-in"
    for limits in ({"raise_cap": 0}, {"always_offer_all_in": False}):
        with pytest.raises(TreeError) as caught:
            build_of_test_preflop_tree("", allow_limp=False, **limits)
        assert str(caught.value) == message


def test_a_tree_that_is_too_large_is_refused_of_test_preflop_tree():
    rules = PreflopRules.parse(10_000.0, "2x, 3x, 4x")
    with pytest.raises(TreeError, match="tree: more than 1,000 nodes, allow fewer actions"):
        PreflopTree.build(rules, max_nodes=1000)
