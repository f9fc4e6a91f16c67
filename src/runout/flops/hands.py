"""The backend between the 169 canonical hands: exhaustive with exact equities, or MCCFR."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np

from runout.arrays import Arrays, FloatArray, IntArray, RealArray, Uint8Array, Uint64Array
from runout.cards.deck import HAND_BY_COMBO, NUM_CARDS, NUM_HANDS, disjoint_combos, live_combos
from runout.cards.evaluator import evaluate
from runout.cards.flops import CanonicalBoard
from runout.cfr.cfr_kernels import LEARN, Step
from runout.cfr.leaves import MatrixLeaves, StreetReach
from runout.cfr.schedules import DCFR_PLUS, LINEAR, Schedule, StoppingRule
from runout.cfr.solver import CfrSolver, StreetSolver, ignore_progress
from runout.cfr.team import Team
from runout.equity.board import rank_combos
from runout.events import Phase, PhaseEvent, reporting_phase
from runout.flops import backend, mccfr_kernels
from runout.flops.backend import Cost, FlopGame, FlopSolution, ProgressSink
from runout.flops.mccfr_kernels import Deals, SampledTables
from runout.flops.values import extract_values
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import SHOWDOWN, PostflopTree

#: Bytes and seconds of a node and a hand, measured: tables, and reach when values are extracted;
#: an iteration with exploitability looked at. Then the time of a deal of a sampled extraction.
_CELL_COST = {"exact": (64, 25e-9), "public_chance": (64, 25e-9), "external": (72, 60e-9)}
_SECONDS_PER_SAMPLE = 4e-7

#: Ways to complete a flop, and how many of them avoid the cards of two hands.
NUM_RUNOUTS = 1_176
NUM_RUNOUTS_PER_PAIR = 990
#: Ordered pairs of combos on a flop, and on a river.
NUM_PAIRS = 1_176 * 1_081
NUM_PAIRS_PER_RUNOUT = 1_081 * 990


@dataclass(frozen=True)
class Sampling:
    """Which cards an iteration learns from (MCCFR).

    *Public-chance sampling* deals some runouts per iteration and lets every pair of hands meet on
    them. *External sampling* (Lanctot et al. 2009) deals both hands and one runout at a time and
    samples what the opponent does. Both are judged with exact equities; see `docs/mccfr.md`.

    Attributes:
        fraction: share of the 1,176 runouts that an iteration samples, above 0 up to 1
            (``mccfr_sample_pct``). External sampling deals 169 times that number to each player.
        value_deals: deals from which values are estimated; 0 computes them exactly.
        seed: of the run. Every flop and iteration has its own stream, and suits do not matter.
    """

    kind: Literal["external", "public_chance"] = "public_chance"
    fraction: float = 0.01
    value_deals: int = 0
    seed: int = 0

    @property
    def num_runouts(self) -> int:
        """Runouts of an iteration, at least one."""
        return math.ceil(self.fraction * NUM_RUNOUTS)

    @property
    def deals_per_iteration(self) -> int:
        """Pairs of combos and runouts that an iteration learns from."""
        if self.kind == "external":
            return NUM_PLAYERS * self.num_runouts * NUM_HANDS
        return self.num_runouts * NUM_PAIRS_PER_RUNOUT


@dataclass(frozen=True)
class HandBackend:
    """Solves a flop by vector CFR over the 169 hands.

    Strategies do not look at the turn and river cards, so enumerating those cards at chance nodes
    gives exactly the flop's equity over all runouts; `tests/flops/test_hands.py` proves it.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, with exact equities.
        schedule: sampling wants `LINEAR`, which averages noise out: variants that forget negative
            regrets mistake luck for merit (docs/mccfr.md).
        is_simultaneous: whether both players update against one snapshot.
    """

    rule: StoppingRule
    schedule: Schedule = DCFR_PLUS
    sampling: Sampling | None = None
    is_simultaneous: bool = False

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.OWN_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        with reporting_phase(on_progress, Phase.LAYOUT):
            street = self._make_street(game, tree, team.for_solve(tree.num_nodes * NUM_HANDS))
            solver = CfrSolver(street, self.schedule, is_simultaneous=self.is_simultaneous)
        with reporting_phase(on_progress, Phase.SOLVING, self.rule.max_iterations):
            outcome = solver.solve(self.rule, on_progress, team.cancel)
        strategy = solver.root.average_strategy().astype(np.float32, copy=False)
        num_deals, sampling = 0, self.sampling
        if sampling is not None:
            num_deals = outcome.iterations * sampling.deals_per_iteration + sampling.value_deals
            if sampling.value_deals:
                edge = sample_edge(game, sampling.value_deals, sampling.seed, on_progress, team)
                game = replace(game, edge=edge)
        with reporting_phase(on_progress, Phase.VALUES):
            value_pot = extract_values(tree, game, strategy)
        report = backend.report_outcome(outcome, self.meaning, num_deals)
        return FlopSolution(backend.HandStrategy(strategy), value_pot, report)

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take."""
        cells, sampling = tree.num_nodes * NUM_HANDS, self.sampling
        memory, seconds = _CELL_COST["exact" if sampling is None else sampling.kind]
        to_value = 0.0 if sampling is None else _SECONDS_PER_SAMPLE * sampling.value_deals
        most = backend.limit_seconds(self.rule, seconds * cells) + to_value
        return Cost(most, memory * cells, backend.KEPT_BYTES * cells, savings=backend.FEWER_SIZES)

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> backend.HandStrategy:
        """Returns the strategies that were kept."""
        return backend.HandStrategy(backend.unpack_probabilities(kept["by_hand"]))

    @classmethod
    def for_warm_up(cls) -> Sequence["HandBackend"]:
        """Returns backends whose solves of a small flop call every kernel."""
        kinds = None, Sampling(), Sampling("external", value_deals=1)
        return [cls(backend.ONCE, LINEAR, sampling) for sampling in kinds]

    def _make_street(self, game: FlopGame, tree: PostflopTree, team: Team) -> StreetSolver:
        """Returns the flop, its turns and rivers as one street that learns from the deals."""
        exact, sampling = backend.make_hand_leaves(tree, game, np.float32, team), self.sampling
        if sampling is None:
            return StreetSolver(tree.layout, exact, NUM_HANDS, np.float32, team)
        stream = DealStream(sampling.seed, game.flop)
        if sampling.kind == "external":
            return ExternalStreet(tree, exact, stream, sampling.num_runouts * NUM_HANDS, team)
        sampled = backend.make_hand_leaves(tree, game, np.float32, team)
        sampler = RunoutSampler(stream, sampling.num_runouts, team)
        leaves = PublicChanceLeaves(exact, sampled, sampler)
        return StreetSolver(tree.layout, leaves, NUM_HANDS, np.float32, team)


# Random deals of one flop, and who wins them.

#: What a random stream is for, besides the passes of player 0 and 1.
_FOR_RUNOUTS, _FOR_VALUES = 2, 3

_DEALS_AT_ONCE = 100_000  # bounds memory; each batch of so many has a random stream of its own


class DealStream:
    """Random cards of one flop, the same whichever suits the flop is dealt in."""

    def __init__(self, seed: int, flop: tuple[int, ...]) -> None:
        # Hands are canonical, so it is enough to deal on the canonical flop.
        self._seed, self.flop = seed, CanonicalBoard.from_cards(flop).cards
        self.deck = np.array([c for c in range(NUM_CARDS) if c not in self.flop], dtype=np.uint8)

    def boards(self, cards: Uint8Array) -> Uint8Array:
        """Returns ``[n, 5]`` the flop with each of ``cards[n, 2]`` to come."""
        flop = np.tile(np.array(self.flop, dtype=np.uint8), (len(cards), 1))
        return np.concatenate([flop, cards], axis=1)

    def generator(self, iteration: int, purpose: int) -> np.random.Generator:
        """Returns the generator of an iteration."""
        return np.random.default_rng([self._seed, *self.flop, iteration, purpose])

    def kernel_state(self, iteration: int, purpose: int) -> Uint64Array:
        """Returns ``[1]`` the state of the kernels' generator at the start of an iteration."""
        return self.generator(iteration, purpose).integers(0, 2**64, size=1, dtype=np.uint64)

    def deal(self, num_deals: int, state: Uint64Array) -> Deals:
        """Deals hands and runouts, all equally likely: 1/1176 x 1/1081 and 1/990."""
        cards = np.empty((num_deals, 6), dtype=np.uint8)
        mccfr_kernels.deal_cards(self.deck, state, cards)
        board, hands, strength = self.boards(cards[:, 4:]), [], []
        for held in (cards[:, :2], cards[:, 2:4]):
            low, high = np.sort(held.astype(np.int64), axis=1).T
            hands.append(HAND_BY_COMBO[high * (high - 1) // 2 + low])
            strength.append(evaluate(np.concatenate([held, board], axis=1)).astype(np.int64))
        outcome = np.sign(strength[0] - strength[1]).astype(np.float64)
        return Deals(np.stack(hands, axis=1), outcome)


def sample_edge(
    game: FlopGame,
    num_samples: int,
    seed: int,
    on_progress: Callable[[PhaseEvent], None] = ignore_progress,
    team: Team | None = None,
) -> FloatArray:
    """Returns ``[169, 169]`` estimates of ``game.edge`` from deals, for `extract_values`.

    What two hands do against each other is known, so only who wins the showdown is sampled. With
    them the value of a matchup of n deals has the standard error ``stake * sqrt((1 - tied -
    edge**2) / n)``, with the stake that the two play for at showdown on average. A matchup that is
    never dealt keeps its exact equity. Every batch of deals has a random stream of its own, so
    threads share them.
    """
    stream, team = DealStream(seed, game.flop), team or Team()

    def tally(batch: int) -> FloatArray:
        num_deals = min(_DEALS_AT_ONCE, num_samples - batch * _DEALS_AT_ONCE)
        deals = stream.deal(num_deals, stream.kernel_state(batch, _FOR_VALUES))
        cells, shape = deals.hands[:, 0] * NUM_HANDS + deals.hands[:, 1], (2, NUM_HANDS, NUM_HANDS)
        net_wins = np.bincount(cells, deals.outcome, NUM_HANDS**2)
        counts: FloatArray = np.stack([net_wins, np.bincount(cells, minlength=NUM_HANDS**2)])
        return counts.reshape(shape)

    net_and_met = np.zeros((2, NUM_HANDS, NUM_HANDS))  # whole numbers, exact in any order
    num_batches = math.ceil(num_samples / _DEALS_AT_ONCE)
    with reporting_phase(on_progress, Phase.ESTIMATING_EV, num_samples) as advance:
        for first in range(0, num_batches, team.num_workers):
            batches = range(first, min(first + team.num_workers, num_batches))
            for batch, counts in zip(batches, team.run(tally, batches), strict=True):
                net_and_met += counts
                advance(min((batch + 1) * _DEALS_AT_ONCE, num_samples))
    net, num_met = net_and_met
    # Swapping the players turns a deal into one just as likely: use it both ways.
    net, num_met = net - net.T, num_met + num_met.T
    edge: FloatArray = np.divide(net, num_met, out=game.edge.copy(), where=num_met > 0)
    return edge


class RunoutSampler:
    """Estimates who wins at showdown from a few runouts."""

    def __init__(self, stream: DealStream, num_runouts: int, team: Team) -> None:
        """Ranks all combos on all runouts once (a few milliseconds, 3 MB)."""
        self._stream, self._num_runouts, self._team = stream, num_runouts, team
        runouts = np.array(list(combinations(stream.deck, 2)), dtype=np.uint8)
        combos = live_combos(stream.flop)
        combos = combos[np.argsort(HAND_BY_COMBO[combos], kind="stable")]
        self._ranks = rank_combos(stream.boards(runouts), combos)
        self._combos = group_by_hand(combos)

    def sample(self, iteration: int) -> FloatArray:
        """Returns ``[169, 169]`` an estimate of ``matchup_share * edge`` without bias.

        A pair that a runout blocks meets on fewer runouts than another; what is right on average
        is to divide by how many avoid a pair *on average*, for all pairs alike.
        """
        random = self._stream.generator(iteration, _FOR_RUNOUTS)
        chosen = random.choice(NUM_RUNOUTS, self._num_runouts, replace=False)
        wins = np.empty((NUM_HANDS, NUM_HANDS), dtype=np.int64)

        def count(hands: tuple[int, int]) -> None:
            mccfr_kernels.count_wins_by_hand(*self._ranks, chosen, *self._combos, hands, wins)

        self._team.run(count, self._team.split(NUM_HANDS))
        # One division, so that all runouts together give what the exact counts give.
        num_deals = NUM_PAIRS * NUM_RUNOUTS_PER_PAIR * self._num_runouts / NUM_RUNOUTS
        net: FloatArray = (wins - wins.T) / num_deals
        return net


class PublicChanceLeaves:
    """Leaves that learn from sampled showdowns and are judged by exact ones; folds are exact."""

    def __init__(self, exact: MatrixLeaves, sampled: MatrixLeaves, sampler: RunoutSampler) -> None:
        self._exact, self._sampled, self._sampler = exact, sampled, sampler
        self._num_updates = [0, 0]
        self._sampled_iteration = -1

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows."""
        if arrival.step.mode != LEARN:
            self._exact.fill_leaf_values(arrival, out_value)
            return
        iteration = self._num_updates[arrival.player]
        if iteration != self._sampled_iteration:  # both players learn from one sample
            self._sampled.replace_payoff(backend.SHOWDOWN_GROUP, self._sampler.sample(iteration))
            self._sampled_iteration = iteration
        self._num_updates[arrival.player] += 1
        self._sampled.fill_leaf_values(arrival, out_value)

    def refresh(self, player: int) -> float:
        """Has nothing to learn: there is no later street."""
        return 0.0


class ExternalStreet(StreetSolver):
    """A street that learns by external sampling and is judged like any other."""

    def __init__(
        self, tree: PostflopTree, exact: MatrixLeaves, stream: DealStream, deals: int, team: Team
    ) -> None:
        """Allocates the tables; ``exact`` values the leaves when strategies are judged.

        Threads share the judging. Deals, so many for a player in an iteration, are walked one after
        another, because each plays what the one before it has taught.
        """
        super().__init__(tree.layout, exact, NUM_HANDS, np.float32, team)
        stakes = np.where(tree.leaf_kind == SHOWDOWN, tree.leaf_stake, 0.0)
        self._payoff = tree.fold_gain, stakes
        self._stream, self._num_deals, self._num_updates = stream, deals, [0, 0]
        shape = (NUM_HANDS, tree.num_nodes)
        self._sampled = SampledTables(np.zeros(shape), np.zeros(shape))

    def visit(self, root_reach: RealArray, player: int, step: Step) -> RealArray:
        """Learns from sampled deals, or judges exactly; sampled values of the root are not kept."""
        if step.mode != LEARN:
            self._publish()
            return super().visit(root_reach, player, step)
        # What is played now is what `refresh` will compare with, not averages that were judged.
        self._play(averages=False)
        state = self._stream.kernel_state(self._num_updates[player], player)
        deals = self._stream.deal(self._num_deals, state)
        tables = self._sampled
        mccfr_kernels.discount_tables(self.tree, player, step, tables)
        mccfr_kernels.traverse_deals(self.tree, self._payoff, player, deals, state, tables)
        self._num_updates[player] += 1
        return np.zeros(NUM_HANDS, dtype=np.float32)

    def refresh(self, player: int) -> float:
        """Returns the largest change of a probability since the last time."""
        self._publish()
        return super().refresh(player)

    def average_strategy(self) -> RealArray:
        """Returns ``[N, 169]`` the average strategy."""
        self._publish()
        return super().average_strategy()

    def _publish(self) -> None:
        """Copies what was learned into the tables of the base class."""
        self._tables.regret[:] = self._sampled.regret.T
        self._tables.strategy_sum[:] = self._sampled.strategy_sum.T


def group_by_hand(combos: IntArray) -> tuple[IntArray, IntArray]:
    """Returns where hands begin and who blocks whom among a flop's combos, sorted by hand.

    These are ``start`` and ``blocked`` of `mccfr_kernels.count_wins_by_hand`.
    """
    start = np.searchsorted(HAND_BY_COMBO[combos], np.arange(NUM_HANDS + 1))
    blocked = np.nonzero(~disjoint_combos(combos, combos))[1].reshape(len(combos), -1)
    return start, blocked
