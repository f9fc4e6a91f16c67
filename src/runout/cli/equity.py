"""`runout equity`, `flop-equity`, `eval`, `strength`, `range` and `flops`: poker facts."""

import sys
from contextlib import nullcontext
from functools import partial
from typing import Annotated, Literal

import numpy as np
from rich.text import Text

from runout.arrays import FloatArray, divide
from runout.cards.deck import (
    HAND_BY_COMBO,
    HAND_NAMES,
    NUM_COMBOS,
    NUM_HANDS,
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
    TextureKind,
    all_flops,
    describe_texture,
    explicit_flops,
    flop_multiplicity,
    random_flops,
    subset_flops,
)
from runout.cards.hand_ranking import NUM_STRENGTHS, category, describe_strength
from runout.cli import options
from runout.cli.console import Shown, show, using_kernels
from runout.cli.formatting import (
    Json,
    bold,
    format_count,
    format_count_of,
    format_percent,
    json_number,
    json_numbers,
)
from runout.cli.options import argument, flag, option
from runout.errors import CardError, OptionError
from runout.solutions.sheet import Column, Sheet, columns

MAX_RANGE_LENGTH = 30
NUM_EXTREMES = 6

#: What one player can expect: fractions of the pot, and of all runouts.
_SIDE_COLUMNS = (
    Column(),
    Column("range"),
    Column(None, "range"),
    Column("equity", "equity_fraction", format_percent),
    Column("win", "win_fraction", format_percent),
    Column("tie", "tie_fraction", format_percent),
    Column("lose", "lose_fraction", format_percent),
    Column("combos", "num_combos", format_count),
)

#: Measures of `runout strength`, each with its name and what it says.
MEANINGS = {
    "ehs": ("EHS", "ahead now, ties half"),
    "ppot": ("PPot", "won back when behind or tied"),
    "npot": ("NPot", "lost again when ahead or tied"),
    "ehs2": ("EHS2", "all-in equity, E[HS]"),
    "ehs_squared": ("E[HS^2]", "mean of the squared river strength"),
}


def show_equity(
    hero: Annotated[str, argument("HERO", "Hand, class or range: AhKh, AKs, 22+,AK:0.5, random.")],
    villain: Annotated[str, argument("VILLAIN", "The same for the opponent.")],
    board: options.BoardOption = None,
    grid: Annotated[
        bool, flag("--grid", "Also show hero's equity with each hand of the range.")
    ] = False,
    json: options.JsonFlag = False,
) -> None:
    """Show the exact all-in equity of two hands or ranges, before the flop or on a board."""
    known_cards = options.parse_optional_board(board)
    weights = [options.parse_live_range(text, known_cards).weights for text in (hero, villain)]
    # Before the flop a shipped table answers, and no kernel has to be loaded.
    with using_kernels() if known_cards else nullcontext():
        from runout.equity.versus import compare_ranges

        result = compare_ranges(weights[0], weights[1], known_cards)
    sheet = Sheet(_SIDE_COLUMNS, to_plain=json_number, gap=2)
    equity, win, tie, lose = result.equity, result.win, result.tie, result.lose
    for name, text, held, side, fractions in (
        ("hero", hero, weights[0], result.hero, (equity, win, tie, lose)),
        ("villain", villain, weights[1], result.villain, (1.0 - equity, lose, tie, win)),
    ):
        live = float(held[side.matchups > 0.0].sum())  # combos that can meet one of the other side
        short = text if len(text) <= MAX_RANGE_LENGTH else text[: MAX_RANGE_LENGTH - 3] + "..."
        sheet.add(name, Text(short), text, *fractions, live)
    by_hand = result.hero.equity_by_hand()
    document: Json = {
        "board": format_cards(known_cards) or None,
        **dict(zip(("hero", "villain"), sheet.records(), strict=True)),
        "num_matchups": result.matchups,
        "hero_equity_fraction_by_hand": _by_hand(by_hand),
    }
    place = f"on {format_cards(known_cards)}" if known_cards else "before the flop"
    of_each: list[Shown] = []
    if grid and np.count_nonzero(~np.isnan(by_hand)) > 1:
        of_each = ["\nHero's equity in % with each hand\n", _value_grid(by_hand)]
    matchups = f"{format_count_of(result.matchups, 'matchup')} {place}"
    show(json, document, sheet, matchups, *of_each)


def _by_hand(values: FloatArray) -> dict[str, float | None]:
    """Returns ``[169]`` values by the names of their hands, for JSON."""
    return dict(zip(HAND_NAMES, json_numbers(values), strict=True))


def show_flop_equity(
    board: options.BoardArgument,
    versus: Annotated[
        str | None, option("--versus -v", "HAND", "Opponent's hand, such as QQ or AKs.")
    ] = None,
    json: options.JsonFlag = False,
) -> None:
    """Show each hand's exact all-in equity on a board, against a random hand or one hand.

    With --json the document holds the whole 169 x 169 table as well.
    """
    known_cards = parse_board(board)
    opponent = None if versus is None else parse_canonical_hand(versus)
    name = None if opponent is None else HAND_NAMES[opponent]
    weights = matchup_weights(known_cards)
    if opponent is not None and not weights[:, opponent].any():
        raise CardError(HAND_NAMES[opponent], f"cannot be dealt on {format_cards(known_cards)}")
    with using_kernels():
        from runout.equity.board import compute_board_equity

        table = compute_board_equity(known_cards).hand_table()
    equities = table.equities()
    shown = table.equity_vs_random() if opponent is None else equities[:, opponent]
    document: Json = {
        "board": format_cards(known_cards),
        "versus": name,
        "hands": HAND_NAMES,
        "equity_fraction": json_numbers(shown),
        "equity_fraction_by_matchup": json_numbers(equities),
        "num_combo_pairs_by_matchup": weights.tolist(),
    }
    title = f"Equity in % against {name or 'a random hand'} on {format_cards(known_cards)}\n"
    show(json, document, title, _value_grid(shown), "", _extremes(shown))


def _extremes(equity: FloatArray) -> Sheet:
    """Returns the best and the worst hands as two lines."""
    possible = np.flatnonzero(~np.isnan(equity))
    best_first = possible[np.argsort(-equity[possible], kind="stable")]
    ends = {"best": best_first[:NUM_EXTREMES], "worst": best_first[::-1][:NUM_EXTREMES]}
    rows = [
        (end, "  ".join(f"{HAND_NAMES[hand]} {format_percent(equity[hand], 1)}" for hand in hands))
        for end, hands in ends.items()
    ]
    return Sheet(columns("", ""), list(rows), gap=2)


def show_strength(
    cards: Annotated[str, argument("CARDS", "5, 6 or 7 cards; the best five of them count.")],
    json: options.JsonFlag = False,
) -> None:
    """Show the strength of 5, 6 or 7 cards: 1 is seven-high, 7,462 a royal flush."""
    hand = parse_cards(cards)
    with using_kernels():
        from runout.cards.evaluator import evaluate

        strength = evaluate(hand)
    rank = NUM_STRENGTHS + 1 - strength
    beaten_fraction = (strength - 1) / (NUM_STRENGTHS - 1)
    document: Json = {
        "cards": format_cards(hand),
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
    hand: Annotated[
        str | None, option("--hand", "CARDS", "Two cards (default a grid of all hands).")
    ] = None,
    json: options.JsonFlag = False,
) -> None:
    """Show a hand's strength and potential against a random hand, or EHS2 of all hands."""
    known_cards = parse_board(board)
    holding = None if hand is None else options.parse_hand(hand, known_cards)
    name = format_cards(known_cards)
    with using_kernels():
        from runout.equity.hand_strength import HandStrengthCalculator

        calculator = HandStrengthCalculator()
        if holding is not None:
            strength = calculator.calculate(known_cards, holding)
            combo = format_combo(combo_index(*holding))
            sheet = Sheet((Column(), Column("", form=format_percent), Column()))
            for key, (title, meaning) in MEANINGS.items():
                sheet.add(title, getattr(strength, key), meaning)
            values = {key: getattr(strength, key) for key in MEANINGS}
            head = f"{combo} on {name} against a random hand"
            show(json, {"board": name, "hand": combo, **values}, head, sheet)
            return
        strengths = calculator.calculate_board(known_cards)
    hands = HAND_BY_COMBO[strengths.combos]
    num_combos = np.bincount(hands, minlength=NUM_HANDS)
    by_hand = divide(np.bincount(hands, strengths.ehs2, NUM_HANDS), num_combos)
    document: Json = {
        "board": name,
        "ehs2_by_hand": _by_hand(by_hand),
        "combos": [format_combo(combo) for combo in strengths.combos.tolist()],
        **{key: getattr(strengths, key).tolist() for key in MEANINGS},
    }
    head = f"EHS2 in % on {name}, mean over each hand's combos\n"
    show(json, document, head, _value_grid(by_hand))


def show_range(
    text: Annotated[str, argument("RANGE", "Groups such as AhKh,AKs:0.5,A2s+,22+,KTo-K8o.")],
    board: options.BoardOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Show how many combos a range holds, its shortest text and its grid of weights."""
    known_cards = options.parse_optional_board(board)
    hand_range = options.parse_live_range(text, known_cards)
    num_combos, weights = hand_range.num_combos, hand_range.hand_weights()
    document: Json = {
        "range": str(hand_range),
        "board": format_cards(known_cards) or None,
        "num_combos": num_combos,
        "combos_fraction": num_combos / NUM_COMBOS,
        "weight_by_hand": _by_hand(weights),
        "weight_by_combo": {
            format_combo(combo): weight for combo, weight in enumerate(hand_range.weights.tolist())
        },
    }
    share = format_percent(num_combos / NUM_COMBOS)
    size = f"{format_count_of(num_combos, 'combo')}, {share} of {NUM_COMBOS:,}"
    grid = _value_grid(np.where(weights > 0.0, weights, np.nan))
    show(json, document, size, str(hand_range), "", grid)


def list_flops(
    subset: Annotated[int | None, option("--subset", "N", "The shipped subset of N flops.")] = None,
    random: Annotated[
        int | None, option("--random", "N", "N flops drawn at random.", options.positive)
    ] = None,
    seed: Annotated[
        int | None,
        option("--seed", "S", "Seed of --random (default 0).", options.not_negative),
    ] = None,
    flops: Annotated[
        str | None, option("--flops", "LIST", "Flops of your own, such as AhKsQd,7h7s2c.")
    ] = None,
    layout: Annotated[
        Literal["table", "json", "csv"] | None, flag("--format", "How to print (default table).")
    ] = None,
    json: options.JsonFlag = False,
) -> None:
    """List flops up to suits with texture and weight: all 1,755, or a chosen few."""
    is_clashing = json and layout not in (None, "json")
    options.require_at_most_one({"--json": is_clashing, f"--format {layout}": is_clashing})
    sheet = _flops_sheet(_choose_flops(subset, random, seed, flops))
    if layout == "csv":
        sheet.write_csv(sys.stdout)
        return
    records = [{**row, "is_connected": bool(row["is_connected"])} for row in sheet.records()]
    document: Json = {"num_flops": len(records), "flops": records}
    number = bold(format_count_of(len(records), "flop"))
    show(json or layout == "json", document, sheet, number)


def _choose_flops(
    subset: int | None, random: int | None, seed: int | None, flops: str | None
) -> FlopList:
    choices = {"--subset": subset, "--random": random, "--flops": flops}
    options.require_at_most_one({option: value is not None for option, value in choices.items()})
    if seed is not None and random is None:
        raise OptionError("--seed", "goes with --random only")
    if subset is not None:
        return subset_flops(subset)
    if random is not None:
        return random_flops(random, seed or 0)
    return all_flops() if flops is None else explicit_flops(flops.split(","))


def _value_grid(values: FloatArray) -> Shown:
    """Returns the 13x13 grid of values by hand, importing grids only for an answer with one."""
    from runout.cli.grids import value_grid

    return value_grid(values)


def _flops_sheet(flop_list: FlopList) -> Sheet:
    """Returns what is known of every flop."""
    sheet = Sheet(
        (
            Column("flop", "flop"),
            Column("suits", "suits"),
            Column("ranks", "ranks"),
            Column("straight", "is_connected", ("", "possible").__getitem__),
            Column(None, "high_rank"),
            Column("multiplicity", "multiplicity", str),
            Column("weight", "weight_fraction", partial(format_percent, decimals=3)),
        ),
        to_plain=json_number,
    )
    for flop, weight in zip(flop_list.flops, flop_list.weights.tolist(), strict=True):
        texture = describe_texture(flop)
        is_connected = int(texture[TextureKind.CONNECTED] == "connected")
        kinds = texture[TextureKind.SUITS], texture[TextureKind.PAIRING], is_connected
        high_rank = texture[TextureKind.HIGH][0]
        sheet.add(format_cards(flop), *kinds, high_rank, flop_multiplicity(flop), weight)
    return sheet
