import pytest

from runout.trees.actions import (
    Action,
    ActionKind,
    format_action,
    format_amount,
    format_percentage,
)


@pytest.mark.parametrize(
    ("action", "fraction", "label"),
    [
        (Action(ActionKind.FOLD, 0.5), 0.0, "fold"),
        (Action(ActionKind.CHECK, 0.0), 0.0, "check"),
        (Action(ActionKind.CALL, 1.0), 0.0, "call"),
        (Action(ActionKind.BET, 0.5), 0.5, "bet 50% (0.5)"),
        (Action(ActionKind.BET, 60.0), 1 / 3, "bet 33.3% (60)"),
        (Action(ActionKind.RAISE, 3.2), 0.75, "raise to 3.2 (75%)"),
        (Action(ActionKind.ALL_IN, 6.0), 6.0, "all-in 6"),
    ],
)
def test_actions_have_a_label_for_people(action, fraction, label):
    assert format_action(action, fraction) == label


def test_the_percentage_can_be_left_out():
    assert format_action(Action(ActionKind.BET, 100.0)) == "bet 100"
    assert format_action(Action(ActionKind.RAISE, 3.2)) == "raise to 3.2"


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
