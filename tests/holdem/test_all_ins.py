"""All-ins on the flop against runouts that are dealt one by one."""

import itertools
from functools import cache

import numpy as np
import pytest

from runout.cards.card import NUM_CARDS
from runout.cards.combos import COMBO_CARDS
from runout.cards.evaluator import evaluate
from runout.holdem.all_ins import AllIns, net_wins
from runout.holdem.card_tables import hands_seen_from
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE, Rake
from runout.holdem.street_template import make_templates
from runout.trees.betting import Street
from runout.trees.postflop_tree import SHOWDOWN
from tests.holdem.small_spots import make_spot, random_range

RAKE = Rake(0.05, 1.0)
NUM_RUNOUTS = 990
both_players = pytest.mark.parametrize("player", [0, 1])


@cache
def spot_of(rake=NO_RAKE):
    return make_spot(
        "Kh7h2s", random_range(12, 3), random_range(9, 4), "90%, a", stack=30, rake=rake
    )


@cache
def cards_of():
    spot = spot_of()
    return CardsToCome.plan(spot.board, spot.ranges)


@cache
def count_net_wins(hero, villain):
    """Returns wins minus losses of a combo on all runouts, and how many runouts there are."""
    mine, theirs = COMBO_CARDS[hero].tolist(), COMBO_CARDS[villain].tolist()
    board = list(cards_of().board)
    if set(mine) & set(theirs):
        return 0, 0
    left = [card for card in range(NUM_CARDS) if card not in {*mine, *theirs, *board}]
    net = 0
    for runout in itertools.combinations(left, 2):
        ours, others = (evaluate([*hand, *board, *runout]) for hand in (mine, theirs))
        net += int(np.sign(ours - others))
    return net, NUM_RUNOUTS


def unpack(panels, shape):
    """Returns the matrix that was packed into panels."""
    matrix = np.concatenate(list(panels), axis=1)
    assert not matrix[:, shape[1] :].any()
    return matrix[: shape[0], : shape[1]]


@both_players
def test_hands_win_against_hands_as_often_as_on_runouts_dealt_one_by_one(player):
    cards = cards_of()
    hero, villain = cards.players[player].combos, cards.players[1 - player].combos
    found = unpack(net_wins(cards)[player], (len(villain), len(hero)))
    expected = [[count_net_wins(h, v)[0] / NUM_RUNOUTS for h in hero] for v in villain]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_players_with_the_same_hands_share_a_matrix():
    everyone = random_range(30, 1)
    oop, ip = net_wins(CardsToCome.plan(spot_of().board, (everyone, everyone)))
    assert oop is ip
    matrix = unpack(oop, (30, 30))
    np.testing.assert_allclose(matrix, -matrix.T, atol=1e-7)


@both_players
@pytest.mark.parametrize("rake", [NO_RAKE, RAKE], ids=["no rake", "rake"])
def test_an_all_in_is_worth_its_stake_times_what_is_won(player, rake):
    spot, cards = spot_of(rake), cards_of()
    flop = make_templates(spot.tree, rake, deals_all_ins=False)[0]
    all_ins = AllIns.find(spot.tree, flop, rake, player)
    nodes = flop.tree_node[all_ins.node]
    assert len(nodes) > 1
    assert (spot.tree.leaf_kind[nodes] == SHOWDOWN).all()
    assert (spot.tree.street[nodes] == Street.FLOP).all()

    hands = hands_seen_from(cards, player)
    hero, villain = cards.players[player], cards.players[1 - player]
    reach = np.zeros((flop.forests[player].row.max() + 1, villain.width), np.float32)
    reach[:, : len(villain.combos)] = np.random.default_rng(5).random(
        (len(reach), len(villain.combos))
    )
    value = np.full((flop.num_nodes, hero.width), np.nan, np.float32)
    all_ins.value(net_wins(cards)[player], hands, reach, value)
    for number, tree_node in zip(all_ins.node, nodes, strict=True):
        pot = 2.0 * spot.tree.leaf_stake[tree_node]
        taken, arriving = rake.taken_from(pot), reach[flop.forests[player].row[number]]
        for mine, hand in enumerate(hero.combos):
            worth = 0.0
            for theirs, other in enumerate(villain.combos):
                net, runouts = count_net_wins(hand, other)
                # Whoever wins gets the pot less rake, which half the pot was paid for.
                mean = (pot - taken) / 2.0 * net - taken / 2.0 * runouts
                worth += arriving[theirs] * mean / NUM_RUNOUTS
            assert value[number, mine] == pytest.approx(worth, rel=1e-4, abs=1e-4)
    others = np.setdiff1d(np.arange(flop.num_nodes), all_ins.node)
    assert np.isnan(value[others]).all()
