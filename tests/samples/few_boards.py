"""Surveys of a few boards, so that what holds for all of them can be tested in a second."""

from collections.abc import Sequence

import numpy as np

from runout.abstraction import survey as survey_module
from runout.abstraction.survey import StreetSurvey, StrengthFeature, deal_indexer
from runout.cards.deck import parse_board
from runout.cards.hand_indexer import HandIndexer, canonical_boards
from runout.execution.context import RunContext
from runout.trees.betting import Street

FLOPS = ("7c6d2s", "9s6s2s", "5c5d5h", "AhAd7d", "KsQh2h")
TURNS = ("2s8sTcQd", "9s6s2sKs", "8h8d3s3c", "5c5d5h5s", "KsQh2h2d", "AhAd7d4s")
BOARDS = {Street.FLOP: FLOPS, Street.TURN: TURNS}


def board_classes(street: Street) -> np.ndarray:
    """Returns the classes of `BOARDS`, ascending."""
    boards = np.array([parse_board(board) for board in BOARDS[street]], dtype=np.uint8)
    return np.unique(HandIndexer((street.num_board_cards,)).index_many(boards))


def deals_of(street: Street) -> np.ndarray:
    """Returns ``[n, 2 + board]`` every holding on each of `BOARDS`."""
    boards, _ = canonical_boards(street.num_board_cards)
    return deals_on(boards[board_classes(street)].tolist())


def deals_on(boards: Sequence[Sequence[int]]) -> np.ndarray:
    """Returns ``[n, 2 + board]`` every holding on each board, one by one."""
    deals = [
        (low, high, *board)
        for board in boards
        for high in range(52)
        for low in range(high)
        if low not in board and high not in board
    ]
    return np.array(deals, dtype=np.uint8)


def survey_few(street: Street, feature: StrengthFeature) -> StreetSurvey:
    """Returns the strengths of all deals on `BOARDS`, weighted as in a survey of all boards."""
    indexer = deal_indexer(street)
    few = board_classes(street)
    scores, counts = survey_module._score_classes(street, feature, few, RunContext(1))
    classes = np.unique(indexer.index_many(deals_of(street)))
    values = survey_module._to_strength(street, feature, scores[classes])
    return StreetSurvey(street, values, counts[classes])


def pretend_few_boards(monkeypatch, num_boards: int) -> None:
    """Makes surveys of all boards end after so many of each street."""

    def list_few(num_cards: int) -> tuple[np.ndarray, np.ndarray]:
        boards, counts = canonical_boards(num_cards)
        return boards[:num_boards], counts[:num_boards]

    monkeypatch.setattr(survey_module, "canonical_boards", list_few)
