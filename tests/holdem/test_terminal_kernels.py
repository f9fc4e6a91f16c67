import inspect

import numpy as np
import pytest

from runout.cards.deck import COMBO_CARDS
from runout.holdem import terminal_kernels
from runout.holdem.street_kernels import Lanes, Scratch, Terminals
from runout.holdem.terminal_kernels import Hands, Matchups
from runout.jit import kernel
from runout.simd.vector_kernels import LANES
from tests.reference.terminals import value_of_fold, value_of_showdown

#: Inside a kernel they are compiled, and alone they are not.
sum_folds, compare_showdowns = (
    kernel(inspect.unwrap(each))
    for each in (terminal_kernels.value_folds, terminal_kernels.value_showdowns)
)

#: Terminals: one, around one half of the lanes, around all lanes, and several rounds.
NUMBERS = [1, 7, 8, 9, 15, 16, 17, 33]
UNTOUCHED = np.float32(-77.0)
NO_RAKE = np.zeros(0, np.float32)
NO_TERMINALS = Terminals(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))


def padded(count):
    return -(-count // 16) * 16


def random_matchups(num_hero, num_villain, seed, num_strengths=4):
    """Returns matchups of random combos, of which some are blocked and many tie, and strengths."""
    rng = np.random.default_rng(seed)
    pool = rng.choice(1326, max(num_hero, num_villain) + 3, replace=False)
    strength_of = dict(
        zip(pool.tolist(), rng.integers(1, num_strengths + 1, len(pool)), strict=True)
    )
    sides, orders, strengths = [], [], []
    for count in (num_hero, num_villain):
        combos = rng.permutation(pool)[:count]
        cards = np.tile(np.array([0, 1], dtype=np.int64), (padded(count), 1))
        cards[:count] = COMBO_CARDS[combos]
        live = np.flatnonzero(rng.random(count) < 0.85)
        strength = np.array([strength_of[combo] for combo in combos[live].tolist()], np.uint8)
        order = np.argsort(strength, kind="stable")
        sides.append((combos, cards))
        orders.append(live[order].astype(np.int16))
        strengths.append(strength[order])
    (hero, hero_cards), (villain, villain_cards) = sides
    same = np.full(len(hero_cards), -1, dtype=np.int64)
    for hand, combo in enumerate(hero):
        (found,) = np.nonzero(villain == combo)
        if len(found):
            same[hand] = found[0]
    return matchups_of((hero_cards, villain_cards), same, orders, strengths), strengths


def first_sums(cards):
    """Returns ``[52]`` rows with room for the running sums of all hands, then of each card."""
    num_holding = np.bincount(cards.ravel(), minlength=52)
    return len(cards) + 1 + np.arange(52) + np.cumsum(num_holding) - num_holding


def matchups_of(cards, same, orders, strengths):
    """Returns a matchups whose running sums the kernel finds."""
    hero_sums = np.zeros((1, len(orders[0]), 8), np.int16)
    villain_sums = np.zeros((1, len(orders[1]), 2), np.int16)
    first = first_sums(cards[1])
    terminal_kernels.find_sums(
        tuple(strength[None] for strength in strengths),
        tuple(order[None] for order in orders),
        tuple(np.array([len(order)]) for order in orders),
        cards,
        first,
        hero_sums,
        villain_sums,
    )
    of_board = orders[0], hero_sums[0], orders[1], villain_sums[0]
    no_holding, no_image = np.full((52, 51), -1), np.zeros((24, len(same)), np.int64)
    return Matchups(Hands(*cards, same, no_holding, no_image), *of_board)


def random_reach(matchups, num_rows, seed):
    """Returns reach of the possible hands; others have none, as after a card was dealt."""
    reach = np.zeros((num_rows, len(matchups.hands.villain_cards)), np.float32)
    live = matchups.villain_order
    reach[:, live] = np.random.default_rng(seed).random((num_rows, len(live))) ** 3
    return reach


def make_lanes(matchups):
    hero, villain = len(matchups.hands.hero_cards), len(matchups.hands.villain_cards)
    running = np.zeros((3 * villain + 53, LANES), np.float32)
    return Lanes(
        reach=np.full((villain, LANES), np.nan, np.float32),
        value=np.full((hero, LANES), np.nan, np.float32),
        met=np.full((hero, LANES), np.nan, np.float32),
        by_card=np.full((52, LANES), np.nan, np.float32),
        running=running,
    )


def space(reach, lanes, out):
    return Scratch(reach, out, lanes, np.zeros((0, 0), np.float32))


def random_terminals(num_nodes, num_rows, seed):
    """Returns terminals in mixed order, several of which share a row."""
    rng = np.random.default_rng(seed)
    nodes = rng.permutation(num_nodes + 3)[:num_nodes].astype(np.int32)
    rows = rng.integers(0, num_rows, num_nodes).astype(np.int32)
    return Terminals(nodes, rows, rng.normal(size=num_nodes).astype(np.float32))


def value_folds(matchups, num_nodes, seed):
    """Returns folds, reach and ``[n, H]`` values."""
    reach = random_reach(matchups, num_nodes // 2 + 1, seed)
    folds = random_terminals(num_nodes, len(reach), seed)
    out = np.full((num_nodes + 3, len(matchups.hands.hero_cards)), UNTOUCHED, np.float32)
    lanes = make_lanes(matchups)
    terminal_kernels.clear_values(lanes)
    sum_folds(folds, False, matchups, space(reach, lanes, out))
    return folds, reach, out


def value_showdowns(matchups, num_nodes, seed, num_folds=0, rake=NO_RAKE):
    """Returns showdowns, folds with the reach of the first of them, reach and ``[n, H]`` values."""
    reach = random_reach(matchups, num_nodes // 2 + 1, seed)
    showdowns = random_terminals(num_nodes, len(reach), seed)
    nodes = num_nodes + 3 + np.arange(num_folds, dtype=np.int32)
    gains = np.random.default_rng(seed).normal(size=num_folds).astype(np.float32)
    folds = Terminals(nodes, showdowns.row[:num_folds], gains)
    num_rows = num_nodes + 3 + num_folds
    out = np.full((num_rows, len(matchups.hands.hero_cards)), UNTOUCHED, np.float32)
    lanes = make_lanes(matchups)
    terminal_kernels.clear_values(lanes)
    compare_showdowns(showdowns, rake, folds, matchups, space(reach, lanes, out))
    return showdowns, folds, reach, out


def assert_folds(folds, matchups, reach, out):
    for node, row, gain in zip(*folds, strict=True):
        expected = gain * value_of_fold(matchups, reach[row])
        np.testing.assert_allclose(out[node], expected, rtol=1e-5, atol=1e-6)


every_number = pytest.mark.parametrize("num_nodes", NUMBERS)
every_size = pytest.mark.parametrize(
    ("num_hero", "num_villain"), [(1, 1), (3, 40), (40, 3), (16, 17), (33, 33)]
)


@every_number
@every_size
def test_folds_match_their_twin(num_hero, num_villain, num_nodes):
    matchups, _ = random_matchups(num_hero, num_villain, seed=num_nodes)
    folds, reach, out = value_folds(matchups, num_nodes, seed=num_nodes)
    assert_folds(folds, matchups, reach, out)
    others = np.setdiff1d(np.arange(len(out)), folds.node)
    np.testing.assert_array_equal(out[others], UNTOUCHED)


@every_number
@every_size
def test_showdowns_match_their_twin(num_hero, num_villain, num_nodes):
    matchups, strengths = random_matchups(num_hero, num_villain, seed=num_nodes)
    showdowns, _, reach, out = value_showdowns(matchups, num_nodes, seed=num_nodes)
    for node, row, stake in zip(*showdowns, strict=True):
        expected = stake * value_of_showdown(matchups, strengths, reach[row])
        np.testing.assert_allclose(out[node], expected, rtol=1e-5, atol=1e-6)
    others = np.setdiff1d(np.arange(len(out)), showdowns.node)
    np.testing.assert_array_equal(out[others], UNTOUCHED)


@every_number
@pytest.mark.parametrize("is_raked", [False, True])
def test_folds_with_the_reach_of_showdowns_and_rake_come_with_them(is_raked, num_nodes):
    matchups, strengths = random_matchups(20, 30, seed=1)
    number = num_nodes if is_raked else 0
    rake = -np.random.default_rng(2).random(number).astype(np.float32)
    showdowns, folds, reach, out = value_showdowns(matchups, num_nodes, 3, num_nodes // 2, rake)
    assert_folds(folds, matchups, reach, out)
    for i, (node, row, stake) in enumerate(zip(*showdowns, strict=True)):
        expected = stake * value_of_showdown(matchups, strengths, reach[row])
        if is_raked:
            expected += rake[i] * value_of_fold(matchups, reach[row])
        np.testing.assert_allclose(out[node], expected, rtol=1e-5, atol=1e-6)
    others = np.setdiff1d(np.arange(len(out)), [*showdowns.node, *folds.node])
    np.testing.assert_array_equal(out[others], UNTOUCHED)


def test_meetings_of_the_tests_have_ties_the_same_hands_and_blocked_ones():
    matchups, strengths = random_matchups(33, 33, seed=17)
    assert (matchups.hands.same >= 0).sum() > 20
    assert len(matchups.hero_order) < 33
    assert np.intersect1d(*strengths).size > 1


@pytest.mark.parametrize("num_strengths", [1, 4, 30])
@every_size
def test_running_sums_are_found_where_hands_are_counted(num_hero, num_villain, num_strengths):
    matchups, strengths = random_matchups(num_hero, num_villain, 11, num_strengths)
    mine, theirs = (strength.astype(int) for strength in strengths)
    cards = matchups.hands.villain_cards
    first = first_sums(cards)
    held = cards[matchups.villain_order]
    for i, hand in enumerate(matchups.hero_order):
        below, upto = theirs < mine[i], theirs <= mine[i]
        expected = [below.sum(), upto.sum()]
        for card in matchups.hands.hero_cards[hand]:
            holds = (held == card).any(axis=1)
            expected += [first[card] + (holds & below).sum(), first[card] + (holds & upto).sum()]
        for card in matchups.hands.hero_cards[hand]:
            expected.append(first[card] + (held == card).any(axis=1).sum())
        assert matchups.hero_sums[i].tolist() == expected
    for i in range(len(held)):
        for side in range(2):
            number = (held[: i + 1] == held[i, side]).any(axis=1).sum()
            assert matchups.villain_sums[i, side] == first[held[i, side]] + number


def test_hands_that_tie_everybody_win_exactly_nothing_at_showdowns():
    matchups, _ = random_matchups(33, 33, seed=5, num_strengths=1)
    showdowns, *_, out = value_showdowns(matchups, 9, seed=5)
    np.testing.assert_array_equal(out[showdowns.node], 0.0)


def test_blocked_hands_and_padding_win_exactly_nothing():
    matchups, _ = random_matchups(33, 33, seed=6)
    blocked = np.setdiff1d(np.arange(len(matchups.hands.hero_cards)), matchups.hero_order)
    assert len(blocked) > 48 - 33
    ends, _, out = value_folds(matchups, 17, seed=6)
    np.testing.assert_array_equal(out[ends.node][:, blocked], 0.0)
    ends, folds, _, out = value_showdowns(matchups, 17, 6, num_folds=9)
    np.testing.assert_array_equal(out[[*ends.node, *folds.node]][:, blocked], 0.0)


def test_two_hands_alone_with_the_same_cards_never_meet():
    cards = np.tile(np.array([0, 1], dtype=np.int64), (16, 1))
    cards[0] = 7, 9
    same = np.where(np.arange(16) == 0, 0, -1)
    orders, strengths = [np.zeros(1, np.int16)] * 2, [np.array([3], np.uint8)] * 2
    matchups = matchups_of((cards, cards.copy()), same, orders, strengths)
    folds, _, out = value_folds(matchups, 3, seed=0)
    np.testing.assert_array_equal(out[folds.node], 0.0)
    showdowns, folds, _, out = value_showdowns(matchups, 3, 0, num_folds=2)
    np.testing.assert_array_equal(out[[*showdowns.node, *folds.node]], 0.0)


@pytest.mark.parametrize("num_villain", [40, 400, 1081])
def test_rounding_stays_within_what_the_module_says(num_villain):
    """Reach of very different sizes, against exact sums."""
    matchups, strengths = random_matchups(9, num_villain, seed=num_villain, num_strengths=25)
    rng = np.random.default_rng(num_villain)
    lanes = make_lanes(matchups)
    terminal_kernels.clear_values(lanes)
    reach = random_reach(matchups, LANES, seed=9) * 10.0 ** rng.integers(-6, 1, (LANES, 1))
    reach = reach.astype(np.float32)
    ends = Terminals(
        np.arange(LANES, dtype=np.int32),
        np.arange(LANES, dtype=np.int32),
        np.ones(LANES, np.float32),
    )
    out = np.zeros((2 * LANES, len(matchups.hands.hero_cards)), np.float32)
    folds = ends._replace(node=ends.node + np.int32(LANES))
    compare_showdowns(ends, NO_RAKE, folds, matchups, space(reach, lanes, out))
    live, cards = matchups.hero_order, matchups.hands.villain_cards[matchups.villain_order]
    for lane in range(0, LANES, 5):
        arriving = reach[lane, matchups.villain_order].astype(np.float64)
        held = [
            arriving[(cards[:, :, None] == matchups.hands.hero_cards[hand]).any(axis=(1, 2))].sum()
            for hand in live
        ]
        bound = 2.0**-24 * (50.0 * np.array(held) + 4.0 * arriving.sum())
        met = value_of_fold(matchups, reach[lane])[live]
        won = value_of_showdown(matchups, strengths, reach[lane])[live]
        assert (np.abs(out[LANES + lane, live] - met) <= bound).all()
        assert (np.abs(out[lane, live] - won) <= 3.0 * bound).all()


def test_what_hands_meet_is_summed_in_lanes():
    matchups, _ = random_matchups(33, 40, seed=9)
    lanes = make_lanes(matchups)
    terminal_kernels.clear_values(lanes)
    reach = random_reach(matchups, LANES, seed=9)
    lanes.reach[:] = reach.T
    terminal_kernels.sum_reach(matchups, lanes)
    cards = matchups.hands.villain_cards
    for lane in range(LANES):
        expected = value_of_fold(matchups, reach[lane])
        np.testing.assert_allclose(lanes.value[:, lane], expected, rtol=1e-5, atol=1e-5)
        for card in range(52):
            live = [h for h in matchups.villain_order if card in cards[h]]
            held = reach[lane, live].sum()
            np.testing.assert_allclose(lanes.by_card[card, lane], held, rtol=1e-5, atol=1e-6)


def test_long_sums_are_in_double_precision_and_rounded_once():
    """In float32 the ones would vanish beside 2**25."""
    matchups, _ = random_matchups(1, 20, seed=3)
    lanes, order = make_lanes(matchups), matchups.villain_order
    lanes.reach[order] = np.linspace(0.1, 1.0, LANES, dtype=np.float32)
    lanes.reach[order[0]], lanes.reach[order[-1]] = 2.0**25, -(2.0**25)
    terminal_kernels.compare_hands(matchups, False, lanes)
    expected = lanes.reach[order].astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(lanes.running[len(order)], expected, rtol=1e-7)


def test_clearing_reaches_every_hand_and_lane():
    lanes = make_lanes(random_matchups(17, 3, seed=0)[0])
    terminal_kernels.clear_values(lanes)
    np.testing.assert_array_equal(lanes.value, 0.0)
    np.testing.assert_array_equal(lanes.met, 0.0)


def test_no_folds_are_no_work():
    matchups, _ = random_matchups(3, 3, seed=0)
    lanes, out = make_lanes(matchups), np.full((2, 16), UNTOUCHED)
    scratch = space(random_reach(matchups, 1, 0), lanes, out)
    sum_folds(NO_TERMINALS, False, matchups, scratch)
    np.testing.assert_array_equal(out, UNTOUCHED)
