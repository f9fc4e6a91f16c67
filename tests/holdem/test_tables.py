import numpy as np
import pytest

from runout.cfr.team import Team
from runout.holdem.game import plan_game
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Plan, Precision, count_boards
from tests.samples.small_spots import make_spot, random_range

SPOTS = {
    "river": (
        make_spot(
            "Ks9d8h4c2c",
            random_range(300, 1),
            random_range(90, 2),
            "50%, a",
            stack=40,
            max_raises=2,
        ),
        EXACT_RIVERS,
    ),
    "turn": (
        make_spot(
            "Ks9d8h4c", random_range(100, 3), random_range(60, 4), "50%, a", stack=40, max_raises=1
        ),
        EXACT_RIVERS,
    ),
    "flop": (
        make_spot("Ks9d8h", "AA, KJs, T9s", "KQs, 99, 98s, A5s", "100%", stack=40),
        EXACT_RIVERS,
    ),
    "bucket flop": (
        make_spot("Kh7h2s", "TT+,AKs", "QQ+,76s", "50%, a", stack=30),
        BucketRivers(16),
    ),
    "bucket flop of equal ranges": (
        make_spot("Kh7h2s", "TT+,AKs", "TT+,AKs", "50%, a", stack=30),
        BucketRivers(16),
    ),
}
every_spot = pytest.mark.parametrize("name", SPOTS)
exact_spots = pytest.mark.parametrize("name", ["river", "turn", "flop"])
both_precisions = pytest.mark.parametrize("precision", list(Precision))


def bytes_in(parts):
    """Returns what the arrays in nested tuples and lists take; shared ones once."""
    found = {}

    def look(part):
        if isinstance(part, np.ndarray) and part.size:
            found[part.ctypes.data] = part.nbytes
        elif isinstance(part, tuple | list):
            for inner in part:
                look(inner)

    look(parts)
    return sum(found.values())


def plan_of(solver, num_workers=1):
    game = solver.game
    return plan_game(game.spot, game.rivers, game.precision, num_workers).memory


@every_spot
@both_precisions
def test_tables_take_what_was_planned(name, precision):
    spot, rivers = SPOTS[name]
    solver = SpotSolver(spot, precision=precision, rivers=rivers)
    assert bytes_in(solver.tables.by_street) == plan_of(solver).tables


@pytest.mark.parametrize("num_workers", [1, 3])
@both_precisions
@every_spot
def test_working_space_is_what_was_planned(name, precision, num_workers):
    spot, rivers = SPOTS[name]
    solver = SpotSolver(spot, team=Team(num_workers), precision=precision, rivers=rivers)
    need = plan_of(solver, num_workers)
    assert bytes_in([list(side) for side in solver.game.workspace.sides]) == need.working_space


@every_spot
def test_cards_take_what_was_planned(name):
    spot, rivers = SPOTS[name]
    solver = SpotSolver(spot, rivers=rivers)
    solver.run(1)
    tables = solver.game.card_tables
    held = [tables.hands, tables.orders, list(tables._net_wins.values())]
    assert bytes_in([*held, *(tables.games or [])]) == plan_of(solver).cards


def test_plans_of_different_rows_cover_nothing():
    rows = [Plan({"reach": ((3, width), np.float32)}) for width in (16, 32)]
    with pytest.raises(ValueError, match=r"share no space: reach has rows of \[16, 32\]"):
        Plan.covering(rows)
    large = Plan({"reach": ((5, 16), np.float32)})
    assert Plan.covering([rows[0], large]) == large


def test_tables_of_rivers_have_a_column_for_each_bucket():
    spot, rivers = SPOTS["bucket flop"]
    game = SpotSolver(spot, rivers=rivers).game
    flop, turn, river = game.table_sizes()
    assert (flop.num_boards, turn.num_boards) == (1, len(game.cards.deals[0].card))
    assert river == (len(game.card_tables.games[0].cards), (16, 16))


@every_spot
def test_the_total_is_the_sum_of_its_parts(name):
    spot, rivers = SPOTS[name]
    need = plan_game(spot, rivers, num_workers=2).memory
    assert need.total == need.tables + need.working_space + need.cards


@both_precisions
@exact_spots
def test_tables_begin_empty_with_a_row_for_every_action(name, precision):
    solver = SpotSolver(SPOTS[name][0], precision=precision)
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


@exact_spots
def test_tables_of_a_board_are_views(name):
    solver = SpotSolver(SPOTS[name][0])
    street = solver.game.templates[-1].street
    last = count_boards(solver.game.cards)[-1] - 1
    solver.tables.on_board(street, last)[1].regret[:] = 3.0
    assert (solver.tables.on_boards(street, range(last, last + 1))[1].regret == 3.0).all()
    assert (solver.tables.by_street[-1][1].regret[last] == 3.0).all()
    assert not solver.tables.by_street[-1][0].regret.any()
