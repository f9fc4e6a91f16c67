"""Flops with few buckets that several tests solve, solved once."""

from functools import cache

import numpy as np

from runout.abstraction.bucket_map import FlopBuckets, build_flop_buckets
from runout.cards.deck import (
    COMBO_HAS_CARD,
    NUM_CARDS,
    NUM_COMBOS,
    combo_index,
    live_combos,
    parse_board,
)
from runout.cards.ranges import Range
from runout.cfr.schedules import StoppingRule
from runout.flops import bucketed as rounds
from runout.flops.bucketed import BucketedBackend
from runout.flops.values import RunoutSample, extract_pair_values
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from tests.samples.toy_flops import ignore_progress, make_tree

PAIRED, STRAIGHT, MONOTONE = "KsKh7d", "9c8d7h", "Ks7s2s"

NUM_BUCKETS = (50, 10, 10)
FEW_BOARDS = RunoutSample(num_turns=6, num_rivers=3)
TWO_ROUNDS = BucketedBackend(NUM_BUCKETS, StoppingRule(30), rounds=2, sample=FEW_BOARDS)

cached_buckets = cache(build_flop_buckets)


def make_buckets_once(monkeypatch):
    """Lets solves share buckets of strength, which take longer than all else that is tested."""
    monkeypatch.setattr(
        rounds,
        "build_flop_buckets",
        lambda flop, number, metric, seed, *_: cached_buckets(flop, number, metric, seed),
    )


def take_few_boards(monkeypatch):
    """Lets solves of a config take values from few boards, for tests that look at no value."""
    monkeypatch.setattr(
        rounds,
        "extract_pair_values",
        lambda game, strategy, _, *more: extract_pair_values(game, strategy, FEW_BOARDS, *more),
    )


def betting_tree():
    """Returns a tree with one bet size and one raise, 109 nodes."""
    return make_tree(3.5, (1.0,), 1)


@cache
def full_game(flop):
    """Returns a flop with all hands."""
    everyone = Range("random")
    spot = Spot(parse_board(flop), (everyone, everyone), betting_tree(), merges_suits=False)
    return CardGame(spot)


@cache
def solved_rounds(flop):
    """Returns the results of both rounds."""
    return list(TWO_ROUNDS.solve_rounds(full_game(flop), ignore_progress))


def one_bucket(flop):
    """Returns the buckets of a flop on which all hands are alike."""
    return hand_made_buckets(flop, lambda combos, board: np.zeros(len(combos)))


def own_bucket_each(flop, combos):
    """Returns buckets in which each of the combos is alone on every board, all others without."""
    number = np.full(NUM_COMBOS, -1)
    number[combos] = np.arange(len(combos))

    def label(live, board):
        return np.where(number[live] >= 0, board * len(combos) + number[live], -1)

    return hand_made_buckets(flop, label)


def hand_made_buckets(flop, label):
    """Returns buckets by a function of live combos and the number of the board on its street."""
    cards = parse_board(flop)
    by_flop = np.full((1, NUM_COMBOS), -1, dtype=np.int16)
    by_turn = np.full((NUM_CARDS, NUM_COMBOS), -1, dtype=np.int16)
    by_river = np.full((NUM_COMBOS, NUM_COMBOS), -1, dtype=np.int16)
    live = live_combos(cards)
    by_flop[0, live] = label(live, 0)
    to_come = [card for card in range(NUM_CARDS) if card not in cards]
    for number, turn in enumerate(to_come):
        left = live[~COMBO_HAS_CARD[live, turn]]
        by_turn[turn, left] = label(left, number)
    pairs = [(a, b) for i, a in enumerate(to_come) for b in to_come[i + 1 :]]
    for number, (turn, river) in enumerate(pairs):
        left = live[~COMBO_HAS_CARD[live][:, [turn, river]].any(axis=1)]
        by_river[combo_index(turn, river), left] = label(left, number)
    counts = tuple(int(table.max()) + 1 for table in (by_flop, by_turn, by_river))
    return FlopBuckets(cards, by_flop[0], by_turn, by_river, counts)
