"""`runout diag-buckets`: who shares a bucket on a flop, round by round, and what that costs."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from runout.cards.deck import format_cards, format_combo
from runout.cards.flops import GivenFlop
from runout.cli.console import Shown, print_note, show, using_kernels
from runout.cli.formatting import (
    NO_VALUE,
    Json,
    bold,
    dim,
    format_count_of,
    format_percent,
    format_signed,
    json_numbers,
)
from runout.cli.inspect import SPR_ROUNDING, open_values
from runout.cli.options import (
    JsonFlag,
    OptionalConfigOption,
    OptionError,
    WorkersOption,
    argument,
    load_flops_config,
    option,
    positive,
)
from runout.cli.plots import write_bucket_plots
from runout.cli.sheets import Sheet, columns
from runout.config.load import load_postflop_config
from runout.config.postflop import BucketedConfig, PostflopModelConfig
from runout.events import EventSink
from runout.solutions.values import ValueBundle

if TYPE_CHECKING:
    from runout.flops.bucketed import RoundRecord
    from runout.runs.diagnose import BucketContents, FlopDiagnosis, RoundDiagnosis


#: More flops than this must be chosen by name.
MAX_FLOPS = 10

_NUM_EXAMPLES = 3
_LEGEND = (
    "\nEV: beyond half the pot, mean of both positions; apart: distance of the worst\n"
    "pair's EV histograms; both in flop pots. Bound: what a best response in the same\n"
    "buckets gains at most. ARI: agreement with the round before, 1 is the same."
)


def diagnose_buckets(
    path: Annotated[Path | None, argument("DIR", "What `runout solve-postflop` wrote.")] = None,
    config: OptionalConfigOption = None,
    flop: Annotated[
        list[str] | None, option("--flop -f", "CARDS", "Default those of the config.")
    ] = None,
    spr: Annotated[float | None, option("--spr", "X", "Default the first of the config.")] = None,
    top: Annotated[
        int, option("--top", "N", "Show the N buckets with the worst pairs.", positive)
    ] = 10,
    png: Annotated[Path | None, option("--png", "FILE", "Also draw the histograms.")] = None,
    workers: WorkersOption = None,
    json: JsonFlag = False,
) -> None:
    """Show who shares a bucket on flops of a bucketed solve, in every round of it.

    Flops that a DIR has kept are read, others are solved.
    """
    if png is not None and not png.parent.is_dir():  # told before minutes of work, not after
        raise OptionError(f"--png {png}", f"{png.parent} is not a directory")
    if (path is None) == (config is None):
        raise OptionError("diag-buckets", "give either a DIR or a --config FILE")
    bundle = None if path is None else open_values(path)
    model = _open_model(path, config, bundle)
    flops = _choose_flops(model, flop)
    ratio = _choose_spr(model, spr)
    diagnoses = _diagnose(model, ratio, flops, bundle, workers)
    if png is not None:
        write_bucket_plots(png, diagnoses)
    document = {"flops": [_flop_to_json(diagnosis) for diagnosis in diagnoses]}
    show(json, document, *_diagnosis_parts(diagnoses, top))
    if png is not None:
        print_note(f"wrote {png}")


def _open_model(
    path: Path | None, config: Path | None, bundle: ValueBundle | None
) -> BucketedConfig:
    model = (
        load_postflop_config(bundle.config_text)
        if bundle is not None
        else load_flops_config(cast(Path, config))
    )
    if not isinstance(model, BucketedConfig):
        problem = f"solve_type is {model.solve_type}, only bucketed has buckets"
        raise OptionError(str(path or config), problem)
    return model


def _choose_flops(model: PostflopModelConfig, given: list[str] | None) -> list[GivenFlop]:
    names = given or model.flop_list().names
    if not given and len(names) > MAX_FLOPS:
        number = format_count_of(len(names), "flop")
        raise OptionError("--flop", f"the config has {number}, give up to {MAX_FLOPS} by name")
    return [GivenFlop.parse(name) for name in names]


def _choose_spr(model: PostflopModelConfig, given: float | None) -> float:
    if given is None:
        return model.primary_spr
    nearest = min(model.postflop_sprs, key=lambda spr: abs(spr - given))
    if abs(nearest - given) > SPR_ROUNDING * nearest:
        ratios = ", ".join(f"{spr:.4g}" for spr in model.postflop_sprs)
        raise OptionError("--spr", f"{given:g} is not one of the config's {ratios}")
    return nearest


def _diagnose(
    model: BucketedConfig,
    spr: float,
    flops: Sequence[GivenFlop],
    bundle: ValueBundle | None,
    workers: int | None,
) -> list["FlopDiagnosis"]:
    """Returns what is in the buckets of flops, which are solved unless a bundle has kept them."""
    with using_kernels() as on_event:
        from runout.flops.solve import PostflopAbstraction
        from runout.runs.diagnose import diagnose_flop

        kept = None
        if bundle is not None and bundle.solutions:
            kept = PostflopAbstraction.from_bundle(bundle)
        diagnoses = []
        for given in flops:
            if kept is not None and given.canonical in kept.flops.flops:
                index = kept.flops.flops.index(given.canonical)
                records = kept.rounds(index, model.postflop_sprs.index(spr))
            else:
                records = _solve(model.with_sprs([spr]), given, on_event, workers)
            diagnoses.append(diagnose_flop(given, spr, records))
        return diagnoses


def _solve(
    model: BucketedConfig, given: GivenFlop, on_event: EventSink, workers: int | None
) -> list["RoundRecord"]:
    from runout.cfr.team import Team
    from runout.flops.backend import FlopGame
    from runout.flops.bucketed import read_records
    from runout.flops.settings import make_bucketed
    from runout.flops.solve import PostflopPlan, progress_sink

    plan = PostflopPlan.make(model, workers)
    (tree,), backend = plan.trees, make_bucketed(model)
    cost = backend.estimate(given.canonical, tree, plan.num_workers)
    cost.require_memory("the diagnosis")
    is_bound = backend.meaning.is_upper_bound
    sink = progress_sink(given.name, tree.stakes.spr, on_event, is_bound)
    game = FlopGame.deal(given.canonical)
    solution = backend.solve(game, tree, sink, Team(plan.num_workers))
    return read_records(solution.to_arrays(), given.canonical)


def _diagnosis_parts(diagnoses: Sequence["FlopDiagnosis"], top: int) -> list[Shown]:
    parts: list[Shown] = []
    for number, diagnosis in enumerate(diagnoses):
        title = f"{diagnosis.flop.name} at SPR {diagnosis.spr:.4g}"
        parts += [bold(("\n" if number else "") + title), _rounds_sheet(diagnosis.rounds)]
        for entry in diagnosis.rounds:
            shown = _worst_buckets(entry, top)
            heading = f"round {entry.round}, {len(shown)} of {len(entry.buckets)} buckets"
            parts += [f"\n{heading}, those with the worst pairs"]
            parts += [_buckets_sheet(diagnosis.flop, entry, shown)]
    return [*parts, dim(_LEGEND)]


def _rounds_sheet(rounds: Sequence["RoundDiagnosis"]) -> Sheet:
    headings = (">round", ">buckets", ">iterations", ">δ", ">bound", ">EV variance", ">ARI")
    sheet = Sheet(columns(*headings), gap=2)
    for entry in rounds:
        sheet.add(
            str(entry.round),
            "/".join(map(str, entry.num_buckets)),
            f"{entry.iterations:,}",
            f"{entry.final_delta:.4f}",
            format_percent(entry.exploitability_bound_pot),
            f"{entry.ev_variance:.5f}",
            NO_VALUE if entry.agreement is None else f"{entry.agreement:.3f}",
        )
    return sheet


def _worst_buckets(entry: "RoundDiagnosis", top: int) -> list[int]:
    """Returns the numbers of the buckets whose worst pairs are farthest apart, farthest first."""

    def distance(bucket: int) -> float:
        pair = entry.buckets[bucket].worst_pair
        return 0.0 if pair is None else pair.distance_pot

    return sorted(range(len(entry.buckets)), key=distance, reverse=True)[:top]


def _buckets_sheet(flop: GivenFlop, entry: "RoundDiagnosis", shown: Sequence[int]) -> Sheet:
    def format_given(combos: Sequence[int]) -> str:
        return " ".join(format_combo(flop.rename_back(combo)) for combo in combos)

    numbers = (">bucket", ">combos", ">strength %", ">EV", ">apart")
    sheet = Sheet(columns(*numbers, "worst pair", "hands"), gap=2)
    for bucket in shown:
        contents = entry.buckets[bucket]
        pair, strength, ev = contents.worst_pair, contents.strength, contents.ev_pot
        sheet.add(
            str(bucket),
            str(len(contents.combos)),
            f"{100 * strength.lowest:.1f}-{100 * strength.highest:.1f}",
            f"{format_signed(ev.lowest)} {format_signed(ev.highest)}",
            NO_VALUE if pair is None else f"{pair.distance_pot:.3f}",
            NO_VALUE if pair is None else format_given(pair.combos),
            format_given(_examples(contents)),
        )
    return sheet


def _examples(contents: "BucketContents") -> list[int]:
    """Returns the weakest, the middle and the strongest combo of a bucket."""
    last = len(contents.combos) - 1
    chosen = {round(last * i / (_NUM_EXAMPLES - 1)) for i in range(_NUM_EXAMPLES)}
    return [contents.combos[i] for i in sorted(chosen)]


def _flop_to_json(diagnosis: "FlopDiagnosis") -> Json:
    rounds = [
        {
            "round": entry.round,
            "num_buckets": dict(zip(("flop", "turn", "river"), entry.num_buckets, strict=True)),
            "iterations": entry.iterations,
            "final_delta": entry.final_delta,
            "exploitability_bound_pot": entry.exploitability_bound_pot,
            "ev_variance": entry.ev_variance,
            "adjusted_rand_index": entry.agreement,
            "buckets": [_bucket_to_json(contents) for contents in entry.buckets],
            "pair_equity": json_numbers(entry.pair_equity),
        }
        for entry in diagnosis.rounds
    ]
    flop = format_cards(diagnosis.flop.canonical)
    return {"flop": flop, "spr": diagnosis.spr, "rounds": rounds}


def _bucket_to_json(contents: "BucketContents") -> Json:
    document = asdict(contents)
    for part in (document, document["worst_pair"] or {"combos": ()}):
        part["combos"] = list(map(format_combo, part["combos"]))
    return document
