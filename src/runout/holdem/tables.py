"""What a game with real cards keeps in memory: plans of arrays, learned tables, hands and boards.

Every array is planned by name, with its shape and type, before it is allocated: what a solve takes
is the size of its plans.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from runout.arrays import (
    AnyArray,
    Float32Array,
    Int8Array,
    Int16Array,
    IntArray,
    Uint8Array,
    aligned_zeros,
    read_only,
)
from runout.cards.deck import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    NUM_CARDS,
    NUM_COMBOS,
    RIVER_SIZE,
    disjoint_combos,
    live_combos,
    permute_combos,
)
from runout.cards.flops import SUIT_MAPPINGS
from runout.equity.board import compute_board_equity, count_board_wins, rank_combos
from runout.equity.equity_kernels import BLOCKED_VILLAIN
from runout.holdem import terminal_kernels
from runout.holdem.cards import PLAYER_WORDS, CardsToCome, PlayerHands
from runout.holdem.forest import StreetTemplate
from runout.holdem.street_kernels import Forest, Scratch
from runout.holdem.terminal_kernels import Hands
from runout.holdem.visit_kernels import Orders
from runout.simd import products
from runout.simd.decision_kernels import Learning
from runout.trees.betting import Street

_NONE = -1

#: Tables of OOP and IP.
BothPlayers = tuple[Learning, Learning]

_hints_of: Callable[[Any], dict[str, Any]] = lru_cache(partial(get_type_hints, include_extras=True))

#: A NamedTuple of arrays, and of further such tuples.
Built = TypeVar("Built")


@lru_cache
def _sources_by_suits() -> IntArray:
    """Returns ``[24, 1326]`` the combo that becomes each combo by each renaming of suits."""
    mappings = [mapping.inverse().new_suits for mapping in SUIT_MAPPINGS]
    return read_only(np.stack([permute_combos(new_suits) for new_suits in mappings]))


@dataclass(frozen=True)
class Plan:
    """Arrays that will be allocated.

    Attributes:
        arrays: shape and type by name; a dot leads into a part, as in ``turn.lanes.reach``.
    """

    arrays: Mapping[str, tuple[tuple[int, ...], npt.DTypeLike]]

    @classmethod
    def of(cls, kind: type[Any], lengths: Mapping[str, int]) -> "Plan":
        """Returns the plan of a NamedTuple whose fields say their shapes, as in ``[T, H]``.

        ``lengths`` are by the words that stand for them in the shapes.
        """
        arrays: dict[str, tuple[tuple[int, ...], npt.DTypeLike]] = {}
        for name, hint in _hints_of(kind).items():
            if hasattr(hint, "_fields"):
                arrays |= cls.join({name: cls.of(hint, lengths)}).arrays
                continue
            (dtype,) = get_args(get_args(hint.__origin__)[1])
            shape = (size if isinstance(size, int) else lengths[size] for size in hint.__metadata__)
            arrays[name] = tuple(shape), dtype
        return cls(arrays)

    @classmethod
    def join(cls, parts: Mapping[str, "Plan"]) -> "Plan":
        """Returns the plan of several parts, whose names come before those of their arrays."""
        return cls(
            {
                f"{part}.{name}": planned
                for part, plan in parts.items()
                for name, planned in plan.arrays.items()
            }
        )

    @classmethod
    def covering(cls, plans: Sequence["Plan"]) -> "Plan":
        """Returns arrays in which those of all plans fit; `ValueError` if rows differ in length."""
        arrays = {}
        for name, (_, dtype) in plans[0].arrays.items():
            shapes = [plan.arrays[name][0] for plan in plans]
            lengths = {shape[-1] for shape in shapes if len(shape) > 1}
            if len(lengths) > 1:
                problem = f"{name} has rows of {sorted(lengths)}"
                raise ValueError(f"games of different hands or buckets share no space: {problem}")
            arrays[name] = tuple(map(max, zip(*shapes, strict=True))), dtype
        return cls(arrays)

    @property
    def num_bytes(self) -> int:
        """What all arrays take."""
        return sum(
            math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in self.arrays.values()
        )

    def allocate(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the arrays, all zero."""
        return {name: aligned_zeros(*planned) for name, planned in self.arrays.items()}

    def build(self, kind: type[Built]) -> Built:
        """Returns the arrays as a NamedTuple whose fields they are named after."""
        return assemble(kind, self.allocate())


def assemble(kind: type[Built], arrays: Mapping[str, AnyArray], part: str = "") -> Built:
    """Returns arrays as a NamedTuple, those whose names are its fields after ``part``."""
    fields = {
        name: assemble(inner, arrays, f"{part}{name}.")
        if hasattr(inner, "_fields")
        else arrays[part + name]
        for name, inner in _hints_of(kind).items()
    }
    return kind(**fields)


class Precision(IntEnum):
    """Bits of a stored number."""

    SINGLE = 32
    HALF = 16


@dataclass(frozen=True)
class MemoryNeed:
    """What a solve takes, in bytes; its parts are those of `GamePlan`."""

    tables: int
    working_space: int
    cards: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.tables + self.working_space + self.cards


class StreetSize(NamedTuple):
    """How large the tables of a street are.

    Attributes:
        num_boards: boards, or games between buckets, that are solved apart.
        widths: columns of OOP's and IP's tables, padding included.
    """

    num_boards: int
    widths: tuple[int, int]


def count_boards(cards: CardsToCome) -> tuple[int, ...]:
    """Returns how many boards each street of the spot is solved on."""
    return (1, *(len(deal.card) for deal in cards.deals))


def plan_learning(shape: tuple[int, int, int], precision: Precision) -> Plan:
    """Returns the plan of a `Learning` of so many boards, actions and columns."""
    num_boards, num_actions, _ = shape
    is_single = precision == Precision.SINGLE
    scales = ((num_boards, 0 if is_single else num_actions), np.float32)
    return Plan(
        {
            "regret": (shape, np.float32 if is_single else np.int16),
            "regret_scale": scales,
            "strategy_sum": (shape, np.float32 if is_single else np.uint16),
            "sum_scale": scales,
            "lock": ((num_boards, 0, 0), np.uint8),
        }
    )


def plan_tables(
    templates: Sequence[StreetTemplate], sizes: Sequence[StreetSize], precision: Precision
) -> Plan:
    """Returns the plan of the tables of both players on all streets."""
    return Plan.join(
        {
            f"{template.street.label}_{PLAYER_WORDS[player]}": plan_learning(
                (size.num_boards, template.num_actions[player], width), precision
            )
            for template, size in zip(templates, sizes, strict=True)
            for player, width in enumerate(size.widths)
        }
    )


@dataclass(frozen=True, eq=False)
class LearnedTables:
    """The tables of both players on all boards of a spot.

    Attributes:
        by_street: tables of OOP and IP, with an axis for boards, from the first street on.
        first_street: the street on which the spot begins.
    """

    by_street: list[BothPlayers]
    first_street: Street

    #: Whether all boards are in memory anyway.
    is_whole: ClassVar[bool] = True

    @classmethod
    def allocate(
        cls,
        templates: Sequence[StreetTemplate],
        sizes: Sequence[StreetSize],
        precision: Precision,
    ) -> "LearnedTables":
        """Returns tables of players who have learned nothing yet."""
        arrays = plan_tables(templates, sizes, precision).allocate()
        by_street = []
        for template in templates:
            oop, ip = (
                assemble(Learning, arrays, f"{template.street.label}_{word}.")
                for word in PLAYER_WORDS
            )
            by_street.append((oop, ip))
        return cls(by_street, templates[0].street)

    def on_board(self, street: Street, board: int) -> BothPlayers:
        """Returns views of the tables of one board."""
        oop, ip = self.by_street[street - self.first_street]
        return part_of(oop, board), part_of(ip, board)

    def on_boards(self, street: Street, boards: range) -> BothPlayers:
        """Returns views of the tables of consecutive boards, with an axis for them."""
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
    return Learning._make(part[boards] for part in learning)


def only_strategy(sums: AnyArray) -> Learning:
    """Returns tables that cannot learn, with sums ``[boards, A, W]`` of any type.

    The actions of a decision share one scale, which does not change their shares.
    """
    no_scale = np.zeros((len(sums), 0), np.float32)
    nothing = np.zeros((len(sums), 0, 0), np.float32)
    return Learning(nothing, no_scale, sums, no_scale, np.zeros((len(sums), 0, 0), np.uint8))


#: Returns ``[A, C]`` what a player does on a street with given cards dealt and given combos.
RowsOf = Callable[[StreetTemplate, int, tuple[int, ...], IntArray], Float32Array]


@dataclass(frozen=True, eq=False)
class FixedTables:
    """What players do who do not learn.

    They are filled board by board: all of them can need more memory than there is, and a visit
    looks at the boards of one turn card at a time.

    Attributes:
        templates: the streets of the spot.
        cards: its hands and cards.
        rows_of: the strategies.
        players: whose strategies they are; another player responds and has no tables.
    """

    templates: list[StreetTemplate]
    cards: CardsToCome
    rows_of: RowsOf
    players: tuple[int, ...] = (0, 1)

    is_whole: ClassVar[bool] = False

    def on_board(self, street: Street, board: int) -> BothPlayers:
        """Returns the tables of one board."""
        oop, ip = self.on_boards(street, range(board, board + 1))
        return part_of(oop, 0), part_of(ip, 0)

    def on_boards(self, street: Street, boards: range) -> BothPlayers:
        """Returns the tables of consecutive boards."""
        return self._filled(0, street, boards), self._filled(1, street, boards)

    @cached_property
    def _filled(self) -> Callable[[int, Street, range], Learning]:
        """Tables of the last boards: players are often visited one after the other."""
        return lru_cache(2 * len(PLAYER_WORDS))(self._of_player)

    def _of_player(self, player: int, street: Street, boards: range) -> Learning:
        if player not in self.players:
            return only_strategy(np.zeros((len(boards), 0, 0), np.float32))
        number = street - self.templates[0].street
        template, hands = self.templates[number], self.cards.players[player]
        played = np.empty((len(boards), template.num_actions[player], hands.width), np.float32)
        played[..., len(hands.combos) :] = 0.0
        for position, board in enumerate(boards):
            dealt = self.cards.runouts[number - 1][board] if number > 0 else ()
            known = self.rows_of(template, player, dealt, hands.combos)
            played[position, :, : len(hands.combos)] = known
        return only_strategy(played)


#: Where visits find the tables of both players; boards are numbered as they are dealt.
SpotTables = LearnedTables | FixedTables


def plan_scratch(
    template: StreetTemplate, widths: tuple[int, int], player: int, precision: Precision
) -> Plan:
    """Returns the plan of a `Scratch` for one worker on one street, seen from a player.

    ``widths`` are those of rows of OOP's and IP's hands.
    """
    hero, villain = widths[player], widths[1 - player]
    forest = template.forests[player]
    has_running = template.street == Street.RIVER and len(forest.showdowns.node) > 0
    # Running sums: of all hands and of both cards of each, after a row of zeros each.
    sums = 3 * villain + 1 + NUM_CARDS if has_running else 1
    of_hands = {"H": hero, "O": villain, "widest": max(hero, villain), "sums": sums}
    return Plan.of(Scratch, {**of_hands, **scratch_rows(forest, precision)})


def scratch_rows(forest: Forest, precision: Precision) -> dict[str, int]:
    """Returns how many rows the working space of a street has, as in `Scratch`."""
    return {
        "rows": int(forest.group[:, 8].max()),
        "n": int((forest.group[:, 1] - forest.group[:, 0]).max()),
        "actions": int(forest.num_children.max()) if precision == Precision.HALF else 0,
    }


def boards_of(cards: CardsToCome) -> list[list[tuple[int, ...]]]:
    """Returns the boards of each street."""
    return [[cards.board], *([cards.board + dealt for dealt in on] for on in cards.runouts)]


def plan_hands(cards: CardsToCome, player: int) -> Plan:
    """Returns the plan of `hands_seen_from`."""
    return Plan.of(Hands, {"H": cards.widths[player], "O": cards.widths[1 - player]})


def hands_seen_from(cards: CardsToCome, player: int) -> Hands:
    """Returns the hands of both players for the kernels."""
    hero, villain = cards.players[player], cards.players[1 - player]
    hands = plan_hands(cards, player).build(Hands)
    hands.hero_cards[:], hands.villain_cards[:] = hero.cards(), villain.cards()
    hands.same[:] = _NONE
    hands.same[: len(hero.combos)] = villain.positions()[hero.combos]
    hands.holding[:] = holding_cards(villain)
    hands.image[:] = np.arange(hero.width)
    positions = hero.positions()
    sources = positions[_sources_by_suits()[:, hero.combos]]
    hands.image[:, : len(hero.combos)] = np.where(sources >= 0, sources, 0)
    return hands


def holding_cards(player: PlayerHands) -> IntArray:
    """Returns ``[52, 51]`` a player's hands that hold each card, the rest -1."""
    holding = np.full((NUM_CARDS, NUM_CARDS - 1), _NONE, dtype=np.int64)
    for card in range(NUM_CARDS):
        held = np.flatnonzero((COMBO_CARDS[player.combos] == card).any(axis=1))
        holding[card, : len(held)] = held
    return holding


def plan_orders(cards: CardsToCome, boards: Sequence[tuple[int, ...]], player: int) -> Plan:
    """Returns the plan of `orders_of`."""
    lengths: dict[str, int] = {"K": len(boards)}
    for word, seen in (("H", player), ("O", 1 - player)):
        number = len(cards.players[seen].combos)
        lengths |= {word: number, f"{word} ranked": number * (len(boards[0]) == RIVER_SIZE)}
    return Plan.of(Orders, lengths)


def orders_of(cards: CardsToCome, boards: Sequence[tuple[int, ...]], player: int) -> Orders:
    """Returns the hands possible on each board, seen from a player; by strength on rivers."""
    hero, villain = cards.players[player], cards.players[1 - player]
    orders = plan_orders(cards, boards, player).build(Orders)
    hero_strength = _fill_order(hero, boards, orders.hero, orders.num_hero)
    villain_strength = _fill_order(villain, boards, orders.villain, orders.num_villain)
    if len(boards[0]) == RIVER_SIZE:
        # The row before a card's first running sum; those of all hands are before.
        num_sums = 1 + np.bincount(COMBO_CARDS[villain.combos].ravel(), minlength=NUM_CARDS)
        first_sum = villain.width + 1 + np.cumsum(num_sums) - num_sums
        terminal_kernels.find_sums(
            (hero_strength, villain_strength),
            (orders.hero, orders.villain),
            (orders.num_hero, orders.num_villain),
            (hero.cards(), villain.cards()),
            first_sum,
            orders.hero_sums,
            orders.villain_sums,
        )
    return orders


def _fill_order(
    player: PlayerHands,
    boards: Sequence[tuple[int, ...]],
    out_order: Int16Array,
    out_number: IntArray,
) -> Uint8Array:
    """Writes the hands possible on each board in order, and their number; returns strengths."""
    if len(boards[0]) == RIVER_SIZE:
        _, ranks = rank_combos(np.array(boards, dtype=np.uint8), player.combos)
    else:  # before the river there is no showdown: only possible hands matter
        is_blocked = COMBO_HAS_CARD[player.combos][:, np.array(boards)].any(axis=2).T
        ranks = np.where(is_blocked, np.uint8(BLOCKED_VILLAIN), np.uint8(0))
    order = np.argsort(ranks, axis=1, kind="stable")
    out_order[:] = order
    out_number[:] = (ranks != BLOCKED_VILLAIN).sum(axis=1)
    return np.take_along_axis(ranks, order, axis=1)


def plan_net_wins(cards: CardsToCome, num_boards: int) -> Plan:
    """Returns the plan of `net_wins` of so many boards."""
    return Plan(
        {
            PLAYER_WORDS[player]: (
                (num_boards, *products.panel_shape((villain.width, hero.width), np.float32)),
                np.float32,
            )
            for player, (hero, villain) in enumerate(_views(cards))
        }
    )


def net_wins(
    cards: CardsToCome, boards: Sequence[tuple[int, ...]]
) -> tuple[Float32Array, Float32Array]:
    """Returns, seen from OOP and IP, how much more often hands win than they lose, as panels.

    By board ``[K, P, O, W]``: a matrix ``[O, H]``, by the opponent's hand and hero's, over all
    runouts; 0 where hands share a card with each other or with the board. They are the same
    arrays if both players hold the same hands.
    """
    oop, ip = cards.players
    held = np.union1d(oop.combos, ip.combos)
    among = held if len(held) < len(live_combos(cards.board)) else None
    seen = list(plan_net_wins(cards, len(boards)).allocate().values())
    for number, board in enumerate(boards):
        equity = compute_board_equity(board, among)
        for panels, (hero, villain) in zip(seen, _views(cards), strict=True):
            matrix = np.zeros((villain.width, hero.width))
            mine, theirs = (
                np.flatnonzero(np.isin(p.combos, equity.combos)) for p in (hero, villain)
            )
            won = equity.wins_between(hero.combos[mine], villain.combos[theirs]).T.astype(
                np.float64
            )
            won -= equity.wins_between(villain.combos[theirs], hero.combos[mine])
            matrix[np.ix_(theirs, mine)] = won / equity.num_runouts
            products.fill_panels(matrix, panels[number])
    return seen[0], seen[-1]


def plan_factors(cards: CardsToCome, number: int, player: int) -> Plan:
    """Returns the plan of `factors_of`."""
    return Plan({"factor": ((len(cards.held[number]), cards.widths[player]), np.float32)})


def factors_of(cards: CardsToCome, number: int, player: int) -> Float32Array:
    """Returns `CardsToCome.factors` of a player's hands at a deal, 1 for padding."""
    combos = cards.players[player].combos
    factors: Float32Array = plan_factors(cards, number, player).allocate()["factor"]
    factors[:] = 1.0
    factors[:, : len(combos)] = cards.factors(number, combos)
    return factors


class MissedWins(NamedTuple):
    """What checked-down hands of a flop win on all runouts, less what they win on the drawn ones.

    Attributes:
        codes: of OOP and IP ``[O, H]`` whole numbers, by the opponent's hand and hero's.
        unit: of the numbers, at a stake of 1.
    """

    codes: tuple[Int8Array, Int8Array]
    unit: float


def plan_missed(cards: CardsToCome) -> Plan:
    """Returns the plan of `missed_wins`."""
    return Plan(
        {
            PLAYER_WORDS[player]: ((villain.width, hero.width), np.int8)
            for player, (hero, villain) in enumerate(_views(cards))
        }
    )


def missed_wins(cards: CardsToCome) -> MissedWins:
    """Returns what turns all that hands win, checked down, into what they win on all runouts.

    Pairs of hands lose and win the same, so the game with it is zero-sum.
    """
    equity = compute_board_equity(cards.board)
    won = equity.wins.astype(np.float32)
    missed = (won - won.T) / equity.num_runouts - _drawn_edge(cards, equity.combos)
    missed[~disjoint_combos(equity.combos, equity.combos)] = 0.0
    unit = float(np.abs(missed).max()) / np.iinfo(np.int8).max or 1.0
    rounded = np.rint(missed / np.float32(unit)).astype(np.int8)
    codes = list(plan_missed(cards).allocate().values())
    for of_hero, (hero, villain) in zip(codes, _views(cards), strict=True):
        mine, theirs = (np.searchsorted(equity.combos, held.combos) for held in (hero, villain))
        of_hero[: len(theirs), : len(mine)] = rounded[np.ix_(mine, theirs)].T
    return MissedWins((codes[0], codes[-1]), unit)


def _drawn_edge(cards: CardsToCome, combos: IntArray) -> Float32Array:
    """Returns ``[C, C]`` how much more often the row wins than loses on the drawn runouts.

    All combos of the flop are meant, whoever holds them; pairs that share a card mean nothing.
    """
    turns, rivers = cards.deals
    total = np.zeros((len(combos), len(combos)), np.float32)
    positions = np.zeros(NUM_COMBOS, np.int64)
    positions[combos] = np.arange(len(combos))
    for turn, dealt in enumerate(cards.runouts[0]):
        boards: dict[float, list[tuple[int, ...]]] = {}
        for board in range(*turns.first_next[turn : turn + 2].tolist()):
            of_weight = boards.setdefault(float(rivers.weight[board]), [])
            of_weight += [(*cards.board, *dealt, card) for card in rivers.cards_like(board)]
        won = np.zeros_like(total)
        for weight, alike in boards.items():
            counts = count_board_wins(np.array(alike, np.uint8), combos)
            won += np.float32(weight) * counts
        if len(cards.held[1]):
            factor = cards.factors(1, combos)[turn].astype(np.float32)
            won *= factor
            won *= factor[:, None]
        won *= turns.weight[turn] * turns.probability * rivers.probability
        total += won
        for image in turns.images[turn][turns.images[turn] >= 0]:
            inverse = SUIT_MAPPINGS[image].inverse()
            source = positions[permute_combos(inverse.new_suits)[combos]]
            total += won[np.ix_(source, source)]
    if len(cards.held[0]):
        factor = cards.factors(0, combos)[0].astype(np.float32)
        total *= factor
        total *= factor[:, None]
    return total - total.T


def _views(cards: CardsToCome) -> list[tuple[PlayerHands, PlayerHands]]:
    """Returns hero and villain as OOP and as IP sees them, once if they hold the same hands."""
    oop, ip = cards.players
    return [(oop, ip)] if np.array_equal(oop.combos, ip.combos) else [(oop, ip), (ip, oop)]
