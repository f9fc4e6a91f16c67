"""Two hands of nearly equal equity: E[HS^2] and the histogram tell the draw from the made hand.

Each digit is a tenth of the runouts' river strengths, from weakest to strongest, in percent.

Prints:

    6h5h  E[HS] 0.478  E[HS^2] 0.395  [41  4  0  0  2  9  6  3  1 33]
    3s3d  E[HS] 0.497  E[HS^2] 0.275  [ 1  1  7  8 44 19 12  1  0  8]
"""

from runout.cards.deck import parse_board, parse_cards, parse_combo
from runout.equity.board import strength_histograms
from runout.equity.hand_strength import HandStrengthCalculator

board = parse_board("Th9h2c")
calculator = HandStrengthCalculator()
histograms = strength_histograms(board)

for text in ("6h5h", "3s3d"):
    high, low = parse_cards(text)
    strength = calculator.calculate_flop(board, (high, low))
    row = histograms.counts[list(histograms.combos).index(parse_combo(text))]
    shares = " ".join(f"{round(100 * count / row.sum()):2d}" for count in row)
    print(f"{text}  E[HS] {strength.ehs2:.3f}  E[HS^2] {strength.ehs_squared:.3f}  [{shares}]")
