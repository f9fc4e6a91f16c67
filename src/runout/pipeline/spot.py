"""A spot from its config to its solution: what it needs, the solve, and what Ctrl-C leaves."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runout.cfr.parallel import Team
from runout.cfr.stopping import (
    Measurement,
    SolveOutcome,
    SolveProgress,
    StoppingRule,
    StopReason,
)
from runout.config.differences import list_differences
from runout.config.load import load_spot_config
from runout.config.size_choice import PLAYER_KEYS
from runout.config.spot import SpotConfig
from runout.errors import BundleError, ExecutionError, RunoutError
from runout.events import SavingFailed, SpotSolving
from runout.execution.cancel import CancelledError, holding_interrupts
from runout.execution.memory import available_memory_bytes
from runout.execution.workplace import Workplace
from runout.holdem.tables import Precision
from runout.postflop.spot.locking import lock_node
from runout.postflop.spot.spot_setup import SpotSize, measure_spot, river_buckets
from runout.postflop.spot.spot_solution import SpotSolution, load_spot_facts, start_solver
from runout.ranges.hand_range import HandRange
from runout.storage.autosave import Autosave, Finish
from runout.storage.bundle import has_bundle
from runout.storage.claim import claiming
from runout.storage.manifest import MANIFEST_FILE
from runout.storage.staging import StagingDirectory
from runout.trees.betting import Street
from runout.views.spot_bundle import build_spot, has_solution

_SECONDS_BETWEEN_EVENTS = 0.1
_SECONDS_PER_MINUTE = 60.0
_BYTES_PER_GB = 1e9


def solve_spot(
    config: SpotConfig | Path | None = None,
    workplace: Workplace | None = None,
    *,
    directory: Path | None = None,
    resume: bool = True,
    overwrite: bool = False,
    team: Team | None = None,
    **keys: Any,
) -> SpotSolution:
    """Solves a spot with real cards.

    Args:
        config: what to solve, or its YAML file; None if the keys say everything.
        workplace: with what; by default all cores, silently. Its checkpoints are not used.
        directory: where the solution is saved, also when Ctrl-C ends the solve early; None to
            save nothing.
        resume: whether a solve that is in the directory goes on.
        overwrite: whether what is in the directory is replaced instead, unless it is an
            interrupted solve of this spot.
        team: threads that share the solve; by default those of the workplace.
        keys: of the config, such as ``board="QsJh2h"``; they win over those of ``config``.

    Raises:
        ConfigError: naming the key at fault.
        ExecutionError: if there is not enough memory.
        BundleError: if the directory holds another spot, cannot be written, or another process
            is at it.
        KeyboardInterrupt: after Ctrl-C, when the iteration is over and everything is saved.
    """
    config = _complete(config, keys)
    workplace = workplace or Workplace()
    team = team or Team(workplace.num_threads)
    if directory is None:
        return _solve_spot(config, workplace, team, None, resume, overwrite)
    with claiming(directory):
        # What may not be replaced is refused now, and not after the work.
        StagingDirectory(directory, MANIFEST_FILE, can_overwrite=True).close()
        return _solve_spot(config, workplace, team, directory, resume, overwrite)


def _solve_spot(
    config: SpotConfig,
    workplace: Workplace,
    team: Team,
    directory: Path | None,
    resume: bool,
    overwrite: bool,
) -> SpotSolution:
    """Does what `solve_spot` says, with a directory that nobody else works on."""
    is_there = directory is not None and has_bundle(directory)
    if directory is not None and is_there and not overwrite:
        require_own_spot(directory, config, resume)
    spot, rivers = build_spot(config), river_buckets(config)
    require_memory(config, measure_spot(spot, team.num_workers, config.locks, rivers))
    if directory is not None and is_there and can_go_on(directory, config, resume, overwrite):
        earlier = replace(SpotSolution.load(directory, team=team), config=config)
        reason = reason_to_rest(earlier.outcome, earlier.curve_chips, config.stopping_rule())
        if reason is not None:
            rested = replace(earlier, outcome=replace(earlier.outcome, reason=reason))
            # Nothing was left to do but to say so, or an earlier version kept no solution.
            if earlier.is_interrupted or not has_solution(directory):
                rested.save(directory, overwrite=True)
            return rested
    else:
        solver = start_solver(config, team)
        for lock in config.locks:
            lock_node(solver, lock.node, lock.by_range(), lock.locks_alike)
        nothing = SolveOutcome(StopReason.INTERRUPTED, 0, 0.0, math.nan, math.inf)
        earlier = SpotSolution(config, solver, nothing)
    solution = _solve(earlier, workplace, directory)
    if solution.is_interrupted:
        raise KeyboardInterrupt(_describe_interruption(solution, directory))
    return solution


def can_go_on(directory: Path, config: SpotConfig, resume: bool, overwrite: bool) -> bool:
    """Returns whether a solve begins with what is in a directory.

    With ``overwrite`` that is only an interrupted solve of the same spot, which is what a killed
    command of the same words has left.

    Raises:
        BundleError: if a solve that is not to be replaced cannot be opened.
    """
    if not overwrite or not resume:
        return resume and not overwrite
    try:
        _, outcome, _ = load_spot_facts(directory)
        require_own_spot(directory, config)
    except BundleError:
        return False
    return outcome.reason == StopReason.INTERRUPTED


def require_own_spot(directory: Path, config: SpotConfig, resume: bool = True) -> None:
    """Refuses a directory whose solve cannot go on under a config.

    Raises:
        BundleError: naming every key that differs, with both values, or if it cannot be opened.
    """
    found = load_spot_facts(directory).config
    if not resume:
        raise BundleError(str(directory), "exists already, and is neither to go on nor replaced")
    there, here = found.game_mapping(), config.game_mapping()
    differences = []
    for key, old, new in zip(PLAYER_KEYS, found.ranges(), config.ranges(), strict=True):
        if there.pop(key) != here.pop(key):  # too long to be shown
            sizes = f"{_format_size(old, found)} combos there and {_format_size(new, config)} here"
            differences.append(f"{key} is another range, {sizes}")
    differences.extend(list_differences(there, here))
    if differences:
        raise BundleError(str(directory), f"holds another spot: {'; '.join(differences)}")


def require_memory(config: SpotConfig, size: SpotSize) -> None:
    """Refuses a spot that does not fit into memory, with advice.

    Raises:
        ExecutionError: with both numbers, and what would need less.
    """
    needed = size.memory[Precision(config.precision)].total
    available = available_memory_bytes()
    if needed <= available:
        return
    half = size.memory[Precision.HALF].total
    advice = "give fewer sizes, a lower max_raises_per_street or narrower ranges"
    if Precision(config.precision) != Precision.HALF:
        fits = "" if half <= available else ", still too much"
        advice = f"precision 16 needs {_format_gb(half)}{fits}; or {advice}"
    if config.rivers == "exact" and config.first_street == Street.FLOP:
        advice = f"{advice}; or rivers: compact"
    problem = f"the solve needs {_format_gb(needed)}, {_format_gb(available)} are free; {advice}"
    raise ExecutionError("memory", problem)


def reason_to_rest(
    outcome: SolveOutcome, curve: Sequence[Measurement], rule: StoppingRule
) -> StopReason | None:
    """Returns why a solve that has ended before need not go on, None if it has to.

    An interrupted one ends where it would have ended undisturbed, which looks at exploitability
    only now and then.

    Args:
        outcome: how it ended.
        curve: exploitability by iteration, up to there.
        rule: when it ends now.
    """
    if rule.exploitability is not None and outcome.exploitability <= rule.exploitability:
        if outcome.reason != StopReason.INTERRUPTED or _ends_with_check(curve, rule):
            return StopReason.EXPLOITABILITY
    if outcome.iterations >= rule.max_iterations:
        return StopReason.ITERATIONS
    return None


def _complete(config: SpotConfig | Path | None, keys: dict[str, Any]) -> SpotConfig:
    if isinstance(config, SpotConfig):
        return load_spot_config(None, config.to_mapping() | keys) if keys else config
    return load_spot_config(config, keys)


def _solve(earlier: SpotSolution, workplace: Workplace, directory: Path | None) -> SpotSolution:
    """Iterates until a limit is met or Ctrl-C is pressed, and saves where the solve stands.

    What is in the directory is replaced: it was saved on the way, or may be.
    """
    config, solver = earlier.config, earlier.solver
    rule = config.stopping_rule()
    curve = _measured_points(earlier, rule)
    reporter = _Reporter(config, rule, workplace)
    taken = 0.0

    def conclude(outcome: SolveOutcome) -> SpotSolution:
        seconds = outcome.seconds + earlier.outcome.seconds
        last = (outcome.iterations, outcome.exploitability)
        points = curve if curve and curve[-1][0] == last[0] else [*curve, last]
        return SpotSolution(config, solver, replace(outcome, seconds=seconds), tuple(points))

    def pause() -> SpotSolution:
        delta, reached = solver.strategy_delta, solver.exploitability()
        return conclude(
            SolveOutcome(StopReason.INTERRUPTED, solver.iteration, taken, delta, reached)
        )

    with holding_interrupts(workplace.cancel):
        with _saving_on_the_way(config, pause, workplace, directory) as autosave:

            def look_up(progress: SolveProgress) -> None:
                nonlocal taken
                taken = progress.seconds
                reporter.report(progress)
                if progress.is_measured and progress.exploitability is not None:
                    curve.append((progress.iteration, progress.exploitability))
                autosave.save_if_due()

            try:
                measured = curve[-1] if curve else None
                solution = conclude(solver.solve(rule, look_up, workplace.cancel, measured))
            except CancelledError:
                solution = pause()
        if directory is not None:
            solution.save(directory, overwrite=True)
    return solution


def _measured_points(earlier: SpotSolution, rule: StoppingRule) -> list[tuple[int, float]]:
    """Returns the curve so far, without the point where an earlier sitting was cut off.

    An undisturbed solve would not have measured there.
    """
    points = list(earlier.curve_chips)
    if earlier.is_interrupted and not _ends_with_check(points, rule):
        return points[:-1]
    return points


def _ends_with_check(curve: Sequence[Measurement], rule: StoppingRule) -> bool:
    """Returns whether an undisturbed solve would have measured at the last point, too."""
    if not curve:
        return False
    iteration, _ = curve[-1]
    return rule.is_check(iteration, curve[-2] if len(curve) > 1 else None)


def _saving_on_the_way(
    config: SpotConfig,
    pause: Callable[[], SpotSolution],
    workplace: Workplace,
    directory: Path | None,
) -> Autosave:
    """Returns what saves a solve as often as its config says, never without a directory."""

    def begin() -> Finish:
        assert directory is not None  # nothing is ever due without one
        return pause().begin_saving(directory, overwrite=True)

    def report(error: RunoutError) -> None:
        workplace.on_event(SavingFailed(error.where, error.problem))

    minutes = 0.0 if directory is None else config.checkpoint_minutes
    return Autosave(minutes * _SECONDS_PER_MINUTE, begin, report)


class _Reporter:
    """Passes progress on, a few times a second and at the end; a river iterates in microseconds."""

    def __init__(self, config: SpotConfig, rule: StoppingRule, workplace: Workplace) -> None:
        self._config = config
        self._rule = rule
        self._on_event = workplace.on_event
        self._last_seconds = 0.0

    def report(self, progress: SolveProgress) -> None:
        is_last = progress.stop_reason is not None
        if not is_last and progress.seconds - self._last_seconds < _SECONDS_BETWEEN_EVENTS:
            return
        self._last_seconds = progress.seconds
        self._on_event(
            SpotSolving(
                iteration=progress.iteration,
                max_iterations=progress.max_iterations,
                exploitability_chips=progress.exploitability,
                target_chips=self._rule.exploitability,
                pot_chips=self._config.pot,
                seconds=progress.seconds,
                max_seconds=self._rule.max_seconds,
            )
        )


def _describe_interruption(solution: SpotSolution, directory: Path | None) -> str:
    number = solution.outcome.iterations
    done = f"{number:,} iteration{'' if number == 1 else 's'}"
    if directory is None:
        return f"interrupted after {done}, nothing was kept"
    return f"interrupted; give the same command again to go on, {directory} keeps {done}"


def _format_size(hand_range: HandRange, config: SpotConfig) -> str:
    return f"{hand_range.without_cards(config.board_cards).weights.sum():.4g}"


def _format_gb(size: float) -> str:
    return f"{size / _BYTES_PER_GB:.1f} GB"
