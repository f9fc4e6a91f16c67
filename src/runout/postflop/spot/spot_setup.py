"""From the config of a spot to what is solved, and what that will take."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from runout.config.spot import SpotConfig
from runout.config.spot_readers import NodeLock
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import Rake
from runout.holdem.spot import Spot
from runout.holdem.street_template import make_templates
from runout.holdem.tables import MemoryNeed, Precision, count_boards, estimate_memory
from runout.postflop.spot.locking import add_locks
from runout.postflop.spot.spot_path import NodeKind, find_position


def build_spot(config: SpotConfig) -> Spot:
    """Returns the spot that a config describes.

    Raises:
        TreeError: if its betting tree is too large.
    """
    cap = math.inf if config.rake_cap is None else config.rake_cap
    return Spot(
        board=config.board_cards,
        ranges=config.ranges(),
        tree=config.tree(),
        rake=Rake(config.rake_rate, cap),
        merges_suits=config.merges_suits,
    )


@dataclass(frozen=True)
class SpotSize:
    """How large a spot is.

    Attributes:
        num_nodes: of the betting tree, all streets together, without cards.
        num_boards: boards that each street is solved on, from the first one.
        num_hands: combos of OOP and IP that the board leaves.
        memory: what solving takes, by precision.
    """

    num_nodes: int
    num_boards: tuple[int, ...]
    num_hands: tuple[int, int]
    memory: dict[Precision, MemoryNeed]


def measure_spot(spot: Spot, num_workers: int, locks: Sequence[NodeLock] = ()) -> SpotSize:
    """Returns how large a spot is, before anything is allocated.

    Raises:
        RunoutError: naming the first lock whose path leads nowhere.
    """
    places = [find_position(spot, lock.node) for lock in locks]
    locked = [
        (place.street, int(spot.tree.layout.actor[place.node]))
        for place in places
        if place.kind == NodeKind.DECISION
    ]
    cards = CardsToCome.plan(spot.board, spot.ranges, spot.merges_suits)
    templates = make_templates(spot.tree, spot.rake)
    oop, ip = cards.players
    return SpotSize(
        num_nodes=spot.tree.num_nodes,
        num_boards=count_boards(cards),
        num_hands=(len(oop.combos), len(ip.combos)),
        memory={
            precision: add_locks(
                estimate_memory(templates, cards, num_workers, precision), templates, cards, locked
            )
            for precision in Precision
        },
    )
