import numpy as np
import pytest

from runout.cfr.team import Team
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision, count_boards, estimate_memory
from tests.samples.small_spots import make_spot, random_range

SPOTS = {
    "river": make_spot(
        "Ks9d8h4c2c", random_range(300, 1), random_range(90, 2), "50%, a", stack=40, max_raises=2
    ),
    "turn": make_spot(
        "Ks9d8h4c", random_range(100, 3), random_range(60, 4), "50%, a", stack=40, max_raises=1
    ),
    "flop": make_spot("Ks9d8h", "AA, KJs, T9s", "KQs, 99, 98s, A5s", "100%", stack=40),
}
every_spot = pytest.mark.parametrize("name", SPOTS)
both_precisions = pytest.mark.parametrize("precision", list(Precision))


def bytes_in(thing):
    """Returns the bytes of all arrays in nested tuples."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    return sum(map(bytes_in, thing)) if isinstance(thing, tuple | list) else 0


def estimate_of(solver, num_workers):
    return estimate_memory(
        solver.game.played, solver.game.cards, num_workers, solver.game.precision
    )


@both_precisions
@every_spot
def test_tables_take_what_was_estimated(name, precision):
    solver = SpotSolver(SPOTS[name], precision=precision)
    need = estimate_of(solver, 1)
    assert bytes_in(solver.tables.by_street) == need.tables


def working_space_of(game):
    """Returns the bytes that visits use: of the first street, of workers, and between streets."""
    total = sum(bytes_in(game.side(player).scratch) for player in (0, 1))
    total += bytes_in(game._turn_scratch) + bytes_in(game._river_scratch)
    if game.cards.deals:
        width = max(player.width for player in game.cards.players)
        # float32 values of each card of one player at a time, and their float64 sum
        total += len(game.played[1].root_of) * width * (4 * len(game.cards.deals[0].card) + 8)
    return total


@pytest.mark.parametrize("num_workers", [1, 3])
@both_precisions
@every_spot
def test_working_space_is_what_was_estimated(name, precision, num_workers):
    solver = SpotSolver(SPOTS[name], team=Team(num_workers), precision=precision)
    need = estimate_of(solver, num_workers)
    assert working_space_of(solver.game) == need.working_space


@every_spot
def test_cards_take_what_was_estimated(name):
    game = SpotSolver(SPOTS[name]).game
    found = sum(
        bytes_in(game.side(player).orders) + game.side(player).hands.image.nbytes
        for player in (0, 1)
    )
    arrays = {id(array): array.nbytes for both in game._net_wins for array in both}
    found += sum(arrays.values())
    assert found == estimate_of(SpotSolver(SPOTS[name]), 1).cards


@every_spot
def test_the_total_is_the_sum_of_its_parts(name):
    need = estimate_of(SpotSolver(SPOTS[name]), 2)
    assert need.total == need.tables + need.working_space + need.cards


@both_precisions
@every_spot
def test_tables_begin_empty_with_a_row_for_every_action(name, precision):
    solver = SpotSolver(SPOTS[name], precision=precision)
    game = solver.game
    for template, tables, num_boards in zip(
        game.templates, solver.tables.by_street, count_boards(game.cards), strict=True
    ):
        for player, learning in enumerate(tables):
            width = game.cards.players[player].width
            shape = (num_boards, template.num_actions[player], width)
            assert learning.regret.shape == learning.strategy_sum.shape == shape
            assert learning.regret.itemsize == precision // 8
            assert not learning.regret.any()
            assert not learning.strategy_sum.any()
            num_scales = shape[1] if precision == Precision.HALF else 0
            assert learning.regret_scale.shape == (num_boards, num_scales)
            assert learning.sum_scale.shape == (num_boards, num_scales)


@every_spot
def test_tables_of_a_board_are_views(name):
    solver = SpotSolver(SPOTS[name])
    street = solver.game.templates[-1].street
    last = count_boards(solver.game.cards)[-1] - 1
    solver.tables.on_board(street, last)[1].regret[:] = 3.0
    assert (solver.tables.on_boards(street, range(last, last + 1))[1].regret == 3.0).all()
    assert (solver.tables.by_street[-1][1].regret[last] == 3.0).all()
    assert not solver.tables.by_street[-1][0].regret.any()
