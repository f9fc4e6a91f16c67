"""How often one flop bucket beats another when both go all-in: means over real pairs of hands."""

import numpy as np

from runout.abstraction.bucket_map import FlopBuckets
from runout.arrays import FloatArray
from runout.cards.combos import disjoint_combos
from runout.equity.board_equity import compute_board_equity
from runout.products import multiply


def bucket_pair_equity(buckets: FlopBuckets) -> FloatArray:
    """Returns ``[B, B]`` the row bucket's equity against the column's, NaN where none can meet.

    Pairwise, hand against hand: every pair of combos that share no card counts once with its exact
    equity over all runouts. Hands of a bucket meet each other, too, so the diagonal is 1/2.
    """
    equity = compute_board_equity(buckets.flop)
    combos = equity.combos
    can_meet = disjoint_combos(combos, combos).astype(np.float64)
    wins = equity.wins.astype(np.float64)
    share = can_meet / 2.0 + (wins - wins.T) / (2.0 * equity.num_runouts)
    is_member = np.zeros((len(combos), buckets.num_buckets[0]))
    is_member[np.arange(len(combos)), buckets.by_flop[combos]] = 1.0
    total = multiply(multiply(is_member.T, share), is_member)
    pairs = multiply(multiply(is_member.T, can_meet), is_member)
    mean: FloatArray = np.divide(total, pairs, out=np.full_like(total, np.nan), where=pairs > 0.0)
    return mean
