"""What one flop takes in memory while it is solved with real cards, before anything is allocated.

Tables and working space are counted from their shapes. What making buckets and taking values need
on top does not depend on the tree and was measured (tracemalloc, AhKd7s).
"""

from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE
from runout.holdem.street_template import StreetTemplate, make_templates
from runout.holdem.tables import Precision, estimate_memory
from runout.postflop.bucketed.bucketed_solver import NUM_RIVERS, NUM_TURNS
from runout.postflop.bucketed.rounds import BucketPlan
from runout.ranges.hand_range import HandRange
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree

#: Features of all hands on all rivers, 1.3 million rows, and their copies in order.
_MAKING_BUCKETS_BYTES = 220_000_000
#: A dozen matrices of 1,176 x 1,176 combos.
_TAKING_VALUES_BYTES = 160_000_000
#: Which bucket each combo is in on every board, and the values of a round.
_KEPT_OF_A_ROUND_BYTES = 16_000_000

_SINGLE_BYTES, _DOUBLE_BYTES = 4, 8
_TABLES_OF_A_HAND = 2  # regrets and strategy sums
_TABLES_OF_A_BUCKET = 4  # those two, what is played, and the average


def estimate_bucketed_bytes(
    flop: tuple[int, ...], tree: PostflopTree, plan: BucketPlan, num_workers: int = 1
) -> int:
    """Returns what the bucketed backend takes for one flop.

    Args:
        flop: three cards.
        tree: the betting.
        plan: the buckets.
        num_workers: threads inside the solve.
    """
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
    taking_values = _TAKING_VALUES_BYTES + need.working_space
    held = need.working_space + need.cards + plan.rounds * _KEPT_OF_A_ROUND_BYTES
    return held + max(_MAKING_BUCKETS_BYTES, solver + taking_values)


def estimate_exact_bytes(
    flop: tuple[int, ...], tree: PostflopTree, precision: Precision, num_workers: int = 1
) -> int:
    """Returns what the exact backend takes for one flop with all hands.

    Args:
        flop: three cards; suits that it does not tell apart are solved once.
        tree: the betting.
        precision: of its tables.
        num_workers: threads inside the solve.
    """
    everyone = HandRange.full()
    cards = CardsToCome.plan(flop, (everyone, everyone))
    templates = make_templates(tree, NO_RAKE)
    need = estimate_memory(templates, cards, num_workers, precision)
    return need.total + need.working_space + _TAKING_VALUES_BYTES


def _count_cells(templates: list[StreetTemplate], plan: BucketPlan) -> int:
    """Returns how many actions there are with each bucket, of both players on all streets."""
    return sum(
        sum(template.num_actions) * number
        for template, number in zip(templates, plan.num_buckets, strict=True)
    )
