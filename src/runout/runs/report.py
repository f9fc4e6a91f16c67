"""A report over flops: one spot solved flop by flop, each of which leaves a row of numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import AnyArray, FloatArray
from runout.cards.deck import COMBOS_BY_HAND, HAND_BY_COMBO, parse_cards
from runout.cards.flops import FlopList, explicit_flops, subset_flops, suit_stabilizer
from runout.cards.ranges import Range
from runout.config.load import load_config
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.yaml_text import format_yaml
from runout.errors import ConfigError, FlopListError, TreeError, quote
from runout.events import Event, FlopReported, FlopSolving, SpotSolving
from runout.execution.context import RunContext
from runout.execution.tasks import CancelledError, Task, TaskResult, Worker
from runout.flops.solve import finish_flops
from runout.flops.spot_setup import measure_spot
from runout.flops.spot_solution import SpotSolution
from runout.holdem.tables import Precision
from runout.runs.spot import solve_spot
from runout.solutions import reports
from runout.solutions.flop import find_position
from runout.solutions.flop_bundles import build_spot, meaning_of
from runout.solutions.node import NodeKind, weight_met
from runout.solutions.preflop import LEDGER_FOLDER
from runout.storage.bundle import digest_config
from runout.storage.ledger import LedgerEntry
from runout.trees.actions import AGGRESSIVE_KINDS, format_amount
from runout.trees.betting import Street
from runout.trees.sizes import PLAYER_KEYS, STREET_KEYS, format_bet_size

_FLOP = STREET_KEYS[Street.FLOP]
_FIRST_BETS = ("", "x")  # paths at which OOP and IP may make them
_FACTS = "facts"
_SECONDS = "seconds"


@dataclass(frozen=True)
class SizeVariant:
    """The same spot with one size of a player's first bets on the flop, and no other.

    The code is that of the bet that is left, as in the tree with all sizes.
    """

    player: int
    code: str
    bet_sizes: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ReportPlan:
    """One spot on many flops: what is solved, and the job that solves each flop; see `Job`.

    An item is a flop such as ``AhKd7s``. It is solved as `solve-spot` would solve it, and the
    worker that has solved it makes its row; finished rows are kept in a ledger.
    """

    spot: SpotConfig  # its board is one of the flops
    flops: FlopList  # those on which the ranges meet
    lines: tuple[reports.ReportLine, ...]  # the nodes to report on each
    variants: tuple[SizeVariant, ...] = ()  # solved, too, to say what one size costs
    spots: Path | None = None  # where the solution of each flop is kept, if it is

    @classmethod
    def make(
        cls,
        source: Path | None,
        given: Mapping[str, Any],
        flops: FlopList,
        paths: Sequence[str],
        *,
        has_size_costs: bool = False,
        spots: Path | None = None,
    ) -> "ReportPlan":
        """Reads a spot without a board from a file, from keys, which win, or both; finds its lines.

        A line is a path, ``root`` or empty for the first decision. Size costs solve again with one
        size, where there are several.
        """
        report = load_config(source, ReportConfig, given)
        flops = _met_flops(report, flops)
        rivers = {} if report.rivers == "compact" else {"rivers": "exact"}
        spot = SpotConfig.parse(report.to_mapping() | {"board": flops.names[0], **rivers})
        for key, held in zip(PLAYER_KEYS, spot.ranges(), strict=True):
            # A flop stands for those that differ by suits only.
            first = held.weights[[combos[0] for combos in COMBOS_BY_HAND]]
            if not np.array_equal(held.weights, first[HAND_BY_COMBO]):
                problem = "tells suits apart, but a flop of a report represents all suits"
                raise ConfigError(key, f"{problem}; give hands such as AKs and AKo")
        lines = tuple(dict.fromkeys(_find_line(spot, path) for path in paths))
        variants = _size_variants(spot, lines) if has_size_costs else ()
        if has_size_costs and not variants:
            problem = "there is nothing to compare, no line has two sizes of a first bet"
            raise TreeError("size costs", problem)
        return cls(spot, flops, lines, variants, spots)

    def config_text(self) -> str:
        """Returns the spot without its board, as YAML."""
        mapping = self.spot.to_mapping()
        del mapping["board"]
        return format_yaml(mapping)

    def spot_facts(self) -> dict[str, Any]:
        """Returns what is solved on every flop, and when solves end."""
        game, rule = self.spot.game_mapping(), self.spot.stopping_rule()
        del game["board"]
        ranges = map(str, self.spot.ranges())  # as they are without a board
        return {
            **game,
            **dict(zip(PLAYER_KEYS, ranges, strict=True)),
            "max_iterations": rule.max_iterations,
            "max_seconds": rule.max_seconds,
            "target_chips": rule.exploitability,
        }

    @property
    def spot_digest(self) -> str:
        """Names what is solved on every flop."""
        return digest_config(self.spot_facts())

    @property
    def title(self) -> str:
        """The spot, in a few words."""
        spot = self.spot
        oop, ip = (f"{held.percentage:.1f} %" for held in spot.ranges())
        money = f"pot {format_amount(spot.pot)}, stack {format_amount(spot.stack)}"
        origin = "" if spot.origin is None else f"{spot.origin.run} {spot.origin.node}, "
        rivers = ", compact rivers" if spot.rivers == "compact" else ""
        return f"{origin}OOP {oop} against IP {ip} of hands, {money}{rivers}"

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that a row depends on besides the flop."""
        return {
            "spot": self.spot_facts(),
            "lines": [line.path for line in self.lines],
            "variants": [[v.player, v.code, dict(v.bet_sizes)] for v in self.variants],
            "keeps_strategies": self.spots is not None,
        }

    def run(self, item: str, worker: Worker) -> TaskResult:
        """Solves a flop and returns the numbers of its row."""
        # What is at the place of a kept solution is of a run whose row is missing.
        place = None if self.spots is None else self.spots / item
        solution = self._solve(item, worker, place, **({"keep_resume": False} if place else {}))
        seconds, root = solution.outcome.seconds, solution.view.node()
        costs: dict[tuple[str, str], float] = {}  # of bets as the only size, by path and code
        for variant in self.variants:
            other = self._solve(item, worker, bet_sizes=variant.bet_sizes)
            seconds += other.outcome.seconds
            lost = root.range_ev(variant.player) - other.view.node().range_ev(variant.player)
            costs[_FIRST_BETS[variant.player], variant.code] = lost
        reached, iterations = solution.exploitability_pot, solution.outcome.iterations
        facts = [float(root.deals(0).sum()), reached, iterations]
        arrays: dict[str, AnyArray] = {_FACTS: np.array(facts)}
        for number, line in enumerate(self.lines):
            asked = line.actions if self.variants else ()
            size_costs = [costs.get((line.path, action.code), math.nan) for action in asked]
            node = solution.view.node(line.path)
            arrays[f"line{number}"] = reports.line_values(node, size_costs)
        return TaskResult(arrays, {_SECONDS: seconds})

    def tasks(self) -> list[Task[str]]:
        """Returns a task for each flop, with the memory it needs."""
        memory = measure_spot(self.spot, 1).memory[Precision(self.spot.precision)].total
        return [
            # Runouts that differ by suits only are solved once; the time of one is not known.
            Task(name, name, memory, 1.0 / len(suit_stabilizer(flop)))
            for flop, name in zip(self.flops.flops, self.flops.names, strict=True)
        ]

    def row_of(self, flop: str, entry: LedgerEntry) -> reports.FlopRow:
        """Returns the row of a flop that is finished."""
        share = float(self.flops.weights[self.flops.names.index(flop)])
        deals, reached, iterations = entry.arrays[_FACTS].tolist()
        lines = tuple(
            np.asarray(entry.arrays[f"line{number}"], dtype=np.float64)
            for number in range(len(self.lines))
        )
        seconds = float(entry.measured[_SECONDS])
        return reports.FlopRow(flop, share, deals, reached, iterations, seconds, lines)

    def _solve(
        self, flop: str, worker: Worker, directory: Path | None = None, **keys: Any
    ) -> SpotSolution:
        config = SpotConfig.parse(self.spot.to_mapping() | {"board": flop} | keys)

        def pass_on(event: Event) -> None:
            """Tells progress of a spot as that of a flop."""
            if isinstance(event, SpotSolving):
                chips, target = event.exploitability, event.target
                event = FlopSolving(
                    flop=flop,
                    spr=config.stack / config.pot,
                    iteration=event.iteration,
                    max_iterations=event.max_iterations,
                    exploitability_pot=None if chips is None else chips / event.pot_chips,
                    strategy_delta=math.nan,
                    is_converged=chips is not None and target is not None and chips <= target,
                )
            worker.on_event(event)

        context = RunContext(on_event=pass_on, cancel=worker.cancel, worker=worker)
        try:
            return solve_spot(config, context, directory=directory, overwrite=True)
        except KeyboardInterrupt:  # the token was set, and what was learned is kept
            raise CancelledError from None


def report(
    spot: str | Path | Mapping[str, Any],
    *,
    flops: FlopList | Sequence[str] | int = 25,
    lines: Sequence[str] = reports.DEFAULT_LINES,
    has_size_costs: bool = False,
    directory: str | Path | None = None,
    context: RunContext | None = None,
) -> reports.FlopsReport:
    """Solves one spot on many flops and reports frequencies, EVs and costs by texture.

    >>> import runout
    >>> keys = {"oop": "QQ", "ip": "JJ", "pot": 10, "stack": 5, "bet_sizes": "a"}
    >>> found = runout.report(keys, flops=["AhKd7s", "8h8d2c"])
    >>> found.to_dataframe()["flop"].tolist()
    ['AhKd7s', '8h8d2c']

    Args:
        spot: a config file or the keys of a spot, without a board (docs/reports.md).
        flops: a weighted subset of so many flops, the flops themselves, or a `FlopList`.
        lines: paths of the nodes to report, ``root`` for the first decision.
        has_size_costs: whether to solve with each bet size alone, too.
        directory: keeps finished flops, so that the same call resumes, and the report.
        context: workers and events; its checkpoints are those of ``directory``, if there is one.

    """
    source, keys = (None, spot) if isinstance(spot, Mapping) else (Path(spot), {})
    if isinstance(flops, int):
        flops = subset_flops(flops)
    elif not isinstance(flops, FlopList):
        flops = explicit_flops(flops)
    plan = ReportPlan.make(source, keys, flops, lines, has_size_costs=has_size_costs)
    context = context or RunContext()
    if directory is not None:
        context = replace(context, checkpoints=Path(directory) / LEDGER_FOLDER)
    found = collect_report(plan, list(report_flops(plan, context)))
    if directory is not None:
        reports.save_report(Path(directory), found, plan.config_text(), plan.spot_digest)
        reports.write_files(Path(directory), found)
    return found


def count_deals(flops: Sequence[str], ranges: tuple[Range, Range]) -> FloatArray:
    """Returns ``[F]`` the weight of the pairs of combos that each flop leaves two ranges."""
    deals = []
    for flop in flops:
        oop, ip = (held.without_cards(parse_cards(flop)).weights for held in ranges)
        deals.append(float((oop * weight_met(ip)).sum()))
    return np.array(deals)


def _met_flops(report: ReportConfig, flops: FlopList) -> FlopList:
    """Returns the flops on which the two ranges can meet."""
    is_met = count_deals(flops.names, report.ranges()) > 0.0
    if not is_met.any():
        raise FlopListError("flops", "the two ranges meet on none of them")
    kept, names = tuple(compress(flops.flops, is_met)), tuple(compress(flops.names, is_met))
    return FlopList(kept, flops.weights[is_met], names)


def _find_line(spot: SpotConfig, path: str) -> reports.ReportLine:
    text = path.strip()
    position = find_position(build_spot(spot), "" if text == reports.ROOT else text)
    if position.dealt:
        raise TreeError(f"line {quote(path)}", "has cards in it, a report stays on the flop")
    if position.kind == NodeKind.FOLD:
        raise TreeError(f"line {quote(path)}", "ends with a fold, there is nothing to report")
    pot = float(position.spot.tree.pot(position.node))
    return reports.ReportLine(
        position.path, position.label, pot, position.actor, position.actions()
    )


def _size_variants(
    spot: SpotConfig, lines: Sequence[reports.ReportLine]
) -> tuple[SizeVariant, ...]:
    """Returns each size alone, for players who make a first bet on one of the lines."""
    variants = []
    for player, path in enumerate(_FIRST_BETS):
        menu = spot.bet_sizes.at(_FLOP, PLAYER_KEYS[player]) or ()
        texts = list(dict.fromkeys(format_bet_size(size) for size in menu))
        if len(texts) < 2 or path not in [line.path for line in lines]:
            continue
        bets = []
        for text in texts:
            choice: dict[str, dict[str, list[str]]] = {
                street: {
                    key: [format_bet_size(size) for size in spot.bet_sizes.at(street, key) or ()]
                    for key in PLAYER_KEYS
                }
                for street in STREET_KEYS
            }
            choice[_FLOP][PLAYER_KEYS[player]] = [text]
            changed = SpotConfig.parse(spot.to_mapping() | {"bet_sizes": choice})
            actions = find_position(build_spot(changed), path).actions()
            codes = [action.code for action in actions if action.kind in AGGRESSIVE_KINDS]
            bets.append((choice, codes))
        always = set.intersection(*(set(codes) for _, codes in bets))  # an added all-in
        for choice, codes in bets:
            code = next((code for code in codes if code not in always), codes[-1])
            variants.append(SizeVariant(player, code, choice))
    return tuple(variants)


def report_flops(plan: ReportPlan, context: RunContext) -> Iterator[reports.FlopRow]:
    """Yields the row of every flop, as soon as it is finished; those of an earlier run first."""
    finished, first = finish_flops(plan, plan.tasks(), context), plan.lines[0]
    codes = [action.code for action in first.actions]
    for num_done, (task, entry) in enumerate(finished, start=1):
        row = plan.row_of(task.item, entry)
        values = reports.split_values(row.lines[0], len(codes))
        oop, ip = values["ev"].tolist()
        event = FlopReported(
            flop=row.flop,
            num_done=num_done,
            num_flops=len(plan.flops),
            line=first.path,
            ev_chips=(oop, ip),
            frequencies=tuple(zip(codes, values["frequency"].tolist(), strict=True)),
            exploitability_pot=row.exploitability_pot,
            seconds=row.seconds,
        )
        context.on_event(event)
        yield row


def collect_report(plan: ReportPlan, rows: list[reports.FlopRow]) -> reports.FlopsReport:
    """Returns the report of the rows that are finished, in the order of the flops."""
    place = {name: number for number, name in enumerate(plan.flops.names)}
    return reports.FlopsReport(
        title=plan.title,
        lines=plan.lines,
        rows=tuple(sorted(rows, key=lambda row: place[row.flop])),
        num_flops=len(plan.flops),
        meaning=meaning_of(plan.spot),
        has_strategies=plan.spots is not None,
    )
