import math

import pytest

from runout.errors import TreeError
from runout.trees.actions import ActionKind
from runout.trees.bet_sizing import AllInSize, LastBetMultiple
from runout.trees.preflop_betting import (
    BB,
    SB,
    PreflopRules,
    PreflopState,
    legal_preflop_actions,
    limp_fold_rules,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)
from runout.trees.preflop_sizing import BigBlindAmount

FOLD, CHECK, CALL, BET, RAISE, ALL_IN = ActionKind


def rules_of(sizes, stacks=100.0, **limits):
    return PreflopRules.parse(stacks, sizes, **limits)


def actions_after(rules, *amounts, limped=False):
    """The actions after raises to the given amounts, first by SB, or by BB after a limp."""
    state = PreflopState.after_blinds(rules)
    if limped:
        state = state._replace(player=BB, amounts_bb=(state.amounts_bb[BB],) * 2)
    for amount in amounts:
        state = state.after_raise(amount)
    return legal_preflop_actions(rules, state)


def raises_after(rules, *amounts, limped=False):
    actions = actions_after(rules, *amounts, limped=limped)
    return [action.amount for action in actions if action.is_aggressive]


# First in


def test_the_small_blind_may_fold_limp_raise_or_move_all_in():
    assert actions_after(rules_of("2.5bb")) == [
        (FOLD, 0.5),
        (CALL, 1.0),
        (RAISE, 2.5),
        (ALL_IN, 100.0),
    ]


def test_without_limps_the_small_blind_raises_or_folds():
    actions = actions_after(rules_of("2.5bb", allow_limp=False))
    assert actions == [(FOLD, 0.5), (RAISE, 2.5), (ALL_IN, 100.0)]


def test_the_big_blind_has_the_option_after_a_limp():
    actions = actions_after(rules_of("3bb"), limped=True)
    assert actions == [(CHECK, 1.0), (RAISE, 3.0), (ALL_IN, 100.0)]


def test_without_limps_a_raise_can_still_be_called():
    assert (CALL, 2.5) in actions_after(rules_of("2.5bb", allow_limp=False), 2.5)


# Sizes


def test_big_blinds_are_raised_to():
    assert raises_after(rules_of("2.5bb; 9bb"), 2.5) == [9.0, 100.0]


def test_a_pot_raise_adds_the_pot_after_calling_to_the_current_bet():
    rules = rules_of("1.0p")
    assert raises_after(rules) == [3.0, 100.0]  # 1 + (1.5 + 0.5)
    assert raises_after(rules, limped=True) == [3.0, 100.0]  # 1 + 2
    assert raises_after(rules, 3.0) == [9.0, 100.0]  # 3 + (4 + 2)


def test_a_pot_raise_counts_the_antes():
    # Pot 1.5 + 0.5 of antes, 0.5 to call: 1 + 2.5.
    assert raises_after(rules_of("1p", ante_bb=0.25)) == [3.5, 99.75]


def test_a_multiple_is_of_the_current_bet():
    assert raises_after(rules_of("3x")) == [3.0, 100.0]
    assert raises_after(rules_of("3x"), 2.5) == [7.5, 100.0]


def test_sizes_go_by_depth_and_the_last_entry_repeats():
    rules = rules_of("2.5bb; 3x; 2x", 500.0)
    assert raises_after(rules) == [2.5, 500.0]
    assert raises_after(rules, 2.5) == [7.5, 500.0]
    assert raises_after(rules, 2.5, 7.5) == [15.0, 500.0]
    assert raises_after(rules, 2.5, 7.5, 15.0) == [30.0, 500.0]


def test_a_limp_is_no_raise_so_the_option_has_the_sizes_of_depth_zero():
    rules = rules_of("3bb; 4x")
    assert raises_after(rules, limped=True) == [3.0, 100.0]
    assert raises_after(rules, 3.0, limped=True) == [12.0, 100.0]


def test_players_may_have_sizes_of_their_own():
    rules = rules_of({"sb": "2bb; 3x", "bb": "4bb; 5x"})
    assert raises_after(rules) == [2.0, 100.0]
    assert raises_after(rules, 2.0) == [10.0, 100.0]
    assert raises_after(rules, limped=True) == [4.0, 100.0]
    assert raises_after(rules, 4.0, limped=True) == [12.0, 100.0]


def test_no_sizes_leave_all_in():
    assert raises_after(rules_of("")) == [100.0]
    assert raises_after(rules_of("", always_offer_all_in=False)) == []
    assert raises_after(rules_of([[], "3x"])) == [100.0]


# The limits of the game


def test_a_raise_adds_at_least_the_last_raise_and_first_the_big_blind():
    rules = rules_of("1.1bb")  # lifted at every depth
    assert raises_after(rules) == [2.0, 100.0]
    assert raises_after(rules, limped=True) == [2.0, 100.0]
    assert raises_after(rules, 2.5) == [4.0, 100.0]  # the open added 1.5
    assert raises_after(rules, 2.5, 7.5) == [12.5, 100.0]  # the 3-bet added 5
    assert raises_after(rules, 2.5, 4.0) == [5.5, 100.0]


def test_an_all_in_may_be_less_than_a_minimum_raise():
    assert actions_after(rules_of("2bb", 1.5)) == [(FOLD, 0.5), (CALL, 1.0), (ALL_IN, 1.5)]
    assert actions_after(rules_of("3x", 9.0), 5.0) == [(FOLD, 1.0), (CALL, 5.0), (ALL_IN, 9.0)]


def test_an_all_in_can_only_be_folded_to_or_called():
    assert actions_after(rules_of("3x"), 100.0) == [(FOLD, 1.0), (CALL, 100.0)]


def test_nobody_bets_more_than_the_effective_stack():
    for stacks in [(100.0, 20.0), (20.0, 100.0)]:
        assert raises_after(rules_of("2.5bb, 30bb", stacks)) == [2.5, 20.0]


def test_all_in_is_offered_once():
    sizes = "2.5bb, allin, 100bb, 200bb, 99.99bb, 60p"
    assert raises_after(rules_of(sizes)) == [2.5, 100.0]
    assert raises_after(rules_of(sizes, always_offer_all_in=False)) == [2.5, 100.0]


def test_all_in_can_be_left_to_the_menu():
    rules = rules_of("2.5bb; 3x; allin", always_offer_all_in=False)
    assert raises_after(rules) == [2.5]
    assert raises_after(rules, 2.5) == [7.5]
    assert raises_after(rules, 2.5, 7.5) == [100.0]


def test_sizes_that_coincide_are_one_action():
    assert raises_after(rules_of("3bb, 3x, 1p, 3.0001bb, 3bb")) == [3.0001, 100.0]
    assert raises_after(rules_of("1.1bb, 1.9bb, 2x")) == [2.0, 100.0]


def test_sizes_within_a_thousandth_of_the_pot_are_one_action_and_the_larger_stays():
    assert raises_after(rules_of("10bb; 30bb, 30.03bb"), 10.0) == [30.03, 100.0]  # pot 40
    assert raises_after(rules_of("10bb; 30bb, 30.05bb"), 10.0) == [30.0, 30.05, 100.0]


def test_sizes_with_one_text_are_one_action_however_small_the_pot():
    tiny = {"small_blind_bb": 0.0, "big_blind_bb": 0.01}
    assert raises_after(rules_of("0.03bb, 0.0303bb", 1.0, **tiny)) == [0.0303, 1.0]


def test_a_raise_that_leaves_little_behind_is_all_in():
    # A raise to 16 makes a pot of 32 and leaves 4 behind, an eighth of it.
    for threshold, expected in [(0.125, [20.0]), (0.12, [16.0, 20.0]), (0.0, [16.0, 20.0])]:
        rules = rules_of("16bb", 20.0, force_all_in_threshold=threshold)
        assert raises_after(rules) == expected


def test_the_cap_counts_every_raise_and_stops_all_in_too():
    rules = rules_of("2x", raise_cap=2)
    assert raises_after(rules) == [2.0, 100.0]
    assert raises_after(rules, 2.0) == [4.0, 100.0]
    assert actions_after(rules, 2.0, 4.0) == [(FOLD, 2.0), (CALL, 4.0)]
    assert actions_after(rules_of("2x", raise_cap=0), limped=True) == [(CHECK, 1.0)]


# Posting


def test_blinds_and_antes_are_posted_from_the_stack():
    rules = rules_of("2x", 100.0, ante_bb=0.125)
    assert rules.effective_stack_bb == 100.0
    assert rules.posted_ante_bb == 0.125
    assert rules.betting_stack_bb == 99.875
    assert rules.posted_blinds_bb == (0.5, 1.0)


@pytest.mark.parametrize(
    ("stacks", "ante", "posted_ante", "posted_blinds"),
    [
        ((20.0, 0.75), 0.0, 0.0, (0.5, 0.75)),
        ((0.75, 20.0), 0.0, 0.0, (0.5, 0.75)),  # the big blind's other 0.25 comes back
        ((20.0, 0.25), 0.0, 0.0, (0.25, 0.25)),
        ((20.0, 0.75), 0.5, 0.5, (0.25, 0.25)),
        ((0.25, 20.0), 0.5, 0.25, (0.0, 0.0)),
    ],
)
def test_a_short_stack_posts_what_it_has(stacks, ante, posted_ante, posted_blinds):
    rules = rules_of("2x", stacks, ante_bb=ante)
    assert rules.posted_ante_bb == posted_ante
    assert rules.posted_blinds_bb == posted_blinds


def test_calling_a_big_blind_who_is_all_in_is_no_limp():
    for stack in (1.0, 0.75):
        rules = rules_of("2x", stack, allow_limp=False)
        assert actions_after(rules) == [(FOLD, 0.5), (CALL, stack)]


def test_a_rounding_error_is_no_stack():
    assert 2.2 - 1.2 > 1.0
    rules = rules_of("2x", 2.2, ante_bb=1.2)
    assert rules.posted_blinds_bb[BB] == rules.betting_stack_bb
    assert [action.kind for action in actions_after(rules)] == [FOLD, CALL]


def test_other_blinds_move_the_minimum_raise():
    straddled = rules_of("1.1x", small_blind_bb=1.0, big_blind_bb=2.0)
    assert actions_after(straddled) == [(FOLD, 1.0), (CALL, 2.0), (RAISE, 4.0), (ALL_IN, 100.0)]
    dead_button = rules_of("2x", small_blind_bb=0.0)
    assert actions_after(dead_button)[:2] == [(FOLD, 0.0), (CALL, 1.0)]


# Presets and errors


def test_push_or_fold_is_all_there_is():
    assert actions_after(push_fold_rules(10.0)) == [(FOLD, 0.5), (ALL_IN, 10.0)]
    assert push_fold_rules((10.0, 8.0), ante_bb=0.5).betting_stack_bb == 7.5


def test_limp_or_fold_is_all_that_the_small_blind_has():
    rules = limp_fold_rules(10.0)
    assert actions_after(rules) == [(FOLD, 0.5), (CALL, 1.0)]
    assert actions_after(rules, limped=True) == [(CHECK, 1.0), (ALL_IN, 10.0)]
    assert actions_after(rules, 10.0, limped=True) == [(FOLD, 1.0), (CALL, 10.0)]


def test_the_standard_rules_open_small_and_end_all_in():
    rules = standard_rules_100bb()
    assert raises_after(rules) == [2.5, 100.0]
    assert raises_after(rules, 2.5) == [9.0, 100.0]
    assert raises_after(rules, 2.5, 9.0) == pytest.approx([21.6, 100.0])
    assert raises_after(rules, 2.5, 9.0, 21.6) == [100.0]
    assert raises_after(standard_rules_25bb()) == [2.0, 25.0]
    assert raises_after(standard_rules_25bb(), 2.0, 6.0) == [25.0]


def test_rules_are_data_that_can_be_compared_and_hashed():
    assert standard_rules_25bb() == standard_rules_25bb()
    assert len({push_fold_rules(10.0), push_fold_rules(10.0), push_fold_rules(11.0)}) == 2
    rules = PreflopRules.parse((20, 30), "2.5bb; 3x, allin")
    by_depth = ((BigBlindAmount(2.5),), (LastBetMultiple(3.0), AllInSize()))
    assert rules == PreflopRules((20, 30), (by_depth, by_depth))
    assert rules.sizes_at(SB, 7) == by_depth[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stacks_bb": 0.0}, "stacks_bb[0]: 0 is not a positive amount"),
        ({"stacks_bb": (10.0, -1.0)}, "stacks_bb[1]: -1 is not a positive amount"),
        ({"stacks_bb": (10.0, math.inf)}, "stacks_bb[1]: inf is not a positive amount"),
        ({"stacks_bb": (1.0, 2.0, 3.0)}, "stacks_bb: 3 stacks given, 2 needed"),
        ({"big_blind_bb": math.nan}, "big_blind_bb: nan is not a positive amount"),
        (
            {"small_blind_bb": 1.0},
            "small_blind_bb: 1 is not 0 or more and less than the big blind 1",
        ),
        ({"ante_bb": -0.1}, "ante_bb: -0.1 is not 0 or a positive amount"),
        ({"raise_cap": -1}, "raise_cap: -1 is not a whole number from 0 up"),
        ({"raise_cap": 1.5}, "raise_cap: 1.5 is not a whole number from 0 up"),
        (
            {"force_all_in_threshold": -1.0},
            "force_all_in_threshold: -1 is not 0 (off) or a positive fraction of the pot",
        ),
        ({"raise_sizes": ["2bb", "3"]}, "raise_sizes[1][0]: '3' has no unit, write"),
        ({"raise_sizes": {"sb": "2bb", "bb": "0x"}}, "raise_sizes.bb[0][0]: '0x' is not a raise"),
        (
            {"raise_sizes": {"sb": "2bb", "btn": "2bb"}},
            "raise_sizes: sizes for sb, btn, give them for sb and bb",
        ),
        ({"raise_sizes": {}}, "raise_sizes: sizes for nobody, give them for sb and bb"),
    ],
)
def test_errors_name_the_field_and_what_is_allowed(arguments, message):
    with pytest.raises(TreeError) as caught:
        PreflopRules.parse(**{"stacks_bb": 100.0, "raise_sizes": "2.5bb", **arguments})
    assert str(caught.value).startswith(message)


def test_sizes_are_needed_for_two_players():
    with pytest.raises(TreeError, match="raise_sizes: 1 players given, 2 needed"):
        PreflopRules((10.0, 10.0), ((),))
