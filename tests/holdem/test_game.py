"""Tests of `runout.holdem.game`."""

import numpy as np
import pytest

from runout.cards.deck import combo_cards, parse_board
from runout.cards.flops import SUIT_MAPPINGS
from runout.cards.ranges import Range
from runout.cfr.cfr_kernels import EVALUATING
from runout.holdem.cards import PLAYER_WORDS, ROW_WIDTH, CardsToCome
from runout.holdem.game import CardGame
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import hands_seen_from, orders_of
from tests.reference.showdowns import strengths_on
from tests.samples.small_spots import make_spot, random_range

# --------------------------------------------------------------------------------------------------
# Hands and boards as the kernels read them.


SYMMETRIC = (Range("AA, KQs, 98s, 76o:0.5"), Range("QQ, AKo, JTs, 55:0.25"))


def plan(board, ranges=SYMMETRIC):
    return CardsToCome.plan(parse_board(board), ranges)


def test_images_of_hands_undo_the_renaming_of_cards():
    """What a hand gets on a renamed card is what the hand before the renaming gets on the card."""
    cards = plan("Qs7s2s")
    for player in (0, 1):
        combos = cards.players[player].combos
        image = hands_seen_from(cards, player).image
        for number in cards.symmetry_numbers:
            for hand, combo in enumerate(combos):
                source = combo_cards(int(combos[image[number, hand]]))
                renamed = SUIT_MAPPINGS[number].map_cards(source)
                assert sorted(renamed) == sorted(combo_cards(int(combo)))
            np.testing.assert_array_equal(
                image[number, len(combos) :], np.arange(len(combos), image.shape[1])
            )


@pytest.mark.parametrize("player", [0, 1])
def test_hands_are_seen_with_their_cards_and_who_holds_what(player):
    cards = plan("Qs7s2h", (random_range(60, 1), random_range(90, 2)))
    hands = hands_seen_from(cards, player)
    hero, villain = cards.players[player], cards.players[1 - player]
    for found, expected in ((hands.hero_cards, hero), (hands.villain_cards, villain)):
        assert len(found) == expected.width
        assert expected.width % ROW_WIDTH == 0
        assert 0 <= expected.width - len(expected.combos) < ROW_WIDTH
        for cards_of_hand, combo in zip(found, expected.combos, strict=False):
            assert tuple(cards_of_hand) == combo_cards(int(combo))
    for hand, combo in enumerate(hero.combos):
        found = hands.same[hand]
        assert (found >= 0) == (combo in villain.combos)
        assert found < 0 or villain.combos[found] == combo
    assert (hands.same[len(hero.combos) :] == -1).all()
    for card in range(52):
        holding = [h for h, c in enumerate(villain.combos) if card in combo_cards(int(c))]
        assert hands.holding[card, : len(holding)].tolist() == holding
        assert (hands.holding[card, len(holding) :] == -1).all()


@pytest.mark.parametrize("player", [0, 1])
def test_orders_of_rivers_are_those_of_strength(player):
    cards = plan("Qs7s2h9c", (random_range(60, 1), random_range(90, 2)))
    boards = [(*cards.board, *runout) for runout in cards.runouts[0]][::7]
    orders = orders_of(cards, boards, player)
    sides = (
        (cards.players[player], orders.hero, orders.num_hero),
        (cards.players[1 - player], orders.villain, orders.num_villain),
    )
    for number, board in enumerate(boards):
        exact = strengths_on(board)
        strengths = []
        for hands, order, num_live in sides:
            live = order[number, : num_live[number]]
            strengths.append(exact[hands.combos[live]])
            assert (strengths[-1] > 0).all()
            assert num_live[number] == (exact[hands.combos] > 0).sum()
            assert (np.diff(strengths[-1]) >= 0).all()
        mine, theirs = strengths
        for strength, (below, upto, *_) in zip(mine, orders.hero_sums[number], strict=False):
            assert below == (theirs < strength).sum()
            assert upto == (theirs <= strength).sum()


@pytest.mark.parametrize("player", [0, 1])
def test_running_sums_of_cards_have_rows_of_their_own(player):
    """All that a board makes fit into the working space, and none is made twice."""
    cards = plan("Qs7s2h9c", (random_range(60, 1), random_range(90, 2)))
    boards = [(*cards.board, *runout) for runout in cards.runouts[0]][::7]
    orders, width = orders_of(cards, boards, player), cards.players[1 - player].width
    for number in range(len(boards)):
        rows = orders.villain_sums[number, : orders.num_villain[number]].ravel()
        assert len(set(rows.tolist())) == len(rows)
        assert rows.min() > width + 1
        assert rows.max() < 3 * width + 1 + 52


def test_orders_before_the_river_hold_the_hands_that_avoid_the_card():
    cards = plan("Qs7s2h", (random_range(60, 1), random_range(90, 2)))
    boards = [(*cards.board, *runout) for runout in cards.runouts[0]]
    orders = orders_of(cards, boards, 0)
    for number, board in enumerate(boards):
        live = orders.hero[number, : orders.num_hero[number]]
        expected = [
            h
            for h, c in enumerate(cards.players[0].combos)
            if not {*combo_cards(int(c))} & {*board}
        ]
        assert sorted(live.tolist()) == expected


# --------------------------------------------------------------------------------------------------
# Visits of a spot with reaches that arrive from outside.


@pytest.fixture(scope="module")
def solver():
    solver = SpotSolver(make_spot("Ks9d8h4h", "AA,KQs,76s", "TT+,AKs", stack=15))
    solver.run(3)
    return solver


def test_values_grow_with_the_reach_that_arrives(solver):
    reach = solver.root_reach[0]
    once = solver.game.visit(0, EVALUATING, solver.tables, reach)
    fourfold = solver.game.visit(0, EVALUATING, solver.tables, np.float32(4.0) * reach)
    assert once.any()
    np.testing.assert_array_equal(fourfold, np.float32(4.0) * once)


def test_nobody_who_arrives_is_worth_nothing(solver):
    nobody = np.zeros_like(solver.root_reach[1])
    assert not solver.game.visit(1, EVALUATING, solver.tables, nobody).any()


# --------------------------------------------------------------------------------------------------
# Working space.


@pytest.mark.parametrize("stack", [300, 730])
def test_working_space_holds_the_largest_group_of_rivers_however_they_are_cut(stack):
    """Without lines that end all-in on settled streets, groups are others and can be larger."""
    spot = make_spot("QsJh2h", random_range(60, 1), random_range(90, 2), "33%,75%,a", 55, stack, 3)
    game = CardGame(spot)
    planned = game.plan_workspace().arrays
    for betting in (game.templates, game.played):
        for player, word in enumerate(PLAYER_WORDS):
            group = betting[-1].forests[player].group
            rows, _ = planned[f"{word}.worker0.river.reach"][0]
            nodes, _ = planned[f"{word}.worker0.river.value"][0]
            assert rows >= group[:, 8].max()
            assert nodes >= (group[:, 1] - group[:, 0]).max()
