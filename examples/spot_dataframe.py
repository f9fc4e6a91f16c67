"""A saved spot as a DataFrame: what hands do, what it is worth, and all decisions in one file."""

import runout

solution = runout.solve_spot(board="QsJh2h8c3d", oop="22+", ip="KTs+,QJo", pot=180, stack=910)
solution.save("river")

spot = runout.open("river")
frame = spot.to_dataframe()
print(frame.groupby(["node", "action"]).frequency.mean().unstack())

first = spot.node().to_dataframe()
print(first.nlargest(5, "ev_chips")[["hand", "action", "frequency", "action_ev_chips"]])
print(spot.to_parquet("river.parquet"), "rows in river.parquet")
