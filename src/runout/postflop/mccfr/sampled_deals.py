"""Random deals of one flop, and who wins them."""

import math
from collections.abc import Callable

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint8Array, Uint64Array
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cards.card import NUM_CARDS
from runout.cards.evaluator import evaluate_many
from runout.cards.isomorphism import CanonicalBoard
from runout.cfr.parallel import Team
from runout.cfr.solver import ignore_progress
from runout.events import Phase, PhaseEvent, reporting_phase
from runout.postflop.flop_game import FlopGame
from runout.postflop.mccfr import mccfr_kernels
from runout.postflop.mccfr.mccfr_kernels import Deals

_FOR_VALUES = 3  # what a random stream is for; smaller numbers are the solve's own

_DEALS_AT_ONCE = 100_000  # bounds memory; each batch of so many has a random stream of its own


class DealStream:
    """Random cards of one flop, the same whichever suits the flop is dealt in."""

    def __init__(self, seed: int, flop: tuple[int, ...]) -> None:
        # Hands are canonical, so it is enough to deal on the canonical flop.
        self.flop = CanonicalBoard.from_cards(flop).cards
        self.deck = np.array([c for c in range(NUM_CARDS) if c not in self.flop], dtype=np.uint8)
        self._seed = seed

    def generator(self, iteration: int, purpose: int) -> np.random.Generator:
        """Returns the generator of an iteration."""
        return np.random.default_rng([self._seed, *self.flop, iteration, purpose])

    def kernel_state(self, iteration: int, purpose: int) -> Uint64Array:
        """Returns ``[1]`` the state of the kernels' generator at the start of an iteration."""
        bits = self.generator(iteration, purpose).integers(0, 2**64, size=1, dtype=np.uint64)
        return bits

    def deal(self, num_deals: int, state: Uint64Array) -> Deals:
        """Deals hands and runouts, all equally likely: 1/1176 x 1/1081 and 1/990."""
        cards = np.empty((num_deals, 6), dtype=np.uint8)
        mccfr_kernels.deal_cards(self.deck, state, cards)
        board = np.concatenate(
            [np.tile(np.array(self.flop, dtype=np.uint8), (num_deals, 1)), cards[:, 4:]], axis=1
        )
        strength = [
            evaluate_many(np.concatenate([cards[:, own], board], axis=1)).astype(np.int64)
            for own in (slice(0, 2), slice(2, 4))
        ]
        hands = np.stack([_hands_of(cards[:, :2]), _hands_of(cards[:, 2:4])], axis=1)
        return Deals(hands, np.sign(strength[0] - strength[1]).astype(np.float64))


def sample_edge(
    game: FlopGame,
    num_samples: int,
    seed: int,
    on_progress: Callable[[PhaseEvent], None] = ignore_progress,
    team: Team | None = None,
) -> FloatArray:
    """Returns ``[169, 169]`` estimates of ``game.edge`` from deals, for `extract_values`.

    What two hands do against each other is known, so only who wins the showdown is sampled. With
    them the value of a matchup of n deals has the standard error
    ``stake * sqrt((1 - tied - edge**2) / n)``, with the stake that the two play for at showdown on
    average. A matchup that is never dealt keeps its exact equity.

    Args:
        game: the flop.
        num_samples: deals, at least one.
        seed: of the run.
        on_progress: told about progress, in deals.
        team: threads to share the deals; every batch has a random stream of its own.
    """
    stream, team = DealStream(seed, game.flop), team or Team()

    def tally(batch: int) -> FloatArray:
        num_deals = min(_DEALS_AT_ONCE, num_samples - batch * _DEALS_AT_ONCE)
        deals = stream.deal(num_deals, stream.kernel_state(batch, _FOR_VALUES))
        cells = deals.hands[:, 0] * NUM_HANDS + deals.hands[:, 1]
        net_wins = np.bincount(cells, deals.outcome, NUM_HANDS**2)
        counts: FloatArray = np.stack([net_wins, np.bincount(cells, minlength=NUM_HANDS**2)])
        return counts.reshape(2, NUM_HANDS, NUM_HANDS)

    net_and_met = np.zeros((2, NUM_HANDS, NUM_HANDS))  # whole numbers, exact in any order
    num_batches = math.ceil(num_samples / _DEALS_AT_ONCE)
    with reporting_phase(on_progress, Phase.ESTIMATING_EV, num_samples) as advance:
        for first in range(0, num_batches, team.num_workers):
            batches = range(first, min(first + team.num_workers, num_batches))
            for batch, counts in zip(batches, team.run(tally, batches), strict=True):
                net_and_met += counts
                advance(min((batch + 1) * _DEALS_AT_ONCE, num_samples))
    net, num_met = net_and_met
    # Swapping the players turns a deal into one just as likely: use it both ways.
    net, num_met = net - net.T, num_met + num_met.T
    edge: FloatArray = np.divide(net, num_met, out=game.edge.copy(), where=num_met > 0)
    return edge


def _hands_of(cards: Uint8Array) -> IntArray:
    """Returns ``[n]`` the canonical hands of rows of two cards."""
    low, high = np.sort(cards.astype(np.int64), axis=1).T
    hands: IntArray = HAND_BY_COMBO[high * (high - 1) // 2 + low]
    return hands
