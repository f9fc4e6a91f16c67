"""The exact 169 x 169 table of a flop, against brute force with the same evaluator.

Brute force evaluates both hands of every combo pair on each of its 990 runouts. It is estimated
from a sample of pairs, and kindly: each unordered pair counts once, and only evaluating and
comparing are timed, not the making of the hands.
"""

from itertools import combinations
from math import comb

import numpy as np

from benchmarks.timing import Row, best_seconds_of_two, speedup
from runout.arrays import Uint8Array, Uint16Array
from runout.cards import evaluator_kernels
from runout.cards.deck import NUM_CARDS, combo_cards, live_combos, parse_board
from runout.cards.evaluator import evaluator_tables
from runout.equity.board import compute_board_equity

FLOPS = {"rainbow": "AhKsQd", "two-tone": "Th9h2c", "monotone": "9s6s2s"}
NUM_SAMPLED_PAIRS = 200
GOAL = 150.0

_NUM_PAIRS = comb(49, 2) * comb(47, 2) // 2


def rows() -> list[Row]:
    """Returns a row for each suit pattern; rainbow flops have the fewest symmetries to use."""
    return [_row(pattern, parse_board(text)) for pattern, text in FLOPS.items()]


def _row(pattern: str, flop: tuple[int, ...]) -> Row:
    hero, villain = _sample_matchups(flop)
    ours, sampled = best_seconds_of_two(
        lambda: compute_board_equity(flop).hand_table(),
        lambda: (_evaluate(hero) > _evaluate(villain)).sum(),
        repeats=9,
    )
    brute_force = sampled / NUM_SAMPLED_PAIRS * _NUM_PAIRS
    return speedup(f"169 x 169 table, {pattern} flop", ours, brute_force, "brute force", GOAL)


def _sample_matchups(flop: tuple[int, ...]) -> tuple[Uint8Array, Uint8Array]:
    """Returns the two players' 7-card hands on all runouts of random combo pairs."""
    rng = np.random.default_rng(1)
    live = live_combos(flop)
    hero: list[tuple[int, ...]] = []
    villain: list[tuple[int, ...]] = []
    while len(hero) < NUM_SAMPLED_PAIRS * comb(45, 2):
        mine, theirs = (combo_cards(int(combo)) for combo in rng.choice(live, 2))
        dead = {*flop, *mine, *theirs}
        if len(dead) < 7:
            continue  # the two share a card
        for runout in combinations(set(range(NUM_CARDS)) - dead, 2):
            hero.append((*mine, *flop, *runout))
            villain.append((*theirs, *flop, *runout))
    return np.array(hero, dtype=np.uint8), np.array(villain, dtype=np.uint8)


def _evaluate(hands: Uint8Array) -> Uint16Array:
    strength = np.empty(len(hands), dtype=np.uint16)
    evaluator_kernels.evaluate_hands(evaluator_tables(), hands, strength)
    return strength
