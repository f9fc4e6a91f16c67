"""Compact rivers by their definition: loops over cards and hands, all in float64."""

import numpy as np

from tests.reference import street_forest


def value_game(forest, meets, wins, root_reach, villain_weights, hero_weights):
    """Returns ``[roots, K]`` what hero's buckets win in a bucket game.

    Args:
        forest: the river in one group, seen from the hero.
        meets: ``[K, K]`` by the opponent's and hero's buckets.
        wins: ``[K, K]`` likewise.
        root_reach: ``[roots, K]`` of the opponent.
        villain_weights: ``[A, K]`` what the opponent plays by.
        hero_weights: ``[A, K]`` likewise; None for a best response.
    """
    reach = street_forest.push_reach(forest, 0, villain_weights, root_reach)
    value = np.zeros((len(forest.kind), meets.shape[1]))
    for node, gain in zip(forest.folds.node, forest.folds.payoff, strict=True):
        value[node] = gain * (reach[node] @ meets)
    for i, (node, stake) in enumerate(
        zip(forest.showdowns.node, forest.showdowns.payoff, strict=True)
    ):
        value[node] = stake * (reach[node] @ wins)
        if len(forest.rake):
            value[node] += forest.rake[i] * (reach[node] @ meets)
    return street_forest.pull_values(forest, 0, hero_weights, value)[forest.root]


def enter_game(cards, bucket, villain_cards, reach, num_buckets):
    """Returns ``[lanes, K]`` the reach of buckets, a mean over the cards of a game.

    Args:
        cards: the river cards of the game.
        bucket: ``[O]`` of the opponent's hands.
        villain_cards: ``[O, 2]``.
        reach: ``[lanes, O]`` of the opponent's hands.
        num_buckets: K.
    """
    entering = np.zeros((len(reach), num_buckets))
    for card in cards:
        for hand, own in enumerate(bucket):
            if own < num_buckets and card not in villain_cards[hand]:
                entering[:, own] += reach[:, hand] / len(cards)
    return entering


def met_by(hero, villain_cards, reach, card):
    """Returns ``[lanes]`` the opponent's reach that a hand meets on a river card, 0 with it."""
    if card in hero:
        return np.zeros(len(reach))
    is_met = [not {*hero, card} & set(theirs) for theirs in villain_cards.tolist()]
    return reach[:, is_met].sum(axis=1)


def leave_game(cards, bucket, hero_cards, villain_cards, reach, per_unit):
    """Returns ``[lanes, H]`` what hero's hands win on the cards of a game.

    Args:
        cards: the river cards of the game.
        bucket: ``[H]`` of hero's hands.
        hero_cards: ``[H, 2]``.
        villain_cards: ``[O, 2]``.
        reach: ``[lanes, O]`` of the opponent's hands.
        per_unit: ``[lanes, K]`` what buckets win for each unit of reach that they meet.
    """
    won = np.zeros((len(reach), len(bucket)))
    for hand, own in enumerate(bucket):
        if own < per_unit.shape[1]:
            for card in cards:
                met = met_by(hero_cards[hand].tolist(), villain_cards, reach, card)
                won[:, hand] += per_unit[:, own] * met
    return won
