"""Rounds in which flops are solved with the ranges that really arrive there.

A flop solved for all hands lets hands play that would never come; its values are those of another
game. Each round takes both players' reach of every flop leaf from the preflop solution, solves the
flops at that leaf with these ranges, and solves preflop again. Ranges are damped, because a new
preflop strategy changes the ranges that it was computed from, and more so in later rounds: with
a constant share strategies go in circles.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from runout.arrays import FloatArray
from runout.events import RangesRoundFinished
from runout.pipeline.preflop_stage import PreflopStage
from runout.postflop.plan import PostflopPlan
from runout.postflop.postflop_abstraction import PostflopAbstraction
from runout.results.preflop_solution import PreflopSolution, RangesRound
from runout.results.solve_report import ExploitabilityMeaning
from runout.results.value_book import LeafValues, ValueBook, ValueSource, average_share
from runout.trees.preflop_tree import FlopLeaf

#: A leaf that neither hand reaches this often keeps the ranges it had.
_NEVER = 1e-9


@dataclass(frozen=True, eq=False)
class _SolvedLeaf:
    values: LeafValues
    exploitability_pot: float
    meaning: ExploitabilityMeaning


def refine_with_arriving_ranges(
    stage: PreflopStage,
    book: ValueBook,
    plans: Mapping[str, PostflopPlan],
    solution: PreflopSolution,
) -> PreflopSolution:
    """Returns the solution of the last round.

    Args:
        stage: solves preflop.
        book: values of flops solved for all hands, which the first round starts from.
        plans: the flops of each leaf, by path.
        solution: the preflop solution on top of ``book``.
    """
    config = stage.config
    ranges: dict[str, FloatArray] = {}
    rounds: list[RangesRound] = []
    for number in range(1, config.ranges_rounds + 1):
        leaves: dict[str, _SolvedLeaf] = {}
        share = share_of_new_ranges(config.ranges_damping, number)
        for leaf in stage.tree.flop_leaves():
            ranges[leaf.path] = _damp(
                ranges.get(leaf.path), solution.arriving_ranges(leaf.node), share
            )
            leaves[leaf.path] = _solve_leaf(
                stage, plans[leaf.path], leaf, ranges[leaf.path], number
            )
        refined = stage.solve(
            book.with_leaves({path: solved.values for path, solved in leaves.items()}), number
        )
        rounds.append(
            RangesRound(
                number,
                refined.change_from(solution),
                refined.report.exploitability_mbb,
                max(solved.exploitability_pot for solved in leaves.values()),
                next(iter(leaves.values())).meaning,
            )
        )
        solution = replace(
            refined,
            report=replace(refined.report, ranges_rounds=tuple(rounds)),
            earlier_strategies=(*solution.earlier_strategies, solution.strategy),
        )
        stage.workplace.on_event(
            RangesRoundFinished(
                number, config.ranges_rounds, rounds[-1].change, rounds[-1].exploitability_mbb
            )
        )
        if rounds[-1].change < config.ranges_tolerance:
            break
    return solution


def share_of_new_ranges(damping: float, number: int) -> float:
    """Returns the share of the ranges that arrive in a round: 1/2, 1/3, 1/4, ... from 1/2 on.

    From 1 on it is 1, 1/2, 1/3, ...: the mean of all ranges that have arrived so far.
    """
    return damping / (1.0 + damping * (number - 1))


def _damp(earlier: FloatArray | None, arriving: FloatArray, share: float) -> FloatArray:
    """Returns ``[2, 169]`` ranges, the largest weight being 1, moved towards those arriving."""
    held = np.ones_like(arriving) if earlier is None else earlier
    largest = arriving.max(axis=1, keepdims=True)
    scaled = np.where(largest > _NEVER, arriving / np.maximum(largest, _NEVER), held)
    damped: FloatArray = share * scaled + (1.0 - share) * held
    return damped


def _solve_leaf(
    stage: PreflopStage,
    plan: PostflopPlan,
    leaf: FlopLeaf,
    ranges: FloatArray,
    number: int,
) -> _SolvedLeaf:
    solved = PostflopAbstraction.carry_out(plan, stage.workplace, ranges).values[0]
    detail = f"solved at SPR {leaf.spr:g} with the ranges of round {number}"
    return _SolvedLeaf(
        LeafValues(average_share(solved), ValueSource.SOLVED, detail),
        max(report.exploitability_pot for report in solved.reports),
        plan.backend.meaning,
    )
