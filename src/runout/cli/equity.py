"""`runout equity`, `eval`, `strength`, `range` and `flops`: poker facts."""

import sys
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from typing import Annotated, Literal

import numpy as np
from rich.text import Text

from runout.cards import deck
from runout.cards import flops as flop_lists
from runout.cards.deck import HAND_NAMES, format_cards, format_combo
from runout.cards.hand_ranking import NUM_STRENGTHS, category, describe_strength
from runout.cards.ranges import Notation
from runout.cli import formatting, options
from runout.cli.console import Shown, show, using_kernels
from runout.cli.formatting import Json, format_count_of, format_percent, json_number
from runout.cli.options import argument, flag, option
from runout.errors import OptionError
from runout.solutions.sheet import Column, Sheet

MAX_RANGE_LENGTH = 30

_GRID = "Also show hero's equity with each hand of the range."
_RANDOM = "N flops drawn at random."
_SEED = "Seed of --random (default 0)."
_FLOPS = "Flops of your own, such as AhKsQd,7h7s2c."
_LAYOUT = "How to print."
_NOTATION = "Print only the text, as another program reads it."

#: What one player can expect: fractions of the pot, and of all runouts.
_SIDE_COLUMNS = (
    Column(),
    Column("range"),
    Column(None, "range"),
    Column("equity", "equity_fraction", format_percent),
    Column("win", "win_fraction", format_percent),
    Column("tie", "tie_fraction", format_percent),
    Column("lose", "lose_fraction", format_percent),
    Column("combos", "num_combos", formatting.format_count),
)
_FLOP_COLUMNS = (
    Column("flop", "flop"),
    Column("suits", "suits"),
    Column("ranks", "ranks"),
    Column("straight", "is_connected", ("", "possible").__getitem__),
    Column(None, "high_rank"),
    Column("multiplicity", "multiplicity", str),
    Column("weight", "weight_fraction", partial(format_percent, decimals=3)),
)

#: Names and meanings of what `runout strength` measures.
MEANINGS = {
    "ehs": ("EHS", "ahead now, ties half"),
    "ppot": ("PPot", "won back when behind or tied"),
    "npot": ("NPot", "lost again when ahead or tied"),
    "ehs2": ("EHS2", "all-in equity, E[HS]"),
    "ehs_squared": ("E[HS^2]", "mean of the squared river strength"),
}


def show_equity(
    hero: Annotated[str, argument("HERO", "Hand, class or range: AhKh, AKs, 22+,AK:0.5, random.")],
    villain: Annotated[str, argument("[VILLAIN]", "The same for the opponent.")] = "random",
    board: options.BoardOption = None,
    grid: Annotated[bool, flag("--grid", _GRID)] = False,
    json: options.JsonFlag = False,
) -> None:
    """Compare two hands or ranges by exact all-in equity."""
    cards = () if board is None else deck.parse_board(board)
    ranges = [options.parse_live_range(text, cards) for text in (hero, villain)]
    # Before the flop a shipped table answers, and no kernel has to be loaded.
    with using_kernels() if cards else nullcontext():
        from runout.equity.matchups import equity

        result = equity(hero, villain, cards)
    sheet = Sheet(_SIDE_COLUMNS, to_plain=json_number, gap=2)
    won, win, tie, lose = result.equity, result.win, result.tie, result.lose
    for name, text, held, side, fractions in (
        ("hero", hero, ranges[0], result.hero, (won, win, tie, lose)),
        ("villain", villain, ranges[1], result.villain, (1.0 - won, lose, tie, win)),
    ):
        live = float(held.weights[side.matchups > 0.0].sum())  # combos that can meet the other side
        short = text if len(text) <= MAX_RANGE_LENGTH else text[: MAX_RANGE_LENGTH - 3] + "..."
        sheet.add(name, Text(short), text, *fractions, live)
    equity_by_hand = result.hero.equity_by_hand()
    by_hand = {name: equity_by_hand.get(name) for name in HAND_NAMES}
    document: Json = {
        "board": format_cards(cards) or None,
        **dict(zip(("hero", "villain"), sheet.records(), strict=True)),
        "num_matchups": result.matchups,
        "hero_equity_fraction_by_hand": by_hand,
    }
    place = f"on {format_cards(cards)}" if cards else "before the flop"
    parts: list[Shown] = [sheet, f"{format_count_of(result.matchups, 'matchup')} {place}"]
    if grid and len(equity_by_hand) > 1:
        from runout.cli.grids import value_grid  # not for answers without one

        values = np.array([*by_hand.values()], dtype=np.float64)
        parts += ["\nHero's equity in % with each hand\n", value_grid(values)]
    show(json, document, *parts)


def show_strength(
    cards: Annotated[str, argument("CARDS", "5, 6 or 7 cards; the best five count.")],
    json: options.JsonFlag = False,
) -> None:
    """Show the strength of 5, 6 or 7 cards.

    Strengths are from 1, seven-high, to 7,462, a royal flush.
    """
    with using_kernels():
        from runout.cards.evaluator import evaluate

        strength = evaluate(cards)
    rank = NUM_STRENGTHS + 1 - strength
    beaten_fraction = (strength - 1) / (NUM_STRENGTHS - 1)
    document: Json = {
        "cards": format_cards(deck.parse_cards(cards)),
        "strength": strength,
        "category": category(strength).name.lower(),
        "description": describe_strength(strength),
        "rank": rank,
        "num_strengths": NUM_STRENGTHS,
        "beaten_strengths_fraction": beaten_fraction,
    }
    beats = f"beats {format_percent(beaten_fraction)} of the others"
    number = f"strength {strength:,}, number {rank:,} of {NUM_STRENGTHS:,}; {beats}"
    show(json, document, describe_strength(strength), number)


def show_hand_strength(
    board: options.RequiredBoardOption,
    hand: Annotated[str, option("--hand", "CARDS", "Two cards, such as JcTc.")],
    json: options.JsonFlag = False,
) -> None:
    """Show a hand's strength and potential against a random hand."""
    cards = deck.parse_board(board)
    holding = options.parse_hand(hand, cards)
    with using_kernels():
        from runout.equity.board import hand_strength

        strength = asdict(hand_strength(cards, holding))
    combo, name = format_combo(deck.combo_index(*holding)), format_cards(cards)
    sheet = Sheet((Column(), Column("", form=format_percent), Column()))
    for key, (title, meaning) in MEANINGS.items():
        sheet.add(title, strength[key], meaning)
    document: Json = {"board": name, "hand": combo, **strength}
    show(json, document, f"{combo} on {name} against a random hand", sheet)


def show_range(
    text: Annotated[str, argument("RANGE", "Groups such as AhKh,AKs:0.5,A2s+,22+,KTo-K8o.")],
    board: options.BoardOption = None,
    notation: Annotated[Notation, flag("--notation", _NOTATION)] = "runout",
    json: options.JsonFlag = False,
) -> None:
    """Show the combos, text and grid of a range."""
    from runout.cli.grids import value_grid  # takes as long as other answers

    cards = () if board is None else deck.parse_board(board)
    held = options.parse_live_range(text, cards)
    if notation != "runout" and not json:
        show(json, {}, held.to_text(notation))
        return
    weights, share = held.hand_weights(), held.num_combos / deck.NUM_COMBOS
    by_hand = zip(HAND_NAMES, weights.tolist(), strict=True)
    document: Json = {
        "range": held.to_text(notation),
        "board": format_cards(cards) or None,
        "num_combos": held.num_combos,
        "combos_fraction": share,
        "weight_by_hand": {hand: weight for hand, weight in by_hand if weight == weight},
        "weight_by_combo": {format_combo(c): w for c, w in enumerate(held.weights.tolist())},
    }
    combos = format_count_of(held.num_combos, "combo")
    size = f"{combos}, {format_percent(share)} of {deck.NUM_COMBOS:,}"
    grid = value_grid(np.where(weights > 0.0, weights, np.nan))
    show(json, document, size, str(held), "", grid)


def list_flops(
    subset: Annotated[int | None, option("--subset", "N", "The shipped subset of N flops.")] = None,
    random: Annotated[int | None, option("--random", "N", _RANDOM, options.positive)] = None,
    seed: Annotated[int | None, option("--seed", "S", _SEED, options.not_negative)] = None,
    flops: Annotated[str | None, option("--flops", "LIST", _FLOPS)] = None,
    layout: Annotated[Literal["table", "csv"], flag("--format", _LAYOUT)] = "table",
    json: options.JsonFlag = False,
) -> None:
    """List all 1,755 flops, or some, with texture and weight."""
    options.require_at_most_one({"--json": json, "--format csv": layout == "csv"})
    choices = {"--subset": subset, "--random": random, "--flops": flops}
    options.require_at_most_one({name: value is not None for name, value in choices.items()})
    if seed is not None and random is None:
        raise OptionError("--seed", "goes with --random only")
    if flops is not None:
        rows = flop_lists.explicit_flops(flops.split(",")).rows()
    else:
        rows = flop_lists.flops(random or subset, seed=random and (seed or 0))
    sheet = Sheet(_FLOP_COLUMNS, to_plain=json_number)
    for row in rows:
        texture = row.suits, row.pairing, int(row.is_connected), row.high
        sheet.add(row.name, *texture, row.multiplicity, row.weight)
    if layout == "csv":
        sheet.write_csv(sys.stdout)
        return
    number = formatting.bold(format_count_of(len(rows), "flop"))
    records = [{**row, "is_connected": bool(row["is_connected"])} for row in sheet.records()]
    document: Json = {"num_flops": len(rows), "flops": records}
    show(json, document, sheet, number)
