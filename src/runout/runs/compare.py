"""Backends side by side: each solves the same flops, and all are judged in the real game.

What a backend says about itself is measured in its own game, in which its abstraction is the truth.
Rows put next to it what its strategies lose to an opponent who sees every card, and how far its
values are from those of the exact solution.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np

from runout.abstraction.bucket_map import Abstraction
from runout.arrays import Float32Array, FloatArray
from runout.cards.deck import NUM_CARDS, format_cards, matchup_weights, parse_board
from runout.cards.flops import canonical_flop
from runout.cards.hand_classes import classify_hands
from runout.cfr.team import Team
from runout.config.flops import BACKENDS, FlopsConfig
from runout.config.yaml_text import parse_yaml
from runout.errors import ConfigError, quote
from runout.events import FlopSolved, reporting_phase
from runout.execution.context import RunContext
from runout.execution.tasks import Task, TaskResult, Worker
from runout.flops.backend import EVERYONE, Cost, FlopGame, FlopStrategy, PostflopBackend
from runout.flops.cards import CardBackend
from runout.flops.settings import make_backend
from runout.flops.solve import finish_flops, kept_strategy, progress_sink
from runout.holdem.cards import Spot
from runout.holdem.game import plan_game
from runout.jit import solve_time
from runout.runs.judge import judge_spot
from runout.solutions.sheet import Column, Sheet, columns
from runout.solutions.values import NUM_POSITIONS, ExploitabilityMeaning, FlopReport, ValueBundle
from runout.storage.ledger import LedgerEntry
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree


@dataclass(frozen=True)
class BackendRow:
    """What one backend has reached on one flop at one stack-to-pot ratio.

    Errors are RMS over hands of their value against all hands, and over pairs of hands, minus the
    exact one; None for the exact backend, or without it.
    """

    label: str
    flop: str  # its cards as they were given
    spr: float
    iterations: int  # of all rounds together
    own_exploitability_pot: float  # what the backend says
    own_meaning: ExploitabilityMeaning
    real_exploitability_pot: float  # the mean gain of a best response in the real game
    real_gains_pot: tuple[float, float]  # of OOP and IP
    seconds: float  # from the dealt flop to its values, without compiling kernels
    judging_seconds: float
    hand_error_pot: float | None = None
    pair_error_pot: float | None = None
    nuts_apart: float = 0.0  # share of pairs of nuts and second nuts on turns, see `nuts_apart`
    memory_bytes: int = 0  # announced for the solve; 0 for what was solved before


def value_errors(
    flop: tuple[int, ...], value_pot: Float32Array, exact_pot: Float32Array
) -> tuple[float, float]:
    """Returns how far values are from the exact ones: RMS over hands, and over pairs of hands.

    Both are ``[2, 169, 169]`` as in `PostflopValues`. Both positions count, hands by how often they
    are dealt, and a hand's value is its mean over the hands that it can meet.
    """
    weights = matchup_weights(flop).astype(np.float64)
    difference = np.where(weights > 0.0, value_pot.astype(np.float64) - exact_pot, 0.0)
    dealt = weights.sum(axis=1)
    by_hand: FloatArray = (weights * difference).sum(axis=2) / np.maximum(dealt, 1.0)
    num_deals = NUM_POSITIONS * dealt.sum()
    over_hands = (dealt * by_hand**2).sum() / num_deals
    over_pairs = (weights * difference**2).sum() / num_deals
    return float(np.sqrt(over_hands)), float(np.sqrt(over_pairs))


def nuts_apart(spot: Spot, strategy: FlopStrategy) -> float:
    """Returns the share of pairs of nuts and second nuts on turns that act differently there."""
    turn, num_pairs, num_apart = plan_game(spot).templates[Street.TURN], 0, 0
    for card in np.setdiff1d(np.arange(NUM_CARDS), spot.board).tolist():
        nut_rank = classify_hands((*spot.board, card)).nut_rank
        nuts, second = np.flatnonzero(nut_rank == 1), np.flatnonzero(nut_rank == 2)
        differ = np.zeros((len(nuts), len(second)), np.bool_)
        for player in range(NUM_PLAYERS):
            rows, others = (strategy.rows(turn, player, (card,), held) for held in (nuts, second))
            differ |= (rows[:, :, None] != others[:, None, :]).any(axis=0)
        num_pairs, num_apart = num_pairs + differ.size, num_apart + int(differ.sum())
    return num_apart / num_pairs


def mean_by_backend(rows: Sequence[BackendRow]) -> dict[str, tuple[int, BackendRow]]:
    """Returns the number of rows of each backend by its label, and a row of their means."""
    found = {}
    for label in dict.fromkeys(row.label for row in rows):
        mine = [row for row in rows if row.label == label]
        means: dict[str, Any] = {}
        for name in _AVERAGED:
            known = [value for row in mine if (value := getattr(row, name)) is not None]
            mean = np.mean(known, axis=0).tolist() if known else None
            means[name] = tuple(mean) if isinstance(mean, list) else mean
        found[label] = len(mine), replace(mine[0], flop="mean", **means)
    return found


def comparison_to_json(rows: Sequence[BackendRow]) -> dict[str, Any]:
    """Returns rows, with their flops up to suits, and the means of each backend."""
    canonical = [format_cards(canonical_flop(parse_board(row.flop))) for row in rows]
    return {
        "rows": [asdict(row) | {"flop": flop} for row, flop in zip(rows, canonical, strict=True)],
        "means": [
            {"label": label, "num_rows": number, "own_meaning": mean.own_meaning}
            | {name: getattr(mean, name) for name in _AVERAGED}
            for label, (number, mean) in mean_by_backend(rows).items()
        ],
    }


def comparison_sheet(rows: Sequence[BackendRow]) -> Sheet:
    """Returns a line for each solve in percent of the pot, and the mean of each backend below."""
    shares = (Column(name, form="{:.2f}".format) for name in ("real", "OOP", "IP", "hand", "pair"))
    seconds = Column("time", form="{:.1f} s".format)
    sheet = Sheet((*columns("flop", ">SPR", "backend", ">own"), *shares, seconds), gap=2)

    def add(flop: str, spr: str, row: BackendRow, style: str = "") -> None:
        bound = "≤" if row.own_meaning.is_upper_bound else ""
        found = (row.real_exploitability_pot, *row.real_gains_pot)
        errors = (row.hand_error_pot, row.pair_error_pot)
        numbers = [math.nan if share is None else 100 * share for share in (*found, *errors)]
        own = f"{bound}{100 * row.own_exploitability_pot:.2f}"
        sheet.add(flop, spr, row.label, own, *numbers, row.seconds, style=style)

    before = None
    for row in rows:
        here = (row.flop, f"{row.spr:.4g}")
        if before is not None and here != before:
            sheet.add()
        add(*(here if here != before else ("", "")), row)
        before = here
    sheet.add()
    for number, (_, mean) in enumerate(mean_by_backend(rows).values()):
        add("" if number else "mean", "", mean, "bold")
    return sheet


PHASE = "Solving and judging"

_ALLOWED = f"{', '.join(BACKENDS)}, or one of them with keys such as bucketed:rebucket_rounds=2"
#: Keys whose values stand alone in labels such as ``bucketed:2``, and values worth comparing.
_SHORT_KEYS: dict[str, tuple[str, tuple[int, ...]]] = {"bucketed": ("rebucket_rounds", (1, 2))}
_NO_KEY: tuple[str, tuple[int, ...]] = ("", ())
#: Attributes of `BackendRow` that are averaged over flops.
_AVERAGED = (
    "own_exploitability_pot",
    "real_exploitability_pot",
    "real_gains_pot",
    "seconds",
    "hand_error_pot",
    "pair_error_pot",
)
_SINGLE_BYTES = 4
_ROW, VALUES = "row", "value_pot"


@dataclass(frozen=True)
class BackendUnderTest:
    """A backend with a label such as ``bucketed:2``."""

    label: str
    backend: PostflopBackend

    @property
    def is_exact(self) -> bool:
        """Whether its values are the ones that others are measured by."""
        return isinstance(self.backend, CardBackend) and self.backend.rivers.is_exact

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what solving a flop takes, and judging strategies while they are in memory."""
        plan = plan_game(Spot(flop, EVERYONE, tree), num_workers=num_workers)
        need, cards = plan.memory, plan.hands
        turn, river = cards.deals[0], plan.templates[-1]
        rivers_of_a_turn = int(np.diff(turn.first_next).max())
        # A worker holds what both players do on the rivers of one turn card.
        rows = sum(river.num_actions[p] * cards.players[p].width for p in range(NUM_PLAYERS))
        judging = need.working_space + need.cards
        judging += num_workers * rivers_of_a_turn * rows * _SINGLE_BYTES
        return self.backend.estimate(flop, tree, num_workers).with_memory(
            lambda size: size + judging
        )


def all_labels() -> list[str]:
    """Returns the labels of every backend, with those values of a key that are worth comparing."""
    labels: list[str] = []
    for name in BACKENDS:
        labels += [f"{name}:{value}" for value in _SHORT_KEYS.get(name, _NO_KEY)[1]] or [name]
    return labels


def label_backend(
    config: FlopsConfig, label: str, abstraction: Abstraction | None = None
) -> BackendUnderTest:
    """Returns the backend that a label names, with those keys of a config that it has.

    A label is a ``solve_type``, and after colons what its keys are instead of those of the config:
    ``bucketed:rebucket_rounds=2``, or short ``bucketed:2``. An abstraction has own buckets.
    """
    solve_type, *given = label.split(":")
    if solve_type not in BACKENDS:
        raise ConfigError("solve_type", f"{quote(label)} is not {_ALLOWED}")
    short_key, _ = _SHORT_KEYS.get(solve_type, _NO_KEY)
    keys: dict[str, Any] = {"solve_type": solve_type}
    for part in given:
        key, _, value = (part if "=" in part else f"{short_key}={part}").partition("=")
        if not key or not value:
            raise ConfigError("solve_type", f"{quote(label)} is not {_ALLOWED}")
        keys |= parse_yaml(f"{key}: {value}")
    chosen = FlopsConfig.choose(config.to_mapping(), keys, label)
    short = [str(getattr(chosen, short_key))] if short_key else []
    long = [part for part in given if "=" in part and not part.startswith(f"{short_key}=")]
    own = [] if abstraction is None else [getattr(abstraction, "__name__", "own")]
    label = ":".join([solve_type, *short, *long, *own])
    return BackendUnderTest(label, make_backend(chosen, abstraction))


@dataclass(frozen=True, eq=False)
class JudgedSolve:
    """A flop to solve at one stack-to-pot ratio by one backend, and to judge with real cards.

    The key names it in a run, the name is that of the flop in events.
    """

    key: str
    tested: BackendUnderTest
    flop: tuple[int, ...]
    tree: PostflopTree
    name: str

    def __str__(self) -> str:
        return self.key


@dataclass(frozen=True)
class JudgeJob:
    """Solves flops and judges their strategies; see `Job`. The key of a task stands for its config.

    Results have ``[2, 169, 169]`` values.
    """

    @property
    def facts(self) -> dict[str, Any]:
        """What results depend on besides the key: nothing."""
        return {}

    def run(self, item: JudgedSolve, worker: Worker) -> TaskResult:
        """Solves and judges; the strategies, which can be gigabytes, are gone when it returns."""
        backend, tree, team = item.tested.backend, item.tree, Team.of(worker)
        is_bound = backend.meaning.is_upper_bound
        report_progress = progress_sink(item.name, tree.stakes.spr, worker.on_event, is_bound)
        started = solve_time()
        solution = backend.solve(FlopGame.deal(item.flop), tree, report_progress, team)
        seconds = solve_time() - started
        spot = Spot(tuple(item.flop), EVERYONE, tree)
        row = _judge(item.tested.label, spot, solution.strategy, solution.report, team)
        memory = backend.estimate(item.flop, tree, team.num_workers).memory_bytes
        row = replace(row, seconds=seconds, memory_bytes=memory)
        return TaskResult({VALUES: solution.value_pot}, {_ROW: asdict(row)})


def row_of(entry: LedgerEntry) -> BackendRow:
    """Returns the row of a finished solve."""
    fields = dict(entry.measured[_ROW])
    fields["own_meaning"] = ExploitabilityMeaning(fields["own_meaning"])
    fields["real_gains_pot"] = tuple(fields["real_gains_pot"])
    return BackendRow(**fields)


def compare_backends(
    backends: Sequence[BackendUnderTest],
    flops: Sequence[tuple[int, ...]],
    trees: Sequence[PostflopTree],
    context: RunContext,
) -> Iterator[BackendRow]:
    """Yields a row for each backend on each flop with each tree, all backends of a tree together.

    A worker solves one flop at a time, with all its threads, and nothing of a solve is kept but
    its row and values. A caller that stops early, be it by Ctrl-C, has the rows of all flops and
    trees that were finished.
    """
    tasks = []
    for flop, tree, tested in product(flops, trees, backends):
        name = format_cards(flop)
        key = f"{name} {tree.stakes.spr:g} {tested.label}"
        # Alone, so that the times of backends can be compared.
        tasks.append(Task(key, JudgedSolve(key, tested, flop, tree, name), is_alone=True))
    entries: dict[tuple[tuple[int, ...], float], dict[str, LedgerEntry]] = {}
    rows_of: dict[tuple[int, ...], list[BackendRow]] = {flop: [] for flop in flops}
    for task, entry in finish_flops(JudgeJob(), tasks, context, PHASE):
        solve = task.item
        of_tree = entries.setdefault((solve.flop, solve.tree.stakes.spr), {})
        of_tree[solve.tested.label] = entry
        if len(of_tree) < len(backends):
            continue
        rows = _compare_values(solve.flop, backends, of_tree)
        yield from rows
        of_flop, num_rows = rows_of[solve.flop], len(trees) * len(backends)
        of_flop += rows
        if len(of_flop) == num_rows:
            num_solved = sum(len(each) == num_rows for each in rows_of.values())
            worst = max(row.real_exploitability_pot for row in of_flop)
            seconds = sum(row.seconds + row.judging_seconds for row in of_flop)
            context.on_event(FlopSolved(solve.name, num_solved, len(flops), worst, seconds))


def _compare_values(
    flop: tuple[int, ...], backends: Sequence[BackendUnderTest], entries: Mapping[str, LedgerEntry]
) -> list[BackendRow]:
    """Returns the rows of one flop and tree, with errors if one backend was exact."""
    values = {label: cast(Float32Array, entry.arrays[VALUES]) for label, entry in entries.items()}
    exact = next((values[each.label] for each in backends if each.is_exact), None)
    rows = []
    for tested in backends:
        row = row_of(entries[tested.label])
        if exact is not None and not tested.is_exact:
            of_hands, of_pairs = value_errors(flop, values[tested.label], exact)
            row = replace(row, hand_error_pot=of_hands, pair_error_pot=of_pairs)
        rows.append(row)
    return rows


def _judge(
    label: str, spot: Spot, strategy: FlopStrategy, report: FlopReport, team: Team
) -> BackendRow:
    """Returns the row of a solved flop, with what its strategies lose in the real game."""
    started = time.perf_counter()
    loss = judge_spot(spot, strategy, team)
    return BackendRow(
        label=label,
        flop=format_cards(spot.board),
        spr=spot.tree.stakes.spr,
        iterations=report.iterations,
        own_exploitability_pot=report.exploitability_pot,
        own_meaning=report.meaning,
        real_exploitability_pot=loss.exploitability_pot,
        real_gains_pot=loss.gains_pot,
        seconds=report.seconds,
        judging_seconds=time.perf_counter() - started,
        nuts_apart=nuts_apart(spot, strategy),
    )


def judge_kept(
    solved: ValueBundle,
    flop_indices: Sequence[int],
    spr_indices: Sequence[int],
    context: RunContext,
) -> Iterator[BackendRow]:
    """Yields a row for flops and ratios, by their places, whose strategies were kept."""
    label, pairs = solved.config.solve_type, list(product(flop_indices, spr_indices))
    team = Team(context.num_threads)
    with reporting_phase(context.on_event, "Judging", len(pairs)) as tell_done:
        for number, (flop, spr) in enumerate(pairs, start=1):
            report = solved.values[spr].reports[flop]
            spot = Spot(solved.flops.flops[flop], EVERYONE, solved.trees[spr])
            row = _judge(label, spot, kept_strategy(solved, flop, spr), report, team)
            yield replace(row, flop=solved.flops.names[flop])
            tell_done(number)
