"""The exact solver on the three spots of the design: a river, a turn and a flop.

Speed per iteration against the prototype where it is at hand, two threads against one, memory
against the numbers that have to be kept; ``main`` also counts the iterations that each variant of
CFR needs to reach 0.5 % and 0.1 % of the pot.
"""

import importlib
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numba

from benchmarks.prototypes import prototype_directory
from benchmarks.timing import Row, best_seconds_of_two, format_rows, speedup
from runout.cards.deck import parse_board
from runout.cards.ranges import Range
from runout.cfr.schedules import VARIANTS, Schedule
from runout.cfr.team import Team
from runout.holdem.cards import Spot
from runout.holdem.game import plan_game
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import count_boards
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree

RIVER, TURN, FLOP = "Td9d6hQc2s", "Td9d6hQc", "Td9d6h"
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
POT, STACK = 200, 900

#: Iterations of one measurement, and of the search for a target.
ITERATIONS = {RIVER: 1000, TURN: 10, FLOP: 1}
MOST_ITERATIONS = {RIVER: 2000, TURN: 1000, FLOP: 400}
TARGETS_POT = (0.005, 0.001)


def make_spot(board: str) -> Spot:
    """Returns the spot of the design on a board: its ranges, sizes and thresholds."""
    cards = tuple(parse_board(board))
    (menu, _), *_ = BettingRules.of("60%,e,a", 0, "2.5x").menus
    (with_donks, _), *_ = BettingRules.of("60%,e,a", 0, "2.5x", "50%").menus
    rules = BettingRules(
        menus=((menu, menu), (menu, menu), (with_donks, with_donks)),
        max_raises_per_street=None,
        add_all_in_threshold=1.5,
        force_all_in_threshold=0.15,
        merging_threshold=0.1,
    )
    tree = PostflopTree.build(rules, Stakes.in_chips(POT, STACK), Street(len(cards) - 3))
    return Spot(cards, (Range(OOP), Range(IP)), tree)


def rows() -> list[Row]:
    """Returns the rows of speed and memory."""
    return [*_against_prototype(), _threads(), _memory()]


def main(arguments: list[str]) -> None:
    """Prints the table, and iterations to targets for the boards named, by default two."""
    print(format_rows(rows()))
    for board in arguments or [RIVER, TURN]:
        for name, schedule in VARIANTS.items():
            reached = _iterations_to_targets(board, schedule)
            texts = (f"{100 * t:g} %: {n or 'not reached'}" for t, n in reached.items())
            print(f"{board} {name:8s} {'   '.join(texts)}", flush=True)


def _against_prototype() -> list[Row]:
    directory = prototype_directory()
    if not (directory / "rvr3.py").is_file():
        print(f"spots: no prototype in {directory}", file=sys.stderr)
        return []
    prototype = _load_prototype(directory)
    compared = []
    for board, what, goal in ((RIVER, "river", 1.3), (TURN, "turn", 1.9), (FLOP, "flop", 1.9)):
        theirs, ours = prototype.Game3(board), SpotSolver(make_spot(board))
        number = ITERATIONS[board]
        seconds, baseline = best_seconds_of_two(
            partial(ours.run, number), partial(theirs.steps, number)
        )
        name = f"iteration of the {what} spot"
        compared.append(speedup(name, seconds / number, baseline / number, "prototype", goal))
    return compared


def _load_prototype(directory: Path) -> Any:
    sys.dont_write_bytecode = True  # the directory is not ours
    sys.path.insert(0, str(directory))
    prototype = importlib.import_module("rvr3")
    numba.set_num_threads(1)
    return prototype


def _threads() -> Row:
    alone, together = SpotSolver(make_spot(FLOP)), SpotSolver(make_spot(FLOP), team=Team(2))
    seconds, baseline = best_seconds_of_two(lambda: together.run(1), lambda: alone.run(1))
    return speedup("flop spot, two threads", seconds, baseline, "one thread", 1.85)


def _memory() -> Row:
    """Compares what a flop solve allocates with two numbers for each hand and action."""
    solver = SpotSolver(make_spot(FLOP))
    game = solver.game
    numbers = sum(
        template.num_actions[player] * len(hands.combos) * boards
        for template, boards in zip(game.templates, count_boards(game.cards), strict=True)
        for player, hands in enumerate(game.cards.players)
    )
    need = plan_game(game.spot).memory.total
    ratio = need / (8 * numbers)
    return Row(
        "memory of the flop spot",
        f"{need / 2**20:.0f} MiB",
        f"8 bytes x {numbers:,}",
        f"{ratio:.3f}x",
        "<= 1.15x",
        ratio <= 1.15,
    )


def _iterations_to_targets(board: str, schedule: Schedule) -> dict[float, int | None]:
    solver = SpotSolver(make_spot(board), schedule, Team(2))
    reached: dict[float, int | None] = dict.fromkeys(TARGETS_POT)
    while solver.iteration < MOST_ITERATIONS[board] and not all(reached.values()):
        solver.run(10)
        exploitability = solver.exploitability() / POT
        for target, number in reached.items():
            if number is None and exploitability <= target:
                reached[target] = solver.iteration
    return reached


if __name__ == "__main__":
    main(sys.argv[1:])
