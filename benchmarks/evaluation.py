"""Random 7-card hands in bulk, against two evaluators that take one hand per call."""

import eval7
import numpy as np
from phevaluator import evaluate_cards

from benchmarks.timing import Row, best_seconds, speedup
from runout.arrays import Uint8Array
from runout.cards.deck import NUM_CARDS, format_card
from runout.cards.evaluator import evaluate
from runout.cards.hand_ranking import NUM_STRENGTHS

NUM_HANDS = 1_000_000
NUM_HANDS_ONE_BY_ONE = 20_000
GOAL = 5.0


def rows() -> list[Row]:
    """Returns time per hand of `evaluate` and of the others."""
    hands = random_hands(NUM_HANDS)
    ours = best_seconds(lambda: evaluate(hands)) / NUM_HANDS
    few = hands[:NUM_HANDS_ONE_BY_ONE]
    ids = few.tolist()
    cards = [[eval7.Card(format_card(card)) for card in hand] for hand in ids]
    expected = evaluate(few).tolist()
    assert [NUM_STRENGTHS + 1 - evaluate_cards(*hand) for hand in ids] == expected
    phevaluator_seconds = best_seconds(lambda: [evaluate_cards(*hand) for hand in ids], 3)
    eval7_seconds = best_seconds(lambda: [eval7.evaluate(hand) for hand in cards])
    name = "one 7-card hand, in bulk"
    return [
        speedup(name, ours, phevaluator_seconds / len(few), "phevaluator", GOAL),
        speedup(name, ours, eval7_seconds / len(few), "eval7", GOAL),
    ]


def random_hands(count: int, seed: int = 1) -> Uint8Array:
    """Returns ``[count, 7]`` distinct cards in each row."""
    deck = np.arange(NUM_CARDS, dtype=np.uint8)
    decks = np.random.default_rng(seed).permuted(np.tile(deck, (count, 1)), axis=1)
    return decks[:, :7].copy()
