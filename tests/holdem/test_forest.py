"""Tests of `runout.holdem.forest`."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import COMBO_CARDS, NUM_CARDS, parse_board
from runout.cards.evaluator import evaluate
from runout.cards.ranges import Range
from runout.cfr.cfr_kernels import EVALUATING, RESPONDING
from runout.holdem import forest as forest_module
from runout.holdem import terminal_kernels
from runout.holdem import visit_kernels as spot_kernels
from runout.holdem.cards import NO_RAKE, CardsToCome, Rake
from runout.holdem.forest import (
    has_products,
    make_templates,
    nodes_per_group,
    settled_streets,
)
from runout.holdem.game import plan_game
from runout.holdem.rivers import BucketRivers
from runout.holdem.solver import SpotSolver
from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS, Scratch
from runout.holdem.tables import (
    Precision,
    hands_seen_from,
    net_wins,
    orders_of,
    plan_net_wins,
    plan_scratch,
)
from runout.trees.betting import Street
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN
from tests.samples.small_spots import make_spot, make_tree, random_range

# --------------------------------------------------------------------------------------------------
# All-ins before the river against runouts that are dealt one by one.


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
    assert oop.nbytes == plan_net_wins(cards, 1).num_bytes


@every_board
def test_what_matrices_take_is_known_before(board):
    cards = cards_of(board)
    oop, ip = net_wins(cards, [cards.board] * 3)
    assert oop.nbytes + ip.nbytes == plan_net_wins(cards, 3).num_bytes


@both_players
@every_board
@with_and_without_rake
def test_an_all_in_is_worth_its_stake_times_what_is_won(player, board, rake):
    spot, cards = spot_of(board, rake), cards_of(board)
    street = make_templates(spot.tree, rake, settled=settled_streets(cards))[0]
    assert has_products(street)
    forest = street.forests[player]
    nodes = street.tree_node[forest.showdowns.node]
    assert len(nodes) > 1
    assert (spot.tree.leaf_kind[nodes] == SHOWDOWN).all()
    assert (spot.tree.street[nodes] == street.street).all()

    hero, villain = cards.players[player], cards.players[1 - player]
    scratch = plan_scratch(street, cards.widths, player, Precision.SINGLE).build(Scratch)
    scratch.reach[:, : len(villain.combos)] = np.random.default_rng(5).random(
        (len(scratch.reach), len(villain.combos))
    )
    scratch.value[:] = np.nan
    hands = hands_seen_from(cards, player)
    matchups = spot_kernels.meet(hands, orders_of(cards, [cards.board], player), 0)
    terminal_kernels.clear_values(scratch.lanes)
    of_board = net_wins(cards, [cards.board])[player][0]
    terminal_kernels.value_all_ins(forest, of_board, matchups, scratch)
    for number, tree_node in zip(forest.showdowns.node, nodes, strict=True):
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
    others = np.setdiff1d(np.arange(street.num_nodes), forest.showdowns.node)
    assert np.isnan(scratch.value[others]).all()


@both_players
@every_board
@with_and_without_rake
def test_values_are_those_with_every_card_dealt(player, board, rake, monkeypatch):
    spot = spot_of(board, rake)
    settled = SpotSolver(spot)
    settled.run(3)
    monkeypatch.setattr(forest_module, "settled_streets", lambda cards, deck: ())
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
    everyone = Range("random")
    flop, turn = (parse_board(board) for board in BOARDS)
    assert settled_streets(cards_of("Kh7h2s")) == (Street.FLOP, Street.TURN)
    assert settled_streets(CardsToCome.plan(flop, (everyone, everyone))) == (Street.FLOP,)
    assert settled_streets(CardsToCome.plan(turn, (everyone, everyone))) == (Street.TURN,)
    river = CardsToCome.plan(parse_board("Kh7h2s9d3c"), (everyone, everyone))
    assert settled_streets(river) == ()
    assert settled_streets(cards_of("Kh7h2s"), deck=range(40)) == ()
    assert forest_module.MOST_PAIRS < 1176**2


TREES = {
    "flop": make_tree("50%, a", 10, 60, Street.FLOP, 1),
    "turn": make_tree("50%, 100%, a", 10, 100, Street.TURN, 2),
    "river": make_tree("33%, 75%, a", 10, 100, Street.RIVER, 3),
    "no betting": make_tree("", 10, 10, Street.FLOP),
    "all-in at once": make_tree("a", 10, 10, Street.FLOP),
}
#: Few, so that rivers have several groups.
MOST_NODES = 120
every_tree = pytest.mark.parametrize("name", TREES)


def templates_of(name, rake=NO_RAKE):
    return make_templates(TREES[name], rake, MOST_NODES)


@every_tree
def test_decisions_and_leaves_are_those_of_the_tree(name):
    tree, templates = TREES[name], templates_of(name)
    for template in templates:
        forest = template.forests[0]
        is_decision = forest.num_children > 0
        assert is_decision.sum() == tree.decisions_by_street()[Street(template.street).label]
    assert sum(len(t.forests[0].folds.node) for t in templates) == sum(tree.counts.folds)
    river = templates[-1].forests[0]
    assert len(river.showdowns.node) == tree.counts.showdowns + tree.counts.all_in_showdowns
    assert not any(len(t.forests[0].showdowns.node) for t in templates[:-1])


@every_tree
def test_every_decision_and_fold_of_the_tree_has_one_place(name):
    tree, templates = TREES[name], templates_of(name)
    places = []
    for template in templates:
        forest = template.forests[0]
        base = first_nodes(forest)
        places += template.tree_node[forest.num_children > 0].tolist()
        for group, (*_, begin, end, _, _, _, _) in enumerate(forest.group.tolist()):
            places += template.tree_node[base[group] + forest.folds.node[begin:end]].tolist()
    is_wanted = tree.leaf_kind != SHOWDOWN
    assert sorted(places) == np.flatnonzero(is_wanted).tolist()


def first_nodes(forest):
    return forest.group[:, 0].astype(np.int64)


@every_tree
def test_a_street_ends_where_the_next_begins(name):
    templates = templates_of(name)
    assert tuple(templates[0].tree_node[templates[0].root]) == (0,)
    for before, after in itertools.pairwise(templates):
        roots = tuple(after.tree_node[after.root])
        assert before.next_roots == roots
        ends = before.tree_node[before.forests[0].chance]
        np.testing.assert_array_equal(ends, roots)
    assert templates[-1].next_roots == ()


@every_tree
def test_children_are_those_of_the_tree_and_come_later(name):
    tree = TREES[name]
    for template in templates_of(name):
        for player, forest in enumerate(template.forests):
            for begin, end, *_ in forest.group.tolist():
                for node in range(begin, end):
                    here = int(template.tree_node[node])
                    first = begin + int(forest.first_child[node])
                    children = range(first, first + int(forest.num_children[node]))
                    if not children:
                        assert forest.kind[node] not in (HERO_ACTS, VILLAIN_ACTS)
                        continue
                    found = template.tree_node[children].tolist()
                    assert found == list(tree.layout.children(here))
                    assert node < children.start < children.stop <= end
                    acts = HERO_ACTS if tree.layout.actor[here] == player else VILLAIN_ACTS
                    assert forest.kind[node] == acts


@every_tree
def test_every_action_has_one_row_in_the_tables_of_its_player(name):
    tree = TREES[name]
    for template in templates_of(name):
        for player in (0, 1):
            rows = []
            for node in np.flatnonzero(template.forests[player].kind == HERO_ACTS):
                first = int(template.first_action[node])
                rows += range(first, first + int(template.forests[player].num_children[node]))
                children = tree.layout.children(int(template.tree_node[node]))
                leading_to = template.action_node[player][first : first + len(children)]
                np.testing.assert_array_equal(leading_to, list(children))
            assert rows == list(range(template.num_actions[player]))


@every_tree
def test_groups_follow_each_other_and_only_rivers_have_several(name):
    for template in templates_of(name):
        for forest in template.forests:
            for first, last in ((0, 1), (2, 3), (4, 5), (6, 7)):
                begins, ends = forest.group[:, first], forest.group[:, last]
                assert begins[0] == 0
                np.testing.assert_array_equal(begins[1:], ends[:-1])
            lengths = [
                template.num_nodes,
                len(forest.root),
                len(forest.folds.node),
                len(forest.showdowns.node),
            ]
            np.testing.assert_array_equal(forest.group[-1, [1, 3, 5, 7]], lengths)
            if template.street != Street.RIVER:
                assert len(forest.group) == 1
            for begin, end, first_root, last_root, *_ in forest.group.tolist():
                assert (
                    end - begin <= MOST_NODES
                    or last_root - first_root == 1
                    or (template.street != Street.RIVER)
                )


def test_there_are_rivers_of_several_groups():
    assert len(templates_of("turn")[-1].forests[0].group) > 5


def test_the_shorter_the_rows_the_more_nodes_make_a_group():
    numbers = [nodes_per_group(width) for width in (16, 320, 1184)]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) == 3
    assert nodes_per_group(1 << 40) == 1


@every_tree
def test_only_actions_of_the_opponent_begin_a_row_of_reach(name):
    for template in templates_of(name):
        for forest in template.forests:
            for begin, end, first_root, last_root, *_, num_rows, _ in forest.group.tolist():
                roots = forest.row[begin + forest.root[first_root:last_root]].tolist()
                owned = list(roots)
                for node in range(begin, end):
                    first = begin + int(forest.first_child[node])
                    rows = forest.row[first : first + int(forest.num_children[node])].tolist()
                    if forest.kind[node] == VILLAIN_ACTS:
                        assert rows == list(range(rows[0], rows[0] + len(rows)))
                        owned += rows
                    else:
                        assert set(rows) <= {int(forest.row[node])}
                assert sorted(owned) == list(range(num_rows))


@every_tree
def test_folds_with_the_reach_of_a_showdown_come_first_and_are_all_that_there_are(name):
    for template in templates_of(name):
        for forest in template.forests:
            for *_, f0, f1, s0, s1, _, shared in forest.group.tolist():
                folds, showdowns = forest.folds.row[f0:f1], forest.showdowns.row[s0:s1]
                np.testing.assert_array_equal(folds[:shared], showdowns[:shared])
                assert not set(folds[shared:].tolist()) & set(showdowns.tolist())
            assert template.street == Street.RIVER or not forest.group[:, 9].any()


def test_there_are_folds_with_the_reach_of_a_showdown():
    assert (templates_of("turn")[-1].forests[0].group[:, 9] > 0).all()


@pytest.mark.parametrize("rake", [NO_RAKE, Rake(0.05, 2.0)], ids=["zero-sum", "raked"])
@every_tree
def test_stakes_of_leaves_are_those_of_the_tree(name, rake):
    tree = TREES[name]
    for template in templates_of(name, rake):
        for player, forest in enumerate(template.forests):
            base = np.repeat(first_nodes(forest), forest.group[:, 5] - forest.group[:, 4])
            folds = template.tree_node[base + forest.folds.node]
            taken = np.array([rake.taken_from(2.0 * stake) for stake in tree.leaf_stake[folds]])
            payoff = tree.leaf_payoffs(player, 0.5)[folds]
            expected = np.where(payoff > 0.0, payoff - taken, payoff)
            np.testing.assert_allclose(forest.folds.payoff, expected, rtol=1e-6)
            base = np.repeat(first_nodes(forest), forest.group[:, 7] - forest.group[:, 6])
            showdowns = template.tree_node[base + forest.showdowns.node]
            assert (tree.leaf_kind[showdowns] == SHOWDOWN).all()
            check_showdowns(tree.leaf_stake[showdowns], forest, rake)


def check_showdowns(stake, forest, rake):
    """Winning, losing and tying must come out at the chips that are won and lost."""
    taken = np.array([rake.taken_from(2.0 * lost) for lost in stake])
    paid = forest.rake if len(forest.rake) else np.zeros(len(stake))
    assert bool(len(forest.rake)) == bool(taken.any())
    np.testing.assert_allclose(paid + forest.showdowns.payoff, stake - taken, rtol=1e-6)
    np.testing.assert_allclose(paid - forest.showdowns.payoff, -stake, rtol=1e-6)
    np.testing.assert_allclose(paid, -taken / 2.0, rtol=1e-6)


def test_a_called_all_in_goes_through_the_streets_as_one_node():
    tree, templates = TREES["all-in at once"], templates_of("all-in at once")
    called = [n for n in range(tree.num_nodes) if tree.leaf_kind[n] == SHOWDOWN]
    on_flop = [n for n in called if tree.street[n] == Street.FLOP]
    assert len(on_flop) == 2
    for template in templates[1:]:
        for node in on_flop:
            (place,) = np.flatnonzero(template.tree_node == node)
            assert template.forests[0].num_children[place] == 0
    assert tree.leaf_kind[0] == NOT_A_LEAF


def test_templates_are_made_once_for_each_input(monkeypatch):
    layouts_made = []
    make_layouts = forest_module.make_layouts

    def count(tree, settled):
        layouts_made.append(settled)
        return make_layouts(tree, settled)

    monkeypatch.setattr(forest_module, "make_layouts", count)
    spot = spot_of("Kh7h2s", NO_RAKE)
    tree = make_spot("Kh7h2s", "AA,KQs", "QQ,76s", "50%, a", stack=31).tree
    spot = replace(spot, tree=tree)
    for precision in Precision:
        plan_game(spot, precision=precision)
        SpotSolver(spot, precision=precision).run(1)
        plan_game(spot, BucketRivers(16), precision=precision)
        SpotSolver(spot, precision=precision, rivers=BucketRivers(16)).run(1)
    assert len(layouts_made) == 4  # with and without settled streets, of exact and bucket rivers
    make_templates(tree, RAKE)
    assert len(layouts_made) == 5
