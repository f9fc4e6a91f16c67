"""All-ins before the river against runouts that are dealt one by one."""

import itertools
from functools import cache

import numpy as np
import pytest

from runout.cards.card import NUM_CARDS, parse_board
from runout.cards.combos import COMBO_CARDS
from runout.cards.evaluator import evaluate
from runout.holdem import all_ins, spot_kernels, street_kernels, terminal_kernels
from runout.holdem.all_ins import has_products, net_win_bytes, net_wins, settled_streets
from runout.holdem.card_tables import hands_seen_from, orders_of
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE, Rake
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_kernels import EVALUATING, RESPONDING
from runout.holdem.street_template import make_templates
from runout.holdem.tables import Precision, make_scratch
from runout.ranges.hand_range import HandRange
from runout.trees.betting import Street
from runout.trees.postflop_tree import SHOWDOWN
from tests.holdem.small_spots import make_spot, random_range

RAKE = Rake(0.05, 1.0)
BOARDS = ("Kh7h2s", "Kh7h2s9d")
both_players = pytest.mark.parametrize("player", [0, 1])
every_board = pytest.mark.parametrize("board", BOARDS)
with_and_without_rake = pytest.mark.parametrize("rake", [NO_RAKE, RAKE], ids=["no rake", "rake"])


@cache
def spot_of(board, rake=NO_RAKE):
    return make_spot(board, random_range(12, 3), random_range(9, 4), "90%, a", stack=30, rake=rake)


@cache
def cards_of(board):
    spot = spot_of(board)
    return CardsToCome.plan(spot.board, spot.ranges)


@cache
def mean_net_wins(hero, villain, board):
    """Returns wins minus losses of a combo as a share of all runouts, None if nobody meets."""
    mine, theirs = COMBO_CARDS[hero].tolist(), COMBO_CARDS[villain].tolist()
    known = [*mine, *theirs, *board]
    if len(set(known)) < len(known):
        return None
    left = [card for card in range(NUM_CARDS) if card not in known]
    net = []
    for runout in itertools.combinations(left, 5 - len(board)):
        ours, others = (evaluate([*hand, *board, *runout]) for hand in (mine, theirs))
        net.append(int(np.sign(ours - others)))
    return float(np.mean(net))


def unpack(panels, shape):
    """Returns the matrix that was packed into panels."""
    matrix = np.concatenate(list(panels), axis=1)
    assert not matrix[:, shape[1] :].any()
    return matrix[: shape[0], : shape[1]]


@both_players
def test_hands_win_against_hands_as_often_as_on_runouts_dealt_one_by_one(player):
    cards = cards_of("Kh7h2s")
    hero, villain = cards.players[player].combos, cards.players[1 - player].combos
    blocking = [int(COMBO_CARDS[hero[0], 0]), int(COMBO_CARDS[villain[1], 1])]
    boards = [cards.board, *((*cards.board, card) for card in blocking)]
    for board, panels in zip(boards, net_wins(cards, boards)[player], strict=True):
        found = unpack(panels, (len(villain), len(hero)))
        expected = [[mean_net_wins(h, v, board) or 0.0 for h in hero] for v in villain]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_players_with_the_same_hands_share_a_matrix():
    everyone = random_range(30, 1)
    cards = CardsToCome.plan(parse_board("Kh7h2s"), (everyone, everyone))
    oop, ip = net_wins(cards, [cards.board])
    assert oop is ip
    matrix = unpack(oop[0], (30, 30))
    np.testing.assert_allclose(matrix, -matrix.T, atol=1e-7)
    assert oop.nbytes == net_win_bytes(cards, 1)


@every_board
def test_what_matrices_take_is_known_before(board):
    cards = cards_of(board)
    oop, ip = net_wins(cards, [cards.board] * 3)
    assert oop.nbytes + ip.nbytes == net_win_bytes(cards, 3)


@both_players
@every_board
@with_and_without_rake
def test_an_all_in_is_worth_its_stake_times_what_is_won(player, board, rake):
    spot, cards = spot_of(board, rake), cards_of(board)
    street = make_templates(spot.tree, rake, settled=settled_streets(cards))[0]
    assert has_products(street)
    forest = street.forests[player]
    nodes = street.tree_node[forest.showdown]
    assert len(nodes) > 1
    assert (spot.tree.leaf_kind[nodes] == SHOWDOWN).all()
    assert (spot.tree.street[nodes] == street.street).all()

    hero, villain = cards.players[player], cards.players[1 - player]
    scratch = make_scratch(street, cards, player, Precision.SINGLE)
    scratch.reach[:, : len(villain.combos)] = np.random.default_rng(5).random(
        (len(scratch.reach), len(villain.combos))
    )
    scratch.value[:] = np.nan
    hands = hands_seen_from(cards, player)
    meeting = spot_kernels.meet(hands, orders_of(cards, [cards.board], player), 0)
    terminal_kernels.clear_values(scratch.lanes)
    of_board = net_wins(cards, [cards.board])[player][0]
    street_kernels.value_all_ins(forest, of_board, meeting, scratch)
    for number, tree_node in zip(forest.showdown, nodes, strict=True):
        pot = 2.0 * spot.tree.leaf_stake[tree_node]
        taken, arriving = rake.taken_from(pot), scratch.reach[forest.row[number]]
        for mine, hand in enumerate(hero.combos):
            worth = 0.0
            for theirs, other in enumerate(villain.combos):
                net = mean_net_wins(hand, other, cards.board)
                if net is not None:
                    # Whoever wins gets the pot less rake, which half the pot was paid for.
                    worth += arriving[theirs] * ((pot - taken) / 2.0 * net - taken / 2.0)
            assert scratch.value[number, mine] == pytest.approx(worth, rel=1e-4, abs=1e-4)
    others = np.setdiff1d(np.arange(street.num_nodes), forest.showdown)
    assert np.isnan(scratch.value[others]).all()


@both_players
@every_board
@with_and_without_rake
def test_values_are_those_with_every_card_dealt(player, board, rake, monkeypatch):
    spot = spot_of(board, rake)
    settled = SpotSolver(spot)
    settled.run(3)
    monkeypatch.setattr(all_ins, "settled_streets", lambda cards, deck: ())
    dealt = SpotSolver(spot)
    num_lines = [len(solver.game.played[-1].root) for solver in (settled, dealt)]
    assert num_lines[0] < num_lines[1]
    for step in (EVALUATING, RESPONDING):
        found, expected = (
            solver.game.visit(player, step, settled.tables, settled.root_reach[player])
            for solver in (settled, dealt)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_turns_are_settled_where_ranges_are_narrow_and_nothing_is_with_another_deck():
    everyone = HandRange.full()
    flop, turn = (parse_board(board) for board in BOARDS)
    assert settled_streets(cards_of("Kh7h2s")) == (Street.FLOP, Street.TURN)
    assert settled_streets(CardsToCome.plan(flop, (everyone, everyone))) == (Street.FLOP,)
    assert settled_streets(CardsToCome.plan(turn, (everyone, everyone))) == (Street.TURN,)
    river = CardsToCome.plan(parse_board("Kh7h2s9d3c"), (everyone, everyone))
    assert settled_streets(river) == ()
    assert settled_streets(cards_of("Kh7h2s"), deck=range(40)) == ()
    assert all_ins.MOST_PAIRS < 1176**2
