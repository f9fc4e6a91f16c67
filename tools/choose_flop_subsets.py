"""Chooses small weighted sets of flops that stand for all 1,755, and writes them to the package.

A subset with weights x estimates the equity of hand h against o as ``sum x w E / sum x w`` over
its flops, where w counts the combo pairs that a flop leaves the two hands. Every flop becomes a
vector of how much it departs from the exact averages, so that the vectors of all flops, weighted by
their shares, sum to zero; a good subset is a small one whose weighted sum is nearly zero:

    minimise |sum x_f v_f|^2 = x' G x    subject to    sum x = 1, x > 0.

The vectors have six blocks (see `_feature_blocks`), each scaled so that one random flop has a
squared length of 1. Only their inner products G are needed. Given a set of flops the best weights
are ``G^-1 1``, scaled to sum 1, with the value ``1 / (1' G^-1 1)``. Flops are added greedily by the
exact gain, then each in turn is exchanged for the best one until nothing improves; the best of
several starts wins. Takes a few minutes; the same machine makes the same file every time.
"""

import json
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray
from runout.cards.deck import format_cards
from runout.cards.flops import (
    SHIPPED_SUBSETS,
    SUBSETS_FILE,
    FlopList,
    TextureKind,
    all_flops,
    describe_texture,
    random_flops,
)
from runout.equity.board import compute_board_equity

#: How much each block counts; equities first, the others keep the subset like the whole deck.
BLOCK_WEIGHTS = {
    "matchups": 1.0,
    "hands": 1.0,
    "spread": 0.5,
    "textures": 0.5,
    "removal": 0.1,
    "high cards": 0.1,
}

#: Added to every flop's squared length, for all that the blocks do not see: it evens the weights.
RIDGE = 0.02

NUM_STARTS = {8: 100, 13: 80, 25: 60, 50: 40, 100: 20, 200: 5}
#: Of each further draw, which has no flop of the ones before.
NUM_STARTS_OF_DRAW = 3
NUM_RANDOM_SAMPLES = 21
WEIGHT_DIGITS = 6


class Equities(NamedTuple):
    """Equities of the 169 hands on every flop; F = 1,755.

    Attributes:
        points: ``[F, 169, 169]`` combo pairs times the row's equity.
        pairs: ``[F, 169, 169]`` combo pairs that can meet.
        shares: ``[F]`` share of all flops.
        exact_points: ``[169, 169]`` weighted sum of ``points`` over all flops.
        exact_pairs: ``[169, 169]`` weighted sum of ``pairs`` over all flops.
    """

    points: FloatArray
    pairs: FloatArray
    shares: FloatArray
    exact_points: FloatArray
    exact_pairs: FloatArray


def main() -> None:
    """Computes all flops, chooses the subsets, writes the file and prints what it is worth."""
    everything = all_flops()
    equities = _compute_equities(everything)
    gram = _gram_matrix(equities, everything)
    subsets: dict[str, object] = {}
    of_size: dict[int, list[int]] = {}
    for size, draw in SHIPPED_SUBSETS:
        taken = of_size.setdefault(size, [])
        chosen, objective = _choose(gram, size, taken)
        taken += chosen
        weights = np.round(_best_weights(gram, chosen), WEIGHT_DIGITS)
        errors = _errors(equities, chosen, weights)
        random_errors = _median_random_errors(equities, everything, size)
        print(f"{size} flops, draw {draw}: objective {objective:.6f}")
        for name in errors:
            print(f"  {name:12s} {errors[name]:.6f}   random flops {random_errors[name]:.6f}")
        subsets[f"{size}/{draw}" if draw else str(size)] = {
            "weights": {
                format_cards(everything.flops[index]): weight
                for index, weight in zip(chosen, weights.tolist(), strict=True)
            },
            "errors": errors,
            "errors_of_random_flops": random_errors,
        }
    SUBSETS_FILE.write_text(json.dumps(subsets, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {SUBSETS_FILE}")


def _compute_equities(everything: FlopList) -> Equities:
    shape = (len(everything), 169, 169)
    points, pairs = np.empty(shape), np.empty(shape)
    for index, flop in enumerate(everything.flops):
        if index % 100 == 0:
            print(f"equities of flop {index} of {len(everything)}", flush=True)
        equity = compute_board_equity(flop)
        table = equity.hand_table()
        points[index] = (table.wins + table.ties / 2) / equity.num_runouts
        pairs[index] = table.totals // equity.num_runouts
    shares = everything.weights
    return Equities(
        points, pairs, shares, _weighted_sum(points, shares), _weighted_sum(pairs, shares)
    )


def _weighted_sum(tables: FloatArray, weights: FloatArray) -> FloatArray:
    total: FloatArray = np.tensordot(weights, tables, axes=1)
    return total


def _gram_matrix(equities: Equities, everything: FlopList) -> FloatArray:
    """Returns ``[F, F]`` inner products of the flops' departures from the exact averages."""
    gram: FloatArray = RIDGE * np.eye(len(everything))
    for name, features in _feature_blocks(equities, everything):
        print(f"inner products of {features.shape[1]} {name}", flush=True)
        centred = features - equities.shares @ features
        products = centred @ centred.T
        gram += BLOCK_WEIGHTS[name] / (equities.shares @ np.diag(products)) * products
    return gram


def _feature_blocks(equities: Equities, everything: FlopList) -> Iterator[tuple[str, FloatArray]]:
    """Yields the name and the features ``[F, n]`` of each block.

    Matchups and hands are first-order errors of the estimated equities (the ratio's denominator is
    taken as exact); spread does the same for the squared equity against a random hand, which says
    how often a hand is strong or weak and not only how strong it is on average.
    """
    num_flops = len(everything)
    exact = equities.exact_points / equities.exact_pairs
    matchup_scale = np.sqrt(equities.exact_pairs / equities.exact_pairs.sum())
    errors = equities.points - equities.pairs * exact
    yield "matchups", (errors / equities.exact_pairs * matchup_scale).reshape(num_flops, -1)
    removal = equities.pairs / equities.exact_pairs * matchup_scale
    yield "removal", removal.reshape(num_flops, -1)

    pairs_of_hand = equities.pairs.sum(axis=2)
    points_of_hand = equities.points.sum(axis=2)
    exact_pairs_of_hand = equities.exact_pairs.sum(axis=1)
    hand_scale = np.sqrt(exact_pairs_of_hand / exact_pairs_of_hand.sum()) / exact_pairs_of_hand
    yield "hands", errors.sum(axis=2) * hand_scale
    squares = np.divide(
        points_of_hand**2, pairs_of_hand, out=np.zeros_like(pairs_of_hand), where=pairs_of_hand > 0
    )
    exact_square = (equities.shares @ squares) / exact_pairs_of_hand
    yield "spread", (squares - pairs_of_hand * exact_square) * hand_scale

    textures = [describe_texture(flop) for flop in everything.flops]
    high_ranks, suits, ranks, is_connected = (
        [texture[kind] for texture in textures] for kind in TextureKind
    )
    yield "textures", np.hstack([_indicators(suits), _indicators(ranks), _indicators(is_connected)])
    details = list(zip(suits, ranks, high_ranks, strict=True))
    yield "high cards", np.hstack([_indicators(high_ranks), _indicators(details)])


def _indicators(labels: Sequence[Hashable]) -> FloatArray:
    """Returns ``[F, n]`` 1 where the flop has the label, 0 elsewhere."""
    distinct = list(dict.fromkeys(labels))
    return np.array([[float(label == other) for other in distinct] for label in labels])


def _choose(gram: FloatArray, size: int, without: list[int]) -> tuple[list[int], float]:
    """Returns the best subset found without some flops, in order, and its objective."""
    left = np.setdiff1d(np.arange(len(gram)), without)
    gram, num_starts = gram[np.ix_(left, left)], NUM_STARTS_OF_DRAW if without else NUM_STARTS[size]
    best: tuple[float, list[int]] = (np.inf, [])
    for start in np.linspace(0, len(gram) - 1, num_starts).astype(int).tolist():
        chosen, objective = [start], float(gram[start, start])
        while len(chosen) < size:
            chosen, objective = _add_best(gram, chosen)
        chosen, objective = _exchange_until_stable(gram, chosen, objective)
        best = min(best, (objective, sorted(chosen)))
    return left[best[1]].tolist(), best[0]


def _exchange_until_stable(
    gram: FloatArray, chosen: list[int], objective: float
) -> tuple[list[int], float]:
    num_unchanged = 0
    while num_unchanged < len(chosen):
        candidate, value = _add_best(gram, chosen[1:])
        if value < objective * (1 - 1e-9):
            chosen, objective, num_unchanged = candidate, value, 0
        else:
            chosen, num_unchanged = [*chosen[1:], chosen[0]], num_unchanged + 1
    return chosen, objective


def _add_best(gram: FloatArray, chosen: list[int]) -> tuple[list[int], float]:
    """Returns the subset with the flop that lowers the objective most, and the new objective."""
    inverse = np.linalg.inv(gram[np.ix_(chosen, chosen)])
    rows = gram[chosen]
    # By the block inverse of G, adding flop j adds slack_j^2 / room_j to 1' G^-1 1.
    slack = 1 - inverse.sum(axis=0) @ rows
    room = np.diag(gram) - np.einsum("ij,ij->j", rows, inverse @ rows)
    gain = slack**2 / np.maximum(room, 1e-12)
    gain[chosen] = -np.inf
    gain[slack <= 0] = -np.inf  # the new flop's own weight would be negative
    for candidate in np.argsort(-gain, kind="stable").tolist():
        grown = [*chosen, candidate]
        if _best_weights(gram, grown).min() > 0:
            return grown, float(1 / (inverse.sum() + gain[candidate]))
    raise RuntimeError("no flop can be added with positive weights only")


def _best_weights(gram: FloatArray, chosen: list[int]) -> FloatArray:
    solution = np.linalg.solve(gram[np.ix_(chosen, chosen)], np.ones(len(chosen)))
    weights: FloatArray = solution / solution.sum()
    return weights


def _errors(equities: Equities, chosen: list[int], weights: FloatArray) -> dict[str, float]:
    """Returns how far preflop equities averaged over a subset are from the exact ones.

    The keys are ``matchup_rms`` (169x169 equities, weighted by combo pairs), ``matchup_max``,
    ``hand_rms`` (169 equities against a random hand, weighted by combos), ``hand_max``, and for how
    often each of the 169 hands is dealt beside such a flop, as a share of how often it should be,
    ``deal_rms`` and ``deal_max``.
    """
    points = _weighted_sum(equities.points[chosen], weights)
    pairs = _weighted_sum(equities.pairs[chosen], weights)
    exact_deals = equities.exact_pairs.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # of two hands that never meet
        matchups = points / pairs - equities.exact_points / equities.exact_pairs
    hands = points.sum(axis=1) / pairs.sum(axis=1) - equities.exact_points.sum(axis=1) / exact_deals
    deals = pairs.sum(axis=1) / exact_deals - 1.0
    return {
        **_summarize("matchup", np.where(pairs > 0, matchups, np.inf), equities.exact_pairs),
        **_summarize("hand", hands, exact_deals),
        **_summarize("deal", deals, exact_deals),
    }


def _summarize(name: str, errors: FloatArray, weights: FloatArray) -> dict[str, float]:
    return {
        f"{name}_rms": _weighted_rms(errors, weights),
        f"{name}_max": round(float(np.abs(errors).max()), WEIGHT_DIGITS),
    }


def _weighted_rms(errors: FloatArray, weights: FloatArray) -> float:
    return round(float(np.sqrt((weights * errors**2).sum() / weights.sum())), WEIGHT_DIGITS)


def _median_random_errors(equities: Equities, everything: FlopList, size: int) -> dict[str, float]:
    """Returns the median errors of random samples of the same size."""
    index_by_flop = {flop: index for index, flop in enumerate(everything.flops)}
    samples = []
    for seed in range(NUM_RANDOM_SAMPLES):
        sample = random_flops(size, seed)
        chosen = [index_by_flop[flop] for flop in sample.flops]
        samples.append(_errors(equities, chosen, sample.weights))
    return {name: float(np.median([sample[name] for sample in samples])) for name in samples[0]}


if __name__ == "__main__":
    main()
