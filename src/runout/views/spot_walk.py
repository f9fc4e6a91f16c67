"""The way to a node of a spot: which hands arrive, and what was done instead by others."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from runout.arrays import FloatArray
from runout.views.node import TrailStep, mean, weight_met
from runout.views.spot_path import SpotPosition


class Walk(NamedTuple):
    """What is known of the way to a node.

    Attributes:
        weights: ``[2, 1326]`` with what weight combos arrive.
        trail: the decisions and cards on the way.
        reach: the share of the deals that the board allows that are played to here.
    """

    weights: FloatArray
    trail: tuple[TrailStep, ...]
    reach: float


def walk_to(
    position: SpotPosition, weights: FloatArray, strategy_at: Callable[[int], FloatArray]
) -> Walk:
    """Follows a path from the root on, on the board of its end.

    Args:
        position: the end of the path.
        weights: ``[2, 1326]`` both ranges, 0 for combos that the board blocks; changed on the way.
        strategy_at: returns ``[A, 1326]`` what is done at a decision, by tree node.
    """
    tree, trail = position.spot.tree, []
    deals = _count_deals(weights)
    here = SpotPosition(position.spot)
    for step in position.steps:
        if here.actor is None:  # a card
            trail.append(TrailStep(here.path, here.label, None, (), (), step))
            dealt = position.dealt[: len(here.dealt) + 1]
            here = replace(here, steps=(*here.steps, step), dealt=dealt)
            continue
        played = strategy_at(here.node)
        held = weights[here.actor] * weight_met(weights[1 - here.actor])
        frequencies = tuple(mean(row, held) for row in played)
        actions = here.actions()
        trail.append(TrailStep(here.path, here.label, here.actor, actions, frequencies, step))
        child = next(child for child in here.children if tree.action_code(child) == step)
        weights[here.actor] *= played[child - here.children.start]
        here = replace(here, steps=(*here.steps, step), node=child)
    return Walk(weights, tuple(trail), _count_deals(weights) / deals if deals > 0.0 else math.nan)


def _count_deals(weights: FloatArray) -> float:
    return float((weights[0] * weight_met(weights[1])).sum())
