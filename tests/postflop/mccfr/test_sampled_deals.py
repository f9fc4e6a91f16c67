import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_BY_COMBO, matchup_weights
from runout.cards.card import parse_board
from runout.cards.combos import COMBO_CARDS
from runout.cfr.parallel import Team
from runout.postflop.flop_game import FlopGame
from runout.postflop.mccfr.sampled_deals import DealStream, sample_edge
from tests.reference.mccfr import SplitMix64, deal_cards
from tests.reference.showdowns import strength


@pytest.fixture(scope="module")
def game():
    return FlopGame.deal(parse_board("AhKsQd"))


def test_streams_differ_between_flops_iterations_and_purposes():
    stream = DealStream(0, parse_board("AhKsQd"))
    other_flop = DealStream(0, parse_board("2c3h4d"))
    other_seed = DealStream(1, parse_board("AhKsQd"))
    states = [stream.kernel_state(iteration, purpose) for iteration in (0, 1) for purpose in (0, 1)]
    states += [other_flop.kernel_state(0, 0), other_seed.kernel_state(0, 0)]
    assert len({int(state[0]) for state in states}) == len(states)


def test_deals_are_uniform_and_judged_by_the_real_showdown():
    stream = DealStream(5, parse_board("9s6s2s"))
    state = stream.kernel_state(0, 0)
    deals = stream.deal(40_000, state.copy())
    share = matchup_weights(stream.flop).sum(axis=1) / (1_176 * 1_081)
    for player in range(2):
        seen = np.bincount(deals.hands[:, player], minlength=169) / 40_000
        assert np.abs(seen - share).max() < 6 * np.sqrt(share.max() / 40_000)
    assert set(deals.outcome.tolist()) == {-1.0, 0.0, 1.0}
    # The same cards, dealt and evaluated by others.
    cards = deal_cards(stream.deck.tolist(), SplitMix64(int(state[0])).uniform, 200, 6)
    for row, pair, outcome in zip(cards.tolist(), deals.hands, deals.outcome, strict=False):
        board = [*stream.flop, *row[4:]]
        mine, theirs = strength([*row[:2], *board]), strength([*row[2:4], *board])
        assert outcome == (mine > theirs) - (mine < theirs)
        for hand, holding in zip(pair, (row[:2], row[2:4]), strict=True):
            combo = np.flatnonzero((COMBO_CARDS == sorted(holding)).all(axis=1))[0]
            assert hand == HAND_BY_COMBO[combo]


def test_deals_favour_nobody(game):
    stream = DealStream(6, game.flop)
    deals = stream.deal(200_000, stream.kernel_state(0, 0))
    assert abs(deals.outcome.mean()) < 5 / np.sqrt(200_000)
    i, j = deals.hands.T
    assert abs((deals.outcome - game.edge[i, j]).mean()) < 5 / np.sqrt(200_000)


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_sampled_edge_and_tell_batches_in_order(game, num_workers):
    alone, together = [], []
    edge = sample_edge(game, 350_000, 1, alone.append)
    shared = sample_edge(game, 350_000, 1, together.append, Team(num_workers))
    np.testing.assert_array_equal(shared, edge)
    assert alone[:-1] == together[:-1]  # all but the time that it took
