import pytest

from runout.trees.betting import BettingRules, PreflopRules, Stakes, Street
from runout.trees.describe import format_rules, format_tree, format_tree_summary
from runout.trees.tree import PostflopTree, PreflopTree
from tests.samples.menus import menu_of
from tests.samples.preflop_rules import limp_fold_rules, push_fold_rules, standard_rules_25bb


@pytest.fixture(scope="module")
def tree():
    return PostflopTree.build(BettingRules.of([0.5, 1.0], 2), 6)


def test_a_small_tree_is_shown_whole():
    tree = PostflopTree.build(BettingRules.of([1.0], 1), 1, Street.RIVER)
    assert format_tree(tree) == "\n".join(
        [
            "river: OOP to act, pot 1, 1 behind",
            "  OOP check",
            "    IP check -> showdown, pot 1",
            "    IP all-in 1",
            "      OOP fold -> IP wins the pot of 1",
            "      OOP call -> showdown, pot 3",
            "  OOP all-in 1",
            "    IP fold -> OOP wins the pot of 1",
            "    IP call -> showdown, pot 3",
        ]
    )


def test_a_depth_limit_counts_what_it_hides(tree):
    assert format_tree(tree, max_depth=1) == "\n".join(
        [
            "flop: OOP to act, pot 1, 6 behind",
            "  OOP check ... 1,444 more nodes",
            "  OOP bet 50% (0.5) ... 514 more nodes",
            "  OOP bet 100% (1) ... 268 more nodes",
            "  OOP all-in 6 ... 2 more nodes",
        ]
    )
    assert 1444 + 514 + 268 + 2 + 5 == tree.num_nodes


def test_the_whole_outline_has_a_line_per_node(tree):
    assert len(format_tree(tree).splitlines()) == tree.num_nodes


def test_the_summary_names_stakes_rules_and_counts(tree):
    assert format_tree_summary(tree) == "\n".join(
        [
            "flop pot 1, effective stack 6 (pots), SPR 6",
            "bets 50%, 100%; raises 50%, 100%",
            "raises per street: at most 2",
            "all-in added: always",
            "2,233 nodes on 11 levels",
            "36 decisions on the flop",
            "212 decisions on the turn",
            "644 decisions on the river",
            "670 folds (335 OOP, 335 IP)",
            "671 showdowns (116 all-in before the river)",
        ]
    )


def test_a_summary_in_chips_begins_with_its_street():
    tree = PostflopTree.build(BettingRules.of("100c", 0), Stakes.in_chips(180, 910), Street.TURN)
    lines = format_tree_summary(tree).splitlines()
    assert lines[0] == "turn pot 180, effective stack 910 (chips), SPR 5.056"
    assert not any("flop" in line for line in lines)


def test_rules_that_differ_are_listed_by_street_and_player():
    plain, donk = menu_of("50%"), menu_of("50%", [], "33%, e")
    rules = BettingRules(((plain, plain), (donk, plain), (plain, plain)), None, 1.5, 0.15, 0.1)
    assert format_rules(rules).splitlines() == [
        "flop OOP: bets 50%; raises 50%",
        "flop IP: bets 50%; raises 50%",
        "turn OOP: bets 50%; raises none; donk bets 33%, e",
        "turn IP: bets 50%; raises 50%",
        "river OOP: bets 50%; raises 50%",
        "river IP: bets 50%; raises 50%",
        "raises per street: no limit",
        "all-in added: up to 150% of the pot",
        "all-in forced: at most 15% of the pot behind",
        "sizes merged: at most 10% of the pot apart",
    ]
    off = BettingRules.of([0.5], 1, add_all_in_threshold=0.0)
    assert "all-in added: never" in format_rules(off)


# Trees before the flop


def test_a_preflop_tree_is_shown_like_the_others():
    assert format_tree(PreflopTree.build(limp_fold_rules(10.0))) == "\n".join(
        [
            "preflop: SB to act, pot 1.5, 9.5 behind",
            "  SB fold -> BB wins the pot of 1",
            "  SB limp",
            "    BB check -> flop, pot 2, 9 behind, SPR 4.5",
            "    BB all-in 10",
            "      SB fold -> BB wins the pot of 2",
            "      SB call -> showdown, pot 20",
        ]
    )


def test_a_preflop_outline_can_stop_early():
    tree = PreflopTree.build(standard_rules_25bb())
    lines = format_tree(tree, max_depth=2).splitlines()
    after_raise = lines.index("  SB raise to 2")
    assert lines[after_raise + 1 : after_raise + 5] == [
        "    BB fold -> SB wins the pot of 2",
        "    BB call -> flop, pot 4, 23 behind, SPR 5.75",
        "    BB raise 3x (to 6) ... 5 more nodes",
        "    BB all-in 25 ... 2 more nodes",
    ]
    assert len(format_tree(tree).splitlines()) == tree.num_nodes


def test_the_summary_of_a_preflop_tree_names_stacks_rules_and_counts():
    assert format_tree_summary(PreflopTree.build(standard_rules_25bb())) == "\n".join(
        [
            "blinds 0.5/1, stacks 25 SB, 25 BB (bb)",
            "SB: raises 2bb; 3x; allin",
            "BB: raises 3bb; 3x; allin",
            "raise cap: at most 4",
            "limps: yes",
            "all-in added: always",
            "34 nodes on 6 levels",
            "12 decisions (6 SB, 6 BB)",
            "11 folds (6 SB, 5 BB)",
            "6 called all-ins",
            "5 flops, SPR 0.889 to 12",
        ]
    )


def test_the_summary_of_push_or_fold_has_antes_and_no_flops():
    lines = format_tree_summary(PreflopTree.build(push_fold_rules((12, 10), ante_bb=0.1)))
    assert lines.splitlines()[0] == "blinds 0.5/1, ante 0.1 each, stacks 12 SB, 10 BB (bb)"
    assert lines.splitlines()[-1] == "0 flops"
    assert "1 called all-in" in lines.splitlines()


def test_preflop_rules_are_listed_once_if_they_are_the_same():
    rules = PreflopRules.parse(
        50.0, "2.5bb, 1p; 3x", always_offer_all_in=False, force_all_in_threshold=0.15
    )
    assert format_rules(rules).splitlines() == [
        "raises 2.5bb, 1p; 3x",
        "raise cap: no limit",
        "limps: yes",
        "all-in added: never",
        "all-in forced: at most 15% of the pot behind",
    ]
