"""Compiled making of bucket games: strengths, cuts between them, and pairs that can meet.

Buckets are cut between strengths, so that a hand of a higher bucket always beats one of a lower
bucket and a showdown needs nothing but their numbers. On the river cards that share a game a hand
that holds none of them has the same strength.

Shape letters: ``C`` combos that either player can hold, ``N`` river cards, ``K`` buckets.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint8Array, Uint16Array
from runout.cards import evaluator_kernels
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.jit import kernel

NUM_STRENGTHS = 7_463  # 0 is impossible
_NUM_CARDS, _NUM_COMBOS, _NUM_RANKS = 52, 1_326, 13

#: The share of the strongest hands by which blockers are judged.
_STRONGEST = 0.1


class RiverHands(NamedTuple):
    """The combos of both players.

    Attributes:
        combos: ``[C]`` their numbers.
        cards: ``[C, 2]``.
        weight: ``[2, C]`` how much of each OOP and IP hold; sums to 1 for each.
    """

    combos: IntArray
    cards: IntArray
    weight: FloatArray


@kernel
def rank_rivers(
    tables: EvaluatorTables, board: Uint8Array, rivers: Uint8Array, hands: RiverHands
) -> Uint16Array:
    """Returns ``[N, C]`` the strength of each combo with each river card, 0 if impossible."""
    strength = np.empty((rivers.shape[0], hands.combos.shape[0]), np.uint16)
    of_all = np.empty(_NUM_COMBOS, np.uint16)
    scratch = np.empty((_NUM_RANKS, _NUM_CARDS), np.uint16)
    full_board = np.empty(5, np.uint8)
    for i in range(4):
        full_board[i] = board[i]
    for i in range(rivers.shape[0]):
        full_board[4] = rivers[i]
        evaluator_kernels.evaluate_board(tables, full_board, scratch, of_all)
        for hand in range(hands.combos.shape[0]):
            strength[i, hand] = of_all[hands.combos[hand]]
    return strength


@kernel
def weigh_strengths(strength: Uint16Array, hands: RiverHands, out_weight: FloatArray) -> None:
    """Sets ``out_weight[7463]`` to how much of both ranges has each strength, over ``N`` cards."""
    out_weight[:] = 0.0
    for i in range(strength.shape[0]):
        for hand in range(strength.shape[1]):
            if strength[i, hand] > 0:
                both = hands.weight[0, hand] + hands.weight[1, hand]
                out_weight[strength[i, hand]] += both


@kernel
def cut_strengths(weight: FloatArray, num_cuts: int, out_bucket: Uint8Array) -> None:
    """Divides strengths ``[7463]`` into groups of about equal weight, if need be one for each."""
    left_weight, left_distinct = 0.0, 0
    for strength in range(1, NUM_STRENGTHS):
        left_weight += weight[strength]
        left_distinct += weight[strength] > 0.0
    bucket, inside = 0, 0.0
    for strength in range(1, NUM_STRENGTHS):
        if weight[strength] == 0.0:
            continue
        if inside > 0.0 and bucket < num_cuts - 1:
            # A new group where this one is full, or where the rest can be a group each.
            is_full = inside + 0.5 * weight[strength] > left_weight / (num_cuts - bucket)
            if is_full or left_distinct <= num_cuts - 1 - bucket:
                left_weight -= inside
                inside = 0.0
                bucket += 1
        out_bucket[strength] = bucket
        inside += weight[strength]
        left_distinct -= 1


@kernel
def place_hands(
    strength: Uint16Array, bucket: Uint8Array, impossible: int, out: Uint8Array
) -> None:
    """Sets ``out[C]`` to the bucket of each combo, ``impossible`` where no card allows it."""
    for hand in range(strength.shape[1]):
        out[hand] = impossible
        for i in range(strength.shape[0]):
            if strength[i, hand] > 0:
                out[hand] = bucket[strength[i, hand]]
                break


@kernel
def split_by_blockers(
    strength: Uint16Array, hands: RiverHands, weight: FloatArray, impossible: int, out: Uint8Array
) -> None:
    """Splits buckets ``out[C]``: b becomes 2 b for hands that block few strong hands, else 2 b + 1.

    ``weight[7463]`` is by strength, ``impossible`` the bucket of impossible hands.
    """
    limit, above, total = NUM_STRENGTHS, 0.0, weight.sum()
    while limit > 1 and above < _STRONGEST * total:
        limit -= 1
        above += weight[limit]
    both, by_card = hands.weight[0] + hands.weight[1], np.zeros(_NUM_CARDS)
    for i in range(strength.shape[0]):
        for hand in range(strength.shape[1]):
            if strength[i, hand] >= limit:
                by_card[hands.cards[hand, 0]] += both[hand]
                by_card[hands.cards[hand, 1]] += both[hand]
    score = by_card[hands.cards[:, 0]] + by_card[hands.cards[:, 1]]
    score_sum, weight_sum = np.zeros(impossible), np.zeros(impossible)
    for hand in range(out.shape[0]):
        if out[hand] != impossible:
            score_sum[out[hand]] += both[hand] * score[hand]
            weight_sum[out[hand]] += both[hand]
    for hand in range(out.shape[0]):
        bucket = out[hand]
        if bucket != impossible:
            out[hand] = 2 * bucket + (score[hand] * weight_sum[bucket] > score_sum[bucket])


@kernel
def count_meetings(
    strength: Uint16Array, hands: RiverHands, bucket: Uint8Array, out_met: FloatArray
) -> None:
    """Sets ``out_met[K, K]`` to the share of pairs that share no card, by OOP's and IP's buckets.

    Pairs are counted on every card that leaves both hands possible. Counting the cards of both
    sides counts a pair of equal hands twice, so it is given back once.
    """
    num_buckets = out_met.shape[0]
    num_pairs = np.zeros((num_buckets, num_buckets))
    by_card = np.empty((2, num_buckets, _NUM_CARDS))
    total, same = np.empty((2, num_buckets)), np.empty(num_buckets)
    out_met[:] = 0.0
    for i in range(strength.shape[0]):
        by_card[:] = 0.0
        total[:] = 0.0
        same[:] = 0.0
        for hand in range(strength.shape[1]):
            if strength[i, hand] == 0:
                continue
            own, low, high = bucket[hand], hands.cards[hand, 0], hands.cards[hand, 1]
            for player in range(2):
                weight = hands.weight[player, hand]
                total[player, own] += weight
                by_card[player, own, low] += weight
                by_card[player, own, high] += weight
            same[own] += hands.weight[0, hand] * hands.weight[1, hand]
        other_by_card = np.ascontiguousarray(by_card[1].T)
        for own in range(num_buckets):
            met = out_met[own]
            for other in range(num_buckets):
                pairs = total[0, own] * total[1, other]
                met[other] += pairs
                num_pairs[own, other] += pairs
            met[own] += same[own]
            for card in range(_NUM_CARDS):
                held, theirs = by_card[0, own, card], other_by_card[card]
                for other in range(num_buckets):
                    met[other] -= held * theirs[other]
    for own in range(num_buckets):
        for other in range(num_buckets):
            pairs = num_pairs[own, other]
            share = out_met[own, other] / pairs if pairs > 0.0 else 0.0
            # What is left of equal numbers after rounding is nothing.
            out_met[own, other] = share if share > 1e-12 else 0.0


@kernel
def build_game(
    tables: EvaluatorTables,
    board: Uint8Array,
    rivers: Uint8Array,
    hands: RiverHands,
    has_blockers: bool,
    out_bucket: Uint8Array,
    out_met: FloatArray,
) -> None:
    """Makes the bucket game of some river cards on which hands have the same strength.

    Args:
        board: ``[4]`` flop and turn.
        rivers: ``[N]`` cards.
        out_bucket: ``[C]`` the bucket of each combo, ``K`` where it is impossible.
        out_met: ``[K, K]`` the share of pairs that share no card, by OOP's and IP's buckets.
    """
    impossible = out_met.shape[0]
    num_cuts = impossible // 2 if has_blockers else impossible
    strength = rank_rivers(tables, board, rivers, hands)
    weight, bucket = np.empty(NUM_STRENGTHS), np.zeros(NUM_STRENGTHS, np.uint8)
    weigh_strengths(strength, hands, weight)
    cut_strengths(weight, num_cuts, bucket)
    place_hands(strength, bucket, impossible, out_bucket)
    if has_blockers:
        split_by_blockers(strength, hands, weight, impossible, out_bucket)
    count_meetings(strength, hands, out_bucket, out_met)
