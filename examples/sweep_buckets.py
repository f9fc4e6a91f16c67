"""What more river buckets are worth with real cards: a sweep over seeds, with 95 % intervals.

Both choices play the same seeds; the difference is taken seed by seed.
"""

import runout

result = runout.sweep(
    {
        "sweep": {"grid": {"num_hand_buckets_river": [5, 20]}, "seeds": 3},
        "postflop_model": {
            **{"solve_type": "bucketed", "fixed_flops": ["Qh7h2h"], "postflop_sprs": [1]},
            **{"bet_sizes": ["a"], "postflop_solve_iterations": 30, "num_hand_buckets_flop": 20},
        },
    }
)
print(result)
frame = result.to_dataframe()
print(frame[["choice", "difference", "difference_interval"]].to_string(index=False))
