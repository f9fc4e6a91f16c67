"""How fast variants of CFR get to 0.5 % and 0.1 % of the pot, on spots that no other page shows.

Rivers, turns and flops, narrow and wide ranges, shallow and deep stacks, one to three sizes. A
schedule that is best on one spot may be bad on the next, so geometric means are compared.
``python -m benchmarks.schedules dcfr4 dcfr-spot`` compares these, the first with all others.
"""

import math
import sys
import time
from typing import NamedTuple

from runout.cards.deck import parse_board
from runout.cards.ranges import Range
from runout.cfr.schedules import VARIANTS, Schedule
from runout.holdem.cards import Spot
from runout.holdem.solver import SpotSolver
from runout.trees.betting import BettingRules, Stakes, Street
from runout.trees.tree import PostflopTree

COMPARED = ("dcfr4", "dcfr6", "dcfr-spot")
TARGETS_POT = (0.005, 0.001)
MOST_ITERATIONS = 600
_CHECK_EVERY = 10

_OPENER = "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K8o+,Q9o+,J9o+,T8o+,98o"
_DEFENDER = (
    "99-22,ATs-A2s,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,74s+,63s+,53s+,"
    "A2o-ATo,K8o-KJo,Q9o+,J8o+,T8o+,97o+,87o"
)
_TIGHT = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
_LOOSE = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
_RERAISER = "TT+,AJs+,A5s-A3s,KQs,KJs,AQo+,76s,65s"
_CALLER = "QQ-66,AQs-ATs,KTs+,QTs+,JTs,T9s,98s,87s,AQo,KQo"


class Case(NamedTuple):
    """A spot: ranges, money in chips, sizes, and at most how many raises in a street."""

    board: str
    oop: str
    ip: str
    pot: int
    stack: int
    bets: str
    raises: str
    max_raises: int | None = None


CASES = (
    Case("AhKd7s4c4d", _DEFENDER, _OPENER, 100, 300, "33%,75%,150%", "3x"),
    Case("8h7h6h2c2s", _RERAISER, _CALLER, 200, 400, "50%,100%", "2.5x"),
    Case("Kc8d3hTs", _DEFENDER, _OPENER, 60, 470, "50%,100%", "3x", 2),
    Case("9s9h5dJc", _RERAISER, _CALLER, 220, 800, "33%,75%", "2.5x", 2),
    Case("AhQh6c2h", _LOOSE, _TIGHT, 120, 300, "66%", "2.5x"),
    Case("7c6d5sKd", _DEFENDER, _TIGHT, 100, 1000, "75%,150%", "3x", 2),
    Case("TcTd4h3s", _TIGHT, _CALLER, 150, 450, "40%,a", "50%"),
    Case("As8d3c", _CALLER, _RERAISER, 220, 890, "66%", "2.5x", 1),
    Case("JhTh5s", _RERAISER, _CALLER, 200, 500, "50%", "3x", 2),
    Case("KdKs7h", _CALLER, _RERAISER, 210, 900, "30%", "60%", 1),
    Case("6c5c3c", _TIGHT, _CALLER, 160, 640, "60%", "2.5x", 2),
    Case("Qd9s4h", _CALLER, _RERAISER, 100, 800, "75%", "3x", 2),
    Case("QsJh2h", _RERAISER, _CALLER, 180, 910, "52%,55%,70%", "45%"),
)


class Needed(NamedTuple):
    """What a target took: iterations, and seconds of processor time without measuring."""

    iterations: float
    seconds: float


def main(arguments: list[str]) -> None:
    """Prints what each target takes on each spot, and how the variants compare on the whole."""
    names = arguments or list(COMPARED)
    ratios: dict[tuple[str, float], list[float]] = {}
    for case in CASES:
        found = {name: _solve(case, VARIANTS[name]) for name in names}
        for name, needed in found.items():
            for target in TARGETS_POT:
                ratio = needed[target].iterations / found[names[0]][target].iterations
                ratios.setdefault((name, target), []).append(ratio)
        print(f"{case.board:11s}", *(_describe(name, found[name]) for name in names), flush=True)
    print(f"\niterations against {names[0]}, geometric means:")
    for name in names:
        means = (
            math.exp(math.fsum(map(math.log, ratios[name, t])) / len(CASES)) for t in TARGETS_POT
        )
        texts = (f"{100 * t:g} %: {mean:.2f}" for t, mean in zip(TARGETS_POT, means, strict=True))
        print(f"{name:10s}", "   ".join(texts))


def _describe(name: str, needed: dict[float, Needed]) -> str:
    texts = (f"{each.iterations:.0f} ({each.seconds:.2g} s)" for each in needed.values())
    return f"{name} {', '.join(texts):28s}"


def _solve(case: Case, schedule: Schedule) -> dict[float, Needed]:
    """Returns what each target takes, between two measurements by a power of the iterations."""
    solver = SpotSolver(make_spot(case), schedule)
    solver.run(1)  # compiles, or loads what was compiled
    solver = SpotSolver(solver.game.spot, schedule)
    found: dict[float, Needed] = {}
    seconds, before = 0.0, math.inf
    while solver.iteration < MOST_ITERATIONS and len(found) < len(TARGETS_POT):
        started = time.process_time()
        solver.run(_CHECK_EVERY)
        taken = time.process_time() - started
        reached = solver.exploitability() / case.pot
        for target in TARGETS_POT:
            if target not in found and reached <= target:
                left = math.log(target / reached) / math.log(before / reached)
                found[target] = Needed(
                    solver.iteration - left * _CHECK_EVERY, seconds + (1.0 - left) * taken
                )
        seconds, before = seconds + taken, reached
    return found | {t: Needed(math.nan, math.nan) for t in TARGETS_POT if t not in found}


def make_spot(case: Case) -> Spot:
    """Returns the spot of a case."""
    cards = tuple(parse_board(case.board))
    (menu, _), *_ = BettingRules.of(case.bets, 0, case.raises).menus
    rules = BettingRules(
        menus=((menu, menu),) * 3,
        max_raises_per_street=case.max_raises,
        add_all_in_threshold=1.5,
        force_all_in_threshold=0.15,
        merging_threshold=0.1,
    )
    tree = PostflopTree.build(rules, Stakes.in_chips(case.pot, case.stack), Street(len(cards) - 3))
    return Spot(cards, (Range(case.oop), Range(case.ip)), tree)


if __name__ == "__main__":
    main(sys.argv[1:])
