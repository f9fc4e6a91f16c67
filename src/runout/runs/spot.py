"""A spot from its config to its solution: what it needs, the solve, and what Ctrl-C leaves."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from runout.cards.deck import HAND_BY_COMBO
from runout.cards.ranges import Range
from runout.cfr.schedules import (
    Measurement,
    Schedule,
    SolveOutcome,
    SolveProgress,
    StoppingRule,
    StopReason,
)
from runout.cfr.team import Team
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.config.spot import NodeLock, SpotConfig
from runout.errors import BundleError, TreeError
from runout.events import Phase, SpotSolving, reporting_phase
from runout.execution.context import RunContext, describe_interruption
from runout.execution.tasks import CancelledError, cancelling_on_interrupt
from runout.flops.backend import Cost
from runout.flops.solve import Sizes, read_target
from runout.flops.spot_setup import SpotSize, choose_rivers, lock_node, measure_spot
from runout.flops.spot_solution import SpotSolution, load_outcome, start_solver
from runout.holdem.tables import Precision
from runout.runs.plan import require_equal, solving_facts
from runout.solutions import preflop as stored
from runout.solutions.flop_bundles import has_solution
from runout.storage.bundle import MANIFEST_FILE, has_bundle, load_bundle
from runout.storage.files import StagingDirectory
from runout.storage.ledger import claiming
from runout.storage.writer import Finish
from runout.trees.betting import BB, BLIND_NAMES, SB, Street
from runout.trees.sizes import PLAYER_KEYS, format_percent
from runout.trees.tree import FLOP, pot_type_of

#: Bets are whole chips, so a big blind must be many.
CHIPS_PER_BB = 100

_SMALLEST_WEIGHT = 0.005
_WEIGHT_DIGITS = 3
_SECONDS_BETWEEN_EVENTS = 0.1


def spot_keys_from_run(directory: Path, node: str) -> dict[str, Any]:
    """Returns keys of `SpotConfig` with the ranges, money and sizes of a flop leaf, as ``r2:c``."""
    path = directory / stored.SOLUTION_FOLDER
    solution = stored.load_solution(path)
    bundle = load_bundle(path, stored.PREFLOP_KIND, stored.PREFLOP_SCHEMA_VERSION)
    config, tree = parse_config(bundle.config_text or "", RunConfig), solution.tree
    leaf = tree.find_node(node)
    arriving = solution.node_at(leaf).net()
    if tree.leaf_kind[leaf] != FLOP:
        flops = ", ".join(each.path for each in tree.flop_leaves())
        raise TreeError(f"node {node!r}", f"leads to no flop, use one of {flops}")
    texts, evs = [], []
    for player in (SB, BB):  # IP and OOP
        weights = arriving.range_of(player).hand_weights()
        kept = np.where(weights < _SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))
        if not kept.any():
            problem = f"is never reached, {BLIND_NAMES[player]} has no hand there"
            raise TreeError(f"node {node!r}", problem)
        texts.append(str(Range(kept[HAND_BY_COMBO])))
        won = float(np.nan_to_num(arriving.range_ev(player)))
        evs.append(CHIPS_PER_BB * (won + arriving.pot / 2.0))
    sizes: dict[str, Any] = {}
    if config.postflop_model is not None:
        pot = pot_type_of(tree, leaf)
        used = config.joint_settings.model_of(pot, config.postflop_model).to_mapping()
        sizes = {
            "bet_sizes": used["bet_sizes"],
            "raise_sizes": used["raise_sizes"] or used["bet_sizes"],
            "max_raises_per_street": used["max_raises_per_street"],
            "add_all_in_threshold": math.inf,
        }
    return {
        "oop": texts[BB],
        "ip": texts[SB],
        "pot": round(CHIPS_PER_BB * arriving.pot),
        "stack": round(CHIPS_PER_BB * tree.stack_behind(leaf)),
        "big_blind": CHIPS_PER_BB,
        **sizes,
        "origin": {
            "run": str(directory),
            "node": arriving.path,
            "oop_ev": evs[BB],
            "ip_ev": evs[SB],
        },
    }


class SpotKeys(TypedDict, total=False):
    """Keywords of `solve_spot`: the keys of `SpotConfig`, which says what each means."""

    board: str
    oop: str | Range
    ip: str | Range
    pot: float
    stack: float
    bet_sizes: Sizes
    raise_sizes: Sizes
    donk_sizes: Sizes | None
    max_raises_per_street: int | None
    add_all_in_threshold: float
    force_all_in_threshold: float
    force_all_in_share: float
    added_lines: Sequence[str]
    removed_lines: Sequence[str]
    merging_threshold: float
    rake_rate: float
    rake_cap: float | None
    schedule: str | Schedule
    cfr_variant: str | Schedule
    target: float | str | None
    max_iterations: int
    max_seconds: float | None
    checkpoint_minutes: float
    keep_resume: bool
    precision: Literal[16, 32]
    rivers: Literal["auto", "exact", "compact"]
    river_buckets: int
    river_blockers: Literal["auto", "on", "off"]
    turn_buckets: int | None
    merges_suits: bool
    locks: Sequence[NodeLock | Mapping[str, Any]]
    big_blind: float | None
    origin: Mapping[str, Any] | None


def solve_spot(
    config: SpotConfig | Path | str | None = None,
    context: RunContext | None = None,
    *,
    directory: Path | str | None = None,
    resume: bool = True,
    overwrite: bool = False,
    history_every: int | None = None,
    on_iteration: Callable[[SolveProgress], None] | None = None,
    **keys: Unpack[SpotKeys],
) -> SpotSolution:
    """Solves a board with two ranges, with real cards.

    >>> import runout
    >>> river = {"board": "2c3d4h8s9c", "oop": "AA,QQ", "ip": "KK", "pot": 100, "stack": 100}
    >>> solution = runout.solve_spot(**river, bet_sizes="a", target=0.001, history_every=10)
    >>> [action.code for action in solution.node().actions]
    ['x', 'a']
    >>> solution.history[0][0], solution.exploitability_pot <= 0.001
    (10, True)

    Args:
        config: the spot, or the path of its YAML file; None if the keys say everything.
        context: workers and events; by default all cores, silently.
        directory: where the solution is saved, also if Ctrl-C ends the solve early.
        resume: whether a solve in the directory is continued.
        overwrite: whether it is replaced instead, unless it is an interrupted solve of this spot.
        history_every: iterations between two points of the history; by default exploitability
            is measured when the target may be reached, and when iterations have doubled.
        keys: of `SpotConfig`, which win over those of ``config``; ``schedule`` is its
            ``cfr_variant``. A ``target`` is a fraction of the pot, 0.005, or text, ``"0.5%"``.

    Raises:
        KeyboardInterrupt: after Ctrl-C, when the iteration is over and everything is saved.
    """
    context, place = context or RunContext(), None if directory is None else Path(directory)
    config = settle_rivers(_read_config(config, keys), place, context.num_threads)
    team = Team.of(context.worker) if context.worker else Team(context.num_threads)
    rule = replace(config.stopping_rule(), history_every=history_every)
    with nullcontext() if place is None else claiming(place):
        if place is not None:  # what may not be replaced is refused now, and not after the work
            StagingDirectory(place, MANIFEST_FILE, can_overwrite=True).close()
        solution = _find_earlier(config, team, place, resume, overwrite)
        reason = reason_to_rest(solution.outcome, rule)
        if reason is None:
            solution = _solve(solution, context, place, rule, on_iteration)
            if not solution.is_interrupted:
                return solution
            raise KeyboardInterrupt(describe_interruption(solution.outcome.iterations, place))
        rested = replace(solution, outcome=replace(solution.outcome, reason=reason))
        # Nothing was left to do but to say so, or an earlier version kept no solution.
        if place is not None and (solution.is_interrupted or not has_solution(place)):
            rested.save(place, overwrite=True)
        return rested


def _read_config(config: SpotConfig | Path | str | None, keys: SpotKeys) -> SpotConfig:
    """Returns a config with other keys."""
    given: dict[str, Any] = dict(keys)
    if "schedule" in given:
        given["cfr_variant"] = given.pop("schedule")
    if "target" in given:
        fraction = read_target(given["target"])
        given["target"] = None if fraction is None else format_percent(fraction)
    given |= {key: str(given[key]) for key in PLAYER_KEYS if isinstance(given.get(key), Range)}
    if isinstance(config, SpotConfig):
        return SpotConfig.parse(config.to_mapping() | given) if given else config
    return load_config(config, SpotConfig, given)


def settle_rivers(config: SpotConfig, directory: Path | None, num_workers: int) -> SpotConfig:
    """Returns a config whose rivers are no longer ``auto``: those of a solve that goes on."""
    known = None
    if config.rivers == "auto" and directory is not None and has_bundle(directory):
        with suppress(BundleError):
            known, _ = load_outcome(directory)
    return choose_rivers(config, known, num_workers)


def _find_earlier(
    config: SpotConfig, team: Team, directory: Path | None, resume: bool, overwrite: bool
) -> SpotSolution:
    """Returns the solve that goes on, which has learned nothing if none is in the directory.

    With ``overwrite`` only an interrupted solve of the same spot goes on, which is what a killed
    command of the same words has left.
    """
    goes_on = False
    if directory is not None and has_bundle(directory):
        try:
            outcome = load_own_outcome(directory, config, resume or overwrite)
            goes_on = resume and (not overwrite or outcome.reason == StopReason.INTERRUPTED)
        except BundleError:
            if not overwrite:
                raise
    require_memory(config, measure_spot(config, team.num_workers))
    if directory is not None and goes_on:
        return replace(SpotSolution.load(directory, team=team), config=config)
    solver = start_solver(config, team)
    for lock in config.locks:
        lock_node(solver, lock)
    nothing = SolveOutcome(StopReason.INTERRUPTED, 0, 0.0, math.nan, math.inf)
    return SpotSolution(config, solver, nothing)


def load_own_outcome(directory: Path, config: SpotConfig, resume: bool = True) -> SolveOutcome:
    """Returns how a solve has ended; refuses one that cannot go on under a config."""
    found, outcome = load_outcome(directory)
    if not resume:
        raise BundleError(str(directory), "exists already, neither resume nor overwrite is set")
    there, here, of_ranges = found.game_mapping(), config.game_mapping(), []
    for player, key in enumerate(PLAYER_KEYS):
        if there.pop(key) != here.pop(key):  # too long to be shown
            before, now = (
                spot.ranges()[player].without_cards(spot.board_cards).weights.sum()
                for spot in (found, config)
            )
            sizes = f"{before:.4g} combos there and {now:.4g} here"
            of_ranges.append(f"{key} is another range, {sizes}")
    require_equal(directory, there, here, "holds another spot", of_ranges)
    return outcome


def require_memory(config: SpotConfig, size: SpotSize) -> None:
    """Refuses a spot that does not fit into memory, with advice."""
    savings: dict[str, int | None] = {}
    if Precision(config.precision) != Precision.HALF:
        savings["precision 16"] = size.memory[Precision.HALF].total
    savings["give fewer sizes, a lower max_raises_per_street or narrower ranges"] = None
    if config.rivers != "compact" and config.first_street == Street.FLOP:
        savings["rivers: compact"] = None
    needed = size.memory[Precision(config.precision)].total
    Cost(memory_bytes=needed, savings=savings).require_memory("the solve")


def reason_to_rest(outcome: SolveOutcome, rule: StoppingRule) -> StopReason | None:
    """Returns why a solve that has ended before need not go on under a rule, None if it has to.

    An interrupted one ends where it would have ended undisturbed, which looks at exploitability
    only now and then: at the points of its history.
    """
    if rule.exploitability is not None and outcome.exploitability <= rule.exploitability:
        if outcome.reason != StopReason.INTERRUPTED or _ends_with_check(outcome.history, rule):
            return StopReason.EXPLOITABILITY
    if outcome.iterations >= rule.max_iterations:
        return StopReason.ITERATIONS
    return None


def _solve(
    earlier: SpotSolution,
    context: RunContext,
    directory: Path | None,
    rule: StoppingRule,
    on_iteration: Callable[[SolveProgress], None] | None,
) -> SpotSolution:
    """Iterates until a limit is met or Ctrl-C is pressed; replaces what is in the directory."""
    config, solver, seconds_at_event = earlier.config, earlier.solver, 0.0
    if earlier.is_interrupted and not _ends_with_check(solver.history, rule):
        # Where the sitting was cut off; an undisturbed solve would not have measured.
        solver.history = solver.history[:-1]

    def begin_saving(place: Path) -> Finish:
        return SpotSolution(config, solver, solver.outcome()).begin_saving(place, overwrite=True)

    autosave = context.autosave(directory, config.checkpoint_minutes, begin_saving)

    def look_up(progress: SolveProgress) -> None:
        nonlocal seconds_at_event
        is_due = progress.seconds - seconds_at_event >= _SECONDS_BETWEEN_EVENTS
        if is_due or progress.stop_reason is not None:
            seconds_at_event = progress.seconds
            facts = solving_facts(progress, rule)
            context.on_event(SpotSolving(**facts, pot_chips=config.pot))
        if on_iteration is not None:
            on_iteration(progress)
        autosave.save_if_due()

    with cancelling_on_interrupt(context.cancel, ends_step=True):
        with autosave:
            try:
                outcome = solver.solve(rule, look_up, context.cancel, on_iteration is not None)
            except CancelledError:
                outcome = solver.outcome()
        solution = _measure(SpotSolution(config, solver, outcome), context)
        if directory is not None:
            solution.save(directory, overwrite=True)
    return solution


def _measure(solution: SpotSolution, context: RunContext) -> SpotSolution:
    """Returns a finished solution evaluated with real cards, unless Ctrl-C stops that."""
    if solution.solver.game.rivers.is_exact or solution.is_interrupted:
        return solution
    team = solution.solver.game.team.cancelled_by(context.cancel)
    try:
        with reporting_phase(context.on_event, Phase.REAL_CARDS):
            return solution.with_real_cards(team)
    except CancelledError:
        return solution


def _ends_with_check(history: Sequence[Measurement], rule: StoppingRule) -> bool:
    """Returns whether an undisturbed solve would have measured at the last point, too."""
    return bool(history) and rule.is_check(history[-1][0], history[:-1])
