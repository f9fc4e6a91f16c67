"""`runout abstraction` and `diag-buckets`: hands in buckets, and what sharing one costs."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from runout.cache import kept_directory, kept_files, kept_limit
from runout.cards import deck
from runout.cards.flops import GivenFlop
from runout.cli import formatting, options, targets
from runout.cli.console import Answer, Shown, show, using_kernels
from runout.cli.formatting import NO_VALUE, Json, format_bytes, format_count, format_percent
from runout.cli.options import argument, flag, option
from runout.cli.overview import open_values
from runout.errors import AbstractionError, OptionError
from runout.execution.context import RunContext
from runout.solutions.sheet import Sheet, columns
from runout.storage.bundle import digest_config, has_bundle, read_manifest
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import AbstractionConfig, CardAbstraction
    from runout.flops.backend import Cost


def summary_sheet(summaries: Mapping[str, Json]) -> Sheet:
    """Returns a column for each street, from its facts under JSON names."""
    cells_by_street: list[dict[str, str]] = []
    for facts in summaries.values():
        supported = facts["num_supported"]
        cells = {
            "buckets requested": format_count(facts["num_requested"]),
            "buckets effective": format_count(facts["num_effective"]),
            "buckets supported": NO_VALUE if supported is None else format_count(supported),
            "buckets are": "looked up" if facts["has_table"] else "computed",
        }
        for name, number in (facts["deals_in_bucket"] or {}).items():
            cells[f"deals in the {name}"] = format_count(number)
        for name, share in (facts["strength_spread_in_bucket"] or {}).items():
            cells[f"spread of strength, {name}"] = format_percent(share, 3)
        cells_by_street.append(cells)
    sheet = Sheet(columns("", *(f">{street}" for street in summaries)))
    for row in max(cells_by_street, key=len):
        sheet.add(row, *(cells.get(row, NO_VALUE) for cells in cells_by_street))
    return sheet


# The values of `SurveyMode` and `StrengthFeature`, which take numba to import.
Mode = Literal["exhaustive", "sampled"]
Feature = Literal["ehs2", "ehs_squared"]

_MODE = "Cut all deals into buckets, or a sample."
_SAMPLES = "Deals to sample on each street, default 100,000."
_SEED = "Decides which deals are sampled."


def build_abstraction(
    path: options.OutputOption,
    mode: Annotated[Mode, flag("--mode", _MODE)] = "exhaustive",
    flop_buckets: Annotated[int | None, option("--flop-buckets", "N", "Default 5,000.")] = None,
    turn_buckets: Annotated[int | None, option("--turn-buckets", "N", "Default 5,000.")] = None,
    river_buckets: Annotated[int | None, option("--river-buckets", "N", "Default 20,000.")] = None,
    samples: Annotated[int | None, option("--samples", "N", _SAMPLES)] = None,
    feature: Annotated[Feature, flag("--feature", "What orders hands: E[HS] or E[HS^2].")] = "ehs2",
    seed: Annotated[int, option("--seed", "S", _SEED, options.not_negative)] = 0,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    overwrite: options.OverwriteFlag = False,
    json: options.JsonFlag = False,
) -> None:
    """Cut the hands of each street into buckets of equal size and similar strength.

    The same command resumes an interrupted build.
    """
    if samples is not None and mode == "exhaustive":
        raise OptionError("--samples", "goes with --mode sampled only")
    keys: dict[str, Any] = {"flop_buckets": flop_buckets, "turn_buckets": turn_buckets}
    keys |= {"river_buckets": river_buckets, "samples_per_street": samples}
    keys |= {"mode": mode, "feature": feature}
    given = {key: value for key, value in keys.items() if value is not None}
    with targets.solving_into(path, workers, executor) as context:
        from runout.abstraction import card_abstraction as abstractions

        try:
            config = abstractions.AbstractionConfig(**given)
        except AbstractionError as error:
            name = error.where.removesuffix("_per_street").replace("_", "-")
            raise OptionError(f"--{name}", error.problem) from None
        targets.require_free(path, abstractions.KIND, True)

        def build(context: RunContext) -> "CardAbstraction":
            cost = estimate_build(config, context.num_threads)
            targets.announce(f"{path}:", cost, path, "the build")
            return abstractions.build_card_abstraction(config, seed, context)

        find = partial(_find_finished, path, config, seed)
        digest = digest_config({**asdict(config), "seed": seed})
        checkpoints = targets.checkpoints_beside(path, "checkpoint")
        work = targets.LongWork(path, checkpoints, digest, find, overwrite, noun="part")
        abstraction, end = work.carry_out(build, context)
    size_bytes, summaries = read_manifest(path).size_bytes, abstraction.summaries()
    facts: Json = {"path": str(path), "size_bytes": size_bytes, "seconds": end.seconds}
    done = end.describe(f"{path}, {format_bytes(size_bytes)}")
    show(json, {**facts, **summaries}, summary_sheet(summaries), done)


#: Core seconds for a board of flop, turn and river, on a desktop of 2024.
_SECONDS_PER_BOARD = (0.01, 0.001, 0.00003)


def estimate_build(config: "AbstractionConfig", num_workers: int) -> "Cost":
    """Returns the cost of `build_card_abstraction`; its time tells a minute from an hour."""
    from runout.abstraction.survey import deal_indexer
    from runout.cards.hand_indexer import HandIndexer
    from runout.flops.backend import Cost

    is_exhaustive, samples = config.mode.value == "exhaustive", config.samples_per_street
    num_deals = [deal_indexer(street).size for street in Street]
    all_boards = [HandIndexer((street.num_board_cards,)).size for street in Street]
    num_boards: list[float] = [*all_boards]
    if not is_exhaustive:  # a flop or turn that was dealt before costs nothing
        num_boards = [n * -math.expm1(-samples / n) for n in all_boards[:2]] + [samples]
    core_seconds = sum(s * n for s, n in zip(_SECONDS_PER_BOARD, num_boards, strict=True))
    buckets = config.flop_buckets + config.turn_buckets + min(config.river_buckets, 2_000)
    disk_bytes = 5 * 8 * buckets  # boundary, population, lowest, mean and highest
    memory_bytes = 900_000_000 if is_exhaustive else 450_000_000 + 1_000 * samples
    if is_exhaustive:  # tables of buckets in 16 bits
        disk_bytes += 2 * (num_deals[Street.FLOP] + num_deals[Street.TURN])
    # Holdings that a flop and a turn leave are scored.
    num_scores = math.comb(49, 2) * num_boards[0] + math.comb(48, 2) * num_boards[1]
    seconds = core_seconds / num_workers + (10.0 if is_exhaustive else 1.0)
    return Cost(seconds, memory_bytes, disk_bytes, checkpoint_bytes=round(8 * num_scores))


def _find_finished(path: Path, config: "AbstractionConfig", seed: int) -> "CardAbstraction | None":
    """Returns the abstraction at a path, None if there is none; an error names what differs."""
    from runout.abstraction.card_abstraction import CardAbstraction
    from runout.config.yaml_text import list_differences

    if not has_bundle(path):
        return None
    found = CardAbstraction.load(path)
    wanted = asdict(config) | {"seed": seed}
    if config.mode.value == "exhaustive":  # draws nothing
        del wanted["seed"], wanted["samples_per_street"]
    there = {key: found.origin.get(key) for key in wanted}
    if which := "; ".join(list_differences(there, wanted)):
        problem = f"is another abstraction, give --overwrite to replace it: {which}"
        raise OptionError(str(path), problem)
    return found


DirectoryArgument = Annotated[Path, argument("DIR", "What `runout abstraction build` wrote.")]


def show_bucket(
    path: DirectoryArgument,
    board: options.RequiredBoardOption,
    hand: Annotated[str, option("--hand", "CARDS", "Two cards, such as JcTc.")],
    json: options.JsonFlag = False,
) -> None:
    """Show the bucket of a hand on a board, and which strengths are in it."""
    known_cards = deck.parse_board(board)
    holding = options.parse_hand(hand, known_cards)
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction
        from runout.equity.board import hand_strength

        abstraction = CardAbstraction.load(path)
        bucket = abstraction.get_bucket(known_cards, holding)
        strength = hand_strength(known_cards, holding)
    street = Street(len(known_cards) - deck.FLOP_SIZE)
    inner = abstraction.boundaries.by_street[street].tolist()
    statistics = abstraction.statistics.get(street)
    facts: dict[str, Any] = {
        "board": deck.format_cards(known_cards),
        "hand": deck.format_combo(deck.combo_index(*holding)),
        "street": street.label,
        "bucket": bucket,
        "num_buckets": abstraction.num_buckets(street),
        "feature": abstraction.feature.value,
        "strength": getattr(strength, abstraction.feature.value),
        "strength_above": inner[bucket - 1] if bucket > 0 else None,
        "strength_up_to": [*inner, 1.0][bucket],
        "num_deals": None if statistics is None else int(statistics.population[bucket]),
    }
    # Thousands of buckets lie hundredths of a percent apart.
    value, above, up_to = (
        None if facts[key] is None else format_percent(facts[key], 4)
        for key in ("strength", "strength_above", "strength_up_to")
    )
    deals = facts["num_deals"]
    rows = {
        "bucket": f"{bucket:,} of 0 (weakest) to {facts['num_buckets'] - 1:,}",
        "strength": f"{value} ({facts['feature']})",
        "in the bucket": f"{'0%' if above is None else f'above {above}'}, up to {up_to}",
        "deals in it": "unknown" if deals is None else format_count(deals),
    }
    title = f"{facts['hand']} on the {street.label} {facts['board']}"
    show(json, facts, title, Sheet(columns("", ""), list(rows.items())))


def describe_abstraction(path: Path) -> Answer:
    """Returns how many buckets there are, how large and how mixed."""
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction

        abstraction, manifest = CardAbstraction.load(path), read_manifest(path)
        summaries, origin = abstraction.summaries(), abstraction.describe_origin()
        boundaries = {street.label: abstraction.boundaries.by_street[street] for street in Street}
    document: Json = {
        "path": str(path),
        "size_bytes": manifest.size_bytes,
        "created_at": manifest.created_at.isoformat(),
        "package_version": manifest.package_version,
        "feature": abstraction.feature.value,
        "origin": dict(abstraction.origin),
        **{
            label: {**summary, "boundaries": boundaries[label].tolist()}
            for label, summary in summaries.items()
        },
    }
    written = (
        f"{format_bytes(manifest.size_bytes)}, written {manifest.created_at:%Y-%m-%d %H:%M} UTC "
        f"by runout {manifest.package_version}\n"
    )
    return document, [f"{path}: {origin}", written, summary_sheet(summaries)]


_CLEAR = "Remove all of them."


def show_cache(
    clear: Annotated[bool, flag("--clear", _CLEAR)] = False, json: options.JsonFlag = False
) -> None:
    """Show how much of buckets and equity tables is kept for later solves, or clear it."""
    files, place, limit = kept_files(), kept_directory(), kept_limit()
    sheet = Sheet(columns("kept", ">files", ">size"))
    kinds: dict[str, dict[str, int]] = {}
    for path, file in files.items():
        kind = kinds.setdefault(path.parent.name, {"num_files": 0, "size_bytes": 0})
        kind["num_files"] += 1
        kind["size_bytes"] += file.st_size
        if clear:
            path.unlink(missing_ok=True)
    for name, kind in sorted(kinds.items()):
        sheet.add(name, format_count(kind["num_files"]), format_bytes(kind["size_bytes"]))
    total = format_bytes(sum(file.st_size for file in files.values()))
    end = f"cleared, {total}" if clear else f"{total} of at most {format_bytes(limit)}"
    facts = {"directory": str(place), "limit_bytes": limit, "is_cleared": clear}
    document: Json = {**facts, "kinds": kinds}
    show(json, document, *([sheet] if kinds else []), f"{place}: {end}")


_KEPT = "What `runout solve-postflop` wrote with keep_strategies: true."
_TOP = "Show the N buckets with the worst pairs."
_LEGEND = (
    "EV: beyond half the pot, mean of both positions; apart: distance of the worst\n"
    "pair's EV histograms; both in flop pots. Bound: what a best response in the same\n"
    "buckets gains at most. ARI: agreement with the round before, 1 is the same."
)


def diagnose_buckets(
    path: Annotated[Path, argument("DIR", _KEPT)],
    flop: Annotated[list[str] | None, option("--flop -f", "CARDS", "Default: all.")] = None,
    spr: Annotated[float | None, option("--spr", "X", "Default: the first.")] = None,
    top: Annotated[int, option("--top", "N", _TOP, options.positive)] = 10,
    json: options.JsonFlag = False,
) -> None:
    """Show which hands share a bucket on solved flops, in every round."""
    bundle = open_values(path)
    values = bundle.values[0] if spr is None else bundle.at_spr(spr)
    documents, parts = list[Json](), list[Shown]()
    with using_kernels():
        from runout.flops.solve import kept_rounds
        from runout.runs.diagnose import diagnose_flop, worst_buckets

        for given in map(GivenFlop.parse, flop or bundle.flops.names):
            records = kept_rounds(bundle, bundle.flops.find(given), bundle.values.index(values))
            rounds, buckets = diagnose_flop(given, values.spr, records)
            name = deck.format_cards(given.canonical)
            documents.append({"flop": name, "spr": values.spr, "rounds": rounds.records()})
            parts += [formatting.bold(f"{given.name} at SPR {values.spr:.4g}"), rounds, ""]
            for number, sheet in enumerate(buckets, start=1):
                shown = worst_buckets(sheet, top)
                heading = f"round {number}, {len(shown.rows)} of {len(sheet.rows)} buckets"
                parts += [f"{heading}, those with the worst pairs", shown, ""]
    show(json, {"flops": documents}, *parts, formatting.dim(_LEGEND))
