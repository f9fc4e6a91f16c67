"""The exact equity of all 169 hands against each other on one flop.

Prints:

    AA against KK on AhKsQd: 0.9484848
    strongest against a random hand: JTs JTo AA
"""

from runout.cards.deck import HAND_NAMES, parse_board, parse_canonical_hand
from runout.equity.board import compute_board_equity

table = compute_board_equity(parse_board("AhKsQd")).hand_table()
aces, kings = parse_canonical_hand("AA"), parse_canonical_hand("KK")
print(f"AA against KK on AhKsQd: {table.equity(aces, kings):.7f}")

strongest = (-table.equity_vs_random()).argsort()[:3]
print("strongest against a random hand:", *(HAND_NAMES[hand] for hand in strongest))
