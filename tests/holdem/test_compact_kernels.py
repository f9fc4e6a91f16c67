"""The visit of a turn card against its definition, river card by river card."""

import numpy as np
import pytest

from runout.holdem import compact_kernels, spot_kernels
from runout.holdem.compact_layouts import TurnArrival
from runout.holdem.spot_layouts import Arrival, Knowledge
from runout.holdem.street_kernels import EVALUATE, EVALUATING, RESPOND, RESPONDING
from runout.holdem.table_kernels import Learning
from tests.holdem.small_compact import (
    NUM_BUCKETS,
    random_learning,
    scratch_of,
    small_game,
    streets_of,
)
from tests.reference import slow_compact, street_forest

TURN = 4


def stack(learnings):
    return Learning(*(np.stack(parts) for parts in zip(*learnings, strict=True)))


def tables_of(game, player):
    """Returns tables of the turn and of all games, as a player sees them."""
    widths = [game.cards.players[who].width for who in (player, 1 - player)]
    first, end = game.river_games.first_game[TURN : TURN + 2]
    turn, river = [], []
    for number, who in enumerate((player, 1 - player)):
        turn.append(random_learning(game.templates[1].num_actions[who], widths[number], number))
        actions = game.templates[2].num_actions[who]
        river.append(
            stack(
                [
                    # Games before the turn card's are not looked at.
                    random_learning(actions, NUM_BUCKETS, 99 * max(g, first) + who)
                    for g in range(end)
                ]
            )
        )
    return Knowledge(*turn), Knowledge(*river)


def expected_chances(game, player, river, lanes, mode):
    """Returns ``[lanes, H]`` what hands win on all rivers."""
    streets = streets_of(game, player)
    games, hands = streets.games, streets.hands
    first, end = games.first_game[TURN : TURN + 2]
    total = np.zeros((len(lanes), len(hands.hero_cards)))
    for number in range(first, end):
        cards = games.cards[number, : games.num_cards[number]].tolist()
        entering = slow_compact.enter_game(
            cards, games.villain[number], hands.villain_cards, lanes, NUM_BUCKETS
        )
        villain, hero = (
            side.strategy_sum[number].astype(np.float64) for side in (river.villain, river.hero)
        )
        forest = streets.river.forest
        weights = None if mode == RESPOND else hero
        meets, wins = games.meets[number], games.wins[number]
        won = slow_compact.value_game(forest, meets, wins, entering, villain, weights)
        met = entering @ meets
        per_unit = np.divide(won, met, out=np.zeros_like(won), where=met > 1e-9)
        total += slow_compact.leave_game(
            cards, games.hero[number], hands.hero_cards, hands.villain_cards, lanes, per_unit
        )
    return total


@pytest.mark.parametrize(("mode", "step"), [(EVALUATE, EVALUATING), (RESPOND, RESPONDING)])
@pytest.mark.parametrize("player", [0, 1])
def test_a_turn_card_is_worth_what_its_rivers_are_worth(player, mode, step):
    game = small_game()
    streets, scratch, hands = streets_of(game, player), scratch_of(game, player), game.hands(player)
    turn, river = tables_of(game, player)
    deal = game.cards.deals[0]
    chance_row = game.templates[0].forests[player].chance_row
    num_hands = len(game.cards.players[1 - player].combos)
    reach = np.zeros((int(chance_row.max()) + 1, len(hands.villain_cards)), np.float32)
    reach[:, :num_hands] = np.random.default_rng(6).random((len(reach), num_hands))
    arrival = Arrival(reach, chance_row, int(deal.card[TURN]), deal.probability)
    out = np.zeros((len(chance_row), len(hands.hero_cards)), np.float32)
    compact_kernels.visit_turn(streets, TURN, turn, river, step, arrival, scratch, out)

    entering = reach[chance_row].astype(np.float64) * deal.probability
    entering[:, (hands.villain_cards == arrival.card).any(axis=1)] = 0.0
    forest = streets.turn
    down = street_forest.push_reach(
        forest, 0, turn.villain.strategy_sum.astype(np.float64), entering
    )
    value = np.zeros((len(forest.kind), len(hands.hero_cards)))
    is_live = ~(hands.hero_cards == arrival.card).any(axis=1)
    for node, gain in zip(forest.fold, forest.fold_gain, strict=True):
        for hand in np.flatnonzero(is_live):
            cards = hands.hero_cards[hand].tolist()
            met = slow_compact.met_by(cards, hands.villain_cards, down[node][None], -1)
            value[node, hand] = gain * met[0]
    lanes = down[forest.chance] * float(game.cards.deals[1].probability)
    value[forest.chance] = expected_chances(game, player, river, lanes, mode)
    weights = None if mode == RESPOND else turn.hero.strategy_sum.astype(np.float64)
    expected = street_forest.pull_values(forest, 0, weights, value)[forest.root]
    real = len(game.cards.players[player].combos)
    np.testing.assert_allclose(out[:, :real], expected[:, :real], rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("player", [0, 1])
def test_turn_cards_are_visited_one_after_the_other_and_others_left_alone(player):
    game = small_game()
    streets, scratch, hands = streets_of(game, player), scratch_of(game, player), game.hands(player)
    turn, river = tables_of(game, player)
    deal, row = game.cards.deals[0], game.templates[0].forests[player].chance_row
    on_every_card = Knowledge(*(stack([side] * len(deal.card)) for side in turn))
    reach = np.ones((int(row.max()) + 1, len(hands.villain_cards)), np.float32)
    numbers = np.array([TURN, 0])
    out = np.full((len(deal.card), len(row), len(hands.hero_cards)), -7.0, np.float32)
    arriving = TurnArrival(numbers, deal.card, reach, row, deal.probability)
    compact_kernels.visit_turns(streets, on_every_card, river, EVALUATING, arriving, scratch, out)
    for number in range(len(deal.card)):
        expected = np.full_like(out[number], -7.0)
        if number in numbers:
            arrival = Arrival(reach, row, int(deal.card[number]), deal.probability)
            compact_kernels.visit_turn(
                streets, number, turn, river, EVALUATING, arrival, scratch, expected
            )
        np.testing.assert_array_equal(out[number], expected)


def test_the_tables_of_one_board_are_a_part_of_all():
    learning = stack([random_learning(3, 16, seed) for seed in range(4)])
    part = spot_kernels.on_board(learning, 2)
    for one, every in zip(part, learning, strict=True):
        np.testing.assert_array_equal(one, every[2])
