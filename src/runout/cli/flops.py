"""`runout flops`: flops up to suits, with what each stands for."""

import csv
import sys
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.table import Table

from runout.cards.card import RANKS, format_cards
from runout.cards.flops import (
    FlopList,
    all_flops,
    explicit_flops,
    flop_multiplicity,
    random_flops,
    subset_flops,
)
from runout.cards.textures import describe_texture
from runout.cli.console import output, print_json
from runout.cli.formatting import format_count_of, format_percent
from runout.cli.options import JsonFlag, OptionError, require_at_most_one, require_positive

DEFAULT_SEED = 0

Row = dict[str, Any]


class Layout(StrEnum):
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
        int | None,
        typer.Option("--seed", metavar="S", help=f"Seed of --random (default {DEFAULT_SEED})."),
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option("--flops", metavar="LIST", help="Flops of your own, such as AhKsQd,7h7s2c."),
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option("--format", help="How to print (default table).")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """List flops up to suits with texture and weight: all 1,755, or a chosen few."""
    is_clashing = json and layout not in (None, Layout.JSON)
    require_at_most_one({"--json": is_clashing, f"--format {layout}": is_clashing})
    rows = _describe(_choose_flops(subset, random, seed, flops))
    if json or layout is Layout.JSON:
        print_json({"num_flops": len(rows), "flops": rows})
    elif layout is Layout.CSV:
        _print_csv(rows)
    else:
        _print_table(rows)


def _choose_flops(
    subset: int | None, random: int | None, seed: int | None, flops: str | None
) -> FlopList:
    choices = {"--subset": subset, "--random": random, "--flops": flops}
    require_at_most_one({option: value is not None for option, value in choices.items()})
    require_positive("--random", random)
    if seed is not None and random is None:
        raise OptionError("--seed", "goes with --random only")
    if seed is not None and seed < 0:
        raise OptionError("--seed", f"{seed} is negative, seeds start at 0")
    if subset is not None:
        return subset_flops(subset)
    if random is not None:
        return random_flops(random, DEFAULT_SEED if seed is None else seed)
    if flops is not None:
        return explicit_flops(flops.split(","))
    return all_flops()


def _describe(flop_list: FlopList) -> list[Row]:
    """Returns what is known of every flop, by column name."""
    rows = []
    for flop, weight in zip(flop_list.flops, flop_list.weights.tolist(), strict=True):
        texture = describe_texture(flop)
        rows.append(
            {
                "flop": format_cards(flop),
                "suits": texture.suits.value,
                "ranks": texture.ranks.value,
                "is_connected": texture.is_connected,
                "high_rank": RANKS[texture.high_rank],
                "multiplicity": flop_multiplicity(flop),
                "weight_fraction": weight,
            }
        )
    return rows


def _print_csv(rows: list[Row]) -> None:
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "is_connected": int(row["is_connected"])} for row in rows)


def _print_table(rows: list[Row]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for heading in ("flop", "suits", "ranks", "straight"):
        table.add_column(heading)
    for heading in ("multiplicity", "weight"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row["flop"],
            row["suits"],
            row["ranks"],
            "possible" if row["is_connected"] else "",
            str(row["multiplicity"]),
            format_percent(row["weight_fraction"], 3),
        )
    console = output()
    console.print(table)
    console.print(format_count_of(len(rows), "flop"), style="bold")
