"""The learned tables of a spot, and what they and the working space take in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Float32Array, aligned_zeros
from runout.cfr.reach import NUM_PLAYERS
from runout.holdem.cards_to_come import PLAYER_WORDS, CardsToCome, PlayerHands
from runout.holdem.spot_layouts import TurnScratch
from runout.holdem.street_kernels import Scratch
from runout.holdem.street_template import StreetTemplate
from runout.holdem.table_kernels import Learning
from runout.holdem.terminal_kernels import LANES, Lanes
from runout.trees.betting import Street


class Precision(IntEnum):
    """Bits of a stored number."""

    SINGLE = 32
    HALF = 16


def _dtypes(precision: Precision) -> tuple[npt.DTypeLike, npt.DTypeLike]:
    if precision == Precision.SINGLE:
        return np.float32, np.float32
    return np.int16, np.uint16


def make_learning(
    template: StreetTemplate, hands: PlayerHands, player: int, num_boards: int, precision: Precision
) -> Learning:
    """Returns empty tables ``[boards, actions, width]`` of a player on a street."""
    shape = (num_boards, template.num_actions[player], hands.width)
    num_scales = shape[1] if precision == Precision.HALF else 0
    regret, strategy_sum = _dtypes(precision)
    return Learning(
        regret=aligned_zeros(shape, regret),
        regret_scale=np.zeros((num_boards, num_scales), np.float32),
        strategy_sum=aligned_zeros(shape, strategy_sum),
        sum_scale=np.zeros((num_boards, num_scales), np.float32),
        lock=np.zeros((num_boards, 0, 0), np.uint8),
    )


@dataclass(frozen=True, eq=False)
class LearnedTables:
    """The tables of both players on all boards of a spot.

    Attributes:
        by_street: tables of OOP and IP, with an axis for boards, from the first street on.
        first_street: the street on which the spot begins.
    """

    by_street: list[tuple[Learning, Learning]]
    first_street: Street

    @classmethod
    def allocate(
        cls, templates: list[StreetTemplate], cards: CardsToCome, precision: Precision
    ) -> "LearnedTables":
        """Returns tables of players who have learned nothing yet."""
        by_street = [
            (
                make_learning(template, cards.players[0], 0, num_boards, precision),
                make_learning(template, cards.players[1], 1, num_boards, precision),
            )
            for template, num_boards in zip(templates, count_boards(cards), strict=True)
        ]
        return cls(by_street, templates[0].street)

    def on_board(self, street: Street, board: int) -> tuple[Learning, Learning]:
        """Returns views of the tables of one board."""
        oop, ip = self.by_street[street - self.first_street]
        return part_of(oop, board), part_of(ip, board)

    def on_boards(self, street: Street, boards: range) -> tuple[Learning, Learning]:
        """Returns views of the tables of consecutive boards."""
        oop, ip = self.by_street[street - self.first_street]
        chosen = slice(boards.start, boards.stop)
        return part_of(oop, chosen), part_of(ip, chosen)

    def named_arrays(self) -> Iterator[tuple[str, AnyArray]]:
        """Yields every part of every table under a name such as ``turn_ip_regret``."""
        for number, pair in enumerate(self.by_street):
            street = Street(self.first_street + number)
            for player, learning in enumerate(pair):
                for part, array in learning._asdict().items():
                    yield name_of_table(street, player, part), array


def name_of_table(street: Street, player: int, part: str) -> str:
    """Returns the name under which a part of a player's tables is saved."""
    return f"{street.name.lower()}_{PLAYER_WORDS[player]}_{part}"


def part_of(learning: Learning, boards: int | slice) -> Learning:
    """Returns views of the tables of one board, or of some."""
    return Learning(
        learning.regret[boards],
        learning.regret_scale[boards],
        learning.strategy_sum[boards],
        learning.sum_scale[boards],
        learning.lock[boards],
    )


def make_scratch(
    template: StreetTemplate, cards: CardsToCome, player: int, precision: Precision
) -> Scratch:
    """Returns working space for one worker on one street, seen from a player."""
    hero, villain = cards.players[player].width, cards.players[1 - player].width
    forest = template.forests[player]
    num_nodes = int((forest.group[:, 1] - forest.group[:, 0]).max())
    num_rows = int(forest.group[:, 8].max())
    longest = max(hero, villain)
    num_decoded = int(forest.num_children.max()) if precision == Precision.HALF else 0
    return Scratch(
        reach=_zeros(num_rows, villain),
        value=_zeros(num_nodes, hero),
        lanes=Lanes(
            reach=_zeros(villain, LANES),
            value=_zeros(hero, LANES),
            total=aligned_zeros((LANES,), np.float64),
            by_card=aligned_zeros((52, LANES), np.float64),
            rows=np.zeros(LANES, np.int64),
            scales=np.zeros(LANES, np.float32),
            nowhere=np.zeros(hero, np.float32),
        ),
        total=aligned_zeros((longest,), np.float32),
        share=aligned_zeros((longest,), np.float32),
        rows=_zeros(num_decoded, longest),
        more_rows=_zeros(num_decoded, longest),
    )


def make_turn_scratch(
    templates: list[StreetTemplate], cards: CardsToCome, player: int, precision: Precision
) -> TurnScratch:
    """Returns working space for one worker that visits turn cards, seen from a player."""
    _, turn, river = templates
    hero, num_roots = cards.players[player].width, len(river.root_of)
    return TurnScratch(
        turn=make_scratch(turn, cards, player, precision),
        river=make_scratch(river, cards, player, precision),
        river_value=_zeros(num_roots, hero),
        chance_value=np.zeros((num_roots, hero)),
    )


def _zeros(rows: int, columns: int) -> Float32Array:
    return aligned_zeros((rows, columns), np.float32)


@dataclass(frozen=True)
class MemoryNeed:
    """What a solve takes, in bytes.

    Attributes:
        tables: regrets and strategy sums on all boards.
        working_space: of all workers.
        cards: orders of strength and images of hands.
    """

    tables: int
    working_space: int
    cards: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.tables + self.working_space + self.cards


def count_boards(cards: CardsToCome) -> tuple[int, ...]:
    """Returns how many boards each street of the spot is solved on."""
    return (1, *(len(deal.card) for deal in cards.deals))


def estimate_memory(
    templates: list[StreetTemplate], cards: CardsToCome, num_workers: int, precision: Precision
) -> MemoryNeed:
    """Returns what a solve will allocate, before anything is allocated."""
    tables = 0
    for template, num_boards in zip(templates, count_boards(cards), strict=True):
        for player in range(NUM_PLAYERS):
            cells = template.num_actions[player] * cards.players[player].width
            scales = template.num_actions[player] if precision == Precision.HALF else 0
            tables += num_boards * (2 * cells * (precision // 8) + 2 * scales * 4)
    return MemoryNeed(
        tables=tables,
        working_space=_estimate_scratch(templates, cards, num_workers, precision),
        cards=_estimate_cards(cards),
    )


def _estimate_scratch(
    templates: list[StreetTemplate], cards: CardsToCome, num_workers: int, precision: Precision
) -> int:
    total, between_streets = 0, [0]
    for number, template in enumerate(templates):
        for player in range(NUM_PLAYERS):
            hero, villain = cards.players[player].width, cards.players[1 - player].width
            forest, longest = template.forests[player], max(hero, villain)
            nodes = int((forest.group[:, 1] - forest.group[:, 0]).max())
            one = 4 * (int(forest.group[:, 8].max()) * villain + nodes * hero)
            one += 4 * LANES * (hero + villain) + 8 * 53 * LANES + 12 * LANES + 4 * hero
            one += 8 * longest
            if precision == Precision.HALF:
                one += 8 * int(forest.num_children.max()) * longest
            total += one * (num_workers if number > 0 else 1)
            entering = len(template.root_of) * hero
            if number == 1:  # what all cards are worth, of one player at a time, and the sum
                between_streets.append((4 * len(cards.deals[0].card) + 8) * entering)
            if number == 2:  # what a river is worth, and the sum
                total += num_workers * 12 * entering
    return total + max(between_streets)


def _estimate_cards(cards: CardsToCome) -> int:
    num_hands = sum(len(player.combos) for player in cards.players)
    width = sum(player.width for player in cards.players)
    # Both players' orders, strengths and numbers of hands, as each of the two sees them.
    return NUM_PLAYERS * sum(count_boards(cards)) * (3 * num_hands + 16) + 24 * 8 * width
