"""The learned tables of a spot, and what they and the working space take in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Float32Array, aligned_zeros
from runout.cards.deck import NUM_CARDS
from runout.holdem.cards import PLAYER_WORDS, CardsToCome, PlayerHands
from runout.holdem.forest import StreetTemplate, has_products, net_win_bytes
from runout.holdem.layouts import TurnScratch
from runout.holdem.street_kernels import Scratch
from runout.holdem.terminal_kernels import SUMS_OF_HAND, Lanes
from runout.simd.decision_kernels import Learning
from runout.simd.vector_kernels import LANES
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS


class Precision(IntEnum):
    """Bits of a stored number."""

    SINGLE = 32
    HALF = 16


def _dtypes(precision: Precision) -> tuple[npt.DTypeLike, npt.DTypeLike]:
    if precision == Precision.SINGLE:
        return np.float32, np.float32
    return np.int16, np.uint16


class StreetSize(NamedTuple):
    """How large the tables of a street are.

    Attributes:
        num_boards: boards, or games between buckets, that are solved apart.
        widths: columns of OOP's and IP's tables, padding included.
    """

    num_boards: int
    widths: tuple[int, int]


def exact_sizes(cards: CardsToCome) -> list[StreetSize]:
    """Returns the sizes of tables in which every hand of every board has a column."""
    oop, ip = cards.players
    return [StreetSize(number, (oop.width, ip.width)) for number in count_boards(cards)]


def make_learning(
    template: StreetTemplate, hands: PlayerHands, player: int, num_boards: int, precision: Precision
) -> Learning:
    """Returns empty tables ``[boards, actions, width]`` of a player on a street."""
    return _make_learning((num_boards, template.num_actions[player], hands.width), precision)


def _make_learning(shape: tuple[int, int, int], precision: Precision) -> Learning:
    num_boards = shape[0]
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
        cls, templates: list[StreetTemplate], sizes: Sequence[StreetSize], precision: Precision
    ) -> "LearnedTables":
        """Returns tables of players who have learned nothing yet."""
        by_street = []
        for template, (num_boards, widths) in zip(templates, sizes, strict=True):
            oop, ip = (
                _make_learning((num_boards, num_actions, width), precision)
                for num_actions, width in zip(template.num_actions, widths, strict=True)
            )
            by_street.append((oop, ip))
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
        """Yields the parts of tables that are not empty, under names such as ``turn_ip_regret``."""
        for number, pair in enumerate(self.by_street):
            street = Street(self.first_street + number)
            for player, learning in enumerate(pair):
                for part, array in learning._asdict().items():
                    if array.size:
                        yield name_of_table(street, player, part), array


def name_of_table(street: Street, player: int, part: str) -> str:
    """Returns the name under which a part of a player's tables is saved."""
    return f"{street.label}_{PLAYER_WORDS[player]}_{part}"


def part_of(learning: Learning, boards: int | slice) -> Learning:
    """Returns views of the tables of one board, or of some."""
    return Learning(
        learning.regret[boards],
        learning.regret_scale[boards],
        learning.strategy_sum[boards],
        learning.sum_scale[boards],
        learning.lock[boards],
    )


class ScratchShape(NamedTuple):
    """How much working space a street needs, seen from a player.

    Attributes:
        num_rows: rows of reach.
        num_nodes: rows of values.
        num_decoded: rows of a decision in tables that are not of 32 bits; 0 if they are.
        hero: the length of a row of the player's hands.
        villain: the length of a row of the opponent's hands.
        has_running: whether there are showdowns of river hands, which take running sums.
    """

    num_rows: int
    num_nodes: int
    num_decoded: int
    hero: int
    villain: int
    has_running: bool

    @property
    def num_running(self) -> int:
        """Running sums: of all hands and of both cards of each, after a row of zeros each."""
        return 3 * self.villain + 1 + NUM_CARDS if self.has_running else 1

    @classmethod
    def of(
        cls, template: StreetTemplate, widths: tuple[int, int], player: int, precision: Precision
    ) -> "ScratchShape":
        """Returns what the nodes of a template need with rows of some widths."""
        forest = template.forests[player]
        return cls(
            num_rows=int(forest.group[:, 8].max()),
            num_nodes=int((forest.group[:, 1] - forest.group[:, 0]).max()),
            num_decoded=int(forest.num_children.max()) if precision == Precision.HALF else 0,
            hero=widths[player],
            villain=widths[1 - player],
            has_running=template.street == Street.RIVER and len(forest.showdown) > 0,
        )


def make_scratch(
    template: StreetTemplate, cards: CardsToCome, player: int, precision: Precision
) -> Scratch:
    """Returns working space for one worker on one street, seen from a player."""
    widths = cards.players[0].width, cards.players[1].width
    return make_shaped_scratch(ScratchShape.of(template, widths, player, precision))


def make_shaped_scratch(shape: ScratchShape) -> Scratch:
    """Returns working space for one worker on one street."""
    num_rows, num_nodes, num_decoded, hero, villain, _ = shape
    longest = max(hero, villain)
    return Scratch(
        reach=_zeros(num_rows, villain),
        value=_zeros(num_nodes, hero),
        lanes=Lanes(
            reach=_zeros(villain, LANES),
            value=_zeros(hero, LANES),
            met=_zeros(hero, LANES),
            by_card=_zeros(NUM_CARDS, LANES),
            running=_zeros(shape.num_running, LANES),
        ),
        rows=_zeros(num_decoded, longest),
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
        cards: orders of strength, images of hands and what hands win all-in.
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
    """Returns what a solve will allocate, before anything is allocated.

    Args:
        templates: the betting as it is visited, on settled streets without cards after all-ins.
        cards: hands and boards.
        num_workers: threads that share the work.
        precision: of the tables.
    """
    matrices = sum(
        net_win_bytes(cards, num_boards)
        for template, num_boards in zip(templates, count_boards(cards), strict=True)
        if has_products(template)
    )
    return MemoryNeed(
        tables=count_table_bytes(templates, exact_sizes(cards), precision),
        working_space=_estimate_scratch(templates, cards, num_workers, precision),
        cards=_estimate_cards(cards) + matrices,
    )


def count_table_bytes(
    templates: list[StreetTemplate], sizes: Sequence[StreetSize], precision: Precision
) -> int:
    """Returns what `LearnedTables.allocate` will take."""
    total = 0
    for template, (num_boards, widths) in zip(templates, sizes, strict=True):
        for num_actions, width in zip(template.num_actions, widths, strict=True):
            scales = num_actions if precision == Precision.HALF else 0
            total += num_boards * (2 * num_actions * width * (precision // 8) + 2 * scales * 4)
    return total


def scratch_bytes(shape: ScratchShape) -> int:
    """Returns what `make_shaped_scratch` will take."""
    num_rows, num_nodes, num_decoded, hero, villain, _ = shape
    total = 4 * (num_rows * villain + num_nodes * hero)
    total += 4 * LANES * (2 * hero + villain + NUM_CARDS + shape.num_running)
    return total + 4 * num_decoded * max(hero, villain)


def _estimate_scratch(
    templates: list[StreetTemplate], cards: CardsToCome, num_workers: int, precision: Precision
) -> int:
    total, between_streets = 0, [0]
    widths = cards.players[0].width, cards.players[1].width
    for number, template in enumerate(templates):
        for player in range(NUM_PLAYERS):
            shape = ScratchShape.of(template, widths, player, precision)
            total += scratch_bytes(shape) * (num_workers if number > 0 else 1)
            entering = len(template.root_of) * shape.hero
            if number == 1:  # what all cards are worth, of one player at a time, and the sum
                between_streets.append((4 * len(cards.deals[0].card) + 8) * entering)
            if number == 2:  # what a river is worth, and the sum
                total += num_workers * 12 * entering
    return total + max(between_streets)


def _estimate_cards(cards: CardsToCome) -> int:
    num_hands = sum(len(player.combos) for player in cards.players)
    width = sum(player.width for player in cards.players)
    boards = count_boards(cards)
    # Both players' orders and numbers of hands, as each of the two sees them, and running sums.
    orders = NUM_PLAYERS * sum(boards) * (2 * num_hands + 16)
    sums = boards[-1] * 2 * (SUMS_OF_HAND + 2) * num_hands
    return orders + sums + 24 * 8 * width
