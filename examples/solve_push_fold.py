"""Push or fold: what to jam, what to call, and what it is worth to the small blind.

Prints:

    10 big blinds: jam 58.3% of hands, call 36.6%, SB wins -0.0454 bb a hand
    20 big blinds: jam 40.1% of hands, call 20.9%, SB wins -0.1832 bb a hand
"""

import runout

for stack_bb in (10, 20):
    text = f"preflop: {{preset: pushfold, stacks_bb: {stack_bb}}}\n"
    text += "preflop_exploitability_threshold_mbb: 0.001"
    config = runout.parse_config(text, runout.RunConfig)
    solution = runout.solve_preflop(config).solution
    jam, call = (solution.node(path).frequency()[-1] for path in ("", "a"))
    print(
        f"{stack_bb} big blinds: jam {jam:.1%} of hands, call {call:.1%}, "
        f"SB wins {solution.game_value_bb(0):+.4f} bb a hand"
    )
