"""Best responses with real cards: what strategies, and whole joint solutions, lose.

However a backend groups hands, its strategies say what each combo does on each board. Here an
opponent answers them with every combo on every turn and river card, and the two gains are the
price of the abstraction and of the solve together. Of a joint solution, what the opponent wins on
its flops is carried up through the preflop tree, where it answers with every hand.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, cast

from runout.arrays import Float32Array
from runout.cards.deck import live_combos
from runout.cfr.cfr_kernels import RESPOND, Step
from runout.cfr.team import Team
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import BundleError, ExecutionError
from runout.events import Phase, reporting_phase
from runout.execution.context import RunContext
from runout.flops.backend import EVERYONE, FlopStrategy
from runout.flops.solve import SolvedFlop, merges_suits
from runout.flops.spot_solution import (
    RealCards,
    SpotSolution,
    StoredStrategy,
    TableStrategy,
    store_evaluation,
)
from runout.holdem.cards import PlayerHands, Spot
from runout.holdem.game import CardGame
from runout.holdem.tables import FixedTables
from runout.preflop.joint import Flops, JointGame, PlayedFlops
from runout.preflop.solver import best_response
from runout.runs.plan import make_joint_game
from runout.solutions import preflop as stored
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import JointFlops, RealGameLoss
from runout.solutions.node import Solution
from runout.solutions.preflop import FLOPS_FOLDER, SOLUTION_FOLDER, PreflopSolution
from runout.solutions.run import open as open_result
from runout.solutions.values import ValueBundle
from runout.storage.ledger import claiming
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree


def judge_spot(spot: Spot, strategy: FlopStrategy, team: Team | None = None) -> RealGameLoss:
    """Returns what the strategies of a spot lose in the game with real cards.

    Cards that differ by suits only are looked at once, unless own buckets tell suits apart.
    """
    is_merged = spot.merges_suits and merges_suits(strategy)
    return RealCards(replace(spot, merges_suits=is_merged), strategy, team).measure()


def exploitability(
    solution: SpotSolution | SolvedFlop | Solution | Path | str, context: RunContext | None = None
) -> float:
    """Returns what strategies lose to a best response with real cards, as a fraction of the pot.

    The opponent answers with every combo on every turn and river card, however the solve grouped
    hands: the mean of what both players gain.

    >>> from runout import exploitability, solve_spot
    >>> spot = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}
    >>> exploitability(solve_spot(**spot, target=0.001)) <= 0.001
    True

    Args:
        solution: of `solve_spot` or `solve_flop`, a spot of `runout.open`, or the path of one.
        context: its workers share the work; by default all cores.
    """
    team = Team((context or RunContext()).num_threads)
    if isinstance(solution, str | Path):
        solution = open_result(solution)
    if isinstance(solution, ValueBundle) and len(solution.flops) == len(solution.values) == 1:
        solution = SolvedFlop.load(solution)
    if isinstance(solution, SolvedFlop):
        return judge_spot(solution.spot, solution.strategy, team).exploitability_pot
    if isinstance(solution, StoredSpot):
        return _evaluate(solution, team).measure().exploitability_pot
    if not isinstance(solution, SpotSolution):
        where = f"a {type(solution).__name__}"
        raise ExecutionError(where, "not a solution of solve_spot or solve_flop, nor a saved one")
    solver = solution.solver
    if solver.game.rivers.is_exact:
        return solver.exploitability() / solver.game.spot.tree.stakes.pot
    strategy = TableStrategy(solver.tables, solver.game)
    return judge_spot(solver.game.spot, strategy, team).exploitability_pot


def _evaluate(spot: StoredSpot, team: Team) -> RealCards:
    strategy = StoredStrategy(cast(Any, spot.tables.strategy), spot.cards)
    return RealCards(spot.spot, strategy, team)


def judge_saved_spot(path: Path, context: RunContext) -> RealGameLoss:
    """Returns what a saved spot loses with real cards, and notes it in its bundle.

    The EVs of a spot whose rivers are in buckets become those with real cards.
    """
    spot = open_result(path)
    assert isinstance(spot, StoredSpot)
    assert spot.config is not None
    real = _evaluate(spot, Team(context.num_threads, cancel=context.cancel))
    with claiming(path), reporting_phase(context.on_event, Phase.REAL_CARDS):
        loss = real.measure()
        if spot.config.rivers == "compact":
            store_evaluation(path, spot, real.live, loss)
    return loss


@dataclass(frozen=True)
class JointLoss:
    """What best responses of SB and BB win in the real game, per hand."""

    best_response_mbb: tuple[float, float]

    @property
    def exploitability_mbb(self) -> float:
        """The mean gain of a best response, in thousandths of a big blind per hand."""
        return sum(self.best_response_mbb) / NUM_PLAYERS


def judge_flops(
    game: JointGame,
    flops: Sequence[int],
    strategy_of: Callable[[int, int], FlopStrategy],
    team: Team,
    on_visit: Callable[[], None] = lambda: None,
) -> "PlayedFlops[_JudgedSubgame]":
    """Returns flops of a joint game, by number, where both strategies are given.

    A flop's number and that of a leaf give a strategy. Nothing is learned; ``on_visit`` is called
    whenever a flop is done at a leaf.
    """
    subset = game.backend.runout_subset

    def judge(flop: int, leaf: int, tree: PostflopTree) -> "_JudgedSubgame":
        spot = Spot(game.flops.flops[flop], EVERYONE, tree, runout_subset=subset)
        return _JudgedSubgame(spot, strategy_of(flop, leaf), on_visit)

    subgames = [
        [judge(flop, leaf, tree) for leaf, tree in enumerate(game.flop_trees)] for flop in flops
    ]
    return PlayedFlops({flop: float(game.flops.weights[flop]) for flop in flops}, subgames, team)


def judge_joint(game: JointGame, solution: PreflopSolution, flops: Flops) -> JointLoss:
    """Returns what a joint solution, with the flops of `judge_flops`, loses with real cards."""
    leaves = game.make_leaves(flops)
    sb, bb = (
        stored.MBB_PER_BB * float(best_response(game.tree, leaves, solution.strategy, player).sum())
        for player in range(NUM_PLAYERS)
    )
    return JointLoss((sb, bb))


def judge_run(directory: Path, context: RunContext) -> JointLoss:
    """Returns what the joint solution in a run's directory loses in the real game, and notes it."""
    solution = stored.load_solution(directory / SOLUTION_FOLDER)
    saved = JointFlops.load(directory / FLOPS_FOLDER)
    if saved.last_street != Street.RIVER:
        problem = "has no strategies of rivers, solve it with keep_rivers: true"
        raise BundleError(str(directory / FLOPS_FOLDER), problem)
    game = make_joint_game(parse_config(saved.config_text, RunConfig), solution.tree)
    num_steps = NUM_PLAYERS * len(game.flops) * len(game.flop_trees)

    def strategy_of(flop: int, leaf: int) -> FlopStrategy:
        return StoredStrategy(*saved.shares(flop, leaf, game.flop_trees))

    with reporting_phase(context.on_event, "best responses on flops", num_steps) as advance:
        done, counting = itertools.count(1), Lock()

        def on_visit() -> None:
            with counting:
                advance(next(done))

        team = Team(context.num_threads, cancel=context.cancel)
        flops = judge_flops(game, range(len(game.flops)), strategy_of, team, on_visit)
        loss = judge_joint(game, solution, flops)
    stored.note_real_exploitability(directory / SOLUTION_FOLDER, loss.exploitability_mbb)
    return loss


class _JudgedSubgame:
    """A flop leaf on one flop where both strategies are given and nothing is learned."""

    def __init__(self, spot: Spot, strategy: FlopStrategy, on_visit: Callable[[], None]) -> None:
        self._spot, self._strategy, self._on_visit = spot, strategy, on_visit
        self.cost = spot.tree.num_nodes
        self.combos = live_combos(spot.board)
        self.width = PlayerHands.of_range(spot.ranges[0], spot.board, 0).width

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        # Made for each visit: its orders of hands on all boards would fill the memory.
        game, players = CardGame(self._spot), (1 - player,) if step.mode == RESPOND else (0, 1)
        tables = FixedTables(game.templates, game.cards, self._strategy.rows, players)
        values = game.visit(player, step, tables, root_reach)
        self._on_visit()
        return values
