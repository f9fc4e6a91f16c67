"""`runout equity`, `flop-equity`, `eval`, `strength`, `range` and `flops`: poker facts."""

import csv
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray, IntArray
from runout.cards.deck import (
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
    RANKS,
    combo_index,
    format_cards,
    format_combo,
    matchup_weights,
    parse_board,
    parse_canonical_hand,
    parse_cards,
)
from runout.cards.flops import (
    FlopList,
    all_flops,
    describe_texture,
    explicit_flops,
    flop_multiplicity,
    random_flops,
    subset_flops,
)
from runout.cards.hand_ranking import NUM_STRENGTHS, category, describe_strength
from runout.cards.ranges import HandRange, format_range
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import (
    Json,
    format_count,
    format_count_of,
    format_percent,
    json_number,
    json_numbers,
    shorten_text,
)
from runout.cli.grids import HandGrid
from runout.cli.options import (
    BoardArgument,
    BoardOption,
    JsonFlag,
    OptionError,
    RequiredBoardOption,
    parse_hand,
    parse_live_range,
    parse_optional_board,
    require_at_most_one,
    require_positive,
)
from runout.errors import CardError

if TYPE_CHECKING:
    from runout.equity.hand_strength import BoardHandStrengths, HandStrength


# --------------------------------------------------------------------------------------------------
# `runout equity`: hand, class or range against another.


MAX_RANGE_LENGTH = 30


def show_equity(
    hero: Annotated[
        str,
        typer.Argument(metavar="HERO", help="Hand, class or range: AhKh, AKs, 22+,AK:0.5, random."),
    ],
    villain: Annotated[str, typer.Argument(metavar="VILLAIN", help="The same for the opponent.")],
    board: BoardOption = None,
    grid: Annotated[
        bool, typer.Option("--grid", help="Also show hero's equity with each hand of the range.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show the exact all-in equity of two hands or ranges, before the flop or on a board."""
    known_cards = parse_optional_board(board)
    hero_weights = parse_live_range(hero, known_cards).weights
    villain_weights = parse_live_range(villain, known_cards).weights
    # Before the flop a shipped table answers, and no kernel has to be loaded.
    with using_kernels() if known_cards else nullcontext():
        from runout.equity.versus import compare_ranges

        result = compare_ranges(hero_weights, villain_weights, known_cards)
    win, tie, lose = result.win, result.tie, result.lose
    hero_combos = _num_live_combos(hero_weights, result.hero.matchups)
    villain_combos = _num_live_combos(villain_weights, result.villain.matchups)
    sides = (
        Side(hero, hero_combos, result.equity, win, tie, lose),
        Side(villain, villain_combos, 1.0 - result.equity, lose, tie, win),
    )
    by_hand = result.hero.equity_by_hand()
    if json:
        print_json(
            {
                "board": format_cards(known_cards) or None,
                "hero": sides[0].to_json(),
                "villain": sides[1].to_json(),
                "num_matchups": result.matchups,
                "hero_equity_fraction_by_hand": {
                    name: json_number(equity)
                    for name, equity in zip(HAND_NAMES, by_hand.tolist(), strict=True)
                },
            }
        )
        return
    console = output()
    console.print(_table_of_sides(*sides))
    place = f"on {format_cards(known_cards)}" if known_cards else "before the flop"
    console.print(f"{format_count_of(result.matchups, 'matchup')} {place}")
    if grid and np.count_nonzero(~np.isnan(by_hand)) > 1:
        console.print("\nHero's equity in % with each hand\n")
        console.print(HandGrid(by_hand))


@dataclass(frozen=True)
class Side:
    """What one player can expect; fractions of the pot and of all runouts.

    Attributes:
        text: the range as it was given.
        num_combos: weighted combos that are left after card removal.
    """

    text: str
    num_combos: float
    equity: float
    win: float
    tie: float
    lose: float

    def to_json(self) -> Json:
        """Returns the same facts under their JSON names."""
        return {
            "range": self.text,
            "num_combos": self.num_combos,
            "equity_fraction": self.equity,
            "win_fraction": self.win,
            "tie_fraction": self.tie,
            "lose_fraction": self.lose,
        }


def _table_of_sides(hero: Side, villain: Side) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("range", no_wrap=True)
    for heading in ("equity", "win", "tie", "lose", "combos"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, side in (("hero", hero), ("villain", villain)):
        fractions = (side.equity, side.win, side.tie, side.lose)
        table.add_row(
            name,
            Text(shorten_text(side.text, MAX_RANGE_LENGTH)),
            *(format_percent(fraction) for fraction in fractions),
            format_count(side.num_combos),
        )
    return table


def _num_live_combos(weights: FloatArray, matchups: FloatArray) -> float:
    """Returns the weighted combos that can meet at least one combo of the other side."""
    return float(weights[matchups > 0.0].sum())


# --------------------------------------------------------------------------------------------------
# `runout flop-equity`: what every hand wins on a board.


NUM_EXTREMES = 6


def show_flop_equity(
    board: BoardArgument,
    versus: Annotated[
        str | None,
        typer.Option("--versus", "-v", metavar="HAND", help="Opponent's hand, such as QQ or AKs."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show each hand's exact all-in equity on a board, against a random hand or one hand.

    With --json the document holds the whole 169 x 169 table as well.
    """
    known_cards = parse_board(board)
    opponent = None if versus is None else parse_canonical_hand(versus)
    weights = matchup_weights(known_cards)
    if opponent is not None and not weights[:, opponent].any():
        raise CardError(HAND_NAMES[opponent], f"cannot be dealt on {format_cards(known_cards)}")
    with using_kernels():
        from runout.equity.board import compute_board_equity

        table = compute_board_equity(known_cards).hand_table()
    equities = table.equities()
    shown = table.equity_vs_random() if opponent is None else equities[:, opponent]
    opponent_name = "a random hand" if opponent is None else HAND_NAMES[opponent]
    if json:
        print_json(
            {
                "board": format_cards(known_cards),
                "versus": None if opponent is None else HAND_NAMES[opponent],
                "hands": HAND_NAMES,
                "equity_fraction": json_numbers(shown),
                "equity_fraction_by_matchup": json_numbers(equities),
                "num_combo_pairs_by_matchup": weights.tolist(),
            }
        )
        return
    console = output()
    console.print(f"Equity in % against {opponent_name} on {format_cards(known_cards)}\n")
    console.print(HandGrid(shown))
    console.print()
    console.print(_extremes(shown))


def _extremes(equity: FloatArray) -> Table:
    """Returns the best and the worst hands as two lines."""
    possible = np.flatnonzero(~np.isnan(equity))
    best_first = possible[np.argsort(-equity[possible], kind="stable")]
    lines = Table.grid(padding=(0, 2))
    for label, hands in (
        ("best", best_first[:NUM_EXTREMES]),
        ("worst", best_first[::-1][:NUM_EXTREMES]),
    ):
        cells = [f"{HAND_NAMES[hand]} {format_percent(equity[hand], 1)}" for hand in hands]
        lines.add_row(label, "  ".join(cells))
    return lines


# --------------------------------------------------------------------------------------------------
# `runout eval`: how good five, six or seven cards are.


def show_strength(
    cards: Annotated[
        str, typer.Argument(metavar="CARDS", help="5, 6 or 7 cards; the best five of them count.")
    ],
    json: JsonFlag = False,
) -> None:
    """Show the strength of 5, 6 or 7 cards: 1 is seven-high, 7,462 a royal flush."""
    hand = parse_cards(cards)
    with using_kernels():
        from runout.cards.evaluator import evaluate

        strength = evaluate(hand)
    rank = NUM_STRENGTHS + 1 - strength
    beaten_fraction = (strength - 1) / (NUM_STRENGTHS - 1)
    if json:
        print_json(
            {
                "cards": format_cards(hand),
                "strength": strength,
                "category": category(strength).name.lower(),
                "description": describe_strength(strength),
                "rank": rank,
                "num_strengths": NUM_STRENGTHS,
                "beaten_strengths_fraction": beaten_fraction,
            }
        )
        return
    output().print(
        f"{describe_strength(strength)}\n"
        f"strength {strength:,}, number {rank:,} of {NUM_STRENGTHS:,}; "
        f"beats {format_percent(beaten_fraction)} of the others",
        soft_wrap=True,
    )


# --------------------------------------------------------------------------------------------------
# `runout strength`: how strong a hand is on a board, now and in the end.


MEANINGS = {
    "ehs": ("EHS", "ahead now, ties half"),
    "ppot": ("PPot", "won back when behind or tied"),
    "npot": ("NPot", "lost again when ahead or tied"),
    "ehs2": ("EHS2", "all-in equity, E[HS]"),
    "ehs_squared": ("E[HS^2]", "mean of the squared river strength"),
}


def show_hand_strength(
    board: RequiredBoardOption,
    hand: Annotated[
        str | None,
        typer.Option("--hand", metavar="CARDS", help="Two cards (default a grid of all hands)."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show a hand's strength and potential against a random hand, or EHS2 of all hands."""
    known_cards = parse_board(board)
    holding = None if hand is None else parse_hand(hand, known_cards)
    with using_kernels():
        from runout.equity.hand_strength import HandStrengthCalculator

        calculator = HandStrengthCalculator()
        if holding is not None:
            _show_one(known_cards, holding, calculator.calculate(known_cards, holding), json)
        else:
            _show_all(known_cards, calculator.calculate_board(known_cards), json)


def _show_one(
    board: tuple[int, ...], holding: tuple[int, int], strength: "HandStrength", json: bool
) -> None:
    hand = format_combo(combo_index(*holding))
    values = {name: getattr(strength, name) for name in MEANINGS}
    if json:
        print_json({"board": format_cards(board), "hand": hand, **values})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, (title, meaning) in MEANINGS.items():
        table.add_row(title, format_percent(values[name]), meaning)
    console = output()
    console.print(f"{hand} on {format_cards(board)} against a random hand")
    console.print(table)


def _show_all(board: tuple[int, ...], strengths: "BoardHandStrengths", json: bool) -> None:
    by_hand = mean_by_hand(strengths.combos, strengths.ehs2)
    if json:
        combos = [format_combo(combo) for combo in strengths.combos.tolist()]
        document = {
            "board": format_cards(board),
            "ehs2_by_hand": {
                name: json_number(mean)
                for name, mean in zip(HAND_NAMES, by_hand.tolist(), strict=True)
            },
            "combos": combos,
        }
        print_json(document | {name: getattr(strengths, name).tolist() for name in MEANINGS})
        return
    console = output()
    console.print(f"EHS2 in % on {format_cards(board)}, mean over each hand's combos\n")
    console.print(HandGrid(by_hand))


def mean_by_hand(combos: IntArray, values: FloatArray) -> FloatArray:
    """Returns ``[169]`` the mean of a hand's live combos, NaN where none is left.

    Args:
        combos: ``[C]`` the live combos.
        values: ``[C]`` a number for each.
    """
    hands = HAND_BY_COMBO[combos]
    num_combos = np.bincount(hands, minlength=NUM_HANDS)
    totals = np.bincount(hands, values, NUM_HANDS)
    means: FloatArray = np.where(num_combos > 0, totals / np.maximum(num_combos, 1), np.nan)
    return means


# --------------------------------------------------------------------------------------------------
# `runout range`: what a range string holds.


def show_range(
    text: Annotated[
        str, typer.Argument(metavar="RANGE", help="Groups such as AhKh,AKs:0.5,A2s+,22+,KTo-K8o.")
    ],
    board: BoardOption = None,
    json: JsonFlag = False,
) -> None:
    """Show how many combos a range holds, its shortest text and its grid of weights."""
    known_cards = parse_optional_board(board)
    hand_range = parse_live_range(text, known_cards)
    if json:
        _print_as_json(hand_range, known_cards)
        return
    console = output()
    share = format_percent(hand_range.num_combos / NUM_COMBOS)
    console.print(f"{format_count_of(hand_range.num_combos, 'combo')}, {share} of {NUM_COMBOS:,}")
    console.print(format_range(hand_range), soft_wrap=True, markup=False)
    console.print()
    weights = hand_range.hand_weights()
    console.print(HandGrid(np.where(weights > 0.0, weights, np.nan)))


def _print_as_json(hand_range: HandRange, known_cards: tuple[int, ...]) -> None:
    hand_weights = hand_range.hand_weights().tolist()
    combo_weights = hand_range.weights.tolist()
    print_json(
        {
            "range": format_range(hand_range),
            "board": format_cards(known_cards) or None,
            "num_combos": hand_range.num_combos,
            "combos_fraction": hand_range.num_combos / NUM_COMBOS,
            "weight_by_hand": dict(zip(HAND_NAMES, hand_weights, strict=True)),
            "weight_by_combo": {
                format_combo(combo): weight for combo, weight in enumerate(combo_weights)
            },
        }
    )


# --------------------------------------------------------------------------------------------------
# `runout flops`: flops up to suits, with what each stands for.


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
