"""Paths through a spot: what they lead to, and what errors say."""

from dataclasses import replace

import pytest

from runout.cards.card import parse_cards
from runout.errors import CardError, TreeError
from runout.trees.betting import Street
from runout.views.node import NodeKind
from runout.views.spot_path import find_position
from tests.holdem.small_spots import make_spot

FLOP = make_spot("QsJh2h", "AA,KQs", "KK,JTs", "50%", 20, 100, max_raises=1)
JAMS = make_spot("QsJh2h", "AA,KQs", "KK,JTs", "a", 20, 100)


@pytest.mark.parametrize("path", ["", "  ", "r:0", " R:0 "])
def test_the_root_has_several_names(path):
    position = find_position(FLOP, path)
    assert (position.path, position.node, position.kind) == ("", 0, NodeKind.DECISION)
    assert position.board == FLOP.board


def test_a_path_crosses_streets():
    position = find_position(FLOP, "r:0:b10:c:8h:x:x:2c:b20:f")
    assert position.path == "b10:c:8h:x:x:2c:b20:f"
    assert position.kind == NodeKind.FOLD
    assert position.street == Street.RIVER
    assert position.dealt == parse_cards("8h2c")
    assert FLOP.tree.path(position.node) == "b10-c-x-x-b20-f"


def test_kinds_along_a_path():
    kinds = [find_position(FLOP, path).kind for path in ("x", "x:x", "x:x:2c", "x:x:2c:x:x:3c:x:x")]
    assert kinds == ["decision", "chance", "decision", "showdown"]


def test_only_cards_of_the_deck_can_come():
    spot = replace(FLOP, deck=parse_cards("AsAhKsKhQsQhJsJhTsTh"))
    assert find_position(spot, "x:x").next_cards() == parse_cards("AsAhKsKhQhJsTsTh")
    assert find_position(spot, "x:x:Ts").board == parse_cards("QsJh2hTs")
    with pytest.raises(CardError, match="step 3: 8h is not in the deck, deal one of AsAhKs"):
        find_position(spot, "x:x:8h")


def test_a_called_all_in_is_dealt_out():
    for path, kind, num_cards in [("a:c", "chance", 49), ("a:c:2c", "chance", 48)]:
        position = find_position(JAMS, path)
        assert position.kind == kind
        assert len(position.next_cards()) == num_cards
    assert find_position(JAMS, "a:c:2c:3c").kind == NodeKind.SHOWDOWN
    assert find_position(JAMS, "a:c:2c:3c").next_cards() == ()


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("c", "x"),
        ("r10", "b10"),
        ("b10:b30", "b10:r30"),
        ("X:B10:C:8H", "x:b10:c:8h"),
        ("r:0:x-b10-c-8h", "x:b10:c:8h"),
    ],
)
def test_other_ways_to_write_an_action(written, canonical):
    assert find_position(FLOP, written).path == canonical


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("r:0:b10:c:8h:c:b30", "b10:c:8h:x:b20"),
        ("r:0:c:b10:b30:c:8h:c:c:2c:b70", "x:b10:r30:c:8h:x:x:2c:b40"),
        ("r:0:b10:c:8h:x:b20", "b10:c:8h:x:b20"),
    ],
)
def test_bets_of_piosolver_are_totals_of_all_streets(written, ours):
    assert find_position(FLOP, written).path == ours


def test_an_all_in_may_be_written_with_its_amount():
    assert find_position(JAMS, "b100:c").path == "a:c"


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("b11", TreeError, "path 'b11', step 1: 'b11' is no action at the root, use one of x, b10"),
        ("r:0:x:8h", TreeError, "step 2: '8h' is no action after x, use one of x, b10"),
        ("b10:x", TreeError, "step 2: 'x' is no action after b10, use one of f, c, r30"),
        ("x::x", TreeError, "step 2: '' is no action after x, use one of x, b10"),
        ("b10:f:x", TreeError, "step 3: 'x' is no action after b10:f, the hand is over"),
        ("x:x:x", CardError, "step 3: 'x': a card is a rank and a suit, such as Ah; the turn is"),
        ("x:x:8x", CardError, "step 3: '8x': 'x' is not a suit, use one of cdhs; the turn is"),
        ("x:x:2h", CardError, "step 3: 2h is on the board QsJh2h already, deal another card"),
        ("x:x:2c:x:x:2c", CardError, "step 6: 2c is on the board QsJh2h2c already"),
    ],
)
def test_an_error_names_the_step_and_what_is_allowed(path, error, message):
    with pytest.raises(error) as caught:
        find_position(FLOP, path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
