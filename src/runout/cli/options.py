"""Options and arguments that several commands share, and how their text is read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from runout.cards.card import format_card, format_cards, parse_board
from runout.cards.combos import combo_cards, parse_combo
from runout.errors import CardError, RangeError, RunoutError, quote
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import parse_range

JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON document; progress stays on stderr.")
]
BoardOption = Annotated[
    str | None,
    typer.Option("--board", "-b", metavar="CARDS", help="Flop, turn or river, such as AhKsQd."),
]
RequiredBoardOption = Annotated[
    str,
    typer.Option("--board", "-b", metavar="CARDS", help="Flop, turn or river, such as AhKsQd."),
]
BoardArgument = Annotated[
    str, typer.Argument(metavar="BOARD", help="Flop, turn or river, such as AhKsQd.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", "-w", metavar="N", help="Threads to use (default all cores)."),
]
ExecutorOption = Annotated[
    str,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="threads, processes, ray or ray://ADDRESS; --workers says how many.",
    ),
]


class OptionError(RunoutError):
    """An option whose value is out of range, or that cannot go with another one."""


def read_path(text: str) -> Path:
    """Reads a path, where an empty text is a mistake and not the current directory.

    Raises:
        BadParameter: if it is empty, or no system knows such a path.
    """
    if not text.strip() or "\0" in text:
        raise typer.BadParameter(f"{text!r} is not a path")
    return Path(text)


def parse_optional_board(text: str | None) -> tuple[int, ...]:
    """Returns the cards of a ``--board``, none if it was not given.

    Raises:
        CardError: if the text is not 3, 4 or 5 distinct cards.
    """
    return () if text is None else parse_board(text)


def parse_hand(text: str, board: tuple[int, ...]) -> tuple[int, int]:
    """Returns the two cards of a ``--hand``.

    Raises:
        CardError: if the text is not two distinct cards, or one of them is on the board.
    """
    hand = combo_cards(parse_combo(text))
    for card in hand:
        if card in board:
            raise CardError(format_card(card), f"is on the board {format_cards(board)} already")
    return hand


def parse_live_range(text: str, board: tuple[int, ...]) -> HandRange:
    """Returns what a board leaves of a range.

    Raises:
        RangeError: if the text cannot be read, all weights are 0 or the board blocks all of it.
    """
    hand_range = parse_range(text)
    if hand_range.is_empty:
        raise RangeError(quote(text), "every weight is 0, no combo is left")
    live_range = hand_range.without_cards(board)
    if live_range.is_empty:
        raise RangeError(quote(text), f"the board {format_cards(board)} blocks every combo")
    return live_range


def require_at_most_one(given: Mapping[str, bool]) -> None:
    """Raises `OptionError` if more than one of the options was given.

    Args:
        given: whether each option, by its name, was on the command line.
    """
    chosen = [option for option, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise OptionError(" ".join(chosen), "cannot be combined, give one of them")


def require_positive(option: str, value: int | None) -> None:
    """Raises `OptionError` unless the option was left out or is at least 1."""
    if value is not None and value < 1:
        raise OptionError(option, f"{value} is not a positive number")
