"""What the bucketed backend takes for one flop, before anything is allocated.

Tables and working space are counted from their shapes. What making buckets and taking values need
on top does not depend on the tree and was measured (tracemalloc, AhKd7s).
"""

import numpy as np

from runout.cards.card import NUM_CARDS
from runout.cards.combos import NUM_COMBOS
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE
from runout.holdem.street_template import StreetTemplate, make_templates
from runout.holdem.tables import Precision, estimate_memory
from runout.postflop.backend import FlopNeeds
from runout.postflop.bucketed.bucketed_solver import NUM_RIVERS, NUM_TURNS
from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver
from runout.postflop.flop_strategy import KEPT_BYTES
from runout.postflop.needs import limit_seconds
from runout.postflop.pair_values import taking_values_bytes
from runout.ranges.hand_range import HandRange
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree

#: Features of all hands on all rivers, 1.3 million rows, and their copies in order.
_MAKING_BUCKETS_BYTES = 220_000_000
#: Which bucket each combo is in on every board, and the values of a round.
_KEPT_OF_A_ROUND_BYTES = 16_000_000

_SINGLE_BYTES, _DOUBLE_BYTES = 4, 8
_TABLES_OF_A_HAND = 2  # regrets and strategy sums
_TABLES_OF_A_BUCKET = 4  # those two, what is played, and the average

_NUM_LIVE_COMBOS = 1_176  # on a flop; as many pairs of turn and river
_FLOP_BUCKET_BYTES = 2
_NUM_BOARDS = 1 + NUM_CARDS + _NUM_LIVE_COMBOS  # that have buckets
_RECORD_BYTES = _NUM_LIVE_COMBOS * (20 + 2) * _SINGLE_BYTES  # what hands earn, in a round

_SECONDS_TO_MAKE_BUCKETS = 3.5
_SECONDS_TO_TAKE_VALUES = 2.5
_SECONDS_PER_NODE = 50e-6  # of an iteration


def estimate_rounds(
    rounds: RoundsSolver, flop: tuple[int, ...], tree: PostflopTree, num_workers: int
) -> FlopNeeds:
    """Returns what solving a flop in rounds takes.

    Args:
        rounds: how.
        flop: three cards.
        tree: the betting.
        num_workers: threads inside the solve.
    """
    seconds = limit_seconds(rounds.rule, _SECONDS_PER_NODE * tree.num_nodes)
    per_round = seconds + _SECONDS_TO_TAKE_VALUES
    cells = _count_cells(make_templates(tree, NO_RAKE), rounds.plan)
    bucket_bytes = 1 if max(rounds.plan.num_buckets) < np.iinfo(np.uint8).max else 2
    return FlopNeeds(
        _SECONDS_TO_MAKE_BUCKETS + rounds.plan.rounds * per_round,
        _estimate_bytes(rounds.plan, flop, tree, num_workers),
        kept_bytes=KEPT_BYTES * cells
        + rounds.plan.rounds * (_RECORD_BYTES + _FLOP_BUCKET_BYTES * NUM_COMBOS),
        kept_once_bytes=bucket_bytes * _NUM_BOARDS * NUM_COMBOS,
    )


def _estimate_bytes(
    plan: BucketPlan, flop: tuple[int, ...], tree: PostflopTree, num_workers: int
) -> int:
    everyone = HandRange.full()
    cards = CardsToCome.plan(flop, (everyone, everyone), merges_suits=False)
    templates = make_templates(tree, NO_RAKE)
    need = estimate_memory(templates, cards, num_workers + NUM_TURNS, Precision.SINGLE)
    of_hands = sum(
        cards.players[player].width
        * NUM_TURNS
        * (
            templates[Street.TURN].num_actions[player]
            + NUM_RIVERS * templates[Street.RIVER].num_actions[player]
        )
        for player in range(NUM_PLAYERS)
    )
    solver = _TABLES_OF_A_HAND * _SINGLE_BYTES * of_hands
    # What is learned, and in each visit what every turn card adds to it.
    solver += (_TABLES_OF_A_BUCKET + 1 + NUM_TURNS) * _DOUBLE_BYTES * _count_cells(templates, plan)
    if plan.rounds > 1:  # a round begins while the one before is still there
        solver += solver + need.working_space
    held = need.working_space + need.cards + plan.rounds * _KEPT_OF_A_ROUND_BYTES
    return held + max(_MAKING_BUCKETS_BYTES, solver + taking_values_bytes(templates, cards))


def _count_cells(templates: list[StreetTemplate], plan: BucketPlan) -> int:
    """Returns how many actions there are with each bucket, of both players on all streets."""
    return sum(
        sum(template.num_actions) * number
        for template, number in zip(templates, plan.num_buckets, strict=True)
    )
