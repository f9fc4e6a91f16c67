"""Values of folds and showdowns against a range, one pair of hands after the other."""

import numpy as np

from runout.holdem.terminal_kernels import SHOWDOWNS


def value_of_node(what, payoff, meeting, reach):
    """Returns ``[H]`` what hero's hands win against hands that arrive with ``reach[O]``.

    Showdowns are won or lost; folds and rake are the payoff whatever the opponent holds.
    """
    values = np.zeros(len(meeting.hero_cards))
    for hand, mine in zip(meeting.hero_order, meeting.hero_strength, strict=True):
        for other, theirs in zip(meeting.villain_order, meeting.villain_strength, strict=True):
            if set(meeting.hero_cards[hand]) & set(meeting.villain_cards[other]):
                continue
            sign = np.sign(int(mine) - int(theirs)) if what == SHOWDOWNS else 1
            values[hand] += sign * float(payoff) * float(reach[other])
    return values
