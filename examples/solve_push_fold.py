"""Push or fold: what to jam, what to call, and what it is worth to the small blind.

No flop is ever seen, so the answer is exact up to the exploitability that is asked for.

Prints:

    10 big blinds: jam 58.3% of hands, call 37.4%, SB wins -0.0454 bb a hand
    20 big blinds: jam 40.1% of hands, call 21.7%, SB wins -0.1832 bb a hand
    exploitable for less than 0.001 thousandths of a big blind
    with 10 big blinds 72o folds, A2o jams and wins +0.32 bb, AA +2.98 bb
"""

import numpy as np

import runout
from runout.cards.deck import COMBOS_BY_HAND, parse_canonical_hand
from runout.solutions.preflop import PreflopSolution
from runout.trees.betting import SB

SHARE_OF_COMBOS = np.array([len(combos) for combos in COMBOS_BY_HAND]) / 1326


def solve(stack_bb: float) -> PreflopSolution:
    """Solves the game; `load_config("FILE")` would read the same keys from a file."""
    config = runout.parse_config(
        f"""
        preflop: {{preset: pushfold, stacks_bb: {stack_bb}}}
        preflop_exploitability_threshold_mbb: 0.001
    """,
        runout.RunConfig,
    )
    return runout.solve_preflop(config).solution


for stack_bb in (10, 20):
    solution = solve(stack_bb)
    # A node is found by the actions that lead to it: a is all-in, c a call.
    jam, call = solution.tree.find_node("a"), solution.tree.find_node("a-c")
    assert solution.report.exploitability_mbb <= 0.001
    print(
        f"{stack_bb} big blinds: jam {SHARE_OF_COMBOS @ solution.strategy[jam]:.1%} of hands, "
        f"call {SHARE_OF_COMBOS @ solution.strategy[call]:.1%}, "
        f"SB wins {solution.game_value_bb(SB):+.4f} bb a hand"
    )
print("exploitable for less than 0.001 thousandths of a big blind")

solution = solve(10)
fold, jam = solution.tree.find_node("f"), solution.tree.find_node("a")
deuces, ace_two, aces = (parse_canonical_hand(name) for name in ("72o", "A2o", "AA"))
assert solution.strategy[fold, deuces] > 0.999
assert solution.strategy[jam, ace_two] > 0.999
won = solution.ev_bb[SB, jam]
print(
    f"with 10 big blinds 72o folds, A2o jams and wins {won[ace_two]:+.2f} bb, "
    f"AA {won[aces]:+.2f} bb"
)
