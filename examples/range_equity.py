"""Range against range on a flop, exactly: who is ahead, and with which hands.

Prints:

    BB against SB on Th9h2c: 49.08%
    best hands of BB: TT 90.1% 99 89.3% 22 87.8%
"""

import numpy as np

from runout.cards.deck import HAND_NAMES, parse_board
from runout.cards.ranges import Range
from runout.equity.versus import compare_ranges

board = parse_board("Th9h2c")
big_blind = Range("TT-22,A9s-A2s,KTs-K7s,QTs-Q8s,J8s+,T8s+,97s+,86s+,75s+,KTo+,QTo+,JTo")
small_blind = Range("22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,87s,76s,A7o+,KTo+,QTo+,JTo")

result = compare_ranges(big_blind.weights, small_blind.weights, board)
print(f"BB against SB on Th9h2c: {result.equity:.2%}")

equity_by_hand = result.hero.equity_by_hand()  # NaN for hands that are not in the range
best = np.argsort(-np.nan_to_num(equity_by_hand))[:3]
print("best hands of BB:", *(f"{HAND_NAMES[hand]} {equity_by_hand[hand]:.1%}" for hand in best))
