"""`runout flops`: flops up to suits, with what each stands for."""

import csv
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from runout.cards.card import format_cards, parse_cards
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_count, format_percent
from runout.cli.options import JsonFlag, OptionError, require_at_most_one, require_positive

if TYPE_CHECKING:
    from runout.cards.flops import FlopList

DEFAULT_SEED = 0
COLUMNS = ("flop", "texture", "multiplicity", "weight_fraction")

Row = dict[str, Any]


class FlopFormat(StrEnum):
    """How a list of flops is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def list_flops(
    subset: Annotated[
        int | None, typer.Option("--subset", metavar="N", help="The shipped subset of N flops.")
    ] = None,
    random: Annotated[
        int | None, typer.Option("--random", metavar="N", help="N flops drawn at random.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="Seed of --random (default 0).")
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option("--flops", metavar="LIST", help="Flops of your own, such as AhKsQd,7h7s2c."),
    ] = None,
    layout: Annotated[
        FlopFormat | None, typer.Option("--format", help="How to print (default table).")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List flops up to suits, all 1,755 unless a choice is given, with their weights."""
    require_at_most_one(
        {
            "--subset": subset is not None,
            "--random": random is not None,
            "--flops": flops is not None,
        }
    )
    require_at_most_one({"--json": json, f"--format {layout}": layout not in (None, "json")})
    require_positive("--random", random)
    if seed is not None and random is None:
        raise OptionError("--seed", "goes with --random only")
    with using_kernels():
        rows = _describe(_choose_flops(subset, random, seed, flops))
    if json or layout is FlopFormat.JSON:
        print_json({"num_flops": len(rows), "flops": rows})
    elif layout is FlopFormat.CSV:
        _print_csv(rows)
    else:
        _print_table(rows)


def _choose_flops(
    subset: int | None, random: int | None, seed: int | None, flops: str | None
) -> "FlopList":
    from runout.cards.flops import all_flops, explicit_flops, random_flops, subset_flops

    if subset is not None:
        return subset_flops(subset)
    if random is not None:
        return random_flops(random, DEFAULT_SEED if seed is None else seed)
    if flops is not None:
        return explicit_flops([parse_cards(text) for text in flops.split(",")])
    return all_flops()


def _describe(flop_list: "FlopList") -> list[Row]:
    """Returns name, texture, multiplicity and weight of every flop, keyed by their JSON names."""
    from runout.cards.flops import describe_texture, flop_multiplicity

    return [
        {
            "flop": format_cards(flop),
            "texture": str(describe_texture(flop)),
            "multiplicity": flop_multiplicity(flop),
            "weight_fraction": weight,
        }
        for flop, weight in zip(flop_list.flops, flop_list.weights.tolist(), strict=True)
    ]


def _print_csv(rows: list[Row]) -> None:
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _print_table(rows: list[Row]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("flop")
    table.add_column("texture")
    table.add_column("multiplicity", justify="right")
    table.add_column("weight", justify="right")
    for row in rows:
        weight = format_percent(row["weight_fraction"], 3)
        table.add_row(row["flop"], row["texture"], str(row["multiplicity"]), weight)
    console = output()
    console.print(table)
    console.print(f"{format_count(len(rows))} flops")
