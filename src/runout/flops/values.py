"""What every combo wins from every combo under strategies that look at the board."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int16Array, IntArray, RealArray, divide
from runout.cards.deck import COMBO_HAS_CARD, HAND_BY_COMBO, NUM_HANDS, disjoint_combos
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity, rank_combos
from runout.events import BucketEventSink, Phase, ignore_event, reporting_phase
from runout.flops import flop_kernels
from runout.flops.backend import FlopGame, FlopStrategy
from runout.holdem import street_kernels, visit_kernels
from runout.holdem.cards import CardsToCome
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import NO_CARD, CardGame, arrive
from runout.holdem.street_kernels import Scratch
from runout.holdem.tables import FixedTables, Precision, plan_scratch
from runout.holdem.visit_kernels import Arrival
from runout.simd import product_kernels
from runout.simd.products import make_product_rows, multiply, pack_panels
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS, own_reach
from runout.trees.tree import SHOWDOWN, PostflopTree

# What every hand gets against every hand under given strategies, by matrix products.


def extract_values(tree: PostflopTree, game: FlopGame, strategy: Float32Array) -> Float32Array:
    """Returns ``[2, 169, 169]`` values by the hero's position, exact for ``strategy[N, 169]``.

    A value is what comes back from the pot minus what is put in after the flop, over the flop pot:
    both players' values sum to 1. It is NaN where the hands cannot meet.
    """
    oop, ip = (own_reach(tree.layout, strategy, player) for player in range(NUM_PLAYERS))
    fold, showdown = tree.is_fold, tree.leaf_kind == SHOWDOWN
    by_folds = multiply(oop[fold].T * tree.fold_gain[fold], ip[fold])
    stake_at_showdown = multiply(oop[showdown].T * tree.leaf_stake[showdown], ip[showdown])
    gain_of_oop = by_folds + stake_at_showdown * game.edge
    gain_of_oop[game.table.totals == 0] = np.nan
    return pack_values(gain_of_oop)


def pack_values(gain_of_oop: FloatArray) -> Float32Array:
    """Returns ``[2, H, H]`` values by the hero's position from what OOP wins beyond half the pot.

    The larger value is rounded and leaves the other exactly, so that they sum to 1 in the stored
    precision too. The rest of the smaller one, where it is below -1, would be rounded again.
    """
    larger, wins = (0.5 + np.abs(gain_of_oop)).astype(np.float32), gain_of_oop > 0.0
    smaller = np.float32(1.0) - larger
    return np.stack([np.where(wins, larger, smaller), np.where(wins, smaller, larger).T])


# Sums over boards of what combos win from each other, a few rows and boards at a time.

#: Rows of OOP's combos whose products and sums stay near the processor.
_ROWS_AT_ONCE = 48


class Product(NamedTuple):
    """``[C, C]`` the sum over terminals of the products of both players' rows, row by row.

    OOP's are ``[C, terminals]``, and IP's ``[terminals, C]`` are packed in panels.
    """

    mine: Float32Array
    panels: RealArray

    def rows(self, rows: slice) -> Float32Array:
        """Returns some rows, padded; threads may ask for different ones at a time."""
        numbers = np.arange(rows.start, rows.stop)
        found: Float32Array = make_product_rows(len(numbers), self.panels)
        product_kernels.multiply_rows(self.mine, numbers, self.panels, found)
        return found


class PlayedBoard(NamedTuple):
    """What OOP wins by folds on a board, and on rivers what is played for at showdowns.

    The weight ``[C]`` is how many boards it stands for, 0 where it makes a combo impossible;
    ``ranks[C]`` are the strengths of combos on rivers.
    """

    weight: Float32Array
    folds: Product
    showdowns: Product | None = None
    ranks: Float32Array | None = None


class PairSums:
    """Sums over boards of one street, by OOP's and IP's combos."""

    def __init__(self, num_combos: int, symmetries: IntArray, has_showdowns: bool) -> None:
        """Begins with no boards; ``symmetries[s, C]`` are combos under renamings of their suits."""
        shape = (num_combos, num_combos)
        self.gain: FloatArray = np.zeros(shape)
        self._symmetries, self._weights = symmetries, list[Float32Array]()
        if has_showdowns:
            self.stake: FloatArray = np.zeros(shape)
            #: How many boards are won more than lost; there are 2,352 at most.
            self.outcome: Int16Array = np.zeros(shape, np.int16)

    def add_boards(self, boards: Sequence[PlayedBoard], team: Team) -> None:
        """Adds some boards; a team shares the rows."""
        self._weights += [board.weight for board in boards]

        def add_rows(all_rows: slice) -> None:
            for rows, board in product(parts_of(all_rows), boards):
                weight, first = board.weight, rows.start
                flop_kernels.add_folds(first, weight, board.folds.rows(rows), self.gain)
                if board.showdowns is not None and board.ranks is not None:
                    stakes, sums = board.showdowns.rows(rows), (self.gain, self.stake, self.outcome)
                    flop_kernels.add_showdowns(first, weight, board.ranks, stakes, *sums)

        team.run(add_rows, [slice(*bounds) for bounds in team.split(len(self.gain))])

    def weights(self) -> Float32Array:
        """Returns ``[C, C]`` on how many boards both combos are possible."""
        weight = np.stack(self._weights)
        return np.asarray(multiply((weight > 0.0).astype(np.float32).T, weight))

    def spread(self, total: Float32Array | FloatArray | Int16Array, rows: slice) -> FloatArray:
        """Returns some rows of sums over all boards that the added ones stand for."""
        spread = np.zeros((rows.stop - rows.start, total.shape[1]))
        for image in self._symmetries:
            spread += total[np.ix_(image[rows], image)]
        return spread


def parts_of(rows: slice) -> Iterator[slice]:
    """Yields rows in parts that are worked on at once."""
    for first in range(rows.start, rows.stop, _ROWS_AT_ONCE):
        yield slice(first, min(first + _ROWS_AT_ONCE, rows.stop))


# With ``R_p[t, c]`` the probability that player p plays towards terminal t with combo c, two combos
# win ``sum_t gain_t R_0[t, c] R_1[t, d]`` from each other at folds, and the same with stakes times
# who wins at showdowns: matrix products, board by board. A flop has thousands of boards, so some
# may be sampled. The noise of who happens to win on the sampled boards is taken out: it is what
# their equities differ from the flop's exact ones, at the stakes that the two combos play for.

_FLOP, _TURN, _RIVER = Street.FLOP, Street.TURN, Street.RIVER

#: Boards that are added up at once, because fetching the sums takes as long as adding a board.
_BOARDS_AT_ONCE = 4


@dataclass(frozen=True, eq=False)
class PairValues:
    """What combos win from each other.

    Attributes:
        combos: ``[C]`` the combos that the flop leaves possible.
        gain_of_oop: ``[C, C]`` what OOP wins with the row against IP's column, beyond half of the
            pot, in the unit of the tree; NaN where they share a card.
    """

    combos: IntArray
    gain_of_oop: FloatArray

    def by_hand(self) -> Float32Array:
        """Returns ``[2, 169, 169]`` values as in `PostflopValues`, means over combos that meet."""
        member = np.eye(NUM_HANDS)[HAND_BY_COMBO[self.combos]]
        by_combo, met = np.empty_like(member), np.empty_like(member)
        for rows in parts_of(slice(0, len(member))):
            gain = self.gain_of_oop[rows]
            by_combo[rows] = multiply(np.nan_to_num(gain), member)
            met[rows] = multiply((~np.isnan(gain)).astype(np.float64), member)
        total, count = multiply(member.T, by_combo), multiply(member.T, met)
        return pack_values(divide(total, count))


@dataclass(frozen=True)
class RunoutSample:
    """Which boards values are taken from: turn cards and rivers after each, or all of them.

    With fewer than five turn cards some combos meet on none of the boards.
    """

    num_turns: int = 52
    num_rivers: int = 52
    seed: int = 0


ALL_RUNOUTS = RunoutSample()


def taking_values_bytes(templates: list[StreetTemplate], cards: CardsToCome) -> int:
    """Returns what `extract_pair_values` holds at most, on top of the strategies."""
    river = templates[_RIVER].forests[0]
    rows = 2 * _BOARDS_AT_ONCE * (len(river.folds.node) + len(river.showdowns.node))
    # Actions exist six times while both players' strategies are looked up.
    rows += 6 * sum(templates[_RIVER].num_actions)
    scratch = sum(
        plan_scratch(template, cards.widths, player, Precision.SINGLE).num_bytes
        for template, player in product(templates, range(NUM_PLAYERS))
    )
    # Of a pair of combos: five sums, three weights, and who wins how often.
    pair_bytes = 5 * 8 + 3 * 4 + 4 + 2
    return pair_bytes * len(cards.players[0].combos) ** 2 + 4 * rows * cards.widths[0] + scratch


def extract_pair_values(
    game: CardGame,
    strategy: FlopStrategy,
    sample: RunoutSample = ALL_RUNOUTS,
    on_event: BucketEventSink = ignore_event,
    team: Team | None = None,
) -> PairValues:
    """Returns what all combos win from each other on a flop with all hands, in pots.

    Values are exact if the sample is all boards, and do not depend on the number of threads. A
    `ValueError` says that some combos that can meet do so on none of the boards.
    """
    combos, team = game.cards.players[0].combos, team or Team()
    extraction = _Extraction(game, strategy, team)
    random = np.random.default_rng([sample.seed, *game.cards.board])
    turn_deal, river_deal = game.cards.deals
    symmetries = game.hands(0).image[list(game.cards.symmetry_numbers), : len(combos)]
    turn_sums, river_sums = (
        PairSums(len(combos), symmetries, has_showdowns) for has_showdowns in (False, True)
    )
    turns = _choose(random, range(len(turn_deal.card)), sample.num_turns)
    rivers = [
        _choose(random, range(*turn_deal.first_next[turn : turn + 2]), sample.num_rivers)
        for turn in turns
    ]
    # A card stands for itself and its images.
    of_turn, of_river = (1 + (deal.images >= 0).sum(axis=1) for deal in (turn_deal, river_deal))
    flop_gain, num_done = extraction.play(_FLOP, 0).folds, 0
    with reporting_phase(on_event, Phase.VALUES, sum(map(len, rivers))) as advance:
        for turn, after in zip(turns, rivers, strict=True):
            turn_sums.add_boards([extraction.play(_TURN, turn, of_turn[turn])], team)
            for first in range(0, len(after), _BOARDS_AT_ONCE):
                boards = [
                    extraction.play(_RIVER, river, of_turn[turn] * of_river[river])
                    for river in after[first : first + _BOARDS_AT_ONCE]
                ]
                river_sums.add_boards(boards, team)
                num_done += len(boards)
                advance(num_done)
    can_meet = disjoint_combos(combos, combos)
    gain = _mean_gain(flop_gain, turn_sums, river_sums, game.cards.board)
    if np.isnan(gain[can_meet]).any():
        raise ValueError(f"{sample}: some combos meet on none of the boards, take more of them")
    gain[~can_meet] = np.nan
    return PairValues(combos, gain)


def _mean_gain(
    flop_gain: Product, turns: PairSums, rivers: PairSums, flop: tuple[int, ...]
) -> FloatArray:
    """Returns ``[C, C]`` means over boards; NaN where combos meet on none of them."""
    turn_weight, river_weight = turns.weights(), rivers.weights()
    equity = compute_board_equity(flop)
    wins, num_runouts = equity.wins, equity.num_runouts
    gain = np.empty_like(turns.gain)
    with np.errstate(invalid="ignore"):  # 0 / 0 where combos do not meet
        for rows in parts_of(slice(0, len(gain))):
            on_turns = turns.spread(turn_weight, rows)
            on_rivers = rivers.spread(river_weight, rows)
            mean = flop_gain.rows(rows)[:, : len(gain)] + turns.spread(turns.gain, rows) / on_turns
            mean += rivers.spread(rivers.gain, rows) / on_rivers
            edge = (wins[rows].astype(np.float64) - wins[:, rows].T) / num_runouts
            surplus = edge - rivers.spread(rivers.outcome, rows) / on_rivers
            mean += rivers.spread(rivers.stake, rows) / on_rivers * surplus
            gain[rows] = mean
    return gain


def _choose(random: np.random.Generator, numbers: range, count: int) -> list[int]:
    if count >= len(numbers):
        return list(numbers)
    chosen: list[int] = np.sort(random.choice(np.array(numbers), count, replace=False)).tolist()
    return chosen


class _Extraction:
    """Reach of both players on the boards of a flop, and the products of it.

    A street's reach is, for each player and each group of its roots, ``[rows, H]``: how the player
    plays towards the rows that its opponent's forest numbers.
    """

    def __init__(self, game: CardGame, strategy: FlopStrategy, team: Team) -> None:
        templates, cards, rows_of = game.templates, game.cards, strategy.rows
        self._game, self._team, self._combos = game, team, cards.players[0].combos
        self._tables = [FixedTables(templates, cards, rows_of, (player,)) for player in (0, 1)]
        self._scratch = [
            [
                plan_scratch(street, cards.widths, 1 - player, Precision.SINGLE).build(Scratch)
                for street in templates
            ]
            for player in (0, 1)
        ]
        start = arrive(np.ones(cards.players[0].width, np.float32))
        self._entering: dict[int, list[Arrival]] = {_FLOP: [start, start]}

    def play(self, street: Street, board: int, weight: int = 1) -> PlayedBoard:
        """Returns what is done on a board that stands for so many, entered from the one before."""

        def find_reach(player: int) -> list[Float32Array]:
            hands, scratch = self._game.hands(1 - player), self._scratch[player][street]
            forest = self._game.templates[street].forests[1 - player]
            learning = self._tables[player].on_board(street, board)[player]
            entering, by_group = self._entering[street][player], []
            for group in range(len(forest.group)):
                visit_kernels.enter_street(entering, hands, forest, group, scratch.reach)
                street_kernels.push_reach(forest, group, learning, EVALUATING, scratch)
                by_group.append(scratch.reach[: forest.group[group, 8]].copy())
            return by_group

        reach = self._team.run(find_reach, range(NUM_PLAYERS))
        dealt = self._game.cards.runouts[street - 1][board] if street > _FLOP else ()
        has_card = COMBO_HAS_CARD[self._combos][:, list(dealt)].any(axis=1)
        weights = np.where(has_card, np.float32(0.0), np.float32(weight))
        folds = self._product(street, reach, "folds")
        if street == _RIVER:
            stakes = self._product(street, reach, "showdowns")
            board_cards = np.array([(*self._game.cards.board, *dealt)], dtype=np.uint8)
            ranks, _ = rank_combos(board_cards, self._combos)
            return PlayedBoard(weights, folds, stakes, ranks[0].astype(np.float32))
        forests = reversed(self._game.templates[street].forests)
        self._entering[street + 1] = [
            Arrival(rows, forest.chance_row, NO_CARD, np.float32(1.0))  # only rivers have groups
            for (rows,), forest in zip(reach, forests, strict=True)
        ]
        return PlayedBoard(weights, folds)

    def _product(self, street: Street, reach: list[list[Float32Array]], kind: str) -> Product:
        """Returns ``[C, C]`` payoffs summed over a board's ``folds`` or ``showdowns``."""
        # OOP's rows are numbered as IP sees them and the other way round; nodes are the same, in
        # another order.
        forests, num_combos, parts = self._game.templates[street].forests, len(self._combos), []
        oop, ip = (getattr(forest, kind) for forest in forests)
        for group, bounds in enumerate(forests[0].group):
            ends = slice(*(bounds[4:6] if kind == "folds" else bounds[6:8]))
            by_oop, by_ip = (np.argsort(seen.node[ends]) for seen in (oop, ip))
            mine = reach[0][group][ip.row[ends][by_ip], :num_combos]
            theirs = reach[1][group][oop.row[ends][by_oop], :num_combos]
            parts.append((mine * oop.payoff[ends][by_oop, None], theirs))
        mine, theirs = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Product(np.ascontiguousarray(mine.T), pack_panels(theirs, np.float32))
