"""From the config of a spot to what is solved, and what that will take."""

from collections.abc import Sequence
from dataclasses import dataclass

from runout.config.spot import SpotConfig
from runout.config.spot_readers import NodeLock
from runout.execution.memory import PROGRAM_BYTES
from runout.holdem.all_ins import played_templates
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.compact_game import ONE_GROUP
from runout.holdem.compact_memory import estimate_compact_memory
from runout.holdem.river_games import RiverBuckets, choose_buckets, count_games
from runout.holdem.spot import Spot
from runout.holdem.street_template import make_templates
from runout.holdem.tables import MemoryNeed, Precision, count_boards, estimate_memory
from runout.postflop.spot.locking import add_locks
from runout.views.node import NodeKind
from runout.views.spot_path import find_position


@dataclass(frozen=True)
class SpotSize:
    """How large a spot is.

    Attributes:
        num_nodes: of the betting tree, all streets together, without cards.
        num_boards: boards that each street is solved on, from the first one; bucket games where
            rivers are compact.
        num_hands: combos of OOP and IP that the board leaves.
        memory: what solving takes beside the program, by precision.
    """

    num_nodes: int
    num_boards: tuple[int, ...]
    num_hands: tuple[int, int]
    memory: dict[Precision, MemoryNeed]

    @property
    def memory_bytes(self) -> dict[int, int]:
        """What a process that solves it takes at most, by bits of precision."""
        return {int(bits): PROGRAM_BYTES + need.total for bits, need in self.memory.items()}


def river_buckets(config: SpotConfig) -> RiverBuckets | None:
    """Returns how a config groups hands on rivers, None if it does not."""
    if config.rivers == "exact":
        return None
    depth = config.stack / config.pot
    return choose_buckets(config.river_buckets, config.river_blockers, depth)


def measure_spot(
    spot: Spot,
    num_workers: int,
    locks: Sequence[NodeLock] = (),
    rivers: RiverBuckets | None = None,
) -> SpotSize:
    """Returns how large a spot is, before anything is allocated.

    Args:
        spot: what is to be solved.
        num_workers: threads that share the solve.
        locks: decisions that are given.
        rivers: how hands are grouped on rivers; by default they are not.

    Raises:
        RunoutError: naming the first lock whose path leads nowhere.
    """
    places = [find_position(spot, lock.node) for lock in locks]
    locked = [
        (place.street, int(spot.tree.layout.actor[place.node]))
        for place in places
        if place.kind == NodeKind.DECISION
    ]
    cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits, spot.deck)
    if rivers is None:
        templates = played_templates(spot.tree, spot.rake, cards, spot.deck)
    else:
        templates = make_templates(spot.tree, spot.rake, ONE_GROUP)
    oop, ip = cards.players

    def estimate(precision: Precision) -> MemoryNeed:
        if rivers is None:
            return estimate_memory(templates, cards, num_workers, precision)
        return estimate_compact_memory(templates, cards, rivers, num_workers, precision)

    num_boards = count_boards(cards)
    if rivers is not None:
        num_boards = (*num_boards[:-1], count_games(cards, rivers.merges_cards))
    return SpotSize(
        num_nodes=spot.tree.num_nodes,
        num_boards=num_boards,
        num_hands=(len(oop.combos), len(ip.combos)),
        memory={
            precision: add_locks(estimate(precision), templates, cards, locked)
            for precision in Precision
        },
    )
