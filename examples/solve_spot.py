"""A river with real cards: how often to bluff, and how often to call.

OOP holds the nuts or nothing, IP beats only the bluffs, and the one bet is all-in. With a pot P and
stacks S there are S / (P + S) bluffs for each value bet, and P / (P + S) of the catchers call.

Prints:

    stack 100: OOP bets 75%, wins 75.0 of the pot; IP calls 50%
    stack 50: OOP bets 67%, wins 66.7 of the pot; IP calls 67%
"""

import runout

for stack in (100, 50):
    solution = runout.solve_spot(
        board="2c3d4h8s9c", oop="AA,QQ", ip="KK", pot=100, stack=stack, bet_sizes="a", target=0.0002
    )
    bets, calls = solution.node().frequency()[1], solution.node("a").frequency()[1]
    wins = solution.node().range_ev(0)
    print(f"stack {stack}: OOP bets {bets:.0%}, wins {wins:.1f} of the pot; IP calls {calls:.0%}")
