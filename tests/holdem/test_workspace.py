"""Estimates of memory against what is allocated."""

import numpy as np
import pytest

from runout.cfr.team import Team
from runout.holdem.compact_game import ONE_GROUP
from runout.holdem.forest import make_templates
from runout.holdem.rivers import RiverBuckets
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from runout.holdem.workspace import compact_sizes, estimate_compact_memory
from tests.samples.small_spots import make_spot

BUCKETS = RiverBuckets(16)


def bytes_in(parts):
    """Returns what the arrays in nested tuples and lists take; shared ones once."""
    found = {}

    def look(part):
        if isinstance(part, np.ndarray):
            found[part.ctypes.data] = part.nbytes
        elif isinstance(part, tuple | list):
            for inner in part:
                look(inner)

    look(parts)
    return sum(found.values())


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("ip", ["TT+,AKs", "QQ+,76s"])
def test_the_estimate_is_what_is_allocated(precision, ip):
    spot = make_spot("Kh7h2s", "TT+,AKs", ip, "50%, a", stack=30)
    solver = SpotSolver(spot, team=Team(2), precision=precision, rivers=BUCKETS)
    game, templates = solver.game, make_templates(spot.tree, spot.rake, ONE_GROUP)
    need = estimate_compact_memory(templates, game.cards, BUCKETS, 2, precision)
    assert need.tables == bytes_in([array for _, array in solver.tables.named_arrays()])
    assert need.working_space == bytes_in([list(side) for side in game.workspace.sides])
    games = game.river_games
    held = bytes_in(
        [games.cards, games.num_cards, games.bucket, games.kin, games.meets, games.wins]
    )
    assert held <= need.cards <= 1.5 * held + 500_000


def test_tables_of_rivers_have_a_column_for_each_bucket():
    game = SpotSolver(make_spot("Kh7h2s", "TT+", "QQ+"), rivers=BUCKETS).game
    flop, turn, river = compact_sizes(game.cards, BUCKETS)
    assert (flop.num_boards, turn.num_boards) == (1, len(game.cards.deals[0].card))
    assert river == (game.river_games.num_games, (16, 16))
