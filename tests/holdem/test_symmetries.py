"""What must not change a solution: merged suits, other names of suits, exchanged players."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from runout.cards.flops import SUIT_MAPPINGS, SuitMapping
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.schedules import StoppingRule
from runout.holdem.cards import Spot
from runout.holdem.solver import SpotSolver
from runout.trees.betting import Stakes, Street
from runout.trees.tree import PostflopTree
from tests.samples.small_spots import (
    JAM,
    NO_BETS,
    make_rules,
    make_spot,
    random_range,
    rename_range,
)

POT = 10.0
OOP, IP = "AA, KQs, 98s, 76o:0.5", "QQ, AKo, JTs, 55:0.25"


def solve(spot, num_iterations):
    solver = SpotSolver(spot)
    solver.run(num_iterations)
    return solver


def worth(solver):
    return [solver.expected_value(0), solver.expected_value(1), solver.exploitability()]


BOARDS = {
    "monotone flop": ("Qs7s2s", 6),
    "two-tone flop": ("Qs7s2h", 2),
    "rainbow flop": ("Qs7h2d", 1),
    "paired flop": ("QsQh2d", 2),
    "paired two-tone flop": ("QsQh2s", 2),
    "trips": ("7s7h7d", 6),
    "monotone turn": ("Qs7s2s9s", 6),
    "two-tone turn": ("Qs7s2s9h", 2),
    "twice two-tone turn": ("Qs7s2h9h", 2),
    "paired turn": ("QsQh2d2c", 4),
}


@pytest.mark.parametrize("name", BOARDS)
def test_merging_suits_changes_no_value(name):
    board, num_symmetries = BOARDS[name]
    merged, apart = (
        solve(make_spot(board, OOP, IP, stack=15, merges=merges), 4) for merges in (True, False)
    )
    assert len(merged.game.cards.symmetries) == num_symmetries
    assert len(apart.game.cards.symmetries) == 1
    assert worth(merged) == pytest.approx(worth(apart), abs=2e-5 * POT)
    for player in (0, 1):
        np.testing.assert_allclose(
            root_values(merged, player), root_values(apart, player), rtol=1e-3, atol=1e-5
        )


def root_values(solver, player):
    reach = solver.root_reach[player]
    return solver.game.visit(player, EVALUATING, solver.tables, reach)


def test_monotone_boards_merge_by_cycles_of_three():
    """Swaps of two suits are their own inverse and would hide an image taken the wrong way."""
    symmetries = SpotSolver(make_spot("Qs7s2s", OOP, IP)).game.cards.symmetries
    cycles = [m for m in symmetries if m.then(m).then(m) == SuitMapping.identity() != m]
    assert len(cycles) == 2


def test_ranges_that_tell_suits_apart_are_not_merged():
    oop = "AhAd, KQs, 98s"
    merged, apart = (
        solve(make_spot("Qs7s2s", oop, IP, merges=merges), 3) for merges in (True, False)
    )
    assert len(merged.game.cards.symmetries) == 2
    assert worth(merged) == pytest.approx(worth(apart), abs=2e-5 * POT)


#: Exploitability in pots to which boards are solved, with names of suits of their own and others.
TARGETS = {"Ks9d8h4c2c": 2e-4, "Ks9s8h4c": 2e-4, "Kh9h8h": 1e-3}


@pytest.mark.parametrize("mapping", [SUIT_MAPPINGS[i] for i in (5, 9, 16, 23)])
@pytest.mark.parametrize("board", TARGETS)
def test_other_names_of_suits_give_the_same_values(board, mapping):
    spot, original = solved_board(board)
    renamed = replace(
        spot,
        board=mapping.map_cards(spot.board),
        ranges=tuple(rename_range(r, mapping.new_suits) for r in spot.ranges),
    )
    # Hands add up in another order, and a last bit decides between actions that are worth the same.
    assert_same_value(solve_to(renamed, 4_000, TARGETS[board]), original, (0, 1))


@cache
def solved_board(board):
    spot = make_spot(board, random_range(20, 1), random_range(25, 2), stack=15)
    return spot, solve_to(spot, 4_000, TARGETS[board])


@pytest.mark.parametrize("board", ["Ks9d8h4c2c", "Ks9s8h4c", "Kh9h8h"])
def test_the_order_in_which_the_board_came_does_not_matter(board):
    spot = make_spot(board, random_range(20, 1), random_range(25, 2), stack=15)
    reversed_board = replace(spot, board=spot.board[::-1])
    assert worth(solve(reversed_board, 4)) == pytest.approx(worth(solve(spot, 4)), abs=2e-5 * POT)


@pytest.mark.parametrize("board", ["Ks9d8h4c2c", "Ks9s8h4c", "Kh9h8h"])
def test_players_who_cannot_bet_may_change_seats(board):
    spot = make_spot(board, random_range(60, 3), random_range(80, 4), sizes="")
    seated, exchanged = SpotSolver(spot), SpotSolver(replace(spot, ranges=spot.ranges[::-1]))
    for player in (0, 1):
        assert seated.expected_value(player) == pytest.approx(
            exchanged.expected_value(1 - player), abs=1e-5 * POT
        )


@pytest.mark.parametrize(("board", "num_iterations"), [("Ks9d8h4c2c", 4_000), ("Ks9s8h4c", 400)])
def test_if_only_one_player_may_bet_the_seats_do_not_matter(board, num_iterations):
    """Whether the one who may bet acts first or after a forced check is the same game."""
    ranges = random_range(40, 5), random_range(40, 6)
    oop_bets, ip_bets = (
        solve_to(one_sided_spot(board, ranges, player), num_iterations) for player in (0, 1)
    )
    assert_same_value(oop_bets, ip_bets, (1, 0))


def assert_same_value(one, other, seats):
    """Compares what players win with what those in the seats of another game do."""
    # Each value is off by at most what both best responses gain.
    close = 2.0 * (one.exploitability() + other.exploitability()) + 1e-5 * POT
    for player, seat in enumerate(seats):
        expected = other.expected_value(seat)
        assert one.expected_value(player) == pytest.approx(expected, abs=close)


def solve_to(spot, max_iterations, target=2e-4):
    solver = SpotSolver(spot)
    outcome = solver.solve(StoppingRule(max_iterations, exploitability=target * POT))
    assert outcome.exploitability <= target * POT
    return solver


def one_sided_spot(board, ranges, bettor):
    """Returns a spot in which only one player may bet, on the last street, with the first range."""
    cards = make_spot(board, *ranges).board
    menus = [(NO_BETS, NO_BETS)] * 2 + [(JAM, NO_BETS) if bettor == 0 else (NO_BETS, JAM)]
    tree = PostflopTree.build(make_rules(menus), Stakes.in_chips(POT, 15), Street(len(cards) - 3))
    return Spot(cards, ranges if bettor == 0 else ranges[::-1], tree)
