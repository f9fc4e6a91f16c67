"""`runout abstraction`: buckets of hands that play alike, built, looked up and inspected."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from runout.cards.card import format_cards, parse_board
from runout.cards.combos import combo_index, format_combo
from runout.cli.abstraction_build import build_abstraction
from runout.cli.bucket_summary import summarize, summary_table
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_bytes, format_count, format_percent
from runout.cli.options import JsonFlag, RequiredBoardOption, parse_hand, read_path
from runout.cli.plots import BoundaryPlot, write_png
from runout.storage.bundle import read_manifest
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import CardAbstraction

STRENGTH_DECIMALS = 4  # thousands of buckets lie hundredths of a percent apart

DirectoryArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", parser=read_path, help="What `runout abstraction build` wrote."),
]

app = typer.Typer(no_args_is_help=True, help="Build, look up and inspect buckets of hands.")
app.command("build", epilog="Example: runout abstraction build -o buckets --flop-buckets 1000")(
    build_abstraction
)


@app.command(
    "bucket", epilog="Example: runout abstraction bucket buckets --board AhKsQd --hand JcTc"
)
def show_bucket(
    path: DirectoryArgument,
    board: RequiredBoardOption,
    hand: Annotated[str, typer.Option("--hand", metavar="CARDS", help="Two cards, such as JcTc.")],
    json: JsonFlag = False,
) -> None:
    """Show the bucket of a hand on a board, and which strengths are in it."""
    known_cards = parse_board(board)
    holding = parse_hand(hand, known_cards)
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction
        from runout.abstraction.hand_strength import HandStrengthCalculator
        from runout.abstraction.street import street_of_board

        abstraction = CardAbstraction.load(path)
        street = street_of_board(len(known_cards))
        bucket = abstraction.get_bucket(known_cards, holding)
        strength = HandStrengthCalculator().calculate(known_cards, holding)
    value = getattr(strength, abstraction.feature.value)
    num_buckets = abstraction.num_buckets(street)
    inner = abstraction.boundaries.of_street(street)
    above = float(inner[bucket - 1]) if bucket > 0 else None
    up_to = float(inner[bucket]) if bucket < num_buckets - 1 else 1.0
    statistics = abstraction.statistics.get(street)
    num_deals = None if statistics is None else int(statistics.population[bucket])
    hand_text = format_combo(combo_index(*holding))
    if json:
        print_json(
            {
                "board": format_cards(known_cards),
                "hand": hand_text,
                "street": street.label,
                "bucket": bucket,
                "num_buckets": num_buckets,
                "feature": abstraction.feature.value,
                "strength": value,
                "strength_above": above,
                "strength_up_to": up_to,
                "num_deals": num_deals,
            }
        )
        return
    lowest = "0%, up to" if above is None else f"above {_exact_percent(above)}, up to"
    rows = {
        "bucket": f"{bucket:,} of 0 (weakest) to {num_buckets - 1:,}",
        "strength": f"{_exact_percent(value)} ({abstraction.feature.value})",
        "in the bucket": f"{lowest} {_exact_percent(up_to)}",
        "deals in it": "unknown" if num_deals is None else format_count(num_deals),
    }
    console = output()
    console.print(f"{hand_text} on the {street.label} {format_cards(known_cards)}")
    console.print(_two_columns(rows))


@app.command("inspect", epilog="Example: runout abstraction inspect buckets --png buckets.png")
def inspect_abstraction(
    path: DirectoryArgument,
    png: Annotated[
        Path | None,
        typer.Option("--png", metavar="FILE", parser=read_path, help="Also write a picture."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show how many buckets there are, how large and how mixed, and where they part."""
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction

        abstraction = CardAbstraction.load(path)
        manifest = read_manifest(path)
        summaries = summarize(abstraction)
        origin = describe_origin(abstraction)
        boundaries = {street.label: abstraction.boundaries.of_street(street) for street in Street}
        if png is not None:
            write_png(png, abstraction, f"{path.resolve().name}: {origin}")
    if json:
        by_street = {
            summary.street: {
                **summary.to_json(),
                "boundaries": boundaries[summary.street].tolist(),
            }
            for summary in summaries
        }
        print_json(
            {
                "path": str(path),
                "size_bytes": manifest.size_bytes,
                "created_at": manifest.created_at.isoformat(),
                "package_version": manifest.package_version,
                "feature": abstraction.feature.value,
                "origin": dict(abstraction.origin),
                **by_street,
            }
        )
        return
    console = output()
    console.print(f"{path}: {origin}", soft_wrap=True, markup=False)
    console.print(
        f"{format_bytes(manifest.size_bytes)}, written {manifest.created_at:%Y-%m-%d %H:%M} UTC "
        f"by runout {manifest.package_version}\n"
    )
    console.print(summary_table(summaries))
    for label, inner in boundaries.items():
        console.print(f"\n{label} boundaries, {len(inner):,} in all")
        console.print(BoundaryPlot(inner))


def describe_origin(abstraction: "CardAbstraction") -> str:
    """Returns in words what the boundaries were cut from."""
    origin, feature = abstraction.origin, abstraction.feature.value
    mode = origin.get("mode")
    if mode == "exhaustive":
        return f"{feature} of every deal"
    if mode == "sampled":
        num_samples = format_count(origin["samples_per_street"])
        return f"{feature} of {num_samples} sampled deals per street, seed {origin['seed']}"
    return f"{feature}, of unknown origin"


def _exact_percent(strength: float) -> str:
    return format_percent(strength, STRENGTH_DECIMALS)


def _two_columns(rows: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    for name, text in rows.items():
        table.add_row(name, text)
    return table
