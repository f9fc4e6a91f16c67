"""A million random hands of seven cards: how strong is the median, and how common is the best?

Prints:

    median strength 3457 of 7462, a pair of aces at most in 61.2%
    royal flushes: 33
"""

import numpy as np

import runout

deck = np.tile(np.arange(52, dtype=np.uint8), (1_000_000, 1))
hands = np.random.default_rng(0).permuted(deck, axis=1)[:, :7]

strength = runout.evaluate(hands)
best_pair = runout.evaluate("AhAdKcQsJc")
share = np.mean(strength <= best_pair)
print(f"median strength {np.median(strength):.0f} of 7462, a pair of aces at most in {share:.1%}")
print(f"royal flushes: {np.sum(strength == runout.evaluate('AhKhQhJhTh'))}")
