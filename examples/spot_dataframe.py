"""A saved spot as a DataFrame: what hands do, what it is worth, and all decisions in one file."""

import tempfile

import runout

folder = tempfile.mkdtemp()
solution = runout.solve_spot(board="QsJh2h8c3d", oop="22+", ip="KTs+,QJo", pot=180, stack=910)
solution.save(f"{folder}/river")

spot = runout.open(f"{folder}/river")
frame = spot.to_dataframe()
print(frame.groupby(["node", "action"]).frequency.mean().unstack())

first = spot.node().to_dataframe()
print(first.nlargest(5, "ev_chips")[["hand", "action", "frequency", "action_ev_chips"]])
print(spot.to_parquet(f"{folder}/river.parquet"), "rows in river.parquet")
