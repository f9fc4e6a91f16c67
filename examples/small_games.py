"""Kuhn, Leduc and a game of your own with chance: NashConv after every iteration of CFR+.

In the third one player 0 sees a loaded coin and sells it, or lets player 1 guess the side.

Prints:

    CfrSolver(kuhn, cfr+, 6 iterations) [0.917, 0.528, 0.283, 0.2, 0.147, 0.101]
    CfrSolver(leduc, cfr+, 6 iterations) [4.747, 4.116, 3.587, 3.219, 2.742, 2.39]
    CfrSolver(coin, cfr+, 6 iterations) [0.35, 0.217, 0.12, 0.141, 0.098, 0.123]
"""

from runout import CfrSolver, games


def _coin(history: tuple[str, ...]) -> games.Chance | games.Decision | games.Payoff:
    if history == ():
        return games.Chance({"heads": 0.6, "tails": 0.4})
    if len(history) == 1:
        return games.Decision(0, sees=history[0], actions=("sell", "play"))
    if history[-1] == "play":
        return games.Decision(1, sees="play", actions=("heads", "tails"))
    is_won = history[0] == "heads" if history[-1] == "sell" else history[0] != history[-1]
    return games.Payoff((0.5 if history[-1] == "sell" else 1.0) * (1 if is_won else -1))


for game in (games.kuhn(), games.leduc(), games.Game(_coin, "coin")):
    solver = CfrSolver(game, "cfr+")
    nash_convs = [nash_conv for _, nash_conv in solver.run(6, history_every=1)]
    print(solver, [round(nash_conv, 3) for nash_conv in nash_convs])
