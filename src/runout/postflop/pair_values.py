"""What every combo wins from every combo under strategies that look at the board.

With ``R_p[t, c]`` the probability that player p plays towards terminal t with combo c, two combos
win ``sum_t gain_t R_0[t, c] R_1[t, d]`` from each other at folds, and the same with stakes times
who wins at showdowns: matrix products, board by board. A flop has thousands of boards, so some may
be sampled. The noise of who happens to win on the sampled boards is taken out: it is what their
equities differ from the flop's exact ones, at the stakes that the two combos play for.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runout import product_kernels
from runout.arrays import Float32Array, FloatArray, IntArray
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cards.combos import COMBO_HAS_CARD, disjoint_combos
from runout.cards.evaluator_tables import evaluator_tables
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.equity import equity_kernels
from runout.equity.board_equity import compute_board_equity
from runout.events import BucketEventSink, Phase, ignore_event, reporting_phase
from runout.holdem import spot_kernels, street_kernels
from runout.holdem.card_game import CardGame
from runout.holdem.fixed_tables import FixedTables
from runout.holdem.spot_layouts import Arrival
from runout.holdem.street_kernels import EVALUATING
from runout.holdem.tables import Precision, make_scratch
from runout.postflop.extract import pack_values
from runout.postflop.flop_strategy import FlopStrategy
from runout.products import make_product_rows, multiply, pack_panels
from runout.trees.betting import Street

_NO_CARD = -1
_FLOP, _TURN, _RIVER = Street.FLOP, Street.TURN, Street.RIVER

#: What taking values holds on top of a solve: a dozen matrices of 1,176 x 1,176 combos, measured.
TAKING_VALUES_BYTES = 160_000_000


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
        can_meet = ~np.isnan(self.gain_of_oop)
        hand = HAND_BY_COMBO[self.combos]
        member = np.zeros((len(hand), NUM_HANDS))
        member[np.arange(len(hand)), hand] = 1.0
        total = multiply(multiply(member.T, np.nan_to_num(self.gain_of_oop)), member)
        count = multiply(multiply(member.T, can_meet.astype(np.float64)), member)
        gain = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0.0)
        return pack_values(gain)


@dataclass(frozen=True)
class RunoutSample:
    """Which boards values are taken from.

    Attributes:
        num_turns: turn cards, or all of them if there are not more; five at least, or
            some combos meet on none of the boards.
        num_rivers: river cards after each, likewise.
        seed: of the choice.
    """

    num_turns: int = 52
    num_rivers: int = 52
    seed: int = 0


ALL_RUNOUTS = RunoutSample()


class _Sums:
    """Sums over boards, ``[C, C]`` each."""

    def __init__(self, num_combos: int) -> None:
        shape = (num_combos, num_combos)
        self.gain = np.zeros(shape)
        self.stake = np.zeros(shape)
        self.outcome = np.zeros(shape)
        self.weight = np.zeros(shape)


def extract_pair_values(
    game: CardGame,
    strategy: FlopStrategy,
    sample: RunoutSample = ALL_RUNOUTS,
    on_event: BucketEventSink = ignore_event,
    team: Team | None = None,
) -> PairValues:
    """Returns what all combos win from each other on a flop.

    Args:
        game: a flop with all hands, in pots.
        strategy: of both players.
        sample: the boards to look at; values are exact if it is all of them.
        on_event: told about progress, in boards.
        team: threads to share the work; the values do not depend on how many.

    Raises:
        ValueError: if some combos that can meet do so on none of the boards.
    """
    combos = game.cards.players[0].combos
    extraction = _Extraction(game, strategy, team or Team())
    random = np.random.default_rng([sample.seed, *game.cards.board])
    turn_deal = game.cards.deals[0]
    turn_sums, river_sums = _Sums(len(combos)), _Sums(len(combos))
    turns = _choose(random, range(len(turn_deal.card)), sample.num_turns)
    rivers = [
        _choose(random, range(*turn_deal.first_next[turn : turn + 2]), sample.num_rivers)
        for turn in turns
    ]
    with reporting_phase(on_event, Phase.VALUES, sum(map(len, rivers))) as advance:
        num_done = 0
        for turn, rivers_of_turn in zip(turns, rivers, strict=True):
            extraction.add_turn(turn, turn_sums)
            for river in rivers_of_turn:
                extraction.add_river(turn, river, river_sums)
                num_done += 1
                advance(num_done)
    can_meet = disjoint_combos(combos, combos)
    turn_weight, river_weight = (_spread(game, sums.weight) for sums in (turn_sums, river_sums))
    if not (river_weight[can_meet] > 0.0).all():
        raise ValueError(f"{sample}: some combos meet on none of the boards, take more of them")
    gain = extraction.flop_gain() + _mean(game, turn_sums.gain, turn_weight)
    gain += _mean(game, river_sums.gain, river_weight)
    surplus = _exact_edge(game.cards.board) - _mean(game, river_sums.outcome, river_weight)
    gain += _mean(game, river_sums.stake, river_weight) * surplus
    gain[~can_meet] = np.nan
    return PairValues(combos, gain)


def _choose(random: np.random.Generator, numbers: range, count: int) -> list[int]:
    if count >= len(numbers):
        return list(numbers)
    chosen: list[int] = np.sort(random.choice(np.array(numbers), count, replace=False)).tolist()
    return chosen


def _exact_edge(flop: tuple[int, ...]) -> FloatArray:
    """Returns ``[C, C]`` how much more often the row wins than the column, over all runouts."""
    equity = compute_board_equity(flop)
    wins = equity.wins.astype(np.float64)
    return (wins - wins.T) / equity.num_runouts


def _mean(game: CardGame, total: FloatArray, weight: FloatArray) -> FloatArray:
    """Divides sums, after spreading them over the suits that were merged, by spread weights."""
    spread = _spread(game, total)
    return np.divide(spread, weight, out=np.zeros_like(spread), where=weight > 0.0)


def _spread(game: CardGame, total: FloatArray) -> FloatArray:
    """Adds up sums over boards that were merged by suits, as all of them would have given."""
    images = game.hands(0).image
    spread = np.zeros_like(total)
    for number in game.cards.symmetry_numbers:
        source = images[number][: len(total)]
        spread += total[np.ix_(source, source)]
    return spread


class _Extraction:
    """Reach of both players on the boards of a flop, and the products of it.

    A street's reach is, for each player and each group of its roots, ``[rows, H]``: how the player
    plays towards the rows that its opponent's forest numbers.
    """

    def __init__(self, game: CardGame, strategy: FlopStrategy, team: Team) -> None:
        self._game = game
        self._team = team
        self._tables = [
            FixedTables(game.templates, game.cards, player, strategy.rows)
            for player in range(NUM_PLAYERS)
        ]
        self._scratch = [
            [
                make_scratch(template, game.cards, 1 - player, Precision.SINGLE)
                for template in game.templates
            ]
            for player in range(NUM_PLAYERS)
        ]
        self._combos = game.cards.players[0].combos
        width = game.cards.players[0].width
        from_start = Arrival(
            np.ones((1, width), np.float32), np.zeros(1, np.int32), _NO_CARD, np.float32(1.0)
        )
        self._flop_reach = self._reach(_FLOP, 0, [from_start, from_start])
        self._turn_reach: list[list[Float32Array]] = []

    def flop_gain(self) -> FloatArray:
        """Returns ``[C, C]`` what is won by folds on the flop."""
        everyone = slice(0, len(self._combos))
        return self._fold_gain(_FLOP, self._flop_reach).rows(everyone).astype(np.float64)

    def add_turn(self, turn: int, out: _Sums) -> None:
        """Adds what is won by folds on a turn card."""
        self._turn_reach = self._reach(_TURN, turn, self._leaving(_FLOP, self._flop_reach))
        is_live = self._live(self._game.cards.runouts[0][turn])
        counted = self._multiplicity(0, turn)
        folds = self._fold_gain(_TURN, self._turn_reach)

        def add_rows(rows: slice) -> None:
            weight = counted * np.outer(is_live[rows], is_live)
            out.gain[rows] += weight * folds.rows(rows)
            out.weight[rows] += weight

        self._share_rows(add_rows)

    def add_river(self, turn: int, river: int, out: _Sums) -> None:
        """Adds what is won on a river board after the turn that was added last."""
        runout = self._game.cards.runouts[1][river]
        counted = self._multiplicity(0, turn) * self._multiplicity(1, river)
        reach = self._reach(_RIVER, river, self._leaving(_TURN, self._turn_reach))
        is_live, ranks = self._live(runout), self._ranks(runout)
        folds, showdowns = self._fold_gain(_RIVER, reach), self._showdown_stake(reach)

        def add_rows(rows: slice) -> None:
            weight = counted * np.outer(is_live[rows], is_live)
            outcome = np.sign(ranks[rows, None] - ranks)
            stake = showdowns.rows(rows)
            out.gain[rows] += weight * (folds.rows(rows) + stake * outcome)
            out.stake[rows] += weight * stake
            out.outcome[rows] += weight * outcome
            out.weight[rows] += weight

        self._share_rows(add_rows)

    def _share_rows(self, add_rows: Callable[[slice], None]) -> None:
        """Lets the team fill the rows of OOP's combos."""
        parts = [slice(*bounds) for bounds in self._team.split(len(self._combos))]
        self._team.run(add_rows, parts)

    def _reach(
        self, street: Street, board: int, entering: list[Arrival]
    ) -> list[list[Float32Array]]:
        def find(player: int) -> list[Float32Array]:
            hands, scratch = self._game.hands(1 - player), self._scratch[player][street]
            forest = self._game.templates[street].forests[1 - player]
            learning = self._tables[player].on_board(street, board)[player]
            by_group = []
            for group in range(len(forest.group)):
                spot_kernels.enter_street(entering[player], hands, forest, group, scratch.reach)
                street_kernels.push_reach(forest, group, learning, EVALUATING, scratch)
                by_group.append(scratch.reach[: forest.group[group, 8], : len(self._combos)].copy())
            return by_group

        return self._team.run(find, range(NUM_PLAYERS))

    def _leaving(self, street: Street, reach: list[list[Float32Array]]) -> list[Arrival]:
        """Returns how the next street is entered; only rivers have more than one group."""
        width = self._game.cards.players[0].width
        arrivals = []
        for player in range(NUM_PLAYERS):
            forest = self._game.templates[street].forests[1 - player]
            (rows,) = reach[player]
            padded = np.zeros((len(rows), width), np.float32)
            padded[:, : rows.shape[1]] = rows
            arrivals.append(Arrival(padded, forest.chance_row, _NO_CARD, np.float32(1.0)))
        return arrivals

    def _fold_gain(self, street: Street, reach: list[list[Float32Array]]) -> "_Product":
        """Returns ``[C, C]`` what OOP wins by folds on a board."""
        # OOP's rows are numbered as IP sees them and the other way round; nodes are the same, in
        # another order.
        seen_by_oop, seen_by_ip = self._game.templates[street].forests
        parts = []
        for group, bounds in enumerate(seen_by_oop.group):
            folds = slice(bounds[4], bounds[5])
            by_oop, by_ip = (np.argsort(seen.fold[folds]) for seen in (seen_by_oop, seen_by_ip))
            mine = reach[0][group][seen_by_ip.fold_row[folds][by_ip]]
            theirs = reach[1][group][seen_by_oop.fold_row[folds][by_oop]]
            parts.append((mine * seen_by_oop.fold_gain[folds][by_oop, None], theirs))
        return _Product(parts)

    def _showdown_stake(self, reach: list[list[Float32Array]]) -> "_Product":
        """Returns ``[C, C]`` what two combos play for at showdown on a river board."""
        seen_by_oop, seen_by_ip = self._game.templates[_RIVER].forests
        parts = []
        for group, bounds in enumerate(seen_by_oop.group):
            ends = slice(bounds[6], bounds[7])
            by_oop, by_ip = (np.argsort(seen.showdown[ends]) for seen in (seen_by_oop, seen_by_ip))
            mine = reach[0][group][seen_by_ip.showdown_row[ends][by_ip]]
            theirs = reach[1][group][seen_by_oop.showdown_row[ends][by_oop]]
            parts.append((mine * seen_by_oop.showdown_stake[ends][by_oop, None], theirs))
        return _Product(parts)

    def _multiplicity(self, deal: int, number: int) -> int:
        """Returns how many cards a card stands for."""
        return 1 + int((self._game.cards.deals[deal].images[number] >= 0).sum())

    def _live(self, dealt: tuple[int, ...]) -> Float32Array:
        """Returns ``[C]`` 1 where the dealt cards leave a combo possible, else 0."""
        has_card = COMBO_HAS_CARD[self._combos][:, list(dealt)]
        return np.where(has_card.any(axis=1), np.float32(0.0), np.float32(1.0))

    def _ranks(self, runout: tuple[int, ...]) -> Float32Array:
        """Returns ``[C]`` the strength of each combo on a complete board, larger is better."""
        board = np.array([(*self._game.cards.board, *runout)], dtype=np.uint8)
        ranks = np.empty((1, len(self._combos)), dtype=np.uint8)
        equity_kernels.rank_combos(
            evaluator_tables(), board, self._combos, ranks, np.empty_like(ranks)
        )
        strengths: Float32Array = ranks.astype(np.float32)[0]
        return strengths


class _Product:
    """``[C, C]`` the sum over terminals of the products of both players' rows, row by row."""

    def __init__(self, parts: list[tuple[Float32Array, Float32Array]]) -> None:
        self._mine = np.ascontiguousarray(np.concatenate([part[0] for part in parts]).T)
        theirs = np.concatenate([part[1] for part in parts])
        self._width = theirs.shape[1]
        self._panels = pack_panels(theirs, np.float32)

    def rows(self, rows: slice) -> Float32Array:
        """Returns some rows; threads may ask for different ones at a time."""
        numbers = np.arange(rows.start, rows.stop)
        product = make_product_rows(len(numbers), self._panels)
        product_kernels.multiply_rows(self._mine, numbers, self._panels, product)
        found: Float32Array = product[:, : self._width]
        return found
