"""A river with real cards: how often to bluff, and how often to call.

OOP holds the nuts or nothing, IP beats only the bluffs, and the one bet is all-in. With a pot P and
stacks S there are S / (P + S) bluffs for each value bet, and P / (P + S) of the catchers call.

Prints:

    pot 100, stack 100: AA bets 100%, QQ 50%, KK calls 50%; OOP wins 75.0 of the pot
    pot 100, stack 50: AA bets 100%, QQ 33%, KK calls 67%; OOP wins 66.7 of the pot
    exploitable for less than 0.005% of the pot
    AsAh at the root is worth 150.0 chips, QsQh 0.0
"""

import runout
from runout.cards.deck import parse_canonical_hand, parse_combo
from runout.flops.spot_solution import SpotSolution

OOP = 0


def solve(stack: float) -> SpotSolution:
    """Solves the river; a YAML file with the same keys would be given as a `Path`."""
    return runout.solve_spot(
        board="2c3d4h8s9c",
        oop="AA,QQ",
        ip="KK",
        pot=100,
        stack=stack,
        bet_sizes="a",
        target="0.005%",
        max_iterations=100_000,
    )


def frequency(solution: SpotSolution, path: str, hand: str, action: str) -> float:
    """Returns how often a hand takes an action at a node."""
    node = solution.view.node(path)
    number = [option.code for option in node.actions].index(action)
    return float(node.hand_means(node.strategy[number])[parse_canonical_hand(hand)])


for stack in (100, 50):
    solution = solve(stack)
    assert solution.exploitability_pot <= 0.00005
    print(
        f"pot 100, stack {stack}: AA bets {frequency(solution, '', 'AA', 'a'):.0%}, "
        f"QQ {frequency(solution, '', 'QQ', 'a'):.0%}, "
        f"KK calls {frequency(solution, 'a', 'KK', 'c'):.0%}; "
        f"OOP wins {solution.view.node().range_ev(OOP):.1f} of the pot"
    )
print("exploitable for less than 0.005% of the pot")

values = solve(100).view.node().ev[OOP]
aces, queens = values[parse_combo("AsAh")], values[parse_combo("QsQh")]
print(f"AsAh at the root is worth {aces:.1f} chips, QsQh {abs(queens):.1f}")
