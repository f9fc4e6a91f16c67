"""From chart to spot: a flop leaf of a preflop solution as the keys of a spot."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from runout.cards.canonical_hands import HAND_BY_COMBO, matchup_weights
from runout.config.load import load_run_config
from runout.config.run import RunConfig
from runout.config.size_choice import plain_sizes
from runout.errors import TreeError
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import format_range
from runout.results import preflop_bundle
from runout.results.preflop_solution import PreflopSolution
from runout.results.run_folders import SOLUTION_FOLDER
from runout.storage.bundle import load_bundle
from runout.trees.pot_types import pot_type_of
from runout.trees.preflop_betting import BB, PLAYER_NAMES, SB
from runout.trees.preflop_tree import FLOP

#: Bets are whole chips, so a big blind must be many.
CHIPS_PER_BB = 100

_SMALLEST_WEIGHT = 0.005
_WEIGHT_DIGITS = 3


def spot_keys_from_run(directory: Path, node: str) -> dict[str, Any]:
    """Returns keys of `SpotConfig` with the ranges, money and sizes of a node of a run.

    Args:
        directory: what ``solve-preflop`` wrote.
        node: the path of a flop leaf, such as ``r2-c``.

    Raises:
        BundleError: if there is no solution.
        TreeError: if the path leads to no flop.
    """
    path = directory / SOLUTION_FOLDER
    solution = preflop_bundle.load_solution(path)
    bundle = load_bundle(path, preflop_bundle.KIND, preflop_bundle.SCHEMA_VERSION)
    config = load_run_config(bundle.config_text or "")
    tree = solution.tree
    leaf = tree.find_node(node)
    if tree.leaf_kind[leaf] != FLOP:
        flops = ", ".join(each.path for each in tree.flop_leaves())
        raise TreeError(f"node {node!r}", f"leads to no flop, use one of {flops}")
    pot_bb = float(tree.pot_bb[leaf])
    ip, oop = (_format_range(solution.range_at(leaf, player)) for player in (SB, BB))
    for player, text in ((SB, ip), (BB, oop)):
        if not text:
            problem = f"is never reached, {PLAYER_NAMES[player]} has no hand there"
            raise TreeError(f"node {node!r}", problem)
    return {
        "oop": oop,
        "ip": ip,
        "pot": round(CHIPS_PER_BB * pot_bb),
        "stack": round(CHIPS_PER_BB * float(tree.stack_behind_bb[leaf])),
        **_sizes(config, solution, leaf),
        "origin": {
            "run": str(directory),
            "node": tree.path(leaf),
            "oop_ev": CHIPS_PER_BB * (_mean_ev_bb(solution, leaf, BB) + pot_bb / 2.0),
            "ip_ev": CHIPS_PER_BB * (_mean_ev_bb(solution, leaf, SB) + pot_bb / 2.0),
        },
    }


def _sizes(config: RunConfig, solution: PreflopSolution, leaf: int) -> dict[str, Any]:
    """Returns the sizes after the flop that the run was solved with, if it was with any."""
    model = config.postflop_model
    if model is None:
        return {}
    of_pot = getattr(config.joint_settings, pot_type_of(solution.tree, leaf).value)
    given = {} if of_pot is None else of_pot.model_dump(exclude_none=True)
    used = model.model_copy(update={key: getattr(of_pot, key) for key in given})
    bets = plain_sizes(used.bet_sizes)
    return {
        "bet_sizes": bets,
        "raise_sizes": bets if used.raise_sizes is None else plain_sizes(used.raise_sizes),
        "max_raises_per_street": used.max_raises_per_street,
        "add_all_in_threshold": math.inf,
    }


def _format_range(held: HandRange) -> str:
    weights = held.hand_weights()
    kept = np.where(weights < _SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))
    return format_range(HandRange(kept[HAND_BY_COMBO]))


def _mean_ev_bb(solution: PreflopSolution, node: int, player: int) -> float:
    """Returns what a player wins on average once a node is reached, blinds included."""
    mine, other = solution.reach(player)[node], solution.reach(1 - player)[node]
    arriving = mine * (matchup_weights() * other).sum(axis=1)
    total = arriving.sum()
    if total <= 0.0:
        return 0.0
    return float((arriving * np.nan_to_num(solution.ev_bb[player, node])).sum() / total)
