"""Flops with compact rivers against the exact engine, and against themselves."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from runout.cfr.cfr_kernels import EVALUATING, LEARN, RESPONDING, Step
from runout.cfr.schedules import DCFR_SPOT
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.holdem.cards import Rake
from runout.holdem.game import CardGame, Workspace
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers, CardTables
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import LearnedTables, Plan, Precision
from tests.samples.small_spots import make_spot, random_range, weigh


@dataclass(frozen=True)
class Apart:
    """A column for every hand of a turn card, in no special order."""

    number: int = 8

    def sort(self, cards, team):
        order = np.random.default_rng(3).permuted(
            np.tile(np.arange(6), (len(cards.runouts[0]), 1)), axis=1
        )
        return tuple(
            np.pad(order, ((0, 0), (0, player.width - 6))).astype(np.uint16)
            for player in cards.players
        )


@dataclass(frozen=True)
class Together:
    """Hands in as many buckets, at random."""

    number: int = 3

    def sort(self, cards, team):
        rng = np.random.default_rng(4)
        return tuple(
            rng.integers(0, self.number, (len(cards.runouts[0]), player.width), np.uint16)
            for player in cards.players
        )


#: No two hands of a player ever tie on these flops, so each is a bucket of its own.
OOP, IP = weigh("AcAd KhQh 8c8s 7d6d 5h4h", 1), weigh("AhAs QdQc KdJd 9s9d 6h5h AhKd", 2)
POT = 10.0
APART = BucketRivers(16, merges_cards=False)


def tiny_spot(rake=None, merges=True):
    more = {} if rake is None else {"rake": rake}
    return make_spot(
        "Kc7h2s", OOP, IP, "50%, a", pot=POT, stack=20, max_raises=1, merges=merges, **more
    )


def values(solver, player, step=EVALUATING):
    found = solver.game.visit(player, step, solver.tables, solver.root_reach[player])
    return found[: len(solver.game.cards.players[player].combos)]


def solve(num_iterations, spot=None, **options):
    solver = SpotSolver(spot or tiny_spot(), **options)
    solver.run(num_iterations)
    return solver


@pytest.mark.parametrize("rake", [None, Rake(0.05, 1.0)])
@pytest.mark.parametrize("merges", [True, False])
def test_with_a_bucket_for_every_hand_it_learns_what_the_exact_engine_learns(rake, merges):
    spot = tiny_spot(rake, merges)
    exact, compact = solve(2, spot), solve(2, spot, rivers=APART)
    for player in (0, 1):
        for step in (EVALUATING, RESPONDING):
            np.testing.assert_allclose(
                values(compact, player, step), values(exact, player, step), rtol=1e-4, atol=1e-5
            )


def test_with_a_bucket_for_every_hand_it_is_worth_what_the_exact_engine_finds():
    exact, compact = solve(60), solve(60, rivers=APART)
    close = exact.exploitability() + compact.exploitability()
    assert close < 0.1 * POT
    # Each value lies within what both best responses gain of the game's.
    assert compact.expected_value(0) == pytest.approx(exact.expected_value(0), abs=2.0 * close)


@pytest.mark.parametrize("merges", [True, False])
def test_with_a_turn_bucket_for_every_hand_it_learns_what_it_learns_without(merges):
    spot = tiny_spot(merges=merges)
    apart, buckets = (
        solve(2, spot, rivers=replace(APART, turns=turns)) for turns in (None, Apart())
    )
    for player in (0, 1):
        for step in (EVALUATING, RESPONDING):
            np.testing.assert_allclose(
                values(buckets, player, step), values(apart, player, step), rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("precision", list(Precision))
def test_a_turn_bucket_learns_the_sum_of_what_its_hands_learn(precision):
    options = {"precision": precision}
    hands, buckets = (
        solve(0, rivers=replace(APART, turns=turns), **options) for turns in (None, Together())
    )
    for solver in (hands, buckets):  # what is played at first does not depend on buckets
        step = Step(LEARN, *np.array(DCFR_SPOT.weights(0), np.float32))
        solver.game.visit(0, step, solver.tables, solver.root_reach[0])
    columns = buckets.game.card_tables.turn_columns
    weight = hands.game.cards.players[0].weights
    for turn in range(len(columns[0])):
        for player, part, scale, of_hand in (
            (0, "regret", "regret_scale", weight),
            (1, "strategy_sum", "sum_scale", np.ones(6)),
        ):
            by_hand, by_bucket = (
                decoded(solver.tables.by_street[1][player], turn, part, scale)
                for solver in (hands, buckets)
            )
            expected, number = np.zeros((len(by_hand), 3)), len(of_hand)
            np.add.at(expected.T, columns[player][turn, :number], (by_hand[:, :number] * of_hand).T)
            tolerance = (1e-5 if precision == Precision.SINGLE else 2e-3) * np.abs(expected).max()
            np.testing.assert_allclose(by_bucket, expected, atol=tolerance)


def decoded(learning, board, part, scale):
    """Returns ``[A, columns]`` a table of one board as numbers."""
    numbers, units = getattr(learning, part)[board].astype(np.float64), getattr(learning, scale)
    if not units.size:
        return numbers
    # The scale of a decision is in the row of its first action.
    first = np.maximum.accumulate(np.where(units[board] > 0.0, np.arange(len(numbers)), 0))
    return numbers * units[board, first, None]


@pytest.mark.parametrize("turns", [None, Together()])
@pytest.mark.parametrize("precision", list(Precision))
def test_any_number_of_threads_learns_the_same_bits(precision, turns):
    one, two = (
        solve(3, rivers=BucketRivers(16, turns=turns), team=Team(number), precision=precision)
        for number in (1, 2)
    )
    for ours, theirs in zip(one.tables.by_street, two.tables.by_street, strict=True):
        for mine, other in zip(ours, theirs, strict=True):
            for part, same in zip(mine, other, strict=True):
                np.testing.assert_array_equal(part, same)


@pytest.mark.parametrize(
    "rivers", [BucketRivers(16), BucketRivers(16, turns=Together()), EXACT_RIVERS]
)
def test_games_that_share_cards_and_space_learn_what_they_learn_alone(rivers):
    spots = [tiny_spot(), make_spot("Kc7h2s", OOP, IP, "a", pot=POT, stack=40)]
    alone = [solve(3, spot, rivers=rivers) for spot in spots]
    cards = CardTables.build(spots[0], rivers)
    games = [CardGame(spot, rivers, card_tables=cards) for spot in spots]
    plan = Plan.covering([game.plan_workspace() for game in games])
    space = Workspace(plan, rivers.worker_space)
    tables = [
        LearnedTables.allocate(game.templates, game.table_sizes(), Precision.SINGLE)
        for game in games
    ]
    for weights in np.array([DCFR_SPOT.weights(t) for t in range(3)], np.float32):
        for player in (0, 1):
            reach = cards.to_come.root_reach(player)
            for game, learned in zip(games, tables, strict=True):
                game.visit(player, Step(LEARN, *weights), learned, reach, space)
    for solver, learned in zip(alone, tables, strict=True):
        for ours, theirs in zip(solver.tables.by_street, learned.by_street, strict=True):
            for mine, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(mine.regret, other.regret)
                np.testing.assert_array_equal(mine.strategy_sum, other.strategy_sum)


def test_nobody_who_arrives_is_worth_nothing():
    solver = solve(2, rivers=BucketRivers(16))
    nobody = np.zeros_like(solver.root_reach[0])
    assert not solver.game.visit(0, EVALUATING, solver.tables, nobody).any()


def test_boards_that_are_no_flop_are_refused():
    with pytest.raises(ConfigError, match="rivers: compact needs a flop, Kc7h2s9d has 4 cards"):
        SpotSolver(make_spot("Kc7h2s9d", OOP, IP), rivers=BucketRivers(16))


def test_decks_that_are_not_whole_are_refused():
    spot = replace(tiny_spot(), deck=tuple(range(16, 52)))
    with pytest.raises(ConfigError, match="rivers: compact needs a whole deck, this one has 36"):
        SpotSolver(spot, rivers=BucketRivers(16))


def shares_of_pot(solver, player):
    """Returns ``[n]`` what hands win of half the pot for each unit of range that they meet."""
    game, found = solver.game, values(solver, player).astype(np.float64)
    hands, reach = game.hands(player), solver.root_reach[player].astype(np.float64)
    theirs = [set(cards) for cards in hands.villain_cards.tolist()]
    met = [
        sum(weight for weight, cards in zip(reach, theirs, strict=True) if not cards & set(mine))
        for mine in hands.hero_cards[: len(found)].tolist()
    ]
    return found / (POT / 2.0) / np.array(met)


def checked_down(oop, ip, rivers=EXACT_RIVERS):
    """Returns a solver of a flop on which nobody can bet."""
    return SpotSolver(make_spot("Kc7h2s", oop, ip, "", pot=POT), rivers=rivers)


def test_checked_down_flops_come_as_near_to_showdowns_as_the_buckets_allow():
    ranges = random_range(110, 5), random_range(90, 6)
    exact = [shares_of_pot(checked_down(*ranges), player) for player in (0, 1)]
    largest = []
    for number in (16, 48, 144):
        solver = checked_down(*ranges, BucketRivers(number))
        errors = np.concatenate(
            [shares_of_pot(solver, player) - exact[player] for player in (0, 1)]
        )
        # Hands of one bucket tie: who is there with a hand counts wrongly by at most all it is.
        assert np.sqrt((errors**2).mean()) < 1.0 / number + 0.01
        largest.append(np.abs(errors).max())
    assert largest[0] > largest[2]


def test_checked_down_flops_are_exact_with_a_bucket_for_every_hand():
    exact, compact = checked_down(OOP, IP), checked_down(OOP, IP, APART)
    for player in (0, 1):
        np.testing.assert_allclose(
            shares_of_pot(compact, player), shares_of_pot(exact, player), rtol=1e-4, atol=1e-5
        )


@pytest.mark.parametrize("has_blockers", [False, True])
def test_players_who_swap_ranges_swap_what_they_win(has_blockers):
    first, second = random_range(60, 5), random_range(70, 6)
    rivers = BucketRivers(32, "on" if has_blockers else "off")
    there, back = checked_down(first, second, rivers), checked_down(second, first, rivers)
    for player in (0, 1):
        np.testing.assert_allclose(
            values(there, player), values(back, 1 - player), rtol=1e-4, atol=1e-6
        )


def test_suits_that_are_merged_change_nothing():
    text = ("AA,KQs,88,76s,54s", "QQ,JJ,KJs,99,65s,AQs")
    merged, apart = (
        solve(2, make_spot("Kh7h2h", *text, "a", pot=POT, stack=20, merges=merges), rivers=rivers)
        for merges, rivers in ((True, BucketRivers(32)), (False, BucketRivers(32)))
    )
    assert len(merged.game.cards.deals[0].card) < len(apart.game.cards.deals[0].card)
    for player in (0, 1):
        np.testing.assert_allclose(
            values(merged, player), values(apart, player), rtol=1e-3, atol=1e-4
        )
