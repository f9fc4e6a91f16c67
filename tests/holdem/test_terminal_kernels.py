import numpy as np
import pytest

from runout.cards.combos import COMBO_CARDS
from runout.holdem import terminal_kernels
from runout.holdem.simd_kernels import LANES
from runout.holdem.tables import make_transfer
from runout.holdem.terminal_kernels import FOLDS, RAKE, SHOWDOWNS, Lanes, Meeting
from tests.reference.terminals import value_of_node

#: Terminals: one, around one half of the lanes, around all lanes, and several rounds.
NUMBERS = [1, 7, 8, 9, 15, 16, 17, 33]
UNTOUCHED = np.float32(-77.0)


def padded(count):
    return -(-count // 16) * 16


def random_meeting(num_hero, num_villain, seed, num_strengths=4):
    """Returns a meeting of random combos; some are blocked, some are the same, many tie."""
    rng = np.random.default_rng(seed)
    pool = rng.choice(1326, max(num_hero, num_villain) + 3, replace=False)
    strength_of = dict(
        zip(pool.tolist(), rng.integers(1, num_strengths + 1, len(pool)), strict=True)
    )
    sides, orders = [], []
    for count in (num_hero, num_villain):
        combos = rng.permutation(pool)[:count]
        cards = np.tile(np.array([0, 1], dtype=np.int64), (padded(count), 1))
        cards[:count] = COMBO_CARDS[combos]
        live = np.flatnonzero(rng.random(count) < 0.85)
        strength = np.array([strength_of[combo] for combo in combos[live].tolist()], np.uint8)
        order = np.argsort(strength, kind="stable")
        sides.append((combos, cards))
        orders.append((live[order].astype(np.int16), strength[order]))
    (hero, hero_cards), (villain, villain_cards) = sides
    same = np.full(len(hero_cards), -1, dtype=np.int64)
    for hand, combo in enumerate(hero):
        (found,) = np.nonzero(villain == combo)
        if len(found):
            same[hand] = found[0]
    holding = holders_of(villain_cards[:num_villain])
    return Meeting(hero_cards, villain_cards, same, holding, *orders[0], *orders[1])


def holders_of(cards):
    """Returns ``[52, 51]`` the hands that hold a card, the rest -1."""
    holding = np.full((52, 51), -1, dtype=np.int64)
    for card in range(52):
        (hands,) = np.nonzero((cards == card).any(axis=1))
        holding[card, : len(hands)] = hands
    return holding


def random_reach(meeting, num_rows, seed):
    """Returns reach of the possible hands; others have none, as after a card was dealt."""
    reach = np.zeros((num_rows, len(meeting.villain_cards)), np.float32)
    live = meeting.villain_order
    reach[:, live] = np.random.default_rng(seed).random((num_rows, len(live))) ** 3
    return reach


def make_lanes(meeting):
    hero, villain = len(meeting.hero_cards), len(meeting.villain_cards)
    return Lanes(
        reach=np.full((villain, LANES), np.nan, np.float32),
        value=np.full((hero, LANES), np.nan, np.float32),
        total=np.full(LANES, np.nan),
        by_card=np.full((52, LANES), np.nan),
        transfer=make_transfer(hero),
    )


def value_nodes(what, meeting, num_nodes, seed, out=None):
    """Values terminals in mixed order; returns nodes, rows, payoffs, reach and ``[n, H]``."""
    rng = np.random.default_rng(seed)
    num_rows = num_nodes // 2 + 1  # several terminals share a row
    reach = random_reach(meeting, num_rows, seed)
    nodes = rng.permutation(num_nodes + 3)[:num_nodes].astype(np.int32)
    rows = rng.integers(0, num_rows, num_nodes).astype(np.int32)
    payoff = rng.normal(size=num_nodes).astype(np.float32)
    if out is None:
        out = np.full((num_nodes + 3, len(meeting.hero_cards)), UNTOUCHED, np.float32)
    lanes = make_lanes(meeting)
    terminal_kernels.clear_values(lanes)
    terminal_kernels.value_nodes(what, nodes, rows, payoff, meeting, reach, lanes, out)
    return nodes, rows, payoff, reach, out


@pytest.mark.parametrize("what", [FOLDS, SHOWDOWNS])
@pytest.mark.parametrize("num_nodes", NUMBERS)
@pytest.mark.parametrize(
    ("num_hero", "num_villain"), [(1, 1), (3, 40), (40, 3), (16, 17), (33, 33)]
)
def test_terminals_match_their_twin(num_hero, num_villain, num_nodes, what):
    meeting = random_meeting(num_hero, num_villain, seed=num_nodes)
    nodes, rows, payoff, reach, out = value_nodes(what, meeting, num_nodes, seed=num_nodes)
    for node, row, pays in zip(nodes, rows, payoff, strict=True):
        expected = value_of_node(what, pays, meeting, reach[row])
        np.testing.assert_allclose(out[node], expected, rtol=1e-5, atol=1e-6)
    others = np.setdiff1d(np.arange(len(out)), nodes)
    np.testing.assert_array_equal(out[others], UNTOUCHED)


@pytest.mark.parametrize("num_nodes", NUMBERS)
def test_rake_is_added_to_what_is_there(num_nodes):
    meeting = random_meeting(20, 30, seed=1)
    before = np.random.default_rng(2).normal(size=(num_nodes + 3, 32)).astype(np.float32)
    nodes, rows, payoff, reach, out = value_nodes(RAKE, meeting, num_nodes, 3, before.copy())
    for node, row, pays in zip(nodes, rows, payoff, strict=True):
        expected = before[node] + value_of_node(RAKE, pays, meeting, reach[row])
        np.testing.assert_allclose(out[node], expected, rtol=1e-5, atol=1e-6)
    others = np.setdiff1d(np.arange(len(out)), nodes)
    np.testing.assert_array_equal(out[others], before[others])


def test_meetings_of_the_tests_have_ties_the_same_hands_and_blocked_ones():
    meeting = random_meeting(33, 33, seed=17)
    assert (meeting.same >= 0).sum() > 20
    assert len(meeting.hero_order) < 33
    assert np.intersect1d(meeting.hero_strength, meeting.villain_strength).size > 1


def test_hands_that_tie_everybody_win_exactly_nothing_at_showdowns():
    meeting = random_meeting(33, 33, seed=5, num_strengths=1)
    nodes, *_, out = value_nodes(SHOWDOWNS, meeting, 9, seed=5)
    np.testing.assert_array_equal(out[nodes], 0.0)


@pytest.mark.parametrize("what", [FOLDS, SHOWDOWNS])
def test_blocked_hands_and_padding_win_exactly_nothing(what):
    meeting = random_meeting(33, 33, seed=6)
    nodes, *_, out = value_nodes(what, meeting, 17, seed=6)
    blocked = np.setdiff1d(np.arange(len(meeting.hero_cards)), meeting.hero_order)
    assert len(blocked) > 48 - 33
    np.testing.assert_array_equal(out[nodes][:, blocked], 0.0)


def test_two_hands_alone_with_the_same_cards_never_meet():
    meeting = random_meeting(1, 1, seed=0)
    cards = meeting.hero_cards.copy()
    strength = np.array([3], np.uint8)
    order = np.zeros(1, np.int16)
    same = np.where(np.arange(16) == 0, 0, -1)
    holding = holders_of(cards[:1])
    sides = order, strength, order.copy(), strength.copy()
    meeting = Meeting(cards, cards.copy(), same, holding, *sides)
    for what in (FOLDS, SHOWDOWNS):
        nodes, *_, out = value_nodes(what, meeting, 3, seed=0)
        np.testing.assert_array_equal(out[nodes], 0.0)


def test_what_hands_meet_is_summed_in_lanes():
    meeting = random_meeting(33, 40, seed=9)
    lanes = make_lanes(meeting)
    terminal_kernels.clear_values(lanes)
    reach = random_reach(meeting, LANES, seed=9)
    lanes.reach[:] = reach.T
    terminal_kernels.sum_reach(meeting, lanes)
    for lane in range(LANES):
        expected = value_of_node(FOLDS, 1.0, meeting, reach[lane])
        np.testing.assert_allclose(lanes.value[:, lane], expected, rtol=1e-5, atol=1e-5)


def test_clearing_reaches_every_hand_and_lane():
    lanes = make_lanes(random_meeting(17, 3, seed=0))
    terminal_kernels.clear_values(lanes)
    np.testing.assert_array_equal(lanes.value, 0.0)
