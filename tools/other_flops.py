"""What a chart loses in the full game: ``python -m tools.other_flops RUN --flops 20``.

`runout judge RUN` answers the chart, and the strategies after it, on the flops that it was solved
on. Here the chart is kept and other flops are drawn; each is solved after every line that sees a
flop, with the ranges that the chart brings and all runouts. Then an opponent answers the chart:

* before the flop only, with what those flops pay when both play what was found there: what the
  chart itself loses;
* and after the flop as well, in the solver's own game: with what the solves of the flops lose.

Errors are those of the draw, by the jackknife, which also takes out that the best answer to a few
flops wins more on these than on all.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import runout
from runout.arrays import FloatArray, RealArray
from runout.cards.flops import ALL_RUNOUTS, Flop, FlopList, random_flops
from runout.cfr.cfr_kernels import EVALUATING, LEARN, RESPONDING, Step
from runout.cfr.leaves import MatrixLeaves, StreetReach
from runout.cfr.team import Team
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import OptionError, RunoutError
from runout.execution.pool import count_cores
from runout.preflop.joint import JointGame, JointLeaves
from runout.preflop.solver import best_response, known_groups, play_strategy, share_of_matchups
from runout.runs.plan import make_joint_game
from runout.solutions.preflop import MBB_PER_BB, PreflopSolution
from runout.trees.layout import NUM_PLAYERS

#: What flops pay: as they are played, and at most.
PLAYED, AT_MOST = "played", "at_most"
_STEPS = {PLAYED: EVALUATING, AT_MOST: RESPONDING}
_EVERYONE = np.ones((NUM_PLAYERS, 169))

#: ``[L, 169]`` what a player's hands win on a flop, by player and by what is counted.
Paid = Mapping[tuple[int, str], FloatArray]


class GivenLeaves:
    """Leaves whose flops are worth given numbers, to a player whose opponent plays a chart."""

    def __init__(self, game: JointGame, paid: FloatArray) -> None:
        """Takes ``[L, 169]`` what flops pay."""
        self._known = MatrixLeaves(game.tree.layout, known_groups(game.tree, share_of_matchups()))
        self._nodes, self._paid = [leaf.node for leaf in game.tree.flop_leaves()], paid

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values into the leaf rows."""
        self._known.fill_leaf_values(arrival, out_value)
        out_value[self._nodes] = self._paid

    def refresh(self, player: int) -> float:
        """Has nothing to learn."""
        return 0.0


def solve_flop(
    game: JointGame, chart: PreflopSolution, flop: Flop, iterations: int, team: Team
) -> Paid:
    """Solves a flop after every line, with the ranges of a chart; returns what it pays."""
    alone = replace(game, flops=FlopList((flop,), np.ones(1)), flops_per_iteration=None)
    leaves = alone.make_leaves(alone.play_flops(team))
    nodes = [leaf.node for leaf in leaves.flop_leaves]
    reach = [chart.reach(1 - player)[nodes] for player in range(NUM_PLAYERS)]
    for _ in range(iterations):
        for player in range(NUM_PLAYERS):
            leaves.play_flops(player, Step(LEARN, *np.ones(3, np.float32)), reach[player])
            leaves.refresh(player)
    return {
        (player, name): _fill(leaves, chart, player, step)[nodes]
        for player in range(NUM_PLAYERS)
        for name, step in _STEPS.items()
    }


def _fill(leaves: JointLeaves, chart: PreflopSolution, player: int, step: Step) -> FloatArray:
    """Returns ``[N, 169]`` counterfactual values of a player at the leaves, against a chart."""
    street = play_strategy(leaves.tree, leaves, chart.strategy)
    return street.visit_nodes(_EVERYONE, player, step).astype(np.float64)


def answer(game: JointGame, chart: PreflopSolution, paid: Sequence[Paid]) -> FloatArray:
    """Returns ``[2]`` what answering a chart wins in mbb, by what is counted, with these flops."""
    means = {key: np.mean([each[key] for each in paid], axis=0) for key in paid[0]}
    return MBB_PER_BB * np.array(
        [
            sum(
                float(best_response(game.tree, leaves, chart.strategy, player).sum())
                for player in range(NUM_PLAYERS)
                for leaves in [GivenLeaves(game, means[player, name])]
            )
            / NUM_PLAYERS
            for name in _STEPS
        ]
    )


def jackknife(game: JointGame, chart: PreflopSolution, paid: Sequence[Paid]) -> FloatArray:
    """Returns ``[2, 2]`` what answering wins, and its standard error, by what is counted."""
    whole, number = answer(game, chart, paid), len(paid)
    parts = np.array(
        [answer(game, chart, [*paid[:place], *paid[place + 1 :]]) for place in range(number)]
    )
    mean = parts.mean(axis=0)
    error = np.sqrt((number - 1) / number * ((parts - mean) ** 2).sum(axis=0))
    return np.stack([number * whole - (number - 1) * mean, error], axis=1)


def draw_others(game: JointGame, count: int, seed: int) -> list[Flop]:
    """Returns flops drawn by how often they come, but for those of a game."""
    return [flop for flop in random_flops(count, seed).flops if flop not in game.flops.flops]


def main(words: Sequence[str] | None = None) -> int:
    """Solves flops one by one and prints what answering the chart wins."""
    parser = argparse.ArgumentParser(prog="python -m tools.other_flops")
    parser.add_argument("run", type=Path, help="directory of a joint run")
    for name, number in (("flops", 20), ("seed", 0), ("iterations", 100)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    try:
        return _measure(given)
    except RunoutError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _measure(given: argparse.Namespace) -> int:
    chart = runout.open(given.run)
    if not isinstance(chart, PreflopSolution) or given.flops < 2:
        raise OptionError(str(given.run), "give a joint run, and two or more flops")
    game = make_joint_game(parse_config(chart.config_text, RunConfig), chart.tree)
    game = replace(game, backend=replace(game.backend, runout_subset=ALL_RUNOUTS))
    paid = list(_solve(game, chart, draw_others(game, given.flops, given.seed), given.iterations))
    (played, error), (at_most, error_at_most) = jackknife(game, chart, paid).tolist()
    if given.json:
        names = ("chart_mbb", "chart_error_mbb", "all_streets_mbb", "all_streets_error_mbb")
        numbers = (played, error, at_most, error_at_most)
        print(json.dumps({"num_flops": len(paid), **dict(zip(names, numbers, strict=True))}))
        return 0
    print(f"on {len(paid)} flops that were not solved:")
    print(f"the chart loses {played:.1f} ± {error:.1f} mbb per hand to answers before the flop")
    print(f"{at_most:.1f} ± {error_at_most:.1f} mbb to answers on all streets, in the own game")
    return 0


def _solve(
    game: JointGame, chart: PreflopSolution, flops: Sequence[Flop], iterations: int
) -> Iterator[Paid]:
    team = Team(count_cores())
    for number, flop in enumerate(flops, start=1):
        yield solve_flop(game, chart, flop, iterations, team)
        print(f"{number}/{len(flops)} flops", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
