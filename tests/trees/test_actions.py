import pytest

from runout.trees.actions import Action, ActionKind, format_action, format_amount, format_percentage
from runout.trees.sizes import BEFORE_FLOP, BetSize


@pytest.mark.parametrize(
    ("action", "label"),
    [
        (Action(ActionKind.FOLD, 0.5), "fold"),
        (Action(ActionKind.CHECK, 0.0), "check"),
        (Action(ActionKind.CALL, 1.0), "call"),
        (Action(ActionKind.BET, 59.0, BetSize("%", 0.33)), "bet 33% (59)"),
        (Action(ActionKind.BET, 100.0, BetSize("c", 100.0)), "bet 100"),
        (Action(ActionKind.RAISE, 150.0, BetSize("c", 100.0)), "raise 100c (to 150)"),
        (Action(ActionKind.BET, 72.0, BetSize("e", 2)), "bet 2e (72)"),
        (Action(ActionKind.RAISE, 177.0, BetSize("x", 3.0)), "raise 3x (to 177)"),
        (Action(ActionKind.RAISE, 2.5, BetSize("bb", 2.5)), "raise to 2.5"),
        (Action(ActionKind.ALL_IN, 6.0, BetSize("%", 6.0)), "all-in 6"),
        (Action(ActionKind.BET, 100.0), "bet 100"),
        (Action(ActionKind.RAISE, 3.2), "raise to 3.2"),
    ],
)
def test_actions_have_a_label_with_the_size_as_asked(action, label):
    assert format_action(action) == label


def test_pots_before_the_flop_are_written_as_there():
    action = Action(ActionKind.RAISE, 3.0, BetSize("%", 1.0))
    assert format_action(action, BEFORE_FLOP) == "raise 1p (to 3)"


def test_actions_of_one_amount_are_equal_whatever_was_asked_for():
    assert Action(ActionKind.BET, 59.0, BetSize("%", 0.33)) == Action(ActionKind.BET, 59.0)


def test_only_bets_raises_and_all_ins_are_aggressive():
    aggressive = {kind for kind in ActionKind if Action(kind, 1.0).is_aggressive}
    assert aggressive == {ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN}


def test_numbers_are_short():
    assert [format_amount(x) for x in (910.0, 0.5, 1 / 3, 1e-9)] == ["910", "0.5", "0.333", "0"]
    assert [format_percentage(x) for x in (1.0, 0.333, 2.5, 0.7207)] == [
        "100",
        "33.3",
        "250",
        "72.1",
    ]
