import json

import pytest


def test_a_royal_flush_is_number_one(run):
    lines = run("eval", "AhKhQhJhTh2c3d").stdout.splitlines()
    assert lines[0] == "royal flush"
    assert lines[1].startswith("strength 7,462, number 1 of 7,462")


def test_json_of_the_worst_hand(run):
    assert json.loads(run("eval", "7h5d4c3s2d", "--json").stdout) == {
        "cards": "7h5d4c3s2d",
        "strength": 1,
        "category": "high_card",
        "description": "high card, 7-5-4-3-2",
        "rank": 7462,
        "num_strengths": 7462,
        "beaten_strengths_fraction": 0.0,
    }


@pytest.mark.parametrize("cards", ["AhKh", "AhKhQhJh", "AhKhQhJhTh9h8h7h"])
def test_only_five_to_seven_cards_have_a_strength(error_line, cards):
    assert error_line("eval", cards).startswith(f"hand '{cards}': ")


def test_a_repeated_card_is_named(error_line):
    assert error_line("eval", "AhAhQhJhTh") == "Ah: comes twice in AhAhQhJhTh"


def test_half_a_card_is_named(error_line):
    assert error_line("eval", "AhKhQhJhT").startswith("'T': ")
