"""A CFR variant of your own against DCFR on Leduc poker, plotted as convergence.png."""

import matplotlib.pyplot as plt

import runout

mine = runout.Schedule.custom(lambda t: (t / (t + 2), 0.3, (t / (t + 1)) ** 3))
for name, schedule in {"dcfr": runout.Schedule(1.5, 0.0, 2.0), "mine": mine}.items():
    solver = runout.CfrSolver(runout.games.leduc(), schedule)
    history = solver.run(200, history_every=10)
    plt.loglog(*zip(*history, strict=True), label=name)
plt.xlabel("iterations")
plt.ylabel("NashConv")
plt.legend()
plt.savefig("convergence.png")
