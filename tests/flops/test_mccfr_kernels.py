"""Every kernel against its twin; arguments have the types that the package calls them with."""

import numpy as np
import pytest

from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, live_combos, parse_board
from runout.cards.evaluator import evaluator_tables
from runout.cfr.schedules import DCFR, DiscountWeights
from runout.equity import equity_kernels
from runout.flops import mccfr_kernels
from runout.flops.hands import group_by_hand
from runout.flops.mccfr_kernels import Deals, SampledTables
from runout.trees.betting import BettingRules
from runout.trees.tree import SHOWDOWN, PostflopTree
from tests.reference import mccfr as reference

TREE = PostflopTree.build(BettingRules.of([0.5], 1), 2.0)
PAYOFF = TREE.fold_gain, np.where(TREE.leaf_kind == SHOWDOWN, TREE.leaf_stake, 0.0)
NUM_TEST_HANDS = 5

# https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
PUBLISHED_SEED = 1234567
PUBLISHED_WORDS = (6457827717110365317, 3203168211198807973, 9817491932198370423)


def state_of(number: int) -> np.ndarray:
    return np.array([number], dtype=np.uint64)


def random_tables(seed: int) -> SampledTables:
    generator = np.random.default_rng(seed)
    shape = (NUM_TEST_HANDS, TREE.num_nodes)
    regret = generator.normal(size=shape) * (generator.random(shape) < 0.8)
    return SampledTables(regret, generator.random(shape))


def test_twin_is_the_published_generator():
    random = reference.SplitMix64(PUBLISHED_SEED)
    assert tuple(random.next_word() for _ in PUBLISHED_WORDS) == PUBLISHED_WORDS


@pytest.mark.parametrize("seed", [0, 5, PUBLISHED_SEED, 2**64 - 1])
def test_deal_cards_draws_like_its_twin_and_moves_its_state(seed):
    deck, state, random = (
        np.arange(3, 52, dtype=np.uint8),
        state_of(seed),
        reference.SplitMix64(seed),
    )
    out_cards = np.empty((200, 6), dtype=np.uint8)
    mccfr_kernels.deal_cards(deck, state, out_cards)
    expected = reference.deal_cards(deck.tolist(), random.uniform, 200, 6)
    np.testing.assert_array_equal(out_cards, expected)
    assert int(state[0]) == random.state
    assert all(len(set(row)) == 6 for row in out_cards.tolist())


def test_deal_cards_deals_every_order_equally_often():
    deck = np.arange(4, dtype=np.uint8)
    out_cards = np.empty((120_000, 2), dtype=np.uint8)
    mccfr_kernels.deal_cards(deck, state_of(1), out_cards)
    counts = np.bincount(out_cards[:, 0].astype(int) * 4 + out_cards[:, 1], minlength=16)
    possible = ~np.eye(4, dtype=bool).ravel()
    assert not counts[~possible].any()
    assert np.abs(counts[possible] - 10_000).max() < 5 * np.sqrt(10_000)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("weights", [DCFR.weights(7), DiscountWeights(0.5, 0.0, 0.25)])
def test_discount_tables_scales_what_a_pass_adds_to(player, weights):
    tables = random_tables(2)
    expected = reference.discount_tables(TREE.layout, player, weights, *tables)
    mccfr_kernels.discount_tables(TREE.layout, player, weights, tables)
    for out_table, expected_table in zip(tables, expected, strict=True):
        np.testing.assert_array_equal(out_table[:, 1:], expected_table[:, 1:])


@pytest.mark.parametrize("player", [0, 1])
def test_traverse_deals_walks_like_the_recursion_with_the_same_random_numbers(player):
    generator = np.random.default_rng(3)
    hands = generator.integers(0, NUM_TEST_HANDS, (300, 2))  # equal hands may meet, too
    deals = Deals(hands, generator.integers(-1, 2, 300).astype(np.float64))
    tables, expected = random_tables(4), random_tables(4)
    state = state_of(9)
    mccfr_kernels.traverse_deals(TREE.layout, PAYOFF, player, deals, state, tables)

    random = reference.SplitMix64(9)
    for pair, outcome in zip(hands.tolist(), deals.outcome.tolist(), strict=True):
        equity = (1.0 + outcome) / 2.0
        payoff = TREE.leaf_payoffs(player, equity if player == 0 else 1.0 - equity)
        walk = reference.Traversal(TREE.layout, player, pair, payoff.__getitem__, *expected)
        walk.run(random.uniform)
    assert int(state[0]) == random.state
    np.testing.assert_allclose(tables.regret, expected.regret, rtol=0, atol=1e-11)
    np.testing.assert_allclose(tables.strategy_sum, expected.strategy_sum, rtol=0, atol=1e-11)


def test_traverse_deals_never_samples_an_action_without_probability():
    tables = random_tables(5)
    tables.regret[:] = -1.0
    first = TREE.layout.first_child
    is_first = np.isin(np.arange(TREE.num_nodes), first[first >= 0])
    tables.regret[:, is_first] = 1.0  # everybody always takes the first action
    tables.strategy_sum[:] = 0.0
    deals = Deals(np.tile([1, 2], (50, 1)), np.ones(50))
    mccfr_kernels.traverse_deals(TREE.layout, PAYOFF, 0, deals, state_of(0), tables)
    assert tables.strategy_sum[2].max() == 50.0
    assert not tables.strategy_sum[:, ~is_first].any()
    assert not tables.strategy_sum[[0, 1, 3, 4]].any()


@pytest.fixture(scope="module")
def ranked():
    """Ranks of the combos of a flop, sorted by hand, on 400 runouts."""
    flop = parse_board("Ts9s9h")
    combos = live_combos(flop)
    combos = combos[np.argsort(HAND_BY_COMBO[combos], kind="stable")]
    generator = np.random.default_rng(6)
    rest = np.setdiff1d(np.arange(52), flop)
    runouts = [generator.choice(rest, 2, replace=False) for _ in range(400)]
    boards = np.array([[*flop, *runout] for runout in runouts], dtype=np.uint8)
    hero = np.empty((len(boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    return combos, hero, villain


@pytest.mark.parametrize("num_runouts", [1, 2, 12, 255, 256])
def test_count_wins_by_hand_adds_up_disjoint_combos(ranked, num_runouts):
    combos, hero, villain = ranked
    runouts = np.random.default_rng(7).choice(400, num_runouts, replace=False)
    out_wins = np.full((NUM_HANDS, NUM_HANDS), -1, dtype=np.int64)
    start, blocked = group_by_hand(combos)
    assert blocked.shape == (1_176, 95)
    for span in ((0, 60), (60, NUM_HANDS)):
        mccfr_kernels.count_wins_by_hand(hero, villain, runouts, start, blocked, span, out_wins)
    expected = reference.count_wins_by_hand(
        hero, villain, runouts, combos, HAND_BY_COMBO[combos], NUM_HANDS
    )
    np.testing.assert_array_equal(out_wins, expected)
