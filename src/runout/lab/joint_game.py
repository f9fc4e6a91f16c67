"""What a joint solution loses in the real game: best responses carried up through preflop.

On every flop leaf and every flop of the solution an opponent answers with every combo on every turn
and river card; what it wins there is carried up through the preflop tree, where it answers with
every hand. The two gains are the price of abstraction and solve together, on the flops of the
solution.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from runout.arrays import Float32Array
from runout.cards.combos import live_combos
from runout.cards.flops import Flop
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.config.load import load_run_config
from runout.errors import BundleError
from runout.events import EventSink, ignore_event, reporting_phase
from runout.holdem.cards_to_come import PlayerHands
from runout.holdem.fixed_tables import BothFixed, FixedTables
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.holdem.street_kernels import RESPOND, Step
from runout.pipeline.joint_stage import make_joint_game
from runout.postflop.flop_strategy import FlopStrategy
from runout.postflop.table_strategy import TableStrategy
from runout.preflop.expected_values import best_response
from runout.preflop.joint.flop_deals import FlopDeals
from runout.preflop.joint.flop_strategies import read_tables
from runout.preflop.joint.joint_game import JointGame
from runout.preflop.joint.joint_leaves import JointLeaves
from runout.ranges.hand_range import HandRange
from runout.results.preflop_bundle import load_solution, note_real_exploitability
from runout.results.preflop_solution import MBB_PER_BB, PreflopSolution
from runout.results.run_folders import FLOPS_FOLDER, SOLUTION_FOLDER
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree
from runout.views.joint_bundle import JointFlops

_PHASE = "best responses on flops"

#: Returns the strategy on a flop, by its number, at a flop leaf, by its number.
StrategyOf = Callable[[int, int], FlopStrategy]


@dataclass(frozen=True)
class JointLoss:
    """What best responses win in the real game, per hand.

    Attributes:
        best_response_mbb: of SB against BB's strategy and of BB against SB's.
    """

    best_response_mbb: tuple[float, float]

    @property
    def exploitability_mbb(self) -> float:
        """The mean gain of a best response, in thousandths of a big blind per hand."""
        return sum(self.best_response_mbb) / NUM_PLAYERS


def ignore_visit(done: int, total: int) -> None:
    """The sink of callers who only want the result."""


def judge_joint_solution(
    game: JointGame,
    solution: PreflopSolution,
    strategy_of: StrategyOf,
    team: Team | None = None,
    on_visit: Callable[[int, int], None] = ignore_visit,
) -> JointLoss:
    """Returns what a joint solution loses in the game with real cards, on its flops.

    Args:
        game: what was solved.
        solution: the strategies before the flop.
        strategy_of: the strategies after it.
        team: threads to share the work.
        on_visit: told how many flops of all leaves and both players are done.
    """
    flops, trees = game.flops.flops, game.flop_trees
    counter = _Counter(NUM_PLAYERS * len(flops) * len(trees), on_visit)
    subgames = [
        [
            _JudgedSubgame(flop, tree, strategy_of(number, leaf), counter)
            for leaf, tree in enumerate(trees)
        ]
        for number, flop in enumerate(flops)
    ]
    leaves = JointLeaves(game.tree, FlopDeals.of(game.flops), subgames, team or Team())
    sb, bb = (
        MBB_PER_BB * float(best_response(game.tree, leaves, solution.strategy, player).sum())
        for player in range(NUM_PLAYERS)
    )
    return JointLoss((sb, bb))


def judge_run(directory: Path, num_workers: int, on_event: EventSink = ignore_event) -> JointLoss:
    """Returns what the joint solution in a run's directory loses in the real game, and notes it.

    Args:
        directory: what ``solve-preflop`` wrote.
        num_workers: threads to share the work.
        on_event: told about progress.

    Raises:
        BundleError: if there is no joint solution, or one without rivers.
    """
    solution = load_solution(directory / SOLUTION_FOLDER)
    saved = JointFlops.load(directory / FLOPS_FOLDER)
    if saved.last_street != Street.RIVER:
        problem = "has no strategies of rivers, solve it with keep_rivers: true"
        raise BundleError(str(directory / FLOPS_FOLDER), problem)
    game = make_joint_game(load_run_config(saved.config_text), solution.tree)
    team = Team(num_workers)
    games = game.engine.make_games(game.flops.flops, game.flop_trees, team)

    def strategy_of(flop: int, leaf: int) -> FlopStrategy:
        of_leaf = games[flop][leaf]
        return TableStrategy(read_tables(saved, flop, leaf, of_leaf.templates), of_leaf)

    num_steps = NUM_PLAYERS * len(game.flops) * len(game.flop_trees)
    with reporting_phase(on_event, _PHASE, num_steps) as advance:
        loss = judge_joint_solution(
            game, solution, strategy_of, team, lambda done, total: advance(done)
        )
    note_real_exploitability(directory / SOLUTION_FOLDER, loss.exploitability_mbb)
    return loss


class _Counter:
    """Counts visits that are done."""

    def __init__(self, total: int, on_visit: Callable[[int, int], None]) -> None:
        self._done = 0
        self._total = total
        self._on_visit = on_visit

    def count(self) -> None:
        self._done += 1
        self._on_visit(self._done, self._total)


class _JudgedSubgame:
    """A flop leaf on one flop where both strategies are given and nothing is learned."""

    def __init__(
        self, flop: Flop, tree: PostflopTree, strategy: FlopStrategy, counter: _Counter
    ) -> None:
        self._flop = flop
        self._tree = tree
        self._strategy = strategy
        self._counter = counter
        self.cost = tree.num_nodes
        self.is_zero_sum = True
        self.combos = live_combos(flop)
        self.width = PlayerHands.of_range(HandRange.full(), flop, 0).width

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        everyone = HandRange.full()
        # Made for each visit: its orders of hands on all boards would fill the memory.
        game = SpotGame(Spot(self._flop, (everyone, everyone), self._tree))
        oop, ip = (
            FixedTables(game.templates, game.cards, which, self._strategy.rows)
            for which in range(NUM_PLAYERS)
        )
        villain = (ip, oop)[player]
        tables = villain if step.mode == RESPOND else BothFixed(oop, ip)
        values = game.visit(player, step, tables, root_reach)
        self._counter.count()
        return values
