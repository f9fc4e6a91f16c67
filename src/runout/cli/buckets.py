"""`runout abstraction`: hands in buckets of strength, and what the cache keeps."""

from collections.abc import Mapping
from functools import partial
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from runout.cache import kept_directory, kept_files, kept_limit
from runout.cards import deck
from runout.cli import options, targets
from runout.cli.console import Answer, show, using_kernels
from runout.cli.formatting import NO_VALUE, Json, format_bytes, format_count, format_percent
from runout.cli.options import argument, flag, option
from runout.cli.targets import LongWork
from runout.errors import AbstractionError, OptionError
from runout.solutions.sheet import Sheet, columns
from runout.storage.bundle import has_bundle, read_manifest
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


Feature = Literal["ehs2", "ehs_squared"]  # the values of `StrengthFeature`, which imports numba

_SAMPLES = "Deals to sample on each street (default: every deal)."
_FEATURE = "Strength that orders hands: E[HS] or E[HS^2]."


def build_abstraction(
    path: options.OutputOption,
    flop_buckets: Annotated[int, option("--flop-buckets", "N", "Buckets of the flop.")] = 5_000,
    turn_buckets: Annotated[int, option("--turn-buckets", "N", "Buckets of the turn.")] = 5_000,
    river_buckets: Annotated[int, option("--river-buckets", "N", "Of the river.")] = 20_000,
    samples: Annotated[int | None, option("--samples", "N", _SAMPLES)] = None,
    feature: Annotated[Feature, flag("--feature", _FEATURE)] = "ehs2",
    seed: Annotated[int, option("--seed", "S", "Of the sample.", options.not_negative)] = 0,
    workers: options.WorkersOption = None,
    overwrite: options.OverwriteFlag = False,
    json: options.JsonFlag = False,
) -> None:
    """Sort the hands of each street into equal buckets."""
    with targets.solving_into(path, workers) as context:
        from runout.abstraction import card_abstraction as abstractions

        given: dict[str, Any] = {"samples_per_street": samples, "feature": feature}
        try:
            config = abstractions.AbstractionConfig(
                flop_buckets, turn_buckets, river_buckets, **given
            )
        except AbstractionError as error:
            name = error.where.removesuffix("_per_street").replace("_", "-")
            raise OptionError(f"--{name}", error.problem) from None
        targets.require_free(path, abstractions.KIND, True)
        find = partial(_find_finished, path, config, seed)
        work = LongWork(path, find, None, False, overwrite)
        with work.going_on() as abstraction:
            if abstraction is None:
                cost = estimate_build(config, context.num_threads)
                targets.announce(f"{path}:", cost, path, "the build")
                abstraction = abstractions.build_card_abstraction(config, seed, context)
                work.save(abstraction, context)
    size_bytes, summaries = read_manifest(path).size_bytes, abstraction.summaries()
    document: Json = {"path": str(path), "size_bytes": size_bytes, "seconds": work.end.seconds}
    done = work.end.describe(f"{path}, {format_bytes(size_bytes)}")
    show(json, {**document, **summaries}, summary_sheet(summaries), done)


#: Core seconds for a board of flop, turn and river, on a desktop of 2024.
_SECONDS_PER_BOARD = (0.01, 0.001, 0.00003)


def estimate_build(config: "AbstractionConfig", num_workers: int) -> "Cost":
    """Returns the cost of `build_card_abstraction`; its time tells a minute from an hour."""
    from runout.abstraction.survey import deal_indexer
    from runout.cards.hand_indexer import HandIndexer
    from runout.flops.backend import Cost

    num_boards = [HandIndexer((street.num_board_cards,)).size for street in Street]
    buckets = config.flop_buckets + config.turn_buckets + min(config.river_buckets, 2_000)
    disk_bytes = 5 * 8 * buckets  # boundary, population, lowest, mean and highest
    if (samples := config.samples_per_street) is not None:
        num_boards = [*(min(number, samples) for number in num_boards[:2]), samples]
        seconds, memory_bytes = 1.0, 450_000_000 + 1_000 * samples
    else:  # with tables of buckets in 16 bits
        disk_bytes += 2 * (deal_indexer(Street.FLOP).size + deal_indexer(Street.TURN).size)
        seconds, memory_bytes = 10.0, 900_000_000
    seconds += sum(map(mul, _SECONDS_PER_BOARD, num_boards)) / num_workers
    return Cost(seconds, memory_bytes, disk_bytes)


def _find_finished(path: Path, config: "AbstractionConfig", seed: int) -> "CardAbstraction | None":
    """Returns the abstraction at a path, None if there is none; an error names what differs."""
    from runout.abstraction.card_abstraction import CardAbstraction
    from runout.runs.plan import require_equal

    if not has_bundle(path):
        return None
    found = CardAbstraction.load(path)
    wanted = config.facts | {"seed": seed}
    if config.samples_per_street is None:  # draws nothing
        del wanted["seed"], wanted["samples_per_street"]
    there = {key: found.origin.get(key) for key in wanted}
    problem = "is another abstraction, give --overwrite to replace it"
    require_equal(path, there, wanted, problem)
    return found


DirectoryArgument = Annotated[Path, argument("DIR", "What `runout abstraction build` wrote.")]


def show_bucket(
    path: DirectoryArgument,
    board: options.RequiredBoardOption,
    hand: Annotated[str, option("--hand", "CARDS", "Two cards, such as JcTc.")],
    json: options.JsonFlag = False,
) -> None:
    """Show the bucket of a hand on a board."""
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
    above, up_to = ([None, *inner][bucket], [*inner, 1.0][bucket])
    facts: dict[str, Any] = {
        "board": deck.format_cards(known_cards),
        "hand": deck.format_combo(deck.combo_index(*holding)),
        "street": street.label,
        "bucket": bucket,
        "num_buckets": abstraction.num_buckets(street),
        "feature": abstraction.feature.value,
        "strength": getattr(strength, abstraction.feature.value),
        "strength_above": above,
        "strength_up_to": up_to,
        "num_deals": None if statistics is None else int(statistics.population[bucket]),
    }
    # Thousands of buckets lie hundredths of a percent apart.
    percent = partial(format_percent, decimals=4)
    lowest = "0%" if above is None else f"above {percent(above)}"
    rows = {
        "bucket": f"{bucket:,} of 0 (weakest) to {facts['num_buckets'] - 1:,}",
        "strength": f"{percent(facts['strength'])} ({facts['feature']})",
        "in the bucket": f"{lowest}, up to {percent(up_to)}",
        "deals in it": "unknown" if statistics is None else format_count(facts["num_deals"]),
    }
    title = f"{facts['hand']} on the {street.label} {facts['board']}"
    show(json, facts, title, Sheet(columns("", ""), list(rows.items())))


def describe_abstraction(path: Path) -> Answer:
    """Returns how many buckets there are, how large and how mixed."""
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction

        abstraction, manifest = CardAbstraction.load(path), read_manifest(path)
        summaries = abstraction.summaries()
    document: dict[str, Any] = {
        "path": str(path),
        "size_bytes": manifest.size_bytes,
        "created_at": manifest.created_at.isoformat(),
        "package_version": manifest.package_version,
        "feature": abstraction.feature.value,
        "origin": dict(abstraction.origin),
    }
    for street in Street:
        boundaries = abstraction.boundaries.by_street[street].tolist()
        document[street.label] = {**summaries[street.label], "boundaries": boundaries}
    size, when = format_bytes(manifest.size_bytes), f"{manifest.created_at:%Y-%m-%d %H:%M}"
    written = f"{size}, written {when} UTC by runout {manifest.package_version}\n"
    title = f"{path}: {abstraction.describe_origin()}"
    return document, [title, written, summary_sheet(summaries)]


_CLEAR = "Remove all of them."


def show_cache(
    clear: Annotated[bool, flag("--clear", _CLEAR)] = False, json: options.JsonFlag = False
) -> None:
    """Show or clear cached buckets and equity tables."""
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
