"""Push/fold as a linear program, from nothing but blinds, antes, stacks and equities.

The small blind jams hand h with probability x_h, the big blind calls with hand o with probability
y_o. What the small blind wins is bilinear in x and y, and for given x the big blind's best answer
with each hand is to call or not, so the value of the game is

    max over x in [0, 1]^169 of  const + sum_h a_h x_h + sum_o min(0, sum_h x_h b_ho)

which is linear with one more variable t_o <= 0, t_o <= sum_h x_h b_ho for every o.
"""

import numpy as np
from scipy.optimize import linprog

from runout.cards.deck import matchup_weights
from runout.equity.matchups import preflop_table


def push_fold_value(stack_bb, ante_bb=0.0, small_blind_bb=0.5, big_blind_bb=1.0):
    """Returns what the small blind wins per hand, in big blinds.

    Args:
        stack_bb: the smaller stack, before anything is posted.
        ante_bb: of each player.
    """
    weights = matchup_weights().astype(np.float64)
    dealt = weights / weights.sum()
    called = stack_bb * (2.0 * preflop_table().equities() - 1.0)
    lost_by_folding = ante_bb + small_blind_bb
    won_by_stealing = ante_bb + big_blind_bb
    num_hands = len(dealt)
    gain_of_jam = dealt.sum(axis=1) * (won_by_stealing + lost_by_folding)
    gain_of_call = dealt * (called - won_by_stealing)
    result = linprog(
        c=-np.concatenate([gain_of_jam, np.ones(num_hands)]),
        A_ub=np.hstack([-gain_of_call.T, np.eye(num_hands)]),
        b_ub=np.zeros(num_hands),
        bounds=[(0.0, 1.0)] * num_hands + [(None, 0.0)] * num_hands,
        method="highs",
    )
    assert result.success, result.message
    return -result.fun - lost_by_folding
