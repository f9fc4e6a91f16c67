"""Tests of `runout.trees.betting`."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.errors import TreeError
from runout.trees.actions import Action, ActionKind
from runout.trees.betting import (
    BB,
    BettingRules,
    BettingState,
    PreflopRules,
    SizeMenu,
    Stakes,
    Street,
    legal_actions,
)
from runout.trees.sizes import BetSize, Sizes
from runout.trees.tree import PreflopTree
from tests.samples.menus import menu_of
from tests.samples.preflop_rules import (
    limp_fold_rules,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)

deterministic = settings(derandomize=True, deadline=None)

FOLD, CHECK, CALL, BET, RAISE, ALL_IN = ActionKind


def to_open(street=Street.FLOP, player=0, base=0.0, may_donk=False):
    return BettingState(street, player, (base, base), base, may_donk=may_donk)


def facing(amount, stack, street=Street.FLOP, base=0.0):
    """The decision of player 1 after player 0 bets ``amount``."""
    kind = ALL_IN if base + amount == stack else BET
    return to_open(street, base=base).after_bet(Action(kind, amount), Stakes(1.0, stack))


def amounts(actions):
    return [action.amount for action in actions if action.is_aggressive]


def actions_of(state, spr, sizes, **limits):
    rules = BettingRules.of(sizes, limits.pop("max_raises_per_street", 3), **limits)
    return legal_actions(rules, Stakes.in_pots(spr), state)


def chip_actions(state, pot, stack, bets, raises=(), **limits):
    rules = BettingRules.of(bets, None, raises, **limits)
    return legal_actions(rules, Stakes.in_chips(pot, stack), state)


# Opening


def test_the_first_player_may_check_or_bet_every_size_or_all_in():
    assert actions_of(to_open(), 6, [0.5, 1.0]) == [
        Action(CHECK, 0.0),
        Action(BET, 0.5),
        Action(BET, 1.0),
        Action(ALL_IN, 6.0),
    ]


def test_a_bet_is_a_fraction_of_the_pot_now():
    state = to_open(Street.TURN, base=1.5)  # pot 4
    assert amounts(actions_of(state, 6, [0.5, 1.0])) == [2.0, 4.0, 4.5]


def test_nobody_bets_more_than_the_effective_stack():
    assert actions_of(to_open(), 0.75, [0.5, 1.0, 2.0]) == [
        Action(CHECK, 0),
        Action(BET, 0.5),
        Action(ALL_IN, 0.75),
    ]


def test_sizes_that_coincide_are_one_action():
    assert amounts(actions_of(to_open(), 6, [0.5, 0.5, "50%", "a", "a"])) == [0.5, 6.0]


def test_the_order_of_the_sizes_does_not_matter():
    assert actions_of(to_open(), 6, [1.0, "a", 0.5]) == actions_of(to_open(), 6, [0.5, 1.0, "a"])


def test_a_size_within_a_thousandth_of_the_pot_of_all_in_is_all_in():
    assert actions_of(to_open(), 1.002, [1.0]) == [Action(CHECK, 0.0), Action(ALL_IN, 1.002)]
    assert amounts(actions_of(to_open(), 1.01, [1.0])) == [1.0, 1.01]


def test_sizes_that_almost_coincide_are_one_action_and_the_larger_stays():
    assert amounts(actions_of(to_open(), 6, [0.5, 0.5001])) == [0.5001, 6.0]
    assert amounts(actions_of(to_open(), 6, [0.5, 0.503])) == [0.5, 0.503, 6.0]


# Facing a bet


def test_a_bet_can_be_folded_to_called_or_raised():
    # Pot 1 + 1, to call 1: a raise of f goes to 1 + 3 f.
    assert actions_of(facing(1.0, 6), 6, [0.5, 1.0]) == [
        Action(FOLD, 0.0),
        Action(CALL, 1.0),
        Action(RAISE, 2.5),
        Action(RAISE, 4.0),
        Action(ALL_IN, 6.0),
    ]


def test_an_all_in_can_only_be_folded_to_or_called():
    assert actions_of(facing(6.0, 6), 6, [0.5, 1.0]) == [Action(FOLD, 0.0), Action(CALL, 6.0)]


def test_a_raise_below_the_minimum_is_lifted_to_it():
    # 10 % of the pot after calling would be a raise to 1.3; the last bet was 1, so at least 2.
    assert amounts(actions_of(facing(1.0, 6), 6, [0.1])) == [2.0, 6.0]
    # Player 1 raised by 3; the smallest raise is by 3 again.
    raised = facing(1.0, 20).after_bet(Action(RAISE, 4.0), Stakes.in_pots(20))
    assert amounts(actions_of(raised, 20, [0.1])) == [7.0, 20.0]


def test_an_all_in_may_be_less_than_a_minimum_raise():
    assert actions_of(facing(1.0, 1.5), 1.5, [1.0]) == [
        Action(FOLD, 0),
        Action(CALL, 1.0),
        Action(ALL_IN, 1.5),
    ]


def test_the_limit_counts_raises_after_the_first_bet_and_stops_all_in_too():
    stakes = Stakes.in_pots(100)
    rules = BettingRules.of([1.0], max_raises_per_street=2)
    state, num_aggressive = to_open(), 0
    while len(amounts(legal_actions(rules, stakes, state))) > 0:
        aggressive = next(a for a in legal_actions(rules, stakes, state) if a.is_aggressive)
        state, num_aggressive = state.after_bet(aggressive, stakes), num_aggressive + 1
    assert num_aggressive == 3  # bet, raise, raise
    assert [a.kind for a in legal_actions(rules, stakes, state)] == [FOLD, CALL]


def test_without_raises_a_first_bet_is_still_allowed():
    limits = {"max_raises_per_street": 0}
    assert amounts(actions_of(to_open(), 6, [0.5], **limits)) == [0.5, 6.0]
    assert amounts(actions_of(facing(0.5, 6), 6, [0.5], **limits)) == []


def test_a_blind_is_a_bet_that_may_be_raised_after_a_limp():
    # The engine serves preflop too: both have put in a blind of 1, and player 1 has the option.
    state = BettingState(Street.FLOP, 1, (1.0, 1.0), 0.0, last_increment=1.0, num_bets=1)
    actions = legal_actions(BettingRules.of("50%", 3, "3x"), Stakes(0.5, 20), state)
    assert actions == [Action(CHECK, 1.0), Action(RAISE, 3.0), Action(ALL_IN, 20.0)]


# Thresholds


def test_all_in_is_added_up_to_its_threshold():
    for threshold, is_offered in [(math.inf, True), (6.0, True), (5.9, False), (0.0, False)]:
        offered = actions_of(to_open(), 6, [0.5], add_all_in_threshold=threshold)
        assert (Action(ALL_IN, 6.0) in offered) == is_offered
    # Facing a bet of 1 the pot after calling is 3 and 5 more are all-in.
    for threshold, is_offered in [(1.7, True), (1.6, False)]:
        offered = actions_of(facing(1.0, 6), 6, [0.5], add_all_in_threshold=threshold)
        assert (Action(ALL_IN, 6.0) in offered) == is_offered


def test_a_bet_that_leaves_little_behind_is_all_in():
    # A pot-size bet makes a pot of 3 and leaves 0.6 behind, a fifth of it.
    for threshold, expected in [(0.2, [1.6]), (0.19, [1.0, 1.6]), (0.0, [1.0, 1.6])]:
        offered = actions_of(to_open(), 1.6, [1.0], force_all_in_threshold=threshold)
        assert amounts(offered) == pytest.approx(expected)


def test_near_duplicates_are_merged_into_the_larger():
    # 0.5 and 0.6 differ by 0.1, a fifteenth of the pot with 0.5 in it.
    for threshold, expected in [(0.07, [0.6, 6]), (0.06, [0.5, 0.6, 6]), (0.0, [0.5, 0.6, 6])]:
        offered = actions_of(to_open(), 6, [0.5, 0.6], merging_threshold=threshold)
        assert amounts(offered) == pytest.approx(expected)


# Other sizes


def test_chips_are_bet_and_raised_by():
    assert amounts(chip_actions(to_open(), 180, 910, ["100c"])) == [100, 910]
    assert amounts(chip_actions(facing(100, 910), 180, 910, [], ["150c"])) == [250, 910]


def test_a_multiple_is_of_the_last_bet():
    assert amounts(chip_actions(facing(100, 910), 180, 910, [], ["2.5x"])) == [250, 910]


def test_bets_in_chips_are_whole_chips_with_halves_up():
    assert amounts(chip_actions(to_open(), 150, 910, ["33%", "75%"])) == [50, 113, 910]
    assert amounts(chip_actions(to_open(), 100, 910, ["0.1%"])) == [1, 910]  # at least one chip


def test_a_stack_that_is_not_whole_can_still_go_all_in():
    assert amounts(chip_actions(to_open(), 100, 90.5, ["50%"])) == [50, 90.5]


def test_bets_are_hundredths_where_pot_or_stack_have_decimals():
    assert amounts(chip_actions(to_open(), 5.5, 97.5, ["33%", "75%"])) == [1.82, 4.13, 97.5]
    assert amounts(chip_actions(to_open(), 5, 97.5, ["0.1%"])) == [0.01, 97.5]
    assert amounts(chip_actions(to_open(), 5, 97, ["33%"])) == [2, 97]


def test_a_geometric_size_depends_on_the_streets_left():
    # 1 + 2 * 13 = 27: a third root of 3 is a bet of one pot, a square root is 2.098 pots.
    assert amounts(actions_of(to_open(), 13, ["e"])) == pytest.approx([1.0, 13])
    on_turn = actions_of(to_open(Street.TURN), 13, ["e"])
    assert amounts(on_turn) == pytest.approx([(math.sqrt(27) - 1) / 2, 13])
    assert amounts(actions_of(to_open(Street.RIVER), 13, ["e"])) == pytest.approx([13])


def test_a_geometric_size_may_name_its_streets_and_its_bound():
    on_river = to_open(Street.RIVER)
    assert amounts(actions_of(on_river, 13, ["3e"])) == pytest.approx([1.0, 13])
    assert amounts(actions_of(on_river, 13, ["2e150%"])) == pytest.approx([1.5, 13])
    assert amounts(actions_of(on_river, 13, ["3e150%"])) == pytest.approx([1.0, 13])


def test_a_geometric_raise_counts_earlier_raises_as_streets():
    # Facing 1 with 14 behind: pot 3 after calling, 13 left, ratio 13 / 3.
    first = facing(1.0, 14)
    three_streets = 3 * ((1 + 26 / 3) ** (1 / 3) - 1) / 2
    assert amounts(actions_of(first, 14, ["e"])) == pytest.approx([1 + three_streets, 14])
    raised = first.after_bet(Action(RAISE, 3.0), Stakes.in_pots(14))
    two_streets = 7 * ((1 + 22 / 7) ** (1 / 2) - 1) / 2
    assert amounts(actions_of(raised, 14, ["e"])) == pytest.approx([3 + two_streets, 14])


def test_donk_sizes_are_for_leading_after_a_call():
    rules = BettingRules.of([0.5], 1, donk_sizes=[0.25])
    stakes = Stakes.in_pots(6)
    assert amounts(legal_actions(rules, stakes, to_open(Street.TURN))) == [0.5, 6]
    assert amounts(legal_actions(rules, stakes, to_open(Street.TURN, may_donk=True))) == [0.25, 6]


def test_without_donk_sizes_the_bet_sizes_are_used_and_an_empty_list_means_none():
    stakes, state = Stakes.in_pots(6), to_open(Street.TURN, may_donk=True)
    assert amounts(legal_actions(BettingRules.of([0.5], 1), stakes, state)) == [0.5, 6]
    rules = BettingRules.of([0.5], 1, donk_sizes=[], add_all_in_threshold=0.0)
    assert legal_actions(rules, stakes, state) == [Action(CHECK, 0.0)]


def test_streets_and_players_have_their_own_menus():
    menus = tuple(
        (menu_of([0.1 * (street + 1)]), menu_of([0.5 + 0.1 * (street + 1)])) for street in Street
    )
    rules = BettingRules(menus, max_raises_per_street=1)
    for street in Street:
        for player in (0, 1):
            bet = legal_actions(rules, Stakes.in_pots(6), to_open(street, player))[1]
            assert bet.kind == BET
            assert bet.amount == pytest.approx(0.5 * player + 0.1 * (street + 1))


@deterministic
@given(
    spr=st.floats(0.05, 50),
    bet=st.floats(0.001, 1.0),
    fractions=st.lists(st.floats(0.01, 5.0), min_size=1, max_size=5),
    merging=st.floats(0.0, 0.3),
    forcing=st.floats(0.0, 0.3),
)
def test_every_raise_is_legal_distinct_and_affordable(spr, bet, fractions, merging, forcing):
    stakes = Stakes.in_pots(spr)
    bet = bet * spr
    state = to_open().after_bet(Action(ALL_IN if bet == spr else BET, bet), stakes)
    rules = BettingRules.of(fractions, 3, merging_threshold=merging, force_all_in_threshold=forcing)
    raises = legal_actions(rules, stakes, state)[2:]
    assert all(low.amount < high.amount for low, high in itertools.pairwise(raises))
    for action in raises:
        assert action.amount <= spr
        assert (action.kind == ALL_IN) == (action.amount == spr)
        assert action.kind == ALL_IN or action.amount >= 2 * bet
    assert bet == spr or raises[-1] == Action(ALL_IN, spr)


# Errors


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stakes.in_pots(0), "stack: 0 is not a positive amount"),
        (lambda: Stakes.in_pots(-2.5), "stack: -2.5 is not a positive amount"),
        (lambda: Stakes.in_pots(math.nan), "stack: nan is not a positive amount"),
        (lambda: Stakes.in_pots(math.inf), "stack: inf is not a positive amount"),
        (lambda: Stakes.in_chips(0, 910), "pot: 0 is not a positive amount"),
        (lambda: Stakes.in_chips(180, -1), "stack: -1 is not a positive amount"),
        (lambda: Stakes(1, 1, chip=-1), "chip: -1 is not 0 or a positive amount"),
        (lambda: Stakes(1, 1, minimum_bet=-1), "minimum_bet: -1 is not 0 or a positive amount"),
        (
            lambda: BettingRules.of([0.5], -1),
            "max_raises_per_street: -1 is not a whole number from 0 up",
        ),
        (
            lambda: BettingRules.of([0.5], 1.5),
            "max_raises_per_street: 1.5 is not a whole number from 0 up",
        ),
        (
            lambda: BettingRules.of([0.5], True),
            "max_raises_per_street: True is not a whole number from 0 up",
        ),
        (
            lambda: BettingRules.of([0.5], 1, merging_threshold=-0.1),
            "merging_threshold: -0.1 is not 0 (off) or a positive fraction of the pot",
        ),
        (
            lambda: BettingRules.of([0.5], 1, force_all_in_threshold=math.nan),
            "force_all_in_threshold: nan is not 0 (off) or a positive fraction of the pot",
        ),
        (
            lambda: BettingRules.of([0.5], 1, add_all_in_threshold=-1),
            "add_all_in_threshold: -1 is not 0 (off) or a positive fraction of the pot",
        ),
        (
            lambda: BettingRules.of([], 1),
            "bet_sizes: empty, give at least one bet size ('a' for all-in only)",
        ),
        (
            lambda: BettingRules.of([0.5], 1, raise_sizes=["2x", "0%"]),
            "raise_sizes[1]: '0%' is not a positive pot fraction",
        ),
        (
            lambda: menu_of([0.5], donks=[0.5, -1]),
            "donk_sizes[1]: -1 is not a positive pot fraction",
        ),
        (
            lambda: BettingRules(((SizeMenu((), ()),) * 2,) * 2, 1),
            "bet sizes: 2 streets given, 3 needed",
        ),
    ],
)
def test_bad_stakes_and_rules_say_where_and_what_is_allowed(make, message):
    with pytest.raises(TreeError) as caught:
        make()
    assert str(caught.value) == message


def test_raises_may_depend_on_how_many_there_were():
    menu = SizeMenu((), (BetSize("%", 0.5),), None, ((BetSize("x", 3.0),), (BetSize("a"),)))
    states = [to_open()._replace(num_bets=number) for number in range(5)]
    raises = [BetSize("%", 0.5), BetSize("x", 3.0), BetSize("a"), BetSize("a")]
    assert [menu.sizes_at(state) for state in states] == [(), *((size,) for size in raises)]


def test_a_size_in_big_blinds_is_a_bet_of_and_a_raise_to_so_many():
    rules = BettingRules.of("3bb", None, "9bb", add_all_in_threshold=0.0)
    stakes = Stakes(20.0, 200.0, 1.0, 1.0, big_blind=2.0)
    assert amounts(legal_actions(rules, stakes, to_open())) == [6.0]
    raised = to_open().after_bet(Action(BET, 6.0), stakes)
    assert amounts(legal_actions(rules, stakes, raised)) == [18.0]


def test_sizes_of_another_unit_are_refused():
    with pytest.raises(TreeError, match=r"^bet sizes: '3bb' is in big blinds, but the big blind"):
        BettingRules.of("3bb", 1).check_units(Stakes.in_pots(3.0))
    rules = PreflopRules.parse(20.0, "2bb; 50%, 5c")
    with pytest.raises(TreeError, match=r"^bet sizes: '5c' is in chips, but the pot is not$"):
        rules.betting.check_units(rules.stakes)


def test_geometric_raises_before_the_flop_count_four_streets():
    rules = PreflopRules.parse(100.0, ["e"], always_offer_all_in=False)
    # 1 to call a pot of 2 and 99 behind: 1 + f 2 with (1 + 2 f) ** 4 = 100.
    fraction = (100.0**0.25 - 1.0) / 2.0
    assert raises_after(rules) == pytest.approx([1.0 + 2.0 * fraction])


@pytest.mark.parametrize(
    ("bets", "donks", "may_donk"), [([], None, False), ([0.5], [], True), ([], None, True)]
)
def test_a_player_without_sizes_never_bets_first_not_even_all_in(bets, donks, may_donk):
    rules = BettingRules.of(bets, 1, raise_sizes=[1.0], donk_sizes=donks)
    state = BettingState(Street.TURN, 0, (1.0, 1.0), 1.0, may_donk=may_donk)
    actions = legal_actions(rules, Stakes.in_pots(4.0), state)
    assert [action.kind for action in actions] == [ActionKind.CHECK]


def rules_of(sizes, stacks=100.0, **limits):
    return PreflopRules.parse(stacks, sizes, **limits)


def actions_after(rules, *amounts, limped=False):
    """The actions after raises to the given amounts, first by SB, or by BB after a limp."""
    state = rules.first_decision()
    if limped:
        state = state._replace(player=BB, invested=(state.invested[BB],) * 2)
    for amount in amounts:
        kind = ALL_IN if amount == rules.stakes.betting_stack else RAISE
        state = state.after_bet(Action(kind, amount), rules.stakes)
    return legal_actions(rules.betting, rules.stakes, state)


def raises_after(rules, *amounts, limped=False):
    actions = actions_after(rules, *amounts, limped=limped)
    return [action.amount for action in actions if action.is_aggressive]


# First in


def test_the_small_blind_may_fold_limp_raise_or_move_all_in():
    assert actions_after(rules_of("2.5bb")) == [
        Action(FOLD, 0.5),
        Action(CALL, 1.0),
        Action(RAISE, 2.5),
        Action(ALL_IN, 100.0),
    ]


def test_without_limps_the_small_blind_raises_or_folds():
    actions = actions_after(rules_of("2.5bb", allow_limp=False))
    assert actions == [Action(FOLD, 0.5), Action(RAISE, 2.5), Action(ALL_IN, 100.0)]


def test_the_big_blind_has_the_option_after_a_limp():
    actions = actions_after(rules_of("3bb"), limped=True)
    assert actions == [Action(CHECK, 1.0), Action(RAISE, 3.0), Action(ALL_IN, 100.0)]


def test_without_limps_a_raise_can_still_be_called():
    assert Action(CALL, 2.5) in actions_after(rules_of("2.5bb", allow_limp=False), 2.5)


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


def test_an_all_in_may_be_less_than_a_minimum_raise_of_test_preflop_betting():
    assert actions_after(rules_of("2bb", 1.5)) == [
        Action(FOLD, 0.5),
        Action(CALL, 1.0),
        Action(ALL_IN, 1.5),
    ]
    assert actions_after(rules_of("3x", 9.0), 5.0) == [
        Action(FOLD, 1.0),
        Action(CALL, 5.0),
        Action(ALL_IN, 9.0),
    ]


def test_an_all_in_can_only_be_folded_to_or_called_of_test_preflop_betting():
    assert actions_after(rules_of("3x"), 100.0) == [Action(FOLD, 1.0), Action(CALL, 100.0)]


def test_nobody_bets_more_than_the_effective_stack_of_test_preflop_betting():
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


def test_sizes_that_coincide_are_one_action_of_test_preflop_betting():
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
    assert actions_after(rules, 2.0, 4.0) == [Action(FOLD, 2.0), Action(CALL, 4.0)]
    assert actions_after(rules_of("2x", raise_cap=0), limped=True) == [Action(CHECK, 1.0)]


# Posting


def test_blinds_and_antes_are_posted_from_the_stack():
    rules = rules_of("2x", 100.0, ante_bb=0.125)
    assert rules.effective_stack_bb == 100.0
    assert rules.stakes.ante == 0.125
    assert rules.stakes.betting_stack == 99.875
    assert rules.first_decision().invested == (0.5, 1.0)


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
    assert rules.stakes.ante == posted_ante
    assert rules.first_decision().invested == posted_blinds


def test_calling_a_big_blind_who_is_all_in_is_no_limp():
    for stack in (1.0, 0.75):
        rules = rules_of("2x", stack, allow_limp=False)
        assert actions_after(rules) == [Action(FOLD, 0.5), Action(CALL, stack)]


def test_a_rounding_error_is_no_stack():
    assert 2.2 - 1.2 > 1.0
    rules = rules_of("2x", 2.2, ante_bb=1.2)
    assert rules.first_decision().invested[BB] == rules.stakes.betting_stack
    assert [action.kind for action in actions_after(rules)] == [FOLD, CALL]


def test_other_blinds_move_the_minimum_raise():
    straddled = rules_of("1.1x", small_blind_bb=1.0, big_blind_bb=2.0)
    assert actions_after(straddled) == [
        Action(FOLD, 1.0),
        Action(CALL, 2.0),
        Action(RAISE, 4.0),
        Action(ALL_IN, 100.0),
    ]
    dead_button = rules_of("2x", small_blind_bb=0.0)
    assert actions_after(dead_button)[:2] == [Action(FOLD, 0.0), Action(CALL, 1.0)]


# Presets and errors


def test_push_or_fold_is_all_there_is():
    assert actions_after(push_fold_rules(10.0)) == [Action(FOLD, 0.5), Action(ALL_IN, 10.0)]
    assert push_fold_rules((10.0, 8.0), ante_bb=0.5).stakes.betting_stack == 7.5


def test_limp_or_fold_is_all_that_the_small_blind_has():
    rules = limp_fold_rules(10.0)
    assert actions_after(rules) == [Action(FOLD, 0.5), Action(CALL, 1.0)]
    assert actions_after(rules, limped=True) == [Action(CHECK, 1.0), Action(ALL_IN, 10.0)]
    assert actions_after(rules, 10.0, limped=True) == [Action(FOLD, 1.0), Action(CALL, 10.0)]


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
    by_depth = ((BetSize("bb", 2.5),), (BetSize("x", 3.0), BetSize("a")))
    assert rules == PreflopRules((20, 30), Sizes((((), by_depth),)))
    assert raises_after(rules, 2.5, 7.5, 10.0) == [20.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stacks_bb": 0.0}, "stack: 0 is not a positive amount"),
        ({"stacks_bb": (10.0, -1.0)}, "stack: -1 is not a positive amount"),
        ({"stacks_bb": math.inf}, "stack: inf is not a positive amount"),
        ({"big_blind_bb": math.nan}, "small_blind_bb: 0.5 is not 0 or more and less than the big"),
        (
            {"small_blind_bb": 1.0},
            "small_blind_bb: 1 is not 0 or more and less than the big blind 1",
        ),
        ({"ante_bb": -0.1}, "ante: -0.1 is not 0 or a positive amount"),
        ({"raise_cap": -1}, "max_raises_per_street: -1 is not a whole number from 0 up"),
        ({"raise_cap": 1.5}, "max_raises_per_street: 1.5 is not a whole number from 0 up"),
        (
            {"force_all_in_threshold": -1.0},
            "force_all_in_threshold: -1 is not 0 (off) or a positive fraction of the pot",
        ),
        ({"raise_sizes": ["2bb", "3"]}, "raise_sizes[1][0]: '3' has no unit, write"),
        ({"raise_sizes": {"sb": "2bb", "bb": "0x"}}, "raise_sizes.bb[0][0]: '0x' is not a raise"),
        (
            {"raise_sizes": {"sb": "2bb", "btn": "2bb"}},
            "raise_sizes.btn: unknown key, give sb and bb",
        ),
        ({"raise_sizes": {}}, "raise_sizes: sb is missing, give sb and bb"),
    ],
)
def test_errors_name_the_field_and_what_is_allowed(arguments, message):
    keys = {"stacks_bb": 100.0, "raise_sizes": "2.5bb", **arguments}
    with pytest.raises(TreeError) as caught:
        PreflopTree.build(PreflopRules.parse(**keys))
    assert str(caught.value).startswith(message)
