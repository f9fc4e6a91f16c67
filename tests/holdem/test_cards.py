"""Tests of `runout.holdem.cards`."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import combo_cards, parse_board, parse_card, parse_cards
from runout.cards.flops import SUIT_MAPPINGS
from runout.cards.ranges import Range
from runout.errors import CardError, ConfigError, RangeError
from runout.holdem.cards import (
    NO_PARENT,
    NO_PLAYER,
    NO_RAKE,
    CardsToCome,
    PlaceKind,
    Rake,
    Spot,
    find_runout,
    make_layouts,
)
from runout.holdem.solver import SpotSolver
from runout.trees.betting import Street
from runout.trees.tree import SHOWDOWN
from tests.samples.small_spots import make_spot, make_tree, random_range

SYMMETRIC = (Range("AA, KQs, 98s, 76o:0.5"), Range("QQ, AKo, JTs, 55:0.25"))
BOARDS = ["Qs7s2s", "Qs7s2h", "Qs7h2d", "QsQh2d", "QsQh2s", "7s7h7d", "Qs7s2s9s", "QsQh2d2c"]
every_board = pytest.mark.parametrize("board", BOARDS)


def plan(board, ranges=SYMMETRIC, merges=True):
    return CardsToCome.plan(parse_board(board), ranges, merges)


def cards_of_class(deal, number):
    """Returns all cards of a class, the one that is solved first."""
    card = int(deal.card[number])
    numbers = deal.images[number][deal.images[number] >= 0]
    return [card, *(SUIT_MAPPINGS[number].map_card(card) for number in numbers)]


@pytest.mark.parametrize("merges", [True, False])
@every_board
def test_classes_of_cards_make_up_the_deck(board, merges):
    cards = plan(board, merges=merges)
    deal = cards.deals[0]
    dealt = [card for number in range(len(deal.card)) for card in cards_of_class(deal, number)]
    rest = set(range(52)) - set(cards.board)
    assert sorted(dealt) == sorted(rest)
    assert len(dealt) == 52 - len(cards.board)  # 49 turns or 48 rivers
    if not merges:
        assert len(deal.card) == len(rest)


@pytest.mark.parametrize("board", BOARDS[:6])
def test_rivers_after_each_turn_make_up_the_deck(board):
    cards = plan(board)
    turn, river = cards.deals
    assert len(turn.first_next) == len(turn.card) + 1
    num_runouts = 0
    for number, card in enumerate(turn.card):
        after = range(turn.first_next[number], turn.first_next[number + 1])
        dealt = [card for board in after for card in cards_of_class(river, board)]
        assert sorted(dealt) == sorted(set(range(52)) - {*cards.board, int(card)})
        assert [cards.runouts[1][board] for board in after] == [
            (int(card), int(river.card[board])) for board in after
        ]
        num_runouts += len(dealt) * len(cards_of_class(turn, number))
    assert num_runouts == 49 * 48
    assert turn.first_next[-1] == len(river.card)


SHORT_DECK = tuple(range(16, 52))  # sixes and better
SHORT_RANGES = (Range("AA, KQs, 98s, 76o:0.5"), Range("QQ, AKo, JTs, 66:0.25"))


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("board", ["Qs7s6s", "Qs7h6d", "QsQh6d"])
def test_only_cards_of_the_deck_are_dealt(board, merges):
    cards = CardsToCome.plan(parse_board(board), SHORT_RANGES, merges, SHORT_DECK)
    turn, river = cards.deals
    dealt = [card for number in range(len(turn.card)) for card in cards_of_class(turn, number)]
    assert sorted(dealt) == sorted(set(SHORT_DECK) - set(cards.board))
    for number, card in enumerate(turn.card):
        after = range(turn.first_next[number], turn.first_next[number + 1])
        dealt = [card for board in after for card in cards_of_class(river, board)]
        assert sorted(dealt) == sorted(set(SHORT_DECK) - {*cards.board, int(card)})
    assert turn.probability == np.float32(1 / (36 - 3 - 4))
    assert river.probability == np.float32(1 / (36 - 4 - 4))


def test_suits_that_the_deck_tells_apart_are_not_merged():
    without_a_spade = tuple(card for card in range(52) if card != parse_card("9s"))
    ranges = (Range("AA, KQs"), Range("QQ, AKo"))
    cards = CardsToCome.plan(parse_board("8d7d2d"), ranges, deck=without_a_spade)
    assert len(CardsToCome.plan(parse_board("8d7d2d"), ranges).symmetries) == 6
    assert {mapping.new_suits[3] for mapping in cards.symmetries} == {3}
    assert len(cards.symmetries) == 2
    assert cards.deals[0].probability == np.float32(1 / (51 - 3 - 4))


def test_hands_that_hold_unequally_many_cards_of_the_deck_are_refused():
    ranges = (Range("AA, KK"), Range("AA, A2s"))
    with pytest.raises(RangeError, match="ip: hands hold 1 and 2 cards of the deck, all of a"):
        CardsToCome.plan(parse_board("Qs7s6s"), ranges, deck=SHORT_DECK)


def test_a_deck_that_two_hands_use_up_is_refused():
    deck = parse_cards("KhKdAhAdAc")
    ranges = (Range("KhKd"), Range("AhAd"))
    with pytest.raises(CardError, match="deck KdKhAcAdAh: two hands leave 1 cards, 2 are dealt"):
        CardsToCome.plan(parse_board("Qs7s6s"), ranges, deck=deck)


@every_board
def test_cards_that_two_hands_leave_are_dealt_with_probability_one(board):
    cards = plan(board)
    for known, deal in enumerate(cards.deals, start=len(cards.board)):
        assert (52 - known - 4) * float(deal.probability) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("board", "num_turns"), [("Qs7s2s", 23), ("Qs7s2h", 36), ("Qs7h2d", 49), ("7s7h7d", 25)]
)
def test_numbers_of_turn_classes_can_be_counted(board, num_turns):
    """Suits that are alike count once.

    Monotone: 10 spades and 13 ranks; two-tone: 11 spades, 12 hearts and 13 ranks; rainbow: all 49;
    trips: 12 ranks of the board's suits and 13 clubs.
    """
    assert len(plan(board).deals[0].card) == num_turns


def test_symmetries_keep_the_board_and_both_ranges():
    assert len(plan("Qs7s2s").symmetries) == 6
    assert len(plan("Qs7s2s", (Range("AhAd, KQs"), SYMMETRIC[1])).symmetries) == 2
    assert len(plan("Qs7s2s", (Range("AhKd, KQs"), SYMMETRIC[1])).symmetries) == 1
    assert len(plan("Qs7s2s", merges=False).symmetries) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_total_weight_is_that_of_all_pairs_that_can_meet(seed):
    cards = plan("Qs7s2h", (random_range(60, seed), random_range(90, seed + 10)))
    oop, ip = cards.players
    expected = sum(
        a_weight * b_weight
        for a, a_weight in zip(oop.combos.tolist(), oop.weights, strict=True)
        for b, b_weight in zip(ip.combos.tolist(), ip.weights, strict=True)
        if not set(combo_cards(a)) & set(combo_cards(b))
    )
    assert cards.total_weight() == pytest.approx(expected)


def test_two_whole_decks_meet_in_as_many_pairs_as_a_flop_leaves():
    everything = Range("random")
    assert plan("Qs7s2h", (everything, everything)).total_weight() == 1176 * 1081


def test_hands_of_a_range_avoid_the_board_and_keep_their_weights():
    hand_range = random_range(200, 3)
    (oop, _) = plan("Qs7s2h", (hand_range, SYMMETRIC[1])).players
    dead = set(parse_board("Qs7s2h"))
    expected = [
        c for c in np.flatnonzero(hand_range.weights) if not dead & set(combo_cards(int(c)))
    ]
    assert oop.combos.tolist() == expected
    np.testing.assert_array_equal(oop.weights, hand_range.weights[expected])


@pytest.mark.parametrize("board", ["Ks7s2s", "Ks7s2d", "KsKh2d", "Ks7h2d"])
def test_a_runout_is_renamed_to_one_that_was_solved(board):
    ranges = Range("AA,JTs"), Range("KK,T9s")
    cards = CardsToCome.plan(parse_cards(board), ranges)
    for turn in "9c 9d 9h 9s Ac Kd".split():
        for river in "8c 8d 8h 8s".split():
            dealt = parse_cards(turn + river)
            if set(dealt) & set(cards.board):
                continue
            runout = find_runout(cards, dealt)
            assert runout.mapping.map_cards(dealt) == runout.dealt
            assert cards.runouts[1][runout.numbers[1]] == runout.dealt
            assert cards.runouts[0][runout.numbers[0]] == runout.dealt[:1]
            assert set(runout.mapping.map_cards(cards.board)) == set(cards.board)


@pytest.mark.parametrize(
    ("rake", "pot", "taken"),
    [
        (NO_RAKE, 100.0, 0.0),
        (Rake(0.05, 3.0), 10.0, 0.5),
        (Rake(0.05, 3.0), 60.0, 3.0),
        (Rake(0.05, 3.0), 1_000.0, 3.0),
        (Rake(0.05, 0.0), 1_000.0, 0.0),
        (Rake(0.0, 3.0), 1_000.0, 0.0),
        (Rake(1.0, 3.0), 2.0, 2.0),
    ],
)
def test_a_share_is_taken_up_to_the_cap(rake, pot, taken):
    assert rake.taken_from(pot) == pytest.approx(taken)


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan")])
def test_a_rate_is_a_fraction(rate):
    with pytest.raises(ConfigError, match=r"rake_rate: .* is not a fraction from 0 to 1"):
        Rake(rate, 1.0)


@pytest.mark.parametrize("cap", [-0.01, float("nan")])
def test_a_cap_is_not_negative(cap):
    with pytest.raises(ConfigError, match=r"rake_cap: .* is not 0 or a positive amount"):
        Rake(0.05, cap)


EVERYTHING = (Range("random"), Range("random"))


@pytest.mark.parametrize(("board", "street"), [("QsJh2h", 0), ("QsJh2h4c", 1), ("QsJh2h4c4d", 2)])
def test_a_board_begins_on_the_street_of_its_cards(board, street):
    assert make_spot(board, *EVERYTHING).tree.first_street == street


def test_a_board_and_a_tree_of_different_streets_are_refused():
    tree = make_tree("a", 10, 10, Street.FLOP)
    with pytest.raises(CardError, match="QsJh2h4c: 4 cards, but the betting begins on the flop"):
        Spot(parse_cards("QsJh2h4c"), EVERYTHING, tree)


@pytest.mark.parametrize("board", ["QsJhQs", "QsJh", "QsJh2h4c4d5d"])
def test_a_board_is_three_to_five_different_cards(board):
    with pytest.raises(CardError):
        Spot(parse_cards(board), EVERYTHING, make_tree("a", 10, 10, Street.FLOP))


def test_a_deck_has_no_card_twice():
    with pytest.raises(CardError, match="Kh: dealt twice in KhKsKh"):
        replace(make_spot("QsJh2h", *EVERYTHING), deck=(*parse_cards("KhKs"), parse_card("Kh")))


@pytest.mark.parametrize(("player", "word"), [(0, "oop"), (1, "ip")])
def test_a_range_that_the_board_blocks_is_refused(player, word):
    ranges = [Range("KK"), Range("KK")]
    ranges[player] = Range("AhAs, AhAd, AsAd")
    with pytest.raises(RangeError, match=f"{word}: no hand of the range avoids the board AhAs2d"):
        SpotSolver(make_spot("AhAs2d", *ranges))


def test_ranges_that_can_never_meet_are_refused():
    with pytest.raises(RangeError, match="no hand of one range can meet a hand of the other"):
        SpotSolver(make_spot("KhJs2d", "AhAs", "AhAd, AsQs"))


# --------------------------------------------------------------------------------------------------
# How the decisions of a street are numbered.


TREES = {
    "flop": make_tree("50%, a", 10, 60, Street.FLOP, 1),
    "turn": make_tree("50%, 100%, a", 10, 100, Street.TURN, 2),
    "all-in at once": make_tree("a", 10, 10, Street.FLOP),
}
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


@every_tree
def test_rows_of_a_player_are_the_actions_of_its_decisions_one_after_the_other(tree):
    for layout in make_layouts(tree):
        for player in (0, 1):
            first, number = layout.decisions_of(player)
            assert first.tolist() == [0, *np.cumsum(number).tolist()][: len(first)]
            assert number.sum() == layout.num_actions[player]
            for node in np.flatnonzero(layout.actor == player).tolist():
                children = list(tree.layout.children(int(layout.tree_node[node])))
                begin = int(layout.first_action[node])
                found = layout.action_node[player][begin : begin + len(children)]
                assert found.tolist() == children


@every_tree
def test_children_lie_together_and_know_their_parent(tree):
    for layout in make_layouts(tree):
        for node in np.flatnonzero(layout.kind == PlaceKind.DECISION).tolist():
            begin = int(layout.first_child[node])
            children = range(begin, begin + int(layout.num_children[node]))
            assert (layout.parent[children.start : children.stop] == node).all()
        assert (layout.parent[layout.root] == NO_PARENT).all()
        assert ((layout.actor == NO_PLAYER) == (layout.kind != PlaceKind.DECISION)).all()


@every_tree
def test_a_street_begins_where_the_one_before_ends(tree):
    layouts = make_layouts(tree)
    for before, after in itertools.pairwise(layouts):
        assert tuple(after.tree_node[after.root]) == before.next_roots
    assert tuple(layouts[0].tree_node[layouts[0].root]) == (0,)
    assert layouts[-1].next_roots == ()


@every_tree
@pytest.mark.parametrize(
    "settled", [{Street.FLOP}, {Street.TURN}, {Street.FLOP, Street.TURN}], ids=repr
)
def test_all_ins_of_settled_streets_end_there_and_tables_stay_as_they_are(tree, settled):
    dealt, ended = make_layouts(tree), make_layouts(tree, settled)
    over: set[int] = set()
    for with_cards, without in zip(dealt, ended, strict=True):
        roots, all_roots = (set(each.tree_node[each.root]) for each in (without, with_cards))
        assert roots == all_roots - over
        is_all_in = tree.leaf_kind[without.tree_node] == SHOWDOWN
        shows_down = without.street in settled or without.street == Street.RIVER
        np.testing.assert_array_equal(without.kind == PlaceKind.SHOWDOWN, is_all_in & shows_down)
        if shows_down:
            over |= set(without.tree_node[is_all_in].tolist())
        for ours, theirs in zip(without.action_node, with_cards.action_node, strict=True):
            np.testing.assert_array_equal(ours, theirs)
